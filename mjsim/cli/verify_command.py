"""The command ``mjsim verify`` and its options."""

from typing import Annotated

import typer

from mjsim.cli.choices import Format, Lang
from mjsim.cli.options import RunArgument


def verify(
    run: RunArgument,
    threads: Annotated[
        int | None,
        typer.Option("--threads", metavar="T", help="Shards checked at once.", show_default="up to 4"),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="How to print it.")] = "table",
    lang: Annotated[Lang, typer.Option("--lang", help="English or Chinese.")] = "en",
) -> None:
    """Check a run from end to end: run.json, every shard's checksum, and what must hold in every row.

    Ends with the first thing that is wrong and status 1, or with a table of what was checked.
    """
    from mjsim.cli import verifying

    verifying.print_checked(run, threads, format, lang)
