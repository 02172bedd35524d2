"""``python -m benchmarks.peers.page``: docs/peers.md from the results of ``make bench-peers``."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from benchmarks.machine import described
from benchmarks.page import markdown, number
from benchmarks.peers.__main__ import RESULTS

PAGE: Final = Path(__file__).parents[2] / "docs" / "peers.md"

TASKS: Final = {
    "complete": "complete-hand check",
    "shanten": "shanten",
    "random": "deals, random players",
    "efficiency": "deals, efficiency players",
}

#: Of so many disagreements of one kind, a few are shown; the file of results has them all.
SHOWN: Final = 12

INTRODUCTION = """# Peers

mjsim beside other libraries for mahjong, on the same hands, on the same machine, in one run. `python -m
benchmarks.peers.page` wrote it from `benchmarks/peers/results.json`, which `make bench-peers` measured on {date}
with version {version}; that sets up an environment of its own from `requirements-peers.lock`, which nothing else needs.

{machine}.

Hands come from mjsim's generator (seed 1): {hands:,} of 14 tiles, half of them complete, and {hands:,} of 13 tiles,
half of them one tile short of that; of the others, two in three are dealt from the whole wall and one from one suit.
Each library runs in a process of its own, measures the processor time of its own work, and is asked in turns with the
others, {rounds} counted rounds after one that warms up. Hands are brought into the form that a library takes before its
clock starts. Numbers are medians, with the lowest and the highest round beside them.
"""

SPEED = """## One hand a call, and many

Most libraries answer one hand a call, and so does the line *mjsim*. A call from Python costs mjsim more than its
answer: checking the hand and the way into compiled code and back take longer than the evaluator's seven loads. A
library in Rust or C++ that has a smaller way in is faster there. *mjsim, batch* and mahjax take all hands at once.
"""

PLAY = """## Whole deals

**These are not the same games.** mjsim plays Liuzhou mahjong in full, settlement, fish and all columns of its record
included. The others, rlcard excepted, play Japanese mahjong, whose rules are richer: riichi, furiten, dora, some forty
kinds of hand with their points, dead wall, abortive draws; and most build what a player may see for every decision. A
ratio of two such numbers says what a user waits for, not whose code is better.

* *random*: a player that chooses among the legal actions; in cmajiang, a random discard, and every win.
* *efficiency*: mjsim's `fast` (lowest shanten, then most effective tiles, with claims); for riichienv and cmajiang a
  player of ours that discards for the lowest shanten by the library's own function, wins, and claims nothing; for
  mahjax its `rule_based_player`. pymahjong and rlcard show no evaluator to build one from.
* mahjax is made for many games side by side on accelerators, and compiles in its first round, which does not count; on
  a processor it plays 256 games at once here, until the last of them ends.
"""

RULES = """## Where answers differ

mjsim's answers were compared with the plain-Python twin of its tests, which shares no code with it: {ours}. Where
another library differs from the rules that mjsim plays by, plain Python decides who is right:

* **rules**: the answer is right for a game with thirteen orphans, and with seven pairs of seven different kinds.
  Liuzhou and Nanning have no thirteen orphans, and four of a kind are two pairs there.
* **library wrong**: right by neither.
* **mjsim wrong**: plain Python says what the library says.
"""


def rates(found: dict[str, Any], tasks: tuple[str, ...]) -> str:
    """A table of what every library took for some tasks."""
    rows = []
    for library in found["libraries"]:
        cells = []
        for task in tasks:
            took = library["tasks"].get(task)
            if took is not None:
                cells.append(f"{number(took['median'])} {took['unit']} ({number(took['low'])}–{number(took['high'])})")
            else:
                cells.append("failed" if task in library["failures"] else "–")
        if any(cell != "–" for cell in cells):
            rows.append([f"{library['name']} {library['version'] or ''}".strip(), *cells])
    return markdown(["library", *(TASKS[task] for task in tasks)], rows)


def failures(found: dict[str, Any]) -> Iterator[str]:
    """What did not start, and what did not work."""
    lines = [f"* {each['name']} does not start: {each['error']}" for each in found["libraries"] if each["error"]]
    lines += [
        f"* {each['name']} {each['version']}, {TASKS[task]}: {error}"
        for each in found["libraries"]
        for task, error in each["failures"].items()
    ]
    if lines:
        yield "What did not work:\n\n" + "\n".join(lines) + "\n"


def differences(found: dict[str, Any]) -> Iterator[str]:
    """How often answers differ and why, then hand by hand."""
    ours = found["ours"]
    yield RULES.format(ours="no difference" if not ours else f"**{len(ours)} differences**")
    asked = [
        (each["name"], task)
        for each in found["libraries"]
        for task in ("complete", "shanten")
        if task in each["tasks"] and not each["name"].startswith("mjsim")
    ]
    counted = Counter((each["library"], each["task"], each["verdict"]) for each in found["disagreements"])
    verdicts = ("rules", "library wrong", "mjsim wrong", "no answer")
    rows = [[f"{name}, {TASKS[task]}", *(f"{counted[name, task, each]}" for each in verdicts)] for name, task in asked]
    yield markdown([f"of {found['hands']:,} hands", *verdicts], rows)
    by_hand: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for each in [*found["disagreements"], *ours]:
        key = (each["task"], each["verdict"], each["hand"])
        by_hand.setdefault(key, {}).setdefault(f"{each['theirs']}", []).append(each["library"])
    right = {(each["task"], each["hand"]): each["mjsim"] for each in [*found["disagreements"], *ours]}
    for task, verdict in sorted({key[:2] for key in by_hand}):
        hands = [key for key in by_hand if key[:2] == (task, verdict)]
        yield f"### {TASKS[task].capitalize()}: {verdict}, {len(hands)} hands\n"
        lines = [
            [
                f"`{key[2]}`",
                f"{right[task, key[2]]}",
                "; ".join(f"{answer}: {', '.join(names)}" for answer, names in by_hand[key].items()),
            ]
            for key in (hands if verdict != "library wrong" else hands[:SHOWN])
        ]
        yield markdown(["hand", "by mjsim's rules", "others say"], lines)
        if len(lines) < len(hands):
            yield f"… and {len(hands) - len(lines)} more, all in `benchmarks/peers/results.json`.\n"


def page(found: dict[str, Any]) -> str:
    """The whole page."""
    introduction = INTRODUCTION.format(
        date=found["date"][:10],
        version=found["version"],
        machine=described(found["machine"]),
        hands=found["hands"],
        rounds=found["rounds"],
    )
    parts = [introduction, SPEED, rates(found, ("complete", "shanten")), PLAY, rates(found, ("random", "efficiency"))]
    return "\n".join([*parts, *failures(found), *differences(found)])


def main(
    results: Annotated[Path, typer.Option(help="The results.")] = RESULTS,
    out: Annotated[Path, typer.Option(help="The page.")] = PAGE,
) -> None:
    """Write the page."""
    out.write_text(page(json.loads(results.read_text(encoding="utf-8"))), encoding="utf-8")
    print(f"{out.name}: from {results.name}")


if __name__ == "__main__":
    typer.run(main)
