"""What the columns say about many deals, as arrays that lines of a coverage table are asked of."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mjsim.dataset.columns import OUTCOMES, PAIRS
from mjsim.dataset.frames import Columns
from mjsim.hands.types import mask_of
from mjsim.rules import Ruleset
from mjsim.settle import SEAT_OFFSET_ARRAY
from mjsim.state import FISH_TILES, HORSES, NONE, SEATS

Flags: TypeAlias = npt.NDArray[np.bool_]
"""One truth value per deal, of shape (deal,), or more with further axes."""

SELF_DRAW: Final = OUTCOMES.index("self_draw")
DISCARD: Final = OUTCOMES.index("discard")
ROB_KONG: Final = OUTCOMES.index("rob_kong")
DRAWN: Final = OUTCOMES.index("drawn")

#: Hand types that stand beside each other; the quads are counted by themselves.
SPECIAL: Final = ("all_pungs", "full_flush", "seven_pairs", "melded_hand")


Axes: TypeAlias = int | tuple[int, ...]


def any_of(values: npt.NDArray[Any], axis: Axes = 1) -> Flags:
    """Whether anything along some axes is true."""
    found: Flags = np.any(values, axis=axis)
    return found


def equal(values: npt.NDArray[Any], value: int) -> Flags:
    """Whether each value is this one."""
    found: Flags = values == value
    return found


def number_of(values: npt.NDArray[Any], axis: Axes = 1) -> npt.NDArray[np.int64]:
    """How many things along some axes are true, or their sum."""
    total: npt.NDArray[np.int64] = np.sum(values, axis=axis, dtype=np.int64)
    return total


class Facts:
    """The columns of some deals of one ruleset.

    Arrays have the axes (deal, seat), (deal, maker, giver), (deal, owner, label), and so on, as their names say; seats
    are physical ones.
    """

    def __init__(self, rules: Ruleset, columns: Columns) -> None:
        self.rules = rules
        self.columns = columns

    def column(self, name: str) -> npt.NDArray[np.int64]:
        """A column, of shape (deal,); its integers may be narrower than its type here says."""
        return self.columns[name]

    def seats(self, name: str) -> npt.NDArray[np.int64]:
        """A column of each seat, of shape (deal, seat)."""
        return np.stack([self.column(f"{name}_{seat}") for seat in range(SEATS)], axis=1)

    def outcome(self, *outcomes: int) -> Flags:
        """Deals that ended in one of these ways."""
        return np.isin(self.column("outcome"), outcomes)

    @cached_property
    def won(self) -> Flags:
        """Whether a seat won, of shape (deal, seat)."""
        return _bits(self.column("winners"), SEATS)

    @cached_property
    def winners(self) -> npt.NDArray[np.int64]:
        """How many seats won, of shape (deal,)."""
        return number_of(self.won, axis=1)

    @cached_property
    def types(self) -> npt.NDArray[np.int64]:
        """Hand types and events as bits, of shape (deal, seat); 0 for who did not win."""
        return self.seats("types")

    def has(self, *names: str) -> Flags:
        """Whether a winner has all these types, of shape (deal, seat)."""
        mask = mask_of(names)
        return self.won & equal(self.types & mask, mask)

    def lacks(self, names: Iterable[str]) -> Flags:
        """Whether a winner has none of these types, of shape (deal, seat)."""
        return self.won & equal(self.types & mask_of(names), 0)

    @cached_property
    def giver(self) -> Flags:
        """Whether a seat gave the winning tile, of shape (deal, seat)."""
        return _is_seat(self.column("from_seat"))

    @cached_property
    def links(self) -> Flags:
        """Three-meld relations, of shape (deal, maker, giver)."""
        return _bits(self.column("links"), SEATS * SEATS).reshape(-1, SEATS, SEATS)

    @cached_property
    def kong_giver_pays(self) -> Flags:
        """Deals in which a kong's giver pays a replacement win for all three."""
        liable = self.maker_draws & self.rules.liability.giver_alone
        return self.outcome(SELF_DRAW) & ~equal(self.column("payer"), NONE) & ~liable

    @cached_property
    def maker_draws(self) -> Flags:
        """Deals in which a maker drew the winning tile, of shape (deal,)."""
        return self.outcome(SELF_DRAW) & any_of(self.links & self.won[:, :, None], axis=(1, 2))

    @cached_property
    def concealed_kong_decides(self) -> Flags:
        """Replacement wins that nobody pays for all three though a kong's giver would: the kong was concealed."""
        win = self.rules.events.replacement_win
        known = win is not None and win.payer == "giver"
        replacement = any_of(self.has("replacement_win"), axis=1)
        alone = self.maker_draws & self.rules.liability.giver_alone
        return replacement & equal(self.column("payer"), NONE) & ~alone & known

    @cached_property
    def flow(self) -> npt.NDArray[np.int32]:
        """What the first seat won from the second by hands and kongs, of shape (deal, seat, seat)."""
        flow = np.zeros((len(self.column("deal")), SEATS, SEATS), np.int32)
        for first, second in PAIRS:
            flow[:, first, second] = self.column(f"flow_{first}{second}")
            flow[:, second, first] = -self.column(f"flow_{first}{second}")
        return flow

    @cached_property
    def labels(self) -> npt.NDArray[np.int64]:
        """How many fish labels each seat took, of shape (deal, seat)."""
        return number_of(self.fish, axis=(2, 3))

    @cached_property
    def fish(self) -> Flags:
        """Whose label follows whom, of shape (deal, owner, label, target)."""
        owns = np.stack([_bits(self.column(f"fish_labels_{seat}"), FISH_TILES) for seat in range(SEATS)], axis=1)
        tiles = np.stack([self.column(f"fish_tile_{label}") for label in range(1, FISH_TILES + 1)], axis=1)
        targets = (self.column("dealer")[:, None] + SEAT_OFFSET_ARRAY[np.maximum(tiles, 0)]) % SEATS
        follows: Flags = owns[:, :, :, None] & (targets[:, None, :, None] == np.arange(SEATS))
        return follows

    @cached_property
    def horses(self) -> npt.NDArray[np.int64]:
        """How many horses were turned over, of shape (deal,)."""
        tiles = [self.column(f"horse_tile_{horse}") != NONE for horse in range(1, HORSES + 1)]
        return number_of(np.stack(tiles, axis=1), axis=1)


def _bits(words: npt.NDArray[np.int64], number: int) -> Flags:
    """Bits of some words, of shape (deal, bit)."""
    return (words[:, None] >> np.arange(number) & 1).astype(bool)


def _is_seat(seats: npt.NDArray[np.int64]) -> Flags:
    found: Flags = seats[:, None] == np.arange(SEATS)
    return found
