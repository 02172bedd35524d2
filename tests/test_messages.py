"""What a refusal says of strange input: the file at hand, in few words, with nothing that a terminal would obey."""

import json
from pathlib import Path
from typing import Any

import pytest

import mjsim
from mjsim.errors import RulesError, RunError
from mjsim.rules import Ruleset, load_rules
from tests.commands import run

CASE: dict[str, Any] = {
    "id": "\x1b[2Jgone",
    "rules": "liuzhou",
    "dealer": 0,
    "how": "discard",
    "winners": [1],
    "from": 0,
    "tile": "2m",
    "hands": ["", "2244678m333p", "", ""],
    "melds": [[], ["pung 3m <0"], [], []],
}

pytestmark = pytest.mark.usefixtures("compiled_engine")


def test_a_contradiction_is_told_of_the_file_at_hand_and_not_of_the_one_it_extends(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[ruleset]\nextends = "nanning_folk"\nname = "mine"\n[value]\nstep = 10\n', encoding="utf-8")
    with pytest.raises(RulesError) as refused:
        load_rules(path)
    assert str(refused.value).startswith(f"{path}: value: with these prices")
    with pytest.raises(RulesError, match=r"^setting for liuzhou: fishing.max_labels: 0 beside fishing.enabled = true"):
        load_rules("liuzhou", max_labels=0)


@pytest.mark.parametrize(
    ("text", "code"),
    [("\x1b[31mred", "U+001B"), ("a\u202etxt.exe", "U+202E"), ("bell\x07", "U+0007"), ("a\u200bb", "U+200B")],
)
@pytest.mark.parametrize("key", ["title", "about"])
def test_a_title_is_plain_text(key: str, text: str, code: str) -> None:
    rules = load_rules("liuzhou").to_dict()
    rules["ruleset"][key]["zh"] = text
    with pytest.raises(
        RulesError, match=rf"ruleset.{key}.zh: a control character, {code.replace('+', '.')}; write plain"
    ):
        Ruleset.from_dict(rules)


def test_a_title_may_have_wide_spaces_and_an_about_lines() -> None:
    rules = load_rules("liuzhou").to_dict()
    rules["ruleset"]["title"]["zh"] = "柳州\u3000麻将"
    rules["ruleset"]["about"]["en"] = "One line.\nAnother."
    assert Ruleset.from_dict(rules).title.zh == "柳州\u3000麻将"


@pytest.mark.parametrize("format", ["table", "md"])
def test_an_id_does_not_steer_the_terminal(format: str) -> None:
    wrong = CASE | {"id": "\x1b[2Jbad", "tile": "9s"}
    done = run("score", "-", "--format", format, stdin=json.dumps([CASE, wrong]).encode())
    assert done.status == 1
    assert "\x1b" not in done.out + done.err
    assert "\\x1b[2Jgone" in done.out
    assert "error: \\x1b[2Jbad: hands: seat 1's hand with 9s is not complete" in done.err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"\x1b[31mkey": 1}, '"\\x1b[31mkey": there is no such key in a score case'),
        ({"k" * 100_000: 1}, '"' + "k" * 60 + '…": there is no such key in a score case'),
        ({"how": "x" * 100_000}, "how: '" + "x" * 60 + "…': "),
        ({"dealer": 10**5000}, "dealer: a number of 16,610 bits: "),
        ({"dealer": True}, "dealer: true: a whole number expected"),
    ],
)
def test_a_case_is_refused_in_few_words(changes: dict[str, Any], message: str) -> None:
    answer = mjsim.score(CASE | changes)
    assert answer["error"].startswith(message)
    assert len(answer["error"]) < 300


def test_an_expect_of_many_strange_keys_is_cut() -> None:
    expect = {f"k{number}\x1b": 0 for number in range(1000)}
    done = run("score", "-", stdin=json.dumps(CASE | {"expect": expect}).encode())
    assert done.status == 1
    assert '"expect"' not in done.err
    assert 'expect."k0\\x1b": there is no such key' in done.err
    assert len(done.err) < 10_000


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_words_that_are_no_text_stand_as_escapes_in_what_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    """A file's name may hold any bytes; Python hands them on as half characters that no file can hold."""
    monkeypatch.chdir(tmp_path)
    refused = run("simulate", "liuzhou", "--deals", 5, "--out", "run\udcff")
    assert (refused.status, list(tmp_path.iterdir())) == (1, [])
    assert refused.err == "error: run\\udcff: the folder's name is not UTF-8 text; rename it\n"
    with pytest.raises(RunError, match="not UTF-8 text; rename it"):
        mjsim.open_run("run\udcff")
    rules = f"rules\udcff-{lang}.toml"
    Path(rules).write_text('[ruleset]\nextends = "liuzhou"\nname = "mine"\n', encoding="utf-8")
    for command in (
        ("simulate", rules, "--deals", 50, "--out", "run"),
        ("report", "run", "--out", "report.html", "--lang", lang),
        ("compare", rules, "chow=false", "--deals", 50, "--out", "compare.html", "--lang", lang),
        ("hand", rules, "123456m234p99s78s3z", "--playouts", 2, "--out", "hand.html", "--lang", lang),
        ("replay", "run", "--deal", 3, "--json"),
    ):
        done = run(*command)
        assert (done.status, "Traceback" in done.err) == (0, False), (command, done.err)
    assert "\\udcff" in mjsim.open_run("run").manifest.command


def test_a_manifest_with_a_flood_of_wrong_keys_is_refused_in_few_words(tmp_path: Path) -> None:
    mjsim.simulate("liuzhou", deals=2).write(tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(manifest | {f"key\x1b{number}": 1 for number in range(5000)}), encoding="utf-8")
    with pytest.raises(RunError) as refused:
        mjsim.open_run(tmp_path / "run")
    message = str(refused.value)
    assert message.startswith(f'{file}: "key\\x1b0": Extra inputs are not permitted; ')
    assert message.endswith("; and 4,900 more")
    assert len(message) < 10_000


def test_a_manifest_too_large_to_be_one_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mjsim.dataset.run.LARGEST_MANIFEST", 1 << 20)
    (tmp_path / "run.json").write_bytes(b" " * ((1 << 20) + 1))
    with pytest.raises(RunError, match=r"run.json: over 1 MB, too large for a manifest$"):
        mjsim.open_run(tmp_path)


def test_a_folder_that_cannot_be_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"a\\x00b/run.json: cannot be read: embedded null byte$"):
        mjsim.open_run(f"{tmp_path}/a\0b")
