"""Summaries and reports of deals."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import mjsim
from mjsim.dataset.run import Run, open_run
from mjsim.errors import MjsimError, RunError

if TYPE_CHECKING:
    import polars as pl

    from analysis.answers.summary import Summary
    from analysis.counts.aggregate import Aggregate
    from analysis.counts.stored import Kept
    from analysis.skill.by_player import ByPlayer
    from mjsim.cli.choices import Lang, ReportFormat


def require_analysis() -> None:
    """Refuse to go on where Python finds another `analysis` than the one that came with mjsim."""
    ours = Path(mjsim.__file__).parents[1] / "analysis"
    spec = find_spec("analysis")
    if spec is None:
        raise MjsimError("the package 'analysis', which comes with mjsim, is missing; install mjsim anew")
    folders = [Path(place) for place in spec.submodule_search_locations or []]
    if not any(folder.exists() and ours.exists() and folder.samefile(ours) for folder in folders):
        found = folders[0] if folders else spec.origin
        raise MjsimError(
            f"{found}: hides mjsim's own package 'analysis'; run the command mjsim instead of python -m mjsim,"
            " or start it in another folder"
        )


def summary_of_run(folder: str | os.PathLike[str]) -> "Summary":
    """The summary of a run folder."""
    require_analysis()
    return _summary_of(open_run(folder))


def _summary_of(run: Run) -> "Summary":
    from analysis.answers.summary import summarise

    with reading(run):
        return summarise(deals_of(run), run.manifest.model_dump())


def deals_of(run: Run) -> "pl.LazyFrame | Aggregate":
    """The deals of a run, or what they came to where that is all it keeps."""
    return run.scan() if run.manifest.counts is None else kept_of(run).total().counts


def kept_of(run: Run) -> "Kept":
    """The counts that a run keeps in place of its deals."""
    from analysis.counts.stored import Kept

    counts = run.manifest.counts
    return Kept.from_json(run.counts(), run.storage.shown("" if counts is None else counts.file))


#: What a page needs beyond the core: the extra `report` of the package.
REPORT_NEEDS: Final = ("jinja2", "markupsafe", "matplotlib")


def require_report() -> None:
    """Refuse to go on where what pages are made with is not installed."""
    missing = [name for name in REPORT_NEEDS if find_spec(name) is None]
    if missing:
        raise MjsimError(f"a page needs {', '.join(missing)}; install them with: pip install 'mjsim[report]'")


def write_report(
    run: Run, out: Path, lang: "Lang", format: "ReportFormat" = "html", players: "ByPlayer | None" = None
) -> None:
    """Write the report of a run: a page, or its numbers in another form; with other players if they played."""
    refuse_unwritable(out)
    if format == "html":
        require_report()
        from analysis.report import write_report

        with reading(run):
            write_report(deals_of(run), run.manifest.model_dump(), out, lang, players)
    else:
        from analysis.display.files import write_text
        from analysis.display.render import render

        write_text(render(_summary_of(run).beside(players), format, lang), out)


def refuse_unwritable(file: Path) -> None:
    """Refuse a file that cannot be written, before anything is played or read."""
    require_analysis()
    from analysis.display.files import refuse_unwritable

    refuse_unwritable(file)


@contextmanager
def reading(run: Run) -> Iterator[None]:
    """Say which run it is whose shards cannot be read."""
    from narwhals.exceptions import NarwhalsError
    from polars.exceptions import PolarsError

    try:
        yield
    except (NarwhalsError, PolarsError, OSError) as error:
        first_line = str(error).partition("\n")[0]
        raise RunError(f"{run.folder}: a shard cannot be read; has it been changed? ({first_line})") from error
