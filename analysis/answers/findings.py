"""What a run says, in sentences with their numbers and intervals."""

from collections.abc import Mapping
from typing import Final

from analysis.answers.hand_types import EVENTS
from analysis.display.tables import Row, Table
from analysis.display.text import Lang, Term, bounds, bracketed, grouped, one_in, percent, points, whole
from analysis.estimates.intervals import Interval
from analysis.fish import findings as fish_findings

Tables = Mapping[str, Table]

#: Below this share a finding says "one in so many" as well.
RARE: Final = 0.01

#: A purse is named that is lost in at most this share of sessions.
SELDOM: Final = 0.1


def findings(deals: int, tables: Tables, lang: Lang, session_length: int = 1) -> list[str]:
    """At most seven sentences, the last two about fish, or about fish and sessions; only what the deals can support.

    Parameters
    ----------
    deals : int
        Number of deals.
    tables : mapping of str to Table
        The summary's tables by key.
    lang : {"en", "zh"}
        Language of the sentences.
    session_length : int
        Deals in a session.

    Returns
    -------
    list of str
        The most important first.
    """
    if not deals:
        return [Term("No deal was finished.", "没有完成任何一局。").say(lang)]
    fish = fish_findings.sentences(tables, lang) if "fish_by_seat" in tables else []
    sentences = [
        drawn_finding(tables["endings"], lang),
        win_finding(tables["endings"], lang),
        type_finding(tables["hand_types"], lang),
        length_finding(tables["deal_length"], lang),
        dealer_finding(tables["dealer_advantage"], lang),
        *(fish[:1] if "ruin" in tables else fish[:2]),
        session_finding(tables, session_length, lang) if "ruin" in tables else None,
    ]
    return [sentence.replace("） ", "）") for sentence in sentences if sentence]


def shared(interval: Interval, lang: Lang) -> str:
    """A share with its interval in brackets, and one in so many if it is rare."""
    if interval.method == "bound":
        return percent(interval)
    rare = f"{', ' if lang == 'en' else '，'}{one_in(interval, lang)}" if interval.estimate < RARE else ""
    return percent(interval) + bracketed(bounds(interval, lang, scale=100) + rare, lang)


def meant(interval: Interval, lang: Lang, *, sign: bool = True) -> str:
    """A mean with its interval in brackets."""
    text = points(interval, sign=sign)
    if interval.low is None:
        return text
    return text + bracketed(bounds(interval, lang, sign=sign), lang)


def drawn_finding(endings: Table, lang: Lang) -> str | None:
    """How often a deal is drawn."""
    drawn = endings.interval("drawn", "share")
    if drawn is None:
        return None
    if drawn.method == "bound" and drawn.estimate == 1:
        return Term(
            f"Every deal was drawn: the true share is {percent(drawn)}.", f"每一局都流局：真实比例{percent(drawn)}。"
        ).say(lang)
    if drawn.method == "bound":
        return Term(
            f"No deal was drawn (流局): fewer than {percent(drawn).lstrip('<').strip()} are.",
            f"没有流局：流局率{percent(drawn)}。",
        ).say(lang)
    return Term(f"A deal is drawn (流局) {shared(drawn, lang)} of the time.", f"流局占 {shared(drawn, lang)}。").say(
        lang
    )


def win_finding(endings: Table, lang: Lang) -> str | None:
    """How deals are won."""
    draw, several = endings.interval("self_draw", "share"), endings.interval("discard_2", "share")
    if draw is None or several is None or endings.cell("drawn", "deals") == _total(endings):
        return None
    return Term(
        f"The winner draws the tile himself (自摸) in {shared(draw, lang)} of deals; in {shared(several, lang)} two "
        "seats win on one discard (一炮双响).",
        f"自摸占全部局数的 {shared(draw, lang)}；一炮双响占 {shared(several, lang)}。",
    ).say(lang)


def _total(endings: Table) -> int:
    return sum(int(row.cells[0]) for row in endings.rows if isinstance(row.cells[0], int))


def type_finding(types: Table, lang: Lang) -> str | None:
    """How much of the winning is ordinary, and which special hand wins most and least often."""
    ordinary = types.interval("ordinary", "per_win")
    seen = [row for row in types.rows if row.key not in {"ordinary", "concealed_hand", *EVENTS} and row.cells[0]]
    if ordinary is None or not seen:
        return None
    often, seldom = max(seen, key=_wins), min(seen, key=_wins)
    most, least = types.interval(often.key, "per_win"), types.interval(seldom.key, "one_in")
    if most is None or least is None:
        return None
    return Term(
        f"{shared(ordinary, lang)} of winning hands are ordinary (基本胡); of the special ones "
        f"{often.label.both('en')} "
        f"wins most often, {shared(most, lang)} of winning hands"
        + (f", and {seldom.label.both('en')} least, {one_in(least, lang)} deals." if seldom != often else "."),
        f"{shared(ordinary, lang)} 的胡牌是基本胡；特殊牌型中{often.label.zh}最多，占 {shared(most, lang)}"
        + (f"，{seldom.label.zh}最少，每局概率 {one_in(least, lang)}。" if seldom != often else "。"),
    ).say(lang)


def _wins(row: Row) -> int:
    return row.cells[0] if isinstance(row.cells[0], int) else 0


def length_finding(length: Table, lang: Lang) -> str | None:
    """How long a deal lasts."""
    mean, median, p90 = (length.interval("all", key) for key in ("mean", "median", "p90"))
    if mean is None or median is None or p90 is None:
        return None
    return Term(
        f"A deal lasts {meant(mean, lang, sign=False)} draws; half are over after {whole(median, lang)}, nine in ten "
        f"after {whole(p90, lang)}.",
        f"一局平均摸牌 {meant(mean, lang, sign=False)} 张；半数不超过 {whole(median, lang)} 张，"
        f"九成不超过 {whole(p90, lang)} 张。",
    ).say(lang)


def dealer_finding(advantage: Table, lang: Lang) -> str | None:
    """What it is worth to be the dealer."""
    mean, more = advantage.interval("net", "dealer"), advantage.interval("net", "advantage")
    if mean is None or more is None:
        return None
    verdict = {
        1: Term("The dealer (庄家) has an advantage", "庄家有优势"),
        -1: Term("The dealer (庄家) has a disadvantage", "庄家吃亏"),
        0: Term("No advantage of the dealer (庄家) is certain", "看不出庄家有优势"),
    }[_direction(more)]
    return Term(
        f"{verdict.en}: {meant(more, lang)} points a deal against each other seat; he himself makes "
        f"{meant(mean, lang)}.",
        f"{verdict.zh}：每局比闲家平均多 {meant(more, lang)} 分，自己得 {meant(mean, lang)} 分。",
    ).say(lang)


def session_finding(tables: Tables, session_length: int, lang: Lang) -> str | None:
    """How far a session goes up and down, which purse it seldom takes, and how long a dealer holds the bank."""
    spread, run = tables["swings"].interval("all", "sd"), tables["bank"].interval("all", "mean")
    ruin = tables["ruin"]
    seldom = next((row for row in ruin.rows if _at_most(ruin.interval(row.key, "ruined"), SELDOM)), None)
    if spread is None or run is None or seldom is None:
        return None
    lost = ruin.interval(seldom.key, "ruined")
    assert lost is not None
    deals = grouped(session_length)
    return Term(
        f"A session of {deals} deals ends {meant(spread, lang, sign=False)} points from even (standard deviation); a "
        f"purse of {seldom.label.en} points is lost on the way in {shared(lost, lang)} of sessions. A dealer deals "
        f"{meant(run, lang, sign=False)} deals in a row.",
        f"一场 {deals} 局的终场得分标准差为 {meant(spread, lang, sign=False)} 分；{seldom.label.zh} 分本钱中途输光的占"
        f" {shared(lost, lang)}。平均连续坐庄 {meant(run, lang, sign=False)} 局。",
    ).say(lang)


def _at_most(chance: Interval | None, most: float) -> bool:
    return chance is not None and chance.estimate <= most


def _direction(mean: Interval) -> int:
    """1 if a mean is surely above zero, −1 if surely below, 0 if its interval holds zero or there is none."""
    if mean.low is None or mean.high is None or mean.low <= 0 <= mean.high:
        return 0
    return 1 if mean.estimate > 0 else -1
