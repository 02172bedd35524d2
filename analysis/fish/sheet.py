"""Everything about fish in one place, as ``mjsim fishing`` prints it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from analysis.checks import expectations
from analysis.counts.aggregate import Aggregate
from analysis.display.tables import Table
from analysis.display.text import Lang, Term, grouped
from analysis.estimates.intervals import CONFIDENCE
from analysis.fish import fishing
from analysis.fish.bets import exchangeable
from analysis.fish.checks import weights
from analysis.fish.kinds import tile_tables
from analysis.fish.swings import swings


@dataclass(frozen=True)
class FishingSheet:
    """A sheet (`analysis.display.render.Sheet`) of what fish are worth.

    Attributes
    ----------
    manifest : mapping
        The run's manifest, as in ``run.json``.
    found : Aggregate
        Its deals.
    kinds : Aggregate
        Its reserved tiles by kind, from `analysis.fish.kinds.by_kind`.
    """

    manifest: Mapping[str, Any]
    found: Aggregate
    kinds: Aggregate

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Worth by seat and number; what fish do to a session; worth by tile; estimators and checks."""
        ruleset = self.manifest["ruleset"]
        made = {table.key: table for table in fishing.tables(self.found, ruleset)}
        if fishing.any_taken(self.found):
            paths = swings(self.found)
            made[paths.key] = paths
        if exchangeable(self.found, ruleset):
            made |= {table.key: table for table in tile_tables(self.kinds)}
        if self.found.total("fished"):
            made["fish_weights"] = weights(self.found)
        order = ("fish_by_seat", "fish_by_number", "fish_sessions", "fish_spread", "fish_by_tile")
        checks = ("fish_estimators", "fish_weights")
        keys = [*order, *(key for key in made if key not in (*order, *checks)), *checks]
        return tuple(made[key] for key in keys if key in made)

    @property
    def lacking(self) -> str | None:
        """Why nothing can be said of fish; None if something can."""
        fishing_rules = self.manifest["ruleset"]["fishing"]
        if not fishing_rules["enabled"]:
            return "the rules have fishing.enabled = false, so that there are no fish"
        if fishing_rules["reserve"] == "picked" and not fishing.any_taken(self.found):
            return 'nobody took a fish, and fishing.reserve = "picked" leaves tiles that nobody took in play'
        return None

    def heading(self, lang: Lang) -> str:
        """Which deals they are."""
        title = self.manifest["ruleset"]["ruleset"]["title"]
        players = ", ".join(player["name"] for player in self.manifest["players"])
        return Term(
            f"Fishing in {title['en']}: {grouped(self.found.deals)} deals, seed {self.manifest['seed']}, "
            f"players {players}",
            f"{title['zh']}·钓鱼：{grouped(self.found.deals)} 局，种子 {self.manifest['seed']}，玩家 {players}",
        ).say(lang)

    def warnings(self, lang: Lang) -> list[str]:
        """What a reader must know before the numbers."""
        said = []
        if unsettled := self.found.total("failed_fish"):
            said.append(
                Term(
                    f"SELF-CHECK FAILED in {grouped(unsettled)} deals: fish are not what the transfers between seats "
                    "make them.",
                    f"自检未通过（{grouped(unsettled)} 局）：鱼分与座位间转移不符。",
                )
            )
        if self.manifest.get("status") == "interrupted":
            said.append(
                Term("Interrupted; these are the deals that were finished.", "运行被中断；以下仅含已完成的局。")
            )
        if not fishing.any_taken(self.found):
            said.append(
                Term(
                    "Nobody took a fish in these deals; all values are averages over the eight reserved tiles.",
                    "这些局无人钓鱼；各值均为八张鱼牌的平均。",
                )
            )
        elif not exchangeable(self.found, self.manifest["ruleset"]):
            said.append(
                Term(
                    'Under fishing.reserve = "picked" tiles that nobody took are drawn, so fish are shown as '
                    "settled only.",
                    "fishing.reserve = “picked” 时无人取的鱼牌仍会摸到，故只按实际结算。",
                )
            )
        failed = expectations.failed(fishing.checks(self.found, self.manifest["ruleset"]))
        return [*(each.warning(lang) for each in failed), *(each.say(lang) for each in said)]

    def findings(self, lang: Lang) -> list[str]:
        """Whether fish are worth their risk."""
        return fishing.findings(self.found, lang, self.manifest["ruleset"])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        return {
            "deals": self.found.deals,
            "status": self.manifest.get("status", "complete"),
            "ruleset": self.manifest["ruleset"]["ruleset"]["name"],
            "seed": self.manifest["seed"],
            "players": [player["name"] for player in self.manifest["players"]],
            "confidence": CONFIDENCE,
            "expected": {check.key: check.to_dict() for check in fishing.checks(self.found, self.manifest["ruleset"])},
            "tables": {table.key: table.to_dict() for table in self.tables},
        }
