"""What fishing does to the ups and downs of a seat: over sessions, or deal by deal where a session is one deal."""

from typing import Final

from analysis.counts.aggregate import SEATS, Aggregate, Histogram, Key
from analysis.counts.measures import at
from analysis.counts.paths import WITH_FISH, WITHOUT_FISH
from analysis.display.tables import Column, Row, Table
from analysis.display.text import SEAT_KEYS, SEAT_TERMS, Term
from analysis.estimates.intervals import share
from analysis.fish.bets import spread_of, spread_of_sums

#: The purse of the table's chance of ruin empties, without fish, in at most this share of a first dealer's sessions.
RUIN: Final = 0.05

_FISH: Final = (
    (WITHOUT_FISH, "without", Term("without fish", "不计鱼")),
    (WITH_FISH, "with", Term("with fish", "计鱼")),
)


def swings(found: Aggregate, purse: int | None = None) -> Table:
    """Each seat's points with and without fish: over whole sessions if they have several deals, else per deal.

    Parameters
    ----------
    found : Aggregate
        The deals.
    purse : int, optional
        Points with which a seat sits down; it is ruined when they are gone. Unless given, as many as the first dealer
        without fish loses at some time of at most one session in twenty.
    """
    return over_sessions(found, purse) if found["session_net"].counts else per_deal(found)


def over_sessions(found: Aggregate, purse: int | None = None) -> Table:
    """Points at the end of a session, the worst low point, and the chance of ruin, with and without fish."""
    purse = purse_for(found) if purse is None else purse
    rows = []
    for seat in range(SEATS):
        for fish, key, label in _FISH:
            net, low = (_path(found, f"session_{what}", seat, fish) for what in ("net", "low"))
            ruined = sum(count for (lowest,), count in low.counts.items() if lowest <= -purse)
            cells = (spread_of(net, _points), min(low.by(_points)), share(ruined, low.total()))
            rows.append(Row(f"{SEAT_KEYS[seat]}_{key}", _label(seat, label), cells))
    return Table(
        "fish_sessions",
        Term("A session's ups and downs, with and without fish", "一场的起伏：计鱼与不计鱼"),
        Term("seat from the first dealer", "座位（自首庄起）"),
        (
            Column("sd", Term("standard deviation at the end", "终局标准差"), "length"),
            Column("lowest", Term("lowest point of all sessions", "各场最低点"), "count"),
            Column("ruin", Term(f"falls by {purse} points", f"曾输到 {purse} 分"), "share"),
        ),
        tuple(rows),
        Term(
            f"The same sessions, with fish and as they would stand without them. A purse of {purse} points is gone "
            "when a seat has lost as many at any time of a session.",
            f"同样的各场，计鱼与不计鱼。一场中任何时候累计输到 {purse} 分，即输光 {purse} 分的本钱。",
        ),
    )


def purse_for(found: Aggregate, ruin: float = RUIN) -> int:
    """The smallest purse that the first dealer without fish empties in at most this share of sessions."""
    first = _path(found, "session_low", 0, WITHOUT_FISH)
    sessions, reached = first.total(), 0
    for low, count in first.by(_points).items():
        reached += count
        if reached > ruin * sessions:
            return 1 - low
    return 1


def per_deal(found: Aggregate) -> Table:
    """Standard deviation of each seat's points in a deal, with and without fish."""
    rows = []
    for seat in range(SEATS):
        for column, key, label in _FISH:
            points, squares = found.sums[at("net", seat)], found.sums[at("net_squared", seat)]
            if column == WITHOUT_FISH:
                points = found.over(at(part, seat) for part in ("hand", "kongs"))
                squares = found.sums[at("plain_squared", seat)]
            spread = spread_of_sums(points, squares, found.sums["deals"])
            rows.append(Row(f"{SEAT_KEYS[seat]}_{key}", _label(seat, label), (spread,)))
    return Table(
        "fish_spread",
        Term("A deal's ups and downs, with and without fish", "一局的起伏：计鱼与不计鱼"),
        Term("seat from the dealer", "座位"),
        (Column("sd", Term("standard deviation of points a deal", "每局得分的标准差"), "length"),),
        tuple(rows),
        Term(
            "The same deals, with all fish and as they would stand without them. Play deals in sessions to see the "
            "lowest points and the chance of ruin.",
            "同样的各局，计鱼与不计鱼。要看一场的最低点与输光的机会，请按场模拟。",
        ),
    )


def _label(seat: int, fish: Term) -> Term:
    return Term(f"{SEAT_TERMS[seat].en}, {fish.en}", f"{SEAT_TERMS[seat].zh}，{fish.zh}")


def _path(found: Aggregate, name: str, seat: int, fish: int) -> Histogram:
    """One of the histograms of whole sessions, for one seat, with fish or without: by points."""
    return Histogram({key[2:]: count for key, count in found[name].counts.items() if key[:2] == (seat, fish)})


def _points(key: Key) -> int:
    return key[0]
