"""How much a report's numbers depend on the players: the same as separate simulations give, on pages and in JSON."""

import json
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjsim
from analysis.answers.summary import summarise
from analysis.display.text import LANGS, Lang
from analysis.figures import NARROW, WIDE
from analysis.figures.canvas import Canvas, canvas
from analysis.figures.player_chart import player_chart
from analysis.report import report
from analysis.skill import other_players
from analysis.skill.by_player import OWN, ByPlayer
from analysis.skill.matches import ladder
from analysis.skill.other_players import PLAYERS, by_player, deals_to_play, refuse_other_walls, usual_deals
from mjsim.cli import reporting
from mjsim.errors import RunError
from mjsim.players import DEFAULT
from mjsim.players.random import random_decide
from tests.commands import run

DEALS = 640
SEED = 5
KINDS = ("direct", "added", "concealed")

pytestmark = pytest.mark.usefixtures("compiled_engine")


def played(
    rules: str = "liuzhou", players: Any = DEFAULT, **options: Any
) -> tuple[ByPlayer, mjsim.simulation.Simulation]:
    """A run and what other players make of it."""
    made = mjsim.simulate(rules, **{"deals": DEALS, "seed": SEED} | options, players=players)
    return by_player(made.to_polars(), made.manifest().model_dump()), made


@pytest.fixture(scope="module")
def found() -> ByPlayer:
    return played()[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("by_player") / "run"
    mjsim.simulate("liuzhou", deals=DEALS, seed=SEED).write(place)
    return place


def plain_numbers(rules: str, players: str, **options: Any) -> dict[str, float]:
    """Headline numbers from a simulation's columns, by the plainest means."""
    columns = mjsim.simulate(rules, **{"deals": DEALS, "seed": SEED} | options, players=players).columns
    rows = np.arange(len(columns["deal"]))
    net = np.stack([columns[f"net_{seat}"] for seat in range(4)]).astype(np.int64)
    won = np.stack([columns["winners"] >> seat & 1 for seat in range(4)]).astype(bool)
    hands = np.stack([columns[f"hand_{seat}"] for seat in range(4)])
    kongs = sum(columns[f"kongs_{kind}_{seat}"].astype(int) for kind in KINDS for seat in range(4))
    dealer = net[columns["dealer"], rows]
    return {
        "drawn": (~won.any(axis=0)).mean(),
        "length": columns["draws"].mean(),
        "points_a_win": hands[won].sum() / won.sum(),
        "dealer_advantage": (dealer - (net.sum(axis=0) - dealer) / 3).mean(),
        "kongs": np.mean(kongs),
    }


@pytest.mark.parametrize(
    ("rules", "players", "options"),
    [
        ("liuzhou", DEFAULT, {}),
        ("nanning_folk", "random", {"first": 37, "session": 16}),
        ("liuzhou", "noisy,random,value,noisy", {"fish": 1}),
    ],
)
def test_the_numbers_are_those_of_separate_simulations(rules: str, players: str, options: dict[str, Any]) -> None:
    found, _ = played(rules, players, **options)
    assert [side.key for side in found.sides] == [OWN, *(each for each in PLAYERS if each != players)]
    tables = {table.key: table for table in found.tables}
    own = plain_numbers(rules, players, **options)
    for side in found.sides:
        expected = plain_numbers(rules, players if side.key == OWN else side.key, **options)
        for key, value in expected.items():
            values = tables["by_player_shares" if key == "drawn" else "by_player_means"]
            interval = values.interval(key, side.key)
            assert interval is not None
            assert interval.estimate == pytest.approx(value)
            if side.key != OWN:
                change = tables["by_player_changes"].interval(key, side.key)
                assert change is not None
                assert change.estimate == pytest.approx((value - own[key]) * (100 if key == "drawn" else 1), abs=1e-9)
                assert change.method in ("paired", "rare")


def test_fewer_deals_than_the_run_has() -> None:
    made = mjsim.simulate("liuzhou", deals=DEALS, seed=SEED, first=100)
    few = by_player(made.to_polars().sample(fraction=1.0, shuffle=True, seed=1), made.manifest().model_dump(), deals=70)
    same = by_player(made.to_polars().lazy(), made.manifest().model_dump(), deals=70, threads=1)
    own = mjsim.simulate("liuzhou", deals=70, seed=SEED, first=100)
    assert few.tables == same.tables == by_player(own.to_polars(), own.manifest().model_dump()).tables


def test_strength_is_that_of_the_ladder(found: ByPlayer) -> None:
    table = next(table for table in found.tables if table.key == "by_player_strength")
    separate = ladder("liuzhou", PLAYERS, deals=DEALS // 64, seed=SEED)
    assert {row.key for row in table.rows} == set(PLAYERS)
    for each in separate.matches:
        assert table.interval(each.first, each.second) == each.edge
    assert all(table.cell(name, name) is None for name in PLAYERS)


def test_players_of_ones_own_stand_beside_the_built_in_ones() -> None:
    @mjsim.player
    def value(view: Any, legal: Any, rng: Any) -> Any:
        return random_decide(view, legal, rng)

    found, made = played(players=value, deals=64)
    assert [side.key for side in found.sides] == [OWN, *PLAYERS]
    assert found.own.label.en == "the run's players"
    assert [name for name, _ in found.ladder.strengths].count("value") == 1
    page = report(summarise(made.to_polars(), made.manifest().model_dump()).beside(found))
    assert "the run&#39;s players" in page


def test_other_built_in_players_climb_too() -> None:
    found, _ = played(players="noisy", deals=64)
    assert found.own.label.en == "noisy"
    assert {name for name, _ in found.ladder.strengths} == {*PLAYERS, "noisy"}


def test_numbers_that_the_rules_lack_are_left_out(found: ByPlayer) -> None:
    plain, _ = played("nanning_folk", deals=64)
    assert "fish" in [metric.key for metric in found.metrics]
    assert "fish" not in [metric.key for metric in plain.metrics]


@pytest.mark.parametrize("deals", [1, 2])
def test_hardly_any_deals(deals: int) -> None:
    found, made = played(deals=deals)
    assert found.deals == deals
    page = report(summarise(made.to_polars(), made.manifest().model_dump()).beside(found))
    assert 'id="chart-by_player"' in page


def test_failed_checks_of_other_players_are_said(found: ByPlayer) -> None:
    other = found.others[0]
    sums = dict(other.found.sums) | {"failed_zero_sum": other.found.sums["deals"]}
    broken = replace(found, others=(replace(other, found=replace(other.found, sums=sums)), *found.others[1:]))
    made = mjsim.simulate("liuzhou", deals=DEALS, seed=SEED)
    summary = summarise(made.to_polars(), made.manifest().model_dump())
    assert summary.beside(found).sound
    assert not summary.beside(broken).sound
    for lang in LANGS:
        page = report(summary.beside(broken), lang)
        assert "zero_sum" in page
        assert "<figure" not in page


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_chart_is_well_laid_out(found: ByPlayer, lang: Lang, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    misfits: list[str] = []

    @contextmanager
    def watched(*size: float) -> Iterator[Canvas]:
        with canvas(*size) as paper:
            yield paper
            if paper.width == width:
                misfits.extend(paper.misfits())

    monkeypatch.setattr("analysis.figures.panels.canvas", watched)
    long = replace(
        found.own, label=replace(found.own.label, en="a player with a very long name", zh="名字很长的本次玩家")
    )
    for each in (found, replace(found, own=long)):
        figure = player_chart(each, lang)
        assert figure is not None
        assert figure.title.startswith("Drawn deals: " if lang == "en" else "流局：")
        assert figure.wide.count("<text") == figure.narrow.count("<text")
    assert misfits == []


def test_the_page_has_the_section_in_both_languages(folder: Path, tmp_path: Path) -> None:
    for lang, title in (("en", "How much depends on the players"), ("zh", "换一种打法会怎样")):
        done = run("report", folder, "--out", tmp_path / "page.html", "--lang", lang)
        assert (done.status, done.out) == (0, f"{tmp_path / 'page.html'}: report of {folder}\n")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert f'<h2 id="part-players">{title}</h2>' in page
        assert "--by-player" not in page
        run("report", folder, "--out", tmp_path / "again.html", "--lang", lang, "--by-player", DEALS)
        assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_the_command_of_another_number_of_deals(folder: Path, tmp_path: Path) -> None:
    run("report", folder, "--out", tmp_path / "page.html", "--by-player", 100)
    page = re.sub("<[^>]*>", "", (tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "mjsim report runs/liuzhou --out liuzhou.html --by-player 100" in page


def test_no_other_players(folder: Path, tmp_path: Path) -> None:
    done = run("report", folder, "--out", tmp_path / "page.html", "--by-player", 0)
    assert (done.status, done.err) == (0, "")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "part-players" not in page
    assert "by_player" not in page


def test_json_has_the_same_numbers(folder: Path, tmp_path: Path, found: ByPlayer) -> None:
    done = run("report", folder, "--out", tmp_path / "numbers.json", "--format", "json")
    assert done.status == 0
    told = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))
    assert told["by_player"] == {"deals": DEALS, "players": [side.key for side in found.sides], "strength_walls": 10}
    for table in found.tables:
        assert told["tables"][table.key] == json.loads(json.dumps(table.to_dict()))


@pytest.mark.parametrize(("form", "words"), [("md", "相同牌墙上之差"), ("csv", "by_player_changes,drawn,random,")])
def test_other_forms_have_the_tables(folder: Path, tmp_path: Path, form: str, words: str) -> None:
    run("report", folder, "--out", tmp_path / "numbers", "--format", form, "--lang", "zh")
    assert words in (tmp_path / "numbers").read_text(encoding="utf-8")


@pytest.mark.parametrize("deals", [-1, DEALS + 1])
def test_deals_that_the_run_has_not(folder: Path, tmp_path: Path, deals: int) -> None:
    done = run("report", folder, "--out", tmp_path / "page.html", "--by-player", deals)
    assert (done.status, done.out) == (1, "")
    assert done.err == f"error: --by-player {deals}: must be 0 to {DEALS}, the deals of {folder}\n"


def test_a_run_of_other_walls_has_no_section(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporting, "RESULTS_VERSION", -1)
    done = run("report", folder, "--out", tmp_path / "page.html")
    assert done.status == 0
    assert "other players would not play the same walls; the report says nothing of them" in done.err
    assert "part-players" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    monkeypatch.setattr(other_players, "RESULTS_VERSION", -1)
    done = run("report", folder, "--out", tmp_path / "other.html", "--by-player", 10)
    assert (done.status, (tmp_path / "other.html").exists()) == (1, False)
    assert "would not play the same walls" in done.err


def test_what_cannot_be_played_is_refused() -> None:
    manifest = mjsim.simulate("liuzhou", deals=4).manifest().model_dump()
    with pytest.raises(RunError, match="5 deals by player: must be 1 to the 4 of the run"):
        refuse_other_walls(manifest, 5)
    part = mjsim.simulate("liuzhou", deals=3).to_polars()
    with pytest.raises(RunError, match="the first 4 deals of the run cannot be compared: 3 were read"):
        by_player(part, manifest)


def interrupted_at(deals: int) -> Callable[[int], Any]:
    @contextmanager
    def progress(all_deals: int) -> Iterator[Callable[[int], None]]:
        def report(done: int) -> None:
            if done >= deals:
                signal.raise_signal(signal.SIGINT)

        yield report

    return progress


@pytest.mark.parametrize("part", [0.1, 0.99])
def test_an_interrupt_writes_nothing(
    folder: Path, tmp_path: Path, part: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        manifest = mjsim.open_run(folder).manifest.model_dump()
        deals = int(part * deals_to_play(manifest, usual_deals(DEALS)))
        monkeypatch.setattr(reporting, "deal_progress", interrupted_at(deals))
        page = tmp_path / "page.html"
        page.write_text("an older page")
        done = run("report", folder, "--out", page)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done.status, done.out) == (130, "")
    assert f"interrupted before the other players had played; {page} is not written" in done.err
    assert page.read_text() == "an older page"


def test_progress_counts_all_deals(found: ByPlayer) -> None:
    made = mjsim.simulate("liuzhou", deals=DEALS, seed=SEED)
    manifest = made.manifest().model_dump()
    told: list[int] = []
    again = by_player(made.to_polars(), manifest, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == deals_to_play(manifest, DEALS)
    assert again.tables == found.tables
