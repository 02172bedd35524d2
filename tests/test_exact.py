"""Exact counts over all hands, against published ones and against enumeration."""

import tomllib
from collections import Counter
from itertools import combinations_with_replacement, product
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from mjsim.errors import TilesError
from mjsim.hands.evaluate import shanten_many
from mjsim.hands.exact import (
    Count,
    complete_counts,
    joint_shanten_counts,
    seven_pairs_counts,
    shanten_counts,
    standard_shanten,
    total_count,
    type_counts,
)
from mjsim.hands.types import hand_types_many, names_of
from mjsim.wall import walls
from tests.naive import hands as naive
from tests.naive.tiles import counts_of

GOLDEN: dict[str, Any] = tomllib.loads((Path(__file__).parent / "golden" / "exact.toml").read_text(encoding="utf-8"))

DEALS = 300_000


def test_total() -> None:
    assert total_count() == Count(**GOLDEN["totals"])


@pytest.mark.parametrize("tiles", range(15))
def test_ways_are_binomial_numbers(tiles: int) -> None:
    assert total_count(tiles).ways == comb(136, tiles)


def test_complete_hands() -> None:
    assert complete_counts() == {name: Count(**count) for name, count in GOLDEN["complete"].items()}


def test_shapes_include_and_exclude() -> None:
    counts = complete_counts()
    for of in ("ways", "patterns"):
        standard, pairs, both, either = (
            getattr(counts[name], of) for name in ("standard", "seven_pairs", "both", "any")
        )
        assert either == standard + pairs - both


def test_seven_pairs_by_quads() -> None:
    golden = GOLDEN["seven_pairs_by_quads"]
    counts = seven_pairs_counts()
    assert [count.ways for count in counts] == golden["ways"]
    assert [count.patterns for count in counts] == golden["patterns"]
    assert sum(golden["ways"]) == complete_counts()["seven_pairs"].ways


def test_shanten_of_standard_hands() -> None:
    assert shanten_counts(14) == dict(enumerate(GOLDEN["shanten_standard_14"]["ways"], -1))


@pytest.mark.parametrize("tiles", [1, 2, 4, 5, 7, 8, 10, 11, 13, 14])
def test_every_hand_has_one_shanten(tiles: int) -> None:
    assert sum(shanten_counts(tiles).values()) == comb(136, tiles)
    if tiles >= 13:
        assert sum(shanten_counts(tiles, seven_pairs=True).values()) == comb(136, tiles)


def test_seven_pairs_bring_hands_nearer() -> None:
    with_pairs, without = shanten_counts(14, seven_pairs=True), shanten_counts(14)
    assert with_pairs[-1] == complete_counts()["any"].ways
    # No hand is further than six from seven pairs, and the nearer of two shapes is never the further one.
    assert max(with_pairs) == 6
    for shanten in range(-1, 7):
        nearer = sum(ways for each, ways in with_pairs.items() if each <= shanten)
        assert nearer >= sum(ways for each, ways in without.items() if each <= shanten)


@pytest.mark.parametrize("tiles", [1, 2, 4])
def test_short_hands_against_enumeration(tiles: int) -> None:
    expected: Counter[int] = Counter()
    for kinds in combinations_with_replacement(range(34), tiles):
        counts = counts_of(kinds)
        if max(counts) <= 4:
            expected[naive.shanten(counts, (14 - tiles) // 3)] += prod(comb(4, held) for held in counts)
    assert shanten_counts(tiles) == dict(expected)


@pytest.mark.parametrize("tiles", [-1, 0, 3, 6, 9, 12, 15, 16])
def test_what_is_no_hand_has_no_shanten(tiles: int) -> None:
    with pytest.raises(TilesError, match=rf"^{tiles} tiles: a hand has 13 or 14"):
        shanten_counts(tiles)


@pytest.mark.parametrize("tiles", [-1, 15])
def test_more_tiles_than_a_hand_are_refused(tiles: int) -> None:
    with pytest.raises(TilesError, match=rf"^{tiles} tiles: 0 to 14 expected$"):
        total_count(tiles)


def test_seven_pairs_need_a_whole_hand() -> None:
    with pytest.raises(TilesError, match=r"^11 tiles: seven pairs need a hand of 13 or 14 tiles, without melds$"):
        shanten_counts(11, seven_pairs=True)


@pytest.mark.parametrize("tiles", [13, 14])
def test_dealt_hands_come_as_often_as_counted(tiles: int) -> None:
    hands = np.zeros((DEALS, 34), np.uint8)
    for column in walls(8, 0, DEALS)[:, :tiles].T:
        hands[np.arange(DEALS), column] += 1
    found = np.bincount(shanten_many(hands) + 1, minlength=8)
    ways = shanten_counts(tiles, seven_pairs=True)
    expected = np.array([ways.get(shanten, 0) / comb(136, tiles) * DEALS for shanten in range(-1, 7)])
    # Complete and ready hands are rare enough to share a cell.
    found, expected = np.append(found[:2].sum(), found[2:]), np.append(expected[:2].sum(), expected[2:])
    assert expected.min() > 10
    assert 1e-4 < stats.chisquare(found, expected).pvalue < 1 - 1e-4


def made_of_sets() -> dict[tuple[str, ...], Counter[str]]:
    """Every four sets and a pair put together from sets, as ways and patterns by hand types without seven pairs."""
    sets = np.zeros((55, 34), np.uint8)
    for index, kind in enumerate(kind for kind in range(27) if kind % 9 < 7):
        sets[index, kind : kind + 3] = 1
    sets[21:][np.arange(34), np.arange(34)] = 3
    fours = sets[np.array(list(combinations_with_replacement(range(55), 4)))].sum(axis=1, dtype=np.uint8)
    label = np.random.default_rng(5).integers(0, 1 << 63, 34, np.uint64)
    seen, ways, kinds = [], [], []
    for pair in range(34):
        hands = fours[fours[:, pair] <= 2].copy()
        hands[:, pair] += 2
        hands = hands[hands.max(axis=1) <= 4]
        number = hands.astype(np.uint64) @ label
        numbered = [hands[:, suit : suit + 9].sum(axis=1) == 14 for suit in (0, 9, 18)]
        pungs = ((hands == 0) | (hands == 2) | (hands == 3)).all(axis=1) & ((hands == 3).sum(axis=1) == 4)
        pairs = (hands % 2 == 0).all(axis=1)
        seen.append(number)
        ways.append(4 ** (hands % 2).sum(axis=1, dtype=np.int64) * 6 ** (hands == 2).sum(axis=1, dtype=np.int64))
        kinds.append(pungs + 2 * np.any(numbered, axis=0) + 4 * pairs)
    _, first = np.unique(np.concatenate(seen), return_index=True)
    all_ways, all_kinds = np.concatenate(ways)[first], np.concatenate(kinds)[first]
    found = {}
    for names, kind in {(): 0, ("all_pungs",): 1, ("full_flush",): 2, ("all_pungs", "full_flush"): 3}.items():
        chosen = all_kinds == kind
        found[names] = Counter(ways=int(all_ways[chosen].sum()), patterns=int(chosen.sum()))
    return found


def test_hand_types_against_all_hands_put_together_from_sets() -> None:
    counts = type_counts()
    for names, expected in made_of_sets().items():
        assert {"ways": counts[names].ways, "patterns": counts[names].patterns} == dict(expected), names


def test_full_flushes_against_the_evaluator_on_each_of_them() -> None:
    suits = np.array([held for held in product(range(5), repeat=9) if sum(held) == 14], np.uint8)
    hands = np.zeros((len(suits), 34), np.uint8)
    hands[:, 9:18] = suits
    hands = hands[shanten_many(hands) == -1]
    found: dict[tuple[str, ...], list[int]] = {}
    for hand, mask in zip(hands.tolist(), hand_types_many(hands), strict=True):
        # In the order of the exact counts: a full flush before seven pairs, as the bits go.
        names = tuple(name for name in names_of(int(mask)) if name != "concealed_hand")
        ways, patterns = found.get(names, [0, 0])
        found[names] = [ways + 3 * prod(comb(4, held) for held in hand), patterns + 3]
    expected = {names: [count.ways, count.patterns] for names, count in type_counts().items() if "full_flush" in names}
    assert found == expected


def test_hand_types_sum_to_complete_hands_and_to_seven_pairs() -> None:
    counts, complete = type_counts(), complete_counts()
    zero = Count(0, 0)
    assert sum(counts.values(), zero) == complete["any"]
    assert sum((count for names, count in counts.items() if "seven_pairs" in names), zero) == complete["seven_pairs"]
    assert sum((count for names, count in counts.items() if "all_pungs" in names), zero) == complete["all_pungs"]


@pytest.mark.parametrize("tiles", [13, 14])
def test_joint_shanten_has_both_margins(tiles: int) -> None:
    margins: tuple[Counter[int], Counter[int]] = (Counter(), Counter())
    for both, ways in joint_shanten_counts(tiles).items():
        assert both[1] <= both[0]
        for margin, shanten in zip(margins, both, strict=True):
            margin[shanten] += ways
    assert dict(margins[0]) == shanten_counts(tiles)
    assert dict(margins[1]) == shanten_counts(tiles, seven_pairs=True)


def test_joint_shanten_needs_a_whole_hand() -> None:
    with pytest.raises(TilesError, match=r"^11 tiles: seven pairs need a hand of 13 or 14 tiles, without melds$"):
        joint_shanten_counts(11)


@pytest.mark.parametrize("tiles", [13, 14])
def test_standard_shanten_against_its_twin(tiles: int) -> None:
    hands = [counts_of(wall[:tiles].tolist()) for wall in walls(3, 0, 150)]
    hands.append(counts_of([kind for kind in range(7) for _ in range(2)][:tiles]))
    expected = [naive.distance(hand, 0) - 1 for hand in hands]
    assert standard_shanten(np.array(hands, np.uint8)).tolist() == expected
