"""Counting deals as they are played: for a summary, or into a run folder that keeps counts in place of deals."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mjsim.cli.playing import KERNEL, Order, interrupted, say_nothing_was_finished
from mjsim.cli.progress import announce_compiling, deal_progress, say
from mjsim.cli.results import require_analysis
from mjsim.dataset.frames import Columns, to_polars
from mjsim.dataset.writer import RunWriter, refuse_existing
from mjsim.engine import Engine
from mjsim.simulation import manifest_of, play_shards
from mjsim.workers import Interrupts, undisturbed

if TYPE_CHECKING:
    import polars as pl

    from analysis.answers.summary import Summary
    from analysis.counts.stored import Kept, Part
    from mjsim.dataset.run import Manifest

#: Shards played between two times that the counts are saved: what a killed run loses at most.
_SHARDS_A_SAVE: Final = 8


class Counts:
    """What deals come to that are played shard by shard and not kept.

    Parameters
    ----------
    session_length : int
        Deals in a session. A session may go on in the next shard.
    with_kinds : bool
        Whether fish are counted by the kind of their tile too.
    whole : Part, optional
        What sessions before these came to.
    """

    def __init__(self, session_length: int = 1, *, with_kinds: bool = False, whole: "Part | None" = None) -> None:
        self._session_length = session_length
        self._with_kinds = with_kinds
        self._whole = whole
        self._last_session: pl.DataFrame | None = None

    @property
    def deals(self) -> int:
        """How many deals were counted."""
        counted = 0 if self._whole is None else self._whole.counts.deals
        return counted + (0 if self._last_session is None else len(self._last_session))

    def add(self, columns: Columns) -> None:
        """Count a shard."""
        self._whole, self._last_session = undisturbed(lambda: self._with(to_polars(columns)))

    def _with(self, frame: "pl.DataFrame") -> "tuple[Part | None, pl.DataFrame | None]":
        """What all whole sessions came to with some more deals, and the deals of the last session."""
        import polars as pl

        last = None
        if self._session_length > 1:
            held = frame if self._last_session is None else pl.concat([self._last_session, frame])
            is_last = pl.col("session") == held["session"][-1]
            frame, last = held.filter(~is_last), held.filter(is_last)
        if not len(frame):
            return self._whole, last
        part = self._counted(frame)
        return part if self._whole is None else self._whole + part, last

    def kept(self) -> "Kept":
        """All that was counted."""
        from analysis.counts.stored import Kept

        rest = self._last_session
        if rest is not None and len(rest) and (int(rest["deal"][-1]) + 1) % self._session_length == 0:
            part = self._counted(rest)
            return Kept(part if self._whole is None else self._whole + part)
        return Kept(self._whole, None if rest is None else self._counted(rest))

    def summary(self, manifest: "Manifest") -> "Summary":
        """The summary of all deals counted; there must be some."""
        from analysis.answers.summary import summary_of

        return summary_of(self.kept().total().counts, manifest.model_dump())

    def _counted(self, frame: "pl.DataFrame") -> "Part":
        from analysis.counts.counting import aggregate
        from analysis.counts.stored import Part

        if not self._with_kinds:
            return Part(aggregate(frame, self._session_length))
        from analysis.fish.kinds import by_kind

        return Part(aggregate(frame, self._session_length), by_kind(frame))


def write_counts(order: Order, folder: Path, interrupts: Interrupts, *, resume: bool = False) -> int:
    """Play deals and keep in a run folder what they come to; returns the exit status."""
    require_analysis()
    if not resume:
        refuse_existing(folder)
    announce_compiling(KERNEL)
    command = shlex.join(["mjsim", *sys.argv[1:]])
    asked = manifest_of(order.plan, order.first, 0, True, command, []).model_copy(update={"keeps": "counts"})
    with RunWriter(folder, asked, resume=resume, interrupts=interrupts) as writer:
        counts = _begun(order, writer)
        _play_on(order, counts, writer, interrupts)
        deals = writer.deals
        if not deals:
            return say_nothing_was_finished()
        writer.finish("complete" if deals == order.deals else "interrupted")
        size = 0.0 if writer.counts is None else writer.counts.bytes / 1e6
    print(
        f"{folder}: counts of {deals:,} deals of {order.plan.rules.name}, seed {order.plan.seed}, {size:,.1f} MB",
        flush=True,
    )
    if deals == order.deals:
        return 0
    say(f"interrupted: {deals:,} of {order.deals:,} deals were finished; their counts are kept in {folder}")
    return interrupted()


def _begun(order: Order, writer: RunWriter) -> Counts:
    """What was counted before, of whole sessions."""
    from analysis.counts.stored import Kept
    from mjsim.dataset.run import read_counts
    from mjsim.errors import RunError

    for fault in writer.damaged:
        say(f"{fault}; its deals are played again")
    whole = None
    if writer.counts is not None:
        file = writer.folder / writer.counts.file
        kept = Kept.from_json(read_counts(writer.folder, writer.counts), str(file))
        if kept.deals > order.deals:
            raise RunError(
                f"{writer.folder}: counts {kept.deals:,} deals; ask for at least as many --deals as there are"
            )
        if kept.deals == order.deals:
            say(f"{writer.folder}: all {order.deals:,} deals are there already; nothing to do")
        else:
            say(f"{writer.folder}: {kept.deals:,} of {order.deals:,} deals are there already")
        whole = kept.whole
    return Counts(order.plan.session, with_kinds=order.plan.rules.fishing.enabled, whole=whole)


def _play_on(order: Order, counts: Counts, writer: RunWriter, interrupts: Interrupts) -> None:
    """Play the deals that are not counted yet, and save the counts now and then and at the end."""
    if writer.deals == order.deals:
        return
    done = counts.deals
    shards = 0
    with deal_progress(order.deals) as report:
        played = play_shards(
            Engine(order.plan),
            order.first + done,
            order.deals - done,
            interrupts,
            threads=order.threads,
            progress=lambda number: report(done + number),
        )
        for _, columns in played:
            counts.add(columns)
            shards += 1
            if shards % _SHARDS_A_SAVE == 0:
                _save(counts, writer)
    if counts.deals > writer.deals:
        _save(counts, writer)


def _save(counts: Counts, writer: RunWriter) -> None:
    kept = undisturbed(counts.kept)
    writer.add_counts(kept.to_json(), kept.deals)
