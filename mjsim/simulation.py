"""Many deals: chunks on threads, in order, with progress and an interrupt that keeps what is finished."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mjsim.dataset.columns import empty_columns
from mjsim.dataset.frames import Columns, from_polars, to_pandas, to_polars
from mjsim.dataset.run import (
    FORMAT_VERSION,
    RESULTS_VERSION,
    Manifest,
    PlayerEntry,
    software_versions,
)
from mjsim.dataset.shards import Shard, read_shard
from mjsim.dataset.storage import Storage
from mjsim.dataset.writer import Piece, RunWriter
from mjsim.elsewhere import Crew, Orders, Workers, play_columns, write_piece
from mjsim.engine import Engine, Plan, as_rules, check_deals
from mjsim.errors import RunError
from mjsim.players import DEFAULT, PlayersChoice, players_for_seats
from mjsim.ranges import CHUNK_DEALS, Progress, first_rows, play_range, shard_ranges
from mjsim.rules import Ruleset
from mjsim.workers import Interrupts, check_threads, whole_number

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

#: Deals of a task whose columns come back: some 50 MB.
_TASK_DEALS: Final = 1 << 18

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
        """Write a run folder, which must not exist; a URL that fsspec knows does as well."""
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
    executor: Executor | Workers | None = None,
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
    executor : concurrent.futures.Executor or Workers, optional
        Who plays, in place of this process's threads; ``threads`` is then how many each task plays on (1 unless given).
        Players of one's own must be importable there.

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
        if executor is not None:
            played = _play_elsewhere(plan, first, columns, interrupts, Workers.of(executor, threads), progress)
        else:
            engine = Engine(plan)
            played = play_range(engine, first, columns, interrupts, threads=threads, chunk=chunk, progress=progress)
    return Simulation(plan, first, first_rows(columns, played), interrupted=played < deals)


def _play_elsewhere(
    plan: Plan, first: int, columns: Columns, interrupts: Interrupts, workers: Workers, progress: Progress | None
) -> int:
    """Let workers play as many deals as the columns have room for; how many from the first on are there at the end."""
    orders = Orders.of(plan, workers.threads)
    deals = len(columns["deal"])
    tasks = [(start, min(_TASK_DEALS, deals - start)) for start in range(0, deals, _TASK_DEALS)]
    played: dict[int, int] = {}
    crew = Crew[tuple[int, int], Columns](workers, interrupts)
    for (start, size), found in crew.results(tasks, play_columns, lambda task: (orders, first + task[0], task[1])):
        for name, values in found.items():
            columns[name][start : start + size] = values
        played[start] = size
        if progress is not None:
            progress(sum(played.values()))
    done = 0
    while done in played:
        done += played[done]
    return done


def simulate_to_folder(
    plan: Plan,
    folder: str | os.PathLike[str] | Storage,
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
    executor: Executor | Workers | None = None,
) -> Manifest:
    """Play deals shard by shard into a run folder, or what a URL names, in memory for one shard.

    ``interrupts`` may be one that the caller has open already. With ``resume``, what the folder holds is kept, and only
    what is missing or damaged is played; ``notice`` is called with a sentence about that. With an ``executor``, its
    workers play the shards, ``threads`` threads each (1 unless given), and write them into the folder, which they must
    share.

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
        done = writer.deals
        if resume and notice is not None:
            _say_what_is_there(writer, done, deals, notice)
        if executor is not None:
            _write_elsewhere(plan, writer, pieces, interrupts, Workers.of(executor, threads), progress)
        elif pieces and not interrupts.requested:
            _write_here(plan, writer, pieces, interrupts, threads, chunk, progress)
        if not writer.deals:
            raise KeyboardInterrupt
        return writer.finish("complete" if writer.deals == deals else "interrupted")


def _write_here(
    plan: Plan,
    writer: RunWriter,
    pieces: Iterable[Piece],
    interrupts: Interrupts,
    threads: int | None,
    chunk: int,
    progress: Progress | None,
) -> None:
    """Play what is missing on this process's threads, one shard after the other."""
    engine = Engine(plan)
    for piece in pieces:
        before = writer.deals
        report = None if progress is None else (lambda played, before=before: progress(before + played))
        columns = play_piece(engine, writer.storage, piece, interrupts, threads=threads, chunk=chunk, progress=report)
        if columns is not None:
            writer.add(piece.number, piece.first, columns)
        if interrupts.requested:
            return


def _write_elsewhere(
    plan: Plan,
    writer: RunWriter,
    pieces: Iterable[Piece],
    interrupts: Interrupts,
    workers: Workers,
    progress: Progress | None,
) -> None:
    """Let workers play and write what is missing, and record each shard as it is finished."""
    orders = Orders.of(plan, workers.threads)
    place = writer.storage.for_workers()
    crew = Crew[Piece, Shard](workers, interrupts)
    for _, shard in crew.results(pieces, write_piece, lambda piece: (orders, place, piece)):
        writer.record_there(shard)
        if progress is not None:
            progress(writer.deals)


def _say_what_is_there(writer: RunWriter, done: int, deals: int, notice: Notice) -> None:
    for fault in writer.damaged:
        notice(f"{fault}; its deals are played again")
    if done == deals:
        notice(f"{writer.storage}: all {deals:,} deals are there already; nothing to do")
    elif done:
        notice(f"{writer.storage}: {done:,} of {deals:,} deals are there already")


def play_piece(
    engine: Engine,
    storage: Storage,
    piece: Piece,
    interrupts: Interrupts,
    *,
    threads: int | None = None,
    chunk: int = CHUNK_DEALS,
    progress: Progress | None = None,
) -> Columns | None:
    """Play what is missing of a shard; the rest is read from where the run is kept.

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
        for name, values in from_polars(read_shard(storage, piece.kept)).items():
            columns[name][:kept] = values
    rest = {name: values[kept:] for name, values in columns.items()}
    played = play_range(engine, piece.first + kept, rest, interrupts, threads=threads, chunk=chunk, progress=progress)
    if not played:
        return None
    return columns if kept + played == piece.deals else first_rows(columns, kept + played)


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
