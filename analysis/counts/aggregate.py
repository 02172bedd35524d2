"""The one core of exact integers that every table, picture and sentence is made of.

An `Aggregate` holds sums in at most 1,024 batches, and histograms over all deals. A batch is a range of sessions whose
length is a power of two and whose start is a multiple of it, so that aggregates of any two sets of deals fit together:
merging is associative, and the same whether deals are counted shard by shard or all at once. Floats appear only after.
"""

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from analysis.counts.histogram import Histogram, Key, having
from analysis.counts.measures import CHECKS, PARTS, SEAT_KEYS, SEATS, at
from mjsim.errors import MjsimError, RunError

__all__ = ("CHECKS", "HISTOGRAMS", "PARTS", "SEATS", "SEAT_KEYS", "Aggregate", "Histogram", "Key", "at", "having")

Integers = npt.NDArray[np.int64]

#: The most batches an aggregate keeps.
MAX_BATCHES: Final = 1024

#: Columns summed at a time.
_COLUMNS_AT_A_TIME: Final = 64

#: Aggregates merged at a time.
_AT_A_TIME: Final = 16

#: Sums from here on do not fit 64 bits.
_TOO_LARGE: Final = 2.0**63

#: How many of the dearest deals an aggregate remembers.
DEAREST: Final = 10

#: Names of the histograms; see `Aggregate`.
HISTOGRAMS: Final = (
    *("wins", "win_points", "several", "length", "net", "own_fish", "start", "start_points", "start_squares"),
    *("horses", "session_net", "session_low", "session_range", "bank_runs"),
)


@dataclass(frozen=True)
class Aggregate:
    """Exact counts of a set of deals; those of two disjoint sets add up.

    Attributes
    ----------
    level : int
        A batch is 2^level sessions.
    batches : ndarray of int64, shape (batches,)
        Index of each batch, ascending: its first session is ``batch * 2^level``.
    sums : mapping of str to ndarray of int64, shape (batches,)
        Sum of each measure over the deals of each batch; ``deals`` is their number. A measure of a seat ends in
        ``_dealer``, ``_next``, ``_opposite`` or ``_previous``: ``net_squared_…`` is the square of its points in a deal,
        ``plain_squared_…`` that of its points by hands and kongs, without fish. ``points_moved`` are the points that
        those who gained in a deal gained, ``points_won`` those of all winning hands, each hand once.
    histograms : mapping of str to Histogram
        By name, with the values that make up their keys:

        * ``wins``: seat from the dealer, outcome, hand types and events as bits, for each winner; ``win_points`` has
          the sum of the points these hands won;
        * ``several``: outcome, then the hand types of each seat from the dealer (−1: not a winner), for deals with more
          than one winner;
        * ``length``: outcome, tiles drawn;
        * ``net``: seat from the dealer, points (so that every deal counts four times);
        * ``own_fish``: seat from the dealer, fish it took, points they won it (likewise);
        * ``start``: seat from the dealer, shanten at the deal, result (index into `RESULTS`); ``start_points`` and
          ``start_squares`` have the sums of the points and of their squares;
        * ``horses``: winner's seat from the dealer, points of all payments before horses, live tiles left, those that
          would be his, horses turned over, hits;
        * over whole sessions of more than one deal, by seat from the first dealer and whether fish are left out (1) or
          in (0): ``session_net``: points; ``session_low``: the lowest point on the way, at most 0; ``session_range``:
          highest less lowest; and ``bank_runs``: deals that one dealer held the bank.
    first_with : mapping of str to int
        The first deal in which each hand type, event or outcome occurred.
    dearest : tuple of (int, int)
        Most points that a seat won in a deal, and the deal; the dearest first.
    """

    level: int
    batches: Integers
    sums: Mapping[str, Integers]
    histograms: Mapping[str, Histogram]
    first_with: Mapping[str, int] = field(default_factory=dict)
    dearest: tuple[tuple[int, int], ...] = ()

    def __getitem__(self, name: str) -> Histogram:
        return self.histograms[name]

    def __add__(self, other: "Aggregate") -> "Aggregate":
        return Aggregate.merged((self, other))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Aggregate):
            return NotImplemented
        return (
            self.level == other.level
            and np.array_equal(self.batches, other.batches)
            and self.sums.keys() == other.sums.keys()
            and all(np.array_equal(values, other.sums[name]) for name, values in self.sums.items())
            and self.histograms == other.histograms
            and self.first_with == other.first_with
            and self.dearest == other.dearest
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @property
    def deals(self) -> int:
        """Number of deals."""
        return self.total("deals")

    def total(self, name: str) -> int:
        """Sum of a measure over all deals."""
        return int(self.sums[name].sum())

    def over(self, names: Iterable[str]) -> Integers:
        """Sum of several measures in each batch."""
        sums: Integers = np.sum([self.sums[name] for name in names], axis=0, dtype=np.int64)
        return sums

    def seats(self, name: str) -> Integers:
        """Sum of a seat's measure over the four seats, in each batch."""
        return self.over(at(name, seat) for seat in range(SEATS))

    def at_level(self, level: int) -> "Aggregate":
        """The same counts in batches of 2^level sessions, no shorter than now."""
        if level < self.level:
            raise MjsimError(f"batches of 2^{self.level} sessions cannot be split into batches of 2^{level}")
        batches, owner = np.unique(self.batches >> (level - self.level), return_inverse=True)
        sums = grouped(self.sums, owner, len(batches))
        return Aggregate(level, batches, sums, self.histograms, self.first_with, self.dearest)

    @staticmethod
    def merged(parts: "Iterable[Aggregate]") -> "Aggregate":
        """The aggregate of several disjoint sets of deals, at least one, of which a few are held at a time."""
        left = iter(parts)
        found = next(left)
        while block := list(islice(left, _AT_A_TIME)):
            found = _merged([found, *block])
        return found


def _merged(parts: list[Aggregate]) -> Aggregate:
    level = max(part.level for part in parts)
    batches = np.unique(np.concatenate([part.batches >> (level - part.level) for part in parts]))
    level, batches = _fewer(level, batches)
    owner = np.searchsorted(batches, np.concatenate([part.batches >> (level - part.level) for part in parts]))
    every = {name: np.concatenate([part.sums[name] for part in parts]) for name in parts[0].sums}
    sums = grouped(every, owner, len(batches))
    histograms = {name: Histogram.merged(part[name] for part in parts) for name in parts[0].histograms}
    first_with: dict[str, int] = {}
    for part in parts:
        for name, deal in part.first_with.items():
            first_with[name] = min(deal, first_with.get(name, deal))
    dearest = heapq.nsmallest(
        DEAREST, (each for part in parts for each in part.dearest), key=lambda each: (-each[0], each[1])
    )
    return Aggregate(level, batches, sums, histograms, dict(sorted(first_with.items())), tuple(dearest))


def grouped(columns: Mapping[str, Integers], owner: npt.NDArray[np.intp], groups: int) -> dict[str, Integers]:
    """The sums over each group of some columns, whose rows belong to the same groups.

    Examples
    --------
    >>> found = grouped({"net": np.array([5, -2, 4]), "draws": np.array([1, 1, 1])}, np.array([0, 1, 0]), 2)
    >>> found["net"].tolist(), found["draws"].tolist()
    ([9, -2], [2, 1])
    """
    sums: dict[str, Integers] = {}
    # Several columns in one go: for one of a few hundred rows, calling NumPy costs more than what it does.
    names = list(columns)
    for start in range(0, len(names), _COLUMNS_AT_A_TIME):
        some = names[start : start + _COLUMNS_AT_A_TIME]
        sums |= zip(some, _grouped(np.stack([columns[name] for name in some]), owner, groups), strict=True)
    return sums


def _grouped(values: Integers, owner: npt.NDArray[np.intp], groups: int) -> Integers:
    """The sums over each group of the rows of a table that has one line for each column."""
    if (np.abs(values, dtype=np.float64).sum(axis=1) >= _TOO_LARGE).any():
        raise RunError("these deals move too many points for sums over all of them to be exact; count fewer at once")
    sums = np.zeros((len(values), groups), np.int64)
    cells = np.arange(len(values))[:, np.newaxis] * groups + owner
    np.add.at(sums.reshape(-1), cells.reshape(-1), values.reshape(-1))
    return sums


def batches_of(sessions: npt.NDArray[np.integer], level: int = 0) -> tuple[int, Integers]:
    """The lowest level, from one on, at which some sessions are in at most `MAX_BATCHES` batches, and these batches.

    Examples
    --------
    >>> level, batches = batches_of(np.arange(2_000, 3_030))
    >>> level, int(batches[0]), int(batches[-1])
    (1, 1000, 1514)
    """
    return _fewer(level, _distinct(sessions.astype(np.int64) >> level))


def _fewer(level: int, batches: Integers) -> tuple[int, Integers]:
    """The same batches at the lowest level, no lower than theirs, at which they are at most `MAX_BATCHES`."""
    while len(batches) > MAX_BATCHES:
        level, batches = level + 1, _distinct(batches >> 1)
    return level, batches


def _distinct(ascending: Integers) -> Integers:
    """Each of some numbers in ascending order once."""
    found: Integers = ascending[np.diff(ascending, prepend=-1) != 0]
    return found
