"""What a winning hand is worth: its readings, the events that come with the win, and the price of a share.

Kernels here read how a seat wins from the tally of a `DEAL` record. Numbers in parentheses are sections of rules.md.
"""

from typing import Any, Final

import numpy as np

from mjsim import jit
from mjsim.bits import ONE, TWO, ZERO, count, kinds_where
from mjsim.hands.hand import add_tile, remove_tile
from mjsim.hands.types import (
    ALL_PUNGS,
    CONCEALED_HAND,
    FULL_FLUSH,
    KONG_DISCARD,
    LAST_TILE_CLAIM,
    LAST_TILE_DRAW,
    MELDED_DISCARD,
    MELDED_HAND,
    REPLACEMENT_WIN,
    ROBBING_KONG,
    SEVEN_PAIRS,
    common_types,
    is_all_pungs,
    is_seven_pairs,
    is_standard,
    mask_of,
    seven_pairs_types,
)
from mjsim.rules import packed
from mjsim.rules.packed import DISCARD_MODE, NO_PRICE, SELF_DRAW_MODE
from mjsim.state import (
    CONCEALED_KONG,
    NO_MOMENT,
    NONE,
    ROB_KONG,
    SELF_DRAW,
    Flag,
    Int,
    Record,
)

#: The type bits of the events, in the order of `packed.EVENTS`.
EVENT_MASKS: Final = tuple(np.uint64(mask_of([name])) for name in packed.EVENTS)

# Kinds that can be the lowest of three in a row.
_LOW_OF_THREE: Final = kinds_where(lambda kind: kind < 27 and kind % 9 <= 6)


@jit.kernel
def deciding_kong(tally: Record, rules: Record) -> Int:
    """Index in the chain of the kong that decides who pays a replacement win."""
    if rules.deciding_kong == packed.FIRST_DECIDES:
        return np.int64(0)
    if rules.deciding_kong == packed.FIRST_EXPOSED_DECIDES:
        for kong in range(tally.chain_length):
            if tally.chain_kind[kong] != CONCEALED_KONG:
                return np.int64(kong)
    return tally.chain_length - 1


@jit.kernel
def replacement_giver(tally: Record, rules: Record) -> Int:
    """The seat that alone pays a replacement win because it gave the deciding kong's tile, or -1."""
    if tally.chain_length == 0 or rules.giver_pays_all == 0:
        return NONE
    deciding = deciding_kong(tally, rules)
    if tally.chain_kind[deciding] == CONCEALED_KONG:
        return NONE
    return tally.chain_from[deciding]


@jit.kernel
def is_priced(deal: Record, rules: Record, tables: Record, seat: Int, with_tile: Int) -> Flag:
    """Whether the rules pay for this seat's complete hand, won as the tally says.

    ``with_tile`` is the offered tile that completes the hand, or -1 where the hand holds its winning tile already.
    """
    own = deal.seats[seat]
    if with_tile != NONE:
        add_tile(own, tables, with_tile)
    share = dearest_reading(deal, rules, tables, own)[1]
    if with_tile != NONE:
        remove_tile(own, tables, with_tile)
    return share != NO_PRICE


@jit.kernel
def dearest_reading(deal: Record, rules: Record, tables: Record, hand: Record) -> Any:
    """The reading of a complete hand that pays the winner most, and the share it is worth.

    Returns
    -------
    tuple of (uint64, int64)
        Types and events of the reading; points of one share with its events, `NO_PRICE` if the rules know no such win.
    """
    tally = deal.tally
    common = common_types(hand) | event_types(deal, rules)
    best_types = common
    best_share = np.int64(NO_PRICE)
    if is_standard(tables, hand):
        best_share = share_of(common, np.int64(0), tally, rules)
        if is_all_pungs(hand):
            share = share_of(common | ALL_PUNGS, np.int64(0), tally, rules)
            if share >= best_share or not has_three_pungs_in_a_row(hand):
                best_types = common | ALL_PUNGS
                best_share = share
    if is_seven_pairs(hand):
        pairs_types = common | seven_pairs_types(hand)
        share = share_of(pairs_types, count(hand.fours), tally, rules)
        if share >= best_share:
            best_types = pairs_types
            best_share = share
    for event in packed.FIRST_MOMENTS:
        if best_types & EVENT_MASKS[event] != ZERO and rules.event_fixed[event] != NO_PRICE:
            # In place of the hand's own value, even a larger one (D, first moments).
            best_share = rules.event_fixed[event]
    return best_types, best_share


@jit.inlined
def has_three_pungs_in_a_row(hand: Record) -> Flag:
    """Whether three concealed pungs in a row could be read as three chows instead."""
    pungs = hand.ones & hand.twos
    return pungs & pungs >> ONE & pungs >> TWO & _LOW_OF_THREE != ZERO


@jit.kernel
def event_types(deal: Record, rules: Record) -> Any:
    """The events that are true of this win and that the rules name."""
    tally = deal.tally
    events = ZERO
    if tally.outcome == SELF_DRAW:
        if tally.last_tile != 0:
            events = events | LAST_TILE_DRAW
        if tally.chain_length > 0:
            events = events | REPLACEMENT_WIN
    elif tally.outcome == ROB_KONG:
        events = ROBBING_KONG
    else:
        if tally.last_tile != 0:
            events = events | LAST_TILE_CLAIM
        if tally.chain_length > 0:
            events = events | KONG_DISCARD
        if deal.seats[tally.giver].exposed_count == 4:
            events = events | MELDED_DISCARD
    named = ZERO
    for event in range(len(packed.EVENTS)):
        if rules.event_named[event] != 0:
            mask = EVENT_MASKS[event]
            if rules.event_moment[event] != NO_MOMENT:
                named = named | (mask if tally.moment == rules.event_moment[event] else ZERO)
            else:
                named = named | (events & mask)
    return named


@jit.kernel
def share_of(win_types: Any, quads: Int, tally: Record, rules: Record) -> Int:
    """Points of one share (C, value, units and events)."""
    mode = np.int64(SELF_DRAW_MODE if tally.outcome == SELF_DRAW else DISCARD_MODE)
    units = type_units(win_types, quads, mode, rules)
    event_units, factor = event_worth(win_types, tally, rules)
    concealed = packed.CONCEALED if win_types & CONCEALED_HAND != ZERO else 0
    if win_types & REPLACEMENT_WIN != ZERO and tally.chain_kind[deciding_kong(tally, rules)] == CONCEALED_KONG:
        if units == 0 and rules.concealed_ordinary != NO_PRICE:
            # A price of its own stands in for the hand's and the replacement's.
            return rules.concealed_ordinary * (factor // rules.event_factor[packed.REPLACEMENT_WIN])
        if rules.concealed_on_discard_scale != 0 and win_types & (ALL_PUNGS | FULL_FLUSH) != ZERO:
            mode = np.int64(DISCARD_MODE)
    units += event_units
    special = packed.SPECIAL if units > 0 else 0
    share = rules.price[mode, special + concealed]
    if share == NO_PRICE:
        return share
    for _ in range(1, units):
        share *= rules.step
    return share * factor


@jit.kernel
def type_units(win_types: Any, quads: Int, mode: Int, rules: Record) -> Int:
    """Units of the hand types."""
    units = np.int64(0)
    if win_types & ALL_PUNGS != ZERO:
        units += rules.units[packed.ALL_PUNGS_UNITS, mode]
    if win_types & FULL_FLUSH != ZERO:
        units += rules.units[packed.FULL_FLUSH_UNITS, mode]
    if win_types & SEVEN_PAIRS != ZERO:
        units += rules.units[packed.SEVEN_PAIRS_UNITS, mode] + quads * rules.units[packed.QUAD_UNITS, mode]
    if win_types & MELDED_HAND != ZERO:
        units += rules.units[packed.MELDED_HAND_UNITS, mode]
    return units


@jit.kernel
def event_worth(win_types: Any, tally: Record, rules: Record) -> Any:
    """Units and factor of the events."""
    units = np.int64(0)
    factor = np.int64(1)
    for event in range(len(packed.EVENTS)):
        if win_types & EVENT_MASKS[event] == ZERO:
            continue
        melded_twice = event == packed.MELDED_DISCARD and win_types & MELDED_HAND != ZERO
        if melded_twice and rules.melded_discard_stacks == 0:
            continue
        times = tally.chain_length if rules.event_per_kong[event] != 0 else 1
        units += times * rules.event_units[event]
        factor *= rules.event_factor[event]
    return units, factor
