"""Where things that can be made again are kept: compiled kernels and evaluator tables."""

import functools
import os
import tempfile
import warnings
from pathlib import Path

import platformdirs


@functools.cache
def cache_home() -> Path | None:
    """Folder for this user's cache, or None (after one warning) where none can be written.

    ``MJSIM_CACHE_DIR`` if set, else the platform's usual cache folder.
    """
    folder = Path(os.environ.get("MJSIM_CACHE_DIR") or platformdirs.user_cache_path("mjsim", appauthor=False))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        warnings.warn(
            f"no cache: {folder} cannot be written ({error.strerror}); tables and kernels are built anew in every"
            " process. Set MJSIM_CACHE_DIR to a writable folder.",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return folder


def write_atomically(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file so that other processes see all of it or nothing.

    With ``durable`` the same holds after a power cut: it is on the disk when this returns. Its folder must be there.
    """
    if not durable:
        path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        # What mkstemp makes only its owner may read; the result has the usual permissions.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if durable and os.name == "posix":
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
