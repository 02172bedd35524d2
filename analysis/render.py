"""A summary as text: tables for the terminal, JSON, CSV and Markdown, all with the same numbers."""

import csv
import io
import json
from typing import TYPE_CHECKING, Final, Literal, get_args

from analysis.intervals import Interval
from analysis.summary import Summary
from analysis.tables import Row, Table, footnotes, headings, shown_cells
from analysis.text import Lang, Term, grouped

if TYPE_CHECKING:
    from rich.console import RenderableType

Format = Literal["table", "json", "csv", "md"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

#: Fields of the CSV: one line for each cell.
CSV_FIELDS: Final = ("table", "row", "column", "value", "low", "high", "method", "few")

_FAILED: Final = Term("SELF-CHECK FAILED in {deals} deals: {what}", "自检未通过（{deals} 局）：{what}")
_INTERRUPTED: Final = Term(
    "The run was interrupted; these are the deals that were finished.", "运行被中断；以下仅含已完成的局。"
)


def render(summary: Summary, format: Format = "table", lang: Lang = "en", width: int = 100) -> str:
    """A summary as text.

    Parameters
    ----------
    summary : Summary
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
            data = summary.to_dict() | {"findings": summary.findings(lang)}
            return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        case "csv":
            return _csv(summary)
        case "md":
            return _markdown(summary, lang)
        case "table":
            return _terminal(summary, lang, width)


def heading(summary: Summary, lang: Lang) -> str:
    """What was simulated, in one line."""
    title = summary.manifest["ruleset"]["ruleset"]["title"]
    name = Term(title["en"], title["zh"]).both(lang)
    players = ", ".join(player["name"] for player in summary.manifest["players"])
    seed = summary.manifest["seed"]
    return Term(
        f"{name}: {grouped(summary.deals)} deals, seed {seed}, players {players}",
        f"{name}：{grouped(summary.deals)} 局，种子 {seed}，玩家 {players}",
    ).say(lang)


def warnings(summary: Summary, lang: Lang) -> list[str]:
    """What a reader must know before the numbers: failed self-checks, an interrupted run."""
    failed = [
        _FAILED.say(lang).format(deals=grouped(check.failures), what=check.term.say(lang))
        for check in summary.checks
        if check.failures
    ]
    return failed + [_INTERRUPTED.say(lang)] * summary.interrupted


def renderables(summary: Summary, lang: Lang = "en") -> "list[RenderableType]":
    """A summary as rich renderables: heading, warnings, findings, then one table each."""
    from rich.text import Text

    from analysis.terminal import Finding, FittedTable

    parts: list[RenderableType] = [Text(heading(summary, lang), style="bold")]
    parts += [Text(warning, style="bold red") for warning in warnings(summary, lang)]
    parts += [Finding(finding) for finding in summary.findings(lang)]
    return parts + [FittedTable(table, lang) for table in summary.tables]


def _terminal(summary: Summary, lang: Lang, width: int) -> str:
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, highlight=False)
    for part in renderables(summary, lang):
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _csv(summary: Summary) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_FIELDS)
    for table in summary.tables:
        for row in table.rows:
            writer.writerows(_csv_lines(table, row))
    return out.getvalue()


def _csv_lines(table: Table, row: Row) -> list[tuple[object, ...]]:
    """A row's cells, one line each; what is unknown is empty."""
    lines: list[tuple[object, ...]] = []
    for column, cell in zip(table.columns, row.cells, strict=True):
        if column.kind == "one_in":  # the same interval as the share beside it
            continue
        if isinstance(cell, Interval):
            ends = (cell.estimate, cell.low, cell.high, cell.method, int(cell.few))
            lines.append((table.key, row.key, column.key, *ends))
        else:
            lines.append((table.key, row.key, column.key, cell, None, None, None, None))
    return lines


def _markdown(summary: Summary, lang: Lang) -> str:
    lines = [f"# {_escaped(heading(summary, lang))}", ""]
    lines += [f"> **{_escaped(warning)}**\n" for warning in warnings(summary, lang)]
    lines += [f"* {_escaped(finding)}" for finding in summary.findings(lang)]
    for table in summary.tables:
        columns = headings(table, lang)
        lines += ["", f"## {table.title.both(lang)}", ""]
        lines.append("| " + " | ".join([table.stub.say(lang), *(column.text for column in columns)]) + " |")
        lines.append("|---|" + "---:|" * len(columns))
        for row in table.rows:
            texts = [_escaped(cell.text + "*" * cell.starred) for cell in shown_cells(table, row, lang)]
            lines.append("| " + " | ".join([row.label.both(lang), *texts]) + " |")
        notes = [*footnotes(table, lang), *([table.note.say(lang)] if table.note else [])]
        lines += [line for note in notes for line in ("", _escaped(note))]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Text without what Markdown would read as markup."""
    for character in "\\|*_`<[":
        text = text.replace(character, "\\" + character)
    return text.replace("\n", " ")
