"""How deals end, how long they last, and what happens in them beside the winning hand."""

from collections.abc import Callable
from typing import Final

from analysis.aggregate import WON, Aggregate, Histogram, Key, having
from analysis.hand_types import hits
from analysis.intervals import mean_interval, wilson
from analysis.tables import Cell, Column, Row, Table
from analysis.text import OUTCOME_TERMS, Term
from mjsim.dataset.columns import OUTCOMES

DRAWN: Final = OUTCOMES.index("drawn")

_DEALS: Final = Column("deals", Term("deals", "局数"), "count")
_SHARE: Final = Column("share", Term("of deals", "占局数"), "share")
_ONE_IN: Final = Column("one_in", Term("one deal in", "多少局一次"), "one_in")


def endings(found: Aggregate) -> Table:
    """How deals end, several winners on one tile apart."""
    rows = []
    for outcome, name in enumerate(OUTCOMES):
        deals = found["wins"].where(having(0, outcome))
        most = 3 if name == "discard" else max((hits(key, WON) for key in deals.counts), default=1)
        for winners in range(1, most + 1) if most > 1 else (None,):
            count = deals.total(_with_winners(winners))
            share = wilson(count, found.deals) if found.deals else None
            key = name if winners is None else f"{name}_{winners}"
            rows.append(Row(key, _ending_term(name, winners), (count, share, share)))
    return Table(
        "endings",
        Term("How deals end", "一局如何结束"),
        Term("ending", "结局"),
        (_DEALS, _SHARE, _ONE_IN),
        tuple(rows),
    )


def _with_winners(winners: int | None) -> Callable[[Key], bool]:
    """Whether a deal had so many winners; None: whatever their number."""
    return lambda key: winners is None or hits(key, WON) == winners


def _ending_term(outcome: str, winners: int | None) -> Term:
    term = OUTCOME_TERMS[outcome]
    if winners is None:
        return term
    number = ("one winner", "two winners", "three winners")[winners - 1]
    return Term(f"{term.en}, {number}", f"{term.zh}，{'一两三'[winners - 1]}家胡")


def deal_length(found: Aggregate) -> Table:
    """Tiles drawn in a deal: mean and quantiles, for all deals, by ending, and for the drawn ones."""
    length = found["length"]
    groups = [("all", Term("all deals", "所有局"), length)]
    groups += [(name, OUTCOME_TERMS[name], length.where(having(0, index))) for index, name in enumerate(OUTCOMES)]
    return Table(
        "deal_length",
        Term("Tiles drawn in a deal", "每局摸牌数"),
        Term("deals that end by", "结局"),
        (
            Column("deals", Term("deals", "局数"), "count"),
            Column("mean", Term("mean", "平均"), "length"),
            Column("p10", Term("10 % at most", "10% 不超过"), "count"),
            Column("median", Term("half at most", "半数不超过"), "count"),
            Column("p90", Term("90 % at most", "90% 不超过"), "count"),
        ),
        tuple(Row(key, label, _length_cells(part)) for key, label, part in groups),
        Term(
            "Tiles drawn after the deal by all four seats, replacements after kongs included.",
            "配牌后四家摸牌的总数，包括杠后补牌。",
        ),
    )


def _length_cells(length: Histogram) -> tuple[Cell, ...]:
    sums = length.sums(drawn_tiles)
    quantiles = (length.quantile(share, drawn_tiles) for share in (0.1, 0.5, 0.9))
    return (sums.n, mean_interval(sums.n, sums.x, sums.xx), *quantiles)


def drawn_tiles(key: Key) -> int:
    """Tiles drawn, from a key of the ``length`` histogram."""
    return key[1]


def incidents(found: Aggregate) -> Table:
    """Kongs, three-meld liability and blocked wins: in how many deals, and how many a deal."""
    kongs, links, blocked = found["kong_counts"], found["links"], found["blocked"]
    rows = [
        _incident("kong_direct", Term("direct kong", "直杠"), kongs, lambda key: key[0]),
        _incident("kong_added", Term("added kong", "补杠"), kongs, lambda key: key[1]),
        _incident("kong_concealed", Term("concealed kong", "暗杠"), kongs, lambda key: key[2]),
        _incident("kong_any", Term("any kong", "任何杠"), kongs, lambda key: sum(key[:3])),
        _incident("kong_robbed", Term("robbed kong", "被抢的杠"), kongs, lambda key: key[3]),
        _incident("linked", Term("three melds fed by one seat", "吃三笔成立"), links, lambda key: key[0]),
        _incident("moved", Term("liability paid", "吃三笔赔付"), links, lambda key: int(key[1] > 0)),
        _incident("blocked", Term("win forbidden by the pass lock", "漏胡而不能胡"), blocked, lambda key: key[0]),
    ]
    return Table(
        "incidents",
        Term("Kongs, liability and blocked wins", "杠、吃三笔与漏胡"),
        Term("what happens", "事件"),
        (_DEALS, _SHARE, _ONE_IN, Column("mean", Term("a deal", "每局次数"), "length")),
        tuple(rows),
        Term(
            "Deals in which it happened at least once. Three-meld liability: a seat that fed another three melds "
            "answers for its wins; fed is counted also where no win followed, paid only where points moved.",
            "至少发生一次的局数。吃三笔：喂某家三笔者为其胡牌负责；“成立”不论其后是否胡牌，“赔付”仅指有分数转移。",
        ),
    )


def _incident(key: str, label: Term, histogram: Histogram, times: Callable[[Key], int]) -> Row:
    """How often something happened that can happen several times in a deal."""
    deals = histogram.total(lambda found: times(found) > 0)
    sums = histogram.sums(times)
    share = wilson(deals, sums.n) if sums.n else None
    return Row(key, label, (deals, share, share, mean_interval(sums.n, sums.x, sums.xx)))
