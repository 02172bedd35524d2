"""What a run says, in sentences with their numbers and intervals."""

from collections.abc import Mapping
from typing import Final

from analysis.hand_types import EVENTS
from analysis.intervals import Interval
from analysis.tables import Row, Table
from analysis.text import Lang, Term, bounds, grouped, one_in, percent, points

Tables = Mapping[str, Table]

#: Below this share a finding says "one in so many" as well.
RARE: Final = 0.01


def findings(deals: int, tables: Tables, lang: Lang) -> list[str]:
    """Four to six sentences; only what the deals can support.

    Parameters
    ----------
    deals : int
        Number of deals.
    tables : mapping of str to Table
        The summary's tables by key.
    lang : {"en", "zh"}
        Language of the sentences.

    Returns
    -------
    list of str
        The most important first.
    """
    if not deals:
        return [Term("No deal was finished.", "没有完成任何一局。").say(lang)]
    sentences = [
        drawn_finding(tables["endings"], lang),
        win_finding(tables["endings"], lang),
        type_finding(tables["hand_types"], lang),
        length_finding(tables["deal_length"], lang),
        seat_finding(tables["points_by_seat"], lang),
        fish_finding(tables["fish_by_seat"], lang) if "fish_by_seat" in tables else None,
    ]
    return [sentence.replace("） ", "）") for sentence in sentences if sentence]


def shared(interval: Interval, lang: Lang) -> str:
    """A share with its interval in brackets, and one in so many if it is rare."""
    if interval.method == "bound":
        return percent(interval)
    rare = f"{', ' if lang == 'en' else '，'}{one_in(interval, lang)}" if interval.estimate < RARE else ""
    left, right = ("(", ")") if lang == "en" else ("（", "）")
    space = " " if lang == "en" else ""
    return f"{percent(interval)}{space}{left}{bounds(interval, lang, scale=100)}{rare}{right}"


def meant(interval: Interval, lang: Lang, *, sign: bool = True) -> str:
    """A mean with its interval in brackets."""
    text = points(interval, sign=sign)
    if interval.low is None:
        return text
    ends = bounds(interval, lang, sign=sign)
    return f"{text} ({ends})" if lang == "en" else f"{text}（{ends}）"


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
    mean, median, p90 = (length.cell("all", key) for key in ("mean", "median", "p90"))
    if not (isinstance(mean, Interval) and isinstance(median, int) and isinstance(p90, int)):
        return None
    return Term(
        f"A deal lasts {meant(mean, lang, sign=False)} draws; half are over after {grouped(median)}, nine in ten after "
        f"{grouped(p90)}.",
        f"一局平均摸牌 {meant(mean, lang, sign=False)} 张；半数不超过 {grouped(median)} 张，"
        f"九成不超过 {grouped(p90)} 张。",
    ).say(lang)


def seat_finding(seats: Table, lang: Lang) -> str | None:
    """What it is worth to be the dealer."""
    mean = seats.interval("dealer", "mean")
    if mean is None:
        return None
    verdict = _direction(mean)
    words = {
        1: Term("The dealer (庄家) gains", "庄家每局得"),
        -1: Term("The dealer (庄家) loses", "庄家每局失"),
        0: Term("No advantage of the dealer (庄家) is certain:", "看不出庄家有优势：每局"),
    }[verdict]
    return Term(f"{words.en} {meant(mean, lang)} points a deal.", f"{words.zh} {meant(mean, lang)} 分。").say(lang)


def fish_finding(fish: Table, lang: Lang) -> str | None:
    """What a fish is worth, and from which seat most."""
    value, best = fish.interval("all", "value"), fish.interval("dealer", "value")
    loses = fish.interval("all", "loses")
    if value is None or best is None or loses is None:
        return None
    doubt = Term("", "") if _direction(value) else Term(", which may be nothing,", "（可能为零）")
    return Term(
        f"A fish (鱼) is worth {meant(value, lang)} points a deal to its owner{doubt.en} and {meant(best, lang)} to "
        "the "
        f"dealer; an owner loses by fishing in {shared(loses, lang)} of deals. The table as a whole neither wins nor "
        "loses "
        "by fish.",
        f"一条鱼每局为鱼主带来 {meant(value, lang)} 分{doubt.zh}，为庄家带来 {meant(best, lang)} 分；"
        f"鱼主因鱼输分的局占 {shared(loses, lang)}。全桌合计不因鱼而输赢。",
    ).say(lang)


def _direction(mean: Interval) -> int:
    """1 if a mean is surely above zero, −1 if surely below, 0 if its interval holds zero or there is none."""
    if mean.low is None or mean.high is None or mean.low <= 0 <= mean.high:
        return 0
    return 1 if mean.estimate > 0 else -1
