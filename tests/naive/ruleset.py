"""In which points the three rulesets play differently, and the options that each has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ruleset:
    """How a deal is played under one ruleset; what it pays is settled elsewhere.

    Attributes
    ----------
    name : str
        As a replay names it.
    options : mapping
        What a table of players may change, with the defaults.
    scoring_options : tuple of str
        The options that a settlement depends on; a score case repeats those that differ from the default.
    switches : mapping
        What is an option of another ruleset and fixed in this one.
    undrawn : int
        Live tiles that are never drawn normally: the last tile is the draw that leaves so many, or fewer.
    last_claims : bool
        Whether a discard after the last tile may be punged and konged, and not only won.
    priceless_ordinary : bool
        Whether an ordinary hand without an event is worth nothing on a discard, so that it cannot win.
    seals : bool
        Whether the giver of three melds may not win any more.
    insured_kongs : bool
        Whether a concealed kong keeps the added kongs after it in the chain from being robbed.
    horses : int
        How many tiles a single winner turns over.
    kong_that_pays : str
        The kong of a chain whose giver pays a replacement win: ``last`` or ``first`` one, if it is exposed, or
        ``first exposed``.
    kong_discard_pays_for_all : bool
        Whether a discard after a kong costs its giver three shares.
    """

    name: str
    options: Mapping[str, Any]
    scoring_options: tuple[str, ...]
    switches: Mapping[str, Any]
    undrawn: int
    last_claims: bool
    priceless_ordinary: bool
    seals: bool
    insured_kongs: bool
    horses: int
    kong_that_pays: str
    kong_discard_pays_for_all: bool

    def options_with(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options and switches after some options are given."""
        unknown = set(given) - set(self.options)
        if unknown:
            raise ValueError(f"{self.name} has no such option: {sorted(unknown)}")
        return {**self.switches, **self.options, **given}

    def scored(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the options that a score case must repeat."""
        return {key: options[key] for key in self.scoring_options if options[key] != self.options[key]}


NO_CHOW_NO_FISH_NO_LOCK = {"chow": False, "fishing": False, "pass_lock": False, "max_labels": 0, "reserve": "all"}

RULESETS = {
    "liuzhou": Ruleset(
        name="liuzhou",
        options={
            "chow": True,
            "fishing": True,
            "last_tile_discard": True,
            "max_labels": 2,
            "pass_lock": True,
            "reserve": "all",
            "rob_kong": True,
            "third_party": True,
        },
        scoring_options=("rob_kong", "third_party"),
        switches={"ordinary_discard": 0},
        undrawn=0,
        last_claims=False,
        priceless_ordinary=False,
        seals=False,
        insured_kongs=False,
        horses=0,
        kong_that_pays="last",
        kong_discard_pays_for_all=True,
    ),
    "nanning_folk": Ruleset(
        name="nanning_folk",
        options={
            "dead_double": False,
            "human_hand": "single",
            "last_tile_discard": True,
            "ordinary_discard": 0,
            "rob_kong": True,
        },
        scoring_options=("dead_double", "human_hand", "ordinary_discard", "rob_kong"),
        switches=NO_CHOW_NO_FISH_NO_LOCK,
        undrawn=4,
        last_claims=True,
        priceless_ordinary=True,
        seals=True,
        insured_kongs=True,
        horses=0,
        kong_that_pays="first exposed",
        kong_discard_pays_for_all=False,
    ),
    "nanning_laiyouxi": Ruleset(
        name="nanning_laiyouxi",
        options={
            "concealed_kong_scale": "discard",
            "last_tile_discard": True,
            "ordinary_discard": 0,
            "rob_kong": True,
        },
        scoring_options=("concealed_kong_scale", "ordinary_discard", "rob_kong"),
        switches=NO_CHOW_NO_FISH_NO_LOCK,
        undrawn=4,
        last_claims=True,
        priceless_ordinary=True,
        seals=True,
        insured_kongs=False,
        horses=4,
        kong_that_pays="first",
        kong_discard_pays_for_all=False,
    ),
}
