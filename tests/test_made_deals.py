"""Deals told in advance, one for each rule that play meets too rarely: by engine and twin, and against the rules' text.

In every story seat 0 deals. What is expected was worked out from rules.md.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from mjsim.contract import ACTION_NAMES
from mjsim.tiles import parse_tile
from tests.made_walls import Wish
from tests.naive.deal import Deal
from tests.walls import Stories, Story

# Seat 3 waits for 5m, or to claim something else.
TWO_MELDS = "123p456p"

#: Seat 1 makes a pung of 5m (then of 9p a kong) and grows it; seats 2 and 0 wait for 5m, seat 2 having let one go.
GROWN = Wish(
    {
        0: "46m123p456p789s22s",
        1: "555m999p1s1z2z3z4z6z7z",
        2: "46m123p456p789s33s",
        3: "11s9p1289m123456z",
    },
    last="5m",
    ends="7z 7z",
)
GROWING = {1: "pung 5m, discard 1s, kong 9p, kong_added 5m", 3: "pung 1s, discard 9p"}
ROBBERS = {**GROWING, 0: "discard 5m, win 5m", 2: "pass 5m, win 5m"}

#: Seat 1 may win on the dealer's first discard or with its own first draw: 1z or 2z.
READY = "123m456p789s1122z"

#: The last tile, 5z, comes to seat 3 (the 79th draw of 83, four being left); seat 2 can use it.
TO_THE_LAST = "? " * 78 + "5z"

#: Seat 0 gives seat 1 three pungs and so is sealed; then it waits for 7s and 9s, all pungs of one suit.
SEALED = Wish(
    {0: "12m3p111s333s555s7s", 1: "11m22m33p456m8p123z"},
    last="7s",
    draws="4z 5z 9s 6z 4z 9s 9s 1s 8p",
    ends="7s",
)
SEALING = {
    0: "discard 1m, discard 2m, discard 3p, kong 1s, win 7s, win 9s",
    1: "pung 1m, pung 2m, pung 3p, win 8p",
}

#: Seat 1's chain: a concealed kong of 1p, then 5m added to a pung; seat 3 waits for 5m.
INSURED = Wish({1: "55m111p369p2469s4z", 3: "46m789s456p123s11z"}, last="5m", draws="7z 6z 7z 1p", ends="5m 6z")
INSURING = {0: "discard 5m", 1: "pung 5m, kong_concealed 1p, kong_added 5m", 3: "pass 5m, win 5m"}

#: Four pungs, and a last discard, 9s, for which seat 2 waits with an ordinary hand.
MELDED = Wish(
    {1: "11m22m33m44p9s8m567z", 2: "123456789p78s11z"},
    last="1m",
    draws="2m 4z 3m 3z 2z 4p",
)
MELDING = {
    0: "discard 1m, discard 4p",
    1: "pung 1m, pung 2m, pung 3m, pung 4p, discard 9s",
    2: "discard 2m, win 9s",
    3: "discard 3m",
}

LIUZHOU = {
    "no chow across suits": Story(Wish({1: "9m28p159s1234567z"}, last="1p"), {0: "discard 1p"}),
    # 5m completes 234m 55m 11s …; punged instead it leaves a hand that is complete but may not win, having drawn
    # nothing. The fourth 5m is locked, 2m is not.
    "claiming locks": Story(
        Wish({1: "5m", 2: "2m", 3: "234m55m11s" + TWO_MELDS}, last="5m", draws="1z 2z"),
        {0: "discard 5m", 1: "discard 5m", 2: "discard 2m", 3: "pung 5m, discard 2m, win 5m"},
    ),
    "claiming locks one kind": Story(
        Wish({1: "5m", 2: "2m", 3: "234m55m11s" + TWO_MELDS}, last="5m", draws="1z 2z 3z"),
        {0: "discard 5m", 1: "discard 5m", 2: "discard 2m", 3: "pung 5m, discard 2m, win 2m"},
    ),
    "no release by own pung": Story(
        Wish({3: "46m33s999s" + TWO_MELDS}, last="5m", draws="3s 5m 1z 2z 3z 5m"),
        {0: "discard 5m", 3: "pass 5m, pung 3s, discard 9s, win 5m"},
    ),
    "no release by own chow": Story(
        Wish({3: "46m11z789s" + TWO_MELDS}, last="5m", draws="2z 6s 5m 3z 4z 5z 5m"),
        {0: "discard 5m", 3: "pass 5m, chow_low 6s, discard 9s, win 5m"},
    ),
    "release by a replacement": Story(
        Wish({3: "46m99s222s" + TWO_MELDS}, last="5m", draws="2s 5m", ends="7z"),
        {0: "discard 5m", 3: "pass 5m, kong 2s, discard 7z, win 5m"},
    ),
    "a lock binds robbing": Story(GROWN, ROBBERS),
    "two robbers": Story(GROWN, ROBBERS, options={"pass_lock": False}),
    "nobody may rob": Story(GROWN, ROBBERS, options={"pass_lock": False, "rob_kong": False}),
    "a kong makes ready": Story(
        Wish({1: "1111m234p567s88s9p"}, draws="8p", ends="7p"), {1: "kong_concealed 1m, win 7p"}
    ),
    "a kong makes ready for later": Story(
        Wish({1: "1111m234p567s88s9p", 2: "7p"}, draws="8p", ends="4z"),
        {1: "kong_concealed 1m, discard 4z, win 7p", 2: "discard 7p"},
    ),
    # The fourth 1m and a concealed kong of 2p are both harmless in seat 1's second turn.
    "an added kong before a concealed one": Story(
        Wish({1: "11m222288p45s78s7z", 2: "1234567z"}, last="1m", draws="1z 2z 3z 1m", ends="4z 5z"),
        {0: "discard 1m"},
        played_by={1: "fast"},
    ),
    "two winners": Story(
        Wish({1: READY, 2: "234m456p678s111s1z"}, last="1z"), {0: "discard 1z", 1: "win 1z", 2: "win 1z"}
    ),
    "the dealer's own first draw": Story(
        Wish({0: "123456789p23m55s", 1: "8s", 2: "8s", 3: "8s"}, last="9s", draws="2z 3z 4z 4m"),
        {0: "discard 9s, win 4m"},
    ),
    "the second discard of the deal": Story(
        Wish({0: "123456789p23m55s", 1: "4m"}, last="9s", draws="8s"), {0: "discard 9s, win 4m", 1: "discard 4m"}
    ),
}
NANNING = {
    "sealed": Story(SEALED, SEALING),
    "insured": Story(INSURED, INSURING),
    "melded discard": Story(MELDED, MELDING),
    "last tile punged": Story(
        Wish({0: "123456789m78s11z", 2: "55z9s", 3: "5z"}, draws=TO_THE_LAST, ends="9s 9s 9s"),
        {0: "win 9s", 2: "pung 5z, discard 9s"},
    ),
    "last tile konged": Story(
        Wish({1: "99s", 2: "555z123456789m9s"}, draws=TO_THE_LAST, ends="9s 3p 7p 1m"), {2: "kong 5z, win 9s"}
    ),
    "no kong at the end": Story(
        Wish({2: "555z4444z123m", 3: "7777z"}, draws=TO_THE_LAST, ends="6z"), {2: "kong 5z, discard 6z"}
    ),
    "first draw": Story(Wish({1: READY}, draws="1z 3m 4m 7m 8m"), {1: "win 1z"}),
    "first draw after a pung": Story(
        Wish(
            {0: "1289m19p1s234567z", 1: "1m9m19p9s112233z47z", 2: "11s34567m234567z", 3: "123456789p23m55s"},
            last="1z",
            draws="4m",
        ),
        {0: "discard 1s", 2: "pung 1s, discard 7z", 3: "win 4m"},
    ),
    "first draw after another's concealed kong": Story(
        Wish(
            {0: "111z2289m19p2345s", 1: "123456789p23m55s"},
            last="1z",
            draws="4m 3m 3m 4m 8m",
            ends="9s",
        ),
        {0: "kong_concealed 1z, discard 9s", 1: "win 4m"},
    ),
    "first draw after one's own concealed kong": Story(
        Wish({1: "111z234456p23m55s"}, draws="1z", ends="4m"), {1: "kong_concealed 1z, win 4m"}
    ),
    "first discard": Story(Wish({1: READY}, last="1z", draws="3m 4m 7m 8m"), {0: "discard 1z", 1: "win 1z"}),
    "first discard after a concealed kong": Story(
        Wish({0: "555z", 1: READY}, last="5z", draws="3m 4m 7m 8m", ends="1z"),
        {0: "kong_concealed 5z, discard 1z", 1: "win 1z"},
    ),
    "second discard": Story(
        Wish({0: "123456789p23m55s", 1: "4m"}, last="9s", draws="8s"), {0: "discard 9s, win 4m", 1: "discard 4m"}
    ),
    "dealt": Story(Wish({0: READY}, last="1z", draws="2m 3m 4m 6m"), {0: "win 1z"}),
    "dealt, with a horse": Story(Wish({0: READY}, last="1z", draws="1m 2m 3m 4m"), {0: "win 1z"}),
    "several winners": Story(
        Wish({1: READY, 2: "234m456p678s111s1z"}, last="1z"), {0: "discard 1z", 1: "win 1z", 2: "win 1z"}
    ),
}
STORIES = Stories(
    {
        **LIUZHOU,
        **{f"folk: {title}": Story(each.wish, each.does, "nanning_folk") for title, each in NANNING.items()},
        **{f"laiyouxi: {title}": Story(each.wish, each.does, "nanning_laiyouxi") for title, each in NANNING.items()},
    }
)

#: What each story comes to: columns of its row, four seats' columns as one list, the winners' types (of the first).
DRAWN = {"outcome": "drawn", "winners": 0}
SEALED_ROW = {"blocked": [2, 0, 0, 0], "winners": 2, "outcome": "self_draw", "payer": 0, "kongs": [1, 0, 0, -1]}
MELDED_ROW = {"winners": 4, "from_seat": 1, "points": [0, 0, 12, 0], "types": ["concealed_hand", "melded_discard"]}
LAST_CLAIM = {"points": [12, 0, 0, 0], "from_seat": 2, "left": 4, "types": ["concealed_hand", "last_tile_claim"]}
LAST_KONG = {
    "points": [0, 0, 12, 0],
    "left": 3,
    "chain": 1,
    "payer": 3,
    "kongs": [0, 0, 1, -1],
    "types": ["last_tile_draw", "replacement_win"],
}
EXPECTED: dict[str, dict[str, Any]] = {
    "no chow across suits": {"melds": [0, 0, 0, 0]},
    "claiming locks": {**DRAWN, "blocked": [0, 0, 0, 1], "melds": [0, 0, 0, 1]},
    "claiming locks one kind": {
        "winners": 8,
        "from_seat": 2,
        "blocked": [0, 0, 0, 1],
        "hand": [0, 0, -1, 1],
        "types": [],
    },
    "no release by own pung": {"blocked": [0, 0, 0, 1], "hand": [-1, 0, 0, 1], "draws": 6},
    "no release by own chow": {"blocked": [0, 0, 0, 1], "hand": [-1, 0, 0, 1], "draws": 7},
    "release by a replacement": {
        "blocked": [0, 0, 0, 0],
        "hand": [-1, 0, 0, 1],
        "kongs": [0, -1, 0, 1],
        "draws": 3,
        "types": [],
    },
    "a lock binds robbing": {
        "outcome": "rob_kong",
        "winners": 1,
        "from_seat": 1,
        "next_dealer": 0,
        "robbed": 1,
        "chain": 2,
        "blocked": [0, 0, 1, 0],
        "hand": [1, -1, 0, 0],
        "kongs": [0, 1, 0, -1],
        "kongs_added": [0, 0, 0, 0],
        "types": ["concealed_hand", "robbing_kong"],
    },
    "two robbers": {
        "outcome": "rob_kong",
        "winners": 5,
        "next_dealer": 1,
        "blocked": [0, 0, 0, 0],
        "hand": [1, -2, 1, 0],
        "kongs": [0, 1, 0, -1],
    },
    "nobody may rob": {**DRAWN, "robbed": 0, "kongs": [-1, 2, 0, -1], "kongs_added": [0, 1, 0, 0], "next_dealer": 0},
    "a kong makes ready": {
        "hand": [-3, 9, -3, -3],
        "kongs": [-1, 3, -1, -1],
        "types": ["concealed_hand", "replacement_win"],
    },
    "a kong makes ready for later": {
        "from_seat": 2,
        "hand": [0, 1, -1, 0],
        "kongs": [-1, 3, -1, -1],
        "types": ["concealed_hand"],
    },
    "an added kong before a concealed one": {"kongs_added": [0, 1, 0, 0], "kongs_concealed": [0, 1, 0, 0]},
    "two winners": {"winners": 6, "next_dealer": 0, "hand": [-2, 1, 1, 0]},
    "the dealer's own first draw": {"winners": 1, "hand": [6, -2, -2, -2], "moment": None},
    "the second discard of the deal": {"winners": 1, "from_seat": 1, "hand": [1, -1, 0, 0], "moment": None},
    "folk: sealed": {**SEALED_ROW, "hand": [-9, 9, 0, 0]},
    "laiyouxi: sealed": SEALED_ROW,
    "folk: insured": {**DRAWN, "kongs_added": [0, 1, 0, 0], "blocked": [0, 0, 0, 0], "kongs": [-2, 4, -1, -1]},
    "laiyouxi: insured": {
        "outcome": "rob_kong",
        "winners": 8,
        "chain": 2,
        "points": [0, 0, 0, 24],
        "kongs_added": [0, 0, 0, 0],
        "types": ["concealed_hand", "robbing_kong"],
    },
    "folk: melded discard": {**MELDED_ROW, "hand": [0, -12, 12, 0]},
    "laiyouxi: melded discard": MELDED_ROW,
    "folk: last tile punged": {**LAST_CLAIM, "hand": [12, 0, -12, 0]},
    "laiyouxi: last tile punged": LAST_CLAIM,
    "folk: last tile konged": {**LAST_KONG, "hand": [0, 0, 36, -36]},
    # Three tiles are left to turn over: 1m, 7p and 3p, of which two belong to seat 2.
    "laiyouxi: last tile konged": {
        **LAST_KONG,
        "hand": [0, 0, 108, -108],
        "horse_hits": 2,
        "horse_tile_1": parse_tile("1m"),
        "horse_tile_2": parse_tile("7p"),
        "horse_tile_3": parse_tile("3p"),
        "horse_tile_4": -1,
    },
    "folk: no kong at the end": {**DRAWN, "left": 3, "kongs_concealed": [0, 0, 0, 0], "kongs": [0, 0, 1, -1]},
    "laiyouxi: no kong at the end": {**DRAWN, "left": 3, "kongs_concealed": [0, 0, 0, 0], "kongs": [0, 0, 1, -1]},
    "folk: first draw": {"hand": [-8, 24, -8, -8], "types": ["concealed_hand", "earthly_hand"], "moment": "first_draw"},
    "laiyouxi: first draw": {"hand": [-4, 12, -4, -4], "types": ["concealed_hand"], "moment": "first_draw"},
    "folk: first draw after a pung": {"hand": [-4, -4, -4, 12], "types": ["concealed_hand"], "moment": None},
    "laiyouxi: first draw after a pung": {"points": [0, 0, 0, 4], "types": ["concealed_hand"], "moment": None},
    "folk: first draw after another's concealed kong": {
        "hand": [-8, 24, -8, -8],
        "types": ["concealed_hand", "earthly_hand"],
    },
    "laiyouxi: first draw after another's concealed kong": {"hand": [-4, 12, -4, -4], "types": ["concealed_hand"]},
    "folk: first draw after one's own concealed kong": {
        "hand": [-8, 24, -8, -8],
        "types": ["concealed_hand", "replacement_win"],
        "moment": None,
    },
    "laiyouxi: first draw after one's own concealed kong": {"points": [0, 8, 0, 0], "moment": None},
    "folk: first discard": {
        "hand": [-12, 12, 0, 0],
        "types": ["concealed_hand", "human_hand"],
        "moment": "first_discard",
    },
    "laiyouxi: first discard": {"hand": [-50, 50, 0, 0], "types": ["concealed_hand", "earthly_hand"]},
    "folk: first discard after a concealed kong": {
        "hand": [-24, 24, 0, 0],
        "kongs": [3, -1, -1, -1],
        "types": ["concealed_hand", "human_hand", "kong_discard"],
    },
    "laiyouxi: first discard after a concealed kong": {"hand": [-50, 50, 0, 0], "kongs": [3, -1, -1, -1]},
    "folk: second discard": DRAWN,
    "laiyouxi: second discard": DRAWN,
    "folk: dealt": {"hand": [24, -8, -8, -8], "types": ["concealed_hand", "heavenly_hand"], "draws": 0},
    "laiyouxi: dealt": {"hand": [150, -50, -50, -50], "types": ["concealed_hand", "heavenly_hand"], "horse_hits": 0},
    "folk: dealt, with a horse": {"hand": [24, -8, -8, -8], "horse_tile_1": -1},
    "laiyouxi: dealt, with a horse": {"hand": [300, -100, -100, -100], "horse_hits": 1},
    "folk: several winners": {"hand": [-24, 12, 12, 0], "next_dealer": 0},
    "laiyouxi: several winners": {"hand": [-100, 50, 50, 0], "next_dealer": 0, "horse_tile_1": -1, "horse_hits": 0},
}


def found(title: str, expected: Mapping[str, Any]) -> dict[str, Any]:
    """What a story came to, in the words of what is expected of it."""
    shown = STORIES.play(title)
    values: dict[str, Any] = {}
    for key in expected:
        if key == "types":
            values[key] = shown.case["expect"]["types"]
        elif key == "moment":
            values[key] = shown.case.get("moment")
        elif isinstance(expected[key], list):
            values[key] = [shown.row[f"{key}_{seat}"] for seat in range(4)]
        else:
            values[key] = shown.row[key]
    return values


def test_every_story_has_its_outcome() -> None:
    assert EXPECTED.keys() == STORIES.by_name.keys()


@pytest.mark.parametrize("title", STORIES.by_name)
def test_what_it_comes_to(title: str) -> None:
    assert found(title, EXPECTED[title]) == EXPECTED[title]


@pytest.mark.parametrize("title", STORIES.by_name)
def test_the_twin_agrees(title: str) -> None:
    assert STORIES.disagreements(title) == []


def legal_kinds(title: str, seat: int) -> list[set[str]]:
    """Kinds of actions that were legal in each of the seat's decisions, in order; "pass" alone says nothing."""
    decisions = [each for each in STORIES.play(title).decisions if each["seat"] == seat and each["phase"] != "fish"]
    return [{ACTION_NAMES[number >> 8] for number in each["legal"]} for each in decisions]


def events_of(title: str, seat: int) -> list[str]:
    return [f"{each['event']} {each['tile']}" for each in STORIES.play(title).events if each.get("seat") == seat]


def test_a_complete_hand_may_not_win_straight_after_a_pung() -> None:
    reaction, turn, *_ = legal_kinds("claiming locks", 3)
    assert reaction == {"pass", "win", "pung"}
    assert turn == {"discard"}


def test_chows_do_not_cross_suits() -> None:
    first = STORIES.play("no chow across suits").decisions[5]
    assert (first["seat"], first["phase"]) != (1, "reaction")


def test_fast_adds_to_a_pung_before_it_conceals_a_kong() -> None:
    title = "an added kong before a concealed one"
    assert {"kong_added", "kong_concealed"} <= legal_kinds(title, 1)[2]
    assert events_of(title, 1)[1:8] == [
        "discard 7z",
        "draw 1m",
        "kong+ 1m",
        "draw 4z",
        "kong- 2p",
        "draw 5z",
        "discard 5z",
    ]


@pytest.mark.parametrize("rules", ["folk", "laiyouxi"])
def test_no_kong_of_ones_own_with_the_last_tile(rules: str) -> None:
    title = f"{rules}: no kong at the end"
    turns = [kinds for kinds in legal_kinds(title, 3) if "discard" in kinds]
    assert "kong_concealed" in turns[0]
    assert turns[-1] == {"discard"}
    reaction, turn = legal_kinds(title, 2)[-2:]
    assert reaction == {"pass", "pung", "kong"}
    assert turn == {"discard"}
    assert events_of(title, 2)[-3:] == ["kong 5z", "draw 6z", "discard 6z"]


@pytest.mark.parametrize("rules", ["folk", "laiyouxi"])
def test_a_sealed_seat_may_claim_but_not_win(rules: str) -> None:
    title = f"{rules}: sealed"
    kinds = legal_kinds(title, 0)
    assert not any("win" in each for each in kinds)
    assert kinds[-3:] == [{"pass", "pung"}, {"pass", "pung", "kong"}, {"discard"}]
    assert events_of(title, 0)[-3:] == ["kong 1s", "draw 7s", "discard 7s"]


# ---- rules of which the twin knows one reading only --------------------------------------------------------------


class FirstInOrder(Deal):
    """The twin where only the first seat in playing order wins."""

    def _end_won(self, winners: list[int], giver: int | None, tile: int, *, robbing: bool) -> None:
        super()._end_won(winners[:1], giver, tile, robbing=robbing)


@pytest.mark.parametrize(
    ("title", "winners", "hand", "next_dealer"),
    [("two robbers", 4, [0, -1, 1, 0], 2), ("two winners", 2, [-1, 1, 0, 0], 1)],
)
def test_one_winner_only(title: str, winners: int, hand: list[int], next_dealer: int) -> None:
    shown = STORIES.play_under(title, {"multiple_winners": False})
    assert shown.row["winners"] == winners
    assert [shown.row[f"hand_{seat}"] for seat in range(4)] == hand
    assert shown.row["next_dealer"] == next_dealer
    assert len([event for event in shown.events if event["event"] == "win"]) == 1
    assert STORIES.disagreements(title, FirstInOrder, shown=shown) == []
