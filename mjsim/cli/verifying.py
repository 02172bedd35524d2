"""``mjsim verify``: what was checked of a run."""

from typing import TYPE_CHECKING, Final

from mjsim.cli.output import print_rows
from mjsim.cli.progress import deal_progress
from mjsim.cli.results import kept_of, require_analysis
from mjsim.dataset.identities import CHECKS
from mjsim.dataset.run import open_run, read_manifest
from mjsim.dataset.storage import Storage, storage_at
from mjsim.dataset.verify import Checked, verify
from mjsim.errors import RunError
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
    "counts": ("checksum and form of the counts", "统计文件的校验与格式"),
    "sums": ("sums of the counts: points, winners, flows, fish, deals", "统计总和：得分、胡家、往来、鱼、局数"),
    "file": ("file", "文件"),
    "deals": ("deals", "局"),
    "shards": ("shards", "分片"),
    "rows": ("rows", "行"),
    "head": ("{folder}: {deals} deals, {status}: nothing is wrong", "{folder}：{deals} 局，{status}：无误"),
    "complete": ("complete", "完整"),
    "interrupted": ("interrupted", "中断"),
}  # fmt: skip


#: Key, words, how much was checked, and of what.
_Line = tuple[str, tuple[str, str], int, str]


def print_checked(folder: str, threads: int | None, format: "Format", lang: "Lang") -> None:
    """Verify a run and print what was checked."""
    check_threads(threads, 1)
    storage = storage_at(folder)
    manifest = read_manifest(storage)
    with deal_progress(manifest.deals) as report:
        if manifest.keeps == "counts":
            lines = _refuse_wrong_counts(storage)
        else:
            lines = _lines(verify(storage, threads=threads, progress=report))
    if format in ("json", "csv"):
        keys = ("check", "checked", "unit", "en", "zh")
        print_rows(keys, keys, [(key, much, unit, *words) for key, words, much, unit in lines], format)
        return
    number = ("en", "zh").index(lang)
    heading = _WORDS["head"][number].format(
        folder=storage, deals=f"{manifest.deals:,}", status=_WORDS[manifest.status][number]
    )
    print(f"## {heading}\n" if format == "md" else heading)
    headings = [_WORDS[key][number] for key in ("check", "checked", "unit")]
    rows = [(words[number], f"{much:,}", _WORDS[unit][number]) for _, words, much, unit in lines]
    print_rows((), headings, rows, format)


def _lines(checked: Checked) -> list[_Line]:
    """What was checked of a run's deals."""
    lines: list[_Line] = [
        ("manifest", _WORDS["manifest"], 1, "file"),
        ("checksums", _WORDS["checksums"], checked.shards, "shards"),
        ("columns", _WORDS["columns"], checked.shards, "shards"),
    ]
    return lines + [(each.key, each.words, checked.deals, "rows") for each in CHECKS]


def _refuse_wrong_counts(storage: Storage) -> list[_Line]:
    """Check a run that keeps counts in place of deals; what was checked."""
    require_analysis()
    from analysis.answers.summary import summary_of

    run = open_run(storage)
    summary = summary_of(kept_of(run).total().counts, run.manifest.model_dump())
    if not summary.sound:
        raise RunError(f"{storage}: {summary.warnings('en')[0]}")
    return [
        ("manifest", _WORDS["manifest"], 1, "file"),
        ("counts", _WORDS["counts"], 1, "file"),
        ("sums", _WORDS["sums"], summary.deals, "deals"),
    ]
