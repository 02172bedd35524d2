"""Charts: the same bytes for the same numbers, texts that fit, doubt that is drawn, the page's colours."""

import re
from collections.abc import Callable
from math import exp
from xml.etree import ElementTree

import matplotlib
import pytest
from markupsafe import Markup

from analysis.display.text import LANGS, OUTCOME_TERMS, SEAT_TERMS, TYPE_TERMS, Lang, Term
from analysis.estimates.intervals import Interval, share
from analysis.figures import (
    COLOURS,
    NARROW,
    WIDE,
    Mark,
    Stack,
    Tail,
    differences,
    grouped_means,
    histogram,
    log_tail,
    mean_dots,
    running,
    share_bars,
    share_dots,
    tornado,
)
from analysis.figures.canvas import Canvas, canvas
from analysis.figures.rows import Difference, Pair
from analysis.figures.style import INK, LABEL, PALE, SMALL, THEME, text_width, wrapped

DEALS = 1_000_000
HITS = (312_000, 54_000, 13_000, 710, 61, 7, 0)
AXIS = Term("deals (%, logarithmic)", "局（%，对数轴）")
LONG = Term(
    "wins that replace a tile after the second kong of a hand with three claims from the same seat",
    "同一家三次吃碰之后第二次开杠补牌而成的胡牌，且全场无人报听，庄家连庄三次以上",
)

Draw = Callable[[int, Lang], Markup]


def around(estimate: float, half: float, few: bool = False) -> Interval:
    return Interval(estimate, estimate - half, estimate + half, "normal", few)


def marks(lang: Lang) -> list[Mark]:
    terms = [LONG, *TYPE_TERMS.values()]
    return [Mark(term, share(hits, DEALS), "type") for term, hits in zip(terms, HITS, strict=False)]


def dots(width: int, lang: Lang) -> Markup:
    return share_dots([*marks(lang), Mark(SEAT_TERMS[0], share(50, 50), "type")], AXIS.say(lang), "Types", width, lang)


def bars(width: int, lang: Lang) -> Markup:
    found = [Mark(term, share(30_000, DEALS), name) for name, term in OUTCOME_TERMS.items()]
    found += [Mark(LONG, share(0, 30), "drawn"), Mark(LONG, share(30, 30), "drawn")]
    return share_bars(found, AXIS.say(lang), "Endings", width, lang)


def means(width: int, lang: Lang) -> Markup:
    values = [
        around(0.31, 0.02),
        around(-0.14, 0.02),
        around(0.1, 0.2, True),
        Interval(0.2, None, None, "normal", True),
    ]
    terms = [*SEAT_TERMS[:3], LONG]
    return mean_dots(
        [Mark(term, each, "points") for term, each in zip(terms, values, strict=True)], AXIS.say(lang), "P", width, lang
    )


def columns(width: int, lang: Lang) -> Markup:
    stacks = [
        Stack(term, name, {at: 0.02 * exp(-(((at - 40) / 15) ** 2)) for at in range(1, 84)})
        for name, term in [*OUTCOME_TERMS.items(), ("type", LONG)]
    ]
    totals = {at: share(round(DEALS * sum(stack.heights[at] for stack in stacks)), DEALS) for at in range(1, 84)}
    return histogram(stacks, (LONG.say(lang), LONG.say(lang)), "Length", width, lang, totals)


def tail(width: int, lang: Lang) -> Markup:
    tails = [
        Tail(label, "points", {at: share(round(0.4 * DEALS * exp(-at / scale)), DEALS) for at in range(1, 200)}, dashed)
        for label, scale, dashed in ((SEAT_TERMS[0], 13, False), (LONG, 12, True), (SEAT_TERMS[1], 14, True))
    ]
    return log_tail(tails, (LONG.say(lang), AXIS.say(lang)), "Tail", width, lang)


def fish(width: int, lang: Lang) -> Markup:
    pairs = [Pair(term, around(0.1, 0.012), around(0.09, 0.002), "fish") for term in SEAT_TERMS]
    pairs += [Pair(LONG, None, around(-0.1, 0.02, True), "fish"), Pair(LONG, None, None, "fish")]
    return grouped_means(pairs, (Term("as settled", "按结算"), LONG), AXIS.say(lang), "Fish", width, lang)


def options(width: int, lang: Lang) -> Markup:
    moved = (0.004, -0.2, 0.05, 0.0)
    found = [Mark(LONG, around(each, 0.006, each == 0.05), "points") for each in moved]
    return tornado(found, 0.02, LONG.say(lang), "Options", width, lang, Term("within ±0.02", "±0.02 以内"))


def verdicts(width: int, lang: Lang, swing: float = 3.0) -> Markup:
    found = [
        Difference(LONG, around(0.031, 0.004), 0.01, "different", "+0.031"),
        Difference(OUTCOME_TERMS["drawn"], around(0.0001, 0.0003), 0.001, "equivalent", "+0.01 %"),
        Difference(SEAT_TERMS[0], around(-0.8, 0.9), 1.0, "open", "\u22120.8"),
        Difference(SEAT_TERMS[1], around(swing, 0.1), 1.0, "different", f"+{swing:.0f}"),
    ]
    return differences(found, AXIS.say(lang), "Verdicts", width, lang)


def far_verdicts(width: int, lang: Lang) -> Markup:
    return verdicts(width, lang, swing=2400.0)


def growing(width: int, lang: Lang) -> Markup:
    found = {10**power: around(0.05, 4 / 10 ** (power / 2)) for power in range(1, 8)}
    return running(found, (AXIS.say(lang), LONG.say(lang)), "Edge", width)


CHARTS: tuple[Draw, ...] = (
    dots, bars, means, columns, tail, fish, options, verdicts, far_verdicts, growing,
)  # fmt: skip
every_chart = pytest.mark.parametrize("draw", CHARTS, ids=lambda draw: draw.__name__)
every_width = pytest.mark.parametrize("width", [WIDE, NARROW])
every_language = pytest.mark.parametrize("lang", LANGS)


@pytest.fixture
def misfits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What does not fit in the charts drawn meanwhile."""
    found: list[str] = []
    finish = Canvas.svg

    def svg(self: Canvas, title: str) -> Markup:
        done = finish(self, title)
        found.extend(self.misfits())
        return done

    monkeypatch.setattr(Canvas, "svg", svg)
    return found


@every_chart
@every_width
@every_language
def test_no_text_leaves_the_paper_or_lies_on_another(misfits: list[str], draw: Draw, width: int, lang: Lang) -> None:
    draw(width, lang)
    assert not misfits


def test_texts_that_do_not_fit_are_found() -> None:
    with canvas(100, 50) as paper:
        paper.text(10, 20, "dealer")
        paper.text(20, 24, "next")
        paper.text(90, 40, "opposite")
        assert paper.misfits() == ["'opposite' leaves the paper", "'next' lies on 'dealer'"]


@every_chart
@every_width
def test_a_chart_is_a_small_titled_drawing_without_ids_or_dates(draw: Draw, width: int) -> None:
    drawn = draw(width, "en")
    root = ElementTree.fromstring(drawn)
    assert root.tag == "svg"
    assert root.get("viewBox") == f"0 0 {width} {root.get('height')}"
    assert root.get("width") == str(width)
    assert root.get("role") == "img"
    assert root[0].tag == "title"
    assert root.get("aria-label") == root[0].text
    assert {each.tag for each in root.iter()} == {"svg", "title", "path", "text"}
    assert not any({"id", "transform"} & set(each.attrib) for each in root.iter())
    assert not re.search(r"nan|inf|<style|<\?xml|<!DOCTYPE|20\d\d-", drawn)
    assert len(drawn.encode()) < 40_000


@every_chart
def test_colours_are_the_page_s_or_of_the_palette(draw: Draw) -> None:
    drawn = draw(WIDE, "en")
    allowed = set(COLOURS.values()) - set(THEME)
    assert set(re.findall(r"#[0-9A-Fa-f]{6}", drawn)) <= allowed
    assert set(re.findall(r"var\([^)]*\)", drawn)) <= set(THEME.values())
    assert "var(--soft)" in drawn


def test_a_colour_has_one_meaning() -> None:
    assert len(set(COLOURS.values())) == len(COLOURS)


@every_chart
@every_width
def test_texts_are_texts_of_at_least_eleven_pixels(draw: Draw, width: int) -> None:
    texts = ElementTree.fromstring(draw(width, "zh")).findall("text")
    assert len(texts) > 5
    for text in texts:
        assert text.text
        size = re.search(r"font-size:([0-9.]+)px", text.get("style", ""))
        assert size
        assert float(size[1]) >= 11
        assert "font-family" not in text.attrib


@every_chart
@every_width
def test_every_coordinate_is_on_the_paper(draw: Draw, width: int) -> None:
    root = ElementTree.fromstring(draw(width, "en"))
    height = float(root.get("height", "0"))
    for path in root.findall("path"):
        commands = re.findall(r"([A-Za-z])([^A-Za-z]*)", path.get("d", ""))
        assert commands[0][0] == "M"
        for letter, text in commands:
            numbers = [float(number) for number in text.split()]
            across = numbers if letter == "H" else [] if letter == "V" else numbers[::2]
            down = numbers if letter == "V" else [] if letter == "H" else numbers[1::2]
            assert all(0 <= x <= width for x in across)
            assert all(0 <= y <= height for y in down)


def test_the_same_numbers_give_the_same_bytes_whatever_the_reader_s_settings() -> None:
    before = [draw(NARROW, "en") for draw in CHARTS]
    with matplotlib.rc_context(
        {"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "path", "axes.facecolor": "red"}
    ):
        settings = dict(matplotlib.rcParams)
        assert [draw(NARROW, "en") for draw in CHARTS] == before
        assert dict(matplotlib.rcParams) == settings


def test_titles_and_labels_are_escaped_and_never_formulas() -> None:
    bad = Term("<b> $x^2$ & \"q\" 'r'", '<b> $x^2$ & "q"')
    drawn = means(WIDE, "en") + mean_dots([Mark(bad, around(1, 0.1), "points")], bad.en, bad.en, WIDE, "en")
    root = ElementTree.fromstring(f"<all>{drawn}</all>")[1]
    assert root.get("aria-label") == bad.en
    assert bad.both("en") in [text.text for text in root.findall("text")]


def test_a_character_that_the_font_lacks_takes_the_room_of_a_wide_one() -> None:
    assert text_width("𠮷") == LABEL
    drawn = mean_dots([Mark(Term("𠮷 ꙮ", "𠮷"), around(1, 0.1), "points")], "points", "t", WIDE, "en")
    assert "𠮷 ꙮ" in drawn


def shapes(drawn: Markup) -> str:
    return re.sub(r"<text.*?</text>", "", drawn)


def test_a_bound_is_an_arrow_few_cases_are_pale_and_intervals_are_drawn() -> None:
    def drawn(interval: Interval) -> str:
        return shapes(share_dots([Mark(SEAT_TERMS[0], interval, "type")], "deals", "t", WIDE, "en"))

    sure, few, never, always = (drawn(share(hits, 100_000)) for hits in (5_000, 5, 0, 100_000))
    assert COLOURS["type"] in sure
    assert "opacity" not in sure
    assert f'opacity="{PALE}"' in few
    assert COLOURS["type"] not in never + always
    assert never != always
    for each in (sure, few):
        assert each.count("stroke:var(--ink)") == 3  # the interval and its ends
    for each in (never, always):
        assert each.count("stroke:var(--soft)") >= 2


def test_bars_start_at_zero() -> None:
    drawn = share_bars([Mark(SEAT_TERMS[0], share(40, 100), "drawn")], "deals", "t", WIDE, "en")
    bar = re.search(rf'<path d="M([0-9.]+)[^"]*" fill="{COLOURS["drawn"]}"', drawn)
    base = re.search(r'<path d="M([0-9.]+)[^"]*" [^>]*stroke:var\(--soft\)', drawn)
    assert bar
    assert base
    assert bar[1] == base[1]


def test_the_longest_bar_of_a_tornado_comes_first() -> None:
    words = [Mark(Term(str(n), str(n)), around(n, 0.1), "points") for n in (3, -8, 5)]
    drawn = tornado(words, None, "points", "t", WIDE, "en", LONG)
    places = [drawn.index(f">{n}<") for n in (-8, 5, 3)]
    assert places == sorted(places)


def test_differences_far_beyond_the_margin_are_on_a_logarithmic_axis_that_says_so() -> None:
    assert "logarithmic beyond" not in verdicts(WIDE, "en")
    assert "logarithmic beyond" in far_verdicts(WIDE, "en")
    assert "对数轴" in far_verdicts(WIDE, "zh").replace(AXIS.zh, "")


def test_verdicts_have_shapes_of_their_own() -> None:
    drawn = verdicts(WIDE, "en")
    for words in ("decided: different", "decided: practically equal", "open"):
        assert f">{words}<" in drawn


@pytest.mark.parametrize("text", [LONG.en, LONG.zh, "a" * 80, "长 words 与 中文，混排", "", " "])
@pytest.mark.parametrize("width", [60, 200])
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: float) -> None:
    lines = wrapped(text, width, SMALL)
    assert all(text_width(line, SMALL) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert not any(line[:1] in "，。、" for line in lines if line)


def test_numbers_that_say_little_make_a_chart(misfits: list[str]) -> None:
    axes = ("points", "deals")
    none = around(0.0, 0.0)
    for width in (WIDE, NARROW):
        for at in ({3: share(0, 5)}, {1: share(5, 5), 2: share(0, 5)}, {1: share(1, 9)}):
            log_tail([Tail(SEAT_TERMS[0], "points", at)], axes, "t", width, "en")
        running({1: Interval(3.0, None, None, "normal", True), 10: none}, axes, "t", width)
        running({1: Interval(3.0, None, None, "normal", True)}, axes, "t", width)
        histogram([Stack(SEAT_TERMS[0], "drawn", {83: 1.0})], axes, "t", width, "en", {83: share(1, 1)})
        tornado([Mark(LONG, none, "points")], None, "points", "t", width, "en", LONG)
        mean_dots([Mark(LONG, Interval(0.0, None, None, "normal", True), "points")], "points", "t", width, "en")
        share_bars([Mark(LONG, share(0, 1), "drawn")], "deals", "t", width, "en")
        share_dots([Mark(LONG, share(hits, 10**10), "type") for hits in (0, 1)], "deals", "t", width, "en")
        differences([Difference(LONG, none, 1e-9, "equivalent", "0")], "margins", "t", width, "en")
    assert not misfits


def test_ink_is_the_page_s() -> None:
    assert THEME[INK] == "var(--ink)"
