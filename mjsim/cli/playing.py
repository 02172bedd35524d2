"""Playing deals: many into a run folder or a summary, or one to be shown."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from mjsim.cli.progress import announce_compiling, deal_progress, say, typed_command
from mjsim.dataset.run import open_run
from mjsim.dataset.storage import is_url, storage_at
from mjsim.dataset.writer import refuse_existing
from mjsim.elsewhere import Workers
from mjsim.engine import Plan, check_deals
from mjsim.players import players_for_seats
from mjsim.ranges import CHUNK_DEALS
from mjsim.rules import builtin_names, load_rules, parse_settings, variant_names
from mjsim.simulation import manifest_of, simulate_to_folder
from mjsim.workers import Interrupts, check_threads

if TYPE_CHECKING:
    from mjsim.cli.choices import Format, Lang
    from mjsim.cli.counting import Counts
    from mjsim.dataset.run import Manifest
    from mjsim.transcript.events import Replay

INTERRUPTED: Final = 130
KERNEL: Final = "engine.play_rows"


@dataclass(frozen=True)
class Order:
    """Which deals of a plan to play, and on how many threads; refuses what cannot be."""

    plan: Plan
    first: int
    deals: int
    threads: int | None

    def __post_init__(self) -> None:
        check_deals(self.first, self.deals, self.plan.session)
        check_threads(self.threads, CHUNK_DEALS)


def plan_of(rules: str, settings: list[str] | None, players: str, seed: int, session: int, fish: int) -> Plan:
    """The plan that a command's options describe."""
    return Plan(load_rules(rules, **parse_settings(settings or [])), players_for_seats(players), seed, session, fish)


@dataclass(frozen=True)
class Keeping:
    """Where deals are played and what is kept of them.

    Attributes
    ----------
    out : str or None
        A run folder or a URL; None: a summary is printed.
    resume : bool
        Whether to go on with the folder.
    aggregate : bool
        Whether the folder keeps counts in place of deals.
    cluster : str or None
        Address of a Dask scheduler; None: this machine.
    """

    out: str | None
    resume: bool
    aggregate: bool
    cluster: str | None


def play_order(order: Order, keeping: Keeping, interrupts: Interrupts, format: "Format", lang: "Lang") -> int:
    """Play deals and keep or print what is asked for; returns the exit status."""
    from mjsim.cli import counting
    from mjsim.cli.cluster import workers_at

    with nullcontext() if keeping.cluster is None else workers_at(keeping.cluster, order.threads) as workers:
        if keeping.out is None:
            return print_summary(order, interrupts, format, lang, workers=workers)
        write = counting.write_counts if keeping.aggregate else write_run
        return write(order, keeping.out, interrupts, resume=keeping.resume, workers=workers)


def write_run(
    order: Order, folder: str, interrupts: Interrupts, *, resume: bool = False, workers: Workers | None = None
) -> int:
    """Play deals into a run folder, or what is missing there; returns the exit status."""
    storage = storage_at(folder)
    if not resume:
        refuse_existing(storage)
    if workers is None:
        announce_compiling(KERNEL)
    try:
        with deal_progress(order.deals) as report:
            manifest = simulate_to_folder(
                order.plan,
                storage,
                first=order.first,
                deals=order.deals,
                threads=order.threads,
                command=typed_command(),
                progress=report,
                interrupts=interrupts,
                resume=resume,
                notice=say,
                executor=workers,
            )
    except KeyboardInterrupt:
        if storage.exists():  # as it was, while its checksums were looked at
            say(f"interrupted before any deal was played; nothing has changed in {storage}")
            return interrupted()
        return say_nothing_was_finished()
    size = sum(shard.bytes for shard in manifest.shards) / 1e6
    rules = order.plan.rules.name
    print(f"{storage}: {manifest.deals:,} deals of {rules}, seed {order.plan.seed}, {size:,.1f} MB")
    if manifest.status == "complete":
        return 0
    say(f"interrupted: {manifest.deals:,} of {order.deals:,} deals were finished and are kept in {storage}")
    return interrupted()


def play_and_count(
    order: Order, counts: "Counts", interrupts: Interrupts, workers: Workers | None = None
) -> "Manifest | None":
    """Play deals and count them, a few pieces in memory at a time; returns what was played, if any was."""
    from mjsim.cli.counting import count_on

    count_on(order, counts, interrupts, workers)
    if not counts.deals:
        return None
    return manifest_of(order.plan, order.first, counts.deals, counts.deals < order.deals, "", [])


def print_summary(
    order: Order, interrupts: Interrupts, format: "Format", lang: "Lang", *, workers: Workers | None = None
) -> int:
    """Play deals and print their summary, with a few pieces in memory at a time; returns the exit status."""
    from mjsim.cli import counting, results
    from mjsim.cli.sheets import print_sheet

    results.require_analysis()
    if workers is None:
        announce_compiling(KERNEL)
    counts = counting.Counts(order.plan.session)
    with ThreadPoolExecutor(1) as meanwhile:
        # Threads that play leave this one nothing to do; what goes wrong there goes wrong again where it is used.
        meanwhile.submit(import_module, "analysis.answers.summary")
        manifest = play_and_count(order, counts, interrupts, workers)
    if manifest is None:
        return say_nothing_was_finished()
    print_sheet(counts.summary(manifest), format, lang)
    if manifest.status == "complete":
        return 0
    say(f"interrupted: {counts.deals:,} of {order.deals:,} deals were finished; the summary is of these")
    return interrupted()


def say_nothing_was_finished() -> int:
    """Say that an interrupt came too early to keep anything; returns the exit status."""
    say("interrupted before any deal was finished; nothing is kept")
    return interrupted()


def interrupted() -> int:
    """The exit status of an interrupted command; nothing may interrupt its last steps."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    return INTERRUPTED


def is_run(source: str) -> bool:
    """Whether an argument names a run folder, by a path or URL, rather than a ruleset."""
    return source not in (*builtin_names(), *variant_names()) and (is_url(source) or os.path.isdir(source))


def print_deal_of_run(folder: str, deal: int, *, json: bool, lang: "Lang") -> None:
    """Show one deal of a run."""
    from mjsim.transcript.events import replay

    run = open_run(folder)
    announce_compiling(KERNEL)
    _print_replay(replay(run, deal=deal), json=json, lang=lang)


def print_deal(plan: Plan, deal: int, *, json: bool, lang: "Lang") -> None:
    """Show one deal of a plan."""
    from mjsim.transcript.events import Replayer

    check_deals(deal, 1)
    announce_compiling(KERNEL)
    _print_replay(Replayer(plan).show(deal), json=json, lang=lang)


def _print_replay(shown: "Replay", *, json: bool, lang: "Lang") -> None:
    from json import dumps

    if json:
        for event in shown.events:
            print(dumps(event, ensure_ascii=False))
    else:
        print(shown.text(lang).rstrip("\n"))
