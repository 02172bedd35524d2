"""What happens over a session: the way its points go up and down, and how long a dealer holds the bank."""

import numpy as np
import numpy.typing as npt

from analysis.counts.histogram import Histogram
from analysis.counts.measures import SEATS, Columns
from analysis.counts.tally import Integers, tallied

WITH_FISH, WITHOUT_FISH = 0, 1


def session_histograms(chunk: Columns, session_length: int) -> dict[str, Histogram]:
    """The histograms of an `Aggregate` over whole sessions; none where a session is a single deal."""
    if session_length == 1:
        return {}
    sessions = chunk["session"].astype(np.int64)
    _, lengths = np.unique(sessions, return_counts=True)
    whole = np.repeat(lengths == session_length, lengths)
    dealers = _by_session(chunk, "dealer", whole, session_length)
    found: dict[str, list[Histogram]] = {"session_net": [], "session_low": [], "session_range": []}
    net = [_by_session(chunk, f"net_{seat}", whole, session_length) for seat in range(SEATS)]
    fish = [_by_session(chunk, f"fish_{seat}", whole, session_length) for seat in range(SEATS)]
    for without, points in ((WITH_FISH, net), (WITHOUT_FISH, [a - b for a, b in zip(net, fish, strict=True)])):
        paths = [np.cumsum(each, axis=1) for each in points]
        for seat in range(SEATS):
            path = np.choose((dealers[:, :1] + seat) % SEATS, paths)
            low = path.min(axis=1, initial=0)
            high = path.max(axis=1, initial=0)
            found["session_net"].append(tallied((seat, without), path[:, -1]))
            found["session_low"].append(tallied((seat, without), low))
            found["session_range"].append(tallied((seat, without), high - low))
    return {
        **{name: Histogram.merged(parts) for name, parts in found.items()},
        "bank_runs": _bank_runs(dealers),
    }


def _by_session(chunk: Columns, name: str, whole: npt.NDArray[np.bool_], session_length: int) -> Integers:
    """A column as one row per whole session."""
    return chunk[name][whole].astype(np.int64).reshape(-1, session_length)


def _bank_runs(dealers: Integers) -> Histogram:
    """How many deals in a row each dealer dealt; the last run of a session ends with it."""
    starts = np.ones(dealers.shape, np.bool_)
    starts[:, 1:] = dealers[:, 1:] != dealers[:, :-1]
    runs = np.diff(np.flatnonzero(starts), append=dealers.size)
    return tallied((), runs)
