"""``mjsim rules coverage``: in how many deals each line of the rules fired."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from mjsim.cli.output import print_rows
from mjsim.cli.playing import INTERRUPTED, KERNEL
from mjsim.cli.progress import announce_compiling, deal_progress, say
from mjsim.coverage import GROUPS, LINES, Coverage, Line, cover
from mjsim.engine import check_deals
from mjsim.rules import Ruleset, builtin_names, load_rules, parse_settings

if TYPE_CHECKING:
    from mjsim.cli.choices import CoveragePlayers, Format, Lang

CANNOT_OCCUR: Final = "–"

_WORDS: Final = {
    "group": ("group", "类别"),
    "line": ("line of the rules", "规则"),
    "note": ("note", "说明"),
    "cannot": ("cannot occur under these rules", "此规则下不会发生"),
    "zero": ("can occur, and did not in these deals", "可能发生，但这些局中未见"),
    "looked": ("seen in replays of {deals} deals that might show it", "在 {deals} 局可能出现者的重放中所见"),
    "head": (
        "{title}: in how many of {deals} deals by each player, seed {seed}",
        "{title}：每种打法各 {deals} 局中出现的局数，种子 {seed}",
    ),
}


def print_coverage(
    names: list[str],
    settings: list[str] | None,
    deals: int,
    seed: int,
    players: "CoveragePlayers",
    format: "Format",
    lang: "Lang",
) -> int:
    """Play deals of rulesets and print how often each of their lines fired; returns the exit status."""
    overrides = parse_settings(settings or [])
    rulesets = [load_rules(name, **overrides) for name in names or builtin_names()]
    check_deals(0, deals)
    who = ("noisy", "fast") if players == "both" else (players,)
    announce_compiling(KERNEL)
    tables = []
    for rules in rulesets:
        found = _covered(rules, deals, seed, who)
        if found is None:
            return INTERRUPTED
        tables.append((rules, found))
    keys = ("rules", "key", "group", "en", "zh", *who, "note")
    if format in ("json", "csv"):
        rows = [
            (rules.name, line.key, line.group, *line.words, *_counts(line, found), _note(line, found, lang))
            for rules, found in tables
            for line in LINES
        ]
        print_rows(keys, keys, rows, format)
        return 0
    for number, (rules, found) in enumerate(tables):
        title = rules.title.en if lang == "en" else rules.title.zh
        heading = _say("head", lang).format(title=title, deals=f"{deals:,}", seed=seed)
        print("\n" * bool(number) + (f"## {heading}\n" if format == "md" else heading))
        print_rows(
            (), (_say("group", lang), _say("line", lang), *who, _say("note", lang)), list(_rows(found, lang)), format
        )
    return 0


def _covered(rules: Ruleset, deals: int, seed: int, who: tuple[str, ...]) -> list[Coverage] | None:
    """The coverage of one ruleset by each player; None after an interrupt."""
    found = []
    for player in who:
        with deal_progress(deals) as report:
            coverage = cover(rules, deals=deals, seed=seed, players=player, progress=report)
        if coverage.deals < deals:
            say(f"interrupted: {coverage.deals:,} of {deals:,} deals of {rules.name} by {player} were finished")
            return None
        found.append(coverage)
    return found


def _rows(found: list[Coverage], lang: "Lang") -> Iterator[tuple[Any, ...]]:
    group = ""
    for line in LINES:
        counts = [CANNOT_OCCUR if count is None else f"{count:,}" for count in _counts(line, found)]
        words = line.words[0] if lang == "en" else line.words[1]
        name = "" if line.group == group else GROUPS[line.group][0 if lang == "en" else 1]
        group = line.group
        yield name, words, *counts, _note(line, found, lang)


def _counts(line: Line, found: list[Coverage]) -> list[int | None]:
    return [coverage.counts.get(line.key) for coverage in found]


def _note(line: Line, found: list[Coverage], lang: "Lang") -> str:
    counts = _counts(line, found)
    if None in counts:
        return _say("cannot", lang)
    notes = []
    if line.key in found[0].replayed:
        looked = " + ".join(f"{coverage.replayed[line.key]:,}" for coverage in found)
        notes.append(_say("looked", lang).format(deals=looked))
    if not any(counts):
        notes.append(_say("zero", lang))
    return ("; " if lang == "en" else "；").join(notes)


def _say(key: str, lang: "Lang") -> str:
    return _WORDS[key][0 if lang == "en" else 1]
