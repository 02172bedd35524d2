"""``mjsim compare``: what it prints in every form, what it refuses, and when it stops."""

import csv
import io
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mjsim
from analysis.comparing.balance import Comparison
from analysis.comparing.metrics import METRICS
from mjsim.cli import comparing
from mjsim.players import DEFAULT
from tests.commands import Done, run

pytestmark = pytest.mark.usefixtures("compiled_engine")

DEALS = 3000
PLAY = ("--deals", DEALS, "--seed", 5)
RULESETS = ("liuzhou", "liuzhou_no_rob_kong", "chow=false,reserve=picked")


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    mjsim.simulate("liuzhou", deals=1)


def complaints(done: Done) -> list[str]:
    """What a command said on standard error, but for its progress."""
    return [line for line in done.err.splitlines() if "deals/s" not in line]


def compared(*arguments: object) -> dict[str, Any]:
    """What a comparison says as JSON."""
    done = run("compare", *arguments, "--format", "json")
    assert (done.status, complaints(done)) == (0, []), done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def effects(found: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(each["variant"], each["metric"]): each for each in found["effects"]}


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return compared(*RULESETS, *PLAY)


def test_help_has_an_example() -> None:
    done = run("compare", "--help")
    assert (done.status, done.err) == (0, "")
    assert "Example: mjsim compare liuzhou rob_kong=false" in done.out


def test_json_has_effects_and_provenance(found: dict[str, Any]) -> None:
    assert (found["deals"], found["seed"], found["status"]) == (DEALS, 5, "complete")
    assert found["players"] == [DEFAULT] * 4
    assert found["command"].startswith(
        "mjsim compare liuzhou liuzhou_no_rob_kong chow=false,reserve=picked --deals 3000"
    )
    assert [each["key"] for each in found["variants"]] == list(RULESETS[1:])
    changed = found["variants"][1]["manifest"]["ruleset"]
    assert (changed["claims"]["chow"], changed["fishing"]["reserve"]) == (False, "picked")
    assert found["base"]["manifest"]["software"]["mjsim"] == mjsim.__version__
    assert not any(failures for checks in found["checks"].values() for failures in checks.values())
    assert {each["metric"] for each in found["in_one_ruleset_only"]} == {"rob_kong"}
    assert len(found["findings"]) == 2
    assert len(found["effects"]) == found["statements"] == 2 * len(METRICS) - 1


def test_numbers_are_those_of_simulations_of_each_ruleset(found: dict[str, Any]) -> None:
    base = mjsim.simulate("liuzhou", deals=DEALS, seed=5).to_polars()
    rules = mjsim.load_rules("liuzhou", chow=False, reserve="picked")
    variant = mjsim.simulate(rules, deals=DEALS, seed=5).to_polars()
    effect = effects(found)["chow=false,reserve=picked", "length"]
    assert effect["base"]["estimate"] == pytest.approx(base["draws"].mean())
    assert effect["value"]["estimate"] == pytest.approx(variant["draws"].mean())
    both = (variant["draws"].cast(int) - base["draws"].cast(int)).mean()
    assert effect["difference"]["estimate"] == pytest.approx(both)


def test_csv_has_the_numbers_of_json(found: dict[str, Any]) -> None:
    done = run("compare", *RULESETS, *PLAY, "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(done.out)))
    assert len(lines) == len(found["effects"])
    for line, effect in zip(lines, found["effects"], strict=True):
        assert (line["variant"], line["metric"], line["verdict"]) == (
            *(effect["variant"], effect["metric"]),
            effect["verdict"],
        )
        assert float(line["difference"]) == effect["difference"]["estimate"]
        assert float(line["difference_low"]) == effect["difference"]["low"]
        assert float(line["p_value"]) == effect["p_value"]


@pytest.mark.parametrize("format", ["table", "md"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_tables_in_both_languages(format: str, lang: str) -> None:
    done = run("compare", *RULESETS, *PLAY, "--format", format, "--lang", lang)
    assert (done.status, complaints(done)) == (0, [])
    for metric in METRICS:
        words = metric.term.say("en" if lang == "en" else "zh").split()
        assert words[0] in done.out
    for title in ("Liuzhou mahjong", "3\u202f000 deals") if lang == "en" else ("柳州麻将", "各 3\u202f000 局"):
        assert title in done.out
    if format == "md":
        rows = [line for line in done.out.splitlines() if line.startswith("| ")]
        assert len({line.replace("\\|", "").count("|") for line in rows}) == 1


def test_a_ruleset_against_itself_is_the_same_in_every_deal() -> None:
    found = compared("liuzhou", "liuzhou", *PLAY)
    assert {each["verdict"] for each in found["effects"]} == {"same"}
    assert {each["difference"]["estimate"] for each in found["effects"]} == {0}
    assert "nothing that was measured changes" in found["findings"][0]
    assert "the same in every deal" in found["findings"][0]


def test_threads_and_pieces_change_nothing(found: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "FIRST_PIECE", 512)
    again = compared(*RULESETS, *PLAY, "--threads", 1)
    assert again["effects"] == found["effects"]


def test_settings_are_for_every_ruleset_and_a_variants_own_go_before_them() -> None:
    found = compared("liuzhou", "reserve=all", "liuzhou_no_rob_kong", *PLAY, "--set", "reserve=picked")
    rules = [found["base"], *found["variants"]]
    assert [each["manifest"]["ruleset"]["fishing"]["reserve"] for each in rules] == ["picked", "all", "picked"]


def test_margins_are_in_the_unit_shown() -> None:
    wide = effects(compared("liuzhou", "chow=false", *PLAY, "--margin", "drawn=50", "--margin", "length=100"))
    assert wide["chow=false", "drawn"]["margin"] == pytest.approx(0.5)
    assert wide["chow=false", "drawn"]["verdict"] in ("equivalent", "slight")
    assert wide["chow=false", "length"]["verdict"] == "slight"


def test_sessions_are_compared_as_wholes() -> None:
    found = compared("liuzhou", "chow=false", "--deals", 3001, "--seed", 5, "--session", 16)
    assert found["deals"] == 3001
    assert found["base"]["manifest"]["session_length"] == 16


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("liuzhou", "chow=false"), 2, "--deals"),
        (("liuzhou", *PLAY), 1, "nothing to compare the ruleset with: name a VARIANT"),
        (("liuzhou", "liuzhou_no_robbing", *PLAY), 1, 'no built-in ruleset "liuzhou_no_robbing"'),
        (("liuzhou", "robbing=false", *PLAY), 1, 'setting "robbing": no such key'),
        (("liuzhou", "rob_kong=maybe", *PLAY), 1, "kongs.rob_kong"),
        (("liuzhou", "chow=false", "chow=false", *PLAY), 1, "VARIANT chow=false: given twice"),
        (("liuzhou", "no/such.toml", *PLAY), 1, "no/such.toml: no such file"),
        (("liuzhou", "chow=false", *PLAY, "--margin", "luck=1"), 1, "no metric 'luck'; there are drawn"),
        (("liuzhou", "chow=false", *PLAY, "--margin", "drawn=0"), 1, "must be METRIC=VALUE"),
        (("liuzhou", "chow=false", *PLAY, "--players", "nobody"), 1, "nobody"),
        (("liuzhou", "chow=false", "--deals", 0), 1, "deals 0: must be"),
        (("liuzhou", "chow=false", *PLAY, "--threads", 0), 1, "threads 0"),
        (("liuzhou", "chow=false", *PLAY, "--max-deals", 9000), 2, "is for --until-decided"),
        (("liuzhou", "chow=false", *PLAY, "--until-decided", "--max-deals", 10), 1, "--max-deals 10: is less than"),
        (
            ("liuzhou", "chow=false", *PLAY, "--out", "no/folder.html"),
            1,
            "no/folder.html: the report cannot be written: there is no folder no",
        ),
        (("liuzhou", "chow=false", *PLAY, "--format", "html"), 2, "--format"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[object, ...], status: int, message: str) -> None:
    done = run("compare", *arguments)
    assert done.status == status
    assert done.out == ""
    assert message in " ".join(done.err.replace("│", " ").split())


def runs(folder: Path, *options: tuple[object, ...]) -> list[Path]:
    """Two run folders, each with options of its own."""
    folders = []
    for number, (rules, *rest) in enumerate(options):
        folders.append(folder / f"run{number}")
        assert run("simulate", rules, *rest, "--out", folders[-1]).status == 0
    return folders


def test_run_folders_are_compared_as_their_rulesets_are(tmp_path: Path) -> None:
    folders = runs(tmp_path, ("liuzhou", *PLAY), ("liuzhou_no_rob_kong", *PLAY))
    from_runs = compared(*folders)
    played = compared("liuzhou", "liuzhou_no_rob_kong", *PLAY)
    names = {"variant"}
    for one, other in zip(from_runs["effects"], played["effects"], strict=True):
        assert {key: one[key] for key in one.keys() - names} == {key: other[key] for key in other.keys() - names}


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--deals", DEALS, "--seed", 6), "seed 6 cannot be paired"),
        (("--deals", DEALS + 1, "--seed", 5), "deals 3001 cannot be paired"),
        ((*PLAY, "--players", "noisy"), "players noisy"),
        ((*PLAY, "--session", 4), "session length 4 cannot be paired"),
        ((*PLAY, "--fish", 1), "fish 1 cannot be paired"),
        ((*PLAY, "--first", 4), "first 4 cannot be paired"),
    ],
)
def test_runs_that_cannot_be_paired_are_refused(tmp_path: Path, options: tuple[object, ...], what: str) -> None:
    folders = runs(tmp_path, ("liuzhou", *PLAY), ("liuzhou_no_rob_kong", *options))
    done = run("compare", *folders)
    assert (done.status, done.out) == (1, "")
    assert f"error: {folders[1]}: {what}" in done.err


def test_runs_bring_their_own_deals_and_are_not_mixed_with_rulesets(tmp_path: Path) -> None:
    (folder,) = runs(tmp_path, ("liuzhou", *PLAY))
    done = run("compare", folder, folder, "--deals", 10)
    assert done.status == 2
    assert "brings its own" in done.err
    done = run("compare", folder, "liuzhou")
    assert done.status == 1
    assert "liuzhou: is a ruleset, and" in done.err


def until(*arguments: object) -> tuple[dict[str, Any], Done]:
    done = run("compare", "liuzhou", *arguments, "--until-decided", "--format", "json")
    assert done.status == 0
    return json.loads(done.out), done


WIDE = [option for metric in METRICS for option in ("--margin", f"{metric.key}={100 if metric.scale == 100 else 3}")]


def test_until_decided_stops_when_all_is_decided() -> None:
    found, done = until("chow=false", "--deals", 2000, "--max-deals", 60_000, "--seed", 5, *WIDE)
    assert 2000 <= found["deals"] < 60_000
    assert all(each["decided"] for each in found["effects"])
    assert {each["difference"]["method"] for each in found["effects"]} <= {"sequence", "rare"}
    looks = [line for line in done.err.splitlines() if "are decided" in line]
    assert [line.partition(" ")[0] for line in looks] == ["2,000", "3,000", "4,500", "6,750"][: len(looks)]


def test_until_decided_gives_up_at_the_cap() -> None:
    found, done = until("chow=false", "--deals", 1000, "--max-deals", 2000, "--seed", 5)
    assert found["deals"] == 2000
    assert not all(each["decided"] for each in found["effects"])
    assert "1,000 deals: " in done.err
    open_ = [each for each in found["effects"] if not each["decided"]]
    assert all(each["deals_needed"] > 2000 for each in open_)


def test_until_decided_intervals_are_wider_than_those_of_one_look() -> None:
    watched, _ = until("chow=false", "--deals", 3000, "--max-deals", 3000, "--seed", 5)
    once = effects(compared("liuzhou", "chow=false", *PLAY))
    for key, effect in effects(watched).items():
        width = effect["difference"]["high"] - effect["difference"]["low"]
        assert width > once[key]["difference"]["high"] - once[key]["difference"]["low"], key


def test_sensitivity_switches_each_option_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared("liuzhou", "--sensitivity", "--deals", 400, "--seed", 5)
    assert "kongs.rob_kong=false" in found["switches"]
    assert found["switches"] == [each["key"] for each in found["variants"]]
    assert any(finding.startswith("claims.chow=false: ") for finding in found["findings"])
    done = run("compare", "liuzhou", "chow=false", "--sensitivity", "--deals", 400, "--seed", 5, "--lang", "zh")
    assert "逐项改变规则" in done.out
    assert "liability.third_party=false" in done.out


@contextmanager
def interrupted_at(deals: int) -> Iterator[Callable[[int], None]]:
    def report(played: int) -> None:
        if played >= deals:
            signal.raise_signal(signal.SIGINT)

    yield report


def test_an_interrupt_keeps_what_all_rulesets_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(comparing, "FIRST_PIECE", 4096)
    monkeypatch.setattr(comparing, "deal_progress", lambda deals: interrupted_at(2 * 4096 + 1))
    done = run("compare", "liuzhou", "chow=false", "--deals", 50_000, "--seed", 5, "--format", "json")
    assert done.status == 130
    assert "interrupted: 4,096 deals of every ruleset were finished" in done.err
    found = json.loads(done.out)
    assert (found["status"], found["deals"]) == ("interrupted", 4096)
    monkeypatch.undo()
    assert found["effects"] == compared("liuzhou", "chow=false", "--deals", 4096, "--seed", 5)["effects"]


def test_an_interrupt_before_all_have_finished_anything_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(comparing, "deal_progress", lambda deals: interrupted_at(1))
    done = run("compare", "liuzhou", "chow=false", "--deals", 50_000, "--seed", 5)
    assert (done.status, done.out) == (130, "")
    assert "nothing is kept" in done.err


def test_a_page_gets_the_comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[Comparison, Path, str]] = []
    page = SimpleNamespace(write_comparison=lambda *arguments: written.append(arguments))
    monkeypatch.setitem(sys.modules, "analysis.report", page)
    out = tmp_path / "page.html"
    done = run("compare", *RULESETS, *PLAY, "--out", out, "--lang", "zh")
    assert (done.status, done.out) == (0, f"{out}: liuzhou compared with {', '.join(RULESETS[1:])}\n")
    ((comparison, file, lang),) = written
    assert (comparison.deals, file, lang) == (DEALS, out, "zh")
