"""The player ``noisy``: as ``fast``, but one decision in eight is a uniform legal action (docs/players.md)."""

import numpy as np

from mjsim.contract import Player, View
from mjsim.players.fast import fast_decide
from mjsim.players.random import random_decide
from mjsim.state import Int, Record
from mjsim.wall import next_word

_ONE_IN_EIGHT = np.uint64(7)


def _decide(view: View, legal: Record, rng: Record) -> Int:
    if next_word(rng) & _ONE_IN_EIGHT == np.uint64(0):
        return random_decide(view, legal, rng)
    return fast_decide(view, legal)


NOISY = Player("noisy", _decide, builtin=True)
