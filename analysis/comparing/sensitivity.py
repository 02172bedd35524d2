"""Each option of a ruleset switched alone: what moves, and how far."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args, get_origin

from analysis.comparing.balance import Comparison
from analysis.comparing.verdicts import Effect
from analysis.display.tables import Column, Row, Table
from analysis.display.text import Lang, Term
from mjsim.errors import RulesError
from mjsim.rules import Ruleset, extended_name, load_rules, option_names, variant_names
from mjsim.rules.check import table_of
from mjsim.rules.words import meaning

#: What tells a first moment's event apart from another is no option of its own.
_NO_OPTION: Final = "moment"

#: Metrics that the table of all switches has a column for, where the rules have them.
SHOWN: Final = (
    "drawn",
    "self_draw",
    "length",
    "points_moved",
    "dealer_advantage",
    "spread",
    "ordinary",
    "kongs",
    "fish",
)


@dataclass(frozen=True)
class Switch:
    """One option of a ruleset, set to another value than the ruleset's.

    Attributes
    ----------
    key : str
        Option and value, as ``--set`` takes them, or the name of a shipped variant.
    term : Term
        What the option means.
    rules : Ruleset
        The ruleset with it.
    """

    key: str
    term: Term
    rules: Ruleset


def switches(base: Ruleset) -> tuple[Switch, ...]:
    """Every option of a ruleset switched alone.

    Returns
    -------
    tuple of Switch
        Each switch between yes and no, each choice among words, each event struck off, as far as the rest of the rules
        allows it; then the shipped variants of the ruleset that are none of these.

    Examples
    --------
    >>> [switch.key for switch in switches(load_rules("liuzhou")) if switch.key.startswith("kongs.")]
    ['kongs.rob_kong=false', 'kongs.rob_after_concealed=false']
    """
    found: list[Switch] = []
    for path, value in _alternatives(base):
        try:
            rules = base.with_overrides({path: value})
        except RulesError:
            # The rest of the rules contradicts it, such as fishing without labels.
            continue
        text = str(value).lower() if isinstance(value, bool) else value
        found.append(Switch(f"{path}={text}", Term(*meaning(tuple(path.split(".")))), rules))
    for name in variant_names():
        rules = load_rules(name)
        if extended_name(name) == base.name and not any(_same(rules, switch.rules) for switch in found):
            found.append(Switch(name, Term(rules.title.en, rules.title.zh), rules))
    return tuple(switch for switch in found if not _same(switch.rules, base))


def _alternatives(base: Ruleset) -> Iterator[tuple[str, bool | str]]:
    """Every option with every other value that it can have, where these can be listed."""
    values = base.to_dict()
    for path in option_names(base):
        *above, name = path.split(".")
        table: Any = Ruleset
        for key in above:
            table = table_of(table, key)
        value = _value(values, path)
        annotation = table.model_fields[name].annotation
        if isinstance(value, bool):
            yield path, not value
        elif get_origin(annotation) is Literal and name != _NO_OPTION:
            yield from ((path, other) for other in get_args(annotation) if other != value)
        elif isinstance(value, dict):
            yield path, "none"


def _value(values: Any, path: str) -> Any:
    for name in path.split("."):
        values = values.get(name)
    return values


def _same(one: Ruleset, other: Ruleset) -> bool:
    """Whether two rulesets are the same but for their names."""
    return {**one.to_dict(), "ruleset": None} == {**other.to_dict(), "ruleset": None}


@dataclass(frozen=True)
class SwitchedRow:
    """What one switch moves.

    Attributes
    ----------
    key : str
        The switch.
    term : Term
        What it means.
    effects : tuple of Effect
        All of them, the largest first, measured in their margins.
    """

    key: str
    term: Term
    effects: tuple[Effect, ...]

    @property
    def moved(self) -> tuple[Effect, ...]:
        """What is known to move, the largest first."""
        return tuple(effect for effect in self.effects if effect.kind in ("different", "slight"))

    @property
    def size(self) -> float:
        """How far the metric moves that moves farthest, in margins; 0 where nothing is known to move."""
        return max((effect.size for effect in self.moved), default=0.0)


@dataclass(frozen=True)
class Sensitivity:
    """What each option does to a ruleset, switched alone.

    Attributes
    ----------
    comparison : Comparison
        Of the ruleset with all switches.
    rows : tuple of SwitchedRow
        One for each switch, the one that moves anything farthest first.
    """

    comparison: Comparison
    rows: tuple[SwitchedRow, ...]

    def tornado(self, metric: str) -> tuple[Effect, ...]:
        """What the switches do to one metric, the largest difference first: the bars of a tornado chart.

        Switches under which the metric does not exist, or is the same in every deal, have no bar.
        """
        bars = [
            effect
            for row in self.rows
            for effect in row.effects
            if effect.metric.key == metric and effect.difference is not None and effect.differing
        ]
        return tuple(sorted(bars, key=lambda effect: (-effect.size, effect.variant)))

    def term(self, key: str) -> Term:
        """What a switch means, by its key."""
        return next(row.term for row in self.rows if row.key == key)

    @property
    def table(self) -> Table:
        """The difference each switch makes to the metrics that matter most; empty where the rules lack one."""
        known = {effect.metric.key: effect.metric for row in self.rows for effect in row.effects}
        metrics = [known[key] for key in SHOWN if key in known]
        columns = tuple(
            Column(
                metric.key, Term(*(f"{metric.term.say(lang)}, {metric.unit.say(lang)}" for lang in _BOTH)), "plus_minus"
            )
            for metric in metrics
        )
        rows = []
        for row in self.rows:
            found = {effect.metric.key: effect.shown_difference for effect in row.effects}
            rows.append(Row(row.key, Term(row.key, row.key), tuple(found.get(metric.key) for metric in metrics)))
        title = Term("Each option switched alone: what it adds", "逐项改变规则：变化量")
        return Table("sensitivity", title, Term("option", "选项"), columns, tuple(rows))

    def findings(self, lang: Lang = "en") -> list[str]:
        """The three switches that move most, and what they move most."""
        told = []
        for row in self.rows[:3]:
            if row.moved:
                separator = "; " if lang == "en" else "；"
                words = separator.join(effect.sentence(lang) for effect in row.moved[:2])
                told.append(f"{row.key}: {words}." if lang == "en" else f"{row.key}：{words}。")
        return told


_BOTH: Final[tuple[Lang, Lang]] = ("en", "zh")


def sensitivity_of(comparison: Comparison, terms: dict[str, Term] | None = None) -> Sensitivity:
    """What the switches of a comparison do.

    Parameters
    ----------
    comparison : Comparison
        With ``switches``.
    terms : dict of str to Term, optional
        What each switch means, by its key; else what the variant is called.
    """
    titles = {side.key: side.title for side in comparison.variants} | (terms or {})
    rows = [
        SwitchedRow(key, titles[key], tuple(sorted(comparison.effects_of(key), key=lambda effect: -effect.size)))
        for key in comparison.switches
    ]
    return Sensitivity(comparison, tuple(sorted(rows, key=lambda row: (-row.size, row.key))))
