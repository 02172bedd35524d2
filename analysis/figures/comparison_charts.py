"""The charts of a comparison: what a variant changes, and which options move a quantity most."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from analysis.comparing.balance import Comparison, Side
from analysis.comparing.sensitivity import Sensitivity
from analysis.comparing.verdicts import Effect, Kind, with_unit, within
from analysis.display.text import Lang, Term
from analysis.estimates.intervals import Interval
from analysis.figures import NARROW, WIDE, Difference, Figure, Mark, Verdict, differences, tornado

#: The quantities that have a chart of the options that move them, where the rules have them.
TORNADOES: Final = ("dealer_advantage", "drawn", "points_moved", "fish")

#: A chart shows so many options, those that move most.
BARS: Final = 12

_VERDICTS: Final[dict[Kind, Verdict]] = {
    "different": "different",
    "slight": "equivalent",
    "equivalent": "equivalent",
    "same": "equivalent",
    "undecided": "open",
}
_CAPTION: Final = Term(
    "Each difference is measured in its margin of practical equivalence, the shaded band. Lines: 95 % intervals.",
    "每个差以其“实际等价界限”（色带）为单位。线段：95% 区间。",
)
_IN_MARGINS: Final = Term("difference in margins", "差异（以界限为单位）")


def variant_chart(comparison: Comparison, side: Side, lang: Lang) -> Figure | None:
    """What a variant changes, every quantity in its margin; None where nothing could be compared."""
    effects = [
        each for each in comparison.effects_of(side.key) if each.difference is not None and each.kind != "unknown"
    ]
    if not effects:
        return None
    rows = [
        Difference(effect.metric.term, _known(effect.difference), effect.margin, _verdict(effect), effect.amount())
        for effect in effects
        if effect.difference is not None
    ]
    largest = max(effects, key=lambda effect: effect.size)
    title = Term(f"{side.title.en}: {largest.sentence('en')}", f"{side.title.zh}：{largest.sentence('zh')}").say(lang)
    axis = _IN_MARGINS.say(lang)
    return Figure(
        f"differences-{comparison.named.index(side) + 1}",
        title,
        _CAPTION.say(lang),
        differences(rows, axis, title, WIDE, lang),
        differences(rows, axis, title, NARROW, lang),
    )


def _known(interval: Interval | None) -> Interval:
    """A difference; without one there is no row."""
    assert interval is not None
    return interval


def _verdict(effect: Effect) -> Verdict:
    """How a verdict is drawn; what more deals may change is open."""
    return _VERDICTS[effect.kind] if effect.decided else "open"


def tornado_charts(sensitivity: Sensitivity, lang: Lang) -> list[Figure]:
    """Which options move the dealer's advantage, drawn deals, points and fish most."""
    charts = ((metric, sensitivity.tornado(metric)[:BARS]) for metric in TORNADOES)
    return [_tornado(metric, bars, lang) for metric, bars in charts if bars]


def _tornado(metric: str, bars: Sequence[Effect], lang: Lang) -> Figure:
    first = bars[0]
    scale, unit = first.metric.scale, first.metric.unit
    marks = [
        Mark(Term(effect.variant, effect.variant), _scaled(effect.difference, scale), "points")
        for effect in bars
        if effect.difference is not None
    ]
    name = first.metric.term
    title = _moved_most(bars, name).say(lang)
    axis = Term(f"change of {name.en}, {unit.en}", f"{name.zh}的变化（{unit.zh}）").say(lang)
    margin = Term(
        f"less than {within(first.metric, first.margin, 'en')}: practically equal",
        f"小于 {within(first.metric, first.margin, 'zh')}：实际等价",
    )
    caption = Term(
        "Each option switched alone, on the same walls. Lines: 95 % intervals.",
        "每次只改一项，牌墙相同。线段：95% 区间。",
    ).say(lang)
    wide, narrow = (tornado(marks, scale * first.margin, axis, title, width, lang, margin) for width in (WIDE, NARROW))
    return Figure(f"tornado-{metric}", title, caption, wide, narrow)


def _moved_most(bars: Sequence[Effect], name: Term) -> Term:
    """The option that moves a quantity most, of those that are known to move it."""
    sure = next((effect for effect in bars if effect.kind in ("different", "slight")), None)
    if sure is None:
        return Term(f"No option is known to move {name.en}", f"没有选项确定影响{name.zh}")
    return Term(
        f"What moves {name.en} most: {sure.variant}, by {with_unit(sure.metric, sure.amount(), 'en')}",
        f"最影响{name.zh}的选项：{sure.variant}，{with_unit(sure.metric, sure.amount(), 'zh')}",
    )


def _scaled(interval: Interval | None, scale: int) -> Interval:
    """A difference in the unit shown."""
    known = _known(interval)
    low, high = (None if end is None else scale * end for end in (known.low, known.high))
    return replace(known, estimate=scale * known.estimate, low=low, high=high)
