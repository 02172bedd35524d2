"""The built-in players `random`, `fast` and `noisy` in plain Python, and deals played by them from start to end.

Written from ``docs/players.md``. A player is given a `View`, its legal actions and its own stream, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from . import hands
from .actions import (
    ABOVE_LOWEST,
    DISCARD,
    FISH,
    KONG,
    KONG_ADDED,
    KONG_CONCEALED,
    PASS,
    PUNG,
    WIN,
    action,
    kind_of,
    labels_in,
    mask_of,
    tile_of,
)
from .deal import Deal
from .referee import row
from .table import Event
from .tiles import COPIES
from .wall import PURPOSE_PLAYER, Stream

Decision = dict[str, Any]
Counts = list[int]


@dataclass(frozen=True)
class View:
    """What a seat may see that its players use.

    Attributes
    ----------
    phase : str
        ``fish``, ``turn`` or ``reaction``.
    hand : list of int
        Its concealed tiles, as counts of the 34 kinds; empty before the deal.
    melds : int
        How many melds it has.
    seen : list of int
        Copies it sees of each kind; empty before the deal.
    fish : int
        How many labels the run wants taken.
    """

    phase: str
    hand: Counts
    melds: int
    seen: Counts
    fish: int


Player = Callable[[View, list[int], Stream], int]


def view_of(deal: Deal, seat: int, fish: int) -> View:
    """What the seat sees now."""
    if deal.phase == "fish":
        return View(deal.phase, [], 0, [], fish)
    return View(deal.phase, list(deal.hands[seat]), len(deal.melds[seat]), deal.seen_by(seat), fish)


# ---- random ------------------------------------------------------------------------------------------------------


def play_random(view: View, legal: list[int], stream: Stream) -> int:
    """Take any legal action with the same chance; for fish first how many labels, then which."""
    if view.phase != "fish":
        return legal[stream.below(len(legal))]
    free, most = free_labels(legal)
    wanted = stream.below(most + 1)
    taken = []
    for _ in range(wanted):
        taken.append(free.pop(stream.below(len(free))))
    return action(FISH, mask_of(taken))


def free_labels(legal: list[int]) -> tuple[list[int], int]:
    """The labels that the legal fish actions offer, ascending, and how many may be taken."""
    sets = [labels_in(tile_of(number)) for number in legal]
    return sorted({label for labels in sets for label in labels}), max(len(labels) for labels in sets)


# ---- fast --------------------------------------------------------------------------------------------------------


def play_fast(view: View, legal: list[int], stream: Stream) -> int:
    """Come closer to any complete hand as fast as the tiles in sight allow; needs no random word."""
    if view.phase == "fish":
        free, most = free_labels(legal)
        return action(FISH, mask_of(free[: min(view.fish, most)]))
    for number in legal:
        if kind_of(number) == WIN:
            return number
    return fast_turn(view, legal) if view.phase == "turn" else fast_reaction(view, legal)


@lru_cache(maxsize=100_000)
def remembered_shanten(hand: tuple[int, ...], melds: int) -> int:
    """The shanten of a hand, kept because neighbouring discards ask for the same ones."""
    return hands.shanten(hand, melds)


def shanten(hand: Counts, melds: int) -> int:
    """The shanten of a hand."""
    return remembered_shanten(tuple(hand), melds)


def without(hand: Counts, tile: int, number: int = 1) -> Counts:
    """The hand after some tiles of a kind have left it."""
    return hands.with_change(hand, tile, -number)


def after_best_discard(hand: Counts, melds: int) -> int:
    """The lowest shanten a hand can have after a discard."""
    return min(shanten(without(hand, tile), melds) for tile in range(34) if hand[tile])


def fast_turn(view: View, legal: list[int]) -> int:
    """Kong if that costs nothing, else discard for the most live effective tiles; of equal ones the highest kind."""
    discards = [tile_of(number) for number in legal if kind_of(number) == DISCARD]
    shantens = {tile: shanten(without(view.hand, tile), view.melds) for tile in discards}
    lowest = min(shantens.values())
    for number in legal:
        tile = tile_of(number)
        if kind_of(number) == KONG_ADDED and shanten(without(view.hand, tile), view.melds) <= lowest:
            return number
        if kind_of(number) == KONG_CONCEALED and shanten(without(view.hand, tile, 4), view.melds + 1) <= lowest:
            return number
    best = [tile for tile in discards if shantens[tile] == lowest]
    return action(DISCARD, max(best, key=lambda tile: (live_effective(view, tile), tile)))


def live_effective(view: View, discard: int) -> int:
    """How many copies the seat has not seen of the tiles that would improve the hand after a discard."""
    hand = without(view.hand, discard)
    now = shanten(hand, view.melds)
    live = 0
    for tile in range(34):
        if hand[tile] < COPIES and shanten(hands.with_change(hand, tile, 1), view.melds) < now:
            live += COPIES - view.seen[tile]
    return live


def fast_reaction(view: View, legal: list[int]) -> int:
    """Kong if that costs nothing, pung or chow if that brings the hand closer, else pass."""
    now = shanten(view.hand, view.melds)
    by_kind = {kind_of(number): number for number in legal}
    tile = max(tile_of(number) for number in legal)  # all but PASS name the claimed tile
    if KONG in by_kind and shanten(without(view.hand, tile, 3), view.melds + 1) <= now:
        return by_kind[KONG]
    if PUNG in by_kind and after_best_discard(without(view.hand, tile, 2), view.melds + 1) < now:
        return by_kind[PUNG]
    for kind, above in ABOVE_LOWEST.items():
        if kind in by_kind:
            hand = hands.with_change(view.hand, tile, 1)
            for used in range(tile - above, tile - above + 3):
                hand = without(hand, used)
            if after_best_discard(hand, view.melds + 1) < now:
                return by_kind[kind]
    return action(PASS)


# ---- noisy -------------------------------------------------------------------------------------------------------


def play_noisy(view: View, legal: list[int], stream: Stream) -> int:
    """One decision in eight at random, the others fast."""
    return (play_random if stream.word() % 8 == 0 else play_fast)(view, legal, stream)


PLAYERS: dict[str, Player] = {"random": play_random, "fast": play_fast, "noisy": play_noisy}


# ---- whole deals -------------------------------------------------------------------------------------------------


def play_on(deal: Deal, fish: int = 2) -> list[Decision]:
    """Let the deal's named players play it to its end.

    Returns
    -------
    list of dict
        One entry for each decision, in the order asked: `seat`, `phase`, `legal` (ascending), `action`, and `event`,
        the number of events written before it.
    """
    streams = [Stream(deal.seed, deal.deal, PURPOSE_PLAYER + seat) for seat in range(4)]
    decisions: list[Decision] = []
    while deal.phase != "over":
        answers = {}
        for seat, legal in deal.asked():
            number = PLAYERS[deal.players[seat]](view_of(deal, seat, fish), legal, streams[seat])
            answers[seat] = number
            decisions.append(
                {"seat": seat, "phase": deal.phase, "legal": legal, "action": number, "event": len(deal.events)}
            )
        deal.act(answers)
    return decisions


def play(
    seed: int,
    deal: int,
    dealer: int,
    players: Sequence[str] = ("fast",) * 4,
    fish: int = 2,
    options: Mapping[str, Any] | None = None,
    *,
    rules: str = "liuzhou",
) -> tuple[list[Event], list[Decision], dict[str, Any]]:
    """Play one deal.

    Parameters
    ----------
    seed, deal, dealer : int
        Which deal, and the dealer's seat.
    players : sequence of str
        Names of `PLAYERS` by seat.
    fish : int
        How many labels `fast` takes.
    options : mapping, optional
        What differs from the ruleset's options.
    rules : str
        The name of the ruleset.

    Returns
    -------
    events, decisions, row
        The replay lines, the decisions of `play_on`, and the data row of `referee.row`.
    """
    state = Deal(seed, deal, dealer, options, players=players, rules=rules)
    decisions = play_on(state, fish)
    return state.events, decisions, row(state)
