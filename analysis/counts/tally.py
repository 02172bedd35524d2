"""Counting combinations of whole numbers in columns."""

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt

from analysis.counts.histogram import Histogram
from analysis.counts.measures import Column

Integers = npt.NDArray[np.int64]

#: More combinations than this are counted by sorting instead of by an array with a place for each.
_DENSE: Final = 1 << 22

#: Every whole number up to here is a float.
_EXACT: Final = 1 << 53


def distinct(values: Column) -> tuple[Integers, npt.NDArray[np.intp]]:
    """The distinct ones of some numbers from 0, ascending; and for each number, which of them it is.

    Examples
    --------
    >>> found, which = distinct(np.array([7, 0, 7]))
    >>> found.tolist(), which.tolist()
    ([0, 7], [1, 0, 1])
    """
    if values.size and int(values.max()) >= _DENSE:
        found, which = np.unique(values, return_inverse=True)
        return found.astype(np.int64), which
    there = np.bincount(values) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[values]


def combinations(*columns: Column, weights: Sequence[Column] = ()) -> tuple[list[Integers], Integers, list[Integers]]:
    """The combinations of values that stand in a row of some columns, how often each does, and what it weighs.

    Parameters
    ----------
    *columns : ndarray of integers, shape (rows,)
        At least one.
    weights : sequence of ndarray of integers, shape (rows,)
        Whole numbers whose sums are wanted for each combination.

    Returns
    -------
    values : list of ndarray of int64, shape (combinations,)
        One array for each column, in ascending order of the rows they make.
    counts : ndarray of int64, shape (combinations,)
        Rows.
    sums : list of ndarray of int64, shape (combinations,)
        The sums of each of the weights.

    Examples
    --------
    >>> values, counts, sums = combinations(np.array([1, 0, 1]), np.array([5, 7, 5]), weights=[np.array([4, 3, -9])])
    >>> [each.tolist() for each in values], counts.tolist(), sums[0].tolist()
    ([[0, 1], [7, 5]], [1, 2], [3, -5])
    """
    ranges = [(int(column.min()), int(column.max()) + 1) if column.size else (0, 1) for column in columns]
    if prod(stop - start for start, stop in ranges) <= _DENSE:
        codes, shape = _codes([(column, *range_) for column, range_ in zip(columns, ranges, strict=True)])
        every = summed(codes, None)
        found = np.flatnonzero(every)
        known = [np.arange(*range_) for range_ in ranges]
    else:
        ranked = [np.unique(column, return_inverse=True) for column in columns]
        codes, shape = _codes([(place, 0, len(values)) for values, place in ranked])
        found, codes = np.unique(codes, return_inverse=True)
        every = summed(codes, None)
        known = [values.astype(np.int64) for values, _ in ranked]
    sums = [summed(codes, each) for each in weights]
    if len(every) > len(found):
        every, sums = every[found], [each[found] for each in sums]
    places = np.unravel_index(found, shape)
    return [values[place] for values, place in zip(known, places, strict=True)], every, sums


def summed(codes: npt.NDArray[np.integer], weights: Column | None, size: int = 0) -> Integers:
    """How often each code from 0 occurs, or the exact sum of its weights, for at least so many codes.

    Examples
    --------
    >>> summed(np.array([2, 0, 2]), np.array([5, 7, -1]), 4).tolist()
    [7, 0, 4, 0]
    """
    # Floats are added up fastest, and hold every sum whose terms could not pass 2^53.
    if weights is None or _largest(weights) * weights.size < _EXACT:
        return np.bincount(codes, weights, minlength=size).astype(np.int64)
    sums = np.zeros(max(size, int(codes.max()) + 1), np.int64)
    np.add.at(sums, codes, weights)
    return sums


def _largest(values: Column) -> int:
    """The largest absolute value, 0 of none."""
    return max(-int(values.min()), int(values.max())) if values.size else 0


def tallied(prefix: tuple[int, ...], *columns: Column) -> Histogram:
    """The `combinations` of some columns as a histogram, whose keys start with a prefix."""
    return weighed(prefix, *columns)[0]


def weighed(prefix: tuple[int, ...], *columns: Column, weights: Sequence[Column] = ()) -> list[Histogram]:
    """Several such histograms: of rows, and of each of their weights."""
    values, counts, sums = combinations(*columns, weights=weights)
    keys = [(*prefix, *key) for key in zip(*(value.tolist() for value in values), strict=True)]
    return [Histogram(dict(zip(keys, each.tolist(), strict=True))) for each in (counts, *sums)]


def _codes(columns: list[tuple[Column, int, int]]) -> tuple[Integers, list[int]]:
    """Each row as one number, in a base of its own for each column; these bases. Columns come with their ranges."""
    shape = [stop - start for _, start, stop in columns]
    codes = np.zeros(len(columns[0][0]), np.int64)
    for column, start, stop in columns:
        codes *= stop - start
        codes += column
        codes -= start
    return codes, shape
