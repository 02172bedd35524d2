"""The font that pages and charts carry: what it holds, what it is called, and that it can be read where it is used."""

import base64
import re
import warnings
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from analysis.display.text import MINUS, NOTHING, ORDINARY_TERM, OUTCOME_TERMS, PART_TERMS, SEAT_TERMS, THIN, TYPE_TERMS
from analysis.fonts import FAMILY, FOLDER, font_face_css, font_path, web_font_path
from analysis.fonts.build import ROOT, further_characters, shown_characters, text_files
from mjsim.rules import builtin_names, load_rules, variant_names
from mjsim.tiles import KINDS, name_zh

ADVICE = "run `make font` and commit both files of analysis/fonts"


def held(path: Path) -> set[str]:
    """The characters of a font file."""
    return set(map(chr, TTFont(path).getBestCmap()))


@pytest.fixture(scope="module")
def characters() -> set[str]:
    return held(font_path())


def test_texts_are_found() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in text_files()}
    assert {
        "analysis/display/text.py",
        "mjsim/transcript/words.py",
        "mjsim/rules/liuzhou.toml",
        "docs/rules.md",
    } <= names
    assert any(name.startswith("analysis/templates/") for name in names)


def test_font_holds_every_character_of_the_texts(characters: set[str]) -> None:
    missing = {
        str(path.relative_to(ROOT)): " ".join(f"{each} (U+{ord(each):04X})" for each in sorted(lacking))
        for path in text_files()
        if (lacking := shown_characters(path) - characters)
    }
    assert not missing, f"the font lacks characters, {ADVICE}: {missing}"


def test_font_holds_every_term_title_and_tile(characters: set[str]) -> None:
    terms = [ORDINARY_TERM, *TYPE_TERMS.values(), *OUTCOME_TERMS.values(), *SEAT_TERMS, *PART_TERMS.values()]
    titles = [load_rules(name).title for name in (*builtin_names(), *variant_names())]
    words = [*(term.en + term.zh for term in terms), *(title.en + title.zh for title in titles)]
    words += [*map(name_zh, range(KINDS)), THIN, MINUS, NOTHING]
    assert not set("".join(words)) - characters, ADVICE


def test_font_holds_the_further_characters(characters: set[str]) -> None:
    assert not further_characters() - characters, ADVICE
    assert len([each for each in characters if "一" <= each <= "鿿"]) > 1000


def test_strings_are_read_as_they_are_spelled_out(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text('A = "\\u202f\\n\\u4e00"  # 万\n', encoding="utf-8")
    assert {"\u202f", "一", "万"} < shown_characters(source)
    assert "\n" not in shown_characters(source)


def test_both_files_hold_the_same() -> None:
    plain, web = TTFont(font_path()), TTFont(web_font_path())
    assert plain.getBestCmap() == web.getBestCmap()
    assert web.flavor == "woff2"
    assert [str(each) for each in plain["name"].names] == [str(each) for each in web["name"].names]


def test_font_has_a_name_of_its_own_and_the_licence_of_its_source() -> None:
    names = TTFont(font_path())["name"]
    for number in (1, 3, 4, 6, 16):
        assert not re.search("source|noto", names.getDebugName(number) or "", re.IGNORECASE)
    assert names.getDebugName(1) == FAMILY
    assert "Adobe" in names.getDebugName(0)
    assert "SIL Open Font License, Version 1.1" in names.getDebugName(13)
    notice = (FOLDER / "OFL.txt").read_text(encoding="utf-8")
    assert "Copyright 2014-2021 Adobe" in notice
    assert "Reserved Font Name 'Source'" in notice
    assert "SIL OPEN FONT LICENSE Version 1.1" in notice


def test_narrow_spaces_are_narrow_and_digits_of_one_width() -> None:
    font = TTFont(font_path())
    names, metrics = font.getBestCmap(), font["hmtx"]
    widths = {digit: metrics[names[ord(digit)]][0] for digit in "0123456789\u2007"}
    assert len(set(widths.values())) == 1
    assert metrics[names[ord(THIN)]][0] < metrics[names[ord(" ")]][0]


def test_page_gets_the_whole_font_and_stays_small() -> None:
    css = font_face_css()
    matched = re.fullmatch(r'@font-face\{font-family:"(.*?)";.*src:url\("data:font/woff2;base64,(.*?)"\).*\}', css)
    assert matched is not None
    assert matched[1] == FAMILY
    assert TTFont(BytesIO(base64.b64decode(matched[2]))).getBestCmap() == TTFont(font_path()).getBestCmap()
    assert len(css) < 300_000


def test_matplotlib_draws_chinese_with_it() -> None:
    from matplotlib import font_manager
    from matplotlib.figure import Figure

    font = font_manager.FontProperties(fname=str(font_path()))
    assert font.get_name() == FAMILY
    figure, drawing = Figure(), StringIO()
    figure.text(0, 0, f"清一色 1{THIN}000 {MINUS}2 ⁹", fontproperties=font)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a missing glyph is a warning
        figure.savefig(drawing, format="svg")
    assert "<path" in drawing.getvalue()
    figure.text(0, 0, "\u4e02", fontproperties=font)
    with pytest.warns(UserWarning, match="missing from font"):
        figure.savefig(StringIO(), format="svg")
