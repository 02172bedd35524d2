"""Printing a sheet of results."""

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from analysis.display.render import Sheet
    from mjsim.cli.choices import Format, Lang


def print_sheet(sheet: "Sheet", format: "Format", lang: "Lang") -> None:
    """Print a sheet on standard output, coloured on a terminal."""
    from analysis.display.render import render, renderables

    print_in_form(format, lambda: renderables(sheet, lang), lambda: render(sheet, format, lang))


def print_in_form(format: "Format", parts: "Callable[[], Iterable[RenderableType]]", text: "Callable[[], str]") -> None:
    """Print on standard output: what is made for a terminal with colours, where there is one, else plain text."""
    if format == "table" and sys.stdout.isatty():
        from rich.console import Console

        console = Console(highlight=False)
        for part in parts():
            console.print(part)
    else:
        sys.stdout.write(text())
