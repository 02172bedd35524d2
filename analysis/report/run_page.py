"""The report of a run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from analysis.answers.summary import Check, Summary, summarise
from analysis.checks.expectations import failed
from analysis.display.commands import simulate_command
from analysis.display.files import write_text
from analysis.display.text import Lang, Term, grouped
from analysis.figures import Figure
from analysis.figures.charts import charts
from analysis.figures.player_chart import player_chart
from analysis.report.deals import deals_worth_seeing
from analysis.report.groups import grouped_by_question
from analysis.report.method import method, methods_used
from analysis.report.pages import Page, joined, render_page
from analysis.report.provenance import facts, provenance, to_toml, without_output
from analysis.skill.by_player import ByPlayer
from analysis.skill.other_players import usual_deals

_KIND: Final = Term("mjsim report", "mjsim 报告")
_RULES: Final = Term("The ruleset in full", "完整规则")
_FISH: Final = Term(
    "A fish is valued by what it wins its owner from the other seats, counted from the transfers of each deal; what "
    "the others' fish cost him is not part of it, but is part of the points by seat. Over the four seats fish sum to "
    "zero. Which tile a fish is does not depend on the play, so that every fish is averaged over all eight reserved "
    "tiles, and two fish over their 28 pairs: the same points with a narrower interval.",
    "鱼的价值是它为鱼主从他家赢得的分，由每局的转移计算；付给他家鱼的分不计入鱼的价值，但计入各座位得分。四家的鱼分之和为零。"
    "鱼是哪张牌与打法无关，故每条鱼取八张预留牌的平均，两条鱼取 28 对的平均：期望相同而区间更窄。",
)


def write_report(
    frame: Any, manifest: Mapping[str, Any], out: Path, lang: Lang = "en", players: ByPlayer | None = None
) -> None:
    """Write the report of a run.

    Parameters
    ----------
    frame : polars.LazyFrame or any eager frame that narwhals knows
        The deals, with the columns of `mjsim.dataset.columns.COLUMNS`.
    manifest : mapping
        The run's manifest, as in ``run.json``.
    out : pathlib.Path
        The HTML file; one that exists is replaced, and only by a complete one.
    lang : {"en", "zh"}
        Language of the report.
    players : ByPlayer, optional
        What other players make of the same walls: see `analysis.skill.other_players.by_player`. Without it, the report
        says nothing of them.

    Raises
    ------
    RunError
        If the file cannot be written.
    """
    write_text(report(summarise(frame, manifest).beside(players), lang), out)


def report(summary: Summary, lang: Lang = "en") -> str:
    """The report of a run as HTML."""
    manifest = summary.manifest
    heading = manifest["ruleset"]["ruleset"]
    other: Lang = "zh" if lang == "en" else "en"
    sound = summary.sound
    deals, deals_note = deals_worth_seeing(summary.aggregate, manifest, lang) if sound else ([], "")
    findings = summary.findings(lang)
    page = Page(
        title=heading["title"][lang],
        other_title=heading["title"][other],
        about=heading.get("about", {}).get(lang, ""),
        kind=_KIND.say(lang),
        warnings=summary.warnings(lang),
        failed=not sound,
        facts=facts(manifest, summary.deals, lang),
        findings=findings,
        headline=joined([findings[0], *findings[1:][-1:]], lang),
        sections=grouped_by_question(_figures(summary, lang) if sound else [], summary.tables),
        deals=deals,
        deals_note=deals_note,
        method=[each.say(lang) for each in (*method(summary.tables), *[_FISH] * bool(summary.table("fish_by_seat")))],
        methods=methods_used(summary.tables, lang),
        checks=_checks(summary, lang),
        command=without_output(simulate_command(manifest)),
        page_commands=_page_commands(summary, lang),
        provenance=provenance(manifest, summary.deals, summary.fingerprint(), lang),
        rules=[(_RULES.say(lang), to_toml(manifest["ruleset"]))],
    )
    return render_page(page, lang)


def _figures(summary: Summary, lang: Lang) -> list[Figure]:
    """The charts of the run, and that of other players where they have played."""
    beside = player_chart(summary.players, lang) if summary.players else None
    return [*charts(summary, lang), *([beside] if beside else [])]


def _page_commands(summary: Summary, lang: Lang) -> list[str]:
    """The commands that write the page again."""
    manifest = summary.manifest
    name = manifest["ruleset"]["ruleset"]["name"]
    chinese = " --lang zh" if lang == "zh" else ""
    deals = summary.players.deals if summary.players else 0
    by_player = "" if deals == usual_deals(summary.deals) else f" --by-player {deals}"
    return [
        f"{without_output(simulate_command(manifest))} --out runs/{name}",
        f"mjsim report runs/{name} --out {name}.html{by_player}{chinese}",
    ]


def _checks(summary: Summary, lang: Lang) -> list[str]:
    """Each self-check with its verdict."""
    dealt = summary.dealt.findings(lang) if summary.deals else []
    return [*(_verdict(check, lang) for check in summary.checks), *dealt, *_expected(summary, lang)]


def _expected(summary: Summary, lang: Lang) -> list[str]:
    """What chance does not explain of the quantities whose mean is known; that it explains all of them, if it does."""
    known = len(summary.expected)
    if not known:
        return []
    agree = Term(f"{known} quantities agree with their exact means — passed", f"{known} 个量与其精确均值相符 — 通过")
    return [each.warning(lang) for each in failed(summary.expected)] or [agree.say(lang)]


def _verdict(check: Check, lang: Lang) -> str:
    failures = grouped(check.failures)
    verdict = Term(f"failed in {failures} deals", f"{failures} 局未通过") if check.failures else Term("passed", "通过")
    return f"{check.term.say(lang)} — {verdict.say(lang)}"
