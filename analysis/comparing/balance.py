"""Rulesets compared on the same walls: what a variant changes, how well that is known, and whether it matters.

Both sides play the same walls, so that most of the luck is common to them and drops out of the difference: the batches
of the two aggregates are paired. Each difference is tested twice, against none at all and against the margin of
practical equivalence (two one-sided tests), and the p-values of each question are corrected by Holm's procedure over
all metrics and variants. That two intervals overlap says nothing and is never asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from analysis.comparing.effects import judged, measured, value_of, watched
from analysis.comparing.metrics import Metric, lone_metrics, shared_metrics
from analysis.comparing.verdicts import Effect, finding, scaled
from analysis.counts.aggregate import Aggregate
from analysis.counts.measures import CHECKS
from analysis.display.tables import Column, Row, Table
from analysis.display.text import LANGS, Lang, Term, grouped
from analysis.estimates.intervals import CONFIDENCE, Interval
from analysis.estimates.sequences import Watch
from mjsim.errors import RunError

#: What must be the same on both sides for their deals to be paired, by the manifest's keys.
PAIRED_BY: Final = ("results_version", "seed", "session_length", "first", "deals", "fish", "players")


@dataclass(frozen=True)
class Side:
    """One ruleset of a comparison and what its deals came to.

    Attributes
    ----------
    key : str
        What it is called on the command line.
    title : Term
        What it is called in sentences.
    manifest : mapping
        As in ``run.json``.
    found : Aggregate
        Its deals.
    """

    key: str
    title: Term
    manifest: Mapping[str, Any]
    found: Aggregate

    @property
    def rules(self) -> Mapping[str, Any]:
        """The ruleset in full."""
        rules: Mapping[str, Any] = self.manifest["ruleset"]
        return rules

    def failures(self) -> dict[str, int]:
        """In how many deals each self-check failed."""
        return {check: self.found.total(f"failed_{check}") for check in CHECKS}


@dataclass(frozen=True)
class Lone:
    """A metric that only one of two rulesets has: its value there."""

    metric: Metric
    variant: str
    base: Interval | None
    value: Interval | None


@dataclass(frozen=True)
class Comparison:
    """What variants change.

    Attributes
    ----------
    base : Side
    variants : tuple of Side
    effects : tuple of Effect
        By variant, then by metric in the order of `analysis.comparing.metrics.METRICS`.
    lone : tuple of Lone
        What only one of two rulesets has, and cannot be compared.
    watch : Watch or None
        The confidence sequences' promise, where the deals were looked at more than once.
    command : str
        The command that plays it again.
    switches : tuple of str
        Keys of the variants that are one option switched alone; see `analysis.comparing.sensitivity`.
    """

    base: Side
    variants: tuple[Side, ...]
    effects: tuple[Effect, ...]
    lone: tuple[Lone, ...]
    watch: Watch | None = None
    command: str = ""
    switches: tuple[str, ...] = ()

    @property
    def deals(self) -> int:
        """Deals of each ruleset."""
        return self.base.found.deals

    @property
    def named(self) -> tuple[Side, ...]:
        """The variants that were asked for by name, without the options switched alone."""
        return tuple(side for side in self.variants if side.key not in self.switches)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The base and all variants."""
        return (self.base, *self.variants)

    @property
    def interrupted(self) -> bool:
        """Whether fewer deals were played than were asked for."""
        return any(side.manifest.get("status") == "interrupted" for side in self.sides)

    @property
    def undecided(self) -> int:
        """How many effects need more deals."""
        return sum(not effect.decided for effect in self.effects)

    @property
    def decided(self) -> bool:
        """Whether every effect is decided."""
        return not self.undecided

    @property
    def checks(self) -> Mapping[str, Mapping[str, int]]:
        """In how many deals each self-check failed, by side."""
        return {side.key: side.failures() for side in self.sides}

    @cached_property
    def _by_variant(self) -> dict[str, list[Effect]]:
        groups: dict[str, list[Effect]] = {side.key: [] for side in self.variants}
        for effect in self.effects:
            groups[effect.variant].append(effect)
        return groups

    def effects_of(self, variant: str) -> list[Effect]:
        """All effects of one variant."""
        return self._by_variant[variant]

    def effect(self, variant: str, metric: str) -> Effect:
        """One effect, by the keys of its variant and metric."""
        return next(each for each in self._by_variant[variant] if each.metric.key == metric)

    def lone_of(self, variant: str) -> list[Lone]:
        """What only one of the base and a variant has."""
        return [each for each in self.lone if each.variant == variant]

    def heading(self, lang: Lang = "en") -> str:
        """What was played, in one line."""
        manifest, title = self.base.manifest, self.base.title
        players = ", ".join(dict.fromkeys(player["name"] for player in manifest["players"]))
        deals, seed = grouped(self.deals), manifest["seed"]
        return Term(
            f"{title.en} and variants: {deals} deals each, on the same walls, seed {seed}, players {players}",
            f"{title.zh}与变体：同样的牌墙各 {deals} 局，种子 {seed}，玩家 {players}",
        ).say(lang)

    def warnings(self, lang: Lang = "en") -> list[str]:
        """What a reader must know before the numbers: failed self-checks, an interrupted run."""
        failed = [
            _FAILED.say(lang).format(side=side, check=check, deals=grouped(deals))
            for side, checks in self.checks.items()
            for check, deals in checks.items()
            if deals
        ]
        return failed + [_INTERRUPTED.say(lang)] * self.interrupted

    def findings(self, lang: Lang = "en") -> list[str]:
        """A few sentences for each variant: what it changes, the largest first, and what it leaves alone."""
        return [
            finding(side.title, self.effects_of(side.key), [each.metric for each in self.lone_of(side.key)], lang)
            for side in self.named
        ]

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """One table for each variant, with values as shown; the verdicts are in the effects of the same order."""
        return tuple(_table(self.base, side, self.effects_of(side.key)) for side in self.named)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        manifest = self.base.manifest
        return {
            "deals": self.deals,
            "status": "interrupted" if self.interrupted else "complete",
            "seed": manifest["seed"],
            "players": [player["name"] for player in manifest["players"]],
            "command": self.command,
            "confidence": CONFIDENCE,
            "correction": "bonferroni, at every look" if self.watch else "holm",
            "statements": len(self.effects),
            "checks": self.checks,
            "effects": [effect.to_dict() for effect in self.effects],
            "in_one_ruleset_only": [
                {
                    "metric": each.metric.key,
                    "variant": each.variant,
                    "base": None if each.base is None else each.base.estimate,
                    "value": None if each.value is None else each.value.estimate,
                }
                for each in self.lone
            ],
            "switches": list(self.switches),
            "base": {"key": self.base.key, "manifest": dict(manifest)},
            "variants": [{"key": side.key, "manifest": dict(side.manifest)} for side in self.variants],
        }


def statements(base: Mapping[str, Any], variants: Sequence[Mapping[str, Any]]) -> int:
    """How many effects a comparison of rulesets, given as in a manifest, will have."""
    return sum(len(shared_metrics(base, variant)) for variant in variants)


def compare(
    base: Side,
    variants: Sequence[Side],
    margins: Mapping[str, float] | None = None,
    watch: Watch | None = None,
    command: str = "",
    switches: Sequence[str] = (),
) -> Comparison:
    """Compare variants with a base that played the same walls.

    Parameters
    ----------
    base : Side
    variants : sequence of Side
    margins : mapping of str to float, optional
        Margins of practical equivalence by metric, in the unit shown, in place of the metrics' own.
    watch : Watch, optional
        Where the deals are looked at more than once: the promise made before the first look.
    command : str
        The command that plays it again.
    switches : sequence of str
        Keys of the variants that are one option switched alone.

    Returns
    -------
    Comparison

    Raises
    ------
    RunError
        If the deals cannot be paired, saying by what.

    Examples
    --------
    >>> import mjsim
    >>> from analysis.counts.counting import aggregate
    >>> def side(name):
    ...     deals = mjsim.simulate(name, deals=2_000, seed=1)
    ...     return Side(name, Term(name, name), deals.manifest().model_dump(), aggregate(deals.to_polars()))
    >>> found = compare(side("liuzhou"), [side("liuzhou_no_third_party")])
    >>> found.effect("liuzhou_no_third_party", "drawn").kind
    'same'
    """
    for side in variants:
        refuse_unpaired(base, side)
    found = [
        measured(
            metric, side.key, base.found, side.found, (margins or {}).get(metric.key, metric.margin) / metric.scale
        )
        for side in variants
        for metric in shared_metrics(base.rules, side.rules)
    ]
    effects = watched(found, watch) if watch else judged(found)
    lone = [_lone(metric, base, side) for side in variants for metric in lone_metrics(base.rules, side.rules)]
    return Comparison(base, tuple(variants), tuple(effects), tuple(lone), watch, command, tuple(switches))


def _lone(metric: Metric, base: Side, side: Side) -> Lone:
    ours, theirs = (value_of(metric, each.found) if metric.exists(each.rules) else None for each in (base, side))
    return Lone(metric, side.key, ours, theirs)


def refuse_unpaired(base: Side, side: Side) -> None:
    """Refuse deals that are not of the same walls and players."""
    for key in PAIRED_BY:
        ours, theirs = base.manifest.get(key), side.manifest.get(key)
        if ours != theirs:
            raise RunError(
                f"{side.key}: {key.replace('_', ' ')} {_told(theirs)} cannot be paired with {base.key}'s"
                f" {_told(ours)}; play both with the same deals, seed, players, session length and fish"
            )
    same = base.found.level == side.found.level and np.array_equal(base.found.batches, side.found.batches)
    if not same or not np.array_equal(base.found.sums["deals"], side.found.sums["deals"]):
        raise RunError(f"{side.key}: its batches of deals are not those of {base.key}, so they cannot be paired")


def _told(value: object) -> str:
    if isinstance(value, list):
        return ",".join(f"{each['name']} ({each['source_hash'][:8]})" for each in value)
    return str(value)


def _table(base: Side, side: Side, effects: Sequence[Effect]) -> Table:
    """One variant's effects, values as shown; the unit stands beside the metric."""
    columns = (
        Column("base", base.title, "number"),
        Column("value", side.title, "number"),
        Column("difference", Term("difference", "差"), "plus_minus"),
        Column("gain", Term("deals saved by pairing, times", "配对省局倍数"), "number"),
        Column("p_value", Term("p, corrected", "校正 p 值"), "number"),
    )
    rows = []
    for effect in effects:
        metric = effect.metric
        label = Term(*(f"{metric.term.say(lang)}, {metric.unit.say(lang)}" for lang in LANGS))
        intervals = (effect.base, effect.value, effect.difference)
        cells = (*(scaled(each, metric.scale) for each in intervals), effect.gain, effect.p_value)
        rows.append(Row(metric.key, label, cells))
    return Table(side.key, side.title, Term("metric", "指标"), columns, tuple(rows), _NOTE)


_FAILED: Final = Term("SELF-CHECK FAILED: {side}, {check}, in {deals} deals", "自检未通过：{side}，{check}，{deals} 局")
_INTERRUPTED: Final = Term(
    "The run was interrupted; these are the deals that all rulesets finished.",
    "运行被中断；以下仅含各规则都已完成的局。",
)
_NOTE: Final = Term(
    "Differences are the variant's less the base's, on the same walls, with 95 % intervals.",
    "差为变体减基准，牌墙相同，附 95% 区间。",
)
