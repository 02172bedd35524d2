"""Score cases: reading one, and refusing what cannot be a finished deal.

``docs/score_case.md`` is the format. Reading (`read_case`) checks each key by itself; `check_case` checks them
against each other and the rules, but not whether hands are complete, which only the settlement can tell.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mjsim.errors import CaseError, TilesError
from mjsim.hands.melds import Meld, parse_meld
from mjsim.rules import Ruleset
from mjsim.rules.check import show, show_path
from mjsim.state import ADDED_KONG, CHOW_MELD, CONCEALED_KONG, DIRECT_KONG, NONE, PUNG_MELD, SEATS
from mjsim.tiles import counts_of, name, parse, parse_tile, quoted

Read = TypeVar("Read")
How = Literal["self_draw", "discard", "rob_kong", "drawn"]
Moment = Literal["dealt", "first_draw", "first_discard"]

_SEAT = Annotated[int, Field(ge=0, le=SEATS - 1)]
_FourTexts = Annotated[list[str], Field(min_length=SEATS, max_length=SEATS)]
_FourLists = Annotated[list[list[str]], Field(min_length=SEATS, max_length=SEATS)]


class _Written(BaseModel):
    """A case as written."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    rules: str
    options: dict[str, Any] = {}
    dealer: _SEAT
    how: How
    winners: list[_SEAT] = []
    giver: _SEAT | None = Field(default=None, alias="from")
    tile: str | None = None
    hands: _FourTexts = ["", "", "", ""]
    melds: _FourLists
    chain: list[str] = []
    last_tile: bool = False
    moment: Moment | None = None
    fish: _FourLists = [[], [], [], []]
    horses: list[str] = []
    expect: dict[str, Any] | None = None
    note: str = ""
    source: str = ""


@dataclass(frozen=True)
class Case:
    """A score case, read: tiles are kinds, a missing giver or tile is −1."""

    id: str
    dealer: int
    how: How
    winners: tuple[int, ...]
    giver: int
    tile: int
    hands: tuple[tuple[int, ...], ...]
    melds: tuple[tuple[Meld, ...], ...]
    chain: tuple[int, ...]
    last_tile: bool
    moment: Moment | None
    fish: tuple[tuple[int, ...], ...]
    horses: tuple[int, ...]

    @property
    def chain_seat(self) -> int:
        """Whose kongs the chain lists: the winner's on a self-draw, else the giver's."""
        return self.winners[0] if self.how == "self_draw" else self.giver


def read_case(written: Mapping[str, Any]) -> Case:
    """Read the keys of a case.

    Raises
    ------
    CaseError
        Naming the key, seat or tile.
    """
    try:
        case = _Written.model_validate(dict(written))
    except ValidationError as error:
        raise CaseError(_complaint(error)) from None
    giver = NONE if case.giver is None else case.giver
    return Case(
        id=case.id,
        dealer=case.dealer,
        how=case.how,
        winners=playing_order(case.winners, giver),
        giver=giver,
        tile=NONE if case.tile is None else _read("tile", parse_tile, case.tile),
        hands=tuple(tuple(_read(f"hands: seat {seat}", parse, hand)) for seat, hand in enumerate(case.hands)),
        melds=tuple(
            tuple(_read(f"melds: seat {seat}", parse_meld, meld) for meld in melds)
            for seat, melds in enumerate(case.melds)
        ),
        chain=tuple(_read("chain", parse_tile, tile) for tile in case.chain),
        last_tile=case.last_tile,
        moment=case.moment,
        fish=tuple(
            tuple(_read(f"fish: seat {seat}", parse_tile, tile) for tile in tiles)
            for seat, tiles in enumerate(case.fish)
        ),
        horses=tuple(_read("horses", parse_tile, tile) for tile in case.horses),
    )


def _read(where: str, reader: Callable[[str], Read], words: str) -> Read:
    """Read a text, naming the key and seat where it stands if it cannot be read."""
    try:
        return reader(words)
    except TilesError as error:
        raise CaseError(f"{where}: {error}") from None


def playing_order(seats: Iterable[int], giver: int) -> tuple[int, ...]:
    """Seats in playing order after the giver; from seat 0 on where there is none.

    >>> playing_order([1, 3], giver=2)
    (3, 1)
    """
    return tuple(sorted(seats, key=lambda seat: (seat - max(giver, 0)) % SEATS))


def check_case(case: Case, rules: Ruleset) -> None:
    """Refuse a case that contradicts itself or its rules."""
    _check_win(case, rules)
    for seat in range(SEATS):
        _check_melds(case, rules, seat)
        _check_size(case, seat)
    _check_chain(case)
    _check_moment(case)
    _check_fish(case, rules)
    _check_horses(case, rules)
    _check_copies(case)


def _check_win(case: Case, rules: Ruleset) -> None:
    if case.how == "drawn":
        _check_drawn(case)
        return
    if case.tile == NONE:
        raise CaseError(f"tile: missing; a {case.how} names the winning tile")
    if not case.winners:
        raise CaseError(f"winners: missing; a {case.how} has a winner")
    if len(set(case.winners)) < len(case.winners):
        raise CaseError(f"winners: a seat twice: {_seats(case.winners)}")
    if case.how == "self_draw":
        if case.giver != NONE:
            raise CaseError(f"from: seat {case.giver} gives nothing in a self_draw")
        if len(case.winners) > 1:
            raise CaseError(f"winners: seats {_seats(case.winners)} cannot all draw one tile")
        return
    if case.giver == NONE:
        raise CaseError(f"from: missing; a {case.how} names the seat that gave the tile")
    if case.giver in case.winners:
        raise CaseError(f"winners: seat {case.giver} gave the tile and cannot win on it")
    if len(case.winners) > 1 and not rules.claims.multiple_winners:
        raise CaseError(f"winners: seats {_seats(case.winners)}, but these rules let only one seat win")
    if case.how == "rob_kong":
        _check_robbery(case, rules)
    elif case.last_tile and not rules.deal_end.last_tile_discard:
        raise CaseError("last_tile: these rules do not play out the last tile, so nobody can win on its discard")


def _check_drawn(case: Case) -> None:
    given: dict[str, Any] = {
        "winners": case.winners,
        "from": case.giver != NONE,
        "tile": case.tile != NONE,
        "hands": any(case.hands),
        "chain": case.chain,
        "last_tile": case.last_tile,
        "moment": case.moment,
    }
    for key, value in given.items():
        if value:
            raise CaseError(f"{key}: a drawn deal has none")


def _check_robbery(case: Case, rules: Ruleset) -> None:
    if not rules.kongs.rob_kong:
        raise CaseError("how: these rules do not let a kong be robbed")
    if case.last_tile:
        raise CaseError("last_tile: no kong can be added, and so robbed, on the last tile")
    if not rules.kongs.rob_after_concealed:
        concealed = {meld.tile for meld in case.melds[case.giver] if meld.kind == CONCEALED_KONG}
        for tile in case.chain:
            if tile in concealed:
                raise CaseError(
                    f"chain: under these rules the concealed kong of {name(tile)} keeps seat {case.giver}'s later kongs"
                    " from being robbed"
                )
    if not any(meld.kind == PUNG_MELD and meld.tile == case.tile for meld in case.melds[case.giver]):
        raise CaseError(
            f"tile: seat {case.giver} has no pung of {name(case.tile)} to grow; a robbed kong is listed as its pung"
        )
    if not case.chain:
        raise CaseError(f"chain: missing; in a rob_kong it ends with the robbed tile {name(case.tile)}")
    if case.chain[-1] != case.tile:
        raise CaseError(f"chain: ends with {name(case.chain[-1])}, not with the robbed tile {name(case.tile)}")


def _check_melds(case: Case, rules: Ruleset, seat: int) -> None:
    melds = case.melds[seat]
    if len(melds) > SEATS:
        raise CaseError(f"melds: seat {seat} has {len(melds)}; a hand has at most four")
    for meld in melds:
        if meld.kind == CONCEALED_KONG:
            continue
        if meld.giver == NONE:
            raise CaseError(f"melds: seat {seat}: {str(meld)!r} lacks the seat that gave its tile, as in '{meld} <0'")
        if meld.giver == seat:
            raise CaseError(f"melds: seat {seat}: {str(meld)!r} is made from the seat's own discard")
        if meld.kind == CHOW_MELD:
            if not rules.claims.chow:
                raise CaseError(f"melds: seat {seat}: {str(meld)!r}, but these rules have no chow")
            if meld.giver != (seat - 1) % SEATS:
                raise CaseError(
                    f"melds: seat {seat}: {str(meld)!r}; a chow comes from the previous seat, {(seat - 1) % SEATS}"
                )


def _check_size(case: Case, seat: int) -> None:
    held = len(case.hands[seat])
    right = 13 - 3 * len(case.melds[seat])
    if held != right and (held or seat in case.winners):
        raise CaseError(
            f"hands: seat {seat} has {held} concealed tiles beside {len(case.melds[seat])} melds; {right} expected"
            + (" (without the winning tile)" if seat in case.winners else "")
        )


def _check_chain(case: Case) -> None:
    """The chain's kongs are the seat's, and nothing was made after them."""
    if not case.chain:
        return
    seat = case.chain_seat
    if len(set(case.chain)) < len(case.chain):
        raise CaseError(f"chain: one kind twice: {', '.join(name(tile) for tile in case.chain)}")
    made = case.chain[:-1] if case.how == "rob_kong" else case.chain
    kongs = {meld.tile: meld for meld in case.melds[seat] if meld.kind in (DIRECT_KONG, ADDED_KONG, CONCEALED_KONG)}
    for position, tile in enumerate(made):
        if tile not in kongs:
            raise CaseError(f"chain: seat {seat} has no kong of {name(tile)}")
        if position and kongs[tile].kind == DIRECT_KONG:
            raise CaseError(f"chain: {name(tile)}: only the first kong of a chain can be direct")
    # Added kongs stand at their pung's place; the others are the last melds made, in order.
    laid = [tile for tile in made if kongs[tile].kind != ADDED_KONG]
    if laid and [meld.tile for meld in case.melds[seat]][-len(laid) :] != laid:
        raise CaseError(
            f"chain: seat {seat}'s melds do not end with {', '.join(name(tile) for tile in laid)}; nothing but kongs"
            " is made between a chain and its win"
        )


def _check_moment(case: Case) -> None:
    if case.moment is None:
        return
    if case.last_tile:
        raise CaseError(f"moment: {case.moment} and last_tile exclude each other")
    if case.moment == "first_discard":
        _check_first_discard(case)
        return
    if case.how != "self_draw":
        raise CaseError(f"moment: {case.moment} is a self_draw, not a {case.how}")
    winner = case.winners[0]
    if case.moment == "dealt":
        if winner != case.dealer:
            raise CaseError(f"moment: dealt tiles win only for the dealer, seat {case.dealer}, not seat {winner}")
        if any(case.melds):
            raise CaseError("moment: with the dealt tiles nobody has a meld yet")
        return
    if winner == case.dealer:
        raise CaseError(f"moment: first_draw is for the others; seat {winner} is the dealer")
    for seat in range(SEATS):
        turn_passed = (seat - case.dealer) % SEATS < (winner - case.dealer) % SEATS
        for meld in case.melds[seat]:
            if meld.kind != CONCEALED_KONG or not turn_passed:
                raise CaseError(f"moment: first_draw, but seat {seat} has already made {str(meld)!r}")


def _check_first_discard(case: Case) -> None:
    if case.how != "discard" or case.giver != case.dealer:
        raise CaseError(f"moment: first_discard is a discard of the dealer, seat {case.dealer}")
    for seat in range(SEATS):
        for meld in case.melds[seat]:
            if seat != case.dealer or meld.kind != CONCEALED_KONG:
                raise CaseError(f"moment: first_discard, but seat {seat} has already made {str(meld)!r}")
    if [meld.tile for meld in case.melds[case.dealer]] != list(case.chain):
        raise CaseError("chain: before the first discard the dealer's kongs are the chain")


def _check_fish(case: Case, rules: Ruleset) -> None:
    if any(case.fish) and not rules.fishing.enabled:
        raise CaseError("fish: these rules have no fishing")
    for owner, tiles in enumerate(case.fish):
        if len(tiles) > rules.fishing.max_labels:
            raise CaseError(f"fish: seat {owner} has {len(tiles)}; these rules allow {rules.fishing.max_labels}")


def _check_horses(case: Case, rules: Ruleset) -> None:
    if not case.horses:
        return
    if not rules.horses.enabled:
        raise CaseError("horses: these rules have none")
    if case.how == "drawn":
        raise CaseError("horses: a drawn deal has none")
    if len(case.horses) > rules.horses.number:
        raise CaseError(f"horses: {len(case.horses)} turned over; these rules turn over {rules.horses.number}")


def _check_copies(case: Case) -> None:
    """No fifth tile of a kind; the winning tile is one tile, however many win on it."""
    tiles = [tile for hand in case.hands for tile in hand]
    tiles += [tile for melds in case.melds for meld in melds for tile in meld.tiles]
    tiles += [tile for owned in case.fish for tile in owned]
    tiles += case.horses
    if case.tile != NONE:
        tiles.append(case.tile)
    try:
        counts_of(tiles)
    except TilesError as error:
        raise CaseError(f"tiles: {error}") from None


def _complaint(error: ValidationError) -> str:
    """Say what is wrong with the first key."""
    detail = error.errors(include_url=False)[0]
    key = show_path(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"{key}: there is no such key in a score case"
    if detail["type"] == "missing":
        return f"{key}: missing"
    value = detail["input"]
    shown = quoted(value) if isinstance(value, str) else "the value" if isinstance(value, list | dict) else show(value)
    return f"{key}: {shown}: {_PHRASES.get(detail['type'], detail['msg'][0].lower() + detail['msg'][1:])}"


_PHRASES: Final = {
    "int_type": "a whole number expected",
    "string_type": "a text expected",
    "bool_type": "true or false expected",
    "list_type": "a list expected",
    "dict_type": "a table expected",
    "less_than_equal": "seats are 0 to 3",
    "greater_than_equal": "seats are 0 to 3",
    "too_short": "four entries expected, one a seat",
    "too_long": "four entries expected, one a seat",
}


def _seats(seats: Any) -> str:
    return ", ".join(str(seat) for seat in seats)
