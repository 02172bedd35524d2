"""A row of 34 counts read eight at a time, for batches that need no hand record.

Keys, pairs and tiles of a hand are sums over its 34 counts. Each count is a byte, and a word of eight of them is added,
multiplied and shifted as a whole: every step works on all its lanes at once, none of which can overflow into the next
one as long as counts are at most four. ``mjsim.hands.hand.load`` is the same, count by count.
"""

from typing import Any, Final

import numpy as np

from mjsim import jit
from mjsim.hands.tables import HIGH_SIZE, HONOUR_KEY, LOW_SIZE
from mjsim.memory import eight_bytes
from mjsim.state import Flag, Int

_U = np.uint64
_ZERO: Final = _U(0)
_ONE: Final = _U(1)
_FIVE: Final = _U(5)
_25: Final = _U(25)
_EIGHT: Final = _U(8)
_16: Final = _U(16)
_32: Final = _U(32)
_48: Final = _U(48)
_LAST_RANK: Final = _U(LOW_SIZE << 16)  # rank 9 is the last base-5 digit of the key's high half: 5^4
_HONOUR_KEY: Final = _U(HONOUR_KEY)
assert HIGH_SIZE == 5 * LOW_SIZE

# One byte in two, two in four, four in eight; and in every byte: the lowest two bits, the lowest seven, the highest.
_BYTES: Final = _U(0x00FF00FF00FF00FF)
_PAIRS: Final = _U(0x0000FFFF0000FFFF)
_KEY: Final = _U(0x00000000FFFFFFFF)
_TWO_BITS: Final = _U(0x0303030303030303)
_SEVEN_BITS: Final = _U(0x7F7F7F7F7F7F7F7F)
_HIGHEST: Final = _U(0x8080808080808080)
_FIVE_OR_MORE: Final = _U(0x7B7B7B7B7B7B7B7B)  # 0x7b + 5 reaches the highest bit


@jit.inlined
def suit_key(rows: Any, row: Int, suit: Int) -> Any:
    """The key of a numbered suit."""
    first = 9 * suit
    return _key_of_eight(eight_bytes(rows, row, first)) + _LAST_RANK * _U(rows[row, first + 8])


@jit.inlined
def honour_key(rows: Any, row: Int) -> Any:
    """The key of the honours."""
    return _key_of_eight(eight_bytes(rows, row, 26) >> _EIGHT) + _HONOUR_KEY


@jit.inlined
def _key_of_eight(counts: Any) -> Any:
    """Two base-5 numbers of four digits each, from digits that are bytes."""
    twos = (counts & _BYTES) + _FIVE * (counts >> _EIGHT & _BYTES)
    fours = (twos & _PAIRS) + _25 * (twos >> _16 & _PAIRS)
    return (fours | fours >> _16) & _KEY


@jit.inlined
def pairs_held(rows: Any, row: Int) -> Int:
    """How many pairs there are in a row, four of a kind being two."""
    halves = (
        (eight_bytes(rows, row, 0) >> _ONE & _TWO_BITS)
        + (eight_bytes(rows, row, 8) >> _ONE & _TWO_BITS)
        + (eight_bytes(rows, row, 16) >> _ONE & _TWO_BITS)
        + (eight_bytes(rows, row, 24) >> _ONE & _TWO_BITS)
        + ((eight_bytes(rows, row, 26) >> _ONE & _TWO_BITS) >> _48)
    )
    return _sum_of_bytes(halves)


@jit.inlined
def tiles_held(rows: Any, row: Int) -> Int:
    """How many tiles there are in a row without five of a kind."""
    sums = (
        eight_bytes(rows, row, 0)
        + eight_bytes(rows, row, 8)
        + eight_bytes(rows, row, 16)
        + eight_bytes(rows, row, 24)
        + (eight_bytes(rows, row, 26) >> _48)
    )
    return _sum_of_bytes(sums)


@jit.inlined
def has_five_of_a_kind(rows: Any, row: Int) -> Flag:
    """Whether some count of a row is more than four."""
    marks = (
        _marks(eight_bytes(rows, row, 0))
        | _marks(eight_bytes(rows, row, 8))
        | _marks(eight_bytes(rows, row, 16))
        | _marks(eight_bytes(rows, row, 24))
        | _marks(eight_bytes(rows, row, 26))
    )
    return bool(marks & _HIGHEST != _ZERO)


@jit.inlined
def _marks(counts: Any) -> Any:
    """The highest bit of every byte that is more than four, among other bits."""
    return ((counts & _SEVEN_BITS) + _FIVE_OR_MORE) | counts


@jit.inlined
def _sum_of_bytes(counts: Any) -> Int:
    """The sum of eight bytes, none of which is above 127."""
    twos = (counts & _BYTES) + (counts >> _EIGHT & _BYTES)
    fours = (twos & _PAIRS) + (twos >> _16 & _PAIRS)
    return np.int64((fours & _KEY) + (fours >> _32))
