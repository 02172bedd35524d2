"""mjsim: a fast and trustworthy laboratory for mahjong rules.

Everything here is loaded when it is first used, so that ``import mjsim`` costs nothing.

Examples
--------
>>> import mjsim
>>> from mjsim.tiles import counts_of, parse
>>> mjsim.shanten(counts_of(parse("1112345678999m")))
0
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mjsim.bits import count as count
    from mjsim.bits import has as has
    from mjsim.bits import lowest as lowest
    from mjsim.contract import player as player
    from mjsim.dataset.run import open_run as open_run
    from mjsim.hands.evaluate import best_discards as best_discards
    from mjsim.hands.evaluate import best_discards_many as best_discards_many
    from mjsim.hands.evaluate import effective_tiles as effective_tiles
    from mjsim.hands.evaluate import effective_tiles_many as effective_tiles_many
    from mjsim.hands.evaluate import is_complete as is_complete
    from mjsim.hands.evaluate import is_complete_many as is_complete_many
    from mjsim.hands.evaluate import shanten as shanten
    from mjsim.hands.evaluate import shanten_many as shanten_many
    from mjsim.hands.types import hand_types as hand_types
    from mjsim.hands.types import hand_types_many as hand_types_many
    from mjsim.rules import load_rules as load_rules
    from mjsim.scoring.answer import score as score
    from mjsim.simulation import simulate as simulate
    from mjsim.transcript.events import replay as replay
    from mjsim.wall import below as below
    from mjsim.wall import next_word as next_word
    from mjsim.wall import walls as walls

_HOMES = {
    "mjsim.bits": ("count", "has", "lowest"),
    "mjsim.dataset.run": ("open_run",),
    "mjsim.hands.evaluate": (
        "best_discards",
        "best_discards_many",
        "effective_tiles",
        "effective_tiles_many",
        "is_complete",
        "is_complete_many",
        "shanten",
        "shanten_many",
    ),
    "mjsim.hands.types": ("hand_types", "hand_types_many"),
    "mjsim.contract": (
        "player",
        "PASS",
        "WIN",
        "DISCARD",
        "CHOW_LOW",
        "CHOW_MIDDLE",
        "CHOW_HIGH",
        "PUNG",
        "KONG",
        "KONG_ADDED",
        "KONG_CONCEALED",
        "FISH",
    ),
    "mjsim.transcript.events": ("replay",),
    "mjsim.rules": ("load_rules",),
    "mjsim.scoring.answer": ("score",),
    "mjsim.simulation": ("simulate",),
    "mjsim.wall": ("below", "next_word", "walls"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, "__version__"])  # noqa: PLE0605  # the names are strings; the list is computed


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("mjsim")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'mjsim' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
