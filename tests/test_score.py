"""Score cases: every worked example of the rule text, every line it leaves out, and what cannot be a finished deal."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import mjsim
from tests.naive import score as naive

GOLDEN = Path(__file__).parent / "golden"
FILES = ("liuzhou.toml", "liuzhou_lines.toml", "nanning_folk.toml", "nanning_laiyouxi.toml", "nanning_lines.toml")
CASES: list[dict[str, Any]] = [
    case for file in FILES for case in tomllib.loads((GOLDEN / file).read_text(encoding="utf-8"))["case"]
]
VALID = [case for case in CASES if "expect" in case]
REFUSED = [{key: value for key, value in case.items() if key != "error"} for case in CASES if case.get("error")]


def moved(transfers: list[dict[str, Any]]) -> Counter[tuple[int, int, str]]:
    """Points by payer, receiver and reason, opposite payments of one reason netted.

    What a liable seat pays in place of others may be called hand or liability: both count as hand here.
    """
    sums: Counter[tuple[int, int, str]] = Counter()
    for transfer in transfers:
        reason = "hand" if transfer["reason"] == "liability" else transfer["reason"]
        sums[transfer["from"], transfer["to"], reason] += transfer["points"]
    netted: Counter[tuple[int, int, str]] = Counter()
    for (payer, receiver, reason), points in sums.items():
        net = points - sums.get((receiver, payer, reason), 0)
        if net > 0:
            netted[payer, receiver, reason] = net
    return netted


def test_there_are_cases_of_both_kinds() -> None:
    assert len(VALID) >= 500
    assert len(REFUSED) >= 160


@pytest.mark.parametrize("case", VALID, ids=lambda case: case["id"])
def test_expected_points(case: dict[str, Any]) -> None:
    answer = mjsim.score(case)
    assert "error" not in answer, answer["error"]
    expect = case["expect"]
    for key in ("hand", "kongs", "fish", "net"):
        assert answer[key] == expect.get(key, [0, 0, 0, 0]), key
        assert sum(answer[key]) == 0
    if "types" in expect:
        assert sorted(answer["winners"][0]["types"]) == sorted(expect["types"])


@pytest.mark.parametrize("case", VALID, ids=lambda case: case["id"])
def test_agrees_with_the_twin(case: dict[str, Any]) -> None:
    answer, twin = mjsim.score(case), naive.score(case)
    for key in ("id", "net", "hand", "kongs", "fish"):
        assert answer[key] == twin[key], key
    assert [{**winner, "types": sorted(winner["types"])} for winner in answer["winners"]] == [
        {**winner, "types": sorted(winner["types"])} for winner in twin["winners"]
    ]
    assert moved(answer["transfers"]) == moved(twin["transfers"])


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["id"])
def test_what_cannot_be_a_finished_deal_is_refused(case: dict[str, Any]) -> None:
    answer = mjsim.score(case)
    assert set(answer) == {"id", "error"}
    assert answer["error"]
