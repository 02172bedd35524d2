"""Shipped variants: files that extend a built-in ruleset, found by name, that say what they change and why."""

import json
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import mjsim
from mjsim.rules import builtin_names, extended_name, load_rules, variant_names
from mjsim.rules.page import differences
from tests.commands import run, warm_up

#: The options that rules.md names, and a table without fish, with what they change.
OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "liuzhou_no_third_party": ("liuzhou", {"third_party": False}),
    "liuzhou_no_rob_kong": ("liuzhou", {"rob_kong": False}),
    "liuzhou_no_last_tile_discard": ("liuzhou", {"last_tile_discard": False}),
    "liuzhou_reserve_picked": ("liuzhou", {"reserve": "picked"}),
    "liuzhou_no_fishing": ("liuzhou", {"fishing.enabled": False}),
    "nanning_folk_dead_double": ("nanning_folk", {"dead_double": True}),
    "nanning_folk_human_hand_double": ("nanning_folk", {"human_hand": "double"}),
    "nanning_folk_ordinary_discard": ("nanning_folk", {"ordinary_discard": 2}),
    "nanning_laiyouxi_self_draw_scale": ("nanning_laiyouxi", {"concealed_kong_scale": "self_draw"}),
    "nanning_laiyouxi_ordinary_discard": ("nanning_laiyouxi", {"ordinary_discard": 2}),
}


def written(name: str) -> dict[str, Any]:
    """The tables of a variant's file."""
    return tomllib.loads(resources.files("mjsim.rules").joinpath("variants", f"{name}.toml").read_text("utf-8"))


def test_there_is_a_variant_for_every_named_option() -> None:
    assert set(variant_names()) == set(OPTIONS)
    assert list(variant_names()) == sorted(variant_names())
    assert not set(variant_names()) & set(builtin_names())


@pytest.mark.parametrize("name", OPTIONS)
def test_a_variant_is_its_base_with_one_key_changed(name: str) -> None:
    base, options = OPTIONS[name]
    rules = load_rules(name)
    assert (rules.name, rules.source, extended_name(name)) == (name, name, base)
    assert differences(load_rules(base, **options), rules) == []
    changed = differences(load_rules(base), rules)
    assert len(changed) == 1
    tables = [table for table in written(name) if table != "ruleset"]
    assert tables == [changed[0].path.partition(".")[0]]


@pytest.mark.parametrize("name", OPTIONS)
def test_a_variant_says_in_both_languages_what_it_changes(name: str) -> None:
    heading = written(name)["ruleset"]
    base = load_rules(OPTIONS[name][0])
    assert list(heading) == ["name", "extends", "title", "about"]
    assert heading["title"]["en"].startswith(base.title.en)
    assert heading["title"]["zh"].startswith(base.title.zh)
    assert heading["about"]["en"] != base.ruleset.about.en
    for text in (heading["title"]["zh"], heading["about"]["zh"]):
        assert re.search("[\u4e00-\u9fff]", text)
        assert not re.search("[A-Za-z]", text)


def test_a_users_file_extends_a_variant_and_overrides_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[ruleset]\nname = "mine"\nextends = "liuzhou_no_rob_kong"\n[fishing]\nmax_labels = 1\n')
    rules = load_rules(file, third_party=False)
    expected = load_rules("liuzhou", rob_kong=False, max_labels=1, third_party=False)
    assert differences(rules, expected) == []
    assert extended_name(file) == "liuzhou_no_rob_kong"


def test_near_names_of_variants_are_offered() -> None:
    with pytest.raises(mjsim.rules.RulesError, match="did you mean liuzhou_no_rob_kong"):
        load_rules("liuzhou_no_rob_kongs")


@pytest.mark.parametrize("name", OPTIONS)
def test_a_replay_of_a_variant_names_it_and_scores_again(name: str) -> None:
    warm_up()
    for deal in range(40):
        shown = mjsim.replay(name, deal=deal, seed=5, players="noisy")
        assert shown.case["rules"] == name
        assert "options" not in shown.case
        answer = mjsim.score(shown.case)
        expect = shown.case["expect"]
        assert {part: answer.get(part) for part in ("hand", "kongs", "fish", "net")} == {
            part: expect[part] for part in ("hand", "kongs", "fish", "net")
        }


def test_an_option_on_a_variant_is_named_beside_it() -> None:
    rules = load_rules("liuzhou_no_rob_kong", third_party=False)
    case = mjsim.replay(rules, deal=0).case
    assert (case["rules"], case["options"]) == ("liuzhou_no_rob_kong", {"third_party": False})


def test_commands_take_a_variant_by_name(tmp_path: Path) -> None:
    warm_up()
    checked = run("rules", "check", *OPTIONS)
    assert (checked.status, checked.out.count("is in order")) == (0, len(OPTIONS))
    listed = json.loads(run("rules", "list", "--format", "json").out)
    assert {row["name"]: row["extends"] for row in listed if row["extends"]} == {
        name: base for name, (base, _) in OPTIONS.items()
    }
    folder = tmp_path / "run"
    assert run("simulate", "nanning_folk_dead_double", "--deals", 200, "--out", folder).status == 0
    shown = run("replay", folder, "--deal", 3, "--json")
    case = json.loads(shown.out.splitlines()[-1])["case"]
    assert case["rules"] == "nanning_folk_dead_double"
    assert run("score", "-", stdin=shown.out.encode()).status == 0
