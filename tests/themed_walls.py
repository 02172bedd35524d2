"""Walls on which hands that are rare in play come about often: flushes, pairs, pungs, kongs."""

from collections.abc import Sequence

from mjsim.wall import DEALT_TILES, dealt_seat
from tests.naive.tiles import COPIES, KINDS
from tests.naive.wall import TILES, Stream

PURPOSE_THEMES = 7  # no other stream of a deal has it
LIKED = 12  # how much oftener a tile is drawn that fits the seat's theme
THEMES = ("flush", "pairs", "pungs", "flush and pungs", "flush and pairs", "none")


def fits(theme: str, suit: int, kind: int, held: Sequence[int]) -> bool:
    """Whether a seat with a theme wants a tile."""
    wanted = kind // 9 == suit or "flush" not in theme
    if "pairs" in theme:
        return wanted and held[kind] in (1, 3)
    if "pungs" in theme:
        return wanted and held[kind] > 0
    return wanted


def themed_wall(seed: int, deal: int, dealer: int) -> list[int]:
    """A wall of 136 kinds in drawing order; each seat has a theme, and draws what fits it more often."""
    stream = Stream(seed, deal, PURPOSE_THEMES)
    themes = [(THEMES[stream.below(len(THEMES))], stream.below(3)) for _ in range(4)]
    left = [COPIES] * KINDS
    held = [[0] * KINDS for _ in range(4)]
    wall = []
    for place in range(TILES):
        seat = dealt_seat(place, dealer) if place < DEALT_TILES else (dealer + 1 + place - DEALT_TILES) % 4
        theme, suit = themes[seat]
        weights = [
            number * (LIKED if theme != "none" and fits(theme, suit, kind, held[seat]) else 1)
            for kind, number in enumerate(left)
        ]
        chosen = stream.below(sum(weights))
        kind = 0
        while chosen >= weights[kind]:
            chosen -= weights[kind]
            kind += 1
        left[kind] -= 1
        held[seat][kind] += 1
        wall.append(kind)
    return wall
