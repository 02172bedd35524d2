"""A lock on a run folder, so that two runs never write into one; it ends with its process, however that ends."""

import os
import sys
from pathlib import Path
from typing import Final

from mjsim.errors import RunError

LOCK_NAME: Final = "run.lock"


class FolderLock:
    """Holds a folder against every other process, and against others in this one.

    The operating system lets go of it when the process dies, so that a file left behind locks nobody out.

    Parameters
    ----------
    folder : pathlib.Path
        Must be there and writable.

    Raises
    ------
    RunError
        Where another one holds it.
    OSError
        Where no file can be made or locked there.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK_NAME
        while True:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                _lock(self._handle)
            except BlockingIOError:
                os.close(self._handle)
                raise RunError(
                    f"{folder}: another run is being written there; wait for its end, or choose another output folder"
                ) from None
            except OSError:
                os.close(self._handle)
                raise
            if self.is_held():
                return
            os.close(self._handle)  # whoever held it before has just removed the file

    def is_held(self) -> bool:
        """Whether the folder is still the one that was locked: neither removed nor put in another's place."""
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._handle))
        except OSError:
            return False

    def release(self) -> None:
        """Let others have the folder, and remove the file."""
        mine = self.is_held()
        if sys.platform == "win32":  # which removes no file that is open
            os.close(self._handle)
        if mine:
            self._path.unlink(missing_ok=True)
        if sys.platform != "win32":
            os.close(self._handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
