"""Deals told in advance: a wall made to order and what each seat does of its own accord, all played by one player."""

import functools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mjsim
from mjsim.contract import ACTION_NAMES, Player, legal_tiles
from mjsim.players import PlayersChoice
from mjsim.rules import load_rules
from mjsim.tiles import parse_tile
from mjsim.transcript.events import Replay, replay
from tests.made_walls import Wish
from tests.naive import referee, score
from tests.naive.deal import Deal

SEATS = range(4)
SEED = 5
LONGEST_STORY = 16

#: The twin's names of options where the engine's keys are not the same, unique words.
KEYS = {"chow": "claims.chow", "pass_lock": "pass_lock.enabled", "fishing": "fishing.enabled"}
_TOLD_BY_LABELS = ACTION_NAMES.index("fish")


@dataclass(frozen=True)
class Story:
    """One deal, told in advance; its dealer is seat 0.

    Attributes
    ----------
    wish : Wish
        What the wall must hold.
    does : dict of str
        By seat: its actions in order, such as ``"pung 5m, discard 1s"``. A seat does the next one as soon as it may,
        and otherwise passes, throws the tile it drew, or after a chow or pung the highest kind it holds. ``pass 5m``
        waits until it could win on 5m; ``fish 3`` takes labels 1 and 2 (a bit mask).
    rules : str
        A built-in ruleset.
    options : dict
        What differs from it, by the twin's names.
    played_by : dict
        Other players for some seats.
    """

    wish: Wish
    does: Mapping[int, str] = field(default_factory=dict)
    rules: str = "liuzhou"
    options: Mapping[str, Any] = field(default_factory=dict)
    played_by: Mapping[int, str] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """The options by the engine's keys."""
        return {KEYS.get(name, name): value for name, value in self.options.items()}

    def wall(self) -> list[int]:
        """Its wall; what the wish leaves open is the same every time."""
        return self.wish.wall(load_rules(self.rules, **self.settings), random.Random(0))


def _number(words: str) -> int:
    """An action as a number.

    >>> _number("discard 1m"), _number("fish 3")
    (512, 2563)
    """
    name, tile = words.split()
    kind = ACTION_NAMES.index(name)
    return kind * 256 + (int(tile) if kind == _TOLD_BY_LABELS else parse_tile(tile))


class Stories:
    """Stories by name, all played by one player that is compiled once.

    The deal's index says which story it is: story n is deal 4n, in which seat 0 deals.
    """

    def __init__(self, stories: Mapping[str, Story]) -> None:
        self.by_name = dict(stories)
        self._numbers = {name: 4 * number for number, name in enumerate(stories)}
        self._teller = _teller([story.does for story in stories.values()])

    @functools.cache  # noqa: B019  # as long-lived as the tests
    def play(self, name: str) -> Replay:
        """Play one story."""
        return self.play_under(name, {})

    def play_under(self, name: str, settings: Mapping[str, Any]) -> Replay:
        """Play one story with the same wall under other settings."""
        story = self.by_name[name]
        players: PlayersChoice = [story.played_by.get(seat, self._teller) for seat in SEATS]
        rules = load_rules(story.rules, **{**story.settings, **settings})
        return replay(rules, deal=self._numbers[name], seed=SEED, players=players, wall=story.wall())

    def disagreements(self, name: str, twin: type[Deal] = Deal, shown: Replay | None = None) -> list[str]:
        """Where the twin of the deal, its row, or its case scored again by engine and twin say anything else."""
        story = self.by_name[name]
        shown = shown or self.play(name)
        players = shown.events[0]["players"]
        deal = twin(SEED, shown.deal, 0, story.options, players=players, wall=shown.wall, rules=story.rules)
        problems = referee.compare(shown.events, shown.decisions, deal)
        if problems:
            return problems
        for column, expected in referee.row(deal).items():
            if not column.startswith("types_") and shown.row[column] != expected:
                problems.append(f"column {column}: engine {shown.row[column]}, twin {expected}")
        return problems + scored_otherwise(shown.case, shown.case) + scored_otherwise(deal.case or {}, shown.case)


def scored_otherwise(case: Mapping[str, Any], played: Mapping[str, Any]) -> list[str]:
    """Where a case scored again comes to anything but what was played; the twin only answers cases of its own."""
    answers = {"engine": mjsim.score(dict(case))}
    if case is not played:
        answers["twin"] = score.score(dict(case))
    problems = []
    for who, answer in answers.items():
        for part in ("hand", "kongs", "fish", "net"):
            if answer.get(part) != played["expect"][part]:
                problems.append(f"{who} scores {part} {answer.get(part, answer)}, played {played['expect'][part]}")
    return problems


def _teller(stories: Sequence[Mapping[int, str]]) -> Player:
    """The player of these stories."""
    told = np.full((len(stories), len(SEATS), LONGEST_STORY + 1), -1, np.int64)
    for number, story in enumerate(stories):
        for seat, words in story.items():
            actions = [_number(each) for each in words.split(",")]
            told[number, seat, : len(actions)] = actions

    def teller(view: Any, legal: Any, rng: Any) -> Any:
        # The seat's own stream, from which nothing is drawn here, remembers how far its story has come.
        wanted = told[view.table.deal // 4, view.own.seat, np.int64(rng.counter[0])]
        if wanted >= 0:
            kind, tile = wanted >> 8, wanted & 255
            if kind == mjsim.PASS:
                may = legal.passing != 0 and mjsim.has(legal.win, tile)
            elif kind == mjsim.FISH:
                may = view.table.phase == 0
            else:
                may = mjsim.has(legal_tiles(legal, kind), tile)
            if may:
                rng.counter[0] += np.uint64(1)
                return mjsim.PASS if kind == mjsim.PASS else wanted
        if legal.passing:
            return mjsim.PASS
        if view.table.phase == 0:
            return mjsim.FISH * 256
        if view.table.tile >= 0:
            return mjsim.DISCARD * 256 + view.table.tile
        thrown = 0
        for kind in range(34):
            if mjsim.has(legal.discard, kind):
                thrown = kind
        return mjsim.DISCARD * 256 + thrown

    return mjsim.player(teller)
