"""What a ruleset is: frozen tables of numbers and switches, in the shape of the TOML files beside this module."""

import hashlib
import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, PrivateAttr

from mjsim.rules.check import Origins, plain_tables, validated
from mjsim.rules.events import Events, EventWorth
from mjsim.rules.settings import key_paths, merge_tables, nested_settings
from mjsim.rules.shape import Points, PointsOrNone, Table, Times, UnitCount

LARGEST_RESULT = 2**31 - 1  # points are stored in int32 columns


class _Words(Table):
    """Words for people in two languages."""

    en: str
    zh: str

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Refuse characters that are no writing: terminals obey some of them, and others hide or turn text round."""
        for key in ("en", "zh"):
            found = next((c for c in getattr(self, key) if unicodedata.category(c)[0] == "C" and c != "\n"), None)
            if found is not None:
                yield key, f"a control character, U+{ord(found):04X}; write plain text"


class Title(_Words):
    """A ruleset's title in two languages."""

    en: str = Field(min_length=1, max_length=200, description="Title in English.")
    zh: str = Field(min_length=1, max_length=200, description="Title in Chinese.")


class About(_Words):
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


class SelfDrawPrices(Table):
    """What each of the three others pays on a self-draw, before events; "none": there is no such win."""

    ordinary: PointsOrNone = Field(description="A hand without units that is not concealed.")
    ordinary_concealed: PointsOrNone = Field(description="A concealed hand without units.")
    special: PointsOrNone = Field(description="A hand with one unit that is not concealed.")
    special_concealed: PointsOrNone = Field(description="A concealed hand with one unit.")


class DiscardPrices(Table):
    """What the discarder pays, before events; "none": there is no such win."""

    special: PointsOrNone = Field(description="A hand with one unit that is not concealed.")
    special_concealed: PointsOrNone = Field(description="A concealed hand with one unit.")


class Value(Table):
    """Points of a win before events."""

    step: int = Field(ge=1, le=10, description="Each unit past the first multiplies the points by this.")
    self_draw: SelfDrawPrices = Field(description="What each of the three others pays on a self-draw.")
    discard: DiscardPrices = Field(description="What the discarder pays on a discard.")
    ordinary_discard: PointsOrNone = Field(
        description='What the discarder pays for a hand without units, concealed or not; "none": it cannot win so.'
    )

    def largest(self, mode: Literal["self_draw", "discard"]) -> int | None:
        """Return the highest price; None when there is no such win at all."""
        prices = list(getattr(self, mode).model_dump().values())
        if mode == "discard":
            prices.append(self.ordinary_discard)
        return max((price for price in prices if price is not None), default=None)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Refuse rules under which nobody can win."""
        if self.largest("self_draw") is None and self.largest("discard") is None:
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


class Kongs(Table):
    """Kong money, settled apart from the hand, and robbing."""

    exposed: Points = Field(description="Points for a direct or added kong, from the seat that gave the tile.")
    concealed: Points = Field(description="Points for a concealed kong, from each.")
    rob_kong: bool = Field(description="The tile of an added kong may be won on.")
    rob_after_concealed: bool = Field(description="Also with a concealed kong before it in the chain.")


class Liability(Table):
    """Three-meld liability: what the giver pays the maker beyond the usual, in times the value of the win."""

    enabled: bool = Field(description="Liability is in force.")
    melds: int = Field(ge=3, le=4, description="From how many melds fed by one giver on.")
    chow_counts: bool = Field(description="Chows count among these melds.")
    giver_may_win: bool = Field(description="The giver may win himself; false: he is sealed for the deal.")
    third_party: bool = Field(description="The giver pays too when a third seat discards to the maker.")
    giver_to_maker: Times = Field(description="Times the value when the giver discards to the maker.")
    giver_to_third: Times = Field(description="Times the value when the giver discards to a third seat.")
    third_to_maker: Times = Field(description="Times the value when a third seat discards to the maker.")
    self_draw: Times = Field(description="Times the share when the maker draws the winning tile himself.")
    giver_alone: bool = Field(description="On a self-draw the giver pays in place of everyone, a kong's giver too.")
    dead_double: bool = Field(description="Whatever the giver pays for a win of his maker is doubled.")

    def largest(self) -> int:
        """Return the highest of the lines, in times the value; 0 when there is no liability."""
        lines = (self.giver_to_maker, self.giver_to_third, self.third_to_maker, self.self_draw)
        return (2 * max(lines) + 1 if self.dead_double else max(lines)) if self.enabled else 0


class PassLock(Table):
    """Who lets a win on a discard go may not win on that kind until his next draw."""

    enabled: bool = Field(description="The lock is in force.")


class DealEnd(Table):
    """How a deal without a winner ends."""

    tiles_left: int = Field(ge=0, le=20, description="Normal draws end when so many live tiles are left.")
    last_tile_discard: bool = Field(
        description="The last drawn tile is played out: its drawer discards, and it may be won on."
    )
    last_tile_claims: bool = Field(description="Discards after the last draw may also be punged or konged.")


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


class Horses(Table):
    """Tiles turned over after a win that multiply what is paid for it."""

    enabled: bool = Field(description="A single winner turns over horses.")
    number: int = Field(ge=1, le=4, description="How many, if so many tiles are left.")


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
    horses: Horses = Field(description="Tiles that multiply what a win pays.")

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
        events = self.events
        first = [events.heavenly_hand, events.earthly_hand, events.human_hand]
        draw, last_draw = events.replacement_win, events.last_tile_draw
        on_draw = self._largest_price("self_draw", [draw, last_draw, *first])
        if draw is not None and draw.concealed_ordinary is not None:
            on_draw = max(on_draw, draw.concealed_ordinary * (last_draw.factor if last_draw is not None else 1))
        if draw is not None and draw.concealed_kong_scale == "discard":
            on_draw = max(on_draw, self._largest_price("discard", [draw, last_draw]))
        on_discard = [events.kong_discard, events.last_tile_claim, events.melded_discard, *first]
        on_robbing = [events.robbing_kong]
        fixed = max((each.fixed or 0 for each in first if each is not None), default=0)
        prices = (self._largest_price("discard", on_discard), self._largest_price("discard", on_robbing))
        return max(on_draw, fixed, *prices)

    def _largest_price(self, mode: Literal["self_draw", "discard"], events: Sequence[EventWorth | None]) -> int:
        units, factor = self.units.largest(mode), 1
        for event in events:
            if event is not None:
                units += event.largest_units()
                factor *= event.factor
        price = self.value.largest(mode) or 0
        return price * factor * int(self.value.step ** max(units - 1, 0))

    def largest_result(self) -> int:
        """Return a bound on the points that one seat can win or lose in a deal.

        One seat may pay three shares to each of three winners; each win can move four liability links (two givers of
        the winner, two other makers fed by the discarder), each of them some times three shares; one seat can pay for
        twelve kongs. Each of eight fish repeats at most all of that.
        """
        horses = 1 + self.horses.number if self.horses.enabled else 1
        hand = 3 * 3 * self.largest_share() * (1 + 4 * self.liability.largest()) * horses
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
