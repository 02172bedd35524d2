"""Charts as inline SVG: each answers one question, with its intervals drawn, in a wide and a phone's width."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from markupsafe import Markup

from analysis.intervals import Interval
from analysis.text import Lang, Term, fixed, percent, points

#: Widths in pixels at which charts are drawn; a page shows the one that fits.
WIDE: Final = 680
NARROW: Final = 328

#: Okabe and Ito's palette, which the colour-blind can tell apart; a colour means the same in every chart.
COLOURS: Final = {
    "self_draw": "#0072B2",
    "discard": "#E69F00",
    "rob_kong": "#CC79A7",
    "drawn": "#D55E00",
    "type": "#009E73",
    "fish": "#56B4E9",
    "points": "#0072B2",
}

_LINE: Final = Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>')
_TEXT: Final = Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>')
_RECT: Final = Markup('<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>')
_DOT: Final = Markup('<circle cx="{}" cy="{}" r="4.5" fill="{}" class="{}"/>')


@dataclass(frozen=True)
class Figure:
    """A chart: the finding it shows, what its marks are, and its drawings by width."""

    key: str
    title: str
    caption: str
    wide: Markup
    narrow: Markup


@dataclass(frozen=True)
class Mark:
    """A row of a chart: its label, its value, the colour's name."""

    label: Term
    interval: Interval
    colour: str


@dataclass(frozen=True)
class Stack:
    """A part of every column of a histogram: its label, colour and heights by position."""

    label: Term
    colour: str
    heights: dict[int, float]


@dataclass(frozen=True)
class _Scale:
    """From values to pixels, with the ticks of the axis."""

    place: Callable[[float], float]
    ticks: Sequence[float]
    left: float
    right: float


def svg(width: int, height: float, title: str, parts: Sequence[Markup]) -> Markup:
    """A drawing with its title for those who cannot see it."""
    start = Markup('<svg viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">').format(
        width, _px(height), width, _px(height), title
    )
    return start + Markup("").join(parts) + Markup("</svg>")


def share_dots(marks: Sequence[Mark], axis: str, title: str, width: int, lang: Lang) -> Markup:
    """Shares with their intervals as dots and lines on a logarithmic axis; a bound as an arrow to the left of it."""
    lows = [mark.interval.low or mark.interval.high or 1.0 for mark in marks]
    lowest = min(-1, floor(log10(min(lows))))
    left, right = _margins(marks, width, lang)

    def place(value: float) -> float:
        return left + (right - left) * (log10(max(value, 10.0**lowest)) - lowest) / -lowest

    step = 1 if width == WIDE or lowest > -4 else 2
    scale = _Scale(place, [10.0**power for power in range(0, lowest - 1, -step)], left, right)
    return _rows(marks, scale, axis, title, width, lang, show=percent, tick=_percent_tick)


def share_bars(marks: Sequence[Mark], axis: str, title: str, width: int, lang: Lang) -> Markup:
    """Shares as bars from zero with their intervals."""
    left, right = _margins(marks, width, lang)
    ticks = nice_ticks(0, max(mark.interval.high or mark.interval.estimate for mark in marks), 4)
    top = ticks[-1]
    scale = _Scale(lambda value: left + (right - left) * value / top, ticks, left, right)
    return _rows(marks, scale, axis, title, width, lang, show=percent, tick=_percent_tick, bars=True)


def mean_dots(marks: Sequence[Mark], axis: str, title: str, width: int, lang: Lang) -> Markup:
    """Means with their intervals as dots and lines, with zero marked."""
    ends = [end for mark in marks for end in (mark.interval.low, mark.interval.high, mark.interval.estimate, 0.0)]
    known = [end for end in ends if end is not None]
    ticks = nice_ticks(min(known), max(known), 5 if width == WIDE else 3)
    left, right = _margins(marks, width, lang)
    low, high = ticks[0], ticks[-1]
    scale = _Scale(lambda value: left + (right - left) * (value - low) / (high - low), ticks, left, right)
    digits = max(0, -floor(log10(ticks[1] - ticks[0]) + 1e-9))
    return _rows(
        marks,
        scale,
        axis,
        title,
        width,
        lang,
        show=points,
        tick=lambda value: fixed(value, digits, sign=True),
        zero=0.0,
    )


def histogram(stacks: Sequence[Stack], axes: tuple[str, str], title: str, width: int, lang: Lang) -> Markup:
    """Shares of deals by a whole number, as columns stacked by what the deals have in common."""
    top, bottom, left, right = 64.0, 250.0, 44.0, width - 10.0
    positions = {position for stack in stacks for position in stack.heights}
    first, last = min(positions), max(positions)
    step = (right - left) / (last - first + 1)
    totals = {position: sum(stack.heights.get(position, 0.0) for stack in stacks) for position in positions}
    ticks = nice_ticks(0, max(totals.values()), 4)
    parts = [_TEXT.format("axis", 0, 12, "start", axes[1])]
    for tick in ticks:
        y = bottom - (bottom - top) * tick / ticks[-1]
        parts += [_LINE.format("grid", _px(left), _px(y), _px(right), _px(y))]
        parts += [_TEXT.format("tick", _px(left - 6), _px(y + 4), "end", _percent_tick(tick))]
    reached = dict.fromkeys(positions, 0.0)
    for stack in stacks:
        for position, height in sorted(stack.heights.items()):
            y0 = bottom - (bottom - top) * reached[position] / ticks[-1]
            tall = (bottom - top) * height / ticks[-1]
            x = left + step * (position - first)
            parts.append(
                _RECT.format(_px(x), _px(y0 - tall), _px(max(step - 0.8, 0.8)), _px(tall), COLOURS[stack.colour])
            )
            reached[position] += height
    for tick in nice_ticks(first, last, 6 if width == WIDE else 4):
        if first <= tick <= last and tick == int(tick):
            x = left + step * (tick - first + 0.5)
            parts.append(_TEXT.format("tick", _px(x), _px(bottom + 16), "middle", f"{tick:.0f}"))
    parts.append(_LINE.format("base", _px(left), _px(bottom), _px(right), _px(bottom)))
    parts.append(_TEXT.format("axis", _px((left + right) / 2), _px(bottom + 36), "middle", axes[0]))
    parts += _key(stacks, left, right, lang)
    return svg(width, bottom + 44, title, parts)


def nice_ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers, about so many, from at most ``low`` to at least ``high``.

    >>> nice_ticks(0, 0.73, 4)
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    if high <= low:
        low, high = low - 1, high + 1
    rough = (high - low) / about
    power = 10.0 ** floor(log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough * 0.999)
    start, end = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(index * step, 12) for index in range(start, end + 1)]


def _rows(
    marks: Sequence[Mark],
    scale: _Scale,
    axis: str,
    title: str,
    width: int,
    lang: Lang,
    *,
    show: Callable[[Interval], str],
    tick: Callable[[float], str],
    bars: bool = False,
    zero: float | None = None,
) -> Markup:
    """A chart of one row per mark: label, drawing, value."""
    pitch = 26 if width == WIDE else 40
    bottom = 8 + pitch * len(marks)
    parts = []
    for value in scale.ticks:
        x = _px(scale.place(value))
        parts.append(_LINE.format("base" if value == zero or (bars and value == 0) else "grid", x, 4, x, bottom))
        parts.append(_TEXT.format("tick", x, bottom + 16, "middle", tick(value)))
    for index, mark in enumerate(marks):
        y = 8 + pitch * index + (pitch / 2 if width == WIDE else 28)
        label = mark.label.both(lang)
        if width == WIDE:
            parts.append(_TEXT.format("label", 0, _px(y + 4), "start", label))
        else:
            parts.append(_TEXT.format("label halo", 0, _px(y - 13), "start", label))
        parts += _drawn(mark, scale, y, bars)
        few = " few" if mark.interval.few else ""
        star = "*" if mark.interval.few and mark.interval.method != "bound" else ""
        parts.append(_TEXT.format(f"value{few}", width, _px(y + 4), "end", show(mark.interval) + star))
    parts.append(_TEXT.format("axis", _px((scale.left + scale.right) / 2), bottom + 36, "middle", axis))
    return svg(width, bottom + 44, title, parts)


def _drawn(mark: Mark, scale: _Scale, y: float, bars: bool) -> list[Markup]:
    """One mark: a bar or a dot with its interval, or an arrow for a bound."""
    interval, colour = mark.interval, COLOURS[mark.colour]
    if interval.method == "bound" and interval.estimate == 0 and interval.high is not None:
        x = scale.place(interval.high)
        tip = max(scale.left, x - 22)
        return [
            _LINE.format("bound", _px(tip), _px(y), _px(x), _px(y)),
            _LINE.format("bound", _px(x), _px(y - 5), _px(x), _px(y + 5)),
            Markup('<path class="tip" d="M{} {}l7 -4v8z"/>').format(_px(tip - 1), _px(y)),
        ]
    x = scale.place(interval.estimate)
    parts = []
    if bars:
        start = scale.place(0)
        parts.append(_RECT.format(_px(start), _px(y - 7), _px(max(x - start, 1)), 14, colour))
    if interval.low is not None and interval.high is not None:
        low, high = scale.place(interval.low), scale.place(interval.high)
        parts.append(_LINE.format("whisker", _px(low), _px(y), _px(high), _px(y)))
        parts += [_LINE.format("whisker", _px(end), _px(y - 4), _px(end), _px(y + 4)) for end in (low, high)]
    if not bars:
        parts.append(_DOT.format(_px(x), _px(y), colour, "few" if interval.few else "sure"))
    return parts


def _key(stacks: Sequence[Stack], left: float, right: float, lang: Lang) -> list[Markup]:
    """The colours of a histogram with their names, above it."""
    parts = []
    x, y = left, 24
    for stack in stacks:
        name = stack.label.say(lang)
        if x + 14 + text_width(name) > right:
            x, y = left, y + 18
        parts.append(_RECT.format(_px(x), y, 10, 10, COLOURS[stack.colour]))
        parts.append(_TEXT.format("label", _px(x + 14), y + 9, "start", name))
        x += 14 + 16 + text_width(name)
    return parts


def _margins(marks: Sequence[Mark], width: int, lang: Lang) -> tuple[float, float]:
    """Where the drawing begins and ends: right of the labels (which a phone has above) and left of the values."""
    if width == NARROW:
        return 20.0, width - 84.0
    return max(120.0, *(text_width(mark.label.both(lang)) + 18 for mark in marks)), width - 92.0


def text_width(text: str) -> float:
    """About how many pixels a label takes, Chinese characters being square."""
    return sum(12.5 if character > "\u2e80" else 7.0 for character in text)


def _percent_tick(value: float) -> str:
    """A share at a tick, in percent."""
    return f"{100 * value:.10g} %"


def _px(number: float) -> str:
    """Pixels, to a tenth."""
    return f"{number:.1f}".removesuffix(".0")
