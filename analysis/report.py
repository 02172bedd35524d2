"""The report of a run: one HTML file that needs nothing else, byte for byte the same for the same run."""

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import jinja2
import polars as pl
from markupsafe import Markup

from analysis.charts import charts
from analysis.render import warnings
from analysis.summary import Summary, summarise
from analysis.tables import Table, footnotes, headings, shown_cells
from analysis.text import Lang, Term, grouped
from mjsim.cache import write_atomically
from mjsim.errors import RulesError, RunError
from mjsim.rules import Ruleset
from mjsim.rules.naming import naming

TEMPLATES: Final = Path(__file__).parent / "templates"

_WORDS: Final = {
    "report": Term("mjsim report", "mjsim 报告"),
    "charts": Term("Charts", "图"),
    "tables": Term("Tables", "表"),
    "method": Term("Method", "方法"),
    "checks": Term("Self-checks", "自检"),
    "provenance": Term("Provenance", "来源"),
    "again": Term("The same deals again, to the last tile:", "重现完全相同的牌局："),
    "rules": Term("The ruleset in full", "完整规则"),
}

_METHOD: Final = (
    Term(
        "Deals are played by simulated players under the ruleset below, from walls that the seed fixes. All counts "
        "are exact; every estimate comes with a 95 % interval that says how well this many deals know it. It says "
        "nothing about how people would play.",
        "牌局由模拟玩家按下列规则进行，牌墙由种子决定。所有计数均为精确值；每个估计附 95% 区间，表示此局数下的精度，"
        "不代表真人的打法。",
    ),
    Term(
        "Shares have Wilson intervals. Where nothing was seen, the table gives the exact one-sided 95 % upper bound "
        "instead "
        "(<); where every case fits, the lower one (>). Shares of winning hands allow for the several winners of one "
        "deal. An "
        "estimate from fewer than ten cases is grey and marked with *.",
        "比例用 Wilson 区间。从未出现时给出精确的单侧 95% 上界（<），每次都出现时给出下界（>）。"
        "占胡牌数的比例已计入一炮多响的相关性。"
        "不足十例的估计以灰色和 * 标明。",
    ),
    Term(
        "Means have normal intervals, and points per fish those of a ratio, the deal being the unit: what happens to "
        "four seats "
        "in one deal is not independent. Intervals that overlap do not show that two numbers are equal.",
        "均值用正态区间，每条鱼得分用比率区间，均以局为单位，因为同一局四家的结果并不独立。区间重叠不代表两数相等。",
    ),
    Term(
        "A fish is valued by what it wins its owner from the other seats, counted from the transfers of each deal; "
        "what the "
        "others' fish cost him is not part of it, but is part of the points by seat. Over the four seats fish sum to "
        "zero.",
        "鱼的价值是它为鱼主从他家赢得的分，由每局的转移计算；付给他家鱼的分不计入鱼的价值，但计入各座位得分。"
        "四家的鱼分之和为零。",
    ),
)


def write_report(frame: pl.LazyFrame, manifest: Mapping[str, Any], out: Path, lang: Lang = "en") -> None:
    """Write the report of a run.

    Parameters
    ----------
    frame : polars.LazyFrame
        The deals, with the columns of `mjsim.dataset.columns.COLUMNS`.
    manifest : mapping
        The run's manifest, as in ``run.json``.
    out : pathlib.Path
        The HTML file; one that exists is replaced, and only by a complete one.
    lang : {"en", "zh"}
        Language of the report.

    Raises
    ------
    RunError
        If the file cannot be written.
    """
    page = report(summarise(frame, manifest), lang)
    if not out.parent.is_dir():
        raise RunError(f"{out}: the report cannot be written: there is no folder {out.parent}")
    if out.exists() and not out.is_file():
        raise RunError(f"{out}: the report cannot be written: it is no ordinary file")
    try:
        # A link is followed: what it names is replaced, and the link stays.
        write_atomically(out.resolve(), page.encode())
    except (OSError, RuntimeError) as error:
        raise RunError(f"{out}: the report cannot be written: {error}") from error


def report(summary: Summary, lang: Lang = "en") -> str:
    """The report of a run as HTML."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    heading = summary.manifest["ruleset"]["ruleset"]
    other: Lang = "zh" if lang == "en" else "en"
    return environment.get_template("report.html.j2").render(
        lang=lang,
        words={key: word.say(lang) for key, word in _WORDS.items()},
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8").strip()),
        title=heading["title"][lang],
        other_title=heading["title"][other],
        about=heading.get("about", {}).get(lang, ""),
        warnings=warnings(summary, lang),
        failed=not summary.sound,
        facts=_facts(summary, lang),
        findings=[finding.replace("–", "–\u2060") for finding in summary.findings(lang)],  # no break in an interval
        figures=charts(summary, lang) if summary.sound else [],
        tables=[_table(table, lang) for table in summary.tables],
        method=[paragraph.say(lang) for paragraph in _METHOD],
        checks=[_check(check.term, check.failures, lang) for check in summary.checks],
        command=command_of(summary.manifest),
        provenance=_provenance(summary, lang),
        rules=to_toml(summary.manifest["ruleset"]),
    )


def _facts(summary: Summary, lang: Lang) -> list[tuple[str, str]]:
    """What the first screen says about the run."""
    manifest = summary.manifest
    names = [player["name"] for player in manifest["players"]]
    players = names[0] if len(set(names)) == 1 else ", ".join(names)
    facts = [
        (Term("ruleset", "规则"), manifest["ruleset"]["ruleset"]["name"]),
        (Term("deals", "局数"), grouped(summary.deals)),
        (Term("seed", "种子"), str(manifest["seed"])),
        (Term("players", "玩家"), players),
    ]
    if manifest["session_length"] > 1:
        facts.append((Term("deals a session", "每场局数"), grouped(manifest["session_length"])))
    return [(name.say(lang), value) for name, value in facts]


def _check(term: Term, failures: int, lang: Lang) -> str:
    """A self-check with its verdict."""
    verdict = (
        Term(f"failed in {grouped(failures)} deals", f"{grouped(failures)} 局未通过")
        if failures
        else Term("passed", "通过")
    )
    return f"{term.say(lang)} — {verdict.say(lang)}"


def _table(table: Table, lang: Lang) -> dict[str, Any]:
    """A table as the template wants it."""
    other: Lang = "zh" if lang == "en" else "en"
    return {
        "key": table.key,
        "title": table.title.say(lang),
        "stub": table.stub.say(lang),
        "headings": headings(table, lang),
        "rows": [
            {"label": row.label.say(lang), "other": row.label.say(other), "cells": shown_cells(table, row, lang)}
            for row in table.rows
        ],
        "marks": footnotes(table, lang),
        "note": table.note.say(lang) if table.note else "",
    }


def _provenance(summary: Summary, lang: Lang) -> list[tuple[str, str]]:
    """Where the numbers come from, as names and values."""
    manifest = summary.manifest
    first = int(manifest["first"])
    players = [f"{seat}: {player['name']} ({player['source_hash']})" for seat, player in enumerate(manifest["players"])]
    rows = [
        (Term("deals", "牌局"), _deal_range(first, summary.deals, lang)),
        (Term("status", "状态"), _status(summary, lang)),
        (Term("seed", "种子"), str(manifest["seed"])),
        (Term("players by seat (source hash)", "各座位玩家（源码散列）"), "; ".join(players)),
        (Term("fish labels taken, at most", "每家最多钓鱼数"), str(manifest["fish"])),
        (Term("deals a session", "每场局数"), grouped(manifest["session_length"])),
        (Term("software", "软件"), ", ".join(f"{name} {version}" for name, version in manifest["software"].items())),
        (Term("results version", "结果版本"), str(manifest["results_version"])),
    ]
    if fingerprint := summary.fingerprint():
        rows.append((Term("hash of the deals' files", "数据文件散列"), fingerprint))
    return [(name.say(lang), value) for name, value in rows]


def _deal_range(first: int, deals: int, lang: Lang) -> str:
    if not deals:
        return Term("none", "无").say(lang)
    return Term(
        f"{grouped(deals)}, numbers {grouped(first)} to {grouped(first + deals - 1)}",
        f"{grouped(deals)} 局，编号 {grouped(first)} 至 {grouped(first + deals - 1)}",
    ).say(lang)


def _status(summary: Summary, lang: Lang) -> str:
    if summary.interrupted:
        return Term("interrupted: only the deals that were finished", "被中断：仅含已完成的局").say(lang)
    return Term("complete", "完整").say(lang)


def command_of(manifest: Mapping[str, Any]) -> str:
    """The command that plays the same deals and prints their summary.

    Examples
    --------
    >>> from mjsim.rules import load_rules
    >>> rules = load_rules("liuzhou", rob_kong=False).to_dict()
    >>> players = [{"name": "fast"}] * 4
    >>> run = {"deals": 10, "seed": 1, "first": 0, "session_length": 1, "fish": 2}
    >>> command_of({"ruleset": rules, "players": players, **run})
    'mjsim simulate liuzhou --deals 10 --seed 1 --set rob_kong=false'
    """
    try:
        named = naming(Ruleset.from_dict(manifest["ruleset"]))
    except RulesError:
        # Rules of another version's shape: what was typed then is all there is to say.
        return str(manifest["command"])
    players = [player["name"] for player in manifest["players"]]
    words = ["mjsim", "simulate", named["rules"], "--deals", str(manifest["deals"]), "--seed", str(manifest["seed"])]
    if set(players) != {"fast"}:
        words += ["--players", ",".join(players) if len(set(players)) > 1 else players[0]]
    for option, key, usual in (("--first", "first", 0), ("--session", "session_length", 1), ("--fish", "fish", 2)):
        if manifest[key] != usual:
            words += [option, str(manifest[key])]
    for key, value in named.get("options", {}).items():
        words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    return shlex.join(words)


def to_toml(data: Mapping[str, Any]) -> str:
    """Nested dicts of numbers, switches and texts as TOML."""
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
