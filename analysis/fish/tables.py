"""Tables of what fish are worth: by their owner's seat, their number and their tile, and measured in two ways."""

from math import sqrt
from typing import Any, Final

import numpy.typing as npt

from analysis.counts.aggregate import SEATS, Aggregate, at, having
from analysis.display.tables import Cell, Column, Row, Table
from analysis.display.text import SEAT_KEYS, SEAT_TERMS, Term
from analysis.estimates.batches import Difference, batch_difference, batch_ratio, batch_share
from analysis.estimates.intervals import Interval, share
from analysis.fish.bets import EVERY_SEAT, Bet, fish_on, one_fish, spread_of, two_fish

#: Tiles that belong to each seat, whatever their suit.
TILES_OF: Final = ("1 5 9 东 中", "2 6 南 发", "3 7 西 白", "4 8 北")

OWNER: Final = Term("owner's seat", "鱼主座位")
ANY_SEAT: Final = Term("any seat", "任一座位")
NUMBERS: Final = (Term("no fish", "不钓鱼"), Term("one fish", "一条鱼"), Term("two fish", "两条鱼"))

VALUE: Final = Term("points a deal", "每局得分")
SPREAD: Final = Term("standard deviation", "标准差")
LOSES: Final = Term("loses points", "输分")
_PER_SPREAD: Final = Term("points per standard deviation", "得分与标准差之比")


def fish_by_seat(found: Aggregate) -> Table:
    """What one fish is worth by its owner's seat, averaged over the eight reserved tiles."""
    rows = [Row(key, label, _risk(one_fish(found, owners))) for key, label, owners in owner_groups()]
    return _by_seat(
        rows,
        Term(
            "What one fish wins its owner, whoever else fishes, averaged over all eight reserved tiles, of which it "
            "could have been any. A fee of as many points makes the fish fair. Standard deviation and chance of loss "
            "are those of one fish in one deal.",
            "一条鱼为鱼主赢得的分，与他家是否钓鱼无关；它可能是八张鱼牌中的任何一张，故取八张的平均。"
            "收取同样多的分即为公平的钓鱼费。标准差与输分机会按一局一条鱼计算。",
        ),
    )


def settled_by_seat(found: Aggregate) -> Table:
    """What one fish was worth by its owner's seat, as fish were settled."""
    rows = []
    for key, label, owners in owner_groups():
        value = batch_ratio(_over(found, "fish_won", owners), _over(found, "taken", owners))
        rows.append(Row(key, label, (value, *_settled_risk(found, 1, owners))))
    return _by_seat(
        rows,
        Term(
            "What a fish won its owner as it was settled, whoever else fished; standard deviation and chance of loss "
            "are those of owners with one fish.",
            "按实际结算，一条鱼为鱼主赢得的分，与他家是否钓鱼无关；标准差与输分机会取只有一条鱼的鱼主。",
        ),
    )


def _by_seat(rows: list[Row], note: Term) -> Table:
    return Table(
        "fish_by_seat",
        Term("What a fish is worth, by its owner's seat", "鱼的价值（按鱼主座位）"),
        OWNER,
        (
            Column("value", Term("points per fish = fair fee", "每条鱼得分＝公平费"), "mean"),
            Column("sd", SPREAD, "length"),
            Column("loses", LOSES, "share"),
        ),
        tuple(rows),
        note,
    )


def fish_by_number(found: Aggregate) -> Table:
    """No fish, one or two: what they win an owner, and at what risk."""
    rows = [
        Row(str(number), NUMBERS[number], (*_risk(bet), bet.value_per_spread))
        for number, bet in ((1, one_fish(found)), (2, two_fish(found)))
    ]
    return _by_number(
        rows,
        Term(
            "What all fish of one owner, at any seat, win him in a deal: one on each of the eight reserved tiles, two "
            "on each of their 28 pairs. Two fish win or lose twice as much on average; the last column is what is "
            "won for one point of standard deviation.",
            "一位鱼主（任一座位）的全部鱼每局所得：一条鱼取八张鱼牌的平均，两条鱼取 28 对的平均。"
            "两条鱼的平均得分是一条的两倍；末列为每一分标准差换来的得分。",
        ),
    )


def settled_by_number(found: Aggregate) -> Table:
    """No fish, one or two, as they were settled."""
    rows = []
    for number in (1, 2):
        owners, won = found.sums[f"owners_{number}"], found.sums[f"won_with_{number}"]
        if owners.any():
            risk = _settled_risk(found, number, EVERY_SEAT)
            rows.append(Row(str(number), NUMBERS[number], (batch_ratio(won, owners), *risk, None)))
    return _by_number(
        rows,
        Term(
            "What all fish of one owner won him in a deal, as they were settled.",
            "按实际结算，一位鱼主的全部鱼每局所得。",
        ),
    )


def _by_number(rows: list[Row], note: Term) -> Table:
    return Table(
        "fish_by_number",
        Term("No fish, one or two", "不钓鱼、一条鱼还是两条鱼"),
        Term("fish of one owner", "每家鱼数"),
        (
            Column("value", VALUE, "mean"),
            Column("sd", SPREAD, "length"),
            Column("loses", LOSES, "share"),
            Column("value_per_sd", _PER_SPREAD, "plus_minus"),
        ),
        (Row("0", NUMBERS[0], (0, 0, 0, None)), *rows),
        note,
    )


def fish_by_tile(found: Aggregate) -> Table:
    """What a fish is worth by the seat that its tile belongs to, for owners at each seat."""
    rows = []
    for seat in range(SEATS):
        label = in_one(f"{TILES_OF[seat]} → {SEAT_TERMS[seat].both('en')}")
        cells = (*(fish_on(found, seat, [owner]) for owner in range(SEATS)), fish_on(found, seat))
        rows.append(Row(SEAT_KEYS[seat], label, cells))
    return Table(
        "fish_by_tile",
        Term("What a fish is worth, by its tile", "鱼的价值（按鱼牌）"),
        Term("tile and the seat it belongs to", "鱼牌所属座位"),
        tuple(Column(key, label, "plus_minus") for key, label, _ in owner_groups()),
        tuple(rows),
        Term(
            "Points per fish for owners at each seat; ranks count in all three suits. A fish on one's own seat doubles "
            "one's own result; on another's it repeats what that seat wins from, or loses to, the two others.",
            "各座位鱼主每条鱼的得分；数字牌三门通算。鱼在自家，本家输赢加倍；鱼在他家，随该家与另外两家的输赢。",
        ),
    )


def estimators(found: Aggregate) -> Table:
    """Fish as they were settled, beside the average over the eight reserved tiles."""
    rows = []
    for key, label, owners in owner_groups():
        difference = per_fish(found, owners)
        if difference is not None:
            settled = batch_ratio(_over(found, "fish_won", owners), _over(found, "taken", owners))
            rows.append(_estimator_row(key, label, settled, one_fish(found, owners), difference))
    for number, bet in ((1, one_fish(found)), (2, two_fish(found))):
        won, number_of = found.sums[f"won_with_{number}"], found.sums[f"owners_{number}"]
        difference = batch_difference(won, number_of, bet.points, bet.ways)
        if difference is not None:
            label = Term(f"all fish of owners with {number}", f"{NUMBERS[number].zh}合计")
            rows.append(_estimator_row(f"with_{number}", label, batch_ratio(won, number_of), bet, difference))
    return Table(
        "fish_estimators",
        Term("Two ways to measure what a fish is worth", "鱼的价值的两种估计"),
        OWNER,
        (
            Column("settled", Term("as settled", "按结算"), "plus_minus"),
            Column("averaged", Term("averaged over eight tiles", "八张平均"), "plus_minus"),
            Column("difference", Term("difference on the same deals", "同局之差"), "plus_minus"),
            Column("z", Term("difference in standard errors", "差与标准误之比"), "deviation"),
            Column("gain", Term("times as many deals needed as settled", "按结算所需局数之倍数"), "number"),
        ),
        tuple(rows),
        Term(
            "Both estimate the same points: a fish could have been any of the eight reserved tiles, and averaging over "
            "them takes out the luck of the labels. The difference is paired on the same deals; the last column is the "
            "ratio of the variances, near 1 over all seats together where they took all eight tiles. Where only some "
            "players take fish, their deals alone are settled, and the two agree only as far as all play alike.",
            "两者估计同一得分：一条鱼可能是八张鱼牌中的任何一张，取平均即去掉抽签的运气。差按同局配对；"
            "末列为方差之比；八张全被取走时，四家合计接近 1。"
            "若只有部分玩家钓鱼，结算只含他们，须各家打法相同两者才一致。",
        ),
    )


def per_fish(found: Aggregate, owners: tuple[int, ...] = EVERY_SEAT) -> Difference | None:
    """Points per fish as settled less those averaged over the eight tiles, on the same deals; None without fish."""
    bet = one_fish(found, owners)
    return batch_difference(_over(found, "fish_won", owners), _over(found, "taken", owners), bet.points, bet.ways)


def owner_groups() -> list[tuple[str, Term, tuple[int, ...]]]:
    """Each seat from the dealer, then all: key, label, seats."""
    each = [(SEAT_KEYS[seat], SEAT_TERMS[seat], (seat,)) for seat in range(SEATS)]
    return [*each, ("all", ANY_SEAT, EVERY_SEAT)]


def who(seat: Term) -> str:
    """A seat as a person."""
    return "the dealer" if seat == SEAT_TERMS[0] else f"the {seat.en} seat"


def in_one(text: str) -> Term:
    """A label that names things in both languages at once."""
    return Term(text, text)


def _over(found: Aggregate, name: str, owners: tuple[int, ...]) -> npt.NDArray[Any]:
    """Sum of a measure over some owners, in each batch."""
    return found.over(at(name, owner) for owner in owners)


def _risk(bet: Bet) -> tuple[Cell, Cell, Cell]:
    """Expected value, spread and chance of loss of a bet."""
    return bet.value, bet.spread, bet.loses


def _settled_risk(found: Aggregate, number: int, owners: tuple[int, ...]) -> tuple[Cell, Cell]:
    """Spread and chance of loss of owners with so many fish, as they were settled."""
    took = found["own_fish"].where(having(1, number)).where(lambda key: key[0] in owners)
    if not (n := took.total()):
        return None, None
    if len(owners) == 1:
        return spread_of(took, _won), share(took.total(lambda key: key[2] < 0), n)
    # Owners of one deal hang together, which a histogram does not show.
    lost = batch_share(found.sums[f"lost_with_{number}"], found.sums[f"owners_{number}"])
    return took.sums(_won).spread(), lost


def _won(key: tuple[int, ...]) -> int:
    """Points won, from a key of ``own_fish``."""
    return key[2]


def _estimator_row(key: str, label: Term, settled: Interval | None, bet: Bet, difference: Difference) -> Row:
    """Both estimates, their difference, and how many times the averaged one's variance the settled one has."""
    averaged, z, gain = bet.value, None, None
    if difference.paired:
        z = difference.interval.estimate / sqrt(difference.paired)
    if settled is not None and averaged is not None and None not in (settled.high, averaged.high):
        halves = [(each.high or 0.0) - each.estimate for each in (settled, averaged)]
        gain = (halves[0] / halves[1]) ** 2 if halves[1] else None
    return Row(key, label, (settled, averaged, difference.interval, z, gain))
