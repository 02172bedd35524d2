"""Playthroughs: deals of each ruleset that show its special rules, as transcripts to check by eye.

The folder ``golden/playthroughs`` is written from the table in ``playthroughs.py`` (``MJSIM_UPDATE_GOLDEN=1``). What an
entry says of its deal is checked by lines of the coverage table, which fire on columns or on the deal's log, by what
stands in the text, and for what neither shows by a function of its own.
"""

import math
import os
import re
from pathlib import Path
from typing import Any

import pytest

import mjsim
from mjsim.coverage import LINES
from mjsim.coverage.count import Counter
from mjsim.engine import Plan
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.transcript.events import Replay
from mjsim.transcript.words import MAX_COLUMNS
from tests.playthroughs import PLAYTHROUGHS, SEED, Playthrough

FOLDER = Path(__file__).parent / "golden" / "playthroughs"
RULES_PAGE = Path(__file__).resolve().parent.parent / "docs" / "rules.md"
UPDATE = os.environ.get("MJSIM_UPDATE_GOLDEN") == "1"

_LINES = {line.key: line for line in LINES}


EVERY = [
    (ruleset, number, entry) for ruleset, entries in PLAYTHROUGHS.items() for number, entry in enumerate(entries, 1)
]
IDENTITIES = [f"{ruleset}-{entry.name}" for ruleset, _, entry in EVERY]


def file_name(ruleset: str, number: int, entry: Playthrough) -> str:
    return f"{ruleset}/{number:02}-{entry.name}.txt"


def index() -> str:
    """The page that lists the playthroughs."""
    lines = [
        "# Playthroughs",
        "",
        "Deals to check by eye against [rules.md](../../../docs/rules.md), whose parts the last column names. Each is",
        f"what `mjsim replay RULES --seed {SEED} --deal DEAL --players PLAYERS` prints. `tests/test_playthroughs.py`",
        "makes them anew and compares, and writes this page.",
    ]
    for ruleset, entries in PLAYTHROUGHS.items():
        lines += ["", f"## {ruleset}", "", "| file | seed | deal | players | what it shows | rules |"]
        lines.append("| --- | --- | --- | --- | --- | --- |")
        for number, entry in enumerate(entries, 1):
            path = file_name(ruleset, number, entry)
            cells = [f"[{Path(path).stem}]({path})", SEED, entry.deal, entry.players, entry.what, entry.rules]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def check_file(file: Path, text: str) -> None:
    """Compare with a golden file, or write it."""
    if UPDATE:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def show(ruleset: str, entry: Playthrough) -> Replay:
    return mjsim.replay(ruleset, seed=SEED, deal=entry.deal, players=entry.players)


@pytest.mark.parametrize(("ruleset", "number", "entry"), EVERY, ids=IDENTITIES)
def test_the_text_is_that_of_the_file(ruleset: str, number: int, entry: Playthrough) -> None:
    text = show(ruleset, entry).text("en")
    check_file(FOLDER / file_name(ruleset, number, entry), text)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= MAX_COLUMNS


@pytest.mark.parametrize(("ruleset", "number", "entry"), EVERY, ids=IDENTITIES)
def test_the_deal_shows_what_its_entry_says(ruleset: str, number: int, entry: Playthrough) -> None:
    rules, keys = load_rules(ruleset), entry.lines.split()
    lines = [_LINES[key] for key in keys]
    assert lines
    assert all(line.possible(rules) for line in lines)
    counter = Counter(Plan(rules, players_for_seats(entry.players), SEED), lines)
    run = mjsim.simulate(ruleset, deals=1, first=entry.deal, seed=SEED, players=entry.players, threads=1)
    counter.add(entry.deal, run.columns)
    assert counter.coverage.counts == dict.fromkeys(keys, 1)
    shown = show(ruleset, entry)
    text = unwrapped(shown)
    for expression in entry.says:
        assert re.search(expression, text), expression
    assert entry.also is None or entry.also(shown)


@pytest.mark.parametrize(("ruleset", "number", "entry"), EVERY, ids=IDENTITIES)
def test_chinese_texts_hold_no_english(ruleset: str, number: int, entry: Playthrough) -> None:
    text = show(ruleset, entry).text("zh")
    assert set(re.findall(r"[A-Za-z]+", text)) <= {entry.players}


def test_the_index_lists_every_file() -> None:
    check_file(FOLDER / "README.md", index())
    wanted = {file_name(ruleset, number, entry) for ruleset, number, entry in EVERY}
    assert {str(file.relative_to(FOLDER)) for file in FOLDER.glob("*/*")} == wanted
    assert {len(entries) for entries in PLAYTHROUGHS.values()} == {12}


def test_the_parts_that_the_index_names_are_on_the_rules_page() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    for _, _, entry in EVERY:
        for part in entry.rules.split("; "):
            section, _, words = part.partition(": ")
            body = section_of(page, section)
            assert all(word.lower() in body.lower() for word in words.split(", ")), part


def section_of(page: str, section: str) -> str:
    """The part of the rules page under one letter."""
    found = re.search(rf"^##+ {re.escape(section)}\.? .*?(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    assert found is not None, section
    return found[0]


@pytest.mark.parametrize("ruleset", ["nanning_folk", "nanning_laiyouxi"])
@pytest.mark.parametrize("players", ["noisy", "fast"])
def test_the_product_in_the_text_is_the_share(ruleset: str, players: str) -> None:
    """The units that a text lists multiply the price to the points the settlement gives."""
    checked = 0
    for deal in range(150):
        checked += check_products(mjsim.replay(ruleset, seed=SEED, deal=deal, players=players))
    assert checked > 50


@pytest.mark.parametrize(
    ("ruleset", "entry"), [(ruleset, entry) for ruleset, _, entry in EVERY if ruleset != "liuzhou"]
)
def test_the_products_of_playthroughs(ruleset: str, entry: Playthrough) -> None:
    shown = show(ruleset, entry)
    fixed = shown.text("en").count(": a fixed share of 50 ")
    assert check_products(shown) + fixed == len(shown.case.get("winners", []))


def check_products(shown: Replay) -> int:
    """Compare the product behind the units of each winner with his points; returns how many there were."""
    shares = re.findall(r"points per share: (\d+)\n(?:  all pungs or .*\n)?  seat \d, units: (.*)", unwrapped(shown))
    for points, words in shares:
        parts, _, product = words.rpartition(": ")
        assert math.prod(map(int, product.split(" x "))) == int(points)
        units = [int(number) for number in re.findall(r"\+(\d+)", parts)]
        assert len(product.split(" x ")) == max(sum(units), 1)
        assert f"in all {sum(units)}" in parts or not units
    return len(shares)


def unwrapped(shown: Replay) -> str:
    """The English text with the parts of a list in one line."""
    return re.sub(r",\n    +", ", ", shown.text("en"))


@pytest.mark.parametrize(
    ("deal", "options", "said"),
    [
        (
            40388,
            {"events.last_tile_claim.units": 0, "events.last_tile_claim.factor": 3},
            "kong discard +1 (chain of 1), in all 1: 9 x 3",
        ),
        (26984, {"dead_double": True}, "seat 2 pays alone for the self-draw of seat 0: 6 shares"),
        (181393, {"pass_lock.enabled": True}, "wins that lock or seal forbade seat 1: 1"),
        (112325, {"decided_by": "last"}, "the kong of 7z decides who pays: exposed, so seat 2"),
        (111765, {"concealed_ordinary": 20}, "in all 2, each past the first multiplies by 2: 6 x 2"),
    ],
)
def test_texts_under_other_options(deal: int, options: dict[str, Any], said: str) -> None:
    shown = mjsim.replay(load_rules("nanning_folk", **options), seed=SEED, deal=deal, players="fast")
    assert said in unwrapped(shown)
    assert set(re.findall(r"[A-Za-z]+", shown.text("zh").split("\n\n", 1)[1])) == set()
