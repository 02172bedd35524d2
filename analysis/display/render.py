"""A sheet of results, whatever it is about: a heading, warnings, findings, tables; shown in four forms."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from analysis.display.tables import Row, Table, footnotes, headings, shown_cells
from analysis.display.text import Lang
from analysis.estimates.intervals import Interval

if TYPE_CHECKING:
    from rich.console import RenderableType

Format = Literal["table", "json", "csv", "md"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

#: Fields of the CSV: one line for each cell.
CSV_FIELDS: Final = ("table", "row", "column", "value", "low", "high", "method", "few")


class Sheet(Protocol):
    """What can be shown."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in the order in which they are read."""

    def heading(self, lang: Lang) -> str:
        """What it is about, in one line."""

    def warnings(self, lang: Lang) -> list[str]:
        """What a reader must know before the numbers."""

    def findings(self, lang: Lang) -> list[str]:
        """What matters most, as sentences with their numbers and intervals."""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""


def render(sheet: Sheet, format: Format = "table", lang: Lang = "en", width: int = 100) -> str:
    """A sheet as text.

    Parameters
    ----------
    sheet : Sheet
        What to show.
    format : {"table", "json", "csv", "md"}
        Tables for a terminal; one JSON object; CSV with one line for each number; Markdown.
    lang : {"en", "zh"}
        Language of headings and sentences; JSON and CSV have the same keys in both.
    width : int
        Columns of the terminal, for ``table``.

    Returns
    -------
    str
        The text, ending in a newline.
    """
    match format:
        case "json":
            return as_json(sheet.to_dict() | {"findings": sheet.findings(lang)})
        case "csv":
            return _csv(sheet)
        case "md":
            return _markdown(sheet, lang)
        case "table":
            return printed(renderables(sheet, lang), width)


def renderables(sheet: Sheet, lang: Lang = "en") -> "list[RenderableType]":
    """A sheet as rich renderables: heading, warnings, findings, then one table each, with its note."""
    from rich.text import Text

    from analysis.display.terminal import Finding, FittedTable

    parts: list[RenderableType] = [Text(sheet.heading(lang), style="bold")]
    parts += [Text(warning, style="bold red") for warning in sheet.warnings(lang)]
    parts += [Finding(finding) for finding in sheet.findings(lang)]
    for table in sheet.tables:
        parts.append(FittedTable(table, lang))
        if table.note is not None:
            parts += [Text(table.note.say(lang), style="dim"), Text()]
    return parts


def as_json(data: Mapping[str, Any]) -> str:
    """Numbers and texts as JSON."""
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def printed(parts: "Iterable[RenderableType]", width: int) -> str:
    """What rich prints on a terminal of so many columns, without colours."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, highlight=False)
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _csv(sheet: Sheet) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_FIELDS)
    for table in sheet.tables:
        for row in table.rows:
            writer.writerows(_csv_lines(table, row))
    return out.getvalue()


def _csv_lines(table: Table, row: Row) -> list[tuple[object, ...]]:
    """A row's cells, one line each; what is unknown is empty."""
    lines: list[tuple[object, ...]] = []
    for column, cell in zip(table.columns, row.cells, strict=True):
        if column.kind == "one_in":  # the same as the share beside it
            continue
        if isinstance(cell, Interval):
            ends = (cell.estimate, cell.low, cell.high, cell.method, int(cell.few))
            lines.append((table.key, row.key, column.key, *ends))
        else:
            lines.append((table.key, row.key, column.key, cell, None, None, None, None))
    return lines


def _markdown(sheet: Sheet, lang: Lang) -> str:
    lines = [f"# {escaped(sheet.heading(lang))}", ""]
    lines += [f"> **{escaped(warning)}**\n" for warning in sheet.warnings(lang)]
    lines += [f"* {escaped(finding)}" for finding in sheet.findings(lang)]
    for table in sheet.tables:
        columns = headings(table, lang)
        lines += ["", f"## {table.title.both(lang)}", ""]
        lines.append("| " + " | ".join([table.stub.say(lang), *(column.text for column in columns)]) + " |")
        lines.append("|---|" + "---:|" * len(columns))
        for row in table.rows:
            texts = [escaped(cell.text + "*" * cell.starred) for cell in shown_cells(table, row, lang)]
            lines.append("| " + " | ".join([escaped(row.label.both(lang)), *texts]) + " |")
        notes = [*footnotes(table, lang), *([table.note.say(lang)] if table.note else [])]
        lines += [line for note in notes for line in ("", escaped(note))]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text without what Markdown would read as markup."""
    for character in "\\|*_`<[":
        text = text.replace(character, "\\" + character)
    return text.replace("\n", " ")
