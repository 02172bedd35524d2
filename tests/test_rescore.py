"""Every simulated deal settles again from its tiles alone: replays scored as cases give the recorded numbers."""

from typing import Any

import pytest

import mjsim
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.simulation import Plan
from mjsim.transcript.events import Replayer

DEALS = 20_000
BLOCK = 2000


@pytest.mark.parametrize("first", range(0, DEALS, BLOCK))
def test_replays_score_to_the_recorded_numbers(first: int) -> None:
    run = mjsim.simulate("liuzhou", deals=BLOCK, first=first, seed=314, players="noisy,fast,noisy,fast", session=8)
    columns = {name: values.tolist() for name, values in run.columns.items()}
    shown = Replayer(Plan(load_rules("liuzhou"), players_for_seats("noisy,fast,noisy,fast"), seed=314, session=8))
    for index in range(BLOCK):
        case: dict[str, Any] = shown.show(first + index).case
        answer = mjsim.score(case)
        assert "error" not in answer, (case, answer)
        for part in ("hand", "kongs", "fish", "net"):
            assert answer[part] == [columns[f"{part}_{seat}"][index] for seat in range(4)], (case, part)
        for winner in answer["winners"]:
            assert winner["points"] == columns[f"points_{winner['seat']}"][index]
        assert sum(1 << winner["seat"] for winner in answer["winners"]) == columns["winners"][index]
