"""What a fish is worth to the seat that takes it.

A fish repeats, for its owner, what the other seats win from or lose to the seat it is bound to. Its value is counted
from those transfers, so that it is the owner's gain whether or not the others fish too. As settled, a seat also pays
for the others' fish; all seats together neither win nor lose by fish.
"""

from typing import Final

from analysis.aggregate import SEATS, Aggregate, Histogram, Key, having
from analysis.intervals import PairSums, Sums, ratio_interval, share_interval
from analysis.points import SEAT
from analysis.tables import Cell, Column, Row, Table
from analysis.text import SEAT_KEYS, SEAT_TERMS, Term

_COLUMNS: Final = (
    Column("fish", Term("fish taken", "鱼数"), "count"),
    Column("value", Term("points per fish", "每条鱼得分"), "mean"),
    Column("sd", Term("standard deviation", "标准差"), "number"),
    Column("loses", Term("loses points", "输分"), "share"),
)


def fish_by_seat(found: Aggregate) -> Table:
    """Value of a fish by its owner's seat from the dealer, and over all seats."""
    own, everyone = found["own_fish"], found["all_fish"]
    rows = []
    for offset in range(SEATS):
        seat = own.where(having(0, offset))
        rows.append(Row(SEAT_KEYS[offset], SEAT_TERMS[offset], _cells(seat, seat.pair_sums(_won_and_fish))))
    overall = everyone.pair_sums(lambda key: (key[1], key[0]))
    rows.append(
        Row("all", Term("any seat", "任一座位"), _cells(own, overall, everyone.pair_sums(lambda key: (key[3], key[2]))))
    )
    return Table(
        "fish_by_seat",
        Term("What a fish is worth, by its owner's seat", "鱼的价值（按鱼主座位）"),
        SEAT,
        _COLUMNS,
        tuple(rows),
        Term(
            "What a fish wins its owner, whoever else fishes. Standard deviation and chance of losing are those of all "
            "the fish an owner has in a deal.",
            "一条鱼为鱼主赢得的分，与他家是否钓鱼无关。标准差与输分机会按鱼主一局中的全部鱼计算。",
        ),
    )


def fish_by_number(found: Aggregate) -> Table:
    """Value of one fish, and of two taken together."""
    rows = []
    for number in (1, 2):
        owners = found["own_fish"].where(having(1, number))
        if not owners.counts:
            continue
        table = found[f"with_{number}_fish"]
        overall = table.pair_sums(lambda key: (key[1], key[0]))
        label = (Term("one fish", "一条鱼"), Term("two fish", "两条鱼"))[number - 1]
        sums = owners.sums(_won)
        losing = share_interval(table.pair_sums(lambda key: (key[2], key[0])))
        rows.append(Row(str(number), label, (overall.y, ratio_interval(overall), sums.spread(), losing)))
    return Table(
        "fish_by_number",
        Term("One fish or two", "一条鱼还是两条鱼"),
        Term("fish of one owner", "每家鱼数"),
        (
            Column("owners", Term("owners", "鱼主数"), "count"),
            Column("value", Term("points a deal", "每局得分"), "mean"),
            *_COLUMNS[2:],
        ),
        tuple(rows),
        Term(
            "Points that all fish of one owner win him in a deal. Seats of one deal are not independent; the deal is "
            "the "
            "unit.",
            "一位鱼主的全部鱼每局所得。同一局的座位并不独立，以局为单位。",
        ),
    )


def _won_and_fish(key: Key) -> tuple[int, int]:
    """Points won and fish taken, from a key of ``own_fish``."""
    return key[2], key[1]


def _won(key: Key) -> int:
    return key[2]


def _cells(own: Histogram, value: PairSums, losers: PairSums | None = None) -> tuple[Cell, ...]:
    """Cells of a row, from the owners' own fish and points against fish."""
    owners = own.where(lambda key: key[1] > 0)
    sums: Sums = owners.sums(_won)
    if losers is None:
        losers = owners.pair_sums(lambda key: (int(key[2] < 0), 1))
    return (value.y, ratio_interval(value), sums.spread(), share_interval(losers))
