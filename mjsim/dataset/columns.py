"""The registry of columns: name, type, meaning and range of everything that is recorded about a deal.

The registry is the only place that names columns: kernels fill `ROW` records, `to_columns` turns them into one array
per column, Parquet files carry these types, and ``docs/columns.md`` is written from it.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mjsim import jit
from mjsim.deal.play import next_dealer
from mjsim.hands.types import TYPE_NAMES
from mjsim.memory import spread
from mjsim.settle import SEAT_OFFSET_ARRAY
from mjsim.state import FISH_TILES, HORSES, NONE, SEATS, Int, Record, new_records
from mjsim.tiles import KINDS, TILES

OUTCOMES: Final = ("self_draw", "discard", "rob_kong", "drawn")
PAIRS: Final = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes
    ----------
    name : str
        As in Parquet files and data frames.
    dtype : numpy.dtype
        Type of its numbers; a column with ``labels`` holds indices into them.
    meaning : str
        What it is, with unit and range.
    field : str
        The field of `ROW` it comes from.
    index : int or None
        Which member of that field, if it is an array.
    labels : tuple of str
        Texts of an enumerated column.
    limits : tuple of int or None
        Its smallest and its largest possible value; None where only the type limits it.
    """

    name: str
    dtype: np.dtype[Any]
    meaning: str
    field: str
    index: int | None = None
    labels: tuple[str, ...] = ()
    limits: tuple[int, int] | None = None


@dataclass(frozen=True)
class _Group:
    """Columns that share a field of `ROW`: one, one per seat, or one per listed ending."""

    field: str
    dtype: type[np.generic]
    meaning: str
    endings: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    limits: tuple[int, int] | None = None


#: A seat, and one that need not be; a kind of tile that need not be; tiles that can be drawn after the deal.
_A_SEAT: Final = (0, SEATS - 1)
_SEAT_OR_NONE: Final = (NONE, SEATS - 1)
_KIND_OR_NONE: Final = (NONE, KINDS - 1)
_DRAWABLE: Final = TILES - 13 * SEATS - 1
#: The farthest a hand can be from complete without counting seven pairs.
_FARTHEST: Final = 8

_SEATS: Final = tuple(str(seat) for seat in range(SEATS))
_SEAT: Final = "seat s (0-3)"

_GROUPS: Final = (
    _Group("deal", np.int64, "index of the deal, from 0"),
    _Group("session", np.uint32, "index of the session: deal // session length"),
    _Group("hand", np.uint16, "index of the deal within its session, from 0"),
    _Group("dealer", np.uint8, "the dealer's seat, 0-3", limits=_A_SEAT),
    _Group("next_dealer", np.uint8, "who deals next, by the rules", limits=_A_SEAT),
    _Group("dice", np.uint8, "the two dice as a two-digit number, 11-66", limits=(11, 66)),
    _Group("outcome", np.uint8, "how the deal ended", labels=OUTCOMES, limits=(0, len(OUTCOMES) - 1)),
    _Group("winners", np.uint8, "winning seats: bit s for seat s; 0 for a drawn deal", limits=(0, (1 << SEATS) - 1)),
    _Group(
        "from_seat",
        np.int8,
        "seat that discarded the winning tile or whose kong was robbed; -1 otherwise",
        limits=_SEAT_OR_NONE,
    ),
    _Group(
        "payer",
        np.int8,
        "seat that pays all three shares (kong's giver, discarder after a kong); else -1",
        limits=_SEAT_OR_NONE,
    ),
    _Group("win_tile", np.int8, "kind of the winning tile, 0-33; -1 for a drawn deal", limits=_KIND_OR_NONE),
    _Group("draws", np.uint8, "tiles drawn after the deal by all seats, replacements included", limits=(0, _DRAWABLE)),
    _Group("left", np.uint8, "live tiles left in the wall at the end", limits=(0, _DRAWABLE)),
    _Group("chain", np.uint8, "kongs in the chain before the winning tile (a robbed one included)", limits=(0, 16)),
    _Group(
        "types",
        np.uint32,
        f"hand types and events of {_SEAT}'s win as bits, see below",
        _SEATS,
        limits=(0, (1 << len(TYPE_NAMES)) - 1),
    ),
    _Group("quads", np.uint8, f"quads in {_SEAT}'s winning seven pairs", _SEATS, limits=(0, 3)),
    _Group(
        "points",
        np.int32,
        f"points of one share of {_SEAT}'s win, with its events, before liability",
        _SEATS,
        limits=(0, (1 << 31) - 1),
    ),
    _Group("hand", np.int32, f"points {_SEAT} won or lost by winning hands, liability included", _SEATS),
    _Group("liability", np.int32, f"the part of hand_s moved by three-meld liability, {_SEAT}", _SEATS),
    _Group("kongs", np.int32, f"points {_SEAT} won or lost by kongs", _SEATS),
    _Group("fish", np.int32, f"points {_SEAT} won or lost by fish", _SEATS),
    _Group("net", np.int32, f"points {_SEAT} won or lost in all: hand + kongs + fish", _SEATS),
    _Group(
        "flow",
        np.int32,
        "points that the first seat won from the second by hands and kongs (negative: lost); fish not included",
        tuple(f"{first}{second}" for first, second in PAIRS),
    ),
    _Group("fish_labels", np.uint8, f"fish labels that {_SEAT} took: bit i - 1 for label i", _SEATS),
    _Group(
        "fish_tile",
        np.int8,
        "kind of the tile under a fish label (1-8); -1 without fishing",
        tuple(str(label) for label in range(1, FISH_TILES + 1)),
        limits=_KIND_OR_NONE,
    ),
    _Group(
        "horse_tile",
        np.int8,
        "kind of a horse turned over; -1 if none",
        tuple(str(n) for n in range(1, HORSES + 1)),
        limits=_KIND_OR_NONE,
    ),
    _Group("horse_hits", np.uint8, "horses that belong to the winner", limits=(0, HORSES)),
    _Group(
        "rest",
        np.uint8,
        "undrawn live tiles that as horses would belong to seat s (0-3)",
        _SEATS,
        limits=(0, _DRAWABLE),
    ),
    _Group(
        "start_shanten",
        np.int8,
        f"shanten of {_SEAT}'s dealt hand (13 tiles, the dealer's 14)",
        _SEATS,
        limits=(-1, _FARTHEST),
    ),
    _Group(
        "end_shanten", np.int8, f"shanten of {_SEAT}'s hand at the end; -1 for a winner", _SEATS, limits=(-1, _FARTHEST)
    ),
    _Group(
        "ready_draw",
        np.int8,
        f"tiles drawn by all seats when {_SEAT}'s hand at rest was first ready; -1 if it never was",
        _SEATS,
        limits=(NONE, _DRAWABLE),
    ),
    _Group("melds", np.uint8, f"melds that {_SEAT} made, concealed kongs included", _SEATS, limits=(0, 4)),
    _Group("kongs_direct", np.uint8, f"direct kongs of {_SEAT}", _SEATS, limits=(0, 4)),
    _Group("kongs_added", np.uint8, f"added kongs of {_SEAT}, robbed ones not counted", _SEATS, limits=(0, 4)),
    _Group("kongs_concealed", np.uint8, f"concealed kongs of {_SEAT}", _SEATS, limits=(0, 4)),
    _Group("robbed", np.uint8, "1 if an added kong was robbed", limits=(0, 1)),
    _Group("links", np.uint16, "three-meld relations: bit maker * 4 + giver"),
    _Group("blocked", np.uint8, f"times a lock (or a seal) forbade {_SEAT} to win on another's tile", _SEATS),
)


def _field(group: _Group) -> str:
    """Field name of a group; ``hand`` names both a single column and a group of seats."""
    return f"{group.field}_by_{len(group.endings)}" if group.endings else group.field


#: One deal as the kernels write it.
ROW: Final = np.dtype(
    [
        (_field(group), group.dtype, (len(group.endings),)) if group.endings else (group.field, group.dtype)
        for group in _GROUPS
    ],
    align=True,
)

COLUMNS: Final[tuple[Column, ...]] = tuple(
    Column(
        name=f"{group.field}_{ending}" if ending else group.field,
        dtype=np.dtype(group.dtype),
        meaning=group.meaning,
        field=_field(group),
        index=index if ending else None,
        labels=group.labels,
        limits=group.limits,
    )
    for group in _GROUPS
    for index, ending in enumerate(group.endings or ("",))
)
COLUMN_NAMES: Final = tuple(column.name for column in COLUMNS)

#: Where a column is in a `ROW` (``offset``, ``width``, in bytes) and where its next number goes.
PLACE: Final = np.dtype([("offset", np.int64), ("width", np.int64), ("address", np.uint64)])

_FIELDS: Final[Any] = ROW.fields
_WIDTHS: Final = np.array([column.dtype.itemsize for column in COLUMNS], np.uint64)
_OFFSETS: Final = np.array(
    [_FIELDS[column.field][1] + (column.index or 0) * column.dtype.itemsize for column in COLUMNS], np.int64
)
_FIRST_OF_PAIR: Final = tuple(first for first, _ in PAIRS)
_SECOND_OF_PAIR: Final = tuple(second for _, second in PAIRS)


def empty_columns(deals: int) -> dict[str, npt.NDArray[Any]]:
    """Uninitialised arrays for so many deals, one per column."""
    return {column.name: np.empty(deals, column.dtype) for column in COLUMNS}


def places_in(columns: dict[str, npt.NDArray[Any]], start: int, end: int) -> Any:
    """Where `move_rows` is to write the deals of these positions.

    Parameters
    ----------
    columns : dict of numpy.ndarray
        All columns, which must outlive what is returned.
    start, end : int
        Position of the first deal, and one past the last.

    Returns
    -------
    numpy.recarray of dtype `PLACE`, shape (column,)

    Raises
    ------
    ValueError
        An array that is no column's, or that the deals do not fit into.
    """
    addresses = []
    for column in COLUMNS:
        values = columns[column.name]
        # "carray" is one look for: without gaps, aligned and writeable.
        if not (0 <= start <= end <= len(values) and values.dtype == column.dtype and values.flags.carray):
            raise ValueError(
                f"column {column.name}: no room for deals {start} to {end} in {values.dtype}[{len(values)}]"
            )
        addresses.append(values.__array_interface__["data"][0])
    places = new_records(PLACE, len(COLUMNS))
    places.width = _WIDTHS
    places.offset = _OFFSETS
    places.address = np.array(addresses, np.uint64) + np.uint64(start) * _WIDTHS
    return places


@jit.kernel
def move_rows(rows: Any, number: Int, places: Any) -> None:
    """Write so many rows into the columns, where the next ones will follow them."""
    for column in range(places.shape[0]):
        place = places[column]
        spread(rows, number, place.offset, place.width, place.address)
        place.address += np.uint64(number * place.width)


@jit.kernel
def write_row(row: Record, deal: Record, settlement: Record, session: Int) -> None:
    """Record a finished and settled deal."""
    table = deal.table
    tally = deal.tally
    row.deal = table.deal
    row.session = session
    row.hand = table.hand
    row.dealer = table.dealer
    row.next_dealer = next_dealer(deal)
    row.dice = 10 * table.dice[0] + table.dice[1]
    row.outcome = tally.outcome
    row.winners = tally.winners
    row.from_seat = tally.giver
    row.payer = settlement.payer
    row.win_tile = tally.tile
    row.draws = tally.draws
    row.left = table.left
    row.chain = tally.chain_length
    row.robbed = tally.robbed
    row.horse_hits = settlement.horse_hits
    for horse in range(HORSES):
        row.horse_tile_by_4[horse] = tally.horse_tile[horse] if horse < tally.horse_count else NONE
    links = 0
    for seat in range(SEATS):
        if tally.giver_of[seat] != NONE:
            links |= 1 << (4 * seat + tally.giver_of[seat])
        write_seat(row, deal, settlement, seat)
    row.links = links
    for pair in range(len(PAIRS)):
        row.flow_by_6[pair] = settlement.flow[_FIRST_OF_PAIR[pair], _SECOND_OF_PAIR[pair]]
    for label in range(FISH_TILES):
        row.fish_tile_by_8[label] = deal.wall.fish_tile[label]
    count_rest(row, deal)


@jit.kernel
def write_seat(row: Record, deal: Record, settlement: Record, seat: Int) -> None:
    """Record what concerns one seat."""
    own = deal.seats[seat]
    tally = deal.tally
    row.types_by_4[seat] = settlement.types[seat]
    row.quads_by_4[seat] = settlement.quads[seat]
    row.points_by_4[seat] = settlement.points[seat]
    row.hand_by_4[seat] = settlement.hand[seat]
    row.liability_by_4[seat] = settlement.liability[seat]
    row.kongs_by_4[seat] = settlement.kongs[seat]
    row.fish_by_4[seat] = settlement.fish[seat]
    row.net_by_4[seat] = settlement.net[seat]
    row.fish_labels_by_4[seat] = own.labels
    row.start_shanten_by_4[seat] = tally.start_shanten[seat]
    row.end_shanten_by_4[seat] = NONE if tally.winners >> seat & 1 else own.shanten
    row.ready_draw_by_4[seat] = tally.ready_draw[seat]
    row.melds_by_4[seat] = own.meld_count
    row.kongs_direct_by_4[seat] = tally.kongs[seat, 0]
    row.kongs_added_by_4[seat] = tally.kongs[seat, 1]
    row.kongs_concealed_by_4[seat] = tally.kongs[seat, 2]
    row.blocked_by_4[seat] = tally.blocked[seat]


@jit.kernel
def count_rest(row: Record, deal: Record) -> None:
    """Count the undrawn live tiles by the seat they would belong to."""
    for seat in range(SEATS):
        row.rest_by_4[seat] = 0
    for index in range(deal.wall.front, deal.wall.back):
        seat = (deal.table.dealer + SEAT_OFFSET_ARRAY[deal.wall.tiles[index]]) & 3
        row.rest_by_4[seat] += 1
