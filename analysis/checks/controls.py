"""Means that are known exactly, and how much luck they take out of an estimate.

The shanten of dealt hands and the seats of the reserved tiles have exact means, whatever is played. Where a run had
better hands than the mean, and better hands make shorter deals, a regression says how much of it was luck of the deal.
It helps little: what happens after the deal matters far more. `best_estimate` uses it only where it helps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.checks.exact import DEALT
from analysis.counts.aggregate import Aggregate
from analysis.counts.counting import counted
from analysis.counts.measures import LABELS, SEATS, at
from analysis.display.tables import Column, Row, Table
from analysis.display.text import ORDINARY_TERM, SEAT_TERMS, TYPE_TERMS, Lang, Term, fixed
from analysis.estimates.batches import Adjusted, control_variate
from analysis.estimates.intervals import Interval
from mjsim.hands.exact import shanten_counts
from mjsim.tiles import COPIES, SEAT_OFFSETS, TILES

Batches = npt.NDArray[np.int64]

#: Controls are used where they leave at most this share of the variance.
WORTHWHILE: Final = 0.99

#: Hand types whose shares of the wins are headlines.
_TYPES: Final = ("ordinary", "all_pungs", "full_flush", "seven_pairs", "concealed_hand", "melded_hand")


@dataclass(frozen=True)
class Headline:
    """A headline: a ratio of two sums over deals.

    Attributes
    ----------
    key : str
    term : Term
    x, y : ndarray of int64, shape (batches,)
        The sums of each batch.
    scale : int
        100 for a share, which is shown in percent.
    """

    key: str
    term: Term
    x: Batches
    y: Batches
    scale: int = 1


@dataclass(frozen=True)
class Gain:
    """What the exact means are worth to one headline.

    Attributes
    ----------
    headline : Headline
    adjusted : Adjusted
        As counted, and freed of the luck of the deal.
    """

    headline: Headline
    adjusted: Adjusted

    @property
    def removed(self) -> float | None:
        """Share of the variance that the controls remove; negative where estimating their effect costs more."""
        gain = self.adjusted.gain
        return None if gain is None else 1 - 1 / gain

    @property
    def helps(self) -> bool:
        """Whether it is worth using."""
        return self.removed is not None and self.removed >= 1 - WORTHWHILE

    @property
    def interval(self) -> Interval:
        """The estimate to use: adjusted where that helps, else as counted."""
        return self.adjusted.interval if self.helps else self.adjusted.plain


@cache
def exact_means() -> dict[str, Fraction]:
    """The exact mean per deal of each measure that has one.

    Returns
    -------
    dict of str to Fraction
        ``start_shanten_<seat>`` (fourteen tiles for the dealer, thirteen for the others, seven pairs included) and
        ``lying_<seat>``: how many of the eight reserved tiles belong to a seat, counted from the dealer.

    Examples
    --------
    >>> [str(exact_means()[f"lying_{seat}"]) for seat in ("dealer", "next", "opposite", "previous")]
    ['44/17', '32/17', '32/17', '28/17']
    """
    means = {}
    for seat, tiles in enumerate(DEALT):
        counts = shanten_counts(tiles, seven_pairs=True)
        ways = sum(shanten * number for shanten, number in counts.items())
        means[at("start_shanten", seat)] = Fraction(ways, comb(TILES, tiles))
        means[at("lying", seat)] = Fraction(LABELS * COPIES * SEAT_OFFSETS.count(seat), TILES)
    return means


def controls_of(found: Aggregate) -> tuple[str, ...]:
    """The measures with exact means that these deals have; without fish nothing is known of the reserved tiles."""
    names = [at("start_shanten", seat) for seat in range(SEATS)]
    if found.total("fished") == found.deals:
        names += [at("lying", seat) for seat in range(SEATS)]
    return tuple(names)


def adjust(found: Aggregate, x: Batches, y: Batches) -> Adjusted | None:
    """A ratio Σx / Σy with the luck of the deal taken out; None if Σy is 0.

    Parameters
    ----------
    found : Aggregate
        Whose batches they are.
    x, y : ndarray of int64, shape (batches,)
        The sums of each batch.
    """
    names = controls_of(found)
    controls = np.stack([found.sums[name] for name in names], axis=1)
    means = [exact_means()[name] for name in names]
    return control_variate(x, y, controls, means, found.sums["deals"])


def best_estimate(found: Aggregate, x: Batches, y: Batches) -> Interval | None:
    """The estimate of a ratio to report: adjusted where exact means remove a hundredth of its variance or more."""
    adjusted = adjust(found, x, y)
    return None if adjusted is None else Gain(Headline("", Term("", ""), x, y), adjusted).interval


def headlines(found: Aggregate) -> list[Headline]:
    """The headlines of a run."""
    sums, deals = found.sums, found.sums["deals"]
    listed = [
        Headline("net_dealer", Term("dealer's points a deal", "庄家每局得分"), sums["net_dealer"], deals),
        Headline("drawn", Term("drawn deals, %", "流局，%"), sums["drawn"], deals, 100),
        Headline("self_draw", Term("self-drawn deals, %", "自摸，%"), sums["self_draw"], deals, 100),
        Headline("draws", Term("tiles drawn a deal", "每局摸牌数"), sums["draws"], deals),
    ]
    for name in _TYPES:
        term = ORDINARY_TERM if name == "ordinary" else TYPE_TERMS[name]
        said = Term(f"{term.en}, % of wins", f"{term.zh}，占胡牌 %")
        listed.append(Headline(f"wins_{name}", said, sums[f"wins_{name}"], sums["wins"], 100))
    if found.total("fished"):
        for seat in range(SEATS):
            said = Term(f"one fish of the {SEAT_TERMS[seat].en}, points", f"{SEAT_TERMS[seat].zh}每条鱼得分")
            listed.append(Headline(at("fish", seat), said, sums[at("eight", seat)], LABELS * sums["fished"]))
    return listed


@dataclass(frozen=True)
class ExactMeans:
    """What exact means buy, headline by headline.

    Attributes
    ----------
    gains : tuple of Gain
    controls : tuple of str
        The measures whose exact means were used.
    """

    gains: tuple[Gain, ...]
    controls: tuple[str, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """One table."""
        rows = []
        for gain in self.gains:
            scale, adjusted = gain.headline.scale, gain.adjusted
            removed = None if gain.removed is None else 100 * gain.removed
            cells = (scaled(adjusted.plain, scale), scaled(adjusted.interval, scale), removed)
            rows.append(Row(gain.headline.key, gain.headline.term, cells))
        return (
            Table(
                "exact_means",
                Term("What exact means buy", "精确均值的作用"),
                Term("estimate", "估计量"),
                (
                    Column("plain", Term("as counted", "直接统计"), "length"),
                    Column("adjusted", Term("adjusted", "校正后"), "length"),
                    Column("removed", Term("variance removed, %", "消除的方差，%"), "number"),
                ),
                tuple(rows),
                _NOTE,
            ),
        )

    def findings(self, lang: Lang = "en") -> list[str]:
        """Whether it helps, in one sentence."""
        known = [gain for gain in self.gains if gain.removed is not None]
        if not known:
            return []
        best = max(known, key=lambda gain: gain.removed or 0.0)
        most = fixed(100 * (best.removed or 0.0), 1)
        helped = sum(gain.helps for gain in known)
        if not helped:
            return [
                Term(
                    f"Exact means of the dealt hands help none of {len(known)} estimates: at best they remove {most} % "
                    "of the variance, so every number stays as counted.",
                    f"起手牌的精确均值对 {len(known)} 个估计量均无帮助：至多消除 {most} % 的方差，"
                    "故一律采用直接统计值。",
                ).say(lang)
            ]
        return [
            Term(
                f"Exact means of the dealt hands help {helped} of {len(known)} estimates, most of all "
                f"“{best.headline.term.en}”, where they remove {most} % of the variance.",
                f"起手牌的精确均值改进了 {len(known)} 个估计量中的 {helped} 个，最明显的是“{best.headline.term.zh}”，"
                f"消除 {most} % 的方差。",
            ).say(lang)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        means = {name: str(exact_means()[name]) for name in self.controls}
        return {"controls": means, "tables": [table.to_dict() for table in self.tables]}


def exact_mean_gains(found: Any, chosen: Sequence[Headline] | None = None) -> ExactMeans:
    """Adjust the headlines of a run by everything whose exact mean is known.

    Parameters
    ----------
    found : Aggregate or any frame that `analysis.counts.counting.aggregate` takes
    chosen : sequence of Headline, optional
        Other ratios of the same run.

    Returns
    -------
    ExactMeans

    Examples
    --------
    >>> import mjsim
    >>> found = exact_mean_gains(mjsim.simulate("liuzhou", deals=4096, seed=1).to_polars())
    >>> len(found.controls), found.gains[0].headline.key
    (8, 'net_dealer')
    """
    found = counted(found)
    gains = []
    for headline in headlines(found) if chosen is None else chosen:
        adjusted = adjust(found, headline.x, headline.y)
        if adjusted is not None:
            gains.append(Gain(headline, adjusted))
    return ExactMeans(tuple(gains), controls_of(found))


def scaled(interval: Interval, scale: int) -> Interval:
    """The same estimate in another unit."""
    low, high = (None if end is None else scale * end for end in (interval.low, interval.high))
    return replace(interval, estimate=scale * interval.estimate, low=low, high=high)


_NOTE: Final = Term(
    "Intervals from batches, Student's quantile. Adjusted: a regression on the shanten of the dealt hands and the "
    "seats of the reserved tiles, whose means are known exactly. It is used only where it removes at least 1 % of the "
    "variance; a negative number says that it would do harm.",
    "区间由分批均值与学生分布得出。校正：对起手向听数与预留牌归属作回归，其均值精确已知。"
    "仅在消除至少 1 % 方差时采用；负值表示反而有害。",
)
