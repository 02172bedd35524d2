"""What the instructions of newer processors are worth: the engine compiled for others, on this one."""

import json
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.counters import AVX2
from benchmarks.measure import Measurement, process

GROUP: Final = "other processors' instructions, fast in Liuzhou"

#: What numba is told to compile for; nothing: this processor.
PROCESSORS: Final = {
    "this processor": {},
    "AVX2, as in 2013": dict(AVX2),
    "plain x86-64, as in 2003": {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""},
}

_PROGRAM: Final = """
import hashlib, json, sys, time
import mjsim
deals = int(sys.argv[1])
def play(deals):
    return mjsim.simulate("liuzhou", deals=deals, seed=1, players="fast", threads=1).columns
play(1000)
began = time.process_time()
columns = play(deals)
seconds = time.process_time() - began
checksum = hashlib.sha256(b"".join(columns[name].tobytes() for name in sorted(columns))).hexdigest()
print(json.dumps([deals / seconds, checksum]))
"""


def rates(deals: int, runs: int, report: Callable[[str], None]) -> list[Measurement]:
    """Deals a second for each processor, in turns, after a round that compiles; empty where this is no x86-64.

    Raises
    ------
    RuntimeError
        If the deals differ.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return []
    found: dict[str, list[float]] = {name: [] for name in PROCESSORS}
    checksums = set()
    with tempfile.TemporaryDirectory() as cache:
        for run in range(runs + 1):
            for name, environment in PROCESSORS.items():
                report(f"{GROUP}: {name}")
                folder = str(Path(cache) / name.partition(",")[0].replace(" ", "-"))
                done = process(["-c", _PROGRAM, str(deals)], {**environment, "MJSIM_CACHE_DIR": folder})
                rate, checksum = json.loads(done.output)
                checksums.add(checksum)
                if run:
                    found[name].append(rate)
    if len(checksums) > 1:
        raise RuntimeError(f"the same deals have {len(checksums)} checksums on {len(PROCESSORS)} processors")
    return [Measurement(GROUP, name, "deals/s", "cpu", tuple(values)) for name, values in found.items()]
