"""Which tables and pictures of a run belong together, under the question that they answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.display.tables import Table
from analysis.display.text import Term
from analysis.figures import Figure
from analysis.report.pages import Section


@dataclass(frozen=True)
class Group:
    """A question: its key, its heading, the keys of the pictures and tables that answer it."""

    key: str
    title: Term
    figures: Sequence[str]
    tables: Sequence[str]


GROUPS: Final = (
    Group(
        "deals",
        Term("How deals end", "牌局如何结束"),
        ("endings", "length"),
        ("endings", "deal_length", "deal_tail"),
    ),
    Group(
        "hands",
        Term("Winning hands", "胡牌"),
        ("types",),
        ("hand_types", "types_by_win", "types_by_seat", "type_points", "start"),
    ),
    Group(
        "points",
        Term("Points", "得分"),
        ("points", "tail"),
        (*("points_by_seat", "points_quantiles", "dealer_advantage", "points_by_part", "seat_rates", "dearest"),),
    ),
    Group(
        "fishing",
        Term("Fishing", "钓鱼"),
        ("fish",),
        ("fish_by_seat", "fish_by_number", "fish_by_tile", "fish_estimators", "fish_spread", "fish_sessions"),
    ),
    Group("horses", Term("Horses", "买马"), ("horses",), ("horses_by_seat", "horse_hits", "horse_estimators")),
    Group(
        "incidents",
        Term("Kongs, liability, forbidden wins", "杠、吃三笔、不许胡"),
        (),
        ("incidents", "liability"),
    ),
    Group("sessions", Term("Sessions", "一场"), (), ("bank", "swings", "ruin")),
    Group(
        "players",
        Term("How much depends on the players", "换一种打法会怎样"),
        ("by_player",),
        ("by_player_shares", "by_player_means", "by_player_changes", "by_player_strength"),
    ),
)

#: Tables of self-checks, which stand with the method.
CHECKS: Final = Group(
    "exact", Term("Against exact numbers", "与精确值对照"), (), ("self_check", "fish_weights", "exact_means")
)

#: What no group claims.
_REST: Final = Group("rest", Term("More numbers", "其他"), (), ())


def grouped_by_question(figures: Iterable[Figure], tables: Iterable[Table]) -> list[Section]:
    """The sections of a run's report, in the order of `GROUPS`, then what none of them claims, then the self-checks."""
    pictures = {figure.key: figure for figure in figures}
    numbers = {table.key: table for table in tables}
    sections = []
    for group in GROUPS:
        sections.append(
            Section(
                group.key,
                group.title,
                [pictures.pop(key) for key in group.figures if key in pictures],
                [numbers.pop(key) for key in group.tables if key in numbers],
            )
        )
    checked = [numbers.pop(key) for key in CHECKS.tables if key in numbers]
    rest = Section(_REST.key, _REST.title, list(pictures.values()), list(numbers.values()))
    return [*sections, rest, Section(CHECKS.key, CHECKS.title, [], checked)]
