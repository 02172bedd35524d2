"""mjsim, asked as the other libraries are: one hand a call, and many at once."""

from typing import Any

import numpy as np

import mjsim
from benchmarks.peers.adapters import Adapter, Hand


class Single(Adapter):
    """One hand a call, as a list of 34 counts."""

    def __init__(self) -> None:
        super().__init__()
        self.complete = lambda hands: [mjsim.is_complete(hand) for hand in hands]
        self.shanten = lambda hands: [mjsim.shanten(hand) for hand in hands]
        self.players = {"random": lambda deals, seed: _play("random", deals, seed)}
        self.players["efficiency"] = lambda deals, seed: _play("fast", deals, seed)


class Batch(Adapter):
    """All hands in one call, as an array."""

    def __init__(self) -> None:
        super().__init__()
        self.complete = lambda hands: mjsim.is_complete_many(hands[0]).tolist()
        self.shanten = lambda hands: mjsim.shanten_many(hands[0]).tolist()

    def prepare(self, hands: list[Hand]) -> list[Any]:
        """One array of all hands."""
        return [np.array(hands, np.uint8)]


def _play(player: str, deals: int, seed: int) -> int:
    """Whole deals of Liuzhou mahjong on one thread; returns the draws in them."""
    played = mjsim.simulate("liuzhou", deals=deals, seed=seed, players=player, threads=1)
    return int(played.columns["draws"].sum())


OURS: dict[str, type[Adapter]] = {"mjsim": Single, "mjsim, batch": Batch}
