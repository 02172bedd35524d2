"""The HTML report: whole in itself, the same for the same run, safe with any text, honest about doubt."""

import dataclasses
import functools
import re
import tomllib
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal

import pytest

import mjsim
from analysis.answers.summary import Summary, summarise
from analysis.comparing.balance import Comparison, Side, compare
from analysis.counts.counting import aggregate
from analysis.display.render import render
from analysis.display.text import LANGS, Lang, Term
from analysis.figures import NARROW, WIDE, nice_ticks
from analysis.report import TEMPLATES, comparison_page, report, write_comparison, write_index, write_report
from analysis.report.comparison_page import changes
from analysis.report.deals import MOST, chosen
from analysis.report.groups import CHECKS, GROUPS
from analysis.report.method import METHODS, methods_used
from analysis.report.provenance import to_toml
from mjsim.cli import results
from mjsim.errors import MjsimError, RunError
from mjsim.rules import load_rules
from tests.made_deals import MANIFEST, frame, made_rows

RUN = mjsim.simulate("liuzhou", deals=400, seed=1)
DEALS = RUN.to_polars()
VOID = {"meta", "link", "wbr"}
SHAPES = {"line", "rect", "circle", "path", "use", "g", "ellipse", "clipPath", "defs"}


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


def summary_of_run(**manifest: Any) -> Summary:
    return summarise(DEALS.lazy(), RUN.manifest().model_dump() | manifest)


@functools.cache
def usual_page(lang: Lang) -> str:
    return report(summary_of_run(), lang)


def page_of(lang: Lang = "en", **manifest: Any) -> str:
    return report(summary_of_run(**manifest), lang) if manifest else usual_page(lang)


def page_of_rows(rows: list[dict[str, Any]], lang: Lang = "en") -> str:
    return report(summarise(frame(rows).lazy(), MANIFEST), lang)


def side(name: str, **options: Any) -> Side:
    found = mjsim.simulate(load_rules(name, **options), deals=400, seed=1)
    key = ",".join([name, *(f"{option}={value}" for option, value in options.items())])
    return Side(key, Term(key, key), found.manifest().model_dump(), aggregate(found.to_polars()))


@functools.cache
def comparison() -> Comparison:
    base, variants = side("liuzhou"), [side("liuzhou", rob_kong=False), side("liuzhou", chow=False)]
    found = compare(base, variants, command="mjsim compare liuzhou rob_kong=false chow=false --deals 400 --seed 1")
    return dataclasses.replace(found, switches=(variants[1].key,))


def assert_whole(text: str) -> None:
    """A page that asks for nothing outside itself."""
    page = Page(text)
    tags = {tag for tag, _ in page.found}
    assert not tags & {"img", "iframe", "object", "form", "base"}
    assert not page.values("src")
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for link in [*page.values("href"), *page.values("xlink:href")]:
        assert link == "data:," or link.removeprefix("#") in ids
    assert not re.search(r"https?:|@import", text)
    assert {address[:5] for address in re.findall(r"url\([\"']?(.{5})", text)} <= {"data:", *(f"#{i}"[:5] for i in ids)}
    assert len(text.encode()) < 1_500_000


@pytest.mark.parametrize("lang", LANGS)
def test_nothing_outside_the_file_is_asked_for(lang: Lang) -> None:
    assert_whole(page_of(lang))
    assert_whole(comparison_page(comparison(), lang))


def test_the_script_is_the_only_one_that_may_run() -> None:
    text = page_of()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    assert "default-src &#39;none&#39;" in policy
    assert "script-src &#39;sha256-" in policy
    assert text.count("<script>") == 1
    assert " onclick" not in text


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    manifest = RUN.manifest().model_dump()
    write_report(DEALS.lazy(), manifest, tmp_path / "one.html")
    DEALS.head(100).write_parquet(tmp_path / "deals-0.parquet")
    write_report(RUN.to_pandas(), manifest, tmp_path / "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deals-0.parquet", "one.html", "two.html"]
    again = comparison.__wrapped__()
    assert comparison_page(comparison()) == comparison_page(again)


def test_the_first_screen_comes_before_charts_and_method() -> None:
    text = page_of()
    order = [
        text.index(f'id="{name}"')
        for name in ("findings", "part-deals", "chart-endings", "endings", "worth-seeing", "method", "provenance")
    ]
    assert order == sorted(order)
    head = text[text.index("<body>") : order[0]]
    for fact in ("Liuzhou mahjong", "柳州麻将", "400", "value", ">1<"):
        assert fact in head


def test_every_chart_is_drawn_in_both_widths_with_its_finding_for_those_who_cannot_see_it() -> None:
    page = Page(page_of())
    drawings = [attributes for tag, attributes in page.found if tag == "svg" and attributes.get("class") is None]
    assert {drawing["width"] for drawing in drawings} == {str(WIDE), str(NARROW)}
    assert len(drawings) == 2 * sum(str(key).startswith("chart-") for key in page.values("id")) == 12
    assert all(drawing["aria-label"] for drawing in drawings)


def test_every_table_of_a_run_has_its_place_and_every_interval_a_name() -> None:
    placed = {key for group in GROUPS for key in group.tables}
    for rules, session in (("liuzhou", 16), ("nanning_folk", 1), ("nanning_laiyouxi", 1)):
        run = mjsim.simulate(rules, deals=320, seed=2, session=session)
        summary = summarise(run.to_polars(), run.manifest().model_dump())
        assert {table.key for table in summary.tables} <= placed | set(CHECKS.tables)
        assert 'id="part-rest"' not in report(summary)
        named = dict(methods_used(summary.tables, "en"))
        assert "Wilson" in named["How deals end"]
        assert "batch means" in named["Points by seat"]


def test_methods_are_named_in_both_languages() -> None:
    assert all(term.en and term.zh for term in METHODS.values())


def test_deals_worth_seeing_are_shown_tile_by_tile() -> None:
    text = page_of()
    shown = re.findall(r'class="again">.*mjsim replay liuzhou .*--deal ([0-9]+)', re.sub(r"</?span>", "", text))
    found = chosen(summary_of_run().aggregate, "en")
    assert sorted(map(int, shown)) == sorted(found)
    assert 3 <= len(found) <= MOST
    assert text.count('<details class="worth">') == len(found)
    assert 'id="tile-1m"' in text


def test_a_run_of_another_version_is_reported_without_its_deals() -> None:
    text = page_of(results_version=99)
    assert "No deal can be shown tile by tile" in text
    assert '<details class="worth">' not in text


def test_numbers_are_sorted_by_what_they_are() -> None:
    page = Page(page_of())
    values = page.values("data-value")
    assert len(values) > 300
    assert all(re.fullmatch(r"-?[0-9.]+(e[-+][0-9]+)?", value) for value in values)
    assert {"ascending", "descending", "unsorted"} <= {
        name.removeprefix("data-") for _, attributes in page.found for name in attributes if name.startswith("data-")
    }


def test_the_commands_play_the_deals_and_write_the_page_again() -> None:
    text = re.sub(r"</?span>", "", page_of("zh"))
    assert "<code>mjsim simulate liuzhou --deals 400 --seed 1</code>" in text
    assert "<code>mjsim simulate liuzhou --deals 400 --seed 1 --out runs/liuzhou</code>" in text
    assert "<code>mjsim report runs/liuzhou --out liuzhou.html --by-player 0 --lang zh</code>" in text


def test_no_text_is_smaller_than_eleven_pixels() -> None:
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    sizes = [float(size) for size in re.findall(r"font(?:-size)?:[^;]*?([0-9.]+)px", style)]
    assert len(sizes) > 5
    assert min(sizes) >= 11


def test_texts_of_users_are_escaped() -> None:
    bad = '<script>alert("x")</script>&\'"'
    ruleset: Mapping[str, Any] = MANIFEST["ruleset"] | {
        "ruleset": {"name": bad, "title": {"en": bad, "zh": bad}, "about": {"en": bad, "zh": bad}},
        bad: {bad: bad},
    }
    text = page_of(
        ruleset=ruleset,
        players=[{"name": bad, "source_hash": bad}] * 4,
        command=bad,
        software={bad: bad},
    )
    page = Page(text)
    assert [tag for tag, _ in page.found].count("script") == 1
    assert text.count("&lt;script&gt;") >= 8


def test_an_interrupted_run_has_a_band_and_its_charts() -> None:
    text = page_of(status="interrupted")
    assert 'class="band mild"' in text
    assert "<svg" in text
    assert 'class="band' not in page_of()


def test_a_run_that_fails_its_checks_has_a_red_band_and_no_chart() -> None:
    rows = DEALS.to_dicts()
    rows[5]["net_0"] += 1
    text = report(summarise(frame(rows), RUN.manifest().model_dump()))
    assert '<p class="band">SELF-CHECK FAILED' in text
    assert "<svg" not in text


def test_hands_that_no_shuffle_deals_fail_a_run() -> None:
    text = page_of_rows(made_rows(3000))
    assert text.count('<p class="band">SELF-CHECK FAILED') == 1
    assert "<svg" not in text


def test_a_comparison_that_fails_its_checks_has_a_red_band_and_no_chart() -> None:
    found = comparison()
    sums = dict(found.base.found.sums)
    sums["failed_zero_sum"] = sums["failed_zero_sum"] + 1
    base = dataclasses.replace(found.base, found=dataclasses.replace(found.base.found, sums=sums))
    text = comparison_page(dataclasses.replace(found, base=base))
    assert '<p class="band">SELF-CHECK FAILED' in text
    assert "<svg" not in text


@pytest.mark.parametrize(
    ("rows", "lang"),
    [
        (made_rows(0), "zh"),
        (made_rows(1), "en"),
        (made_rows(3), "zh"),
        (made_rows(1, drawn=True), "zh"),
        (made_rows(30, drawn=True), "en"),
        (made_rows(30, fish=(0,)), "zh"),
    ],
    ids=["none", "one", "three", "one drawn", "drawn", "without fish"],
)
def test_deals_that_say_little_make_a_page(rows: list[dict[str, Any]], lang: Lang) -> None:
    page = Page(page_of_rows(rows, lang))
    assert not re.search(r"\b(nan|inf|None)\b", " ".join(page.words))


def test_never_seen_is_a_bound_and_seldom_is_marked() -> None:
    text = page_of()
    assert re.search(r'<td[^>]*class="few">&lt;\u202f[0-9.]+\u202f%', text)
    assert re.search(r'<td[^>]*class="few">[0-9.]+\u202f%\*', text)
    assert "fewer than ten cases" in text


def test_words_are_in_the_language_asked_for() -> None:
    chinese = page_of("zh")
    assert '<html lang="zh-Hans">' in chinese
    assert "<h1>柳州麻将 <span>Liuzhou mahjong</span></h1>" in chinese
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
    with pytest.raises(RunError, match=r"folder\.html.*cannot be written"):
        write_comparison(comparison(), tmp_path / "folder.html")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.html"]


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 1), (-0.16, 0.15), (0, 1e-6), (-3, 1e5), (12, 75)])
def test_ticks_are_round_and_hold_the_range(low: float, high: float) -> None:
    ticks = nice_ticks(low, high, 4)
    assert 2 <= len(ticks) <= 8
    assert ticks[0] <= low <= high <= ticks[-1]


def test_a_comparison_shows_each_variant_and_each_option() -> None:
    found = comparison()
    text = comparison_page(found)
    page = Page(text)
    assert {"part-variant-1", "chart-differences-1", "variant-1", "part-options", "sensitivity"} <= set(
        page.values("id")
    )
    assert any(key.startswith("chart-tornado-") for key in page.values("id"))
    for finding in found.findings("en"):
        assert finding.replace("–", "–\u2060").replace("'", "&#39;") in text
    assert "[kongs]\nrob_kong = false\n" in text
    assert "mjsim compare liuzhou rob_kong=false chow=false" in text


def test_what_a_variant_sets_makes_it_out_of_the_base() -> None:
    base = load_rules("liuzhou").to_dict()
    other = load_rules("liuzhou", chow=False).to_dict()
    assert changes(base, base) == {}
    assert changes({**base, "ruleset": 0}, {**other, "ruleset": 0}) == {"claims": {"chow": False}}
    assert changes({"events": {"last": {"factor": 2}}}, {"events": {}}) == {"events": {"last": "none"}}


def test_the_index_names_every_page_with_its_finding_and_command(tmp_path: Path) -> None:
    manifest = RUN.manifest().model_dump()
    write_report(DEALS, manifest, tmp_path / "liuzhou.html")
    write_report(DEALS, manifest, tmp_path / "liuzhou.zh.html", "zh")
    write_comparison(comparison(), tmp_path / "compared.html")
    (tmp_path / "other.html").write_text("<!DOCTYPE html><title>Another page</title>", encoding="utf-8")
    index = write_index(tmp_path).read_text(encoding="utf-8")
    assert index == write_index(tmp_path).read_text(encoding="utf-8")
    spoken = re.sub(r"</?span>", "", index)
    links = [link for link in Page(index).values("href") if link != "data:,"]
    assert links == ["liuzhou.html", "liuzhou.zh.html", "compared.html"]
    assert spoken.count("mjsim simulate liuzhou --deals 400 --seed 1<") == 1
    assert "drawn (流局)" in index
    assert "流局" in index


def test_no_index_without_reports(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no report"):
        write_index(tmp_path)


@pytest.mark.parametrize("form", ["json", "csv", "md"])
def test_other_forms_have_the_numbers_of_the_summary(tmp_path: Path, form: Literal["json", "csv", "md"]) -> None:
    RUN.write(tmp_path / "run")
    results.write_report(mjsim.open_run(tmp_path / "run"), tmp_path / "numbers", "zh", form)
    assert (tmp_path / "numbers").read_text(encoding="utf-8") == render(
        results.summary_of_run(tmp_path / "run"), form, "zh"
    )


def test_what_a_page_needs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RUN.write(tmp_path / "run")
    run = mjsim.open_run(tmp_path / "run")
    monkeypatch.setattr(results, "REPORT_NEEDS", ("jinja2", "no_such_library"))
    with pytest.raises(MjsimError, match=r"needs no_such_library; .*pip install 'mjsim\[report\]'"):
        results.write_report(run, tmp_path / "page.html", "en")
