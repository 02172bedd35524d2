"""Killing runs at random moments, and going on with what they leave."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl
import pytest

import mjsim
from mjsim.dataset.lock import LOCK_NAME
from mjsim.errors import RunError
from tests.commands import ROOT

SHARD_DEALS = 1000
#: A run that begins and ends within a shard and within a session.
OPTIONS = ("simulate", "liuzhou", "--deals", 12_345, "--first", 2_400, "--seed", 17, "--session", 7, "--threads", 2)
SHARDS = 13
#: What is left of a Ctrl-C in the milliseconds in which pydantic prepares to read the arguments: it swallows it,
#: and the command goes on. And of one while Python reads a module, whose file is then closed by nobody.
SWALLOWED = re.compile(
    r"Exception ignored in: .*\nTraceback .*\n(?:  .*\n)+(?:KeyboardInterrupt: ?|ResourceWarning: unclosed file .*)\n"
)


class RunServer:
    """The process of ``run_server.py``, which starts commands at once; a context."""

    def __init__(self, shard_deals: int = SHARD_DEALS) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-W", "error", str(ROOT / "tests" / "run_server.py"), str(shard_deals)],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        finally:
            signal.signal(signal.SIGINT, before)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.communicate()

    def start(self, log: Path, *arguments: object) -> int:
        """Start a command; returns its process id."""
        assert self._process.stdin is not None
        print(json.dumps([str(log), *map(str, arguments)]), file=self._process.stdin, flush=True)
        return int(self._answer())

    def status(self) -> int:
        """Wait for the command's end; below zero for a signal."""
        assert self._process.stdin is not None
        print(file=self._process.stdin, flush=True)
        return int(self._answer())

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        assert answer, "the server has ended"
        return answer


@dataclass
class Killing:
    """Kills runs with a signal at seeded random moments, until so many have landed, and counts what happens.

    Parameters
    ----------
    server : RunServer
    undisturbed : Path
        The folder of the same run, not disturbed.
    place : Path
        An empty folder for runs.
    """

    server: RunServer
    undisturbed: Path
    place: Path
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._expected = pl.read_parquet(self.undisturbed / "deals-*.parquet")
        for paced in ("first", "second"):
            begun = time.monotonic()
            self.server.start(self.place / "log", *OPTIONS, "--out", self.place / paced)
            assert self.server.status() == 0, (self.place / "log").read_text()
            self._seconds = time.monotonic() - begun

    def kill(self, by: signal.Signals, times: int, seed: int) -> None:
        """Let a signal land so many times, in as many runs as it takes; then check each that was completed."""
        chance = random.Random(seed)
        landed = number = 0
        while landed < times:
            folder = self.place / f"{by.name}-{seed}-{number}"
            number += 1
            while landed < times and self._attempt(folder, by, chance.uniform(0, 0.7 * self._seconds)):
                landed += 1
            while self._attempt(folder, by, None):
                raise AssertionError("nobody killed it")
            self._check(folder)
        self.counts[f"{by.name} landed"] += landed

    def _attempt(self, folder: Path, by: signal.Signals, seconds: float | None) -> bool:
        """Go on with a run, and kill it after some seconds; whether that came before its end."""
        finished = self._finished(folder)
        child = self.server.start(folder.with_suffix(".log"), *OPTIONS, "--out", folder, "--resume")
        if seconds is not None:
            time.sleep(seconds)
            os.kill(child, by)
        status = self.server.status()
        log = folder.with_suffix(".log").read_text()
        assert "Traceback" not in SWALLOWED.sub("", log), log
        assert "damaged" not in log, log
        for name, before in finished.items():
            after = (folder / name).stat()
            assert (after.st_ino, after.st_mtime_ns) == before, f"{name} was finished and is written again"
        self.counts["starts"] += 1
        self.counts["shards kept from an earlier start"] += len(finished)
        if status == 0:
            return False
        by_itself = 130 if by != signal.SIGKILL else -by
        assert status in {by_itself, -by}, (status, log)
        if status == 130:
            left = {path.name for path in folder.glob("*")}
            assert LOCK_NAME not in left
            assert all(name.endswith((".json", ".parquet")) for name in left), left
        self.counts[f"{by.name} {self._state(folder)}"] += 1
        return True

    def _finished(self, folder: Path) -> dict[str, tuple[int, int]]:
        """Which full shards a run has recorded, and which files these are."""
        if not (folder / "run.json").exists():
            return {}
        shards: list[dict[str, Any]] = json.loads((folder / "run.json").read_text())["shards"]
        whole = [each["file"] for each in shards if (each["first"] + each["deals"]) % SHARD_DEALS == 0]
        return {name: ((folder / name).stat().st_ino, (folder / name).stat().st_mtime_ns) for name in whole}

    def _state(self, folder: Path) -> str:
        """What a killed run leaves: a run that can be read as far as it goes, or none."""
        if not folder.exists():
            return "left no folder"
        if not (folder / "run.json").exists():
            return "left a folder without run.json"
        if not json.loads((folder / "run.json").read_text())["shards"]:
            with pytest.raises(RunError, match="the run holds no deals"):
                mjsim.open_run(folder)
            return "left no shard"
        frame = mjsim.open_run(folder).to_polars()
        assert frame.equals(self._expected.head(len(frame)))
        return "left some shards" if len(frame) < len(self._expected) else "left all shards"

    def _check(self, folder: Path) -> None:
        """A completed run is the undisturbed one, file by file, byte for byte, but for the command in run.json."""
        names = sorted(path.name for path in folder.iterdir())
        assert names == sorted(path.name for path in self.undisturbed.iterdir())
        run = mjsim.open_run(folder)
        assert run.manifest.status == "complete"
        frame = run.to_polars()
        assert frame.equals(self._expected)
        for name in names:
            same = (folder / name).read_bytes() == (self.undisturbed / name).read_bytes()
            assert same or name == "run.json", name
        self.counts["runs completed and compared"] += 1
        self.counts["rows compared"] += len(frame)
