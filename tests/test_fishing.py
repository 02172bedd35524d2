"""What fish and horses are worth, against loops that settle one fish, one tile, one pair or one horse at a time."""

import doctest
import itertools
import json
import signal
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mjsim
from analysis.answers import horses
from analysis.counts.aggregate import Aggregate
from analysis.counts.counting import aggregate
from analysis.counts.histogram import Histogram
from analysis.display.tables import Table
from analysis.estimates.intervals import Interval
from analysis.fish import fishing
from analysis.fish import tables as fish_tables
from analysis.fish.bets import fish_on, one_fish, spread_of, spread_of_sums, taken_alike, two_fish
from analysis.fish.checks import SEAT_WEIGHTS, weights
from analysis.fish.kinds import by_kind, tile_bet, tile_tables
from analysis.fish.swings import over_sessions, purse_for, swings
from mjsim.simulation import Simulation
from tests.commands import run, start
from tests.made_deals import FISH_OF, SEATS, flows_of, frame, made_rows, settle_fish

KEYS = ("dealer", "next", "opposite", "previous")
Row = dict[str, Any]
MADE = made_rows(400, seed=5)
EVERY_SEAT = (0, 1, 2, 3)


@pytest.fixture(scope="module")
def made() -> Aggregate:
    """The counts of the made deals."""
    return aggregate(frame(MADE))


@pytest.fixture(scope="module")
def played() -> Simulation:
    """Deals of Liuzhou mahjong, in which every seat takes two fish."""
    return mjsim.simulate("liuzhou", deals=20_000, seed=1)


@pytest.fixture(scope="module")
def counted(played: Simulation) -> Aggregate:
    """Their counts."""
    return aggregate(played.to_polars())


def in_pandas(rows: list[Row]) -> pd.DataFrame:
    """Deals as pandas holds them."""
    return pd.DataFrame({column.name: column.to_list() for column in frame(rows)})


def gain(row: Row, owner: int, kind: int) -> int:
    """What one fish on a kind of tile wins an owner, one transfer at a time; both seats as the deal numbers them."""
    flow, target = flows_of(row), (row["dealer"] + FISH_OF[kind]) % 4
    return sum(flow[target][other] for other in SEATS if other not in (owner, target))


def tile_gains(row: Row, offset: int) -> list[int]:
    """What a fish on each of the eight tiles wins the owner at a seat from the dealer."""
    owner = (row["dealer"] + offset) % 4
    return [gain(row, owner, row[f"fish_tile_{label}"]) for label in range(1, 9)]


def pair_gains(row: Row, offset: int) -> list[int]:
    """What fish on each of the 28 pairs win him."""
    return [sum(pair) for pair in itertools.combinations(tile_gains(row, offset), 2)]


def expect_risk(table: Table, key: str, gains: list[int]) -> None:
    """Expected value, spread and chance of loss of a row are those of a list of equally likely gains."""
    value, sd, loses = (table.interval(key, name) for name in ("value", "sd", "loses"))
    assert value is not None
    assert sd is not None
    assert loses is not None
    assert value.estimate == pytest.approx(fmean(gains), abs=1e-12)
    assert sd.estimate == pytest.approx(pstdev(gains))
    assert loses.estimate == pytest.approx(sum(each < 0 for each in gains) / len(gains))
    for found in (value, sd, loses):
        assert found.low is not None
        assert found.high is not None
        assert found.low < found.estimate < found.high


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_one_fish_by_seat_is_the_mean_over_eight_tiles(library: str) -> None:
    """Each row is a loop over deals and tiles, from a polars or a pandas frame."""
    deals = frame(MADE) if library == "polars" else in_pandas(MADE)
    table = fishing.tables(deals)[0]
    assert table.key == "fish_by_seat"
    everyone = []
    for offset, key in enumerate(KEYS):
        gains = [each for row in MADE for each in tile_gains(row, offset)]
        expect_risk(table, key, gains)
        everyone += gains
    expect_risk(table, "all", everyone)


def test_two_fish_are_the_mean_over_28_pairs(made: Aggregate) -> None:
    """Row 2 is a loop over deals, owners and pairs; row 1 over tiles; row 0 is nothing at all."""
    table = fish_tables.fish_by_number(made)
    pairs = [each for row in MADE for offset in SEATS for each in pair_gains(row, offset)]
    expect_risk(table, "1", [each for row in MADE for offset in SEATS for each in tile_gains(row, offset)])
    expect_risk(table, "2", pairs)
    assert table.rows[0].cells == (0, 0, 0, None)
    ratio = table.interval("2", "value_per_sd")
    assert ratio is not None
    assert ratio.low is not None
    assert ratio.low < ratio.estimate
    assert ratio.estimate == pytest.approx(fmean(pairs) / pstdev(pairs))
    for offset in SEATS:
        alone = [each for row in MADE for each in pair_gains(row, offset)]
        spread = two_fish(made, [offset]).spread
        assert spread is not None
        assert spread.estimate == pytest.approx(pstdev(alone))


def test_value_per_spread_has_the_interval_of_its_linear_error(made: Aggregate) -> None:
    """The interval of m / s agrees with leaving out one batch after another (the jackknife)."""
    bet = one_fish(made)
    points, squares, ways = (each.astype(float) for each in (bet.points, bet.squares, bet.ways))

    def ratio(keep: Any) -> float:
        mean = points[keep].sum() / ways[keep].sum()
        return float(mean / (squares[keep].sum() / ways[keep].sum() - mean**2) ** 0.5)

    n = len(points)
    left_out = np.array([ratio(np.arange(n) != batch) for batch in range(n)])
    error = ((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()) ** 0.5
    found = bet.value_per_spread
    assert found is not None
    assert found.high is not None
    assert found.high - found.estimate == pytest.approx(1.96 * error, rel=0.03)


def test_fish_by_tile_are_those_of_a_loop_over_tiles(made: Aggregate) -> None:
    """Points per fish, by the seat that a tile belongs to and the owner's."""
    table = fish_tables.fish_by_tile(made)
    for seat, (row_key, label) in enumerate(zip(KEYS, (row.label.en for row in table.rows), strict=True)):
        assert label.startswith(fish_tables.TILES_OF[seat])
        for offset, column in enumerate(KEYS):
            gains = [
                each
                for row in MADE
                for label_, each in enumerate(tile_gains(row, offset), 1)
                if FISH_OF[row[f"fish_tile_{label_}"]] == seat
            ]
            found = table.interval(row_key, column)
            assert found is not None
            assert found.estimate == pytest.approx(fmean(gains))
    everyone = fish_on(made, 0)
    assert everyone == table.interval("dealer", "all")


def test_settled_fish_are_those_of_a_loop_over_fish(made: Aggregate) -> None:
    """The settled estimates: points over fish by seat, and points over owners by number."""
    table = fish_tables.estimators(made)
    points, fish = dict.fromkeys((*KEYS, "all"), 0), dict.fromkeys((*KEYS, "all"), 0)
    by_number: dict[int, list[int]] = {1: [], 2: []}
    for row in MADE:
        own, _ = settle_fish(row)
        for offset, key in enumerate(KEYS):
            owner = (row["dealer"] + offset) % 4
            taken = row[f"fish_labels_{owner}"].bit_count()
            for name in (key, "all"):
                points[name] += own[owner]
                fish[name] += taken
            if taken:
                by_number[taken].append(own[owner])
    for key in (*KEYS, "all"):
        settled, averaged, difference = (table.interval(key, name) for name in ("settled", "averaged", "difference"))
        assert settled is not None
        assert averaged is not None
        assert difference is not None
        assert settled.estimate == pytest.approx(points[key] / fish[key])
        assert difference.estimate == pytest.approx(settled.estimate - averaged.estimate)
    for number, won in by_number.items():
        settled = table.interval(f"with_{number}", "settled")
        assert settled is not None
        assert settled.estimate == pytest.approx(fmean(won))
    assert taken_alike(made) is None, "the made seats take 0 to 2"


def test_without_exchangeable_tiles_fish_are_shown_as_settled() -> None:
    """Under fishing.reserve = picked with labels left over, the tables are those of settled fish."""
    ruleset = mjsim.load_rules("liuzhou", reserve="picked").model_dump()
    found = aggregate(frame(MADE))
    tables = {table.key: table for table in fishing.tables(found, ruleset)}
    assert list(tables) == ["fish_by_seat", "fish_by_number", "fish_spread"]
    with_one = []
    for row in MADE:
        own, _ = settle_fish(row)
        with_one += [own[seat] for seat in SEATS if row[f"fish_labels_{seat}"].bit_count() == 1]
    by_number = tables["fish_by_number"]
    value, loses, sd = by_number.interval("1", "value"), by_number.interval("1", "loses"), by_number.cell("1", "sd")
    assert value is not None
    assert loses is not None
    assert isinstance(sd, float)
    assert value.estimate == pytest.approx(fmean(with_one))
    assert loses.estimate == pytest.approx(sum(each < 0 for each in with_one) / len(with_one))
    assert sd == pytest.approx(pstdev(with_one), rel=2 / len(with_one))
    dealer = tables["fish_by_seat"].interval("dealer", "sd")
    assert dealer is not None
    assert dealer.method == "normal"
    assert fishing.findings(found, "en", ruleset)
    assert "fish_estimators" not in {check.key for check in fishing.checks(found, ruleset)}


def test_picked_tiles_may_be_averaged_where_all_eight_were_taken(counted: Aggregate) -> None:
    """With two fish at every seat nothing is left in play, whatever the rules say of it."""
    ruleset = mjsim.load_rules("liuzhou", reserve="picked").model_dump()
    assert fishing.tables(counted, ruleset) == fishing.tables(counted)


def test_both_estimators_agree_on_played_deals(counted: Aggregate) -> None:
    """Every difference is within four standard errors, and averaging gains."""
    table = fish_tables.estimators(counted)
    assert [row.key for row in table.rows] == [*KEYS, "all", "with_2"]
    for row in table.rows:
        z, growth = table.cell(row.key, "z"), table.cell(row.key, "gain")
        assert isinstance(z, float)
        assert isinstance(growth, float)
        assert abs(z) < 4
        assert growth > (1.5 if row.key in KEYS else 1.0)


def test_reserved_tiles_belong_to_seats_as_all_tiles_do(counted: Aggregate) -> None:
    """The exact weights, and z-scores of a sound generator."""
    checks = {check.key: check for check in fishing.checks(counted)}
    expected = [checks[f"lying_{key}"].expected for key in KEYS]
    assert expected == [Fraction(11, 34), Fraction(8, 34), Fraction(8, 34), Fraction(7, 34)]
    assert {"lying_chi_square", "fish_estimators"} < set(checks)
    assert all(abs(check.z) < 4 for check in checks.values())
    assert sum(checks[f"lying_{key}"].measured.estimate for key in KEYS) == pytest.approx(1)
    assert [row.key for row in weights(counted).rows] == list(KEYS)


def test_a_crooked_wall_is_found_out() -> None:
    """Tiles drawn so that every seat has a quarter fail the check by a mile."""
    rows = made_rows(400, seed=2)
    for index, row in enumerate(rows):
        row |= {f"fish_tile_{label}": (index + label) % 4 for label in range(1, 9)}
    checks = {check.key: check for check in fishing.checks(frame(rows))}
    assert checks["lying_dealer"].z < -8
    assert checks["lying_previous"].z > 3
    assert checks["lying_chi_square"].z > 8


def test_chi_square_is_that_of_the_exact_covariance(counted: Aggregate) -> None:
    """Of eight tiles drawn without replacement: d' C⁻¹ d over three of the seats."""
    deals = counted.total("fished")
    weights = np.array([float(each) for each in SEAT_WEIGHTS])
    covariance = 8 * (128 / 135) * (np.diag(weights) - np.outer(weights, weights)) * deals
    apart = np.array([counted.total(f"lying_{key}") for key in KEYS]) - 8 * deals * weights
    value = apart[:3] @ np.linalg.solve(covariance[:3, :3], apart[:3])
    checks = {check.key: check for check in fishing.checks(counted)}
    assert checks["lying_chi_square"].measured.estimate == pytest.approx(value)


@pytest.mark.parametrize(
    ("tiles", "loser", "winner", "points", "south"),
    [
        (("西", "东"), 2, 0, 5, 0),
        (("东", "东"), 0, 2, 2, -4),
        (("东", "东"), None, None, 0, 0),
    ],
    ids=["西 and 东, East wins off West", "东 and 东, East loses 2 to West", "East even"],
)
def test_the_examples_of_the_rules_text(
    tiles: tuple[str, str], loser: int | None, winner: int | None, points: int, south: int
) -> None:
    """South, the next seat, has two fish; East deals."""
    row = made_rows(1, fish=(0,))[0] | {"outcome": "drawn", "winners": 0, "dealer": 0}
    row |= {f"{part}_{seat}": 0 for part in ("hand", "kongs", "liability", "fish", "net") for seat in SEATS}
    row |= {name: 0 for name in row if name.startswith("flow_")}
    kinds = {"东": 27, "西": 29}
    row |= {f"fish_tile_{label}": kinds[tiles[label % 2]] for label in range(1, 9)} | {"fish_labels_1": 0b11}
    if winner is not None and loser is not None:
        row |= {"outcome": "discard", "winners": 1 << winner, f"hand_{winner}": points, f"hand_{loser}": -points}
        row["flow_02"] = points if winner == 0 else -points
    row |= {f"fish_{seat}": paid for seat, paid in enumerate(settle_fish(row)[1])}
    row |= {f"net_{seat}": row[f"hand_{seat}"] + row[f"fish_{seat}"] for seat in SEATS}
    assert row["fish_1"] == south
    assert tiles[0] != tiles[1] or row["fish_2"] == -south, "West has what South pays"
    found = aggregate(frame([row]))
    assert found["own_fish"].counts[1, 2, south] == 1
    assert not found.total("failed_fish")
    settled = fish_tables.estimators(found).interval("next", "settled")
    assert settled is not None
    assert settled.estimate == south / 2
    if tiles[0] == tiles[1]:
        averaged = two_fish(found, [1])
        assert averaged.value is not None
        assert averaged.value.estimate == south, "any two of the eight are 东"


def test_kinds_of_tiles_are_those_of_a_loop_over_tiles(made: Aggregate) -> None:
    """Each of the 34 kinds, for each owner; together they are all tiles."""
    found = by_kind(frame(MADE))
    assert found == by_kind(in_pandas(MADE)) == by_kind(frame(MADE).lazy())
    gains: dict[tuple[int, int], list[int]] = {}
    for row in MADE:
        for offset in SEATS:
            for label, each in enumerate(tile_gains(row, offset), 1):
                gains.setdefault((row[f"fish_tile_{label}"], offset), []).append(each)
    kinds, owners = tile_tables(found)
    for kind, shown in enumerate(kinds.rows):
        expect_risk(kinds, shown.key, [each for offset in SEATS for each in gains[kind, offset]])
    for offset, seat in itertools.product(SEATS, SEATS):
        bound = [each for kind in range(34) if FISH_OF[kind] == seat for each in gains[kind, offset]]
        expect_risk(owners, f"{KEYS[offset]}_{KEYS[seat]}", bound)
    every_kind, all_tiles = tile_bet(found, tuple(range(34))), one_fish(made)
    for name in ("points", "squares", "losing", "ways"):
        assert getattr(every_kind, name).sum() == getattr(all_tiles, name).sum()
    assert not tile_tables(by_kind(frame(made_rows(10, fish=(0,)))))


def test_counts_of_kinds_add_up(played: Simulation) -> None:
    """Two parts counted apart are the whole."""
    deals = played.to_polars()
    assert by_kind(deals[:5000]) + by_kind(deals[5000:]) == by_kind(deals)


def test_sessions_with_and_without_fish_are_those_of_a_loop() -> None:
    """Final points, lowest point and ruin, by the seat from the session's first dealer."""
    deals = mjsim.simulate("liuzhou", deals=1600, seed=4, session=8).to_polars()
    found = aggregate(deals, 8)
    table = over_sessions(found, purse=6)
    rows = deals.to_dicts()
    for offset, key in enumerate(KEYS):
        for fish in ("with", "without"):
            ends, lows = [], []
            for first in range(0, 1600, 8):
                total = low = 0
                seat = (rows[first]["dealer"] + offset) % 4
                for row in rows[first : first + 8]:
                    total += row[f"net_{seat}"] - (row[f"fish_{seat}"] if fish == "without" else 0)
                    low = min(low, total)
                ends.append(total)
                lows.append(low)
            sd, ruin = table.interval(f"{key}_{fish}", "sd"), table.interval(f"{key}_{fish}", "ruin")
            assert sd is not None
            assert ruin is not None
            assert sd.estimate == pytest.approx(pstdev(ends))
            assert ruin.estimate == pytest.approx(sum(low <= -6 for low in lows) / 200)
            assert table.cell(f"{key}_{fish}", "lowest") == min(lows)
            if (offset, fish) == (0, "without"):
                purse = purse_for(found)
                assert sum(low <= -purse for low in lows) <= 10 < sum(low <= 1 - purse for low in lows)
    assert swings(found).key == "fish_sessions"
    assert "fish_spread" not in {each.key for each in fishing.tables(found)}


def test_deals_with_and_without_fish_have_their_spread(played: Simulation, counted: Aggregate) -> None:
    """The spread is that of the deals, its interval a narrow one."""
    table = swings(counted)
    deals = played.to_polars()
    for fish in ("with", "without"):
        found = table.interval(f"dealer_{fish}", "sd")
        dealt = deals.with_columns(
            points=sum(
                pl.when(pl.col("dealer") == seat)
                .then(pl.col(f"net_{seat}") - (pl.col(f"fish_{seat}") if fish == "without" else 0))
                .otherwise(0)
                for seat in SEATS
            )
        )["points"].to_list()
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        assert found.estimate == pytest.approx(pstdev(dealt), rel=1e-12)
        assert found.low < found.estimate < found.high
        assert found.high - found.low < 0.1 * found.estimate


def test_spreads_cover_what_is_known() -> None:
    """Rolls of a die, whose variance is 35/12."""
    true = (35 / 12) ** 0.5
    source = np.random.default_rng(7)
    hits = {"histogram": 0, "batches": 0}
    for _ in range(200):
        rolls = source.integers(1, 7, (200, 5))
        counts = Histogram({(face,): int((rolls == face).sum()) for face in range(1, 7)})
        for name, found in (
            ("histogram", spread_of(counts, lambda key: key[0])),
            ("batches", spread_of_sums(rolls.sum(axis=1), (rolls**2).sum(axis=1), np.full(200, 5))),
        ):
            assert found is not None
            assert found.low is not None
            assert found.high is not None
            hits[name] += found.low < true < found.high
    assert all(180 <= number <= 198 for number in hits.values())
    alone = spread_of_sums(np.array([3]), np.array([5]), np.array([2]))
    assert alone is not None
    assert (alone.estimate, alone.low) == (0.5, None), "one batch does not scatter"


def test_nothing_is_said_without_fishing() -> None:
    """Rules without fishing, or no deals at all."""
    for deals in (mjsim.simulate("nanning_folk", deals=50).to_polars(), frame([])):
        assert fishing.tables(deals) == ()
        assert fishing.findings(deals) == []
        assert fishing.checks(deals) == ()


def test_averages_need_no_fish_taken() -> None:
    """Where tiles were reserved and nobody fished, the averages are still there; nothing settled is."""
    found = aggregate(mjsim.simulate("liuzhou", deals=500, seed=3, fish=0).to_polars())
    assert [table.key for table in fishing.tables(found)] == ["fish_by_seat", "fish_by_number", "fish_by_tile"]
    assert "fish_estimators" not in {check.key for check in fishing.checks(found)}
    assert len(fishing.findings(found)) == 2


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_findings_answer_whether_two_fish_are_better(counted: Aggregate, lang: Any) -> None:
    """The sentences hold the numbers of the tables; each verdict is that of its interval."""
    worth, one_or_two, swing = fishing.findings(counted, lang)
    value = fish_tables.fish_by_number(counted).interval("2", "value")
    assert value is not None
    assert value.low is not None
    sure = {"en": "better", "zh": "比一条好"} if value.low > 0 else {"en": "neither", "zh": "不比一条好"}
    assert sure[lang] in one_or_two
    assert "鱼" in worth
    assert {"en": "times as much", "zh": "倍"}[lang] in swing


def scaled(points: int) -> Aggregate:
    """Deals in which the dealer wins so many points from the next seat, and all fish lie on the dealer."""
    rows = []
    for index in range(40):
        row: Row = made_rows(1, seed=index, fish=(2,))[0] | {"deal": index, "session": index, "dealer": 0}
        row |= {name: 0 for name in row if name.startswith(("flow_", "hand_", "kongs_", "liability_"))}
        amount = points + index % 3 - 1
        row |= {"outcome": "drawn", "winners": 0, "hand_0": amount, "hand_1": -amount, "flow_01": amount}
        row |= {f"fish_tile_{label}": 0 for label in range(1, 9)}
        row |= {f"fish_{seat}": paid for seat, paid in enumerate(settle_fish(row)[1])}
        rows.append(row)
    return aggregate(frame(rows))


@pytest.mark.parametrize(
    ("points", "words"),
    [(9, ("better", "would make fish fair")), (-9, ("worse", "cost their owners")), (0, ("neither", "No fee"))],
)
def test_verdicts_follow_the_values(points: int, words: tuple[str, str]) -> None:
    """Fish that win, lose, or do neither."""
    worth, one_or_two, _ = fishing.findings(scaled(points))
    assert words[1] in worth
    assert words[0] in one_or_two


# Horses


@pytest.fixture(scope="module")
def horse_deals() -> pl.DataFrame:
    """Deals of the Nanning rules that have horses."""
    return mjsim.simulate("nanning_laiyouxi", deals=20_000, seed=2).to_polars()


def horse_wins(deals: pl.DataFrame) -> list[tuple[int, int, int, int, int, int]]:
    """Each win with horses: seat from the dealer, points before horses, tiles left, own tiles, horses, hits."""
    wins = []
    for row in deals.to_dicts():
        turned = [row[f"horse_tile_{number}"] for number in range(1, 5) if row[f"horse_tile_{number}"] >= 0]
        if not turned:
            continue
        assert row["winners"].bit_count() == 1, "several winners turn over no horses"
        assert len(turned) == min(4, row["left"])
        winner = row["winners"].bit_length() - 1
        seat = (winner - row["dealer"]) % 4
        hits = sum(FISH_OF[kind] == seat for kind in turned)
        assert hits == row["horse_hits"]
        wins.append((seat, row[f"hand_{winner}"] // (1 + hits), row["left"], row[f"rest_{winner}"], len(turned), hits))
    return wins


def test_horses_are_those_of_a_loop_over_wins(horse_deals: pl.DataFrame) -> None:
    """Settled and averaged points, spread, part of all points, hits seen and expected."""
    wins = horse_wins(horse_deals)
    by_seat, hits, estimators = horses.tables(horse_deals)
    for seat, key in [*enumerate(KEYS), (None, "all")]:
        chosen = [win for win in wins if seat in (None, win[0])]
        settled = [base * hit for _, base, _, _, _, hit in chosen]
        averaged = [base * n * own / left for _, base, left, own, n, _ in chosen]
        whole = sum(win[1] for win in chosen) + sum(averaged)
        assert by_seat.cell(key, "wins") == len(chosen)
        for table, column, value in (
            (by_seat, "value", fmean(averaged)),
            (by_seat, "part", sum(averaged) / whole),
            (estimators, "settled", fmean(settled)),
            (estimators, "averaged", fmean(averaged)),
            (estimators, "difference", fmean(settled) - fmean(averaged)),
        ):
            found = table.interval(key, column)
            assert found is not None
            assert found.low is not None
            assert found.estimate == pytest.approx(value)
        z, growth = estimators.cell(key, "z"), estimators.cell(key, "gain")
        assert isinstance(z, float)
        assert isinstance(growth, float)
        assert abs(z) < 4
        assert growth > 2
        sd = by_seat.cell(key, "sd")
        assert isinstance(sd, float)
        assert sd == pytest.approx(pstdev(settled), rel=0.1)
    assert [row.cells[0] for row in hits.rows] == [sum(win[5] == number for win in wins) for number in range(5)]
    assert all(abs(check.z) < 4 for check in horses.checks(horse_deals))


def test_expected_hits_are_those_of_all_orders() -> None:
    """Every way in which five tiles can lie, two of them the winner's; three are turned over."""
    points, own, turned = 6, (1, 1, 0, 0, 0), 3
    ways = [sum(order[:turned]) for order in itertools.permutations(own)]
    histogram = Histogram({(0, points, 5, 2, turned, 1): 10})
    for each in horses.hits(histogram):
        share = Fraction(ways.count(each.number), len(ways))
        assert each.expected == 10 * share
        assert each.variance == 10 * share * (1 - share)
    found = horses.horse_points(histogram)
    assert found.value is not None
    assert found.value.estimate == pytest.approx(points * fmean(ways))
    assert found.squares == 10 * Fraction(sum((points * hit) ** 2 for hit in ways), len(ways))


def test_one_tile_left_is_one_horse() -> None:
    """It is hit or not, and there is nothing to draw from."""
    found = horses.horse_points(Histogram({(1, 6, 1, 1, 1, 1): 3, (1, 6, 1, 0, 1, 0): 1}))
    assert found.value is not None
    assert found.value.estimate == 4.5
    assert found.spread == pytest.approx(pstdev([6, 6, 6, 0]))
    assert found.apart is not None
    assert found.apart.estimate == 0
    assert found.z is None


def test_no_horses_no_tables(made: Aggregate) -> None:
    """Rules without horses."""
    assert horses.tables(made) == ()
    assert horses.checks(made) == ()


# The command


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a run folder."""

    def make(name: str, rules: str = "liuzhou", **options: Any) -> Path:
        folder = tmp_path_factory.mktemp("runs") / name
        mjsim.simulate(rules, deals=3000, seed=1, **options).write(folder)
        return folder

    return make


@pytest.mark.usefixtures("compiled_engine")
def test_a_run_and_the_same_deals_played_anew_say_the_same(run_folder: Callable[..., Path]) -> None:
    """``mjsim fishing`` from a folder and from a ruleset, as JSON."""
    folder = run_folder("sessions", session=4)
    stored = run("fishing", folder, "--format", "json")
    options = ("--deals", 3000, "--seed", 1, "--session", 4, "--format", "json")
    played = run("fishing", "liuzhou", *options)
    assert (stored.status, played.status) == (0, 0)
    assert stored.out == played.out
    data = json.loads(stored.out)
    assert list(data["tables"])[:4] == ["fish_by_seat", "fish_by_number", "fish_sessions", "fish_by_tile"]
    assert list(data["tables"])[-2:] == ["fish_estimators", "fish_weights"]
    assert len(data["tables"]["fish_by_kind"]["rows"]) == 34
    assert data["expected"]["lying_dealer"]["expected"] == "11/34"
    assert len(data["findings"]) == 3


@pytest.mark.usefixtures("compiled_engine")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_form_shows_the_tables(lang: str) -> None:
    """Tables, Markdown and CSV, in both languages."""
    options = ("fishing", "liuzhou", "--deals", 500, "--lang", lang, "--format")
    title = {"en": "What a fish is worth, by its owner's seat", "zh": "鱼的价值（按鱼主座位）"}[lang]
    for form in ("table", "md"):
        done = run(*options, form)
        assert done.status == 0
        assert title in done.out
    lines = run(*options, "csv").out.splitlines()
    assert sum(line.startswith("fish_by_seat,all,") for line in lines) == 3


@pytest.mark.usefixtures("compiled_engine")
def test_what_cannot_be_said_is_an_error_that_names_its_cause(run_folder: Callable[..., Path]) -> None:
    """Rules without fishing; nobody fished and the tiles left in play; options beside a run."""
    done = run("fishing", "nanning_folk", "--deals", 10)
    assert done.status == 1
    assert "nanning_folk: fishing.enabled is false" in done.err
    folder = run_folder("folk", "nanning_folk")
    done = run("fishing", folder)
    assert done.status == 1
    assert f"{folder}: its rules have fishing.enabled = false" in done.err
    done = run("fishing", "liuzhou", "--set", "reserve=picked", "--fish", 0, "--deals", 10)
    assert done.status == 1
    assert "nobody took a fish" in done.err
    assert "reserve=all" in done.err
    for option, value in (("--seed", 1), ("--deals", 5), ("--fish", 1), ("--set", "reserve=all"), ("--session", 2)):
        done = run("fishing", folder, option, value)
        assert done.status == 2
        assert option in done.err
        assert "brings its own" in done.err


@pytest.mark.usefixtures("compiled_engine")
def test_warnings_say_what_is_missing() -> None:
    """Nobody fished; or unpicked tiles were drawn."""
    done = run("fishing", "liuzhou", "--fish", 0, "--deals", 300)
    assert done.status == 0
    assert "Nobody took a fish" in done.out
    assert "fish_estimators" not in run("fishing", "liuzhou", "--fish", 0, "--deals", 300, "--format", "csv").out
    done = run("fishing", "liuzhou", "--set", "reserve=picked", "--fish", 1, "--deals", 300, "--format", "md")
    assert done.status == 0
    assert "as settled only" in done.out
    assert "Which seat the reserved tiles belong to" in done.out


@pytest.mark.usefixtures("compiled_engine")
@pytest.mark.usefixtures("compiled_engine")
def test_ctrl_c_prints_what_is_finished() -> None:
    """The fish of the deals played so far, marked as such; status 130."""
    process = start("fishing", "liuzhou", "--deals", 50_000_000, "--format", "json", start_new_session=True)
    assert process.stderr is not None
    progress = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert " of 50,000,000 deals, " in progress
    assert process.returncode == 130
    data = json.loads(out)
    assert data["status"] == "interrupted"
    assert f"interrupted: {data['deals']:,} of 50,000,000 deals were finished" in err


def test_the_page_about_fishing_says_what_python_says() -> None:
    """The examples of docs/fishing.md."""
    page = Path(__file__).parents[1] / "docs" / "fishing.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 5
    assert failed == 0


def test_help_has_an_example() -> None:
    """``mjsim fishing --help``."""
    done = run("fishing", "--help")
    assert done.status == 0
    assert "Example: mjsim fishing liuzhou" in done.out


def test_intervals_name_their_method(counted: Aggregate) -> None:
    """Every estimate of the fish tables has an interval that says which it is."""
    methods = {
        cell.method
        for table in fishing.tables(counted)
        for row in table.rows
        for cell in row.cells
        if isinstance(cell, Interval)
    }
    assert methods == {"batch", "wilson", "paired"}
