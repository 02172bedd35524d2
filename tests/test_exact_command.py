"""`mjsim exact` and every report's self-check: exact tails, honest verdicts, and how wrong simulators fail them."""

import csv
import io
import json
import re
import signal
from collections import Counter
from dataclasses import replace
from math import comb
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import analysis.checks.exact_numbers
import mjsim
from analysis.checks.exact import (
    ENOUGH,
    LEVEL,
    Event,
    Partition,
    SelfCheck,
    self_check,
    shanten_events,
    table,
    verdict,
)
from analysis.checks.exact_numbers import PLACES, ExactNumbers, Sample, mean_shanten, sample
from analysis.counts.aggregate import Aggregate
from analysis.counts.counting import aggregate
from analysis.counts.histogram import Histogram
from analysis.counts.measures import SEATS
from analysis.display.render import FORMATS, render
from analysis.display.text import LANGS, Lang, Term
from mjsim.cli.playing import INTERRUPTED
from mjsim.errors import RunError
from mjsim.hands.exact import shanten_counts
from mjsim.hands.types import hand_types
from tests.commands import ROOT, run, start
from tests.naive import hands as naive
from tests.naive.tiles import counts_of

NAME = Term("event", "事件")
DEALS = 3000


def event(ways: int, total: int, hits: int, deals: int) -> Event:
    return Event("event", NAME, ways, total, hits, deals)


@pytest.fixture(scope="module")
def found() -> Aggregate:
    return aggregate(mjsim.simulate("liuzhou", deals=20_000, seed=4).to_polars())


@pytest.fixture(scope="module")
def numbers() -> ExactNumbers:
    return ExactNumbers(sample(DEALS, seed=2))


# --- one event ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ways", "total", "hits", "deals"),
    [
        (1, 2, 60, 100),
        (1, 2, 40, 100),
        (1, 1000, 0, 100),
        (1, 1000, 3, 100),
        (99, 100, 100, 100),
        (3, 10, 3010, 10_000),
    ],
)
def test_z_is_the_mid_p_tail(ways: int, total: int, hits: int, deals: int) -> None:
    binomial = stats.binom(deals, ways / total)
    below = binomial.cdf(hits - 1) + binomial.pmf(hits) / 2
    seen = event(ways, total, hits, deals)
    assert seen.z == pytest.approx(stats.norm.ppf(below), abs=1e-9)
    assert seen.p_value == pytest.approx(2 * min(below, 1 - below), rel=1e-9)


def test_z_of_a_rare_event_is_no_normal_approximation() -> None:
    # One hit where a hundredth is expected: (1 − 0.01) / √0.01 would call this almost ten standard deviations.
    seen = event(1, 10_000, 1, 100)
    assert seen.z == pytest.approx(2.57, abs=0.02)


def test_z_of_many_deals_is_the_usual_one() -> None:
    deals, hits = 10**8, 30_010_000
    usual = (hits - 0.3 * deals) / np.sqrt(0.21 * deals)
    assert event(3, 10, hits, deals).z == pytest.approx(usual, rel=1e-3)


def test_z_stays_finite_and_is_unknown_without_deals() -> None:
    assert event(1, 2, 10**6, 10**6).z == pytest.approx(37.05, abs=0.01)
    assert event(1, 2, 0, 10**6).z == pytest.approx(-37.05, abs=0.01)
    assert event(1, 2, 0, 0).z is None


def test_probabilities_are_whole_numbers_until_the_last_division() -> None:
    ready = shanten_events(13, {}).__getitem__(0)
    assert (ready.ways, ready.total) == (39_723_835_251_584, comb(136, 13))
    assert ready.probability == ready.ways / ready.total


# --- all events together ------------------------------------------------------------------------------------------


def partition(ways: list[int], hits: list[int]) -> Partition:
    total, deals = sum(ways), sum(hits)
    events = [
        Event(str(place), NAME, way, total, hit, deals) for place, (way, hit) in enumerate(zip(ways, hits, strict=True))
    ]
    return Partition("made", NAME, tuple(events))


def test_chi_square_is_scipys_where_enough_is_expected() -> None:
    ways, hits = [1, 2, 3, 4], [120, 190, 290, 400]
    statistic, freedom = partition(ways, hits).chi_square()
    expected = stats.chisquare(hits, [100, 200, 300, 400])
    assert statistic == pytest.approx(float(expected.statistic))
    assert freedom == 3


def test_chi_square_pools_what_is_expected_too_rarely() -> None:
    ways, hits = [1, 2, 97, 400, 500], [0, 3, 97, 380, 520]
    made = partition(ways, hits)
    statistic, freedom = made.chi_square()
    # 1 and 2 are expected, together 3: the next larger event joins them.
    expected = stats.chisquare([100, 380, 520], [100, 400, 500])
    assert statistic == pytest.approx(float(expected.statistic))
    assert freedom == 2
    assert [each.expected for each in made.rare] == [1, 2]


@pytest.mark.parametrize("hits", [[0, 1], [1, 0], [3, 4]])
def test_chi_square_of_few_deals_has_no_freedom(hits: list[int]) -> None:
    assert partition([1, 1], hits).chi_square()[1] == 0


def test_a_sound_simulator_rarely_fails() -> None:
    """The verdict's p-value is no smaller than it should be, down to a thousandth, also with many rare events."""
    counts = shanten_counts(14, seven_pairs=True)
    random = np.random.default_rng(11)
    chances = np.array(list(counts.values())) / comb(136, 14)
    p_values = []
    for _ in range(4000):
        made = [
            Partition(
                "", NAME, shanten_events(14, dict(zip(counts, random.multinomial(2000, chances).tolist(), strict=True)))
            )
            for _ in range(2)
        ]
        p_values.append(verdict(made).p_value)
    for level in (0.1, 0.01):
        failed = sum(p <= level for p in p_values)
        assert failed <= stats.binom(len(p_values), level).ppf(0.9999), level


def test_independent_chi_squares_add_up() -> None:
    parts = [partition([1, 1], [480, 520]), partition([1, 2, 1], [270, 480, 250])]
    together = verdict(parts, independent=True)
    assert together.statistic[0] == pytest.approx(sum(part.chi_square()[0] for part in parts))
    assert together.freedom == (3,)
    assert together.p_value == pytest.approx(stats.chi2(3).sf(together.statistic[0]))
    apart = verdict(parts)
    each = [
        stats.chi2(freedom).sf(statistic) for statistic, freedom in zip(apart.statistic, apart.freedom, strict=True)
    ]
    assert apart.p_value == pytest.approx(min(1, 2 * min(each)))


def test_a_hit_that_cannot_be_fails() -> None:
    made = partition([1, 10**9], [1, 999])
    assert not verdict([made]).passed


def test_nothing_played_passes() -> None:
    found = verdict([partition([1, 1], [0, 0])])
    assert (found.passed, found.p_value, found.freedom) == (True, 1.0, ())


# --- the self-check of a run --------------------------------------------------------------------------------------


def test_self_check_counts_what_a_plain_loop_counts() -> None:
    result = mjsim.simulate("nanning_folk", deals=500, seed=9, players="random")
    hits: Counter[tuple[int, int]] = Counter()
    for deal in range(500):
        for seat in range(SEATS):
            physical = (int(result.columns["dealer"][deal]) + seat) % SEATS
            hits[seat, int(result.columns[f"start_shanten_{physical}"][deal])] += 1
    check = self_check(result.to_polars())
    rows = list(check.rows)
    assert {(seat, int(each.key)): each.hits for seat, each in rows if each.hits} == dict(hits)
    assert all(each.deals == 500 for _, each in rows)
    assert all(each.total == comb(136, 13 if seat else 14) for seat, each in rows)


def test_self_check_passes_and_says_so(found: Aggregate) -> None:
    check = self_check(found)
    assert check.passed
    assert check.p_value > LEVEL
    assert check.findings("en")[0].startswith("Self-check passed")
    assert check.findings("zh")[0].startswith("自检通过")
    assert json.loads(json.dumps(check.to_dict(), allow_nan=False))["verdict"]["passed"] is True


def moved(found: Aggregate, change: dict[int, int], seat: int, every: int) -> Aggregate:
    """The same counts with one in so many hands of a seat counted at another shanten."""
    counts: Counter[tuple[int, ...]] = Counter()
    for key, number in found["start"].counts.items():
        wrong = number // every if key[0] == seat and key[1] in change else 0
        counts[key] += number - wrong
        if wrong:
            counts[(seat, change[key[1]], key[2])] += wrong
    return replace(found, histograms={**found.histograms, "start": Histogram(dict(counts))})


@pytest.mark.parametrize("seat", range(SEATS))
def test_self_check_notices_a_wrong_evaluator_in_any_seat(found: Aggregate, seat: int) -> None:
    check = self_check(moved(found, {3: 2}, seat, every=12))
    assert not check.passed
    assert "FAILED" in check.findings("en")[0]
    assert "自检未通过" in check.findings("zh")[0]


def test_self_check_notices_swapped_seats(found: Aggregate) -> None:
    counts = {((key[0] ^ 1), *key[1:]): number for key, number in found["start"].counts.items()}
    assert not self_check(replace(found, histograms={**found.histograms, "start": Histogram(counts)})).passed


def test_self_check_table_has_all_of_it(found: Aggregate) -> None:
    check = self_check(found)
    made = table(found)
    assert made == table(check) == check.tables[0]
    assert [row.key for row in made.rows] == [str(shanten) for shanten in range(-1, 7)]
    by_row = {(seat, each.key): each for seat, each in check.rows}
    for row in made.rows:
        dealer = by_row[0, row.key]
        assert made.cell(row.key, "exact_dealer") == dealer.probability
        assert made.cell(row.key, "z_dealer") == dealer.z
        interval = made.interval(row.key, "seen_dealer")
        assert interval is not None
        assert interval.estimate == dealer.hits / found.deals
        other = by_row.get((2, row.key))
        assert made.cell(row.key, "z_opposite") == (other.z if other else None)


def test_self_check_of_a_single_deal() -> None:
    check: SelfCheck = self_check(mjsim.simulate("liuzhou", deals=1, seed=1).to_pandas())
    assert check.passed
    assert check.verdict.freedom == ()
    assert check.verdict.rare == sum(each.expected < ENOUGH for _, each in check.rows)


# --- the sample ---------------------------------------------------------------------------------------------------


def test_sample_against_a_plain_loop() -> None:
    number = 90
    both: tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]] = (Counter(), Counter())
    for deal, wall in enumerate(mjsim.walls(5, 0, number).tolist()):
        size = 13 if deal % 2 else 14
        place = deal // 2 % 9 * 14
        hand = counts_of(wall[place : place + size])
        both[deal % 2][naive.distance(hand, 0) - 1, naive.shanten(hand, 0)] += 1
    assert sample(number, seed=5).shanten == both


def test_sample_knows_the_types_of_complete_hands() -> None:
    tiles = [kind for kind in (0, 1, 2, 3, 4, 5, 6) for _ in range(2)]
    rest = [kind for kind in range(34) for _ in range(2 if kind < 7 else 4)]
    wall = np.array([tiles + rest], np.uint8)

    def same_walls(seed: int, first: int, n: int) -> npt.NDArray[np.uint8]:
        return np.repeat(wall, n, axis=0)

    with patch.object(analysis.checks.exact_numbers, "walls", same_walls):
        made = sample(2 * PLACES, seed=0)
    expected = tuple(name for name in hand_types(counts_of(tiles)) if name != "concealed_hand")
    assert made.types[expected] == 2  # the wall begins with the same hand twice
    assert expected == ("full_flush", "seven_pairs")


def test_sample_does_not_depend_on_threads_or_chunks() -> None:
    whole = sample(20_000, seed=6, threads=1)
    assert whole == sample(20_000, seed=6, threads=3)
    with patch.object(analysis.checks.exact_numbers, "CHUNK_WALLS", 777):
        assert whole == sample(20_000, seed=6)
    assert whole != sample(20_000, seed=7)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"deals": 0}, r"^deals 0: must be 1 to 2\^40"),
        ({"deals": 1.5}, r"^deals 1\.5: a whole number expected"),
        ({"deals": 1, "seed": -1}, r"^seed -1: must be 0 to 2\^64 - 1"),
        ({"deals": 1, "threads": 0}, r"^threads 0: must be 1 to 1024"),
    ],
)
def test_what_cannot_be_sampled_is_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RunError, match=complaint):
        sample(**arguments)


# --- the command's answer -----------------------------------------------------------------------------------------


def test_tables_say_the_exact_counts(numbers: ExactNumbers) -> None:
    tables = {each.key: each for each in numbers.tables}
    assert tables["types_14"].cell("complete", "ways") == 12_921_107_873_904
    assert tables["types_14"].cell("seven_pairs", "ways") == 1_569_298_171_584
    assert tables["types_14"].cell("full_flush", "ways") == 1_347_754_512
    assert tables["types_14"].cell("quads_2", "ways") == 601_032_960
    assert (
        sum(row.cells[0] for row in tables["combinations_14"].rows if isinstance(row.cells[0], int))
        == 12_921_107_873_904
    )
    for tiles in (14, 13):
        for seven_pairs, key in ((True, f"shanten_{tiles}"), (False, f"shanten_{tiles}_standard")):
            ways = {int(row.key): row.cells[0] for row in tables[key].rows}
            assert ways == shanten_counts(tiles, seven_pairs)
            assert sum(row.cells[3] for row in tables[key].rows if isinstance(row.cells[3], int)) == DEALS // 2


@pytest.mark.parametrize("tiles", [14, 13])
def test_verdict_counts_every_hand_once(numbers: ExactNumbers, tiles: int) -> None:
    """Otherwise the chi-squares would not add up."""
    events = numbers.finest(tiles).events
    assert sum(each.ways for each in events) == comb(136, tiles)
    assert sum(each.hits for each in events) == DEALS // 2
    assert len({each.key for each in events}) == len(events)


def test_page_says_the_exact_counts(numbers: ExactNumbers, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "exact.md").read_text(encoding="utf-8")
    lines = {
        cells[0]: cells[1:] for cells in re.findall(r"^\| ([a-z ]+?) \| ([\d,]+) \| ([\d,]+) \|$", page, re.MULTILINE)
    }
    events = {each.term.en: each for each in (*numbers.combinations(), *numbers.types())}
    named = {"all pungs and full flush": "all pungs + full flush"}
    assert len(lines) == 6
    for name, (ways, one_in) in lines.items():
        exact = events[named.get(name, name)]
        assert int(ways.replace(",", "")) == exact.ways
        assert float(one_in.replace(",", "")) == pytest.approx(1 / exact.probability, rel=5e-3)
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, {"mjsim": mjsim})
    assert "Self-check passed" in capsys.readouterr().out


def test_mean_shanten() -> None:
    exact = sum(shanten * ways for shanten, ways in shanten_counts(13, True).items()) / comb(136, 13)
    assert mean_shanten(13) == exact


def test_wrong_walls_fail() -> None:
    """A shuffle that leaves the first two tiles equal half of the time."""

    def sticky(seed: int, first: int, n: int) -> npt.NDArray[np.uint8]:
        tiles = mjsim.walls(seed, first, n)
        for wall in tiles[::2]:
            other = int(np.flatnonzero(wall[1:] == wall[0])[0]) + 1
            wall[[1, other]] = wall[[other, 1]]
        return tiles

    with patch.object(analysis.checks.exact_numbers, "walls", sticky):
        numbers = ExactNumbers(sample(40_000, seed=1))
        done = run("exact", "--deals", 40_000, "--seed", 1)
    assert not numbers.verdict.passed
    assert "FAILED" in numbers.warnings("en")[0]
    assert done.status == 1
    assert "SELF-CHECK FAILED" in done.out
    assert "error: the self-check failed" in done.err


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("format", FORMATS)
def test_command_prints_the_same_numbers_in_every_form(numbers: ExactNumbers, format: str, lang: Lang) -> None:
    done = run("exact", "--deals", DEALS, "--seed", 2, "--format", format, "--lang", lang)
    assert (done.status, "error" in done.err) == (0, False)
    match format:
        case "json":
            data = json.loads(done.out)
            assert data["tables"] == json.loads(json.dumps([each.to_dict() for each in numbers.tables]))
            assert data["verdict"]["passed"]
            assert data["hands"]["14"] == {"ways": comb(136, 14), "dealt": DEALS // 2}
        case "csv":
            cells = {tuple(line[:3]): line[3] for line in csv.reader(io.StringIO(done.out))}
            assert cells["types_14", "all_pungs", "ways"] == "2137006080"
            assert float(cells["shanten_13", "0", "exact"]) == numbers.shanten(13, True)[0].probability
        case _:
            assert "2\u202f137\u202f006\u202f080" in done.out
            assert "对对胡" in done.out
            assert "all pungs" in done.out
            assert numbers.verdict.sentence(lang)[:12] in done.out
            assert "5.028\u202f×\u202f10⁻¹⁰" in done.out


@pytest.mark.parametrize("lang", LANGS)
def test_interrupted_sample_is_of_what_was_finished(lang: Lang) -> None:
    few = ExactNumbers(Sample(0, 0, (Counter(), Counter()), Counter()))
    assert few.verdict.passed
    assert "–" in render(few, "table", lang)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--deals", 0), "error: deals 0: must be 1 to 2^40"),
        (("--seed", -1), "error: seed -1: must be 0 to 2^64 - 1"),
        (("--threads", 0), "error: threads 0: must be 1 to 1024"),
    ],
)
def test_command_refuses(arguments: tuple[str, int], complaint: str) -> None:
    done = run("exact", *arguments)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(complaint)


def test_ctrl_c_keeps_what_was_finished() -> None:
    process = start("exact", "--deals", 500_000_000, start_new_session=True)
    assert process.stderr is not None
    progress = process.stderr.readline()
    assert " of 500,000,000 deals, " in progress
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert "interrupted: " in err
    assert "Self-check passed" in out
