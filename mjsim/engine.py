"""The compiled kernels of one plan: deals from a seed to rows."""

import os
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import types

from mjsim import jit
from mjsim.contract import PLAYERS_TYPE, Player, describe
from mjsim.dataset.columns import PLACE, ROW, move_rows, places_in, write_row
from mjsim.dataset.frames import Columns
from mjsim.deal.play import ILLEGAL, next_dealer, play_deal
from mjsim.errors import PlayerError, RunError
from mjsim.hands.tables import TABLES, are_intact, tables, tables_to_write
from mjsim.rules import Ruleset, load_rules
from mjsim.rules.packed import RULES, pack
from mjsim.settle import SETTLEMENT, settle
from mjsim.state import DEAL, Int, Record, new_record, new_records
from mjsim.workers import shown, whole_number

MAX_SESSION: Final = 1 << 16
MAX_DEALS: Final = 1 << 40
MAX_SESSIONS: Final = 1 << 32

# Rows that are in the processor's nearest cache when they become columns.
_ROWS_AT_ONCE: Final = 128


@dataclass(frozen=True)
class Plan:
    """What determines every deal of a simulation.

    Attributes
    ----------
    rules : Ruleset
    players : tuple of four Player
        By seat.
    seed : int
        0 ≤ seed < 2^64.
    session : int
        Deals in a session, 1–65536.
    fish : int
        Labels that built-in players take, 0–2.
    """

    rules: Ruleset
    players: tuple[Player, Player, Player, Player]
    seed: int = 0
    session: int = 1
    fish: int = 2

    def __post_init__(self) -> None:
        for key in ("seed", "session", "fish"):
            object.__setattr__(self, key, whole_number(key, getattr(self, key)))
        if not 0 <= self.seed < 1 << 64:
            raise RunError(f"seed {shown(self.seed)}: must be 0 to 2^64 - 1")
        if not 1 <= self.session <= MAX_SESSION:
            raise RunError(f"session {self.session}: must be 1 to {MAX_SESSION} deals")
        if not 0 <= self.fish <= 2:
            raise RunError(f"fish {self.fish}: must be 0, 1 or 2 labels")


class Engine:
    """The compiled kernels of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._players = tuple(player.compiled for player in plan.players)
        self._rules = pack(plan.rules)
        self._guests = [seat for seat, player in enumerate(plan.players) if not player.builtin]
        # What a player of one's own writes into the tables must not reach other simulations.
        self._tables = tables_to_write() if self._guests else tables()
        # Compile or load the kernel here, before any thread needs it.
        self.play(new_records(ROW, 0), new_record(DEAL), 0)

    def fill(self, columns: Columns, origin: int, first: int, deals: int) -> int:
        """Play deals into the columns, whose first row is deal ``origin``; returns how many."""
        places = places_in(columns, first - origin, first - origin + deals)
        self._play(new_records(ROW, min(deals, _ROWS_AT_ONCE)), new_record(DEAL), first, deals, places)
        return deals

    def play(self, rows: Any, deal: Record, first: int) -> None:
        """Play deals into rows, starting with deal ``first``."""
        self._play(rows, deal, first, len(rows), new_records(PLACE, 0))

    def _play(self, rows: Any, deal: Record, first: int, deals: int, places: Any) -> None:
        deal.table.fish_wanted = self.plan.fish
        try:
            bad = play_rows(
                self._players,
                deal,
                new_record(SETTLEMENT),
                rows,
                places,
                self._rules,
                self._tables,
                np.uint64(self.plan.seed),
                first,
                deals,
                self.plan.session,
            )
        except Exception as error:
            # Kernels raise nothing: it came out of a player's own code.
            message = f"deal {int(deal.table.deal)}: a player raised {type(error).__name__}: {error}"
            raise PlayerError(message) from error
        self._check_tables(first, deals)
        if bad >= 0:
            raise PlayerError(self._complaint(deal, bad))

    def _complaint(self, deal: Record, number: int) -> str:
        seat = int(deal.tally.bad_seat)
        chosen = describe(int(deal.tally.bad_action))
        wrong = "which it must not" if "writing" in chosen else "which is not legal"
        return f"deal {number}, seat {seat}: player {self.plan.players[seat].name!r} chose action {chosen}, {wrong}"

    def _check_tables(self, first: int, deals: int) -> None:
        """Refuse deals in which a player that is not built in has changed the evaluator's tables."""
        if self._guests and not are_intact(self._tables):
            raise PlayerError(
                f"deals {first} to {first + deals - 1}, seat {' or '.join(map(str, self._guests))}:"
                " a player wrote into view.tables, which it must not"
            )


@jit.entry_on_call(
    types.int64(
        PLAYERS_TYPE,
        jit.record_type(DEAL),
        jit.record_type(SETTLEMENT),
        jit.record_type(ROW)[::1],
        jit.record_type(PLACE)[::1],
        jit.record_type(RULES),
        jit.record_type(TABLES),
        types.uint64,
        types.int64,
        types.int64,
        types.int64,
    )
)
def play_rows(
    players: Any,
    deal: Record,
    settlement: Record,
    rows: Any,
    places: Any,
    rules: Record,
    tables: Record,
    seed: np.uint64,
    first: Int,
    deals: Int,
    session: Int,
) -> Int:
    """Play so many deals from ``first`` on; returns -1, or the deal in which a player chose an illegal action.

    Each becomes a row. Where there are ``places``, rows go to the columns whenever they are full; else there is one for
    each deal.
    A deal within a session needs the deals before it, to know its dealer; these are played and not recorded.
    """
    dealer = np.int64(0)
    row = 0
    for number in range(first - first % session, first + deals):
        hand = number % session
        if hand == 0:
            dealer = number // session & 3
        deal.table.dealer = dealer
        deal.table.hand = hand
        if play_deal(players, deal, rules, tables, seed, number) == ILLEGAL:
            return number
        dealer = next_dealer(deal)
        if number >= first:
            settle(deal, rules, tables, settlement)
            write_row(rows[row], deal, settlement, number // session)
            row += 1
            if row == rows.shape[0]:
                move_rows(rows, row, places)
                row = 0
    move_rows(rows, row, places)
    return -1


def as_rules(rules: str | os.PathLike[str] | Ruleset) -> Ruleset:
    """A ruleset, loaded if need be."""
    return rules if isinstance(rules, Ruleset) else load_rules(rules)


def check_deals(first: int, deals: int, session: int = 1) -> None:
    """Refuse what no run can hold."""
    first, deals = whole_number("first", first), whole_number("deals", deals)
    if first < 0:
        raise RunError(f"first deal {first}: must be 0 or more")
    if deals < 1 or first + deals > MAX_DEALS:
        raise RunError(f"deals {deals}: must be 1 to 2^40, counted from deal 0")
    if (first + deals - 1) // session >= MAX_SESSIONS:
        raise RunError(f"deals {first} to {first + deals - 1}: there can be 2^32 sessions; let a session be longer")
