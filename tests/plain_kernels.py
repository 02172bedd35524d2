"""Small work for every kernel as plain Python; `tests.kernel_coverage` runs this with the JIT off, and no suite does.

What comes out is compared with something else where that is cheap: the suite, with the JIT on, proves the numbers, this
shows which lines they come from.
"""

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import mjsim
from mjsim import jit
from mjsim.cli.hand import Asked, position_of
from mjsim.engine import Plan
from mjsim.fitting.follow import follow
from mjsim.hands.types import hand_types
from mjsim.players import BUILTIN, players_for_seats
from mjsim.playout import play_out
from mjsim.rules import load_rules
from mjsim.tiles import counts_of, parse
from mjsim.transcript.events import Replayer
from tests.commands import run
from tests.test_referee import disagreements, replayer

RULES = ("liuzhou", "nanning_folk", "nanning_laiyouxi")
LATE = 14

_ROLLOUT: Any = BUILTIN["rollout"].compiled
_RANDOM: Any = BUILTIN["random"].compiled


@mjsim.player
def late_rollout(view: Any, legal: Any, rng: Any) -> Any:
    """Play at random, and towards the end of the wall as `rollout`."""
    if view.table.phase == 0 or view.table.left < LATE:
        return _ROLLOUT(view, legal, rng)
    return _RANDOM(view, legal, rng)


def test_the_jit_is_off() -> None:
    assert jit.DISABLED


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("players", ["fast,noisy,random,noisy", "value,random,value,noisy"])
def test_played_deals_settle_again(rules: str, players: str) -> None:
    deals = 5
    shown = Replayer(Plan(load_rules(rules), players_for_seats(players), seed=4, session=2))
    columns = mjsim.simulate(rules, deals=deals, seed=4, players=players, session=2, threads=1).columns
    for deal in range(deals):
        replay = shown.show(deal)
        assert mjsim.score(replay.case)["net"] == [int(columns[f"net_{seat}"][deal]) for seat in range(4)]


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("liuzhou", {"reserve": "picked"}),
        ("liuzhou", {"last_tile_discard": False}),
        ("nanning_folk", {"rob_kong": False}),
        ("nanning_laiyouxi", {"ordinary_discard": 2}),
    ],
)
def test_the_referee_agrees(rules: str, options: dict[str, Any]) -> None:
    shown = replayer("random", options, rules=rules, session=4)
    for deal in range(40):
        assert disagreements(shown.show(deal), options, rules=rules, session=4) == []


@pytest.mark.parametrize("rules", ["liuzhou", "nanning_laiyouxi"])
def test_rollout_plays_imagined_worlds_out(rules: str) -> None:
    """With fewer playouts than it has: the same lines."""
    plan = Plan(load_rules(rules), players_for_seats(late_rollout), seed=6)
    with patch("mjsim.players.rollout.PLAYOUTS", 12):
        events = Replayer(plan).show(3).events
    assert sum(events[-1]["case"]["expect"]["net"]) == 0


def test_value_is_followed() -> None:
    for rules in ("liuzhou", "nanning_laiyouxi"):
        rests, ends = follow(load_rules(rules), "value", 2, 3)
        assert len(rests) > 60
        assert ends.shape == (3, 4)


def test_a_position_is_played_out() -> None:
    for rules, tiles, meld in (
        ("liuzhou", "2233m789s55p6s1z", "pung 6z <2"),
        ("nanning_folk", "123456m234p99s78s3z", ""),
    ):
        place = position_of(load_rules(rules), Asked(tiles, [meld] if meld else [], "", 30, None, None, None))
        played = play_out(load_rules(rules), players_for_seats("fast"), place, parse("2m"), 6, 1)
        assert played.net.shape == (6, 1)


def test_a_hand_alone_is_worked_out() -> None:
    done = run("hand", "liuzhou", "55p67s", "--melds", "chow 123p,pung 7z <1", "--melds", "kong- 5m", "--left", 12)
    assert (done.status, "exact" in done.out) == (0, True), done.err


def test_hands_and_walls_by_the_thousand_are_as_one_by_one() -> None:
    fourteen = np.array(
        [counts_of(parse(each)) for each in ("11123455678999m", "123m456p789s11222z", "1199m1199p119s557z")], np.uint8
    )
    thirteen = fourteen.copy()
    thirteen[np.arange(3), [0, 0, 0]] -= 1
    assert mjsim.shanten_many(thirteen).tolist() == [mjsim.shanten(each) for each in thirteen]
    assert mjsim.is_complete_many(fourteen).tolist() == [True, True, False]
    assert mjsim.effective_tiles_many(thirteen).any(axis=1).all()
    assert mjsim.best_discards_many(fourteen)[2].any()
    assert hand_types(counts_of(parse("11113355778899m"))) == ["full_flush", "seven_pairs", "quads_1", "concealed_hand"]
    assert hand_types(counts_of(parse("11122233344s")), ["pung 2z"]) == ["all_pungs"]
    assert sorted(mjsim.walls(3, 5, 1)[0].tolist()) == [kind for kind in range(34) for _ in range(4)]
