"""The ``mjsim`` command.

``app`` declares the commands and imports nothing heavy, so that ``mjsim --help`` is instant; the other modules do what
the commands say and are imported when they are needed. Only ``results`` knows `analysis`.
"""

import gc
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process."""
    # A start makes hundreds of thousands of objects, and nearly all stay: looking for garbage among them after every
    # 700 took a seventh of its time.
    gc.set_threshold(100_000)
    try:
        from mjsim.cli.app import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
