"""Writing a run folder shard by shard, so that nothing finished is lost whatever happens.

A shard is written under a temporary name, synced and renamed (`write_shard`, which any process may do), and then
recorded in ``run.json``, which is replaced in the same way (`RunWriter.record`, for the one that holds the lock). A
folder that was left at any moment can be opened again with ``resume``.
"""

import errno
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Self

from mjsim.cache import write_atomically
from mjsim.dataset.frames import Columns, to_polars
from mjsim.dataset.lock import LOCK_NAME, FolderLock
from mjsim.dataset.run import (
    MANIFEST_NAME,
    CountsFile,
    Manifest,
    Shard,
    check_name,
    counts_name,
    read_counts,
    read_manifest,
    refuse_edited,
    sha256_of,
    shard_faults,
    shard_name,
    size_fault,
)
from mjsim.dataset.same import refuse_other
from mjsim.errors import RunError
from mjsim.workers import Interrupts, undisturbed

if TYPE_CHECKING:
    import polars as pl

#: What is left of files that were being written when a run was killed.
_LEFTOVERS: Final = (f"{MANIFEST_NAME}.*", "deals-*.parquet.*", "counts-*.json.*")
_COUNTS: Final = "counts-*.json"
_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class Piece:
    """Deals of one shard that are to be played.

    Attributes
    ----------
    number : int
        The shard's number in the run.
    first, deals : int
        What the whole shard holds.
    kept : Shard or None
        A shorter one that has its first deals.
    """

    number: int
    first: int
    deals: int
    kept: Shard | None = None

    @property
    def kept_deals(self) -> int:
        """How many deals that has."""
        return 0 if self.kept is None else self.kept.deals


def refuse_existing(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that is there already, or a name that no folder can have."""
    check_name(folder)
    try:
        os.lstat(folder)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise RunError(f"{folder}: cannot be written: {getattr(error, 'strerror', error)}") from None
    if (Path(folder) / MANIFEST_NAME).is_file():
        raise RunError(
            f"{folder}: exists already; go on with it by --resume, choose another output folder or remove it"
        )
    raise RunError(f"{folder}: exists already; choose another output folder or remove it")


def write_shard(folder: Path, number: int, first: int, columns: Columns) -> Shard:
    """Write one shard, using up the columns, so that it is there whole and on the disk, or not at all.

    Returns
    -------
    Shard
        What `RunWriter.record` is to be given.
    """
    deals = len(columns["deal"])
    frame = to_polars(columns, consume=True)
    data = undisturbed(lambda: encoded(frame))
    name = shard_name(number)
    write_atomically(folder / name, data, durable=True)
    return Shard(file=name, first=first, deals=deals, sha256=sha256_of(data), bytes=len(data))


def encoded(frame: "pl.DataFrame") -> bytes:
    """A shard's deals as the bytes of its file."""
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", compression_level=1)
    return file.getvalue()


class RunWriter:
    """Writes a run folder, which it holds locked from beginning to end: a context.

    A folder without a finished shard is removed at the end, if it was made here.

    Parameters
    ----------
    folder : path
        Must not exist unless with ``resume``.
    plan : Manifest
        What ``run.json`` is to say, without any shard.
    resume : bool
        Go on with a folder that is there, if one is: keep its shards that are whole.
    interrupts : Interrupts, optional
        Asked between checking two shards whether to stop.

    Attributes
    ----------
    damaged : list of str
        What is wrong with shards that were not kept.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        plan: Manifest,
        *,
        resume: bool = False,
        interrupts: Interrupts | None = None,
    ) -> None:
        check_name(folder)
        self.folder = Path(folder)
        self.damaged: list[str] = []
        self._manifest = plan.model_copy(update={"status": "interrupted", "deals": 0, "shards": []})
        self._made: list[Path] = []
        self._lock: FolderLock | None = None
        if not resume:
            refuse_existing(self.folder)
        try:
            with self._refusing():
                self._make_folders(exist_ok=resume)
                self._lock = FolderLock(self.folder)
            if resume and self._is_begun():
                self._take_over(Interrupts() if interrupts is None else interrupts)
            else:
                self._save()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def shards(self) -> list[Shard]:
        """The shards that are finished, in order."""
        return self._manifest.shards

    def _make_folders(self, exist_ok: bool) -> None:
        for parent in reversed([parent for parent in self.folder.parents if not parent.exists()]):
            parent.mkdir(exist_ok=True)
            self._made.append(parent)
        try:
            self.folder.mkdir()
            self._made.append(self.folder)
        except FileExistsError:
            if not exist_ok:
                refuse_existing(self.folder)
            if not self.folder.is_dir():
                raise RunError(f"{self.folder}: is not a folder; choose another output folder") from None

    def _is_begun(self) -> bool:
        """Whether there is a run to go on with; refuses a folder with anything else in it."""
        if (self.folder / MANIFEST_NAME).exists():
            return True
        ours = {path.name for pattern in (LOCK_NAME, *_LEFTOVERS) for path in self.folder.glob(pattern)}
        if others := sorted(set(os.listdir(self.folder)) - ours):
            raise RunError(f"{self.folder}: is not a run folder: it holds {others[0]} and no {MANIFEST_NAME}")
        return False

    def _take_over(self, interrupts: Interrupts) -> None:
        """Go on with the run that is there."""
        found = read_manifest(self.folder)
        refuse_edited(self.folder, found)
        refuse_other(self.folder, found, self._manifest)
        faults = shard_faults(self.folder, found.shards, interrupts)
        self.damaged = [fault for fault in faults if fault]
        counts = self._kept_counts(found)
        kept = [shard for shard, fault in zip(found.shards, faults, strict=True) if not fault]
        software = {
            name: version
            if version in (before := found.software.get(name, version)).split(", ")
            else f"{before}, {version}"
            for name, version in self._manifest.software.items()
        }
        self._manifest = self._manifest.model_copy(
            update={
                "ruleset": found.ruleset,
                "software": software,
                "shards": kept,
                "counts": counts,
                "status": found.status,
                "deals": found.deals,
            }
        )
        for pattern in _LEFTOVERS:
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)

    def _kept_counts(self, found: Manifest) -> CountsFile | None:
        """The counts that are there, where they are whole; other files of counts are removed."""
        kept = found.counts
        if kept is not None:
            try:
                read_counts(self.folder, kept)
            except RunError as error:
                self.damaged.append(str(error))
                kept = None
        self._remove_counts(kept)
        return kept

    def _remove_counts(self, kept: CountsFile | None) -> None:
        for path in self.folder.glob(_COUNTS):
            if kept is None or path.name != kept.file:
                path.unlink(missing_ok=True)

    def missing(self, ranges: Iterable[tuple[int, int]]) -> list[Piece]:
        """What is to be played of shards with these first deals and sizes.

        Raises
        ------
        RunError
            Where there are shards that do not fit, or more deals than asked for.
        """
        there = {shard.first: shard for shard in self.shards}
        pieces = []
        for number, (first, deals) in enumerate(ranges):
            kept = there.pop(first, None)
            if kept is not None and (kept.deals > deals or kept.file != shard_name(number)):
                there[first] = kept
            elif kept is None or kept.deals < deals:
                pieces.append(Piece(number, first, deals, kept))
        if there:
            other = there[min(there)]
            raise RunError(
                f"{self.folder}: {other.file} holds deals {other.first} to {other.end - 1}, which are not asked for;"
                " ask for at least as many --deals as there are"
            )
        return pieces

    def add(self, number: int, first: int, columns: Columns) -> None:
        """Write one shard, using up the columns, and record it."""
        self._refuse_lost()
        with self._refusing():
            shard = write_shard(self.folder, number, first, columns)
        self.record(shard)

    def record_there(self, shard: Shard) -> None:
        """Record a shard that another process has written, perhaps on another machine.

        Raises
        ------
        RunError
            Where it is not here.
        """
        if fault := size_fault(self.folder, shard):
            raise RunError(f"{fault}; do all workers share the folder, by the same name?")
        self.record(shard)

    def record(self, shard: Shard) -> None:
        """Record a shard that has been written; it takes the place of one with the same first deal."""
        by_first = {each.first: each for each in self.shards} | {shard.first: shard}
        shards = [by_first[first] for first in sorted(by_first)]
        self._manifest = self._manifest.model_copy(update={"status": "interrupted", "shards": shards})
        self._save()

    @property
    def counts(self) -> CountsFile | None:
        """The counts that are there, in a run that keeps no deals."""
        return self._manifest.counts

    @property
    def deals(self) -> int:
        """How many deals are there, or counted."""
        return self._manifest.deals_there

    def add_counts(self, data: bytes, deals: int) -> None:
        """Write what so many deals from the first came to, and record it; it takes the place of what was there."""
        self._refuse_lost()
        name = counts_name(deals)
        with self._refusing():
            write_atomically(self.folder / name, data, durable=True)
        counts = CountsFile(file=name, sha256=sha256_of(data), bytes=len(data), deals=deals)
        self._manifest = self._manifest.model_copy(update={"status": "interrupted", "counts": counts})
        self._save()
        self._remove_counts(counts)

    def finish(self, status: Literal["complete", "interrupted"]) -> Manifest:
        """Say in ``run.json`` how the run ended."""
        if (status, self.deals) != (self._manifest.status, self._manifest.deals):
            self._manifest = self._manifest.model_copy(update={"status": status})
            self._save()
        return self._manifest

    def _save(self) -> None:
        """Replace ``run.json``."""
        self._refuse_lost()
        self._manifest = self._manifest.model_copy(update={"deals": self.deals}).sealed()
        text = self._manifest.model_dump_json(indent=1) + "\n"
        with self._refusing():
            write_atomically(self.folder / MANIFEST_NAME, text.encode(), durable=True)

    def _refuse_lost(self) -> None:
        """Refuse to write on where the folder is gone, or another stands in its place."""
        if self._lock is None or not self._lock.is_held():
            raise RunError(f"{self.folder}: was removed, renamed or replaced while the run was being written to it")

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Say what cannot be written, what is kept, and what to do."""
        try:
            yield
        except OSError as error:
            if self._lock is not None:
                self._refuse_lost()
            kept = self.deals
            advice = "; free some space" if error.errno in _DISK_FULL else ""
            if kept:
                advice += f"; {kept:,} deals are kept there: go on with --resume"
            raise RunError(f"{self.folder}: cannot be written: {error.strerror}{advice}") from error

    def close(self) -> None:
        """Let go of the folder; one without a finished shard that was made here is removed."""
        is_empty = not self.deals and self.folder in self._made
        if is_empty and self._lock is not None and self._lock.is_held():
            for pattern in (MANIFEST_NAME, "deals-*.parquet", _COUNTS, *_LEFTOVERS):
                for path in self.folder.glob(pattern):
                    path.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        if not self.deals:
            for folder in reversed(self._made):
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
