"""One coverage-guided campaign by atheris, as a process of its own: ``python -m tests.fuzz.guided TARGET -runs=N``.

The plain Python that reads is instrumented; kernels are not, which numba could not compile then. The fuzzer keeps the
inputs that reach new branches and goes on from them, by its own changes and by ours. It ends the process itself, with a
status other than 0 at the first fault.
"""

import random
import sys
import tempfile
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
#: What of mjsim is instrumented, with all below: it holds no kernels.
READERS = ("mjsim.tiles", "mjsim.hands.melds", "mjsim.rules", "mjsim.scoring.case", "mjsim.dataset.run", "mjsim.cli")


def kernels() -> list[str]:
    """Every other module of mjsim; atheris takes whole packages, and what it shall leave out one by one."""
    files = (file.relative_to(ROOT).with_suffix("") for file in (ROOT / "mjsim").rglob("*.py"))
    names = (".".join(file.parts).removesuffix(".__init__") for file in files)
    return [name for name in names if not f"{name}.".startswith(tuple(f"{reader}." for reader in READERS))]


# Before anything of ours is imported.
with atheris.instrument_imports(include=["mjsim", "tomllib", "json"], exclude=kernels()):
    from tests.fuzz.campaign import LONGEST_SECONDS, prepared
    from tests.fuzz.inputs import LONGEST_INPUT, changed

_MEGABYTES = 2048


def main() -> None:
    """Fuzz the target that the first argument names; the others are libFuzzer's."""
    name, *options = sys.argv[1:]
    with prepared(name) as (target, starts), tempfile.TemporaryDirectory(prefix="mjsim-corpus-") as corpus:
        for number, start in enumerate(starts):
            (Path(corpus) / str(number)).write_bytes(start)

        def mutate(data: bytes, most: int, seed: int) -> bytes:
            """Half of the changes are ours, half the fuzzer's."""
            draw = random.Random(seed)
            if draw.random() < 0.5:
                return changed(draw, data, starts)[:most]
            return bytes(atheris.Mutate(data, max(len(data), 1)))[:most]

        limits = [f"-timeout={LONGEST_SECONDS:g}", f"-rss_limit_mb={_MEGABYTES}", f"-max_len={LONGEST_INPUT}"]
        arguments = [sys.argv[0], *limits, "-reload=0", "-print_final_stats=1", *options, corpus]
        atheris.Setup(arguments, target, custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
