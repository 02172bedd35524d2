"""Counting one chunk of deals: its measures are computed, then summed over each batch as whole numbers."""

import heapq
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.counts import fish_measures, measures
from analysis.counts.aggregate import DEAREST, HISTOGRAMS, Aggregate, Integers, batches_of, grouped
from analysis.counts.chunks import chunks
from analysis.counts.from_dealer import FLOWS, columns_from_dealer
from analysis.counts.histogram import Histogram
from analysis.counts.measures import SEATS, Columns, at
from analysis.counts.paths import session_histograms
from analysis.counts.tally import tallied, weighed
from analysis.counts.wins import OF_WINS, winning_hands
from mjsim.errors import RunError

#: Every measure of an aggregate.
MEASURES: Final = ("deals", *measures.SUMMED, *fish_measures.SUMMED, *OF_WINS)

#: Sums from here on do not fit 64 bits.
_TOO_LARGE: Final = 2**63


def aggregate(frame: Any, session_length: int = 1) -> Aggregate:
    """Count everything the tables need.

    Parameters
    ----------
    frame : polars.LazyFrame or any eager frame that narwhals knows (polars, pandas, …)
        Deals with the columns of `mjsim.dataset.columns.COLUMNS`; those in `analysis.counts.from_dealer.NEEDED` are
        read. A lazy one, in the order of its deals, is streamed in memory that does not grow with their number.
    session_length : int
        Deals in a session, as in the run's manifest.

    Returns
    -------
    Aggregate
        Of all deals of the frame.

    Examples
    --------
    >>> import mjsim
    >>> result = mjsim.simulate("liuzhou", deals=200, seed=1)
    >>> aggregate(result.to_polars()) == aggregate(result.to_pandas())
    True
    """
    return Aggregate.merged(chunks(frame, session_length, count_chunk))


def counted(deals: Any, session_length: int = 1) -> Aggregate:
    """The aggregate of some deals: themselves if they are one, else of a frame as `aggregate` takes it."""
    return deals if isinstance(deals, Aggregate) else aggregate(deals, session_length)


def count_chunk(chunk: Columns, session_length: int, level: int = 0) -> Aggregate:
    """Count some deals, at least one and in order, in memory for many columns of them.

    Parameters
    ----------
    chunk : dict of str to ndarray
        Columns as in memory, those in `analysis.counts.from_dealer.NEEDED` at least.
    session_length : int
        Deals in a session.
    level : int
        Batches need be no shorter than 2^level sessions, as what this will be added to has longer ones.

    Examples
    --------
    >>> import mjsim
    >>> result = mjsim.simulate("liuzhou", deals=200, seed=1)
    >>> count_chunk(result.columns, 1) == aggregate(result.to_polars())
    True
    """
    level, batches = batches_of(chunk["session"], level)
    deals = columns_from_dealer(chunk)
    runs = _Runs(deals["session"].astype(np.int64) >> level, batches)
    sums = _measure(deals, runs)
    wins = winning_hands(deals, runs.place, len(batches))
    histograms = dict.fromkeys(HISTOGRAMS, Histogram())
    histograms |= {name: Histogram.merged(parts) for name, parts in _histograms(deals).items()}
    histograms |= wins.histograms | session_histograms(chunk, session_length)
    return Aggregate(level, batches, sums | wins.sums, histograms, wins.first_with, _dearest(deals))


class _Runs:
    """Runs of deals of one batch: at most four of each, as the deals of each dealer stand together, in order."""

    def __init__(self, batch_of: Integers, batches: Integers) -> None:
        self._starts = np.flatnonzero(np.diff(batch_of, prepend=-1))
        self._batch = np.searchsorted(batches, batch_of[self._starts])
        self._lengths = np.diff(self._starts, append=len(batch_of))
        self._batches = len(batches)

    @property
    def place(self) -> npt.NDArray[np.intp]:
        """For each deal, where its batch stands among all of them."""
        return np.repeat(self._batch, self._lengths)

    @property
    def lengths(self) -> Integers:
        """The number of deals of each run."""
        return self._lengths.astype(np.int64)

    def sums(self, values: npt.NDArray[Any]) -> Integers:
        """The sum of the values of each run."""
        if not len(self._starts):
            return np.zeros(0, np.int64)
        return np.add.reduceat(values, self._starts, dtype=np.int64)

    def by_batch(self, sums: dict[str, Integers]) -> dict[str, Integers]:
        """Sums of runs as sums of batches."""
        return grouped(sums, self._batch, self._batches)


def _measure(deals: Columns, runs: _Runs) -> dict[str, Integers]:
    """Add to the columns of some deals the measures that others are made of; sum all of them in each batch."""
    lengths = runs.lengths
    sums = dict.fromkeys(MEASURES, np.zeros_like(lengths)) | {"deals": lengths}

    def add(columns: Columns) -> None:
        for name in columns.keys() & sums.keys():
            sums[name] = runs.sums(columns[name])

    _check_squares(deals)
    add(deals)
    fish = fish_measures.STAGES if "fished" in deals else (measures.no_fish,)
    for stage in (measures.of_the_deal, measures.of_the_seats, measures.squared, *fish):
        found = stage(deals)
        add(found)
        deals |= found
    # Nothing is made of these: their columns need not be kept, which are the most.
    for last in (*(fish_measures.LAST if "fished" in deals else ()), measures.of_the_checks):
        add(last(deals))
    return runs.by_batch(sums)


def _check_squares(deals: Columns) -> None:
    """Refuse points whose squares, the only sums that could, do not fit 64 bits."""
    count = len(deals["deal"])
    points = [deals[at(name, seat)] for name in ("net", "hand", "kongs") for seat in range(SEATS)]
    moved = [*points, *(deals[name] for name in FLOWS)]
    largest = max(abs(int(each)) for one in moved for each in (one.min(), one.max())) if count else 0
    # A fish wins its owner what its seat won from three others at most; eight of them do eight times as much.
    if (8 * 3 * largest) ** 2 * count < _TOO_LARGE:
        return
    fish = fish_measures.averaged(deals | fish_measures.gains(deals)) if "fished" in deals else {}
    for seat in range(SEATS):
        squares = [deals[at("net", seat)], deals[at("hand", seat)] + deals[at("kongs", seat)].astype(np.float64)]
        if "fished" in deals:
            squares.append(fish[at("eight", seat)])
        sums = [np.square(each.astype(np.float64)).sum() for each in squares]
        if "fished" in deals:
            sums.append(fish[at("squares", seat)].astype(np.float64).sum())
        if max(sums) >= _TOO_LARGE / 2:
            raise RunError(
                f"these deals move too many points ({largest} at once) for their squares to be summed exactly;"
                " lower the ruleset's prices"
            )


def _histograms(deals: Columns) -> dict[str, list[Histogram]]:
    """Every histogram that is made deal by deal, in parts."""
    found = {"length": [tallied((), deals["outcome"], deals["draws"])]}
    found["net"] = [tallied((seat,), deals[at("net", seat)]) for seat in range(SEATS)]
    if "fished" in deals:
        fished = slice(None) if deals["fished"].all() else deals["fished"]
        found["own_fish"] = [
            tallied((seat,), deals[at("taken", seat)][fished], deals[at("fish_won", seat)][fished])
            for seat in range(SEATS)
        ]
    start = [
        weighed(
            (seat,),
            *(deals[at(name, seat)] for name in ("start_shanten", "result")),
            weights=[deals[at(name, seat)] for name in ("net", "net_squared")],
        )
        for seat in range(SEATS)
    ]
    for place, name in enumerate(("start", "start_points", "start_squares")):
        found[name] = [histograms[place] for histograms in start]
    if deals["with_horses"].any():
        found["horses"] = list(_horses(deals))
    return found


def _horses(deals: Columns) -> Iterator[Histogram]:
    """What horses were drawn from, and what they multiplied."""
    for seat in range(SEATS):
        won = np.flatnonzero(deals[at("won", seat)] & deals["with_horses"])
        hits = deals["horse_hits"][won].astype(np.int64)
        base = deals[at("hand", seat)][won].astype(np.int64) // (1 + hits)
        yield tallied((seat,), base, *(deals[name][won] for name in ("left", at("rest", seat), "horses")), hits)


def _dearest(deals: Columns) -> tuple[tuple[int, int], ...]:
    """The most points that a seat won in a deal, and the deals, of the dearest few."""
    most = np.max([deals[at("net", seat)] for seat in range(SEATS)], axis=0)
    if len(most) > DEAREST:
        chosen = np.flatnonzero(most >= np.partition(most, -DEAREST)[-DEAREST])
    else:
        chosen = np.arange(len(most))
    found = zip(most[chosen].tolist(), deals["deal"][chosen].tolist(), strict=True)
    return tuple(heapq.nsmallest(DEAREST, found, key=lambda each: (-each[0], each[1])))
