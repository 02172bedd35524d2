"""``mjsim fishing``: what fish are worth, from a run or from deals played for it."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from mjsim.cli.playing import INTERRUPTED, KERNEL, Order, play_and_count
from mjsim.cli.progress import announce_compiling, say
from mjsim.cli.results import Counts, reading, require_analysis
from mjsim.cli.sheets import print_sheet
from mjsim.dataset.run import open_run
from mjsim.errors import RulesError, RunError
from mjsim.workers import Interrupts

if TYPE_CHECKING:
    import polars as pl

    from analysis.counts.aggregate import Aggregate
    from mjsim.cli.choices import Format, Lang
    from mjsim.dataset.run import Manifest

#: Deals that are played unless the user says how many.
DEALS: Final = 1_000_000


class FishCounts(Counts):
    """What fish need of deals that are played shard by shard: the counts of a summary, and tiles by their kind."""

    def __init__(self, session_length: int = 1) -> None:
        super().__init__(session_length)
        self._kinds: Aggregate | None = None

    def count_frame(self, frame: "pl.DataFrame") -> None:
        """Count some deals."""
        from analysis.fish.kinds import by_kind

        super().count_frame(frame)
        kinds = by_kind(frame)
        self._kinds = kinds if self._kinds is None else self._kinds + kinds

    def kinds(self) -> "Aggregate":
        """The reserved tiles by kind, of all deals counted."""
        assert self._kinds is not None
        return self._kinds


def print_run(folder: Path, format: "Format", lang: "Lang") -> None:
    """Print what fish were worth in a run."""
    require_analysis()
    from analysis.counts.counting import aggregate
    from analysis.fish.kinds import by_kind

    run = open_run(folder)
    if not run.rules.fishing.enabled:
        raise RunError(
            f"{folder}: its rules have fishing.enabled = false, so that there are no fish; choose another run"
        )
    with reading(run):
        found, kinds = aggregate(run.scan(), run.manifest.session_length), by_kind(run.scan())
    _print(run.manifest, found, kinds, format, lang)


def print_order(order: Order, format: "Format", lang: "Lang") -> int:
    """Play deals and print what fish are worth in them, with one shard in memory at a time; returns the exit status."""
    rules = order.plan.rules
    if not rules.fishing.enabled:
        raise RulesError(
            f"{rules.name}: fishing.enabled is false, so that there are no fish; --set fishing.enabled=true allows them"
        )
    require_analysis()
    announce_compiling(KERNEL)
    counts = FishCounts(order.plan.session)
    with Interrupts() as interrupts:
        manifest = play_and_count(order, counts, interrupts)
        if manifest is None:
            say("interrupted before any deal was finished")
            return INTERRUPTED
        _print(manifest, counts.total(), counts.kinds(), format, lang)
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
