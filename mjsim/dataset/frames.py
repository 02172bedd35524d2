"""The columns as data frames."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mjsim.dataset.columns import COLUMNS, Column
from mjsim.workers import undisturbed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Columns = dict[str, npt.NDArray[Any]]


def to_polars(columns: Columns, *, consume: bool = False) -> "pl.DataFrame":
    """The columns as a polars frame; enumerated ones are of type ``Enum``.

    With ``consume`` each array leaves ``columns`` as soon as it is in the frame, so that a
    shard is not held twice, and Ctrl-C does not break it off.
    """
    import polars as pl

    def series_of(column: Column) -> pl.Series:
        values = pl.Series(column.name, columns[column.name])
        return values.cat.to(pl.Enum(column.labels)) if column.labels else values

    if not consume:
        return pl.DataFrame([series_of(column) for column in COLUMNS])
    series = []
    for column in COLUMNS:
        series.append(undisturbed(partial(series_of, column)))
        del columns[column.name]
    return undisturbed(lambda: pl.DataFrame(series))


def from_polars(frame: "pl.DataFrame", wanted: Sequence[Column] = COLUMNS) -> Columns:
    """The columns of a polars frame as arrays; enumerated ones are indices again."""
    return {
        column.name: (frame[column.name].to_physical() if column.labels else frame[column.name]).to_numpy()
        for column in wanted
    }


def to_pandas(columns: Columns) -> "pd.DataFrame":
    """The columns as a pandas frame; enumerated ones are categorical."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("pandas is not installed; install it beside mjsim: pip install pandas") from error
    return pd.DataFrame(
        {
            column.name: pd.Categorical.from_codes(
                columns[column.name].astype(np.int8), categories=pd.Index(column.labels)
            )
            if column.labels
            else columns[column.name]
            for column in COLUMNS
        }
    )
