"""The aggregate against its slow twin, and against itself: merged, shuffled, streamed, from other frame libraries."""

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mjsim
from analysis.counts import chunks
from analysis.counts.aggregate import HISTOGRAMS, MAX_BATCHES, Aggregate
from analysis.counts.counting import MEASURES, aggregate, counted
from analysis.counts.from_dealer import FLOWS
from analysis.counts.tally import combinations, distinct
from mjsim.dataset.columns import OUTCOMES
from mjsim.errors import MjsimError, RunError
from tests.made_deals import frame, made_rows
from tests.naive.aggregate import Row, count

SEATS = range(4)
PLAYERS = ["noisy", "fast", "random", "fast"]


def varied_rows(deals: int, seed: int = 1, *, first: int = 0, session_length: int = 1, **choices: Any) -> list[Row]:
    """Made-up deals in which everything else that is counted varies too, horses and failures of the checks included."""
    source = random.Random(seed)
    rows = made_rows(deals, seed, **choices)
    for index, row in enumerate(rows, first):
        row |= {"deal": index, "session": index // session_length, "hand": index % session_length}
        if session_length > 1:
            row["dealer"] = source.randrange(4)
        if source.random() < 0.2:
            name = source.choice(("net_0", "hand_1", "fish_2", "winners"))
            row[name] = min(row[name] + 1, 14)
        losers = [seat for seat in SEATS if not row["winners"] >> seat & 1]
        row["from_seat"] = source.choice(losers) if row["outcome"] in ("discard", "rob_kong") else -1
        for seat in SEATS:
            row[f"blocked_{seat}"] = source.choices((0, 1, 2), (9, 1, 1))[0]
            row[f"start_shanten_{seat}"] = source.randint(-1, 6)
            row[f"ready_draw_{seat}"] = source.randint(-1, 60)
        _turn_horses(source, row)
    return rows


def _turn_horses(source: random.Random, row: Row) -> None:
    """Horses for a single winner; what he won is made a multiple of 1 + hits."""
    turned = source.randint(0, 4) if row["winners"] in (1, 2, 4, 8) else 0
    row |= {f"horse_tile_{number}": source.randrange(34) if number <= turned else -1 for number in (1, 2, 3, 4)}
    row["horse_hits"], row["left"] = source.randint(0, turned), source.randint(0, 30)
    for seat in SEATS:
        row[f"rest_{seat}"] = source.randint(0, 9)
        if row["winners"] == 1 << seat:
            row[f"hand_{seat}"] *= 1 + row["horse_hits"]


def to_pandas(deals: pl.DataFrame) -> pd.DataFrame:
    """The same frame in pandas, by way of NumPy."""
    columns: dict[str, Any] = {name: deals[name].to_numpy() for name in deals.columns}
    if "outcome" in columns:
        columns["outcome"] = pd.Categorical(columns["outcome"], categories=list(OUTCOMES))
    return pd.DataFrame(columns)


def equals_twin(found: Aggregate, rows: Sequence[Row], session_length: int) -> None:
    """Assert that an aggregate is what the twin counts."""
    twin = count(rows, session_length, MEASURES)
    assert (found.level, found.batches.tolist()) == (twin.level, twin.batches)
    assert set(found.sums) == set(MEASURES)
    for name in MEASURES:
        assert found.sums[name].dtype == np.int64
        assert found.sums[name].tolist() == twin.sums[name], name
    assert set(found.histograms) == set(HISTOGRAMS)
    for name in HISTOGRAMS:
        assert found[name].counts == twin.histograms.get(name, {}), name
    assert found.first_with == twin.first_with
    assert list(found.dearest) == twin.dearest


# The twin


@pytest.mark.parametrize("fish", [(0, 1, 2), (1,), (2,), (0,)])
@pytest.mark.parametrize("session_length", [1, 5])
def test_made_deals_are_counted_as_the_twin_does(fish: tuple[int, ...], session_length: int) -> None:
    rows = varied_rows(600, 3, first=7, session_length=session_length, fish=fish)
    equals_twin(aggregate(frame(rows), session_length), rows, session_length)


def test_some_deals_without_fishing_among_others() -> None:
    rows = varied_rows(200, 1) + varied_rows(200, 2, first=200, fish=(0,))
    equals_twin(aggregate(frame(rows)), rows, 1)


def test_drawn_deals_only() -> None:
    rows = made_rows(50, drawn=True)
    for row in rows:
        row |= {f"horse_tile_{number}": -1 for number in (1, 2, 3, 4)}
    equals_twin(aggregate(frame(rows)), rows, 1)


def test_one_deal() -> None:
    rows = varied_rows(1)
    equals_twin(aggregate(frame(rows)), rows, 1)
    equals_twin(aggregate(frame(rows), 7), rows, 7)


@pytest.mark.parametrize("session_length", [1, 7])
@pytest.mark.parametrize(
    ("ruleset", "fish"),
    [("liuzhou", 0), ("liuzhou", 1), ("liuzhou", 2), ("nanning_folk", 2), ("nanning_laiyouxi", 2)],
)
def test_simulated_deals_are_counted_as_the_twin_does(ruleset: str, fish: int, session_length: int) -> None:
    result = mjsim.simulate(ruleset, deals=1_000, seed=3, fish=fish, session=session_length, players=PLAYERS, first=3)
    deals = result.to_polars()
    equals_twin(aggregate(deals, session_length), deals.to_dicts(), session_length)


def test_more_sessions_than_batches() -> None:
    rows = varied_rows(3_000, 4, first=1_021)
    found = aggregate(frame(rows))
    assert MAX_BATCHES / 2 < len(found.batches) <= MAX_BATCHES
    equals_twin(found, rows, 1)


@pytest.mark.parametrize(("first", "session_length"), [(2**39, 2**20), (2**32 - 40, 1)])
def test_deals_far_from_the_first(first: int, session_length: int) -> None:
    rows = varied_rows(40, 5, first=first, session_length=session_length)
    equals_twin(aggregate(frame(rows), session_length), rows, session_length)


def test_the_dearest_deals_are_the_earliest_among_equals() -> None:
    rows = made_rows(100, drawn=True)
    for row in rows:
        row |= {f"net_{seat}": 5 * (-1) ** seat for seat in SEATS}
    found = aggregate(frame(rows[::-1]))
    assert found.dearest == tuple((5, deal) for deal in range(10))


# Merging


@given(st.data())
@settings(max_examples=25)
def test_merging_is_the_same_in_any_order(data: st.DataObject) -> None:
    session_length = data.draw(st.sampled_from([1, 3]), "session length")
    deals = data.draw(st.sampled_from([60, 4_000]), "deals")
    first = data.draw(st.sampled_from([0, 5 * session_length, 2_047 * session_length]), "first")
    rows = VARIED[session_length][:deals]
    whole = _moved(rows, first, session_length)
    cuts = data.draw(st.lists(st.integers(0, deals // session_length), min_size=2, max_size=4), "cuts")
    bounds = [0, *sorted(session_length * cut for cut in cuts), deals]
    parts = [aggregate(whole[start:stop], session_length) for start, stop in pairwise(bounds)]
    at_once = aggregate(whole, session_length)
    order = data.draw(st.permutations(parts), "order")
    assert Aggregate.merged(order) == at_once
    one, two, *others = order
    assert one + two == two + one
    assert (one + two) + Aggregate.merged(others) == one + (two + Aggregate.merged(others)) == at_once


def _moved(deals: pl.DataFrame, first: int, session_length: int) -> pl.DataFrame:
    """Deals renumbered from another first one."""
    return deals.with_columns(
        pl.col("deal") + first, pl.col("session") + pl.lit(first // session_length, dtype=pl.UInt32)
    )


VARIED = {length: frame(varied_rows(4_000, length, session_length=length)) for length in (1, 3)}


def test_sets_of_deals_far_apart_keep_their_batches() -> None:
    rows = varied_rows(600, 1) + varied_rows(600, 2, first=2**31)
    parts = [aggregate(frame(rows[:600])), aggregate(frame(rows[600:]))]
    equals_twin(parts[0] + parts[1], rows, 1)
    equals_twin(aggregate(frame(rows)), rows, 1)


def test_aggregates_of_different_levels_add_up() -> None:
    deals = VARIED[1]
    coarse = aggregate(deals[:10]).at_level(6)
    assert coarse + aggregate(deals[10:]) == aggregate(deals).at_level(6)
    with pytest.raises(MjsimError, match="cannot be split"):
        coarse.at_level(5)


def test_a_coarser_level_keeps_every_total() -> None:
    found = aggregate(VARIED[1])
    coarse = found.at_level(found.level + 3)
    assert len(coarse.batches) < len(found.batches)
    assert {name: coarse.total(name) for name in MEASURES} == {name: found.total(name) for name in MEASURES}


# Frames of several libraries


@pytest.mark.parametrize("session_length", [1, 6])
def test_every_kind_of_frame_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session_length: int
) -> None:
    # Small chunks, so that their borders fall within sessions.
    monkeypatch.setattr(chunks, "CHUNK_DEALS", 1_000)
    folder = tmp_path / "run"
    result = mjsim.simulate("liuzhou", deals=5_000, seed=2, session=session_length, players=PLAYERS)
    result.write(folder)
    polars, pandas = result.to_polars(), result.to_pandas()
    shuffled = polars.sample(fraction=1, shuffle=True, seed=1)
    expected = aggregate(polars, session_length)
    equals_twin(expected, polars.to_dicts(), session_length)
    for other in (
        polars.lazy(),
        mjsim.open_run(folder).scan(),
        pandas,
        shuffled,
        to_pandas(shuffled),
        polars.with_columns(pl.lit("more").alias("extra")),
        polars.select(sorted(polars.columns)).lazy(),
    ):
        assert aggregate(other, session_length) == expected


def test_a_million_deals_count_alike_in_polars_and_pandas() -> None:
    some = mjsim.simulate("liuzhou", deals=100_000, seed=1, session=4).to_polars()
    deals = pl.concat([_moved(some, first, 4) for first in range(0, 1_000_000, 100_000)])
    found = aggregate(deals.lazy(), 4)
    assert found.deals == 1_000_000
    assert found == aggregate(to_pandas(deals), 4)


def test_no_deals() -> None:
    empty = frame([])
    found = aggregate(empty)
    assert (found.deals, found.level, found.batches.tolist(), found.dearest) == (0, 0, [], ())
    assert found == aggregate(empty.lazy()) == aggregate(to_pandas(empty), 3)
    some = aggregate(VARIED[1])
    assert some + found == found + some == some


@pytest.mark.parametrize("kind", ["eager", "lazy", "pandas"])
def test_missing_columns_are_named(kind: str) -> None:
    deals: Any = frame(made_rows(3)).drop("net_2", "fish_tile_7")
    deals = {"eager": deals, "lazy": deals.lazy(), "pandas": to_pandas(deals)}[kind]
    with pytest.raises(RunError, match=r"fish_tile_7.*net_2|net_2.*fish_tile_7"):
        aggregate(deals)


def test_a_lazy_frame_must_be_in_order() -> None:
    with pytest.raises(RunError, match="not in order"):
        aggregate(VARIED[1].reverse().lazy())


def test_any_values_can_be_combined() -> None:
    # As one number in a base for each column, these would not fit 64 bits.
    columns = [np.array([0, 2**40 + index, -(2**40), 0]) for index in range(5)]
    values, counts, sums = combinations(*columns, weights=[np.array([2**62, 1, -5, 2**61])])
    assert [each.tolist() for each in values] == [[-(2**40), 0, 2**40 + index] for index in range(5)]
    assert (counts.tolist(), sums[0].tolist()) == ([1, 2, 1], [-5, 2**62 + 2**61, 1])


def test_large_numbers_are_told_apart() -> None:
    found, which = distinct(np.array([2**31, 5, 2**31], np.uint32))
    assert (found.tolist(), which.tolist()) == ([5, 2**31], [1, 0, 1])


def test_an_aggregate_is_taken_as_it_is() -> None:
    found = aggregate(VARIED[1])
    assert counted(found) is found
    assert counted(VARIED[1]) == found
    assert found != 1


# Large points


def priced(factor: int, **choices: Any) -> list[Row]:
    """Made-up deals whose points are a multiple of what they were."""
    rows = varied_rows(50, 6, **choices)
    parts = [f"{part}_{seat}" for part in ("hand", "liability", "kongs", "fish", "net") for seat in SEATS]
    for row in rows:
        row |= {name: row[name] * factor for name in (*parts, *FLOWS)}
    return rows


def test_the_dearest_prices_are_counted_exactly() -> None:
    rows = priced(1_000_000)
    equals_twin(aggregate(frame(rows)), rows, 1)


def test_points_whose_squares_do_not_fit_are_refused() -> None:
    with pytest.raises(RunError, match="too many points"):
        aggregate(frame(priced(20_000_000)))


@pytest.mark.parametrize("part", ["net", "hand"])
def test_squares_that_do_not_fit_are_refused_without_fishing_too(part: str) -> None:
    rows = made_rows(8, drawn=True, fish=(0,))
    largest = 2**31 - 1
    for row in rows[:1]:
        row |= {f"{part}_0": largest, f"kongs_{0}": largest if part == "hand" else 0}
    if part == "net":
        # A single square fits; the sum of eight is beyond 2^63.
        rows = [row | {"net_0": largest} for row in rows]
    with pytest.raises(RunError, match=r"too many points .2147483647 at once"):
        aggregate(frame(rows))


def test_large_points_without_fishing_are_counted_exactly() -> None:
    rows = priced(20_000_000, fish=(0,))
    equals_twin(aggregate(frame(rows)), rows, 1)


def test_pandas_may_hold_any_integers() -> None:
    deals = to_pandas(VARIED[3])
    types: dict[str, Any] = {name: np.int64 for name in deals.columns if name != "outcome"}
    assert aggregate(deals.astype(types | {"outcome": str}), 3) == aggregate(deals, 3)
