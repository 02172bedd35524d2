"""Intervals against scipy, exactness in large numbers, and the coverage they promise."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from analysis.intervals import (
    PairSums,
    Sums,
    mean_interval,
    ratio_interval,
    share_interval,
    upper_bound_at_zero,
    wilson,
)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(
    ("hits", "n"), [(1, 2), (1, 10), (3, 7), (99, 100), (500, 1000), (1, 10**6), (10**6 - 1, 10**6)]
)
def test_wilson_is_scipys(hits: int, n: int, confidence: float) -> None:
    found = wilson(hits, n, confidence)
    expected = stats.binomtest(hits, n).proportion_ci(confidence, method="wilson")
    assert found.estimate == hits / n
    assert found.low == pytest.approx(expected.low, rel=1e-9)
    assert found.high == pytest.approx(expected.high, rel=1e-9)
    assert found.method == "wilson"


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 10**6])
def test_no_hits_and_nothing_but_hits_give_exact_bounds(n: int) -> None:
    bound = stats.binomtest(0, n, alternative="less").proportion_ci(0.95, method="exact").high
    assert upper_bound_at_zero(n) == pytest.approx(bound, rel=1e-9)
    none, every = wilson(0, n), wilson(n, n)
    assert (none.estimate, none.low, none.method) == (0, 0, "bound")
    assert none.high == pytest.approx(bound, rel=1e-9)
    assert (every.estimate, every.high, every.method) == (1, 1, "bound")
    assert every.low == pytest.approx(1 - bound, rel=1e-9)


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_shares_are_refused(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="are no share"):
        wilson(hits, n)


def test_fewer_than_ten_hits_are_flagged() -> None:
    assert wilson(9, 1000).few
    assert not wilson(10, 1000).few
    assert wilson(0, 10**6).few
    assert not wilson(10**6, 10**6).few


def test_mean_is_scipys() -> None:
    values = np.random.default_rng(1).integers(-50, 60, 400)
    found = mean_interval(len(values), int(values.sum()), int((values**2).sum()))
    low, high = stats.norm.interval(0.95, loc=values.mean(), scale=stats.sem(values))
    assert found is not None
    assert (found.estimate, found.low, found.high) == pytest.approx((values.mean(), low, high), rel=1e-12)


def test_mean_keeps_its_spread_beside_a_huge_offset() -> None:
    """In floating point the squares would swallow the spread."""
    offset = 10**12
    values = [offset - 1, offset, offset + 1]
    sums = Sums(3, sum(values), sum(value**2 for value in values))
    assert sums.spread() == 1.0
    naive = math.fsum(float(value) ** 2 for value in values) / 3 - (sum(map(float, values)) / 3) ** 2
    assert naive != pytest.approx(2 / 3, rel=0.01)


def test_means_of_nothing_and_of_one() -> None:
    assert mean_interval(0, 0, 0) is None
    single = mean_interval(1, 5, 25)
    assert single is not None
    assert (single.estimate, single.low, single.high, single.few) == (5.0, None, None, True)


def pair_sums(x: list[int], y: list[int]) -> PairSums:
    pairs = list(zip(x, y, strict=True))
    return PairSums(
        len(pairs), sum(x), sum(y), sum(a * a for a in x), sum(a * b for a, b in pairs), sum(b * b for b in y)
    )


def test_ratio_has_the_variance_of_its_residuals() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 5, 300)
    x = y * 2 + rng.integers(-3, 4, 300)
    found = ratio_interval(pair_sums(x.tolist(), y.tolist()))
    ratio = x.sum() / y.sum()
    error = np.std(x - ratio * y, ddof=1) / math.sqrt(300) / y.mean()
    low, high = stats.norm.interval(0.95, loc=ratio, scale=error)
    assert found is not None
    assert (found.estimate, found.low, found.high) == pytest.approx((ratio, low, high), rel=1e-9)


def test_ratio_to_nothing_and_of_one_deal() -> None:
    assert ratio_interval(pair_sums([0, 0], [0, 0])) is None
    single = ratio_interval(pair_sums([3], [2]))
    assert single is not None
    assert (single.estimate, single.low, single.high) == (1.5, None, None)


def test_share_of_single_things_is_wilsons() -> None:
    x, y = [1] * 30 + [0] * 70, [1] * 100
    found, plain = share_interval(pair_sums(x, y)), wilson(30, 100)
    assert found is not None
    assert (found.estimate, found.low, found.high) == pytest.approx((plain.estimate, plain.low, plain.high))


def test_share_of_things_that_go_together_is_known_less_well() -> None:
    """Three things of a deal that always agree say as much as one."""
    found = share_interval(pair_sums([3] * 30 + [0] * 70, [3] * 100))
    alone = wilson(30, 100)
    assert found is not None
    assert (found.estimate, found.low, found.high) == pytest.approx((alone.estimate, alone.low, alone.high))


def test_share_of_nothing() -> None:
    assert share_interval(pair_sums([0], [0])) is None


@pytest.mark.parametrize(("share", "n"), [(0.5, 50), (0.1, 200), (0.02, 500), (0.005, 2000)])
def test_wilson_covers_what_it_promises(share: float, n: int) -> None:
    """Exactly: the chance of every number of hits times whether its interval holds the share."""
    chance = stats.binom.pmf(np.arange(n + 1), n, share)
    held = [(found.low or 0) <= share <= (found.high or 0) for found in (wilson(hits, n) for hits in range(n + 1))]
    assert 0.93 <= float(np.dot(chance, held)) <= 0.98


def test_ratio_and_clustered_share_cover_what_they_promise() -> None:
    rng = np.random.default_rng(3)
    deals, runs = 300, 1500
    ratio_held = share_held = 0
    for _ in range(runs):
        wins = rng.choice([0, 1, 2, 3], deals, p=[0.1, 0.7, 0.1, 0.1])
        special = np.where(rng.random(deals) < 0.2, wins, 0)  # all winners of a deal together
        sums = pair_sums(special.tolist(), wins.tolist())
        for method in (ratio_interval, share_interval):
            found = method(sums)
            assert found is not None
            assert found.low is not None
            assert found.high is not None
            held = found.low <= Fraction(1, 5) <= found.high
            if method is ratio_interval:
                ratio_held += held
            else:
                share_held += held
    assert 0.93 <= ratio_held / runs <= 0.97
    assert 0.93 <= share_held / runs <= 0.97
