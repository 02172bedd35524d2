"""The twin of the deal, its players and the referee, tried on self-played deals and on walls made by hand."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from .actions import (
    CHOW_MIDDLE,
    DISCARD,
    FISH,
    KONG,
    KONG_ADDED,
    KONG_CONCEALED,
    PASS,
    PUNG,
    WIN,
    action,
    kind_of,
)
from .deal import Deal
from .made_walls import kinds, legal_of, say, settled, stacked, step
from .players import Decision, play, play_on
from .referee import check, row
from .tiles import name, parse

NO_FISH = {"fishing": False}


# ---- whole deals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("player", "first", "number"),
    [("random", 0, 20), ("fast", 20, 2), ("noisy", 30, 4)],
    ids=["random", "fast", "noisy"],
)
def test_self_play_passes_the_referee(player: str, first: int, number: int) -> None:
    for deal in range(first, first + number):
        events, decisions, values = play(5, deal, deal % 4, (player,) * 4)
        assert check(events, decisions, seed=5, deal=deal, dealer=deal % 4) == []
        assert values["draws"] + values["left"] == 75
        assert sum(values[f"net_{seat}"] for seat in range(4)) == 0
        assert values["hand_0"] + values["kongs_0"] == sum(values[f"flow_0{other}"] for other in (1, 2, 3))


@pytest.mark.parametrize(
    "options",
    [
        {"fishing": False},
        {"reserve": "picked", "chow": False},
        {"last_tile_discard": False, "pass_lock": False},
        {"rob_kong": False, "third_party": False},
    ],
    ids=str,
)
def test_options_pass_the_referee(options: dict[str, Any]) -> None:
    for deal in range(4):
        players = ("noisy", "random", "fast", "random")
        events, decisions, values = play(6, deal, deal % 4, players, fish=1, options=options)
        assert check(events, decisions, seed=6, deal=deal, dealer=deal % 4, fish=1, options=options) == []
        live = 83 if not options.get("fishing", True) else 75
        if options.get("reserve") == "picked":
            live = 83 - sum(bin(values[f"fish_labels_{seat}"]).count("1") for seat in range(4))
        assert values["draws"] + values["left"] == live


@pytest.fixture(scope="module")
def replay() -> tuple[list[dict[str, Any]], list[Decision]]:
    events, decisions, _ = play(7, 1, 1)
    return events, decisions


def test_every_corrupted_line_is_reported(replay: tuple[list[dict[str, Any]], list[Decision]]) -> None:
    events, decisions = replay
    for number, event in enumerate(events):
        for key, value in event.items():
            if key in ("players", "rules", "case"):
                continue
            wrong = copy.deepcopy(events)
            wrong[number][key] = value + 1 if isinstance(value, int) else "9z"
            assert check(wrong, decisions, seed=7, deal=1, dealer=1), f"event {number}: {key}"
        without = events[:number] + events[number + 1 :]
        assert check(without, decisions, seed=7, deal=1, dealer=1), f"event {number} left out"


def test_every_corrupted_decision_is_reported(replay: tuple[list[dict[str, Any]], list[Decision]]) -> None:
    events, decisions = replay
    for number, decision in enumerate(decisions):
        changes = {"seat": (decision["seat"] + 1) % 4, "phase": "other", "legal": decision["legal"][:-1], "event": -1}
        for key, value in changes.items():
            wrong = copy.deepcopy(decisions)
            wrong[number][key] = value
            problems = check(events, wrong, seed=7, deal=1, dealer=1)
            assert any(f"decision {number}" in problem for problem in problems), f"{number}: {key}"


def test_a_corrupted_settlement_is_reported(replay: tuple[list[dict[str, Any]], list[Decision]]) -> None:
    events, decisions = replay
    case = events[-1]["case"]
    for key in ("how", "dealer", "hands", "melds", "fish"):
        wrong = copy.deepcopy(events)
        wrong[-1]["case"][key] = "drawn" if key == "how" else 3 if key == "dealer" else case[key][::-1]
        problems = check(wrong, decisions, seed=7, deal=1, dealer=1)
        assert any(key in problem for problem in problems), key
    wrong = copy.deepcopy(events)
    wrong[-1]["case"]["expect"]["net"][0] += 1
    assert any("does not sum to 0" in problem for problem in check(wrong, decisions, seed=7, deal=1, dealer=1))


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(ValueError, match="no_such"):
        Deal(1, 1, 0, {"no_such": 1})


def test_an_illegal_action_is_refused() -> None:
    deal = Deal(1, 1, 0, NO_FISH)
    with pytest.raises(ValueError, match="illegal action 0"):
        deal.act({0: action(PASS)})


# ---- fish --------------------------------------------------------------------------------------------------------


def test_fish_are_taken_once_and_revealed_at_the_end() -> None:
    deal = Deal(3, 0, 2)
    assert [len(legal) for _, legal in deal.asked()] == [1 + 8 + 28]
    deal.act({2: action(FISH, 0b10000001)})
    assert len(legal_of(deal, 3)) == 1 + 6 + 15
    for seat in (3, 0, 1):
        assert action(FISH, 0b1) not in legal_of(deal, seat)
        deal.act({seat: action(FISH, 0)})
    assert deal.events[0]["fish_labels"] == [[], [], [1, 8], []]
    deal.players = ["random"] * 4
    play_on(deal)
    assert settled(deal)["fish"][2] == [name(deal.wall[128]), name(deal.wall[135])]


# ---- hands made by hand ------------------------------------------------------------------------------------------

# Without chows, so that a seat after the discarder has no more to say than another.
PLAIN = {"fishing": False, "chow": False}

READY_ON_5P = "123m456m789s46p55z"
DULL_0 = "147m258p369s22334z"  # fourteen tiles, far from anything, with one 5p
DULL_1 = "258m369p147s2347z"
DULL_2 = "369m147p258s2347z"


def lock_wall() -> list[int]:
    """Seat 1 waits for 5p; seat 0 is dealt two of them and draws another, seat 3 has the last one."""
    return stacked(["147m258p369s1234z5p", READY_ON_5P, "369m147p258s1234z", "258m369p147s123z5p"], "6z6z6z5p")


def test_a_declined_win_locks_the_kind_until_the_next_draw() -> None:
    deal = Deal(1, 0, 0, PLAIN, wall=lock_wall())
    step(deal, s0=say(DISCARD, "5p"))
    assert deal.asked() == [(1, [action(PASS), say(WIN, "5p")])]
    step(deal)
    assert kinds(deal)[-3:] == ["discard", "pass", "draw"]
    assert not deal.locked[1]  # seat 1 itself has drawn
    step(deal, s1=say(DISCARD, "6z"))
    step(deal, s2=say(DISCARD, "6z"))
    step(deal, s3=say(DISCARD, "5p"))
    assert deal.asked() == [(1, [action(PASS), say(WIN, "5p")])]
    step(deal)
    assert deal.locked[1] == {parse("5p")[0]}
    step(deal, s0=say(DISCARD, "5p"))  # locked: seat 1 is not asked but draws
    assert kinds(deal)[-2:] == ["discard", "draw"]
    assert deal.blocked == [0, 1, 0, 0]
    assert deal.turn == 1
    assert not deal.locked[1]


def test_claiming_otherwise_than_by_winning_also_locks() -> None:
    deal = Deal(1, 0, 0, NO_FISH, wall=lock_wall())
    step(deal, s0=say(DISCARD, "5p"))
    assert legal_of(deal, 1) == [action(PASS), say(WIN, "5p"), say(CHOW_MIDDLE, "5p")]
    step(deal, s1=say(CHOW_MIDDLE, "5p"))
    assert kinds(deal)[-3:] == ["discard", "pass", "chow"]
    assert deal.events[-1] == {"event": "chow", "seat": 1, "tile": "5p", "from": 0, "tiles": ["4p", "5p", "6p"]}
    assert deal.locked[1] == {parse("5p")[0]}


def test_without_the_option_nothing_locks() -> None:
    deal = Deal(1, 0, 0, {**PLAIN, "pass_lock": False}, wall=lock_wall())
    for seat, tile in enumerate(["5p", "6z", "6z", "5p", "5p"]):
        step(deal, **{f"s{seat % 4}": say(DISCARD, tile)})
        if tile == "5p":
            assert say(WIN, "5p") in legal_of(deal, 1)
            step(deal)
    assert deal.blocked == [0, 0, 0, 0]


def test_the_dealer_wins_his_dealt_tiles() -> None:
    wall = stacked([READY_ON_5P + "5p", DULL_1, DULL_2, "147m258p369s1234z"], "")
    deal = Deal(1, 0, 0, PLAIN, wall=wall)
    assert legal_of(deal, 0)[0] == say(WIN, "5p")
    step(deal, s0=say(WIN, "5p"))
    case = settled(deal)
    assert (case["moment"], case["tile"], case["hands"][0]) == ("dealt", "5p", "123456m46p789s55z")
    assert "from" not in case
    assert case["expect"]["net"] == [6, -2, -2, -2]
    assert deal.next_dealer() == 0


def test_first_draw_survives_another_seats_concealed_kong() -> None:
    wall = stacked(["1111z47m258p369s23z", READY_ON_5P, DULL_1, DULL_2], "5p", ends="6z")
    deal = Deal(1, 0, 0, PLAIN, wall=wall)
    step(deal, s0=say(KONG_CONCEALED, "1z"))
    assert deal.events[-1] == {"event": "draw", "seat": 0, "tile": "6z", "from": "end", "left": 82}
    step(deal, s0=say(DISCARD, "6z"))
    step(deal, s1=say(WIN, "5p"))
    assert settled(deal)["moment"] == "first_draw"
    assert settled(deal)["expect"] == {
        "hand": [-2, 6, -2, -2],
        "kongs": [3, -1, -1, -1],
        "fish": [0, 0, 0, 0],
        "net": [1, 5, -3, -3],
        "types": ["concealed_hand"],
    }


def test_first_draw_does_not_survive_a_claim() -> None:
    wall = stacked([DULL_0, DULL_1, "369m1p55p258s2347z", READY_ON_5P], "5p")
    deal = Deal(1, 0, 0, PLAIN, wall=wall)
    step(deal, s0=say(DISCARD, "5p"))
    step(deal, s2=say(PUNG, "5p"))
    step(deal, s2=say(DISCARD, "7z"))
    step(deal, s3=say(WIN, "5p"))
    assert "moment" not in settled(deal)


def test_two_seats_win_the_dealers_first_discard_after_his_kong() -> None:
    wall = stacked(["1111z47m258p36s223z", READY_ON_5P, DULL_2, "123s456s789m46p66z"], "", ends="4z")
    deal = Deal(1, 0, 0, PLAIN, wall=wall)
    step(deal, s0=say(KONG_CONCEALED, "1z"))
    step(deal, s0=say(DISCARD, "5p"))
    step(deal, s1=say(WIN, "5p"), s3=say(WIN, "5p"))
    case = settled(deal)
    assert (case["moment"], case["chain"], case["winners"], case["from"]) == ("first_discard", ["1z"], [1, 3], 0)
    assert [event["seat"] for event in deal.events if event["event"] == "win"] == [1, 3]
    assert case["expect"]["hand"] == [-12, 6, 0, 6]
    assert "types" not in case["expect"]
    values = row(deal)
    assert (values["payer"], values["next_dealer"], values["winners"], values["chain"]) == (0, 0, 0b1010, 1)


def before_added_kong(options: dict[str, Any]) -> Deal:
    """Seat 2 has punged the dealer's 5p, which seat 1 let go, and has just drawn the fourth."""
    wall = stacked([DULL_0, READY_ON_5P, "369m1p55p258s2347z", DULL_1], "6z6z6z5p", ends="7z")
    deal = Deal(1, 0, 0, {**PLAIN, **options}, wall=wall)
    step(deal, s0=say(DISCARD, "5p"))
    step(deal, s2=say(PUNG, "5p"))
    assert kinds(deal)[-3:] == ["discard", "pass", "pung"]
    assert {kind_of(number) for number in legal_of(deal, 2)} == {DISCARD}
    step(deal, s2=say(DISCARD, "7z"))
    for seat in (3, 0, 1):
        step(deal, **{f"s{seat}": say(DISCARD, "6z")})
    step(deal, s2=say(KONG_ADDED, "5p"))
    return deal


def test_an_added_kong_is_robbed() -> None:
    deal = before_added_kong({})
    assert deal.events[-1] == {"event": "kong+", "seat": 2, "tile": "5p", "from": 0}
    assert deal.asked() == [(1, [action(PASS), say(WIN, "5p")])]
    assert {deal.whereabouts()[tile] for tile in range(34)} == {4}
    step(deal, s1=say(WIN, "5p"))
    case = settled(deal)
    assert (case["how"], case["from"], case["chain"]) == ("rob_kong", 2, ["5p"])
    assert case["melds"][2] == ["pung 5p <0"]
    assert case["expect"]["net"] == [0, 1, -1, 0]
    values = row(deal)
    assert (values["robbed"], values["kongs_added_2"], values["chain"], values["payer"]) == (1, 0, 1, -1)
    assert {deal.whereabouts()[tile] for tile in range(34)} == {4}


def test_an_added_kong_is_let_go() -> None:
    deal = before_added_kong({})
    step(deal)
    assert kinds(deal)[-3:] == ["kong+", "pass", "draw"]
    assert deal.events[-1]["from"] == "end"
    assert deal.melds[2][0].text() == "kong+ 5p <0"


def test_without_the_option_nobody_robs() -> None:
    deal = before_added_kong({"rob_kong": False})
    assert kinds(deal)[-2:] == ["kong+", "draw"]


def test_a_direct_kong_wins_on_its_replacement() -> None:
    hands = [DULL_0, DULL_1, "555p123m456m46s55z", DULL_2]
    deal = Deal(1, 0, 0, PLAIN, wall=stacked(hands, "", ends="5s"))
    step(deal, s0=say(DISCARD, "5p"))
    assert legal_of(deal, 2) == [action(PASS), say(PUNG, "5p"), say(KONG, "5p")]
    step(deal, s2=say(KONG, "5p"))
    step(deal, s2=say(WIN, "5s"))
    case = settled(deal)
    assert case["chain"] == ["5p"]
    assert "moment" not in case
    assert case["expect"]["net"] == [-7, 0, 7, 0]
    values = row(deal)
    assert (values["payer"], values["ready_draw_2"], values["kongs_direct_2"]) == (0, 0, 1)


# ---- the last tile -----------------------------------------------------------------------------------------------


def last_draw(seat_1: str, seat_3: str, last: str, options: dict[str, Any]) -> Deal:
    """Everybody throws away what he draws and claims nothing, until seat 3 has drawn the last tile."""
    wall = stacked(["147m268p369s22334z", seat_1, DULL_1, seat_3], "", ends=last)
    deal = Deal(1, 0, 0, {**PLAIN, **options}, wall=wall)
    step(deal, s0=say(DISCARD, "3z"))
    while deal.live:
        if deal.phase == "reaction":
            step(deal)
        else:
            assert deal.drawn is not None
            step(deal, **{f"s{deal.turn}": action(DISCARD, deal.drawn)})
    return deal


WAITING_1 = "123456m789s46p11z"  # for 5p
WAITING_3 = "123456m555p46s11z"  # for 5s


def test_the_last_tile_is_won_on_the_discard() -> None:
    deal = last_draw(WAITING_1, DULL_2, "5p", {})
    assert deal.turn == 3
    assert {kind_of(number) for number in legal_of(deal, 3)} == {DISCARD}
    step(deal, s3=say(DISCARD, "5p"))
    assert deal.asked() == [(1, [action(PASS), say(WIN, "5p")])]
    step(deal, s1=say(WIN, "5p"))
    assert settled(deal)["last_tile"] is True
    assert settled(deal)["expect"]["types"] == ["concealed_hand", "last_tile_claim"]
    assert settled(deal)["expect"]["net"] == [0, 1, 0, -1]


def test_after_the_last_discard_the_deal_is_drawn() -> None:
    deal = last_draw(WAITING_1, DULL_2, "5p", {})
    step(deal, s3=say(DISCARD, "5p"))
    step(deal)
    assert kinds(deal)[-4:] == ["discard", "pass", "drawn", "settled"]
    assert settled(deal)["how"] == "drawn"
    values = row(deal)
    assert (values["left"], values["draws"], values["next_dealer"], values["win_tile"]) == (0, 83, 0, -1)


def test_on_the_last_discard_nobody_may_pung() -> None:
    deal = last_draw(WAITING_1, DULL_2, "1z", {})
    step(deal, s3=say(DISCARD, "1z"))  # seat 1 holds two of them
    assert kinds(deal)[-3:] == ["discard", "drawn", "settled"]


def test_the_last_tile_is_not_played_out_without_the_option() -> None:
    deal = last_draw(WAITING_1, DULL_2, "5p", {"last_tile_discard": False})
    assert kinds(deal)[-3:] == ["draw", "drawn", "settled"]


@pytest.mark.parametrize(("playing_out", "otherwise"), [(True, DISCARD), (False, PASS)], ids=["discard", "pass"])
def test_the_drawer_of_the_last_tile_may_win_it(playing_out: bool, otherwise: int) -> None:
    deal = last_draw(DULL_2, WAITING_3, "5s", {"last_tile_discard": playing_out})
    assert {kind_of(number) for number in legal_of(deal, 3)} == {WIN, otherwise}
    step(deal, s3=say(WIN, "5s"))
    assert settled(deal)["expect"]["types"] == ["concealed_hand", "last_tile_draw"]
    assert settled(deal)["expect"]["net"] == [-4, -4, -4, 12]


def test_the_drawer_of_the_last_tile_may_not_kong_it() -> None:
    deal = last_draw(DULL_2, WAITING_3, "5p", {})  # the fourth 5p
    assert {kind_of(number) for number in legal_of(deal, 3)} == {DISCARD}
