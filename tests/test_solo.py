"""The exact one-player calculation against its slow twin, closed forms, and what must rise when something else does."""

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from mjsim.errors import TilesError
from mjsim.hands.melds import parse_meld
from mjsim.rules import load_rules
from mjsim.solo import Aim, Hand, Solo
from mjsim.tiles import counts_of, parse, text
from tests.naive.solo import Player

AIMS: tuple[Aim, ...] = ("points", "chance")


def held(notation: str) -> Hand:
    return tuple(counts_of(parse(notation)))


def without(*hands: Hand) -> list[int]:
    """All tiles but those of some hands."""
    return [4 - sum(numbers) for numbers in zip(*hands, strict=True)]


def small_unseen(generator: np.random.Generator, hand: Hand, solo: Solo, total: int) -> list[int]:
    """A few unseen tiles, most of them of use to the hand."""
    useful = list(solo.rest(hand).effective)
    near = {kind + step for kind in np.flatnonzero(hand).tolist() for step in (-1, 0, 1)} & set(range(34))
    pool = [kind for kind in [*useful, *useful, *sorted(near)] if hand[kind] < 4]
    unseen = [0] * 34
    while sum(unseen) < total:
        kind = pool[generator.integers(len(pool))]
        if unseen[kind] + hand[kind] < 4:
            unseen[kind] += 1
        else:
            pool.remove(kind)
            pool.append(int(generator.integers(34)))
    return unseen


CASES = [
    # ready and one from ready, without and with melds, ordinary, flush, seven pairs
    ("123456m234p99s78s", []),
    ("11223m4455p66s77z", []),
    ("1112345678999m", []),
    ("12355m34p23499s7s", []),
    ("1122m4455p66s7z89s", []),
    ("1111m22p33s4467z5s", []),
    ("3334445m", ["pung 1m <1", "kong- 9m"]),
    ("2233m78p9p", ["pung 1z <1", "pung 2z <1"]),
    ("55p78s", ["pung 1z <1", "pung 2z <1", "pung 3z <1"]),
    ("5p", ["pung 1z <1", "pung 2z <2", "pung 3z <3", "kong 4z <1"]),
    ("1p3p5p7s", ["pung 1z <1", "pung 2z <2", "kong+ 3z <3"]),
]


@pytest.mark.parametrize(("notation", "melds"), CASES, ids=[notation for notation, _ in CASES])
@pytest.mark.parametrize("rules", ["liuzhou", "nanning_folk", "nanning_laiyouxi"])
@pytest.mark.parametrize("aim", AIMS)
def test_equals_the_slow_twin(rules: str, notation: str, melds: list[str], aim: Aim) -> None:
    generator = np.random.default_rng(len(notation) + 100 * len(melds))
    hand = held(notation)
    made = [parse_meld(meld) for meld in melds]
    positive = 0
    for total, draws in ((7, 3), (9, 4), (12, 3)):
        unseen = small_unseen(generator, hand, Solo(load_rules(rules), made, [1] * 34), total)
        found = Solo(load_rules(rules), made, unseen).value(hand, draws, aim)
        assert found == Player(rules, melds, tuple(unseen), aim, {}).value(hand, draws)
        positive += found > 0
    assert positive


@pytest.mark.parametrize(("notation", "melds"), CASES, ids=[notation for notation, _ in CASES])
@pytest.mark.parametrize("aim", AIMS)
def test_no_player_does_better_in_two_draws(notation: str, melds: list[str], aim: Aim) -> None:
    rules, hand = load_rules("liuzhou"), held(notation)
    made = [parse_meld(meld) for meld in melds]
    unseen = small_unseen(np.random.default_rng(1), hand, Solo(rules, made, [1] * 34), 8)
    best = Player("liuzhou", melds, tuple(unseen), aim, {})
    found = [Solo(rules, made, unseen).value(hand, draws, aim) for draws in range(4)]
    assert found[:3] == [best.best(hand, tuple(unseen), draws) for draws in range(3)]
    if len(melds) > 1:  # few enough hands
        assert 0 < found[3] <= best.best(hand, tuple(unseen), 3)


@pytest.mark.parametrize("notation", ["123456m234p99s78s", "12355m34p23499s7s", "112233445567m9p", "1112345678999m"])
def test_points_lie_between_the_cheapest_and_the_dearest_win(notation: str) -> None:
    hand = held(notation)
    solo = Solo(load_rules("liuzhou"), [], without(hand))
    points, chance = solo.value(hand, 10, "points"), solo.value(hand, 10, "chance")
    assert 0 < 6 * chance <= points <= 24 * chance  # concealed: 2 from each, with two types 8


@pytest.mark.parametrize("draws", [0, 1, 2, 5, 18])
def test_a_ready_hand_that_nothing_betters_is_hypergeometric(draws: int) -> None:
    # Nine kinds wait; no exchange can wait on more.
    hand = held("1112345678999m")
    unseen = without(hand)
    found = Solo(load_rules("liuzhou"), [], unseen).value(hand, draws, "chance")
    total = sum(unseen)
    assert found == 1 - Fraction(comb(total - 23, draws), comb(total, draws))


def test_a_ready_hand_counts_only_live_tiles() -> None:
    hand = held("123456m234p99s78s")
    unseen = without(hand, held("6669s"))
    rules = load_rules("liuzhou")
    one = Solo(rules, [], unseen).value(hand, 1, "chance")
    assert one == Fraction(2, sum(unseen))
    dead = Solo(rules, [], without(hand, held("666699s"))).value(hand, 1, "chance")
    assert dead == 0


@pytest.mark.parametrize("aim", AIMS)
@pytest.mark.parametrize("notation", ["123456m234p99s78s", "12355m34p23499s7s"])
def test_more_draws_and_more_live_tiles_are_never_worse(notation: str, aim: Aim) -> None:
    rules, hand = load_rules("nanning_folk"), held(notation)
    values = [Solo(rules, [], without(hand)).value(hand, draws, aim) for draws in range(20)]
    assert values[0] == 0
    assert all(less < more for less, more in itertools.pairwise(values[2:]))
    for kind in Solo(rules, [], without(hand)).rest(hand).effective:
        gone = [0] * 34
        gone[kind] = 1
        assert Solo(rules, [], without(hand, tuple(gone))).value(hand, 10, aim) < values[10], text([kind])


def test_one_draw_cannot_win_from_one_away() -> None:
    hand = held("12355m34p23499s7s")
    solo = Solo(load_rules("liuzhou"), [], without(hand))
    assert solo.rest(hand).shanten == 1
    assert solo.value(hand, 1, "chance") == 0 < solo.value(hand, 2, "chance")


def test_self_draws_without_a_price_do_not_win() -> None:
    rules = load_rules(
        "nanning_folk", **{"value.self_draw.ordinary": "none", "value.self_draw.ordinary_concealed": "none"}
    )
    hand = held("123456m234p99s78s")
    solo = Solo(rules, [], without(hand))
    assert solo.rest(hand).shanten == 0
    assert solo.rest(hand).wins == {}
    assert solo.complete(held("123456m234p99s789s")) is None


def test_liability_pays_more() -> None:
    rules, hand = load_rules("nanning_folk"), held("55p78s")
    unfed = [parse_meld(meld) for meld in ("pung 1z <1", "pung 2z <2", "pung 3z <3")]
    fed = [parse_meld(meld) for meld in ("pung 1z <1", "pung 2z <1", "pung 3z <1")]
    unseen = without(hand, held("111222333z"))
    worth = [set(Solo(rules, melds, unseen).rest(hand).wins.values()) for melds in (unfed, fed)]
    assert worth == [{9}, {9}]
    liuzhou = [set(Solo(load_rules("liuzhou"), melds, unseen).rest(hand).wins.values()) for melds in (unfed, fed)]
    assert liuzhou == [{3}, {5}]


def test_what_is_too_far_or_too_long_is_refused() -> None:
    far = held("159m159p159s1234z")
    solo = Solo(load_rules("liuzhou"), [], without(far))
    with pytest.raises(TilesError, match="only 0 to 1"):
        solo.value(far, 3, "chance")
    ready = held("123456m234p99s78s")
    with pytest.raises(TilesError, match="5 draws from 4 unseen tiles"):
        Solo(load_rules("liuzhou"), [], [1] * 4 + [0] * 30).value(ready, 5, "chance")
