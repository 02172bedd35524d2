"""``mjsim rules``: what rulesets there are, what they say, how two differ, and whether a file is one."""

import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from mjsim.cli.output import print_rows
from mjsim.cli.progress import say
from mjsim.errors import RulesError
from mjsim.rules import Ruleset, builtin_names, extended_name, load_rules, parse_settings, variant_names
from mjsim.rules.page import (
    PAYERS,
    Words,
    differences,
    event_words,
    groups,
    hand_words,
    inline,
    liability_words,
)
from mjsim.rules.prices import event_prices, hand_prices, liability_lines
from mjsim.rules.schema import file_schema
from mjsim.rules.words import meaning

if TYPE_CHECKING:
    from mjsim.cli.choices import Format, Lang

_NOT_THERE: Final = "–"

_LABELS: Final = {
    "key": ("key", "键"),
    "value": ("value", "值"),
    "extends": ("extends", "依据"),
    "hand": ("hand", "牌型"),
    "event": ("event", "事件"),
    "payer": ("who pays", "谁付"),
    "line": ("what happens", "情形"),
    "self_draw": ("self-draw: each pays", "自摸：每家付"),
    "self_draw_concealed": ("self-draw, concealed", "自摸，门清"),
    "discard": ("discard: the discarder pays", "点炮：点炮者付"),
    "discard_concealed": ("discard, concealed", "点炮，门清"),
    "ordinary": ("ordinary", "基本胡"),
    "ordinary_concealed": ("ordinary, concealed", "基本胡，门清"),
    "special": ("one hand type", "一种牌型"),
    "special_concealed": ("one hand type, concealed", "一种牌型，门清"),
    "giver": ("the giver pays, × the value", "供牌者付（分值的倍数）"),
    "others": ("who else pays, × the value", "其余应付者付（分值的倍数）"),
    "hands": ("What hands pay, before events", "各牌型的分值（未计事件）"),
    "events": ("What wins with one event pay", "带一个事件时的分值"),
    "liability": (
        "Three-meld liability: who pays; on the giver's discard to a third seat he pays the maker",
        "吃三笔、封胡：谁付多少；供牌者点炮给第三家时付给收牌者",
    ),
    "same": ("No key differs.", "没有不同的键。"),
}


def print_list(format: "Format") -> None:
    """Print the built-in rulesets and the variants with their titles."""
    rows = []
    for name in (*builtin_names(), *variant_names()):
        title = load_rules(name).title
        rows.append((name, extended_name(name), title.en, title.zh))
    print_rows(("name", "extends", "en", "zh"), ("name", "extends", "title", "名称"), rows, format)


def check(files: list[str]) -> int:
    """Check rulesets; returns the exit status."""
    status = 0
    for file in files:
        try:
            rules = load_rules(file)
        except RulesError as error:
            status = 1
            say("error: " + str(error).replace("\n", "\n       "))
        else:
            print(f"{file}: {rules.name} is in order ({rules.title.en}, {rules.title.zh})")
    return status


def print_schema() -> None:
    """Print the JSON Schema of ruleset files."""
    print(json.dumps(file_schema(), ensure_ascii=False, indent=1))


def print_differences(first: str, second: str, settings: list[str] | None, format: "Format", lang: "Lang") -> None:
    """Print the keys in which two rulesets differ; ``--set`` changes the second."""
    one, other = load_rules(first), load_rules(second, **parse_settings(settings or []))
    found = differences(one, other)
    if not found and format in ("table", "md"):
        print(_label("same", lang))
        return
    keys = ("key", "first", "second", *(("en", "zh") if lang == "en" else ("zh", "en")))
    headings = (_label("key", lang), *_two_names(one, other, settings), *_meaning_headings(lang))
    plain = (lambda value: value) if format == "json" else inline
    rows = [(each.path, plain(each.first), plain(each.second), *_ordered(each.words, lang)) for each in found]
    print_rows(keys, headings, rows, format)


def _two_names(one: Ruleset, other: Ruleset, settings: list[str] | None) -> tuple[str, str]:
    """Call two rulesets by their names, and by what tells them apart where these are the same."""
    if one.name != other.name:
        return one.name, other.name
    if one.source != other.source:
        return one.source, other.source
    return one.name, " ".join([other.name, *(settings or [])])


def print_ruleset(name: str, settings: list[str] | None, format: "Format", lang: "Lang") -> None:
    """Print a ruleset as a page with every number, in both languages; ``lang`` says which comes first."""
    rules = load_rules(name, **parse_settings(settings or []))
    match format:
        case "json":
            print(json.dumps(_page_data(rules, extended_name(name)), ensure_ascii=False, indent=1))
        case "csv":
            csv.writer(sys.stdout, lineterminator="\n").writerows(_page_rows(rules))
        case _:
            _print_page(rules, extended_name(name), format, lang)


def _print_page(rules: Ruleset, extends: str | None, format: "Format", lang: "Lang") -> None:
    heading = rules.ruleset
    _print_heading(_both((heading.title.en, heading.title.zh), lang), format, level=1)
    print(f"{rules.name}" + (f" ({_label('extends', lang)}: {extends})" if extends else ""), end="\n\n")
    for line in _ordered((heading.about.en, heading.about.zh), lang):
        print(line, end="\n\n" if format == "md" else "\n")
    for group, keys in groups(rules).items():
        _print_heading(f"[{group}] " + _both(meaning((group,)), lang), format)
        rows = [(key.path.partition(".")[2], key.written, *_ordered(key.words, lang)) for key in keys]
        print_rows((), (_label("key", lang), _label("value", lang), *_meaning_headings(lang)), rows, format)
    _print_prices(rules, format, lang)


def _print_prices(rules: Ruleset, format: "Format", lang: "Lang") -> None:
    _print_heading(_both(_LABELS["hands"], lang), format)
    keys = ["self_draw", "self_draw_concealed", "discard", "discard_concealed"]
    rows = [(_both(hand_words(line), lang), *_cells(line, keys)) for line in hand_prices(rules)]
    print_rows((), _labels(["hand", *keys], lang), rows, format)
    events = event_prices(rules)
    if events:
        _print_heading(_both(_LABELS["events"], lang), format)
        keys = ["ordinary", "ordinary_concealed", "special", "special_concealed"]
        rows = [
            (_both(event_words(line), lang), _both(PAYERS[line.payer], lang), *_cells(line, keys)) for line in events
        ]
        print_rows((), _labels(["event", "payer", *keys], lang), rows, format)
    lines = liability_lines(rules)
    if lines:
        _print_heading(_both(_LABELS["liability"], lang), format)
        keys = ["giver", "others"]
        rows = [(_both(liability_words(line), lang), *_cells(line, keys)) for line in lines]
        print_rows((), _labels(["line", *keys], lang), rows, format)


def _page_data(rules: Ruleset, extends: str | None) -> dict[str, Any]:
    """Everything on the page as plain values."""
    heading = rules.ruleset
    return {
        "name": rules.name,
        "extends": extends,
        "title": {"en": heading.title.en, "zh": heading.title.zh},
        "about": {"en": heading.about.en, "zh": heading.about.zh},
        "keys": [
            {"key": key.path, "value": key.value, "en": key.words[0], "zh": key.words[1]}
            for keys in groups(rules).values()
            for key in keys
            if key.value is not None
        ],
        "hands": [asdict(line) | _named(hand_words(line)) for line in hand_prices(rules)],
        "events": [asdict(line) | _named(event_words(line)) for line in event_prices(rules)],
        "liability": [asdict(line) | _named(liability_words(line)) for line in liability_lines(rules)],
    }


def _page_rows(rules: Ruleset) -> list[tuple[Any, ...]]:
    """Everything on the page as rows of one table; a price's key is its line and its column."""
    data = _page_data(rules, None)
    rows: list[tuple[Any, ...]] = [("table", "key", "value", "en", "zh")]
    rows += [("keys", key["key"], _csv_value(key["value"]), key["en"], key["zh"]) for key in data["keys"]]
    columns = {
        "hands": ("self_draw", "self_draw_concealed", "discard", "discard_concealed"),
        "events": ("payer", "ordinary", "ordinary_concealed", "special", "special_concealed"),
        "liability": ("giver", "others"),
    }
    for table, names in columns.items():
        rows += [
            (table, f"{line['en']}: {name}", line[name], line["en"], line["zh"])
            for line in data[table]
            for name in names
            if line[name] is not None
        ]
    return rows


def _csv_value(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _named(words: Words) -> dict[str, str]:
    return {"en": words[0], "zh": words[1]}


def _cells(line: object, keys: Sequence[str]) -> list[Any]:
    return [_NOT_THERE if getattr(line, key) is None else getattr(line, key) for key in keys]


def _ordered(words: Words, lang: "Lang") -> Words:
    """Both languages, the reader's own first."""
    return words if lang == "en" else (words[1], words[0])


def _both(words: Words, lang: "Lang") -> str:
    return " · ".join(word.rstrip(".。") for word in _ordered(words, lang))


def _label(key: str, lang: "Lang") -> str:
    return _ordered(_LABELS[key], lang)[0]


def _labels(keys: Sequence[str], lang: "Lang") -> list[str]:
    return [_label(key, lang) for key in keys]


def _meaning_headings(lang: "Lang") -> Words:
    return _ordered(("meaning", "含义"), lang)


def _print_heading(text: str, format: "Format", level: int = 2) -> None:
    """Print a heading with an empty line before it, unless it is the first."""
    if level > 1:
        print()
    print(f"{'#' * level} {text}\n" if format == "md" else text)
