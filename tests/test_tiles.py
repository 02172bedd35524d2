"""Kinds and their notation."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjsim.errors import TilesError
from mjsim.tiles import (
    COPIES,
    KINDS,
    SEAT_OFFSETS,
    TILES,
    counts_of,
    kinds_of,
    name,
    name_zh,
    parse,
    parse_tile,
    suit_of,
    text,
)
from tests.naive import tiles as naive

kinds = st.integers(0, KINDS - 1)
hands = st.lists(kinds, max_size=40)


def test_every_kind_has_a_name_of_its_own() -> None:
    assert [name(kind) for kind in range(KINDS)] == [naive.name(kind) for kind in range(KINDS)]
    assert TILES == KINDS * COPIES == 136


def test_chinese_names() -> None:
    assert [name_zh(kind) for kind in (0, 8, 9, 17, 18, 26)] == ["一万", "九万", "一筒", "九筒", "一条", "九条"]
    assert "".join(name_zh(kind) for kind in range(27, 34)) == "东南西北白发中"
    assert len({name_zh(kind) for kind in range(KINDS)}) == KINDS


def test_suits() -> None:
    assert [suit_of(kind) for kind in range(KINDS)] == [0] * 9 + [1] * 9 + [2] * 9 + [3] * 7


@given(kinds)
def test_one_tile_there_and_back(kind: int) -> None:
    assert parse_tile(name(kind)) == kind
    assert parse(name(kind)) == [kind]


@given(hands)
def test_tiles_there_and_back(held: list[int]) -> None:
    assert parse(text(held)) == sorted(held)
    assert text(held) == naive.text(held)


@given(hands)
def test_order_and_spaces_are_kept_and_dropped(held: list[int]) -> None:
    assert parse(" ".join(name(kind) for kind in held)) == held
    assert parse("".join(name(kind) for kind in held)) == held


@given(st.permutations([kind for kind in range(KINDS) for _ in range(COPIES)]), st.integers(0, TILES))
def test_counts_there_and_back(wall: list[int], size: int) -> None:
    counts = counts_of(wall[:size])
    assert counts == naive.counts_of(wall[:size])
    assert kinds_of(counts) == sorted(wall[:size])


@pytest.mark.parametrize(
    ("notation", "message"),
    [
        ("0m", "'0m': there is no 0m (ranks are 1 to 9)"),
        ("10p", "'10p': there is no 0p (ranks are 1 to 9)"),
        ("8z", "'8z': there is no 8z (honours are 1z to 7z)"),
        ("19z", "'19z': there is no 9z (honours are 1z to 7z)"),
        ("m", "'m': suit 'm' at position 1 has no rank before it"),
        ("1mm", "'1mm': suit 'm' at position 3 has no rank before it"),
        ("12", "'12': rank 2 at the end has no suit (m, p, s or z) after it"),
        ("1m2", "'1m2': rank 2 at the end has no suit (m, p, s or z) after it"),
        ("1 m", "'1 m': ' ' at position 2 is no rank (1 to 9) and no suit (m, p, s, z)"),
        ("1x", "'1x': 'x' at position 2 is no rank (1 to 9) and no suit (m, p, s, z)"),
        ("-1m", "'-1m': '-' at position 1 is no rank (1 to 9) and no suit (m, p, s, z)"),
        ("²m", "'²m': '²' at position 1 is no rank (1 to 9) and no suit (m, p, s, z)"),
        ("1M", "'1M': 'M' at position 2 is no rank (1 to 9) and no suit (m, p, s, z)"),
    ],
)
def test_wrong_notation_is_explained(notation: str, message: str) -> None:
    with pytest.raises(TilesError) as caught:
        parse(notation)
    assert str(caught.value) == message


@given(st.text("0123456789mpsz x-", max_size=12))
def test_whatever_is_refused_the_twin_refuses_too(notation: str) -> None:
    try:
        expected = naive.parse(notation.replace(" ", ""))
    except ValueError:
        with pytest.raises(TilesError):
            parse(notation)
    else:
        # Only a space inside a group tells the two apart: the twin never saw it.
        if any(group and group[-1] not in "mpsz" for group in notation.split(" ")):
            with pytest.raises(TilesError):
                parse(notation)
        else:
            assert parse(notation) == expected


@pytest.mark.parametrize(("notation", "found"), [("", 0), ("12m", 2), ("1m2p", 2)])
def test_one_tile_is_one_tile(notation: str, found: int) -> None:
    with pytest.raises(TilesError, match=f"^'{notation}': one tile expected, found {found}$"):
        parse_tile(notation)


@pytest.mark.parametrize("kind", [-1, 34, 1000])
def test_a_kind_that_does_not_exist_has_no_name(kind: int) -> None:
    with pytest.raises(TilesError, match=rf"^tile kind {kind} does not exist \(kinds are 0 to 33\)$"):
        name(kind)


def test_five_of_a_kind_are_refused() -> None:
    assert counts_of(parse("4444s"))[21] == 4
    with pytest.raises(TilesError, match=r"^5 copies of 4s: there are only four of each kind$"):
        counts_of(parse("44444s1m"))


def test_a_rank_belongs_to_the_seat_the_rules_name() -> None:
    assert list(SEAT_OFFSETS) == [naive.offset_of(kind) for kind in range(KINDS)]
    assert Counter(SEAT_OFFSETS) == {0: 11, 1: 8, 2: 8, 3: 7}
