"""Quantities whose exact mean is known, held against what the deals say: self-checks of the simulation."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from scipy.special import ndtr

from analysis.checks.exact import LEVEL
from analysis.display.text import Lang, Term, fixed, grouped, significant
from analysis.estimates.intervals import Interval

#: From fewer things than this no expectation is judged: the normal tails would not hold.
ENOUGH: Final = 400


@dataclass(frozen=True)
class Expectation:
    """A self-check: a quantity whose exact mean is known.

    Attributes
    ----------
    key : str
        Its name in JSON.
    term : Term
        What it is.
    expected : Fraction
        Its exact mean.
    measured : Interval
        What the deals say.
    z : float
        By how many standard errors they differ.
    size : float
        How many deals, tiles or wins stand behind it; of a share, the expected number of the rarer kind.
    """

    key: str
    term: Term
    expected: Fraction
    measured: Interval
    z: float
    size: float

    @property
    def p_value(self) -> float:
        """The chance of a difference so large, to either side."""
        return 2 * float(ndtr(-abs(self.z)))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return {"expected": str(self.expected), "measured": self.measured.estimate, "z": self.z}

    def warning(self, lang: Lang) -> str:
        """What to say where chance does not explain the difference."""
        measured, expected = significant(self.measured.estimate, 4), significant(float(self.expected), 4)
        z, once = fixed(self.z, 1, sign=True), grouped(round(1 / LEVEL))
        return Term(
            f"SELF-CHECK FAILED: {self.term.en}: {measured} instead of {expected}, z = {z}; a sound simulator fails "
            f"once in {once} runs. Do not trust these results.",
            f"自检未通过：{self.term.zh}：{measured}，应为 {expected}，z = {z}；正确的模拟器每 {once} 次运行才有一次"
            "不通过。请勿采信这些结果。",
        ).say(lang)


def failed(expectations: Iterable[Expectation], level: float = LEVEL) -> list[Expectation]:
    """The expectations of a run that chance does not explain.

    Parameters
    ----------
    expectations : iterable of Expectation
        All those of a run.
    level : float
        The chance that a sound simulator fails any of them (Bonferroni).

    Examples
    --------
    >>> def heads(z, size):
    ...     share = Interval(0.6, 0.5, 0.7, "wilson")
    ...     return Expectation("heads", Term("heads", "正面"), Fraction(1, 2), share, z, size)
    >>> [(each.z, each.size) for each in failed([heads(3.0, 1000), heads(9.0, 30), heads(9.0, 1000)])]
    [(9.0, 1000)]
    """
    judged = [each for each in expectations if each.size >= ENOUGH]
    return [each for each in judged if each.p_value * len(judged) < level]
