"""The 34 kinds of tiles, their notation, and the seat a rank belongs to.

A *kind* is a number 0–33: 1m–9m (characters 万), 1p–9p (dots 筒), 1s–9s (bamboo 条), then 1z–7z
(东 南 西 北 白 发 中). There are four tiles of each kind, 136 in all (rules.md section 0).
"""

from collections.abc import Iterable, Sequence

from mjsim.errors import TilesError

KINDS = 34
COPIES = 4
TILES = KINDS * COPIES
SUITS = "mpsz"

_HONOURS_ZH = "东南西北白发中"
_RANKS_ZH = "一二三四五六七八九"
_SUITS_ZH = "万筒条"

# Fish and horses belong to a seat by rank: 1, 5, 9 the dealer, 2, 6 the next, and so on; the honours
# 东 南 西 北 白 发 中 are dealer, next, opposite, previous, opposite, next, dealer (rules.md A, fishing).
_HONOUR_OFFSETS = (0, 1, 2, 3, 2, 1, 0)
SEAT_OFFSETS: tuple[int, ...] = tuple(rank % 4 for _ in range(3) for rank in range(9)) + _HONOUR_OFFSETS


def quoted(words: str) -> str:
    """A text as messages show it: in quotes, and shortened where it is long.

    >>> quoted("19m"), quoted("1" * 100)[:8]
    ("'19m'", "'1111111")
    """
    return repr(shortened(words))


def shortened(words: str) -> str:
    """A text, cut where it is long.

    >>> shortened("1" * 100)[-3:]
    '11…'
    """
    return words if len(words) <= 60 else words[:60] + "…"


def suit_of(kind: int) -> int:
    """Suit of a kind: 0 characters, 1 dots, 2 bamboo, 3 honours."""
    return kind // 9


def name(kind: int) -> str:
    """Notation of one kind.

    >>> name(0), name(33)
    ('1m', '7z')
    """
    if not 0 <= kind < KINDS:
        raise TilesError(f"tile kind {kind} does not exist (kinds are 0 to 33)")
    return f"{kind % 9 + 1}{SUITS[kind // 9]}"


def name_zh(kind: int) -> str:
    """Chinese name of one kind.

    >>> name_zh(4), name_zh(32)
    ('五万', '发')
    """
    suit, rank = divmod(kind, 9)
    return _HONOURS_ZH[rank] if suit == 3 else _RANKS_ZH[rank] + _SUITS_ZH[suit]


def text(kinds: Iterable[int]) -> str:
    """Notation of several kinds in ascending order, equal suits sharing their letter.

    >>> text([27, 0, 1, 2, 13, 13])
    '123m55p1z'
    """
    ordered = sorted(kinds)
    parts = []
    for suit, letter in enumerate(SUITS):
        ranks = "".join(str(kind % 9 + 1) for kind in ordered if kind // 9 == suit)
        if ranks:
            parts.append(ranks + letter)
    return "".join(parts)


def parse(notation: str) -> list[int]:
    """Kinds named by a text such as ``123m55p1z``, in the order written.

    Parameters
    ----------
    notation : str
        Ranks followed by their suit letter ``m``, ``p``, ``s`` or ``z``; spaces are allowed between groups.

    Returns
    -------
    list of int
        Kinds 0–33. How many of a kind there are is not limited here; see `counts_of`.

    Raises
    ------
    TilesError
        Naming the character and its position.

    Examples
    --------
    >>> parse("19m 7z")
    [0, 8, 33]
    >>> parse("0m")
    Traceback (most recent call last):
        ...
    mjsim.errors.TilesError: '0m': there is no 0m (ranks are 1 to 9)
    """
    kinds: list[int] = []
    ranks: list[int] = []
    for position, character in enumerate(notation, 1):
        if character in SUITS:
            if not ranks:
                raise TilesError(f"{quoted(notation)}: suit {character!r} at position {position} has no rank before it")
            kinds += [_kind(notation, rank, character) for rank in ranks]
            ranks = []
        elif character in "0123456789":
            ranks.append(int(character))
        elif character == " " and not ranks:
            continue
        else:
            raise TilesError(
                f"{quoted(notation)}: {character!r} at position {position} is no rank (1 to 9) and no suit (m, p, s, z)"
            )
    if ranks:
        raise TilesError(f"{quoted(notation)}: rank {ranks[-1]} at the end has no suit (m, p, s or z) after it")
    return kinds


def parse_tile(notation: str) -> int:
    """The kind named by a text of one tile.

    >>> parse_tile("5p")
    13
    """
    kinds = parse(notation)
    if len(kinds) != 1:
        raise TilesError(f"{quoted(notation)}: one tile expected, found {len(kinds)}")
    return kinds[0]


def counts_of(kinds: Iterable[int]) -> list[int]:
    """How many of each of the 34 kinds; refuses five of a kind.

    >>> counts_of(parse("111m"))[:3]
    [3, 0, 0]
    >>> counts_of(parse("11111m"))
    Traceback (most recent call last):
        ...
    mjsim.errors.TilesError: 5 copies of 1m: there are only four of each kind
    """
    counts = [0] * KINDS
    for kind in kinds:
        counts[kind] += 1
    for kind, count in enumerate(counts):
        if count > COPIES:
            raise TilesError(f"{count} copies of {name(kind)}: there are only four of each kind")
    return counts


def kinds_of(counts: Sequence[int]) -> list[int]:
    """The kinds of a count vector, ascending, each as often as it is held.

    >>> text(kinds_of(counts_of(parse("311m"))))
    '113m'
    """
    return [kind for kind, count in enumerate(counts) for _ in range(int(count))]


def _kind(notation: str, rank: int, suit: str) -> int:
    if rank == 0:
        raise TilesError(f"{quoted(notation)}: there is no 0{suit} (ranks are 1 to 9)")
    if suit == "z" and rank > 7:
        raise TilesError(f"{quoted(notation)}: there is no {rank}z (honours are 1z to 7z)")
    return SUITS.index(suit) * 9 + rank - 1
