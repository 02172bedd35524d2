"""How often the intervals hold what they promise.

``python -m analysis.estimates.calibration`` prints the tables of docs/intervals.md.

Shares have their coverage worked out exactly. The intervals from batches are tried on made deals whose true means are
known: rare hits that come in clumps, points that double and double again, a jackpot.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from analysis.estimates.batches import batch_difference, batch_ratio, batch_share
from analysis.estimates.bootstrap import bca
from analysis.estimates.intervals import Interval, share

#: Ends of half-octave bands of expected hits, from 1 to 1,024.
BANDS: Final = tuple(2 ** (step / 2) for step in range(21))

#: Batches of the made deals, samples of them, and resamples of each sample.
BATCHES: Final = 64
RUNS: Final = 800
RESAMPLES: Final = 999

Sums = NDArray[np.int64]

#: A made win pays 2 to the k, each k a fifth as likely as the one before, up to 12; in the variant up to `_CUT`.
_PAYS: Final = 2 ** np.arange(13)
_CHANCES: Final = np.append(0.8 * 0.2 ** np.arange(12), 0.2**12)
_CUT: Final = 2
_WINS: Final = 1.2  # a deal


def exact_coverage(
    expected: NDArray[np.float64], trials: int, method: Callable[[int, int], Interval] = share
) -> NDArray[np.float64]:
    """The chance that a share's interval holds the true share, where so many hits are expected.

    Parameters
    ----------
    expected : ndarray of float64
        Expected hits.
    trials : int
        Out of how many.
    method : callable
        From hits and trials, the interval.

    Returns
    -------
    ndarray of float64
        As many coverages.

    Examples
    --------
    >>> exact_coverage(np.array([1.0, 100.0]), 1_000_000).round(3).tolist()
    [0.981, 0.949]
    """
    most = min(trials, int(expected.max() + 12 * np.sqrt(expected.max()) + 20))
    found = [method(hits, trials) for hits in range(most + 1)]
    true = expected / trials
    # Both ends rise with the hits, so the hits whose interval holds the share are neighbours.
    fewest = np.searchsorted([each.high or 0.0 for each in found], true)
    beyond = np.searchsorted([each.low or 0.0 for each in found], true, side="right")
    below = np.where(fewest > 0, bdtr(np.maximum(fewest - 1, 0).astype(float), trials, true), 0.0)
    return np.asarray(bdtr((beyond - 1).astype(float), trials, true) - below, dtype=np.float64)


def band_coverage(trials: int, bands: Sequence[float] = BANDS) -> list[NDArray[np.float64]]:
    """The exact coverage of `share` at 500 log-spaced numbers of expected hits within each band."""
    steps = (np.arange(500) + 0.5) / 500
    return [
        exact_coverage(first * (last / first) ** steps, trials)
        for first, last in pairwise(bands)
        if last < trials / 1.9
    ]


@dataclass(frozen=True)
class Coverage:
    """A table of coverages in percent.

    Attributes
    ----------
    title : str
        What was tried.
    head : tuple of str
        Headings: that of the rows, then those of the coverages.
    rows : tuple of (str, tuple of float)
        What each row is about, and its coverages.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]

    def markdown(self) -> str:
        """The table as docs/intervals.md has it."""
        lines = [
            f"**{self.title}**",
            "",
            "| " + " | ".join(self.head) + " |",
            "| --- |" + " --: |" * (len(self.head) - 1),
        ]
        lines += [f"| {label} | " + " | ".join(f"{each:.1f}" for each in found) + " |" for label, found in self.rows]
        return "\n".join(lines) + "\n"


def tables() -> tuple[Coverage, ...]:
    """All tables of docs/intervals.md, some seconds of work; the same on every call."""
    return shares(), clumped_shares(), doubled_points(), jackpots()


def shares() -> Coverage:
    """`share`, exactly."""
    rows = tuple(
        (_band(place), (100 * float(found.mean()), 100 * float(found.min()), 100 * float(found.max())))
        for place, found in enumerate(band_coverage(1_000_000))
    )
    return Coverage(
        "`share`, by expected hits in 1,000,000 trials (worked out exactly)",
        ("expected hits", "mean of band", "lowest", "highest"),
        rows,
    )


def clumped_shares() -> Coverage:
    """`batch_share` of rare hits that come in clumps."""
    rng = np.random.default_rng(1)
    rows = []
    for place in range(0, len(BANDS) - 1, 2):
        found = []
        for expected in BANDS[place] * 2 ** rng.random(RUNS):
            x, y = clumped(rng, expected)
            found.append(_held(batch_share(x, y), expected / int(y.sum())))
        rows.append((_band(place, 2), (_percent(found),)))
    return Coverage(
        "`batch_share`, by expected hits, one in ten bringing a second one; 256 batches",
        ("expected hits", "coverage"),
        tuple(rows),
    )


def doubled_points() -> Coverage:
    """Means, ratios, differences and bootstrap of points that double and double again."""
    rng = np.random.default_rng(2)
    pay, cut_pay = mean_pay(), mean_pay(_CUT)
    rows = []
    for deals in (16, 256, 4096):
        counted = np.full(BATCHES, deals)
        found = []
        for _ in range(RUNS):
            points, cut, wins = doubling(rng, deals)
            difference = batch_difference(points, wins, cut, wins)
            found.append(
                (
                    _held(batch_ratio(points, counted), pay * _WINS),
                    _held(batch_ratio(points, wins), pay),
                    _held(bca(points, wins, resamples=RESAMPLES), pay),
                    _held(difference.interval if difference else None, pay - cut_pay),
                )
            )
        rows.append((f"{deals * BATCHES:,}", tuple(_percent(each) for each in zip(*found, strict=True))))
    return Coverage(
        "Points that double with a chance of 1 in 5, up to 4,096: 64 batches",
        (
            "deals",
            "`batch_ratio`, per deal",
            "`batch_ratio`, per win",
            "`bca`, per win",
            f"`batch_difference`, against at most {2**_CUT} points a win",
        ),
        tuple(rows),
    )


def jackpots() -> Coverage:
    """Where nearly all of the variance hangs on few hits."""
    rng = np.random.default_rng(3)
    rows = []
    for expected in (1, 3, 10, 100, 1000):
        found = []
        for _ in range(RUNS):
            points, deals = jackpot(rng, expected)
            true = 1000 * expected / int(deals.sum())
            found.append(
                (_held(batch_ratio(points, deals), true), _held(bca(points, deals, resamples=RESAMPLES), true))
            )
        rows.append((f"{expected:,}", tuple(_percent(each) for each in zip(*found, strict=True))))
    return Coverage(
        "Mean of one point won or lost a deal and rare jackpots of 1,000: 64 batches of 1,024 deals",
        ("expected jackpots", "`batch_ratio`", "`bca`"),
        tuple(rows),
    )


def clumped(rng: np.random.Generator, expected: float) -> tuple[Sums, Sums]:
    """Hits and things in 256 batches, one hit in ten bringing a second one with it."""
    batches, things = 256, 4096
    clumps = rng.binomial(things, expected / 1.1 / (batches * things), batches)
    return clumps + rng.binomial(clumps, 0.1), np.full(batches, things)


def doubling(rng: np.random.Generator, deals: int) -> tuple[Sums, Sums, Sums]:
    """Points, points with each win cut, and wins, one to three a deal, in batches of so many deals."""
    wins = deals + rng.binomial(2 * deals, (_WINS - 1) / 2, BATCHES)
    times = rng.multinomial(wins, _CHANCES)
    return times @ _PAYS, times @ np.minimum(_PAYS, 2**_CUT), wins


def mean_pay(cut: int = 12) -> float:
    """The true mean points of a win of `doubling` that pays 2 to the cut at most."""
    return float(_CHANCES @ np.minimum(_PAYS, 2**cut))


def jackpot(rng: np.random.Generator, expected: float) -> tuple[Sums, Sums]:
    """Points and deals: a deal wins or loses a point, and now and then wins a thousand."""
    deals = 1024
    won = 2 * rng.binomial(deals, 0.5, BATCHES) - deals
    hits = rng.binomial(deals, expected / (BATCHES * deals), BATCHES)
    return won + 1000 * hits, np.full(BATCHES, deals)


def _band(place: int, steps: int = 1) -> str:
    """A band of expected hits."""
    return f"{BANDS[place]:,.1f} to {BANDS[place + steps]:,.1f}"


def _held(interval: Interval | None, true: float) -> bool:
    """Whether an interval holds the true value; one without ends does not."""
    if interval is None or interval.low is None or interval.high is None:
        return False
    return interval.low <= true <= interval.high


def _percent(held: Sequence[bool]) -> float:
    """In how many cases of a hundred."""
    return 100 * sum(held) / len(held)


if __name__ == "__main__":
    print("\n".join(table.markdown() for table in tables()), end="")
