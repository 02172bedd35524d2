"""The naive settlement against the rule text's worked examples and against cases worked out by hand."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from .score import score

GOLDEN = Path(__file__).parents[1] / "golden"

# What the answer to each impossible case must say: none may be refused for another reason than its own.
COMPLAINTS = {
    "LX-incomplete": ("seat 1", "3m"),
    "LX-thirteen-orphans": ("seat 1", "1m"),
    "LX-winner-short": ("seat 1",),
    "LX-winner-empty": ("seat 1",),
    "LX-melds-and-tiles": ("seat 1",),
    "LX-loser-long": ("seat 0",),
    "LX-loser-beside-melds": ("seat 2",),
    "LX-five-melds": ("seat 3",),
    "LX-fifth-copy-fish": ("9s",),
    "LX-fifth-copy-winning-tile": ("7m",),
    "LX-fifth-copy-melds": ("1p",),
    "LX-chow-no-sequence": ("seat 2", "124m"),
    "LX-chow-honours": ("seat 2", "123z"),
    "LX-chow-two-suits": ("seat 2", "89m1p"),
    "LX-chow-not-previous": ("seat 2", "123m"),
    "LX-meld-own-seat": ("seat 2", "5z"),
    "LX-meld-no-source": ("seat 2", "5z"),
    "LX-concealed-kong-source": ("seat 2", "5z"),
    "LX-meld-unknown": ("seat 2", "gong"),
    "LX-tile-unknown": ("tile",),
    "LX-tile-two": ("tile", "47m"),
    "LX-from-missing": ("from",),
    "LX-from-superfluous": ("from",),
    "LX-seat-out-of-range": ("from", "4"),
    "LX-dealer-out-of-range": ("dealer", "7"),
    "LX-self-draw-two-winners": ("winners",),
    "LX-no-winner": ("winners",),
    "LX-winner-is-giver": ("seat 1",),
    "LX-winners-repeated": ("winners",),
    "LX-drawn-winners": ("winners",),
    "LX-drawn-tile": ("tile",),
    "LX-drawn-hands": ("seat 1",),
    "LX-drawn-chain": ("chain",),
    "LX-last-tile-robbed": ("last_tile",),
    "LX-robbed-no-pung": ("seat 3", "7m"),
    "LX-robbed-no-chain": ("chain", "7m"),
    "LX-robbed-chain-end": ("chain", "7m"),
    "LX-robbed-chain-not-a-kong": ("seat 3", "8m"),
    "LX-robbed-grown": ("7m",),
    "LX-rob-kong-off": ("seat 3",),
    "LX-last-discard-off": ("seat 0",),
    "LX-chain-not-a-kong": ("seat 1", "6p"),
    "LX-chain-of-another": ("seat 1", "5z"),
    "LX-chain-of-the-winner": ("seat 0", "5z"),
    "LX-chain-direct-second": ("seat 0", "6z"),
    "LX-chain-twice": ("seat 0", "5z", "only once"),
    "LX-chain-then-pung": ("seat 0", "5z"),
    "LX-chain-backwards": ("seat 0", "56z"),
    "LX-dealt-not-dealer": ("seat 1",),
    "LX-dealt-kong": ("seat 1", "5z"),
    "LX-dealt-other-kong": ("seat 2", "5z"),
    "LX-dealt-discard": ("dealt", "discard"),
    "LX-first-draw-dealer": ("seat 1",),
    "LX-first-draw-claim": ("seat 2", "5z"),
    "LX-first-draw-own-kong": ("seat 1", "5z"),
    "LX-first-draw-later-kong": ("seat 2", "5z"),
    "LX-first-discard-not-dealer": ("seat 3",),
    "LX-first-discard-pung": ("seat 0", "5z"),
    "LX-first-discard-winner-kong": ("seat 1", "5z"),
    "LX-first-discard-no-chain": ("seat 0",),
    "LX-moment-last-tile": ("last tile",),
    "LX-moment-unknown": ("second_draw", "none of"),
    "LX-how-unknown": ("how", "steal"),
    "LX-fish-three": ("seat 0",),
    "LX-fish-two-in-one": ("seat 1", "12z"),
    "LX-fish-three-lists": ("fish",),
    "LX-horses": ("horses",),
    "LX-unknown-key": ("lasttile",),
    "LX-unknown-option": ("no_such_option",),
    "LX-option-type": ("third_party",),
    "LX-melds-missing": ("melds",),
}


def cases_of(name: str) -> list[dict[str, Any]]:
    """Return the score cases of a golden file."""
    return list(tomllib.loads((GOLDEN / name).read_text(encoding="utf-8"))["case"])


CASES = cases_of("liuzhou.toml") + cases_of("liuzhou_lines.toml")
SETTLED = [case for case in CASES if "expect" in case]
IMPOSSIBLE = [case for case in CASES if "error" in case]


def case_of(name: str) -> dict[str, Any]:
    """Return a case by its id, without the test's own key."""
    found = next(case for case in CASES if case["id"] == name)
    return {key: value for key, value in found.items() if key != "error"}


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
    net = [0, 0, 0, 0]
    for transfer in answer["transfers"]:
        assert transfer["points"] > 0
        assert transfer["from"] != transfer["to"]
        net[transfer["from"]] -= transfer["points"]
        net[transfer["to"]] += transfer["points"]
    assert net == answer["net"]


@pytest.mark.parametrize("case", IMPOSSIBLE, ids=lambda case: case["id"])
def test_impossible(case: dict[str, Any]) -> None:
    """The answer is an error that names the seat, tile or key at fault."""
    answer = score(case_of(case["id"]))
    assert set(answer) == {"id", "error"}
    assert answer["id"] == case["id"]
    for complaint in COMPLAINTS[case["id"]]:
        assert complaint in answer["error"]


def test_the_files_hold_what_they_should() -> None:
    """Ids are unique, and a case either settles or is impossible."""
    assert len({case["id"] for case in CASES}) == len(CASES) == len(SETTLED) + len(IMPOSSIBLE)
    assert {case["id"] for case in IMPOSSIBLE} == set(COMPLAINTS)


def test_transfers_come_in_order() -> None:
    """Hand and liability by winner, then kongs, then fish; each with its own reason."""
    case = case_of("LL-third-party-kong-discard") | {"fish": [[], [], [], ["4z"]]}
    found = [(t["from"], t["to"], t["points"], t["reason"]) for t in score(case)["transfers"]]
    # Dealer 3: the fish 北 is seat 2, so 3 repeats 2 → 1; the kong's 3 → 2 would be 3 with himself.
    assert found == [(2, 1, 6, "hand"), (0, 1, 6, "liability"), (3, 2, 1, "kong"), (3, 1, 6, "fish")]


def test_liability_of_each_winner_follows_his_hand() -> None:
    """Two winners: the maker's hand and liability, then the other's hand."""
    found = [(t["from"], t["to"], t["reason"]) for t in score(case_of("LL-third-discards-to-two"))["transfers"]]
    assert found == [(3, 1, "hand"), (0, 1, "liability"), (3, 2, "hand")]


def test_liability_is_shown_alone() -> None:
    """The liability list is the part of the hand beyond the usual."""
    answer = score(case_of("LL-replacement-concealed-pungs"))
    assert answer["liability"] == [-8, 8, 0, 0]
    assert answer["winners"] == [{"seat": 1, "types": ["all_pungs", "replacement_win"], "points": 4}]


def test_points_are_one_share() -> None:
    """For kong_discard a share is 2D, though the discarder owes three."""
    assert score(case_of("LZ-gangpao-qys"))["winners"][0]["points"] == 6
    assert score(case_of("LZ-minggang-flower"))["winners"][0]["points"] == 2
    assert score(case_of("LF-drawn-all-kongs"))["winners"] == []


def test_base_options_stand_below_the_case() -> None:
    """Options of the call hold until the case says otherwise."""
    off = {"third_party": False}
    case = case_of("LL-third-party")
    assert score(case, off)["net"] == [0, 1, -1, 0]
    assert score(case | {"options": {"third_party": True}}, off)["net"] == [-1, 2, -1, 0]
    assert "no_such_option" in score(case, {"no_such_option": 1})["error"]


def test_other_rulesets_are_refused() -> None:
    """The twin answers for the rulesets it knows."""
    assert "sichuan" in score(case_of("LL-third-party") | {"rules": "sichuan"})["error"]
    assert "rules" in score(case_of("LL-third-party") | {"rules": ["liuzhou"]})["error"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", ""),
        ("id", 7),
        ("from", True),
        ("dealer", "0"),
        ("how", None),
        ("winners", 1),
        ("tile", 7),
        ("tile", ""),
        ("hands", ["", "", ""]),
        ("melds", [["pung 1z"], [], [], []]),
        ("melds", [[7], [], [], []]),
        ("melds", ["", "", "", ""]),
        ("last_tile", 1),
        ("moment", False),
        ("options", "third_party"),
        ("chain", "9p"),
        ("fish", ["1z", "", "", ""]),
    ],
)
def test_values_of_the_wrong_type(key: str, value: object) -> None:
    """Values that the format does not allow are refused by the name of their key; True is no seat."""
    error = score(case_of("LL-third-party") | {key: value})["error"]
    assert error.startswith(key.removesuffix("s"))
