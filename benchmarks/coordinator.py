"""What the process that gives out tasks does for each, measured by itself: `python -m benchmarks.coordinator`.

Each command prints JSON, and is a process of its own, so that its peak memory is its own too.
"""

import functools
import json
import os
import pickle
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import typer

from mjsim.cli.counting import count_range
from mjsim.dataset.run import (
    MANIFEST_NAME,
    SHARD_DEALS,
    Manifest,
    open_run,
)
from mjsim.dataset.shards import Shard, sha256_of, shard_name
from mjsim.dataset.writer import Piece, RunWriter
from mjsim.elsewhere import Crew, Orders
from mjsim.engine import Plan
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.simulation import manifest_of
from mjsim.workers import Interrupts

RULES: Final = "liuzhou"
PLAYER: Final = "fast"
SEED: Final = 1
#: Deals in a session where counts are kept: sessions of one deal do not reach 10^12.
SESSION: Final = 256

#: Tasks whose counts are added between two times that all are saved.
TASKS_A_SAVE: Final = 8
#: Shards recorded one after the other in a run that has others, at most, and for so many seconds at most. The second
#: half counts: what a writer allows itself at the beginning, it cannot go on with.
RECORDED: Final = 400
RECORDING: Final = 8.0
#: Names that one file may have, fewer than any file system allows.
_LINKS: Final = 10_000
_CONTENT: Final = b"x"

app = typer.Typer(add_completion=False)


def plan(session: int = 1) -> Plan:
    """What is played."""
    return Plan(load_rules(RULES), players_for_seats(PLAYER), SEED, session)


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """How long something takes."""
    began = clock()
    work()
    return clock() - began


def nothing(answer: int, *order: object) -> bytes:
    """A task that takes the order of another, does nothing, and answers so many bytes."""
    return os.urandom(answer)


def message_bytes() -> dict[str, int]:
    """How long the order of a shard is, and the answer to it."""
    order = (Orders.of(plan(), 1), "/shared/runs/first", Piece(0, 0, SHARD_DEALS))
    answer = Shard(file=shard_name(0), first=0, deals=SHARD_DEALS, sha256="0" * 64, bytes=SHARD_DEALS)
    return {"order_bytes": len(pickle.dumps(order)), "answer_bytes": len(pickle.dumps(answer))}


@app.command()
def tasks(address: str, number: int, answer: int) -> None:
    """Give out tasks that do nothing, as a run does; processor time of this process and of the scheduler's.

    ``answer``: bytes that come back from each.
    """
    from distributed import Client

    from mjsim.cli.cluster import workers_at

    order = (Orders.of(plan(), 1), "/shared/runs/first")
    with workers_at(address, None) as workers, Client(address, set_as_default=False) as watcher:

        def scheduler_time() -> float:
            return float(watcher.run_on_scheduler(time.process_time))

        def give(number: int) -> None:
            crew = Crew[int, bytes](workers, Interrupts())
            results = crew.results(range(number), nothing, lambda task: (answer, *order, Piece(task, task, 1)))
            done = sum(len(each) == answer for _, each in results)
            if done != number:
                raise RuntimeError(f"{done} of {number} tasks came back")

        give(max(number // 10, 1))  # the workers import what they need
        clocks = (time.perf_counter, time.process_time, scheduler_time)
        before = [clock() for clock in clocks]
        give(number)
        wall, client, other = ((clock() - start) / number for clock, start in zip(clocks, before, strict=True))
    print(json.dumps({"wall": wall, "client": client, "scheduler": other}))


@app.command()
def make(folder: Path, shards: int) -> None:
    """Make a run folder that names so many shards; each file has one byte, as only their number matters."""
    folder.mkdir()
    for number in range(shards + RECORDED):
        name = folder / shard_name(number)
        if number % _LINKS:
            os.link(folder / shard_name(number - number % _LINKS), name)
        else:
            name.write_bytes(_CONTENT)
    whole = _manifest([_shard(number) for number in range(shards)]).sealed()
    (folder / MANIFEST_NAME).write_text(whole.model_dump_json(indent=1) + "\n", encoding="utf-8")


@app.command()
def shards(folder: Path) -> None:
    """Read a run folder from `make`, go on with it, and record a few shards more."""
    found: dict[str, Any] = {"bytes": (folder / MANIFEST_NAME).stat().st_size}
    found["read"] = seconds(lambda: Manifest.model_validate_json((folder / MANIFEST_NAME).read_bytes()))
    began = time.perf_counter()
    with RunWriter(folder, _manifest([]), resume=True) as writer:
        found["going_on"] = time.perf_counter() - began
        there = found["shards"] = len(writer.shards)

        def record(number: int) -> None:
            writer.record_there(_shard(number))
            if writer.deals != (number + 1) * SHARD_DEALS:  # asked after each, for the progress bar
                raise RuntimeError(f"{writer.deals} deals after shard {number}")

        taken: list[float] = []
        while len(taken) < RECORDED and sum(taken) < RECORDING:
            taken.append(seconds(functools.partial(record, there + len(taken))))
        found["record"] = statistics.mean(taken[len(taken) // 2 :])
        found["finish"] = seconds(lambda: writer.finish("complete"))
    print(json.dumps(found))


@app.command()
def counts(folder: Path, deals: int) -> None:
    """Count some deals after those of a run folder with counts, as a worker does, and add them."""
    from analysis.counts.stored import Kept

    run = open_run(folder)
    data = run.counts()
    whole = Kept.from_json(data, str(folder)).whole
    if whole is None:
        raise RuntimeError(f"{folder}: holds no whole session")
    its = plan(run.manifest.session_length)
    part = count_range(Orders.of(its, 2), run.manifest.first + run.manifest.deals, deals, its.rules.fishing.enabled)
    sent = pickle.dumps(part)
    found: dict[str, Any] = {
        "deals": run.manifest.deals,
        "file_bytes": len(data),
        "part_deals": deals,
        "part_file_bytes": len(Kept(part).to_json()),
        "answer_bytes": len(sent),
        "unpack": seconds(lambda: pickle.loads(sent)),
        "add": seconds(lambda: whole + part),
        "save": seconds(lambda: Kept(whole + part).to_json()),
        "tasks_a_save": TASKS_A_SAVE,
    }
    largest = {
        name: sum(abs(each) for each in values.tolist()) / whole.counts.deals
        for each in (whole.counts, whole.kinds)
        if each is not None
        for name, values in each.sums.items()
    }
    found["widest"] = max(largest, key=lambda name: largest[name])
    found["widest_per_deal"] = max(largest.values())
    print(json.dumps(found))


def _manifest(there: list[Shard]) -> Manifest:
    return manifest_of(plan(), 0, len(there) * SHARD_DEALS, True, "", there)


def _shard(number: int) -> Shard:
    return Shard(
        file=shard_name(number),
        first=number * SHARD_DEALS,
        deals=SHARD_DEALS,
        sha256=sha256_of(_CONTENT),
        bytes=len(_CONTENT),
    )


if __name__ == "__main__":
    app()
