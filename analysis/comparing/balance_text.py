"""A comparison as text: tables for the terminal, JSON, CSV and Markdown, all with the same numbers."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.comparing.balance import Comparison, Side
from analysis.comparing.sensitivity import Sensitivity, sensitivity_of
from analysis.comparing.verdicts import Effect, not_compared, value_text
from analysis.display.render import Format, as_json, escaped, printed
from analysis.display.text import NOTHING, Lang, Term, grouped, significant

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as RichTable

#: Fields of the CSV: one line for each metric of each variant; shares are fractions there, as in JSON.
CSV_FIELDS: Final = (
    *("variant", "metric", "base", "base_low", "base_high", "value", "value_low", "value_high"),
    *("difference", "difference_low", "difference_high", "method", "gain", "batches_that_differ"),
    *("p_value", "p_equivalence", "margin", "verdict", "decided", "deals_needed"),
)

#: The smallest p-value that is printed.
SMALLEST_P: Final = 0.0001

#: A switch's changes that its line tells.
TOLD_OF_SWITCH: Final = 3

_METRIC: Final = Term("metric", "指标")
_DIFFERENCE: Final = Term("difference", "差")
_GAIN: Final = Term("gain", "增益")
_P: Final = Term("p", "p")
_VERDICT: Final = Term("verdict", "结论")
_OPTION: Final = Term("option", "选项")
_MOVES: Final = Term("what moves most", "变化最大者")
_SWITCHED: Final = Term("Each option switched alone", "逐项改变规则")
_UNMOVED: Final = Term("nothing is known to move", "未见变化")
_ABSENT: Final = Term("only in one ruleset", "只有一方才有")
_ONCE: Final = Term(
    "Differences are the variant's less the base's, on the same walls, with 95 % intervals; p is corrected by Holm's"
    " procedure for {statements} metrics and variants. Gain: how many times as many deals unpaired runs would need.",
    "差为变体减基准，牌墙相同，附 95% 区间；p 值按 Holm 法对 {statements} 项校正。增益：不配对时所需局数的倍数。",
)
_WATCHED: Final = Term(
    "Differences are the variant's less the base's, on the same walls; their intervals hold at every look and for all"
    " {statements} metrics and variants together, with 95 % confidence (confidence sequences). Gain: how many times as"
    " many deals unpaired runs would need.",
    "差为变体减基准，牌墙相同；区间对全部 {statements} 项及每次查看同时成立，置信度 95%（置信序列）。"
    "增益：不配对时所需局数的倍数。",
)


def render_comparison(comparison: Comparison, format: Format = "table", lang: Lang = "en", width: int = 120) -> str:
    """A comparison as text.

    Parameters
    ----------
    comparison : Comparison
        What to show.
    format : {"table", "json", "csv", "md"}
        Tables for a terminal; one JSON object; CSV with one line for each metric of each variant; Markdown.
    lang : {"en", "zh"}
        Language of headings and sentences; JSON and CSV have the same keys in both.
    width : int
        Columns of the terminal, for ``table``.

    Returns
    -------
    str
        The text, ending in a newline.
    """
    match format:
        case "json":
            return as_json(comparison.to_dict() | {"findings": all_findings(comparison, lang)})
        case "csv":
            return _csv(comparison)
        case "md":
            return _markdown(comparison, lang)
        case "table":
            return printed(renderables(comparison, lang), width)


def all_findings(comparison: Comparison, lang: Lang) -> list[str]:
    """The findings of the variants, then of the switches."""
    found = comparison.findings(lang)
    return found + (sensitivity_of(comparison).findings(lang) if comparison.switches else [])


@dataclass(frozen=True)
class Lines:
    """A table of plain texts."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def lines_of(comparison: Comparison, lang: Lang) -> Iterator[Lines]:
    """Every table as plain texts: one for each variant, and one of all switches."""
    for side in comparison.named:
        yield _variant_lines(comparison, side, lang)
    if comparison.switches:
        yield _switch_lines(sensitivity_of(comparison), lang)


def note(comparison: Comparison, lang: Lang) -> str:
    """What a reader must know of the intervals and p-values."""
    return (_WATCHED if comparison.watch else _ONCE).say(lang).format(statements=grouped(len(comparison.effects)))


def _variant_lines(comparison: Comparison, side: Side, lang: Lang) -> Lines:
    headings = (_METRIC.say(lang), comparison.base.key, side.key)
    rows = [_effect_cells(effect, lang) for effect in comparison.effects_of(side.key)]
    for each in comparison.lone_of(side.key):
        values = (value_text(value, each.metric.scale) for value in (each.base, each.value))
        rows.append((_named(each.metric.term, each.metric.unit, lang), *values, *[NOTHING] * 3, _ABSENT.say(lang)))
    columns = (_DIFFERENCE, _GAIN, _P, _VERDICT)
    return Lines(side.title.say(lang), (*headings, *(column.say(lang) for column in columns)), tuple(rows))


def _effect_cells(effect: Effect, lang: Lang) -> tuple[str, ...]:
    metric = effect.metric
    gain = NOTHING if effect.gain is None else f"× {significant(effect.gain)}"
    p = f"< {SMALLEST_P:g}" if effect.p_value < SMALLEST_P else significant(effect.p_value)
    values = (value_text(value, metric.scale) for value in (effect.base, effect.value))
    name = _named(metric.term, metric.unit, lang)
    return name, *values, effect.amount(), gain, NOTHING if effect.kind == "same" else p, effect.verdict(lang)


def _named(term: Term, unit: Term, lang: Lang) -> str:
    return f"{term.say(lang)}, {unit.say(lang)}" if lang == "en" else f"{term.say(lang)}（{unit.say(lang)}）"


def _switch_lines(found: Sensitivity, lang: Lang) -> Lines:
    rows = []
    for row in found.rows:
        told = [effect.sentence(lang) for effect in row.moved[:TOLD_OF_SWITCH]]
        lone = [each.metric for each in found.comparison.lone_of(row.key)]
        if lone:
            told.append(not_compared(lone, lang))
        rows.append((row.key, ("; " if lang == "en" else "；").join(told) or _UNMOVED.say(lang)))
    return Lines(_SWITCHED.say(lang), (_OPTION.say(lang), _MOVES.say(lang)), tuple(rows))


def renderables(comparison: Comparison, lang: Lang = "en") -> "list[RenderableType]":
    """A comparison as rich renderables: heading, warnings, findings, tables, and how to read them."""
    from rich.text import Text

    from analysis.display.terminal import Finding

    parts: list[RenderableType] = [Text(comparison.heading(lang), style="bold")]
    parts += [Text(warning, style="bold red") for warning in comparison.warnings(lang)]
    parts += [Finding(finding) for finding in all_findings(comparison, lang)]
    parts += [_rich_table(lines) for lines in lines_of(comparison, lang)]
    return [*parts, Text(note(comparison, lang), style="dim")]


def _rich_table(lines: Lines) -> "RichTable":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(lines.title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    last = len(lines.headings) - 1
    for index, heading in enumerate(lines.headings):
        table.add_column(Text(heading), justify="left" if index in (0, last) else "right", overflow="fold")
    for row in lines.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _csv(comparison: Comparison) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_FIELDS, lineterminator="\n")
    writer.writeheader()
    for effect in comparison.effects:
        line = {key: value for key, value in effect.to_dict().items() if key in CSV_FIELDS}
        for name in ("base", "value", "difference"):
            interval = getattr(effect, name)
            ends = (None, None, None) if interval is None else (interval.estimate, interval.low, interval.high)
            line |= zip((name, f"{name}_low", f"{name}_high"), ends, strict=True)
        line["method"] = effect.difference.method if effect.difference else None
        writer.writerow(line | {"decided": int(effect.decided)})
    return out.getvalue()


def _markdown(comparison: Comparison, lang: Lang) -> str:
    text = [f"# {escaped(comparison.heading(lang))}", ""]
    text += [f"> **{escaped(warning)}**\n" for warning in comparison.warnings(lang)]
    text += [f"* {escaped(finding)}" for finding in all_findings(comparison, lang)]
    for lines in lines_of(comparison, lang):
        text += ["", f"## {escaped(lines.title)}", ""]
        text.append("| " + " | ".join(escaped(heading) for heading in lines.headings) + " |")
        text.append("|---|" + "---:|" * (len(lines.headings) - 2) + "---|")
        text += ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in lines.rows]
    return "\n".join([*text, "", escaped(note(comparison, lang))]) + "\n"
