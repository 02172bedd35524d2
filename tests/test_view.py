"""What players are shown: every documented field at every decision of some deals, and nothing of what is hidden."""

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def documented_fields() -> list[str]:
    """Every field that docs/players.md names."""
    fields: list[str] = []
    part = ""
    for line in (ROOT / "docs" / "players.md").read_text(encoding="utf-8").splitlines():
        title = re.match(r"\| `view\.(own|table)`", line)
        if title:
            part = title[1]
        elif line.startswith("| `"):
            fields += [f"{part}.{name}" for name in re.findall(r"`([a-z_]+)`", line.split("|")[1])]
        elif line.startswith("## Decisions"):
            break
    return fields


@functools.cache
def watched() -> dict[str, Any]:
    """What the watcher saw; it needs the JIT off, so it is a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.watching"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_fields_are_those_documented() -> None:
    assert watched()["problems"].keys() == {*documented_fields(), "table.version"}


@pytest.mark.parametrize("field", [*documented_fields(), "table.version"])
def test_a_field_is_as_the_twin_says(field: str) -> None:
    assert watched()["problems"][field] == []


@pytest.mark.parametrize(
    "situation",
    [
        *("fish", "turn", "reaction", "turn without a draw", "waiting", "locked", "robbing", "last tile"),
        *("chow", "pung", "kong", "kong+", "kong-", "own concealed kong"),
    ],
)
def test_the_views_met_it(situation: str) -> None:
    assert watched()["met"].get(situation, 0) >= 2


def test_enough_views_were_compared() -> None:
    assert watched()["met"]["views"] > 3000


def test_hidden_tiles_do_not_show() -> None:
    assert watched()["hidden"] == []
