"""What a run of 10^12 deals needs, and what ends it, worked out from what `benchmarks.cluster` measured."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from benchmarks.cluster_model import Farm, saturated_at, simulated
from mjsim.dataset.run import LARGEST_MANIFEST, SHARD_DEALS
from mjsim.engine import MAX_DEALS, MAX_SESSION, MAX_SESSIONS

DEALS: Final = 10**12
SHARDS: Final = -(-DEALS // SHARD_DEALS)

#: Assumed, not measured: bytes a second that a network of 10 Gbit/s carries, and memory of the coordinating machine.
LINK: Final = 1.25e9
MEMORY: Final = 16e9

#: Rounds of tasks that a simulation plays, and tasks in all, at most: enough for a steady state.
_ROUNDS: Final = 30
_TASKS: Final = 200_000


@dataclass(frozen=True)
class Limit:
    """Something that a run meets when it grows.

    Attributes
    ----------
    what : str
    at : float
        The number of workers or deals at which it is met.
    behind : str
        The measurement or assumption behind it, and what helps.
    """

    what: str
    at: float
    behind: str


class Needs:
    """A run of `DEALS` deals on a cluster whose workers are like those measured.

    Parameters
    ----------
    found : mapping
        What `benchmarks.cluster.measured` returned.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = found
        self.played = found["deals"]
        self._simulated: dict[Farm, float] = {}
        if any(self.rate(who, kept) <= 0 for who in ("threads", "workers") for kept in ("folder", "counts")):
            raise ValueError("too few deals were measured to tell their rate; measure the part cluster without --quick")

    def rate(self, who: str, kept: str) -> float:
        """Deals a second of two threads or two workers, without the start of the command."""
        each = self.found["commands"][f"{who}, {kept}"]
        seconds = each["wall"] - each["start"]
        return float((each["deals"] - self.found["few"]) / seconds) if seconds > 0 else 0.0

    def task(self, kept: str) -> float:
        """Seconds that a task of 2^20 deals takes one worker."""
        return 2 * SHARD_DEALS / self.rate("workers", kept)

    def client(self, kept: str) -> float:
        """Processor seconds of the process that gives out tasks for one, the dearer of the numbers of workers."""
        return max(float(each["client"]) for each in self.found["tasks"] if each["kept"] == kept)

    def scheduler(self, kept: str) -> float:
        """The same of the scheduler, which is another process, and passes the answers on."""
        return max(float(each["scheduler"]) for each in self.found["tasks"] if each["kept"] == kept)

    def recording(self, shards: int = SHARDS) -> float:
        """Seconds to record a shard, on average over a run of so many.

        Between the sizes measured the cost is taken to be straight lines; before the first and after the last, level.
        """
        points = [(each["shards"], each["record"]) for each in self.found["shards"]]
        points = [(0, points[0][1]), *points, (math.inf, points[-1][1])]
        area = 0.0
        for (left, low), (right, high) in pairwise(points):
            if left >= shards:
                break
            end = min(right, shards)
            at_end = low if math.isinf(right) else low + (high - low) * (end - left) / (right - left)
            area += (low + at_end) / 2 * (end - left)
        return area / shards

    def adding(self) -> float:
        """Seconds to unpack the counts of a task, to add them to the others and, now and then, to save them."""
        counts = self.found["counts"]
        return float(counts["unpack"] + counts["add"] + counts["save"] / counts["tasks_a_save"])

    def own(self, kept: str) -> float:
        """Seconds of the process that gives out tasks for one, with what it does with the answer."""
        return self.client(kept) + (self.recording() if kept == "folder" else self.adding())

    def service(self, kept: str) -> float:
        """Seconds a task of the busier of the two processes, which sets the pace."""
        return max(self.own(kept), self.scheduler(kept))

    def farm(self, kept: str, workers: int) -> Farm:
        """The model of a cluster with so many workers."""
        return Farm(workers, self.task(kept), self.service(kept))

    def efficiency(self, kept: str, workers: int) -> float:
        """The simulated share of the workers' time that they play."""
        farm = self.farm(kept, workers)
        if farm not in self._simulated:
            rounds = min(_ROUNDS, max(_TASKS // workers, 2), max(SHARDS // workers, 1))
            self._simulated[farm] = simulated(farm, rounds * workers)
        return self._simulated[farm]

    def hours(self, kept: str, workers: int) -> float:
        """How long the run takes, by that share."""
        return SHARDS * self.task(kept) / (workers * self.efficiency(kept, workers)) / 3600

    @property
    def bytes_per_deal(self) -> float:
        """Of Parquet."""
        return float(self.found["parquet_bytes"] / self.played)

    def at_shards(self, key: str, shards: float) -> float:
        """Bytes, seconds or megabytes of what was measured of run folders, on the line through the two largest."""
        small, large = self.found["shards"][-2:]
        slope = (large[key] - small[key]) / (large["shards"] - small["shards"])
        return float(large[key] + slope * (shards - large["shards"]))

    def shards_at(self, key: str, value: float) -> float:
        """The number of shards at which that line reaches a value."""
        small, large = self.found["shards"][-2:]
        slope = (large[key] - small[key]) / (large["shards"] - small["shards"])
        return float(large["shards"] + (value - large[key]) / slope) if slope > 0 else math.inf

    @property
    def session(self) -> int:
        """The fewest deals in a session with which so many deals can be played."""
        return -(-DEALS // MAX_SESSIONS)

    @property
    def checking(self) -> float:
        """Seconds to compare the checksum of a shard before a run is gone on with, on the machine measured."""
        went = self.found["going_on"]
        shards = -(-self.played // SHARD_DEALS)
        return float(max(went["complete"] - went["few"], 0.0) / shards)

    def verifying(self) -> float:
        """Seconds to verify a row."""
        small, large = self.found["verify"]
        return float((large["wall"] - small["wall"]) / (large["deals"] - small["deals"]))

    def most_deals_summed(self) -> float:
        """Deals whose widest sum, over four seats, still fits 64 bits."""
        return float(2**63 / (4 * self.found["counts"]["widest_per_deal"]))

    def by_workers(self, kept: str) -> list[Limit]:
        """What more and more workers meet, the first first."""
        limits = self._of_deals() if kept == "folder" else self._of_counts()
        limits += [
            Limit(
                "Dask's scheduler",
                saturated_at(self.task(kept), self.scheduler(kept)),
                f"measured: {1e3 * self.scheduler(kept):.2f} ms of its processor a task; helps: several runs, each with"
                " a scheduler of its own",
            ),
            Limit("one worker for each task", SHARDS, "a task is 2^20 deals; nothing needs to help"),
        ]
        return sorted(limits, key=lambda limit: limit.at)

    def _of_deals(self) -> list[Limit]:
        task = self.task("folder")
        written = self.bytes_per_deal * SHARD_DEALS / task
        return [
            Limit(
                "the process that gives out shards and records them",
                saturated_at(task, self.own("folder")),
                f"measured: {1e3 * self.client('folder'):.2f} ms a task, and {1e3 * self.recording():.2f} ms to record"
                f" it in `run.json`, on average over a run of {SHARDS:,} shards; helps: several runs, each with other"
                " `--first`, or counts",
            ),
            Limit(
                "a shared folder behind one link of 10 Gbit/s",
                LINK / written,
                f"{written / 1e6:.1f} MB/s a worker, measured; the link is assumed; helps: storage with more links, or"
                " counts",
            ),
        ]

    def _of_counts(self) -> list[Limit]:
        task, sent = self.task("counts"), self.found["counts"]["answer_bytes"]
        return [
            Limit(
                "the process that gives out ranges and adds up their counts",
                saturated_at(task, self.own("counts")),
                f"measured: {1e3 * self.client('counts'):.2f} ms a task, and {1e3 * self.adding():.2f} ms to unpack,"
                " add and save its counts; helps: several runs, each with other `--first`, whose counts add up",
            ),
            Limit(
                "a link of 10 Gbit/s to that process",
                LINK * task / sent,
                f"{sent / 1e3:,.0f} kB a task, measured, which pass through the scheduler; the link is assumed; helps:"
                " the same",
            ),
            Limit(
                f"{MEMORY / 1e9:.0f} GB of memory there, for counts that wait for others before them",
                MEMORY / sent,
                f"{sent / 1e3:,.0f} kB a task, measured; while a dead worker's task is played again, each of the others"
                " finishes about one; the memory is assumed; helps: the same",
            ),
        ]

    def by_deals(self) -> list[Limit]:
        """What more and more deals meet, the first first."""
        limits = [
            Limit(
                "2^32 sessions, where each is one deal, the default",
                MAX_SESSIONS,
                f"refused with that reason (`mjsim/engine.py`); helps: `--session {self.session}` or more, up to"
                f" {MAX_SESSION:,}",
            ),
            Limit(
                "2^40 deals of one seed",
                MAX_DEALS,
                "refused with that reason; helps: another seed",
            ),
            Limit(
                f"the largest `run.json` that is read, {LARGEST_MANIFEST >> 20} MB",
                SHARD_DEALS * self.shards_at("bytes", LARGEST_MANIFEST),
                "measured: bytes of `run.json` by number of shards; helps: several runs, or counts",
            ),
            Limit(
                f"{MEMORY / 1e9:.0f} GB of memory for the process that records shards",
                SHARD_DEALS * self.shards_at("megabytes", MEMORY / 1e6),
                "measured: its peak by number of shards; the machine is assumed; helps: several runs, or counts",
            ),
            Limit(
                "sums of 64 bits",
                self.most_deals_summed(),
                f"measured: the widest is `{self.found['counts']['widest']}`,"
                f" {self.found['counts']['widest_per_deal']:,.1f} a deal, which may be added over four seats; where a"
                " sum does not fit, counting refuses",
            ),
        ]
        return sorted(limits, key=lambda limit: limit.at)
