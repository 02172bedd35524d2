"""How often each hand type and event wins, by how and for whom, and what it brings."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from analysis.counts.aggregate import SEATS, Aggregate, Histogram
from analysis.counts.counting import counted
from analysis.counts.tally import Integers
from analysis.counts.wins import WIN_TYPES, has
from analysis.display.tables import Column, Row, Table
from analysis.display.text import ORDINARY_TERM, SEAT_KEYS, SEAT_TERMS, TYPE_TERMS, Term
from analysis.estimates.batches import batch_ratio, batch_share
from analysis.estimates.bootstrap import bca
from analysis.estimates.intervals import Interval, PairSums, share, share_interval
from mjsim.dataset.columns import OUTCOMES

#: Kinds of wins: the outcomes but the drawn deal.
WIN_KINDS: Final = OUTCOMES[:3]

_TYPE: Final = Term("hand type or event", "牌型或事件")
_TERMS: Final = {"ordinary": ORDINARY_TERM, **TYPE_TERMS}

#: Resampling draws from at most so many batches, which is enough and fast.
_RESAMPLED: Final = 128

#: Events, as the ruleset names them; everything else is a type of the hand.
EVENTS: Final = (
    "replacement_win",
    "kong_discard",
    "robbing_kong",
    "last_tile_draw",
    "last_tile_claim",
    "melded_discard",
    "heavenly_hand",
    "earthly_hand",
    "human_hand",
)

#: Kinds of wins that a type cannot come with. A robbed tile completes a chow: the other three lie in the robbed pung.
NEVER: Final[Mapping[str, tuple[str, ...]]] = {
    "all_pungs": ("rob_kong",),
    "seven_pairs": ("rob_kong",),
    "quads_1": ("rob_kong",),
    "quads_2": ("rob_kong",),
    "quads_3": ("rob_kong",),
    "melded_hand": ("rob_kong",),
    "replacement_win": ("discard", "rob_kong"),
    "kong_discard": ("self_draw", "rob_kong"),
    "robbing_kong": ("self_draw", "discard"),
    "last_tile_draw": ("discard", "rob_kong"),
    "last_tile_claim": ("self_draw", "rob_kong"),
    "melded_discard": ("self_draw", "rob_kong"),
    "heavenly_hand": ("discard", "rob_kong"),
    "earthly_hand": ("rob_kong",),
    "human_hand": ("self_draw", "rob_kong"),
}


def possible_types(ruleset: Mapping[str, Any], found: Aggregate) -> list[str]:
    """Hand types, then events, that a ruleset can produce, and any other that the deals show."""
    events = set(ruleset.get("events", {}))
    if not ruleset.get("kongs", {}).get("rob_kong", True):
        events.discard("robbing_kong")
    if not ruleset.get("deal_end", {}).get("last_tile_discard", True):
        events.discard("last_tile_claim")
    ordered = [name for name in WIN_TYPES if name not in EVENTS] + list(EVENTS)
    return [name for name in ordered if name not in EVENTS or name in events or found.total(f"wins_{name}")]


def tables(deals: Any, ruleset: Mapping[str, Any]) -> tuple[Table, ...]:
    """Every table of hand types and events."""
    found = counted(deals)
    return (
        hand_types(found, ruleset),
        types_by_win(found, ruleset),
        types_by_seat(found, ruleset),
        type_points(found, ruleset),
    )


def hand_types(deals: Any, ruleset: Mapping[str, Any]) -> Table:
    """Each hand type and event: winning hands, deals in which a winner had it, share of wins.

    Parameters
    ----------
    deals : Aggregate or frame
        Counts, or deals as `analysis.counts.counting.aggregate` takes them.
    ruleset : mapping
        The rules in full, as in a run's manifest: they say which events there are.

    Returns
    -------
    Table

    Examples
    --------
    >>> import mjsim
    >>> deals = mjsim.simulate("liuzhou", deals=500, seed=1).to_polars()
    >>> found = hand_types(deals, mjsim.load_rules("liuzhou").to_dict())
    >>> found.interval("ordinary", "per_deal").method
    'wilson'
    """
    found = counted(deals)
    rows = []
    for name in possible_types(ruleset, found):
        per_deal = share(found.total(f"deals_{name}"), found.deals) if found.deals else None
        per_win = batch_share(found.sums[f"wins_{name}"], found.sums["wins"])
        rows.append(Row(name, _TERMS[name], (found.total(f"wins_{name}"), per_deal, per_deal, per_win)))
    return Table(
        "hand_types",
        Term("Hand types and events", "牌型与事件"),
        _TYPE,
        (
            Column("wins", Term("winning hands", "胡牌数"), "count"),
            Column("per_deal", Term("of deals", "占局数"), "share"),
            Column("one_in", Term("one deal in", "多少局一次"), "one_in"),
            Column("per_win", Term("of winning hands", "占胡牌数"), "share"),
        ),
        tuple(rows),
        Term(
            "A deal counts once if any winner had the type. A hand can have several types; an ordinary hand has none "
            "of all pungs, full flush, seven pairs and melded hand. Quads are part of seven pairs.",
            "一局中只要有胡牌者符合即计一次。一手牌可同时符合多种牌型；基本胡指没有对对胡、清一色、小七对、全求人。"
            "豪华包含在小七对内。",
        ),
    )


def types_by_win(deals: Any, ruleset: Mapping[str, Any]) -> Table:
    """Each hand type and event as a share of the self-drawn wins, the wins on a discard and those by robbing a kong."""
    found = counted(deals)
    rows = []
    for name in possible_types(ruleset, found):
        cells = []
        for kind, how in enumerate(WIN_KINDS):
            sums = _wins_of_kind(found, kind, name)
            cells.append(share_interval(sums) if sums.x or how not in NEVER.get(name, ()) else None)
        rows.append(Row(name, _TERMS[name], tuple(cells)))
    titles = {
        "self_draw": Term("of self-draws", "占自摸"),
        "discard": Term("of wins on a discard", "占点炮胡"),
        "rob_kong": Term("of robbed kongs", "占抢杠胡"),
    }
    return Table(
        "types_by_win",
        Term("Hand types by kind of win", "各种胡法的牌型"),
        _TYPE,
        tuple(Column(kind, titles[kind], "share") for kind in WIN_KINDS),
        tuple(rows),
        Term("– where the rules leave no such win.", "“–”表示规则上不可能。"),
    )


def _wins_of_kind(found: Aggregate, kind: int, name: str) -> PairSums:
    """Of the deals that ended in one kind of win: winners who had a type (x), winners (y), and their squares."""
    _, outcome, types, wins = _columns(found["wins"], 3)
    outcome_of_several, *hands, deals = _columns(found["several"], 5)
    winners = int(wins[outcome == kind].sum())
    hits = int(wins[(outcome == kind) & has(types, name)].sum())
    x = np.sum([(each >= 0) & has(each, name) for each in hands], axis=0)
    y = np.sum([each >= 0 for each in hands], axis=0)
    deals = np.where(outcome_of_several == kind, deals, 0)
    # As if every winner had won alone, and what is more where several did.
    xx, xy, yy = (int((deals * more).sum()) for more in (x * x - x, x * y - x, y * y - y))
    return PairSums(found.total(OUTCOMES[kind]), hits, winners, hits + xx, hits + xy, winners + yy)


def _columns(histogram: Histogram, width: int) -> Integers:
    """The values of a histogram's keys, one row of the array each, and the counts in the last."""
    rows = [(*key, count) for key, count in histogram.counts.items()]
    return np.array(rows, np.int64).reshape(-1, width + 1).T


def types_by_seat(deals: Any, ruleset: Mapping[str, Any]) -> Table:
    """Each seat's chance to win a deal with each hand type and event, seats counted from the dealer."""
    found = counted(deals)
    seat, _, types, wins = _columns(found["wins"], 3)
    rows = [Row("any_win", Term("any win", "胡牌"), _shares(seat, wins, found.deals))]
    for name in possible_types(ruleset, found):
        rows.append(Row(name, _TERMS[name], _shares(seat, np.where(has(types, name), wins, 0), found.deals)))
    return Table(
        "types_by_seat",
        Term("Chance to win a deal with each hand, by seat", "各座位每局以各牌型胡牌的概率"),
        _TYPE,
        tuple(Column(SEAT_KEYS[seat], SEAT_TERMS[seat], "share_range") for seat in range(SEATS)),
        tuple(rows),
        Term(
            "Of all deals, with the 95 % interval. Seats in playing order after the dealer: next, opposite, previous.",
            "占全部局数，附 95% 区间。座位按庄家起的行牌顺序：下家、对家、上家。",
        ),
    )


def _shares(seat: Integers, wins: Integers, deals: int) -> tuple[Interval | None, ...]:
    """The share of deals that each seat won, from the seats of some wins and their numbers."""
    return tuple(share(int(wins[seat == each].sum()), deals) if deals else None for each in range(SEATS))


def type_points(deals: Any, ruleset: Mapping[str, Any]) -> Table:
    """What each hand type and event brings: points per win, and its share of all points that winning hands won."""
    found = counted(deals)
    coarse = found.at_level(found.level + _halvings(len(found.batches)))
    rows = []
    for name in possible_types(ruleset, found):
        wins, won = found.total(f"wins_{name}"), found.total(f"points_{name}")
        mean = batch_ratio(found.sums[f"points_{name}"], found.sums[f"wins_{name}"])
        of_points = _share_of_points(coarse, name) if wins else None
        rows.append(Row(name, _TERMS[name], (wins, won, mean, of_points)))
    return Table(
        "type_points",
        Term("What each hand type and event brings", "各牌型与事件的得分"),
        _TYPE,
        (
            Column("wins", Term("winning hands", "胡牌数"), "count"),
            Column("points", Term("points won", "得分合计"), "count"),
            Column("mean", Term("points per win", "每胡得分"), "length"),
            Column("of_points", Term("of all points won", "占得分"), "share"),
        ),
        tuple(rows),
        Term(
            "What a winner's hand wins from all who pay, three-meld liability included, kongs and fish not. A hand "
            "counts in full for each of its types, so that the shares come to more than 100 %.",
            "胡牌者从付分各家所得，含吃三笔，不含杠与鱼。一手牌对其每种牌型均全额计入，故各项之和超过 100%。",
        ),
    )


def _halvings(batches: int) -> int:
    """How often batches must be joined in pairs until there are no more than are resampled.

    >>> _halvings(1), _halvings(128), _halvings(129), _halvings(1024)
    (0, 0, 1, 3)
    """
    return max(0, (batches - 1).bit_length() - (_RESAMPLED - 1).bit_length())


def _share_of_points(coarse: Aggregate, name: str) -> Interval | None:
    """A type's share of the points that winning hands won, with an interval resampled from batches."""
    interval = bca(coarse.sums[f"points_{name}"], coarse.sums["points_won"])
    if interval is None or coarse.total("points_won") <= 0:
        return None
    if interval.low == interval.high:
        return Interval(interval.estimate, None, None, interval.method, few=True)
    return interval
