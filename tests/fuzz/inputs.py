"""Where fuzzed inputs begin, and how they are changed: real files and lines, damaged in ways that hurt readers."""

import json
import random
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mjsim.dataset.run import MANIFEST_NAME

ROOT: Final = Path(__file__).parents[2]
#: No input grows beyond this; larger ones are tested one by one.
LONGEST_INPUT: Final = 20_000

NUMBERS: Final = [
    b"0",
    b"-1",
    b"1",
    b"2",
    b"3",
    b"4",
    b"5",
    b"10",
    b"11",
    b"100",
    b"101",
    b"1000000",
    b"1000001",
    b"2147483647",
    b"2147483648",
    b"-2147483649",
    b"4294967296",
    b"9223372036854775807",
    b"9223372036854775808",
    b"18446744073709551616",
    b"340282366920938463463374607431768211456",
    b"1e3",
    b"1e400",
    b"-0",
    b"0.0",
    b"1.5",
    b"nan",
    b"inf",
    b"-inf",
    b"NaN",
    b"Infinity",
    b"0x7fffffff",
    b"0b1",
    b"1_000",
    b"007",
    b"9" * 5000,
]
WORDS: Final = [
    b'"none"',
    b'"double"',
    b"true",
    b"false",
    b"null",
    b'""',
    b"[]",
    b"{}",
    b"[[]]",
    b"[" * 300,
    b"{" * 300,
    b'{"a":' * 300,
    b"a." * 150,
    b"\xef\xbb\xbf",
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\r",
    b"\r\n",
    b"\n",
    b"\t",
    b"\x1b[31m",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x80\x84",
    b"'''",
    b'"""',
    b"#",
    b"\\u0000",
    b"\\ud800",
    b"\\U0010ffff",
    b"=",
    b".",
    b",",
    b"..",
    b"<script>",
    b'"onload=',
    b"extends",
    b'extends = "liuzhou"\n',
    b"[ruleset]\n",
    b"[[case]]\n",
    b"1979-05-27T07:32:00Z",
    b"07:32:00",
    b"m",
    b"p",
    b"s",
    b"z",
    b"0m",
    b"8z",
    b"19m",
    b" <0",
    b" <9",
    b"pung ",
    b"kong- ",
    b"kong+ ",
    b"chow ",
    b"--",
    b"--set",
    b"--help",
    b"--deals",
    b"--lang",
    b"--format",
    b"--json",
    b"--out",
    b"--",
    b"-",
    b"value.step=",
    b"/dev/null",
]
_COMMANDS: Final = """
simulate liuzhou --deals 3 --seed 1
simulate nanning_folk --deals 2 --players fast,noisy,random,value --out run
simulate liuzhou --deals 3 --set reserve=picked --set max_labels=1 --format csv
simulate nanning_laiyouxi --deals 3 --session 4 --fish 1 --first 7 --threads 1 --lang zh
summary run --format md
report run --out page.html --lang zh
compare liuzhou rob_kong=false chow=false --deals 3 --seed 1
compare liuzhou liuzhou_no_third_party --deals 3 --margin points_moved=0.1
score cases.toml --json
score - --set pass_lock=false
replay liuzhou --seed 1 --deal 2 --lang zh
replay nanning_folk --deal 3 --json --players noisy
exact --deals 3 --format json
ladder liuzhou --players fast,noisy --deals 2
hand liuzhou 123456m234p99s78s3z --seen 6s9s --left 60
hand nanning_folk 2244678m33p --melds 'pung 3m <0' --playouts 2 --lang zh
fishing liuzhou --deals 3 --session 2
rules list --format md
rules show nanning_folk --format json
rules diff nanning_folk nanning_laiyouxi --set liability.enabled=true
rules check liuzhou rules.toml
rules coverage liuzhou --deals 2 --players fast
rules schema
--version
--help
"""


def seeds(target: str, run_folder: Path) -> list[bytes]:
    """Real inputs of a target, in a fixed order; manifests are variations of a real run's."""
    match target:
        case "tiles":
            return [b"123m55p1z", b"19m 7z", b"5p", b"pung 5m <0", b"kong- 7z", b"chow 234m <3", b"11112345678999m"]
        case "rulesets":
            files = sorted((ROOT / "mjsim/rules").rglob("*.toml"))
            small = (
                b'[ruleset]\nextends = "nanning_folk"\nname = "mine"\n[value]\nstep = 10\n[kongs]\nexposed = 1000000\n'
            )
            return [file.read_bytes() for file in files] + [small]
        case "cases":
            return _cases()
        case "manifests":
            text = (run_folder / MANIFEST_NAME).read_bytes()
            return [text, json.dumps(json.loads(text)).encode()]
        case "commands":
            return ["\n".join(shlex.split(line)).encode() for line in _COMMANDS.strip().splitlines()]
        case _:
            raise KeyError(target)


def _cases() -> list[bytes]:
    """Golden score cases one by one, as TOML and as JSON."""
    import tomllib

    found: list[bytes] = []
    for file in ("liuzhou", "nanning_folk", "nanning_laiyouxi"):
        text = (ROOT / f"tests/golden/{file}.toml").read_text(encoding="utf-8")
        found += [b"[[case]]" + part.encode() for part in text.split("[[case]]")[1:]]
        found += [json.dumps(case, ensure_ascii=False).encode() for case in tomllib.loads(text)["case"]]
    return found


def changed(draw: random.Random, start: bytes, others: Sequence[bytes]) -> bytes:
    """An input with one to five things done to it."""
    data = bytearray(start)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5))):
        _change(draw, data, others)
    return bytes(data[:LONGEST_INPUT])


def _change(draw: random.Random, data: bytearray, others: Sequence[bytes]) -> None:
    """Do one thing to an input."""
    here = draw.randrange(len(data) + 1)
    there = min(len(data), here + draw.choice((1, 1, 2, 4, 8, 32, 200)))
    match draw.randrange(9):
        case 0:
            del data[here:there]
        case 1:
            data[here:there] = draw.randbytes(there - here)
        case 2:
            data[here:here] = draw.choice(WORDS)
        case 3:
            data[here:here] = data[here:there] * draw.choice((1, 2, 50))
        case 4:
            del data[here:]
        case 5:
            other = draw.choice(others)
            place = draw.randrange(len(other) + 1)
            data[here:there] = other[place : place + draw.choice((4, 16, 64, 400))]
        case 6:
            _exchange_lines(draw, data)
        case _:
            _replace_number(draw, data)


def _exchange_lines(draw: random.Random, data: bytearray) -> None:
    """Take one line twice or move it."""
    lines = bytes(data).split(b"\n")
    line = draw.choice(lines)
    if draw.random() < 0.5:
        lines.remove(line)
    lines.insert(draw.randrange(len(lines) + 1), line)
    data[:] = b"\n".join(lines)


def _replace_number(draw: random.Random, data: bytearray) -> None:
    """Put another number, or word, in the place of a number or a word."""
    here = draw.randrange(len(data) + 1)
    kind = bytes.isdigit if draw.random() < 0.7 else bytes.isalpha
    while here < len(data) and not kind(bytes(data[here : here + 1])):
        here += 1
    there = here
    while there < len(data) and kind(bytes(data[there : there + 1])):
        there += 1
    data[here:there] = draw.choice(NUMBERS if draw.random() < 0.8 else WORDS)
