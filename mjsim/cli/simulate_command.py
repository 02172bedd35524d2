"""The command ``mjsim simulate`` and its options."""

from typing import Annotated

import typer

from mjsim.cli.choices import PLAYERS
from mjsim.cli.options import (
    DealsOption,
    FishOption,
    FormatOption,
    LangOption,
    PlayersOption,
    RulesArgument,
    SeedOption,
    SessionOption,
    SetOption,
    ThreadsOption,
)


def simulate(
    rules: RulesArgument,
    deals: DealsOption,
    seed: SeedOption = 0,
    players: PlayersOption = PLAYERS,
    settings: SetOption = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="DIR|URL", help="Write a run folder, which must not exist, instead of a summary."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Play only what the run folder lacks, if it is there already.")
    ] = False,
    aggregate: Annotated[
        bool, typer.Option("--aggregate", help="Keep in the run folder what deals come to, not the deals.")
    ] = False,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="ADDRESS", help="Let the workers of a Dask scheduler play.")
    ] = None,
    threads: ThreadsOption = None,
    session: SessionOption = 1,
    fish: FishOption = 2,
    first: Annotated[int, typer.Option("--first", metavar="I", help="Index of the first deal.")] = 0,
    format: FormatOption = "table",
    lang: LangOption = "en",
) -> None:
    """Play deals; print their summary, or write them to a run folder.

    Ctrl-C keeps what is finished. The same ruleset, players, seed, session length and index make the same deal.
    """
    from mjsim.workers import Interrupts

    if resume and out is None:
        raise typer.BadParameter("goes on with a run folder: say which by --out", param_hint="--resume")
    if aggregate and out is None:
        raise typer.BadParameter("keeps counts in a run folder: say which by --out", param_hint="--aggregate")
    with Interrupts() as interrupts:  # from here on, as what is imported does not take Ctrl-C well
        from mjsim.cli import playing

        order = playing.Order(playing.plan_of(rules, settings, players, seed, session, fish), first, deals, threads)
        kept = playing.Keeping(out, resume=resume, aggregate=aggregate, cluster=cluster)
        raise typer.Exit(playing.play_order(order, kept, interrupts, format, lang))
