"""The slow twin of settlement: score cases answered in plain Python from the rule text, and Liuzhou's own rules.

Letters and section names in comments are those of the rules made exact (sections 0, A and D; `nanning` has B).
"""

from typing import Any

from . import nanning, tiles
from .case import SEATS, CaseError, Deal, check, read_deal
from .shapes import Transfer, Win, balance, chain_of, others_after, readings

HAND_TYPES = {"all_pungs", "full_flush", "seven_pairs", "melded_hand"}

KONG_MONEY = {"exposed": 1, "concealed": 1}  # from the giver; from each [S A 9, S B]

RULE = {
    "ordinary": 1,  # an ordinary hand, on a discard or from each on a self-draw [S 1]
    "typed_discard": 3,  # a hand with one type, on a discard [S 3-5]
    "step": 2,  # every further type, and every type on a self-draw
    "last_tile_draw": 2,  # [S 8]
    "replacement_win": 2,  # [S 10]
    "replacement_ordinary": 3,  # an ordinary hand after a concealed kong, from each [S 10]
    "kong_discard": 2,  # [S 11]
    "shares": 3,  # what one seat owes that pays for all
    "liable_melds": 3,  # [S 7], and what the giver owes the maker beyond the usual:
    "liable_giver_to_maker": 1,
    "liable_giver_to_third": 1,
    "liable_third_to_maker": 1,
    "liable_self_draw": 2,
}


def score(case: dict[str, Any], base_options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Answer one score case.

    Parameters
    ----------
    case : dict
        The case as the score-case format describes it.
    base_options : dict, optional
        Rules options that hold where the case sets none.

    Returns
    -------
    dict
        The answer with `net`, `hand`, `kongs`, `fish`, `liability`, `winners` and `transfers`, or `id` and `error`.
        `liability` is the part of `hand` that is due to three-meld liability: the difference from what it is without.
    """
    try:
        deal = read_deal(case, base_options or {})
        check(deal)
        wins = wins_of(deal)
    except CaseError as problem:
        return {"id": case.get("id"), "error": str(problem)}
    won = [transfer for win in wins for transfer in payments(deal, win, liable=True)]
    usual = [transfer for win in wins for transfer in payments(deal, win, liable=False)]
    kongs = kong_payments(deal)
    fish = fish_payments(deal, won + kongs)
    parts = {"hand": balance(won), "kongs": balance(kongs), "fish": balance(fish)}
    return {
        "id": case["id"],
        "net": [sum(part[seat] for part in parts.values()) for seat in SEATS],
        **parts,
        "liability": [parts["hand"][seat] - balance(usual)[seat] for seat in SEATS],
        "winners": [{"seat": win.seat, "types": sorted(win.types), "points": win.points} for win in wins],
        "transfers": [
            {"from": paid.payer, "to": paid.receiver, "points": paid.points, "reason": paid.reason}
            for paid in won + kongs + fish
        ],
    }


def wins_of(deal: Deal) -> list[Win]:
    """Return the dearest reading of every winner's hand under the deal's ruleset."""
    if deal.rules == "liuzhou":
        return [dearest_win(deal, seat) for seat in deal.winners]
    nanning.check(deal)
    return [nanning.dearest_win(deal, seat) for seat in deal.winners]


def payments(deal: Deal, win: Win, *, liable: bool) -> list[Transfer]:
    """Return what is paid for one win, with or without three-meld liability."""
    if deal.rules != "liuzhou":
        return nanning.payments(deal, win, liable=liable)
    return usual_payments(deal, win) + (liability_payments(deal, win) if liable else [])


# What every ruleset settles alike


def kong_payments(deal: Deal) -> list[Transfer]:
    """Return the kong money; an added kong is paid by the seat that gave its pung."""
    payments = []
    for seat in SEATS:
        for meld in deal.melds[seat]:
            if meld.word == "kong-":
                payments += [Transfer(other, seat, KONG_MONEY["concealed"], "kong") for other in others_after(seat)]
            elif meld.word in ("kong", "kong+") and meld.source is not None:
                payments.append(Transfer(meld.source, seat, KONG_MONEY["exposed"], "kong"))
    return payments


def fish_payments(deal: Deal, transfers: list[Transfer]) -> list[Transfer]:
    """Return what the owners of fish win and lose together with their targets."""
    payments = []
    for owner in SEATS:
        for kind in deal.fish[owner]:
            target = (deal.dealer + tiles.offset_of(kind)) % 4
            for paid in transfers:
                if paid.receiver == target and paid.payer != owner:
                    payments.append(Transfer(paid.payer, owner, paid.points, "fish"))
                if paid.payer == target and paid.receiver != owner:
                    payments.append(Transfer(owner, paid.receiver, paid.points, "fish"))
    return payments


# What a hand is worth in Liuzhou


def points_of(deal: Deal, seat: int, types: frozenset[str]) -> int:
    """Return the points of one share: S or D with its events."""
    special = len(types & HAND_TYPES)
    if deal.how != "self_draw":
        points = RULE["typed_discard"] * RULE["step"] ** (special - 1) if special else RULE["ordinary"]
        return points * (RULE["kong_discard"] if "kong_discard" in types else 1)
    points = RULE["ordinary"] * RULE["step"] ** len(types & (HAND_TYPES | {"concealed_hand"}))
    if "replacement_win" in types:
        if special == 0 and chain_of(deal, seat)[-1].word == "kong-":
            points = RULE["replacement_ordinary"]
        else:
            points *= RULE["replacement_win"]
    return points * (RULE["last_tile_draw"] if "last_tile_draw" in types else 1)


def dearest_win(deal: Deal, seat: int) -> Win:
    """Return the reading of a winner's hand that pays him most."""
    wins = [Win(seat, types, points_of(deal, seat, types)) for types in readings(deal, seat)]
    return max(wins, key=lambda win: win.points)


# Who pays whom


def sole_payer(deal: Deal) -> int | None:
    """Return the giver of an exposed kong whose replacement wins: he alone pays for three."""
    if deal.how != "self_draw" or not deal.chain:
        return None
    return chain_of(deal, deal.winners[0])[-1].source


def usual_payments(deal: Deal, win: Win) -> list[Transfer]:
    """Return what a win costs before liability."""
    if deal.giver is not None:
        shares = RULE["shares"] if "kong_discard" in win.types else 1
        return [Transfer(deal.giver, win.seat, shares * win.points, "hand")]
    payer = sole_payer(deal)
    if payer is not None:
        return [Transfer(payer, win.seat, RULE["shares"] * win.points, "hand")]
    return [Transfer(seat, win.seat, win.points, "hand") for seat in others_after(win.seat)]


def liability_payments(deal: Deal, win: Win) -> list[Transfer]:
    """Return what three-meld givers pay their makers beyond the usual for one win."""
    worth = win.points * (RULE["shares"] if "kong_discard" in win.types else 1)
    payments = []
    for maker in SEATS:
        for giver in others_after(maker):
            given = [meld for meld in deal.melds[maker] if meld.source == giver]
            if len(given) >= RULE["liable_melds"]:
                times = liability_times(deal, win.seat, maker, giver)
                payments += [Transfer(giver, maker, times * worth, "liability")] if times else []
    return payments


def liability_times(deal: Deal, winner: int, maker: int, giver: int) -> int:
    """Return how many times the win's worth a giver pays his maker beyond the usual."""
    if deal.how == "self_draw":
        return RULE["liable_self_draw"] if winner == maker and sole_payer(deal) is None else 0
    if giver in deal.winners:
        return 0
    if winner == maker and deal.giver == giver:
        return RULE["liable_giver_to_maker"]
    if winner == maker and deal.options["third_party"]:
        return RULE["liable_third_to_maker"]
    if deal.giver == giver and maker not in deal.winners:
        return RULE["liable_giver_to_third"]
    return 0
