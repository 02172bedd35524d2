"""The quantities that rulesets are compared by: what each is made of, and how large a change of it matters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, Literal

import numpy as np

from analysis.counts.aggregate import Aggregate, Integers
from analysis.counts.measures import KONGS, LABELS, SEAT_KEYS, SEATS
from analysis.display.text import ORDINARY_TERM, SEAT_TERMS, TYPE_TERMS, Term
from mjsim.errors import MjsimError

Ruleset = Mapping[str, Any]
Weights = Mapping[str, int]

#: How far one deal can move what stands above the line, where too few deals differ to tell: a number, or for points as
#: much as three winners each as dear as the dearest.
Reach = int | Literal["points"]
_PAYMENTS: Final = 3


def _always(rules: Ruleset) -> bool:
    return True


@dataclass(frozen=True)
class Metric:
    """A quantity that rulesets are compared by: the ratio of two sums over deals.

    Attributes
    ----------
    key : str
        Its name on the command line, in JSON and CSV.
    term, unit : Term
        What it is, and what its numbers are.
    over, per : mapping of str to int
        The measures of an aggregate that are summed above and below the line, each with its weight.
    margin : float
        A change smaller than this matters to nobody, in the unit shown.
    scale : int
        What a value is multiplied by to be shown: 100 for per cent.
    plural : bool
        Whether the English term is one.
    reach : int or "points"
        How far one deal is taken to move what stands above the line.
    root : bool
        Whether the square root of the ratio is meant.
    exists : callable
        Whether rules, given as the nested dicts of a manifest, have the thing at all.
    """

    key: str
    term: Term
    unit: Term
    over: Weights
    per: Weights
    margin: float
    scale: int = 1
    plural: bool = False
    reach: Reach = 1
    root: bool = False
    exists: Callable[[Ruleset], bool] = _always

    @property
    def is_share(self) -> bool:
        """Whether it is shown in per cent of something."""
        return self.unit.en.startswith("%")

    def sums(self, found: Aggregate) -> tuple[Integers, Integers]:
        """What stands above and below the line, in each batch."""
        return _weighted(found, self.over), _weighted(found, self.per)

    def reach_in(self, *sides: Aggregate) -> float:
        """How far one deal in as many as there are is taken to move the value, times their number."""
        if self.reach != "points":
            return max(self.reach * side.deals / int(self.sums(side)[1].sum()) for side in sides)
        dearest = _PAYMENTS * max((points for side in sides for points, _ in side.dearest), default=0)
        if not self.root:
            return float(dearest)
        spread = min(sqrt(int(over.sum()) / int(per.sum())) for over, per in map(self.sums, sides))
        return dearest**2 / (2 * spread) if spread else 0.0


def _weighted(found: Aggregate, weights: Weights) -> Integers:
    total: Integers = np.sum([weight * found.sums[name] for name, weight in weights.items()], axis=0, dtype=np.int64)
    return total


def _has(table: str, key: str) -> Callable[[Ruleset], bool]:
    """Whether a switch of the rules is on."""
    return lambda rules: bool(rules.get(table, {}).get(key, False))


def _has_blocks(rules: Ruleset) -> bool:
    liability = rules.get("liability", {})
    sealed = liability.get("enabled", False) and not liability.get("giver_may_win", True)
    return bool(sealed) or _has("pass_lock", "enabled")(rules)


def _share(
    key: str,
    term: Term,
    unit: Term,
    over: Weights,
    per: Weights,
    margin: float,
    exists: Callable[[Ruleset], bool] = _always,
) -> Metric:
    """A share of deals, in per cent."""
    return Metric(key, term, unit, over, per, margin, scale=100, plural=True, exists=exists)


def _points(
    key: str,
    term: Term,
    over: Weights,
    per: Weights,
    margin: float,
    plural: bool = False,
    exists: Callable[[Ruleset], bool] = _always,
) -> Metric:
    """Points a deal."""
    unit = Term("points a deal", "分/局")
    return Metric(key, term, unit, over, per, margin, plural=plural, reach="points", exists=exists)


def _hands(key: str, term: Term, of_type: str, margin: float, plural: bool = True) -> Metric:
    """A share of the winning hands, in per cent; a deal can have three."""
    unit = Term("% of winning hands", "占胡牌 %")
    return Metric(key, term, unit, {f"wins_{of_type}": 1}, {"wins": 1}, margin, scale=100, plural=plural, reach=3)


_DEALS: Final = {"deals": 1}
_WON_BY: Final = ("self_draw", "discard", "rob_kong")
_OF_DEALS: Final = Term("% of deals", "占局数 %")
_OF_DEALS_WON: Final = Term("% of deals won", "占有胡之局 %")

_ENDINGS: Final = (
    _share("drawn", Term("drawn deals", "流局"), _OF_DEALS, {"drawn": 1}, _DEALS, 0.1),
    _share(
        "self_draw", Term("self-draws", "自摸"), _OF_DEALS_WON, {"self_draw": 1}, dict.fromkeys(_WON_BY, 1), margin=0.2
    ),
    _share(
        "rob_kong",
        Term("robbed kongs", "抢杠"),
        _OF_DEALS,
        {"rob_kong": 1},
        _DEALS,
        margin=0.02,
        exists=_has("kongs", "rob_kong"),
    ),
    _share(
        "several_winners",
        Term("deals with several winners", "一炮多响"),
        _OF_DEALS,
        {"two_winners": 1, "three_winners": 1},
        _DEALS,
        margin=0.1,
        exists=_has("claims", "multiple_winners"),
    ),
    Metric(
        "length", Term("deal length", "每局摸牌数"), Term("tiles drawn", "张"), {"draws": 1}, _DEALS, 0.1, reach=136
    ),
)

_POINTS: Final = (
    _points("points_moved", Term("points moved", "输赢分数"), {"points_moved": 1}, _DEALS, 0.05, plural=True),
    _points(
        "dealer_advantage",
        Term("dealer advantage", "庄家优势"),
        {"net_dealer": 3, "net_next": -1, "net_opposite": -1, "net_previous": -1},
        {"deals": 3},
        margin=0.02,
    ),
    *(
        _points(
            f"points_{key}",
            Term("points of the dealer" if key == "dealer" else f"points of the {key} seat", f"{term.zh}得分"),
            {f"net_{key}": 1},
            _DEALS,
            margin=0.02,
            plural=True,
        )
        for key, term in zip(SEAT_KEYS, SEAT_TERMS, strict=True)
    ),
    Metric(
        "spread",
        Term("standard deviation of a seat's points", "每家得分标准差"),
        Term("points", "分"),
        {f"net_squared_{key}": 1 for key in SEAT_KEYS},
        {"deals": SEATS},
        margin=0.05,
        reach="points",
        root=True,
    ),
)

_HANDS: Final = (
    _hands("ordinary", Term("ordinary hands", ORDINARY_TERM.zh), "ordinary", 0.1),
    *(
        _hands(name, TYPE_TERMS[name], name, 0.05, plural=name in ("all_pungs", "seven_pairs"))
        for name in ("all_pungs", "full_flush", "seven_pairs", "melded_hand")
    ),
    _hands("concealed", Term("concealed hands", TYPE_TERMS["concealed_hand"].zh), "concealed_hand", 0.2),
)

_INCIDENTS: Final = (
    Metric(
        "kongs",
        Term("kongs", "杠"),
        Term("a deal", "次/局"),
        {f"kongs_{kind}": 1 for kind in KONGS},
        _DEALS,
        margin=0.005,
        plural=True,
        reach=12,
    ),
    _share(
        "liability_deals",
        Term("deals with liability", "有吃三笔之局"),
        _OF_DEALS,
        {"with_liability": 1},
        _DEALS,
        margin=0.1,
        exists=_has("liability", "enabled"),
    ),
    _points(
        "liability_points",
        Term("liability points", "吃三笔分"),
        {"moved": 1},
        _DEALS,
        margin=0.01,
        plural=True,
        exists=_has("liability", "enabled"),
    ),
    Metric(
        "blocked",
        Term("forbidden wins", "受禁之胡"),
        Term("in 100 deals", "次/百局"),
        {"blocked": 1},
        _DEALS,
        margin=0.1,
        scale=100,
        plural=True,
        reach=20,
        exists=_has_blocks,
    ),
)

_FISH: Final = tuple(
    Metric(
        key,
        term,
        Term("points a fish", "分/条"),
        {f"eight_{seat}": 1 for seat in seats},
        {"fished": LABELS * len(seats)},
        margin=0.01,
        reach="points",
        exists=_has("fishing", "enabled"),
    )
    for key, term, seats in (
        ("fish_dealer", Term("value of the dealer's fish", "庄家每条鱼的价值"), SEAT_KEYS[:1]),
        ("fish", Term("value of a fish", "每条鱼的价值"), SEAT_KEYS),
    )
)

#: Every metric, in the order of the tables.
METRICS: Final = (*_ENDINGS, *_POINTS, *_HANDS, *_INCIDENTS, *_FISH)


def shared_metrics(base: Ruleset, variant: Ruleset) -> tuple[Metric, ...]:
    """The metrics that both of two rulesets have, which can be compared.

    >>> fished, plain = {"fishing": {"enabled": True}}, {"fishing": {"enabled": False}}
    >>> "fish" in [metric.key for metric in shared_metrics(fished, plain)]
    False
    """
    return tuple(metric for metric in METRICS if metric.exists(base) and metric.exists(variant))


def lone_metrics(base: Ruleset, variant: Ruleset) -> tuple[Metric, ...]:
    """The metrics that only one of two rulesets has."""
    return tuple(metric for metric in METRICS if metric.exists(base) != metric.exists(variant))


def margins_from(texts: list[str]) -> dict[str, float]:
    """Read several `METRIC=VALUE`, each metric once.

    Parameters
    ----------
    texts : list of str
        The value is in the metric's own unit: ``drawn=0.1`` is 0.1 % of deals.

    Raises
    ------
    MjsimError
        Naming what is wrong, and the metrics there are.

    Examples
    --------
    >>> margins_from(["drawn=0.1", "length=0.5"])
    {'drawn': 0.1, 'length': 0.5}
    """
    keys = [metric.key for metric in METRICS]
    margins: dict[str, float] = {}
    for text in texts:
        key, _, written = (part.strip() for part in text.partition("="))
        if key not in keys:
            raise MjsimError(f"--margin {text[:60]!r}: no metric {key[:40]!r}; there are {', '.join(keys)}")
        if key in margins:
            raise MjsimError(f"--margin {text[:60]!r}: {key} is given twice")
        margins[key] = _positive(text, written)
    return margins


def _positive(text: str, written: str) -> float:
    try:
        value = float(written)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise MjsimError(f"--margin {text[:60]!r}: must be METRIC=VALUE with a number above 0, such as drawn=0.1")
    return value
