"""How likely a hand is to win, as a table: by route, distance, own draws left and live effective tiles.

The table is worked out from the rates in `mjsim.players.value.constants` by a recursion over the rounds that are left
(docs/players.md, "Chances"). Everything is an integer: probabilities are worked out in 2^20ths and kept in 2^15ths.
"""

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

_KNOTS: Final = np.array(KNOTS, np.int64)
_Integers = npt.NDArray[np.int64]


def chances() -> npt.NDArray[np.uint32]:
    """Chances to win by self-draw and on a discard.

    Returns
    -------
    numpy.ndarray of uint32, shape (family, route, distance, draws, knot)
        In 2^15ths: by self-draw in the low half, on a discard in the high half.
    """
    table = np.zeros((DISTANCES, DRAWS, len(FAMILIES), len(ROUTES), len(KNOTS), 2), np.int64)
    for distance in range(1, DISTANCES):
        _fill(table, distance)
    stored = np.moveaxis(table >> _BITS - _STORED_BITS, (0, 1), (2, 3))
    return (stored[..., 0] | stored[..., 1] << 16).astype(np.uint32)


def _fill(table: _Integers, distance: int) -> None:
    """The chances at one distance, round by round, for all families, routes and knots at once, in place."""
    claims, usual = _rates("claims", distance), _rates("share", distance)
    claimed = np.minimum(_KNOTS * claims * _ONE // (256 * _PARTS), _MOST)[..., None]
    drawn = (_KNOTS * _ONE // 256)[:, None]
    # While it waits, a hand with fewer effective tiles than usual gets better.
    better = np.array(BETTER, np.int64)[:, None]
    later = _Line(_KNOTS * _PARTS + np.maximum(usual - _KNOTS * _PARTS // 256, 0) * 256 * better // _PARTS)
    nearer = _Line(_rates("share", distance - 1) * 256)
    ended = np.array([RATES[name]["rounds"]["ended"] for name in FAMILIES], np.int64) * _ONE // _PARTS
    won = np.array([_ONE, 0]), np.array([0, _ONE])  # by self-draw, and on a discard
    for draws in range(DRAWS):
        by_draw, by_claim = won if distance == 1 else (np.zeros(2, np.int64), nearer.at(table[distance - 1, draws]))
        waiting = np.zeros_like(table[distance, draws])
        if draws:
            if distance > 1:
                by_draw = nearer.at(table[distance - 1, draws - 1])
            waiting = later.at(table[distance, draws - 1])
            waiting = (drawn * by_draw >> _BITS) + ((_ONE - drawn) * waiting >> _BITS)
        chance = (claimed * by_claim >> _BITS) + ((_ONE - claimed) * waiting >> _BITS)
        table[distance, draws] = (_ONE - ended[:, draws, None, None, None]) * chance >> _BITS


def _rates(name: str, distance: int) -> _Integers:
    """Rates at a distance, in ten-thousandths, by family and route; the last axis is for the knots."""
    return np.array([[RATES[family][route][name][distance] for route in ROUTES] for family in FAMILIES])[..., None]


class _Line:
    """Reads chances at shares of effective tiles, in 256ths of ten-thousandths, on the line between two knots."""

    def __init__(self, shares: _Integers) -> None:
        upper = np.searchsorted(_KNOTS[1:-1] * _PARTS, shares, side="right") + 1
        low, high = _KNOTS[upper - 1] * _PARTS, _KNOTS[upper] * _PARTS
        self._upper = upper[..., None]
        self._part = (np.minimum(shares, high) - low)[..., None]
        self._whole = (high - low)[..., None]

    def at(self, chances: _Integers) -> _Integers:
        """The chances, by family, route, share and mode, from those by family, route, knot and mode."""
        first = np.take_along_axis(chances, self._upper - 1, axis=2)
        second = np.take_along_axis(chances, self._upper, axis=2)
        return first + (second - first) * self._part // self._whole


#: `chances` in one row.
CHANCES: Final = chances().reshape(-1)
#: What a step of each index is in it.
DRAWS_STEP: Final = len(KNOTS)
DISTANCE_STEP: Final = DRAWS * DRAWS_STEP
ROUTE_STEP: Final = DISTANCES * DISTANCE_STEP
FAMILY_STEP: Final = len(ROUTES) * ROUTE_STEP
