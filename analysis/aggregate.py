"""One pass over the deals that turns their columns into exact counts.

Everything recorded about a deal is a small whole number, so that a handful of joint histograms (how many deals had
these values) hold every sum, sum of squares and cross product the tables need, and merge by adding. Floats appear only
after.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from analysis.intervals import PairSums, Sums
from mjsim.dataset.columns import OUTCOMES, PAIRS
from mjsim.hands.types import TYPE_NAMES, mask_of
from mjsim.tiles import KINDS, SEAT_OFFSETS

SEATS: Final = 4
LABELS: Final = 8

#: What a seat's points in a deal are made of; the first four sum to the last.
PARTS: Final = ("hand", "liability", "kongs", "fish", "net")

#: A hand with none of these is an ordinary one (rules.md: 基本胡).
SPECIAL: Final = mask_of(("all_pungs", "full_flush", "seven_pairs", "melded_hand"))

#: Bits beside those of `TYPE_NAMES`: an ordinary hand, and any win at all.
ORDINARY: Final = 1 << len(TYPE_NAMES)
WON: Final = ORDINARY << 1

#: The self-checks, in the order of the keys of ``checks``.
CHECKS: Final = ("zero_sum", "parts", "winners", "fish")

#: Names of the histograms; see `Aggregate`.
HISTOGRAMS: Final = (
    "wins",
    "length",
    *PARTS,
    "own_fish",
    "all_fish",
    "with_1_fish",
    "with_2_fish",
    "kong_counts",
    "links",
    "blocked",
    "checks",
)

#: Deals counted at a time.
BATCH: Final = 1 << 18

_BY_SEAT: Final = (
    "types", *PARTS, "fish_labels", "blocked", "kongs_direct", "kongs_added", "kongs_concealed"
)  # fmt: skip
_NEEDED: Final = (
    *("outcome", "winners", "dealer", "draws", "links", "robbed"),
    *(f"{name}_{seat}" for name in _BY_SEAT for seat in range(SEATS)),
    *(f"fish_tile_{label}" for label in range(1, LABELS + 1)),
    *(f"flow_{first}{second}" for first, second in PAIRS),
)

Key = tuple[int, ...]


def having(position: int, value: int) -> Callable[[Key], bool]:
    """Whether a key has a value at a position."""
    return lambda key: key[position] == value


@dataclass(frozen=True)
class Histogram:
    """How many deals (or seats of deals) had each combination of some values.

    Attributes
    ----------
    counts : mapping of tuple of int to int
        Number of deals by combination.
    """

    counts: Mapping[Key, int] = field(default_factory=dict)

    def __add__(self, other: "Histogram") -> "Histogram":
        return Histogram(dict(sorted((Counter(self.counts) + Counter(other.counts)).items())))

    def total(self, holds: Callable[[Key], bool] = lambda key: True) -> int:
        """Number of deals whose values fulfil a condition."""
        return sum(count for key, count in self.counts.items() if holds(key))

    def where(self, holds: Callable[[Key], bool]) -> "Histogram":
        """The part whose values fulfil a condition."""
        return Histogram({key: count for key, count in self.counts.items() if holds(key)})

    def sums(self, value: Callable[[Key], int]) -> Sums:
        """Number, sum and sum of squares of a value."""
        weighed = [(count, value(key)) for key, count in self.counts.items()]
        return Sums(
            n=sum(count for count, _ in weighed),
            x=sum(count * x for count, x in weighed),
            xx=sum(count * x * x for count, x in weighed),
        )

    def pair_sums(self, values: Callable[[Key], tuple[int, int]]) -> PairSums:
        """Number, sums, sums of squares and cross product of two values."""
        weighed = [(count, *values(key)) for key, count in self.counts.items()]
        return PairSums(
            n=sum(count for count, _, _ in weighed),
            x=sum(count * x for count, x, _ in weighed),
            y=sum(count * y for count, _, y in weighed),
            xx=sum(count * x * x for count, x, _ in weighed),
            xy=sum(count * x * y for count, x, y in weighed),
            yy=sum(count * y * y for count, _, y in weighed),
        )

    def quantile(self, share: float, value: Callable[[Key], int]) -> int | None:
        """The smallest value that at least this share of the deals do not exceed; None without deals."""
        by_value = Counter[int]()
        for key, count in self.counts.items():
            by_value[value(key)] += count
        needed = share * by_value.total()
        reached = 0
        for each in sorted(by_value):
            reached += by_value[each]
            if reached >= needed:
                return each
        return None


@dataclass(frozen=True)
class Aggregate:
    """Exact counts of a set of deals; those of two disjoint sets add up.

    Attributes
    ----------
    deals : int
        Number of deals.
    histograms : mapping of str to Histogram
        By name, with the values that make up their keys:

        * ``wins``: outcome (index into `OUTCOMES`), then for each seat its hand types and events as bits, with
          `ORDINARY` and `WON`;
        * ``length``: outcome, tiles drawn;
        * ``hand`` (without liability), ``liability``, ``kongs``, ``fish``, ``net``: seat from the dealer, points (so
          that every deal counts four times);
        * ``own_fish``: seat from the dealer, fish it took, points they won it (likewise);
        * ``all_fish``: fish taken by all seats, points they won their owners, owners, owners whose fish lost;
        * ``with_1_fish``, ``with_2_fish``: seats that took so many, points their fish won them, seats whose fish lost;
        * ``kong_counts``: direct, added and concealed kongs, robbed ones;
        * ``links``: whether a three-meld relation existed, points that liability moved;
        * ``blocked``: wins that a lock forbade;
        * ``checks``: one flag for each of `CHECKS`, 1 where it held.
    """

    deals: int
    histograms: Mapping[str, Histogram]

    def __getitem__(self, name: str) -> Histogram:
        return self.histograms[name]

    def __add__(self, other: "Aggregate") -> "Aggregate":
        names = sorted({*self.histograms, *other.histograms})
        empty = Histogram()
        merged = {name: self.histograms.get(name, empty) + other.histograms.get(name, empty) for name in names}
        return Aggregate(self.deals + other.deals, merged)


def aggregate(frame: pl.LazyFrame) -> Aggregate:
    """Count everything the tables need, in one streaming pass that holds a few batches of deals at a time.

    Parameters
    ----------
    frame : polars.LazyFrame
        Deals with the columns of `mjsim.dataset.columns.COLUMNS`, from Parquet files or from memory.

    Returns
    -------
    Aggregate
        Of all deals of the frame.
    """
    counts = {name: Counter[Key]() for name in HISTOGRAMS}
    for batch in frame.select(_NEEDED).collect_batches(chunk_size=BATCH, maintain_order=False, lazy=True):
        _count(batch, counts)
    histograms = {name: Histogram(dict(sorted(found.items()))) for name, found in counts.items()}
    return Aggregate(histograms["length"].total(), histograms)


def _count(batch: pl.DataFrame, counts: Mapping[str, Counter[Key]]) -> None:
    """Add a batch of deals to the counts."""
    queries = _queries(_with_derived(batch.lazy()).collect().lazy())
    answers = pl.collect_all([query for _, query in queries], engine="streaming")
    for (query, _), answer in zip(queries, answers, strict=True):
        name, _, seat = query.partition(":")
        for *key, deals in answer.iter_rows():
            counts[name][_from_dealer(key, int(seat)) if seat else tuple(map(int, key))] += deals


def _from_dealer(key: list[int], seat: int) -> Key:
    """A key that starts with the dealer, as seen from him: where the seat sits, then the other values."""
    dealer, *values = key
    return ((seat - dealer) % SEATS, *map(int, values))


def _queries(frame: pl.LazyFrame) -> list[tuple[str, pl.LazyFrame]]:
    """Every histogram's name and query; one of a single seat has ``:seat`` after the name and the dealer first."""
    keys: dict[str, list[str | pl.Expr]] = {
        "wins": ["outcome", *(f"mask_{seat}" for seat in range(SEATS))],
        "length": ["outcome", "draws"],
        "all_fish": ["fish_taken", "fish_won", "takers", "losers"],
        "with_1_fish": ["takers_1", "won_1", "losers_1"],
        "with_2_fish": ["takers_2", "won_2", "losers_2"],
        "kong_counts": [*(_over_seats(f"kongs_{kind}") for kind in ("direct", "added", "concealed")), "robbed"],
        "links": [(pl.col("links") != 0).alias("linked"), "moved"],
        "blocked": [_over_seats("blocked")],
        "checks": [f"check_{name}" for name in CHECKS],
    }
    for seat in range(SEATS):
        keys[f"hand:{seat}"] = ["dealer", pl.col(f"hand_{seat}") - pl.col(f"liability_{seat}")]
        keys |= {f"{part}:{seat}": ["dealer", f"{part}_{seat}"] for part in PARTS[1:]}
        keys[f"own_fish:{seat}"] = ["dealer", f"taken_{seat}", f"own_fish_{seat}"]
    return [(name, frame.group_by(by).len()) for name, by in keys.items()]


def _over_seats(name: str) -> pl.Expr:
    """The sum of a column over the four seats."""
    return pl.sum_horizontal(pl.col(f"{name}_{seat}").cast(pl.Int32) for seat in range(SEATS)).alias(name)


def _number(conditions: Sequence[pl.Expr]) -> pl.Expr:
    """How many of some conditions hold."""
    return pl.sum_horizontal(condition.cast(pl.Int32) for condition in conditions)


def _with_derived(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Add what the histograms count beside the recorded columns."""
    frame = frame.with_columns(
        pl.col("outcome").cast(pl.Enum(OUTCOMES)).to_physical(),
        *(_mask(seat) for seat in range(SEATS)),
        *(
            pl.col(f"fish_labels_{seat}").bitwise_count_ones().cast(pl.Int32).alias(f"taken_{seat}")
            for seat in range(SEATS)
        ),
        *(_labels_on(target) for target in range(SEATS)),
        pl.sum_horizontal(pl.col(f"liability_{seat}").clip(lower_bound=0) for seat in range(SEATS)).alias("moved"),
    )
    frame = frame.with_columns(_own_fish(seat).alias(f"own_fish_{seat}") for seat in range(SEATS))
    return frame.with_columns(
        _over_seats("taken").alias("fish_taken"),
        _over_seats("own_fish").alias("fish_won"),
        _number([pl.col(f"taken_{seat}") > 0 for seat in range(SEATS)]).alias("takers"),
        _number([pl.col(f"own_fish_{seat}") < 0 for seat in range(SEATS)]).alias("losers"),
        *_with_fish(1),
        *_with_fish(2),
        *(check.alias(f"check_{name}") for name, check in _checks().items()),
    )


def _mask(seat: int) -> pl.Expr:
    """A seat's hand types and events as bits with `ORDINARY` and `WON`; 0 for a seat that did not win."""
    types = pl.col(f"types_{seat}")
    ordinary = pl.when(types & SPECIAL == 0).then(types | ORDINARY).otherwise(types)
    return pl.when(pl.col("winners") & 1 << seat != 0).then(ordinary | WON).otherwise(0).alias(f"mask_{seat}")


def _labels_on(target: int) -> pl.Expr:
    """The fish labels under which a tile of this seat lies, as a bit mask."""
    bits = []
    for index in range(LABELS):
        offset = pl.col(f"fish_tile_{index + 1}").replace_strict(
            list(range(-1, KINDS)), [0, *SEAT_OFFSETS], return_dtype=pl.UInt8
        )
        on_target = (pl.col("dealer") + offset) % SEATS == target
        bits.append(pl.when(on_target).then(pl.lit(1 << index, pl.UInt8)).otherwise(pl.lit(0, pl.UInt8)))
    mask = bits[0]
    for bit in bits[1:]:
        mask = mask | bit
    return mask.alias(f"labels_on_{target}")


def _flow(winner: int, loser: int) -> pl.Expr:
    """Points that one seat won from another by hands and kongs."""
    if (winner, loser) in PAIRS:
        return pl.col(f"flow_{winner}{loser}")
    return -pl.col(f"flow_{loser}{winner}")


def _fish_on(owner: int, target: int) -> pl.Expr:
    """How many fish of an owner are bound to a seat."""
    return (pl.col(f"fish_labels_{owner}") & pl.col(f"labels_on_{target}")).bitwise_count_ones().cast(pl.Int32)


def _own_fish(owner: int) -> pl.Expr:
    """Points that a seat's own fish won it: for each, what the seat it is bound to won from the others (rules.md A)."""
    return pl.sum_horizontal(
        _fish_on(owner, target)
        * pl.sum_horizontal(_flow(target, other) for other in range(SEATS) if other not in (owner, target))
        for target in range(SEATS)
    )


def _with_fish(number: int) -> list[pl.Expr]:
    """How many seats took so many fish, what their fish won them, and how many of these seats lost by them."""
    took = [pl.col(f"taken_{seat}") == number for seat in range(SEATS)]
    won = [pl.when(took[seat]).then(pl.col(f"own_fish_{seat}")).otherwise(0) for seat in range(SEATS)]
    return [
        _number(took).alias(f"takers_{number}"),
        pl.sum_horizontal(won).alias(f"won_{number}"),
        _number([each < 0 for each in won]).alias(f"losers_{number}"),
    ]


def _others_fish(seat: int) -> pl.Expr:
    """Points that the other seats' fish cost a seat."""
    return pl.sum_horizontal(
        _fish_on(owner, target) * _flow(target, seat)
        for owner in range(SEATS)
        for target in range(SEATS)
        if seat not in (owner, target)
    )


def _checks() -> dict[str, pl.Expr]:
    """What must hold in every deal."""
    seats = range(SEATS)
    return {
        "zero_sum": _over_seats("net") == 0,
        "parts": pl.all_horizontal(
            pl.col(f"net_{seat}") == pl.col(f"hand_{seat}") + pl.col(f"kongs_{seat}") + pl.col(f"fish_{seat}")
            for seat in seats
        ),
        "winners": (pl.col("winners") == 0) == (pl.col("outcome") == OUTCOMES.index("drawn")),
        "fish": pl.all_horizontal(
            pl.col(f"fish_{seat}") == pl.col(f"own_fish_{seat}") - _others_fish(seat) for seat in seats
        ),
    }
