"""``mjsim hand``: what it answers in every form and language, and what it refuses."""

import csv
import doctest
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from analysis.answers.advice import judged
from mjsim.players import DEFAULT
from mjsim.playout import Played
from tests.commands import run

READY = "123456m234p99s78s3z"
FAR = "159m159p159s12345z"


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    run("hand", "liuzhou", READY, "--playouts", 1)


def answer(*arguments: object) -> dict[str, object]:
    done = run("hand", *arguments, "--format", "json")
    assert (done.status, "error" in done.err) == (0, False)
    found: dict[str, object] = json.loads(done.out)
    return found


def test_json_has_every_discard_with_its_method() -> None:
    found = answer("liuzhou", READY, "--seen", "6s", "--left", 40)
    assert found["hand"] == "123456m234p7899s3z"
    assert (found["left"], found["own_draws"], found["unseen"], found["shanten"]) == (40, 10, 121, 0)
    discards = found["discards"]
    assert isinstance(discards, list)
    assert len(discards) == 13
    best = discards[0]
    assert (best["tile"], best["shanten"], best["effective"], best["live"]) == ("3z", 0, {"6s": 3, "9s": 2}, 5)
    assert best["alone"]["method"] == "exact"
    assert 0 < best["alone"]["chance"] < 1
    assert best["played_out"] is None
    assert [each["alone"]["points"] for each in discards] == sorted(
        (each["alone"]["points"] for each in discards), reverse=True
    )


def test_playouts_stand_beside_the_exact_numbers_and_follow_their_seed() -> None:
    asked = ("liuzhou", READY, "--playouts", 300, "--seed", 5)
    found = answer(*asked)
    assert found == answer(*asked)
    assert found != answer(*asked[:-1], 6)
    assert found["playouts"] == {"number": 300, "seed": 5, "players": [DEFAULT] * 4}
    discards = found["discards"]
    assert isinstance(discards, list)
    nets = [each["played_out"]["net"]["estimate"] for each in discards]
    assert nets == sorted(nets, reverse=True)
    assert discards[0]["played_out"]["verdict"] == "best"
    assert discards[-1]["played_out"]["verdict"] == "worse"
    for each in discards[1:]:
        played = each["played_out"]
        assert played["behind"]["estimate"] == pytest.approx(played["net"]["estimate"] - nets[0])
        assert played["behind"]["method"] == "paired"
        assert each["alone"]["method"] == "exact"


def test_the_best_stands_first_and_is_not_compared_with_itself() -> None:
    # Nobody draws any more, and hardly anybody wins: all discards are equal but for what they leave.
    found = answer("nanning_folk", READY, "--left", 3, "--playouts", 40)
    discards, findings = found["discards"], found["findings"]
    assert isinstance(discards, list)
    assert isinstance(findings, list)
    assert discards[0]["tile"] == "3z"
    assert [each["played_out"]["verdict"] for each in discards] == ["best", *["not_decided"] * 12]
    assert "3z" not in findings[1]


def test_a_hand_far_from_ready_is_played_out_unasked() -> None:
    found = answer("nanning_folk", FAR, "--seed", 1)
    assert found["playouts"] == {"number": 2000, "seed": 1, "players": [DEFAULT] * 4}
    discards = found["discards"]
    assert isinstance(discards, list)
    assert all(each["alone"] is None and each["played_out"] for each in discards)
    assert answer("nanning_folk", FAR, "--playouts", 0)["playouts"] is None


def test_a_waiting_hand_is_told_what_each_draw_brings() -> None:
    found = answer("liuzhou", "12355m34p23499s7s")
    assert found["own_draws"] == 19
    waiting, draws = found["waiting"], found["draws"]
    assert isinstance(waiting, dict)
    assert isinstance(draws, list)
    assert waiting["shanten"] == 1
    assert {each["tile"] for each in draws} == set(waiting["effective"])
    assert draws[0]["discard"] is not None
    assert draws[0]["alone"]["points"] > waiting["alone"]["points"]
    ready = answer("liuzhou", "123456m234p99s78s")["draws"]
    assert isinstance(ready, list)
    assert [(each["tile"], each["wins"], each["discard"]) for each in ready] == [("6s", 6, None), ("9s", 6, None)]


def test_a_complete_hand_is_said_to_win() -> None:
    done = run("hand", "liuzhou", "123456m234p99s789s")
    assert done.status == 0
    assert "The hand is complete: a self-draw wins 6 points now." in done.out


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("format", ["table", "md", "csv"])
@pytest.mark.parametrize("tiles", [READY, READY[:-2], FAR])
def test_prints_in_every_form(tiles: str, format: str, lang: str) -> None:
    playouts = () if tiles == READY[:-2] else ("--playouts", 50)
    done = run("hand", "nanning_laiyouxi", tiles, *playouts, "--format", format, "--lang", lang)
    assert (done.status, "error" in done.err) == (0, False)
    if format == "csv":
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert {row["table"] for row in rows} == {"draws" if tiles == READY[:-2] else "discards"}
        assert {row["column"] for row in rows} >= {"shanten", "live"}
    else:
        assert ("Nanning mahjong, Laiyouxi app" if lang == "en" else "南宁麻将（来游戏）") in done.out
        assert ("→ effective tiles" if lang == "en" else "→ 进张") in done.out
        assert ("played out" if lang == "en" else "四家打完") in done.out or not playouts


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("tiles", "options"),
    [
        (READY, ("--seen", "66s1z", "--playouts", 50)),
        ("2233m789s55p6p", ("--melds", "pung 6z <2")),
        ("55p67s", ("--melds", "chow 123p,pung 7z <1", "--melds", "kong- 5m")),
    ],
)
def test_writes_a_card_that_needs_nothing_else(
    tmp_path: Path, tiles: str, options: tuple[object, ...], lang: str
) -> None:
    out = tmp_path / "hand.html"
    done = run("hand", "liuzhou", tiles, *options, "--lang", lang, "--out", out)
    assert (done.status, "error" in done.err) == (0, False)
    page = out.read_text(encoding="utf-8")
    assert not re.search(r"<script|src=|https?://|@import", page)
    assert page.count('<li class="choice best">') == 1
    assert f"mjsim hand liuzhou {tiles}" in page
    assert "hand.html" not in page
    assert "font-family" in page
    assert page.count("<li class=") >= 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("11111m234p99s78s33z",), "TILES: 5 copies of 1m: there are only four of each kind"),
        (("123m",), "TILES: 3 tiles with 0 melds; give 14 to discard from, or 13 that wait"),
        ((READY, "--melds", "pung 6z"), "TILES: 14 tiles with 1 melds; give 11 to discard from, or 10 that wait"),
        (("12x",), "TILES: '12x': 'x' at position 3 is no rank (1 to 9) and no suit (m, p, s, z)"),
        ((READY, "--seen", "333z3z"), "TILES, --melds and --seen: 5 copies of 3z; there are only four of each kind"),
        ((READY, "--seen", "55555m"), "--seen: 5 copies of 5m: there are only four of each kind"),
        (("11123m234p55p6s", "--melds", "pung 1m"), "TILES and --melds: 6 copies of 1m"),
        ((READY[:-6] + "3z", "--melds", "pong 6z"), "--melds: meld 'pong 6z': write chow, pung, kong, kong+, kong-"),
        (("123m", "--melds", "pung 6z <0"), "--melds: pung 6z <0: the hand is seat 0's"),
        ((READY, "--left", 76), "--left: 76: must be 0 to 75"),
        ((READY, "--left", -1), "--left: -1: must be 0 to 75"),
        (
            (READY, "--seen", "111222333777788889999m1111555566667777888899p111122223333444455556666s11112222555z"),
            "--left: missing; ",
        ),
        ((READY, "--playouts", -1), "--playouts: -1: must be 0 to 1000000"),
        ((READY, "--seed", -1), "--seed: -1: must be 0 to 2^64 - 1"),
        ((READY, "--players", "slow"), "--players: seat 0: no player is called 'slow'"),
        ((READY[:-2], "--playouts", 10), "--playouts: playouts compare discards, and a hand of 13 tiles has none"),
        ((READY, "--seen", "111222333444z", "--left", 75, "--playouts", 10), "--playouts: "),
    ],
)
def test_refuses_in_one_line(arguments: tuple[object, ...], message: str) -> None:
    done = run("hand", "liuzhou", *arguments)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"error: {message}")
    assert done.err.count("\n") == 1


def test_refuses_what_the_rules_do_not_know() -> None:
    done = run("hand", "nanning_folk", "2233m789s55p6p1z", "--melds", "chow 123m")
    assert done.err == "error: --melds: chow 123m: nanning_folk knows no chow (claims.chow = false)\n"
    assert run("hand", "no_such_rules", READY).status == 1
    last = run("hand", "liuzhou", READY, "--left", 0, "--set", "last_tile_discard=false")
    assert last.err == "error: --left: 0: under these rules the last tile drawn is not followed by a discard\n"


def test_an_interrupt_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("analysis.answers.advice.play_out", interrupted)
    done = run("hand", "liuzhou", FAR)
    assert (done.status, done.out) == (130, "")
    assert "interrupted before all playouts were done; nothing is printed" in done.err


def test_verdicts_are_corrected_for_all_pairs() -> None:
    generator = np.random.default_rng(1)
    luck = generator.integers(-20, 21, (400, 1))
    edges = np.array([[5, 5, 0]])
    net = luck + edges + generator.integers(-2, 3, (400, 3))
    found = judged(Played(net, net > 0))
    verdicts = [each.verdict for each in found]
    assert verdicts.count("best") == 1
    assert verdicts[2] == "worse"
    assert sorted(verdicts[:2]) == ["best", "not_decided"]
    # Paired on the same luck, the difference is known far better than either mean.
    behind, mean = found[2].behind, found[2].net
    assert behind is not None
    assert behind.high is not None
    assert behind.low is not None
    assert mean.high is not None
    assert mean.low is not None
    assert behind.high - behind.low < (mean.high - mean.low) / 3


def test_one_playout_decides_nothing() -> None:
    found = judged(Played(np.array([[3, -1]]), np.array([[True, False]])))
    assert [each.verdict for each in found] == ["best", "not_decided"]


def test_the_page_says_what_the_code_does() -> None:
    """The examples of docs/hand.md."""
    page = Path(__file__).parents[1] / "docs" / "hand.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 5
    assert failed == 0
    text = page.read_text(encoding="utf-8")
    for words in ("--melds", "--seen", "--left", "--playouts", "--players", "--seed"):
        assert f"`{words}`" in text
