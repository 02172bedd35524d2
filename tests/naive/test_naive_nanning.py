"""The naive settlement of both Nanning systems against the rule texts' worked examples and cases worked out by hand."""

from typing import Any

import pytest

from .case import OPTIONS
from .nanning import FACTS
from .score import score
from .test_naive_score import cases_of

CASES = cases_of("nanning_folk.toml") + cases_of("nanning_laiyouxi.toml") + cases_of("nanning_lines.toml")
SETTLED = [case for case in CASES if "expect" in case]
IMPOSSIBLE = [case for case in CASES if "error" in case]

# What the answer to each impossible case must say, by its id without the letter of its system.
SEALED = ("seat 0 is sealed", "seat 1")
ORDINARY = ("seat 1", "ordinary")
COMPLAINTS: dict[str, tuple[str, ...]] = {
    "chow": ("seat 1", "234s", "no chows"),
    "chow-of-a-loser": ("seat 3", "234s", "no chows"),
    "ordinary-discard": ORDINARY,
    "ordinary-discard-concealed": ORDINARY,
    "ordinary-one-of-two": ORDINARY,
    "ordinary-earlier-kong": ORDINARY,
    "ordinary-concealed-kong-among-four": ORDINARY,
    "ordinary-three-melds": ORDINARY,
    "first-draw-discard": ("first_draw", "discard"),
    "sealed-third": SEALED,
    "sealed-maker": SEALED,
    "sealed-draw": SEALED,
    "sealed-last-draw": SEALED,
    "sealed-replacement": SEALED,
    "sealed-robbing": SEALED,
    "sealed-robbing-maker": SEALED,
    "sealed-one-of-two": SEALED,
    "sealed-by-kongs": SEALED,
    "sealed-mutual": ("seat 1 is sealed", "seat 0"),
    "sealed-melded-discard": SEALED,
    "sealed-dead-double": SEALED,
    "sealed-heavenly": ("dealt", "seat 1", "7z"),
    "sealed-earthly": ("first_draw", "seat 1", "7z"),
    "sealed-first-discard": ("first_discard", "seat 1", "7z"),
    "sealed-horses": SEALED,
    "fish": ("fish", "seat 0"),
    "horses": ("horses", "none"),
    "horses-five": ("horses", "5", "4"),
    "horses-fifth-tile": ("9s",),
    "horses-fifth-of-a-kong": ("5z",),
    "horses-two-in-one": ("horses", "12z"),
    "horses-unknown-tile": ("horses", "8z"),
    "horses-drawn": ("horses", "drawn"),
    "fifth-tile": ("5p", "5 of them"),
    "robbing-pair": ("9s", "5 of them"),
    "robbing-pung": ("9s", "6 of them"),
    "robbing-after-concealed": ("chain", "seat 0", "7z"),
    "robbing-exposed-concealed-exposed": ("chain", "seat 0", "7z"),
    "robbing-off": ("seat 0", "rob"),
    "robbing-last-tile": ("last_tile",),
    "robbing-no-pung": ("seat 0", "7m"),
    "robbing-concealed-kong": ("chain", "7m"),
    "robbing-no-chain": ("chain", "7m"),
    "robbing-chain-end": ("chain", "7m"),
    "robbing-chain-not-there": ("seat 0", "6z"),
    "chain-not-there": ("seat 1", "7z"),
    "chain-of-another": ("seat 1", "6z"),
    "chain-of-the-winner": ("seat 2", "7z"),
    "chain-direct-second": ("seat 1", "6z", "first"),
    "chain-twice": ("seat 1", "7z", "only once"),
    "chain-then-pung": ("seat 1", "7z"),
    "drawn-chain": ("chain", "drawn"),
    "heavenly-kong": ("dealt", "seat 0", "7z"),
    "heavenly-not-dealer": ("dealt", "seat 1"),
    "first-draw-dealer": ("first_draw", "seat 0"),
    "first-draw-claim": ("first_draw", "seat 3", "7z"),
    "first-draw-own-kong": ("first_draw", "seat 2", "7z"),
    "first-discard-other": ("first_discard", "seat 2"),
    "first-discard-claim": ("first_discard", "seat 2", "7z"),
    "first-discard-kong-left-out": ("first_discard", "seat 2", "chain"),
    "first-discard-last": ("first_discard", "last tile"),
    "incomplete": ("seat 1", "1m"),
    "thirteen-orphans": ("seat 1", "1m"),
    "two-draw": ("winners",),
    "winner-is-giver": ("seat 2",),
    "five-melds": ("seat 1", "5 melds"),
    "meld-own-seat": ("seat 1", "777z"),
    "option-scale-value": ("concealed_kong_scale", "both"),
    "option-human-value": ("human_hand", "triple"),
    "option-dead-double-type": ("dead_double", "2"),
    "option-ordinary-type": ("ordinary_discard", "two"),
    "option-ordinary-negative": ("ordinary_discard", "-2"),
}

# How much of the hand is due to liability: what it is, less what it would be without the rule (maker 1, giver B = 0).
LIABILITY = {
    "FL-liable-giver-discards": [-9, 9, 0, 0],
    "FL-liable-third-discards": [-9, 9, 0, 0],
    "FL-liable-draw": [-12, 0, 6, 6],  # B pays 18 for 6 from each
    "YL-liable-draw": [-30, 18, 6, 6],  # B pays 36 for 6 from each
    "FL-liable-replacement-other-giver": [-36, 0, 36, 0],  # in place of 2
    "YL-liable-replacement-other-giver": [-72, 36, 36, 0],
    "FL-liable-replacement-same-giver": [0, 0, 0, 0],  # B would have paid all anyway
    "YL-liable-replacement-same-giver": [-36, 36, 0, 0],
    "FL-liable-replacement-dead": [-72, 36, 36, 0],
    "FL-dead-double-giver": [-54, 54, 0, 0],  # 4D - D, D = 18
    "FL-dead-double-third": [-18, 18, 0, 0],
    "YL-horses-liable-draw": [-60, 36, 12, 12],  # doubled by one hit
    "YL-horses-liable-third": [-18, 18, 0, 0],
    "FL-liable-two-makers": [-18, 9, 9, 0],
    "YL-liable-two-makers-two-givers": [-9, 9, 9, -9],
    "FL-link-giver-discards-to-other": [0, 0, 0, 0],
    "YL-link-mutual": [0, 0, 0, 0],
    "FL-drawn-link": [0, 0, 0, 0],
}


def case_of(name: str) -> dict[str, Any]:
    """Return a case by its id, without the test's own key."""
    found = next(case for case in CASES if case["id"] == name)
    return {key: value for key, value in found.items() if key != "error"}


def paid(name: str) -> list[tuple[int, int, int, str]]:
    """Return the transfers of a case."""
    return [(t["from"], t["to"], t["points"], t["reason"]) for t in score(case_of(name))["transfers"]]


@pytest.mark.parametrize("case", SETTLED, ids=lambda case: case["id"])
def test_settled(case: dict[str, Any]) -> None:
    """Points and types are the expected ones, and the transfers are where the points come from."""
    answer = score(case)
    expect = case["expect"]
    assert "error" not in answer, answer
    for part in ("hand", "kongs", "fish", "net"):
        assert answer[part] == expect.get(part, [0, 0, 0, 0]), part
    if "types" in expect:
        (winner,) = answer["winners"]
        assert winner["types"] == sorted(expect["types"])
    assert sorted(winner["seat"] for winner in answer["winners"]) == sorted(case.get("winners", []))
    assert sum(answer["liability"]) == 0
    net = [0, 0, 0, 0]
    for transfer in answer["transfers"]:
        assert transfer["points"] > 0
        assert transfer["from"] != transfer["to"]
        assert transfer["reason"] in ("hand", "liability", "kong")
        net[transfer["from"]] -= transfer["points"]
        net[transfer["to"]] += transfer["points"]
    assert net == answer["net"]


@pytest.mark.parametrize("case", IMPOSSIBLE, ids=lambda case: case["id"])
def test_impossible(case: dict[str, Any]) -> None:
    """The answer is an error that names the seat, tile or key at fault."""
    answer = score(case_of(case["id"]))
    assert set(answer) == {"id", "error"}
    assert answer["id"] == case["id"]
    for complaint in COMPLAINTS[case["id"][3:]]:
        assert complaint in answer["error"]


@pytest.mark.parametrize("name", LIABILITY)
def test_liability_is_the_difference_it_makes(name: str) -> None:
    """The liability list compares the hand with what it would be without the rule."""
    assert score(case_of(name))["liability"] == LIABILITY[name]


def test_the_files_hold_what_they_should() -> None:
    """Ids are unique, their letter is their system's, and a case either settles or is impossible."""
    assert len({case["id"] for case in CASES}) == len(CASES) == len(SETTLED) + len(IMPOSSIBLE)
    assert {case["id"][3:] for case in IMPOSSIBLE} == set(COMPLAINTS)
    for case in cases_of("nanning_lines.toml"):
        assert case["rules"] == {"F": "nanning_folk", "Y": "nanning_laiyouxi"}[case["id"][0]]
    for rules in FACTS:
        assert sum(case["rules"] == rules for case in SETTLED) >= 100
        assert sum(case["rules"] == rules for case in IMPOSSIBLE) >= 40


def test_every_option_is_tried() -> None:
    """Each option of both systems stands in a case that settles, or forbids one."""
    for rules in FACTS:
        tried = {key for case in CASES if case["rules"] == rules for key in case.get("options", {})}
        assert set(OPTIONS[rules]) <= tried


def test_transfers_tell_liability_from_the_hand() -> None:
    """What the giver would owe without the rule is hand, the rest liability; who is spared appears nowhere."""
    assert paid("FL-liable-giver-discards") == [(0, 1, 9, "hand"), (0, 1, 9, "liability")]
    assert paid("FL-liable-third-discards") == [(3, 1, 9, "hand"), (0, 1, 9, "liability")]
    assert paid("YL-liable-draw") == [(0, 1, 6, "hand"), (0, 1, 30, "liability")]
    assert paid("FL-liable-replacement-other-giver") == [(0, 1, 36, "liability"), (2, 1, 1, "kong")]
    assert paid("FL-liable-replacement-same-giver") == [(0, 1, 36, "hand"), (0, 1, 1, "kong")]


def test_points_are_one_share() -> None:
    """Points come before liability, dead_double and horses; in laiyouxi after the discard scale."""
    for name, points in {
        "YL-horses-scale": 18,
        "YL-horses-heavenly": 50,
        "YL-horses-liable-replacement": 12,
        "FL-liable-replacement-dead": 12,
        "FL-dead-double-third": 9,
        "FL-replacement-added": 6,
        "FL-ordinary-discard": 2,
    }.items():
        assert score(case_of(name))["winners"][0]["points"] == points


def test_base_options_stand_below_the_case() -> None:
    """Options of the call hold until the case says otherwise."""
    case, on = case_of("FL-liable-third-discards"), {"dead_double": True}
    assert score(case, on)["net"] == [-18, 27, 0, -9]
    assert score(case | {"options": {"dead_double": False}}, on)["net"] == [-9, 18, 0, -9]


def test_the_ordinary_price_is_any_number() -> None:
    """ordinary_discard = 0 is the default: no such win."""
    case = case_of("YL-ordinary-discard")
    assert score(case | {"options": {"ordinary_discard": 5}})["net"] == [0, 5, -5, 0]
    assert "ordinary" in score(case | {"options": {"ordinary_discard": 0}})["error"]
    assert "ordinary_discard" in score(case | {"options": {"ordinary_discard": True}})["error"]


@pytest.mark.parametrize("horses", ["1z", ["1z", 2], None, [""]])
def test_horses_of_the_wrong_type(horses: object) -> None:
    """Horses are a list of single tiles."""
    assert score(case_of("YL-horses-discard") | {"horses": horses})["error"].startswith("horses")
