"""Whatever a user names and writes is text in every page: markup in it makes no element, attribute or script."""

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from analysis.report import write_index
from mjsim.dataset.run import Manifest
from tests.commands import run

#: Markup that would run a script, if it came out of its text or attribute; and as many plain characters.
MARKS: Final = {
    "en": "<script>alert(1)</script>",
    "zh": "'\"><img src=x onerror=alert(2)>",
    "about": "</title></style><svg onload=\"alert(3)\">&lt;b&gt;{{ 7*7 }}",
    "player": '"onload="alert(4)" <b>',
    "software": "<i onclick='alert(5)'>",
    "command": "mjsim simulate <iframe srcdoc='<script>alert(6)</script>'> `x`",
    "file": "\"><img src=x onerror=alert(7)>&",
}  # fmt: skip
PLAIN: Final = {key: "x" * len(mark) for key, mark in MARKS.items()}

pytestmark = pytest.mark.usefixtures("compiled_engine")


class Page(HTMLParser):
    """The elements of a page with the names of their attributes, its texts and scripts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.values: list[str] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self._in_script = tag == "script"
        if tag != "wbr":  # where a long name may break
            self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.values += [value for _, value in attrs if value]

    def handle_data(self, data: str) -> None:
        """Note a text."""
        (self.scripts if self._in_script else self.texts).append(data)

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a script."""
        self._in_script = False

    @property
    def words(self) -> str:
        """All texts and attributes."""
        return "\n".join(["".join(self.texts), *self.values])


def _ruleset(path: Path, base: str, name: str, words: dict[str, str]) -> Path:
    path.write_text(
        f"[ruleset]\nextends = {json.dumps(base)}\nname = {json.dumps(name)}\n"
        f"title = {{ en = {json.dumps(words['en'])}, zh = {json.dumps(words['zh'])} }}\n"
        f"about = {{ en = {json.dumps(words['about'])}, zh = {json.dumps(words['about'])} }}\n"
        "[kongs]\nexposed = 2\n",
        encoding="utf-8",
    )
    return path


def _write_pages(folder: Path, words: dict[str, str]) -> Iterator[Path]:
    """Every kind of page in both languages, with these words wherever a user can put some."""
    folder.mkdir()
    rules = _ruleset(folder / f"{words['file']}.toml", "liuzhou", "mine", words)
    other = _ruleset(folder / f"{words['file']}2.toml", "nanning_folk", "other", words)
    runs = folder / words["file"]
    assert run("simulate", rules, "--deals", 400, "--out", runs).status == 0
    manifest = json.loads((runs / "run.json").read_text(encoding="utf-8"))
    manifest["players"] = [{"name": words["player"], "source_hash": words["player"]}] * 4
    manifest["software"][words["software"]] = words["software"]
    manifest["command"] = words["command"]
    sealed = Manifest.model_validate(manifest).sealed()
    (runs / "run.json").write_text(sealed.model_dump_json(), encoding="utf-8")
    pages = folder / "pages"
    pages.mkdir()
    for lang in ("en", "zh"):
        commands = {
            "report": ("report", runs),
            "compare": ("compare", rules, other, "chow=false", "--deals", 300),
            "hand": ("hand", rules, "123456m234p99s78s3z", "--playouts", 20),
        }
        for kind, command in commands.items():
            out = pages / f"{kind}.{lang}.html"
            done = run(*command, "--lang", lang, "--out", out)
            assert done.status == 0, done.err
            yield out
    yield write_index(pages)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Page, Page]]:
    """Each page with markup, and with plain words in its place."""
    folder = tmp_path_factory.mktemp("escaping")
    marked, plain = ({path.name: Page(path) for path in _write_pages(folder / name, words)}
                     for name, words in (("marked", MARKS), ("simple", PLAIN)))  # fmt: skip
    assert marked.keys() == plain.keys()
    return {name: (marked[name], plain[name]) for name in marked}


#: What is seen of a file's name: it stands in a command line, which quotes it.
SHOWN: Final = {"file": "<img src=x onerror=alert(7)>"}
NAMES: Final = (
    *(f"{kind}.{lang}.html" for kind in ("report", "compare", "hand") for lang in ("en", "zh")),
    "index.html",
)


@pytest.mark.parametrize("name", NAMES)
def test_markup_in_words_makes_nothing_but_text(pages: dict[str, tuple[Page, Page]], name: str) -> None:
    marked, plain = pages[name]
    assert marked.elements == plain.elements
    assert marked.scripts == plain.scripts
    assert not [names for _, names in marked.elements if any(each.startswith("on") for each in names)]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("report.en.html", ("en", "about", "player")),
        ("report.zh.html", ("zh", "about", "player")),
        ("compare.en.html", ("en", "file")),
        ("compare.zh.html", ("zh", "file")),
        ("hand.en.html", ("en", "file")),
        ("hand.zh.html", ("zh", "file")),
        ("index.html", ("en", "zh", "file")),
    ],
)
def test_the_words_stand_there_as_they_were_written(
    pages: dict[str, tuple[Page, Page]], name: str, keys: tuple[str, ...]
) -> None:
    words = pages[name][0].words
    for key in keys:
        assert SHOWN.get(key, MARKS[key]) in words, key


def test_a_page_asks_for_nothing_from_elsewhere(pages: dict[str, tuple[Page, Page]]) -> None:
    for marked, _ in pages.values():
        assert not [value for value in marked.values if value.startswith(("http:", "https:", "//", "javascript:"))]
