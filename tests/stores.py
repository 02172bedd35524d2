"""A store of objects for tests, which other processes see too: files of a folder, under URLs of their own.

``shelf://ANYTHING/PATH`` is the file ``/PATH``; what stands for ANYTHING may have a name and a password.
"""

from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

PROTOCOL = "shelf"


class Shelf(LocalFileSystem):  # type: ignore[misc]  # fsspec has no types
    """Files as objects.

    Attributes
    ----------
    fails : dict
        What is raised instead of the n-th write from now on, by n.
    half : bool
        Whether only half of what is written arrives.
    """

    protocol = PROTOCOL
    fails: dict[int, Exception]
    half = False
    _writes = 0

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        text = str(path)
        return super()._strip_protocol("/" + text.partition("://")[2].partition("/")[2] if "://" in text else text)

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_options: Any) -> None:
        """Put an object there."""
        Shelf._writes += 1
        if error := Shelf.fails.get(Shelf._writes):
            raise error
        with Path(path).open("xb" if mode == "create" else "wb") as file:
            file.write(value[: len(value) // 2] if self.half else value)

    @classmethod
    def mend(cls, fails: dict[int, Exception] | None = None) -> None:
        """Let it work again, but for some writes from now on."""
        Shelf.fails, Shelf.half, Shelf._writes = fails or {}, False, 0


Shelf.mend()
fsspec.register_implementation(PROTOCOL, Shelf, clobber=True)


def known_to_all(folder: Path) -> Path:
    """Make fsspec know the store in every process that has a folder on its ``PYTHONPATH``."""
    info = folder / "shelf-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[fsspec.specs]\n{PROTOCOL} = tests.stores:Shelf\n")
    return folder
