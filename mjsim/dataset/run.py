"""The run folder: ``run.json`` and shards of 2^20 deals in Parquet.

A run is written under a temporary name and renamed when its manifest is complete, so a folder with a ``run.json`` is
whole.
"""

import hashlib
import os
import platform
import shutil
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mjsim.dataset.columns import COLUMNS
from mjsim.dataset.frames import Columns, to_pandas, to_polars
from mjsim.errors import RunError
from mjsim.rules import Ruleset
from mjsim.rules.check import MOST_PROBLEMS_SHOWN, printable, show_path
from mjsim.workers import undisturbed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

#: Version of the folder's layout and of the columns.
FORMAT_VERSION: Final = 1
#: Rises whenever any golden deal changes.
RESULTS_VERSION: Final = 1
#: Deals in one shard, whatever the chunks were.
SHARD_DEALS: Final = 1 << 20
MANIFEST_NAME: Final = "run.json"
#: Bytes of a manifest: more than 10^12 deals need.
LARGEST_MANIFEST: Final = 512 << 20


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PlayerEntry(_Strict):
    """Who sat in a seat."""

    name: str
    source_hash: str


class Shard(_Strict):
    """One Parquet file of the run."""

    file: str = Field(pattern=r"^deals-[0-9]{5,7}\.parquet$")
    first: int = Field(ge=0)
    deals: int = Field(ge=1)
    sha256: str
    bytes: int = Field(ge=1)


class Manifest(_Strict):
    """What ``run.json`` says: everything needed to make the run again."""

    format_version: int
    results_version: int
    status: Literal["complete", "interrupted"]
    ruleset: dict[str, Any]
    players: list[PlayerEntry] = Field(min_length=4, max_length=4)
    seed: int = Field(ge=0, lt=1 << 64)
    session_length: int = Field(ge=1)
    fish: int = Field(ge=0, le=2)
    first: int = Field(ge=0)
    deals: int = Field(ge=0)
    software: dict[str, str]
    command: str
    shards: list[Shard]


def software_versions() -> dict[str, str]:
    """Versions of everything that made the numbers."""
    versions = {"python": platform.python_version()}
    versions.update({name: metadata.version(name) for name in ("mjsim", "numba", "numpy", "polars")})
    return versions


def refuse_existing(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that is there already, or a name that no folder can have."""
    _check_name(folder)
    try:
        os.lstat(folder)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise RunError(f"{folder}: cannot be written: {getattr(error, 'strerror', error)}") from None
    raise RunError(f"{folder}: exists already; choose another output folder or remove it")


def _check_name(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that Parquet's reader could not find: it knows no names but text."""
    try:
        os.fsdecode(folder).encode("utf-8")
    except UnicodeEncodeError:
        raise RunError(f"{printable(os.fsdecode(folder))}: the folder's name is not UTF-8 text; rename it") from None


def _write(frame: "pl.DataFrame", path: Path) -> None:
    with path.open("wb") as file:
        frame.write_parquet(file, compression="zstd", compression_level=1)


class RunWriter:
    """Writes a run folder shard by shard.

    Parameters
    ----------
    folder : path
        Must not exist; its parent must be writable.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.shards: list[Shard] = []
        refuse_existing(self.folder)
        self._made: list[Path] = []
        try:
            self._make_parents()
            self._work = Path(tempfile.mkdtemp(dir=self.folder.parent, prefix=f".{self.folder.name}."))
        except OSError as error:
            self._remove_parents()
            raise RunError(f"{self.folder}: cannot be written: {error.strerror}") from error

    def _make_parents(self) -> None:
        missing = [parent for parent in self.folder.parents if not parent.exists()]
        for parent in reversed(missing):
            parent.mkdir(exist_ok=True)
            self._made.append(parent)

    def _remove_parents(self) -> None:
        for parent in reversed(self._made):
            if not any(parent.iterdir()):
                parent.rmdir()

    def add(self, first: int, columns: Columns) -> None:
        """Write one shard, using up the columns."""
        from polars.exceptions import PolarsError

        deals = len(columns["deal"])
        name = f"deals-{len(self.shards):05d}.parquet"
        path = self._work / name
        try:
            frame = to_polars(columns, consume=True)
            undisturbed(lambda: _write(frame, path))
            content = hashlib.sha256()
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    content.update(block)
        except (OSError, PolarsError) as error:
            raise RunError(f"{self.folder}: cannot be written: {error}") from error
        shard = Shard(
            file=name,
            first=first,
            deals=deals,
            sha256=content.hexdigest(),
            bytes=path.stat().st_size,
        )
        self.shards.append(shard)

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest and give the folder its name."""
        try:
            (self._work / MANIFEST_NAME).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
            self._work.chmod(0o755)
            self._work.rename(self.folder)
        except OSError as error:
            raise RunError(f"{self.folder}: cannot be written: {error.strerror}") from error

    def abandon(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self._work, ignore_errors=True)
        self._remove_parents()


class Run:
    """A run folder that has been written.

    Attributes
    ----------
    folder : pathlib.Path
    manifest : Manifest
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest

    @property
    def rules(self) -> Ruleset:
        """The ruleset it was played under."""
        return Ruleset.from_dict(self.manifest.ruleset, source=str(self.folder / MANIFEST_NAME))

    def scan(self) -> "pl.LazyFrame":
        """All deals as a lazy polars frame, read as they are needed."""
        import polars as pl

        return pl.scan_parquet([self.folder / shard.file for shard in self.manifest.shards])

    def to_polars(self) -> "pl.DataFrame":
        """All deals as a polars frame."""
        return self.scan().collect()

    def to_pandas(self) -> "pd.DataFrame":
        """All deals as a pandas frame."""
        frame = self.to_polars()
        return to_pandas(
            {
                column.name: (frame[column.name].cat.physical() if column.labels else frame[column.name]).to_numpy()
                for column in COLUMNS
            }
        )


def _read_manifest(file: Path) -> Manifest:
    try:
        with file.open("rb") as opened:
            text = opened.read(LARGEST_MANIFEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(f"{file.parent}: is not a run folder ({MANIFEST_NAME} is missing)") from None
    except (OSError, ValueError) as error:  # a ValueError: characters that no file name can hold
        raise RunError(f"{printable(str(file))}: cannot be read: {error}") from error
    if len(text) > LARGEST_MANIFEST:
        raise RunError(f"{file}: over {LARGEST_MANIFEST >> 20} MB, too large for a manifest")
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        found = [
            f"{show_path(str(part) for part in detail['loc']) or 'file'}: {detail['msg']}"
            for detail in error.errors(include_url=False, include_input=False)
        ]
    more = f"; and {len(found) - MOST_PROBLEMS_SHOWN:,} more" if len(found) > MOST_PROBLEMS_SHOWN else ""
    raise RunError(f"{file}: {'; '.join(found[:MOST_PROBLEMS_SHOWN])}{more}")


def open_run(folder: str | os.PathLike[str]) -> Run:
    """Open a run folder.

    Parameters
    ----------
    folder : path
        A folder that `mjsim simulate --out` or `Simulation.write` made.

    Raises
    ------
    RunError
        If it is no run, of another version, or a shard is missing or has another size.
    """
    _check_name(folder)
    path = Path(folder)
    file = path / MANIFEST_NAME
    manifest = _read_manifest(file)
    if manifest.format_version != FORMAT_VERSION:
        raise RunError(f"{file}: format_version {manifest.format_version}; this mjsim reads version {FORMAT_VERSION}")
    if not manifest.shards:
        raise RunError(f"{file}: the run holds no deals")
    expected = manifest.first
    for shard in manifest.shards:
        if shard.first != expected:
            raise RunError(f"{file}: {shard.file} starts with deal {shard.first}, not {expected}")
        expected += shard.deals
        part = path / shard.file
        if not part.is_file():
            raise RunError(f"{part}: is missing")
        if part.stat().st_size != shard.bytes:
            raise RunError(f"{part}: has {part.stat().st_size} bytes, not {shard.bytes} as {MANIFEST_NAME} says")
    if expected != manifest.first + manifest.deals:
        raise RunError(f"{file}: deals is {manifest.deals}, but the shards hold {expected - manifest.first}")
    run = Run(path, manifest)
    run.rules.digest()  # refuses a ruleset that has been damaged
    return run
