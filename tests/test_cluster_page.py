"""The page about other processes and machines: its programs run, and the sizes of tasks are the code's."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mjsim
from mjsim.dataset.run import SHARD_DEALS
from mjsim.simulation import _TASK_DEALS
from tests.commands import ROOT

PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
ADDRESS = "tcp://10.0.0.1:8786"
MANY, FEW = "1_000_000", "3_000"

pytestmark = pytest.mark.usefixtures("compiled_engine")


def programs() -> list[str]:
    """The page's programs, which play fewer deals here."""
    return [body.replace(MANY, FEW) for body in re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)]


def printed(program: str, folder: Path) -> str:
    """What a program prints that stands in a file of a folder."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    found = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])}
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False, env=found)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_processes_play_what_the_page_says(tmp_path: Path) -> None:
    expected = mjsim.simulate("liuzhou", deals=3_000, seed=1)
    assert printed(programs()[0], tmp_path) == f"{expected}\n"


def test_a_player_of_ones_own_plays_on_processes(tmp_path: Path) -> None:
    *_, mine, program = programs()
    (tmp_path / "mine.py").write_text(mine, encoding="utf-8")
    assert float(printed(program, tmp_path)) < 0


def test_the_program_for_a_cluster_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from distributed import LocalCluster

    (program,) = [each for each in programs() if ADDRESS in each]
    with LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", local_directory=str(tmp_path)
    ) as local:
        exec(compile(program.replace(ADDRESS, local.scheduler_address), "cluster.md", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out == f"{mjsim.simulate('liuzhou', deals=3_000, seed=1)}\n"


def test_the_page_names_the_sizes_of_tasks() -> None:
    assert f"A task is {_TASK_DEALS:,} deals" in PAGE
    assert f"a shard, 2^{SHARD_DEALS.bit_length() - 1} deals" in PAGE
