"""Running the ``mjsim`` command: in this process, which is quick, or as one of its own."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import mjsim
from mjsim.cli import main

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Done:
    """What a command ended with and printed."""

    status: int
    out: str
    err: str


def run(*arguments: object, stdin: bytes = b"") -> Done:
    """Run a command in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    status = None
    with (
        patch.object(sys, "argv", ["mjsim", *map(str, arguments)]),
        patch.object(sys, "stdin", given),
        patch.object(warnings, "formatwarning"),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            main()
        except SystemExit as end:
            status = end.code
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    assert isinstance(status, int)
    return Done(status, *(_written(stream) for stream in (out, err)))


def _written(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")


def start(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start a command as a process of its own, with pipes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    defaults: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    # A suite started in the background may have been told to ignore Ctrl-C, and its children would be with it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "mjsim", *map(str, arguments)], env=environment, **(defaults | options)
        )
    finally:
        signal.signal(signal.SIGINT, before)


def warm_up() -> None:
    """Compile what commands need, so that none has anything to say about it."""
    mjsim.score(mjsim.replay("liuzhou", deal=0).case)
