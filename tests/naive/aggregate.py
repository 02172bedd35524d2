"""The aggregate of some deals by plain loops, one deal, one fish, one transfer and one session at a time."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tests.naive.tiles import EAST, GREEN, NORTH, RED, SOUTH, WEST, WHITE, is_honour, rank_of

Row = dict[str, Any]
Key = tuple[int, ...]

SEATS = range(4)
OUTCOMES = ("self_draw", "discard", "rob_kong", "drawn")
PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))

# The hand types and events in the order of their bits in the columns ``types_…``.
TYPE_NAMES = (
    *("all_pungs", "full_flush", "seven_pairs", "quads_1", "quads_2", "quads_3", "concealed_hand", "melded_hand"),
    *("replacement_win", "kong_discard", "robbing_kong", "last_tile_draw", "last_tile_claim", "melded_discard"),
    *("heavenly_hand", "earthly_hand", "human_hand"),
)
LABELS = range(1, 9)
KEYS = ("dealer", "next", "opposite", "previous")
HONOURS = {EAST: 0, SOUTH: 1, WEST: 2, NORTH: 3, WHITE: 2, GREEN: 1, RED: 0}
SPECIAL = {"all_pungs", "full_flush", "seven_pairs", "melded_hand"}
MOST_BATCHES = 1024
WON, DEALT_IN, OTHER_WON, DRAWN = range(4)


@dataclass
class Counts:
    """What `analysis.counts.aggregate.Aggregate` holds, as lists and dicts."""

    level: int
    batches: list[int]
    sums: dict[str, list[int]]
    histograms: dict[str, dict[Key, int]]
    first_with: dict[str, int]
    dearest: list[tuple[int, int]]


def count(rows: Iterable[Row], session_length: int, measures: Sequence[str], dearest: int = 10) -> Counts:
    """Count some deals, of which there is at least one."""
    deals = sorted(rows, key=lambda row: row["deal"])
    level = 0
    while len({row["session"] >> level for row in deals}) > MOST_BATCHES:
        level += 1
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    histograms: dict[str, Counter[Key]] = defaultdict(Counter)
    first_with: dict[str, int] = {}
    for row in deals:
        sums[row["session"] >> level].update(measures_of(row))
        for name, key, amount in entries_of(row):
            histograms[name][key] += amount
        for name in marks_of(row):
            first_with.setdefault(name, row["deal"])
    if session_length > 1:
        for name, key in session_entries(deals, session_length):
            histograms[name][key] += 1
    batches = sorted(sums)
    best = sorted((-max(row[f"net_{seat}"] for seat in SEATS), row["deal"]) for row in deals)
    return Counts(
        level=level,
        batches=batches,
        sums={name: [sums[batch][name] for batch in batches] for name in measures},
        histograms={name: dict(counter) for name, counter in histograms.items()},
        first_with=first_with,
        dearest=[(-points, deal) for points, deal in best[:dearest]],
    )


# One deal


def measures_of(row: Row) -> Counter[str]:
    """Every measure of a deal that is not 0."""
    found: Counter[str] = Counter(deals=1)
    found[row["outcome"]] += 1
    winners = winners_of(row)
    found["wins"] = len(winners)
    found["two_winners"], found["three_winners"] = int(len(winners) == 2), int(len(winners) == 3)
    kongs = 0
    for kind in ("direct", "added", "concealed"):
        number = sum(row[f"kongs_{kind}_{seat}"] for seat in SEATS)
        found[f"kongs_{kind}"], found[f"with_{kind}"] = number, int(number > 0)
        kongs += number
    found["with_kong"] = int(kongs > 0)
    for seat in SEATS:
        if row[f"net_{seat}"] > 0:
            found["points_moved"] += row[f"net_{seat}"]
    moved = [row[f"liability_{seat}"] for seat in SEATS]
    found["linked"] = int(row["links"] != 0)
    found["moved"], found["with_liability"] = sum(points for points in moved if points > 0), int(any(moved))
    found["blocked"] = sum(row[f"blocked_{seat}"] for seat in SEATS)
    found["with_blocked"] = int(found["blocked"] > 0)
    found["horses"] = horses_of(row)
    found["with_horses"] = int(found["horses"] > 0)
    for name in ("draws", "robbed", "horse_hits"):
        found[name] = row[name]
    found.update(seat_measures(row))
    found.update(win_measures(row))
    found.update(fish_measures(row))
    found.update(averaged_fish(row))
    found.update(failed_checks(row))
    return found


def seat_measures(row: Row) -> Counter[str]:
    """Measures of each seat."""
    found: Counter[str] = Counter()
    for seat in SEATS:
        found[f"net_seat_{seat}"] = row[f"net_{seat}"]
        key = KEYS[from_dealer(row, seat)]
        for name in ("hand", "liability", "kongs", "fish", "net", "start_shanten"):
            found[f"{name}_{key}"] = row[f"{name}_{seat}"]
        found[f"net_squared_{key}"] = row[f"net_{seat}"] ** 2
        found[f"plain_squared_{key}"] = (row[f"hand_{seat}"] + row[f"kongs_{seat}"]) ** 2
        found[f"won_{key}"] = int(seat in winners_of(row))
        found[f"won_self_draw_{key}"] = int(seat in winners_of(row) and row["outcome"] == "self_draw")
        found[f"dealt_in_{key}"] = int(row["from_seat"] == seat and row["outcome"] == "discard")
        found[f"was_robbed_{key}"] = int(row["from_seat"] == seat and row["outcome"] == "rob_kong")
        found[f"ready_{key}"] = int(row[f"ready_draw_{seat}"] >= 0)
    return found


def win_measures(row: Row) -> Counter[str]:
    """Measures of the winning hands."""
    found: Counter[str] = Counter()
    for seat in winners_of(row):
        found["points_won"] += row[f"hand_{seat}"]
        for name in types_of(row, seat):
            found[f"wins_{name}"] += 1
            found[f"points_{name}"] += row[f"hand_{seat}"]
            found[f"deals_{name}"] = 1
    return found


def failed_checks(row: Row) -> Counter[str]:
    """What does not hold of a deal."""
    nets = [row[f"net_{seat}"] for seat in SEATS]
    parts = [row[f"hand_{seat}"] + row[f"kongs_{seat}"] + row[f"fish_{seat}"] for seat in SEATS]
    return Counter(
        failed_zero_sum=int(sum(nets) != 0),
        failed_parts=int(nets != parts),
        failed_winners=int((row["outcome"] == "drawn") != (not winners_of(row))),
        failed_fish=int(settled_fish(row)[1] != [row[f"fish_{seat}"] for seat in SEATS]),
    )


def entries_of(row: Row) -> Iterator[tuple[str, Key, int]]:
    """What a deal adds to the histograms: name, key, amount."""
    outcome = OUTCOMES.index(row["outcome"])
    winners = winners_of(row)
    yield "length", (outcome, row["draws"]), 1
    own, _ = settled_fish(row)
    for seat in SEATS:
        place = from_dealer(row, seat)
        yield "net", (place, row[f"net_{seat}"]), 1
        if row["fish_tile_1"] >= 0:
            yield "own_fish", (place, row[f"fish_labels_{seat}"].bit_count(), own[seat]), 1
        start = (place, row[f"start_shanten_{seat}"], result_of(row, seat))
        yield "start", start, 1
        yield "start_points", start, row[f"net_{seat}"]
        yield "start_squares", start, row[f"net_{seat}"] ** 2
        if seat in winners:
            win = (place, outcome, row[f"types_{seat}"])
            yield "wins", win, 1
            yield "win_points", win, row[f"hand_{seat}"]
    if len(winners) > 1:
        in_order = [(row["dealer"] + place) % 4 for place in SEATS]
        yield "several", (outcome, *(row[f"types_{seat}"] if seat in winners else -1 for seat in in_order)), 1
    if horses_of(row):
        (winner,) = winners
        before, remainder = divmod(row[f"hand_{winner}"], 1 + row["horse_hits"])
        assert remainder == 0
        drawn_from = (row["left"], row[f"rest_{winner}"], horses_of(row), row["horse_hits"])
        yield "horses", (from_dealer(row, winner), before, *drawn_from), 1


def marks_of(row: Row) -> set[str]:
    """What `first_with` remembers the first deal of."""
    marks = {row["outcome"]}
    for seat in winners_of(row):
        marks |= types_of(row, seat)
    numbers = {2: {"two_winners"}, 3: {"three_winners"}}
    return marks | numbers.get(len(winners_of(row)), set())


def winners_of(row: Row) -> list[int]:
    """The seats that won, as recorded."""
    return [seat for seat in SEATS if row["winners"] >> seat & 1]


def types_of(row: Row, seat: int) -> set[str]:
    """The hand types and events of a win, ``ordinary`` if none of the special types is among them."""
    names = {name for bit, name in enumerate(TYPE_NAMES) if row[f"types_{seat}"] >> bit & 1}
    return names if names & SPECIAL else names | {"ordinary"}


def from_dealer(row: Row, seat: int) -> int:
    """How many places after the dealer a seat plays."""
    return (seat - int(row["dealer"])) % 4


def result_of(row: Row, seat: int) -> int:
    """How a deal ended for a seat."""
    if seat in winners_of(row):
        return WON
    if row["outcome"] == "drawn":
        return DRAWN
    return DEALT_IN if row["from_seat"] == seat else OTHER_WON


def horses_of(row: Row) -> int:
    """How many horses were turned over."""
    return sum(row[f"horse_tile_{number}"] >= 0 for number in (1, 2, 3, 4))


# Fish, as rules.md (A, Fishing) has them


def bound_to(kind: int) -> int:
    """The seat from the dealer that a tile belongs to."""
    return HONOURS[kind] if is_honour(kind) else (rank_of(kind) - 1) % 4


def transfers_of(row: Row) -> list[tuple[int, int, int]]:
    """Who paid whom how much by hands and kongs."""
    found = []
    for first, second in PAIRS:
        points = row[f"flow_{first}{second}"]
        if points > 0:
            found.append((second, first, points))
        if points < 0:
            found.append((first, second, -points))
    return found


def caught(row: Row, owner: int, target: int) -> list[tuple[int, int, int]]:
    """What a fish makes others pay its owner, or the owner pay others: payer, receiver, points."""
    found = []
    for payer, receiver, points in transfers_of(row):
        if receiver == target and payer != owner:
            found.append((payer, owner, points))
        if payer == target and receiver != owner:
            found.append((owner, receiver, points))
    return found


def gain_of(row: Row, owner: int, target: int) -> int:
    """What a fish wins its owner."""
    return sum(points if receiver == owner else -points for _, receiver, points in caught(row, owner, target))


def target_of(row: Row, label: int) -> int:
    """The seat that the fish under a label is bound to."""
    return int(row["dealer"] + bound_to(row[f"fish_tile_{label}"])) % 4


def labels_of(row: Row, seat: int) -> list[int]:
    """The labels that a seat took."""
    return [label for label in LABELS if row[f"fish_labels_{seat}"] >> (label - 1) & 1]


def settled_fish(row: Row) -> tuple[list[int], list[int]]:
    """What each seat's own fish won it, and what all fish together did."""
    own, together = [0] * 4, [0] * 4
    for owner in SEATS:
        for label in labels_of(row, owner):
            own[owner] += gain_of(row, owner, target_of(row, label))
            for payer, receiver, points in caught(row, owner, target_of(row, label)):
                together[payer] -= points
                together[receiver] += points
    return own, together


def fish_measures(row: Row) -> Counter[str]:
    """Measures of the fish as they were settled."""
    found: Counter[str] = Counter()
    for label in LABELS:
        if row[f"fish_tile_{label}"] >= 0:
            found[f"lying_{KEYS[bound_to(row[f'fish_tile_{label}'])]}"] += 1
    found["fished"] = int(row["fish_tile_1"] >= 0)
    own, _ = settled_fish(row)
    for seat in SEATS:
        taken = len(labels_of(row, seat))
        key = KEYS[from_dealer(row, seat)]
        found[f"taken_{key}"] += taken
        found[f"fish_won_{key}"] += own[seat]
        if taken:
            found[f"owners_{taken}"] += 1
            found[f"won_with_{taken}"] += own[seat]
            found[f"lost_with_{taken}"] += own[seat] < 0
    return found


def averaged_fish(row: Row) -> Counter[str]:
    """Measures of the fish each seat could have had: one on each of the eight tiles, two on each of their pairs."""
    found: Counter[str] = Counter()
    tiles = [label for label in LABELS if row[f"fish_tile_{label}"] >= 0]
    for owner in SEATS:
        place = from_dealer(row, owner)
        key = KEYS[place]
        gains = {label: gain_of(row, owner, target_of(row, label)) for label in tiles}
        for label, points in gains.items():
            found[f"eight_{place}{bound_to(row[f'fish_tile_{label}'])}"] += points
            found[f"eight_{key}"] += points
            found[f"squares_{key}"] += points * points
            found[f"losing_{key}"] += points < 0
        found[f"eight_squared_{key}"] = found[f"eight_{key}"] ** 2
        for first, second in combinations(tiles, 2):
            found[f"losing_pairs_{key}"] += gains[first] + gains[second] < 0
    return found


# Sessions


def session_entries(deals: Sequence[Row], session_length: int) -> Iterator[tuple[str, Key]]:
    """What the whole sessions among some deals in order add to the histograms."""
    sessions: dict[int, list[Row]] = defaultdict(list)
    for row in deals:
        sessions[row["session"]].append(row)
    for session in sessions.values():
        if len(session) < session_length:
            continue
        for run in runs_of([row["dealer"] for row in session]):
            yield "bank_runs", (run,)
        for seat in SEATS:
            place = from_dealer(session[0], seat)
            for without_fish in (0, 1):
                points = lowest = highest = 0
                for row in session:
                    points += row[f"net_{seat}"] - without_fish * row[f"fish_{seat}"]
                    lowest, highest = min(lowest, points), max(highest, points)
                yield "session_net", (place, without_fish, points)
                yield "session_low", (place, without_fish, lowest)
                yield "session_range", (place, without_fish, highest - lowest)


def runs_of(dealers: Sequence[int]) -> list[int]:
    """How many deals in a row each dealer dealt."""
    runs: list[int] = []
    for index, dealer in enumerate(dealers):
        if index and dealer == dealers[index - 1]:
            runs[-1] += 1
        else:
            runs.append(1)
    return runs
