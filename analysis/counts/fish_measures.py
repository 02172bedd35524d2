"""What is counted of fish: as they were settled, and as the eight reserved tiles would have settled them on average.

What a fish wins its owner depends only on the seat it is bound to: *gain* is that number of points, by the owner's and
the bound seat, from the transfers of the deal (rules.md A, Fishing). A deal's live tiles do not say which label lies on
which of the eight reserved tiles, so any of them could have been any fish: averaging over all eight, or over their 28
pairs, leaves the expected value as it is and takes the luck of the labels out of it.
"""

from typing import Final

import numpy as np

from analysis.counts.measures import LABELS, SEATS, Column, Columns, at, by_seat, small, total
from mjsim.dataset.columns import PAIRS

#: Pairs that can be made of eight tiles.
TWO_OF_EIGHT: Final = LABELS * (LABELS - 1) // 2


def gains(deals: Columns) -> Columns:
    """``gain_<owner><seat>``: what a fish bound to a seat wins its owner."""
    found: Columns = {}
    for seat in range(SEATS):
        won = {other: _flow(deals, seat, other) for other in range(SEATS) if other != seat}
        for owner in range(SEATS):
            found[f"gain_{owner}{seat}"] = total(each for other, each in won.items() if other != owner)
    return found


def settled(deals: Columns) -> Columns:
    """What fish won as they lay, by owner and by the number he took.

    ``fish_won_<owner>`` is what a seat's own fish won it, ``fish_due_<seat>`` what all fish must have brought it.
    """
    found: Columns = {}
    for owner in range(SEATS):
        found[at("fish_won", owner)] = total(
            deals[f"bound_{owner}{seat}"] * deals[f"gain_{owner}{seat}"] for seat in range(SEATS)
        )
    on_seat = [total(deals[f"bound_{owner}{seat}"] for owner in range(SEATS)) for seat in range(SEATS)]
    for seat in range(SEATS):
        # The others' fish cost a seat what their targets won from it.
        cost = total(
            (on_seat[target] - deals[f"bound_{seat}{target}"]) * _flow(deals, target, seat)
            for target in range(SEATS)
            if target != seat
        )
        found[at("fish_due", seat)] = found[at("fish_won", seat)] - cost
    points, taken = by_seat(found, "fish_won"), by_seat(deals, "taken")
    for number in (1, 2):
        took = [small(each == number) for each in taken]
        found[f"owners_{number}"] = total(took)
        found[f"won_with_{number}"] = total(one * each for one, each in zip(took, points, strict=True))
        found[f"lost_with_{number}"] = total(one & small(each < 0) for one, each in zip(took, points, strict=True))
    return found


def averaged(deals: Columns) -> Columns:
    """What one fish on each of the eight tiles, and two on each of their pairs, would win every seat as its owner.

    ``eight_<owner><seat>`` are the points of the tiles on a seat, whose sum over the seats is ``eight_<owner>``: eight
    times what one fish wins on average. ``eight_squared`` is the square of that sum, ``squares`` the sum of the eight
    squares, all in 64 bits; ``losing`` and ``losing_pairs`` count the tiles, and the pairs of them, that lose points.
    """
    found: Columns = {}
    lying = by_seat(deals, "lying")
    pairs = _pairs(lying)
    for owner in range(SEATS):
        gain = [deals[f"gain_{owner}{seat}"] for seat in range(SEATS)]
        points = [tiles * each.astype(np.int64) for tiles, each in zip(lying, gain, strict=True)]
        found |= {f"eight_{owner}{seat}": each for seat, each in enumerate(points)}
        found[at("eight", owner)] = eight = total(points)
        found[at("eight_squared", owner)] = eight * eight
        found[at("squares", owner)] = total(each * one for each, one in zip(points, gain, strict=True))
        loses = {(seat, seat): small(each < 0) for seat, each in enumerate(gain)}
        # The sum of two gains might not fit their type.
        loses |= {(one, other): small(gain[one] < -gain[other]) for one, other in PAIRS}
        found[at("losing", owner)] = total(lying[seat] * loses[seat, seat] for seat in range(SEATS))
        found[at("losing_pairs", owner)] = total(pairs[seats] * loses[seats] for seats in pairs)
    return found


def _pairs(lying: list[Column]) -> dict[tuple[int, int], Column]:
    """How many pairs of tiles lie on two seats, one on each, or both on one."""
    both = {(seat, seat): tiles * (tiles - small(tiles > 0)) // 2 for seat, tiles in enumerate(lying)}
    return both | {(one, other): lying[one] * lying[other] for one, other in PAIRS}


#: What measures are made by, one after the other; and what nothing else is made of.
STAGES: Final = (gains, settled)
LAST: Final = (averaged,)


def _flow(deals: Columns, winner: int, loser: int) -> Column:
    """Points that one seat won from another by hands and kongs."""
    if (winner, loser) in PAIRS:
        return deals[f"flow_{winner}{loser}"]
    return -deals[f"flow_{loser}{winner}"]


#: Names of the measures that are summed.
SUMMED: Final = (
    "fished",
    *(at(name, seat) for name in ("lying", "taken", "fish_won") for seat in range(SEATS)),
    *(f"{name}_{number}" for name in ("owners", "won_with", "lost_with") for number in (1, 2)),
    *(f"eight_{owner}{seat}" for owner in range(SEATS) for seat in range(SEATS)),
    *(
        at(name, seat)
        for name in ("eight", "eight_squared", "squares", "losing", "losing_pairs")
        for seat in range(SEATS)
    ),
)
