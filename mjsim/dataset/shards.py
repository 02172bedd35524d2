"""A run's shards: files of Parquet that are written whole, and read only where their checksum is right."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field

from mjsim.dataset.columns import empty_columns
from mjsim.dataset.frames import Columns, to_polars
from mjsim.dataset.storage import Storage
from mjsim.errors import RunError
from mjsim.workers import Interrupts, run_chunks, undisturbed

if TYPE_CHECKING:
    import polars as pl

#: The file that says what a run is, and names its shards.
MANIFEST_NAME: Final = "run.json"
SHARD_FILES: Final = "deals-*.parquet"
#: Rows of a shard that are handed on at a time.
_ROWS_AT_A_TIME: Final = 1 << 17


class Strict(BaseModel):
    """A part of ``run.json``: nothing is missing, too much or of another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Shard(Strict):
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


def shard_name(number: int) -> str:
    """File name of a shard, by its number in the run.

    >>> shard_name(3)
    'deals-00003.parquet'
    """
    return f"deals-{number:05d}.parquet"


def write_shard(storage: Storage, number: int, first: int, columns: Columns) -> Shard:
    """Write one shard, using up the columns, so that it is there whole and for good, or not at all.

    Returns
    -------
    Shard
        What `RunWriter.record` is to be given.
    """
    deals = len(columns["deal"])
    frame = to_polars(columns, consume=True)
    data = undisturbed(lambda: encoded(frame))
    name = shard_name(number)
    storage.write(name, data)
    return Shard(file=name, first=first, deals=deals, sha256=sha256_of(data), bytes=len(data))


def encoded(frame: "pl.DataFrame") -> bytes:
    """A shard's deals as the bytes of its file."""
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", compression_level=1)
    return file.getvalue()


def size_fault(storage: Storage, shard: Shard, size: int | None) -> str | None:
    """What is wrong with a shard at first sight: it is not there, or has another size."""
    part = storage.shown(shard.file)
    if size is None:
        return f"{part}: is missing"
    if size != shard.bytes:
        return f"{part}: has {size} bytes, not {shard.bytes} as {MANIFEST_NAME} says"
    return None


def shard_fault(storage: Storage, shard: Shard) -> str | None:
    """What is wrong with a shard, read from end to end."""
    part = storage.shown(shard.file)
    try:
        if fault := size_fault(storage, shard, storage.size(shard.file)):
            return fault
        found = storage.sha256(shard.file)
    except OSError as error:
        return f"{part}: cannot be read: {error.strerror}"
    return None if found == shard.sha256 else checksum_fault(part)


def checksum_fault(part: str) -> str:
    """What is said of a shard with another checksum."""
    return f"{part}: has changed since it was written: its checksum is not the one in {MANIFEST_NAME}"


def sha256_of(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def unchanged_bytes(storage: Storage, name: str, sha256: str) -> bytes:
    """What is in a file, which must have this checksum."""
    part = storage.shown(name)
    try:
        data = storage.read(name)
    except OSError as error:
        raise RunError(f"{part}: cannot be read: {error.strerror}") from error
    if sha256_of(data) != sha256:
        raise RunError(checksum_fault(part))
    return data


def shard_batches(
    storage: Storage, shard: Shard, rows: int, wanted: list[str] | None = None
) -> "Iterator[pl.DataFrame]":
    """The deals of a shard, so many rows at a time; its checksum is checked on the very bytes that are read."""
    import polars as pl
    from polars.exceptions import PolarsError

    part = storage.shown(shard.file)
    data = unchanged_bytes(storage, shard.file, shard.sha256)
    try:
        file = pl.scan_parquet(io.BytesIO(data))
        height = file.select(pl.len()).collect().item()
        chosen = file if wanted is None else file.select(wanted)
        for start in range(0, max(height, 1), rows):
            yield chosen.slice(start, rows).collect()
    except PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise RunError(f"{part}: cannot be read as Parquet, though its checksum is right ({reason})") from error


def read_shard(storage: Storage, shard: Shard) -> "pl.DataFrame":
    """All deals of a shard, whose checksum is checked on the very bytes that are read."""
    frame = next(shard_batches(storage, shard, shard.deals + 1))
    if len(frame) != shard.deals:
        raise RunError(rows_fault(storage, shard, len(frame)))
    return frame


def rows_fault(storage: Storage, shard: Shard, rows: int) -> str:
    """What is said of a shard with another number of rows."""
    return f"{storage.shown(shard.file)}: has {rows} rows, not {shard.deals} as {MANIFEST_NAME} says"


def scan_shards(storage: Storage, shards: Sequence[Shard]) -> "pl.LazyFrame":
    """All deals as a lazy frame that reads one shard after the other, each whole; checksums are checked as it does."""
    import polars as pl
    from polars.io.plugins import register_io_source

    def batches(
        wanted: list[str] | None, chosen: pl.Expr | None, most: int | None, _size: int | None
    ) -> "Iterator[pl.DataFrame]":
        left = most
        for shard in shards:
            rows = 0
            for frame in shard_batches(storage, shard, _ROWS_AT_A_TIME, wanted):
                rows += len(frame)
                batch = frame if left is None else frame.head(left)
                left = None if left is None else left - len(batch)
                yield batch if chosen is None else batch.filter(chosen)
                if left == 0:
                    return
            if rows != shard.deals:
                raise RunError(rows_fault(storage, shard, rows))

    return register_io_source(batches, schema=to_polars(empty_columns(0)).schema, validate_schema=True)


def shard_faults(
    storage: Storage, shards: Sequence[Shard], interrupts: Interrupts, threads: int | None = None
) -> list[str | None]:
    """What is wrong with each of some shards, read on threads.

    Raises
    ------
    KeyboardInterrupt
        After an interrupt.
    """
    faults: list[str | None] = [None] * len(shards)

    def check(index: int, _size: int) -> None:
        faults[index] = shard_fault(storage, shards[index])

    if run_chunks(((index, 1) for index in range(len(shards))), check, interrupts, threads) < len(shards):
        raise KeyboardInterrupt
    return faults
