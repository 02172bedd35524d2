"""Repeated, interleaved measurements: medians with their spread."""

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Clock = Literal["cpu", "wall"]

#: Units of which less is better; of rates more is better.
LESS_IS_BETTER = ("ns", "us", "s", "MB", "% of the run")


@dataclass(frozen=True)
class Measurement:
    """Several runs of one thing.

    Attributes
    ----------
    group : str
        The table it stands in.
    name : str
        What was measured.
    unit : str
        ``ns`` or ``us`` a call, ``s``, ``MB``, or a rate such as ``deals/s``.
    clock : {"cpu", "wall"}
        Processor time of this process, which other programs disturb little, or time that passed.
    values : tuple of float
        One per run.
    target : float or None
        What the project wants the median to reach: at most in `LESS_IS_BETTER`, else at least.
    """

    group: str
    name: str
    unit: str
    clock: Clock
    values: tuple[float, ...]
    target: float | None = None

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The lowest and highest run."""
        return min(self.values), max(self.values)

    @property
    def met(self) -> bool | None:
        """Whether the median reaches the target; None without one."""
        if self.target is None:
            return None
        return self.median <= self.target if self.unit in LESS_IS_BETTER else self.median >= self.target

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON, median and spread among them."""
        low, high = self.spread
        return asdict(self) | {"median": self.median, "low": low, "high": high}


@dataclass(frozen=True)
class Task:
    """Something to be measured.

    Attributes
    ----------
    group, name, unit, clock, target
        As in `Measurement`.
    work : float
        How many units (calls, deals) one run does.
    run : callable
        Does it; may return the seconds it took, if it knows better than a clock around it.
    """

    group: str
    name: str
    unit: str
    work: float
    run: Callable[[], float | None]
    clock: Clock = "cpu"
    target: float | None = None

    def once(self) -> float:
        """Do it once, and give the value in the task's unit."""
        clock = time.process_time if self.clock == "cpu" else time.perf_counter
        start = clock()
        told = self.run()
        seconds = clock() - start if told is None else told
        if self.unit in LESS_IS_BETTER:
            return seconds / self.work * {"ns": 1e9, "us": 1e6, "s": 1.0}[self.unit]
        return self.work / seconds


def interleaved(tasks: Sequence[Task], runs: int, report: Callable[[str], None] = lambda _: None) -> list[Measurement]:
    """Run tasks in turn, so that a drifting machine treats them alike; the first round does not count.

    Parameters
    ----------
    tasks : sequence of Task
        What to measure.
    runs : int
        Counted runs of each.
    report : callable
        Told what is about to run.
    """
    values: list[list[float]] = [[] for _ in tasks]
    for run in range(runs + 1):
        for task, found in zip(tasks, values, strict=True):
            report(f"{task.group}: {task.name}, {f'run {run} of {runs}' if run else 'warming up'}")
            gc.collect()
            value = task.once()
            if run:
                found.append(value)
    return [
        Measurement(task.group, task.name, task.unit, task.clock, tuple(found), task.target)
        for task, found in zip(tasks, values, strict=True)
    ]


@dataclass(frozen=True)
class Finished:
    """A process that ran to its end: seconds that passed, seconds of processors, peak memory, what it printed."""

    wall: float
    cpu: float
    megabytes: float
    output: str
    complaints: str


# A process of its own, so that what it reports about its children is about one child.
_WATCH = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
wall = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
scale = 1024 * 1024 if sys.platform == "darwin" else 1024
told = [done.returncode, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / scale, done.stdout, done.stderr]
print(json.dumps(told))
"""


def process(arguments: Sequence[str], environment: dict[str, str] | None = None) -> Finished:
    """Run Python with some arguments in a fresh process.

    Raises
    ------
    RuntimeError
        If it fails, with what it complained about.
    """
    import json

    command = [sys.executable, "-c", _WATCH, sys.executable, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | (environment or {}))
    status, wall, cpu, megabytes, output, complaints = json.loads(done.stdout)
    if status:
        raise RuntimeError(f"python {' '.join(arguments)} ended with {status}: {complaints.strip()}")
    return Finished(wall, cpu, megabytes, output, complaints)
