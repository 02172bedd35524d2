"""Charts of a share or a mean along a number: columns, tails, and an estimate that grows surer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from analysis.display.text import Lang, Term, fixed, grouped
from analysis.estimates.intervals import Interval
from analysis.figures.canvas import DASHES, Canvas, Key, Sign, axis_lines, canvas, key_of
from analysis.figures.style import (
    COLOURS,
    INK,
    LEADING,
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

#: Pixels from the top of the plot to its bottom.
_TALL: Final = 190

#: How much of its colour the band of an interval has.
_BAND: Final = 0.25


@dataclass(frozen=True)
class Stack:
    """A part of every column of a histogram: its label, colour and heights by position."""

    label: Term
    colour: str
    heights: dict[int, float]


@dataclass(frozen=True)
class Tail:
    """How often a number is at least so large: the name of the curve, the colour's name, the shares by number."""

    label: Term
    colour: str
    shares: Mapping[int, Interval]
    dashed: bool = False


def histogram(
    stacks: Sequence[Stack],
    axes: tuple[str, str],
    title: str,
    width: int,
    lang: Lang,
    totals: Mapping[int, Interval] | None = None,
) -> Markup:
    """Shares of deals by a whole number, as columns stacked by what the deals have in common.

    Parameters
    ----------
    stacks : sequence of Stack
        The parts of the columns, from below.
    axes : tuple of str
        Names of the horizontal and of the vertical axis, with their units.
    title : str
        The finding.
    width : int
        `WIDE` or `NARROW`.
    lang : {"en", "zh"}
        Language of the key.
    totals : mapping of int to Interval, optional
        Whole columns with their intervals.

    Returns
    -------
    Markup
    """
    from numpy import arange, zeros

    positions = {position for stack in stacks for position in stack.heights}
    first, last = min(positions), max(positions)
    heights = {position: sum(stack.heights.get(position, 0.0) for stack in stacks) for position in positions}
    highest = max([*heights.values(), *(each.high or 0.0 for each in (totals or {}).values())])
    ticks = nice_ticks(0, highest, 4)
    key = key_of([Sign("square", COLOURS[stack.colour], stack.label.say(lang)) for stack in stacks], width)
    left = widest([percent_tick(tick) for tick in ticks], SMALL) + 10
    frame = _Frame(width, left, width - 10.0, key, axes)
    with canvas(width, frame.height) as paper:
        plot = frame.plot(paper)
        plot.set_xlim(first - 0.5, last + 0.5)
        plot.set_ylim(0, ticks[-1])
        frame.furnish(paper, plot, _whole_ticks(first, last, width), {tick: percent_tick(tick) for tick in ticks})
        edges = arange(first, last + 2) - 0.5
        reached = zeros(last - first + 1)
        for stack in stacks:
            upper = reached.copy()
            for position, height in stack.heights.items():
                upper[position - first] += height
            plot.stairs(upper, edges, baseline=reached, fill=True, color=COLOURS[stack.colour], linewidth=0)
            reached = upper
        if totals:
            _strokes(plot, totals)
        return paper.svg(title)


def log_tail(tails: Sequence[Tail], axes: tuple[str, str], title: str, width: int, lang: Lang) -> Markup:
    """How often a number is at least so large, on a logarithmic axis, with the pointwise intervals as bands.

    Parameters
    ----------
    tails : sequence of Tail
        The curves.
    axes : tuple of str
        Names of the horizontal and of the vertical axis; the latter says that it is logarithmic.
    title : str
        The finding.
    width : int
        `WIDE` or `NARROW`.
    lang : {"en", "zh"}
        Language of the labels, which stand at the ends of the curves.

    Returns
    -------
    Markup
    """
    every = [(at, each) for tail in tails for at, each in tail.shares.items()]
    lowest = min(-1, floor(log10(min(each.low or each.estimate or each.high or 1.0 for _, each in every))))
    highest = min(0, ceil(log10(max(each.high or each.estimate for _, each in every))))
    step = 1 if highest - lowest <= 6 else 2
    ticks = {10.0**power: percent_tick(10.0**power) for power in range(highest, lowest - 1, -step)}
    left = widest(list(ticks.values()), SMALL) + 10
    labels = [wrapped(tail.label.say(lang), 0.3 * width) for tail in tails]
    right = width - widest([line for lines in labels for line in lines]) - 12
    frame = _Frame(width, left, right, key_of((), width), axes)
    with canvas(width, frame.height) as paper:
        plot = frame.plot(paper)
        plot.set_yscale("log")
        plot.set_yticks([])
        plot.minorticks_off()
        first, last = min(at for at, _ in every), max(at for at, _ in every)
        plot.set_xlim(first, max(last, first + 1))
        plot.set_ylim(10.0**lowest, 10.0**highest)
        frame.furnish(paper, plot, _whole_ticks(first, last, width), ticks)
        ends = [_tail(plot, tail, 10.0**lowest) for tail in tails]
        _end_labels(paper, frame, [(x, paper.height - y) for x, y in ends], labels)
        return paper.svg(title)


def running(
    estimates: Mapping[int, Interval], axes: tuple[str, str], title: str, width: int, colour: str = "points"
) -> Markup:
    """A mean by the number of deals it was taken from (a logarithmic axis), its interval shrinking around it."""
    found = sorted(estimates.items())
    late = [each for _, each in found[len(found) // 2 :]]
    ends = [end for each in late for end in (each.low, each.estimate, each.high) if end is not None]
    ticks = nice_ticks(min(0.0, *ends), max(0.0, *ends), 5)
    digits = max(0, -floor(log10(ticks[1] - ticks[0]) + 1e-9))
    names = {tick: fixed(tick, digits, sign=True) for tick in ticks}
    frame = _Frame(width, widest(list(names.values()), SMALL) + 10, width - 24.0, key_of((), width), axes)
    first, last = found[0][0], found[-1][0]
    with canvas(width, frame.height) as paper:
        plot = frame.plot(paper)
        plot.set_xscale("log")
        plot.set_xticks([])
        plot.minorticks_off()
        plot.set_xlim(first, max(last, first + 1))
        plot.set_ylim(ticks[0], ticks[-1])
        powers = range(ceil(log10(first) - 1e-9), floor(log10(last) + 1e-9) + 1)
        step = 1 if width == WIDE or len(powers) < 6 else 2
        frame.furnish(paper, plot, {10.0**power: grouped(10**power) for power in powers[::step]}, names, base=0)
        deals, lifted = [at for at, _ in found], float("nan")
        low, middle, high = (
            [lifted if end is None else min(max(end, ticks[0]), ticks[-1]) for end in line]
            for line in zip(*((each.low, each.estimate, each.high) for _, each in found), strict=True)
        )
        plot.fill_between(deals, low, high, color=COLOURS[colour], alpha=_BAND, linewidth=0)
        plot.plot(deals, middle, color=COLOURS[colour], linewidth=2)
        return paper.svg(title)


@dataclass(frozen=True)
class _Frame:
    """Where the parts of a chart with two axes are: the vertical one's name, the key, the plot, the other's name."""

    width: int
    left: float
    right: float
    signs: Key
    axes: tuple[str, str]

    @property
    def top(self) -> float:
        """Where the plot begins."""
        return LEADING * len(axis_lines(self.axes[1], self.width)) + self.signs.height + 12

    @property
    def height(self) -> float:
        """All that is drawn."""
        return self.top + _TALL + 26 + LEADING * len(axis_lines(self.axes[0], self.width))

    def plot(self, paper: Canvas) -> "Axes":
        """The plot."""
        return paper.axes(self.left, self.top, self.right, self.top + _TALL)

    def furnish(
        self, paper: Canvas, plot: "Axes", along: dict[float, str], up: dict[float, str], base: float | None = None
    ) -> None:
        """Draw the axes with their names, and the key."""
        for index, line in enumerate(axis_lines(self.axes[1], self.width)):
            paper.text(0, 12 + LEADING * index, line, colour=SOFT, size=SMALL)
        paper.key(self.signs, self.top - self.signs.height - 4)
        paper.grid(plot, up, "y", base)
        bottom = self.top + _TALL
        plot.axhline(plot.get_ylim()[0], color=SOFT, linewidth=1, zorder=0.6, clip_on=False)
        for value, name in along.items():
            x = plot.transData.transform((value, plot.get_ylim()[0]))[0]
            half = text_width(name, SMALL) / 2
            paper.text(min(x, self.width - half), bottom + 16, name, colour=SOFT, size=SMALL, align="center")
        paper.axis_title(self.left, self.right, bottom + 34, self.axes[0])


def _strokes(plot: "Axes", totals: Mapping[int, Interval]) -> None:
    """Intervals as upright strokes, all in one line that is lifted between them."""
    lifted = float("nan")
    xs: list[float] = []
    ys: list[float] = []
    for at, each in sorted(totals.items()):
        if each.low is not None and each.high is not None:
            xs += [at, at, lifted]
            ys += [each.low, each.high, lifted]
    plot.plot(xs, ys, color=INK, linewidth=1)


def _whole_ticks(first: int, last: int, width: int) -> dict[float, str]:
    """Whole numbers along an axis."""
    ticks = nice_ticks(first, last, 7 if width == WIDE else 4)
    return {tick: grouped(int(tick)) for tick in ticks if first <= tick <= last and tick == int(tick)}


def _tail(plot: "Axes", tail: Tail, lowest: float) -> tuple[float, float]:
    """A curve with its band; where it ends, in pixels from the bottom left."""
    ordered = sorted(tail.shares.items())
    at = [number for number, _ in ordered]
    colour = COLOURS[tail.colour]
    low = [max(each.low or 0.0, lowest) for _, each in ordered]
    high = [each.estimate if each.high is None else each.high for _, each in ordered]
    plot.fill_between(at, low, high, step="pre", color=colour, alpha=_BAND, linewidth=0)
    seen = [(number, each) for number, each in ordered if each.estimate > 0]
    sure = sum(not each.few for _, each in seen)
    for part, alpha in ((seen[:sure], 1.0), (seen[max(sure - 1, 0) :], PALE)):
        xs, ys = [number for number, _ in part], [each.estimate for _, each in part]
        (line,) = plot.plot(xs, ys, drawstyle="steps-pre", color=colour, linewidth=2, alpha=alpha)
        line.set_linestyle(DASHES if tail.dashed else "-")
    end, height = plot.transData.transform((at[-1], max(seen[-1][1].estimate if seen else 0.0, lowest)))
    return float(end), float(height)


def _end_labels(paper: Canvas, frame: _Frame, ends: Sequence[tuple[float, float]], labels: Sequence[list[str]]) -> None:
    """Labels right of the curves where they end, the lowest first, each above those that it would lie on."""
    placed: list[tuple[float, float, float]] = []
    for (end, y), lines in sorted(zip(ends, labels, strict=True), key=lambda each: -each[0][1]):
        tall, wide = LEADING * len(lines), widest(lines)
        left = min(end + 8, paper.width - wide - 1)
        top = min(y - LEADING / 2, frame.top + _TALL - tall)
        for other_left, other_right, other_top in placed:
            if left < other_right and other_left < left + wide:
                top = min(top, other_top - tall)
        placed.append((left, left + wide, top))
        for line, words in enumerate(lines):
            paper.text(left, top + LEADING * (line + 0.5) + TO_BASE, words, halo=True)
