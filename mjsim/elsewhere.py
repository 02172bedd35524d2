"""Deals played by other processes or machines: any `concurrent.futures.Executor`, such as a Dask cluster's.

A task is a range of deals that a worker plays on its own threads. What travels there is the plan; what comes back is
small, a shard's entry for ``run.json`` or what the deals came to, or, for deals in memory, their columns.
"""

import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pickle import PicklingError
from typing import Any, Final, Generic, TypeVar

from mjsim.dataset.columns import empty_columns
from mjsim.dataset.frames import Columns
from mjsim.dataset.shards import Shard, write_shard
from mjsim.dataset.storage import LocalFolder, Storage
from mjsim.dataset.writer import Piece
from mjsim.engine import Engine, Plan
from mjsim.errors import MjsimError, PlayerError, RunError
from mjsim.ranges import play_range, work_on_pieces
from mjsim.workers import Interrupts, check_threads

Result = TypeVar("Result")
Key = TypeVar("Key")

#: How often the one that waits for tasks looks whether it is to stop, in seconds.
_LOOK_EVERY: Final = 0.2


def _twice_the_processors() -> int:
    return 2 * (os.cpu_count() or 1)


@dataclass(frozen=True)
class Workers:
    """Who plays.

    Attributes
    ----------
    executor : concurrent.futures.Executor
        Runs tasks: threads, processes, or a cluster (``distributed.Client(…).get_executor(pure=False)``).
    tasks : callable
        Says how many tasks it is to have at a time: twice as many as it runs at once keep it busy.
    threads : int
        Threads that each task plays on.
    lost : tuple of exception types
        What the executor raises where its workers are gone or cannot work, beside what the standard library's raise.
    """

    executor: Executor
    tasks: Callable[[], int] = _twice_the_processors
    threads: int = 1

    lost: tuple[type[Exception], ...] = ()

    @staticmethod
    def of(executor: "Executor | Workers", threads: int | None) -> "Workers":
        """An executor with the usual numbers of tasks and threads."""
        return executor if isinstance(executor, Workers) else Workers(executor, threads=threads or 1)

    def __post_init__(self) -> None:
        check_threads(self.threads, 1)


@dataclass(frozen=True)
class Orders:
    """What a worker is told of the deals it is to play, beside their range.

    Attributes
    ----------
    plan : Plan
    threads : int
    mjsim : str
        Version of mjsim, which must be the worker's too.
    sources : tuple of str
        Hashes of the players' sources, likewise.
    """

    plan: Plan
    threads: int
    mjsim: str
    sources: tuple[str, ...]

    @staticmethod
    def of(plan: Plan, threads: int) -> "Orders":
        """The orders for a plan."""
        return Orders(plan, threads, version("mjsim"), tuple(each.source_hash for each in plan.players))

    def play(self, first: int, deals: int) -> Columns:
        """Play deals where this is called."""
        self._refuse_other_version()
        columns = empty_columns(deals)
        # No signal handler of the worker's is touched: who gave the task stops it.
        play_range(_engine_of(self), first, columns, Interrupts(), threads=self.threads)
        return columns

    def work_on_pieces(self, first: int, deals: int, work: Callable[[Columns], Result]) -> Iterator[tuple[int, Result]]:
        """Play deals where this is called, as `mjsim.ranges.work_on_pieces` does."""
        self._refuse_other_version()
        return work_on_pieces(_engine_of(self), first, deals, Interrupts(), work, threads=self.threads)

    def _refuse_other_version(self) -> None:
        here = version("mjsim")
        if here != self.mjsim:
            raise RunError(f"a worker has mjsim {here}, not {self.mjsim}; install the same everywhere")
        for player, source in zip(self.plan.players, self.sources, strict=True):
            if player.source_hash != source:
                raise PlayerError(f"player {player.name!r} is another on a worker; install the same everywhere")


_engines: Final[dict[str, Engine]] = {}
_compiling = threading.Lock()


def _engine_of(orders: Orders) -> Engine:
    """The engine of a plan, which each process makes once."""
    plan = orders.plan
    known = (plan.rules.to_dict(), orders.sources, plan.seed, plan.session, plan.fish)
    key = hashlib.sha256(repr(known).encode()).hexdigest()
    with _compiling:
        if key not in _engines:
            _engines.clear()  # a worker plays one plan at a time, and guests' tables are large
            _engines[key] = Engine(plan)
        return _engines[key]


def play_columns(orders: Orders, first: int, deals: int) -> Columns:
    """A task: play deals and return their columns."""
    return orders.play(first, deals)


def write_piece(orders: Orders, storage: Storage, piece: Piece) -> Shard:
    """A task: play a shard and write it where all workers write."""
    columns = orders.play(piece.first, piece.deals)
    try:
        return write_shard(storage, piece.number, piece.first, columns)
    except OSError as error:
        advice = "share it, by the same name" if isinstance(storage, LocalFolder) else "reach it, with credentials"
        raise RunError(
            f"{storage}: a worker cannot write there: {error.strerror}; all workers must {advice}"
        ) from error


class Crew(Generic[Key, Result]):
    """Gives tasks to workers, a few at a time, and takes what they return.

    Parameters
    ----------
    workers : Workers
    interrupts : Interrupts
        Once it is requested, no task is given out, and those that have begun are waited for where the executor cannot
        cancel them: the standard library's cannot, Dask's can.
    """

    def __init__(self, workers: Workers, interrupts: Interrupts) -> None:
        self._workers = workers
        self._interrupts = interrupts
        self._running: dict[Future[Result], Key] = {}

    def results(
        self, tasks: Iterable[Key], work: Callable[..., Result], arguments: Callable[[Key], tuple[Any, ...]]
    ) -> Iterator[tuple[Key, Result]]:
        """Yield each task with what ``work`` returned for its arguments, in the order in which they are finished.

        Raises
        ------
        RunError, PlayerError
            Where a worker raised one, or the workers are gone.
        """
        waiting = iter(tasks)
        try:
            while True:
                while not self._interrupts.requested and len(self._running) < self._workers.tasks():
                    task = next(waiting, None)
                    if task is None:
                        break
                    with self._explained():
                        self._running[self._workers.executor.submit(work, *arguments(task))] = task
                if self._interrupts.requested:
                    self._running = {each: task for each, task in self._running.items() if not each.cancel()}
                if not self._running:
                    return
                done, _ = wait(self._running, timeout=_LOOK_EVERY, return_when=FIRST_COMPLETED)
                for future in done:
                    task = self._running.pop(future)
                    with self._explained():
                        yield task, future.result()
        finally:
            for future in self._running:
                future.cancel()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say in words what became of the workers."""
        gone: tuple[type[Exception], ...] = (BrokenExecutor, CancelledError, *self._workers.lost)
        try:
            yield
        except MjsimError:
            raise
        except gone as error:
            reason = (str(error) or type(error).__name__).partition("\n")[0]
            raise RunError(
                f"the workers are gone or cannot work ({reason}); start them again, with the same mjsim everywhere"
            ) from error
        except (PicklingError, AttributeError) as error:
            raise PlayerError(
                f"a player cannot be sent to other processes ({error}); define it at the top of a module of its own"
            ) from error
