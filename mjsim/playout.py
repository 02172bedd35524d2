"""Playing on from one player's point of view: what he does not see is dealt at random, and the deal is played out.

The hand is seat 0's. Every discard is played out on the same hidden tiles, so that what they all share by luck drops
out of the differences between them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import types

from mjsim import jit
from mjsim.bits import bit
from mjsim.contract import PLAYERS_TYPE, Player
from mjsim.deal.moves import begin, come_to_rest, discard, show_tile
from mjsim.deal.play import ILLEGAL, ONGOING, play_turns, react_to_discard
from mjsim.errors import PlayerError
from mjsim.hands.hand import add_tile, load
from mjsim.hands.melds import Meld
from mjsim.hands.shanten import hand_distance
from mjsim.hands.tables import TABLES, tables
from mjsim.rules.model import Ruleset
from mjsim.rules.packed import RULES, pack
from mjsim.settle import SETTLEMENT, find_givers, settle
from mjsim.state import CONCEALED_KONG, DEAL, NONE, PUNG_MELD, SEATS, Int, Record, new_record
from mjsim.tiles import TILES
from mjsim.wall import shuffle_tiles, start_stream

#: Tiles of the three other hands, which are taken to have no melds.
OTHERS_HOLD: Final = 39

#: Playouts between two looks at the clock and the keyboard.
_CHUNK: Final = 100

# Purpose of the stream that deals the hidden tiles; those of walls, dice and players are below 8.
_HIDDEN_PURPOSE: Final = 8
_HELD: Final = 13

#: What one player sees. ``melds`` has a row for each meld: kind, tile, giver. ``open`` counts the tiles in view of
#: everyone, his exposed melds among them; ``hidden`` are the ``hidden_count`` tiles that he does not see.
POSITION: Final = np.dtype(
    [
        ("counts", np.uint8, (34,)),
        ("melds", np.int64, (4, 3)),
        ("meld_count", np.int64),
        ("open", np.uint8, (34,)),
        ("hidden", np.uint8, (TILES,)),
        ("hidden_count", np.int64),
        ("left", np.int64),
        ("fresh", np.int64),  # 1: the dealer's first turn, at which nothing has happened yet
    ],
    align=True,
)


@dataclass(frozen=True)
class Position:
    """What one player sees when he must discard.

    Attributes
    ----------
    counts : tuple of int, shape (34,)
        His concealed tiles, 14 − 3·melds.
    melds : tuple of Meld
        His melds; he sits at seat 0.
    seen : tuple of int, shape (34,)
        Tiles in view beside his own.
    left : int
        Live tiles left in the wall.
    fresh : bool
        Whether nothing has happened since the deal, so that wins have the names of first moments.
    """

    counts: tuple[int, ...]
    melds: tuple[Meld, ...]
    seen: tuple[int, ...]
    left: int
    fresh: bool


@dataclass(frozen=True)
class Played:
    """What playouts came to.

    Attributes
    ----------
    net : ndarray of int64, shape (playout, discard)
        Points that the player won or lost from here on: hands, liability and later kongs.
    won : ndarray of bool, shape (playout, discard)
        Whether he won the deal.
    """

    net: npt.NDArray[np.int64]
    won: npt.NDArray[np.bool_]


def given_by(melds: Sequence[Meld]) -> tuple[Meld, ...]:
    """Melds whose unknown givers are spread over the others, so that none is liable for what nobody said.

    >>> [str(meld) for meld in given_by([Meld(2, 4), Meld(2, 5, 1), Meld(2, 6), Meld(5, 7)])]
    ['pung 5m <2', 'pung 6m <1', 'pung 7m <3', 'kong- 8m']
    """
    given = [meld.giver for meld in melds]
    found = []
    for meld in melds:
        giver = meld.giver
        if giver == NONE and meld.kind != CONCEALED_KONG:
            giver = min(range(1, SEATS), key=given.count)
            given.append(giver)
        found.append(Meld(meld.kind, meld.tile, giver))
    return tuple(found)


def unseen_by(position: Position) -> list[int]:
    """How many tiles of each kind the player does not see."""
    own = np.array(position.counts) + np.array(position.seen)
    for meld in position.melds:
        np.add.at(own, meld.tiles, 1)
    return [int(number) for number in 4 - own]


def play_out(
    rules: Ruleset,
    players: tuple[Player, Player, Player, Player],
    position: Position,
    discards: Sequence[int],
    playouts: int,
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> Played:
    """Play a position out after each discard.

    Parameters
    ----------
    rules : Ruleset
    players : tuple of four Player
        Who goes on, by seat; seat 0 is the hand's.
    position : Position
        With enough unseen tiles for the wall and three other hands.
    discards : sequence of int
        Kinds that the hand holds.
    playouts : int
        How many, each with its own hidden tiles, which are the same for every discard.
    seed : int
        0 ≤ seed < 2^64.
    progress : callable, optional
        Called with the number of playouts done.

    Returns
    -------
    Played
        The same for the same arguments, bit for bit.

    Raises
    ------
    PlayerError
        If a player chose an illegal action.
    """
    net = np.zeros((playouts, len(discards)), np.int64)
    won = np.zeros((playouts, len(discards)), np.bool_)
    compiled = tuple(player.compiled for player in players)
    record, deal, settlement = as_record(position), new_record(DEAL), new_record(SETTLEMENT)
    kinds, words, table = np.array(discards, np.int64), pack(rules), tables()
    for first in range(0, playouts, _CHUNK):
        end = min(first + _CHUNK, playouts)
        bad = _play_out(
            compiled,
            deal,
            settlement,
            record,
            kinds,
            words,
            table,
            np.uint64(seed),
            first,
            net[first:end],
            won[first:end],
        )
        if bad != NONE:
            seat, action = int(deal.tally.bad_seat), int(deal.tally.bad_action)
            raise PlayerError(
                f"playout {bad}, seat {seat}: player {players[seat].name!r} chose action {action}, which is not legal"
            )
        if progress is not None:
            progress(end)
    return Played(net - _kong_money(rules, position), won)


def _kong_money(rules: Ruleset, position: Position) -> int:
    """What the kongs already made pay, which no discard changes."""
    paid = 0
    for meld in position.melds:
        if meld.kind == CONCEALED_KONG:
            paid += 3 * rules.kongs.concealed
        elif meld.kind > PUNG_MELD:
            paid += rules.kongs.exposed
    return paid


def as_record(position: Position) -> Record:
    """A position as kernels read it."""
    record: Record = new_record(POSITION)
    record.counts[:] = position.counts
    shown = np.array(position.seen)
    for index, meld in enumerate(given_by(position.melds)):
        record.melds[index] = meld.kind, meld.tile, meld.giver
        if meld.kind != CONCEALED_KONG:
            np.add.at(shown, meld.tiles, 1)
    record.meld_count = len(position.melds)
    record.open[:] = shown
    hidden = np.repeat(np.arange(34), unseen_by(position))
    record.hidden[: len(hidden)] = hidden
    record.hidden_count = len(hidden)
    record.left = position.left
    record.fresh = position.fresh
    return record


@jit.kernel
def set_up(deal: Record, position: Record, rules: Record, tables: Record, seed: np.uint64, number: Int) -> None:
    """Deal what the player does not see, as the playout of this number has it; seat 0 is to discard."""
    wall = deal.wall
    table = deal.table
    table.dealer = 0
    table.hand = 0
    table.fish_wanted = 0
    wall.given = 1
    begin(deal, rules, seed, number)
    hidden = position.hidden_count
    for index in range(hidden):
        wall.tiles[index] = position.hidden[index]
    start_stream(deal.scratch, seed, np.uint64(number), _HIDDEN_PURPOSE)
    shuffle_tiles(wall.tiles, hidden, deal.scratch)
    wall.front = 0
    wall.back = position.left
    table.left = position.left
    table.last_tile = np.int64(position.left <= rules.tiles_left)
    _set_up_own(deal, position, tables)
    for seat in range(1, SEATS):
        for index in range(hidden - _HELD * seat, hidden - _HELD * (seat - 1)):
            add_tile(deal.seats[seat], tables, np.int64(wall.tiles[index]))
        come_to_rest(deal, tables, seat)
    if rules.giver_may_win == 0:
        find_givers(deal, rules)
    if position.fresh == 0:
        # First moments are over.
        table.claimed = 1
        deal.tally.draws = 1
        for seat in range(SEATS):
            deal.tally.seat_draws[seat] = 1


@jit.kernel
def _set_up_own(deal: Record, position: Record, tables: Record) -> None:
    """Give seat 0 its hand and melds, and lay open what is seen."""
    own = deal.seats[0]
    table = deal.table
    load(own, tables, position.counts, position.meld_count)
    for meld in range(position.meld_count):
        kind = position.melds[meld, 0]
        tile = position.melds[meld, 1]
        giver = position.melds[meld, 2]
        own.meld_kind[meld] = kind
        own.meld_tile[meld] = tile
        own.meld_from[meld] = giver
        table.meld_kind[0, meld] = kind
        table.meld_tile[0, meld] = NONE if kind == CONCEALED_KONG else tile
        table.meld_from[0, meld] = giver
        if kind == PUNG_MELD:
            own.pungs |= bit(tile)
        if kind == CONCEALED_KONG:
            own.concealed_kongs |= bit(tile)
        else:
            own.exposed_count += 1
    table.meld_count[0] = position.meld_count
    own.shanten = hand_distance(tables, own) - 1
    table.turn = 0
    table.drew = 1
    for kind in range(34):
        for _ in range(position.open[kind]):
            show_tile(table, kind)


@jit.kernel
def play_on_after(players: Any, deal: Record, rules: Record, tables: Record, tile: Int, fresh: Int) -> Int:
    """Discard a tile from seat 0's hand and play the deal to its end; `FINISHED` or `ILLEGAL`."""
    table = deal.table
    if fresh == 0:
        # Somebody has discarded before; nobody remembers who, and this stands for him.
        table.discard_tile[0] = tile
        table.discard_seat[0] = 0
        table.discard_count = 1
    discard(deal, tables, 0, tile)
    progress = react_to_discard(players, deal, rules, tables)
    if progress == ONGOING:
        progress = play_turns(players, deal, rules, tables)
    return progress


@jit.entry_on_call(
    types.int64(
        PLAYERS_TYPE,
        jit.record_type(DEAL),
        jit.record_type(SETTLEMENT),
        jit.record_type(POSITION),
        types.int64[::1],
        jit.record_type(RULES),
        jit.record_type(TABLES),
        types.uint64,
        types.int64,
        types.int64[:, ::1],
        types.boolean[:, ::1],
    )
)
def _play_out(
    players: Any,
    deal: Record,
    result: Record,
    position: Record,
    discards: Any,
    rules: Record,
    tables: Record,
    seed: np.uint64,
    first: Int,
    net: Any,
    won: Any,
) -> Int:
    """Fill the rows of the playouts from ``first`` on; returns -1, or the playout with an illegal action."""
    for row in range(net.shape[0]):
        for column in range(discards.shape[0]):
            set_up(deal, position, rules, tables, seed, first + row)
            if play_on_after(players, deal, rules, tables, discards[column], position.fresh) == ILLEGAL:
                return first + row
            settle(deal, rules, tables, result)
            net[row, column] = result.net[0]
            won[row, column] = deal.tally.winners & 1 != 0
    return np.int64(NONE)
