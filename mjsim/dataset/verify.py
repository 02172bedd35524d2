"""Checking a whole run: its manifest, every checksum, and every row."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mjsim.dataset.columns import COLUMNS
from mjsim.dataset.frames import Columns, from_polars
from mjsim.dataset.identities import CHECKS, Place
from mjsim.dataset.run import MANIFEST_NAME, Run, open_run
from mjsim.dataset.shards import SHARD_FILES, Shard, rows_fault, shard_batches
from mjsim.dataset.storage import Storage
from mjsim.errors import RunError
from mjsim.workers import Interrupts, run_chunks

if TYPE_CHECKING:
    import polars as pl

#: Rows checked at a time: few enough that what is worked out about them stays in a processor's cache.
_AT_A_TIME: Final = 1 << 15
#: Rows read at a time, as many as polars writes together.
_READ_AT_A_TIME: Final = 1 << 18


@dataclass(frozen=True)
class Checked:
    """What was checked of a run in which nothing is wrong."""

    run: Run
    shards: int
    bytes: int
    deals: int


@dataclass(frozen=True)
class _Ends:
    """What the shards beside it must fit: its first dealer and number in its session, and who deals after it."""

    dealer: int
    hand: int
    next_dealer: int


def verify(
    folder: str | os.PathLike[str] | Storage,
    *,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Checked:
    """Check a run from end to end, a few shards in memory at a time.

    Parameters
    ----------
    folder : path, URL or Storage
        The run folder, or its URL.
    threads : int, optional
        Shards checked at once; as many as processors unless given, at most four.
    progress : callable, optional
        Called now and then with the number of deals checked.

    Raises
    ------
    RunError
        Naming the first fault: file, row, column, and what is wrong.
    KeyboardInterrupt
        After an interrupt.
    """
    run = open_run(folder)
    shards = run.manifest.shards
    _refuse_strangers(run.storage, shards)
    workers = threads or min(os.cpu_count() or 1, 4)
    found: dict[int, _Ends | RunError] = {}
    faulty: list[int] = []

    def check(index: int, _size: int) -> None:
        # After a fault only the shards before it matter.
        if any(before < index for before in faulty):
            return
        found[index] = ends = _ends_or_fault(run, shards[index])
        if isinstance(ends, RunError):
            faulty.append(index)

    def report(done: int) -> None:
        if progress is not None:
            progress(shards[done - 1].end - run.manifest.first)

    with Interrupts() as interrupts:
        done = run_chunks(((index, 1) for index in range(len(shards))), check, interrupts, workers, report)
    _refuse_faults(run, found)
    if done < len(shards):
        raise KeyboardInterrupt
    return Checked(run, len(shards), sum(shard.bytes for shard in shards), run.manifest.deals)


def _refuse_strangers(storage: Storage, shards: Sequence[Shard]) -> None:
    """Refuse shards that ``run.json`` does not know."""
    if strangers := set(storage.names(SHARD_FILES)) - {shard.file for shard in shards}:
        raise RunError(
            f"{storage.shown(min(strangers))}: is not in {MANIFEST_NAME}; mjsim simulate with --resume puts that right"
        )


def _refuse_faults(run: Run, found: dict[int, _Ends | RunError]) -> None:
    """Raise the first fault, within a shard or between two."""
    before: _Ends | None = None
    for index in sorted(found):
        ends = found[index]
        if isinstance(ends, RunError):
            raise ends
        shard = run.manifest.shards[index]
        _refuse_other_dealer(run.storage.shown(shard.file), 0, shard.first, before, ends)
        before = ends


def _refuse_other_dealer(part: str, row: int, deal: int, before: _Ends | None, ends: _Ends) -> None:
    """Refuse rows that begin within a session with another dealer than the rows before them say."""
    if before is not None and ends.hand and ends.dealer != before.next_dealer:
        raise RunError(
            f"{part}: row {row} (deal {deal}), column dealer: is {ends.dealer},"
            f" but by the deal before it the dealer is {before.next_dealer}"
        )


def _ends_or_fault(run: Run, shard: Shard) -> _Ends | RunError:
    try:
        return _check_shard(run, shard)
    except RunError as error:
        return error


def _check_shard(run: Run, shard: Shard) -> _Ends:
    """Check one shard: the bytes, the types of the columns, and every row."""
    part = run.storage.shown(shard.file)
    parts: list[_Ends] = []
    rows = 0
    for frame in shard_batches(run.storage, shard, _READ_AT_A_TIME):
        refuse_schema(part, frame, rows)
        columns = from_polars(frame)
        refuse_rows(part, columns, rows, Place(shard.first + rows, run.manifest.session_length))
        ends = _Ends(int(columns["dealer"][0]), int(columns["hand"][0]), int(columns["next_dealer"][-1]))
        _refuse_other_dealer(part, rows, shard.first + rows, parts[-1] if parts else None, ends)
        parts.append(ends)
        rows += len(frame)
    if rows != shard.deals:
        raise RunError(rows_fault(run.storage, shard, rows))
    return _Ends(parts[0].dealer, parts[0].hand, parts[-1].next_dealer)


def refuse_schema(part: str, frame: "pl.DataFrame", before: int) -> None:
    """Refuse columns that are others than the registry's, or empty cells; the shard has so many rows before these."""
    import polars as pl

    names = [column.name for column in COLUMNS]
    if frame.columns != names:
        wrong = sorted(set(frame.columns) ^ set(names)) or ["another order"]
        raise RunError(f"{part}: its columns are not those of a run ({', '.join(wrong[:5])})")
    for column in COLUMNS:
        series = frame[column.name]
        is_right = series.dtype == pl.Enum(column.labels) if column.labels else _numpy_type(series) == column.dtype
        if not is_right:
            raise RunError(f"{part}: column {column.name}: is of type {series.dtype}, not {column.dtype}")
        if series.null_count():
            row = before + int(series.is_null().arg_max() or 0)
            raise RunError(f"{part}: row {row}, column {column.name}: is empty")


def _numpy_type(series: "pl.Series") -> "np.dtype[Any] | None":
    return series.head(0).to_numpy().dtype if series.dtype.is_integer() else None


def refuse_rows(part: str, columns: Columns, before: int, place: Place) -> None:
    """Refuse rows, before which the shard has so many others, where anything does not hold that holds in every run."""
    for start in range(0, len(columns["deal"]), _AT_A_TIME):
        begin = max(start - 1, 0)  # with the row before, whose next dealer matters
        rows = {name: values[begin : start + _AT_A_TIME] for name, values in columns.items()}
        here = Place(place.first + begin, place.session_length)
        for each in CHECKS:
            for fault in each.faults(rows, here):
                row = begin + fault.row
                raise RunError(
                    f"{part}: row {before + row} (deal {place.first + row}), column {fault.column}: {fault.words}"
                )
