"""What happens over sessions, against plain loops; the distributions behind the tables, against numpy and scipy."""

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import mjsim
from analysis.answers import sessions
from analysis.answers.summary import summarise
from analysis.counts.counting import aggregate
from analysis.counts.distribution import Distribution
from analysis.display.render import FORMATS, render
from analysis.display.text import LANGS
from analysis.estimates.intervals import share
from mjsim.cli.counting import Counts
from mjsim.engine import Plan
from mjsim.players import players_for_seats
from mjsim.ranges import session_ranges
from mjsim.rules import load_rules
from mjsim.simulation import manifest_of
from tests.made_deals import MANIFEST, SEATS, frame, in_sessions, made_rows

LENGTH = 7
ROWS = in_sessions(made_rows(30 * LENGTH + 3), LENGTH)  # the last session is not finished
FOUND = aggregate(frame(ROWS), LENGTH)
TABLES = {table.key: table for table in sessions.tables(FOUND, LENGTH)}


def paths(*, fish: bool) -> list[list[int]]:
    """The points of each seat after each deal of each whole session, in the order of seats from the first dealer."""
    found = []
    for start in range(0, 30 * LENGTH, LENGTH):
        for offset in SEATS:
            seat = (start // LENGTH + offset) % 4
            points = [row[f"net_{seat}"] - (0 if fish else row[f"fish_{seat}"]) for row in ROWS[start : start + LENGTH]]
            found.append([sum(points[: deals + 1]) for deals in range(LENGTH)])
    return found


def cell(table: str, row: str, column: str) -> Any:
    return TABLES[table].cell(row, column)


def test_runs_of_the_bank() -> None:
    runs: list[int] = []
    for index, row in enumerate(ROWS[: 30 * LENGTH]):
        if index % LENGTH and row["dealer"] == ROWS[index - 1]["dealer"]:
            runs[-1] += 1
        else:
            runs.append(1)
    assert cell("bank", "all", "runs") == len(runs)
    assert cell("bank", "all", "mean").estimate == sum(runs) / len(runs)
    for length, times in Counter(runs).items():
        assert cell("bank", str(length), "runs") == times
        assert cell("bank", str(length), "share") == share(times, len(runs))


@pytest.mark.parametrize(("key", "fish"), [("all", True), ("all_without_fish", False)])
def test_ups_and_downs(key: str, fish: bool) -> None:
    found = paths(fish=fish)
    lows = sorted(min(0, *path) for path in found)
    assert cell("swings", key, "sd").estimate == pytest.approx(np.std([path[-1] for path in found], ddof=1))
    ranges = [max(0, *path) - min(0, *path) for path in found]
    assert cell("swings", key, "range").estimate == pytest.approx(np.mean(ranges))
    assert cell("swings", key, "low_median").estimate == lows[59]
    assert cell("swings", key, "low_p5").estimate == lows[5]
    # Four seats of a session count as one: as wide as if there were a quarter as many.
    alone = Distribution(dict(sorted(Counter(ranges).items()))).mean()
    together = cell("swings", key, "range")
    assert alone is not None
    assert alone.high is not None
    assert together.high - together.estimate == pytest.approx(2 * (alone.high - alone.estimate))


def test_ups_and_downs_of_one_seat() -> None:
    opposite = paths(fish=True)[2::4]
    assert cell("swings", "opposite", "sd").estimate == pytest.approx(np.std([path[-1] for path in opposite], ddof=1))


def test_chance_of_ruin() -> None:
    purses = [int(row.key) for row in TABLES["ruin"].rows]
    assert purses[:3] == [10, 20, 50]
    for column, fish in (("ruined", True), ("without_fish", False)):
        found = paths(fish=fish)
        for purse in purses:
            ruined = sum(min(path) <= -purse for path in found)
            chance = cell("ruin", str(purse), column)
            assert chance.estimate == ruined / len(found)
            assert chance.method == "bound" or chance.high - chance.low > 0
    assert cell("ruin", str(purses[-1]), "ruined") == share(0, 30)
    assert cell("ruin", str(purses[-2]), "times") > 0


def test_there_are_no_session_tables_where_a_deal_is_a_session_or_none_was_finished() -> None:
    assert sessions.tables(frame(made_rows(20)), 1) == ()
    assert sessions.tables(frame(in_sessions(made_rows(5), LENGTH)), LENGTH) == ()


def test_without_fish_there_is_nothing_to_leave_out() -> None:
    deals = frame(in_sessions(made_rows(70, fish=(0,)), LENGTH))
    found = {table.key: table for table in sessions.tables(deals, LENGTH)}
    assert [column.key for column in found["ruin"].columns] == ["times", "ruined"]
    assert [row.key for row in found["swings"].rows] == ["all", "dealer", "next", "opposite", "previous"]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("whole", [1, 2, 30])
def test_sessions_are_shown_without_nonsense(whole: int, format: Any, lang: Any) -> None:
    rows = ROWS[: whole * LENGTH]
    summary = summarise(frame(rows), MANIFEST | {"session_length": LENGTH, "deals": len(rows)})
    assert summary.table("ruin") is not None
    assert not re.search(r"\b(nan|inf|None|Infinity)\b", render(summary, format, lang))


def test_a_session_finding() -> None:
    summary = summarise(frame(ROWS), MANIFEST | {"session_length": LENGTH})
    (english,) = [each for each in summary.findings("en") if "session of 7 deals" in each]
    (chinese,) = [each for each in summary.findings("zh") if "一场 7 局" in each]
    mean = TABLES["bank"].interval("all", "mean")
    assert mean is not None
    for sentence in (english, chinese):
        assert f"{mean.estimate:.2f}" in sentence


def test_deals_counted_piece_by_piece_come_to_the_same() -> None:
    result = mjsim.simulate("liuzhou", deals=500, seed=3, session=7)
    counts = Counts(7)
    for start, size in session_ranges(0, 500, 7, 100):
        part = counts.count({name: column[start : start + size] for name, column in result.columns.items()})
        counts.add(part, is_whole=(start + size) % 7 == 0)
        assert counts.deals == start + size
    plan = Plan(load_rules("liuzhou"), players_for_seats("fast"), 3, 7, 2)
    summary = counts.summary(manifest_of(plan, 0, 500, False, "", []))
    assert summary.aggregate == aggregate(result.to_polars(), 7)
    assert summary.deals == 500


VALUES = np.random.default_rng(5).geometric(0.2, 400)


def distribution(values: np.ndarray[Any, Any]) -> Distribution:
    return Distribution(dict(sorted(Counter(values.tolist()).items())))


@pytest.mark.parametrize("part", [0.01, 0.05, 0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [3, 20, 400])
def test_quantiles_lie_between_order_statistics(n: int, part: float) -> None:
    found = distribution(VALUES[:n]).quantile(part)
    assert found is not None
    ordered = np.sort(VALUES[:n])
    assert found.estimate == ordered[int(np.ceil(part * n - 1e-9)) - 1]
    low, high = (int(binom.ppf(tail, n, part)) for tail in (0.025, 0.975))
    assert found.low == (None if (1 - part) ** n > 0.025 else ordered[low - 1])
    assert found.high == (None if part**n > 0.025 else ordered[high])
    assert found.few == (found.low is None or found.high is None)


def test_intervals_of_spread_and_skewness_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    spread, skewness = np.sqrt(6 * 0.25), 0.0  # binomial: 6 throws of a fair coin
    held = [0, 0]
    for _ in range(400):
        found = distribution(rng.binomial(6, 0.5, 300))
        for index, (interval, truth) in enumerate(((found.spread(), spread), (found.skewness(), skewness))):
            assert interval is not None
            assert interval.low is not None
            assert interval.high is not None
            held[index] += interval.low <= truth <= interval.high
    assert all(0.92 * 400 <= count <= 0.98 * 400 for count in held)


def test_quantiles_hold_the_truth_at_least_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    truth = int(binom.ppf(0.9, 100, 0.3))
    held = 0
    for _ in range(400):
        found = distribution(rng.binomial(100, 0.3, 200)).quantile(0.9)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert held >= 0.94 * 400


def test_distributions_that_say_little() -> None:
    assert Distribution({}).mean() is None
    assert Distribution({}).quantile(0.5) is None
    single = Distribution({3: 1})
    assert single.spread() is None
    assert single.skewness() is None
    alike = Distribution({3: 5}).spread()
    assert alike is not None
    assert (alike.estimate, alike.low) == (0, None)
