"""Ctrl-C at any moment: everything finished is kept, whole and readable, and the process ends with status 130."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mjsim
from mjsim.cli.playing import INTERRUPTED
from mjsim.dataset.writer import RunWriter
from mjsim.rules import Ruleset
from mjsim.rules.packed import pack
from mjsim.state import Record
from mjsim.workers import Interrupts, run_chunks
from tests.commands import Done, run, start, warm_up

#: More deals than can be played before the interrupt.
MANY = 50_000_000
FIRST = 1_000_001


pytestmark = pytest.mark.usefixtures("compiled_engine")


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    warm_up()


@pytest.fixture(autouse=True)
def _heed_ctrl_c() -> Iterator[None]:
    """A suite started in the background may have been told to ignore it, and its children with it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(*arguments: object, by: signal.Signals, after: float, times: int = 1) -> Done:
    """Start a command, and interrupt it some seconds after its first line of progress."""
    process = start(*arguments, start_new_session=True)
    assert process.stderr is not None
    progress = process.stderr.readline()
    assert f" of {MANY:,} deals, " in progress
    time.sleep(after)
    for _ in range(times):
        process.send_signal(by)
        time.sleep(0.02)
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Done(process.returncode, out, progress + err)


@pytest.mark.parametrize(
    ("by", "after", "times"), [(signal.SIGINT, 0.0, 1), (signal.SIGINT, 0.61, 3), (signal.SIGTERM, 0.2, 1)]
)
def test_a_run_keeps_what_is_finished(tmp_path: Path, by: signal.Signals, after: float, times: int) -> None:
    folder = tmp_path / "run"
    arguments = ("simulate", "liuzhou", "--deals", MANY, "--first", FIRST, "--seed", 6, "--out", folder)
    done = interrupted(*arguments, by=by, after=after, times=times)
    assert done.status == 130
    assert os.listdir(tmp_path) == ["run"]
    written = mjsim.open_run(folder)
    deals = written.manifest.deals
    assert done.out.startswith(f"{folder}: {deals:,} deals of liuzhou, seed 6, ")
    assert done.err.endswith(f"interrupted: {deals:,} of {MANY:,} deals were finished and are kept in {folder}\n")
    assert "Traceback" not in done.err
    assert written.manifest.status == "interrupted"
    assert written.manifest.first == FIRST
    frame = written.to_polars()
    assert frame["deal"].to_list() == list(range(FIRST, FIRST + deals))
    undisturbed = mjsim.simulate("liuzhou", deals=deals, first=FIRST, seed=6)
    assert frame.equals(undisturbed.to_polars())
    again = run("summary", folder, "--format", "json")
    assert (again.status, again.err) == (0, "")
    summary = json.loads(again.out)
    assert (summary["deals"], summary["status"]) == (deals, "interrupted")


def test_a_summary_is_of_what_is_finished() -> None:
    done = interrupted("simulate", "liuzhou", "--deals", MANY, "--format", "json", by=signal.SIGINT, after=0.1)
    assert done.status == 130
    summary = json.loads(done.out)
    assert summary["status"] == "interrupted"
    assert 0 < summary["deals"] < MANY
    last = f"interrupted: {summary['deals']:,} of {MANY:,} deals were finished; the summary is of these\n"
    assert done.err.endswith(last)
    assert "Traceback" not in done.err


def test_an_interrupt_while_a_shard_is_written_costs_no_deal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mjsim.ranges.SHARD_DEALS", 5000)
    add = RunWriter.add

    def interrupted_add(writer: RunWriter, *arguments: Any) -> None:
        if len(writer.shards) == 1:
            signal.raise_signal(signal.SIGINT)
        add(writer, *arguments)

    monkeypatch.setattr(RunWriter, "add", interrupted_add)
    done = run("simulate", "liuzhou", "--deals", 30_000, "--out", tmp_path / "run")
    assert done.status == INTERRUPTED
    manifest = mjsim.open_run(tmp_path / "run").manifest
    assert (manifest.status, manifest.deals, len(manifest.shards)) == ("interrupted", 10_000, 2)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("out", [True, False])
def test_an_interrupt_before_the_first_deal_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: bool
) -> None:
    def interrupted_pack(rules: Ruleset) -> Record:
        signal.raise_signal(signal.SIGINT)
        return pack(rules)

    monkeypatch.setattr("mjsim.engine.pack", interrupted_pack)
    arguments = ("--out", tmp_path / "new" / "run") if out else ()
    done = run("simulate", "liuzhou", "--deals", 10, *arguments)
    assert (done.status, done.out) == (130, "")
    assert done.err == "interrupted before any deal was finished; nothing is kept\n"
    assert os.listdir(tmp_path) == []


def test_an_interrupt_ends_other_commands_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted_score(*_arguments: object, **_options: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("mjsim.cli.scoring.score", interrupted_score)
    done = run("score", "-", stdin=b"{}")
    assert (done.status, done.out, done.err) == (130, "", "")


def test_chunks_are_counted_without_a_gap() -> None:
    """Whenever an interrupt comes, all chunks that are counted are done, and few are begun after it."""
    begun: list[int] = []

    def work(start: int, _size: int) -> None:
        begun.append(start)
        time.sleep(0.001)

    for stop_at in range(1, 12):
        begun.clear()
        with Interrupts() as interrupts:

            def report(done: int, at: int = stop_at, interrupts: Interrupts = interrupts) -> None:
                if done == 10 * at:
                    signal.raise_signal(signal.SIGINT)
                    assert interrupts.requested

            done = run_chunks(((10 * chunk, 10) for chunk in range(1000)), work, interrupts, 3, report)
        assert done >= 10 * stop_at
        assert set(range(0, done, 10)) <= set(begun)
        assert done <= 10 * (stop_at + 6)


def test_handlers_that_are_not_pythons_own_are_left_alone() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)
        assert (interrupts.requested, seen) == (False, [signal.SIGINT])
    finally:
        signal.signal(signal.SIGINT, before)
