"""Seeded faults in rules, settlement, deal and analysis: some test notices each one."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import ROOT
from tests.mutants.table import MUTANTS, Mutant
from tests.test_campaigns import write_counts

ALIKE = shutil.ignore_patterns(".*", "__pycache__", "runs", "build", "dist", "*.egg-info", "campaigns")
#: What pytest ends with where tests ran and some failed.
TESTS_FAILED = 1


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the tree to put faults into."""
    copy = tmp_path_factory.mktemp("mutants") / "tree"
    shutil.copytree(ROOT, copy, ignore=ALIKE)
    yield copy
    shutil.rmtree(copy)


@pytest.mark.parametrize("mutant", MUTANTS, ids=[f"{each.file}-{number}" for number, each in enumerate(MUTANTS)])
def test_each_fault_stands_at_one_place(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.text) == 1
    assert mutant.fault != mutant.text
    for test in mutant.tests:
        assert (ROOT / test.partition("::")[0]).is_file()


def test_there_are_faults_everywhere() -> None:
    places = Counter("/".join(mutant.file.split("/")[:2]) for mutant in MUTANTS)
    assert len(MUTANTS) >= 40
    assert min(places[place] for place in ("mjsim/rules", "mjsim/settle.py", "mjsim/deal", "analysis/counts")) >= 5


def noticed(tree: Path, mutant: Mutant) -> tuple[bool, str]:
    """Whether a test fails with a fault in the tree, and the first that does, or what pytest said otherwise."""
    file = tree / mutant.file
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(mutant.text, mutant.fault), encoding="utf-8")
    try:
        done = run_tests(tree, mutant.tests, jit=mutant.jit)
    finally:
        file.write_text(text, encoding="utf-8")
    failed = [
        line.removeprefix("FAILED ").partition(" - ")[0] for line in done.stdout.splitlines() if "FAILED " in line
    ]
    return done.returncode == TESTS_FAILED and bool(failed), failed[0] if failed else done.stdout[-500:]


def run_tests(tree: Path, tests: tuple[str, ...], *, jit: bool) -> subprocess.CompletedProcess[str]:
    """Run tests of a tree, up to the first that fails."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_DISABLE_JIT": str(int(not jit)),
        "PYTEST_ADDOPTS": "",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "--no-header",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        *tests,
    ]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.campaign
def test_every_fault_is_noticed(tree: Path) -> None:
    for tests, jit in sorted({(mutant.tests, mutant.jit) for mutant in MUTANTS}):
        done = run_tests(tree, tests, jit=jit)
        assert done.returncode == 0, f"without any fault, {tests} fail: {done.stdout[-2000:]}"
    outcomes = {f"{each.file}: {each.text.strip()} -> {each.fault.strip()}": noticed(tree, each) for each in MUTANTS}
    missed = {fault: told for fault, (found, told) in outcomes.items() if not found}
    by_file = Counter(mutant.file for mutant in MUTANTS)
    write_counts(
        "mutants",
        {
            "faults": len(MUTANTS),
            "noticed": len(MUTANTS) - len(missed),
            "by_file": dict(by_file),
            "noticed_by": {fault: told for fault, (found, told) in outcomes.items() if found},
            "missed": sorted(missed),
        },
    )
    assert missed == {}
