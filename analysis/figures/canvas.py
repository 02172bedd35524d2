"""Paper to draw a chart on with matplotlib, in pixels from the top left, and the SVG it becomes on a page."""

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Final, Literal
from xml.etree import ElementTree

from markupsafe import Markup

from analysis.figures.style import (
    FAINT,
    INK,
    LABEL,
    LEADING,
    PAGE,
    SMALL,
    SOFT,
    THEME,
    TO_BASE,
    font,
    text_width,
    wrapped,
)
from analysis.fonts import FAMILY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

Align = Literal["left", "center", "right"]
Shape = Literal["square", "dot", "ring", "diamond", "line", "dashes"]

#: A broken line.
DASHES: Final = (0, (4, 3))

_SVG: Final = "{http://www.w3.org/2000/svg}"
_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_COMMAND: Final = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NO_METADATA: Final = {"Date": None, "Creator": None, "Format": None, "Type": None}

#: A text with this name gets a rim in the page's colour, which keeps it readable on grid lines.
_HALO: Final = "halo"


@dataclass(frozen=True)
class Sign:
    """An entry of a key: what is drawn, its colour, what it means."""

    shape: Shape
    colour: str
    label: str


@dataclass(frozen=True)
class Key:
    """A key above a chart: its signs with their places, in lines as wide as the chart."""

    places: tuple[tuple[float, float, Sign, tuple[str, ...]], ...]
    height: float


@contextmanager
def canvas(width: float, height: float) -> "Iterator[Canvas]":
    """Paper of a size in pixels; nothing of the reader's own matplotlib settings shows on it."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": FAMILY, "path.simplify": False})
        # The browser finds another font for what ours lacks; `text_width` leaves room.
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing", UserWarning)
        yield Canvas(width, height)


class Canvas:
    """Paper to draw on; coordinates are pixels from the top left."""

    def __init__(self, width: float, height: float) -> None:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
        from matplotlib.transforms import Affine2D

        self.width, self.height = width, round(height)
        self.figure = Figure((width / 72, self.height / 72), dpi=72)  # at 72 dots an inch a point is a pixel
        FigureCanvasSVG(self.figure)
        self.pixels = Affine2D().scale(1, -1).translate(0, self.height)
        self.texts: list[Text] = []

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        colour: str = INK,
        size: float = LABEL,
        align: Align = "left",
        halo: bool = False,
    ) -> None:
        """One line of text, standing on y."""
        drawn = self.figure.text(
            x, y, words, transform=self.pixels, color=colour, fontproperties=font(size), ha=align, va="baseline"
        )
        drawn.set_parse_math(False)
        if halo:
            drawn.set_gid(_HALO)
        self.texts.append(drawn)

    def axes(self, left: float, top: float, right: float, bottom: float) -> "Axes":
        """A plot between these pixels, with neither frame nor ticks."""
        width, height = self.width, self.height
        made = self.figure.add_axes(
            (left / width, 1 - bottom / height, (right - left) / width, (bottom - top) / height), frameon=False
        )
        made.set_xticks([])
        made.set_yticks([])
        made.minorticks_off()
        return made

    def grid(self, plot: "Axes", ticks: dict[float, str], along: Literal["x", "y"], base: float | None = None) -> None:
        """Grid lines across an axis with their names; the one at ``base`` is stronger."""
        box = plot.get_position()
        left, bottom = box.x0 * self.width, (1 - box.y0) * self.height
        for value, name in ticks.items():
            style: dict[str, Any] = {"color": SOFT if value == base else FAINT, "linewidth": 1, "zorder": 0.5}
            x, y = plot.transData.transform((value, value))
            if along == "x":
                plot.axvline(value, **style)
                self.text(x, bottom + 16, name, colour=SOFT, size=SMALL, align="center")
            else:
                plot.axhline(value, **style)
                if name:
                    self.text(left - 7, self.height - y + TO_BASE, name, colour=SOFT, size=SMALL, align="right")

    def axis_title(self, left: float, right: float, y: float, words: str) -> None:
        """The name of a horizontal axis under the middle of the plot, wherever that leaves room for it."""
        for index, line in enumerate(axis_lines(words, self.width)):
            half = text_width(line, SMALL) / 2
            x = min(max((left + right) / 2, half + 1), self.width - half - 1)
            self.text(x, y + index * LEADING, line, colour=SOFT, size=SMALL, align="center")

    def key(self, key: Key, top: float = 0.0) -> None:
        """Signs with their meaning, from ``top`` downwards."""
        for x, y, sign, lines in key.places:
            middle = top + y + LEADING / 2
            self._sign(x, middle, sign)
            for index, line in enumerate(lines):
                self.text(x + 22, middle + TO_BASE + index * LEADING, line, size=SMALL)

    def _sign(self, x: float, y: float, sign: Sign) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Rectangle

        if sign.shape == "square":
            self.figure.add_artist(
                Rectangle((x, y - 6), 16, 12, transform=self.pixels, facecolor=sign.colour, edgecolor="none")
            )
            return
        style: dict[str, Any] = {"color": sign.colour, "transform": self.pixels}
        if sign.shape in ("line", "dashes"):
            style |= {"linewidth": 2, "linestyle": "-" if sign.shape == "line" else DASHES}
            self.figure.add_artist(Line2D([x, x + 16], [y, y], **style))
        else:
            self.figure.add_artist(Line2D([x + 8], [y], **style, **marker(sign.shape, sign.colour)))

    def misfits(self) -> list[str]:
        """Texts that leave the paper or lie on another, for tests: none in a chart that is well laid out."""
        boxes = [(text.get_text(), text.get_window_extent()) for text in self.texts]
        found = [
            f"{words!r} leaves the paper"
            for words, box in boxes
            if box.x0 < -0.5 or box.y0 < -0.5 or box.x1 > self.width + 0.5 or box.y1 > self.height + 0.5
        ]
        for index, (words, box) in enumerate(boxes):
            found += [
                f"{words!r} lies on {others!r}"
                for others, other in boxes[:index]
                if min(box.x1, other.x1) - max(box.x0, other.x0) > 0.5
                and min(box.y1, other.y1) - max(box.y0, other.y0) > 1.5  # boxes have room for accents
            ]
        return found

    def svg(self, title: str) -> Markup:
        """The drawing for a page, with its title for those who cannot see it."""
        out = io.StringIO()
        self.figure.savefig(out, format="svg", metadata=_NO_METADATA, transparent=True)
        parts = "".join(_elements(ElementTree.fromstring(out.getvalue())))
        start = Markup(
            '<svg viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}" stroke-linejoin="round" '
            'font-family="&quot;{3}&quot;, sans-serif"><title>{2}</title>'
        ).format(f"{self.width:g}", self.height, title, FAMILY)
        return start + Markup(parts) + Markup("</svg>")


def marker(shape: Shape, colour: str) -> dict[str, Any]:
    """A mark's looks: filled, or hollow."""
    hollow = shape == "ring"
    return {
        "marker": "D" if shape == "diamond" else "o",
        "markersize": 8 if shape == "diamond" else 9,
        "markerfacecolor": PAGE if hollow else colour,
        "markeredgecolor": colour if hollow else "none",
        "markeredgewidth": 1.8 if hollow else 0,
        "linestyle": "none",
    }


def axis_lines(words: str, width: float) -> list[str]:
    """The lines that the name of an axis takes on paper of a width."""
    return wrapped(words, width - 4, SMALL)


def key_of(signs: Sequence[Sign], width: float) -> Key:
    """Places for the signs of a key, one behind the other in as many lines as they take."""
    places: list[tuple[float, float, Sign, tuple[str, ...]]] = []
    x = y = 0.0
    tall = 0
    for sign in signs:
        lines = tuple(wrapped(sign.label, width - 24, SMALL))
        needed = 22 + max(text_width(line, SMALL) for line in lines)
        if x and x + needed > width:
            x, y = 0.0, y + tall * LEADING + 3
            tall = 0
        places.append((x, y, sign, lines))
        tall = max(tall, len(lines))
        x += needed + 18
    return Key(tuple(places), y + tall * LEADING + 8 if places else 0.0)


def _elements(root: ElementTree.Element) -> Iterator[str]:
    """The shapes and texts of matplotlib's SVG without their groups, ids and definitions, colours being the page's."""
    shapes = {path.get("id"): path for path in root.iterfind(f".//{_SVG}defs/{_SVG}path")}
    defined = set(map(id, shapes.values())) | {id(each) for each in root.iterfind(f".//{_SVG}clipPath//*")}
    halos = {id(text) for group in root.iterfind(f".//{_SVG}g[@id='{_HALO}']") for text in group}
    for element in root.iter():
        tag = element.tag.removeprefix(_SVG)
        if tag == "text":
            yield _text(element, id(element) in halos)
        elif tag == "path" and id(element) not in defined:
            yield _path(element.get("d", ""), _style(element))
        elif tag == "use":
            shape = shapes[element.get(_LINK, "#")[1:]]
            shift = (float(element.get("x", 0)), float(element.get("y", 0)))
            yield _path(shape.get("d", ""), _style(shape) | _style(element), shift)


def _style(element: ElementTree.Element) -> dict[str, str]:
    """The looks of an element."""
    parts = (part.partition(":") for part in element.get("style", "").split(";") if part.strip())
    return {name.strip(): value.strip() for name, _, value in parts}


def _path(shape: str, style: dict[str, str], shift: tuple[float, float] = (0.0, 0.0)) -> str:
    """A shape with its coordinates to a tenth of a pixel, level and upright lines written short."""
    parts: list[str] = []
    last = ("", "")
    for letter, numbers in _COMMAND.findall(shape):
        position = count()
        ends = [_tenth(float(number) + shift[next(position) % 2]) for number in numbers.split()]
        if letter != "L":
            parts.append(letter + " ".join(ends))
        elif ends[0] == last[0] and ends[1] != last[1]:
            parts.append(f"V{ends[1]}")
        elif ends[1] == last[1] and ends[0] != last[0]:
            parts.append(f"H{ends[0]}")
        elif (ends[0], ends[1]) != last or len(parts) == 1:  # a line to itself is not drawn, but where all there is
            parts.append(f"L{ends[0]} {ends[1]}")
        if ends:
            last = (ends[-2], ends[-1])
    for paint in ("fill", "stroke"):
        if style.get(f"{paint}-opacity") == "0":
            del style[f"{paint}-opacity"]
            style[paint] = "none"
    if not parts or {style.get("fill"), style.get("stroke", "none")} == {"none"}:
        return ""
    style.pop("stroke-linejoin", None)
    return f'<path d="{"".join(parts)}"{_looks(style)}/>'


def _text(element: ElementTree.Element, halo: bool) -> str:
    """A text, in the page's font."""
    style = _style(element)
    anchor = style.get("text-anchor", "start")
    looks = {"font-size": style["font-size"], "fill": style.get("fill", "#000000")}
    if halo:
        looks |= {"paint-order": "stroke", "stroke": PAGE, "stroke-width": "4px"}
    x, y = (_tenth(float(element.get(name, 0))) for name in "xy")
    ends = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return Markup('<text x="{}" y="{}"{}{}>{}</text>').format(
        x, y, Markup(ends), Markup(_looks(looks)), element.text or ""
    )


def _tenth(number: float) -> str:
    """A number to one digit after the point, as short as may be."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _looks(style: dict[str, str]) -> str:
    """Looks as attributes; what a page's style sheet must not override, and the page's own colours, as a style."""
    inside, attributes = [], []
    for name, value in style.items():
        colour = value.upper()
        if colour in THEME:
            inside.append(f"{name}:{THEME[colour]}")
        elif value == "none" or name.startswith("font"):
            inside.append(f"{name}:{value}")
        else:
            attributes.append(f' {name}="{colour if value.startswith("#") else value}"')
    return "".join(attributes) + (f' style="{";".join(inside)}"' if inside else "")
