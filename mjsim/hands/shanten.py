"""Shanten, effective tiles and best discards, from the evaluator's tables.

Kernels speak of *distance*, the number of tiles a hand lacks: shanten + 1. A hand is four sets (melds included) and a
pair, or, without melds, seven pairs of which a quad counts as two (rules.md section 0, winning shapes).
"""

from typing import Any, Final, NamedTuple

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, choose, count, join_suits, lowest, part_suits, select_or, select_or_pairs
from mjsim.hands.hand import copies, held
from mjsim.hands.tables import CLASSES, MERGED
from mjsim.state import Flag, Int, Record
from mjsim.tiles import COPIES

_U = np.uint64
_CLASSES: Final = _U(CLASSES)
_MERGED: Final = _U(MERGED)
_LOW_HALF: Final = _U(0xFFFF)
_SIXTEEN: Final = _U(16)
_DISTANCE_SHIFT: Final = _U(20)
_SECOND_GOALS: Final = _U(10)

#: Stands for the seven-pairs distance of a hand with melds.
NO_PAIRS: Final = 99


@jit.inlined
def pattern(tables: Record, key: Any) -> Any:
    """Number of the pattern of one suit's key."""
    return _U(tables.low[key & _LOW_HALF]) + _U(tables.high[key >> _SIXTEEN])


@jit.inlined
def class_of(tables: Record, pattern: Any) -> Any:
    """Class of a pattern's distance vector."""
    return _U(tables.pattern_class[pattern])


@jit.inlined
def best_entry(tables: Record, sets: Any, classes01: Any, classes23: Any) -> Any:
    """Distance to ``sets`` sets and a pair, with the goals that attain it (see `tables.TABLES`)."""
    first = _U(tables.merged[classes01])
    second = _U(tables.merged[classes23])
    return _U(tables.best[(sets * _MERGED + first) * _MERGED + second])


@jit.inlined
def best_goals(tables: Record, entry: Any, classes01: Any, classes23: Any) -> Any:
    """For each suit the goals it takes in some best split, sixteen bits a suit."""
    return select_or_pairs(tables.splits, classes01, entry, classes23, entry >> _SECOND_GOALS)


class Suits(NamedTuple):
    """The patterns of a hand's suits, and the classes of their distance vectors."""

    row0: Any
    row1: Any
    row2: Any
    row3: Any
    class0: Any
    class1: Any
    class2: Any
    class3: Any


@jit.inlined
def suits_of(tables: Record, key0: Any, key1: Any, key2: Any, key3: Any) -> Suits:
    """The suits of four keys."""
    row0, row1, row2, row3 = pattern(tables, key0), pattern(tables, key1), pattern(tables, key2), pattern(tables, key3)
    class0, class1 = class_of(tables, row0), class_of(tables, row1)
    class2, class3 = class_of(tables, row2), class_of(tables, row3)
    return Suits(row0, row1, row2, row3, class0, class1, class2, class3)


@jit.inlined
def with_key(tables: Record, suits: Suits, suit: Int, key: Any) -> Suits:
    """The same suits but for one, which has this key now."""
    row = pattern(tables, key)
    its_class = class_of(tables, row)
    return Suits(
        choose(suit == 0, row, suits.row0),
        choose(suit == 1, row, suits.row1),
        choose(suit == 2, row, suits.row2),
        choose(suit == 3, row, suits.row3),
        choose(suit == 0, its_class, suits.class0),
        choose(suit == 1, its_class, suits.class1),
        choose(suit == 2, its_class, suits.class2),
        choose(suit == 3, its_class, suits.class3),
    )


@jit.inlined
def best_split(tables: Record, suits: Suits, sets: Any) -> Any:
    """The `best_entry` of a hand's suits."""
    return best_entry(tables, sets, suits.class0 * _CLASSES + suits.class1, suits.class2 * _CLASSES + suits.class3)


@jit.inlined
def distance_of(entry: Any) -> Int:
    """The distance in a `best_entry`."""
    return np.int64(entry >> _DISTANCE_SHIFT)


@jit.inlined
def kinds_by_goals(tables: Record, table: Any, suits: Suits, entry: Any) -> Any:
    """What a table says of each suit's pattern under the goals it takes in some best split, sixteen bits a suit."""
    goals = best_goals(tables, entry, suits.class0 * _CLASSES + suits.class1, suits.class2 * _CLASSES + suits.class3)
    return select_or(table, suits.row0, suits.row1, suits.row2, suits.row3, goals)


@jit.inlined
def pairs_distance(twos: Any, fours: Any, meld_count: Any) -> Any:
    """Tiles missing for seven pairs; `NO_PAIRS` with melds."""
    if meld_count != 0:
        return np.int64(NO_PAIRS)
    return 7 - count(twos) - 2 * count(fours)


@jit.kernel
def sets_distance(tables: Record, key0: Any, key1: Any, key2: Any, key3: Any, sets: Any) -> Int:
    """Tiles missing for ``sets`` sets and a pair."""
    return distance_of(best_split(tables, suits_of(tables, key0, key1, key2, key3), sets))


@jit.kernel
def hand_distance(tables: Record, hand: Record) -> Int:
    """Tiles missing for the nearest winning shape: shanten + 1."""
    keys = hand.keys
    distance = sets_distance(tables, keys[0], keys[1], keys[2], keys[3], _U(4 - hand.meld_count))
    return min(distance, pairs_distance(hand.twos, hand.fours, hand.meld_count))


@jit.kernel
def effective_set(tables: Record, hand: Record) -> Any:
    """The kinds whose arrival lowers the distance of a hand at rest.

    Returns
    -------
    tuple of (int64, uint64)
        The distance, and the set of kinds. Of a kind that the hand holds four times none can arrive.
    """
    keys = hand.keys
    suits = suits_of(tables, keys[0], keys[1], keys[2], keys[3])
    entry = best_split(tables, suits, _U(4 - hand.meld_count))
    by_sets = distance_of(entry)
    by_pairs = pairs_distance(hand.twos, hand.fours, hand.meld_count)
    distance = min(by_sets, by_pairs)
    kinds = ZERO
    if by_sets == distance:
        kinds = join_suits(kinds_by_goals(tables, tables.useful, suits, entry))
    if by_pairs == distance:
        kinds = kinds | hand.ones
    return distance, kinds


@jit.kernel
def distance_without(tables: Record, hand: Record, kind: Int, number: Int, sets: Int) -> Int:
    """Tiles missing for ``sets`` sets and a pair after ``number`` tiles of one kind have left the hand."""
    return distance_with_key(tables, hand, kind // 9, hand.keys[kind // 9] - _U(number) * tables.step[kind], sets)


@jit.kernel
def distance_with_key(tables: Record, hand: Record, suit: Int, key: Any, sets: Int) -> Int:
    """Tiles missing for ``sets`` sets and a pair if one suit's key were another."""
    key0 = choose(suit == 0, key, hand.keys[0])
    key1 = choose(suit == 1, key, hand.keys[1])
    key2 = choose(suit == 2, key, hand.keys[2])
    key3 = choose(suit == 3, key, hand.keys[3])
    return sets_distance(tables, key0, key1, key2, key3, _U(sets))


@jit.inlined
def best_discard(tables: Record, hand: Record, ones: Any, twos: Any, fours: Any) -> Any:
    """The discard that leaves the lowest distance, then the most live effective tiles, then the highest kind.

    Parameters
    ----------
    tables, hand : numpy.record
        The evaluator's tables; a hand that has just drawn or claimed.
    ones, twos, fours : uint64
        Copies that are not live, digit by digit (0–4 of each kind).

    Returns
    -------
    tuple of (int64, int64, uint64, uint64)
        The kind, the distance it leaves, its effective tiles, and the set of discards that are equally good.

    Notes
    -----
    Within, sets of kinds have sixteen bits for each suit, as the tables give them (`bits.part_suits`).
    """
    keys = hand.keys
    sets = _U(4 - hand.meld_count)
    suits = suits_of(tables, keys[0], keys[1], keys[2], keys[3])
    entry = best_split(tables, suits, sets)
    by_sets = distance_of(entry)
    by_pairs = pairs_distance(hand.twos, hand.fours, hand.meld_count)
    distance = min(by_sets, by_pairs)

    singles = part_suits(hand.ones)
    if distance == 0:
        # A complete hand can spare no tile, and any discard costs it one.
        spare = part_suits(held(hand))
        distance = np.int64(1)
    else:
        spare = spare_tiles(tables, suits, entry, singles, by_sets == distance, by_pairs == distance)
    pairs_matter = by_pairs <= distance

    ones, twos, fours = part_suits(ones), part_suits(twos), part_suits(fours)
    best_copies = np.int64(-1)
    best_place = ZERO
    best_places = ZERO
    best_effective = ZERO
    while spare != ZERO:
        place = lowest(spare)
        tile = bit(place)
        spare = spare ^ tile
        suit = place >> 4
        rest = with_key(tables, suits, suit, keys[suit] - tables.step[kind_at(place)])
        entry = best_split(tables, rest, sets)
        effective = kinds_by_goals(tables, tables.useful, rest, entry)
        if pairs_matter:
            effective = choose(distance_of(entry) == distance, effective, ZERO)
            # A tile of an odd number is not part of a pair: losing it costs seven pairs nothing.
            pairs_left = by_pairs + np.int64(singles & tile == ZERO)
            effective = effective | choose(pairs_left == distance, singles ^ tile, ZERO)
        live = COPIES * count(effective) - copies(effective, ones, twos, fours)
        better = live >= best_copies
        best_places = choose(live == best_copies, best_places | tile, choose(better, tile, best_places))
        best_effective = choose(better, effective, best_effective)
        best_place = choose(better, _U(place), best_place)
        best_copies = max(live, best_copies)
    return kind_at(np.int64(best_place)), distance, join_suits(best_effective), join_suits(best_places)


@jit.inlined
def spare_tiles(tables: Record, suits: Suits, entry: Any, singles: Any, sets_count: Flag, pairs_count: Flag) -> Any:
    """The tiles that some best reading can spare, by sets or by pairs: only their discard keeps the distance."""
    spare = ZERO
    if sets_count:
        spare = kinds_by_goals(tables, tables.free, suits, entry)
    if pairs_count:
        spare = spare | singles
    return spare


@jit.inlined
def kind_at(place: Int) -> Int:
    """The kind of a bit in a set with sixteen bits for each suit."""
    return place - 7 * (place >> 4)
