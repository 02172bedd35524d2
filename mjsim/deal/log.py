"""Events and decisions of one deal, written down only while a deal is shown (``deal.log.on``)."""

from typing import Final

import numpy as np

from mjsim import jit
from mjsim.state import Int, Record

# Codes of events; `mjsim.transcript` turns them into the replay lines.
DRAW_EVENT: Final = 0
DISCARD_EVENT: Final = 1
CHOW_EVENT: Final = 2
PUNG_EVENT: Final = 3
KONG_EVENT: Final = 4
KONG_ADDED_EVENT: Final = 5
KONG_CONCEALED_EVENT: Final = 6
PASS_EVENT: Final = 7
WIN_EVENT: Final = 8
DRAWN_EVENT: Final = 9


@jit.kernel
def note(deal: Record, code: Int, seat: Int, tile: Int, giver: Int, detail: Int) -> None:
    """Write down an event.

    Of a draw ``giver`` is 1 for a replacement from the far end, and ``detail`` the live tiles left; of a chow
    ``detail`` is its lowest tile.
    """
    log = deal.log
    if log.on == 0:
        return
    event = log.events[log.event_count]
    event[0] = code
    event[1] = seat
    event[2] = tile
    event[3] = giver
    event[4] = detail
    log.event_count += 1


@jit.kernel
def note_decision(deal: Record, seat: Int, chosen: Int) -> None:
    """Write down who was asked what, what was legal and what was chosen."""
    log = deal.log
    if log.on == 0:
        return
    legal = deal.legal
    words = log.decisions[log.decision_count]
    words[0] = np.uint64(seat)
    words[1] = np.uint64(deal.table.phase)
    words[2] = np.uint64(chosen)
    words[3] = np.uint64(log.event_count)
    words[4] = legal.passing
    words[5] = legal.win
    words[6] = legal.discard
    words[7] = legal.chow_low
    words[8] = legal.chow_middle
    words[9] = legal.chow_high
    words[10] = legal.pung
    words[11] = legal.kong
    words[12] = legal.kong_added
    words[13] = legal.kong_concealed
    words[14] = legal.fish
    log.decision_count += 1
