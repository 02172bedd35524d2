"""Every player against every other on the same walls: who is stronger, how long it takes to show, how each one wins."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, Final

from analysis.comparing.effects import holm
from analysis.counts.aggregate import Aggregate
from analysis.counts.measures import SEATS
from analysis.display.tables import Column, Row, Table
from analysis.display.text import ORDINARY_TERM, TYPE_TERMS, Lang, Term, bounds, grouped, points
from analysis.estimates.batches import batch_ratio, batch_share
from analysis.estimates.intervals import Interval, share
from analysis.skill.skill import EVENING, Match, total_of
from mjsim.rules import Ruleset

#: A difference is decided where its p-value, adjusted for all matches, is below this.
LEVEL: Final = 0.05

#: Types of the winning hands whose mix is shown.
MIX: Final = (
    *("ordinary", "all_pungs", "full_flush", "seven_pairs", "quads_1", "quads_2", "quads_3"),
    *("concealed_hand", "melded_hand"),
)


@dataclass(frozen=True)
class Ladder:
    """Every player alone against three of every other.

    Attributes
    ----------
    rules : Ruleset
    deals, seed : int
        The walls: deals 0 to ``deals`` − 1 of this seed, in every seating.
    matches : tuple of Match
        Every ordered pair.
    among_equals : mapping of str to Aggregate
        Deals of the same walls by four of each player.
    """

    rules: Ruleset
    deals: int
    seed: int
    matches: tuple[Match, ...]
    among_equals: Mapping[str, Aggregate]

    @cached_property
    def adjusted(self) -> tuple[float, ...]:
        """P-value of each match, adjusted for their number (Holm)."""
        return tuple(holm([each.p_value for each in self.matches]).tolist())

    def decided(self, index: int) -> int:
        """1 if the first player of a match is ahead, −1 if it is behind, 0 if that is not decided."""
        if self.adjusted[index] >= LEVEL:
            return 0
        return 1 if self.matches[index].edge.estimate > 0 else -1

    @cached_property
    def strengths(self) -> tuple[tuple[str, Interval], ...]:
        """Points a deal that each player wins alone, on average over who the three others are; the strongest first."""
        found = []
        for name in self.among_equals:
            own = [each for each in self.matches if each.first == name]
            strength = batch_ratio(total_of(each.net for each in own), total_of(each.played for each in own))
            assert strength is not None  # every match has deals
            found.append((name, strength))
        return tuple(sorted(found, key=lambda each: -each[1].estimate))

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Strength, matches, luck, how each player plays, and what it wins with."""
        return self._strength(), self._matches(), self._luck(), self._play(), self._mix()

    def heading(self, lang: Lang) -> str:
        """What was played, in one line."""
        name = Term(self.rules.title.en, self.rules.title.zh).both(lang)
        who = ", ".join(self.among_equals)
        return Term(
            f"{name}: players {who} on the same {grouped(self.deals)} walls, in every seat, seed {self.seed}",
            f"{name}：{who} 在相同的 {grouped(self.deals)} 副牌上轮坐各位，种子 {self.seed}",
        ).say(lang)

    def warnings(self, lang: Lang) -> list[str]:
        """Nothing: what went wrong has raised an error."""
        return []

    def findings(self, lang: Lang = "en") -> list[str]:
        """Who is ahead of whom, by how much, and how soon that shows."""
        said = []
        names = [name for name, _ in self.strengths]
        for index, each in enumerate(self.matches):
            if names.index(each.first) < names.index(each.second):
                said.append(self._finding(index, each).say(lang))
        return said

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        words = {1: "ahead", -1: "behind", 0: "not_decided"}
        return {
            "ruleset": self.rules.to_dict(),
            "deals": self.deals,
            "seed": self.seed,
            "matches": [
                each.to_dict() | {"p_value": each.p_value, "adjusted_p_value": p, "verdict": words[self.decided(index)]}
                for index, (each, p) in enumerate(zip(self.matches, self.adjusted, strict=True))
            ],
            "tables": [table.to_dict() for table in self.tables],
        }

    def _finding(self, index: int, each: Match) -> Term:
        """One match in a sentence."""
        a, b = each.first, each.second
        edge = points(each.edge)
        ends = {lang: bounds(each.edge, lang, sign=True) for lang in ("en", "zh")}
        until = each.until_ahead
        if self.decided(index) and until is not None:
            ahead = {1: ("ahead", "领先"), -1: ("behind", "落后")}[self.decided(index)]
            deals = grouped(ceil(until.estimate))
            return Term(
                f"{a} alone is {ahead[0]} of three {b}: {edge} points a deal ({ends['en']}); the better one is ahead "
                f"with 95 % probability after {deals} deals.",
                f"{a} 独对三家 {b} {ahead[1]}：每局 {edge} 分（{ends['zh']}）；强者经 {deals} 局有 95% 的概率领先。",
            )
        return Term(
            f"Between {a} alone and three {b} these deals do not decide: {edge} points a deal ({ends['en']}).",
            f"{a} 独对三家 {b}，这些局数不足以分出高下：每局 {edge} 分（{ends['zh']}）。",
        )

    def _strength(self) -> Table:
        rows = tuple(Row(name, Term(name, name), (interval,)) for name, interval in self.strengths)
        return Table(
            "strength",
            Term("Strength", "实力"),
            _PLAYER,
            (Column("strength", Term("points a deal", "每局得分"), "mean"),),
            rows,
            Term(
                "What a player wins alone, on average over who the three others are.",
                "单独一家时的每局得分，对各种对手取平均。",
            ),
        )

    def _matches(self) -> Table:
        rows = []
        for index, each in enumerate(self.matches):
            rows.append(Row(_key(each), self._label(index), (each.edge, each.spread, each.deals)))
        return Table(
            "matches",
            Term("One against three", "一对三"),
            _MATCH,
            (
                Column("edge", Term("points a deal", "每局得分"), "mean"),
                Column("spread", Term("standard deviation of a deal", "单局标准差"), "number"),
                Column("deals", Term("deals played", "局数"), "count"),
            ),
            tuple(rows),
            Term(
                "The same walls in every seat, so that equal players win exactly 0. Intervals from batches of walls. "
                "Decided where equal players would differ as much with a chance below 5 %, corrected for the number of "
                "matches (Holm).",
                "同样的牌轮坐各位，实力相同者恰得 0 分。区间由按牌分批得出。"
                "若实力相同而出现如此差距的概率低于 5%（已按对阵数以 Holm 法校正），即视为分出高下。",
            ),
        )

    def _luck(self) -> Table:
        rows = []
        for index, each in enumerate(self.matches):
            until = each.until_ahead
            checked = each.chance_ahead(ceil(until.estimate)) if until is not None else None
            rows.append(Row(_key(each), self._label(index), (until, checked, each.luck(), each.luck(EVENING))))
        return Table(
            "luck",
            Term("Luck and skill", "运气与技术"),
            _MATCH,
            (
                Column("until_ahead", Term("deals until ahead", "领先所需局数"), "length"),
                Column("checked", Term("then ahead", "届时领先"), "share"),
                Column("luck", Term("luck in a deal", "单局运气"), "share"),
                Column("luck_evening", Term(f"luck in {EVENING} deals", f"{EVENING} 局运气"), "share"),
            ),
            tuple(rows),
            Term(
                "Deals until the better player is ahead with 95 % probability: (1.645 × standard deviation / points "
                "a deal)²; – where it is not known who is better. Then ahead: the same from matches resampled deal by "
                "deal, which know nothing of normal distributions. Luck: the part of a result's mean "
                "square that chance adds.",
                "领先所需局数：强者以 95% 的概率领先所需的局数，即（1.645 × 标准差 ÷ 每局得分）²；"
                "“–”表示尚不知谁强。"
                "届时领先：逐局重抽样模拟所得，不依赖正态近似。运气：结果均方中由偶然性带来的部分。",
            ),
        )

    def _play(self) -> Table:
        rows = []
        for name, found in self.among_equals.items():
            seats = SEATS * found.sums["deals"]
            cells = (
                batch_share(found.seats("won"), seats),
                batch_share(found.seats("dealt_in"), seats),
                share(found.total("drawn"), found.deals),
                batch_share(found.seats("won_self_draw"), found.sums["wins"]),
                batch_ratio(found.sums["draws"], found.sums["deals"]),
            )
            rows.append(Row(name, Term(name, name), cells))
        return Table(
            "play",
            Term("How each player plays among its equals", "同类对局中的打法"),
            _PLAYER,
            (
                Column("won", Term("wins, of a seat's deals", "每家胡牌率"), "share"),
                Column("dealt_in", Term("deals in", "放炮率"), "share"),
                Column("drawn", Term("drawn deals", "流局"), "share"),
                Column("self_draw", Term("of wins self-drawn", "自摸占胡牌"), "share"),
                Column("draws", Term("tiles drawn a deal", "每局摸牌数"), "length"),
            ),
            tuple(rows),
            _FOUR_EQUAL,
        )

    def _mix(self) -> Table:
        rows = []
        for name in MIX:
            cells = [
                batch_share(found.sums[f"wins_{name}"], found.sums["wins"]) for found in self.among_equals.values()
            ]
            rows.append(Row(name, ORDINARY_TERM if name == "ordinary" else TYPE_TERMS[name], tuple(cells)))
        return Table(
            "mix",
            Term("Hand types that each player wins with", "各玩家胡牌的牌型"),
            Term("share of winning hands", "占胡牌数"),
            tuple(Column(name, Term(name, name), "share") for name in self.among_equals),
            tuple(rows),
            _FOUR_EQUAL,
        )

    def _label(self, index: int) -> Term:
        """A match and its verdict in words."""
        each = self.matches[index]
        said = {1: ("ahead", "领先"), -1: ("behind", "落后"), 0: ("not decided", "未分高下")}[self.decided(index)]
        return Term(f"{each.first} v. 3 {each.second}: {said[0]}", f"{each.first} 对三家 {each.second}：{said[1]}")


def _key(each: Match) -> str:
    return f"{each.first}:{each.second}"


_PLAYER: Final = Term("player", "玩家")
_MATCH: Final = Term("match", "对阵")
_FOUR_EQUAL: Final = Term("Four of the same player on the same walls.", "四家为同一玩家，牌相同。")
