"""How often play visits each rule of a ruleset.

A *line* is one thing that the rules say: a hand type, an event, who pays, a line of the liability table. Lines are
counted on the columns of simulated deals; the few that columns do not show are looked for in replays.
"""

from mjsim.coverage.count import Coverage, cover
from mjsim.coverage.line import Line, LoggedLine
from mjsim.coverage.lines import GROUPS, LINES

__all__ = ["GROUPS", "LINES", "Coverage", "Line", "LoggedLine", "cover"]
