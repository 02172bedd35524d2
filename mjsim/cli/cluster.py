"""``--cluster``: the workers of a Dask cluster."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from mjsim.cli.progress import say
from mjsim.elsewhere import Workers
from mjsim.errors import MjsimError, RunError

#: How long a scheduler has to answer.
TIMEOUT: Final = "10s"

#: How often it is asked how many workers there are, in seconds: not for each task, as its answer names them all.
_ASK_EVERY: Final = 1.0


@contextmanager
def workers_at(address: str, threads: int | None) -> Iterator[Workers]:
    """Connect to a Dask scheduler.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.
    threads : int or None
        Threads that each task plays on; 1 unless given, as a worker runs as many tasks at once as it has threads.
    """
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise MjsimError(
            "--cluster needs the package distributed; install it with: pip install 'mjsim[cluster]'"
        ) from None
    try:
        client = Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise RunError(f"--cluster {address}: no Dask scheduler answers there ({reason})") from error
    with client:
        if not client.ncores():
            say(f"{address}: the scheduler has no workers yet; waiting for them")
        tasks = now_and_then(lambda: 2 * max(int(sum(client.ncores().values())), 1))
        yield Workers(client.get_executor(pure=False), tasks, threads or 1, (KilledWorker, RuntimeError))


def now_and_then(ask: Callable[[], int], every: float = _ASK_EVERY) -> Callable[[], int]:
    """What ``ask`` says, asked anew only after a while.

    >>> answers = iter(range(9))
    >>> slow, eager = (now_and_then(lambda: next(answers), every) for every in (60.0, 0.0))
    >>> slow(), slow(), eager(), eager()
    (0, 0, 1, 2)
    """
    asked, answer = -math.inf, 0

    def last() -> int:
        nonlocal asked, answer
        if time.monotonic() - asked >= every:
            answer, asked = ask(), time.monotonic()
        return answer

    return last
