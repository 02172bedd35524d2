"""Exact means as control variates: the means themselves, what they buy, and that they are used only where they help."""

import json
from fractions import Fraction
from math import comb

import numpy as np
import pytest

import mjsim
from analysis.checks.controls import (
    WORTHWHILE,
    Headline,
    adjust,
    best_estimate,
    controls_of,
    exact_mean_gains,
    exact_means,
    headlines,
    scaled,
)
from analysis.counts.aggregate import Aggregate
from analysis.counts.counting import aggregate
from analysis.counts.measures import SEATS, at
from analysis.display.text import LANGS, Lang, Term
from analysis.estimates.batches import batch_ratio, control_variate
from analysis.estimates.intervals import Interval
from mjsim.hands.exact import shanten_counts
from mjsim.tiles import SEAT_OFFSETS

DEALS = 40_000

pytestmark = pytest.mark.usefixtures("compiled_engine")


@pytest.fixture(scope="module")
def found() -> Aggregate:
    return aggregate(mjsim.simulate("liuzhou", deals=DEALS, seed=12).to_polars())


def test_exact_means() -> None:
    means = exact_means()
    for seat, tiles in enumerate((14, 13, 13, 13)):
        ways = shanten_counts(tiles, seven_pairs=True)
        assert means[at("start_shanten", seat)] * comb(136, tiles) == sum(s * number for s, number in ways.items())
        share = Fraction(sum(1 for offset in SEAT_OFFSETS if offset == seat), 34)
        assert means[at("lying", seat)] == 8 * share
    assert [8 * Fraction(of, 34) for of in (11, 8, 8, 7)] == [means[at("lying", seat)] for seat in range(SEATS)]


def test_measures_have_their_exact_means(found: Aggregate) -> None:
    for name, mean in exact_means().items():
        interval = batch_ratio(found.sums[name], found.sums["deals"])
        assert interval is not None
        assert interval.low is not None
        error = (interval.estimate - interval.low) / 1.96
        assert abs(interval.estimate - float(mean)) < 4 * error, name


def test_without_fish_the_reserved_tiles_are_no_control() -> None:
    deals = aggregate(mjsim.simulate("nanning_folk", deals=200, seed=1).to_polars())
    assert controls_of(deals) == tuple(at("start_shanten", seat) for seat in range(SEATS))
    assert not any(headline.key.startswith("fish") for headline in headlines(deals))


def test_a_control_takes_out_all_of_its_own_luck(found: Aggregate) -> None:
    """The dealer's shanten as a headline: adjusted by itself it is the exact mean, with hardly any interval."""
    adjusted = adjust(found, found.sums["start_shanten_dealer"], found.sums["deals"])
    assert adjusted is not None
    assert adjusted.interval.estimate == pytest.approx(float(exact_means()["start_shanten_dealer"]), abs=1e-9)
    low, high = adjusted.interval.low, adjusted.interval.high
    assert low is not None
    assert high is not None
    assert high - low < 1e-6


def test_metrics_are_what_they_say(found: Aggregate) -> None:
    columns = mjsim.simulate("liuzhou", deals=DEALS, seed=12).columns
    by_key = {headline.key: headline for headline in headlines(found)}

    def value(key: str) -> float:
        return float(by_key[key].x.sum() / by_key[key].y.sum())

    dealer = np.stack([columns[f"net_{seat}"] for seat in range(SEATS)])[columns["dealer"], np.arange(DEALS)]
    assert value("net_dealer") == pytest.approx(dealer.mean())
    assert value("drawn") == pytest.approx((columns["outcome"] == 3).mean())
    assert value("self_draw") == pytest.approx((columns["outcome"] == 0).mean())
    assert value("draws") == pytest.approx(columns["draws"].mean())
    wins = sum(int((columns["winners"] >> seat & 1).sum()) for seat in range(SEATS))
    pungs = sum(int((columns[f"types_{seat}"] & 1).sum()) for seat in range(SEATS))
    assert value("wins_all_pungs") == pytest.approx(pungs / wins)


def test_a_fish_is_worth_an_eighth_of_eight(found: Aggregate) -> None:
    by_key = {headline.key: headline for headline in headlines(found)}
    for seat in range(SEATS):
        headline = by_key[at("fish", seat)]
        assert headline.x.sum() / headline.y.sum() == found.total(at("eight", seat)) / 8 / found.deals


def test_gains_are_those_of_the_regression(found: Aggregate) -> None:
    names = [*(at("start_shanten", seat) for seat in range(SEATS)), *(at("lying", seat) for seat in range(SEATS))]
    controls = np.stack([found.sums[name] for name in names], axis=1)
    means = [exact_means()[name] for name in names]
    for gain in exact_mean_gains(found).gains:
        expected = control_variate(gain.headline.x, gain.headline.y, controls, means, found.sums["deals"])
        assert gain.adjusted == expected


def test_adjusted_only_where_it_helps(found: Aggregate) -> None:
    gains = exact_mean_gains(found).gains
    for gain in gains:
        assert gain.removed is not None
        assert gain.interval is (gain.adjusted.interval if gain.removed >= 1 - WORTHWHILE else gain.adjusted.plain)
        assert best_estimate(found, gain.headline.x, gain.headline.y) == gain.interval
    assert {gain.interval.method for gain in gains} == {"batch", "control"}


def test_nothing_to_be_a_share_of(found: Aggregate) -> None:
    none = np.zeros_like(found.sums["deals"])
    assert best_estimate(found, none, none) is None
    assert exact_mean_gains(found, [Headline("none", Term("none", "无"), none, none)]).gains == ()


@pytest.mark.parametrize("lang", LANGS)
def test_findings_say_honestly_where_it_does_not_help(found: Aggregate, lang: Lang) -> None:
    random = np.random.default_rng(7)
    noise = random.integers(0, 100, len(found.sums["deals"]))
    noise -= noise % 2
    useless = exact_mean_gains(found, [Headline("noise", Term("noise", "噪声"), noise, found.sums["deals"])])
    said = useless.findings(lang)
    assert len(said) == 1
    assert ("help none of 1" if lang == "en" else "均无帮助") in said[0]
    helped = exact_mean_gains(found).findings(lang)
    assert ("estimates, most of all" if lang == "en" else "最明显的是") in helped[0]


def test_too_few_batches_say_nothing() -> None:
    made = exact_mean_gains(mjsim.simulate("liuzhou", deals=4, seed=1).to_pandas())
    assert made.findings("en") == []
    assert all(gain.removed is None and not gain.helps for gain in made.gains)
    assert json.dumps(made.to_dict(), allow_nan=False)


def test_table_shows_both_estimates(found: Aggregate) -> None:
    made = exact_mean_gains(found)
    (table,) = made.tables
    drawn = next(gain for gain in made.gains if gain.headline.key == "drawn")
    plain = table.interval("drawn", "plain")
    assert plain is not None
    assert plain.estimate == pytest.approx(100 * found.total("drawn") / found.deals)
    assert drawn.removed is not None
    assert table.cell("drawn", "removed") == 100 * drawn.removed
    assert made.to_dict()["controls"]["lying_dealer"] == "44/17"


def test_scaled() -> None:
    assert scaled(Interval(0.5, 0.25, None, "batch"), 100) == Interval(50.0, 25.0, None, "batch")
