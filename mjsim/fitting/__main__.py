"""Play, count, and write the constants: ``python -m mjsim.fitting --deals 20000 --seed 2024 --rounds 2``."""

import argparse
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from mjsim.fitting.follow import follow
from mjsim.fitting.rates import Rounds, claim_rates, ready_weights, usual_loss
from mjsim.players.value import constants
from mjsim.players.value.chances import FAMILIES
from mjsim.rules import load_rules
from mjsim.rules.packed import DISCARD_MODE, ORDINARY, SPECIAL, pack

#: The rules whose deals stand for each family, and what is changed in them.
RULESETS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "no_chow": ("nanning_folk", {}),
    "no_chow_discard": ("nanning_folk_ordinary_discard", {}),
    "chow": ("nanning_folk", {"claims.chow": True}),
    "chow_discard": ("liuzhou", {}),
}

#: Whose deals say what another seat's win costs: by an ordinary hand's price on a discard, or a special one's.
LOSS_RULES: Final = {"LOSS_ORDINARY": ("chow_discard", ORDINARY), "LOSS_SPECIAL": ("no_chow", SPECIAL)}

#: Longest line of a file of the repository.
_LINE: Final = 120

TARGET: Final = Path(str(constants.__file__))


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m mjsim.fitting", description=__doc__)
    parser.add_argument("--deals", type=int, default=20_000, help="deals of each ruleset and round (default 20000)")
    parser.add_argument("--seed", type=int, default=2024, help="seed of all deals (default 2024)")
    parser.add_argument("--rounds", type=int, default=2, help="each plays with what the one before found (default 2)")
    parser.add_argument("--output", type=Path, default=TARGET, help="file to write, for one round only")
    chosen = parser.parse_args(arguments)
    if chosen.rounds == 1:
        write(chosen.output, fit(chosen.seed, chosen.deals), chosen.seed, chosen.deals, 1)
        return
    for _ in range(chosen.rounds):
        # Kernels hold the constants they were compiled with, so each round is a process of its own.
        options = ["--deals", str(chosen.deals), "--seed", str(chosen.seed), "--rounds", "1"]
        subprocess.run([sys.executable, "-m", "mjsim.fitting", *options], check=True)
    text = TARGET.read_text(encoding="utf-8")
    TARGET.write_text(text.replace("--rounds 1`", f"--rounds {chosen.rounds}`"), encoding="utf-8")


def fit(seed: int, deals: int) -> dict[str, Any]:
    """Play one round and count.

    Returns
    -------
    dict
        By the names in `mjsim.players.value.constants`.
    """
    found: dict[str, Any] = {"RATES": {}, "READY": {}, "CLAIMED": {}}
    for family in FAMILIES:
        name, changes = RULESETS[family]
        rules = load_rules(name, **changes)
        rests, ends = follow(rules, "value", seed, deals)
        rounds = Rounds(rests, ends)
        found["RATES"][family] = rounds.rates(win_on_discard=family.endswith("discard"))
        found["READY"][family] = ready_weights(rounds)
        found["CLAIMED"][family] = claim_rates(rounds)
        for key, (loss_family, column) in LOSS_RULES.items():
            if family == loss_family:
                found[key] = round(256 * usual_loss(ends) / int(pack(rules).price[DISCARD_MODE, column]))
    return found


def write(output: Path, found: dict[str, Any], seed: int, deals: int, rounds: int) -> None:
    """Write what was found as a Python module."""
    rulesets = ", ".join(
        name + "".join(f" with {key} = {str(value).lower()}" for key, value in changes.items())
        for name, changes in RULESETS.values()
    )
    lines = [
        '"""Constants of the player ``value``, counted in self-play and written by ``mjsim.fitting``, not by hand.',
        "",
        f"`python -m mjsim.fitting --deals {deals} --seed {seed} --rounds {rounds}`,",
        f"mjsim {metadata.version('mjsim')}:",
        f"{deals} deals a round of each of",
        f"{rulesets}.",
        "docs/players.md says what each number is.",
        '"""',
        "",
        "from typing import Final",
        "",
        "RATES: Final[dict[str, dict[str, dict[str, list[int]]]]] = {",
    ]
    for family, rates in found["RATES"].items():
        lines.append(f'    "{family}": {{')
        for name, values in rates.items():
            lines.append(f'        "{name}": {{')
            for key, value in values.items():
                lines += _entry(f'            "{key}": ', value)
            lines.append("        },")
        lines.append("    },")
    lines.append("}")
    lines.append("READY: Final[dict[str, list[int]]] = {")
    lines += [f'    "{family}": {weights},' for family, weights in found["READY"].items()]
    lines.append("}")
    lines.append("CLAIMED: Final[dict[str, list[list[int]]]] = {")
    for family, table in found["CLAIMED"].items():
        lines.append(f'    "{family}": [')
        lines += [f"        {row}," for row in table]
        lines.append("    ],")
    lines.append("}")
    lines += [f"{key}: Final = {found[key]}" for key in LOSS_RULES]
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _entry(start: str, values: list[int]) -> list[str]:
    """The lines of one list: one, or as the formatter has it one a number where that is too long."""
    line = f"{start}{values},"
    if len(line) <= _LINE:
        return [line]
    indent = " " * (len(start) - len(start.lstrip()))
    return [f"{start}[", *(f"{indent}    {value}," for value in values), f"{indent}],"]


if __name__ == "__main__":
    main()
