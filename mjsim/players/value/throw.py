"""The best discard of a hand: every tile by what it leaves, on all routes, and what it may cost (docs/players.md)."""

from typing import Any, NamedTuple

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, choose, has, join_suits, lowest
from mjsim.contract import View
from mjsim.hands.shanten import best_split, distance_of, kinds_by_goals, pairs_distance, suits_of, with_key
from mjsim.players.value.chances import PAIRS_ROUTE
from mjsim.players.value.danger import cost_of
from mjsim.players.value.holding import Holding, Sight, live
from mjsim.players.value.routes import (
    PAIRS_BEHIND,
    PUNGS_BEHIND,
    SUIT_KINDS,
    common_units,
    flush_worth,
    key_of,
    ordinary_worth,
    pairs_pay,
    pays_of,
    pungs_distance,
    pungs_pay,
    pungs_worth,
    together,
    worth,
)
from mjsim.rules.packed import DISCARD_MODE, SELF_DRAW_MODE
from mjsim.state import Int

_U = np.uint64


class Others(NamedTuple):
    """The special routes of a hand that must throw a tile: what each is worth if that tile is of no use to it."""

    pungs: Any
    flush: Any
    flush_suit: Any
    pairs: Any
    pungs_pay: Any
    pairs_pay: Any
    pairs_missing: Any
    weighed: Any  # whether any of them is worth something


@jit.inlined
def other_routes(view: View, sight: Sight, hand: Holding, distance: Int, own_units: Int, given_units: Int) -> Others:
    """The special routes that are near enough to be weighed; 0 for the others."""
    rules = view.rules
    flush, flush_suit = flush_worth(view, sight, hand, own_units, given_units)
    missing, _ = pungs_distance(hand.ones, hand.twos, hand.fours, 4 - hand.melds)
    nothing = np.int64(0)
    pungs, pungs_pays = nothing, (nothing, nothing)
    if hand.chows == 0 and missing <= distance + PUNGS_BEHIND:
        pungs_pays = pungs_pay(rules, sight, hand, missing, own_units, given_units)
        pungs = pungs_worth(sight, hand.ones, hand.twos, hand.fours, 4 - hand.melds, pungs_pays)
    missing = pairs_distance(hand.twos, hand.fours, hand.melds)
    pairs, pairs_pays = nothing, (nothing, nothing)
    if missing <= distance + PAIRS_BEHIND:
        pairs_pays = pairs_pay(rules, sight, hand, own_units, given_units)
        pairs = worth(sight, PAIRS_ROUTE, missing, live(sight, hand.ones), pairs_pays)
    return Others(
        pungs, flush, flush_suit, pairs, pungs_pays, pairs_pays, np.int64(missing), pungs | flush | pairs != 0
    )


@jit.inlined
def throw_worth(sight: Sight, hand: Holding, others: Others, kind: Any, ordinary: Any) -> Any:
    """What a hand is worth after a discard, its ordinary route being worth so much."""
    tile = bit(kind)
    ones = hand.ones ^ tile
    borrow = tile & ~hand.ones
    if not others.weighed:
        return together(ordinary, np.int64(0), np.int64(0), np.int64(0))
    pungs = others.pungs
    single = hand.ones & ~hand.twos & tile != ZERO
    if pungs > 0 and not single:
        twos = hand.twos ^ borrow
        fours = hand.fours ^ (borrow & ~hand.twos)
        pungs = pungs_worth(sight, ones, twos, fours, 4 - hand.melds, others.pungs_pay)
    pairs = others.pairs
    if pairs > 0:
        # A tile of an odd number is not part of a pair.
        missing = others.pairs_missing + np.int64(borrow != ZERO)
        pairs = worth(sight, PAIRS_ROUTE, missing, live(sight, ones), others.pairs_pay)
    flush = others.flush
    if others.flush_suit >= 0 and has(SUIT_KINDS[others.flush_suit], kind):
        flush = np.int64(0)
    return together(ordinary, pungs, flush, pairs)


@jit.inlined
def best_throw(view: View, sight: Sight, hand: Holding, danger: Any) -> Any:
    """The discard that leaves the most, less its danger; of equal ones the highest kind.

    Parameters
    ----------
    danger : Danger
        What each discard may cost (`mjsim.players.value.danger`).

    Returns
    -------
    tuple of (int64, int64)
        The kind, and what it leaves in 2^15ths of a point.
    """
    rules, tables = view.rules, view.tables
    sets = _U(4 - hand.melds)
    suits = suits_of(tables, hand.key0, hand.key1, hand.key2, hand.key3)
    entry = best_split(tables, suits, sets)
    distance = distance_of(entry)
    own_units = common_units(rules, hand, SELF_DRAW_MODE)
    given_units = common_units(rules, hand, DISCARD_MODE)
    pays = pays_of(rules, sight, own_units, given_units)
    others = other_routes(view, sight, hand, distance, own_units, given_units)

    # Only tiles that some best reading can spare keep the distance; a complete hand can spare none.
    kinds = hand.ones | hand.twos | hand.fours
    spare = kinds
    if distance == 0:
        distance = np.int64(1)
    else:
        spare = join_suits(kinds_by_goals(tables, tables.free, suits, entry))
    best_kind = np.int64(-1)
    best = np.int64(0)
    left = spare
    while left != ZERO:
        kind = lowest(left)
        tile = bit(kind)
        left = left ^ tile
        suit = kind // 9
        thrown = with_key(tables, suits, suit, key_of(hand, suit) - tables.step[kind])
        entry = best_split(tables, thrown, sets)
        useful = join_suits(kinds_by_goals(tables, tables.useful, thrown, entry))
        ones = hand.ones ^ tile
        twos = hand.twos ^ (tile & ~hand.ones)
        ordinary = ordinary_worth(sight, distance, useful, twos & ~ones, pays, hand.exposed)
        value = throw_worth(sight, hand, others, kind, ordinary) - cost_of(danger, kind)
        # Without a branch: which tile is best cannot be guessed, and a wrong guess costs more than weighing one.
        better = best_kind < 0 or value >= best
        best = np.int64(choose(better, value, best))
        best_kind = np.int64(choose(better, kind, best_kind))
    if together(np.int64(0), others.pungs, others.flush, others.pairs) <= best:
        return best_kind, best
    # Some other route may be worth a tile that the ordinary hand needs.
    left = kinds & ~spare
    while left != ZERO:
        kind = lowest(left)
        left = left ^ bit(kind)
        value = throw_worth(sight, hand, others, kind, np.int64(0)) - cost_of(danger, kind)
        if value > best or (value == best and kind > best_kind):
            best = value
            best_kind = np.int64(kind)
    return best_kind, best
