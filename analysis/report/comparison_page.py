"""The page of a comparison: rulesets on the same walls, and each option switched alone."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from analysis.comparing.balance import Comparison, Side
from analysis.comparing.sensitivity import sensitivity_of
from analysis.comparing.verdicts import KIND_TERMS
from analysis.display.files import write_text
from analysis.display.text import Lang, Term, grouped
from analysis.figures.comparison_charts import tornado_charts, variant_chart
from analysis.report.method import method, methods_used
from analysis.report.pages import Page, Section, joined, render_page
from analysis.report.provenance import provenance, to_toml, without_output

_ABOUT: Final = Term(
    "What each variant changes on the same walls, how well that is known, and whether it matters.",
    "相同牌墙下各变体改变了什么，把握有多大，是否要紧。",
)
_TABLE: Final = Term("{variant}: every metric", "{variant}：各指标")
_KIND: Final = Term("mjsim comparison", "mjsim 比较")
_BASE: Final = Term("The base in full", "基准规则全文")
_CHANGES: Final = Term("{variant}: what it sets", "{variant}：所改选项")
_NOTHING: Final = Term("# nothing", "# 无")
_OPTIONS: Final = Term("Each option switched alone", "逐项改变规则")
_MARGINS: Final = Term(
    "A metric is called different where its difference is not zero by a test, and unchanged where it is smaller than "
    "its margin by two one-sided tests; the p-values of each question are corrected by Holm's procedure over all "
    "metrics and variants. Where deals are looked at more than once, confidence sequences, which hold at every look, "
    "take their place. The gain says how many times as many deals two separate runs would need.",
    "差经检验不为零即称“有变化”，经两次单侧检验小于界限即称“不变”；两类问题的 p 值各按 Holm 法对所有指标与变体校正。"
    "若中途多次查看结果，则改用任何时刻都成立的置信序列。“增益”表示分开模拟达到同样精度所需局数的倍数。",
)
_LONE: Final = Term("In one of the two rulesets only, and not compared: {metrics}.", "仅一方有、无从比较：{metrics}。")


def write_comparison(comparison: Comparison, out: Path, lang: Lang = "en") -> None:
    """Write the page of a comparison.

    Parameters
    ----------
    comparison : Comparison
    out : pathlib.Path
        The HTML file; one that exists is replaced, and only by a complete one.
    lang : {"en", "zh"}
        Language of the page.

    Raises
    ------
    RunError
        If the file cannot be written.
    """
    write_text(comparison_page(comparison, lang), out)


def comparison_page(comparison: Comparison, lang: Lang = "en") -> str:
    """The page of a comparison as HTML."""
    base, manifest = comparison.base, comparison.base.manifest
    other: Lang = "zh" if lang == "en" else "en"
    sound = not any(failures for checks in comparison.checks.values() for failures in checks.values())
    sections = [_variant(comparison, side, place, lang, sound) for place, side in enumerate(comparison.named, start=1)]
    findings = comparison.findings(lang)
    if comparison.switches:
        sensitivity = sensitivity_of(comparison)
        findings += sensitivity.findings(lang)
        figures = tornado_charts(sensitivity, lang) if sound else []
        sections.append(Section("options", _OPTIONS, figures, [sensitivity.table]))
    numbers = without_output(comparison.command)
    tables = [table for section in sections for table in section.tables]
    page = Page(
        title=_title(comparison, lang),
        other_title=_title(comparison, other),
        about=_ABOUT.say(lang),
        kind=_KIND.say(lang),
        warnings=comparison.warnings(lang),
        failed=not sound,
        facts=_facts(comparison, lang),
        findings=findings,
        headline=_headline(comparison, lang),
        sections=sections,
        deals=[],
        deals_note="",
        method=[each.say(lang) for each in (*method(tables), _MARGINS)],
        methods=methods_used(tables, lang),
        checks=_checks(comparison, lang),
        command=numbers,
        page_commands=[f"{numbers} --out comparison.html{' --lang zh' * (lang == 'zh')}"],
        provenance=provenance(manifest, comparison.deals, "", lang),
        rules=[
            (_BASE.say(lang), to_toml(base.rules)),
            *(
                (_CHANGES.say(lang).format(variant=side.title.say(lang)), _changes_text(base, side, lang))
                for side in comparison.named
            ),
        ],
    )
    return render_page(page, lang)


def _headline(comparison: Comparison, lang: Lang) -> str:
    """What each variant changes most."""
    if not comparison.named:
        return joined(sensitivity_of(comparison).findings(lang)[:2], lang)
    said = []
    for side in comparison.named:
        largest = max(comparison.effects_of(side.key), key=lambda effect: effect.size)
        words = Term(f"{side.title.en}: {largest.sentence('en')}.", f"{side.title.zh}：{largest.sentence('zh')}。")
        said.append(words.say(lang))
    return joined(said, lang)


def _title(comparison: Comparison, lang: Lang) -> str:
    """The base and what it is compared with."""
    base = comparison.base.title.say(lang)
    others = [side.title.say(lang) for side in comparison.named]
    if not others:
        return Term(f"{base}: {_OPTIONS.en.lower()}", f"{base}：{_OPTIONS.zh}").say(lang)
    if len(others) == 1:
        return Term(f"{base} and {others[0]}", f"{base}与{others[0]}").say(lang)
    return Term(f"{base} and {len(others)} variants", f"{base}与 {len(others)} 个变体").say(lang)


def _facts(comparison: Comparison, lang: Lang) -> list[tuple[str, str]]:
    manifest = comparison.base.manifest
    players = dict.fromkeys(player["name"] for player in manifest["players"])
    rows = [
        (Term("base", "基准"), comparison.base.key),
        (Term("rulesets", "规则数"), grouped(len(comparison.sides))),
        (Term("deals of each", "各局数"), grouped(comparison.deals)),
        (Term("seed", "种子"), str(manifest["seed"])),
        (Term("players", "玩家"), ", ".join(players)),
    ]
    return [(name.say(lang), value) for name, value in rows]


def _variant(comparison: Comparison, side: Side, place: int, lang: Lang, sound: bool) -> Section:
    """A variant's chart and table, with the verdict in each row."""
    title = Term(_TABLE.en.format(variant=side.title.en), _TABLE.zh.format(variant=side.title.zh))
    table = replace(comparison.tables[place - 1], key=f"variant-{place}", title=title)
    chart = variant_chart(comparison, side, lang) if sound else None
    verdicts = [KIND_TERMS[effect.kind].say(lang) for effect in comparison.effects_of(side.key)]
    lone = [each.metric.term.say(lang) for each in comparison.lone_of(side.key)]
    note = _LONE.say(lang).format(metrics=(", " if lang == "en" else "、").join(lone)) if lone else ""
    return Section(f"variant-{place}", side.title, [chart] if chart else [], [table], {table.key: verdicts}, note)


def _checks(comparison: Comparison, lang: Lang) -> list[str]:
    """The self-checks of all rulesets in one line each."""
    failed = comparison.warnings(lang)
    passed = Term(
        f"Self-checks of all {len(comparison.sides)} rulesets passed in every deal.",
        f"{len(comparison.sides)} 套规则的自检每局均通过。",
    )
    return failed or [passed.say(lang)]


def changes(base: Mapping[str, Any], variant: Mapping[str, Any]) -> dict[str, Any]:
    """What a ruleset sets otherwise than another, in the shape of a ruleset.

    >>> changes({"kongs": {"rob_kong": True, "chain": 1}}, {"kongs": {"rob_kong": False, "chain": 1}})
    {'kongs': {'rob_kong': False}}
    """
    found: dict[str, Any] = {}
    for key, value in variant.items():
        before = base.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            if inner := changes(before, value):
                found[key] = inner
        elif value != before:
            found[key] = value
    for key, value in base.items():
        if isinstance(value, Mapping) and key not in variant:
            found[key] = "none"
    return found


def _changes_text(base: Side, side: Side, lang: Lang) -> str:
    """What a variant sets, as TOML."""
    found = changes({**base.rules, "ruleset": {}}, {**side.rules, "ruleset": {}})
    return to_toml(found) if found else _NOTHING.say(lang)
