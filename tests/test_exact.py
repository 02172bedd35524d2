"""Exact counts over all hands, against published ones and against enumeration."""

import tomllib
from collections import Counter
from itertools import combinations_with_replacement
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from mjsim.errors import TilesError
from mjsim.hands.evaluate import shanten_many
from mjsim.hands.exact import Count, complete_counts, seven_pairs_counts, shanten_counts, total_count
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
