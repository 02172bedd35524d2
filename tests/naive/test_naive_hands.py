"""The twin of the hand evaluator, against known hands, against recursion and against what the words mean."""

import random
from functools import cache

import numpy as np
import pytest

from .hands import (
    Bytes,
    Pattern,
    all_honour_patterns,
    all_suit_patterns,
    all_vectors,
    best_discards,
    check,
    distance,
    effective_tiles,
    is_complete,
    is_pung,
    readings,
    sets_within,
    seven_pairs_distance,
    shanten,
    suit_vector,
    targets,
    with_change,
)
from .tiles import COPIES, KINDS, counts_of, kinds_of, name, parse
from .wall import wall


@cache
def vectors(chows: bool) -> tuple[Bytes, Bytes]:
    """Return what `all_vectors` gives, worked out once for this file."""
    return all_vectors(chows)


# --- one suit -----------------------------------------------------------------------------------------------------


def by_recursion(pattern: Pattern, target: Pattern, first: int, sets: int, pair: bool, chows: bool) -> int:
    """Return the least number of tiles missing when `sets` sets, from the `first` on, and a pair join the target."""
    if max(target) > COPIES:
        return 99
    size = len(pattern)
    if sets > 0:
        possible = sets_within(size, chows)
        return min(
            by_recursion(
                pattern, tuple(a + b for a, b in zip(target, possible[i], strict=True)), i, sets - 1, pair, chows
            )
            for i in range(first, len(possible))
        )
    if pair:
        with_pair = [(*target[:rank], target[rank] + 2, *target[rank + 1 :]) for rank in range(size)]
        return min(by_recursion(pattern, wanted, first, 0, False, chows) for wanted in with_pair)
    return sum(max(0, wanted - held) for wanted, held in zip(target, pattern, strict=True))


def recursive_vector(pattern: Pattern, chows: bool) -> tuple[int, ...]:
    """Return the suit vector by plain recursion over the sets."""
    nothing = (0,) * len(pattern)
    return tuple(by_recursion(pattern, nothing, 0, sets, pair, chows) for pair in (False, True) for sets in range(5))


def test_the_sets_of_a_suit() -> None:
    assert len(sets_within(9, True)) == 9 + 7
    assert len(sets_within(7, False)) == 7
    assert all(sum(three) == 3 for three in sets_within(9, True))


def test_there_are_as_many_patterns_as_combinatorics_says() -> None:
    suits = list(all_suit_patterns())
    honours = list(all_honour_patterns())
    assert len(suits) == len(set(suits)) == 405_350
    assert len(honours) == len(set(honours)) == 43_130
    for listed in (suits, honours):
        assert max(max(pattern) for pattern in listed) == 4
        assert max(sum(pattern) for pattern in listed) == 14


@pytest.mark.parametrize("chows", [True, False])
def test_all_vectors_agree_with_enumeration_and_with_recursion(chows: bool) -> None:
    listed, found = vectors(chows)
    picked = random.Random(1).sample(range(len(listed)), 1_500)
    for row in picked:
        pattern = tuple(int(held) for held in listed[row])
        assert suit_vector(pattern, chows) == tuple(int(cost) for cost in found[row])
    # Sparse patterns are the rule among those a hand has, full ones among those listed: take some of both.
    sparse = [row for row in picked if listed[row].sum() <= 9]
    for row in picked[:8] + sparse[:8]:
        pattern = tuple(int(held) for held in listed[row])
        assert recursive_vector(pattern, chows) == tuple(int(cost) for cost in found[row])


@pytest.mark.parametrize("chows", [True, False])
def test_nothing_is_out_of_reach_and_an_empty_suit_lacks_everything(chows: bool) -> None:
    listed, found = vectors(chows)
    assert listed.dtype == found.dtype == np.uint8
    assert not listed[0].any()
    assert found[0].tolist() == found.max(axis=0).tolist() == [0, 3, 6, 9, 12, 2, 5, 8, 11, 14]


@pytest.mark.parametrize("chows", [True, False])
def test_patterns_without_anything_missing_are_exactly_the_targets(chows: bool) -> None:
    listed, found = vectors(chows)
    for column in range(10):
        sets, pair = column % 5, column >= 5
        complete = listed[(found[:, column] == 0) & (listed.sum(axis=1) == 3 * sets + 2 * pair)]
        wanted = targets(listed.shape[1], chows, sets, pair).T
        assert np.array_equal(complete, wanted)  # both ascending


@pytest.mark.parametrize("chows", [True, False])
def test_one_more_tile_helps_by_one_or_not_at_all(chows: bool) -> None:
    listed, found = vectors(chows)
    size = listed.shape[1]
    place_values = 5 ** np.arange(size)[::-1]
    numbers = listed @ place_values
    row_of = np.full(5**size, -1)
    row_of[numbers] = np.arange(len(listed))
    for rank in range(size):
        grows = np.flatnonzero((listed[:, rank] < 4) & (listed.sum(axis=1) < 14))
        grown = row_of[numbers[grows] + place_values[rank]]
        assert grown.min() >= 0
        helped = found[grows].astype(int) - found[grown]
        assert helped.min() == 0
        assert helped.max() == 1


@pytest.mark.parametrize(
    ("pattern", "chows", "expected"),
    [
        ((4, 0, 0, 0, 0, 0, 0, 0, 0), True, (0, 0, 2, 5, 8, 0, 2, 4, 7, 10)),
        ((0, 0, 0, 0, 0, 0, 4), False, (0, 0, 3, 6, 9, 0, 2, 5, 8, 11)),
        ((3, 3, 3, 3, 0, 0, 0), False, (0, 0, 0, 0, 0, 0, 0, 0, 0, 2)),
        ((3, 1, 1, 1, 1, 1, 1, 1, 3), True, (0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
        ((0, 0, 0, 0, 0, 1, 1, 0, 0), True, (0, 1, 4, 7, 10, 1, 3, 6, 9, 12)),
    ],
)
def test_suit_vectors_worked_out_by_hand(pattern: Pattern, chows: bool, expected: tuple[int, ...]) -> None:
    assert suit_vector(pattern, chows) == expected


# --- known hands --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tiles", "melds", "expected"),
    [
        ("444p222234m555s55z", 0, -1),  # 222m + 234m: the quad is not a kong
        ("11223344556677p", 0, -1),  # both a standard hand and seven pairs
        ("6p4s", 4, 0),  # four sets and no pair
        ("5566m233799p4444z", 0, 0),  # a quad is two pairs
        ("11113355778899m", 0, -1),  # seven pairs only, with a quad
        ("99m345p88p11s56789s", 0, 1),  # three pairs, of which one may be the pair
        ("1112223334444z", 0, 1),  # no chows of honours, no fifth north
        ("19m19p19s12345z", 1, 6),  # seven pairs need a hand without melds
        ("1m1122334455z", 1, 2),  # three pungs and a pair from five pairs; seven pairs would be 1
        ("11122233344s", 1, -1),
        ("1z", 4, 0),
        ("11z", 4, -1),
        ("147m258p369s1234z", 0, 6),  # seven pairs are nearer than the 8 of sets
        ("147m258p3s123z", 1, 6),  # with a meld they do not count: three sets and a pair from ten single tiles
        ("1111222233334z", 0, 0),  # seven pairs of three quads, ready for 4z
    ],
)
def test_shanten_of_known_hands(tiles: str, melds: int, expected: int) -> None:
    counts = counts_of(parse(tiles))
    assert shanten(counts, melds) == expected
    assert is_complete(counts, melds) == (expected == -1)


def test_what_a_discard_waits_for() -> None:
    counts = counts_of(parse("5566m233799p4444z"))
    waits = {}
    for kind in best_discards(counts, 0):
        waits[name(kind)] = sorted(name(tile) for tile in effective_tiles(with_change(counts, kind, -1), 0))
    assert waits == {"2p": ["7p"], "7p": ["2p"]}


@pytest.mark.parametrize(
    ("tiles", "melds", "expected"),
    [
        ("1112345678999m", 0, "123456789m"),  # nine gates
        ("1112223334444z", 0, "123456789m123456789p123456789s123567z"),  # a pair for three pungs; 123z for seven pairs
        ("1111222233334z", 0, "4z"),
        ("1111m", 3, "23456789m123456789p123456789s1234567z"),  # no fifth to pair the fourth: any other tile
        ("5z", 4, "5z"),
    ],
)
def test_effective_tiles_of_known_hands(tiles: str, melds: int, expected: str) -> None:
    counts = counts_of(parse(tiles))
    assert effective_tiles(counts, melds) == set(parse(expected))


@pytest.mark.parametrize(
    ("tiles", "melds", "why"),
    [
        ("123s", 0, "has 3 tiles"),
        ("11111m", 0, "four of a kind"),
        ("11111m22223333p", 0, "four of a kind"),
        ("1z", 0, "has 1 tiles"),
        ("123456789m123456p", 0, "has 15 tiles"),
        ("123456789m1234p", 1, "has 13 tiles"),
        ("11z", 5, "5 melds"),
        ("11z", -1, "-1 melds"),
    ],
)
def test_what_is_no_hand_is_refused(tiles: str, melds: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check(counts_of(parse(tiles)), melds)
    with pytest.raises(ValueError, match=why):
        shanten(counts_of(parse(tiles)), melds)


def test_counts_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="34 kinds, not 13"):
        check([1] * 13, 0)


def test_a_hand_of_the_other_size_has_no_effective_tiles_or_discards() -> None:
    with pytest.raises(ValueError, match="not waiting"):
        effective_tiles(counts_of(parse("11z")), 4)
    with pytest.raises(ValueError, match="none to discard"):
        best_discards(counts_of(parse("1z")), 4)


def test_seven_pairs_count_a_quad_twice() -> None:
    assert seven_pairs_distance(counts_of(parse("11113355778899m"))) == 0
    assert seven_pairs_distance(counts_of(parse("1113355778899m"))) == 1
    assert seven_pairs_distance(counts_of(parse("147m258p369s1234z"))) == 7


# --- readings -----------------------------------------------------------------------------------------------------


def test_readings_of_a_hand_of_three_pungs_or_chows() -> None:
    one, two, three, four = parse("1234s")
    chow, later_chow = (one, two, three), (two, three, four)
    assert readings(counts_of(parse("11122233344s")), 1) == [
        (one, [chow, later_chow, later_chow]),
        (four, [(one, one, one), (two, two, two), (three, three, three)]),
        (four, [chow, chow, chow]),
    ]
    assert is_pung((one, one, one))
    assert not is_pung(chow)


def test_seven_pairs_are_a_reading_of_their_own() -> None:
    assert readings(counts_of(parse("11113355778899m")), 0) == ["seven_pairs"]
    both = readings(counts_of(parse("11223344556677p")), 0)
    assert both[-1] == "seven_pairs"
    pairs = [name(reading[0]) for reading in both[:-1] if reading != "seven_pairs"]
    assert pairs == ["1p", "4p", "7p"]
    assert readings(counts_of(parse("11223344m")), 2) == [(0, [(1, 2, 3), (1, 2, 3)]), (3, [(0, 1, 2), (0, 1, 2)])]


def test_suits_and_honours_do_not_join_in_a_chow() -> None:
    assert readings(counts_of(parse("89m1p55z")), 3) == []
    assert readings(counts_of(parse("9s12z55z")), 3) == []
    assert readings(counts_of(parse("123z55z")), 3) == []
    assert readings(counts_of(parse("1z")), 4) == []


# --- what the words mean ------------------------------------------------------------------------------------------


def complete_hand(chance: random.Random, melds: int, kinds: int) -> list[int]:
    """Return the counts of a complete hand made at random from the first so many kinds (9, 18, 27 or 34)."""
    while True:
        counts = [0] * KINDS
        for _ in range(4 - melds):
            low = chance.randrange(kinds)
            is_chow = low < 27 and low % 9 < 7 and chance.random() < 0.6
            for kind in (low, low + 1, low + 2) if is_chow else (low, low, low):
                counts[kind] += 1
        counts[chance.randrange(kinds)] += 2
        if max(counts) <= COPIES:
            return counts


def wins_with_one_more(counts: list[int], melds: int) -> bool:
    """Tell whether some tile completes the hand, going by its readings."""
    return any(counts[kind] < COPIES and readings(with_change(counts, kind, 1), melds) for kind in range(KINDS))


def ready_with_one_more(counts: list[int], melds: int) -> bool:
    """Tell whether some tile and then some discard leave a hand that one tile completes."""
    for kind in range(KINDS):
        if counts[kind] < COPIES:
            drawn = with_change(counts, kind, 1)
            for away in set(kinds_of(drawn)):
                if wins_with_one_more(with_change(drawn, away, -1), melds):
                    return True
    return False


@pytest.mark.parametrize("kinds", [9, 18, 34])
def test_complete_hands_have_readings_and_others_have_none(kinds: int) -> None:
    chance = random.Random(kinds)
    for _ in range(60):
        melds = chance.randrange(5)
        counts = complete_hand(chance, melds, kinds)
        assert is_complete(counts, melds)
        assert readings(counts, melds)
        changed = with_change(counts, chance.choice(kinds_of(counts)), -1)
        changed = with_change(changed, chance.choice([k for k in range(kinds) if changed[k] < COPIES]), 1)
        assert is_complete(changed, melds) == bool(readings(changed, melds))


@pytest.mark.parametrize("melds", [2, 3])
def test_shanten_counts_the_draws_that_are_needed(melds: int) -> None:
    chance = random.Random(melds)
    seen = set()
    for _ in range(25):
        counts = complete_hand(chance, melds, chance.choice([9, 34]))
        for _ in range(chance.choice([1, 2, 3])):
            counts = with_change(counts, chance.choice(kinds_of(counts)), -1)
            counts = with_change(counts, chance.choice([k for k in range(KINDS) if counts[k] < COPIES]), 1)
        counts = with_change(counts, chance.choice(kinds_of(counts)), -1)
        found = shanten(counts, melds)
        seen.add(found)
        assert (found == 0) == wins_with_one_more(counts, melds)
        if found > 0:
            assert (found == 1) == ready_with_one_more(counts, melds)
    assert {0, 1, 2} <= seen


def test_a_draw_and_a_discard_move_shanten_by_one_at_most() -> None:
    for deal in range(40):
        counts = counts_of(wall(77, deal)[:14])
        full = shanten(counts, 0)
        after = {kind: shanten(with_change(counts, kind, -1), 0) for kind in set(kinds_of(counts))}
        assert set(after.values()) <= {full, full + 1}
        assert best_discards(counts, 0) == sorted(kind for kind in after if after[kind] == min(after.values()))
        kind = best_discards(counts, 0)[0]
        assert (after[kind] == full) or (full == -1)
        waiting = with_change(counts, kind, -1)
        useful = effective_tiles(waiting, 0)
        assert useful
        assert distance(waiting, 0) >= after[kind] + 1
        for tile in range(KINDS):
            if waiting[tile] < COPIES:
                assert shanten(with_change(waiting, tile, 1), 0) == after[kind] - (tile in useful)
