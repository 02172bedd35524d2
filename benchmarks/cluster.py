"""Two Dask workers against two threads, and what a far longer run would meet: writing, counting, checking, going on.

From what is found, ``python -m benchmarks.page`` writes docs/cluster_limits.md.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.coordinator import PLAYER, RULES, SEED, SESSION, message_bytes
from benchmarks.measure import Finished, Measurement, process
from mjsim.dataset.run import SHARD_DEALS, open_run

ROOT: Final = Path(__file__).parents[1]
GROUP: Final = "two Dask workers and two threads"
CHECKED: Final = "checking and going on"
Report = Callable[[str], None]

#: What plays, and what is kept.
PLAYERS: Final = ("threads", "workers")
KEPT: Final = {"folder": (), "counts": ("--aggregate", "--session", str(SESSION))}

#: Rates are compared, and checks judged, over at least so many deals.
MANY: Final = 20_000_000
ROWS: Final = 100_000_000


@dataclass(frozen=True)
class Scale:
    """How much is measured.

    Attributes
    ----------
    first, deals : int
        What is played by threads and by workers, and written.
    summed : int
        Of these, the first, which are played again to be counted.
    last : int
        Of these, the last that go missing before the run is gone on with: whole shards.
    few : int
        Deals of a command whose start-up is measured.
    tasks : int
        Tasks that do nothing.
    workers : tuple of int
        Workers that these are given to; from the second number on, all in one process.
    shards : tuple of int
        Sizes of the run folders in which shards are recorded.
    counted : int
        Deals of a task whose counts are added to others.
    runs : int
        Runs of what is short.
    """

    first: int
    deals: int
    summed: int
    last: int
    few: int
    tasks: int
    workers: tuple[int, ...]
    shards: tuple[int, ...]
    counted: int
    runs: int


FULL: Final = Scale(
    first=0,
    deals=20 * SHARD_DEALS,
    summed=10 * SHARD_DEALS,
    last=4 * SHARD_DEALS,
    few=2_048,
    tasks=2_000,
    workers=(2, 100),
    shards=(1_000, 10_000, 100_000, 1_000_000),
    counted=SHARD_DEALS,
    runs=3,
)
#: A shard ends at a multiple of its size, so that there are two here as well.
QUICK: Final = Scale(
    first=SHARD_DEALS - 2_048,
    deals=4_096,
    summed=4_096,
    last=2_048,
    few=256,
    tasks=50,
    workers=(2, 4),
    shards=(10, 100),
    counted=2_048,
    runs=1,
)


def measured(scale: Scale, folder: Path, report: Report) -> tuple[list[Measurement], dict[str, Any]]:
    """Measure everything; what the tables show, and all numbers for the page."""
    commands = _Commands(scale, folder, report)
    found: dict[str, Any] = {"first": scale.first, "deals": scale.deals, "few": scale.few, "last": scale.last}
    found["session"] = SESSION
    with cluster(folder, workers=2) as commands.address:
        found["commands"] = {f"{who}, {kept}": commands.starts(who, kept) for kept in KEPT for who in PLAYERS}
        for kept in KEPT:
            for who in PLAYERS:
                found["commands"][f"{who}, {kept}"] |= commands.long(who, kept)
            commands.refuse_others(kept)
        found |= {"failures": _failures()}
    shards = open_run(folder / "threads-folder").manifest.shards
    found["parquet_bytes"] = sum(shard.bytes for shard in shards)
    report(f"{CHECKED}: going on, and verify")
    found["going_on"] = commands.going_on()
    found["verify"] = [commands.verified("last", scale.last), commands.verified("threads-folder", scale.deals)]
    report("counts: added to others")
    found["counts"] = told("counts", folder / "threads-counts", scale.counted)
    for run in folder.glob("*-*"):
        shutil.rmtree(run, ignore_errors=True)
    found |= message_bytes()
    answers = {"folder": found["answer_bytes"], "counts": found["counts"]["answer_bytes"]}
    found["tasks"] = [each for workers in scale.workers for each in _tasks(scale, workers, answers, folder, report)]
    found["shards"] = [_shards(number, folder, report) for number in scale.shards]
    return list(_measurements(found)), found


def told(command: str, *arguments: object) -> dict[str, Any]:
    """What a command of `benchmarks.coordinator` says, and its peak memory."""
    done = process(["-m", "benchmarks.coordinator", command, *map(str, arguments)], _environment())
    return {**(json.loads(done.output) if done.output else {}), "megabytes": done.megabytes}


class _Commands:
    """Whole commands of one plan, into folders of their own."""

    def __init__(self, scale: Scale, folder: Path, report: Report) -> None:
        self.scale, self.folder, self.report = scale, folder, report
        self.address = ""

    def play(self, first: int, deals: int, out: str, *options: str) -> Finished:
        """Deals into a run folder."""
        return process(
            [
                *("-m", "mjsim", "simulate", RULES, "--players", PLAYER, "--seed", str(SEED)),
                *("--first", str(first), "--deals", str(deals), "--out", str(self.folder / out), *options),
            ]
        )

    def starts(self, who: str, kept: str) -> dict[str, float]:
        """The first and another start of a command with few deals."""
        self.report(f"{GROUP}: start of {who}, {kept}")
        found = [
            self.play(self.scale.first, self.scale.few, f"few-{who}-{kept}-{run}", *self.options(who, kept)).wall
            for run in range(self.scale.runs + 1)
        ]
        return {"first_start": found[0], "start": statistics.median(found[1:])}

    def long(self, who: str, kept: str) -> dict[str, float]:
        """All deals."""
        deals = self.scale.deals if kept == "folder" else self.scale.summed
        self.report(f"{GROUP}: {deals:,} deals by {who}, {kept}")
        done = self.play(self.scale.first, deals, f"{who}-{kept}", *self.options(who, kept))
        return {"deals": deals, "wall": done.wall, "cpu": done.cpu, "megabytes": done.megabytes}

    def options(self, who: str, kept: str) -> tuple[str, ...]:
        """Who plays, and what is kept."""
        return (*KEPT[kept], *(("--threads", "2") if who == "threads" else ("--cluster", self.address)))

    def refuse_others(self, kept: str) -> None:
        """Refuse to compare what is not the same, byte for byte."""
        one, two = (open_run(self.folder / f"{who}-{kept}").manifest for who in PLAYERS)
        if (one.shards, one.counts) != (two.shards, two.counts):
            raise RuntimeError(f"threads and workers did not write the same {kept}")

    def going_on(self) -> dict[str, float]:
        """What ``--resume`` takes where all is there, and where the last shards are missing, beside playing these."""
        scale = self.scale
        run, few = "threads-folder", "few-threads-folder-0"
        two = ("--threads", "2")
        complete = self.middle(lambda: self.play(scale.first, scale.deals, run, *two, "--resume").wall)
        of_few = self.middle(lambda: self.play(scale.first, scale.few, few, *two, "--resume").wall)
        begin = scale.first + scale.deals - scale.last
        alone = self.play(begin, scale.last, "last", *two).wall
        for shard in open_run(self.folder / run).manifest.shards:
            if shard.first >= begin:
                (self.folder / run / shard.file).unlink()
        missing = self.play(scale.first, scale.deals, run, *two, "--resume").wall
        return {"complete": complete, "few": of_few, "alone": alone, "missing": missing}

    def verified(self, run: str, deals: int) -> dict[str, float]:
        """``mjsim verify``."""
        done = [process(["-m", "mjsim", "verify", str(self.folder / run)]) for _ in range(self.scale.runs)]
        wall, cpu, megabytes = (
            statistics.median(values)
            for values in zip(*((each.wall, each.cpu, each.megabytes) for each in done), strict=True)
        )
        return {"deals": deals, "wall": wall, "cpu": cpu, "megabytes": megabytes}

    def middle(self, once: Callable[[], float]) -> float:
        """The median of a few runs."""
        return statistics.median(once() for _ in range(self.scale.runs))


def _measurements(found: dict[str, Any]) -> Iterator[Measurement]:
    """What the tables show."""
    few, judged = found["few"], found["deals"] >= MANY
    for kept in KEPT:
        threads, workers = (found["commands"][f"{who}, {kept}"] for who in PLAYERS)
        rates = [(each["deals"] - few) / (each["wall"] - each["start"]) for each in (threads, workers)]
        for who, each, rate in zip(PLAYERS, (threads, workers), rates, strict=True):
            name = f"{each['deals']:,} deals, {kept}, two {who}"
            yield Measurement(GROUP, f"{name}, start-up apart", "deals/s", "wall", (rate,))
            yield Measurement(GROUP, f"start-up, {kept}, two {who}", "s", "wall", (each["start"],))
            yield Measurement(
                GROUP, f"{name}: memory of the process that gives out", "MB", "wall", (each["megabytes"],)
            )
        share = f"two workers' rate over two threads', {kept}"
        yield Measurement(
            GROUP, share, "of it", "wall", (rates[1] / rates[0],), 0.9 if threads["deals"] >= MANY else None
        )
    went, run = found["going_on"], found["commands"]["threads, folder"]["wall"]
    checks = 100 * (went["complete"] - went["few"]) / run
    yield Measurement(CHECKED, "checks before going on", "% of the run", "wall", (checks,), 1.0 if judged else None)
    cost = 100 * (went["missing"] - went["alone"]) / run
    yield Measurement(CHECKED, "going on, less playing what was missing", "% of the run", "wall", (cost,))
    for each in found["verify"]:
        name = f"verify of {each['deals']:,} deals"
        yield Measurement(CHECKED, name, "s", "wall", (each["wall"],))
        yield Measurement(CHECKED, name, "MB", "wall", (each["megabytes"],))
    target = 60.0 if judged else None
    yield Measurement(CHECKED, f"verify of {ROWS:,} deals, from these", "s", "wall", (verifying(found, ROWS),), target)
    for each in found["tasks"]:
        for who in ("client", "scheduler"):
            name = f"an empty task, {each['workers']} workers, answer as of {each['kept']}, {who}"
            yield Measurement("giving out tasks", name, "us", "cpu", (1e6 * each[who],))
    for each in found["shards"]:
        name = f"recording a shard where there are {each['shards']:,}"
        yield Measurement("giving out tasks", name, "us", "wall", (1e6 * each["record"],))


def verifying(found: dict[str, Any], deals: float) -> float:
    """Seconds that ``mjsim verify`` takes for so many deals: what it took for the most, and as much for each more."""
    small, large = found["verify"]
    each = (large["wall"] - small["wall"]) / (large["deals"] - small["deals"])
    return float(large["wall"] + each * (deals - large["deals"]))


def _tasks(
    scale: Scale, workers: int, answers: dict[str, int], folder: Path, report: Report
) -> Iterator[dict[str, Any]]:
    """Tasks that do nothing, whose answers are as long as those of others."""
    together = workers != scale.workers[0]
    with cluster(folder, workers, together=together) as address:
        for kept, answer in answers.items():
            report(f"giving out tasks to {workers} workers, {kept}")
            # Counts are thousands of times as long as a shard's entry, and take their time.
            number = scale.tasks if kept == "folder" else max(scale.tasks // 10, 1)
            yield {"workers": workers, "kept": kept, **told("tasks", address, number, answer)}


def _shards(number: int, folder: Path, report: Report) -> dict[str, Any]:
    report(f"recording shards in a run of {number:,}")
    run = folder / f"shards-{number}"
    told("make", run, number)
    try:
        return told("shards", run)
    finally:
        shutil.rmtree(run)


def _failures() -> int:
    """How many workers may die on a task before Dask gives it up."""
    from distributed.scheduler import dask

    return int(dask.config.get("distributed.scheduler.allowed-failures"))


def _environment() -> dict[str, str]:
    """Where this project is importable, whichever way a process is started."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


#: Many workers as one process, for tasks that do nothing.
_TOGETHER: Final = """
import asyncio, sys
from distributed import Worker
async def live(file, workers):
    there = [Worker(scheduler_file=file, nthreads=1, dashboard=False, memory_limit=0) for _ in range(workers)]
    await asyncio.gather(*there)
    await asyncio.Event().wait()
asyncio.run(live(sys.argv[1], int(sys.argv[2])))
"""


@contextmanager
def cluster(folder: Path, workers: int, *, together: bool = False) -> Iterator[str]:
    """A scheduler and its workers on this machine, started from the command line; the scheduler's address.

    ``together``: all workers in one process.
    """
    from distributed import Client

    home = Path(tempfile.mkdtemp(dir=folder))
    file = home / "scheduler.json"
    common = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file))
    with ExitStack() as stack:
        scheduler = stack.enter_context(_running("-m", "distributed.cli.dask_scheduler", "--port", "0", *common))
        _wait(lambda: file.exists() and file.read_text(encoding="utf-8").rstrip().endswith("}"), scheduler)
        local = ("--nworkers", str(workers), "--nthreads", "1", "--local-directory", str(home))
        crowd = ("-c", _TOGETHER, str(file), str(workers))
        stack.enter_context(_running(*(crowd if together else ("-m", "distributed.cli.dask_worker", *common, *local))))
        address = str(json.loads(file.read_text(encoding="utf-8"))["address"])
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)
        yield address


@contextmanager
def _running(*arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    quiet = subprocess.DEVNULL
    started = subprocess.Popen([sys.executable, *arguments], env=_environment(), stdout=quiet, stderr=quiet)
    try:
        yield started
    finally:
        started.terminate()
        started.wait(60)


def _wait(is_there: Callable[[], bool], started: "subprocess.Popen[bytes]") -> None:
    """Wait until something is there that a process makes."""
    deadline = time.monotonic() + 120
    while not is_there():
        if started.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the Dask scheduler does not start")
        time.sleep(0.1)
