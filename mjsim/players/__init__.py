"""How a seat decides: the contract, the built-in players, and their names."""

from collections.abc import Sequence
from typing import Final

from mjsim.contract import Player
from mjsim.errors import PlayerError
from mjsim.players.fast import FAST
from mjsim.players.noisy import NOISY
from mjsim.players.random import RANDOM
from mjsim.players.rollout import ROLLOUT
from mjsim.players.value.decide import VALUE
from mjsim.state import SEATS
from mjsim.tiles import quoted

BUILTIN: Final = {each.name: each for each in (FAST, NOISY, RANDOM, ROLLOUT, VALUE)}
DEFAULT: Final = "value"

#: The built-in players that play tens of thousands of deals a second; `rollout` takes its time.
QUICK: Final = tuple(name for name in BUILTIN if name != ROLLOUT.name)

PlayerChoice = str | Player
PlayersChoice = PlayerChoice | Sequence[PlayerChoice]


def players_for_seats(choice: PlayersChoice) -> tuple[Player, Player, Player, Player]:
    """One player per seat.

    Parameters
    ----------
    choice : str, Player, or sequence of four of them
        A name, or several separated by commas; one player sits everywhere.

    Raises
    ------
    PlayerError
        Naming the seat and the name that is not known.

    Examples
    --------
    >>> [each.name for each in players_for_seats("fast,random,random,random")]
    ['fast', 'random', 'random', 'random']
    """
    if isinstance(choice, str):
        choices: Sequence[PlayerChoice] = [part.strip() for part in choice.split(",")]
    elif isinstance(choice, Sequence):
        choices = choice
    else:
        choices = [choice]
    if len(choices) == 1:
        choices = [choices[0]] * SEATS
    if len(choices) != SEATS:
        raise PlayerError(f"{len(choices)} players: give one for all seats, or four")
    first, second, third, fourth = (_player(seat, each) for seat, each in enumerate(choices))
    return first, second, third, fourth


def _player(seat: int, choice: PlayerChoice) -> Player:
    if isinstance(choice, Player):
        return choice
    if not isinstance(choice, str):
        raise PlayerError(f"seat {seat}: {choice!r} is no player; decorate the function with @mjsim.player")
    if choice not in BUILTIN:
        raise PlayerError(f"seat {seat}: no player is called {quoted(choice)}; there are {', '.join(BUILTIN)}")
    return BUILTIN[choice]
