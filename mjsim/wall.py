"""Counter-based random numbers, the shuffle, the dice, the physical wall and the deal.

``docs/walls.md`` fixes which word of which stream does what; this module is that page in code.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import types

from mjsim import jit
from mjsim.errors import RunError
from mjsim.state import STREAM, WALL, Int, Record, new_record
from mjsim.tiles import TILES

WALL_PURPOSE: Final = 0
DICE_PURPOSE: Final = 1
PLAYER_PURPOSE: Final = 2  # plus the seat

DEALT_TILES: Final = 53  # tiles dealt before the first draw
RESERVED: Final = 8  # tiles set apart for fish
STACKS: Final = 17  # stacks of two tiles on each side of the wall

_U = np.uint64
_LOW: Final = _U(0xFFFFFFFF)
_HALF: Final = _U(32)
_MULTIPLIER: Final = (_U(0xD2511F53), _U(0xCD9E8D57))
_WEYL: Final = (_U(0x9E3779B9), _U(0xBB67AE85))
_TWO_32: Final = _U(1 << 32)
_ROUNDS: Final = 10
_BLOCK: Final = 4

# 135 swaps need at least 135 words; 36 blocks leave room for the rare rejected word.
_WALL_BLOCKS: Final = 36

# For each place of a shuffled wall: which products are refused so that all places left are as likely (Lemire 2019).
_THRESHOLDS: Final = np.array([2**32 % (TILES - index) for index in range(TILES)], np.uint64)


@jit.inlined
def philox(key0: Any, key1: Any, counter0: Any, counter1: Any, counter2: Any, counter3: Any) -> Any:
    """One block of Philox4x32-10.

    Parameters
    ----------
    key0, key1, counter0, counter1, counter2, counter3 : uint64
        32-bit values; 64-bit words hold their products without overflow.

    Returns
    -------
    tuple of four uint64
        32-bit output words.

    Notes
    -----
    Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC11, doi:10.1145/2063384.2063405.

    Examples
    --------
    >>> [hex(int(word)) for word in philox(*[np.uint64(0)] * 6)]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    for _ in range(_ROUNDS):
        product0 = _MULTIPLIER[0] * counter0
        product1 = _MULTIPLIER[1] * counter2
        counter0 = (product1 >> _HALF) ^ counter1 ^ key0
        counter2 = (product0 >> _HALF) ^ counter3 ^ key1
        counter1 = product1 & _LOW
        counter3 = product0 & _LOW
        key0 = (key0 + _WEYL[0]) & _LOW
        key1 = (key1 + _WEYL[1]) & _LOW
    return counter0, counter1, counter2, counter3


@jit.kernel
def start_stream(stream: Record, seed: np.uint64, deal: np.uint64, purpose: Int) -> None:
    """Set a stream to the first word of (seed, deal, purpose)."""
    stream.key[0] = seed & _LOW
    stream.key[1] = seed >> _HALF
    stream.counter[0] = _U(0)
    stream.counter[1] = _U(purpose)
    stream.counter[2] = deal & _LOW
    stream.counter[3] = deal >> _HALF
    stream.used = _BLOCK


@jit.kernel
def next_word(stream: Record) -> Any:
    """The next 32-bit word of a stream, as uint64."""
    if stream.used == _BLOCK:
        words = philox(
            stream.key[0],
            stream.key[1],
            stream.counter[0],
            stream.counter[1],
            stream.counter[2],
            stream.counter[3],
        )
        stream.words[0], stream.words[1], stream.words[2], stream.words[3] = words
        stream.counter[0] += _U(1)
        stream.used = 0
    word = stream.words[stream.used]
    stream.used += 1
    return word


@jit.inlined
def below(stream: Record, bound: Int) -> Int:
    """An unbiased number 0 ≤ x < bound; takes at least one word (Lemire 2019, doi:10.1145/3230636)."""
    size = _U(bound)
    product = next_word(stream) * size
    if product & _LOW < size:
        threshold = (_TWO_32 - size) % size
        while product & _LOW < threshold:
            product = next_word(stream) * size
    return np.int64(product >> _HALF)


@jit.kernel
def shuffle(wall: Record, stream: Record, seed: np.uint64, deal: np.uint64) -> None:
    """Fill ``wall.tiles`` with the wall of (seed, deal): kinds in drawing order. Uses ``stream`` as scratch."""
    start_stream(stream, seed, deal, WALL_PURPOSE)
    for block in range(_WALL_BLOCKS):
        words = philox(
            stream.key[0],
            stream.key[1],
            _U(block),
            stream.counter[1],
            stream.counter[2],
            stream.counter[3],
        )
        first = _BLOCK * block
        wall.words[first], wall.words[first + 1], wall.words[first + 2], wall.words[first + 3] = words
    stream.counter[0] = _U(_WALL_BLOCKS)
    for index in range(TILES):
        wall.tiles[index] = index >> 2
    taken = _U(0)
    for index in range(TILES - 1):
        size = _U(TILES - index)
        while True:
            word = wall.words[taken] if taken < _U(_BLOCK * _WALL_BLOCKS) else next_word(stream)
            taken += _U(1)
            product = word * size
            # The threshold is below the size, so it is hardly ever looked up.
            if product & _LOW >= size or product & _LOW >= _THRESHOLDS[index]:
                break
        other = _U(index) + (product >> _HALF)
        tile = wall.tiles[index]
        wall.tiles[index] = wall.tiles[other]
        wall.tiles[other] = tile


@jit.kernel
def shuffle_tiles(tiles: Any, number: Int, stream: Record) -> None:
    """Put the first so many tiles into random order, from the first place on (Fisher and Yates)."""
    for index in range(number - 1):
        other = index + below(stream, number - index)
        tile = tiles[index]
        tiles[index] = tiles[other]
        tiles[other] = tile


@jit.kernel
def roll(dice: Any, stream: Record, seed: np.uint64, deal: np.uint64) -> None:
    """The two dice of a deal, 1–6 each, into ``dice`` (int64[2]). Uses ``stream`` as scratch."""
    start_stream(stream, seed, deal, DICE_PURPOSE)
    dice[0] = 1 + below(stream, 6)
    dice[1] = 1 + below(stream, 6)


@jit.inlined
def dealt_seat(index: Int, dealer: Int) -> Int:
    """The seat that takes wall index 0–52 in the deal."""
    if index < 48:
        return (dealer + index // 4) & 3
    return (dealer + index) & 3


def physical_place(index: int, dealer: int, dice: tuple[int, int]) -> tuple[int, int, str]:
    """Where the tile of a wall index lay on the table.

    Parameters
    ----------
    index : int
        Index in drawing order, 0–135.
    dealer : int
        The dealer's seat, 0–3.
    dice : tuple of two int
        The dice, 1–6 each.

    Returns
    -------
    tuple
        Seat in front of which the side of the wall stands, stack counted from that side's right end (0–16), and
        ``"upper"`` or ``"lower"``.

    Notes
    -----
    rules.md section 0 (dice) and D (order in the wall).

    Examples
    --------
    Dice 2 and 3: the opposite wall, after five stacks.

    >>> physical_place(0, 0, (2, 3))
    (2, 5, 'upper')
    """
    side = (dealer + max(dice) - 1) % 4
    passed, stack = divmod(sum(dice) + index // 2, STACKS)
    # Play goes counter-clockwise, so clockwise is the seat before.
    return (side - passed) % 4, stack, "upper" if index % 2 == 0 else "lower"


def walls(seed: int, first: int, n: int) -> npt.NDArray[np.uint8]:
    """The walls of ``n`` consecutive deals.

    Parameters
    ----------
    seed : int
        0 ≤ seed < 2^64.
    first : int
        Index of the first deal.
    n : int
        How many deals.

    Returns
    -------
    numpy.ndarray of uint8, shape (deal, 136)
        Kinds 0–33 in drawing order.

    Raises
    ------
    RunError
        A seed or a range of deals that the counters cannot hold.

    Examples
    --------
    >>> walls(1, 0, 2).shape
    (2, 136)
    """
    check_range(seed, first, n)
    tiles = np.empty((n, TILES), np.uint8)
    _walls(tiles, np.uint64(seed), np.uint64(first), new_record(WALL), new_record(STREAM))
    return tiles


def check_range(seed: int, first: int, n: int) -> None:
    """Refuse a seed or range of deals that the counters cannot hold."""
    if not 0 <= seed < 1 << 64:
        raise RunError(f"seed {seed}: must be 0 to 2^64 - 1")
    if first < 0 or n < 0 or first + n > 1 << 62:
        raise RunError(f"deals {first} to {first + n}: must be within 0 to 2^62")


@jit.entry_on_call(
    types.void(types.uint8[:, ::1], types.uint64, types.uint64, jit.record_type(WALL), jit.record_type(STREAM))
)
def _walls(tiles: Any, seed: Any, first: Any, wall: Record, stream: Record) -> None:
    for row in range(tiles.shape[0]):
        shuffle(wall, stream, seed, first + _U(row))
        for index in range(TILES):
            tiles[row, index] = wall.tiles[index]
