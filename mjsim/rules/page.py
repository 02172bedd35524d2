"""A ruleset as a page: every key with its value and meaning, and what differs between two rulesets."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from mjsim.rules.check import Path, show
from mjsim.rules.model import Ruleset
from mjsim.rules.prices import EventPrices, HandPrices, LiabilityLine
from mjsim.rules.settings import key_paths
from mjsim.rules.shape import NO_SUCH_THING
from mjsim.rules.words import TERMS, meaning

Words = tuple[str, str]
"""The same in English and in Chinese."""


@dataclass(frozen=True)
class Key:
    """One key of a ruleset.

    Attributes
    ----------
    path : str
        Full path.
    value : bool, int, str or None
        As in the file; None for a table, whose own keys follow.
    words : (str, str)
        What it means, in English and in Chinese.
    """

    path: str
    value: Any
    words: Words

    @property
    def written(self) -> str:
        """The value as a TOML file has it; nothing for a table."""
        return "" if self.value is None else show(self.value)


@dataclass(frozen=True)
class Difference:
    """A key with different values in two rulesets; for an event that only one has the value is its whole table."""

    path: str
    first: Any
    second: Any
    words: Words


def groups(rules: Ruleset) -> dict[str, list[Key]]:
    """Return the keys of each of a ruleset's tables but the heading, in the order of the file.

    >>> from mjsim.rules import load_rules
    >>> [(key.path, key.written) for key in groups(load_rules("liuzhou"))["pass_lock"]]
    [('pass_lock.enabled', 'true')]
    """
    values = rules.to_dict()
    found: dict[str, list[Key]] = {name: [] for name in type(rules).model_fields if name != "ruleset"}
    for path in _paths():
        if path[0] == "ruleset" or len(path) == 1:
            continue
        above = _value(values, path[:-1])
        if isinstance(above, dict):
            value = above.get(path[-1], NO_SUCH_THING)
            value = None if isinstance(value, dict) else value
            found[path[0]].append(Key(".".join(path), value, meaning(path)))
    return found


def _paths() -> Iterator[Path]:
    """Yield every key and every table, each table before its own keys."""
    seen: set[Path] = set()
    for path in key_paths(Ruleset):
        for length in range(1, len(path) + 1):
            if path[:length] not in seen:
                seen.add(path[:length])
                yield path[:length]


def _value(values: dict[str, Any], path: Path) -> Any:
    """Return what stands at `path`; "none" for an event that is absent, nothing below it."""
    here: Any = values
    for name in path:
        if not isinstance(here, dict):
            return None
        here = here.get(name, NO_SUCH_THING)
    return here


def differences(first: Ruleset, second: Ruleset) -> list[Difference]:
    """Return the keys whose values differ, in the order of the file; names and titles are left out.

    >>> from mjsim.rules import load_rules
    >>> [(each.path, each.first, each.second) for each in differences(load_rules("liuzhou"),
    ...     load_rules("liuzhou", rob_kong=False))]
    [('kongs.rob_kong', True, False)]
    """
    found = []
    ours, theirs = first.to_dict(), second.to_dict()
    for path in _paths():
        one, other = _value(ours, path), _value(theirs, path)
        comparable = one is not None and other is not None and not (isinstance(one, dict) and isinstance(other, dict))
        if path[0] != "ruleset" and comparable and one != other:
            found.append(Difference(".".join(path), one, other, meaning(path)))
    return found


def inline(value: Any) -> str:
    """Write a value as TOML, a table in one line.

    >>> inline({"units": 1, "payer": "usual"})
    '{ units = 1, payer = "usual" }'
    """
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {inline(inner)}" for key, inner in value.items()) + " }"
    return show(value)


# Names of the lines of price tables.

_QUADS: Final = {0: ("", ""), 1: (", 1 quad", "，豪华"), 2: (", 2 quads", "，双豪华"), 3: (", 3 quads", "，三豪华")}
_KONGS: Final = {"exposed": ("exposed kong", "明杠"), "concealed": ("concealed kong", "暗杠")}
_LIABILITY: Final = {
    "giver_to_maker": ("the giver discards to the maker", "供牌者点炮给收牌者"),
    "third_to_maker": ("a third seat discards to the maker", "第三家点炮给收牌者"),
    "giver_to_third": ("the giver discards to a third seat", "供牌者点炮给第三家"),
    "self_draw": ("the maker draws the winning tile", "收牌者自摸"),
}
PAYERS: Final = {
    "each": ("each", "三家各付"),
    "giver": ("the giver alone", "供牌者包三家"),
    "discarder": ("the discarder", "点炮者"),
}


def hand_words(line: HandPrices) -> Words:
    """Name a line of the table of hands.

    >>> hand_words(HandPrices(("full_flush", "seven_pairs"), 2, None, 64, None, 96))
    ('full flush, seven pairs, 2 quads', '清一色、小七对，双豪华')
    """
    names = [TERMS[name] for name in line.types] or [TERMS["ordinary"]]
    english, chinese = ", ".join(en for en, _ in names), "、".join(zh for _, zh in names)
    return english + _QUADS[line.quads][0], chinese + _QUADS[line.quads][1]


def event_words(line: EventPrices) -> Words:
    """Name a line of the table of events.

    >>> event_words(EventPrices("replacement_win", 2, "exposed", "giver", 36, 48, 72, 96))
    ('replacement win, exposed kong, chain of 2', '杠上花，明杠，连杠 2')
    """
    english, chinese = TERMS[line.event]
    if line.kong is not None:
        english, chinese = f"{english}, {_KONGS[line.kong][0]}", f"{chinese}，{_KONGS[line.kong][1]}"
    if line.chain is not None:
        english, chinese = f"{english}, chain of {line.chain}", f"{chinese}，连杠 {line.chain}"
    return english, chinese


def liability_words(line: LiabilityLine) -> Words:
    """Name a line of the table of liability."""
    return _LIABILITY[line.line]
