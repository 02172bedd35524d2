"""Validation of nested tables against a model, and what a user is told about everything that is wrong at once.

Every phrase about what is allowed comes from the model's own JSON Schema: messages cannot drift from the checks.
"""

import datetime
import difflib
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from mjsim.errors import RulesError

Path = tuple[str, ...]
"""Where a key stands: the names of its tables and its own."""

Model = TypeVar("Model", bound=BaseModel)

# Rulesets nest four deep; whatever lies deeper is an unknown key whose inside does not matter.
DEEPEST_TABLE = 8
MOST_PROBLEMS_SHOWN = 100
LONGEST_TEXT_SHOWN = 60


def printable(text: str) -> str:
    """`text` with everything escaped that could not be printed on one line of any terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def printable_lines(text: str) -> str:
    """`text` with each of its lines printable."""
    return "\n".join(printable(line) for line in text.split("\n"))


def show(value: object) -> str:
    """Write a value the way a TOML file would, shortened where it is long.

    >>> show(True), show(3), show("all"), show({"a": 1})
    ('true', '3', '"all"', 'a table')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # Decimal digits of a huge number cost quadratic time, and Python refuses them.
        return str(int(value)) if value.bit_length() <= 128 else f"a number of {value.bit_length():,} bits"
    if isinstance(value, str):
        text = value if len(value) <= LONGEST_TEXT_SHOWN else value[:LONGEST_TEXT_SHOWN] + "…"
        return '"' + printable(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, float | datetime.date | datetime.time):
        return str(value)
    return f"a {type(value).__name__}"


def show_path(path: Iterable[str]) -> str:
    """Write a key's full path, quoting the names that TOML would want quoted."""
    return ".".join(name if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", name) else show(name) for name in path)


def listing(words: Iterable[str]) -> str:
    """Join alternatives: "a", "a or b", "a, b or c"."""
    *front, last = list(words)
    return f"{', '.join(front)} or {last}" if front else last


def near_matches(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean …?" where something known looks like `word`, and otherwise nothing."""
    found = difflib.get_close_matches(word[:LONGEST_TEXT_SHOWN], sorted(set(known)), n=3, cutoff=0.6)
    return f"; did you mean {listing(found)}?" if found else ""


def plain_tables(data: Mapping[Any, Any], depth: int = 1) -> dict[str, Any]:
    """Copy nested mappings as dicts with string keys; what lies too deep for a ruleset is left empty."""
    tables: dict[str, Any] = {}
    for key, value in data.items():
        name = key if isinstance(key, str) else show(key)
        if isinstance(value, Mapping):
            tables[name] = plain_tables(value, depth + 1) if depth < DEEPEST_TABLE else {}
        else:
            tables[name] = value
    return tables


def table_of(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    """Return the model of the table that field `name` holds; None when the field holds a single value."""
    annotation = model.model_fields[name].annotation
    for kind in (annotation, *get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def contradiction(found: list[tuple[str, str]]) -> PydanticCustomError:
    """Wrap contradictions, each a key below the model that found it and what is wrong, for :func:`validated`."""
    return PydanticCustomError("contradiction", "keys that contradict each other", {"found": found})


class Origins:
    """Which file or setting each key came from."""

    def __init__(self, label: str) -> None:
        self.label = printable(label)
        self._labels: dict[Path, str] = {}

    def record(self, path: Path, label: str) -> None:
        """Remember that the key at `path` was written in `label`."""
        self._labels[path] = printable(label)

    def of(self, path: Path) -> str:
        """Return where `path`, or else the closest table around it, was written."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._labels:
                return self._labels[path[:length]]
        return self.label

    def of_contradiction(self, path: Path) -> str:
        """Return where a contradiction at `path` was made: never in a file that is extended, valid by itself."""
        own = self.of(path)
        return own if own == f"setting for {self.label}" else self.label


def validated(model: type[Model], data: dict[str, Any], origins: Origins) -> Model:
    """Validate `data`; raise one RulesError that tells everything wrong with it, in the model's order."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False)
    unknown = [detail for detail in found if detail["type"] == "extra_forbidden"]
    if unknown:
        # A table with an unknown key is not searched for contradictions, so look again without those keys.
        data = plain_tables(data)
        for detail in unknown:
            _drop(data, _path(detail))
        try:
            model.model_validate(data)
            found = unknown
        except ValidationError as error:
            found = unknown + error.errors(include_url=False)
    raise RulesError(_report(model, found, origins))


def _path(detail: ErrorDetails) -> Path:
    return tuple(str(part) for part in detail["loc"])


def _drop(data: dict[str, Any], path: Path) -> None:
    for name in path[:-1]:
        data = data[name]
    del data[path[-1]]


def _report(model: type[BaseModel], found: list[ErrorDetails], origins: Origins) -> str:
    problems = [problem for detail in found for problem in _problems(model, detail)]
    problems.sort(key=lambda problem: _order(model, problem[0]))
    schema = _schema(model)
    lines = [
        f"{origins.of_contradiction(path)}: {show_path(path)}{text}"
        if text
        else f"{origins.of(path)}: {show_path(path)}{_explained(model, schema, path, detail)}"
        for path, text, detail in problems[:MOST_PROBLEMS_SHOWN]
    ]
    if len(problems) > MOST_PROBLEMS_SHOWN:
        lines.append(f"and {len(problems) - MOST_PROBLEMS_SHOWN:,} more")
    return "\n".join(lines)


@functools.cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON Schema, which takes pydantic ten times as long to write as a ruleset to read."""
    return model.model_json_schema()


def _problems(model: type[BaseModel], detail: ErrorDetails) -> Iterator[tuple[Path, str | None, ErrorDetails]]:
    """Split one finding into one problem per key; the text is None where it is still to be explained."""
    path = _path(detail)
    if detail["type"] == "contradiction":
        for key, text in detail["ctx"]["found"]:
            yield (*path, *key.split(".")), f": {text}", detail
    elif detail["type"] == "missing":
        for missing in _required_below(model, path):
            yield missing, None, detail
    else:
        yield path, None, detail


def _table_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    table: type[BaseModel] | None = model
    for name in path:
        if table is None or name not in table.model_fields:
            return None
        table = table_of(table, name)
    return table


def _required_below(model: type[BaseModel], path: Path) -> Iterator[Path]:
    table = _table_at(model, path)
    if table is None:
        yield path
        return
    for name, field in table.model_fields.items():
        if field.is_required():
            yield from _required_below(model, (*path, name))


def _order(model: type[BaseModel], path: Path) -> tuple[tuple[int, str], ...]:
    """Sort by the model's order of keys; unknown keys come last in their table."""
    ranks = []
    table: type[BaseModel] | None = model
    for name in path:
        known = list(table.model_fields) if table is not None else []
        ranks.append((known.index(name) if name in known else len(known), name))
        table = table_of(table, name) if table is not None and name in known else None
    return tuple(ranks)


def _explained(model: type[BaseModel], schema: dict[str, Any], path: Path, detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        table = _table_at(model, path[:-1])
        known = list(table.model_fields) if table is not None else []
        return f" = {show(detail['input'])}: unknown key" + (near_matches(path[-1], known) or _known_keys(known))
    if detail["type"] == "missing":
        return f": missing; must be {_allowed(schema, path)}"
    return f" = {show(detail['input'])}: must be {_allowed(schema, path)}"


def _known_keys(known: list[str]) -> str:
    return f"; known here: {', '.join(known)}" if known else ""


def _allowed(schema: dict[str, Any], path: Path) -> str:
    here: dict[str, Any] = schema
    for name in path:
        here = _table_schema(schema, here)["properties"][name]
    return _phrase(here)


def _table_schema(schema: dict[str, Any], here: dict[str, Any]) -> dict[str, Any]:
    for option in (here, *here.get("anyOf", ())):
        if "$ref" in option:
            definition: dict[str, Any] = schema["$defs"][option["$ref"].rpartition("/")[2]]
            return definition
    return here


def _phrase(schema: dict[str, Any]) -> str:
    """Say in words what a single value's schema allows."""
    if "anyOf" in schema:
        return listing(_phrase(option) for option in schema["anyOf"])
    if "const" in schema:
        return show(schema["const"])
    if "enum" in schema:
        return listing(show(value) for value in schema["enum"])
    if schema.get("type") == "boolean":
        return "true or false"
    if schema.get("type") == "integer":
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    if "pattern" in schema:
        return 'a name of letters, digits, "_", "-" and ".", at most 64 characters'
    if schema.get("type") == "string":
        return f"text of {schema['minLength']} to {schema['maxLength']} characters"
    return "a table"
