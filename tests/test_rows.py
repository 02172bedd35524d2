"""A row of counts read eight at a time, against the same count by count."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from numba import types

from mjsim import jit
from mjsim.hands import rows
from mjsim.hands.hand import load
from mjsim.hands.tables import TABLES, tables
from mjsim.memory import eight_bytes
from mjsim.state import SEAT, new_record
from mjsim.tiles import COPIES, KINDS

Bytes = npt.NDArray[np.uint8]

TRIALS = 1_000

_rows = types.Array(types.uint8, 2, "C", readonly=True)


@jit.entry_on_call(types.void(_rows, types.uint64[:, ::1]))
def _read(counts: Any, words: Any) -> None:
    for row in range(counts.shape[0]):
        for column in range(counts.shape[1] - 7):
            words[row, column] = eight_bytes(counts, row, column)


@jit.entry_on_call(types.void(_rows, types.uint64[:, ::1]))
def _keys(counts: Any, keys: Any) -> None:
    for row in range(counts.shape[0]):
        for suit in range(3):
            keys[row, suit] = rows.suit_key(counts, row, suit)
        keys[row, 3] = rows.honour_key(counts, row)


@jit.entry_on_call(types.void(_rows, types.int64[:, ::1]))
def _sums(counts: Any, sums: Any) -> None:
    for row in range(counts.shape[0]):
        sums[row, 0] = rows.tiles_held(counts, row)
        sums[row, 1] = rows.pairs_held(counts, row)


@jit.entry_on_call(types.void(_rows, types.boolean[::1]))
def _five(counts: Any, found: Any) -> None:
    for row in range(counts.shape[0]):
        found[row] = rows.has_five_of_a_kind(counts, row)


@jit.entry_on_call(types.void(jit.record_type(SEAT), jit.record_type(TABLES), _rows, types.int64))
def _load_one(hand: Any, tables: Any, counts: Any, row: Any) -> None:
    load(hand, tables, counts[row], 0)


@pytest.fixture(scope="module")
def hands() -> Bytes:
    """Fourteen tiles of the whole set, and of one, two or three suits: uint8[trial, 34]."""
    random = np.random.default_rng(1)
    dealt = np.zeros((TRIALS, KINDS), np.uint8)
    for trial, suits in enumerate(random.integers(1, 5, TRIALS)):
        deck = np.repeat(np.arange(KINDS)[-int(9 * suits) :], COPIES)
        np.add.at(dealt[trial], random.permutation(deck)[:14], 1)
    return dealt


def test_eight_bytes_are_as_they_lie_in_memory() -> None:
    counts = np.random.default_rng(2).integers(0, 256, (20, KINDS), np.uint8)
    words = np.zeros((20, KINDS - 7), np.uint64)
    _read(counts, words)
    for row in range(20):
        for column in range(KINDS - 7):
            assert int(words[row, column]).to_bytes(8, "little") == counts[row, column : column + 8].tobytes()


def test_plain_python_refuses_bytes_beyond_the_row() -> None:
    from mjsim.memory import _eight_bytes_plain

    counts = np.arange(KINDS, dtype=np.uint8).reshape(1, KINDS)
    assert _eight_bytes_plain(counts, 0, 26) == int.from_bytes(bytes(range(26, 34)), "little")
    with pytest.raises(IndexError, match="eight bytes from column 27 of 34"):
        _eight_bytes_plain(counts, 0, 27)


def test_keys_are_those_of_a_loaded_hand(hands: Bytes) -> None:
    keys = np.zeros((TRIALS, 4), np.uint64)
    _keys(hands, keys)
    hand = new_record(SEAT)
    for trial in range(TRIALS):
        _load_one(hand, tables(), hands, trial)
        assert keys[trial].tolist() == hand.keys.tolist()


def test_tiles_and_pairs_are_counted(hands: Bytes) -> None:
    sums = np.zeros((TRIALS, 2), np.int64)
    _sums(hands, sums)
    assert (sums[:, 0] == 14).all()
    assert sums[:, 1].tolist() == (hands // 2).sum(axis=1).tolist()


def test_five_of_a_kind_is_seen_wherever_it_is() -> None:
    counts = np.full((KINDS * 251, KINDS), COPIES, np.uint8)
    for kind in range(KINDS):
        counts[kind * 251 : kind * 251 + 251, kind] = np.arange(5, 256)
    found = np.zeros(len(counts), np.bool_)
    _five(counts, found)
    assert found.all()


def test_up_to_four_of_each_kind_are_not_five() -> None:
    random = np.random.default_rng(3)
    counts = np.vstack([random.integers(0, 5, (TRIALS, KINDS)), np.full((1, KINDS), COPIES)]).astype(np.uint8)
    found = np.ones(len(counts), np.bool_)
    _five(counts, found)
    assert not found.any()
