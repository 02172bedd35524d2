"""Lines about what stands beside the winning hand: kongs, the end of the deal, horses, fish."""

from collections.abc import Iterable
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from mjsim.coverage.facts import DRAWN, ROB_KONG, Facts, Flags, any_of, equal, number_of
from mjsim.coverage.line import Line, always
from mjsim.rules import Ruleset
from mjsim.state import HORSES, SEATS
from mjsim.tiles import TILES
from mjsim.wall import DEALT_TILES, RESERVED

_KONGS: Final = {
    "direct": ("direct kong", "直杠"),
    "added": ("added kong", "补杠"),
    "concealed": ("concealed kong", "暗杠"),
}
_HONOURED: Final = (27, 31 + 1)  # 东 and 中, which belong to the dealer


def _made(kind: str, facts: Facts) -> Flags:
    return any_of(facts.seats(f"kongs_{kind}") > 0, axis=1)


def _kong_count(facts: Facts) -> npt.NDArray[np.int64]:
    return number_of(np.stack([facts.seats(f"kongs_{kind}") for kind in _KONGS]), axis=0)


def _paid(facts: Facts) -> Flags:
    return any_of(facts.seats("kongs") != 0, axis=1)


def _kong_lines() -> Iterable[Line]:
    for kind, (english, chinese) in _KONGS.items():
        yield Line(f"kongs.{kind}", (english, chinese), partial(_made, kind), always)
    for number in range(2, SEATS + 1):
        yield Line(
            f"kongs.{number}",
            (f"{number} kongs of one seat", f"一家 {number} 杠"),
            partial(lambda number, facts: any_of(_kong_count(facts) == number, axis=1), number),
            always,
        )
    yield Line(
        "kongs.exposed_money",
        ("an exposed kong is paid by its giver", "明杠，供牌者付杠分"),
        lambda facts: _paid(facts) & (_made("direct", facts) | _made("added", facts)),
        lambda rules: rules.kongs.exposed > 0,
    )
    yield Line(
        "kongs.concealed_money",
        ("a concealed kong is paid by each", "暗杠，三家付杠分"),
        lambda facts: _paid(facts) & _made("concealed", facts),
        lambda rules: rules.kongs.concealed > 0,
    )
    yield Line(
        "kongs.kept",
        ("kong money is kept on a drawn deal", "流局，杠分照付"),
        lambda facts: facts.outcome(DRAWN) & _paid(facts),
        lambda rules: rules.kongs.exposed > 0 or rules.kongs.concealed > 0,
    )
    yield Line(
        "kongs.robbed",
        ("a robbed kong, which pays nothing", "被抢之杠，无分"),
        lambda facts: facts.column("robbed") > 0,
        lambda rules: rules.kongs.rob_kong,
    )


def _end_lines() -> Iterable[Line]:
    yield Line("end.drawn", ("drawn deal", "流局"), lambda facts: facts.outcome(DRAWN), always)
    yield Line(
        "end.last_tile_kong",
        ("after the last tile a discard is konged", "末张之后，杠打出的牌"),
        lambda facts: facts.column("left") < facts.rules.deal_end.tiles_left,
        lambda rules: (
            rules.deal_end.last_tile_claims and rules.deal_end.last_tile_discard and rules.deal_end.tiles_left > 0
        ),
    )
    yield Line(
        "end.reserve_drawn",
        ("reserved tiles that nobody picked are drawn", "无人取的留牌被摸"),
        lambda facts: facts.column("draws") > TILES - DEALT_TILES - RESERVED,
        lambda rules: rules.fishing.enabled and rules.fishing.reserve == "picked",
    )


def _hits(number: int, facts: Facts) -> Flags:
    return equal(facts.winners, 1) & equal(facts.column("horse_hits"), number)


def _hit_possible(number: int, rules: Ruleset) -> bool:
    return rules.horses.enabled and number <= rules.horses.number


def _has_fixed(facts: Facts) -> Flags:
    events = {name: getattr(facts.rules.events, name) for name in ("heavenly_hand", "earthly_hand", "human_hand")}
    fixed = [name for name, event in events.items() if event is not None and event.fixed is not None]
    return any_of(np.stack([any_of(facts.has(name), axis=1) for name in fixed]), axis=0)


def _fixed_possible(rules: Ruleset) -> bool:
    events = (rules.events.heavenly_hand, rules.events.earthly_hand, rules.events.human_hand)
    return rules.horses.enabled and any(event is not None and event.fixed is not None for event in events)


def _fewer_possible(rules: Ruleset) -> bool:
    end = rules.deal_end
    return rules.horses.enabled and (end.tiles_left < rules.horses.number or end.last_tile_claims)


def _horse_lines() -> Iterable[Line]:
    for number in range(HORSES + 1):
        yield Line(
            f"horses.{number}",
            (f"{number} of the horses hit", f"中马 {number} 匹"),
            partial(_hits, number),
            partial(_hit_possible, number),
        )
    yield Line(
        "horses.fewer",
        ("fewer horses than usual are left to turn over", "余牌不足，买马较少"),
        lambda facts: (facts.winners == 1) & (facts.horses < facts.rules.horses.number),
        _fewer_possible,
    )
    yield Line(
        "horses.liability",
        ("horses multiply a liability part", "中马，责任分加倍"),
        lambda facts: (facts.column("horse_hits") > 0) & any_of(facts.seats("liability") != 0, axis=1),
        lambda rules: rules.horses.enabled and rules.liability.enabled,
    )
    yield Line(
        "horses.fixed",
        ("horses multiply a fixed share", "中马，固定分值加倍"),
        lambda facts: (facts.column("horse_hits") > 0) & _has_fixed(facts),
        _fixed_possible,
    )
    yield Line(
        "horses.several_winners",
        ("several winners: no horses", "一炮多响，不买马"),
        lambda facts: (facts.winners > 1) & (facts.horses == 0),
        lambda rules: rules.horses.enabled and rules.claims.multiple_winners,
    )


def _followed(facts: Facts) -> npt.NDArray[np.int64]:
    """How many of an owner's labels follow a target, of shape (deal, owner, target)."""
    return number_of(facts.fish, axis=2)


def _moved(facts: Facts) -> Flags:
    """Whether a seat won or lost anything by hands and kongs, of shape (deal, seat)."""
    return any_of(facts.flow != 0, axis=2)


def _own_fish(facts: Facts) -> Flags:
    return any_of(np.diagonal(_followed(facts), axis1=1, axis2=2) * _moved(facts), axis=1)


def _on_target(facts: Facts, owners: Flags) -> Flags:
    """Deals in which something of shape (deal, owner, target) is true of a target who won or lost."""
    return any_of(owners & _moved(facts)[:, None, :], axis=(1, 2))


def _two_owners(facts: Facts) -> Flags:
    return any_of((number_of(_followed(facts) > 0, axis=1) > 1) & _moved(facts), axis=1)


def _dropped(facts: Facts) -> Flags:
    between = np.swapaxes(facts.flow != 0, 1, 2)  # owner, target
    others = ~np.eye(SEATS, dtype=bool)
    return any_of((_followed(facts) > 0) & between & others, axis=(1, 2))


def _others(facts: Facts, side: int) -> Flags:
    """Deals in which someone else's fish follows a seat that won (1), lost (-1), or did neither (0)."""
    result = np.sign(number_of(facts.flow, axis=2))
    others = ~np.eye(SEATS, dtype=bool)
    return any_of((_followed(facts) > 0) & others & (result == side)[:, None, :], axis=(1, 2))


def _honours(facts: Facts) -> Flags:
    taken = any_of(facts.fish, axis=(1, 3))
    tiles = np.stack([facts.column(f"fish_tile_{label + 1}") for label in range(RESERVED)], axis=1)
    return any_of(taken & np.isin(tiles, _HONOURED), axis=1)


def _taken(number: int, facts: Facts) -> Flags:
    return any_of(facts.labels == number, axis=1)


def _labels_possible(number: int, rules: Ruleset) -> bool:
    return rules.fishing.enabled and number <= rules.fishing.max_labels


def _fishes(rules: Ruleset) -> bool:
    return rules.fishing.enabled


def _fish_lines() -> Iterable[Line]:
    for number in range(3):
        yield Line(
            f"fish.labels.{number}",
            (f"a seat takes {number} fish", f"一家取 {number} 张鱼牌"),
            partial(_taken, number),
            partial(_labels_possible, number),
        )
    for name, english, chinese, fired in (
        ("own", "one's own fish doubles one's own result", "钓自己，得失加倍", _own_fish),
        ("winner", "a fish follows a seat that wins", "鱼随得分之家", partial(_others, side=1)),
        ("loser", "a fish follows a seat that loses", "鱼随失分之家", partial(_others, side=-1)),
        ("even", "a fish follows a seat that comes out even", "鱼随不得不失之家", partial(_others, side=0)),
        ("dropped", "a fish's transfer of its owner to himself is dropped", "鱼主对自己的收付作废", _dropped),
        ("two_owners", "fish of two owners on one seat", "两家之鱼随同一家", _two_owners),
        ("honour", "a fish is 东 or 中, and follows the dealer", "鱼牌为东或中，随庄家", _honours),
        (
            "kongs",
            "a fish follows kong money alone, on a drawn deal",
            "流局，鱼只随杠分",
            lambda facts: facts.outcome(DRAWN) & any_of(facts.seats("fish") != 0, axis=1),
        ),
        (
            "robbed",
            "a fish follows a robbed kong",
            "鱼随抢杠",
            lambda facts: facts.outcome(ROB_KONG) & any_of(facts.seats("fish") != 0, axis=1),
        ),
    ):
        possible = _fishes
        if name == "robbed":
            possible = _fishes_robbed
        yield Line(f"fish.{name}", (english, chinese), fired, possible)
    yield Line(
        "fish.two_on_one",
        ("two fish of one owner on one seat", "一家两鱼随同一家"),
        lambda facts: _on_target(facts, _followed(facts) > 1),
        partial(_labels_possible, 2),
    )


def _fishes_robbed(rules: Ruleset) -> bool:
    return rules.fishing.enabled and rules.kongs.rob_kong


SIDE_LINES: Final = (*_kong_lines(), *_end_lines(), *_horse_lines(), *_fish_lines())
