"""The catalogue of lines."""

from typing import Final

from mjsim.coverage.line import Line, Words
from mjsim.coverage.links import LINK_LINES
from mjsim.coverage.logged import LOGGED_LINES
from mjsim.coverage.sides import SIDE_LINES
from mjsim.coverage.wins import WIN_LINES

#: What lines belong to, in the order of the table.
GROUPS: Final[dict[str, Words]] = {
    "hands": ("Hand types", "牌型"),
    "events": ("Events", "事件"),
    "chains": ("Kong chains", "连杠"),
    "payers": ("Who pays", "谁付"),
    "winners": ("Winners", "胡牌家数"),
    "dealer": ("Next dealer", "下局庄家"),
    "liability": ("Three-meld liability", "吃三笔、封胡"),
    "forbidden": ("Wins forbidden", "不得胡"),
    "claims": ("Claims", "吃碰"),
    "kongs": ("Kongs", "杠"),
    "end": ("End of the deal", "收局"),
    "horses": ("Horses", "买马"),
    "fish": ("Fishing", "钓鱼"),
}

#: Every line, grouped.
LINES: Final[tuple[Line, ...]] = tuple(
    line for group in GROUPS for line in (*WIN_LINES, *LINK_LINES, *SIDE_LINES, *LOGGED_LINES) if line.group == group
)
