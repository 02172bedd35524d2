"""The same deals whatever instructions the processor has: kernels compiled for others give the same checksums."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import processors
from mjsim.players import BUILTIN
from tests.commands import ROOT

#: What the benchmarks compare, but for this processor itself.
PROCESSORS = {name: environment for name, environment in processors.PROCESSORS.items() if environment}
PROGRAM = """
import hashlib, json, sys
import mjsim
found = {}
for rules, players, deals in json.loads(sys.argv[1]):
    columns = mjsim.simulate(rules, deals=deals, seed=77, players=players, session=4, threads=1).columns
    content = b"".join(columns[name].tobytes() for name in sorted(columns))
    found[f"{rules} {players}"] = hashlib.sha256(content).hexdigest()
print(json.dumps(found))
"""


def checksums(plays: list[tuple[str, str, int]], processor: dict[str, str], cache: Path | None) -> dict[str, str]:
    """The checksum of all columns of some deals, played by a process for a processor."""
    environment = {**os.environ, **processor, "PYTHONPATH": str(ROOT)}
    if cache is not None:
        environment["MJSIM_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(plays)], env=environment, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


needs_x86 = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="these instructions are those of x86-64"
)


@needs_x86
@pytest.mark.usefixtures("compiled_engine")
def test_plain_x86_64_plays_the_same_deals(tmp_path: Path) -> None:
    plays = [("liuzhou", "value", 300)]
    assert checksums(plays, PROCESSORS["plain x86-64, as in 2003"], tmp_path) == checksums(plays, {}, None)


@needs_x86
@pytest.mark.campaign
@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_player_plays_the_same_deals(processor: str, tmp_path: Path) -> None:
    plays = [
        (rules, player, 5 if player == "rollout" else 20_000)
        for rules in ("liuzhou", "nanning_folk", "nanning_laiyouxi")
        for player in BUILTIN
    ]
    assert checksums(plays, PROCESSORS[processor], tmp_path) == checksums(plays, {}, None)
