"""What a seat may do: in its turn, about another's tile, and before the dice."""

from __future__ import annotations

from itertools import combinations

from .actions import (
    ABOVE_LOWEST,
    DISCARD,
    FISH,
    KONG,
    KONG_ADDED,
    KONG_CONCEALED,
    PASS,
    PUNG,
    WIN,
    action,
    mask_of,
)
from .hands import is_complete, is_pung, readings, with_change
from .table import Table, seats_after
from .tiles import KINDS, is_honour, kinds_of, rank_of, suit_of


def fish_actions(table: Table) -> set[int]:
    """Every set of free labels up to the limit, the empty one included."""
    taken = {label for labels in table.labels for label in labels}
    free = [label for label in range(1, 9) if label not in taken]
    return {
        action(FISH, mask_of(labels))
        for size in range(min(table.options["max_labels"], len(free)) + 1)
        for labels in combinations(free, size)
    }


def turn_actions(table: Table) -> set[int]:
    """What the seat whose turn it is may do with its 14 tiles (fewer beside melds)."""
    seat, hand = table.turn, table.hands[table.turn]
    legal: set[int] = set()
    if table.drawn is not None:  # a win or a kong needs a draw: not straight after a chow or pung
        if is_complete(hand, len(table.melds[seat])) and not is_sealed(table, seat):
            legal.add(action(WIN, table.drawn))
        if not table.last_tile:  # with the last tile nobody makes a kong of his own
            pungs = {meld.tiles[0] for meld in table.melds[seat] if meld.kind == "pung"}
            legal |= {action(KONG_ADDED, tile) for tile in pungs if hand[tile]}
            legal |= {action(KONG_CONCEALED, tile) for tile in range(KINDS) if hand[tile] == 4}
    if table.ends_undiscarded:
        legal.add(action(PASS))
    else:
        legal |= {action(DISCARD, tile) for tile in range(KINDS) if hand[tile]}
    return legal


def reaction_actions(table: Table, seat: int, giver: int, tile: int, robbing: bool) -> set[int]:
    """What a seat may do about another's discard or added kong; only passing when it has nothing to say."""
    legal = {action(PASS)}
    if is_win(table, seat, giver, tile, robbing) and not is_forbidden(table, seat, tile):
        legal.add(action(WIN, tile))
    if robbing or (table.last_tile and not table.ruleset.last_claims):
        return legal
    held = table.hands[seat][tile]
    if held >= 2:
        legal.add(action(PUNG, tile))
    if held >= 3 and table.live:  # a kong needs a replacement
        legal.add(action(KONG, tile))
    if table.options["chow"] and seat == (giver + 1) % 4 and not is_honour(tile):
        for kind, above in ABOVE_LOWEST.items():
            others = {tile - above, tile - above + 1, tile - above + 2} - {tile}
            if 1 <= rank_of(tile) - above <= 7 and all(table.hands[seat][other] for other in others):
                legal.add(action(kind, tile))
    return legal


# ---- wins on another's tile --------------------------------------------------------------------------------------


def may_rob(table: Table, maker: int) -> list[int]:
    """The seats that may win on an added kong of the maker's; the chain holds the kongs before it."""
    insured = any(table.kong(maker, tile).kind == "kong-" for tile in table.chain)
    if not table.options["rob_kong"] or (insured and table.ruleset.insured_kongs):
        return []
    return seats_after(maker)


def is_sealed(table: Table, seat: int) -> bool:
    """Whether the seat has given another three melds where that seals its own hand."""
    return table.ruleset.seals and any(giver == seat for _, giver in table.links())


def is_forbidden(table: Table, seat: int, tile: int) -> bool:
    """Whether a lock or a seal keeps the seat from winning on another's tile."""
    return tile in table.locked[seat] or is_sealed(table, seat)


def is_win(table: Table, seat: int, giver: int, tile: int, robbing: bool) -> bool:
    """Whether another's tile completes the seat's hand to one that the rules price, locks and seals aside."""
    hand, melds = with_change(table.hands[seat], tile, 1), table.melds[seat]
    if not is_complete(hand, len(melds)):
        return False
    if not table.ruleset.priceless_ordinary or table.options["ordinary_discard"]:
        return True
    return has_event(table, giver, robbing) or has_type(table, seat, hand)


def has_event(table: Table, giver: int, robbing: bool) -> bool:
    """Whether the win would have an event that prices an ordinary hand (rules, B)."""
    after_kong = bool(table.chain)
    first_discard = table.discards_made == 1
    melds = table.melds[giver]
    melded_discard = len(melds) == 4 and all(meld.kind != "kong-" for meld in melds)
    return robbing or after_kong or table.last_tile or first_discard or melded_discard


def has_type(table: Table, seat: int, hand: list[int]) -> bool:
    """Whether a complete hand can be read as all pungs, a full flush or seven pairs."""
    melds = table.melds[seat]
    suits = {suit_of(tile) for tile in kinds_of(hand)} | {suit_of(meld.tiles[0]) for meld in melds}
    if len(suits) == 1 and suits != {"z"}:
        return True
    no_chow = all(meld.kind != "chow" for meld in melds)
    return any(
        reading == "seven_pairs" or (no_chow and all(is_pung(three) for three in reading[1]))
        for reading in readings(hand, len(melds))
    )
