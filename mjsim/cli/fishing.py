"""``mjsim fishing``: what fish are worth, from a run or from deals played for it."""

from typing import TYPE_CHECKING, Final

from mjsim.cli.counting import Counts
from mjsim.cli.playing import INTERRUPTED, KERNEL, Order, play_and_count
from mjsim.cli.progress import announce_compiling, say
from mjsim.cli.results import kept_of, reading, require_analysis
from mjsim.cli.sheets import print_sheet
from mjsim.dataset.run import open_run
from mjsim.errors import RulesError, RunError
from mjsim.workers import Interrupts

if TYPE_CHECKING:
    from analysis.counts.aggregate import Aggregate
    from mjsim.cli.choices import Format, Lang
    from mjsim.dataset.run import Manifest

#: Deals that are played unless the user says how many.
DEALS: Final = 1_000_000


def print_run(folder: str, format: "Format", lang: "Lang") -> None:
    """Print what fish were worth in a run."""
    require_analysis()
    from analysis.counts.counting import aggregate
    from analysis.fish.kinds import by_kind

    run = open_run(folder)
    if not run.rules.fishing.enabled:
        raise RunError(
            f"{run.folder}: its rules have fishing.enabled = false, so that there are no fish; choose another run"
        )
    with reading(run):
        if run.manifest.counts is not None:
            total = kept_of(run).total()
            found, kinds = total.counts, total.kinds
        else:
            found, kinds = aggregate(run.scan(), run.manifest.session_length), by_kind(run.scan())
    if kinds is None:
        raise RunError(f"{run.folder}: its counts say nothing of fish; play its deals again")
    _print(run.manifest, found, kinds, format, lang)


def print_order(order: Order, format: "Format", lang: "Lang") -> int:
    """Play deals and print what fish are worth, with a few pieces in memory at a time; returns the exit status."""
    rules = order.plan.rules
    if not rules.fishing.enabled:
        raise RulesError(
            f"{rules.name}: fishing.enabled is false, so that there are no fish; --set fishing.enabled=true allows them"
        )
    require_analysis()
    announce_compiling(KERNEL)
    counts = Counts(order.plan.session, with_kinds=True)
    with Interrupts() as interrupts:
        manifest = play_and_count(order, counts, interrupts)
        if manifest is None:
            say("interrupted before any deal was finished")
            return INTERRUPTED
        total = counts.kept().total()
        assert total.kinds is not None
        _print(manifest, total.counts, total.kinds, format, lang)
        if manifest.status == "complete":
            return 0
        say(f"interrupted: {counts.deals:,} of {order.deals:,} deals were finished; the numbers are of these")
        return INTERRUPTED


def _print(manifest: "Manifest", found: "Aggregate", kinds: "Aggregate", format: "Format", lang: "Lang") -> None:
    """Print the sheet of some deals, or say why there is nothing to say of their fish."""
    from analysis.fish.sheet import FishingSheet

    sheet = FishingSheet(manifest.model_dump(), found, kinds)
    if reason := sheet.lacking:
        raise RulesError(f"{reason}; take fish (--fish 1 or 2), or set fishing.reserve=all")
    print_sheet(sheet, format, lang)
