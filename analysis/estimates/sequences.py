"""Confidence sequences: intervals that hold at every look at once, so that one may stop whenever one has seen enough.

A 95 % interval looked at again and again while deals come in leaves out the truth in the end, almost surely. Sums over
deals behave like Brownian motion, and the mixture martingale of Robbins bounds that at all times at once: with n deals,
a variance of the estimate v and a tuning constant r,

    half-width = √v · √(2 (n r + 1) / (n r) · log(√(n r + 1) / error))

is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Annals of Statistics 2024,
Theorem 2.2), where v = σ² / n comes from batches of deals. Where hardly any batch differs, nothing is normal: there the
rate of deals that differ is bounded by the gamma mixture of Poisson counts (Howard, Ramdas, McAuliffe and Sekhon 2021).
"""

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, lambertw

Floats = npt.NDArray[np.floating[Any]]

#: Shape of the gamma mixture of rates: Jeffreys' for a Poisson count.
_SHAPE: Final = 0.5


@dataclass(frozen=True)
class Watch:
    """A promise made before the first deal: how much error is allowed, among how many statements, over which time.

    Each statement gets an equal part of the error (Bonferroni), because then all their intervals hold together, at any
    time at which anyone stops: a metric that is called changed and one that is called unchanged are both covered.
    Holm's procedure would only make the first kind of statement sharper.

    Attributes
    ----------
    first, last : int
        Deals at the first look, and at the last there can be; the intervals are shortest halfway (geometrically).
    statements : int
        How many intervals hold together.
    error : float
        Chance that any of them ever leaves out its truth.
    """

    first: int
    last: int
    statements: int = 1
    error: float = 0.05

    @property
    def each(self) -> float:
        """The chance of error of one statement."""
        return self.error / max(self.statements, 1)

    @property
    def tuning(self) -> float:
        """The constant of the mixture."""
        return best_tuning(sqrt(self.first * self.last), self.each)

    def multiplier(self, deals: int) -> float:
        """How many standard errors the interval reaches to each side after so many deals."""
        return float(multiplier(np.array(float(deals)), self.tuning, self.each))

    def p_value(self, estimate: float, variance: float, deals: int) -> float:
        """The p-value that the estimate is of 0, valid at any time, corrected for the number of statements."""
        scaled = deals * self.tuning
        evidence = scaled / (2 * (scaled + 1)) * estimate**2 / variance - log(scaled + 1) / 2
        return min(1.0, self.statements * exp(-max(evidence, 0.0)))

    def rate_bound(self, events: int, deals: int) -> float:
        """What the chance of an event per deal is below, after so many events, at all times at once."""
        return rate_bound(events, deals, self.first, self.each)


def best_tuning(deals: float, error: float) -> float:
    """The constant with which the interval is shortest after so many deals.

    Setting the derivative of the half-width to zero gives r n + 1 = −W(−error² / e) on Lambert's lower branch.

    >>> times = np.array([1e6])
    >>> best = best_tuning(1e6, 0.05)
    >>> bool(multiplier(times, best, 0.05)[0] < min(multiplier(times, best * k, 0.05)[0] for k in (0.8, 1.25)))
    True
    """
    return float(-lambertw(-(error**2) / np.e, -1).real - 1) / deals


def multiplier(deals: Floats, tuning: float, error: float) -> Floats:
    """How many standard errors the interval reaches to each side, after so many deals.

    Parameters
    ----------
    deals : ndarray of float
        Numbers of deals.
    tuning : float
        See `best_tuning`.
    error : float
        Chance that the interval ever leaves out the truth.

    Returns
    -------
    ndarray of float
        Of the same shape; more than Student's quantile, since it is for all times at once.

    Examples
    --------
    >>> multiplier(np.array([1e5, 1e6, 1e7]), best_tuning(1e6, 0.05), 0.05).round(2)
    array([3.82, 3.04, 3.25])
    """
    scaled = deals * tuning
    return np.asarray(np.sqrt(2 * (1 + 1 / scaled) * np.log(np.sqrt(scaled + 1) / error)))


def rate_bound(events: int, deals: int, first: int, error: float) -> float:
    """What the chance of a rare event is below, at all times at once.

    The largest rate λ at which ∫ (t/λ)^events e^(−(t − λ) deals) dG(t) is still 1 / error, with G a gamma distribution
    of shape ½ and scale 1 / first: a martingale of mean 1 if λ is the true rate.

    Parameters
    ----------
    events, deals : int
        How many events there were in how many deals.
    first : int
        Deals at the first look.
    error : float
        Chance that the bound is ever below the rate.

    Examples
    --------
    >>> round(rate_bound(0, 100_000, 100_000, 0.05) * 100_000, 2)
    3.34
    >>> rate_bound(2, 100_000, 100_000, 0.05) > rate_bound(1, 100_000, 100_000, 0.05)
    True
    """
    # log of λ^events e^(−λ deals) at the bound
    level = (
        log(error)
        + _SHAPE * log(first)
        - float(gammaln(_SHAPE))
        + float(gammaln(_SHAPE + events))
        - (_SHAPE + events) * log(first + deals)
    )
    if events == 0:
        return -level / deals
    ratio = deals / events
    return float(-lambertw(-ratio * exp(level / events), -1).real) / ratio
