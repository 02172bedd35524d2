"""Exact counts over all hands of so many tiles, from the evaluator's own tables.

A hand's shanten depends on the four classes of its suits and its number of pairs alone, and the ways to draw a hand
multiply over the suits. So it is enough to count the patterns of one suit by class, tiles and pairs, and to convolve
the suits: integers from the first step to the last. The largest, C(136, 14) ≈ 4.25 × 10^18, fits 63 bits.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mjsim.errors import TilesError
from mjsim.hands.tables import CLASSES, HIGH_SIZE, LOW_RANKS, LOW_SIZE, MAX_TILES, MERGED, tables
from mjsim.tiles import COPIES

Integers = npt.NDArray[np.int64]

PAIRS: Final = MAX_TILES // 2
SETS: Final = 4
NUMBERED_SUITS: Final = 3

_DISTANCE_SHIFT: Final = 20
_CHOICES: Final = np.array([comb(COPIES, held) for held in range(COPIES + 1)], np.int64)


@dataclass(frozen=True)
class Count:
    """How many hands there are.

    Attributes
    ----------
    ways : int
        Selections of tiles, of C(136, 14) for fourteen: what probabilities are made of.
    patterns : int
        Different vectors of counts, each once.
    """

    ways: int
    patterns: int

    def __add__(self, other: "Count") -> "Count":
        return Count(self.ways + other.ways, self.patterns + other.patterns)

    def __sub__(self, other: "Count") -> "Count":
        return Count(self.ways - other.ways, self.patterns - other.patterns)


def total_count(tiles: int = MAX_TILES) -> Count:
    """All hands of so many tiles.

    Parameters
    ----------
    tiles : int
        0–14.

    Examples
    --------
    >>> total_count(14).ways
    4250305029168216000
    """
    if not 0 <= tiles <= MAX_TILES:
        raise TilesError(f"{tiles} tiles: 0 to {MAX_TILES} expected")
    totals = []
    for weight in range(2):
        by_tiles = np.ones(1, np.int64)
        for suit in _suits():
            of_suit = np.zeros(MAX_TILES + 1, np.int64)
            np.add.at(of_suit, suit.tiles, suit.weights[weight])
            by_tiles = np.convolve(by_tiles, of_suit)[: MAX_TILES + 1]
        totals.append(int(by_tiles[tiles]))
    return Count(*totals)


def complete_counts() -> dict[str, Count]:
    """Complete hands of fourteen tiles, by shape and hand type.

    Returns
    -------
    dict of str to Count
        ``standard`` (four sets and a pair), ``seven_pairs`` (a quad is two pairs), ``both`` and ``any`` of the two,
        ``all_pungs``, ``full_flush``, and a full flush that is ``full_flush_standard``, ``full_flush_seven_pairs``
        or ``full_flush_all_pungs``. A hand with two shapes or types counts under each.

    Examples
    --------
    >>> complete_counts()["full_flush_all_pungs"]
    Count(ways=2903040, patterns=1890)
    """
    joint = [_distances_by_pairs(MAX_TILES, weight) for weight in range(2)]
    return {
        "standard": Count(*(int(hands[:, 0].sum()) for hands in joint)),
        "seven_pairs": Count(*(int(hands[PAIRS].sum()) for hands in joint)),
        "both": Count(*(int(hands[PAIRS, 0]) for hands in joint)),
        "any": Count(*(int(hands[PAIRS].sum() + hands[:PAIRS, 0].sum()) for hands in joint)),
        "all_pungs": _all_pungs(),
        **_full_flushes(),
    }


def seven_pairs_counts() -> list[Count]:
    """Seven pairs by their number of quads, 0–3.

    Examples
    --------
    >>> [count.patterns for count in seven_pairs_counts()]
    [5379616, 8069424, 2782560, 185504]
    """
    ways, patterns = (
        functools.reduce(
            _product, [_grid(suit.even, suit.pairs, suit.quads, suit.weights[weight]) for suit in _suits()]
        )
        for weight in range(2)
    )
    return [Count(int(ways[PAIRS, quads]), int(patterns[PAIRS, quads])) for quads in range(PAIRS // 2 + 1)]


def type_counts() -> dict[tuple[str, ...], Count]:
    """Complete hands of fourteen concealed tiles by the set of their hand types.

    Returns
    -------
    dict of tuple of str to Count
        By the names of `mjsim.hands.types.hand_types`, without ``concealed_hand``, which all of them are. Every
        complete hand counts once, in its richest reading, ``()`` being an ordinary hand, so that they sum to ``any`` of
        `complete_counts`.

    Examples
    --------
    >>> type_counts()["all_pungs", "full_flush"]
    Count(ways=2903040, patterns=1890)
    """
    found = complete_counts()
    flushes = _flushes_by_quads()
    special = found["seven_pairs"] + found["all_pungs"] + found["full_flush"]
    twice = found["full_flush_seven_pairs"] + found["full_flush_all_pungs"]
    counts = {
        (): found["any"] - special + twice,
        ("all_pungs",): found["all_pungs"] - found["full_flush_all_pungs"],
        ("full_flush",): found["full_flush"] - twice,
        ("all_pungs", "full_flush"): found["full_flush_all_pungs"],
    }
    for quads, (every, flush) in enumerate(zip(seven_pairs_counts(), flushes, strict=True)):
        names = ("seven_pairs", *([f"quads_{quads}"] if quads else []))
        counts[names] = every - flush
        counts["full_flush", *names] = flush
    return counts


def shanten_counts(tiles: int = MAX_TILES, seven_pairs: bool = False) -> dict[int, int]:
    """Hands of so many concealed tiles by shanten.

    Parameters
    ----------
    tiles : int
        13 − 3·melds or 14 − 3·melds: 13 or 14 for a hand without melds, 10 or 11 with one, and so on.
    seven_pairs : bool
        Whether seven pairs count as a winning shape; only a hand without melds can be that.

    Returns
    -------
    dict of int to int
        Ways by shanten, ascending from the lowest that occurs; they sum to C(136, tiles).

    Examples
    --------
    >>> shanten_counts(2)
    {-1: 204, 0: 8976}
    >>> shanten_counts(13, seven_pairs=True)[0] < shanten_counts(14, seven_pairs=True)[0]
    True
    """
    if not 1 <= tiles <= MAX_TILES or tiles % 3 == 0:
        raise TilesError(f"{tiles} tiles: a hand has 13 or 14, or three fewer for each meld")
    if seven_pairs and tiles < MAX_TILES - 1:
        raise TilesError(f"{tiles} tiles: seven pairs need a hand of 13 or 14 tiles, without melds")
    counts: dict[int, int] = {}
    for (standard, nearest), ways in _shanten_both_ways(tiles).items():
        shanten = nearest if seven_pairs else standard
        counts[shanten] = counts.get(shanten, 0) + ways
    return dict(sorted(counts.items()))


def joint_shanten_counts(tiles: int = MAX_TILES) -> dict[tuple[int, int], int]:
    """Hands of 13 or 14 concealed tiles by their shanten without and with seven pairs.

    Returns
    -------
    dict of (int, int) to int
        Ways by both numbers, ascending.

    Examples
    --------
    >>> joint_shanten_counts()[0, -1]  # seven pairs that are a tile away from four sets and a pair
    2090226564
    """
    if not MAX_TILES - 1 <= tiles <= MAX_TILES:
        raise TilesError(f"{tiles} tiles: seven pairs need a hand of 13 or 14 tiles, without melds")
    return dict(sorted(_shanten_both_ways(tiles).items()))


def standard_shanten(counts: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Shanten of many hands of 13 or 14 tiles where seven pairs are no winning shape.

    Parameters
    ----------
    counts : ndarray of uint8, shape (hand, 34)
        Concealed tiles of each kind.

    Returns
    -------
    ndarray of int64, shape (hand,)
        −1 complete, 0 ready, … 8.

    Examples
    --------
    >>> from mjsim.tiles import counts_of, parse
    >>> standard_shanten(np.array([counts_of(parse("1155m2266p3388s77z"))], np.uint8))
    array([3])
    """
    table = tables()
    classes = []
    for suit, ranks in enumerate((9, 9, 9, 7)):
        held = counts[:, 9 * suit : 9 * suit + ranks].astype(np.int64)
        low = held[:, :LOW_RANKS] @ 5 ** np.arange(LOW_RANKS)
        high = held[:, LOW_RANKS:] @ 5 ** np.arange(ranks - LOW_RANKS)
        part = int(suit == NUMBERED_SUITS)
        pattern = table.low[part * LOW_SIZE + low] + table.high[part * HIGH_SIZE + high]
        classes.append(table.pattern_class[pattern].astype(np.int64))
    first = table.merged[classes[0] * CLASSES + classes[1]]
    second = table.merged[classes[2] * CLASSES + classes[3]]
    distance: Integers = (table.best.reshape(-1, MERGED, MERGED)[SETS, first, second] >> _DISTANCE_SHIFT).astype(
        np.int64
    )
    return distance - 1


def _shanten_both_ways(tiles: int) -> dict[tuple[int, int], int]:
    """Ways by shanten without and with seven pairs."""
    counts: dict[tuple[int, int], int] = {}
    for (pairs, distance), ways in np.ndenumerate(_distances_by_pairs(tiles, 0)):
        if ways:
            key = distance - 1, min(distance, PAIRS - pairs) - 1
            counts[key] = counts.get(key, 0) + int(ways)
    return counts


# --- one suit -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Suit:
    """Every pattern of one suit, each array of shape (pattern,)."""

    pattern_class: Integers
    tiles: Integers
    pairs: Integers  # a quad is two
    quads: Integers
    even: npt.NDArray[np.bool_]  # nothing but pairs and quads
    pungs: Integers
    pungs_and_pairs: npt.NDArray[np.bool_]  # nothing but pungs and pairs that are no quads
    weights: Integers  # shape (2, pattern): ways to draw the pattern, and 1


@functools.cache
def _suits() -> tuple[_Suit, _Suit, _Suit, _Suit]:
    numbered = _suit(9, part=0)
    return numbered, numbered, numbered, _suit(7, part=1)


def _suit(ranks: int, part: int) -> _Suit:
    """Patterns of a suit; ``part`` says which part of the look-up arrays is its own (see `mjsim.hands.tables`)."""
    table = tables()
    held = np.arange(COPIES + 1)
    codes = np.flatnonzero(_over_ranks(np.add, held, ranks) <= MAX_TILES)
    low = table.low[part * LOW_SIZE :][codes % LOW_SIZE]
    high = table.high[part * HIGH_SIZE :][codes // LOW_SIZE]
    ways = _over_ranks(np.multiply, _CHOICES, ranks)[codes]
    return _Suit(
        pattern_class=table.pattern_class[low + high].astype(np.int64),
        tiles=_over_ranks(np.add, held, ranks)[codes],
        pairs=_over_ranks(np.add, held // 2, ranks)[codes],
        quads=_over_ranks(np.add, (held == 4).astype(np.int64), ranks)[codes],
        even=_over_ranks(np.logical_and, held % 2 == 0, ranks)[codes],
        pungs=_over_ranks(np.add, (held == 3).astype(np.int64), ranks)[codes],
        pungs_and_pairs=_over_ranks(np.logical_and, np.isin(held, (0, 2, 3)), ranks)[codes],
        weights=np.stack([ways, np.ones_like(ways)]),
    )


def _over_ranks(combine: np.ufunc, values: npt.NDArray[Any], ranks: int) -> npt.NDArray[Any]:
    """A number of every pattern, by its code in base 5: ``values`` of its counts, combined over the ranks."""
    found = values
    for _ in range(ranks - 1):
        found = combine.outer(values, found).ravel()
    return found


# --- distances of whole hands -------------------------------------------------------------------------------------


@functools.cache
def _distances_by_pairs(tiles: int, weight: int) -> Integers:
    """Hands of so many tiles, shape (pairs 0–7, distance); ``weight`` 0 counts ways, 1 patterns."""
    first, second = _two_suits(0, 1, weight), _two_suits(2, 3, weight)
    joint = np.zeros((PAIRS + 1, MERGED, MERGED), np.int64)
    for in_first in range(tiles + 1):
        for first_pairs, second_pairs in _pairs_within(in_first, tiles - in_first):
            joint[first_pairs + second_pairs] += np.multiply.outer(
                first[in_first, first_pairs], second[tiles - in_first, second_pairs]
            )
    sets = (tiles - 1) // 3
    distance = (tables().best.reshape(-1, MERGED, MERGED)[sets] >> _DISTANCE_SHIFT).astype(np.int64)
    return np.stack([joint[:, distance == lacking].sum(axis=1) for lacking in range(distance.max() + 1)], axis=1)


@functools.cache
def _two_suits(first: int, second: int, weight: int) -> Integers:
    """Patterns of two suits together, shape (tiles 0–14, pairs 0–7, merged class)."""
    one, other = _by_class(first, weight), _by_class(second, weight)
    joint = np.zeros((MAX_TILES + 1, PAIRS + 1, CLASSES, CLASSES), np.int64)
    for in_one in range(MAX_TILES + 1):
        for in_other in range(MAX_TILES + 1 - in_one):
            for pairs, other_pairs in _pairs_within(in_one, in_other):
                joint[in_one + in_other, pairs + other_pairs] += np.multiply.outer(
                    one[in_one, pairs], other[in_other, other_pairs]
                )
    merged = tables().merged
    by_merged = np.argsort(merged, kind="stable")
    starts = np.searchsorted(merged[by_merged], np.arange(MERGED))
    flat = joint.reshape(MAX_TILES + 1, PAIRS + 1, CLASSES * CLASSES)
    return np.add.reduceat(flat[:, :, by_merged], starts, axis=2)


def _by_class(suit: int, weight: int) -> Integers:
    """Patterns of one suit, shape (tiles 0–14, pairs 0–7, class)."""
    patterns = _suits()[suit]
    hands = np.zeros((MAX_TILES + 1, PAIRS + 1, CLASSES), np.int64)
    np.add.at(hands, (patterns.tiles, patterns.pairs, patterns.pattern_class), patterns.weights[weight])
    return hands


def _pairs_within(tiles: int, other_tiles: int) -> Iterator[tuple[int, int]]:
    """All numbers of pairs that so many and so many tiles can hold."""
    for pairs in range(tiles // 2 + 1):
        for other_pairs in range(other_tiles // 2 + 1):
            yield pairs, other_pairs


# --- hand types ---------------------------------------------------------------------------------------------------


def _all_pungs() -> Count:
    """Four pungs and a pair."""
    ways, patterns = (
        functools.reduce(
            _product,
            [
                _grid(suit.pungs_and_pairs, suit.pairs - suit.pungs, suit.pungs, suit.weights[weight])
                for suit in _suits()
            ],
        )
        for weight in range(2)
    )
    return Count(int(ways[1, SETS]), int(patterns[1, SETS]))


def _full_flushes() -> dict[str, Count]:
    """Complete hands of one numbered suit; the other suits are empty, and the empty pattern has a class too."""
    table = tables()
    suit = _suits()[0]
    honours = _suits()[3]
    empty = suit.pattern_class[suit.tiles == 0]
    empty_honours = honours.pattern_class[honours.tiles == 0]
    first = table.merged[suit.pattern_class * CLASSES + empty].astype(np.int64)
    second = table.merged[empty * CLASSES + empty_honours].astype(np.int64)
    distance = table.best.reshape(-1, MERGED, MERGED)[SETS, first, second] >> _DISTANCE_SHIFT

    full = suit.tiles == MAX_TILES
    standard = full & (distance == 0)
    seven_pairs = full & (suit.pairs == PAIRS)
    chosen = {
        "full_flush": standard | seven_pairs,
        "full_flush_standard": standard,
        "full_flush_seven_pairs": seven_pairs,
        "full_flush_all_pungs": full & suit.pungs_and_pairs & (suit.pungs == SETS),
    }
    return {
        name: Count(*(NUMBERED_SUITS * suit.weights[:, patterns].sum(axis=1)).tolist())
        for name, patterns in chosen.items()
    }


def _flushes_by_quads() -> list[Count]:
    """Seven pairs of one numbered suit by their number of quads, 0–3."""
    suit = _suits()[0]
    seven_pairs = (suit.tiles == MAX_TILES) & (suit.pairs == PAIRS)
    return [
        Count(*(NUMBERED_SUITS * suit.weights[:, seven_pairs & (suit.quads == quads)].sum(axis=1)).tolist())
        for quads in range(PAIRS // 2 + 1)
    ]


def _grid(chosen: npt.NDArray[np.bool_], first: Integers, second: Integers, weights: Integers) -> Integers:
    """Chosen patterns of one suit by two numbers, 0–7 and 0–4."""
    hands = np.zeros((PAIRS + 1, SETS + 1), np.int64)
    np.add.at(hands, (first[chosen], second[chosen]), weights[chosen])
    return hands


def _product(one: Integers, other: Integers) -> Integers:
    """Two suits together: both numbers add up, and sums past the end of the grid are no hands of fourteen tiles."""
    hands = np.zeros_like(one)
    for (first, second), number in np.ndenumerate(one):
        hands[first:, second:] += number * other[: PAIRS + 1 - first, : SETS + 1 - second]
    return hands
