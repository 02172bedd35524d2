"""Lines that columns do not show and replays do: claims, wins let go, the last tile's pung, kongs of a chain."""

from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mjsim.coverage.facts import ROB_KONG, Facts, Flags, any_of
from mjsim.coverage.line import LoggedLine, always
from mjsim.deal.log import (
    CHOW_EVENT,
    DISCARD_EVENT,
    DRAW_EVENT,
    KONG_ADDED_EVENT,
    KONG_CONCEALED_EVENT,
    PASS_EVENT,
    PUNG_EVENT,
)
from mjsim.rules import Ruleset

Events = npt.NDArray[Any]


def _holds(code: int, events: Events, _: Ruleset) -> bool:
    return bool(np.any(events[:, 0] == code))


def _last_tile_pung(events: Events, rules: Ruleset) -> bool:
    last = np.flatnonzero((events[:, 0] == DRAW_EVENT) & (events[:, 4] <= rules.deal_end.tiles_left))
    return bool(last.size) and bool(np.any(events[last[0] :, 0] == PUNG_EVENT))


def _added_after_concealed(events: Events, _: Ruleset) -> bool:
    """Whether a kong is added to a chain that already has a concealed one."""
    concealed = False
    for code in events[:, 0].tolist():
        if code == KONG_CONCEALED_EVENT:
            concealed = True
        elif code == DISCARD_EVENT:
            concealed = False
        elif code == KONG_ADDED_EVENT and concealed:
            return True
    return False


def _melded(facts: Facts) -> Flags:
    return any_of(facts.seats("melds") > 0, axis=1)


def _near_the_end(facts: Facts) -> Flags:
    """Deals that may have gone on after the last tile was drawn."""
    return facts.column("left") <= facts.rules.deal_end.tiles_left


def _two_kinds_of_kong(facts: Facts) -> Flags:
    added = facts.seats("kongs_added") + facts.outcome(ROB_KONG)[:, None]
    return any_of((added > 0) & (facts.seats("kongs_concealed") > 0), axis=1)


def _all(facts: Facts) -> Flags:
    return np.ones(len(facts.column("deal")), bool)


def _claims_after_last(rules: Ruleset) -> bool:
    return rules.deal_end.last_tile_discard and rules.deal_end.last_tile_claims


LOGGED_LINES: Final = (
    LoggedLine(
        "claims.chow", ("a chow", "吃"), _melded, lambda rules: rules.claims.chow, seen=partial(_holds, CHOW_EVENT)
    ),
    LoggedLine("claims.pung", ("a pung", "碰"), _melded, always, seen=partial(_holds, PUNG_EVENT)),
    LoggedLine(
        "claims.win_let_go",
        ("a win on another's tile let go", "可胡不胡"),
        _all,
        always,
        seen=partial(_holds, PASS_EVENT),
    ),
    LoggedLine(
        "end.last_tile_pung",
        ("after the last tile a discard is punged", "末张之后，碰打出的牌"),
        _near_the_end,
        _claims_after_last,
        seen=_last_tile_pung,
    ),
    LoggedLine(
        "kongs.added_after_concealed",
        ("a kong is added in a chain after a concealed one", "连杠中暗杠之后补杠"),
        _two_kinds_of_kong,
        always,
        seen=_added_after_concealed,
    ),
)
