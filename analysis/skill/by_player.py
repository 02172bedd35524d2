"""How much a ruleset's headline numbers depend on the players: the run's own, and others on the same walls.

Four of each player sit at a table. The luck of the walls, common to all of them, drops out of the differences.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from analysis.comparing.effects import judged, measured, value_of
from analysis.comparing.metrics import METRICS, Metric
from analysis.comparing.verdicts import Effect, scaled
from analysis.counts.aggregate import Aggregate
from analysis.counts.measures import CHECKS
from analysis.display.tables import Cell, Column, Kind, Row, Table
from analysis.display.text import Lang, Term, grouped
from analysis.estimates.batches import batch_share
from analysis.estimates.intervals import Interval
from analysis.skill.ladder import Ladder

#: The key of the run's own players, whoever they are.
OWN: Final = "own"

#: What a win is worth, which no comparison of rulesets asks for.
POINTS_A_WIN: Final = Metric(
    "points_a_win",
    Term("points of a winning hand", "每胡得分"),
    Term("points", "分"),
    {"points_won": 1},
    {"wins": 1},
    margin=0.05,
    plural=True,
    reach="points",
)

_BY_KEY: Final = {metric.key: metric for metric in (*METRICS, POINTS_A_WIN)}

#: The numbers that a report tells first, and the hand types.
HEADLINES: Final = tuple(
    _BY_KEY[key]
    for key in (
        *("drawn", "self_draw", "ordinary", "concealed", "all_pungs", "full_flush", "seven_pairs", "melded_hand"),
        *("length", "points_a_win", "dealer_advantage", "kongs", "fish"),
    )
)


@dataclass(frozen=True)
class Four:
    """Four of one player, or the players of the run, and what their deals came to.

    Attributes
    ----------
    key : str
        The player's name, or `OWN`.
    label : Term
        What a reader knows them by.
    found : Aggregate
        Their deals.
    """

    key: str
    label: Term
    found: Aggregate


@dataclass(frozen=True)
class ByPlayer:
    """The headline numbers of a ruleset with the run's own players and with others, on the same walls.

    Attributes
    ----------
    ruleset : mapping
        The rules, as in a manifest.
    own : Four
        The run's own players, in the first deals of the run.
    others : tuple of Four
        Each other player in all four seats.
    ladder : Ladder
        Who is stronger than whom.
    """

    ruleset: Mapping[str, Any]
    own: Four
    others: tuple[Four, ...]
    ladder: Ladder

    @property
    def deals(self) -> int:
        """How many deals each of them played."""
        return self.own.found.deals

    @property
    def sides(self) -> tuple[Four, ...]:
        """The run's own players, then the others."""
        return (self.own, *self.others)

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        """The headline numbers that the rules have and that are not zero whoever plays."""
        return tuple(
            metric
            for metric in HEADLINES
            if metric.exists(self.ruleset) and any(metric.sums(side.found)[0].any() for side in self.sides)
        )

    def value(self, metric: Metric, side: Four) -> Interval | None:
        """A headline number of one side; None where there was nothing to divide by."""
        return batch_share(*metric.sums(side.found)) if metric.is_share else value_of(metric, side.found)

    @cached_property
    def effects(self) -> Mapping[tuple[str, str], Effect]:
        """What each other player changes, by its key and the metric's."""
        found = [
            measured(metric, side.key, self.own.found, side.found, metric.margin / metric.scale)
            for side in self.others
            for metric in self.metrics
        ]
        return {(each.variant, each.metric.key): each for each in judged(found)}

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Shares, means, the differences from the run's own players, and who is stronger."""
        shares = self._values("by_player_shares", _SHARES, "share", [each for each in self.metrics if each.is_share])
        means = self._values("by_player_means", _MEANS, "length", [each for each in self.metrics if not each.is_share])
        return tuple(table for table in (shares, means, self._changes(), self._strength()) if table.rows)

    def warnings(self, lang: Lang) -> list[str]:
        """Self-checks that the deals of the other players failed."""
        return [
            _FAILED.say(lang).format(player=side.label.say(lang), check=check, deals=grouped(failures))
            for side in self.others
            for check in CHECKS
            if (failures := side.found.total(f"failed_{check}"))
        ]

    def to_dict(self) -> dict[str, Any]:
        """What was played, for JSON; the numbers are in the tables."""
        return {
            "deals": self.deals,
            "players": [side.key for side in self.sides],
            "strength_walls": self.ladder.deals,
        }

    def _values(self, key: str, title: Term, kind: Kind, metrics: Iterable[Metric]) -> Table:
        columns = tuple(Column(side.key, side.label, kind) for side in self.sides)
        rows = tuple(
            Row(metric.key, named(metric), tuple(self.value(metric, side) for side in self.sides)) for metric in metrics
        )
        deals = grouped(self.deals)
        words = Term(
            f"The run's own players in the first {deals} deals of the run; four of each other player on the same "
            "walls.",
            f"本次玩家取运行的前 {deals} 局；其他玩家四家同坐，牌墙相同。",
        )
        return Table(key, title, _NUMBER, columns, rows, words)

    def _changes(self) -> Table:
        rows = []
        for metric in self.metrics:
            cells: list[Cell] = []
            for side in self.others:
                effect = self.effects[side.key, metric.key]
                cells.append(scaled(effect.difference, metric.scale))
            rows.append(Row(metric.key, named(metric), tuple(cells)))
        own = self.own.label
        return Table(
            "by_player_changes",
            Term(f"What other players change, compared with {own.en}", f"换玩家之后的变化（与 {own.zh} 相比）"),
            _NUMBER,
            tuple(Column(side.key, side.label, "mean") for side in self.others),
            tuple(rows),
            Term(
                "Differences on the same walls, in the unit of the row; of shares in percentage points.",
                "相同牌墙上之差，单位同行首；比例之差为百分点。",
            ),
        )

    def _strength(self) -> Table:
        ladder = self.ladder
        edges = {(each.first, each.second): each.edge for each in ladder.matches}
        names = [name for name, _ in ladder.strengths]
        rows = tuple(Row(name, Term(name, name), tuple(edges.get((name, other)) for other in names)) for name in names)
        return Table(
            "by_player_strength",
            Term("Who is stronger: one against three", "谁更强：一对三"),
            Term("one player alone", "独自一家"),
            tuple(Column(name, Term(f"against three {name}", f"对三家 {name}"), "plus_minus") for name in names),
            rows,
            Term(
                f"Points a deal that a player wins alone, with half the 95 % interval, in every seat of "
                f"{grouped(ladder.deals)} walls; the strongest first. Equal players win exactly 0. More in the ladder "
                "(mjsim ladder).",
                f"独自一家时的每局得分及 95% 区间半宽，{grouped(ladder.deals)} 副牌轮坐各位，强者在前；"
                "实力相同者恰得 0 分。另见 mjsim ladder。",
            ),
        )


def named(metric: Metric) -> Term:
    """A metric with its unit."""
    return Term(f"{metric.term.en}, {metric.unit.en}", f"{metric.term.zh}，{metric.unit.zh}")


_NUMBER: Final = Term("number", "数字")
_SHARES: Final = Term("Shares, by who plays", "各玩家的比例")
_MEANS: Final = Term("Means, by who plays", "各玩家的均值")
_FAILED: Final = Term(
    "SELF-CHECK FAILED with four {player}: {check}, in {deals} deals",
    "自检未通过（四家 {player}）：{check}，{deals} 局",
)
