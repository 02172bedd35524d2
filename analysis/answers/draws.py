"""How deals end, how long they last, and what happens in them beside the winning hand."""

from typing import Any, Final

from analysis.counts.aggregate import SEATS, Aggregate, Histogram, Key, having
from analysis.counts.counting import counted
from analysis.counts.distribution import Distribution
from analysis.counts.measures import KONGS, at
from analysis.counts.tally import Integers
from analysis.display.tables import Cell, Column, Row, Table
from analysis.display.text import OUTCOME_TERMS, SEAT_KEYS, SEAT_TERMS, Term
from analysis.estimates.batches import batch_ratio, batch_share
from analysis.estimates.intervals import Interval, share
from mjsim.dataset.columns import OUTCOMES

DRAWN: Final = OUTCOMES.index("drawn")

#: Numbers of tiles drawn after which the deals that go on are counted.
MILESTONES: Final = range(0, 140, 10)

_DEALS: Final = Column("deals", Term("deals", "局数"), "count")
_SHARE: Final = Column("share", Term("of deals", "占局数"), "share")
_ONE_IN: Final = Column("one_in", Term("one deal in", "多少局一次"), "one_in")
_WINNERS: Final = (
    Term("one winner", "一家胡"),
    Term("two winners", "两家胡"),
    Term("three winners", "三家胡"),
)


def endings(deals: Any) -> Table:
    """How deals end, several winners on one tile apart."""
    found = counted(deals)
    rows = []
    for outcome, name in enumerate(OUTCOMES):
        several = _several_winners(found, outcome)
        ends = found.total(name)
        if name != "discard" and not several[0] and not several[1]:
            rows.append(_ending(found, name, OUTCOME_TERMS[name], ends))
            continue
        for winners, count in enumerate((ends - sum(several), *several), start=1):
            number, term = _WINNERS[winners - 1], OUTCOME_TERMS[name]
            label = Term(f"{term.en}, {number.en}", f"{term.zh}，{number.zh}")
            rows.append(_ending(found, f"{name}_{winners}", label, count))
    return Table(
        "endings",
        Term("How deals end", "一局如何结束"),
        Term("ending", "结局"),
        (_DEALS, _SHARE, _ONE_IN),
        tuple(rows),
    )


def _several_winners(found: Aggregate, outcome: int) -> tuple[int, int]:
    """The deals of an outcome with two and with three winners."""
    several = found["several"].where(having(0, outcome))
    winners = several.by(lambda key: sum(hand >= 0 for hand in key[1:]))
    return winners.get(2, 0), winners.get(3, 0)


def _ending(found: Aggregate, key: str, label: Term, deals: int) -> Row:
    of_deals = _share_of(deals, found.deals)
    return Row(key, label, (deals, of_deals, of_deals))


def _share_of(hits: int, n: int) -> Interval | None:
    """A share of what there may have been none of."""
    return share(hits, n) if n else None


def drawn_tiles(key: Key) -> int:
    """Tiles drawn, from a key of the ``length`` histogram."""
    return key[1]


def deal_length(deals: Any) -> Table:
    """Tiles drawn in a deal: mean and quantiles, for all deals, by ending, and for the drawn ones."""
    found = counted(deals)
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
            Column("p10", Term("10 % at most", "10% 不超过"), "quantile"),
            Column("median", Term("half at most", "半数不超过"), "quantile"),
            Column("p90", Term("90 % at most", "90% 不超过"), "quantile"),
        ),
        tuple(Row(key, label, _length_cells(part)) for key, label, part in groups),
        Term(
            "Tiles drawn after the deal by all four seats, replacements after kongs included.",
            "配牌后四家摸牌的总数，包括杠后补牌。",
        ),
    )


def _length_cells(length: Histogram) -> tuple[Cell, ...]:
    draws = Distribution.of(length, drawn_tiles)
    return (draws.n, draws.mean(), *(draws.quantile(each) for each in (0.1, 0.5, 0.9)))


def deal_tail(deals: Any) -> Table:
    """How many deals are still going on after so many draws, and how many of these end drawn."""
    found = counted(deals)
    all_draws = Distribution.of(found["length"], drawn_tiles)
    drawn_draws = Distribution.of(found["length"].where(having(0, DRAWN)), drawn_tiles)
    rows = []
    for draws in MILESTONES:
        left = all_draws.reaching(draws + 1)
        if not left:
            break
        drawn = share(drawn_draws.reaching(draws + 1), left)
        rows.append(Row(str(draws), Term(str(draws), str(draws)), (left, share(left, found.deals), drawn)))
    return Table(
        "deal_tail",
        Term("Deals that go on", "尚未结束的局"),
        Term("after so many draws", "摸牌数之后"),
        (
            Column("deals", Term("deals that go on", "未结束局数"), "count"),
            Column("share", Term("of deals", "占局数"), "share"),
            Column("drawn", Term("of them drawn in the end", "其中流局"), "share"),
        ),
        tuple(rows),
    )


def seat_rates(deals: Any) -> Table:
    """How often each seat wins, draws its winning tile itself, deals in, and gets ready."""
    found = counted(deals)
    rows = [Row(SEAT_KEYS[seat], SEAT_TERMS[seat], _rates(found, seat)) for seat in range(SEATS)]
    rows.append(Row("all", Term("any seat", "任一座位"), _rates_of_all(found)))
    return Table(
        "seat_rates",
        Term("How often each seat wins, deals in and gets ready", "各座位的胡牌率、点炮率与听牌率"),
        Term("seat from the dealer", "座位"),
        (
            Column("wins", Term("wins", "胡牌"), "share_range"),
            Column("self_draws", Term("self-draws", "自摸"), "share_range"),
            Column("of_wins", Term("wins self-drawn", "胡牌中自摸"), "share_range"),
            Column("deals_in", Term("deals in", "点炮"), "share_range"),
            Column("robbed", Term("kong robbed", "被抢杠"), "share_range"),
            Column("ready", Term("gets ready", "听牌"), "share_range"),
        ),
        tuple(rows),
        Term(
            "Shares of deals with their 95 % intervals; of a seat's wins, those it drew itself. A discard that two "
            "seats win on is dealt in once.",
            "占局数的比例及 95% 区间；“胡牌中自摸”为该座位胡牌中自摸的比例。一炮多响计点炮一次。",
        ),
    )


_RATES: Final = ("won", "won_self_draw", "dealt_in", "was_robbed", "ready")


def _rates(found: Aggregate, seat: int) -> tuple[Cell, ...]:
    totals = [found.total(at(name, seat)) for name in _RATES]
    won, self_drawn, *others = (_share_of(total, found.deals) for total in totals)
    return (won, self_drawn, _share_of(totals[1], totals[0]), *others)


def _rates_of_all(found: Aggregate) -> tuple[Cell, ...]:
    """Of all four seats, which in a deal hang together."""
    won, self_drawn, *others = (found.seats(name) for name in _RATES)
    chances = SEATS * found.sums["deals"]
    return (
        *(batch_share(each, chances) for each in (won, self_drawn)),
        batch_share(self_drawn, won),
        *(batch_share(each, chances) for each in others),
    )


_KONG_TERMS: Final = {
    "direct": Term("direct kong", "直杠"),
    "added": Term("added kong", "补杠"),
    "concealed": Term("concealed kong", "暗杠"),
}
_BLOCKED: Final = Term("win forbidden by the pass lock", "漏胡而不能胡")


def incidents(deals: Any) -> Table:
    """Kongs, three-meld liability and blocked wins: in how many deals, and how many a deal."""
    found = counted(deals)
    kongs = found.over(f"kongs_{kind}" for kind in KONGS)
    rows = [
        _incident(found, f"kong_{kind}", _KONG_TERMS[kind], f"with_{kind}", found.sums[f"kongs_{kind}"])
        for kind in KONGS
    ]
    rows += [
        _incident(found, "kong_any", Term("any kong", "任何杠"), "with_kong", kongs),
        _incident(found, "kong_robbed", Term("robbed kong", "被抢的杠"), "robbed", found.sums["robbed"]),
        _incident(found, "linked", Term("three melds fed by one seat", "吃三笔成立"), "linked"),
        _incident(found, "moved", Term("liability paid", "吃三笔赔付"), "with_liability"),
        _incident(found, "blocked", _BLOCKED, "with_blocked", found.sums["blocked"]),
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


def _incident(found: Aggregate, key: str, label: Term, deals_with: str, times: Integers | None = None) -> Row:
    """How often something happened, in how many deals and, if it can happen several times in one, how often a deal."""
    deals = found.total(deals_with)
    of_deals = _share_of(deals, found.deals)
    mean = None if times is None else batch_ratio(times, found.sums["deals"])
    return Row(key, label, (deals, of_deals, of_deals, mean))


def liability(deals: Any) -> Table:
    """Three-meld liability: how often it is in play, how often paid, and what it costs."""
    found = counted(deals)
    moved = found.sums["moved"]
    linked, paid = found.total("linked"), found.total("with_liability")
    rows = (
        Row("all", Term("all deals", "所有局"), (found.deals, None, None, batch_ratio(moved, found.sums["deals"]))),
        Row(
            "linked",
            Term("in play", "成立"),
            (linked, _share_of(linked, found.deals), None, batch_ratio(moved, found.sums["linked"])),
        ),
        Row(
            "paid",
            Term("paid", "赔付"),
            (
                paid,
                _share_of(paid, found.deals),
                _share_of(paid, linked) if paid <= linked else None,
                batch_ratio(moved, found.sums["with_liability"]),
            ),
        ),
    )
    return Table(
        "liability",
        Term("What three-meld liability costs", "吃三笔的代价"),
        Term("liability", "吃三笔"),
        (
            _DEALS,
            _SHARE,
            Column("of_linked", Term("of those in play", "占成立局数"), "share"),
            Column("moved", Term("points moved a deal", "每局转移分"), "length"),
        ),
        rows,
        Term(
            "Points that liability moved from those who answered for a win to other seats, averaged over the deals of "
            "the row.",
            "吃三笔使责任者多付的分，按该行的局数平均。",
        ),
    )
