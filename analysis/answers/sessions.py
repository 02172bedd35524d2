"""What happens over a session: how long a dealer holds the bank, ups and downs, and the chance to lose a purse.

The four seats of a session win from each other, so what happens to one is not independent of the others. Where all four
are counted, intervals are as wide as if the four of a session were all alike, the widest they can have to be.
"""

from collections.abc import Iterator
from typing import Any, Final

from analysis.counts.aggregate import SEATS, Aggregate, Key
from analysis.counts.counting import counted
from analysis.counts.distribution import Distribution
from analysis.counts.paths import WITH_FISH, WITHOUT_FISH
from analysis.display.tables import Cell, Column, Row, Table
from analysis.display.text import SEAT_KEYS, SEAT_TERMS, Term, grouped
from analysis.estimates.intervals import Interval, share, share_of_size

#: Longer runs of the bank share a row.
LONGEST_RUN: Final = 8


def tables(deals: Any, session_length: int) -> tuple[Table, ...]:
    """Every table of whole sessions; none where a session is a single deal or none was finished.

    Parameters
    ----------
    deals : Aggregate or frame
        Counts, or deals as `analysis.counts.counting.aggregate` takes them.
    session_length : int
        Deals in a session.

    Returns
    -------
    tuple of Table

    Examples
    --------
    >>> import mjsim
    >>> deals = mjsim.simulate("liuzhou", deals=1600, seed=1, session=16).to_polars()
    >>> [table.key for table in tables(deals, 16)]
    ['bank', 'swings', 'ruin']
    """
    found = counted(deals, session_length)
    if not found["session_net"].counts:
        return ()
    return bank(found), swings(found, session_length), ruin(found, session_length)


def bank(deals: Any, session_length: int = 1) -> Table:
    """How many deals in a row a dealer holds the bank."""
    runs = Distribution.of(counted(deals, session_length)["bank_runs"], lambda key: key[0])
    rows = [Row("all", Term("all runs", "全部"), (runs.n, None, runs.mean()))]
    for length in range(1, min(LONGEST_RUN, runs.highest or 0) + 1):
        more = length == LONGEST_RUN and runs.highest != length
        count = runs.reaching(length) if more else runs.counts.get(length, 0)
        label = Term(f"{length} or more", f"{length} 及以上") if more else Term(str(length), str(length))
        rows.append(Row(str(length), label, (count, share(count, runs.n), None)))
    return Table(
        "bank",
        Term("How long a dealer holds the bank", "连庄局数"),
        Term("deals in a row", "连续坐庄"),
        (
            Column("runs", Term("times", "次数"), "count"),
            Column("share", Term("of all", "占比"), "share"),
            Column("mean", Term("mean deals in a row", "平均局数"), "length"),
        ),
        tuple(rows),
        Term("The last run of a session ends with it.", "每场最后一次连庄以该场结束为止。"),
    )


def swings(deals: Any, session_length: int) -> Table:
    """Where a session ends and how far it goes up and down on the way, with fish and without."""
    found = counted(deals, session_length)
    deals_each = grouped(session_length)
    rows = [Row("all", Term("any seat", "任一座位"), _swing_cells(found, None, WITH_FISH))]
    if found.total("fished"):
        label = Term("any seat, without fish", "任一座位，不计鱼")
        rows.append(Row("all_without_fish", label, _swing_cells(found, None, WITHOUT_FISH)))
    for seat in range(SEATS):
        rows.append(Row(SEAT_KEYS[seat], SEAT_TERMS[seat], _swing_cells(found, seat, WITH_FISH)))
    return Table(
        "swings",
        Term(f"Ups and downs of a session of {deals_each} deals", f"一场 {deals_each} 局的起伏"),
        Term("seat from the first dealer", "座位（首庄起）"),
        (
            Column("sd", Term("spread of the final points", "终场得分标准差"), "number"),
            Column("range", Term("from highest to lowest", "最高与最低之差"), "length"),
            Column("low_median", Term("lowest: half above", "最低点：半数高于"), "quantile"),
            Column("low_p5", Term("lowest: 5 % at most", "最低点：5% 不超过"), "quantile"),
            Column("low_p1", Term("lowest: 1 % at most", "最低点：1% 不超过"), "quantile"),
        ),
        tuple(rows),
        Term(
            "Points of one seat, from its start at 0. Spread: standard deviation. Highest and lowest: on the way, the "
            "start included.",
            "一家的得分，开场为 0。最高与最低含开场与过程中各点。",
        ),
    )


def _swing_cells(found: Aggregate, seat: int | None, fish: int) -> tuple[Cell, ...]:
    net, low, range_ = (_path(found, f"session_{what}", seat, fish) for what in ("net", "low", "range"))
    return (net.spread(), range_.mean(), *(low.quantile(each) for each in (0.5, 0.05, 0.01)))


def _path(found: Aggregate, name: str, seat: int | None, fish: int) -> Distribution:
    """A quantity of whole sessions, of one seat or of all."""

    def wanted(key: Key) -> bool:
        return key[1] == fish and seat in (None, key[0])

    return Distribution.of(found[name].where(wanted), lambda key: key[2], SEATS if seat is None else 1)


def ruin(deals: Any, session_length: int) -> Table:
    """The chance to lose a purse in a session, for purses that the deals say something about."""
    found = counted(deals, session_length)
    fished = bool(found.total("fished"))
    lows = [_path(found, "session_low", None, fish) for fish in (WITH_FISH, WITHOUT_FISH)[: 1 + fished]]
    columns = [
        Column("times", Term("times lost", "输光次数"), "count"),
        Column("ruined", Term("sessions that lose it", "输光的概率"), "share"),
        Column("without_fish", Term("without fish", "不计鱼"), "share"),
    ][: 2 + fished]
    rows = []
    for purse in _purses(-min(low.lowest or 0 for low in lows)):
        hits = [low.n - low.reaching(1 - purse) for low in lows]
        shares = (_of_sessions(count, low.n) for count, low in zip(hits, lows, strict=True))
        rows.append(Row(str(purse), Term(grouped(purse), grouped(purse)), (hits[0], *shares)))
    return Table(
        "ruin",
        Term(
            f"Chance to lose a purse in a session of {grouped(session_length)} deals",
            f"一场 {grouped(session_length)} 局输光本钱的概率",
        ),
        Term("purse (points)", "本钱（分）"),
        tuple(columns),
        tuple(rows),
        Term(
            "How often a seat has at some time lost the whole purse, averaged over the four seats. The intervals are "
            "on the wide side.",
            "一家在一场中曾输光本钱的比例，按四家平均。区间偏宽。",
        ),
    )


def _of_sessions(hits: int, n: int) -> Interval:
    """A share of the seats of some sessions, known as well as one of so many sessions."""
    if hits in (0, n):
        return share(hits // SEATS, n // SEATS)
    return share_of_size(hits, n, n / SEATS)


def _purses(worst: int) -> Iterator[int]:
    """Purses of 10, 20, 50, 100, … points, up to the first that was never lost."""
    purse, steps = 10, 0
    while True:
        yield purse
        if purse > worst:
            return
        steps += 1
        purse = (10, 20, 50)[steps % 3] * 10 ** (steps // 3)
