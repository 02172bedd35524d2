"""The commands that play the deals of a run again, from its manifest."""

import shlex
from collections.abc import Mapping
from typing import Any

from mjsim.errors import RulesError
from mjsim.players import DEFAULT
from mjsim.rules import Ruleset
from mjsim.rules.naming import naming


def simulate_command(manifest: Mapping[str, Any]) -> str:
    """The command that plays the same deals and prints their summary.

    Examples
    --------
    >>> from mjsim.rules import load_rules
    >>> rules = load_rules("liuzhou", rob_kong=False).to_dict()
    >>> players = [{"name": DEFAULT}] * 4
    >>> run = {"deals": 10, "seed": 1, "first": 0, "session_length": 1, "fish": 2}
    >>> simulate_command({"ruleset": rules, "players": players, **run})
    'mjsim simulate liuzhou --deals 10 --seed 1 --set rob_kong=false'
    """
    named = _named(manifest)
    if named is None:
        # Rules of another version's shape: what was typed then is all there is to say.
        return str(manifest["command"])
    rules, settings = named
    words = ["mjsim", "simulate", rules, "--deals", str(manifest["deals"]), *_seed_and_players(manifest)]
    if manifest["first"]:
        words += ["--first", str(manifest["first"])]
    return shlex.join([*words, *_session_and_fish(manifest), *settings])


def replay_command(manifest: Mapping[str, Any], deal: int) -> str:
    """The command that shows one deal of a run, tile by tile.

    Examples
    --------
    >>> from mjsim.rules import load_rules
    >>> run = {"ruleset": load_rules("liuzhou").to_dict(), "players": [{"name": DEFAULT}] * 4, "seed": 1}
    >>> replay_command(run | {"session_length": 16, "fish": 1}, 7)
    'mjsim replay liuzhou --deal 7 --seed 1 --session 16 --fish 1'
    """
    named = _named(manifest)
    if named is None:
        return f"mjsim replay RUN --deal {deal}"
    rules, settings = named
    words = ["mjsim", "replay", rules, "--deal", str(deal), *_seed_and_players(manifest)]
    return shlex.join([*words, *_session_and_fish(manifest), *settings])


def _named(manifest: Mapping[str, Any]) -> tuple[str, list[str]] | None:
    """What a command calls the rules of a run, and the options that set the rest of them."""
    try:
        named = naming(Ruleset.from_dict(manifest["ruleset"]))
    except RulesError:
        return None
    settings: list[str] = []
    for key, value in named.get("options", {}).items():
        settings += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    return str(named["rules"]), settings


def _seed_and_players(manifest: Mapping[str, Any]) -> list[str]:
    players = [player["name"] for player in manifest["players"]]
    words = ["--seed", str(manifest["seed"])]
    if set(players) != {DEFAULT}:
        words += ["--players", ",".join(players) if len(set(players)) > 1 else players[0]]
    return words


def _session_and_fish(manifest: Mapping[str, Any]) -> list[str]:
    words = []
    for option, key, usual in (("--session", "session_length", 1), ("--fish", "fish", 2)):
        if manifest[key] != usual:
            words += [option, str(manifest[key])]
    return words
