"""Weights of the player ``value`` that were chosen by duels, not counted (docs/players.md, "Constants").

Each was tried at several values, in duels of one ``value`` against three ``fast`` over the same 20,000 walls from each
of the four seats (seed 11), in Liuzhou and Nanning; what was kept is near the best of both.
"""

from typing import Final

#: What the other routes of a hand are worth beside the best one, in 256ths.
BESIDE: Final = 110
#: What a hand at rest must be worth for a claim to be made, and a win's pay for it to be taken, in 256ths.
CLAIM_MARGIN: Final = 266
PASS_MARGIN: Final = 256
#: How much more a live effective tile counts: one that makes a pung of a pair, before the hand is ready; and honours,
#: ones and nines that it waits for. In 256ths.
CLAIMABLE: Final = 160
HONOUR_WAIT: Final = 256
TERMINAL_WAIT: Final = 128
#: What a discard that is won on costs, in proportion to the chance that the deal ends in the round: for each point of
#: an ordinary hand's price on a discard, or where it has none, of a special hand's. In 256ths.
CAUTION_ORDINARY: Final = 190
CAUTION_SPECIAL: Final = 30
#: Danger of a tile by its row (ranks 3-7, 2 and 8, 1 and 9, honours) and the copies of it that are seen, in 256ths.
WANTED: Final = (
    (307, 307, 230, 154, 102),
    (261, 261, 196, 131, 87),
    (200, 200, 150, 100, 66),
    (324, 324, 230, 115, 0),
)
#: Danger from a seat that seems to collect a suit: tiles of it, and others, in 256ths.
OWN_SUIT: Final = 512
OTHER_SUIT: Final = 200
#: What the meld that binds its giver costs, in points for each point of an ordinary self-draw.
BINDING_COST: Final = 1
#: How fast a waiting hand comes to have the usual share of effective tiles, by route, in ten-thousandths a round.
BETTER: Final = (1000, 1000, 500, 1000, 500)
