"""The 34 kinds of tiles drawn as SVG: defined once a page in a sprite, used by name, with words for who cannot see.

A tile is 30 wide and 40 high. The colours only adorn: suits differ by shape, and every tile has its name.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from markupsafe import Markup

from analysis.display.text import Lang, Term
from analysis.fonts import outlines
from mjsim.tiles import KINDS, name, name_zh

_SUITS: Final = ("characters", "dots", "bamboo")
_HONOURS: Final = ("east wind", "south wind", "west wind", "north wind", "white dragon", "green dragon", "red dragon")

#: Names of the 34 kinds.
TILE_TERMS: Final = tuple(
    Term(_HONOURS[kind - 27] if kind >= 27 else f"{kind % 9 + 1} of {_SUITS[kind // 9]}", name_zh(kind))
    for kind in range(KINDS)
)
FACE_DOWN: Final = Term("{tile}, face down", "{tile}（暗）")
TURNED: Final = Term("{tile}, claimed", "{tile}（所得）")

_INK, _BLUE, _GREEN, _RED = "#1b1f24", "#005a9c", "#00694a", "#b63a00"
_FACE, _EDGE, _SIDE, _BACK = "#fffdf7", "#7d766a", "#d9cfba", "#3d6b8c"

_THIRDS: Final = (7.5, 15, 22.5)


def tile(kind: int, lang: Lang, *, turned: bool = False, concealed: bool = False) -> Markup:
    """One tile, drawn by the page's sprite.

    Parameters
    ----------
    kind : int
        0–33.
    lang : {"en", "zh"}
        Language of the words for who cannot see it.
    turned : bool
        Lying on its side, as the claimed tile of a meld does.
    concealed : bool
        Face down, as a concealed kong is.

    Returns
    -------
    Markup

    Examples
    --------
    >>> print(tile(0, "en"))
    <svg class="tile" role="img" aria-label="1 of characters"><use href="#tile-1m"/></svg>
    >>> print(tile(31, "zh", concealed=True))
    <svg class="tile" role="img" aria-label="白（暗）"><use href="#tile-back"/></svg>
    """
    words = TILE_TERMS[kind].say(lang)
    if concealed:
        words = FACE_DOWN.say(lang).format(tile=words)
    symbol = "tile-back" if concealed else f"tile-{name(kind)}"
    if turned:
        label = TURNED.say(lang).format(tile=words)
        return Markup(
            '<svg class="tile turned" role="img" aria-label="{}" viewBox="0 0 40 30">'
            '<use href="#{}" width="30" height="40" transform="translate(0 30) rotate(-90)"/></svg>'
        ).format(label, symbol)
    return Markup('<svg class="tile" role="img" aria-label="{}"><use href="#{}"/></svg>').format(words, symbol)


def hand(kinds: Iterable[int], lang: Lang) -> Markup:
    """Several tiles in ascending order, in one row that can break between them.

    >>> hand([1, 0], "en").count("<svg"), hand([1, 0], "en").index("1 of") < hand([1, 0], "en").index("2 of")
    (2, True)
    """
    return Markup('<span class="tiles">{}</span>').format(Markup("").join(tile(kind, lang) for kind in sorted(kinds)))


def tile_sprite() -> Markup:
    """The definitions that `tile` refers to, once for a page.

    Returns
    -------
    Markup
        An SVG element that takes no room.
    """
    symbols = [_symbol(name(kind), _face() + "".join(_drawing(kind))) for kind in range(KINDS)]
    symbols.append(_symbol("back", _back()))
    ten_thousand = f'<path id="tile-wan" d="{outlines()["万"]}"/>'
    return Markup(
        '<svg class="sprite" width="0" height="0" style="position:absolute" aria-hidden="true" focusable="false">'
        f"<defs>{ten_thousand}</defs>{''.join(symbols)}</svg>"
    )


def _symbol(key: str, drawing: str) -> str:
    return f'<symbol id="tile-{key}" viewBox="0 0 30 40">{drawing}</symbol>'


def _face() -> str:
    return (
        f'<rect x=".5" y=".5" width="29" height="39" rx="3.5" fill="{_SIDE}" stroke="{_EDGE}"/>'
        f'<rect x="1" y="1" width="28" height="36" rx="3" fill="{_FACE}"/>'
    )


def _back() -> str:
    return (
        f'<rect x=".5" y=".5" width="29" height="39" rx="3.5" fill="{_SIDE}" stroke="{_EDGE}"/>'
        f'<rect x="1" y="1" width="28" height="36" rx="3" fill="{_BACK}"/>'
        '<path d="M15 7l7 12-7 12-7-12z" fill="none" stroke="#fff" stroke-opacity=".55" stroke-width="1.5"/>'
    )


def _drawing(kind: int) -> Iterator[str]:
    """What stands on the face of a kind."""
    suit, rank = kind // 9, kind % 9 + 1
    if suit == 0:
        return _characters(rank)
    if suit == 1:
        return _dots(rank)
    if suit == 2:
        return _bamboo(rank)
    return _honour(rank)


def _glyph(character: str, x: float, y: float, size: float, colour: str, weight: float = 0) -> str:
    """A character in a square of some size; ``weight`` thousandths of it make every stroke bolder."""
    drawing = '<use href="#tile-wan"/>' if character == "万" else f'<path d="{outlines()[character]}"/>'
    bold = f' stroke="{colour}" stroke-width="{weight:g}"' if weight else ""
    return f'<g transform="translate({x:g} {y:g}) scale({size / 1000:g})" fill="{colour}"{bold}>{drawing}</g>'


def _characters(rank: int) -> Iterator[str]:
    yield _glyph("一二三四五六七八九"[rank - 1], 9.5, 1.2, 17.5, _INK, 45)
    yield _glyph("万", 6, 17.8, 18.5, _RED, 45)
    yield _index(str(rank), _INK)


def _honour(rank: int) -> Iterator[str]:
    if rank == 5:
        yield f'<path d="M5 6h20v26H5zM8 9v20h14V9z" fill="{_BLUE}" fill-rule="evenodd"/>'
        return
    character = "东南西北白发中"[rank - 1]
    colour = {6: _GREEN, 7: _RED}.get(rank, _BLUE)
    if rank > 4:
        yield _glyph(character, 2.8, 6.8, 24.5, colour, 30)
        return
    yield _glyph(character, 4.5, 11.5, 22.5, colour, 35)
    yield _index("ESWN"[rank - 1], _INK)


def _index(sign: str, colour: str) -> str:
    """The small sign in a corner, for readers of other numerals."""
    return _glyph(sign, 2, 1.2, 12.5, colour, 60)


def _dots(rank: int) -> Iterator[str]:
    if rank == 1:
        yield _ring(15, 19, 10.5, _BLUE)
        yield f'<circle cx="15" cy="19" r="3" fill="{_RED}"/>'
        return
    radius = {2: 5.8, 3: 5, 4: 5, 5: 4.6}.get(rank, 4)
    for x, y, middle in _dot_places(rank):
        yield _ring(x, y, radius, _RED if middle else _BLUE)


def _ring(x: float, y: float, radius: float, colour: str) -> str:
    width = radius * 0.5
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius - width / 2:g}" fill="none" stroke="{colour}"'
        f' stroke-width="{width:g}"/>'
    )


def _dot_places(rank: int) -> Iterator[tuple[float, float, bool]]:
    """Centres of the dots, and whether they are coloured otherwise."""
    left, middle, right = 8.5, 15.0, 21.5
    pairs: dict[int, tuple[float, ...]] = {4: (11.5, 26.5), 5: (9.5, 28.5), 6: (8, 19, 30), 8: (6, 14.7, 23.3, 32)}
    if rank in pairs:
        yield from ((x, y, False) for y in pairs[rank] for x in (left, right))
        if rank == 5:
            yield middle, 19, True
    elif rank == 2:
        yield from ((middle, y, False) for y in (11, 27))
    elif rank == 3:
        yield from ((7.5, 8.5, False), (15, 19, True), (22.5, 29.5, False))
    elif rank == 7:
        yield from ((6.5, 6.3, True), (15, 9.6, True), (23.5, 12.9, True))
        yield from ((x, y, False) for y in (22.5, 32) for x in (left, right))
    else:
        yield from ((x, y, y == 19) for y in (8.5, 19, 29.5) for x in (6.3, 15, 23.7))


def _bamboo(rank: int) -> Iterator[str]:
    if rank == 1:
        yield from _bird()
        return
    for x, y, height, middle, slope in _stick_places(rank):
        yield _stick(x, y, height, 5 if rank <= 5 else 3.8, _RED if middle else _GREEN, slope)


def _stick(x: float, y: float, height: float, width: float, colour: str, slope: float) -> str:
    """A stick of bamboo around a centre: two knobbed halves."""
    turn = f' transform="rotate({slope:g} {x:g} {y:g})"' if slope else ""
    half = height / 2 - 0.5
    side = f"h{width:g}v{half:g}h-{width:g}z"
    return (
        f'<path d="M{x - width / 2:g} {y - height / 2:g}{side}m0 {half + 1:g}{side}"'
        f' fill="{colour}" stroke="{colour}" stroke-width=".8" stroke-linejoin="round"{turn}/>'
    )


def _stick_places(rank: int) -> Iterator[tuple[float, float, float, bool, float]]:
    """Centres of the sticks, their height, whether they are coloured otherwise, and their slope in degrees."""
    rows: dict[int, tuple[tuple[float, int], ...]] = {
        2: ((11, 1), (27, 1)),
        3: ((11, 1), (27, 2)),
        4: ((11, 2), (27, 2)),
        5: ((11, 2), (27, 2)),
        6: ((11, 3), (27, 3)),
        7: ((7, 1), (19, 3), (31, 3)),
        9: ((7, 3), (19, 3), (31, 3)),
    }
    if rank == 8:
        for y, sign in ((11.0, 1), (27.0, -1)):
            yield from ((6, y, 13, False, 0), (24, y, 13, False, 0))
            yield from ((12, y, 13, False, -24 * sign), (18, y, 13, False, 24 * sign))
        return
    height = 9.6 if len(rows[rank]) == 3 else 13
    for row, (y, number) in enumerate(rows[rank]):
        columns = {1: (15.0,), 2: (9.0, 21.0), 3: _THIRDS}[number]
        for x in columns:
            yield x, y, height, (rank == 7 and row == 0) or (rank == 9 and x == 15), 0
    if rank == 5:
        yield 15, 19, 13, True, 0


def _bird() -> Iterator[str]:
    """The bird that stands for one bamboo."""
    yield f'<path d="M13 21C10 27 7 30 4 33c5 0 9-2 13-8z" fill="{_BLUE}"/>'
    yield f'<path d="M20 9c-8 0-12 7-10 13 1 4 5 6 9 4 6-3 7-9 4-15z" fill="{_GREEN}"/>'
    yield f'<path d="M12 15c0 5 3 8 7 8-1-4-3-7-7-8z" fill="{_FACE}" fill-opacity=".75"/>'
    yield f'<circle cx="20.5" cy="9.5" r="4.8" fill="{_GREEN}"/><circle cx="21.5" cy="8.5" r="1.1" fill="{_FACE}"/>'
    yield f'<path d="M24.6 7.6l4 2.2-4.2 2z" fill="{_RED}"/>'
    yield f'<path d="M15.5 26l-1 7h-2m6-7l.5 7h3" fill="none" stroke="{_RED}" stroke-width="1.4"/>'
