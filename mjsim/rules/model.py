"""What a ruleset is: frozen tables of numbers and switches, in the shape of the TOML files beside this module."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, model_validator
from pydantic.annotated_handlers import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from mjsim.rules.check import Origins, contradiction, plain_tables, validated
from mjsim.rules.settings import key_paths, merge_tables, nested_settings

LARGEST_RESULT = 2**31 - 1  # points are stored in int32 columns
NO_SUCH_THING = "none"


class _NoneInSchema:
    """Writes `"none"` where pydantic's JSON Schema would write null, which TOML has not."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core)
        for option in schema["anyOf"]:
            if option.get("type") == "null":
                option.clear()
                option["const"] = NO_SUCH_THING
        return schema


def _read_none(value: object) -> object:
    return None if isinstance(value, str) and value == NO_SUCH_THING else value


def _drop_table_defaults(schema: dict[str, Any]) -> None:
    for key in schema["properties"].values():
        if key.get("default", "") is None or isinstance(key.get("default"), dict):
            del key["default"]


Points = Annotated[int, Field(ge=0, le=1_000_000)]
PointsOrNone = Annotated[Points | None, BeforeValidator(_read_none), _NoneInSchema()]
Factor = Annotated[int, Field(ge=1, le=100)]
Times = Annotated[int, Field(ge=0, le=100)]
UnitCount = Annotated[int, Field(ge=0, le=10)]


class Table(BaseModel):
    """One table of a ruleset: frozen, strict about types, closed to unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", json_schema_extra=_drop_table_defaults)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Yield each key that contradicts another one in this table, and what is wrong."""
        yield from ()

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        found = list(self.contradictions())
        if found:
            raise contradiction(found)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain nested dicts shaped and ordered as the TOML file: defaults included, absent events not."""
        tables: dict[str, Any] = {}
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if isinstance(value, Table):
                tables[name] = value.to_dict()
            elif value is not None:
                tables[name] = value
            elif field.is_required():
                tables[name] = NO_SUCH_THING
        return tables


class Title(Table):
    """A ruleset's title in two languages."""

    en: str = Field(min_length=1, max_length=200, description="Title in English.")
    zh: str = Field(min_length=1, max_length=200, description="Title in Chinese.")


class About(Table):
    """A sentence or two about a ruleset in two languages."""

    en: str = Field(min_length=1, max_length=2000, description="What marks these rules out, in English.")
    zh: str = Field(min_length=1, max_length=2000, description="What marks these rules out, in Chinese.")


class Heading(Table):
    """How a ruleset is called."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", description="Short name, for commands and columns.")
    title: Title = Field(description="Title for people.")
    about: About = Field(description="What marks these rules out.")


class Claims(Table):
    """What may be claimed from a discard."""

    chow: bool = Field(description="A chow may be claimed from the previous seat.")
    multiple_winners: bool = Field(
        description="Every seat that can win on a tile may; else the first in playing order."
    )


class Prices(Table):
    """Points of a win before events, by hand; "none": there is no such win."""

    ordinary: PointsOrNone = Field(description="A hand without units that is not concealed.")
    ordinary_concealed: PointsOrNone = Field(description="A concealed hand without units.")
    special: PointsOrNone = Field(description="A hand with one unit that is not concealed.")
    special_concealed: PointsOrNone = Field(description="A concealed hand with one unit.")

    def largest(self) -> int | None:
        """Return the highest price; None when there is no such win at all."""
        prices = (self.ordinary, self.ordinary_concealed, self.special, self.special_concealed)
        return max((price for price in prices if price is not None), default=None)


class Value(Table):
    """Points of a win before events."""

    step: int = Field(ge=1, le=10, description="Each unit past the first multiplies the points by this.")
    self_draw: Prices = Field(description="What each of the three others pays on a self-draw.")
    discard: Prices = Field(description="What the discarder pays on a discard.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Refuse rules under which nobody can win."""
        if self.self_draw.largest() is None and self.discard.largest() is None:
            yield "self_draw", 'every price, also under value.discard, is "none": nobody could ever win'


class HandUnits(Table):
    """Units that one hand type adds."""

    self_draw: UnitCount = Field(description="Units on a self-draw.")
    discard: UnitCount = Field(description="Units on another seat's tile.")


class Units(Table):
    """Units of each hand type; a hand without any is ordinary."""

    all_pungs: HandUnits = Field(description="Four pungs or kongs and a pair.")
    full_flush: HandUnits = Field(description="One numbered suit, no honours.")
    seven_pairs: HandUnits = Field(description="Seven pairs; four equal tiles count as two.")
    quad: HandUnits = Field(description="Each four equal tiles of seven pairs.")
    melded_hand: HandUnits = Field(description="Four exposed melds and a single tile waiting for its pair.")

    def largest(self, mode: Literal["self_draw", "discard"]) -> int:
        """Return the most units one hand can have: seven pairs exclude all pungs and melds; they hold three quads."""
        pairs = getattr(self.seven_pairs, mode) + 3 * getattr(self.quad, mode)
        sets = getattr(self.all_pungs, mode) + getattr(self.melded_hand, mode)
        return int(max(pairs, sets) + getattr(self.full_flush, mode))


class _EventWorth(Table):
    """What every event has."""

    factor: Factor = Field(default=1, description="Multiplies the share.")
    units: UnitCount = Field(default=0, description="Adds units to the hand instead.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Refuse an event that says nothing of its worth, or multiplies and adds units at once."""
        if not {"factor", "units"} & self.model_fields_set:
            yield "factor", "missing; an event needs factor, a whole number from 1 to 100, or units, from 0 to 10"
        if self.factor > 1 and self.units > 0:
            yield "units", f"{self.units} units beside factor = {self.factor}; set factor = 1 or units = 0"


class Event(_EventWorth):
    """Something on the way to a win that may change its worth."""

    payer: Literal["usual"] = Field(default="usual", description="Who pays; this event does not change it.")


class KongDiscard(_EventWorth):
    """A win on the discard that follows a kong's replacement."""

    payer: Literal["usual", "discarder"] = Field(
        default="usual", description='"discarder": he pays the shares of all three; "usual": his own.'
    )


class ReplacementWin(_EventWorth):
    """A self-draw on the replacement tile of a kong."""

    payer: Literal["usual", "giver"] = Field(
        default="usual", description='"giver": who gave an exposed kong\'s tile pays the shares of all three.'
    )
    decided_by: Literal["first", "last"] = Field(description="Which kong of a chain decides who pays.")
    concealed_ordinary: PointsOrNone = Field(
        default=None,
        description='What each pays for an ordinary hand after a concealed kong, factor included; "none": as usual.',
    )


EventOrNone = Annotated[Event | None, BeforeValidator(_read_none), _NoneInSchema()]
KongDiscardOrNone = Annotated[KongDiscard | None, BeforeValidator(_read_none), _NoneInSchema()]
ReplacementWinOrNone = Annotated[ReplacementWin | None, BeforeValidator(_read_none), _NoneInSchema()]


class Events(Table):
    """What happens on the way to a win; an event that is absent or "none" is never named and has no effect."""

    last_tile_draw: EventOrNone = Field(default=None, description="A self-draw of the last tile.")
    last_tile_claim: EventOrNone = Field(
        default=None, description="A win on a discard made after the last tile was drawn."
    )
    kong_discard: KongDiscardOrNone = Field(
        default=None, description="A win on the discard after a kong's replacement."
    )
    robbing_kong: EventOrNone = Field(default=None, description="A win on the tile that another seat adds to a pung.")
    replacement_win: ReplacementWinOrNone = Field(default=None, description="A self-draw on a kong's replacement.")


class Kongs(Table):
    """Kong money, settled apart from the hand, and robbing."""

    exposed: Points = Field(description="Points for a direct or added kong, from the seat that gave the tile.")
    concealed: Points = Field(description="Points for a concealed kong, from each.")
    rob_kong: bool = Field(description="The tile of an added kong may be won on.")


class Liability(Table):
    """Three-meld liability: what the giver pays the maker beyond the usual, in times the value of the win."""

    enabled: bool = Field(description="Liability is in force.")
    melds: int = Field(ge=2, le=4, description="From how many melds fed by one giver on.")
    chow_counts: bool = Field(description="Chows count among these melds.")
    third_party: bool = Field(description="The giver pays too when a third seat discards to the maker.")
    giver_to_maker: Times = Field(description="Times the value when the giver discards to the maker.")
    giver_to_third: Times = Field(description="Times the value when the giver discards to a third seat.")
    third_to_maker: Times = Field(description="Times the value when a third seat discards to the maker.")
    self_draw: Times = Field(description="Times the value when the maker draws the winning tile himself.")

    def largest(self) -> int:
        """Return the highest of the lines, in times the value; 0 when there is no liability."""
        lines = (self.giver_to_maker, self.giver_to_third, self.third_to_maker, self.self_draw)
        return max(lines) if self.enabled else 0


class PassLock(Table):
    """Who lets a win on a discard go may not win on that kind until his next draw."""

    enabled: bool = Field(description="The lock is in force.")


class DealEnd(Table):
    """How a deal without a winner ends."""

    last_tile_discard: bool = Field(
        description="The last drawn tile is played out: its drawer discards, and it may be won on."
    )


class Fishing(Table):
    """The side bet on other players' results."""

    enabled: bool = Field(description="Players may take fish labels.")
    max_labels: int = Field(ge=0, le=2, description="How many labels one player may take.")
    reserve: Literal["all", "picked"] = Field(
        description='"all": the last eight tiles are never drawn; "picked": only the picked ones are set apart.'
    )

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Refuse fishing without labels."""
        if self.enabled and self.max_labels == 0:
            yield "max_labels", "0 beside fishing.enabled = true; set fishing.enabled = false to play without fish"


class Ruleset(Table):
    """A complete, validated set of rules; `mjsim.load_rules` makes one.

    Two rulesets are equal when every key is, wherever they were read from.
    """

    ruleset: Heading = Field(description="How the ruleset is called.")
    claims: Claims = Field(description="What may be claimed from a discard.")
    value: Value = Field(description="Points of a win before events.")
    units: Units = Field(description="Units of each hand type.")
    events: Events = Field(default=Events(), description="What happens on the way to a win.")
    kongs: Kongs = Field(description="Kong money and robbing.")
    liability: Liability = Field(description="Three-meld liability.")
    pass_lock: PassLock = Field(description="The lock after a win let go.")
    deal_end: DealEnd = Field(description="How a deal without a winner ends.")
    fishing: Fishing = Field(description="The side bet on other players' results.")

    _source: str = PrivateAttr(default="")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], source: str = "ruleset", origins: Origins | None = None) -> Self:
        """Validate a complete ruleset given as nested dicts in the shape of the TOML file.

        Parameters
        ----------
        data : mapping
            What :meth:`to_dict` returns, or a parsed TOML file without `extends`.
        source : str
            Where it came from, for messages.
        origins : Origins, optional
            Where every single key came from, when it was not one place.

        Raises
        ------
        RulesError
            With a line for everything that is wrong.
        """
        ruleset = validated(cls, plain_tables(data), origins or Origins(source))
        ruleset._source = source
        return ruleset

    @property
    def name(self) -> str:
        """Short name."""
        return self.ruleset.name

    @property
    def title(self) -> Title:
        """Title in English (`en`) and Chinese (`zh`)."""
        return self.ruleset.title

    @property
    def source(self) -> str:
        """The built-in name or the file this ruleset was read from; no part of equality or of :meth:`to_dict`."""
        return self._source

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, Ruleset) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in type(self).model_fields))

    def digest(self) -> str:
        """Return the SHA-256 of the rules as canonical JSON, in hexadecimal: equal rules, equal digests."""
        canonical = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()

    def with_overrides(self, settings: Mapping[str, Any]) -> Self:
        """Return this ruleset with some keys changed, each named by its full path or a unique last name.

        Examples
        --------
        >>> from mjsim.rules import load_rules
        >>> load_rules("liuzhou").with_overrides({"reserve": "picked"}).fishing.reserve
        'picked'
        """
        origins = Origins(self.source or self.name)
        data = self.to_dict()
        label = f"setting for {self.source or self.name}"
        merge_tables(data, nested_settings(type(self), settings), label, origins)
        return self.from_dict(data, self.source, origins)

    def largest_share(self) -> int:
        """Return a bound on what one payer's share of a win can be, events included."""
        draw, last_draw = self.events.replacement_win, self.events.last_tile_draw
        on_draw = self._largest_price("self_draw", [draw, last_draw])
        if draw is not None and draw.concealed_ordinary is not None:
            on_draw = max(on_draw, draw.concealed_ordinary * (last_draw.factor if last_draw is not None else 1))
        on_discard = self._largest_price("discard", [self.events.kong_discard, self.events.last_tile_claim])
        on_robbing = self._largest_price("discard", [self.events.robbing_kong])
        return max(on_draw, on_discard, on_robbing)

    def _largest_price(self, mode: Literal["self_draw", "discard"], events: list[_EventWorth | None]) -> int:
        units, factor = self.units.largest(mode), 1
        for event in events:
            if event is not None:
                units += event.units
                factor *= event.factor
        price: int = getattr(self.value, mode).largest() or 0
        return price * factor * int(self.value.step ** max(units - 1, 0))

    def largest_result(self) -> int:
        """Return a bound on the points that one seat can win or lose in a deal.

        One seat may pay three shares to each of three winners; each win can move four liability links (two givers of
        the winner, two other makers fed by the discarder), each of them some times three shares; one seat can pay for
        twelve kongs. Each of eight fish repeats at most all of that.
        """
        hand = 3 * 3 * self.largest_share() * (1 + 4 * self.liability.largest())
        kongs = 12 * max(self.kongs.exposed, self.kongs.concealed)
        fish = min(8, 4 * self.fishing.max_labels) if self.fishing.enabled else 0
        return (hand + kongs) * (1 + fish)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Refuse rules whose points might not fit the columns."""
        if self.largest_result() > LARGEST_RESULT:
            yield (
                "value",
                f"with these prices, step, units, factors, kongs and liability one seat could win or lose more than"
                f" {LARGEST_RESULT} points in a deal, the most that can be stored",
            )


def option_names(ruleset: Ruleset) -> tuple[str, ...]:
    """Return the full paths of the keys that settings can change, in the ruleset's order; absent events are left out.

    >>> from mjsim.rules import load_rules
    >>> [name for name in option_names(load_rules("liuzhou")) if name.startswith("fishing.")]
    ['fishing.enabled', 'fishing.max_labels', 'fishing.reserve']
    """
    paths = [path for path in key_paths(type(ruleset)) if path[0] != "ruleset"]
    absent = {path for path in paths if path[0] == "events" and getattr(ruleset.events, path[1]) is None}
    return tuple(".".join(path) for path in paths if path not in absent)
