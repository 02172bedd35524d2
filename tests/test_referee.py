"""The referee twin follows the engine through whole deals: who is asked, what is legal, what happens and is paid."""

from collections import Counter
from typing import Any

import pytest

from mjsim.hands.types import names_of
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.simulation import Plan
from mjsim.transcript.events import Replay, Replayer
from tests.naive import referee
from tests.naive.deal import Deal

SEED = 2026
DEALS = 2000
BLOCK = 100

# The twin's names of options, and the engine's keys.
KEYS = {
    "chow": "claims.chow",
    "rob_kong": "kongs.rob_kong",
    "third_party": "liability.third_party",
    "pass_lock": "pass_lock.enabled",
    "last_tile_discard": "deal_end.last_tile_discard",
    "fishing": "fishing.enabled",
    "reserve": "fishing.reserve",
}
VARIANTS: list[dict[str, Any]] = [
    {"chow": False},
    {"rob_kong": False},
    {"third_party": False},
    {"pass_lock": False},
    {"last_tile_discard": False},
    {"fishing": False},
    {"reserve": "picked"},
    {"reserve": "picked", "last_tile_discard": False},
]


def replayer(players: str, options: dict[str, Any], *, session: int = 1) -> Replayer:
    rules = load_rules("liuzhou", **{KEYS[name]: value for name, value in options.items()})
    return Replayer(Plan(rules, players_for_seats(players), SEED, session, fish=2))


def disagreements(replay: Replay, options: dict[str, Any], *, session: int = 1) -> list[str]:
    """Everything the referee and the engine see differently in one deal."""
    number, dealer = replay.deal, int(replay.row["dealer"])
    problems = referee.check(
        replay.events, replay.decisions, seed=SEED, deal=number, dealer=dealer, fish=2, options=options or None
    )
    twin = Deal(SEED, number, dealer, options or None, players=tuple(player.name for player in replay.plan.players))
    problems += referee.follow(twin, replay.decisions)
    for column, expected in referee.row(twin, session=number // session, hand=number % session).items():
        found: Any = replay.row[column]
        if column.startswith("types_"):
            found = sorted(name for name in names_of(int(found)) if not name.startswith("quads_"))
        if found != expected:
            problems.append(f"column {column}: engine {found}, referee {expected}")
    return [f"deal {number}: {problem}" for problem in problems]


@pytest.mark.parametrize("first", range(0, DEALS, BLOCK))
@pytest.mark.parametrize("players", ["random", "noisy", "fast"])
def test_referee_agrees(players: str, first: int) -> None:
    shown = replayer(players, {})
    for number in range(first, first + BLOCK):
        assert disagreements(shown.show(number), {}) == []


@pytest.mark.parametrize("options", VARIANTS, ids=lambda options: "-".join(f"{k}={v}" for k, v in options.items()))
def test_referee_agrees_under_each_option(options: dict[str, Any]) -> None:
    for players in ("noisy", "random"):
        shown = replayer(players, options)
        for number in range(5000, 5060):
            assert disagreements(shown.show(number), options) == []


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
