"""What a fish is worth by the kind of its tile: a pass over the deals beside that of `analysis.counts.counting`."""

from typing import Any, Final

import numpy as np

from analysis.counts.aggregate import SEATS, Aggregate, batches_of
from analysis.counts.chunks import chunks
from analysis.counts.fish_measures import gains
from analysis.counts.from_dealer import FISH_TILES, by_dealer, flows, rows_by_dealer
from analysis.counts.measures import Columns
from analysis.counts.tally import summed
from analysis.display.tables import Column, Row, Table
from analysis.display.text import SEAT_KEYS, SEAT_TERMS, Term
from analysis.fish.bets import EVERY_SEAT, Bet
from analysis.fish.tables import in_one
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
    return Aggregate.merged(chunks(frame, 1, count_kinds))


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


def count_kinds(chunk: Columns, session_length: int = 1, level: int = 0) -> Aggregate:
    """Count some deals, as `analysis.counts.counting.count_chunk` takes them."""
    level, batches = batches_of(chunk["session"], level)
    place = np.searchsorted(batches, chunk["session"].astype(np.int64) >> level)
    rows = rows_by_dealer(chunk)
    # One line of deals after the other for each label: cells of their batches and tiles, and what seat a tile is of.
    tiles = np.stack([by_dealer(chunk[name], rows) for name in FISH_TILES])
    cells = by_dealer(place, rows) * KINDS + tiles
    seats = np.array(SEAT_OFFSETS, np.intp)[tiles] * len(place) + np.arange(len(place))
    reserved = tiles >= 0
    if not reserved.all():
        cells, seats = cells[reserved], seats[reserved]
    cells, seats, size = cells.ravel(), seats.ravel(), len(batches) * KINDS
    found = {"lying": summed(cells, None, size)}
    gain = gains(flows(chunk, rows))
    for owner in range(SEATS):
        won = np.concatenate([gain[f"gain_{owner}{seat}"] for seat in range(SEATS)])[seats]
        found[f"points_{owner}"] = summed(cells, won, size)
        found[f"squares_{owner}"] = summed(cells, np.square(won, dtype=np.int64), size)
        found[f"losing_{owner}"] = summed(cells[won < 0], None, size)
    by_batch = {what: each.reshape(len(batches), KINDS) for what, each in found.items()}
    sums = {f"{what}_{kind}": each[:, kind] for what, each in by_batch.items() for kind in range(KINDS)}
    sums["deals"] = summed(place, None, len(batches))
    return Aggregate(level, batches, sums, {})
