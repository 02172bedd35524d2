"""Many deals: the same columns however they are played, and what holds in every deal."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mjsim
from mjsim.dataset.columns import COLUMN_NAMES, COLUMNS, PAIRS
from mjsim.engine import Plan
from mjsim.errors import RunError
from mjsim.players import players_for_seats
from mjsim.ranges import chunk_starts, shard_ranges
from mjsim.rules import load_rules
from mjsim.simulation import Simulation, simulate_to_folder

PLAYERS = ("random", "noisy", "fast")


def digest(columns: dict[str, npt.NDArray[Any]]) -> str:
    content = hashlib.sha256()
    for name in COLUMN_NAMES:
        content.update(name.encode())
        content.update(str(columns[name].dtype).encode())
        content.update(np.ascontiguousarray(columns[name]).tobytes())
    return content.hexdigest()


@pytest.fixture(scope="module", params=PLAYERS)
def played(request: pytest.FixtureRequest) -> Simulation:
    return mjsim.simulate("liuzhou", deals=20_000, seed=11, players=request.param)


@pytest.mark.parametrize(
    ("threads", "chunk"), [(1, 4096), (2, 4096), (7, 4096), (1, 1_000_000), (2, 1), (3, 37), (7, 513)]
)
@pytest.mark.parametrize("session", [1, 6])
def test_the_same_bytes_for_any_threads_and_chunks(threads: int, chunk: int, session: int) -> None:
    deals = 3000 if chunk > 30 else 200
    base = mjsim.simulate("liuzhou", deals=deals, seed=3, players="noisy", session=session, threads=1)
    other = mjsim.simulate(
        "liuzhou", deals=deals, seed=3, players="noisy", session=session, threads=threads, chunk=chunk
    )
    assert digest(base.columns) == digest(other.columns)


@pytest.mark.parametrize("session", [1, 4, 7, 5000])
def test_any_part_of_a_run_equals_the_whole(session: int) -> None:
    whole = mjsim.simulate("liuzhou", deals=1200, seed=9, session=session)
    part = mjsim.simulate("liuzhou", deals=311, first=533, seed=9, session=session)
    for name in COLUMN_NAMES:
        assert (whole.columns[name][533:844] == part.columns[name]).all(), name


def test_the_same_bytes_with_the_jit_off() -> None:
    """A separate process plays a few deals in plain Python, where every read and write is checked."""
    script = (
        "import json, mjsim\n"
        "from mjsim import jit\n"
        "assert jit.DISABLED\n"
        "out = {}\n"
        "for players, deals in (('fast', 8), ('noisy', 8), ('random', 4)):\n"
        "    run = mjsim.simulate('liuzhou', deals=deals, first=40, seed=3, players=players, session=3, threads=1)\n"
        "    out[players] = {name: values.tolist() for name, values in run.columns.items()}\n"
        "print(json.dumps(out))\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    for players, columns in plain.items():
        deals = len(columns["deal"])
        compiled = mjsim.simulate("liuzhou", deals=deals, first=40, seed=3, players=players, session=3)
        for name in COLUMN_NAMES:
            assert compiled.columns[name].tolist() == columns[name], (players, name)


def test_points_are_conserved(played: Simulation) -> None:
    columns = {name: values.astype(np.int64) for name, values in played.columns.items()}
    for part in ("hand", "liability", "kongs", "fish", "net"):
        assert not np.sum([columns[f"{part}_{seat}"] for seat in range(4)], axis=0).any(), part
    for seat in range(4):
        parts = columns[f"hand_{seat}"] + columns[f"kongs_{seat}"] + columns[f"fish_{seat}"]
        assert (columns[f"net_{seat}"] == parts).all()
        signs = [
            (1 if first == seat else -1, f"flow_{first}{second}") for first, second in PAIRS if seat in (first, second)
        ]
        flow = np.sum([sign * columns[name] for sign, name in signs], axis=0)
        assert (flow == columns[f"hand_{seat}"] + columns[f"kongs_{seat}"]).all()


def test_tiles_are_conserved(played: Simulation) -> None:
    """Live tiles, draws and reserved tiles add up to the wall, and the rest is counted by seat."""
    columns = {name: values.astype(np.int64) for name, values in played.columns.items()}
    assert (53 + columns["draws"] + columns["left"] + 8 == 136).all()
    assert (np.sum([columns[f"rest_{seat}"] for seat in range(4)], axis=0) == columns["left"]).all()


def test_columns_are_what_they_say(played: Simulation) -> None:
    columns = played.columns
    assert tuple(columns) == COLUMN_NAMES
    assert (columns["deal"] == np.arange(20_000)).all()
    assert (columns["session"] == columns["deal"]).all()
    assert (columns["dealer"] == columns["deal"] % 4).all()
    winners = np.bitwise_count(columns["winners"])
    drawn = columns["outcome"] == 3
    assert (winners[drawn] == 0).all()
    assert (winners[~drawn] >= 1).all()
    assert (winners[columns["outcome"] == 0] == 1).all()
    assert ((columns["win_tile"] == -1) == drawn).all()
    for column in COLUMNS:
        assert columns[column.name].dtype == column.dtype
        if column.labels:
            assert columns[column.name].max() < len(column.labels)
    single = winners == 1
    winner = np.argmax([columns["winners"] >> seat & 1 for seat in range(4)], axis=0)
    assert (columns["next_dealer"][single] == winner[single]).all()
    assert (columns["next_dealer"][drawn] == columns["dealer"][drawn]).all()
    several = winners > 1
    assert (columns["next_dealer"][several] == columns["from_seat"][several]).all()


def test_dealers_follow_within_a_session() -> None:
    columns = mjsim.simulate("liuzhou", deals=5000, seed=2, players="noisy", session=25).columns
    first = columns["hand"] == 0
    assert (columns["dealer"][first] == columns["session"][first] % 4).all()
    later = ~first[1:]
    assert (columns["dealer"][1:][later] == columns["next_dealer"][:-1][later]).all()
    assert (columns["session"] == np.arange(5000) // 25).all()


def test_walls_do_not_depend_on_rules_or_players() -> None:
    """Common random numbers: the reserved tiles and the dice of a deal are the same whatever is played."""
    plain = mjsim.simulate("liuzhou", deals=300, seed=4, players="fast").columns
    other = mjsim.simulate(load_rules("liuzhou", chow=False), deals=300, seed=4, players="random").columns
    walls = mjsim.walls(4, 0, 300)
    for label in range(1, 9):
        assert (plain[f"fish_tile_{label}"] == walls[:, 127 + label]).all()
        assert (other[f"fish_tile_{label}"] == walls[:, 127 + label]).all()
    assert (plain["dice"] == other["dice"]).all()


def test_a_run_folder_holds_the_columns(tmp_path: Path) -> None:
    result = mjsim.simulate("liuzhou", deals=2500, seed=8, players="noisy")
    result.write(tmp_path / "run")
    run = mjsim.open_run(tmp_path / "run")
    frame = run.to_polars()
    assert frame.columns == list(COLUMN_NAMES)
    assert frame.equals(result.to_polars())
    assert run.to_pandas().equals(result.to_pandas())
    assert frame["outcome"].dtype.categories.to_list() == ["self_draw", "discard", "rob_kong", "drawn"]  # type: ignore[attr-defined]  # Enum
    assert run.rules == load_rules("liuzhou")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["deals-00000.parquet", "run.json"]
    shard = run.manifest.shards[0]
    assert hashlib.sha256((tmp_path / "run" / shard.file).read_bytes()).hexdigest() == shard.sha256


def test_a_folder_written_shard_by_shard_equals_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mjsim.ranges.SHARD_DEALS", 1000)
    plan = Plan(load_rules("liuzhou"), players_for_seats("noisy"), seed=8, session=7)
    seen: list[int] = []
    manifest = simulate_to_folder(plan, tmp_path / "run", deals=3456, first=500, chunk=100, progress=seen.append)
    assert [shard.deals for shard in manifest.shards] == [500, 1000, 1000, 956]
    assert seen == sorted(seen)
    assert seen[-1] == 3456
    memory = mjsim.simulate("liuzhou", deals=3456, first=500, seed=8, players="noisy", session=7)
    assert mjsim.open_run(tmp_path / "run").to_polars().equals(memory.to_polars())


def test_nothing_is_left_of_a_run_that_failed(tmp_path: Path) -> None:
    plan = Plan(load_rules("liuzhou"), players_for_seats("fast"))

    def fail(_played: int) -> None:
        raise RuntimeError("stopped by the test")

    with pytest.raises(RuntimeError, match="stopped by the test"):
        simulate_to_folder(plan, tmp_path / "run", deals=10_000, progress=fail)
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="exists already"):
        simulate_to_folder(Plan(load_rules("liuzhou"), players_for_seats("fast")), tmp_path, deals=10)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("deals", value) for value in (0, -5, 10**15)),
        *(("seed", value) for value in (-1, 1 << 64)),
        *(("session", value) for value in (0, 70_000)),
        *(("fish", value) for value in (3, -1)),
        ("first", -1),
        ("threads", -2),
        ("chunk", 0),
    ],
)
def test_numbers_out_of_range_are_refused(key: str, value: int) -> None:
    arguments: dict[str, Any] = {"deals": 10, key: value}
    with pytest.raises(RunError, match=rf"{key}"):
        mjsim.simulate("liuzhou", **arguments)


def test_ranges() -> None:
    assert list(chunk_starts(0, 10, session=1, chunk=4)) == [(0, 4), (4, 4), (8, 2)]
    assert list(chunk_starts(0, 10, session=6, chunk=4)) == [(0, 6), (6, 4)]
    assert list(shard_ranges(0, 1 << 20)) == [(0, 1 << 20)]
