"""The ``mjsim`` command.

``app`` declares the commands and imports nothing heavy, so that ``mjsim --help`` is instant; the other modules do what
the commands say and are imported when they are needed. Only ``results`` knows `analysis`.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process."""
    try:
        from mjsim.cli.app import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
