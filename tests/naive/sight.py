"""What the replay lines up to a decision tell one seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .tiles import KINDS, counts_of, parse

Event = dict[str, Any]
Rules = Any  # anything with the keys of a ruleset file: rules.fishing.reserve

LIVE_AFTER_THE_DEAL = 83
FISH_TILES = 8


@dataclass(frozen=True)
class Laid:
    """A meld on the table: ``chow``, ``pung``, ``kong`` (direct), ``kong+`` (added) or ``kong-`` (concealed)."""

    kind: str
    tiles: tuple[int, ...]
    giver: int | None


@dataclass(frozen=True)
class Sight:
    """What a seat sees at a decision.

    Attributes
    ----------
    seat : int
        Who is to decide.
    phase : str
        ``turn`` or ``reaction``.
    hand : tuple of int
        Its concealed tiles, as counts of the 34 kinds.
    melds : tuple of tuple of Laid
        Everyone's, by seat; of another seat's concealed kong the tiles are not to be looked at.
    discards : tuple of (tile, seat)
        All of them in order, claimed ones too.
    seen : tuple of int
        Copies it sees of each kind.
    left : int
        Live tiles left.
    giver : int
        Who offers the tile of a reaction.
    drawn : tuple of int
        How many tiles each seat has drawn in the deal, replacements too.
    """

    seat: int
    phase: str
    hand: tuple[int, ...]
    melds: tuple[tuple[Laid, ...], ...]
    discards: tuple[tuple[int, int], ...]
    seen: tuple[int, ...]
    left: int
    giver: int
    drawn: tuple[int, ...]


def sight_of(events: Sequence[Event], seat: int, rules: Rules) -> Sight:
    """Read the lines written before a decision of a seat."""
    start = events[0]
    hands = [counts_of(parse(hand)) for hand in start["hands"]]
    melds: list[list[Laid]] = [[], [], [], []]
    discards: list[tuple[int, int]] = []
    lying = [0] * KINDS  # the discards that nobody claimed
    drawn = [0, 0, 0, 0]
    left = live_after_the_deal(start, rules)
    turn, giver = start["dealer"], -1
    for event in events[1:]:
        what, actor = event["event"], event["seat"]
        tile = parse(event["tile"])[0]
        if what == "draw":
            hands[actor][tile] += 1
            drawn[actor] += 1
            left, turn, giver = event["left"], actor, -1
        elif what == "discard":
            hands[actor][tile] -= 1
            lying[tile] += 1
            discards.append((tile, actor))
            giver = actor
        elif what != "pass":
            meld = laid_by(event, tile)
            pung = [old for old in melds[actor] if (what, old.tiles) == ("kong+", (tile,) * 3)]
            place = melds[actor].index(pung[0]) if pung else len(melds[actor])
            melds[actor][place : place + len(pung)] = [meld]
            for used in (tile,) if what == "kong+" else meld.tiles:
                hands[actor][used] -= 1
            if what in ("chow", "pung", "kong"):
                hands[actor][tile] += 1  # it came from the giver
                lying[tile] -= 1
            turn, giver = actor, actor if what == "kong+" else -1
    seen = [held + thrown for held, thrown in zip(hands[seat], lying, strict=True)]
    for owner in range(4):
        for meld in melds[owner]:
            if owner == seat or meld.kind != "kong-":
                for tile in meld.tiles:
                    seen[tile] += 1
    return Sight(
        seat,
        "turn" if turn == seat and giver != seat else "reaction",
        tuple(hands[seat]),
        tuple(tuple(laid) for laid in melds),
        tuple(discards),
        tuple(seen),
        left,
        giver,
        tuple(drawn),
    )


def live_after_the_deal(start: Event, rules: Rules) -> int:
    """Live tiles before anyone draws."""
    if not rules.fishing.enabled:
        return LIVE_AFTER_THE_DEAL
    picked = sum(len(labels) for labels in start["fish_labels"])
    return LIVE_AFTER_THE_DEAL - (FISH_TILES if rules.fishing.reserve == "all" else picked)


def laid_by(event: Event, tile: int) -> Laid:
    """The meld of a line."""
    if event["event"] == "chow":
        return Laid("chow", tuple(parse(name)[0] for name in event["tiles"]), event["from"])
    return Laid(event["event"], (tile,) * (3 if event["event"] == "pung" else 4), event.get("from"))
