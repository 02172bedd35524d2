"""What horses add to a win: as they were turned over, and averaged over the tiles that nobody had drawn.

Horses are the next tiles of the wall. Of N live tiles left, K belong to the winner, and their order is as good as any
other, so the hits among n horses are hypergeometric: n·K/N of them on average. What horses add is the points before
them times the hits; averaging it over the order takes the luck of the order out and leaves the expected value as it is.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm, sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.checks.expectations import Expectation
from analysis.counts.aggregate import SEATS, Histogram, having
from analysis.counts.counting import counted
from analysis.display.tables import Column, Row, Table
from analysis.display.text import SEAT_KEYS, SEAT_TERMS, Term
from analysis.estimates.intervals import Interval, PairSums, Sums, mean_interval, ratio_interval, share

_WINNER: Final = Term("winner's seat", "胡牌者座位")
_ANY: Final = Term("any seat", "任一座位")


@dataclass(frozen=True)
class HorsePoints:
    """Points that horses add to the wins that turn them over: exact sums.

    Attributes
    ----------
    settled : Sums
        As they were turned over.
    averaged : Sums
        Averaged over the undrawn tiles, times ``scale``, which makes the averages whole numbers.
    difference : Sums
        Settled less averaged, win by win, times ``scale``.
    part : PairSums
        Averaged, and averaged with the points before horses, both times ``scale``.
    squares : Fraction
        The expected sum of the squares of what horses add.
    scale : int
        See above.
    """

    settled: Sums
    averaged: Sums
    difference: Sums
    part: PairSums
    squares: Fraction
    scale: int

    @property
    def wins(self) -> int:
        """Wins with horses."""
        return self.settled.n

    @property
    def value(self) -> Interval | None:
        """Points that horses add to a win on average, averaged over the undrawn tiles."""
        return self._mean(self.averaged)

    @property
    def as_settled(self) -> Interval | None:
        """Points that horses added to a win as they were turned over."""
        return mean_interval(self.wins, self.settled.x, self.settled.xx)

    @property
    def apart(self) -> Interval | None:
        """By how much the two differ on the same wins."""
        return self._mean(self.difference)

    @property
    def z(self) -> float | None:
        """That difference in standard errors."""
        spread = self.difference.spread()
        return self.difference.x / self.wins / (spread / sqrt(self.wins)) if spread else None

    @property
    def spread(self) -> float | None:
        """Standard deviation of what horses add to a win."""
        if not self.wins:
            return None
        mean = Fraction(self.averaged.x, self.scale * self.wins)
        return sqrt(self.squares / self.wins - mean**2)

    @property
    def gain(self) -> float | None:
        """How many times as many wins the settled estimate would need to be as well known."""
        settled, averaged = self.settled.spread(), self.averaged.spread()
        return (settled * self.scale / averaged) ** 2 if settled and averaged else None

    @property
    def share(self) -> Interval | None:
        """The part of these wins' points that horses add."""
        return ratio_interval(self.part)

    def _mean(self, sums: Sums) -> Interval | None:
        """A mean of what was scaled."""
        found = mean_interval(sums.n, sums.x, sums.xx)
        if found is None or found.low is None or found.high is None:
            return None if found is None else Interval(found.estimate / self.scale, None, None, "normal", few=True)
        estimate, low, high = (each / self.scale for each in (found.estimate, found.low, found.high))
        return Interval(estimate, low, high, found.method, found.few)


def horse_points(horses: Histogram) -> HorsePoints:
    """What horses add, from the histogram ``horses`` of an aggregate or a part of it.

    Examples
    --------
    Two wins of 6 points with 8 tiles left, 2 of them the winner's, turned 4 horses each; one was hit twice, one never:

    >>> found = horse_points(Histogram({(0, 6, 8, 2, 4, 0): 1, (0, 6, 8, 2, 4, 2): 1}))
    >>> found.as_settled.estimate, found.value.estimate, found.spread == (36 * 3 / 7) ** 0.5
    (6.0, 6.0, True)
    """
    # Python's whole numbers, which know no overflow.
    _, base, left, own, turned, hit = np.array(list(horses.counts), dtype=object).reshape(-1, 6).T
    count = np.array(list(horses.counts.values()), dtype=object)
    scale = lcm(*left)
    settled, averaged = base * hit, base * turned * own * (scale // left)
    apart, whole = settled * scale - averaged, base * scale + averaged
    # E h² = E h(h − 1) + E h; each is a product of n and K over one of N.
    once, twice = base**2 * turned * own, base**2 * turned * (turned - 1) * own * (own - 1)
    squares = Fraction(0)
    for tiles in sorted(set(left)):
        here = left == tiles
        squares += Fraction(int((count * once)[here].sum()), tiles)
        squares += Fraction(int((count * twice)[here].sum()), tiles * max(tiles - 1, 1))  # one tile makes no two hits
    moments = (count**0, averaged, whole, averaged**2, averaged * whole, whole**2)
    return HorsePoints(
        _sums(count, settled),
        _sums(count, averaged),
        _sums(count, apart),
        PairSums(*(int((count * each).sum()) for each in moments)),
        squares,
        scale,
    )


def _sums(count: npt.NDArray[Any], value: npt.NDArray[Any]) -> Sums:
    """Number, sum and sum of squares of values that came so often each."""
    return Sums(int(count.sum()), int((count * value).sum()), int((count * value**2).sum()))


@dataclass(frozen=True)
class Hits:
    """So many hits: in how many wins they were seen and expected, and the variance of that number."""

    number: int
    seen: int
    expected: Fraction
    variance: Fraction

    @property
    def z(self) -> float | None:
        """By how many standard errors more were seen than expected."""
        return float(self.seen - self.expected) / sqrt(self.variance) if self.variance else None


def hits(horses: Histogram) -> list[Hits]:
    """How often each number of horses was hit, and how often it should have been, given the undrawn tiles.

    Examples
    --------
    >>> [(each.number, each.seen, str(each.expected)) for each in hits(Histogram({(0, 6, 8, 2, 4, 1): 14}))]
    [(0, 0, '3'), (1, 14, '8'), (2, 0, '3'), (3, 0, '0'), (4, 0, '0')]
    """
    draws: Counter[tuple[int, int, int]] = Counter()
    seen: Counter[int] = Counter()
    for (_, _, left, own, turned, hit), count in horses.counts.items():
        draws[left, own, turned] += count
        seen[hit] += count
    found = []
    for number in range(max(turned for *_, turned in draws) + 1):
        expected: Counter[int] = Counter()
        squares: Counter[int] = Counter()
        for (left, own, turned), count in draws.items():
            if number <= turned:
                # Of so many ways in which the horses can lie, these have as many hits.
                ways, all_ways = comb(own, number) * comb(left - own, turned - number), comb(left, turned)
                expected[all_ways] += count * ways
                squares[all_ways] += count * ways**2
        mean = sum((Fraction(total, ways) for ways, total in expected.items()), Fraction(0))
        square = sum((Fraction(total, ways**2) for ways, total in squares.items()), Fraction(0))
        found.append(Hits(number, seen[number], mean, mean - square))
    return found


def tables(deals: Any) -> tuple[Table, ...]:
    """What horses are worth by the winner's seat, how well it is known, and how often they are hit.

    Parameters
    ----------
    deals : Aggregate or frame
        As `analysis.counts.counting.counted` takes them.

    Returns
    -------
    tuple of Table
        Empty where no horse was turned over.

    Examples
    --------
    >>> import mjsim
    >>> found = tables(mjsim.simulate("nanning_laiyouxi", deals=300, seed=1).to_polars())
    >>> [table.key for table in found]
    ['horses_by_seat', 'horse_hits', 'horse_estimators']
    """
    horses = counted(deals)["horses"]
    if not horses.counts:
        return ()
    seats = [
        (SEAT_KEYS[seat], SEAT_TERMS[seat], horse_points(part))
        for seat in range(SEATS)
        if (part := horses.where(having(0, seat))).counts
    ]
    seats.append(("all", _ANY, horse_points(horses)))
    return _by_seat(seats), _hit_table(hits(horses)), _estimators(seats)


def checks(deals: Any) -> tuple[Expectation, ...]:
    """Self-checks: horses are hit as often as the undrawn tiles say, and add as many points.

    Parameters
    ----------
    deals : Aggregate or frame
        As `analysis.counts.counting.counted` takes them.

    Returns
    -------
    tuple of Expectation
        Empty where no horse was turned over.
    """
    horses = counted(deals)["horses"]
    if not horses.counts:
        return ()
    points, wins = horse_points(horses), horses.total()
    listed = [
        Expectation(
            f"horse_hits_{each.number}",
            Term(f"wins with {each.number} of the horses hit", f"中马 {each.number} 张的胡牌"),
            each.expected / wins,
            share(each.seen, wins),
            each.z,
            float(min(each.expected, wins - each.expected)),
        )
        for each in hits(horses)
        if each.z is not None
    ]
    if points.apart is not None and points.z is not None:
        term = Term("points that horses add as settled less averaged", "马所加的分：按结算减平均")
        listed.append(Expectation("horse_estimators", term, Fraction(0), points.apart, points.z, wins))
    return tuple(listed)


def _by_seat(seats: list[tuple[str, Term, HorsePoints]]) -> Table:
    return Table(
        "horses_by_seat",
        Term("What horses add to a win", "马为胡牌加的分"),
        _WINNER,
        (
            Column("wins", Term("wins with horses", "买马的胡牌"), "count"),
            Column("value", Term("points added to a win", "每次胡牌加分"), "mean"),
            Column("sd", Term("standard deviation", "标准差"), "number"),
            Column("part", Term("part of these wins' points", "占这些胡牌得分"), "share"),
        ),
        tuple(Row(key, label, (each.wins, each.value, each.spread, each.share)) for key, label, each in seats),
        Term(
            "Points that a single winner's horses add to his hand, averaged over the tiles nobody had drawn. With "
            "several winners, or no tile left, no horse is turned over.",
            "独胡者的马为其牌加的分，取未摸牌的平均。多家胡牌或无牌可翻时不买马。",
        ),
    )


def _hit_table(found: list[Hits]) -> Table:
    wins = sum(each.seen for each in found)
    return Table(
        "horse_hits",
        Term("How many horses are hit", "中马张数"),
        Term("hits", "中马"),
        (
            Column("wins", Term("wins", "胡牌数"), "count"),
            Column("share", Term("share", "比例"), "share"),
            Column("expected", Term("wins expected", "应有胡牌数"), "number"),
            Column("z", Term("difference in standard errors", "差与标准误之比"), "deviation"),
        ),
        tuple(
            Row(
                str(each.number),
                Term(f"{each.number}", f"{each.number} 张"),
                (each.seen, share(each.seen, wins), float(each.expected), each.z),
            )
            for each in found
        ),
        Term(
            "Expected: by drawing the horses at random from the tiles that were left in each deal, exactly "
            "(hypergeometric). A check of the simulation.",
            "应有数：每局从剩余牌中随机翻马的精确（超几何）期望，用以检验模拟。",
        ),
    )


def _estimators(seats: list[tuple[str, Term, HorsePoints]]) -> Table:
    return Table(
        "horse_estimators",
        Term("Two ways to measure what horses add", "马所加之分的两种估计"),
        _WINNER,
        (
            Column("settled", Term("as turned over", "按结算"), "plus_minus"),
            Column("averaged", Term("averaged over undrawn tiles", "未摸牌平均"), "plus_minus"),
            Column("difference", Term("difference on the same wins", "同局之差"), "plus_minus"),
            Column("z", Term("difference in standard errors", "差与标准误之比"), "deviation"),
            Column("gain", Term("times as many wins needed as turned over", "按结算所需胡牌数之倍数"), "number"),
        ),
        tuple(
            Row(key, label, (each.as_settled, each.value, each.apart, each.z, each.gain)) for key, label, each in seats
        ),
        Term(
            "Both estimate the same points; averaging over the order of the undrawn tiles takes its luck out. The last "
            "column is the ratio of the variances.",
            "两者估计同一得分；取未摸牌次序的平均即去掉翻马的运气。末列为方差之比。",
        ),
    )
