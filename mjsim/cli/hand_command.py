"""The command ``mjsim hand`` and its options."""

from pathlib import Path
from typing import Annotated

import typer

from mjsim.cli.choices import PLAYERS, Format, Lang


def hand(
    rules: Annotated[
        str, typer.Argument(metavar="RULES", help="A built-in ruleset's or a variant's name, or a TOML file.")
    ],
    tiles: Annotated[
        str,
        typer.Argument(metavar="TILES", help="The concealed tiles, as in 123m55p1z: 14 to discard from, 13 to wait."),
    ],
    melds: Annotated[
        list[str] | None,
        typer.Option("--melds", metavar="MELD[,MELD...]", help="Melds, as in 'pung 5m <1'; may be repeated."),
    ] = None,
    seen: Annotated[
        str, typer.Option("--seen", metavar="TILES", help="Tiles in view elsewhere: discards, others' melds.")
    ] = "",
    left: Annotated[
        int | None,
        typer.Option("--left", metavar="N", help="Live tiles left in the wall.", show_default="what is unseen allows"),
    ] = None,
    playouts: Annotated[
        int | None,
        typer.Option(
            "--playouts",
            metavar="N",
            help="Play each discard out so many times.",
            show_default="2000 where nothing is exact",
        ),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option("--players", metavar="P|P,P,P,P", help="Who plays out, as in simulate.", show_default=PLAYERS),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", help="Seed of the playouts, 0 to 2^64 - 1.", show_default="0")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the ruleset; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.html", help="Write a card instead of printing tables.")
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="How to print it.")] = "table",
    lang: Annotated[Lang, typer.Option("--lang", help="English or Chinese.")] = "en",
) -> None:
    """Say what to discard: shanten, effective tiles, chance to win and points of each discard.

    Near a win exactly, for a player alone with the unseen tiles; farther off, or with --playouts, by playing the deal
    out with four players, with intervals. A hand of 13 tiles waits for a draw: what each effective tile brings.
    """
    from mjsim.cli import hand as answers

    asked = answers.Asked(
        tiles=tiles, melds=melds or [], seen=seen, left=left, playouts=playouts, players=players, seed=seed
    )
    raise typer.Exit(answers.print_advice(rules, settings, asked, out, format, lang))
