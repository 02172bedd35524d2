"""What the machine can do at most, in loops so small that nothing else limits them."""

from typing import Any

import numpy as np
from numba import types

from benchmarks.measure import Task
from mjsim import jit
from mjsim.state import Int

GROUP = "limits of this machine"

_words = types.uint64[::1]
_U = np.uint64

CYCLE = "a cycle: a quarter of a product and an exclusive or that wait for the last"
ROUND = "a round of eight chains of simple instructions"
STEADY = "a branch that is always the same"
COIN = "a branch that is a coin"

#: Sizes of tables to load from at random, in bytes, and what they stand for in the evaluator.
TABLE_SIZES = {"32 KB": 1 << 15, "512 KB": 1 << 19, "16 MB": 1 << 24}


@jit.entry_on_call(types.uint64(types.int64))
def _side_by_side(number: Int) -> Any:
    """Eight chains of simple instructions that do not wait for each other."""
    a, b, c, d = _U(1), _U(2), _U(3), _U(4)
    e, f, g, h = _U(5), _U(6), _U(7), _U(8)
    for step in range(number):
        word = _U(step)
        a = (a ^ word) + (a >> _U(3))
        b = (b ^ word) + (b >> _U(5))
        c = (c ^ word) + (c >> _U(7))
        d = (d ^ word) + (d >> _U(9))
        e = (e ^ word) + (e >> _U(11))
        f = (f ^ word) + (f >> _U(13))
        g = (g ^ word) + (g >> _U(15))
        h = (h ^ word) + (h >> _U(17))
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h


@jit.entry_on_call(types.uint64(types.int64, types.uint64))
def _multiplied(number: Int, factor: Any) -> Any:
    """Products and exclusive ors each of which waits for the last: three cycles and one, on any recent processor."""
    product = factor
    for step in range(number):
        product = (product * factor) ^ _U(step)
    return product


@jit.entry_on_call(types.uint64(_words, types.int64))
def _chase(table: Any, number: Int) -> Any:
    """Loads each of which says where the next one is."""
    place = _U(0)
    for _ in range(number):
        place = table[place]
    return place


@jit.entry_on_call(types.void(_words, _words))
def _copy(into: Any, source: Any) -> None:
    for index in range(len(source)):
        into[index] = source[index]


@jit.entry_on_call(types.uint64(_words))
def _branches(words: Any) -> Any:
    """A branch on the lowest bit of each word; both ways do as much, and neither can be done without branching."""
    total = _U(1)
    for index in range(len(words)):
        total = total // _U(3) + _U(index) if words[index] & _U(1) else total // _U(5) ^ _U(index)
    return total


def _ring(size: int) -> Any:
    """A table whose words lead through all its places in random order."""
    order = np.random.default_rng(1).permutation(size // 8).astype(np.uint64)
    table = np.empty_like(order)
    table[order] = np.roll(order, -1)
    return table


def limit_tasks(number: int) -> list[Task]:
    """The clock, simple instructions, loads from tables of three sizes, copying, branches guessed right and wrong."""
    tables = {name: _ring(size) for name, size in TABLE_SIZES.items()}
    source, into = np.ones(1 << 23, np.uint64), np.zeros(1 << 23, np.uint64)
    coins = np.random.default_rng(1).integers(0, 2, number, np.uint64)
    steady = np.zeros(number, np.uint64)

    def task(name: str, function: Any, work: float, unit: str = "ns") -> Task:
        return Task(GROUP, name, unit, work, function)

    loads = [
        task(f"a load from {name} that waits for the last", lambda table=table: _done(_chase(table, number)), number)
        for name, table in tables.items()
    ]
    return [
        task(CYCLE, lambda: _done(_multiplied(number, _U(3))), 4 * number),
        task(ROUND, lambda: _done(_side_by_side(number)), number),
        *loads,
        task("copying 64 MB", lambda: _copy(into, source), source.nbytes * 2 / 1e9, "GB/s"),
        task(STEADY, lambda: _done(_branches(steady)), number),
        task(COIN, lambda: _done(_branches(coins)), number),
    ]


def _done(_: object) -> None:
    """Let a loop's answer go."""
