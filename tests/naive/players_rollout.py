"""The player `rollout` in plain Python: its imagined worlds, how it spreads them over the actions, and what it does.

Written from ``docs/players.md``. How a world is played to its end is given to it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from .actions import DISCARD, PASS, WIN, action, kind_of, tile_of
from .deal import Deal
from .legal import may_rob, reaction_actions
from .players_value import Weighing, danger, play_value
from .sight import Laid, Rules, Sight
from .table import seats_after
from .tiles import COPIES, KINDS, counts_of, kinds_of, offset_of, parse
from .value_numbers import changed, ordinary_distance, pairs_distance
from .wall import Stream

PLAYOUTS, DISCARDS, TURNS, DOUBT = 200, 3, 2, 100


@dataclass(frozen=True)
class World:
    """What lies where a seat cannot see it.

    Attributes
    ----------
    hands : dict of int to list of int
        Concealed tiles of the other seats, as counts.
    kongs : dict of int to list of int
        The kinds of their concealed kongs, in the order made.
    live : list of int
        The live wall in drawing order.
    rest : list of int
        Tiles that are not used.
    """

    hands: dict[int, list[int]]
    kongs: dict[int, list[int]]
    live: list[int]
    rest: list[int]


@dataclass(frozen=True)
class Stake:
    """What turns a hand's worth into points, and points into whole numbers.

    Attributes
    ----------
    unseen : int
        Tiles the deciding seat does not see: a whole number is so many times the points.
    targets : tuple of int
        How many of them would, as a fish, have each seat as their target.
    labels : tuple of int
        How many fish each seat has.
    horses : int
        How many horses the rules have.
    """

    unseen: int
    targets: tuple[int, ...]
    labels: tuple[int, ...]
    horses: int

    def whole(self, worth: int, seat: int) -> int:
        """A hand's worth, in 2^15ths of a point, as a whole number."""
        own = self.unseen + self.targets[seat] * self.labels[seat]
        others = (sum(self.targets) - self.targets[seat]) * (sum(self.labels) - self.labels[seat])
        return worth * (3 * own + others) * (4 + self.horses) // (12 * 2**15)


#: What the deciding seat has won in a world after an action, as a whole number: played to the end, or to a turn.
PlayOut = Callable[[World, int, int | None], int]


def stake_of(sight: Sight, dealer: int, labels: Sequence[int], rules: Rules) -> Stake:
    """What is at stake when a seat decides."""
    targets = [0] * 4
    for kind in range(KINDS):
        targets[(dealer + offset_of(kind)) % 4] += COPIES - sight.seen[kind]
    horses = rules.horses.number if rules.horses.enabled else 0
    return Stake(sum(targets), tuple(targets), tuple(labels), horses)


# ---- the decision ------------------------------------------------------------------------------------------------


def play_rollout(
    sight: Sight, legal: Sequence[int], rules: Rules, stream: Stream, stake: Stake, play_out: PlayOut
) -> int:
    """What `rollout` does, fish aside."""
    usual = play_value(sight, list(legal), rules)
    sums = first_sums(sight, legal, usual, rules, stake)
    if not sums:
        return usual
    squares = dict.fromkeys(sums, 0)
    turns = TURNS if sight.phase == "turn" else None
    others = list(sums)
    for worlds in worlds_of_rounds(len(others)):
        for _ in range(worlds):
            world = imagined(sight, stream)
            won = play_out(world, usual, turns)
            for number in others:
                lead = play_out(world, number, turns) - won
                sums[number] += lead
                squares[number] += lead * lead
        others = sorted(others, key=lambda number: -sums[number])[: (len(others) + 1) // 2]
    (left,) = others
    return left if sums[left] > 0 and sums[left] ** 2 > squares[left] else usual


def first_sums(sight: Sight, legal: Sequence[int], usual: int, rules: Rules, stake: Stake) -> dict[int, int]:
    """The others, in order, and what their sums begin with."""
    others = sorted(number for number in legal if number != usual)
    if sight.phase == "reaction":
        return dict.fromkeys(others, 0)
    if kind_of(usual) != DISCARD:
        return {}

    def leaves(number: int) -> int:
        weighing = Weighing(sight, rules, sight.hand, sight.melds[sight.seat])
        after = Weighing(sight, rules, changed(sight.hand, tile_of(number), -1), sight.melds[sight.seat])
        return after.at_rest() - danger(weighing, tile_of(number))

    best = leaves(usual)
    deficits = {
        number: stake.whole(max(0, best - leaves(number)), sight.seat)
        for number in others
        if kind_of(number) == DISCARD
    }
    nearest = sorted(deficits, key=lambda number: (deficits[number], number))[:DISCARDS]
    return {number: -DOUBT * deficits[number] for number in nearest}


def worlds_of_rounds(others: int) -> list[int]:
    """How many worlds each round has."""
    rounds = next(rounds for rounds in range(1, 99) if 2**rounds >= others)
    worlds = []
    for _ in range(rounds):
        worlds.append(PLAYOUTS // (rounds * (others + 1)))
        others = (others + 1) // 2
    return worlds


def words_taken(sight: Sight, legal: Sequence[int], rules: Rules) -> int:
    """How many words a decision takes, where no `below` has to take a second one."""
    others = len(legal) - 1
    if sight.phase == "turn":
        discards = sum(kind_of(number) == DISCARD for number in legal)
        usual = play_value(sight, list(legal), rules)
        others = min(DISCARDS, discards - 1) if kind_of(usual) == DISCARD else 0
    worlds = sum(worlds_of_rounds(others)) if others else 0
    kongs = sum(meld.kind == "kong-" for seat in seats_after(sight.seat) for meld in sight.melds[seat])
    unseen = 136 - sum(sight.seen) - COPIES * kongs
    draws = sum(sight.drawn[seat] for seat in seats_after(sight.seat)) if sight.left else 0
    return worlds * (kongs + unseen - 1 + draws)


# ---- worlds ------------------------------------------------------------------------------------------------------


def imagined(sight: Sight, stream: Stream) -> World:
    """Deal what the seat does not see."""
    unseen = [COPIES - seen for seen in sight.seen]
    kongs: dict[int, list[int]] = {}
    for seat in seats_after(sight.seat):
        kongs[seat] = []
        for _ in (meld for meld in sight.melds[seat] if meld.kind == "kong-"):
            hidden = [kind for kind in range(KINDS) if unseen[kind] == COPIES]
            kind = hidden[stream.below(len(hidden))]
            kongs[seat].append(kind)
            unseen[kind] = 0
    tiles = kinds_of(unseen)
    for index in range(len(tiles) - 1):
        other = index + stream.below(len(tiles) - index)
        tiles[index], tiles[other] = tiles[other], tiles[index]
    live, tiles = tiles[: sight.left], tiles[sight.left :]
    hands: dict[int, list[int]] = {}
    for seat in seats_after(sight.seat):
        number = 13 - 3 * len(sight.melds[seat])
        hands[seat], tiles = counts_of(tiles[:number]), tiles[number:]
    for seat in seats_after(sight.seat) if live else ():
        for _ in range(sight.drawn[seat]):
            index = stream.below(len(live))
            hands[seat][live[index]] += 1
            live[index] = thrown_by_fast(hands[seat], len(sight.melds[seat]), seen_by(sight, seat, hands, kongs))
            hands[seat][live[index]] -= 1
    return World(hands, kongs, live, tiles)


def seen_by(sight: Sight, seat: int, hands: dict[int, list[int]], kongs: dict[int, list[int]]) -> list[int]:
    """What another seat sees in a world: what everyone sees, its hand and its concealed kongs."""
    seen = [seen - held for seen, held in zip(sight.seen, sight.hand, strict=True)]
    for meld in sight.melds[sight.seat]:
        if meld.kind == "kong-":
            seen[meld.tiles[0]] = 0
    for kind in kongs[seat]:
        seen[kind] = COPIES
    return [open_to_all + held for open_to_all, held in zip(seen, hands[seat], strict=True)]


def thrown_by_fast(hand: list[int], melds: int, seen: Sequence[int]) -> int:
    """The third step of a turn of `fast`."""

    def distance(tiles: Sequence[int]) -> int:
        found = ordinary_distance(tiles, 4 - melds)
        return found if melds else min(found, pairs_distance(tiles))

    def live_effective(tiles: Sequence[int]) -> int:
        now = distance(tiles)
        return sum(
            COPIES - seen[kind]
            for kind in range(KINDS)
            if tiles[kind] < COPIES and distance(changed(tiles, kind, 1)) < now
        )

    after = {kind: changed(hand, kind, -1) for kind in range(KINDS) if hand[kind]}
    nearest = min(map(distance, after.values()))
    return max((live_effective(tiles), kind) for kind, tiles in after.items() if distance(tiles) == nearest)[1]


# ---- what is won -------------------------------------------------------------------------------------------------


def won_by(sight: Sight, paid: Sequence[tuple[int, int, int]], labels: Sequence[int], dealer: int) -> Fraction:
    """What the deciding seat wins by payments (payer, receiver, points) and by fish that may be any unseen tile.

    Parameters
    ----------
    sight : Sight
        What the seat saw when it decided.
    paid : sequence of (int, int, int)
        Hands, liability and kongs.
    labels : sequence of int
        How many fish each seat has.
    dealer : int
        The dealer's seat.
    """
    me = sight.seat
    won = Fraction(sum((receiver == me) * points - (payer == me) * points for payer, receiver, points in paid))
    unseen = 136 - sum(sight.seen)
    for kind in range(KINDS):
        target = (dealer + offset_of(kind)) % 4
        chance = Fraction(COPIES - sight.seen[kind], unseen)
        for owner in range(4):
            for payer, receiver, points in paid:
                if receiver == target and payer != owner:
                    won += chance * labels[owner] * points * ((owner == me) - (payer == me))
                if payer == target and receiver != owner:
                    won += chance * labels[owner] * points * ((receiver == me) - (owner == me))
    return won


# ---- a world played in plain Python ------------------------------------------------------------------------------


def sight_in(deal: Deal, seat: int) -> Sight:
    """What a seat sees in a deal in plain Python."""
    offered = deal.phase == "reaction"
    seen = deal.seen_by(seat)
    if offered and deal.offer.robbing:
        seen[deal.offer.tile] += 1
    thrown = [(event["tile"], event["seat"]) for event in deal.events if event["event"] == "discard"]
    return Sight(
        seat,
        deal.phase,
        tuple(deal.hands[seat]),
        tuple(tuple(Laid(meld.kind, tuple(meld.tiles), meld.giver) for meld in melds) for melds in deal.melds),
        tuple((parse(tile)[0], thrower) for tile, thrower in thrown),
        tuple(seen),
        len(deal.live),
        deal.offer.giver if offered else -1,
        tuple(deal.own_draws),
    )


def deal_with(deal: Deal, seat: int, world: World) -> Deal:
    """A deal with a world in place of what the seat cannot see; no other seat is locked."""
    other = copy.deepcopy(deal)
    other.live = list(world.live)
    other.apart = dict(zip(other.apart, world.rest, strict=True))
    other.fish_tiles = {label: other.apart.get(label, tile) for label, tile in other.fish_tiles.items()}
    for owner, hand in world.hands.items():
        other.hands[owner] = list(hand)
        other.locked[owner] = set()
        hidden = [meld for meld in other.melds[owner] if meld.kind == "kong-"]
        for meld, kind in zip(hidden, world.kongs[owner], strict=True):
            meld.tiles = [kind] * COPIES
    if other.phase == "reaction":
        offer = other.offer
        asked = may_rob(other, offer.giver) if offer.robbing else seats_after(offer.giver)
        legal = {each: reaction_actions(other, each, offer.giver, offer.tile, offer.robbing) for each in asked}
        offer.legal = {each: actions for each, actions in legal.items() if actions != {action(PASS)}}
    return other


def played_out(deal: Deal, seat: int, chosen: int, rules: Rules, turns: int | None) -> list[int] | int:
    """Let the seat do an action and then everybody play as `value`.

    Returns hand and kong points by seat, or what the seat's throw is worth when it must throw that often.
    """
    first = True
    while deal.phase != "over":
        answers = {}
        for each, legal in deal.asked():
            sight = sight_in(deal, each)
            kinds = {kind_of(number) for number in legal}
            if not first and turns and each == seat and deal.phase == "turn" and DISCARD in kinds and WIN not in kinds:
                turns -= 1
                if not turns:
                    weighing = Weighing(sight, rules, sight.hand, sight.melds[seat])
                    return weighing.throw(partial(danger, weighing))[1]
            answers[each] = play_value(sight, legal, rules)
        if first:
            answers[seat] = chosen
        first = False
        deal.act(answers)
    assert deal.answer is not None
    return [hand + kongs for hand, kongs in zip(deal.answer["hand"], deal.answer["kongs"], strict=True)]
