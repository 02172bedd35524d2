"""Finding and reading ruleset files: shipped ones by name, a user's by path, and what they extend."""

import functools
import os
import re
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any, NamedTuple

from mjsim.errors import RulesError
from mjsim.rules.check import Origins, near_matches, plain_tables, printable, show
from mjsim.rules.model import Ruleset
from mjsim.rules.settings import merge_tables, nested_settings

LARGEST_FILE = 1_000_000  # bytes
# Keys nested by the thousand (a.a.a.…) would cost the TOML parser quadratic time and memory.
MOST_DOTS_IN_LINE = 200

_RULESETS = resources.files("mjsim.rules")


class _Layer(NamedTuple):
    """One file of a chain of files that extend each other."""

    label: str
    tables: dict[str, Any]


class _Place(NamedTuple):
    """Where a ruleset file is: the name of one that comes with mjsim, or a path."""

    name: str
    shipped: bool

    @property
    def label(self) -> str:
        return printable(self.name)

    @property
    def identity(self) -> str:
        return self.name if self.shipped else os.path.realpath(self.name)


def builtin_names() -> tuple[str, ...]:
    """Return the names of the built-in rulesets, sorted.

    >>> "liuzhou" in builtin_names()
    True
    """
    return _names_in(".")


def variant_names() -> tuple[str, ...]:
    """Return the names of the shipped variants, sorted; each extends a built-in ruleset.

    >>> "liuzhou_no_rob_kong" in variant_names()
    True
    """
    return _names_in("variants")


@functools.cache
def _names_in(folder: str) -> tuple[str, ...]:
    names = (file.name for file in _RULESETS.joinpath(folder).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def extended_name(name_or_path: str | os.PathLike[str]) -> str | None:
    """Return what a ruleset's file extends, as written there; None where it is complete by itself.

    >>> extended_name("liuzhou_no_rob_kong"), extended_name("liuzhou")
    ('liuzhou', None)
    """
    heading = _read(_place(name_or_path)).get("ruleset")
    extends = heading.get("extends") if isinstance(heading, dict) else None
    return extends if isinstance(extends, str) else None


def load_rules(name_or_path: str | os.PathLike[str], /, **overrides: Any) -> Ruleset:
    """Read and validate a ruleset.

    Parameters
    ----------
    name_or_path : str or path
        The name of a built-in ruleset, such as "liuzhou", or of a variant, or the path of a TOML file: text with a
        path separator or ending in `.toml` is a path.
    **overrides
        Keys to change, each by its full path (`**{"fishing.reserve": "picked"}`) or by its last name where only one
        key has it (`reserve="picked"`).

    Raises
    ------
    RulesError
        If there is no such ruleset, the file cannot be read, or anything in it or in the overrides is wrong; the
        message has a line for each thing.

    Examples
    --------
    >>> rules = load_rules("liuzhou", max_labels=1)
    >>> rules.name, rules.fishing.max_labels, rules.value.discard.special
    ('liuzhou', 1, 3)
    """
    place = _place(name_or_path)
    layers = list(_layers(place))
    origins = Origins(place.label)
    data: dict[str, Any] = {}
    for layer in reversed(layers):
        merge_tables(data, layer.tables, layer.label, origins)
    merge_tables(data, nested_settings(Ruleset, overrides), f"setting for {place.label}", origins)
    return Ruleset.from_dict(data, place.name, origins)


def _place(name_or_path: str | os.PathLike[str]) -> _Place:
    if not isinstance(name_or_path, str | os.PathLike):
        raise RulesError(f"{show(name_or_path)}: a ruleset is given by its name or the path of its file")
    name = os.fsdecode(name_or_path)
    if "\0" in name:
        raise RulesError(f"{show(name)}: not a possible file name")
    separators = {"/", os.sep, os.altsep or os.sep}
    if isinstance(name_or_path, os.PathLike) or name.endswith(".toml") or separators & set(name):
        return _Place(name, shipped=False)
    shipped = (*builtin_names(), *variant_names())
    if name in shipped:
        return _Place(name, shipped=True)
    if os.path.isfile(name):
        hint = f"; for the file of that name write {printable(os.path.join('.', name))}"
    else:
        hint = near_matches(name, shipped) or "; a file is given by a path that ends in .toml"
    raise RulesError(f"no built-in ruleset {show(name)} (there is {', '.join(builtin_names())}){hint}")


def _layers(place: _Place) -> Iterator[_Layer]:
    """Yield the tables of the ruleset at `place`, then of the one it extends, and so on."""
    seen = [place]
    tables = _read(place)
    while True:
        heading = tables.get("ruleset")
        if not isinstance(heading, dict) or "extends" not in heading:
            yield _Layer(place.label, tables)
            return
        extends = heading.pop("extends")
        yield _Layer(place.label, tables)
        place = _extended(place, extends)
        if place.identity in {other.identity for other in seen}:
            chain = " extends ".join(other.label for other in (*seen, place))
            raise RulesError(f"{seen[-1].label}: ruleset.extends goes in a circle: {chain}")
        where = f"{seen[-1].label}: ruleset.extends = {show(extends)}"
        seen.append(place)
        tables = _read(place, where)


def _extended(place: _Place, extends: object) -> _Place:
    where = f"{place.label}: ruleset.extends = {show(extends)}"
    if not isinstance(extends, str):
        raise RulesError(f"{where}: must be the name of a built-in ruleset or the path of a file")
    try:
        base = _place(extends)
    except RulesError as error:
        raise RulesError(f"{where}: {error}") from None
    if base.shipped:
        return base
    return _Place(os.path.join(os.path.dirname(place.name), base.name), shipped=False)


def _read(place: _Place, extended_by: str = "") -> dict[str, Any]:
    """Read one file; `extended_by` names the key that asked for it, for messages."""
    label = f"{extended_by}: {place.label}" if extended_by else place.label
    try:
        if place.shipped:
            folder = "." if place.name in builtin_names() else "variants"
            raw = _RULESETS.joinpath(folder, f"{place.name}.toml").read_bytes()
        else:
            with open(place.name, "rb") as file:
                raw = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise RulesError(f"{label}: no such file") from None
    except IsADirectoryError:
        raise RulesError(f"{label}: a folder, not a ruleset file") from None
    except OSError as error:
        raise RulesError(f"{label}: cannot be read: {error.strerror or error}") from None
    except ValueError:  # characters that no file name can hold
        raise RulesError(f"{label}: not a possible file name") from None
    if len(raw) > LARGEST_FILE:
        raise RulesError(f"{label}: over {LARGEST_FILE} bytes, too large for a ruleset file")
    return _parsed(raw, label)


def _parsed(raw: bytes, label: str) -> dict[str, Any]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = raw.count(b"\n", 0, error.start) + 1
        raise RulesError(f"{label}: not UTF-8 text (line {number}, byte 0x{raw[error.start]:02x})") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_DOTS_IN_LINE:
            raise RulesError(f"{label}: line {number}: over {MOST_DOTS_IN_LINE} dots in one line")
    try:
        return plain_tables(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise RulesError(f"{label}: {_position(str(error), text)}") from None
    except RecursionError:
        raise RulesError(f"{label}: not TOML that can be read: brackets nested too deeply") from None
    except ValueError:  # Python refuses to read decimal numbers of more than some thousand digits
        digits = re.search(r"[0-9_]{4000,}", text)
        where = _line_and_column(text, digits.start()) if digits else "somewhere"
        raise RulesError(f"{label}: {where}: a number with too many digits") from None


def _position(message: str, text: str) -> str:
    """Put the line and column of a TOML error first."""
    what, _, where = message.rpartition(" (at ")
    found = re.fullmatch(r"line (\d+), column (\d+)\)", where)
    place = f"line {found[1]}, column {found[2]}" if found else _line_and_column(text, len(text))
    return f"{place}: not TOML: {printable(what or message)}"


def _line_and_column(text: str, index: int) -> str:
    line = text.count("\n", 0, index) + 1
    return f"line {line}, column {index - text.rfind(chr(10), 0, index)}"
