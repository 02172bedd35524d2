"""Counting deals as they are played: for a summary, or into a run folder that keeps counts in place of deals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from mjsim.cli.playing import KERNEL, Order, interrupted, say_nothing_was_finished
from mjsim.cli.progress import announce_compiling, deal_progress, say, typed_command
from mjsim.cli.results import require_analysis
from mjsim.dataset.frames import Columns, to_polars
from mjsim.dataset.run import SHARD_DEALS
from mjsim.dataset.storage import storage_at
from mjsim.dataset.writer import RunWriter, refuse_existing
from mjsim.elsewhere import Crew, Orders, Workers
from mjsim.engine import Engine
from mjsim.ranges import Progress, chunk_starts
from mjsim.simulation import manifest_of, play_shards
from mjsim.workers import Interrupts, undisturbed

if TYPE_CHECKING:
    import polars as pl

    from analysis.answers.summary import Summary
    from analysis.counts.stored import Kept, Part
    from mjsim.dataset.run import Manifest

#: Shards played between two times that the counts are saved: what a killed run loses at most.
_SHARDS_A_SAVE: Final = 8


def counted(frame: "pl.DataFrame", session_length: int, with_kinds: bool) -> "Part":
    """What some deals come to."""
    from analysis.counts.counting import aggregate
    from analysis.counts.stored import Part

    if not with_kinds:
        return Part(aggregate(frame, session_length))
    from analysis.fish.kinds import by_kind

    return Part(aggregate(frame, session_length), by_kind(frame))


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
        self._rest: Part | None = None

    @property
    def deals(self) -> int:
        """How many deals were counted."""
        parts = [part.counts.deals for part in (self._whole, self._rest) if part is not None]
        return sum(parts) + (0 if self._last_session is None else len(self._last_session))

    def add_counted(self, part: "Part", *, is_whole: bool) -> None:
        """Add what deals that follow on these came to: whole sessions, or at the end some deals of one."""
        if not is_whole:
            self._rest = part
        else:
            self._whole = self._whole_with(part)

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
        return self._whole_with(self._counted(frame)), last

    def kept(self) -> "Kept":
        """All that was counted."""
        from analysis.counts.stored import Kept

        if self._rest is not None:
            return Kept(self._whole, self._rest)
        rest = self._last_session
        if rest is not None and len(rest) and (int(rest["deal"][-1]) + 1) % self._session_length == 0:
            return Kept(self._whole_with(self._counted(rest)))
        return Kept(self._whole, None if rest is None else self._counted(rest))

    def summary(self, manifest: "Manifest") -> "Summary":
        """The summary of all deals counted; there must be some."""
        from analysis.answers.summary import summary_of

        return summary_of(self.kept().total().counts, manifest.model_dump())

    def _whole_with(self, part: "Part") -> "Part":
        return part if self._whole is None else self._whole + part

    def _counted(self, frame: "pl.DataFrame") -> "Part":
        return counted(frame, self._session_length, self._with_kinds)


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
        for number, _ in enumerate(
            _count_here(order, counts, interrupts, report)
            if workers is None
            else _count_elsewhere(order, counts, interrupts, workers, report),
            start=1,
        ):
            if writer is not None and number % _SHARDS_A_SAVE == 0:
                _save(counts, writer)
                saved = counts.deals
    if writer is not None and counts.deals > saved:
        _save(counts, writer)


def _count_here(order: Order, counts: Counts, interrupts: Interrupts, report: Progress) -> Iterator[None]:
    """Play and count shard by shard on this process's threads."""
    done = counts.deals
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
        yield


def _count_elsewhere(
    order: Order, counts: Counts, interrupts: Interrupts, workers: Workers, report: Progress
) -> Iterator[None]:
    """Let workers play and count; what they return is added in the order of the deals."""
    orders = Orders.of(order.plan, workers.threads)
    begin = order.first + counts.deals
    tasks = _session_ranges(begin, order.first + order.deals - begin, order.plan.session)
    crew = Crew["tuple[int, int]", "Part"](workers, interrupts)
    arrived: dict[int, tuple[int, Part]] = {}
    for (start, size), part in crew.results(
        tasks, count_range, lambda task: (orders, *task, order.plan.rules.fishing.enabled)
    ):
        arrived[start] = size, part
        while begin in arrived:
            following, next_part = arrived.pop(begin)
            begin += following
            counts.add_counted(next_part, is_whole=begin % order.plan.session == 0)
            report(counts.deals)
            yield


def _session_ranges(first: int, deals: int, session: int) -> Iterator[tuple[int, int]]:
    """First deal and size of ranges of whole sessions, of about a shard each; a part of one comes last, by itself.

    >>> list(_session_ranges(0, 2_000_003, 1000))
    [(0, 1048000), (1048000, 952000), (2000000, 3)]
    """
    whole = max((first + deals) // session * session - first, 0)
    yield from chunk_starts(first, whole, session, SHARD_DEALS)
    if whole < deals:
        yield first + whole, deals - whole


def count_range(orders: Orders, first: int, deals: int, with_kinds: bool) -> "Part":
    """A task: play deals and return what they come to."""
    return counted(to_polars(orders.play(first, deals), consume=True), orders.plan.session, with_kinds)


def _save(counts: Counts, writer: RunWriter) -> None:
    kept = undisturbed(counts.kept)
    writer.add_counts(kept.to_json(), kept.deals)
