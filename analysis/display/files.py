"""Writing a result to a file: one that exists is replaced, and only by a complete one."""

import os
from pathlib import Path

from mjsim.cache import write_atomically
from mjsim.errors import RunError


def refuse_unwritable(file: Path) -> None:
    """Refuse a file that cannot be written, so that nothing is played or read for it in vain.

    Raises
    ------
    RunError
        Says why.
    """
    try:
        _refuse_odd(file)
    except OSError as error:
        raise RunError(f"{str(file)[:80]}: the report cannot be written: {error.strerror}") from error


def write_text(text: str, out: Path) -> None:
    """Write a page, or its numbers in another form.

    Raises
    ------
    RunError
        If the file cannot be written.
    """
    refuse_unwritable(out)
    try:
        # A link is followed: what it names is replaced, and the link stays.
        # Names of files may hold bytes that are no text; they stand as escapes.
        write_atomically(out.resolve(), text.encode("utf-8", "backslashreplace"))
    except (OSError, RuntimeError) as error:
        raise RunError(f"{out}: the report cannot be written: {error}") from error


def _refuse_odd(file: Path) -> None:
    if not file.name:
        raise RunError("--out is empty; name the file to write")
    if file.exists() and not file.is_dir() and not file.is_file():
        raise RunError(f"{file}: the report cannot be written: it is no ordinary file")
    if file.is_dir():
        raise RunError(f"{file}: the report cannot be written: it is a folder")
    if not file.parent.is_dir():
        raise RunError(f"{file}: the report cannot be written: there is no folder {file.parent}")
    if not os.access(file.parent, os.W_OK):
        raise RunError(f"{file}: the report cannot be written: no permission in {file.parent}")
