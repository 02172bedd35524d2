"""``mjsim exact``: what exact counting says about dealt hands, beside simulated ones."""

from typing import TYPE_CHECKING, Final

from mjsim.cli.playing import INTERRUPTED
from mjsim.cli.progress import deal_progress, say
from mjsim.cli.results import require_analysis
from mjsim.cli.sheets import print_sheet
from mjsim.workers import Interrupts

if TYPE_CHECKING:
    from mjsim.cli.choices import Format, Lang

#: What a failed self-check ends with.
FAILED: Final = 1


def print_exact(deals: int, seed: int, threads: int | None, format: "Format", lang: "Lang") -> int:
    """Deal hands and print them beside the exact numbers; returns the exit status."""
    require_analysis()
    from analysis.checks.exact_numbers import ExactNumbers, sample

    with Interrupts() as interrupts:
        with deal_progress(deals) as report:
            found = sample(deals, seed, threads=threads, progress=report, interrupts=interrupts)
        if not found.deals:
            say("interrupted before any hand was dealt")
            return INTERRUPTED
        numbers = ExactNumbers(found)
        print_sheet(numbers, format, lang)
        if found.deals < deals:
            say(f"interrupted: {found.deals:,} of {deals:,} deals were finished; the simulated numbers are of these")
            return INTERRUPTED
    if numbers.verdict.passed:
        return 0
    say("error: the self-check failed: the simulated hands are not what exact counting says")
    return FAILED
