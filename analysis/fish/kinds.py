"""What a fish is worth by the kind of its tile: a pass over the deals beside that of `analysis.counts.counting`."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.counts.aggregate import SEATS, Aggregate, batches_of
from analysis.counts.chunks import chunks
from analysis.counts.from_dealer import Chunk
from analysis.counts.measures import LABELS
from analysis.display.tables import Column, Row, Table
from analysis.display.text import SEAT_KEYS, SEAT_TERMS, Term
from analysis.fish.bets import EVERY_SEAT, Bet
from analysis.fish.tables import in_one
from mjsim.dataset.columns import PAIRS
from mjsim.tiles import KINDS, SEAT_OFFSETS, name, name_zh

#: What is summed of the reserved tiles of each kind: their number; and for an owner at each seat from the dealer the
#: points a fish on them wins, the squares of these, and how many lose points.
_SUMS: Final = ("points", "squares", "losing")

_RISK: Final = (
    Column("value", Term("points per fish", "每条鱼得分"), "mean"),
    Column("sd", Term("standard deviation", "标准差"), "length"),
    Column("loses", Term("loses points", "输分"), "share"),
)


def by_kind(frame: Any) -> Aggregate:
    """Count what a fish on each reserved tile would win owners at each seat, by the kind of the tile.

    Parameters
    ----------
    frame : polars.LazyFrame or an eager frame
        Deals, as `analysis.counts.counting.aggregate` takes them.

    Returns
    -------
    Aggregate
        Of the measures ``deals``, ``lying_<kind>`` and ``points_<owner>_<kind>``, ``squares_…`` and ``losing_…``,
        without histograms.

    Examples
    --------
    >>> import mjsim
    >>> found = by_kind(mjsim.simulate("liuzhou", deals=200, seed=1).to_polars())
    >>> sum(found.total(f"lying_{kind}") for kind in range(34))
    1600
    """
    return Aggregate.merged(chunks(frame, 1, _count))


def tile_tables(found: Aggregate) -> tuple[Table, ...]:
    """What a fish is worth by its tile's kind, and by its owner's seat and the one its tile belongs to.

    Parameters
    ----------
    found : Aggregate
        From `by_kind`.

    Returns
    -------
    tuple of Table
        Empty where no tile was reserved.
    """
    if not any(found.sums[f"lying_{kind}"].any() for kind in range(KINDS)):
        return ()
    return _by_kind(found), _by_bound_seat(found)


def _by_kind(found: Aggregate) -> Table:
    rows = []
    for kind in range(KINDS):
        label = in_one(f"{name(kind)} {name_zh(kind)} → {SEAT_TERMS[SEAT_OFFSETS[kind]].both('en')}")
        rows.append(Row(name(kind), label, _risk(tile_bet(found, (kind,)))))
    return Table(
        "fish_by_kind",
        Term("What a fish is worth, by the kind of its tile", "鱼的价值（按牌种）"),
        Term("tile and the seat it belongs to", "鱼牌所属座位"),
        _RISK,
        tuple(rows),
        Term(
            "What a fish on this tile wins an owner at any seat; over all reserved tiles of the kind.",
            "鱼主在任一座位，鱼为此牌时的得分；取所有此种鱼牌。",
        ),
    )


def _by_bound_seat(found: Aggregate) -> Table:
    rows = []
    for owner in range(SEATS):
        for seat in range(SEATS):
            kinds = tuple(kind for kind in range(KINDS) if SEAT_OFFSETS[kind] == seat)
            label = Term(
                f"{SEAT_TERMS[owner].en}, fish on {SEAT_TERMS[seat].en}",
                f"{SEAT_TERMS[owner].zh}，鱼在{SEAT_TERMS[seat].zh}",
            )
            key = f"{SEAT_KEYS[owner]}_{SEAT_KEYS[seat]}"
            rows.append(Row(key, label, _risk(tile_bet(found, kinds, (owner,)))))
    return Table(
        "fish_by_owner_and_tile",
        Term("What a fish is worth, by its owner and the seat its tile belongs to", "鱼的价值（按鱼主与鱼牌所属座位）"),
        Term("owner's seat, the tile's seat", "鱼主座位与鱼牌所属座位"),
        _RISK,
        tuple(rows),
        Term("A fish on its owner's own seat doubles his own result.", "鱼在自家，本家输赢加倍。"),
    )


def tile_bet(found: Aggregate, kinds: tuple[int, ...], owners: tuple[int, ...] = EVERY_SEAT) -> Bet:
    """One fish on each reserved tile of some kinds, for owners by their seat from the dealer.

    Parameters
    ----------
    found : Aggregate
        From `by_kind`.
    kinds, owners : tuple of int
        Which.
    """
    points, squares, losing = (
        found.over(f"{what}_{owner}_{kind}" for owner in owners for kind in kinds) for what in _SUMS
    )
    return Bet(points, squares, losing, len(owners) * found.over(f"lying_{kind}" for kind in kinds))


def _risk(bet: Bet) -> tuple[Any, ...]:
    return bet.value, bet.spread, bet.loses


def _count(chunk: Chunk, session_length: int) -> Aggregate:
    """Count the deals of a chunk."""
    sessions = chunk["session"].to_numpy().astype(np.int64)
    level, batches = batches_of(sessions)
    place = np.searchsorted(batches, sessions >> level)
    kinds = np.stack([chunk[f"fish_tile_{label}"].to_numpy() for label in range(1, LABELS + 1)]).astype(np.int64)
    reserved = kinds >= 0
    cells = (place * KINDS + kinds)[reserved]
    rows = np.broadcast_to(np.arange(len(place)), kinds.shape)[reserved]
    dealers = chunk["dealer"].to_numpy().astype(np.int64)[rows]
    targets = (dealers + np.array(SEAT_OFFSETS)[kinds[reserved]]) % SEATS
    gains = _gains(chunk)
    found = {"lying": _summed(np.ones(len(cells), np.int64), cells, len(batches))}
    for owner in range(SEATS):
        won = gains[(dealers + owner) % SEATS, targets, rows]
        for what, values in zip(_SUMS, (won, won**2, won < 0), strict=True):
            found[f"{what}_{owner}"] = _summed(values, cells, len(batches))
    sums = {f"{what}_{kind}": each[:, kind] for what, each in found.items() for kind in range(KINDS)}
    sums["deals"] = np.bincount(place, minlength=len(batches)).astype(np.int64)
    return Aggregate(level, batches, sums, {})


def _gains(chunk: Chunk) -> npt.NDArray[np.int64]:
    """What a fish on each seat would win each owner in each deal: all that the seat won, but for the owner's part."""
    gains = np.empty((SEATS, SEATS, len(chunk)), np.int64)
    for seat in range(SEATS):
        gains[:, seat] = chunk[f"hand_{seat}"].to_numpy().astype(np.int64) + chunk[f"kongs_{seat}"].to_numpy()
    for first, second in PAIRS:
        flow = chunk[f"flow_{first}{second}"].to_numpy()
        gains[second, first] -= flow
        gains[first, second] += flow
    return gains


def _summed(values: npt.NDArray[Any], cells: npt.NDArray[np.int64], batches: int) -> npt.NDArray[np.int64]:
    """The sum of some values by batch and kind."""
    sums = np.zeros(batches * KINDS, np.int64)
    np.add.at(sums, cells, values)
    return sums.reshape(batches, KINDS)
