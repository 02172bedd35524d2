"""Whole commands: first start, later starts, a million deals, summaries and reports, with their peak memory."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from benchmarks.measure import Clock, Finished, Measurement, Task, process
from mjsim.hands.tables import build, tables

STARTS = "starts"
RUNS = "whole commands"
MEMORY = "peak memory"
TABLES = "evaluator tables"

FIRST_DEAL = "import mjsim; mjsim.simulate('liuzhou', deals=1, seed=1)"
THOUSAND = ("-m", "mjsim", "simulate", "liuzhou", "--deals", "1000", "--seed", "1")


def table_tasks() -> list[Task]:
    """Building the tables, and loading them from the cache with their hash checked."""
    load = tables.__wrapped__
    return [
        Task(TABLES, "built", "s", 1, lambda: _forget(build())),
        Task(TABLES, "loaded and checked", "s", 1, lambda: _forget(load()), target=0.05),
    ]


@dataclass(frozen=True)
class Command:
    """A Python process to be timed.

    Attributes
    ----------
    name : str
        What the tables call it.
    arguments : callable
        Gives the arguments of the next run.
    target : float or None
        Seconds on the wall.
    cold : bool
        Whether each run starts with an empty cache.
    memory : bool
        Whether its peak memory is worth a line.
    """

    name: str
    arguments: Callable[[], tuple[str, ...]]
    group: str = RUNS
    target: float | None = None
    cold: bool = False
    memory: bool = False
    finished: list[Finished] = field(default_factory=list)

    def once(self) -> Finished:
        """Run it once."""
        if not self.cold:
            return process(self.arguments())
        with tempfile.TemporaryDirectory() as cache:
            done = process(self.arguments(), {"MJSIM_CACHE_DIR": cache})
        if "Compiling" not in done.complaints:
            raise RuntimeError("a first start said nothing about compiling")
        return done

    def measurements(self) -> list[Measurement]:
        """Time on the wall, time of processors, memory."""

        def measured(group: str, unit: str, clock: Clock, values: list[float], target: float | None) -> Measurement:
            return Measurement(group, self.name, unit, clock, tuple(values), target)

        found = [
            measured(self.group, "s", "wall", [each.wall for each in self.finished], self.target),
            measured(self.group, "s", "cpu", [each.cpu for each in self.finished], None),
        ]
        if self.memory:
            found.append(measured(MEMORY, "MB", "wall", [each.megabytes for each in self.finished], None))
        return found


def measured(commands: list[Command], runs: int, report: Callable[[str], None]) -> list[Measurement]:
    """Run commands in turn; the first round, which fills caches, does not count where there is more than one."""
    for run in range(runs + (runs > 1)):
        for command in commands:
            report(f"{command.group}: {command.name}")
            done = command.once()
            if run or runs == 1:
                command.finished.append(done)
    return [found for command in commands for found in command.measurements()]


def starts() -> list[Command]:
    """From the start of Python to an answer, with everything in the caches."""
    return [
        Command("mjsim --help", lambda: ("-m", "mjsim", "--help"), STARTS),
        Command("to the first deal, from Python", lambda: ("-c", FIRST_DEAL), STARTS, target=0.8),
        Command("simulate liuzhou --deals 1000, with its summary", lambda: THOUSAND, STARTS, memory=True),
    ]


def first_starts() -> list[Command]:
    """The first start ever: tables are built, the engine is compiled."""
    return [Command("first ever: simulate liuzhou --deals 1000", lambda: THOUSAND, STARTS, target=12, cold=True)]


def million(deals: int) -> list[Command]:
    """A million deals simulated and summarised on all cores, nothing written."""

    def command(player: str, target: float | None) -> Command:
        arguments = ("-m", "mjsim", "simulate", "liuzhou", "--deals", str(deals), "--seed", "1", "--players", player)
        name = f"simulate and summarise {deals:,} deals of {player}"
        return Command(name, lambda: arguments, target=target, memory=True)

    return [command("fast", 6.0 if deals == 1_000_000 else None), command("value", None)]


def written(deals: int, folder: Path, numbers: Callable[[], int]) -> Command:
    """Deals into a run folder."""

    def arguments() -> tuple[str, ...]:
        out = str(folder / f"run-{deals}-{numbers()}")
        return ("-m", "mjsim", "simulate", "liuzhou", "--deals", str(deals), "--seed", "1", "--out", out)

    return Command(f"simulate {deals:,} deals into a run folder", arguments, memory=True)


def read(deals: int, folder: Path) -> list[Command]:
    """Summary and report of a run folder that `written` wrote first."""
    run = str(folder / f"run-{deals}-0")
    page = str(folder / f"{deals}.html")
    return [
        Command(f"summary of {deals:,} deals", lambda: ("-m", "mjsim", "summary", run), memory=True),
        Command(f"report of {deals:,} deals", lambda: ("-m", "mjsim", "report", run, "--out", page), memory=True),
    ]


def counting(sizes: Sequence[int], folder: Path, numbers: Callable[[], int]) -> list[Command]:
    """Runs of several sizes that keep counts in place of deals: their memory must not go with the number of deals."""

    def command(deals: int) -> Command:
        def arguments() -> tuple[str, ...]:
            out = str(folder / f"counts-{deals}-{numbers()}")
            plan = ("liuzhou", "--deals", str(deals), "--seed", "1", "--players", "fast")
            return ("-m", "mjsim", "simulate", *plan, "--aggregate", "--out", out)

        return Command(f"count {deals:,} deals of fast, keeping none", arguments, memory=True)

    return [command(deals) for deals in sizes]


def cost_of_a_million(commands: list[Command], sizes: Sequence[int]) -> list[Measurement]:
    """Processor time of a million deals more, from each size of `counting` to the next."""
    found = []
    for (less, fewer), (more, deals) in pairwise(zip(commands, sizes, strict=True)):
        pairs = zip(less.finished, more.finished, strict=True)
        values = tuple((end.cpu - begin.cpu) / (deals - fewer) * 1e6 for begin, end in pairs)
        name = f"count a million deals more, from {fewer:,} to {deals:,}"
        found.append(Measurement(RUNS, name, "s", "cpu", values))
    return found


def _forget(_: object) -> None:
    """Let a task's answer go."""
