"""Wrong input: one clear message, exit status 1, and nothing written."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run, start, warm_up

pytestmark = pytest.mark.usefixtures("compiled_engine")

CASE: dict[str, Any] = {
    "id": "case",
    "rules": "liuzhou",
    "dealer": 0,
    "how": "discard",
    "winners": [1],
    "from": 0,
    "tile": "2m",
    "hands": ["", "2244678m333p", "", ""],
    "melds": [[], ["pung 3m <0"], [], []],
}


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    warm_up()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with some files to trip over; nothing may be written to it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").write_text("a file\n")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "empty.toml").touch()
    (tmp_path / "latin.toml").write_bytes('[ruleset]\nname = "é"\n'.encode("latin-1"))
    (tmp_path / "broken.toml").write_text('[ruleset]\nname = "x"\n[claims\n')
    (tmp_path / "unknown.toml").write_text('[ruleset]\nextends = "liuzhou"\nname = "x"\n[fishing]\nreserv = "all"\n')
    (tmp_path / "types.toml").write_text('[ruleset]\nextends = "liuzhou"\nname = "x"\n[fishing]\nenabled = "yes"\n')
    (tmp_path / "broken.json").write_text('{"id": "x",\n "rules": }\n')
    (tmp_path / "broken.jsonl").write_text('{"event": "start"}\n{"event": \n')
    (tmp_path / "unsettled.jsonl").write_text('{"event": "start"}\n{"event": "drawn"}\n')
    (tmp_path / "beside.toml").write_text('rules = "liuzhou"\n[[case]]\nid = "x"\n')
    before = _listing(tmp_path)
    yield tmp_path
    assert _listing(tmp_path) == before


def _listing(folder: Path) -> list[tuple[str, int]]:
    """Every file and folder, hidden ones too, with its size."""
    return sorted((str(path.relative_to(folder)), path.lstat().st_size) for path in folder.rglob("*"))


SIMULATE = ("simulate", "liuzhou", "--deals", 10)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("out", [(), ("--out", "new/run")], ids=["memory", "folder"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("simulate", "liuzhou", "--deals", -5), "deals -5: must be 1 to 2^40"),
        (("simulate", "liuzhou", "--deals", 0), "deals 0: must be 1 to 2^40"),
        (("simulate", "liuzhou", "--deals", 10**15), f"deals {10**15}: must be 1 to 2^40"),
        (("simulate", "liuzhou", "--deals", 10**30), f"deals {10**30}: must be 1 to 2^40"),
        ((*SIMULATE, "--first", -1), "first deal -1: must be 0 or more"),
        ((*SIMULATE, "--first", 2**40), "must be 1 to 2^40, counted from deal 0"),
        ((*SIMULATE, "--seed", -1), "seed -1: must be 0 to 2^64 - 1"),
        ((*SIMULATE, "--seed", 2**64), f"seed {2**64}: must be 0 to 2^64 - 1"),
        ((*SIMULATE, "--threads", 0), "threads 0: must be 1 to 1024"),
        ((*SIMULATE, "--threads", 10**9), f"threads {10**9}: must be 1 to 1024"),
        ((*SIMULATE, "--session", 0), "session 0: must be 1 to 65536 deals"),
        ((*SIMULATE, "--fish", 3), "fish 3: must be 0, 1 or 2 labels"),
        (
            (*SIMULATE, "--players", "quick"),
            "seat 0: no player is called 'quick'; there are fast, noisy, random, rollout, value",
        ),
        ((*SIMULATE, "--players", "fast,fast,,fast"), "seat 2: no player is called ''"),
        ((*SIMULATE, "--players", "fast,noisy"), "2 players: give one for all seats, or four"),
        ((*SIMULATE, "--set", "reserv=picked"), "fishing.reserve"),
        ((*SIMULATE, "--set", "reserve"), "must be KEY=VALUE"),
        ((*SIMULATE, "--set", "reserve=some"), "fishing.reserve"),
        ((*SIMULATE, "--set", "enabled=true"), "more than one key has this name"),
        ((*SIMULATE, "--set", "reserve=all", "--set", "reserve=picked"), "reserve: given twice"),
        (("simulate", "liuzho", "--deals", 10), "liuzhou"),
        (("simulate", "nowhere.toml", "--deals", 10), "nowhere.toml: no such file"),
        (("simulate", "./taken", "--deals", 10), "taken: a folder, not a ruleset file"),
        (("simulate", "broken.toml", "--deals", 10), "broken.toml: line 3"),
        (("simulate", "latin.toml", "--deals", 10), "latin.toml: not UTF-8 text (line 2, byte 0xe9)"),
        (("simulate", "unknown.toml", "--deals", 10), "fishing.reserv"),
        (("simulate", "types.toml", "--deals", 10), "fishing.enabled"),
    ],
)
def test_what_cannot_be_simulated(arguments: tuple[object, ...], message: str, out: tuple[object, ...]) -> None:
    _refused(*arguments, *out, message=message)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("taken", "taken: exists already"),
        ("file", "file: exists already"),
        ("dangling", "dangling: exists already"),
        (".", ".: exists already"),
        ("file/run", "file/run: cannot be written: Not a directory"),
        ("new/" + "n" * 300, "cannot be written: File name too long"),
        ("/proc/mjsim-run", "/proc/mjsim-run: cannot be written"),
    ],
)
def test_where_no_run_can_be_written(out: str, message: str) -> None:
    _refused(*SIMULATE, "--out", out, message=message)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "nowhere.toml"), "nowhere.toml: no such file"),
        (("score", "taken"), "taken: a folder, not a file of score cases"),
        (("score", "empty.toml"), "empty.toml: is empty"),
        (("score", "latin.toml"), "latin.toml: not UTF-8 text (line 2, byte 0xe9)"),
        (("score", "broken.toml"), "broken.toml: not TOML: "),
        (("score", "file"), "file: not TOML: "),
        (("score", "broken.json"), "broken.json: not JSON: Expecting value (line 2, column 11)"),
        (("score", "broken.jsonl"), "broken.jsonl: line 2: not JSON: Expecting value (column 11)"),
        (("score", "unsettled.jsonl"), "unsettled.jsonl: holds no score case"),
        (("score", "beside.toml"), "beside.toml: rules: there is no such key beside the list of cases"),
        (("score", "-"), "standard input: is empty"),
        (("rules", "check", "nowhere.toml"), "nowhere.toml: no such file"),
        (("rules", "check", "broken.toml"), "broken.toml: line 3"),
        (("replay", "liuzho", "--deal", 1), "liuzhou"),
        (("replay", "liuzhou", "--deal", -1), "-1"),
        (("replay", "liuzhou", "--deal", 2**40), "2^40"),
        (("replay", "taken", "--deal", 1), "taken: is not a run folder (run.json is missing)"),
        (("summary", "taken"), "taken: is not a run folder (run.json is missing)"),
        (("summary", "nowhere"), "nowhere: is not a run folder (run.json is missing)"),
        (("summary", "file"), "file: is not a run folder (run.json is missing)"),
        (("report", "taken", "--out", "page.html"), "taken: is not a run folder (run.json is missing)"),
    ],
)
def test_what_cannot_be_read(arguments: tuple[object, ...], message: str) -> None:
    _refused(*arguments, message=message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "standard input: "),
        ('{"id": ' + "[" * 100_000, "standard input: brackets nested too deeply"),
        ("dealer = " + "9" * 5000, "standard input: a number with too many digits"),
        ('{"dealer": ' + "9" * 5000 + "}", "standard input: a number with too many digits"),
    ],
)
def test_texts_made_to_break_a_reader(text: str, message: str) -> None:
    _refused("score", "-", message=message, stdin=text.encode())


def _refused(*arguments: object, message: str, stdin: bytes = b"") -> None:
    done = run(*arguments, stdin=stdin)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("error: ")
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hands": ["", "2222278m333p", "", ""]}, "2m"),
        ({"hands": ["", "22446788m333p", "", ""]}, "seat 1 has 11 concealed tiles beside 1 melds; 10 expected"),
        ({"hands": ["", "2244678m33315p", "", ""]}, "seat 1 has 12 concealed tiles"),
        ({"hands": ["", "2244678m333p", "123456789m123456p", ""]}, "seat 2 has 15 concealed tiles"),
        ({"hands": ["", "2244670m333p", "", ""]}, "there is no 0m"),
        ({"hands": ["", "2244678m33p8z", "", ""]}, "8z"),
        ({"hands": ["", "2245678m333p", "", ""]}, "seat 1"),
        ({"tile": "0m"}, "there is no 0m"),
        ({"tile": "8z"}, "8z"),
        ({"tile": "22m"}, "one tile expected"),
        ({"melds": [[], ["pung 3x <0"], [], []]}, "3x"),
        ({"dealer": 4}, "dealer: 4: seats are 0 to 3"),
        ({"dealer": "0"}, "dealer: '0': a whole number expected"),
        ({"how": "stolen"}, "how"),
        ({"colour": "red"}, "colour: there is no such key in a score case"),
        ({"rules": "liuzho"}, "liuzhou"),
        ({"rules": "nowhere.toml"}, "nowhere.toml: no such file"),
        ({"rules": 3}, "rules: 3: a text expected"),
        ({"options": {"reserv": "all"}}, "fishing.reserve"),
        ({"hands": ["", "2244678m333p", ""]}, "hands: the value: four entries expected"),
    ],
)
def test_what_cannot_be_a_finished_deal(changes: dict[str, Any], message: str) -> None:
    done = run("score", "-", "--json", stdin=json.dumps({**CASE, **changes}).encode())
    (answer,) = json.loads(done.out)
    assert done.status == 1
    assert set(answer) == {"id", "error"}
    assert message in answer["error"]
    assert done.err.startswith("error: case: ")
    assert message in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("key", list(CASE))
def test_a_key_left_out(key: str) -> None:
    case = {name: value for name, value in CASE.items() if name != key}
    done = run("score", "-", "--json", stdin=json.dumps(case).encode())
    (answer,) = json.loads(done.out)
    assert done.status == 1
    assert key in answer["error"]


@pytest.mark.usefixtures("place")
def test_an_empty_ruleset_lacks_every_key() -> None:
    done = run("simulate", "empty.toml", "--deals", 10, "--out", "run")
    assert (done.status, done.out) == (1, "")
    assert "empty.toml: ruleset.name: missing" in done.err
    assert "empty.toml: value.step: missing" in done.err


@pytest.mark.usefixtures("place")
def test_every_wrong_key_of_a_ruleset_is_told_at_once() -> None:
    Path("taken", "two.toml").write_text(
        '[ruleset]\nextends = "liuzhou"\nname = "x"\n[kongs]\nexposed = -1\nexposd = 2\n'
    )
    done = run("rules", "check", "taken/two.toml")
    Path("taken", "two.toml").unlink()
    assert (done.status, done.out) == (1, "")
    assert "kongs.exposed" in done.err
    assert "kongs.exposd" in done.err
    assert all(line.startswith(("error: ", "       ")) for line in done.err.splitlines())


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    "arguments",
    [
        ("simulate", "liuzhou", "--deals", "abc"),
        ("simulate", "liuzhou"),
        ("simulate", "liuzhou", "--deals", 10, "--format", "xml"),
        ("summary",),
        ("report", "taken"),
        ("report", "taken", "taken", "--out", "page.html"),
        ("replay", "liuzhou"),
        ("shuffle",),
        ("rules", "lits"),
    ],
)
def test_usage(arguments: tuple[object, ...]) -> None:
    done = run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("Usage: mjsim")
    assert "Traceback" not in done.err


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run to be damaged, by copies."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    assert run("simulate", "liuzhou", "--deals", 200, "--out", folder).status == 0
    return folder


DAMAGES: dict[str, tuple[Any, str]] = {
    "not json": (lambda text: text[:100], "run.json: file: Invalid JSON"),
    "empty": (lambda text: "", "run.json: file: Invalid JSON"),
    "no seed": (lambda text: text.replace('"seed"', '"sead"'), "run.json: seed: Field required"),
    "seed as text": (lambda text: text.replace('"seed":0', '"seed":"0"').replace('"seed": 0', '"seed": "0"'), "seed"),
    "version": (lambda text: text.replace('"format_version": 2', '"format_version": 99'), "format_version 99"),
    "deals": (lambda text: text.replace('"deals": 200', '"deals": 300', 1), "deals is 300, but the shards hold 200"),
    "outside": (lambda text: text.replace("deals-00000.parquet", "../deals-00000.parquet"), "shards.0.file"),
    "no shards": (lambda text: text[: text.index('"shards"')] + '"shards": []}', "the run holds no deals"),
    "ruleset": (lambda text: text.replace('"chow": true', '"chow": 3'), "claims.chow"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_manifest(run_folder: Path, tmp_path: Path, damage: str) -> None:
    change, message = DAMAGES[damage]
    text = (run_folder / "run.json").read_text(encoding="utf-8")
    copy = tmp_path / "run"
    copy.mkdir()
    (copy / "deals-00000.parquet").write_bytes((run_folder / "deals-00000.parquet").read_bytes())
    (copy / "run.json").write_text(change(text), encoding="utf-8")
    assert change(text) != text
    _refused("replay", copy, "--deal", 3, message=message)
    if damage != "ruleset":
        _refused("summary", copy, message=message)
        _refused("report", copy, "--out", tmp_path / "page.html", message=message)
    assert os.listdir(tmp_path) == ["run"]


def test_a_damaged_shard(run_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    copy.mkdir()
    (copy / "run.json").write_bytes((run_folder / "run.json").read_bytes())
    shard = copy / "deals-00000.parquet"
    content = (run_folder / shard.name).read_bytes()
    for damaged, message in (
        (None, f"{shard}: is missing"),
        (content[:-5], f"{shard}: has {len(content) - 5} bytes, not {len(content)}"),
        (bytes(len(content)), f"{shard}: has changed since it was written: its checksum is not the one in run.json"),
    ):
        if damaged is not None:
            shard.write_bytes(damaged)
        _refused("summary", copy, message=message)
        _refused("report", copy, "--out", tmp_path / "page.html", message=message)
    assert os.listdir(tmp_path) == ["run"]


def test_a_deal_that_is_not_in_the_run(run_folder: Path) -> None:
    _refused("replay", run_folder, "--deal", 200, message=f"deal 200: {run_folder} holds deals 0 to 199")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("taken", "taken: the report cannot be written: it is a folder"),
        ("nowhere/page.html", "nowhere/page.html: the report cannot be written: there is no folder nowhere"),
        ("file/page.html", "file/page.html: the report cannot be written"),
        ("/proc/page.html", "/proc/page.html: the report cannot be written"),
    ],
)
def test_where_no_report_can_be_written(run_folder: Path, out: str, message: str) -> None:
    _refused("report", run_folder, "--out", out, message=message)


def test_a_process_says_it_like_the_others(tmp_path: Path) -> None:
    """The same as a process of its own: status, streams and no traceback."""
    with start("simulate", "liuzho", "--deals", 5, "--out", "run", cwd=tmp_path) as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (1, "")
    assert err.startswith("error: no built-in ruleset")
    assert err.count("\n") == 1
    assert os.listdir(tmp_path) == []
