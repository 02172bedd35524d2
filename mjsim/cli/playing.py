"""Playing deals: many into a run folder or a summary, or one to be shown."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mjsim.cli.progress import announce_compiling, deal_progress, say, typed_command
from mjsim.dataset.run import open_run, refuse_existing
from mjsim.engine import Engine, Plan, check_deals
from mjsim.players import players_for_seats
from mjsim.rules import builtin_names, load_rules, parse_settings, variant_names
from mjsim.simulation import CHUNK_DEALS, manifest_of, play_shards, simulate_to_folder
from mjsim.workers import Interrupts, check_threads

if TYPE_CHECKING:
    from mjsim.cli.choices import Format, Lang
    from mjsim.cli.results import Counts
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
        check_deals(self.first, self.deals)
        check_threads(self.threads, CHUNK_DEALS)


def plan_of(rules: str, settings: list[str] | None, players: str, seed: int, session: int, fish: int) -> Plan:
    """The plan that a command's options describe."""
    return Plan(load_rules(rules, **parse_settings(settings or [])), players_for_seats(players), seed, session, fish)


def write_run(order: Order, folder: Path) -> int:
    """Play deals into a run folder; returns the exit status."""
    refuse_existing(folder)
    announce_compiling(KERNEL)
    with Interrupts() as interrupts:
        try:
            with deal_progress(order.deals) as report:
                manifest = simulate_to_folder(
                    order.plan,
                    folder,
                    first=order.first,
                    deals=order.deals,
                    threads=order.threads,
                    command=typed_command(),
                    progress=report,
                    interrupts=interrupts,
                )
        except KeyboardInterrupt:
            return _say_nothing_was_finished()
        size = sum(shard.bytes for shard in manifest.shards) / 1e6
        rules = order.plan.rules.name
        print(f"{folder}: {manifest.deals:,} deals of {rules}, seed {order.plan.seed}, {size:,.1f} MB")
        if manifest.status == "complete":
            return 0
        say(f"interrupted: {manifest.deals:,} of {order.deals:,} deals were finished and are kept in {folder}")
        return _interrupted()


def play_and_count(order: Order, counts: "Counts", interrupts: Interrupts) -> "Manifest | None":
    """Play deals and count them, one shard in memory at a time; says what was played, None if no deal was finished."""
    with deal_progress(order.deals) as report:
        played = play_shards(
            Engine(order.plan), order.first, order.deals, interrupts, threads=order.threads, progress=report
        )
        for _, columns in played:
            counts.add(columns)
    if not counts.deals:
        return None
    return manifest_of(order.plan, order.first, counts.deals, counts.deals < order.deals, "", [])


def print_summary(order: Order, format: "Format", lang: "Lang") -> int:
    """Play deals and print their summary, with one shard in memory at a time; returns the exit status."""
    from mjsim.cli import results
    from mjsim.cli.sheets import print_sheet

    results.require_analysis()
    announce_compiling(KERNEL)
    counts = results.Counts(order.plan.session)
    with Interrupts() as interrupts:
        manifest = play_and_count(order, counts, interrupts)
        if manifest is None:
            return _say_nothing_was_finished()
        print_sheet(counts.summary(manifest), format, lang)
        if manifest.status == "complete":
            return 0
        say(f"interrupted: {counts.deals:,} of {order.deals:,} deals were finished; the summary is of these")
        return _interrupted()


def _say_nothing_was_finished() -> int:
    say("interrupted before any deal was finished; nothing is kept")
    return _interrupted()


def _interrupted() -> int:
    """The exit status of an interrupted command; nothing may interrupt its last steps."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    return INTERRUPTED


def is_run(source: str) -> bool:
    """Whether an argument names a run folder rather than a ruleset."""
    return source not in (*builtin_names(), *variant_names()) and os.path.isdir(source)


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
