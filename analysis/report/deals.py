"""Which deals of a run a report shows: the dearest, the rarest hands, a drawn deal, several winners on one tile."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.counts.aggregate import Aggregate
from analysis.counts.wins import WIN_TYPES
from analysis.display.text import TYPE_TERMS, Lang, Term, fixed, grouped
from analysis.figures.deal_cards import deal_card
from analysis.report.pages import Folded
from mjsim.dataset.run import Manifest, Run
from mjsim.dataset.storage import storage_at
from mjsim.errors import MjsimError
from mjsim.transcript.events import Replayer, plan_of

#: At most so many deals are shown, so many of them for being dear, so many for rare hands.
MOST: Final = 7
DEAREST: Final = 2
RAREST: Final = 3

_DEAREST: Final = Term("The dearest deal: one seat wins {points} points", "最大的一局：一家赢 {points} 分")
_DEAR: Final = Term("The dearest deal but one: {points} points", "第二大的一局：{points} 分")
_RARE: Final = Term("A rare win: {name}, in {deals} of {all} deals", "罕见胡牌：{name}，{all} 局中 {deals} 局")
_SEVERAL: Final = Term("Three winners on one discard", "一炮三响")
_DRAWN: Final = Term("A drawn deal", "流局一例")
_NOTE: Final = Term(
    "Played again from the seed, tile by tile. Click or tap a line to open it.", "由种子逐张重放。点击可展开。"
)
_NONE: Final = Term("No deal can be shown tile by tile: {reason}.", "无法逐张展示牌局：{reason}。")


def chosen(found: Aggregate, lang: Lang) -> dict[int, str]:
    """The deals worth seeing, each with the reasons.

    Parameters
    ----------
    found : Aggregate
    lang : {"en", "zh"}

    Returns
    -------
    dict of int to str
        By number of the deal, at most `MOST`.
    """
    reasons: list[tuple[int, Term]] = []
    for (points, deal), words in zip(found.dearest[:DEAREST], (_DEAREST, _DEAR), strict=False):
        reasons.append((deal, _filled(words, points=fixed(points, 0))))
    rare = sorted(
        (hits, name) for name in WIN_TYPES if name in found.first_with and (hits := found.total(f"deals_{name}"))
    )
    for hits, name in rare[:RAREST]:
        named = Term(TYPE_TERMS[name].both("en"), TYPE_TERMS[name].both("zh")) if name in TYPE_TERMS else None
        if named is not None:
            filled = Term(
                _RARE.en.format(name=named.en, deals=grouped(hits), all=grouped(found.deals)),
                _RARE.zh.format(name=named.zh, deals=grouped(hits), all=grouped(found.deals)),
            )
            reasons.append((found.first_with[name], filled))
    for key, words in (("three_winners", _SEVERAL), ("drawn", _DRAWN)):
        if key in found.first_with:
            reasons.append((found.first_with[key], words))
    joined: dict[int, str] = {}
    for deal, reason in reasons:
        said = reason.say(lang)
        said = said[:1].upper() + said[1:]
        if deal in joined:
            joined[deal] += ("; " if lang == "en" else "；") + said
        elif len(joined) < MOST:
            joined[deal] = said
    return joined


def _filled(words: Term, **values: str) -> Term:
    return Term(words.en.format(**values), words.zh.format(**values))


def deals_worth_seeing(found: Aggregate, manifest: Mapping[str, Any], lang: Lang) -> tuple[list[Folded], str]:
    """The deals worth seeing as cards, with what is said of them, or why they cannot be shown.

    A run made by another version, or with a player that has changed since, cannot be played again.
    """
    reasons = chosen(found, lang)
    if not reasons:
        return [], ""
    try:
        replayer = Replayer(plan_of(Run(storage_at("run"), Manifest.model_validate(manifest))))
    except (MjsimError, ValueError) as error:
        return [], _NONE.say(lang).format(reason=str(error).partition("\n")[0].rstrip("."))
    cards = [Folded(reason, deal_card(replayer.show(deal), lang)) for deal, reason in reasons.items()]
    return cards, _NOTE.say(lang)
