"""Tiles as drawings: all kinds are there and differ, refer to what the sprite defines, and have words beside them."""

import re
from xml.etree import ElementTree

import pytest

from analysis.display.text import LANGS, Lang
from analysis.figures.tiles import TILE_TERMS, hand, tile, tile_sprite
from mjsim.tiles import KINDS, name, name_zh, parse

SVG = "{http://www.w3.org/2000/svg}"


def parsed(drawing: str) -> ElementTree.Element:
    """A drawing as a tree, refused unless it is well formed."""
    return ElementTree.fromstring(drawing.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1))


def symbols() -> dict[str, ElementTree.Element]:
    """The sprite's symbols by their names."""
    return {symbol.attrib["id"]: symbol for symbol in parsed(str(tile_sprite())).iter(f"{SVG}symbol")}


def test_sprite_defines_every_kind_and_the_back() -> None:
    assert set(symbols()) == {f"tile-{name(kind)}" for kind in range(KINDS)} | {"tile-back"}


def test_no_two_kinds_are_drawn_alike() -> None:
    drawings = {ElementTree.tostring(symbol).split(b">", 1)[1] for symbol in symbols().values()}
    assert len(drawings) == KINDS + 1


def test_drawings_need_no_style_sheet_no_font_and_no_other_file() -> None:
    sprite = str(tile_sprite())
    assert "<text" not in sprite
    assert "class=" not in "".join(ElementTree.tostring(symbol).decode() for symbol in symbols().values())
    assert "http" not in sprite
    used = set(re.findall(r'href="#([^"]*)"', sprite))
    assert used == {"tile-wan"}
    assert 'id="tile-wan"' in sprite
    assert len(sprite) < 40_000


@pytest.mark.parametrize("rank", range(2, 10))
def test_dots_and_sticks_can_be_counted(rank: int) -> None:
    shapes = symbols()
    assert len(list(shapes[f"tile-{rank}p"].iter(f"{SVG}circle"))) == rank
    assert len(list(shapes[f"tile-{rank}s"].iter(f"{SVG}path"))) == rank


@pytest.mark.parametrize("lang", LANGS)
def test_every_tile_has_a_name_of_its_own(lang: Lang) -> None:
    labels = [parsed(str(tile(kind, lang))).attrib["aria-label"] for kind in range(KINDS)]
    assert labels == [term.say(lang) for term in TILE_TERMS]
    assert len(set(labels)) == KINDS


def test_names_are_those_of_the_notation() -> None:
    suits = {"m": "characters", "p": "dots", "s": "bamboo", "z": "honours"}
    for kind, term in enumerate(TILE_TERMS):
        assert term.zh == name_zh(kind)
        rank, suit = name(kind)[0], suits[name(kind)[1]]
        assert suit == "honours" or term.en == f"{rank} of {suit}"
    assert [term.en for term in TILE_TERMS[27:31]] == ["east wind", "south wind", "west wind", "north wind"]
    assert [term.en for term in TILE_TERMS[31:]] == ["white dragon", "green dragon", "red dragon"]


def test_a_turned_tile_lies_within_its_frame() -> None:
    drawing = parsed(str(tile(0, "en", turned=True)))
    assert drawing.attrib["viewBox"] == "0 0 40 30"
    assert drawing.attrib["aria-label"] == "1 of characters, claimed"
    (use,) = drawing
    assert use.attrib["href"] == "#tile-1m"
    # (x, y) goes to (y, 30 - x), so the corners of 30 by 40 come to those of 40 by 30.
    assert use.attrib["transform"] == "translate(0 30) rotate(-90)"


def test_a_concealed_tile_shows_its_back_and_says_what_it_is() -> None:
    drawing = parsed(str(tile(33, "zh", concealed=True)))
    assert drawing.attrib["aria-label"] == "中（暗）"
    assert drawing[0].attrib["href"] == "#tile-back"


def test_a_hand_is_in_ascending_order() -> None:
    drawn = re.findall(r'href="#tile-(..)"', str(hand(parse("7z19m5p"), "en")))
    assert drawn == ["1m", "9m", "5p", "7z"]
