"""Frames of any library as a sequence of chunks that can be counted one at a time."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

import narwhals as nw
import numpy as np

from analysis.counts.from_dealer import NEEDED, Chunk, recorded
from analysis.counts.measures import Columns
from mjsim.errors import RunError

Counted = TypeVar("Counted")

#: Deals counted at a time: few enough that a column of them stays in a processor's cache.
CHUNK_DEALS: Final = 1 << 17

#: Chunks counted at once: while one waits for the disk, the other uses the processor.
WORKERS: Final = 2


def chunks(frame: Any, session_length: int, count: Callable[[Columns, int], Counted]) -> Iterator[Counted]:
    """Count a frame chunk by chunk, in order; a chunk ends where a session does.

    Parameters
    ----------
    frame : polars.LazyFrame or an eager frame
        The deals. An eager frame is sorted by deal; a lazy one must be, as run folders are.
    session_length : int
        Deals in a session.
    count : callable
        Called with the columns of each chunk and the session length, on several threads.

    Yields
    ------
    What ``count`` returned for each chunk; once for an empty frame.

    Raises
    ------
    RunError
        Where columns are missing, or a lazy frame is not in order.
    """
    with ThreadPoolExecutor(WORKERS) as pool:
        waiting: deque[Future[Counted]] = deque()
        pieces = _pieces(frame)
        for chunk in _whole_sessions(pieces) if session_length > 1 else pieces:
            waiting.append(pool.submit(_count, count, chunk, session_length))
            if len(waiting) > WORKERS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _count(count: Callable[[Columns, int], Counted], chunk: Chunk, session_length: int) -> Counted:
    return count(recorded(chunk), session_length)


def _pieces(frame: Any) -> Iterator[Chunk]:
    """The frame in pieces of about `CHUNK_DEALS` deals, sorted by deal."""
    known = nw.from_native(frame)
    missing = sorted(set(NEEDED) - set(known.collect_schema().names()))
    if missing:
        raise RunError(f"the deals lack columns that are counted ({', '.join(missing)}); keep all those of a run")
    if isinstance(known, nw.LazyFrame):
        yield from _streamed(known.select(NEEDED))
        return
    deals = known.select(NEEDED)
    if (np.diff(deals["deal"].to_numpy()) < 0).any():
        deals = deals.sort("deal")
    for start in range(0, max(len(deals), 1), CHUNK_DEALS):
        yield deals[start : start + CHUNK_DEALS]


def _streamed(deals: nw.LazyFrame[Any]) -> Iterator[Chunk]:
    """The pieces of a lazy frame as polars reads them, never all at once."""
    batches = deals.to_native().collect_batches(chunk_size=CHUNK_DEALS, maintain_order=True, lazy=True)
    last = -1
    for batch in batches:
        piece = nw.from_native(batch, eager_only=True)
        numbers = piece["deal"].to_numpy()
        if (np.diff(numbers, prepend=last) < 0).any():
            raise RunError("the deals of a lazy frame are not in order: sort it by deal, or collect it first")
        last = int(numbers[-1]) if len(numbers) else last
        yield piece
    if last < 0:
        yield deals.head(0).collect()


def _whole_sessions(pieces: Iterator[Chunk]) -> Iterator[Chunk]:
    """Chunks that end where a session does, so that the last may be longer or shorter."""
    kept: list[Chunk] = []
    for piece in pieces:
        held = nw.concat([*kept, piece]) if kept else piece
        sessions = held["session"].to_numpy()
        cut = int(np.searchsorted(sessions, sessions[-1])) if len(sessions) else 0
        kept = [held[cut:]]
        if cut:
            yield held[:cut]
    if kept:
        yield kept[0]
