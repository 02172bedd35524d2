"""Every word of a ruleset does something: for each key a score case or a made deal that it brings to another result.

The results before and after were worked out by hand from rules.md and the keys' descriptions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

import mjsim
from mjsim.rules import Ruleset
from mjsim.rules.settings import key_paths
from tests.made_walls import Wish
from tests.walls import Stories, Story

Case = dict[str, Any]
REFUSED = "refused"


def won(how: str, hand: str, tile: str, melds: list[str] | None = None, **more: Any) -> Case:
    """A Liuzhou win of seat 1; a discard is seat 0's unless said otherwise."""
    giver = {} if how == "self_draw" else {"from": 0}
    plain: Case = {"id": "word", "rules": "liuzhou", "dealer": 0, "how": how, "winners": [1], **giver, "tile": tile}
    return {**plain, "hands": ["", hand, "", ""], "melds": [[], melds or [], [], []], **more}


def both(hand: str, tile: str, melds: list[str] | None = None, **more: Any) -> tuple[Case, Case]:
    """The same hand won by self-draw and on a discard."""
    return won("self_draw", hand, tile, melds, **more), won("discard", hand, tile, melds, **more)


def folk(case: Case, **more: Any) -> Case:
    return {**case, "rules": "nanning_folk", **more}


READY = "123m456p789s1122z"
ORDINARY_DRAW, ORDINARY = both("456p789s1122z", "1z", ["chow 123m <0"])
CONCEALED_DRAW, CONCEALED = both(READY, "1z")
PUNGS_DRAW, PUNGS = both("222m333p4455s", "4s", ["pung 1m <0"])
FLUSH_DRAW, FLUSH = both("4567892255m", "2m", ["chow 123m <0"])
PURE_PUNGS = won("discard", "2223334455m", "4m", ["pung 1m <0"])
PAIRS_DRAW, PAIRS = both("1133m4466p2299s7z", "7z")
QUAD_DRAW, QUAD = both("1111m33p557799s7z", "7z")
MELDED_DRAW, MELDED = both("1z", "1z", ["chow 123m <0", "pung 5p <2", "pung 7p <2", "pung 9s <3"])

LAST_DRAW = {**ORDINARY_DRAW, "last_tile": True}
LAST_CLAIM = {**ORDINARY, "last_tile": True}
KONG_THROWN = {**ORDINARY, "melds": [["kong 9p <2"], ["chow 123m <0"], [], []], "chain": ["9p"]}
TWO_KONGS_THROWN = {
    **ORDINARY,
    "melds": [["kong 9p <2", "kong- 8p"], ["chow 123m <0"], [], []],
    "chain": ["9p", "8p"],
    "hands": ["", "456s789s1122z", "", ""],
}
ROBBED = won("rob_kong", "46m123p456p789s22s", "5m", chain=["5m"])
ROBBED["melds"] = [["pung 5m <2"], [], [], []]
ROBBED_SECOND = {**ROBBED, "melds": [["pung 5m <2", "kong 9p <3"], [], [], []], "chain": ["9p", "5m"]}
ROBBED_INSURED = {**ROBBED, "melds": [["pung 5m <2", "kong- 9p"], [], [], []], "chain": ["9p", "5m"]}
REPLACED = won("self_draw", "123m456s1122z", "1z", ["kong 9p <2"], chain=["9p"])
REPLACED_TWICE = won("self_draw", "123m1122z", "1z", ["kong 9p <2", "kong- 8p"], chain=["9p", "8p"])
CHAIN_OF_THREE = won("self_draw", "23m22z", "4m", ["kong+ 9p <2", "kong- 8p", "kong- 7p"], chain=["8p", "9p", "7p"])
REPLACED_CONCEALED = won("self_draw", "123m456s1122z", "1z", ["kong- 8p"], chain=["8p"])
REPLACED_FLUSH = won("self_draw", "2345678899m", "8m", ["kong- 1m"], chain=["1m"])

FOUR_PUNGS = ["pung 1m <1", "pung 2m <2", "pung 3m <3", "pung 4m <2"]
FROM_MELDED = folk(CONCEALED, hands=["", "567m456p789s1122z", "", ""], melds=[FOUR_PUNGS, [], [], []])
BOTH_MELDED = folk(
    won("discard", "1z", "1z"), melds=[FOUR_PUNGS, ["pung 5p <2", "pung 6p <3", "pung 7s <2", "pung 8s <3"], [], []]
)
DEALT = folk(CONCEALED_DRAW, winners=[0], hands=[READY, "", "", ""], moment="dealt")
FIRST_DRAW = folk(CONCEALED_DRAW, moment="first_draw")
FIRST_DISCARD = folk(CONCEALED, moment="first_discard")

FED = ["chow 123m <0", "pung 5p <0", "pung 7p <0"]
FED_DRAW, FED_BY_GIVER = both("99s11z", "1z", FED)
FED_BY_THIRD = {**FED_BY_GIVER, "from": 2}
FED_AND_ANOTHER = won("discard", "1z", "1z", [*FED, "pung 9s <3"])
FED_FOUR_TIMES = won("discard", "1z", "1z", [*FED, "pung 9s <0"])
GIVER_TO_THIRD = {**FED_BY_GIVER, "winners": [2], "hands": ["", "", "123s456s789s1122z", ""]}
GIVER_WINS = {**FED_BY_GIVER, "winners": [0], "from": 2, "hands": ["123s456s789s1122z", "", "", ""]}

KONG_MONEY: Case = {"id": "word", "rules": "liuzhou", "dealer": 0, "how": "drawn"}
EXPOSED = {**KONG_MONEY, "melds": [[], ["kong 9p <2"], [], []]}
CONCEALED_KONG = {**KONG_MONEY, "melds": [[], ["kong- 9p"], [], []]}
TWO_WINNERS = {
    **CONCEALED,
    "winners": [1, 2],
    "hands": ["", READY, "234m456p678s111s1z", ""],
}
TWO_FISH = {**ORDINARY, "fish": [[], ["2p", "6m"], [], []]}
HORSES = {**DEALT, "rules": "nanning_laiyouxi", "horses": ["1s", "2s", "3s", "5s"]}


@dataclass(frozen=True)
class Word:
    """What one value of a key changes.

    Attributes
    ----------
    key : str
    value : bool, int or str
    case : dict
        A score case.
    before, after : list of int or str
        Points won by seat for hands, kongs and fish together, without and with the value; or that it is refused.
    given : dict
        Other settings, both times.
    """

    key: str
    value: Any
    case: Case
    before: list[int] | str
    after: list[int] | str
    given: Mapping[str, Any] = field(default_factory=dict)


def draw(points: int) -> list[int]:
    """Seat 1 gets so much from each."""
    return [-points, 3 * points, -points, -points]


def thrown(points: int) -> list[int]:
    """Seat 1 gets so much from seat 0."""
    return [-points, points, 0, 0]


def first_event(name: str, case: Case, plain: list[int], one: list[int], two: list[int]) -> list[Word]:
    """The words of a hand at a first moment, which the folk rules give one unit."""
    at_all = {"ordinary_discard": 2} if name == "human_hand" else {}
    event = f"events.{name}"
    cheap = thrown(2) if at_all else plain
    unpriced: list[int] | str = REFUSED if at_all else plain
    fifty = [points // abs(cheap[1 if case["winners"] == [0] else 0]) * 50 for points in cheap]
    moment = "first_draw" if name == "heavenly_hand" else "dealt"
    return [
        Word(event, "none", case, one, unpriced),
        Word(f"{event}.units", 2, case, one, two),
        Word(f"{event}.factor", 3, case, cheap, [3 * points for points in cheap], {f"{event}.units": 0, **at_all}),
        Word(f"{event}.fixed", 50, case, cheap, fifty, {f"{event}.units": 0, **at_all}),
        Word(f"{event}.moment", moment, case, one, unpriced),
    ]


PRICES = [
    Word("value.step", 3, PURE_PUNGS, thrown(6), thrown(9)),
    Word("value.self_draw.ordinary", 7, ORDINARY_DRAW, draw(1), draw(7)),
    Word("value.self_draw.ordinary", "none", ORDINARY_DRAW, draw(1), REFUSED),
    Word("value.self_draw.ordinary_concealed", 7, CONCEALED_DRAW, draw(2), draw(7)),
    Word("value.self_draw.ordinary_concealed", "none", CONCEALED_DRAW, draw(2), REFUSED),
    Word("value.self_draw.special", 7, PUNGS_DRAW, draw(2), draw(7)),
    Word("value.self_draw.special", "none", PUNGS_DRAW, draw(2), REFUSED),
    Word("value.self_draw.special_concealed", 9, PAIRS_DRAW, draw(4), draw(9)),
    Word("value.self_draw.special_concealed", "none", PAIRS_DRAW, draw(4), REFUSED),
    Word("value.discard.special", 8, PUNGS, thrown(3), thrown(8)),
    Word("value.discard.special", "none", PUNGS, thrown(3), REFUSED),
    Word("value.discard.special_concealed", 8, PAIRS, thrown(3), thrown(8)),
    Word("value.discard.special_concealed", "none", PAIRS, thrown(3), REFUSED),
    Word("value.ordinary_discard", 5, ORDINARY, thrown(1), thrown(5)),
    Word("value.ordinary_discard", 5, CONCEALED, thrown(1), thrown(5)),
    Word("value.ordinary_discard", "none", ORDINARY, thrown(1), REFUSED),
]
UNITS = [
    Word("units.all_pungs.self_draw", 2, PUNGS_DRAW, draw(2), draw(4)),
    Word("units.all_pungs.self_draw", 0, PUNGS_DRAW, draw(2), draw(1)),
    Word("units.all_pungs.discard", 2, PUNGS, thrown(3), thrown(6)),
    Word("units.all_pungs.discard", 0, PUNGS, thrown(3), thrown(1)),
    Word("units.full_flush.self_draw", 2, FLUSH_DRAW, draw(2), draw(4)),
    Word("units.full_flush.discard", 2, FLUSH, thrown(3), thrown(6)),
    Word("units.seven_pairs.self_draw", 2, PAIRS_DRAW, draw(4), draw(8)),
    Word("units.seven_pairs.discard", 2, PAIRS, thrown(3), thrown(6)),
    Word("units.quad.self_draw", 1, QUAD_DRAW, draw(4), draw(8)),
    Word("units.quad.discard", 1, QUAD, thrown(3), thrown(6)),
    Word("units.melded_hand.self_draw", 0, MELDED_DRAW, draw(2), draw(1)),
    Word("units.melded_hand.discard", 2, MELDED, thrown(3), thrown(6)),
]
#: A self-draw after an exposed kong, for which seat 2 pays alone, and one kong point.
ALONE = {points: [0, 3 * points + 1, -3 * points - 1, 0] for points in (1, 2, 5)}
NO_FACTOR = {event: {f"events.{event}.factor": 1} for event in ("last_tile_draw", "kong_discard", "replacement_win")}
ONE_UNIT = {event: {f"events.{event}.factor": 1, f"events.{event}.units": 1} for event in NO_FACTOR}
PLAIN_ORDINARY = {"concealed_ordinary": "none"}
EVENTS = [
    Word("events.last_tile_draw", "none", LAST_DRAW, draw(2), draw(1)),
    Word("events.last_tile_draw.factor", 5, LAST_DRAW, draw(2), draw(5)),
    Word("events.last_tile_draw.units", 1, LAST_DRAW, draw(1), draw(2), NO_FACTOR["last_tile_draw"]),
    Word("events.last_tile_draw.payer", "giver", LAST_DRAW, draw(2), REFUSED),
    Word("events.last_tile_claim", "none", LAST_CLAIM, thrown(4), thrown(1), {"events.last_tile_claim": {"factor": 4}}),
    Word("events.last_tile_claim.factor", 5, LAST_CLAIM, thrown(1), thrown(5)),
    Word("events.last_tile_claim.units", 1, LAST_CLAIM, thrown(1), thrown(3)),
    Word("events.last_tile_claim.payer", "discarder", LAST_CLAIM, thrown(1), REFUSED),
    # The discarder pays three shares and has his kong point from seat 2.
    Word("events.kong_discard", "none", KONG_THROWN, [-5, 6, -1, 0], [0, 1, -1, 0]),
    Word("events.kong_discard.factor", 3, KONG_THROWN, [-5, 6, -1, 0], [-8, 9, -1, 0]),
    Word("events.kong_discard.units", 1, KONG_THROWN, [-2, 3, -1, 0], [-8, 9, -1, 0], NO_FACTOR["kong_discard"]),
    Word(
        "events.kong_discard.per_kong",
        True,
        TWO_KONGS_THROWN,
        [-5, 8, -2, -1],
        [-14, 17, -2, -1],
        ONE_UNIT["kong_discard"],
    ),
    Word("events.kong_discard.payer", "usual", KONG_THROWN, [-5, 6, -1, 0], [-1, 2, -1, 0]),
    Word("events.robbing_kong", "none", ROBBED, thrown(4), thrown(1), {"events.robbing_kong": {"factor": 4}}),
    Word("events.robbing_kong.factor", 4, ROBBED, thrown(1), thrown(4)),
    Word("events.robbing_kong.units", 1, ROBBED, thrown(1), thrown(3)),
    Word(
        "events.robbing_kong.per_kong",
        True,
        ROBBED_SECOND,
        [-2, 3, 0, -1],
        [-5, 6, 0, -1],
        {"events.robbing_kong.units": 1},
    ),
    Word("events.robbing_kong.payer", "discarder", ROBBED, thrown(1), REFUSED),
    Word("events.replacement_win", "none", REPLACED, ALONE[2], [-1, 4, -2, -1]),
    Word("events.replacement_win.factor", 5, REPLACED, ALONE[2], ALONE[5]),
    Word("events.replacement_win.units", 1, REPLACED, ALONE[1], ALONE[2], NO_FACTOR["replacement_win"]),
    Word(
        "events.replacement_win.per_kong",
        True,
        REPLACED_TWICE,
        [-3, 10, -4, -3],
        [-5, 16, -6, -5],
        {**ONE_UNIT["replacement_win"], **PLAIN_ORDINARY},
    ),
    Word("events.replacement_win.payer", "usual", REPLACED, ALONE[2], [-2, 7, -3, -2]),
    Word("events.replacement_win.decided_by", "first", REPLACED_TWICE, [-4, 13, -5, -4], [-1, 10, -8, -1]),
    Word("events.replacement_win.decided_by", "first_exposed", REPLACED_TWICE, [-4, 13, -5, -4], [-1, 10, -8, -1]),
    Word("events.replacement_win.decided_by", "first_exposed", CHAIN_OF_THREE, [-5, 16, -6, -5], [-2, 13, -9, -2]),
    Word("events.replacement_win.decided_by", "first", CHAIN_OF_THREE, [-5, 16, -6, -5], [-5, 16, -6, -5]),
    Word("events.replacement_win.concealed_ordinary", 7, REPLACED_CONCEALED, draw(3 + 1), draw(7 + 1)),
    Word("events.replacement_win.concealed_ordinary", "none", REPLACED_CONCEALED, draw(3 + 1), draw(2 * 2 + 1)),
    Word("events.replacement_win.concealed_kong_scale", "discard", REPLACED_FLUSH, draw(4 * 2 + 1), draw(3 * 2 + 1)),
    Word("events.melded_discard", "none", FROM_MELDED, thrown(12), REFUSED),
    Word("events.melded_discard.units", 2, FROM_MELDED, thrown(12), thrown(24)),
    Word(
        "events.melded_discard.factor",
        5,
        FROM_MELDED,
        thrown(2),
        thrown(10),
        {"events.melded_discard.units": 0, "ordinary_discard": 2},
    ),
    Word("events.melded_discard.payer", "discarder", FROM_MELDED, thrown(12), REFUSED),
    Word("events.melded_discard.beside_melded_hand", False, BOTH_MELDED, thrown(36), thrown(18)),
    *first_event("heavenly_hand", DEALT, [12, -4, -4, -4], [24, -8, -8, -8], [48, -16, -16, -16]),
    *first_event("earthly_hand", FIRST_DRAW, draw(4), draw(8), draw(16)),
    *first_event("human_hand", FIRST_DISCARD, [], thrown(12), thrown(24)),
    Word("events.human_hand", "double", FIRST_DISCARD, thrown(12), thrown(24)),
]
KONGS = [
    Word("kongs.exposed", 5, EXPOSED, [0, 1, -1, 0], [0, 5, -5, 0]),
    Word("kongs.exposed", 5, CONCEALED_KONG, draw(1), draw(1)),
    Word("kongs.concealed", 2, CONCEALED_KONG, draw(1), draw(2)),
    Word("kongs.concealed", 2, EXPOSED, [0, 1, -1, 0], [0, 1, -1, 0]),
    Word("kongs.rob_kong", False, ROBBED, thrown(1), REFUSED),
    Word("kongs.rob_after_concealed", False, ROBBED_INSURED, [2, 0, -1, -1], REFUSED),
]
LIABILITY = [
    Word("liability.enabled", False, FED_BY_GIVER, thrown(2), thrown(1)),
    Word("liability.melds", 4, FED_BY_GIVER, thrown(2), thrown(1)),
    Word("liability.melds", 4, FED_AND_ANOTHER, thrown(6), thrown(3)),
    Word("liability.melds", 4, FED_FOUR_TIMES, thrown(6), thrown(6)),
    Word("liability.chow_counts", False, FED_BY_GIVER, thrown(2), thrown(1)),
    Word("liability.giver_may_win", False, GIVER_WINS, [1, 0, -1, 0], REFUSED),
    Word("liability.third_party", False, FED_BY_THIRD, [-1, 2, -1, 0], [0, 1, -1, 0]),
    Word("liability.giver_to_maker", 3, FED_BY_GIVER, thrown(2), thrown(4)),
    Word("liability.giver_to_third", 0, GIVER_TO_THIRD, [-2, 1, 1, 0], [-1, 0, 1, 0]),
    Word("liability.third_to_maker", 4, FED_BY_THIRD, [-1, 2, -1, 0], [-4, 5, -1, 0]),
    Word("liability.self_draw", 5, FED_DRAW, [-3, 5, -1, -1], [-6, 8, -1, -1]),
    Word("liability.giver_alone", True, FED_DRAW, [-3, 5, -1, -1], thrown(2)),
    Word("liability.dead_double", True, FED_BY_GIVER, thrown(2), thrown(4)),
    Word("liability.dead_double", True, FED_BY_THIRD, [-1, 2, -1, 0], [-2, 3, -1, 0]),
    Word("liability.dead_double", True, FED_DRAW, [-3, 5, -1, -1], [-6, 8, -1, -1]),
]
OTHERS = [
    Word("claims.chow", False, ORDINARY, thrown(1), REFUSED),
    Word("claims.multiple_winners", False, TWO_WINNERS, [-2, 1, 1, 0], REFUSED),
    Word("deal_end.last_tile_discard", False, LAST_CLAIM, thrown(1), REFUSED),
    # Both fish are seat 1's own: his one point comes three times.
    Word("fishing.enabled", False, TWO_FISH, thrown(3), REFUSED),
    Word("fishing.max_labels", 1, TWO_FISH, thrown(3), REFUSED),
    Word("horses.enabled", False, HORSES, [450, -150, -150, -150], REFUSED),
    Word("horses.number", 3, HORSES, [450, -150, -150, -150], REFUSED),
]
WORDS = [*PRICES, *UNITS, *EVENTS, *KONGS, *LIABILITY, *OTHERS]


def points(case: Case, settings: Mapping[str, Any]) -> list[int] | str:
    """What a case comes to under some settings."""
    answer = mjsim.score({**case, "options": dict(settings)})
    return REFUSED if "error" in answer else list(answer["net"])


@pytest.mark.parametrize("word", WORDS, ids=lambda word: f"{word.key}={word.value}")
def test_a_word_changes_what_is_paid(word: Word) -> None:
    assert points(word.case, word.given) == word.before
    assert points(word.case, {**word.given, word.key: word.value}) == word.after


@pytest.mark.parametrize(
    "word", [word for word in EVENTS if word.value == "none" and word.key.count(".") == 1], ids=lambda word: word.key
)
def test_an_absent_event_is_not_named(word: Word) -> None:
    priced = {**word.given, "ordinary_discard": 2}
    event = word.key.removeprefix("events.")
    before = mjsim.score({**word.case, "options": priced})
    after = mjsim.score({**word.case, "options": {**priced, word.key: "none"}})
    assert event in before["winners"][0]["types"]
    assert set(after["winners"][0]["types"]) == set(before["winners"][0]["types"]) - {event}


# ---- words about play --------------------------------------------------------------------------------------------

ROBBERY = Wish({1: "55m139p258s12467z", 3: "46m123p456p789s11z"}, last="5m", draws="7z 6z 7z 5m")
INSURED = Wish({1: "55m111p369p2469s4z", 3: "46m789s456p123s11z"}, last="5m", draws="7z 6z 7z 1p", ends="5m 6z")
ROBBING = {0: "discard 5m", 1: "pung 5m, kong_concealed 1p, kong_added 5m", 3: "pass 5m, win 5m"}
ANY = Wish({0: "1z"})
#: Seat 3's draw, the last in Liuzhou (75 draws; 83 without fishing), is a 5z that seat 2 could pung.
LAST_PUNG = Wish({2: "55z", 3: "5z"}, draws="? " * 74 + "5z")
STORIES = Stories(
    {
        "idle": Story(ANY),
        "chow": Story(Wish({1: "46m"}, last="5m"), {0: "discard 5m", 1: "chow_middle 5m"}),
        "two winners": Story(
            Wish({1: READY, 2: "234m456p678s111s1z"}, last="1z"), {0: "discard 1z", 1: "win 1z", 2: "win 1z"}
        ),
        "robbery": Story(ROBBERY, {0: "discard 5m", 1: "pung 5m, kong_added 5m", 3: "pass 5m, win 5m"}),
        "insured": Story(INSURED, ROBBING, "nanning_folk"),
        "locked": Story(
            Wish({1: "5m", 2: "46m123p456p789s33s", 3: "55m"}, last="5m", draws="1z"),
            {0: "discard 5m", 1: "discard 5m", 2: "pass 5m, win 5m"},
        ),
        "last pung": Story(LAST_PUNG, {2: "pung 5z"}),
        "labels": Story(ANY, {0: "fish 3", 1: "fish 12"}),
        "one label": Story(ANY, {0: "fish 1"}),
        "heavenly": Story(Wish({0: READY}, last="1z", draws="1s 2s 3s 5s"), {0: "win 1z"}, "nanning_laiyouxi"),
    }
)


@dataclass(frozen=True)
class Turn:
    """How a story turns out without and with a value of a key, by columns of its row."""

    key: str
    value: Any
    story: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    given: Mapping[str, Any] = field(default_factory=dict)


TURNS = [
    Turn("claims.chow", False, "chow", {"melds_1": 1}, {"melds_1": 0}),
    Turn("claims.multiple_winners", False, "two winners", {"winners": 6}, {"winners": 2}),
    Turn(
        "kongs.rob_kong",
        False,
        "robbery",
        {"outcome": "rob_kong", "robbed": 1},
        {"outcome": "drawn", "kongs_added_1": 1},
    ),
    Turn("kongs.rob_after_concealed", True, "insured", {"outcome": "drawn"}, {"outcome": "rob_kong", "points_3": 24}),
    Turn("pass_lock.enabled", False, "locked", {"blocked_2": 1, "winners": 0}, {"blocked_2": 0, "winners": 4}),
    Turn("deal_end.tiles_left", 10, "idle", {"draws": 75, "left": 0}, {"draws": 65, "left": 10}),
    Turn("deal_end.last_tile_discard", False, "idle", {"discards": 76}, {"discards": 75}),
    Turn("deal_end.last_tile_claims", True, "last pung", {"melds_2": 0}, {"melds_2": 1}),
    Turn("fishing.enabled", False, "labels", {"draws": 75, "fish_labels_1": 12}, {"draws": 83, "fish_labels_1": 0}),
    Turn("fishing.reserve", "picked", "labels", {"draws": 75}, {"draws": 79}),
    Turn("fishing.reserve", "picked", "one label", {"draws": 75}, {"draws": 82}, {"max_labels": 1}),
    Turn("horses.enabled", False, "heavenly", {"horse_hits": 2, "hand_0": 450}, {"horse_hits": 0, "hand_0": 150}),
    Turn("horses.number", 3, "heavenly", {"horse_hits": 2, "hand_0": 450}, {"horse_hits": 1, "hand_0": 300}),
]


def turned_out(turn: Turn, settings: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What a story comes to, in the words of what is wanted."""
    shown = STORIES.play_under(turn.story, settings)
    found = {**shown.row, "discards": sum(event["event"] == "discard" for event in shown.events)}
    return {name: found[name] for name in wanted}


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: f"{turn.key}={turn.value}-{turn.story}")
def test_a_word_changes_what_happens(turn: Turn) -> None:
    assert turned_out(turn, turn.given, turn.before) == turn.before
    assert turned_out(turn, {**turn.given, turn.key: turn.value}, turn.after) == turn.after


# ---- every word --------------------------------------------------------------------------------------------------


def test_every_key_has_a_word() -> None:
    """A word whose result changes, that is, and not only one that shows what its key leaves alone."""
    changing = {word.key for word in WORDS if word.before != word.after} | {turn.key for turn in TURNS}
    keys = {".".join(path) for path in key_paths(Ruleset) if path[0] != "ruleset"}
    assert changing == keys
