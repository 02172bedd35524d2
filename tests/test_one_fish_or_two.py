"""The page "Is one fish better than two?": what its blocks print is what stands below them.

``MJSIM_UPDATE_GOLDEN=1`` writes the printed texts anew.
"""

import contextlib
import io
import os
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "one_fish_or_two.md"
UPDATE = os.environ.get("MJSIM_UPDATE_GOLDEN") == "1"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def test_the_page_prints_what_it_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "page"}
    printed = []
    for code, _ in BLOCK.findall(text):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, PAGE.name, "exec"), names)
        printed.append(out.getvalue())
    if UPDATE:
        fresh = iter(printed)
        text = BLOCK.sub(lambda found: f"```python\n{found[1]}```\n" + _shown(next(fresh)), text)
        PAGE.write_text(text, encoding="utf-8")
    assert [shown for _, shown in BLOCK.findall(text)] == printed


def test_both_libraries_print_the_same() -> None:
    shown = [block for _, block in BLOCK.findall(PAGE.read_text(encoding="utf-8"))]
    assert shown.count(shown[1]) == 2
    assert shown[1]


def _shown(printed: str) -> str:
    return f"\n```text\n{printed}```\n" if printed else ""
