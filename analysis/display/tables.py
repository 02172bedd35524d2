"""A table as data: rows of exact counts and intervals that every renderer shows in its own way."""

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from analysis.display.text import (
    NOTHING,
    Lang,
    Term,
    bounds,
    chance,
    fixed,
    grouped,
    one_in,
    one_in_exactly,
    percent,
    percent_range,
    plus_minus,
    points,
    whole,
)
from analysis.estimates.intervals import Interval

Cell = Interval | int | float | None

#: How a column shows its cells: a count; a share in percent, or as one in so many; a mean, with or without its sign, or
#: with ± for its interval; a plain number; a probability known exactly; a number of standard deviations, with its sign.
#: Shares and means have their interval in a column of its own; a share with its range has it in the same cell, as has a
#: quantile, which is a whole number, where there is doubt about it.
Kind = Literal[
    "count",
    "share",
    "share_range",
    "one_in",
    "mean",
    "length",
    "plus_minus",
    "quantile",
    "number",
    "chance",
    "deviation",
]
_WITH_INTERVAL: Final = ("share", "mean", "length")


@dataclass(frozen=True)
class Column:
    """A column: its key in JSON and CSV, its heading, and how its cells are shown."""

    key: str
    title: Term
    kind: Kind

    @property
    def has_interval(self) -> bool:
        """Whether the interval stands in a column of its own."""
        return self.kind in _WITH_INTERVAL


@dataclass(frozen=True)
class Row:
    """A row: its key in JSON and CSV, its label, and one cell for each column."""

    key: str
    label: Term
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes
    ----------
    key : str
        Its name in JSON and CSV.
    title, stub : Term
        What it is about; heading of the row labels.
    columns : tuple of Column
        Without the row labels.
    rows : tuple of Row
        Each with one cell per column.
    note : Term or None
        What a reader must know to read it.
    """

    key: str
    title: Term
    stub: Term
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: Term | None = None

    def cell(self, row: str, column: str) -> Cell:
        """One cell, by the keys of its row and column."""
        index = [each.key for each in self.columns].index(column)
        return next(each for each in self.rows if each.key == row).cells[index]

    def interval(self, row: str, column: str) -> Interval | None:
        """One cell that is an interval, or None where there were no data."""
        found = self.cell(row, column)
        return found if isinstance(found, Interval) else None

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        return {
            "key": self.key,
            "title": asdict(self.title),
            "rows": [
                {
                    "key": row.key,
                    "label": asdict(row.label),
                    **{
                        column.key: asdict(cell) if isinstance(cell, Interval) else cell
                        for column, cell in zip(self.columns, row.cells, strict=True)
                        if column.kind != "one_in"  # the same interval as the share beside it
                    },
                }
                for row in self.rows
            ],
        }


@dataclass(frozen=True)
class Shown:
    """A cell as text.

    Attributes
    ----------
    text : str
        The value.
    column : str
        Heading of the column.
    quiet : bool
        Whether it is an interval, set smaller and greyer than a value.
    few : bool
        Whether fewer than ten events stand behind it.
    starred : bool
        Whether it is marked for that: a value, not an interval, and no bound, which says so itself.
    """

    text: str
    column: str
    quiet: bool = False
    few: bool = False
    starred: bool = False


def headings(table: Table, lang: Lang) -> list[Shown]:
    """Headings of all columns after the row labels, intervals included."""
    interval = INTERVAL.say(lang)
    shown = []
    for column in table.columns:
        shown.append(Shown(column.title.say(lang), column.title.say(lang)))
        if column.has_interval:
            shown.append(Shown(interval, interval, quiet=True))
    return shown


def shown_cells(table: Table, row: Row, lang: Lang) -> list[Shown]:
    """The cells of a row as text, one for each of `headings`."""
    shown = []
    for column, cell in zip(table.columns, row.cells, strict=True):
        title = column.title.say(lang)
        few = isinstance(cell, Interval) and cell.few
        starred = isinstance(cell, Interval) and few and cell.method != "bound"
        shown.append(Shown(show(cell, column.kind, lang), title, few=few, starred=starred))
        if column.has_interval:
            scale = 100 if column.kind == "share" else 1
            ends = NOTHING
            if isinstance(cell, Interval):
                ends = bounds(cell, lang, scale=scale, sign=column.kind == "mean")
            shown.append(Shown(ends, INTERVAL.say(lang), quiet=True, few=few))
    return shown


def footnotes(table: Table, lang: Lang) -> list[str]:
    """What the marks in a table mean, where it has any."""
    cells = [cell for row in table.rows for cell in row.cells if isinstance(cell, Interval)]
    notes = []
    if any(cell.few and cell.method != "bound" for cell in cells):
        notes.append(FEW_NOTE.say(lang))
    if any(cell.method == "bound" for cell in cells):
        notes.append(BOUND_NOTE.say(lang))
    return notes


def show(cell: Cell, kind: Kind, lang: Lang) -> str:
    """A value as text, without the interval's own column."""
    if isinstance(cell, Interval):
        match kind:
            case "share":
                return percent(cell)
            case "one_in":
                return one_in(cell, lang)
            case "plus_minus":
                return plus_minus(cell)
            case "share_range":
                return percent_range(cell, lang)
            case "quantile":
                return whole(cell, lang)
            case _:
                return points(cell, sign=kind == "mean")
    if cell is None:
        return NOTHING
    match kind:
        case "chance":
            return chance(cell)
        case "one_in":
            return one_in_exactly(cell, lang)
        case "deviation":
            return fixed(cell, 2, sign=True)
    return grouped(cell) if isinstance(cell, int) else fixed(cell, 2)


INTERVAL: Final = Term("95 % interval", "95% 区间")
FEW_NOTE: Final = Term("* fewer than ten cases", "* 不足十例")
BOUND_NOTE: Final = Term(
    "< never seen: a 95 % upper bound; > seen every time: a lower bound", "< 从未出现：95% 上界；> 每次出现：下界"
)
