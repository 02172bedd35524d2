"""What mjsim is made of and shipped as: the lock, licences, wheels; and that nothing is downloaded when it runs."""

import email
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.commands import ROOT
from tests.supply.audit import NO_ANSWER, verdict
from tests.supply.licences import PAGE, READ, locked, page, said

COPYLEFT = ("GPL", "MPL", "EPL", "CDDL", "EUPL")


# ---- the lock, licences, vulnerabilities ---------------------------------------------------------------------------


def test_everything_that_is_locked_has_hashes_and_a_permissive_licence() -> None:
    packages = list(locked())
    assert len(packages) > 25
    for each in packages:
        assert each.hashes > 0, each
        licence = READ.get(each.name) or said(each.name)
        assert licence, f"{each.name}: read its licence and note it in tests/supply/licences.py"
        assert not any(word in licence for word in COPYLEFT), each


def test_the_licence_list_is_that_of_the_lock() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_licences_were_only_read_where_metadata_do_not_say() -> None:
    assert {name for name in READ if said(name)} == set()
    assert set(READ) <= {each.name for each in locked()}


@pytest.mark.parametrize(
    ("report", "status", "words"),
    [
        ({"dependencies": [{"name": "a", "version": "1", "vulns": []}] * 2}, 0, "No vulnerability is known in 2"),
        ({"dependencies": [{"name": "a", "skip_reason": "not found"}]}, NO_ANSWER, "NOT AUDITED: the index"),
        (
            {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}]},
            1,
            "a 1: CVE-1, mended in 2",
        ),
        (None, NO_ANSWER, "NOT AUDITED: the vulnerability service cannot be reached from here: refused"),
    ],
)
def test_an_audit_says_what_it_could_not_look_up(report: dict[str, object] | None, status: int, words: str) -> None:
    found = verdict(report, "refused")
    assert found[0] == status
    assert found[1].startswith(words)


# ---- wheel and source distribution ---------------------------------------------------------------------------------

_BUILD = "import setuptools.build_meta as backend, sys; print(getattr(backend, sys.argv[1])(sys.argv[2]))"


def _built(tree: Path, kind: str, out: Path) -> Path:
    """Build by the project's backend, as `python -m build --no-isolation` does."""
    out.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", _BUILD, f"build_{kind}", str(out)],
        cwd=tree, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return out / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A wheel, a source distribution, and the wheel that is built from that."""
    folder = tmp_path_factory.mktemp("built")
    tree = folder / "tree"
    leftovers = shutil.ignore_patterns(".*", "runs", "build", "dist", "*.egg-info", "reports")
    shutil.copytree(ROOT, tree, ignore=leftovers)
    sdist = _built(tree, "sdist", folder / "sdist")
    wheel = _built(tree, "wheel", folder / "wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return {"sdist": sdist, "wheel": wheel, "again": _built(unpacked, "wheel", folder / "again")}


def _sources(*folders: str) -> set[str]:
    """Every file of some folders that is no leftover of a run."""
    files = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    names = {path.relative_to(ROOT).as_posix() for path in files}
    return {name for name in names if "__pycache__" not in name and not name.endswith((".pyc", ".nbi", ".nbc"))}


def test_a_wheel_holds_the_packages_with_all_their_files_and_nothing_else(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as archive:
        names = set(archive.namelist())
    about = {name for name in names if ".dist-info/" in name}
    expected = _sources("mjsim", "analysis")
    assert names - about == expected
    for kind in (
        "mjsim/rules/liuzhou.toml",
        "mjsim/rules/variants/",
        "analysis/templates/",
        "analysis/fonts/",
        "py.typed",
    ):
        assert any(kind in name for name in names), kind
    assert {Path(name).name for name in about} == {
        "METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt", "LICENSE", "OFL.txt",
    }  # fmt: skip


def test_a_wheel_from_the_source_distribution_is_the_same(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as one, zipfile.ZipFile(distributions["again"]) as two:
        assert {each.filename: each.CRC for each in one.infolist()} == {
            each.filename: each.CRC for each in two.infolist()
        }


def test_a_source_distribution_holds_tests_documentation_and_locks(distributions: dict[str, Path]) -> None:
    with tarfile.open(distributions["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames() if archive.getmember(name).isfile()}
    single = {"Makefile", "MANIFEST.in", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md"}
    single |= {"pyproject.toml", "requirements.lock", "requirements-dev.lock"}
    expected = _sources("mjsim", "analysis", "tests", "docs", "benchmarks") | single
    made = {"PKG-INFO", "setup.cfg"}
    assert {name for name in names - made if not name.startswith("mjsim.egg-info/")} == expected


def test_a_wheel_asks_for_what_is_locked(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        about = email.message_from_bytes(archive.read(name))
    wanted = {
        each.partition(">")[0].partition("[")[0]
        for each in about.get_all("Requires-Dist", [])
        if "extra ==" not in each
    }
    assert wanted
    assert wanted <= {each.name for each in locked()}
    assert about["License-Expression"] == "MIT AND OFL-1.1"


def test_a_wheel_installs_without_a_network_and_runs(distributions: dict[str, Path], tmp_path: Path) -> None:
    """Into a folder of its own, with what it needs taken from where the tests run."""
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    command = [*pip, "--no-deps", "--no-index", "--target", str(target), str(distributions["wheel"])]
    subprocess.run(command, cwd=tmp_path, check=True)
    program = "import mjsim; print(mjsim.__file__); print(mjsim.load_rules('liuzhou_no_rob_kong').title.zh)"
    environment = {**os.environ, "PYTHONPATH": str(target), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
        encoding="utf-8",
    )  # fmt: skip
    place, title = done.stdout.splitlines()
    assert Path(place).is_relative_to(target)
    assert title


# ---- nothing is downloaded -----------------------------------------------------------------------------------------

#: Runs a command in a process in which whatever would use a network ends with an error.
_OFFLINE = """
import sys

def refuse(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser.", "ssl.")):
        raise RuntimeError(f"{event} {arguments}")

sys.addaudithook(refuse)
from mjsim.cli import main
sys.argv = ["mjsim", *sys.argv[1:]]
main()
"""


def _offline(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # An index or a proxy that does not exist, for whatever reads them.
    proxies = dict.fromkeys(
        ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9"
    )
    environment = {**os.environ, **proxies, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", _OFFLINE, *arguments]
    if (apart := _without_network()) is not None:
        command = [*apart, *command]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _without_network() -> list[str] | None:
    """What starts a command with no network at all; None where the system does not let us."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return None
    apart = [unshare, "--map-root-user", "--net"]
    return apart if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode == 0 else None


def test_the_hook_refuses_a_network(tmp_path: Path) -> None:
    program = _OFFLINE.partition("from mjsim")[0] + "import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "RuntimeError: socket." in done.stderr


@pytest.mark.usefixtures("compiled_engine")
def test_nothing_is_downloaded_at_run_time(tmp_path: Path) -> None:
    commands = (
        ("simulate", "liuzhou", "--deals", "300", "--out", "run"),
        ("summary", "run"),
        ("report", "run", "--out", "run.html"),
        ("compare", "liuzhou", "rob_kong=false", "--deals", "200", "--out", "compare.html", "--lang", "zh"),
        ("hand", "liuzhou", "123456m234p99s78s3z", "--out", "hand.html"),
        ("replay", "run", "--deal", "3", "--json"),
        ("rules", "show", "nanning_folk", "--format", "md"),
    )
    for arguments in commands:
        done = _offline(tmp_path, *arguments)
        assert done.returncode == 0, (arguments, done.stderr[-2000:])
    assert {path.name for path in tmp_path.iterdir()} == {"run", "run.html", "compare.html", "hand.html"}
