"""The player ``rollout``: tries its actions in imagined worlds and drops the worse half of them again and again.

Sequential halving: Karnin, Koren, Somekh: Almost optimal exploration in multi-armed bandits. ICML 2013.
"""

from typing import Final

import numpy as np

from mjsim import jit, memory
from mjsim.bits import bit, count, lowest
from mjsim.contract import Player, View, action, legal_tiles
from mjsim.players.worlds import WORLD, answer, deal_hidden, look, play_out, usual_decide
from mjsim.settle import SETTLEMENT
from mjsim.state import ACTION_KINDS, FISH_PHASE, Flag, Int, Record

#: Playouts of one decision, at most, and how many of them choose one of several actions to try against the usual one.
PLAYOUTS: Final = 200
HALVING_PLAYOUTS: Final = 100

#: Standard errors by which an action must lead the usual one: so few worlds tell little, and with no margin the player
#: was clearly weaker than one that always takes the usual action.
MARGIN: Final = 2

# More than the fourteen discards, four kongs and a win that a turn can offer.
_MOST_ACTIONS: Final = 32

#: The actions in the running against the usual one; of each the points by which it led in all worlds, and the sum of
#: the squares of its leads.
NOTES: Final = np.dtype(
    [
        ("number", np.int64),
        ("action", np.int64, (_MOST_ACTIONS,)),
        ("lead", np.int64, (_MOST_ACTIONS,)),
        ("squares", np.int64, (_MOST_ACTIONS,)),
    ]
)


@jit.kernel
def rollout_decide(view: View, legal: Record, rng: Record) -> Int:
    """The usual action, unless another wins clearly more in imagined worlds."""
    usual = usual_decide(view, legal)
    if view.table.phase == FISH_PHASE:
        return usual
    notes = memory.new(NOTES)
    list_others(notes, legal, usual)
    if notes.number == 0:
        return usual
    worlds = compare(view, notes, usual, rng)
    return notes.action[0] if leads_clearly(notes, worlds) else usual


@jit.kernel
def list_others(notes: Record, legal: Record, usual: Int) -> None:
    """All legal actions but the usual one, in ascending order."""
    notes.number = 0
    for kind in range(ACTION_KINDS - 1):
        tiles = legal_tiles(legal, kind)
        for _ in range(count(tiles)):
            tile = lowest(tiles)
            tiles = tiles ^ bit(tile)
            if action(kind, tile) != usual:
                notes.action[notes.number] = action(kind, tile)
                notes.lead[notes.number] = 0
                notes.squares[notes.number] = 0
                notes.number += 1


@jit.kernel
def compare(view: View, notes: Record, usual: Int, rng: Record) -> Int:
    """Play actions out beside the usual one until one is left, and that one in new worlds; returns in how many.

    The leads that chose it among many do not count: they are its luck as much as its worth.
    """
    world = memory.new(WORLD)
    deal = memory.new(WORLD)
    result = memory.new(SETTLEMENT)
    look(world, view)
    playouts = PLAYOUTS
    if notes.number > 1:
        playouts -= HALVING_PLAYOUTS
        rounds = rounds_for(notes.number)
        for _ in range(rounds):
            for _ in range(HALVING_PLAYOUTS // (rounds * (1 + notes.number))):
                add_leads(world, deal, result, view, notes, usual, rng)
            keep_better_half(notes)
        notes.lead[0] = 0
    worlds = playouts // 2
    notes.squares[0] = 0
    for _ in range(worlds):
        add_leads(world, deal, result, view, notes, usual, rng)
    return worlds


@jit.kernel
def add_leads(world: Record, deal: Record, result: Record, view: View, notes: Record, usual: Int, rng: Record) -> None:
    """Play the usual action and those in the running out in one more world."""
    deal_hidden(world, view, rng)
    points = play_out(world, deal, result, view, usual)
    for index in range(notes.number):
        lead = play_out(world, deal, result, view, notes.action[index]) - points
        notes.lead[index] += lead
        notes.squares[index] += lead * lead


@jit.kernel
def rounds_for(actions: Int) -> Int:
    """How often the better half is kept until one is left: the binary logarithm, rounded up."""
    rounds = 0
    while 1 << rounds < actions:
        rounds += 1
    return rounds


@jit.kernel
def keep_better_half(notes: Record) -> None:
    """Sort by lead, the most first and equal ones as they stood, and keep the first half, rounded up."""
    for index in range(1, notes.number):
        moved = notes.action[index]
        lead = notes.lead[index]
        place = index
        while place > 0 and notes.lead[place - 1] < lead:
            notes.action[place] = notes.action[place - 1]
            notes.lead[place] = notes.lead[place - 1]
            place -= 1
        notes.action[place] = moved
        notes.lead[place] = lead
    notes.number = (notes.number + 1) // 2


@jit.kernel
def leads_clearly(notes: Record, worlds: Int) -> Flag:
    """Whether the action that is left leads on average by more than `MARGIN` standard errors of that average."""
    lead = notes.lead[0]
    # Mean and variance (worlds - 1 below) in whole numbers, multiplied out.
    spread = worlds * notes.squares[0] - lead * lead
    return lead > 0 and (worlds - 1) * lead * lead > MARGIN * MARGIN * spread


def _decide(view: View, legal: Record, rng: Record) -> Int:
    return rollout_decide(view, legal, rng)


ROLLOUT = Player("rollout", _decide, builtin=True, unnamed=(answer,))
