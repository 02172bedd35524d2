"""Memory of a kernel's own: records on its stack, copied and compared as they lie in memory.

Kernels allocate nothing (`mjsim.jit`), and a player is a function of three arguments that has nowhere to keep notes.
What it needs for one decision it can put on its stack: `new` lays a record there, which lasts until the kernel that
called `new` returns, so it may be passed down but not given back. As in `mjsim.bits`, the plain Python beside each
function is what it means, and what runs with the JIT off.
"""

import ctypes
import sys
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

from mjsim.jit import DISABLED, form, inlined

# Numba's helpers are not typed, and what it makes is typed as if it took the context too.
intrinsic = cast(Callable[[Callable[..., Any]], Any], numba_intrinsic)
_helpers: Any = cgutils

_BYTE, _WORD = ir.IntType(8), ir.IntType(64)
_ALIGNMENT = 64
_SIZES: Final = (1, 2, 4, 8)


def _new_plain(dtype: Any) -> Any:
    return np.zeros(1, dtype).view(np.recarray)[0]


def _copy_plain(into: Any, source: Any) -> None:
    for name in source.dtype.names:
        into[name] = source[name]


def _same_plain(first: Any, second: Any) -> Any:
    return bool(first == second)


def _eight_bytes_plain(rows: Any, row: Any, column: Any) -> Any:
    if not 0 <= column <= rows.shape[1] - 8:
        raise IndexError(f"eight bytes from column {column} of {rows.shape[1]}")
    return np.uint64(int.from_bytes(rows[row, column : column + 8].tobytes(), "little"))


def _spread_plain(rows: Any, number: Any, offset: Any, width: Any, address: Any) -> None:
    values = np.frombuffer(rows[:number].tobytes(), np.uint8).reshape(number, rows.dtype.itemsize)
    place = (ctypes.c_uint8 * int(number * width)).from_address(int(address))
    np.ctypeslib.as_array(place).reshape(number, width)[:] = values[:, offset : offset + width]


@intrinsic
def _new(_context: Any, dtype: Any) -> Any:
    def generate(_context: Any, builder: Any, signature: Any, _arguments: Any) -> Any:
        # In the entry block, so that a loop does not take more of the stack at each round. Not cleared: numba's own
        # helper would store zeros byte by byte.
        with builder.goto_entry_block():
            place = builder.alloca(ir.ArrayType(_BYTE, signature.return_type.size))
        place.align = _ALIGNMENT
        return place

    return dtype.dtype(dtype), generate


@intrinsic
def _copy(_context: Any, into: Any, source: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _helpers.raw_memcpy(builder, *arguments, ir.Constant(_WORD, source.size), itemsize=1)

    # None for records of two kinds: numba then says that there is no such function.
    return (types.void(into, source), generate) if into == source else None


@intrinsic
def _eight_bytes(_context: Any, rows: Any, row: Any, column: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        width = builder.extract_value(array.shape, 1)
        place = builder.gep(array.data, [builder.add(builder.mul(arguments[1], width), arguments[2])])
        word = builder.load(builder.bitcast(place, _WORD.as_pointer()), align=1)
        return word if sys.byteorder == "little" else builder.bswap(word)

    return types.uint64(rows, types.int64, types.int64), generate


@intrinsic
def _spread(_context: Any, rows: Any, number: Any, offset: Any, width: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        first = builder.gep(builder.bitcast(array.data, _BYTE.as_pointer()), [arguments[2]])
        stride = ir.Constant(_WORD, signature.args[0].dtype.size)
        for size in _SIZES:
            item = ir.IntType(8 * size).as_pointer()
            with (
                builder.if_then(builder.icmp_unsigned("==", arguments[3], ir.Constant(_WORD, size))),
                _helpers.for_range(builder, arguments[1]) as loop,
            ):
                value = builder.load(builder.bitcast(builder.gep(first, [builder.mul(loop.index, stride)]), item))
                builder.store(value, builder.gep(builder.inttoptr(arguments[4], item), [loop.index]))

    return types.void(rows, types.int64, types.int64, types.int64, types.uint64), generate


@intrinsic
def _same(_context: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        words = [builder.bitcast(each, _WORD.as_pointer()) for each in arguments]
        differing = _helpers.alloca_once_value(builder, ir.Constant(_WORD, 0))
        with _helpers.for_range(builder, ir.Constant(_WORD, first.size // 8)) as loop:
            one, other = (builder.load(builder.gep(each, [loop.index]), align=1) for each in words)
            builder.store(builder.or_(builder.load(differing), builder.xor(one, other)), differing)
        return builder.icmp_unsigned("==", builder.load(differing), ir.Constant(_WORD, 0))

    # Records of whole words only, which aligned ones are.
    return (types.boolean(first, second), generate) if first == second and first.size % 8 == 0 else None


@inlined
def _eight_bytes_checked(rows: Any, row: Any, column: Any) -> Any:
    if row < 0 or row >= rows.shape[0] or column < 0 or column > rows.shape[1] - 8:
        raise IndexError("eight_bytes: not all of them lie within the row")
    return _eight_bytes(rows, row, column)


@inlined
def _spread_checked(rows: Any, number: Any, offset: Any, width: Any, address: Any) -> None:
    if number < 0 or number > rows.shape[0] or width not in _SIZES:
        raise IndexError("spread: there are not so many rows, or no such numbers")
    _spread(rows, number, offset, width, address)


#: ``new(dtype)``: a record on the stack of the calling kernel; what it holds at first is not defined.
new: Any = _new_plain if DISABLED else _new
#: ``copy(into, source)``: make one record like another of the same dtype.
copy: Any = _copy_plain if DISABLED else _copy
#: ``same(first, second)``: whether two records of the same dtype are alike.
same: Any = _same_plain if DISABLED else _same
#: ``eight_bytes(rows, row, column)``: eight neighbouring bytes of a row of a C-contiguous ``uint8`` array as one word,
#: the first in its lowest bits. All must lie within the row.
eight_bytes: Any = form(_eight_bytes_plain, _eight_bytes_checked, _eight_bytes)
#: ``spread(rows, number, offset, width, address)``: of each of the first so many records the ``width`` bytes
#: (1, 2, 4 or 8) at ``offset``, one after the other to an address, where there must be room for them.
spread: Any = form(_spread_plain, _spread_checked, _spread)
