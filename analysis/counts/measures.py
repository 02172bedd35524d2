"""What is counted of a deal, column by column.

A *measure* is a whole number per deal whose sums the tables are made of. Seats are counted from the dealer here. A
function takes the columns so far, of `analysis.counts.from_dealer` and of other measures, and returns more. A measure
of few values keeps the small type of its columns, which holds it (no deal has more than 16 kongs or 28 pairs of
labels); points stay within the 32 bits of the recorded columns unless said otherwise.
"""

import operator
from collections.abc import Iterable
from functools import reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mjsim.dataset.columns import OUTCOMES

SEATS: Final = 4
LABELS: Final = 8

#: Seats counted from the dealer, as they stand at the end of a measure's name.
SEAT_KEYS: Final = ("dealer", "next", "opposite", "previous")

#: A seat's points in a deal: by hands, of which liability moved some, by kongs and by fish; and in all.
PARTS: Final = ("hand", "liability", "kongs", "fish", "net")

#: Kinds of kongs, as in the columns' names.
KONGS: Final = ("direct", "added", "concealed")

#: What must hold in every deal; the measures ``failed_…`` count where it does not.
CHECKS: Final = ("zero_sum", "parts", "winners", "fish")

#: Results of a seat, as the key of the ``start`` histogram counts them.
RESULTS: Final = ("won", "dealt_in", "other_won", "drawn")

Column = npt.NDArray[Any]
Columns = dict[str, Column]


def at(name: str, seat: int) -> str:
    """The name of a measure of one seat, counted from the dealer.

    >>> at("net", 1)
    'net_next'
    """
    return f"{name}_{SEAT_KEYS[seat]}"


def of_the_deal(deals: Columns) -> Columns:
    """Measures of the deal as a whole."""
    found = {
        "wins": total(small(each) for each in by_seat(deals, "won")),
        **{f"kongs_{kind}": total(by_seat(deals, f"kongs_{kind}")) for kind in KONGS},
        "linked": deals["links"] != 0,
        "moved": total(np.maximum(each, 0) for each in by_seat(deals, "liability")),
        "points_moved": total(np.maximum(each, 0).astype(np.int64) for each in by_seat(deals, "net")),
        "blocked": total(each.astype(np.int16) for each in by_seat(deals, "blocked")),
        "horses": total(small(deals[f"horse_tile_{number}"] >= 0) for number in range(1, SEATS + 1)),
    }
    return found | {
        "two_winners": found["wins"] == 2,
        "three_winners": found["wins"] == 3,
        **{f"with_{kind}": found[f"kongs_{kind}"] > 0 for kind in KONGS},
        "with_kong": total(found[f"kongs_{kind}"] for kind in KONGS) > 0,
        "with_liability": found["moved"] > 0,
        "with_blocked": found["blocked"] > 0,
        "with_horses": found["horses"] > 0,
    }


def of_the_seats(deals: Columns) -> Columns:
    """Measures of each seat; ``result`` is an index into `RESULTS`."""
    found: Columns = {}
    played = small(~deals["drawn"])
    for seat in range(SEATS):
        won, gave = deals[at("won", seat)], deals[at("gave", seat)]
        found[at("won_self_draw", seat)] = won & deals["self_draw"]
        found[at("dealt_in", seat)] = gave & deals["discard"]
        found[at("was_robbed", seat)] = gave & deals["rob_kong"]
        found[at("ready", seat)] = deals[at("ready_draw", seat)] >= 0
        found[at("result", seat)] = small(~won) * (3 - played - (small(gave) & played))
    return found


def squared(deals: Columns) -> Columns:
    """The squares, in 64 bits, of each seat's points in all, and of those by hands and kongs: without fish."""
    found: Columns = {}
    for seat in range(SEATS):
        net, hand, kongs = (deals[at(name, seat)].astype(np.int64) for name in ("net", "hand", "kongs"))
        found[at("net_squared", seat)] = np.square(net)
        found[at("plain_squared", seat)] = np.square(hand + kongs)
    return found


def of_the_checks(deals: Columns) -> Columns:
    """1 for each check of `CHECKS` that a deal failed."""
    net = by_seat(deals, "net")
    parts = [total(deals[at(name, seat)] for name in ("hand", "kongs", "fish")) for seat in range(SEATS)]
    settled = zip(by_seat(deals, "fish"), by_seat(deals, "fish_due"), strict=True)
    return {
        # Four numbers of 32 bits could pass over the limit and come back to 0.
        "failed_zero_sum": total(each.astype(np.int64) for each in net) != 0,
        "failed_parts": _any(each != parts[seat] for seat, each in enumerate(net)),
        "failed_winners": (deals["winners"] == 0) != deals["drawn"],
        "failed_fish": _any(paid != due for paid, due in settled),
    }


def no_fish(deals: Columns) -> Columns:
    """The points that fish must come to where none were taken."""
    nothing = np.zeros(len(deals["deal"]), np.int32)
    return {at("fish_due", seat): nothing for seat in range(SEATS)}


def by_seat(deals: Columns, name: str) -> list[Column]:
    """A measure of each seat from the dealer on."""
    return [deals[at(name, seat)] for seat in range(SEATS)]


def total(terms: Iterable[Column]) -> Column:
    """The sum of some columns, in their own type."""
    return reduce(operator.add, terms)


def small(truth: Column) -> Column:
    """1 where something holds, in a type that does not widen a product."""
    return truth.view(np.uint8)


def _any(terms: Iterable[Column]) -> Column:
    return reduce(operator.or_, terms)


#: Names of the measures that are summed, beside those of the fish.
SUMMED: Final = (
    *OUTCOMES,
    *("wins", "two_winners", "three_winners"),
    *(f"{name}_{kind}" for name in ("kongs", "with") for kind in KONGS),
    *(
        "with_kong",
        "points_moved",
        "linked",
        "moved",
        "with_liability",
        "blocked",
        "with_blocked",
        "horses",
        "with_horses",
    ),
    *(f"failed_{check}" for check in CHECKS),
    *("draws", "robbed", "horse_hits"),
    *(f"net_seat_{seat}" for seat in range(SEATS)),
    *(
        at(name, seat)
        for name in (
            *(*PARTS, "net_squared", "plain_squared"),
            *("won", "won_self_draw", "dealt_in", "was_robbed", "ready", "start_shanten"),
        )
        for seat in range(SEATS)
    ),
)
