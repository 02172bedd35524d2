"""Self-checks that fishing allows: whom the reserved tiles belong to, and that both ways to value a fish agree."""

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from scipy.special import chdtrc, ndtri

from analysis.checks.expectations import Expectation
from analysis.counts.aggregate import SEATS, Aggregate, at
from analysis.counts.counting import counted
from analysis.counts.measures import LABELS
from analysis.display.tables import Column, Row, Table
from analysis.display.text import SEAT_KEYS, SEAT_TERMS, Term, fixed
from analysis.estimates.batches import batch_share
from analysis.estimates.intervals import Interval
from analysis.fish.bets import exchangeable, taken_alike
from analysis.fish.tables import TILES_OF, in_one, per_fish, who
from mjsim.tiles import KINDS, SEAT_OFFSETS

#: The chance that a random tile belongs to each seat from the dealer: 11/34, 8/34, 8/34, 7/34.
SEAT_WEIGHTS: Final = tuple(Fraction(SEAT_OFFSETS.count(seat), KINDS) for seat in range(SEATS))

#: How much less eight of 136 tiles scatter than eight tiles drawn with replacement.
_FEWER: Final = (4 * KINDS - LABELS) / (4 * KINDS - 1)


def checks(deals: Any, ruleset: Mapping[str, Any] | None = None) -> tuple[Expectation, ...]:
    """Self-checks: the reserved tiles belong to seats as all tiles do, and both estimators of a fish's value agree.

    Parameters
    ----------
    deals : Aggregate or frame
        As `analysis.counts.counting.counted` takes them.
    ruleset : mapping, optional
        As in `analysis.fish.fishing.tables`.

    Returns
    -------
    tuple of Expectation
        Empty without fishing. The estimators are compared where every seat took as many fish.
    """
    found = counted(deals)
    if not (fished := found.total("fished")):
        return ()
    listed = [_weight(found, seat) for seat in range(SEATS)]
    # Eight tiles out of 136 scatter less than eight throws of dice would.
    expected = [float(LABELS * fished * weight) for weight in SEAT_WEIGHTS]
    lying = [found.total(at("lying", seat)) for seat in range(SEATS)]
    statistic = sum((seen - mean) ** 2 / mean for seen, mean in zip(lying, expected, strict=True)) / _FEWER
    z = -float(ndtri(chdtrc(SEATS - 1, statistic)))
    chi_square = Interval(statistic, None, None, "chi_square")
    term = Term("chi-square of the four seats, 3 degrees of freedom", "四座位的卡方值（自由度 3）")
    listed.append(Expectation("lying_chi_square", term, Fraction(SEATS - 1), chi_square, z, min(expected)))
    difference = per_fish(found) if exchangeable(found, ruleset) and taken_alike(found) else None
    if difference is not None and difference.paired:
        term = Term("points per fish as settled less averaged over eight tiles", "每条鱼得分：按结算减八张平均")
        found_z = difference.interval.estimate / sqrt(difference.paired)
        listed.append(Expectation("fish_estimators", term, Fraction(0), difference.interval, found_z, fished))
    return tuple(listed)


def _weight(found: Aggregate, seat: int) -> Expectation:
    """The share of reserved tiles that belong to a seat."""
    weight, tiles = SEAT_WEIGHTS[seat], LABELS * found.sums["fished"]
    measured = batch_share(found.sums[at("lying", seat)], tiles)
    assert measured is not None
    error = sqrt(weight * (1 - weight) / int(tiles.sum()) * _FEWER)
    term = Term(f"reserved tiles that belong to {who(SEAT_TERMS[seat])}", f"属于{SEAT_TERMS[seat].zh}的鱼牌")
    z = (measured.estimate - float(weight)) / error
    return Expectation(at("lying", seat), term, weight, measured, z, float(weight * int(tiles.sum())))


def weights(found: Aggregate) -> Table:
    """The seats that the reserved tiles belong to, beside those of all tiles: a check of the simulation."""
    listed = {each.key: each for each in checks(found)}
    rows = []
    for seat in range(SEATS):
        each = listed[at("lying", seat)]
        label = in_one(f"{TILES_OF[seat]} → {SEAT_TERMS[seat].both('en')}")
        rows.append(Row(SEAT_KEYS[seat], label, (float(each.expected), each.measured, each.z)))
    statistic = listed["lying_chi_square"]
    value = fixed(statistic.measured.estimate, 2)
    return Table(
        "fish_weights",
        Term("Which seat the reserved tiles belong to", "鱼牌属于哪家"),
        Term("seat and its tiles", "座位与所属之牌"),
        (
            Column("expected", Term("of all tiles", "占所有牌"), "chance"),
            Column("measured", Term("of the reserved tiles", "占鱼牌"), "share"),
            Column("z", Term("difference in standard errors", "差与标准误之比"), "deviation"),
        ),
        tuple(rows),
        Term(
            f"A check of the simulation: 11, 8, 8 and 7 of the 34 kinds. Over the four seats chi-square is {value}, "
            "with 3 degrees of freedom.",
            f"对模拟的检验：34 种牌中各有 11、8、8、7 种。四家合计卡方值 {value}，自由度 3。",
        ),
    )
