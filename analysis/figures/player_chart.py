"""The chart of what a ruleset's headline numbers are with the run's own players and with others."""

from typing import Final

from analysis.comparing.metrics import Metric
from analysis.display.text import LANGS, Lang, Term, percent, points
from analysis.estimates.intervals import Interval
from analysis.figures import NARROW, WIDE, Figure
from analysis.figures.canvas import Shape, Sign
from analysis.figures.panels import Dot, Panel, panels
from analysis.figures.style import INK
from analysis.skill.by_player import ByPlayer, Four

#: The numbers that have a panel, where the rules have them.
SHOWN: Final = (
    *("drawn", "length", "self_draw", "points_a_win", "concealed", "ordinary", "all_pungs"),
    *("kongs", "dealer_advantage", "fish"),
)

_OWN: Final = Term("the run's own players", "本次运行的玩家")
_OTHER: Final = Term("other players on the same walls", "相同牌墙，其他玩家")
_CAPTION: Final = Term(
    "Four of each other player on the walls of the run; random takes any legal action, as nobody does. Each panel has "
    "an axis of its own. Lines: 95 % intervals. Arrows: never seen, or seen every time; the upright stroke is the "
    "bound. Pale and *: fewer than ten cases.",
    "其他玩家四家同坐，牌墙与本次运行相同；random 随机取合法动作，真人不会如此。各图自有其轴。线段：95% 区间。"
    "箭头：从未或每次出现，竖线为界。浅色与 *：不足十例。",
)
_WITH: Final = Term("{value} with {player}", "{player} {value}")


def player_chart(found: ByPlayer, lang: Lang) -> Figure | None:
    """Every headline number in a panel, a dot for each player; None where nothing could be estimated."""
    metrics = sorted((each for each in found.metrics if each.key in SHOWN), key=lambda each: SHOWN.index(each.key))
    drawn = [panel for metric in metrics if (panel := _panel(found, metric, lang)).dots]
    if not drawn:
        return None
    title = Term(*(_title(found, metrics[0], each) for each in LANGS)).say(lang)
    signs = [Sign("dot", INK, _OWN.say(lang)), Sign("ring", INK, _OTHER.say(lang))]
    wide, narrow = (panels(drawn, signs, title, width) for width in (WIDE, NARROW))
    return Figure("by_player", title, _CAPTION.say(lang), wide, narrow)


def _panel(found: ByPlayer, metric: Metric, lang: Lang) -> Panel:
    dots = []
    for side in found.sides:
        shape: Shape = "dot" if side is found.own else "ring"
        interval = found.value(metric, side)
        if interval is not None:
            dots.append(Dot(side.label.say(lang), interval, _shown(metric, interval), shape))
    return Panel(
        f"{metric.term.both(lang)}{', ' if lang == 'en' else '，'}{metric.unit.say(lang)}", metric.is_share, dots
    )


def _shown(metric: Metric, interval: Interval) -> str:
    """An estimate as it is written, with a star where few cases stand behind it."""
    written = percent(interval) if metric.is_share else points(interval, sign=False)
    return written + "*" * (interval.few and interval.method != "bound")


def _title(found: ByPlayer, metric: Metric, lang: Lang) -> str:
    """One number with each of the players."""
    said = [_said(found, metric, side, lang) for side in found.sides]
    name = metric.term.say(lang)
    if lang == "zh":
        return f"{name}：" + "，".join(each for each in said if each)
    return f"{name[:1].upper()}{name[1:]}: " + ", ".join(each for each in said if each)


def _said(found: ByPlayer, metric: Metric, side: Four, lang: Lang) -> str:
    interval = found.value(metric, side)
    if interval is None:
        return ""
    return _WITH.say(lang).format(value=_shown(metric, interval).rstrip("*"), player=side.label.say(lang))
