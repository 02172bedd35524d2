"""The player ``random``: uniform over the distinct legal actions (docs/players.md)."""

from mjsim import jit
from mjsim.bits import bit, count, nth
from mjsim.contract import FISH, Player, View, action, legal_tiles
from mjsim.state import ACTION_KINDS, FISH_PHASE, Int, Record
from mjsim.wall import below


@jit.inlined
def random_decide(view: View, legal: Record, rng: Record) -> Int:
    """A legal action, each with the same probability."""
    if view.table.phase == FISH_PHASE:
        return random_labels(view, legal, rng)
    number = 0
    for kind in range(ACTION_KINDS):
        number += count(legal_tiles(legal, kind))
    index = below(rng, number)
    kind = 0
    tiles = legal_tiles(legal, kind)
    while index >= count(tiles):
        index -= count(tiles)
        kind += 1
        tiles = legal_tiles(legal, kind)
    return action(kind, nth(tiles, index))


@jit.kernel
def random_labels(view: View, legal: Record, rng: Record) -> Int:
    """First the number of labels, then the labels."""
    free = legal.fish
    number = below(rng, min(view.rules.max_labels, count(free)) + 1)
    labels = 0
    for _ in range(number):
        label = nth(free, below(rng, count(free)))
        free = free ^ bit(label)
        labels += 1 << label
    return action(FISH, labels)


def _decide(view: View, legal: Record, rng: Record) -> Int:
    return random_decide(view, legal, rng)


RANDOM = Player("random", _decide, builtin=True)
