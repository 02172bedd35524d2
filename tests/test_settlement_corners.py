"""Corners of the settlement that no score case shows: a type that pays nothing more, and the column of liability."""

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

import mjsim
from mjsim.hands.tables import tables
from mjsim.rules import load_rules
from mjsim.rules.packed import pack
from mjsim.scoring.answer import lay_out, rules_of, settle_case
from mjsim.scoring.case import read_case
from mjsim.settle import SETTLEMENT
from mjsim.state import DEAL, new_record
from tests.commands import ROOT
from tests.naive import score as naive

#: The giver of three melds and the giver of the kong whose replacement wins are two seats.
TWO_GIVERS: dict[str, Any] = {
    "id": "two givers",
    "dealer": 0,
    "how": "self_draw",
    "winners": [1],
    "tile": "7z",
    "hands": ["", "7z", "", ""],
    "melds": [[], ["pung 1m <0", "pung 4p <0", "pung 8s <0", "kong 2z <2"], [], []],
    "chain": ["2z"],
}


def test_a_hand_type_is_named_also_where_it_pays_no_more() -> None:
    case = TWO_GIVERS | {"how": "discard", "from": 2, "chain": [], "rules": "liuzhou"}
    case |= {"hands": ["", "55m777p33s", "", ""], "tile": "3s", "melds": [[], ["pung 1m <0", "pung 9s <3"], [], []]}
    for units, points in ((1, 3), (0, 1)):
        (winner,) = mjsim.score(case, rules=load_rules("liuzhou", **{"units.all_pungs.discard": units}))["winners"]
        assert winner == {"seat": 1, "types": ["all_pungs"], "points": points}


def _cases() -> Iterator[dict[str, Any]]:
    for rules in ("liuzhou", "nanning_folk", "nanning_laiyouxi"):
        yield TWO_GIVERS | {"rules": rules}
        for case in tomllib.loads((ROOT / f"tests/golden/{rules}.toml").read_text(encoding="utf-8"))["case"]:
            if case["rules"] == rules:
                yield case


@pytest.mark.parametrize("case", list(_cases()), ids=lambda case: f"{case['rules']}-{case['id']}")
def test_the_column_of_liability_is_the_twins(case: dict[str, Any]) -> None:
    deal, settlement = new_record(DEAL), new_record(SETTLEMENT)
    lay_out(read_case(case), deal)
    settle_case(deal, pack(rules_of(case, None)), tables(), settlement)
    assert settlement.liability.tolist() == naive.score(case)["liability"]


def test_concealed_and_exposed_kongs_have_prices_of_their_own() -> None:
    rules = load_rules("liuzhou", **{"kongs.exposed": 2, "kongs.concealed": 5})
    case = {"id": "kongs", "rules": "liuzhou", "dealer": 0, "how": "drawn"}
    melds = [["kong- 1m"], ["kong 2m <3"], ["kong+ 3m <0"], []]
    assert mjsim.score(case | {"melds": melds}, rules=rules)["kongs"] == [15 - 2, 2 - 5, 2 - 5, -5 - 2]
