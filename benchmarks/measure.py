"""Repeated, interleaved measurements: medians with their spread."""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measurement:
    """Rates or times of several runs of one thing.

    Attributes
    ----------
    name : str
        What was measured.
    values : tuple of float
        One per run.
    unit : str
        Such as ``deals/s``.
    """

    name: str
    values: tuple[float, ...]
    unit: str

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The lowest and highest run."""
        return min(self.values), max(self.values)


def interleaved(tasks: Sequence[tuple[str, float, Callable[[], object]]], runs: int, unit: str) -> list[Measurement]:
    """Run tasks in turn, so that a drifting machine treats them alike, and give rates.

    Parameters
    ----------
    tasks : sequence of (name, work, function)
        ``work`` is how many units one call does.
    runs : int
        Counted calls of each, after one that does not count.
    unit : str
        Unit of the rates.
    """
    rates: dict[str, list[float]] = {name: [] for name, _, _ in tasks}
    for run in range(runs + 1):
        for name, work, function in tasks:
            start = time.perf_counter()
            function()
            if run:
                rates[name].append(work / (time.perf_counter() - start))
    return [Measurement(name, tuple(values), unit) for name, values in rates.items()]


def command(arguments: Sequence[str], runs: int, *, folder: Path) -> tuple[Measurement, Measurement]:
    """Wall time and peak memory of a whole process, in a fresh interpreter each run."""
    script = (
        "import resource, subprocess, sys, time\n"
        "start = time.perf_counter()\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)\n"
    )
    seconds, megabytes = [], []
    for run in range(runs + 1):
        replaced = [argument.replace("{run}", str(folder / f"run-{run}")) for argument in arguments]
        done = subprocess.run(
            [sys.executable, "-c", script, sys.executable, "-m", "mjsim", *replaced],
            capture_output=True,
            text=True,
            check=True,
        )
        wall, memory = done.stdout.split()
        if run:
            seconds.append(float(wall))
            megabytes.append(float(memory))
    name = "mjsim " + " ".join(argument for argument in arguments if "{run}" not in argument and argument != "--out")
    return Measurement(name, tuple(seconds), "s"), Measurement(name, tuple(megabytes), "MB")


def machine() -> str:
    """The processor, as far as the system tells."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"
