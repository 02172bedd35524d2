"""Summaries and reports of deals: the only part of mjsim that knows `analysis`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import mjsim
from mjsim.dataset.frames import Columns, to_polars
from mjsim.dataset.run import Manifest, Run, open_run
from mjsim.errors import MjsimError, RunError

if TYPE_CHECKING:
    from analysis.aggregate import Aggregate
    from analysis.summary import Summary
    from mjsim.cli.choices import Format, Lang


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


class Counts:
    """What a summary needs of deals that are played shard by shard and not kept."""

    def __init__(self) -> None:
        self._total: Aggregate | None = None

    @property
    def deals(self) -> int:
        """How many deals were counted."""
        return 0 if self._total is None else self._total.deals

    def add(self, columns: Columns) -> None:
        """Count a shard."""
        from analysis.aggregate import aggregate

        counted = aggregate(to_polars(columns).lazy())
        self._total = counted if self._total is None else self._total + counted

    def summary(self, manifest: Manifest) -> "Summary":
        """The summary of all deals counted; there must be some."""
        from analysis.summary import summary_of

        assert self._total is not None
        return summary_of(self._total, manifest.model_dump())


def summary_of_run(folder: Path) -> "Summary":
    """The summary of a run folder."""
    require_analysis()
    from analysis.summary import summarise

    run = open_run(folder)
    with _reading(run):
        return summarise(run.scan(), run.manifest.model_dump())


def print_summary(summary: "Summary", format: "Format", lang: "Lang") -> None:
    """Print a summary on standard output, coloured on a terminal."""
    from analysis.render import render, renderables

    if format == "table" and sys.stdout.isatty():
        from rich.console import Console

        console = Console(highlight=False)
        for part in renderables(summary, lang):
            console.print(part)
    else:
        sys.stdout.write(render(summary, format, lang))


def write_report(folder: Path, out: Path, lang: "Lang") -> None:
    """Write the report of a run folder."""
    require_analysis()
    _refuse_unwritable(out)
    from analysis.report import write_report

    run = open_run(folder)
    with _reading(run):
        write_report(run.scan(), run.manifest.model_dump(), out, lang)


def _refuse_unwritable(file: Path) -> None:
    """Refuse a page that cannot be written, before its run is read."""
    try:
        _refuse_odd(file)
    except OSError as error:
        raise RunError(f"{str(file)[:80]}: the report cannot be written: {error.strerror}") from error


def _refuse_odd(file: Path) -> None:
    if not file.name:
        raise RunError("--out is empty; name the HTML file to write")
    if file.exists() and not file.is_dir() and not file.is_file():
        raise RunError(f"{file}: the report cannot be written: it is no ordinary file")
    if file.is_dir():
        raise RunError(f"{file}: the report cannot be written: it is a folder")
    if not file.parent.is_dir():
        raise RunError(f"{file}: the report cannot be written: there is no folder {file.parent}")
    if not os.access(file.parent, os.W_OK):
        raise RunError(f"{file}: the report cannot be written: no permission in {file.parent}")


@contextmanager
def _reading(run: Run) -> Iterator[None]:
    """Say which run it is whose shards cannot be read."""
    from polars.exceptions import PolarsError

    try:
        yield
    except (PolarsError, OSError) as error:
        first_line = str(error).partition("\n")[0]
        raise RunError(f"{run.folder}: a shard cannot be read; has it been changed? ({first_line})") from error
