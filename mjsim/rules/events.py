"""Events on the way to a win: what each is worth, and who pays."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from mjsim.rules.shape import Factor, NoneInSchema, PointsOrNone, Table, UnitCount, read_none

Moment = Literal["dealt", "first_draw", "first_discard"]

#: What `human_hand = "double"` stands for.
DOUBLE_HUMAN_HAND = {"moment": "first_discard", "units": 2}


class EventWorth(Table):
    """What every event has."""

    factor: Factor = Field(default=1, description="Multiplies the share.")
    units: UnitCount = Field(default=0, description="Adds units to the hand instead.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Refuse an event that says nothing of its worth, or multiplies and adds units at once."""
        if not {"factor", "units", "fixed"} & self.model_fields_set:
            yield "factor", "missing; an event needs factor, a whole number from 1 to 100, or units, from 0 to 10"
        if self.factor > 1 and self.units > 0:
            yield "units", f"{self.units} units beside factor = {self.factor}; set factor = 1 or units = 0"

    def largest_units(self) -> int:
        """Return the most units this event can add."""
        return self.units


class Event(EventWorth):
    """Something on the way to a win that may change its worth."""

    payer: Literal["usual"] = Field(default="usual", description="Who pays; this event does not change it.")


class _KongEvent(EventWorth):
    """An event that comes with a chain of kongs."""

    per_kong: bool = Field(default=False, description="The units count once for each kong of the chain.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Refuse counting what is not there."""
        yield from super().contradictions()
        if self.per_kong and self.units == 0:
            yield "per_kong", "true beside units = 0; there is nothing to count"

    def largest_units(self) -> int:
        """Return the most units this event can add: a chain has at most four kongs."""
        return self.units * (4 if self.per_kong else 1)


class RobbingKong(_KongEvent):
    """A win on the tile of another seat's added kong."""

    payer: Literal["usual"] = Field(default="usual", description="Who pays; this event does not change it.")


class KongDiscard(_KongEvent):
    """A win on the discard that follows a kong's replacement."""

    payer: Literal["usual", "discarder"] = Field(
        default="usual", description='"discarder": he pays the shares of all three; "usual": his own.'
    )


class ReplacementWin(_KongEvent):
    """A self-draw on the replacement tile of a kong."""

    payer: Literal["usual", "giver"] = Field(
        default="usual",
        description='"giver": who gave the deciding kong\'s tile pays all three shares, if it is exposed.',
    )
    decided_by: Literal["first", "last", "first_exposed"] = Field(description="Which kong of a chain decides who pays.")
    concealed_ordinary: PointsOrNone = Field(
        default=None,
        description='What each pays for an ordinary hand after a concealed kong, factor included; "none": as usual.',
    )
    concealed_kong_scale: Literal["self_draw", "discard"] = Field(
        default="self_draw",
        description="Scale that prices all pungs or a full flush after a chain that a concealed kong decides.",
    )


class MeldedDiscard(EventWorth):
    """A win on the discard of a seat that itself holds a melded hand."""

    payer: Literal["usual"] = Field(default="usual", description="Who pays; this event does not change it.")
    beside_melded_hand: bool = Field(default=True, description="It adds to the winner's own melded hand.")


class FirstMoment(EventWorth):
    """A win at one of the first moments of a deal."""

    moment: Moment = Field(description="Which moment.")
    fixed: PointsOrNone = Field(
        default=None, description='The share, in place of the hand\'s own value and its events; "none": its own.'
    )

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Refuse a fixed share that is also multiplied."""
        yield from super().contradictions()
        if self.fixed is not None and (self.factor > 1 or self.units > 0):
            yield "fixed", f"{self.fixed} beside factor or units; nothing stacks on a fixed share"


def _read_human_hand(value: object) -> object:
    return DOUBLE_HUMAN_HAND if isinstance(value, str) and value == "double" else read_none(value)


EventOrNone = Annotated[Event | None, BeforeValidator(read_none), NoneInSchema()]
RobbingKongOrNone = Annotated[RobbingKong | None, BeforeValidator(read_none), NoneInSchema()]
KongDiscardOrNone = Annotated[KongDiscard | None, BeforeValidator(read_none), NoneInSchema()]
ReplacementWinOrNone = Annotated[ReplacementWin | None, BeforeValidator(read_none), NoneInSchema()]
MeldedDiscardOrNone = Annotated[MeldedDiscard | None, BeforeValidator(read_none), NoneInSchema()]
FirstMomentOrNone = Annotated[FirstMoment | None, BeforeValidator(read_none), NoneInSchema()]
HumanHandOrNone = Annotated[FirstMoment | None, BeforeValidator(_read_human_hand), NoneInSchema()]


class Events(Table):
    """What happens on the way to a win; an event that is absent or "none" is never named and has no effect."""

    last_tile_draw: EventOrNone = Field(default=None, description="A self-draw of the last tile.")
    last_tile_claim: EventOrNone = Field(
        default=None, description="A win on a discard made after the last tile was drawn."
    )
    kong_discard: KongDiscardOrNone = Field(
        default=None, description="A win on the discard after a kong's replacement."
    )
    robbing_kong: RobbingKongOrNone = Field(
        default=None, description="A win on the tile that another seat adds to a pung."
    )
    replacement_win: ReplacementWinOrNone = Field(default=None, description="A self-draw on a kong's replacement.")
    melded_discard: MeldedDiscardOrNone = Field(
        default=None, description="A win on the discard of a seat with four exposed melds and one tile."
    )
    heavenly_hand: FirstMomentOrNone = Field(default=None, description="The dealer's first win of all.")
    earthly_hand: FirstMomentOrNone = Field(default=None, description="The others' first win.")
    human_hand: HumanHandOrNone = Field(
        default=None, description='A win on the dealer\'s first discard; "double" stands for two units.'
    )
