"""Lines about wins: hand types, events and chains, who pays, several winners, the next dealer."""

from collections.abc import Iterable
from functools import partial
from typing import Final

from mjsim.coverage.facts import DISCARD, DRAWN, ROB_KONG, SELF_DRAW, SPECIAL, Facts, Flags, any_of, equal
from mjsim.coverage.line import Line, Words, always
from mjsim.hands.types import ORDINARY, TYPES
from mjsim.rules import Ruleset
from mjsim.rules.prices import Mode, share
from mjsim.state import NONE

#: Events in the order of the type bits, with the way of winning that they come with where it is only one.
SELF_DRAW_EVENTS: Final = ("replacement_win", "last_tile_draw")
DISCARD_EVENTS: Final = ("kong_discard", "robbing_kong", "last_tile_claim", "melded_discard")
FIRST_MOMENTS: Final = ("heavenly_hand", "earthly_hand", "human_hand")
CHAINED: Final = ("replacement_win", "kong_discard", "robbing_kong")
LONGEST_CHAIN: Final = 4

_TERMS: Final = {name: (name.replace("_", " "), chinese) for name, chinese in (*TYPES, ORDINARY)} | {
    f"quads_{number}": (f"seven pairs with {number} quad" + ("s" if number > 1 else ""), dict(TYPES)[f"quads_{number}"])
    for number in (1, 2, 3)
}

#: Hands of the tables: the types that a winner must have, and those he must not have.
_HANDS: Final = {
    "ordinary": ((), SPECIAL),
    "all_pungs": (("all_pungs",), ()),
    "full_flush": (("full_flush",), ()),
    "all_pungs_full_flush": (("all_pungs", "full_flush"), ()),
    "seven_pairs": (("seven_pairs",), ()),
    "seven_pairs_full_flush": (("seven_pairs", "full_flush"), ()),
    "quads_1": (("seven_pairs", "quads_1"), ()),
    "quads_2": (("seven_pairs", "quads_2"), ()),
    "quads_3": (("seven_pairs", "quads_3"), ()),
    "concealed_hand": (("concealed_hand",), ()),
    "melded_hand": (("melded_hand",), ()),
    "melded_hand_with_chow": (("melded_hand",), ("all_pungs",)),
}
_HAND_WORDS: Final = {
    **{name: _TERMS[name] for name in _HANDS if name in _TERMS},
    "all_pungs_full_flush": ("all pungs, full flush", "对对胡、清一色"),
    "seven_pairs_full_flush": ("seven pairs, full flush", "小七对、清一色"),
    "melded_hand_with_chow": ("melded hand with a chow", "全求人，有吃"),
}
_MODES: Final[dict[Mode, Words]] = {"self_draw": ("by self-draw", "自摸"), "discard": ("on another's tile", "胡他家牌")}


def named(event: str) -> "partial[bool]":
    """Whether the rules name an event and it can come about."""
    return partial(_is_named, event)


def _is_named(event: str, rules: Ruleset) -> bool:
    if getattr(rules.events, event) is None:
        return False
    if event == "robbing_kong":
        return rules.kongs.rob_kong
    return event != "last_tile_claim" or rules.deal_end.last_tile_discard


def _can_win(must: tuple[str, ...], mode: Mode, rules: Ruleset) -> bool:
    """Whether a hand with these types can win so, with or without an event."""
    concealed = (
        [("concealed_hand",)] if "seven_pairs" in must or "concealed_hand" in must else [(), ("concealed_hand",)]
    )
    events = SELF_DRAW_EVENTS if mode == "self_draw" else DISCARD_EVENTS
    with_events = [(), *((event,) for event in (*events, *FIRST_MOMENTS) if _is_named(event, rules))]
    return any(
        share(rules, {*must, *event, *closed}, mode) is not None for event in with_events for closed in concealed
    )


def _hand_won(must: tuple[str, ...], without: tuple[str, ...], mode: Mode, facts: Facts) -> Flags:
    outcomes = (SELF_DRAW,) if mode == "self_draw" else (DISCARD, ROB_KONG)
    return facts.outcome(*outcomes) & any_of(facts.has(*must) & facts.lacks(without), axis=1)


def _plain_ordinary(facts: Facts) -> Flags:
    return facts.outcome(DISCARD) & any_of(facts.lacks((*SPECIAL, *DISCARD_EVENTS, *FIRST_MOMENTS)), axis=1)


def _hand_possible(name: str, mode: Mode, rules: Ruleset) -> bool:
    if name == "melded_hand_with_chow" and not rules.claims.chow:
        return False
    return _can_win(_HANDS[name][0], mode, rules)


def _hand_lines() -> Iterable[Line]:
    for mode, (how_en, how_zh) in _MODES.items():
        for name, (must, without) in _HANDS.items():
            english, chinese = _HAND_WORDS[name]
            yield Line(
                f"hands.{name}.{mode}",
                (f"{english}, {how_en}", f"{chinese}，{how_zh}"),
                partial(_hand_won, must, without, mode),
                partial(_hand_possible, name, mode),
            )
    yield Line(
        "hands.ordinary.plain_discard",
        ("ordinary, on a discard without an event", "基本胡，点炮而无事件"),
        _plain_ordinary,
        lambda rules: rules.value.ordinary_discard is not None,
    )


def _event_won(event: str, facts: Facts) -> Flags:
    return any_of(facts.has(event), axis=1)


def _chain_won(event: str, length: int, facts: Facts) -> Flags:
    return _event_won(event, facts) & equal(facts.column("chain"), length)


def _both_won(first: str, second: str, facts: Facts) -> Flags:
    return any_of(facts.has(first, second), axis=1)


def _both_named(first: str, second: str, rules: Ruleset) -> bool:
    return _is_named(first, rules) and _is_named(second, rules)


_PAIRS_OF_EVENTS: Final = (
    ("replacement_win", "last_tile_draw"),
    ("kong_discard", "last_tile_claim"),
    ("kong_discard", "melded_discard"),
    ("melded_discard", "last_tile_claim"),
)


def _event_lines() -> Iterable[Line]:
    for event in (*SELF_DRAW_EVENTS, *DISCARD_EVENTS, *FIRST_MOMENTS):
        yield Line(f"events.{event}", _TERMS[event], partial(_event_won, event), named(event))
    for first, second in _PAIRS_OF_EVENTS:
        words = tuple(
            f"{one}{link}{other}"
            for one, other, link in zip(_TERMS[first], _TERMS[second], (" with ", "，并"), strict=True)
        )
        yield Line(
            f"events.{first}.{second}",
            (words[0], words[1]),
            partial(_both_won, first, second),
            partial(_both_named, first, second),
        )
    yield Line(
        "events.melded_discard.melded_hand",
        ("melded discard to a melded hand", "全求炮，胡者亦全求人"),
        partial(_both_won, "melded_discard", "melded_hand"),
        named("melded_discard"),
    )
    for event in CHAINED:
        for length in range(1, LONGEST_CHAIN + 1):
            english, chinese = _TERMS[event]
            yield Line(
                f"chains.{event}.{length}",
                (f"{english}, chain of {length}", f"{chinese}，连杠 {length}"),
                partial(_chain_won, event, length),
                named(event),
            )


def _giver_may_pay(rules: Ruleset) -> bool:
    win = rules.events.replacement_win
    return win is not None and win.payer == "giver"


def _discarder_may_pay_all(rules: Ruleset) -> bool:
    kong_discard = rules.events.kong_discard
    return kong_discard is not None and kong_discard.payer == "discarder"


def _own_price(facts: Facts) -> Flags:
    return facts.concealed_kong_decides & any_of(facts.has("replacement_win") & facts.lacks(SPECIAL), axis=1)


def _discard_scale(facts: Facts) -> Flags:
    special = facts.has("replacement_win", "all_pungs") | facts.has("replacement_win", "full_flush")
    return facts.concealed_kong_decides & any_of(special, axis=1)


def _has_own_price(rules: Ruleset) -> bool:
    win = rules.events.replacement_win
    return win is not None and win.concealed_ordinary is not None and win.payer == "giver"


def _has_discard_scale(rules: Ruleset) -> bool:
    win = rules.events.replacement_win
    return win is not None and win.concealed_kong_scale == "discard" and win.payer == "giver"


def _fixed_share(event: str, rules: Ruleset) -> bool:
    moment = getattr(rules.events, event)
    return moment is not None and moment.fixed is not None


def _payer_lines() -> Iterable[Line]:
    yield Line(
        "payers.each",
        ("self-draw: each pays", "自摸，三家各付"),
        lambda facts: facts.outcome(SELF_DRAW) & equal(facts.column("payer"), NONE),
        always,
    )
    yield Line(
        "payers.kong_giver",
        ("replacement win: the kong's giver pays for all three", "杠上花，点杠（点碰）者包三家"),
        lambda facts: facts.kong_giver_pays,
        _giver_may_pay,
    )
    yield Line(
        "payers.concealed_kong",
        ("replacement win: the deciding kong is concealed, each pays", "杠上花，由暗杠决定，三家各付"),
        lambda facts: facts.concealed_kong_decides,
        _giver_may_pay,
    )
    yield Line(
        "payers.own_price",
        ("an ordinary hand after a concealed kong has a price of its own", "暗杠开基本胡，另有定价"),
        _own_price,
        _has_own_price,
    )
    yield Line(
        "payers.discard_scale",
        ("all pungs or a full flush after a concealed kong, on the discard scale", "暗杠开对对胡、清一色，按点炮分计"),
        _discard_scale,
        _has_discard_scale,
    )
    yield Line(
        "payers.discarder",
        ("discard: the discarder pays his own share", "点炮者只付自己的一份"),
        lambda facts: facts.outcome(DISCARD) & equal(facts.column("payer"), NONE),
        partial(_can_win, (), "discard"),
    )
    yield Line(
        "payers.discarder_for_all",
        ("kong discard: the discarder pays for all three", "杠上炮，点炮者包三家"),
        lambda facts: facts.outcome(DISCARD) & ~equal(facts.column("payer"), NONE),
        _discarder_may_pay_all,
    )
    yield Line(
        "payers.robbed",
        ("robbed kong: the robbed seat pays, its kong earns nothing", "抢杠，被抢者付，此杠无分"),
        lambda facts: facts.outcome(ROB_KONG),
        lambda rules: rules.kongs.rob_kong,
    )
    for event in FIRST_MOMENTS:
        english, chinese = _TERMS[event]
        yield Line(
            f"payers.fixed.{event}",
            (f"{english}: a fixed share", f"{chinese}，固定分值"),
            partial(_event_won, event),
            partial(_fixed_share, event),
        )


def _several(rules: Ruleset) -> bool:
    return rules.claims.multiple_winners


def _winner_lines() -> Iterable[Line]:
    for number, possible in ((1, always), (2, _several), (3, _several)):
        yield Line(
            f"winners.{number}",
            (f"{number} winner" + ("s" if number > 1 else ""), f"{number} 家胡牌"),
            partial(lambda number, facts: facts.winners == number, number),
            possible,
        )
    yield Line(
        "dealer.winner",
        ("the single winner deals next", "独胡者下局坐庄"),
        lambda facts: (facts.winners == 1) & (facts.column("next_dealer") != facts.column("dealer")),
        always,
    )
    yield Line(
        "dealer.giver",
        ("several winners: who gave the tile deals next", "一炮多响，供牌者下局坐庄"),
        lambda facts: facts.winners > 1,
        _several,
    )
    yield Line(
        "dealer.same",
        ("drawn deal: the dealer stays", "流局，庄家不变"),
        lambda facts: facts.outcome(DRAWN),
        always,
    )


WIN_LINES: Final = (*_hand_lines(), *_event_lines(), *_payer_lines(), *_winner_lines())
