"""Chunks of work on threads, and Ctrl-C as a request to stop between them.

A kernel cannot be interrupted, so work is cut into chunks, and an interrupt keeps those that are finished.
"""

import operator
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import FrameType, TracebackType
from typing import Final, Self, TypeVar

from mjsim.errors import RunError

Result = TypeVar("Result")

MAX_THREADS: Final = 1024
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """While it is open, what would raise KeyboardInterrupt, such as Ctrl-C, only sets ``requested``.

    An exception could come while a shard is being written and cost all its deals. Handlers that do anything else than
    raise KeyboardInterrupt are left alone, and so is everything in other threads than the main one, where no signal
    arrives.

    Examples
    --------
    >>> with Interrupts() as interrupts:
    ...     signal.raise_signal(signal.SIGINT)
    ...     interrupts.requested
    True
    """

    def __init__(self) -> None:
        self.requested = False
        self._taken_over: list[signal.Signals] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) is signal.default_int_handler:
                    self._taken_over.append(number)
                    signal.signal(number, self._request)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number in self._taken_over:
            if signal.getsignal(number) == self._request:
                signal.signal(number, signal.default_int_handler)

    def _request(self, number: int, frame: FrameType | None) -> None:
        self.requested = True


def undisturbed(work: Callable[[], Result]) -> Result:
    """Do work that can be done again, as often as it takes without being broken off.

    polars listens to Ctrl-C itself, whatever handler Python has, and leaves what it is doing with KeyboardInterrupt,
    which must not cost a shard of finished deals.
    """
    while True:
        try:
            return work()
        except KeyboardInterrupt:
            continue


def shown(number: int) -> str:
    """A number as messages show it: its digits, or how long it is.

    >>> shown(12), shown(10**4000)
    ('12', 'of 13,288 bits')
    """
    return str(number) if number.bit_length() <= 128 else f"of {number.bit_length():,} bits"


def whole_number(key: str, value: object) -> int:
    """A whole number of any kind as an int.

    >>> whole_number("seed", 7)
    7
    """
    try:
        return operator.index(value)  # type: ignore[arg-type]  # what is no whole number raises
    except TypeError:
        raise RunError(f"{key} {value!r}: a whole number expected") from None


def check_threads(threads: int | None, chunk: int) -> None:
    """Refuse numbers of threads, or of deals in a chunk, that cannot be."""
    if threads is not None and not 1 <= whole_number("threads", threads) <= MAX_THREADS:
        raise RunError(f"threads {threads}: must be 1 to {MAX_THREADS}")
    if whole_number("chunk", chunk) < 1:
        raise RunError(f"chunk {chunk}: must be at least 1")


def run_chunks(
    spans: Iterator[tuple[int, int]],
    work: Callable[[int, int], object],
    interrupts: Interrupts,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Do chunks of work on threads, in order.

    Parameters
    ----------
    spans : iterator of tuple of int
        Start and size of each chunk.
    work : callable
        Does one chunk, given its start and size.
    interrupts : Interrupts
        Asked before each chunk whether to stop.
    threads : int, optional
        All processors unless given.
    progress : callable, optional
        Called with the size of all chunks done so far, after each.

    Returns
    -------
    int
        Size of all chunks done, counted without a gap from the first; after an interrupt less than all.
    """
    workers = threads or os.cpu_count() or 1
    done = 0
    running: deque[tuple[int, Future[object]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            while True:
                while not interrupts.requested and len(running) < 2 * workers and (span := next(spans, None)):
                    running.append((span[1], pool.submit(work, *span)))
                if interrupts.requested:
                    _cancel(running)
                if not running:
                    return done
                size, chunk = running.popleft()
                if chunk.cancelled():
                    return done
                chunk.result()
                done += size
                if progress is not None:
                    progress(done)
        except BaseException as error:
            _cancel(running)
            if isinstance(error, KeyboardInterrupt):
                return done
            raise


def _cancel(running: deque[tuple[int, Future[object]]]) -> None:
    """Cancel the chunks that no thread has begun."""
    for _, chunk in running:
        chunk.cancel()
