"""The licence list of everything that is installed with mjsim: ``python -m tests.supply.licences`` writes it anew."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Final

from tests.commands import ROOT

LOCK: Final = ROOT / "requirements.lock"
PAGE: Final = ROOT / "docs" / "licences.md"

#: SPDX expressions of packages whose metadata have none, read in their licence files.
READ: Final = {
    "colorama": "BSD-3-Clause",
    "contourpy": "BSD-3-Clause",
    "cycler": "BSD-3-Clause",
    "fonttools": "MIT",
    "jinja2": "BSD-3-Clause",
    "kiwisolver": "BSD-3-Clause",
    "markdown-it-py": "MIT",
    "matplotlib": "LicenseRef-Matplotlib",
    "mdurl": "MIT",
    "numba": "BSD-2-Clause",
    "polars": "MIT",
    "polars-runtime-32": "MIT",
    "rich": "MIT",
    "scipy": "BSD-3-Clause",
    "shellingham": "ISC",
    "tzdata": "Apache-2.0",
}

_HEADING: Final = """\
# Licences of what is installed with mjsim

mjsim itself is under the [MIT licence](../LICENSE), the font of its reports under the
[Open Font License](../analysis/fonts/OFL.txt). `make venv`, and `pip install 'mjsim[report]'`, also install the
packages below, in the versions of `requirements.lock`; each comes in its own distribution, none is copied into
mjsim's. All are permissive; `LicenseRef-Matplotlib` is a licence in the manner of Python's (PSF-2.0). Wheels of numpy
and scipy also carry OpenBLAS (BSD-3-Clause) and run-time libraries of GCC (GPL-3.0-or-later WITH GCC-exception-3.1:
using them asks nothing).

This page is written by `python -m tests.supply.licences`; a test compares it with the lock file.

| package | version | licence (SPDX) | where |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Locked:
    """A package of the lock file."""

    name: str
    version: str
    where: str
    hashes: int


def locked() -> Iterator[Locked]:
    """Every package of the lock file, in its order."""
    for entry in re.split(r"\n(?=\S)", LOCK.read_text(encoding="utf-8").strip()):
        head = re.match(r"([a-z0-9-]+)==([^ ;]+)(?: ; ([^\\]+?))? \\\n", entry)
        assert head, entry
        yield Locked(head[1], head[2], head[3] or "everywhere", entry.count("--hash=sha256:"))


def said(name: str) -> str | None:
    """The licence that an installed package's own metadata give; None where it is not installed or they give none."""
    try:
        found = metadata.metadata(name).json.get("license_expression")
    except metadata.PackageNotFoundError:
        return None
    return found if isinstance(found, str) else None


def page() -> str:
    """The page of licences."""
    rows = [
        f"| {each.name} | {each.version} | {READ.get(each.name) or said(each.name)} | {each.where} |"
        for each in locked()
    ]
    return _HEADING + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
