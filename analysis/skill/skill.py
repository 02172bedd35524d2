"""Luck and skill: how much better one player is than another, and how long it takes to show.

Player A sits among players B in every seat in turn, and every time the same walls are played. What A wins is then due
to how it plays: two equal players win exactly nothing from each other, wall by wall, since the points of the four seats
sum to zero. Dealers rotate with the deals, so that A deals as often as anyone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from analysis.counts.aggregate import Aggregate
from analysis.counts.histogram import Histogram
from analysis.counts.measures import SEATS
from analysis.estimates.batches import batch_ratio
from analysis.estimates.intervals import CONFIDENCE, Interval, Sums, share, z_value

Batches = npt.NDArray[np.int64]

#: The chance with which the better player is to be ahead.
AHEAD: Final = 0.95

#: Deals of an evening, for which the share of luck is shown.
EVENING: Final = 100

#: Resampled matches from which the chance of being ahead is estimated.
TRIALS: Final = 10_000


@dataclass(frozen=True)
class Seating:
    """One run of a match: where A sat, and what came of it.

    Attributes
    ----------
    seats : tuple of int
        A's physical seats; B sits in the others.
    aggregate : Aggregate
        All deals of the run.
    points : Histogram
        Deals by the points that A's seats won in them together.
    """

    seats: tuple[int, ...]
    aggregate: Aggregate
    points: Histogram

    @property
    def net(self) -> Batches:
        """Points of A's seats together in each batch."""
        return self.aggregate.over(f"net_seat_{seat}" for seat in self.seats)


@dataclass(frozen=True)
class Match:
    """A among B on the same walls, in every seating.

    Attributes
    ----------
    first, second : str
        Names of A and of B.
    seatings : tuple of Seating
        Runs over the same walls: four where A sits alone, six where there are two A.

    Notes
    -----
    A's *edge* is what its seats win together in a deal, on average: alone against three, or two against two.
    """

    first: str
    second: str
    seatings: tuple[Seating, ...]

    @property
    def net(self) -> Batches:
        """Points of A over all seatings, in each batch of walls."""
        return total_of(seating.net for seating in self.seatings)

    @property
    def played(self) -> Batches:
        """Deals over all seatings, in each batch of walls."""
        return total_of(seating.aggregate.sums["deals"] for seating in self.seatings)

    @property
    def deals(self) -> int:
        """Deals over all seatings."""
        return int(self.played.sum())

    @property
    def points(self) -> Histogram:
        """Deals over all seatings by A's points."""
        return Histogram.merged(seating.points for seating in self.seatings)

    @property
    def edge(self) -> Interval:
        """Points a deal that A wins, with its interval from batches in which the seatings of a wall stay together."""
        found = batch_ratio(self.net, self.played)
        assert found is not None  # every seating has deals
        return found

    @property
    def spread(self) -> float | None:
        """Standard deviation of A's points in a single deal; None from a single deal."""
        return self._sums.spread()

    @property
    def p_value(self) -> float:
        """How likely an edge as large, to either side, is between equal players; 1 where it cannot be told."""
        return p_value(self.net, self.played)

    @property
    def until_ahead(self) -> Interval | None:
        """Deals until the better player is ahead with 95 % probability; None where the interval of the edge holds 0."""
        return deals_until_ahead(self.edge, self.spread)

    def luck(self, deals: int = 1) -> Interval | None:
        """Share of luck in the result of so many deals: see `luck_share`."""
        return luck_share(self.edge, self.spread, deals)

    def chance_ahead(self, deals: int, trials: int = TRIALS, seed: int = 0) -> Interval:
        """How often the better player is ahead after so many deals, by resampling the deals that were played."""
        sign = 1 if self.edge.estimate >= 0 else -1
        return chance_ahead(
            Histogram({(sign * key[0],): n for key, n in self.points.counts.items()}), deals, trials, seed
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "deals": self.deals,
            "points": int(self.net.sum()),
            "by_seating": [{"seats": list(each.seats), "points": int(each.net.sum())} for each in self.seatings],
        }

    @property
    def _sums(self) -> Sums:
        return self.points.sums(lambda key: key[0])


def total_of(parts: Iterable[Batches]) -> Batches:
    """The sum of some batches, place by place."""
    total: Batches = np.stack(list(parts)).sum(axis=0, dtype=np.int64)
    return total


def placements(number: int = 1) -> Iterator[tuple[int, ...]]:
    """Where so many A can sit among the four.

    >>> list(placements()), len(list(placements(2)))
    ([(0,), (1,), (2,), (3,)], 6)
    """
    if not 1 <= number < SEATS:
        raise ValueError(f"{number} seats for the first player: 1 to {SEATS - 1} expected")
    return combinations(range(SEATS), number)


def points_of(columns: Mapping[str, npt.NDArray[Any]], seats: Sequence[int]) -> Histogram:
    """Deals by the points that some physical seats won together, from the recorded columns."""
    points = np.sum([columns[f"net_{seat}"] for seat in seats], axis=0, dtype=np.int64)
    values, counts = np.unique(points, return_counts=True)
    return Histogram({(int(value),): int(count) for value, count in zip(values, counts, strict=True)})


def deals_until_ahead(edge: Interval, spread: float | None, chance: float = AHEAD) -> Interval | None:
    """Deals until the better player is ahead with a given probability.

    The sum of n deals is about normal with mean n · edge and standard deviation √n · spread, so that it is above zero
    with this probability once n = (z · spread / edge)².

    Parameters
    ----------
    edge : Interval
        Points a deal.
    spread : float or None
        Standard deviation of a single deal.
    chance : float
        Probability of being ahead.

    Returns
    -------
    Interval or None
        From the ends of the edge's interval. None where that holds 0, so that it is not known who is better.

    Examples
    --------
    >>> found = deals_until_ahead(Interval(0.5, 0.4, 0.6, "batch"), 5.0)
    >>> round(found.estimate), round(found.low), round(found.high)
    (271, 188, 423)
    """
    if edge.low is None or edge.high is None or spread is None or edge.low <= 0 <= edge.high:
        return None
    z = z_value(2 * chance - 1)
    few, estimate, many = sorted((z * spread / each) ** 2 for each in (edge.low, edge.estimate, edge.high))
    return Interval(estimate, few, many, edge.method, edge.few)


def luck_share(edge: Interval, spread: float | None, deals: int = 1) -> Interval | None:
    """How much of the result of so many deals is luck.

    The mean square of a result is n · spread² + (n · edge)²: what chance adds, and what skill adds. Luck's share is
    the first over both: 1 between equal players, one half where the better one is ahead with 84 % probability.

    Examples
    --------
    >>> found = luck_share(Interval(0.5, 0.4, 0.6, "batch"), 5.0, 100)
    >>> round(found.low, 3), found.estimate, round(found.high, 3)
    (0.41, 0.5, 0.61)
    """
    if edge.low is None or edge.high is None or not spread:
        return None

    def of(points: float) -> float:
        return spread**2 / (spread**2 + deals * points**2)

    ends = [of(edge.low), of(edge.high)]
    high = 1.0 if edge.low <= 0 <= edge.high else max(ends)
    return Interval(of(edge.estimate), min(ends), high, edge.method, edge.few)


def chance_ahead(points: Histogram, deals: int, trials: int = TRIALS, seed: int = 0) -> Interval:
    """How often the sum of so many deals, drawn with replacement from those that were played, is above zero.

    Parameters
    ----------
    points : Histogram
        Deals by points.
    deals : int
        Deals in a match.
    trials : int
        Matches.
    seed : int
        Seed of the resampling.

    Examples
    --------
    >>> coin = Histogram({(-1,): 4, (1,): 6})
    >>> 0.84 < chance_ahead(coin, 25, 2000).estimate < 0.88
    True
    """
    values = np.array([key[0] for key in points.counts], np.int64)
    weights = np.array(list(points.counts.values()), np.float64)
    random = np.random.Generator(np.random.Philox(seed))
    drawn = random.multinomial(deals, weights / weights.sum(), size=trials)
    return share(int(np.count_nonzero(drawn @ values > 0)), trials)


def p_value(x: Batches, y: Batches) -> float:
    """The two-sided p-value of a ratio Σx / Σy being zero, by Student's distribution over batches; 1 if unknown.

    Examples
    --------
    >>> round(p_value(np.array([4, 6, 5, 9]), np.array([2, 2, 2, 2])), 4)
    0.0115
    """
    found = batch_ratio(x, y)
    if found is None or found.low is None or found.high is None:
        return 1.0
    # The half-width of an interval is Student's quantile times the standard error.
    freedom = float(y.sum()) ** 2 / float((y.astype(np.float64) ** 2).sum()) - 1
    error = (found.high - found.low) / 2 / float(stdtrit(freedom, (1 + CONFIDENCE) / 2))
    if error == 0:
        return 0.0 if found.estimate else 1.0
    return float(2 * stdtr(freedom, -abs(found.estimate) / error))
