"""What a score case comes to, from the same settlement that simulated deals go through."""

import functools
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numba import types

from mjsim import jit
from mjsim.errors import CaseError, RulesError
from mjsim.hands.hand import add_tile, clear, remove_tile
from mjsim.hands.shanten import hand_distance
from mjsim.hands.tables import TABLES, tables
from mjsim.hands.types import names_of, put_melds
from mjsim.rules import Ruleset, builtin_names, load_rules, variant_names
from mjsim.rules.packed import NO_PRICE, RULES, pack
from mjsim.scoring.case import Case, check_case, read_case
from mjsim.settle import REASONS, SETTLEMENT, find_givers, is_sealed, settle
from mjsim.state import (
    ADDED_KONG,
    CONCEALED_KONG,
    DEAL,
    DEALT,
    DIRECT_KONG,
    DISCARD_WIN,
    DRAWN,
    FIRST_DISCARD,
    FIRST_DRAW,
    NO_MOMENT,
    NONE,
    PUNG_MELD,
    ROB_KONG,
    SEATS,
    SELF_DRAW,
    Int,
    Record,
    new_record,
)
from mjsim.tiles import name

Answer = dict[str, Any]

_OUTCOMES: Final = {"self_draw": SELF_DRAW, "discard": DISCARD_WIN, "rob_kong": ROB_KONG, "drawn": DRAWN}
_MOMENTS: Final = {None: NO_MOMENT, "dealt": DEALT, "first_draw": FIRST_DRAW, "first_discard": FIRST_DISCARD}


def score(case: Mapping[str, Any], *, rules: Ruleset | str | None = None) -> Answer:
    """Answer one score case.

    Parameters
    ----------
    case : mapping
        One case of ``docs/score_case.md``, as read from TOML or JSON.
    rules : Ruleset or str, optional
        A ruleset, or the name or file of one, used instead of the ruleset the case names; its ``options`` still apply.

    Returns
    -------
    dict
        ``id``, ``net``, ``hand``, ``kongs``, ``fish`` (four integers by seat, each summing to 0), ``winners``
        (``seat``, ``types``, ``points``) and ``transfers`` (``from``, ``to``, ``points``, ``reason``); or ``id`` and
        ``error`` where the case cannot be a finished deal.

    Examples
    --------
    >>> answer = score({
    ...     "id": "example", "rules": "liuzhou", "dealer": 0, "how": "discard", "winners": [1], "from": 0, "tile": "2m",
    ...     "hands": ["", "2244678m333p", "", ""], "melds": [[], ["pung 3m <0"], [], []],
    ... })
    >>> answer["net"], answer["winners"]
    ([-1, 1, 0, 0], [{'seat': 1, 'types': [], 'points': 1}])
    """
    if not isinstance(case, Mapping):
        return {"id": "", "error": f"a case is a table of keys, not {type(case).__name__}"}
    identity = case.get("id") if isinstance(case.get("id"), str) else ""
    try:
        read = read_case(case)
        ruleset = rules_of(case, rules)
        check_case(read, ruleset)
        return _answer(read, ruleset)
    except (CaseError, RulesError) as error:
        return {"id": identity, "error": str(error)}


def rules_of(case: Mapping[str, Any], rules: Ruleset | str | None) -> Ruleset:
    """The ruleset of a case with its options."""
    options = case.get("options", {})
    if isinstance(rules, str):
        rules = load_rules(rules)
    if rules is not None:
        return rules.with_overrides(options) if options else rules
    loaded = (
        _builtin_rules(case["rules"])
        if case["rules"] in (*builtin_names(), *variant_names())
        else load_rules(case["rules"])
    )
    return loaded.with_overrides(options) if options else loaded


@functools.lru_cache(maxsize=64)
def _builtin_rules(name: str) -> Ruleset:
    """A ruleset that comes with mjsim; files are read anew each time, as they may change."""
    return load_rules(name)


@functools.lru_cache(maxsize=64)
def _packed(rules: Ruleset) -> Record:
    """The words of a ruleset, which settlements only read."""
    return pack(rules)


def _answer(case: Case, rules: Ruleset) -> Answer:
    deal = new_record(DEAL)
    words = _packed(rules)
    lay_out(case, deal)
    settlement = new_record(SETTLEMENT)
    unfinished = settle_case(deal, words, tables(), settlement)
    for winner in case.winners:
        if is_sealed(deal.tally, words, winner):
            raise CaseError(f"winners: seat {winner} is sealed: it gave another seat {rules.liability.melds} melds")
    if unfinished != NONE:
        raise CaseError(f"hands: seat {unfinished}'s hand with {name(case.tile)} is not complete")
    for winner in case.winners:
        if settlement.points[winner] == NO_PRICE:
            raise CaseError(
                f"winners: these rules pay nothing for seat {winner}'s hand on a {case.how} of {name(case.tile)}"
            )
    return answer_of(case.id, case.winners, settlement)


def answer_of(identity: str, winners: tuple[int, ...], settlement: Record) -> Answer:
    """A settlement as the answer to a case."""
    transfers = settlement.transfers[: settlement.transfer_count].tolist()
    return {
        "id": identity,
        "net": settlement.net.tolist(),
        "hand": settlement.hand.tolist(),
        "kongs": settlement.kongs.tolist(),
        "fish": settlement.fish.tolist(),
        "winners": [
            {"seat": seat, "types": names_of(int(settlement.types[seat])), "points": int(settlement.points[seat])}
            for seat in winners
        ],
        "transfers": [
            {"from": payer, "to": receiver, "points": points, "reason": REASONS[reason]}
            for payer, receiver, points, reason in transfers
        ],
    }


def lay_out(case: Case, deal: Record) -> None:
    """Write a case into a deal record, as if the deal had been played to its end."""
    table = tables()
    deal.table.dealer = case.dealer
    label = 0
    for seat in range(SEATS):
        own = deal.seats[seat]
        clear(own)
        for tile in case.hands[seat]:
            add_tile(own, table, tile)
        put_melds(own, case.melds[seat])
        labels = 0
        for tile in case.fish[seat]:
            deal.wall.fish_tile[label] = tile
            labels |= 1 << label
            label += 1
        own.labels = np.uint64(labels)
    tally = deal.tally
    tally.outcome = _OUTCOMES[case.how]
    tally.winners = sum(1 << winner for winner in case.winners)
    tally.giver = case.giver
    tally.tile = case.tile
    tally.moment = _MOMENTS[case.moment]
    tally.last_tile = case.last_tile
    tally.horse_count = len(case.horses) if len(case.winners) == 1 else 0
    for position, tile in enumerate(case.horses):
        tally.horse_tile[position] = tile
    tally.chain_length = len(case.chain)
    for position, tile in enumerate(case.chain):
        robbed = case.how == "rob_kong" and position == len(case.chain) - 1
        kinds = (PUNG_MELD,) if robbed else (DIRECT_KONG, ADDED_KONG, CONCEALED_KONG)
        meld = next(meld for meld in case.melds[case.chain_seat] if meld.tile == tile and meld.kind in kinds)
        tally.chain_tile[position] = tile
        tally.chain_kind[position] = ADDED_KONG if robbed else meld.kind
        tally.chain_from[position] = meld.giver


@jit.entry_on_call(
    types.int64(jit.record_type(DEAL), jit.record_type(RULES), jit.record_type(TABLES), jit.record_type(SETTLEMENT))
)
def settle_case(deal: Record, rules: Record, tables: Record, settlement: Record) -> Int:
    """Settle a laid-out case; returns the first winner whose hand is not complete, or -1."""
    tally = deal.tally
    find_givers(deal, rules)
    for seat in range(SEATS):
        if tally.winners >> seat & 1:
            own = deal.seats[seat]
            add_tile(own, tables, tally.tile)
            complete = hand_distance(tables, own) == 0
            remove_tile(own, tables, tally.tile)
            if not complete:
                return seat
    settle(deal, rules, tables, settlement)
    return NONE
