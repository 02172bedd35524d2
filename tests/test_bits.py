"""Sets of kinds as words: the instructions against the plain Python that defines them."""

from typing import Any

import numba
import numpy as np
import pytest
from numba import types

from mjsim import bits, jit
from mjsim.bits import LANES, bit, has, join_suits, kinds_where, part_suits
from mjsim.state import new_record

ROWS = 64
TRIALS = 2_000

# One record, so that the rows start where vector loads want them.
LANE_TABLES = np.dtype([("narrow", np.uint16, (ROWS, LANES)), ("wide", np.uint32, (ROWS, LANES))])

_words = types.uint64[::1]
_table = jit.record_type(LANE_TABLES)


@jit.entry_on_call(types.void(types.uint64[:, ::1], types.int64[:, ::1]))
def _count_and_lowest(words: Any, results: Any) -> None:
    for trial in range(len(words)):
        results[trial, 0] = bits.count(words[trial, 0])
        results[trial, 1] = bits.lowest(words[trial, 0])


@jit.entry_on_call(types.void(types.uint64[:, ::1], _words))
def _choose(words: Any, results: Any) -> None:
    for trial in range(len(words)):
        results[trial] = bits.choose(words[trial, 0] < words[trial, 1], words[trial, 2], words[trial, 3])


@jit.entry_on_call(types.void(_table, types.uint64[:, ::1], types.uint64[:, ::1], _words))
def _select_or(tables: Any, rows: Any, masks: Any, results: Any) -> None:
    for trial in range(len(rows)):
        row0, row1, row2, row3 = rows[trial, 0], rows[trial, 1], rows[trial, 2], rows[trial, 3]
        results[trial] = bits.select_or(tables.narrow, row0, row1, row2, row3, masks[trial, 0])


@jit.entry_on_call(types.void(_table, types.uint64[:, ::1], types.uint64[:, ::1], _words))
def _select_or_pairs(tables: Any, rows: Any, masks: Any, results: Any) -> None:
    for trial in range(len(rows)):
        row0, row1 = rows[trial, 0], rows[trial, 1]
        results[trial] = bits.select_or_pairs(tables.wide, row0, masks[trial, 0], row1, masks[trial, 1])


@jit.entry_on_call(types.void(types.uint64[:, ::1], _words))
def _join_suits(words: Any, results: Any) -> None:
    for trial in range(len(words)):
        results[trial] = join_suits(words[trial, 0])


@jit.entry_on_call(types.void(types.uint64[:, ::1], _words))
def _part_suits(words: Any, results: Any) -> None:
    for trial in range(len(words)):
        results[trial] = part_suits(words[trial, 0])


@pytest.fixture(scope="module")
def words() -> Any:
    """Words of every density, with single bits and the extremes first: uint64[trial, 4]."""
    random = np.random.default_rng(1)
    drawn = random.integers(0, 2**64, (TRIALS, 4), np.uint64)
    drawn[::3] &= random.integers(0, 2**64, (len(drawn[::3]), 4), np.uint64)
    drawn[1::3] |= random.integers(0, 2**64, (len(drawn[1::3]), 4), np.uint64)
    drawn[:64] = np.uint64(1) << np.arange(64, dtype=np.uint64)[:, None]
    drawn[64], drawn[65] = 2**64 - 1, 2**63
    return drawn


@pytest.fixture(scope="module")
def lane_tables() -> Any:
    """Tables of random lanes, sparse enough that every lane can be told from the others."""
    random = np.random.default_rng(2)
    record = new_record(LANE_TABLES)
    record.narrow[:] = np.uint16(1) << random.integers(0, 16, (ROWS, LANES)).astype(np.uint16)
    record.wide[:] = np.uint32(1) << random.integers(0, 32, (ROWS, LANES)).astype(np.uint32)
    record.narrow[ROWS // 2 :] = random.integers(0, 2**16, (ROWS // 2, LANES))
    record.wide[ROWS // 2 :] = random.integers(0, 2**32, (ROWS // 2, LANES))
    return record


@pytest.fixture(scope="module")
def rows() -> Any:
    """Row numbers: uint64[trial, 4]."""
    return np.random.default_rng(3).integers(0, ROWS, (TRIALS, 4), np.uint64)


def test_count_and_lowest(words: Any) -> None:
    results = np.empty((TRIALS, 2), np.int64)
    _count_and_lowest(words, results)
    assert results.tolist() == [[bits._count_plain(word), bits._lowest_plain(word)] for word in words[:, 0]]
    assert results[:64, 0].tolist() == [1] * 64
    assert results[:64, 1].tolist() == list(range(64))


def test_count_of_nothing() -> None:
    assert bits._count_plain(bits.ZERO) == 0


def test_choose(words: Any) -> None:
    results = np.empty(TRIALS, np.uint64)
    _choose(words, results)
    assert results.tolist() == [bits._choose_plain(a < b, first, second) for a, b, first, second in words]
    assert 0 < (results == words[:, 2]).sum() < TRIALS


def test_select_or(lane_tables: Any, rows: Any, words: Any) -> None:
    results = np.empty(TRIALS, np.uint64)
    _select_or(lane_tables, rows, words, results)
    expected = [
        bits._select_or_plain(lane_tables.narrow, four[0], four[1], four[2], four[3], mask)
        for four, mask in zip(rows, words[:, 0], strict=True)
    ]
    assert results.tolist() == expected


def test_select_or_pairs(lane_tables: Any, rows: Any, words: Any) -> None:
    results = np.empty(TRIALS, np.uint64)
    _select_or_pairs(lane_tables, rows, words, results)
    expected = [
        bits._select_or_pairs_plain(lane_tables.wide, four[0], masks[0], four[1], masks[1])
        for four, masks in zip(rows, words, strict=True)
    ]
    assert results.tolist() == expected


def test_select_or_takes_each_lane_by_its_own_bit() -> None:
    record = new_record(LANE_TABLES)
    record.narrow[:4] = 1 << np.arange(LANES)
    masks = np.array([[mask] for mask in (0, 0x8001_4002_2004_1008, 2**64 - 1)], np.uint64)
    results = np.empty(3, np.uint64)
    _select_or(record, np.tile(np.arange(4, dtype=np.uint64), (3, 1)), masks, results)
    assert results.tolist() == masks[:, 0].tolist()


def test_join_suits(words: Any) -> None:
    lanes = words & np.uint64(0x007F_01FF_01FF_01FF)
    results = np.empty(TRIALS, np.uint64)
    _join_suits(lanes, results)
    expected = [sum((int(word) >> 16 * suit & 0xFFFF) << 9 * suit for suit in range(4)) for word in lanes[:, 0]]
    assert results.tolist() == expected
    assert max(expected) < 1 << 34


def test_part_suits_undoes_join_suits(words: Any) -> None:
    kinds = words & np.uint64((1 << 34) - 1)
    lanes, joined = np.empty((TRIALS, 1), np.uint64), np.empty(TRIALS, np.uint64)
    _part_suits(kinds, lanes[:, 0])
    _join_suits(lanes, joined)
    assert joined.tolist() == kinds[:, 0].tolist()
    assert not (lanes & ~np.uint64(0x007F_01FF_01FF_01FF)).any()


_nth_signature = types.void(_words, types.Array(types.int64, 1, "C"), types.Array(types.int64, 1, "C"))


def _nths(words: Any, indices: Any, results: Any) -> None:
    for trial in range(len(words)):
        results[trial] = bits.nth(words[trial], indices[trial])


def members(words: Any) -> tuple[Any, Any, list[int]]:
    """Words, an index in each, and the place of the bit there."""
    random = np.random.default_rng(3)
    found = [[place for place in range(64) if int(word) >> place & 1] for word in words if word]
    indices = [int(random.integers(len(places))) for places in found]
    expected = [places[index] for places, index in zip(found, indices, strict=True)]
    return words[words != 0].copy(), np.array(indices, np.int64), expected


@pytest.mark.parametrize("deposits_fast", [False, True])
def test_nth_with_and_without_an_instruction_for_it(
    words: Any, deposits_fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if deposits_fast and not bits._deposits_fast():
        pytest.skip("this processor has no instruction for it, or a slow one")
    monkeypatch.setattr(bits, "_deposits_fast", lambda: deposits_fast)
    nths = numba.njit(_nth_signature)(_nths)  # compiled here, past the cache
    sets, indices, expected = members(words[:, 0])
    results = np.empty(len(sets), np.int64)
    nths(sets, indices, results)
    assert results.tolist() == expected
    assert [bits._nth_plain(word, index) for word, index in zip(sets, indices.tolist(), strict=True)] == expected


@pytest.mark.parametrize(
    ("features", "processor", "fast"),
    [("+bmi2", "haswell", True), ("", "x86-64", False), ("+bmi,+bmi2", "znver2", False), ("-bmi2", "generic", False)],
)
def test_only_a_fast_instruction_is_used(
    features: str, processor: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CPU_FEATURES", features)
    monkeypatch.setattr(numba.config, "CPU_NAME", processor)
    assert bits._deposits_fast() is fast


@jit.entry_on_call(types.void(types.boolean[:, ::1], types.uint64[:, ::1]))
def _write_kinds(rows: Any, words: Any) -> None:
    for trial in range(len(words)):
        bits.write_kinds(rows, trial, words[trial, 0])


def test_write_kinds_fills_one_row(words: Any) -> None:
    rows, plain = np.ones((TRIALS, 34), np.bool_), np.ones((TRIALS, 34), np.bool_)
    _write_kinds(rows, words[:, :1].copy())
    expected = words[:, :1] >> np.arange(34, dtype=np.uint64) & np.uint64(1)
    assert np.array_equal(rows.view(np.uint8), expected)
    for trial in range(20):
        bits._write_kinds_plain(plain, trial, words[trial, 0])
    assert np.array_equal(plain[:20], rows[:20])
    last = np.zeros((1, 34), np.bool_)
    _write_kinds(last, np.array([[2**64 - 1]], np.uint64))
    assert last.all()


def test_sets_of_kinds() -> None:
    evens = kinds_where(lambda kind: kind % 2 == 0)
    assert [kind for kind in range(34) if has(evens, kind)] == list(range(0, 34, 2))
    assert sum(int(bit(kind)) for kind in range(0, 34, 2)) == evens
    assert kinds_where(lambda _: True) == (1 << 34) - 1
