"""``mjsim score``: answers to the score cases of a file, compared with what they expect."""

import functools
import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mjsim.cli.case_files import STANDARD_INPUT, read_cases
from mjsim.cli.output import print_rows
from mjsim.cli.progress import announce_compiling, say
from mjsim.errors import RulesError
from mjsim.hands.types import type_words
from mjsim.rules import Ruleset, load_rules, parse_settings
from mjsim.rules.check import MOST_PROBLEMS_SHOWN, show_path
from mjsim.scoring import score
from mjsim.state import SEATS
from mjsim.tiles import shortened

if TYPE_CHECKING:
    from mjsim.cli.choices import Format, Lang
    from mjsim.scoring.answer import Answer

KERNEL: Final = "answer.settle_case"
# Seconds that it takes to compile.
_COMPILING: Final = 3
PARTS: Final = ("hand", "kongs", "fish")
ZEROS: Final = [0] * SEATS

_WORDS: Final = {
    "case": "局",
    "winners": "胡牌",
    "seat": "座位",
    "net": "得分",
    "hand": "胡",
    "kongs": "杠",
    "fish": "鱼",
    "expected": "预期",
    "agrees": "一致",
    "differs": "不符",
    "error": "错误",
    "nobody": "流局",
    "from": "付",
    "to": "收",
    "points": "分",
    "reason": "项目",
    "liability": "吃三笔",
    "kong": "杠",
}


def score_file(file: str, settings: list[str] | None, format: "Format", lang: "Lang") -> int:
    """Answer a file's cases and print the answers; returns the exit status."""
    cases = read_cases(file)
    announce_compiling(KERNEL, _COMPILING)
    folder = None if file == STANDARD_INPUT else Path(file).parent
    changes = parse_settings(settings or [])
    answers = [_answer(case, number, folder, changes) for number, case in enumerate(cases, start=1)]
    differing = [_differences_of(case, answer) for case, answer in zip(cases, answers, strict=True)]
    _print_answers(answers, differing, format, lang)
    return _verdict(answers, differing)


def _answer(case: Any, number: int, folder: Path | None, changes: dict[str, object]) -> "Answer":
    if not isinstance(case, dict):
        return {"id": "", "error": f"case {number}: must be a table of keys and values"}
    located = {**case, "rules": _located(case.get("rules"), folder)} if "rules" in case else case
    return score(located, rules=_changed_rules(located.get("rules"), changes))


def _located(rules: object, folder: Path | None) -> object:
    """A case's ``rules``; a relative path starts at the case's folder, or else at the current one."""
    if folder is None or not isinstance(rules, str) or not (rules.endswith(".toml") or os.sep in rules):
        return rules
    beside = folder / rules
    return str(beside) if beside.is_file() else rules


def _changed_rules(name: object, changes: dict[str, object]) -> Ruleset | None:
    """The ruleset with what ``--set`` changes; None where nothing is, or where the case must say what is wrong."""
    if not changes or not isinstance(name, str):
        return None
    try:
        rules = _loaded(name)
    except RulesError:
        return None
    return rules.with_overrides(changes)


@functools.cache
def _loaded(name: str) -> Ruleset:
    return load_rules(name)


def differences(expect: Any, answer: "Answer") -> list[str]:
    """What an answer has otherwise than a case's ``expect``.

    Lists that ``expect`` leaves out are zeros, and its ``net`` is the sum of the others.
    """
    if not isinstance(expect, dict):
        return ["expect: a table expected"]
    unknown = sorted(set(expect) - {*PARTS, "net", "types"})
    wrong = [f"{show_path(('expect', key))}: there is no such key" for key in unknown[:MOST_PROBLEMS_SHOWN]]
    for key in (*PARTS, "net"):
        if key in expect and not _is_four_numbers(expect[key]):
            wrong.append(f"expect.{key}: four whole numbers expected, one a seat")
    if wrong:
        return wrong
    wanted = {key: expect.get(key, ZEROS) for key in PARTS}
    wanted["net"] = expect.get("net", [sum(seat) for seat in zip(*wanted.values(), strict=True)])
    found = [f"{key} is {answer[key]}, expected {wanted[key]}" for key in wanted if answer[key] != wanted[key]]
    if "types" in expect:
        types = [winner["types"] for winner in answer["winners"]]
        if len(types) != 1:
            found.append("expect.types goes with one winner")
        elif not isinstance(expect["types"], list) or Counter(map(str, expect["types"])) != Counter(types[0]):
            found.append(f"types is {types[0]}, expected {shortened(str(expect['types']))}")
    return found


def _is_four_numbers(value: object) -> bool:
    return isinstance(value, list) and len(value) == SEATS and all(type(each) is int for each in value)


def _differences_of(case: Any, answer: "Answer") -> list[str] | None:
    """None where a case expects nothing, or has no answer that could be compared."""
    if not isinstance(case, dict) or case.get("expect") is None or "error" in answer:
        return None
    return differences(case["expect"], answer)


def _verdict(answers: list["Answer"], differing: list[list[str] | None]) -> int:
    """Say on standard error what is wrong; returns the exit status."""
    for name, times in Counter(answer["id"] for answer in answers if answer["id"]).items():
        if times > 1:
            say(f"warning: the id {name!r} stands for {times} cases")
    failed = [answer for answer in answers if "error" in answer]
    for answer in failed:
        say(f"error: {answer['id'] or 'a case without id'}: {answer['error']}")
    for answer, found in zip(answers, differing, strict=True):
        if found:
            say(f"error: {answer['id']}: differs from its expect: {'; '.join(found)}")
    return int(bool(failed) or any(differing))


def _print_answers(answers: list["Answer"], differing: list[list[str] | None], format: "Format", lang: "Lang") -> None:
    if format == "json":
        lines = (json.dumps(answer, ensure_ascii=False) for answer in answers)
        print("[\n " + ",\n ".join(lines) + "\n]")
        return
    keys = ["id", "winners", *(f"net_{seat}" for seat in range(SEATS))]
    headings = [_say("case", lang), _say("winners", lang), *(f"{_say('net', lang)} {seat}" for seat in range(SEATS))]
    if format == "csv":
        keys += [f"{part}_{seat}" for part in PARTS for seat in range(SEATS)]
    keys.append("expected")
    headings.append(_say("expected", lang))
    rows = [
        _row(answer, found, "en" if format == "csv" else lang, parts=format == "csv")
        for answer, found in zip(answers, differing, strict=True)
    ]
    print_rows(keys, headings, rows, format)
    if format == "table" and len(answers) == 1 and "error" not in answers[0]:
        _print_transfers(answers[0], lang)


def _row(answer: "Answer", found: list[str] | None, lang: "Lang", *, parts: bool) -> list[object]:
    width = SEATS * (1 + len(PARTS) if parts else 1)
    if "error" in answer:
        return [answer["id"], f"{_say('error', lang)}: {answer['error']}", *[None] * width, None]
    numbers = [*answer["net"]]
    if parts:
        numbers += [points for part in PARTS for points in answer[part]]
    verdict = None if found is None else _say("differs" if found else "agrees", lang)
    return [answer["id"], _winners(answer, lang), *numbers, verdict]


def _winners(answer: "Answer", lang: "Lang") -> str:
    """Who won with what, as text."""
    return "; ".join(
        f"{_say('seat', lang)} {winner['seat']}: {type_words(winner['types'], lang)}" for winner in answer["winners"]
    ) or _say("nobody", lang)


def _print_transfers(answer: "Answer", lang: "Lang") -> None:
    """Print who pays whom."""
    keys = ("from", "to", "points", "reason")
    rows = [[transfer[key] for key in keys[:3]] + [_say(transfer["reason"], lang)] for transfer in answer["transfers"]]
    if rows:
        print_rows(keys, [_say(key, lang) for key in keys], rows, "table")


def _say(word: str, lang: "Lang") -> str:
    return _WORDS.get(word, word) if lang == "zh" else word
