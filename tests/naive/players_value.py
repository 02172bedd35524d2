"""The player `value` in plain Python, from what its seat sees; written from ``docs/players.md``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from .actions import (
    ABOVE_LOWEST,
    DISCARD,
    KONG,
    KONG_ADDED,
    KONG_CONCEALED,
    PASS,
    PUNG,
    WIN,
    action,
    kind_of,
    tile_of,
)
from .sight import Laid, Rules, Sight
from .tiles import COPIES, KINDS, is_honour, kinds_in, rank_of, suit_of
from .value_numbers import (
    DISTANCES,
    ON_DISCARD,
    SELF_DRAW,
    Counts,
    Prices,
    bringing,
    chance_at,
    chances,
    changed,
    constants,
    flush_distance,
    ordinary_distance,
    pairs_distance,
    pungs_distance,
    weights,
)

POINT = 1 << 15  # hands are weighed in these
FARTHEST_BEHIND = 3
FLUSH_TILES, FLUSH_TILES_TO_CLAIM = 7, 6
NUMBERED = "mps"


# ---- routes ------------------------------------------------------------------------------------------------------


class Worths(NamedTuple):
    """What the routes of a hand are worth."""

    ordinary: int
    pungs: int
    flush: int
    pairs: int

    @property
    def together(self) -> int:
        """What the hand is worth."""
        best = max(self.ordinary, self.pungs, self.pairs)
        beside = self.ordinary + self.pungs + self.pairs - best
        return max(best, self.flush) + int(beside * weights.BESIDE >> 8)


@dataclass(frozen=True)
class Weighing:
    """A hand and its melds, weighed by what the seat sees.

    Attributes
    ----------
    sight : Sight
        What the seat sees, for the live tiles and the draws left.
    rules : Rules
        What is played.
    hand : sequence of int
        The concealed tiles; not always those of the sight.
    melds : tuple of Laid
        Its melds.
    """

    sight: Sight
    rules: Rules
    hand: Counts
    melds: tuple[Laid, ...]

    @property
    def prices(self) -> Prices:
        return Prices(self.rules)

    @property
    def sets(self) -> int:
        """Sets still to be found."""
        return 4 - len(self.melds)

    @property
    def exposed(self) -> int:
        return sum(meld.kind != "kong-" for meld in self.melds)

    @property
    def has_chow(self) -> bool:
        return any(meld.kind == "chow" for meld in self.melds)

    @property
    def draws(self) -> int:
        return int(min(21, max(0, self.sight.left - self.rules.deal_end.tiles_left + 2) >> 2))

    @property
    def suits(self) -> set[str]:
        """Suits of the tiles and of the melds."""
        held = {suit_of(kind) for kind in range(KINDS) if self.hand[kind]}
        return held | {suit_of(meld.tiles[0]) for meld in self.melds}

    @property
    def pure(self) -> bool:
        return len(self.suits) == 1 and self.suits != {"z"}

    @property
    def always(self) -> list[str]:
        """Hand types that every route has."""
        return ["full_flush"] * self.pure + ["melded_hand"] * (self.exposed == 4)

    def live(self, kinds: Iterable[int]) -> int:
        """Live tiles of some kinds."""
        return sum(COPIES - self.sight.seen[kind] for kind in kinds)

    def worth(self, route: str, distance: int, tiles: int, names: Sequence[str], concealed: bool) -> int:
        """What a route is worth at a distance with so many live tiles."""
        if distance not in DISTANCES:
            return 0
        share = min(256, tiles * (2**24 // (136 - sum(self.sight.seen))) >> 16)
        found = [
            chance_at(chances(self.prices.family, route, mode)[distance, self.draws], share)
            for mode in (SELF_DRAW, ON_DISCARD)
        ]
        pays = self.prices.pays(names, concealed)
        return found[0] * pays[0] + found[1] * pays[1] >> 8

    # Each route: of the hand itself, or of some other tiles while the pay is that of the hand itself.

    def ordinary(self, hand: Counts) -> int:
        distance = ordinary_distance(hand, self.sets)
        effective = list(bringing(hand, partial(ordinary_distance, sets=self.sets), range(KINDS)))
        plain = with_claims = self.live(effective)
        if distance == 1:
            honours = self.live(kind for kind in effective if is_honour(kind))
            ends = self.live(kind for kind in effective if not is_honour(kind) and rank_of(kind) in (1, 9))
            plain = with_claims = plain + (honours * weights.HONOUR_WAIT + ends * weights.TERMINAL_WAIT >> 8)
        else:
            with_claims += self.live(kind for kind in effective if hand[kind] == 2) * weights.CLAIMABLE >> 8
        names = self.always
        if self.prices.units(names, ON_DISCARD):
            return self.worth("flush", distance, with_claims, names, self.exposed == 0 and distance == 1)
        worth = self.worth("open", distance, with_claims, names, False)
        if self.exposed == 0:
            worth = max(worth, self.worth("concealed", distance, plain, names, True))
        return worth

    def pungs(self, hand: Counts, concealed: bool) -> int:
        distance, singles = pungs_distance(hand, self.sets)
        tiles = self.live(kind for kind in range(KINDS) if hand[kind] == 2)
        if singles:
            tiles += self.live(kind for kind in range(KINDS) if hand[kind] == 1) // 3
        return self.worth("pungs", distance, tiles, [*self.always, "all_pungs"], concealed)

    def pairs(self, hand: Counts) -> int:
        names = [*self.always, "seven_pairs", *["quad"] * sum(held == 4 for held in self.hand)]
        tiles = self.live(kind for kind in range(KINDS) if hand[kind] in (1, 3))
        return self.worth("pairs", pairs_distance(hand), tiles, names, True)

    def flush(self) -> tuple[int, str]:
        """What the best flush is worth, and its suit."""
        best, best_suit = 0, ""
        if self.pure:
            return best, best_suit
        for suit in NUMBERED:
            if not all(suit_of(meld.tiles[0]) == suit for meld in self.melds):
                continue
            if sum(self.hand[kind] for kind in kinds_in(suit)) + 3 * len(self.melds) < FLUSH_TILES:
                continue
            distance = flush_distance(self.hand, self.sets, suit)
            effective = bringing(self.hand, partial(flush_distance, sets=self.sets, suit=suit), kinds_in(suit))
            concealed = self.exposed == 0 and distance <= 1
            worth = self.worth("flush", distance, self.live(effective), [*self.always, "full_flush"], concealed)
            if worth > best:
                best, best_suit = worth, suit
        return best, best_suit

    @property
    def pungs_count(self) -> bool:
        near = ordinary_distance(self.hand, self.sets) + FARTHEST_BEHIND
        return not self.has_chow and pungs_distance(self.hand, self.sets)[0] <= near

    @property
    def pungs_concealed(self) -> bool:
        return self.exposed == 0 and pungs_distance(self.hand, self.sets)[0] <= 1

    @property
    def pairs_count(self) -> bool:
        near = ordinary_distance(self.hand, self.sets) + FARTHEST_BEHIND
        return not self.melds and pairs_distance(self.hand) <= near

    def all_kept(self, ordinary: int) -> Worths:
        """What the routes are worth with all tiles kept, the ordinary one being given."""
        pungs = self.pungs(self.hand, self.pungs_concealed) if self.pungs_count else 0
        pairs = self.pairs(self.hand) if self.pairs_count else 0
        return Worths(ordinary, pungs, self.flush()[0], pairs)

    def at_rest(self) -> int:
        """What the hand is worth when it need not throw anything."""
        return self.all_kept(self.ordinary(self.hand)).together

    def throw(self, danger: Callable[[int], int]) -> tuple[int, int]:
        """The best tile to throw, and what it leaves."""
        nearest = max(1, ordinary_distance(self.hand, self.sets))
        kept = self.all_kept(0)
        flush_suit = self.flush()[1]
        near: list[int] = []
        far: list[int] = []
        for kind in range(KINDS):
            if self.hand[kind]:
                after = changed(self.hand, kind, -1)
                (near if ordinary_distance(after, self.sets) == nearest else far).append(kind)

        def left_by(kind: int) -> int:
            after = changed(self.hand, kind, -1)
            pungs = kept.pungs
            if pungs and self.hand[kind] > 1:
                pungs = self.pungs(after, self.pungs_concealed)
            worths = Worths(
                self.ordinary(after) if kind in near else 0,
                pungs,
                0 if suit_of(kind) == flush_suit else kept.flush,
                self.pairs(after) if kept.pairs else 0,
            )
            return worths.together - danger(kind)

        best, thrown = max((left_by(kind), kind) for kind in near)
        if kept.together > best:
            best, thrown = max([(best, thrown), *((left_by(kind), kind) for kind in far)])
        return thrown, best

    def laid(self, kind: str, tile: int, number: int) -> Weighing:
        """The hand after a kong of its own, for which so many tiles are laid down."""
        hand = changed(self.hand, tile, -number)
        meld = Laid(kind, (tile,) * 4, None)
        if kind == "kong+":
            melds = tuple(meld if (old.kind, old.tiles[0]) == ("pung", tile) else old for old in self.melds)
        else:
            melds = (*self.melds, meld)
        return replace(self, hand=hand, melds=melds)

    def claimed(self, number: int) -> Weighing:
        """The hand after a claim."""
        kind, tile, giver = kind_of(number), tile_of(number), self.sight.giver
        if kind in ABOVE_LOWEST:
            lowest = tile - ABOVE_LOWEST[kind]
            meld = Laid("chow", (lowest, lowest + 1, lowest + 2), giver)
        else:
            meld = Laid("pung", (tile,) * 3, giver) if kind == PUNG else Laid("kong", (tile,) * 4, giver)
        hand = list(self.hand)
        hand[tile] += 1
        for used in meld.tiles:
            hand[used] -= 1
        return replace(self, hand=hand, melds=(*self.melds, meld))


# ---- danger ------------------------------------------------------------------------------------------------------


def danger(weighing: Weighing, kind: int) -> int:
    """What the discard of a kind is likely to cost."""
    sight, prices = weighing.sight, weighing.prices
    suit, seen = suit_of(kind), sight.seen[kind]
    row = 3 if is_honour(kind) else {1: 2, 2: 1, 8: 1, 9: 2}.get(rank_of(kind), 0)
    others = [seat for seat in range(4) if seat != sight.seat]
    ready = 0
    for seat in others:
        exposed = [meld for meld in sight.melds[seat] if meld.kind != "kong-"]
        chance = constants.READY[prices.family][len(exposed)]
        suits = {suit_of(meld.tiles[0]) for meld in exposed}
        if len(exposed) >= 2 and len(suits) == 1 and suits != {"z"}:
            chance = chance * (weights.OWN_SUIT if suits == {suit} else weights.OTHER_SUIT) >> 8
        ready += chance
    ended = constants.RATES[prices.family]["rounds"]["ended"][weighing.draws]
    caution = prices.by_kind(weights.CAUTION_ORDINARY, weights.CAUTION_SPECIAL)
    cost = ((ended * caution >> 8) * ready >> 8) * weights.WANTED[row][seen] >> 8
    for back, part in enumerate((0, 1, 2), start=1):
        latest = sight.discards[-back:]
        if len(latest) == back and latest[0][0] == kind and all(seat != sight.seat for _, seat in latest):
            cost = cost * part // 3
            break
    return int(cost) + binding(weighing, row, seen)


def binding(weighing: Weighing, row: int, seen: int) -> int:
    """What it is likely to cost that a discard may bind this seat to another one."""
    sight, rules, prices = weighing.sight, weighing.rules, weighing.prices
    liability = rules.liability
    cost = 0
    for seat in range(4):
        bound = sum(
            meld.giver == sight.seat and (liability.chow_counts or meld.kind != "chow") for meld in sight.melds[seat]
        )
        if seat != sight.seat and liability.enabled and bound == liability.melds - 1:
            price = prices.price(SELF_DRAW, 0, False)
            cost += weights.BINDING_COST * POINT * price * (1 if liability.giver_may_win else 3)
    return int(cost * constants.CLAIMED[prices.family][row][seen] >> 8)


# ---- decisions ---------------------------------------------------------------------------------------------------


def play_value(sight: Sight, legal: list[int], rules: Rules) -> int:
    """What `value` does, fish aside."""
    weighing = Weighing(sight, rules, sight.hand, sight.melds[sight.seat])
    return turn(weighing, legal) if sight.phase == "turn" else reaction(weighing, legal)


def turn(weighing: Weighing, legal: list[int]) -> int:
    """Win, or the best of kongs and discards."""
    kinds = {kind_of(number) for number in legal}
    if WIN in kinds:
        return next(number for number in legal if kind_of(number) == WIN)
    if kinds == {PASS}:
        return action(PASS)
    tile, best = weighing.throw(lambda kind: danger(weighing, kind))
    chosen = action(DISCARD, tile)
    for number in legal:
        tile = tile_of(number)
        if kind_of(number) == KONG_ADDED:
            worth = weighing.laid("kong+", tile, 1).at_rest() + POINT * weighing.rules.kongs.exposed
        elif kind_of(number) == KONG_CONCEALED:
            worth = weighing.laid("kong-", tile, 4).at_rest() + POINT * 3 * weighing.rules.kongs.concealed
        else:
            continue
        if worth > best:
            best, chosen = worth, number
    return chosen


def reaction(weighing: Weighing, legal: list[int]) -> int:
    """Win or pass a win, or the best of claims and passing."""
    wins = [number for number in legal if kind_of(number) == WIN]
    if wins:
        return wins[0] if takes_the_win(weighing, tile_of(wins[0])) else action(PASS)
    helpful = [number for number in legal if helps(weighing, number)]
    if not helpful:
        return action(PASS)
    best, chosen = weighing.at_rest() * weights.CLAIM_MARGIN >> 8, action(PASS)
    for number in sorted(helpful, key=lambda number: (kind_of(number) != KONG, kind_of(number) != PUNG, number)):
        after = weighing.claimed(number)
        if kind_of(number) == KONG:
            worth = after.at_rest() + POINT * weighing.rules.kongs.exposed
        else:
            worth = after.throw(lambda kind: 0)[1]
        if worth > best:
            best, chosen = worth, number
    return chosen


def takes_the_win(weighing: Weighing, tile: int) -> bool:
    """Whether a win on another's tile is taken."""
    if weighing.sight.left < 8:
        return True
    hand = changed(weighing.hand, tile, 1)
    names = replace(weighing, hand=hand).always
    if not weighing.has_chow and pungs_distance(hand, weighing.sets)[0] == 0:
        names.append("all_pungs")
    elif not weighing.melds and pairs_distance(hand) == 0:
        names += ["seven_pairs", *["quad"] * sum(held == 4 for held in hand)]
    prices = weighing.prices
    share = prices.price(ON_DISCARD, prices.units(names, ON_DISCARD), weighing.exposed == 0)
    offered = (256 * share + prices.loss) * 2**7 * weights.PASS_MARGIN
    return share == 0 or 256 * weighing.at_rest() <= offered


def helps(weighing: Weighing, number: int) -> bool:
    """Whether a claim is weighed at all."""
    kind, tile = kind_of(number), tile_of(number)
    if kind == PASS:
        return False
    if kind == KONG:
        return True
    after = weighing.claimed(number)
    before, sets = weighing.hand, weighing.sets
    if max(1, ordinary_distance(after.hand, sets - 1)) <= ordinary_distance(before, sets):
        return True
    pungs_before, pungs_after = pungs_distance(before, sets)[0], pungs_distance(after.hand, sets - 1)[0]
    if kind == PUNG and not weighing.has_chow and max(1, pungs_after) < pungs_before:
        return True
    suit = suit_of(tile)
    if suit == "z" or any(suit_of(meld.tiles[0]) != suit for meld in weighing.melds):
        return False
    if sum(before[held] for held in kinds_in(suit)) + 3 * len(weighing.melds) < FLUSH_TILES_TO_CLAIM:
        return False
    return max(1, flush_distance(after.hand, sets - 1, suit)) < flush_distance(before, sets, suit)
