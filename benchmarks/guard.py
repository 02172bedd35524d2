"""``python -m benchmarks.guard`` (``make guard``): whether the kernels cost more than when that was last written down.

Time tells too little on a shared machine; what callgrind counts hardly changes from run to run. A kernel's *cost* is
its instructions, and 10 for each miss of the first cache and 15 for each mispredicted branch: a rough clock. The caches
are always the same imagined ones. ``--write`` writes down what there is now, which belongs into a commit that says why
it is more.
"""

import json
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.counters import EMPTY, counted
from benchmarks.limits import ROUND

WRITTEN: Final = Path(__file__).parent / "instructions.json"
ALLOWED: Final = 0.07
CACHES: Final = ("--D1=32768,8,64", "--LL=8388608,16,64")
#: What the compiler is made of: other versions make other code.
COMPILER: Final = ("numba", "llvmlite")
ROUNDS: Final = 5_000


def cost(found: dict[str, Any]) -> float:
    """What one call costs, in instructions.

    >>> cost({"instructions": 100.0, "first_cache_misses": 2.0, "mispredicted": 1.0})
    135.0
    """
    return float(found["instructions"] + 10 * found["first_cache_misses"] + 15 * found["mispredicted"])


def compiler() -> dict[str, str]:
    """Versions of what makes the code."""
    return {name: metadata.version(name) for name in COMPILER}


def dearer(now: dict[str, float], before: dict[str, float]) -> list[str]:
    """Kernels that cost more than before by more than is allowed, or that were not written down.

    >>> dearer({"a": 106.0, "b": 108.0, "c": 1.0}, {"a": 100.0, "b": 100.0})
    ['b', 'c']
    """
    return [name for name, found in now.items() if name not in before or found > before[name] * (1 + ALLOWED)]


def shown(now: dict[str, float], before: dict[str, float]) -> Table:
    """Now beside before."""
    table = Table(title="cost of a call, in instructions", title_justify="left")
    for heading in ("kernel", "written down", "now", "change"):
        table.add_column(heading, justify="left" if heading == "kernel" else "right")
    for name, found in now.items():
        known = before.get(name)
        change = "new" if known is None else f"{found / known - 1:+.1%}"
        table.add_row(name, "" if known is None else f"{known:,.1f}", f"{found:,.1f}", change)
    return table


def main(write: Annotated[bool, typer.Option("--write", help="Write down what kernels cost now.")] = False) -> None:
    """Compare what kernels cost with what was written down; status 1 where one costs over 7 % more."""
    with tempfile.TemporaryDirectory() as folder:
        found = counted(Path(folder), ROUNDS, CACHES)
    if not found:
        print("benchmarks.guard: needs valgrind, which is not installed here; nothing was compared", file=sys.stderr)
        raise typer.Exit(2)
    now = {each["name"]: cost(each) for each in found if each["name"] not in (EMPTY, ROUND)}
    if write:
        text = json.dumps({"compiler": compiler(), "cost": now}, indent=1, ensure_ascii=False)
        WRITTEN.write_text(text + "\n", encoding="utf-8")
        print(f"{WRITTEN}: written")
        return
    record = json.loads(WRITTEN.read_text(encoding="utf-8"))
    Console().print(shown(now, record["cost"]))
    if record["compiler"] != compiler():
        print(f"benchmarks.guard: written down with {record['compiler']}, not {compiler()}: only shown")
        return
    if worse := dearer(now, record["cost"]):
        print(f"benchmarks.guard: over {ALLOWED:.0%} dearer: {', '.join(worse)}", file=sys.stderr)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
