"""The slow twin of settlement for `nanning_folk` and `nanning_laiyouxi`, in plain Python from the rule text.

Letters and section names in comments are those of the rules made exact (sections B, B.1, B.2 and D).
"""

from dataclasses import dataclass

from . import tiles
from .case import SEATS, Deal, Meld, require
from .shapes import Transfer, Win, chain_of, others_after, readings


@dataclass(frozen=True)
class Facts:
    """What the two systems settle differently."""

    moments: dict[str, str]  # which hand a first moment makes
    instead: int | None  # what each payer of such a hand pays in place of its value; none: the hand earns a unit
    payer: str  # whose giver pays a replacement win for all: "first_exposed" of the chain, or "first" if exposed
    melded: int  # how many units melded_hand and melded_discard earn together at most
    insured: bool  # a concealed kong in the chain protects the kongs added after it
    liable_shares: int  # what the giver owes his maker's self-draw


FACTS = {
    "nanning_folk": Facts(
        moments={"dealt": "heavenly_hand", "first_draw": "earthly_hand", "first_discard": "human_hand"},
        instead=None,
        payer="first_exposed",
        melded=2,
        insured=True,
        liable_shares=3,
    ),
    "nanning_laiyouxi": Facts(
        moments={"dealt": "heavenly_hand", "first_discard": "earthly_hand"},
        instead=50,
        payer="first",
        melded=1,
        insured=False,
        liable_shares=6,
    ),
}
BASE, BASE_CONCEALED = 3, 4  # u
DISCARD_SCALE = 3  # D = 3u·2^(K - 1)
SHARES = 3  # what one seat owes that pays for all
LIABLE_MELDS = 3
DEAD_DOUBLE = 2
FULL_MELDS = 4
TYPES_OF_ONE_UNIT = {"full_flush", "all_pungs", "seven_pairs"}
MOMENT_HANDS = {"heavenly_hand", "earthly_hand", "human_hand"}


# What cannot be


def check(deal: Deal) -> None:
    """Refuse a sealed winner, and a robbed kong that an earlier concealed one protects."""
    for maker in SEATS:
        giver = giver_of(deal, maker)
        sealed = giver is not None and giver in deal.winners
        require(not sealed, f"seat {giver} is sealed: it gave seat {maker} three melds and cannot win")
    if deal.how == "rob_kong" and FACTS[deal.rules].insured:
        assert deal.giver is not None
        for kong in chain_of(deal, deal.giver):
            what = f"concealed kong of {tiles.name(kong.kinds[0])}"
            require(kong.word != "kong-", f"chain: seat {deal.giver}'s {what} forbids robbing after it")


def giver_of(deal: Deal, maker: int) -> int | None:
    """Return the seat that discarded three of the maker's melds, if one did."""
    sources = [meld.source for meld in deal.melds[maker]]
    return next((seat for seat in SEATS if sources.count(seat) >= LIABLE_MELDS), None)


# What a hand is worth


def dearest_win(deal: Deal, seat: int) -> Win:
    """Return the reading of a winner's hand that pays him most; where all pay alike, the dearest in itself."""
    facts = FACTS[deal.rules]
    priced = []
    for hand_types in readings(deal, seat):
        types = hand_types | extra_types(deal)
        value = value_of(deal, seat, types)
        points = value if facts.instead is None or not types & MOMENT_HANDS else facts.instead
        if points is not None:
            priced.append((points, value or 0, Win(seat, types, points)))
    require(bool(priced), f"seat {seat}: {deal.rules} lets no ordinary hand win on a plain discard")
    return max(priced, key=lambda entry: entry[:2])[2]


def extra_types(deal: Deal) -> set[str]:
    """Return the events that only Nanning has: melded_discard and the hands of the first moments."""
    types = set()
    if deal.moment in FACTS[deal.rules].moments:
        types.add(FACTS[deal.rules].moments[deal.moment])
    if deal.how == "discard" and deal.giver is not None and is_melded(deal.melds[deal.giver]):
        types.add("melded_discard")
    return types


def is_melded(melds: list[Meld]) -> bool:
    """Tell whether four exposed melds leave a seat one tile to wait on."""
    return len(melds) == FULL_MELDS and all(meld.word != "kong-" for meld in melds)


def value_of(deal: Deal, seat: int, types: frozenset[str]) -> int | None:
    """Return S or D with its events, none if the hand cannot win."""
    base = BASE_CONCEALED if "concealed_hand" in types else BASE
    units = units_of(deal, types)
    if deal.how == "self_draw":
        if on_discard_scale(deal, seat, types):
            return doubled(DISCARD_SCALE * base, units - 1)
        return doubled(base, units)
    if units == 0:
        plain = int(deal.options["ordinary_discard"])
        return plain if plain > 0 else None
    return doubled(DISCARD_SCALE * base, units - 1)


def doubled(points: int, times: int) -> int:
    """Return some points doubled so many times."""
    for _ in range(times):
        points += points
    return points


def units_of(deal: Deal, types: frozenset[str]) -> int:
    """Return K: the units of the hand's types and of its events."""
    facts = FACTS[deal.rules]
    units = len(types & TYPES_OF_ONE_UNIT)
    units += sum(quads for quads in (1, 2, 3) if f"quads_{quads}" in types)
    if types & {"replacement_win", "kong_discard", "robbing_kong"}:
        units += len(deal.chain)
    units += len(types & {"last_tile_draw", "last_tile_claim"})
    if deal.how != "self_draw":
        units += min(len(types & {"melded_hand", "melded_discard"}), facts.melded)
    if facts.instead is None:
        units += len(types & MOMENT_HANDS)
        units += "human_hand" in types and deal.options["human_hand"] == "double"
    return units


def on_discard_scale(deal: Deal, seat: int, types: frozenset[str]) -> bool:
    """Tell whether a replacement win is priced at 3/2: laiyouxi, a concealed kong first, a hand with its own type."""
    if "replacement_win" not in types or deal.options.get("concealed_kong_scale") != "discard":
        return False
    return chain_of(deal, seat)[0].word == "kong-" and bool(types & {"all_pungs", "full_flush"})


# Who pays whom


def payments(deal: Deal, win: Win, *, liable: bool) -> list[Transfer]:
    """Return what is paid for one win, with or without three-meld liability.

    A seat pays for the "hand" what it would pay without the rule, if it still pays as much; the rest is "liability".
    """
    usual = usual_parts(deal, win)
    owed = liable_parts(deal, win, usual) if liable else usual
    transfers = []
    for seat in others_after(win.seat):
        alike = min(usual[seat], owed[seat])
        for points, reason in ((alike, "hand"), (owed[seat] - alike, "liability")):
            transfers += [Transfer(seat, win.seat, points * (1 + hits(deal)), reason)] if points else []
    return transfers


def usual_parts(deal: Deal, win: Win) -> list[int]:
    """Return what each seat owes the winner before liability and horses."""
    payer = deal.giver if deal.how != "self_draw" else kong_giver(deal, win.seat)
    parts = [0, 0, 0, 0]
    if payer is None:
        for seat in others_after(win.seat):
            parts[seat] = win.points
    else:
        parts[payer] = win.points * (SHARES if deal.how == "self_draw" else 1)
    return parts


def kong_giver(deal: Deal, seat: int) -> int | None:
    """Return the giver that pays a replacement win for all, none if each pays."""
    kongs = chain_of(deal, seat)
    if FACTS[deal.rules].payer == "first":
        kongs = kongs[:1]
    return next((kong.source for kong in kongs if kong.word != "kong-"), None)


def liable_parts(deal: Deal, win: Win, usual: list[int]) -> list[int]:
    """Return what each seat owes the winner if he is the maker of three melds from one giver, else the usual."""
    giver = giver_of(deal, win.seat)
    if giver is None:
        return usual
    times = DEAD_DOUBLE if deal.options.get("dead_double") else 1
    if deal.how == "self_draw":
        parts = [0, 0, 0, 0]
        parts[giver] = FACTS[deal.rules].liable_shares * win.points * times
        return parts
    parts = list(usual)
    parts[giver] = (parts[giver] + win.points) * times
    return parts


def hits(deal: Deal) -> int:
    """Return how many horses belong to a single winner's seat, counted from the dealer."""
    if len(deal.winners) != 1:
        return 0
    own = (deal.winners[0] - deal.dealer) % 4
    return [tiles.offset_of(kind) for kind in deal.horses].count(own)
