"""What a player is given and what it answers: the contract of ``docs/players.md``.

A player is a function ``decide(view, legal, rng) -> action``. ``view`` holds four records: ``own``
(`mjsim.state.SEAT`: this seat's hand), ``table`` (`mjsim.state.TABLE`: what lies open), ``rules``
(`mjsim.rules.packed.RULES`) and ``tables`` (the evaluator's). ``legal`` (`mjsim.state.LEGAL`) has a set of tiles for
each kind of action; ``rng`` is the seat's own stream of random words, for `next_word` and `below`.
"""

import functools
import hashlib
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError

from mjsim import jit, memory
from mjsim.bits import ZERO, count, has
from mjsim.errors import PlayerError
from mjsim.hands.tables import TABLES
from mjsim.rules.packed import RULES
from mjsim.state import FISH_PHASE, LEGAL, SEAT, SEATS, STREAM, TABLE, Flag, Int, Record
from mjsim.tiles import KINDS, name

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


#: What a player can write into but must not, in the order of the bits of `tampered_answer`.
WRITTEN: Final = ("view.own", "view.table", "view.rules", "legal")
_ANSWERS: Final = 1 << 16

_PLAYERS: Final = "mjsim.players."


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


def _standing(module: str, name: str) -> Any:
    """What stands in a module under a name; None if nothing does."""
    return getattr(importlib.import_module(module), name, None)


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
    unnamed : tuple of callable
        What it calls without naming it, for the hash of its source.
    """

    name: str
    function: Decide
    builtin: bool = field(default=False, compare=False)
    unnamed: tuple[Callable[..., Any], ...] = field(default=(), compare=False, repr=False)

    def __reduce__(self) -> Any:
        """Sent to another process by its name where it stands in a module, or else by its function."""
        place = (self.function.__module__, getattr(self.function, "__qualname__", ""))
        if _standing(*place) is self:
            return _standing, place
        return Player, (self.name, self.function, self.builtin, self.unnamed)

    @property
    def source_hash(self) -> str:
        """The first 16 hexadecimal digits of the sha256 of the source of the function and of all it calls and reads.

        What it calls is followed through its own module and mjsim's players; the engine below has its own version.
        """
        sources: dict[str, str] = {}
        for function in (self.function, *self.unnamed):
            _collect_sources(function, function.__module__, sources)
        text = "\n".join(sources[name] for name in sorted(sources))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @functools.cached_property
    def compiled(self) -> Any:
        """The function compiled to the contract's signature; the function itself with the JIT off.

        A player that is not part of mjsim is `guarded`, and its arrays check their indices.
        """
        if jit.DISABLED:
            return self.function if self.builtin else guarded(self.function)
        if self.builtin:
            return jit.entry(DECIDE)(self.function)
        try:
            inner = numba.njit(DECIDE, error_model="numpy", nogil=True, boundscheck=True)(self.function)
        except (NumbaError, TypeError, KeyError, AttributeError) as error:
            raise PlayerError(f"player {self.name!r} cannot be compiled: {error}") from error
        return numba.njit(DECIDE, error_model="numpy", nogil=True)(guarded(inner))


def guarded(decide: Decide) -> Decide:
    """A player that is shown copies, so that nothing it writes there reaches the deal, and is found out if it does.

    Its answer is then `tampered_answer`, which is not legal. The evaluator's tables are too large to be copied for
    every decision: the engine looks at them after the deals.
    """

    def guard(view: View, legal: Record, rng: Record) -> int:
        own = memory.new(SEAT)
        table = memory.new(TABLE)
        rules = memory.new(RULES)
        permitted = memory.new(LEGAL)
        memory.copy(own, view.own)
        memory.copy(table, view.table)
        memory.copy(rules, view.rules)
        memory.copy(permitted, legal)
        chosen = decide(View(own, table, rules, view.tables), permitted, rng)
        written = 0
        if not memory.same(own, view.own):
            written += 1
        if not memory.same(table, view.table):
            written += 2
        if not memory.same(rules, view.rules):
            written += 4
        if not memory.same(permitted, legal):
            written += 8
        return tampered_answer(chosen, written) if written else chosen

    return guard


@jit.kernel
def tampered_answer(chosen: Int, written: Int) -> Int:
    """An answer that says which records (bits in the order of `WRITTEN`) a player wrote into, and what it chose."""
    shown = chosen if 0 <= chosen < _ANSWERS else _ANSWERS - 1
    return -(_ANSWERS * written + shown)


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
        if isinstance(found, np.ndarray):
            sources[f"{plain.__module__}.{called}"] = found.tobytes().hex()
        elif isinstance(found, int):
            sources[f"{plain.__module__}.{called}"] = repr(found)
        if inspect.isfunction(found) and (
            found.__module__ in (home, __name__) or found.__module__.startswith(_PLAYERS)
        ):
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


def decide_for(players: Any, seat: Int, view: View, legal: Record, rng: Record) -> Int:
    """Let the player of a seat decide."""
    return players[seat](view, legal, rng)


@jit.overloads(decide_for)
def _decide_for(players: Any, seat: Int, view: View, legal: Record, rng: Record) -> Any:
    """Compile `decide_for` for four players. Who has another sort adds an overload, as `mjsim.players.worlds` does."""
    if players == PLAYERS_TYPE:
        return lambda players, seat, view, legal, rng: players[seat](view, legal, rng)
    return None


def describe(number: int) -> str:
    """An action, and what was wrong with it besides, as a message says it.

    >>> describe(516)
    '516 (discard 5m)'
    >>> describe(-1)
    '-1 (no action)'
    >>> describe(int(tampered_answer(516, 2 + 8)))
    '516 (discard 5m) after writing into view.table and legal'
    """
    if number <= -_ANSWERS:
        written, number = divmod(-number, _ANSWERS)
        names = [record for place, record in enumerate(WRITTEN) if written >> place & 1]
        return f"{describe(number)} after writing into {' and '.join(names)}"
    kind, tile = number >> 8, number & 255
    words = ACTION_NAMES[kind] if 0 <= kind < len(ACTION_NAMES) else "no action"
    if tile < KINDS and kind not in (PASS, FISH) and words != "no action":
        words += f" {name(tile)}"
    return f"{number} ({words})"


@jit.inlined
def action(kind: Int, tile: Int) -> Int:
    """The number of an action."""
    return np.int64(kind * 256 + tile)


@jit.inlined
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


@jit.inlined
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
