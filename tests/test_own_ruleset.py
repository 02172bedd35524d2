"""The page "Write your own ruleset": its files, commands and examples, in the order written, and its playthrough.

``MJSIM_UPDATE_GOLDEN=1`` stores the playthrough anew.
"""

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.commands import ROOT, Done, run, warm_up

PAGE = ROOT / "docs" / "own_ruleset.md"
GOLDEN = ROOT / "tests" / "golden" / "own_ruleset.txt"
UPDATE = os.environ.get("MJSIM_UPDATE_GOLDEN") == "1"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ELLIPSIS = "…"

# The page's numbers of deals are too many for a suite.
FEWER = {"100000": "2000", "100_000": "2_000"}


def blocks() -> list[tuple[str, str]]:
    """Language and text of every block of code, in order."""
    return [(language, body) for language, body in BLOCK.findall(PAGE.read_text(encoding="utf-8"))]


def shell(line: str, folder: Path) -> Done:
    """Run a line of a `sh` block: `touch`, or a command with at most one `>` or `| diff`."""
    for many, few in FEWER.items():
        line = line.replace(many, few)
    words = shlex.split(line)
    if words[0] == "touch":
        (folder / words[1]).touch()
        return Done(0, "", "")
    assert words[0] == "mjsim", line
    end = next((place for place, word in enumerate(words) if word in (">", "|")), len(words))
    done = run(*words[1:end])
    if words[end : end + 1] == [">"]:
        (folder / words[end + 1]).write_text(done.out, encoding="utf-8")
        return Done(done.status, "", done.err)
    if words[end:]:
        assert words[end : end + 2] == ["|", "diff"]
        assert words[-1] == "-"
        same = (folder / words[end + 2]).read_text(encoding="utf-8") == done.out
        return Done(0 if same else 1, "", done.err)
    return done


def check_output(expected: str, shown: str) -> None:
    """Compare what a page says a command prints, in which a line with an ellipsis stands for any lines."""
    parts = [re.escape(part) for part in re.split(rf"^{ELLIPSIS}\n", expected, flags=re.MULTILINE)]
    assert re.fullmatch(r"(?:.*\n)*".join(parts), shown), shown


def test_the_page_from_the_empty_file_to_the_playthrough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    warm_up()
    monkeypatch.chdir(tmp_path)
    commands = 0
    shown = ""
    failed = False
    for language, body in blocks():
        if language == "toml":
            (tmp_path / body.split()[1]).write_text(body, encoding="utf-8")
        elif language == "sh":
            assert not failed, "a command failed whose output the page does not show"
            done = [shell(line, tmp_path) for line in body.splitlines()]
            commands += len(done)
            shown = "".join(each.out + each.err for each in done)
            failed = any(each.status for each in done)
        elif language == "text":
            check_output(body, shown)
            assert failed == body.startswith("error: ")
            failed = False
        else:
            assert language == "python"
            exec(compile(body.replace("100_000", FEWER["100_000"]), PAGE.name, "exec"), {"__name__": "example"})
            assert capsys.readouterr().out
    assert not failed
    assert commands > 10
    playthrough = (tmp_path / "evening-3330.txt").read_text(encoding="utf-8")
    if UPDATE:
        GOLDEN.write_text(playthrough, encoding="utf-8")
    assert playthrough == GOLDEN.read_text(encoding="utf-8")


def test_the_playthrough_shows_what_the_page_says() -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    assert "Evening mahjong, seed 1, deal 3330" in text
    assert "robs the kong" in text
    assert "chows" not in text
