"""Deals that are played to be counted, and not kept."""

from collections.abc import Callable
from itertools import chain

from analysis.counts.aggregate import Aggregate
from analysis.counts.counting import count_chunk
from mjsim.dataset.frames import Columns
from mjsim.engine import Engine
from mjsim.ranges import Progress, work_on_pieces
from mjsim.workers import Interrupts


def count_played(
    engine: Engine,
    first: int,
    deals: int,
    interrupts: Interrupts,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    beside: Callable[[Columns], object] | None = None,
) -> Aggregate | None:
    """What so many deals from one on come to, in memory for a few pieces of them; None after an interrupt.

    Parameters
    ----------
    engine, first, deals, interrupts, threads, progress
        As in `mjsim.ranges.work_on_pieces`.
    beside : callable, optional
        Given the columns of each piece too, on several threads and in any order; it must not keep them.

    Examples
    --------
    >>> from mjsim.engine import Plan
    >>> from mjsim.players import players_for_seats
    >>> from mjsim.rules import load_rules
    >>> engine = Engine(Plan(load_rules("liuzhou"), players_for_seats("fast"), seed=1))
    >>> count_played(engine, 0, 200, Interrupts()).deals
    200
    """

    def count(columns: Columns) -> Aggregate:
        if beside is not None:
            beside(columns)
        return count_chunk(columns, engine.plan.session)

    pieces = work_on_pieces(engine, first, deals, interrupts, count, threads=threads, progress=progress)
    counted = (part for _, part in pieces)
    begun = next(counted, None)
    if begun is None:
        return None
    found = Aggregate.merged(chain((begun,), counted))
    return found if found.deals == deals else None
