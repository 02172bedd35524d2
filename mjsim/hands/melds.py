"""Melds as people write them: ``chow 234m <3``, ``pung 5m <0``, ``kong 5m <0``, ``kong+ 5m <0``, ``kong- 5m``."""

import re
from dataclasses import dataclass
from typing import Final

from mjsim.errors import TilesError
from mjsim.state import ADDED_KONG, CHOW_MELD, CONCEALED_KONG, DIRECT_KONG, NONE, PUNG_MELD, SEATS
from mjsim.tiles import name, parse, quoted, text

WORDS: Final = {
    "chow": CHOW_MELD,
    "pung": PUNG_MELD,
    "kong": DIRECT_KONG,
    "kong+": ADDED_KONG,
    "kong-": CONCEALED_KONG,
}
_NAMES: Final = {kind: word for word, kind in WORDS.items()}
_PATTERN: Final = re.compile(r"(\S+) (\S+)(?: <([0-9]))?")


@dataclass(frozen=True)
class Meld:
    """One meld.

    Attributes
    ----------
    kind : int
        `mjsim.state.CHOW_MELD` and so on.
    tile : int
        Kind of its tiles; the lowest of a chow.
    giver : int
        Seat whose discard it was made from, −1 if none or not known.
    """

    kind: int
    tile: int
    giver: int = NONE

    @property
    def tiles(self) -> list[int]:
        """The kinds of its three or four tiles."""
        if self.kind == CHOW_MELD:
            return [self.tile, self.tile + 1, self.tile + 2]
        return [self.tile] * (3 if self.kind == PUNG_MELD else 4)

    def __str__(self) -> str:
        tiles = text(self.tiles) if self.kind == CHOW_MELD else name(self.tile)
        return f"{_NAMES[self.kind]} {tiles}" + (f" <{self.giver}" if self.giver != NONE else "")


def parse_meld(words: str) -> Meld:
    """Read one meld.

    Parameters
    ----------
    words : str
        As in the score-case format; ``<s``, the seat whose discard it was made from, may be left out.

    Raises
    ------
    TilesError
        Saying what is wrong with it.

    Examples
    --------
    >>> parse_meld("chow 234m <3")
    Meld(kind=1, tile=1, giver=3)
    >>> str(parse_meld("kong- 5m"))
    'kong- 5m'
    >>> parse_meld("chow 135m <3")
    Traceback (most recent call last):
        ...
    mjsim.errors.TilesError: meld 'chow 135m <3': 135m is not three in a row of one suit
    """
    matched = _PATTERN.fullmatch(words)
    if matched is None or matched[1] not in WORDS:
        raise TilesError(f"meld {quoted(words)}: write {', '.join(WORDS)} and its tile, then <seat, as in 'pung 5m <0'")
    kind = WORDS[matched[1]]
    giver = NONE if matched[3] is None else int(matched[3])
    if giver >= SEATS:
        raise TilesError(f"meld {quoted(words)}: seat {giver} does not exist (seats are 0 to 3)")
    if kind == CONCEALED_KONG and giver != NONE:
        raise TilesError(f"meld {quoted(words)}: nobody gives a concealed kong")
    try:
        tiles = parse(matched[2])
    except TilesError as error:
        raise TilesError(f"meld {quoted(words)}: {error}") from None
    if kind != CHOW_MELD:
        if len(tiles) != 1:
            raise TilesError(f"meld {quoted(words)}: one tile names a pung or kong")
        return Meld(kind, tiles[0], giver)
    low = min(tiles)
    if sorted(tiles) != [low, low + 1, low + 2] or low // 9 != (low + 2) // 9 or low >= 27:
        raise TilesError(f"meld {quoted(words)}: {matched[2]} is not three in a row of one suit")
    return Meld(kind, low, giver)
