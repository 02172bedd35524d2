"""What each seat, counted from the dealer, wins or loses in a deal."""

from typing import Final

from analysis.aggregate import PARTS, SEATS, Aggregate, Histogram, Key, having
from analysis.intervals import mean_interval, wilson
from analysis.tables import Cell, Column, Row, Table
from analysis.text import PART_TERMS, SEAT_KEYS, SEAT_TERMS, Term

SEAT: Final = Term("seat from the dealer", "座位")


def points_of(key: Key) -> int:
    """Points, from a key of one of the histograms of points."""
    return key[1]


def points_by_seat(found: Aggregate) -> Table:
    """Mean points a deal of each seat, their spread, and how often it gains or loses."""
    return Table(
        "points_by_seat",
        Term("Points by seat", "各座位得分"),
        SEAT,
        (
            Column("mean", Term("points a deal", "每局得分"), "mean"),
            Column("sd", Term("standard deviation", "标准差"), "number"),
            Column("gains", Term("gains", "赢分"), "share"),
            Column("loses", Term("loses", "输分"), "share"),
        ),
        tuple(
            Row(SEAT_KEYS[offset], SEAT_TERMS[offset], _seat_cells(found["net"].where(having(0, offset))))
            for offset in range(SEATS)
        ),
        Term(
            "Seats in playing order after the dealer: next, opposite, previous. The deal is the unit of all intervals.",
            "座位按庄家起的行牌顺序：下家、对家、上家。所有区间以局为单位。",
        ),
    )


def _seat_cells(net: Histogram) -> tuple[Cell, ...]:
    sums = net.sums(points_of)
    gains = net.total(lambda key: key[1] > 0)
    loses = net.total(lambda key: key[1] < 0)
    return (
        mean_interval(sums.n, sums.x, sums.xx),
        sums.spread(),
        wilson(gains, sums.n) if sums.n else None,
        wilson(loses, sums.n) if sums.n else None,
    )


def points_by_part(found: Aggregate) -> Table:
    """Mean points a deal of each seat, by what they come from."""
    rows = []
    for offset in range(SEATS):
        cells = []
        for part in PARTS:
            sums = found[part].where(having(0, offset)).sums(points_of)
            cells.append(mean_interval(sums.n, sums.x, sums.xx))
        rows.append(Row(SEAT_KEYS[offset], SEAT_TERMS[offset], tuple(cells)))
    return Table(
        "points_by_part",
        Term("Where the points come from", "得分来源"),
        SEAT,
        tuple(Column(part, PART_TERMS[part], "plus_minus") for part in PARTS),
        tuple(rows),
        Term(
            "Points a deal with half the 95 % interval. Winning hands are without what three-meld liability moved; "
            "fish "
            "are what a seat's own fish won less what the others' fish cost it.",
            "每局得分及 95% 区间半宽。胡牌不含吃三笔转移的分；鱼为自己的鱼所得减去付给他家鱼的分。",
        ),
    )
