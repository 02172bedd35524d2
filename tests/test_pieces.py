"""Deals that are played piece by piece, worked on and forgotten: the same deals, in memory that does not grow."""

from itertools import pairwise

import numpy as np
import pytest

import mjsim
from analysis.counts.stored import Kept
from mjsim.cli.counting import Counts
from mjsim.dataset.frames import Columns
from mjsim.engine import Engine, Plan
from mjsim.players import players_for_seats
from mjsim.ranges import session_ranges, work_on_pieces
from mjsim.rules import load_rules
from mjsim.workers import Interrupts

pytestmark = pytest.mark.usefixtures("compiled_engine")


def engine(session: int = 1) -> Engine:
    return Engine(Plan(load_rules("liuzhou"), players_for_seats("fast"), 6, session))


def copied(columns: Columns) -> Columns:
    return {name: values.copy() for name, values in columns.items()}


def joined(pieces: list[Columns]) -> Columns:
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def assert_played(found: Columns, first: int, session: int) -> None:
    whole = mjsim.simulate("liuzhou", deals=len(found["deal"]), first=first, seed=6, players="fast", session=session)
    for name, values in whole.columns.items():
        assert np.array_equal(found[name], values), name


@pytest.mark.parametrize(
    ("session", "first", "threads", "chunk", "piece"),
    [(1, 0, 2, 16, 100), (1, 37, 1, 4096, 64), (7, 3, 3, 20, 50), (7, 0, 2, 100, 10), (500, 20, 2, 16, 30)],
)
def test_pieces_are_the_deals_in_order(session: int, first: int, threads: int, chunk: int, piece: int) -> None:
    told: list[int] = []
    pieces = list(
        work_on_pieces(
            engine(session),
            first,
            400,
            Interrupts(),
            copied,
            threads=threads,
            chunk=chunk,
            piece=piece,
            progress=told.append,
        )
    )
    assert [(size, int(found["deal"][0])) for size, found in pieces] == [
        (size, start) for start, size in session_ranges(first, 400, session, piece)
    ]
    assert told[-1] == 400
    assert all(earlier < later for earlier, later in pairwise(told))
    assert_played(joined([found for _, found in pieces]), first, session)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_same_few_columns_serve_all_pieces(threads: int) -> None:
    """As many as are played and worked on at once, which does not go with the number of deals."""

    def places(columns: Columns) -> int:
        return int(columns["deal"].__array_interface__["data"][0])

    def used(deals: int) -> int:
        pieces = work_on_pieces(engine(), 0, deals, Interrupts(), places, threads=threads, chunk=16, piece=64)
        return len({place for _, place in pieces})

    assert used(64 * 200) <= 2 * threads * 16 // 64 + max(2, threads // 4) + 3


@pytest.mark.parametrize("session", [1, 30])
def test_an_interrupt_keeps_the_deals_before_it(session: int) -> None:
    interrupts = Interrupts()

    def stop(played: int) -> None:
        interrupts.requested = played > 1_000

    pieces = work_on_pieces(
        engine(session), 0, 100_000, interrupts, copied, threads=2, chunk=32, piece=256, progress=stop
    )
    found = joined([columns for _, columns in pieces])
    assert 1_000 < len(found["deal"]) < 10_000
    assert len(found["deal"]) % session == 0
    assert_played(found, 0, session)


def test_an_interrupt_before_the_first_deal_yields_nothing() -> None:
    interrupts = Interrupts()
    interrupts.requested = True
    assert list(work_on_pieces(engine(), 0, 1_000, interrupts, copied)) == []


def test_what_the_work_raises_comes_out() -> None:
    def fails(columns: Columns) -> None:
        raise ArithmeticError(int(columns["deal"][0]))

    pieces = work_on_pieces(engine(), 0, 1_000, Interrupts(), fails, threads=2, chunk=16, piece=64)
    with pytest.raises(ArithmeticError, match=r"^0$"):
        list(pieces)


def kept(deals: int) -> Kept:
    """The counts of so many deals of a session each, counted in pieces of 2^14."""
    counts = Counts(with_kinds=True)
    for _, part in work_on_pieces(engine(), 0, deals, Interrupts(), counts.count, piece=1 << 14):
        counts.add(part)
    return counts.kept()


def numbers(found: Kept) -> tuple[int, int]:
    """How many numbers are kept: sums of batches; and of histograms."""
    assert found.whole is not None
    assert found.whole.kinds is not None
    both = found.whole.counts, found.whole.kinds
    sums = sum(len(sum_) for each in both for sum_ in each.sums.values())
    return sums, sum(len(histogram.counts) for each in both for histogram in each.histograms.values())


def test_no_deal_is_kept() -> None:
    """Eight times the deals come to as many sums, and to hardly more kinds of deals."""
    sums, kinds = numbers(kept(1 << 14))
    more_sums, more_kinds = numbers(kept(1 << 17))
    assert sums == more_sums
    assert kinds < more_kinds < 2 * kinds < 1 << 14
