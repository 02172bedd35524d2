"""What a transcript says of the result: who won how, what the hand is worth and why, and who pays more than usual."""

from collections.abc import Iterator
from typing import Any, Final

from mjsim.hands.melds import Meld, parse_meld
from mjsim.rules import Ruleset, packed
from mjsim.scoring.answer import Answer
from mjsim.state import ADDED_KONG, CONCEALED_KONG, DIRECT_KONG, HORSES, NONE, SEATS, Record
from mjsim.tiles import SEAT_OFFSETS, parse_tile
from mjsim.transcript.events import Replay
from mjsim.transcript.words import INDENT, Language, wrapped

_KONGS: Final = (DIRECT_KONG, ADDED_KONG, CONCEALED_KONG)
_QUADS: Final = ("quads_1", "quads_2", "quads_3")


def result_lines(replay: Replay, answer: Answer, language: Language) -> list[str]:
    """Who won how, with what, and what makes somebody pay more than usual."""
    case, row = replay.case, replay.row
    lines = [language.say("drawn") if case["how"] == "drawn" else outcome(case, language)]
    for winner in answer["winners"]:
        worth = {"seat": language.seat(winner["seat"]), "points": winner["points"]}
        lines.append(language.say("worth", types=language.types(winner["types"]), **worth))
        lines += unit_lines(replay, winner, language)
    if "chain" in case:
        tiles = language.listed(language.tile(parse_tile(tile)) for tile in case["chain"])
        lines.append(language.say("chain", tiles=tiles))
    lines += deciding_lines(replay, answer, language)
    if "moment" in case:
        lines.append(language.say(f"moment_{case['moment']}"))
    lines += last_tile_lines(replay, language)
    lines += payer_lines(replay, language)
    for maker, giver in links(int(row["links"])):
        lines.append(language.say("liable", maker=language.seat(maker), giver=language.seat(giver)))
        if not replay.plan.rules.liability.giver_may_win:
            lines.append(language.say("may_not_win", giver=language.seat(giver)))
    lines += barred_lines(replay, language)
    lines += horse_lines(replay, language)
    return [language.say("result"), *(INDENT + line for line in lines)]


def outcome(case: dict[str, Any], language: Language) -> str:
    """How the deal was won."""
    winners = language.listed(language.seat(seat) for seat in case["winners"])
    values = {"winners": winners, "tile": language.tile(parse_tile(case["tile"]))}
    if case["how"] == "self_draw":
        return language.say("self_draw", **values)
    phrase = "single" if len(case["winners"]) == 1 else "several"
    values["winners"] = language.say(phrase, winners=winners)
    values["giver"] = language.seat(case["from"])
    return language.say("discard_win" if case["how"] == "discard" else "rob_kong", **values)


def links(mask: int) -> Iterator[tuple[int, int]]:
    """Maker and giver of each three-meld relation.

    >>> list(links(1 << 2 * 4 + 3))
    [(2, 3)]
    """
    return (divmod(bit, SEATS) for bit in range(SEATS * SEATS) if mask >> bit & 1)


# What the hand is worth.


def unit_lines(replay: Replay, winner: dict[str, Any], language: Language) -> list[str]:
    """How the share of a winner comes about, under rules that price events by units as they do hand types."""
    rules, names = packed.pack(replay.plan.rules), winner["types"]
    for row in packed.FIRST_MOMENTS:
        if packed.EVENTS[row] in names and rules.event_fixed[row] != packed.NO_PRICE:
            what = language.types([packed.EVENTS[row]])
            return [language.say("fixed", what=what, points=int(rules.event_fixed[row]))]
    concealed_kong = "replacement_win" in names and deciding_kong(replay).kind == CONCEALED_KONG
    mode = packed.SELF_DRAW_MODE if replay.case["how"] == "self_draw" else packed.DISCARD_MODE
    hand = hand_units(rules, names, mode)
    if concealed_kong and not any(hand.values()) and rules.concealed_ordinary != packed.NO_PRICE:
        return [language.say("own_price")]
    if not rules.event_units.any():
        return []
    lines = []
    if concealed_kong and rules.concealed_on_discard_scale and {"all_pungs", "full_flush"} & set(names):
        mode = packed.DISCARD_MODE
        lines.append(language.say("discard_scale"))
    events = event_units(rules, names, int(replay.row["chain"]))
    units = sum(hand.values()) + sum(events.values())
    product = language.say("times").join(share_in_figures(rules, names, mode, units))
    seat = language.seat(winner["seat"])
    if not units:
        return [language.say("units_none", seat=seat, product=product)]
    parts = [language.say("unit", what=language.types([name]), units=number) for name, number in hand.items()]
    parts += [event_in_words(rules, name, number, replay, language) for name, number in events.items()]
    phrase = "units_one" if units == 1 else "units_all"
    parts.append(language.say(phrase, units=units, step=int(rules.step), product=product))
    return [*lines, *wrapped(language.say("units", seat=seat), parts, language, INDENT * 2)]


def hand_units(rules: Record, names: list[str], mode: int) -> dict[str, int]:
    """Units of each hand type that has any; all quads of a hand together."""
    units = {name: int(rules.units[row, mode]) for row, name in enumerate(packed.UNITS) if name in names}
    for number, quads in enumerate(_QUADS, start=1):
        if quads in names:
            units[quads] = number * int(rules.units[packed.QUAD_UNITS, mode])
    return {name: number for name, number in units.items() if number}


def event_units(rules: Record, names: list[str], chain: int) -> dict[str, int]:
    """Units of each event of a win that is counted in units, also where it adds none beside another."""
    units = {}
    for row, name in enumerate(packed.EVENTS):
        if name in names and rules.event_units[row]:
            units[name] = int(rules.event_units[row]) * (chain if rules.event_per_kong[row] else 1)
    if "melded_hand" in names and "melded_discard" in units and not rules.melded_discard_stacks:
        units["melded_discard"] = 0
    return units


def share_in_figures(rules: Record, names: list[str], mode: int, units: int) -> list[str]:
    """The price and what multiplies it."""
    column = (packed.SPECIAL if units else packed.ORDINARY) + (packed.CONCEALED if "concealed_hand" in names else 0)
    factors = [int(rules.event_factor[row]) for row, name in enumerate(packed.EVENTS) if name in names]
    figures = [
        int(rules.price[mode, column]),
        *[int(rules.step)] * (units - 1),
        *(each for each in factors if each > 1),
    ]
    return list(map(str, figures))


def event_in_words(rules: Record, name: str, units: int, replay: Replay, language: Language) -> str:
    """One event with its units, and the chain whose kongs they count."""
    values = {"what": language.types([name]), "units": units}
    if units == 0:
        return language.say("unit_again", what=values["what"])
    if rules.event_per_kong[packed.EVENTS.index(name)]:
        return language.say("unit_chain", chain=replay.row["chain"], **values)
    return language.say("unit", **values)


# Who pays.


def deciding_kong(replay: Replay) -> Meld:
    """The kong of the chain that decides who pays a replacement win."""
    case, win = replay.case, replay.plan.rules.events.replacement_win
    melds = {meld.tile: meld for meld in map(parse_meld, case["melds"][case["winners"][0]]) if meld.kind in _KONGS}
    chain = [melds[parse_tile(tile)] for tile in case["chain"]]
    decided_by = "last" if win is None else win.decided_by
    if decided_by == "first":
        return chain[0]
    exposed = [kong for kong in chain if kong.kind != CONCEALED_KONG]
    return exposed[0] if decided_by == "first_exposed" and exposed else chain[-1]


def deciding_lines(replay: Replay, answer: Answer, language: Language) -> list[str]:
    """Which kong decides who pays for a chain of several, if that is asked."""
    win = replay.plan.rules.events.replacement_win
    names = answer["winners"][0]["types"] if answer["winners"] else []
    if win is None or win.payer != "giver" or "replacement_win" not in names or len(replay.case["chain"]) == 1:
        return []
    kong = deciding_kong(replay)
    if kong.kind == CONCEALED_KONG:
        return [language.say("decides_concealed", tile=language.tile(kong.tile))]
    return [language.say("decides_exposed", tile=language.tile(kong.tile), giver=language.seat(kong.giver))]


def last_tile_lines(replay: Replay, language: Language) -> list[str]:
    """That no tile was left to draw."""
    case, left, kept = replay.case, replay.row["left"], replay.plan.rules.deal_end.tiles_left
    if "last_tile" in case:
        return [language.say("last_tile", left=left)]
    if case["how"] == "drawn" and kept:
        return [language.say("end_left", tiles=kept, left=left)]
    return []


def payer_lines(replay: Replay, language: Language) -> list[str]:
    """Who pays for others too."""
    payer, liability = int(replay.row["payer"]), replay.plan.rules.liability
    if payer == NONE:
        return []
    winner = replay.case["winners"][0]
    alone = liability.giver_alone and (winner, payer) in links(int(replay.row["links"]))
    if alone and replay.case["how"] == "self_draw":
        shares = liability.self_draw * (2 if liability.dead_double else 1)
        values = {"giver": language.seat(payer), "maker": language.seat(winner), "shares": shares}
        return [language.say("liable_alone", **values)]
    return [language.say("payer", seat=language.seat(payer))]


def barred_lines(replay: Replay, language: Language) -> list[str]:
    """Wins that a lock or a seal forbade."""
    rules = replay.plan.rules
    lines = []
    for seat in range(SEATS):
        number = replay.row[f"blocked_{seat}"]
        if number:
            lines.append(language.say(barred_by(rules), seat=language.seat(seat), number=number))
    return lines


def barred_by(rules: Ruleset) -> str:
    """The phrase that says what can forbid a win."""
    seal = rules.liability.enabled and not rules.liability.giver_may_win
    if seal and rules.pass_lock.enabled:
        return "barred_both"
    return "barred_seal" if seal else "barred_lock"


def horse_lines(replay: Replay, language: Language) -> list[str]:
    """The horses turned over, whose they are, and what their hits do."""
    case, row, horses = replay.case, replay.row, replay.plan.rules.horses
    if not horses.enabled or case["how"] == "drawn":
        return []
    if len(case["winners"]) > 1:
        return [language.say("horses_several")]
    tiles = [int(tile) for tile in (row[f"horse_tile_{number + 1}"] for number in range(HORSES)) if tile != NONE]
    owners = [language.seat((case["dealer"] + SEAT_OFFSETS[tile]) % SEATS) for tile in tiles]
    parts = [
        language.say("horse", tile=language.tile(tile), seat=owner) for tile, owner in zip(tiles, owners, strict=True)
    ]
    if len(tiles) < horses.number:
        parts.append(language.say("horses_fewer"))
    hits, seat = int(row["horse_hits"]), language.seat(case["winners"][0])
    phrase = "horses_hit" if hits else "horses_missed"
    return [
        *wrapped(language.say("horses"), parts, language, INDENT * 2),
        language.say(phrase, seat=seat, hits=hits, times=1 + hits),
    ]
