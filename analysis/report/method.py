"""How the numbers of a report were made: by which method each interval, column by column."""

from collections.abc import Iterable
from typing import Final

from analysis.display.tables import Table
from analysis.display.text import Lang, Term
from analysis.estimates.intervals import Interval

#: What the intervals of a cell are called; the names are those of CSV and JSON.
METHODS: Final = {
    "wilson": Term("Wilson", "Wilson"),
    "jeffreys": Term("Jeffreys (1–3 cases)", "Jeffreys（1–3 例）"),
    "bound": Term("one-sided bound (none or all)", "单侧界（从未或每次出现）"),
    "batch": Term("batch means", "分批均值"),
    "bca": Term("BCa bootstrap of batches", "分批 BCa 自助法"),
    "paired": Term("paired batches", "分批配对差"),
    "control": Term("control variates", "控制变量"),
    "moments": Term("fourth moments", "四阶矩"),
    "order": Term("order statistics", "次序统计量"),
    "normal": Term("normal", "正态"),
    "ratio": Term("ratio, delta method", "比率（delta 法）"),
    "sequence": Term("confidence sequence", "置信序列"),
    "rare": Term("bound on rare differences", "罕见差异的界"),
    "chi_square": Term("chi-square", "卡方"),
    "exact": Term("exact", "精确"),
}

PLAYED: Final = Term(
    "Deals are played by simulated players under the ruleset below, from walls that the seed fixes. All counts are "
    "exact; every estimate comes with a 95 % interval that says how well this many deals know it. It says nothing "
    "about how people would play.",
    "牌局由模拟玩家按下列规则进行，牌墙由种子决定。所有计数均为精确值；每个估计附 95% 区间，表示此局数下的精度，"
    "不代表真人的打法。",
)

SHARES: Final = Term(
    "Shares have Wilson intervals; with one to three cases Jeffreys' equal-tailed ones. Where nothing was seen, the "
    "table gives the exact one-sided 95 % upper bound (<); where every case fits, the lower one (>). Shares of things "
    "that come several to a deal, such as winning hands, allow for hanging together: their variance is taken between "
    "batches of deals. An estimate from fewer than ten cases is grey and marked with *.",
    "比例用 Wilson 区间，1 至 3 例用 Jeffreys 等尾区间；从未出现时给出精确的单侧 95% 上界（<），"
    "每次都出现时给出下界（>）。"
    "一局中可有多个的事物（如胡牌）彼此相关，其方差由各批牌局之间估计。不足十例的估计以灰色和 * 标明。",
)

MEANS: Final = Term(
    "Means, and ratios such as points per win, have batch intervals: sums over each of at most 1,024 batches of deals, "
    "the delta method, Student's t. What happens to four seats in one deal is not independent, and batches keep it "
    "together. Intervals that overlap do not show that two numbers are equal.",
    "均值与比率（如每胡得分）用分批区间：把牌局分成至多 1,024 批求和，用 delta 法与学生 t 分布。"
    "同一局四家的结果并不独立，分批使其不被拆开。区间重叠不代表两数相等。",
)

MOMENTS: Final = Term(
    "Means of values that do not hang together have normal intervals, standard deviations and skewness those of higher "
    "moments, quantiles those between two order statistics, whatever the distribution.",
    "彼此独立的值，其均值用正态区间，标准差与偏度用更高阶矩的区间，分位数用两个次序统计量之间的区间，与分布形状无关。",
)

BOOTSTRAP: Final = Term(
    "Where errors lean to one side, as those of dear points do, batches are drawn anew 2,000 times from a fixed seed, "
    "and the quantiles corrected for bias and skewness (BCa bootstrap).",
    "误差偏向一侧时（如大额得分），以固定种子对各批重抽样 2,000 次，并校正偏差与偏度（BCa 自助法）。",
)

CONTROLS: Final = Term(
    "Quantities whose means are known exactly, such as the shanten of a dealt hand, tell what part of a mean was the "
    "luck of the deal. Control variates take it out; the table says how much of the variance that removes.",
    "均值已知的量（如起手牌的向听数）表明结果中有多少来自起手牌的运气。控制变量将其去除，表中列出所消除的方差。",
)

PAIRS: Final = Term(
    "Both sides of a paired difference come from the same walls, so that what they owe to the luck of the tiles drops "
    "out of it, batch by batch.",
    "配对差的两边来自相同的牌墙，牌运逐批相互抵消。",
)

#: What is said of which methods, in this order.
_EXPLAINED: Final = (
    (SHARES, {"wilson", "jeffreys", "bound"}),
    (MEANS, {"batch"}),
    (MOMENTS, {"normal", "moments", "order"}),
    (BOOTSTRAP, {"bca"}),
    (CONTROLS, {"control"}),
    (PAIRS, {"paired"}),
)

_COMMA: Final = Term(", ", "、")
_PART: Final = Term("; ", "；")
_OF: Final = Term("{columns}: {methods}", "{columns}：{methods}")


def method(tables: Iterable[Table]) -> list[Term]:
    """How deals were played, and how the intervals of some tables were made, as paragraphs."""
    used = {name for table in tables for place in range(len(table.columns)) for name in _methods(table, place)}
    return [PLAYED, *(words for words, names in _EXPLAINED if names & used)]


def methods_used(tables: Iterable[Table], lang: Lang) -> list[tuple[str, str]]:
    """Each table with the methods of its intervals, columns of the same methods together.

    Parameters
    ----------
    tables : iterable of Table
    lang : {"en", "zh"}

    Returns
    -------
    list of tuple of str
        Tables without intervals are left out.
    """
    found = []
    for table in tables:
        columns: dict[tuple[str, ...], list[str]] = {}
        for place, column in enumerate(table.columns):
            if column.kind != "one_in" and (names := _methods(table, place)):
                columns.setdefault(names, []).append(column.title.say(lang))
        parts = [
            _OF.say(lang).format(
                columns=_COMMA.say(lang).join(titles),
                methods=_COMMA.say(lang).join(METHODS[name].say(lang) for name in names),
            )
            for names, titles in columns.items()
        ]
        if parts:
            found.append((table.title.say(lang), _PART.say(lang).join(parts)))
    return found


def _methods(table: Table, place: int) -> tuple[str, ...]:
    """The methods of the intervals in a column, in the order of `METHODS`."""
    cells = (row.cells[place] for row in table.rows)
    seen = {cell.method for cell in cells if isinstance(cell, Interval) and (cell.low, cell.high) != (None, None)}
    return tuple(sorted(seen, key=list(METHODS).index))
