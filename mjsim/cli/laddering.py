"""``mjsim ladder``: who beats whom under a ruleset."""

from typing import TYPE_CHECKING

from mjsim.cli.playing import INTERRUPTED, KERNEL
from mjsim.cli.progress import announce_compiling, deal_progress, say
from mjsim.cli.results import require_analysis
from mjsim.cli.sheets import print_sheet
from mjsim.engine import Plan, check_deals
from mjsim.errors import PlayerError
from mjsim.players import DEFAULT, QUICK, players_for_seats
from mjsim.ranges import CHUNK_DEALS
from mjsim.rules import load_rules, parse_settings
from mjsim.workers import Interrupts, check_threads

if TYPE_CHECKING:
    from mjsim.cli.choices import Format, Lang


def print_ladder(
    rules: str,
    settings: list[str] | None,
    players: str | None,
    deals: int,
    seed: int,
    threads: int | None,
    format: "Format",
    lang: "Lang",
) -> int:
    """Play every pair of players in every seat and print who is ahead; returns the exit status."""
    require_analysis()
    from analysis.skill.matches import chosen_players, deals_to_play, ladder

    plan = Plan(load_rules(rules, **parse_settings(settings or [])), players_for_seats(DEFAULT), seed)
    check_deals(0, deals)
    check_threads(threads, CHUNK_DEALS)
    names = list(QUICK) if players is None else [name.strip() for name in players.split(",")]
    try:
        chosen = chosen_players(names)
    except PlayerError as error:
        raise PlayerError(f"--players: {error}") from None
    announce_compiling(KERNEL)
    with Interrupts() as interrupts:
        try:
            with deal_progress(deals_to_play(len(chosen), deals)) as report:
                found = ladder(
                    plan.rules,
                    chosen,
                    deals=deals,
                    seed=seed,
                    threads=threads,
                    progress=report,
                    interrupts=interrupts,
                )
        except KeyboardInterrupt:
            say("interrupted before every pair had played; nothing is printed")
            return INTERRUPTED
        print_sheet(found, format, lang)
    return 0
