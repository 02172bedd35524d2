"""Every simulated deal settles again from its tiles alone: replays scored as cases give the recorded numbers."""

from typing import Any

import pytest

import mjsim
from mjsim.engine import Plan
from mjsim.players import players_for_seats
from mjsim.rules import load_rules
from mjsim.transcript.events import Replayer

SEED = 314
SESSION = 8
DEALS = 20_000
BLOCK = 4000
RULES = ("liuzhou", "nanning_folk", "nanning_laiyouxi")


def differences(first: int, deals: int, rules: str, players: str) -> list[str]:
    """Where replays, scored as cases, differ from what the run recorded."""
    run = mjsim.simulate(rules, deals=deals, first=first, seed=SEED, players=players, session=SESSION)
    columns = {name: values.tolist() for name, values in run.columns.items()}
    shown = Replayer(Plan(load_rules(rules), players_for_seats(players), seed=SEED, session=SESSION))
    found = []
    for index in range(deals):
        case = shown.show(first + index).case
        answer = mjsim.score(case)
        winners = [seat for seat in range(4) if columns["winners"][index] >> seat & 1]
        recorded: dict[str, Any] = {
            part: [columns[f"{part}_{seat}"][index] for seat in range(4)] for part in ("hand", "kongs", "fish", "net")
        }
        settled = {part: answer.get(part) for part in recorded}
        recorded["points"] = {seat: columns[f"points_{seat}"][index] for seat in winners}
        settled["points"] = {winner["seat"]: winner["points"] for winner in answer.get("winners", [])}
        if settled != recorded:
            found.append(f"deal {first + index}: recorded {recorded}, settled again {answer}")
    return found


@pytest.mark.parametrize("first", range(0, DEALS, BLOCK))
@pytest.mark.parametrize("players", ["random", "noisy", "fast"])
@pytest.mark.parametrize("rules", RULES)
def test_replays_score_to_the_recorded_numbers(rules: str, players: str, first: int) -> None:
    assert differences(first, BLOCK, rules, players) == []
