"""The players `value` and `rollout` against their twins in plain Python, decision by decision."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest
from numba import types

import mjsim
from mjsim import jit
from mjsim.contract import VIEW_TYPE, View
from mjsim.deal.moves import come_to_rest
from mjsim.engine import Plan
from mjsim.hands.hand import load
from mjsim.hands.tables import tables
from mjsim.players import BUILTIN, players_for_seats
from mjsim.players.worlds import WORLD, look, play_out
from mjsim.rules import Ruleset, load_rules
from mjsim.rules.packed import pack
from mjsim.settle import FISH, SETTLEMENT
from mjsim.state import CONCEALED_KONG, SEAT, SEATS, TABLE, Record, new_record
from mjsim.transcript.events import Replay, Replayer
from tests.naive.actions import KONG, WIN, kind_of
from tests.naive.players import View as NaiveView
from tests.naive.players import play_random
from tests.naive.players_rollout import (
    World,
    deal_with,
    play_rollout,
    played_out,
    sight_in,
    stake_of,
    won_by,
    words_taken,
)
from tests.naive.players_value import play_value
from tests.naive.sight import Sight, sight_of
from tests.naive.wall import PURPOSE_PLAYER, Stream
from tests.themed_walls import themed_wall
from tests.watching import WatchedDeal, own_fields, table_fields

SEED = 77
DECISIONS = 500  # of each kind of wall, for each ruleset
CAMPAIGN_DECISIONS = 6000
LATE = 12

#: Rulesets by name. The last two mix what no built-in one does: the fourth family, and numbers of their own everywhere.
RULES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "liuzhou": ("liuzhou", {}),
    "nanning_folk": ("nanning_folk", {}),
    "nanning_laiyouxi": ("nanning_laiyouxi", {}),
    "no chow, any hand on a discard": ("nanning_folk_ordinary_discard", {}),
    "chow, no ordinary hand on a discard": ("liuzhou", {"ordinary_discard": "none"}),
    "numbers of their own": (
        "liuzhou",
        {
            "value.step": 3,
            "units.quad.self_draw": 1,
            "units.quad.discard": 2,
            "units.melded_hand.self_draw": 2,
            "kongs.exposed": 3,
            "kongs.concealed": 2,
            "liability.giver_may_win": False,
            "liability.chow_counts": False,
            "deal_end.tiles_left": 10,
            "deal_end.last_tile_discard": False,
        },
    ),
}

_RANDOM = BUILTIN["random"].compiled
_VALUE = BUILTIN["value"].compiled
_WORLD = jit.record_type(WORLD)


@mjsim.player
def erratic(view: Any, legal: Any, rng: Any) -> Any:
    """Play as `value`, but one decision in eight at random, so that it meets odd situations."""
    return _RANDOM(view, legal, rng) if mjsim.next_word(rng) % 8 == 0 else _VALUE(view, legal, rng)


# ---- value -------------------------------------------------------------------------------------------------------


def compare_value(rules: Ruleset, decisions: int, *, themed: bool, first: int = 0) -> Counter[str]:
    """Compare so many decisions of erratic seats that `value` took, or some more; returns what they were about."""
    shown = Replayer(Plan(rules, players_for_seats(erratic), SEED))
    met: Counter[str] = Counter()
    deal = first
    while met["decisions"] < decisions:
        replay = shown.show(deal, themed_wall(SEED, deal, deal % SEATS) if themed else None)
        streams = [Stream(SEED, deal, PURPOSE_PLAYER + seat) for seat in range(SEATS)]
        for given in replay.decisions:
            seat, legal = given["seat"], given["legal"]
            if streams[seat].word() % 8 == 0:
                blind = NaiveView(given["phase"], [], 0, [], 2)
                assert given["action"] == play_random(blind, legal, streams[seat])
            elif given["phase"] != "fish":
                sight = sight_of(replay.events[: given["event"]], seat, rules)
                assert sight.phase == given["phase"]
                assert given["action"] == play_value(sight, legal, rules), (deal, given, sight)
                met.update(what_it_is_about(sight, legal, given["action"], rules))
        deal += 1
    return met


def what_it_is_about(sight: Sight, legal: Sequence[int], chosen: int, rules: Ruleset) -> list[str]:
    """Names of what a decision is about, for counting."""
    kinds = {kind_of(number) for number in legal}
    about = ["decisions", sight.phase]
    about += ["win offered"] * (sight.phase == "reaction" and WIN in kinds)
    about += ["kong"] * (max(kinds) >= KONG)
    about += ["late"] * (sight.left <= rules.deal_end.tiles_left + LATE)
    about += ["claim"] * (sight.phase == "reaction" and kind_of(chosen) > WIN)
    return about


def loaded(name: str) -> Ruleset:
    """One of `RULES`."""
    base, changes = RULES[name]
    return load_rules(base, **changes)


@pytest.mark.parametrize("name", RULES)
def test_value_decides_as_its_twin(name: str) -> None:
    rules = loaded(name)
    met = compare_value(rules, DECISIONS, themed=False) + compare_value(rules, DECISIONS, themed=True)
    assert met["decisions"] >= 2 * DECISIONS
    assert met["turn"] > DECISIONS
    assert met["reaction"] > DECISIONS // 5
    assert min(met[about] for about in ("win offered", "kong", "late", "claim")) > 0


@pytest.mark.campaign
@pytest.mark.parametrize("themed", [False, True], ids=["walls", "themed walls"])
@pytest.mark.parametrize("name", RULES)
def test_value_decides_as_its_twin_thousands_of_times(name: str, themed: bool) -> None:
    met = compare_value(loaded(name), CAMPAIGN_DECISIONS, themed=themed, first=10_000)
    assert met["decisions"] >= CAMPAIGN_DECISIONS
    assert min(met[about] for about in ("win offered", "kong", "late", "claim")) > 10


# ---- rollout -----------------------------------------------------------------------------------------------------


@dataclass
class Asked:
    """A decision of the seat that `rollout` plays, and the twin of the deal at that moment."""

    deal: WatchedDeal
    legal: list[int]
    action: int
    sight: Sight
    stream: Stream

    @property
    def seat(self) -> int:
        return self.sight.seat


def asked_of(replay: Replay, seat: int) -> Iterator[Asked]:
    """Every decision of a seat after the dice; its stream stands where the decision begins."""
    rules = replay.plan.rules
    deal = WatchedDeal(SEED, replay.deal, replay.events[0]["dealer"], rules=rules.name)
    used = 0
    decisions = iter(replay.decisions)
    while deal.phase != "over":
        answers = {}
        for each, legal in deal.asked():
            given = next(decisions)
            answers[each] = given["action"]
            if each == seat and deal.phase != "fish":
                sight = sight_of(replay.events[: given["event"]], seat, rules)
                assert sight == sight_in(deal, seat)
                yield Asked(deal, legal, given["action"], sight, stream_at(replay.deal, seat, used))
                used += words_taken(sight, legal, rules)
        deal.act(answers)


def stream_at(deal: int, seat: int, used: int) -> Stream:
    """The seat's stream after some words."""
    stream = Stream(SEED, deal, PURPOSE_PLAYER + seat)
    stream.block = used // 4
    for _ in range(used % 4):
        stream.word()
    return stream


def filled(record: Record, fields: dict[str, Any]) -> Record:
    """A record with the fields that `tests.watching` says a view must hold."""
    for field, value in fields.items():
        name, _, seat = field.partition(" of ")
        place = record[name][int(seat)] if seat else record[name]
        if isinstance(value, list):
            place[: len(value)] = value
        else:
            record[name] = value
    return record


@jit.entry_on_call(types.int64(_WORLD, _WORLD, jit.record_type(SETTLEMENT), VIEW_TYPE, types.int64, types.int64))
def play_world(world: Any, deal: Any, result: Any, view: Any, chosen: Any, turns: Any) -> Any:
    """Note what the other seats' hands lack, and play the world out; kept on disk, as it takes long to compile."""
    for seat in range(SEATS):
        if seat != view.own.seat:
            come_to_rest(world, view.tables, seat)
    return play_out(world, deal, result, view, chosen, turns)


class PlayedByKernels:
    """Plays worlds out with the kernels, and some also in plain Python, which must come to the same."""

    def __init__(self, asked: Asked, rules: Ruleset, every: int) -> None:
        self.asked, self.rules, self.every = asked, rules, every
        deal, seat = asked.deal, asked.seat
        own = filled(new_record(SEAT), own_fields(deal, seat))
        table = filled(new_record(TABLE), table_fields(deal, deal.deal, 0))
        self.view = View(own, table, pack(rules), tables())
        self.world = new_record(WORLD)
        look(self.world, self.view)
        self.stake = stake_of(asked.sight, deal.dealer, [len(labels) for labels in deal.labels], rules)
        self.played: Counter[str] = Counter()

    def __call__(self, world: World, chosen: int, turns: int | None) -> int:
        self.put(world)
        result, end = new_record(SETTLEMENT), new_record(WORLD)
        found = int(play_world(self.world, end, result, self.view, chosen, turns or 0))
        deal, seat = self.asked.deal, self.asked.seat
        stopped = bool(turns) and int(end.streams[seat].turns) == 0
        how = "stopped" if stopped else "ended"
        if self.played[how] % self.every == 0:
            points = played_out(deal_with(deal, seat, world), seat, chosen, self.rules, turns)
            if isinstance(points, int):
                assert stopped
                assert found == self.stake.whole(points, seat)
            else:
                assert not stopped
                assert points == (result.hand + result.kongs).tolist()
        self.played[how] += 1
        if not stopped:
            transfers = result.transfers[: int(result.transfer_count)].tolist()
            paid = [(payer, receiver, points) for payer, receiver, points, reason in transfers if reason != FISH]
            assert found == self.stake.unseen * won_by(self.asked.sight, paid, self.stake.labels, deal.dealer)
        return found

    def put(self, world: World) -> None:
        """Put a world of the twin's in place of the kernel's."""
        for seat, hand in world.hands.items():
            own = self.world.seats[seat]
            load(own, tables(), np.array(hand, np.uint8), int(own.meld_count))
            hidden = [meld for meld in range(int(own.meld_count)) if own.meld_kind[meld] == CONCEALED_KONG]
            for meld, kind in zip(hidden, world.kongs[seat], strict=True):
                own.meld_tile[meld] = kind
            own.concealed_kongs = np.uint64(sum(1 << kind for kind in world.kongs[seat]))
        self.world.wall.tiles[: len(world.live)] = world.live


def compare_rollout(name: str, decisions: int, *, most_drawn: int, every: int, first: int = 0) -> None:
    """Compare so many decisions, every other one of which is not what `value` would do."""
    rules = load_rules(name)
    shown = Replayer(Plan(rules, players_for_seats("rollout,noisy,value,noisy"), SEED))
    compared: Counter[bool] = Counter()
    passed_over = 0
    deal = first
    while compared.total() < decisions:
        for asked in asked_of(shown.show(deal), 0):
            other = asked.action != play_value(asked.sight, asked.legal, rules)
            passed_over += 1
            if sum(asked.sight.drawn) > most_drawn or len(asked.legal) == 1 or not (other or passed_over % 7 == 0):
                continue
            if compared[other] < (decisions + other) // 2:
                play = PlayedByKernels(asked, rules, every)
                assert asked.action == play_rollout(asked.sight, asked.legal, rules, asked.stream, play.stake, play), (
                    asked
                )
                compared[other] += 1
        deal += 1
    assert compared == {True: (decisions + 1) // 2, False: decisions // 2}


@pytest.mark.parametrize(("name", "decisions"), [("liuzhou", 8), ("nanning_folk", 6), ("nanning_laiyouxi", 6)])
def test_rollout_decides_as_its_twin(name: str, decisions: int) -> None:
    compare_rollout(name, decisions, most_drawn=24, every=199)


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["liuzhou", "nanning_folk", "nanning_laiyouxi"])
def test_rollout_decides_as_its_twin_late_in_a_deal_too(name: str) -> None:
    compare_rollout(name, 20, most_drawn=SEATS * 21, every=50, first=1000)
