"""Quantities with known means: when chance does not explain what was measured."""

from fractions import Fraction

import pytest
from scipy import stats

import mjsim
from analysis.answers import horses
from analysis.checks.exact import LEVEL
from analysis.checks.expectations import ENOUGH, Expectation, failed
from analysis.counts.counting import aggregate
from analysis.display.text import Term
from analysis.estimates.intervals import Interval
from analysis.fish import fishing


def heads(z: float, size: float = 1000) -> Expectation:
    return Expectation("heads", Term("heads", "正面"), Fraction(1, 2), Interval(0.612, 0.6, 0.63, "wilson"), z, size)


@pytest.mark.parametrize("z", [-4.2, -1.0, 0.0, 2.5, 8.0])
def test_p_values_are_those_of_a_normal_distribution(z: float) -> None:
    assert heads(z).p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-12)


@pytest.mark.parametrize("number", [1, 7])
def test_all_of_a_run_share_the_risk_of_a_false_alarm(number: int) -> None:
    limit = stats.norm.isf(LEVEL / 2 / number)
    others = [heads(0.0)] * (number - 1)
    assert failed([heads(limit - 0.001), *others]) == []
    assert failed([heads(-limit - 0.001), *others]) == [heads(-limit - 0.001)]


def test_few_things_are_not_judged_and_take_no_part_of_the_risk() -> None:
    limit = stats.norm.isf(LEVEL / 2)
    rare = heads(50.0, ENOUGH - 1)
    assert failed([rare]) == []
    assert failed([rare, heads(limit + 0.001, ENOUGH)]) == [heads(limit + 0.001, ENOUGH)]


def test_the_warning_has_the_numbers() -> None:
    said = heads(8.04).warning("en")
    assert said.startswith("SELF-CHECK FAILED: heads: 0.6120 instead of 0.5000, z = +8.0; ")
    assert "once in 10\u202f000 runs" in said
    assert "正面：0.6120，应为 0.5000，z = +8.0" in heads(8.04).warning("zh")


@pytest.mark.parametrize("ruleset", ["liuzhou", "nanning_laiyouxi"])
@pytest.mark.parametrize("deals", [30, 600])
def test_sound_runs_pass(ruleset: str, deals: int) -> None:
    """A sound run fails once in 10,000; of rare hits in short runs too."""
    for seed in range(15):
        found = aggregate(mjsim.simulate(ruleset, deals=deals, seed=seed).to_polars())
        assert failed((*fishing.checks(found), *horses.checks(found))) == []
