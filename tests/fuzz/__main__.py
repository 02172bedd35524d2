"""One seeded campaign, as a process of its own: ``python -m tests.fuzz TARGET INPUTS SEED`` prints what it counted."""

import json
import sys

import tests.conftest  # noqa: F401  # where MJSIM_CACHE_DIR is not set, sets it before anything imports mjsim
from tests.fuzz.campaign import fuzz, peak_megabytes


def main() -> None:
    """Fuzz the target that the first argument names."""
    name, inputs, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    found = fuzz(name, inputs, seed)
    counts = {
        "inputs": found.inputs,
        "accepted": found.accepted,
        "refused": found.refused,
        "faults": len(found.faults),
        "first": found.faults[:10],
        "seed": seed,
        "peak_megabytes": round(peak_megabytes()),
    }
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
