"""What one fish, or two, win their owner: as they were settled, and averaged over the eight reserved tiles.

The eight tiles are exchangeable: nobody sees them while the live tiles decide the deal. A fish is then any of the
eight with equal chance, and two fish any of their 28 pairs, so that every deal says what a fish would have won on
average instead of what one fish happened to win. Expected value, spread and chance of loss are the same; the luck of
the labels is gone.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.counts.aggregate import SEATS, Aggregate, Histogram, Key
from analysis.counts.fish_measures import TWO_OF_EIGHT
from analysis.counts.measures import LABELS, at
from analysis.estimates.batches import batch_ratio, batch_share
from analysis.estimates.intervals import FEW, Interval, z_value

Batches = npt.NDArray[np.int64]

EVERY_SEAT: Final = tuple(range(SEATS))


@dataclass(frozen=True)
class Bet:
    """A bet that was made in several equally likely ways: sums over all of them, batch by batch.

    Attributes
    ----------
    points, squares : ndarray of int64, shape (batches,)
        What it won its owner, and the squares of that.
    losing : ndarray of int64, shape (batches,)
        In how many of the ways it lost points.
    ways : ndarray of int64, shape (batches,)
        How many ways there were.
    """

    points: Batches
    squares: Batches
    losing: Batches
    ways: Batches

    @property
    def value(self) -> Interval | None:
        """Expected points."""
        return batch_ratio(self.points, self.ways)

    @property
    def loses(self) -> Interval | None:
        """The chance of losing points."""
        return batch_share(self.losing, self.ways)

    @property
    def spread(self) -> Interval | None:
        """Standard deviation of the points that one such bet wins."""
        return spread_of_sums(self.points, self.squares, self.ways)

    @property
    def value_per_spread(self) -> Interval | None:
        """Expected points for one point of standard deviation; None where the bet is no risk."""
        deviations, _ = _deviations(self.points, self.squares, self.ways)
        points, ways = self.points.astype(object), self.ways.astype(object)
        total, number = int(points.sum()), int(ways.sum())
        summed = int(deviations.sum())
        if not summed:
            return None
        variance = summed / number**3
        # The error of m / s is that of m over s, less that of s² times m / 2 s³: in whole numbers up to one factor.
        scaled = summed // number
        error = 2 * scaled * (points * number - ways * total) - total * (deviations - ways * scaled)
        found = batch_ratio(error, ways)
        assert found is not None
        ratio = total / number / sqrt(variance)
        if found.high is None:
            return Interval(ratio, None, None, found.method, found.few)
        half = found.high / (2 * float(number) ** 3 * variance**1.5)
        return Interval(ratio, ratio - half, ratio + half, found.method, found.few)


def one_fish(found: Aggregate, owners: Iterable[int] = EVERY_SEAT) -> Bet:
    """One fish on each of the eight reserved tiles, for owners by their seat from the dealer.

    Examples
    --------
    >>> import mjsim
    >>> from analysis.counts.counting import aggregate
    >>> found = aggregate(mjsim.simulate("liuzhou", deals=2000, seed=1).to_polars())
    >>> one, two = one_fish(found), two_fish(found)
    >>> two.value.estimate == 2 * one.value.estimate
    True
    >>> one.spread.estimate < two.spread.estimate < 2 * one.spread.estimate
    True
    """
    seats = tuple(owners)
    return Bet(
        _over(found, "eight", seats),
        _over(found, "squares", seats),
        _over(found, "losing", seats),
        LABELS * len(seats) * found.sums["fished"],
    )


def two_fish(found: Aggregate, owners: Iterable[int] = EVERY_SEAT) -> Bet:
    """Two fish on each pair of the eight reserved tiles.

    Each tile is in seven of the 28 pairs; the squares of the pairs' sums are six times the tiles' own and the square
    of the sum of all eight.
    """
    seats = tuple(owners)
    return Bet(
        (LABELS - 1) * _over(found, "eight", seats),
        (LABELS - 2) * _over(found, "squares", seats) + _over(found, "eight_squared", seats),
        _over(found, "losing_pairs", seats),
        TWO_OF_EIGHT * len(seats) * found.sums["fished"],
    )


def fish_on(found: Aggregate, seat: int, owners: Iterable[int] = EVERY_SEAT) -> Interval | None:
    """Expected points of a fish whose tile belongs to a seat."""
    seats = tuple(owners)
    return batch_ratio(
        found.over(f"eight_{owner}{seat}" for owner in seats), len(seats) * found.sums[at("lying", seat)]
    )


def exchangeable(found: Aggregate, ruleset: Mapping[str, Any] | None = None) -> bool:
    """Whether all eight tiles were set apart in every deal with fishing, so that they may be averaged over.

    Parameters
    ----------
    found : Aggregate
        The deals.
    ruleset : mapping, optional
        Their rules, as in a run's manifest. Under ``fishing.reserve = "picked"`` tiles that nobody took are drawn, so
        that only deals in which all eight were taken will do. Without it, all eight are taken to be set apart.
    """
    fished = found.total("fished")
    everything = int(found.seats("taken").sum()) == LABELS * fished
    return bool(fished) and (everything or ruleset is None or ruleset["fishing"]["reserve"] == "all")


def taken_alike(found: Aggregate) -> int | None:
    """How many fish every seat took in every deal with fishing; None if that varied."""
    seats = SEATS * found.total("fished")
    numbers = (seats - found.total("owners_1") - found.total("owners_2"), *map(found.total, ("owners_1", "owners_2")))
    return next((number for number, owners in enumerate(numbers) if owners == seats), None)


def root(variance: Interval) -> Interval:
    """The standard deviation, from a variance."""
    low = None if variance.low is None else sqrt(max(0.0, variance.low))
    high = None if variance.high is None else sqrt(variance.high)
    return Interval(sqrt(variance.estimate), low, high, variance.method, variance.few)


def spread_of(found: Histogram, value: Callable[[Key], int]) -> Interval | None:
    """Standard deviation of a value with its normal interval, each count of the histogram being an independent one."""
    n = found.total()
    variance, fourth = (found.central_moment(order, value) for order in (2, 4))
    if variance is None or fourth is None:
        return None
    half = z_value() * sqrt(max(0.0, fourth - variance**2) / n)
    return root(Interval(variance, variance - half, variance + half, "normal", few=n < FEW))


def spread_of_sums(points: Batches, squares: Batches, number: Batches) -> Interval | None:
    """Standard deviation of points from their sums, the sums of their squares and their number in each batch.

    Examples
    --------
    >>> rolls = np.random.default_rng(1).integers(1, 7, (1000, 50))
    >>> found = spread_of_sums(rolls.sum(axis=1), (rolls**2).sum(axis=1), np.full(1000, 50))
    >>> found.low < (35 / 12) ** 0.5 < found.high, found.high - found.low < 0.02
    (True, True)
    """
    variance = batch_ratio(*_deviations(points, squares, number))
    return None if variance is None else root(variance)


def _deviations(points: Batches, squares: Batches, number: Batches) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Sums of squares about the mean and numbers, both times the square of the whole number to stay whole."""
    x, xx, n = (each.astype(object) for each in (points, squares, number))
    total, everything = int(x.sum()), int(n.sum())
    return xx * everything**2 - 2 * total * everything * x + n * total**2, n * everything**2


def _over(found: Aggregate, name: str, owners: Iterable[int]) -> Batches:
    """Sum of a measure over some owners, in each batch."""
    return found.over(at(name, owner) for owner in owners)
