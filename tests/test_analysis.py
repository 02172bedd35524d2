"""The summary against plain loops over made-up deals, its renderers, and deals that say little."""

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rich.cells import cell_len

import mjsim
from analysis.answers import draws, hand_types, points
from analysis.answers.start import start
from analysis.answers.summary import Summary, summarise
from analysis.counts.aggregate import PARTS
from analysis.counts.counting import aggregate
from analysis.display.render import FORMATS, render
from analysis.display.tables import headings, shown_cells
from analysis.display.text import LANGS, SEAT_KEYS, Lang, fixed, grouped, significant
from analysis.estimates.batches import batch_difference, batch_ratio, batch_share
from analysis.estimates.bootstrap import bca
from analysis.estimates.intervals import Interval, PairSums, mean_interval, share, share_interval
from mjsim.hands.types import TYPE_NAMES
from tests.made_deals import MANIFEST, SEATS, frame, made_rows

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
    assert cell(summary, "hand_types", name, "per_deal") == share(deals, len(ROWS))
    hits = np.array([sum(name in types for types in types_of(row)) for row in ROWS])
    winners = np.array([len(types_of(row)) for row in ROWS])
    assert cell(summary, "hand_types", name, "per_win") == batch_share(hits, winners)


@pytest.mark.parametrize("kind", ["self_draw", "discard", "rob_kong"])
def test_hand_types_by_kind_of_win(summary: Summary, kind: str) -> None:
    found = [types_of(row) for row in ROWS if row["outcome"] == kind]
    pairs = [(sum("concealed_hand" in types for types in winners), len(winners)) for winners in found]
    products = (sum(x * x for x, _ in pairs), sum(x * y for x, y in pairs), sum(y * y for _, y in pairs))
    sums = PairSums(len(pairs), sum(x for x, _ in pairs), sum(y for _, y in pairs), *products)
    assert cell(summary, "types_by_win", "concealed_hand", kind) == share_interval(sums)


@pytest.mark.parametrize("offset", range(4))
def test_hand_types_by_seat(summary: Summary, offset: int) -> None:
    for name, bit in (("any_win", None), ("concealed_hand", 64), ("seven_pairs", 4)):
        wins = 0
        for row in ROWS:
            seat = (row["dealer"] + offset) % 4
            wins += row["winners"] >> seat & 1 and (bit is None or row[f"types_{seat}"] & bit != 0)
        assert cell(summary, "types_by_seat", name, SEAT_KEYS[offset]) == share(wins, len(ROWS))


@pytest.mark.parametrize("name", ["ordinary", "seven_pairs", "concealed_hand"])
def test_points_of_hand_types(summary: Summary, name: str) -> None:
    won, wins, of_all = [], [], []
    for row in ROWS:
        hands = [row[f"hand_{seat}"] for seat in SEATS if row["winners"] >> seat & 1]
        has = [name in types for types in types_of(row)]
        won.append(sum(hand for hand, holds in zip(hands, has, strict=True) if holds))
        wins.append(sum(has))
        of_all.append(sum(hands))
    assert cell(summary, "type_points", name, "points") == sum(won)
    assert cell(summary, "type_points", name, "mean") == batch_ratio(np.array(won), np.array(wins))
    part = cell(summary, "type_points", name, "of_points")
    assert (part.method, part.estimate) == ("bca", sum(won) / sum(of_all))
    assert 0 < part.low < part.estimate < part.high < 1
    # Resampled from batches of four deals, of which there are at most 128.
    assert part == bca(*(np.array(points).reshape(-1, 4).sum(axis=1) for points in (won, of_all)))


def test_what_a_dealt_hand_is_worth(summary: Summary) -> None:
    net: dict[str, list[int]] = {}
    won: Counter[str] = Counter()
    dealt_in: Counter[str] = Counter()
    for row in ROWS:
        for seat in SEATS:
            key = f"{'dealer' if seat == row['dealer'] else 'others'}_{row[f'start_shanten_{seat}']}"
            net.setdefault(key, []).append(row[f"net_{seat}"])
            won[key] += row["winners"] >> seat & 1
            dealt_in[key] += row["from_seat"] == seat
    table = summary.table("start")
    assert table is not None
    assert [row.key for row in table.rows] == sorted(net)
    for key, values in net.items():
        assert cell(summary, "start", key, "hands") == len(values)
        assert cell(summary, "start", key, "wins") == share(won[key], len(values))
        assert cell(summary, "start", key, "deals_in") == share(dealt_in[key], len(values))
        squares = sum(value**2 for value in values)
        assert cell(summary, "start", key, "mean") == mean_interval(len(values), sum(values), squares)


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
    assert cell(summary, "endings", "drawn", "share") == share(found["drawn", 0], len(ROWS))
    table = summary.table("endings")
    assert table is not None
    assert sum(row.cells[0] for row in table.rows if isinstance(row.cells[0], int)) == len(ROWS)


def test_deal_length(summary: Summary) -> None:
    drawn = sorted(row["draws"] for row in ROWS)
    assert cell(summary, "deal_length", "all", "mean").estimate == sum(drawn) / len(drawn)
    for key, rank in (("p10", 30), ("median", 150), ("p90", 270)):
        quantile = cell(summary, "deal_length", "all", key)
        assert (quantile.estimate, quantile.method) == (drawn[rank - 1], "order")
        assert drawn[rank - 25] < quantile.low <= quantile.estimate <= quantile.high < drawn[rank + 24]
    drawn_deals = [row["draws"] for row in ROWS if row["outcome"] == "drawn"]
    tail = sum(each > 40 for each in drawn_deals)
    going_on = sum(each > 40 for each in drawn)
    assert cell(summary, "deal_tail", "40", "share") == share(going_on, len(ROWS))
    assert cell(summary, "deal_tail", "40", "drawn") == share(tail, going_on)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("offset", range(4))
def test_points_by_seat_from_the_dealer(summary: Summary, part: str, offset: int) -> None:
    values = []
    for row in ROWS:
        seat = (row["dealer"] + offset) % 4
        values.append(row[f"{part}_{seat}"] - (row[f"liability_{seat}"] if part == "hand" else 0))
    expected = batch_ratio(np.array(values), np.ones(len(values), np.int64))
    assert cell(summary, "points_by_part", SEAT_KEYS[offset], part) == expected


@pytest.mark.parametrize("offset", range(4))
def test_the_spread_of_points_by_seat(summary: Summary, offset: int) -> None:
    values = np.array(sorted(row[f"net_{(row['dealer'] + offset) % 4}"] for row in ROWS))
    key = SEAT_KEYS[offset]
    assert cell(summary, "points_by_seat", key, "sd").estimate == pytest.approx(values.std(ddof=1))
    skewness = ((values - values.mean()) ** 3).mean() / values.std() ** 3
    assert cell(summary, "points_by_seat", key, "skewness").estimate == pytest.approx(skewness)
    assert cell(summary, "points_by_seat", key, "gains") == share(int((values > 0).sum()), len(ROWS))
    assert cell(summary, "points_by_seat", key, "loses") == share(int((values < 0).sum()), len(ROWS))
    assert cell(summary, "points_quantiles", key, "lowest") == values[0]
    assert cell(summary, "points_quantiles", key, "highest") == values[-1]
    for name, rank in (("p1", 3), ("p5", 15), ("median", 150), ("p95", 285), ("p99", 297)):
        assert cell(summary, "points_quantiles", key, name).estimate == values[rank - 1]


@pytest.mark.parametrize("part", ["hand", "kongs", "fish", "net"])
def test_the_dealers_advantage(summary: Summary, part: str) -> None:
    dealer = np.array([row[f"{part}_{row['dealer']}"] for row in ROWS])
    others = np.array([sum(row[f"{part}_{seat}"] for seat in SEATS if seat != row["dealer"]) for row in ROWS])
    ones = np.ones(len(ROWS), np.int64)
    difference = batch_difference(dealer, ones, others, 3 * ones)
    assert difference is not None
    assert cell(summary, "dealer_advantage", part, "advantage") == difference.interval
    assert cell(summary, "dealer_advantage", part, "others") == batch_ratio(others, 3 * ones)


@pytest.mark.parametrize("offset", range(4))
def test_rates_by_seat(summary: Summary, offset: int) -> None:
    seats = [(row, (row["dealer"] + offset) % 4) for row in ROWS]
    wins = [row for row, seat in seats if row["winners"] >> seat & 1]
    self_draws = sum(row["outcome"] == "self_draw" for row in wins)
    gave = Counter(row["outcome"] for row, seat in seats if row["from_seat"] == seat)
    ready = sum(row[f"ready_draw_{seat}"] >= 0 for row, seat in seats)
    expected = {
        "wins": share(len(wins), len(ROWS)),
        "self_draws": share(self_draws, len(ROWS)),
        "of_wins": share(self_draws, len(wins)),
        "deals_in": share(gave["discard"], len(ROWS)),
        "robbed": share(gave["rob_kong"], len(ROWS)),
        "ready": share(ready, len(ROWS)),
    }
    for column, interval in expected.items():
        assert cell(summary, "seat_rates", SEAT_KEYS[offset], column) == interval


def test_rates_of_all_seats(summary: Summary) -> None:
    won = np.array([row["winners"].bit_count() for row in ROWS])
    self_drawn = np.where([row["outcome"] == "self_draw" for row in ROWS], won, 0)
    assert cell(summary, "seat_rates", "all", "wins") == batch_share(won, np.full(len(ROWS), 4))
    assert cell(summary, "seat_rates", "all", "of_wins") == batch_share(self_drawn, won)


def test_the_dearest_deals_are_listed_with_the_way_to_see_them(summary: Summary) -> None:
    best = sorted((-max(row[f"net_{seat}"] for seat in SEATS), row["deal"]) for row in ROWS)[:10]
    table = summary.table("dearest")
    assert table is not None
    assert [row.cells for row in table.rows] == [(-points, deal) for points, deal in best]
    assert [row.label.en for row in table.rows] == [str(place) for place in range(1, len(best) + 1)]
    assert table.note is not None
    assert f"--deal {best[0][1]}" in table.note.en
    assert f"--deal {best[0][1]}" in table.note.zh


def test_what_liability_costs(summary: Summary) -> None:
    moved = [sum(max(0, row[f"liability_{seat}"]) for seat in SEATS) for row in ROWS]
    linked, paid = sum(row["links"] != 0 for row in ROWS), sum(each > 0 for each in moved)
    assert cell(summary, "liability", "linked", "share") == share(linked, len(ROWS))
    assert cell(summary, "liability", "paid", "of_linked") == share(paid, linked)
    for key, deals in (("all", len(ROWS)), ("linked", linked), ("paid", paid)):
        assert cell(summary, "liability", key, "moved").estimate == sum(moved) / deals


def test_incidents(summary: Summary) -> None:
    kongs = [
        sum(row[f"kongs_{kind}_{seat}"] for kind in ("direct", "added", "concealed") for seat in SEATS) for row in ROWS
    ]
    assert cell(summary, "incidents", "kong_any", "deals") == sum(count > 0 for count in kongs)
    assert cell(summary, "incidents", "kong_any", "mean").estimate == sum(kongs) / len(ROWS)
    assert cell(summary, "incidents", "linked", "deals") == sum(row["links"] != 0 for row in ROWS)
    moved = sum(any(row[f"liability_{seat}"] for seat in SEATS) for row in ROWS)
    assert cell(summary, "incidents", "moved", "deals") == moved
    blocked = [sum(row[f"blocked_{seat}"] for seat in SEATS) for row in ROWS]
    assert cell(summary, "incidents", "blocked", "share") == share(sum(each > 0 for each in blocked), len(ROWS))
    assert cell(summary, "incidents", "blocked", "mean").estimate == sum(blocked) / len(ROWS)


@pytest.mark.parametrize("kind", ["polars, lazy", "polars", "pandas"])
def test_frames_of_every_kind_make_the_same_tables(summary: Summary, kind: str) -> None:
    made = frame(ROWS)
    deals = {"polars, lazy": made.lazy(), "polars": made, "pandas": pd.DataFrame(made.to_dict(as_series=False))}[kind]
    ruleset = MANIFEST["ruleset"]
    found = (
        *hand_types.tables(deals, ruleset),
        *(maker(deals) for maker in (draws.endings, draws.deal_length, draws.deal_tail, draws.seat_rates)),
        *(maker(deals) for maker in (draws.incidents, draws.liability, start)),
        *(maker(deals) for maker in (points.points_by_seat, points.points_quantiles)),
        *(maker(deals) for maker in (points.dealer_advantage, points.points_by_part)),
        points.dearest(deals, MANIFEST),
    )
    for table in found:
        assert table == summary.table(table.key)


def test_files_and_memory_give_the_same(tmp_path: Path) -> None:
    deals = frame(ROWS)
    deals.head(100).write_parquet(tmp_path / "deals-00000.parquet")
    deals.slice(100).write_parquet(tmp_path / "deals-00001.parquet")
    assert aggregate(pl.scan_parquet(tmp_path / "deals-*.parquet")) == aggregate(deals.lazy())


def test_no_table_is_too_wide_for_a_page(summary: Summary) -> None:
    for table in summary.tables:
        assert len(headings(table, "en")) <= 8, table.key


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


def test_sound_deals_pass_every_check() -> None:
    deals = mjsim.simulate("liuzhou", deals=3_000, seed=1)
    played = summarise(deals.to_polars(), deals.manifest().model_dump())
    assert played.sound
    assert played.warnings("en") == []
    assert len(played.checks) == 4
    assert len(played.expected) == 6
    assert played.table("self_check") is not None
    assert played.table("fish_weights") is not None


def test_hands_that_no_shuffle_deals_are_not_sound(summary: Summary) -> None:
    assert not any(check.failures for check in summary.checks)
    assert not summary.sound
    (warning,) = summary.warnings("en")
    assert warning == summary.dealt.findings("en")[0]
    assert warning.startswith("SELF-CHECK FAILED: dealt hands")


def test_tiles_that_no_shuffle_reserves_are_not_sound() -> None:
    deals = mjsim.simulate("liuzhou", deals=1_000, seed=1)
    frame = deals.to_polars()
    east = frame.with_columns(pl.lit(27, dtype=frame["fish_tile_1"].dtype).alias("fish_tile_1"))
    spoilt = summarise(east, deals.manifest().model_dump())
    said = [warning for warning in spoilt.warnings("en") if "reserved tiles that belong to the dealer" in warning]
    assert len(said) == 1
    assert "instead of 0.3235" in said[0]
    assert not spoilt.sound
    assert any("应为 0.3235" in warning for warning in spoilt.warnings("zh"))


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
    parts, advantage = bare.table("points_by_part"), bare.table("dealer_advantage")
    assert parts is not None
    assert [column.key for column in parts.columns] == ["hand", "liability", "kongs", "net"]
    assert parts.note is not None
    assert "fish" not in parts.note.en
    assert advantage is not None
    assert [row.key for row in advantage.rows] == ["hand", "kongs", "net"]
    assert not any("fish" in sentence for sentence in bare.findings("en"))


def test_only_drawn_deals_give_bounds() -> None:
    drawn = summarise(frame(SMALL["drawn"]).lazy(), MANIFEST)
    of_deals = cell(drawn, "endings", "drawn", "share")
    assert (of_deals.method, of_deals.estimate) == ("bound", 1)
    assert cell(drawn, "hand_types", "full_flush", "per_deal") == share(0, 40)
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
