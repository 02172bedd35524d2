"""Sets of tile kinds as 64-bit words, and the two vector instructions that make the evaluator fast.

A *set of kinds* is an unsigned 64-bit word whose bit t stands for kind t (0–33). Three such words, ``ones``, ``twos``
and ``fours``, hold the counts of a hand digit by digit: kind t is held ones + 2·twos + 4·fours times (bits t of each).

`select_or` and `select_or_pairs` read a table row of sixteen lanes and OR together the lanes that a mask selects.
Numba has no vector types, so they are written as LLVM instructions; the plain Python beside each is its definition,
is what runs with the JIT off, and is held equal to it by tests. With ``NUMBA_BOUNDSCHECK=1`` they check what numba's
own checks cannot see: that there is such a row. They use nothing but shuffles, ORs and selects, so
every processor that LLVM knows can run them. `nth` has a form for processors with an instruction for it, and one for
the others.
"""

from collections.abc import Callable
from typing import Any, cast

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.codegen import get_host_cpu_features
from numba.extending import intrinsic as numba_intrinsic

from mjsim.jit import DISABLED, form, inlined
from mjsim.tiles import KINDS

Word = np.uint64
ZERO, ONE, TWO, FOUR = Word(0), Word(1), Word(2), Word(4)
LANES = 16

# Numba's helpers and settings are not typed, and what it makes is typed as if it took the context too.
intrinsic = cast(Callable[[Callable[..., Any]], Any], numba_intrinsic)
_helpers: Any = cgutils
_config: Any = numba.config
_host_features: Any = get_host_cpu_features

_WORD = ir.IntType(64)
_SUIT_LANE = Word(0x1FF)


def kinds_where(predicate: Any) -> np.uint64:
    """The set of the kinds 0–33 for which a Python predicate holds (for constants)."""
    return Word(sum(1 << kind for kind in range(KINDS) if predicate(kind)))


def _count_plain(word: Any) -> Any:
    return np.int64(int(word).bit_count())


def _lowest_plain(word: Any) -> Any:
    word = int(word)
    return np.int64((word & -word).bit_length() - 1)


def _nth_plain(kinds: Any, index: Any) -> Any:
    return np.int64([place for place in range(64) if int(kinds) >> place & 1][index])


def _choose_plain(condition: Any, first: Any, second: Any) -> Any:
    return first if condition else second


def _select_or_plain(table: Any, row0: Any, row1: Any, row2: Any, row3: Any, masks: Any) -> Any:
    word = 0
    for suit, row in enumerate((row0, row1, row2, row3)):
        mask = int(masks) >> (16 * suit)
        for lane in range(LANES):
            if mask >> lane & 1:
                word |= int(table[row, lane]) << (16 * suit)
    return Word(word)


def _write_kinds_plain(rows: Any, row: Any, kinds: Any) -> None:
    rows[row] = [int(kinds) >> kind & 1 for kind in range(KINDS)]


def _select_or_pairs_plain(table: Any, row0: Any, mask0: Any, row1: Any, mask1: Any) -> Any:
    word = 0
    for half, (row, mask) in enumerate(((row0, mask0), (row1, mask1))):
        for lane in range(LANES):
            if int(mask) >> lane & 1:
                word |= int(table[row, lane]) << (32 * half)
    return Word(word)


@intrinsic
def _count(_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def _lowest(_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


def _nth_by_steps(kinds: Any, index: Any) -> Any:
    for _ in range(index):
        kinds = kinds & (kinds - ONE)
    return lowest(kinds)


def _deposits_fast() -> bool:
    """Whether the processor that is compiled for has ``pdep``, and not as a slow program of its own."""
    features = _config.CPU_FEATURES if _config.CPU_FEATURES is not None else _host_features()
    processor = _config.CPU_NAME or llvm.get_host_cpu_name()
    return "+bmi2" in features.split(",") and processor not in ("znver1", "znver2")


@intrinsic
def _nth(_context: Any, kinds: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if not _deposits_fast():
            return context.compile_internal(builder, _nth_by_steps, signature, arguments)
        # pdep puts the lowest bits of a word where another one has bits: here a single bit, the one at the index.
        kind = ir.FunctionType(_WORD, [_WORD, _WORD])
        deposit = _helpers.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
        single = builder.shl(ir.Constant(_WORD, 1), arguments[1])
        return builder.cttz(builder.call(deposit, [single, arguments[0]]), ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64, types.int64), generate


@intrinsic
def _choose(_context: Any, condition: Any, first: Any, second: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        chosen = builder.select(builder.trunc(arguments[0], ir.IntType(1)), arguments[1], arguments[2])
        # Else LLVM may make it a branch again, where it takes the condition for one that can be guessed.
        chosen.set_metadata("unpredictable", builder.module.add_metadata([]))
        return chosen

    return types.uint64(types.boolean, types.uint64, types.uint64), generate


def _row(context: Any, builder: Any, table_type: Any, table: Any, row: Any, bits: int) -> Any:
    """Load the sixteen lanes of one table row; rows are 16 lanes wide and tables never change while kernels run."""
    base = builder.ptrtoint(context.make_array(table_type)(context, builder, table).data, _WORD)
    address = builder.add(base, builder.mul(row, ir.Constant(_WORD, LANES * bits // 8)))
    vector = ir.VectorType(ir.IntType(bits), LANES)
    loaded = builder.load(builder.inttoptr(address, vector.as_pointer()), align=2 * bits)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def _select(builder: Any, vector: Any, mask: Any) -> Any:
    """Zero the lanes whose bit in the low sixteen of ``mask`` is not set."""
    lanes = builder.bitcast(builder.trunc(mask, ir.IntType(LANES)), ir.VectorType(ir.IntType(1), LANES))
    return builder.select(lanes, vector, ir.Constant(vector.type, [0] * LANES))


def _shuffle(builder: Any, first: Any, second: Any, order: list[int]) -> Any:
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(ir.IntType(32), len(order)), order))


def _or_halves(builder: Any, vector: Any) -> Any:
    half = vector.type.count // 2
    low = _shuffle(builder, vector, vector, list(range(half)))
    return builder.or_(low, _shuffle(builder, vector, vector, list(range(half, 2 * half))))


def _interleave(builder: Any, first: Any, second: Any, group: int) -> Any:
    """OR neighbouring groups of lanes: the result alternates a group of ``first`` with one of ``second``."""
    low: list[int] = []
    high: list[int] = []
    for start in range(0, LANES, 2 * group):
        for source in (0, LANES):
            low += [source + start + lane for lane in range(group)]
            high += [source + start + group + lane for lane in range(group)]
    return builder.or_(_shuffle(builder, first, second, low), _shuffle(builder, first, second, high))


@intrinsic
def _write_kinds(_context: Any, rows: Any, row: Any, kinds: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [builder.mul(arguments[1], ir.Constant(_WORD, KINDS))])
        flags = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), 64))
        values = builder.zext(flags, ir.VectorType(ir.IntType(8), 64))
        # A row in two pieces that are vectors to every processor: 34 bytes at once would be written one by one.
        for first, end in ((0, 32), (32, KINDS)):
            piece = _shuffle(builder, values, values, list(range(first, end)))
            into = builder.gep(place, [ir.Constant(_WORD, first)])
            builder.store(piece, builder.bitcast(into, piece.type.as_pointer()), align=1)

    return types.void(rows, types.int64, types.uint64), generate


@intrinsic
def _select_or(_context: Any, table: Any, row0: Any, row1: Any, row2: Any, row3: Any, masks: Any) -> Any:
    word = types.uint64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        selected = []
        for suit in range(4):
            loaded = _row(context, builder, signature.args[0], arguments[0], arguments[1 + suit], 16)
            mask = builder.lshr(arguments[5], ir.Constant(_WORD, 16 * suit))
            selected.append(_select(builder, loaded, mask))
        # Transpose while reducing: after two rounds each group of four lanes is (suit 0, 1, 2, 3).
        pair01 = _interleave(builder, selected[0], selected[1], 1)
        pair23 = _interleave(builder, selected[2], selected[3], 1)
        groups = _interleave(builder, pair01, pair23, 2)
        return builder.bitcast(_or_halves(builder, _or_halves(builder, groups)), _WORD)

    return word(table, word, word, word, word, word), generate


@intrinsic
def _select_or_pairs(_context: Any, table: Any, row0: Any, mask0: Any, row1: Any, mask1: Any) -> Any:
    word = types.uint64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = _row(context, builder, signature.args[0], arguments[0], arguments[1], 32)
        second = _row(context, builder, signature.args[0], arguments[0], arguments[3], 32)
        pairs = _interleave(builder, _select(builder, first, arguments[2]), _select(builder, second, arguments[4]), 1)
        halves = _or_halves(builder, _or_halves(builder, _or_halves(builder, pairs)))
        return builder.bitcast(halves, _WORD)

    return word(table, word, word, word, word), generate


@inlined
def _nth_checked(kinds: Any, index: Any) -> Any:
    if index < 0 or index >= _count(kinds):
        raise IndexError("nth: the set has no such member")
    return _nth(kinds, index)


@inlined
def _select_or_checked(table: Any, row0: Any, row1: Any, row2: Any, row3: Any, masks: Any) -> Any:
    if max(row0, row1, row2, row3) >= Word(table.shape[0]):
        raise IndexError("select_or: no such row of the table")
    return _select_or(table, row0, row1, row2, row3, masks)


@inlined
def _select_or_pairs_checked(table: Any, row0: Any, mask0: Any, row1: Any, mask1: Any) -> Any:
    if max(row0, row1) >= Word(table.shape[0]):
        raise IndexError("select_or_pairs: no such row of the table")
    return _select_or_pairs(table, row0, mask0, row1, mask1)


@inlined
def _write_kinds_checked(rows: Any, row: Any, kinds: Any) -> None:
    if row < 0 or row >= rows.shape[0] or rows.shape[1] != KINDS:
        raise IndexError("write_kinds: no such row")
    _write_kinds(rows, row, kinds)


#: Number of kinds in a set.
count: Any = _count_plain if DISABLED else _count
#: The lowest kind of a set, which must not be empty.
lowest: Any = _lowest_plain if DISABLED else _lowest
#: ``nth(kinds, index)``: the member of a set at an index, in ascending order; there must be one. Where the processor
#: has an instruction for it nothing is to be guessed: a wrong guess of how many steps it takes costs more than they do.
nth: Any = form(_nth_plain, _nth_checked, _nth)
#: ``choose(condition, first, second)``: one of two words, without a branch for the processor to guess.
choose: Any = _choose_plain if DISABLED else _choose
#: ``select_or(table, row0, row1, row2, row3, masks)``: for each suit the OR of the ``uint16`` lanes of its row that its
#: sixteen bits of ``masks`` select; the four results side by side, sixteen bits each.
select_or: Any = form(_select_or_plain, _select_or_checked, _select_or)
#: ``select_or_pairs(table, row0, mask0, row1, mask1)``: likewise for two rows of sixteen ``uint32`` lanes.
select_or_pairs: Any = form(_select_or_pairs_plain, _select_or_pairs_checked, _select_or_pairs)
#: ``write_kinds(rows, row, kinds)``: one row of a C-contiguous ``bool[row, 34]``, true for each kind of a set.
write_kinds: Any = form(_write_kinds_plain, _write_kinds_checked, _write_kinds)


@inlined
def join_suits(lanes: Any) -> Any:
    """Close the gaps between four suits of sixteen bits each: a set of kinds."""
    return (
        (lanes & _SUIT_LANE)
        | (lanes >> Word(7) & (_SUIT_LANE << Word(9)))
        | (lanes >> Word(14) & (_SUIT_LANE << Word(18)))
        | (lanes >> Word(21) & (_SUIT_LANE << Word(27)))
    )


@inlined
def part_suits(kinds: Any) -> Any:
    """Undo `join_suits`: a set of kinds with sixteen bits for each suit."""
    return (
        (kinds & _SUIT_LANE)
        | (kinds & (_SUIT_LANE << Word(9))) << Word(7)
        | (kinds & (_SUIT_LANE << Word(18))) << Word(14)
        | (kinds >> Word(27)) << Word(48)
    )


@inlined
def bit(kind: Any) -> Any:
    """The set of one kind."""
    return ONE << Word(kind)


@inlined
def has(kinds: Any, kind: Any) -> Any:
    """Whether a set holds a kind.

    Examples
    --------
    >>> bool(has(np.uint64(0b100), 2))
    True
    """
    return (kinds >> Word(kind)) & ONE != ZERO
