"""Charts of one row per thing compared: its name, its estimate with the interval, its value."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Final, Literal

from markupsafe import Markup

from analysis.display.text import Lang, Term, fixed, percent, points
from analysis.estimates.intervals import Interval
from analysis.figures.canvas import Canvas, Shape, Sign, axis_lines, canvas, key_of, marker
from analysis.figures.style import (
    COLOURS,
    FAINT,
    INK,
    LEADING,
    PAGE,
    PALE,
    SMALL,
    SOFT,
    TO_BASE,
    WIDE,
    nice_ticks,
    percent_tick,
    text_width,
    widest,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Verdict = Literal["different", "equivalent", "open"]

#: Pixels that a row takes beside its lines of text, and those of one drawn estimate.
_ROOM: Final = 10
_DRAWN: Final = 18

#: Length of the arrow of a bound, in pixels.
_ARROW: Final = 24

#: Beyond so many margins the axis of differences is logarithmic.
_MANY_MARGINS: Final = 8.0

_VERDICTS: Final[dict[Verdict, tuple[Shape, Term]]] = {
    "different": ("diamond", Term("decided: different", "已判定：不同")),
    "equivalent": ("dot", Term("decided: practically equal", "已判定：实际等价")),
    "open": ("ring", Term("open", "未判定")),
}
_LOGARITHMIC: Final = Term(", logarithmic beyond ±1", "，±1 以外为对数轴")


@dataclass(frozen=True)
class Mark:
    """A row of a chart: its label, its value, the colour's name."""

    label: Term
    interval: Interval
    colour: str


@dataclass(frozen=True)
class Pair:
    """A row of two estimates of one thing: its label, both estimates as far as there are any, the colour's name."""

    label: Term
    first: Interval | None
    second: Interval | None
    colour: str


@dataclass(frozen=True)
class Difference:
    """A difference of two rulesets: the metric, the interval, the margin of practical equivalence, what was decided.

    Attributes
    ----------
    label : Term
        The metric.
    interval : Interval
        The difference, in the metric's unit.
    margin : float
        A smaller difference counts as none; in the same unit, above zero.
    verdict : {"different", "equivalent", "open"}
        What was decided.
    shown : str
        The difference as it is written, with its unit.
    """

    label: Term
    interval: Interval
    margin: float
    verdict: Verdict
    shown: str


@dataclass(frozen=True)
class _Axis:
    """The horizontal axis: its name, its ticks with theirs, its ends, its kind, where its strong line is."""

    name: str
    ticks: dict[float, str]
    low: float
    high: float
    scale: Literal["linear", "log", "symlog"] = "linear"
    base: float | None = None


@dataclass(frozen=True)
class _Row:
    """A row's texts: its label, its values each on a line of its own with whether it is pale."""

    label: str
    values: Sequence[tuple[str, bool]]


def share_dots(marks: Sequence[Mark], axis: str, title: str, width: int, lang: Lang) -> Markup:
    """Shares with their intervals as dots and lines on a logarithmic axis; a bound as an arrow."""
    smallest = min(mark.interval.low or mark.interval.estimate or mark.interval.high or 1.0 for mark in marks)
    lowest = min(-1, floor(log10(smallest) + 1e-9))
    powers = {power: percent_tick(10.0**power) for power in range(0, lowest - 1, -1)}
    pitch = width * (0.5 if width == WIDE else 0.65) / -lowest
    step = next((step for step in range(1, -lowest) if widest([*powers.values()], SMALL) + 12 < step * pitch), -lowest)
    ticks = {10.0**power: name for power, name in powers.items() if power % step == 0}
    drawn = _Axis(axis, ticks, 10.0**lowest, 1.0, "log")
    return _marks_chart(marks, drawn, title, width, lang, percent)


def share_bars(marks: Sequence[Mark], axis: str, title: str, width: int, lang: Lang) -> Markup:
    """Shares as bars from zero with their intervals."""
    top = max(mark.interval.high or mark.interval.estimate for mark in marks)
    ticks = nice_ticks(0, top, 5 if width == WIDE else 4)
    drawn = _Axis(axis, {tick: percent_tick(tick) for tick in ticks}, 0, ticks[-1], base=0)
    return _marks_chart(marks, drawn, title, width, lang, percent, bars=True)


def mean_dots(marks: Sequence[Mark], axis: str, title: str, width: int, lang: Lang) -> Markup:
    """Means with their intervals as dots and lines, with zero marked."""
    drawn = _means_axis([mark.interval for mark in marks], axis, width)
    return _marks_chart(marks, drawn, title, width, lang, points)


def grouped_means(
    pairs: Sequence[Pair], estimators: tuple[Term, Term], axis: str, title: str, width: int, lang: Lang
) -> Markup:
    """Means by two estimators, the first hollow above the second filled, with their intervals and zero marked."""
    both = [[each for each in (pair.first, pair.second) if each] for pair in pairs]
    drawn = _means_axis([interval for found in both for interval in found], axis, width)
    colour = COLOURS[pairs[0].colour]
    shapes: tuple[Shape, Shape] = ("ring", "dot")
    key = [Sign(shape, colour, name.say(lang)) for shape, name in zip(shapes, estimators, strict=True)]
    rows = [
        _Row(pair.label.both(lang), [_value(each, points) for each in found])
        for pair, found in zip(pairs, both, strict=True)
    ]

    def paint(plot: "Axes", index: int, middles: Sequence[float]) -> None:
        pair = pairs[index]
        drawings = [(each, shape) for each, shape in zip((pair.first, pair.second), shapes, strict=True) if each]
        for (interval, shape), y in zip(drawings, middles, strict=True):
            draw_dot(plot, interval, y, COLOURS[pair.colour], shape)

    return _chart(rows, drawn, title, width, paint, key)


def tornado(
    marks: Sequence[Mark], margin: float | None, axis: str, title: str, width: int, lang: Lang, margin_name: Term
) -> Markup:
    """What a metric moves by with each option: bars from zero with their intervals, the longest first.

    Parameters
    ----------
    marks : sequence of Mark
        One paired difference for each option, in the axis's unit.
    margin : float or None
        Differences within it count as none: the shaded band.
    axis, title : str
        The axis's name with its unit; the finding.
    width : int
        `WIDE` or `NARROW`.
    lang : {"en", "zh"}
        Language that comes first.
    margin_name : Term
        What the shaded band is.

    Returns
    -------
    Markup
    """
    ordered = sorted(marks, key=lambda mark: -abs(mark.interval.estimate))
    ends = Interval(0.0, -(margin or 0.0), margin or 0.0, "normal")
    drawn = _means_axis([*(mark.interval for mark in marks), ends], axis, width)
    key = [Sign("square", FAINT, margin_name.say(lang))] if margin else []
    return _marks_chart(ordered, drawn, title, width, lang, points, bars=True, key=key, band=margin)


def differences(found: Sequence[Difference], axis: str, title: str, width: int, lang: Lang) -> Markup:
    """Differences of several metrics, each measured in its own margin of practical equivalence, the shaded band."""
    scaled = [_in_margins(each) for each in found]
    drawn = _means_axis([*scaled, Interval(0.0, -1.0, 1.0, "normal")], axis, width)
    if max(-drawn.low, drawn.high) > _MANY_MARGINS:
        drawn = _many_margins_axis(axis + _LOGARITHMIC.say(lang), max(-drawn.low, drawn.high), width)
    seen = {each.verdict for each in found}
    key = [Sign(shape, INK, name.say(lang)) for verdict, (shape, name) in _VERDICTS.items() if verdict in seen]
    rows = [_Row(each.label.both(lang), [(each.shown, each.verdict == "open")]) for each in found]

    def paint(plot: "Axes", index: int, middles: Sequence[float]) -> None:
        draw_dot(plot, scaled[index], middles[0], INK, _VERDICTS[found[index].verdict][0])

    return _chart(rows, drawn, title, width, paint, key, band=1.0)


def _many_margins_axis(name: str, most: float, width: int) -> _Axis:
    """An axis that is linear to one margin on both sides and logarithmic beyond, named where there is room."""
    top = max(1, ceil(log10(most) - 1e-9))
    named = {0, top} if width != WIDE else {0, (top + 1) // 2, top} if top > 3 else set(range(top + 1))
    ticks = {0.0: "0"}
    for power in range(top + 1):
        for value in (-(10.0**power), 10.0**power):
            ticks[value] = fixed(value, 0, sign=True) if power in named else ""
    return _Axis(name, dict(sorted(ticks.items())), -(10.0**top), 10.0**top, "symlog", 0.0)


def _in_margins(found: Difference) -> Interval:
    """A difference with its interval, the margin being the unit."""
    interval = found.interval
    low, high = (None if end is None else end / found.margin for end in (interval.low, interval.high))
    return replace(interval, estimate=interval.estimate / found.margin, low=low, high=high)


def _means_axis(intervals: Sequence[Interval], name: str, width: int) -> _Axis:
    """A linear axis that holds intervals and zero."""
    ends = [end for each in intervals for end in (each.low, each.high, each.estimate) if end is not None]
    ticks = nice_ticks(min(0.0, *ends), max(0.0, *ends), 6 if width == WIDE else 4)
    digits = max(0, -floor(log10(ticks[1] - ticks[0]) + 1e-9))
    return _Axis(name, {tick: fixed(tick, digits, sign=True) for tick in ticks}, ticks[0], ticks[-1], base=0)


def _value(interval: Interval, show: Callable[[Interval], str]) -> tuple[str, bool]:
    """An estimate as it is written, with a star where few cases stand behind it; whether that is so."""
    starred = interval.few and interval.method != "bound"
    return show(interval) + "*" * starred, interval.few


def _marks_chart(
    marks: Sequence[Mark],
    axis: _Axis,
    title: str,
    width: int,
    lang: Lang,
    show: Callable[[Interval], str],
    *,
    bars: bool = False,
    key: Sequence[Sign] = (),
    band: float | None = None,
) -> Markup:
    """A chart of one estimate per row, as a dot or a bar."""
    rows = [_Row(mark.label.both(lang), [_value(mark.interval, show)]) for mark in marks]

    def paint(plot: "Axes", index: int, middles: Sequence[float]) -> None:
        mark = marks[index]
        draw = _bar if bars else draw_dot
        draw(plot, mark.interval, middles[0], COLOURS[mark.colour])

    return _chart(rows, axis, title, width, paint, key, band)


def _chart(
    rows: Sequence[_Row],
    axis: _Axis,
    title: str,
    width: int,
    paint: Callable[["Axes", int, Sequence[float]], None],
    key: Sequence[Sign] = (),
    band: float | None = None,
) -> Markup:
    """A chart of rows: key, then for each row its label, its drawing and its values, then the axis."""
    signs = key_of(key, width)
    values = widest([value for row in rows for value, _ in row.values])
    names = list(axis.ticks.values())
    right = width - max(values + 14, text_width(names[-1], SMALL) / 2 + 1, text_width(names[0], SMALL) / 2 + 1)
    left = max(12.0, *(text_width(name, SMALL) / 2 + 2 for name in names))
    room = 0.42 * width if width == WIDE else float(width)
    labels = [wrapped(row.label, room) for row in rows]
    if width == WIDE:
        left = max(left, widest([line for lines in labels for line in lines]) + 18)
    tops = [signs.height + 4]
    for row, lines in zip(rows, labels, strict=True):
        drawn, told = _DRAWN * len(row.values), LEADING * len(lines)
        tops.append(tops[-1] + (max(drawn, told) + _ROOM if width == WIDE else drawn + told + _ROOM))
    bottom = tops[-1]
    height = bottom + 42 + LEADING * (len(axis_lines(axis.name, width)) - 1)
    with canvas(width, height) as paper:
        plot = _plot(paper, axis, (left, tops[0], right, bottom))
        if band is not None:
            plot.axvspan(-band, band, facecolor=FAINT, alpha=0.55, edgecolor="none", zorder=0.2)
        paper.key(signs)
        paper.grid(plot, axis.ticks, "x", axis.base)
        for index, (row, lines) in enumerate(zip(rows, labels, strict=True)):
            told = LEADING * len(lines)
            middle = (tops[index] + tops[index + 1]) / 2 if width == WIDE else tops[index] + 4
            first = middle - told / 2 + LEADING / 2 + TO_BASE if width == WIDE else middle + 11
            for line, words in enumerate(lines):
                paper.text(0, first + LEADING * line, words, halo=width != WIDE)
            start = middle - _DRAWN * len(row.values) / 2 if width == WIDE else middle + told
            middles = [start + _DRAWN * (line + 0.5) for line in range(len(row.values))]
            paint(plot, index, middles)
            for (value, pale), y in zip(row.values, middles, strict=True):
                paper.text(width, y + TO_BASE, value, colour=SOFT if pale else INK, align="right")
        paper.axis_title(left, right, bottom + 34, axis.name)
        return paper.svg(title)


def _plot(paper: Canvas, axis: _Axis, box: tuple[float, float, float, float]) -> "Axes":
    """The plot of a chart of rows: values along, pixels down."""
    plot = paper.axes(*box)
    if axis.scale == "symlog":
        plot.set_xscale("symlog", linthresh=1)
    else:
        plot.set_xscale(axis.scale)
    plot.set_xticks([])
    plot.minorticks_off()
    plot.set_xlim(axis.low, axis.high)
    plot.set_ylim(box[3], box[1])
    return plot


def draw_dot(plot: "Axes", interval: Interval, y: float, colour: str, shape: Shape = "dot") -> None:
    """An estimate as a dot on its interval, or an arrow for a bound."""
    if interval.method == "bound":
        _arrow(plot, interval, y)
        return
    _whisker(plot, interval, y)
    style = marker(shape, colour)
    if interval.few:  # pale, but without the interval showing through it
        plot.plot([interval.estimate], [y], zorder=3, clip_on=False, **marker(shape, PAGE))
        style["alpha"] = PALE
    plot.plot([interval.estimate], [y], zorder=4, clip_on=False, **style)


def _bar(plot: "Axes", interval: Interval, y: float, colour: str) -> None:
    """An estimate as a bar from zero under its interval, or an arrow for a bound."""
    if interval.method == "bound" and interval.estimate == 0:
        _arrow(plot, interval, y)
        return
    plot.barh([y], [interval.estimate], 14, color=colour, alpha=PALE if interval.few else 1.0, linewidth=0, zorder=1)
    if interval.method == "bound":
        _arrow(plot, interval, y)
    else:
        _whisker(plot, interval, y)


def _whisker(plot: "Axes", interval: Interval, y: float) -> None:
    """The interval as a line with ends."""
    if interval.low is None or interval.high is None:
        return
    low, high = (min(max(end, plot.get_xlim()[0]), plot.get_xlim()[1]) for end in (interval.low, interval.high))
    plot.plot([low, high], [y, y], zorder=2, clip_on=False, **_stroke(INK, 8))


def _stroke(colour: str, tall: float) -> dict[str, Any]:
    """The looks of a line with a stroke of so many pixels across its ends."""
    across = {"marker": "|", "markersize": tall, "markeredgewidth": 1.4, "markerfacecolor": "none"}
    return {"color": colour, "linewidth": 1.4, **across}


def _arrow(plot: "Axes", interval: Interval, y: float) -> None:
    """A bound: a stroke at it and an arrow to the side where the truth may be."""
    below = interval.estimate == 0
    bound = interval.high if below else interval.low
    assert bound is not None
    to_pixels = plot.transData
    x = to_pixels.transform((bound, y))[0]
    edge = to_pixels.transform((plot.get_xlim()[0 if below else 1], y))[0]
    tip = max(edge, x - _ARROW) if below else min(edge, x + _ARROW)
    end = to_pixels.inverted().transform((tip, 0))[0]
    plot.plot([bound, end], [y, y], zorder=2, clip_on=False, markevery=[0], **_stroke(SOFT, 10))
    plot.plot(
        [end], [y], color=SOFT, marker=4 if below else 5, markersize=6, markeredgewidth=0, zorder=2, clip_on=False
    )
