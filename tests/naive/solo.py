"""One player alone with the unseen tiles, by plain recursion from the definition.

What the player may still draw is a *belief*: every multiset of tiles that can be left unseen, with its probability. A
tile that he throws away is not remembered: all beliefs that differ only by such tiles go on together, and what he does
next must be the same in all of them.
"""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Literal

from . import hands, score
from .tiles import KINDS, kinds_of, text

Hand = tuple[int, ...]
Unseen = tuple[int, ...]
Belief = dict[Unseen, Fraction]
Aim = Literal["points", "chance"]


class Player:
    """One player with his rules, his melds and what he sees when he begins."""

    def __init__(self, rules: str, melds: list[str], unseen: Unseen, aim: Aim, options: dict[str, Any]) -> None:
        self.rules = rules
        self.melds = melds
        self.unseen = unseen
        self.aim = aim
        self.options = options
        self.bests: dict[tuple[Hand, Unseen, int], Fraction] = {}
        self.known: dict[tuple[Hand, int], int | None] = {}

    def value(self, hand: Hand, draws: int) -> Fraction:
        """Return what a hand at rest, ready or one from it, is worth with so many draws."""
        return self.alone(hand, {self.unseen: Fraction(1)}, draws, may_better=self.shanten(hand) == 0)

    def alone(self, hand: Hand, belief: Belief, draws: int, *, may_better: bool) -> Fraction:
        """Return what a hand is worth, times the probability of the belief."""
        if draws == 0 or not belief:
            return Fraction(0)
        keeps = {kind for kind in range(KINDS) if self.unseen[kind] and self.is_kept(hand, kind, may_better=may_better)}
        total = Fraction(0)
        thrown: Belief = defaultdict(Fraction)
        kept: dict[int, Belief] = defaultdict(lambda: defaultdict(Fraction))
        for unseen, weight in belief.items():
            for kind in range(KINDS):
                if unseen[kind] == 0:
                    continue
                probability = weight * unseen[kind] / sum(unseen)
                after = tuple(number - (each == kind) for each, number in enumerate(unseen))
                worth = self.worth(hand, kind)
                if worth is not None:
                    total += probability * worth
                elif kind in keeps:
                    kept[kind][after] += probability
                else:
                    thrown[after] += probability
        total += self.alone(hand, thrown, draws - 1, may_better=may_better)
        for kind, follows in kept.items():
            total += max(self.alone(rest, follows, draws - 1, may_better=False) for rest in self.ready(hand, kind))
        return total

    def best(self, hand: Hand, unseen: Unseen, draws: int) -> Fraction:
        """Return what a hand is worth to a player who takes every win, else does what he likes, and remembers."""
        if draws == 0:
            return Fraction(0)
        if (hand, unseen, draws) not in self.bests:
            total = Fraction(0)
            for kind in range(KINDS):
                if unseen[kind] == 0:
                    continue
                after = tuple(number - (each == kind) for each, number in enumerate(unseen))
                worth: Fraction | int | None = self.worth(hand, kind)
                if worth is None:
                    worth = max(self.best(rest, after, draws - 1) for rest in swaps(hand, kind))
                total += worth * Fraction(unseen[kind], sum(unseen))
            self.bests[hand, unseen, draws] = total
        return self.bests[hand, unseen, draws]

    def is_kept(self, hand: Hand, kind: int, *, may_better: bool) -> bool:
        """Tell whether a drawn tile that does not win is kept."""
        if self.shanten(hand) == 1:
            return kind in hands.effective_tiles(hand, len(self.melds)) and bool(self.ready(hand, kind))
        if not may_better or self.worth(hand, kind) is not None:
            return False
        return any(self.weight(rest, kind) > self.weight(hand, kind) for rest in self.ready(hand, kind))

    def weight(self, hand: Hand, gone: int) -> int:
        """Return what the live winning tiles are worth together, one tile having been drawn."""
        worths = ((kind, self.worth(hand, kind)) for kind in range(KINDS) if self.unseen[kind])
        return sum((self.unseen[kind] - (kind == gone)) * worth for kind, worth in worths if worth is not None)

    def ready(self, hand: Hand, drawn: int) -> list[Hand]:
        """Return the ready hands that a drawn tile can lead to."""
        return [rest for rest in swaps(hand, drawn) if self.shanten(rest) == 0]

    def shanten(self, hand: Hand) -> int:
        """Return the shanten of a hand at rest."""
        return hands.shanten(hand, len(self.melds))

    def worth(self, hand: Hand, kind: int) -> int | None:
        """Return what a self-draw of a kind is worth; None if it does not win."""
        if (hand, kind) not in self.known:
            self.known[hand, kind] = self.find_worth(hand, kind)
        found = self.known[hand, kind]
        return 1 if found is not None and self.aim == "chance" else found

    def find_worth(self, hand: Hand, kind: int) -> int | None:
        """Return the points that a self-draw wins, by the score twin."""
        if hand[kind] == 4 or not hands.is_complete(hands.with_change(hand, kind, 1), len(self.melds)):
            return None
        answer = score.score(
            {
                "id": "alone",
                "rules": self.rules,
                "dealer": 0,
                "how": "self_draw",
                "winners": [0],
                "tile": text([kind]),
                "hands": [text(kinds_of(hand)), "", "", ""],
                "melds": [self.melds, [], [], []],
            },
            self.options,
        )
        points: int = answer["hand"][0]
        return points


def swaps(hand: Hand, drawn: int) -> Iterator[Hand]:
    """Yield every hand at rest after drawing a kind and throwing any."""
    full = hands.with_change(hand, drawn, 1)
    for kind in range(KINDS):
        if full[kind]:
            yield tuple(hands.with_change(full, kind, -1))
