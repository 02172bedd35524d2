"""How a deal ends: the score case that it leaves, and who deals next."""

from __future__ import annotations

from typing import Any

from .table import Table
from .tiles import kinds_of, name, text

Case = dict[str, Any]


def drawn_case(table: Table, title: str) -> Case:
    """The score case of a deal that nobody won."""
    return complete_case(table, title, {"how": "drawn"})


def won_case(table: Table, title: str, winners: list[int], giver: int | None, tile: int, robbing: bool) -> Case:
    """The score case of a deal that some seats win now on this tile; a win without a giver is a self-draw."""
    how = "self_draw" if giver is None else "rob_kong" if robbing else "discard"
    chain = [*table.chain, tile] if robbing else table.chain
    hands = [list(hand) for hand in table.hands]
    if giver is None:
        hands[winners[0]][tile] -= 1
    case: Case = {"how": how, "winners": winners, "tile": name(tile)}
    if giver is not None:
        case["from"] = giver
    case["hands"] = [text(kinds_of(hand)) for hand in hands]
    if chain:
        case["chain"] = [name(kong) for kong in chain]
    if table.last_tile:
        case["last_tile"] = True
    moment = first_moment(table, how, winners[0])
    if moment:
        case["moment"] = moment
    if table.ruleset.horses and len(winners) == 1:
        case["horses"] = [name(horse) for horse in table.live[: table.ruleset.horses]]
    return complete_case(table, title, case)


def first_moment(table: Table, how: str, winner: int) -> str | None:
    """Which of the deal's first moments a win is, if any."""
    if how == "self_draw" and not table.claims_made:
        draws = table.own_draws[winner]
        if winner == table.dealer:
            return "dealt" if draws == 0 else None
        return "first_draw" if draws == 1 else None
    return "first_discard" if how == "discard" and table.discards_made == 1 else None


def complete_case(table: Table, title: str, ending: Case) -> Case:
    """The score case with what every ending has."""
    case: Case = {"id": title, "rules": table.ruleset.name, "dealer": table.dealer, **ending}
    options = table.ruleset.scored(table.options)
    if options:
        case["options"] = options
    case["melds"] = [[meld.text() for meld in melds] for melds in table.melds]
    if table.options["fishing"]:
        case["fish"] = [[name(table.fish_tiles[label]) for label in labels] for labels in table.labels]
    return case


def next_dealer(case: Case) -> int:
    """Who deals next: the winner; of several the giver of the tile; after a drawn deal the same."""
    winners = case.get("winners", [])
    if len(winners) > 1:
        return int(case["from"])
    return int(winners[0]) if winners else int(case["dealer"])
