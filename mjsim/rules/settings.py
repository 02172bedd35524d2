"""Settings: keys of a ruleset changed by name, from Python keywords, a score case's options or `--set KEY=VALUE`."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from mjsim.errors import RulesError
from mjsim.rules.check import Origins, Path, listing, plain_tables, printable, show, show_path, table_of


def key_paths(model: type[BaseModel], above: Path = ()) -> Iterator[Path]:
    """Yield every key that can be set, in the model's order; an optional table counts as a key, before its own keys."""
    for name, field in model.model_fields.items():
        table = table_of(model, name)
        if table is None or field.default is None:
            yield (*above, name)
        if table is not None:
            yield from key_paths(table, (*above, name))


def find_key(model: type[BaseModel], key: str) -> Path:
    """Find the key that `key` names: by its full path, or by its last names where only one key ends in them."""
    paths = {".".join(path): path for path in key_paths(model)}
    if key in paths:
        return paths[key]
    ending = [path for path in paths if path.endswith("." + key)]
    if len(ending) == 1:
        return paths[ending[0]]
    if ending:
        raise RulesError(f"setting {printable(key)}: more than one key has this name; write {listing(ending)}")
    last_name = key.rpartition(".")[2][:60]
    near = difflib.get_close_matches(last_name, {path[-1] for path in paths.values()}, n=1)
    meant = [full for full, path in paths.items() if path[-1] in near]
    hint = f"did you mean {listing(meant)}?" if meant else "keys look like fishing.reserve"
    raise RulesError(f"setting {show(key)}: no such key; {hint}")


def nested_settings(model: type[BaseModel], settings: Mapping[Any, Any]) -> dict[str, Any]:
    """Turn settings by name into nested tables; every name that is wrong is told at once."""
    nested: dict[str, Any] = {}
    taken: dict[Path, str] = {}
    problems = []
    for given, value in settings.items():
        key = given if isinstance(given, str) else show(given)
        try:
            path = find_key(model, key)
        except RulesError as error:
            problems.append(str(error))
            continue
        clash = next((other for other in taken if path[: len(other)] == other or other[: len(path)] == path), None)
        if clash is not None:
            problems.append(f"setting {printable(key)}: {show_path(path)} is already set by {taken[clash]}")
            continue
        taken[path] = printable(key)
        table = nested
        for name in path[:-1]:
            table = table.setdefault(name, {})
        table[path[-1]] = value
    if problems:
        raise RulesError("\n".join(problems))
    return plain_tables(nested)


def parse_setting(text: str) -> tuple[str, Any]:
    """Read `KEY=VALUE` as the command line's `--set` takes it.

    Parameters
    ----------
    text : str
        The value is a TOML value (`true`, `3`, `"text"`); a bare word is taken as text.

    Returns
    -------
    tuple of str and value
        The key as written, and the value.

    Examples
    --------
    >>> parse_setting("third_party=false")
    ('third_party', False)
    >>> parse_setting("fishing.reserve = picked")
    ('fishing.reserve', 'picked')
    """
    key, equals, written = (part.strip() for part in text.partition("="))
    if not equals or not key or not written:
        raise RulesError(f"setting {show(text)}: must be KEY=VALUE, such as fishing.reserve=picked")
    # Text that would go on to a second line could hold more keys than one.
    one_line = "\n" not in written and "\r" not in written
    try:
        if one_line:
            return key, tomllib.loads(f"value = {written}")["value"]
    except (ValueError, RecursionError):  # no TOML, a number of thousands of digits, brackets nested by the thousand
        if re.fullmatch(r"[^\W\d][\w .-]*", written):
            return key, written
    forms = 'true, false, a whole number, a word or "text in quotes"'
    raise RulesError(f"setting {printable(key)} = {show(written)}: not a value; write {forms}")


def parse_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Read several `KEY=VALUE`, each key once.

    >>> parse_settings(["third_party=false", "reserve=picked"])
    {'third_party': False, 'reserve': 'picked'}
    """
    values: dict[str, Any] = {}
    for text in texts:
        key, value = parse_setting(text)
        if key in values:
            raise RulesError(f"setting {printable(key)}: given twice")
        values[key] = value
    return values


def merge_tables(data: dict[str, Any], over: Mapping[str, Any], label: str, origins: Origins, above: Path = ()) -> None:
    """Lay `over` over `data` in place: tables are merged, single values replaced and marked as written in `label`."""
    for name, value in over.items():
        path = (*above, name)
        if isinstance(value, dict):
            if not isinstance(data.get(name), dict):
                data[name] = {}
                origins.record(path, label)
            merge_tables(data[name], value, label, origins, path)
        else:
            data[name] = value
            origins.record(path, label)
