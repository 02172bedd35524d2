"""Ranges of deals: shards, the chunks that threads play, and playing them."""

from collections.abc import Callable, Iterator
from typing import Final

from mjsim.dataset.frames import Columns
from mjsim.dataset.run import SHARD_DEALS
from mjsim.engine import Engine
from mjsim.workers import Interrupts, run_chunks

#: Deals that a kernel plays before anyone can interrupt it: about 40 ms.
CHUNK_DEALS: Final = 4096

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
