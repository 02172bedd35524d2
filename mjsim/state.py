"""The memory of a deal: structured records that kernels read and write, and the words they are made of.

One `DEAL` record holds everything about the deal being played. Its parts are what one seat knows of itself (`SEAT`),
what lies open to everyone (`TABLE`), what nobody sees (`WALL`), the book the engine keeps for the columns (`TALLY`),
the random streams (`STREAM`) and, when a deal is shown, its events (`LOG`). Integers are 64 bits wide so that
arithmetic means the same with and without the JIT; −1 stands for no seat and no tile.
"""

from typing import Any, Final, TypeAlias

import numpy as np

Record: TypeAlias = np.record

# Types of numbers within kernels. Compiled they are machine words, with the JIT off whatever numpy makes of them.
Int: TypeAlias = Any  #: int64
Flag: TypeAlias = Any  #: bool

SEATS: Final = 4
NONE: Final = -1

# Kinds of melds.
NO_MELD: Final = 0
CHOW_MELD: Final = 1
PUNG_MELD: Final = 2
DIRECT_KONG: Final = 3
ADDED_KONG: Final = 4
CONCEALED_KONG: Final = 5

# Phases of a decision.
FISH_PHASE: Final = 0
TURN_PHASE: Final = 1
REACTION_PHASE: Final = 2

# How a deal ended.
SELF_DRAW: Final = 0
DISCARD_WIN: Final = 1
ROB_KONG: Final = 2
DRAWN: Final = 3

# Moments at which a win has a name of its own (rules.md D, first moments).
NO_MOMENT: Final = 0
DEALT: Final = 1
FIRST_DRAW: Final = 2
FIRST_DISCARD: Final = 3

MAX_EVENTS: Final = 640
EVENT_WORDS: Final = 5
MAX_DECISIONS: Final = 800
ACTION_KINDS: Final = 11
MAX_CHAIN: Final = 4
FISH_TILES: Final = 8
HORSES: Final = 4

_counts = ("counts", np.uint8, (34,))

#: One seat's own hand. ``counts``, ``ones``, ``twos``, ``fours`` and ``keys`` hold the concealed tiles in three forms:
#: number of each kind, binary digits as sets of kinds, and the evaluator's suit keys.
SEAT: Final = np.dtype(
    [
        ("ones", np.uint64),
        ("twos", np.uint64),
        ("fours", np.uint64),
        ("keys", np.uint64, (4,)),
        _counts,
        ("seat", np.int64),
        ("meld_count", np.int64),
        ("exposed_count", np.int64),
        ("meld_kind", np.int64, (4,)),
        ("meld_tile", np.int64, (4,)),
        ("meld_from", np.int64, (4,)),
        ("pungs", np.uint64),  # kinds of its exposed pungs, which may grow into kongs
        ("concealed_kongs", np.uint64),  # kinds of its concealed kongs, which the others cannot see
        ("shanten", np.int64),  # of the hand at rest: after the deal, a discard, or a kong
        ("waits", np.uint64),  # kinds that complete the hand at rest
        ("locked", np.uint64),  # kinds it may not win on until its next draw
        ("labels", np.uint64),  # fish labels taken: label i is bit i - 1
    ],
    align=True,
)

#: What lies open to every seat.
TABLE: Final = np.dtype(
    [
        ("version", np.int64),
        ("deal", np.int64),
        ("hand", np.int64),
        ("dealer", np.int64),
        ("dice", np.int64, (2,)),
        ("phase", np.int64),
        ("turn", np.int64),  # the seat whose turn it is
        ("tile", np.int64),  # the tile drawn (turn) or offered (reaction)
        ("giver", np.int64),  # the seat that offers the tile
        ("drew", np.int64),  # 1 while the turn began with a draw
        ("robbing", np.int64),  # 1 while an added kong is on offer
        ("left", np.int64),  # live tiles left
        ("last_tile", np.int64),  # 1 once no normal draw remains
        ("claimed", np.int64),  # 1 once any seat has claimed a discard
        ("chain_length", np.int64),  # kongs without a discard between, of the seat in turn or the discarder
        ("chain_kind", np.int64, (MAX_CHAIN,)),
        ("chain_from", np.int64, (MAX_CHAIN,)),
        ("discard_count", np.int64),
        ("discard_tile", np.uint8, (128,)),  # in the order of play, claimed ones too
        ("discard_seat", np.uint8, (128,)),
        ("ones", np.uint64),  # copies of each kind in view of everyone, as binary digits
        ("twos", np.uint64),
        ("fours", np.uint64),
        ("meld_count", np.int64, (SEATS,)),
        ("meld_kind", np.int64, (SEATS, 4)),
        ("meld_tile", np.int64, (SEATS, 4)),  # lowest tile of a chow; -1 for a concealed kong
        ("meld_from", np.int64, (SEATS, 4)),
        ("labels", np.uint64, (SEATS,)),
        ("fish_wanted", np.int64),  # labels that built-in players take (--fish)
    ],
    align=True,
)

#: The wall, hidden from every seat.
WALL: Final = np.dtype(
    [
        ("tiles", np.uint8, (136,)),
        ("words", np.uint64, (144,)),  # random words of the shuffle
        ("given", np.int64),  # 1: the tiles are set by the caller and not shuffled
        ("front", np.int64),  # next normal draw
        ("back", np.int64),  # one past the next replacement
        ("fish_tile", np.int64, (FISH_TILES,)),
    ],
    align=True,
)

#: What the engine notes for the columns and for the settlement.
TALLY: Final = np.dtype(
    [
        ("outcome", np.int64),
        ("winners", np.int64),  # bit mask of seats
        ("giver", np.int64),
        ("tile", np.int64),
        ("moment", np.int64),
        ("last_tile", np.int64),
        ("chain_length", np.int64),  # as on the table, but that the drawn end of a deal clears it
        ("chain_tile", np.int64, (MAX_CHAIN,)),
        ("chain_kind", np.int64, (MAX_CHAIN,)),
        ("chain_from", np.int64, (MAX_CHAIN,)),
        ("draws", np.int64),
        ("seat_draws", np.int64, (SEATS,)),
        ("robbed", np.int64),
        ("start_shanten", np.int64, (SEATS,)),
        ("ready_draw", np.int64, (SEATS,)),
        ("kongs", np.int64, (SEATS, 3)),  # direct, added, concealed
        ("blocked", np.int64, (SEATS,)),
        ("giver_of", np.int64, (SEATS,)),  # who gave this seat the melds that make him liable, if anyone did
        ("horse_count", np.int64),
        ("horse_tile", np.int64, (HORSES,)),
        ("bad_seat", np.int64),  # who chose an illegal action, and which
        ("bad_action", np.int64),
    ],
    align=True,
)

#: One stream of random words.
STREAM: Final = np.dtype(
    [("key", np.uint64, (2,)), ("counter", np.uint64, (4,)), ("words", np.uint64, (4,)), ("used", np.int64)],
    align=True,
)

#: The legal actions of one decision, a set of tiles for each kind of action, in the order of the action kinds.
LEGAL: Final = np.dtype(
    [
        ("passing", np.uint64),
        ("win", np.uint64),
        ("discard", np.uint64),
        ("chow_low", np.uint64),
        ("chow_middle", np.uint64),
        ("chow_high", np.uint64),
        ("pung", np.uint64),
        ("kong", np.uint64),
        ("kong_added", np.uint64),
        ("kong_concealed", np.uint64),
        ("fish", np.uint64),
    ],
    align=True,
)

#: The events of one deal, kept only while ``on`` is 1.
LOG: Final = np.dtype(
    [
        ("on", np.int64),
        ("event_count", np.int64),
        ("events", np.int64, (MAX_EVENTS, EVENT_WORDS)),
        ("decision_count", np.int64),
        ("decisions", np.uint64, (MAX_DECISIONS, 4 + ACTION_KINDS)),
    ],
    align=True,
)

#: Everything about the deal being played.
DEAL: Final = np.dtype(
    [
        ("seats", SEAT, (SEATS,)),
        ("table", TABLE),
        ("wall", WALL),
        ("tally", TALLY),
        ("streams", STREAM, (SEATS,)),
        ("scratch", STREAM),
        ("legal", LEGAL),
        ("log", LOG),
    ],
    align=True,
)


def new_records(dtype: np.dtype[Any], number: int) -> Any:
    """A zeroed, 64-byte aligned array of records whose fields are attributes.

    Parameters
    ----------
    dtype : numpy.dtype
        A structured dtype of this module.
    number : int
        How many.

    Returns
    -------
    numpy.recarray of shape (number,)

    Examples
    --------
    >>> new_records(STREAM, 2)[1].used
    np.int64(0)
    """
    raw = np.zeros(dtype.itemsize * number + 63, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + dtype.itemsize * number].view(dtype).view(np.recarray)


def new_record(dtype: np.dtype[Any]) -> Any:
    """One zeroed record; see `new_records`."""
    return new_records(dtype, 1)[0]
