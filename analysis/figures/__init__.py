"""Charts as inline SVG: each answers one question, with its intervals drawn, in a wide and a phone's width."""

from dataclasses import dataclass

from markupsafe import Markup

from analysis.figures.curves import Stack, Tail, histogram, log_tail, running
from analysis.figures.rows import (
    Difference,
    Mark,
    Pair,
    Verdict,
    differences,
    grouped_means,
    mean_dots,
    share_bars,
    share_dots,
    tornado,
)
from analysis.figures.style import COLOURS, NARROW, WIDE, nice_ticks

__all__ = [
    "COLOURS",
    "NARROW",
    "WIDE",
    "Difference",
    "Figure",
    "Mark",
    "Pair",
    "Stack",
    "Tail",
    "Verdict",
    "differences",
    "grouped_means",
    "histogram",
    "log_tail",
    "mean_dots",
    "nice_ticks",
    "running",
    "share_bars",
    "share_dots",
    "tornado",
]


@dataclass(frozen=True)
class Figure:
    """A chart: the finding it shows, what its marks are, and its drawings by width."""

    key: str
    title: str
    caption: str
    wide: Markup
    narrow: Markup
