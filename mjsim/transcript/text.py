"""One deal as plain text that a person can check against the rules by eye.

The hands and melds are followed here from the replay lines alone, so that what stands at the end of a transcript is
what its turns lead to.
"""

import json
from collections import Counter
from itertools import islice
from typing import Any, Final

from mjsim.errors import CaseError
from mjsim.hands.melds import Meld
from mjsim.rules import Ruleset
from mjsim.rules.model import Liability
from mjsim.scoring.answer import Answer, score
from mjsim.settle import FISH, REASONS
from mjsim.state import ADDED_KONG, CHOW_MELD, CONCEALED_KONG, DIRECT_KONG, FISH_TILES, NONE, PUNG_MELD, SEATS
from mjsim.tiles import SEAT_OFFSETS, TILES, parse, parse_tile
from mjsim.transcript.events import Event, Replay
from mjsim.transcript.result import result_lines
from mjsim.transcript.words import INDENT, MAX_COLUMNS, Language, columns, padded, wrapped
from mjsim.wall import DEALT_TILES, RESERVED, STACKS, physical_place

_REST_COLUMN: Final = 48  # where the hand after a discard stands
_EXPOSED: Final = {"pung": PUNG_MELD, "kong": DIRECT_KONG}
_MONEY: Final = ("hand", "kongs", "fish", "net")


def transcript(replay: Replay, lang: str = "en") -> str:
    """A deal as text, from the wall to the totals.

    Parameters
    ----------
    replay : Replay
        What `mjsim.replay` gives.
    lang : str
        ``en`` or ``zh``.

    Returns
    -------
    str
        Lines of at most 110 columns.

    Raises
    ------
    MjsimError
        If there is no such language.
    """
    language = Language(lang)
    answer = score(replay.case, rules=replay.plan.rules)
    if "error" in answer:
        raise CaseError(f"deal {replay.deal}: {answer['error']}")
    table = Table(replay)
    sections = [
        heading(replay, language),
        wall_lines(replay, language),
        label_lines(replay, language),
        dealt_lines(replay, table, language),
        play_lines(replay, table, language),
        end_lines(replay, table, language),
        result_lines(replay, answer, language),
        transfer_lines(answer, language),
        fish_lines(replay, answer, language),
        total_lines(replay, answer, language),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


class Table:
    """The hands and melds of a deal as its events change them.

    Attributes
    ----------
    hands : list of list of int
        Concealed tiles (kinds) by seat.
    melds : list of list of Meld
        By seat, in the order they were made.
    left : int
        Live tiles left.
    """

    def __init__(self, replay: Replay) -> None:
        self.hands = [parse(hand) for hand in replay.events[0]["hands"]]
        self.melds: list[list[Meld]] = [[] for _ in range(SEATS)]
        self.left = TILES - DEALT_TILES - len(reserved_labels(replay))

    def apply(self, event: Event) -> None:
        """Take in one event of the play."""
        kind, seat = event["event"], event.get("seat", NONE)
        if kind in ("pass", "drawn"):
            return
        tile = parse_tile(event["tile"])
        if kind == "draw":
            self.hands[seat].append(tile)
            self.left = event["left"]
        elif kind == "discard":
            self.hands[seat].remove(tile)
        elif kind == "chow":
            tiles = [parse_tile(each) for each in event["tiles"]]
            self._meld(seat, Meld(CHOW_MELD, tiles[0], event["from"]), given=tile)
        elif kind in _EXPOSED:
            self._meld(seat, Meld(_EXPOSED[kind], tile, event["from"]), given=tile)
        elif kind == "kong-":
            self._meld(seat, Meld(CONCEALED_KONG, tile))
        elif kind == "kong+":
            self.hands[seat].remove(tile)
            self._turn_into(seat, tile, PUNG_MELD, ADDED_KONG)
        elif event["how"] == "self_draw":
            self.hands[seat].remove(tile)
        elif event["how"] == "rob_kong":
            self._turn_into(event["from"], tile, ADDED_KONG, PUNG_MELD)

    def _meld(self, seat: int, meld: Meld, given: int = NONE) -> None:
        own = meld.tiles
        if given != NONE:
            own.remove(given)
        for tile in own:
            self.hands[seat].remove(tile)
        self.melds[seat].append(meld)

    def _turn_into(self, seat: int, tile: int, before: int, after: int) -> None:
        self.melds[seat] = [
            Meld(after, tile, meld.giver) if (meld.kind, meld.tile) == (before, tile) else meld
            for meld in self.melds[seat]
        ]

    def seals(self, event: Event, liability: Liability) -> bool:
        """Whether the meld of an event, taken in before, is the one from which on its giver may not win."""
        counted = set(_EXPOSED) | ({"chow"} if liability.chow_counts else set())
        if event["event"] not in counted or not liability.enabled or liability.giver_may_win:
            return False
        fed = (
            meld.giver == event["from"] and (liability.chow_counts or meld.kind != CHOW_MELD)
            for meld in self.melds[event["seat"]]
        )
        sealing: bool = sum(fed) == liability.melds
        return sealing

    def shown(self, seat: int, language: Language, winning: str = "") -> str:
        """A seat's hand, the tile it wins with, and its melds."""
        hand = language.tiles(self.hands[seat])
        if winning:
            hand = language.say("with_tile", hand=hand, tile=language.tile(parse_tile(winning)))
        return "  ".join([hand, *(language.meld(meld) for meld in self.melds[seat])])


def reserved_labels(replay: Replay) -> list[int]:
    """Fish labels whose tiles were never in play."""
    fishing = replay.plan.rules.fishing
    if not fishing.enabled:
        return []
    if fishing.reserve == "all":
        return list(range(1, FISH_TILES + 1))
    return sorted(label for labels in replay.events[0]["fish_labels"] for label in labels)


def heading(replay: Replay, language: Language) -> list[str]:
    """Rules, seed, deal, who sits where, and what the dice say."""
    start = replay.events[0]
    dealer, dice = start["dealer"], start["dice"]
    lines = [language.say("head", title=title_of(replay.plan.rules, language), seed=start["seed"], deal=start["deal"])]
    if "options" in replay.case:
        options = [f"{key} = {json.dumps(value)}" for key, value in replay.case["options"].items()]
        lines += wrapped(language.say("label", what=language.say("options")), options, language)
    if replay.plan.session > 1:
        lines.append(language.say("session", session=replay.row["session"], hand=replay.row["hand"]))
    lines += [
        language.say(
            "player", seat=language.seat(seat), place=language.place(seat, dealer), player=start["players"][seat]
        )
        for seat in range(SEATS)
    ]
    side = (dealer + max(dice) - 1) % SEATS
    thrown = [
        language.say("dice", first=dice[0], second=dice[1]),
        language.say("dice_wall", seat=language.seat(side), place=language.place(side, dealer)),
        language.say("dice_stacks", stacks=sum(dice)),
    ]
    return [*lines, thrown[0], *(INDENT + line for line in thrown[1:])]


def title_of(rules: Ruleset, language: Language) -> str:
    """The ruleset's title."""
    return rules.title.en if language.english else rules.title.zh


def wall_lines(replay: Replay, language: Language) -> list[str]:
    """Where every tile lay: four sides of 17 stacks, three rows each (number of the stack, upper and lower tiles)."""
    start = replay.events[0]
    dealer, dice = start["dealer"], tuple(start["dice"])
    tiles = replay.wall
    apart = {TILES - RESERVED - 1 + label for label in reserved_labels(replay)}
    rows: dict[tuple[int, str], list[str]] = {}
    for index, tile in enumerate(tiles):
        side, stack, layer = physical_place(index, dealer, dice)
        mark = "|" if index // 2 == 0 else "*" if index in apart else " "
        rows.setdefault((side, layer), [""] * STACKS)[stack] = mark + language.tile(tile)
        if layer == "upper":
            number = f"{index // 2 + 1:>2}"
            rows.setdefault((side, "stack"), [""] * STACKS)[stack] = ("|" if index == 0 else " ") + number
    lines = [language.say("wall"), INDENT + language.say("wall_marks")]
    if apart:
        lines.append(INDENT + language.say("wall_fish"))
    width = max(columns(cell) for row in rows.values() for cell in row)
    first = physical_place(0, dealer, dice)[0]
    for passed in range(SEATS):
        side = (first - passed) % SEATS
        for layer in ("stack", "upper", "lower"):
            owner = language.seat(side) if layer == "stack" else ""
            cells = "".join(padded(cell, width) for cell in rows[side, layer])
            lines.append(f"{INDENT}{padded(owner, 8)}{padded(language.say(layer), 6)}{cells}".rstrip())
    return lines


def label_lines(replay: Replay, language: Language) -> list[str]:
    """The fish labels that were taken, the dealer first."""
    if not replay.plan.rules.fishing.enabled:
        return []
    start = replay.events[0]
    choices = []
    for offset in range(SEATS):
        seat = (start["dealer"] + offset) % SEATS
        labels = start["fish_labels"][seat]
        phrase = "labels_taken" if labels else "labels_none"
        choices.append(
            language.say(phrase, seat=language.seat(seat), labels=language.say("and").join(map(str, labels)))
        )
    return wrapped(language.say("label", what=language.say("labels")), choices, language)


def dealt_lines(replay: Replay, table: Table, language: Language) -> list[str]:
    """The dealt hands."""
    start = replay.events[0]
    lines = [language.say("dealt")]
    for offset in range(SEATS):
        seat = (start["dealer"] + offset) % SEATS
        line = language.say("hand", seat=language.seat(seat), hand=table.shown(seat, language))
        if offset == 0:
            line += INDENT + language.say("last_dealt", tile=language.tile(parse_tile(start["last_dealt"])))
        lines.append(INDENT + line)
    return lines


class Turn:
    """What one seat did between getting a tile and giving one away, with what the others had to say."""

    def __init__(self, number: int, seat: int) -> None:
        self.number = number
        self.seat = seat
        self.actions: list[str] = []
        self.rest = ""
        self.end: list[str] = []

    def lines(self, language: Language) -> list[str]:
        """The turn as lines: one, if it fits."""
        lines = wrapped(f"{self.number:>4}  {language.seat(self.seat)} ", self.actions, language, " " * 6)
        if self.rest:
            start = max(_REST_COLUMN, columns(lines[-1]) + 2)
            if start + columns(self.rest) <= MAX_COLUMNS:
                lines[-1] = padded(lines[-1], start) + self.rest
            else:
                lines.append(" " * min(_REST_COLUMN, MAX_COLUMNS - columns(self.rest)) + self.rest)
        return [*lines, *(" " * 6 + line for line in self.end)]


def play_lines(replay: Replay, table: Table, language: Language) -> list[str]:
    """The turns, numbered."""
    start = replay.events[0]
    turns = [Turn(1, start["dealer"])]
    turns[0].actions.append(language.say("begins"))
    for event in replay.events[1:-1]:
        kind = event["event"]
        table.apply(event)
        if kind in ("chow", "pung", "kong") or (kind == "draw" and event["from"] == "wall"):
            turns.append(Turn(len(turns) + 1, event["seat"]))
        turn = turns[-1]
        if kind == "drawn":
            turn.end.append(language.say("drawn"))
        elif kind == "win" and event["how"] != "self_draw":
            turn.end.append(spoken(event, language))
        else:
            turn.actions.append(spoken(event, language))
        if table.seals(event, replay.plan.rules.liability):
            turn.actions.append(language.say("sealed", giver=language.seat(event["from"])))
        if kind == "discard":
            turn.rest = f"{language.say('left', left=table.left)}  {table.shown(turn.seat, language)}"
    return [language.say("play"), *(line for turn in turns for line in turn.lines(language))]


def spoken(event: Event, language: Language) -> str:
    """One event of the play in words; the seat in turn goes without saying."""
    phrase = event["event"]
    if phrase == "draw" and event["from"] == "end":
        phrase = "draw_end"
    elif phrase == "win":
        phrase = f"win_{event['how']}"
    values = {"tile": language.tile(parse_tile(event["tile"])), "seat": language.seat(event["seat"])}
    if event["event"] != "draw" and "from" in event:
        values["giver"] = language.seat(event["from"])
    if "tiles" in event:
        values["tiles"] = language.tiles(parse_tile(tile) for tile in event["tiles"])
    return language.say(phrase, **values)


def end_lines(replay: Replay, table: Table, language: Language) -> list[str]:
    """The hands at the end, a winner's with the tile that completed it."""
    case = replay.case
    lines = [language.say("hands_end")]
    for seat in range(SEATS):
        hand = table.shown(seat, language, case["tile"] if seat in case.get("winners", ()) else "")
        lines.append(INDENT + language.say("hand", seat=language.seat(seat), hand=hand))
    return lines


def transfer_lines(answer: Answer, language: Language) -> list[str]:
    """The settlement of hands and kongs in words, by what the points are paid for."""
    lines = [language.say("transfers")]
    for reason in REASONS[:FISH]:
        payments = [paid(each, language) for each in answer["transfers"] if each["reason"] == reason]
        if payments:
            title = language.say("label", what=language.say(f"reason_{reason}"))
            lines += wrapped(INDENT + title, payments, language, INDENT * 2)
    if len(lines) == 1:
        lines.append(INDENT + language.say("nothing_moves"))
    return lines


def fish_lines(replay: Replay, answer: Answer, language: Language) -> list[str]:
    """What lay under the fish labels, whom each fish follows and what its owner pays or gets for it."""
    if not replay.plan.rules.fishing.enabled:
        return []
    start = replay.events[0]
    dealer = start["dealer"]
    kinds = {label: int(replay.row[f"fish_tile_{label}"]) for label in range(1, FISH_TILES + 1)}
    payments = (paid(each, language) for each in answer["transfers"] if each["reason"] == REASONS[FISH])
    flow = won_from(answer)
    lines = [language.say("fish")]
    for offset in range(SEATS):
        # The settlement goes through the fish in this order too.
        owner = (dealer + offset) % SEATS
        for label in start["fish_labels"][owner]:
            kind = kinds.pop(label)
            target = (dealer + SEAT_OFFSETS[kind]) % SEATS
            follows = {"label": label, "owner": language.seat(owner), "tile": language.tile(kind)}
            follows |= {"target": language.seat(target), "place": language.place(target, dealer)}
            number = sum(1 for other in range(SEATS) if other != owner and flow[target, other])
            parts = list(islice(payments, number)) or [language.say("nothing_moves")]
            lines += wrapped(INDENT + language.say("fish_follows", **follows), parts, language, INDENT * 2)
    if kinds:
        free = [language.say("fish_tile", label=label, tile=language.tile(kind)) for label, kind in kinds.items()]
        lines.append(INDENT + language.say("fish_left", tiles=language.listed(free)))
    return lines


def won_from(answer: Answer) -> Counter[tuple[int, int]]:
    """What each seat won from each other by hands, liability and kongs."""
    flow: Counter[tuple[int, int]] = Counter()
    for transfer in answer["transfers"]:
        if transfer["reason"] != REASONS[FISH]:
            flow[transfer["to"], transfer["from"]] += transfer["points"]
            flow[transfer["from"], transfer["to"]] -= transfer["points"]
    return flow


def paid(transfer: dict[str, Any], language: Language) -> str:
    """One transfer in words."""
    payer, receiver = language.seat(transfer["from"]), language.seat(transfer["to"])
    return language.say("pays", payer=payer, points=transfer["points"], receiver=receiver)


def total_lines(replay: Replay, answer: Answer, language: Language) -> list[str]:
    """Points by seat as a small table, and who deals next."""
    titles = [language.say(f"column_{money}") for money in _MONEY]
    lines = [padded(language.say("totals"), 10) + "".join(padded(title, 8, right=True) for title in titles)]
    for seat in range(SEATS):
        cells = "".join(f"{answer[money][seat]:>8}" for money in _MONEY)
        lines.append(padded(INDENT + language.seat(seat), 10) + cells)
    lines.append(language.say("next_dealer", seat=language.seat(int(replay.row["next_dealer"]))))
    return lines
