"""Rulesets: what is read, what is refused, and what a user is told."""

import json
import pickle
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from mjsim.errors import MjsimError, RulesError
from mjsim.rules import Ruleset, builtin_names, load_rules, option_names, parse_setting

Result = TypeVar("Result")

LIUZHOU = resources.files("mjsim.rules").joinpath("liuzhou.toml").read_text(encoding="utf-8")


def problems(data: dict[str, Any]) -> list[str]:
    """Lines of the error that a ruleset of these tables gets."""
    with pytest.raises(RulesError) as caught:
        Ruleset.from_dict(data, "my.toml")
    return str(caught.value).split("\n")


def liuzhou(**changes: Any) -> dict[str, Any]:
    """The tables of liuzhou with some of them updated, each named by its path with "__" for the dot."""
    data = load_rules("liuzhou").to_dict()
    for path, value in changes.items():
        *tables, key = path.split("__")
        table = data
        for name in tables:
            table = table[name]
        table[key] = value
    return data


def refusal(name_or_path: Any, **overrides: Any) -> str:
    """The message with which `load_rules` refuses."""
    with pytest.raises(RulesError) as caught:
        load_rules(name_or_path, **overrides)
    return str(caught.value)


def outcome(work: Callable[[], Result]) -> tuple[Result | None, str]:
    """What `work` returns and "", or None and the message of its RulesError."""
    try:
        return work(), ""
    except RulesError as error:
        return None, str(error)


def write(folder: Path, name: str, text: str) -> Path:
    """Write a ruleset file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# What a ruleset is


def test_liuzhou_says_what_its_file_says() -> None:
    rules = load_rules("liuzhou")
    assert (rules.name, rules.title.en, rules.title.zh, rules.source) == (
        "liuzhou",
        "Liuzhou mahjong",
        "柳州麻将",
        "liuzhou",
    )
    written = tomllib.loads(LIUZHOU)
    complete = rules.to_dict()
    assert list(complete) == list(written)
    for name, event in complete["events"].items():
        model = type(getattr(rules.events, name))
        for key in set(event) - set(written["events"][name]):
            written["events"][name][key] = model.model_fields[key].default
    assert complete == written


def test_every_builtin_is_named_as_its_file() -> None:
    assert "liuzhou" in builtin_names()
    for name in builtin_names():
        assert load_rules(name).name == name


def test_rulesets_are_frozen_all_the_way_down() -> None:
    rules = load_rules("liuzhou")
    for table, key in ((rules, "value"), (rules.value, "step"), (rules.value.discard, "special")):
        with pytest.raises(ValidationError, match="frozen"):
            setattr(table, key, getattr(table, key))


def test_equality_hash_and_digest_follow_the_rules_and_not_the_source(tmp_path: Path) -> None:
    builtin, file = load_rules("liuzhou"), load_rules(write(tmp_path, "copy.toml", LIUZHOU))
    assert file.source != builtin.source
    assert file == builtin
    assert hash(file) == hash(builtin)
    assert file.digest() == builtin.digest()
    other = load_rules("liuzhou", step=3)
    assert other != builtin
    assert other.digest() != builtin.digest()
    assert builtin != "liuzhou"


def test_a_default_written_out_changes_nothing() -> None:
    data = liuzhou()
    del data["events"]["last_tile_draw"]["payer"], data["events"]["last_tile_draw"]["units"]
    assert Ruleset.from_dict(data).digest() == load_rules("liuzhou").digest()


def test_dict_json_and_pickle_give_the_ruleset_back() -> None:
    rules = load_rules("liuzhou", **{"value.ordinary_discard": "none", "concealed_ordinary": "none"})
    assert rules.value.ordinary_discard is None
    assert rules.to_dict()["value"]["ordinary_discard"] == "none"
    again = Ruleset.from_dict(json.loads(json.dumps(rules.to_dict())))
    assert again == rules
    carried = pickle.loads(pickle.dumps(rules))
    assert (carried, carried.source) == (rules, "liuzhou")


def test_absent_and_none_events_are_the_same() -> None:
    absent = liuzhou()
    del absent["events"]["kong_discard"]
    rules = Ruleset.from_dict(absent)
    assert rules.events.kong_discard is None
    assert "kong_discard" not in rules.to_dict()["events"]
    assert rules == Ruleset.from_dict(liuzhou(events__kong_discard="none"))
    assert rules == load_rules("liuzhou", kong_discard="none")
    without_events = liuzhou()
    del without_events["events"]
    assert Ruleset.from_dict(without_events).to_dict()["events"] == {}


def test_json_schema_writes_none_as_toml_does_and_describes_every_key() -> None:
    schema = Ruleset.model_json_schema()
    special = schema["$defs"]["DiscardPrices"]["properties"]["special"]
    assert {"const": "none"} in special["anyOf"]
    assert "null" not in json.dumps(schema)
    tables = [schema, *schema["$defs"].values()]
    assert all(table["description"] for table in tables)
    keys = [key for table in tables for key in table["properties"].values() if "$ref" not in key]
    assert all(key["description"] for key in keys)


# What is refused


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("claims__chow", 1, "claims.chow = 1: must be true or false"),
        ("claims__chow", "true", 'claims.chow = "true": must be true or false'),
        ("value__step", True, "value.step = true: must be a whole number from 1 to 10"),
        ("value__step", 2.0, "value.step = 2.0: must be a whole number from 1 to 10"),
        ("value__step", "2", 'value.step = "2": must be a whole number from 1 to 10'),
        ("value__step", 0, "value.step = 0: must be a whole number from 1 to 10"),
        ("value__step", 11, "value.step = 11: must be a whole number from 1 to 10"),
        ("value__step", [2], "value.step = a list: must be a whole number from 1 to 10"),
        ("value__step", 1 << 999, "value.step = a number of 1,000 bits: must be a whole number from 1 to 10"),
        (
            "value__discard__special",
            -1,
            'value.discard.special = -1: must be a whole number from 0 to 1000000 or "none"',
        ),
        ("units__quad__discard", 11, "units.quad.discard = 11: must be a whole number from 0 to 10"),
        ("events__kong_discard__factor", 0, "events.kong_discard.factor = 0: must be a whole number from 1 to 100"),
        (
            "events__kong_discard__payer",
            "giver",
            'events.kong_discard.payer = "giver": must be "usual" or "discarder"',
        ),
        (
            "events__replacement_win__payer",
            "discarder",
            'events.replacement_win.payer = "discarder": must be "usual" or "giver"',
        ),
        ("events__robbing_kong__payer", "giver", 'events.robbing_kong.payer = "giver": must be "usual"'),
        (
            "events__replacement_win__decided_by",
            "middle",
            'events.replacement_win.decided_by = "middle": must be "first", "last" or "first_exposed"',
        ),
        ("events__robbing_kong", 3, 'events.robbing_kong = 3: must be a table or "none"'),
        ("kongs__exposed", 1_000_001, "kongs.exposed = 1000001: must be a whole number from 0 to 1000000"),
        ("liability__melds", 5, "liability.melds = 5: must be a whole number from 3 to 4"),
        ("fishing__max_labels", 3, "fishing.max_labels = 3: must be a whole number from 0 to 2"),
        ("fishing__reserve", "some", 'fishing.reserve = "some": must be "all" or "picked"'),
        ("fishing", 3, "fishing = 3: must be a table"),
        (
            "ruleset__name",
            "a b",
            'ruleset.name = "a b": must be a name of letters, digits, "_", "-" and ".", at most 64 characters',
        ),
        ("ruleset__title__en", "", 'ruleset.title.en = "": must be text of 1 to 200 characters'),
        ("fishing__reserv", 1, "fishing.reserv = 1: unknown key; did you mean reserve?"),
        ("fishing__x y", {}, 'fishing."x y" = a table: unknown key; known here: enabled, max_labels, reserve'),
        (
            "fishing__max_labels",
            0,
            "fishing.max_labels: 0 beside fishing.enabled = true; set fishing.enabled = false to play without fish",
        ),
        (
            "events__kong_discard__units",
            1,
            "events.kong_discard.units: 1 units beside factor = 2; set factor = 1 or units = 0",
        ),
        (
            "events__robbing_kong",
            {},
            "events.robbing_kong.factor: missing; an event needs factor, a whole number from 1 to 100, "
            "or units, from 0 to 10",
        ),
    ],
)
def test_one_wrong_key_gives_one_line_with_file_path_value_and_what_is_allowed(
    path: str, value: object, message: str
) -> None:
    assert problems(liuzhou(**{path: value})) == [f"my.toml: {message}"]


def test_contradictions_of_chains_and_first_moments() -> None:
    events = {
        "heavenly_hand": {"moment": "dealt", "fixed": 50, "units": 1},
        "earthly_hand": {"moment": "first_draw"},
        "human_hand": {"moment": "later", "units": 1},
        "robbing_kong": {"factor": 2, "per_kong": True},
    }
    assert problems(liuzhou(events=events)) == [
        "my.toml: events.robbing_kong.per_kong: true beside units = 0; there is nothing to count",
        "my.toml: events.heavenly_hand.fixed: 50 beside factor or units; nothing stacks on a fixed share",
        "my.toml: events.earthly_hand.factor: missing; an event needs factor, a whole number from 1 to 100, "
        "or units, from 0 to 10",
        'my.toml: events.human_hand.moment = "later": must be "dealt", "first_draw" or "first_discard"',
    ]


def test_double_stands_for_a_human_hand_of_two_units() -> None:
    written_out = load_rules("nanning_folk", **{"events.human_hand": {"moment": "first_discard", "units": 2}})
    assert load_rules("nanning_folk", human_hand="double") == written_out
    assert written_out.events.human_hand is not None
    assert written_out.events.human_hand.units == 2


def test_everything_wrong_is_told_at_once_in_the_files_order() -> None:
    data = liuzhou(fishing__max_labels=0, fishing__fish=1, value__step="2", claims__chow=0, whatever=[])
    data["units"]["quad"].clear()
    del data["pass_lock"]
    assert [line.partition(": ")[2].split(" =")[0].split(":")[0] for line in problems(data)] == [
        "claims.chow",
        "value.step",
        "units.quad.self_draw",
        "units.quad.discard",
        "pass_lock.enabled",
        "fishing.max_labels",
        "fishing.fish",
        "whatever",
    ]


def test_an_empty_file_hears_of_every_missing_key() -> None:
    missing = [line.split(": ")[1] for line in problems({})]
    settable = set(option_names(load_rules("liuzhou"))) | {
        f"ruleset.{key}" for key in ("name", "title.en", "title.zh", "about.en", "about.zh")
    }
    assert set(missing) == {path for path in settable if not path.startswith("events.")}
    assert len(missing) == len(set(missing))


def test_a_ruleset_under_which_nobody_can_win_is_refused() -> None:
    nothing = dict.fromkeys(("ordinary", "ordinary_concealed", "special", "special_concealed"), "none")
    given = dict.fromkeys(("special", "special_concealed"), "none")
    data = liuzhou(value__self_draw=nothing, value__discard=given, value__ordinary_discard="none")
    assert problems(data) == [
        'my.toml: value.self_draw: every price, also under value.discard, is "none": nobody could ever win'
    ]


def test_the_largest_share_of_liuzhou_is_a_melded_flush_on_the_last_replacement() -> None:
    # All pungs, one suit, melded hand: three units, priced at most as concealed (4), times 2 * 2; times 2 and 2.
    assert load_rules("liuzhou").largest_share() == 4 * 2**2 * 2 * 2


def test_the_largest_share_of_the_folk_rules_counts_a_chain_of_four() -> None:
    # Seven pairs with three quads in one suit, five units; the discard after a chain of four, the last tile, a melded
    # discard and all three first moments, though they exclude each other: nine more. The first is priced as 12.
    assert load_rules("nanning_folk").largest_share() == 12 * 2**13


@pytest.mark.parametrize("path", ["value.self_draw.special", "value.ordinary_discard"])
def test_points_that_could_overflow_are_refused_at_the_exact_bound(path: str) -> None:
    rules = load_rules("liuzhou")
    low, high = 1, 1_000_000
    while high - low > 1:
        middle = (low + high) // 2
        changed, message = outcome(partial(rules.with_overrides, {path: middle}))
        if changed is None:
            assert message.startswith("liuzhou: value: with these prices, ")
            high = middle
        else:
            low = middle
    # A seat's hand is at most 9 shares with 4 links of 2 times each, plus 12 kongs; itself and eight fish.
    largest = rules.with_overrides({path: low})
    assert largest.largest_result() == (9 * largest.largest_share() * 9 + 12) * 9
    assert largest.largest_result() < 2**31 <= (9 * (largest.largest_share() // low) * high * 9 + 12) * 9


def test_numbers_that_python_does_not_print_are_refused_like_others() -> None:
    huge = 10**5000
    assert problems(liuzhou(value__step=huge)) == [
        "my.toml: value.step = a number of 16,610 bits: must be a whole number from 1 to 10"
    ]
    assert len(problems({huge: huge, "fishing": {huge: [huge]}, "value": {"step": {huge}}})) > 40  # type: ignore[dict-item]


def test_a_flood_of_problems_is_cut() -> None:
    lines = problems({f"k{number}": 1 for number in range(5000)})
    assert len(lines) == 101
    assert lines[-1].startswith("and ")


# Settings


def test_settings_by_full_path_and_by_last_name() -> None:
    changed = load_rules("liuzhou", third_party=False, rob_kong=False, last_tile_discard=False, reserve="picked")
    assert not any((changed.liability.third_party, changed.kongs.rob_kong, changed.deal_end.last_tile_discard))
    assert changed.fishing.reserve == "picked"
    assert load_rules("liuzhou", **{"fishing.reserve": "picked"}).fishing.reserve == "picked"
    assert load_rules("liuzhou").with_overrides({"fishing.enabled": False, "max_labels": 0}).source == "liuzhou"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"enabled": False},
            "setting enabled: more than one key has this name; "
            "write liability.enabled, pass_lock.enabled, fishing.enabled or horses.enabled",
        ),
        ({"reserv": "all"}, 'setting "reserv": no such key; did you mean fishing.reserve?'),
        ({"kongs.rob_cong": True}, 'setting "kongs.rob_cong": no such key; did you mean kongs.rob_kong?'),
        ({"qqqq": 1}, 'setting "qqqq": no such key; keys look like fishing.reserve'),
        ({"": 1}, 'setting "": no such key; keys look like fishing.reserve'),
        (
            {"reserve": "all", "fishing.reserve": "all"},
            "setting fishing.reserve: fishing.reserve is already set by reserve",
        ),
        (
            {"reserve": "none", "third_party": 1},
            "setting for liuzhou: liability.third_party = 1: must be true or false\n"
            'setting for liuzhou: fishing.reserve = "none": must be "all" or "picked"',
        ),
    ],
)
def test_wrong_settings(overrides: dict[str, Any], message: str) -> None:
    assert refusal("liuzhou", **overrides) == message


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("third_party=true", ("third_party", True)),
        (" liability.melds = 3 ", ("liability.melds", 3)),
        ('reserve="picked"', ("reserve", "picked")),
        ("reserve=picked", ("reserve", "picked")),
        ("ruleset.title.zh=柳州 麻将", ("ruleset.title.zh", "柳州 麻将")),
        ('about.en="a=b"', ("about.en", "a=b")),
        ("events.kong_discard={ factor = 3 }", ("events.kong_discard", {"factor": 3})),
    ],
)
def test_settings_of_the_command_line(text: str, setting: tuple[str, object]) -> None:
    assert parse_setting(text) == setting


@pytest.mark.parametrize(
    "text", ["", "reserve", "=3", "reserve=", 'reserve="pi', "a=1\nb=2", "a=[[[", "a=" + "[" * 50_000]
)
def test_what_is_no_setting(text: str) -> None:
    with pytest.raises(RulesError, match=r"must be KEY=VALUE|not a value"):
        parse_setting(text)


def test_option_names_can_all_be_set_and_leave_out_absent_events() -> None:
    rules = load_rules("liuzhou")
    names = option_names(rules)
    for name in names:
        value: Any = rules.to_dict()
        for key in name.split("."):
            value = value[key]
        assert rules.with_overrides({name: value}) == rules
    without = option_names(rules.with_overrides({"kong_discard": "none"}))
    assert set(names) - set(without) == {name for name in names if name.startswith("events.kong_discard")}


# Finding and reading files


def test_unknown_names_list_the_builtin_ones_and_near_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    message = refusal("liuzho")
    assert message.startswith('no built-in ruleset "liuzho" (there is ')
    assert all(name in message for name in builtin_names())
    assert message.endswith("did you mean liuzhou?")
    write(tmp_path, "house", LIUZHOU)
    assert refusal("house").endswith("for the file of that name write ./house")
    assert load_rules("./house") == load_rules(Path("house")) == load_rules("liuzhou")


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.toml").mkdir()
    Path("loop.toml").symlink_to("loop.toml")
    Path("big.toml").write_bytes(b"#" * 1_000_001)
    Path("latin.toml").write_bytes(b"# fine\n# Stra\xdfe\n")
    write(tmp_path, "dots.toml", "\n" + "a." * 300 + "b = 1")
    write(tmp_path, "digits.toml", "[value]\nstep = " + "9" * 5000)
    write(tmp_path, "deep.toml", "a = " + "[" * 100_000)
    assert refusal("gone.toml") == "gone.toml: no such file"
    assert refusal("folder.toml") == "folder.toml: a folder, not a ruleset file"
    assert refusal("loop.toml").startswith("loop.toml: cannot be read: ")
    assert refusal("big.toml") == "big.toml: over 1000000 bytes, too large for a ruleset file"
    assert refusal("latin.toml") == "latin.toml: not UTF-8 text (line 2, byte 0xdf)"
    assert refusal("dots.toml") == "dots.toml: line 2: over 200 dots in one line"
    assert refusal("digits.toml") == "digits.toml: line 2, column 8: a number with too many digits"
    assert refusal("deep.toml") == "deep.toml: not TOML that can be read: brackets nested too deeply"
    assert refusal("a\0b.toml") == r'"a\x00b.toml": not a possible file name'
    assert refusal(3) == "3: a ruleset is given by its name or the path of its file"
    assert refusal("x" * 300 + ".toml").endswith(": cannot be read: File name too long")


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    # The file system itself cannot refuse where the suite runs as root.
    monkeypatch.setattr("builtins.open", refuse)
    assert refusal("mine.toml") == "mine.toml: cannot be read: Permission denied"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[value]\nstep = = 2", "line 2, column 8"),
        ("[value]\nstep = [2,", "line 2, column 11"),
        ("x=1\nx=2", "line 2, column"),
    ],
)
def test_malformed_toml_is_placed_by_line_and_column(tmp_path: Path, text: str, where: str) -> None:
    path = write(tmp_path, "bad.toml", text)
    assert refusal(path).startswith(f"{path}: {where}")
    assert "\n" not in refusal(path)


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "notepad.toml"
    path.write_bytes(b"\xef\xbb\xbf" + LIUZHOU.replace("\n", "\r\n").encode())
    assert load_rules(path) == load_rules("liuzhou")


# Files that extend others


def test_a_file_extends_a_builtin_one_and_another_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write(
        tmp_path,
        "house.toml",
        '[ruleset]\nextends = "liuzhou"\n[value.discard]\nspecial = 5\n[fishing]\nmax_labels = 1',
    )
    path = write(
        tmp_path / "sub",
        "evening.toml",
        '[ruleset]\nname = "evening"\nextends = "../house.toml"\n'
        '[events]\nlast_tile_claim = "none"\n[fishing]\nreserve = "picked"',
    )
    rules = load_rules(path, max_labels=2)
    expected = load_rules(
        "liuzhou", **{"value.discard.special": 5, "reserve": "picked", "last_tile_claim": "none", "name": "evening"}
    )
    assert rules == expected
    assert rules.source == str(path)


def test_a_problem_names_the_file_it_stands_in(tmp_path: Path) -> None:
    base = write(tmp_path, "base.toml", '[ruleset]\nextends = "liuzhou"\n[value]\nstep = 0')
    top = write(tmp_path, "top.toml", '[ruleset]\nextends = "base.toml"\n[kongs]\nexposed = -1')
    assert refusal(top, chow=0).split("\n") == [
        f"setting for {top}: claims.chow = 0: must be true or false",
        f"{base}: value.step = 0: must be a whole number from 1 to 10",
        f"{top}: kongs.exposed = -1: must be a whole number from 0 to 1000000",
    ]


@pytest.mark.parametrize("extends", ["a.toml", "b.toml", "./sub/../b.toml"])
def test_circles_are_refused(tmp_path: Path, extends: str) -> None:
    (tmp_path / "sub").mkdir()
    path = write(tmp_path, "a.toml", f'[ruleset]\nextends = "{extends}"')
    write(tmp_path, "b.toml", '[ruleset]\nextends = "a.toml"')
    assert "ruleset.extends goes in a circle: " in refusal(path)


@pytest.mark.parametrize(
    ("extends", "message"),
    [
        ("3", "ruleset.extends = 3: must be the name of a built-in ruleset or the path of a file"),
        ('"liuzho"', 'ruleset.extends = "liuzho": no built-in ruleset "liuzho"'),
        ('"gone.toml"', 'ruleset.extends = "gone.toml": '),
        (r'"a\u0000.toml"', "not a possible file name"),
    ],
)
def test_what_cannot_be_extended(tmp_path: Path, extends: str, message: str) -> None:
    path = write(tmp_path, "a.toml", f"[ruleset]\nextends = {extends}")
    refused = refusal(path)
    assert refused.startswith(f"{path}: ruleset.extends = ")
    assert message in refused


# Anything at all

KEYS = sorted({key for name in option_names(load_rules("liuzhou")) for key in name.split(".")})
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.sampled_from(["none", "all", "usual", 10**4000, b"x", 1j])
    | st.dates()
)
GARBAGE = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | SCALARS, inner, max_size=5),
)
TABLES = sorted(load_rules("liuzhou").to_dict())


def attempt(data: Any) -> None:
    """Validate anything: either it is a ruleset that comes back the same, or RulesError says why not."""
    rules, message = outcome(partial(Ruleset.from_dict, data))
    if rules is None:
        assert message.strip()
        assert "pydantic" not in message
        message.encode("utf-8")
    else:
        assert Ruleset.from_dict(rules.to_dict()) == rules


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(TABLES) | SCALARS, GARBAGE, max_size=6))
def test_garbage_raises_nothing_but_rules_errors(data: dict[Any, Any]) -> None:
    attempt(data)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(option_names(load_rules("liuzhou"))), GARBAGE), min_size=1, max_size=4))
def test_a_ruleset_with_garbage_in_it_raises_nothing_but_rules_errors(changes: list[tuple[str, Any]]) -> None:
    data = load_rules("liuzhou").to_dict()
    for name, value in changes:
        *tables, key = name.split(".")
        table: Any = data
        for part in tables:
            table = table[part] if isinstance(table, dict) and part in table else {}
        if isinstance(table, dict):
            table[key] = value
    attempt(data)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.sampled_from(option_names(load_rules("liuzhou"))) | st.sampled_from(KEYS) | st.text(), GARBAGE)
)
def test_garbage_settings_raise_nothing_but_rules_errors(changes: dict[str, Any]) -> None:
    rules = load_rules("liuzhou")
    changed, message = outcome(partial(rules.with_overrides, changes))
    if changed is None:
        assert message.strip()
        message.encode("utf-8")
    else:
        attempt(changed.to_dict())


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text(st.sampled_from("[]{}=.\"'#\n\\u0aruleset"), max_size=60).map(str.encode))
def test_garbage_files_raise_nothing_but_rules_errors(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "garbage.toml"
    path.write_bytes(raw)
    assert refusal(path).startswith(str(path))


@given(st.text())
def test_garbage_setting_texts_raise_nothing_but_rules_errors(text: str) -> None:
    setting, message = outcome(partial(parse_setting, text))
    if setting is None:
        assert message.startswith("setting ")
    else:
        assert setting[0] == text.partition("=")[0].strip()


def test_rules_errors_are_ours_and_value_errors() -> None:
    assert issubclass(RulesError, MjsimError)
    assert issubclass(RulesError, ValueError)


def test_reading_rules_loads_nothing_heavy() -> None:
    code = "import sys, mjsim.rules; print(sorted({'numba', 'numpy', 'polars', 'pandas', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
