"""The HTML report: whole in itself, the same for the same run, safe with any text, honest about doubt."""

import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from analysis.figures import COLOURS, nice_ticks
from analysis.report import TEMPLATES, report, to_toml, write_report
from analysis.summary import summarise
from analysis.text import LANGS, Lang
from mjsim.errors import RunError
from mjsim.rules import load_rules
from tests.made_deals import MANIFEST, frame, made_rows

ROWS = made_rows(300)
VOID = {"meta", "link"}
SHAPES = {"line", "rect", "circle", "path"}


class Page(HTMLParser):
    """Checks that what is opened is closed, and collects elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SHAPES
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, attributes in self.found if (value := attributes.get(name)) is not None]


def page_of(rows: list[dict[str, Any]], lang: Lang = "en", **manifest: Any) -> str:
    return report(summarise(frame(rows).lazy(), MANIFEST | manifest), lang)


@pytest.mark.parametrize("lang", LANGS)
def test_nothing_outside_the_file_is_asked_for(lang: Lang) -> None:
    text = page_of(ROWS, lang)
    page = Page(text)
    tags = {tag for tag, _ in page.found}
    assert not tags & {"script", "img", "iframe", "object", "form", "base"}
    assert not page.values("src")
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for link in page.values("href"):
        assert link == "data:," or link.removeprefix("#") in ids
    assert not re.search(r"https?:|@import|url\(", text)
    assert len(text.encode()) < 1_500_000


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    deals = frame(ROWS)
    write_report(deals.lazy(), MANIFEST, tmp_path / "one.html")
    deals.head(100).write_parquet(tmp_path / "deals-0.parquet")
    write_report(deals.reverse().lazy(), MANIFEST, tmp_path / "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deals-0.parquet", "one.html", "two.html"]


def test_the_first_screen_comes_before_charts_and_method() -> None:
    text = page_of(ROWS)
    order = [text.index(f'id="{name}"') for name in ("findings", "charts", "endings", "method", "provenance")]
    assert order == sorted(order)
    head = text[text.index("<body>") : order[0]]
    for fact in ("Made-up rules", "虚构规则", "300", "fast", ">7<"):
        assert fact in head


def test_every_chart_is_drawn_in_both_widths_with_its_finding_for_those_who_cannot_see_it() -> None:
    page = Page(page_of(ROWS))
    drawings = [attributes for tag, attributes in page.found if tag == "svg"]
    assert len(drawings) == 10
    assert {drawing["width"] for drawing in drawings} == {"680", "328"}
    assert all(drawing["aria-label"] for drawing in drawings)
    assert set(page.values("fill")) <= set(COLOURS.values())


def test_no_coordinate_leaves_its_drawing() -> None:
    text = page_of(ROWS)
    for drawing in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        width = float(re.findall(r'viewBox="0 0 ([0-9]+) ', drawing)[0])
        for x in re.findall(r' (?:x|x1|x2|cx)="([^"]+)"', drawing):
            assert 0 <= float(x) <= width
        assert "nan" not in drawing


def test_no_text_is_smaller_than_eleven_pixels() -> None:
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    sizes = [float(size) for size in re.findall(r"font(?:-size)?:[^;]*?([0-9.]+)px", style)]
    assert len(sizes) > 5
    assert min(sizes) >= 11


def test_texts_of_users_are_escaped() -> None:
    bad = '<script>alert("x")</script>&\'"'
    ruleset = MANIFEST["ruleset"] | {
        "ruleset": {"name": bad, "title": {"en": bad, "zh": bad}, "about": {"en": bad, "zh": bad}},
        bad: {bad: bad},
    }
    text = page_of(
        ROWS,
        ruleset=ruleset,
        players=[{"name": bad, "source_hash": bad}] * 4,
        command=bad,
        software={bad: bad},
    )
    page = Page(text)
    assert "script" not in {tag for tag, _ in page.found}
    assert text.count("&lt;script&gt;") >= 8


def test_an_interrupted_run_has_a_band_and_its_charts() -> None:
    text = page_of(ROWS, status="interrupted")
    assert 'class="band mild"' in text
    assert "<svg" in text
    assert 'class="band' not in page_of(ROWS)


def test_a_run_that_fails_its_checks_has_a_red_band_and_no_chart() -> None:
    rows = [dict(row) for row in ROWS]
    rows[5]["net_0"] += 1
    text = page_of(rows)
    assert '<p class="band">SELF-CHECK FAILED' in text
    assert "<svg" not in text


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    "rows",
    [
        made_rows(0),
        made_rows(1),
        made_rows(3),
        made_rows(1, drawn=True),
        made_rows(30, drawn=True),
        made_rows(30, fish=(0,)),
    ],
    ids=["none", "one", "three", "one drawn", "drawn", "without fish"],
)
def test_deals_that_say_little_make_a_page(rows: list[dict[str, Any]], lang: Lang) -> None:
    page = Page(page_of(rows, lang))
    assert not re.search(r"\b(nan|inf|None)\b", " ".join(page.words))


def test_never_seen_is_a_bound_and_seldom_is_marked() -> None:
    text = page_of(made_rows(30))
    assert re.search(r'<td[^>]*class="few">&lt;\u202f[0-9.]+\u202f%', text)
    assert re.search(r'<td[^>]*class="few">[0-9.]+\u202f%\*', text)
    assert "fewer than ten cases" in text


def test_words_are_in_the_language_asked_for() -> None:
    chinese = page_of(ROWS, "zh")
    assert '<html lang="zh-Hans">' in chinese
    assert "<h1>虚构规则 <span>Made-up rules</span></h1>" in chinese
    assert "95% 区间" in chinese
    assert "95 % interval" not in chinese


def test_the_ruleset_in_full_can_be_read_back() -> None:
    rules = load_rules("liuzhou").to_dict()
    assert tomllib.loads(to_toml(rules)) == rules
    odd = {"a b": {"x": 'quote " \\ \x7f\n', "list": [1, 2.5, True], "deep": {"deeper": {"n": 1}}}, "top": 3}
    assert tomllib.loads(to_toml(odd)) == odd


def test_a_path_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    deals = frame(made_rows(2)).lazy()
    with pytest.raises(RunError, match=r"missing.*cannot be written"):
        write_report(deals, MANIFEST, tmp_path / "missing" / "report.html")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(RunError, match=r"folder\.html.*cannot be written"):
        write_report(deals, MANIFEST, tmp_path / "folder.html")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.html"]


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 1), (-0.16, 0.15), (0, 1e-6), (-3, 1e5), (12, 75)])
def test_ticks_are_round_and_hold_the_range(low: float, high: float) -> None:
    ticks = nice_ticks(low, high, 4)
    assert 2 <= len(ticks) <= 8
    assert ticks[0] <= low <= high <= ticks[-1]
