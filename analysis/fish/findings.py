"""What fish are worth, in sentences."""

from collections.abc import Callable, Mapping

from analysis.display.tables import Table
from analysis.display.text import NOTHING, SEAT_KEYS, SEAT_TERMS, Lang, Term, bounds, percent, points
from analysis.estimates.intervals import Interval
from analysis.fish.tables import who


def sentences(shown: Mapping[str, Table], lang: Lang) -> list[str]:
    """Whether a fish is worth its risk, whether two are better than one, and what fish do to a seat's points.

    Parameters
    ----------
    shown : mapping of str to Table
        The tables of fish by key; those of a seat's ups and downs may be among them.
    lang : {"en", "zh"}
        Language of the sentences.

    Returns
    -------
    list of str
        Only what the tables can support.
    """
    makers: list[Callable[[Mapping[str, Table], Lang], str | None]] = [_worth, _one_or_two, _swinging]
    return [sentence for maker in makers if (sentence := maker(shown, lang))]


def _worth(shown: Mapping[str, Table], lang: Lang) -> str | None:
    """What a fish is worth at which seat, and what fee would be fair."""
    values = [shown["fish_by_seat"].interval(key, "value") for key in SEAT_KEYS]
    everyone = shown["fish_by_seat"].interval("all", "value")
    seats = [(each, SEAT_TERMS[seat]) for seat, each in enumerate(values) if each is not None and each.low is not None]
    if everyone is None or everyone.low is None or not seats:
        return None
    best, most = max(seats, key=lambda each: each[0].estimate)
    worst, least = min(seats, key=lambda each: each[0].estimate)
    where = Term("", "")
    if (best.low or 0.0) > (worst.high or 0.0):
        where = Term(
            f", most where he is {who(most)}, {_meant(best)}, and least where he is {who(least)}, {_meant(worst)}",
            f"；{most.zh}最多，为 {_meant(best, 'zh')}，{least.zh}最少，为 {_meant(worst, 'zh')}",
        )
    if _is_zero(everyone):
        fee = Term("No fee is needed to make fish fair.", "无须收费即公平。")
    elif everyone.estimate > 0:
        amount = points(everyone, sign=False)
        fee = Term(f"A fee of {amount} points a fish would make fish fair.", f"每条鱼收费 {amount} 分即公平。")
    else:
        fee = Term("Even without a fee fish cost their owners points.", "即使不收费，鱼主也会输分。")
    return Term(
        f"A fish (鱼) brings its owner {_meant(everyone)} points a deal{where.en}. {fee.en}",
        f"一条鱼每局为鱼主带来 {_meant(everyone, 'zh')} 分{where.zh}。{fee.zh}",
    ).say(lang)


def _one_or_two(shown: Mapping[str, Table], lang: Lang) -> str | None:
    """Whether two fish are better than one."""
    by_number = shown["fish_by_number"]
    if not {"1", "2"} <= {row.key for row in by_number.rows}:
        return None
    one, two = ([by_number.interval(number, name) for name in ("value", "sd", "loses")] for number in ("1", "2"))
    if None in one or None in two:
        return None
    value1, spread1, loses1 = (each for each in one if each)
    value2, spread2, loses2 = (each for each in two if each)
    if _is_zero(value1) or _is_zero(value2):
        verdict = Term(
            "Two fish are on average neither better nor worse than one", "两条鱼平均不比一条好，也不比一条差"
        )
    elif value2.estimate > value1.estimate:
        verdict = Term("Two fish are on average better than one", "两条鱼平均比一条好")
    else:
        verdict = Term("Two fish are on average worse than one", "两条鱼平均比一条差")
    times = f"{spread2.estimate / spread1.estimate:.2f}" if spread1.estimate else NOTHING
    sd1, sd2 = (points(each, sign=False) for each in (spread1, spread2))
    return Term(
        f"{verdict.en}, {_meant(value2)} points a deal against {_meant(value1)}, and {times} times the gamble: a "
        f"standard deviation of {sd2} against {sd1}, and a loss in {percent(loses2)} of deals against "
        f"{percent(loses1)}.",
        f"{verdict.zh}：每局 {_meant(value2, 'zh')} 分，一条为 {_meant(value1, 'zh')} 分；起伏为一条的 {times} 倍："
        f"标准差 {sd2} 对 {sd1}，输分的局占 {percent(loses2)} 对 {percent(loses1)}。",
    ).say(lang)


def _swinging(shown: Mapping[str, Table], lang: Lang) -> str | None:
    """How much more a seat's points go up and down with fish."""
    table = next((shown[key] for key in ("fish_sessions", "fish_spread") if key in shown), None)
    if table is None:
        return None
    without, including = (table.interval(f"dealer_{fish}", "sd") for fish in ("without", "with"))
    if without is None or including is None or not without.estimate:
        return None
    whose = Term("dealer's points a deal", "庄家每局")
    if table.key == "fish_sessions":
        whose = Term("first dealer's points a session", "首庄每场")
    times = f"{including.estimate / without.estimate:.1f}"
    return Term(
        f"With all fish the standard deviation of the {whose.en} is {_meant(including, sign=False)} instead of "
        f"{_meant(without, sign=False)}: {times} times as much.",
        f"计所有的鱼，{whose.zh}得分的标准差为 {_meant(including, 'zh', sign=False)}，"
        f"不计鱼为 {_meant(without, 'zh', sign=False)}，是其 {times} 倍。",
    ).say(lang)


def _meant(interval: Interval, lang: Lang = "en", *, sign: bool = True) -> str:
    """A mean with its interval in brackets."""
    left, right = (" (", ")") if lang == "en" else ("（", "）")
    ends = f"{left}{bounds(interval, lang, sign=sign)}{right}" if interval.low is not None else ""
    return points(interval, sign=sign) + ends


def _is_zero(value: Interval) -> bool:
    """Whether the data do not tell a mean from zero."""
    return value.low is None or value.high is None or value.low <= 0 <= value.high
