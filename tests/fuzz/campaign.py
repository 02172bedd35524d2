"""Campaigns of fuzzed inputs: how many were accepted and refused, and what went wrong."""

import random
import resource
import signal
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

import mjsim
from tests.fuzz.inputs import changed, seeds
from tests.fuzz.targets import Target, targets, temporary_folder

NAMES: Final = ("tiles", "rulesets", "cases", "manifests", "commands")
#: Processor time of one input, beyond which it counts as a hang.
LONGEST_SECONDS: Final = 20.0
#: Faults after which a campaign has seen enough.
_MOST_FAULTS: Final = 20


class HangError(Exception):
    """An input that kept its reader busy for too long."""


@dataclass
class Counts:
    """What a campaign found."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)

    def try_one(self, target: Target, data: bytes) -> None:
        """Try one input."""
        self.inputs += 1
        try:
            with _no_longer_than(LONGEST_SECONDS), warnings.catch_warnings(action="error"):
                accepted = target(data)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.faults.append(f"{type(error).__name__}: {str(error)[:300]} ({place.name}): {data[:2000]!r}")
        else:
            self.accepted += accepted
            self.refused += not accepted


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Raise `HangError` in what takes more processor time."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise HangError(f"over {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def prepared(name: str) -> Iterator[tuple[Target, list[bytes]]]:
    """A target with its files in a temporary folder, and its seeds."""
    with temporary_folder() as folder:
        made = Path(folder) / "made"
        mjsim.simulate("liuzhou", deals=4).write(made)
        shard = (made / "deals-00000.parquet").read_bytes()
        starts = seeds(name, made)
        place = Path(folder) / "place"
        place.mkdir()
        target = targets(place, shard)[name]
        for start in starts:
            target(start)  # whatever is compiled or imported at first use is so before time and memory are looked at
        yield target, starts


def fuzz(name: str, inputs: int, seed: int) -> Counts:
    """Try so many changed inputs on a target; the seed decides which."""
    with prepared(name) as (target, starts):
        draw = random.Random(f"{name} {seed}")
        pool = list(starts)
        counts = Counts()
        while counts.inputs < inputs and len(counts.faults) < _MOST_FAULTS:
            data = changed(draw, draw.choice(pool), starts)
            accepted = counts.accepted
            counts.try_one(target, data)
            if counts.accepted > accepted and len(pool) < 1000:
                pool.append(data)
    return counts


def peak_megabytes() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
