"""Pages of docs/ that must say what the code does. ``MJSIM_UPDATE_GOLDEN=1`` writes the generated one anew."""

import itertools
import json
import os
import re
import tomllib
from pathlib import Path

import mjsim
from mjsim.dataset.columns import COLUMNS, PAIRS, Column
from mjsim.hands.types import TYPES

DOCS = Path(__file__).resolve().parent.parent / "docs"
UPDATE = os.environ.get("MJSIM_UPDATE_GOLDEN") == "1"

COLUMNS_PAGE = """\
# Columns

One row per deal. A seat suffix `_0` … `_3` is the physical seat; no tile or seat is −1; tile kinds are 0–8 for 1m–9m,
9–17 for 1p–9p, 18–26 for 1s–9s, 27–33 for 1z–7z. In memory a column is a NumPy array of the type given; an enumerated
one holds indices into its texts and becomes an enum in Parquet and polars and a categorical in pandas.

The two tables are made from the registry `mjsim.dataset.columns` by `tests/test_pages.py`. A run folder is described
in [faults.md](faults.md#what-a-run-folder-holds-at-any-moment); [counts](#counts-in-place-of-deals) can replace them.

| columns | type | meaning |
| --- | --- | --- |
{columns}

## Hand types and events

Bits of `types_s`, bit 0 being the lowest.

| bit | name | Chinese |
| --- | --- | --- |
{types}
"""

#: Where the part of that page begins that is not made here.
BY_HAND = "\n## Counts in place of deals\n"


def columns_page() -> str:
    """The text of ``docs/columns.md`` down to where it is written by hand."""
    groups = [list(group) for _, group in itertools.groupby(COLUMNS, key=lambda column: column.field)]
    types = [f"| {bit} | `{english}` | {chinese} |" for bit, (english, chinese) in enumerate(TYPES)]
    return COLUMNS_PAGE.format(columns="\n".join(map(columns_line, groups)), types="\n".join(types))


def columns_line(group: list[Column]) -> str:
    """One line for columns of one field."""
    first = group[0]
    if len(group) in (1, len(PAIRS)):
        names = ", ".join(f"`{column.name}`" for column in group)
    else:
        names = f"`{first.name}` … `{group[-1].name}`"
    kind = first.dtype.name + (" enum: " + ", ".join(f"`{label}`" for label in first.labels) if first.labels else "")
    return f"| {names} | {kind} | {first.meaning.replace('|', '/')} |"


def block(page: str, language: str) -> str:
    """The last block of code in a language on a page."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    return found[-1]


def test_columns_page() -> None:
    page = DOCS / "columns.md"
    made, heading, written = page.read_text(encoding="utf-8").partition(BY_HAND)
    if UPDATE:
        page.write_text(columns_page() + heading + written, encoding="utf-8")
        made = columns_page()
    assert made == columns_page()
    assert written


def test_the_example_about_counts_holds() -> None:
    exec(compile(block("columns.md", "python"), "columns.md", "exec"), {"__name__": "example"})


def test_every_column_is_on_the_page() -> None:
    listed = re.findall(r"^\| (`.*?) \|", columns_page(), re.MULTILINE)
    endings = [name for names in listed for name in re.findall(r"`(\w+)`", names)]
    assert set(endings) <= {column.name for column in COLUMNS}
    assert {re.sub(r"_\d+$", "", column.name) for column in COLUMNS} == {re.sub(r"_\d+$", "", name) for name in endings}


def test_replay_page_shows_a_real_deal() -> None:
    lines = [json.loads(line) for line in block("replay.md", "json").splitlines()]
    start = lines[0]
    assert (
        lines == mjsim.replay(start["rules"], seed=start["seed"], deal=start["deal"], players=start["players"]).events
    )


def test_score_case_page_shows_a_real_answer() -> None:
    (case,) = tomllib.loads(block("score_case.md", "toml"))["case"]
    answer = mjsim.score(case)
    assert answer == json.loads(block("score_case.md", "json"))
    assert (answer["hand"], answer["net"]) == (case["expect"]["hand"], case["expect"]["net"])
    incomplete = {key: value for key, value in case.items() if key != "from"}
    assert f"`{mjsim.score(incomplete)['error']}`" in (DOCS / "score_case.md").read_text(encoding="utf-8")


def test_rules_page_names_every_type_and_event() -> None:
    page = (DOCS / "rules.md").read_text(encoding="utf-8")
    for english, _ in TYPES:
        assert (english if not english.startswith("quads_") else "quads") in page
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Names",
        "## 0. Common to all",
        "## A. `liuzhou`",
        "## B. What both Nanning systems share",
        "## C. One shape for all rules",
        "## D. The fine print",
    ]
