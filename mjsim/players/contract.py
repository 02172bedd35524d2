"""What a player is given and what it answers: the contract of ``docs/players.md``.

A player is a function ``decide(view, legal, rng) -> action``. ``view`` holds four records: ``own``
(`mjsim.state.SEAT`: this seat's hand), ``table`` (`mjsim.state.TABLE`: what lies open), ``rules``
(`mjsim.rules.packed.RULES`) and ``tables`` (the evaluator's). ``legal`` (`mjsim.state.LEGAL`) has a set of tiles for
each kind of action; ``rng`` is the seat's own stream of random words, for `next_word` and `below`.
"""

import functools
import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError

from mjsim import jit
from mjsim.bits import ZERO, count, has
from mjsim.errors import PlayerError
from mjsim.hands.tables import TABLES
from mjsim.rules.packed import RULES
from mjsim.state import FISH_PHASE, LEGAL, SEAT, SEATS, STREAM, TABLE, Flag, Int, Record

#: Version of the view's records; rises when a field changes its meaning or goes away.
VIEW_VERSION: Final = 1

# Kinds of actions; an action is kind × 256 + tile.
PASS: Final = 0
WIN: Final = 1
DISCARD: Final = 2
CHOW_LOW: Final = 3
CHOW_MIDDLE: Final = 4
CHOW_HIGH: Final = 5
PUNG: Final = 6
KONG: Final = 7
KONG_ADDED: Final = 8
KONG_CONCEALED: Final = 9
FISH: Final = 10

ACTION_NAMES: Final = (
    "pass",
    "win",
    "discard",
    "chow_low",
    "chow_middle",
    "chow_high",
    "pung",
    "kong",
    "kong_added",
    "kong_concealed",
    "fish",
)


class View(NamedTuple):
    """What a seat may know when it decides."""

    own: Record
    table: Record
    rules: Record
    tables: Record


Decide = Callable[[View, Record, Record], int]

_types: Any = types

VIEW_TYPE: Final = _types.NamedTuple(
    (jit.record_type(SEAT), jit.record_type(TABLE), jit.record_type(RULES), jit.record_type(TABLES)), View
)
DECIDE: Final = types.int64(VIEW_TYPE, jit.record_type(LEGAL), jit.record_type(STREAM))
PLAYERS_TYPE: Final = _types.UniTuple(_types.FunctionType(DECIDE), SEATS)


@dataclass(frozen=True)
class Player:
    """A named way to decide.

    Attributes
    ----------
    name : str
        What reports call it.
    function : callable
        The plain Python function.
    builtin : bool
        Whether it is part of mjsim (its compiled form is then kept on disk).
    """

    name: str
    function: Decide
    builtin: bool = field(default=False, compare=False)

    @property
    def source_hash(self) -> str:
        """The first 16 hexadecimal digits of the sha256 of the source of the function and of all it calls.

        What it calls is followed through its own module and mjsim's players; the engine below has its own version.
        """
        sources: dict[str, str] = {}
        _collect_sources(self.function, self.function.__module__, sources)
        text = "\n".join(sources[name] for name in sorted(sources))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @functools.cached_property
    def compiled(self) -> Any:
        """The function compiled to the contract's signature; the function itself with the JIT off."""
        if jit.DISABLED:
            return self.function
        if self.builtin:
            return jit.entry(DECIDE)(self.function)
        try:
            return numba.njit(DECIDE, error_model="numpy", nogil=True)(self.function)
        except (NumbaError, TypeError, KeyError, AttributeError) as error:
            raise PlayerError(f"player {self.name!r} cannot be compiled: {error}") from error


def _collect_sources(function: Any, home: str, sources: dict[str, str]) -> None:
    """Add the source of a function and of the functions it names that belong to its home or to mjsim's players."""
    plain = inspect.unwrap(getattr(function, "py_func", function))
    name = f"{plain.__module__}.{plain.__qualname__}"
    if name in sources:
        return
    try:
        sources[name] = inspect.getsource(plain)
    except OSError:
        # Made from a text that is gone: its bytecode stands in.
        sources[name] = plain.__code__.co_code.hex()
    for called in plain.__code__.co_names:
        found = getattr(plain.__globals__.get(called), "py_func", plain.__globals__.get(called))
        if inspect.isfunction(found) and (found.__module__ == home or found.__module__.startswith("mjsim.players.")):
            _collect_sources(found, home, sources)


def player(function: Decide) -> Player:
    """Make a function a player, to be passed to `mjsim.simulate`.

    Parameters
    ----------
    function : callable
        ``decide(view, legal, rng) -> int``, in the part of Python that numba compiles.

    Returns
    -------
    Player
        Named like the function.

    Examples
    --------
    A player that always passes and discards its lowest tile:

    >>> import mjsim
    >>> @mjsim.player
    ... def lazy(view, legal, rng):
    ...     for tile in range(34):
    ...         if mjsim.has(legal.discard, tile):
    ...             return mjsim.DISCARD * 256 + tile
    ...     return mjsim.PASS * 256 if legal.passing else mjsim.FISH * 256
    >>> lazy.name
    'lazy'
    """
    if not inspect.isfunction(function):
        raise PlayerError(f"{function!r} is no function decide(view, legal, rng)")
    return Player(function.__name__, function)


@jit.inlined
def action(kind: Int, tile: Int) -> Int:
    """The number of an action."""
    return np.int64(kind * 256 + tile)


@jit.kernel
def legal_tiles(legal: Record, kind: Int) -> Any:
    """The set of tiles with which an action of this kind is legal; for `FISH` the set of free labels."""
    if kind == DISCARD:
        return legal.discard
    if kind == PASS:
        return legal.passing
    if kind == WIN:
        return legal.win
    if kind == CHOW_LOW:
        return legal.chow_low
    if kind == CHOW_MIDDLE:
        return legal.chow_middle
    if kind == CHOW_HIGH:
        return legal.chow_high
    if kind == PUNG:
        return legal.pung
    if kind == KONG:
        return legal.kong
    if kind == KONG_ADDED:
        return legal.kong_added
    if kind == KONG_CONCEALED:
        return legal.kong_concealed
    if kind == FISH:
        return legal.fish
    return ZERO


@jit.kernel
def is_legal(view: View, legal: Record, chosen: Int) -> Flag:
    """Whether an action is among the legal ones."""
    kind = chosen >> 8
    tile = chosen & 255
    if chosen < 0 or kind > FISH:
        return False
    if kind == FISH:
        labels = np.uint64(tile)
        # Taking no label is legal in a fish decision and nowhere else.
        allowed = labels & ~legal.fish == ZERO and count(labels) <= view.rules.max_labels
        return view.table.phase == FISH_PHASE and allowed
    return tile < 34 and has(legal_tiles(legal, kind), tile)
