"""``python -m benchmarks`` (``make bench``): rates of deals, hands and walls, start-up and memory, and the plain twin.

Ratios within one run are what carries over to another machine. Close other programs first.
"""

import tempfile
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import mjsim
from benchmarks.measure import Measurement, command, interleaved, machine
from mjsim.engine import Plan
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.simulation import simulate_to_folder
from tests.naive.players import play

SEED = 1


def deals(number: int, runs: int, folder: Path) -> list[Measurement]:
    """Whole deals of `fast`, Liuzhou with fishing, every column."""
    plan = Plan(load_rules("liuzhou"), players_for_seats("fast"), SEED)
    written = iter(range(10_000))

    def memory(threads: int) -> None:
        mjsim.simulate(plan.rules, deals=number, seed=SEED, threads=threads)

    def parquet(threads: int) -> None:
        simulate_to_folder(plan, folder / f"deals-{next(written)}", deals=number, threads=threads)

    def other(player: str) -> None:
        mjsim.simulate(plan.rules, deals=number // 4, seed=SEED, players=player, threads=1)

    def twin() -> None:
        for deal in range(4):
            play(SEED, deal, deal % 4)

    return interleaved(
        [
            ("fast, 1 thread, columns in memory", number, lambda: memory(1)),
            ("fast, 2 threads, columns in memory", number, lambda: memory(2)),
            ("fast, 1 thread, with Parquet", number, lambda: parquet(1)),
            ("fast, 2 threads, with Parquet", number, lambda: parquet(2)),
            ("noisy, 1 thread, columns in memory", number // 4, lambda: other("noisy")),
            ("random, 1 thread, columns in memory", number // 4, lambda: other("random")),
            ("plain Python twin of fast", 4, twin),
        ],
        runs,
        "deals/s",
    )


def hands(number: int, runs: int) -> list[Measurement]:
    """The evaluator's batch calls on random hands, and walls."""
    walls = mjsim.walls(SEED, 0, number)
    counts = np.zeros((number, 34), np.uint8)
    for position in range(13):
        counts[np.arange(number), walls[:, position]] += 1
    rest = counts.copy()
    counts[np.arange(number), walls[:, 13]] += 1
    return interleaved(
        [
            ("shanten_many, 14 tiles", number, lambda: mjsim.shanten_many(counts)),
            ("effective_tiles_many, 13 tiles", number, lambda: mjsim.effective_tiles_many(rest)),
            ("best_discards_many, 14 tiles", number, lambda: mjsim.best_discards_many(counts)),
            ("walls", number, lambda: mjsim.walls(SEED, 0, number)),
        ],
        runs,
        "/s",
    )


def table(title: str, measured: list[Measurement]) -> Table:
    """Medians with the lowest and highest run."""
    shown = Table(title=title, title_justify="left")
    for heading in ("what", "median", "lowest", "highest"):
        shown.add_column(heading, justify="left" if heading == "what" else "right")
    for each in measured:
        digits = ",.2f" if each.median < 100 else ",.0f"
        low, high = each.spread
        shown.add_row(each.name, f"{each.median:{digits}} {each.unit}", f"{low:{digits}}", f"{high:{digits}}")
    return shown


def main(
    number: Annotated[int, typer.Option("--deals", help="Deals of one timed call.")] = 200_000,
    runs: Annotated[int, typer.Option(help="Counted runs of each call.")] = 5,
    large: Annotated[
        int, typer.Option(help="Deals of the run whose memory is measured; 0 leaves it out.")
    ] = 10_000_000,
) -> None:
    """Measure, and print medians with their spread."""
    console = Console(width=110)
    with tempfile.TemporaryDirectory() as name, Progress(console=Console(stderr=True), transient=True) as progress:
        folder = Path(name)
        step = progress.add_task("deals", total=5)
        played = deals(number, runs, folder)
        progress.update(step, advance=1, description="hands")
        evaluated = hands(number, runs)
        progress.update(step, advance=1, description="start-up")
        started = [command(["--help"], runs, folder=folder)]
        progress.update(step, advance=1)
        small = ["simulate", "liuzhou", "--deals", "1000"]
        started.append(command(small, runs, folder=folder))
        progress.update(step, advance=1, description=f"a run of {large} deals")
        big = (
            [command(["simulate", "liuzhou", "--deals", str(large), "--out", "{run}"], 1, folder=folder)]
            if large
            else []
        )
    console.print(f"{machine()}; seed {SEED}, {number:,} deals a call, {runs} runs")
    console.print(table("Liuzhou with fishing, all columns", played))
    by_name = {each.name: each.median for each in played}
    one = by_name["fast, 1 thread, columns in memory"]
    console.print(f"two threads / one: {by_name['fast, 2 threads, columns in memory'] / one:.2f}")
    console.print(f"engine / plain Python twin, one thread: {one / by_name['plain Python twin of fast']:,.0f}")
    console.print(table("hands and walls, one thread", evaluated))
    console.print(table("whole commands", [part for pair in started + big for part in pair]))


if __name__ == "__main__":
    typer.run(main)
