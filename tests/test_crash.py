"""A run killed at any moment: what is finished stays, what is missing is played, and the result is the same."""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import mjsim
from mjsim.dataset.columns import COLUMN_NAMES
from mjsim.dataset.run import open_run
from mjsim.dataset.writer import RunWriter
from mjsim.rules import Ruleset, load_rules
from tests.commands import Done, run, start, warm_up
from tests.killing import OPTIONS, SHARD_DEALS, SHARDS, Killing, RunServer
from tests.test_campaigns import write_counts

pytestmark = pytest.mark.usefixtures("compiled_engine", "no_progress")


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    warm_up()


@pytest.fixture(scope="module")
def server() -> Iterator[RunServer]:
    with RunServer() as made:
        yield made


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mjsim.ranges.SHARD_DEALS", SHARD_DEALS)
        assert run(*OPTIONS, "--out", folder).status == 0
    assert len(open_run(folder).manifest.shards) == SHARDS
    return folder


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mjsim.ranges.SHARD_DEALS", SHARD_DEALS)


@pytest.fixture
def part(undisturbed: Path, tmp_path: Path) -> Path:
    """A copy of the run to do things to."""
    return Path(shutil.copytree(undisturbed, tmp_path / "part"))


def resumed(folder: Path, *options: object) -> Done:
    return run(*OPTIONS, *options, "--out", folder, "--resume")


@pytest.mark.parametrize(
    ("by", "times", "seed"), [(signal.SIGKILL, 30, 1), (signal.SIGTERM, 15, 2), (signal.SIGINT, 15, 3)]
)
def test_a_run_killed_at_any_moment_goes_on(
    server: RunServer, undisturbed: Path, tmp_path: Path, by: signal.Signals, times: int, seed: int
) -> None:
    killing = Killing(server, undisturbed, tmp_path)
    killing.kill(by, times, seed)
    assert killing.counts[f"{by.name} landed"] == times
    assert killing.counts[f"{by.name} left some shards"] > 0
    assert killing.counts["shards kept from an earlier start"] > 0


@pytest.mark.campaign
def test_kill_campaign(server: RunServer, undisturbed: Path, tmp_path: Path) -> None:
    killing = Killing(server, undisturbed, tmp_path)
    for seed in range(10):
        for by, times in ((signal.SIGKILL, 60), (signal.SIGTERM, 20), (signal.SIGINT, 20)):
            killing.kill(by, times, 100 + seed)
    write_counts("kills", dict(killing.counts))  # a row or file that differs would have ended the campaign
    assert sum(killing.counts[f"{by.name} landed"] for by in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)) == 1000


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize(
    "hurt",
    {
        "missing": lambda shard: shard.unlink(),
        "truncated": lambda shard: os.truncate(shard, 1000),
        "longer": lambda shard: shard.write_bytes(shard.read_bytes() + b"\0"),
        "a bit": lambda shard: shard.write_bytes(flipped(shard.read_bytes(), 12_345)),
        "swapped": lambda shard: shard.write_bytes(shard.with_name("deals-00003.parquet").read_bytes()),
    }.items(),
    ids=lambda item: item[0],
)
def test_a_damaged_shard_is_played_again_and_no_other(part: Path, undisturbed: Path, hurt: tuple[str, object]) -> None:
    shard = part / "deals-00005.parquet"
    change = hurt[1]
    assert callable(change)
    change(shard)
    before = {path.name: path.stat().st_ino for path in part.glob("deals-*") if path.name != shard.name}
    done = resumed(part)
    assert done.status == 0, done.err
    assert done.err.startswith(f"{shard}: ")
    assert "; its deals are played again\n" in done.err
    assert f"{part}: 11,345 of 12,345 deals are there already\n" in done.err
    assert {name: (part / name).stat().st_ino for name in before} == before
    assert shard.read_bytes() == (undisturbed / shard.name).read_bytes()
    assert run("verify", part).status == 0


def flipped(content: bytes, bit: int) -> bytes:
    """The same bytes with one bit changed."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.usefixtures("small_shards")
def test_a_complete_run_has_nothing_to_do(part: Path) -> None:
    before = {path.name: (path.read_bytes(), path.stat().st_ino) for path in part.iterdir()}
    done = resumed(part)
    assert done.status == 0
    assert done.err == f"{part}: all 12,345 deals are there already; nothing to do\n"
    assert {path.name: (path.read_bytes(), path.stat().st_ino) for path in part.iterdir()} == before


@pytest.mark.usefixtures("small_shards")
def test_a_run_grows(undisturbed: Path, tmp_path: Path) -> None:
    """More deals are played on from the last shard, which was short: the files are those of the longer run."""
    folder = tmp_path / "run"
    for deals in (1, 600, 601, 3000, 3001, 12_345):
        assert resumed(folder, "--deals", deals).status == 0
        assert open_run(folder).manifest.deals == deals
    for path in undisturbed.glob("deals-*"):
        assert (folder / path.name).read_bytes() == path.read_bytes(), path.name
    done = resumed(folder, "--deals", 12_000)
    assert (done.status, done.out) == (1, "")
    assert "deals-00012.parquet holds deals 14000 to 14744, which are not asked for" in done.err


def test_an_interrupted_run_becomes_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C leaves a short last shard; it is filled up, and its deals are not played again."""
    played: list[int] = []

    def stop(writer: RunWriter, *arguments: object) -> None:
        signal.raise_signal(signal.SIGINT)

    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr("mjsim.cli.progress.Lines.__call__", stop)
        first = run("simulate", "liuzhou", "--deals", 60_000, "--out", folder)
    assert first.status == 130
    kept = open_run(folder).manifest
    assert kept.status == "interrupted"
    assert 0 < kept.deals < 60_000
    with monkeypatch.context() as patch:
        patch.setattr("mjsim.cli.progress.Lines.__call__", lambda _, done: played.append(done))
        second = run("simulate", "liuzhou", "--deals", 60_000, "--out", folder, "--resume")
    assert second.status == 0
    assert second.err == f"{folder}: {kept.deals:,} of 60,000 deals are there already\n"
    assert played[0] > kept.deals
    assert played[-1] == 60_000
    manifest = open_run(folder).manifest
    assert (manifest.status, manifest.deals) == ("complete", 60_000)
    columns = mjsim.simulate("liuzhou", deals=60_000).to_polars()
    assert open_run(folder).to_polars().equals(columns)


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("deals", [12_345, 13_000])
def test_an_interrupt_while_starting_changes_nothing(part: Path, monkeypatch: pytest.MonkeyPatch, deals: int) -> None:
    """It counts from the first line of the command on, also where what is imported would swallow it."""

    def interrupted_load(name: str, **settings: object) -> Ruleset:
        signal.raise_signal(signal.SIGINT)
        return load_rules(name)

    monkeypatch.setattr("mjsim.cli.playing.load_rules", interrupted_load)
    before = {path.name: path.read_bytes() for path in part.iterdir()}
    done = resumed(part, "--deals", deals)
    assert done.status == 130
    assert done.err == f"interrupted before any deal was played; nothing has changed in {part}\n"
    assert {path.name: path.read_bytes() for path in part.iterdir()} == before
    done = run(*OPTIONS, "--out", part.with_name("new"))
    assert (done.status, done.err) == (130, "interrupted before any deal was finished; nothing is kept\n")
    assert not part.with_name("new").exists()


@pytest.mark.usefixtures("small_shards")
def test_an_interrupted_run_is_complete_where_no_more_is_asked_for(part: Path) -> None:
    manifest = json.loads((part / "run.json").read_text())
    changed = open_run(part).manifest.model_copy(update={"status": "interrupted"}).sealed()
    (part / "run.json").write_text(changed.model_dump_json())
    assert resumed(part).status == 0
    assert open_run(part).manifest.status == manifest["status"] == "complete"


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--seed", 18), "the seed is 17 there, 18 here"),
        (("--session", 8), "the session length is 7 there, 8 here"),
        (("--fish", 1), "the number of fish is 2 there, 1 here"),
        (("--first", 2_401), "the first deal is 2400 there, 2401 here"),
        (("--players", "noisy"), "the players are value,value,value,value there, noisy,noisy,noisy,noisy here"),
        (("--set", "chow=false"), "claims.chow is true there, false here"),
        (("--seed", 18, "--fish", 0), "the seed is 17 there, 18 here; the number of fish is 2 there, 0 here"),
    ],
)
def test_another_run_is_refused(part: Path, options: tuple[object, ...], message: str) -> None:
    before = {path.name: path.read_bytes() for path in part.iterdir()}
    done = resumed(part, *options)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"error: {part}: was made otherwise: {message}. ")
    assert {path.name: path.read_bytes() for path in part.iterdir()} == before


@pytest.mark.usefixtures("small_shards")
def test_other_versions_are_refused(part: Path) -> None:
    manifest = open_run(part).manifest
    players = [each.model_copy(update={"source_hash": "0" * 64}) for each in manifest.players]
    changed = manifest.model_copy(update={"results_version": 99, "players": players}).sealed()
    (part / "run.json").write_text(changed.model_dump_json())
    done = resumed(part)
    assert done.status == 1
    here = manifest.players[0].source_hash[:8]
    assert f"results_version is 99 there, {manifest.results_version} here" in done.err
    assert f"the player value has changed (its source is 00000000 there, {here} here)" in done.err


def test_shards_of_another_size_are_refused(part: Path) -> None:
    done = resumed(part)
    assert done.status == 1
    assert "which are not asked for" in done.err


@pytest.mark.usefixtures("small_shards")
def test_another_ruleset_is_named(part: Path) -> None:
    done = run("simulate", "nanning_folk", *OPTIONS[2:], "--out", part, "--resume")
    assert done.status == 1
    assert f"{part}: was made otherwise: " in done.err


@pytest.mark.usefixtures("small_shards")
def test_software_that_has_changed_is_recorded(part: Path) -> None:
    manifest = open_run(part).manifest
    software = manifest.software | {"numpy": "2.0.0"}
    shards = manifest.shards[:-1]
    changed = manifest.model_copy(
        update={"software": software, "shards": shards, "deals": sum(each.deals for each in shards)}
    )
    (part / "run.json").write_text(changed.sealed().model_dump_json())
    assert resumed(part).status == 0
    assert open_run(part).manifest.software == manifest.software | {"numpy": f"2.0.0, {manifest.software['numpy']}"}


@pytest.mark.usefixtures("small_shards")
def test_resuming_starts_a_run_that_is_not_there(tmp_path: Path, undisturbed: Path) -> None:
    folder = tmp_path / "new" / "run"
    done = resumed(folder)
    assert (done.status, done.err) == (0, "")
    assert open_run(folder).to_polars().equals(open_run(undisturbed).to_polars())


def test_resuming_needs_a_run(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    done = resumed(tmp_path)
    assert (done.status, done.out) == (1, "")
    assert done.err == f"error: {tmp_path}: is not a run folder: it holds notes.txt and no run.json\n"
    assert os.listdir(tmp_path) == ["notes.txt"]
    done = resumed(tmp_path / "notes.txt")
    assert (done.status, done.out) == (1, "")
    assert "notes.txt: is not a folder" in done.err
    done = run(*OPTIONS, "--resume")
    assert done.status == 2
    assert "--resume" in done.err


def test_a_run_that_is_there_is_not_begun_again(undisturbed: Path) -> None:
    done = run(*OPTIONS, "--out", undisturbed)
    assert done.status == 1
    assert done.err.startswith(f"error: {undisturbed}: exists already; go on with it by --resume")


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    """The second is refused while the first lives, and goes on as soon as that is killed, whatever it left behind."""
    folder = tmp_path / "run"
    many = ("simulate", "liuzhou", "--deals", 50_000_000, "--out", folder, "--resume")
    with start(*many) as process:
        while not (folder / "run.json").exists():
            assert process.poll() is None
            time.sleep(0.01)
        second = run("simulate", "liuzhou", "--deals", 10, "--out", folder, "--resume")
        assert (second.status, second.out) == (1, "")
        assert second.err.startswith(f"error: {folder}: another run is being written there")
        third = run("simulate", "liuzhou", "--deals", 10, "--out", folder)
        assert third.status == 1
        assert process.poll() is None
        process.kill()
    assert (folder / "run.lock").exists()
    done = run("simulate", "liuzhou", "--deals", 10, "--out", folder, "--resume")
    assert done.status == 0, done.err
    assert sorted(os.listdir(folder)) == ["deals-00000.parquet", "run.json"]
    assert open_run(folder).to_polars().columns == list(COLUMN_NAMES)
