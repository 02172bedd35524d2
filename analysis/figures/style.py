"""What charts have in common: widths, colours, sizes of text, round ticks, and how wide a text is."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from analysis.display.text import THIN
from analysis.fonts import font_path

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

#: Widths in pixels at which charts are drawn; a page shows the one that fits.
WIDE: Final = 680
NARROW: Final = 328

#: Stand for the page's colours while a chart is drawn; the SVG says ``var(--ink)`` and so on in their place, so that a
#: chart follows the reader's colour scheme.
INK: Final = "#010203"
SOFT: Final = "#020301"
FAINT: Final = "#030102"
PAGE: Final = "#FDFEFC"
THEME: Final = {INK: "var(--ink)", SOFT: "var(--soft)", FAINT: "var(--faint)", PAGE: "var(--page)"}

#: Okabe and Ito's palette, which the colour-blind can tell apart, its black being the page's ink; a colour means the
#: same in every chart.
COLOURS: Final = {
    "self_draw": "#0072B2",
    "discard": "#E69F00",
    "rob_kong": INK,
    "drawn": "#D55E00",
    "type": "#009E73",
    "fish": "#56B4E9",
    "points": "#CC79A7",
}

#: Sizes of text in pixels: labels and values, and what stands at an axis.
LABEL: Final = 12.5
SMALL: Final = 12.0

#: From one line of text to the next, and from the middle of a line to where its letters stand.
LEADING: Final = 16
TO_BASE: Final = 4.4

#: How much of its colour a mark keeps that fewer than ten cases stand behind.
PALE: Final = 0.4

_WIDEST: Final = {True: "国", False: "M"}


@cache
def font(size: float) -> "FontProperties":
    """The page's font in a size."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(fname=str(font_path()), size=size)


@cache
def _measurer() -> "tuple[TextToPath, frozenset[int]]":
    """What measures texts, and the characters that the font has."""
    from matplotlib.font_manager import get_font
    from matplotlib.textpath import TextToPath

    return TextToPath(), frozenset(get_font(str(font_path())).get_charmap())


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = LABEL) -> float:
    """How many pixels a text takes; a character that the font lacks counts as a wide one.

    >>> text_width("自摸") == 2 * LABEL
    True
    """
    if not text:
        return 0.0
    measurer, known = _measurer()
    shown = "".join(letter if ord(letter) in known else _WIDEST[letter > "\u2e80"] for letter in text)
    return float(measurer.get_text_width_height_descent(shown, font(size), False)[0])


def wrapped(text: str, width: float, size: float = LABEL) -> list[str]:
    """A text in lines of at most so many pixels, broken at spaces and between Chinese characters, or where it must be.

    >>> wrapped("seven pairs, 3 quads", 72)
    ['seven pairs,', '3 quads']
    """
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        if not line or text_width((line + piece).rstrip(), size) <= width:
            line += piece
        else:
            lines.append(line.rstrip())
            line = piece.lstrip()
        while text_width(line.rstrip(), size) > width and len(line.rstrip()) > 1:  # a word longer than the line
            fits = max(n for n in range(1, len(line)) if n == 1 or text_width(line[:n], size) <= width)
            lines.append(line[:fits].rstrip())
            line = line[fits:].lstrip()
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _pieces(text: str) -> list[str]:
    """Words with the space behind them, and single Chinese characters with the punctuation behind them."""
    pieces: list[str] = []
    for letter in text:
        chinese = letter > "\u2e80" and letter not in "，。、；：）》”"
        starts = not pieces or chinese or (pieces[-1][-1] in " \u3000" and letter != " ")
        after_chinese = bool(pieces) and pieces[-1][0] > "\u2e80" and letter.isascii() and letter.isalnum()
        if starts or after_chinese:
            pieces.append(letter)
        else:
            pieces[-1] += letter
    return pieces


def nice_ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers, about so many, from at most ``low`` to at least ``high``.

    >>> nice_ticks(0, 0.73, 4)
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    from matplotlib.ticker import MaxNLocator

    if high <= low:
        low, high = low - 1, high + 1
    found = MaxNLocator(about, steps=[1, 2, 5, 10]).tick_values(low, high)
    return [round(float(tick), 12) + 0.0 for tick in found]


def percent_tick(value: float) -> str:
    """A share at a tick, in percent.

    >>> percent_tick(1e-8) == "0.000001\u202f%", percent_tick(0.2) == "20\u202f%"
    (True, True)
    """
    digits = f"{100 * value:.10f}".rstrip("0").rstrip(".")
    return f"{digits}{THIN}%"


def widest(texts: Sequence[str], size: float = LABEL) -> float:
    """Pixels that the widest of some texts takes."""
    return max((text_width(text, size) for text in texts), default=0.0)
