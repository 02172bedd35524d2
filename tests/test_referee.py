"""The referee twin follows the engine through whole deals: who is asked, what is legal, what happens and is paid."""

from collections import Counter
from typing import Any

import pytest

from mjsim.engine import Plan
from mjsim.hands.types import names_of
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.transcript.events import Replay, Replayer
from tests.naive import referee
from tests.naive.deal import Deal

SEED = 2026
DEALS = 2000
BLOCK = 100
RULES = ("liuzhou", "nanning_folk", "nanning_laiyouxi")

# The twin's names of options where the engine's keys are not the same, unique words.
KEYS = {"chow": "claims.chow", "pass_lock": "pass_lock.enabled", "fishing": "fishing.enabled"}

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("liuzhou", {"chow": False}),
    ("liuzhou", {"rob_kong": False}),
    ("liuzhou", {"third_party": False}),
    ("liuzhou", {"pass_lock": False}),
    ("liuzhou", {"last_tile_discard": False}),
    ("liuzhou", {"fishing": False}),
    ("liuzhou", {"reserve": "picked"}),
    ("liuzhou", {"reserve": "picked", "last_tile_discard": False}),
    ("nanning_folk", {"dead_double": True}),
    ("nanning_folk", {"human_hand": "double"}),
    ("nanning_folk", {"ordinary_discard": 2}),
    ("nanning_folk", {"rob_kong": False, "last_tile_discard": False}),
    ("nanning_laiyouxi", {"concealed_kong_scale": "self_draw"}),
    ("nanning_laiyouxi", {"ordinary_discard": 2}),
    ("nanning_laiyouxi", {"rob_kong": False}),
]
VARIANT_DEALS = 500


def replayer(players: str, options: dict[str, Any], *, rules: str = "liuzhou", session: int = 1) -> Replayer:
    changed = load_rules(rules, **{KEYS.get(name, name): value for name, value in options.items()})
    return Replayer(Plan(changed, players_for_seats(players), SEED, session, fish=2))


def disagreements(replay: Replay, options: dict[str, Any], *, rules: str = "liuzhou", session: int = 1) -> list[str]:
    """Everything the referee and the engine see differently in one deal."""
    number, dealer = replay.deal, int(replay.row["dealer"])
    players = tuple(player.name for player in replay.plan.players)
    twin = Deal(SEED, number, dealer, options or None, players=players, rules=rules)
    problems = referee.compare(replay.events, replay.decisions, twin, fish=2)
    if problems:
        return [f"deal {number}: {problem}" for problem in problems]
    for column, expected in referee.row(twin, session=number // session, hand=number % session).items():
        found: Any = replay.row[column]
        if column.startswith("types_"):
            found = sorted(name for name in names_of(int(found)) if not name.startswith("quads_"))
        if found != expected:
            problems.append(f"deal {number}: column {column}: engine {found}, referee {expected}")
    return problems


@pytest.mark.parametrize("first", range(0, DEALS, BLOCK))
@pytest.mark.parametrize("players", ["random", "noisy", "fast"])
@pytest.mark.parametrize("rules", RULES)
def test_referee_agrees(rules: str, players: str, first: int) -> None:
    shown = replayer(players, {}, rules=rules)
    for number in range(first, first + BLOCK):
        assert disagreements(shown.show(number), {}, rules=rules) == []


@pytest.mark.parametrize(("players", "deals"), [("value", 300), ("rollout", 2)])
@pytest.mark.parametrize("rules", RULES)
def test_referee_agrees_on_players_that_play_for_points(rules: str, players: str, deals: int) -> None:
    """On walls of their own; their decisions are compared in `test_player_twins`."""
    shown = replayer(players, {}, rules=rules)
    for number in range(8000, 8000 + deals):
        assert disagreements(shown.show(number), {}, rules=rules) == []


@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize(
    ("rules", "options"), VARIANTS, ids=[f"{rules}-{'-'.join(options)}" for rules, options in VARIANTS]
)
def test_referee_agrees_under_each_option(rules: str, options: dict[str, Any], part: int) -> None:
    deals = VARIANT_DEALS // 5
    for players, share in (("noisy", deals * 4 // 5), ("random", deals // 5)):
        shown = replayer(players, options, rules=rules)
        first = 5000 + part * deals
        for number in range(first, first + share):
            assert disagreements(shown.show(number), options, rules=rules) == []


def test_referee_agrees_within_sessions() -> None:
    shown = replayer("noisy,fast,random,noisy", {}, session=5)
    dealer = None
    for number in range(100, 160):
        replay = shown.show(number)
        assert disagreements(replay, {}, session=5) == []
        assert replay.row["dealer"] == (number // 5 % 4 if number % 5 == 0 else dealer)
        dealer = replay.row["next_dealer"]


def test_the_deals_refereed_visit_the_rare_rules() -> None:
    """What the referee has seen: a block in which every kind of ending, claim and lock occurs."""
    shown = replayer("noisy", {})
    seen: Counter[str] = Counter()
    for number in range(DEALS):
        replay = shown.show(number)
        seen.update(event["event"] for event in replay.events)
        seen.update(name for seat in range(4) for name in names_of(int(replay.row[f"types_{seat}"])))
        seen[str(replay.row["outcome"])] += 1
        seen["several winners"] += int(replay.row["winners"]).bit_count() > 1
        seen["link"] += replay.row["links"] != 0
        seen["liability"] += any(replay.row[f"liability_{seat}"] for seat in range(4))
        seen["blocked"] += any(replay.row[f"blocked_{seat}"] for seat in range(4))
        seen["chain of two"] += int(replay.row["chain"]) > 1
    rare = (
        *("chow", "pung", "kong", "kong+", "kong-", "pass", "drawn"),
        *("self_draw", "discard", "rob_kong"),
        *("all_pungs", "full_flush", "seven_pairs", "concealed_hand", "melded_hand"),
        *("replacement_win", "kong_discard", "robbing_kong"),
        *("several winners", "link", "liability", "blocked"),
    )
    assert [name for name in rare if not seen[name]] == []
