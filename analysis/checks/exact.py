"""Events whose probability is known exactly, held against how often they came: a check of generator and evaluator.

Dealt hands are random tiles, whatever the rules and the players, and `mjsim.hands.exact` counts all of them. A wrong
shuffle, a wrong evaluator or a mix-up of seats shows as frequencies that the exact numbers do not allow. No
approximation is made where few events are expected: a single event has its exact binomial tail, and chi-square pools
the rare ones.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from math import comb
from typing import Any, Final

from scipy.special import bdtr, bdtrc, chdtrc, ndtri

from analysis.counts.counting import counted
from analysis.counts.histogram import having
from analysis.counts.measures import SEATS
from analysis.display.tables import Cell, Column, Row, Table
from analysis.display.text import SEAT_KEYS, SEAT_TERMS, Lang, Term, grouped, significant
from analysis.estimates.intervals import share
from mjsim.hands.exact import shanten_counts
from mjsim.tiles import TILES

#: A check that a sound simulator fails once in so many runs.
LEVEL: Final = 1e-4

#: Chi-square takes no cell that is expected less often than this; rarer events share one, and are tested by themselves.
ENOUGH: Final = 10

#: Tiles of a dealt hand, by seat from the dealer.
DEALT: Final = (14, 13, 13, 13)

#: No tail is told from a smaller one: 37 standard deviations.
_SMALLEST: Final = 1e-300


@dataclass(frozen=True)
class Event:
    """An event of known probability, and how often it was seen.

    Attributes
    ----------
    key : str
        Its name in JSON.
    term : Term
        Its name.
    ways, total : int
        Its probability as a fraction of whole numbers: so many selections of tiles out of all.
    hits, deals : int
        How often it was seen, in how many independent deals.
    """

    key: str
    term: Term
    ways: int
    total: int
    hits: int
    deals: int

    @property
    def probability(self) -> float:
        """The exact probability, rounded once."""
        return self.ways / self.total

    @property
    def expected(self) -> float:
        """How often it is seen on average."""
        return self.ways * self.deals / self.total

    @property
    def tails(self) -> tuple[float, float]:
        """Chances of fewer and of more hits than there were, half of the chance of exactly as many in each (mid-p)."""
        below = float(bdtr(self.hits - 1, self.deals, self.probability)) if self.hits else 0.0
        above = float(bdtrc(self.hits, self.deals, self.probability)) if self.hits < self.deals else 0.0
        if below < above:
            exactly = float(bdtr(self.hits, self.deals, self.probability)) - below
        else:
            at_least = float(bdtrc(self.hits - 1, self.deals, self.probability)) if self.hits else 1.0
            exactly = at_least - above
        return below + exactly / 2, above + exactly / 2

    @property
    def z(self) -> float | None:
        """The binomial tail in standard deviations of a normal distribution, positive where there were too many hits.

        None without deals. Beyond ±37 all are alike.

        Examples
        --------
        >>> round(Event("head", Term("head", "正面"), 1, 2, 60, 100).z, 2)
        1.99
        """
        if not self.deals:
            return None
        fewer, more = self.tails
        if more < fewer:
            return -float(ndtri(max(more, _SMALLEST)))
        return float(ndtri(max(fewer, _SMALLEST)))

    @property
    def p_value(self) -> float:
        """The chance of hits as far out as these, to either side."""
        return min(1.0, 2 * min(self.tails)) if self.deals else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return asdict(self) | {"probability": self.probability, "expected": self.expected, "z": self.z}


@dataclass(frozen=True)
class Partition:
    """Events of which exactly one happens in every deal.

    Attributes
    ----------
    key : str
        Its name in JSON.
    term : Term
        What the deals are: whose hands, of how many tiles.
    events : tuple of Event
        With the same number of deals.
    """

    key: str
    term: Term
    events: tuple[Event, ...]

    @property
    def deals(self) -> int:
        """How many deals there were."""
        return self.events[0].deals

    @property
    def rare(self) -> tuple[Event, ...]:
        """Events that are expected too rarely for chi-square."""
        return tuple(event for event in self.events if event.expected < ENOUGH)

    def chi_square(self) -> tuple[float, int]:
        """Pearson's statistic and its degrees of freedom; no freedom where all deals are expected in one cell.

        Which events are pooled depends on what is expected of them alone: the rarest, until enough are expected.
        """
        cells: list[tuple[int, float]] = []
        pooled_hits, pooled_expected = 0, 0.0
        for event in sorted(self.events, key=lambda each: each.ways):
            if event.expected < ENOUGH or 0 < pooled_expected < ENOUGH:
                pooled_hits, pooled_expected = pooled_hits + event.hits, pooled_expected + event.expected
            else:
                cells.append((event.hits, event.expected))
        if pooled_expected:
            cells.append((pooled_hits, pooled_expected))
        statistic = sum((hits - expected) ** 2 / expected for hits, expected in cells)
        return float(statistic), len(cells) - 1


@dataclass(frozen=True)
class Verdict:
    """Whether all partitions together could have come out as they did.

    Attributes
    ----------
    statistic, freedom : tuple of float, tuple of int
        Chi-square of each test, and its degrees of freedom.
    rare : int
        How many events were too rare for it and were tested one by one.
    p_value : float
        Bonferroni's, right however the tests hang together: the smallest p-value of each kind times their number, and
        the smaller of the two kinds doubled.
    level : float
        The check fails below this.
    """

    statistic: tuple[float, ...]
    freedom: tuple[int, ...]
    rare: int
    p_value: float
    level: float = LEVEL

    @property
    def passed(self) -> bool:
        """Whether chance explains it."""
        return self.p_value >= self.level

    def sentence(self, lang: Lang) -> str:
        """The verdict in words."""
        p = significant(self.p_value)
        once = grouped(round(1 / self.level))
        if self.passed:
            said = Term(
                f"Self-check passed: dealt hands come as often as exact counting says (p = {p}; a sound simulator "
                f"fails once in {once} runs).",
                f"自检通过：起手牌的频率与精确计数一致（p = {p}；正确的模拟器每 {once} 次运行才有一次不通过）。",
            )
        else:
            said = Term(
                f"SELF-CHECK FAILED: dealt hands do not come as often as exact counting says (p = {p}; a sound "
                f"simulator fails once in {once} runs). Do not trust these results: generator or evaluator is "
                "at fault.",
                f"自检未通过：起手牌的频率与精确计数不符（p = {p}；正确的模拟器每 {once} 次运行才有一次不通过）。"
                "请勿采信这些结果：随机数或牌型判断有误。",
            )
        return said.say(lang)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return asdict(self) | {"passed": self.passed}


def verdict(partitions: Iterable[Partition], *, independent: bool = False, level: float = LEVEL) -> Verdict:
    """Judge several partitions together.

    Parameters
    ----------
    partitions : iterable of Partition
        Without deals one says nothing.
    independent : bool
        Whether they are of different deals, so that their chi-squares add up to one; else each is a test of its own.
    level : float
        The check fails below this p-value.
    """
    found = [partition for partition in partitions if partition.deals]
    squares = [partition.chi_square() for partition in found]
    if independent and squares:
        squares = [(sum(statistic for statistic, _ in squares), sum(freedom for _, freedom in squares))]
    squares = [square for square in squares if square[1]]
    usual = [float(chdtrc(freedom, statistic)) for statistic, freedom in squares]
    rare = [event.p_value for partition in found for event in partition.rare]
    # Common and rare events share the risk of a false alarm equally, so that many rare ones do not blunt chi-square.
    kinds = [tests for tests in (usual, rare) if tests]
    overall = min((len(kinds) * len(tests) * min(tests) for tests in kinds), default=1.0)
    return Verdict(
        tuple(statistic for statistic, _ in squares),
        tuple(freedom for _, freedom in squares),
        len(rare),
        min(1.0, overall),
        level,
    )


@dataclass(frozen=True)
class SelfCheck:
    """The self-check of a run: shanten at the deal, by seat from the dealer, seven pairs included.

    Attributes
    ----------
    seats : tuple of Partition
        The dealer's fourteen tiles, then the others' thirteen.
    verdict : Verdict
    """

    seats: tuple[Partition, ...]
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Whether the run passed."""
        return self.verdict.passed

    @property
    def p_value(self) -> float:
        """Of all seats together."""
        return self.verdict.p_value

    @property
    def rows(self) -> Iterator[tuple[int, Event]]:
        """Every event, with its seat from the dealer."""
        for seat, partition in enumerate(self.seats):
            for event in partition.events:
                yield seat, event

    @property
    def tables(self) -> tuple[Table, ...]:
        """The table for a report."""
        return (table(self),)

    def findings(self, lang: Lang = "en") -> list[str]:
        """The verdict in words."""
        return [self.verdict.sentence(lang)]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        rows = [{"seat": SEAT_KEYS[seat]} | event.to_dict() for seat, event in self.rows]
        return {"verdict": self.verdict.to_dict(), "rows": rows}


def self_check(found: Any, level: float = LEVEL) -> SelfCheck:
    """Hold the hands of a run's deals against all hands there are.

    Parameters
    ----------
    found : Aggregate or any frame that `analysis.counts.counting.aggregate` takes
        Deals under any rules and players, in sessions of any length.
    level : float
        The check fails below this p-value.

    Returns
    -------
    SelfCheck
        The four hands of a deal come from one wall and hang together a little, so that each seat has a test of its own
        and the verdict is Bonferroni's.

    Examples
    --------
    >>> import mjsim
    >>> self_check(mjsim.simulate("liuzhou", deals=2000, seed=1).to_polars()).passed
    True
    """
    start = counted(found)["start"]
    seats = []
    for seat in range(SEATS):
        hits = start.where(having(0, seat)).by(lambda key: key[1])
        seats.append(Partition(SEAT_KEYS[seat], SEAT_TERMS[seat], shanten_events(DEALT[seat], hits)))
    return SelfCheck(tuple(seats), verdict(seats, level=level))


def shanten_events(tiles: int, hits: dict[int, int], *, seven_pairs: bool = True) -> tuple[Event, ...]:
    """The events of each shanten of hands of 13 or 14 tiles, from how many hands had it."""
    total, deals = comb(TILES, tiles), sum(hits.values())
    return tuple(
        Event(str(shanten), shanten_term(shanten), ways, total, hits.get(shanten, 0), deals)
        for shanten, ways in _shanten_counts(tiles, seven_pairs).items()
    )


@cache
def _shanten_counts(tiles: int, seven_pairs: bool) -> dict[int, int]:
    return shanten_counts(tiles, seven_pairs)


def shanten_term(shanten: int) -> Term:
    """What a shanten is called.

    >>> shanten_term(0).en, shanten_term(2).en
    ('ready', '2-shanten')
    """
    named = {-1: Term("complete", "已胡"), 0: Term("ready", "听牌")}
    return named.get(shanten, Term(f"{shanten}-shanten", f"{shanten}向听"))


def table(check: Any) -> Table:
    """The self-check as a table: exact probability and frequency of each shanten, and how far apart they are by seat.

    Parameters
    ----------
    check : SelfCheck, Aggregate or frame
    """
    if not isinstance(check, SelfCheck):
        check = self_check(check)
    events = [{event.key: event for event in partition.events} for partition in check.seats]
    rows = []
    for key, of_others in events[1].items():
        of_dealer = events[0].get(key)
        if of_dealer is not None:
            dealer: tuple[Cell, ...] = (of_dealer.probability, seen(of_dealer), of_dealer.z)
        else:
            dealer = (None, None, None)
        others = (of_others.probability, *(by_key[key].z for by_key in events[1:]))
        rows.append(Row(key, of_others.term, (*dealer, *others)))
    if "-1" in events[0]:
        complete = events[0]["-1"]
        none = (None,) * SEATS
        rows.insert(0, Row("-1", complete.term, (complete.probability, seen(complete), complete.z, *none)))
    return Table(
        "self_check",
        Term("Self-check: hands at the deal", "自检：起手牌"),
        Term("shanten", "向听数"),
        (
            Column("exact_dealer", Term("exact, 14 tiles", "精确值（14 张）"), "chance"),
            Column("seen_dealer", Term("dealer", "庄家"), "share"),
            Column("z_dealer", Term("dealer, z", "庄家 z"), "deviation"),
            Column("exact_others", Term("exact, 13 tiles", "精确值（13 张）"), "chance"),
            *(
                Column(
                    f"z_{SEAT_KEYS[seat]}", Term(f"{SEAT_TERMS[seat].en}, z", f"{SEAT_TERMS[seat].zh} z"), "deviation"
                )
                for seat in range(1, SEATS)
            ),
        ),
        tuple(rows),
        note(check.verdict),
    )


def seen(event: Event) -> Cell:
    """How often an event was seen, with its interval."""
    return share(event.hits, event.deals) if event.deals else None


def note(found: Verdict) -> Term:
    """What z is, and the verdict."""
    explained = Term(
        "z: how far a frequency lies from the exact probability, as the exact binomial tail in standard deviations; "
        "beyond ±4 is suspicious. Seven pairs count as a winning shape.",
        "z：频率与精确概率的偏差，由精确二项分布尾概率换算成标准差；超过 ±4 即可疑。小七对计入胡牌型。",
    )
    return Term(
        f"{explained.en} {found.sentence('en')}",
        f"{explained.zh}{found.sentence('zh')}",
    )
