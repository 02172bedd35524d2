"""The player `rollout`: its imagined worlds agree with the deal, and its decisions are worth something."""

from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.contract import View
from mjsim.hands.hand import size
from mjsim.hands.tables import tables
from mjsim.players import BUILTIN
from mjsim.players.rollout import PLAYOUTS, rounds_for
from mjsim.players.worlds import WORLD, deal_hidden, look, play_out, usual_decide
from mjsim.rules.packed import pack
from mjsim.settle import SETTLEMENT
from mjsim.state import DEAL, SEATS, STREAM, Record, new_record
from tests.stopped import Stopped, stopped_deals
from tests.test_referee import disagreements, replayer

RULES = ("liuzhou", "nanning_folk", "nanning_laiyouxi")
NETS = [f"net_{seat}" for seat in range(SEATS)]


def view_of(stopped: Stopped) -> View:
    """What the stopped seat sees."""
    return View(stopped.deal.seats[stopped.seat], stopped.deal.table, pack(stopped.rules), tables())


@pytest.mark.parametrize("rules", RULES)
def test_a_world_with_the_true_tiles_plays_as_the_deal_did(rules: str) -> None:
    """What a seat cannot see put in its place, and all playing the usual way: the deal ends as it did."""
    met = 0
    for stopped in stopped_deals(rules, range(40)):
        deal, seat, view = stopped.deal, stopped.seat, view_of(stopped)
        world = new_record(WORLD)
        look(world, view)
        for name in ("draws", "seat_draws", "chain_length", "chain_kind", "chain_from"):
            length = int(deal.tally.chain_length) if name in ("chain_kind", "chain_from") else None
            assert np.array_equal(np.atleast_1d(world.tally[name])[:length], np.atleast_1d(deal.tally[name])[:length])
        deal_hidden(world, view, new_record(STREAM))
        for other in range(SEATS):
            world.seats[other] = deal.seats[other]
            world.seats[other].labels = 0
        world.wall.tiles[: int(deal.table.left)] = deal.wall.tiles[int(deal.wall.front) : int(deal.wall.back)]
        result = new_record(SETTLEMENT)
        play_out(world, new_record(WORLD), result, view, int(usual_decide(view, deal.legal)), 0)
        assert (result.hand + result.kongs).tolist() == [
            stopped.row[f"hand_{other}"] + stopped.row[f"kongs_{other}"] for other in range(SEATS)
        ], (rules, seat, int(deal.table.deal))
        met += 1
    assert met > 100


@pytest.mark.parametrize("rules", RULES)
def test_a_world_holds_every_tile_once_and_shows_what_the_seat_sees(rules: str) -> None:
    stream = new_record(STREAM)
    stream.used = 4
    for stopped in stopped_deals(rules, range(15)):
        view = view_of(stopped)
        world = new_record(WORLD)
        look(world, view)
        dealings = set()
        for _ in range(3):
            deal_hidden(world, view, stream)
            dealings.add(world.wall.tiles.tobytes())
            assert_is_whole(world, stopped)
        assert len(dealings) == 3


def assert_is_whole(world: Record, stopped: Stopped) -> None:
    """The hands have their sizes, and with the wall and what is set apart there are four tiles of each kind."""
    table = stopped.deal.table
    found = np.zeros(34, int)
    for seat in range(SEATS):
        own, true = world.seats[seat], stopped.deal.seats[seat]
        assert size(own) == size(true) == own.counts.sum()
        assert own.meld_kind[: int(own.meld_count)].tolist() == true.meld_kind[: int(true.meld_count)].tolist()
        found += own.counts
        found[[kind for kind in range(34) if int(own.concealed_kongs) >> kind & 1]] += 4
    for place, word in enumerate((table.ones, table.twos, table.fours)):
        found += [(int(word) >> kind & 1) << place for kind in range(34)]
    concealed = sum(int(size(world.seats[seat])) for seat in range(SEATS) if seat != stopped.seat)
    drawable = int(table.left)
    set_apart = 136 - found.sum() - drawable
    assert set_apart == (8 if stopped.rules.fishing.enabled else 0)
    tiles = np.concatenate([world.wall.tiles[:drawable], world.wall.tiles[drawable + concealed :][:set_apart]])
    found += np.bincount(tiles, minlength=34)
    assert found.tolist() == [4] * 34


@pytest.mark.parametrize("rules", RULES)
def test_the_referee_agrees_with_its_deals(rules: str) -> None:
    shown = replayer("rollout,noisy,fast,rollout", {}, rules=rules)
    for number in range(4):
        assert disagreements(shown.show(number), {}, rules=rules) == []


def test_it_decides_the_same_on_any_threads() -> None:
    one = mjsim.simulate("liuzhou", deals=12, seed=5, players="rollout,fast,fast,noisy", threads=1)
    two = mjsim.simulate("liuzhou", deals=12, seed=5, players="rollout,fast,fast,noisy", threads=2, chunk=1)
    assert all((one.columns[name] == two.columns[name]).all() for name in one.columns)


def test_a_decision_takes_words_only_where_there_is_a_choice() -> None:
    """Of the seat's own stream, and none before the dice."""
    decide = BUILTIN["rollout"].compiled
    used = 0
    for stopped in stopped_deals("liuzhou", range(20)):
        view, legal, deal = view_of(stopped), stopped.deal.legal, stopped.deal
        before = deal.streams.tobytes()
        action = decide(view, legal, deal.streams[stopped.seat])
        assert action == decide(view, legal, stopped.deal_again().streams[stopped.seat])
        used += before != deal.streams.tobytes()
        others = [seat for seat in range(SEATS) if seat != stopped.seat]
        assert deal.streams[others].tobytes() == stopped.deal_again().streams[others].tobytes()
    assert used > 40


@pytest.mark.parametrize(("others", "rounds"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_rounds(others: int, rounds: int) -> None:
    assert rounds_for(others) == rounds
    left, playouts = others, 0
    for _ in range(rounds):
        worlds = PLAYOUTS // (rounds * (left + 1))
        assert worlds > 0
        playouts += worlds * (left + 1)
        left = (left + 1) // 2
    assert left == 1
    assert playouts <= PLAYOUTS


def gain(rules: str, player: str, other: str, deals: int, seed: int) -> float:
    """What a seat wins more by `player` than by `other` among three others, over all seats and the same walls."""
    usual = mjsim.simulate(rules, deals=deals, seed=seed, players=other)
    total = 0.0
    for seat in range(SEATS):
        players = [other] * SEATS
        players[seat] = player
        result: Any = mjsim.simulate(rules, deals=deals, seed=seed, players=players, chunk=20)
        total += float(result.columns[NETS[seat]].mean() - usual.columns[NETS[seat]].mean())
    return total / SEATS


def test_it_is_stronger_than_fast() -> None:
    assert gain("nanning_folk", "rollout", "fast", deals=250, seed=11) > 0


def test_the_records_of_a_world_are_those_of_a_deal() -> None:
    """The kernels of the deal find the parts of a world by the same names."""
    assert set(DEAL.names or ()) - set(WORLD.names or ()) == {"scratch"}
