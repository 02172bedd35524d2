"""Rulesets as pages: every key in words, prices as rules.md has them, differences, and the schema for editors."""

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from pydantic import BaseModel

import mjsim
from mjsim.hands.types import ORDINARY, TYPES, names_of
from mjsim.rules import Ruleset, builtin_names, load_rules, option_names, variant_names
from mjsim.rules.check import table_of
from mjsim.rules.page import groups
from mjsim.rules.prices import Mode, event_prices, hand_prices, liability_lines, share
from mjsim.rules.schema import file_schema
from mjsim.rules.settings import key_paths
from mjsim.rules.words import TERMS, described, meaning
from tests.commands import ROOT, run

SHIPPED = (*builtin_names(), *variant_names())

# Tables of docs/rules.md: self-draw, self-draw concealed, discard, discard concealed.

LIUZHOU = {
    "ordinary": (1, 2, 1, 1),
    "all pungs": (2, 4, 3, 3),
    "full flush": (2, 4, 3, 3),
    "all pungs, full flush": (4, 8, 6, 6),
    "seven pairs": (None, 4, None, 3),
    "full flush, seven pairs": (None, 8, None, 6),
    "melded hand": (2, None, 3, None),
    "all pungs, melded hand": (4, None, 6, None),
    "full flush, melded hand": (4, None, 6, None),
    "all pungs, full flush, melded hand": (8, None, 12, None),
}
NANNING = {
    "ordinary": (3, 4, None, None),
    "all pungs": (6, 8, 9, 12),
    "full flush": (6, 8, 9, 12),
    "all pungs, full flush": (12, 16, 18, 24),
    "seven pairs": (None, 8, None, 12),
    "seven pairs, 1 quad": (None, 16, None, 24),
    "seven pairs, 2 quads": (None, 32, None, 48),
    "seven pairs, 3 quads": (None, 64, None, 96),
    "full flush, seven pairs": (None, 16, None, 24),
    "full flush, seven pairs, 3 quads": (None, 128, None, 192),
    "all pungs, melded hand": (6, None, 18, None),
    "all pungs, full flush, melded hand": (12, None, 36, None),
}

# What the payer pays for an ordinary hand, concealed, a special one, concealed; by event, chain and kong.

LIUZHOU_EVENTS = {
    ("replacement_win", None, "exposed"): ("giver", 6, 12, 12, 24),
    ("replacement_win", None, "concealed"): ("each", 3, 3, 4, 8),
    ("last_tile_draw", None, None): ("each", 2, 4, 4, 8),
    ("last_tile_claim", None, None): ("discarder", 1, 1, 3, 3),
    ("kong_discard", None, None): ("discarder", 6, 6, 18, 18),
    ("robbing_kong", None, None): ("discarder", 1, 1, 3, 3),
}
FOLK_EVENTS = {
    ("kong_discard", 1, None): ("discarder", 9, 12, 18, 24),
    ("kong_discard", 2, None): ("discarder", 18, 24, 36, 48),
    ("robbing_kong", 1, None): ("discarder", 9, 12, 18, 24),
    ("last_tile_claim", None, None): ("discarder", 9, 12, 18, 24),
    ("melded_discard", None, None): ("discarder", 9, 12, 18, 24),
    ("replacement_win", 1, "exposed"): ("giver", 18, 24, 36, 48),
    ("replacement_win", 4, "concealed"): ("each", 48, 64, 96, 128),
    ("heavenly_hand", None, None): ("each", None, 8, None, 16),
    ("earthly_hand", None, None): ("each", None, 8, None, 16),
    ("human_hand", None, None): ("discarder", None, 12, None, 24),
}
LAIYOUXI_EVENTS = {
    ("kong_discard", 1, None): ("discarder", 9, 12, 18, 24),
    ("replacement_win", 1, "concealed"): ("each", 6, 8, 18, 24),
    ("replacement_win", 1, "exposed"): ("giver", 18, 24, 36, 48),
    ("heavenly_hand", None, None): ("each", None, 50, None, 50),
    ("earthly_hand", None, None): ("discarder", None, 50, None, 50),
}


# Keys in words


def test_every_key_and_table_has_words_in_both_languages_and_no_words_are_left_over() -> None:
    used = set()
    for path in all_paths():
        english, chinese = meaning(path)
        assert english.endswith(".")
        assert chinese.endswith("。")
        assert re.search("[\u4e00-\u9fff]", chinese)
        used |= {f"{model.__name__}.{path[-1]}" for model in model_of(path[:-1]).__mro__}
    assert described() <= used


def model_of(path: tuple[str, ...]) -> type[BaseModel]:
    """The model of the table at a path."""
    model: type[BaseModel] = Ruleset
    for name in path:
        table = table_of(model, name)
        assert table is not None
        model = table
    return model


def all_paths() -> Iterator[tuple[str, ...]]:
    """Every key and table once."""
    seen = set()
    for path in key_paths(Ruleset):
        for length in range(1, len(path) + 1):
            seen.add(path[:length])
    yield from seen


def test_terms_are_those_of_the_hand_types() -> None:
    chinese = dict((*TYPES, ORDINARY))
    shared = TERMS.keys() & chinese.keys()
    assert {name: TERMS[name][1] for name in shared} == {name: chinese[name] for name in shared}
    assert set(chinese) - shared == {"quads_1", "quads_2", "quads_3"}
    for name in shared - {"ordinary", "concealed_hand"}:
        for path in all_paths():
            if path[-1] == name:
                assert TERMS[name][1] in meaning(path)[1]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_page_has_every_number_of_the_ruleset(name: str) -> None:
    rules = load_rules(name)
    keys = {key.path: key for keys in groups(rules).values() for key in keys}
    for path in option_names(rules):
        value: Any = rules.to_dict()
        for part in path.split("."):
            value = value.get(part, "none")
        assert keys[path].value == (None if isinstance(value, dict) else value), path
    absent = [path for path in keys if path.startswith("events.") and path not in option_names(rules)]
    assert {keys[path].value for path in absent} <= {"none"}


def test_show_in_every_form() -> None:
    as_json = json.loads(run("rules", "show", "nanning_laiyouxi", "--format", "json").out)
    rows = list(csv.reader(io.StringIO(run("rules", "show", "nanning_laiyouxi", "--format", "csv").out)))
    keys = {row["key"]: row["value"] for row in as_json["keys"]}
    assert keys["events.heavenly_hand.fixed"] == 50
    assert keys["events.human_hand"] == "none"
    assert {row[1]: row[2] for row in rows if row[0] == "keys"} == {
        key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in keys.items()
    }
    prices = {row[1]: row[2] for row in rows if row[0] == "hands"}
    assert prices["all pungs, full flush: self_draw"] == "12"
    for lang in ("en", "zh"):
        for form in ("table", "md"):
            page = run("rules", "show", "nanning_laiyouxi", "--format", form, "--lang", lang).out
            assert all(f"[{group}]" in page for group in groups(load_rules("liuzhou")))
            assert all(row["en"] in page and row["zh"] in page for row in as_json["keys"])
            first = page.splitlines()[0].lstrip("# ")
            assert first.startswith("Nanning" if lang == "en" else "南宁")
    assert "extends" in run("rules", "show", "liuzhou_no_rob_kong").out


def test_show_with_settings() -> None:
    done = run("rules", "show", "liuzhou", "--format", "json", "--set", "rob_kong=false", "--set", "max_labels=1")
    keys = {row["key"]: row["value"] for row in json.loads(done.out)["keys"]}
    assert (keys["kongs.rob_kong"], keys["fishing.max_labels"]) == (False, 1)
    assert "robbing_kong" not in {row["event"] for row in json.loads(done.out)["events"]}
    assert run("rules", "show", "liuzhou", "--set", "rob_kong=maybe").status == 1


# Prices


@pytest.mark.parametrize(
    ("name", "expected"), [("liuzhou", LIUZHOU), ("nanning_folk", NANNING), ("nanning_laiyouxi", NANNING)]
)
def test_hands_pay_as_the_rules_say(name: str, expected: dict[str, tuple[int | None, ...]]) -> None:
    shown = json.loads(run("rules", "show", name, "--format", "json").out)["hands"]
    columns = ("self_draw", "self_draw_concealed", "discard", "discard_concealed")
    found = {row["en"]: tuple(row[column] for column in columns) for row in shown}
    assert {hand: found[hand] for hand in expected} == expected
    assert ("melded hand" in found) == (name == "liuzhou")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("liuzhou", LIUZHOU_EVENTS), ("nanning_folk", FOLK_EVENTS), ("nanning_laiyouxi", LAIYOUXI_EVENTS)],
)
def test_events_pay_as_the_rules_say(name: str, expected: dict[tuple[Any, ...], tuple[Any, ...]]) -> None:
    found = {
        (line.event, line.chain, line.kong): (
            line.payer,
            line.ordinary,
            line.ordinary_concealed,
            line.special,
            line.special_concealed,
        )
        for line in event_prices(load_rules(name))
    }
    assert {key: found[key] for key in expected} == expected
    assert {event for event, _, _ in found} == set(load_rules(name).to_dict()["events"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("liuzhou", [(2, 0), (1, 1), (1, 0), (3, 1)]),
        ("liuzhou_no_third_party", [(2, 0), (0, 1), (1, 0), (3, 1)]),
        ("nanning_folk", [(2, 0), (1, 1), (0, 0), (3, 0)]),
        ("nanning_folk_dead_double", [(4, 0), (2, 1), (0, 0), (6, 0)]),
        ("nanning_laiyouxi", [(2, 0), (1, 1), (0, 0), (6, 0)]),
    ],
)
def test_liability_lines_are_those_of_the_rules(name: str, expected: list[tuple[int, int]]) -> None:
    assert [(line.giver, line.others) for line in liability_lines(load_rules(name))] == expected


def test_no_liability_has_no_lines() -> None:
    assert liability_lines(load_rules("liuzhou", **{"liability.enabled": False})) == []


def test_worked_examples_of_the_app() -> None:
    rules = load_rules("nanning_laiyouxi")
    types = ("full_flush", "all_pungs", "replacement_win")
    assert share(rules, types, "self_draw", concealed_kong=True) == 36
    assert share(load_rules("nanning_laiyouxi_self_draw_scale"), types, "self_draw", concealed_kong=True) == 24
    assert share(rules, ("melded_hand", "all_pungs", "melded_discard"), "discard") == 18
    assert share(load_rules("nanning_folk"), ("melded_hand", "all_pungs", "melded_discard"), "discard") == 36
    assert share(load_rules("nanning_folk_human_hand_double"), ("human_hand", "concealed_hand"), "discard") == 24


@pytest.mark.parametrize("name", SHIPPED)
def test_simulated_wins_are_worth_what_the_arithmetic_says(name: str) -> None:
    rules = load_rules(name)
    columns = mjsim.simulate(rules, deals=10_000, seed=3, players="noisy").columns
    wins = 0
    for seat in range(4):
        for deal in np.flatnonzero(columns["winners"] >> seat & 1).tolist():
            types = names_of(int(columns[f"types_{seat}"][deal]))
            mode: Mode = "self_draw" if columns["outcome"][deal] == 0 else "discard"
            liable = columns["links"][deal] >> (4 * seat) & 15 and rules.liability.giver_alone
            if "replacement_win" in types and liable:
                continue  # who pays for it does not show which kong decided
            quads, chain = int(columns[f"quads_{seat}"][deal]), int(columns["chain"][deal])
            concealed = bool(columns["payer"][deal] == -1)
            worth = share(rules, types, mode, quads=quads, chain=chain, concealed_kong=concealed)
            assert worth == columns[f"points_{seat}"][deal], (deal, types)
            wins += 1
    assert wins > 5000


def test_hand_prices_are_for_hands_that_exist() -> None:
    for name in SHIPPED:
        for line in hand_prices(load_rules(name)):
            assert ("seven_pairs" in line.types) == (line.self_draw is None)
            assert ("melded_hand" in line.types) == (line.self_draw_concealed is None)


# Differences


def test_diff_prints_what_differs_and_nothing_else() -> None:
    done = run("rules", "diff", "nanning_folk", "nanning_laiyouxi", "--format", "json")
    assert (done.status, done.err) == (0, "")
    found = {row["key"]: (row["first"], row["second"]) for row in json.loads(done.out)}
    assert found["liability.self_draw"] == (3, 6)
    assert found["events.human_hand"][1] == "none"
    assert "events.human_hand.units" not in found
    one, other = load_rules("nanning_folk"), load_rules("nanning_laiyouxi")
    settings = {key: second for key, (_, second) in found.items()}
    changed = one.with_overrides(settings)
    assert {**changed.to_dict(), "ruleset": {}} == {**other.to_dict(), "ruleset": {}}


def test_diff_of_the_same_rules_and_of_a_setting() -> None:
    assert run("rules", "diff", "liuzhou", "liuzhou").out == "No key differs.\n"
    assert run("rules", "diff", "liuzhou", "liuzhou", "--lang", "zh").out == "没有不同的键。\n"
    assert json.loads(run("rules", "diff", "liuzhou", "liuzhou", "--format", "json").out) == []
    done = run("rules", "diff", "liuzhou", "liuzhou", "--set", "rob_kong=false", "--format", "md")
    assert done.out.splitlines()[0] == "| key | liuzhou | liuzhou rob_kong=false | meaning | 含义 |"
    assert "| kongs.rob_kong | true | false |" in done.out


# The schema


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    """The schema, found in order by its own meta-schema."""
    schema = json.loads(run("rules", "schema").out)
    assert schema == file_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def ruleset_files() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every shipped ruleset file, parsed."""
    for folder in ("mjsim/rules", "mjsim/rules/variants"):
        for file in sorted((ROOT / folder).glob("*.toml")):
            yield file.stem, tomllib.loads(file.read_text(encoding="utf-8"))


def test_the_schema_accepts_every_shipped_file(validator: jsonschema.Draft202012Validator) -> None:
    files = dict(ruleset_files())
    assert set(files) == set(SHIPPED)
    for name, tables in files.items():
        assert [error.message for error in validator.iter_errors(tables)] == [], name
    for name in SHIPPED:
        assert validator.is_valid(load_rules(name).to_dict())


def changed(path: str, value: Any = None) -> dict[str, Any]:
    """The tables of liuzhou's file with one key set, or taken away."""
    tables = tomllib.loads(resources.files("mjsim.rules").joinpath("liuzhou.toml").read_text(encoding="utf-8"))
    *names, key = path.split(".")
    table = tables
    for name in names:
        table = table[name]
    if value is None:
        del table[key]
    else:
        table[key] = value
    return tables


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {"ruleset": {"name": "mine"}},
        {"ruleset": {"extends": 3}},
        {"ruleset": {"extends": "liuzhou"}, "kong": {}},
        {"ruleset": {"extends": "liuzhou"}, "kongs": {"exposed": -1}},
        {"ruleset": {"extends": "liuzhou"}, "kongs": {"exposed": "none"}},
        {"ruleset": {"extends": "liuzhou"}, "events": {"human_hand": "triple"}},
        changed("pass_lock"),
        changed("value.step"),
        changed("value.step", "2"),
        changed("value.discard.special", -1),
        changed("units.quad.discard"),
        changed("events.replacement_win.decided_by"),
        changed("events.robbing_kong", {}),
        changed("events.kong_discard.payer", "giver"),
        changed("fishing.reserv", "all"),
        changed("ruleset.title.zh"),
    ],
)
def test_the_schema_refuses_what_loading_refuses(
    validator: jsonschema.Draft202012Validator, tables: dict[str, Any], tmp_path: Path
) -> None:
    assert not validator.is_valid(tables)
    file = tmp_path / "bad.toml"
    file.write_text(as_toml(tables), encoding="utf-8")
    assert run("rules", "check", file).status == 1


def as_toml(tables: dict[str, Any]) -> str:
    """Tables as TOML, each table inline."""

    def value(given: Any) -> str:
        if isinstance(given, dict):
            return "{ " + ", ".join(f"{key} = {value(inner)}" for key, inner in given.items()) + " }"
        return json.dumps(given, ensure_ascii=False)

    return "".join(f"{key} = {value(inner)}\n" for key, inner in tables.items())


@pytest.mark.parametrize(
    "tables",
    [
        {"ruleset": {"extends": "liuzhou"}},
        {"ruleset": {"extends": "other.toml", "name": "mine"}, "value": {"discard": {"special": "none"}}},
        {"ruleset": {"extends": "nanning_folk"}, "events": {"human_hand": "double", "heavenly_hand": {"units": 2}}},
        changed("events"),
        changed("events.kong_discard", "none"),
    ],
)
def test_the_schema_accepts_partial_files_that_extend_others(
    validator: jsonschema.Draft202012Validator, tables: dict[str, Any]
) -> None:
    assert [error.message for error in validator.iter_errors(tables)] == []


def test_every_key_of_the_schema_is_described_in_both_languages() -> None:
    schema = file_schema()
    tables = [schema, *schema["$defs"].values()]
    keys = [key for each in tables for key in each["properties"].values()]
    assert len(keys) > 80
    assert all(re.search("[a-z].*[\u4e00-\u9fff]", key["description"], re.DOTALL) for key in keys)
