"""Lines about three-meld liability, and about wins that a lock or a seal forbids."""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from mjsim.coverage.facts import DISCARD, ROB_KONG, Facts, Flags, any_of, equal, number_of
from mjsim.coverage.line import Fired, Line, Possible
from mjsim.rules import Ruleset
from mjsim.state import NONE

Pairs: TypeAlias = Callable[[Facts], Flags]
"""Something that is true of a maker and a giver, of shape (deal, maker, giver)."""


def _over_pairs(pairs: Flags) -> Flags:
    """Deals in which anything of shape (deal, maker, giver) is true."""
    return any_of(pairs, axis=(1, 2))


def _on_tile(facts: Facts) -> Flags:
    """Deals won on another's tile, of shape (deal, 1, 1)."""
    return facts.outcome(DISCARD, ROB_KONG)[:, None, None]


def _maker_won(facts: Facts) -> Flags:
    return facts.links & facts.won[:, :, None]


def _giver_to_maker(facts: Facts) -> Flags:
    return _maker_won(facts) & facts.giver[:, None, :] & _on_tile(facts)


def _third_to_maker(facts: Facts) -> Flags:
    return _maker_won(facts) & ~facts.giver[:, None, :] & ~facts.won[:, None, :] & _on_tile(facts)


def _giver_wins_too(facts: Facts) -> Flags:
    return _maker_won(facts) & facts.won[:, None, :] & _on_tile(facts)


def _giver_to_third(facts: Facts) -> Flags:
    return facts.links & facts.giver[:, None, :] & ~facts.won[:, :, None]


def _giver_to_both(facts: Facts) -> Flags:
    return _giver_to_maker(facts) & (facts.winners > 1)[:, None, None]


def _maker_to_giver(facts: Facts) -> Flags:
    return facts.links & facts.giver[:, :, None] & facts.won[:, None, :]


def _maker_to_third(facts: Facts) -> Flags:
    others = (facts.winners - facts.won.T).T > 0
    return facts.links & facts.giver[:, :, None] & others[:, None, :]


def _maker_draws(facts: Facts) -> Flags:
    """A maker's self-draw for which his giver pays: any, or any but those for which a kong's giver already does."""
    counts = facts.rules.liability.giver_alone | equal(facts.column("payer"), NONE)
    return facts.maker_draws[:, None, None] & _maker_won(facts) & counts[:, None, None]


def _maker_kongs(facts: Facts) -> Flags:
    return facts.maker_draws[:, None, None] & _maker_won(facts) & facts.has("replacement_win")[:, :, None]


def _beside_kong_giver(facts: Facts) -> Flags:
    return _maker_kongs(facts) & ~equal(facts.column("payer"), NONE)[:, None, None]


def _after_concealed_kong(facts: Facts) -> Flags:
    return _maker_kongs(facts) & equal(facts.column("payer"), NONE)[:, None, None]


def _two_makers(facts: Facts) -> Flags:
    return any_of(number_of(facts.links, axis=1) > 1, axis=1)


def _each_other(facts: Facts) -> Flags:
    return _over_pairs(facts.links & np.swapaxes(facts.links, 1, 2))


def _several_winners(facts: Facts) -> Flags:
    return _over_pairs(_giver_to_maker(facts) | _third_to_maker(facts)) & (facts.winners > 1)


def _on_robbed_kong(facts: Facts) -> Flags:
    return _over_pairs(_giver_to_maker(facts) | _third_to_maker(facts)) & facts.outcome(ROB_KONG)


def _doubled(facts: Facts) -> Flags:
    return _over_pairs(_giver_to_maker(facts) | _third_to_maker(facts) | _maker_draws(facts))


def _enabled(rules: Ruleset) -> bool:
    return rules.liability.enabled


def _third_pays(rules: Ruleset) -> bool:
    return rules.liability.enabled and rules.liability.third_party and rules.liability.third_to_maker > 0


def _third_spared(rules: Ruleset) -> bool:
    return rules.liability.enabled and not _third_pays(rules)


def _giver_wins(rules: Ruleset) -> bool:
    return rules.liability.enabled and rules.liability.giver_may_win


def _several(rules: Ruleset) -> bool:
    return rules.liability.enabled and rules.claims.multiple_winners


def _kong_giver_may_pay(rules: Ruleset) -> bool:
    win = rules.events.replacement_win
    return rules.liability.enabled and win is not None and win.payer == "giver"


def _robbed(rules: Ruleset) -> bool:
    return rules.liability.enabled and rules.kongs.rob_kong


def _alone(rules: Ruleset) -> bool:
    return rules.liability.enabled and rules.liability.giver_alone


def _pairs_fired(pairs: Pairs, facts: Facts) -> Flags:
    return _over_pairs(pairs(facts))


def _blocked(facts: Facts) -> Flags:
    return any_of(facts.seats("blocked") > 0, axis=1)


def _seals(rules: Ruleset) -> bool:
    return rules.liability.enabled and not rules.liability.giver_may_win


#: Lines about a maker and his giver.
_PAIR_LINES: Final[tuple[tuple[str, str, str, Pairs, Possible], ...]] = (
    ("link", "a giver has fed a maker enough melds", "供足副数，责任成立", lambda facts: facts.links, _enabled),
    ("giver_to_maker", "the giver discards to the maker", "供牌者点炮给收牌者", _giver_to_maker, _enabled),
    (
        "third_to_maker",
        "a third seat discards to the maker, the giver pays too",
        "第三家点炮给收牌者，供牌者也付",
        _third_to_maker,
        _third_pays,
    ),
    (
        "third_spares_giver",
        "a third seat discards to the maker, the giver pays nothing",
        "第三家点炮给收牌者，供牌者不付",
        _third_to_maker,
        _third_spared,
    ),
    (
        "giver_wins_too",
        "the giver himself wins beside his maker, and pays no link money",
        "供牌者与收牌者同胡，不付责任分",
        _giver_wins_too,
        lambda rules: _giver_wins(rules) and _several(rules),
    ),
    ("giver_to_third", "the giver discards to a third seat", "供牌者点炮给第三家", _giver_to_third, _enabled),
    (
        "giver_to_both",
        "the giver discards to the maker and to another winner",
        "供牌者点炮给收牌者及另一家",
        _giver_to_both,
        _several,
    ),
    ("maker_to_giver", "the maker discards to the giver", "收牌者点炮给供牌者", _maker_to_giver, _giver_wins),
    ("maker_to_third", "the maker discards to a third seat", "收牌者点炮给第三家", _maker_to_third, _enabled),
    (
        "self_draw",
        "the maker draws: the giver pays more, the others as usual",
        "收牌者自摸，供牌者多付，余家照付",
        _maker_draws,
        lambda rules: _enabled(rules) and not _alone(rules),
    ),
    (
        "self_draw_alone",
        "the maker draws: the giver pays in place of everyone",
        "收牌者自摸，供牌者一人代付",
        _maker_draws,
        _alone,
    ),
    (
        "kong_giver",
        "the maker's replacement win that a kong's giver pays: liability adds nothing",
        "收牌者杠上花由点杠者包，责任不另计",
        _beside_kong_giver,
        lambda rules: _kong_giver_may_pay(rules) and not _alone(rules),
    ),
    (
        "concealed_kong",
        "the maker's replacement win after a concealed kong: liability applies",
        "收牌者暗杠开，责任照计",
        _after_concealed_kong,
        lambda rules: _kong_giver_may_pay(rules) and not _alone(rules),
    ),
    (
        "in_place_of_kong_giver",
        "the maker's replacement win: the giver of the melds pays, whoever gave the kong",
        "收牌者杠上花，供牌者代点杠者付",
        _maker_kongs,
        lambda rules: _kong_giver_may_pay(rules) and _alone(rules),
    ),
)

#: Lines about a whole deal.
_DEAL_LINES: Final[tuple[tuple[str, str, str, Fired, Possible], ...]] = (
    (
        "several_winners",
        "several winners, one of them a maker who is paid",
        "一炮多响，其中有收牌者得分",
        _several_winners,
        _several,
    ),
    ("robbed_kong", "a robbed kong settles on the discards' lines", "抢杠按点炮计责任", _on_robbed_kong, _robbed),
    ("two_makers", "one giver has two makers", "一家供足两家", _two_makers, _enabled),
    ("each_other", "two seats are each other's givers", "两家互供", _each_other, _enabled),
    (
        "dead_double",
        "the giver's part is doubled",
        "死双，供牌者所付加倍",
        _doubled,
        lambda rules: rules.liability.enabled and rules.liability.dead_double,
    ),
)

_FORBIDDEN: Final[tuple[tuple[str, str, str, Possible], ...]] = (
    (
        "lock",
        "a pass lock forbids a win",
        "漏胡，不得胡",
        lambda rules: rules.pass_lock.enabled and not _seals(rules),
    ),
    (
        "seal",
        "a sealed seat may not win",
        "封胡，不得胡",
        lambda rules: _seals(rules) and not rules.pass_lock.enabled,
    ),
    (
        "lock_or_seal",
        "a pass lock or a seal forbids a win",
        "漏胡或封胡，不得胡",
        lambda rules: _seals(rules) and rules.pass_lock.enabled,
    ),
)

LINK_LINES: Final = (
    *(
        Line(f"liability.{name}", (english, chinese), partial(_pairs_fired, pairs), possible)
        for name, english, chinese, pairs, possible in _PAIR_LINES
    ),
    *(
        Line(f"liability.{name}", (english, chinese), fired, possible)
        for name, english, chinese, fired, possible in _DEAL_LINES
    ),
    *(
        Line(f"forbidden.{name}", (english, chinese), _blocked, possible)
        for name, english, chinese, possible in _FORBIDDEN
    ),
)
