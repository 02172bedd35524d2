"""Mean, spread, skewness and quantiles of a whole number, each with its interval, from exact counts of its values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, fsum, sqrt
from typing import Final

from scipy.special import bdtrik

from analysis.counts.histogram import Histogram, Key
from analysis.estimates.intervals import CONFIDENCE, FEW, Interval, z_value

_TAIL: Final = (1 - CONFIDENCE) / 2


@dataclass(frozen=True)
class Distribution:
    """How often each value occurred.

    Attributes
    ----------
    counts : mapping of int to int
        How often, by value, in ascending order.
    together : int
        So many values hang together, such as those of the four seats of a session. Intervals are then as wide as if
        they were all alike, which is the widest they can have to be.

    Examples
    --------
    >>> points = Distribution({-1: 60, 0: 10, 3: 30})
    >>> points.n, points.mean().estimate, round(points.spread().estimate, 3), points.quantile(0.5).estimate
    (100, 0.3, 1.801, -1)
    """

    counts: Mapping[int, int]
    together: int = 1

    @staticmethod
    def of(histogram: Histogram, value: Callable[[Key], int], together: int = 1) -> "Distribution":
        """The distribution of a value of the keys of a histogram."""
        return Distribution(histogram.by(value), together)

    @cached_property
    def n(self) -> int:
        """Number of values."""
        return sum(self.counts.values())

    @cached_property
    def total(self) -> int:
        """Sum of the values."""
        return sum(value * count for value, count in self.counts.items())

    @property
    def lowest(self) -> int | None:
        """The lowest value that occurred."""
        return min(self.counts, default=None)

    @property
    def highest(self) -> int | None:
        """The highest value that occurred."""
        return max(self.counts, default=None)

    def reaching(self, least: int) -> int:
        """How many values are at least so large."""
        return sum(count for value, count in self.counts.items() if value >= least)

    def mean(self) -> Interval | None:
        """The mean with its normal interval; None without values."""
        if not self.n:
            return None
        variance = self._moment(2) * self.n / (self.n - 1) if self.n > 1 else None
        return self._around(self.total / self.n, None if variance is None else sqrt(variance / self.n), "normal")

    def spread(self) -> Interval | None:
        """The standard deviation (divisor n − 1), its interval from the fourth moment; None for a single value."""
        if self.n < 2:
            return None
        variance = self._moment(2)
        estimate = sqrt(variance * self.n / (self.n - 1))
        error = sqrt(max(0.0, self._moment(4) - variance**2) / self.n) / (2 * sqrt(variance)) if variance else None
        return self._around(estimate, error, "moments")

    def skewness(self) -> Interval | None:
        """The third moment in units of the spread, its interval by the delta method; None if all values are alike."""
        variance = self._moment(2) if self.n > 1 else 0.0
        if not variance:
            return None
        estimate = self._moment(3) / variance**1.5
        centre, scale = self.total / self.n, sqrt(variance)
        scores = [(count, (value - centre) / scale) for value, count in self.counts.items()]
        # How far a value pulls the estimate: its influence function.
        pulls = [(count, z**3 - 3 * z - estimate - 1.5 * estimate * (z**2 - 1)) for count, z in scores]
        return self._around(estimate, sqrt(fsum(count * pull**2 for count, pull in pulls)) / self.n, "moments")

    def quantile(self, share: float) -> Interval | None:
        """The smallest value that at least this share do not exceed, between order statistics; None without values."""
        if not self.n:
            return None
        estimate = self._ranked(min(self.n, max(1, ceil(share * self.n - 1e-9))))
        size = max(1, self.n // self.together)
        low_rank, high_rank = _ranks(share, size)
        low = None if low_rank is None else self._ranked(_scaled(low_rank, size, self.n))
        high = None if high_rank is None else self._ranked(_scaled(high_rank, size, self.n))
        return Interval(estimate, low, high, "order", few=low is None or high is None)

    def _ranked(self, rank: int) -> int:
        """The value of a rank, from 1 for the lowest."""
        reached = 0
        for value, count in self.counts.items():
            reached += count
            if reached >= rank:
                return value
        raise ValueError(f"rank {rank} of {self.n} values")

    def _moment(self, order: int) -> float:
        """The mean of (value − its mean)^order."""
        n, total = self.n, self.total
        exact = sum(count * (n * value - total) ** order for value, count in self.counts.items())
        return float(exact / n ** (order + 1))

    def _around(self, estimate: float, error: float | None, method: str) -> Interval:
        if error is None:
            return Interval(estimate, None, None, method, few=True)
        half = z_value() * error * sqrt(self.together)
        return Interval(estimate, estimate - half, estimate + half, method, few=self.n < FEW * self.together)


def _ranks(share: float, size: int) -> tuple[int | None, int | None]:
    """Ranks between which a quantile lies with 95 % confidence, whatever the distribution; None where no value is sure.

    How many of the values are at most the quantile is binomial.
    """
    low = high = None
    if (1 - share) ** size <= _TAIL:
        low = floor(float(bdtrik(_TAIL, size, share))) + 1
    if share**size <= _TAIL:
        high = ceil(float(bdtrik(1 - _TAIL, size, share))) + 1
    return low, high


def _scaled(rank: int, size: int, n: int) -> int:
    """The rank among n values that stands where a rank among fewer does."""
    return min(n, max(1, round(rank * n / size)))
