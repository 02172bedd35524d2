"""The evaluator against an independent brute force: every pattern of a suit, and whole hands of every sort."""

import functools
import hashlib
import os
import random
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mjsim.cache import cache_home
from mjsim.errors import TilesError
from mjsim.hands import evaluate, types
from mjsim.hands import tables as tables_module
from mjsim.hands.evaluate import (
    best_discards,
    best_discards_many,
    effective_tiles,
    effective_tiles_many,
    is_complete,
    is_complete_many,
    shanten,
    shanten_many,
)
from mjsim.hands.melds import Meld
from mjsim.hands.tables import CLASSES, CONTENT_SHA256, GOALS, HIGH_SIZE, LOW_RANKS, LOW_SIZE, MERGED, tables
from mjsim.hands.types import hand_types, hand_types_many, mask_of
from mjsim.state import CHOW_MELD, CONCEALED_KONG, DIRECT_KONG, NO_MELD, PUNG_MELD
from mjsim.tiles import COPIES, KINDS, counts_of, parse, parse_tile, text
from tests.naive import hands as naive

Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]

GOLDEN: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "golden" / "hands.toml").read_text(encoding="utf-8")
)["hand"]

SUITS = ("numbered", "honours")


# --- every pattern of one suit ------------------------------------------------------------------------------------


@functools.cache
def patterns_of(suit: str) -> tuple[Bytes, Bytes]:
    """Every pattern of a suit and its ten distances, by brute force."""
    return naive.all_vectors(chows=suit == "numbered")


def numbers_of(suit: str, counts: Integers) -> Integers:
    """The engine's number of each pattern, from its look-up arrays."""
    part = SUITS.index(suit)
    codes = counts @ 5 ** np.arange(counts.shape[1])
    low = tables().low[part * LOW_SIZE :][codes % 5**LOW_RANKS]
    high = tables().high[part * HIGH_SIZE :][codes // 5**LOW_RANKS]
    numbers: Integers = low.astype(np.int64) + high
    return numbers


@functools.cache
def class_vectors() -> Integers:
    """The distances of each class, shape (class, goal), as brute force has them for the class's patterns."""
    vectors = np.full((CLASSES, GOALS), -1, np.int64)
    for suit in SUITS:
        counts, distances = patterns_of(suit)
        vectors[tables().pattern_class[numbers_of(suit, counts.astype(np.int64))]] = distances
    assert vectors.min() >= 0
    return vectors


@functools.cache
def merged_vectors() -> Integers:
    """The distances of each merged class, shape (merged class, goal)."""
    vectors = np.full((MERGED, GOALS), -1, np.int64)
    vectors[tables().merged] = joint_vectors()
    assert vectors.min() >= 0
    return vectors


@functools.cache
def joint_vectors() -> Integers:
    """The distances of two suits together for each pair of classes, shape (class·130 + class, goal)."""
    first, second = np.divmod(np.arange(CLASSES**2), CLASSES)
    return np.stack(
        [
            np.min([class_vectors()[first, one] + class_vectors()[second, other] for one, other in splits], axis=0)
            for splits in map(splits_of, range(GOALS))
        ],
        axis=1,
    )


def splits_of(goal: int) -> list[tuple[int, int]]:
    """All ways to share a goal (pair·5 + sets) between two: goals of the first and of the second."""
    pair, sets = divmod(goal, 5)
    return [(5 * p + s, 5 * (pair - p) + sets - s) for p in range(pair + 1) for s in range(sets + 1)]


@pytest.mark.parametrize(("suit", "patterns"), [("numbered", 405_350), ("honours", 43_130)])
def test_patterns_are_numbered_without_gaps(suit: str, patterns: int) -> None:
    counts, _ = patterns_of(suit)
    first = 0 if suit == "numbered" else 405_350
    numbers = np.sort(numbers_of(suit, counts.astype(np.int64)))
    assert np.array_equal(numbers, np.arange(first, first + patterns))


@pytest.mark.parametrize("suit", SUITS)
def test_a_class_has_the_distances_of_all_its_patterns(suit: str) -> None:
    counts, distances = patterns_of(suit)
    found = tables().pattern_class[numbers_of(suit, counts.astype(np.int64))]
    assert np.array_equal(class_vectors()[found], distances)


def test_classes_differ() -> None:
    assert len(np.unique(class_vectors(), axis=0)) == CLASSES


@pytest.mark.parametrize("suit", SUITS)
def test_useful_and_free_ranks_of_every_pattern(suit: str) -> None:
    counts, distances = patterns_of(suit)
    ranks = counts.shape[1]
    numbers = numbers_of(suit, counts.astype(np.int64))
    useful, free = tables().useful[numbers], tables().free[numbers]
    # Where each pattern stands in the brute force's list, by its code in base 5.
    weights = 5 ** np.arange(ranks)
    codes = counts.astype(np.int64) @ weights
    index = np.full(5**ranks, -1, np.int64)
    index[codes] = np.arange(len(codes))
    for rank in range(ranks):
        held = counts[:, rank]
        fewer = distances[index[np.where(held > 0, codes - weights[rank], codes)]]
        expected = (fewer == distances) & (held > 0)[:, None]
        assert np.array_equal(free[:, :GOALS] >> rank & 1, expected)

        more = distances[index[np.where(held < COPIES, codes + weights[rank], codes)]]
        fifteen = (held < COPIES) & (counts.sum(axis=1) == 14)
        one_more = counts[fifteen].copy()
        one_more[:, rank] += 1
        more[fifteen] = naive.vectors_by_rank(one_more, chows=suit == "numbered")
        assert np.array_equal(useful[:, :GOALS] >> rank & 1, more < distances)
    assert not (useful >> ranks).any()
    assert not (free >> ranks).any()
    assert not useful[:, GOALS:].any()
    assert not free[:, GOALS:].any()


def test_merged_classes_have_the_distances_of_all_their_pairs() -> None:
    assert np.array_equal(merged_vectors()[tables().merged], joint_vectors())
    assert len(np.unique(merged_vectors(), axis=0)) == MERGED


@pytest.mark.parametrize("goal", range(GOALS))
def test_splits_are_the_best_ones(goal: int) -> None:
    first, second = np.divmod(np.arange(CLASSES**2), CLASSES)
    expected = np.zeros(CLASSES**2, np.int64)
    for one, other in splits_of(goal):
        best = class_vectors()[first, one] + class_vectors()[second, other] == joint_vectors()[:, goal]
        expected |= np.where(best, 1 << one | 1 << 16 + other, 0)
    assert np.array_equal(tables().splits[:, goal], expected)
    assert not tables().splits[:, GOALS:].any()


@pytest.mark.parametrize("sets", range(5))
def test_best_is_the_least_distance_and_its_goals(sets: int) -> None:
    first, second = np.divmod(np.arange(MERGED**2), MERGED)
    costs = {
        (one, other): merged_vectors()[first, one] + merged_vectors()[second, other]
        for one, other in splits_of(5 + sets)
    }
    least = np.min(list(costs.values()), axis=0)
    expected = least << 20
    for (one, other), cost in costs.items():
        expected |= np.where(cost == least, 1 << one | 1 << 10 + other, 0)
    assert np.array_equal(tables().best[sets * MERGED**2 :][: MERGED**2], expected)


@pytest.mark.parametrize("melds", range(5))
@pytest.mark.parametrize("start", [0, 9, 18, 27])
def test_hands_of_one_suit(start: int, melds: int) -> None:
    counts, distances = patterns_of("honours" if start == 27 else "numbered")
    fitting = np.isin(counts.sum(axis=1), (13 - 3 * melds, 14 - 3 * melds))
    counts, vectors = counts[fitting], distances[fitting].astype(np.int64)
    hands = np.zeros((len(counts), KINDS), np.uint8)
    hands[:, start : start + counts.shape[1]] = counts
    # What this suit does not supply, the three empty ones lack completely.
    sets = 4 - melds
    expected = np.min(
        [vectors[:, 5 * p + s] + 3 * (sets - s) + 2 * (1 - p) for p in range(2) for s in range(sets + 1)], axis=0
    )
    if melds == 0:
        expected = np.minimum(expected, 7 - (counts // 2).sum(axis=1))
    assert len(hands) > 0
    assert np.array_equal(shanten_many(hands, melds) + 1, expected)


# --- whole hands --------------------------------------------------------------------------------------------------


def dealt(generator: random.Random, kinds: list[int], tiles: int) -> list[int]:
    """Counts of so many tiles out of all copies of some kinds."""
    return counts_of(generator.sample([kind for kind in kinds for _ in range(COPIES)], tiles))


def near_complete(generator: random.Random, kinds: list[int], tiles: int) -> list[int]:
    """Counts of a complete hand of some kinds with up to four tiles exchanged: what play comes to."""
    while True:
        held = [0] * KINDS
        for _ in range((tiles - 1) // 3):
            low = generator.choice(kinds)
            chow = low < 27 and low % 9 < 7 and generator.random() < 0.6
            for kind in (low, low + 1, low + 2) if chow else (low, low, low):
                held[kind] += 1
        held[generator.choice(kinds)] += 2
        for _ in range(generator.randrange(5)):
            held[generator.choice([kind for kind in range(KINDS) if held[kind]])] -= 1
            held[generator.choice(kinds)] += 1
        while sum(held) > tiles:
            held[generator.choice([kind for kind in range(KINDS) if held[kind]])] -= 1
        if max(held) <= COPIES:
            return held


def quads(generator: random.Random, kinds: list[int], tiles: int) -> list[int]:
    """Counts of as many quads of some kinds as go in, one broken at times, and other tiles."""
    whole = generator.sample(kinds, min(len(kinds), tiles // 4))
    held = [0] * KINDS
    for kind in whole:
        held[kind] = COPIES
    if generator.random() < 0.5:
        held[whole[0]] = 2
    rest = [kind for kind in range(KINDS) for _ in range(COPIES - held[kind])]
    for kind in generator.sample(rest, tiles - sum(held)):
        held[kind] += 1
    return held


ALL = list(range(KINDS))
RANGES: dict[str, list[int]] = {
    "any": ALL,
    "one suit": ALL[9:18],
    "one suit and honours": ALL[:9] + ALL[27:],
    "two suits": ALL[9:27],
    "honours": ALL[27:],
    "ends": [kind for kind in ALL if kind >= 27 or kind % 9 in (0, 8)],
    "middles": [kind for kind in ALL if kind < 27 and kind % 9 in (3, 4, 5)],
}
SOURCES: dict[str, Callable[[random.Random, list[int], int], list[int]]] = {
    "dealt": dealt,
    "near complete": near_complete,
    "quads": quads,
}


def hands_for(seed: int, each: int, *, drawn: int) -> Iterator[tuple[list[int], int]]:
    """Hands of every source, range and number of melds, ``each`` of them; ``drawn`` 1 after a draw, 0 at rest."""
    generator = random.Random(seed)
    for source in SOURCES.values():
        for kinds in RANGES.values():
            for melds in range(5):
                for _ in range(each):
                    tiles = 13 - 3 * melds + drawn
                    make = dealt if source is quads and tiles < COPIES else source
                    yield make(generator, kinds, tiles), melds


def batch(hands: list[tuple[list[int], int]]) -> tuple[Bytes, Integers]:
    """Hands and melds as the batch calls want them."""
    return np.array([held for held, _ in hands], np.uint8), np.array([melds for _, melds in hands], np.int64)


def effective_by_trial(counts: list[int], melds: int) -> tuple[int, set[int]]:
    """Shanten of a hand at rest and its effective tiles, by brute force."""
    return naive.shanten(counts, melds), naive.effective_tiles(counts, melds)


def best_by_trial(counts: list[int], melds: int) -> list[int]:
    """Discards that leave the lowest shanten and then the most effective tiles that the hand itself does not hold."""
    merits = {}
    for kind in (kind for kind in range(KINDS) if counts[kind]):
        left = naive.with_change(counts, kind, -1)
        after, kinds = effective_by_trial(left, melds)
        merits[kind] = -after, sum(COPIES - counts[each] for each in kinds)
    return [kind for kind, merit in merits.items() if merit == max(merits.values())]


@pytest.mark.parametrize("drawn", [0, 1])
def test_shanten_of_whole_hands(drawn: int) -> None:
    hands = list(hands_for(seed=11 + drawn, each=60, drawn=drawn))
    expected = [naive.shanten(*hand) for hand in hands]
    counts, melds = batch(hands)
    assert len(hands) > 6_000
    assert shanten_many(counts, melds).tolist() == expected
    assert is_complete_many(counts, melds).tolist() == [each == -1 for each in expected]
    assert set(expected) >= set(range(-drawn, 7))


def test_effective_tiles_of_whole_hands() -> None:
    hands = list(hands_for(seed=13, each=10, drawn=0))
    counts, melds = batch(hands)
    found = effective_tiles_many(counts, melds)
    for row, (held, made) in enumerate(hands):
        assert set(np.flatnonzero(found[row]).tolist()) == effective_by_trial(held, made)[1], text_of(held, made)


def test_best_discards_of_whole_hands() -> None:
    hands = list(hands_for(seed=14, each=4, drawn=1))
    counts, melds = batch(hands)
    found = best_discards_many(counts, melds)
    for row, (held, made) in enumerate(hands):
        assert np.flatnonzero(found[row]).tolist() == best_by_trial(held, made), text_of(held, made)


def text_of(counts: list[int], melds: int) -> str:
    """A hand for the message of a failing test."""
    return f"{text(kind for kind, held in enumerate(counts) for _ in range(held))} with {melds} melds"


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["tiles"])
def test_hands_that_others_got_wrong(golden: dict[str, Any]) -> None:
    kinds, melds = parse(golden["tiles"]), golden.get("melds", 0)
    if golden.get("error"):
        with pytest.raises(TilesError):
            shanten(counts_of(kinds), melds)
        return
    counts = counts_of(kinds)
    if "complete" in golden:
        assert is_complete(counts, melds) == golden["complete"]
    if "shanten" in golden:
        assert shanten(counts, melds) == golden["shanten"]
    for discard, waits in golden.get("waits", {}).items():
        rest = naive.with_change(counts, parse_tile(discard), -1)
        assert shanten(rest, melds) == 0
        assert effective_tiles(rest, melds) == parse(waits)
    if "types" in golden:
        assert hand_types(counts, [golden["meld"]]) == golden["types"]


# --- one hand and many --------------------------------------------------------------------------------------------


def test_one_hand_is_a_batch_of_one() -> None:
    at_rest, drawn = list(hands_for(15, 1, drawn=0)), list(hands_for(16, 1, drawn=1))
    for hands in (at_rest, drawn):
        assert [shanten(*hand) for hand in hands] == shanten_many(*batch(hands)).tolist()
        assert [is_complete(*hand) for hand in hands] == is_complete_many(*batch(hands)).tolist()
    effective = [np.flatnonzero(row).tolist() for row in effective_tiles_many(*batch(at_rest))]
    assert [effective_tiles(*hand) for hand in at_rest] == effective
    best = [np.flatnonzero(row).tolist() for row in best_discards_many(*batch(drawn))]
    assert [best_discards(*hand) for hand in drawn] == best


def test_results_have_the_promised_types() -> None:
    hand = np.zeros((2, KINDS), np.uint8)
    hand[:, :4] = 4, 4, 4, 1
    assert shanten_many(hand).dtype == np.int8
    assert is_complete_many(hand).dtype == np.bool_
    assert effective_tiles_many(hand).dtype == np.bool_
    assert effective_tiles_many(hand).shape == (2, KINDS)


def test_an_empty_batch() -> None:
    nothing = np.zeros((0, KINDS), np.uint8)
    assert shanten_many(nothing).shape == (0,)
    assert effective_tiles_many(nothing).shape == (0, KINDS)
    assert best_discards_many(nothing).shape == (0, KINDS)
    assert hand_types_many(nothing).shape == (0,)


def test_read_only_strided_and_wider_counts() -> None:
    counts, melds = batch(list(hands_for(17, 1, drawn=1)))
    expected = shanten_many(counts, melds)
    locked, locked_melds = counts.copy(), melds.copy()
    locked.flags.writeable = locked_melds.flags.writeable = False
    assert np.array_equal(shanten_many(locked, locked_melds), expected)
    assert np.array_equal(shanten_many(np.asfortranarray(counts), melds), expected)
    spread = np.zeros((2 * len(counts), 2 * KINDS), np.uint8)
    spread[::2, ::2] = counts
    assert np.array_equal(shanten_many(spread[::2, ::2], melds), expected)
    assert np.array_equal(shanten_many(counts[::-1], melds[::-1]), expected[::-1])
    for dtype in (np.int8, np.int64, np.uint16):
        assert np.array_equal(shanten_many(counts.astype(dtype), melds.astype(np.int8)), expected)
    assert np.array_equal(best_discards_many(locked, melds), best_discards_many(counts, melds))


def test_melds_for_all_hands_or_for_each() -> None:
    counts = np.zeros((3, KINDS), np.uint8)
    counts[:, 0] = 2
    assert shanten_many(counts, 4).tolist() == shanten_many(counts, [4, 4, 4]).tolist() == [-1, -1, -1]


COMPLETE = counts_of(parse("11223344556677p"))


def batch_with(row: list[Any], dtype: Any = np.uint8) -> npt.NDArray[Any]:
    """Five hands, all good but the one at index 3."""
    return np.array([COMPLETE, COMPLETE, COMPLETE, row, COMPLETE], dtype)


@pytest.mark.parametrize(
    ("counts", "melds", "message"),
    [
        (batch_with([5, 4, 4, 1] + [0] * 30), 0, "hand 3: 5 copies of 1m: there are only four of each kind"),
        (batch_with([0] * 33 + [255]), 0, "hand 3: 255 copies of 7z: there are only four of each kind"),
        # A sum of 256 + 14 would pass for fourteen in one byte.
        (batch_with([120, 120, 30] + [0] * 31), 0, "hand 3: 120 copies of 1m: there are only four of each kind"),
        (batch_with([4, 4, 4] + [0] * 31), 0, "hand 3: 12 concealed tiles with 0 melds; 13 or 14 expected"),
        (batch_with([4, 4, 4, 3] + [0] * 30), 0, "hand 3: 15 concealed tiles with 0 melds; 13 or 14 expected"),
        (batch_with(COMPLETE), [0, 0, 0, 1, 0], "hand 3: 14 concealed tiles with 1 melds; 10 or 11 expected"),
        (batch_with(COMPLETE), [0, 0, 0, 5, 0], "hand 3: 5 melds; a hand has 0 to 4"),
        (batch_with(COMPLETE), [0, 0, 0, -1, 0], "hand 3: -1 melds; a hand has 0 to 4"),
        (batch_with(COMPLETE), -1, "hand 0: -1 melds; a hand has 0 to 4"),
        (
            batch_with(COMPLETE),
            0.5,
            "melds of type float64 and shape (): one whole number, or one for each hand",
        ),
        (
            batch_with(COMPLETE),
            [0, 0],
            "melds of type int64 and shape (2,): one whole number, or one for each hand",
        ),
        (batch_with([-1, 4, 4, 4, 3] + [0] * 29, np.int64), 0, "a count of -1: there are 0 to 4 tiles of each kind"),
        (batch_with([257, 4, 4, 4] + [0] * 30, np.int64), 0, "a count of 257: there are 0 to 4 tiles of each kind"),
        (batch_with(COMPLETE, np.float64), 0, "counts of type float64: whole numbers expected"),
        (batch_with(COMPLETE)[0], 0, r"counts of shape (34,): (hands, 34) expected"),
        (batch_with(COMPLETE)[:, :33], 0, r"counts of shape (5, 33): (hands, 34) expected"),
        (batch_with(COMPLETE)[None], 0, r"counts of shape (1, 5, 34): (hands, 34) expected"),
    ],
)
def test_wrong_batches_are_explained(counts: Any, melds: Any, message: str) -> None:
    for call in (shanten_many, is_complete_many):
        with pytest.raises(TilesError) as caught:
            call(counts, melds)
        assert str(caught.value) == message


def test_each_call_wants_its_own_number_of_tiles() -> None:
    drawn, at_rest = counts_of(parse("11123456789999m")), counts_of(parse("1112345678999m"))
    with pytest.raises(TilesError, match=r"^hand 0: 14 concealed tiles with 0 melds; 13 expected$"):
        effective_tiles(drawn)
    with pytest.raises(TilesError, match=r"^hand 0: 13 concealed tiles with 0 melds; 14 expected$"):
        best_discards(at_rest)
    with pytest.raises(TilesError, match=r"^counts of shape \(3,\): one hand is 34 counts$"):
        shanten([1, 2, 3])
    with pytest.raises(TilesError, match=r"^counts of type float64: whole numbers expected$"):
        shanten(np.ones(KINDS))  # type: ignore[arg-type]


# --- hand types ---------------------------------------------------------------------------------------------------

EXPOSED = (CHOW_MELD, PUNG_MELD, DIRECT_KONG, DIRECT_KONG + 1)


def types_by_readings(counts: list[int], melds: list[tuple[int, int]]) -> list[str]:
    """The types of a complete hand, from all its readings: that of most types, then seven pairs."""
    kinds = {kind for kind in range(KINDS) if counts[kind]} | {tile for _, tile in melds}
    common = set()
    if len({kind // 9 for kind in kinds}) == 1 and max(kinds) < 27:
        common.add("full_flush")
    exposed = sum(kind in EXPOSED for kind, _ in melds)
    common |= {"concealed_hand"} if exposed == 0 else {"melded_hand"} if exposed == 4 else set()
    choices = []
    for reading in naive.readings(counts, len(melds)):
        own = set()
        if reading == "seven_pairs":
            fours = counts.count(4)
            own = {"seven_pairs"} | ({f"quads_{fours}"} if fours else set())
        elif all(map(naive.is_pung, reading[1])) and all(kind != CHOW_MELD for kind, _ in melds):
            own = {"all_pungs"}
        choices.append((bool(own), reading == "seven_pairs", common | own))
    return sorted(max(choices, key=lambda choice: choice[:2])[2])


def complete_hand(generator: random.Random, kinds: list[int], made: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Counts and melds of a random complete hand of some kinds."""
    while True:
        held, melds, total = [0] * KINDS, [], [0] * KINDS
        chow_share = generator.choice((0.0, 0.5, 1.0))
        for index in range(4):
            low = generator.choice(kinds)
            chow = low < 27 and low % 9 < 7 and generator.random() < chow_share
            tiles = [low, low + 1, low + 2] if chow else [low] * 3
            if index < made:
                kind = CHOW_MELD if chow else generator.choice((PUNG_MELD, 3, 4, CONCEALED_KONG))
                melds.append((kind, low))
                tiles += [low] * (kind > PUNG_MELD)
            for tile in tiles:
                total[tile] += 1
                held[tile] += index >= made
        pair = generator.choice(kinds)
        held[pair] += 2
        total[pair] += 2
        if max(total) <= COPIES:
            return held, melds


def seven_pairs_hand(generator: random.Random, kinds: list[int]) -> list[int]:
    """Counts of seven pairs of some kinds, quads among them."""
    pairs = generator.sample([kind for kind in kinds for _ in range(2)], 7)
    return counts_of([kind for kind in pairs for _ in range(2)])


@functools.cache
def complete_hands() -> list[tuple[list[int], list[tuple[int, int]]]]:
    """Random complete hands with their melds."""
    generator = random.Random(18)
    hands = []
    for kinds in RANGES.values():
        for _ in range(40):
            hands += [complete_hand(generator, kinds, made) for made in range(5)]
            hands.append((seven_pairs_hand(generator, kinds), []))
    return hands


def melds_of(hands: list[tuple[list[int], list[tuple[int, int]]]]) -> tuple[Any, Any]:
    """Melds as the batch call wants them: kinds and tiles, int8[hand, 4]."""
    filled = [[*melds, *[(NO_MELD, 0)] * (4 - len(melds))] for _, melds in hands]
    both = np.array(filled, np.int8)
    return both[:, :, 0], both[:, :, 1]


def test_types_of_complete_hands() -> None:
    hands = complete_hands()
    counts = np.array([held for held, _ in hands], np.uint8)
    expected = [types_by_readings(held, melds) for held, melds in hands]
    masks = hand_types_many(counts, *melds_of(hands))
    assert masks.dtype == np.uint32
    assert [sorted(types.names_of(mask)) for mask in masks.tolist()] == expected
    assert {name for names in expected for name in names} == set(types.TYPE_NAMES[:8])


def test_one_hand_has_the_types_of_a_batch_of_one() -> None:
    hands = complete_hands()[::7]
    masks = hand_types_many(np.array([held for held, _ in hands], np.uint8), *melds_of(hands))
    for (held, melds), mask in zip(hands, masks.tolist(), strict=True):
        assert mask_of(hand_types(held, [Meld(kind, tile) for kind, tile in melds])) == mask


def test_types_without_melds_and_with_gaps_between_them() -> None:
    flush = np.array([counts_of(parse("11113355778899m"))], np.uint8)
    expected = mask_of(["full_flush", "seven_pairs", "quads_1", "concealed_hand"])
    assert hand_types_many(flush).tolist() == [expected]
    pungs = np.array([counts_of(parse("11122233m"))], np.uint8)
    kinds, tiles = np.array([[0, PUNG_MELD, 0, CONCEALED_KONG]]), np.array([[99, 27, -5, 5]])
    assert hand_types_many(pungs, kinds, tiles).tolist() == [mask_of(["all_pungs"])]


MELDED = [[0, 0, 0, 0], [PUNG_MELD, 0, 0, 0]]


@pytest.mark.parametrize(
    ("second", "kinds", "tiles", "message"),
    [
        (
            "11122233344s",
            MELDED,
            [[0] * 4, [18, 0, 0, 0]],
            "hand 1: 6 copies of a kind, melds included; there are only",
        ),
        ("23444555566s", [[0] * 4, [CHOW_MELD, 0, 0, 0]], [[0] * 4, [21, 0, 0, 0]], "hand 1: 5 copies of a kind"),
        ("12345678955s", [[0] * 4, [DIRECT_KONG, 0, 0, 0]], [[0] * 4, [18, 0, 0, 0]], "hand 1: 5 copies of a kind"),
        ("11122233346s", MELDED, [[0] * 4, [27, 0, 0, 0]], "hand 1: 11122233346s with 1 melds is not complete"),
        ("1112223334s", MELDED, [[0] * 4, [27, 0, 0, 0]], "hand 1: 10 concealed tiles with 1 melds; 11 expected"),
        ("11122233344s", MELDED, [[0] * 4, [34, 0, 0, 0]], "hand 1: a meld of tile 34; tile kinds are 0 to 33"),
        ("11122233344s", MELDED, [[0] * 4, [-1, 0, 0, 0]], "hand 1: a meld of tile -1; tile kinds are 0 to 33"),
        ("11122233344s", [[0] * 4, [6, 0, 0, 0]], MELDED, "hand 1: a meld of kind 6; kinds are 1 to 5, 0 for none"),
        ("11122233344s", [[0] * 4, [-1, 0, 0, 0]], MELDED, "hand 1: a meld of kind -1; kinds are 1 to 5, 0 for none"),
        ("11122233344s", MELDED, [[7, 0, 0, 0], [7, 0, 0, 0]], None),
        (
            "11122233344s",
            [[0] * 4, [CHOW_MELD, 0, 0, 0]],
            [[0] * 4, [7, 0, 0, 0]],
            "hand 1: no chow begins with tile 7",
        ),
        (
            "11122233344s",
            [[0] * 4, [CHOW_MELD, 0, 0, 0]],
            [[0] * 4, [27, 0, 0, 0]],
            "hand 1: no chow begins with tile 27",
        ),
    ],
)
def test_wrong_melds_are_explained(second: str, kinds: Any, tiles: Any, message: str | None) -> None:
    counts = np.array([COMPLETE, counts_of(parse(second))], np.uint8)
    if message is None:
        assert hand_types_many(counts, np.array(kinds, np.int8), np.array(tiles, np.int8))[1] == 1
        return
    with pytest.raises(TilesError) as caught:
        hand_types_many(counts, np.array(kinds, np.int8), np.array(tiles, np.int8))
    assert str(caught.value).startswith(message)


def test_melds_of_the_wrong_form_are_explained() -> None:
    counts = np.array([COMPLETE], np.uint8)
    none = np.zeros((1, 4), np.int8)
    for kinds, tiles, what in (
        (none, none.astype(float), "meld_tiles of type float64 and shape (1, 4)"),
        (none, np.zeros((1, 3), np.int8), "meld_tiles of type int8 and shape (1, 3)"),
        (np.zeros((2, 4), np.int8), none, "meld_kinds of type int8 and shape (2, 4)"),
        (none, None, "meld_tiles of type object and shape ()"),
        (None, none, "meld_kinds of type object and shape ()"),
    ):
        with pytest.raises(TilesError) as caught:
            hand_types_many(counts, kinds, tiles)
        assert str(caught.value) == f"{what}: whole numbers, (1, 4) expected"


def test_wrong_single_hands_are_explained() -> None:
    with pytest.raises(TilesError, match=r"^5 melds; a hand has 0 to 4$"):
        hand_types(counts_of(parse("11m")), ["pung 1z"] * 5)
    with pytest.raises(TilesError, match=r"^hand 0: 12m with 4 melds is not complete$"):
        hand_types(counts_of(parse("12m")), [f"pung {rank}z" for rank in range(1, 5)])
    with pytest.raises(TilesError, match=r"^meld 'pung 9z': "):
        hand_types(counts_of(parse("11122233344s")), ["pung 9z"])


# --- the tables' file ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def content() -> bytes:
    return tables_module.build().tobytes()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own; returns where the tables' file belongs."""
    monkeypatch.setattr(tables_module, "cache_home", lambda: tmp_path)
    return tmp_path / "tables" / f"{CONTENT_SHA256}.bin"


def fresh_tables() -> bytes:
    """What `tables` gives a new process."""
    return np.asarray(tables_module.tables.__wrapped__()).tobytes()


def test_tables_have_the_promised_content(content: bytes) -> None:
    assert hashlib.sha256(content).hexdigest() == CONTENT_SHA256
    assert not tables().flags.writeable


def test_tables_are_kept(home: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fresh_tables() == content
    assert home.read_bytes() == content
    assert list(home.parent.iterdir()) == [home]
    monkeypatch.setattr(tables_module, "build", lambda: pytest.fail("built although the file is there"))
    assert fresh_tables() == content


@pytest.mark.parametrize("damage", ["one bit", "short", "empty", "long"])
def test_a_damaged_file_is_built_anew(home: Path, content: bytes, damage: str) -> None:
    home.parent.mkdir()
    middle = len(content) // 2
    home.write_bytes(
        {
            "one bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            "short": content[:-1],
            "empty": b"",
            "long": content + b"\0",
        }[damage]
    )
    assert fresh_tables() == content
    assert home.read_bytes() == content


def test_a_full_disk_does_not_stop_the_work(home: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tables_module, "write_atomically", fail)
    assert fresh_tables() == content
    assert not home.exists()


def test_no_cache_folder_means_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    monkeypatch.setenv("MJSIM_CACHE_DIR", str(in_the_way / "cache"))
    with pytest.warns(
        RuntimeWarning, match="no cache: .* cannot be written .* Set MJSIM_CACHE_DIR to a writable folder"
    ):
        assert cache_home.__wrapped__() is None
    monkeypatch.setattr(tables_module, "cache_home", lambda: None)
    assert fresh_tables() == content


def test_a_process_without_cache_folder_works_and_warns_once(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    program = (
        "from mjsim.hands.evaluate import effective_tiles, shanten\n"
        "from mjsim.tiles import counts_of, parse\n"
        "hand = counts_of(parse('1112345678999m'))\n"
        "print(shanten(hand), len(effective_tiles(hand)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "always::RuntimeWarning", "-c", program],
        cwd=Path(evaluate.__file__).parents[2],
        env={**os.environ, "MJSIM_CACHE_DIR": str(in_the_way / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0 9\n"
    assert done.stderr.count("RuntimeWarning: no cache") == 1
