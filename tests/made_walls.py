"""Walls made to order: hands, draws and replacements that a deal must have, and everything else at random."""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import mjsim
from mjsim.rules import Ruleset
from mjsim.tiles import COPIES, KINDS, TILES, parse
from mjsim.wall import DEALT_TILES, RESERVED, dealt_seat

ANY = "?"


@mjsim.player
def eager(view: Any, legal: Any, rng: Any) -> Any:
    """Win, kong or pung whenever it may; otherwise throw the tile just drawn, after a pung the highest kind."""
    if legal.win:
        return mjsim.WIN * 256 + view.table.tile
    if legal.kong_added:
        return mjsim.KONG_ADDED * 256 + mjsim.lowest(legal.kong_added)
    if legal.kong_concealed:
        return mjsim.KONG_CONCEALED * 256 + mjsim.lowest(legal.kong_concealed)
    if legal.kong:
        return mjsim.KONG * 256 + view.table.tile
    if legal.pung:
        return mjsim.PUNG * 256 + view.table.tile
    if legal.passing:
        return mjsim.PASS
    if legal.fish:
        return mjsim.FISH * 256
    thrown = view.table.tile
    if view.table.drew == 0:
        for kind in range(34):
            if mjsim.has(legal.discard, kind):
                thrown = kind
    return mjsim.DISCARD * 256 + thrown


@dataclass(frozen=True)
class Wish:
    """What a wall must hold for deal 0, whose dealer is seat 0.

    Attributes
    ----------
    hands : dict of str
        By seat: up to thirteen dealt tiles; the rest comes at random.
    last : str
        The dealer's fourteenth tile.
    draws, ends : str
        Tiles of the normal draws and of the replacements in order, separated by spaces; "?" is any tile.
    """

    hands: dict[int, str] = field(default_factory=dict)
    last: str = ANY
    draws: str = ""
    ends: str = ""

    def wall(self, rules: Ruleset, source: random.Random) -> list[int]:
        """A wall as wished."""
        tiles: list[int | None] = [None] * TILES
        for seat, hand in self.hands.items():
            places = [index for index in range(DEALT_TILES - 1) if dealt_seat(index, 0) == seat]
            for place, kind in zip(places, parse(hand), strict=False):
                tiles[place] = kind
        back = TILES - RESERVED if rules.fishing.enabled and rules.fishing.reserve == "all" else TILES
        placed = [
            (DEALT_TILES - 1, self.last),
            *enumerate(self.draws.split(), start=DEALT_TILES),
            *((back - 1 - number, tile) for number, tile in enumerate(self.ends.split())),
        ]
        for place, tile in placed:
            if tile != ANY:
                (tiles[place],) = parse(tile)
        used = Counter(tile for tile in tiles if tile is not None)
        assert max(used.values()) <= COPIES, self
        rest = [kind for kind in range(KINDS) for _ in range(COPIES - used[kind])]
        source.shuffle(rest)
        return [rest.pop() if tile is None else tile for tile in tiles]
