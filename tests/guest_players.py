"""A player that other processes can import, as a user's own module would hold it."""

import mjsim
from mjsim.contract import View
from mjsim.state import Int, Record


@mjsim.player
def lowest_tile(view: View, legal: Record, rng: Record) -> Int:
    """Win if it may, discard the lowest tile, claim nothing and take no fish."""
    if legal.win:
        return mjsim.WIN * 256 + view.table.tile
    if legal.discard:
        return mjsim.DISCARD * 256 + mjsim.lowest(legal.discard)
    return mjsim.PASS * 256 if legal.passing else mjsim.FISH * 256
