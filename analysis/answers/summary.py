"""The summary of a run: tables with intervals, the findings in words, and whether the run passed its self-checks."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from analysis.answers import draws, hand_types, horses, points, sessions
from analysis.answers.findings import findings
from analysis.answers.start import start
from analysis.checks import expectations
from analysis.checks.controls import exact_mean_gains
from analysis.checks.exact import SelfCheck, self_check
from analysis.checks.expectations import Expectation
from analysis.counts.aggregate import CHECKS, Aggregate
from analysis.counts.counting import counted
from analysis.display.tables import Table
from analysis.display.text import Lang, Term, grouped
from analysis.estimates.intervals import CONFIDENCE
from analysis.fish import fishing
from analysis.fish.checks import weights
from analysis.skill.by_player import ByPlayer

CHECK_TERMS: Final = {
    "zero_sum": Term("The points of the four seats sum to zero in every deal.", "每局四家得分之和为零。"),
    "parts": Term("Hands, kongs and fish sum to the total of every seat.", "每家的胡牌、杠、鱼之和等于总分。"),
    "winners": Term("A deal is drawn exactly where nobody won.", "流局当且仅当无人胡牌。"),
    "fish": Term(
        "Fish computed again from the transfers between seats are the points recorded for them.",
        "由座位间转移重新计算的鱼分与记录一致。",
    ),
    "deals": Term("The deals read are as many as the run's list of files says.", "读到的局数与运行清单一致。"),
}


_INTERRUPTED: Final = Term(
    "The run was interrupted; these are the deals that were finished.", "运行被中断；以下仅含已完成的局。"
)


@dataclass(frozen=True)
class Check:
    """A self-check: what must hold, and in how many deals it did not."""

    key: str
    term: Term
    failures: int

    def warning(self, lang: Lang) -> str:
        """What to say where it failed."""
        deals = grouped(self.failures)
        return Term(
            f"SELF-CHECK FAILED in {deals} deals: {self.term.en}", f"自检未通过（{deals} 局）：{self.term.zh}"
        ).say(lang)


@dataclass(frozen=True)
class Summary:
    """What a run says: a sheet (`analysis.display.render.Sheet`).

    Attributes
    ----------
    manifest : mapping
        The run's manifest, as in ``run.json``.
    aggregate : Aggregate
        The exact counts behind the tables.
    tables : tuple of Table
        In the order of the report.
    checks : tuple of Check
        What must hold in every deal.
    dealt : SelfCheck
        Dealt hands against all hands there are.
    expected : tuple of Expectation
        Fish and horses against what is known of them.
    players : ByPlayer or None
        The headline numbers with other players, where they have played; its tables are among ``tables``.
    """

    manifest: Mapping[str, Any]
    aggregate: Aggregate
    tables: tuple[Table, ...]
    checks: tuple[Check, ...]
    dealt: SelfCheck
    expected: tuple[Expectation, ...]
    players: ByPlayer | None = None

    def beside(self, players: ByPlayer | None) -> "Summary":
        """The same summary with what other players make of the same walls, if they have played."""
        if players is None:
            return self
        return replace(self, tables=(*self.tables, *players.tables), players=players)

    @property
    def deals(self) -> int:
        """Number of deals summarised."""
        return self.aggregate.deals

    @property
    def session_length(self) -> int:
        """Deals in a session."""
        return int(self.manifest["session_length"])

    @property
    def sound(self) -> bool:
        """Whether every self-check passed."""
        return not self._failures("en")

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before all its deals were played."""
        return bool(self.manifest.get("status") == "interrupted")

    def table(self, key: str) -> Table | None:
        """A table by its key; None if this run has no such table."""
        return next((table for table in self.tables if table.key == key), None)

    def heading(self, lang: Lang) -> str:
        """What was simulated, in one line."""
        title = self.manifest["ruleset"]["ruleset"]["title"]
        name = Term(title["en"], title["zh"]).both(lang)
        players = ", ".join(player["name"] for player in self.manifest["players"])
        seed = self.manifest["seed"]
        return Term(
            f"{name}: {grouped(self.deals)} deals, seed {seed}, players {players}",
            f"{name}：{grouped(self.deals)} 局，种子 {seed}，玩家 {players}",
        ).say(lang)

    def warnings(self, lang: Lang) -> list[str]:
        """What a reader must know before the numbers: failed self-checks, an interrupted run."""
        return self._failures(lang) + [_INTERRUPTED.say(lang)] * self.interrupted

    def _failures(self, lang: Lang) -> list[str]:
        """Every self-check that failed, in words."""
        return [
            *(check.warning(lang) for check in self.checks if check.failures),
            *([] if self.dealt.passed else self.dealt.findings(lang)),
            *(each.warning(lang) for each in expectations.failed(self.expected)),
            *(self.players.warnings(lang) if self.players else ()),
        ]

    def findings(self, lang: Lang = "en") -> list[str]:
        """What matters most, as sentences with their numbers and intervals."""
        return findings(self.aggregate.deals, {table.key: table for table in self.tables}, lang, self.session_length)

    def fingerprint(self) -> str:
        """A short hash of the files that hold the deals; empty for deals that are in no file."""
        hashes = [file["sha256"] for file in _files(self.manifest)]
        return hashlib.sha256(" ".join(hashes).encode()).hexdigest()[:16] if hashes else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        return {
            "deals": self.deals,
            "status": self.manifest.get("status", "complete"),
            "ruleset": self.manifest["ruleset"]["ruleset"]["name"],
            "seed": self.manifest["seed"],
            "players": [player["name"] for player in self.manifest["players"]],
            "confidence": CONFIDENCE,
            "checks": {check.key: check.failures for check in self.checks},
            "self_check": self.dealt.verdict.to_dict(),
            "expected": {each.key: each.to_dict() for each in self.expected},
            **({"by_player": self.players.to_dict()} if self.players else {}),
            "tables": {table.key: table.to_dict() for table in self.tables},
        }


def _files(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The entries of a manifest for the files that hold its deals, or what they came to."""
    counts = manifest.get("counts")
    return [*manifest.get("shards", ()), *([] if counts is None else [counts])]


def summarise(frame: Any, manifest: Mapping[str, Any]) -> Summary:
    """Summarise the deals of a run.

    Parameters
    ----------
    frame : polars.LazyFrame, any eager frame that narwhals knows, or Aggregate
        The deals, with the columns of `mjsim.dataset.columns.COLUMNS`, or what they came to.
    manifest : mapping
        The run's manifest, as in ``run.json``.

    Returns
    -------
    Summary
        Its tables hold exact counts, and estimates with intervals.
    """
    return summary_of(counted(frame, int(manifest["session_length"])), manifest)


def summary_of(found: Aggregate, manifest: Mapping[str, Any]) -> Summary:
    """The summary of deals that were counted already."""
    ruleset = manifest["ruleset"]
    dealt, expected = self_check(found), (*fishing.checks(found, ruleset), *horses.checks(found))
    tables = (
        draws.endings(found),
        *hand_types.tables(found, ruleset),
        start(found),
        draws.deal_length(found),
        draws.deal_tail(found),
        points.points_by_seat(found),
        points.points_quantiles(found),
        points.dealer_advantage(found),
        points.points_by_part(found),
        draws.seat_rates(found),
        *fishing.tables(found, ruleset),
        *horses.tables(found),
        draws.incidents(found),
        draws.liability(found),
        *sessions.tables(found, int(manifest["session_length"])),
        points.dearest(found, manifest),
        *exact_mean_gains(found).tables,
        *([weights(found)] if found.total("fished") else []),
        *(dealt.tables if found.deals else ()),
    )
    shown = tuple(table for table in tables if table.rows)
    return Summary(manifest, found, shown, _checks(found, manifest), dealt, expected)


def _checks(found: Aggregate, manifest: Mapping[str, Any]) -> tuple[Check, ...]:
    """The self-checks with the number of deals that failed each."""
    checks = [Check(name, CHECK_TERMS[name], found.total(f"failed_{name}")) for name in CHECKS]
    if files := _files(manifest):
        listed = sum(int(file["deals"]) for file in files)
        checks.append(Check("deals", CHECK_TERMS["deals"], abs(listed - found.deals)))
    return tuple(checks)
