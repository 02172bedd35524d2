"""Where a run is kept: a folder of this machine, or what a URL names and fsspec reaches, such as an object store.

Whoever writes or reads a run asks a `Storage` for whole files by name.
"""

import hashlib
import os
import re
from abc import ABC, abstractmethod
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Protocol

from mjsim.cache import write_atomically
from mjsim.dataset.lock import FolderLock
from mjsim.errors import RunError
from mjsim.rules.check import printable

#: What begins a URL: one protocol or several of fsspec's in a chain. One letter is a drive of Windows.
_URL: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]+::)*[A-Za-z][A-Za-z0-9+.-]+://")
#: Protocols of this machine's own folders.
_LOCAL: Final = ("file", "local")

#: In a URL: a name and a password (which may have a slash in it) before the machine's name; a token there, unless it is
#: Azure's name of a container; what stands after a question mark.
_PASSWORD: Final = re.compile(r"://[^/?\s:@]*:(?!\d+/)\S*@")
_TOKEN: Final = re.compile(r"(?<!\babfs)(?<!\babfss)(?<!\baz)://[^/?\s:@]*@")
_QUERY: Final = re.compile(r"(://[^?\s]*)\?\S+")


def is_url(text: str) -> bool:
    """Whether a text is a URL rather than the name of a file or folder.

    >>> is_url("s3://bucket/run"), is_url("runs/first"), is_url("C://run")
    (True, False, False)
    """
    return _URL.match(text) is not None


def without_secrets(text: str) -> str:
    """A text, such as a command, without the passwords and tokens of the URLs in it.

    >>> without_secrets("mjsim summary ftp://me:secret@host/run")
    'mjsim summary ftp://***@host/run'
    >>> without_secrets("abfs://container@account.dfs.core.windows.net/run?sig=secret")
    'abfs://container@account.dfs.core.windows.net/run?***'
    """
    for pattern, shown in ((_QUERY, r"\1?***"), (_PASSWORD, "://***@"), (_TOKEN, "://***@")):
        text = pattern.sub(shown, text)
    return text


class Lock(Protocol):
    """Holds a run against every other that would be written there."""

    def is_held(self) -> bool:
        """Whether what was locked is still there."""
        ...

    def release(self) -> None:
        """Let others have it."""
        ...


class Storage(ABC):
    """Where a run is kept, as whole files by name; its text is what messages call it.

    Everything raises OSError, with words in ``strerror``, where the files cannot be reached.
    """

    @abstractmethod
    def shown(self, name: str) -> str:
        """What messages call a file of it."""

    @abstractmethod
    def exists(self) -> bool:
        """Whether there is anything by its name."""

    @abstractmethod
    def is_folder(self) -> bool:
        """Whether files can be in it."""

    @abstractmethod
    def names(self, pattern: str = "*") -> list[str]:
        """Names of the files in it, and of anything else."""

    @abstractmethod
    def sizes(self, pattern: str) -> dict[str, int]:
        """Names and bytes of files in it."""

    @abstractmethod
    def size(self, name: str) -> int | None:
        """Bytes of a file; None where there is no such file."""

    @abstractmethod
    def read(self, name: str, most: int = -1) -> bytes:
        """What a file holds, or so many bytes of it."""

    @abstractmethod
    def sha256(self, name: str) -> str:
        """Checksum of a file, read from end to end."""

    @abstractmethod
    def write(self, name: str, data: bytes) -> None:
        """Put a file there, or in another's place, so that all of it is there for good when this returns."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    @abstractmethod
    def make(self, made: list[Path]) -> None:
        """Make it, adding all folders that are made to a list; raises FileExistsError."""

    @abstractmethod
    def unmake(self, made: list[Path]) -> None:
        """Remove what was made, where nothing is in it."""

    @abstractmethod
    def lock(self) -> Lock:
        """Hold it against every other run; raises RunError where another one holds it."""

    @abstractmethod
    def for_workers(self) -> "Storage":
        """The same as other processes and machines know it."""


class LocalFolder(Storage):
    """A folder of this machine, perhaps shared with others.

    Attributes
    ----------
    path : pathlib.Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def shown(self, name: str) -> str:
        """What messages call a file of it."""
        return str(self.path / name)

    def exists(self) -> bool:
        """Whether there is anything by its name."""
        try:
            os.lstat(self.path)
        except FileNotFoundError:
            return False
        return True

    def is_folder(self) -> bool:
        """Whether files can be in it."""
        return self.path.is_dir()

    def names(self, pattern: str = "*") -> list[str]:
        """Names of everything in it."""
        return [name for name in os.listdir(self.path) if fnmatchcase(name, pattern)]

    def sizes(self, pattern: str) -> dict[str, int]:
        """Names and bytes of files in it."""
        with os.scandir(self.path) as entries:
            return {
                each.name: each.stat().st_size for each in entries if fnmatchcase(each.name, pattern) and each.is_file()
            }

    def size(self, name: str) -> int | None:
        """Bytes of a file; None where there is no such file."""
        file = self.path / name
        return file.stat().st_size if file.is_file() else None

    def read(self, name: str, most: int = -1) -> bytes:
        """What a file holds, or so many bytes of it."""
        with (self.path / name).open("rb") as file:
            return file.read(most)

    def sha256(self, name: str) -> str:
        """Checksum of a file, read from end to end."""
        with (self.path / name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def write(self, name: str, data: bytes) -> None:
        """Put a file there: a temporary one, synced to the disk and renamed."""
        write_atomically(self.path / name, data, durable=True)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        (self.path / name).unlink(missing_ok=True)

    def make(self, made: list[Path]) -> None:
        """Make the folder and those that it stands in."""
        for parent in reversed([parent for parent in self.path.parents if not parent.exists()]):
            parent.mkdir(exist_ok=True)
            made.append(parent)
        self.path.mkdir()
        made.append(self.path)

    def unmake(self, made: list[Path]) -> None:
        """Remove the folders that were made, where nothing is in them."""
        for folder in reversed(made):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def lock(self) -> Lock:
        """Hold it through the operating system."""
        return FolderLock(self.path)

    def for_workers(self) -> Storage:
        """The same by its absolute name."""
        return LocalFolder(self.path.absolute())


def storage_at(folder: "str | os.PathLike[str] | Storage") -> Storage:
    """Where a run is kept, by its name: a path, or a URL that fsspec knows.

    Raises
    ------
    RunError
        Where nothing can be kept under such a name, or what reaches it is not installed.

    Examples
    --------
    >>> type(storage_at("runs/first")).__name__
    'LocalFolder'
    """
    if isinstance(folder, Storage):
        return folder
    name = os.fsdecode(folder)
    try:  # Parquet's reader knows no names but text
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise RunError(f"{printable(name)}: the folder's name is not UTF-8 text; rename it") from None
    if not is_url(name):
        return LocalFolder(Path(name))
    from mjsim.dataset.remote import ObjectStore, local_path

    return LocalFolder(local_path(name)) if name.partition("://")[0] in _LOCAL else ObjectStore(name).reached()
