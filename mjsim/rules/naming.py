"""What to call a ruleset so that it can be loaded again: a shipped name or a file, and the settings that differ."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mjsim.rules.events import DOUBLE_HUMAN_HAND
from mjsim.rules.load import builtin_names, load_rules, variant_names
from mjsim.rules.model import Ruleset
from mjsim.rules.settings import key_paths


def naming(rules: Ruleset) -> dict[str, Any]:
    """How a score case names a ruleset: a shipped one, or the file it came from, with the options that differ.

    Rules that have no such file any more (a run brings its own) are written as options of a built-in ruleset.
    """
    if rules.name in (*builtin_names(), *variant_names()):
        base = rules.name
    elif Path(rules.source).is_file() and Path(rules.source).name != "run.json":
        base = rules.source
    else:
        base = builtin_names()[0]
    leaves = [path[-1] for path in key_paths(Ruleset)]
    options = {}
    for path, value in _differences(rules.to_dict(), load_rules(base).to_dict()):
        leaf = path.rsplit(".", 1)[-1]
        options[leaf if leaves.count(leaf) <= 1 else path] = value
    return {"rules": base, "options": options} if options else {"rules": base}


def _differences(values: dict[str, Any], plain: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Full path and value of every key that is not as in the plain ruleset; an absent event is "none"."""
    for key in [*plain, *(key for key in values if key not in plain)]:
        path, value, usual = f"{before}{key}", values.get(key), plain.get(key)
        if value == usual or path == "ruleset":
            continue
        if path == "events.human_hand" and value is not None and DOUBLE_HUMAN_HAND.items() <= value.items():
            yield path, "double"
        elif isinstance(value, dict) and isinstance(usual, dict):
            yield from _differences(value, usual, f"{path}.")
        else:
            yield path, "none" if value is None else value
