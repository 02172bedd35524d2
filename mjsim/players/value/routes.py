"""What a hand is worth to ``value``: each route by its price and its chance (docs/players.md)."""

from typing import Any, Final, NamedTuple

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, choose, count, join_suits, kinds_where
from mjsim.contract import View
from mjsim.hands.hand import copies
from mjsim.hands.shanten import (
    best_entry,
    best_split,
    class_of,
    distance_of,
    kinds_by_goals,
    pairs_distance,
    pattern,
    suits_of,
)
from mjsim.hands.tables import CLASSES, HONOUR_KEY
from mjsim.players.value.chances import (
    CHANCES,
    CONCEALED_ROUTE,
    DISTANCE_STEP,
    DISTANCES,
    FLUSH_ROUTE,
    KNOTS,
    OPEN_ROUTE,
    PAIRS_ROUTE,
    PUNGS_ROUTE,
    ROUTE_STEP,
)
from mjsim.players.value.holding import NO_SUIT, Holding, Sight, live, live_of_pairs, price
from mjsim.players.value.weights import BESIDE, CLAIMABLE, HONOUR_WAIT, TERMINAL_WAIT
from mjsim.rules.packed import (
    ALL_PUNGS_UNITS,
    DISCARD_MODE,
    FULL_FLUSH_UNITS,
    MELDED_HAND_UNITS,
    QUAD_UNITS,
    SELF_DRAW_MODE,
    SEVEN_PAIRS_UNITS,
)
from mjsim.state import SEATS, Flag, Int, Record

_U = np.uint64
_ONE: Final = _U(1)
_CLASSES: Final = _U(CLASSES)
_HONOUR_KEY: Final = _U(HONOUR_KEY)
_DISTANCE_SHIFT: Final = _U(20)
_PAIR_GOAL: Final = 5
_MELDED: Final = 4

SUIT_KINDS: Final = np.array([kinds_where(lambda kind, suit=suit: kind // 9 == suit) for suit in range(3)], np.uint64)

_HONOURS: Final = kinds_where(lambda kind: kind >= 27)
_TERMINALS: Final = kinds_where(lambda kind: kind < 27 and kind % 9 in (0, 8))

#: A flush is weighed from so many tiles of the suit, melds counted as three.
FLUSH_TILES: Final = 7
#: All pungs are weighed if they are at most so much farther than an ordinary hand.
PUNGS_BEHIND: Final = 3

#: Seven pairs are weighed if they are at most so much farther than an ordinary hand.
PAIRS_BEHIND: Final = 3

_MOST_SHARE: Final = KNOTS[-1]
_HALF: Final = 0xFFFF


def _between_knots(share: int) -> int:
    """Where a share lies: the knot below, how far above that one, and the bits of the step to the next; a byte each."""
    knot = max(i for i in range(len(KNOTS) - 1) if KNOTS[i] <= share)
    width = KNOTS[knot + 1] - KNOTS[knot]
    return knot | share - KNOTS[knot] << 8 | width.bit_length() - 1 << 16


_BETWEEN_KNOTS: Final = np.array([_between_knots(share) for share in range(_MOST_SHARE + 1)], np.int64)


@jit.inlined
def pay_of(rules: Record, sight: Sight, own_units: Int, given_units: Int, concealed: Int) -> Any:
    """What a win brings by self-draw and on a discard, with what it spares; in 256ths of a point."""
    own = 256 * (SEATS - 1) * price(rules, SELF_DRAW_MODE, own_units, concealed) + sight.loss
    given = 256 * price(rules, DISCARD_MODE, given_units, concealed)
    if given > 0:
        given += sight.loss
    return own, given


class Pays(NamedTuple):
    """What an ordinary hand pays, exposed and concealed, and whether it is special all the same: pure, or melded."""

    exposed: Any
    concealed: Any
    special: Any


@jit.inlined
def pays_of(rules: Record, sight: Sight, own_units: Int, given_units: Int) -> Pays:
    """What an ordinary hand with these units pays."""
    exposed = pay_of(rules, sight, own_units, given_units, np.int64(0))
    concealed = pay_of(rules, sight, own_units, given_units, np.int64(1))
    return Pays(exposed, concealed, given_units > 0)


@jit.inlined
def worth(sight: Sight, route: Int, distance: Int, tiles: Int, pay: Any) -> Int:
    """What a route is worth, in 2^15ths of a point: chances times pay."""
    if distance < 1 or distance >= DISTANCES:
        return np.int64(0)
    share = min(tiles * sight.per_tile >> 16, _MOST_SHARE)
    between = _BETWEEN_KNOTS[_U(share)]
    place = _U(sight.origin + route * ROUTE_STEP + distance * DISTANCE_STEP + (between & 255))
    first = np.int64(CHANCES[place])
    second = np.int64(CHANCES[place + _ONE])
    rest = between >> 8 & 255
    bits = between >> 16
    own = (first & _HALF) + (((second & _HALF) - (first & _HALF)) * rest >> bits)
    given = (first >> 16) + (((second >> 16) - (first >> 16)) * rest >> bits)
    return own * pay[0] + given * pay[1] >> 8


@jit.inlined
def pungs_distance(ones: Any, twos: Any, fours: Any, sets: Int) -> Any:
    """Tiles missing for ``sets`` pungs and a pair, and whether single tiles bring it nearer."""
    triples = count(ones & twos) + count(fours)
    pairs = count(twos & ~ones)
    made = min(triples, sets)
    missing = sets - made
    pairs += triples - made
    if pairs > missing:
        return missing, False
    return 2 * missing + 1 - pairs, True


@jit.kernel
def flush_distance(tables: Record, key: Any, suit: Int, sets: Int) -> Any:
    """Tiles missing for ``sets`` sets and a pair within one suit, and the kinds that bring it nearer."""
    row = pattern(tables, key)
    own = class_of(tables, row)
    empty = class_of(tables, pattern(tables, ZERO))
    no_honours = class_of(tables, pattern(tables, _HONOUR_KEY))
    classes01 = choose(suit == 0, own, empty) * _CLASSES + choose(suit == 1, own, empty)
    classes23 = choose(suit == 2, own, empty) * _CLASSES + no_honours
    entry = best_entry(tables, _U(sets), classes01, classes23)
    return np.int64(entry >> _DISTANCE_SHIFT), _U(tables.useful[row, _PAIR_GOAL + sets]) << _U(9 * suit)


@jit.inlined
def key_of(hand: Holding, suit: Int) -> Any:
    """One suit's key."""
    return choose(suit == 0, hand.key0, choose(suit == 1, hand.key1, choose(suit == 2, hand.key2, hand.key3)))


@jit.inlined
def flush_worth(view: View, sight: Sight, hand: Holding, own_units: Int, given_units: Int) -> Any:
    """The best flush that is not yet pure: its worth, and its suit or -1."""
    rules = view.rules
    kinds = hand.ones | hand.twos | hand.fours
    best = np.int64(0)
    best_suit = np.int64(-1)
    for suit in range(3):
        if hand.suit != NO_SUIT and hand.suit != suit:
            continue
        within = SUIT_KINDS[suit]
        if copies(within, hand.ones, hand.twos, hand.fours) + 3 * hand.melds < FLUSH_TILES or kinds & ~within == ZERO:
            continue
        distance, useful = flush_distance(view.tables, key_of(hand, suit), suit, 4 - hand.melds)
        pay = pay_of(
            rules,
            sight,
            own_units + rules.units[FULL_FLUSH_UNITS, SELF_DRAW_MODE],
            given_units + rules.units[FULL_FLUSH_UNITS, DISCARD_MODE],
            np.int64(distance == 1 and hand.exposed == 0),
        )
        value = worth(sight, FLUSH_ROUTE, distance, live(sight, useful), pay)
        if value > best:
            best = value
            best_suit = np.int64(suit)
    return best, best_suit


@jit.inlined
def is_pure(hand: Holding) -> Flag:
    """Whether all tiles and melds are of one suit."""
    kinds = hand.ones | hand.twos | hand.fours
    pure = False
    for suit in range(3):
        pure |= (hand.suit == NO_SUIT or hand.suit == suit) and kinds & ~SUIT_KINDS[suit] == ZERO
    return pure


@jit.inlined
def common_units(rules: Record, hand: Holding, mode: Int) -> Int:
    """Units that every route of this hand has: a flush that is pure already, four exposed melds."""
    units = np.int64(0)
    if is_pure(hand):
        units += rules.units[FULL_FLUSH_UNITS, mode]
    if hand.exposed == _MELDED:
        units += rules.units[MELDED_HAND_UNITS, mode]
    return units


@jit.inlined
def ordinary_tiles(sight: Sight, distance: Int, useful: Any, pairs: Any) -> Any:
    """Live effective tiles of four sets and a pair, without claims and with them, weighed by how they come."""
    tiles = live(sight, useful)
    if distance > 1:
        return tiles, tiles + (live_of_pairs(sight, useful & pairs) * CLAIMABLE >> 8)
    # What others have least use for they throw.
    tiles += (live(sight, useful & _HONOURS) * HONOUR_WAIT + live(sight, useful & _TERMINALS) * TERMINAL_WAIT) >> 8
    return tiles, tiles


@jit.inlined
def ordinary_worth(sight: Sight, distance: Int, useful: Any, pairs: Any, pays: Pays, exposed: Int) -> Int:
    """Four sets and a pair, claiming or not."""
    drawn_tiles, tiles = ordinary_tiles(sight, distance, useful, pairs)
    if pays.special:
        pay = pays.concealed if exposed == 0 and distance == 1 else pays.exposed
        return worth(sight, FLUSH_ROUTE, distance, tiles, pay)
    value = worth(sight, OPEN_ROUTE, distance, tiles, pays.exposed)
    if exposed == 0:
        value = max(value, worth(sight, CONCEALED_ROUTE, distance, drawn_tiles, pays.concealed))
    return value


@jit.inlined
def pungs_pay(rules: Record, sight: Sight, hand: Holding, distance: Int, own_units: Int, given_units: Int) -> Any:
    """What all pungs pay; a hand that is ready without a claim may stay concealed."""
    return pay_of(
        rules,
        sight,
        own_units + rules.units[ALL_PUNGS_UNITS, SELF_DRAW_MODE],
        given_units + rules.units[ALL_PUNGS_UNITS, DISCARD_MODE],
        np.int64(distance <= 1 and hand.exposed == 0),
    )


@jit.inlined
def pungs_tiles(sight: Sight, ones: Any, twos: Any, fours: Any, sets: Int) -> Any:
    """The distance to all pungs and its live tiles; a single's count a third, since nobody's discard can be claimed."""
    distance, singles_help = pungs_distance(ones, twos, fours, sets)
    tiles = live(sight, twos & ~ones)
    if singles_help:
        tiles += live(sight, ones & ~twos) // 3
    return distance, tiles


@jit.inlined
def pungs_worth(sight: Sight, ones: Any, twos: Any, fours: Any, sets: Int, pay: Any) -> Int:
    """All pungs, with these concealed tiles and so many sets to find."""
    distance, tiles = pungs_tiles(sight, ones, twos, fours, sets)
    return worth(sight, PUNGS_ROUTE, distance, tiles, pay)


@jit.inlined
def pairs_pay(rules: Record, sight: Sight, hand: Holding, own_units: Int, given_units: Int) -> Any:
    """What seven pairs pay, with the quads that the hand has."""
    quads = count(hand.fours)
    return pay_of(
        rules,
        sight,
        own_units + rules.units[SEVEN_PAIRS_UNITS, SELF_DRAW_MODE] + quads * rules.units[QUAD_UNITS, SELF_DRAW_MODE],
        given_units + rules.units[SEVEN_PAIRS_UNITS, DISCARD_MODE] + quads * rules.units[QUAD_UNITS, DISCARD_MODE],
        np.int64(1),
    )


@jit.inlined
def together(ordinary: Any, pungs: Any, flush: Any, pairs: Any) -> Any:
    """The best route, and a share of what the other two are worth beside the best of ordinary, pungs and pairs."""
    best = max(ordinary, pungs, pairs)
    return max(best, flush) + ((ordinary + pungs + pairs - best) * BESIDE >> 8)


@jit.kernel
def useful_kinds(tables: Record, hand: Holding) -> Any:
    """The distance to four sets and a pair, and the kinds that bring it nearer."""
    suits = suits_of(tables, hand.key0, hand.key1, hand.key2, hand.key3)
    entry = best_split(tables, suits, _U(4 - hand.melds))
    return distance_of(entry), join_suits(kinds_by_goals(tables, tables.useful, suits, entry))


@jit.kernel
def route_worths(view: View, sight: Sight, hand: Holding) -> Any:
    """What each route of a hand at rest is worth: ordinary, pungs, flush, pairs."""
    rules = view.rules
    distance, useful = useful_kinds(view.tables, hand)
    own_units = common_units(rules, hand, SELF_DRAW_MODE)
    given_units = common_units(rules, hand, DISCARD_MODE)
    pays = pays_of(rules, sight, own_units, given_units)
    ordinary = ordinary_worth(sight, distance, useful, hand.twos & ~hand.ones, pays, hand.exposed)
    flush, _ = flush_worth(view, sight, hand, own_units, given_units)
    pungs, pairs = np.int64(0), np.int64(0)
    sets = 4 - hand.melds
    pungs_missing, _ = pungs_distance(hand.ones, hand.twos, hand.fours, sets)
    if hand.chows == 0 and pungs_missing <= distance + PUNGS_BEHIND:
        pay = pungs_pay(rules, sight, hand, pungs_missing, own_units, given_units)
        pungs = pungs_worth(sight, hand.ones, hand.twos, hand.fours, sets, pay)
    pairs_missing = pairs_distance(hand.twos, hand.fours, hand.melds)
    if pairs_missing <= distance + PAIRS_BEHIND:
        pay = pairs_pay(rules, sight, hand, own_units, given_units)
        pairs = worth(sight, PAIRS_ROUTE, pairs_missing, live(sight, hand.ones), pay)
    return ordinary, pungs, flush, pairs


@jit.kernel
def rest_worth(view: View, sight: Sight, hand: Holding) -> Int:
    """What a hand at rest is worth."""
    ordinary, pungs, flush, pairs = route_worths(view, sight, hand)
    return together(ordinary, pungs, flush, pairs)
