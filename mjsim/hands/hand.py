"""A hand's concealed tiles in the three forms that kernels use, kept in step tile by tile.

``counts`` (number of each kind) is for people and players, ``ones``/``twos``/``fours`` (its binary digits as sets of
kinds) answers "which kinds do I hold at least twice" in one instruction, ``keys`` leads into the evaluator's tables.
"""

from typing import Any

import numpy as np

from mjsim import jit
from mjsim.bits import ONE, TWO, ZERO, bit, count
from mjsim.hands.tables import HONOUR_KEY
from mjsim.state import Int, Record

_U = np.uint64
_HONOUR_KEY = _U(HONOUR_KEY)


@jit.kernel
def clear(hand: Record) -> None:
    """Make a hand empty."""
    hand.ones = ZERO
    hand.twos = ZERO
    hand.fours = ZERO
    hand.keys[0] = ZERO
    hand.keys[1] = ZERO
    hand.keys[2] = ZERO
    hand.keys[3] = _HONOUR_KEY
    for kind in range(34):
        hand.counts[kind] = 0
    hand.meld_count = 0


@jit.kernel
def add_tile(hand: Record, tables: Record, kind: Int) -> None:
    """Put one tile of a kind into the hand."""
    tile = bit(kind)
    ones = hand.ones
    twos = hand.twos
    carry = ones & tile
    hand.ones = ones ^ tile
    hand.twos = twos ^ carry
    hand.fours = hand.fours ^ (twos & carry)
    hand.keys[kind // 9] += tables.step[kind]
    hand.counts[kind] += 1


@jit.kernel
def remove_tile(hand: Record, tables: Record, kind: Int) -> None:
    """Take one tile of a kind, which the hand must hold, out of it."""
    tile = bit(kind)
    ones = hand.ones
    twos = hand.twos
    borrow = tile & ~ones
    hand.ones = ones ^ tile
    hand.twos = twos ^ borrow
    hand.fours = hand.fours ^ (borrow & ~twos)
    hand.keys[kind // 9] -= tables.step[kind]
    hand.counts[kind] -= 1


@jit.kernel
def load(hand: Record, tables: Record, counts: Any, melds: Int) -> None:
    """Set a hand to a row of counts (34 numbers) and a number of melds."""
    # Digits and keys grow in registers and are stored once: a store for each kind cost ten times as much.
    ones = ZERO
    twos = ZERO
    fours = ZERO
    for kind in range(34):
        held = _U(counts[kind])
        shift = _U(kind)
        ones |= (held & ONE) << shift
        twos |= (held >> ONE & ONE) << shift
        fours |= (held >> TWO) << shift
        hand.counts[kind] = counts[kind]
    hand.ones = ones
    hand.twos = twos
    hand.fours = fours
    hand.keys[0] = _key(tables, counts, 0, 9)
    hand.keys[1] = _key(tables, counts, 9, 18)
    hand.keys[2] = _key(tables, counts, 18, 27)
    hand.keys[3] = _key(tables, counts, 27, 34) + _HONOUR_KEY
    hand.meld_count = melds


@jit.inlined
def _key(tables: Record, counts: Any, first: Int, end: Int) -> Any:
    """What the tiles of the kinds from ``first`` to before ``end`` add to their suit's key."""
    key = ZERO
    for kind in range(first, end):
        key += _U(counts[kind]) * tables.step[kind]
    return key


@jit.inlined
def held(hand: Record) -> Any:
    """The kinds that the hand holds."""
    return hand.ones | hand.twos | hand.fours


@jit.inlined
def size(hand: Record) -> Any:
    """The number of concealed tiles."""
    return count(hand.ones) + 2 * count(hand.twos) + 4 * count(hand.fours)


@jit.inlined
def copies(kinds: Any, ones: Any, twos: Any, fours: Any) -> Any:
    """How many tiles of a set of kinds there are in counts given digit by digit."""
    return count(kinds & ones) + 2 * count(kinds & twos) + 4 * count(kinds & fours)
