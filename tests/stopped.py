"""Deals stopped at a decision, with all their memory: what the seat sees and what it does not."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import mjsim
from mjsim.dataset.columns import ROW
from mjsim.engine import Engine, Plan
from mjsim.errors import PlayerError
from mjsim.players import players_for_seats
from mjsim.players.worlds import usual_decide
from mjsim.rules import Ruleset, load_rules
from mjsim.state import DEAL, FISH_PHASE, SEATS, Record, new_record, new_records
from mjsim.transcript.events import row_dict

SEED = 3


@dataclass(frozen=True)
class Stopped:
    """A deal at a decision of a seat, and how it ended with everybody playing on in the usual way.

    Attributes
    ----------
    rules : Ruleset
    seat : int
        Who is to decide.
    deal : numpy.record
        The whole `DEAL` record; ``deal.legal`` is what the seat may do.
    row : dict
        The finished deal's columns.
    before : bytes
        The record as it was, for `deal_again`.
    """

    rules: Ruleset
    seat: int
    deal: Record
    row: dict[str, Any]
    before: bytes

    def deal_again(self) -> Record:
        """The deal as it was stopped, whatever has been done to ``deal`` since."""
        copied = new_records(DEAL, 1)
        copied.view(np.uint8)[:] = np.frombuffer(self.before, np.uint8)
        again: Record = copied[0]
        return again


@mjsim.player
def usual(view: Any, legal: Any, rng: Any) -> Any:
    """Play as everyone does in the worlds of `rollout`."""
    return usual_decide(view, legal)


@mjsim.player
def stopping(view: Any, legal: Any, rng: Any) -> Any:
    """Play in the usual way, but give an answer that stops the deal after so many discards, in each deal others."""
    if view.table.phase != FISH_PHASE and view.table.discard_count >= 7 * view.table.deal % 53:
        return -1
    return usual_decide(view, legal)


def stopped_deals(rules: str, numbers: range) -> Iterator[Stopped]:
    """Deals of a ruleset stopped at a decision, for each number once in each seat that gets so far."""
    loaded = load_rules(rules)
    rows, deal = new_records(ROW, 1), new_record(DEAL)
    finished = Engine(Plan(loaded, players_for_seats(usual), SEED))
    for seat in range(SEATS):
        engine = Engine(
            Plan(loaded, players_for_seats([stopping if each == seat else usual for each in range(SEATS)]), SEED)
        )
        for number in numbers:
            try:
                engine.play(rows, deal, number)
            except PlayerError:
                before = deal.tobytes()
                finished.play(rows, new_record(DEAL), number)
                yield Stopped(loaded, seat, deal, row_dict(rows[0]), before)
