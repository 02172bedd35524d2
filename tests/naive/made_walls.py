"""Walls and steps for deals made by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .actions import DISCARD, PASS, action
from .deal import Deal
from .tiles import COPIES, KINDS, name, parse


def stacked(hands: list[str], draws: str, ends: str = "", live: int = 83) -> list[int]:
    """A wall that deals these hands (dealer seat 0, 14 tiles, his last the 14th), then these draws.

    `ends` are the replacements, first drawn first; `live` is how many tiles are not dealt or set apart.
    """
    wall = [-1] * 136
    dealt = [parse(hand) for hand in hands]
    for seat in range(4):
        places = [block * 16 + seat * 4 + place for block in range(3) for place in range(4)]
        places += [48 + seat] if seat else [48, 52]
        for place, tile in zip(places, dealt[seat], strict=True):
            wall[place] = tile
    for place, tile in enumerate(parse(draws), start=53):
        wall[place] = tile
    for place, tile in enumerate(parse(ends)):
        wall[53 + live - 1 - place] = tile
    used = Counter(tile for tile in wall if tile >= 0)
    assert max(used.values()) <= COPIES, [name(tile) for tile in used if used[tile] > COPIES]
    rest = [tile for tile in range(KINDS) for _ in range(COPIES - used[tile])]
    return [tile if tile >= 0 else rest.pop(0) for tile in wall]


def say(kind: int, tile: str) -> int:
    return action(kind, parse(tile)[0])


def step(deal: Deal, **said: int) -> None:
    """Act: `s0=…` for what seat 0 does; asked seats that are not named pass."""
    asked = [seat for seat, _ in deal.asked()]
    assert {int(key[1:]) for key in said} <= set(asked), f"asked are {asked}"
    deal.act({seat: said.get(f"s{seat}", action(PASS)) for seat in asked})


def throw_draws(deal: Deal, *tiles: str) -> None:
    """Let the seats whose turns come throw these tiles one after another, whatever others could claim."""
    for tile in tiles:
        step(deal, **{f"s{deal.turn}": say(DISCARD, tile)})
        while deal.phase == "reaction":
            step(deal)


def legal_of(deal: Deal, seat: int) -> list[int]:
    return dict(deal.asked())[seat]


def kinds(deal: Deal) -> list[str]:
    return [str(event["event"]) for event in deal.events]


def settled(deal: Deal) -> dict[str, Any]:
    assert deal.phase == "over"
    return dict(deal.events[-1]["case"])
