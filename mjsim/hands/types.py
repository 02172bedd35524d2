"""What a complete hand is: its hand types, and the names of the events that can come with a win.

A set of types is a 32-bit mask, bit i standing for ``TYPE_NAMES[i]``; an ordinary hand has none.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import types

from mjsim import jit
from mjsim.bits import ZERO, bit, count
from mjsim.errors import TilesError
from mjsim.hands.evaluate import AFTER_DRAW, Counts, checked_hands, counts_type, one_hand, table_rows, table_rows_type
from mjsim.hands.hand import held, load
from mjsim.hands.melds import Meld, parse_meld
from mjsim.hands.shanten import hand_distance, sets_distance
from mjsim.memory import new
from mjsim.state import CHOW_MELD, CONCEALED_KONG, NO_MELD, PUNG_MELD, SEAT, Flag, Int, Record
from mjsim.tiles import COPIES, KINDS, kinds_of, text

#: English and Chinese names of hand types and events, in the order of their bits.
TYPES: Final = (
    ("all_pungs", "对对胡"),
    ("full_flush", "清一色"),
    ("seven_pairs", "小七对"),
    ("quads_1", "豪华七对"),
    ("quads_2", "双豪华七对"),
    ("quads_3", "三豪华七对"),
    ("concealed_hand", "门清"),
    ("melded_hand", "全求人"),
    ("replacement_win", "杠上花"),
    ("kong_discard", "杠上炮"),
    ("robbing_kong", "抢杠"),
    ("last_tile_draw", "海底捞月"),
    ("last_tile_claim", "海底炮"),
    ("melded_discard", "全求炮"),
    ("heavenly_hand", "天胡"),
    ("earthly_hand", "地胡"),
    ("human_hand", "人胡"),
)
#: What a hand without any type is called.
ORDINARY: Final = ("ordinary", "基本胡")
_QUADS: Final = {"quads_1": "1 quad", "quads_2": "2 quads", "quads_3": "3 quads"}
TYPE_NAMES: Final = tuple(english for english, _ in TYPES)

_MASKS: Final = {english: np.uint64(1 << index) for index, english in enumerate(TYPE_NAMES)}
ALL_PUNGS: Final = _MASKS["all_pungs"]
FULL_FLUSH: Final = _MASKS["full_flush"]
SEVEN_PAIRS: Final = _MASKS["seven_pairs"]
QUADS_1: Final = _MASKS["quads_1"]
CONCEALED_HAND: Final = _MASKS["concealed_hand"]
MELDED_HAND: Final = _MASKS["melded_hand"]
REPLACEMENT_WIN: Final = _MASKS["replacement_win"]
KONG_DISCARD: Final = _MASKS["kong_discard"]
ROBBING_KONG: Final = _MASKS["robbing_kong"]
LAST_TILE_DRAW: Final = _MASKS["last_tile_draw"]
LAST_TILE_CLAIM: Final = _MASKS["last_tile_claim"]
MELDED_DISCARD: Final = _MASKS["melded_discard"]

MELDS: Final = 4  # the most a hand can have

_SUIT: Final = np.uint64(0x1FF)
_melds_type = types.Array(types.int8, 2, "C", readonly=True)


@jit.kernel
def common_types(hand: Record) -> Any:
    """The types that do not depend on how a complete hand is read: full flush, concealed and melded hand."""
    kinds = held(hand)
    for meld in range(hand.meld_count):
        kinds = kinds | bit(hand.meld_tile[meld])
    hand_types = ZERO
    if kinds & ~_SUIT == ZERO or kinds & ~(_SUIT << np.uint64(9)) == ZERO or kinds & ~(_SUIT << np.uint64(18)) == ZERO:
        hand_types = hand_types | FULL_FLUSH
    if hand.exposed_count == 0:
        hand_types = hand_types | CONCEALED_HAND
    if hand.exposed_count == 4:
        hand_types = hand_types | MELDED_HAND
    return hand_types


@jit.kernel
def is_all_pungs(hand: Record) -> Flag:
    """Whether a complete hand can be read as four pungs or kongs and a pair."""
    for meld in range(hand.meld_count):
        if hand.meld_kind[meld] == CHOW_MELD:
            return False
    triples = hand.ones & hand.twos
    pairs = hand.twos & ~hand.ones
    singles = hand.ones & ~hand.twos
    return bool(singles | hand.fours == ZERO and count(pairs) == 1 and count(triples) == 4 - hand.meld_count)


@jit.kernel
def is_seven_pairs(hand: Record) -> Flag:
    """Whether a hand is seven pairs, a quad counting as two."""
    return bool(hand.meld_count == 0 and hand.ones == ZERO and count(hand.twos) + 2 * count(hand.fours) == 7)


@jit.kernel
def is_standard(tables: Record, hand: Record) -> Flag:
    """Whether a hand is four sets and a pair."""
    keys = hand.keys
    return sets_distance(tables, keys[0], keys[1], keys[2], keys[3], np.uint64(4 - hand.meld_count)) == 0


@jit.kernel
def seven_pairs_types(hand: Record) -> Any:
    """Seven pairs, with how many quads."""
    quads = count(hand.fours)
    if quads == 0:
        return SEVEN_PAIRS
    return SEVEN_PAIRS | QUADS_1 << np.uint64(quads - 1)


@jit.kernel
def complete_types(hand: Record) -> Any:
    """Types of a complete hand in its richest reading; where both stand, seven pairs go before chows."""
    hand_types = common_types(hand)
    if is_seven_pairs(hand):
        return hand_types | seven_pairs_types(hand)
    if is_all_pungs(hand):
        return hand_types | ALL_PUNGS
    return hand_types


def mask_of(names: Iterable[str]) -> int:
    """The mask of some type names.

    >>> mask_of(["all_pungs", "seven_pairs"])
    5
    """
    return sum(1 << TYPE_NAMES.index(each) for each in set(names))


def names_of(mask: int) -> list[str]:
    """The type names of a mask, in the order of their bits.

    >>> names_of(5)
    ['all_pungs', 'seven_pairs']
    """
    return [each for index, each in enumerate(TYPE_NAMES) if mask >> index & 1]


def type_words(names: Iterable[str], lang: str = "en") -> str:
    """Hand types and events in words, English or Chinese (``zh``).

    >>> type_words(["seven_pairs", "quads_2"]), type_words([], "zh")
    ('seven pairs, 2 quads', '基本胡')
    """
    if lang == "zh":
        return "、".join(dict(TYPES)[each] for each in names) or ORDINARY[1]
    return ", ".join(_QUADS.get(each, each.replace("_", " ")) for each in names) or ORDINARY[0]


def hand_types(counts: Counts, melds: Sequence[str | Meld] = ()) -> list[str]:
    """The hand types of a complete hand.

    Parameters
    ----------
    counts : sequence of int, shape (34,)
        Concealed tiles, the winning tile included.
    melds : sequence of str or Meld
        Melds such as ``"pung 2z"`` or ``"kong- 5m"``; who gave the tile may be left out.

    Returns
    -------
    list of str
        Of ``all_pungs``, ``full_flush``, ``seven_pairs``, ``quads_1`` … ``quads_3``, ``concealed_hand`` and
        ``melded_hand``; none for an ordinary hand. Of two readings the one with more types; where a hand is both seven
        pairs and standard, seven pairs.

    Raises
    ------
    TilesError
        If the hand is not complete or cannot exist.

    Examples
    --------
    >>> from mjsim.tiles import counts_of, parse
    >>> hand_types(counts_of(parse("11122233344s")), ["pung 2z"])
    ['all_pungs']
    >>> hand_types(counts_of(parse("11113355778899m")))
    ['full_flush', 'seven_pairs', 'quads_1', 'concealed_hand']
    """
    made = [parse_meld(meld) if isinstance(meld, str) else meld for meld in melds]
    if len(made) > MELDS:
        raise TilesError(f"{len(made)} melds; a hand has 0 to {MELDS}")
    kinds = np.zeros((1, MELDS), np.int8)
    tiles = np.zeros((1, MELDS), np.int8)
    for index, meld in enumerate(made):
        kinds[0, index] = meld.kind
        tiles[0, index] = meld.tile
    return names_of(int(hand_types_many(one_hand(counts), kinds, tiles)[0]))


def hand_types_many(
    counts: npt.NDArray[np.uint8],
    meld_kinds: npt.NDArray[np.int8] | None = None,
    meld_tiles: npt.NDArray[np.int8] | None = None,
) -> npt.NDArray[np.uint32]:
    """The hand types of many complete hands.

    Parameters
    ----------
    counts : numpy.ndarray of uint8, shape (hand, 34)
        Concealed tiles of each kind, the winning tile included.
    meld_kinds : numpy.ndarray of int8, shape (hand, 4), optional
        Kinds of the melds: 0 none, 1 chow, 2 pung, 3 direct, 4 added, 5 concealed kong. No hand has melds unless given.
    meld_tiles : numpy.ndarray of int8, shape (hand, 4), optional
        Tile kinds of the melds, 0–33; the lowest of a chow. Not read where there is no meld.

    Returns
    -------
    numpy.ndarray of uint32, shape (hand,)
        Masks of types, bit i standing for ``TYPE_NAMES[i]``; as for `hand_types`.

    Raises
    ------
    TilesError
        Naming a hand that is not complete or cannot exist.

    Examples
    --------
    >>> from mjsim.tiles import counts_of, parse
    >>> masks = hand_types_many(np.array([counts_of(parse("22334455667788s"))], np.uint8))
    >>> names_of(masks[0])
    ['full_flush', 'seven_pairs', 'concealed_hand']
    """
    number = len(np.atleast_1d(counts))
    kinds, tiles = _checked_melds(meld_kinds, meld_tiles, number)
    hands, _ = checked_hands(counts, np.count_nonzero(kinds, axis=1), AFTER_DRAW)
    _refuse_five_of_a_kind(hands, kinds, tiles)
    result = np.empty(number, np.uint32)
    incomplete = _types_many(table_rows(), hands, kinds, tiles, result)
    if incomplete >= 0:
        melds = np.count_nonzero(kinds[incomplete])
        concealed = text(kinds_of(hands[incomplete].tolist()))
        raise TilesError(f"hand {incomplete}: {concealed} with {melds} melds is not complete")
    return result


def _checked_melds(
    meld_kinds: npt.NDArray[Any] | None, meld_tiles: npt.NDArray[Any] | None, hands: int
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Melds as the kernel takes them; refuses those that do not exist."""
    shape = (hands, MELDS)
    if meld_kinds is None and meld_tiles is None:
        return np.zeros(shape, np.int8), np.zeros(shape, np.int8)
    kinds, tiles = np.asarray(meld_kinds), np.asarray(meld_tiles)
    for what, array in (("meld_kinds", kinds), ("meld_tiles", tiles)):
        if array.shape != shape or array.dtype.kind not in "iu":
            raise TilesError(f"{what} of type {array.dtype} and shape {array.shape}: whole numbers, {shape} expected")
    made = kinds != NO_MELD
    _refuse((kinds < NO_MELD) | (kinds > CONCEALED_KONG), "a meld of kind {}; kinds are 1 to 5, 0 for none", kinds)
    _refuse(made & ((tiles < 0) | (tiles >= KINDS)), "a meld of tile {}; tile kinds are 0 to 33", tiles)
    _refuse((kinds == CHOW_MELD) & ((tiles >= 27) | (tiles % 9 > 6)), "no chow begins with tile {}", tiles)
    return np.ascontiguousarray(kinds, np.int8), np.where(made, tiles, 0).astype(np.int8)


def _refuse_five_of_a_kind(
    hands: npt.NDArray[np.uint8], kinds: npt.NDArray[np.int8], tiles: npt.NDArray[np.int8]
) -> None:
    """Count the tiles of hands and melds together."""
    held = hands.astype(np.int64)
    for slot in range(MELDS):
        chows = np.flatnonzero(kinds[:, slot] == CHOW_MELD)
        for rank in range(3):
            held[chows, tiles[chows, slot] + rank] += 1
        others = np.flatnonzero(kinds[:, slot] >= PUNG_MELD)
        held[others, tiles[others, slot]] += np.where(kinds[others, slot] == PUNG_MELD, 3, 4)
    _refuse(held > COPIES, "{} copies of a kind, melds included; there are only four of each kind", held)


def _refuse(wrong: npt.NDArray[np.bool_], complaint: str, values: npt.NDArray[Any]) -> None:
    """Raise the complaint with the value of the first wrong place, if there is any."""
    if wrong.any():
        hand, place = np.argwhere(wrong)[0]
        raise TilesError(f"hand {hand}: {complaint.format(values[hand, place])}")


@jit.entry_on_call(types.int64(table_rows_type, counts_type, _melds_type, _melds_type, types.uint32[::1]))
def _types_many(table_rows: Any, counts: Any, meld_kinds: Any, meld_tiles: Any, result: Any) -> Int:
    """Write the types of each hand; return the first that is not complete, or -1."""
    tables = table_rows[0]
    hand = new(SEAT)
    for row in range(counts.shape[0]):
        load(hand, tables, counts[row], 0)
        hand.exposed_count = 0
        for slot in range(MELDS):
            kind = np.int64(meld_kinds[row, slot])
            if kind != NO_MELD:
                hand.meld_kind[hand.meld_count] = kind
                hand.meld_tile[hand.meld_count] = meld_tiles[row, slot]
                hand.meld_count += 1
                hand.exposed_count += kind != CONCEALED_KONG
        if hand_distance(tables, hand) != 0:
            return row
        result[row] = complete_types(hand)
    return -1


def put_melds(hand: Record, melds: Sequence[Meld]) -> None:
    """Write melds into a hand record."""
    hand.meld_count = len(melds)
    hand.exposed_count = sum(meld.kind != CONCEALED_KONG for meld in melds)
    for index, meld in enumerate(melds):
        hand.meld_kind[index] = meld.kind
        hand.meld_tile[index] = meld.tile
        hand.meld_from[index] = meld.giver
