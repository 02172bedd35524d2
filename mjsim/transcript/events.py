"""One deal again, as the lines of ``docs/replay.md``, ending in a score case that settles it from its tiles alone."""

import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mjsim.contract import FISH
from mjsim.dataset.columns import COLUMNS, OUTCOMES, ROW
from mjsim.dataset.run import RESULTS_VERSION, Run
from mjsim.deal.log import (
    CHOW_EVENT,
    DISCARD_EVENT,
    DRAW_EVENT,
    KONG_ADDED_EVENT,
    KONG_CONCEALED_EVENT,
    KONG_EVENT,
    PASS_EVENT,
    PUNG_EVENT,
    WIN_EVENT,
)
from mjsim.engine import Engine, Plan, as_rules, check_deals
from mjsim.errors import RunError
from mjsim.hands.melds import Meld
from mjsim.hands.types import names_of
from mjsim.players import DEFAULT, PlayersChoice, players_for_seats
from mjsim.rules import Ruleset
from mjsim.rules.naming import naming
from mjsim.scoring.case import playing_order
from mjsim.state import (
    ACTION_KINDS,
    DEAL,
    DEALT,
    DRAWN,
    FIRST_DISCARD,
    FIRST_DRAW,
    FISH_PHASE,
    FISH_TILES,
    NO_MOMENT,
    NONE,
    SEATS,
    SELF_DRAW,
    Record,
    new_record,
    new_records,
)
from mjsim.tiles import COPIES, KINDS, kinds_of, name, text
from mjsim.wall import DEALT_TILES, dealt_seat, walls

Event = dict[str, Any]

PHASES: Final = ("fish", "turn", "reaction")
_MOMENTS: Final = {DEALT: "dealt", FIRST_DRAW: "first_draw", FIRST_DISCARD: "first_discard"}
_PLAIN_EVENTS: Final = {
    DISCARD_EVENT: "discard",
    PUNG_EVENT: "pung",
    KONG_EVENT: "kong",
    KONG_ADDED_EVENT: "kong+",
    KONG_CONCEALED_EVENT: "kong-",
    PASS_EVENT: "pass",
}


_SMALL_LABEL_SETS: Final = tuple(labels for labels in range(1 << FISH_TILES) if labels.bit_count() <= 2)


@dataclass(frozen=True)
class Replay:
    """One deal, played again.

    Attributes
    ----------
    plan : Plan
    deal : int
        Index of the deal.
    events : list of dict
        The replay lines.
    row : dict
        The deal's value in every column.
    wall : list of int
        The 136 kinds in drawing order, as the deal began.
    decision_words : list of list of int
        Every decision as the engine logged it; `decisions` spells them out.
    """

    plan: Plan
    deal: int
    events: list[Event]
    row: dict[str, int | str]
    wall: list[int] = field(repr=False)
    decision_words: list[list[int]] = field(repr=False)

    @functools.cached_property
    def decisions(self) -> list[dict[str, Any]]:
        """Every decision.

        Each has ``seat``, ``phase`` (``fish``, ``turn``, ``reaction``), ``legal`` (all legal actions, ascending),
        ``action`` and ``event``, the number of events before it.
        """
        return [decision(words, self.plan.rules.fishing.max_labels) for words in self.decision_words]

    @property
    def case(self) -> dict[str, Any]:
        """The finished deal as a score case, with what it is expected to come to."""
        case: dict[str, Any] = self.events[-1]["case"]
        return case

    def text(self, lang: str = "en") -> str:
        """A transcript to read, in English (``en``) or Chinese (``zh``)."""
        from mjsim.transcript.text import transcript

        return transcript(self, lang)


def replay(
    rules: str | os.PathLike[str] | Ruleset | Run,
    *,
    deal: int,
    seed: int = 0,
    players: PlayersChoice = DEFAULT,
    session: int = 1,
    fish: int = 2,
    wall: Sequence[int] | None = None,
) -> Replay:
    """Play one deal again and show what happened.

    Parameters
    ----------
    rules : str, path, Ruleset or Run
        As for `mjsim.simulate`; a run brings its own seed, players, session length and fish.
    deal : int
        Index of the deal.
    seed, players, session, fish
        As for `mjsim.simulate`.
    wall : sequence of int, optional
        136 kinds in drawing order, to play a deal of one's own making instead of the seed's; only with sessions of one.

    Returns
    -------
    Replay

    Examples
    --------
    >>> shown = replay("liuzhou", seed=1, deal=0)
    >>> [event["event"] for event in shown.events][:3], shown.events[-1]["event"]
    (['start', 'discard', 'draw'], 'settled')
    """
    if isinstance(rules, Run):
        plan = plan_of(rules)
        last = rules.manifest.first + rules.manifest.deals - 1
        if not rules.manifest.first <= deal <= last:
            raise RunError(f"deal {deal}: {rules.folder} holds deals {rules.manifest.first} to {last}")
    else:
        plan = Plan(as_rules(rules), players_for_seats(players), seed, session, fish)
    check_deals(deal, 1, plan.session)
    return Replayer(plan).show(deal, wall)


def plan_of(run: Run) -> Plan:
    """The plan of a run made with built-in players."""
    manifest = run.manifest
    if manifest.results_version != RESULTS_VERSION:
        raise RunError(
            f"{run.folder}: results_version {manifest.results_version}; this mjsim plays version {RESULTS_VERSION},"
            " and its deals are not the same"
        )
    players = players_for_seats([entry.name for entry in manifest.players])
    for seat, (player, entry) in enumerate(zip(players, manifest.players, strict=True)):
        if player.source_hash != entry.source_hash:
            raise RunError(f"{run.folder}: seat {seat}: player {entry.name!r} has changed since the run was made")
    return Plan(run.rules, players, manifest.seed, manifest.session_length, manifest.fish)


class Replayer:
    """Shows deals of one plan; keep one to show many."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._engine = Engine(plan)
        self._record = new_record(DEAL)
        self._record.log.on = 1
        self._rows = new_records(ROW, 1)
        self._naming = naming(plan.rules)

    def show(self, deal: int, wall: Sequence[int] | None = None) -> Replay:
        """Play one deal, with the seed's wall or a given one."""
        self._record.wall.given = wall is not None
        if wall is None:
            tiles = walls(self.plan.seed, deal, 1)[0].tolist()
        else:
            tiles = self._checked(wall)
            self._record.wall.tiles[:] = tiles
        self._engine.play(self._rows, self._record, deal)
        row = row_dict(self._rows[0])
        record = self._record
        events = [start_event(self.plan, deal, record), *play_events(record, row)]
        case = score_case(self.plan, self._naming, deal, record, row)
        events.append({"event": "settled", "case": case})
        log = record.log
        return Replay(self.plan, deal, events, row, tiles, log.decisions[: log.decision_count].tolist())

    def _checked(self, wall: Sequence[int]) -> list[int]:
        """A wall as a list, refused unless it holds every tile once."""
        tiles = [int(tile) for tile in wall]
        if sorted(tiles) != [kind for kind in range(KINDS) for _ in range(COPIES)]:
            raise RunError(f"wall: {len(tiles)} tiles; a wall is four of each of the 34 kinds")
        if self.plan.session != 1:
            raise RunError(f"wall: with sessions of {self.plan.session} deals; a given wall needs sessions of one")
        return tiles


def row_dict(row: Record) -> dict[str, int | str]:
    """A row by column names."""
    fields: dict[str, Any] = {field: row[field].tolist() for field in row.dtype.names or ()}
    values: dict[str, int | str] = {}
    for column in COLUMNS:
        field = fields[column.field]
        member = field if column.index is None else field[column.index]
        values[column.name] = column.labels[member] if column.labels else member
    return values


def start_event(plan: Plan, deal: int, record: Record) -> Event:
    """The line that opens a replay."""
    dealer = int(record.table.dealer)
    hands: list[list[int]] = [[], [], [], []]
    tiles = record.wall.tiles[:DEALT_TILES].tolist()
    for index, tile in enumerate(tiles):
        hands[dealt_seat(index, dealer)].append(tile)
    return {
        "event": "start",
        "deal": deal,
        "rules": plan.rules.name,
        "seed": plan.seed,
        "players": [player.name for player in plan.players],
        "dealer": dealer,
        "dice": record.table.dice.tolist(),
        "hands": [text(hand) for hand in hands],
        "last_dealt": name(tiles[-1]),
        "fish_labels": [labels_of(int(record.seats[seat].labels)) for seat in range(SEATS)],
    }


def labels_of(mask: int) -> list[int]:
    """Fish labels 1–8 of a bit mask.

    >>> labels_of(0b101)
    [1, 3]
    """
    return [label + 1 for label in range(FISH_TILES) if mask >> label & 1]


def play_events(record: Record, row: dict[str, int | str]) -> list[Event]:
    """The lines between start and settled."""
    return [_event(words, row) for words in record.log.events[: record.log.event_count].tolist()]


def _event(words: list[int], row: dict[str, int | str]) -> Event:
    code, seat, tile, giver, detail = words
    if code == DRAW_EVENT:
        return {
            "event": "draw",
            "seat": seat,
            "tile": name(tile),
            "from": "end" if giver else "wall",
            "left": detail,
        }
    if code == CHOW_EVENT:
        tiles = [name(detail), name(detail + 1), name(detail + 2)]
        return {"event": "chow", "seat": seat, "tile": name(tile), "from": giver, "tiles": tiles}
    if code == WIN_EVENT:
        event: Event = {"event": "win", "seat": seat, "tile": name(tile), "how": row["outcome"]}
        if giver != NONE:
            event["from"] = giver
        event["types"] = win_types(row, seat)
        event["points"] = row[f"points_{seat}"]
        return event
    if code in _PLAIN_EVENTS:
        event = {"event": _PLAIN_EVENTS[code], "seat": seat, "tile": name(tile)}
        if code in (PUNG_EVENT, KONG_EVENT, KONG_ADDED_EVENT):
            event["from"] = giver
        return event
    return {"event": "drawn"}


def win_types(row: dict[str, int | str], seat: int) -> list[str]:
    """Names of a winner's types and events, sorted."""
    return sorted(names_of(int(row[f"types_{seat}"])))


def score_case(
    plan: Plan, naming: dict[str, Any], deal: int, record: Record, row: dict[str, int | str]
) -> dict[str, Any]:
    """The finished deal as a score case with its ``expect``."""
    tally = record.tally
    case: dict[str, Any] = {"id": f"{plan.rules.name}-{plan.seed}-{deal}", **naming, "dealer": int(record.table.dealer)}
    case["how"] = OUTCOMES[int(tally.outcome)]
    winners = list(playing_order((seat for seat in range(SEATS) if tally.winners >> seat & 1), int(tally.giver)))
    if tally.outcome != DRAWN:
        case["winners"] = winners
        if tally.outcome != SELF_DRAW:
            case["from"] = int(tally.giver)
        case["tile"] = name(int(tally.tile))
        case["hands"] = [text(kinds_of(record.seats[seat].counts.tolist())) for seat in range(SEATS)]
    case["melds"] = [[str(meld) for meld in melds_of(record.seats[seat])] for seat in range(SEATS)]
    if tally.chain_length:
        case["chain"] = [name(int(tile)) for tile in tally.chain_tile[: tally.chain_length]]
    if tally.last_tile:
        case["last_tile"] = True
    if tally.moment != NO_MOMENT:
        case["moment"] = _MOMENTS[int(tally.moment)]
    if plan.rules.fishing.enabled:
        case["fish"] = [
            [name(int(record.wall.fish_tile[label - 1])) for label in labels_of(int(record.seats[seat].labels))]
            for seat in range(SEATS)
        ]
    if plan.rules.horses.enabled and len(winners) == 1:
        case["horses"] = [name(int(tile)) for tile in tally.horse_tile[: tally.horse_count]]
    expect: dict[str, Any] = {
        key: [row[f"{key}_{seat}"] for seat in range(SEATS)] for key in ("hand", "kongs", "fish", "net")
    }
    if len(winners) == 1:
        expect["types"] = win_types(row, winners[0])
    case["expect"] = expect
    return case


def melds_of(own: Record) -> list[Meld]:
    """The melds of a hand record."""
    return [
        Meld(int(own.meld_kind[meld]), int(own.meld_tile[meld]), int(own.meld_from[meld]))
        for meld in range(int(own.meld_count))
    ]


def decision(words: list[int], max_labels: int) -> dict[str, Any]:
    """One decision of the log, with all that was legal; a seat may take so many labels."""
    seat, phase, chosen, event, *sets = words
    if phase == FISH_PHASE:
        legal = label_choices(sets[FISH], max_labels)
    else:
        legal = [kind * 256 + tile for kind in range(ACTION_KINDS - 1) for tile in members(sets[kind])]
        event += 1  # the start line, which the log does not hold
    return {"seat": seat, "phase": PHASES[phase], "legal": legal, "action": chosen, "event": event}


def members(mask: int) -> Iterator[int]:
    """Positions of the bits of a mask, ascending.

    >>> list(members(0b1101))
    [0, 2, 3]
    """
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def label_choices(free: int, most: int = 2) -> list[int]:
    """All fish actions with up to ``most`` of the free labels, ascending.

    >>> [action - 2560 for action in label_choices(0b101)]
    [0, 1, 4, 5]
    """
    return [FISH * 256 + labels for labels in _SMALL_LABEL_SETS if not labels & ~free and labels.bit_count() <= most]
