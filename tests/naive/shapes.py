"""What is true of a win under every ruleset: the readings of its hand with their types, its events, and its kongs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from . import tiles
from .case import Deal, Meld, all_chows, require


@dataclass(frozen=True)
class Win:
    """The dearest reading of a winner's hand: its types and events, and points per share."""

    seat: int
    types: frozenset[str]
    points: int


@dataclass(frozen=True)
class Transfer:
    """Points that one seat pays another."""

    payer: int
    receiver: int
    points: int
    reason: str


def balance(transfers: list[Transfer]) -> list[int]:
    """Return what each seat won or lost by some transfers."""
    points = [0, 0, 0, 0]
    for paid in transfers:
        points[paid.payer] -= paid.points
        points[paid.receiver] += paid.points
    return points


def others_after(seat: int) -> list[int]:
    """Return the other three seats in playing order."""
    return [(seat + step) % 4 for step in (1, 2, 3)]


def splits(kinds: list[int]) -> Iterator[list[str]]:
    """Yield every way to split sorted tiles into chows and pungs, as lists of these words."""
    if not kinds:
        yield []
        return
    first = kinds[0]
    for word, wanted in (("pung", (first, first, first)), ("chow", (first, first + 1, first + 2))):
        if word == "chow" and wanted not in all_chows():
            continue
        rest = without(kinds, wanted)
        if rest is not None:
            for others in splits(rest):
                yield [word, *others]


def without(kinds: list[int], taken: tuple[int, ...]) -> list[int] | None:
    """Return the tiles that are left when some are taken, none if they are not there."""
    rest = list(kinds)
    for kind in taken:
        if kind not in rest:
            return None
        rest.remove(kind)
    return rest


def types_of(held: list[int], melds: list[Meld]) -> Iterator[frozenset[str]]:
    """Yield the hand types of every reading of the concealed tiles, the winning one among them."""
    always = set()
    everything = held + [kind for meld in melds for kind in meld.kinds]
    suits = {tiles.suit_of(kind) for kind in everything}
    if len(suits) == 1 and suits != {"z"}:
        always.add("full_flush")
    if all(meld.word == "kong-" for meld in melds):
        always.add("concealed_hand")
    if len(held) == 2 and all(meld.word != "kong-" for meld in melds):
        always.add("melded_hand")
    for kind in sorted(set(held)):
        rest = without(sorted(held), (kind, kind))
        for sets in [] if rest is None else splits(rest):
            pungs = "chow" not in sets + [meld.word for meld in melds]
            yield frozenset(always | ({"all_pungs"} if pungs else set()))
    counts = Counter(held).values()
    if not melds and all(count in (2, 4) for count in counts):
        quads = list(counts).count(4)
        yield frozenset(always | {"seven_pairs"} | ({f"quads_{quads}"} if quads else set()))


def readings(deal: Deal, seat: int) -> list[frozenset[str]]:
    """Return the types and events of every reading of a winner's hand, or refuse a hand that is not complete."""
    assert deal.tile is not None
    found = [types | events_of(deal) for types in types_of([*deal.hands[seat], deal.tile], deal.melds[seat])]
    held = tiles.text(deal.hands[seat])
    require(bool(found), f"seat {seat}: {held} with {tiles.name(deal.tile)} is not complete")
    return found


def events_of(deal: Deal) -> set[str]:
    """Return the events of the win, the same for every winner."""
    events = set()
    if deal.how == "rob_kong":
        events.add("robbing_kong")
    elif deal.chain:
        events.add("replacement_win" if deal.how == "self_draw" else "kong_discard")
    if deal.last_tile:
        events.add("last_tile_draw" if deal.how == "self_draw" else "last_tile_claim")
    return events


def chain_of(deal: Deal, seat: int) -> list[Meld]:
    """Return the kongs of a seat that are in the deal's chain, oldest first; a robbed one is none."""
    made = {meld.kinds[0]: meld for meld in deal.melds[seat] if meld.word.startswith("kong")}
    return [made[kind] for kind in deal.chain if kind in made]
