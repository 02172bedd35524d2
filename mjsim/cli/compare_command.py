"""The command ``mjsim compare`` and its options."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mjsim.cli.choices import PLAYERS, Format, Lang

BaseArgument = Annotated[
    str, typer.Argument(metavar="BASE", help="The ruleset that the others are held against, by name or file.")
]
VariantsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[VARIANT...]", help="Rulesets by name or file, or KEY=VALUE[,KEY=VALUE...]: BASE with these set."
    ),
]
DealsOption = Annotated[
    int | None, typer.Option("--deals", metavar="N", help="How many deals of each ruleset.", show_default=False)
]
SeedOption = Annotated[int | None, typer.Option("--seed", metavar="S", help="Seed, 0 to 2^64 - 1.", show_default="0")]
PlayersOption = Annotated[
    str | None, typer.Option("--players", metavar="P|P,P,P,P", help="Who plays, as in simulate.", show_default=PLAYERS)
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key of every ruleset; may be repeated."),
]
MarginOption = Annotated[
    list[str] | None,
    typer.Option("--margin", metavar="METRIC=VALUE", help="A smaller change does not matter; may be repeated."),
]
UntilOption = Annotated[
    bool, typer.Option("--until-decided", help="Play on until every metric is decided; N is for the first look.")
]
MostOption = Annotated[
    int | None,
    typer.Option("--max-deals", metavar="N", help="Where --until-decided gives up.", show_default="10000000"),
]
SensitivityOption = Annotated[bool, typer.Option("--sensitivity", help="Also switch each option of BASE alone.")]
SessionOption = Annotated[
    int | None, typer.Option("--session", metavar="L", help="Deals in a session.", show_default="1")
]
FishOption = Annotated[
    int | None, typer.Option("--fish", metavar="N", help="Fish labels of built-in players.", show_default="2")
]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", metavar="T", help="Worker threads; do not change the results.", show_default="all"),
]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE.html", help="Write a page instead of printing tables.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print it.")]
LangOption = Annotated[Lang, typer.Option("--lang", help="English or Chinese.")]


def compare(
    base: BaseArgument,
    variants: VariantsArgument = None,
    deals: DealsOption = None,
    seed: SeedOption = None,
    players: PlayersOption = None,
    settings: SetOption = None,
    margin: MarginOption = None,
    until_decided: UntilOption = False,
    max_deals: MostOption = None,
    sensitivity: SensitivityOption = False,
    session: SessionOption = None,
    fish: FishOption = None,
    threads: ThreadsOption = None,
    out: OutOption = None,
    format: FormatOption = "table",
    lang: LangOption = "en",
) -> None:
    """Play the same walls under a ruleset and its variants; say what the variants change, and what they do not.

    Every difference is paired on its walls, has an interval, and is judged against a margin of practical equivalence.
    Run folders that were played on the same walls are compared as they are. Ctrl-C keeps what all rulesets finished.
    """
    from mjsim.cli import comparing, results
    from mjsim.dataset.storage import without_secrets

    given = {"--deals": deals, "--seed": seed, "--players": players, "--set": settings, "--max-deals": max_deals}
    given |= {"--session": session, "--fish": fish, "--threads": threads}
    given |= {"--until-decided": until_decided or None, "--sensitivity": sensitivity or None}
    sources = [base, *(variants or [])]
    if out is not None:
        results.require_report()
        results.refuse_unwritable(out)
    if comparing.are_runs(sources):
        _refuse(given, f"{without_secrets(base)} is a run, which brings its own deals")
        comparison, status = comparing.compare_runs(sources, margin or [])
    else:
        if deals is None and not until_decided:
            raise typer.BadParameter("say how many deals of each ruleset", param_hint="--deals")
        if not until_decided:
            _refuse({"--max-deals": max_deals}, "is for --until-decided")
        options = comparing.Options(
            deals=comparing.FIRST_LOOK if deals is None else deals,
            most=(comparing.MOST_DEALS if max_deals is None else max_deals) if until_decided else None,
            seed=seed or 0,
            players=PLAYERS if players is None else players,
            settings=settings or [],
            margins=margin or [],
            sensitivity=sensitivity,
            session=1 if session is None else session,
            fish=2 if fish is None else fish,
            threads=threads,
        )
        comparison, status = comparing.compare_rulesets(sources, options)
    if comparison is not None:
        comparing.show(comparison, out, format, lang)
    raise typer.Exit(status)


def _refuse(given: dict[str, Any], reason: str) -> None:
    """Refuse options that make no sense here, where any was given."""
    for option, value in given.items():
        if value is not None:
            raise typer.BadParameter(reason, param_hint=option)
