"""What a variant changes, measured on the same walls as the base, and judged against none and against a margin."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log10, sqrt
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincc, gammainccinv, stdtr, stdtrit

from analysis.comparing.metrics import Metric
from analysis.comparing.verdicts import Effect, kind_of
from analysis.counts.aggregate import Aggregate, Integers
from analysis.estimates.batches import Difference, batch_difference, batch_ratio
from analysis.estimates.intervals import CONFIDENCE, FEW, Interval
from analysis.estimates.sequences import Watch

#: The chance of error that the verdicts of a question allow, all together.
ERROR: Final = 1 - CONFIDENCE

#: How finely a root's sums are scaled to whole numbers.
_FINE: Final = 1 << 24


@dataclass(frozen=True)
class Measured:
    """One metric under a base and a variant that played the same walls.

    Attributes
    ----------
    metric : Metric
    variant : str
        The variant's key.
    deals : int
        Of each side.
    base, value : Interval or None
        The metric under both.
    found : Difference or None
        The variant's value less the base's; None where there is nothing to divide by.
    freedom : float
        Degrees of freedom of the difference's variance.
    differing : int
        Batches in which the two are not the same.
    events : int
        How many batches the difference rests on: with equal shares their number, with unequal ones fewer.
    reach : float
        How far one differing deal in as many as there are is taken to move the value, times their number.
    margin : float
        Of practical equivalence, in the unit of the values.
    """

    metric: Metric
    variant: str
    deals: int
    base: Interval | None
    value: Interval | None
    found: Difference | None
    freedom: float
    differing: int
    events: int
    reach: float
    margin: float

    @property
    def rare(self) -> bool:
        """Whether the difference rests on so few batches that their scatter says nothing."""
        return self.events < FEW or self.found is None or self.found.paired is None

    @cached_property
    def estimate(self) -> float:
        """The difference."""
        return self.found.interval.estimate if self.found else 0.0

    @property
    def error(self) -> float:
        """Its standard error, from the batches."""
        return sqrt(self.found.paired) if self.found and self.found.paired else 0.0

    def p_value(self) -> float:
        """Of no difference, by Student's test of the paired batches; 1 where that test cannot be made."""
        if self.rare:
            return 1.0
        if not self.error:
            return float(self.estimate == 0)
        return float(2 * stdtr(self.freedom, -abs(self.estimate) / self.error))

    def p_equivalence(self) -> float:
        """Of a difference of the margin or more, by two one-sided tests; from the count where few batches differ."""
        if self.rare:
            return float(gammaincc(self.events + 1, self.margin * self.deals / self.reach)) if self.reach else 0.0
        if not self.error:
            return float(abs(self.estimate) >= self.margin)
        return float(stdtr(self.freedom, (abs(self.estimate) - self.margin) / self.error))

    def half_width(self, error: float) -> float:
        """How far the interval that errs so often reaches to each side."""
        if self.rare:
            return float(gammainccinv(self.events + 1, error)) * self.reach / self.deals
        return float(stdtrit(self.freedom, 1 - error / 2)) * self.error

    def effect(self, half: float, method: str, p_value: float, p_equivalence: float | None, needed: float) -> Effect:
        """The verdict, from an interval that reaches so far and p-values that are corrected already.

        Without a p-value of equivalence, the interval decides both questions.
        """
        both = self.metric, self.variant, self.base, self.value
        if self.found is None:
            return Effect(*both, None, None, self.differing, 1.0, p_equivalence, self.margin, "unknown", decided=True)
        low, high = self.estimate - half, self.estimate + half
        if self.rare:
            # Nobody knows the sign of what has hardly been seen.
            low, high = min(self.estimate, -half), max(self.estimate, half)
        if p_equivalence is None:
            differs, within = not low <= 0 <= high, -self.margin < low and high < self.margin
        else:
            differs, within = p_value < ERROR, p_equivalence < ERROR
        kind, decided = kind_of(differs and not self.rare, within, self.differing)
        return Effect(
            *both,
            difference=Interval(self.estimate, low, high, "rare" if self.rare else method, self.rare),
            gain=None if self.rare else self.found.gain,
            differing=self.differing,
            p_value=p_value,
            p_equivalence=p_equivalence,
            margin=self.margin,
            kind=kind,
            decided=decided,
            needed=None if decided else self._deals_needed(needed),
        )

    def _deals_needed(self, half: float) -> int:
        """About how many deals decide it, if the difference is what it seems, from how far an interval must reach."""
        if self.rare:
            ratio = half / self.margin
        else:
            distance = max(abs(self.estimate), self.margin - abs(self.estimate))
            ratio = (half / distance) ** 2
        deals = self.deals * max(ratio, 1.1)
        step = int(10 ** max(floor(log10(deals)) - 1, 0))
        return ceil(deals / step) * step


def measured(metric: Metric, key: str, base: Aggregate, variant: Aggregate, margin: float) -> Measured:
    """Measure a metric under a base and a variant, given by its key, that played the same walls."""
    found = paired(metric, base, variant)
    ours, theirs = metric.sums(base), metric.sums(variant)
    differing = int(np.count_nonzero((ours[0] != theirs[0]) | (ours[1] != theirs[1])))
    values = (value_of(metric, base), value_of(metric, variant))
    if found is None:
        return Measured(metric, key, base.deals, *values, None, 0.0, differing, 0, 0.0, margin)
    freedom = min(_freedom(ours[1]), _freedom(theirs[1]))
    shares = _shares(theirs, metric.root) - _shares(ours, metric.root)
    reach, events = metric.reach_in(base, variant), _resting_on(shares)
    if metric.is_share and found.paired is not None and sqrt(found.paired) < reach / base.deals:
        # A single deal more would move it farther than its scatter says: what it is a share of has changed here and
        # there, but hardly a hit, or hardly a miss.
        misses = (per - over for over, per in (ours, theirs))
        hits_differ, misses_differ = ours[0] != theirs[0], np.not_equal(*misses)
        events = min(events, FEW - 1, int(hits_differ.sum()), int(misses_differ.sum()))
    reach = max(reach, base.deals * float(np.abs(shares).max()))
    return Measured(metric, key, base.deals, *values, found, freedom, differing, events, reach, margin)


def _shares(sums: tuple[Integers, Integers], root: bool) -> npt.NDArray[np.float64]:
    """What each batch adds to the error of a ratio, or of its root."""
    over, per = (part.astype(float) for part in sums)
    ratio = over.sum() / per.sum()
    shares: npt.NDArray[np.float64] = (over - ratio * per) / per.sum()
    return shares / (2 * sqrt(ratio)) if root else shares


def _resting_on(shares: npt.NDArray[np.float64]) -> int:
    """How many equal shares would be as unequal as these.

    >>> _resting_on(np.array([1.0, -1.0, 0.0, 1.0])), _resting_on(np.zeros(4))
    (3, 0)
    """
    squares = (shares / max(float(np.abs(shares).max()), np.finfo(float).tiny)) ** 2
    return round(float(squares.sum() ** 2 / (squares**2).sum())) if squares.any() else 0


def value_of(metric: Metric, found: Aggregate) -> Interval | None:
    """A metric's value in one ruleset, with the interval of its batches."""
    value = batch_ratio(*metric.sums(found))
    if value is None or not metric.root:
        return value
    low, high = (None if end is None else sqrt(max(end, 0.0)) for end in (value.low, value.high))
    return Interval(sqrt(value.estimate), low, high, value.method, value.few)


def paired(metric: Metric, base: Aggregate, variant: Aggregate) -> Difference | None:
    """The variant's value less the base's, on the same walls; that of roots by the delta method.

    Returns
    -------
    Difference or None
        None where either side has nothing to divide by.
    """
    (over1, per1), (over2, per2) = metric.sums(variant), metric.sums(base)
    if not metric.root:
        return batch_difference(over1, per1, over2, per2)
    if not (over1.any() and over2.any()):
        return None
    # √a varies as a / (2 √a) does, whose sums are made whole numbers again.
    found = batch_difference(_halved_root(over1, per1), per1, _halved_root(over2, per2), per2)
    if found is None:
        return None
    estimate = sqrt(int(over1.sum()) / int(per1.sum())) - sqrt(int(over2.sum()) / int(per2.sum()))
    variances = (None if each is None else each / _FINE**2 for each in (found.paired, found.unpaired))
    return Difference(Interval(estimate, None, None, "paired"), *variances)


def _halved_root(over: Integers, per: Integers) -> Integers:
    return over * round(_FINE / (2 * sqrt(int(over.sum()) / int(per.sum()))))


def _freedom(per: Integers) -> float:
    """How many batches of one size would be as unequal as these, less one."""
    sizes = per.astype(float)
    return float(sizes.sum() ** 2 / (sizes**2).sum()) - 1


def judged(found: Sequence[Measured]) -> list[Effect]:
    """The verdicts on deals that are looked at once: Student's tests, corrected by Holm's procedure.

    Each question is a family of its own: of all effects called different, and of all called within their margin, the
    chance that any is wrongly called so is 5 %. The intervals are each for itself.
    """
    known = [each for each in found if each.found is not None]
    differ = iter(holm([each.p_value() for each in known]))
    within = iter(holm([each.p_equivalence() for each in known]))
    strict = ERROR / max(len(known), 1)
    effects = []
    for each in found:
        p_values = (1.0, 1.0) if each.found is None else (float(next(differ)), float(next(within)))
        effects.append(each.effect(each.half_width(ERROR), "paired", *p_values, each.half_width(strict)))
    return effects


def watched(found: Sequence[Measured], watch: Watch) -> list[Effect]:
    """The verdicts on deals that may be looked at again: confidence sequences that hold all together at all times."""
    effects = []
    for each in found:
        if each.rare:
            p_value, half = 1.0, watch.rate_bound(each.events, each.deals) * each.reach
        else:
            half = watch.multiplier(each.deals) * each.error
            p_value = (
                watch.p_value(each.estimate, each.error**2, each.deals) if each.error else float(each.estimate == 0)
            )
        effects.append(each.effect(half, "sequence", p_value, None, half))
    return effects


def holm(p_values: Sequence[float]) -> npt.NDArray[np.float64]:
    """P-values corrected for their number, so that all below 5 % together err in 5 % of cases (Holm 1979).

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return corrected
