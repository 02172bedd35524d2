"""The example of docs/players.md is short, runs as it stands there, and wins."""

import re
from pathlib import Path
from typing import Any

import numpy as np

import mjsim
from mjsim.dataset.frames import Columns

PAGE = Path(__file__).parent.parent / "docs" / "players.md"


def example() -> str:
    """The first Python block of the page."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def test_the_example_is_short() -> None:
    assert len(example().splitlines()) <= 40


def test_the_example_beats_random_clearly() -> None:
    names: dict[str, Any] = {}
    exec(example(), names)
    columns: Columns = names["result"].columns
    net = columns["net_0"].astype(float)
    assert net.mean() > 10 * net.std() / np.sqrt(len(net))


def test_the_example_plays_beside_the_built_in_players_of_every_ruleset() -> None:
    names: dict[str, Any] = {}
    exec(example(), names)
    for rules in ("liuzhou", "nanning_folk", "nanning_laiyouxi"):
        result = mjsim.simulate(rules, deals=500, seed=2, players=[names["careful"], "fast", "noisy", "random"])
        assert result.columns["net_0"].mean() > result.columns["net_3"].mean()
