"""The winning hands of some deals: how many, and worth how much, with each hand type and event."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from analysis.counts.histogram import Histogram
from analysis.counts.measures import SEATS, Columns, at
from analysis.counts.tally import Integers, distinct, summed, tallied, weighed
from mjsim.dataset.columns import OUTCOMES
from mjsim.hands.types import TYPE_NAMES, mask_of

#: A hand with none of these is an ordinary one (rules.md: 基本胡).
SPECIAL: Final = mask_of(("all_pungs", "full_flush", "seven_pairs", "melded_hand"))

#: Every hand type and event a win can have, an ordinary hand among them.
WIN_TYPES: Final = ("ordinary", *TYPE_NAMES)

#: Measures made from the winning hands: points of all; how many had a type, points they won, deals in which one had it.
OF_WINS: Final = ("points_won", *(f"{what}_{name}" for what in ("wins", "points", "deals") for name in WIN_TYPES))

_NOT_A_WINNER: Final = -1


@dataclass(frozen=True)
class Wins:
    """What an aggregate holds of the winning hands; see `analysis.counts.aggregate.Aggregate`."""

    sums: dict[str, Integers]
    histograms: dict[str, Histogram]
    first_with: dict[str, int]


def has(types: npt.NDArray[np.integer], name: str) -> npt.NDArray[np.bool_]:
    """Which of some hands, given by the bits of their types, have a type; an ordinary hand has no special one.

    Examples
    --------
    >>> hands = np.array([0, mask_of(("all_pungs",)), mask_of(("concealed_hand",))])
    >>> has(hands, "ordinary").tolist(), has(hands, "all_pungs").tolist()
    ([True, False, True], [False, True, False])
    """
    if name == "ordinary":
        found: npt.NDArray[np.bool_] = (types & SPECIAL) == 0
    else:
        found = (types >> TYPE_NAMES.index(name) & 1) != 0
    return found


def winning_hands(deals: Columns, place: npt.NDArray[np.intp], batches: int) -> Wins:
    """Count the winning hands of some deals.

    Parameters
    ----------
    deals : dict of str to ndarray
        With the measures of `analysis.counts.measures`.
    place : ndarray of integers, shape (deals,)
        The batch of each deal, from 0.
    batches : int
        How many batches there are.
    """
    hands, several = _Hands(deals, place), _Several(deals, place)
    points_won, wins, points = hands.by_batch(batches)
    return Wins(
        {
            "points_won": points_won,
            **{f"wins_{name}": wins[name] for name in WIN_TYPES},
            **{f"points_{name}": points[name] for name in WIN_TYPES},
            **{f"deals_{name}": wins[name] - several.repeated(name, batches) for name in WIN_TYPES},
        },
        {**hands.histograms(), "several": several.histogram()},
        dict(sorted({**hands.first_with(), **_first_outcomes(deals)}.items())),
    )


def _first_outcomes(deals: Columns) -> dict[str, int]:
    """The first deal with each outcome, and with two and three winners."""
    numbers = {name: deals["deal"][deals[name]] for name in (*OUTCOMES, "two_winners", "three_winners")}
    return {name: int(found.min()) for name, found in numbers.items() if len(found)}


class _Hands:
    """All winning hands of some deals, one after another."""

    def __init__(self, deals: Columns, place: npt.NDArray[np.intp]) -> None:
        won = [np.flatnonzero(deals[at("won", seat)]) for seat in range(SEATS)]
        rows = np.concatenate(won)
        self._seat = np.repeat(np.arange(SEATS, dtype=np.int8), [len(each) for each in won])
        self._place, self._outcome, self._deal = place[rows], deals["outcome"][rows], deals["deal"][rows]
        self._points = np.concatenate([deals[at("hand", seat)][won[seat]] for seat in range(SEATS)])
        types = np.concatenate([deals[at("types", seat)][won[seat]] for seat in range(SEATS)])
        self._masks, self._mask = distinct(types)

    def by_batch(self, batches: int) -> tuple[Integers, dict[str, Integers], dict[str, Integers]]:
        """The points of all hands, how many had each type, and the points of these, in each batch."""
        cells, masks = self._place * len(self._masks) + self._mask, len(self._masks)
        wins, points = (
            summed(cells, weights, batches * masks).reshape(batches, masks) for weights in (None, self._points)
        )
        of_type = [{name: sums[:, has(self._masks, name)].sum(axis=1) for name in WIN_TYPES} for sums in (wins, points)]
        return points.sum(axis=1), of_type[0], of_type[1]

    def histograms(self) -> dict[str, Histogram]:
        """Winners, and the points they won, by seat, outcome and types."""
        hands = self._seat, self._outcome, self._masks[self._mask]
        return dict(zip(("wins", "win_points"), weighed((), *hands, weights=(self._points,)), strict=True))

    def first_with(self) -> dict[str, int]:
        """The first deal with each type."""
        first = np.full(len(self._masks), np.iinfo(np.int64).max)
        np.minimum.at(first, self._mask, self._deal)
        deals = {name: first[has(self._masks, name)] for name in WIN_TYPES}
        return {name: int(found.min()) for name, found in deals.items() if len(found)}


class _Several:
    """The deals with more than one winner."""

    def __init__(self, deals: Columns, place: npt.NDArray[np.intp]) -> None:
        chosen = np.flatnonzero(deals["wins"] > 1)
        self._place, self._outcome = place[chosen], deals["outcome"][chosen]
        self._won = np.stack([deals[at("won", seat)][chosen] for seat in range(SEATS)])
        self._types = np.stack([deals[at("types", seat)][chosen] for seat in range(SEATS)]).astype(np.int64)

    def histogram(self) -> Histogram:
        """By outcome and the types of each seat."""
        types = np.where(self._won, self._types, _NOT_A_WINNER)
        return tallied((), self._outcome, *types)

    def repeated(self, name: str, batches: int) -> Integers:
        """How many winners had a type beside another of the same deal who had it, by batch."""
        holders = (has(self._types, name) & self._won).sum(axis=0)
        again = np.repeat(self._place, np.maximum(holders - 1, 0))
        return np.bincount(again, minlength=batches).astype(np.int64)
