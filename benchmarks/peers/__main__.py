"""``python -m benchmarks.peers --python PYTHON`` (``make bench-peers``): every library on the same hands, in turns.

Hands are dealt by mjsim's generator. Each library lives in a process of its own and measures the processor time of its
own work; this one asks them in turn, round after round, and compares what they answer.
"""

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer

import mjsim
from benchmarks.machine import machine
from benchmarks.peers.adapters import ADAPTERS
from benchmarks.peers.worker import OURS
from benchmarks.positions import complete, dealt

RESULTS: Final = Path(__file__).parent / "results.json"
FORMAT: Final = 1
SEED: Final = 1
PLAYS: Final = ("random", "efficiency")

#: Deals of one round; a library that plays more a second gets more.
DEALS: Final = {"mjsim": 20_000, "riichienv": 100, "pymahjong": 30, "cmajiang": 100, "rlcard": 5, "mahjax": 256}


class Library:
    """A library's process."""

    def __init__(self, name: str, python: Path) -> None:
        self.name = name
        script = str(Path(__file__).with_name("worker.py"))
        command = [sys.executable, "-m", "benchmarks.peers.worker"] if name in OURS else [str(python), script]
        self._process: Any = subprocess.Popen(
            [*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        hello = self._answer()
        self.error: str | None = hello.get("error")
        self.version: str | None = hello.get("version")
        self.tasks: list[str] = hello.get("can", [])
        self.seconds: dict[str, list[float]] = {task: [] for task in self.tasks}
        self.answers: dict[str, Any] = {}
        self.failures: dict[str, str] = {}

    def _answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        found: dict[str, Any] = json.loads(line) if line else {"error": "the process ended without a word"}
        return found

    def ask(self, task: str, request: dict[str, Any], counts: bool) -> None:
        """Let it do a task, and note what it took if that counts."""
        if task not in self.tasks or task in self.failures:
            return
        try:
            print(json.dumps({"task": task} | request), file=self._process.stdin, flush=True)
            told = self._answer()
        except BrokenPipeError:
            told = {"error": "the process has ended"}
        if "error" in told:
            self.failures[task] = told["error"]
            return
        self.answers[task] = told["answers"]
        if counts:
            self.seconds[task].append(told["seconds"])

    def close(self) -> None:
        """End its process: without requests to come it stops."""
        with self._process:
            pass


def hands(number: int) -> dict[str, list[list[int]]]:
    """What is asked: 14 tiles, half of the hands complete; 13 tiles, half of the hands a tile short of that."""
    won, short = complete(number // 2, SEED), complete(number // 2, SEED + 1)
    random = np.random.default_rng(SEED)
    for hand in short:
        hand[random.choice(np.repeat(np.arange(34), hand))] -= 1
    flush = number // 6
    others = number - len(won) - flush
    rows = [*dealt(others, 14, SEED), *dealt(flush, 14, SEED, kinds=9), *won]
    rests = [*dealt(others, 13, SEED), *dealt(flush, 13, SEED, kinds=9), *short]
    return {"complete": [row.tolist() for row in rows], "shanten": [row.tolist() for row in rests]}


def run(libraries: Sequence[Library], asked: dict[str, list[list[int]]], rounds: int, scale: float) -> None:
    """Ask every library in turn, round after round; the first round warms up."""
    for turn in range(rounds + 1):
        for task in (*asked, *PLAYS):
            for library in libraries:
                deals = max(1, round(DEALS.get(library.name, 1) * scale))
                # The same number of games each time, since one library compiles anew for another number.
                request: dict[str, Any] = {"hands": asked[task]} if task in asked else {"deals": deals, "seed": turn}
                library.ask(task, request, counts=turn > 0)


def measured(library: Library, asked: dict[str, list[list[int]]], scale: float) -> dict[str, Any]:
    """What a library took, for JSON: nanoseconds a hand, deals a second."""
    found: dict[str, Any] = {}
    for task, seconds in library.seconds.items():
        if task in library.failures or not seconds:
            continue
        if task in asked:
            values = [each / len(asked[task]) * 1e9 for each in seconds]
            unit = "ns"
        else:
            values = [max(1, round(DEALS[library.name] * scale)) / each for each in seconds]
            unit = "deals/s"
        found[task] = {
            "unit": unit,
            "values": values,
            "median": statistics.median(values),
            "low": min(values),
            "high": max(values),
        }
    return {
        "name": library.name,
        "version": library.version,
        "error": library.error,
        "failures": library.failures,
        "tasks": found,
    }


def main(
    python: Annotated[Path, typer.Option(help="The Python that has the other libraries.")],
    out: Annotated[Path, typer.Option(help="Where the JSON goes.")] = RESULTS,
    number: Annotated[int, typer.Option("--hands", help="Hands of each kind.")] = 2_000,
    rounds: Annotated[int, typer.Option(help="Counted rounds.")] = 5,
    scale: Annotated[float, typer.Option(help="How many of the usual number of deals are played.")] = 1.0,
    only: Annotated[list[str] | None, typer.Option(help="Only these libraries; repeatable.")] = None,
) -> None:
    """Compare speed and answers, and write both as JSON."""
    from benchmarks.peers.disagreements import disagreements

    asked = hands(number)
    names = [name for name in (*OURS, *ADAPTERS) if not only or name in only or name == "mjsim"]
    libraries = [Library(name, python) for name in names]
    try:
        run(libraries, asked, rounds, scale)
    finally:
        for library in libraries:
            library.close()
    found = {
        "format": FORMAT,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": mjsim.__version__,
        "machine": machine(),
        "numba": metadata.version("numba"),
        "hands": number,
        "rounds": rounds,
        "libraries": [measured(library, asked, scale) for library in libraries],
        "disagreements": disagreements(
            asked, {library.name: library.answers for library in libraries if library.name not in OURS}
        ),
        "ours": disagreements(asked, {library.name: library.answers for library in libraries if library.name in OURS}),
    }
    out.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for library in libraries:
        print(f"{library.name} {library.version or library.error}: {library.failures or 'answered everything'}")


if __name__ == "__main__":
    typer.run(main)
