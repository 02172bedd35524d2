"""Whole deals and walls: players and rulesets, in memory and with Parquet, threads, and the plain-Python twin."""

import itertools
from pathlib import Path

import mjsim
from benchmarks.measure import Task
from mjsim.engine import Plan
from mjsim.players import QUICK, players_for_seats
from mjsim.rules import builtin_names, load_rules
from mjsim.simulation import simulate_to_folder
from tests.naive.players import play

MEMORY = "deals, one thread, all columns in memory"
PARQUET = "deals, one thread, all columns written as Parquet"
THREADS = "threads"
OTHER = "walls and twins"

SEED = 1
#: Deals/s that the project asks of a player on one core; the ratio to the prototype is what counts.
TARGETS = {"fast": 125_000.0, "value": 40_000.0, "random": 200_000.0}


def memory_tasks(deals: int) -> list[Task]:
    """Every quick player in every built-in ruleset."""

    def task(player: str, rules: str) -> Task:
        def run() -> None:
            mjsim.simulate(rules, deals=deals, seed=SEED, players=player, threads=1)

        return Task(MEMORY, f"{player}, {rules}", "deals/s", deals, run, target=TARGETS.get(player))

    return [task(player, rules) for player in sorted(QUICK) for rules in builtin_names()]


def parquet_tasks(deals: int, folder: Path) -> list[Task]:
    """The same into run folders; Polars compresses with threads of its own, so the clock on the wall counts."""
    numbers = itertools.count()

    def task(player: str, rules: str) -> Task:
        plan = Plan(load_rules(rules), players_for_seats(player), SEED)

        def run() -> None:
            simulate_to_folder(plan, folder / f"deals-{next(numbers)}", deals=deals, threads=1)

        return Task(PARQUET, f"{player}, {rules}", "deals/s", deals, run, "wall")

    return [task(player, rules) for player in sorted(QUICK) for rules in builtin_names()]


def thread_tasks(deals: int, most: int) -> list[Task]:
    """`fast` in Liuzhou on one thread and more; chunks are given out evenly, so that no thread waits at the end."""

    def task(threads: int) -> Task:
        def run() -> None:
            mjsim.simulate(
                "liuzhou", deals=deals, seed=SEED, players="fast", threads=threads, chunk=max(1, deals // 64)
            )

        name = f"fast, liuzhou, {threads} thread{'s' if threads > 1 else ''}"
        return Task(THREADS, name, "deals/s", deals, run, "wall")

    return [task(threads) for threads in sorted({1, 2, most}) if threads <= most]


def other_tasks(walls: int, rollout_deals: int) -> list[Task]:
    """Walls alone, one `rollout` among three `value`, and `fast` in plain Python."""

    def rollout() -> None:
        mjsim.simulate("liuzhou", deals=rollout_deals, seed=SEED, players="rollout,value,value,value", threads=1)

    def twin() -> None:
        for deal in range(4):
            play(SEED, deal, deal % 4)

    def shuffled() -> None:
        mjsim.walls(SEED, 0, walls)

    return [
        Task(OTHER, "walls, shuffled whole", "ns", walls, shuffled),
        Task(OTHER, "one rollout among three value, liuzhou", "deals/s", rollout_deals, rollout, target=20),
        Task(OTHER, "fast as its plain-Python twin, liuzhou", "deals/s", 4, twin),
    ]
