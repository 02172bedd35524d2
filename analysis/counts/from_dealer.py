"""The recorded columns of some deals, with seats counted from the dealer instead of from seat 0.

Here a frame of any library becomes NumPy's arrays, so that everything after is computed once and the same for all.
"""

from functools import reduce
from typing import Any, Final

import narwhals as nw
import numpy as np
import numpy.typing as npt

from analysis.counts.measures import KONGS, LABELS, SEATS, Column, Columns, at, total
from mjsim.dataset.columns import OUTCOMES, PAIRS
from mjsim.tiles import SEAT_OFFSETS

Chunk = nw.DataFrame[Any]

#: Places of some rows.
Rows = npt.NDArray[np.intp] | slice

_BY_SEAT: Final = (
    *("types", "hand", "liability", "kongs", "fish", "net", "rest", "fish_labels", "blocked", "start_shanten"),
    *("ready_draw", *(f"kongs_{kind}" for kind in KONGS)),
)
_HORSE_TILES: Final = tuple(f"horse_tile_{number}" for number in range(1, SEATS + 1))

#: The columns of the eight reserved tiles.
FISH_TILES: Final = tuple(f"fish_tile_{label}" for label in range(1, LABELS + 1))

#: What each seat won from each other by hands and kongs.
FLOWS: Final = tuple(f"flow_{first}{second}" for first, second in PAIRS)

_PLAIN: Final = (
    *("deal", "session", "dealer", "winners", "draws", "left", "links", "robbed", "horse_hits"),
    *_HORSE_TILES,
    *FISH_TILES,
)

#: The columns of a deal that anything here reads.
NEEDED: Final = (
    *_PLAIN,
    *("outcome", "from_seat"),
    *(f"{name}_{seat}" for name in _BY_SEAT for seat in range(SEATS)),
    *FLOWS,
)


def recorded(chunk: Chunk) -> Columns:
    """The `NEEDED` columns of a chunk as they are in memory: how a deal ended as an index into `OUTCOMES`."""
    found = {name: chunk[name].to_numpy() for name in NEEDED if name != "outcome"}
    endings = ((chunk["outcome"] == name).to_numpy() for name in OUTCOMES)
    return found | {"outcome": total(each * np.uint8(index) for index, each in enumerate(endings))}


def columns_from_dealer(deals: Columns) -> Columns:
    """The `recorded` columns of some deals, sorted by dealer, and those of one dealer in their order.

    Beside the recorded ones, those that belong to a seat by seat from the dealer:

    * ``outcome``: how the deal ended, as an index into `OUTCOMES`, and by each of these names whether it did so;
    * ``won``, ``gave``: whether it won, or gave the winning tile;
    * ``flow_<winner><loser>``: points that one seat won from another by hands and kongs, for each of `PAIRS`;
    * ``net_seat_<seat>``: by seat as recorded;
    * where any deal was fished: ``fished``, and the counts of `fish_counts`.
    """
    rows = rows_by_dealer(deals)

    def turned(name: str, seat: int) -> Column:
        return np.concatenate([deals[f"{name}_{(dealer + seat) % SEATS}"][rows[dealer]] for dealer in range(SEATS)])

    found = {name: by_dealer(deals[name], rows) for name in (*_PLAIN, "outcome")}
    found |= {name: found["outcome"] == index for index, name in enumerate(OUTCOMES)}
    found |= {f"net_seat_{seat}": by_dealer(deals[f"net_{seat}"], rows) for seat in range(SEATS)}
    found |= {at(name, seat): turned(name, seat) for name in _BY_SEAT for seat in range(SEATS)}
    from_seat = by_dealer(deals["from_seat"], rows)
    for seat in range(SEATS):
        physical = (found["dealer"] + np.uint8(seat)) & np.uint8(SEATS - 1)
        found[at("won", seat)] = (found["winners"] >> physical & 1).astype(np.bool_)
        found[at("gave", seat)] = from_seat == physical.astype(np.int8)
    found |= flows(deals, rows)
    fished = found[FISH_TILES[0]] >= 0
    if fished.any():
        tiles = [found[name] for name in FISH_TILES]
        found |= {
            "fished": fished,
            **fish_counts(tiles, [found[at("fish_labels", seat)] for seat in range(SEATS)]),
        }
    return found


def rows_by_dealer(deals: Columns) -> list[Rows]:
    """Where the deals of each dealer stand."""
    return [_evenly(np.flatnonzero(deals["dealer"] == dealer)) for dealer in range(SEATS)]


def _evenly(rows: npt.NDArray[np.intp]) -> Rows:
    """The same rows as a slice, which is faster, where they are evenly spaced: each fourth if sessions are one deal."""
    if len(rows) < 2:
        return rows
    step = int(rows[1] - rows[0])
    even = (np.diff(rows) == step).all()
    return slice(int(rows[0]), int(rows[-1]) + 1, step) if even else rows


def by_dealer(column: Column, rows: list[Rows]) -> Column:
    """A column with its deals sorted by dealer."""
    return np.concatenate([column[each] for each in rows])


def flows(deals: Columns, rows: list[Rows]) -> Columns:
    """``flow_<winner><loser>``, by seat from the dealer, for each of `PAIRS`."""
    return {f"flow_{first}{second}": _flow(deals, rows, first, second) for first, second in PAIRS}


def fish_counts(tiles: list[Column], labels: list[Column]) -> Columns:
    """Fish and the tiles under the labels, by the seat from the dealer that a tile belongs to.

    Parameters
    ----------
    tiles : list of ndarray of integers
        Kind of the tile under each label, −1 without fishing.
    labels : list of ndarray of integers
        The labels that each seat took, as bits.

    Returns
    -------
    dict
        ``lying_<seat>``: tiles that belong to a seat; ``taken_<seat>``: labels it took; ``bound_<owner><seat>``: how
        many of those that an owner took are bound to a seat.

    Examples
    --------
    >>> east, south = [np.array([kind]) for kind in (27, 28)]
    >>> found = fish_counts([east] * 7 + [south], [np.array([bits]) for bits in (0b10000001, 0, 0b110, 0)])
    >>> [int(found[name][0]) for name in ("lying_dealer", "taken_dealer", "bound_00", "bound_01", "bound_20")]
    [7, 2, 1, 1, 2]
    """
    # One byte for each seat, with a bit for each label whose tile belongs to it. A tile of −1 finds the last entry, 0.
    byte_of = np.array([1 << 8 * seat for seat in SEAT_OFFSETS] + [0], np.uint32)
    packed = reduce(np.bitwise_or, ((byte_of << label)[tile] for label, tile in enumerate(tiles)))
    on_seat = [(packed >> 8 * seat).astype(np.uint8) for seat in range(SEATS)]
    took = [mask.astype(np.uint8) for mask in labels]
    return {
        **{at("lying", seat): np.bitwise_count(on_seat[seat]) for seat in range(SEATS)},
        **{at("taken", owner): np.bitwise_count(took[owner]) for owner in range(SEATS)},
        **{
            f"bound_{owner}{seat}": np.bitwise_count(took[owner] & on_seat[seat])
            for owner in range(SEATS)
            for seat in range(SEATS)
        },
    }


def _flow(deals: Columns, rows: list[Rows], winner: int, loser: int) -> Column:
    """Points that one seat from the dealer won from another."""
    parts = []
    for dealer in range(SEATS):
        pair = (dealer + winner) % SEATS, (dealer + loser) % SEATS
        known = pair in PAIRS
        column = deals[f"flow_{pair[0]}{pair[1]}" if known else f"flow_{pair[1]}{pair[0]}"][rows[dealer]]
        parts.append(column if known else -column)
    return np.concatenate(parts)
