"""Shanten, effective tiles and best discards, from the evaluator's tables.

Kernels speak of *distance*, the number of tiles a hand lacks: shanten + 1. A hand is four sets (melds included) and a
pair, or, without melds, seven pairs of which a quad counts as two (rules.md section 0, winning shapes).
"""

from typing import Any, Final

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, choose, count, join_suits, lowest, part_suits, select_or, select_or_pairs
from mjsim.hands.hand import copies, held
from mjsim.hands.tables import CLASSES, MERGED
from mjsim.state import Int, Record
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


@jit.inlined
def pairs_distance(twos: Any, fours: Any, meld_count: Any) -> Any:
    """Tiles missing for seven pairs; `NO_PAIRS` with melds."""
    if meld_count != 0:
        return np.int64(NO_PAIRS)
    return 7 - count(twos) - 2 * count(fours)


@jit.kernel
def sets_distance(tables: Record, key0: Any, key1: Any, key2: Any, key3: Any, sets: Any) -> Int:
    """Tiles missing for ``sets`` sets and a pair."""
    class0 = class_of(tables, pattern(tables, key0))
    class1 = class_of(tables, pattern(tables, key1))
    class2 = class_of(tables, pattern(tables, key2))
    class3 = class_of(tables, pattern(tables, key3))
    entry = best_entry(tables, sets, class0 * _CLASSES + class1, class2 * _CLASSES + class3)
    return np.int64(entry >> _DISTANCE_SHIFT)


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
    row0 = pattern(tables, hand.keys[0])
    row1 = pattern(tables, hand.keys[1])
    row2 = pattern(tables, hand.keys[2])
    row3 = pattern(tables, hand.keys[3])
    classes01 = class_of(tables, row0) * _CLASSES + class_of(tables, row1)
    classes23 = class_of(tables, row2) * _CLASSES + class_of(tables, row3)
    entry = best_entry(tables, _U(4 - hand.meld_count), classes01, classes23)
    by_sets = np.int64(entry >> _DISTANCE_SHIFT)
    by_pairs = pairs_distance(hand.twos, hand.fours, hand.meld_count)
    distance = min(by_sets, by_pairs)
    kinds = ZERO
    if by_sets == distance:
        goals = best_goals(tables, entry, classes01, classes23)
        kinds = join_suits(select_or(tables.useful, row0, row1, row2, row3, goals))
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
    sets = _U(4 - hand.meld_count)
    row0 = pattern(tables, hand.keys[0])
    row1 = pattern(tables, hand.keys[1])
    row2 = pattern(tables, hand.keys[2])
    row3 = pattern(tables, hand.keys[3])
    class0 = class_of(tables, row0)
    class1 = class_of(tables, row1)
    class2 = class_of(tables, row2)
    class3 = class_of(tables, row3)
    classes01 = class0 * _CLASSES + class1
    classes23 = class2 * _CLASSES + class3
    entry = best_entry(tables, sets, classes01, classes23)
    by_sets = np.int64(entry >> _DISTANCE_SHIFT)
    by_pairs = pairs_distance(hand.twos, hand.fours, hand.meld_count)
    distance = min(by_sets, by_pairs)

    # Only tiles that some best reading can spare keep the distance; a complete hand can spare none, and any discard
    # costs it one.
    singles = part_suits(hand.ones)
    spare = ZERO
    if distance == 0:
        spare = part_suits(held(hand))
        distance = np.int64(1)
    else:
        if by_sets == distance:
            goals = best_goals(tables, entry, classes01, classes23)
            spare = select_or(tables.free, row0, row1, row2, row3, goals)
        if by_pairs == distance:
            spare = spare | singles
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
        row = pattern(tables, hand.keys[suit] - tables.step[kind_at(place)])
        new_class = class_of(tables, row)
        classes01 = choose(suit == 0, new_class, class0) * _CLASSES + choose(suit == 1, new_class, class1)
        classes23 = choose(suit == 2, new_class, class2) * _CLASSES + choose(suit == 3, new_class, class3)
        entry = best_entry(tables, sets, classes01, classes23)
        effective = select_or(
            tables.useful,
            choose(suit == 0, row, row0),
            choose(suit == 1, row, row1),
            choose(suit == 2, row, row2),
            choose(suit == 3, row, row3),
            best_goals(tables, entry, classes01, classes23),
        )
        if pairs_matter:
            effective = choose(np.int64(entry >> _DISTANCE_SHIFT) == distance, effective, ZERO)
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
def kind_at(place: Int) -> Int:
    """The kind of a bit in a set with sixteen bits for each suit."""
    return place - 7 * (place >> 4)
