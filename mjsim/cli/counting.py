"""Counting deals as they are played: for a summary, or into a run folder that keeps counts in place of deals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from mjsim.cli.playing import KERNEL, Order, interrupted, say_nothing_was_finished
from mjsim.cli.progress import announce_compiling, deal_progress, say, typed_command
from mjsim.cli.results import require_analysis
from mjsim.dataset.frames import Columns
from mjsim.dataset.run import SHARD_DEALS
from mjsim.dataset.storage import storage_at
from mjsim.dataset.writer import RunWriter, refuse_existing
from mjsim.elsewhere import Crew, Orders, Workers
from mjsim.engine import Engine
from mjsim.ranges import Progress, session_ranges, work_on_pieces
from mjsim.simulation import manifest_of
from mjsim.workers import Interrupts

if TYPE_CHECKING:
    from analysis.answers.summary import Summary
    from analysis.counts.stored import Kept, Part
    from mjsim.dataset.run import Manifest

#: Deals played between two times that the counts are saved: what a killed run loses at most.
_DEALS_A_SAVE: Final = 8 * SHARD_DEALS

#: Counts of pieces that wait to be added up together, as adding takes as long for many as for one: no more pieces, and
#: no more batches in all of them.
_PIECES_WAITING: Final = 16
_BATCHES_WAITING: Final = 1024


def counted(columns: Columns, session_length: int, with_kinds: bool, level: int = 0) -> "Part":
    """What some deals come to, at least one; in batches of at least 2^level sessions."""
    from analysis.counts.counting import count_chunk
    from analysis.counts.stored import Part

    found = count_chunk(columns, session_length, level)
    if not with_kinds:
        return Part(found)
    from analysis.fish.kinds import count_kinds

    return Part(found, count_kinds(columns, level=level))


class Counts:
    """What deals come to that are played one after the other and not kept.

    Parameters
    ----------
    session_length : int
        Deals in a session.
    with_kinds : bool
        Whether fish are counted by the kind of their tile too.
    whole : Part, optional
        What sessions before these came to.
    """

    def __init__(self, session_length: int = 1, *, with_kinds: bool = False, whole: "Part | None" = None) -> None:
        self.deals = 0 if whole is None else whole.counts.deals
        self._session_length = session_length
        self._with_kinds = with_kinds
        self._whole = whole
        self._waiting: list[Part] = []
        self._rest: Part | None = None

    def count(self, columns: Columns) -> "Part":
        """What some deals come to; they are not added yet. May be called on several threads."""
        # All is added up in batches as long as those of the whole; shorter ones would only cost time.
        is_whole = (int(columns["deal"][-1]) + 1) % self._session_length == 0
        level = self._whole.counts.level if is_whole and self._whole is not None else 0
        return counted(columns, self._session_length, self._with_kinds, level)

    def add(self, part: "Part", *, is_whole: bool = True) -> None:
        """Add what deals that follow on these came to: whole sessions, or at the end some deals of one."""
        self.deals += part.counts.deals
        if not is_whole:
            self._rest = part
            return
        self._waiting.append(part)
        batches = sum(len(each.counts.batches) for each in self._waiting)
        if len(self._waiting) >= _PIECES_WAITING or batches >= _BATCHES_WAITING:
            self._add_up()

    def kept(self) -> "Kept":
        """All that was counted."""
        from analysis.counts.stored import Kept

        self._add_up()
        return Kept(self._whole, self._rest)

    def summary(self, manifest: "Manifest") -> "Summary":
        """The summary of all deals counted; there must be some."""
        from analysis.answers.summary import summary_of

        return summary_of(self.kept().total().counts, manifest.model_dump())

    def _add_up(self) -> None:
        """Add to the whole what waits for it."""
        from analysis.counts.stored import Part

        parts = self._waiting if self._whole is None else [self._whole, *self._waiting]
        if self._waiting:
            self._whole, self._waiting = Part.merged(parts), []


def write_counts(
    order: Order, folder: str, interrupts: Interrupts, *, resume: bool = False, workers: Workers | None = None
) -> int:
    """Play deals and keep in a run folder what they come to; returns the exit status."""
    require_analysis()
    storage = storage_at(folder)
    if not resume:
        refuse_existing(storage)
    if workers is None:
        announce_compiling(KERNEL)
    command = typed_command()
    asked = manifest_of(order.plan, order.first, 0, True, command, []).model_copy(update={"keeps": "counts"})
    with RunWriter(storage, asked, resume=resume, interrupts=interrupts) as writer:
        counts = _begun(order, writer)
        if writer.deals < order.deals:
            count_on(order, counts, interrupts, workers, writer)
        deals = writer.deals
        if not deals:
            return say_nothing_was_finished()
        writer.finish("complete" if deals == order.deals else "interrupted")
        size = 0.0 if writer.counts is None else writer.counts.bytes / 1e6
    print(
        f"{storage}: counts of {deals:,} deals of {order.plan.rules.name}, seed {order.plan.seed}, {size:,.1f} MB",
        flush=True,
    )
    if deals == order.deals:
        return 0
    say(f"interrupted: {deals:,} of {order.deals:,} deals were finished; their counts are kept in {storage}")
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
        data = read_counts(writer.storage, writer.counts)
        kept = Kept.from_json(data, writer.storage.shown(writer.counts.file))
        if kept.deals > order.deals:
            raise RunError(
                f"{writer.storage}: counts {kept.deals:,} deals; ask for at least as many --deals as there are"
            )
        if kept.deals == order.deals:
            say(f"{writer.storage}: all {order.deals:,} deals are there already; nothing to do")
        else:
            say(f"{writer.storage}: {kept.deals:,} of {order.deals:,} deals are there already")
        whole = kept.whole
    return Counts(order.plan.session, with_kinds=order.plan.rules.fishing.enabled, whole=whole)


def count_on(
    order: Order,
    counts: Counts,
    interrupts: Interrupts,
    workers: Workers | None = None,
    writer: RunWriter | None = None,
) -> None:
    """Play and count the deals that are not counted yet; with a writer, save the counts now and then and at the end."""
    saved = counts.deals
    with deal_progress(order.deals) as report:
        for _ in (
            _count_here(order, counts, interrupts, report)
            if workers is None
            else _count_elsewhere(order, counts, interrupts, workers, report)
        ):
            if writer is not None and counts.deals - saved >= _DEALS_A_SAVE:
                _save(counts, writer)
                saved = counts.deals
    if writer is not None and counts.deals > saved:
        _save(counts, writer)


def _count_here(order: Order, counts: Counts, interrupts: Interrupts, report: Progress) -> Iterator[None]:
    """Play and count piece by piece on this process's threads."""
    done = counts.deals
    begin = order.first + done
    pieces = work_on_pieces(
        Engine(order.plan),
        begin,
        order.deals - done,
        interrupts,
        counts.count,
        threads=order.threads,
        progress=lambda number: report(done + number),
    )
    for size, part in pieces:
        begin += size
        counts.add(part, is_whole=begin % order.plan.session == 0)
        yield


def _count_elsewhere(
    order: Order, counts: Counts, interrupts: Interrupts, workers: Workers, report: Progress
) -> Iterator[None]:
    """Let workers play and count; what they return is added in the order of the deals."""
    orders = Orders.of(order.plan, workers.threads)
    begin = order.first + counts.deals
    tasks = session_ranges(begin, order.first + order.deals - begin, order.plan.session, SHARD_DEALS)
    crew = Crew["tuple[int, int]", "Part"](workers, interrupts)
    arrived: dict[int, tuple[int, Part]] = {}
    for (start, size), part in crew.results(
        tasks, count_range, lambda task: (orders, *task, order.plan.rules.fishing.enabled)
    ):
        arrived[start] = size, part
        while begin in arrived:
            following, next_part = arrived.pop(begin)
            begin += following
            counts.add(next_part, is_whole=begin % order.plan.session == 0)
            report(counts.deals)
            yield


def count_range(orders: Orders, first: int, deals: int, with_kinds: bool) -> "Part":
    """A task: play deals and return what they come to."""
    counts = Counts(orders.plan.session, with_kinds=with_kinds)
    for _, part in orders.work_on_pieces(first, deals, counts.count):
        counts.add(part)
    return counts.kept().total()


def _save(counts: Counts, writer: RunWriter) -> None:
    kept = counts.kept()
    writer.add_counts(kept.to_json(), kept.deals)
