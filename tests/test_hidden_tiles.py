"""No player knows a hidden tile: with the hidden tiles changed it decides the same, its random words being the same."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from mjsim.contract import View
from mjsim.engine import Plan
from mjsim.hands.hand import load
from mjsim.hands.tables import tables
from mjsim.players import BUILTIN, players_for_seats
from mjsim.rules import load_rules
from mjsim.rules.packed import pack
from mjsim.state import CONCEALED_KONG, SEATS, Record
from mjsim.transcript.events import Replayer, members
from mjsim.wall import DEALT_TILES
from tests.stopped import Stopped, stopped_deals

RULES = ("liuzhou", "nanning_folk", "nanning_laiyouxi")
PLAYERS = sorted(BUILTIN)
KINDS = range(34)


def with_others_hidden(stopped: Stopped, source: random.Random) -> Record:
    """The deal with all that the seat does not see changed: hands, concealed kongs, locks, wall, fish, words, book."""
    deal = stopped.deal_again()
    others = [seat for seat in range(SEATS) if seat != stopped.seat]
    front, back = int(deal.wall.front), int(deal.wall.back)
    fish = deal.wall.tiles[128:].tolist() if stopped.rules.fishing.enabled else []
    hidden = Counter([*deal.wall.tiles[front:back].tolist(), *fish])
    for seat in others:
        hidden.update(dict(zip(KINDS, deal.seats[seat].counts.tolist(), strict=True)))
        hidden.update(dict.fromkeys(members(int(deal.seats[seat].concealed_kongs)), 4))
    for seat in others:
        hide_kongs(deal.seats[seat], hidden, source)
    tiles = list(hidden.elements())
    source.shuffle(tiles)
    for seat in others:
        own = deal.seats[seat]
        held = [tiles.pop() for _ in range(int(own.counts.sum()))]
        load(own, tables(), np.bincount(held, minlength=34).astype(np.uint8), int(own.meld_count))
        own.shanten, own.waits, own.locked = source.randrange(7), source.getrandbits(34), source.getrandbits(34)
        deal.streams[seat].used = 4
        deal.streams[seat].key = source.getrandbits(32)
    for index in range(front, back):
        deal.wall.tiles[index] = tiles.pop()
    for label in range(len(fish)):
        deal.wall.fish_tile[label] = deal.wall.tiles[128 + label] = tiles.pop()
    assert not tiles
    deal.wall.words = source.getrandbits(32)
    deal.tally.ready_draw = deal.tally.blocked = source.randrange(9)
    return deal


def hide_kongs(own: Record, hidden: Counter[int], source: random.Random) -> None:
    """Make a seat's concealed kongs of other kinds."""
    own.concealed_kongs = 0
    for meld in range(int(own.meld_count)):
        if own.meld_kind[meld] == CONCEALED_KONG:
            kind = source.choice([kind for kind in KINDS if hidden[kind] == 4])
            hidden[kind] = 0
            own.meld_tile[meld] = kind
            own.concealed_kongs |= np.uint64(1 << kind)


@pytest.mark.parametrize("rules", RULES)
def test_a_decision_does_not_depend_on_hidden_tiles(rules: str) -> None:
    source = random.Random(rules)
    deals = list_of_pairs(rules, source)
    for name in PLAYERS:
        decide: Any = BUILTIN[name].compiled
        chosen = Counter[int]()
        for stopped, changed in deals:
            seat = stopped.seat
            answers = [
                int(
                    decide(
                        View(deal.seats[seat], deal.table, pack(stopped.rules), tables()),
                        deal.legal,
                        deal.streams[seat],
                    )
                )
                for deal in (stopped.deal_again(), changed)
            ]
            assert answers[0] == answers[1], (name, rules, int(changed.table.deal), seat)
            chosen[answers[0]] += 1
            changed.streams[seat] = stopped.deal_again().streams[seat]
        assert len(chosen) > 10, name


def list_of_pairs(rules: str, source: random.Random) -> list[tuple[Stopped, Record]]:
    """Stopped deals, each with one that only hidden tiles tell from it."""
    pairs = [(stopped, with_others_hidden(stopped, source)) for stopped in stopped_deals(rules, range(15))]
    differing = sum(stopped.before != changed.tobytes() for stopped, changed in pairs)
    assert differing == len(pairs) > 30
    return pairs


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("rules", RULES)
def test_tiles_not_drawn_yet_change_nothing_that_came_before(rules: str, name: str) -> None:
    """The engine from end to end: one player in all seats, and the wall from some draw on shuffled."""
    shown = Replayer(Plan(load_rules(rules), players_for_seats(name), 5))
    source = random.Random(f"{rules} {name}")
    compared = 0
    for number in range(2):
        first = shown.show(number)
        draws = sum(event["event"] == "draw" for event in first.events)
        kept = source.randrange(draws // 2, draws)
        wall = list(first.wall)
        # Replacements come from the far end: the tiles of both ends that have been drawn by then stay.
        from_end = [event["from"] == "end" for event in first.events if event["event"] == "draw"][:kept]
        front = DEALT_TILES + from_end.count(False)
        back = (128 if load_rules(rules).fishing.enabled else 136) - from_end.count(True)
        hidden = [*range(front, back), *range(128, 136)] if load_rules(rules).fishing.enabled else [*range(front, back)]
        tiles = [wall[index] for index in hidden]
        source.shuffle(tiles)
        for index, tile in zip(hidden, tiles, strict=True):
            wall[index] = tile
        before = [at for at, event in enumerate(first.events) if event["event"] == "draw"][kept]
        again = shown.show(number, wall)
        assert again.events[1:before] == first.events[1:before]
        ours = [decision for decision in first.decisions if decision["event"] <= before]
        assert again.decisions[: len(ours)] == ours
        compared += len(ours)
    assert compared > 20
