"""What a comparison says of one quantity under one variant: its numbers, and the verdict in words."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from analysis.comparing.metrics import Metric
from analysis.display.text import NOTHING, THIN, Lang, Term, digits_of, fixed, grouped
from analysis.estimates.intervals import Interval

Kind = Literal["different", "slight", "equivalent", "same", "undecided", "unknown"]

KIND_TERMS: Final[Mapping[Kind, Term]] = {
    "different": Term("different", "有变化"),
    "slight": Term("different, within the margin", "有变化，但在界限内"),
    "equivalent": Term("unchanged within the margin", "在界限内不变"),
    "same": Term("the same in every deal", "每局相同"),
    "undecided": Term("not decided", "尚无定论"),
    "unknown": Term("no data", "无数据"),
}


@dataclass(frozen=True)
class Effect:
    """What a variant does to one metric; values are in the metric's own unit before its scale.

    Attributes
    ----------
    metric : Metric
    variant : str
        The variant's key.
    base, value : Interval or None
        The metric under both rulesets; None where there was nothing to divide by.
    difference : Interval or None
        The variant's less the base's, on the same walls: ``paired``, ``sequence`` where it holds at every look and for
        all effects together, ``rare`` where too few batches differ for anything normal.
    gain : float or None
        How many times as many deals unpaired runs would need; None where too few batches differ to tell.
    differing : int
        In how many batches the two rulesets differ.
    p_value : float
        Of no difference, corrected for the number of effects.
    p_equivalence : float or None
        Of a difference beyond the margin, likewise; None where the verdict is the interval's.
    margin : float
        In the unit of the values.
    kind : str
        The verdict: ``different``; ``slight``: different, by less than the margin; ``equivalent``: within the margin;
        ``same`` in every deal; ``undecided``; ``unknown``: nothing to compare.
    decided : bool
        Whether no more deals are needed.
    needed : int or None
        About how many deals would decide it, where it is not decided.
    """

    metric: Metric
    variant: str
    base: Interval | None
    value: Interval | None
    difference: Interval | None
    gain: float | None
    differing: int
    p_value: float
    p_equivalence: float | None
    margin: float
    kind: Kind
    decided: bool
    needed: int | None = None

    @property
    def size(self) -> float:
        """The difference in margins, without its sign."""
        return abs(self.difference.estimate) / self.margin if self.difference else 0.0

    @property
    def shown_difference(self) -> Interval | None:
        """The difference in the unit shown."""
        return scaled(self.difference, self.metric.scale)

    def amount(self, *, sign: bool = True) -> str:
        """The difference with the half-width of its interval, as shown."""
        return NOTHING if self.difference is None else plus_minus(self.difference, self.metric.scale, sign=sign)

    def verdict(self, lang: Lang = "en") -> str:
        """The verdict in a few words, to stand beside its numbers."""
        words = KIND_TERMS[self.kind].say(lang)
        if self.kind in ("equivalent", "slight"):
            words += _OF.say(lang).format(margin=within(self.metric, self.margin, lang))
        if self.needed:
            words += _NEEDED.say(lang).format(needed=grouped(self.needed))
        return words

    def sentence(self, lang: Lang = "en") -> str:
        """The verdict in words."""
        metric = self.metric
        margin = within(metric, self.margin, lang)
        words = _TOO_FEW.say(lang) if self.kind == "same" and not self.decided else _PHRASES[self.kind].say(lang)
        falls = self.difference is not None and self.difference.estimate < 0
        return words.format(
            name=metric.term.say(lang),
            moves=_moves(metric, falls, lang),
            amount=with_unit(metric, self.amount(sign=self.kind == "undecided"), lang),
            margin=margin,
            needed=grouped(self.needed) if self.needed else "?",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON; values are not scaled."""
        intervals = {name: getattr(self, name) for name in ("base", "value", "difference")}
        return {
            "metric": self.metric.key,
            "variant": self.variant,
            **{name: None if each is None else asdict(each) for name, each in intervals.items()},
            "gain": self.gain,
            "batches_that_differ": self.differing,
            "p_value": self.p_value,
            "p_equivalence": self.p_equivalence,
            "margin": self.margin,
            "verdict": self.kind,
            "decided": self.decided,
            "deals_needed": self.needed,
        }


_OF: Final = Term(" of {margin}", "（{margin}）")
_NEEDED: Final = Term("; about {needed} deals", "；约需 {needed} 局")
_PHRASES: Final[Mapping[Kind, Term]] = {
    "different": Term("{name} {moves} by {amount}", "{name}{moves} {amount}"),
    "slight": Term(
        "{name} {moves} by {amount}, less than the margin of {margin}", "{name}{moves} {amount}，小于界限 {margin}"
    ),
    "equivalent": Term("{name} unchanged within {margin}", "{name}在 {margin} 以内不变"),
    "same": Term("{name} the same in every deal", "{name}每局相同"),
    "undecided": Term(
        "{name} not decided ({amount}); about {needed} deals would decide",
        "{name}尚无定论（{amount}），约需 {needed} 局",
    ),
    "unknown": Term("{name}: nothing to compare", "{name}：无可比较"),
}
_TOO_FEW: Final = Term(
    "{name} the same in every deal played; about {needed} deals would decide",
    "{name}在所打各局中相同，约需 {needed} 局方有定论",
)


def _moves(metric: Metric, falls: bool, lang: Lang) -> str:
    if lang == "zh":
        return "减少" if falls else "增加"
    return ("fall" if falls else "rise") + "s" * (not metric.plural)


def with_unit(metric: Metric, number: str, lang: Lang) -> str:
    """A difference with the metric's unit."""
    unit = metric.unit.say(lang)
    if not metric.is_share:
        return f"{number} {unit}"
    return f"{number}{THIN}{unit}" if lang == "en" else f"{number} 个百分点"


def within(metric: Metric, margin: float, lang: Lang) -> str:
    """A margin as text: "0.1 %", "0.02 points a deal"."""
    number = f"{margin * metric.scale:.6g}"
    return f"{number}{THIN}%" if metric.is_share and lang == "en" else with_unit(metric, number, lang)


def scaled(interval: Interval | None, scale: int) -> Interval | None:
    """An interval of a quantity that many times as large."""
    if interval is None or scale == 1:
        return interval
    low, high = (None if end is None else scale * end for end in (interval.low, interval.high))
    return replace(interval, estimate=scale * interval.estimate, low=low, high=high)


def plus_minus(interval: Interval, scale: int, *, sign: bool = True) -> str:
    """An estimate with the half-width of its interval, times a scale."""
    estimate = interval.estimate * scale
    if interval.low is None or interval.high is None or interval.low == interval.high:
        return fixed(estimate if sign else abs(estimate), 2, sign=sign)
    digits = digits_of(interval, scale)
    half = fixed(scale * (interval.high - interval.low) / 2, digits)
    return f"{fixed(estimate if sign else abs(estimate), digits, sign=sign)} ± {half}"


def value_text(interval: Interval | None, scale: int) -> str:
    """An estimate with as many digits as its interval justifies."""
    return NOTHING if interval is None else fixed(interval.estimate * scale, digits_of(interval, scale))


def kind_of(differs: bool, within_margin: bool, differing: int) -> tuple[Kind, bool]:
    """The verdict, and whether it is one that more deals would not be needed for.

    >>> kind_of(True, False, 500), kind_of(False, True, 500), kind_of(False, False, 0)
    (('different', True), ('equivalent', True), ('same', False))
    """
    if not differing:
        return "same", within_margin
    if differs:
        return ("slight" if within_margin else "different"), True
    return ("equivalent", True) if within_margin else ("undecided", False)


#: Changes that a finding tells one by one; the others are only named, or counted where they are many.
TOLD: Final = 4
NAMED: Final = 3

_LISTS: Final[Mapping[str, Term]] = {
    "different": Term("{names} change too", "{names}也有变化"),
    "slight": Term("{names} differ by less than their margins", "{names}有差别，但小于界限"),
    "equivalent": Term("{names} unchanged within their margins", "{names}在界限内不变"),
    "same": Term("{names} the same in every deal", "{names}每局相同"),
    "so_far": Term(
        "{names} the same in every deal played, which are too few to be sure", "{names}在所打各局中相同，但局数太少"
    ),
    "undecided": Term("not decided: {names}", "尚无定论：{names}"),
    "lone": Term("only one of the two has {names}", "只有一方才有{names}"),
}
_MANY: Final = Term("{count} quantities", "{count} 项")
_NOTHING_CHANGES: Final = Term("nothing that was measured changes", "所测各项均无变化")


def finding(title: Term, effects: Sequence[Effect], lone: Sequence[Metric], lang: Lang) -> str:
    """What a variant changes, the largest change first, and what it leaves alone."""
    groups: dict[str, list[Effect]] = {kind: [] for kind in (*KIND_TERMS, "so_far")}
    for effect in effects:
        groups[effect.kind if effect.kind != "same" or effect.decided else "so_far"].append(effect)
    moved = sorted(groups["different"], key=lambda effect: -effect.size)
    clauses = [effect.sentence(lang) for effect in moved[:TOLD]]
    if all(effect.kind == "same" for effect in effects):
        clauses.append(_NOTHING_CHANGES.say(lang))
    named = {"different": [effect.metric for effect in moved[TOLD:]]}
    for kind in ("slight", "equivalent", "same", "so_far", "undecided"):
        named[kind] = [effect.metric for effect in groups[kind]]
    clauses += [_told_together(kind, metrics, lang) for kind, metrics in named.items() if metrics]
    if lone:
        clauses.append(not_compared(lone, lang))
    if lang == "zh":
        return f"{title.zh}：" + "；".join(clauses) + "。"
    return f"{title.en}: " + "; ".join(clauses) + "."


def _listed(names: Sequence[str], lang: Lang) -> str:
    if lang == "zh":
        return "、".join(names)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def not_compared(metrics: Sequence[Metric], lang: Lang) -> str:
    """What only one of two rulesets has, in words."""
    return _told_together("lone", metrics, lang)


def _told_together(kind: str, metrics: Sequence[Metric], lang: Lang) -> str:
    if len(metrics) > NAMED:
        return _LISTS[kind].say(lang).format(names=_MANY.say(lang).format(count=len(metrics)))
    return _LISTS[kind].say(lang).format(names=_listed([metric.term.say(lang) for metric in metrics], lang))
