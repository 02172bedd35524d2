"""What the README and the players' page tell a reader to do works."""

import re
import shlex
from pathlib import Path

import pytest

from tests.commands import run

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/players.md")
# Numbers of deals, too many for a suite: a fiftieth of each is played.
LARGE = re.compile(r"\b\d{5,}\b")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    return [body for name, body in FENCE.findall((ROOT / page).read_text(encoding="utf-8")) if name == language]


def commands() -> list[str]:
    """The `mjsim` lines of the README, without comments."""
    lines = [line for block in blocks("README.md", "sh") for line in block.splitlines()]
    return [line.split("#")[0].strip() for line in lines if line.startswith("mjsim ") and "<<" not in line]


@pytest.mark.parametrize("page", PAGES)
def test_python_examples_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    examples = blocks(page, "python")
    assert examples
    for example in examples:
        exec(compile(example.replace("100_000", "2_000"), page, "exec"), {"__name__": "example"})
    assert capsys.readouterr().out


def test_commands_run_in_the_order_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written = commands()
    assert len(written) >= 7
    for command in written:
        arguments = shlex.split(LARGE.sub(lambda number: str(int(number[0]) // 50), command))[1:]
        done = run(*arguments)
        assert done.status == 0, (command, done.err)
        assert done.out, command
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [
        "counts",
        "counts.html",
        "first",
        "first.html",
    ]


def test_the_score_example_runs() -> None:
    (block,) = [block for block in blocks("README.md", "sh") if "<<" in block]
    case = block.split("\n", 1)[1].rsplit("CASE", 1)[0]
    done = run("score", "-", stdin=case.encode())
    assert done.status == 0, done.err
    assert "12" in done.out
