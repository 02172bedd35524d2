"""The commands: what they print, what they write, and that they agree with the Python interface."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

import mjsim
from mjsim import jit
from mjsim.cli import playing, progress, scoring
from mjsim.cli.case_files import read_cases
from mjsim.cli.scoring import differences
from tests.commands import ROOT, run, start, warm_up

pytestmark = pytest.mark.usefixtures("compiled_engine")

GOLDEN = ROOT / "tests" / "golden" / "liuzhou.toml"
RULES_COMMANDS = ["list", "show", "diff", "check", "coverage", "schema"]
COMMANDS = [
    "",
    "simulate",
    "summary",
    "verify",
    "report",
    "compare",
    "fishing",
    "ladder",
    "hand",
    "exact",
    "score",
    "replay",
    "rules",
    *(f"rules {each}" for each in RULES_COMMANDS),
]

CASE: dict[str, Any] = {
    "id": "example",
    "rules": "liuzhou",
    "dealer": 0,
    "how": "discard",
    "winners": [1],
    "from": 0,
    "tile": "2m",
    "hands": ["", "2244678m333p", "", ""],
    "melds": [[], ["pung 3m <0"], [], []],
    "expect": {"hand": [-1, 1, 0, 0], "types": []},
}


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    warm_up()


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 3000 deals from deal 500 on."""
    folder = tmp_path_factory.mktemp("runs") / "noisy"
    options = ("--deals", 3000, "--first", 500, "--seed", 8, "--players", "noisy")
    assert run("simulate", "liuzhou", *options, "--out", folder).status == 0
    return folder


def test_version() -> None:
    done = run("--version")
    assert (done.status, done.out, done.err) == (0, f"mjsim {mjsim.__version__}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    done = run(*command.split(), "--help")
    assert done.status == 0
    assert f"Example: mjsim {command}" in done.out
    assert done.err == ""


def test_help_is_light_and_quick() -> None:
    program = (
        "import sys, mjsim.cli\n"
        "heavy = {'numba', 'numpy', 'polars', 'pandas', 'scipy', 'pydantic', 'rich', 'jinja2', 'analysis'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        with start("--help") as process:
            assert process.wait() == 0
        times.append(time.perf_counter() - begun)
    assert min(times) < 0.4


def test_a_run_is_what_was_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "run"
    options = "--deals 700 --first 30 --seed 9 --players fast,noisy,random,fast --session 7 --fish 1 --threads 2"
    done = run("simulate", "liuzhou", *options.split(), "--set", "reserve=picked", "--out", folder)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"{folder}: 700 deals of liuzhou, seed 9, ")
    assert done.out.count("\n") == 1
    written = mjsim.open_run(folder)
    manifest = written.manifest
    assert manifest.status == "complete"
    assert manifest.command == f"mjsim simulate liuzhou {options} --set reserve=picked --out {folder}"
    rules = mjsim.load_rules("liuzhou", reserve="picked")
    assert written.rules == rules
    expected = mjsim.simulate(rules, deals=700, first=30, seed=9, players="fast,noisy,random,fast", session=7, fish=1)
    assert written.to_polars().equals(expected.to_polars())
    assert os.listdir(folder.parent) == ["run"]


def test_a_printed_summary_is_that_of_the_same_run(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mjsim.ranges.SHARD_DEALS", 1000)
    of_run = run("summary", run_folder, "--format", "json")
    options = ("--deals", 3000, "--first", 500, "--seed", 8, "--players", "noisy", "--format", "json")
    in_memory = run("simulate", "liuzhou", *options)
    assert (of_run.status, in_memory.status, of_run.err, in_memory.err) == (0, 0, "", "")
    first, second = json.loads(of_run.out), json.loads(in_memory.out)
    assert first["deals"] == 3000
    assert first["tables"] == second["tables"]
    assert set(first["checks"].values()) == {0}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--format", "table"], "drawn"),
        (["--format", "md"], "| "),
        (["--format", "csv"], "table,row,column"),
        (["--lang", "zh"], "自摸"),
    ],
)
def test_summary_forms(run_folder: Path, options: list[str], words: str) -> None:
    done = run("summary", run_folder, *options)
    assert (done.status, done.err) == (0, "")
    assert words in done.out


@pytest.mark.usefixtures("no_progress")
def test_report(run_folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "liuzhou.html"
    done = run("report", run_folder, "--out", page, "--by-player", 100)
    assert (done.status, done.err) == (0, "")
    assert "</html>" in page.read_text(encoding="utf-8")
    assert os.listdir(tmp_path) == ["liuzhou.html"]


def test_replay_of_a_run_is_that_of_its_rules(run_folder: Path) -> None:
    of_run = run("replay", run_folder, "--deal", 1234, "--json")
    of_rules = run("replay", "liuzhou", "--seed", 8, "--players", "noisy", "--deal", 1234, "--json")
    assert (of_run.status, of_run.err, of_run.out) == (0, "", of_rules.out)
    shown = mjsim.replay("liuzhou", seed=8, players="noisy", deal=1234)
    assert [json.loads(line) for line in of_run.out.splitlines()] == shown.events
    scored = run("score", "-", "--json", stdin=of_run.out.encode())
    assert (scored.status, scored.err) == (0, "")
    assert json.loads(scored.out) == [mjsim.score(shown.case)]


def test_replay_as_text(run_folder: Path) -> None:
    texts = {lang: run("replay", run_folder, "--deal", 1234, "--lang", lang) for lang in ("en", "zh")}
    shown = mjsim.replay(mjsim.open_run(run_folder), deal=1234)
    for lang, done in texts.items():
        assert (done.status, done.err) == (0, "")
        assert done.out == shown.text(lang).rstrip("\n") + "\n"


def test_a_run_brings_its_own_seed(run_folder: Path) -> None:
    done = run("replay", run_folder, "--deal", 1234, "--seed", 0)
    assert (done.status, done.out) == (2, "")
    assert "--seed" in done.err


def test_golden_cases_agree() -> None:
    cases = tomllib.loads(GOLDEN.read_text(encoding="utf-8"))["case"]
    done = run("score", GOLDEN)
    assert (done.status, done.err) == (0, "")
    assert done.out.count("agrees") == len(cases)
    as_json = run("score", GOLDEN, "--json")
    assert (as_json.status, as_json.err) == (0, "")
    assert json.loads(as_json.out) == [mjsim.score(case) for case in cases]


def _toml(case: dict[str, Any]) -> str:
    """A case as TOML, whose lists, texts and numbers are JSON's."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in case.items() if key != "expect"]
    expect = ", ".join(f"{key} = {json.dumps(value)}" for key, value in case["expect"].items())
    return "\n".join([*lines, f"expect = {{ {expect} }}", ""])


FORMS = {
    "one.toml": (_toml(CASE), 1),
    "list.toml": ("# two\n[[case]]\n" + _toml(CASE) + "\n[[case]]\n" + _toml({**CASE, "id": "other"}), 2),
    "one.json": (json.dumps(CASE, indent=2), 1),
    "list.json": (" [\n  " + json.dumps(CASE) + "]", 1),
    "table.json": (json.dumps({"case": [CASE, {**CASE, "id": "other"}]}), 2),
    "replay.jsonl": ('{"event": "start"}\n\n' + json.dumps({"event": "settled", "case": CASE}) + "\n", 1),
    "settled.jsonl": (json.dumps({"event": "settled", "case": CASE}), 1),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("suffix", [True, False])
def test_forms_of_case_files(tmp_path: Path, name: str, suffix: bool) -> None:
    text, cases = FORMS[name]
    file = tmp_path / (name if suffix else name.partition(".")[0])
    file.write_bytes(b"\xef\xbb\xbf" * suffix + text.encode())
    done = run("score", file, "--json")
    piped = run("score", "-", "--json", stdin=text.encode())
    assert (done.status, done.err) == (0, "")
    assert (piped.status, piped.out) == (0, done.out)
    answers = json.loads(done.out)
    assert answers[0] == mjsim.score(CASE)
    assert len(answers) == cases


def test_a_case_that_differs_from_its_expect(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([CASE, {**CASE, "id": "wrong", "expect": {"hand": [-3, 3, 0, 0]}}]))
    for form in ("table", "json", "csv", "md"):
        done = run("score", file, "--format", form)
        assert done.status == 1
        assert "wrong: differs from its expect: hand is [-1, 1, 0, 0], expected [-3, 3, 0, 0]" in done.err
        assert "example" in done.out
        assert ("differs" in done.out) == (form != "json")


def test_one_bad_case_leaves_the_others_answered(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    bad = {**CASE, "id": "bad", "hands": ["", "2244678m335p", "", ""]}
    file.write_text(json.dumps([bad, CASE, 7]))
    done = run("score", file, "--json")
    first, second, third = json.loads(done.out)
    assert done.status == 1
    assert set(first) == {"id", "error"}
    assert second == mjsim.score(CASE)
    assert third == {"id": "", "error": "case 3: must be a table of keys and values"}
    assert f"error: bad: {first['error']}\n" in done.err


def test_a_relative_ruleset_is_looked_for_beside_the_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cases").mkdir()
    monkeypatch.chdir(tmp_path)
    mine = '[ruleset]\nname = "mine"\nextends = "liuzhou"\n[value]\nordinary_discard = {}\n'
    (tmp_path / "cases" / "mine.toml").write_text(mine.format(5))
    (tmp_path / "mine.toml").write_text(mine.format(6))
    (tmp_path / "other.toml").write_text(mine.format(7))
    file = tmp_path / "cases" / "case.json"
    for rules, points in (("mine.toml", 5), ("other.toml", 7), (str(tmp_path / "mine.toml"), 6)):
        file.write_text(json.dumps({**CASE, "rules": rules, "expect": {"hand": [-points, points, 0, 0]}}))
        assert run("score", file).status == 0, rules


def test_set_changes_what_a_case_is_worth(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text(json.dumps(CASE))
    done = run("score", file, "--json", "--set", "ordinary_discard=4")
    assert json.loads(done.out)[0]["net"] == [-4, 4, 0, 0]
    assert done.status == 1  # it differs from the case's expect


def test_answers_as_csv_and_in_chinese(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text(json.dumps(CASE))
    (row,) = csv.DictReader(io.StringIO(run("score", file, "--format", "csv").out))
    assert (row["id"], row["net_0"], row["hand_1"], row["fish_3"], row["expected"]) == (
        "example",
        "-1",
        "1",
        "0",
        "agrees",
    )
    shown = run("score", file, "--lang", "zh").out
    assert "基本胡" in shown
    assert "一致" in shown


def test_differences() -> None:
    answer = mjsim.score(CASE)
    assert differences({}, answer) == [
        "hand is [-1, 1, 0, 0], expected [0, 0, 0, 0]",
        "net is [-1, 1, 0, 0], expected [0, 0, 0, 0]",
    ]
    assert differences({"hand": [-1, 1, 0, 0], "net": [-1, 1, 0, 0], "types": []}, answer) == []
    assert differences({"hand": [-1, 1, 0, 0], "types": ["all_pungs"]}, answer) == [
        "types is [], expected ['all_pungs']"
    ]
    assert differences({"hand": [-1, 1, 0], "hnad": 1}, answer) == [
        "expect.hnad: there is no such key",
        "expect.hand: four whole numbers expected, one a seat",
    ]
    assert differences(3, answer) == ["expect: a table expected"]


def test_a_case_twice_is_warned_about(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text(json.dumps([CASE, CASE]))
    done = run("score", file)
    assert (done.status, done.err) == (0, "warning: the id 'example' stands for 2 cases\n")


def test_rules_list_and_check(tmp_path: Path) -> None:
    listed = json.loads(run("rules", "list", "--format", "json").out)
    assert listed[0] == {"name": "liuzhou", "extends": None, "en": "Liuzhou mahjong", "zh": "柳州麻将"}
    assert [row["name"] for row in listed] == [*mjsim.rules.builtin_names(), *mjsim.rules.variant_names()]
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text('[ruleset]\nname = "good"\nextends = "liuzhou"\n')
    bad.write_text('[ruleset]\nname = "bad"\nextends = "liuzhou"\n[fishing]\nmax_labels = 3\nreserv = "all"\n')
    done = run("rules", "check", good, bad, "liuzhou")
    assert done.status == 1
    assert done.out.splitlines()[0].startswith(f"{good}: good is in order")
    assert len(done.out.splitlines()) == 2
    assert "fishing.max_labels" in done.err
    assert "fishing.reserv" in done.err


def test_progress_lines(capsys: pytest.CaptureFixture[str]) -> None:
    reports = [(0.5, 50_000), (0.9, 90_000), (1.0, 100_000), (5.9, 590_000), (6.0, 600_000), (10.0, 1_000_000)]
    times = iter([0.0, *(now for now, _ in reports)])
    report = progress.Lines(1_000_000, clock=lambda: next(times))
    for _, played in reports:
        report(played)
    assert capsys.readouterr().err.splitlines() == [
        "100,000 of 1,000,000 deals, 100,000 deals/s, 9 s left",
        "600,000 of 1,000,000 deals, 100,000 deals/s, 4 s left",
    ]


def test_progress_bar_on_a_terminal() -> None:
    screen, terminal = pty.openpty()
    with start("simulate", "liuzhou", "--deals", 400_000, "--format", "csv", stderr=terminal) as process:
        os.close(terminal)
        shown = b""
        try:
            while block := os.read(screen, 4096):
                shown += block
        except OSError:  # how a terminal whose other end is closed says so
            assert process.stdout is not None
        rows = process.stdout.read().splitlines() if process.stdout else []
    os.close(screen)
    assert process.returncode == 0
    assert rows[0].startswith("table,row,column")
    assert "100%" in shown.decode()
    assert "400,000 deals" in shown.decode()
    assert "deals/s" in shown.decode()


def test_compiling_is_announced_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mjsim.jit.DISABLED", False)
    monkeypatch.setattr("mjsim.jit.kernel_cache", lambda: tmp_path / "kernels")
    progress.announce_compiling("engine.play_rows")
    assert (
        capsys.readouterr().err == "Compiling the engine and its tables once (about 8 s); later starts are instant.\n"
    )
    (tmp_path / "kernels" / "mjsim_0123").mkdir(parents=True)
    (tmp_path / "kernels" / "mjsim_0123" / "engine.play_rows-357.py311.1.nbc").touch()
    progress.announce_compiling("engine.play_rows")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("mjsim.jit.kernel_cache", lambda: None)
    progress.announce_compiling("answer.settle_case", 3)
    assert capsys.readouterr().err == "Compiling the engine and its tables (about 3 s).\n"


def test_the_engine_is_cached_under_the_name_that_is_looked_for() -> None:
    folder = jit.kernel_cache()
    if folder is not None and not jit.DISABLED:
        for kernel in (playing.KERNEL, scoring.KERNEL):
            assert list(folder.glob(f"*/{kernel}-*.nbc")), kernel


def test_a_reader_that_leaves_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with start("replay", "liuzhou", "--deal", 3, "--json", stdout=writer) as process:
        os.close(writer)
        _, err = process.communicate()
    assert (process.returncode, err) == (1, "")


def test_an_analysis_folder_of_the_users(run_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "__init__.py").write_text("raise SystemError('this is not mjsim')\n")
    for arguments in (
        ("summary", run_folder),
        ("report", run_folder, "--out", tmp_path / "page.html"),
        ("simulate", "liuzhou", "--deals", 100),
    ):
        with start(*arguments, cwd=tmp_path) as process:
            out, err = process.communicate()
        assert (process.returncode, out) == (1, "")
        assert err.startswith(f"error: {tmp_path / 'analysis'}: hides mjsim's own package 'analysis'")
        assert err.count("\n") == 1
    with start("simulate", "liuzhou", "--deals", 100, "--out", "run", cwd=tmp_path) as process:
        process.communicate()
    assert process.returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["analysis", "run"]


def test_cases_keep_their_order(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([{**CASE, "id": str(index)} for index in range(30)]))
    assert [case["id"] for case in read_cases(str(file))] == [str(index) for index in range(30)]
