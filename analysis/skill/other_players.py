"""Playing the walls of a run again with other players."""

from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any, Final

import narwhals as nw

from analysis.counts.aggregate import Aggregate
from analysis.counts.counting import aggregate
from analysis.counts.played import count_played
from analysis.display.text import Term
from analysis.skill import matches
from analysis.skill.by_player import OWN, ByPlayer, Four
from mjsim.dataset.run import RESULTS_VERSION
from mjsim.engine import Engine, Plan
from mjsim.errors import RunError
from mjsim.players import BUILTIN, QUICK, players_for_seats
from mjsim.players.noisy import NOISY
from mjsim.ranges import Progress
from mjsim.rules import Ruleset
from mjsim.workers import Interrupts

#: Who is compared: the quick built-in players but `noisy`, which is another one with slips.
PLAYERS: Final = tuple(name for name in QUICK if name != NOISY.name)

#: Deals of each player, unless told or where the run has fewer.
DEALS: Final = 1 << 16

#: One wall of so many is for the table of strength, which plays it over and over with every pair in every seat.
_WALLS_A_MATCH: Final = 64

_MIXED: Final = Term("the run's players", "本次玩家")


def usual_deals(deals: int) -> int:
    """Deals that each player plays beside a run of so many, unless told.

    >>> usual_deals(1_000_000), usual_deals(1000)
    (65536, 1000)
    """
    return min(DEALS, deals)


def refuse_other_walls(manifest: Mapping[str, Any], deals: int) -> None:
    """Refuse what other players could not play: deals that the run has not, or of another version.

    Raises
    ------
    RunError
    """
    if not 1 <= deals <= manifest["deals"]:
        raise RunError(f"{deals} deals by player: must be 1 to the {manifest['deals']} of the run")
    if manifest["results_version"] != RESULTS_VERSION:
        raise RunError(
            f"results_version {manifest['results_version']}; this mjsim plays version {RESULTS_VERSION}, so that other"
            " players would not play the same walls"
        )


def deals_to_play(manifest: Mapping[str, Any], deals: int) -> int:
    """How many deals `by_player` plays in all."""
    return deals * len(_others(manifest)) + matches.deals_to_play(len(_climbers(manifest)), _walls(deals))


def by_player(
    frame: Any,
    manifest: Mapping[str, Any],
    *,
    deals: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    interrupts: Interrupts | None = None,
) -> ByPlayer:
    """Play the first deals of a run again with four of every other player, and the players against each other.

    Parameters
    ----------
    frame : polars.LazyFrame or any eager frame that narwhals knows
        The run's deals.
    manifest : mapping
        The run's manifest, as in ``run.json``. Its players may be anybody's; they are not played again.
    deals : int, optional
        How many of the run's deals; `usual_deals` unless given.
    threads : int, optional
        Worker threads; do not change the results.
    progress : callable, optional
        Called now and then with the number of deals played, of `deals_to_play`.
    interrupts : Interrupts, optional
        One that the caller has open.

    Raises
    ------
    RunError
        Where the run has not so many deals, or is of another version.
    KeyboardInterrupt
        Where Ctrl-C came before all was played.

    Examples
    --------
    >>> import mjsim
    >>> run = mjsim.simulate("liuzhou", deals=300, seed=1, players="random")
    >>> found = by_player(run.to_polars(), run.manifest().model_dump(), deals=200)
    >>> found.deals, [side.key for side in found.sides]
    (200, ['own', 'fast', 'value'])
    """
    deals = usual_deals(manifest["deals"]) if deals is None else deals
    refuse_other_walls(manifest, deals)
    rules = Ruleset.from_dict(manifest["ruleset"])
    own = _first_of_run(frame, manifest, deals)
    others, walls = _others(manifest), _walls(deals)
    with nullcontext(interrupts) if interrupts else Interrupts() as heeded:
        sides = []
        for place, name in enumerate(others):
            plan = Plan(
                rules, players_for_seats(name), manifest["seed"], manifest["session_length"], int(manifest["fish"])
            )
            told = progress and partial(_shifted, progress, place * deals)
            found = _played(plan, manifest["first"], deals, heeded, threads, told)
            sides.append(Four(name, Term(name, name), found))
        ladder = matches.ladder(
            rules,
            _climbers(manifest),
            deals=walls,
            seed=manifest["seed"],
            fish=manifest["fish"],
            threads=threads,
            progress=progress and partial(_shifted, progress, len(others) * deals),
            interrupts=heeded,
        )
    return ByPlayer(manifest["ruleset"], own, tuple(sides), ladder)


def _shifted(progress: Progress, before: int, played: int) -> None:
    progress(before + played)


def _walls(deals: int) -> int:
    """Walls of the table of strength."""
    return -(-deals // _WALLS_A_MATCH)


def _sole(manifest: Mapping[str, Any]) -> str | None:
    """The one player of a run; None where there are several."""
    players = manifest["players"]
    return str(players[0]["name"]) if all(each == players[0] for each in players) else None


def _sole_builtin(manifest: Mapping[str, Any]) -> str | None:
    """The one player of a run, where it is a built-in one as it is now."""
    name = _sole(manifest)
    known = BUILTIN.get(name or "")
    return name if known is not None and known.source_hash == manifest["players"][0]["source_hash"] else None


def _others(manifest: Mapping[str, Any]) -> list[str]:
    """Who plays beside the run's own players."""
    return [name for name in PLAYERS if name != _sole_builtin(manifest)]


def _climbers(manifest: Mapping[str, Any]) -> list[str]:
    """Whose strength is compared: the others, and the run's own player where it is built in and quick."""
    return [name for name in QUICK if name in PLAYERS or name == _sole_builtin(manifest)]


def _first_of_run(frame: Any, manifest: Mapping[str, Any], deals: int) -> Four:
    """The run's own players, in its first deals."""
    name = _sole(manifest)
    # A player of one's own may be called like a built-in one, which plays beside it.
    label = _MIXED if name is None or name in _others(manifest) else Term(name, name)
    first = nw.from_native(frame).filter(nw.col("deal") < manifest["first"] + deals)
    found = aggregate(first, manifest["session_length"])
    if found.deals != deals:
        raise RunError(f"the first {deals} deals of the run cannot be compared: {found.deals} were read")
    return Four(OWN, label, found)


def _played(
    plan: Plan, first: int, deals: int, interrupts: Interrupts, threads: int | None, progress: Progress | None
) -> Aggregate:
    """What some deals come to."""
    found = count_played(Engine(plan), first, deals, interrupts, threads=threads, progress=progress)
    if found is None:
        raise KeyboardInterrupt
    return found
