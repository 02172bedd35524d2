"""How much of the kernels the plain-Python tests run; ``reports/campaigns/coverage.json`` says which lines are left."""

import pytest

from tests.commands import ROOT
from tests.kernel_coverage import TESTS, kernel_lines, measure
from tests.test_campaigns import write_counts

#: Share of the kernels' lines that have to be run.
ENOUGH = 0.95


def test_kernels_are_told_from_other_functions() -> None:
    source = "@jit.kernel\ndef f(x):\n    y = x\n    return y\n\n\ndef g(x):\n    return x\n"
    assert [(name, list(lines)) for name, lines in kernel_lines(source)] == [("f", [3, 4])]
    settling = dict(kernel_lines((ROOT / "mjsim/settle.py").read_text(encoding="utf-8")))
    assert {"settle", "pay", "settle_fish"} <= set(settling)


@pytest.mark.campaign
def test_the_kernels_lines_run_as_plain_python() -> None:
    found = measure()
    write_counts("coverage", {"tests": list(TESTS), **found})
    assert found["lines"] > 2000
    assert found["share"] >= ENOUGH
