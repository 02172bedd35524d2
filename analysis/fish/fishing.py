"""What fish are worth to the seats that take them: expected value, spread, chance of loss, and a fair fee.

A fish repeats, for its owner, what the other seats win from or lose to the seat it is bound to. Its value is counted
from those transfers, so that it is the owner's gain whether or not the others fish too. As settled, a seat also pays
for the others' fish; all seats together neither win nor lose by fish.
"""

from collections.abc import Mapping
from typing import Any

from analysis.counts.aggregate import Aggregate
from analysis.counts.counting import counted
from analysis.display.tables import Table
from analysis.display.text import Lang
from analysis.fish.bets import exchangeable
from analysis.fish.checks import checks
from analysis.fish.findings import sentences
from analysis.fish.swings import per_deal, swings
from analysis.fish.tables import (
    estimators,
    fish_by_number,
    fish_by_seat,
    fish_by_tile,
    settled_by_number,
    settled_by_seat,
)

__all__ = ("any_taken", "checks", "findings", "tables")

Ruleset = Mapping[str, Any]


def tables(deals: Any, ruleset: Ruleset | None = None) -> tuple[Table, ...]:
    """Every table about fish that the deals allow.

    Parameters
    ----------
    deals : Aggregate or frame
        As `analysis.counts.counting.counted` takes them.
    ruleset : mapping, optional
        Their rules, as in a run's manifest. Under ``fishing.reserve = "picked"`` tiles that nobody took are not set
        apart, so that only fish as they were settled can say what one is worth.

    Returns
    -------
    tuple of Table
        Empty without fishing. What fish do to whole sessions is in `analysis.fish.swings` and
        `analysis.answers.sessions`.

    Examples
    --------
    >>> import mjsim
    >>> found = tables(mjsim.simulate("liuzhou", deals=200, seed=1).to_polars())
    >>> [table.key for table in found]
    ['fish_by_seat', 'fish_by_number', 'fish_by_tile', 'fish_estimators', 'fish_spread']
    >>> tables(mjsim.simulate("nanning_folk", deals=200, seed=1).to_polars())
    ()
    """
    found = counted(deals)
    made = []
    if exchangeable(found, ruleset):
        made += [fish_by_seat(found), fish_by_number(found), fish_by_tile(found)]
        if any_taken(found):
            made.append(estimators(found))
    elif any_taken(found):
        made += [settled_by_seat(found), settled_by_number(found)]
    if any_taken(found) and not found["session_net"].counts:
        made.append(per_deal(found))
    return tuple(made)


def findings(deals: Any, lang: Lang = "en", ruleset: Ruleset | None = None) -> list[str]:
    """Whether a fish is worth its risk, whether two are better than one, and what fish do to a seat's points.

    Parameters
    ----------
    deals : Aggregate or frame
        As `analysis.counts.counting.counted` takes them.
    lang : {"en", "zh"}
        Language of the sentences.
    ruleset : mapping, optional
        As in `tables`.

    Returns
    -------
    list of str
        Empty without fishing; only what the deals can support.
    """
    found = counted(deals)
    shown = {table.key: table for table in tables(found, ruleset)}
    if "fish_by_seat" not in shown:
        return []
    if any_taken(found):
        paths = swings(found)
        shown[paths.key] = paths
    return sentences(shown, lang)


def any_taken(found: Aggregate) -> bool:
    """Whether anybody took a fish."""
    return bool(found.seats("taken").any())
