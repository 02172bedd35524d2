"""The actions of a deal as numbers, and what a seat answers with them."""

from __future__ import annotations

from collections.abc import Iterable

# Kinds of action; an action is kind × 256 + tile.
PASS, WIN, DISCARD, CHOW_LOW, CHOW_MIDDLE, CHOW_HIGH, PUNG, KONG, KONG_ADDED, KONG_CONCEALED, FISH = range(11)

# The claimed tile stands so many places above the lowest tile of the chow.
ABOVE_LOWEST = {CHOW_LOW: 0, CHOW_MIDDLE: 1, CHOW_HIGH: 2}


def action(kind: int, tile: int = 0) -> int:
    """The number of an action."""
    return kind * 256 + tile


def kind_of(number: int) -> int:
    """The kind of an action."""
    return number // 256


def tile_of(number: int) -> int:
    """The tile of an action (the label mask of a fish action)."""
    return number % 256


def labels_in(mask: int) -> list[int]:
    """The labels of a bit mask, ascending: label i is bit i − 1."""
    return [label for label in range(1, 9) if mask >> (label - 1) & 1]


def mask_of(labels: Iterable[int]) -> int:
    """The bit mask of some distinct labels."""
    return sum(1 << (label - 1) for label in labels)
