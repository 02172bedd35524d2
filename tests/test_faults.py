"""The system fails while a run is written: a full disk, a folder that is gone or locked, a clock that jumps."""

import ctypes
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mjsim
from mjsim.dataset.run import open_run
from mjsim.dataset.writer import RunWriter
from mjsim.engine import Plan
from mjsim.errors import RunError
from mjsim.players import DEFAULT, players_for_seats
from mjsim.rules import load_rules
from mjsim.simulation import simulate_to_folder
from tests.commands import Done, run, start, warm_up

pytestmark = pytest.mark.usefixtures("compiled_engine", "no_progress")

SHARD_DEALS = 1000
OPTIONS = ("simulate", "liuzhou", "--deals", 5_500, "--seed", 5)
#: Of Linux: take a right from what the process may ever have, and the right to write where the mode forbids it.
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    warm_up()


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mjsim.ranges.SHARD_DEALS", SHARD_DEALS)


@pytest.fixture(scope="module")
def expected() -> Any:
    return mjsim.simulate("liuzhou", deals=5_500, seed=5).to_polars()


def finished_by(process: subprocess.Popen[str]) -> Done:
    """What a process ended with."""
    out, err = process.communicate(timeout=300)
    return Done(process.returncode, out, err)


def refused(done: Done, *words: str) -> None:
    """One clear line and status 1."""
    assert (done.status, done.out) == (1, ""), done
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err
    for each in words:
        assert each in done.err


def resumes(folder: Path, expected: Any) -> None:
    """The same run goes on, and is then the undisturbed one."""
    done = run(*OPTIONS, "--out", folder, "--resume")
    assert done.status == 0, done.err
    assert open_run(folder).to_polars().equals(expected)
    assert all(name.endswith((".json", ".parquet")) for name in os.listdir(folder))


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("room", [30_000, 200_000])
def test_a_full_disk(tmp_path: Path, expected: Any, room: int) -> None:
    """A file system of its own that is really full."""
    folder = tmp_path / "disk" / "run"
    with mounted(tmp_path / "disk", room):
        refused(
            run(*OPTIONS, "--out", folder), f"{folder}: cannot be written: No space left on device; free some space"
        )
        if room < 100_000:
            assert os.listdir(tmp_path / "disk") == []
            return
        kept = open_run(folder)
        assert 0 < len(kept.manifest.shards) < 6
        assert kept.to_polars().equals(expected.head(kept.manifest.deals))
        assert run("verify", folder).status == 0
        again = run(*OPTIONS, "--out", folder, "--resume")
        assert again.status == 1
        assert again.err.endswith(f"; {kept.manifest.deals:,} deals are kept there: go on with --resume\n")
        shutil.copytree(folder, tmp_path / "run")
    resumes(tmp_path / "run", expected)


class mounted:  # noqa: N801  # used like a function
    """A small file system in memory; skips the test where none can be made."""

    def __init__(self, place: Path, room: int) -> None:
        self._place = place
        self._room = room

    def __enter__(self) -> None:
        self._place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={self._room}", "mjsim-test", str(self._place)]
        if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("no file system can be made here; test_a_file_that_may_not_grow fails in the same way")

    def __exit__(self, *_error: object) -> None:
        subprocess.run(["umount", "--lazy", str(self._place)], check=True)


@pytest.mark.usefixtures("small_shards")
def test_a_file_that_may_not_grow(tmp_path: Path, expected: Any) -> None:
    """The system refuses to write more, as on a full disk: nothing is lost that was finished before."""
    folder = tmp_path / "run"
    assert run(*OPTIONS[:3], 2_500, *OPTIONS[4:], "--out", folder).status == 0
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        done = run(*OPTIONS, "--out", folder, "--resume")
        fresh = run(*OPTIONS, "--out", tmp_path / "new" / "run")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.status == 1
    assert f"{folder}: cannot be written: File too large; free some space; 2,500 deals are kept there" in done.err
    assert open_run(folder).to_polars().equals(expected.head(2_500))
    refused(fresh, "cannot be written: File too large; free some space")
    assert os.listdir(tmp_path) == ["run"]
    resumes(folder, expected)


@pytest.mark.skipif(sys.platform != "linux", reason="takes a right of root's away as Linux does")
def test_a_folder_that_may_only_be_read(tmp_path: Path) -> None:
    def as_everybody() -> None:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)

    place = tmp_path / "place"
    folder = place / "run"
    assert run("simulate", "liuzhou", "--deals", 100, "--out", folder).status == 0
    for options in (("--deals", 100, "--out", place / "new"), ("--deals", 200, "--out", folder, "--resume")):
        place.chmod(0o555)
        folder.chmod(0o555)
        try:
            with start("simulate", "liuzhou", *options, preexec_fn=as_everybody) as process:
                done = finished_by(process)
        finally:
            place.chmod(0o755)
            folder.chmod(0o755)
        refused(done, f"{options[3]}: cannot be written: Permission denied")
    assert os.listdir(place) == ["run"]
    assert open_run(folder).manifest.deals == 100


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_folder_that_is_removed(tmp_path: Path, replaced: bool) -> None:
    folder = tmp_path / "run"

    def remove(played: int) -> None:
        if played > 2 * SHARD_DEALS and folder.exists() and (folder / "run.json").exists():
            shutil.rmtree(folder)
            if replaced:
                folder.mkdir()

    message = f"{folder}: was removed, renamed or replaced while the run was being written to it"
    with pytest.raises(RunError, match=message):
        simulate_to_folder(plan(), folder, deals=5_500, chunk=100, progress=remove)
    assert os.listdir(tmp_path) == (["run"] if replaced else [])
    assert not replaced or os.listdir(folder) == []


@pytest.mark.usefixtures("small_shards")
def test_a_folder_that_is_renamed(tmp_path: Path, expected: Any) -> None:
    """What was finished can go on under the new name."""
    folder, other = tmp_path / "run", tmp_path / "other"

    def rename(played: int) -> None:
        if played > 2 * SHARD_DEALS and folder.exists():
            folder.rename(other)

    with pytest.raises(RunError, match="was removed, renamed or replaced"):
        simulate_to_folder(plan(), folder, deals=5_500, chunk=100, progress=rename)
    assert os.listdir(tmp_path) == ["other"]
    assert open_run(other).manifest.deals == 2 * SHARD_DEALS
    resumes(other, expected)


def plan() -> Plan:
    return Plan(load_rules("liuzhou"), players_for_seats(DEFAULT), seed=5)


@pytest.mark.usefixtures("small_shards")
def test_a_clock_that_jumps(tmp_path: Path, expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the time of day nor that of files matters; a clock that goes back harms no progress line."""
    chance = random.Random(1)
    folder = tmp_path / "run"
    assert run(*OPTIONS[:3], 2_500, *OPTIONS[4:], "--out", folder).status == 0
    for path in folder.iterdir():
        os.utime(path, (0, chance.randrange(1 << 32)))
    with monkeypatch.context() as patch:
        for name in ("time", "monotonic", "perf_counter"):
            patch.setattr(time, name, lambda: chance.uniform(-1e9, 1e9))
        patch.setattr("mjsim.cli.progress.Lines.__init__.__defaults__", (time.monotonic,))
        done = run(*OPTIONS, "--out", folder, "--resume")
    assert done.status == 0
    assert "2,500 of 5,500 deals are there already" in done.err
    resumes(folder, expected)


def test_two_writers_in_one_process(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    asked = mjsim.simulate("liuzhou", deals=1).manifest()
    with RunWriter(folder, asked) as first:
        with pytest.raises(RunError, match="another run is being written there"):
            RunWriter(folder, asked, resume=True)
        with pytest.raises(RunError, match="exists already"):
            RunWriter(folder, asked)
        first.add(0, 0, mjsim.simulate("liuzhou", deals=1).columns)
    with RunWriter(folder, asked, resume=True) as second:
        assert len(second.shards) == 1


def test_only_one_of_many_writers_gets_a_folder(tmp_path: Path) -> None:
    """The file of a lock goes when the lock does; between the two nobody else slips in."""
    asked = mjsim.simulate("liuzhou", deals=1).manifest()
    inside: list[int] = []
    got: list[int] = []
    wrong: list[int] = []

    def write(number: int) -> None:
        for _ in range(20):
            try:
                with RunWriter(tmp_path / "run", asked, resume=True):
                    inside.append(number)
                    wrong.extend(each for each in inside if each != number)
                    time.sleep(0.001)
                    got.append(number)
                    inside.remove(number)
            except RunError:
                time.sleep(0.0005)

    (tmp_path / "run").mkdir()
    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got
    assert wrong == []


@pytest.mark.usefixtures("small_shards")
def test_what_was_being_written_is_swept_away(tmp_path: Path, expected: Any) -> None:
    folder = tmp_path / "run"
    assert run(*OPTIONS[:3], 2_500, *OPTIONS[4:], "--out", folder).status == 0
    for name in ("deals-00003.parquet.ab12", "run.json.x9", "run.lock"):
        (folder / name).write_bytes(b"PAR1")
    (folder / "deals-00004.parquet").write_bytes(b"PAR1 and no more")
    refused(run("verify", folder), "deals-00004.parquet: is not in run.json")
    resumes(folder, expected)


@pytest.mark.usefixtures("small_shards")
def test_a_failing_checksum_never_reaches_a_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short shard is read back to be filled up: what is read is what was checked."""
    folder = tmp_path / "run"
    assert run(*OPTIONS[:3], 2_500, *OPTIONS[4:], "--out", folder).status == 0
    whole = open_run(folder).manifest.shards[-1]

    def pass_everything(*_arguments: object) -> list[None]:
        (folder / whole.file).write_bytes(bytes(whole.bytes))
        return [None] * 3

    monkeypatch.setattr("mjsim.dataset.writer.shard_faults", pass_everything)
    refused_run = run(*OPTIONS, "--out", folder, "--resume")
    assert refused_run.status == 1
    assert f"{whole.file}: has changed since it was written" in refused_run.err


@pytest.fixture
def v1(tmp_path: Path) -> Path:
    """A folder as version 1 wrote it, without a digest."""
    folder = tmp_path / "old"
    assert run(*OPTIONS[:3], 2_500, *OPTIONS[4:], "--out", folder).status == 0
    manifest = json.loads((folder / "run.json").read_text())
    del manifest["digest"]
    manifest["format_version"] = 1
    (folder / "run.json").write_text(json.dumps(manifest))
    return folder


def test_an_older_version_is_read(v1: Path) -> None:
    assert open_run(v1).manifest.format_version == 1
    assert run("verify", v1).status == 0
    assert run("summary", v1, "--format", "json").status == 0
    done = run(*OPTIONS, "--out", v1, "--resume")
    assert done.status == 0
    assert open_run(v1).manifest.format_version == 2
    assert open_run(v1).manifest.deals == 5_500


@pytest.mark.parametrize("version", [0, 3])
def test_other_versions_are_refused_by_name(v1: Path, version: int) -> None:
    manifest = json.loads((v1 / "run.json").read_text()) | {"format_version": version}
    (v1 / "run.json").write_text(json.dumps(manifest))
    commands: list[Callable[[], Done]] = [
        lambda: run("verify", v1),
        lambda: run("summary", v1),
        lambda: run(*OPTIONS, "--out", v1, "--resume"),
    ]
    for command in commands:
        refused(command(), f"format_version {version}; this mjsim reads versions 1 and 2")
