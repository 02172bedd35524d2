"""Bootstrap intervals from batches, for estimates whose errors lean to one side: rare and dear deals do that."""

from collections.abc import Callable
from math import fsum, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from analysis.estimates.intervals import CONFIDENCE, FEW, Interval

#: Batches drawn at a time, which bounds the memory.
_CHUNK: Final = 1 << 19

#: From sums in the last axis, shape (…, columns), the statistic, NaN where it is undefined.
Statistic = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def bca(
    x: NDArray[np.int64],
    y: NDArray[np.int64],
    *,
    seed: int = 0,
    resamples: int = 2000,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """The ratio of two totals Σx / Σy with its bootstrap interval over batches.

    Parameters
    ----------
    x, y : ndarray of int64
        The sums of each batch.
    seed : int
        Of the resampling; the same seed gives the same interval, whatever the order of the batches.
    resamples : int
        How many times the batches are drawn anew.
    confidence : float
        Chance that the interval covers the true ratio.

    Returns
    -------
    Interval or None
        Bias-corrected and accelerated (Efron 1987), method ``bca``, widened for few batches as Hesterberg (2015)
        advises, which at 1,024 batches is by a six-hundredth. None if Σy is 0; without ends where y is in so few
        batches that a resample can miss them all.

    Examples
    --------
    >>> found = bca(np.array([4, 6, 5, 9, 4, 5]), np.array([2, 2, 2, 2, 2, 2]))
    >>> found.estimate, found.low < 2.5 < 3.5 < found.high
    (2.75, True)
    """
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"sums of shapes {x.shape} and {y.shape} are not of the same batches")
    columns = np.stack((x, y), axis=1)
    return bca_statistic(columns, _ratio, seed=seed, resamples=resamples, confidence=confidence)


def bca_spread(
    n: NDArray[np.int64],
    x: NDArray[np.int64],
    xx: NDArray[np.int64],
    *,
    seed: int = 0,
    resamples: int = 2000,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """The standard deviation of single deals with its bootstrap interval over batches.

    Parameters
    ----------
    n, x, xx : ndarray of int64
        The deals of each batch, their sum, and the sum of their squares.
    seed, resamples, confidence
        As for `bca`.

    Returns
    -------
    Interval or None
        None with fewer than two deals.

    Examples
    --------
    >>> found = bca_spread(np.full(4, 2), np.array([4, 6, 2, 4]), np.array([10, 20, 4, 8]))
    >>> round(found.estimate, 3)
    1.195
    """
    # Squares about a whole number near the mean: those about a far zero would swallow the spread.
    centre = int(x.sum()) // max(1, int(n.sum()))
    columns = np.stack((n, x - centre * n, xx - 2 * centre * x + centre**2 * n), axis=1)
    return bca_statistic(columns, _spread, seed=seed, resamples=resamples, confidence=confidence)


def bca_statistic(
    columns: NDArray[np.int64],
    statistic: Statistic,
    *,
    seed: int = 0,
    resamples: int = 2000,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """Any statistic of totals over batches with its bootstrap interval.

    Parameters
    ----------
    columns : ndarray of int64, shape (batches, columns)
        The sums of each batch.
    statistic : callable
        From totals in the last axis, shape (…, columns), the statistic; NaN where it is undefined.
    seed, resamples, confidence
        As for `bca`.

    Returns
    -------
    Interval or None
        None where the statistic of all batches is undefined; without ends where that of a resample, or of all batches
        but one, is. ``few`` where the first column is zero in all but few batches.
    """
    batches = len(columns)
    if batches and int(np.abs(columns).max()) > np.iinfo(np.int64).max // batches:
        raise OverflowError("the sums of the batches are too large to add up in 64 bits")
    total = columns.sum(axis=0)
    estimate = float(statistic(total[None])[0])
    if np.isnan(estimate):
        return None
    ordered = columns[np.lexsort(columns.T)]
    again = _resampled(ordered, statistic, seed, resamples)
    without = statistic(total - ordered)
    if len(columns) == 1 or np.isnan(again).any() or np.isnan(without).any():
        return Interval(estimate, None, None, "bca", few=True)
    low, high = np.quantile(again, _levels(estimate, again, without, confidence))
    busy = int(np.count_nonzero(columns[:, 0]))
    return Interval(estimate, float(low), float(high), "bca", few=busy < FEW)


def widened(batches: int, confidence: float = CONFIDENCE) -> float:
    """How many standard errors to each side make up for resamples of few batches scattering too little.

    Examples
    --------
    >>> round(widened(10), 2), round(widened(1024), 2)
    (2.38, 1.96)
    """
    return sqrt(batches / (batches - 1)) * float(stdtrit(batches - 1, (1 + confidence) / 2))


def _resampled(ordered: NDArray[np.int64], statistic: Statistic, seed: int, resamples: int) -> NDArray[np.float64]:
    """The statistic of as many batches drawn with replacement, again and again."""
    batches = len(ordered)
    rng = np.random.Generator(np.random.PCG64(seed))
    at_once = max(1, _CHUNK // batches)
    found = []
    for start in range(0, resamples, at_once):
        drawn = rng.integers(0, batches, (min(at_once, resamples - start), batches), dtype=np.int32)
        totals = np.stack([column[drawn].sum(axis=1) for column in ordered.T], axis=1)
        found.append(statistic(totals))
    return np.concatenate(found)


def _levels(
    estimate: float, again: NDArray[np.float64], without: NDArray[np.float64], confidence: float
) -> NDArray[np.float64]:
    """Which quantiles of the resamples are the ends: bias correction and acceleration move them."""
    below = (np.count_nonzero(again < estimate) + np.count_nonzero(again <= estimate)) / 2
    bias = float(ndtri(np.clip(below, 0.5, len(again) - 0.5) / len(again)))
    centre = fsum(without) / len(without)
    pull = centre - without
    squares = fsum(pull**2)
    acceleration = fsum(pull**3) / (6 * squares**1.5) if squares > 0 else 0.0
    moved = bias + widened(len(without), confidence) * np.array([-1.0, 1.0])
    return np.asarray(ndtr(bias + moved / (1 - acceleration * moved)), dtype=np.float64)


def _ratio(sums: NDArray[np.int64]) -> NDArray[np.float64]:
    """Σx / Σy from (x, y)."""
    x, y = sums[..., 0], sums[..., 1]
    return np.where(y != 0, x / np.where(y != 0, y, 1), np.nan)


def _spread(sums: NDArray[np.int64]) -> NDArray[np.float64]:
    """Standard deviation (divisor n − 1) from (n, Σx, Σx²)."""
    n, x, xx = sums[..., 0], sums[..., 1], sums[..., 2]
    deals = np.where(n > 1, n, 2)
    return np.where(n > 1, np.sqrt(np.maximum(0, xx - x / deals * x) / (deals - 1)), np.nan)
