"""A table in a terminal, whatever its width: what does not fit beside the row labels goes below them again."""

from collections.abc import Iterator
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.table import Table as RichTable
from rich.text import Text

from analysis.display.tables import Shown, Table, footnotes, headings, shown_cells
from analysis.display.text import Lang

#: A longer heading takes two lines.
FOLD: Final = 10

#: Blanks between columns, the box's own divider among them.
GAP: Final = 2

#: The least width of the row labels, however wide the numbers are.
MIN_LABEL: Final = 8


class Finding:
    """A sentence after a bullet, broken only at ordinary blanks: a number keeps its groups and its unit."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        for index, line in enumerate(wrapped(self.sentence, options.max_width - 2)):
            yield Text(("  " if index else "• ") + line, no_wrap=True, overflow="ignore")


def wrapped(sentence: str, width: int) -> list[str]:
    """Lines of at most some width, broken at ordinary blanks; a longer word has a line of its own.

    >>> wrapped("one in ten deals", 9)
    ['one in', 'ten deals']
    """
    lines = [""]
    for word in sentence.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and cell_len(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class FittedTable:
    """A table that never cuts a number: its columns are spread over as many blocks as the terminal asks for."""

    def __init__(self, table: Table, lang: Lang) -> None:
        self.table = table
        self.lang = lang
        self.headings = [folded(column.text) for column in headings(table, lang)]
        self.quiet = [column.quiet for column in headings(table, lang)]
        self.rows = [(row.label.both(lang), shown_cells(table, row, lang)) for row in table.rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RichTable | Text]:
        yield Text(self.table.title.both(self.lang), style="bold")
        room = max(MIN_LABEL, options.max_width - self.widest_group())
        label = min(self.label_width(), options.max_width // 2, room)
        for index, columns in enumerate(self.blocks(options.max_width, label)):
            if index:
                yield Text()
            yield self.block(columns, label)
        for note in footnotes(self.table, self.lang):
            yield Text(note, style="dim")
        yield Text()

    def label_width(self) -> int:
        """Width of the longest row label."""
        return max(map(cell_len, [self.table.stub.say(self.lang), *(label for label, _ in self.rows)]))

    def widest_group(self) -> int:
        """Width of the widest column with its interval, gaps included."""
        widths = [self.column_width(column) + GAP for column in range(len(self.headings))]
        return max(
            width + (widths[column + 1] if self.quiet[column + 1 : column + 2] == [True] else 0)
            for column, width in enumerate(widths)
        )

    def blocks(self, width: int, label: int) -> list[list[int]]:
        """Which columns stand in which block, beside labels of some width; an interval stays with its value."""
        blocks: list[list[int]] = [[]]
        used = label + GAP
        for column in range(len(self.headings)):
            if self.quiet[column]:
                continue
            group = [column, *([column + 1] if column + 1 < len(self.quiet) and self.quiet[column + 1] else [])]
            wide = sum(self.column_width(each) + GAP for each in group)
            if used + wide > width and blocks[-1]:
                blocks.append([])
                used = label + GAP
            blocks[-1] += group
            used += wide
        return blocks

    def column_width(self, column: int) -> int:
        """Width of a column's widest text."""
        texts = [*self.headings[column].split("\n"), *(marked(cells[column]) for _, cells in self.rows)]
        return max(map(cell_len, texts))

    def block(self, columns: list[int], label_width: int) -> RichTable:
        """The row labels with some of the columns."""
        shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
        shown.add_column(Text(self.table.stub.say(self.lang)), width=label_width, overflow="fold")
        for column in columns:
            style = "dim" if self.quiet[column] else ""
            shown.add_column(Text(self.headings[column]), justify="right", style=style, no_wrap=True)
        for label, cells in self.rows:
            texts = (Text(marked(cells[column]), style="dim" if cells[column].few else "") for column in columns)
            shown.add_row(Text(label), *texts)
        return shown


def marked(cell: Shown) -> str:
    """A cell's text with the mark of an estimate from few cases."""
    return cell.text + "*" * cell.starred


def folded(heading: str) -> str:
    """A heading on two lines, broken at the space nearest its middle, if it is long.

    >>> folded("standard deviation").splitlines()
    ['standard', 'deviation']
    """
    spaces = [index for index, character in enumerate(heading) if character == " "]
    if len(heading) <= FOLD or not spaces:
        return heading
    middle = min(spaces, key=lambda index: abs(index - len(heading) / 2))
    return heading[:middle] + "\n" + heading[middle + 1 :]
