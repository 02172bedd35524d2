"""The summary of a run: tables with intervals, the findings in words, and whether the run passed its self-checks."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from analysis import draws, fishing, hand_types, points
from analysis.aggregate import CHECKS, Aggregate, aggregate, having
from analysis.findings import findings
from analysis.intervals import CONFIDENCE
from analysis.tables import Table
from analysis.text import Lang, Term

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


@dataclass(frozen=True)
class Check:
    """A self-check: what must hold, and in how many deals it did not."""

    key: str
    term: Term
    failures: int


@dataclass(frozen=True)
class Summary:
    """What a run says.

    Attributes
    ----------
    manifest : mapping
        The run's manifest, as in ``run.json``.
    aggregate : Aggregate
        The exact counts behind the tables.
    tables : tuple of Table
        In the order of the report.
    checks : tuple of Check
        The run's self-checks.
    """

    manifest: Mapping[str, Any]
    aggregate: Aggregate
    tables: tuple[Table, ...]
    checks: tuple[Check, ...]

    @property
    def deals(self) -> int:
        """Number of deals summarised."""
        return self.aggregate.deals

    @property
    def sound(self) -> bool:
        """Whether every self-check passed."""
        return not any(check.failures for check in self.checks)

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before all its deals were played."""
        return bool(self.manifest.get("status") == "interrupted")

    def table(self, key: str) -> Table | None:
        """A table by its key; None if this run has no such table."""
        return next((table for table in self.tables if table.key == key), None)

    def findings(self, lang: Lang = "en") -> list[str]:
        """What matters most, as sentences with their numbers and intervals."""
        return findings(self.aggregate.deals, {table.key: table for table in self.tables}, lang)

    def fingerprint(self) -> str:
        """A short hash of the files that hold the deals; empty for deals that are in no file."""
        hashes = [shard["sha256"] for shard in self.manifest.get("shards", [])]
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
            "tables": {table.key: table.to_dict() for table in self.tables},
        }


def summarise(frame: pl.LazyFrame, manifest: Mapping[str, Any]) -> Summary:
    """Summarise the deals of a run.

    Parameters
    ----------
    frame : polars.LazyFrame
        The deals, with the columns of `mjsim.dataset.columns.COLUMNS`.
    manifest : mapping
        The run's manifest, as in ``run.json``.

    Returns
    -------
    Summary
        Its tables hold exact counts, and estimates with intervals.
    """
    return summary_of(aggregate(frame), manifest)


def summary_of(found: Aggregate, manifest: Mapping[str, Any]) -> Summary:
    """The summary of deals that were counted already."""
    ruleset = manifest["ruleset"]
    tables = [
        draws.endings(found),
        hand_types.hand_types(found, ruleset),
        hand_types.types_by_win(found, ruleset),
        draws.deal_length(found),
        points.points_by_seat(found),
        points.points_by_part(found),
    ]
    if found["all_fish"].total(lambda key: key[0] > 0):
        tables += [fishing.fish_by_seat(found), fishing.fish_by_number(found)]
    tables.append(draws.incidents(found))
    return Summary(manifest, found, tuple(tables), _checks(found, manifest))


def _checks(found: Aggregate, manifest: Mapping[str, Any]) -> tuple[Check, ...]:
    """The self-checks with the number of deals that failed each."""
    checks = [
        Check(name, CHECK_TERMS[name], found["checks"].total(having(index, 0))) for index, name in enumerate(CHECKS)
    ]
    if manifest.get("shards"):
        listed = sum(int(shard["deals"]) for shard in manifest["shards"])
        checks.append(Check("deals", CHECK_TERMS["deals"], abs(listed - found.deals)))
    return tuple(checks)
