"""Comparisons: pairing, verdicts and words, against plain recomputation and known effects."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from math import exp, sqrt
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

import mjsim
from analysis.comparing.balance import PAIRED_BY, Side, compare, statements
from analysis.comparing.effects import ERROR, Measured, holm, judged, measured, paired, value_of, watched
from analysis.comparing.metrics import METRICS, lone_metrics, margins_from, shared_metrics
from analysis.comparing.sensitivity import sensitivity_of, switches
from analysis.comparing.verdicts import KIND_TERMS
from analysis.counts.aggregate import HISTOGRAMS, Aggregate, Histogram
from analysis.counts.counting import MEASURES, aggregate
from analysis.display.text import LANGS, Term
from analysis.estimates.intervals import Interval
from analysis.estimates.sequences import Watch
from mjsim.errors import MjsimError, RunError
from mjsim.rules import builtin_names, load_rules
from mjsim.simulation import Simulation
from tests.commands import ROOT

pytestmark = pytest.mark.usefixtures("compiled_engine")

DEALS = 4096
BY_KEY = {metric.key: metric for metric in METRICS}

#: Every price of Liuzhou's rules twice as high.
DOUBLED: Mapping[str, Any] = {
    "value.self_draw.ordinary": 2,
    "value.self_draw.ordinary_concealed": 4,
    "value.self_draw.special": 4,
    "value.self_draw.special_concealed": 8,
    "value.discard.special": 6,
    "value.discard.special_concealed": 6,
    "value.ordinary_discard": 2,
    "events.replacement_win.concealed_ordinary": 6,
    "kongs.exposed": 2,
    "kongs.concealed": 2,
}


@cache
def played(name: str, settings: tuple[tuple[str, Any], ...] = (), seed: int = 3) -> Simulation:
    # `fast` plays alike whatever things cost.
    return mjsim.simulate(load_rules(name, **dict(settings)), deals=DEALS, seed=seed, players="fast")


def side(name: str, key: str | None = None, **settings: Any) -> Side:
    deals = played(name, tuple(settings.items()))
    key = key or name
    return Side(key, Term(key, key), deals.manifest().model_dump(mode="json"), aggregate(deals.to_polars()))


def made(batches: int, source: np.random.Generator, **means: float) -> Aggregate:
    """An aggregate of 100 deals a batch with Poisson sums of the measures given, and with nothing of the others."""
    sums = {name: np.zeros(batches, np.int64) for name in MEASURES}
    sums["deals"] = np.full(batches, 100)
    for name, mean in means.items():
        sums[name] = source.poisson(100 * mean, batches).astype(np.int64)
    histograms = dict.fromkeys(HISTOGRAMS, Histogram())
    return Aggregate(0, np.arange(batches), sums, histograms, dearest=((40, 7),))


def made_side(key: str, found: Aggregate) -> Side:
    rules = load_rules("liuzhou").to_dict()
    manifest = {"results_version": 1, "seed": 1, "session_length": 1, "first": 0, "deals": found.deals, "fish": 2}
    return Side(key, Term(key, key), {**manifest, "players": [], "ruleset": rules}, found)


def naive(frame: pl.DataFrame) -> pl.DataFrame:
    """What stands above and below the line of some metrics, deal by deal, from the columns alone."""
    seats = range(4)
    net = pl.concat_list([f"net_{seat}" for seat in seats])
    dealer = net.list.get(pl.col("dealer").cast(pl.Int64))
    won = pl.sum_horizontal((pl.col("winners").cast(pl.Int64) // (1 << seat)) % 2 for seat in seats)
    kongs = pl.sum_horizontal(
        pl.col(f"kongs_{kind}_{seat}").cast(pl.Int64) for kind in ("direct", "added", "concealed") for seat in seats
    )
    one = pl.lit(1)
    pairs = {
        "drawn": ((pl.col("outcome") == "drawn").cast(pl.Int64), one),
        "self_draw": ((pl.col("outcome") == "self_draw").cast(pl.Int64), (pl.col("outcome") != "drawn").cast(pl.Int64)),
        "several_winners": ((won > 1).cast(pl.Int64), one),
        "length": (pl.col("draws").cast(pl.Int64), one),
        "dealer_advantage": (3 * dealer - (net.list.sum() - dealer), 3 * one),
        "points_dealer": (dealer, one),
        "kongs": (kongs, one),
    }
    columns = [pl.col("deal")]
    for key, (over, per) in pairs.items():
        columns += [over.alias(f"{key}_over"), per.alias(f"{key}_per")]
    return frame.select(columns)


NAIVE = ("drawn", "self_draw", "several_winners", "length", "dealer_advantage", "points_dealer", "kongs")


@pytest.mark.parametrize("key", NAIVE)
def test_pairing_by_batches_is_pairing_deal_by_deal(key: str) -> None:
    base, variant = side("liuzhou"), side("liuzhou", "chow=false", chow=False)
    joined = naive(played("liuzhou", (("chow", False),)).to_polars()).join(
        naive(played("liuzhou").to_polars()), on="deal", suffix="_base"
    )
    assert len(joined) == DEALS
    x1, y1, x2, y2 = (
        joined[f"{key}_{name}"].to_numpy().astype(float) for name in ("over", "per", "over_base", "per_base")
    )
    effect = compare(base, [variant]).effect("chow=false", key)
    assert effect.difference is not None
    assert effect.difference.estimate == pytest.approx(x1.sum() / y1.sum() - x2.sum() / y2.sum(), abs=1e-12)
    # What each deal adds to the difference's error, summed over the batches of the aggregate.
    error1 = (x1 - x1.sum() / y1.sum() * y1) / y1.sum()
    error2 = (x2 - x2.sum() / y2.sum() * y2) / y2.sum()
    size = 1 << base.found.level
    sums = (error1 - error2).reshape(-1, size).sum(axis=1)
    alone = ((error1.reshape(-1, size).sum(axis=1)) ** 2).sum() + ((error2.reshape(-1, size).sum(axis=1)) ** 2).sum()
    found = paired(BY_KEY[key], base.found, variant.found)
    assert found is not None
    assert found.paired == pytest.approx((sums**2).sum() * len(sums) / (len(sums) - 1), rel=2e-3)
    assert effect.gain == pytest.approx(alone / (sums**2).sum(), rel=1e-6)


def test_twice_the_prices_are_twice_the_points_and_nothing_else() -> None:
    base, variant = side("liuzhou"), side("liuzhou", "doubled", **DOUBLED)
    comparison = compare(base, [variant])
    points = [metric.key for metric in METRICS if metric.reach == "points"]
    for key in points:
        effect = comparison.effect("doubled", key)
        assert effect.base is not None
        assert effect.value is not None
        assert effect.difference is not None
        assert effect.value.estimate == pytest.approx(2 * effect.base.estimate, rel=1e-12)
        assert effect.difference.estimate == pytest.approx(effect.base.estimate, rel=1e-12)
        # The difference is the base's own value, and is known as well as that.
        for end in ("low", "high"):
            if not effect.metric.root:
                assert getattr(effect.difference, end) == pytest.approx(getattr(effect.base, end), rel=1e-9)
    for effect in comparison.effects:
        if effect.metric.key not in points:
            assert effect.kind == "same", effect.metric.key
            assert effect.differing == 0


def test_a_ruleset_compared_with_itself_is_the_same_in_every_deal() -> None:
    comparison = compare(side("liuzhou"), [side("liuzhou", "again")])
    assert len(comparison.effects) == statements(comparison.base.rules, [comparison.base.rules])
    for effect in comparison.effects:
        assert effect.kind == "same"
        assert effect.difference is not None
        assert effect.difference.estimate == 0
        assert effect.gain is None
        assert "the same in every deal" in effect.sentence("en")
        assert "相同" in effect.sentence("zh")
    assert not comparison.effect("again", "points_dealer").decided  # a few thousand deals miss rare dear ones
    assert comparison.effect("again", "drawn").decided == (exp(-0.001 * DEALS) * len(comparison.effects) < ERROR)


def test_what_only_one_ruleset_has_is_listed_and_not_compared() -> None:
    comparison = compare(side("liuzhou"), [side("liuzhou_no_rob_kong"), side("liuzhou_no_fishing")])
    lone = {(each.variant, each.metric.key) for each in comparison.lone}
    assert lone == {
        ("liuzhou_no_rob_kong", "rob_kong"),
        ("liuzhou_no_fishing", "fish"),
        ("liuzhou_no_fishing", "fish_dealer"),
    }
    (robbed,) = comparison.lone_of("liuzhou_no_rob_kong")
    assert robbed.value is None
    assert robbed.base is not None
    assert robbed.base.estimate > 0
    assert not {(effect.variant, effect.metric.key) for effect in comparison.effects} & lone
    assert "robbed kongs" in comparison.findings("en")[0].rpartition("only one of the two has")[2]


@pytest.mark.parametrize("key", PAIRED_BY)
def test_deals_that_are_not_of_the_same_walls_and_players_are_refused(key: str) -> None:
    base, variant = side("liuzhou"), side("liuzhou_no_rob_kong")
    other: Any = [{"name": "noisy", "source_hash": "0" * 16}] * 4 if key == "players" else 12345
    odd = replace(variant, manifest={**variant.manifest, key: other})
    with pytest.raises(RunError, match=f"liuzhou_no_rob_kong: {key.replace('_', ' ')} "):
        compare(base, [odd])


def test_batches_that_do_not_match_are_refused() -> None:
    base, variant = side("liuzhou"), side("liuzhou_no_rob_kong")
    coarse = replace(variant, found=variant.found.at_level(variant.found.level + 1))
    with pytest.raises(RunError, match="its batches of deals are not those of liuzhou"):
        compare(base, [coarse])


def test_roots_are_compared_by_the_delta_method() -> None:
    source = np.random.default_rng(4)
    (spread,) = (metric for metric in METRICS if metric.root)
    base, variant = (made(500, source, **dict.fromkeys(spread.over, squares)) for squares in (10.0, 12.5))
    x1, x2 = (found.seats("net_squared") / 400 for found in (variant, base))
    found = paired(spread, base, variant)
    assert found is not None
    assert found.interval.estimate == pytest.approx(sqrt(x1.mean()) - sqrt(x2.mean()), rel=1e-12)
    errors = x1 / (2 * sqrt(x1.mean())) - x2 / (2 * sqrt(x2.mean()))
    assert found.paired == pytest.approx(errors.var(ddof=1) / 500, rel=1e-5)
    (effect,) = judged([measured(spread, "v", base, variant, 0.01)])
    assert effect.kind == "different"
    assert effect.base is not None
    assert effect.base.estimate == pytest.approx(sqrt(x2.mean()))
    assert paired(spread, base, made(500, source)) is None


def test_holm_is_that_of_statsmodels() -> None:
    p_values = np.random.default_rng(1).uniform(0, 0.1, 40).round(2).tolist()
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def one(estimate: float, error: float, margin: float, differing: int = 500) -> Measured:
    """A metric measured with a given difference and standard error, in a million deals."""
    from analysis.estimates.batches import Difference

    around = Interval(0.5, 0.4, 0.6, "batch")
    found = Difference(Interval(estimate, None, None, "paired"), error**2, 4 * error**2)
    return Measured(BY_KEY["drawn"], "v", 1_000_000, around, around, found, 1000.0, differing, differing, 1.0, margin)


finite = st.floats(-1, 1)
positive = st.floats(1e-4, 0.5)


@given(finite, positive, positive)
def test_verdicts_do_not_depend_on_the_direction(estimate: float, error: float, margin: float) -> None:
    (up,), (down,) = judged([one(estimate, error, margin)]), judged([one(-estimate, error, margin)])
    assert (up.kind, up.decided, up.needed, up.p_value) == (down.kind, down.decided, down.needed, down.p_value)


@given(finite, positive, positive)
def test_verdicts_are_those_of_the_intervals(estimate: float, error: float, margin: float) -> None:
    """Alone, an effect differs where its 95 % interval leaves out 0, and is within where its 90 % one is so."""
    measurement = one(estimate, error, margin)
    (effect,) = judged([measurement])
    assert effect.difference is not None
    differs = abs(estimate) > measurement.half_width(ERROR)
    within = abs(estimate) + measurement.half_width(2 * ERROR) < margin
    expected = {(0, 0): "undecided", (0, 1): "equivalent", (1, 0): "different", (1, 1): "slight"}[differs, within]
    assert effect.kind == expected
    assert effect.decided == (effect.kind != "undecided")
    assert (effect.needed is None) == effect.decided
    if effect.needed is not None:
        assert effect.needed > 1_000_000


@given(st.lists(st.tuples(finite, positive, positive), min_size=2, max_size=12))
def test_more_questions_make_no_answer_surer(effects: list[tuple[float, float, float]]) -> None:
    found = [one(*each) for each in effects]
    alone = [judged([each])[0].p_value for each in found]
    assert all(effect.p_value >= single for effect, single in zip(judged(found), alone, strict=True))
    widths = []
    for number in (1, len(found)):
        differences = [effect.difference for effect in watched(found, Watch(100_000, 10_000_000, number))]
        widths.append(
            [each.high - each.low for each in differences if each and each.high is not None and each.low is not None]
        )
    assert all(together > single for single, together in zip(*widths, strict=True))


@given(finite, positive, positive, st.floats(1, 10))
def test_a_wider_margin_never_undoes_a_verdict(estimate: float, error: float, margin: float, times: float) -> None:
    for judge in (judged, lambda found: watched(found, Watch(100_000, 10_000_000))):
        (narrow,), (wide,) = judge([one(estimate, error, margin)]), judge([one(estimate, error, margin * times)])
        assert wide.decided >= narrow.decided


@given(st.integers(0, 9), st.floats(1e-6, 1e-2))
def test_where_few_batches_differ_the_count_decides(differing: int, margin: float) -> None:
    (effect,) = judged([one(0.0 if not differing else 1e-7, 1e-7, margin, differing)])
    assert effect.difference is not None
    assert effect.difference.method == "rare"
    assert effect.kind in (("same",) if not differing else ("equivalent", "undecided"))
    (looked,) = watched([one(0.0, 1e-7, margin, differing)], Watch(100_000, 10_000_000))
    assert looked.difference is not None
    assert looked.difference.high is not None
    assert effect.difference.high is not None
    assert looked.difference.high > effect.difference.high  # at every look is more than at one
    assert looked.decided <= effect.decided


def test_watched_intervals_are_confidence_sequences() -> None:
    watch = Watch(100_000, 10_000_000, 7)
    (effect,) = watched([one(0.01, 0.001, 0.002)], watch)
    assert effect.difference is not None
    assert effect.difference.method == "sequence"
    assert effect.difference.high == pytest.approx(0.01 + watch.multiplier(1_000_000) * 0.001)
    assert effect.kind == "different"
    assert effect.p_equivalence is None


def test_nothing_to_divide_by_is_said() -> None:
    source = np.random.default_rng(2)
    comparison = compare(made_side("a", made(20, source, drawn=1.0)), [made_side("b", made(20, source, drawn=1.0))])
    effect = comparison.effect("b", "ordinary")
    assert (effect.kind, effect.difference) == ("unknown", None)
    assert effect.sentence() == "ordinary hands: nothing to compare"
    assert effect.to_dict()["difference"] is None


def test_what_neither_side_has_seen_is_not_taken_for_unchanged() -> None:
    """No full flush under either ruleset, but other wins: how rare it is under both is all that is known."""
    source = np.random.default_rng(3)
    base, variant = (made_side(key, made(50, source, wins=0.9)) for key in "ab")
    effect = compare(base, [variant]).effect("b", "full_flush")
    assert effect.differing > 10
    assert effect.difference is not None
    assert (effect.difference.estimate, effect.difference.method) == (0, "rare")
    assert effect.difference.high is not None
    assert effect.difference.high > 1 / base.found.total("wins")
    assert (effect.kind, effect.decided) == ("undecided", False)


def test_a_share_is_not_known_better_than_its_hits() -> None:
    """The same few full flushes under both rulesets, among other wins: the wins' scatter is not all that is unknown."""
    source = np.random.default_rng(3)
    base, variant = made(50, source, wins=0.9), made(50, source, wins=0.9)
    for found in (base, variant):
        found.sums["wins_full_flush"][::10] = 1
    effect = compare(made_side("a", base), [made_side("b", variant)]).effect("b", "full_flush")
    assert effect.difference is not None
    assert effect.difference.method == "rare"
    assert effect.difference.high is not None
    assert effect.difference.high > 2.9 / variant.total("wins")


def test_verdicts_of_a_family_err_as_rarely_as_they_say() -> None:
    """Two runs of the same thing: any metric called different is an error; at the margin, any called within is."""
    source = np.random.default_rng(11)
    means = {"drawn": 0.1, "draws": 30.0, "kongs_direct": 0.3, "two_winners": 0.05, "moved": 0.2, "with_liability": 0.1}
    keys = ("drawn", "length", "kongs", "several_winners", "liability_points", "liability_deals")
    families, different, within = 300, 0, 0
    for _ in range(families):
        base = made(40, source, **means)
        same = [measured(BY_KEY[key], "v", base, made(40, source, **means), 1e-9) for key in keys]
        different += any(effect.kind == "different" for effect in judged(same))
        shifted = {name: mean + 0.02 for name, mean in means.items()}
        at_margin = [measured(BY_KEY[key], "v", base, made(40, source, **shifted), 0.02) for key in keys]
        within += any(effect.p_equivalence is not None and effect.p_equivalence < ERROR for effect in judged(at_margin))
    allowed = ERROR + 2.5 * sqrt(ERROR * (1 - ERROR) / families)
    assert different / families < allowed
    assert within / families < allowed


def test_a_value_has_the_interval_of_its_batches() -> None:
    found = side("liuzhou").found
    share = value_of(BY_KEY["drawn"], found)
    assert share is not None
    assert share.estimate == found.total("drawn") / found.deals
    assert share.low is not None
    assert share.low < share.estimate


@pytest.mark.parametrize("name", builtin_names())
def test_every_metric_of_the_rules_has_a_value(name: str) -> None:
    found = side(name)
    for metric in shared_metrics(found.rules, found.rules):
        assert value_of(metric, found.found) is not None, metric.key
    assert lone_metrics(found.rules, found.rules) == ()


def test_metrics_are_in_two_languages_and_have_keys_of_their_own() -> None:
    assert len(BY_KEY) == len(METRICS)
    for metric in METRICS:
        assert metric.margin > 0
        for term in (metric.term, metric.unit):
            assert term.en
            assert any("\u4e00" <= letter <= "\u9fff" for letter in term.zh)


def test_sentences() -> None:
    (effect,) = judged([one(-0.0123, 0.0004, 0.001)])
    assert effect.sentence("en") == "drawn deals fall by 1.23 ± 0.08\u202f% of deals"
    assert effect.sentence("zh") == "流局减少 1.23 ± 0.08 个百分点"
    advantage = replace(effect, metric=BY_KEY["dealer_advantage"], difference=Interval(0.031, 0.027, 0.035, "paired"))
    assert advantage.sentence("en") == "dealer advantage rises by 0.031 ± 0.004 points a deal"
    (unchanged,) = judged([one(0.00001, 0.00002, 0.001)])
    assert unchanged.sentence("en") == "drawn deals unchanged within 0.1\u202f%"
    assert unchanged.sentence("zh") == "流局在 0.1 个百分点 以内不变"
    (slight,) = judged([one(0.0005, 0.00005, 0.001)])
    assert slight.sentence("en").endswith("less than the margin of 0.1\u202f%")
    (open_,) = judged([one(0.0005, 0.001, 0.001)])
    assert "not decided" in open_.sentence("en")
    assert str(open_.needed)[:2] in open_.sentence("en")


@pytest.mark.parametrize("lang", LANGS)
def test_findings_account_for_every_metric_once(lang: Any) -> None:
    """Each is told or named, or is one of those counted; no finding is a list of two dozen names."""
    comparison = compare(side("liuzhou"), [side("liuzhou", "chow=false", chow=False)])
    (finding,) = comparison.findings(lang)
    named = {effect.metric.key for effect in comparison.effects if effect.metric.term.say(lang) in finding}
    counted = sum(int(number) for number in re.findall(r"(\d+) quantities" if lang == "en" else r"(\d+) 项", finding))
    assert len(comparison.effects) - len(named) <= counted < len(comparison.effects)
    assert len(finding) < 700
    assert set(KIND_TERMS) >= {effect.kind for effect in comparison.effects}


def test_tables_show_what_the_effects_say() -> None:
    comparison = compare(side("liuzhou"), [side("liuzhou_no_rob_kong")])
    (table,) = comparison.tables
    effect = comparison.effect("liuzhou_no_rob_kong", "drawn")
    shown = table.interval("drawn", "base")
    assert shown is not None
    assert effect.base is not None
    assert shown.estimate == pytest.approx(100 * effect.base.estimate)
    assert [row.key for row in table.rows] == [each.metric.key for each in comparison.effects]


def test_margins_are_read_or_refused() -> None:
    comparison = compare(side("liuzhou"), [side("liuzhou_no_rob_kong")], margins_from(["drawn=2.5"]))
    assert comparison.effect("liuzhou_no_rob_kong", "drawn").margin == pytest.approx(0.025)
    for text, reason in {
        "nothing=1": "no metric 'nothing'",
        "drawn": "above 0",
        "drawn=-1": "above 0",
        "drawn=nan": "above 0",
        "drawn=x": "above 0",
    }.items():
        with pytest.raises(MjsimError, match=reason):
            margins_from([text])
    with pytest.raises(MjsimError, match="twice"):
        margins_from(["drawn=1", "drawn=1"])


def test_every_switch_of_the_rules_is_switched_once() -> None:
    for name in builtin_names():
        base = load_rules(name)
        found = switches(base)
        assert len({switch.key for switch in found}) == len(found)
        for switch in found:
            assert switch.rules != base, switch.key
            assert switch.term.en != switch.term.zh
    keys = {switch.key for switch in switches(load_rules("liuzhou"))}
    named = {"kongs.rob_kong=false", "liability.third_party=false", "deal_end.last_tile_discard=false"}
    assert keys >= named | {"fishing.enabled=false", "fishing.reserve=picked"}  # the shipped variants, by option
    folk = {switch.key for switch in switches(load_rules("nanning_folk"))}
    assert {"nanning_folk_human_hand_double", "nanning_folk_ordinary_discard", "liability.dead_double=true"} <= folk


def test_sensitivity_is_sorted_by_what_moves_farthest() -> None:
    settings: dict[str, dict[str, Any]] = {
        "chow=false": {"chow": False},
        "chow_counts=false": {"chow_counts": False},
        "giver_alone=true": {"giver_alone": True},
    }
    sides = [side("liuzhou", key, **values) for key, values in settings.items()]
    comparison = compare(side("liuzhou"), sides, switches=list(settings))
    found = sensitivity_of(comparison, {"chow=false": Term("no chow", "不可吃")})
    assert comparison.findings() == []
    assert comparison.tables == ()
    assert [row.size for row in found.rows] == sorted((row.size for row in found.rows), reverse=True)
    assert found.rows[0].key == "chow=false"
    assert found.term("chow=false").en == "no chow"
    bars = found.tornado("liability_points")
    assert {bar.variant for bar in bars} <= set(settings)
    assert [bar.size for bar in bars] == sorted((bar.size for bar in bars), reverse=True)
    assert found.tornado("drawn")[0].variant == "chow=false"
    assert len(found.tornado("drawn")) == 1  # what changes no play draws no more deals
    assert found.findings("en")[0].startswith("chow=false: ")
    table = found.table
    cell = table.interval("chow=false", "length")
    effect = comparison.effect("chow=false", "length")
    assert cell == effect.shown_difference


def test_the_page_about_comparisons_lists_every_metric() -> None:
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    rows = [
        tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in page.splitlines() if line.startswith("| `")
    ]
    assert rows == [
        (f"`{metric.key}`", metric.term.en, metric.term.zh, metric.unit.en, f"{metric.margin:g}") for metric in METRICS
    ]
