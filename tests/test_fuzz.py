"""Damaged input of every kind: an answer or a refusal, never a traceback, a hang or a message without bounds."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

import pytest

from tests.commands import ROOT
from tests.fuzz.campaign import NAMES, fuzz
from tests.test_campaigns import write_counts

SEED = 1
MOST_MEGABYTES = 1500

# Inputs in the suite, of a seeded campaign, and of one that coverage guides.
INPUTS = {
    "tiles": (20_000, 300_000, 200_000),
    "rulesets": (8000, 200_000, 100_000),
    "cases": (8000, 200_000, 100_000),
    "manifests": (4000, 100_000, 100_000),
    "commands": (100, 1000, 400),
}

pytestmark = pytest.mark.usefixtures("compiled_engine")


def test_the_campaigns_try_a_million_inputs() -> None:
    assert set(INPUTS) == set(NAMES)
    assert sum(seeded for _, seeded, _ in INPUTS.values()) + sum(guided for _, _, guided in INPUTS.values()) >= 10**6


@pytest.mark.parametrize("name", NAMES)
def test_damaged_input(name: str) -> None:
    found = fuzz(name, INPUTS[name][0], seed=0)
    assert found.faults == []
    assert found.inputs == INPUTS[name][0]
    # A campaign that accepts nothing, or refuses nothing, tries the wrong inputs.
    assert min(found.accepted, found.refused) * 100 > found.inputs


@pytest.mark.campaign
@pytest.mark.parametrize("name", NAMES)
def test_fuzz_campaign(name: str) -> None:
    done = _python("-m", "tests.fuzz", name, str(INPUTS[name][1]), str(SEED))
    assert done.returncode == 0, done.stderr[-2000:]
    counts = json.loads(done.stdout)
    write_counts(f"fuzz-{name}", counts)
    assert counts["first"] == []
    assert counts["inputs"] == INPUTS[name][1]
    assert counts["peak_megabytes"] < MOST_MEGABYTES


@pytest.mark.campaign
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris, which guides the fuzzer, is missing")
@pytest.mark.parametrize("name", NAMES)
def test_guided_fuzz_campaign(name: str) -> None:
    runs = INPUTS[name][2]
    with tempfile.TemporaryDirectory(prefix="mjsim-fuzz-") as folder:
        options = (f"-runs={runs}", f"-seed={SEED}", f"-artifact_prefix={folder}{os.sep}")
        done = _python("-m", "tests.fuzz.guided", name, *options)
    printed = done.stderr[-4000:]
    assert done.returncode == 0, printed
    numbers = {key: int(value) for key, value in re.findall(r"^stat::(\w+): +(\d+)$", printed, re.MULTILINE)}
    counts = {
        "inputs": numbers["number_of_executed_units"],
        "inputs_that_reached_new_branches": numbers["new_units_added"],
        "faults": 0,
        "seed": SEED,
        "peak_megabytes": numbers["peak_rss_mb"],
    }
    write_counts(f"fuzz-guided-{name}", counts)
    assert counts["inputs"] >= runs
    assert counts["peak_megabytes"] < MOST_MEGABYTES


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
