"""``mjsim report``: a run's page, for which other players play the run's walls too."""

from pathlib import Path
from typing import TYPE_CHECKING

from mjsim.cli.playing import INTERRUPTED, KERNEL
from mjsim.cli.progress import announce_compiling, deal_progress, say
from mjsim.cli.results import reading, refuse_unwritable, require_report, write_report
from mjsim.dataset.run import RESULTS_VERSION, Run, open_run
from mjsim.errors import RunError
from mjsim.players import BUILTIN
from mjsim.simulation import simulate
from mjsim.workers import Interrupts

if TYPE_CHECKING:
    import polars as pl

    from analysis.skill.by_player import ByPlayer
    from mjsim.cli.choices import Lang, ReportFormat


def report_run(folder: str, out: Path, lang: "Lang", format: "ReportFormat", by_player: int | None) -> int:
    """Write the report of a run folder; returns the exit status.

    Parameters
    ----------
    folder : str
        The run.
    out : pathlib.Path
        The file.
    lang : {"en", "zh"}
    format : {"html", "json", "csv", "md"}
    by_player : int or None
        How many of the run's deals other players play too; 0 for none, None for the usual number.
    """
    refuse_unwritable(out)
    if format == "html":
        require_report()
    run = open_run(folder)
    players = None
    if _others_play(run, by_player):
        players = _by_player(run, by_player)
        if players is None:
            say(f"interrupted before the other players had played; {out} is not written (--by-player 0 needs none)")
            return INTERRUPTED
    write_report(run, out, lang, format, players)
    print(f"{out}: report of {run.folder}")
    return 0


def _others_play(run: Run, by_player: int | None) -> bool:
    """Whether other players are to play; refuses what they cannot, where it was asked for, and says why not else."""
    deals, version = run.manifest.deals, run.manifest.results_version
    if by_player is None:
        if version != RESULTS_VERSION:
            say(
                f"{run.folder}: results_version {version}; this mjsim plays version {RESULTS_VERSION}, so that other"
                " players would not play the same walls; the report says nothing of them"
            )
            return False
        return _own_deals_are_known(run)
    if not 0 <= by_player <= deals:
        raise RunError(f"--by-player {by_player}: must be 0 to {deals}, the deals of {run.folder}")
    return by_player > 0 and _own_deals_are_known(run)


def _own_deals_are_known(run: Run) -> bool:
    """Whether the run's own deals are there, or can be played again; says so where they cannot."""
    if run.manifest.counts is None or all(
        each.name in BUILTIN and BUILTIN[each.name].source_hash == each.source_hash for each in run.manifest.players
    ):
        return True
    say(
        f"{run.folder}: keeps counts and no deals, and its players are not built in, so that its deals cannot be"
        " compared with those of other players; the report says nothing of these"
    )
    return False


def _own(run: Run, deals: int) -> "pl.LazyFrame | pl.DataFrame":
    """The run's own deals; where it keeps none, the first of them played again."""
    if run.manifest.counts is None:
        return run.scan()
    made = run.manifest
    names = [each.name for each in made.players]
    again = simulate(
        run.rules,
        deals=deals,
        seed=made.seed,
        players=names,
        first=made.first,
        session=made.session_length,
        fish=made.fish,
    )
    return again.to_polars()


def _by_player(run: Run, deals: int | None) -> "ByPlayer | None":
    """What other players make of the run's walls; None after an interrupt."""
    from analysis.skill.other_players import by_player, deals_to_play, usual_deals

    manifest = run.manifest.model_dump()
    chosen = usual_deals(run.manifest.deals) if deals is None else deals
    announce_compiling(KERNEL)
    with Interrupts() as interrupts:
        try:
            with reading(run), deal_progress(deals_to_play(manifest, chosen)) as report:
                return by_player(_own(run, chosen), manifest, deals=chosen, progress=report, interrupts=interrupts)
        except KeyboardInterrupt:
            return None
