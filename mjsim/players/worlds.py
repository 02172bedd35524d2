"""Deals as a seat may imagine them: what it sees, the hidden tiles dealt at random, and play from there.

`look` writes what a view shows into a `WORLD`, `deal_hidden` deals what it does not show, and `play_out` plays a copy
to the end, or to a turn of the seat, and says what the seat won or lost, or what its hand is worth. A world has the
parts of a `DEAL` record that `mjsim.deal.play` needs to go on, by the same names. What is random is fixed by
docs/players.md, section `rollout`.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from mjsim import jit, memory
from mjsim.bits import ZERO, bit, count, kinds_where, nth
from mjsim.contract import View, decide_for
from mjsim.deal.moves import clear_seat, clear_tally, come_to_rest
from mjsim.deal.play import ILLEGAL, play_on
from mjsim.hands.hand import add_tile, clear, copies, remove_tile
from mjsim.hands.shanten import best_discard
from mjsim.players.fast import seen_copies
from mjsim.players.value.danger import danger_of
from mjsim.players.value.decide import value_decide
from mjsim.players.value.holding import POINT, holding_of, sight_of
from mjsim.players.value.throw import best_throw
from mjsim.settle import SEAT_OFFSET_ARRAY, find_givers, settle
from mjsim.state import (
    ACTION_KINDS,
    CHOW_MELD,
    CONCEALED_KONG,
    EVENT_WORDS,
    FISH_TILES,
    LEGAL,
    NONE,
    PUNG_MELD,
    SEAT,
    SEATS,
    TABLE,
    TALLY,
    TURN_PHASE,
    Int,
    Record,
)
from mjsim.tiles import COPIES, KINDS
from mjsim.wall import below, shuffle_tiles

#: What a seat of a world answers when it is next asked (-1: what its player says), at which of its turns from then on
#: it stops the deal (0: at none), and what its hand was worth there. It stands where a `DEAL` has a seat's random
#: words, of which players of worlds take none.
ORDER: Final = np.dtype([("action", np.int64), ("turns", np.int64), ("worth", np.int64)])

# An answer that is no action, at which a deal stops.
_STOP: Final = -1

_WALL: Final = np.dtype(
    [("tiles", np.uint8, (136,)), ("front", np.int64), ("back", np.int64), ("fish_tile", np.int64, (FISH_TILES,))],
    align=True,
)

# Never on; the arrays only let the same kernels compile.
_NO_LOG: Final = np.dtype(
    [
        ("on", np.int64),
        ("event_count", np.int64),
        ("events", np.int64, (1, EVENT_WORDS)),
        ("decision_count", np.int64),
        ("decisions", np.uint64, (1, 4 + ACTION_KINDS)),
    ]
)

_ALL_KINDS: Final = kinds_where(lambda kind: True)

#: A deal as a seat may imagine it.
WORLD: Final = np.dtype(
    [
        ("seats", SEAT, (SEATS,)),
        ("table", TABLE),
        ("wall", _WALL),
        ("tally", TALLY),
        ("streams", ORDER, (SEATS,)),
        ("legal", LEGAL),
        ("log", _NO_LOG),
        ("unseen", np.int64),  # tiles that the seat does not see
        ("fish_of", np.int64, (SEATS,)),  # how many of them would be fish of each seat
    ],
    align=True,
)


@jit.kernel
def look(world: Record, view: View) -> None:
    """Write all that a view shows into a world; the others' hands and the wall are not dealt yet."""
    table = view.table
    memory.copy(world.table, table)
    clear_tally(world.tally)
    for seat in range(SEATS):
        world.streams[seat].action = NONE
        world.streams[seat].turns = 0
        world.tally.seat_draws[seat] = draws_so_far(table, seat)
        world.tally.draws += world.tally.seat_draws[seat]
        if seat == view.own.seat:
            memory.copy(world.seats[seat], view.own)
        else:
            lay_open_melds(world, table, seat)
    # The fish are not dealt: `worth` says what they bring on average, and none is settled.
    world.seats[view.own.seat].labels = ZERO
    world.tally.chain_length = table.chain_length
    for kong in range(table.chain_length):
        world.tally.chain_kind[kong] = table.chain_kind[kong]
        world.tally.chain_from[kong] = table.chain_from[kong]
    find_givers(world, view.rules)
    world.wall.front = 0
    world.wall.back = table.left
    world.log.on = 0
    count_fish(world, view)


@jit.kernel
def draws_so_far(table: Record, seat: Int) -> Int:
    """How often a seat has drawn, replacements too: everyone can count it.

    A turn begins with a draw unless the dealer's first or a chow or pung began it; a direct kong begins one with its
    replacement; the other kongs bring one more each, an added kong as many as the pung it grew from took away.
    """
    draws = np.int64(0)
    for index in range(table.discard_count):
        draws += np.int64(table.discard_seat[index] == seat)
    if table.turn == seat and (table.phase == TURN_PHASE or table.robbing != 0):
        draws += 1
    if table.dealer == seat:
        draws -= 1
    for meld in range(table.meld_count[seat]):
        kind = table.meld_kind[seat, meld]
        if kind in (CHOW_MELD, PUNG_MELD):
            draws -= 1
        elif kind == CONCEALED_KONG:
            draws += 1
    return draws


@jit.kernel
def lay_open_melds(world: Record, table: Record, seat: Int) -> None:
    """Another seat's record, as far as it lies open: its melds. That it is locked nobody can know."""
    clear_seat(world, seat)
    other = world.seats[seat]
    other.meld_count = table.meld_count[seat]
    for meld in range(other.meld_count):
        kind = table.meld_kind[seat, meld]
        other.meld_kind[meld] = kind
        other.meld_tile[meld] = table.meld_tile[seat, meld]
        other.meld_from[meld] = table.meld_from[seat, meld]
        if kind != CONCEALED_KONG:
            other.exposed_count += 1
        if kind == PUNG_MELD:
            other.pungs |= bit(table.meld_tile[seat, meld])


@jit.kernel
def count_fish(world: Record, view: View) -> None:
    """How many tiles are unseen, and of whom each would be the fish."""
    ones, twos, fours = seen_copies(view)
    world.unseen = 0
    for seat in range(SEATS):
        world.fish_of[seat] = 0
    for kind in range(KINDS):
        unseen = COPIES - copies(bit(kind), ones, twos, fours)
        world.unseen += unseen
        world.fish_of[(view.table.dealer + SEAT_OFFSET_ARRAY[kind]) & 3] += unseen


@jit.kernel
def deal_hidden(world: Record, view: View, rng: Record) -> None:
    """Deal what the seat does not see: any dealing that its view allows, after which the other hands grow better."""
    ones, twos, fours = seen_copies(view)
    fours |= deal_concealed_kongs(world, view, rng, _ALL_KINDS & ~(ones | twos | fours))
    tiles = world.wall.tiles
    number = unseen_tiles(tiles, ones, twos, fours)
    shuffle_tiles(tiles, number, rng)
    # The live wall stays at the front of the shuffled tiles; behind it are the hands, and what is never drawn.
    first = np.int64(world.wall.back)
    for offset in range(1, SEATS):
        seat = (view.own.seat + offset) & 3
        hand = world.seats[seat]
        melds = hand.meld_count
        clear(hand)
        hand.meld_count = melds
        for index in range(first, first + 13 - 3 * melds):
            add_tile(hand, view.tables, np.int64(tiles[index]))
        first += 13 - 3 * melds
    for offset in range(1, SEATS):
        seat = (view.own.seat + offset) & 3
        if world.wall.back > 0:
            exchange(world, view, rng, seat)
        come_to_rest(world, view.tables, seat)


@jit.kernel
def deal_concealed_kongs(world: Record, view: View, rng: Record, unseen: Any) -> Any:
    """Make the others' concealed kongs of kinds wholly unseen; returns these kinds, a set.

    Whichever they are, the rest can be dealt in equally many ways.
    """
    dealt = ZERO
    for offset in range(1, SEATS):
        other = world.seats[(view.own.seat + offset) & 3]
        other.concealed_kongs = ZERO
        for meld in range(other.meld_count):
            if other.meld_kind[meld] == CONCEALED_KONG:
                kind = nth(unseen & ~dealt, below(rng, count(unseen & ~dealt)))
                other.meld_tile[meld] = kind
                other.concealed_kongs |= bit(kind)
                dealt |= bit(kind)
    return dealt


@jit.kernel
def exchange(world: Record, view: View, rng: Record, seat: Int) -> None:
    """Let a hand draw from anywhere in the live wall, and put back what `fast` discards, once for each of its draws.

    Hands dealt at random and left so would be far from any win, and the deals too long: who believes in them lets
    cheap wins go.
    """
    hand = world.seats[seat]
    tiles = world.wall.tiles
    for _ in range(world.tally.seat_draws[seat]):
        place = below(rng, world.wall.back)
        add_tile(hand, view.tables, np.int64(tiles[place]))
        ones, twos, fours = seen_copies(View(hand, world.table, view.rules, view.tables))
        thrown = best_discard(view.tables, hand, ones, twos, fours)[0]
        remove_tile(hand, view.tables, thrown)
        tiles[place] = thrown


@jit.kernel
def unseen_tiles(tiles: Any, ones: Any, twos: Any, fours: Any) -> Int:
    """Write the tiles that are not among the counts into an array, in ascending order; returns how many."""
    number = 0
    for kind in range(KINDS):
        for _ in range(COPIES - copies(bit(kind), ones, twos, fours)):
            tiles[number] = kind
            number += 1
    return number


@jit.kernel
def usual_decide(view: View, legal: Record) -> Int:
    """What all seats do in a world, and what `rollout` does where nothing else is clearly better."""
    return value_decide(view, legal)


@jit.kernel
def answer(view: View, legal: Record, order: Record) -> Int:
    """What the seat has been told to, once; else the usual action, or none where it is to stop."""
    chosen = order.action
    order.action = NONE
    if chosen != NONE:
        return chosen
    # A win ends the deal by itself.
    if order.turns > 0 and view.table.phase == TURN_PHASE and legal.win == ZERO and legal.discard != ZERO:
        order.turns -= 1
        if order.turns == 0:
            sight = sight_of(view)
            order.worth = best_throw(view, sight, holding_of(view.own), danger_of(view, sight))[1]
            return _STOP
    return usual_decide(view, legal)


class _Everywhere(NamedTuple):
    """Stands for `answer` in all seats: numba can call a kernel by its name only, or else not keep it on disk."""

    seats: int


_PLAYERS: Final[Any] = (answer,) * SEATS if jit.DISABLED else _Everywhere(SEATS)


@jit.overloads(decide_for)
def _decide_everywhere(players: Any, seat: Int, view: View, legal: Record, rng: Record) -> Any:
    if getattr(players, "instance_class", None) is _Everywhere:
        return lambda players, seat, view, legal, rng: answer(view, legal, rng)
    return None


@jit.kernel
def play_out(world: Record, deal: Record, result: Record, view: View, chosen: Int, turns: Int) -> Int:
    """Play a copy of a world; the seat of the view answers what is given, then all play as `answer`.

    ``deal`` and ``result`` are memory for the copy and its settlement. Returns the seat's `worth` at the end, or
    `in_points` what its hand is worth when it must throw a tile for the ``turns``-th time (0: play to the end).
    """
    memory.copy(deal, world)
    order = deal.streams[view.own.seat]
    order.action = chosen
    order.turns = turns
    if play_on(_PLAYERS, deal, view.rules, view.tables) == ILLEGAL:
        return in_points(world, view, order.worth)
    settle(deal, view.rules, view.tables, result)
    return worth(world, result, view.own.seat)


@jit.kernel
def in_points(world: Record, view: View, hand: Int) -> Int:
    """What a hand is worth, from 2^15ths of a point to the measure of `worth`.

    As if the others paid a third each: with what the fish bring on average, and with horses, of which a quarter hits.
    """
    own = view.own.seat
    others_labels, others_fish = 0, 0
    for seat in range(SEATS):
        if seat != own:
            others_labels += count(world.table.labels[seat])
            others_fish += world.fish_of[seat]
    thirds = 3 * (world.unseen + world.fish_of[own] * count(world.table.labels[own])) + others_fish * others_labels
    return hand * thirds * (SEATS + view.rules.horses) // ((SEATS - 1) * SEATS * POINT)


@jit.kernel
def worth(world: Record, result: Record, seat: Int) -> Int:
    """What a seat has won, with what the fish bring on average, times the number of unseen tiles.

    A fish of the seat's wins what its target wins from the two others, or from all three if it is the seat itself;
    a fish of another's takes from the seat again what its target won.
    """
    labels = world.table.labels
    points = world.unseen * (result.hand[seat] + result.kongs[seat])
    for target in range(SEATS):
        from_others = 0
        others_labels = 0
        for other in range(SEATS):
            if other != seat:
                from_others += result.flow[target, other]
                others_labels += count(labels[other])
        points += world.fish_of[target] * count(labels[seat]) * from_others
        if target != seat:
            points -= world.fish_of[target] * others_labels * result.flow[target, seat]
    return points
