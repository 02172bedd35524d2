"""What to discard: how far each discard leaves the hand, how likely it wins and what it is worth.

Two measures that do not answer the same question. *Alone* (`mjsim.solo`) is exact and knows no other players; *played
out* (`mjsim.playout`) knows them, and is an estimate with an interval.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from analysis.comparing.effects import holm
from analysis.estimates.intervals import CONFIDENCE, Interval, Sums, mean_interval, share
from mjsim.contract import Player
from mjsim.playout import Played, Position, given_by, play_out, unseen_by
from mjsim.rules import Ruleset
from mjsim.solo import MOST_SHANTEN, Hand, Rest, Solo

#: A discard is worse than the best where the p-value, adjusted for all pairs of discards, is below this.
LEVEL: Final = 1 - CONFIDENCE

#: How many playouts each discard gets unless told.
PLAYOUTS: Final = 2000


@dataclass(frozen=True)
class Alone:
    """The exact worth of a hand at rest to a player alone with the unseen tiles.

    Attributes
    ----------
    chance : float
        To win, where discards are chosen for that.
    points : float
        Won from the three others on average, where discards are chosen for that.
    """

    chance: float
    points: float


@dataclass(frozen=True)
class PlayedOut:
    """What playouts say of a discard.

    Attributes
    ----------
    won : Interval
        Share of playouts that the player won.
    net : Interval
        Points that he won or lost on average.
    behind : Interval or None
        By how much that is more than the best discard's, on the same hidden tiles; None for the best itself.
    p_value : float
        Of no difference to the best, adjusted for all pairs of discards (Holm).
    """

    won: Interval
    net: Interval
    behind: Interval | None
    p_value: float

    @property
    def verdict(self) -> str:
        """``best``, ``worse`` or ``not_decided``."""
        if self.behind is None:
            return "best"
        return "worse" if self.p_value < LEVEL else "not_decided"


@dataclass(frozen=True)
class Choice:
    """One discard, or one drawn tile with its best discard.

    Attributes
    ----------
    tile : int
        The kind discarded; where the hand waits for a draw, the kind drawn.
    rest : Rest
        The hand at rest after it.
    live : tuple of int
        Unseen tiles of each of its effective kinds.
    alone : Alone or None
        None where the hand is too far from ready.
    played_out : PlayedOut or None
    discard : int or None
        After a draw the kind to discard; None where the draw wins.
    wins : int or None
        What the drawn tile wins.
    """

    tile: int
    rest: Rest
    live: tuple[int, ...]
    alone: Alone | None = None
    played_out: PlayedOut | None = None
    discard: int | None = None
    wins: int | None = None


@dataclass(frozen=True)
class Playouts:
    """How a position is played out.

    Attributes
    ----------
    number : int
        Of each discard.
    players : tuple of four Player
    seed : int
    """

    number: int
    players: tuple[Player, Player, Player, Player]
    seed: int


@dataclass(frozen=True)
class Advice:
    """What is known of a hand and of each thing that can be done with it.

    Attributes
    ----------
    rules : Ruleset
    position : Position
        The hand, of 14 − 3·melds tiles, or 13 − 3·melds where it waits for a draw.
    draws : int
        Own draws to come.
    shanten : int
        Of the hand as it is: −1 complete.
    wins : int or None
        What a complete hand wins at once by self-draw.
    choices : tuple of Choice
        The best first.
    playouts : Playouts or None
    waiting : Choice or None
        The hand as it is, where it waits for a draw.
    """

    rules: Ruleset
    position: Position
    draws: int
    shanten: int
    wins: int | None
    choices: tuple[Choice, ...]
    playouts: Playouts | None = None
    waiting: Choice | None = None

    @cached_property
    def unseen(self) -> list[int]:
        """How many tiles of each kind the player does not see."""
        return unseen_by(self.position)


def draws_to_come(rules: Ruleset, left: int, *, next_is_own: bool) -> int:
    """How many more tiles a player draws if nobody claims: every fourth of those drawn in normal order.

    >>> from mjsim.rules import load_rules
    >>> draws_to_come(load_rules("liuzhou"), 75, next_is_own=False)
    18
    >>> draws_to_come(load_rules("nanning_folk"), 83, next_is_own=True)
    20
    """
    return max(0, left - rules.deal_end.tiles_left + 3 * next_is_own) // 4


def advise(
    rules: Ruleset,
    position: Position,
    playouts: Playouts | None = None,
    progress: Callable[[int], None] | None = None,
) -> Advice:
    """Work out what each discard, or each draw of a hand that waits for one, leads to.

    Parameters
    ----------
    rules : Ruleset
    position : Position
        A hand of 14 − 3·melds tiles, or of 13 − 3·melds before its draw.
    playouts : Playouts, optional
        Play each discard out as well; not for a hand that waits for a draw.
    progress : callable, optional
        Called with the number of playouts of each discard done.

    Returns
    -------
    Advice

    Examples
    --------
    >>> from mjsim.rules import load_rules
    >>> from mjsim.tiles import counts_of, name, parse
    >>> hand = tuple(counts_of(parse("123456m234p99s78s3z")))
    >>> found = advise(load_rules("liuzhou"), Position(hand, (), (0,) * 34, 75, fresh=True))
    >>> best = found.choices[0]
    >>> name(best.tile), [name(kind) for kind in best.rest.effective], round(best.alone.chance, 3)
    ('3z', ['6s', '9s'], 0.706)
    """
    waits = sum(position.counts) % 3 == 1
    draws = draws_to_come(rules, position.left, next_is_own=waits)
    solo = Solo(rules, given_by(position.melds), unseen_by(position))
    if waits:
        return _before_draw(rules, position, draws, solo)
    wins = solo.complete(position.counts)
    choices = sorted((_choice(solo, tile, after, draws) for tile, after in _discards(position.counts)), key=_goodness)
    if playouts is not None:
        tiles = [choice.tile for choice in choices]
        played = play_out(rules, playouts.players, position, tiles, playouts.number, playouts.seed, progress)
        choices = [
            Choice(each.tile, each.rest, each.live, each.alone, found)
            for each, found in zip(choices, judged(played), strict=True)
        ]
    shanten = -1 if wins is not None else min(each.rest.shanten for each in choices)
    return Advice(rules, position, draws, shanten, wins, tuple(sorted(choices, key=_goodness)), playouts)


def is_far(rules: Ruleset, position: Position) -> bool:
    """Whether no discard leaves a hand that can be worked out exactly."""
    solo = Solo(rules, given_by(position.melds), unseen_by(position))
    return all(solo.rest(after).shanten > MOST_SHANTEN for _, after in _discards(position.counts))


def _discards(counts: Hand) -> list[tuple[int, Hand]]:
    """Each kind that can be discarded, with the hand at rest after it."""
    return [
        (tile, tuple(held - (kind == tile) for kind, held in enumerate(counts)))
        for tile, number in enumerate(counts)
        if number
    ]


def _choice(solo: Solo, tile: int, after: Hand, draws: int) -> Choice:
    rest = solo.rest(after)
    return Choice(tile, rest, tuple(solo.unseen[kind] for kind in rest.effective), _alone(solo, after, draws))


def _alone(solo: Solo, hand: Hand, draws: int) -> Alone | None:
    if solo.rest(hand).shanten > MOST_SHANTEN:
        return None
    draws = min(draws, solo.total)
    return Alone(float(solo.value(hand, draws, "chance")), float(solo.value(hand, draws, "points")))


def _before_draw(rules: Ruleset, position: Position, draws: int, solo: Solo) -> Advice:
    """The hand as it waits, and what each effective tile brings."""
    hand = position.counts
    waiting = _choice(solo, -1, hand, draws)
    choices = [_drawn(rules, position, solo, kind, draws) for kind in waiting.rest.effective if solo.unseen[kind]]
    ordered = tuple(sorted(choices, key=_goodness))
    return Advice(rules, position, draws, waiting.rest.shanten, None, ordered, waiting=waiting)


def _drawn(rules: Ruleset, position: Position, solo: Solo, kind: int, draws: int) -> Choice:
    """What drawing a kind brings: the win, or the best discard after it."""
    rest = solo.rest(position.counts)
    if kind in rest.wins:
        return Choice(kind, rest, (), wins=rest.wins[kind])
    fewer = Solo(rules, given_by(position.melds), [number - (each == kind) for each, number in enumerate(solo.unseen)])
    counts = tuple(held + (each == kind) for each, held in enumerate(position.counts))
    choices = [_choice(fewer, tile, after, max(0, draws - 1)) for tile, after in _discards(counts)]
    best = min(choices, key=_goodness)
    return Choice(kind, best.rest, best.live, best.alone, discard=best.tile)


def _goodness(choice: Choice) -> tuple[float, ...]:
    """Sorts the best choice first: by playouts, else by points alone, else by shanten and live tiles."""
    played, alone, live = choice.played_out, choice.alone, -float(sum(choice.live))
    played_out = (-played.net.estimate, float(played.behind is not None)) if played else (0.0, 0.0)
    worth = (0.0, -alone.points, -alone.chance) if alone else (1.0, 0.0, 0.0)
    return *played_out, -float(choice.wins or 0), *worth, float(choice.rest.shanten), live, float(choice.tile)


def judged(played: Played) -> list[PlayedOut]:
    """What playouts say of each discard, in the order in which they were played."""
    number, discards = played.net.shape
    totals = played.net.sum(axis=0)
    best = int(totals.argmax())
    pairs = list(combinations(range(discards), 2))
    p_values = (
        holm([_p_value(played.net[:, one] - played.net[:, other]) for one, other in pairs]).tolist() if pairs else []
    )
    adjusted = dict(zip(pairs, p_values, strict=True))
    found = []
    for column in range(discards):
        pair = (min(column, best), max(column, best))
        found.append(
            PlayedOut(
                share(int(played.won[:, column].sum()), number),
                _mean(played.net[:, column]),
                None if column == best else _mean(played.net[:, column] - played.net[:, best], "paired"),
                1.0 if column == best else adjusted[pair],
            )
        )
    return found


def _sums(values: npt.NDArray[np.int64]) -> Sums:
    return Sums(len(values), int(values.sum()), int((values * values).sum()))


def _mean(values: npt.NDArray[np.int64], method: str = "normal") -> Interval:
    sums = _sums(values)
    found = mean_interval(sums.n, sums.x, sums.xx)
    assert found is not None  # there is at least one playout
    return Interval(found.estimate, found.low, found.high, method, few=found.few)


def _p_value(differences: npt.NDArray[np.int64]) -> float:
    """Of no difference, from paired playouts; 1 where a single one cannot tell."""
    sums = _sums(differences)
    spread = sums.spread()
    if spread is None or sums.x == 0:
        return 1.0
    if spread == 0:
        return 0.0
    return float(2 * ndtr(-abs(sums.x / sums.n) / (spread / sqrt(sums.n))))
