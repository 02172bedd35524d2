"""What a seat may do: the legal actions of each decision, written into ``deal.legal``.

Each function returns whether the seat has a choice at all. Numbers in parentheses are sections of rules.md.
"""

from typing import Any, Final

from mjsim import jit
from mjsim.bits import ONE, TWO, ZERO, bit, has, kinds_where
from mjsim.hands.hand import held
from mjsim.hands.shanten import hand_distance
from mjsim.settle import is_sealed
from mjsim.state import (
    CONCEALED_KONG,
    DEALT,
    DISCARD_WIN,
    FIRST_DISCARD,
    FIRST_DRAW,
    FISH_TILES,
    NO_MOMENT,
    NONE,
    ROB_KONG,
    SEATS,
    SELF_DRAW,
    Flag,
    Int,
    Record,
)
from mjsim.worth import is_priced

_ALL_LABELS: Final = kinds_where(lambda label: label < FISH_TILES)

# Kinds that can be the lowest, middle or highest tile of a chow.
_CAN_BE_LOW: Final = kinds_where(lambda kind: kind < 27 and kind % 9 <= 6)
_CAN_BE_MIDDLE: Final = kinds_where(lambda kind: kind < 27 and 1 <= kind % 9 <= 7)
_CAN_BE_HIGH: Final = kinds_where(lambda kind: kind < 27 and kind % 9 >= 2)


@jit.inlined
def nothing_legal(legal: Record) -> None:
    """Make every set of legal actions empty."""
    legal.passing = ZERO
    legal.win = ZERO
    legal.discard = ZERO
    legal.chow_low = ZERO
    legal.chow_middle = ZERO
    legal.chow_high = ZERO
    legal.pung = ZERO
    legal.kong = ZERO
    legal.kong_added = ZERO
    legal.kong_concealed = ZERO
    legal.fish = ZERO


@jit.kernel
def offer_labels(deal: Record) -> None:
    """Before the dice: the labels nobody has taken (A, fishing)."""
    nothing_legal(deal.legal)
    free = _ALL_LABELS
    for seat in range(SEATS):
        free = free & ~deal.table.labels[seat]
    deal.legal.fish = free


@jit.inlined
def offer_turn(deal: Record, rules: Record, tables: Record) -> Flag:
    """In one's own turn: a win or a kong after a draw, or any discard (0)."""
    table = deal.table
    seat = table.turn
    own = deal.seats[seat]
    legal = deal.legal
    nothing_legal(legal)
    if table.drew != 0 and completes_by_draw(deal, tables, seat):
        legal.win = winning_tile(deal, rules, tables, seat, SELF_DRAW)
    if table.last_tile != 0 and rules.last_tile_discard == 0:
        # The last tile is not played out: its drawer wins or the deal is drawn.
        legal.passing = ONE
        return legal.win != ZERO
    legal.discard = held(own)
    if table.drew != 0 and table.last_tile == 0 and replacement_left(deal):
        legal.kong_added = own.pungs & legal.discard
        legal.kong_concealed = own.fours
    return True


@jit.inlined
def completes_by_draw(deal: Record, tables: Record, seat: Int) -> Flag:
    """Whether the tile just drawn completes the hand."""
    own = deal.seats[seat]
    if deal.tally.seat_draws[seat] > 0:
        return has(own.waits, deal.table.tile)
    # The dealer's dealt fourteen have no hand at rest behind them.
    return hand_distance(tables, own) == 0


@jit.inlined
def replacement_left(deal: Record) -> Flag:
    """No kong of any sort without a replacement tile (D, end of the wall)."""
    return deal.wall.front < deal.wall.back


@jit.inlined
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
    if completes != ZERO:
        legal.win = winning_tile(deal, rules, tables, seat, DISCARD_WIN)
    # On the discard that follows the last tile others may only win, or also pung and kong (A and D, deal end).
    if table.last_tile == 0:
        legal.chow_low = low
        legal.chow_middle = middle
        legal.chow_high = high
    if table.last_tile == 0 or rules.last_tile_claims != 0:
        legal.pung = pung
        if replacement_left(deal):
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
    """On another seat's added kong: win or pass (A and B.1, robbing_kong)."""
    if deal.seats[seat].waits & bit(deal.table.tile) == ZERO or not may_rob(deal.tally, rules):
        return False
    legal = deal.legal
    nothing_legal(legal)
    legal.passing = ONE
    legal.win = winning_tile(deal, rules, tables, seat, ROB_KONG)
    return legal.win != ZERO


@jit.kernel
def may_rob(tally: Record, rules: Record) -> Flag:
    """Whether the rules let the last kong of the chain be robbed."""
    concealed = False
    for kong in range(tally.chain_length):
        concealed |= tally.chain_kind[kong] == CONCEALED_KONG
    return rules.rob_kong != 0 and (rules.rob_after_concealed != 0 or not concealed)


@jit.kernel
def winning_tile(deal: Record, rules: Record, tables: Record, seat: Int, outcome: Int) -> Any:
    """The tile that completes a seat's hand, if the rules pay for the win and no lock or seal forbids it.

    A lock forbids tiles that others give (A, pass lock); a seal forbids every win (B, liability).
    """
    suppose_win(deal, outcome, seat)
    kind = deal.table.tile
    if not is_priced(deal, rules, tables, seat, NONE if outcome == SELF_DRAW else kind):
        return ZERO
    locked = outcome != SELF_DRAW and has(deal.seats[seat].locked, kind)
    if locked or is_sealed(deal.tally, rules, seat):
        deal.tally.blocked[seat] += 1
        return ZERO
    return bit(kind)


@jit.kernel
def suppose_win(deal: Record, outcome: Int, seat: Int) -> None:
    """Write into the tally how a seat would win now."""
    table = deal.table
    tally = deal.tally
    tally.outcome = outcome
    tally.giver = NONE if outcome == SELF_DRAW else table.giver
    tally.tile = table.tile
    tally.last_tile = table.last_tile
    tally.moment = NO_MOMENT
    if outcome == SELF_DRAW:
        if tally.draws == 0:
            tally.moment = DEALT
        elif seat != table.dealer and table.claimed == 0 and tally.seat_draws[seat] == 1:
            tally.moment = FIRST_DRAW
    elif outcome == DISCARD_WIN and table.discard_count == 1:
        tally.moment = FIRST_DISCARD
