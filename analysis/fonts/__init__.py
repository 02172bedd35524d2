"""The font that shows Chinese where the reader's machine has none; ``README.md`` beside it says how it was made."""

import base64
import functools
import json
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent

#: Name of the family in style sheets and in matplotlib.
FAMILY: Final = "mjsim sans"


def font_path() -> Path:
    """The font as an OpenType file, for matplotlib.

    Returns
    -------
    Path

    Examples
    --------
    >>> font_path().name
    'mjsim-sans.otf'
    """
    return FOLDER / "mjsim-sans.otf"


def web_font_path() -> Path:
    """The same font as a WOFF2 file, for pages.

    >>> web_font_path().name
    'mjsim-sans.woff2'
    """
    return FOLDER / "mjsim-sans.woff2"


def outlines_path() -> Path:
    """Outlines of the characters on tiles, as SVG paths by character.

    >>> outlines_path().name
    'outlines.json'
    """
    return FOLDER / "outlines.json"


@functools.cache
def outlines() -> dict[str, str]:
    """SVG paths of the characters on tiles, each in a square of 1000 with its corner at the top left.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> outlines()["一"]
    'M44 449V531H960V449Z'
    """
    paths: dict[str, str] = json.loads(outlines_path().read_text(encoding="utf-8"))
    return paths


def font_face_css() -> str:
    """A rule that brings the whole font into a page, so that no request leaves it.

    Returns
    -------
    str
        An ``@font-face`` rule for the family `FAMILY`.

    Examples
    --------
    >>> font_face_css()[:38]
    '@font-face{font-family:"mjsim sans";fo'
    """
    data = base64.b64encode(web_font_path().read_bytes()).decode("ascii")
    return (
        f'@font-face{{font-family:"{FAMILY}";font-weight:normal;font-style:normal;font-display:block;'
        f'src:url("data:font/woff2;base64,{data}") format("woff2")}}'
    )
