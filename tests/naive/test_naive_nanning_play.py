"""The twin of the deal under both Nanning rulesets: self-played deals, and who may win on walls full of ready hands."""

from __future__ import annotations

import copy
import random
from collections import Counter

import pytest

from . import deal as flow
from .actions import DISCARD, KONG, KONG_ADDED, KONG_CONCEALED, PASS, PUNG, WIN, action, kind_of
from .deal import Deal
from .ending import Case, won_case
from .hands import is_complete, with_change
from .legal import is_win, reaction_actions, turn_actions
from .made_walls import stacked
from .players import play
from .referee import check
from .score import score
from .table import Table
from .tiles import COPIES, KINDS, name, text

FOLK, LAIYOUXI = "nanning_folk", "nanning_laiyouxi"
BOTH = pytest.mark.parametrize("rules", [FOLK, LAIYOUXI])


# ---- whole deals -------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("player", "first", "number"),
    [("random", 0, 12), ("fast", 20, 6), ("noisy", 30, 6)],
    ids=["random", "fast", "noisy"],
)
def test_self_play_passes_the_referee(rules: str, player: str, first: int, number: int) -> None:
    for deal in range(first, first + number):
        events, decisions, values = play(5, deal, deal % 4, (player,) * 4, rules=rules)
        assert check(events, decisions, seed=5, deal=deal, dealer=deal % 4, rules=rules) == []
        assert events[0]["rules"] == rules
        assert "chow" not in {event["event"] for event in events}
        assert "fish" not in {decision["phase"] for decision in decisions}
        assert values["draws"] + values["left"] == 83
        assert values["outcome"] != "drawn" or values["left"] <= 4
        assert values["hand_0"] + values["kongs_0"] == sum(values[f"flow_0{other}"] for other in (1, 2, 3))


def test_the_referee_tells_the_rulesets_apart() -> None:
    events, decisions, _ = play(5, 21, 1, rules=FOLK)
    assert check(events, decisions, seed=5, deal=21, dealer=1) != []


def test_corrupted_horses_are_reported() -> None:
    number = next(n for n in range(100) if play(5, n, 0, rules=LAIYOUXI)[2]["horse_tile_1"] >= 0)
    events, decisions, _ = play(5, number, 0, rules=LAIYOUXI)
    horses = events[-1]["case"]["horses"]
    for other in (horses[:-1], [*horses[1:], horses[0]], None):
        wrong = copy.deepcopy(events)
        wrong[-1]["case"]["horses"] = other
        problems = check(wrong, decisions, seed=5, deal=number, dealer=0, rules=LAIYOUXI)
        assert any("horses" in problem for problem in problems), other


@BOTH
@pytest.mark.parametrize("option", ["third_party", "fishing", "chow", "pass_lock"])
def test_options_of_liuzhou_are_refused(rules: str, option: str) -> None:
    with pytest.raises(ValueError, match=option):
        Deal(1, 1, 0, {option: True}, rules=rules)


def test_an_unknown_ruleset_is_refused() -> None:
    with pytest.raises(ValueError, match="jilin"):
        Deal(1, 1, 0, rules="jilin")


# ---- who may win -------------------------------------------------------------------------------------------------


class Watch:
    """Compares what is legal with what the settlement prices, for every complete hand of a deal."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def reaction(self, table: Table, seat: int, giver: int, tile: int, robbing: bool) -> set[int]:
        legal = reaction_actions(table, seat, giver, tile, robbing)
        if completes(table, seat, tile):
            case = won_case(table, "offered", [seat], giver, tile, robbing)
            self.compare(case, "robbing" if robbing else "discard", wins=action(WIN, tile) in legal)
            # Without links nobody is sealed; then the hand wins wherever it is priced.
            assert ("error" not in score(unlinked(case))) == is_win(table, seat, giver, tile, robbing), case
        return legal

    def turn(self, table: Table) -> set[int]:
        legal = turn_actions(table)
        if table.drawn is not None and is_complete(table.hands[table.turn], len(table.melds[table.turn])):
            case = won_case(table, "drawn", [table.turn], None, table.drawn, False)
            self.compare(case, "self_draw", wins=action(WIN, table.drawn) in legal)
        return legal

    def compare(self, case: Case, how: str, *, wins: bool) -> None:
        problem = score(case).get("error")
        assert (problem is None) == wins, (case, problem)
        why = "wins" if problem is None else "sealed" if "sealed" in problem else "refused"
        self.seen[f"{how} {why}"] += 1


def completes(table: Table, seat: int, tile: int) -> bool:
    return is_complete(with_change(table.hands[seat], tile, 1), len(table.melds[seat]))


def unlinked(case: Case) -> Case:
    """The case with the same melds, but nobody gave anybody three of them."""
    melds = [list(made) for made in case["melds"]]
    for maker in range(4):
        for place, meld in enumerate(melds[maker]):
            what, comes_from, _ = meld.partition("<")
            if comes_from:
                melds[maker][place] = f"{what}<{(maker + 1 + place % 3) % 4}"
    return {**case, "melds": melds}


def ready_hand(source: random.Random) -> list[int]:
    """Thirteen tiles that wait: of seven pairs, or of four sets and a pair, many of them pungs."""
    if source.random() < 0.4:
        return [tile for tile in source.sample(range(KINDS), 7) for _ in range(2)][:13]
    pair = source.randrange(KINDS)
    tiles = [pair, pair]
    suit = source.choice([0, 9, 18])
    for _ in range(4):
        first = suit + source.randrange(7) if source.random() < 0.6 else source.choice([0, 9, 18]) + source.randrange(7)
        tiles += [first] * 3 if source.random() < 0.6 else [first, first + 1, first + 2]
    tiles.remove(source.choice(tiles))
    return tiles


def ready_wall(source: random.Random) -> list[int]:
    """A wall that deals everyone a hand that waits, and the dealer any tile more."""
    while True:
        hands = [ready_hand(source) for _ in range(4)]
        used = Counter(tile for hand in hands for tile in hand)
        if max(used.values()) <= COPIES:
            break
    rest = [tile for tile in range(KINDS) for _ in range(COPIES - used[tile])]
    source.shuffle(rest)
    hands[0].append(rest.pop())
    return stacked([text(hand) for hand in hands], "".join(name(tile) for tile in rest))


def patient(deal: Deal, legal: list[int], source: random.Random) -> int:
    """Never win; claim and kong as one likes, and mostly throw away what was drawn."""
    claims = [number for number in legal if kind_of(number) in (PUNG, KONG, KONG_ADDED, KONG_CONCEALED)]
    if claims and source.random() < 0.7:
        return source.choice(claims)
    if action(PASS) in legal:
        return action(PASS)
    if deal.drawn is not None and source.random() < 0.8:
        return action(DISCARD, deal.drawn)
    return source.choice([number for number in legal if kind_of(number) == DISCARD])


@pytest.mark.parametrize(
    ("rules", "ordinary", "deals", "met"),
    [
        (FOLK, 0, 16, {"discard wins", "discard refused", "discard sealed", "self_draw wins"}),
        (LAIYOUXI, 0, 16, {"discard wins", "discard refused", "discard sealed", "self_draw wins"}),
        (LAIYOUXI, 2, 6, {"discard wins", "self_draw wins"}),
    ],
)
def test_legal_wins_are_those_that_the_settlement_prices(
    rules: str, ordinary: int, deals: int, met: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch()
    monkeypatch.setattr(flow, "reaction_actions", watch.reaction)
    monkeypatch.setattr(flow, "turn_actions", watch.turn)
    for number in range(deals):
        source = random.Random(number)
        deal = Deal(1, number, 0, {"ordinary_discard": ordinary}, wall=ready_wall(source), rules=rules)
        while deal.phase != "over":
            deal.act({seat: patient(deal, legal, source) for seat, legal in deal.asked()})
            assert {deal.whereabouts()[tile] for tile in range(KINDS)} == {COPIES}
    assert set(watch.seen) == met
