"""Reading files of score cases: TOML, JSON, or the JSON lines of replays."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from mjsim.errors import CaseError

STANDARD_INPUT = "-"
#: Bytes of a file of cases: about a million of them.
LARGEST_FILE = 512 << 20


def read_cases(file: str) -> list[Any]:
    """Read every score case of a file; `-` is standard input.

    Raises
    ------
    CaseError
        Naming the file and, where it is no TOML or JSON, the line.
    """
    label = "standard input" if file == STANDARD_INPUT else file
    text = _text(file, label)
    if not text.strip():
        raise CaseError(f"{label}: is empty; a score case was expected")
    cases = _cases_in(_values(text, Path(file).suffix, label), label)
    if not cases:
        raise CaseError(f"{label}: holds no score case; replay lines have theirs in the line 'settled'")
    return cases


def _text(file: str, label: str) -> str:
    try:
        if file == STANDARD_INPUT:
            raw = sys.stdin.buffer.read(LARGEST_FILE + 1)
        else:
            with Path(file).open("rb") as opened:
                raw = opened.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise CaseError(f"{label}: no such file") from None
    except IsADirectoryError:
        raise CaseError(f"{label}: a folder, not a file of score cases") from None
    except OSError as error:
        raise CaseError(f"{label}: cannot be read: {error.strerror}") from None
    if len(raw) > LARGEST_FILE:
        raise CaseError(f"{label}: over {LARGEST_FILE >> 20} MB; split it into several files")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise CaseError(f"{label}: not UTF-8 text (line {line}, byte 0x{raw[error.start]:02x})") from None


def _values(text: str, suffix: str, label: str) -> list[Any]:
    """What a file holds, as one value, or as one for each line."""
    try:
        return [tomllib.loads(text) if _is_toml(text, suffix) else json.loads(text)]
    except (ValueError, RecursionError) as error:
        if not (isinstance(error, json.JSONDecodeError) and error.msg == "Extra data"):
            raise CaseError(f"{label}: {_complaint(error)}") from None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    values = []
    for number, line in lines:
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise CaseError(f"{label}: line {number}: {_complaint(error)}") from None
    return values


def _complaint(error: ValueError | RecursionError) -> str:
    match error:
        case RecursionError():
            return "brackets nested too deeply"
        case tomllib.TOMLDecodeError():
            return f"not TOML: {error}"
        case json.JSONDecodeError():
            place = f"line {error.lineno}, column {error.colno}" if "\n" in error.doc else f"column {error.colno}"
            return f"not JSON: {error.msg} ({place})"
        case _:  # Python refuses to read numbers of more than some thousand digits
            return "a number with too many digits"


def _is_toml(text: str, suffix: str) -> bool:
    """Whether a text is TOML rather than JSON: as its name says, or else as it begins.

    A JSON case begins with a brace, a list of them with a bracket and a brace; two brackets are TOML's.
    """
    if suffix in {".toml", ".json", ".jsonl"}:
        return suffix == ".toml"
    return "".join(text.split(maxsplit=2)[:2])[:2] not in {"[{", "[]"} and not text.lstrip().startswith("{")


def _cases_in(values: list[Any], label: str) -> list[Any]:
    cases: list[Any] = []
    for value in values:
        if isinstance(value, list):
            cases += _cases_in(value, label)
        elif isinstance(value, dict) and "event" in value:
            cases += [value["case"]] if "case" in value else []
        elif isinstance(value, dict) and "case" in value:
            others = [key for key in value if key != "case"]
            if others:
                raise CaseError(f"{label}: {others[0]}: there is no such key beside the list of cases")
            inner = value["case"]
            cases += inner if isinstance(inner, list) else [inner]
        else:
            cases.append(value)
    return cases
