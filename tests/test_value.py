"""The player `value`: its chances, its choices in plain situations, its edge, and how its constants are counted."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim import jit
from mjsim.contract import View
from mjsim.fitting.__main__ import main
from mjsim.fitting.follow import follow
from mjsim.fitting.rates import Rounds
from mjsim.hands.hand import load
from mjsim.hands.tables import tables
from mjsim.players.value import constants
from mjsim.players.value.chances import CHANCES, DISTANCES, DRAWS, FAMILIES, KNOTS, ROUTES
from mjsim.players.value.danger import cost_of, danger_of
from mjsim.players.value.decide import VALUE
from mjsim.players.value.holding import holding_of, price, sight_of
from mjsim.players.value.routes import pungs_distance, route_worths
from mjsim.rules import load_rules
from mjsim.rules.packed import DISCARD_MODE, SELF_DRAW_MODE, pack
from mjsim.state import DEAL, LEGAL, PUNG_MELD, STREAM, TURN_PHASE, new_record
from mjsim.tiles import counts_of, parse

RULES = ("liuzhou", "nanning_folk", "nanning_laiyouxi")
TABLE = CHANCES.reshape(len(FAMILIES), len(ROUTES), DISTANCES, DRAWS, len(KNOTS))


def view_of(hand: str, rules: str = "liuzhou", left: int = 60, melds: str = "") -> View:
    """A view of seat 0 in its turn; ``melds`` are pungs from seat 1."""
    deal = new_record(DEAL)
    own = deal.seats[0]
    kinds = parse(melds)[::3] if melds else []
    load(own, tables(), np.array(counts_of(parse(hand)), np.uint8), len(kinds))
    own.exposed_count = len(kinds)
    for index, kind in enumerate(kinds):
        own.meld_kind[index], own.meld_tile[index], own.meld_from[index] = PUNG_MELD, kind, 1
        deal.table.ones |= np.uint64(1 << kind)
        deal.table.twos |= np.uint64(1 << kind)
    deal.table.left = left
    deal.table.phase = TURN_PHASE
    return View(own, deal.table, pack(load_rules(rules)), tables())


@jit.kernel
def routes(view: View) -> Any:
    return route_worths(view, sight_of(view), holding_of(view.own))


@jit.kernel
def cost(view: View, kind: Any) -> Any:
    return cost_of(danger_of(view, sight_of(view)), kind)


def thrown(hand: str, **situation: Any) -> int:
    view = view_of(hand, **situation)
    legal = new_record(LEGAL)
    legal.discard = np.uint64(sum(1 << kind for kind in set(parse(hand))))
    action = int(VALUE.compiled(view, legal, new_record(STREAM)))
    assert action >> 8 == mjsim.DISCARD
    return action & 255


def worths(hand: str, **situation: Any) -> list[int]:
    """Ordinary, pungs, flush, pairs."""
    return [int(worth) for worth in routes(view_of(hand, **situation))]


def test_chances_are_probabilities_that_grow_with_draws() -> None:
    own, given = (TABLE & 0xFFFF).astype(int), (TABLE >> 16).astype(int)
    assert (own + given).max() <= 1 << 15
    assert (own[:, :, 1:] + given[:, :, 1:]).max() > 1 << 14
    assert (own[..., 0, :] == 0).all()
    # From the middle of a deal on, a round more never makes a win less likely.
    middle = (own + given)[:, :, :, 8:18]
    assert (np.diff(middle, axis=3) >= -1).all()


def test_chances_grow_with_effective_tiles() -> None:
    total = (TABLE & 0xFFFF).astype(int) + (TABLE >> 16)
    assert (np.diff(total[:, :, 1:], axis=-1) >= -1).all()


def test_only_rules_that_pay_it_let_an_ordinary_hand_win_on_a_discard() -> None:
    given = TABLE >> 16
    for family, name in enumerate(FAMILIES):
        assert (given[family, :2].max() > 0) == name.endswith("discard")
        assert given[family, 2:, 1].max() > 0


@pytest.mark.parametrize(
    ("tiles", "sets", "distance", "singles"),
    [
        ("11122233344455m", 4, 0, False),
        ("1112223334455m", 4, 1, False),
        ("1122334455667m", 4, 4, False),
        ("1122334456789m", 4, 5, True),
        ("123456789m1234z", 4, 9, True),
        ("1m", 0, 1, True),
        ("1111222233334z", 4, 3, True),
    ],
)
def test_distance_to_all_pungs(tiles: str, sets: int, distance: int, singles: bool) -> None:
    own = new_record(DEAL).seats[0]
    load(own, tables(), np.array(counts_of(parse(tiles)), np.uint8), 4 - sets)
    assert pungs_distance(own.ones, own.twos, own.fours, sets) == (distance, singles)


@pytest.mark.parametrize("rules", RULES)
def test_prices_are_those_of_the_rules(rules: str) -> None:
    words = pack(load_rules(rules))
    liuzhou = rules == "liuzhou"
    shares = [int(price(words, SELF_DRAW_MODE, units, concealed)) for units in range(3) for concealed in (0, 1)]
    assert shares == ([1, 2, 2, 4, 4, 8] if liuzhou else [3, 4, 6, 8, 12, 16])
    shares = [int(price(words, DISCARD_MODE, units, concealed)) for units in range(3) for concealed in (0, 1)]
    assert shares == ([1, 1, 3, 3, 6, 6] if liuzhou else [0, 0, 9, 12, 18, 24])


def test_a_hand_is_worth_more_the_nearer_it_is() -> None:
    hands = ("147m258p369s1234z", "123m258p369s1234z", "123m456p369s1234z", "123m456p789s1234z", "123m456p789s1123z")
    worth = [max(worths(hand)) for hand in hands]
    assert worth == sorted(worth)
    assert len(set(worth)) == len(worth)


def test_each_route_leads_where_it_should() -> None:
    assert int(np.argmax(worths("1123455678m12p1z", rules="nanning_folk"))) == 2
    assert int(np.argmax(worths("1155m2288p3399s1z", rules="nanning_folk"))) == 3
    assert int(np.argmax(worths("999s33p22s", rules="nanning_folk", melds="555m777z"))) == 1
    assert int(np.argmax(worths("123456m789p2256s"))) == 0


def test_a_flush_throws_the_tile_of_another_suit() -> None:
    assert thrown("1123445678999m1p", rules="nanning_folk") == parse("1p")[0]


def test_a_lone_honour_goes_before_a_shape() -> None:
    assert thrown("123456m2256p788s4z") == parse("4z")[0]


def test_danger_grows_with_exposed_melds_and_falls_with_copies_seen() -> None:
    view = view_of("1447m258p369s1237z", left=20)
    quiet = {tile: int(cost(view, parse(tile)[0])) for tile in ("5p", "4m", "1m", "3s")}
    assert quiet["5p"] > quiet["4m"] > 0
    assert quiet["5p"] > quiet["1m"]
    view.table.meld_count[2] = 3
    for meld, tile in enumerate(parse("258p")):
        view.table.meld_kind[2, meld], view.table.meld_tile[2, meld], view.table.meld_from[2, meld] = 2, tile, 3
    assert int(cost(view, parse("5p")[0])) > int(cost(view, parse("3s")[0])) > quiet["3s"]


def test_what_was_just_thrown_is_safe() -> None:
    view = view_of("1447m258p369s1237z", left=20)
    view.table.discard_count = 3
    for index, tile in enumerate(parse("5p6s3s")):
        view.table.discard_tile[index], view.table.discard_seat[index] = tile, index + 1
    costs = [int(cost(view, tile)) for tile in parse("3s6s5p4m")]
    assert costs[0] == 0
    assert 0 < costs[1] < costs[2]


def test_the_third_meld_costs() -> None:
    view = view_of("1447m258p369s1237z", left=60, rules="nanning_folk")
    tile = parse("5p")[0]
    view.table.meld_count[1] = 2
    for meld, other in enumerate(parse("1s9m")):
        view.table.meld_kind[1, meld], view.table.meld_tile[1, meld], view.table.meld_from[1, meld] = 2, other, 2
    given_by_another = int(cost(view, tile))
    view.table.meld_from[1, :2] = 0
    assert int(cost(view, tile)) > given_by_another


@pytest.mark.parametrize(
    ("rules", "deals"), [("liuzhou", 20_000), ("nanning_folk", 8_000), ("nanning_laiyouxi", 8_000)]
)
def test_value_beats_three_fast_players(rules: str, deals: int) -> None:
    """On walls that no constant was chosen on; 3.29 standard errors are 99.9 %."""
    net = np.zeros(deals)
    for seat in range(4):
        players = ["fast"] * 4
        players[seat] = "value"
        net += mjsim.simulate(rules, deals=deals, seed=90_210, players=players).columns[f"net_{seat}"]
    edge = net / 4
    assert edge.mean() > 3.29 * edge.std() / np.sqrt(deals)


def test_a_win_is_passed_only_where_more_is_to_come() -> None:
    passed = mjsim.simulate("liuzhou", deals=3000, seed=6, players="value").columns
    blocked = sum(int(passed[f"blocked_{seat}"].sum()) for seat in range(4))
    taken = int((passed["outcome"] == 1).sum())
    assert 0 < blocked < taken // 20


def test_the_rates_are_ratios_of_what_was_noted() -> None:
    rests, ends = follow(load_rules("liuzhou"), "value", 3, 400)
    rounds = Rounds(rests, ends)
    here = (rounds.now["draws"] == 10) & ~rounds.won
    assert rounds.ended[10] == rounds.lost[here].mean()
    rates = rounds.rates(win_on_discard=True)
    assert rates.keys() == {"rounds", *ROUTES}
    assert rates["concealed"]["claims"][2:] == [0] * 6
    assert 0 < rates["open"]["share"][1] < rates["open"]["share"][3] < 10_000
    assert int(ends["won"].sum()) >= 390


def test_the_command_writes_what_the_player_reads(tmp_path: Path) -> None:
    file = tmp_path / "constants.py"
    main(["--deals", "60", "--seed", "5", "--rounds", "1", "--output", str(file)])
    found: dict[str, Any] = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), found)
    for name in ("RATES", "READY", "CLAIMED", "LOSS_ORDINARY", "LOSS_SPECIAL"):
        assert name in found
    assert found["RATES"].keys() == constants.RATES.keys() == set(FAMILIES)
    assert "--deals 60 --seed 5 --rounds 1" in found["__doc__"]
    assert "python -m mjsim.fitting --deals" in str(constants.__doc__)
