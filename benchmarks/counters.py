"""Instructions, cache misses and mispredicted branches of the kernels, counted by valgrind's callgrind.

Virtual machines rarely let programs read the processor's own counters; valgrind simulates caches and a branch predictor
instead, and counts the same on a busy machine as on a quiet one. It knows no AVX-512, so what is counted is the code
for AVX2. ``python -m benchmarks.counters`` is what runs under valgrind.
"""

import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

#: The processor for which the counted code is compiled.
AVX2: Final = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+bmi,+bmi2,+popcnt,+lzcnt"}
EMPTY: Final = "nothing"
DEALS: Final = 200
MARK: Final = "desc: Trigger: dump "


def counted(folder: Path, rounds: int, caches: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Counts for each kernel and call; empty where there is no valgrind.

    Parameters
    ----------
    folder : Path
        Where callgrind may write.
    rounds : int
        How much work; more makes the counts smoother.
    caches : sequence of str
        Callgrind's options for the caches that it simulates; those of this machine unless given.
    """
    if shutil.which("valgrind") is None or shutil.which("callgrind_control") is None:
        return []
    command = [sys.executable, "-m", "benchmarks.counters", str(max(1, rounds // 100))]
    environment = os.environ | AVX2
    # Once without valgrind, which compiles.
    subprocess.run([*command, "--dry"], check=True, capture_output=True, env=environment)
    options = [
        "--tool=callgrind",
        "--instr-atstart=no",
        "--cache-sim=yes",
        "--branch-sim=yes",
        *(caches or _cache_options()),
    ]
    out = folder / "callgrind.out"
    done = subprocess.run(
        ["valgrind", *options, f"--callgrind-out-file={out}", *command],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    work = dict(re.findall(r"^work (.+): (\d+)$", done.stdout, re.MULTILINE))
    dumps = [_read(dump) for dump in folder.glob("callgrind.out.*")]
    totals = {name: events for name, events in dumps if name in work}
    empty = totals.pop(EMPTY)
    return [{"name": name} | _each(events, empty, int(work[name])) for name, events in totals.items()]


def _read(dump: Path) -> tuple[str, dict[str, int]]:
    """What a dump of callgrind's is about, and its totals."""
    text = dump.read_text(encoding="utf-8", errors="replace")
    name = re.search(f"^{MARK}(.*)$", text, re.MULTILINE)
    events = re.search("^events: (.*)$", text, re.MULTILINE)
    totals = re.search("^summary: (.*)$", text, re.MULTILINE)
    if events is None or totals is None:
        raise RuntimeError(f"{dump.name}: no totals in what callgrind wrote")
    counts = map(int, totals[1].split())
    return name[1] if name else "", dict(zip(events[1].split(), counts, strict=False))


def _each(events: dict[str, int], empty: dict[str, int], work: int) -> dict[str, float]:
    """Counts for one call, without what the measuring itself costs."""

    def count(*names: str) -> float:
        return round(max(0, sum(events.get(name, 0) - empty.get(name, 0) for name in names)) / work, 3)

    return {
        "instructions": count("Ir"),
        "loads": count("Dr"),
        "stores": count("Dw"),
        "first_cache_misses": count("D1mr", "D1mw"),
        "second_cache_misses": count("DLmr", "DLmw"),
        "branches": count("Bc", "Bi"),
        "mispredicted": count("Bcm", "Bim"),
    }


def _cache_options() -> list[str]:
    """The first and second data caches of this machine, as Linux knows them; callgrind calls the last one LL."""
    found = []
    for option, index in (("D1", 0), ("LL", 2)):
        folder = Path(f"/sys/devices/system/cpu/cpu0/cache/index{index}")
        if not folder.exists():
            return []
        names = ("size", "ways_of_associativity", "coherency_line_size")
        size, ways, line = ((folder / name).read_text(encoding="utf-8").strip() for name in names)
        found.append(f"--{option}={int(size.removesuffix('K')) * 1024},{ways},{line}")
    return found


def kernels(rounds: int) -> dict[str, tuple[int, Callable[[], object]]]:
    """What is counted: calls, and a function that makes them."""
    import mjsim
    from benchmarks import hands as kernels
    from benchmarks import limits
    from benchmarks.positions import complete, dealt, in_play
    from mjsim.dataset.columns import ROW
    from mjsim.engine import Engine, Plan
    from mjsim.hands.tables import tables
    from mjsim.players import players_for_seats
    from mjsim.rules import load_rules
    from mjsim.state import DEAL, new_record, new_records

    table, counts = tables(), dealt(kernels.HELD, 14)
    after, rest, won = kernels.loaded(counts), kernels.loaded(dealt(kernels.HELD, 13)), kernels.loaded(complete(500))
    played = in_play(20)
    turns, seen = kernels.loaded(played.counts, played.melds), kernels.digits(played.seen)
    number = kernels.HELD * rounds

    def deals_of(player: str) -> Callable[[], object]:
        engine = Engine(Plan(load_rules("liuzhou"), players_for_seats(player), 1))
        rows, deal = new_records(ROW, DEALS), new_record(DEAL)
        return lambda: engine.play(rows, deal, 0)

    return {
        EMPTY: (1, lambda: None),
        limits.ROUND: (100_000, lambda: limits._side_by_side(100_000)),
        "shanten": (number, lambda: kernels._shanten(table, after, rounds)),
        "effective tiles": (number, lambda: kernels._effective(table, rest, rounds)),
        "best discard, hands in play": (
            len(played.counts) * rounds,
            lambda: kernels._discards(table, turns, seen, rounds),
        ),
        "hand types of complete hands": (500 * rounds, lambda: kernels._types(won, rounds)),
        "shanten from counts": (len(counts) * rounds, lambda: [mjsim.shanten_many(counts) for _ in range(rounds)]),
        "wall": (5_000, lambda: mjsim.walls(1, 0, 5_000)),
        **{f"deal of {player}, liuzhou": (DEALS, deals_of(player)) for player in ("fast", "random", "value")},
    }


def main(rounds: int, dry: bool) -> None:
    """Run every kernel twice, once to warm the simulated caches and once between two words to callgrind."""
    found = kernels(rounds)
    # A collection of garbage in the midst of a call is as much work as a hundred walls.
    gc.collect()
    gc.disable()
    if not dry:
        _control("--instr=on")
    for name, (work, function) in found.items():
        function()
        if not dry:
            _control("--zero")
            function()
            _control(f"--dump={name}")
        print(f"work {name}: {work}", flush=True)
    if not dry:
        _control("--instr=off")


def _control(command: str) -> None:
    """Tell callgrind something about this process."""
    subprocess.run(["callgrind_control", command, str(os.getpid())], check=True, capture_output=True)


if __name__ == "__main__":
    np.seterr(all="raise")
    main(int(sys.argv[1]), "--dry" in sys.argv)
