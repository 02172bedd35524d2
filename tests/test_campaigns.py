"""Long campaigns of `make check`; what they counted is written to reports/campaigns."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import mjsim
from mjsim.hands.types import names_of
from tests.test_referee import RULES, disagreements, replayer
from tests.test_rescore import differences

COUNTS = Path(__file__).parent.parent / "reports" / "campaigns"

pytestmark = pytest.mark.campaign


def write_counts(name: str, counts: dict[str, Any]) -> None:
    COUNTS.mkdir(parents=True, exist_ok=True)
    (COUNTS / f"{name}.json").write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("players", "deals"),
    [("noisy", 20_000), ("fast", 15_000), ("random", 15_000), ("value", 5_000), ("rollout", 100)],
)
@pytest.mark.parametrize("rules", RULES)
def test_referee_campaign(rules: str, players: str, deals: int) -> None:
    shown = replayer(players, {}, rules=rules)
    seen: Counter[str] = Counter()
    found: list[str] = []
    for number in range(100_000, 100_000 + deals):
        replay = shown.show(number)
        found += disagreements(replay, {}, rules=rules)
        seen.update(str(event["event"]) for event in replay.events)
        seen.update(name for seat in range(4) for name in names_of(int(replay.row[f"types_{seat}"])))
    write_counts(
        f"referee-{rules}-{players}",
        {"deals": deals, "disagreements": len(found), "seen": dict(seen), "first": found[:10]},
    )
    assert found == []


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("players", ["random", "noisy", "fast", "value"])
def test_rescore_campaign(rules: str, players: str) -> None:
    deals = 100_000
    found = differences(1_000_000, deals, rules, players)
    write_counts(f"rescore-{rules}-{players}", {"deals": deals, "differences": len(found), "first": found[:10]})
    assert found == []


def test_the_same_walls_and_columns_over_a_long_run() -> None:
    """A million deals in two ways."""
    deals = 1_000_000
    one = mjsim.simulate("liuzhou", deals=deals, seed=99, threads=1)
    two = mjsim.simulate("liuzhou", deals=deals, seed=99, threads=7, chunk=1000)
    different = [name for name in one.columns if (one.columns[name] != two.columns[name]).any()]
    write_counts("threads", {"deals": deals, "different_columns": different})
    assert different == []
