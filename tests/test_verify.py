"""Damaged runs: found by ``mjsim verify``, which names what is wrong, and before any analysis."""

import csv
import io
import json
import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import mjsim
from mjsim.dataset.columns import COLUMNS, Column
from mjsim.dataset.frames import Columns, from_polars
from mjsim.dataset.identities import CHECKS, Place
from mjsim.dataset.run import Manifest, open_run
from mjsim.dataset.verify import verify
from mjsim.dataset.writer import RunWriter
from mjsim.errors import MjsimError, RunError
from tests.commands import Done, run, warm_up

pytestmark = pytest.mark.usefixtures("compiled_engine", "no_progress")

SHARD_DEALS = 500
SHARDS = 4
LAST = f"deals-0000{SHARDS - 1}.parquet"


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    warm_up()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four shards, in sessions that go on from one to the next."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mjsim.ranges.SHARD_DEALS", SHARD_DEALS)
        options = ("--deals", SHARD_DEALS * SHARDS, "--seed", 3, "--session", 7, "--players", "noisy")
        assert run("simulate", "liuzhou", *options, "--out", folder).status == 0
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(made, tmp_path / "run"))


def refused(done: Done, message: str) -> None:
    """One message, which says this, and status 1."""
    assert (done.status, done.out) == (1, ""), done
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert message in done.err, done.err


def refused_everywhere(folder: Path, message: str, tmp_path: Path) -> None:
    """Refused by verify, and by everything that would count its deals."""
    refused(run("verify", folder), message)
    refused(run("summary", folder), message)
    refused(run("fishing", folder), message)
    refused(run("compare", folder, folder), message)
    refused(run("report", folder, "--out", tmp_path / "page.html"), message)
    assert not (tmp_path / "page.html").exists()
    with pytest.raises(MjsimError):
        open_run(folder).to_polars()
    with pytest.raises(MjsimError):
        open_run(folder).to_pandas()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_checked_of_a_good_run(made: Path, lang: str) -> None:
    keys = ["manifest", "checksums", "columns", *(each.key for each in CHECKS)]
    as_json = run("verify", made, "--format", "json", "--lang", lang)
    assert (as_json.status, as_json.err) == (0, "")
    lines = json.loads(as_json.out)
    assert [line["check"] for line in lines] == keys
    assert {line["unit"]: line["checked"] for line in lines} == {"file": 1, "shards": 4, "rows": 2000}
    as_csv = run("verify", made, "--format", "csv")
    assert [line["check"] for line in csv.DictReader(io.StringIO(as_csv.out))] == keys
    for form in ("table", "md"):
        shown = run("verify", made, "--format", form, "--lang", lang)
        assert (shown.status, shown.err) == (0, "")
        assert f"{made}" in shown.out.splitlines()[0]
        assert all(line[lang] in shown.out for line in lines)


@pytest.mark.parametrize("players", ["fast", "noisy", "random"])
@pytest.mark.parametrize("rules", ["liuzhou", "nanning_folk", "nanning_laiyouxi"])
def test_nothing_is_wrong_with_what_is_played(tmp_path: Path, rules: str, players: str) -> None:
    mjsim.simulate(rules, deals=3000, first=41, seed=5, players=players, session=6).write(tmp_path / "run")
    checked = verify(tmp_path / "run", threads=1)
    assert (checked.shards, checked.deals) == (1, 3000)


# Files.


def test_any_flipped_bit_is_found(copy: Path, made: Path, tmp_path: Path) -> None:
    chance = random.Random(4)
    for number in range(60):
        shard = copy / f"deals-0000{number % SHARDS}.parquet"
        content = bytearray((made / shard.name).read_bytes())
        bit = chance.randrange(8 * len(content))
        content[bit // 8] ^= 1 << bit % 8
        shard.write_bytes(content)
        message = f"{shard}: has changed since it was written: its checksum is not the one in run.json"
        refused(run("verify", copy), message)
        refused(run("summary", copy), message)
        shard.write_bytes((made / shard.name).read_bytes())
    refused_nothing = run("verify", copy)
    assert refused_nothing.status == 0


@pytest.mark.parametrize(
    ("hurt", "message"),
    [
        (lambda shard: shard.unlink(), "is missing"),
        (lambda shard: os.truncate(shard, 0), "has 0 bytes, not "),
        (lambda shard: os.truncate(shard, 999), "has 999 bytes, not "),
        (lambda shard: shard.write_bytes(shard.read_bytes() * 2), " bytes, not "),
        (lambda shard: shard.write_bytes(bytes(shard.stat().st_size)), "has changed since it was written"),
        (lambda shard: (shard.unlink(), shard.mkdir()), "is missing"),
    ],
)
def test_damaged_shards_are_found(copy: Path, tmp_path: Path, hurt: Callable[[Path], object], message: str) -> None:
    hurt(copy / "deals-00002.parquet")
    refused_everywhere(copy, message, tmp_path)
    refused(run("verify", copy), "deals-00002.parquet: ")


def test_swapped_shards_are_found(copy: Path, tmp_path: Path) -> None:
    one, other = copy / "deals-00001.parquet", copy / "deals-00002.parquet"
    one.rename(copy / "kept")
    other.rename(one)
    (copy / "kept").rename(other)
    refused_everywhere(copy, "deals-00001.parquet: has ", tmp_path)


def test_shards_of_another_run_are_found(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where run.json was made to know them: it does not say so itself, or the rows do not fit."""
    manifest = open_run(copy).manifest
    shards = [
        each.model_copy(update={"sha256": other.sha256, "bytes": other.bytes})
        for each, other in zip(manifest.shards, manifest.shards[::-1], strict=True)
    ]
    for number in (0, 1):
        here, there = (copy / manifest.shards[each].file for each in (number, SHARDS - 1 - number))
        content = here.read_bytes()
        here.write_bytes(there.read_bytes())
        there.write_bytes(content)
    swapped = manifest.model_copy(update={"shards": shards})
    (copy / "run.json").write_text(swapped.model_dump_json())
    refused_everywhere(copy, "run.json: has changed since it was written (its digest differs)", tmp_path)
    (copy / "run.json").write_text(swapped.sealed().model_dump_json())
    refused(run("verify", copy), "deals-00000.parquet: row 0 (deal 0), column deal: is 1500, but here belongs deal 0")
    refused(run("summary", copy), "not in order")


def test_a_shard_that_nobody_knows_is_found(copy: Path) -> None:
    shutil.copy(copy / LAST, copy / "deals-00004.parquet")
    refused(run("verify", copy), "deals-00004.parquet: is not in run.json")


# run.json.


def edited(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value + "x" if value else "x"
        case list():
            return value[:-1]
        case None:
            return {"file": "counts-1.json", "sha256": "x", "bytes": 1, "deals": 1}
        case _:
            return {**value, "more": "x"}


@pytest.mark.parametrize("key", list(Manifest.model_fields))
def test_no_key_of_the_manifest_can_be_edited(copy: Path, tmp_path: Path, key: str) -> None:
    manifest = json.loads((copy / "run.json").read_text())
    manifest[key] = "interrupted" if key == "status" else edited(manifest[key])
    (copy / "run.json").write_text(json.dumps(manifest))
    refused_everywhere(copy, "run.json: ", tmp_path)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("ruleset", "claims", "chow"), False),
        (("players", 2, "name"), "fast"),
        (("software", "numpy"), "1"),
        (("shards", 1, "sha256"), "0" * 64),
        (("shards", 1, "first"), 499),
        (("shards", 1, "file"), "deals-00007.parquet"),
    ],
)
def test_nothing_inside_the_manifest_can_be_edited(
    copy: Path, tmp_path: Path, path: tuple[str | int, ...], value: object
) -> None:
    manifest: Any = json.loads((copy / "run.json").read_text())
    here = manifest
    for step in path[:-1]:
        here = here[step]
    assert here[path[-1]] != value
    here[path[-1]] = value
    (copy / "run.json").write_text(json.dumps(manifest))
    refused_everywhere(copy, "run.json", tmp_path)


def test_a_manifest_may_be_laid_out_otherwise(copy: Path) -> None:
    manifest = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps(manifest, indent=4, ensure_ascii=True))
    assert run("verify", copy).status == 0


def test_any_flipped_bit_of_the_manifest_is_found(copy: Path) -> None:
    """Or it changes nothing that is said, such as white space, or how a letter is written."""
    content = (copy / "run.json").read_bytes()
    known = open_run(copy).manifest
    chance = random.Random(5)
    found = 0
    for _ in range(150):
        changed = bytearray(content)
        bit = chance.randrange(8 * len(content))
        changed[bit // 8] ^= 1 << bit % 8
        (copy / "run.json").write_bytes(changed)
        try:
            assert open_run(copy).manifest == known
        except MjsimError:
            found += 1
    assert found > 100


# Rows.


def rewritten(made: Path, place: Path, change: Callable[[Columns], None], shard: int = 1) -> Path:
    """The run with one shard's rows changed, and checksums that know of it."""
    run = open_run(made)
    with RunWriter(place / "changed", run.manifest) as writer:
        for number, each in enumerate(run.manifest.shards):
            columns = {name: values.copy() for name, values in from_polars(pl.read_parquet(made / each.file)).items()}
            if number == shard:
                change(columns)
            writer.add(number, each.first, columns)
        writer.finish("complete")
    return place / "changed"


def set_to(name: str, row: int, value: int) -> Callable[[Columns], None]:
    def change(columns: Columns) -> None:
        assert columns[name][row] != value
        columns[name][row] = value

    return change


def moved(row: int, **by: int) -> Callable[[Columns], None]:
    def change(columns: Columns) -> None:
        for name, points in by.items():
            columns[name][row] += points

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_to("win_tile", 77, 34), "row 77 (deal 577), column win_tile: is 34, must be -1 to 33"),
        (set_to("deal", 3, 501), "row 3 (deal 503), column deal: is 501, but here belongs deal 503"),
        (set_to("session", 3, 70), "column session: is 70, but the deal is of session 71"),
        (set_to("hand", 3, 0), "column hand: is 0, but in its session the deal is number 6"),
        (moved(9, hand_0=5, net_0=5), "row 9 (deal 509), column hand_0 to hand_3: add up to 5, not to 0"),
        (moved(9, fish_0=5, fish_1=-5), "row 9 (deal 509), column net_0: is "),
        (moved(9, flow_01=1), "row 9 (deal 509), column flow_01 and flow_02 and flow_03: give seat 0 "),
        (moved(9, flow_23=-1), "column flow_02 and flow_12 and flow_23: give seat 2 "),
        (moved(9, left=1), "row 9 (deal 509), column left: is "),
        (set_to("winners", 0, 0), "row 0 (deal 500), column winners: is 0 where outcome is"),
        (set_to("points_0", 0, 3), "column points_0: is 3 where seat 0 does not win"),
    ],
)
def test_rows_that_cannot_be_are_found(
    made: Path, tmp_path: Path, change: Callable[[Columns], None], message: str
) -> None:
    folder = rewritten(made, tmp_path, change)
    done = run("verify", folder)
    refused(done, message)
    assert done.err.startswith(f"error: {folder / 'deals-00001.parquet'}: row ")


def test_dealers_are_followed_from_deal_to_deal(made: Path, tmp_path: Path) -> None:
    """Within a shard, and from one to the next."""
    columns = from_polars(open_run(made).to_polars())
    later = int(np.flatnonzero(columns["hand"][500:1000])[20])
    seat = int(columns["dealer"][500 + later])
    within = rewritten(made, tmp_path / "within", set_to("dealer", later, (seat + 1) % 4))
    refused(run("verify", within), f"row {later} (deal {500 + later}), column dealer: is {(seat + 1) % 4}, but ")
    assert columns["hand"][500] != 0
    next_dealer = int(columns["next_dealer"][499])
    between = rewritten(made, tmp_path / "between", set_to("next_dealer", 499, (next_dealer + 1) % 4), shard=0)
    refused(run("verify", between), f"deals-00001.parquet: row 0 (deal 500), column dealer: is {next_dealer}, but by")


@pytest.mark.parametrize("rows", [1 << 4, 1 << 15])
def test_it_does_not_matter_how_many_rows_are_checked_at_a_time(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr("mjsim.dataset.verify._AT_A_TIME", rows)
    monkeypatch.setattr("mjsim.dataset.verify._READ_AT_A_TIME", 7 * rows)
    assert verify(made).deals == 2000
    folder = rewritten(made, tmp_path, moved(333, net_2=1, net_0=-1))
    with pytest.raises(RunError, match=r"row 333 \(deal 833\), column net_0: is "):
        verify(folder)


@pytest.mark.parametrize("column", [each for each in COLUMNS if each.limits], ids=lambda each: each.name)
def test_every_limit_is_checked(made: Path, column: Column) -> None:
    columns = from_polars(pl.read_parquet(made / "deals-00000.parquet"))
    limits = next(each for each in CHECKS if each.key == "limits")
    assert column.limits is not None
    kinds = np.iinfo(column.dtype)
    for value in (column.limits[0] - 1, column.limits[1] + 1):
        if kinds.min <= value <= kinds.max:
            wrong = columns | {column.name: columns[column.name].copy()}
            wrong[column.name][123] = value
            fault = next(limits.faults(wrong, Place(0, 7)))
            assert (fault.row, fault.column) == (123, column.name)
    assert list(limits.faults(columns, Place(0, 7))) == []


POINTS = [f"{part}_{seat}" for part in ("hand", "liability", "kongs", "fish", "net") for seat in range(4)]
POINTS += ["flow_01", "flow_02", "flow_03", "flow_12", "flow_13", "flow_23"]


@pytest.mark.parametrize("name", POINTS)
def test_no_column_of_points_can_be_changed_alone(made: Path, name: str) -> None:
    columns = from_polars(pl.read_parquet(made / "deals-00000.parquet"))
    columns[name] = columns[name].copy()
    columns[name][250] += 1
    found = [fault for each in CHECKS for fault in each.faults(columns, Place(0, 7))]
    assert found
    assert {fault.row for fault in found} == {250}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop("dice"), "its columns are not those of a run (dice)"),
        (lambda frame: frame.select(frame.columns[::-1]), "its columns are not those of a run (another order)"),
        (lambda frame: frame.head(499), "has 499 rows, not 500"),
        (lambda frame: frame.with_columns(pl.col("dice").cast(pl.Int64)), "column dice: is of type Int64, not uint8"),
        (lambda frame: frame.with_columns(pl.col("outcome").cast(pl.String)), "column outcome: is of type String"),
        (
            lambda frame: frame.with_columns(pl.when(pl.col("deal") != 503).then(pl.col("dice")).alias("dice")),
            "row 3, column dice: is empty",
        ),
    ],
)
def test_other_columns_are_found(copy: Path, change: Callable[[pl.DataFrame], pl.DataFrame], message: str) -> None:
    shard = copy / "deals-00001.parquet"
    change(pl.read_parquet(shard)).write_parquet(shard)
    known(copy, 1)
    refused(run("verify", copy), f"deals-00001.parquet: {message}")


def known(folder: Path, number: int) -> None:
    """Make run.json know what a shard has become."""
    import hashlib

    manifest = Manifest.model_validate_json((folder / "run.json").read_text())
    shards = list(manifest.shards)
    content = (folder / shards[number].file).read_bytes()
    update = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    shards[number] = shards[number].model_copy(update=update)
    (folder / "run.json").write_text(manifest.model_copy(update={"shards": shards}).sealed().model_dump_json())


def test_what_is_no_parquet_is_found(copy: Path, tmp_path: Path) -> None:
    (copy / "deals-00001.parquet").write_bytes(b"PAR1 and no more")
    known(copy, 1)
    refused(run("verify", copy), "deals-00001.parquet: cannot be read as Parquet, though its checksum is right")
    refused(run("summary", copy), "a shard cannot be read")


def test_the_first_fault_is_named_with_any_number_of_threads(made: Path, tmp_path: Path) -> None:
    folder = rewritten(made, tmp_path, set_to("win_tile", 7, 99))
    os.truncate(folder / LAST, 5)
    for threads in (1, 2, 7):
        refused(run("verify", folder, "--threads", threads), "has 5 bytes, not ")
    content = (made / LAST).read_bytes()
    (folder / LAST).write_bytes(content[:-1] + b"\0")
    for threads in (1, 2, 7):
        refused(run("verify", folder, "--threads", threads), "deals-00001.parquet: row 7 (deal 507), column win_tile")


def test_a_scan_may_skip_the_check(copy: Path, made: Path) -> None:
    frame = open_run(made).to_polars()
    data = open_run(made)
    assert data.scan().collect().equals(frame)
    shard = copy / "deals-00001.parquet"
    pl.read_parquet(shard).write_parquet(shard, compression="uncompressed")
    manifest = open_run(made).manifest
    shards = [each.model_copy(update={"bytes": (copy / each.file).stat().st_size}) for each in manifest.shards]
    (copy / "run.json").write_text(manifest.model_copy(update={"shards": shards}).sealed().model_dump_json())
    assert open_run(copy).scan(check=False).collect().equals(frame)
    with pytest.raises(RunError, match="has changed since it was written"):
        open_run(copy).scan()


def test_an_interrupt_ends_it(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object) -> int:
        signal.raise_signal(signal.SIGINT)
        return 0

    monkeypatch.setattr("mjsim.dataset.verify.run_chunks", interrupted)
    done = run("verify", made)
    assert (done.status, done.out) == (130, "")


@pytest.mark.parametrize("threads", [0, 5000])
def test_numbers_of_threads_that_cannot_be(made: Path, threads: int) -> None:
    refused(run("verify", made, "--threads", threads), f"threads {threads}: must be 1 to 1024")


def test_what_is_no_run(tmp_path: Path) -> None:
    refused(run("verify", tmp_path), "is not a run folder (run.json is missing)")
