"""What the player `value` counts with, in plain Python: chances, distances, and what the rules pay.

Written from ``docs/players.md``; only the numbers are read from where the page says they are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import SimpleNamespace

from .hands import Pattern, suit_vector
from .sight import Rules
from .tiles import COPIES, kinds_in

SURE = 1 << 20  # chances are worked out in these
TENTHOUSAND = 10_000
KNOTS = (0, 8, 16, 32, 64, 128, 256)
DISTANCES = range(1, 8)
DRAWS = range(22)
ROUTES = ("concealed", "open", "pungs", "flush", "pairs")
SELF_DRAW, ON_DISCARD = 0, 1

Counts = Sequence[int]


def numbers_in(name: str) -> SimpleNamespace:
    """The numbers that a file of the package assigns, read as data."""
    file = Path(__file__).parents[2] / "mjsim" / "players" / "value" / name
    found = {}
    for line in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.value is not None:
            found[line.target.id] = ast.literal_eval(line.value)
    return SimpleNamespace(**found)


constants = numbers_in("constants.py")
weights = numbers_in("weights.py")


# ---- chances -----------------------------------------------------------------------------------------------------

Row = tuple[int, ...]  # a chance at every knot


@cache
def chances(family: str, route: str, mode: int) -> dict[tuple[int, int], Row]:
    """The chance of a win in one mode by distance and draws, at every knot."""
    ended = [rate * SURE // TENTHOUSAND for rate in constants.RATES[family]["rounds"]["ended"]]
    rates = constants.RATES[family][route]
    share, claims = rates["share"], rates["claims"]
    better = weights.BETTER[ROUTES.index(route)]
    found: dict[tuple[int, int], Row] = {}
    for distance in DISTANCES:
        nearer = 256 * share[distance - 1]
        for draws in DRAWS:
            row = []
            for knot in KNOTS:
                claimed = min(knot * claims[distance] * SURE // (256 * TENTHOUSAND), SURE * 9 // 10)
                drawn = knot * SURE // 256
                behind = max(share[distance] - knot * TENTHOUSAND // 256, 0)
                later = knot * TENTHOUSAND + behind * 256 * better // TENTHOUSAND
                if distance == 1:
                    by_claim, by_draw = SURE * mode, SURE * (1 - mode)
                else:
                    by_claim = between(found[distance - 1, draws], nearer)
                    by_draw = between(found[distance - 1, draws - 1], nearer) if draws else 0
                waiting = 0
                if draws:
                    again = between(found[distance, draws - 1], later)
                    waiting = (drawn * by_draw >> 20) + ((SURE - drawn) * again >> 20)
                chance = (claimed * by_claim >> 20) + ((SURE - claimed) * waiting >> 20)
                row.append((SURE - ended[draws]) * chance >> 20)
            found[distance, draws] = tuple(row)
    return {place: tuple(chance >> 5 for chance in row) for place, row in found.items()}


def between(row: Row, place: int) -> int:
    """The chance at a place counted in ten-thousandths of a knot's unit, on the line between two knots."""
    pairs = list(zip(KNOTS, KNOTS[1:], row, row[1:], strict=False))
    low, high, at_low, at_high = next((pair for pair in pairs if place < TENTHOUSAND * pair[1]), pairs[-1])
    start, end = TENTHOUSAND * low, TENTHOUSAND * high
    return at_low + (at_high - at_low) * (min(place, end) - start) // (end - start)


def chance_at(row: Row, share: int) -> int:
    """The chance at a share of 256."""
    pairs = list(zip(KNOTS, KNOTS[1:], row, row[1:], strict=False))
    low, high, at_low, at_high = next((pair for pair in pairs if share < pair[1]), pairs[-1])
    return at_low + ((at_high - at_low) * (share - low) >> (high - low).bit_length() - 1)


# ---- distances ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1_000_000)
def in_two_suits(first: Pattern, second: Pattern, honours: bool) -> tuple[int, ...]:
    """What two suits lack together for 0 … 4 sets without a pair, then with one; the second may be the honours."""
    one, other = suit_vector(first, True), suit_vector(second, not honours)
    without = [min(one[sets - there] + other[there] for there in range(sets + 1)) for sets in range(5)]
    return (*without, *(with_a_pair(one, other, sets) for sets in range(5)))


def with_a_pair(one: Sequence[int], other: Sequence[int], sets: int) -> int:
    """What two parts of a hand lack together for so many sets and a pair, in either part."""
    least = one[sets] + other[5]
    for there in range(sets + 1):
        least = min(least, one[sets - there] + other[there + 5], one[sets - there + 5] + other[there])
    return least


def ordinary_distance(hand: Counts, sets: int) -> int:
    """How many tiles are missing to so many sets and a pair."""
    characters_and_dots = in_two_suits(tuple(hand[:9]), tuple(hand[9:18]), False)
    return with_a_pair(characters_and_dots, in_two_suits(tuple(hand[18:27]), tuple(hand[27:]), True), sets)


def flush_distance(hand: Counts, sets: int, suit: str) -> int:
    """How many tiles are missing to so many sets and a pair, all in one suit."""
    return suit_vector(tuple(hand[kind] for kind in kinds_in(suit)), True)[sets + 5]


def pungs_distance(hand: Counts, sets: int) -> tuple[int, bool]:
    """How many tiles are missing to so many pungs and a pair, and whether kinds held once are of use."""
    threes = sum(held >= 3 for held in hand)
    twos = sum(held == 2 for held in hand)
    made = min(threes, sets)
    wanted, pairs = sets - made, twos + threes - made
    return (wanted, False) if pairs > wanted else (2 * wanted + 1 - pairs, True)


def pairs_distance(hand: Counts) -> int:
    """How many tiles are missing to seven pairs."""
    return 7 - sum(held // 2 for held in hand)


def bringing(hand: Counts, distance_of: Callable[[Counts], int], kinds: Sequence[int]) -> Iterator[int]:
    """Those of some kinds that would lower a distance."""
    now = distance_of(hand)
    for kind in kinds:
        if hand[kind] < COPIES and distance_of(changed(hand, kind, 1)) < now:
            yield kind


def changed(hand: Counts, kind: int, change: int) -> list[int]:
    """The hand after some tiles of a kind have come or, if negative, gone."""
    after = list(hand)
    after[kind] += change
    return after


# ---- rules and prices --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Prices:
    """What the rules pay, as `value` sees it."""

    rules: Rules

    @property
    def family(self) -> str:
        """Which table of rates."""
        chow = "chow" if self.rules.claims.chow else "no_chow"
        return f"{chow}_discard" if self.price(ON_DISCARD, 0, False) else chow

    def price(self, mode: int, units: int, concealed: bool) -> int:
        """One payer's share of a plain win; 0 where there is no such win."""
        value = self.rules.value
        if units == 0 and mode == ON_DISCARD:
            return value.ordinary_discard or 0
        prices = value.discard if mode == ON_DISCARD else value.self_draw
        name = ("special" if units else "ordinary") + ("_concealed" if concealed else "")
        return int((getattr(prices, name) or 0) * value.step ** max(units - 1, 0))

    def by_kind(self, if_ordinary: int, if_special: int) -> int:
        """A factor times an ordinary hand's price on a discard, or another one times a special hand's."""
        ordinary = self.price(ON_DISCARD, 0, False)
        return if_ordinary * ordinary if ordinary else if_special * self.price(ON_DISCARD, 1, False)

    @property
    def loss(self) -> int:
        """What another seat's win costs, in 256ths."""
        return self.by_kind(constants.LOSS_ORDINARY, constants.LOSS_SPECIAL)

    def units(self, names: Sequence[str], mode: int) -> int:
        """Units of some hand types."""
        return sum(getattr(getattr(self.rules.units, name), ("self_draw", "discard")[mode]) for name in names)

    def pays(self, names: Sequence[str], concealed: bool) -> tuple[int, int]:
        """What a win with these types pays by self-draw and on a discard, in 256ths."""
        drawn = self.price(SELF_DRAW, self.units(names, SELF_DRAW), concealed)
        given = self.price(ON_DISCARD, self.units(names, ON_DISCARD), concealed)
        return 256 * 3 * drawn + self.loss, 256 * given + self.loss if given else 0
