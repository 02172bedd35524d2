"""What an action does to the deal: tiles move, melds are laid down, chains and locks begin and end."""

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, has
from mjsim.contract import CHOW_HIGH, CHOW_MIDDLE, KONG, PUNG, VIEW_VERSION
from mjsim.deal.log import CHOW_EVENT, DISCARD_EVENT, DRAW_EVENT, KONG_EVENT, PUNG_EVENT, note
from mjsim.hands.hand import add_tile, clear, remove_tile
from mjsim.hands.shanten import effective_set, hand_distance
from mjsim.settle import find_givers
from mjsim.state import (
    ADDED_KONG,
    CHOW_MELD,
    CONCEALED_KONG,
    DIRECT_KONG,
    DRAWN,
    FISH_TILES,
    NO_MOMENT,
    NONE,
    PUNG_MELD,
    SEATS,
    Flag,
    Int,
    Record,
)
from mjsim.tiles import TILES
from mjsim.wall import DEALT_TILES, PLAYER_PURPOSE, RESERVED, dealt_seat, roll, shuffle, start_stream

_U = np.uint64


@jit.kernel
def begin(deal: Record, rules: Record, seed: np.uint64, number: Int) -> None:
    """Build the wall and clear the table for deal ``number``; hand and dealer are set by the caller."""
    table = deal.table
    if deal.wall.given == 0:
        shuffle(deal.wall, deal.scratch, seed, _U(number))
    table.dice[0] = 0
    table.dice[1] = 0
    table.version = VIEW_VERSION
    table.deal = number
    table.turn = table.dealer
    table.tile = NONE
    table.giver = NONE
    table.drew = 0
    table.robbing = 0
    table.left = 0
    table.last_tile = 0
    table.claimed = 0
    table.chain_length = 0
    table.discard_count = 0
    table.ones = ZERO
    table.twos = ZERO
    table.fours = ZERO
    for seat in range(SEATS):
        start_stream(deal.streams[seat], seed, _U(number), PLAYER_PURPOSE + seat)
        table.meld_count[seat] = 0
        table.labels[seat] = ZERO
        clear_seat(deal, seat)
    clear_tally(deal.tally)
    deal.log.event_count = 0
    deal.log.decision_count = 0
    for label in range(FISH_TILES):
        deal.wall.fish_tile[label] = deal.wall.tiles[TILES - RESERVED + label] if rules.fishing != 0 else NONE


@jit.kernel
def clear_seat(deal: Record, seat: Int) -> None:
    """An empty hand."""
    own = deal.seats[seat]
    clear(own)
    own.seat = seat
    own.exposed_count = 0
    own.pungs = ZERO
    own.concealed_kongs = ZERO
    own.shanten = 0
    own.waits = ZERO
    own.locked = ZERO
    own.labels = ZERO


@jit.kernel
def clear_tally(tally: Record) -> None:
    """Nothing has happened yet."""
    tally.outcome = DRAWN
    tally.winners = 0
    tally.giver = NONE
    tally.tile = NONE
    tally.moment = NO_MOMENT
    tally.last_tile = 0
    tally.chain_length = 0
    tally.draws = 0
    tally.robbed = 0
    tally.horse_count = 0
    for seat in range(SEATS):
        tally.seat_draws[seat] = 0
        tally.ready_draw[seat] = NONE
        tally.blocked[seat] = 0
        tally.giver_of[seat] = NONE
        for kong in range(3):
            tally.kongs[seat, kong] = 0


@jit.kernel
def take_labels(deal: Record, seat: Int, labels: Int) -> None:
    """A seat names its fish labels."""
    deal.seats[seat].labels = _U(labels)
    deal.table.labels[seat] = _U(labels)


@jit.kernel
def deal_out(deal: Record, rules: Record, tables: Record, seed: np.uint64) -> None:
    """The dice; thirteen tiles each and fourteen for the dealer (D, order in the wall)."""
    wall = deal.wall
    roll(deal.table.dice, deal.scratch, seed, _U(deal.table.deal))
    for index in range(DEALT_TILES):
        add_tile(deal.seats[dealt_seat(index, deal.table.dealer)], tables, wall.tiles[index])
    wall.front = DEALT_TILES
    wall.back = TILES
    if rules.fishing != 0:
        wall.back = set_reserve_apart(deal, rules)
    deal.table.left = wall.back - wall.front
    deal.table.tile = np.int64(wall.tiles[DEALT_TILES - 1])
    for seat in range(SEATS):
        if seat != deal.table.dealer:
            come_to_rest(deal, tables, seat)
        else:
            deal.seats[seat].shanten = hand_distance(tables, deal.seats[seat]) - 1
        deal.tally.start_shanten[seat] = deal.seats[seat].shanten


@jit.kernel
def set_reserve_apart(deal: Record, rules: Record) -> Int:
    """Where the live wall ends: no reserved tile is drawn, or under ``reserve = "picked"`` the unpicked ones are."""
    wall = deal.wall
    back = TILES - RESERVED
    if rules.reserve_picked == 0:
        return back
    taken = deal.table.labels[0] | deal.table.labels[1] | deal.table.labels[2] | deal.table.labels[3]
    for label in range(FISH_TILES):
        if not has(taken, label):
            wall.tiles[back] = wall.fish_tile[label]
            back += 1
    return back


@jit.kernel
def come_to_rest(deal: Record, tables: Record, seat: Int) -> None:
    """Work out shanten and waits of a hand that has dealt, discarded, or laid down a kong."""
    own = deal.seats[seat]
    own.shanten = hand_distance(tables, own) - 1
    own.waits = ZERO
    if own.shanten == 0:
        own.waits = effective_set(tables, own)[1]
        if deal.tally.ready_draw[seat] == NONE:
            deal.tally.ready_draw[seat] = deal.tally.draws


@jit.kernel
def draw(deal: Record, rules: Record, tables: Record, seat: Int, from_end: Flag) -> None:
    """A normal draw, or a replacement from the far end; it ends the seat's locks (D, pass lock)."""
    wall = deal.wall
    table = deal.table
    if from_end:
        wall.back -= 1
        tile = np.int64(wall.tiles[wall.back])
    else:
        tile = np.int64(wall.tiles[wall.front])
        wall.front += 1
    add_tile(deal.seats[seat], tables, tile)
    deal.seats[seat].locked = ZERO
    deal.tally.draws += 1
    deal.tally.seat_draws[seat] += 1
    table.turn = seat
    table.drew = 1
    table.tile = tile
    table.giver = NONE
    table.left = wall.back - wall.front
    if table.left <= rules.tiles_left:
        table.last_tile = 1
    note(deal, DRAW_EVENT, seat, tile, np.int64(from_end), table.left)


@jit.kernel
def discard(deal: Record, tables: Record, seat: Int, tile: Int) -> None:
    """Put a tile before everyone."""
    table = deal.table
    remove_tile(deal.seats[seat], tables, tile)
    come_to_rest(deal, tables, seat)
    table.discard_tile[table.discard_count] = tile
    table.discard_seat[table.discard_count] = seat
    table.discard_count += 1
    table.tile = tile
    table.giver = seat
    show_tile(table, tile)
    note(deal, DISCARD_EVENT, seat, tile, NONE, 0)


@jit.inlined
def show_tile(table: Record, tile: Int) -> None:
    """One more copy of a kind is in view of everyone."""
    shown = bit(tile)
    carry = table.ones & shown
    table.ones ^= shown
    table.fours ^= table.twos & carry
    table.twos ^= carry


@jit.kernel
def give_up_tile(deal: Record, tables: Record, seat: Int, tile: Int) -> None:
    """Move one tile from a hand into an exposed meld."""
    remove_tile(deal.seats[seat], tables, tile)
    show_tile(deal.table, tile)


@jit.kernel
def lay_meld(deal: Record, seat: Int, kind: Int, tile: Int, giver: Int) -> None:
    """Put a meld into the seat's own record and into the open; a concealed kong keeps its tile to itself."""
    own = deal.seats[seat]
    table = deal.table
    meld = own.meld_count
    own.meld_kind[meld] = kind
    own.meld_tile[meld] = tile
    own.meld_from[meld] = giver
    table.meld_kind[seat, meld] = kind
    table.meld_tile[seat, meld] = NONE if kind == CONCEALED_KONG else tile
    table.meld_from[seat, meld] = giver
    own.meld_count += 1
    table.meld_count[seat] += 1
    if kind != CONCEALED_KONG:
        own.exposed_count += 1


@jit.kernel
def lay_claim(deal: Record, rules: Record, tables: Record, seat: Int, action_kind: Int) -> None:
    """Take the discard on the table into a chow, pung or direct kong; the claimer's turn begins."""
    table = deal.table
    tile = table.tile
    giver = table.giver
    table.claimed = 1
    table.turn = seat
    table.drew = 0
    table.giver = NONE
    if action_kind == PUNG:
        for _ in range(2):
            give_up_tile(deal, tables, seat, tile)
        lay_meld(deal, seat, PUNG_MELD, tile, giver)
        deal.seats[seat].pungs |= bit(tile)
        note(deal, PUNG_EVENT, seat, tile, giver, 0)
    elif action_kind == KONG:
        for _ in range(3):
            give_up_tile(deal, tables, seat, tile)
        lay_meld(deal, seat, DIRECT_KONG, tile, giver)
        lengthen_chain(deal, DIRECT_KONG, tile, giver)
        deal.tally.kongs[seat, 0] += 1
        note(deal, KONG_EVENT, seat, tile, giver, 0)
        come_to_rest(deal, tables, seat)
    else:
        lowest_tile = tile
        if action_kind == CHOW_MIDDLE:
            lowest_tile = tile - 1
        elif action_kind == CHOW_HIGH:
            lowest_tile = tile - 2
        for other in range(lowest_tile, lowest_tile + 3):
            if other != tile:
                give_up_tile(deal, tables, seat, other)
        lay_meld(deal, seat, CHOW_MELD, lowest_tile, giver)
        note(deal, CHOW_EVENT, seat, tile, giver, lowest_tile)
    if rules.giver_may_win == 0:
        find_givers(deal, rules)


@jit.kernel
def lengthen_chain(deal: Record, kind: Int, tile: Int, giver: Int) -> None:
    """One more kong without a discard between; of a concealed one the table does not say the tile."""
    tally = deal.tally
    table = deal.table
    table.chain_kind[table.chain_length] = kind
    table.chain_from[table.chain_length] = giver
    table.chain_length += 1
    tally.chain_kind[tally.chain_length] = kind
    tally.chain_tile[tally.chain_length] = tile
    tally.chain_from[tally.chain_length] = giver
    tally.chain_length += 1


@jit.kernel
def pung_giver(deal: Record, seat: Int, tile: Int) -> Int:
    """Who gave the pung of this kind."""
    own = deal.seats[seat]
    for meld in range(own.meld_count):
        if own.meld_kind[meld] == PUNG_MELD and own.meld_tile[meld] == tile:
            return own.meld_from[meld]
    return NONE


@jit.kernel
def lay_concealed_kong(deal: Record, tables: Record, seat: Int, tile: Int) -> None:
    """Four equal tiles go aside, face down."""
    own = deal.seats[seat]
    for _ in range(4):
        remove_tile(own, tables, tile)
    lay_meld(deal, seat, CONCEALED_KONG, tile, NONE)
    own.concealed_kongs |= bit(tile)
    lengthen_chain(deal, CONCEALED_KONG, tile, NONE)
    deal.tally.kongs[seat, 2] += 1
    come_to_rest(deal, tables, seat)


@jit.kernel
def show_added_kong(deal: Record, tables: Record, seat: Int, tile: Int) -> None:
    """The fourth tile goes to the pung, where it may still be robbed."""
    table = deal.table
    give_up_tile(deal, tables, seat, tile)
    lengthen_chain(deal, ADDED_KONG, tile, pung_giver(deal, seat, tile))
    come_to_rest(deal, tables, seat)
    table.tile = tile
    table.giver = seat
    table.robbing = 1


@jit.kernel
def lay_added_kong(deal: Record, seat: Int, tile: Int) -> None:
    """Nobody robbed it: the pung is a kong."""
    own = deal.seats[seat]
    for meld in range(own.meld_count):
        if own.meld_kind[meld] == PUNG_MELD and own.meld_tile[meld] == tile:
            own.meld_kind[meld] = ADDED_KONG
            deal.table.meld_kind[seat, meld] = ADDED_KONG
    own.pungs &= ~bit(tile)
    deal.tally.kongs[seat, 1] += 1
    deal.table.robbing = 0


@jit.kernel
def turn_over_horses(deal: Record, rules: Record) -> None:
    """A single winner turns over the next tiles of the wall, fewer where fewer are left (B.2, horses)."""
    tally = deal.tally
    wall = deal.wall
    if tally.winners & (tally.winners - 1) != 0:
        return
    tally.horse_count = min(rules.horses, wall.back - wall.front)
    for horse in range(tally.horse_count):
        tally.horse_tile[horse] = wall.tiles[wall.front + horse]
