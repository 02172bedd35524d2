"""One library in a process of its own: reads requests as lines of JSON, answers with processor time and answers.

``python worker.py NAME`` under the peers' Python, ``python -m benchmarks.peers.worker mjsim`` under the project's own.
"""

import json
import sys
import time
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

OURS = ("mjsim", "mjsim, batch")
#: Times that all hands are answered in one round: others have run in between, and left nothing in the caches.
REPEATS = 5


def adapter(name: str) -> Any:
    """The adapter of a name."""
    if name in OURS:
        return import_module("benchmarks.peers.ours").OURS[name]()
    sys.path.insert(0, str(Path(__file__).parent))
    return import_module("adapters").ADAPTERS[name]()


def answer(library: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Do what is asked, with the clock running only while the library works."""
    task = request["task"]
    if task in library.players:
        function = library.players[task]
        start = time.process_time()
        steps = function(request["deals"], request["seed"])
        return {"seconds": time.process_time() - start, "answers": steps}
    function = getattr(library, task)
    prepared = library.prepare(request["hands"])
    start = time.process_time()
    for _ in range(REPEATS):
        answers = function(prepared)
    return {"seconds": (time.process_time() - start) / REPEATS, "answers": answers}


def main(name: str) -> None:
    """Answer requests until there are no more."""
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        library = adapter(name)
        can = [task for task in ("complete", "shanten") if getattr(library, task) is not None]
        version = metadata.version(name.split(",", maxsplit=1)[0])
        hello: dict[str, Any] = {"can": can + list(library.players), "version": version}
    except Exception as error:
        # Whatever keeps somebody else's library from starting is a finding, not a fault of the comparison.
        hello = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(hello), file=out, flush=True)
    for line in sys.stdin if "error" not in hello else ():
        try:
            told = answer(library, json.loads(line))
        except Exception as error:
            told = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
