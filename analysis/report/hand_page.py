"""What to discard, as a page: the hand drawn, and a card for each discard with the tiles it waits for."""

from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from analysis.answers.advice import Advice, Choice
from analysis.answers.advice_sheet import AdviceSheet, state_of, verdict_of
from analysis.display.files import write_text
from analysis.display.tables import Shown, headings, shown_cells
from analysis.display.templates import source, template
from analysis.display.text import NOTHING, Lang, Term, grouped
from analysis.figures.deal_cards import DrawnWords
from analysis.figures.tiles import hand, tile, tile_sprite
from analysis.report.pages import frame
from analysis.report.provenance import without_output
from mjsim.tiles import kinds_of

_KIND: Final = Term("mjsim hand", "mjsim 牌例")
_SEEN: Final = Term("in view:", "场上可见：")
_LEFT: Final = Term("tiles left", "余牌")
_DRAWS: Final = Term("own draws", "自己还摸")
_UNSEEN: Final = Term("unseen tiles", "未见牌")
_WINS: Final = Term("wins at once", "即胡")
_BEST: Final = Term("best", "最优")

# Said by the tiles and the words of a card already.
_DRAWN: Final = ("shanten", "copies")


def write_advice(advice: Advice, out: Path, lang: Lang = "en", command: str = "mjsim hand") -> None:
    """Write advice as a page.

    Parameters
    ----------
    advice : Advice
    out : pathlib.Path
        The HTML file; one that exists is replaced, and only by a complete one.
    lang : {"en", "zh"}
        Language of the page.
    command : str
        What was typed.

    Raises
    ------
    RunError
        If the file cannot be written.
    """
    write_text(advice_page(advice, lang, command), out)


def advice_page(advice: Advice, lang: Lang = "en", command: str = "mjsim hand") -> str:
    """Advice as HTML."""
    sheet = AdviceSheet(advice)
    (table,) = sheet.tables
    title = Term(advice.rules.title.en, advice.rules.title.zh)
    other: Lang = "zh" if lang == "en" else "en"
    given = frame(lang)
    given["style"] += Markup("\n" + source("hand.css"))
    words = DrawnWords(lang)
    columns = headings(table, lang)
    keys = [column.key for column in table.columns for _ in range(1 + column.has_interval)]
    cards = [
        _card(advice, choice, list(zip(keys, columns, shown_cells(table, row, lang), strict=True)), lang)
        for choice, row in zip(advice.choices, table.rows, strict=True)
    ]
    return template("hand.html.j2").render(
        **given,
        title=title.say(lang),
        other_title=title.say(other),
        kind=_KIND.say(lang),
        sprite=tile_sprite(),
        held=hand(kinds_of(advice.position.counts), lang),
        melds=[words.meld(meld) for meld in advice.position.melds],
        seen=hand(kinds_of(advice.position.seen), lang) if any(advice.position.seen) else "",
        seen_term=_SEEN.say(lang),
        facts=[
            (_LEFT.say(lang), grouped(advice.position.left)),
            (_UNSEEN.say(lang), grouped(sum(advice.unseen))),
            (_DRAWS.say(lang), grouped(advice.draws)),
        ],
        findings=sheet.findings(lang),
        heading=table.title.say(lang),
        choices=cards,
        note=table.note.say(lang) if table.note else "",
        again=without_output(command),
    )


def _card(advice: Advice, choice: Choice, shown: list[tuple[str, Shown, Shown]], lang: Lang) -> dict[str, Any]:
    """One discard, or one draw and its discard."""
    won = advice.waiting is not None and choice.discard is None
    mark = verdict_of(choice, lang)
    if not mark and choice is advice.choices[0] and advice.waiting is None:
        mark = _BEST.say(lang)
    return {
        "tile": tile(choice.tile, lang),
        "then": "" if choice.discard is None else tile(choice.discard, lang),
        "state": _WINS.say(lang) if won else state_of(choice.rest.shanten).say(lang),
        "mark": mark,
        "effective": [(tile(kind, lang), live) for kind, live in zip(choice.rest.effective, choice.live, strict=False)],
        "numbers": _numbers(shown),
    }


def _numbers(shown: list[tuple[str, Shown, Shown]]) -> list[tuple[str, str, str]]:
    """Names, values and intervals of a row's cells, those left out that say nothing."""
    found: list[tuple[str, str, str]] = []
    for key, heading, cell in shown:
        if key in _DRAWN or cell.text == NOTHING:
            continue
        if cell.quiet:
            name, value, _ = found.pop()
            found.append((name, value, cell.text))
        else:
            found.append((heading.text, cell.text + "*" * cell.starred, ""))
    return found
