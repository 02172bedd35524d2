"""What the pages of reports have in common: the frame, and tables that can be sorted."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from markupsafe import Markup

from analysis.display.tables import Cell, Column, Row, Shown, Table, footnotes, headings, shown_cells
from analysis.display.templates import source, template
from analysis.display.text import NOTHING, Lang, Term
from analysis.estimates.intervals import Interval
from analysis.figures import Figure
from analysis.fonts import font_face_css

#: A table with so many rows can be sorted on a phone as well.
LONG: Final = 6

_WORDS: Final = {
    "again": Term("The same numbers again, in a terminal:", "在终端重现同样的数字："),
    "checks": Term("Self-checks", "自检"),
    "contents": Term("Contents", "目录"),
    "deals": Term("Deals worth seeing", "值得一看的牌局"),
    "interval": Term("How each interval was made", "各区间的方法"),
    "method": Term("Method", "方法"),
    "page": Term("This page again:", "重新生成本页："),
    "provenance": Term("Provenance", "来源"),
    # The announcements of a sorted table; the script fills the gaps.
    "ascending": Term("{table}: sorted by {column}, smallest first", "{table}：按“{column}”从小到大"),
    "descending": Term("{table}: sorted by {column}, largest first", "{table}：按“{column}”从大到小"),
    "alphabetical": Term("{table}: sorted by {column}, alphabetically", "{table}：按“{column}”字母顺序"),
    "reversed": Term("{table}: sorted by {column}, in reverse", "{table}：按“{column}”倒序"),
    "unsorted": Term("{table}: in the original order", "{table}：恢复原顺序"),
}


@dataclass(frozen=True)
class Section:
    """A part of a page that answers one question: its pictures, then its tables."""

    key: str
    title: Term
    figures: Sequence[Figure]
    tables: Sequence[Table]
    verdicts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Folded:
    """A deal, folded away under the reason why it is shown."""

    reason: str
    card: Markup


@dataclass(frozen=True)
class Page:
    """What a report says, all of it in the page's language.

    Attributes
    ----------
    title, other_title, about : str
        The ruleset's title in both languages; what it is.
    kind : str
        What the page is: a report, a comparison.
    warnings : sequence of str
        Bands above everything else.
    failed : bool
        Whether they are red.
    facts : sequence of tuple of str
        Names and values of the first screen.
    findings : sequence of str
        The most important first.
    headline : str
        What an index says of the page.
    sections : sequence of Section
    deals : sequence of Folded
        Deals to look at.
    deals_note : str
        What is said of them, or why there are none.
    method : sequence of str
        Paragraphs.
    methods : sequence of tuple of str
        Tables with the methods of their intervals.
    checks : sequence of str
        Self-checks with their verdicts.
    command, page_commands : str, sequence of str
        What prints the numbers again, and what writes the page again.
    provenance : sequence of tuple of str
    rules : sequence of tuple of str
        Rulesets in full: a heading and the text.
    """

    title: str
    other_title: str
    about: str
    kind: str
    warnings: Sequence[str]
    failed: bool
    facts: Sequence[tuple[str, str]]
    findings: Sequence[str]
    headline: str
    sections: Sequence[Section]
    deals: Sequence[Folded]
    deals_note: str
    method: Sequence[str]
    methods: Sequence[tuple[str, str]]
    checks: Sequence[str]
    command: str
    page_commands: Sequence[str]
    provenance: Sequence[tuple[str, str]]
    rules: Sequence[tuple[str, str]]


def render_page(page: Page, lang: Lang) -> str:
    """A page as HTML."""
    from analysis.figures.tiles import tile_sprite

    script = source("sort.js")
    return template("report.html.j2").render(
        **frame(lang, script),
        page=page,
        sections=[_section(section, lang) for section in page.sections if section.figures or section.tables],
        sprite=tile_sprite() if page.deals else "",
    )


def frame(lang: Lang, script: str = "") -> dict[str, Any]:
    """What every template needs: language, words, style, script, and what the page may load: nothing."""
    allowed = f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" if script else "'none'"
    return {
        "lang": lang,
        "words": {key: word.say(lang) for key, word in _WORDS.items()},
        "style": Markup("\n".join([font_face_css(), source("style.css"), source("cards.css")])),
        "script": Markup(script),
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; font-src data:; "
        "img-src data:; base-uri 'none'; form-action 'none'",
    }


def joined(sentences: Sequence[str], lang: Lang) -> str:
    """Sentences one after another.

    >>> joined(["One.", "Two."], "en"), joined(["一。", "二。"], "zh")
    ('One. Two.', '一。二。')
    """
    return (" " if lang == "en" else "").join(sentences)


def _section(section: Section, lang: Lang) -> dict[str, Any]:
    """A section as the template wants it."""
    return {
        "key": section.key,
        "title": section.title.say(lang),
        "figures": section.figures,
        "tables": [_table(table, lang, section.verdicts.get(table.key, ())) for table in section.tables],
        "note": section.note,
    }


_VERDICT: Final = Term("verdict", "结论")


def _table(table: Table, lang: Lang, verdicts: Sequence[str] = ()) -> dict[str, Any]:
    """A table as the template wants it."""
    other: Lang = "zh" if lang == "en" else "en"
    shown = headings(table, lang)
    rows = [
        {
            "label": row.label.say(lang),
            "other": row.label.say(other) if row.label.say(other) != row.label.say(lang) else "",
            "cells": _cells(table, row, lang),
        }
        for row in table.rows
    ]
    if verdicts:
        shown.append(Shown(_VERDICT.say(lang), _VERDICT.say(lang)))
        for row, verdict in zip(rows, verdicts, strict=True):
            row["verdict"] = verdict
    return {
        "key": table.key,
        "title": table.title.say(lang),
        "stub": table.stub.say(lang),
        "headings": shown,
        "rows": rows,
        "long": len(rows) >= LONG,
        "worded": bool(verdicts),
        "marks": footnotes(table, lang),
        "note": table.note.say(lang) if table.note else "",
    }


def _cells(table: Table, row: Row, lang: Lang) -> list[dict[str, Any]]:
    """A row's cells, each with its interval, if that stands in a column of its own, and what it is sorted by."""
    texts = iter(shown_cells(table, row, lang))
    cells = []
    for column, cell in zip(table.columns, row.cells, strict=True):
        shown = next(texts)
        interval = next(texts) if column.has_interval else None
        value = sorting_value(column, cell, shown.text)
        text, ends = _parted(column, shown.text)
        cells.append({"shown": shown, "text": text, "ends": ends, "interval": interval, "value": value})
    return cells


def _parted(column: Column, text: str) -> tuple[str, str]:
    """A cell's value, and its interval where that stands behind it in brackets."""
    found = re.fullmatch(r"(.+?)( \(.+\)|（.+）)", text) if column.kind in ("share_range", "quantile") else None
    return (found[1], found[2].strip()) if found else (text, "")


def sorting_value(column: Column, cell: Cell, text: str) -> str:
    """The number a cell is sorted by; empty where it has none.

    >>> sorting_value(Column("one_in", Term("one deal in", "多少局一次"), "one_in"), 0.002, "1 in 500")
    '500'
    """
    value = cell.estimate if isinstance(cell, Interval) else cell
    if value is None or text == NOTHING:
        return ""
    if column.kind == "one_in":
        if isinstance(cell, Interval) and cell.estimate == 0:
            value = cell.high or 0
        value = 1 / value if value else 0
    return f"{value:.9g}"
