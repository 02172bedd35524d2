"""Estimates with the interval that says how well they are known, from exact whole numbers."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final

from scipy.special import betainccinv, betaincinv

CONFIDENCE: Final = 0.95

#: An estimate from fewer events than this is shown with a warning.
FEW: Final = 10

#: With this many hits or fewer (or misses), a share has Jeffreys' interval. Three is the most with which the coverage
#: stays within two points of 95 % from 1 to 1,000 expected hits: see `analysis.estimates.calibration`.
RARE: Final = 3


@dataclass(frozen=True)
class Interval:
    """An estimate and its confidence interval.

    Attributes
    ----------
    estimate : float
        The estimate.
    low, high : float or None
        Ends of the interval; None where the data cannot say (the mean of a single deal).
    method : str
        ``wilson``, ``jeffreys`` (at most `RARE` hits or misses), ``bound`` (exact and one-sided, with no hits or
        nothing but hits), ``normal`` or ``ratio`` (the deal being the unit), and from batches ``batch``, ``paired``,
        ``control`` or ``bca``; ``moments`` for a spread or skewness, ``order`` for a quantile.
    few : bool
        Whether fewer than `FEW` events (hits of a share, deals of a mean, batches) stand behind it.
    """

    estimate: float
    low: float | None
    high: float | None
    method: str
    few: bool = False


@dataclass(frozen=True)
class Sums:
    """Number, sum and sum of squares of a whole number x."""

    n: int
    x: int
    xx: int

    def spread(self) -> float | None:
        """Standard deviation of x (divisor n − 1); None with fewer than two."""
        if self.n < 2:
            return None
        return sqrt((self.n * self.xx - self.x**2) / (self.n * (self.n - 1)))


@dataclass(frozen=True)
class PairSums:
    """Number, sums, sums of squares and cross product of two whole numbers x and y."""

    n: int
    x: int
    y: int
    xx: int
    xy: int
    yy: int

    def residual(self) -> int:
        """Σ(x − Ry)² with R = Σx / Σy, times (Σy)², which makes it a whole number."""
        return self.xx * self.y**2 - 2 * self.xy * self.x * self.y + self.yy * self.x**2


def z_value(confidence: float = CONFIDENCE) -> float:
    """How many standard deviations on each side of the mean hold this share of a normal distribution.

    >>> round(z_value(0.95), 3)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


def upper_bound_at_zero(n: int, confidence: float = CONFIDENCE) -> float:
    """The one-sided exact (Clopper–Pearson) upper bound of a probability of which n trials showed no hit.

    >>> round(upper_bound_at_zero(300), 4)
    0.0099
    """
    return float(1 - (1 - confidence) ** (1 / n))


def share(hits: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """A share with the interval that suits how many hits there were.

    Parameters
    ----------
    hits : int
        Trials that succeeded.
    n : int
        Trials, at least one.
    confidence : float
        Chance that the interval covers the true share.

    Returns
    -------
    Interval
        The exact one-sided ``bound`` with no hits or nothing but hits, ``jeffreys`` with at most `RARE` hits or misses,
        otherwise ``wilson``.

    Examples
    --------
    >>> share(0, 300).method, share(2, 300).method, share(30, 300).method
    ('bound', 'jeffreys', 'wilson')
    >>> found = share(10, 100)
    >>> round(found.low, 4), found.estimate, round(found.high, 4)
    (0.0552, 0.1, 0.1744)
    """
    _check(hits, n)
    return share_of_size(hits, n, float(n), confidence)


def wilson(hits: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """A share with the score interval of Wilson (1927), whatever the number of hits.

    Examples
    --------
    >>> found = wilson(0, 100)
    >>> found.low, round(found.high, 4)
    (0.0, 0.037)
    """
    _check(hits, n)
    return _wilson(hits, n, float(n), confidence)


def jeffreys(hits: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """A share with the equal-tailed interval of Jeffreys' prior, whatever the number of hits.

    With no hits it starts at 0, with nothing but hits it ends at 1, as Brown, Cai and DasGupta (2001) advise.

    Examples
    --------
    >>> found = jeffreys(2, 100)
    >>> round(found.low, 4), round(found.high, 4)
    (0.0042, 0.0626)
    """
    _check(hits, n)
    return _jeffreys(hits, n, float(n), confidence)


def share_of_size(hits: int, n: int, size: float, confidence: float = CONFIDENCE) -> Interval:
    """A share of n things that say as much as so many independent ones, with the interval `share` would choose.

    Parameters
    ----------
    hits, n : int
        Things that have it, things.
    size : float
        Number of independent things that would give the share the variance it has: n, or less where things hang
        together.
    confidence : float
        Chance that the interval covers the true share.

    Returns
    -------
    Interval
        Without hits, or with nothing but hits, the bound of n independent things: what never happened does not show
        how it hangs together.
    """
    if hits == 0:
        return Interval(0.0, 0.0, upper_bound_at_zero(n, confidence), "bound", few=True)
    if hits == n:
        return Interval(1.0, 1 - upper_bound_at_zero(n, confidence), 1.0, "bound", few=n < FEW)
    if min(hits, n - hits) * (size / n) <= RARE:
        return _jeffreys(hits, n, size, confidence)
    return _wilson(hits, n, size, confidence)


def share_interval(sums: PairSums, confidence: float = CONFIDENCE) -> Interval | None:
    """A share of things that come several to a deal: x hits among y things, the deal being the unit.

    Wins of one deal hang together. The interval is that of as many independent things as would give the share the
    variance it has as a ratio of two means over deals, never more than there were.

    Parameters
    ----------
    sums : PairSums
        x: hits in a deal, y: things in a deal, over all deals.
    confidence : float
        Chance that the interval covers the true share.

    Returns
    -------
    Interval or None
        None if there was nothing to be a share of.
    """
    if sums.y == 0:
        return None
    independent = sums.x * (sums.y - sums.x)  # y² times the sum of squares if each thing were a deal of its own
    clustered = sums.residual()
    size = sums.y * min(1.0, sums.y * independent / clustered) if clustered else float(sums.y)
    return share_of_size(sums.x, sums.y, size, confidence)


def mean_interval(n: int, total: int, total_of_squares: int, confidence: float = CONFIDENCE) -> Interval | None:
    """A mean with its normal interval, from exact sums.

    Parameters
    ----------
    n, total, total_of_squares : int
        Number of values, their sum, the sum of their squares.
    confidence : float
        Chance that the interval covers the true mean.

    Returns
    -------
    Interval or None
        None without values; without ends for a single one.

    Examples
    --------
    >>> found = mean_interval(4, 10, 30)
    >>> found.estimate, round(found.low, 3), round(found.high, 3)
    (2.5, 1.235, 3.765)
    """
    if n == 0:
        return None
    spread = Sums(n, total, total_of_squares).spread()
    return _around(total / n, None if spread is None else spread / sqrt(n), n, "normal", confidence)


def ratio_interval(sums: PairSums, confidence: float = CONFIDENCE) -> Interval | None:
    """The ratio of two sums over deals, Σx / Σy, such as points per fish, the deal being the unit.

    Returns
    -------
    Interval or None
        None if Σy is 0; without ends for a single deal.
    """
    if sums.y == 0:
        return None
    error = None
    if sums.n > 1:
        error = sqrt(sums.residual() * sums.n / (sums.n - 1)) / sums.y**2
    return _around(sums.x / sums.y, error, sums.n, "ratio", confidence)


def _around(estimate: float, error: float | None, n: int, method: str, confidence: float) -> Interval:
    """An estimate with its standard error to both sides."""
    if error is None:
        return Interval(estimate, None, None, method, few=True)
    half = z_value(confidence) * error
    return Interval(estimate, estimate - half, estimate + half, method, few=n < FEW)


def _check(hits: int, n: int) -> None:
    """Refuse what is no share."""
    if not 0 <= hits <= n or n == 0:
        raise ValueError(f"{hits} hits in {n} trials are no share")


def _wilson(hits: int, n: int, size: float, confidence: float) -> Interval:
    """Wilson's interval of a sample of the given size with this share of hits."""
    z = z_value(confidence)
    estimate = hits / n
    centre = estimate + z**2 / (2 * size)
    half = z * sqrt(estimate * (1 - estimate) / size + z**2 / (4 * size**2))
    scale = 1 + z**2 / size
    low = (centre - half) / scale if hits else 0.0
    high = (centre + half) / scale if hits < n else 1.0
    return Interval(estimate, max(0.0, low), min(1.0, high), "wilson", few=hits < FEW)


def _jeffreys(hits: int, n: int, size: float, confidence: float) -> Interval:
    """Jeffreys' interval of a sample of the given size with this share of hits."""
    yes, no = hits / n * size + 0.5, (n - hits) / n * size + 0.5
    tail = (1 - confidence) / 2
    low = float(betaincinv(yes, no, tail)) if hits else 0.0
    high = float(betainccinv(yes, no, tail)) if hits < n else 1.0
    return Interval(hits / n, low, high, "jeffreys", few=hits < FEW)
