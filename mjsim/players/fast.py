"""The player ``fast``: races to any win by shanten and live effective tiles (docs/players.md)."""

from typing import Any

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, lowest
from mjsim.contract import (
    CHOW_HIGH,
    CHOW_LOW,
    CHOW_MIDDLE,
    DISCARD,
    FISH,
    KONG,
    KONG_ADDED,
    KONG_CONCEALED,
    PASS,
    PUNG,
    WIN,
    Player,
    View,
    action,
)
from mjsim.hands.shanten import best_discard, distance_with_key, distance_without, hand_distance
from mjsim.state import FISH_PHASE, TURN_PHASE, Int, Record

_U = np.uint64


@jit.inlined
def fast_decide(view: View, legal: Record) -> Int:
    """Win, else whatever comes closest to a win."""
    if view.table.phase == FISH_PHASE:
        return lowest_labels(view, legal)
    if legal.win != ZERO:
        return action(WIN, view.table.tile)
    if view.table.phase == TURN_PHASE:
        return fast_turn(view, legal)
    return fast_reaction(view, legal)


@jit.kernel
def lowest_labels(view: View, legal: Record) -> Int:
    """The lowest free labels, as many as the run wants and the rules allow."""
    free = legal.fish
    labels = 0
    for _ in range(min(view.table.fish_wanted, view.rules.max_labels)):
        if free != ZERO:
            label = lowest(free)
            free = free ^ bit(label)
            labels += 1 << label
    return action(FISH, labels)


@jit.inlined
def seen_copies(view: View) -> Any:
    """Copies of each kind that the seat sees, digit by digit: in the open, in its hand, in its concealed kongs."""
    own = view.own
    table = view.table
    carry = own.ones & table.ones
    ones = own.ones ^ table.ones
    twos = own.twos ^ table.twos ^ carry
    carry = (own.twos & table.twos) | (carry & (own.twos ^ table.twos))
    fours = own.fours | table.fours | carry | own.concealed_kongs
    return ones, twos, fours


@jit.inlined
def fast_turn(view: View, legal: Record) -> Int:
    """A kong that does not set the hand back, else the best discard."""
    own = view.own
    kongs = legal.kong_added | legal.kong_concealed
    if kongs != ZERO:
        closest = max(hand_distance(view.tables, own), 1)
        kong = harmless_kong(view, legal.kong_added, 1, 4 - own.meld_count, closest)
        if kong >= 0:
            return action(KONG_ADDED, kong)
        kong = harmless_kong(view, legal.kong_concealed, 4, 3 - own.meld_count, closest)
        if kong >= 0:
            return action(KONG_CONCEALED, kong)
    ones, twos, fours = seen_copies(view)
    return action(DISCARD, best_discard(view.tables, own, ones, twos, fours)[0])


@jit.kernel
def harmless_kong(view: View, kongs: Any, tiles: Int, sets: Int, closest: Int) -> Int:
    """The lowest kind whose kong, taking so many tiles and leaving so many sets to make, keeps the distance; or -1."""
    while kongs != ZERO:
        kong = lowest(kongs)
        kongs = kongs ^ bit(kong)
        distance = distance_without(view.tables, view.own, kong, tiles, sets)
        if distance <= closest:
            return kong
    return -1


@jit.kernel
def fast_reaction(view: View, legal: Record) -> Int:
    """A claim that brings the hand closer, else pass."""
    own = view.own
    tile = view.table.tile
    tables = view.tables
    before = own.shanten + 1
    sets = 3 - own.meld_count
    if legal.kong != ZERO and distance_without(tables, own, tile, 3, sets) <= before:
        return action(KONG, tile)
    # After a claim a tile must go, so a hand can come no closer than ready.
    if before == 1:
        return action(PASS, 0)
    if legal.pung != ZERO and distance_without(tables, own, tile, 2, sets) < before:
        return action(PUNG, tile)
    if legal.chow_low != ZERO and distance_without_two(view, tile + 1, tile + 2) < before:
        return action(CHOW_LOW, tile)
    if legal.chow_middle != ZERO and distance_without_two(view, tile - 1, tile + 1) < before:
        return action(CHOW_MIDDLE, tile)
    if legal.chow_high != ZERO and distance_without_two(view, tile - 2, tile - 1) < before:
        return action(CHOW_HIGH, tile)
    return action(PASS, 0)


@jit.kernel
def distance_without_two(view: View, first: Int, second: Int) -> Int:
    """Tiles missing after two tiles of one suit have gone into a chow."""
    suit = first // 9
    key = view.own.keys[suit] - view.tables.step[first] - view.tables.step[second]
    return distance_with_key(view.tables, view.own, suit, key, 3 - view.own.meld_count)


def _decide(view: View, legal: Record, rng: Record) -> Int:
    return fast_decide(view, legal)


FAST = Player("fast", _decide, builtin=True)
