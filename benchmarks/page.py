"""``python -m benchmarks.page``: docs/speed.md and its figure from the newest results in benchmarks/history.

It also writes docs/cluster_limits.md (`benchmarks.cluster_page`) from the newest that have what this needs.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from benchmarks.limits import COIN, CYCLE, ROUND, STEADY
from benchmarks.machine import described
from benchmarks.measure import LESS_IS_BETTER

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "speed.md"
HISTORY: Final = Path(__file__).parent / "history"

#: What was counted, and what was timed of the same.
TIMED: Final = {
    "shanten": ("hands in play, incremental", "shanten"),
    "effective tiles": ("hands in play, incremental", "effective tiles, dealt hands"),
    "best discard, hands in play": ("hands in play, incremental", "best discard, hands in play"),
    "hand types of complete hands": ("hands in play, incremental", "hand types of complete hands"),
    "shanten from counts": ("hands from counts, batch", "shanten"),
    "wall": ("walls and twins", "walls, shuffled whole"),
    "deal of fast, liuzhou": ("deals, one thread, all columns in memory", "fast, liuzhou"),
    "deal of random, liuzhou": ("deals, one thread, all columns in memory", "random, liuzhou"),
    "deal of value, liuzhou": ("deals, one thread, all columns in memory", "value, liuzhou"),
}

#: The prototype's tasks, and what is compared with them.
COMPARED: Final = {
    "shanten, incremental": (("hands in play, incremental", "shanten"),),
    "complete-hand check, incremental": (("hands in play, incremental", "complete-hand check, dealt hands"),),
    "shanten from counts": (("hands from counts, batch", "shanten"),),
    "deals": tuple(
        ("deals, one thread, all columns in memory", f"fast, {rules}")
        for rules in ("liuzhou", "nanning_folk", "nanning_laiyouxi")
    ),
}
PROTOTYPE: Final = "prototype, for comparison"

INTRODUCTION = """# Speed

How fast mjsim is, how far from what the machine could do, and what stands between. `python -m benchmarks.page` wrote it
from `{source}`, which `make bench` measured on {date} with
version {version}.

{machine}.

Every number is the median of several runs, with the lowest and the highest beside it. Runs of different things take
turns, so that a machine that slows down does so for all of them; the first round does not count. *cpu* is processor
time of the measuring process, which other programs disturb little; *wall* is time that passed. Absolute numbers belong
to this machine and this hour: what carries over is ratios within one run.

pytest-benchmark and asv time functions too. Neither is used: pytest-benchmark runs one case to its end before the next,
so a machine that drifts shows as a difference between cases; asv builds an environment for each commit, and each case
would start a process of its own; neither measures start-up and peak memory of whole commands. What is needed of them,
the median of interleaved runs, is a page of code (`benchmarks/measure.py`).
"""

LIMITS = """## What limits each

Counted by valgrind, which simulates caches of this machine's sizes and a branch predictor, for one call of each kernel.
Its code is for AVX2, while what is timed uses whatever the processor has. A loop of eight independent chains of simple
instructions does {peak:.1f} of them a cycle here, and a mispredicted branch costs {penalty:.1f} ns: at that rate, with
these mispredictions and no load ever waited for, a call would take the time under *limit*.
"""

READING = """How to read it:

* **Shanten, effective tiles, best discard** are bound by instructions, and then by the second cache. The tables of
  shanten have 1.2 MB, so a few loads of each call miss the first cache and take {l2:.0f} ns; they do not wait for one
  another, so the processor has several on the way at once, and what is left of that wait is most of the distance to
  the limit. Hardly a branch is guessed wrong, because there are hardly any: choices are masks and selects
  (`mjsim/bits.py`). To be much faster needs tables that fit into the first cache, or wider vectors.
* **Batches from counts** add the reading of 34 bytes, eight at a time (`mjsim/hands/rows.py`), and a check of every
  hand.
* **A wall** is 36 blocks of Philox and 135 swaps within 136 bytes, each of which may wait for the last: instructions,
  and their order.
* **A deal** is bound by instructions, and by mispredicted branches: what happens next in a game is not predictable.
* **Memory traffic** limits none of them: at {copy:.0f} GB/s of copying, the row that the engine writes about a deal
  takes a few tens of nanoseconds. It is what the summary of a large run is made of: columns are read once, and counted.
"""

BESIDE = """A prototype of the deal loop, written to be measured and not to be read, was run in turns with it. It plays
by rules of its own, settles nothing and keeps eight bytes a deal; mjsim plays the rules in full and writes every
column. Its shanten knows no seven pairs, and its batch does not check the hands. The ratio is of speeds: above 1, mjsim
is faster.
"""


def value(found: dict[str, Any]) -> str:
    """A median with as many digits as it deserves.

    >>> value({"median": 3.14159, "unit": "ns"}), value({"median": 123456.7, "unit": "deals/s"})
    ('3.14 ns', '123 457 deals/s')
    """
    return f"{number(found['median'])} {found['unit']}"


def number(amount: float) -> str:
    """Three digits or more, groups of thousands apart."""
    digits = 0 if abs(amount) >= 100 else 1 if abs(amount) >= 10 else 2
    return f"{amount:,.{digits}f}".replace(",", " ")


def markdown(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table: the first column left, the others right."""
    columns = list(headings)
    lines = ["| " + " | ".join(columns) + " |", "| --- |" + " ---: |" * (len(columns) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def met(found: dict[str, Any]) -> bool:
    """Whether a target is reached."""
    median, target = found["median"], found["target"]
    return bool(median <= target if found["unit"] in LESS_IS_BETTER else median >= target)


class Results:
    """One file of results."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.results: list[dict[str, Any]] = record["results"]

    def find(self, group: str, name: str) -> dict[str, Any] | None:
        """A result by its group and name, if it was measured."""
        for each in self.results:
            if (each["group"], each["name"]) == (group, name):
                return each
        return None

    def limit(self, name: str) -> float:
        """What a loop of `benchmarks.limits` took."""
        found = self.find("limits of this machine", name)
        if found is None:
            raise ValueError(f"no result for {name}; measure everything, without --only")
        return float(found["median"])

    def targets(self) -> Iterator[str]:
        """What the project wants, and what it gets."""
        yield "## Targets\n"
        rows = [
            [
                f"{each['name']} ({each['group']})",
                value(each),
                f"{number(each['low'])}–{number(each['high'])}",
                number(each["target"]),
                "yes" if met(each) else "**no**",
            ]
            for each in self.results
            if each["target"] is not None
        ]
        yield markdown(["what", "median", "range", "target", "met"], rows)
        yield "![Each median over its target; left of the line is better](speed.svg)\n"

    def prototype(self) -> Iterator[str]:
        """Ratios to a prototype, if it was measured beside."""
        rows = []
        for name, ours in COMPARED.items():
            theirs = self.find(PROTOTYPE, name)
            for group, own in ours if theirs else ():
                mine = self.find(group, own)
                if theirs is None or mine is None:
                    continue
                better = theirs["median"] / mine["median"] if mine["unit"] in LESS_IS_BETTER else None
                ratio = better or mine["median"] / theirs["median"]
                rows.append([f"{own} ({group})", value(mine), value(theirs), f"{ratio:.2f}"])
        if rows:
            yield "## Beside a prototype\n"
            yield BESIDE
            yield markdown(["what", "mjsim", "prototype", "ratio of speeds"], rows)

    def limits(self) -> Iterator[str]:
        """Counts of instructions, misses and mispredictions, beside the time and the limit that they set."""
        counters = {each["name"]: each for each in self.record["counters"]}
        if not counters:
            return
        cycle = self.limit(CYCLE)
        peak = counters[ROUND]["instructions"] / (self.limit(ROUND) / cycle)
        # A coin is guessed wrong every other time.
        penalty = 2 * (self.limit(COIN) - self.limit(STEADY))
        yield LIMITS.format(peak=peak, penalty=penalty)
        rows = []
        for name, counted in counters.items():
            timed = self.find(*TIMED[name]) if name in TIMED else None
            if timed is None:
                continue
            taken = timed["median"] if timed["unit"] == "ns" else 1e9 / timed["median"]
            limit = counted["instructions"] / peak * cycle + counted["mispredicted"] * penalty
            rows.append(
                [
                    name,
                    *(number(counted[key]) for key in ("instructions", "loads", "first_cache_misses")),
                    number(counted["second_cache_misses"]),
                    number(counted["mispredicted"]),
                    f"{counted['instructions'] / (taken / cycle):.1f}",
                    f"{number(limit)} ns",
                    f"{number(taken)} ns",
                    f"{taken / limit:.2f}",
                ]
            )
        columns = "one call of|instructions|loads|miss L1|miss L2|mispredicted|a cycle|limit|time|time / limit"
        yield markdown(columns.split("|"), rows)
        yield READING.format(
            l2=self.limit("a load from 512 KB that waits for the last"), copy=self.limit("copying 64 MB")
        )

    def tables(self) -> Iterator[str]:
        """Everything measured."""
        yield "## Everything measured\n"
        for group in dict.fromkeys(each["group"] for each in self.results):
            found = [each for each in self.results if each["group"] == group]
            yield f"### {group[0].upper()}{group[1:]}\n"
            rows = [
                [each["name"], value(each), f"{number(each['low'])}–{number(each['high'])}", each["clock"]]
                for each in found
            ]
            yield markdown(["what", "median", "range", "clock"], rows)

    def page(self, source: str) -> str:
        """The whole page."""
        record = self.record
        introduction = INTRODUCTION.format(
            source=source, date=record["date"][:10], version=record["version"], machine=described(record["machine"])
        )
        parts = [introduction, *self.targets(), *self.prototype(), *self.limits(), *self.tables()]
        return "\n".join(parts)

    def draw(self, file: Path) -> None:
        """Every target as a bar: how much of it the median takes; left of the line is better."""
        from matplotlib.figure import Figure

        found = [each for each in self.results if each["target"] is not None]
        ratios = [
            each["median"] / each["target"] if each["unit"] in LESS_IS_BETTER else each["target"] / each["median"]
            for each in found
        ]
        figure = Figure(figsize=(9, 0.6 + 0.27 * len(found)), layout="constrained")
        axes = figure.subplots()
        colours = ["#2f6f9f" if ratio <= 1 else "#b5482f" for ratio in ratios]
        axes.barh(range(len(found)), ratios, color=colours, height=0.6)
        names = [each["name"] for each in found]
        labels = [
            f"{each['name']} ({each['group']})" if names.count(each["name"]) > 1 else each["name"] for each in found
        ]
        axes.set_yticks(range(len(found)), labels, fontsize=8)
        axes.invert_yaxis()
        axes.axvline(1, color="#333333", linewidth=1)
        axes.set_xlabel("time taken over time wanted; up to 1 the target is met", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(file, metadata={"Date": None})


def newest(history: Path) -> Path:
    """The newest file of results that holds everything."""
    files = sorted(history.glob("*.json"))
    whole = [
        file
        for file in files
        if not (record := json.loads(file.read_text(encoding="utf-8")))["quick"] and not record["only"]
    ]
    if not whole:
        raise FileNotFoundError(f"no complete results in {history.name}; run `make bench` first")
    return whole[-1]


def main(
    results: Annotated[Path | None, typer.Option(help="Results, instead of the newest in benchmarks/history.")] = None,
    out: Annotated[Path, typer.Option(help="The page; its figure goes beside it.")] = PAGE,
) -> None:
    """Write the page and its figure, and the page on clusters."""
    from benchmarks import cluster_page  # which makes its tables as this module does

    if results is None:
        cluster_page.main(results=None, out=cluster_page.PAGE)
    source = results or newest(HISTORY)
    found = Results(json.loads(source.read_text(encoding="utf-8")))
    out.write_text(found.page(f"benchmarks/history/{source.name}"), encoding="utf-8")
    found.draw(out.with_suffix(".svg"))
    print(f"{out.name}: from {source.name}")


if __name__ == "__main__":
    typer.run(main)
