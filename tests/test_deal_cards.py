"""Deals as cards: what they show is what was played, in both languages, escaped, and the same every time."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

import mjsim
from analysis.display.text import LANGS, Lang, fixed
from analysis.figures.deal_cards import Story, command_of_deal, deal_card
from analysis.figures.tiles import TILE_TERMS
from mjsim.engine import Plan
from mjsim.players import DEFAULT, players_for_seats
from mjsim.rules import load_rules
from mjsim.state import SEATS
from mjsim.tiles import parse, parse_tile
from mjsim.transcript.events import Replay, Replayer, replay
from tests.commands import run

# A discard won on, two winners, a robbed kong, a drawn deal, a kong chain whose giver pays alone, horses.
DEALS = (
    ("liuzhou", 8063),
    ("liuzhou", 70),
    ("liuzhou", 220),
    ("liuzhou", 394),
    ("nanning_folk", 411),
    ("nanning_laiyouxi", 0),
)
EMPTY = {"meta", "br", "use"}


@pytest.fixture(scope="module")
def shown() -> dict[tuple[str, int], Replay]:
    return {(rules, deal): replay(rules, seed=1, deal=deal, players="fast") for rules, deal in DEALS}


class Reader(HTMLParser):
    """Reads a piece of HTML: its words, the tiles of each part, and whether every element is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words = ""
        self.labels: dict[str, list[str]] = {}
        self.part = ""
        self.heading = False
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag == "summary":
            self.part = ""
            self.heading = True
        if tag == "svg":
            self.labels.setdefault(self.part, []).append(dict(attrs)["aria-label"] or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in EMPTY

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.heading = self.heading and tag != "summary"

    def handle_data(self, data: str) -> None:
        self.words += data
        if self.heading:
            self.part += data


def test_the_deals_are_the_ones_wanted(shown: dict[tuple[str, int], Replay]) -> None:
    cases = [shown[deal].case for deal in DEALS]
    assert [case["how"] for case in cases] == ["discard", "discard", "rob_kong", "drawn", "self_draw", "self_draw"]
    assert len(cases[1]["winners"]) == 2
    assert len(cases[4]["chain"]) == 2
    assert cases[5]["horses"]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("deal", DEALS)
def test_card_is_well_formed_and_draws_every_tile(
    shown: dict[tuple[str, int], Replay], deal: tuple[str, int], lang: Lang
) -> None:
    card = deal_card(shown[deal], lang)
    reader = Reader(str(card))
    assert "&lt;" not in card  # nothing drawn was escaped
    assert re.search(r"\b[1-9]+[mpsz]\b", reader.words) is None  # nothing drawn is spelled
    start = shown[deal].events[0]
    dealt = Counter(TILE_TERMS[kind].say(lang) for held in start["hands"] for kind in parse(held))
    assert Counter(reader.labels["Dealt hands" if lang == "en" else "起手牌"]) == dealt


@pytest.mark.parametrize("deal", DEALS)
def test_discards_claims_and_points_are_the_deal_s(shown: dict[tuple[str, int], Replay], deal: tuple[str, int]) -> None:
    played, events = shown[deal], shown[deal].events
    reader = Reader(str(deal_card(played, "en")))
    thrown = Counter(TILE_TERMS[parse_tile(each["tile"])].en for each in events if each["event"] == "discard")
    assert Counter(reader.labels.get("Discards", [])) == thrown
    for event in events:
        if event["event"] in ("pung", "chow", "kong"):
            words = f"seat {event['seat']} {event['event']}s seat {event['from']}'s"
            assert words in reader.words
    columns = ("hand", "kongs", "fish", "net") if "liuzhou" in deal else ("hand", "kongs", "net")
    for seat in range(SEATS):
        row = re.search(rf"<tr><th scope=\"row\">seat {seat} .*?</tr>", str(deal_card(played, "en")))
        assert row is not None
        cells = re.findall("<td>(.*?)</td>", row[0])
        assert cells == [fixed(played.case["expect"][column][seat], 0, sign=True) for column in columns]


@pytest.mark.parametrize("deal", DEALS)
def test_fate_of_every_discard_follows_from_the_next_event(
    shown: dict[tuple[str, int], Replay], deal: tuple[str, int]
) -> None:
    events, story = shown[deal].events, Story(shown[deal])
    fates: list[list[str]] = [[] for _ in range(SEATS)]
    plays = [event for event in events if event["event"] != "pass"]
    for event, following in pairwise(plays):
        if event["event"] == "discard":
            claimed = following["event"] in ("chow", "pung", "kong")
            fates[event["seat"]].append("claimed" if claimed else "won" if following["event"] == "win" else "")
    assert [[each.fate for each in river] for river in story.rivers] == fates
    turns = sorted(each.turn for river in story.rivers for each in river)
    assert turns == list(range(1, len(turns) + 1))


def test_winners_hold_what_the_case_says(shown: dict[tuple[str, int], Replay]) -> None:
    for played in shown.values():
        story = Story(played)
        for seat in played.case.get("winners", ()):
            assert sorted(story.table.hands[seat]) == parse(played.case["hands"][seat])
        assert [list(map(str, melds)) for melds in story.table.melds] == played.case["melds"]
        assert list(map(len, story.claimed)) == list(map(len, story.table.melds))


def test_types_stand_in_both_languages(shown: dict[tuple[str, int], Replay]) -> None:
    robbed = shown["liuzhou", 220]
    assert "robbing kong 抢杠" in deal_card(robbed, "en")
    assert "抢杠 robbing kong" in deal_card(robbed, "zh")


def test_fish_and_horses_are_drawn(shown: dict[tuple[str, int], Replay]) -> None:
    fish = Reader(str(deal_card(shown["liuzhou", 8063], "en"))).labels["Fish"]
    assert Counter(fish) == Counter(
        TILE_TERMS[parse_tile(each)].en for held in shown["liuzhou", 8063].case["fish"] for each in held
    )
    horses = deal_card(shown["nanning_laiyouxi", 0], "en").split("horses turned over")[1].split("</li>")[0]
    drawn = re.findall(r"#tile-(..)", horses)
    assert drawn == shown["nanning_laiyouxi", 0].case["horses"]


def test_a_concealed_kong_shows_two_backs() -> None:
    rules, seat = "nanning_folk", 1
    played = replay(rules, seed=1, deal=0, players="fast")
    assert any(each.startswith("kong-") for each in played.case["melds"][seat])
    assert deal_card(played, "en").count("#tile-back") == 2


def test_same_deal_gives_the_same_bytes() -> None:
    cards = {str(deal_card(replay("liuzhou", seed=1, deal=70), "en")) for _ in range(2)}
    assert len(cards) == 1


def test_names_are_escaped() -> None:
    rules = load_rules("liuzhou")
    title = rules.title.model_copy(update={"en": "<script>alert(1)</script>"})
    ruleset = rules.model_copy(update={"ruleset": rules.ruleset.model_copy(update={"title": title})})
    card = deal_card(replay(ruleset, seed=1, deal=0), "en")
    assert "<script" not in card
    assert "&lt;script&gt;" in card


@pytest.mark.parametrize(
    ("plan", "command"),
    [
        (Plan(load_rules("liuzhou"), players_for_seats(DEFAULT), 3), "mjsim replay liuzhou --deal 4 --seed 3"),
        (
            Plan(load_rules("liuzhou", rob_kong=False), players_for_seats("fast,random,value,fast"), 3, 4, 1),
            "mjsim replay liuzhou --deal 4 --seed 3 --players fast,random,value,fast --session 4 --fish 1"
            " --set rob_kong=false",
        ),
    ],
)
def test_command_shows_the_same_deal(plan: Plan, command: str) -> None:
    played = Replayer(plan).show(4)
    assert command_of_deal(played) == command
    done = run(*command.split()[1:])
    assert (done.status, done.out) == (0, played.text("en"))


def test_no_command_is_given_where_none_would_show_the_deal() -> None:
    played = replay("liuzhou", seed=1, deal=0)
    own_wall = replay("liuzhou", seed=1, deal=0, wall=mjsim.walls(2, 0, 1)[0].tolist())
    assert command_of_deal(own_wall) is None
    assert "<code>" not in deal_card(own_wall, "en")
    own = replace(played.plan.players[0], builtin=False)
    own_player = replace(played, plan=replace(played.plan, players=(own, *played.plan.players[1:])))
    assert command_of_deal(own_player) is None
