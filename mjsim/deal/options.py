"""What a seat may do: the legal actions of each decision, written into ``deal.legal``.

Each function returns whether the seat has a choice at all. Numbers in parentheses are sections of rules.md.
"""

from typing import Any, Final

from mjsim import jit
from mjsim.bits import ONE, TWO, ZERO, bit, has, kinds_where
from mjsim.deal.log import nothing_legal
from mjsim.hands.hand import held
from mjsim.hands.shanten import hand_distance
from mjsim.settle import is_priced
from mjsim.state import DISCARD_WIN, FISH_TILES, NONE, ROB_KONG, SEATS, SELF_DRAW, Flag, Int, Record

_ALL_LABELS: Final = kinds_where(lambda label: label < FISH_TILES)

# Kinds that can be the lowest, middle or highest tile of a chow.
_CAN_BE_LOW: Final = kinds_where(lambda kind: kind < 27 and kind % 9 <= 6)
_CAN_BE_MIDDLE: Final = kinds_where(lambda kind: kind < 27 and 1 <= kind % 9 <= 7)
_CAN_BE_HIGH: Final = kinds_where(lambda kind: kind < 27 and kind % 9 >= 2)


@jit.kernel
def offer_labels(deal: Record) -> None:
    """Before the dice: the labels nobody has taken (A, fishing)."""
    nothing_legal(deal.legal)
    free = _ALL_LABELS
    for seat in range(SEATS):
        free = free & ~deal.table.labels[seat]
    deal.legal.fish = free


@jit.kernel
def offer_turn(deal: Record, rules: Record, tables: Record) -> Flag:
    """In one's own turn: a win or a kong after a draw, or any discard (0)."""
    table = deal.table
    seat = table.turn
    own = deal.seats[seat]
    legal = deal.legal
    nothing_legal(legal)
    if table.drew != 0 and wins_by_self_draw(deal, rules, tables, seat):
        legal.win = bit(table.tile)
    if table.last_tile != 0 and rules.last_tile_discard == 0:
        # The last tile is not played out: its drawer wins or the deal is drawn.
        legal.passing = ONE
        return legal.win != ZERO
    legal.discard = held(own)
    if table.drew != 0 and may_kong(deal):
        legal.kong_added = own.pungs & legal.discard
        legal.kong_concealed = own.fours
    return True


@jit.kernel
def wins_by_self_draw(deal: Record, rules: Record, tables: Record, seat: Int) -> Flag:
    """Whether the tile just drawn completes a hand that the rules pay for."""
    own = deal.seats[seat]
    tally = deal.tally
    if tally.seat_draws[seat] > 0:
        if not has(own.waits, deal.table.tile):
            return False
    elif hand_distance(tables, own) != 0:
        # The dealer's dealt fourteen have no hand at rest behind them.
        return False
    tally.outcome = SELF_DRAW
    return is_priced(deal, rules, tables, seat, NONE)


@jit.inlined
def may_kong(deal: Record) -> Flag:
    """No kong without a replacement tile, and none after the last tile (D, end of the wall)."""
    return deal.wall.front < deal.wall.back and deal.table.last_tile == 0


@jit.kernel
def offer_reaction(deal: Record, rules: Record, tables: Record, seat: Int) -> Flag:
    """On another seat's discard: win, chow, pung, kong or pass (0)."""
    table = deal.table
    own = deal.seats[seat]
    kind = table.tile
    tile = bit(kind)
    completes = own.waits & tile
    pung = (own.twos | own.fours) & tile
    low, middle, high = ZERO, ZERO, ZERO
    if rules.chow != 0 and seat == (table.giver + 1) & 3:
        low, middle, high = chows(held(own), tile)
    if completes | pung | low | middle | high == ZERO:
        return False
    legal = deal.legal
    nothing_legal(legal)
    legal.passing = ONE
    deal.tally.outcome = DISCARD_WIN
    legal.win = winning_tile(deal, rules, tables, seat, completes)
    # On the discard that follows the last tile others may only win (A, deal end).
    if table.last_tile == 0:
        legal.chow_low = low
        legal.chow_middle = middle
        legal.chow_high = high
        legal.pung = pung
        if may_kong(deal):
            legal.kong = own.ones & own.twos & tile
    return legal.win | legal.chow_low | legal.chow_middle | legal.chow_high | legal.pung != ZERO


@jit.inlined
def chows(kinds: Any, tile: Any) -> Any:
    """Whether a tile makes a chow with two others held, as its lowest, middle or highest tile."""
    low = tile & kinds >> ONE & kinds >> TWO & _CAN_BE_LOW
    middle = tile & kinds << ONE & kinds >> ONE & _CAN_BE_MIDDLE
    high = tile & kinds << ONE & kinds << TWO & _CAN_BE_HIGH
    return low, middle, high


@jit.kernel
def offer_robbery(deal: Record, rules: Record, tables: Record, seat: Int) -> Flag:
    """On another seat's added kong: win or pass (A, robbing_kong)."""
    own = deal.seats[seat]
    completes = own.waits & bit(deal.table.tile)
    if completes == ZERO or rules.rob_kong == 0:
        return False
    legal = deal.legal
    nothing_legal(legal)
    legal.passing = ONE
    deal.tally.outcome = ROB_KONG
    legal.win = winning_tile(deal, rules, tables, seat, completes)
    return legal.win != ZERO


@jit.kernel
def winning_tile(deal: Record, rules: Record, tables: Record, seat: Int, completes: Any) -> Any:
    """The tile on offer, if it completes the hand, the rules pay for it, and no lock forbids it (A, pass lock)."""
    if completes == ZERO or not is_priced(deal, rules, tables, seat, deal.table.tile):
        return ZERO
    if completes & deal.seats[seat].locked != ZERO:
        deal.tally.blocked[seat] += 1
        return ZERO
    return completes
