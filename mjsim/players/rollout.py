"""The player ``rollout``: tries its actions in imagined worlds and drops the worse half of them again and again.

Sequential halving: Karnin, Koren, Somekh: Almost optimal exploration in multi-armed bandits. ICML 2013. How its
numbers were chosen is told in docs/players.md.
"""

from typing import Any, Final

import numpy as np

from mjsim import jit, memory
from mjsim.bits import ZERO, bit, count, lowest
from mjsim.contract import DISCARD, Player, View, action, legal_tiles
from mjsim.players.value.danger import cost_of, danger_of
from mjsim.players.value.holding import Holding, Sight, holding_of, sight_of, without
from mjsim.players.value.routes import rest_worth
from mjsim.players.worlds import WORLD, answer, deal_hidden, in_points, look, play_out, usual_decide
from mjsim.settle import SETTLEMENT
from mjsim.state import ACTION_KINDS, REACTION_PHASE, TURN_PHASE, Flag, Int, Record

#: Playouts of one decision, at most.
PLAYOUTS: Final = 200
#: Discards that are tried against the usual one: those that leave most.
DISCARDS: Final = 3
#: How far discards are played out: to the seat's second turn from then on. To the end of the deal their luck would
#: hide what they are worth; for the few answers to another's tile there are worlds enough.
TURNS: Final = 2
#: In how many worlds a discard has, before any is dealt, done as badly as it leaves less than the usual one.
DOUBT: Final = 100

# More than win, three chows, pung, kong and pass; and than the discards and one more.
_MOST_ACTIONS: Final = 8

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
    reaction = view.table.phase == REACTION_PHASE
    if not reaction and (view.table.phase != TURN_PHASE or usual >> 8 != DISCARD):
        return usual
    world = memory.new(WORLD)
    notes = memory.new(NOTES)
    look(world, view)
    notes.number = 0
    if reaction:
        list_answers(notes, legal, usual)
    else:
        list_discards(notes, world, view, legal, usual)
    if notes.number == 0:
        return usual
    compare(world, notes, view, usual, np.int64(0 if reaction else TURNS), rng)
    return notes.action[0] if leads_clearly(notes) else usual


@jit.kernel
def list_answers(notes: Record, legal: Record, usual: Int) -> None:
    """All legal actions but the usual one, in ascending order."""
    for kind in range(ACTION_KINDS - 1):
        tiles = legal_tiles(legal, kind)
        for _ in range(count(tiles)):
            tile = lowest(tiles)
            tiles = tiles ^ bit(tile)
            if action(kind, tile) != usual:
                add(notes, action(kind, tile), np.int64(0))


@jit.kernel
def list_discards(notes: Record, world: Record, view: View, legal: Record, usual: Int) -> None:
    """The discards that leave most beside the usual one; their leads begin with what they leave less."""
    sight = sight_of(view)
    hand = holding_of(view.own)
    danger = danger_of(view, sight)
    best = left_by(view, sight, hand, danger, usual & 255)
    tiles = legal.discard & ~bit(usual & 255)
    while tiles != ZERO:
        tile = lowest(tiles)
        tiles = tiles ^ bit(tile)
        deficit = in_points(world, view, max(0, best - left_by(view, sight, hand, danger, tile)))
        add(notes, action(DISCARD, tile), -DOUBT * deficit)
        move_up(notes, notes.number - 1)
        notes.number = min(notes.number, DISCARDS)


@jit.kernel
def left_by(view: View, sight: Sight, hand: Holding, danger: Any, tile: Int) -> Int:
    """What a hand at rest is worth after a discard, less the discard's danger, in 2^15ths of a point."""
    return rest_worth(view, sight, without(view.tables, hand, tile, 1)) - cost_of(danger, tile)


@jit.kernel
def add(notes: Record, number: Int, lead: Int) -> None:
    """One action more in the running."""
    notes.action[notes.number] = number
    notes.lead[notes.number] = lead
    notes.squares[notes.number] = 0
    notes.number += 1


@jit.kernel
def compare(world: Record, notes: Record, view: View, usual: Int, turns: Int, rng: Record) -> None:
    """Play actions out beside the usual one, round after round, until one is left."""
    deal = memory.new(WORLD)
    result = memory.new(SETTLEMENT)
    rounds = rounds_for(notes.number)
    for _ in range(rounds):
        for _ in range(PLAYOUTS // (rounds * (1 + notes.number))):
            deal_hidden(world, view, rng)
            points = play_out(world, deal, result, view, usual, turns)
            for index in range(notes.number):
                lead = play_out(world, deal, result, view, notes.action[index], turns) - points
                notes.lead[index] += lead
                notes.squares[index] += lead * lead
        keep_better_half(notes)


@jit.kernel
def rounds_for(actions: Int) -> Int:
    """How often the better half is kept until one is left: the binary logarithm, rounded up, but at least once."""
    rounds = 1
    while 1 << rounds < actions:
        rounds += 1
    return rounds


@jit.kernel
def keep_better_half(notes: Record) -> None:
    """Sort by lead, the most first and equal ones as they stood, and keep the first half, rounded up."""
    for index in range(1, notes.number):
        move_up(notes, index)
    notes.number = (notes.number + 1) // 2


@jit.kernel
def move_up(notes: Record, index: Int) -> None:
    """Move an action before those that lead by less; all before it are sorted."""
    moved, lead, squares = notes.action[index], notes.lead[index], notes.squares[index]
    place = index
    while place > 0 and notes.lead[place - 1] < lead:
        notes.action[place] = notes.action[place - 1]
        notes.lead[place] = notes.lead[place - 1]
        notes.squares[place] = notes.squares[place - 1]
        place -= 1
    notes.action[place] = moved
    notes.lead[place] = lead
    notes.squares[place] = squares


@jit.kernel
def leads_clearly(notes: Record) -> Flag:
    """Whether the action that is left leads by more than a standard error, which the squares of the leads tell."""
    lead = notes.lead[0]
    return lead > 0 and lead * lead > notes.squares[0]


def _decide(view: View, legal: Record, rng: Record) -> Int:
    return rollout_decide(view, legal, rng)


ROLLOUT = Player("rollout", _decide, builtin=True, unnamed=(answer,))
