"""Deals made up for the tests of the analysis: random, but such that every self-check holds."""

import random
from typing import Any

import numpy as np
import polars as pl

from mjsim.dataset.columns import COLUMNS, OUTCOMES, PAIRS

SEATS = range(4)

#: Which seat from the dealer a kind belongs to as a fish (rules.md A): ranks 1 to 9 of a suit, then the seven honours.
FISH_OF = [0, 1, 2, 3, 0, 1, 2, 3, 0] * 3 + [0, 1, 2, 3, 2, 1, 0]

MANIFEST: dict[str, Any] = {
    "format_version": 1,
    "results_version": 1,
    "status": "complete",
    "ruleset": {
        "ruleset": {
            "name": "made",
            "title": {"en": "Made-up rules", "zh": "虚构规则"},
            "about": {"en": "For tests.", "zh": "测试用。"},
        },
        "claims": {"chow": True},
        "value": {"step": 2, "self_draw": {"ordinary": 1}},
        "events": {
            name: {"factor": 2} for name in ("last_tile_draw", "kong_discard", "robbing_kong", "replacement_win")
        },
        "kongs": {"rob_kong": True},
        "fishing": {"enabled": True, "max_labels": 2, "reserve": "all"},
    },
    "players": [{"name": "fast", "source_hash": f"{seat:016x}"} for seat in SEATS],
    "seed": 7,
    "session_length": 1,
    "fish": 2,
    "first": 0,
    "deals": 300,
    "software": {"mjsim": "0.1.0", "polars": "2.1.0"},
    "command": "mjsim simulate made --deals 300 --seed 7 --out runs/made",
    "shards": [],
}


def made_rows(
    deals: int, seed: int = 1, *, fish: tuple[int, ...] = (0, 1, 2), drawn: bool = False
) -> list[dict[str, Any]]:
    """Deals as dicts; ``fish``: numbers of labels a seat may have, ``drawn``: only drawn deals."""
    source = random.Random(seed)
    return [_row(source, index, fish, drawn) for index in range(deals)]


def frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Deals as a frame with the types of the registry."""
    schema = {
        column.name: pl.Enum(OUTCOMES) if column.labels else pl.Series(np.empty(0, column.dtype)).dtype
        for column in COLUMNS
    }
    return pl.DataFrame(rows, schema=schema)


def flows_of(row: dict[str, Any]) -> list[list[int]]:
    """What each seat won from each other, fish not included."""
    flow = [[0] * 4 for _ in SEATS]
    for first, second in PAIRS:
        flow[first][second] = row[f"flow_{first}{second}"]
        flow[second][first] = -row[f"flow_{first}{second}"]
    return flow


def settle_fish(row: dict[str, Any]) -> tuple[list[int], list[int]]:
    """What each seat's own fish won it, and what all fish together brought it, one transfer at a time."""
    flow = flows_of(row)
    own, total = [0] * 4, [0] * 4
    for owner in SEATS:
        for label in range(1, 9):
            if not row[f"fish_labels_{owner}"] >> (label - 1) & 1:
                continue
            target = (row["dealer"] + FISH_OF[row[f"fish_tile_{label}"]]) % 4
            for other in SEATS:
                if other in (owner, target):
                    continue
                own[owner] += flow[target][other]
                total[owner] += flow[target][other]
                total[other] -= flow[target][other]
    return own, total


def _row(source: random.Random, index: int, fish: tuple[int, ...], drawn: bool) -> dict[str, Any]:
    row: dict[str, Any] = {column.name: "drawn" if column.labels else 0 for column in COLUMNS}
    row |= {"deal": index, "session": index, "dealer": index % 4, "draws": source.randint(10, 75)}
    row |= {"from_seat": -1, **{f"horse_tile_{number}": -1 for number in (1, 2, 3, 4)}}
    row["outcome"] = "drawn" if drawn else source.choices(OUTCOMES, (3, 5, 1, 1))[0]
    flow = [[0] * 4 for _ in SEATS]
    _win(source, row, flow)
    _kongs(source, row, flow)
    row |= {f"flow_{first}{second}": flow[first][second] for first, second in PAIRS}
    _fish(source, row, fish)
    for seat in SEATS:
        row[f"net_{seat}"] = row[f"hand_{seat}"] + row[f"kongs_{seat}"] + row[f"fish_{seat}"]
    _hands(random.Random(f"{index} {row['draws']}"), row)
    return row


def in_sessions(rows: list[dict[str, Any]], length: int, seed: int = 1) -> list[dict[str, Any]]:
    """The same deals in sessions, the dealers as they were or, as often, once more; points go with their seats."""
    source = random.Random(seed)
    found: list[dict[str, Any]] = []
    for index, row in enumerate(rows):
        session, hand = divmod(index, length)
        dealer = session % 4 if hand == 0 else (found[-1]["dealer"] + source.randrange(2)) % 4
        found.append(row | {"session": session, "hand": hand, "dealer": dealer})
    return found


def _move(flow: list[list[int]], winner: int, loser: int, points: int) -> None:
    flow[winner][loser] += points
    flow[loser][winner] -= points


def _win(source: random.Random, row: dict[str, Any], flow: list[list[int]]) -> None:
    """A win with random types, sometimes with liability, or none for a drawn deal."""
    if row["outcome"] == "drawn":
        return
    giver = source.randrange(4)
    others = [seat for seat in SEATS if seat != giver]
    winners = (
        [others[0]] if row["outcome"] == "self_draw" else source.sample(others, source.choices((1, 2, 3), (8, 2, 1))[0])
    )
    row["from_seat"] = -1 if row["outcome"] == "self_draw" else giver
    for winner in winners:
        row["winners"] |= 1 << winner
        row[f"types_{winner}"] = source.choices(
            (0, 1, 2, 4, 12, 64, 65, 128, 256, 2048), (9, 1, 1, 1, 1, 5, 1, 1, 1, 1)
        )[0]
        for payer in [giver] if row["outcome"] != "self_draw" else [seat for seat in SEATS if seat != winner]:
            points = source.randint(1, 8)
            _move(flow, winner, payer, points)
            row[f"hand_{winner}"] += points
            row[f"hand_{payer}"] -= points
    if source.random() < 0.2:
        payer = (winners[0] + 1) % 4
        row["links"] |= 1 << (4 * winners[0] + payer)
        _move(flow, winners[0], payer, 3)
        for part in ("hand", "liability"):
            row[f"{part}_{winners[0]}"] += 3
            row[f"{part}_{payer}"] -= 3


def _hands(source: random.Random, row: dict[str, Any]) -> None:
    """What hands were dealt, when they became ready, and which wins a lock forbade."""
    for seat in SEATS:
        row[f"start_shanten_{seat}"] = source.randint(0, 5)
        row[f"ready_draw_{seat}"] = source.randint(-1, 9) if row["winners"] >> seat & 1 == 0 else 9
        row[f"blocked_{seat}"] = source.choices((0, 1, 2), (40, 2, 1))[0]


def _kongs(source: random.Random, row: dict[str, Any], flow: list[list[int]]) -> None:
    row["robbed"] = int(row["outcome"] == "rob_kong")
    for seat in SEATS:
        if source.random() < 0.2:
            kind = source.choice(("direct", "added", "concealed"))
            row[f"kongs_{kind}_{seat}"] += 1
            for payer in [other for other in SEATS if other != seat][: 3 if kind == "concealed" else 1]:
                _move(flow, seat, payer, 1)
                row[f"kongs_{seat}"] += 1
                row[f"kongs_{payer}"] -= 1


def _fish(source: random.Random, row: dict[str, Any], fish: tuple[int, ...]) -> None:
    free = source.sample(range(8), 8)
    for label in range(1, 9):
        row[f"fish_tile_{label}"] = source.randrange(34) if any(fish) else -1
    for seat in SEATS:
        for _ in range(source.choice(fish)):
            row[f"fish_labels_{seat}"] |= 1 << free.pop()
    _, total = settle_fish(row)
    row |= {f"fish_{seat}": total[seat] for seat in SEATS}
