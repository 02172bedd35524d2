"""Who pays whom: the winning hand, its events, liability, kongs and fish, as zero-sum transfers.

Kernels here read the end of a deal from a `DEAL` record (the hands with the winning tile taken out, the melds, the
tally) and write a `SETTLEMENT`. Simulated deals and score cases both come this way. Numbers in parentheses are
sections of rules.md.
"""

from typing import Final

import numpy as np

from mjsim import jit
from mjsim.bits import ZERO, bit, count, lowest
from mjsim.hands.hand import add_tile, remove_tile
from mjsim.hands.types import (
    KONG_DISCARD,
    SEVEN_PAIRS,
)
from mjsim.state import (
    CHOW_MELD,
    CONCEALED_KONG,
    DIRECT_KONG,
    NONE,
    SEATS,
    SELF_DRAW,
    Flag,
    Int,
    Record,
)
from mjsim.tiles import SEAT_OFFSETS
from mjsim.worth import dearest_reading, replacement_giver

# Reasons of transfers.
REASONS: Final = ("hand", "liability", "kong", "fish")
HAND: Final = 0
LIABILITY: Final = 1
KONG: Final = 2
FISH: Final = 3

MAX_TRANSFERS: Final = 128

#: What a deal comes to. ``flow[a, b]`` is what seat a won from seat b by hand, liability and kongs (negative: lost).
#: ``hand`` includes ``liability``. ``points`` is the winner's share before liability.
SETTLEMENT: Final = np.dtype(
    [
        ("transfer_count", np.int64),
        ("transfers", np.int64, (MAX_TRANSFERS, 4)),  # payer, receiver, points, reason
        ("hand", np.int64, (SEATS,)),
        ("liability", np.int64, (SEATS,)),
        ("kongs", np.int64, (SEATS,)),
        ("fish", np.int64, (SEATS,)),
        ("net", np.int64, (SEATS,)),
        ("flow", np.int64, (SEATS, SEATS)),
        ("types", np.uint64, (SEATS,)),
        ("quads", np.int64, (SEATS,)),
        ("points", np.int64, (SEATS,)),
        ("payer", np.int64),  # the seat that pays all three shares, if one does
        ("horse_hits", np.int64),
    ]
)


SEAT_OFFSET_ARRAY: Final = np.array(SEAT_OFFSETS, np.int64)


@jit.kernel
def settle(deal: Record, rules: Record, tables: Record, result: Record) -> None:
    """Settle a finished deal into ``result``."""
    clear(result)
    find_givers(deal, rules)
    tally = deal.tally
    for offset in range(SEATS):
        # Winners in playing order after the giver; a self-drawing winner is his own giver here.
        seat = (max(tally.giver, 0) + offset) & 3
        if tally.winners >> seat & 1:
            settle_win(deal, rules, tables, result, seat)
    settle_kongs(deal, rules, result)
    settle_fish(deal, result)
    for seat in range(SEATS):
        result.net[seat] = result.hand[seat] + result.kongs[seat] + result.fish[seat]


@jit.kernel
def clear(result: Record) -> None:
    """Make a settlement empty."""
    result.transfer_count = 0
    result.payer = NONE
    result.horse_hits = 0
    for seat in range(SEATS):
        result.hand[seat] = 0
        result.liability[seat] = 0
        result.kongs[seat] = 0
        result.fish[seat] = 0
        result.types[seat] = ZERO
        result.quads[seat] = 0
        result.points[seat] = 0
        for other in range(SEATS):
            result.flow[seat, other] = 0


@jit.kernel
def pay(result: Record, payer: Int, receiver: Int, points: Int, reason: Int) -> None:
    """Record a payment; nothing moves for no points or to oneself."""
    if points == 0 or payer == receiver:
        return
    transfer = result.transfers[result.transfer_count]
    transfer[0] = payer
    transfer[1] = receiver
    transfer[2] = points
    transfer[3] = reason
    result.transfer_count += 1
    if reason == FISH:
        result.fish[receiver] += points
        result.fish[payer] -= points
        return
    result.flow[receiver, payer] += points
    result.flow[payer, receiver] -= points
    if reason == KONG:
        result.kongs[receiver] += points
        result.kongs[payer] -= points
        return
    result.hand[receiver] += points
    result.hand[payer] -= points
    if reason == LIABILITY:
        result.liability[receiver] += points
        result.liability[payer] -= points


@jit.kernel
def find_givers(deal: Record, rules: Record) -> None:
    """Who gave each seat three melds (D, liability): a meld counts by who discarded the tile that made it."""
    for maker in range(SEATS):
        deal.tally.giver_of[maker] = NONE
        own = deal.seats[maker]
        if rules.liability == 0 or own.exposed_count < rules.liability_melds:
            continue
        for giver in range(SEATS):
            fed = 0
            for meld in range(own.meld_count):
                counts = own.meld_kind[meld] != CHOW_MELD or rules.liability_chow != 0
                if own.meld_from[meld] == giver and counts:
                    fed += 1
            if fed >= rules.liability_melds:
                deal.tally.giver_of[maker] = giver


@jit.kernel
def is_sealed(tally: Record, rules: Record, seat: Int) -> Flag:
    """Whether a seat may not win any more because it gave another its melds (B, liability)."""
    sealed = False
    for maker in range(SEATS):
        sealed |= tally.giver_of[maker] == seat
    return sealed and rules.giver_may_win == 0


@jit.kernel
def settle_win(deal: Record, rules: Record, tables: Record, result: Record, winner: Int) -> None:
    """Pay one winner for his hand, and whoever this win makes liable."""
    tally = deal.tally
    own = deal.seats[winner]
    add_tile(own, tables, tally.tile)
    win_types, share = dearest_reading(deal, rules, tables, own)
    quads = count(own.fours) if win_types & SEVEN_PAIRS != ZERO else np.int64(0)
    remove_tile(own, tables, tally.tile)
    result.types[winner] = win_types
    result.quads[winner] = quads
    result.points[winner] = share
    hits = horse_hits(deal, winner)
    result.horse_hits = hits
    worth = share * (1 + hits)
    if tally.outcome == SELF_DRAW:
        settle_self_draw(tally, rules, result, winner, worth)
        return
    if win_types & KONG_DISCARD != ZERO and rules.discarder_pays_all != 0:
        worth = 3 * worth
        result.payer = tally.giver
    pay(result, tally.giver, winner, worth, HAND)
    settle_discard_liability(tally, rules, result, winner, worth)


@jit.kernel
def horse_hits(deal: Record, winner: Int) -> Int:
    """Horses that belong to the winner, counted from the dealer (B.2); a tally without horses has none."""
    hits = np.int64(0)
    for horse in range(deal.tally.horse_count):
        offset = SEAT_OFFSET_ARRAY[deal.tally.horse_tile[horse]]
        if (deal.table.dealer + offset) & 3 == winner:
            hits += 1
    return hits


@jit.kernel
def settle_self_draw(tally: Record, rules: Record, result: Record, winner: Int, worth: Int) -> None:
    """A self-draw: each pays, or a kong's giver all three shares, or who is liable."""
    kong_giver = replacement_giver(tally, rules)
    liable = tally.giver_of[winner]
    if liable != NONE and rules.giver_alone != 0:
        pay_alone(rules, result, winner, worth, liable, kong_giver)
        return
    if kong_giver != NONE:
        result.payer = kong_giver
        pay(result, kong_giver, winner, 3 * worth, HAND)
        return
    for offset in range(1, SEATS):
        pay(result, (winner + offset) & 3, winner, worth, HAND)
    if liable != NONE:
        doubled = 2 if rules.dead_double != 0 else 1
        pay(result, liable, winner, (doubled * (1 + rules.self_draw_liability) - 1) * worth, LIABILITY)


@jit.kernel
def pay_alone(rules: Record, result: Record, winner: Int, worth: Int, liable: Int, kong_giver: Int) -> None:
    """Who is liable pays in place of everyone (B, liability); ``liability`` shows what that changed for each seat."""
    doubled = 2 if rules.dead_double != 0 else 1
    result.payer = liable
    pay(result, liable, winner, doubled * rules.self_draw_liability * worth, LIABILITY)
    for offset in range(1, SEATS):
        payer = (winner + offset) & 3
        spared = worth
        if kong_giver != NONE:
            spared = 3 * worth if payer == kong_giver else 0
        result.liability[payer] += spared
        result.liability[winner] -= spared


@jit.kernel
def settle_discard_liability(tally: Record, rules: Record, result: Record, winner: Int, worth: Int) -> None:
    """What givers of three melds owe their makers when a discard (or a robbed kong) wins (A and B, liability)."""
    doubled = 2 if rules.dead_double != 0 else 1
    for maker in range(SEATS):
        giver = tally.giver_of[maker]
        if giver == NONE:
            continue
        if maker == winner:
            if giver == tally.giver:
                pay(result, giver, maker, (doubled * (1 + rules.giver_to_maker) - 1) * worth, LIABILITY)
            elif not tally.winners >> giver & 1:
                pay(result, giver, maker, doubled * rules.third_to_maker * worth, LIABILITY)
        elif giver == tally.giver and not tally.winners >> maker & 1:
            pay(result, giver, maker, rules.giver_to_third * worth, LIABILITY)


@jit.kernel
def settle_kongs(deal: Record, rules: Record, result: Record) -> None:
    """Kong money (0): an exposed kong is paid by the giver, for an added one the pung's; a concealed one by each."""
    for seat in range(SEATS):
        own = deal.seats[seat]
        for meld in range(own.meld_count):
            kind = own.meld_kind[meld]
            if kind == CONCEALED_KONG:
                for offset in range(1, SEATS):
                    pay(result, (seat + offset) & 3, seat, rules.kong_concealed, KONG)
            elif kind >= DIRECT_KONG:
                pay(result, own.meld_from[meld], seat, rules.kong_exposed, KONG)


@jit.kernel
def settle_fish(deal: Record, result: Record) -> None:
    """A fish's owner wins and loses with its target (A, fishing): what it and j exchanged moves again with j."""
    for offset in range(SEATS):
        owner = (deal.table.dealer + offset) & 3
        labels = deal.seats[owner].labels
        while labels != ZERO:
            label = lowest(labels)
            labels = labels ^ bit(label)
            tile = deal.wall.fish_tile[label]
            target = (deal.table.dealer + SEAT_OFFSET_ARRAY[tile]) & 3
            for other in range(SEATS):
                won = result.flow[target, other]
                if won > 0:
                    pay(result, other, owner, won, FISH)
                else:
                    pay(result, owner, other, -won, FISH)
