"""What a line of a coverage table is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from mjsim.coverage.facts import Facts, Flags
from mjsim.rules import Ruleset

Words: TypeAlias = tuple[str, str]
"""The same in English and in Chinese."""

Fired: TypeAlias = Callable[[Facts], Flags]
Possible: TypeAlias = Callable[[Ruleset], bool]


@dataclass(frozen=True)
class Line:
    """Something that the rules say, and in which deals it happened.

    Attributes
    ----------
    key : str
        Its name, "group.line".
    words : (str, str)
        What it is, in English and Chinese.
    fired : callable
        The deals in which it happened, from their facts.
    possible : callable
        Whether it can happen under a ruleset at all.
    """

    key: str
    words: Words
    fired: Fired
    possible: Possible

    @property
    def group(self) -> str:
        """What the line belongs to."""
        return self.key.partition(".")[0]


@dataclass(frozen=True)
class LoggedLine(Line):
    """A line that only a replay shows.

    Here ``fired`` are the deals in which it may have happened.

    Attributes
    ----------
    seen : callable
        Whether the events of one of these deals show it, from an array of shape (event, word) as `mjsim.deal.log`
        writes it, and the ruleset.
    """

    seen: Callable[[npt.NDArray[Any], Ruleset], bool]


def always(_: Ruleset) -> bool:
    """Possible under every ruleset."""
    return True
