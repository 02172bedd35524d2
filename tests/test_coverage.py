"""Play visits every line of the rules that can occur; what is too rare for play is forced from a constructed wall."""

import functools
import json
import random
import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

import mjsim
from mjsim.coverage import GROUPS, LINES, Coverage, Line, LoggedLine, cover
from mjsim.coverage.count import possible_lines
from mjsim.coverage.facts import Facts
from mjsim.dataset.columns import COLUMNS, ROW
from mjsim.dataset.frames import Columns
from mjsim.engine import Engine, Plan
from mjsim.players import players_for_seats
from mjsim.rules import Ruleset, builtin_names, extended_name, load_rules, variant_names
from mjsim.state import DEAL, new_record, new_records
from mjsim.transcript.events import Replay, replay
from tests.commands import run, warm_up
from tests.made_walls import Wish, eager

DEALS = 60_000
VARIANT_DEALS = 20_000
SEED = 1
ATTEMPTS = 2000

#: Groups whose lines are each about one thing: one that cannot occur must never fire. The others' lines read the same
#: facts differently under different rules.
ALONE = ("hands", "events", "chains", "claims", "end", "fish")

#: Lines that say nothing where there are no fish.
OF_FISHING = ("end.reserve_drawn", "fish.labels.0")

BY_KEY = {line.key: line for line in LINES}

READY = "123m456p789s1122z"  # waits for 1z and 2z
KONGS = {
    1: Wish({1: "111m456p789s2255z"}, draws="1m", ends="2z"),
    2: Wish({1: "111m222p789s2255z"}, draws="1m", ends="2p 2z"),
    3: Wish({1: "111m222p333s2255z"}, draws="1m", ends="2p 3s 2z"),
    4: Wish({1: "111m222p333s444z5z"}, draws="1m", ends="2p 3s 4z 5z"),
}
#: Seat 1 makes kongs and throws the last replacement, for which seat 2 waits.
KONG_DISCARDS = {
    1: Wish({1: "111m", 2: "234m456p789s6677z"}, draws="1m", ends="6z"),
    2: Wish({1: "111m222p", 2: "234m456p789s6677z"}, draws="1m", ends="2p 6z"),
    3: Wish({1: "111m222p333s", 2: "234m456p789s6677z"}, draws="1m", ends="2p 3s 6z"),
    4: Wish({1: "111m222p333s444z5z", 2: "234m456p789s6677z"}, draws="1m", ends="2p 3s 4z 6z"),
}
#: Seat 1 pungs; with its last discard, 4z, seat 3 pungs too and then waits for 5m; then seat 1 adds to its pungs.
ROBBER = "46m789m456p88s44z7z"
ROBBERIES = {
    1: Wish({1: "55m13669p246s4z", 3: ROBBER}, last="5m", draws="? 5m"),
    2: Wish({1: "11m55m139p2469s6z4z", 3: ROBBER}, last="1m", draws="5m ? 1m", ends="5m"),
    3: Wish({1: "11m22p55m13p69s4z5z6z", 3: ROBBER}, last="1m", draws="2p 5m ? 1m", ends="2p 5m"),
    4: Wish({1: "11m22p33s55m9p4z5z6z7z", 3: ROBBER}, last="1m", draws="2p 3s 5m ? 1m", ends="2p 3s 5m"),
}
#: Seat 1 waits for a hand; the dealer throws its tile in his second turn, or seat 1 draws it in its own second.
HANDS = {
    "all_pungs": "111m222p333s444z5z",
    "full_flush": "1234567892255m",
    "all_pungs_full_flush": "1112224445557m",
    "seven_pairs": "1133m4466p2299s7z",
    "seven_pairs_full_flush": "1133446677992m",
    "quads_1": "1111m33p5577s99s7z",
    "quads_2": "1111m3333p55s77s9s",
    "quads_3": "1111m3333p5555s9s",
}
TILES_WAITED_FOR = {
    "all_pungs": "5z",
    "full_flush": "2m",
    "all_pungs_full_flush": "7m",
    "seven_pairs": "7z",
    "seven_pairs_full_flush": "2m",
    "quads_1": "7z",
    "quads_2": "9s",
    "quads_3": "9s",
}
HEAVENLY = Wish({0: "123m456p789s1122z"}, last="1z")
FIRST_DRAW = Wish({1: READY}, draws="1z")
FIRST_DISCARD = Wish({1: READY}, last="1z")
BOTH_MELDED = Wish({1: "11223344m1p4567z", 3: "55667788m2p4567z"}, last="1m", draws="2m 3m 4m 5m 6m 7m 8m ? 2p")
CONCEALED_AFTER_LINK = Wish({1: "11m22p33s555m9p567z"}, draws="? 1m 2p 3s ? ? ? 5m", ends="9p")
CONCEALED_FIRST = Wish({1: "55m111p369p2469s4z", 3: ROBBER}, last="5m", draws="? 1p", ends="5m")


def wishes() -> Iterator[tuple[str, Wish]]:
    """Walls by the line that they are to show; a line may have several, for different rules."""
    for name, hand in HANDS.items():
        tile = TILES_WAITED_FOR[name]
        yield f"hands.{name}.self_draw", Wish({1: hand}, draws=tile)
        yield f"hands.{name}.discard", Wish({1: hand}, last=tile)
    for event, made in (("replacement_win", KONGS), ("kong_discard", KONG_DISCARDS), ("robbing_kong", ROBBERIES)):
        for length, wish in made.items():
            yield f"chains.{event}.{length}", wish
    yield "kongs.4", KONGS[4]
    yield "events.heavenly_hand", HEAVENLY
    yield "events.earthly_hand", FIRST_DRAW
    yield "events.earthly_hand", FIRST_DISCARD
    yield "events.human_hand", FIRST_DISCARD
    yield "events.melded_discard.melded_hand", BOTH_MELDED
    yield "payers.fixed.heavenly_hand", HEAVENLY
    yield "payers.fixed.earthly_hand", FIRST_DISCARD
    yield "horses.fixed", HEAVENLY
    yield "liability.concealed_kong", CONCEALED_AFTER_LINK


WISHES: dict[str, list[Wish]] = {}
for _key, _wish in wishes():
    WISHES.setdefault(_key, []).append(_wish)


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    warm_up()


@functools.cache
def covered(name: str, player: str, deals: int) -> Coverage:
    """A ruleset's coverage by a player."""
    return cover(load_rules(name), deals=deals, seed=SEED, players=player)


class Table:
    """Deals of a ruleset from given walls, played by `eager`."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self._engine = Engine(Plan(rules, players_for_seats(eager)))
        self._deal = new_record(DEAL)
        self._deal.wall.given = 1
        self._rows = new_records(ROW, 1)

    def columns(self, wall: list[int]) -> Columns:
        """The columns of the deal from a wall."""
        self._deal.wall.tiles[:] = wall
        self._engine.play(self._rows, self._deal, 0)
        return {column.name: self._rows[column.field].reshape(1, -1)[:, column.index or 0].copy() for column in COLUMNS}

    def forced(self, line: Line) -> Replay | None:
        """A deal that shows a line, from one of its wishes."""
        source = random.Random(line.key)
        for attempt in range(ATTEMPTS):
            wish = WISHES[line.key][attempt % len(WISHES[line.key])]
            wall = wish.wall(self.rules, source)
            if line.fired(Facts(self.rules, self.columns(wall)))[0]:
                return replay(self.rules, deal=0, players=eager, wall=wall)
        return None


@functools.cache
def table(name: str) -> Table:
    """A ruleset's table."""
    return Table(load_rules(name))


def forced_lines() -> list[tuple[str, str]]:
    """Every built-in ruleset with every line that is forced and can occur under it."""
    return [(name, key) for name in builtin_names() for key in WISHES if BY_KEY[key].possible(load_rules(name))]


@pytest.mark.parametrize(("name", "key"), forced_lines())
def test_forced_deals_show_their_line_and_settle_again_from_their_tiles(name: str, key: str) -> None:
    shown = table(name).forced(BY_KEY[key])
    assert shown is not None
    answer = mjsim.score(shown.case)
    expected = shown.case["expect"]
    assert {part: answer.get(part) for part in ("hand", "kongs", "fish", "net")} == {
        part: expected[part] for part in ("hand", "kongs", "fish", "net")
    }, answer
    points = {winner["seat"]: winner["points"] for winner in answer["winners"]}
    assert points == {seat: shown.row[f"points_{seat}"] for seat in points}


@pytest.mark.parametrize("name", builtin_names())
def test_every_line_that_can_occur_occurs_in_play_or_is_forced(name: str) -> None:
    noisy, fast = (covered(name, player, DEALS) for player in ("noisy", "fast"))
    assert set(noisy.missing()) & set(fast.missing()) - set(WISHES) == set()


@pytest.mark.parametrize("name", variant_names())
def test_lines_that_only_a_variant_has_occur(name: str) -> None:
    base = extended_name(name)
    assert base is not None
    new = [line for line in possible_lines(load_rules(name)) if not line.possible(load_rules(base))]
    found = cover(load_rules(name), deals=VARIANT_DEALS, seed=SEED, players="noisy", lines=new)
    assert found.missing() == []


#: Walls for variants whose change play hardly meets.
VARIANT_WISHES = {
    "nanning_folk_human_hand_double": FIRST_DISCARD,
    "nanning_laiyouxi_self_draw_scale": KONGS[4],
}


@pytest.mark.parametrize("name", variant_names())
def test_a_variant_changes_what_some_deal_comes_to(name: str) -> None:
    base = extended_name(name)
    assert base is not None
    if name in VARIANT_WISHES:
        source = random.Random(name)
        walls = [VARIANT_WISHES[name].wall(load_rules(name), source) for _ in range(20)]
        results = [[nets(table(each).columns(wall)).tolist() for wall in walls] for each in (name, base)]
        assert results[0] != results[1]
    else:
        runs = [mjsim.simulate(each, deals=2000, seed=SEED, players="noisy") for each in (name, base)]
        assert np.any(nets(runs[0].columns) != nets(runs[1].columns))


def nets(columns: Columns) -> npt.NDArray[np.int32]:
    """Points of every seat, of shape (deal, seat)."""
    return np.stack([columns[f"net_{seat}"] for seat in range(4)], axis=1)


@pytest.mark.parametrize("name", [*builtin_names(), *variant_names()])
def test_what_cannot_occur_never_does(name: str) -> None:
    rules = load_rules(name)
    silent = () if rules.fishing.enabled else OF_FISHING
    cannot = [line for line in LINES if line.group in ALONE and line.key not in silent and not line.possible(rules)]
    found = cover(rules, deals=VARIANT_DEALS, seed=SEED, players="noisy", lines=cannot)
    assert {key: count for key, count in found.counts.items() if count} == {}


@pytest.mark.parametrize(("name", "robbed"), [("nanning_folk", 0), ("nanning_laiyouxi", 1)])
def test_a_concealed_kong_in_the_chain_protects_from_robbing_where_the_rules_say_so(name: str, robbed: int) -> None:
    source = random.Random(name)
    for _ in range(ATTEMPTS):
        shown = replay(name, deal=0, players=eager, wall=CONCEALED_FIRST.wall(load_rules(name), source))
        kongs = [event["event"] for event in shown.events if str(event["event"]).startswith("kong")]
        if kongs[:2] == ["kong-", "kong+"]:
            break
    else:
        pytest.fail(f"no such deal among {ATTEMPTS}")
    assert (shown.row["robbed"], shown.row["chain"] if robbed else 2) == (robbed, 2)
    assert mjsim.score(shown.case)["net"] == shown.case["expect"]["net"]


# The counts


def test_lines_are_named_once_and_in_both_languages() -> None:
    assert len(BY_KEY) == len(LINES)
    assert list(dict.fromkeys(line.group for line in LINES)) == list(GROUPS)
    words = [line.words for line in LINES]
    assert len({english for english, _ in words}) == len({chinese for _, chinese in words}) == len(words)
    assert all(re.search("[\u4e00-\u9fff]", chinese) for _, chinese in words)


def test_counts_are_those_of_the_deals_one_by_one() -> None:
    deals = 400
    rules = load_rules("nanning_laiyouxi")
    found = cover(rules, deals=deals, seed=3, players="noisy")
    rows = [replay(rules, deal=deal, seed=3, players="noisy").row for deal in range(deals)]
    by_hand = {
        "end.drawn": sum(row["outcome"] == "drawn" for row in rows),
        "payers.robbed": sum(row["outcome"] == "rob_kong" for row in rows),
        "winners.1": sum(str(row["winners"]) in "1248" for row in rows),
        "horses.2": sum(row["horse_hits"] == 2 for row in rows),
        "kongs.added": sum(any(row[f"kongs_added_{seat}"] for seat in range(4)) for row in rows),
        "forbidden.seal": sum(any(row[f"blocked_{seat}"] for seat in range(4)) for row in rows),
    }
    assert {key: found.counts[key] for key in by_hand} == by_hand
    assert found.deals == deals


@pytest.mark.parametrize("name", ["liuzhou", "liuzhou_no_third_party", "nanning_folk", "nanning_laiyouxi"])
def test_liability_moves_points_exactly_where_a_paying_line_fired(name: str) -> None:
    rules = load_rules(name)
    facts = Facts(rules, mjsim.simulate(rules, deals=20_000, seed=4, players="noisy").columns)
    paying = ["giver_to_maker", "third_to_maker", "self_draw", "self_draw_alone"]
    if rules.liability.giver_to_third > 0:
        paying.append("giver_to_third")
    lines = [BY_KEY[f"liability.{each}"] for each in paying]
    fired = np.any([line.fired(facts) for line in lines if line.possible(rules)], axis=0)
    moved = np.any(facts.seats("liability") != 0, axis=1)
    # Who is liable and gave the kong as well pays what he would have paid anyway.
    unchanged = BY_KEY["liability.in_place_of_kong_giver"].fired(facts) & (rules.liability.self_draw == 3)
    assert np.array_equal(fired & ~unchanged, moved & ~unchanged)
    assert np.count_nonzero(moved) > 50


def test_chunks_and_replays_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules("nanning_folk")
    whole = cover(rules, deals=5000, seed=3)
    monkeypatch.setattr("mjsim.coverage.count.CHUNK", 999)
    assert cover(rules, deals=5000, seed=3) == whole
    monkeypatch.setattr("mjsim.coverage.count.MOST_REPLAYED", 50)
    fewer = cover(rules, deals=5000, seed=3)
    assert set(fewer.replayed.values()) == {50} | {count for count in whole.replayed.values() if count < 50}
    logged = [line.key for line in possible_lines(rules) if isinstance(line, LoggedLine)]
    assert set(logged) == set(whole.replayed)
    assert all(fewer.counts[key] <= whole.counts[key] for key in logged)


def test_the_command_prints_the_counts() -> None:
    done = run("rules", "coverage", "nanning_folk", "--deals", 3000, "--seed", 3, "--format", "json")
    assert (done.status, done.err) == (0, "")
    rows = json.loads(done.out)
    noisy, fast = (
        cover(load_rules("nanning_folk"), deals=3000, seed=3, players=player) for player in ("noisy", "fast")
    )
    assert [row["key"] for row in rows] == [line.key for line in LINES]
    for row in rows:
        assert (row["noisy"], row["fast"]) == (noisy.counts.get(row["key"]), fast.counts.get(row["key"]))
        assert ("cannot occur" in row["note"]) == (row["noisy"] is None)
        assert ("did not" in row["note"]) == (row["noisy"] == row["fast"] == 0)


def test_the_command_in_chinese_with_a_setting() -> None:
    options = ("--deals", 500, "--players", "fast", "--lang", "zh", "--format", "md", "--set", "rob_kong=false")
    done = run("rules", "coverage", "liuzhou", *options)
    assert done.status == 0
    assert "柳州麻将" in done.out
    assert "| 抢杠，被抢者付，此杠无分 | – | 此规则下不会发生 |" in done.out.replace("|  |", "|")
