"""Estimates from sums over batches of deals: the batches' own scatter says how well the total is known.

Deals differ wildly in what they pay, things that come several to a deal hang together, and two rulesets played on the
same walls rise and fall together. Sums over at most 1,024 batches keep all of that, whatever the number of deals. All
sums are exact whole numbers up to the last division, so no answer depends on the order of the batches, and a batch in
which nothing was counted changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from analysis.estimates.intervals import CONFIDENCE, FEW, Interval, PairSums, share_of_size, z_value

Batches = NDArray[np.int64]


@dataclass(frozen=True)
class Difference:
    """The difference of two ratios measured on the same batches.

    Attributes
    ----------
    interval : Interval
        The difference, method ``paired``.
    paired, unpaired : float or None
        Its variance, and the one it would have if the two had been measured on walls of their own; None from a single
        batch.
    """

    interval: Interval
    paired: float | None
    unpaired: float | None

    @property
    def gain(self) -> float | None:
        """How many times as many unpaired deals would be needed; None where the pairs leave no variance at all."""
        return self.unpaired / self.paired if self.paired and self.unpaired is not None else None


@dataclass(frozen=True)
class Adjusted:
    """A ratio adjusted by control variates.

    Attributes
    ----------
    interval : Interval
        The adjusted ratio, method ``control``.
    plain : Interval
        The ratio as it was counted, method ``batch``.
    gain : float or None
        The plain variance over the adjusted one; None where either is unknown or the controls leave no variance.
    """

    interval: Interval
    plain: Interval
    gain: float | None


def batch_ratio(x: Batches, y: Batches, confidence: float = CONFIDENCE) -> Interval | None:
    """The ratio of two totals Σx / Σy, such as points per win; a mean per deal where y counts the deals.

    Parameters
    ----------
    x, y : ndarray of int64
        The sums of each batch; y is nowhere negative.
    confidence : float
        Chance that the interval covers the true ratio.

    Returns
    -------
    Interval or None
        Batch means by the delta method with Student's quantile, method ``batch``. None if Σy is 0; without ends where
        all of y is in one batch; ``few`` where few batches have data.

    Examples
    --------
    >>> found = batch_ratio(np.array([4, 6, 5, 9]), np.array([2, 2, 2, 2]))
    >>> found.estimate, round(found.low, 3), round(found.high, 3)
    (3.0, 1.281, 4.719)
    """
    sums = _pair_sums(x, y)
    if sums.y == 0:
        return None
    return _around(sums.x / sums.y, _variance(sums), _freedom(sums), _busy(x), "batch", confidence)


def batch_share(x: Batches, y: Batches, confidence: float = CONFIDENCE) -> Interval | None:
    """A share of things that come several to a deal: x hits among y things.

    Parameters
    ----------
    x, y : ndarray of int64
        The hits and the things of each batch.
    confidence : float
        Chance that the interval covers the true share.

    Returns
    -------
    Interval or None
        That of `analysis.estimates.intervals.share` for as many independent things as would give the share the
        variance it has between batches, fewer where few batches tell that variance (Korn and Graubard 1998), never
        more than there were. From a single batch, that of independent things. None if there was nothing to be a share
        of.

    Examples
    --------
    >>> found = batch_share(np.array([30, 0, 0, 30]), np.array([100, 100, 100, 100]))
    >>> found.estimate, round(found.low, 2), round(found.high, 2)
    (0.15, 0.02, 0.53)
    """
    sums = _pair_sums(x, y)
    if sums.y == 0:
        return None
    size = float(sums.y)
    variance, freedom = _variance(sums), _freedom(sums)
    if variance:
        estimate = sums.x / sums.y
        independent = estimate * (1 - estimate) / variance
        size = min(size, independent * (z_value(confidence) / _student(freedom, confidence)) ** 2)
    return share_of_size(sums.x, sums.y, size, confidence)


def batch_difference(
    x1: Batches, y1: Batches, x2: Batches, y2: Batches, confidence: float = CONFIDENCE
) -> Difference | None:
    """The difference Σx1 / Σy1 − Σx2 / Σy2 of two ratios measured on the same batches of walls.

    Parameters
    ----------
    x1, y1, x2, y2 : ndarray of int64
        The sums of each batch, the same walls in the same place.
    confidence : float
        Chance that the interval covers the true difference.

    Returns
    -------
    Difference or None
        None if Σy1 or Σy2 is 0. ``few`` where the two differ in few batches.

    Examples
    --------
    >>> deals = np.array([10, 10, 10])
    >>> found = batch_difference(np.array([50, 90, 70]), deals, np.array([40, 79, 61]), deals)
    >>> round(found.interval.estimate, 3), round(found.interval.low, 3), round(found.interval.high, 3)
    (1.0, 0.752, 1.248)
    >>> round(found.gain)
    781
    """
    first, second = _pair_sums(x1, y1), _pair_sums(x2, y2)
    if first.y == 0 or second.y == 0:
        return None
    # A batch's share in each ratio's error, times (Σy1)² (Σy2)², which makes it a whole number.
    scale = (first.y * second.y) ** 2
    error1 = (_exact(x1) * first.y - _exact(y1) * first.x) * second.y**2
    error2 = (_exact(x2) * second.y - _exact(y2) * second.x) * first.y**2
    estimate = Fraction(first.x, first.y) - Fraction(second.x, second.y)
    # Both ratios share one allowance for the totals having been estimated from the same batches.
    left = 1 - (Fraction(first.yy, first.y**2) + Fraction(second.yy, second.y**2)) / 2
    paired = unpaired = None
    if left:
        paired = float(Fraction(int(((error1 - error2) ** 2).sum()), scale**2) / left)
        unpaired = float(Fraction(int((error1**2).sum() + (error2**2).sum()), scale**2) / left)
    freedom = min(_freedom(first), _freedom(second))
    if freedom <= 0:
        paired = unpaired = None
    # Where the two ratios of a batch differ; its errors do everywhere, as soon as the totals do.
    apart = _exact(x1) * _exact(y2) - _exact(x2) * _exact(y1)
    interval = _around(float(estimate), paired, freedom, _busy(apart), "paired", confidence)
    return Difference(interval, paired, unpaired)


def control_variate(
    x: Batches,
    y: Batches,
    controls: Batches,
    means: Sequence[float | Fraction],
    deals: Batches | None = None,
    confidence: float = CONFIDENCE,
) -> Adjusted | None:
    """The ratio Σx / Σy, freed of the luck that quantities with known means show to have been in it.

    If the deals had more of a control than its exact mean, and batches with more of it have a higher ratio, then the
    ratio came out too high: a regression on the controls says by how much.

    Parameters
    ----------
    x, y : ndarray of int64
        The sums of each batch.
    controls : ndarray of int64, shape (batches, controls)
        The sums of each control in each batch.
    means : sequence of float or Fraction
        The exact mean of each control per deal.
    deals : ndarray of int64, optional
        The deals of each batch, where y does not count them.
    confidence : float
        Chance that the interval covers the true ratio.

    Returns
    -------
    Adjusted or None
        None if Σy is 0. A control that never varied, or only as others did, is of no use and does no harm.

    Examples
    --------
    >>> heads = np.array([6, 4, 5, 7, 5, 6])
    >>> points = np.array([61, 40, 49, 72, 51, 60])
    >>> tosses = np.full(6, 10)
    >>> found = control_variate(points, tosses, heads[:, None], [Fraction(1, 2)])
    >>> round(found.plain.estimate, 2), round(found.interval.estimate, 2), round(found.gain)
    (5.55, 5.02, 120)
    """
    plain = batch_ratio(x, y, confidence)
    if plain is None:
        return None
    sums = _pair_sums(x, y)
    counted = _exact(y if deals is None else deals)
    if controls.shape != (len(x), len(means)):
        raise ValueError(f"controls of shape {controls.shape} for {len(x)} batches and {len(means)} means")
    error = _exact(x) * sums.y - _exact(y) * sums.x
    found = _regression(error, controls, means, counted)
    estimate = (sums.x - found.shift / sums.y) / sums.y
    rank = found.rank
    variance, freedom = _variance(sums), _freedom(sums)
    adjusted = None
    if variance is not None and freedom > rank:
        stretch = 1 + found.distance / (freedom + 1)
        adjusted = variance * found.left * freedom / (freedom - rank) * stretch
    interval = _around(estimate, adjusted, freedom - rank, _busy(x), "control", confidence)
    return Adjusted(interval, plain, variance / adjusted if variance and adjusted else None)


@dataclass(frozen=True)
class _Regression:
    """What controls say of an error.

    How much of its total was luck, how far from their means the controls were drawn in units of their scatter, the part
    of its squares that is left, and how many controls say something of their own.
    """

    shift: float
    distance: float
    left: float
    rank: int


def _regression(
    error: NDArray[Any], controls: Batches, means: Sequence[float | Fraction], deals: NDArray[Any]
) -> _Regression:
    """Least squares of the batches' errors on their controls, those that never vary left out."""
    n = int(deals.sum())
    columns = [_exact(column) for column in controls.T]
    scatter = [column * n - deals * int(column.sum()) for column in columns]
    varied = [place for place, each in enumerate(scatter) if any(each)]
    if not varied:
        return _Regression(0.0, 0.0, 1.0, 0)
    # In units of each control's own scatter, so that large and small controls count alike.
    unit = {place: sqrt(int((scatter[place] ** 2).sum())) for place in varied}
    between = np.array([[int((scatter[i] * scatter[j]).sum()) / (unit[i] * unit[j]) for j in varied] for i in varied])
    along = np.array([int((scatter[place] * error).sum()) / unit[place] for place in varied])
    luck = [float((int(columns[place].sum()) - Fraction(means[place]) * n) * n) / unit[place] for place in varied]
    drawn = np.array(luck)
    inverse = np.linalg.pinv(between, rcond=1e-9, hermitian=True)
    total = int((error**2).sum())
    return _Regression(
        shift=float(drawn @ inverse @ along),
        distance=float(drawn @ inverse @ drawn),
        left=max(0.0, 1 - float(along @ inverse @ along) / total) if total else 1.0,
        rank=int(np.linalg.matrix_rank(between, tol=1e-9, hermitian=True)),
    )


def _exact(column: NDArray[Any]) -> NDArray[Any]:
    """The same numbers as Python's, which know no overflow."""
    return column.astype(object)


def _pair_sums(x: Batches, y: Batches) -> PairSums:
    """Exact sums, squares and cross product over batches."""
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"sums of shapes {x.shape} and {y.shape} are not of the same batches")
    if y.size and int(y.min()) < 0:
        raise ValueError("a batch counts fewer than no things")
    a, b = _exact(x), _exact(y)
    return PairSums(len(x), int(a.sum()), int(b.sum()), int((a * a).sum()), int((a * b).sum()), int((b * b).sum()))


def _variance(sums: PairSums) -> float | None:
    """The variance of Σx / Σy; None where all of y is in one batch.

    Σ(x − Ry)² / (Σy)² over 1 − Σ(y / Σy)², which is the usual (batches − 1) / batches where batches are of one size.
    """
    left = sums.y**2 - sums.yy
    return sums.residual() / (sums.y**2 * left) if left else None


def _freedom(sums: PairSums) -> float:
    """Degrees of freedom: how many batches of one size would be as unequal as these (Satterthwaite), less one."""
    return sums.y**2 / sums.yy - 1


def _busy(column: NDArray[Any]) -> int:
    """In how many batches anything happened."""
    return int(np.count_nonzero(column))


def _student(freedom: float, confidence: float) -> float:
    """How many standard errors on each side hold this share of Student's distribution."""
    return float(stdtrit(freedom, (1 + confidence) / 2))


def _around(
    estimate: float, variance: float | None, freedom: float, busy: int, method: str, confidence: float
) -> Interval:
    """An estimate with Student's interval."""
    if variance is None:
        return Interval(estimate, None, None, method, few=True)
    half = _student(freedom, confidence) * sqrt(variance)
    return Interval(estimate, estimate - half, estimate + half, method, few=min(freedom + 1, busy) < FEW)
