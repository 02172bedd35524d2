"""A ruleset as the words that kernels read.

Everything is a 64-bit integer; a switch is 0 or 1, a missing price −1. Arrays over hand types and events are indexed
by the numbers of `mjsim.hands.types`, arrays over the mode of a win by `SELF_DRAW_MODE` and `DISCARD_MODE`.
"""

from typing import Final

import numpy as np

from mjsim.rules.model import Prices, Ruleset
from mjsim.state import Record, new_record

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
EVENTS: Final = ("last_tile_draw", "last_tile_claim", "kong_discard", "robbing_kong", "replacement_win")
LAST_TILE_DRAW: Final = 0
LAST_TILE_CLAIM: Final = 1
KONG_DISCARD: Final = 2
ROBBING_KONG: Final = 3
REPLACEMENT_WIN: Final = 4

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
        ("discarder_pays_all", np.int64),  # after a kong
        ("giver_pays_all", np.int64),  # for a replacement win after an exposed kong
        ("first_kong_decides", np.int64),
        ("concealed_ordinary", np.int64),  # -1: no price of its own
        ("kong_exposed", np.int64),
        ("kong_concealed", np.int64),
        ("rob_kong", np.int64),
        ("liability", np.int64),
        ("liability_melds", np.int64),
        ("liability_chow", np.int64),
        ("giver_to_maker", np.int64),
        ("giver_to_third", np.int64),
        ("third_to_maker", np.int64),
        ("self_draw_liability", np.int64),
        ("pass_lock", np.int64),
        ("tiles_left", np.int64),  # live tiles at which normal draws end
        ("last_tile_discard", np.int64),
        ("fishing", np.int64),
        ("max_labels", np.int64),
        ("reserve_picked", np.int64),
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
    words.price[SELF_DRAW_MODE] = _prices(rules.value.self_draw)
    words.price[DISCARD_MODE] = _prices(rules.value.discard)
    for row, name in enumerate(UNITS):
        units = getattr(rules.units, name)
        words.units[row] = units.self_draw, units.discard
    _pack_events(words, rules)
    words.kong_exposed = rules.kongs.exposed
    words.kong_concealed = rules.kongs.concealed
    words.rob_kong = rules.kongs.rob_kong
    liability = rules.liability
    words.liability = liability.enabled
    words.liability_melds = liability.melds
    words.liability_chow = liability.chow_counts
    words.giver_to_maker = liability.giver_to_maker
    words.giver_to_third = liability.giver_to_third
    words.third_to_maker = liability.third_to_maker if liability.third_party else 0
    words.self_draw_liability = liability.self_draw
    words.pass_lock = rules.pass_lock.enabled
    words.tiles_left = 0
    words.last_tile_discard = rules.deal_end.last_tile_discard
    words.fishing = rules.fishing.enabled
    words.max_labels = rules.fishing.max_labels if rules.fishing.enabled else 0
    words.reserve_picked = rules.fishing.reserve == "picked"
    return words


def _prices(prices: Prices) -> list[int]:
    row = (prices.ordinary, prices.ordinary_concealed, prices.special, prices.special_concealed)
    return [NO_PRICE if price is None else price for price in row]


def _pack_events(words: Record, rules: Ruleset) -> None:
    events = rules.events
    words.concealed_ordinary = NO_PRICE
    for row, name in enumerate(EVENTS):
        event = getattr(events, name)
        words.event_named[row] = event is not None
        words.event_factor[row] = 1 if event is None else event.factor
        words.event_units[row] = 0 if event is None else event.units
    words.discarder_pays_all = events.kong_discard is not None and events.kong_discard.payer == "discarder"
    if events.replacement_win is not None:
        words.giver_pays_all = events.replacement_win.payer == "giver"
        words.first_kong_decides = events.replacement_win.decided_by == "first"
        if events.replacement_win.concealed_ordinary is not None:
            words.concealed_ordinary = events.replacement_win.concealed_ordinary
