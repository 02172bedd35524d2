"""What ``value`` weighs: the tiles it would hold after an action, what it would see, and how the rules pay."""

from typing import Any, Final, NamedTuple

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, choose, count
from mjsim.contract import View
from mjsim.hands.hand import copies
from mjsim.players.fast import seen_copies
from mjsim.players.value.chances import DRAWS, DRAWS_STEP, FAMILY_STEP
from mjsim.players.value.constants import LOSS_ORDINARY, LOSS_SPECIAL
from mjsim.rules.packed import CONCEALED, DISCARD_MODE, NO_PRICE, ORDINARY, SPECIAL
from mjsim.state import CHOW_MELD, Int, Record
from mjsim.tiles import TILES

_U = np.uint64
_WHOLE: Final = 1 << 24

#: A point, in the units in which hands are weighed.
POINT: Final = 1 << 15

#: Suits of the melds of a hand: none yet, or more than one suit or honours; else 0–2.
NO_SUIT: Final = -1
MIXED_SUITS: Final = -2


class Holding(NamedTuple):
    """Concealed tiles and melds; ``keys`` as in `mjsim.state.SEAT`, one word a suit."""

    key0: Any
    key1: Any
    key2: Any
    key3: Any
    ones: Any
    twos: Any
    fours: Any
    melds: Any
    exposed: Any
    chows: Any  # number of chows among the melds
    suit: Any


class Sight(NamedTuple):
    """Copies that the seat sees and copies that are live, and what follows from how far the deal has come."""

    ones: Any  # copies seen of each kind, digit by digit
    twos: Any
    fours: Any
    live_ones: Any  # four less those, digit by digit
    live_twos: Any
    live_fours: Any
    draws: Any  # of its own that are left
    per_tile: Any  # the share that one live tile is of those unseen, in 2^24ths
    origin: Any  # where the chances for these rules and draws begin
    loss: Any  # what it costs if another seat wins, in 256ths of a point


@jit.inlined
def sight_of(view: View) -> Sight:
    """What the seat sees now."""
    ones, twos, fours = seen_copies(view)
    unseen = TILES - (count(ones) + 2 * count(twos) + 4 * count(fours))
    draws = np.int64(min(max(view.table.left - view.rules.tiles_left + 2, 0) >> 2, DRAWS - 1))
    origin = family_of(view.rules) * FAMILY_STEP + draws * DRAWS_STEP
    per_tile = np.int64(_WHOLE // unseen)
    live_fours = ~(ones | twos | fours)
    return Sight(ones, twos, fours, ones, ones ^ twos, live_fours, draws, per_tile, origin, usual_loss(view.rules))


@jit.inlined
def live(sight: Sight, kinds: Any) -> Any:
    """Live copies of a set of kinds."""
    return copies(kinds, sight.live_ones, sight.live_twos, sight.live_fours)


@jit.inlined
def live_of_pairs(sight: Sight, kinds: Any) -> Any:
    """`live` for kinds of which the seat holds two: no more than two are live."""
    return count(kinds & sight.live_ones) + 2 * count(kinds & sight.live_twos)


@jit.inlined
def holding_of(own: Record) -> Holding:
    """The seat's hand as it is."""
    chows = np.int64(0)
    suit = np.int64(NO_SUIT)
    for meld in range(own.meld_count):
        chows += own.meld_kind[meld] == CHOW_MELD
        suit = joined_suit(suit, own.meld_tile[meld])
    keys = own.keys
    return Holding(
        keys[0],
        keys[1],
        keys[2],
        keys[3],
        own.ones,
        own.twos,
        own.fours,
        np.int64(own.meld_count),
        np.int64(own.exposed_count),
        chows,
        suit,
    )


@jit.inlined
def joined_suit(suit: Any, tile: Any) -> Any:
    """The suit of melds so far and of one more meld of a tile."""
    more = tile // 9
    if more == 3 or (suit != NO_SUIT and suit != more):
        return np.int64(MIXED_SUITS)
    return np.int64(more)


@jit.kernel
def without(tables: Record, hand: Holding, kind: Int, number: Int) -> Holding:
    """The hand after ``number`` tiles of a kind have left it."""
    tile = bit(kind)
    ones, twos, fours = hand.ones, hand.twos, hand.fours
    for _ in range(number):
        borrow = tile & ~ones
        fours = fours ^ (borrow & ~twos)
        twos = twos ^ borrow
        ones = ones ^ tile
    step = _U(number) * tables.step[kind]
    suit = kind // 9
    return Holding(
        hand.key0 - choose(suit == 0, step, ZERO),
        hand.key1 - choose(suit == 1, step, ZERO),
        hand.key2 - choose(suit == 2, step, ZERO),
        hand.key3 - choose(suit == 3, step, ZERO),
        ones,
        twos,
        fours,
        hand.melds,
        hand.exposed,
        hand.chows,
        hand.suit,
    )


@jit.kernel
def with_meld(hand: Holding, tile: Int, exposed: Int, chows: Int) -> Holding:
    """The hand with one meld more, whose tiles have left it."""
    return Holding(
        hand.key0,
        hand.key1,
        hand.key2,
        hand.key3,
        hand.ones,
        hand.twos,
        hand.fours,
        hand.melds + 1,
        hand.exposed + exposed,
        hand.chows + chows,
        joined_suit(hand.suit, tile),
    )


@jit.kernel
def price(rules: Record, mode: Int, units: Int, concealed: Int) -> Int:
    """Points of one share of a plain win; 0 where the rules pay nothing."""
    share = rules.price[mode, (SPECIAL if units > 0 else ORDINARY) + CONCEALED * concealed]
    if share == NO_PRICE:
        return np.int64(0)
    for _ in range(1, units):
        share *= rules.step
    return np.int64(share)


@jit.kernel
def family_of(rules: Record) -> Int:
    """Which rates apply (`mjsim.players.value.chances.FAMILIES`)."""
    return np.int64(2 * rules.chow + (rules.price[DISCARD_MODE, ORDINARY] != NO_PRICE))


@jit.kernel
def usual_loss(rules: Record) -> Int:
    """What it costs on average when another seat wins, in 256ths of a point."""
    loss = LOSS_SPECIAL * rules.price[DISCARD_MODE, SPECIAL]
    if rules.price[DISCARD_MODE, ORDINARY] != NO_PRICE:
        loss = LOSS_ORDINARY * rules.price[DISCARD_MODE, ORDINARY]
    return np.int64(loss)
