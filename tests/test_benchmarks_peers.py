"""The comparison with other libraries, as far as it goes without them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.peers import page
from benchmarks.peers.__main__ import Library, hands, measured, run
from benchmarks.peers.adapters import ADAPTERS, kinds
from benchmarks.peers.disagreements import disagreements, verdict, wider_rules
from benchmarks.peers.ours import OURS
from mjsim.tiles import counts_of, parse

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def asked() -> dict[str, list[list[int]]]:
    return hands(24)


def test_hands_are_of_the_right_size_and_half_are_complete(asked: dict[str, list[list[int]]]) -> None:
    assert {sum(hand) for hand in asked["complete"]} == {14}
    assert {sum(hand) for hand in asked["shanten"]} == {13}
    assert len(asked["complete"]) == len(asked["shanten"]) == 24
    assert disagreements(asked, {"nobody": {}}) == []


@pytest.mark.parametrize(
    ("task", "tiles", "theirs", "expected"),
    [
        ("shanten", "19m19p19s1234567z", 0, "rules"),
        ("shanten", "19m19p19s1234567z", 8, "library wrong"),
        ("shanten", "1112345678999m", 1, "library wrong"),
        ("shanten", "1112345678999m", 0, "mjsim wrong"),
        ("complete", "1111z223344556677z", False, "rules"),
        ("complete", "11122233344455m", False, "library wrong"),
    ],
)
def test_who_is_right(task: str, tiles: str, theirs: Any, expected: str) -> None:
    counts = counts_of(parse("1111z2233445566z" if tiles.startswith("1111z") else tiles))
    assert verdict(task, counts, theirs) == expected


def test_wider_rules_know_orphans_and_want_seven_kinds() -> None:
    assert wider_rules(counts_of(parse("119m19p19s1234567z"))) == -1
    assert wider_rules(counts_of(parse("1111z2233445566z"))) == 1


def test_mjsim_answers_like_the_others_would(asked: dict[str, list[list[int]]]) -> None:
    libraries = [Library(name, Path(sys.executable)) for name in OURS]
    try:
        run(libraries, asked, rounds=1, scale=0.0005)
    finally:
        for library in libraries:
            library.close()
    answers = {library.name: library.answers for library in libraries}
    assert disagreements(asked, answers) == []
    assert answers["mjsim"]["random"] > 100
    found = measured(libraries[0], asked, 0.0005)
    assert set(found["tasks"]) == {"complete", "shanten", "random", "efficiency"}
    assert found["tasks"]["random"]["unit"] == "deals/s"
    assert (found["error"], found["failures"]) == (None, {})


def test_a_library_that_is_not_there_says_so() -> None:
    worker = ROOT / "benchmarks" / "peers" / "worker.py"
    command = [sys.executable, "-S", str(worker), "xiangting"]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=True)
    assert "ModuleNotFoundError" in json.loads(done.stdout)["error"]


def test_a_failing_task_is_noted_and_not_asked_again(asked: dict[str, list[list[int]]]) -> None:
    library = Library("mjsim", Path(sys.executable))
    try:
        library.ask("random", {"deals": -1, "seed": 1}, counts=True)
        library.ask("random", {"deals": 1, "seed": 1}, counts=True)
    finally:
        library.close()
    assert list(library.failures) == ["random"]
    assert "deals -1" in library.failures["random"]
    assert library.seconds["random"] == []


def test_kinds_of_counts() -> None:
    assert kinds([2, 0, 1] + [0] * 31) == [0, 0, 2]


def test_every_peer_is_pinned() -> None:
    wanted = (ROOT / "requirements-peers.txt").read_text(encoding="utf-8").lower()
    assert [name for name in ADAPTERS if f"\n{name.lower()}==" not in wanted] == []


def test_the_page_says_who_is_right() -> None:
    took = {"unit": "ns", "values": [800.0], "median": 800.0, "low": 700.0, "high": 900.0}
    differ = {"library": "peer", "task": "shanten", "hand": "19m", "mjsim": 8, "theirs": 0, "verdict": "rules"}
    found = {
        "date": "2026-01-01T00:00:00+00:00",
        "version": "0.1.0",
        "machine": {"cpu": "C", "llvm_cpu": "c", "cores": 2, "caches": {}, "system": "S", "python": "3", "llvm": "2"}
        | {"numba": "1", "llvmlite": "1", "numpy": "2", "polars": "1"},
        "hands": 1000,
        "rounds": 5,
        "libraries": [
            {
                "name": "peer",
                "version": "1",
                "error": None,
                "failures": {"random": "no luck"},
                "tasks": {"shanten": took},
            },
            {"name": "gone", "version": None, "error": "ImportError: no", "failures": {}, "tasks": {}},
        ],
        "disagreements": [differ],
        "ours": [],
    }
    text = page.page(found)
    assert "| peer 1 | – | 800 ns (700–900) |" in text
    assert "* gone does not start: ImportError: no" in text
    assert "* peer 1, deals, random players: no luck" in text
    assert "| peer, shanten | 1 | 0 | 0 | 0 |" in text
    assert "| `19m` | 8 | 0: peer |" in text
