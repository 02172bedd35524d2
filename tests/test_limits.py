"""Numbers at their limits: rulesets with them play without overflow, or are refused with file and key.

What is played under the largest numbers is settled again in Python's whole numbers, which never overflow: by the naive
twin with its numbers changed, and as a multiple of the same deals under small prices.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import pytest

import mjsim
from mjsim.dataset.columns import COLUMNS
from mjsim.engine import Plan
from mjsim.errors import MjsimError, RulesError
from mjsim.players import players_for_seats
from mjsim.rules import Ruleset, load_rules, option_names
from mjsim.rules.load import LARGEST_FILE
from mjsim.rules.model import LARGEST_RESULT
from mjsim.transcript.events import Replayer
from tests.commands import ROOT, run
from tests.naive import score as naive
from tests.test_player_twins import compare_value

RULES: Final = ("liuzhou", "nanning_folk", "nanning_laiyouxi")
#: Written as TOML: what fits no key, or only at its limit.
NUMBERS: Final = (
    "0",
    "1",
    "2",
    "4",
    "10",
    "20",
    "100",
    "1_000_000",
    "1_000_001",
    "-1",
    "2_147_483_647",
    "2_147_483_648",
    "4_294_967_296",
    "9_223_372_036_854_775_807",
    "9_223_372_036_854_775_808",
    "-9_223_372_036_854_775_809",
    "1" + "0" * 30,
    "0xffffffffffffffff",
    "1.0",
    "1e300",
    "nan",
    "inf",
    "-inf",
    "true",
    "[1]",
    '"1"',
    "1979-05-27",
)
_POINTS: Final = ("points", "hand", "liability", "kongs", "fish", "net")


def _number_keys(rules: Ruleset) -> list[str]:
    """Every key of a ruleset that holds a number or may."""
    keys = []
    for name in option_names(rules):
        value: Any = rules.to_dict()
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, int) and not isinstance(value, bool):
            keys.append(name)
    return keys


def _file(path: Path, base: str, lines: dict[str, str]) -> Path:
    heading = {"ruleset.extends": f'"{base}"', "ruleset.name": '"limits"'}
    text = "".join(f"{key} = {value}\n" for key, value in (heading | lines).items())
    path.write_text(text, encoding="utf-8")
    return path


def _play(rules: Ruleset, deals: int = 30, players: str = "noisy", seed: int = 5) -> dict[str, Any]:
    """Play deals, and look whether their points can be what the rules allow."""
    columns = mjsim.simulate(rules, deals=deals, seed=seed, players=players).columns
    for name in _POINTS:
        if name == "points":
            continue
        seats = [[int(value) for value in columns[f"{name}_{seat}"]] for seat in range(4)]
        assert all(sum(each) == 0 for each in zip(*seats, strict=True)), name
        assert max(abs(value) for seat in seats for value in seat) <= rules.largest_result()
    return columns


# ---- every number of a ruleset by itself ---------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "key"), [(base, key) for base in RULES for key in _number_keys(load_rules(base))])
def test_a_number_at_its_limits_plays_or_is_refused_by_name(base: str, key: str, tmp_path: Path) -> None:
    path = tmp_path / "limits.toml"
    played = 0
    for number in NUMBERS:
        _file(path, base, {key: number})
        try:
            rules = load_rules(path)
        except RulesError as error:
            told = str(error)
            table = key.rpartition(".")[0]
            names = [
                f"{path}: {name}" for name in (key, f"{table}.units", f"{table}.per_kong", f"{table}.fixed", "value:")
            ]
            assert any(name in told for name in names), (number, told)
        else:
            played += 1
            _play(rules)
    assert 0 < played < len(NUMBERS)


# ---- the columns hold what the schema allows ----------------------------------------------------------------------


def test_the_columns_of_points_hold_the_bound() -> None:
    of_points = [column for column in COLUMNS if column.name.rpartition("_")[0] in (*_POINTS, "flow")]
    assert len(of_points) == 4 * len(_POINTS) + 6
    assert {np.iinfo(column.dtype).max for column in of_points} == {LARGEST_RESULT}


def test_all_numbers_at_their_largest_are_refused() -> None:
    """The bound is worked out in whole numbers of any size, of which 2^63 is none of the largest."""
    largest = {
        "value.step": 10,
        **{
            f"value.self_draw.{name}": 10**6
            for name in ("ordinary", "ordinary_concealed", "special", "special_concealed")
        },
        **{f"units.{name}.self_draw": 10 for name in ("all_pungs", "full_flush", "seven_pairs", "quad", "melded_hand")},
        "events.last_tile_draw.factor": 100,
        "liability.self_draw": 100,
        "liability.dead_double": True,
    }
    with pytest.raises(RulesError, match=r"liuzhou: value: with these prices, .* more than 2147483647 points"):
        load_rules("liuzhou", **largest)


def _scaled(rules: Ruleset, times: int) -> dict[str, Any]:
    """The prices of a ruleset so many times as high."""
    changes: dict[str, Any] = {}
    for name in _number_keys(rules):
        if name.startswith(("value.", "kongs.")) or name.endswith((".fixed", ".concealed_ordinary")):
            changes[name] = times * _value(rules, name)
    return changes | {"value.step": rules.value.step}


def _value(rules: Ruleset, name: str) -> int:
    value: Any = rules
    for part in name.split("."):
        value = getattr(value, part)
    assert isinstance(value, int)
    return value


@cache
def _largest_times(base: str) -> int:
    """How many times as high prices may be at most."""
    rules = load_rules(base)
    low, high = 1, 10**6
    while high - low > 1:
        middle = (low + high) // 2
        try:
            rules.with_overrides(_scaled(rules, middle))
            low = middle
        except RulesError:
            high = middle
    return low


@pytest.mark.parametrize("players", ["random", "noisy", "fast"])
@pytest.mark.parametrize("base", RULES)
def test_the_highest_prices_pay_so_many_times_as_much(base: str, players: str) -> None:
    times = _largest_times(base)
    assert times > 100
    small = load_rules(base)
    large = small.with_overrides(_scaled(small, times))
    usual, high = (_play(rules, 3000, players) for rules in (small, large))
    for column in COLUMNS:
        name = column.name
        points = name.rpartition("_")[0] in (*_POINTS, "flow")
        expected = [int(value) * times if points else value for value in usual[name].tolist()]
        if name.startswith("points_"):  # a price that is none is -1 at any scale
            expected = [-1 if value == -1 else int(value) * times for value in usual[name].tolist()]
        assert high[name].tolist() == expected, name


# ---- the naive twin with other numbers -----------------------------------------------------------------------------

#: Numbers of the twin of Liuzhou, by name; all others are as usual.
EXTREMES: Final[dict[str, dict[str, int]]] = {
    "nothing": dict.fromkeys(
        (
            "ordinary",
            "typed_discard",
            "replacement_ordinary",
            "exposed",
            "concealed",
            "liable_giver_to_maker",
            "liable_giver_to_third",
            "liable_third_to_maker",
            "liable_self_draw",
        ),
        0,
    ),
    "step": {"step": 10, "ordinary": 3, "typed_discard": 8},
    "kongs": {"exposed": 1_000_000, "concealed": 999_999},
    "liability": {
        "liable_giver_to_maker": 100,
        "liable_giver_to_third": 100,
        "liable_third_to_maker": 100,
        "liable_self_draw": 100,
        "ordinary": 170,
        "typed_discard": 1000,
    },
    "factors": {"last_tile_draw": 100, "replacement_win": 100, "kong_discard": 100, "ordinary": 5},
    "replacement": {"replacement_ordinary": 1_000_000},
}


def _extreme(numbers: dict[str, int]) -> dict[str, Any]:
    """The same numbers as settings of a ruleset."""
    of = {**naive.RULE, **naive.KONG_MONEY, **numbers}
    drawn, given, step = of["ordinary"], of["typed_discard"], of["step"]
    return {
        "value.step": step,
        "value.self_draw.ordinary": drawn,
        "value.self_draw.ordinary_concealed": drawn * step,
        "value.self_draw.special": drawn * step,
        "value.self_draw.special_concealed": drawn * step**2,
        "value.discard.special": given,
        "value.discard.special_concealed": given,
        "value.ordinary_discard": drawn,
        "events.last_tile_draw.factor": of["last_tile_draw"],
        "events.replacement_win.factor": of["replacement_win"],
        "events.replacement_win.concealed_ordinary": of["replacement_ordinary"],
        "events.kong_discard.factor": of["kong_discard"],
        "kongs.exposed": of["exposed"],
        "kongs.concealed": of["concealed"],
        "liability.giver_to_maker": of["liable_giver_to_maker"],
        "liability.giver_to_third": of["liable_giver_to_third"],
        "liability.third_to_maker": of["liable_third_to_maker"],
        "liability.self_draw": of["liable_self_draw"],
    }


def _liuzhou_cases(rules: Ruleset) -> Iterator[dict[str, Any]]:
    """Golden cases, which hold the dearest hands, and some played deals."""
    for file in ("liuzhou.toml", "liuzhou_lines.toml"):
        for case in tomllib.loads((ROOT / "tests/golden" / file).read_text(encoding="utf-8"))["case"]:
            if case["rules"] == "liuzhou":
                yield case
    shown = Replayer(Plan(rules, players_for_seats("noisy"), seed=11))
    for deal in range(300):
        yield {**shown.show(deal).case, "rules": "liuzhou", "options": {}}


@pytest.mark.parametrize("name", EXTREMES)
def test_extreme_numbers_settle_as_python_does(name: str) -> None:
    numbers = EXTREMES[name]
    rules = load_rules("liuzhou", **_extreme(numbers))
    largest = 0
    with (
        patch.dict(naive.RULE, {key: value for key, value in numbers.items() if key in naive.RULE}),
        patch.dict(naive.KONG_MONEY, {key: value for key, value in numbers.items() if key in naive.KONG_MONEY}),
    ):
        for case in _liuzhou_cases(rules):
            given, expected = mjsim.score(case, rules=rules), naive.score(case)
            assert ("error" in given) == ("error" in expected), (case, given, expected)
            if "error" not in given:
                assert {key: given[key] for key in ("net", "hand", "kongs", "fish")} == {
                    key: expected[key] for key in ("net", "hand", "kongs", "fish")
                }, case
                largest = max(largest, *(abs(each) for each in given["net"]))
    assert largest <= rules.largest_result() <= LARGEST_RESULT
    assert (largest == 0) == (name == "nothing")


@pytest.mark.parametrize("base", RULES)
def test_value_decides_under_the_highest_prices_as_python_does(base: str) -> None:
    rules = load_rules(base)
    met = compare_value(rules.with_overrides(_scaled(rules, _largest_times(base))), 60, themed=True)
    assert met["decisions"] >= 60


# ---- the statistics of such deals ----------------------------------------------------------------------------------


def test_a_summary_of_the_highest_prices_is_right_or_refused(tmp_path: Path) -> None:
    """Squares of points are summed in 64 bits."""
    rules = load_rules("liuzhou")
    lines = {name: str(value) for name, value in _scaled(rules, _largest_times("liuzhou")).items()}
    path = _file(tmp_path / "limits.toml", "liuzhou", lines)
    done = run("simulate", path, "--deals", 2000)
    assert done.status in (0, 1)
    if done.status:
        assert done.err.startswith("error: these deals move too many points")
    else:
        assert "nan" not in done.out


# ---- files that were made to break a reader ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"#" * (10 << 20), f"over {LARGEST_FILE} bytes, too large for a ruleset file"),
        (b"a = 1\n" * 100_000, "line 2, column 6: not TOML: Cannot overwrite a value"),
        (b"[value]\nstep = 2\nstep = 3\n", "line 3, column 9: not TOML: Cannot overwrite a value"),
        (b"[value]\nstep = 2\n[value]\n", "line 3, column 7: not TOML: Cannot declare ('value',) twice"),
        (b"\xef\xbb\xbf\xef\xbb\xbf[value]\n", "line 1, column 1: not TOML: Invalid statement"),
        (b"[value]\nstep = \x00\n", "line 2, column 8: not TOML: Invalid value"),
        (b'[ruleset]\nname = "a\x00b"\n', "line 2, column 10: not TOML: Illegal character '\\x00'"),
        (b'[ruleset]\nname = "a\\u0000b"\n', 'ruleset.name = "a\\x00b": must be a name of letters'),
        (b"[ruleset]\nname = 'x\xc3'\n", "not UTF-8 text (line 2, byte 0xc3)"),
        (b"\xff\xfe[\x00v\x00]\x00", "not UTF-8 text (line 1, byte 0xff)"),
        (b"value = " + b"[" * 500_000, "brackets nested too deeply"),
        (b"value = " + b"{a = " * 150_000, "brackets nested too deeply"),
        (b"value.step = " + b"9" * 900_000, "line 1, column 14: a number with too many digits"),
        (b"a" + b".a" * 400_000 + b" = 1", "line 1: over 200 dots in one line"),
        (b"[" + b"a." * 400_000 + b"a]", "line 1: over 200 dots in one line"),
        (b"\n".join(b"k%d = 1" % number for number in range(80_000)), "and 79,"),
    ],
)
def test_a_file_made_to_break_a_reader(tmp_path: Path, raw: bytes, told: str) -> None:
    path = tmp_path / "made.toml"
    path.write_bytes(raw)
    with pytest.raises(MjsimError) as refused:
        load_rules(path)
    assert str(refused.value).startswith(str(path))
    assert told in str(refused.value)
    assert len(str(refused.value)) < 100_000
