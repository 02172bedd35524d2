"""``run.json`` is replaced as often as that costs little; however a run ends, what it has finished is in it then."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import mjsim
from mjsim.dataset.run import Manifest, open_run, read_manifest
from mjsim.dataset.shards import Shard, shard_name
from mjsim.dataset.storage import LocalFolder, storage_at
from mjsim.dataset.writer import RunWriter
from mjsim.errors import RunError
from tests.commands import ROOT, run

pytestmark = pytest.mark.usefixtures("compiled_engine", "no_progress")

DEALS = 5_500
OPTIONS = ("simulate", "liuzhou", "--players", "fast", "--deals", DEALS, "--seed", 5)
#: The same run, which records nothing until its end and is killed before its fourth shard.
KILLED = f"""
import os, signal, sys
from unittest.mock import patch
from mjsim.cli import main
from mjsim.dataset.storage import LocalFolder

write = LocalFolder.write

def fatal(place, name, data):
    if name == "deals-00003.parquet":
        os.kill(os.getpid(), signal.SIGKILL)
    write(place, name, data)

for name in ("_SECONDS_FOR_MANIFEST", "_PART_FOR_MANIFEST"):
    patch("mjsim.dataset.writer." + name, 0.0).start()
patch("mjsim.ranges.SHARD_DEALS", 1_000).start()
patch.object(LocalFolder, "write", fatal).start()
sys.argv = ["mjsim", *map(str, {OPTIONS}), "--out", sys.argv[1]]
main()
"""


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mjsim.ranges.SHARD_DEALS", 1_000)


@pytest.fixture
def dear(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replacing run.json once is all that a run has time for."""
    monkeypatch.setattr("mjsim.dataset.writer._SECONDS_FOR_MANIFEST", 0.0)
    monkeypatch.setattr("mjsim.dataset.writer._PART_FOR_MANIFEST", 0.0)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of files, in the order in which they are written."""
    names: list[str] = []
    write = LocalFolder.write

    def noted(folder: LocalFolder, name: str, data: bytes) -> None:
        write(folder, name, data)
        names.append(name)

    monkeypatch.setattr(LocalFolder, "write", noted)
    return names


@pytest.fixture
def asked() -> Manifest:
    return mjsim.simulate("liuzhou", deals=1, players="fast").manifest()


def shard(number: int) -> Shard:
    return Shard(file=shard_name(number), first=number << 20, deals=1 << 20, sha256=f"{number:064x}", bytes=9)


def test_a_short_run_records_every_shard_at_once(tmp_path: Path, written: list[str]) -> None:
    assert run(*OPTIONS, "--out", tmp_path / "run").status == 0
    shards = [shard_name(number) for number in range(6)]
    assert written == ["run.json", *(name for each in shards for name in (each, "run.json")), "run.json"]


@pytest.mark.usefixtures("dear")
def test_at_the_end_every_shard_is_recorded(tmp_path: Path, written: list[str]) -> None:
    assert run(*OPTIONS, "--out", tmp_path / "run").status == 0
    assert written == ["run.json", *(shard_name(number) for number in range(6)), "run.json"]
    assert run("verify", tmp_path / "run").status == 0


def test_the_time_it_takes_is_bounded(tmp_path: Path, asked: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of the test's: a shard is finished every ten seconds, and replacing takes a millisecond a shard."""
    now = 0.0
    spent: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def slow(_folder: LocalFolder, _name: str, data: bytes) -> None:
        nonlocal now
        spent.append(0.001 * len(json.loads(data)["shards"]))
        now += spent[-1]

    monkeypatch.setattr(LocalFolder, "write", slow)
    longest = 0
    with RunWriter(tmp_path / "run", asked) as writer:
        recorded = 0
        for number in range(3_000):
            now += 10.0
            times = len(spent)
            writer.record(shard(number))
            recorded = number if len(spent) > times else recorded
            longest = max(longest, number - recorded)
            assert sum(spent[:-1]) <= 1.0 + 0.01 * now
        assert writer.deals == 3_000 << 20
    assert longest < 60
    assert 200 < len(spent) < 1_000


@pytest.mark.usefixtures("dear")
def test_recording_keeps_no_order_and_counts_a_shard_once(tmp_path: Path, asked: Manifest) -> None:
    with RunWriter(tmp_path / "run", asked) as writer:
        for number in (4, 0, 3, 1, 2, 3):
            writer.record(shard(number))
        assert writer.deals == 5 << 20
        assert [each.first for each in writer.shards] == [number << 20 for number in range(5)]
        assert not read_manifest(storage_at(tmp_path / "run")).shards
    manifest = read_manifest(storage_at(tmp_path / "run"))
    assert (manifest.status, manifest.deals) == ("interrupted", 5 << 20)
    assert manifest.shards == [shard(number) for number in range(5)]


def interrupted() -> None:
    signal.raise_signal(signal.SIGINT)


def failing() -> None:
    raise OSError(5, "Input/output error")


def breaking() -> None:
    raise ZeroDivisionError


@pytest.mark.usefixtures("dear")
@pytest.mark.parametrize("happens", [interrupted, failing, breaking])
def test_whatever_ends_a_run_what_is_finished_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]
) -> None:
    folder = tmp_path / "run"
    write = LocalFolder.write

    def eventful(place: LocalFolder, name: str, data: bytes) -> None:
        if name == shard_name(3):
            happens()
        write(place, name, data)

    with monkeypatch.context() as patch:
        patch.setattr(LocalFolder, "write", eventful)
        if happens is breaking:
            with pytest.raises(ZeroDivisionError):
                run(*OPTIONS, "--out", folder)
        else:
            done = run(*OPTIONS, "--out", folder)
            assert done.status == (130 if happens is interrupted else 1)
            assert happens is interrupted or done.err.endswith("3,000 deals are kept there: go on with --resume\n")
    assert open_run(folder).manifest.deals == (4_000 if happens is interrupted else 3_000)
    assert run(*OPTIONS, "--out", folder, "--resume").status == 0
    assert (
        open_run(folder).to_polars().equals(mjsim.simulate("liuzhou", deals=DEALS, seed=5, players="fast").to_polars())
    )


@pytest.mark.usefixtures("dear")
def test_a_killed_run_plays_again_what_it_had_not_recorded(tmp_path: Path, written: list[str]) -> None:
    """Its shards are there, the same bytes are put in their place, and verify tells of them until then."""
    folder = tmp_path / "run"
    done = subprocess.run([sys.executable, "-c", KILLED, folder], cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    before = (folder / shard_name(0)).read_bytes()
    assert sorted(os.listdir(folder)) == [*(shard_name(number) for number in range(3)), "run.json", "run.lock"]
    with pytest.raises(RunError, match="the run holds no deals"):
        open_run(folder)
    assert run(*OPTIONS, "--out", folder, "--resume").status == 0
    assert written == [shard_name(0), "run.json", *(shard_name(number) for number in range(1, 6)), "run.json"]
    assert (folder / shard_name(0)).read_bytes() == before
    assert run("verify", folder).status == 0
