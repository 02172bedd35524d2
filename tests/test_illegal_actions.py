"""Players that cheat: whatever they try, the run stops with a message that says who did what, and nothing is kept."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.contract import describe
from mjsim.engine import Plan
from mjsim.errors import PlayerError
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.simulation import simulate_to_folder

PLAIN = dict.fromkeys(("net_0", "net_1", "net_2", "net_3"))


@mjsim.player
def honest(view: Any, legal: Any, rng: Any) -> Any:
    """Win when it may, never claim, throw the lowest tile."""
    if legal.win:
        return mjsim.WIN * 256 + view.table.tile
    if legal.discard:
        return mjsim.DISCARD * 256 + mjsim.lowest(legal.discard)
    return mjsim.PASS if legal.passing else mjsim.FISH * 256


@mjsim.player
def widens_what_is_legal(view: Any, legal: Any, rng: Any) -> Any:
    """Allow itself a discard that it does not hold, and make it."""
    if legal.discard:
        for tile in range(34):
            if not mjsim.has(legal.discard, tile):
                legal.discard |= np.uint64(1) << np.uint64(tile)
                return mjsim.DISCARD * 256 + tile
    return mjsim.PASS if legal.passing else mjsim.FISH * 256


@mjsim.player
def wishes_for_a_win(view: Any, legal: Any, rng: Any) -> Any:
    """Allow itself to win."""
    if legal.discard and view.table.tile >= 0:
        legal.win = np.uint64(1) << np.uint64(view.table.tile)
        return mjsim.WIN * 256 + view.table.tile
    return mjsim.PASS if legal.passing else mjsim.FISH * 256


@mjsim.player
def swaps_its_tiles(view: Any, legal: Any, rng: Any) -> Any:
    """Change its own hand in the count of each kind."""
    if legal.discard:
        thrown = mjsim.lowest(legal.discard)
        view.own.counts[thrown] -= 1
        view.own.counts[33 - thrown] += 1
        return mjsim.DISCARD * 256 + thrown
    return mjsim.PASS if legal.passing else mjsim.FISH * 256


@mjsim.player
def unlocks_itself(view: Any, legal: Any, rng: Any) -> Any:
    """Say that it waits for everything, when it passes."""
    if legal.passing:
        view.own.waits = np.uint64((1 << 34) - 1)
        return mjsim.PASS
    return mjsim.DISCARD * 256 + mjsim.lowest(legal.discard) if legal.discard else mjsim.FISH * 256


@mjsim.player
def takes_the_deal(view: Any, legal: Any, rng: Any) -> Any:
    """Make itself the dealer."""
    view.table.dealer = view.own.seat
    return mjsim.FISH * 256


@mjsim.player
def doubles_the_prices(view: Any, legal: Any, rng: Any) -> Any:
    """Change the rules."""
    for column in range(4):
        view.rules.price[0, column] *= 2
    return mjsim.FISH * 256


@mjsim.player
def spoils_the_tables(view: Any, legal: Any, rng: Any) -> Any:
    """Change the evaluator's tables in a place that no hand of this deal leads to, and play on."""
    view.tables.best[view.tables.best.shape[0] - 1] ^= np.uint32(1)
    if legal.discard:
        return mjsim.DISCARD * 256 + mjsim.lowest(legal.discard)
    return mjsim.PASS if legal.passing else mjsim.FISH * 256


@mjsim.player
def answers_nonsense(view: Any, legal: Any, rng: Any) -> Any:
    """Return what is no action at all."""
    return -7


@mjsim.player
def reads_past_the_end(view: Any, legal: Any, rng: Any) -> Any:
    """Look for other hands behind its own."""
    return mjsim.FISH * 256 + view.own.counts[34 + view.table.phase]


CHEATS = [
    (widens_what_is_legal, r"chose action \d+ \(discard \d[mpsz]\) after writing into legal, which it must not"),
    (wishes_for_a_win, r"chose action \d+ \(win \d[mpsz]\) after writing into legal, which it must not"),
    (swaps_its_tiles, r"chose action \d+ \(discard \d[mpsz]\) after writing into view.own, which it must not"),
    (unlocks_itself, r"chose action 0 \(pass\) after writing into view.own, which it must not"),
    (takes_the_deal, r"chose action 2560 \(fish\) after writing into view.table, which it must not"),
    (doubles_the_prices, r"chose action 2560 \(fish\) after writing into view.rules, which it must not"),
    (answers_nonsense, r"chose action -7 \(no action\), which is not legal"),
]


def seats_with(player: Any) -> list[Any]:
    """A player in seat 3, where the dealer of deal 0 does not sit."""
    return ["fast", "fast", "fast", player]


@pytest.mark.parametrize(("player", "message"), CHEATS, ids=[player.name for player, _ in CHEATS])
def test_a_cheat_is_named(player: Any, message: str) -> None:
    with pytest.raises(PlayerError, match=rf"^deal \d+, seat 3: player '{player.name}' {message}$"):
        mjsim.simulate("liuzhou", deals=40, seed=5, players=seats_with(player))


def test_who_writes_into_the_tables_is_found_out_after_the_deals() -> None:
    message = r"^deals 0 to 19, seat 3: a player wrote into view.tables, which it must not$"
    with pytest.raises(PlayerError, match=message):
        mjsim.simulate("liuzhou", deals=20, seed=5, players=seats_with(spoils_the_tables))


def test_who_reads_past_the_end_of_an_array_is_stopped() -> None:
    with pytest.raises(PlayerError, match=r"^deal 0: a player raised IndexError"):
        mjsim.simulate("liuzhou", deals=20, seed=5, players=seats_with(reads_past_the_end))


@pytest.mark.parametrize("player", [doubles_the_prices, spoils_the_tables, takes_the_deal, swaps_its_tiles])
def test_nothing_that_a_cheat_wrote_outlives_it(player: Any) -> None:
    before = mjsim.simulate("liuzhou", deals=200, seed=6, players="fast")
    with pytest.raises(PlayerError):
        mjsim.simulate("liuzhou", deals=20, seed=5, players=seats_with(player))
    after = mjsim.simulate("liuzhou", deals=200, seed=6, players="fast")
    assert all((before.columns[name] == after.columns[name]).all() for name in PLAIN)


def test_a_cheat_leaves_no_run_behind(tmp_path: Path) -> None:
    plan = Plan(load_rules("liuzhou"), players_for_seats(seats_with(widens_what_is_legal)), seed=5)
    with pytest.raises(PlayerError, match="seat 3: player 'widens_what_is_legal'"):
        simulate_to_folder(plan, tmp_path / "run", deals=100)
    assert list(tmp_path.iterdir()) == []


def test_an_honest_player_plays_as_it_would_unguarded() -> None:
    """`eager` and the like are held to golden deals elsewhere; here: the guard changes no answer and no random word."""
    as_guest = mjsim.simulate("liuzhou", deals=300, seed=5, players=seats_with(honest))
    assert sum(int(as_guest.columns[name].sum()) for name in PLAIN) == 0
    assert (as_guest.columns["melds_3"] == 0).all()


def test_actions_are_described() -> None:
    assert describe(mjsim.CHOW_HIGH * 256 + 8) == "1288 (chow_high 9m)"
    assert describe(mjsim.FISH * 256 + 3) == "2563 (fish)"
    assert describe(1 << 40) == f"{1 << 40} (no action)"
