"""The ``mjsim`` command.

``app`` declares the commands and imports nothing heavy, so that ``mjsim --help`` is instant; the other modules do what
the commands say and are imported when they are needed. Only ``results`` knows `analysis`.
"""

from mjsim.cli.app import main

__all__ = ["main"]
