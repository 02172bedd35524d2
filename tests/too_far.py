"""Calls that go one too far, and whether they are refused: numba sees the first, accessors themselves the others."""

import json
from typing import Any

import numpy as np
from numba import types

from mjsim import bits, jit
from mjsim.dataset.columns import PLACE, ROW, move_rows
from mjsim.hands.tables import TABLES, tables
from mjsim.memory import eight_bytes
from mjsim.state import SEAT, new_record, new_records

table = jit.record_type(TABLES)
word = types.uint64


@jit.entry(types.uint64(jit.record_type(SEAT), types.int64))
def field(hand: Any, suit: Any) -> Any:
    return hand.keys[suit]


@jit.entry(word(table, word))
def row(tables: Any, number: Any) -> Any:
    return bits.select_or(tables.useful, number, number, number, number, bits.ONE)


@jit.entry(word(table, word))
def pair(tables: Any, number: Any) -> Any:
    return bits.select_or_pairs(tables.splits, number, bits.ONE, number, bits.ONE)


@jit.entry(types.int64(word, types.int64))
def member(kinds: Any, index: Any) -> Any:
    return bits.nth(kinds, index)


@jit.entry(types.void(types.boolean[:, ::1], types.int64))
def flags(rows: Any, number: Any) -> Any:
    bits.write_kinds(rows, number, bits.ONE)


@jit.entry(word(types.uint8[:, ::1], types.int64))
def eight(rows: Any, column: Any) -> Any:
    return eight_bytes(rows, 0, column)


@jit.entry(types.void(jit.record_type(ROW)[::1], types.int64, jit.record_type(PLACE)[::1]))
def move(rows: Any, number: Any, places: Any) -> Any:
    move_rows(rows, number, places)


column = np.zeros(2, np.uint8)
places = new_records(PLACE, 1)
places[0].width, places[0].address = 1, column.ctypes.data
sizes = len(tables().useful), len(tables().splits)
CALLS: dict[str, Any] = {
    "field": lambda far: field(new_record(SEAT), 3 + far),
    "row": lambda far: row(tables(), np.uint64(sizes[0] - 1 + far)),
    "pair": lambda far: pair(tables(), np.uint64(sizes[1] - 1 + far)),
    "member": lambda far: member(np.uint64(0b1011), 2 + far),
    "flags": lambda far: flags(np.zeros((2, 34), np.bool_), 1 + far),
    "eight": lambda far: eight(np.zeros((1, 34), np.uint8), 26 + far),
    "move": lambda far: move(new_records(ROW, 1), 1 + far, places),
}


def outcome(call: Any) -> str:
    """What comes of one too far, where the last that is there is fine."""
    call(0)
    try:
        call(1)
    except IndexError:
        return "refused"
    return "nothing"


if __name__ == "__main__":
    print(json.dumps({name: outcome(call) for name, call in CALLS.items()}))
