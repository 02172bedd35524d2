"""Writing a run folder shard by shard, so that nothing finished is lost whatever happens.

A shard is put there whole (`write_shard`, which any process may do), and then recorded in ``run.json``, which is
replaced in the same way (`RunWriter.record`, for the one that holds the lock). A folder that was left at any moment can
be opened again with ``resume``.

In a long run ``run.json`` is as long, so that it is not replaced after every shard: in all that takes a second and a
hundredth of the run's time. A run that ends, however it does unless killed, has recorded every shard; one that is
killed plays those again that came after the last time.
"""

import errno
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from mjsim.dataset.frames import Columns
from mjsim.dataset.lock import LOCK_NAME
from mjsim.dataset.run import (
    MANIFEST_NAME,
    CountsFile,
    Manifest,
    counts_name,
    read_counts,
    read_manifest,
    refuse_edited,
)
from mjsim.dataset.same import refuse_other
from mjsim.dataset.shards import SHARD_FILES, Shard, sha256_of, shard_faults, shard_name, size_fault, write_shard
from mjsim.dataset.storage import Lock, Storage, storage_at
from mjsim.errors import RunError
from mjsim.workers import Interrupts

#: What is left of files that were being written when a run was killed.
_LEFTOVERS: Final = (f"{MANIFEST_NAME}.*", "deals-*.parquet.*", "counts-*.json.*")
_COUNTS: Final = "counts-*.json"
_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

#: What replacing ``run.json`` may take in all: seconds, and a part of the time since the run was opened.
_SECONDS_FOR_MANIFEST: Final = 1.0
_PART_FOR_MANIFEST: Final = 0.01


@dataclass(frozen=True, slots=True)
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


def refuse_existing(folder: str | os.PathLike[str] | Storage) -> None:
    """Refuse a folder that is there already, or a name that no folder can have."""
    storage = storage_at(folder)
    try:
        if not storage.exists():
            return
        is_run = storage.is_folder() and storage.size(MANIFEST_NAME) is not None
    except (OSError, ValueError) as error:
        raise RunError(f"{storage}: cannot be written: {getattr(error, 'strerror', error)}") from None
    if is_run:
        raise RunError(
            f"{storage}: exists already; go on with it by --resume, choose another output folder or remove it"
        )
    raise RunError(f"{storage}: exists already; choose another output folder or remove it")


class _Allowance:
    """The time that replacing ``run.json`` may take in all."""

    def __init__(self) -> None:
        self._opened = time.monotonic()
        self._used = 0.0

    def is_left(self) -> bool:
        """Whether it may be replaced once more."""
        since = time.monotonic() - self._opened
        return self._used <= _SECONDS_FOR_MANIFEST + _PART_FOR_MANIFEST * since

    @contextmanager
    def used(self) -> Iterator[None]:
        """Take the time of what is done here."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._used += time.monotonic() - begun


class RunWriter:
    """Writes a run folder, which it holds locked from beginning to end: a context.

    A folder without a finished shard is removed at the end, if it was made here.

    Parameters
    ----------
    folder : path, URL or Storage
        Must not exist unless with ``resume``.
    plan : Manifest
        What ``run.json`` is to say, without any shard.
    resume : bool
        Go on with a folder that is there, if one is: keep its shards that are whole.
    interrupts : Interrupts, optional
        Asked between checking two shards whether to stop.

    Attributes
    ----------
    storage : Storage
        Where it is written.
    deals : int
        How many deals are there, or counted.
    damaged : list of str
        What is wrong with shards that were not kept.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | Storage,
        plan: Manifest,
        *,
        resume: bool = False,
        interrupts: Interrupts | None = None,
    ) -> None:
        self.storage = storage_at(folder)
        self.deals = 0
        self.damaged: list[str] = []
        self._manifest = plan.model_copy(update={"status": "interrupted", "deals": 0, "shards": []})
        self._shards: dict[int, Shard] = {}
        self._recorded = 0
        self._is_behind = False
        self._allowance = _Allowance()
        self._is_new = False
        self._made: list[Path] = []
        self._lock: Lock | None = None
        if not resume:
            refuse_existing(self.storage)
        try:
            with self._refusing():
                self._make_folder(exist_ok=resume)
                self._lock = self.storage.lock()
                is_begun = resume and self._is_begun()
            if is_begun:
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
        try:
            if self._is_behind:
                self._save()
        finally:
            self.close()

    @property
    def shards(self) -> list[Shard]:
        """The shards that are finished, in order."""
        return [self._shards[first] for first in sorted(self._shards)]

    def _make_folder(self, exist_ok: bool) -> None:
        try:
            self.storage.make(self._made)
            self._is_new = True
        except FileExistsError:
            if not exist_ok:
                refuse_existing(self.storage)
            if not self.storage.is_folder():
                raise RunError(f"{self.storage}: is not a folder; choose another output folder") from None

    def _is_begun(self) -> bool:
        """Whether there is a run to go on with; refuses a folder with anything else in it."""
        there = self.storage.names()
        if MANIFEST_NAME in there:
            return True
        ours = (LOCK_NAME, *_LEFTOVERS)
        if others := sorted(name for name in there if not any(fnmatchcase(name, pattern) for pattern in ours)):
            raise RunError(f"{self.storage}: is not a run folder: it holds {others[0]} and no {MANIFEST_NAME}")
        return False

    def _take_over(self, interrupts: Interrupts) -> None:
        """Go on with the run that is there."""
        found = read_manifest(self.storage)
        refuse_edited(self.storage, found)
        refuse_other(self.storage, found, self._manifest)
        faults = shard_faults(self.storage, found.shards, interrupts)
        self.damaged = [fault for fault in faults if fault]
        software = {
            name: version
            if version in (before := found.software.get(name, version)).split(", ")
            else f"{before}, {version}"
            for name, version in self._manifest.software.items()
        }
        kept = [shard for shard, fault in zip(found.shards, faults, strict=True) if not fault]
        self._shards = {shard.first: shard for shard in kept}
        with self._refusing():
            counts = self._kept_counts(found)
            self._remove(*_LEFTOVERS)
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
        self.deals = self._recorded = self._manifest.deals_there

    def _kept_counts(self, found: Manifest) -> CountsFile | None:
        """The counts that are there, where they are whole; other files of counts are removed."""
        kept = found.counts
        if kept is not None:
            try:
                read_counts(self.storage, kept)
            except RunError as error:
                self.damaged.append(str(error))
                kept = None
        self._remove(_COUNTS, but=kept)
        return kept

    def _remove(self, *patterns: str, but: CountsFile | None = None) -> None:
        """Remove files with such names."""
        for name in self.storage.names():
            if any(fnmatchcase(name, pattern) for pattern in patterns) and (but is None or name != but.file):
                self.storage.remove(name)

    def missing(self, ranges: Iterable[tuple[int, int]]) -> list[Piece]:
        """What is to be played of shards with these first deals and sizes.

        Raises
        ------
        RunError
            Where there are shards that do not fit, or more deals than asked for.
        """
        there = dict(self._shards)
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
                f"{self.storage}: {other.file} holds deals {other.first} to {other.end - 1}, which are not asked for;"
                " ask for at least as many --deals as there are"
            )
        return pieces

    def add(self, number: int, first: int, columns: Columns) -> None:
        """Write one shard, using up the columns, and record it."""
        with self._refusing():
            self._refuse_lost()
            shard = write_shard(self.storage, number, first, columns)
        self.record(shard)

    def record_there(self, shard: Shard) -> None:
        """Record a shard that another process has written, perhaps on another machine.

        Raises
        ------
        RunError
            Where it is not here.
        """
        with self._refusing():
            fault = size_fault(self.storage, shard, self.storage.size(shard.file))
        if fault:
            raise RunError(f"{fault}; do all workers share the folder, by the same name?")
        self.record(shard)

    def record(self, shard: Shard) -> None:
        """Record a shard that has been written; it takes the place of one with the same first deal.

        In ``run.json`` at once, or where that would take too much of the run's time, with one of the next.
        """
        before = self._shards.get(shard.first)
        self._shards[shard.first] = shard
        self.deals += shard.deals - (0 if before is None else before.deals)
        self._is_behind = True
        if self._allowance.is_left():
            self._save()

    @property
    def counts(self) -> CountsFile | None:
        """The counts that are there, in a run that keeps no deals."""
        return self._manifest.counts

    def add_counts(self, data: bytes, deals: int) -> None:
        """Write what so many deals from the first came to, and record it; it takes the place of what was there."""
        name = counts_name(deals)
        with self._refusing():
            self._refuse_lost()
            self.storage.write(name, data)
        counts = CountsFile(file=name, sha256=sha256_of(data), bytes=len(data), deals=deals)
        self._manifest = self._manifest.model_copy(update={"counts": counts})
        self.deals = deals
        self._save()
        with self._refusing():
            self._remove(_COUNTS, but=counts)

    def finish(self, status: Literal["complete", "interrupted"]) -> Manifest:
        """Say in ``run.json`` how the run ended."""
        if self._is_behind or (status, self.deals) != (self._manifest.status, self._manifest.deals):
            self._save(status)
        return self._manifest

    def _save(self, status: Literal["complete", "interrupted"] = "interrupted") -> None:
        """Replace ``run.json``."""
        with self._refusing():
            self._refuse_lost()
            self._replace_manifest(status)

    def _replace_manifest(self, status: Literal["complete", "interrupted"] = "interrupted") -> None:
        self._is_behind = False
        with self._allowance.used():
            said = {"status": status, "shards": self.shards, "deals": self.deals}
            self._manifest = self._manifest.model_copy(update=said).sealed()
            text = self._manifest.model_dump_json(indent=1) + "\n"
            self.storage.write(MANIFEST_NAME, text.encode())
        self._recorded = self.deals

    def _refuse_lost(self) -> None:
        """Refuse to write on where the folder is gone, or another stands in its place."""
        if self._lock is None or not self._lock.is_held():
            self._is_behind = False
            raise RunError(f"{self.storage}: was removed, renamed or replaced while the run was being written to it")

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Say what cannot be written, what is kept, and what to do."""
        try:
            yield
        except OSError as error:
            if self._lock is not None:
                with suppress(OSError):  # what cannot be recorded now is played again
                    self._refuse_lost()
                    if self._is_behind:
                        self._replace_manifest()
            self._is_behind = False
            advice = "; free some space" if error.errno in _DISK_FULL else ""
            if self._recorded:
                advice += f"; {self._recorded:,} deals are kept there: go on with --resume"
            raise RunError(f"{self.storage}: cannot be written: {error.strerror}{advice}") from error

    def close(self) -> None:
        """Let go of the folder; one without a finished shard that was made here is removed."""
        with self._refusing():
            if not self._recorded and self._is_new and self._lock is not None and self._lock.is_held():
                self._remove(MANIFEST_NAME, SHARD_FILES, _COUNTS, *_LEFTOVERS)
            if self._lock is not None:
                lock, self._lock = self._lock, None
                lock.release()
            if not self._recorded:
                self.storage.unmake(self._made)
