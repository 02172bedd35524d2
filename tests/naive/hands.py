"""What a hand still needs, and how a complete hand may be read, by enumeration from the definitions.

A *target* is what a suit may have to hold: m sets, with or without a pair, at most four tiles of a kind. What a target
costs is the number of its tiles that are missing. `suit_vector` takes the minimum over every target there is;
`all_vectors` reaches the same numbers for every pattern at once by another way, walking through the ranks.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations_with_replacement, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .tiles import COPIES, KINDS, SUITS, kinds_in, kinds_of

Pattern = tuple[int, ...]  # how many of each rank of one suit: 9 numbers, or 7 for honours
Set = tuple[int, int, int]  # the three kinds of a chow or a pung, ascending
Reading = tuple[int, list[Set]] | Literal["seven_pairs"]  # a standard one is (kind of the pair, sets)
Bytes = NDArray[np.uint8]

MOST_SETS = 4
MOST_TILES = 14
UNREACHABLE = 99
BLOCK = 32_768  # patterns handled together by `all_vectors`


# --- one suit: every target written out ---------------------------------------------------------------------------


def sets_within(size: int, chows: bool) -> list[Pattern]:
    """Return the sets of one suit of `size` ranks, each as a pattern."""
    sets = [tuple(3 if rank == pung else 0 for rank in range(size)) for pung in range(size)]
    if chows:
        sets += [tuple(1 if low <= rank <= low + 2 else 0 for rank in range(size)) for low in range(size - 2)]
    return sets


@cache
def targets(size: int, chows: bool, sets: int, pair: bool) -> NDArray[np.int8]:
    """Return every different target of so many sets and perhaps a pair: int8[ranks, targets]."""
    pairs = [tuple(2 if rank == held else 0 for rank in range(size)) for held in range(size)]
    found = set()
    for chosen in combinations_with_replacement(sets_within(size, chows), sets):
        for last in pairs if pair else [(0,) * size]:
            target = tuple(sum(column) for column in zip(*chosen, last, strict=True))
            if max(target) <= COPIES:
                found.add(target)
    return np.ascontiguousarray(np.array(sorted(found), dtype=np.int8).T)


@lru_cache(maxsize=100_000)
def suit_vector(pattern: Pattern, chows: bool) -> tuple[int, ...]:
    """Return what one suit lacks for m = 0 … 4 sets without a pair, then for m = 0 … 4 sets with one (10 numbers)."""
    held = np.array(pattern, dtype=np.int8)[:, np.newaxis]
    costs = []
    for pair in (False, True):
        for sets in range(MOST_SETS + 1):
            missing = np.maximum(targets(len(pattern), chows, sets, pair) - held, 0)
            costs.append(int(missing.sum(axis=0, dtype=np.int8).min()))
    return tuple(costs)


# --- one suit: every pattern at once ------------------------------------------------------------------------------


def patterns(size: int, most: int = MOST_TILES) -> Iterator[Pattern]:
    """Yield every pattern of `size` ranks with at most `most` tiles and four of a kind, ascending."""
    if size == 0:
        yield ()
        return
    for held in range(min(COPIES, most) + 1):
        for rest in patterns(size - 1, most - held):
            yield (held, *rest)


def all_suit_patterns() -> Iterator[Pattern]:
    """Yield the 405,350 patterns of a numbered suit."""
    return patterns(9)


def all_honour_patterns() -> Iterator[Pattern]:
    """Yield the 43,130 patterns of the honours."""
    return patterns(7)


def all_vectors(chows: bool) -> tuple[Bytes, Bytes]:
    """Return every pattern of a numbered suit (`chows`) or of the honours, and its suit vector.

    Returns
    -------
    patterns : uint8[patterns, ranks]
        Tiles of each rank, 0 to 4, in the order of `all_suit_patterns` or `all_honour_patterns`.
    vectors : uint8[patterns, 10]
        Tiles missing, as in `suit_vector`.
    """
    listed = np.array(list(all_suit_patterns() if chows else all_honour_patterns()), dtype=np.uint8)
    vectors = [vectors_by_rank(listed[start : start + BLOCK], chows) for start in range(0, len(listed), BLOCK)]
    return listed, np.concatenate(vectors)


# After some ranks: (chows begun at the rank before the last, at the last, sets begun, whether the pair is placed).
State = tuple[int, int, int, bool]


def vectors_by_rank(some_patterns: Bytes, chows: bool) -> Bytes:
    """Return the suit vectors of many patterns, deciding rank by rank which chows begin.

    A rank's tiles in the target are those of the chows begun there or at the two ranks before, 3 for a pung and 2 for a
    pair. Two pungs of a kind would be six tiles, so a rank has at most one.
    """
    size = some_patterns.shape[1]
    best: dict[State, Bytes] = {(0, 0, 0, False): np.zeros(len(some_patterns), dtype=np.uint8)}
    for rank in range(size):
        held = some_patterns[:, rank]
        missing = [np.where(held < wanted, wanted - held, 0).astype(np.uint8) for wanted in range(COPIES + 1)]
        most_begun = COPIES if chows and rank + 2 < size else 0
        following: dict[State, Bytes] = {}
        for (before_last, last, sets, pair), cost in best.items():
            for begun, pung, pair_here in product(range(most_begun + 1), (0, 1), (0, 1)):
                wanted = before_last + last + begun + 3 * pung + 2 * pair_here
                sets_now = sets + begun + pung
                if wanted > COPIES or sets_now > MOST_SETS or (pair and pair_here):
                    continue
                state = (last, begun, sets_now, pair or bool(pair_here))
                total = cost + missing[wanted]
                following[state] = np.minimum(following[state], total) if state in following else total
        best = following
    vectors = np.full((len(some_patterns), 2 * (MOST_SETS + 1)), UNREACHABLE, dtype=np.uint8)
    for (_, _, sets, pair), cost in best.items():
        column = sets + (MOST_SETS + 1 if pair else 0)
        vectors[:, column] = np.minimum(vectors[:, column], cost)
    return vectors


# --- the whole hand -----------------------------------------------------------------------------------------------


def check(counts: Sequence[int], melds: int) -> None:
    """Refuse what is no hand: 13 - 3·melds or 14 - 3·melds tiles of 34 kinds, at most four of a kind."""
    if len(counts) != KINDS:
        raise ValueError(f"a hand is counted by {KINDS} kinds, not {len(counts)}")
    if not 0 <= melds <= MOST_SETS:
        raise ValueError(f"no hand has {melds} melds")
    if not all(0 <= held <= COPIES for held in counts):
        raise ValueError("a hand holds from none to four of a kind")
    if sum(counts) not in (13 - 3 * melds, 14 - 3 * melds):
        raise ValueError(f"no hand with {melds} melds has {sum(counts)} tiles")


@cache
def splits(sets: int) -> list[tuple[tuple[int, ...], int]]:
    """Return each way to share so many sets among the four suits, with the place of the suit that has the pair."""
    shares = [share for share in product(range(sets + 1), repeat=len(SUITS)) if sum(share) == sets]
    return [(share, pair_place) for share in shares for pair_place in range(len(SUITS))]


def distance(counts: Sequence[int], melds: int) -> int:
    """Return how many tiles are missing to 4 - melds sets and a pair."""
    vectors = [suit_vector(tuple(int(counts[kind]) for kind in kinds_in(suit)), suit != "z") for suit in SUITS]
    costs = []
    for share, pair_place in splits(MOST_SETS - melds):
        cost = 0
        for place, sets in enumerate(share):
            cost += vectors[place][sets + (MOST_SETS + 1 if place == pair_place else 0)]
        costs.append(cost)
    return min(costs)


def seven_pairs_distance(counts: Sequence[int]) -> int:
    """Return how many tiles are missing to seven pairs, four equal tiles being two pairs."""
    return 7 - min(7, sum(int(held) // 2 for held in counts))


def shanten(counts: Sequence[int], melds: int) -> int:
    """Return the shanten of a hand: -1 complete, 0 ready, and so on; seven pairs only without melds."""
    check(counts, melds)
    missing = distance(counts, melds)
    if melds == 0:
        missing = min(missing, seven_pairs_distance(counts))
    return missing - 1


def is_complete(counts: Sequence[int], melds: int) -> bool:
    """Tell whether the hand is a winning one."""
    return shanten(counts, melds) == -1


def with_change(counts: Sequence[int], kind: int, change: int) -> list[int]:
    """Return the counts after so many tiles of a kind have come (or gone, if negative)."""
    changed = [int(held) for held in counts]
    changed[kind] += change
    return changed


def effective_tiles(counts: Sequence[int], melds: int) -> set[int]:
    """Return the kinds whose arrival lowers the shanten of a hand of 13 - 3·melds tiles."""
    if sum(counts) != 13 - 3 * melds:
        raise ValueError(f"a hand of {sum(counts)} tiles with {melds} melds is not waiting for a tile")
    now = shanten(counts, melds)
    can_come = [kind for kind in range(KINDS) if counts[kind] < COPIES]
    return {kind for kind in can_come if shanten(with_change(counts, kind, 1), melds) < now}


def best_discards(counts: Sequence[int], melds: int) -> list[int]:
    """Return the kinds whose discard leaves a hand of 14 - 3·melds tiles with the lowest shanten, ascending."""
    if sum(counts) != 14 - 3 * melds:
        raise ValueError(f"a hand of {sum(counts)} tiles with {melds} melds has none to discard")
    after = {kind: shanten(with_change(counts, kind, -1), melds) for kind in range(KINDS) if counts[kind] > 0}
    return [kind for kind, left in after.items() if left == min(after.values())]


# --- readings -----------------------------------------------------------------------------------------------------


def is_pung(three: Set) -> bool:
    """Tell whether a set of a reading is a pung; otherwise it is a chow."""
    return three[0] == three[2]


def split_into_sets(tiles: list[int]) -> list[list[Set]]:
    """Return every way to split sorted tiles into sets: the lowest tile begins a pung or a chow."""
    if not tiles:
        return [[]]
    first = tiles[0]
    candidates: list[Set] = [(first, first, first)]
    if any(first in kinds_in(suit) and first + 2 in kinds_in(suit) for suit in "mps"):
        candidates.append((first, first + 1, first + 2))
    ways = []
    for three in candidates:
        if all(tiles.count(kind) >= three.count(kind) for kind in three):
            rest = list(tiles)
            for kind in three:
                rest.remove(kind)
            ways += [[three, *others] for others in split_into_sets(rest)]
    return ways


def readings(counts: Sequence[int], melds: int) -> list[Reading]:
    """Return every reading of the concealed part of a hand; none if it is not complete.

    A standard reading is (kind of the pair, sets in ascending order of their lowest tile), in ascending order of the
    pair; "seven_pairs" comes last.
    """
    check(counts, melds)
    if sum(counts) != 14 - 3 * melds:
        return []
    found: list[Reading] = []
    for pair in range(KINDS):
        if counts[pair] >= 2:
            rest = kinds_of(with_change(counts, pair, -2))
            found += [(pair, sets) for sets in split_into_sets(rest)]
    if melds == 0 and all(held % 2 == 0 for held in counts):
        found.append("seven_pairs")
    return found
