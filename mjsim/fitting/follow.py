"""Play deals with ``value`` in every seat and note every hand at rest and every discard."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import types

from mjsim import jit
from mjsim.bits import bit, has
from mjsim.contract import PLAYERS_TYPE, View
from mjsim.deal.log import (
    CHOW_EVENT,
    DISCARD_EVENT,
    DRAW_EVENT,
    KONG_ADDED_EVENT,
    KONG_CONCEALED_EVENT,
    KONG_EVENT,
    PUNG_EVENT,
    WIN_EVENT,
)
from mjsim.deal.moves import clear_seat, give_up_tile, lay_meld, show_tile
from mjsim.deal.play import play_deal
from mjsim.hands.hand import add_tile, remove_tile
from mjsim.hands.shanten import pairs_distance
from mjsim.hands.tables import TABLES, tables
from mjsim.players import BUILTIN
from mjsim.players.value.chances import CONCEALED_ROUTE, FLUSH_ROUTE, OPEN_ROUTE, PAIRS_ROUTE, PUNGS_ROUTE
from mjsim.players.value.danger import TILE_ROW
from mjsim.players.value.holding import NO_SUIT, Holding, Sight, holding_of, live, sight_of
from mjsim.players.value.routes import (
    flush_distance,
    is_pure,
    key_of,
    ordinary_tiles,
    pungs_tiles,
    route_worths,
    useful_kinds,
)
from mjsim.rules import Ruleset
from mjsim.rules.packed import RULES, pack
from mjsim.settle import SETTLEMENT, settle
from mjsim.state import (
    CHOW_MELD,
    CONCEALED_KONG,
    DEAL,
    DIRECT_KONG,
    NONE,
    PUNG_MELD,
    SEATS,
    Int,
    Record,
    new_record,
    new_records,
)
from mjsim.wall import DEALT_TILES, dealt_seat

#: A hand at rest after its discard.
REST: Final = np.dtype(
    [
        ("deal", np.int64),
        ("seat", np.int64),
        ("draws", np.int64),  # own draws left
        ("route", np.int64),  # the one worth most
        ("distance", np.int64),  # on that route
        ("share", np.int64),  # of live effective tiles among the unseen ones, in 256ths
        ("exposed", np.int64),
        ("row", np.int64),  # of the discarded tile
        ("seen", np.int64),  # copies of it that the seat saw before
        ("won_by", np.int64),  # bit mask of the seats that won on it
        ("claimed", np.int64),
        ("others", np.int64, (SEATS,)),  # exposed melds of each seat
    ],
    align=True,
)

#: What a seat had from a deal.
END: Final = np.dtype([("won", np.int64), ("outcome", np.int64), ("giver", np.int64), ("hand", np.int64)], align=True)

_RESTS_PER_DEAL: Final = 140


def follow(rules: Ruleset, player: str, seed: int, deals: int) -> tuple[npt.NDArray[np.void], npt.NDArray[np.void]]:
    """Play deals and note what happened.

    Returns
    -------
    tuple of numpy.ndarray
        Of dtype `REST`, in the order of play, and of dtype `END`, shape (deals, seats).
    """
    rests = new_records(REST, deals * _RESTS_PER_DEAL)
    ends = new_records(END, deals * SEATS)
    played, shown = new_record(DEAL), new_record(DEAL)
    played.log.on = 1
    players = (BUILTIN[player].compiled,) * SEATS
    number = _follow_deals(
        players, played, shown, new_record(SETTLEMENT), pack(rules), tables(), np.uint64(seed), rests, ends
    )
    return rests[:number].view(np.ndarray), ends.view(np.ndarray).reshape(deals, SEATS)


@jit.entry_on_call(
    types.int64(
        PLAYERS_TYPE,
        jit.record_type(DEAL),
        jit.record_type(DEAL),
        jit.record_type(SETTLEMENT),
        jit.record_type(RULES),
        jit.record_type(TABLES),
        types.uint64,
        jit.record_type(REST)[::1],
        jit.record_type(END)[::1],
    )
)
def _follow_deals(
    players: Any,
    played: Record,
    shown: Record,
    settlement: Record,
    rules: Record,
    tables: Record,
    seed: np.uint64,
    rests: Any,
    ends: Any,
) -> Int:
    number = 0
    for deal in range(ends.shape[0] // SEATS):
        played.table.dealer = deal & 3
        play_deal(players, played, rules, tables, seed, deal)
        settle(played, rules, tables, settlement)
        for seat in range(SEATS):
            end = ends[deal * SEATS + seat]
            end.won = played.tally.winners >> seat & 1
            end.outcome = played.tally.outcome
            end.giver = played.tally.giver
            end.hand = settlement.hand[seat]
        _deal_again(played, shown, rules, tables)
        for index in range(played.log.event_count):
            event = played.log.events[index]
            seat = event[1]
            if event[0] == DISCARD_EVENT:
                view = View(shown.seats[seat], shown.table, rules, tables)
                rest = rests[number]
                rest.deal = deal
                rest.seat = seat
                _note_discard(rest, view, sight_of(view), event[2])
                _follow_event(shown, tables, event)
                _note_rest(rest, view, sight_of(view), holding_of(view.own))
                _note_answers(rest, played, index)
                for other in range(SEATS):
                    rest.others[other] = shown.seats[other].exposed_count
                number += 1
            else:
                _follow_event(shown, tables, event)
    return number


@jit.kernel
def _deal_again(played: Record, shown: Record, rules: Record, tables: Record) -> None:
    """The table as it is when the tiles have been dealt."""
    table = shown.table
    table.left = 0
    table.ones = np.uint64(0)
    table.twos = np.uint64(0)
    table.fours = np.uint64(0)
    for seat in range(SEATS):
        clear_seat(shown, seat)
        table.meld_count[seat] = 0
    for index in range(DEALT_TILES):
        add_tile(shown.seats[dealt_seat(index, played.table.dealer)], tables, np.int64(played.wall.tiles[index]))
    # Until the first draw as many tiles are left as there were then, and one more.
    for index in range(played.log.event_count):
        if played.log.events[index, 0] == DRAW_EVENT:
            table.left = played.log.events[index, 4] + 1
            break


@jit.kernel
def _follow_event(shown: Record, tables: Record, event: Any) -> None:
    """Move the tiles of one event."""
    code, seat, tile, giver = event[0], event[1], event[2], event[3]
    own = shown.seats[seat]
    if code == DRAW_EVENT:
        add_tile(own, tables, tile)
        shown.table.left = event[4]
    elif code == DISCARD_EVENT:
        remove_tile(own, tables, tile)
        show_tile(shown.table, tile)
    elif code == CHOW_EVENT:
        for other in range(event[4], event[4] + 3):
            if other != tile:
                give_up_tile(shown, tables, seat, other)
        lay_meld(shown, seat, CHOW_MELD, event[4], giver)
    elif code == PUNG_EVENT:
        give_up_tile(shown, tables, seat, tile)
        give_up_tile(shown, tables, seat, tile)
        lay_meld(shown, seat, PUNG_MELD, tile, giver)
    elif code == KONG_EVENT:
        for _ in range(3):
            give_up_tile(shown, tables, seat, tile)
        lay_meld(shown, seat, DIRECT_KONG, tile, giver)
    elif code == KONG_ADDED_EVENT:
        give_up_tile(shown, tables, seat, tile)
    elif code == KONG_CONCEALED_EVENT:
        for _ in range(4):
            remove_tile(own, tables, tile)
        own.concealed_kongs |= bit(tile)
        lay_meld(shown, seat, CONCEALED_KONG, tile, NONE)


@jit.kernel
def _note_discard(rest: Record, view: View, sight: Sight, tile: Int) -> None:
    rest.row = TILE_ROW[tile]
    shift = np.uint64(tile)
    one = np.uint64(1)
    seen = np.int64(sight.ones >> shift & one) + 2 * np.int64(sight.twos >> shift & one)
    rest.seen = 4 if has(sight.fours, tile) else seen


@jit.kernel
def _note_answers(rest: Record, played: Record, index: Int) -> None:
    """Who won on a discard, and whether it was claimed."""
    rest.won_by = 0
    rest.claimed = 0
    for later in range(index + 1, played.log.event_count):
        code = played.log.events[later, 0]
        if code == WIN_EVENT:
            if played.log.events[later, 3] != NONE:
                rest.won_by |= 1 << played.log.events[later, 1]
        else:
            rest.claimed = np.int64(CHOW_EVENT <= code <= KONG_EVENT)
            return


@jit.kernel
def _note_rest(rest: Record, view: View, sight: Sight, hand: Holding) -> None:
    """The leading route of a hand at rest, with its distance and share of effective tiles."""
    ordinary, pungs, flush, pairs = route_worths(view, sight, hand)
    distance, useful = useful_kinds(view.tables, hand)
    tiles = ordinary_tiles(sight, distance, useful, hand.twos & ~hand.ones)[1]
    route = np.int64(OPEN_ROUTE if hand.exposed > 0 else CONCEALED_ROUTE)
    if pungs > max(ordinary, flush, pairs):
        route = np.int64(PUNGS_ROUTE)
        distance, tiles = pungs_tiles(sight, hand.ones, hand.twos, hand.fours, 4 - hand.melds)
    elif flush > max(ordinary, pairs):
        route = np.int64(FLUSH_ROUTE)
        distance, tiles = _best_flush(view, sight, hand)
    elif pairs > ordinary:
        route = np.int64(PAIRS_ROUTE)
        distance = np.int64(pairs_distance(hand.twos, hand.fours, hand.melds))
        tiles = live(sight, hand.ones)
    if route <= OPEN_ROUTE and is_pure(hand):
        route = np.int64(FLUSH_ROUTE)
    rest.draws = sight.draws
    rest.route = route
    rest.distance = distance
    rest.share = min(tiles * sight.per_tile >> 16, 256)
    rest.exposed = hand.exposed


@jit.kernel
def _best_flush(view: View, sight: Sight, hand: Holding) -> Any:
    """Distance and live tiles of the nearest flush."""
    best = np.int64(99)
    best_tiles = np.int64(0)
    for suit in range(3):
        if hand.suit == NO_SUIT or hand.suit == suit:
            distance, useful = flush_distance(view.tables, key_of(hand, suit), suit, 4 - hand.melds)
            tiles = live(sight, useful)
            if distance < best or (distance == best and tiles > best_tiles):
                best = distance
                best_tiles = tiles
    return best, best_tiles
