"""What holds in every row of every run, whatever the rules: limits, sums and identities over the columns.

Each check gets some rows as one array per column, and says which row is the first that is wrong, in which column and
how.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mjsim.dataset.columns import COLUMNS, OUTCOMES, PAIRS, Column
from mjsim.dataset.frames import Columns
from mjsim.state import NONE, SEATS

Values = npt.NDArray[Any]

_SELF_DRAW, _DRAWN = OUTCOMES.index("self_draw"), OUTCOMES.index("drawn")
_LARGEST_WHOLE: Final = 1 << 40


@dataclass(frozen=True)
class Place:
    """Where rows belong: the deal that the first should be, and the session length."""

    first: int
    session_length: int


@dataclass(frozen=True)
class RowFault:
    """The first row that is wrong, counted from 0, the column, and what is wrong with it."""

    row: int
    column: str
    words: str


@dataclass(frozen=True)
class RowCheck:
    """One check: its key, what it says in English and Chinese, and the function that looks for faults."""

    key: str
    words: tuple[str, str]
    faults: Callable[[Columns, Place], Iterator[RowFault]]


def _first(bad: npt.NDArray[np.bool_]) -> int | None:
    """The first row that is bad, if any is."""
    row = int(bad.argmax())
    return row if bad[row] else None


def _unequal(name: str, values: Values, expected: Values, words: str) -> Iterator[RowFault]:
    """A fault where values are not those expected."""
    if (row := _first(values != expected)) is not None:
        yield RowFault(row, name, f"is {int(values[row])}, but {words} {int(expected[row])}")


def _sum(columns: Columns, names: list[str]) -> Values:
    """The sum of some columns, as 64-bit numbers."""
    total = columns[names[0]].astype(np.int64)
    for name in names[1:]:
        total += columns[name]
    return total


def _limits(columns: Columns, place: Place) -> Iterator[RowFault]:
    for column in COLUMNS:
        if column.limits is not None:
            yield from _outside(column, columns[column.name], column.limits)


def _outside(column: Column, values: Values, limits: tuple[int, int]) -> Iterator[RowFault]:
    low, high = limits
    if int(values.min()) >= low and int(values.max()) <= high:
        return
    row = int(((values < low) | (values > high)).argmax())
    yield RowFault(row, column.name, f"is {int(values[row])}, must be {low} to {high}")


def _contiguity(columns: Columns, place: Place) -> Iterator[RowFault]:
    deals = np.arange(place.first, place.first + len(columns["deal"]))
    yield from _unequal("deal", columns["deal"], deals, "here belongs deal")
    yield from _unequal("session", columns["session"], deals // place.session_length, "the deal is of session")
    yield from _unequal("hand", columns["hand"], deals % place.session_length, "in its session the deal is number")


def _dealers(columns: Columns, place: Place) -> Iterator[RowFault]:
    dealer, begins = columns["dealer"], columns["hand"] == 0
    expected = columns["session"] % SEATS
    follows = ~begins
    follows[0] = False  # what dealt before is in other rows
    expected[1:][follows[1:]] = columns["next_dealer"][:-1][follows[1:]]
    if not begins[0]:
        expected[0] = dealer[0]
    yield from _unequal("dealer", dealer, expected, "by session and deals before the dealer is")


def _zero_sums(columns: Columns, place: Place) -> Iterator[RowFault]:
    for part in ("hand", "liability", "kongs", "fish", "net"):
        total = _sum(columns, [f"{part}_{seat}" for seat in range(SEATS)])
        if (row := _first(total != 0)) is not None:
            yield RowFault(row, f"{part}_0 to {part}_{SEATS - 1}", f"add up to {int(total[row])}, not to 0")


def _net(columns: Columns, place: Place) -> Iterator[RowFault]:
    for seat in range(SEATS):
        parts = _sum(columns, [f"hand_{seat}", f"kongs_{seat}", f"fish_{seat}"])
        yield from _unequal(f"net_{seat}", columns[f"net_{seat}"], parts, "hand + kongs + fish is")


def _flows(columns: Columns, place: Place) -> Iterator[RowFault]:
    for seat in range(SEATS):
        parts = _sum(columns, [f"hand_{seat}", f"kongs_{seat}"])
        flow = np.zeros(len(parts), np.int64)
        for one, other in PAIRS:
            if one == seat:
                flow += columns[f"flow_{one}{other}"]
            elif other == seat:
                flow -= columns[f"flow_{one}{other}"]
        if (row := _first(flow != parts)) is not None:
            names = " and ".join(f"flow_{one}{other}" for one, other in PAIRS if seat in (one, other))
            yield RowFault(row, names, f"give seat {seat} {int(flow[row])}, but hand + kongs is {int(parts[row])}")


def _outcomes(columns: Columns, place: Place) -> Iterator[RowFault]:
    outcome = columns["outcome"]
    drawn, given = outcome == _DRAWN, (outcome != _DRAWN) & (outcome != _SELF_DRAW)
    winners = np.bitwise_count(columns["winners"])
    for name, bad, words in (
        ("winners", (winners == 0) != drawn, "a deal has winners if and only if it is not drawn"),
        ("winners", (winners > 1) & ~given, "there is one winner of a self-draw"),
        ("win_tile", (columns["win_tile"] == NONE) != drawn, "there is a winning tile if and only if somebody wins"),
        ("from_seat", (columns["from_seat"] == NONE) == given, "a seat gives the tile if and only if it is another's"),
    ):
        if (row := _first(bad)) is not None:
            yield RowFault(
                row, name, f"is {int(columns[name][row])} where outcome is {OUTCOMES[outcome[row]]}: {words}"
            )
    for seat in range(SEATS):
        lost = (columns["winners"] >> seat & 1) == 0
        name = f"points_{seat}"
        if (row := _first(lost & (columns[name] != 0))) is not None:
            yield RowFault(row, name, f"is {int(columns[name][row])} where seat {seat} does not win")


def _tiles(columns: Columns, place: Place) -> Iterator[RowFault]:
    undrawn = _sum(columns, [f"rest_{seat}" for seat in range(SEATS)])
    yield from _unequal("left", columns["left"], undrawn, "rest_0 to rest_3 add up to")


CHECKS: Final = (
    RowCheck("limits", ("values within the limits of their columns", "各列数值在范围内"), _limits),
    RowCheck(
        "contiguity", ("deals, sessions and hands count up without a gap", "局号、场号、场内序号连续"), _contiguity
    ),
    RowCheck("dealers", ("dealers follow from deal to deal", "庄家逐局相承"), _dealers),
    RowCheck("outcomes", ("outcome, winners, winning tile and giver agree", "结果、赢家、胡牌与点炮者一致"), _outcomes),
    RowCheck("tiles", ("undrawn tiles by seat add up to those left", "各家余牌合计等于剩余牌数"), _tiles),
    RowCheck(
        "zero_sums", ("hand, liability, kongs, fish, net add up to 0", "胡、包、杠、鱼、净分四家合计为零"), _zero_sums
    ),
    RowCheck("net", ("net is hand + kongs + fish", "净分 = 胡 + 杠 + 鱼"), _net),
    RowCheck("flows", ("flows between seats give hand + kongs", "两家间流水合计等于胡 + 杠"), _flows),
)
