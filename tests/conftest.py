"""What every test shares: a kernel and table cache of its own, and reproducible property tests."""

import atexit
import os
import tempfile

import pytest
from hypothesis import settings

#: It changes what it imports, and needs atheris, which nothing else does.
collect_ignore = ["fuzz/guided.py"]

# Set before anything imports mjsim. No kernel or table that an earlier run left behind may answer for this one, and
# subprocesses inherit the folder, so that they need not compile again.
if "MJSIM_CACHE_DIR" not in os.environ:
    _folder = tempfile.TemporaryDirectory(prefix="mjsim-tests-", ignore_cleanup_errors=True)
    atexit.register(_folder.cleanup)
    os.environ["MJSIM_CACHE_DIR"] = _folder.name

# The first example that calls a kernel also compiles it, hence no deadline.
settings.register_profile("mjsim", derandomize=True, deadline=None)
settings.load_profile("mjsim")


@pytest.fixture(scope="session")
def compiled_engine() -> None:
    """The engine compiled and on disk, so that a command started by a test says nothing of compiling."""
    import mjsim

    mjsim.simulate("liuzhou", deals=1)


@pytest.fixture
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, a command only says what it has to."""
    monkeypatch.setattr("mjsim.cli.progress.FIRST_LINE", 1e12)
