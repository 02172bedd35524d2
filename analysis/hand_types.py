"""How often each hand type and event wins."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.aggregate import ORDINARY, WON, Aggregate, Histogram, Key, having
from analysis.intervals import share_interval, wilson
from analysis.tables import Column, Row, Table
from analysis.text import ORDINARY_TERM, TYPE_TERMS, Term
from mjsim.dataset.columns import OUTCOMES
from mjsim.hands.types import TYPE_NAMES

#: Kinds of wins: the outcomes but the drawn deal.
WIN_KINDS: Final = OUTCOMES[:3]

_TYPE: Final = Term("hand type or event", "牌型或事件")
_TERMS: Final = {"ordinary": ORDINARY_TERM, **TYPE_TERMS}
_BITS: Final = {"ordinary": ORDINARY, **{name: 1 << index for index, name in enumerate(TYPE_NAMES)}}

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


def possible_types(ruleset: Mapping[str, Any], wins: Histogram) -> list[str]:
    """Hand types, then events, that a ruleset can produce, and any other that the deals show."""
    events = set(ruleset.get("events", {}))
    if not ruleset.get("kongs", {}).get("rob_kong", True):
        events.discard("robbing_kong")
    if not ruleset.get("deal_end", {}).get("last_tile_discard", True):
        events.discard("last_tile_claim")
    seen = 0
    for key in wins.counts:
        for mask in key[1:]:
            seen |= mask
    ordered = [name for name in _BITS if name not in EVENTS] + list(EVENTS)
    return [name for name in ordered if name not in EVENTS or name in events or seen & _BITS[name]]


def hits(key: Key, bit: int) -> int:
    """Number of winners of a deal who had a type, from a key of the ``wins`` histogram."""
    return sum(mask & bit != 0 for mask in key[1:])


def _hits_and_wins(bit: int) -> Callable[[Key], tuple[int, int]]:
    """A deal's winners who had a type, and all its winners."""
    return lambda key: (hits(key, bit), hits(key, WON))


def _any_hit(bit: int) -> Callable[[Key], bool]:
    """Whether a winner of a deal had a type."""
    return lambda key: hits(key, bit) > 0


def hand_types(found: Aggregate, ruleset: Mapping[str, Any]) -> Table:
    """Each hand type and event: winning hands, deals in which a winner had it, share of wins."""
    wins = found["wins"]
    rows = []
    for name in possible_types(ruleset, wins):
        bit = _BITS[name]
        of_wins = wins.pair_sums(_hits_and_wins(bit))
        deals = wins.total(_any_hit(bit))
        per_deal = wilson(deals, found.deals) if found.deals else None
        rows.append(Row(name, _TERMS[name], (of_wins.x, per_deal, per_deal, share_interval(of_wins))))
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
            "of all "
            "pungs, full flush, seven pairs and melded hand. Quads are part of seven pairs.",
            "一局中只要有胡牌者符合即计一次。一手牌可同时符合多种牌型；基本胡指没有对对胡、清一色、小七对、全求人。"
            "豪华包含在小七对内。",
        ),
    )


def types_by_win(found: Aggregate, ruleset: Mapping[str, Any]) -> Table:
    """Each hand type and event as a share of the self-drawn wins, the wins on a discard and those by robbing a kong."""
    by_kind = [found["wins"].where(having(0, kind)) for kind in range(len(WIN_KINDS))]
    rows = []
    for name in possible_types(ruleset, found["wins"]):
        sums = [wins.pair_sums(_hits_and_wins(_BITS[name])) for wins in by_kind]
        cells = tuple(
            share_interval(each) if each.x or kind not in NEVER.get(name, ()) else None
            for kind, each in zip(WIN_KINDS, sums, strict=True)
        )
        rows.append(Row(name, _TERMS[name], cells))
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
