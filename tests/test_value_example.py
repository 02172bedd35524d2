"""The worked example of `value` in docs/players.md: its arithmetic is right, and its numbers are the kernels'."""

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

import mjsim
from mjsim import jit
from mjsim.contract import View
from mjsim.hands.hand import load
from mjsim.hands.tables import tables
from mjsim.players.value import constants, weights
from mjsim.players.value.chances import CONCEALED_ROUTE, OPEN_ROUTE
from mjsim.players.value.danger import cost_of, danger_of
from mjsim.players.value.decide import VALUE
from mjsim.players.value.holding import holding_of, sight_of, without
from mjsim.players.value.routes import ordinary_tiles, pays_of, route_worths, useful_kinds, worth
from mjsim.players.value.throw import best_throw
from mjsim.rules import load_rules
from mjsim.rules.packed import pack
from mjsim.state import DEAL, LEGAL, SEATS, STREAM, TURN_PHASE, new_record
from mjsim.tiles import counts_of, parse

PAGE = (Path(__file__).parent.parent / "docs" / "players.md").read_text(encoding="utf-8")
SECTION = PAGE.split("\n## `value`\n")[1].split("\n## ")[0]
EXAMPLE = SECTION.split("### An example of `value`\n")[1].split("\n### ")[0]
FAMILY = "chow_discard"

#: The page's signs in Python.
SIGNS: Final = (("·", "*"), ("−", "-"), ("^", "**"), ("⌊", "("), ("⌋", ")"), (" / ", " // "))


@cache
def equations() -> dict[str, int]:
    """What each line ``name = … = …`` of the example says, once all its parts were found equal."""
    found: dict[str, int] = {}
    for line in re.findall(r"^    (\w+ = .*)$", EXAMPLE, re.MULTILINE):
        name, *parts = re.split(r" {2,}", line)[0].split(" = ")
        for sign, python in SIGNS:
            parts = [part.replace(sign, python) for part in parts]
        values = {int(eval(part, {"min": min, "max": max}, found)) for part in parts}
        assert len(values) == 1, line
        assert name not in found
        found[name] = values.pop()
    return found


def rows() -> dict[str, list[str]]:
    """The cells of the table of throws, by the tile thrown."""
    lines = [line.strip("| ").split(" | ") for line in EXAMPLE.splitlines() if line.startswith("| `")]
    return {cells[0].strip("`"): cells[1:] for cells in lines}


def hand() -> str:
    found = re.search(r"it holds `(\w+)`", EXAMPLE)
    assert found
    return found[1]


def situation() -> View:
    """The dealer's view, from the page's words."""
    discards = re.search(r"^`(\w+)`\.$", EXAMPLE, re.MULTILINE)
    left = re.search(r"(\d+) tiles are left", EXAMPLE)
    assert discards
    assert left
    deal = new_record(DEAL)
    table = deal.table
    load(deal.seats[0], tables(), np.array(counts_of(parse(hand())), np.uint8), 0)
    tiles = [parse(tile)[0] for tile in re.findall(r"\d[mpsz]", discards[1])]
    for index, tile in enumerate(tiles):
        table.discard_tile[index], table.discard_seat[index] = tile, index % SEATS
    table.discard_count = len(tiles)
    for name, digit in (("ones", 1), ("twos", 2), ("fours", 4)):
        setattr(table, name, np.uint64(sum(1 << kind for kind in set(tiles) if tiles.count(kind) & digit)))
    table.left = int(left[1])
    table.phase = TURN_PHASE
    # Tiles dealt, one drawn for each turn.
    assert table.left == 136 - 53 - len(tiles)
    return View(deal.seats[0], table, pack(load_rules("liuzhou")), tables())


@jit.kernel
def seen(view: View) -> Any:
    sight = sight_of(view)
    pays = pays_of(view.rules, sight, np.int64(0), np.int64(0))
    return sight.per_tile, sight.draws, sight.loss, pays.exposed, pays.concealed


@jit.kernel
def after(view: View, kind: Any) -> Any:
    """Distance, tiles and share after a throw, the chances, what open and concealed are worth, and the danger."""
    sight = sight_of(view)
    rest = without(view.tables, holding_of(view.own), kind, np.int64(1))
    distance, useful = useful_kinds(view.tables, rest)
    drawn, tiles = ordinary_tiles(sight, distance, useful, rest.twos & ~rest.ones)
    pays = pays_of(view.rules, sight, np.int64(0), np.int64(0))
    zero, whole = np.int64(0), np.int64(256)
    return (
        distance,
        drawn,
        tiles,
        tiles * sight.per_tile >> 16,
        worth(sight, OPEN_ROUTE, distance, tiles, (whole, zero)),
        worth(sight, OPEN_ROUTE, distance, tiles, (zero, whole)),
        worth(sight, CONCEALED_ROUTE, distance, tiles, (whole, zero)),
        worth(sight, CONCEALED_ROUTE, distance, tiles, (zero, whole)),
        worth(sight, OPEN_ROUTE, distance, tiles, pays.exposed),
        worth(sight, CONCEALED_ROUTE, distance, tiles, pays.concealed),
        cost_of(danger_of(view, sight), kind),
    )


@jit.kernel
def throw(view: View) -> Any:
    sight = sight_of(view)
    hand = holding_of(view.own)
    return best_throw(view, sight, hand, danger_of(view, sight)), route_worths(view, sight, hand)


def test_the_arithmetic_is_right() -> None:
    assert len(equations()) >= 18


def test_what_is_seen_and_paid_is_what_the_kernels_say() -> None:
    says = equations()
    per_tile, draws, loss, exposed, concealed = seen(situation())
    assert (int(per_tile), int(draws), int(loss)) == (2**24 // says["u"], says["t"], says["L"])
    assert [int(pay) for pay in exposed] == [says["open_W0"], says["open_W1"]]
    assert [int(pay) for pay in concealed] == [says["concealed_W0"], says["concealed_W1"]]


def test_the_numbers_written_out_are_the_constants() -> None:
    numbers = {
        "LOSS_ORDINARY": constants.LOSS_ORDINARY,
        "READY": constants.READY[FAMILY][0],
        "ended[14]": constants.RATES[FAMILY]["rounds"]["ended"][14],
        "CAUTION_ORDINARY": weights.CAUTION_ORDINARY,
        "WANTED": weights.WANTED[0][2],
    }
    for name, number in numbers.items():
        line = re.search(rf"^    (.*) {{2,}}{re.escape(name)}$", EXAMPLE, re.MULTILINE)
        assert line, name
        assert re.search(rf"\b{number}\b", line[1]), name


def test_the_throws_are_weighed_as_the_table_says() -> None:
    view = situation()
    for tile, (waits, *cells) in rows().items():
        kind = parse(tile)[0]
        rest = np.array(counts_of(parse(hand())), np.uint8)
        rest[kind] -= 1
        assert set(mjsim.effective_tiles(rest)) == set(parse(waits.strip("`")))
        distance, drawn, *found = (int(number) for number in after(view, kind))
        n, x, *chances, by_open, by_concealed, danger = found
        assert distance == 1
        assert drawn == n
        assert chances[:2] == chances[2:]
        leaves = max(by_open, by_concealed) - danger
        assert [int(cell) for cell in cells] == [n, x, *chances[:2], by_open, by_concealed, danger, leaves]


def test_the_equations_are_those_of_the_tile_thrown() -> None:
    says, cells = equations(), [int(cell) for cell in rows()["4p"][1:]]
    names = ("n", "x", "C0", "C1", "open", "concealed", "danger", "leaves")
    assert [says[name] for name in names] == cells


def test_only_the_tiles_of_the_table_leave_the_hand_ready() -> None:
    counts = np.array(counts_of(parse(hand())), np.uint8)
    ready = set()
    for kind in np.flatnonzero(counts):
        rest = counts.copy()
        rest[kind] -= 1
        if mjsim.shanten(rest) == 0:
            ready.add(int(kind))
    assert ready == {parse(tile)[0] for tile in rows()}


def test_the_decision_is_the_one_told() -> None:
    told = re.search(r"So it throws `(\w+)`, which leaves (\d+) / 2\^15 = ([\d.]+) points", EXAMPLE)
    assert told
    view = situation()
    (kind, leaves), (_, pungs, flush, pairs) = throw(view)
    assert (int(kind), int(leaves)) == (parse(told[1])[0], int(told[2]))
    assert (int(pungs), int(flush), int(pairs)) == (0, 0, 0)
    assert f"{int(told[2]) / 2**15:.2f}" == told[3]
    legal = new_record(LEGAL)
    legal.discard = np.uint64(sum(1 << kind for kind in set(parse(hand()))))
    assert int(VALUE.compiled(view, legal, new_record(STREAM))) == mjsim.DISCARD << 8 | int(kind)


def test_every_constant_of_the_section_is_in_its_table_of_symbols() -> None:
    table, text = SECTION.split("**What it sees.**")
    listed = set(re.findall(r"`([A-Z][A-Z_]+)`", table))
    used = set(re.findall(r"`([A-Z][A-Z_]+)`", text))
    assert used <= listed
    assert listed <= {name for module in (constants, weights) for name in vars(module) if name.isupper()}
