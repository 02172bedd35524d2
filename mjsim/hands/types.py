"""What a complete hand is: its hand types, and the names of the events that can come with a win.

A set of types is a 32-bit mask, bit i standing for ``TYPE_NAMES[i]``; an ordinary hand has none.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, count
from mjsim.errors import TilesError
from mjsim.hands.evaluate import Counts, shanten
from mjsim.hands.hand import held, load
from mjsim.hands.melds import Meld, parse_meld
from mjsim.hands.shanten import sets_distance
from mjsim.hands.tables import tables
from mjsim.state import CHOW_MELD, CONCEALED_KONG, SEAT, Record, new_record
from mjsim.tiles import counts_of, kinds_of

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
)
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

_SUIT: Final = np.uint64(0x1FF)


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
def is_all_pungs(hand: Record) -> bool:
    """Whether a complete hand can be read as four pungs or kongs and a pair."""
    for meld in range(hand.meld_count):
        if hand.meld_kind[meld] == CHOW_MELD:
            return False
    triples = hand.ones & hand.twos
    pairs = hand.twos & ~hand.ones
    singles = hand.ones & ~hand.twos
    return singles | hand.fours == ZERO and count(pairs) == 1 and count(triples) == 4 - hand.meld_count


@jit.kernel
def is_seven_pairs(hand: Record) -> bool:
    """Whether a hand is seven pairs, a quad counting as two."""
    return hand.meld_count == 0 and hand.ones == ZERO and count(hand.twos) + 2 * count(hand.fours) == 7


@jit.kernel
def is_standard(tables: Record, hand: Record) -> bool:
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
def complete_types(tables: Record, hand: Record) -> Any:
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
        Of ``all_pungs``, ``full_flush``, ``seven_pairs``, ``quads_1`` … ``quads_3``, ``concealed_hand``, ``melded_hand``; none for an
        ordinary hand. Of two readings the one with more types; where a hand is both seven pairs and standard, seven pairs.

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
    if shanten(counts, len(made)) != -1:
        raise TilesError(f"{len(made)} melds and these concealed tiles are not a complete hand")
    counts_of(kinds_of(list(counts)) + [kind for meld in made for kind in meld.tiles])
    hand = new_record(SEAT)
    load(hand, tables(), np.asarray(counts, np.uint8), len(made))
    put_melds(hand, made)
    return names_of(int(complete_types(tables(), hand)))


def put_melds(hand: Record, melds: Sequence[Meld]) -> None:
    """Write melds into a hand record."""
    hand.meld_count = len(melds)
    hand.exposed_count = sum(meld.kind != CONCEALED_KONG for meld in melds)
    for index, meld in enumerate(melds):
        hand.meld_kind[index] = meld.kind
        hand.meld_tile[index] = meld.tile
        hand.meld_from[index] = meld.giver
