"""The summary against plain loops over made-up deals, its renderers, and deals that say little."""

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.cells import cell_len

import analysis.aggregate
from analysis.aggregate import PARTS, aggregate
from analysis.intervals import Interval, mean_interval, wilson
from analysis.render import FORMATS, render
from analysis.summary import Summary, summarise
from analysis.tables import shown_cells
from analysis.text import LANGS, SEAT_KEYS, Lang, fixed, grouped, significant
from mjsim.hands.types import TYPE_NAMES
from tests.made_deals import MANIFEST, SEATS, frame, made_rows, settle_fish

ROWS = made_rows(300)
SPECIAL = {"all_pungs", "full_flush", "seven_pairs", "melded_hand"}


@pytest.fixture(scope="module")
def summary() -> Summary:
    return summarise(frame(ROWS).lazy(), MANIFEST)


def cell(summary: Summary, table: str, row: str, column: str) -> Any:
    found = summary.table(table)
    assert found is not None
    return found.cell(row, column)


def types_of(row: dict[str, Any]) -> list[set[str]]:
    """The type names of each winner of a deal."""
    found = []
    for seat in SEATS:
        if row["winners"] >> seat & 1:
            names = {name for index, name in enumerate(TYPE_NAMES) if row[f"types_{seat}"] >> index & 1}
            found.append(names if names & SPECIAL else names | {"ordinary"})
    return found


@pytest.mark.parametrize(
    "name",
    [
        "ordinary",
        "all_pungs",
        "full_flush",
        "seven_pairs",
        "quads_1",
        "concealed_hand",
        "melded_hand",
        "replacement_win",
    ],
)
def test_hand_types_are_counted_by_win_and_by_deal(summary: Summary, name: str) -> None:
    wins = sum(name in types for row in ROWS for types in types_of(row))
    deals = sum(any(name in types for types in types_of(row)) for row in ROWS)
    assert 0 < deals < len(ROWS)
    assert cell(summary, "hand_types", name, "wins") == wins
    assert cell(summary, "hand_types", name, "per_deal") == wilson(deals, len(ROWS))
    share = cell(summary, "hand_types", name, "per_win")
    assert share.estimate == wins / sum(len(types_of(row)) for row in ROWS)


@pytest.mark.parametrize("kind", ["self_draw", "discard", "rob_kong"])
def test_hand_types_by_kind_of_win(summary: Summary, kind: str) -> None:
    wins = [types for row in ROWS if row["outcome"] == kind for types in types_of(row)]
    share = cell(summary, "types_by_win", "concealed_hand", kind)
    assert share.estimate == sum("concealed_hand" in types for types in wins) / len(wins)


def test_types_that_the_rules_leave_out_are_not_listed(summary: Summary) -> None:
    table = summary.table("hand_types")
    assert table is not None
    keys = [row.key for row in table.rows]
    assert "last_tile_draw" in keys  # priced by the rules
    assert "last_tile_claim" in keys or not any("last_tile_claim" in types for row in ROWS for types in types_of(row))
    no_robbing = MANIFEST["ruleset"] | {"kongs": {"rob_kong": False}, "events": {}}
    drawn = frame(made_rows(5, drawn=True)).lazy()
    bare = summarise(drawn, MANIFEST | {"ruleset": no_robbing}).table("hand_types")
    assert bare is not None
    assert [row.key for row in bare.rows] == ["ordinary", *TYPE_NAMES[:8]], "hand types, and no event"


def test_endings_by_number_of_winners(summary: Summary) -> None:
    found = Counter((row["outcome"], row["winners"].bit_count()) for row in ROWS)
    for winners in (1, 2, 3):
        assert cell(summary, "endings", f"discard_{winners}", "deals") == found["discard", winners]
    assert cell(summary, "endings", "self_draw", "deals") == found["self_draw", 1]
    assert cell(summary, "endings", "drawn", "share") == wilson(found["drawn", 0], len(ROWS))
    table = summary.table("endings")
    assert table is not None
    assert sum(row.cells[0] for row in table.rows if isinstance(row.cells[0], int)) == len(ROWS)


def test_deal_length(summary: Summary) -> None:
    draws = sorted(row["draws"] for row in ROWS)
    assert cell(summary, "deal_length", "all", "mean").estimate == sum(draws) / len(draws)
    assert cell(summary, "deal_length", "all", "median") == draws[149]
    assert cell(summary, "deal_length", "all", "p90") == draws[269]
    assert cell(summary, "deal_length", "all", "p10") == draws[29]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("offset", range(4))
def test_points_by_seat_from_the_dealer(summary: Summary, part: str, offset: int) -> None:
    values = []
    for row in ROWS:
        seat = (row["dealer"] + offset) % 4
        values.append(row[f"{part}_{seat}"] - (row[f"liability_{seat}"] if part == "hand" else 0))
    expected = mean_interval(len(values), sum(values), sum(value**2 for value in values))
    assert cell(summary, "points_by_part", SEAT_KEYS[offset], part) == expected


@pytest.mark.parametrize("offset", range(4))
def test_value_of_a_fish_by_seat(summary: Summary, offset: int) -> None:
    won = fish = losing = owners = 0
    for row in ROWS:
        seat = (row["dealer"] + offset) % 4
        own, _ = settle_fish(row)
        won += own[seat]
        fish += row[f"fish_labels_{seat}"].bit_count()
        owners += row[f"fish_labels_{seat}"] != 0
        losing += own[seat] < 0
    assert cell(summary, "fish_by_seat", SEAT_KEYS[offset], "fish") == fish
    assert cell(summary, "fish_by_seat", SEAT_KEYS[offset], "value").estimate == won / fish
    assert cell(summary, "fish_by_seat", SEAT_KEYS[offset], "loses").estimate == losing / owners


@pytest.mark.parametrize("number", [1, 2])
def test_value_of_one_fish_and_of_two(summary: Summary, number: int) -> None:
    won = [
        settle_fish(row)[0][seat] for row in ROWS for seat in SEATS if row[f"fish_labels_{seat}"].bit_count() == number
    ]
    assert cell(summary, "fish_by_number", str(number), "owners") == len(won)
    assert cell(summary, "fish_by_number", str(number), "value").estimate == sum(won) / len(won)
    assert cell(summary, "fish_by_number", str(number), "loses").estimate == sum(each < 0 for each in won) / len(won)


def test_fish_of_all_seats_together(summary: Summary) -> None:
    won = sum(sum(settle_fish(row)[0]) for row in ROWS)
    fish = sum(row[f"fish_labels_{seat}"].bit_count() for row in ROWS for seat in SEATS)
    assert cell(summary, "fish_by_seat", "all", "value").estimate == won / fish


def test_incidents(summary: Summary) -> None:
    kongs = [
        sum(row[f"kongs_{kind}_{seat}"] for kind in ("direct", "added", "concealed") for seat in SEATS) for row in ROWS
    ]
    assert cell(summary, "incidents", "kong_any", "deals") == sum(count > 0 for count in kongs)
    assert cell(summary, "incidents", "kong_any", "mean").estimate == sum(kongs) / len(ROWS)
    assert cell(summary, "incidents", "linked", "deals") == sum(row["links"] != 0 for row in ROWS)
    moved = sum(any(row[f"liability_{seat}"] for seat in SEATS) for row in ROWS)
    assert cell(summary, "incidents", "moved", "deals") == moved
    assert cell(summary, "incidents", "blocked", "share").method == "bound"


def test_parts_of_a_run_add_up_and_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    deals = frame(ROWS).lazy()
    whole = aggregate(deals)
    assert aggregate(deals.head(70)) + aggregate(deals.slice(70)) == whole
    assert aggregate(deals.head(0)) + whole == whole
    monkeypatch.setattr(analysis.aggregate, "BATCH", 17)
    assert aggregate(deals) == whole
    assert aggregate(deals.reverse()) == whole


def test_files_and_memory_give_the_same(tmp_path: Path) -> None:
    deals = frame(ROWS)
    deals.head(100).write_parquet(tmp_path / "deals-00000.parquet")
    deals.slice(100).write_parquet(tmp_path / "deals-00001.parquet")
    assert aggregate(pl.scan_parquet(tmp_path / "deals-*.parquet")) == aggregate(deals.lazy())


def test_every_count_is_a_whole_number() -> None:
    found = aggregate(frame(ROWS).lazy())
    for histogram in found.histograms.values():
        assert all(type(value) is int for key, count in histogram.counts.items() for value in (*key, count))


@pytest.mark.parametrize(
    ("column", "check"), [("net_2", "zero_sum"), ("kongs_1", "parts"), ("winners", "winners"), ("fish_3", "fish")]
)
def test_a_spoilt_deal_fails_its_check(column: str, check: str) -> None:
    rows = [dict(row) for row in ROWS]
    drawn = next(row for row in rows if row["outcome"] == "drawn")
    drawn[column] += 1
    spoilt = summarise(frame(rows).lazy(), MANIFEST)
    assert not spoilt.sound
    assert {found.key: found.failures for found in spoilt.checks}[check] == 1


def test_missing_deals_fail_a_check() -> None:
    shards = [{"file": "deals-00000.parquet", "first": 0, "deals": 301, "sha256": "0" * 64, "bytes": 1}]
    short = summarise(frame(ROWS).lazy(), MANIFEST | {"shards": shards})
    assert {found.key: found.failures for found in short.checks}["deals"] == 1
    assert short.fingerprint()


def test_sound_deals_pass_every_check(summary: Summary) -> None:
    assert summary.sound
    assert len(summary.checks) == 4


SMALL = {
    "none": made_rows(0),
    "one": made_rows(1),
    "two": made_rows(2),
    "drawn": made_rows(40, drawn=True),
    "without fish": made_rows(40, fish=(0,)),
    "drawn without fish": made_rows(1, fish=(0,), drawn=True),
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("rows", SMALL.values(), ids=SMALL)
def test_deals_that_say_little_are_shown_without_nonsense(rows: list[dict[str, Any]], format: Any, lang: Any) -> None:
    small = summarise(frame(rows).lazy(), MANIFEST)
    text = render(small, format, lang)
    assert text.endswith("\n")
    assert not re.search(r"\b(nan|inf|None|Infinity)\b", text)
    assert small.findings(lang)


def test_without_fish_there_are_no_fish_tables() -> None:
    bare = summarise(frame(SMALL["without fish"]).lazy(), MANIFEST)
    assert bare.table("fish_by_seat") is None
    assert not any("fish" in sentence for sentence in bare.findings("en"))


def test_only_drawn_deals_give_bounds() -> None:
    drawn = summarise(frame(SMALL["drawn"]).lazy(), MANIFEST)
    share = cell(drawn, "endings", "drawn", "share")
    assert (share.method, share.estimate) == ("bound", 1)
    assert cell(drawn, "hand_types", "full_flush", "per_deal") == wilson(0, 40)
    assert cell(drawn, "hand_types", "full_flush", "per_win") is None
    assert "Every deal was drawn" in drawn.findings("en")[0]


def test_json_holds_the_numbers_of_the_tables(summary: Summary) -> None:
    data = json.loads(render(summary, "json"))
    row = next(row for row in data["tables"]["hand_types"]["rows"] if row["key"] == "seven_pairs")
    found = cell(summary, "hand_types", "seven_pairs", "per_deal")
    assert row["per_deal"] == {
        "estimate": found.estimate, "low": found.low, "high": found.high, "method": found.method, "few": found.few
    }  # fmt: skip
    assert data["deals"] == 300


def test_csv_holds_every_cell(summary: Summary) -> None:
    lines = list(csv.DictReader(io.StringIO(render(summary, "csv"))))
    cells = {(line["table"], line["row"], line["column"]): line for line in lines}
    assert len(cells) == len(lines)
    for table in summary.tables:
        for row in table.rows:
            for column, found in zip(table.columns, row.cells, strict=True):
                if column.kind == "one_in":
                    continue
                line = cells[table.key, row.key, column.key]
                value = found.estimate if isinstance(found, Interval) else found
                assert line["value"] == ("" if value is None else str(value))


def test_markdown_tables_have_as_many_cells_as_headings(summary: Summary) -> None:
    widths: list[int] = []
    for line in render(summary, "md").splitlines():
        if not line.startswith("|"):
            widths = []
            continue
        widths.append(len(re.findall(r"(?<!\\)\|", line)))
        assert len(set(widths)) == 1


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_terminal_tables_fit_and_cut_nothing(summary: Summary, width: int, lang: Lang) -> None:
    text = render(summary, "table", lang, width)
    assert "…" not in text
    assert max(map(cell_len, text.splitlines())) <= width
    for table in summary.tables:
        for row in table.rows:
            assert row.label.say(lang) in text or width < 80
            for shown in shown_cells(table, row, lang):
                assert shown.text in text


def test_terms_stand_in_both_languages(summary: Summary) -> None:
    for lang in LANGS:
        text = render(summary, "md", lang)
        assert "清一色" in text
        assert "full flush" in text
    assert "A deal is drawn (流局)" in summary.findings("en")[0]
    assert summary.findings("zh")[0].startswith("流局占")


def test_an_interrupted_run_says_so() -> None:
    stopped = summarise(frame(ROWS).lazy(), MANIFEST | {"status": "interrupted"})
    assert "interrupted" in render(stopped, "table")
    assert "中断" in render(stopped, "md", "zh")


def test_numbers_as_text() -> None:
    assert grouped(-1234567) == "−1 234 567".replace(" ", "\u202f")
    assert fixed(-0.001, 2) == "0.00"
    assert fixed(0.126, 2, sign=True) == "+0.13"
    assert significant(0.00149847, 2) == "0.0015"
    assert significant(99.96, 3) == "100"
