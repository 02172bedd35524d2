"""A coordinator that gives out tasks to many workers, simulated, and the closed forms that this must meet."""

import heapq
import math
import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Farm:
    """Workers that ask one coordinator for tasks. Times are in seconds.

    Attributes
    ----------
    workers : int
    task : float
        What a task takes a worker.
    service : float
        What it takes the coordinator to give out a task and to record what came back; one at a time, in order.
    ahead : int
        Tasks that wait at each worker while it does another.
    between_deaths : float
        How long a worker lives on average. Its task is then begun again.
    absence : float
        How long it takes until another is in its place.
    is_random : bool
        Whether tasks and service take exponentially distributed times with these means, as queueing theory likes them,
        in place of fixed ones.
    """

    workers: int
    task: float
    service: float
    ahead: int = 1
    between_deaths: float = math.inf
    absence: float = 0.0
    is_random: bool = False


def simulated(farm: Farm, tasks: int, seed: int = 1) -> float:
    """The share of their time that workers spend on tasks that count, from the first event to the last.

    Parameters
    ----------
    farm : Farm
    tasks : int
        How many are done.
    seed : int

    Examples
    --------
    >>> round(simulated(Farm(workers=10, task=10.0, service=0.001), tasks=1_000), 3)
    1.0
    >>> round(simulated(Farm(workers=200, task=10.0, service=0.1), tasks=20_000), 2)
    0.5
    """
    chance = random.Random(seed)
    free = 0.0  # when the coordinator is
    idle = [0.0] * farm.workers  # from when on each worker is
    requests = [(0.0, worker) for _ in range(1 + farm.ahead) for worker in range(farm.workers)]
    work = 0.0
    for _ in range(tasks):
        asked, worker = heapq.heappop(requests)
        free = max(free, asked) + _length(farm.service, farm, chance)
        length = _length(farm.task, farm, chance)
        work += length
        idle[worker] = max(idle[worker], free) + _with_deaths(length, farm, chance)
        heapq.heappush(requests, (idle[worker], worker))
    return work / (farm.workers * max(idle))


def _length(mean: float, farm: Farm, chance: random.Random) -> float:
    return chance.expovariate(1 / mean) if farm.is_random else mean


def _with_deaths(length: float, farm: Farm, chance: random.Random) -> float:
    """How long a task takes if it is begun again after each death."""
    if math.isinf(farm.between_deaths):
        return length
    taken = 0.0
    while (life := chance.expovariate(1 / farm.between_deaths)) < length:
        taken += life + farm.absence
    return taken + length


def saturated_at(task: float, service: float) -> float:
    """How many workers keep the coordinator busy all the time; more get nothing more done.

    >>> saturated_at(task=10.0, service=0.001)
    10000.0
    """
    return task / service


def bound(farm: Farm) -> float:
    """What no order of events can exceed, deaths aside: the coordinator gives out one task after the other."""
    return min(1.0, saturated_at(farm.task, farm.service) / farm.workers)


def repairmen(farm: Farm) -> float:
    """The share of busy workers in the machine repair model: all times are exponential, nothing waits at a worker.

    By mean value analysis, exact for it.
    """
    queue = rate = 0.0
    for workers in range(1, farm.workers + 1):
        answer = farm.service * (1 + queue)
        rate = workers / (answer + farm.task)
        queue = rate * answer
    return rate * farm.task / farm.workers


def replaying(task: float, between_deaths: float, absence: float = 0.0) -> float:
    """The share of work that counts where a task is begun again after each death, which come at a constant rate.

    A task of length t then takes (M + absence) (e^(t / M) - 1) on average, M being the time between deaths.
    """
    return task / ((between_deaths + absence) * math.expm1(task / between_deaths))


def ends_by_deaths(tasks: int, task: float, between_deaths: float, allowed: int, at_hand: int = 2) -> float:
    """The chance that some task meets more deaths than a scheduler allows, which ends the run.

    ``at_hand`` is how many tasks a worker has when it dies, each of which counts the death.
    """
    meets = -math.expm1(-at_hand * task / between_deaths)
    if meets == 1:
        return 1.0
    return -math.expm1(tasks * math.log1p(-(meets ** (allowed + 1))))
