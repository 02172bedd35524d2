"""Kernels that check every index play the same deals: none reads or writes outside its arrays and tables."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mjsim.players import BUILTIN
from mjsim.rules import builtin_names
from tests.commands import ROOT
from tests.test_campaigns import write_counts
from tests.test_isa import checksums

CHECKED = {"NUMBA_BOUNDSCHECK": "1"}


def test_the_checks_see_one_too_far(tmp_path: Path) -> None:
    environment = {**os.environ, **CHECKED, "PYTHONPATH": str(ROOT), "MJSIM_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.too_far"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout).values()) == {"refused"}, done.stdout
    assert len(json.loads(done.stdout)) == 7


@pytest.mark.usefixtures("compiled_engine")
def test_checked_kernels_play_the_same_deals(tmp_path: Path) -> None:
    plays = [("liuzhou", "value", 2_000), ("nanning_folk", "value", 500)]
    assert checksums(plays, CHECKED, tmp_path) == checksums(plays, {}, None)


@pytest.mark.campaign
def test_checked_kernels_play_many_deals(tmp_path: Path) -> None:
    plays = [
        (rules, player, 200 if player == "rollout" else 100_000) for rules in builtin_names() for player in BUILTIN
    ]
    found = checksums(plays, CHECKED, tmp_path)
    expected = checksums(plays, {}, None)
    write_counts(
        "bounds",
        {
            "deals": {f"{rules} {player}": deals for rules, player, deals in plays},
            "different": sorted(name for name in expected if found[name] != expected[name]),
        },
    )
    assert found == expected
