"""What a dealt hand is worth: from its shanten to the chance to win, to deal in, and the points of the deal."""

from typing import Any, Final

from analysis.counts.aggregate import SEATS, Aggregate, Key, having
from analysis.counts.counting import counted
from analysis.counts.measures import RESULTS
from analysis.display.tables import Cell, Column, Row, Table
from analysis.display.text import Term
from analysis.estimates.intervals import mean_interval, share

WON, DEALT_IN = RESULTS.index("won"), RESULTS.index("dealt_in")

#: The dealer, whose hand has a tile more, and the other seats.
_GROUPS: Final = (
    ("dealer", Term("dealer", "庄家"), (0,)),
    ("others", Term("other seat", "闲家"), tuple(range(1, SEATS))),
)


def start(deals: Any) -> Table:
    """What becomes of a dealt hand, by its shanten."""
    found = counted(deals)
    rows = [row for key, label, seats in _GROUPS for row in _Group(found, seats).rows(key, label)]
    return Table(
        "start",
        Term("What a dealt hand is worth", "起手牌的价值"),
        Term("dealt hand", "起手牌"),
        (
            Column("hands", Term("hands", "手数"), "count"),
            Column("wins", Term("wins", "胡牌"), "share"),
            Column("deals_in", Term("deals in", "点炮"), "share"),
            Column("mean", Term("points a deal", "每局得分"), "mean"),
        ),
        tuple(rows),
        Term(
            "Shanten: how many tiles a hand is away from being ready; the dealer's is counted with his fourteenth "
            "tile. Dealing in includes a robbed kong. Intervals of the other seats err on the wide side: two hands of "
            "one deal seldom win together.",
            "向听：距听牌所差张数；庄家按十四张计。点炮含被抢杠。闲家的区间偏宽：同一局的两家很少同时胡牌。",
        ),
    )


class _Group:
    """The dealt hands of some seats: their number, points and squares of points, by shanten and result."""

    def __init__(self, found: Aggregate, seats: tuple[int, ...]) -> None:
        def of_seats(key: tuple[int, ...]) -> bool:
            return key[0] in seats

        self._hands, self._points, self._squares = (
            found[name].where(of_seats) for name in ("start", "start_points", "start_squares")
        )

    def rows(self, key: str, label: Term) -> list[Row]:
        """A row for each shanten that was dealt."""
        return [
            Row(f"{key}_{shanten}", _named(label, shanten), self._cells(shanten, hands))
            for shanten, hands in self._hands.by(_shanten).items()
        ]

    def _cells(self, shanten: int, hands: int) -> tuple[Cell, ...]:
        of_shanten = having(1, shanten)
        results = self._hands.where(of_shanten).by(lambda key: key[2])
        won, dealt_in = (share(results.get(result, 0), hands) for result in (WON, DEALT_IN))
        points, squares = self._points.total(of_shanten), self._squares.total(of_shanten)
        return hands, won, dealt_in, mean_interval(hands, points, squares)


def _shanten(key: Key) -> int:
    return key[1]


def _named(seat: Term, shanten: int) -> Term:
    """A dealt hand in words."""
    match shanten:
        case -1:
            hand = Term("complete", "已成牌")
        case 0:
            hand = Term("ready", "听牌")
        case _:
            hand = Term(f"shanten {shanten}", f"{shanten} 向听")
    return Term(f"{seat.en}, {hand.en}", f"{seat.zh}，{hand.zh}")
