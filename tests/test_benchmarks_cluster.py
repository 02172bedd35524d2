"""docs/cluster_limits.md: its measurements run, its model meets closed forms, and its words follow the numbers."""

import copy
import dataclasses
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import cluster, cluster_model, cluster_page, coordinator
from benchmarks.cluster_model import Farm, simulated
from benchmarks.cluster_needs import DEALS, SHARDS, Needs
from benchmarks.machine import machine
from mjsim.cli import counting
from mjsim.cli.playing import Order
from mjsim.dataset.run import SHARD_DEALS, open_run
from mjsim.engine import MAX_SESSIONS, Plan
from mjsim.errors import RunError
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from tests.commands import run

# --- The model -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 10, 100, 150, 400])
def test_random_times_are_those_of_the_machine_repair_model(workers: int) -> None:
    farm = Farm(workers, task=10.0, service=0.1, ahead=0, is_random=True)
    assert simulated(farm, 60_000) == pytest.approx(cluster_model.repairmen(farm), rel=0.03)


def test_one_repairman_of_one_machine() -> None:
    assert cluster_model.repairmen(Farm(1, task=9.0, service=1.0)) == pytest.approx(0.9)


@pytest.mark.parametrize("workers", [2, 50, 90, 110, 1_000])
def test_no_order_of_events_exceeds_the_bound_and_fixed_times_come_near_it(workers: int) -> None:
    farm = Farm(workers, task=10.0, service=0.1)
    share = simulated(farm, 100 * workers)
    assert 0.97 * cluster_model.bound(farm) < share <= cluster_model.bound(farm)


def test_a_task_that_waits_at_a_worker_hides_the_way_to_the_coordinator() -> None:
    busy, waiting = (simulated(Farm(10, task=1.0, service=0.05, ahead=ahead), 10_000) for ahead in (1, 0))
    assert busy > 0.99
    assert waiting == pytest.approx(1 / 1.05, rel=0.01)


@pytest.mark.parametrize(("life", "absence"), [(5.0, 0.0), (30.0, 5.0), (1_000.0, 60.0)])
def test_deaths_cost_what_the_closed_form_says(life: float, absence: float) -> None:
    farm = Farm(20, task=10.0, service=1e-6, between_deaths=life, absence=absence)
    assert simulated(farm, 40_000) == pytest.approx(cluster_model.replaying(10.0, life, absence), rel=0.02)


def test_few_deaths_cost_half_a_task_each() -> None:
    assert 1 - cluster_model.replaying(10.0, 1e5) == pytest.approx(10.0 / 1e5 / 2, rel=1e-3)


def test_the_chance_that_deaths_end_a_run() -> None:
    certain = cluster_model.ends_by_deaths(10, task=1e9, between_deaths=1.0, allowed=3)
    assert certain == 1.0
    meets = 1 - math.exp(-2 * 10 / 100)
    assert cluster_model.ends_by_deaths(7, 10.0, 100.0, allowed=1) == pytest.approx(1 - (1 - meets**2) ** 7)


# --- What is worked out ----------------------------------------------------------------------------------------------


@pytest.fixture
def found() -> dict[str, Any]:
    """Measurements made up: round numbers."""
    deals = 20 * SHARD_DEALS
    commands = {
        f"{who}, {kept}": {
            "deals": deals,
            "wall": wall,
            "start": 1.5,
            "first_start": 3.0,
            "cpu": 1.0,
            "megabytes": 300.0,
        }
        for kept in ("folder", "counts")
        for who, wall in (("threads", 101.5), ("workers", 111.5))
    }
    return {
        "first": 0,
        "deals": deals,
        "few": 0,
        "last": 4 * SHARD_DEALS,
        "session": 256,
        "commands": commands,
        "parquet_bytes": 34 * deals,
        "failures": 3,
        "going_on": {"complete": 1.1, "few": 0.7, "alone": 22.0, "missing": 22.5},
        "verify": [
            {"deals": 4 * SHARD_DEALS, "wall": 2.0, "cpu": 3.0, "megabytes": 700.0},
            {"deals": deals, "wall": 6.0, "cpu": 11.0, "megabytes": 720.0},
        ],
        "counts": {
            "deals": deals,
            "file_bytes": 900_000,
            "answer_bytes": 500_000,
            "megabytes": 900.0,
            "tasks_a_save": 8,
            "part_deals": SHARD_DEALS,
            "part_file_bytes": 400_000,
            "unpack": 0.01,
            "add": 0.03,
            "save": 0.08,
            "widest": "net_squared_dealer",
            "widest_per_deal": 1000.0,
        },
        "tasks": [
            {"workers": workers, "kept": kept, "client": client, "scheduler": scheduler, "wall": 0.005}
            for kept in ("folder", "counts")
            for workers, client, scheduler in ((2, 0.001, 0.002), (100, 0.0008, 0.001))
        ],
        "order_bytes": 3_000,
        "answer_bytes": 300,
        "shards": [
            {
                "shards": n,
                "bytes": 200 * n,
                "record": 1e-6 * n,
                "finish": 2e-6 * n,
                "read": 1e-5 * n,
                "going_on": 5e-5 * n,
            }
            | {"megabytes": 100 + 0.004 * n}
            for n in (1_000, 10_000, 100_000, 1_000_000)
        ],
    }


@pytest.fixture
def record(found: dict[str, Any]) -> dict[str, Any]:
    return {
        "date": "2026-01-02T03:04:05+00:00",
        "version": "1.2.3",
        "quick": False,
        "machine": machine(),
        "cluster": found,
    }


def test_a_run_s_needs_follow_from_the_measurements(found: dict[str, Any]) -> None:
    needs = Needs(found)
    assert needs.rate("threads", "folder") == pytest.approx(20 * SHARD_DEALS / 100)
    assert needs.task("folder") == pytest.approx(11.0)
    assert needs.recording() == pytest.approx(1e-6 * SHARDS / 2, rel=1e-3)
    assert needs.recording(500) == pytest.approx(1e-3)
    assert needs.recording(2_000_000) == pytest.approx((0.5e6 + 1e6) / 2e6, rel=1e-3)
    assert needs.adding() == pytest.approx(0.05)
    assert needs.service("folder") == pytest.approx(0.001 + needs.recording())
    assert needs.service("counts") == pytest.approx(0.051)
    assert needs.hours("counts", 64) == pytest.approx(SHARDS * 11 / 64 / 3600, rel=0.03)
    assert needs.hours("counts", 10_000) == pytest.approx(SHARDS * 0.051 / 3600, rel=0.01)
    assert needs.at_shards("bytes", SHARDS) == pytest.approx(200 * SHARDS)
    assert needs.shards_at("megabytes", 16_100.0) == pytest.approx(4_000_000)
    assert needs.most_deals_summed() == pytest.approx(2**63 / 4000)
    assert needs.verifying() == pytest.approx(4 / (16 * SHARD_DEALS))
    assert needs.checking == pytest.approx(0.02)


def test_sessions_are_long_enough_for_the_deals(found: dict[str, Any]) -> None:
    session = Needs(found).session
    assert session * MAX_SESSIONS >= DEALS > (session - 1) * MAX_SESSIONS
    rules, players = load_rules("liuzhou"), players_for_seats("fast")
    assert Order(Plan(rules, players, 1, session), 0, DEALS, None).deals == DEALS
    with pytest.raises(RunError, match=r"2\^32 sessions"):
        Order(Plan(rules, players, 1, session - 1), 0, DEALS, None)


def test_what_breaks_first_is_what_the_numbers_say(found: dict[str, Any]) -> None:
    first, second, third, _ = Needs(found).by_workers("folder")
    assert [limit.what.partition(" ")[2][:13] for limit in (first, second, third)] == [
        "process that ",
        "shared folder",
        "scheduler",
    ]
    assert (round(first.at), round(second.at), round(third.at)) == (23, 386, 5500)
    for each in found["shards"]:
        each["record"] = 1e-4
    found["parquet_bytes"] //= 1000
    assert Needs(found).by_workers("folder")[0].what == "Dask's scheduler"
    assert Needs(found).by_deals()[0].at == MAX_SESSIONS
    found["counts"]["widest_per_deal"] = 1e12
    assert Needs(found).by_deals()[0].what == "sums of 64 bits"


def test_too_few_deals_tell_no_rate(found: dict[str, Any]) -> None:
    found["commands"]["workers, counts"]["wall"] = 1.5
    with pytest.raises(ValueError, match="too few deals"):
        Needs(found)


# --- The page --------------------------------------------------------------------------------------------------------


def test_the_page_follows_its_numbers(record: dict[str, Any], tmp_path: Path) -> None:
    page = cluster_page.Page(record)
    text = page.page("benchmarks/history/x.json")
    assert "measured on 2026-01-02\nwith version 1.2.3" in text
    assert "| 1. the process that gives out shards and records them | 23 |" in text
    assert "| kept | 34.0 TB | 900 kB |" in text
    assert "at least 0.9 | 0.91 | yes |" in text
    assert "| under 1 % of the run | 0.39 % | yes |" in text
    assert "these are met, 1 of them before 10^12" in text
    assert "{" not in text
    assert re.search(r"\bnan\b|\binf\b", text) is None
    page.draw(tmp_path / "limits.svg")
    assert "</svg>" in (tmp_path / "limits.svg").read_text(encoding="utf-8")


def test_targets_that_are_missed_are_said_to_be(record: dict[str, Any]) -> None:
    found = record["cluster"]
    found["commands"]["workers, folder"]["wall"] = 140.0
    found["going_on"]["complete"] = 5.0
    found["verify"][1] |= {"wall": 60.0, "megabytes": 1_400.0}
    text = cluster_page.Page(record).page("x")
    assert text.count("| **no** |") == 4


def test_too_short_a_run_does_not_meet_the_target_of_a_long_one(record: dict[str, Any]) -> None:
    short = copy.deepcopy(record)
    short["cluster"]["deals"] = 10_000_000
    (first, *_), (other, *_) = (list(cluster_page.Page(each).targets()) for each in (record, short))
    assert (first[-1], other[-1]) == ("yes", "**no**")


def test_the_newest_results_with_the_part_are_taken(record: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="run `make bench` first"):
        cluster_page.newest(tmp_path)
    for name, changes in (
        ("b", {}),
        ("c", {"date": "2026-01-01T00:00:00+00:00"}),
        ("d", {"quick": True, "date": "2026-02-01T00:00:00+00:00"}),
        ("e", {"cluster": None, "date": "2026-02-01T00:00:00+00:00"}),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(record | changes), encoding="utf-8")
    assert cluster_page.newest(tmp_path).stem == "b"


def test_the_command_writes_the_page(
    record: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "found.json", tmp_path / "page.md"
    source.write_text(json.dumps(record), encoding="utf-8")
    cluster_page.main(results=source, out=out)
    assert capsys.readouterr().out == "page.md: from found.json\n"
    assert out.read_text(encoding="utf-8").startswith("# What 10^12 deals would take\n")
    assert out.with_suffix(".svg").exists()


# --- The measurements ------------------------------------------------------------------------------------------------


def test_shards_are_recorded_in_a_run_that_has_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinator, "RECORDED", 4)
    monkeypatch.setattr(coordinator, "_LINKS", 3)
    coordinator.make(tmp_path / "run", 7)
    coordinator.shards(tmp_path / "run")
    told = json.loads(capsys.readouterr().out)
    assert told["shards"] == 7
    assert all(told[name] > 0 for name in ("bytes", "read", "going_on", "record", "finish"))
    manifest = open_run(tmp_path / "run").manifest
    assert (manifest.status, manifest.deals) == ("complete", 11 * SHARD_DEALS)


@pytest.mark.usefixtures("compiled_engine")
def test_counts_of_a_task_are_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--players", "fast", "--seed", 1, "--deals", 512, "--aggregate", "--session", 256)
    assert run("simulate", "liuzhou", *options, "--out", tmp_path / "run").status == 0
    capsys.readouterr()
    coordinator.counts(tmp_path / "run", 256)
    told = json.loads(capsys.readouterr().out)
    assert (told["deals"], told["part_deals"]) == (512, 256)
    assert told["file_bytes"] > told["part_file_bytes"] > 0
    assert told["widest_per_deal"] > 1


def test_counts_are_saved_as_often_as_is_said() -> None:
    assert coordinator.TASKS_A_SAVE * SHARD_DEALS == counting._DEALS_A_SAVE


@pytest.mark.parametrize("together", [False, True])
def test_tasks_are_given_to_workers_that_do_nothing(tmp_path: Path, together: bool) -> None:
    with cluster.cluster(tmp_path, 2, together=together) as address:
        told = cluster.told("tasks", address, 5, 1_000)
    assert all(told[name] > 0 for name in ("wall", "client", "scheduler", "megabytes"))


def test_what_the_tables_show(found: dict[str, Any]) -> None:
    shown = {each.name: each for each in cluster._measurements(found)}
    assert shown["two workers' rate over two threads', folder"].median == pytest.approx(10 / 11)
    assert shown["two workers' rate over two threads', folder"].met
    assert shown["checks before going on"].median == pytest.approx(0.394, rel=0.01)
    assert shown["checks before going on"].met
    assert shown["verify of 100,000,000 deals, from these"].met
    found["deals"] = 1_000_000
    assert {each.met for each in cluster._measurements(found) if each.unit == "% of the run"} == {None}


@pytest.mark.campaign
def test_everything_is_measured(tmp_path: Path) -> None:
    """Everything but little of it; threads and workers must write the same."""
    scale = dataclasses.replace(cluster.QUICK, tasks=5, shards=(2, 9))
    measured, found = cluster.measured(scale, tmp_path, lambda _: None)
    assert len({(each.group, each.name, each.unit) for each in measured}) == len(measured)
    assert [each["shards"] for each in found["shards"]] == [2, 9]
    assert json.loads(json.dumps(found)) == found
