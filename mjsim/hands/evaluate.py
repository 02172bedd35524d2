"""The evaluator for Python: one hand, or many at once.

A hand is 34 counts of concealed tiles and a number of melds (0–4). It holds 13 − 3·melds tiles at rest or 14 − 3·melds
after a draw; hands of fewer sets are refused, so that a forgotten meld is noticed.
"""

import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import types

from mjsim import jit
from mjsim.bits import write_kinds
from mjsim.errors import TilesError
from mjsim.hands.hand import load
from mjsim.hands.rows import has_five_of_a_kind, honour_key, pairs_held, suit_key, tiles_held
from mjsim.hands.shanten import NO_PAIRS, best_discard, effective_set, sets_distance
from mjsim.hands.tables import TABLES, tables
from mjsim.memory import new
from mjsim.state import SEAT, Int
from mjsim.tiles import COPIES, KINDS, name

Counts = Sequence[int] | npt.NDArray[np.integer[Any]]
Melds = int | npt.NDArray[np.integer[Any]] | Sequence[int] | None

AT_REST: Final = 1
AFTER_DRAW: Final = 2

table_type = jit.record_type(TABLES)
counts_type = types.Array(types.uint8, 2, "C", readonly=True)
_MELDS_OF_ONE_HAND: Final = np.arange(5).reshape(5, 1)
_MELDS_OF_ONE_HAND.flags.writeable = False

table_rows_type = types.Array(table_type, 1, "C", readonly=True)
_melds_type = types.Array(types.int64, 1, "C", readonly=True)
_kinds_type = types.boolean[:, ::1]


def shanten(counts: Counts, melds: int = 0) -> int:
    """How far a hand is from ready: −1 complete, 0 ready, 1 one tile from ready, and so on.

    Parameters
    ----------
    counts : sequence of int, shape (34,)
        Concealed tiles of each kind, 0–4.
    melds : int
        Melds already made, 0–4.

    Returns
    -------
    int
        −1 to 8; the lower of the standard shape and, without melds, seven pairs (a quad is two pairs).

    Raises
    ------
    TilesError
        Five of a kind, or a number of tiles that does not go with the melds.

    Examples
    --------
    >>> from mjsim.tiles import counts_of, parse
    >>> shanten(counts_of(parse("1112345678999m")))
    0
    >>> shanten(counts_of(parse("6p4s")), melds=4)
    0
    """
    return int(shanten_many(one_hand(counts), melds)[0])


def shanten_many(counts: npt.NDArray[np.uint8], melds: Melds = None) -> npt.NDArray[np.int8]:
    """Shanten of many hands.

    Parameters
    ----------
    counts : numpy.ndarray of uint8, shape (hand, 34)
        Concealed tiles of each kind.
    melds : int or array of int, shape (hand,), optional
        Melds already made, 0 unless given.

    Returns
    -------
    numpy.ndarray of int8, shape (hand,)
        −1 complete, 0 ready, …

    Examples
    --------
    >>> import mjsim
    >>> hands = np.zeros((1, 34), np.uint8)
    >>> hands[0, 27:34] = 2
    >>> shanten_many(hands)
    array([-1], dtype=int8)
    """
    hands, made = checked_hands(counts, melds, AT_REST, AFTER_DRAW)
    result = np.empty(len(hands), np.int8)
    _shanten_many(table_rows(), hands, made, result)
    return result


def is_complete(counts: Counts, melds: int = 0) -> bool:
    """Whether a hand is complete.

    >>> from mjsim.tiles import counts_of, parse
    >>> is_complete(counts_of(parse("11223344556677p")))
    True
    """
    return bool(is_complete_many(one_hand(counts), melds)[0])


def is_complete_many(counts: npt.NDArray[np.uint8], melds: Melds = None) -> npt.NDArray[np.bool_]:
    """Which of many hands are complete: bool, shape (hand,). Parameters as for `shanten_many`."""
    complete: npt.NDArray[np.bool_] = shanten_many(counts, melds) == -1
    return complete


def effective_tiles(counts: Counts, melds: int = 0) -> list[int]:
    """The kinds whose arrival lowers the shanten of a hand of 13 − 3·melds tiles, ascending.

    A kind of which the hand holds four cannot arrive. For a ready hand these are its winning tiles.

    Examples
    --------
    >>> from mjsim.tiles import counts_of, parse, text
    >>> text(effective_tiles(counts_of(parse("1112345678999m"))))
    '123456789m'
    """
    return [int(kind) for kind in np.flatnonzero(effective_tiles_many(one_hand(counts), melds)[0])]


def effective_tiles_many(counts: npt.NDArray[np.uint8], melds: Melds = None) -> npt.NDArray[np.bool_]:
    """Effective tiles of many hands: bool, shape (hand, kind). Parameters as for `shanten_many`."""
    hands, made = checked_hands(counts, melds, AT_REST)
    result = np.empty(hands.shape, np.bool_)
    _effective_many(table_rows(), hands, made, result)
    return result


def best_discards(counts: Counts, melds: int = 0) -> list[int]:
    """The kinds to discard from a hand of 14 − 3·melds tiles, ascending.

    Those that leave the lowest shanten and, of these, the most effective tiles, counting the copies that
    the hand itself does not hold.

    Examples
    --------
    >>> from mjsim.tiles import counts_of, parse, text
    >>> text(best_discards(counts_of(parse("123456789m1157z3s"))))
    '57z'
    """
    return [int(kind) for kind in np.flatnonzero(best_discards_many(one_hand(counts), melds)[0])]


def best_discards_many(counts: npt.NDArray[np.uint8], melds: Melds = None) -> npt.NDArray[np.bool_]:
    """Best discards of many hands: bool, shape (hand, kind). Parameters as for `shanten_many`."""
    hands, made = checked_hands(counts, melds, AFTER_DRAW)
    result = np.empty(hands.shape, np.bool_)
    _discards_many(table_rows(), hands, made, result)
    return result


def checked_melds(melds: Melds, hands: int) -> npt.NDArray[np.int64]:
    """One number of melds per hand, 0–4."""
    if melds is None:
        melds = 0
    if type(melds) is int and 0 <= melds <= 4:
        return _MELDS_OF_ONE_HAND[melds] if hands == 1 else np.full(hands, melds, np.int64)
    given = np.asarray(melds)
    if given.dtype.kind not in "iu" or given.shape not in ((), (hands,)):
        raise TilesError(f"melds of type {given.dtype} and shape {given.shape}: one whole number, or one for each hand")
    made = np.ascontiguousarray(np.broadcast_to(given.astype(np.int64), (hands,)))
    wrong = np.flatnonzero((made < 0) | (made > 4))
    if len(wrong):
        raise TilesError(f"hand {wrong[0]}: {made[wrong[0]]} melds; a hand has 0 to 4")
    return made


def one_hand(counts: Counts) -> npt.NDArray[np.uint8]:
    """A batch of one hand: uint8, shape (1, 34)."""
    row = _row(counts)
    if row.shape != (KINDS,):
        raise TilesError(f"counts of shape {row.shape}: one hand is 34 counts")
    return _bytes(row)[None, :]


def _row(counts: Counts) -> npt.NDArray[Any]:
    """Counts as an array; Python's own bytes are made of a list five times as fast as an array is."""
    if type(counts) is list and counts and type(counts[0]) is int:
        try:
            return np.frombuffer(bytes(counts), np.uint8)
        except (TypeError, ValueError):
            # Something else than whole numbers from 0 to 255, which NumPy can name.
            return np.asarray(counts)
    return np.asarray(counts)


def _bytes(counts: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Counts as bytes, refusing what would change on the way."""
    if counts.dtype == np.uint8:
        return counts
    if counts.dtype.kind not in "iu":
        raise TilesError(f"counts of type {counts.dtype}: whole numbers expected")
    if counts.size and (counts.min() < 0 or counts.max() > COPIES):
        worst = counts.min() if counts.min() < 0 else counts.max()
        raise TilesError(f"a count of {worst}: there are 0 to 4 tiles of each kind")
    return counts.astype(np.uint8)


def checked_hands(
    counts: npt.NDArray[np.uint8], melds: Melds, *sizes: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Hands and melds as kernels take them; refuses hands that do not hold 12 − 3·melds + one of ``sizes`` tiles."""
    hands = np.ascontiguousarray(_bytes(np.asarray(counts)))
    if hands.ndim != 2 or hands.shape[1] != KINDS:
        raise TilesError(f"counts of shape {hands.shape}: (hands, 34) expected")
    made = checked_melds(melds, len(hands))
    wrong = _first_wrong(hands, made, min(sizes), max(sizes))
    if wrong >= 0:
        raise TilesError(_complaint(wrong, hands[wrong], int(made[wrong]), sizes))
    return hands, made


def _complaint(index: int, counts: npt.NDArray[np.uint8], melds: int, sizes: tuple[int, ...]) -> str:
    kind = int(counts.argmax())
    if counts[kind] > COPIES:
        return f"hand {index}: {counts[kind]} copies of {name(kind)}: there are only four of each kind"
    allowed = " or ".join(str(12 - 3 * melds + size) for size in sizes)
    return f"hand {index}: {int(counts.sum())} concealed tiles with {melds} melds; {allowed} expected"


@jit.entry_on_call(types.int64(counts_type, _melds_type, types.int64, types.int64))
def _first_wrong(hands: Any, melds: Any, smallest: Int, largest: Int) -> Int:
    """The first hand with five of a kind or a wrong number of tiles, or -1."""
    for row in range(hands.shape[0]):
        if has_five_of_a_kind(hands, row):
            return row
        extra = tiles_held(hands, row) - 12 + 3 * melds[row]
        if extra < smallest or extra > largest:
            return row
    return -1


@functools.cache
def table_rows() -> Any:
    """The tables as an array of one record, which a kernel takes in a tenth of the time that a record needs."""
    return np.frombuffer(tables(), TABLES).view(np.recarray)


@jit.entry_on_call(types.void(table_rows_type, counts_type, _melds_type, types.int8[::1]))
def _shanten_many(table_rows: Any, hands: Any, melds: Any, result: Any) -> None:
    tables = table_rows[0]
    for row in range(hands.shape[0]):
        key0 = suit_key(hands, row, 0)
        key1 = suit_key(hands, row, 1)
        key2 = suit_key(hands, row, 2)
        by_sets = sets_distance(tables, key0, key1, key2, honour_key(hands, row), np.uint64(4 - melds[row]))
        by_pairs = np.int64(NO_PAIRS) if melds[row] else 7 - pairs_held(hands, row)
        result[row] = min(by_sets, by_pairs) - 1


@jit.entry_on_call(types.void(table_rows_type, counts_type, _melds_type, _kinds_type))
def _effective_many(table_rows: Any, hands: Any, melds: Any, result: Any) -> None:
    tables = table_rows[0]
    hand = new(SEAT)
    for row in range(hands.shape[0]):
        load(hand, tables, hands[row], melds[row])
        write_kinds(result, row, effective_set(tables, hand)[1])


@jit.entry_on_call(types.void(table_rows_type, counts_type, _melds_type, _kinds_type))
def _discards_many(table_rows: Any, hands: Any, melds: Any, result: Any) -> None:
    tables = table_rows[0]
    hand = new(SEAT)
    for row in range(hands.shape[0]):
        load(hand, tables, hands[row], melds[row])
        write_kinds(result, row, best_discard(tables, hand, hand.ones, hand.twos, hand.fours)[3])
