"""The index of a folder of reports: what each page is, its headline finding, how it was made."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import quote

from analysis.display.files import write_text
from analysis.display.templates import template
from analysis.display.text import Term
from analysis.report.pages import frame
from mjsim.errors import RunError

#: Name of the index in its folder.
INDEX: Final = "index.html"

_TITLE: Final = Term("Reports of mjsim", "mjsim 报告")
_ABOUT: Final = Term(
    "Mahjong rules measured by simulated deals. Each page is one file that needs nothing else.",
    "用模拟牌局衡量麻将规则。每页都是独立的单个文件。",
)
_MADE: Final = Term(
    "The command below each finding prints the numbers of its page again; make report writes all pages anew.",
    "结论下方的命令可重现该页数字；make report 重新生成全部页面。",
)


@dataclass
class Listed:
    """What a page says of itself in its head."""

    href: str
    lang: str = ""
    title: str = ""
    facts: dict[str, str] = field(default_factory=dict)

    @property
    def finding(self) -> str:
        """Its headline finding."""
        return self.facts.get("description", "")


@dataclass(frozen=True)
class Entry:
    """The pages of one run or comparison, in one language or both."""

    kind: str
    command: str
    pages: Sequence[Listed]


class _Head(HTMLParser):
    """Reads a page's head."""

    def __init__(self, href: str) -> None:
        super().__init__()
        self.page = Listed(href)
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of the language and the facts."""
        found = dict(attrs)
        if tag == "html":
            self.page.lang = found.get("lang") or ""
        elif tag == "meta" and found.get("name"):
            self.page.facts[str(found["name"])] = found.get("content") or ""
        self._in_title = tag == "title"

    def handle_data(self, data: str) -> None:
        """Take note of the title, without what kind of page it is."""
        if self._in_title:
            self.page.title += data.partition(" · ")[0].strip()


def write_index(folder: Path) -> Path:
    """Write the index of the reports in a folder.

    Parameters
    ----------
    folder : pathlib.Path
        With pages that `write_report` and `write_comparison` wrote; others are left out.

    Returns
    -------
    pathlib.Path
        The index, ``index.html`` in the folder.

    Raises
    ------
    RunError
        If there is no report, or the index cannot be written.
    """
    pages = [_read(path) for path in sorted(folder.glob("*.html")) if path.name != INDEX]
    reports = [page for page in pages if "mjsim-command" in page.facts]
    if not reports:
        raise RunError(f"{folder}: holds no report; write some with mjsim report or mjsim compare")
    write_text(index_page(reports), folder / INDEX)
    return folder / INDEX


def _read(path: Path) -> Listed:
    head = _Head(quote(path.name))
    head.feed(path.read_text(encoding="utf-8").partition("<style>")[0])
    return head.page


def _runs_first(page: Listed) -> bool:
    return " compare " in page.facts["mjsim-command"]


def index_page(pages: Sequence[Listed]) -> str:
    """The index of some pages as HTML; pages that the same command makes again stand together, English first."""
    by_command: dict[str, list[Listed]] = {}
    for page in sorted(pages, key=_runs_first):
        by_command.setdefault(page.facts["mjsim-command"], []).append(page)
    entries = []
    for command, found in by_command.items():
        ordered = sorted(found, key=lambda page: (page.lang != "en", page.href))
        kinds = " · ".join(dict.fromkeys(page.facts.get("mjsim-kind", "") for page in ordered))
        entries.append(Entry(kinds, command, ordered))
    return template("index.html.j2").render(**frame("en"), title=_TITLE, about=_ABOUT, made=_MADE, entries=entries)
