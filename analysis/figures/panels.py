"""Small panels of one chart, each a number with an axis of its own: what it is for several, dot by dot."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Final

from markupsafe import Markup

from analysis.display.text import fixed
from analysis.estimates.intervals import Interval
from analysis.figures.canvas import Canvas, Shape, Sign, canvas, key_of
from analysis.figures.rows import draw_dot
from analysis.figures.style import (
    INK,
    LEADING,
    NARROW,
    SMALL,
    SOFT,
    TO_BASE,
    nice_ticks,
    percent_tick,
    widest,
    wrapped,
)

#: Pixels between the lines of a panel, below its ticks, and between two columns of panels at the least.
_PITCH: Final = 19
_BELOW: Final = 40
_GAP: Final = 24

#: How much of a panel's width the names may take.
_NAMES: Final = 0.4

_TICKS: Final = 3


@dataclass(frozen=True)
class Dot:
    """A line of a panel: its name, the estimate, how that is written, the shape of its dot."""

    label: str
    interval: Interval
    shown: str
    shape: Shape


@dataclass(frozen=True)
class Panel:
    """One number: what it is, whether its axis is in per cent, its dots from top to bottom, at least one."""

    title: str
    percent: bool
    dots: Sequence[Dot]


@dataclass(frozen=True)
class _Shape:
    """What panels share: the width of each, and where in it the plot begins and ends."""

    width: float
    left: float
    right: float


def panels(found: Sequence[Panel], signs: Sequence[Sign], title: str, width: int) -> Markup:
    """Panels beside each other where there is room, otherwise one below the other; every axis has its zero.

    Parameters
    ----------
    found : sequence of Panel
    signs : sequence of Sign
        What the shapes of the dots mean.
    title : str
        The finding.
    width : int
        `analysis.figures.WIDE` or `NARROW`.

    Returns
    -------
    Markup
    """
    key = key_of(signs, width)
    columns = max(1, int((width + _GAP) // (NARROW + _GAP)))
    step = (width + _GAP) / columns
    shape = _shape_of(found, step - _GAP)
    lines = [
        [found[start + at] for at in range(columns) if start + at < len(found)]
        for start in range(0, len(found), columns)
    ]
    heights = [max(_height(panel, shape) for panel in line) for line in lines]
    with canvas(width, key.height + sum(heights)) as paper:
        paper.key(key)
        top = key.height
        for line, height in zip(lines, heights, strict=True):
            # Axes of panels side by side are level, however many lines their titles take.
            base = top + height - _BELOW
            for column, panel in enumerate(line):
                _draw(paper, panel, shape, column * step, base)
            top += height
        return paper.svg(title)


def _shape_of(found: Sequence[Panel], width: float) -> _Shape:
    dots = [dot for panel in found for dot in panel.dots]
    names = min(widest([dot.label for dot in dots]), _NAMES * width)
    return _Shape(width, names + 14, width - widest([dot.shown for dot in dots]) - 14)


def _names(dot: Dot, shape: _Shape) -> list[str]:
    return wrapped(dot.label, shape.left - 14 + 0.5)


def _pitch(panel: Panel, shape: _Shape) -> float:
    """From one dot to the next."""
    return max(_PITCH, LEADING * max(len(_names(dot, shape)) for dot in panel.dots) + 3)


def _height(panel: Panel, shape: _Shape) -> float:
    return LEADING * len(wrapped(panel.title, shape.width)) + 8 + _pitch(panel, shape) * len(panel.dots) + _BELOW


def _draw(paper: Canvas, panel: Panel, shape: _Shape, x: float, bottom: float) -> None:
    """A panel from ``x`` on, its plot ending at ``bottom``."""
    pitch = _pitch(panel, shape)
    top = bottom - pitch * len(panel.dots)
    titles = wrapped(panel.title, shape.width)
    for index, words in enumerate(titles):
        paper.text(x, top - 8 - LEADING * (len(titles) - 1 - index), words)
    plot = paper.axes(x + shape.left, top, x + shape.right, bottom)
    ticks = _ticks(panel, shape)
    plot.set_xlim(min(ticks), max(ticks))
    plot.set_ylim(bottom, top)
    paper.grid(plot, ticks, "x", 0.0)
    for index, dot in enumerate(panel.dots):
        y = top + pitch * (index + 0.5)
        names = _names(dot, shape)
        for line, words in enumerate(names):
            paper.text(x, y + TO_BASE + LEADING * (line - (len(names) - 1) / 2), words, colour=SOFT)
        draw_dot(plot, dot.interval, y, INK, dot.shape)
        paper.text(x + shape.width, y + TO_BASE, dot.shown, colour=SOFT if dot.interval.few else INK, align="right")


def _ticks(panel: Panel, shape: _Shape) -> dict[float, str]:
    """Round numbers from zero, or from below it, to beyond every interval, as many as have room for their names."""
    ends = [end for dot in panel.dots for end in (dot.interval.low, dot.interval.estimate, dot.interval.high)]
    known = [end for end in ends if end is not None]
    values = nice_ticks(min(0.0, *known), max(0.0, *known), _TICKS)
    digits = max(0, -floor(log10(values[1] - values[0]) + 1e-9))
    names = [percent_tick(value) if panel.percent else fixed(value, digits) for value in values]
    room = (shape.right - shape.left) / (len(values) - 1)
    if widest(names, SMALL) + 8 > room:
        names = [
            name if value in (values[0], 0.0, values[-1]) else "" for value, name in zip(values, names, strict=True)
        ]
    return dict(zip(values, names, strict=True))
