"""How many deals had each combination of some whole numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from analysis.estimates.intervals import Sums

Key = tuple[int, ...]


def having(position: int, value: int) -> Callable[[Key], bool]:
    """Whether a key has a value at a position."""
    return lambda key: key[position] == value


@dataclass(frozen=True)
class Histogram:
    """How many deals (or seats of deals) had each combination of some values.

    Attributes
    ----------
    counts : mapping of tuple of int to int
        Number of deals by combination, or a sum over these deals.

    Examples
    --------
    >>> points = Histogram({(0, 3): 2, (0, -1): 6, (1, 0): 8})
    >>> dealer = points.where(having(0, 0))
    >>> dealer.total(), dealer.sums(lambda key: key[1]), dealer.quantile(0.5, lambda key: key[1])
    (8, Sums(n=8, x=0, xx=24), -1)
    """

    counts: Mapping[Key, int] = field(default_factory=dict)

    def __add__(self, other: "Histogram") -> "Histogram":
        return Histogram.merged((self, other))

    @staticmethod
    def merged(parts: "Iterable[Histogram]") -> "Histogram":
        """The sum of several histograms."""
        total: dict[Key, int] = {}
        for part in parts:
            for key, count in part.counts.items():
                total[key] = total.get(key, 0) + count
        return Histogram(dict(sorted(total.items())))

    def total(self, holds: Callable[[Key], bool] = lambda key: True) -> int:
        """Number of deals whose values fulfil a condition."""
        return sum(count for key, count in self.counts.items() if holds(key))

    def where(self, holds: Callable[[Key], bool]) -> "Histogram":
        """The part whose values fulfil a condition."""
        return Histogram({key: count for key, count in self.counts.items() if holds(key)})

    def by(self, value: Callable[[Key], int]) -> dict[int, int]:
        """Number of deals by one value, ascending."""
        counts: Counter[int] = Counter()
        for key, count in self.counts.items():
            counts[value(key)] += count
        return dict(sorted(counts.items()))

    def sums(self, value: Callable[[Key], int]) -> Sums:
        """Number, sum and sum of squares of a value."""
        weighed = [(count, value(key)) for key, count in self.counts.items()]
        return Sums(
            n=sum(count for count, _ in weighed),
            x=sum(count * x for count, x in weighed),
            xx=sum(count * x * x for count, x in weighed),
        )

    def central_moment(self, order: int, value: Callable[[Key], int]) -> float | None:
        """The mean of (value − its mean)^order, computed from exact sums; None without deals."""
        by_value = self.by(value)
        n = sum(by_value.values())
        if not n:
            return None
        total = sum(count * x for x, count in by_value.items())
        return float(sum(count * (n * x - total) ** order for x, count in by_value.items()) / n ** (order + 1))

    def quantile(self, share: float, value: Callable[[Key], int]) -> int | None:
        """The smallest value that at least this share of the deals do not exceed; None without deals."""
        by_value = self.by(value)
        needed = share * sum(by_value.values())
        reached = 0
        for each, count in by_value.items():
            reached += count
            if reached >= needed:
                return each
        return None
