"""What only the Nanning rulesets have in a deal, on walls made by hand."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from .actions import DISCARD, KONG, KONG_ADDED, KONG_CONCEALED, PASS, PUNG, WIN, action, kind_of
from .deal import Deal
from .made_walls import kinds, legal_of, say, settled, stacked, step, throw_draws
from .referee import row
from .tiles import name, parse

FOLK, LAIYOUXI = "nanning_folk", "nanning_laiyouxi"
BOTH = pytest.mark.parametrize("rules", [FOLK, LAIYOUXI])

READY_ON_5P = "123m456m789s46p55z"  # an ordinary concealed hand
DULL_0 = "147m258p369s22334z"  # fourteen tiles, far from anything, with one 5p
DULL_1 = "258m369p147s2347z"
DULL_2 = "369m147p258s2347z"


def made(rules: str, hands: list[str], draws: str = "", ends: str = "", **options: Any) -> Deal:
    return Deal(1, 0, 0, options, wall=stacked(hands, draws, ends), rules=rules)


def kinds_of_action(deal: Deal, seat: int) -> set[int]:
    return {kind_of(number) for number in legal_of(deal, seat)}


def hand_by_horses(deal: Deal) -> list[float]:
    """The hand payments without what the horses add."""
    return [points / (1 + row(deal)["horse_hits"]) for points in settled(deal)["expect"]["hand"]]


# ---- sealed ------------------------------------------------------------------------------------------------------


def sealing(rules: str, **options: Any) -> Deal:
    """Seat 0, whose all-pungs hand waits for 4p and 5p, has given seat 1 three pungs; seat 2 is about to throw 4p."""
    hands = ["111222333m4455p6s", "667788s79p22z677z", "147m258p147s3456z", "258m369p369s1345z"]
    deal = made(rules, hands, "3z4z7s5z1z8s4p9m5p8p", **options)
    for thrown, kept in (("6s", "6z"), ("7s", "7z"), ("8s", "7z")):
        step(deal, s0=say(DISCARD, thrown))
        step(deal, s1=say(PUNG, thrown))
        step(deal, s1=say(DISCARD, kept))
        if thrown != "8s":
            throw_draws(deal, *(("3z", "4z") if thrown == "6s" else ("5z", "1z")))
    return deal


@BOTH
def test_a_sealed_seat_may_pung_but_not_win(rules: str) -> None:
    deal = sealing(rules)
    assert deal.blocked == [0, 0, 0, 0]
    step(deal, s2=say(DISCARD, "4p"))
    assert legal_of(deal, 0) == [action(PASS), say(PUNG, "4p")]
    step(deal)
    assert kinds(deal)[-2:] == ["discard", "draw"]  # no win is let go, so no pass is written
    throw_draws(deal, "9m")
    assert (deal.turn, deal.drawn) == (0, parse("5p")[0])
    assert kinds_of_action(deal, 0) == {DISCARD}
    assert deal.blocked == [2, 0, 0, 0]
    step(deal, s0=say(DISCARD, "5p"))
    step(deal, s1=say(WIN, "8p"))
    worth = {FOLK: [-9, 9, 0, 0], LAIYOUXI: [-18, 18, 0, 0]}
    assert hand_by_horses(deal) == worth[rules]
    values = row(deal)
    assert (values["blocked_0"], values["links"], values["payer"]) == (2, 1 << 4, 0)


def test_a_priceless_hand_is_not_blocked_by_a_seal() -> None:
    hands = ["123456m789p46s55z6s", "667788s79p22z677z", "147m258p137s3456z", "258m369p39s11334z"]
    deal = made(FOLK, hands, "3z4z7s5z1z8s5s")
    for thrown, kept, draws in (("6s", "6z", ["3z", "4z"]), ("7s", "7z", ["5z", "1z"]), ("8s", "7z", [])):
        step(deal, s0=say(DISCARD, thrown))
        step(deal, s1=say(PUNG, thrown))
        step(deal, s1=say(DISCARD, kept))
        throw_draws(deal, *draws)
    step(deal, s2=say(DISCARD, "5s"))
    assert kinds(deal)[-1] == "draw"
    assert deal.blocked == [0, 0, 0, 0]


# ---- wins that an event prices -----------------------------------------------------------------------------------


@BOTH
def test_the_dealers_dealt_tiles_win(rules: str) -> None:
    deal = made(rules, [READY_ON_5P + "5p", DULL_1, DULL_2, "147m258p369s1234z"])
    step(deal, s0=say(WIN, "5p"))
    assert settled(deal)["moment"] == "dealt"
    assert settled(deal)["expect"]["types"] == ["concealed_hand", "heavenly_hand"]
    assert hand_by_horses(deal) == ([24, -8, -8, -8] if rules == FOLK else [150, -50, -50, -50])


@BOTH
def test_a_first_draw_wins(rules: str) -> None:
    deal = made(rules, [DULL_0, READY_ON_5P, DULL_1, DULL_2], "5p")
    step(deal, s0=say(DISCARD, "7m"))
    step(deal, s1=say(WIN, "5p"))
    assert settled(deal)["moment"] == "first_draw"
    share = 8 if rules == FOLK else 4
    assert hand_by_horses(deal) == [-share, 3 * share, -share, -share]


@BOTH
def test_the_dealers_first_discard_wins_and_no_later_one(rules: str) -> None:
    hands = ["147m258p369s1234z5p", READY_ON_5P, "369m147p258s1234z", "258m369p147s123z5p"]
    deal = made(rules, hands, "6z6z6z5p")
    step(deal, s0=say(DISCARD, "5p"))
    assert legal_of(deal, 1) == [action(PASS), say(WIN, "5p")]
    first = copy.deepcopy(deal)
    step(first, s1=say(WIN, "5p"))
    assert settled(first)["moment"] == "first_discard"
    assert settled(first)["expect"]["types"][1] == ("human_hand" if rules == FOLK else "earthly_hand")
    assert hand_by_horses(first) == ([-12, 12, 0, 0] if rules == FOLK else [-50, 50, 0, 0])
    step(deal)
    assert kinds(deal)[-2:] == ["pass", "draw"]
    throw_draws(deal, "6z", "6z", "5p")  # seat 3's 5p completes no more than an ordinary hand
    assert kinds(deal)[-2:] == ["discard", "draw"]
    assert deal.blocked == [0, 0, 0, 0]


def test_the_human_hand_may_count_twice() -> None:
    hands = ["147m258p369s1234z5p", READY_ON_5P, "369m147p258s1234z", "258m369p147s123z5p"]
    deal = made(FOLK, hands, human_hand="double")
    step(deal, s0=say(DISCARD, "5p"))
    step(deal, s1=say(WIN, "5p"))
    assert settled(deal)["options"] == {"human_hand": "double"}
    assert settled(deal)["expect"]["net"] == [-24, 24, 0, 0]


@BOTH
def test_an_ordinary_hand_wins_where_the_option_prices_it(rules: str) -> None:
    hands = ["147m258p369s1234z5p", READY_ON_5P, "369m147p258s1234z", "258m369p147s123z5p"]
    deal = made(rules, hands, "6z6z6z5p", ordinary_discard=2)
    throw_draws(deal, "5p", "6z", "6z")
    step(deal, s3=say(DISCARD, "5p"))
    step(deal, s1=say(WIN, "5p"))
    assert hand_by_horses(deal) == [0, 2, 0, -2]


@BOTH
def test_several_winners_turn_no_horses(rules: str) -> None:
    deal = made(rules, ["147m258p36s11223z5p", READY_ON_5P, DULL_2, "123s456s789m46p66z"])
    step(deal, s0=say(DISCARD, "5p"))
    step(deal, s1=say(WIN, "5p"), s3=say(WIN, "5p"))
    assert "horses" not in settled(deal)
    share = 12 if rules == FOLK else 50
    assert settled(deal)["expect"]["hand"] == [-2 * share, share, 0, share]
    values = row(deal)
    assert [values[f"horse_tile_{place}"] for place in (1, 2, 3, 4)] == [-1] * 4
    assert (values["horse_hits"], values["next_dealer"], values["payer"]) == (0, 0, -1)


@BOTH
def test_a_melded_hands_discard_lets_an_ordinary_hand_win(rules: str) -> None:
    hands = ["147m258p236s12234z", "66778899s55p346z", READY_ON_5P, "258m369p14s23471z"]
    deal = made(rules, hands, "7s8s1z9s")
    for giver, thrown, kept in ((0, "6s", "3z"), (2, "7s", "4z"), (2, "8s", "5p"), (3, "9s", "5p")):
        if giver == 3:
            throw_draws(deal, "1z")
        step(deal, **{f"s{giver}": say(DISCARD, thrown)})
        step(deal, s1=say(PUNG, thrown))
        step(deal, s1=say(DISCARD, kept))
        if thrown == "8s":  # with three melds it is a plain discard, and seat 2 draws
            assert kinds(deal)[-2:] == ["discard", "draw"]
    assert deal.asked() == [(2, [action(PASS), say(WIN, "5p")])]
    step(deal, s2=say(WIN, "5p"))
    assert settled(deal)["expect"]["types"] == ["concealed_hand", "melded_discard"]
    assert hand_by_horses(deal) == [0, -12, 12, 0]


# ---- kongs -------------------------------------------------------------------------------------------------------


def before_robbing(rules: str, first_kong: bool, **options: Any) -> Deal:
    """Seat 2 adds the fourth 5p to its pung, perhaps after a concealed kong; seat 1 waits for it."""
    draws = "6z6z6z1z" if first_kong else "6z6z6z5p"
    hands = [DULL_0, READY_ON_5P, "111z55p369m258s37z", DULL_1]
    deal = made(rules, hands, draws, "5p7z" if first_kong else "7z", **options)
    step(deal, s0=say(DISCARD, "5p"))
    step(deal, s2=say(PUNG, "5p"))
    step(deal, s2=say(DISCARD, "7z"))
    throw_draws(deal, "6z", "6z", "6z")
    if first_kong:
        step(deal, s2=say(KONG_CONCEALED, "1z"))
    step(deal, s2=say(KONG_ADDED, "5p"))
    return deal


@pytest.mark.parametrize(
    ("rules", "first_kong", "worth"), [(FOLK, False, 12), (LAIYOUXI, False, 12), (LAIYOUXI, True, 24)]
)
def test_an_added_kong_is_robbed(rules: str, first_kong: bool, worth: int) -> None:
    deal = before_robbing(rules, first_kong)
    assert deal.asked() == [(1, [action(PASS), say(WIN, "5p")])]
    step(deal, s1=say(WIN, "5p"))
    assert settled(deal)["chain"] == ["1z", "5p"][not first_kong :]
    assert hand_by_horses(deal) == [0, worth, -worth, 0]


@pytest.mark.parametrize(
    ("rules", "first_kong", "options"),
    [(FOLK, True, {}), (FOLK, False, {"rob_kong": False}), (LAIYOUXI, True, {"rob_kong": False})],
)
def test_an_added_kong_is_not_robbed(rules: str, first_kong: bool, options: dict[str, Any]) -> None:
    deal = before_robbing(rules, first_kong, **options)
    assert kinds(deal)[-2:] == ["kong+", "draw"]
    assert deal.events[-1]["from"] == "end"


@BOTH
def test_who_pays_after_a_concealed_and_an_added_kong(rules: str) -> None:
    hands = [DULL_0, DULL_1, "111z55p123m456m8s7z", DULL_2]
    deal = made(rules, hands, "6z6z6z1z", "5p8s")
    step(deal, s0=say(DISCARD, "5p"))
    step(deal, s2=say(PUNG, "5p"))
    step(deal, s2=say(DISCARD, "7z"))
    throw_draws(deal, "6z", "6z", "6z")
    step(deal, s2=say(KONG_CONCEALED, "1z"))
    step(deal, s2=say(KONG_ADDED, "5p"))
    step(deal, s2=say(WIN, "8s"))
    assert settled(deal)["chain"] == ["1z", "5p"]
    assert settled(deal)["expect"]["kongs"] == [-2, -1, 4, -1]
    assert hand_by_horses(deal) == ([-36, 0, 36, 0] if rules == FOLK else [-12, -12, 36, -12])
    assert row(deal)["payer"] == (0 if rules == FOLK else -1)


# ---- the last tile -----------------------------------------------------------------------------------------------

THROWER = "369m369p147s12334z"  # the dealer's fourteen, whose first discard is 3z
LAST_DULL = "258m147p258s4567z"


def until_last(rules: str, hands: list[str], ends: str, **options: Any) -> Deal:
    """Everybody throws away what he draws and claims nothing, until seat 3 has drawn the last tile.

    `ends` are the four tiles for replacements, first drawn first, and the last tile.
    """
    deal = made(rules, hands, "", ends, **options)
    throw_draws(deal, "3z")
    while not deal.last_tile:
        assert deal.drawn is not None
        throw_draws(deal, name(deal.drawn))
    assert (deal.turn, len(deal.live)) == (3, 4)
    return deal


@BOTH
def test_the_last_discard_is_punged_and_the_next_one_won(rules: str) -> None:
    hands = [THROWER, "147m2558p3569s12z", "123m456p789p46s55z", LAST_DULL]
    deal = until_last(rules, hands, "1m1m3m3m5p")
    step(deal, s3=say(DISCARD, "5p"))
    assert deal.asked() == [(1, [action(PASS), say(PUNG, "5p")])]
    step(deal, s1=say(PUNG, "5p"))
    assert kinds_of_action(deal, 1) == {DISCARD}
    step(deal, s1=say(DISCARD, "5s"))
    assert legal_of(deal, 2) == [action(PASS), say(WIN, "5s")]
    step(deal, s2=say(WIN, "5s"))
    assert settled(deal)["last_tile"] is True
    assert settled(deal)["expect"]["types"] == ["concealed_hand", "last_tile_claim"]
    assert hand_by_horses(deal) == [0, -12, 12, 0]
    if rules == LAIYOUXI:  # seat 2 sits opposite the dealer: the threes are his
        assert settled(deal)["horses"] == ["3m", "3m", "1m", "1m"]
        assert settled(deal)["expect"]["net"] == [0, -36, 36, 0]
        assert row(deal)["horse_hits"] == 2


@BOTH
def test_when_nobody_claims_after_the_last_tile_the_deal_is_drawn(rules: str) -> None:
    deal = until_last(rules, [THROWER, "147m2558p3569s12z", "123m456p789p46s55z", LAST_DULL], "1m1m3m3m5p")
    step(deal, s3=say(DISCARD, "5p"))
    step(deal)
    assert kinds(deal)[-3:] == ["discard", "drawn", "settled"]
    assert (row(deal)["left"], row(deal)["next_dealer"], row(deal)["horse_tile_1"]) == (4, 0, -1)


@BOTH
def test_the_last_discard_is_konged_and_its_replacement_wins(rules: str) -> None:
    hands = [THROWER, "555p123m456m46s55z", "147m28p3569s1234z", LAST_DULL]
    deal = until_last(rules, hands, "5s6z2m1m5p")
    step(deal, s3=say(DISCARD, "5p"))
    assert legal_of(deal, 1) == [action(PASS), say(PUNG, "5p"), say(KONG, "5p")]
    step(deal, s1=say(KONG, "5p"))
    assert deal.events[-1] == {"event": "draw", "seat": 1, "tile": "5s", "from": "end", "left": 3}
    step(deal, s1=say(WIN, "5s"))
    case, values = settled(deal), row(deal)
    assert case["expect"]["types"] == ["last_tile_draw", "replacement_win"]
    assert hand_by_horses(deal) == [0, 36, 0, -36]
    assert case["expect"]["kongs"] == [0, 1, 0, -1]
    assert (values["payer"], values["left"]) == (3, 3)
    if rules == LAIYOUXI:  # only three tiles are left to turn over; ranks 2 and 6 are the next seat's, 6z (发) too
        assert case["horses"] == ["1m", "2m", "6z"]
        assert case["expect"]["net"] == [0, 109, 0, -109]
        assert [values[f"horse_tile_{place}"] for place in (1, 2, 3, 4)] == [*parse("1m2m6z"), -1]
        assert values["horse_hits"] == 2


@BOTH
def test_no_kong_of_ones_own_with_the_last_tile_or_a_replacement_after_it(rules: str) -> None:
    hands = [THROWER, "555p2222s47m2288p", "147m28p3569s1234z", "999m147p358s4567z"]
    deal = until_last(rules, hands, "5s6z2m1m5p")
    assert kinds_of_action(deal, 3) == {DISCARD}
    step(deal, s3=say(DISCARD, "5p"))
    step(deal, s1=say(KONG, "5p"))
    assert kinds_of_action(deal, 1) == {DISCARD}  # with four 2s


@BOTH
def test_the_drawer_of_the_last_tile_may_not_kong_it(rules: str) -> None:
    deal = until_last(
        rules, ["368m369p147s12334z", "147m28p3569s1234z", "258m259p2359s456z", "999m147p258s567z7s"], "5s6z2m1m9m"
    )
    assert kinds_of_action(deal, 3) == {DISCARD}


@BOTH
def test_kongs_use_up_the_last_four_tiles(rules: str) -> None:
    hands = ["147m25689p111z555s", "258m369p147s2227z", "123m456p46s99p333z", "369m147p289s4447z"]
    deal = made(rules, hands, "", "2z3z4z5s1z")
    throw_draws(deal, "9p")
    while not deal.last_tile:
        assert deal.drawn is not None
        throw_draws(deal, name(deal.drawn))
    for konging, tile in ((0, "1z"), (1, "2z"), (2, "3z"), (3, "4z")):
        step(deal, **{f"s{deal.turn}": say(DISCARD, tile)})
        step(deal, **{f"s{konging}": say(KONG, tile)})
    step(deal, s3=say(DISCARD, "5s"))
    assert legal_of(deal, 0) == [action(PASS), say(PUNG, "5s")]  # three of them, but nothing to replace a kong with
    assert legal_of(deal, 2) == [action(PASS), say(WIN, "5s")]
    step(deal, s2=say(WIN, "5s"))
    assert settled(deal)["chain"] == ["4z"]
    assert settled(deal)["expect"]["hand"] == [0, 0, 18, -18]
    assert settled(deal).get("horses", []) == []
    assert ("horses" in settled(deal)) == (rules == LAIYOUXI)
    assert row(deal)["left"] == 0


@BOTH
def test_without_the_option_the_last_tile_is_not_played_out(rules: str) -> None:
    hands = [THROWER, "147m2558p3569s12z", "258m28p2389s1246z", "123m456p789p46s55z"]
    deal = until_last(rules, hands, "1m1m3m3m5s", last_tile_discard=False)
    assert kinds_of_action(deal, 3) == {PASS, WIN}
    step(deal)
    assert kinds(deal)[-2:] == ["drawn", "settled"]
