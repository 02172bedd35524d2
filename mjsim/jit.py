"""The one place that owns the jit decorator, its flags and its cache.

Three decorators: `entry` for functions that Python calls (cached on disk, the interpreter lock released), `kernel` for
functions that kernels call, and `inlined` for tiny ones and for what every turn of a deal goes through. None of them
counts references (``_nrt=False``): kernels allocate nothing and work on records and arrays that their caller keeps
alive, and counting cost more than the work.

Numba makes machine code of every function together with all that it calls, and does so again for whatever calls it:
more than half of a first start went into code that nobody runs. Here kernels are *parts*. Numba types them and
translates them for LLVM; only an entry is optimized and made machine code, once, with each of its parts once. As LLVM
then knows that nothing else calls the parts, what it makes is faster too. This takes the classes from `_Part` to
`_Kernel`, which use what numba keeps to itself; ``tests/test_jit.py`` says what that is.

Numba's own cache does not notice an edited callee in another module. So compiled code is kept in a folder named by a
hash of all kernel sources, the versions of numba, llvmlite and numpy, and the processor; a stale kernel cannot be
loaded. ``MJSIM_CACHE_DIR`` moves the cache (compiled code and tables); where no folder can be written, everything is
built anew in each process, after one warning. ``NUMBA_DISABLE_JIT=1`` runs every kernel as plain Python, with the
same results.
"""

import functools
import gc
import hashlib
import importlib
import os
import platform
import time
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numba.extending
import numpy as np
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from mjsim.cache import cache_home, write_atomically

_NO_KERNELS = ("cli", "coverage", "transcript")
_FRESH_SECONDS = 60

F = TypeVar("F", bound=Callable[..., Any])

# Numba is typed in part; what is not typed, or is private (`_nrt`), goes through these.
_njit: Any = numba.njit
_config: Any = numba.config
_overload: Any = numba.extending.overload
_builder: Any = DefaultPassBuilder
_register_pass: Any = register_pass
_PassManager: Any = PassManager

DISABLED: bool = bool(_config.DISABLE_JIT)
#: Numba's own setting, ``NUMBA_BOUNDSCHECK=1``: arrays check their indices, and what reads memory otherwise does too.
CHECKED: bool = bool(_config.BOUNDSCHECK) and not DISABLED


class _Part(JITCodeLibrary):
    """The code of one kernel, which is never run but in what it is linked into."""

    def finalize(self) -> None:
        """Leave the code as it is: whoever links it optimizes it."""
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """For a caller that is no entry of ours: the kernel's code and that of all it calls."""
        if self._shared_module is None:
            whole = self._final_module.clone()
            for library in _called(self):
                module = library._final_module if isinstance(library, _Part) else library._get_module_for_linking()
                whole.link_in(module, preserve=True)
            _set_linkage(whole, "linkonce_odr")
            self._shared_module = whole
        return self._shared_module


class _Entry(JITCodeLibrary):
    """The code of an entry and, once each, of all kernels that it calls, which nothing else can call."""

    def finalize(self) -> None:
        own = [function.name for function in self._final_module.functions if not function.is_declaration]
        others = []
        for library in _called(self):
            if isinstance(library, _Part):
                self._final_module.link_in(library._final_module, preserve=True)
                self._reload_init.update(library._reload_init)
            else:
                others.append(library)
        # Private functions have no symbol. The loader would give an internal one to whoever else looks for its name,
        # and LLVM changes how functions are called that only it sees.
        _set_linkage(self._final_module, "private", own)
        self._linking_libraries = others
        as_numba: Any = super()
        as_numba.finalize()


def _called(library: Any) -> Iterator[Any]:
    """The libraries of all that a function calls, and that these call; what is no part has linked all that it calls."""
    seen, waiting = {library}, list(library._linking_libraries)
    while waiting:
        found = waiting.pop()
        if found not in seen:
            seen.add(found)
            yield found
            waiting += found._linking_libraries if isinstance(found, _Part) else ()


def _set_linkage(module: Any, linkage: str, but: Collection[str] = ()) -> None:
    """Say of a module's functions, but for some, who else may have them."""
    for function in module.functions:
        if not function.is_declaration and function.linkage == llvm.Linkage.external and function.name not in but:
            function.linkage = linkage


@_register_pass(mutates_CFG=True, analysis_only=False)
class _LowerEntry(NativeLowering):
    """Translate an entry, and choose what links it."""

    _name = "mjsim_lower_entry"

    def run_pass(self, state: Any) -> bool:
        new_entry: Any = _Entry
        state.library = new_entry(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        as_numba: Any = super()
        return bool(as_numba.run_pass(state))


@_register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    """Translate a kernel into LLVM's language, as numba does, and stop there."""

    _name = "mjsim_lower_part"

    def run_pass(self, state: Any) -> bool:
        new_part: Any = _Part
        state.library = new_part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        as_numba: Any = super()
        as_numba.run_pass(state)
        # Callers find a function by its entry point. There is none; any builtin that no other part has stands in.
        lowered = state["cr"]._replace(cfunc=state.library.__sizeof__)
        state.targetctx.insert_user_function(lowered.cfunc, lowered.fndesc, [state.library])
        state["cr"] = lowered
        return True


class _EntryCompiler(CompilerBase):
    """Numba's compiler, but for the step in which code is made."""

    lowering: Any = _LowerEntry

    def define_pipelines(self) -> list[Any]:
        passes = _PassManager("mjsim")
        for stage in (
            _builder.define_untyped_pipeline,
            _builder.define_typed_pipeline,
            _builder.define_nopython_lowering_pipeline,
        ):
            for each, purpose in stage(self.state).passes:
                passes.add_pass(self.lowering if each is NativeLowering else each, purpose)
        passes.finalize()
        return [passes]


class _PartCompiler(_EntryCompiler):
    """Numba's compiler, but that it makes no code."""

    lowering: Any = _LowerPart


class _Kernel(CPUDispatcher):
    """A function compiled as a part; what Python calls is compiled apart from that, as numba does it."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:
        super().__init__(py_func, locals, targetoptions, _PartCompiler)

    def __call__(self, *args: Any, **kws: Any) -> Any:
        return self._alone(*args, **kws)

    @functools.cached_property
    def _alone(self) -> Any:
        return _njit(_nrt=False, error_model="numpy")(self.py_func)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Let callers compile a kernel once for each type of its arguments, not once for each constant they pass."""
        without_constant: Any = types.unliteral
        given = {key: without_constant(kws[key]) for key in kws}
        return super().get_call_template([without_constant(each) for each in args], given)


def _options(*, forceinline: bool) -> dict[str, Any]:
    """Numba's options for a part: Python and C never call it."""
    return {
        "_nrt": False,
        "error_model": "numpy",
        "forceinline": forceinline,
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    }


def kernel(function: F) -> F:
    """Compile a function that other kernels call."""
    if DISABLED:
        return function
    return cast(F, _Kernel(function, targetoptions={"nopython": True, **_options(forceinline=False)}))


def inlined(function: F) -> F:
    """Compile a function that LLVM must inline into its callers.

    That is for tiny functions, and for the few large ones that every turn of a deal goes through and that are called
    from one or two places. Between kernels numba passes records as pointers and results through memory, with a status
    to be looked at; without that a deal takes a fifth less time. What is rare stays a kernel, or the code would grow.
    """
    if DISABLED:
        return function
    return cast(F, _Kernel(function, targetoptions={"nopython": True, **_options(forceinline=True)}))


def form(plain: Any, checked: Any, compiled: Any) -> Any:
    """Which form of a function written for LLVM runs in this process."""
    if DISABLED:
        return plain
    return checked if CHECKED else compiled


def overloads(function: Callable[..., Any]) -> Callable[[F], F]:
    """Give a plain function a compiled form for some types of its arguments; as `inlined` otherwise."""
    options = {**_options(forceinline=True), "pipeline_class": _PartCompiler}
    return cast(Callable[[F], F], _overload(function, strict=False, jit_options=options))


def entry(signature: object, *, nrt: bool = False) -> Callable[[F], F]:
    """Compile a function that Python calls, for one signature, and keep it on disk."""

    def decorate(function: F) -> F:
        if DISABLED:
            return function
        return _cached(signature, nrt=nrt)(function)

    return decorate


def entry_on_call(signature: Any, *, nrt: bool = False) -> Callable[[F], F]:
    """As `entry`, but compile or load the function only when it is first called.

    Calls go straight to the compiled code of the one signature. That skips numba's look at the arguments, which for
    players (first-class functions) would warn at every call that they are experimental; callers must pass what the
    signature says.
    """

    def decorate(function: F) -> F:
        if DISABLED:
            return function

        @functools.cache
        def compiled() -> Callable[..., Any]:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning, message="First-class")
                dispatcher: Any = _cached(signature, nrt=nrt)(function)
            return cast(Callable[..., Any], dispatcher.get_overload(signature.args))

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            return compiled()(*args)

        return cast(F, call)

    return decorate


def record_type(dtype: np.dtype[Any]) -> Any:
    """Numba's type of one record of a structured dtype."""
    return numba.from_dtype(dtype)


def _cached(signature: object, *, nrt: bool) -> Callable[[F], F]:
    """``njit`` with a disk cache in our own folder; numba's setting for other people's functions is left as it was."""
    _spare_blas()
    folder = kernel_cache()
    decorate = _njit(
        signature,
        _nrt=nrt,
        error_model="numpy",
        nogil=True,
        cache=folder is not None,
        pipeline_class=_EntryCompiler,
    )

    def with_folder(function: F) -> F:
        if folder is None:
            with _collecting_no_garbage():
                return cast(F, decorate(function))
        drop_damaged(folder)
        before = _config.CACHE_DIR
        _config.CACHE_DIR = str(folder)
        try:
            with _collecting_no_garbage():
                return cast(F, decorate(function))
        finally:
            _config.CACHE_DIR = before
            note_checksums(folder)

    return with_folder


@contextmanager
def _collecting_no_garbage() -> Iterator[None]:
    """Let Python not look for garbage: numba keeps nearly all that it makes, and looking took a sixth of its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@functools.cache
def _spare_blas() -> None:
    """Let numba get ready without scipy's linear algebra, an eighth of a second of every start that no kernel needs.

    Numba imports it only to see whether it is there (it is: mjsim requires scipy), and again where a function is
    compiled that multiplies matrices.
    """
    linalg: Any = importlib.import_module("numba.np.linalg")
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        arraymath: Any = importlib.import_module("numba.np.arraymath")
        arraymath.ensure_blas = ensure_blas
    finally:
        linalg.ensure_blas = ensure_blas


@functools.cache
def drop_damaged(folder: Path) -> None:
    """Delete what is not as it was written, once in a process: numba would load it, and may crash."""
    for file in _compiled_files(folder):
        checksum = _read(_checksum_of(file))
        content = _read(file)
        if content is None:
            continue
        # A file without a checksum is another process's, about to get one, unless it is old.
        fresh = checksum is None and time.time() - file.stat().st_mtime < _FRESH_SECONDS
        if not fresh and checksum != _digest(content):
            file.unlink(missing_ok=True)
            _checksum_of(file).unlink(missing_ok=True)


def note_checksums(folder: Path) -> None:
    """Put a checksum beside each file that is new or written again."""
    for file in _compiled_files(folder):
        content = _read(file)
        if content is not None and _read(_checksum_of(file)) != _digest(content):
            write_atomically(_checksum_of(file), _digest(content))


def _compiled_files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.suffix in (".nbi", ".nbc")]


def _checksum_of(file: Path) -> Path:
    return file.with_name(file.name + ".sha256")


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


@functools.cache
def kernel_cache() -> Path | None:
    """Folder for compiled code, or None (after one warning) where none can be written."""
    home = cache_home()
    if home is None:
        return None
    return home / "kernels" / _fingerprint()


def _fingerprint() -> str:
    """Hash of everything that compiled code depends on: all of mjsim but the folders that no kernel imports."""
    digest = hashlib.sha256()
    package = Path(__file__).parent
    for source in sorted(package.rglob("*.py")):
        if source.relative_to(package).parts[0] in _NO_KERNELS:
            continue
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    for distribution in ("numba", "llvmlite", "numpy"):
        digest.update(f"{distribution} {metadata.version(distribution)}".encode())
    processor = os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name()
    digest.update(f"{platform.python_version()} {platform.machine()} {processor}".encode())
    digest.update(os.environ.get("NUMBA_CPU_FEATURES", "").encode())
    digest.update(b"checked" if CHECKED else b"")
    return digest.hexdigest()[:16]
