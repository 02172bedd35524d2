"""What a discard may cost: that someone wins on it, or makes the meld that binds the giver (docs/players.md)."""

from typing import Any, Final, NamedTuple

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, choose, has
from mjsim.contract import View
from mjsim.players.value.chances import FAMILIES
from mjsim.players.value.constants import CLAIMED, RATES, READY
from mjsim.players.value.holding import NO_SUIT, POINT, Sight, family_of, joined_suit
from mjsim.players.value.weights import (
    BINDING_COST,
    CAUTION_ORDINARY,
    CAUTION_SPECIAL,
    OTHER_SUIT,
    OWN_SUIT,
    WANTED,
)
from mjsim.rules.packed import DISCARD_MODE, NO_PRICE, ORDINARY, SELF_DRAW_MODE, SPECIAL
from mjsim.state import CHOW_MELD, CONCEALED_KONG, SEATS, Int, Record

_ENDED: Final = np.array([RATES[family]["rounds"]["ended"] for family in FAMILIES], np.int64)
_READY: Final = np.array([READY[family] for family in FAMILIES], np.int64)
_WANTED: Final = np.array(WANTED, np.int64)
_CLAIMED: Final = np.array([CLAIMED[family] for family in FAMILIES], np.int64)

#: Rows of `WANTED` and `CLAIMED`: ranks 3–7, 2 and 8, 1 and 9, honours.
TILE_ROW: Final = np.array(
    [3 if kind >= 27 else (2, 1, 0, 0, 0, 0, 0, 1, 2)[kind % 9] for kind in range(34)],
    np.int64,
)
#: Melds of one suit from which a seat is taken to collect it.
_COLLECTED: Final = 2
_OTHERS: Final = SEATS - 1
_U = np.uint64


class Danger(NamedTuple):
    """What discards may cost, before the tile's own weight; in 2^15ths of a point."""

    suit0: Any
    suit1: Any
    suit2: Any
    honours: Any
    family: Any
    binding: Any  # what a third meld from this seat costs
    safe: Any  # kinds nobody who could win on them has had a turn since: by all, all but one, all but two seats
    safe_but_one: Any
    safe_but_two: Any
    ones: Any
    twos: Any
    fours: Any


@jit.kernel
def no_danger() -> Danger:
    """A discard that costs nothing."""
    zero = np.int64(0)
    return Danger(zero, zero, zero, zero, zero, zero, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)


@jit.inlined
def danger_of(view: View, sight: Sight) -> Danger:
    """What this seat's discards may cost now."""
    table, rules = view.table, view.rules
    own_seat = view.own.seat
    family = family_of(rules)
    weight0, weight1, weight2, weight3 = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    binding = np.int64(0)
    for offset in range(1, SEATS):
        seat = (own_seat + offset) & 3
        exposed, suit, given = read_melds(table, rules, seat, own_seat)
        ready = _READY[family, exposed]
        collects = exposed >= _COLLECTED and suit >= 0
        weight0 += ready * suit_weight(collects, suit, 0) >> 8
        weight1 += ready * suit_weight(collects, suit, 1) >> 8
        weight2 += ready * suit_weight(collects, suit, 2) >> 8
        weight3 += ready * suit_weight(collects, suit, 3) >> 8
        if rules.liability != 0 and given == rules.liability_melds - 1:
            binding += BINDING_COST * POINT * rules.price[SELF_DRAW_MODE, ORDINARY]
            if rules.giver_may_win == 0:
                binding += (_OTHERS - 1) * BINDING_COST * POINT * rules.price[SELF_DRAW_MODE, ORDINARY]
    cost = CAUTION_SPECIAL * rules.price[DISCARD_MODE, SPECIAL]
    if rules.price[DISCARD_MODE, ORDINARY] != NO_PRICE:
        cost = CAUTION_ORDINARY * rules.price[DISCARD_MODE, ORDINARY]
    base = _ENDED[family, sight.draws] * cost >> 8
    safe, safe_but_one, safe_but_two = ZERO, ZERO, ZERO
    last = table.discard_count - 1
    if last >= 0 and table.discard_seat[last] != own_seat:
        safe = bit(table.discard_tile[last])
        if last >= 1 and table.discard_seat[last - 1] != own_seat:
            safe_but_one = bit(table.discard_tile[last - 1])
            if last >= 2 and table.discard_seat[last - 2] != own_seat:
                safe_but_two = bit(table.discard_tile[last - 2])
    return Danger(
        base * weight0 >> 8,
        base * weight1 >> 8,
        base * weight2 >> 8,
        base * weight3 >> 8,
        family,
        binding,
        safe,
        safe_but_one,
        safe_but_two,
        sight.ones,
        sight.twos,
        sight.fours,
    )


@jit.inlined
def read_melds(table: Record, rules: Record, seat: Int, own_seat: Int) -> Any:
    """Another seat's exposed melds, their suit, and how many binding ones this seat gave."""
    exposed = np.int64(0)
    given = np.int64(0)
    suit = np.int64(NO_SUIT)
    for meld in range(table.meld_count[seat]):
        kind = table.meld_kind[seat, meld]
        if kind == CONCEALED_KONG:
            continue
        exposed += 1
        suit = joined_suit(suit, table.meld_tile[seat, meld])
        counts = kind != CHOW_MELD or rules.liability_chow != 0
        given += counts and table.meld_from[seat, meld] == own_seat
    return exposed, suit, given


@jit.inlined
def suit_weight(collects: Any, collected: Any, suit: Any) -> Any:
    """How much more or less likely a seat that collects a suit wants a tile of this one, in 256ths."""
    if not collects:
        return 256
    return OWN_SUIT if suit == collected else OTHER_SUIT


@jit.inlined
def cost_of(danger: Danger, kind: Int) -> Int:
    """What the discard of a kind may cost, in 2^15ths of a point."""
    suit = kind // 9
    base = choose(suit == 2, danger.suit2, danger.honours)
    base = np.int64(choose(suit == 0, danger.suit0, choose(suit == 1, danger.suit1, base)))
    shift = np.uint64(kind)
    one = np.uint64(1)
    seen = np.int64(danger.ones >> shift & one) + 2 * np.int64(danger.twos >> shift & one)
    seen += 4 * np.int64(danger.fours >> shift & one)
    row = TILE_ROW[shift]
    cost = base * _WANTED[_U(row), _U(seen)] >> 8
    if has(danger.safe, kind):
        cost = np.int64(0)
    elif has(danger.safe_but_one, kind):
        cost = cost // _OTHERS
    elif has(danger.safe_but_two, kind):
        cost = 2 * cost // _OTHERS
    return cost + (danger.binding * _CLAIMED[_U(danger.family), _U(row), _U(seen)] >> 8)
