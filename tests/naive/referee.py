"""The referee: follows an engine's decisions through the twin of the deal, and reports every disagreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .actions import labels_in, mask_of, tile_of
from .deal import Deal
from .ending import Case
from .hands import shanten
from .ruleset import Ruleset
from .table import Event
from .tiles import COPIES, KINDS, offset_of, parse, text

SETTLED_PARTS = ("hand", "kongs", "fish", "net")


# ---- following the decisions -------------------------------------------------------------------------------------


def follow(deal: Deal, decisions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Act the decisions in a deal, as far as they can be followed.

    Parameters
    ----------
    deal : Deal
        A fresh deal; afterwards it stands where the decisions led.
    decisions : sequence of mapping
        `seat`, `phase`, `legal`, `action` and `event` of each, in the order asked.

    Returns
    -------
    list of str
        Every disagreement about who is asked, when, and what is legal.
    """
    problems: list[str] = []
    done = 0
    while deal.phase != "over":
        answers: dict[int, int] = {}
        for seat, legal in deal.asked():
            where = f"decision {done}"
            if done == len(decisions):
                return [*problems, f"{where}: missing, seat {seat} is to be asked ({deal.phase}, legal {legal})"]
            given = {**decisions[done], "legal": list(decisions[done]["legal"])}
            expected = {"seat": seat, "phase": deal.phase, "legal": legal, "event": len(deal.events)}
            for key, value in expected.items():
                if given[key] != value:
                    problems.append(f"{where}: {key} is {given[key]}, should be {value} (seat {seat}, {deal.phase})")
            if given["seat"] != seat or given["action"] not in legal:
                return [*problems, f"{where}: seat {given['seat']} does {given['action']}; seat {seat} may do {legal}"]
            answers[seat] = given["action"]
            done += 1
        deal.act(answers)
        problems += lost_tiles(deal) if deal.events else []
    if done < len(decisions):
        problems.append(f"decision {done}: the deal is over, yet seat {decisions[done]['seat']} is asked")
    return problems


def lost_tiles(deal: Deal) -> list[str]:
    """What the twin itself has lost or doubled."""
    lying = deal.whereabouts()
    wrong = [tile for tile in range(KINDS) if lying[tile] != COPIES]
    return [f"after event {len(deal.events) - 1}: the twin has {lying[tile]} of {text([tile])}" for tile in wrong]


# ---- the referee -------------------------------------------------------------------------------------------------


def check(
    events: Sequence[Event],
    decisions: Sequence[Mapping[str, Any]],
    *,
    seed: int,
    deal: int,
    dealer: int,
    fish: int = 2,
    options: Mapping[str, Any] | None = None,
    rules: str = "liuzhou",
) -> list[str]:
    """Report every disagreement between a replay and the rules.

    Parameters
    ----------
    events : sequence of dict
        The replay lines.
    decisions : sequence of mapping
        As in `follow`.
    seed, deal, dealer : int
        Which deal it is.
    fish : int
        How many labels the players named ``fast``, ``value`` and ``rollout`` take.
    options : mapping, optional
        What differs from the ruleset's options.
    rules : str
        The ruleset it is played by, whatever name the replay gives it.

    Returns
    -------
    list of str
        Readable messages; empty if all agrees.
    """
    if not events or events[0].get("event") != "start":
        return ["event 0: a replay begins with a start line"]
    players = events[0].get("players", [])
    if len(players) != 4:
        return [f"event 0: players is {players}, should be four names"]
    return compare(events, decisions, Deal(seed, deal, dealer, options, players=players, rules=rules), fish)


def compare(events: Sequence[Event], decisions: Sequence[Mapping[str, Any]], twin: Deal, fish: int = 2) -> list[str]:
    """Report every disagreement, as `check` does, given a fresh twin, which afterwards stands at the deal's end."""
    problems = follow(twin, decisions)
    players = events[0]["players"]
    problems += wrong_fish(decisions, players, fish, twin.options["max_labels"])
    try:
        problems += different_events(events, twin.events, twin.ruleset) + misplaced_tiles(events) + wrong_sums(events)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as unreadable:
        problems.append(f"the lines cannot be read: {unreadable!r}")
    return problems


def wrong_fish(decisions: Sequence[Mapping[str, Any]], players: Sequence[str], fish: int, max_labels: int) -> list[str]:
    """Where a player that takes the lowest free labels, as many as it is told to, did not."""
    problems = []
    free = list(range(1, 9))
    for number, decision in enumerate(decisions):
        if decision["phase"] == "fish":
            taken, wanted = labels_in(tile_of(decision["action"])), free[: min(fish, max_labels)]
            seat = decision["seat"]
            if players[seat] in ("fast", "value", "rollout") and taken != wanted:
                problems.append(f"decision {number}: seat {seat} takes labels {taken}, should take {wanted}")
            free = [label for label in free if label not in taken]
    return problems


def different_events(events: Sequence[Event], expected: Sequence[Event], ruleset: Ruleset) -> list[str]:
    """Where the lines differ from those expected under a ruleset, key by key."""
    problems = []
    rules = events[0].get("rules")
    if not isinstance(rules, str) or not rules:
        problems.append(f"event 0: rules is {rules!r}, should be a name")
    for number, (line, expected_line) in enumerate(zip(events, expected, strict=False)):
        given, wanted = comparable(line, ruleset, rules), comparable(expected_line, ruleset, ruleset.name)
        if given.get("event") != wanted["event"]:
            problems.append(f"event {number}: {dict(line)}, should be {dict(expected_line)}")
            return problems  # whatever follows is only out of step
        problems += different_keys(f"event {number} ({wanted['event']})", given, wanted)
    if len(events) != len(expected):
        longer = events if len(events) > len(expected) else expected
        which = "too many" if longer is events else "missing"
        common = min(len(events), len(expected))
        problems += [f"event {common + n}: {which}: {dict(line)}" for n, line in enumerate(longer[common:])]
    return problems


def different_keys(where: str, given: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Where two tables differ, tables within tables included."""
    problems = []
    for key in sorted({*given, *wanted}):
        if isinstance(given.get(key), dict) and isinstance(wanted.get(key), dict):
            problems += different_keys(f"{where}, {key}", given[key], wanted[key])
        elif key not in given or key not in wanted or given[key] != wanted[key]:
            here, there = given.get(key, "absent"), wanted.get(key, "absent")
            problems.append(f"{where}: {key} is {here!r}, should be {there!r}")
    return problems


def comparable(event: Event, ruleset: Ruleset, rules: object) -> Event:
    """The event with what may be written in several ways written in one."""
    plain = dict(event)
    if plain.get("event") == "start":
        plain["hands"] = [text(parse(hand)) for hand in plain.get("hands", [])]
        plain["rules"] = "as in the start line" if plain.get("rules") == rules else plain.get("rules")
    if plain.get("event") == "settled" and isinstance(plain.get("case"), dict):
        plain["case"] = comparable_case(plain["case"], ruleset, rules)
    return plain


def comparable_case(case: Case, ruleset: Ruleset, rules: object) -> Case:
    """The case without its free choices: its name, keys that say nothing, and the order of tiles and types."""
    plain = {key: value for key, value in case.items() if value is not False and value is not None and value != []}
    plain["id"] = "a name" if isinstance(case.get("id"), str) and case["id"] else case.get("id")
    plain["rules"] = "as in the start line" if case.get("rules") == rules else case.get("rules")
    options = {**ruleset.options, **case.get("options", {})}
    plain["options"] = {key: options[key] for key in ruleset.scoring_options}
    plain["hands"] = [text(parse(hand)) for hand in case.get("hands", [""] * 4)]
    expect = dict(case.get("expect", {}))
    plain["expect"] = {**expect, **{part: list(expect.get(part, [0] * 4)) for part in SETTLED_PARTS}}
    if "types" in expect:
        plain["expect"]["types"] = sorted(expect["types"])
    return plain


# ---- what must hold whatever the rules are -----------------------------------------------------------------------


def misplaced_tiles(events: Sequence[Event]) -> list[str]:
    """Follow the tiles through the replay lines alone: nobody uses what he lacks, no kind has a fifth copy."""
    hands = [Counter(parse(hand)) for hand in events[0]["hands"]]
    out = sum(hands, Counter[int]())  # everything that has left the wall
    draws = 0
    problems = [] if out.total() == 53 else [f"event 0: {out.total()} tiles are dealt, not 53"]
    for number, event in enumerate(events):
        kind, seat = event.get("event"), event.get("seat", 0)
        tile = parse(event["tile"])[0] if "tile" in event else -1
        used: list[int] = []
        if kind == "draw":
            draws += 1
            hands[seat][tile] += 1
            out[tile] += 1
        elif kind in ("discard", "kong+"):
            used = [tile]
        elif kind in ("pung", "kong", "kong-"):
            used = [tile] * {"pung": 2, "kong": 3, "kong-": 4}[kind]
        elif kind == "chow":
            used = [other for name in event["tiles"] for other in parse(name) if other != tile]
        hands[seat].subtract(used)
        where = f"event {number} ({kind})"
        problems += [f"{where}: seat {seat} does not hold {text([t])}" for t in set(used) if hands[seat][t] < 0]
        if kind == "draw":
            held = hands[seat].total()
            if held % 3 != 2:
                problems.append(f"{where}: seat {seat} then holds {held} tiles")
            if out[tile] > COPIES:
                problems.append(f"{where}: there are {out[tile]} of {text([tile])}")
    lefts = [event["left"] for event in events if event.get("event") == "draw"]
    if lefts != sorted(set(lefts), reverse=True) or (lefts and lefts[0] - lefts[-1] != draws - 1):
        problems.append(f"the live tiles do not go down one by one: {lefts}")
    return problems


def wrong_sums(events: Sequence[Event]) -> list[str]:
    """Where points come from nowhere or are not added up."""
    problems = []
    for number, event in enumerate(events):
        if event.get("event") == "settled":
            parts = {part: event["case"]["expect"].get(part, [0] * 4) for part in SETTLED_PARTS}
            problems += [
                f"event {number}: {part} {points} does not sum to 0" for part, points in parts.items() if sum(points)
            ]
            net = [sum(parts[part][seat] for part in SETTLED_PARTS[:3]) for seat in range(4)]
            if net != parts["net"]:
                problems.append(f"event {number}: net is {parts['net']}, its parts sum to {net}")
    return problems


# ---- the data row ------------------------------------------------------------------------------------------------


def row(deal: Deal, *, session: int | None = None, hand: int = 0) -> dict[str, Any]:
    """The row that a data set must have for a finished deal.

    Parameters
    ----------
    deal : Deal
        A finished deal.
    session, hand : int, optional
        The session, by default of one deal, and the deal's place in it.

    Returns
    -------
    dict
        By column name. `outcome` is text and `types_0` … `types_3` are sorted lists of names without the quads, which
        `quads_0` … `quads_3` count.
    """
    case, answer = deal.case, deal.answer
    assert case is not None, "the deal is not over"
    assert answer is not None
    values: dict[str, Any] = {
        "deal": deal.deal,
        "session": deal.deal if session is None else session,
        "hand": hand,
        "dealer": deal.dealer,
        "next_dealer": deal.next_dealer(),
        "dice": deal.dice[0] * 10 + deal.dice[1],
        "outcome": case["how"],
        "winners": sum(1 << seat for seat in case.get("winners", [])),
        "from_seat": case.get("from", -1),
        "payer": sole_payer(deal),
        "win_tile": parse(case["tile"])[0] if "tile" in case else -1,
        "draws": sum(deal.own_draws),
        "left": len(deal.live),
        "chain": len(case.get("chain", [])),
        "robbed": int(deal.robbed),
        "links": sum(1 << (maker * 4 + giver) for maker, giver in deal.links()),
        **horses(deal),
    }
    for label in range(1, 9):
        values[f"fish_tile_{label}"] = deal.fish_tiles.get(label, -1)
    for seat in range(4):
        values[f"rest_{seat}"] = sum((deal.dealer + offset_of(tile)) % 4 == seat for tile in deal.live)
        for name, value in seat_values(deal, seat).items():
            values[f"{name}_{seat}"] = value
    for first in range(4):
        for second in range(first + 1, 4):
            values[f"flow_{first}{second}"] = flow(answer["transfers"], first, second)
    return values


def seat_values(deal: Deal, seat: int) -> dict[str, Any]:
    """The columns that each seat has, without the seat."""
    assert deal.answer is not None
    won = {winner["seat"]: winner for winner in deal.answer["winners"]}
    types = won[seat]["types"] if seat in won else []
    kongs = Counter(meld.kind for meld in deal.melds[seat])
    return {
        "types": sorted(name for name in types if not name.startswith("quads_")),
        "quads": sum(int(name.removeprefix("quads_")) for name in types if name.startswith("quads_")),
        "points": won[seat]["points"] if seat in won else 0,
        **{part: deal.answer[part][seat] for part in ("hand", "liability", "kongs", "fish", "net")},
        "fish_labels": mask_of(deal.labels[seat]),
        "start_shanten": deal.start_shanten[seat],
        "end_shanten": -1 if seat in won else shanten(deal.hands[seat], len(deal.melds[seat])),
        "ready_draw": deal.ready_draw[seat],
        "melds": len(deal.melds[seat]),
        "kongs_direct": kongs["kong"],
        "kongs_added": kongs["kong+"],
        "kongs_concealed": kongs["kong-"],
        "blocked": deal.blocked[seat],
    }


def horses(deal: Deal) -> dict[str, int]:
    """The columns of the horses, and how many of them belong to the winner's seat."""
    assert deal.case is not None
    turned = [parse(horse)[0] for horse in deal.case.get("horses", [])]
    places: dict[str, int] = {f"horse_tile_{place}": -1 for place in range(1, 5)}
    places |= {f"horse_tile_{place}": horse for place, horse in enumerate(turned, 1)}
    hits = sum((deal.dealer + offset_of(horse)) % 4 == deal.case["winners"][0] for horse in turned)
    return {**places, "horse_hits": hits}


def sole_payer(deal: Deal) -> int:
    """Who alone pays all three shares, if one does; else −1.

    In Liuzhou the discarder after a kong. On a self-draw the giver of the exposed kong replaced, and where liability
    takes the place of all other payments the winner's three-meld giver.
    """
    case = deal.case
    assert case is not None
    if case["how"] == "discard" and "chain" in case and deal.ruleset.kong_discard_pays_for_all:
        return int(case["from"])
    if case["how"] != "self_draw":
        return -1
    (winner,) = case["winners"]
    liable = [giver for maker, giver in deal.links() if maker == winner]
    if liable and deal.ruleset.seals:
        return liable[0]
    kongs = [deal.kong(winner, parse(kong)[0]) for kong in case.get("chain", [])]
    if deal.ruleset.kong_that_pays == "first exposed":
        kongs = [kong for kong in kongs if kong.giver is not None]
    paying = kongs[-1:] if deal.ruleset.kong_that_pays == "last" else kongs[:1]
    return next((kong.giver for kong in paying if kong.giver is not None), -1)


def flow(transfers: Sequence[Mapping[str, Any]], first: int, second: int) -> int:
    """What the first seat won from the second by hands, liability and kongs."""
    won = 0
    for transfer in transfers:
        if transfer["reason"] != "fish":
            ends = (transfer["to"], transfer["from"])
            won += transfer["points"] * ((ends == (first, second)) - (ends == (second, first)))
    return won
