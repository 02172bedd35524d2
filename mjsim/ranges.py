"""Ranges of deals: shards, pieces, the chunks that threads play, and playing them."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from mjsim.dataset.columns import empty_columns
from mjsim.dataset.frames import Columns
from mjsim.dataset.run import SHARD_DEALS
from mjsim.engine import Engine
from mjsim.workers import Interrupts, run_chunks

#: Deals that a kernel plays before anyone can interrupt it: about 40 ms.
CHUNK_DEALS: Final = 4096

#: Deals that are played, worked on and forgotten together: 7 MB of columns.
PIECE_DEALS: Final = 1 << 15

Result = TypeVar("Result")
Progress = Callable[[int], None]


def shard_ranges(first: int, deals: int) -> Iterator[tuple[int, int]]:
    """First deal and size of each shard; shards end at multiples of 2^20.

    >>> list(shard_ranges(1_000_000, 100_000))
    [(1000000, 48576), (1048576, 51424)]
    """
    end = first + deals
    while first < end:
        size = min(SHARD_DEALS - first % SHARD_DEALS, end - first)
        yield first, size
        first += size


def chunk_starts(first: int, deals: int, session: int, chunk: int) -> Iterator[tuple[int, int]]:
    """First deal and size of each chunk; a chunk ends where a session does, so that none is begun twice.

    >>> list(chunk_starts(3, 7, session=4, chunk=5))
    [(3, 1), (4, 4), (8, 2)]
    """
    end = first + deals
    step = max(chunk // session, 1) * session
    while first < end:
        size = min(step - first % session, end - first)
        yield first, size
        first += size


def session_ranges(first: int, deals: int, session: int, size: int) -> Iterator[tuple[int, int]]:
    """First deal and size of ranges of whole sessions, of about a size each; a part of one comes last, by itself.

    >>> list(session_ranges(0, 2_003, 100, 1_024))
    [(0, 1000), (1000, 1000), (2000, 3)]
    """
    whole = max((first + deals) // session * session - first, 0)
    yield from chunk_starts(first, whole, session, size)
    if whole < deals:
        yield first + whole, deals - whole


def play_range(
    engine: Engine,
    first: int,
    columns: Columns,
    interrupts: Interrupts,
    *,
    threads: int | None = None,
    chunk: int = CHUNK_DEALS,
    progress: Progress | None = None,
) -> int:
    """Play as many deals as the columns have room for, from deal ``first`` on.

    Returns
    -------
    int
        Deals played, counted without a gap from the first: fewer than asked only after an interrupt.
    """
    spans = chunk_starts(first, len(columns["deal"]), engine.plan.session, chunk)
    return run_chunks(spans, lambda *span: engine.fill(columns, first, *span), interrupts, threads, progress)


def first_rows(columns: Columns, deals: int) -> Columns:
    """The columns of the first so many deals."""
    return {name: values[:deals] for name, values in columns.items()}


def work_on_pieces(
    engine: Engine,
    first: int,
    deals: int,
    interrupts: Interrupts,
    work: Callable[[Columns], Result],
    *,
    threads: int | None = None,
    chunk: int = CHUNK_DEALS,
    piece: int = PIECE_DEALS,
    progress: Progress | None = None,
) -> Iterator[tuple[int, Result]]:
    """Play deals piece by piece on threads that also do some work on each piece, in memory for a few pieces.

    Pieces are those of `session_ranges`.

    Parameters
    ----------
    engine, first, deals, interrupts, threads, chunk, progress
        As in `play_range`.
    work : callable
        Takes the columns of a piece, which it must not keep: the next deals are written into them.
    piece : int
        About how many deals are worked on at a time.

    Yields
    ------
    deals : int
        Of the piece; in the last one after an interrupt fewer than there were to be, whole sessions all the same.
    result
        What ``work`` returned.
    """
    session = engine.plan.session
    room = min(max(piece // session, 1) * session, deals)
    line = _Line(engine, interrupts, work, threads or os.cpu_count() or 1, room)
    return line.results(_cut(session_ranges(first, deals, session, piece), session, chunk), progress)


#: A chunk: the first deal and the size of its piece, its own ones.
_Span = tuple[int, int, int, int]


def _cut(ranges: Iterator[tuple[int, int]], session: int, chunk: int) -> Iterator[_Span]:
    """The chunks of some ranges, one range after the other."""
    for begin, size in ranges:
        for start, part in chunk_starts(begin, size, session, chunk):
            yield begin, size, start, part


@dataclass
class _Piece:
    """Deals on their way: the columns they are played into, and how many are there without a gap from the first."""

    first: int
    size: int
    columns: Columns
    played: int = 0


class _Line(Generic[Result]):
    """Pieces in line: some are played, chunk by chunk, while those before are worked on, on the same threads.

    Columns of a piece that is done are written into again. New ones would cost the time to clear them, and the more
    memory the longer it goes on, as what is free falls into bits.
    """

    def __init__(
        self, engine: Engine, interrupts: Interrupts, work: Callable[[Columns], Result], threads: int, room: int
    ) -> None:
        self._engine = engine
        self._interrupts = interrupts
        self._work = work
        self._threads = threads
        self._room = room
        self._begun: _Piece | None = None
        self._playing: deque[tuple[_Piece, int, Future[int]]] = deque()
        self._played: _Piece | None = None
        self._worked_on: deque[tuple[_Piece, Future[Result]]] = deque()
        self._spare: list[Columns] = []

    def results(self, spans: Iterator[_Span], progress: Progress | None) -> Iterator[tuple[int, Result]]:
        """Yield the size of each piece and what the work on it came to, in order."""
        done = 0
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                while self._give_out(pool, spans):
                    done += self._take(pool)
                    if progress is not None:
                        progress(done)
                    yield from self._finished(max(2, self._threads // 4))
                if self._played is not None:
                    self._hand_on(pool, self._played)
                yield from self._finished(0)
            finally:
                self._cancel()

    def _give_out(self, pool: ThreadPoolExecutor, spans: Iterator[_Span]) -> bool:
        """Let threads play more chunks, unless it is to stop; whether there are chunks to wait for."""
        while not self._interrupts.requested and len(self._playing) < 2 * self._threads:
            span = next(spans, None)
            if span is None:
                break
            begin, size, start, deals = span
            if self._begun is None or self._begun.first != begin:
                self._begun = _Piece(begin, size, self._spare.pop() if self._spare else empty_columns(self._room))
            future = pool.submit(self._engine.fill, self._begun.columns, begin, start, deals)
            self._playing.append((self._begun, deals, future))
        if self._interrupts.requested:
            self._cancel()
        return bool(self._playing)

    def _take(self, pool: ThreadPoolExecutor) -> int:
        """Wait for the next chunk, and hand on the piece it is the last of; returns how many deals were played."""
        piece, deals, chunk = self._playing.popleft()
        if chunk.cancelled():
            self._playing.clear()  # one after it may have begun: its deals would leave a gap
            return 0
        chunk.result()
        piece.played += deals
        self._played = piece
        if piece.played == piece.size:
            self._hand_on(pool, piece)
        return deals

    def _hand_on(self, pool: ThreadPoolExecutor, piece: _Piece) -> None:
        """Let a thread work on what is played of a piece."""
        self._played = None
        self._worked_on.append((piece, pool.submit(self._work, first_rows(piece.columns, piece.played))))

    def _cancel(self) -> None:
        """Cancel the chunks that no thread has begun."""
        for _, _, chunk in self._playing:
            chunk.cancel()

    def _finished(self, most: int) -> Iterator[tuple[int, Result]]:
        """Take what the work on pieces came to, as far as it is done, or until no more than so many are left."""
        while self._worked_on and (len(self._worked_on) > most or self._worked_on[0][1].done()):
            piece, future = self._worked_on.popleft()
            result = future.result()
            self._spare.append(piece.columns)
            yield piece.played, result
