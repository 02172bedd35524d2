"""Deals played by other processes: executors of the standard library, and Dask clusters on this machine."""

import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from mjsim.dataset.run import open_run
from mjsim.dataset.shards import Shard
from mjsim.dataset.storage import storage_at
from mjsim.dataset.writer import Piece
from mjsim.elsewhere import Crew, Orders, Workers, write_piece
from mjsim.engine import Plan
from mjsim.errors import PlayerError, RunError
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.simulation import Simulation, simulate_to_folder
from mjsim.workers import Interrupts
from tests.commands import ROOT, run
from tests.guest_players import lowest_tile

pytestmark = pytest.mark.usefixtures("compiled_engine")

DEALS = 5_300
PLAN = Plan(load_rules("liuzhou"), players_for_seats("fast,random,noisy,fast"), seed=4, session=16)
COMMAND = ("simulate", "liuzhou", "--players", "fast,random,noisy,fast", "--seed", 4, "--session", 16, "--deals", DEALS)


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mjsim.ranges.SHARD_DEALS", "mjsim.cli.counting.SHARD_DEALS", "mjsim.simulation._TASK_DEALS"):
        monkeypatch.setattr(name, 1_000)


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def alone() -> Simulation:
    return mjsim.simulate(PLAN.rules, deals=DEALS, seed=PLAN.seed, players=PLAN.players, session=PLAN.session)


def same(found: Simulation, expected: Simulation) -> bool:
    return all(np.array_equal(values, expected.columns[name]) for name, values in found.columns.items())


def same_shards(folder: Path, other: Path) -> bool:
    one, two = (open_run(each).manifest for each in (folder, other))
    assert len(one.shards) == 6
    return one.shards == two.shards and one.status == two.status == "complete"


@pytest.mark.parametrize("threads", [None, 2])
def test_an_executor_plays_the_same_deals(processes: Executor, alone: Simulation, threads: int | None) -> None:
    told: list[int] = []
    found = mjsim.simulate(
        PLAN.rules,
        deals=DEALS,
        seed=PLAN.seed,
        players=PLAN.players,
        session=PLAN.session,
        executor=processes,
        threads=threads,
        progress=told.append,
    )
    assert same(found, alone)
    assert not found.interrupted
    assert told == sorted(told)
    assert told[-1] == DEALS


def test_threads_are_an_executor_too(alone: Simulation) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = mjsim.simulate(
            PLAN.rules, deals=DEALS, seed=PLAN.seed, players=PLAN.players, session=PLAN.session, executor=pool
        )
    assert same(found, alone)


def test_players_of_ones_own_are_sent_by_their_module(processes: Executor) -> None:
    own: dict[str, Any] = {"deals": 1_200, "seed": 3, "players": (lowest_tile, "fast", lowest_tile, "random")}
    assert same(mjsim.simulate("liuzhou", executor=processes, **own), mjsim.simulate("liuzhou", **own))


def test_a_player_that_stands_nowhere_is_refused(processes: Executor) -> None:
    player = mjsim.player(lambda view, legal, rng: 0)
    with pytest.raises(PlayerError, match="module of its own"):
        mjsim.simulate("liuzhou", deals=10, players=player, executor=processes)


def test_what_a_worker_finds_wrong_is_raised_here(processes: Executor) -> None:
    orders = Orders(PLAN, 1, "0.0.0", ("",) * 4)
    with pytest.raises(RunError, match=r"a worker has mjsim .*, not 0\.0\.0"):
        processes.submit(orders.play, 0, 10).result()
    orders = Orders(PLAN, 1, mjsim.__version__, ("other",) * 4)
    with pytest.raises(PlayerError, match="'fast' is another on a worker"):
        processes.submit(orders.play, 0, 10).result()


def test_workers_write_the_same_files(processes: Executor, tmp_path: Path) -> None:
    simulate_to_folder(PLAN, tmp_path / "here", deals=DEALS)
    simulate_to_folder(PLAN, tmp_path / "there", deals=DEALS, executor=processes)
    assert same_shards(tmp_path / "there", tmp_path / "here")


def test_a_folder_that_workers_do_not_share_is_refused(processes: Executor, tmp_path: Path) -> None:
    crew = Crew[Piece, Shard](Workers(processes), Interrupts())
    away = storage_at(tmp_path / "away")
    with pytest.raises(RunError, match="all workers must share it"):
        list(crew.results([Piece(0, 0, 10)], write_piece, lambda piece: (Orders.of(PLAN, 1), away, piece)))


def test_dead_processes_cost_nothing_that_is_finished(tmp_path: Path) -> None:
    """The pool breaks; what was recorded stays, and the run goes on from there."""
    folder = tmp_path / "run"
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:

        def kill_after_two(played: int) -> None:
            if played >= 2_000:
                for process in pool._processes.values():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process.pid or 0, signal.SIGKILL)

        with pytest.raises(RunError, match="the workers are gone or cannot work"):
            simulate_to_folder(PLAN, folder, deals=DEALS, executor=Workers(pool, lambda: 1), progress=kill_after_two)
    assert open_run(folder).manifest.deals >= 2_000
    assert open_run(folder).manifest.status == "interrupted"
    simulate_to_folder(PLAN, folder, deals=DEALS, resume=True)
    simulate_to_folder(PLAN, tmp_path / "here", deals=DEALS)
    assert same_shards(folder, tmp_path / "here")


def test_an_interrupt_keeps_what_workers_have_finished(processes: Executor, tmp_path: Path) -> None:
    interrupts = Interrupts()

    def stop(played: int) -> None:
        interrupts.requested = True

    manifest = simulate_to_folder(
        PLAN,
        tmp_path / "run",
        deals=DEALS,
        executor=Workers(processes, lambda: 1),
        progress=stop,
        interrupts=interrupts,
    )
    assert (manifest.status, manifest.deals) == ("interrupted", 1_000)


# --- Dask ------------------------------------------------------------------------------------------------------------


def python(*arguments: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A scheduler and two worker processes, started from the command line; the scheduler's address."""
    folder = tmp_path_factory.mktemp("dask")
    file = folder / "scheduler.json"
    local = ("--no-dashboard", "--scheduler-file", file)
    scheduler = python("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", 0, *local)
    workers = python(
        *("-m", "distributed.cli.dask_worker", "--nworkers", 2, "--nthreads", 1, "--host", "127.0.0.1", *local),
        *("--local-directory", folder),
    )
    try:
        deadline = time.monotonic() + 120
        while not (file.exists() and file.read_text().rstrip().endswith("}")):
            assert time.monotonic() < deadline
            assert scheduler.poll() is None
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"]
    finally:
        for process in (workers, scheduler):
            os.killpg(process.pid, signal.SIGTERM)
        for process in (workers, scheduler):
            process.wait(60)


def test_a_cluster_writes_the_same_run(cluster: str, tmp_path: Path) -> None:
    done = run(*COMMAND, "--out", tmp_path / "there", "--cluster", cluster)
    assert done.status == 0, done.err
    simulate_to_folder(PLAN, tmp_path / "here", deals=DEALS)
    assert same_shards(tmp_path / "there", tmp_path / "here")


def test_a_cluster_counts_the_same(cluster: str, tmp_path: Path) -> None:
    for name, options in (("there", ("--cluster", cluster)), ("here", ())):
        done = run(*COMMAND, "--aggregate", "--out", tmp_path / name, *options)
        assert done.status == 0, done.err
    there, here = ((tmp_path / name / f"counts-{DEALS}.json").read_bytes() for name in ("there", "here"))
    assert there == here


def test_a_cluster_gives_the_same_summary(cluster: str) -> None:
    here, there = (run(*COMMAND, "--format", "json", *options) for options in ((), ("--cluster", cluster)))
    assert (here.status, there.status) == (0, 0), there.err
    assert here.out == there.out


def test_a_killed_worker_loses_nothing(cluster: str, tmp_path: Path) -> None:
    from distributed import Client

    with Client(cluster, set_as_default=False) as client:
        pids = list(client.run(os.getpid).values())
        killed: list[int] = []

        def kill_one(played: int) -> None:
            if not killed:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        manifest = simulate_to_folder(
            PLAN,
            tmp_path / "there",
            deals=DEALS,
            executor=Workers(client.get_executor(pure=False), lambda: 4),
            progress=kill_one,
        )
        assert killed
        assert manifest.status == "complete"
    simulate_to_folder(PLAN, tmp_path / "here", deals=DEALS)
    assert same_shards(tmp_path / "there", tmp_path / "here")


def test_a_local_cluster_plays_the_same(alone: Simulation, tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            local_directory=str(tmp_path),
        ) as local,
        Client(local, set_as_default=False) as client,
    ):
        found = mjsim.simulate(
            PLAN.rules,
            deals=DEALS,
            seed=PLAN.seed,
            players=PLAN.players,
            session=PLAN.session,
            executor=client.get_executor(pure=False),
        )
    assert same(found, alone)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://there", "127.0.0.1:x"])
def test_an_address_where_nobody_answers_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mjsim.cli.cluster.TIMEOUT", "2s")
    done = run(*COMMAND, "--cluster", address)
    assert done.status == 1
    assert done.err.startswith(f"error: --cluster {address}: ")
    assert done.err.count("\n") == 1
