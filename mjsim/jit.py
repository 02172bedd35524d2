"""The one place that owns the jit decorator, its flags and its cache.

Three decorators: `entry` for functions that Python calls (cached on disk, the interpreter lock released), `kernel` for
functions that kernels call, and `inlined` for tiny ones and for what every turn of a deal goes through. None of them
counts references (``_nrt=False``): kernels allocate nothing and work on records and arrays that their caller keeps
alive, and counting cost more than the work.

Numba's own cache does not notice an edited callee in another module. So compiled code is kept in a folder named by a
hash of all kernel sources, the versions of numba, llvmlite and numpy, and the processor; a stale kernel cannot be
loaded. ``MJSIM_CACHE_DIR`` moves the cache (compiled code and tables); where no folder can be written, everything is
built anew in each process, after one warning. ``NUMBA_DISABLE_JIT=1`` runs every kernel as plain Python, with the
same results.
"""

import functools
import hashlib
import importlib
import os
import platform
import time
import warnings
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numba.extending
import numpy as np
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning

from mjsim.cache import cache_home, write_atomically

_NO_KERNELS = ("cli", "coverage", "transcript")
_FRESH_SECONDS = 60

F = TypeVar("F", bound=Callable[..., Any])

# Numba is typed in part; what is not typed, or is private (`_nrt`), goes through these.
_njit: Any = numba.njit
_config: Any = numba.config
_overload: Any = numba.extending.overload

DISABLED: bool = bool(_config.DISABLE_JIT)


def kernel(function: F) -> F:
    """Compile a function that other kernels call."""
    return cast(F, _for_types_only(_njit(_nrt=False, error_model="numpy")(function)))


def inlined(function: F) -> F:
    """Compile a function that LLVM must inline into its callers.

    That is for tiny functions, and for the few large ones that every turn of a deal goes through and that are called
    from one or two places. Between kernels numba passes records as pointers and results through memory, with a status
    to be looked at; without that a deal takes a fifth less time. What is rare stays a kernel, or the code would grow.
    """
    return cast(F, _for_types_only(_njit(_nrt=False, error_model="numpy", forceinline=True)(function)))


def overloads(function: Callable[..., Any]) -> Callable[[F], F]:
    """Give a plain function a compiled form for some types of its arguments; as `inlined` otherwise."""
    options = {"_nrt": False, "error_model": "numpy", "forceinline": True}
    return cast(Callable[[F], F], _overload(function, strict=False, jit_options=options))


def _for_types_only(dispatcher: Any) -> Any:
    """Let callers compile a kernel once for each type of its arguments, not once for each constant they pass."""
    if not DISABLED:
        resolve = dispatcher.get_call_template
        without_constant: Any = types.unliteral

        def resolve_types(args: Any, kws: Any) -> Any:
            return resolve([without_constant(each) for each in args], {key: without_constant(kws[key]) for key in kws})

        dispatcher.get_call_template = resolve_types
    return dispatcher


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
    decorate = _njit(signature, _nrt=nrt, error_model="numpy", nogil=True, cache=folder is not None)

    def with_folder(function: F) -> F:
        if folder is None:
            return cast(F, decorate(function))
        drop_damaged(folder)
        before = _config.CACHE_DIR
        _config.CACHE_DIR = str(folder)
        try:
            return cast(F, decorate(function))
        finally:
            _config.CACHE_DIR = before
            note_checksums(folder)

    return with_folder


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
    return digest.hexdigest()[:16]
