"""What is fuzzed: each target takes bytes, hands them to one reader, and checks what comes back.

A target returns whether the input was accepted. Whatever it raises is a fault of ours: a reader may refuse with an
`MjsimError` that has a message of bounded length, and nothing else.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from mjsim.cli.case_files import read_cases
from mjsim.dataset.run import MANIFEST_NAME, open_run
from mjsim.errors import MjsimError
from mjsim.hands.melds import parse_meld
from mjsim.rules import Ruleset, load_rules
from mjsim.rules.check import printable_lines
from mjsim.rules.model import LARGEST_RESULT
from mjsim.scoring import score
from mjsim.tiles import counts_of, kinds_of, parse, parse_tile, text
from tests.commands import run

Target = Callable[[bytes], bool]

#: No message may be as long as what it complains about: 100 problems of a ruleset, each a few hundred characters.
LONGEST_MESSAGE: Final = 100_000
#: Whole numbers of a command line up to this are taken as 0 to 3, so that no command plays for long.
_MODEST: Final = 2**40
#: Commands that play many deals unless they are told how many.
_LONG_UNLESS_TOLD: Final = ("simulate", "compare", "fishing", "exact", "ladder", "coverage")


def targets(folder: Path, shard: bytes) -> dict[str, Target]:
    """Every target by its name.

    Parameters
    ----------
    folder : path
        For the files that readers read; empty.
    shard : bytes
        What stands beside a manifest as its only shard.
    """
    run_folder = folder / "run"
    run_folder.mkdir()
    (run_folder / "deals-00000.parquet").write_bytes(shard)
    return {
        "tiles": read_tiles,
        "rulesets": partial(read_ruleset, folder / "rules.toml"),
        "cases": partial(answer_cases, folder / "cases"),
        "manifests": partial(read_manifest, run_folder),
        "commands": partial(run_command, folder / "place"),
    }


def _look_at(error: MjsimError, named: Path | None = None) -> None:
    """A refusal's message has to be there, short and printable, and to name the file where there is one."""
    message = str(error)
    assert str(named or "") in message, f"a message that does not name {named}: {message}"
    assert message.strip(), "a refusal without a message"
    assert len(message) <= LONGEST_MESSAGE, f"a message of {len(message)} characters"
    message.encode("utf-8")
    assert printable_lines(message) == message, "a message that a terminal would obey"


def read_tiles(raw: bytes) -> bool:
    """Tiles, and melds of them, as people write them."""
    written = raw.decode("utf-8", errors="replace")
    accepted = False
    for read in (parse, parse_tile, parse_meld):
        try:
            read(written)
            accepted = True
        except MjsimError as error:
            _look_at(error)
    if accepted:
        accepted = _read_back(written)
    return accepted


def _read_back(written: str) -> bool:
    """What was read is written so that it reads the same again."""
    try:
        kinds = parse(written)
    except MjsimError:
        meld = parse_meld(written)
        assert parse_meld(str(meld)) == meld
        return True
    assert parse(text(kinds)) == sorted(kinds)
    try:
        counts = counts_of(kinds)
    except MjsimError as error:
        _look_at(error)
        return False
    assert kinds_of(counts) == sorted(kinds)
    return True


def read_ruleset(path: Path, raw: bytes) -> bool:
    """A ruleset file: refused with its name, or a ruleset whose words and points fit."""
    from mjsim.rules.packed import pack

    path.write_bytes(raw)
    try:
        rules = load_rules(path)
    except MjsimError as error:
        _look_at(error, path)
        return False
    assert rules.largest_result() <= LARGEST_RESULT
    assert Ruleset.from_dict(rules.to_dict()) == rules
    pack(rules)
    return True


def answer_cases(path: Path, raw: bytes) -> bool:
    """A file of score cases: refused, or every case has an answer that sums to zero, or an error."""
    path.write_bytes(raw)
    try:
        cases = read_cases(str(path))
    except MjsimError as error:
        _look_at(error, path)
        return False
    answered = [_is_answered(case) for case in cases]
    return all(answered)


def _is_answered(case: Any) -> bool:
    answer = score(case)
    if "error" in answer:
        assert set(answer) == {"id", "error"}
        _look_at(MjsimError(answer["error"]))
        return False
    for part in ("net", "hand", "kongs", "fish"):
        assert sum(answer[part]) == 0, answer
    assert answer["net"] == [sum(parts) for parts in zip(answer["hand"], answer["kongs"], answer["fish"], strict=True)]
    return True


def read_manifest(folder: Path, raw: bytes) -> bool:
    """The manifest of a run folder."""
    (folder / MANIFEST_NAME).write_bytes(raw)
    try:
        manifest = open_run(folder).manifest
    except MjsimError as error:
        _look_at(error, folder)
        return False
    assert sum(shard.deals for shard in manifest.shards) == manifest.deals
    return True


def run_command(place: Path, raw: bytes) -> bool:
    """A command line, its words on lines of their own, run in an empty folder."""
    words = [word for word in raw.decode("utf-8", errors="surrogateescape").split("\n")[:40] if "\0" not in word]
    # No word may lead out of the folder.
    words = [word if word == "/dev/null" else _modest(word).replace("/", "_") for word in words]
    if "--" not in words and any(word in _LONG_UNLESS_TOLD for word in words):
        words += ["--deals", "3"]
    if "--" not in words and "hand" in words:
        words += ["--playouts", "2"]
    place.mkdir(exist_ok=True)
    before = os.getcwd()
    os.chdir(place)
    try:
        done = run(*words)
    finally:
        os.chdir(before)
        shutil.rmtree(place)
    assert done.status in (0, 1, 2), done
    assert "Traceback" not in done.err, done
    assert len(done.err) <= LONGEST_MESSAGE
    if done.status:
        assert done.err.strip(), done
    return done.status == 0


def _modest(word: str) -> str:
    """A word with a number that would play for long made small."""
    name, equals, value = word.rpartition("=")
    try:
        number = int(value)
    except ValueError:
        return word
    return f"{name}{equals}{number % 4}" if 0 <= number <= _MODEST else word


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for `targets`, in memory where the system has such a place."""
    shared = Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="mjsim-fuzz-", dir=shared if os.access(shared, os.W_OK) else None)
