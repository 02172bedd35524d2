"""``mjsim hand``: what to discard."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mjsim.cli.playing import INTERRUPTED
from mjsim.cli.progress import announce_compiling, deal_progress, say, typed_command
from mjsim.cli.results import refuse_unwritable, require_analysis, require_report
from mjsim.cli.sheets import print_sheet
from mjsim.errors import PlayerError, RunError, TilesError
from mjsim.hands.melds import Meld, parse_meld
from mjsim.players import DEFAULT, players_for_seats
from mjsim.playout import OTHERS_HOLD, Position, unseen_by
from mjsim.rules import Ruleset, load_rules, parse_settings
from mjsim.state import CHOW_MELD
from mjsim.tiles import COPIES, TILES, counts_of, name, parse
from mjsim.wall import DEALT_TILES, RESERVED

if TYPE_CHECKING:
    from analysis.answers.advice import Playouts
    from mjsim.cli.choices import Format, Lang

MOST_PLAYOUTS: Final = 1_000_000

_ALONE_KERNEL: Final = "solo._look_up"
_ALONE_SECONDS: Final = 3
_PLAYOUT_KERNEL: Final = "playout._play_out"


@dataclass(frozen=True)
class Asked:
    """A hand and its options as they were typed."""

    tiles: str
    melds: list[str]
    seen: str
    left: int | None
    playouts: int | None
    players: str | None
    seed: int | None


def print_advice(
    rules: str, settings: list[str] | None, asked: Asked, out: Path | None, format: "Format", lang: "Lang"
) -> int:
    """Print what to discard, or write it as a card; returns the exit status."""
    require_analysis()
    if out is not None:
        refuse_unwritable(out)
        require_report()
    from analysis.answers.advice import advise
    from analysis.answers.advice_sheet import AdviceSheet

    ruleset = load_rules(rules, **parse_settings(settings or []))
    position = position_of(ruleset, asked)
    announce_compiling(_ALONE_KERNEL, _ALONE_SECONDS)
    playouts = _playouts(ruleset, position, asked)
    if playouts is not None:
        announce_compiling(_PLAYOUT_KERNEL)
    try:
        with _progress(position, playouts) as report:
            found = advise(ruleset, position, playouts, report)
    except KeyboardInterrupt:
        say("interrupted before all playouts were done; nothing is printed")
        return INTERRUPTED
    if out is None:
        print_sheet(AdviceSheet(found), format, lang)
    else:
        from analysis.report.hand_page import write_advice

        write_advice(found, out, lang, typed_command())
        print(f"{out}: advice for {asked.tiles}")
    return 0


@contextmanager
def _progress(position: Position, playouts: "Playouts | None") -> Iterator[Callable[[int], None] | None]:
    """Show how many deals are played out; yields a function to call with the playouts of each discard done."""
    if playouts is None:
        yield None
    else:
        discards = sum(number > 0 for number in position.counts)
        with deal_progress(discards * playouts.number) as report:
            yield lambda done: report(discards * done)


def position_of(rules: Ruleset, asked: Asked) -> Position:
    """What the options say a player sees.

    Raises
    ------
    TilesError
        Naming the option and the tile that cannot be.
    """
    melds = tuple(_melds(rules, asked.melds))
    counts = _read("TILES", asked.tiles)
    seen = _read("--seen", asked.seen)
    rest = 13 - 3 * len(melds)
    if sum(counts) not in (rest, rest + 1):
        raise TilesError(
            f"TILES: {sum(counts)} tiles with {len(melds)} melds; give {rest + 1} to discard from, or {rest} that wait"
        )
    found = Position(tuple(counts), melds, tuple(seen), 0, fresh=False)
    for kind, unseen in enumerate(unseen_by(found)):
        if unseen < 0:
            where = "TILES, --melds and --seen" if seen[kind] else "TILES and --melds"
            raise TilesError(f"{where}: {COPIES - unseen} copies of {name(kind)}; there are only four of each kind")
    left = _left(rules, asked.left, found)
    if left <= rules.deal_end.tiles_left and sum(counts) == rest + 1 and not rules.deal_end.last_tile_discard:
        raise TilesError(f"--left: {left}: under these rules the last tile drawn is not followed by a discard")
    fresh = not melds and not any(seen) and sum(counts) == rest + 1 and left == left_after_deal(rules)
    return Position(found.counts, melds, found.seen, left, fresh)


def left_after_deal(rules: Ruleset) -> int:
    """Live tiles left after the deal, with all fish picked.

    >>> left_after_deal(load_rules("liuzhou")), left_after_deal(load_rules("nanning_folk"))
    (75, 83)
    """
    return TILES - DEALT_TILES - reserved(rules)


def reserved(rules: Ruleset) -> int:
    """Tiles set apart for fish."""
    return RESERVED if rules.fishing.enabled else 0


def _read(option: str, notation: str) -> list[int]:
    """Tiles of an option, counted."""
    try:
        return counts_of(parse(notation))
    except TilesError as error:
        raise TilesError(f"{option}: {error}") from None


def _melds(rules: Ruleset, written: list[str]) -> list[Meld]:
    """The melds of all ``--melds`` options."""
    found = []
    for words in (part.strip() for option in written for part in option.split(",")):
        try:
            meld = parse_meld(words)
        except TilesError as error:
            raise TilesError(f"--melds: {error}") from None
        if meld.kind == CHOW_MELD and not rules.claims.chow:
            raise TilesError(f"--melds: {words}: {rules.name} knows no chow (claims.chow = false)")
        if meld.giver == 0:
            raise TilesError(f"--melds: {words}: the hand is seat 0's, which gives itself nothing; givers are 1 to 3")
        found.append(meld)
    if len(found) > COPIES:
        raise TilesError(f"--melds: {len(found)} melds; a hand has at most 4")
    return found


def _left(rules: Ruleset, given: int | None, position: Position) -> int:
    """Live tiles left: as given, or as many as the unseen tiles and the deal allow."""
    unseen = sum(unseen_by(position)) - reserved(rules)
    if given is None:
        if unseen < OTHERS_HOLD:
            raise TilesError(f"--left: missing; {unseen} unseen tiles are fewer than three hands hold without melds")
        return min(left_after_deal(rules), unseen - OTHERS_HOLD)
    most = min(left_after_deal(rules), unseen)
    if not 0 <= given <= most:
        raise TilesError(f"--left: {given}: must be 0 to {most}, by the deal and the tiles in view")
    return given


def _playouts(rules: Ruleset, position: Position, asked: Asked) -> "Playouts | None":
    """How to play out, or None where that is not asked for and not needed."""
    from analysis.answers.advice import PLAYOUTS, Playouts, is_far

    waits = sum(position.counts) % 3 == 1
    chosen = {"--playouts": asked.playouts, "--players": asked.players, "--seed": asked.seed}
    given = next((option for option, value in chosen.items() if value is not None), None)
    if waits:
        if given is not None:
            raise TilesError(f"{given}: playouts compare discards, and a hand of {sum(position.counts)} tiles has none")
        return None
    number = asked.playouts
    room = sum(unseen_by(position)) - reserved(rules) - position.left
    if number is None:
        if given is None and (not is_far(rules, position) or room < OTHERS_HOLD):
            return None
        number = PLAYOUTS
    if not 0 <= number <= MOST_PLAYOUTS:
        raise RunError(f"--playouts: {number}: must be 0 to {MOST_PLAYOUTS}")
    if number == 0:
        return None
    if room < OTHERS_HOLD:
        raise TilesError(
            f"--playouts: {room} unseen tiles are left for the other hands, which without melds hold {OTHERS_HOLD};"
            " give fewer --left"
        )
    seed = asked.seed or 0
    if not 0 <= seed < 1 << 64:
        raise RunError(f"--seed: {seed}: must be 0 to 2^64 - 1")
    try:
        players = players_for_seats(DEFAULT if asked.players is None else asked.players)
    except PlayerError as error:
        raise PlayerError(f"--players: {error}") from None
    return Playouts(number, players, seed)
