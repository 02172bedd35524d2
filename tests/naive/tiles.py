"""Tiles by name: kinds 0-8 are 1m-9m, 9-17 are 1p-9p, 18-26 are 1s-9s, 27-33 are 1z-7z (东 南 西 北 白 发 中)."""

from collections.abc import Iterable, Sequence

KINDS = 34
COPIES = 4
SUITS = "mpsz"
SUIT_START = {"m": 0, "p": 9, "s": 18, "z": 27}
SUIT_SIZE = {"m": 9, "p": 9, "s": 9, "z": 7}
EAST, SOUTH, WEST, NORTH, WHITE, GREEN, RED = range(27, 34)


def suit_of(kind: int) -> str:
    """Return the suit letter of a kind: "m", "p", "s", or "z" for honours."""
    if not 0 <= kind < KINDS:
        raise ValueError(f"no kind has the number {kind}")
    return SUITS[kind // 9]


def rank_of(kind: int) -> int:
    """Return the rank of a kind, from 1."""
    return kind - SUIT_START[suit_of(kind)] + 1


def is_honour(kind: int) -> bool:
    """Tell whether a kind is a wind or a dragon."""
    return suit_of(kind) == "z"


def kind_of(rank: int, suit: str) -> int:
    """Return the kind with this rank (from 1) and suit letter."""
    if suit not in SUIT_START or not 1 <= rank <= SUIT_SIZE[suit]:
        raise ValueError(f"there is no tile {rank}{suit}")
    return SUIT_START[suit] + rank - 1


def kinds_in(suit: str) -> range:
    """Return the kinds of a suit in ascending order."""
    return range(SUIT_START[suit], SUIT_START[suit] + SUIT_SIZE[suit])


def parse(text: str) -> list[int]:
    """Return the kinds of a text such as "123m55p1z", in the order written."""
    kinds: list[int] = []
    waiting: list[int] = []  # ranks whose suit letter has not come yet
    for character in text:
        if character in "123456789":
            waiting.append(int(character))
        elif character in SUIT_START and waiting:
            kinds.extend(kind_of(rank, character) for rank in waiting)
            waiting = []
        else:
            raise ValueError(f"{character!r} does not belong where it stands in {text!r}")
    if waiting:
        raise ValueError(f"the last digits of {text!r} have no suit")
    return kinds


def name(kind: int) -> str:
    """Return the name of one kind, such as "5p"."""
    return f"{rank_of(kind)}{suit_of(kind)}"


def text(kinds: Iterable[int]) -> str:
    """Return the kinds as a text such as "123m55p1z", sorted."""
    ordered = sorted(kinds)
    parts = []
    for suit in SUITS:
        ranks = "".join(str(rank_of(kind)) for kind in ordered if suit_of(kind) == suit)
        if ranks:
            parts.append(ranks + suit)
    return "".join(parts)


def counts_of(kinds: Iterable[int]) -> list[int]:
    """Return how many tiles of each of the 34 kinds there are."""
    counts = [0] * KINDS
    for kind in kinds:
        counts[kind] += 1
    return counts


def kinds_of(counts: Sequence[int]) -> list[int]:
    """Return the tiles behind 34 counts, ascending."""
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


def offset_of(kind: int) -> int:
    """Return which seat a fish or horse tile belongs to, as an offset from the dealer (rules, section A, Fishing).

    Offset 0 (dealer): 1, 5, 9, 东, 中. 1 (next): 2, 6, 南, 发. 2 (opposite): 3, 7, 西, 白. 3 (previous): 4, 8, 北.
    """
    honours = {EAST: 0, RED: 0, SOUTH: 1, GREEN: 1, WEST: 2, WHITE: 2, NORTH: 3}
    if is_honour(kind):
        return honours[kind]
    return (rank_of(kind) - 1) % 4
