"""Players against their twins: sampled decisions, and whole deals that the twin plays by itself."""

from typing import Any

import pytest

import mjsim
from mjsim.contract import ACTION_NAMES
from mjsim.engine import Plan
from mjsim.errors import PlayerError
from mjsim.players import BUILTIN, players_for_seats
from mjsim.rules import load_rules
from mjsim.transcript.events import Replayer, label_choices
from tests.naive.deal import Deal
from tests.naive.players import play, play_fast, view_of
from tests.naive.wall import PURPOSE_PLAYER, Stream

SEED = 77
FAST_DECISIONS = 5000


def replayer(players: str, **overrides: Any) -> Replayer:
    return Replayer(Plan(load_rules("liuzhou", **overrides), players_for_seats(players), SEED))


@pytest.mark.parametrize("part", range(10))
def test_fast_decides_as_its_twin(part: int) -> None:
    """Deals in which one seat is `fast` and the others `noisy`, so that it meets odd situations too."""
    compared = 0
    deal = part * 10_000
    shown = replayer("fast,noisy,noisy,noisy")
    while compared < FAST_DECISIONS // 10:
        replay = shown.show(deal)
        twin = Deal(SEED, deal, int(replay.row["dealer"]))
        decisions = iter(replay.decisions)
        while twin.phase != "over":
            answers = {}
            for seat, legal in twin.asked():
                given = next(decisions)
                answers[seat] = given["action"]
                if seat == 0:
                    wanted = play_fast(view_of(twin, 0, 2), legal, Stream(SEED, deal, PURPOSE_PLAYER))
                    assert given["action"] == wanted, (deal, given, wanted)
                    compared += 1
            twin.act(answers)
        deal += 1
    assert compared >= FAST_DECISIONS // 10


@pytest.mark.parametrize(
    ("players", "first", "deals"),
    [("random", start, 125) for start in range(0, 500, 125)] + [("noisy", 0, 50), ("fast", 0, 50)],
)
def test_the_twin_plays_the_same_deals(players: str, first: int, deals: int) -> None:
    shown = replayer(players)
    for number in range(first, first + deals):
        replay = shown.show(number)
        _, decisions, row = play(SEED, number, number % 4, (players,) * 4)
        assert replay.decisions == decisions
        assert [replay.row[f"net_{seat}"] for seat in range(4)] == [row[f"net_{seat}"] for seat in range(4)]


def test_players_sit_where_they_are_put() -> None:
    shown = replayer("random,fast,noisy,fast").show(3)
    assert shown.events[0]["players"] == ["random", "fast", "noisy", "fast"]
    _, decisions, _ = play(SEED, 3, 3, ("random", "fast", "noisy", "fast"))
    assert shown.decisions == decisions


@pytest.mark.parametrize("fish", [0, 1, 2])
def test_fast_takes_the_lowest_free_labels(fish: int) -> None:
    result = mjsim.simulate("liuzhou", deals=8, seed=1, fish=fish)
    for deal in range(8):
        order = [(deal + offset) % 4 for offset in range(4)]
        labels = [int(result.columns[f"fish_labels_{seat}"][deal]) for seat in order]
        taken = [((1 << fish) - 1) << (fish * position) for position in range(4)]
        assert labels == taken


def test_a_players_own_limit_is_the_rules_limit() -> None:
    rules = load_rules("liuzhou", max_labels=1)
    result = mjsim.simulate(rules, deals=200, seed=1, players="fast,random,noisy,random")
    for seat in range(4):
        assert max(int(labels).bit_count() for labels in result.columns[f"fish_labels_{seat}"]) == 1


def test_label_choices_are_all_sets_of_at_most_two() -> None:
    assert len(label_choices(0xFF)) == 1 + 8 + 28


@mjsim.player
def hasty(view: Any, legal: Any, rng: Any) -> Any:
    """Win when it may, else throw the lowest tile; never claim."""
    if legal.win:
        return mjsim.WIN * 256 + view.table.tile
    for tile in range(34):
        if mjsim.has(legal.discard, tile):
            return mjsim.DISCARD * 256 + tile
    if legal.passing:
        return mjsim.PASS
    return mjsim.FISH * 256


@mjsim.player
def cheat(view: Any, legal: Any, rng: Any) -> Any:
    """Discard what it does not hold, from the third turn on."""
    for tile in range(34):
        if legal.discard and view.table.discard_count > 8 and not mjsim.has(legal.discard, tile):
            return mjsim.DISCARD * 256 + tile
    if legal.discard:
        return mjsim.DISCARD * 256 + mjsim.lowest(legal.discard)
    return mjsim.PASS if legal.passing else mjsim.FISH * 256


@mjsim.player
def dice(view: Any, legal: Any, rng: Any) -> Any:
    """Discard the first kind it holds from a random one upwards."""
    if legal.discard:
        start = mjsim.below(rng, 34)
        for step in range(34):
            tile = (start + step) % 34
            if mjsim.has(legal.discard, tile):
                return mjsim.DISCARD * 256 + tile
    return mjsim.PASS if legal.passing else mjsim.FISH * 256


def test_a_users_own_player_plays_beside_the_built_in_ones() -> None:
    result = mjsim.simulate("liuzhou", deals=2000, seed=5, players=[hasty, "fast", "fast", "fast"])
    assert sum(int(result.columns[f"net_{seat}"].sum()) for seat in range(4)) == 0
    assert (result.columns["melds_0"] == 0).all()
    assert (result.columns["fish_labels_0"] == 0).all()
    again = mjsim.simulate("liuzhou", deals=500, first=1500, seed=5, players=[hasty, "fast", "fast", "fast"], threads=1)
    assert (again.columns["net_0"] == result.columns["net_0"][1500:]).all()
    assert result.manifest().players[0].name == "hasty"
    assert len(result.manifest().players[0].source_hash) == 16


def test_a_users_own_player_has_random_words_of_its_own_seat() -> None:
    both = mjsim.simulate("liuzhou", deals=300, seed=5, players=[dice, dice, "fast", "fast"])
    again = mjsim.simulate("liuzhou", deals=300, seed=5, players=[dice, dice, "fast", "fast"], chunk=7, threads=2)
    assert all((both.columns[name] == again.columns[name]).all() for name in both.columns)
    assert (both.columns["net_0"] != both.columns["net_1"]).any()


def test_an_illegal_action_is_named() -> None:
    with pytest.raises(PlayerError, match=r"deal \d+, seat 2: player 'cheat' chose action \d+ \(discard \d.\), which"):
        mjsim.simulate("liuzhou", deals=50, seed=5, players=["fast", "fast", cheat, "fast"])


@pytest.mark.parametrize(
    ("choice", "message"), [("slow", "seat 0: no player is called 'slow'"), ("fast,fast", "2 players")]
)
def test_unknown_players_are_refused(choice: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        players_for_seats(choice)


def test_action_names_match_the_numbers() -> None:
    assert ACTION_NAMES.index("kong_concealed") == mjsim.KONG_CONCEALED
    assert ACTION_NAMES.index("fish") == mjsim.FISH
    assert set(BUILTIN) == {"random", "fast", "noisy", "rollout", "value"}
