"""``mjsim compare``: the same walls under a ruleset and its variants, and what the variants change."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mjsim.cli.playing import INTERRUPTED, KERNEL, is_run
from mjsim.cli.progress import announce_compiling, deal_progress, say, typed_command
from mjsim.cli.results import deals_of, require_analysis
from mjsim.cli.sheets import print_in_form
from mjsim.dataset.run import open_run
from mjsim.dataset.storage import without_secrets
from mjsim.engine import Engine, Plan, check_deals
from mjsim.errors import MjsimError, RunError
from mjsim.players import players_for_seats
from mjsim.ranges import CHUNK_DEALS
from mjsim.rules import Ruleset, load_rules, parse_settings
from mjsim.simulation import manifest_of
from mjsim.workers import Interrupts, check_threads

if TYPE_CHECKING:
    from analysis.comparing.balance import Comparison, Side
    from analysis.counts.aggregate import Aggregate
    from analysis.estimates.sequences import Watch
    from mjsim.cli.choices import Format, Lang

#: Deals that each ruleset plays before the next one does: an interrupt costs no more than these. Counting has a fixed
#: cost, so pieces grow once the first ones are safe.
FIRST_PIECE: Final = 1 << 16
LARGEST_PIECE: Final = 1 << 19

#: Deals at the first look, unless told, where deals are played until all is decided.
FIRST_LOOK: Final = 100_000

#: Deals at which to give up, unless told.
MOST_DEALS: Final = 10_000_000

#: A comma that ends a setting: the key of the next one follows.
_NEXT_SETTING: Final = re.compile(r",(?=\s*[A-Za-z_][\w.]*\s*=)")


@dataclass(frozen=True)
class Contender:
    """One ruleset of a comparison, as it was asked for.

    Attributes
    ----------
    key : str
        How the command line calls it.
    titles : tuple of str
        What people call it, in English and Chinese.
    rules : Ruleset
    """

    key: str
    titles: tuple[str, str]
    rules: Ruleset


@dataclass(frozen=True)
class Options:
    """How a comparison is played.

    Attributes
    ----------
    deals : int
        Of each ruleset; those at the first look, where it goes on until all is decided.
    most : int or None
        Deals of each ruleset at which it ends, decided or not; None where there is only one look.
    seed, session, fish : int
    players : str
    settings : list of str
        Changes to every ruleset.
    margins : list of str
        ``METRIC=VALUE``.
    sensitivity : bool
        Whether each option of the base is switched alone, too.
    threads : int or None
    """

    deals: int
    most: int | None
    seed: int
    players: str
    settings: list[str]
    margins: list[str]
    sensitivity: bool
    session: int
    fish: int
    threads: int | None

    def __post_init__(self) -> None:
        check_deals(0, self.deals if self.most is None else self.most, self.session)
        check_threads(self.threads, CHUNK_DEALS)
        if self.deals < 1:
            raise RunError(f"--deals {self.deals}: must be at least 1")
        if self.most is not None and self.most < self.deals:
            raise RunError(f"--max-deals {self.most}: is less than the {self.deals} deals of the first look (--deals)")


def compare_rulesets(names: list[str], options: Options) -> tuple["Comparison | None", int]:
    """Play the same walls under all rulesets, the base first.

    Returns
    -------
    Comparison or None
        None where an interrupt left nothing to compare.
    int
        The exit status.

    Raises
    ------
    MjsimError
        If a ruleset, an option or a margin is wrong.
    """
    require_analysis()
    from analysis.comparing.metrics import margins_from

    margins = margins_from(options.margins)
    contenders = _contenders(names, options.settings)
    switched = _switched(contenders[0].rules, {each.key for each in contenders}) if options.sensitivity else []
    if len(contenders) + len(switched) < 2:
        raise MjsimError("there is nothing to compare the ruleset with: name a VARIANT, or ask for --sensitivity")
    announce_compiling(KERNEL)
    with Interrupts() as interrupts:
        game = SameWalls([*contenders, *switched], options, interrupts)
        judge = partial(_judged, game, margins, [each.key for each in switched])
        if options.most is None:
            game.play(options.deals)
            comparison = judge(options.deals, None) if game.deals else None
        else:
            comparison = _until_decided(game, judge, options.deals, options.most)
        if not interrupts.requested:
            return comparison, 0
        kept = f"{game.deals:,} deals of every ruleset were finished; the comparison is of these"
        lost = "before every ruleset had finished its first deals; nothing is kept"
        say(f"interrupted: {kept}" if comparison else f"interrupted {lost}")
        return comparison, INTERRUPTED


class SameWalls:
    """Rulesets that play the same walls side by side, counted and not kept.

    Attributes
    ----------
    contenders : list of Contender
    plans : list of Plan
    deals : int
        Deals that every ruleset has finished.
    found : list of Aggregate
        What they came to; empty before the first are finished.
    """

    def __init__(self, contenders: list[Contender], options: Options, interrupts: Interrupts) -> None:
        players = players_for_seats(options.players)
        self.contenders = contenders
        self.plans = [Plan(each.rules, players, options.seed, options.session, options.fish) for each in contenders]
        self.deals = 0
        self.found: list[Aggregate] = []
        self._engines = [Engine(plan) for plan in self.plans]
        self._threads = options.threads
        self._interrupts = interrupts
        self._pieces = _piece_sizes(options.session)

    @property
    def interrupted(self) -> bool:
        """Whether somebody wants it to end."""
        return self._interrupts.requested

    def play(self, deals: int) -> None:
        """Play so many deals more under every ruleset; after an interrupt fewer, those that all of them finished."""
        begun, end = self.deals, self.deals + deals
        with deal_progress(deals * len(self.plans)) as report:
            while self.deals < end and not self.interrupted:
                size = min(next(self._pieces), end - self.deals)
                piece = self._piece(size, (self.deals - begun) * len(self.plans), report)
                if len(piece) < len(self.plans):
                    return
                self.found = [one + more for one, more in zip(self.found, piece, strict=True)] if self.found else piece
                self.deals += size

    def _piece(self, size: int, done: int, report: Callable[[int], None]) -> "list[Aggregate]":
        """What the next deals come to under every ruleset; of fewer rulesets after an interrupt."""
        from analysis.counts.played import count_played

        found: list[Aggregate] = []
        for engine in self._engines:
            progress = partial(_shifted, report, done + len(found) * size)
            counted = count_played(engine, self.deals, size, self._interrupts, threads=self._threads, progress=progress)
            if counted is None:
                return found
            found.append(counted)
        return found


def _shifted(report: Callable[[int], None], before: int, played: int) -> None:
    report(before + played)


def _piece_sizes(session: int) -> Iterator[int]:
    """Sizes of one piece after the other, in whole sessions."""
    size = FIRST_PIECE
    while True:
        yield -(-size // session) * session
        size = min(2 * size, LARGEST_PIECE)


def _whole_sessions(deals: int, session: int) -> int:
    """At least so many deals, in whole sessions.

    >>> _whole_sessions(10, 4), _whole_sessions(12, 4)
    (12, 12)
    """
    return -(-deals // session) * session


def _until_decided(
    game: SameWalls, judge: Callable[[int, "Watch | None"], "Comparison"], first: int, most: int
) -> "Comparison | None":
    """Play on, half as many deals more each time, until every effect is decided or there are enough deals."""
    from analysis.comparing.balance import statements
    from analysis.estimates.sequences import Watch

    base, *variants = (each.rules.to_dict() for each in game.contenders)
    session = game.plans[0].session
    watch = Watch(first, most, statements(base, variants))
    target = min(_whole_sessions(first, session), most)
    while True:
        game.play(target - game.deals)
        if not game.deals:
            return None
        comparison = judge(target, watch)
        if game.interrupted or comparison.decided or game.deals >= most:
            return comparison
        effects = len(comparison.effects)
        say(f"{game.deals:,} deals: {effects - comparison.undecided} of {effects} are decided")
        target = min(_whole_sessions(game.deals * 3 // 2, session), most)


def _judged(
    game: SameWalls, margins: dict[str, float], switches: list[str], asked: int, watch: "Watch | None"
) -> "Comparison":
    """Compare what has been played."""
    from analysis.comparing.balance import Side, compare
    from analysis.display.text import Term

    command = typed_command()
    sides = []
    for each, plan, found in zip(game.contenders, game.plans, game.found, strict=True):
        manifest = manifest_of(plan, 0, game.deals, game.deals < asked, command, [])
        sides.append(Side(each.key, Term(*each.titles), manifest.model_dump(mode="json"), found))
    return compare(sides[0], sides[1:], margins, watch, command, switches)


def _contenders(names: list[str], settings: list[str]) -> list[Contender]:
    """The rulesets that the arguments name, the base first; all have the settings of ``--set``."""
    common = parse_settings(settings)
    base, *variants = names
    found = [_named(base, common)]
    for variant in variants:
        if any(variant == each.key for each in found[1:]):
            raise MjsimError(f"VARIANT {variant}: given twice")
        found.append(_changed(found[0], variant) if is_settings(variant) else _named(variant, common))
    return found


def is_settings(variant: str) -> bool:
    """Whether a VARIANT is settings for the base, rather than a ruleset's name or file.

    >>> is_settings("rob_kong=false"), is_settings("rules/a=b.toml"), is_settings("liuzhou_no_rob_kong")
    (True, False, False)
    """
    key, equals, _ = variant.partition("=")
    return bool(equals) and re.fullmatch(r"\s*[A-Za-z_][\w.]*\s*", key) is not None and not variant.endswith(".toml")


def settings_of(variant: str) -> list[str]:
    """The single settings of a VARIANT.

    >>> settings_of("rob_kong=false,reserve=picked")
    ['rob_kong=false', 'reserve=picked']
    """
    return _NEXT_SETTING.split(variant)


def _named(name: str, common: dict[str, Any]) -> Contender:
    rules = load_rules(name, **common)
    return Contender(name, (rules.title.en, rules.title.zh), rules)


def _changed(base: Contender, variant: str) -> Contender:
    rules = base.rules.with_overrides(parse_settings(settings_of(variant)))
    return Contender(variant, (f"{base.titles[0]}, {variant}", f"{base.titles[1]}（{variant}）"), rules)


def _switched(base: Ruleset, taken: set[str]) -> list[Contender]:
    """The base with each of its options switched alone, but for those that were asked for anyway."""
    from analysis.comparing.sensitivity import switches

    return [
        Contender(switch.key, (switch.term.en, switch.term.zh), switch.rules)
        for switch in switches(base)
        if switch.key not in taken
    ]


def compare_runs(folders: list[str], margins: list[str]) -> tuple["Comparison | None", int]:
    """Compare run folders, the base first, of the same deals, seed and players; the exit status is 0."""
    require_analysis()
    from analysis.comparing.balance import compare
    from analysis.comparing.metrics import margins_from

    chosen = margins_from(margins)
    sides = [_side_of_run(folder) for folder in folders]
    return compare(sides[0], sides[1:], chosen, command=typed_command()), 0


def _side_of_run(folder: str) -> "Side":
    from polars.exceptions import PolarsError

    from analysis.comparing.balance import Side
    from analysis.counts.counting import counted
    from analysis.display.text import Term

    run = open_run(folder)
    try:
        found = counted(deals_of(run), run.manifest.session_length)
    except (PolarsError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise RunError(f"{run.folder}: a shard cannot be read; has it been changed? ({reason})") from error
    manifest = run.manifest.model_dump(mode="json")
    title = manifest["ruleset"]["ruleset"]["title"]
    return Side(without_secrets(folder), Term(title["en"], title["zh"]), manifest, found)


def are_runs(sources: list[str]) -> bool:
    """Whether the arguments are run folders; refuses a mixture."""
    runs = [source for source in sources if not is_settings(source) and is_run(source)]
    if runs and len(runs) < len(sources):
        other = next(source for source in sources if source not in runs)
        run = without_secrets(runs[0])
        raise MjsimError(f"{other}: is a ruleset, and {run} is a run; compare rulesets with each other, or runs")
    return bool(runs)


def show(comparison: "Comparison", out: Path | None, format: "Format", lang: "Lang") -> None:
    """Write a comparison to a page, or print it on standard output, coloured on a terminal."""
    from analysis.comparing.balance_text import render_comparison, renderables

    if out is not None:
        _write_page(comparison, out, lang)
    else:
        print_in_form(
            format, lambda: renderables(comparison, lang), lambda: render_comparison(comparison, format, lang)
        )


def _write_page(comparison: "Comparison", out: Path, lang: "Lang") -> None:
    """Write a comparison's report: one self-contained HTML page."""
    from importlib import import_module

    import_module("analysis.report").write_comparison(comparison, out, lang)
    print(f"{out}: {comparison.base.key} compared with {', '.join(side.key for side in comparison.variants)}")
