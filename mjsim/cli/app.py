"""The commands, their options, and what the process ends with.

Exit status: 0 done; 1 the input is wrong, said in one message; 2 usage; 130 interrupted, with everything kept that was
finished.
"""

import io
import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

from mjsim.cli.choices import PLAYERS, CoveragePlayers, ReportFormat
from mjsim.cli.compare_command import compare
from mjsim.cli.hand_command import hand
from mjsim.cli.options import FormatOption, LangOption, RulesArgument, RunArgument, SeedOption, SetOption, ThreadsOption
from mjsim.cli.simulate_command import simulate
from mjsim.cli.verify_command import verify
from mjsim.errors import MjsimError

app = typer.Typer(
    name="mjsim",
    help="A laboratory for mahjong rules: play seeded deals, settle them, and see what the rules do.",
    epilog="Example: mjsim simulate liuzhou --deals 100000 --seed 1",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
rules_app = typer.Typer(
    help="List, show, compare and check rulesets.",
    epilog="Example: mjsim rules list",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(rules_app, name="rules")


def _print_version(wanted: bool) -> None:
    if wanted:
        import mjsim

        print(f"mjsim {mjsim.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Take the options that stand before any command."""


app.command(epilog="Example: mjsim simulate liuzhou --deals 1000000 --seed 1 --out runs/liuzhou")(simulate)


@app.command(epilog="Example: mjsim summary runs/liuzhou --format md")
def summary(run: RunArgument, format: FormatOption = "table", lang: LangOption = "en") -> None:
    """Print how a run's deals ended, what won how often, and what it was worth, with intervals."""
    from mjsim.cli import results
    from mjsim.cli.sheets import print_sheet

    print_sheet(results.summary_of_run(run), format, lang)


app.command(epilog="Example: mjsim verify runs/liuzhou")(verify)


@app.command(epilog="Example: mjsim report runs/liuzhou --out reports/liuzhou.html")
def report(
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="A run folder.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.", show_default=False)],
    format: Annotated[ReportFormat, typer.Option("--format", help="A page, or its numbers.")] = "html",
    lang: LangOption = "en",
    by_player: Annotated[
        int | None,
        typer.Option(
            "--by-player",
            metavar="N",
            help="Of how many of its deals to show what other players make of them; 0: of none.",
            show_default="65536, or all if fewer",
        ),
    ] = None,
) -> None:
    """Write a run's report: one self-contained HTML page, or its numbers in another form.

    The built-in players play the run's walls too, to show how much its numbers depend on who plays.
    """
    from mjsim.cli import reporting

    if len(runs) > 1:
        raise typer.BadParameter(f"{len(runs)} runs: a report shows one", param_hint="RUN")
    raise typer.Exit(reporting.report_run(runs[0], out, lang, format, by_player))


app.command(epilog="Example: mjsim compare liuzhou rob_kong=false chow=false --deals 1000000 --seed 1")(compare)


@app.command(epilog="Example: mjsim score cases.toml --json")
def score(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Score cases as TOML, JSON or replay lines; - is standard input.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list with one answer a case.")] = False,
    settings: SetOption = None,
    format: FormatOption = "table",
    lang: LangOption = "en",
) -> None:
    """Say what finished deals, described by their tiles, come to.

    A case that cannot be a finished deal gets an error, the others are still answered. Where a case says what it
    expects, the answer is compared with it. A ruleset's relative path starts at FILE's folder, or else at the current
    one.
    """
    from mjsim.cli import scoring

    raise typer.Exit(scoring.score_file(file, settings, "json" if json else format, lang))


@app.command(epilog="Example: mjsim replay liuzhou --seed 1 --deal 7")
def replay(
    source: Annotated[
        str, typer.Argument(metavar="RUN|RULES", help="A run folder, a built-in ruleset or a TOML file.")
    ],
    deal: Annotated[int, typer.Option("--deal", metavar="I", help="Index of the deal.", show_default=False)],
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", help="Seed, 0 to 2^64 - 1.", show_default="0")
    ] = None,
    players: Annotated[
        str | None,
        typer.Option("--players", metavar="P|P,P,P,P", help="Who plays, as in simulate.", show_default=PLAYERS),
    ] = None,
    settings: SetOption = None,
    session: Annotated[
        int | None, typer.Option("--session", metavar="L", help="Deals in a session.", show_default="1")
    ] = None,
    fish: Annotated[
        int | None, typer.Option("--fish", metavar="N", help="Fish labels of built-in players.", show_default="2")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON event a line.")] = False,
    lang: LangOption = "en",
) -> None:
    """Play one deal again and show everything that happened.

    A run brings its own rules, seed, players, session length and fish.
    """
    from mjsim.cli import playing
    from mjsim.dataset.storage import without_secrets

    if playing.is_run(source):
        given = {"--seed": seed, "--players": players, "--set": settings, "--session": session, "--fish": fish}
        for option, value in given.items():
            if value is not None:
                raise typer.BadParameter(f"{without_secrets(source)} is a run, which brings its own", param_hint=option)
        playing.print_deal_of_run(source, deal, json=json, lang=lang)
    else:
        plan = playing.plan_of(
            source,
            settings,
            PLAYERS if players is None else players,
            seed or 0,
            1 if session is None else session,
            2 if fish is None else fish,
        )
        playing.print_deal(plan, deal, json=json, lang=lang)


@app.command(epilog="Example: mjsim exact --deals 1000000 --seed 1")
def exact(
    deals: Annotated[int, typer.Option("--deals", metavar="N", help="From how many walls to deal a hand.")] = 1_000_000,
    seed: SeedOption = 0,
    threads: ThreadsOption = None,
    format: FormatOption = "table",
    lang: LangOption = "en",
) -> None:
    """Print exact probabilities of hand types and shanten at the deal, beside simulated hands, with z-scores.

    One verdict says whether the simulated hands agree; where they do not, the exit status is 1.
    """
    from mjsim.cli import exact as exact_numbers

    raise typer.Exit(exact_numbers.print_exact(deals, seed, threads, format, lang))


@app.command(epilog="Example: mjsim ladder liuzhou --players fast,noisy --deals 20000 --seed 1")
def ladder(
    rules: RulesArgument,
    players: Annotated[
        str | None,
        typer.Option(
            "--players",
            metavar="P,P,...",
            help="Who is compared.",
            show_default="all built-in but rollout",
        ),
    ] = None,
    deals: Annotated[
        int, typer.Option("--deals", metavar="N", help="How many walls; each is played with every seating.")
    ] = 20_000,
    seed: SeedOption = 0,
    settings: SetOption = None,
    threads: ThreadsOption = None,
    format: FormatOption = "table",
    lang: LangOption = "en",
) -> None:
    """Print who beats whom, by how much a deal, and how many deals it takes to show.

    Each player sits alone against three of each other, in every seat of the same walls.
    """
    from mjsim.cli import laddering

    raise typer.Exit(laddering.print_ladder(rules, settings, players, deals, seed, threads, format, lang))


app.command(epilog="Example: mjsim hand liuzhou 123456m234p99s78s3z --seen 6s9s --left 60")(hand)


@app.command(epilog="Example: mjsim fishing liuzhou --deals 1000000 --seed 1 --session 16")
def fishing(
    source: Annotated[
        str, typer.Argument(metavar="RUN|RULES", help="A run folder, a built-in ruleset or a TOML file.")
    ],
    deals: Annotated[
        int | None, typer.Option("--deals", metavar="N", help="How many deals to play.", show_default="1000000")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", help="Seed, 0 to 2^64 - 1.", show_default="0")
    ] = None,
    players: Annotated[
        str | None,
        typer.Option("--players", metavar="P|P,P,P,P", help="Who plays, as in simulate.", show_default=PLAYERS),
    ] = None,
    settings: SetOption = None,
    session: Annotated[
        int | None, typer.Option("--session", metavar="L", help="Deals in a session.", show_default="1")
    ] = None,
    fish: Annotated[
        int | None, typer.Option("--fish", metavar="N", help="Fish labels of built-in players.", show_default="2")
    ] = None,
    threads: ThreadsOption = None,
    format: FormatOption = "table",
    lang: LangOption = "en",
) -> None:
    """Print what a fish is worth by its owner's seat and by tile, how big a gamble it is, and what fee would be fair.

    A run brings its own deals, rules, seed, players, session length and fish.
    """
    from mjsim.cli import fishing, playing
    from mjsim.dataset.storage import without_secrets

    if playing.is_run(source):
        given = {"--deals": deals, "--seed": seed, "--players": players, "--set": settings, "--session": session}
        for option, value in (given | {"--fish": fish, "--threads": threads}).items():
            if value is not None:
                raise typer.BadParameter(f"{without_secrets(source)} is a run, which brings its own", param_hint=option)
        fishing.print_run(source, format, lang)
        return
    plan = playing.plan_of(
        source,
        settings,
        PLAYERS if players is None else players,
        seed or 0,
        1 if session is None else session,
        2 if fish is None else fish,
    )
    order = playing.Order(plan, 0, fishing.DEALS if deals is None else deals, threads)
    raise typer.Exit(fishing.print_order(order, format, lang))


@rules_app.command("list", epilog="Example: mjsim rules list --format md")
def list_rules(format: FormatOption = "table") -> None:
    """List the built-in rulesets, and the variants with what they extend."""
    from mjsim.cli import rulesets

    rulesets.print_list(format)


@rules_app.command("show", epilog="Example: mjsim rules show nanning_folk --format md")
def show_rules(
    rules: RulesArgument, settings: SetOption = None, format: FormatOption = "table", lang: LangOption = "en"
) -> None:
    """Print a ruleset as a page: every key with its meaning and value, and what each hand pays.

    Both languages are printed; --lang says which comes first.
    """
    from mjsim.cli import rulesets

    rulesets.print_ruleset(rules, settings, format, lang)


@rules_app.command("diff", epilog="Example: mjsim rules diff nanning_folk nanning_laiyouxi")
def diff_rules(
    first: Annotated[str, typer.Argument(metavar="A", help="A ruleset, by name or file.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another one, which --set changes.")],
    settings: SetOption = None,
    format: FormatOption = "table",
    lang: LangOption = "en",
) -> None:
    """Print the keys in which two rulesets differ, with both values."""
    from mjsim.cli import rulesets

    rulesets.print_differences(first, second, settings, format, lang)


@rules_app.command("check", epilog="Example: mjsim rules check my_rules.toml")
def check_rules(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Ruleset files, or names of rulesets.")],
) -> None:
    """Check ruleset files, and say everything that is wrong with them."""
    from mjsim.cli import rulesets

    raise typer.Exit(rulesets.check(files))


@rules_app.command("coverage", epilog="Example: mjsim rules coverage nanning_folk --deals 100000 --seed 1")
def cover_rules(
    rules: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RULES...]", help="Rulesets by name or file; all built-in ones unless given."),
    ] = None,
    settings: SetOption = None,
    deals: Annotated[int, typer.Option("--deals", metavar="N", help="How many deals by each player.")] = 1_000_000,
    seed: SeedOption = 0,
    players: Annotated[CoveragePlayers, typer.Option("--players", help="Who plays.")] = "both",
    format: FormatOption = "table",
    lang: LangOption = "en",
) -> None:
    """Play deals, and count in how many each line of the rules fired: hand types, events, payers, liability and so on.

    A line that cannot occur under the rules has a dash, one that can and did not a note.
    """
    from mjsim.cli import covering

    raise typer.Exit(covering.print_coverage(rules or [], settings, deals, seed, players, format, lang))


@rules_app.command("schema", epilog="Example: mjsim rules schema > ruleset.schema.json")
def print_schema() -> None:
    """Print the JSON Schema of ruleset files, by which editors complete and check them.

    An editor that knows TOML finds it by a first line such as: #:schema ./ruleset.schema.json
    """
    from mjsim.cli import rulesets

    rulesets.print_schema()


def main() -> None:
    """Run the command line and end the process."""
    warnings.formatwarning = _plain_warning
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding lacks is shown as its code instead of ending the program.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads our output has seen enough. Nothing is left to say, also not to the flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        print(f"error: the output cannot be written: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)


def open_closed_streams() -> None:
    """Give a standard stream that came closed somewhere to lead: nowhere."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # open until the process ends
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # open until the process ends
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # open until the process ends


def _run() -> int:
    try:
        app(prog_name="mjsim")
    except MjsimError as error:
        from mjsim.rules.check import printable_lines

        print("error: " + printable_lines(str(error)).replace("\n", "\n       "), file=sys.stderr)
        return 1
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _plain_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    return f"warning: {message}\n"
