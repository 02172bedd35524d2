"""Rows become columns within the kernel: against numpy, which takes each field of all rows."""

from typing import Any

import numpy as np
import pytest
from numba import types

from mjsim import jit
from mjsim.dataset.columns import COLUMNS, PLACE, ROW, empty_columns, move_rows, places_in
from mjsim.memory import _spread_plain
from mjsim.state import new_records

ROWS = 300
START = 40
UNTOUCHED = 0x5A


@jit.entry_on_call(types.void(jit.record_type(ROW)[::1], types.int64, jit.record_type(PLACE)[::1]))
def _move(rows: Any, number: Any, places: Any) -> None:
    move_rows(rows, number, places)


@pytest.fixture(scope="module")
def rows() -> Any:
    """Rows of random bytes."""
    made = new_records(ROW, ROWS)
    made.view(np.uint8)[:] = np.random.default_rng(5).integers(0, 256, made.nbytes, np.uint8)
    return made


def field_of(rows: Any, column: Any) -> Any:
    """One column of rows, by numpy."""
    values = rows.view(np.ndarray)[column.field]
    return values if column.index is None else values[:, column.index]


@pytest.mark.parametrize("steps", [(ROWS,), (1,), (0, 128, 128, 44)])
def test_rows_become_columns(rows: Any, steps: tuple[int, ...]) -> None:
    columns = empty_columns(START + ROWS + 7)
    for values in columns.values():
        values.view(np.uint8)[:] = UNTOUCHED
    number = sum(steps)
    places = places_in(columns, START, START + number)
    done = 0
    for step in steps:
        _move(rows[done : done + step], step, places)
        done += step
    for column in COLUMNS:
        values = columns[column.name]
        assert np.array_equal(values[START : START + number], field_of(rows, column)[:number]), column.name
        assert (values[:START].view(np.uint8) == UNTOUCHED).all(), column.name
        assert (values[START + number :].view(np.uint8) == UNTOUCHED).all(), column.name


def test_the_plain_form_does_the_same(rows: Any) -> None:
    columns = empty_columns(ROWS)
    for place, column in zip(places_in(columns, 0, ROWS), COLUMNS, strict=True):
        _spread_plain(rows, ROWS, place.offset, place.width, place.address)
        assert np.array_equal(columns[column.name], field_of(rows, column)), column.name


def _shorter(values: Any) -> Any:
    return values[:-1]


def _wider(values: Any) -> Any:
    return values.astype(np.int64)


def _with_gaps(values: Any) -> Any:
    return np.repeat(values, 2)[::2]


def _read_only(values: Any) -> Any:
    values.flags.writeable = False
    return values


@pytest.mark.parametrize("change", [_shorter, _wider, _with_gaps, _read_only])
def test_a_column_with_no_room_is_refused(change: Any) -> None:
    columns = empty_columns(10)
    places_in(columns, 0, 10)
    columns["draws"] = change(columns["draws"])
    with pytest.raises(ValueError, match=r"column draws: no room for deals 0 to 10 in "):
        places_in(columns, 0, 10)


@pytest.mark.parametrize(("start", "end"), [(-1, 5), (5, 4), (8, 11)])
def test_positions_outside_are_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match=r"column deal: no room"):
        places_in(empty_columns(10), start, end)
