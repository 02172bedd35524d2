"""What a person sees while deals are played: a bar on a terminal, elsewhere a line now and then."""

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from mjsim.dataset.storage import without_secrets
from mjsim.rules.check import printable_lines

#: Seconds before the first line, and between two.
FIRST_LINE: Final = 1.0
BETWEEN_LINES: Final = 5.0
#: Seconds before a rate means anything.
SETTLING: Final = 0.3
#: Seconds that tables and a compiled engine with the usual players take.
ENGINE_SECONDS: Final = 8

Report = Callable[[int], None]


def typed_command() -> str:
    """The command that runs, as it can be typed again.

    Bytes that are no UTF-8 text are written as escapes, and passwords in URLs not at all.
    """
    words = shlex.join(["mjsim", *map(without_secrets, sys.argv[1:])])
    return words.encode("utf-8", "backslashreplace").decode("utf-8")


def say(message: str) -> None:
    """Tell the person at the keyboard, on standard error, with nothing in it that a terminal would obey."""
    print(printable_lines(message), file=sys.stderr, flush=True)


@contextmanager
def deal_progress(deals: int) -> Iterator[Report]:
    """Show how many of so many deals are played; yields a function to call with that number."""
    if sys.stderr.isatty():
        with _bar(deals) as report:
            yield report
    else:
        yield Lines(deals)


class Pace:
    """How fast deals are played, and how long the others will take.

    The clock starts at the first report, so that loading and compiling do not count.
    """

    def __init__(self, deals: int) -> None:
        self._deals = deals
        self._start: tuple[float, int] | None = None

    def text(self, now: float, played: int) -> str:
        """Rate and time left; empty before there is anything to measure."""
        if self._start is None:
            self._start = now, played
        begun, before = self._start
        if now < begun + SETTLING or played <= before:
            return ""
        rate = (played - before) / (now - begun)
        return f"{rate:,.0f} deals/s, {duration((self._deals - played) / rate)} left"


class Lines:
    """Progress as lines on standard error; none for a run that is over at once."""

    def __init__(self, deals: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._deals = deals
        self._clock = clock
        self._pace = Pace(deals)
        self._next = clock() + FIRST_LINE

    def __call__(self, played: int) -> None:
        """Take note of the number of deals played so far."""
        now = self._clock()
        pace = self._pace.text(now, played)
        if now >= self._next and pace:
            self._next = now + BETWEEN_LINES
            say(f"{played:,} of {self._deals:,} deals, {pace}")


@contextmanager
def _bar(deals: int) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    pace = Pace(deals)
    columns = (
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TextColumn("{task.completed:,.0f} deals"),
        TextColumn("{task.fields[pace]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=deals, pace="")

        def report(played: int) -> None:
            progress.update(task, completed=played, pace=pace.text(time.monotonic(), played))

        yield report


def duration(seconds: float) -> str:
    """A time as a person says it.

    >>> duration(4.2), duration(75), duration(7325)
    ('4 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def announce_compiling(kernel: str, seconds: int = ENGINE_SECONDS) -> None:
    """Say once that a kernel, named as ``module.function``, must be compiled first, if it must, and about how long."""
    from mjsim import jit

    if jit.DISABLED:
        return
    folder = jit.kernel_cache()
    if folder is None:
        say(f"Compiling the engine and its tables (about {seconds} s).")
    elif not any(folder.glob(f"*/{kernel}-*.nbc")):
        say(f"Compiling the engine and its tables once (about {seconds} s); later starts are instant.")
