"""Many deals: chunks on threads, in order, with progress and an interrupt that keeps what is finished."""

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mjsim.dataset.columns import empty_columns
from mjsim.dataset.frames import Columns, from_polars, to_pandas, to_polars
from mjsim.dataset.run import (
    FORMAT_VERSION,
    RESULTS_VERSION,
    SHARD_DEALS,
    Manifest,
    PlayerEntry,
    Shard,
    read_shard,
    software_versions,
)
from mjsim.dataset.writer import Piece, RunWriter
from mjsim.engine import Engine, Plan, as_rules, check_deals
from mjsim.errors import RunError
from mjsim.players import DEFAULT, PlayersChoice, players_for_seats
from mjsim.rules import Ruleset
from mjsim.workers import Interrupts, check_threads, run_chunks, whole_number

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

#: Deals that a kernel plays before anyone can interrupt it: about 40 ms.
CHUNK_DEALS: Final = 4096

Progress = Callable[[int], None]
Notice = Callable[[str], None]


@dataclass(repr=False)
class Simulation:
    """Deals in memory.

    Attributes
    ----------
    plan : Plan
    first : int
        Index of the first deal.
    columns : dict of numpy.ndarray
        One array per column of `mjsim.dataset.columns.COLUMNS`, each of shape (deal,).
    interrupted : bool
        Whether Ctrl-C ended it early; what was finished is here.
    """

    plan: Plan
    first: int
    columns: Columns
    interrupted: bool = False
    command: str = field(default="", compare=False)

    def __repr__(self) -> str:
        who = ",".join(player.name for player in self.plan.players)
        return f"<Simulation: {self.deals:,} deals of {self.plan.rules.name}, seed {self.plan.seed}, players {who}>"

    @property
    def deals(self) -> int:
        """How many deals were played."""
        return len(self.columns["deal"])

    def to_polars(self) -> "pl.DataFrame":
        """The columns as a polars frame."""
        return to_polars(self.columns)

    def to_pandas(self) -> "pd.DataFrame":
        """The columns as a pandas frame."""
        return to_pandas(self.columns)

    def manifest(self, shards: list[Shard] | None = None) -> Manifest:
        """What ``run.json`` would say."""
        return manifest_of(self.plan, self.first, self.deals, self.interrupted, self.command, shards or [])

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write a run folder, which must not exist."""
        with RunWriter(folder, self.manifest()) as writer:
            for number, (start, size) in enumerate(shard_ranges(self.first, self.deals)):
                begin = start - self.first
                part = {name: values[begin : begin + size] for name, values in self.columns.items()}
                writer.add(number, start, part)
            writer.finish("interrupted" if self.interrupted else "complete")


def simulate(
    rules: str | os.PathLike[str] | Ruleset,
    *,
    deals: int,
    seed: int = 0,
    players: PlayersChoice = DEFAULT,
    threads: int | None = None,
    first: int = 0,
    session: int = 1,
    fish: int = 2,
    chunk: int = CHUNK_DEALS,
    progress: Progress | None = None,
) -> Simulation:
    """Play deals and keep every column in memory.

    Parameters
    ----------
    rules : str, path or Ruleset
        A built-in name, a TOML file, or a loaded ruleset.
    deals : int
        How many deals.
    seed : int
        0 ≤ seed < 2^64. A deal depends on rules, players, seed, session length and its index, and on nothing else.
    players : str, Player, or four of them
        Who plays; one player sits everywhere.
    threads : int, optional
        Worker threads; all processors unless given. Does not change the results.
    first : int
        Index of the first deal.
    session : int
        Deals in a session: its first dealer is its index mod 4, then the rules say who deals.
    fish : int
        Fish labels that built-in players take, 0–2.
    chunk : int
        Deals a thread plays at a time. Does not change the results.
    progress : callable, optional
        Called now and then with the number of deals played so far.

    Returns
    -------
    Simulation
        After Ctrl-C, the deals finished so far, with ``interrupted`` set.

    Raises
    ------
    RulesError, PlayerError, RunError
        Saying what is wrong.

    Examples
    --------
    >>> result = simulate("liuzhou", deals=1000, seed=1)
    >>> result.deals, int(result.columns["net_0"].sum() + result.columns["net_1"].sum()
    ...     + result.columns["net_2"].sum() + result.columns["net_3"].sum())
    (1000, 0)
    """
    plan = Plan(as_rules(rules), players_for_seats(players), seed, session, fish)
    first, deals = whole_number("first", first), whole_number("deals", deals)
    check_deals(first, deals, session)
    check_threads(threads, chunk)
    try:
        columns = empty_columns(deals)
    except MemoryError:
        raise RunError(f"deals {deals}: too many to keep in memory; play them in parts, or into a run folder") from None
    with Interrupts() as interrupts:
        engine = Engine(plan)
        played = play_range(engine, first, columns, interrupts, threads=threads, chunk=chunk, progress=progress)
    return Simulation(plan, first, first_rows(columns, played), interrupted=played < deals)


def simulate_to_folder(
    plan: Plan,
    folder: str | os.PathLike[str],
    *,
    deals: int,
    first: int = 0,
    threads: int | None = None,
    chunk: int = CHUNK_DEALS,
    command: str = "",
    progress: Progress | None = None,
    interrupts: Interrupts | None = None,
    resume: bool = False,
    notice: Notice | None = None,
) -> Manifest:
    """Play deals shard by shard into a run folder, in memory for one shard.

    ``interrupts`` may be one that the caller has open already. With ``resume``, what the folder holds is kept, and only
    what is missing or damaged is played; ``notice`` is called with a sentence about that.

    Returns
    -------
    Manifest
        With status ``interrupted`` and fewer deals after Ctrl-C.

    Raises
    ------
    KeyboardInterrupt
        Where Ctrl-C came before any deal was finished; then there is no folder.
    """
    check_deals(first, deals, plan.session)
    check_threads(threads, chunk)
    asked = manifest_of(plan, first, 0, True, command, [])
    with (
        nullcontext(interrupts) if interrupts else Interrupts() as interrupts,
        RunWriter(folder, asked, resume=resume, interrupts=interrupts) as writer,
    ):
        pieces = writer.missing(shard_ranges(first, deals))
        done = sum(shard.deals for shard in writer.shards)
        if resume and notice is not None:
            _say_what_is_there(writer, done, deals, notice)
        if pieces and not interrupts.requested:
            engine = Engine(plan)
            for piece in pieces:
                before = done
                report = None if progress is None else (lambda played, before=before: progress(before + played))
                columns = play_piece(
                    engine, writer.folder, piece, interrupts, threads=threads, chunk=chunk, progress=report
                )
                if columns is not None:
                    done += len(columns["deal"]) - piece.kept_deals
                    writer.add(piece.number, piece.first, columns)
                if interrupts.requested and done < deals:
                    break
        if not done:
            raise KeyboardInterrupt
        return writer.finish("complete" if done == deals else "interrupted")


def _say_what_is_there(writer: RunWriter, done: int, deals: int, notice: Notice) -> None:
    for fault in writer.damaged:
        notice(f"{fault}; its deals are played again")
    if done == deals:
        notice(f"{writer.folder}: all {deals:,} deals are there already; nothing to do")
    elif done:
        notice(f"{writer.folder}: {done:,} of {deals:,} deals are there already")


def play_piece(
    engine: Engine,
    folder: Path,
    piece: Piece,
    interrupts: Interrupts,
    *,
    threads: int | None = None,
    chunk: int = CHUNK_DEALS,
    progress: Progress | None = None,
) -> Columns | None:
    """Play what is missing of a shard; the rest is read from the folder.

    Writes nothing: the columns are for `RunWriter.add`, or for `write_shard` in one process and then `RunWriter.record`
    in another.

    Returns
    -------
    dict of numpy.ndarray or None
        All deals of the shard; fewer after an interrupt, and None if none was played.
    """
    columns = empty_columns(piece.deals)
    kept = piece.kept_deals
    if piece.kept is not None:
        for name, values in from_polars(read_shard(folder, piece.kept)).items():
            columns[name][:kept] = values
    rest = {name: values[kept:] for name, values in columns.items()}
    played = play_range(engine, piece.first + kept, rest, interrupts, threads=threads, chunk=chunk, progress=progress)
    if not played:
        return None
    return columns if kept + played == piece.deals else first_rows(columns, kept + played)


def play_shards(
    engine: "Engine",
    first: int,
    deals: int,
    interrupts: Interrupts,
    *,
    threads: int | None = None,
    chunk: int = CHUNK_DEALS,
    progress: Progress | None = None,
) -> Iterator[tuple[int, Columns]]:
    """Play deals and yield each shard when it is finished: index of its first deal, columns.

    After an interrupt the last one is short, and none follows.
    """
    done = 0
    for start, size in shard_ranges(first, deals):
        columns = empty_columns(size)
        before = done
        report = None if progress is None else (lambda played, before=before: progress(before + played))
        played = play_range(engine, start, columns, interrupts, threads=threads, chunk=chunk, progress=report)
        if played:
            yield start, columns if played == size else first_rows(columns, played)
        if played < size:
            return
        done += played


def shard_ranges(first: int, deals: int) -> Iterator[tuple[int, int]]:
    """First deal and size of each shard; shards end at multiples of 2^20.

    >>> list(shard_ranges(1_000_000, 100_000))
    [(1000000, 48576), (1048576, 51424)]
    """
    end = first + deals
    while first < end:
        size = min(SHARD_DEALS - first % SHARD_DEALS, end - first)
        yield first, size
        first += size


def play_range(
    engine: "Engine",
    first: int,
    columns: Columns,
    interrupts: Interrupts,
    *,
    threads: int | None = None,
    chunk: int = CHUNK_DEALS,
    progress: Progress | None = None,
) -> int:
    """Play as many deals as the columns have room for, from deal ``first`` on.

    Returns
    -------
    int
        Deals played, counted without a gap from the first: fewer than asked only after an interrupt.
    """
    spans = chunk_starts(first, len(columns["deal"]), engine.plan.session, chunk)
    return run_chunks(spans, lambda *span: engine.fill(columns, first, *span), interrupts, threads, progress)


def first_rows(columns: Columns, deals: int) -> Columns:
    """The columns of the first so many deals."""
    return {name: values[:deals] for name, values in columns.items()}


def chunk_starts(first: int, deals: int, session: int, chunk: int) -> Iterator[tuple[int, int]]:
    """First deal and size of each chunk; a chunk ends where a session does, so that none is begun twice.

    >>> list(chunk_starts(3, 7, session=4, chunk=5))
    [(3, 1), (4, 4), (8, 2)]
    """
    end = first + deals
    step = max(chunk // session, 1) * session
    while first < end:
        size = min(step - first % session, end - first)
        yield first, size
        first += size


def manifest_of(plan: Plan, first: int, deals: int, interrupted: bool, command: str, shards: list[Shard]) -> Manifest:
    """The manifest of a run."""
    return Manifest(
        format_version=FORMAT_VERSION,
        results_version=RESULTS_VERSION,
        status="interrupted" if interrupted else "complete",
        ruleset=plan.rules.to_dict(),
        players=[PlayerEntry(name=each.name, source_hash=each.source_hash) for each in plan.players],
        seed=plan.seed,
        session_length=plan.session,
        fish=plan.fish,
        first=first,
        deals=deals,
        software=software_versions(),
        command=command,
        shards=shards,
    )
