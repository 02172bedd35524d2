"""The evaluator's tables: every pattern of one suit, and how four suits combine.

A *pattern* is what a hand holds in one suit: counts of nine ranks, or of seven honours. A *goal* is a number of sets
(0–4) with or without a pair, numbered pair·5 + sets; a pattern's *distance* to a goal is how many tiles it lacks. The
ten distances are its *vector*, and the 448,480 patterns of at most 14 tiles have only 130 different ones, their
*class*. Two suits together again have a vector (the best split of the goal between them), and only 180 of those are
different. So shanten is four classes, two merged classes, one look-up. ``docs/evaluator.md`` derives it all.

Tables are built by numpy on first use, kept in the cache folder under the hash of their content, and memory-mapped.
"""

import functools
import hashlib
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mjsim.bits import LANES
from mjsim.cache import cache_home, write_atomically
from mjsim.state import Record, new_records

GOALS: Final = 10
MAX_TILES: Final = 14
CLASSES: Final = 130
MERGED: Final = 180
SUIT_PATTERNS: Final = 405_350
HONOUR_PATTERNS: Final = 43_130
PATTERNS: Final = SUIT_PATTERNS + HONOUR_PATTERNS

# A key holds the counts of ranks 1–4 as a base-5 number in its low half, of ranks 5–9 in its high half. Honours use
# the second part of both look-up arrays; their key starts at that part's offset.
LOW_RANKS: Final = 4
LOW_SIZE: Final = 5**LOW_RANKS
HIGH_SIZE: Final = 5**5
HONOUR_KEY: Final = LOW_SIZE | HIGH_SIZE << 16

#: sha256 of the tables' bytes; a cache file is used only if it has it.
CONTENT_SHA256: Final = "6ccdc1f0e868c31a89d06be74e244f5e4e4315f51ad56057f5f5b970902c71f1"

_UNREACHED: Final = 60


def _aligned(fields: list[tuple[str, Any, tuple[int, ...]]]) -> np.dtype[Any]:
    """A structured dtype whose fields start at multiples of 64 bytes, as vector loads want them."""
    offsets, end = [], 0
    for _, scalar, shape in fields:
        offsets.append(end)
        end += -(-np.dtype(scalar).itemsize * int(np.prod(shape)) // 64) * 64
    formats = [(scalar, shape) for _, scalar, shape in fields]
    return np.dtype({"names": [name for name, _, _ in fields], "formats": formats, "offsets": offsets, "itemsize": end})


#: All tables in one record.
#:
#: ``useful[pattern, goal]``: set of ranks whose arrival lowers the distance to that goal. ``free[pattern, goal]``:
#: held ranks whose loss does not raise it. ``pattern_class[pattern]``. ``merged[class·130 + class]``: merged class of
#: two suits. ``splits[class·130 + class, goal]``: goals of the first suit (low half) and second suit (high half) in
#: the best splits of a joint goal. ``best[sets, merged, merged]``: distance << 20 | best goals of suits 2 and 3 << 10
#: | of suits 0 and 1. ``low``, ``high``: the pattern number of a key is low[key & 0xffff] + high[key >> 16].
#: ``step[kind]``: what one tile of a kind adds to its suit's key.
TABLES: Final = _aligned(
    [
        ("useful", np.uint16, (PATTERNS, LANES)),
        ("free", np.uint16, (PATTERNS, LANES)),
        ("splits", np.uint32, (CLASSES * CLASSES, LANES)),
        ("best", np.uint32, (5 * MERGED * MERGED,)),
        ("merged", np.uint16, (CLASSES * CLASSES,)),
        ("pattern_class", np.uint8, (PATTERNS,)),
        ("low", np.uint32, (2 * LOW_SIZE,)),
        ("high", np.uint32, (2 * HIGH_SIZE,)),
        ("step", np.uint64, (34,)),
    ]
)


@functools.cache
def tables() -> Record:
    """The evaluator's tables, from the cache or built now.

    Returns
    -------
    numpy.record of dtype `TABLES`
        Read-only.
    """
    home = cache_home()
    if home is None:
        return _as_record(build())
    path = home / "tables" / f"{CONTENT_SHA256}.bin"
    if path.is_file() and path.stat().st_size == TABLES.itemsize:
        mapped = np.memmap(path, np.uint8, mode="r")
        if content_hash(mapped) == CONTENT_SHA256:
            return _as_record(mapped)
    data = build()
    try:
        write_atomically(path, data.tobytes())
    except OSError:
        # The folder was writable a moment ago (`cache_home`); a full disk must not stop the work.
        return _as_record(data)
    return _as_record(np.memmap(path, np.uint8, mode="r"))


def tables_to_write() -> Record:
    """A copy of the tables that may be written to, for players that are not to be trusted with the original."""
    copied = new_records(TABLES, 1)
    copied.view(np.uint8)[:] = np.frombuffer(tables(), np.uint8)
    record: Record = copied[0]
    return record


def are_intact(copied: Record) -> bool:
    """Whether a copy of the tables is still as the tables are."""
    return np.array_equal(np.frombuffer(copied, np.uint8), np.frombuffer(tables(), np.uint8))


def content_hash(data: npt.NDArray[np.uint8]) -> str:
    """The sha256 of the tables' bytes, in hexadecimal."""
    return hashlib.sha256(data.data).hexdigest()


def build() -> npt.NDArray[np.uint8]:
    """Build the tables.

    Returns
    -------
    numpy.ndarray of uint8, shape (TABLES.itemsize,)
    """
    raw = np.zeros(TABLES.itemsize + 63, np.uint8)
    start = -raw.ctypes.data % 64
    data = raw[start : start + TABLES.itemsize]
    record = data.view(TABLES)[0]
    parts = [_suit(9, chows=True), _suit(7, chows=False)]
    first = 0
    for suit, part in enumerate(parts):
        rows = slice(first, first + len(part.distances))
        record["useful"][rows, :GOALS] = part.useful
        record["free"][rows, :GOALS] = part.free
        record["low"][suit * LOW_SIZE :][:LOW_SIZE] = part.low + first
        record["high"][suit * HIGH_SIZE :][: len(part.high)] = part.high
        first = rows.stop
    for kind in range(34):
        rank = kind % 9
        record["step"][kind] = 5**rank if rank < LOW_RANKS else 5 ** (rank - LOW_RANKS) << 16
    _combine(record, np.concatenate([part.distances for part in parts]))
    return data


def _as_record(data: npt.NDArray[np.uint8]) -> Record:
    records = data.view(np.ndarray).view(TABLES).view(np.recarray)
    records.flags.writeable = False
    record: Record = records[0]
    return record


@dataclass(frozen=True)
class _Suit:
    """Tables of one suit; patterns in the order of their numbers."""

    low: npt.NDArray[np.uint32]
    high: npt.NDArray[np.uint32]
    distances: npt.NDArray[np.uint8]
    useful: npt.NDArray[np.uint16]
    free: npt.NDArray[np.uint16]


def _suit(ranks: int, *, chows: bool) -> _Suit:
    grid = _distance_grid(ranks, chows=chows)
    low, high, codes = _numbering(ranks)
    distances = grid[:, codes]
    useful = np.zeros((GOALS, len(codes)), np.uint16)
    free = np.zeros((GOALS, len(codes)), np.uint16)
    for rank in range(ranks):
        held = codes // 5**rank % 5
        more = codes + np.where(held < 4, 5**rank, 0)
        less = codes - np.where(held > 0, 5**rank, 0)
        for goal in range(GOALS):
            useful[goal] |= (grid[goal][more] < distances[goal]).astype(np.uint16) << rank
            free[goal] |= ((grid[goal][less] == distances[goal]) & (held > 0)).astype(np.uint16) << rank
    return _Suit(low, high, distances.T, useful.T, free.T)


def _distance_grid(ranks: int, *, chows: bool) -> npt.NDArray[np.uint8]:
    """Distances of all 5^ranks count vectors to the ten goals, shape (goal, code).

    The cost of turning counts into a target is the sum over ranks of max(0, target − held): separable, so the least
    cost over all targets spreads along one rank at a time: a tile too many costs nothing, a tile too few costs one.
    """
    grid = np.full((GOALS, 5**ranks), _UNREACHED, np.uint8)
    for goal, codes in enumerate(_targets(ranks, chows=chows)):
        grid[goal, codes] = 0
    for goal in range(GOALS):
        for rank in range(ranks):
            counts = grid[goal].reshape(-1, 5, 5**rank)
            for count in range(1, 5):
                np.minimum(counts[:, count], counts[:, count - 1], out=counts[:, count])
            for count in range(3, -1, -1):
                np.minimum(counts[:, count], counts[:, count + 1] + np.uint8(1), out=counts[:, count])
    return grid


def _targets(ranks: int, *, chows: bool) -> list[npt.NDArray[np.int64]]:
    """For each goal the codes of its targets: so many sets, with or without a pair, no rank more than four times."""
    powers = 5 ** np.arange(ranks)
    sets = [3 * np.eye(ranks, dtype=np.int64)[rank] for rank in range(ranks)]
    if chows:
        sets += [np.eye(ranks, dtype=np.int64)[rank : rank + 3].sum(axis=0) for rank in range(ranks - 2)]
    pairs = 2 * np.eye(ranks, dtype=np.int64)
    without_pair = [np.zeros((1, ranks), np.int64)]
    for _ in range(4):
        without_pair.append(_sums(without_pair[-1], np.array(sets)))
    with_pair = [_sums(targets, pairs) for targets in without_pair]
    return [targets @ powers for targets in without_pair + with_pair]


def _sums(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """All different sums of a row of ``first`` and a row of ``second`` in which no rank occurs more than four times."""
    sums = (first[:, None, :] + second[None, :, :]).reshape(-1, first.shape[1])
    return np.unique(sums[(sums <= 4).all(axis=1)], axis=0)


def _numbering(ranks: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """Number the patterns of at most 14 tiles so that a pattern's number is low[low half] + high[high half].

    High halves are ranked by how many tiles they hold; with a given low half, those that still fit are then a prefix of
    that order, so consecutive numbers without gaps do.
    """
    low_tiles = _digit_sums(LOW_RANKS)
    high_tiles = _digit_sums(ranks - LOW_RANKS)
    by_tiles = np.argsort(high_tiles, kind="stable")
    high = np.empty(len(high_tiles), np.uint32)
    high[by_tiles] = np.arange(len(high_tiles))
    fitting = np.searchsorted(high_tiles[by_tiles], MAX_TILES - low_tiles, side="right")
    low = np.concatenate(([0], np.cumsum(fitting)))[:-1]
    low_half = np.repeat(np.arange(LOW_SIZE), fitting)
    high_half = by_tiles[np.arange(fitting.sum()) - np.repeat(low, fitting)]
    return low.astype(np.uint32), high, low_half + LOW_SIZE * high_half


def _digit_sums(digits: int) -> npt.NDArray[np.int64]:
    """Sum of the base-5 digits of 0 … 5^digits − 1."""
    sums = np.zeros(1, np.int64)
    for _ in range(digits):
        sums = (np.arange(5)[:, None] + sums).reshape(-1)
    return sums


def _combine(record: Any, distances: npt.NDArray[np.uint8]) -> None:
    """Fill the tables that combine suits."""
    vectors, pattern_class = _distinct(distances)
    joint, splits = _best_splits(vectors)
    merged_vectors, merged = _distinct(joint)
    if len(vectors) != CLASSES or len(merged_vectors) != MERGED:
        raise AssertionError(
            f"{len(vectors)} classes and {len(merged_vectors)} merged ones, not {CLASSES} and {MERGED}"
        )
    record["pattern_class"][:] = pattern_class
    record["merged"][:] = merged
    record["splits"][:, :GOALS] = splits
    record["best"][:] = np.concatenate([_best(merged_vectors, sets) for sets in range(5)])


def _distinct(vectors: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The different rows, and which of them each row is. Distances stay below 16, so a row is one 40-bit number."""
    key = np.minimum(vectors, 15).astype(np.uint64) @ (np.uint64(16) ** np.arange(GOALS, dtype=np.uint64))
    _, first, index = np.unique(key, return_index=True, return_inverse=True)
    return vectors[first].astype(np.int64), index


def _best_splits(vectors: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
    """Joint distances of all pairs of classes, and which goals of the first and second suit attain them."""
    number = len(vectors)
    joint = np.full((number, number, GOALS), _UNREACHED, np.int64)
    splits = np.zeros((number, number, GOALS), np.uint32)
    for goal in range(GOALS):
        pair, sets = divmod(goal, 5)
        for first_pair in range(pair + 1):
            for first_sets in range(sets + 1):
                first = first_pair * 5 + first_sets
                mask = np.uint32(1 << first | 1 << 16 + goal - first)
                cost = vectors[:, None, first] + vectors[None, :, goal - first]
                better, equal = cost < joint[..., goal], cost == joint[..., goal]
                splits[..., goal] = np.where(better, mask, np.where(equal, splits[..., goal] | mask, splits[..., goal]))
                joint[..., goal] = np.minimum(joint[..., goal], cost)
    return joint.reshape(-1, GOALS).astype(np.uint8), splits.reshape(-1, GOALS)


def _best(vectors: npt.NDArray[np.int64], sets: int) -> npt.NDArray[np.uint32]:
    """For ``sets`` sets and a pair out of two merged classes: the least distance and the goals that attain it."""
    number = len(vectors)
    least = np.full((number, number), _UNREACHED, np.int64)
    goals = np.zeros((number, number), np.int64)
    for first in [pair * 5 + first_sets for pair in range(2) for first_sets in range(sets + 1)]:
        second = 5 + sets - first
        mask = 1 << first | 1 << 10 + second
        cost = vectors[:, None, first] + vectors[None, :, second]
        goals = np.where(cost < least, mask, np.where(cost == least, goals | mask, goals))
        least = np.minimum(least, cost)
    return (least << 20 | goals).astype(np.uint32).reshape(-1)
