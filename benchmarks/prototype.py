"""A measured prototype of the deal loop beside the engine, in a process of its own.

``python -m benchmarks --prototype DIR`` names a folder with ``tables.py``, ``cls.py``, ``core.py`` and ``sim4.py``; the
project does not need it. It settles nothing and plays by no one's rules in particular: what it is good for is a ratio.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.measure import Task

GROUP = "prototype, for comparison"

# Runs where the prototype's files are, so that they find each other and their tables.
_WORKER = """
import json, sys, time
import numpy as np
answers = sys.stdout
sys.stdout = sys.stderr
import core, sim4
from core import U
tab, base, rank, cls, M, SP, TOP = core.load()
random = np.random.default_rng(1)
deck = np.repeat(np.arange(34), 4)
hands = np.array([np.bincount(random.permutation(deck)[:14], minlength=34) for _ in range(2000)], np.uint8)
keys = np.array([core.codes(hand) for hand in hands], np.uint64)
blob, = sim4.load2()
def shanten(rounds):
    core.bench_shanten(keys, U(4), base, rank, cls, M, TOP, rounds)
def complete(rounds):
    core.bench_win(keys, U(4), base, rank, cls, M, TOP, rounds)
def counts(rounds):
    core.bench_counts(hands, U(4), base, rank, cls, M, TOP, rounds)
def deals(number):
    sim4.run(1, 0, number, np.zeros(number, np.uint64), blob, np.zeros(16, np.uint64))
tasks = {"shanten": shanten, "complete": complete, "counts": counts, "deals": deals}
for line in sys.stdin:
    name, number = json.loads(line)
    start = time.process_time()
    tasks[name](number)
    print(json.dumps(time.process_time() - start), file=answers, flush=True)
"""


class Prototype:
    """The prototype's process: its tables are built in a folder of ours, its tasks run when asked.

    Parameters
    ----------
    source : Path
        The prototype's folder, which is only read.
    folder : Path
        An empty folder to work in.
    """

    def __init__(self, source: Path, folder: Path) -> None:
        for file in source.glob("*.py"):
            shutil.copy(file, folder)
        for script in ("tables.py", "cls.py"):
            subprocess.run([sys.executable, script], cwd=folder, check=True, capture_output=True)
        self._process: Any = subprocess.Popen(
            [sys.executable, "-c", _WORKER],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> "Prototype":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.__exit__(kind, error, trace)  # closes its pipes, whereupon it ends, and waits for it

    def seconds(self, name: str, number: int) -> float:
        """Processor time that one of its tasks took."""
        print(json.dumps([name, number]), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the prototype ended while asked for {name}")
        return float(json.loads(answer))

    def tasks(self, rounds: int, deals: int) -> list[Task]:
        """What it can be measured at: rounds over 2,000 hands, and whole deals."""

        def task(name: str, what: str, unit: str, work: float, number: int) -> Task:
            return Task(GROUP, name, unit, work, lambda: self.seconds(what, number))

        hands = 2_000 * rounds
        return [
            task("shanten, incremental", "shanten", "ns", hands, rounds),
            task("complete-hand check, incremental", "complete", "ns", hands, rounds),
            task("shanten from counts", "counts", "ns", hands, rounds),
            task("deals", "deals", "deals/s", deals, deals),
        ]
