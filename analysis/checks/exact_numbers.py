"""The exact numbers of dealt hands beside simulated ones: what ``mjsim exact`` shows."""

import threading
from collections import Counter
from dataclasses import dataclass
from math import comb
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.checks.exact import Event, Partition, Verdict, seen, shanten_term, verdict
from analysis.display.tables import Column, Row, Table
from analysis.display.text import ORDINARY_TERM, TYPE_TERMS, Lang, Term, fixed, grouped, one_in_exactly
from mjsim.engine import check_deals
from mjsim.hands.evaluate import shanten_many
from mjsim.hands.exact import joint_shanten_counts, shanten_counts, standard_shanten, type_counts
from mjsim.hands.types import hand_types_many, names_of
from mjsim.ranges import Progress, chunk_starts
from mjsim.tiles import KINDS, TILES
from mjsim.wall import check_range, walls
from mjsim.workers import Interrupts, check_threads, run_chunks, whole_number

#: Sizes of the hands, in turn.
SIZES: Final = (14, 13)

#: Hands a wall has room for: each wall gives the next of these places.
PLACES: Final = TILES // SIZES[0]

CHUNK_WALLS: Final = 8192

#: Deals that ``mjsim exact`` plays unless told otherwise.
DEALS: Final = 1_000_000

_CONCEALED: Final = "concealed_hand"

Types = tuple[str, ...]
Both = tuple[int, int]


@dataclass(frozen=True)
class Sample:
    """Simulated hands, each from a wall of its own, so that all are independent.

    Even walls give a hand of 14 tiles, odd ones a hand of 13, from nine places of the wall in turn.

    Attributes
    ----------
    seed, deals : int
        The walls: deals 0 to ``deals`` − 1 of this seed.
    shanten : tuple of Counter of (int, int)
        Hands of 14 and of 13 tiles by their shanten without and with seven pairs.
    types : Counter of tuple of str
        Complete hands of 14 tiles by their hand types, without ``concealed_hand``.
    """

    seed: int
    deals: int
    shanten: tuple[Counter[Both], Counter[Both]]
    types: Counter[Types]

    def hands(self, tiles: int) -> int:
        """How many hands there are of so many tiles."""
        return self.shanten[SIZES.index(tiles)].total()


def sample(
    deals: int,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    interrupts: Interrupts | None = None,
) -> Sample:
    """Deal hands from the simulator's own walls, and evaluate them.

    Parameters
    ----------
    deals : int
        How many walls.
    seed : int
        0 ≤ seed < 2^64.
    threads : int, optional
        Worker threads, all processors unless given. Does not change the result.
    progress : callable, optional
        Called now and then with the number of walls done.
    interrupts : Interrupts, optional
        One that the caller has open.

    Returns
    -------
    Sample
        After an interrupt, of the walls finished without a gap.

    Examples
    --------
    >>> found = sample(2000, seed=1)
    >>> found.hands(14), found.hands(13), found.shanten[0][3, 3] > 300
    (1000, 1000, True)
    """
    deals, seed = whole_number("deals", deals), whole_number("seed", seed)
    check_deals(0, deals)
    check_range(seed, 0, deals)
    check_threads(threads, CHUNK_WALLS)
    done: dict[int, Sample] = {}
    lock = threading.Lock()

    def work(first: int, size: int) -> None:
        part = _evaluated(seed, first, size)
        with lock:
            done[first] = part

    spans = chunk_starts(0, deals, 1, CHUNK_WALLS)
    if interrupts is None:
        with Interrupts() as own:
            played = run_chunks(spans, work, own, threads, progress)
    else:
        played = run_chunks(spans, work, interrupts, threads, progress)
    shanten: tuple[Counter[Both], Counter[Both]] = (Counter(), Counter())
    types: Counter[Types] = Counter()
    for first, part in done.items():
        if first < played:
            for total, counts in zip(shanten, part.shanten, strict=True):
                total.update(counts)
            types.update(part.types)
    return Sample(seed, played, shanten, types)


def dealt(tiles: npt.NDArray[np.uint8], first: int, size: int) -> npt.NDArray[np.uint8]:
    """The hands of so many tiles that walls from deal ``first`` on give, as counts.

    Parameters
    ----------
    tiles : ndarray of uint8, shape (wall, 136)
        Kinds in drawing order.
    first : int
        Index of the first wall.
    size : int
        14 or 13.

    Returns
    -------
    ndarray of uint8, shape (hand, 34)
    """
    numbers = first + np.arange(len(tiles))
    chosen = np.flatnonzero(numbers % len(SIZES) == SIZES.index(size))
    place = numbers[chosen] // len(SIZES) % PLACES * SIZES[0]
    hands = np.zeros((len(chosen), KINDS), np.uint8)
    rows = np.arange(len(chosen))
    for offset in range(size):
        hands[rows, tiles[chosen, place + offset]] += 1
    return hands


def _evaluated(seed: int, first: int, number: int) -> Sample:
    """The sample of one chunk of walls."""
    tiles = walls(seed, first, number)
    shanten: list[Counter[Both]] = []
    types: Counter[Types] = Counter()
    for size in SIZES:
        hands = dealt(tiles, first, size)
        standard, nearest = standard_shanten(hands), shanten_many(hands)
        shanten.append(Counter(zip(standard.tolist(), nearest.tolist(), strict=True)))
        if size == SIZES[0]:
            for mask in hand_types_many(hands[nearest == -1]):
                types[tuple(name for name in names_of(int(mask)) if name != _CONCEALED)] += 1
    return Sample(seed, number, (shanten[0], shanten[1]), types)


@dataclass(frozen=True)
class ExactNumbers:
    """Exact counts of dealt hands, beside a sample of them.

    Attributes
    ----------
    sample : Sample
    """

    sample: Sample

    @property
    def verdict(self) -> Verdict:
        """Whether the sample agrees: one chi-square over hands of 14 and of 13 tiles, and each rare event by itself."""
        return verdict((self.finest(tiles) for tiles in SIZES), independent=True)

    def finest(self, tiles: int) -> Partition:
        """Hands of so many tiles by their shanten without and with seven pairs; complete ones by their hand types."""
        found = self.sample.shanten[SIZES.index(tiles)]
        total, deals = comb(TILES, tiles), found.total()
        events = [
            Event(f"{standard},{nearest}", shanten_term(nearest), ways, total, found[standard, nearest], deals)
            for (standard, nearest), ways in joint_shanten_counts(tiles).items()
            if nearest >= 0
        ]
        complete = self.combinations() if tiles == SIZES[0] else ()
        return Partition(f"hands_{tiles}", _SIZE_TERMS[tiles], (*complete, *events))

    def shanten(self, tiles: int, seven_pairs: bool) -> tuple[Event, ...]:
        """Hands of so many tiles by shanten."""
        found = self.sample.shanten[SIZES.index(tiles)]
        hits: Counter[int] = Counter()
        for both, number in found.items():
            hits[both[seven_pairs]] += number
        return tuple(
            Event(str(shanten), shanten_term(shanten), ways, comb(TILES, tiles), hits[shanten], found.total())
            for shanten, ways in shanten_counts(tiles, seven_pairs).items()
        )

    def combinations(self) -> tuple[Event, ...]:
        """Complete hands of fourteen tiles by the set of their hand types; each counts once."""
        return tuple(
            self._event("+".join(types) or "ordinary", types_term(types), ways.ways, self.sample.types[types])
            for types, ways in type_counts().items()
        )

    def types(self) -> tuple[Event, ...]:
        """Complete hands of fourteen tiles, then by each hand type; a hand with two types counts under both."""
        counts = type_counts()
        complete = sum(each.ways for each in counts.values())
        events = [self._event("complete", _COMPLETE, complete, self.sample.types.total())]
        for name, term in _TYPES.items():
            having = [types for types in counts if (name in types if types else name == "ordinary")]
            ways, hits = (sum(of[types] for types in having) for of in (_ways(counts), self.sample.types))
            events.append(self._event(name, term, ways, hits))
        return tuple(events)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Hand types, their combinations, and shanten of 14 and of 13 tiles with and without seven pairs."""
        found = [
            _table("types_14", _TYPES_TITLE, _TYPE, self.types(), _CONCEALED_NOTE),
            _table("combinations_14", _COMBINATIONS_TITLE, _TYPE, self.combinations(), _ONCE_NOTE),
        ]
        for tiles in SIZES:
            for seven_pairs in (True, False):
                key = f"shanten_{tiles}" + ("" if seven_pairs else "_standard")
                title = Term(
                    f"Shanten of {tiles} tiles, {'with' if seven_pairs else 'without'} seven pairs",
                    f"{tiles} 张牌的向听数（{'计' if seven_pairs else '不计'}小七对）",
                )
                found.append(_table(key, title, _SHANTEN, self.shanten(tiles, seven_pairs)))
        return tuple(found)

    def heading(self, lang: Lang) -> str:
        """What it is about, in one line."""
        fourteen, thirteen = (grouped(self.sample.hands(tiles)) for tiles in SIZES)
        return Term(
            f"Exact numbers of dealt hands, beside {fourteen} hands of 14 and {thirteen} of 13 tiles, seed "
            f"{self.sample.seed}",
            f"起手牌的精确数值，对照 {fourteen} 手 14 张牌与 {thirteen} 手 13 张牌，种子 {self.sample.seed}",
        ).say(lang)

    def warnings(self, lang: Lang) -> list[str]:
        """A failed self-check."""
        found = self.verdict
        return [] if found.passed else [found.sentence(lang)]

    def findings(self, lang: Lang = "en") -> list[str]:
        """What matters most, as sentences."""
        complete = one_in_exactly(self.types()[0].probability, lang)
        ready = one_in_exactly(self.shanten(13, True)[0].probability, lang)
        means = {tiles: mean_shanten(tiles) for tiles in SIZES}
        said = [
            Term(
                f"Fourteen dealt tiles are a complete hand with probability {complete}, "
                f"thirteen are ready with {ready}.",
                f"十四张起手即胡的概率为 {complete}，十三张起手即听的概率为 {ready}。",
            ).say(lang),
            Term(
                f"On average a hand starts at {fixed(means[14], 3)} shanten with fourteen tiles, "
                f"at {fixed(means[13], 3)} with thirteen.",
                f"起手向听数的平均值：十四张为 {fixed(means[14], 3)}，十三张为 {fixed(means[13], 3)}。",
            ).say(lang),
        ]
        found = self.verdict
        return [*said, found.sentence(lang)] if found.passed else said

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        return {
            "seed": self.sample.seed,
            "deals": self.sample.deals,
            "hands": {str(tiles): {"ways": comb(TILES, tiles), "dealt": self.sample.hands(tiles)} for tiles in SIZES},
            "verdict": self.verdict.to_dict(),
            "tables": [table.to_dict() for table in self.tables],
        }

    def _event(self, key: str, term: Term, ways: int, hits: int) -> Event:
        """An event of fourteen tiles."""
        return Event(key, term, ways, comb(TILES, SIZES[0]), hits, self.sample.hands(SIZES[0]))


def mean_shanten(tiles: int, seven_pairs: bool = True) -> float:
    """The exact mean of shanten at the deal.

    >>> round(mean_shanten(14), 4), round(mean_shanten(13), 4)
    (3.1637, 3.5862)
    """
    counts = shanten_counts(tiles, seven_pairs)
    return sum(shanten * ways for shanten, ways in counts.items()) / comb(TILES, tiles)


def types_term(types: Types) -> Term:
    """A set of hand types in words."""
    if not types:
        return ORDINARY_TERM
    named = [name for name in types if not (name == "seven_pairs" and any(each.startswith("quads") for each in types))]
    return Term(" + ".join(TYPE_TERMS[name].en for name in named), "".join(TYPE_TERMS[name].zh for name in named))


def _ways(counts: Any) -> dict[Types, int]:
    return {types: each.ways for types, each in counts.items()}


def _table(key: str, title: Term, stub: Term, events: tuple[Event, ...], explained: Term | None = None) -> Table:
    """Events with their exact counts, and how often they were seen."""
    return Table(
        key,
        title,
        stub,
        (
            Column("ways", Term("ways", "组合数"), "count"),
            Column("exact", Term("exact", "精确概率"), "chance"),
            Column("one_in", Term("one in", "多少手一次"), "one_in"),
            Column("hits", Term("seen", "模拟次数"), "count"),
            Column("share", Term("simulated", "模拟频率"), "share"),
            Column("z", Term("z", "z"), "deviation"),
        ),
        tuple(
            Row(each.key, each.term, (each.ways, each.probability, each.probability, each.hits, seen(each), each.z))
            for each in events
        ),
        explained,
    )


_SIZE_TERMS: Final = {14: Term("14 tiles", "14 张"), 13: Term("13 tiles", "13 张")}
_COMPLETE: Final = Term("complete", "已胡")
_TYPES: Final = {
    "ordinary": ORDINARY_TERM,
    **{name: TYPE_TERMS[name] for name in ("all_pungs", "full_flush", "seven_pairs", "quads_1", "quads_2", "quads_3")},
}
_TYPE: Final = Term("hand type", "牌型")
_SHANTEN: Final = Term("shanten", "向听数")
_TYPES_TITLE: Final = Term("Hand types of 14 random tiles", "随机 14 张牌的牌型")
_COMBINATIONS_TITLE: Final = Term("Combinations of hand types of 14 random tiles", "随机 14 张牌的牌型组合")
_Z_NOTE: Final = Term(
    "Ways are selections of tiles, of C(136, n). z: how far the simulated number lies from the exact one, as the exact "
    "binomial tail in standard deviations; beyond ±4 is suspicious.",
    "组合数为从 136 张中取 n 张的取法数。z：模拟次数与精确值的偏差，由精确二项分布尾概率换算成标准差；超过 ±4 即可疑。",
)
_CONCEALED_NOTE: Final = Term(
    f"Every one of these hands is concealed. A hand with two types counts under both. {_Z_NOTE.en}",
    f"这些牌全部为门清。同时符合两种牌型者各计一次。{_Z_NOTE.zh}",
)
_ONCE_NOTE: Final = Term(
    f"Each complete hand counts once, with all its types: these are the lines that rules price. {_Z_NOTE.en}",
    f"每手胡牌按其全部牌型只计一次，即规则计价的各行。{_Z_NOTE.zh}",
)
