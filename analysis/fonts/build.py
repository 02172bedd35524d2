"""Makes the font anew from Noto Sans CJK: ``python -m analysis.fonts.build SOURCE``, or ``make font``.

The font holds every character of the program's texts and those of ``characters.txt``. A few signs that its source lacks
are put in the place of signs that nobody needs.
"""

import ast
import json
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from fontTools import subset  # type: ignore[import-untyped]
from fontTools.misc.transform import Transform  # type: ignore[import-untyped]
from fontTools.pens.svgPathPen import SVGPathPen  # type: ignore[import-untyped]
from fontTools.pens.t2CharStringPen import T2CharStringPen  # type: ignore[import-untyped]
from fontTools.pens.transformPen import TransformPen  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont, TTLibError  # type: ignore[import-untyped]

from analysis.fonts import FAMILY, FOLDER, font_path, outlines_path, web_font_path

SOURCE_NAME: Final = "Noto Sans CJK SC"
ROOT: Final = FOLDER.parent.parent

#: The texts that a report, a chart or a transcript can quote.
TEXTS: Final = ("analysis/**/*.py", "analysis/templates/*", "mjsim/**/*.py", "mjsim/**/*.toml", "docs/rules.md")

#: Spaces that the source lacks, and their widths in thousandths of the font size; a figure space is as wide as a digit.
SPACES: Final = {"\u2007": 555, "\u2009": 165, "\u200a": 90, "\u202f": 165}
#: Raised signs that the source lacks, and the signs they are made of.
RAISED: Final = {"⁰": "0", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9", "⁻": "\u2212"}
#: Signs of the source that give their places to those, in this order.
GIVEN_UP: Final = tuple(map(chr, range(0x3131, 0x3131 + len(SPACES) + len(RAISED))))  # Korean letters

#: What stands on tiles, drawn even where a page may load no font.
OUTLINED: Final = "一二三四五六七八九万东南西北发中123456789ESWN"

_RAISING: Final = Transform(0.6, 0, 0, 0.6, 20, 330)
_DOWNWARDS: Final = Transform(1, 0, 0, -1, 0, 880)  # a square of 1000, its corner at the top left
_KEPT_NAMES: Final = {1: FAMILY, 2: "Regular", 4: FAMILY, 6: FAMILY.replace(" ", "-")}
_UNUSED_TABLES: Final = ("BASE", "DSIG", "GDEF", "GPOS", "GSUB", "VORG", "vhea", "vmtx")


def text_files() -> Iterator[Path]:
    """The files of `TEXTS`, in a fixed order."""
    for pattern in TEXTS:
        yield from sorted(path for path in ROOT.glob(pattern) if path.is_file())


def shown_characters(path: Path) -> set[str]:
    """The characters of a text file that leave ink or space; a Python file's also as its strings spell them out."""
    words = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        strings = (node.value for node in ast.walk(ast.parse(words)) if isinstance(node, ast.Constant))
        words += "".join(value for value in strings if isinstance(value, str))
    return {character for character in words if character.isprintable() or unicodedata.category(character) == "Zs"}


def further_characters() -> set[str]:
    """The characters of ``characters.txt``."""
    lines = (FOLDER / "characters.txt").read_text(encoding="utf-8").splitlines()
    return {character for line in lines if not line.startswith("# ") for character in line}


def wanted_characters() -> set[str]:
    """All that the font is to hold."""
    return further_characters().union(*map(shown_characters, text_files()))


def opened(source: Path) -> TTFont:
    """The font of that name in a collection, or the one of a file."""
    options = subset.Options(recalc_timestamp=False)
    number = 0
    while True:
        options.font_number = number
        font = subset.load_font(str(source), options, dontLoadGlyphNames=True)
        if font["name"].getDebugName(1) == SOURCE_NAME:
            return font
        number += 1
        if number >= font.reader.numFonts:
            raise TTLibError(f"{source}: holds no {SOURCE_NAME}")


def reduce(font: TTFont, characters: set[str]) -> None:
    """Leave in a font only some characters, without hints and layout features."""
    options = subset.Options(
        layout_features=[], hinting=False, desubroutinize=True, notdef_outline=True, name_IDs=[0, 5, 7, 13, 14]
    )
    options.drop_tables += _UNUSED_TABLES
    reducer = subset.Subsetter(options)
    reducer.populate(text="".join(sorted(characters)))
    reducer.subset(font)


def put_in(font: TTFont, character: str, place: str, width: int, drawn_from: str | None = None) -> None:
    """Give a character the place of another: an empty one for a space, or a smaller and raised drawing."""
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    glyph = names[ord(place)]
    charstring: Any = font["CFF "].cff.topDictIndex[0].CharStrings[glyph]
    pen = T2CharStringPen(width - charstring.private.nominalWidthX, glyphs)
    if drawn_from is not None:
        glyphs[names[ord(drawn_from)]].draw(TransformPen(pen, _RAISING))
    charstring.setProgram(pen.getCharString().program)
    font["hmtx"][glyph] = (width, 0)
    for table in font["cmap"].tables:
        if table.cmap.pop(ord(place), None):
            table.cmap[ord(character)] = glyph


def rename(font: TTFont) -> None:
    """Give a font our family's name; what it says of its source and licence stays."""
    for entry in [each for each in font["name"].names if each.nameID in (1, 2, 3, 4, 6)]:
        font["name"].names.remove(entry)
    for number, words in _KEPT_NAMES.items():
        font["name"].setName(words, number, 3, 1, 0x409)
    top = font["CFF "].cff
    top.fontNames = [_KEPT_NAMES[6]]
    top.topDictIndex[0].FamilyName = top.topDictIndex[0].FullName = FAMILY


def outlines(font: TTFont) -> dict[str, str]:
    """SVG paths of the characters on tiles."""
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    paths = {}
    for character in OUTLINED:
        pen = SVGPathPen(glyphs, ntos=lambda number: str(round(number)))
        glyphs[names[ord(character)]].draw(TransformPen(pen, _DOWNWARDS))
        paths[character] = pen.getCommands()
    return paths


def build(source: Path) -> None:
    """Write the font as an OpenType file and as a WOFF2 file, and the outlines of what stands on tiles.

    Parameters
    ----------
    source : Path
        A collection or file with Noto Sans CJK SC.
    """
    font = opened(source)
    made = set(SPACES) | set(RAISED)
    reduce(font, wanted_characters() - made | set(GIVEN_UP))
    places = iter(GIVEN_UP)
    for space, width in SPACES.items():
        put_in(font, space, next(places), width)
    for raised, sign in RAISED.items():
        put_in(font, raised, next(places), 373, drawn_from=sign)
    rename(font)
    font.save(font_path())
    outlines_path().write_text(json.dumps(outlines(font), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    font.flavor = "woff2"
    font.save(web_font_path())
    missing = sorted(wanted_characters() - set(map(chr, font.getBestCmap())))
    print(f"{len(font.getBestCmap())} characters, {web_font_path().stat().st_size} bytes as WOFF2")
    if missing:
        print(f"{SOURCE_NAME} lacks {' '.join(f'{each} (U+{ord(each):04X})' for each in missing)}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m analysis.fonts.build SOURCE, where SOURCE is NotoSansCJK-Regular.ttc")
    build(Path(sys.argv[1]))
