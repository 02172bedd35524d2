"""What lies where in a deal: hands, melds, discards, and what is left of the wall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .ruleset import Ruleset
from .tiles import COPIES, KINDS, counts_of, kinds_of, name, text
from .wall import DEALT, deal_hands

FIRST_LABELLED = 128  # fish label 1 lies at this index of the wall
MELDS_OF_A_LINK = 3  # so many melds from one giver make him liable

Event = dict[str, Any]


@dataclass
class Meld:
    """A meld on the table: ``chow``, ``pung``, ``kong`` (direct), ``kong+`` (added) or ``kong-`` (concealed)."""

    kind: str
    tiles: list[int]
    giver: int | None

    @property
    def is_kong(self) -> bool:
        """Whether it has four tiles."""
        return self.kind.startswith("kong")

    def text(self) -> str:
        """As score cases write it."""
        tiles = text(self.tiles) if self.kind == "chow" else name(self.tiles[0])
        return f"{self.kind} {tiles}" if self.giver is None else f"{self.kind} {tiles} <{self.giver}"


@dataclass
class Offer:
    """A tile that other seats may claim: a discard, or the tile of an added kong that may be robbed."""

    giver: int
    tile: int
    robbing: bool
    legal: dict[int, set[int]]  # by asked seat, in playing order after the giver


def seats_after(seat: int) -> list[int]:
    """The three other seats in playing order."""
    return [(seat + offset) % 4 for offset in (1, 2, 3)]


class Table:
    """The table before the dice; `lay_out` deals the tiles.

    Parameters
    ----------
    ruleset : Ruleset
        By which it is played.
    options : mapping
        What differs from the ruleset's options.
    dealer : int
        The dealer's seat.
    wall : sequence of int
        136 kinds in drawing order.
    """

    def __init__(self, ruleset: Ruleset, options: Mapping[str, Any], dealer: int, wall: Sequence[int]) -> None:
        self.ruleset = ruleset
        self.options = ruleset.options_with(options)
        self.dealer = dealer
        self.wall = list(wall)
        if Counter(self.wall) != Counter(dict.fromkeys(range(KINDS), COPIES)):
            raise ValueError("a wall has four tiles of each of 34 kinds")
        self.labels: list[list[int]] = [[], [], [], []]
        self.phase = ""
        self.offer = Offer(dealer, 0, False, {})  # the last one; none yet

    def lay_out(self) -> None:
        """Deal the tiles and set the fish apart."""
        dealt, self.last_dealt = deal_hands(self.wall, self.dealer)
        self.hands = [counts_of(hand) for hand in dealt]
        labelled = {label: self.wall[FIRST_LABELLED - 1 + label] for label in range(1, 9)}
        picked = {label for labels in self.labels for label in labels}
        self.live = self.wall[DEALT:FIRST_LABELLED]
        self.apart: dict[int, int] = {}  # tile by label
        for label, tile in labelled.items():
            if self.options["fishing"] and (self.options["reserve"] == "all" or label in picked):
                self.apart[label] = tile
            else:
                self.live.append(tile)
        self.fish_tiles = labelled if self.options["fishing"] else {}
        self.melds: list[list[Meld]] = [[], [], [], []]
        self.discards: list[list[int]] = [[], [], [], []]  # the unclaimed ones
        self.locked: list[set[int]] = [set(), set(), set(), set()]
        self.own_draws = [0, 0, 0, 0]
        self.discards_made = 0
        self.claims_made = 0  # chows, pungs and direct kongs
        self.chain: list[int] = []
        self.robbed = False
        self.turn = self.dealer
        self.drawn: int | None = self.last_dealt

    @property
    def last_tile(self) -> bool:
        """Whether no normal draw remains."""
        return len(self.live) <= self.ruleset.undrawn

    @property
    def ends_undiscarded(self) -> bool:
        """Whether the deal ends with this turn because the last drawn tile is not to be played out."""
        return self.last_tile and self.drawn is not None and not self.options["last_tile_discard"]

    def links(self) -> list[tuple[int, int]]:
        """Each (maker, giver) where the giver's discards made three of the maker's melds."""
        given = Counter((maker, meld.giver) for maker in range(4) for meld in self.melds[maker])
        return [(maker, giver) for maker in range(4) for giver in range(4) if given[maker, giver] >= MELDS_OF_A_LINK]

    def pung(self, seat: int, tile: int) -> Meld:
        """The seat's pung of a kind."""
        (pung,) = [meld for meld in self.melds[seat] if meld.kind == "pung" and meld.tiles[0] == tile]
        return pung

    def kong(self, seat: int, tile: int) -> Meld:
        """The seat's kong of a kind."""
        (kong,) = [meld for meld in self.melds[seat] if meld.is_kong and meld.tiles[0] == tile]
        return kong

    def seen_by(self, seat: int) -> list[int]:
        """Copies of each kind a seat sees: its own tiles, the others' exposed melds, all unclaimed discards."""
        seen = list(self.hands[seat])
        for owner in range(4):
            for meld in self.melds[owner]:
                if owner == seat or meld.kind != "kong-":
                    for tile in meld.tiles:
                        seen[tile] += 1
            for tile in self.discards[owner]:
                seen[tile] += 1
        return seen

    def whereabouts(self) -> Counter[int]:
        """Every tile of the deal, wherever it lies: four of each kind at any moment."""
        tiles = Counter(self.live) + Counter(self.apart.values())
        for seat in range(4):
            tiles.update(kinds_of(self.hands[seat]))
            tiles.update(self.discards[seat])
            tiles.update(tile for meld in self.melds[seat] for tile in meld.tiles)
        if self.robbed or (self.phase == "reaction" and self.offer.robbing):
            tiles[self.offer.tile] += 1  # laid down for a kong, not yet anyone's
        return tiles
