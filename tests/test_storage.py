"""Runs that are kept where a URL says: the same shards as in a folder, the same answers, nothing finished lost."""

import errno
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import mjsim
from mjsim.dataset.lock import LOCK_NAME
from mjsim.dataset.remote import ObjectStore
from mjsim.dataset.run import open_run
from mjsim.dataset.storage import LocalFolder, Storage, is_url, storage_at, without_secrets
from mjsim.dataset.writer import RunWriter
from mjsim.engine import Plan
from mjsim.errors import RunError
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.simulation import simulate_to_folder
from tests.commands import ROOT, Done, run
from tests.stores import Shelf, known_to_all

pytestmark = pytest.mark.usefixtures("compiled_engine", "no_progress")

SHARD_DEALS = 1_000
DEALS = 5_300
OPTIONS = ("simulate", "liuzhou", "--players", "fast", "--deals", DEALS, "--seed", 5, "--session", 16)
PLAN = Plan(load_rules("liuzhou"), players_for_seats("fast"), seed=5, session=16)
MEMORY = "memory://bucket/run"


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mjsim.ranges.SHARD_DEALS", "mjsim.cli.counting.SHARD_DEALS"):
        monkeypatch.setattr(name, SHARD_DEALS)


@pytest.fixture(autouse=True)
def fresh_stores() -> Iterator[None]:
    Shelf.mend()
    yield
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run in a folder, and its counts."""
    place = tmp_path_factory.mktemp("here")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("mjsim.ranges.SHARD_DEALS", "mjsim.cli.counting.SHARD_DEALS"):
            patch.setattr(name, SHARD_DEALS)
        for name, options in (("run", ()), ("counts", ("--aggregate",))):
            assert run(*OPTIONS, *options, "--out", place / name).status == 0
    return place / "run"


def url_of(folder: Path, user: str = "host") -> str:
    return f"shelf://{user}{folder.as_posix()}"


def refused(done: Done, *words: str) -> None:
    """One clear line and status 1."""
    assert (done.status, done.out) == (1, ""), done
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith("error: ")
    for each in words:
        assert each in done.err, done.err


def same_run(url: str, here: Path) -> None:
    """Shard for shard and column for column what a folder holds, with nothing beside it."""
    there, expected = open_run(url), open_run(here)
    assert there.manifest.shards == expected.manifest.shards
    assert there.manifest.status == "complete"
    assert there.to_polars().equals(expected.to_polars())
    assert sorted(storage_at(url).names()) == sorted(os.listdir(here))


def test_a_run_at_a_url_is_the_run_in_a_folder(here: Path, tmp_path: Path) -> None:
    for url in (MEMORY, url_of(tmp_path / "run")):
        done = run(*OPTIONS, "--out", url)
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith(f"{url}: 5,300 deals of liuzhou, seed 5, ")
        same_run(url, here)
    assert open_run(MEMORY).folder == MEMORY
    assert open_run(MEMORY).to_pandas().equals(open_run(here).to_pandas())
    assert open_run(here).folder == here
    made = mjsim.simulate("liuzhou", deals=DEALS, seed=5, players="fast", session=16)
    made.write("memory://bucket/written")
    same_run("memory://bucket/written", here)


@pytest.mark.parametrize(
    "command",
    [
        ("summary", "{run}", "--format", "json"),
        ("fishing", "{run}", "--format", "csv"),
        ("replay", "{run}", "--deal", 1_234, "--json"),
        ("compare", "{run}", "{run}", "--format", "csv"),
        ("verify", "{run}", "--format", "json"),
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("name", ["run", "counts"])
def test_every_command_reads_it_as_it_reads_a_folder(here: Path, name: str, command: tuple[object, ...]) -> None:
    url, folder = f"memory://bucket/{name}", here.parent / name
    assert run(*OPTIONS, *(("--aggregate",) if name == "counts" else ()), "--out", url).status == 0
    there, expected = (run(*(str(word).format(run=each) for word in command)) for each in (url, folder))
    assert (there.status, there.err) == (0, ""), there
    assert there.out.replace(url, str(folder)) == expected.out


@pytest.mark.parametrize("form", ["html", "json"])
def test_a_report_of_it(tmp_path: Path, here: Path, form: str) -> None:
    page = tmp_path / "page"
    assert run(*OPTIONS, "--out", MEMORY).status == 0
    shown = []
    for each in (MEMORY, here):
        done = run("report", each, "--out", page, "--format", form, "--by-player", 1_000)
        assert (done.status, done.out) == (0, f"{page}: report of {each}\n")
        shown.append(page.read_text().replace(str(each), "RUN"))
    assert shown[0] == shown[1]


def test_columns_are_read_a_shard_at_a_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And no more shards, rows or columns than are asked for."""
    simulate_to_folder(PLAN, MEMORY, deals=DEALS)
    read: list[str] = []
    reading = ObjectStore.read

    def noted(store: ObjectStore, name: str, most: int = -1) -> bytes:
        read.append(name)
        return reading(store, name, most)

    monkeypatch.setattr(ObjectStore, "read", noted)
    frame = open_run(MEMORY).scan()
    assert read == ["run.json"]
    first = frame.select("deal", "net_0").head(1_500).collect()
    assert (first.columns, first["deal"].to_list()) == (["deal", "net_0"], list(range(1_500)))
    assert "deals-00005.parquet" not in read
    everything = frame.collect()
    chosen = frame.filter(pl.col("dealer") == 2).collect()
    assert chosen.equals(everything.filter(everything["dealer"] == 2))


def test_counts_go_on_where_they_ended(here: Path) -> None:
    url = "memory://bucket/counts"
    assert run(*OPTIONS[:4], "--deals", 3_200, *OPTIONS[6:], "--aggregate", "--out", url).status == 0
    done = run(*OPTIONS, "--aggregate", "--out", url, "--resume")
    assert (done.status, done.err) == (0, f"{url}: 3,200 of 5,300 deals are there already\n")
    assert open_run(url).counts() == open_run(here.parent / "counts").counts()
    assert sorted(storage_at(url).names()) == [f"counts-{DEALS}.json", "run.json"]


def test_a_folder_by_its_url_is_a_folder(here: Path, tmp_path: Path) -> None:
    url = f"file://{(tmp_path / 'deep' / 'run').as_posix()}"
    assert isinstance(storage_at(url), LocalFolder)
    assert run(*OPTIONS, "--out", url).status == 0
    same_run(str(tmp_path / "deep" / "run"), here)


@pytest.mark.parametrize("name", ["runs/first", "C:\\runs\\first", "C:/runs", "C://runs", "a:b", "./s3:/x", "//host/x"])
def test_a_path_is_no_url(name: str) -> None:
    assert not is_url(name)
    assert isinstance(storage_at(name), LocalFolder)


@pytest.mark.parametrize("url", ["s3://bucket/run", "abfs://c@a.dfs.core.windows.net/r", "simplecache::s3://b/r"])
def test_a_url_is_one(url: str) -> None:
    assert is_url(url)
    assert without_secrets(url) == url


# What is there already, and who writes there.


def test_what_is_there_is_not_begun_again(tmp_path: Path) -> None:
    url = url_of(tmp_path / "run")
    assert run(*OPTIONS, "--out", url).status == 0
    refused(run(*OPTIONS, "--out", url), f"{url}: exists already; go on with it by --resume")
    refused(run(*OPTIONS, "--out", url_of(tmp_path)), f"{url_of(tmp_path)}: exists already; choose another")
    done = run(*OPTIONS, "--out", url, "--resume")
    assert (done.status, done.err) == (0, f"{url}: all 5,300 deals are there already; nothing to do\n")
    refused(run(*OPTIONS[:-1], 8, "--out", url, "--resume"), "was made otherwise: the session length is 16 there")
    assert open_run(url).manifest.deals == DEALS
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    refused(run(*OPTIONS, "--out", url_of(tmp_path / "notes"), "--resume"), "it holds mine.txt and no run.json")
    refused(run(*OPTIONS, "--out", url + "/run.json", "--resume"), "run.json: is not a folder")
    assert sorted(os.listdir(tmp_path)) == ["notes", "run"]


def test_two_writers(tmp_path: Path) -> None:
    asked = mjsim.simulate("liuzhou", deals=1).manifest()
    with RunWriter(MEMORY, asked) as first:
        with pytest.raises(RunError, match=f"another run is being written there .by process {os.getpid()} of "):
            RunWriter(MEMORY, asked, resume=True)
        first.add(0, 0, mjsim.simulate("liuzhou", deals=1).columns)
    with RunWriter(MEMORY, asked, resume=True) as second:
        assert len(second.shards) == 1
    assert sorted(storage_at(MEMORY).names()) == ["deals-00000.parquet", "run.json"]


@pytest.mark.parametrize(
    ("holder", "living"),
    [
        ({"host": "elsewhere", "process": 1, "started": "x"}, True),
        ({"host": socket.gethostname(), "process": os.getppid(), "started": "x"}, True),
        ({"host": socket.gethostname(), "process": os.getpid(), "started": "before"}, False),
        ({"host": socket.gethostname()}, True),
        ("nobody", True),
    ],
)
def test_a_lock_that_was_left_behind(tmp_path: Path, here: Path, holder: object, living: bool) -> None:
    """Only what is surely dead loses it; of everything else the message says how."""
    folder = tmp_path / "run"
    url = url_of(folder)
    folder.mkdir()
    (folder / LOCK_NAME).write_text(json.dumps(holder))
    if living:
        refused(run(*OPTIONS, "--out", url, "--resume"), "another run is being written there", f"{url}/{LOCK_NAME}")
        (folder / LOCK_NAME).unlink()
    assert run(*OPTIONS, "--out", url, "--resume").status == 0
    same_run(url, here)


def test_a_store_that_another_has_taken(tmp_path: Path) -> None:
    """Whoever removes the lock of a living run ends it before it records anything."""
    asked = mjsim.simulate("liuzhou", deals=1).manifest()
    with RunWriter(MEMORY, asked) as writer:
        storage_at(MEMORY).write(LOCK_NAME, b"{}")
        with pytest.raises(RunError, match="was removed, renamed or replaced"):
            writer.add(0, 0, mjsim.simulate("liuzhou", deals=1).columns)
    assert sorted(storage_at(MEMORY).names()) == ["run.json", LOCK_NAME]


# What fails.


@pytest.mark.parametrize("at", range(1, 10))
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device; free some space"),
        (RuntimeError("503 for shelf://me:hunter2@host, key hunter2"), "503 for shelf://***@host, key *** (are the"),
    ],
    ids=["full", "unreachable"],
)
def test_a_store_that_fails_loses_nothing(tmp_path: Path, here: Path, at: int, error: Exception, words: str) -> None:
    """At the n-th write: the lock, run.json, then a shard and run.json by turns."""
    url = url_of(tmp_path / "run", "me:hunter2@host")
    shown = url_of(tmp_path / "run", "***@host")
    Shelf.mend({at: error, at + 1: error})
    done = run(*OPTIONS, "--out", url)
    kept = (at - 3) // 2 * SHARD_DEALS if at > 4 else 0
    advice = f"; {kept:,} deals are kept there: go on with --resume" if kept else ""
    refused(done, f"{shown}: cannot be written: {words}", f"{advice}\n")
    assert "hunter2" not in done.err
    assert os.listdir(tmp_path) == (["run"] if kept else [])
    assert not (tmp_path / "run" / LOCK_NAME).exists()
    Shelf.mend()
    assert not kept or open_run(url).manifest.deals == kept
    assert run(*OPTIONS, "--out", url, "--resume").status == 0
    same_run(url, here)


def test_what_arrives_in_part_is_not_recorded(tmp_path: Path) -> None:
    made = mjsim.simulate("liuzhou", deals=10)
    with RunWriter(url_of(tmp_path / "run"), made.manifest()) as writer:
        Shelf.half = True
        with pytest.raises(
            RunError, match=r"cannot be written: deals-00000.parquet has arrived with \d+ bytes of \d+$"
        ):
            writer.add(0, 0, made.columns)
    assert os.listdir(tmp_path) == []


def test_what_is_to_hold_it_must_be_there(tmp_path: Path) -> None:
    done = run(*OPTIONS, "--out", url_of(tmp_path / "deep" / "run"))
    refused(done, "deep/run: cannot be written: what is to hold it is not there; make it first")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("hurt", "message"),
    [
        (lambda shard: shard.write_bytes(flipped(shard.read_bytes())), "has changed since it was written"),
        (lambda shard: shard.write_bytes(b"PAR1"), "has 4 bytes, not "),
        (lambda shard: shard.unlink(), "is missing"),
    ],
    ids=["a bit", "truncated", "missing"],
)
def test_damage_is_found_and_played_again(
    tmp_path: Path, here: Path, hurt: Callable[[Path], object], message: str
) -> None:
    url = url_of(tmp_path / "run")
    assert run(*OPTIONS, "--out", url).status == 0
    hurt(tmp_path / "run" / "deals-00002.parquet")
    for command in ("verify", "summary", "fishing"):
        refused(run(command, url), f"{url}/deals-00002.parquet: {message}")
    refused(run("compare", url, url), message)
    refused(run("report", url, "--out", tmp_path / "page.html"), message)
    assert not (tmp_path / "page.html").exists()
    with pytest.raises(RunError, match=message):
        open_run(url).to_pandas()
    done = run(*OPTIONS, "--out", url, "--resume")
    assert done.status == 0
    assert done.err.startswith(f"{url}/deals-00002.parquet: {message}")
    assert "4,300 of 5,300 deals are there already" in done.err
    same_run(url, here)


def flipped(content: bytes) -> bytes:
    return content[:1000] + bytes([content[1000] ^ 4]) + content[1001:]


def test_a_stranger_is_found(tmp_path: Path) -> None:
    url = url_of(tmp_path / "run")
    assert run(*OPTIONS, "--out", url).status == 0
    (tmp_path / "run" / "deals-00009.parquet").write_bytes(b"PAR1")
    refused(run("verify", url), f"{url}/deals-00009.parquet: is not in run.json")


@pytest.mark.parametrize("command", ["summary", "verify", "fishing", "report", "compare", "replay", "simulate"])
@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense://bucket/run", "nonsense://bucket/run: fsspec knows no such place (Protocol not known: nonsense)"),
        ("hdfs://host/run", "hdfs://host/run: needs another package ("),
        ("ftp://me:hunter2@127.0.0.1:1/run", "ftp://***@127.0.0.1:1/run: cannot be reached (Connection refused)"),
        ("memory://bucket/run?key=hunter2", "memory://bucket/run?***: the URL of a run has nothing after a question"),
    ],
)
def test_a_url_that_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, url: str, words: str
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    arguments: dict[str, tuple[object, ...]] = {
        "report": (url, "--out", tmp_path / "page"),
        "compare": (url, url),
        "replay": (url, "--deal", 0),
        "simulate": (*OPTIONS[1:], "--out", url),
    }
    done = run(command, *arguments.get(command, (url,)))
    refused(done, words)
    assert "hunter2" not in done.err


def test_nothing_there(tmp_path: Path) -> None:
    for command in ("summary", "verify"):
        refused(run(command, MEMORY), f"{MEMORY}: is not a run folder (run.json is missing)")


def test_without_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    refused(run("summary", MEMORY), "a URL needs fsspec; install it with: pip install 'mjsim[remote]'")


def test_a_usage_error_shows_no_password() -> None:
    url = "shelf://me:hunter2@host/run"
    for done in (run("replay", url, "--deal", 1, "--seed", 2), run("fishing", url, "--seed", 2)):
        assert done.status == 2
        assert "hunter2" not in done.err
        assert "shelf://***@host/run" in done.err


def test_passwords_are_written_nowhere(tmp_path: Path) -> None:
    url = url_of(tmp_path / "run", "me:hunter2@host")
    shown = url_of(tmp_path / "run", "***@host")
    commands = (
        (*OPTIONS, "--out", url),
        (*OPTIONS, f"--out={url}", "--resume"),
        ("verify", url),
        ("summary", url, "--format", "json"),
        ("report", url, "--out", tmp_path / "page.html", "--by-player", 0),
        ("compare", url, url, "--format", "json"),
    )
    for command in commands:
        done = run(*command)
        assert done.status == 0, done.err
        assert "hunter2" not in done.out + done.err
    assert "hunter2" not in (tmp_path / "page.html").read_text()
    assert "hunter2" not in (tmp_path / "run" / "run.json").read_text()
    assert open_run(url).manifest.command.endswith(f"--out '{shown}'")
    assert "hunter2" not in repr(storage_at(url))
    assert open_run(url).folder == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ftp://me:a/b@c@host/run@1", "ftp://***@1"),
        ("https://token@host/run", "https://***@host/run"),
        ("simplecache::ftp://me:word@host/run", "simplecache::ftp://***@host/run"),
        ("--out=sftp://me:word@host:22/run --seed 1", "--out=sftp://***@host:22/run --seed 1"),
        ("http://host:8080/run@1", "http://host:8080/run@1"),
        ("abfs://box:word@host/run", "abfs://***@host/run"),
        ("az://box@host/run?sig=word", "az://box@host/run?***"),
        ("me@host: what?", "me@host: what?"),
    ],
)
def test_secrets_of_urls(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


# Other processes.


@pytest.fixture
def everywhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are started know the store."""
    folder = known_to_all(tmp_path_factory.mktemp("registered"))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(ROOT)]))


@pytest.mark.usefixtures("everywhere")
def test_workers_write_there(tmp_path: Path, here: Path) -> None:
    url = url_of(tmp_path / "run", "me:hunter2@host")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        simulate_to_folder(PLAN, url, deals=DEALS, executor=pool)
        same_run(url, here)
        with pytest.raises(RunError, match=r"deals-0000\d.parquet: is missing; do all workers share"):
            simulate_to_folder(PLAN, MEMORY, deals=DEALS, executor=pool)
        (tmp_path / "file").write_text("")
        storage = storage_at(url_of(tmp_path / "file" / "run", "me:hunter2@host"))
        with pytest.raises(RunError, match=r"shelf://\*\*\*@host/.*: a worker cannot write there: .*must reach it"):
            pool.submit(_write_one, storage).result()


def _write_one(storage: Storage) -> None:
    from mjsim.dataset.writer import Piece
    from mjsim.elsewhere import Orders, write_piece

    write_piece(Orders.of(PLAN, 1), storage, Piece(0, 0, 10))


@pytest.mark.usefixtures("everywhere")
def test_a_cluster_writes_there(tmp_path: Path, here: Path) -> None:
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        local_directory=str(tmp_path / "dask"),
    ) as local:
        url = url_of(tmp_path / "run")
        done = run(*OPTIONS[:4], "--deals", 2_000, *OPTIONS[6:], "--cluster", local.scheduler_address, "--out", url)
        assert done.status == 0, done.err
        done = run(*OPTIONS, "--cluster", local.scheduler_address, "--out", url, "--resume")
        assert (done.status, done.err) == (0, f"{url}: 2,000 of 5,300 deals are there already\n")
        counts = "memory://bucket/counts"  # only this process writes those
        done = run(*OPTIONS, "--cluster", local.scheduler_address, "--aggregate", "--out", counts)
        assert done.status == 0, done.err
    same_run(url, here)
    assert open_run(counts).counts() == open_run(here.parent / "counts").counts()


@pytest.mark.usefixtures("everywhere")
def test_a_killed_process_locks_nobody_out(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    url = url_of(folder)
    command = [sys.executable, "-m", "mjsim", "simulate", "liuzhou", "--deals", "50000000", "--out", url]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not (folder / "run.json").exists():
            assert process.poll() is None
            time.sleep(0.01)
        refused(run("simulate", "liuzhou", "--deals", 10, "--out", url, "--resume"), f"by process {process.pid} of ")
        process.send_signal(signal.SIGKILL)
    assert (folder / LOCK_NAME).exists()
    done = run("simulate", "liuzhou", "--deals", 10, "--out", url, "--resume")
    assert done.status == 0, done.err
    assert sorted(os.listdir(folder)) == ["deals-00000.parquet", "run.json"]
