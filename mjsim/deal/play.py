"""One deal, from the fish labels to the last tile: the rules in the order in which they happen.

`play_deal` is the course of a deal. What a seat may do is in `mjsim.deal.options`, what an action moves in
`mjsim.deal.moves`. Numbers in parentheses are sections of rules.md.
"""

from typing import Any, Final

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit
from mjsim.contract import (
    DISCARD,
    KONG,
    KONG_ADDED,
    PASS,
    WIN,
    View,
    decide_for,
    is_legal,
)
from mjsim.deal.log import (
    DRAWN_EVENT,
    KONG_ADDED_EVENT,
    KONG_CONCEALED_EVENT,
    PASS_EVENT,
    WIN_EVENT,
    note,
    note_decision,
)
from mjsim.deal.moves import (
    begin,
    deal_out,
    discard,
    draw,
    lay_added_kong,
    lay_claim,
    lay_concealed_kong,
    show_added_kong,
    take_labels,
    turn_over_horses,
)
from mjsim.deal.options import offer_labels, offer_reaction, offer_robbery, offer_turn, suppose_win
from mjsim.hands.hand import remove_tile
from mjsim.hands.shanten import hand_distance
from mjsim.state import (
    DISCARD_WIN,
    DRAWN,
    FISH_PHASE,
    NO_MOMENT,
    NONE,
    REACTION_PHASE,
    ROB_KONG,
    SEATS,
    SELF_DRAW,
    TURN_PHASE,
    Flag,
    Int,
    Record,
)

# How far a deal has come after a step.
ONGOING: Final = 0
FINISHED: Final = 1
ILLEGAL: Final = 2

_REFUSED: Final = -2


@jit.kernel
def play_deal(players: Any, deal: Record, rules: Record, tables: Record, seed: np.uint64, number: Int) -> Int:
    """Play deal ``number``; the table's dealer and hand are set by the caller.

    Returns
    -------
    int
        `FINISHED`, or `ILLEGAL` where a player chose an action that the rules forbid (the tally says who and what).
    """
    begin(deal, rules, seed, number)
    if rules.fishing != 0 and not choose_labels(players, deal, rules, tables):
        return ILLEGAL
    deal_out(deal, rules, tables, seed)
    deal.table.drew = 1
    return play_turns(players, deal, rules, tables)


@jit.kernel
def play_turns(players: Any, deal: Record, rules: Record, tables: Record) -> Int:
    """Turn after turn to the end, beginning with a decision of the seat in turn."""
    while True:
        progress = take_turn(players, deal, rules, tables)
        if progress != ONGOING:
            return progress
        progress = react_to_discard(players, deal, rules, tables)
        if progress != ONGOING:
            return progress


@jit.kernel
def play_on(players: Any, deal: Record, rules: Record, tables: Record) -> Int:
    """Play a deal to its end from any of its turns or reactions, asking again all who decide there."""
    table = deal.table
    if table.phase == REACTION_PHASE:
        if table.robbing != 0:
            progress = let_rob(players, deal, rules, tables)
            if progress == ONGOING:
                finish_added_kong(deal, rules, tables)
        else:
            progress = react_to_discard(players, deal, rules, tables)
        if progress != ONGOING:
            return progress
    return play_turns(players, deal, rules, tables)


@jit.kernel
def choose_labels(players: Any, deal: Record, rules: Record, tables: Record) -> Flag:
    """Before the dice each seat, the dealer first, names its fish labels (D, fish)."""
    deal.table.phase = FISH_PHASE
    for offset in range(SEATS):
        seat = (deal.table.dealer + offset) & 3
        offer_labels(deal)
        chosen = ask(players, deal, rules, tables, seat)
        if chosen == _REFUSED:
            return False
        take_labels(deal, seat, chosen & 255)
    return True


@jit.inlined
def take_turn(players: Any, deal: Record, rules: Record, tables: Record) -> Int:
    """The seat in turn wins, or declares kongs and draws replacements, until it discards."""
    table = deal.table
    seat = table.turn
    while True:
        table.phase = TURN_PHASE
        if not offer_turn(deal, rules, tables):
            return finish_unplayed(deal, tables, seat)
        chosen = ask(players, deal, rules, tables, seat)
        if chosen == _REFUSED:
            return ILLEGAL
        kind = chosen >> 8
        tile = chosen & 255
        if kind == WIN:
            return finish_self_draw(deal, rules, tables, seat)
        if kind == PASS:
            return finish_unplayed(deal, tables, seat)
        if kind == DISCARD:
            discard(deal, tables, seat, tile)
            return ONGOING
        if kind == KONG_ADDED:
            show_added_kong(deal, tables, seat, tile)
            note(deal, KONG_ADDED_EVENT, seat, tile, deal.tally.chain_from[deal.tally.chain_length - 1], 0)
            progress = let_rob(players, deal, rules, tables)
            if progress != ONGOING:
                return progress
            finish_added_kong(deal, rules, tables)
        else:
            lay_concealed_kong(deal, tables, seat, tile)
            note(deal, KONG_CONCEALED_EVENT, seat, tile, NONE, 0)
            draw(deal, rules, tables, seat, True)


@jit.kernel
def finish_added_kong(deal: Record, rules: Record, tables: Record) -> None:
    """Nobody robbed the kong on offer, so its maker draws a replacement."""
    table = deal.table
    maker = table.giver
    lay_added_kong(deal, maker, table.tile)
    draw(deal, rules, tables, maker, True)


@jit.kernel
def let_rob(players: Any, deal: Record, rules: Record, tables: Record) -> Int:
    """The other seats may win on the tile of an added kong."""
    table = deal.table
    table.phase = REACTION_PHASE
    winners = 0
    passers = 0
    for offset in range(1, SEATS):
        seat = (table.giver + offset) & 3
        if not offer_robbery(deal, rules, tables, seat):
            continue
        chosen = ask(players, deal, rules, tables, seat)
        if chosen == _REFUSED:
            return ILLEGAL
        if chosen >> 8 == WIN:
            winners |= 1 << seat
        else:
            passers |= 1 << seat
    note_passes(deal, passers)
    if winners == 0:
        return ONGOING
    deal.tally.robbed = 1
    return finish_on_tile(deal, rules, winners, ROB_KONG)


@jit.inlined
def react_to_discard(players: Any, deal: Record, rules: Record, tables: Record) -> Int:
    """Every seat answers the discard at once: wins go before pung and kong, these before a chow (0, claims)."""
    table = deal.table
    table.phase = REACTION_PHASE
    tile = table.tile
    winners = 0
    passers = 0
    claimer = NONE
    claim = PASS
    for offset in range(1, SEATS):
        seat = (table.giver + offset) & 3
        if not offer_reaction(deal, rules, tables, seat):
            continue
        could_win = deal.legal.win != ZERO
        chosen = ask(players, deal, rules, tables, seat)
        if chosen == _REFUSED:
            return ILLEGAL
        kind = chosen >> 8
        if kind == WIN:
            winners |= 1 << seat
        elif could_win:
            passers |= 1 << seat
            if rules.pass_lock != 0:
                deal.seats[seat].locked |= bit(tile)
        if kind > claim and kind != WIN:
            claim = kind
            claimer = seat
    note_passes(deal, passers)
    if winners != 0:
        return finish_on_tile(deal, rules, winners, DISCARD_WIN)
    deal.tally.chain_length = 0
    table.chain_length = 0
    if claimer != NONE:
        lay_claim(deal, rules, tables, claimer, claim)
        if claim == KONG:
            draw(deal, rules, tables, claimer, True)
        else:
            table.tile = NONE
        return ONGOING
    if table.last_tile != 0:
        return finish_drawn(deal)
    draw(deal, rules, tables, (table.giver + 1) & 3, False)
    return ONGOING


@jit.inlined
def ask(players: Any, deal: Record, rules: Record, tables: Record, seat: Int) -> Int:
    """Let a seat decide; notes an illegal answer in the tally and returns `_REFUSED` for it."""
    view = View(deal.seats[seat], deal.table, rules, tables)
    chosen = decide_for(players, seat, view, deal.legal, deal.streams[seat])
    if not is_legal(view, deal.legal, chosen):
        deal.tally.bad_seat = seat
        deal.tally.bad_action = chosen
        return _REFUSED
    note_decision(deal, seat, chosen)
    return chosen


@jit.kernel
def note_passes(deal: Record, passers: Int) -> None:
    """Write down who let a win go, in playing order after the giver."""
    if passers == 0:
        return
    for offset in range(1, SEATS):
        seat = (deal.table.giver + offset) & 3
        if passers >> seat & 1:
            note(deal, PASS_EVENT, seat, deal.table.tile, NONE, 0)


@jit.kernel
def finish_self_draw(deal: Record, rules: Record, tables: Record, seat: Int) -> Int:
    """The seat in turn wins on the tile it drew, which is laid beside the hand."""
    remove_tile(deal.seats[seat], tables, deal.table.tile)
    suppose_win(deal, SELF_DRAW, seat)
    deal.tally.winners = 1 << seat
    note(deal, WIN_EVENT, seat, deal.tally.tile, NONE, 0)
    turn_over_horses(deal, rules)
    return FINISHED


@jit.kernel
def finish_on_tile(deal: Record, rules: Record, winners: Int, outcome: Int) -> Int:
    """One or several seats win on a discard or a robbed kong's tile."""
    tally = deal.tally
    for offset in range(1, SEATS):
        seat = (deal.table.giver + offset) & 3
        if not winners >> seat & 1:
            continue
        if tally.winners != 0 and rules.multiple_winners == 0:
            continue
        suppose_win(deal, outcome, seat)
        tally.winners |= 1 << seat
        note(deal, WIN_EVENT, seat, tally.tile, tally.giver, 0)
    turn_over_horses(deal, rules)
    return FINISHED


@jit.kernel
def finish_drawn(deal: Record) -> Int:
    """Nobody won."""
    tally = deal.tally
    tally.outcome = DRAWN
    tally.giver = NONE
    tally.tile = NONE
    tally.moment = NO_MOMENT
    tally.chain_length = 0
    tally.last_tile = 0
    note(deal, DRAWN_EVENT, NONE, NONE, NONE, 0)
    return FINISHED


@jit.kernel
def finish_unplayed(deal: Record, tables: Record, seat: Int) -> Int:
    """Nobody won, and the last tile stays in the hand of who drew it (option ``last_tile_discard = false``)."""
    deal.seats[seat].shanten = hand_distance(tables, deal.seats[seat]) - 1
    return finish_drawn(deal)


@jit.kernel
def next_dealer(deal: Record) -> Int:
    """Who deals next (A, dealer): the winner; with several winners who gave the tile; after a drawn deal the same."""
    tally = deal.tally
    if tally.winners == 0:
        return deal.table.dealer
    for seat in range(SEATS):
        if tally.winners == 1 << seat:
            return np.int64(seat)
    return tally.giver
