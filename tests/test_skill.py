"""Luck and skill: edges against plain loops, equals at exactly zero, deals until ahead by resampling, the ladder."""

import csv
import io
import json
import re
import signal
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

import mjsim
from analysis.counts.histogram import Histogram
from analysis.counts.measures import SEATS
from analysis.display.render import FORMATS, render
from analysis.display.text import LANGS, Lang
from analysis.estimates.batches import batch_ratio
from analysis.estimates.intervals import Interval
from analysis.skill.ladder import LEVEL, MIX, Ladder
from analysis.skill.matches import chosen_players, deals_to_play, ladder, match
from analysis.skill.skill import (
    Match,
    chance_ahead,
    deals_until_ahead,
    luck_share,
    p_value,
    placements,
    points_of,
)
from mjsim.cli.playing import INTERRUPTED
from mjsim.contract import View
from mjsim.errors import PlayerError, RunError
from mjsim.players import QUICK
from mjsim.players.fast import fast_decide
from mjsim.state import Int, Record
from tests.commands import ROOT, run, start

DEALS = 400
SEED = 3

pytestmark = pytest.mark.usefixtures("compiled_engine")


@pytest.fixture(scope="module")
def played() -> Match:
    return match("liuzhou", "fast", "noisy", deals=DEALS, seed=SEED)


@pytest.fixture(scope="module")
def found() -> Ladder:
    return ladder("liuzhou", deals=DEALS, seed=SEED)


def loop(first: str, second: str, seats: int = 1, deals: int = DEALS) -> list[int]:
    """What A's seats won in every deal of every seating, deal by deal."""
    points = []
    for places in placements(seats):
        table = [first if seat in places else second for seat in range(SEATS)]
        columns = mjsim.simulate("liuzhou", deals=deals, seed=SEED, players=",".join(table)).columns
        for deal in range(deals):
            points.append(sum(int(columns[f"net_{seat}"][deal]) for seat in places))
    return points


# --- a match ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_edge_and_spread_against_a_plain_loop(seats: int) -> None:
    made = match("liuzhou", "fast", "noisy", deals=100, seed=SEED, seats=seats)
    points = loop("fast", "noisy", seats, deals=100)
    assert made.deals == len(points)
    assert made.edge.estimate == sum(points) / len(points)
    assert made.spread == pytest.approx(np.std(points, ddof=1))
    values, counts = np.unique(points, return_counts=True)
    assert dict(made.points.counts) == {(int(v),): int(n) for v, n in zip(values, counts, strict=True)}


def test_interval_keeps_the_seatings_of_a_wall_together(played: Match) -> None:
    """Batches of one wall each: every wall's four results are one value."""
    by_wall = np.array(loop("fast", "noisy")).reshape(SEATS, DEALS).sum(axis=0)
    assert len(played.net) == DEALS
    np.testing.assert_array_equal(played.net, by_wall)
    half = stats.t(DEALS - 1).ppf(0.975) * np.std(by_wall / SEATS, ddof=1) / sqrt(DEALS)
    edge = played.edge
    assert edge.low is not None
    assert edge.low == pytest.approx(edge.estimate - half)


def test_p_value_is_students(played: Match) -> None:
    by_wall = played.net / SEATS
    assert played.p_value == pytest.approx(stats.ttest_1samp(by_wall, 0).pvalue, rel=1e-6)


@pytest.mark.parametrize("player", QUICK)
@pytest.mark.parametrize("seats", [1, 2, 3])
def test_equal_players_win_exactly_nothing(player: str, seats: int) -> None:
    """Whole numbers, wall by wall: the seats of all seatings sum to zero."""
    made = match("nanning_folk", player, player, deals=60, seed=SEED, seats=seats)
    assert len(made.net) == 60
    assert made.net.tolist() == [0] * 60
    assert (made.edge.estimate, made.edge.low, made.edge.high) == (0, 0, 0)
    assert (made.p_value, made.until_ahead) == (1.0, None)


def test_players_that_play_alike_are_equal_whatever_their_names() -> None:
    @mjsim.player
    def twin(view: View, legal: Record, rng: Record) -> Int:
        return fast_decide(view, legal)

    made = match("liuzhou", twin, "fast", deals=40, seed=SEED)
    assert made.first == "twin"
    assert made.net.tolist() == [0] * 40


def test_both_sides_of_two_against_two_sum_to_zero() -> None:
    one = match("liuzhou", "fast", "noisy", deals=60, seed=SEED, seats=2)
    other = match("liuzhou", "noisy", "fast", deals=60, seed=SEED, seats=2)
    assert (one.net + other.net).tolist() == [0] * 60


def test_one_against_three_is_three_against_one() -> None:
    one = match("liuzhou", "fast", "noisy", deals=60, seed=SEED)
    three = match("liuzhou", "noisy", "fast", deals=60, seed=SEED, seats=3)
    assert (one.net + three.net).tolist() == [0] * 60


@pytest.mark.parametrize("number", [0, 4])
def test_nobody_or_everybody_is_no_side(number: int) -> None:
    with pytest.raises(ValueError, match=f"^{number} seats for the first player: 1 to 3 expected$"):
        placements(number)


def test_every_seat_deals_equally_often(played: Match) -> None:
    for seating in played.seatings:
        columns = mjsim.simulate("liuzhou", deals=DEALS, seed=SEED).columns
        assert np.bincount(columns["dealer"]).tolist() == [DEALS // SEATS] * SEATS
        assert seating.aggregate.deals == DEALS


# --- deals until ahead --------------------------------------------------------------------------------------------


def test_deals_until_ahead_by_resampling(played: Match) -> None:
    until = played.until_ahead
    assert until is not None
    ahead = played.chance_ahead(round(until.estimate))
    assert abs(ahead.estimate - 0.95) < 0.01
    assert played.chance_ahead(round(until.estimate / 4)).estimate < 0.85
    assert played.chance_ahead(round(until.estimate * 4)).estimate > 0.99


def test_resampling_against_a_plain_loop() -> None:
    points = Histogram({(-3,): 5, (1,): 8, (4,): 2})
    pool = [key[0] for key, number in points.counts.items() for _ in range(number)]
    random = np.random.default_rng(1)
    sums = random.choice(pool, size=(20_000, 30)).sum(axis=1)
    expected = float((sums > 0).mean())
    assert abs(chance_ahead(points, 30, trials=20_000).estimate - expected) < 0.02


def test_until_ahead_is_unknown_where_the_better_one_is() -> None:
    assert deals_until_ahead(Interval(0.1, -0.1, 0.3, "batch"), 5.0) is None
    assert deals_until_ahead(Interval(0.1, None, None, "batch"), 5.0) is None
    assert deals_until_ahead(Interval(0.1, 0.05, 0.15, "batch"), None) is None
    same = deals_until_ahead(Interval(0.1, 0.05, 0.15, "batch"), 5.0)
    assert same == deals_until_ahead(Interval(-0.1, -0.15, -0.05, "batch"), 5.0)
    assert same is not None
    assert same.estimate == pytest.approx((stats.norm.ppf(0.95) * 5 / 0.1) ** 2)


def test_luck_share() -> None:
    whole = luck_share(Interval(0.0, -0.1, 0.1, "batch"), 5.0, 100)
    assert whole is not None
    assert (whole.estimate, whole.high) == (1.0, 1.0)
    assert whole.low == pytest.approx(25 / 26)
    behind = luck_share(Interval(-0.5, -0.6, -0.4, "batch"), 5.0, 100)
    ahead = luck_share(Interval(0.5, 0.4, 0.6, "batch"), 5.0, 100)
    assert behind == ahead
    assert luck_share(Interval(0.5, None, None, "batch"), 5.0) is None


def test_luck_share_is_a_share_of_mean_squares() -> None:
    """Results of many matches of n deals, put together: what chance adds to their mean square, over all of it."""
    random = np.random.default_rng(2)
    sums = random.normal(0.5, 5.0, (200_000, 16)).sum(axis=1)
    share = luck_share(Interval(0.5, 0.5, 0.5, "batch"), 5.0, 16)
    assert share is not None
    assert share.estimate == pytest.approx(sums.var() / (sums**2).mean(), rel=0.01)


def test_p_value_without_scatter() -> None:
    deals = np.array([2, 2, 2])
    assert p_value(np.array([0, 0, 0]), deals) == 1.0
    assert p_value(np.array([3, 3, 3]), deals) == 0.0
    assert p_value(np.array([3]), np.array([2])) == 1.0


def test_points_of_columns() -> None:
    columns = {"net_0": np.array([3, -1, 3]), "net_2": np.array([-1, -1, 0])}
    assert points_of(columns, (0, 2)) == Histogram({(-2,): 1, (2,): 1, (3,): 1})


# --- the ladder ---------------------------------------------------------------------------------------------------


def test_ladder_has_every_ordered_pair(found: Ladder) -> None:
    names = list(QUICK)
    assert [(each.first, each.second) for each in found.matches] == [
        (one, other) for one in names for other in names if one != other
    ]
    assert list(found.among_equals) == names
    played = sum(each.deals for each in found.matches) + sum(each.deals for each in found.among_equals.values())
    assert played == deals_to_play(len(names), DEALS)


def test_ladder_matches_are_matches(found: Ladder, played: Match) -> None:
    own = next(each for each in found.matches if (each.first, each.second) == ("fast", "noisy"))
    assert own.to_dict() == played.to_dict()


def test_ladder_orders_players_by_what_they_win(found: Ladder) -> None:
    assert [name for name, _ in found.strengths] == ["value", "fast", "noisy", "random"]
    for name, strength in found.strengths:
        own = [each for each in found.matches if each.first == name]
        expected = batch_ratio(
            np.sum([each.net for each in own], axis=0), np.sum([each.played for each in own], axis=0)
        )
        assert strength == expected
    assert all(adjusted >= each.p_value for adjusted, each in zip(found.adjusted, found.matches, strict=True))


def test_ladder_does_not_decide_between_equals() -> None:
    @mjsim.player
    def twin(view: View, legal: Record, rng: Record) -> Int:
        return fast_decide(view, legal)

    made = ladder("liuzhou", [twin, "fast"], deals=40, seed=SEED)
    assert [made.decided(index) for index in range(2)] == [0, 0]
    assert "do not decide" in made.findings("en")[0]
    assert "不足以分出高下" in made.findings("zh")[0]
    assert all(cell is None for row in made.tables[2].rows for cell in row.cells[:2])
    for format in FORMATS:
        assert "twin" in render(made, format)


def test_ladder_decides_clear_cases(found: Ladder) -> None:
    verdicts = {(each.first, each.second): found.decided(index) for index, each in enumerate(found.matches)}
    assert verdicts["fast", "random"] == 1
    assert verdicts["random", "fast"] == -1
    for index, (each, p) in enumerate(zip(found.matches, found.adjusted, strict=True)):
        assert (p < LEVEL) == (found.decided(index) != 0)
        low, high = each.edge.low, each.edge.high
        assert low is not None
        assert high is not None
        # What is decided among all matches is decided by itself.
        assert found.decided(index) == 0 or low > 0 or high < 0


def test_mix_and_play_against_a_plain_loop(found: Ladder) -> None:
    strength, matches, luck, play, mix = found.tables
    columns = mjsim.simulate("liuzhou", deals=DEALS, seed=SEED, players="noisy").columns
    wins = [(deal, seat) for deal in range(DEALS) for seat in range(SEATS) if columns["winners"][deal] >> seat & 1]
    pungs = sum(int(columns[f"types_{seat}"][deal]) & 1 for deal, seat in wins)
    plain = sum(not int(columns[f"types_{seat}"][deal]) & 0b10000111 for deal, seat in wins)
    for key, number in (("all_pungs", pungs), ("ordinary", plain)):
        interval = mix.interval(key, "noisy")
        assert interval is not None
        assert interval.estimate == number / len(wins)
    won = play.interval("noisy", "won")
    gave = play.interval("noisy", "dealt_in")
    assert won is not None
    assert gave is not None
    assert won.estimate == len(wins) / (SEATS * DEALS)
    discards = sum(int(outcome) == 1 for outcome in columns["outcome"])
    assert gave.estimate == discards / (SEATS * DEALS)
    assert [row.key for row in mix.rows] == list(MIX)
    assert (strength.key, matches.key, luck.key) == ("strength", "matches", "luck")


@pytest.mark.parametrize(
    ("players", "complaint"),
    [
        ([], r"^only 0: a comparison needs two or more; there are fast, noisy, random, rollout, value$"),
        (["fast"], r"^only 1: a comparison needs two or more"),
        (["fast", "slow"], r"^player 2: none is called 'slow'; there are fast, noisy, random, rollout, value$"),
        (["fast", "noisy", "fast"], r"^player 3: 'fast' is compared already; name each one once$"),
    ],
)
def test_players_that_cannot_be_compared(players: list[str], complaint: str) -> None:
    with pytest.raises(PlayerError, match=complaint):
        ladder("liuzhou", players, deals=10)


def test_a_match_may_be_of_equals() -> None:
    assert [each.name for each in chosen_players(("fast", "fast"), distinct=False)] == ["fast", "fast"]


def test_deals_that_cannot_be_played() -> None:
    with pytest.raises(RunError, match=r"^deals 0: must be 1 to 2\^40"):
        match("liuzhou", "fast", "noisy", deals=0)


def test_examples_of_the_page_run() -> None:
    page = (ROOT / "docs" / "skill.md").read_text(encoding="utf-8")
    deals = []
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        namespace: dict[str, Any] = {"__name__": "example"}
        exec(block, namespace)
        deals.append(namespace["found"].deals)
    assert deals == [800, 400]


# --- the command --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("format", FORMATS)
def test_command_prints_the_ladder_in_every_form(found: Ladder, format: str, lang: Lang) -> None:
    done = run("ladder", "liuzhou", "--deals", DEALS, "--seed", SEED, "--format", format, "--lang", lang)
    assert (done.status, "error" in done.err) == (0, False)
    match format:
        case "json":
            data = json.loads(done.out)
            assert data == json.loads(json.dumps(found.to_dict() | {"findings": found.findings(lang)}))
        case "csv":
            cells = {tuple(line[:3]): line[3:] for line in csv.reader(io.StringIO(done.out))}
            assert float(cells["strength", "fast", "strength"][0]) == dict(found.strengths)["fast"].estimate
            assert cells["matches", "fast:noisy", "deals"][0] == str(SEATS * DEALS)
        case _:
            words = " ".join(done.out.split())
            assert all(" ".join(finding.split())[:40] in words for finding in found.findings(lang))
            assert ("运气与技术" if lang == "zh" else "Luck and skill") in done.out


def test_command_takes_players_and_settings() -> None:
    done = run(
        "ladder", "liuzhou", "--players", "noisy, fast", "--set", "claims.chow=false", "--deals", 20, "--format", "json"
    )
    assert done.status == 0
    data = json.loads(done.out)
    assert data["ruleset"]["claims"]["chow"] is False
    assert [(each["first"], each["second"]) for each in data["matches"]] == [("noisy", "fast"), ("fast", "noisy")]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("nowhere",), 'error: no built-in ruleset "nowhere"'),
        (("liuzhou", "--players", "fast"), "error: --players: only 1: a comparison needs two or more"),
        (("liuzhou", "--players", "fast,slow"), "error: --players: player 2: none is called 'slow'"),
        (("liuzhou", "--players", "fast,fast"), "error: --players: player 2: 'fast' is compared already"),
        (("liuzhou", "--deals", 0), "error: deals 0: must be 1 to 2^40"),
        (("liuzhou", "--seed", -1), "error: seed -1: must be 0 to 2^64 - 1"),
        (("liuzhou", "--threads", 0), "error: threads 0: must be 1 to 1024"),
        (("liuzhou", "--set", "no_such=1"), 'error: setting "no_such"'),
    ],
)
def test_command_refuses(arguments: tuple[object, ...], complaint: str) -> None:
    done = run("ladder", *arguments)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(complaint)


@pytest.mark.usefixtures("compiled_engine")
def test_ctrl_c_prints_nothing_and_says_so() -> None:
    process = start("ladder", "liuzhou", "--deals", 50_000_000, start_new_session=True)
    assert process.stderr is not None
    progress = process.stderr.readline()
    assert " of 2,600,000,000 deals, " in progress
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert out == ""
    assert "interrupted before every pair had played" in err
