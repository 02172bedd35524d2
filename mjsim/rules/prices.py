"""What wins are worth under a ruleset, as tables: hands, events and liability.

This is the arithmetic of `mjsim.settle` (C, value, units and events) once more in plain Python, for pages that people
read; the suite holds both against each other.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from mjsim.rules.events import Events, EventWorth, FirstMoment
from mjsim.rules.model import Ruleset

Mode = Literal["self_draw", "discard"]

SHARES: Final = 3
_LONGEST_CHAIN: Final = 4
_MOST_QUADS: Final = 3
_TYPES: Final = ("all_pungs", "full_flush", "seven_pairs", "melded_hand")
_ON_SELF_DRAW: Final = ("replacement_win", "last_tile_draw")
_ON_DISCARD: Final = ("kong_discard", "robbing_kong", "melded_discard", "last_tile_claim")
_MOMENTS: Final = ("heavenly_hand", "earthly_hand", "human_hand")


@dataclass(frozen=True)
class HandPrices:
    """One line of the table of hands; None: there is no such hand, or it does not win so.

    Attributes
    ----------
    types : tuple of str
        Hand types; none for an ordinary hand.
    quads : int
        Sets of four equal tiles in seven pairs.
    self_draw, self_draw_concealed : int or None
        What each of the three others pays.
    discard, discard_concealed : int or None
        What the discarder pays.
    """

    types: tuple[str, ...]
    quads: int
    self_draw: int | None
    self_draw_concealed: int | None
    discard: int | None
    discard_concealed: int | None


@dataclass(frozen=True)
class EventPrices:
    """One line of the table of events.

    Attributes
    ----------
    event : str
    chain : int or None
        Length of the kong chain, where it counts.
    kong : {"exposed", "concealed"} or None
        The kong that decides, where it matters.
    payer : {"each", "giver", "discarder"}
        Who pays the points: each of the others, or that seat alone.
    ordinary, ordinary_concealed, special, special_concealed : int or None
        What the payer pays for an ordinary hand, and for one with one hand type (all pungs or full flush).
    """

    event: str
    chain: int | None
    kong: Literal["exposed", "concealed"] | None
    payer: Literal["each", "giver", "discarder"]
    ordinary: int | None
    ordinary_concealed: int | None
    special: int | None
    special_concealed: int | None


@dataclass(frozen=True)
class LiabilityLine:
    """Who pays what on one line of the liability table, in times the value of the win.

    ``giver`` and ``discarder`` or ``others`` (each of them) pay the winner, but on `giver_to_third` the giver pays the
    maker beside the winner.
    """

    line: Literal["giver_to_maker", "giver_to_third", "third_to_maker", "self_draw"]
    giver: int
    others: int


def share(
    rules: Ruleset,
    types: Collection[str],
    mode: Mode,
    *,
    quads: int = 0,
    chain: int = 1,
    concealed_kong: bool = False,
) -> int | None:
    """Return the points of one share of a win, with its events; None if the rules know no such win.

    Parameters
    ----------
    rules : Ruleset
    types : collection of str
        Hand types and events.
    mode : {"self_draw", "discard"}
        A robbed kong is a discard.
    quads : int
        Sets of four equal tiles in seven pairs.
    chain : int
        Length of the kong chain before the winning tile.
    concealed_kong : bool
        The kong that decides about a replacement win is concealed.

    Examples
    --------
    >>> from mjsim.rules import load_rules
    >>> share(load_rules("liuzhou"), {"all_pungs", "full_flush"}, "discard")
    6
    """
    events = _named(rules.events, types)
    fixed = [event.fixed for event in events.values() if isinstance(event, FirstMoment) and event.fixed is not None]
    if fixed:
        return fixed[-1]
    units = _type_units(rules, types, mode, quads)
    replacement = rules.events.replacement_win if "replacement_win" in events else None
    if replacement is not None and concealed_kong:
        if units == 0 and replacement.concealed_ordinary is not None:
            # A price of its own stands in for the hand's and the replacement's.
            return replacement.concealed_ordinary * _factor(events) // replacement.factor
        if replacement.concealed_kong_scale == "discard" and {"all_pungs", "full_flush"} & set(types):
            mode = "discard"
    for name, event in events.items():
        if name == "melded_discard" and "melded_hand" in types and not getattr(event, "beside_melded_hand", True):
            continue
        units += event.units * (chain if getattr(event, "per_kong", False) else 1)
    price = _price(rules, mode, special=units > 0, concealed="concealed_hand" in types)
    return None if price is None else price * rules.value.step ** max(units - 1, 0) * _factor(events)


def _named(events: Events, types: Collection[str]) -> dict[str, EventWorth]:
    """Pick the events among some types that the rules name."""
    found = {name: getattr(events, name) for name in Events.model_fields if name in types}
    return {name: event for name, event in found.items() if event is not None}


def _factor(events: dict[str, EventWorth]) -> int:
    factor = 1
    for event in events.values():
        factor *= event.factor
    return factor


def _type_units(rules: Ruleset, types: Collection[str], mode: Mode, quads: int) -> int:
    units = sum(int(getattr(getattr(rules.units, name), mode)) for name in _TYPES if name in types)
    return units + quads * int(getattr(rules.units.quad, mode))


def _price(rules: Ruleset, mode: Mode, *, special: bool, concealed: bool) -> int | None:
    if mode == "discard" and not special:
        return rules.value.ordinary_discard
    prices = rules.value.self_draw if mode == "self_draw" else rules.value.discard
    price: int | None = getattr(prices, ("special" if special else "ordinary") + ("_concealed" if concealed else ""))
    return price


def hand_prices(rules: Ruleset) -> list[HandPrices]:
    """Return what each hand pays on a self-draw and on a discard, before events.

    >>> from mjsim.rules import load_rules
    >>> [(line.types, line.self_draw, line.discard) for line in hand_prices(load_rules("nanning_folk"))][:2]
    [((), 3, None), (('all_pungs',), 6, 9)]
    """
    lines = []
    for types, quads in _hands(rules):
        may_be_open = "seven_pairs" not in types
        may_be_concealed = "melded_hand" not in types
        prices = {}
        for mode in ("self_draw", "discard"):
            prices[mode] = share(rules, types, mode, quads=quads) if may_be_open else None
            concealed = (*types, "concealed_hand")
            prices[f"{mode}_concealed"] = share(rules, concealed, mode, quads=quads) if may_be_concealed else None
        lines.append(HandPrices(types, quads, **prices))
    return lines


def _hands(rules: Ruleset) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield all sets of hand types that can come together, with the number of quads."""
    yield (), 0
    yield ("all_pungs",), 0
    yield ("full_flush",), 0
    yield ("all_pungs", "full_flush"), 0
    for flush in ((), ("full_flush",)):
        for quads in range(_MOST_QUADS + 1):
            yield (*flush, "seven_pairs"), quads
    # Where nobody chows, four exposed melds are all pungs.
    melded = [(), ("full_flush",)] if rules.claims.chow else []
    for types in (*melded, ("all_pungs",), ("all_pungs", "full_flush")):
        yield (*types, "melded_hand"), 0


def event_prices(rules: Ruleset) -> list[EventPrices]:
    """Return what wins with one event pay, for every event that the rules name."""
    return [line for name in (*_ON_SELF_DRAW, *_ON_DISCARD, *_MOMENTS) for line in _event_lines(rules, name)]


def _event_lines(rules: Ruleset, name: str) -> Iterator[EventPrices]:
    event: EventWorth | None = getattr(rules.events, name)
    if event is None or (name == "robbing_kong" and not rules.kongs.rob_kong):
        return
    if name == "last_tile_claim" and not rules.deal_end.last_tile_discard:
        return
    mode: Mode = "self_draw" if name in _ON_SELF_DRAW else "discard"
    first_moment = isinstance(event, FirstMoment)
    if isinstance(event, FirstMoment) and event.moment != "first_discard":
        mode = "self_draw"
    kongs: tuple[Literal["exposed", "concealed"] | None, ...] = (None,)
    if name == "replacement_win" and _kong_matters(rules):
        kongs = ("exposed", "concealed")
    chains: list[int | None] = [None]
    if getattr(event, "per_kong", False):
        chains = list(range(1, _LONGEST_CHAIN + 1))
    for kong in kongs:
        payer = _payer(rules, name, mode, kong)
        shares = SHARES if payer == "giver" or (payer == "discarder" and _pays_all(rules, name)) else 1
        for chain in chains:
            prices = {}
            for hand, types in (("ordinary", ()), ("special", ("all_pungs",))):
                for concealed in (False, True):
                    worth = share(
                        rules,
                        (name, *types, *(["concealed_hand"] if concealed else [])),
                        mode,
                        chain=chain or 1,
                        concealed_kong=kong == "concealed",
                    )
                    key = f"{hand}_concealed" if concealed else hand
                    # At the first moments nobody has an exposed meld.
                    prices[key] = None if worth is None or (first_moment and not concealed) else shares * worth
            yield EventPrices(name, chain, kong, payer, **prices)


def _kong_matters(rules: Ruleset) -> bool:
    win = rules.events.replacement_win
    return win is not None and (
        win.payer == "giver" or win.concealed_ordinary is not None or win.concealed_kong_scale == "discard"
    )


def _pays_all(rules: Ruleset, name: str) -> bool:
    kong_discard = rules.events.kong_discard
    return name == "kong_discard" and kong_discard is not None and kong_discard.payer == "discarder"


def _payer(rules: Ruleset, name: str, mode: Mode, kong: str | None) -> Literal["each", "giver", "discarder"]:
    win = rules.events.replacement_win
    if name == "replacement_win" and kong == "exposed" and win is not None and win.payer == "giver":
        return "giver"
    return "each" if mode == "self_draw" else "discarder"


def liability_lines(rules: Ruleset) -> list[LiabilityLine]:
    """Return who pays what on each line of the liability table, in times the value; empty where there is none."""
    liability = rules.liability
    if not liability.enabled:
        return []
    doubled = 2 if liability.dead_double else 1
    third = liability.third_to_maker if liability.third_party else 0
    own = liability.self_draw if liability.giver_alone else 1 + liability.self_draw
    return [
        LiabilityLine("giver_to_maker", doubled * (1 + liability.giver_to_maker), 0),
        LiabilityLine("third_to_maker", doubled * third, 1),
        LiabilityLine("giver_to_third", liability.giver_to_third, 0),
        LiabilityLine("self_draw", doubled * own, 0 if liability.giver_alone else 1),
    ]
