"""One player alone with the unseen tiles: how likely he completes his hand, and what his self-draws are worth.

He draws without replacement from everything he does not see, so many times as the wall gives him; nobody claims, nobody
else wins. He goes straight for the win: a drawn tile that brings the hand closer is kept, and so is, once, one that
betters the wait of a ready hand; any other is thrown away unremembered. What he throws for a tile that he keeps is
chosen for the most points (or the highest chance). Everything is counted in whole numbers; ``docs/hand.md`` derives it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm, perm
from typing import Any, Final, Literal

import numpy as np
from numba import types

from mjsim import jit
from mjsim.bits import ZERO, bit, lowest
from mjsim.errors import TilesError
from mjsim.hands.evaluate import counts_type
from mjsim.hands.hand import load
from mjsim.hands.melds import Meld
from mjsim.hands.shanten import effective_set
from mjsim.hands.tables import TABLES, tables
from mjsim.hands.types import put_melds
from mjsim.rules.model import Ruleset
from mjsim.rules.packed import NO_PRICE, RULES, pack
from mjsim.settle import SETTLEMENT, settle
from mjsim.state import DEAL, NO_MOMENT, NONE, SEATS, SELF_DRAW, Int, Record, new_record
from mjsim.tiles import COPIES, KINDS

Hand = tuple[int, ...]
Aim = Literal["points", "chance"]

#: A hand farther from ready than this is not worked out.
MOST_SHANTEN: Final = 1

# Every number of live tiles divides it, so that sums over them stay whole numbers.
_WHOLE: Final = lcm(*range(1, KINDS * COPIES + 1))


@dataclass(frozen=True)
class Rest:
    """A hand at rest, 13 − 3·melds tiles.

    Attributes
    ----------
    shanten : int
        0 ready, 1 one tile from ready, and so on.
    effective : tuple of int
        The kinds whose arrival lowers the shanten.
    wins : dict of int to int
        Of a ready hand, what a self-draw of each kind wins from the three others together; none that is not priced.
    """

    shanten: int
    effective: tuple[int, ...]
    wins: dict[int, int]


class Solo:
    """One player alone: his rules, his melds and the tiles he does not see.

    Parameters
    ----------
    rules : Ruleset
    melds : sequence of Meld
        His melds; who gave a tile matters where three of one giver make him liable.
    unseen : sequence of int, shape (34,)
        How many tiles of each kind are neither in his hand and melds nor in view.

    Examples
    --------
    A hand that waits for six tiles, with one draw among 123 unseen ones:

    >>> from mjsim.rules import load_rules
    >>> from mjsim.tiles import counts_of, parse
    >>> held = counts_of(parse("123456m234p99s78s"))
    >>> solo = Solo(load_rules("liuzhou"), [], [4 - own for own in held])
    >>> solo.value(tuple(held), 1, "chance")
    Fraction(2, 41)
    >>> solo.value(tuple(held), 1, "points")  # a concealed ordinary hand: 2 from each
    Fraction(12, 41)
    """

    def __init__(self, rules: Ruleset, melds: Sequence[Meld], unseen: Sequence[int]) -> None:
        self.unseen = tuple(int(number) for number in unseen)
        self.total = sum(self.unseen)
        self._deal = new_record(DEAL)
        put_melds(self._deal.seats[0], melds)
        self._melds = len(melds)
        self._rules = pack(rules)
        self._rests: dict[Hand, Rest] = {}

    def rest(self, hand: Hand) -> Rest:
        """What a hand at rest is waiting for."""
        self._look_up([hand])
        return self._rests[hand]

    def complete(self, hand: Hand) -> int | None:
        """What a hand of 14 − 3·melds tiles wins by self-draw; None if it is not complete, or has no price."""
        held = [kind for kind in range(KINDS) if hand[kind]]
        before = {kind: tuple(number - (each == kind) for each, number in enumerate(hand)) for kind in held}
        self._look_up(before.values())
        found = [self._rests[rest].wins.get(kind) for kind, rest in before.items()]
        return next((worth for worth in found if worth is not None), None)

    def live(self, kinds: Iterable[int]) -> int:
        """How many tiles of some kinds are unseen."""
        return sum(self.unseen[kind] for kind in kinds)

    def value(self, hand: Hand, draws: int, aim: Aim) -> Fraction:
        """What a hand at rest is worth with so many own draws to come.

        Parameters
        ----------
        hand : tuple of int, shape (34,)
            Concealed tiles at rest, of shanten at most `MOST_SHANTEN`.
        draws : int
            Own draws, at most as many as there are unseen tiles.
        aim : {"points", "chance"}
            What discards are chosen for, and what is returned: points from the three others, or the chance to win.

        Returns
        -------
        Fraction
            Exact.

        Raises
        ------
        TilesError
            If the hand is complete or too far from ready, or there are fewer unseen tiles than draws.
        """
        if not 0 <= draws <= self.total:
            raise TilesError(f"{draws} draws from {self.total} unseen tiles")
        rest = self.rest(hand)
        if not 0 <= rest.shanten <= MOST_SHANTEN:
            raise TilesError(f"a hand of shanten {rest.shanten}: only 0 to {MOST_SHANTEN} can be worked out")
        wins = self._wins(rest, aim)
        changes = self._changes(hand, rest, aim)
        kept = {kind for kind in (*wins, *changes) if self.unseen[kind]}
        value = self._first_wins(wins, kept, draws)
        for thrown in range(draws - 1):
            value += self._after(changes, kept, thrown, draws, aim)
        return value

    def _wins(self, rest: Rest, aim: Aim) -> dict[int, int]:
        """What each winning kind is worth to the aim."""
        return rest.wins if aim == "points" else dict.fromkeys(rest.wins, 1)

    def _changes(self, hand: Hand, rest: Rest, aim: Aim) -> dict[int, list[Rest]]:
        """The kinds that are kept without winning, with the ready hands that each can lead to."""
        kinds = [kind for kind in range(KINDS) if self.unseen[kind] and kind not in rest.wins]
        if rest.shanten > 0:
            kinds = [kind for kind in kinds if kind in rest.effective]
        following = {kind: list(swaps(hand, kind)) for kind in kinds}
        self._look_up(after for swapped in following.values() for after in swapped)
        changes = {}
        for kind, swapped in following.items():
            ready = [self._rests[after] for after in swapped if self._rests[after].shanten == 0]
            if rest.shanten > 0 or any(self._weight(each, kind, aim) > self._weight(rest, kind, aim) for each in ready):
                changes[kind] = ready
        return changes

    def _weight(self, rest: Rest, gone: int, aim: Aim) -> int:
        """Live winning tiles, each times what it wins, after one tile of a kind has been drawn."""
        return sum((self.unseen[kind] - (kind == gone)) * worth for kind, worth in self._wins(rest, aim).items())

    def _first_wins(self, wins: dict[int, int], kept: set[int], draws: int) -> Fraction:
        """Worth of winning with the first tile that is not thrown away: any of the kept ones comes first as likely."""
        live = self.live(kept)
        if live == 0:
            return Fraction(0)
        worth = sum(self.unseen[kind] * each for kind, each in wins.items())
        missed = Fraction(perm(self.total - live, draws), perm(self.total, draws))
        return Fraction(worth, live) * (1 - missed)

    def _after(self, changes: dict[int, list[Rest]], kept: set[int], thrown: int, draws: int, aim: Aim) -> Fraction:
        """Worth of throwing so many tiles, then keeping one without winning, then waiting for the win.

        The thrown tiles are any of those that are not of the kept kinds, all choices as likely.
        """
        others = self.total - self.live(kept)
        if thrown > others:
            return Fraction(0)
        pool = self.total - thrown - 1
        left = draws - thrown - 1
        worth = 0
        for kind, ready in changes.items():
            options = {self._classes(rest, kind, kept, aim) for rest in ready}
            worth += self.unseen[kind] * max(_worth(each, others, thrown, pool, left) for each in options)
        return Fraction(
            perm(others, thrown) * worth,
            perm(self.total, thrown + 1) * comb(others, thrown) * perm(pool, left) * _WHOLE**2,
        )

    def _classes(self, rest: Rest, gone: int, kept: set[int], aim: Aim) -> tuple[int, int, int, int]:
        """Winning tiles of the kept kinds and of the others: how many, and the sum of what they win."""
        inside, outside, worth_inside, worth_outside = 0, 0, 0, 0
        for kind, worth in self._wins(rest, aim).items():
            live = self.unseen[kind] - (kind == gone)
            if kind in kept:
                inside += live
                worth_inside += live * worth
            else:
                outside += live
                worth_outside += live * worth
        return inside, outside, worth_inside, worth_outside

    def _look_up(self, hands: Iterable[Hand]) -> None:
        """Learn of hands at rest what they wait for, all at once."""
        new = [hand for hand in dict.fromkeys(hands) if hand not in self._rests]
        if not new:
            return
        counts = np.array(new, np.uint8)
        distances = np.empty(len(new), np.int64)
        points = np.empty((len(new), KINDS), np.int64)
        _look_up(self._deal, self._rules, tables(), new_record(SETTLEMENT), counts, self._melds, distances, points)
        for hand, distance, row in zip(new, distances.tolist(), points.tolist(), strict=True):
            effective = tuple(kind for kind in range(KINDS) if row[kind] != _USELESS)
            wins = {kind: row[kind] for kind in effective if row[kind] >= 0} if distance == 1 else {}
            self._rests[hand] = Rest(distance - 1, effective, wins)


def swaps(hand: Hand, drawn: int) -> Iterator[Hand]:
    """The hands at rest after drawing a kind and discarding any, the drawn one too.

    >>> from mjsim.tiles import counts_of, kinds_of, parse, text
    >>> [text(kinds_of(each)) for each in swaps(tuple(counts_of(parse("1m2p"))), 33)]
    ['2p7z', '1m7z', '1m2p']
    """
    counts = list(hand)
    counts[drawn] += 1
    for kind in range(KINDS):
        if counts[kind]:
            counts[kind] -= 1
            yield tuple(counts)
            counts[kind] += 1


def _worth(classes: tuple[int, int, int, int], others: int, thrown: int, pool: int, left: int) -> int:
    """Worth of a wait, as a whole number over comb(others, thrown) · perm(pool, left) · `_WHOLE`².

    So many of the other tiles have been thrown, some of them perhaps winning ones; of those that are left, any comes
    first as likely as any.
    """
    inside, outside, worth_inside, worth_outside = classes
    every = perm(pool, left)
    worth = 0
    for gone in range(max(0, thrown - (others - outside)), min(outside, thrown) + 1):
        live = inside + outside - gone
        if live == 0:
            continue
        ways = comb(outside, gone) * comb(others - outside, thrown - gone)
        wins = _WHOLE * worth_inside
        if outside:
            wins += _WHOLE // outside * (outside - gone) * worth_outside
        worth += ways * (every - perm(pool - live, left)) * (_WHOLE // live) * wins
    return worth


# What a kind is to a hand at rest that is not ready, or that it does not complete at a price.
_USELESS: Final = -3
_CLOSER: Final = -2


@jit.entry_on_call(
    types.void(
        jit.record_type(DEAL),
        jit.record_type(RULES),
        jit.record_type(TABLES),
        jit.record_type(SETTLEMENT),
        counts_type,
        types.int64,
        types.int64[::1],
        types.int64[:, ::1],
    )
)
def _look_up(
    deal: Record, rules: Record, tables: Record, result: Record, hands: Any, melds: Int, distances: Any, points: Any
) -> None:
    """Write how far each hand is from complete, and for each kind what it is to the hand."""
    own = deal.seats[0]
    tally = deal.tally
    tally.outcome = SELF_DRAW
    tally.winners = 1
    tally.giver = NONE
    tally.moment = NO_MOMENT
    for seat in range(1, SEATS):
        deal.seats[seat].meld_count = 0
        deal.seats[seat].exposed_count = 0
    for row in range(hands.shape[0]):
        load(own, tables, hands[row], melds)
        distance, kinds = effective_set(tables, own)
        distances[row] = distance
        for kind in range(KINDS):
            points[row, kind] = _USELESS
        while kinds != ZERO:
            kind = lowest(kinds)
            kinds = kinds ^ bit(kind)
            points[row, kind] = _CLOSER
            if distance == 1:
                tally.tile = kind
                settle(deal, rules, tables, result)
                points[row, kind] = result.hand[0] if result.points[0] != NO_PRICE else _CLOSER
