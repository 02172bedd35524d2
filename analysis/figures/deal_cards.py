"""One deal as a card for a page: how it ended and who paid, and folded away below, the hands and the play.

The sentences are those of the transcript (`mjsim.transcript`), with the tiles drawn.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup, escape

from analysis.display.commands import replay_command
from analysis.display.templates import template
from analysis.display.text import ORDINARY_TERM, TYPE_TERMS, Lang, Term, fixed
from analysis.figures.tiles import hand, tile
from mjsim.errors import CaseError
from mjsim.hands.melds import Meld
from mjsim.scoring.answer import Answer, score
from mjsim.state import ADDED_KONG, CHOW_MELD, CONCEALED_KONG, DIRECT_KONG, NONE, PUNG_MELD, SEATS
from mjsim.tiles import parse_tile
from mjsim.transcript.events import Event, Replay
from mjsim.transcript.result import outcome, result_lines
from mjsim.transcript.text import Table, fish_lines, spoken, title_of, transfer_lines
from mjsim.transcript.words import INDENT, PHRASES, Language
from mjsim.wall import walls

_TITLE: Final = Term("Deal {deal}:", "第 {deal} 局：")
_AGAIN: Final = Term("See it turn by turn:", "逐巡重放：")
_SEAT: Final = Term("seat", "座位")
_FACTS: Final = Term("{title}, seed {seed}; dice {first} and {second}", "{title}，种子 {seed}；骰子 {first}、{second}")
_DEALT: Final = Term("Dealt hands", "起手牌")
_COURSE: Final = Term("Discards", "出牌")
_COURSE_NOTE: Final = Term(
    "Below each discard stands its turn, counted from the dealer's first. A pale one was claimed by another seat;"
    " a framed one was won on.",
    "牌下数字为巡次，自庄家首巡起计。色浅者被他家吃碰杠，加框者点炮。",
)
_CLAIMS: Final = Term("Claims, kongs and wins", "吃碰杠与胡牌")
_ON_TURN: Final = Term("Turn {turn}: ", "第 {turn} 巡：")
_NO_DISCARDS: Final = Term("no discards", "未出牌")
_MELDS: Final = {
    CHOW_MELD: Term("chow", "吃"),
    PUNG_MELD: Term("pung", "碰"),
    DIRECT_KONG: Term("direct kong", "直杠"),
    ADDED_KONG: Term("added kong", "补杠"),
    CONCEALED_KONG: Term("concealed kong", "暗杠"),
}
_FROM: Final = Term("{meld} from {giver}", "{meld}（{giver}）")

_CLAIMS_OF_A_TILE: Final = ("chow", "pung", "kong")
_TOLD: Final = (*_CLAIMS_OF_A_TILE, "kong+", "kong-", "pass", "win")


def deal_card(replay: Replay, lang: Lang) -> Markup:
    """A deal as a piece of HTML; the page brings `analysis.figures.tiles.tile_sprite` and ``cards.css``.

    Parameters
    ----------
    replay : Replay
        What `mjsim.replay` gives.
    lang : {"en", "zh"}

    Returns
    -------
    Markup
        The same for the same deal, byte for byte.

    Raises
    ------
    CaseError
        If the deal's case cannot be settled.

    Examples
    --------
    >>> from mjsim.transcript.events import replay
    >>> card = deal_card(replay("liuzhou", seed=1, deal=0), "en")
    >>> "<h3>Deal 0: " in card, "mjsim replay liuzhou --deal 0 --seed 1" in card.striptags()
    (True, True)
    """
    words = DrawnWords(lang)
    answer = score(replay.case, rules=replay.plan.rules)
    if "error" in answer:
        raise CaseError(f"deal {replay.deal}: {answer['error']}")
    story = Story(replay)
    drawn = replay.case["how"] == "drawn"
    columns, expected = _columns(replay), replay.case["expect"]
    return Markup(
        template("deal_card.html.j2")
        .render(
            title=_TITLE.say(lang).format(deal=replay.deal),
            outcome=words.say("drawn") if drawn else outcome(replay.case, words),
            winners=_winning_hands(replay, story, words),
            result=_result(replay, answer, words),
            columns=[words.say(f"column_{column}") for column in columns],
            settled=[
                (_seat(replay, seat, words), [fixed(expected[column][seat], 0, sign=True) for column in columns])
                for seat in _playing_order(replay)
            ],
            parts=_parts(replay, story, answer, words),
            command=command_of_deal(replay),
            words={"points": words.say("totals"), "seat": _SEAT.say(lang), "again": _AGAIN.say(lang)},
        )
        .removesuffix("\n")
    )


def command_of_deal(replay: Replay) -> str | None:
    """The command that shows a deal turn by turn; none where no command can: a wall or a player of one's own.

    Examples
    --------
    >>> from mjsim.rules import load_rules
    >>> from mjsim.transcript.events import replay
    >>> command_of_deal(replay(load_rules("liuzhou", rob_kong=False), seed=1, deal=5, players="random"))
    'mjsim replay liuzhou --deal 5 --seed 1 --players random --set rob_kong=false'
    """
    plan = replay.plan
    if (
        not all(player.builtin for player in plan.players)
        or replay.wall != walls(plan.seed, replay.deal, 1)[0].tolist()
    ):
        return None
    players = [{"name": player.name} for player in plan.players]
    played = {"seed": plan.seed, "session_length": plan.session, "fish": plan.fish, "players": players}
    return replay_command({**played, "ruleset": plan.rules.to_dict()}, replay.deal)


class DrawnWords(Language):
    """Says the transcript's sentences with tiles drawn, hand types in both languages, and everything else escaped."""

    def __init__(self, lang: Lang) -> None:
        super().__init__(lang)
        self.lang: Lang = lang

    def say(self, phrase: str, **values: Any) -> Markup:
        """A phrase with its gaps filled.

        >>> print(DrawnWords("en").say("hand", seat="<0>", hand=Markup("<b>5m</b>")))
        &lt;0&gt;  <b>5m</b>
        """
        return escape(PHRASES[phrase][self._column]).format(**values)

    def tile(self, kind: int) -> Markup:
        """One tile."""
        return tile(kind, self.lang)

    def tiles(self, kinds: Iterable[int]) -> Markup:
        """Several tiles."""
        return hand(kinds, self.lang)

    def meld(self, meld: Meld, claimed: int = NONE) -> Markup:
        """A meld with its claimed tile on its side, and what it is beneath."""
        tiles = meld.tiles
        if meld.kind == CONCEALED_KONG:
            drawn = [tile(kind, self.lang, concealed=place in (0, 3)) for place, kind in enumerate(tiles)]
        else:
            lying = tiles.index(claimed) if claimed in tiles else NONE
            drawn = [tile(kind, self.lang, turned=place == lying) for place, kind in enumerate(tiles)]
        words = _MELDS[meld.kind].say(self.lang)
        if meld.giver != NONE:
            words = _FROM.say(self.lang).format(meld=words, giver=self.seat(meld.giver))
        return Markup('<span class="meld"><span class="tiles">{}</span><small>{}</small></span>').format(
            Markup("").join(drawn), words
        )

    def seat_and(self, seat: int, sentence: Markup) -> Markup:
        """A sentence that begins with its verb, behind the seat."""
        return escape(self.seat(seat)) + (" " if self.english else "") + sentence

    def types(self, names: Iterable[str]) -> Markup:
        """Hand types and events of a win in both languages."""
        terms = [TYPE_TERMS[name] for name in names] or [ORDINARY_TERM]
        return self.say("list").join(term.both(self.lang) for term in terms)


@dataclass
class Discard:
    """One discard: its kind, its turn, and what became of it: ``""``, ``claimed`` or ``won``."""

    kind: int
    turn: int
    fate: str = ""


class Story:
    """The course of a deal: the discards of every seat, what is told beside them, and the hands at the end.

    Attributes
    ----------
    rivers : list of list of Discard
        By seat.
    told : list of tuple of int, Event and bool
        Claims, kongs, wins and wins let go: the turn, the event, and whether it seals its giver.
    table : Table
        Hands and melds at the end.
    claimed : list of list of int
        By seat, the kind of the tile that each meld was claimed with; −1 for a concealed kong.
    """

    def __init__(self, replay: Replay) -> None:
        self.rivers: list[list[Discard]] = [[] for _ in range(SEATS)]
        self.told: list[tuple[int, Event, bool]] = []
        self.table = Table(replay)
        self.claimed: list[list[int]] = [[] for _ in range(SEATS)]
        turn = 1
        for event in replay.events[1:-1]:
            self.table.apply(event)
            kind = event["event"]
            if kind in _CLAIMS_OF_A_TILE or (kind == "draw" and event["from"] == "wall"):
                turn += 1
            if kind in _TOLD:
                self.told.append((turn, event, self.table.seals(event, replay.plan.rules.liability)))
            self._note(event, turn)

    def _note(self, event: Event, turn: int) -> None:
        kind = event["event"]
        if kind == "discard":
            self.rivers[event["seat"]].append(Discard(parse_tile(event["tile"]), turn))
        elif kind in _CLAIMS_OF_A_TILE:
            self.rivers[event["from"]][-1].fate = "claimed"
            self.claimed[event["seat"]].append(parse_tile(event["tile"]))
        elif kind == "kong-":
            self.claimed[event["seat"]].append(NONE)
        elif kind == "win" and event["how"] == "discard":
            self.rivers[event["from"]][-1].fate = "won"


@dataclass(frozen=True)
class Part:
    """Something folded away under a title; ``list`` says whether its lines are sentences."""

    title: str
    lines: Sequence[Markup]
    list: bool = True
    note: str = ""


def _parts(replay: Replay, story: Story, answer: Answer, words: DrawnWords) -> Iterator[Part]:
    """What is folded away, from the deal to the payments."""
    start, lang, order = replay.events[0], words.lang, _playing_order(replay)
    first, second = start["dice"]
    facts = _FACTS.say(lang).format(
        title=title_of(replay.plan.rules, words), seed=start["seed"], first=first, second=second
    )
    dealt = Table(replay)
    yield Part(
        _DEALT.say(lang),
        [_named(replay, seat, words.tiles(dealt.hands[seat]), words) for seat in order],
        list=False,
        note=facts,
    )
    rivers = [_named(replay, seat, _river(story.rivers[seat], lang), words) for seat in order]
    yield Part(_COURSE.say(lang), rivers, list=False, note=_COURSE_NOTE.say(lang))
    yield Part(_CLAIMS.say(lang), [_told(*each, words) for each in story.told])
    others = [seat for seat in order if seat not in replay.case.get("winners", ())]
    ends = [_named(replay, seat, _final_hand(story, seat, words), words) for seat in others]
    yield Part(words.say("hands_end"), ends, list=False)
    for lines in (transfer_lines(answer, words), fish_lines(replay, answer, words)):
        if lines:
            yield Part(lines[0], _unwrapped(lines[1:], words))


def _playing_order(replay: Replay) -> list[int]:
    """The seats, the dealer first."""
    dealer = replay.events[0]["dealer"]
    return [(dealer + offset) % SEATS for offset in range(SEATS)]


def _columns(replay: Replay) -> list[str]:
    """What is settled; fish only where there are any."""
    return ["hand", "kongs", *["fish"] * replay.plan.rules.fishing.enabled, "net"]


def _seat(replay: Replay, seat: int, words: DrawnWords) -> Markup:
    start = replay.events[0]
    place = words.place(seat, start["dealer"])
    return words.say("player", seat=words.seat(seat), place=place, player=start["players"][seat])


def _named(replay: Replay, seat: int, drawn: Markup, words: DrawnWords) -> Markup:
    """A seat's name above something drawn."""
    return Markup("<p>{}</p>{}").format(_seat(replay, seat, words), drawn)


def _final_hand(story: Story, seat: int, words: DrawnWords) -> Markup:
    """A seat's hand at the end, a winner's tile apart, and the melds."""
    parts = [words.tiles(story.table.hands[seat])]
    won = [event["tile"] for _, event, _ in story.told if event["event"] == "win" and event["seat"] == seat]
    parts += [Markup('<span class="winning">{}</span>').format(words.tile(parse_tile(each))) for each in won]
    melds = zip(story.table.melds[seat], story.claimed[seat], strict=True)
    parts += [words.meld(meld, claimed) for meld, claimed in melds]
    return Markup(" ").join(parts)


def _winning_hands(replay: Replay, story: Story, words: DrawnWords) -> list[Markup]:
    """The hands that won, with names where there are several."""
    winners = replay.case.get("winners", ())
    hands = [_final_hand(story, seat, words) for seat in winners]
    if len(hands) < 2:
        return hands
    return [_named(replay, seat, drawn, words) for seat, drawn in zip(winners, hands, strict=True)]


def _river(discards: Sequence[Discard], lang: Lang) -> Markup:
    """A seat's discards in order."""
    if not discards:
        return Markup("<p>{}</p>").format(_NO_DISCARDS.say(lang))
    thrown = (
        Markup('<li class="{}">{}<small>{}</small></li>').format(
            f"thrown {each.fate}".rstrip(), tile(each.kind, lang), each.turn
        )
        for each in discards
    )
    return Markup('<ol class="river">{}</ol>').format(Markup("").join(thrown))


def _told(turn: int, event: Event, seals: bool, words: DrawnWords) -> Markup:
    """A claim, kong or win in words; the transcript's leave out the seat in turn."""
    sentence = escape(spoken(event, words))
    if event["event"] != "pass" and event.get("how") in (None, "self_draw"):
        sentence = words.seat_and(event["seat"], sentence)
    if seals:
        sentence = words.say("list").join([sentence, words.say("sealed", giver=words.seat(event["from"]))])
    return escape(_ON_TURN.say(words.lang).format(turn=turn)) + sentence


def _result(replay: Replay, answer: Answer, words: DrawnWords) -> list[Markup]:
    """What the transcript says of the result, after its title and how the deal ended."""
    return _unwrapped(result_lines(replay, answer, words)[1:], words)[1:]


def _unwrapped(lines: Iterable[str], words: DrawnWords) -> list[Markup]:
    """Sentences that a transcript has broken into lines, whole again: what goes on is indented further."""
    whole: list[Markup] = []
    for line in map(escape, lines):
        if line.startswith(INDENT * 2):
            whole[-1] += (" " if words.english else "") + line.strip()
        else:
            whole.append(line.strip())
    return whole
