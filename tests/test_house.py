"""The house itself: style, types, the direction of imports, sizes, and what may not stand in a file."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_MODULE_LINES = 450
MAX_FUNCTION_LINES = 80

# Made by tools or by runs; everything else under the root belongs to the project.
NOT_OURS = {
    ".git", ".venv", ".venv-peers", "runs", "build", "dist", "__pycache__",
    ".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache",
}  # fmt: skip

# Too slow, or not installed everywhere: imported inside the functions that need them.
LAZY = {"polars", "pandas", "matplotlib", "narwhals", "pyarrow", "scipy", "distributed", "fsspec"}

# A slow twin leans on no part of mjsim.
ENGINE = {path.stem for path in (ROOT / "mjsim").iterdir()}

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def our_files() -> Iterator[Path]:
    """Every file of the project, in order."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS and not name.endswith(".egg-info"))
        yield from (Path(folder, name) for name in sorted(files) if name not in NOT_OURS)


def modules(*packages: str) -> list[Path]:
    """The Python files of some packages."""
    found = [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]
    assert found
    return found


def parsed(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported(nodes: Iterator[ast.AST]) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything that the import statements among some nodes bring in."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def run_on_import(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module that run when it is imported: no function bodies, nothing meant for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            continue
        yield node
        yield from run_on_import(node)


def locked(name: str) -> dict[str, tuple[str, str]]:
    """What a lock file pins: for each package its version and the lines that follow."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    pins: dict[str, tuple[str, str]] = {}
    for line in text.splitlines():
        match = re.match(r"([a-z0-9-]+)==(\S+)(.*)", line)
        assert match, f"{name}: no pinned requirement: {line}"
        assert match[1] not in pins, f"{name}: {match[1]} is pinned twice"
        pins[match[1]] = match[2], match[3]
    return pins


def requirement_names(requirements: list[str]) -> set[str]:
    """The names of some requirements, without their bounds."""
    return {re.split(r"[^A-Za-z0-9.-]", requirement)[0] for requirement in requirements}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([sys.executable, "-m", "ruff", "check", "."], id="ruff check"),
        pytest.param([sys.executable, "-m", "ruff", "format", "--check", "--diff", "."], id="ruff format"),
        pytest.param([sys.executable, "-m", "mypy"], id="mypy"),
        pytest.param([str(Path(sys.executable).with_name("lint-imports")), "--no-logo"], id="lint-imports"),
    ],
)
def test_tool_is_content(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}", pytrace=False)


@pytest.mark.parametrize(
    ("contract", "apart"),
    [("mjsim", {"mjsim.__main__"}), ("analysis", {"analysis.fonts", "analysis.templates"})],
)
def test_import_contract_names_every_module(contract: str, apart: set[str]) -> None:
    layers = {
        each["layers"][0].partition(".")[0]: each["layers"] for each in PROJECT["tool"]["importlinter"]["contracts"]
    }
    named = {name for layer in layers[contract] for name in layer.split(" : ") if name.startswith(f"{contract}.")}
    present = {
        f"{contract}.{path.stem}" for path in (ROOT / contract).iterdir() if path.suffix == ".py" or path.is_dir()
    }
    assert present - {f"{contract}.__init__", f"{contract}.__pycache__"} - apart == named


def test_modules_are_short() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules("mjsim", "analysis")}
    assert {path.name: count for path, count in lines.items() if count > MAX_MODULE_LINES} == {}


def test_functions_are_short() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in modules("mjsim", "analysis")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    ]
    assert long == []


def test_heavy_packages_are_imported_where_they_are_used() -> None:
    early = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in modules("mjsim")
        for line, name in imported(run_on_import(parsed(path)))
        if name.split(".")[0] in LAZY
    ]
    assert early == []


# The commands whose answers need the analysis.
KNOWING = {
    *("comparing", "counting", "exact", "fishing", "hand", "laddering", "reporting", "results", "sheets", "verifying"),
}


def test_only_the_command_line_knows_the_analysis() -> None:
    knowing = {
        path.relative_to(ROOT / "mjsim").as_posix()
        for path in modules("mjsim")
        if any(name.split(".")[0] == "analysis" for _, name in imported(ast.walk(parsed(path))))
    }
    assert knowing == {f"cli/{name}.py" for name in KNOWING}


def test_twins_share_nothing_with_the_engine() -> None:
    shared = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in modules("tests/naive")
        for line, name in imported(ast.walk(parsed(path)))
        if name.startswith("mjsim.") and name.split(".")[1] in ENGINE
    ]
    assert shared == []


def test_import_is_light() -> None:
    program = (
        "import sys, mjsim\n"
        "heavy = {'numba', 'polars', 'pandas', 'scipy', 'matplotlib', 'pydantic', 'typer'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_no_file_names_a_machine_or_a_registry() -> None:
    # Classes of one letter keep the patterns from finding themselves.
    machine = r"(?<![\w.~-])/(?:root|home|work|tmp|Users)/\w"
    registry = r"pypi[.]org|python[h]osted|npmjs[.]|conda[.]anaconda|deb[.]debian|--(?:extra-)?index[-]url|find[-]links"
    pattern = re.compile(f"{machine}|{registry}")
    found = [
        f"{path.relative_to(ROOT)}:{number} {match[0]}"
        for path in our_files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if (match := pattern.search(line))
    ]
    assert found == []


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_lock_is_hashed_and_has_no_address(name: str) -> None:
    marker_and_hashes = re.compile(r"( ; [^\\/]+?)?( +--hash=sha256:[0-9a-f]{64})+")
    assert [package for package, (_, rest) in locked(name).items() if not marker_and_hashes.fullmatch(rest)] == []


def test_locks_agree_and_hold_what_the_project_asks_for() -> None:
    run, dev = locked("requirements.lock"), locked("requirements-dev.lock")
    assert [package for package in run if run[package] != dev.get(package)] == []
    build = PROJECT["build-system"]["requires"]
    assert build == PROJECT["dependency-groups"]["build"]
    project = PROJECT["project"]
    extras = project["optional-dependencies"].values()
    assert requirement_names([*project["dependencies"], *build]) <= run.keys()
    assert requirement_names([requirement for extra in extras for requirement in extra]) <= dev.keys()
