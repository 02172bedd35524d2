"""How likely a hand is to win, as a table: by route, distance, own draws left and live effective tiles.

The table is worked out from the rates in `mjsim.players.value.constants` by a recursion over the rounds that are left
(docs/players.md, "Chances"). Everything is an integer: probabilities are worked out in 2^20ths and kept in 2^15ths.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from mjsim.players.value.constants import RATES
from mjsim.players.value.weights import BETTER

#: Ways to win. The first two are any four sets and a pair: without claims, and with them.
CONCEALED_ROUTE: Final = 0
OPEN_ROUTE: Final = 1
PUNGS_ROUTE: Final = 2
FLUSH_ROUTE: Final = 3
PAIRS_ROUTE: Final = 4
ROUTES: Final = ("concealed", "open", "pungs", "flush", "pairs")

#: Whether chows are allowed and whether an ordinary hand wins on a discard: 2·chow + ordinary discard.
FAMILIES: Final = ("no_chow", "no_chow_discard", "chow", "chow_discard")

DISTANCES: Final = 8
DRAWS: Final = 22
#: Shares of effective tiles, in 256ths of the unseen tiles, at which the table has entries.
KNOTS: Final = (0, 8, 16, 32, 64, 128, 256)

_BITS: Final = 20
_ONE: Final = 1 << _BITS
_PARTS: Final = 10_000
_MOST: Final = _ONE * 9 // 10
_STORED_BITS: Final = 15

_Chances = npt.NDArray[np.int64]


def chances() -> npt.NDArray[np.uint32]:
    """Chances to win by self-draw and on a discard.

    Returns
    -------
    numpy.ndarray of uint32, shape (family, route, distance, draws, knot)
        In 2^15ths: by self-draw in the low half, on a discard in the high half.
    """
    table = np.zeros((len(FAMILIES), len(ROUTES), DISTANCES, DRAWS, len(KNOTS), 2), np.int64)
    for family, name in enumerate(FAMILIES):
        rates = RATES[name]
        ended = [_scaled(each) for each in rates["rounds"]["ended"]]
        for route, route_name in enumerate(ROUTES):
            _fill(table[family, route], ended, rates[route_name], BETTER[route])
    stored = table >> _BITS - _STORED_BITS
    return (stored[..., 0] | stored[..., 1] << 16).astype(np.uint32)


def _scaled(parts: int) -> int:
    """Ten-thousandths as 2^20ths."""
    return parts * _ONE // _PARTS


def _fill(table: _Chances, ended: Sequence[int], rates: dict[str, list[int]], better: int) -> None:
    """The chances of one route, by distance and draws, in place."""
    for distance in range(1, DISTANCES):
        usual = rates["share"][distance]
        claimed = [min(knot * rates["claims"][distance] * _ONE // (256 * _PARTS), _MOST) for knot in KNOTS]
        drawn = [knot * _ONE // 256 for knot in KNOTS]
        # While it waits, a hand with fewer effective tiles than usual gets better.
        later = [knot * _PARTS + max(usual - knot * _PARTS // 256, 0) * 256 * better // _PARTS for knot in KNOTS]
        for draws in range(DRAWS):
            for knot in range(len(KNOTS)):
                for mode in range(2):
                    by_claim = by_draw = waiting = 0
                    if distance == 1:
                        by_claim = _ONE * mode
                        by_draw = _ONE * (1 - mode)
                    else:
                        nearer = rates["share"][distance - 1] * 256
                        by_claim = _between(table[distance - 1, draws], nearer, mode)
                        if draws:
                            by_draw = _between(table[distance - 1, draws - 1], nearer, mode)
                    if draws:
                        waiting = _between(table[distance, draws - 1], later[knot], mode)
                        waiting = (drawn[knot] * by_draw >> _BITS) + ((_ONE - drawn[knot]) * waiting >> _BITS)
                    chance = (claimed[knot] * by_claim >> _BITS) + ((_ONE - claimed[knot]) * waiting >> _BITS)
                    table[distance, draws, knot, mode] = (_ONE - ended[draws]) * chance >> _BITS


def _between(chances: _Chances, share: int, mode: int) -> int:
    """The chance at a share of effective tiles given in 256ths of ten-thousandths, on the line between two knots."""
    upper = 1
    while upper < len(KNOTS) - 1 and share >= KNOTS[upper] * _PARTS:
        upper += 1
    low, high = KNOTS[upper - 1] * _PARTS, KNOTS[upper] * _PARTS
    first, second = int(chances[upper - 1, mode]), int(chances[upper, mode])
    return first + (second - first) * (min(share, high) - low) // (high - low)


#: `chances` in one row.
CHANCES: Final = chances().reshape(-1)
#: What a step of each index is in it.
DRAWS_STEP: Final = len(KNOTS)
DISTANCE_STEP: Final = DRAWS * DRAWS_STEP
ROUTE_STEP: Final = DISTANCES * DISTANCE_STEP
FAMILY_STEP: Final = len(ROUTES) * ROUTE_STEP
