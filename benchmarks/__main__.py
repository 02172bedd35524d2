"""``python -m benchmarks`` (``make bench``): everything this project says about speed and memory, measured in one run.

Close other programs first. Ratios within one run are what carries over to another machine. Results go to a JSON file,
from which ``python -m benchmarks.page`` writes docs/speed.md.
"""

import functools
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

import mjsim
from benchmarks import cluster, commands, deals, hands, limits, processors
from benchmarks.counters import counted
from benchmarks.machine import described, machine
from benchmarks.measure import Measurement, interleaved
from benchmarks.prototype import Prototype

HISTORY: Final = Path(__file__).parent / "history"
FORMAT: Final = 1

Report = Callable[[str], None]


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    runs: int
    starts: int
    rounds: int
    hands: int
    calls: int
    played: int
    deals: int
    threaded: int
    rollout: int
    walls: int
    loops: int
    read: tuple[int, ...]
    million: int
    counted: tuple[int, ...]
    cluster: cluster.Scale


FULL: Final = Size(
    runs=9,
    starts=5,
    rounds=1_000,
    hands=200_000,
    calls=5_000,
    played=60,
    deals=50_000,
    threaded=500_000,
    rollout=40,
    walls=100_000,
    loops=4_000_000,
    read=(1_000_000, 10_000_000),
    million=1_000_000,
    counted=(1_000_000, 4_000_000, 16_000_000),
    cluster=cluster.FULL,
)
QUICK: Final = Size(
    runs=3,
    starts=1,
    rounds=20,
    hands=10_000,
    calls=200,
    played=5,
    deals=2_000,
    threaded=20_000,
    rollout=1,
    walls=5_000,
    loops=100_000,
    read=(10_000,),
    million=10_000,
    counted=(10_000, 40_000, 160_000),
    cluster=cluster.QUICK,
)


class Bench:
    """One run of the benchmarks: what was asked for, and what was found."""

    def __init__(self, size: Size, only: list[str], report: Report) -> None:
        self.size = size
        self.only = only
        self.report = report
        self.found: list[Measurement] = []
        self.counters: list[dict[str, Any]] = []
        self.cluster: dict[str, Any] | None = None

    def wants(self, name: str) -> bool:
        """Whether a part was asked for; everything is, unless some parts were named."""
        return not self.only or name in self.only

    def hands(self, prototype: Prototype | None) -> None:
        """Hand evaluation, with the prototype's beside it, and the loops that say what the machine can do."""
        size = self.size
        beside = prototype.tasks(size.rounds, size.deals) if prototype else []
        if self.wants("hands"):
            tasks = hands.batch_tasks(size.hands) + hands.incremental_tasks(size.rounds, size.played)
            self.found += interleaved([*tasks, *beside[:3], *hands.single_tasks(size.calls)], size.runs, self.report)
        if self.wants("limits"):
            self.found += interleaved(limits.limit_tasks(size.loops), size.runs, self.report)
        if self.wants("deals"):
            tasks = deals.memory_tasks(size.deals) + deals.other_tasks(size.walls, size.rollout)
            self.found += interleaved([*tasks, *beside[3:]], size.runs, self.report)

    def runs(self, folder: Path) -> None:
        """What writes and reads run folders, and whole commands."""
        size = self.size
        if self.wants("parquet"):
            self.found += interleaved(deals.parquet_tasks(size.deals, folder), size.starts, self.report)
        if self.wants("threads"):
            most = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            self.found += interleaved(deals.thread_tasks(size.threaded, most), size.starts, self.report)
        if self.wants("tables"):
            self.found += interleaved(commands.table_tasks(), size.starts, self.report)
        if self.wants("starts"):
            self.found += commands.measured(commands.starts(), size.runs, self.report)
            self.found += commands.measured(commands.first_starts(), min(size.starts, 3), self.report)
        if self.wants("processors"):
            self.found += processors.rates(size.deals, min(size.starts, 3), self.report)
        if self.wants("commands"):
            self.found += commands.measured(commands.million(size.million), min(size.starts, 5), self.report)
            for number in size.read:
                numbers = itertools.count()
                write = commands.written(number, folder, functools.partial(next, numbers))
                self.found += commands.measured([write], 1, self.report)
                self.found += commands.measured(commands.read(number, folder), min(size.starts, 3), self.report)
        if self.wants("counts"):
            numbers = itertools.count()
            counting = commands.counting(size.counted, folder, functools.partial(next, numbers))
            self.found += commands.measured(counting, min(size.starts, 3), self.report)
            self.found += commands.cost_of_a_million(counting, size.counted)
        if self.wants("cluster"):
            (folder / "cluster").mkdir()
            found, self.cluster = cluster.measured(size.cluster, folder / "cluster", self.report)
            self.found += found
        if self.wants("counters"):
            self.report("instructions, cache misses and branch misses, counted by valgrind")
            self.counters = counted(folder, size.rounds)

    def record(self, quick: bool) -> dict[str, Any]:
        """Everything found, for JSON."""
        return {
            "format": FORMAT,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": mjsim.__version__,
            "quick": quick,
            "only": self.only,
            "machine": machine(),
            "results": [each.to_dict() for each in self.found],
            "counters": self.counters,
            "cluster": self.cluster,
        }


PARTS: Final = (
    *("hands", "limits", "deals", "parquet", "threads", "tables", "starts", "processors", "commands", "counts"),
    *("cluster", "counters"),
)


def table(title: str, measured: list[Measurement]) -> Table:
    """Medians with the lowest and highest run, beside what is wanted."""
    shown = Table(title=title, title_justify="left")
    for heading in ("what", "median", "lowest", "highest", "clock", "target"):
        shown.add_column(heading, justify="left" if heading == "what" else "right")
    for each in measured:
        digits = ",.2f" if each.median < 100 else ",.0f"
        low, high = each.spread
        target = "" if each.target is None else f"{each.target:,g} {'met' if each.met else 'MISSED'}"
        shown.add_row(
            each.name, f"{each.median:{digits}} {each.unit}", f"{low:{digits}}", f"{high:{digits}}", each.clock, target
        )
    return shown


def show(console: Console, bench: Bench) -> None:
    """Print every table."""
    for group in dict.fromkeys(each.group for each in bench.found):
        console.print(table(group, [each for each in bench.found if each.group == group]))


@contextmanager
def reporting(console: Console) -> Iterator[Report]:
    """Say on a terminal what is being measured."""
    with console.status("") as status:
        yield status.update


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Everything, but little of it: does it run?")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="PART", help=f"One part: {', '.join(PARTS)}; repeatable.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where the JSON goes, instead of benchmarks/history.")
    ] = None,
    prototype: Annotated[
        Path | None, typer.Option("--prototype", metavar="DIR", help="A prototype to be measured beside it.")
    ] = None,
) -> None:
    """Measure, print medians with their spread, and write them as JSON."""
    for part in only or []:
        if part not in PARTS:
            raise typer.BadParameter(f"{part}: parts are {', '.join(PARTS)}", param_hint="--only")
    console, errors = Console(width=130), Console(stderr=True)
    with ExitStack() as stack:
        report = stack.enter_context(reporting(errors))
        bench = Bench(QUICK if quick else FULL, only or [], report)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        beside = None
        if prototype is not None:
            (folder / "prototype").mkdir()
            report("building the prototype's tables")
            beside = stack.enter_context(Prototype(prototype, folder / "prototype"))
        bench.hands(beside)
        bench.runs(folder)
    found = bench.record(quick)
    console.print(described(found["machine"]))
    show(console, bench)
    if out is None and not quick and not only:
        out = HISTORY / f"{found['date'].replace(':', '').replace('+0000', 'Z')}-{found['version']}.json"
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        console.print(f"{out.name}: written", highlight=False)


if __name__ == "__main__":
    typer.run(main)
