"""Where the numbers of a report come from: the run's facts, the software, the ruleset in full."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from analysis.display.text import Lang, Term, grouped

_COMPLETE: Final = Term("complete", "完整")
_INTERRUPTED: Final = Term("interrupted: only the deals that were finished", "被中断：仅含已完成的局")

#: Options that say where and how numbers are shown.
_OUTPUT: Final = ("--out", "--lang", "--format")

Named = tuple[str, str]


def facts(manifest: Mapping[str, Any], deals: int, lang: Lang) -> list[Named]:
    """What the first screen says about a run, as names and values."""
    names = [player["name"] for player in manifest["players"]]
    rows = [
        (Term("ruleset", "规则"), manifest["ruleset"]["ruleset"]["name"]),
        (Term("deals", "局数"), grouped(deals)),
        (Term("seed", "种子"), str(manifest["seed"])),
        (Term("players", "玩家"), names[0] if len(set(names)) == 1 else ", ".join(names)),
    ]
    if manifest["session_length"] > 1:
        rows.append((Term("deals a session", "每场局数"), grouped(manifest["session_length"])))
    return [(name.say(lang), value) for name, value in rows]


def provenance(manifest: Mapping[str, Any], deals: int, fingerprint: str, lang: Lang) -> list[Named]:
    """Where the numbers come from, as names and values.

    Parameters
    ----------
    manifest : mapping
        The run's manifest.
    deals : int
        How many deals were counted.
    fingerprint : str
        A hash of the files that hold the deals; empty if there are none.
    lang : {"en", "zh"}

    Returns
    -------
    list of tuple of str
    """
    players = [f"{seat}: {player['name']} ({player['source_hash']})" for seat, player in enumerate(manifest["players"])]
    status = _INTERRUPTED if manifest.get("status") == "interrupted" else _COMPLETE
    rows = [
        (Term("deals", "牌局"), _deal_range(int(manifest["first"]), deals, lang)),
        (Term("status", "状态"), status.say(lang)),
        (Term("seed", "种子"), str(manifest["seed"])),
        (Term("players by seat (source hash)", "各座位玩家（源码散列）"), "; ".join(players)),
        (Term("fish taken by a seat, at most", "每家最多钓鱼数"), str(manifest["fish"])),
        (Term("deals a session", "每场局数"), grouped(manifest["session_length"])),
        (Term("software", "软件"), software(manifest)),
        (Term("results version", "结果版本"), str(manifest["results_version"])),
    ]
    if fingerprint:
        rows.append((Term("hash of the deals' files", "数据文件散列"), fingerprint))
    return [(name.say(lang), value) for name, value in rows]


def software(manifest: Mapping[str, Any]) -> str:
    """Names and versions of what played a run.

    >>> software({"software": {"mjsim": "0.1.0", "numba": "0.68.1"}})
    'mjsim 0.1.0, numba 0.68.1'
    """
    return ", ".join(f"{name} {version}" for name, version in manifest["software"].items())


def without_output(command: str) -> str:
    """A command that prints the numbers which another one writes to a file.

    >>> without_output("mjsim compare liuzhou chow=false --seed 1 --out page.html --lang zh")
    'mjsim compare liuzhou chow=false --seed 1'
    """
    try:
        words = iter(shlex.split(command))
    except ValueError:
        return command  # what somebody typed, and no shell would take
    kept = []
    for word in words:
        if word in _OUTPUT:
            next(words, None)
        elif word.partition("=")[0] not in _OUTPUT:
            kept.append(word)
    return shlex.join(kept)


def _deal_range(first: int, deals: int, lang: Lang) -> str:
    if not deals:
        return Term("none", "无").say(lang)
    return Term(
        f"{grouped(deals)}, numbers {grouped(first)} to {grouped(first + deals - 1)}",
        f"{grouped(deals)} 局，编号 {grouped(first)} 至 {grouped(first + deals - 1)}",
    ).say(lang)


def to_toml(data: Mapping[str, Any]) -> str:
    r"""Nested dicts of numbers, switches and texts as TOML.

    >>> to_toml({"kongs": {"rob_kong": True}})
    '[kongs]\nrob_kong = true\n\n'
    """
    return "\n".join(_toml_lines(data, ())) + "\n"


def _toml_lines(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """A table's own keys, then its tables, those without tables of their own in braces below the first level."""
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    inline = {
        key for key, table in tables.items() if path and not any(isinstance(each, Mapping) for each in table.values())
    }
    if path:
        yield f"[{'.'.join(_toml_key(key) for key in path)}]"
    for key, value in data.items():
        if value is not None and (key not in tables or key in inline):
            yield f"{_toml_key(key)} = {_toml_value(value)}"
    for key, table in tables.items():
        if key not in inline:
            yield from ("",) * bool(path)
            yield from _toml_lines(table, (*path, key))
            yield from ("",) * (not path)


def _toml_key(key: str) -> str:
    """A key, in quotes where TOML wants them."""
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)


def _toml_value(value: Any) -> str:
    """A value in TOML's notation, which for numbers, switches and texts is JSON's."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml_key(key)} = {_toml_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
