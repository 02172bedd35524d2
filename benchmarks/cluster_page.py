"""``python -m benchmarks.cluster_page``: docs/cluster_limits.md and its figure, from results of the part cluster."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from benchmarks.cluster import MANY, ROWS, verifying
from benchmarks.cluster_model import bound, ends_by_deaths, replaying
from benchmarks.cluster_needs import DEALS, SHARDS, Limit, Needs
from benchmarks.cluster_words import (
    AFTER,
    BREAKS,
    BREAKS_DEALS,
    BYTES,
    COORDINATOR,
    DEATHS,
    FIGURE,
    HOURS,
    INTRODUCTION,
    MEASURED,
    NOT_KNOWN,
    count,
    hours,
    percent,
    size,
)
from benchmarks.machine import described
from benchmarks.page import HISTORY, ROOT, markdown, number

PAGE: Final = ROOT / "docs" / "cluster_limits.md"

#: Numbers of workers in the table, and in the figure.
WORKERS: Final = (2, 64, 1_000, 10_000)
DRAWN: Final = (1, 3, 10, 30, 100, 300, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 100_000)

#: How long a worker may live on average, in hours, and how long until another is in its place, in seconds.
LIVES: Final = (10, 100, 1_000)
ABSENCE: Final = 60.0

#: What is kept, and what it is called.
KEPT: Final = {"folder": "deals", "counts": "counts"}


class Page:
    """The page of one record."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.found: dict[str, Any] = record["cluster"]
        self.needs = Needs(self.found)

    def page(self, source: str) -> str:
        """The whole page."""
        parts = [
            INTRODUCTION.format(
                source=source,
                date=self.record["date"][:10],
                version=self.record["version"],
                machine=described(self.record["machine"]),
                answer=self.answer(),
            ),
            *self.measured(),
            *self.hours(),
            *self.bytes(),
            *self.breaks(),
            *self.deaths(),
            *self.after(),
            self.not_known(),
        ]
        return "\n".join(parts)

    def answer(self) -> str:
        """The page in a paragraph."""
        needs, workers = self.needs, WORKERS[2]
        broken = " ".join(
            f"Where {KEPT[kept]} are kept, what breaks first as workers are added is {first.what}, at {count(first.at)}"
            f" workers; second, {second.what}, at {count(second.at)}; third, {third.what}, at {count(third.at)}."
            for kept in KEPT
            for first, second, third in [needs.by_workers(kept)[:3]]
        )
        written = DEALS * needs.bytes_per_deal / (3600 * needs.hours("folder", workers))
        return (
            f"In short: {workers:,} workers would play them in {hours(needs.hours('counts', workers))} and keep"
            f" {size(self.found['counts']['file_bytes'])} of counts, or in {hours(needs.hours('folder', workers))} and"
            f" keep {size(DEALS * needs.bytes_per_deal)} of deals, if their folder takes {size(written)}/s. {broken}"
            " What stops a run first as deals are added:"
            f" {needs.by_deals()[0].what}, at {count(needs.by_deals()[0].at)} deals."
        )

    def measured(self) -> Iterator[str]:
        """Rates, and what the project asks of them."""
        found, needs = self.found, self.needs
        yield MEASURED.format(session=found["session"], few=found["few"])
        rows = []
        for kept, words in KEPT.items():
            threads, workers = (needs.rate(who, kept) for who in ("threads", "workers"))
            starts = [found["commands"][f"{who}, {kept}"] for who in ("threads", "workers")]
            rows.append(
                [
                    f"{words} ({starts[0]['deals']:,} played)",
                    *(f"{number(rate)} deals/s" for rate in (threads, workers)),
                    f"{workers / threads:.2f}",
                    *(f"{number(each['start'])} s" for each in starts),
                    f"{number(starts[1]['first_start'])} s",
                ]
            )
        headings = ["two threads", "two workers", "ratio", "start, threads", "start, workers", "first start, workers"]
        yield markdown(["kept", *headings], rows)
        yield markdown(["asked for", "target", "measured", "met"], self.targets())

    def targets(self) -> Iterator[list[str]]:
        """What the project asks for."""
        found, needs = self.found, self.needs
        ratio = needs.rate("workers", "folder") / needs.rate("threads", "folder")
        enough = needs.played >= MANY
        yield self.target(
            f"two workers' rate over two threads', at least {MANY:,} deals kept",
            "at least 0.9",
            f"{ratio:.2f}",
            ratio >= 0.9 and enough,
        )
        went, run = found["going_on"], found["commands"]["threads, folder"]["wall"]
        share = max(went["complete"] - went["few"], 0.0) / run
        yield self.target("checks before a run is gone on with", "under 1 % of the run", percent(share), share < 0.01)
        seconds = verifying(found, ROWS)
        yield self.target(f"`mjsim verify` of {ROWS:,} rows", "under 60 s", f"{number(seconds)} s", seconds < 60)
        small, large = found["verify"]
        times, more = large["deals"] / small["deals"], large["megabytes"] / small["megabytes"]
        yield self.target(
            f"its memory for {number(times)} times the rows", "the same, to a tenth", f"{more:.2f} times", more < 1.1
        )

    @staticmethod
    def target(what: str, wanted: str, found: str, is_met: bool) -> list[str]:
        """A line of that table."""
        return [what, wanted, found, "yes" if is_met else "**no**"]

    def hours(self) -> Iterator[str]:
        """Workers, hours, and the share of the time that they play."""
        needs = self.needs
        years = {kept: hours(SHARDS * needs.task(kept) / 3600) for kept in KEPT}
        yield HOURS.format(
            deals_rate=number(needs.rate("workers", "folder") / 2),
            counts_rate=number(needs.rate("workers", "counts") / 2),
            shards=SHARDS,
            deals_years=years["folder"],
            counts_years=years["counts"],
            deals_service=number(1 / needs.service("folder")),
            counts_service=number(1 / needs.service("counts")),
            crowds=" and with ".join(f"{workers} workers" for workers in self.crowds()),
        )
        rows = [
            [
                f"{workers:,}",
                *(
                    words
                    for kept in KEPT
                    for words in (hours(needs.hours(kept, workers)), percent(needs.efficiency(kept, workers)))
                ),
            ]
            for workers in WORKERS
        ]
        yield markdown(["workers", "deals kept", "they play", "counts kept", "they play"], rows)
        yield FIGURE

    def bytes(self) -> Iterator[str]:
        """What is kept and what is sent."""
        found, needs = self.found, self.needs
        yield BYTES
        counts = found["counts"]
        orders = found["order_bytes"]
        folder, summed = found["answer_bytes"], counts["answer_bytes"]
        rows = [
            ["kept", size(DEALS * needs.bytes_per_deal), size(counts["file_bytes"])],
            ["in files", f"{SHARDS:,} and `run.json` of {size(needs.at_shards('bytes', SHARDS))}", "2"],
            ["a deal", f"{needs.bytes_per_deal:.1f} bytes", "none"],
            ["a worker writes", f"{size(needs.bytes_per_deal * needs.rate('workers', 'folder') / 2)}/s", "none"],
            ["order and answer of a task", f"{size(orders)}, {size(folder)}", f"{size(orders)}, {size(summed)}"],
            ["orders and answers of all", size(SHARDS * (orders + folder)), size(SHARDS * (orders + summed))],
            [
                "memory where tasks are given out",
                self.memory(),
                f"{counts['megabytes']:,.0f} MB, a task's own deals too",
            ],
        ]
        yield markdown(["", "deals kept", "counts kept"], rows)
        yield (
            f"The counts are those of {counts['deals']:,} deals; of {counts['part_deals']:,} deals they have"
            f" {size(counts['part_file_bytes'])}. They grow as rare combinations come in, so 10^12 deals have more.\n"
        )

    def memory(self) -> str:
        """Of the process that records shards."""
        return f"{self.needs.at_shards('megabytes', SHARDS):,.0f} MB"

    def breaks(self) -> Iterator[str]:
        """What is met first, by workers and by deals."""
        yield BREAKS
        for kept, words in KEPT.items():
            headings = [f"{words} kept", "workers", "what stands behind it, and what helps"]
            yield _with_words(headings, _limits(self.needs.by_workers(kept)))
        deals = self.needs.by_deals()
        short = sum(each.at < DEALS for each in deals)
        yield BREAKS_DEALS.format(short=short or "none")
        yield _with_words(["", "deals", "what stands behind it, and what helps"], _limits(deals))
        rows = [
            [
                f"{each['shards']:,}",
                f"{number(1e3 * each['record'])} ms",
                f"{number(1e3 * each['finish'])} ms",
                f"{number(each['read'])} s",
                f"{number(each['going_on'])} s",
                size(each["bytes"]),
                f"{each['megabytes']:,.0f} MB",
            ]
            for each in self.found["shards"]
        ]
        yield (
            "What a number of shards costs was measured in run folders of files of one byte: to *record one* more, once"
            " many have been, to write `run.json` at the *end* of the run, to *read* it, and to *go on* with the run,"
            " which asks for every file.\n"
        )
        yield markdown(["shards", "record one", "end the run", "read", "going on", "`run.json`", "peak memory"], rows)

    def deaths(self) -> Iterator[str]:
        """What dying workers cost."""
        task = self.needs.task("folder")
        allowed = self.found["failures"]
        yield DEATHS.format(task=task, absence=ABSENCE, failures=allowed)
        rows = [
            [
                f"{life:,} hours",
                count(SHARDS * task / 3600 / life),
                percent(1 - replaying(task, 3600 * life, ABSENCE)),
                f"{ends_by_deaths(SHARDS, task, 3600 * life, allowed):.1g}",
            ]
            for life in LIVES
        ]
        headings = ["a worker lives on average", "deaths in the run", "time lost", "chance that one task ends the run"]
        yield markdown(headings, rows)
        yield COORDINATOR.format(saved=self.found["counts"]["tasks_a_save"])

    def after(self) -> Iterator[str]:
        """How long checking takes."""
        needs = self.needs
        yield AFTER
        small, large = self.found["verify"]
        verify, check = needs.verifying() * DEALS / 3600, needs.checking * SHARDS / 3600
        share = check / needs.hours("folder", WORKERS[2])
        went = self.found["going_on"]
        rows = [
            ["`mjsim verify`, all rows", f"{count(1 / needs.verifying())} rows/s", hours(verify)],
            ["`--resume`, all checksums", f"{number(1e3 * needs.checking)} ms a shard", hours(check)],
        ]
        yield markdown(["", "measured", "10^12 deals"], rows)
        yield (
            f"Verifying took {number(small['wall'])} s and {small['megabytes']:,.0f} MB for {small['deals']:,} rows,"
            f" {number(large['wall'])} s and {large['megabytes']:,.0f} MB for {large['deals']:,}. Going on with a run"
            f" whose last {self.found['last']:,} deals were missing took {number(went['missing'])} s, and playing these"
            f" alone {number(went['alone'])} s. Comparing all checksums is {percent(share)} of the run of"
            f" {WORKERS[2]:,} workers that keep deals; where counts are kept, it is one small file.\n"
        )

    def not_known(self) -> str:
        """What the numbers leave out."""
        most = self.found["shards"][-1]["shards"]
        files = (
            f"{most:,} were made and asked for, on one disk; a shared folder may have a limit of its own"
            if most >= SHARDS
            else f"{SHARDS:,} are needed, and only {most:,} were tried"
        )
        crowd = max(self.crowds())
        return NOT_KNOWN.format(played=self.needs.played, crowd=crowd, files=files)

    def crowds(self) -> list[int]:
        """How many workers were given tasks that do nothing."""
        return sorted({each["workers"] for each in self.found["tasks"]})

    def draw(self, file: Path) -> None:
        """Simulated shares as dots, what no order of events can exceed as lines."""
        import numpy as np
        from matplotlib.figure import Figure

        smooth = np.geomspace(DRAWN[0], DRAWN[-1], 201).round().astype(int).tolist()
        figure = Figure(figsize=(7.5, 3.6), layout="constrained")
        axes = figure.subplots()
        for kept, colour in zip(KEPT, ("#2f6f9f", "#b5482f"), strict=True):
            highest = [100 * bound(self.needs.farm(kept, workers)) for workers in smooth]
            axes.plot(smooth, highest, color=colour, linewidth=1)
            shares = [100 * self.needs.efficiency(kept, workers) for workers in DRAWN]
            axes.plot(DRAWN, shares, "o", color=colour, markersize=4, label=f"{KEPT[kept]} kept")
        axes.set_xscale("log")
        axes.set_ylim(0, 105)
        axes.set_xlabel("workers", fontsize=9)
        axes.set_ylabel("of their time they play, %", fontsize=9)
        axes.legend(frameon=False, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(file, metadata={"Date": None})


def _with_words(headings: list[str], rows: Iterator[list[str]]) -> str:
    """A table whose last column is words."""
    return markdown(headings, rows).replace(" ---: |\n", " --- |\n", 1)


def _limits(limits: list[Limit]) -> Iterator[list[str]]:
    for place, limit in enumerate(limits, start=1):
        yield [f"{place}. {limit.what}", count(limit.at), limit.behind]


def newest(history: Path) -> Path:
    """The newest file of results that has the part ``cluster`` in full."""
    files = {file: json.loads(file.read_text(encoding="utf-8")) for file in sorted(history.glob("*.json"))}
    whole = [file for file, record in files.items() if record.get("cluster") and not record["quick"]]
    if not whole:
        raise FileNotFoundError(f"no results of the part cluster in {history.name}; run `make bench` first")
    return max(whole, key=lambda file: (files[file]["date"], file.name))


def main(
    results: Annotated[Path | None, typer.Option(help="Results, instead of the newest in benchmarks/history.")] = None,
    out: Annotated[Path, typer.Option(help="The page; its figure goes beside it.")] = PAGE,
) -> None:
    """Write the page and its figure."""
    source = results or newest(HISTORY)
    page = Page(json.loads(source.read_text(encoding="utf-8")))
    out.write_text(page.page(f"benchmarks/history/{source.name}"), encoding="utf-8")
    page.draw(out.with_suffix(".svg"))
    print(f"{out.name}: from {source.name}")


if __name__ == "__main__":
    typer.run(main)
