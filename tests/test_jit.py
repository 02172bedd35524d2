"""Kernels are compiled as parts, which only entries make machine code of; what of numba's insides that rests upon."""

from typing import Any

import numba
import numpy as np
import pytest
from numba import types
from numba.core.codegen import JITCodeLibrary

from mjsim import jit
from mjsim.bits import has

needs_jit = pytest.mark.skipif(jit.DISABLED, reason="nothing is compiled")

_njit: Any = numba.njit
_words: Any = types.uint64[::1]


@jit.inlined
def _twice(word: Any) -> Any:
    return word + word


@jit.kernel
def _squared(word: Any) -> Any:
    return word * _twice(word)


@jit.kernel
def _squared_and_one(word: Any) -> Any:
    return _squared(word) + np.uint64(1)


def _either(word: Any) -> Any:
    return _squared(word) + _squared_and_one(word)


@jit.overloads(_either)
def _compiled_either(word: Any) -> Any:
    return _either if word == types.uint64 else None


@jit.entry_on_call(types.void(_words, _words))
def _fill(words: Any, result: Any) -> None:
    for index in range(words.shape[0]):
        result[index] = _either(words[index]) + _squared(words[index])


def expected(words: Any) -> Any:
    return words * words * np.uint64(6) + np.uint64(1)


def test_an_entry_runs_what_its_parts_say() -> None:
    words = np.arange(5, dtype=np.uint64)
    result = np.empty_like(words)
    _fill(words, result)
    assert result.tolist() == expected(words).tolist()


@needs_jit
def test_only_what_is_run_becomes_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    optimized: list[str] = []
    machine_code: list[str] = []
    optimize: Any = JITCodeLibrary._optimize_final_module
    finish: Any = JITCodeLibrary._finalize_specific

    def optimize_and_note(library: Any) -> None:
        optimized.append(library.name)
        optimize(library)

    def finish_and_note(library: Any) -> None:
        machine_code.append(library.name)
        finish(library)

    monkeypatch.setattr(JITCodeLibrary, "_optimize_final_module", optimize_and_note)
    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", finish_and_note)

    @jit.kernel
    def lower(word: Any) -> Any:
        return _twice(word) - np.uint64(1)

    @jit.kernel
    def upper(word: Any) -> Any:
        return lower(word) + lower(word + np.uint64(1))

    # As `jit.entry`, but not kept on disk, so that it is compiled each time.
    entry: Any = _njit(types.uint64(types.uint64), _nrt=False, pipeline_class=jit._EntryCompiler)(
        lambda word: upper(word) + lower(word)
    )
    assert entry(np.uint64(5)) == 9 + 11 + 9
    for kernel in (lower, upper):
        compiled: Any = kernel
        (found,) = compiled.overloads.values()
        assert type(found.library) is jit._Part, "numba did not take the library that jit._LowerPart chose"
    changed = "numba makes code of kernels that nobody runs: see jit._Part, and what numba's CPUCodeLibrary does now"
    assert len(optimized) == len(machine_code) == 1, changed


@needs_jit
def test_nobody_else_finds_the_kernels_of_an_entry() -> None:
    entry: Any = _njit(types.uint64(types.uint64), _nrt=False, pipeline_class=jit._EntryCompiler)(_either)
    (found,) = entry.overloads.values()
    assert type(found.library) is jit._Entry, "numba did not take the library that jit._LowerEntry chose"
    defined = [each for each in found.library._final_module.functions if not each.is_declaration]
    exported = {each.name for each in defined if each.linkage.name == "external"}
    own = found.fndesc
    assert exported == {own.llvm_func_name, own.llvm_cpython_wrapper_name, own.llvm_cfunc_wrapper_name}
    assert {each.linkage.name for each in defined} <= {"external", "private"}


@needs_jit
def test_functions_compiled_by_numba_can_call_kernels() -> None:
    outside: Any = _njit(lambda word: _squared_and_one(word) + _twice(word))
    assert outside(np.uint64(3)) == 25
    # `mjsim.contract.Player.compiled` is an entry, too.
    entry: Any = _njit(types.uint64(types.uint64), _nrt=False, pipeline_class=jit._EntryCompiler)(_either)
    caller: Any = _njit(lambda word: entry(word) + _squared(word))
    assert caller(np.uint64(3)) == 55


@needs_jit
def test_python_can_call_kernels() -> None:
    assert _squared_and_one(np.uint64(3)) == 19
    assert bool(has(np.uint64(0b100), 2))


@needs_jit
def test_a_kernel_is_compiled_once_for_all_constants() -> None:
    outside: Any = _njit(lambda: _twice(3) + _twice(4))
    assert outside() == 14
    kernel: Any = _twice
    assert [each for each in kernel.overloads if each == (types.int64,)] == [(types.int64,)]
    assert not any(isinstance(given, types.Literal) for each in kernel.overloads for given in each)
