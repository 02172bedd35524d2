"""Intervals against scipy and statsmodels, exactness in large numbers, and what no order or merging may change."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from analysis.estimates.batches import batch_difference, batch_ratio, batch_share, control_variate
from analysis.estimates.bootstrap import bca, bca_spread, bca_statistic, widened
from analysis.estimates.intervals import (
    RARE,
    Interval,
    PairSums,
    Sums,
    jeffreys,
    mean_interval,
    ratio_interval,
    share,
    share_interval,
    upper_bound_at_zero,
    wilson,
)

shares = st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
batch_pairs = st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(0, 1000)), min_size=2, max_size=40)


def ends(found: Interval | None) -> tuple[float, float]:
    """Both ends of an interval that must have them."""
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def column(values: Sequence[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(
    ("hits", "n"), [(1, 2), (1, 10), (3, 7), (99, 100), (5, 10**4), (1, 10**8), (10**8 - 1, 10**8)]
)
def test_wilson_and_jeffreys_are_statsmodels(hits: int, n: int, confidence: float) -> None:
    for method, name in ((wilson, "wilson"), (jeffreys, "jeffreys")):
        expected = proportion_confint(hits, n, 1 - confidence, method=name)
        assert ends(method(hits, n, confidence)) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 10**6])
def test_no_hits_and_nothing_but_hits_give_exact_bounds(n: int) -> None:
    bound = proportion_confint(0, n, 2 * 0.05, method="beta")[1]
    assert upper_bound_at_zero(n) == pytest.approx(bound, rel=1e-9)
    none, every = share(0, n), share(n, n)
    assert (none.estimate, none.low, none.method) == (0, 0, "bound")
    assert none.high == pytest.approx(bound, rel=1e-9)
    assert (every.estimate, every.high, every.method) == (1, 1, "bound")
    assert every.low == pytest.approx(1 - bound, rel=1e-9)


@pytest.mark.parametrize("method", [share, wilson, jeffreys])
@pytest.mark.parametrize(("hits", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_shares_are_refused(method: Callable[[int, int], Interval], hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="are no share"):
        method(hits, n)


def test_rare_hits_and_rare_misses_have_jeffreys_interval() -> None:
    assert share(RARE, 1000) == jeffreys(RARE, 1000)
    assert share(1000 - RARE, 1000) == jeffreys(1000 - RARE, 1000)
    assert share(RARE + 1, 1000) == wilson(RARE + 1, 1000)
    assert share(1000 - RARE - 1, 1000) == wilson(1000 - RARE - 1, 1000)


def test_fewer_than_ten_hits_are_flagged() -> None:
    assert share(9, 1000).few
    assert not share(10, 1000).few
    assert share(0, 10**6).few
    assert not share(10**6, 10**6).few


@given(shares)
def test_a_share_is_inside_its_interval_and_swapping_hits_and_misses_mirrors_it(case: tuple[int, int]) -> None:
    hits, n = case
    for method in (share, wilson, jeffreys):
        low, high = ends(method(hits, n))
        assert 0 <= low <= hits / n <= high <= 1
        mirrored_low, mirrored_high = ends(method(n - hits, n))
        assert (1 - mirrored_high, 1 - mirrored_low) == pytest.approx((low, high), abs=1e-12)


@given(shares, st.integers(2, 50))
def test_the_same_share_of_more_is_known_better(case: tuple[int, int], times: int) -> None:
    hits, n = case
    low, high = ends(share(hits, n))
    more_low, more_high = ends(share(times * hits, times * n))
    assert more_high - more_low < high - low


@pytest.mark.parametrize("n", [5, 20, 1000, 10**6])
def test_more_hits_move_both_ends_up(n: int) -> None:
    found = [ends(share(hits, n)) for hits in range(min(n, 60) + 1)]
    assert all(a[0] < b[0] or a[0] == 0 == b[0] for a, b in pairwise(found))
    assert all(a[1] < b[1] for a, b in pairwise(found))


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
    found, plain = share_interval(pair_sums(x, y)), share(30, 100)
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


def test_batches_of_one_size_are_students_mean() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(-500, 900, 30)
    low, high = stats.t.interval(0.95, 29, loc=x.mean(), scale=stats.sem(x))
    found = batch_ratio(x, np.full(30, 1))
    assert found is not None
    assert (found.estimate, *ends(found)) == pytest.approx((x.mean(), low, high), rel=1e-12)
    assert found.method == "batch"


@given(batch_pairs, st.randoms(use_true_random=False))
def test_neither_the_order_of_batches_nor_an_empty_one_changes_anything(
    pairs: list[tuple[int, int]], random: Random
) -> None:
    shuffled = [*pairs, (0, 0)]
    random.shuffle(shuffled)
    (x, y), (u, v) = (tuple(map(column, zip(*each, strict=True))) for each in (pairs, shuffled))
    hits, others = np.minimum(np.abs(x), y), np.minimum(np.abs(u), v)
    assert batch_ratio(x, y) == batch_ratio(u, v)
    assert batch_share(hits, y) == batch_share(others, v)
    assert batch_difference(x, y, hits, y) == batch_difference(u, v, others, v)
    if y.any():
        order = np.random.default_rng(0).permutation(len(x))
        assert bca(x, y, resamples=50) == bca(x[order], y[order], resamples=50)


@given(batch_pairs)
def test_merging_batches_keeps_the_estimate(pairs: list[tuple[int, int]]) -> None:
    x, y = (column(each) for each in zip(*pairs, strict=True))
    starts = np.arange(0, len(x), 2)
    found, merged = batch_ratio(x, y), batch_ratio(np.add.reduceat(x, starts), np.add.reduceat(y, starts))
    if found is None or merged is None:
        assert found is merged
        assert not y.any()
    else:
        assert found.estimate == merged.estimate == x.sum() / y.sum()


def test_batches_do_not_overflow() -> None:
    x = column([2**60, 2**60 + 2**30, 2**60 - 2**30])
    assert ends(batch_ratio(x, column([1, 1, 1]))) == pytest.approx(
        stats.t.interval(0.95, 2, loc=2.0**60, scale=2**30 / math.sqrt(3)), rel=1e-12
    )
    with pytest.raises(OverflowError, match="too large"):
        bca(np.full(16, 2**60), np.full(16, 1))


@pytest.mark.parametrize("differing", [9, 10])
def test_a_difference_that_rests_on_few_batches_says_so(differing: int) -> None:
    """Its errors are in every batch; the two differ in few of a hundred."""
    deals = np.full(100, 10)
    base = np.arange(100) % 7
    more = base + (np.arange(100) < differing)
    for other in (more, 2 * base - more):
        found = batch_difference(other, deals, base, deals)
        assert found is not None
        assert found.interval.few == (differing < 10)


def test_few_batches_say_so() -> None:
    one = batch_ratio(column([7]), column([2]))
    assert one == Interval(3.5, None, None, "batch", few=True)
    assert bca(column([7]), column([2])) == Interval(3.5, None, None, "bca", few=True)
    for method in (batch_ratio, batch_share, bca):
        assert method(column([0, 0]), column([0, 0])) is None
    assert batch_difference(column([1]), column([1]), column([1]), column([0])) is None
    nine = batch_ratio(np.arange(9), np.full(9, 5))
    assert nine is not None
    assert nine.few
    many = batch_ratio(np.arange(20), np.full(20, 5))
    assert many is not None
    assert not many.few
    rare = batch_ratio(column([3] + [0] * 19), np.full(20, 5))
    assert rare is not None
    assert rare.few


@pytest.mark.parametrize("method", [batch_ratio, batch_share, bca])
def test_sums_of_different_batches_are_refused(method: Callable[..., Interval | None]) -> None:
    with pytest.raises(ValueError, match="not of the same batches"):
        method(column([1, 2]), column([1, 2, 3]))


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="fewer than no things"):
        batch_ratio(column([1, 2]), column([-1, 2]))


def test_share_from_batches_of_independent_things_is_that_of_the_things() -> None:
    rng = np.random.default_rng(5)
    y = np.full(1024, 1000)
    low, high = ends(batch_share(rng.binomial(y, 0.3), y))
    plain_low, plain_high = ends(share(307_200, 1_024_000))
    assert high - low == pytest.approx(plain_high - plain_low, rel=0.06)


def test_share_from_batches_of_things_that_go_together_is_known_less_well() -> None:
    """Ten things that always agree say as much as one."""
    rng = np.random.default_rng(6)
    deals = rng.binomial(100, 0.3, 1024)
    low, high = ends(batch_share(10 * deals, np.full(1024, 1000)))
    alone_low, alone_high = ends(share(int(deals.sum()), 102_400))
    assert high - low == pytest.approx(alone_high - alone_low, rel=0.06)


def test_difference_is_the_paired_t_and_tells_what_pairing_gained() -> None:
    rng = np.random.default_rng(7)
    common = rng.normal(0, 1000, 40).astype(int)
    x1, x2 = common + rng.integers(-9, 10, 40), common + rng.integers(-9, 10, 40)
    deals = np.full(40, 10)
    found = batch_difference(x1, deals, x2, deals)
    assert found is not None
    apart = (x1 - x2) / 10
    low, high = stats.t.interval(0.95, 39, loc=apart.mean(), scale=stats.sem(apart))
    assert (found.interval.estimate, *ends(found.interval)) == pytest.approx((apart.mean(), low, high), rel=1e-9)
    assert found.unpaired == pytest.approx(stats.sem(x1 / 10) ** 2 + stats.sem(x2 / 10) ** 2, rel=1e-9)
    assert found.gain == pytest.approx((found.unpaired or 0) / stats.sem(apart) ** 2, rel=1e-9)


def test_what_never_differs_is_flagged() -> None:
    x, deals = np.arange(40), np.full(40, 10)
    same = batch_difference(x, deals, x, deals)
    assert same is not None
    assert (same.interval.estimate, same.paired, same.gain, same.interval.few) == (0, 0, None, True)


@pytest.mark.parametrize("kind", ["mean", "ratio"])
def test_bca_is_scipys(kind: str) -> None:
    """Two draws of 20,000 resamples agree to a few hundredths of the interval's width."""
    rng = np.random.default_rng(8)
    y = np.full(60, 50) if kind == "mean" else rng.integers(20, 80, 60)
    x = y + (40 * rng.pareto(2.5, 60)).astype(int)
    low, high = ends(bca(x, y, resamples=20_000))
    expected = stats.bootstrap(
        (x, y),
        lambda a, b, axis: a.sum(axis=axis) / b.sum(axis=axis),
        paired=True,
        method="BCa",
        n_resamples=20_000,
        batch=2_000,
        confidence_level=1 - 2 * stats.norm.sf(widened(60)),
        rng=np.random.default_rng(9),
    ).confidence_interval
    width = expected.high - expected.low
    assert low == pytest.approx(expected.low, abs=0.04 * width)
    assert high == pytest.approx(expected.high, abs=0.04 * width)
    assert high - x.sum() / y.sum() > 1.1 * (x.sum() / y.sum() - low)  # it leans as the data do


def test_bca_is_the_same_every_time_and_another_with_another_seed() -> None:
    x, y = np.arange(50) ** 2, np.full(50, 3)
    assert bca(x, y) == bca(x, y)
    assert bca(x, y) != bca(x, y, seed=1)


def test_bca_where_resamples_may_have_nothing() -> None:
    assert bca(column([5, 0, 0]), column([2, 0, 0])) == Interval(2.5, None, None, "bca", few=True)


def test_bca_of_constant_batches_has_no_width() -> None:
    assert bca(np.full(20, 6), np.full(20, 2)) == Interval(3.0, 3.0, 3.0, "bca")


def test_spread_of_deals_far_from_zero() -> None:
    rng = np.random.default_rng(10)
    deals = 10**6 + rng.integers(-50, 51, (200, 40))
    found = bca_spread(np.full(200, 40), deals.sum(axis=1), (deals**2).sum(axis=1))
    assert found is not None
    assert found.estimate == pytest.approx(deals.std(ddof=1), rel=1e-12)
    low, high = ends(found)
    assert low < found.estimate < high
    error = deals.std() * math.sqrt((stats.kurtosis(deals, axis=None, fisher=False) - 1) / (4 * deals.size))
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.15)
    assert bca_spread(column([1]), column([3]), column([9])) is None


def test_bca_of_any_statistic() -> None:
    columns = np.stack([np.arange(1, 41), np.arange(41, 81)], axis=1)
    found = bca_statistic(columns, lambda sums: sums[..., 0] / sums[..., 1])
    assert found == bca(columns[:, 0], columns[:, 1])


def test_control_variate_is_the_regression_at_the_known_mean() -> None:
    """With equal batches it is the prediction of ordinary least squares where the controls have their exact means."""
    from statsmodels.api import OLS, add_constant

    rng = np.random.default_rng(11)
    deals = np.full(50, 100)
    controls = rng.binomial(100, (0.2, 0.5), (50, 2))
    x = controls @ np.array([30, -10]) + rng.integers(-40, 41, 50)
    found = control_variate(x, deals, controls, [Fraction(1, 5), 0.5])
    assert found is not None
    fit = OLS(x / 100, add_constant(controls / 100)).fit()
    expected = fit.get_prediction([[1, 0.2, 0.5]])
    assert found.interval.estimate == pytest.approx(expected.predicted_mean[0], rel=1e-9)
    assert ends(found.interval) == pytest.approx(tuple(expected.conf_int()[0]), rel=1e-9)
    assert found.gain == pytest.approx(stats.sem(x / 100) ** 2 / expected.se_mean[0] ** 2, rel=1e-9)
    assert found.plain == batch_ratio(x, deals)


def test_useless_controls_do_no_harm() -> None:
    rng = np.random.default_rng(12)
    x, deals, control = rng.integers(0, 500, 40), np.full(40, 10), rng.binomial(10, 0.5, 40)
    once = control_variate(x, deals, control[:, None], [0.5])
    thrice = control_variate(x, deals, np.stack([control, 2 * control, deals], axis=1), [0.5, 1.0, 1.0])
    assert once is not None
    assert thrice is not None
    assert thrice.interval.estimate == pytest.approx(once.interval.estimate, rel=1e-9)
    assert ends(thrice.interval) == pytest.approx(ends(once.interval), rel=1e-9)
    none = control_variate(x, deals, np.empty((40, 0), dtype=np.int64), [])
    assert none is not None
    assert ends(none.interval) == pytest.approx(ends(batch_ratio(x, deals)), rel=1e-12)


def test_controls_counted_by_deals_beside_a_ratio() -> None:
    """Points per win, freed of luck that is counted per deal."""
    rng = np.random.default_rng(13)
    deals = np.full(200, 100)
    luck = rng.binomial(deals, 0.5)
    wins = rng.binomial(deals, 0.8)
    found = control_variate(3 * wins + 2 * luck, wins, luck[:, None], [0.5], deals)
    assert found is not None
    low, high = ends(found.interval)
    assert low < 3 + 2 * 0.5 / 0.8 < high
    assert found.gain is not None
    assert found.gain > 1.3


def test_controls_must_fit() -> None:
    with pytest.raises(ValueError, match="controls of shape"):
        control_variate(column([1, 2]), column([1, 1]), np.ones((2, 1), dtype=np.int64), [0.5, 0.5])
    assert control_variate(column([1, 2]), column([0, 0]), np.ones((2, 1), dtype=np.int64), [1]) is None
