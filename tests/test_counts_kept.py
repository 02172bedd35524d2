"""Runs that keep what deals come to in place of the deals (``mjsim simulate --aggregate``)."""

import json
import re
import signal
from pathlib import Path

import polars as pl
import pytest

import mjsim
from analysis.counts.counting import aggregate
from analysis.counts.stored import Kept, Part, restored, stored
from analysis.fish.kinds import by_kind
from mjsim.cli.counting import Counts
from mjsim.dataset.run import MANIFEST_NAME, open_run
from mjsim.errors import RunError
from mjsim.ranges import session_ranges
from tests.commands import run, start

pytestmark = pytest.mark.usefixtures("compiled_engine")

PLAN = ("liuzhou", "--session", 16, "--seed", 3)


def keep(folder: Path, deals: int, *options: object) -> str:
    done = run("simulate", *PLAN, "--deals", deals, "--aggregate", "--out", folder, *options)
    assert done.status == 0, done.err
    return done.err


def counts_file(folder: Path) -> Path:
    (file,) = folder.glob("counts-*.json")
    return file


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "run"
    keep(folder, 2_005)
    return folder


@pytest.fixture(scope="module")
def deals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deals") / "run"
    done = run("simulate", *PLAN, "--deals", 2_005, "--out", folder)
    assert done.status == 0
    return folder


def test_the_counts_are_those_of_the_deals(kept: Path, deals: Path) -> None:
    frame = open_run(deals).to_polars()
    total = Kept.from_json(open_run(kept).counts(), "counts").total()
    assert total.counts == aggregate(frame, 16)
    assert total.kinds == by_kind(frame)
    assert sorted(path.name for path in kept.iterdir()) == ["counts-2005.json", MANIFEST_NAME]


@pytest.mark.parametrize("command", ["summary", "fishing"])
def test_commands_say_the_same_of_both(kept: Path, deals: Path, command: str) -> None:
    assert run(command, kept, "--format", "csv").out == run(command, deals, "--format", "csv").out


def test_a_report_says_the_same_of_both(kept: Path, deals: Path, tmp_path: Path) -> None:
    pages = []
    for folder in (kept, deals):
        done = run("report", folder, "--format", "md", "--by-player", 300, "--out", tmp_path / "page.md")
        assert done.status == 0, done.err
        pages.append((tmp_path / "page.md").read_text(encoding="utf-8"))
    assert pages[0] == pages[1]


def test_compared_with_itself_nothing_differs(kept: Path, deals: Path) -> None:
    done = run("compare", deals, kept, "--format", "json")
    assert done.status == 0, done.err
    assert {effect["verdict"] for effect in json.loads(done.out)["effects"]} == {"same"}


def test_a_deal_is_shown_without_being_kept(kept: Path) -> None:
    done = run("replay", kept, "--deal", 7)
    assert (done.status, done.err) == (0, "")
    assert "deal 7" in done.out


@pytest.mark.parametrize("deals", [1_999, 2_000, 2_001])
def test_more_deals_give_the_counts_of_an_undisturbed_run(tmp_path: Path, kept: Path, deals: int) -> None:
    keep(tmp_path / "run", deals)
    said = keep(tmp_path / "run", 2_005, "--resume")
    assert f"{deals:,} of 2,005 deals are there already" in said
    assert counts_file(tmp_path / "run").read_bytes() == counts_file(kept).read_bytes()
    assert "nothing to do" in keep(tmp_path / "run", 2_005, "--resume")


def test_an_interrupt_keeps_whole_sessions_to_go_on_from(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start(*("simulate", *PLAN, "--deals", 40_000_000, "--aggregate", "--out", folder), start_new_session=True)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    found = open_run(folder)
    assert found.manifest.status == "interrupted"
    there = found.manifest.deals
    keep(folder, there + 1_000, "--resume")
    keep(tmp_path / "whole", there + 1_000)
    assert counts_file(folder).read_bytes() == counts_file(tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("session", [1, 7, 64])
@pytest.mark.parametrize("size", [70, 512])
def test_counts_of_pieces_add_up(session: int, size: int) -> None:
    """Piece by piece as all at once, also where the first and the last session are not whole."""
    whole = mjsim.simulate("liuzhou", deals=700, seed=5, session=session, first=(1 << 20) - 300)
    counts = Counts(session, with_kinds=True)
    for first, deals in session_ranges(whole.first, whole.deals, session, size):
        begin = first - whole.first
        part = counts.count({name: values[begin : begin + deals] for name, values in whole.columns.items()})
        counts.add(part, is_whole=(first + deals) % session == 0)
    kept = counts.kept()
    assert kept.deals == counts.deals == 700
    assert kept.total() == Part(aggregate(whole.to_polars(), session), by_kind(whole.to_polars()))
    assert kept == Kept.from_json(kept.to_json(), "counts")


def test_counts_of_disjoint_deals_add_up() -> None:
    frame = mjsim.simulate("nanning_folk", deals=600, seed=2).to_polars()
    parts = [restored(stored(aggregate(frame.filter(pl.col("deal") % 3 == third)))) for third in range(3)]
    assert parts[0] + parts[1] + parts[2] == aggregate(frame)
    assert parts[2] + (parts[0] + parts[1]) == aggregate(frame)


def test_verify_says_what_it_checked(kept: Path) -> None:
    done = run("verify", kept)
    assert (done.status, done.err) == (0, "")
    assert "sums of the counts" in done.out


@pytest.mark.parametrize("command", ["summary", "verify", "report"])
def test_a_changed_count_is_found(kept: Path, tmp_path: Path, command: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for file in kept.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    file = counts_file(folder)
    file.write_text(re.sub(r"\[(\d)", "[9", file.read_text(), count=1))
    done = run(command, folder, *(["--out", tmp_path / "page.html"] if command == "report" else []))
    assert done.status == 1
    assert f"{file}: has" in done.err
    said = keep(folder, 2_005, "--resume")
    assert "its deals are played again" in said
    assert counts_file(folder).read_bytes() == counts_file(kept).read_bytes()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "counts_version"),
        ('{"counts_version":2}', "counts_version 2; this mjsim reads version 1"),
        ('{"counts_version":1,"whole":{"counts":{},"kinds":null},"rest":null}', "level: Field required"),
        ("[", "is not what mjsim simulate --aggregate writes"),
        ('{"counts_version":1,"whole":3,"rest":null}', "is not what"),
    ],
)
def test_other_files_are_refused(text: str, words: str) -> None:
    with pytest.raises(RunError, match=re.escape(words)):
        Kept.from_json(text.encode(), "counts.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"level": -1}, "level"),
        ({"batches": [3, 1]}, "ascending"),
        ({"batches": [1, 2]}, "sums for 2 batches"),
        ({"dearest": [[1]]}, "dearest"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_no_aggregate_is_refused(change: dict[str, object], words: str) -> None:
    found = stored(aggregate(mjsim.simulate("liuzhou", deals=10, seed=1).to_polars())) | change
    with pytest.raises(ValueError, match=words):
        restored(found)


def test_options_that_do_not_fit_are_refused(kept: Path, deals: Path) -> None:
    assert "--out" in run("simulate", "liuzhou", "--deals", 10, "--aggregate").err
    other = run("simulate", *PLAN, "--deals", 3_000, "--out", kept, "--resume")
    assert (other.status, "keeps counts there, deals here" in other.err) == (1, True)
    fewer = run("simulate", *PLAN, "--deals", 100, "--aggregate", "--out", kept, "--resume")
    assert (fewer.status, "at least as many --deals" in fewer.err) == (1, True)
    with pytest.raises(RunError, match="--aggregate"):
        open_run(kept).to_polars()
    with pytest.raises(RunError, match="without --aggregate"):
        open_run(deals).counts()
