"""``mjsim verify``: what was checked of a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mjsim.cli.output import print_rows
from mjsim.cli.progress import deal_progress
from mjsim.dataset.identities import CHECKS
from mjsim.dataset.run import read_manifest
from mjsim.dataset.verify import Checked, verify
from mjsim.workers import check_threads

if TYPE_CHECKING:
    from mjsim.cli.choices import Format, Lang

_WORDS: Final = {
    "check": ("what was checked", "检查项目"),
    "checked": ("how much", "数量"),
    "unit": ("of what", "单位"),
    "manifest": ("run.json: schema, version, own checksum, order of shards", "run.json：格式、版本、校验、分片次序"),
    "checksums": ("checksums of shards (SHA-256)", "分片校验和（SHA-256）"),
    "columns": ("columns, types and numbers of rows of shards", "分片的列、类型与行数"),
    "file": ("file", "文件"),
    "shards": ("shards", "分片"),
    "rows": ("rows", "行"),
    "head": ("{folder}: {deals} deals, {status}: nothing is wrong", "{folder}：{deals} 局，{status}：无误"),
    "complete": ("complete", "完整"),
    "interrupted": ("interrupted", "中断"),
}  # fmt: skip


def print_checked(folder: Path, threads: int | None, format: "Format", lang: "Lang") -> None:
    """Verify a run and print what was checked."""
    check_threads(threads, 1)
    with deal_progress(read_manifest(folder).deals) as report:
        checked = verify(folder, threads=threads, progress=report)
    if format in ("json", "csv"):
        keys = ("check", "checked", "unit", "en", "zh")
        print_rows(keys, keys, [(key, much, unit, *words) for key, words, much, unit in _lines(checked)], format)
        return
    number = ("en", "zh").index(lang)
    heading = _WORDS["head"][number].format(
        folder=folder, deals=f"{checked.deals:,}", status=_WORDS[checked.run.manifest.status][number]
    )
    print(f"## {heading}\n" if format == "md" else heading)
    headings = [_WORDS[key][number] for key in ("check", "checked", "unit")]
    rows = [(words[number], f"{much:,}", _WORDS[unit][number]) for _, words, much, unit in _lines(checked)]
    print_rows((), headings, rows, format)


def _lines(checked: Checked) -> list[tuple[str, tuple[str, str], int, str]]:
    """Key, words, how much was checked, and of what."""
    lines: list[tuple[str, Any, int, str]] = [
        ("manifest", _WORDS["manifest"], 1, "file"),
        ("checksums", _WORDS["checksums"], checked.shards, "shards"),
        ("columns", _WORDS["columns"], checked.shards, "shards"),
    ]
    return lines + [(each.key, each.words, checked.deals, "rows") for each in CHECKS]
