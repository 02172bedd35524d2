"""Which lines of the kernels tests run, with the JIT off: ``python -m tests.kernel_coverage`` measures and prints it.

Compiled lines cannot be watched, so the kernels run as plain Python. A kernel is any function with one of the
decorators of `mjsim.jit`; a line is one that `coverage` counts as a statement.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.commands import ROOT

#: Tests that together run nearly every line, and are short without the JIT.
TESTS: Final = (
    "tests/plain_kernels.py",
    "tests/test_score.py",
    "tests/test_made_deals.py",
    "tests/test_referee.py::test_referee_agrees[nanning_laiyouxi-random-0]",
)

_DECORATORS: Final = {"kernel", "inlined", "entry", "entry_on_call", "overloads"}


def kernel_lines(source: str) -> Iterator[tuple[str, range]]:
    """Every kernel of a module with the lines of its body."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and any(_is_ours(each) for each in node.decorator_list):
            yield node.name, range(node.body[0].lineno, (node.end_lineno or 0) + 1)


def _is_ours(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "jit"
        and function.attr in _DECORATORS
    )


def measure(tests: tuple[str, ...] = TESTS) -> dict[str, Any]:
    """Run tests with the JIT off, and count the lines of the kernels that ran.

    Returns
    -------
    dict
        ``lines``, ``run`` and ``share`` of all kernels, ``by_file``, and ``missed``: each file's that did not run.
    """
    with tempfile.TemporaryDirectory(prefix="mjsim-coverage-") as folder:
        data, report = Path(folder) / "data", Path(folder) / "report.json"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(data)}
        run = [sys.executable, "-m", "coverage"]
        pytest = ["-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
        for command in ([*run, "run", "--source=mjsim", *pytest], [*run, "json", "-q", "-o", str(report)]):
            done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        return counted(json.loads(report.read_text(encoding="utf-8")))


def counted(report: dict[str, Any]) -> dict[str, Any]:
    """The lines of kernels in a report of `coverage`."""
    by_file: dict[str, list[int]] = {}
    missed: dict[str, list[int]] = {}
    lines, ran = 0, 0
    for name, found in sorted(report["files"].items()):
        inside = {line for _, body in kernel_lines((ROOT / name).read_text(encoding="utf-8")) for line in body}
        executed, missing = (sorted(inside & set(found[key])) for key in ("executed_lines", "missing_lines"))
        if executed or missing:
            by_file[name] = [len(executed), len(executed) + len(missing)]
            missed |= {name: missing} if missing else {}
        lines += len(executed) + len(missing)
        ran += len(executed)
    return {"lines": lines, "run": ran, "share": round(ran / lines, 4), "by_file": by_file, "missed": missed}


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
