"""The charts of a report: which question each answers, and the finding in its title."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from markupsafe import Markup

from analysis.answers.draws import DRAWN, drawn_tiles
from analysis.answers.points import points_of
from analysis.answers.summary import Summary
from analysis.counts.aggregate import Histogram, having
from analysis.counts.distribution import Distribution
from analysis.display.tables import Table
from analysis.display.text import OUTCOME_TERMS, Lang, Term, grouped, one_in, percent, points
from analysis.estimates.intervals import Interval, share
from analysis.figures import (
    NARROW,
    WIDE,
    Figure,
    Mark,
    Pair,
    Stack,
    Tail,
    grouped_means,
    histogram,
    log_tail,
    mean_dots,
    share_bars,
    share_dots,
)
from mjsim.dataset.columns import OUTCOMES

#: Said under every chart that draws intervals.
_WHISKERS: Final = Term("Lines: 95 % intervals.", "线段：95% 区间。")

#: About how many steps a curve of points has at most.
_STEPS: Final = 240

#: Hand types whose number of wins the chart's title may name.
_SPECIAL: Final = ("all_pungs", "full_flush", "seven_pairs", "melded_hand")


def charts(summary: Summary, lang: Lang) -> list[Figure]:
    """The charts that the deals of a run can fill."""
    if not summary.deals:
        return []
    makers = (_endings, _length, _types, _points, _tail, _fish, _horses)
    return [figure for maker in makers if (figure := maker(summary, lang))]


def _figure(key: str, title: Term, caption: Term, draw: Callable[[int, str], Markup], lang: Lang) -> Figure:
    """A chart in both widths."""
    said = title.say(lang)
    return Figure(key, said, caption.say(lang), draw(WIDE, said), draw(NARROW, said))


def _marks(table: Table, column: str, colour: Callable[[str], str]) -> list[Mark]:
    """One mark for each row that has an interval in a column."""
    found = []
    for row in table.rows:
        interval = table.interval(row.key, column)
        if interval is not None:
            found.append(Mark(row.label, interval, colour(row.key)))
    return found


def _types(summary: Summary, lang: Lang) -> Figure | None:
    """How often each hand type and event occurs."""
    table = summary.table("hand_types")
    assert table is not None
    seen = {row.key: row for row in table.rows if row.cells[0]}
    if not seen:
        return None
    special = [(_estimate(table, key), key) for key in _SPECIAL if key in seen]
    title = Term("How often each hand type and event occurs", "各牌型与事件的频率")
    if special:
        (_, often), (_, seldom) = max(special), min(special)
        title = Term(
            f"{_capital(seen[often].label.en)}: {_chance(table, often, 'en')}"
            + (f"; {seen[seldom].label.en}: {_chance(table, seldom, 'en')}" if often != seldom else ""),
            f"{seen[often].label.zh}：{_chance(table, often, 'zh')}"
            + (f"；{seen[seldom].label.zh}：{_chance(table, seldom, 'zh')}" if often != seldom else ""),
        )
    axis = Term("deals with such a win (%, logarithmic)", "有此胡牌的局（%，对数轴）").say(lang)
    marks = _marks(table, "per_deal", lambda key: "type")
    return _figure(
        "types",
        title,
        Term(
            f"{_WHISKERS.en} Arrows: never seen; the upright stroke is the upper bound. Pale and *: fewer than "
            "ten cases.",
            f"{_WHISKERS.zh}箭头：从未出现，竖线为上界。浅色与 *：不足十例。",
        ),
        lambda width, said: share_dots(marks, axis, said, width, lang),
        lang,
    )


def _chance(table: Table, key: str, lang: Lang) -> str:
    """How often a type occurs: one deal in so many, or a share of the deals where it is common."""
    interval = table.interval(key, "per_deal")
    assert interval is not None
    rare = one_in(interval, lang)
    if rare == "–":
        return f"{percent(interval)} of deals" if lang == "en" else percent(interval)
    return f"{rare} deals" if lang == "en" else rare


def _estimate(table: Table, key: str) -> float:
    interval = table.interval(key, "per_deal")
    return interval.estimate if interval else 0.0


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _endings(summary: Summary, lang: Lang) -> Figure | None:
    """How deals end."""
    table = summary.table("endings")
    assert table is not None
    marks = _marks(table, "share", lambda key: next(name for name in OUTCOMES if key.startswith(name)))
    axis = Term("deals (%)", "局（%）").say(lang)
    return _figure(
        "endings",
        _endings_title(summary),
        _WHISKERS,
        lambda width, said: share_bars(marks, axis, said, width, lang),
        lang,
    )


def _endings_title(summary: Summary) -> Term:
    """How many deals end in each way that occurred, the most frequent first."""
    length = summary.aggregate["length"]
    deals = {name: length.total(having(0, outcome)) for outcome, name in enumerate(OUTCOMES)}
    seen = sorted((name for name in OUTCOMES if deals[name]), key=lambda name: -deals[name])
    shares = {name: percent(share(deals[name], summary.deals)) for name in seen}
    return Term(
        "How deals end: " + ", ".join(f"{OUTCOME_TERMS[name].en} {shares[name]}" for name in seen),
        "结局：" + "，".join(f"{OUTCOME_TERMS[name].zh} {shares[name]}" for name in seen),
    )


def _length(summary: Summary, lang: Lang) -> Figure | None:
    """How long deals last, by how they end."""
    length = summary.aggregate["length"]
    median = length.quantile(0.5, drawn_tiles)
    assert median is not None
    stacks = []
    for outcome, name in enumerate(OUTCOMES):
        part = length.where(having(0, outcome))
        if part.counts:
            stacks.append(Stack(OUTCOME_TERMS[name], name, _heights(part, summary.deals)))
    columns = Counter[int]()
    for key, count in length.counts.items():
        columns[key[1]] += count
    totals = {draws: share(count, summary.deals) for draws, count in columns.items()}
    drawn = length.total(having(0, DRAWN))
    tail = Term(f"; {grouped(drawn)} go to the end of the wall and are drawn", f"；{grouped(drawn)} 局摸完牌墙而流局")
    if not drawn:
        tail = Term("; none is drawn", "；没有流局")
    axes = (
        Term("tiles drawn after the deal", "配牌后摸牌数").say(lang),
        Term("deals (%)", "局（%）").say(lang),
    )
    return _figure(
        "length",
        Term(f"Half of the deals are over after {median} draws{tail.en}", f"半数牌局不超过 {median} 张摸牌{tail.zh}"),
        Term(
            f"Each column: the deals with so many draws, by how they ended. {_WHISKERS.en}",
            f"每根柱：该摸牌数的局，按结局着色。{_WHISKERS.zh}",
        ),
        lambda width, said: histogram(stacks, axes, said, width, lang, totals),
        lang,
    )


def _heights(part: Histogram, deals: int) -> dict[int, float]:
    """The share of all deals at each number of draws."""
    return {key[1]: count / deals for key, count in part.counts.items()}


def _points(summary: Summary, lang: Lang) -> Figure | None:
    """What each seat wins or loses."""
    table = summary.table("points_by_seat")
    assert table is not None
    marks = _marks(table, "mean", lambda key: "points")
    dealer, previous = marks[0].interval, marks[-1].interval
    axis = Term("points a deal", "每局得分").say(lang)
    return _figure(
        "points",
        Term(
            f"The dealer makes {points(dealer)} points a deal, the previous seat {points(previous)}",
            f"庄家每局 {points(dealer)} 分，上家每局 {points(previous)} 分",
        ),
        _WHISKERS,
        lambda width, said: mean_dots(marks, axis, said, width, lang),
        lang,
    )


def _tail(summary: Summary, lang: Lang) -> Figure | None:
    """How often the dealer wins or loses at least so many points."""
    net = summary.aggregate["net"].where(having(0, 0))
    won = Distribution.of(net, lambda key: max(points_of(key), 0))
    lost = Distribution.of(net, lambda key: max(-points_of(key), 0))
    curves = [(won, Term("dealer wins", "庄家赢"), False), (lost, Term("dealer loses", "庄家输"), True)]
    tails = [Tail(label, "points", _reaching(part), dashed) for part, label, dashed in curves if part.highest]
    if not tails:
        return None
    (won_share, won_points), (lost_share, lost_points) = _one_in_hundred(won), _one_in_hundred(lost)
    axes = (
        Term("at least so many points", "至少这么多分").say(lang),
        Term("deals (%, logarithmic)", "局（%，对数轴）").say(lang),
    )
    return _figure(
        "tail",
        Term(
            f"In {won_share} of deals the dealer wins {won_points} points or more, in {lost_share} he loses "
            f"{lost_points} or more",
            f"{won_share} 的局庄家赢 {won_points} 分以上，{lost_share} 的局输 {lost_points} 分以上",
        ),
        Term(
            "Each step: the deals with at least so many points. Bands: 95 % intervals. Pale: fewer than ten cases.",
            "每一级：至少这么多分的局。色带：95% 区间。浅色：不足十例。",
        ),
        lambda width, said: log_tail(tails, axes, said, width, lang),
        lang,
    )


def _reaching(points_won: Distribution) -> dict[int, Interval]:
    """How often at least so many points, for every number of points that occurred, or for enough of them."""
    left, shares = 0, {}
    for value, count in sorted(points_won.counts.items(), reverse=True):
        left += count
        if value > 0:
            shares[value] = left
    values = sorted(shares)
    step = 1 + len(values) // _STEPS
    kept = {*values[: _STEPS // 2], *values[::-step]}
    return {value: share(shares[value], points_won.n) for value in sorted(kept)}


def _one_in_hundred(points_won: Distribution) -> tuple[str, str]:
    """The most points that at least one deal in a hundred reaches, and how many deals do; one point if none do."""
    left, most, reached = 0, 1, points_won.reaching(1)
    for value, count in sorted(points_won.counts.items(), reverse=True):
        left += count
        if value >= 1 and 100 * left >= points_won.n:
            most, reached = value, left
            break
    return percent(share(reached, points_won.n)), grouped(most)


def _fish(summary: Summary, lang: Lang) -> Figure | None:
    """What a fish is worth to its owner, by both estimators where there are two."""
    table = summary.table("fish_by_seat")
    if table is None:
        return None
    values = {row.key: table.interval(row.key, "value") for row in table.rows}
    both = summary.table("fish_estimators")
    axis = Term("points per fish and deal", "每条鱼每局得分").say(lang)
    if both is None:
        marks = _marks(table, "value", lambda key: "fish")
        if not marks:
            return None
        return _figure(
            "fish", _fish_title(values), _WHISKERS, lambda width, said: mean_dots(marks, axis, said, width, lang), lang
        )
    pairs = _pairs(both, "settled", "averaged", [row.key for row in table.rows], "fish")
    names = (Term("as settled", "按结算"), Term("averaged over the eight reserved tiles", "八张预留牌平均"))
    return _figure(
        "fish",
        _fish_title(values),
        _WHISKERS,
        lambda width, said: grouped_means(pairs, names, axis, said, width, lang),
        lang,
    )


def _pairs(table: Table, first: str, second: str, rows: list[str], colour: str) -> list[Pair]:
    """Two estimates of one thing for some rows of a table."""
    labels = {row.key: row.label for row in table.rows}
    return [
        Pair(labels[key], table.interval(key, first), table.interval(key, second), colour)
        for key in rows
        if key in labels
    ]


def _fish_title(values: dict[str, Interval | None]) -> Term:
    """What the fish of the dealer and of the previous seat win them, as far as they had any."""
    dealer, previous = values["dealer"], values["previous"]
    if dealer is None or previous is None:
        return Term("What a fish wins its owner", "一条鱼为鱼主赢得的分")
    return Term(
        f"A fish wins the dealer {points(dealer)} points a deal, the previous seat {points(previous)}",
        f"一条鱼每局为庄家带来 {points(dealer)} 分，为上家带来 {points(previous)} 分",
    )


def _horses(summary: Summary, lang: Lang) -> Figure | None:
    """What horses add to a win, by both estimators."""
    table = summary.table("horse_estimators")
    if table is None or (added := table.interval(table.rows[-1].key, "averaged")) is None:
        return None
    pairs = _pairs(table, "settled", "averaged", [row.key for row in table.rows], "points")
    names = (Term("as turned over", "按结算"), Term("averaged over the undrawn tiles", "未摸牌平均"))
    axis = Term("points added to a win with horses", "买马的胡牌所加的分").say(lang)
    return _figure(
        "horses",
        Term(
            f"Horses add {points(added, sign=False)} points to a win", f"马为每次胡牌加 {points(added, sign=False)} 分"
        ),
        _WHISKERS,
        lambda width, said: grouped_means(pairs, names, axis, said, width, lang),
        lang,
    )
