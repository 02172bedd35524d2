"""Hands to measure with: dealt, complete, and as they come in play."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import mjsim
from mjsim.engine import Plan
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.state import SEATS
from mjsim.tiles import COPIES, KINDS, parse, parse_tile
from mjsim.transcript.events import Replayer

Counts = npt.NDArray[np.uint8]

#: Tiles that leave the hand for a meld, the claimed one excepted.
_TAKEN = {"pung": 2, "kong": 3, "kong+": 1, "kong-": 4}


@dataclass(frozen=True)
class Positions:
    """Hands about to discard.

    Attributes
    ----------
    counts : numpy.ndarray of uint8, shape (hand, 34)
        Concealed tiles.
    seen : numpy.ndarray of uint8, shape (hand, 34)
        Tiles that the seat sees: its own, all melds, all discards.
    melds : numpy.ndarray of int64, shape (hand,)
        Melds made.
    """

    counts: Counts
    seen: Counts
    melds: npt.NDArray[np.int64]


def dealt(number: int, tiles: int, seed: int = 1, kinds: int = KINDS) -> Counts:
    """The first tiles of so many walls that are of the first ``kinds``: uint8, shape (hand, 34)."""
    walls = mjsim.walls(seed, 0, number)
    # Every wall has as many of them.
    walls = walls[walls < kinds].reshape(number, COPIES * kinds)
    counts = np.zeros((number, KINDS), np.uint8)
    for position in range(tiles):
        counts[np.arange(number), walls[:, position]] += 1
    return counts


def complete(number: int, seed: int = 1) -> Counts:
    """Complete hands of 14 tiles, one in eight of them seven pairs: uint8, shape (hand, 34)."""
    random = np.random.default_rng(seed)
    found: list[Counts] = []
    while len(found) < number:
        counts = np.zeros(KINDS, np.uint8)
        if len(found) % 8 == 7:
            counts[random.permutation(KINDS)[:7]] = 2
        else:
            counts[random.integers(KINDS)] += 2
            for _ in range(4):
                if random.random() < 0.25:
                    counts[random.integers(KINDS)] += 3
                else:
                    low = 9 * random.integers(3) + random.integers(7)
                    counts[low : low + 3] += 1
        if counts.max() <= COPIES:
            found.append(counts)
    return np.array(found)


def in_play(deals: int, rules: str = "liuzhou", player: str = "fast", seed: int = 1) -> Positions:
    """Every hand about to discard in so many deals."""
    replayer = Replayer(Plan(load_rules(rules), players_for_seats(player), seed))
    found = [position for deal in range(deals) for position in _of_deal(replayer.show(deal).events)]
    counts, seen, melds = zip(*found, strict=True)
    return Positions(np.array(counts), np.array(seen), np.array(melds, np.int64))


def _of_deal(events: list[dict[str, Any]]) -> Iterator[tuple[Counts, Counts, int]]:
    """Follow the tiles of one deal from its replay lines."""
    hands = np.zeros((SEATS, KINDS), np.uint8)
    table = np.zeros(KINDS, np.uint8)
    melds = [0] * SEATS
    for event in events:
        kind = event["event"]
        if kind == "start":
            for seat, tiles in enumerate(event["hands"]):
                np.add.at(hands[seat], parse(tiles), 1)
            continue
        if kind not in ("draw", "discard", "chow", *_TAKEN):
            continue
        seat, tile = event["seat"], parse_tile(event["tile"])
        match kind:
            case "draw":
                hands[seat, tile] += 1
            case "discard":
                yield hands[seat].copy(), np.minimum(hands[seat] + table, COPIES), melds[seat]
                hands[seat, tile] -= 1
                table[tile] += 1
            case "chow":
                # The claimed tile lies on the table already, as a discard.
                for each in map(parse_tile, event["tiles"]):
                    if each != tile:
                        hands[seat, each] -= 1
                        table[each] += 1
                melds[seat] += 1
            case _:
                hands[seat, tile] -= _TAKEN[kind]
                table[tile] += _TAKEN[kind]
                melds[seat] += kind != "kong+"
