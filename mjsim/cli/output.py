"""Plain tables in the four forms that commands print."""

import csv
import json
import sys
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mjsim.rules.check import printable

if TYPE_CHECKING:
    from mjsim.cli.choices import Format

#: Wide enough for any table; files and pipes have no edge to fold at.
UNFOLDED = 1000


def print_rows(keys: Sequence[str], headings: Sequence[str], rows: Sequence[Sequence[Any]], format: "Format") -> None:
    """Print rows of plain values: as objects with these keys, as CSV with them, or as a table with headings."""
    match format:
        case "json":
            print(json.dumps([dict(zip(keys, row, strict=True)) for row in rows], ensure_ascii=False, indent=1))
        case "csv":
            csv.writer(sys.stdout, lineterminator="\n").writerows([keys, *rows])
        case "md":
            print("| " + " | ".join(headings) + " |")
            print("|" + "---|" * len(headings))
            for row in rows:
                print("| " + " | ".join(_cell(value).replace("|", "\\|") for value in row) + " |")
        case "table":
            _print_table(headings, rows)


def _print_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, heading in enumerate(headings):
        numbers = bool(rows) and all(isinstance(row[index], int) for row in rows)
        table.add_column(Text(heading), justify="right" if numbers else "left")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=UNFOLDED)
    with console.capture() as capture:
        console.print(table)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()).strip("\n"))


def _cell(value: object) -> str:
    # A terminal would obey control characters; Chinese text may hold wide spaces.
    text = "" if value is None else str(value).replace("\n", " ")
    return "".join(each if unicodedata.category(each) == "Zs" else printable(each) for each in text)
