"""The run folder: ``run.json`` and shards of 2^20 deals in Parquet.

``run.json`` has the checksum of every shard that is finished, and one of itself. It is written before the first shard,
and anew after each, so that a folder is at any moment a run that was interrupted there.
"""

import hashlib
import io
import os
import platform
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mjsim.dataset.frames import from_polars, to_pandas
from mjsim.errors import RunError
from mjsim.rules import Ruleset
from mjsim.rules.check import MOST_PROBLEMS_SHOWN, printable, show_path
from mjsim.workers import Interrupts, run_chunks

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

    @property
    def end(self) -> int:
        """The deal after its last."""
        return self.first + self.deals


class CountsFile(_Strict):
    """The file that holds what the deals came to, in a run that keeps no deals."""

    file: str = Field(pattern=r"^counts-[0-9]+\.json$")
    sha256: str
    bytes: int = Field(ge=1)
    deals: int = Field(ge=1)


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


def shard_name(number: int) -> str:
    """File name of a shard, by its number in the run.

    >>> shard_name(3)
    'deals-00003.parquet'
    """
    return f"deals-{number:05d}.parquet"


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


def check_name(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that Parquet's reader could not find: it knows no names but text."""
    try:
        os.fsdecode(folder).encode("utf-8")
    except UnicodeEncodeError:
        raise RunError(f"{printable(os.fsdecode(folder))}: the folder's name is not UTF-8 text; rename it") from None


def size_fault(folder: Path, shard: Shard) -> str | None:
    """What is wrong with a shard at first sight: it is not there, or has another size."""
    part = folder / shard.file
    if not part.is_file():
        return f"{part}: is missing"
    if (size := part.stat().st_size) != shard.bytes:
        return f"{part}: has {size} bytes, not {shard.bytes} as {MANIFEST_NAME} says"
    return None


def shard_fault(folder: Path, shard: Shard) -> str | None:
    """What is wrong with a shard, read from end to end."""
    if fault := size_fault(folder, shard):
        return fault
    part = folder / shard.file
    try:
        with part.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"{part}: cannot be read: {error.strerror}"
    return None if found == shard.sha256 else checksum_fault(part)


def checksum_fault(part: Path) -> str:
    """What is said of a shard with another checksum."""
    return f"{part}: has changed since it was written: its checksum is not the one in {MANIFEST_NAME}"


def sha256_of(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def unchanged_bytes(part: Path, sha256: str) -> bytes:
    """What is in a file, which must have this checksum."""
    try:
        data = part.read_bytes()
    except OSError as error:
        raise RunError(f"{part}: cannot be read: {error.strerror}") from error
    if sha256_of(data) != sha256:
        raise RunError(checksum_fault(part))
    return data


def shard_batches(folder: Path, shard: Shard, rows: int) -> "Iterator[pl.DataFrame]":
    """The deals of a shard, so many rows at a time; its checksum is checked on the very bytes that are read."""
    import polars as pl
    from polars.exceptions import PolarsError

    part = folder / shard.file
    data = unchanged_bytes(part, shard.sha256)
    try:
        file = pl.scan_parquet(io.BytesIO(data))
        height = file.select(pl.len()).collect().item()
        for start in range(0, max(height, 1), rows):
            yield file.slice(start, rows).collect()
    except PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise RunError(f"{part}: cannot be read as Parquet, though its checksum is right ({reason})") from error


def read_shard(folder: Path, shard: Shard) -> "pl.DataFrame":
    """All deals of a shard, whose checksum is checked on the very bytes that are read."""
    frame = next(shard_batches(folder, shard, shard.deals + 1))
    if len(frame) != shard.deals:
        raise RunError(f"{folder / shard.file}: has {len(frame)} rows, not {shard.deals} as {MANIFEST_NAME} says")
    return frame


def shard_faults(
    folder: Path, shards: Sequence[Shard], interrupts: Interrupts, threads: int | None = None
) -> list[str | None]:
    """What is wrong with each of some shards, read on threads.

    Raises
    ------
    KeyboardInterrupt
        After an interrupt.
    """
    faults: list[str | None] = [None] * len(shards)

    def check(index: int, _size: int) -> None:
        faults[index] = shard_fault(folder, shards[index])

    if run_chunks(((index, 1) for index in range(len(shards))), check, interrupts, threads) < len(shards):
        raise KeyboardInterrupt
    return faults


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
        self._is_checked = False

    @property
    def rules(self) -> Ruleset:
        """The ruleset it was played under."""
        return Ruleset.from_dict(self.manifest.ruleset, source=str(self.folder / MANIFEST_NAME))

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
            found = [fault for fault in shard_faults(self.folder, self.manifest.shards, interrupts) if fault]
        if found:
            others = f" ({len(found) - 1} more like it)" if len(found) > 1 else ""
            raise RunError(f"{found[0]}{others}; mjsim simulate with --resume plays again what is damaged")
        self._is_checked = True

    def scan(self, *, check: bool = True) -> "pl.LazyFrame":
        """All deals as a lazy polars frame, read as they are needed.

        Parameters
        ----------
        check : bool
            Whether to check every shard's checksum first, which takes about a second for 100,000,000 deals.
        """
        import polars as pl

        if check:
            self.check()
        return pl.scan_parquet([self.folder / shard.file for shard in self.manifest.shards])

    def counts(self) -> bytes:
        """What is in the file of counts, in a run that keeps no deals.

        Raises
        ------
        RunError
            Where it has changed since it was written, or the run keeps deals.
        """
        if self.manifest.counts is None:
            raise RunError(f"{self.folder}: keeps deals and no counts (it was made without --aggregate)")
        return read_counts(self.folder, self.manifest.counts)

    def to_polars(self) -> "pl.DataFrame":
        """All deals as a polars frame."""
        return self.scan().collect()

    def to_pandas(self) -> "pd.DataFrame":
        """All deals as a pandas frame."""
        return to_pandas(from_polars(self.to_polars()))


def read_counts(folder: Path, counts: CountsFile) -> bytes:
    """What is in a file of counts, whose checksum is checked."""
    return unchanged_bytes(folder / counts.file, counts.sha256)


def read_manifest(folder: Path) -> Manifest:
    """What a folder's ``run.json`` says, which must be of a version that can be read."""
    check_name(folder)
    file = folder / MANIFEST_NAME
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


def refuse_edited(folder: Path, manifest: Manifest) -> None:
    """Refuse a manifest that says something else than when it was written, or a ruleset that cannot be."""
    Ruleset.from_dict(manifest.ruleset, source=str(folder / MANIFEST_NAME)).digest()
    if manifest.format_version > 1 and manifest.digest != manifest.content_digest():
        raise RunError(
            f"{folder / MANIFEST_NAME}: has changed since it was written (its digest differs);"
            " restore it, or play the run again into another folder"
        )


def _layout_faults(folder: Path, manifest: Manifest) -> Iterator[str]:
    """What is wrong with the order and sizes of a run's shards."""
    file = folder / MANIFEST_NAME
    if manifest.keeps == "counts":
        if manifest.shards or manifest.deals_there != manifest.deals:
            yield f"{file}: deals is {manifest.deals}, but it names counts of {manifest.deals_there} deals"
        return
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
        if fault := size_fault(folder, shard):
            yield fault
    if expected != manifest.first + manifest.deals:
        yield f"{file}: deals is {manifest.deals}, but the shards hold {expected - manifest.first}"


def open_run(folder: str | os.PathLike[str]) -> Run:
    """Open a run folder.

    Parameters
    ----------
    folder : path
        A folder that `mjsim simulate --out` or `Simulation.write` made.

    Raises
    ------
    RunError
        If it is no run, of another version, its ``run.json`` has been changed, or a shard is missing or has another
        size. `Run.scan` also checks what the shards hold.
    RulesError
        If its ruleset has been changed to what cannot be one.
    """
    path = Path(folder)
    manifest = read_manifest(path)
    if not manifest.deals_there:
        raise RunError(f"{path / MANIFEST_NAME}: the run holds no deals; mjsim simulate with --resume plays them")
    for fault in _layout_faults(path, manifest):
        raise RunError(fault)
    refuse_edited(path, manifest)
    return Run(path, manifest)
