"""The player ``value``: weighs what a hand can become by price and chance (docs/players.md).

A decision takes about a quarter of a microsecond, most of it spent on the tiles that a hand can spare, one by one. What
keeps that short: nothing in that loop is left for the processor to guess (`mjsim.bits.choose`); functions called
from one or two places are inlined, since their many arguments would go through memory; indices are unsigned,
which spares numba's look for negative ones; routes other than the ordinary one are priced only if they are near enough.
"""
