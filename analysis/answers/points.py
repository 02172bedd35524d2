"""What each seat, counted from the dealer, wins or loses in a deal."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.counts.aggregate import PARTS, SEATS, Aggregate, Key, having
from analysis.counts.counting import counted
from analysis.counts.distribution import Distribution
from analysis.counts.measures import at
from analysis.display.commands import replay_command
from analysis.display.tables import Cell, Column, Row, Table
from analysis.display.text import PART_TERMS, SEAT_KEYS, SEAT_TERMS, Term
from analysis.estimates.batches import batch_difference, batch_ratio
from analysis.estimates.intervals import Interval, share

SEAT: Final = Term("seat from the dealer", "座位")

#: Shares of the deals in which a seat does not get more than the quantile.
QUANTILES: Final = {"p1": 0.01, "p5": 0.05, "median": 0.5, "p95": 0.95, "p99": 0.99}

#: Seats that are not the dealer.
_OTHERS: Final = tuple(range(1, SEATS))


def points_of(key: Key) -> int:
    """Points, from a key of the ``net`` histogram."""
    return key[1]


def _net(found: Aggregate, seat: int) -> Distribution:
    """A seat's points in a deal."""
    return Distribution.of(found["net"].where(having(0, seat)), points_of)


def points_by_seat(deals: Any) -> Table:
    """Mean points a deal of each seat, their spread and skewness, and how often it gains or loses."""
    found = counted(deals)
    return Table(
        "points_by_seat",
        Term("Points by seat", "各座位得分"),
        SEAT,
        (
            Column("mean", Term("points a deal", "每局得分"), "mean"),
            Column("sd", Term("standard deviation", "标准差"), "number"),
            Column("skewness", Term("skewness", "偏度"), "number"),
            Column("gains", Term("gains", "赢分"), "share_range"),
            Column("loses", Term("loses", "输分"), "share_range"),
        ),
        tuple(Row(SEAT_KEYS[seat], SEAT_TERMS[seat], _seat_cells(found, seat)) for seat in range(SEATS)),
        Term(
            "Seats in playing order after the dealer: next, opposite, previous. Skewness above zero: the large wins "
            "are larger than the large losses.",
            "座位按庄家起的行牌顺序：下家、对家、上家。偏度大于零：大赢比大输更大。",
        ),
    )


def _seat_cells(found: Aggregate, seat: int) -> tuple[Cell, ...]:
    net = _net(found, seat)
    gains, loses = net.reaching(1), net.n - net.reaching(0)
    return (
        batch_ratio(found.sums[at("net", seat)], found.sums["deals"]),
        net.spread(),
        net.skewness(),
        share(gains, net.n) if net.n else None,
        share(loses, net.n) if net.n else None,
    )


def points_quantiles(deals: Any) -> Table:
    """The ups and downs of each seat: quantiles of its points in a deal, its biggest loss and its biggest win."""
    found = counted(deals)
    rows = []
    for seat in range(SEATS):
        net = _net(found, seat)
        cells = (net.lowest, *(net.quantile(each) for each in QUANTILES.values()), net.highest)
        rows.append(Row(SEAT_KEYS[seat], SEAT_TERMS[seat], cells))
    titles = {
        "p1": Term("1 % at most", "1% 不超过"),
        "p5": Term("5 % at most", "5% 不超过"),
        "median": Term("half at most", "半数不超过"),
        "p95": Term("95 % at most", "95% 不超过"),
        "p99": Term("99 % at most", "99% 不超过"),
    }
    return Table(
        "points_quantiles",
        Term("Good and bad deals by seat", "各座位得分的分布"),
        SEAT,
        (
            Column("lowest", Term("biggest loss", "最大输分"), "count"),
            *(Column(key, titles[key], "quantile") for key in QUANTILES),
            Column("highest", Term("biggest win", "最大赢分"), "count"),
        ),
        tuple(rows),
        Term(
            "In so many of the deals a seat gets at most these points; the 95 % interval in brackets where it is not "
            "this number alone.",
            "该座位在相应比例的局中得分不超过此数；区间不止此一数时以括号给出 95% 区间。",
        ),
    )


def _parts(found: Aggregate) -> list[str]:
    """What points come from: fish only where there are any."""
    return [part for part in PARTS if part != "fish" or found.total("fished")]


def dealer_advantage(deals: Any) -> Table:
    """What the dealer makes in a deal more than the others do on average, by what it comes from."""
    found = counted(deals)
    counts = found.sums["deals"]
    parts = [part for part in _parts(found) if part != "liability"]
    rows = []
    for part in parts:
        dealer = found.sums[at(part, 0)]
        others = found.over(at(part, seat) for seat in _OTHERS)
        difference = batch_difference(dealer, counts, others, len(_OTHERS) * counts)
        cells = (
            batch_ratio(dealer, counts),
            batch_ratio(others, len(_OTHERS) * counts),
            None if difference is None else difference.interval,
        )
        rows.append(Row(part, PART_TERMS[part], cells))
    return Table(
        "dealer_advantage",
        Term("What it is worth to be the dealer", "庄家的优势"),
        Term("points from", "得分来源"),
        (
            Column("dealer", Term("dealer", "庄家"), "plus_minus"),
            Column("others", Term("each other seat", "闲家平均"), "plus_minus"),
            Column("advantage", Term("dealer's advantage", "庄家优势"), "mean"),
        ),
        tuple(rows),
        Term(
            "Points a deal. The advantage is the dealer's mean less that of the three others, from the same deals.",
            "每局得分。庄家优势为同一批牌局中庄家均分减去三家闲家均分。",
        ),
    )


def points_by_part(deals: Any) -> Table:
    """Mean points a deal of each seat, by what they come from."""
    found = counted(deals)
    parts = _parts(found)
    rows = [Row(SEAT_KEYS[seat], SEAT_TERMS[seat], _part_cells(found, seat, parts)) for seat in range(SEATS)]
    words = _LIABILITY_APART
    if "fish" in parts:
        words = Term(f"{words.en} {_FISH_NET.en}", f"{words.zh}{_FISH_NET.zh}")
    return Table(
        "points_by_part",
        Term("Where the points come from", "得分来源"),
        SEAT,
        tuple(Column(part, PART_TERMS[part], "plus_minus") for part in parts),
        tuple(rows),
        words,
    )


_LIABILITY_APART: Final = Term(
    "Points a deal with half the 95 % interval. Winning hands are without what three-meld liability moved.",
    "每局得分及 95% 区间半宽。胡牌不含吃三笔转移的分。",
)
_FISH_NET: Final = Term(
    "Fish are what a seat's own fish won less what the others' fish cost it.", "鱼为自己的鱼所得减去付给他家鱼的分。"
)


def _part_cells(found: Aggregate, seat: int, parts: Sequence[str]) -> tuple[Interval | None, ...]:
    """A seat's mean points from each part; the hands' have liability in them, which has a column of its own."""
    sums = {part: found.sums[at(part, seat)] for part in PARTS}
    sums["hand"] = sums["hand"] - sums["liability"]
    return tuple(batch_ratio(sums[part], found.sums["deals"]) for part in parts)


def dearest(deals: Any, manifest: Mapping[str, Any]) -> Table:
    """The deals in which a seat won most, the dearest first.

    Parameters
    ----------
    deals : Aggregate or frame
        Counts, or deals as `analysis.counts.counting.aggregate` takes them.
    manifest : mapping
        The run's manifest, for the command that shows a deal.
    """
    found = counted(deals)
    rows = [
        Row(str(deal), Term(str(place), str(place)), (points, deal))
        for place, (points, deal) in enumerate(found.dearest, start=1)
        if points > 0
    ]
    command = replay_command(manifest, found.dearest[0][1]) if found.dearest else ""
    return Table(
        "dearest",
        Term("The dearest deals", "最大的局"),
        Term("place", "名次"),
        (
            Column("points", Term("points of the seat that won most", "赢分最多者得分"), "count"),
            Column("deal", Term("number to replay it by", "回放编号"), "count"),
        ),
        tuple(rows),
        Term(f"To see the first of them, tile by tile: {command}", f"逐张回放其中第一局：{command}"),
    )
