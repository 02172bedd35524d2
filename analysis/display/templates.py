"""The HTML templates of pages and cards, and what they do to texts."""

import functools
import re
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup, escape

TEMPLATES: Final = Path(__file__).parents[1] / "templates"

#: Behind what a long name may break.
_PARTS: Final = re.compile(r"([._=])")


def template(name: str) -> jinja2.Template:
    """A template by its file."""
    return _environment().get_template(name)


def source(name: str) -> str:
    """A style sheet or script by its file."""
    return (TEMPLATES / name).read_text(encoding="utf-8").strip()


def unbroken(text: str) -> str:
    """A text whose intervals are not broken at their dash."""
    return text.replace("–", "–\u2060")


def breakable(text: str) -> str:
    """A name as options have them, with places where a line may break; any other text as it is.

    >>> breakable("kongs.rob_kong=false"), breakable("all pungs")
    (Markup('kongs.<wbr>rob_<wbr>kong=<wbr>false'), 'all pungs')
    """
    if " " in text or not {"_", "="} & set(text):
        return text
    return Markup(_PARTS.sub(r"\1<wbr>", str(escape(text))))


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["whole"] = unbroken
    environment.filters["breakable"] = breakable
    return environment
