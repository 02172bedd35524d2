"""Hand evaluation: from counts in batches, incremental as in play, and single calls from Python."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

import mjsim
from benchmarks.measure import Task
from benchmarks.positions import Counts, complete, dealt, in_play
from mjsim import jit
from mjsim.hands.hand import add_tile, load, remove_tile
from mjsim.hands.shanten import best_discard, effective_set, hand_distance
from mjsim.hands.tables import TABLES, tables
from mjsim.hands.types import complete_types
from mjsim.state import SEAT, Int, Record, new_records

BATCH = "hands from counts, batch"
INCREMENTAL = "hands in play, incremental"
SINGLE = "hands, one call from Python"

#: Hands that an incremental kernel goes through again and again; their records stay in the second cache.
HELD = 2_000

_table_type = jit.record_type(TABLES)
_hands_type = jit.record_type(SEAT)[::1]
_counts_type = types.Array(types.uint8, 2, "C", readonly=True)
_ints = types.Array(types.int64, 1, "C", readonly=True)
_words = types.uint64[:, ::1]


@jit.entry_on_call(types.void(_table_type, _hands_type, _counts_type, _ints))
def _load(tables: Record, hands: Any, counts: Any, melds: Any) -> None:
    for row in range(len(hands)):
        load(hands[row], tables, counts[row], melds[row])


@jit.entry_on_call(types.int64(_table_type, _hands_type, types.int64))
def _shanten(tables: Record, hands: Any, rounds: Int) -> Int:
    total = np.int64(0)
    for _ in range(rounds):
        for row in range(len(hands)):
            total += hand_distance(tables, hands[row])
    return total


@jit.entry_on_call(types.int64(_table_type, _hands_type, types.int64))
def _complete(tables: Record, hands: Any, rounds: Int) -> Int:
    total = np.int64(0)
    for _ in range(rounds):
        for row in range(len(hands)):
            total += hand_distance(tables, hands[row]) == 0
    return total


@jit.entry_on_call(types.int64(_table_type, _hands_type, _ints, types.int64))
def _swap_and_shanten(tables: Record, hands: Any, held: Any, rounds: Int) -> Int:
    """Discard a tile, ask for shanten, take it back: two changes of a hand and one question."""
    total = np.int64(0)
    for _ in range(rounds):
        for row in range(len(hands)):
            remove_tile(hands[row], tables, held[row])
            total += hand_distance(tables, hands[row])
            add_tile(hands[row], tables, held[row])
    return total


@jit.entry_on_call(types.uint64(_table_type, _hands_type, types.int64))
def _effective(tables: Record, hands: Any, rounds: Int) -> Any:
    total = np.uint64(0)
    for _ in range(rounds):
        for row in range(len(hands)):
            total ^= effective_set(tables, hands[row])[1]
    return total


@jit.entry_on_call(types.int64(_table_type, _hands_type, _words, types.int64))
def _discards(tables: Record, hands: Any, seen: Any, rounds: Int) -> Int:
    total = np.int64(0)
    for _ in range(rounds):
        for row in range(len(hands)):
            total += best_discard(tables, hands[row], seen[row, 0], seen[row, 1], seen[row, 2])[0]
    return total


@jit.entry_on_call(types.uint64(_hands_type, types.int64))
def _types(hands: Any, rounds: Int) -> Any:
    total = np.uint64(0)
    for _ in range(rounds):
        for row in range(len(hands)):
            total += complete_types(hands[row])
    return total


def loaded(counts: Counts, melds: Any = None) -> Any:
    """Hand records of some counts."""
    hands = new_records(SEAT, len(counts))
    _load(tables(), hands, counts, np.zeros(len(counts), np.int64) if melds is None else melds)
    return hands


def digits(counts: Counts) -> Any:
    """Counts digit by digit, as sets of kinds: uint64, shape (hand, 3)."""
    weights = np.uint64(1) << np.arange(counts.shape[1], dtype=np.uint64)
    return np.ascontiguousarray(
        np.stack([((counts >> digit & 1) * weights).sum(axis=1, dtype=np.uint64) for digit in range(3)], axis=1)
    )


def batch_tasks(number: int) -> list[Task]:
    """The batch calls, from ``uint8[number, 34]``."""
    after, rest, won = dealt(number, 14), dealt(number, 13), complete(min(number, 20_000))
    mixed = np.where((np.arange(number) % 2 == 0)[:, None], np.resize(won, after.shape), after)

    def task(name: str, function: Callable[[Counts], object], counts: Counts, target: float | None = None) -> Task:
        return Task(BATCH, name, "ns", len(counts), lambda: _discard(function(counts)), target=target)

    return [
        task("shanten", mjsim.shanten_many, after, 15),
        task("complete-hand check, dealt hands", mjsim.is_complete_many, after, 12),
        task("complete-hand check, every other hand complete", mjsim.is_complete_many, mixed, 12),
        task("effective tiles", mjsim.effective_tiles_many, rest),
        task("best discards", mjsim.best_discards_many, after),
        task("hand types of complete hands", mjsim.hand_types_many, won, 200),
    ]


def incremental_tasks(rounds: int, deals: int) -> list[Task]:
    """The kernels that the deal loop calls, over hands whose keys are at hand."""
    table = tables()
    after, rest = loaded(dealt(HELD, 14)), loaded(dealt(HELD, 13))
    won = complete(HELD)
    mixed, complete_hands = loaded(np.where((np.arange(HELD) % 2 == 0)[:, None], won, dealt(HELD, 14))), loaded(won)
    played = in_play(deals)
    turns, seen = loaded(played.counts, played.melds), digits(played.seen)
    own = digits(dealt(HELD, 14))
    first_held = np.argmax(dealt(HELD, 14) > 0, axis=1).astype(np.int64)

    def task(name: str, hands: Any, function: Callable[[], object], target: float | None = None) -> Task:
        return Task(INCREMENTAL, name, "ns", len(hands) * rounds, lambda: _discard(function()), target=target)

    return [
        task("shanten", after, lambda: _shanten(table, after, rounds), 5),
        task("shanten with a discard and a draw", after, lambda: _swap_and_shanten(table, after, first_held, rounds)),
        task("complete-hand check, dealt hands", after, lambda: _complete(table, after, rounds), 4),
        task("complete-hand check, every other hand complete", mixed, lambda: _complete(table, mixed, rounds), 4),
        task("effective tiles, dealt hands", rest, lambda: _effective(table, rest, rounds), 25),
        task("best discard, dealt hands", after, lambda: _discards(table, after, own, rounds)),
        task("best discard, hands in play", turns, lambda: _discards(table, turns, seen, rounds), 130),
        task("hand types of complete hands", complete_hands, lambda: _types(complete_hands, rounds), 200),
    ]


def single_tasks(calls: int) -> list[Task]:
    """One hand at a time, as lists of 34 numbers and as a NumPy row."""
    rows = list(dealt(200, 14))
    lists = [row.tolist() for row in rows]
    rests = [row.tolist() for row in dealt(200, 13)]
    won = [row.tolist() for row in complete(200)]

    def task(name: str, function: Callable[[Any], object], hands: list[Any]) -> Task:
        def run() -> None:
            for call in range(calls):
                function(hands[call % len(hands)])

        return Task(SINGLE, name, "us", calls, run)

    return [
        task("shanten, list", mjsim.shanten, lists),
        task("shanten, NumPy row", mjsim.shanten, rows),
        task("complete-hand check, list", mjsim.is_complete, lists),
        task("effective tiles, list", mjsim.effective_tiles, rests),
        task("best discards, list", mjsim.best_discards, lists),
        task("hand types, list", mjsim.hand_types, won),
    ]


def _discard(_: object) -> None:
    """Let a task's answer go."""
