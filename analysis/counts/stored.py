"""An `Aggregate` as JSON and back: what `mjsim simulate --aggregate` keeps of the deals it plays.

Whole numbers only, of any size, so that what is read equals what was written.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from analysis.counts.aggregate import HISTOGRAMS, MAX_BATCHES, Aggregate
from analysis.counts.histogram import Histogram
from mjsim.errors import RunError

#: Rises whenever measures or histograms change, so that counts of two versions are never added up.
COUNTS_VERSION: Final = 1


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class StoredHistogram(_Strict):
    """The keys of a histogram, ascending, and the count of each."""

    keys: list[list[int]]
    counts: list[int]

    @model_validator(mode="after")
    def _fits(self) -> "StoredHistogram":
        if len(self.keys) != len(self.counts):
            raise ValueError(f"{len(self.keys)} keys, but {len(self.counts)} counts")
        if any(earlier >= later for earlier, later in pairwise(self.keys)):
            raise ValueError("the keys are not in ascending order")
        return self


class StoredAggregate(_Strict):
    """The fields of an `Aggregate`, by their names there."""

    level: int = Field(ge=0, le=62)
    batches: list[int] = Field(min_length=1, max_length=MAX_BATCHES)
    sums: dict[str, list[int]]
    histograms: dict[str, StoredHistogram]
    first_with: dict[str, int]
    dearest: list[Annotated[list[int], Field(min_length=2, max_length=2)]]

    @model_validator(mode="after")
    def _fits(self) -> "StoredAggregate":
        if any(earlier >= later for earlier, later in pairwise(self.batches)):
            raise ValueError("the batches are not in ascending order")
        for name, values in self.sums.items():
            if len(values) != len(self.batches):
                raise ValueError(f"{name} has {len(values)} sums for {len(self.batches)} batches")
            if not all(-(1 << 63) <= value < 1 << 63 for value in values):
                raise ValueError(f"a sum of {name} does not fit 64 bits")
        if sorted(self.histograms) != sorted(HISTOGRAMS) and len(self.histograms) > 0:
            raise ValueError("histograms are missing, or unknown")
        return self


def stored(aggregate: Aggregate) -> dict[str, Any]:
    """An aggregate as plain values that JSON can hold.

    Examples
    --------
    >>> import mjsim
    >>> from analysis.counts.counting import aggregate
    >>> counts = aggregate(mjsim.simulate("liuzhou", deals=100, seed=1).to_polars())
    >>> restored(stored(counts)) == counts
    True
    """
    return {
        "level": aggregate.level,
        "batches": aggregate.batches.tolist(),
        "sums": {name: values.tolist() for name, values in aggregate.sums.items()},
        "histograms": {
            name: {"keys": [list(key) for key in each.counts], "counts": list(each.counts.values())}
            for name, each in aggregate.histograms.items()
        },
        "first_with": dict(aggregate.first_with),
        "dearest": [list(each) for each in aggregate.dearest],
    }


def restored(found: Mapping[str, Any]) -> Aggregate:
    """The aggregate that was `stored`.

    Raises
    ------
    ValueError
        Saying which field is wrong.
    """
    try:
        values = StoredAggregate.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{'.'.join(str(part) for part in first['loc']) or 'counts'}: {first['msg']}") from None
    return Aggregate(
        values.level,
        np.array(values.batches, np.int64),
        {name: np.array(each, np.int64) for name, each in values.sums.items()},
        {
            name: Histogram(dict(zip((tuple(key) for key in each.keys), each.counts, strict=True)))
            for name, each in values.histograms.items()
        },
        values.first_with,
        tuple((points, deal) for points, deal in values.dearest),
    )


@dataclass(frozen=True)
class Part:
    """What some deals that follow on each other came to.

    Attributes
    ----------
    counts : Aggregate
    kinds : Aggregate or None
        What fish on tiles of each kind would win, from `analysis.fish.kinds.by_kind`, where the rules have fish.
    """

    counts: Aggregate
    kinds: Aggregate | None = None

    def __add__(self, other: "Part") -> "Part":
        return Part.merged((self, other))

    @staticmethod
    def merged(parts: "Sequence[Part]") -> "Part":
        """What the deals of several parts, at least one, came to."""
        kinds = [part.kinds for part in parts if part.kinds is not None]
        return Part(
            Aggregate.merged(part.counts for part in parts),
            Aggregate.merged(kinds) if len(kinds) == len(parts) else None,
        )


@dataclass(frozen=True)
class Kept:
    """What a run keeps that was played with ``--aggregate``.

    Attributes
    ----------
    whole : Part or None
        Of all sessions that were played to their end, from the first deal on: what can be gone on with.
    rest : Part or None
        Of the deals of a session that the run ends within.
    """

    whole: Part | None = None
    rest: Part | None = None

    @property
    def deals(self) -> int:
        """Number of deals."""
        return sum(part.counts.deals for part in (self.whole, self.rest) if part is not None)

    def total(self) -> Part:
        """Of all deals; there must be some."""
        if self.whole is None or self.rest is None:
            found = self.whole or self.rest
            assert found is not None
            return found
        return self.whole + self.rest

    def to_json(self) -> bytes:
        """All of it as JSON."""
        parts = {
            name: None
            if part is None
            else {"counts": stored(part.counts), "kinds": None if part.kinds is None else stored(part.kinds)}
            for name, part in (("whole", self.whole), ("rest", self.rest))
        }
        return json.dumps({"counts_version": COUNTS_VERSION, **parts}, separators=(",", ":")).encode()

    @staticmethod
    def from_json(data: bytes, source: str) -> "Kept":
        """What `to_json` gave.

        Raises
        ------
        RunError
            Naming the file and what is wrong in it.
        """
        try:
            found = json.loads(data)
            if found["counts_version"] != COUNTS_VERSION:
                raise RunError(
                    f"{source}: counts_version {found['counts_version']}; this mjsim reads version {COUNTS_VERSION}"
                )
            return Kept(*(_part(found[name]) for name in ("whole", "rest")))
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{source}: is not what mjsim simulate --aggregate writes ({error})") from None


def _part(found: Mapping[str, Any] | None) -> Part | None:
    if found is None:
        return None
    kinds = found["kinds"]
    return Part(restored(found["counts"]), None if kinds is None else restored(kinds))
