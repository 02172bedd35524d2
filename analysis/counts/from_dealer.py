"""The recorded columns of some deals, with seats counted from the dealer instead of from seat 0.

Here a frame of any library becomes NumPy's arrays, so that everything after is computed once and the same for all.
"""

from functools import reduce
from typing import Any, Final

import narwhals as nw
import numpy as np
import numpy.typing as npt

from analysis.counts.measures import KONGS, LABELS, SEATS, Column, Columns, at, small, total
from mjsim.dataset.columns import OUTCOMES, PAIRS
from mjsim.tiles import SEAT_OFFSETS

Chunk = nw.DataFrame[Any]

_BY_SEAT: Final = (
    *("types", "hand", "liability", "kongs", "fish", "net", "rest", "fish_labels", "blocked", "start_shanten"),
    *("ready_draw", *(f"kongs_{kind}" for kind in KONGS)),
)
_HORSE_TILES: Final = tuple(f"horse_tile_{number}" for number in range(1, SEATS + 1))
_FISH_TILES: Final = tuple(f"fish_tile_{label}" for label in range(1, LABELS + 1))

#: What each seat won from each other by hands and kongs.
FLOWS: Final = tuple(f"flow_{first}{second}" for first, second in PAIRS)

_PLAIN: Final = (
    *("deal", "session", "dealer", "winners", "draws", "left", "links", "robbed", "horse_hits"),
    *_HORSE_TILES,
    *_FISH_TILES,
)

#: The columns of a deal that anything here reads.
NEEDED: Final = (
    *_PLAIN,
    *("outcome", "from_seat"),
    *(f"{name}_{seat}" for name in _BY_SEAT for seat in range(SEATS)),
    *FLOWS,
)


def columns_from_dealer(chunk: Chunk) -> Columns:
    """The columns of a chunk, its deals sorted by dealer, and those of one dealer in their order.

    Beside the recorded ones, those that belong to a seat by seat from the dealer:

    * ``outcome``: how the deal ended, as an index into `OUTCOMES`, and by each of these names whether it did so;
    * ``won``, ``gave``: whether it won, or gave the winning tile;
    * ``flow_<winner><loser>``: points that one seat won from another by hands and kongs, for each of `PAIRS`;
    * ``net_seat_<seat>``: by seat as recorded;
    * where any deal was fished: ``fished``, and the counts of `fish_counts`.
    """
    recorded = {name: chunk[name].to_numpy() for name in NEEDED if name != "outcome"}
    rows = [np.flatnonzero(recorded["dealer"] == dealer) for dealer in range(SEATS)]

    def turned(name: str, seat: int) -> Column:
        return np.concatenate([recorded[f"{name}_{(dealer + seat) % SEATS}"][rows[dealer]] for dealer in range(SEATS)])

    order = np.concatenate(rows)
    found = {name: recorded[name][order] for name in _PLAIN}
    found |= {name: (chunk["outcome"] == name).to_numpy()[order] for name in OUTCOMES}
    found["outcome"] = total(small(found[name]) * np.uint8(index) for index, name in enumerate(OUTCOMES))
    found |= {f"net_seat_{seat}": recorded[f"net_{seat}"][order] for seat in range(SEATS)}
    found |= {at(name, seat): turned(name, seat) for name in _BY_SEAT for seat in range(SEATS)}
    from_seat = recorded["from_seat"][order]
    for seat in range(SEATS):
        physical = (found["dealer"] + np.uint8(seat)) & np.uint8(SEATS - 1)
        found[at("won", seat)] = (found["winners"] >> physical & 1).astype(np.bool_)
        found[at("gave", seat)] = from_seat == physical.astype(np.int8)
    found |= {f"flow_{first}{second}": _flow(recorded, rows, first, second) for first, second in PAIRS}
    fished = recorded[_FISH_TILES[0]] >= 0
    if fished.any():
        tiles = [found[name] for name in _FISH_TILES]
        found |= {
            "fished": fished[order],
            **fish_counts(tiles, [found[at("fish_labels", seat)] for seat in range(SEATS)]),
        }
    return found


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


def _flow(recorded: Columns, rows: list[npt.NDArray[np.intp]], winner: int, loser: int) -> Column:
    """Points that one seat from the dealer won from another."""
    parts = []
    for dealer in range(SEATS):
        pair = (dealer + winner) % SEATS, (dealer + loser) % SEATS
        known = pair in PAIRS
        column = recorded[f"flow_{pair[0]}{pair[1]}" if known else f"flow_{pair[1]}{pair[0]}"][rows[dealer]]
        parts.append(column if known else -column)
    return np.concatenate(parts)
