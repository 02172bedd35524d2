"""Counting lines over many deals, chunk by chunk."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from mjsim.coverage.facts import Facts
from mjsim.coverage.line import Line, LoggedLine
from mjsim.coverage.lines import LINES
from mjsim.dataset.columns import ROW, empty_columns
from mjsim.dataset.frames import Columns
from mjsim.engine import Engine, Plan, check_deals
from mjsim.players import PlayersChoice, players_for_seats
from mjsim.ranges import Progress, first_rows, play_range
from mjsim.rules import Ruleset
from mjsim.state import DEAL, new_record, new_records
from mjsim.workers import Interrupts

#: Deals whose columns are held at once.
CHUNK: Final = 1 << 17

#: Deals that are replayed for each line that columns do not show.
MOST_REPLAYED: Final = 5000


@dataclass
class Coverage:
    """In how many deals each line fired.

    Attributes
    ----------
    rules : Ruleset
    players : str
        Who played, as given.
    deals : int
        How many deals were played.
    counts : dict of int
        By the key of each line that can occur under the rules.
    replayed : dict of int
        For each line that columns do not show: in how many deals it was looked for; its count is of these.
    """

    rules: Ruleset
    players: str
    deals: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    replayed: dict[str, int] = field(default_factory=dict)

    def missing(self) -> list[str]:
        """Keys of lines that can occur and did not."""
        return [key for key, count in self.counts.items() if count == 0]


def possible_lines(rules: Ruleset) -> list[Line]:
    """The lines that can occur under a ruleset."""
    return [line for line in LINES if line.possible(rules)]


def cover(
    rules: Ruleset,
    *,
    deals: int,
    seed: int = 0,
    players: PlayersChoice = "noisy",
    fish: int = 2,
    progress: Progress | None = None,
    lines: Sequence[Line] | None = None,
) -> Coverage:
    """Play deals and count in how many each line fired.

    Parameters
    ----------
    rules : Ruleset
    deals, seed, players, fish
        As for `mjsim.simulate`.
    progress : callable, optional
        Called now and then with the number of deals played so far.
    lines : sequence of Line, optional
        Which lines to count; all that can occur unless given.

    Returns
    -------
    Coverage
        After Ctrl-C, of the deals finished so far.
    """
    plan = Plan(rules, players_for_seats(players), seed, 1, fish)
    check_deals(0, deals)
    counter = Counter(plan, possible_lines(rules) if lines is None else lines)
    with Interrupts() as interrupts:
        for first in range(0, deals, CHUNK):
            columns = empty_columns(min(CHUNK, deals - first))
            report = _shifted(progress, first)
            played = play_range(counter.engine, first, columns, interrupts, progress=report)
            if played:
                counter.add(first, first_rows(columns, played))
            if played < len(columns["deal"]):
                break
    return counter.coverage


def _shifted(progress: Progress | None, first: int) -> Callable[[int], None] | None:
    return None if progress is None else (lambda played: progress(first + played))


class Counter:
    """Counts lines in the deals of one plan."""

    def __init__(self, plan: Plan, lines: Sequence[Line]) -> None:
        self.engine = Engine(plan)
        self.coverage = Coverage(plan.rules, ",".join(dict.fromkeys(player.name for player in plan.players)))
        self._lines = lines
        self._shown = new_record(DEAL)
        self._shown.log.on = 1
        self._row = new_records(ROW, 1)
        for line in lines:
            self.coverage.counts[line.key] = 0
            if isinstance(line, LoggedLine):
                self.coverage.replayed[line.key] = 0

    def add(self, first: int, columns: Columns) -> None:
        """Count the deals of some columns, the first of which is deal ``first``."""
        coverage = self.coverage
        facts = Facts(coverage.rules, columns)
        coverage.deals += len(columns["deal"])
        for line in self._lines:
            fired = np.flatnonzero(line.fired(facts))
            if isinstance(line, LoggedLine):
                room = MOST_REPLAYED - coverage.replayed[line.key]
                chosen = fired[:room].tolist()
                coverage.replayed[line.key] += len(chosen)
                coverage.counts[line.key] += sum(self._is_seen(line, first + index) for index in chosen)
            else:
                coverage.counts[line.key] += len(fired)

    def _is_seen(self, line: LoggedLine, deal: int) -> bool:
        self.engine.play(self._row, self._shown, deal)
        log = self._shown.log
        return line.seen(log.events[: log.event_count], self.coverage.rules)
