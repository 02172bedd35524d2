"""Confidence sequences: what they promise, measured by simulation."""

from collections.abc import Callable
from math import exp, log, sqrt

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import stdtrit
from scipy.stats import gamma

from analysis.estimates.sequences import Watch, best_tuning, multiplier, rate_bound

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

#: Batches at each look, from the first to one with a hundred times as many.
LOOKS = np.unique(np.geomspace(100, 10_000, 60).astype(int))
#: Deals of a batch; what matters is only that there are many.
BATCH = 1000
RUNS = 1500

#: Differences between two rulesets with mean 0, batch by batch.
DIFFERENCES: dict[str, Draw] = {
    "normal": lambda source, shape: source.standard_normal(shape),
    "heavy on both sides": lambda source, shape: source.standard_t(3, shape),
    # A batch in three has a deal that differs, mostly by little, now and then by very much, and to one side.
    "rare, skewed and heavy": lambda source, shape: (
        source.poisson(1 / 3, shape) * (source.pareto(4, shape) + 1) - 1 / 3 * 4 / 3
    ),
}


def looked_at(draw: Draw, seed: int) -> tuple[Floats, Floats]:
    """Mean and standard error at every look, for many runs: arrays of shape (run, look)."""
    source = np.random.default_rng(seed)
    means, errors = [], []
    for _ in range(RUNS // 100):
        batches = draw(source, (100, int(LOOKS[-1])))
        sums, squares = batches.cumsum(axis=1)[:, LOOKS - 1], (batches**2).cumsum(axis=1)[:, LOOKS - 1]
        mean = sums / LOOKS
        means.append(mean)
        errors.append(np.sqrt((squares / LOOKS - mean**2) / (LOOKS - 1)))
    return np.concatenate(means), np.concatenate(errors)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_looking_often_errs_rarely_where_a_repeated_interval_errs_often(name: str) -> None:
    means, errors = looked_at(DIFFERENCES[name], seed=7)
    watch = Watch(int(LOOKS[0]) * BATCH, int(LOOKS[-1]) * BATCH)
    reach = multiplier(LOOKS * float(BATCH), watch.tuning, watch.each)
    wrong = (np.abs(means) > reach * errors).any(axis=1).mean()
    naive = (np.abs(means) > stdtrit(LOOKS - 1, 0.975) * errors).any(axis=1).mean()
    assert wrong < 0.05
    assert naive > 0.2  # the test would find a method that may not be looked at often


def test_all_statements_together_err_rarely() -> None:
    statements = 30
    means, errors = looked_at(DIFFERENCES["normal"], seed=8)
    watch = Watch(int(LOOKS[0]) * BATCH, int(LOOKS[-1]) * BATCH, statements)
    reach = multiplier(LOOKS * float(BATCH), watch.tuning, watch.each)
    wrong = np.abs(means) > reach * errors
    families = wrong.reshape(-1, statements * wrong.shape[1]).any(axis=1)
    assert families.mean() < 0.05 + 2 * sqrt(0.05 * 0.95 / families.size)


def test_a_watched_run_decides_after_at_most_a_few_times_the_deals_of_a_planned_one() -> None:
    """The price of looking often: documented in docs/compare.md."""
    effect = 0.1
    source = np.random.default_rng(9)
    batches = source.standard_normal((400, int(LOOKS[-1]))) + effect
    mean = batches.cumsum(axis=1)[:, LOOKS - 1] / LOOKS
    watch = Watch(int(LOOKS[0]) * BATCH, int(LOOKS[-1]) * BATCH)
    reach = multiplier(LOOKS * float(BATCH), watch.tuning, watch.each) / np.sqrt(LOOKS)
    decided = np.abs(mean) > reach
    assert decided[:, -1].all()
    time = LOOKS[decided.argmax(axis=1)]
    planned = ((1.96 + 1.2816) / effect) ** 2  # 90 % power at one look
    assert np.quantile(time, 0.9) < 1.8 * planned
    assert np.median(time) < 1.1 * planned


@given(st.floats(-5, 5), st.floats(0.01, 10), st.integers(10_000, 10**8), st.integers(1, 500), st.floats(0.001, 0.2))
def test_the_p_value_is_below_the_error_just_where_the_interval_leaves_out_zero(
    estimate: float, error: float, deals: int, statements: int, allowed: float
) -> None:
    watch = Watch(100_000, 10_000_000, statements, allowed)
    outside = abs(estimate) - watch.multiplier(deals) * error
    if abs(outside) > 1e-9:
        assert (watch.p_value(estimate, error**2, deals) < allowed) == (outside > 0)


@given(st.integers(1_000, 10**9), st.floats(1e-6, 0.2))
def test_the_multiplier_is_the_mixture_of_normal_martingales(deals: int, error: float) -> None:
    """At the bound, the likelihood ratio averaged over a normal prior is one over the error."""
    tuning = best_tuning(1e6, error)
    z = float(multiplier(np.array([float(deals)]), tuning, error)[0])
    spread = sqrt(deals * tuning)  # of the effect, in standard errors

    def averaged(effect: float) -> float:
        return exp(effect * z - effect**2 / 2 - (effect / spread) ** 2 / 2 + log(error)) / (spread * sqrt(2 * np.pi))

    peak, width = z * spread**2 / (spread**2 + 1), spread / sqrt(spread**2 + 1)
    mass, _ = quad(averaged, peak - 12 * width, peak + 12 * width)
    assert mass == pytest.approx(1, rel=1e-6)


@given(st.integers(0, 9), st.integers(1_000, 10**8), st.integers(1_000, 10**6), st.floats(1e-5, 0.2))
def test_the_rate_bound_is_the_mixture_of_poisson_martingales(
    events: int, deals: int, first: int, error: float
) -> None:
    bound = rate_bound(events, deals, first, error)

    def averaged(share: float) -> float:
        rate = float(gamma.ppf(share, 0.5, scale=1 / first))
        if rate == 0:
            return 0.0 if events else exp(bound * deals)
        return exp(events * log(rate / bound) - (rate - bound) * deals)

    assert bound > events / deals
    if events == 0:
        exact = exp(bound * deals) * sqrt(first / (first + deals))
        assert exact == pytest.approx(1 / error, rel=1e-9)
    elif deals <= 10 * first:
        mass, _ = quad(averaged, 0, 1, limit=500)
        assert mass == pytest.approx(1 / error, rel=0.01)


def test_the_rate_bound_holds_at_all_times() -> None:
    rate, first, error = 3e-6, 100_000, 0.05
    times = np.unique(np.geomspace(first, 100 * first, 40).astype(int))
    steps = np.diff(times, prepend=0)
    counts = np.random.default_rng(5).poisson(rate * steps, (4000, len(steps))).cumsum(axis=1)
    bounds = np.array(
        [[rate_bound(events, int(deals), first, error) for deals in times] for events in range(int(counts.max()) + 1)]
    )
    wrong = (bounds[counts, np.arange(len(times))] < rate).any(axis=1)
    assert wrong.mean() < error


def test_the_error_is_split_among_the_statements() -> None:
    assert Watch(10, 100, 50).each == pytest.approx(0.001)
    assert Watch(10, 100, 0).each == pytest.approx(0.05)
    assert Watch(1000, 100_000, 10).multiplier(10_000) > Watch(1000, 100_000, 1).multiplier(10_000)


def test_a_p_value_is_the_allowed_error_where_the_interval_ends() -> None:
    """An interval leaves out 0 exactly where the p-value is under the error: both are one test."""
    watch = Watch(10_000, 10_000_000, statements=7)
    for deals in (10_000, 250_000, 10_000_000):
        for variance in (1e-6, 4.0):
            end = watch.multiplier(deals) * variance**0.5
            assert watch.p_value(end, variance, deals) == pytest.approx(watch.error)
            assert watch.p_value(1.01 * end, variance, deals) < watch.error < watch.p_value(0.99 * end, variance, deals)
