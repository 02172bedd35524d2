"""A process that has all of mjsim loaded, and becomes an ``mjsim`` command for each line that it reads.

Started with the number of deals in a shard. Each line is a JSON list: a file for what the command prints, and its
arguments. The answers are the process id of the command, and after one more line its exit status, below zero for a
signal.
"""

import json
import os
import signal
import sys
from unittest.mock import patch

STOPPING = (signal.SIGINT, signal.SIGTERM)


def become(log: str, arguments: list[str]) -> None:
    """Run a command as the process forked for it; does not return."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["mjsim", *arguments]
    status = 130
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except KeyboardInterrupt:
        pass  # before the command had begun or after its end
    finally:
        sys.stdout.flush()
        os._exit(status)


def serve() -> None:
    """Answer lines until there are no more."""
    for line in iter(sys.stdin.readline, ""):
        log, *arguments = json.loads(line)
        # A signal that comes before the command listens waits for it.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        child = os.fork()
        if child == 0:
            become(log, arguments)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        print(child, flush=True)
        sys.stdin.readline()  # until it is waited for, its number stands for no other process
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    # Everything that a command would have to load.
    import polars  # noqa: F401

    import mjsim.cli.playing
    import mjsim.transcript.events
    from mjsim.cli import main

    patch("mjsim.ranges.SHARD_DEALS", int(sys.argv[1])).start()
    mjsim.simulate("liuzhou", deals=1)
    serve()
