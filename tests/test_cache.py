"""A damaged cache of compiled kernels is noticed and made again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mjsim
from mjsim import jit

SCRIPT = "import mjsim; print(mjsim.simulate('liuzhou', deals=20, seed=3).columns['net_0'].tolist())"


@pytest.fixture
def own_cache(tmp_path: Path, compiled_engine: None) -> Path:
    """A copy of the suite's cache, free to be damaged."""
    return Path(shutil.copytree(os.environ["MJSIM_CACHE_DIR"], tmp_path / "cache"))


def kernels_in(cache: Path) -> Path:
    used = jit.kernel_cache()
    assert used is not None
    return cache / "kernels" / used.name


def result_with(cache: Path) -> str:
    environment = {**os.environ, "MJSIM_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_damaged_kernels_are_compiled_again(own_cache: Path) -> None:
    expected = f"{mjsim.simulate('liuzhou', deals=20, seed=3).columns['net_0'].tolist()}\n"
    files = [file for file in own_cache.rglob("*") if file.suffix in (".nbi", ".nbc")]
    assert files
    for number, file in enumerate(sorted(files)):
        content = bytearray(file.read_bytes())
        if number % 2:
            content = content[: len(content) // 2]
        else:
            content[len(content) // 2] ^= 0xFF
        file.write_bytes(content)
    assert result_with(own_cache) == expected


def test_only_what_differs_from_its_checksum_is_dropped(own_cache: Path) -> None:
    folder = kernels_in(own_cache)
    files = list(folder.rglob("*.nbc"))
    damaged, whole = files[0], files[1:]
    damaged.write_bytes(damaged.read_bytes() + b"x")
    jit.drop_damaged.__wrapped__(folder)
    assert not damaged.exists()
    assert all(file.exists() for file in whole)


def test_a_file_without_checksum_is_left_to_who_is_writing_it(own_cache: Path) -> None:
    folder = kernels_in(own_cache)
    young, old = folder / "young.nbc", folder / "old.nbc"
    for file in (young, old):
        file.write_bytes(b"x")
    os.utime(old, (0, 0))
    jit.drop_damaged.__wrapped__(folder)
    assert (young.exists(), old.exists()) == (True, False)
