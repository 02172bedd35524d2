"""A run that is kept where a URL says, by any file system that fsspec knows: object stores, and others.

A file is put there whole. Stores of objects show all of it or nothing; where one shows files that are half written,
their sizes and checksums tell. The lock is an object too, which nobody takes away from a run that was killed.
"""

import errno
import hashlib
import json
import os
import socket
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from inspect import signature
from pathlib import Path
from typing import Any, Final

from mjsim.dataset.lock import LOCK_NAME
from mjsim.dataset.storage import Lock, Storage, without_secrets
from mjsim.errors import RunError

#: What tells this process from another one with its number, before or after it.
_PROCESS: Final = uuid.uuid4().hex
#: Characters shown of what a store says is wrong.
_MOST_SHOWN: Final = 300
_ADVICE: Final = "are the URL, the network and the credentials right?"


def local_path(url: str) -> Path:
    """The path that ``file://`` names."""
    return Path(_filesystem(url)[1])


def _filesystem(url: str) -> tuple[Any, str]:
    """The file system that a URL names, and the path there; says what is wrong where there is none."""
    shown = without_secrets(url)
    if "?" in url:
        raise RunError(
            f"{shown}: the URL of a run has nothing after a question mark; give credentials as docs/cluster.md says"
        )
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise RunError(f"{shown}: a URL needs fsspec; install it with: pip install 'mjsim[remote]'") from None
    try:
        filesystem, path = url_to_fs(url)
    except ImportError as error:
        raise RunError(
            f"{shown}: needs another package ({_reason(url, error)}); install it beside mjsim, on every machine that"
            " plays or reads"
        ) from error
    except ValueError as error:
        raise RunError(
            f"{shown}: fsspec knows no such place ({_reason(url, error)}); is it written rightly?"
        ) from error
    except Exception as error:  # every store has exceptions of its own
        raise RunError(f"{shown}: cannot be reached ({_reason(url, error)}); {_ADVICE}") from error
    return filesystem, str(path).rstrip("/")


def _reason(url: str, error: Exception) -> str:
    """What an exception says, in one line and without the secrets of the URL."""
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    words = words.replace(url, without_secrets(url))
    user = url.rpartition("@")[0].rpartition("://")[2]
    for secret in (user, user.partition(":")[2]):
        if secret and without_secrets(url) != url:
            words = words.replace(secret, "***")
    return without_secrets(words).partition("\n")[0][:_MOST_SHOWN]


class ObjectStore(Storage):
    """Files under a URL.

    It may travel to other processes, which reach the store by themselves.
    """

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._found: tuple[Any, str] | None = None

    def __str__(self) -> str:
        return without_secrets(self._url)

    def __repr__(self) -> str:
        return f"<ObjectStore: {self}>"

    def __reduce__(self) -> tuple[type["ObjectStore"], tuple[str]]:
        return ObjectStore, (self._url,)

    def reached(self) -> "ObjectStore":
        """Itself, where its file system is there; raises RunError where not."""
        self._filesystem()
        return self

    def _filesystem(self) -> tuple[Any, str]:
        if self._found is None:
            self._found = _filesystem(self._url)
        return self._found

    @contextmanager
    def _asking(self, name: str = "") -> Iterator[tuple[Any, str]]:
        """The file system and a path there, with nothing remembered of what others have changed.

        Whatever it raises becomes an OSError with words.
        """
        filesystem, path = self._filesystem()
        try:
            filesystem.invalidate_cache()
            yield filesystem, f"{path}/{name}" if name else path
        except (FileNotFoundError, FileExistsError) as error:
            number = errno.ENOENT if isinstance(error, FileNotFoundError) else errno.EEXIST
            raise OSError(number, os.strerror(number)) from error  # which is of the same type
        except Exception as error:  # every store has exceptions of its own
            reason = _reason(self._url, error)
            if isinstance(error, OSError) and error.errno:
                raise OSError(error.errno, reason) from error
            raise OSError(errno.EIO, f"{reason} ({_ADVICE})") from error

    def shown(self, name: str) -> str:
        """What messages call a file of it."""
        return f"{self}/{name}"

    def exists(self) -> bool:
        """Whether there is anything by its name."""
        with self._asking() as (filesystem, path):
            return bool(filesystem.exists(path))

    def is_folder(self) -> bool:
        """Whether it is no object itself."""
        with self._asking() as (filesystem, path):
            return not filesystem.isfile(path)

    def names(self, pattern: str = "*") -> list[str]:
        """Names of the objects in it."""
        return list(self._listed(pattern))

    def sizes(self, pattern: str) -> dict[str, int]:
        """Names and bytes of objects in it."""
        return {name: each["size"] for name, each in self._listed(pattern).items() if each["type"] == "file"}

    def _listed(self, pattern: str) -> dict[str, Any]:
        try:
            with self._asking() as (filesystem, path):
                entries = filesystem.ls(path, detail=True)
        except FileNotFoundError:
            return {}
        # Some list a mark of the folder itself.
        named = {each["name"].rstrip("/").rpartition("/")[2]: each for each in entries if each["name"] != path}
        return {name: each for name, each in named.items() if name and fnmatchcase(name, pattern)}

    def size(self, name: str) -> int | None:
        """Bytes of an object; None where there is none."""
        try:
            with self._asking(name) as (filesystem, path):
                found = filesystem.info(path)
        except FileNotFoundError:
            return None
        return int(found["size"]) if found["type"] == "file" else None

    def read(self, name: str, most: int = -1) -> bytes:
        """What an object holds, or so many bytes of it."""
        with self._asking(name) as (filesystem, path):
            if most < 0:
                return bytes(filesystem.cat_file(path))
            with filesystem.open(path, "rb") as file:
                return bytes(file.read(most))

    def sha256(self, name: str) -> str:
        """Checksum of an object, read from end to end."""
        return hashlib.sha256(self.read(name)).hexdigest()

    def write(self, name: str, data: bytes) -> None:
        """Put an object there, whole, and look whether it has arrived."""
        try:
            with self._asking(name) as (filesystem, path):
                filesystem.pipe_file(path, data)
        except FileNotFoundError:
            raise OSError(errno.ENOENT, "what is to hold it is not there; make it first") from None
        if (size := self.size(name)) != len(data):
            raise OSError(errno.EIO, f"{name} has arrived with {size} bytes of {len(data)}")

    def write_new(self, name: str, data: bytes) -> None:
        """Put an object there if there is none, in one step where the store can; raises FileExistsError."""
        if self.size(name) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        with self._asking(name) as (filesystem, path):
            exclusively = {"mode": "create"} if "mode" in signature(filesystem.pipe_file).parameters else {}
            filesystem.pipe_file(path, data, **exclusively)

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        with suppress(FileNotFoundError), self._asking(name) as (filesystem, path):
            filesystem.rm_file(path)

    def make(self, made: list[Path]) -> None:
        """Make the folder, in a store that has such; raises FileExistsError where anything is there."""
        if self.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        try:
            with self._asking() as (filesystem, path):
                # What it stands in is not made: that may be a bucket, which costs money.
                with suppress(NotImplementedError):
                    filesystem.mkdir(path, create_parents=False)
                made.append(Path(path))
        except FileNotFoundError:
            raise OSError(errno.ENOENT, "what is to hold it is not there; make it first") from None

    def unmake(self, made: list[Path]) -> None:
        """Remove the folder, in a store that has such, where nothing is in it."""
        with self._asking() as (filesystem, path):
            if made and filesystem.isdir(path) and not filesystem.ls(path):
                filesystem.rmdir(path)

    def lock(self) -> Lock:
        """Hold it through an object."""
        return ObjectLock(self)

    def for_workers(self) -> Storage:
        """Itself: a URL means the same everywhere."""
        return self


class ObjectLock:
    """Holds a store against other runs by an object that says who holds it.

    Where the store cannot put an object only if there is none, two that begin in the same moment may both believe that
    they hold it, until one of them looks again, which it does before it records anything.

    Parameters
    ----------
    store : ObjectStore

    Raises
    ------
    RunError
        Where another one holds it. One that was killed on this machine is known to be dead.
    OSError
        Where no object can be put there.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._mark = json.dumps(
            {"host": socket.gethostname(), "process": os.getpid(), "started": _PROCESS, "run": uuid.uuid4().hex}
        ).encode()
        try:
            store.write_new(LOCK_NAME, self._mark)
        except FileExistsError:
            host, process, started = self._holder()
            if host != socket.gethostname() or _is_alive(process, started):
                raise self._refusal(host, process) from None
            store.write(LOCK_NAME, self._mark)
        if not self.is_held():
            raise self._refusal(*self._holder()[:2])

    def _holder(self) -> tuple[str, object, object]:
        """Who holds it: a machine, a process and its mark."""
        try:
            holder = json.loads(self._store.read(LOCK_NAME))
            return str(holder["host"]), holder["process"], holder["started"]
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return "an unknown machine", None, None

    def _refusal(self, host: str, process: object) -> RunError:
        return RunError(
            f"{self._store}: another run is being written there (by process {process} of {host}); wait for its end, or"
            f" choose another output folder; if it was killed, remove {self._store.shown(LOCK_NAME)}"
        )

    def is_held(self) -> bool:
        """Whether the object is there and says the same."""
        try:
            return self._store.read(LOCK_NAME) == self._mark
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Remove the object."""
        if self.is_held():
            self._store.remove(LOCK_NAME)


def _is_alive(process: object, started: object) -> bool:
    """Whether a process of this machine may be alive; only what is surely dead is said to be."""
    if process == os.getpid():
        return started == _PROCESS
    if sys.platform == "win32" or not isinstance(process, int) or process < 1:  # Windows has no signal to ask with
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
