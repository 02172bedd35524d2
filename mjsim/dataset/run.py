"""The run folder: ``run.json`` and shards of 2^20 deals in Parquet.

``run.json`` has the checksum of every shard that is finished, and one of itself. It is written before the first shard,
and anew as shards are finished, so that a folder is at any moment a run that was interrupted there.
"""

import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from pydantic import Field, ValidationError

from mjsim.dataset import shards
from mjsim.dataset.frames import from_polars, to_pandas
from mjsim.dataset.shards import (
    SHARD_FILES,
    Shard,
    Strict,
    scan_shards,
    sha256_of,
    shard_faults,
    shard_name,
    size_fault,
    unchanged_bytes,
)
from mjsim.dataset.storage import LocalFolder, Storage, storage_at
from mjsim.errors import RunError
from mjsim.rules import Ruleset
from mjsim.rules.check import MOST_PROBLEMS_SHOWN, printable, show_path
from mjsim.workers import Interrupts

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

#: Version of the folder's layout and of the columns. Version 1 had no checksum of ``run.json`` itself.
FORMAT_VERSION: Final = 2
READABLE_VERSIONS: Final = (1, 2)
#: Rises whenever any golden deal changes.
RESULTS_VERSION: Final = 1
#: Deals in one shard, whatever the chunks were.
SHARD_DEALS: Final = 1 << 20
MANIFEST_NAME: Final = shards.MANIFEST_NAME
#: Bytes of a manifest: more than 10^12 deals need.
LARGEST_MANIFEST: Final = 512 << 20


class PlayerEntry(Strict):
    """Who sat in a seat."""

    name: str
    source_hash: str


class CountsFile(Strict):
    """The file that holds what the deals came to, in a run that keeps no deals."""

    file: str = Field(pattern=r"^counts-[0-9]+\.json$")
    sha256: str
    bytes: int = Field(ge=1)
    deals: int = Field(ge=1)


class Manifest(Strict):
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
    counts: CountsFile | None = None
    keeps: Literal["deals", "counts"] = "deals"
    digest: str = ""

    @property
    def deals_there(self) -> int:
        """How many deals the files hold, or count."""
        if self.keeps == "counts":
            return 0 if self.counts is None else self.counts.deals
        return sum(shard.deals for shard in self.shards)

    def content_digest(self) -> str:
        """SHA-256 of everything else that it says."""
        return sha256_of(self.model_dump_json(exclude={"digest"}).encode())

    def sealed(self) -> Self:
        """The same with its digest."""
        return self.model_copy(update={"digest": self.content_digest()})


def counts_name(deals: int) -> str:
    """File name of the counts of so many deals: another one each time they are saved.

    >>> counts_name(1000)
    'counts-1000.json'
    """
    return f"counts-{deals}.json"


def software_versions() -> dict[str, str]:
    """Versions of everything that made the numbers."""
    versions = {"python": platform.python_version()}
    versions.update({name: metadata.version(name) for name in ("mjsim", "numba", "numpy", "polars")})
    return versions


class Run:
    """A run folder that has been written.

    Attributes
    ----------
    storage : Storage
        Where it is kept.
    manifest : Manifest
    """

    def __init__(self, storage: Storage, manifest: Manifest) -> None:
        self.storage = storage
        self.manifest = manifest
        self._is_checked = False

    @property
    def folder(self) -> Path | str:
        """Its folder, or where it has none its URL, without passwords."""
        return self.storage.path if isinstance(self.storage, LocalFolder) else str(self.storage)

    @property
    def rules(self) -> Ruleset:
        """The ruleset it was played under."""
        return Ruleset.from_dict(self.manifest.ruleset, source=self.storage.shown(MANIFEST_NAME))

    def check(self) -> None:
        """Refuse the run if any shard has another checksum than when it was written; looks only once."""
        if self.manifest.keeps == "counts":
            raise RunError(
                f"{self.folder}: keeps counts and not the deals (it was made with --aggregate); play the deals into"
                " another folder without it"
            )
        if self._is_checked:
            return
        with Interrupts() as interrupts:
            found = [fault for fault in shard_faults(self.storage, self.manifest.shards, interrupts) if fault]
        if found:
            others = f" ({len(found) - 1} more like it)" if len(found) > 1 else ""
            raise RunError(f"{found[0]}{others}; mjsim simulate with --resume plays again what is damaged")
        self._is_checked = True

    def scan(self, *, check: bool = True) -> "pl.LazyFrame":
        """All deals as a lazy polars frame, read as they are needed.

        Parameters
        ----------
        check : bool
            Whether to check every shard's checksum first, which takes about a second for 100,000,000 deals. Where the
            run is not kept in a folder, each is checked when it is read.
        """
        import polars as pl

        if check and (self.manifest.keeps == "counts" or isinstance(self.storage, LocalFolder)):
            self.check()
        if not isinstance(self.storage, LocalFolder):
            return scan_shards(self.storage, self.manifest.shards)
        return pl.scan_parquet([self.storage.path / shard.file for shard in self.manifest.shards])

    def counts(self) -> bytes:
        """What is in the file of counts, in a run that keeps no deals.

        Raises
        ------
        RunError
            Where it has changed since it was written, or the run keeps deals.
        """
        if self.manifest.counts is None:
            raise RunError(f"{self.folder}: keeps deals and no counts (it was made without --aggregate)")
        return read_counts(self.storage, self.manifest.counts)

    def to_polars(self) -> "pl.DataFrame":
        """All deals as a polars frame."""
        return self.scan().collect()

    def to_pandas(self) -> "pd.DataFrame":
        """All deals as a pandas frame."""
        return to_pandas(from_polars(self.to_polars()))


def read_counts(storage: Storage, counts: CountsFile) -> bytes:
    """What is in a file of counts, whose checksum is checked."""
    return unchanged_bytes(storage, counts.file, counts.sha256)


def read_manifest(storage: Storage) -> Manifest:
    """What a run's ``run.json`` says, which must be of a version that can be read."""
    file = storage.shown(MANIFEST_NAME)
    try:
        text = storage.read(MANIFEST_NAME, LARGEST_MANIFEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(f"{storage}: is not a run folder ({MANIFEST_NAME} is missing)") from None
    except (OSError, ValueError) as error:  # a ValueError: characters that no file name can hold
        raise RunError(f"{printable(file)}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(text) > LARGEST_MANIFEST:
        raise RunError(f"{file}: over {LARGEST_MANIFEST >> 20} MB, too large for a manifest")
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        found = [
            f"{show_path(str(part) for part in detail['loc']) or 'file'}: {detail['msg']}"
            for detail in error.errors(include_url=False, include_input=False)
        ]
        more = f"; and {len(found) - MOST_PROBLEMS_SHOWN:,} more" if len(found) > MOST_PROBLEMS_SHOWN else ""
        raise RunError(f"{file}: {'; '.join(found[:MOST_PROBLEMS_SHOWN])}{more}") from None
    if manifest.format_version not in READABLE_VERSIONS:
        readable = " and ".join(map(str, READABLE_VERSIONS))
        raise RunError(f"{file}: format_version {manifest.format_version}; this mjsim reads versions {readable}")
    return manifest


def refuse_edited(storage: Storage, manifest: Manifest) -> None:
    """Refuse a manifest that says something else than when it was written, or a ruleset that cannot be."""
    file = storage.shown(MANIFEST_NAME)
    Ruleset.from_dict(manifest.ruleset, source=file).digest()
    if manifest.format_version > 1 and manifest.digest != manifest.content_digest():
        raise RunError(
            f"{file}: has changed since it was written (its digest differs);"
            " restore it, or play the run again into another folder"
        )


def _layout_faults(storage: Storage, manifest: Manifest) -> Iterator[str]:
    """What is wrong with the order and sizes of a run's shards."""
    file = storage.shown(MANIFEST_NAME)
    if manifest.keeps == "counts":
        if manifest.shards or manifest.deals_there != manifest.deals:
            yield f"{file}: deals is {manifest.deals}, but it names counts of {manifest.deals_there} deals"
        return
    try:
        sizes = storage.sizes(SHARD_FILES)
    except OSError as error:
        raise RunError(f"{storage}: cannot be read: {error.strerror}") from error
    expected = manifest.first
    for number, shard in enumerate(manifest.shards):
        if shard.first != expected:
            yield (
                f"{file}: {shard.file} starts with deal {shard.first}, not {expected};"
                " mjsim simulate with --resume plays deals that are missing"
            )
        if shard.file != shard_name(number):
            yield f"{file}: {shard.file} stands where {shard_name(number)} should"
        expected = shard.end
        if fault := size_fault(storage, shard, sizes.get(shard.file)):
            yield fault
    if expected != manifest.first + manifest.deals:
        yield f"{file}: deals is {manifest.deals}, but the shards hold {expected - manifest.first}"


def open_run(folder: str | os.PathLike[str] | Storage) -> Run:
    """Open a run folder.

    Parameters
    ----------
    folder : path, URL or Storage
        A folder that `mjsim simulate --out` or `Simulation.write` made, or its URL.

    Raises
    ------
    RunError
        If it is no run, of another version, its ``run.json`` has been changed, or a shard is missing or has another
        size. `Run.scan` also checks what the shards hold.
    RulesError
        If its ruleset has been changed to what cannot be one.
    """
    storage = storage_at(folder)
    manifest = read_manifest(storage)
    if not manifest.deals_there:
        raise RunError(
            f"{storage.shown(MANIFEST_NAME)}: the run holds no deals; mjsim simulate with --resume plays them"
        )
    for fault in _layout_faults(storage, manifest):
        raise RunError(fault)
    refuse_edited(storage, manifest)
    return Run(storage, manifest)
