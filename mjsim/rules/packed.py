"""A ruleset as the words that kernels read.

Everything is a 64-bit integer; a switch is 0 or 1, a missing price −1. Arrays over hand types and events are indexed
by the numbers of `mjsim.hands.types`, arrays over the mode of a win by `SELF_DRAW_MODE` and `DISCARD_MODE`.
"""

from typing import Final

import numpy as np

from mjsim.rules.events import FirstMoment
from mjsim.rules.model import Ruleset
from mjsim.state import DEALT, FIRST_DISCARD, FIRST_DRAW, Record, new_record

SELF_DRAW_MODE: Final = 0
DISCARD_MODE: Final = 1

# Columns of `price`.
ORDINARY: Final = 0
CONCEALED: Final = 1  # plus this for a concealed hand
SPECIAL: Final = 2  # plus this for a hand with units

# Rows of `units`.
UNITS: Final = ("all_pungs", "full_flush", "seven_pairs", "quad", "melded_hand")
ALL_PUNGS_UNITS: Final = 0
FULL_FLUSH_UNITS: Final = 1
SEVEN_PAIRS_UNITS: Final = 2
QUAD_UNITS: Final = 3
MELDED_HAND_UNITS: Final = 4

# Rows of the event arrays.
EVENTS: Final = (
    "last_tile_draw",
    "last_tile_claim",
    "kong_discard",
    "robbing_kong",
    "replacement_win",
    "melded_discard",
    "heavenly_hand",
    "earthly_hand",
    "human_hand",
)
LAST_TILE_DRAW: Final = 0
LAST_TILE_CLAIM: Final = 1
KONG_DISCARD: Final = 2
ROBBING_KONG: Final = 3
REPLACEMENT_WIN: Final = 4
MELDED_DISCARD: Final = 5
FIRST_MOMENTS: Final = (6, 7, 8)

# Which kong of a chain decides who pays a replacement win.
LAST_DECIDES: Final = 0
FIRST_DECIDES: Final = 1
FIRST_EXPOSED_DECIDES: Final = 2

_DECIDING: Final = {"last": LAST_DECIDES, "first": FIRST_DECIDES, "first_exposed": FIRST_EXPOSED_DECIDES}
_MOMENTS: Final = {"dealt": DEALT, "first_draw": FIRST_DRAW, "first_discard": FIRST_DISCARD}

NO_PRICE: Final = -1

RULES: Final = np.dtype(
    [
        ("chow", np.int64),
        ("multiple_winners", np.int64),
        ("step", np.int64),
        ("price", np.int64, (2, 4)),
        ("units", np.int64, (len(UNITS), 2)),
        ("event_named", np.int64, (len(EVENTS),)),
        ("event_factor", np.int64, (len(EVENTS),)),
        ("event_units", np.int64, (len(EVENTS),)),
        ("event_per_kong", np.int64, (len(EVENTS),)),
        ("event_moment", np.int64, (len(EVENTS),)),  # the moment that a first moment's event needs
        ("event_fixed", np.int64, (len(EVENTS),)),  # a share in place of the hand's own; -1: none
        ("discarder_pays_all", np.int64),  # after a kong
        ("giver_pays_all", np.int64),  # for a replacement win after an exposed kong
        ("deciding_kong", np.int64),
        ("concealed_on_discard_scale", np.int64),
        ("melded_discard_stacks", np.int64),  # on the winner's own melded hand
        ("concealed_ordinary", np.int64),  # -1: no price of its own
        ("kong_exposed", np.int64),
        ("kong_concealed", np.int64),
        ("rob_kong", np.int64),
        ("rob_after_concealed", np.int64),
        ("liability", np.int64),
        ("liability_melds", np.int64),
        ("liability_chow", np.int64),
        ("giver_may_win", np.int64),
        ("giver_to_maker", np.int64),
        ("giver_to_third", np.int64),
        ("third_to_maker", np.int64),
        ("self_draw_liability", np.int64),
        ("giver_alone", np.int64),
        ("dead_double", np.int64),
        ("pass_lock", np.int64),
        ("tiles_left", np.int64),  # live tiles at which normal draws end
        ("last_tile_discard", np.int64),
        ("last_tile_claims", np.int64),
        ("fishing", np.int64),
        ("max_labels", np.int64),
        ("reserve_picked", np.int64),
        ("horses", np.int64),  # how many; 0: none
    ]
)


def pack(rules: Ruleset) -> Record:
    """Write a ruleset into one record of dtype `RULES`.

    Examples
    --------
    >>> from mjsim.rules import load_rules
    >>> pack(load_rules("liuzhou")).price.tolist()
    [[1, 2, 2, 4], [1, 1, 3, 3]]
    """
    words: Record = new_record(RULES)
    words.chow = rules.claims.chow
    words.multiple_winners = rules.claims.multiple_winners
    words.step = rules.value.step
    own, given = rules.value.self_draw, rules.value.discard
    ordinary = rules.value.ordinary_discard
    words.price[SELF_DRAW_MODE] = _prices(own.ordinary, own.ordinary_concealed, own.special, own.special_concealed)
    words.price[DISCARD_MODE] = _prices(ordinary, ordinary, given.special, given.special_concealed)
    for row, name in enumerate(UNITS):
        units = getattr(rules.units, name)
        words.units[row] = units.self_draw, units.discard
    _pack_events(words, rules)
    words.kong_exposed = rules.kongs.exposed
    words.kong_concealed = rules.kongs.concealed
    words.rob_kong = rules.kongs.rob_kong
    words.rob_after_concealed = rules.kongs.rob_after_concealed
    liability = rules.liability
    words.liability = liability.enabled
    words.liability_melds = liability.melds
    words.liability_chow = liability.chow_counts
    words.giver_may_win = liability.giver_may_win or not liability.enabled
    words.giver_to_maker = liability.giver_to_maker
    words.giver_to_third = liability.giver_to_third
    words.third_to_maker = liability.third_to_maker if liability.third_party else 0
    words.self_draw_liability = liability.self_draw
    words.giver_alone = liability.giver_alone
    words.dead_double = liability.dead_double
    words.pass_lock = rules.pass_lock.enabled
    words.tiles_left = rules.deal_end.tiles_left
    words.last_tile_discard = rules.deal_end.last_tile_discard
    words.last_tile_claims = rules.deal_end.last_tile_claims
    words.fishing = rules.fishing.enabled
    words.max_labels = rules.fishing.max_labels if rules.fishing.enabled else 0
    words.reserve_picked = rules.fishing.reserve == "picked"
    words.horses = rules.horses.number if rules.horses.enabled else 0
    return words


def _prices(*prices: int | None) -> list[int]:
    return [NO_PRICE if price is None else price for price in prices]


def _pack_events(words: Record, rules: Ruleset) -> None:
    events = rules.events
    words.concealed_ordinary = NO_PRICE
    words.event_fixed[:] = NO_PRICE
    for row, name in enumerate(EVENTS):
        event = getattr(events, name)
        words.event_named[row] = event is not None
        words.event_factor[row] = 1 if event is None else event.factor
        words.event_units[row] = 0 if event is None else event.units
        words.event_per_kong[row] = getattr(event, "per_kong", False)
        if isinstance(event, FirstMoment):
            words.event_moment[row] = _MOMENTS[event.moment]
            words.event_fixed[row] = NO_PRICE if event.fixed is None else event.fixed
    words.discarder_pays_all = events.kong_discard is not None and events.kong_discard.payer == "discarder"
    words.melded_discard_stacks = events.melded_discard is not None and events.melded_discard.beside_melded_hand
    if events.replacement_win is not None:
        win = events.replacement_win
        words.giver_pays_all = win.payer == "giver"
        words.deciding_kong = _DECIDING[win.decided_by]
        words.concealed_on_discard_scale = win.concealed_kong_scale == "discard"
        words.concealed_ordinary = NO_PRICE if win.concealed_ordinary is None else win.concealed_ordinary
