"""From what was noted to rates (docs/players.md, "Constants"): counts, ratios of counts, and where counts are few."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mjsim.players.value.chances import (
    CONCEALED_ROUTE,
    DISTANCES,
    DRAWS,
    OPEN_ROUTE,
    PAIRS_ROUTE,
    ROUTES,
)
from mjsim.state import DISCARD_WIN, DRAWN, SEATS

PARTS: Final = 10_000
#: A rate from fewer hands than this is its neighbour's.
FEW: Final = 100

_Rows = npt.NDArray[Any]


class Rounds:
    """Hands at rest with what became of them until the seat's next one.

    Parameters
    ----------
    rests, ends : numpy.ndarray
        As `mjsim.fitting.follow.follow` returns them.
    """

    def __init__(self, rests: _Rows, ends: _Rows) -> None:
        order = np.lexsort((rests["seat"], rests["deal"]))
        self.now = rests[order]
        self.end = ends[self.now["deal"], self.now["seat"]]
        same = (self.now["deal"][1:] == self.now["deal"][:-1]) & (self.now["seat"][1:] == self.now["seat"][:-1])
        self.last = np.append(~same, True)
        self.first = np.insert(~same, 0, True)
        self.next = np.roll(self.now, -1)
        self.before = np.roll(self.now, 1)
        self.won = self.last & (self.end["won"] == 1)
        self.lost = self.last & (self.end["won"] == 0) & (self.end["outcome"] != DRAWN)
        self.ended = self._ended()
        alive = 1 - self.ended[self.now["draws"]]
        #: Share of effective tiles, as far as the round comes to its end.
        self.chance = self.now["share"] / 256 * alive

    def _ended(self) -> npt.NDArray[np.float64]:
        rates = np.zeros(DRAWS)
        for draws in reversed(range(DRAWS)):
            here = (self.now["draws"] == draws) & ~self.won
            if here.sum() >= FEW:
                rates[draws] = self.lost[here].mean()
            elif draws + 1 < DRAWS:
                rates[draws] = rates[draws + 1]
        return rates

    def rates(self, win_on_discard: bool) -> dict[str, dict[str, list[int]]]:
        """The entry of `mjsim.players.value.constants.RATES`, in ten-thousandths."""
        found: dict[str, dict[str, list[int]]] = {"rounds": {"ended": _parts(self.ended)}}
        for route, name in enumerate(ROUTES):
            share, claims = self._route(route)
            if route == CONCEALED_ROUTE:
                claims[2:] = 0
            if route <= OPEN_ROUTE and not win_on_discard:
                claims[1] = 0
            if route == PAIRS_ROUTE:
                claims[2:] = 0
            found[name] = {"share": _parts(share), "claims": _parts(claims)}
        return found

    def _route(self, route: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """By distance: usual share of effective tiles, and wins or claims for each effective tile."""
        on = self._on(self.now["route"], route)
        stays = self._on(self.next["route"], route)
        came = self.first | ~self._on(self.before["route"], route) | (self.before["distance"] != self.now["distance"])
        share, claims = np.zeros(DISTANCES), np.zeros(DISTANCES)
        for distance in range(1, DISTANCES):
            here = on & (self.now["distance"] == distance)
            arrived = here & came
            nearer = here & ~self.last & stays & (self.next["distance"] < distance)
            share[distance] = share[distance - 1]
            claims[distance] = claims[distance - 1]
            if arrived.sum() >= FEW:
                share[distance] = max(share[distance], self.now["share"][arrived].mean() / 256)
            if here.sum() >= FEW:
                claimed = nearer & (self.next["exposed"] > self.now["exposed"])
                if distance == 1:
                    claimed = here & self.won & (self.end["outcome"] == DISCARD_WIN)
                claims[distance] = claimed.sum() / self.chance[here].sum()
        return share, claims

    @staticmethod
    def _on(routes: npt.NDArray[np.int64], route: int) -> npt.NDArray[np.bool_]:
        return routes <= OPEN_ROUTE if route <= OPEN_ROUTE else routes == route


def ready_weights(rounds: Rounds) -> list[int]:
    """How likely a seat with so many exposed melds wins on a discard; a third of 256 is usual."""
    wins, usual = np.zeros(SEATS + 1), np.zeros(SEATS + 1)
    expected = _won_on(rounds)[rounds.now["draws"]]
    for offset in range(1, SEATS):
        seat = (rounds.now["seat"] + offset) & 3
        exposed = rounds.now["others"][np.arange(len(seat)), seat]
        wins += np.bincount(exposed, rounds.now["won_by"] >> seat & 1, SEATS + 1)
        usual += np.bincount(exposed, expected, SEATS + 1)
    weights = wins / np.maximum(usual, 1e-9)
    for exposed in range(1, SEATS + 1):
        if wins[exposed] < FEW:
            weights[exposed] = weights[exposed - 1]
    return [round(256 * weight) for weight in weights]


def _won_on(rounds: Rounds) -> npt.NDArray[np.float64]:
    """How often a discard is won on, by own draws left."""
    rates = np.zeros(DRAWS)
    for draws in reversed(range(DRAWS)):
        here = rounds.now["draws"] == draws
        if here.sum() >= FEW:
            rates[draws] = (rounds.now["won_by"][here] != 0).mean()
        elif draws + 1 < DRAWS:
            rates[draws] = rates[draws + 1]
    return rates


def claim_rates(rounds: Rounds) -> list[list[int]]:
    """How often one other seat claims a discard, by the tile's row and the copies seen before, in 256ths."""
    rates = np.zeros((4, 5))
    for row in range(4):
        for seen in range(1, 5):
            here = (rounds.now["row"] == row) & (rounds.now["seen"] == seen)
            if here.sum() >= FEW:
                rates[row, seen] = (rounds.now["claimed"][here] != 0).mean() / (SEATS - 1)
    return [[round(256 * float(rate)) for rate in row] for row in rates]


def usual_loss(ends: _Rows) -> float:
    """What another seat's win costs a seat on average, in points."""
    others = (ends["won"] == 0) & (ends["outcome"] != DRAWN)
    return float(-ends["hand"][others].mean())


def _parts(rates: npt.NDArray[np.float64]) -> list[int]:
    return [round(PARTS * float(rate)) for rate in rates]
