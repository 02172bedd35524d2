"""The player ``value``: plays for points under whatever rules are loaded (docs/players.md)."""

from typing import Any, Final

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, choose, count, lowest
from mjsim.contract import (
    CHOW_HIGH,
    CHOW_LOW,
    CHOW_MIDDLE,
    DISCARD,
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
from mjsim.hands.hand import copies
from mjsim.hands.shanten import pairs_distance, sets_distance
from mjsim.players.fast import lowest_labels
from mjsim.players.value.danger import danger_of, no_danger
from mjsim.players.value.holding import (
    NO_SUIT,
    POINT,
    Holding,
    Sight,
    holding_of,
    price,
    sight_of,
    with_meld,
    without,
)
from mjsim.players.value.routes import (
    FLUSH_TILES,
    SUIT_KINDS,
    common_units,
    flush_distance,
    key_of,
    pungs_distance,
    rest_worth,
)
from mjsim.players.value.throw import best_throw
from mjsim.players.value.weights import CLAIM_MARGIN, PASS_MARGIN
from mjsim.rules.packed import ALL_PUNGS_UNITS, DISCARD_MODE, QUAD_UNITS, SEVEN_PAIRS_UNITS
from mjsim.state import FISH_PHASE, SEATS, TURN_PHASE, Flag, Int, Record

_U = np.uint64

#: While fewer tiles are left, no win is passed.
_LATE: Final = 8


@jit.inlined
def value_decide(view: View, legal: Record) -> Int:
    """Whatever promises most points."""
    if view.table.phase == FISH_PHASE:
        return lowest_labels(view, legal)
    if view.table.phase == TURN_PHASE:
        if legal.win != ZERO:
            return action(WIN, view.table.tile)
        if legal.discard == ZERO:
            return action(PASS, 0)
        return value_turn(view, legal)
    return value_reaction(view, legal)


@jit.inlined
def value_turn(view: View, legal: Record) -> Int:
    """A kong or a discard."""
    sight = sight_of(view)
    hand = holding_of(view.own)
    kind, best = best_throw(view, sight, hand, danger_of(view, sight))
    chosen = action(DISCARD, kind)
    kongs = legal.kong_added
    while kongs != ZERO:
        kong = lowest(kongs)
        kongs = kongs ^ bit(kong)
        value = rest_worth(view, sight, without(view.tables, hand, kong, 1)) + view.rules.kong_exposed * POINT
        if value > best:
            best = value
            chosen = action(KONG_ADDED, kong)
    kongs = legal.kong_concealed
    while kongs != ZERO:
        kong = lowest(kongs)
        kongs = kongs ^ bit(kong)
        after = with_meld(without(view.tables, hand, kong, 4), kong, 0, 0)
        value = rest_worth(view, sight, after) + (SEATS - 1) * view.rules.kong_concealed * POINT
        if value > best:
            best = value
            chosen = action(KONG_CONCEALED, kong)
    return chosen


@jit.kernel
def value_reaction(view: View, legal: Record) -> Int:
    """A win, a claim, or pass."""
    own = view.own
    tile = view.table.tile
    if legal.win != ZERO and view.table.left < _LATE:
        return action(WIN, tile)
    sight = sight_of(view)
    hand = holding_of(own)
    if legal.win != ZERO:
        now = win_price(view, hand, tile)
        later = rest_worth(view, sight, hand)
        if now == 0 or later * 256 <= (now * 256 + sight.loss) * (POINT >> 8) * PASS_MARGIN:
            return action(WIN, tile)
        return action(PASS, 0)
    return best_claim(view, legal, sight, hand)


@jit.kernel
def best_claim(view: View, legal: Record, sight: Sight, hand: Holding) -> Int:
    """The claim that is worth most, or pass."""
    tables = view.tables
    tile = view.table.tile
    step = tables.step
    kong = legal.kong != ZERO
    pung = legal.pung != ZERO and helps(tables, hand, tile, _U(2) * step[tile], True)
    low = legal.chow_low != ZERO and helps(tables, hand, tile, step[tile + 1] + step[tile + 2], False)
    middle = legal.chow_middle != ZERO and helps(tables, hand, tile, step[tile - 1] + step[tile + 1], False)
    high = legal.chow_high != ZERO and helps(tables, hand, tile, step[tile - 2] + step[tile - 1], False)
    chosen = action(PASS, 0)
    if not (kong or pung or low or middle or high):
        return chosen
    best = rest_worth(view, sight, hand) * CLAIM_MARGIN >> 8
    if kong:
        after = with_meld(without(view.tables, hand, tile, 3), tile, 1, 0)
        value = rest_worth(view, sight, after) + view.rules.kong_exposed * POINT
        if value > best:
            best = value
            chosen = action(KONG, tile)
    if pung:
        value = claim_worth(view, sight, hand, tile, tile, tile, 0)
        if value > best:
            best = value
            chosen = action(PUNG, tile)
    if low:
        value = claim_worth(view, sight, hand, tile, tile + 1, tile + 2, 1)
        if value > best:
            best = value
            chosen = action(CHOW_LOW, tile)
    if middle:
        value = claim_worth(view, sight, hand, tile, tile - 1, tile + 1, 1)
        if value > best:
            best = value
            chosen = action(CHOW_MIDDLE, tile)
    if high:
        value = claim_worth(view, sight, hand, tile, tile - 2, tile - 1, 1)
        if value > best:
            chosen = action(CHOW_HIGH, tile)
    return chosen


@jit.kernel
def helps(tables: Record, hand: Holding, tile: Int, taken: Any, pung: Flag) -> Flag:
    """Whether a claim that takes these tiles out of their suit's key brings some route nearer."""
    suit = tile // 9
    sets = 3 - hand.melds
    key = key_of(hand, suit) - taken
    before = sets_distance(tables, hand.key0, hand.key1, hand.key2, hand.key3, _U(sets + 1))
    after = sets_distance(
        tables,
        choose(suit == 0, key, hand.key0),
        choose(suit == 1, key, hand.key1),
        choose(suit == 2, key, hand.key2),
        choose(suit == 3, key, hand.key3),
        _U(sets),
    )
    if max(after, 1) < before + 1:
        return True
    if pung and hand.chows == 0:
        before, _ = pungs_distance(hand.ones, hand.twos, hand.fours, sets + 1)
        after, _ = pungs_distance(hand.ones, hand.twos & ~bit(tile), hand.fours, sets)
        if max(after, 1) < before:
            return True
    if suit == 3 or (hand.suit != NO_SUIT and hand.suit != suit):
        return False
    within = SUIT_KINDS[suit]
    if copies(within, hand.ones, hand.twos, hand.fours) + 3 * hand.melds < FLUSH_TILES - 1:
        return False
    before, _ = flush_distance(tables, key_of(hand, suit), suit, sets + 1)
    after, _ = flush_distance(tables, key, suit, sets)
    return max(after, 1) < before


@jit.kernel
def claim_worth(view: View, sight: Sight, hand: Holding, tile: Int, first: Int, second: Int, chows: Int) -> Int:
    """What a claim is worth that takes two tiles out of the hand, after the best discard."""
    after = without(view.tables, without(view.tables, hand, first, 1), second, 1)
    return np.int64(best_throw(view, sight, with_meld(after, tile, 1, chows), no_danger())[1])


@jit.kernel
def win_price(view: View, hand: Holding, tile: Int) -> Int:
    """Points of a plain win on this discard; 0 where only an event makes it one."""
    rules = view.rules
    won = bit(tile)
    carry = hand.ones & won
    ones = hand.ones ^ won
    twos = hand.twos ^ carry
    fours = hand.fours ^ (hand.twos & carry)
    complete = Holding(
        hand.key0,
        hand.key1,
        hand.key2,
        hand.key3,
        ones,
        twos,
        fours,
        hand.melds,
        hand.exposed,
        hand.chows,
        hand.suit,
    )
    units = common_units(rules, complete, DISCARD_MODE)
    if hand.chows == 0 and pungs_distance(ones, twos, fours, 4 - hand.melds)[0] == 0:
        units += rules.units[ALL_PUNGS_UNITS, DISCARD_MODE]
    elif pairs_distance(twos, fours, hand.melds) == 0:
        units += rules.units[SEVEN_PAIRS_UNITS, DISCARD_MODE]
        units += count(fours) * rules.units[QUAD_UNITS, DISCARD_MODE]
    return price(rules, np.int64(DISCARD_MODE), units, np.int64(hand.exposed == 0))


def _decide(view: View, legal: Record, rng: Record) -> Int:
    return value_decide(view, legal)


VALUE = Player("value", _decide, builtin=True)
