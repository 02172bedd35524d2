"""The coverage that intervals promise, worked out or measured, and docs/intervals.md, which prints it."""

from pathlib import Path

import numpy as np
import pytest

from analysis.estimates import calibration
from analysis.estimates.calibration import BANDS, Coverage, band_coverage, exact_coverage
from analysis.estimates.intervals import Interval, jeffreys, share, wilson

PAGE = Path(__file__).parents[1] / "docs" / "intervals.md"


@pytest.fixture(scope="module")
def measured() -> tuple[Coverage, ...]:
    return calibration.tables()


@pytest.mark.parametrize("trials", [1000, 10**4, 10**6, 10**8])
def test_shares_cover_within_two_points(trials: int) -> None:
    """Hits are whole numbers, so coverage jumps from one expected number to the next: the mean over half an octave."""
    found = [float(each.mean()) for each in band_coverage(trials)]
    assert all(0.93 <= each <= 0.97 for each in found), found


def test_three_is_the_most_hits_for_which_jeffreys_keeps_within_two_points() -> None:
    def with_one_more(hits: int, n: int) -> Interval:
        return jeffreys(hits, n) if hits == 4 else share(hits, n)

    steps = 2 ** (np.arange(1000) / 1000)
    assert exact_coverage(steps, 10**6).mean() < 0.97
    assert exact_coverage(steps, 10**6, with_one_more).mean() > 0.97


def test_exact_coverage_is_what_drawing_finds() -> None:
    rng = np.random.default_rng(1)
    trials, runs = 10**5, 40_000
    limits = [share(hits, trials) for hits in range(1500)]
    low, high = (np.array([getattr(each, end) for each in limits]) for end in ("low", "high"))
    for expected in (1.0, 3.2, 10.0, 100.0, 1000.0):
        hits = rng.binomial(trials, expected / trials, runs)
        held = np.mean((low[hits] <= expected / trials) & (expected / trials <= high[hits]))
        exact = float(exact_coverage(np.array([expected]), trials)[0])
        assert held == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / runs))


@pytest.mark.parametrize(("true", "n"), [(0.5, 50), (0.1, 200), (0.02, 500), (0.005, 2000)])
def test_plain_formulas_cover_too(true: float, n: int) -> None:
    for method in (wilson, jeffreys, share):
        assert 0.92 <= exact_coverage(np.array([true * n]), n, method)[0] <= 0.985


def test_clumped_shares_cover_within_two_points_from_1_to_1000_expected_hits(measured: tuple[Coverage, ...]) -> None:
    rows = measured[1].rows
    assert len(rows) == (len(BANDS) - 1) // 2
    assert all(93 <= coverage <= 97 for _, (coverage,) in rows), rows


def test_points_cover_within_two_points_with_enough_deals(measured: tuple[Coverage, ...]) -> None:
    fewest, more, most = (coverages for _, coverages in measured[2].rows)
    assert all(93 <= each <= 97 for each in most), most
    assert all(93 <= each <= 97 for each in more[:2]), more
    assert min(fewest) < 93  # the page says that a thousand deals are too few


def test_jackpots_need_ten_hits(measured: tuple[Coverage, ...]) -> None:
    rows = dict(measured[3].rows)
    for expected in ("10", "100", "1,000"):
        assert all(93 <= each <= 97 for each in rows[expected]), rows[expected]
    assert rows["3"][1] > rows["3"][0] + 2  # where the errors lean, the bootstrap is nearer
    assert max(rows["1"]) < 70  # with no hit seen, nothing in the data warns of one


def test_the_page_prints_what_was_measured(measured: tuple[Coverage, ...]) -> None:
    """To half a point, for other processors may round a draw differently."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for table in measured:
        expected = table.markdown().splitlines()
        start = lines.index(expected[0])
        assert lines[start : start + 4] == expected[:4]
        for line, (label, coverages) in zip(lines[start + 4 :], table.rows, strict=False):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert cells[0] == label
            assert [float(cell) for cell in cells[1:]] == pytest.approx(list(coverages), abs=0.5)
