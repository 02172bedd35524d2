"""The benchmarks run, and say what they measured; how fast anything is, no test asks."""

import dataclasses
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import commands, counters, deals, guard, hands, limits, page, processors
from benchmarks.__main__ import HISTORY, PARTS, QUICK, Bench
from benchmarks.machine import described, machine
from benchmarks.measure import Finished, Measurement, Task, interleaved, process
from benchmarks.positions import complete, dealt, in_play
from benchmarks.prototype import Prototype
from mjsim.tiles import COPIES
from tests.naive import hands as naive

ROOT = Path(__file__).resolve().parents[1]


def test_medians_and_targets() -> None:
    fast = Measurement("hands", "shanten", "ns", "cpu", (4.0, 9.0, 5.0), target=5)
    assert (fast.median, fast.spread, fast.met) == (5.0, (4.0, 9.0), True)
    slow = Measurement("deals", "fast", "deals/s", "cpu", (1.0, 2.0), target=5)
    assert (slow.median, slow.met) == (1.5, False)
    assert Measurement("deals", "fast", "deals/s", "cpu", (1.0,)).met is None
    assert slow.to_dict()["values"] == (1.0, 2.0)


def test_tasks_take_turns_and_the_first_round_does_not_count() -> None:
    order: list[str] = []

    def task(name: str, seconds: float, unit: str) -> Task:
        def run() -> float:
            order.append(name)
            return seconds

        return Task("group", name, unit, 4, run)

    found = interleaved([task("a", 2.0, "deals/s"), task("b", 8e-9, "ns")], runs=2)
    assert order == ["a", "b"] * 3
    assert [each.values for each in found] == [(2.0, 2.0), (2.0, 2.0)]


def test_a_process_is_measured_and_its_failure_is_told() -> None:
    done = process(["-c", "print('x' * 3)"])
    assert done.output == "xxx\n"
    assert done.cpu > 0
    assert 1 < done.megabytes < 1000
    with pytest.raises(RuntimeError, match="ended with 3: no luck"):
        process(["-c", "import sys; print('no luck', file=sys.stderr); sys.exit(3)"])


@pytest.mark.parametrize("kinds", [9, 34])
def test_dealt_hands(kinds: int) -> None:
    counts = dealt(50, 14, kinds=kinds)
    assert (counts.sum(axis=1) == 14).all()
    assert counts.max() <= COPIES
    assert not counts[:, kinds:].any()


def test_complete_hands_are_complete() -> None:
    assert all(naive.is_complete(counts, 0) for counts in complete(40))


def test_hands_in_play_are_hands_about_to_discard() -> None:
    played = in_play(10)
    assert len(played.counts) > 200
    assert (played.counts.sum(axis=1) == 14 - 3 * played.melds).all()
    assert (played.seen >= played.counts).all()
    assert played.seen.max() == COPIES
    assert set(played.melds.tolist()) >= {0, 1, 2}


def test_digits_are_the_counts() -> None:
    counts = dealt(20, 14)
    ones, twos, fours = hands.digits(counts).T
    for kind in range(34):
        bits = [(words >> np.uint64(kind) & np.uint64(1)).astype(int) for words in (ones, twos, fours)]
        assert (bits[0] + 2 * bits[1] + 4 * bits[2] == counts[:, kind]).all()


def test_every_task_runs(tmp_path: Path) -> None:
    tasks = [
        *hands.batch_tasks(50),
        *hands.incremental_tasks(1, 2),
        *hands.single_tasks(3),
        *limits.limit_tasks(1_000),
        *deals.memory_tasks(8),
        *deals.parquet_tasks(8, tmp_path)[:1],
        *deals.thread_tasks(64, 2),
        *deals.other_tasks(10, 1)[:1],
        *commands.table_tasks()[1:],
    ]
    names = [(task.group, task.name) for task in tasks]
    assert len(set(names)) == len(names)
    assert [task.name for task in tasks if not task.once() >= 0] == []


def test_commands_are_measured(tmp_path: Path) -> None:
    write = commands.written(64, tmp_path, iter(range(9)).__next__)
    found = commands.measured([write], 1, lambda _: None)
    found += commands.measured([commands.read(64, tmp_path)[0]], 1, lambda _: None)
    assert [(each.group, each.unit, each.clock) for each in found] == [
        ("whole commands", "s", "wall"),
        ("whole commands", "s", "cpu"),
        ("peak memory", "MB", "wall"),
    ] * 2
    assert all(each.median > 0 for each in found)


def test_memory_and_cost_of_counting_are_measured(tmp_path: Path) -> None:
    sizes = (40, 80, 120)
    counting = commands.counting(sizes, tmp_path, iter(range(9)).__next__)
    found = commands.measured(counting, 1, lambda _: None)
    assert [each.name for each in found if each.group == "peak memory"] == [each.name for each in counting]
    cpu = [each.median for each in found if each.clock == "cpu"]
    more = commands.cost_of_a_million(counting, sizes)
    assert [each.values for each in more] == [((later - earlier) / 40 * 1e6,) for earlier, later in pairwise(cpu)]


def test_the_prototype_runs_where_its_tables_are(tmp_path: Path) -> None:
    source, folder = tmp_path / "prototype", tmp_path / "work"
    source.mkdir()
    folder.mkdir()
    (source / "tables.py").write_text("open('tables.txt', 'w').write('built')", encoding="utf-8")
    (source / "cls.py").write_text("assert open('tables.txt').read() == 'built'", encoding="utf-8")
    (source / "core.py").write_text(
        "U = int\n"
        "def load(): return (None,) * 7\n"
        "def codes(hand): return [int(hand.sum())] * 4\n"
        "def bench_shanten(keys, *rest): assert keys.shape == (2000, 4)\n"
        "bench_win = bench_counts = lambda *rest: print('heard by nobody')\n",
        encoding="utf-8",
    )
    (source / "sim4.py").write_text(
        "def load2(): return (None,)\ndef run(seed, first, number, out, blob, counts): assert len(out) == number\n",
        encoding="utf-8",
    )
    with Prototype(source, folder) as beside:
        tasks = beside.tasks(1, 10)
        assert [task.name for task in tasks if not task.once() >= 0] == []
    assert not (source / "tables.txt").exists()


def dump(folder: Path, number: int, name: str, counts: list[int]) -> None:
    """What callgrind writes, as far as it is read."""
    text = f"version: 1\n{counters.MARK}{name}\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\n"
    (folder / f"callgrind.out.{number}").write_text(text + f"summary: {' '.join(map(str, counts))}\n", encoding="utf-8")


def test_counts_are_read_and_the_measuring_is_taken_off(tmp_path: Path) -> None:
    dump(tmp_path, 1, counters.EMPTY, [100, 10, 5, 1, 2, 0, 0, 1, 0, 20, 3, 4, 1])
    dump(tmp_path, 2, "shanten", [1100, 210, 5, 9, 22, 10, 0, 3, 0, 60, 13, 4, 1])
    names, totals = zip(*[counters._read(file) for file in sorted(tmp_path.iterdir())], strict=True)
    assert names == (counters.EMPTY, "shanten")
    assert counters._each(totals[1], totals[0], 10) == {
        "instructions": 100.0,
        "loads": 20.0,
        "stores": 0.0,
        "first_cache_misses": 3.0,
        "second_cache_misses": 0.2,
        "branches": 4.0,
        "mispredicted": 1.0,
    }


def test_what_is_counted_is_also_timed() -> None:
    counted = set(counters.kernels(1))
    assert counted - {counters.EMPTY, limits.ROUND} == set(page.TIMED)
    timed = {(task.group, task.name) for task in hands.batch_tasks(2) + hands.incremental_tasks(1, 1)}
    timed |= {(task.group, task.name) for task in deals.memory_tasks(1) + deals.other_tasks(1, 1)}
    assert set(page.TIMED.values()) <= timed
    assert {ours for each in page.COMPARED.values() for ours in each} <= timed


def test_processors_are_compared_on_the_same_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[str] = []

    def answer(arguments: list[str], environment: dict[str, str]) -> Finished:
        answers.append(environment.get("NUMBA_CPU_NAME", "here"))
        checksum = "other" if arguments[2] == "7" and answers[-1] == "x86-64" else "same"
        return Finished(1.0, 1.0, 1.0, json.dumps([1000.0 * len(answers), checksum]), "")

    monkeypatch.setattr(processors, "process", answer)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    found = processors.rates(5, 2, lambda _: None)
    assert answers == ["here", "haswell", "x86-64"] * 3
    assert [each.values for each in found] == [(4000.0, 7000.0), (5000.0, 8000.0), (6000.0, 9000.0)]
    with pytest.raises(RuntimeError, match="2 checksums"):
        processors.rates(7, 1, lambda _: None)
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert processors.rates(5, 1, lambda _: None) == []


@pytest.mark.parametrize(
    ("written", "options", "status", "words"),
    [
        ({"a": 100.0}, [], 0, "+4.0%"),
        ({"a": 97.0}, [], 1, "over 7% dearer: a"),
        ({}, [], 1, "over 7% dearer: a"),
        ({"a": 1.0}, ["--write"], 0, "written"),
    ],
)
def test_the_guard_tells_what_became_dearer(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: dict[str, float],
    options: list[str],
    status: int,
    words: str,
) -> None:
    found = {"instructions": 79.0, "first_cache_misses": 1.0, "mispredicted": 1.0}
    counted = [{"name": "a", **found}, {"name": counters.EMPTY, **found}]
    file = tmp_path / "instructions.json"
    file.write_text(json.dumps({"compiler": guard.compiler(), "cost": written}))
    monkeypatch.setattr(guard, "WRITTEN", file)
    monkeypatch.setattr(guard, "counted", lambda *_: counted)
    app = typer.Typer()
    app.command()(guard.main)
    done = CliRunner().invoke(app, options)
    assert (done.exit_code, words in done.output) == (status, True), done.output
    if options:
        assert json.loads(file.read_text())["cost"] == {"a": 104.0}


def test_what_the_guard_compares_is_written_down() -> None:
    record = json.loads(guard.WRITTEN.read_text(encoding="utf-8"))
    assert set(record["cost"]) == set(counters.kernels(1)) - {counters.EMPTY, limits.ROUND}


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    """Results of everything that is quick, and counts made up."""
    bench = Bench(dataclasses.replace(QUICK, runs=1, loops=1_000), ["limits"], lambda _: None)
    bench.hands(None)
    bench.found += interleaved(hands.incremental_tasks(1, 2), 1)
    bench.counters = [
        {"name": name, "instructions": 65.0, "loads": 22.0, "first_cache_misses": 3.5, "second_cache_misses": 0.1}
        | {"stores": 0.0, "branches": 2.0, "mispredicted": 0.0}
        for name in (limits.ROUND, "shanten")
    ]
    return json.loads(json.dumps(bench.record(quick=True)))  # type: ignore[no-any-return]


def test_the_page_shows_targets_limits_and_all_results(record: dict[str, Any], tmp_path: Path) -> None:
    results = page.Results(record)
    text = results.page("benchmarks/history/x.json")
    assert described(machine()).split(",")[0] in text
    shanten = results.find("hands in play, incremental", "shanten")
    assert shanten is not None
    assert f"| shanten (hands in play, incremental) | {page.value(shanten)} |" in text
    assert f"| {page.number(65.0)} | {page.number(22.0)} | {page.number(3.5)} |" in text
    assert all(f"| {each['name']} |" in text for each in record["results"])
    assert "Beside a prototype" not in text
    results.draw(tmp_path / "speed.svg")
    assert "</svg>" in (tmp_path / "speed.svg").read_text(encoding="utf-8")


def test_the_newest_complete_results_are_taken(record: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="run `make bench` first"):
        page.newest(tmp_path)
    for name, changes in (
        ("2026-01-01T000000Z-0.1.0", {"quick": False, "only": []}),
        ("2026-01-02T000000Z-0.1.0", {"quick": False, "only": []}),
        ("2026-01-03T000000Z-0.1.0", {"quick": True, "only": []}),
        ("2026-01-04T000000Z-0.1.0", {"quick": False, "only": ["hands"]}),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(record | changes), encoding="utf-8")
    assert page.newest(tmp_path).stem == "2026-01-02T000000Z-0.1.0"


def test_the_command_writes_results(tmp_path: Path) -> None:
    out = tmp_path / "found.json"
    before = sorted(HISTORY.glob("*"))
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only", "tables", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "loaded and checked" in done.stdout
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [each["name"] for each in found["results"]] == ["built", "loaded and checked"]
    assert (found["quick"], found["only"]) == (True, ["tables"])
    assert sorted(HISTORY.glob("*")) == before


def test_an_unknown_part_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--only", "nonsense"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "nonsense" in done.stderr
    assert PARTS[0] in done.stderr
