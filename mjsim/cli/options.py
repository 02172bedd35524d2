"""Options that several commands have."""

from typing import Annotated

import typer

from mjsim.cli.choices import Format, Lang

RulesArgument = Annotated[
    str, typer.Argument(metavar="RULES", help="A built-in ruleset's or a variant's name, or a TOML file.")
]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run folder that `mjsim simulate --out` wrote.")]
DealsOption = Annotated[int, typer.Option("--deals", metavar="N", help="How many deals.", show_default=False)]
SeedOption = Annotated[int, typer.Option("--seed", metavar="S", help="Seed, 0 to 2^64 - 1.")]
PlayersOption = Annotated[
    str,
    typer.Option("--players", metavar="P|P,P,P,P", help="Who plays: one name for all seats, or four, by seat."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the ruleset; may be repeated."),
]
SessionOption = Annotated[
    int, typer.Option("--session", metavar="L", help="Deals in a session; the rules say who deals the next.")
]
FishOption = Annotated[int, typer.Option("--fish", metavar="N", help="Fish labels that built-in players take, 0 to 2.")]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", metavar="T", help="Worker threads; do not change the results.", show_default="all"),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print it.")]
LangOption = Annotated[Lang, typer.Option("--lang", help="English or Chinese.")]
