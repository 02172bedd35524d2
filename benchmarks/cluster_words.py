"""The words of docs/cluster_limits.md that stand whatever the numbers are, and how these are written."""

import math

from benchmarks.page import number

INTRODUCTION = """# What 10^12 deals would take

Nobody has played them here. This page works out what they need of workers, hours and bytes, and what would break first,
on [a cluster](cluster.md) of processors like the one measured. `python -m benchmarks.page` wrote it from
`{source}`, which the part `cluster` of `make bench` measured on {date}
with version {version}.

{machine}.

{answer}
"""

MEASURED = """## What was measured

`fast` in Liuzhou with seed 1, by whole commands of two threads and of two Dask workers of one thread each on the same
machine; the scheduler and the process that gives out the tasks run there too. Where deals are kept, `--out` writes
Parquet; counts are `--aggregate --session {session}`. Threads and workers wrote the same files, byte for byte, or there
would be no page. Rates are without the start of a command, which is that of the same one with {few:,} deals; the first
on new workers may take longer, as they load the engine, which is compiled already.
"""

HOURS = """## Workers and hours

A worker is one thread there: {deals_rate} deals a second where deals are kept, {counts_rate} where counts are.
10^12 deals are {shards:,} tasks of 2^20, which would take one worker {deals_years} or {counts_years}.

The share of their time that many workers play comes from a simulation of one coordinator that serves {deals_service}
or {counts_service} tasks a second, in order, to workers that have one task waiting beside the one they play
(`benchmarks/cluster_model.py`; tests hold it against the closed forms of queueing theory). For a task the coordinator
takes what the busier of two processes takes, Dask's scheduler or the one that gives out tasks and takes what comes
back. What Dask does was measured as processor time, with tasks that do nothing and answer as many bytes, with {crowds};
the dearer counts. Network and storage are not in the simulation; [below](#what-breaks-first) they are.
"""

FIGURE = """![The share of their time that workers play, over their number](cluster_limits.svg)

Dots are simulated; no order of events can exceed the lines.
"""

BYTES = """## Bytes

Orders and answers pass between coordinator and workers; deals do not, as workers write them.
"""

BREAKS = """## What breaks first

As workers are added, each line is met at its number of workers; more get nothing more done there.
"""

BREAKS_DEALS = """As deals are added, whatever the number of workers, these are met, {short} of them before 10^12:
"""

DEATHS = """## When workers die

A dead worker's tasks are played again by others, from their beginning; one takes {task:.0f} s where deals are kept. How
long workers live is assumed, and {absence:.0f} s until another is in a dead one's place; the rest is in closed form.
Dask gives up a task on which more than {failures} workers have died, and that would end the run, which `--resume` goes
on with; a worker has two tasks at a time.
"""

COORDINATOR = """The scheduler and the process that gives out tasks are one each. When either dies, the run stops,
and `--resume` goes on from what was recorded. Where deals are kept, the shards being played are lost; where counts are,
at most {saved} tasks that were not saved yet, and those played beyond a gap.
"""

AFTER = """## Checking, and going on

`mjsim verify` reads every row, on one machine; `--resume` compares the checksum of every shard before it plays, on the
machine that gives out tasks. Both take longer with more deals and not less with more workers.
"""

NOT_KNOWN = """## What these numbers do not know

* The machine. Two workers played {played:,} deals; no cluster of more than {crowd} was seen, and these did nothing, in
  one process. What Dask does with thousands of connections is not in the model.
* The network and the storage. Everything was on one machine; a link of 10 Gbit/s, where it is named, is an assumption.
* The player. `fast` is quick; a slower one makes tasks longer, and moves every limit on workers up in proportion.
* One measurement each of what takes long; another hour gives others by a few percent.
* Files in one folder: {files}.
"""


def hours(amount: float) -> str:
    """Hours, as days or years where they are many.

    >>> hours(0.5), hours(30), hours(100), hours(20_000)
    ('0.50 hours', '30.0 hours', '4.17 days', '2.28 years')
    """
    if amount < 72:
        return f"{number(amount)} hours"
    return f"{number(amount / 24)} days" if amount < 24 * 365 else f"{number(amount / 24 / 365.25)} years"


def size(amount: float) -> str:
    """Bytes in the unit they are told in.

    >>> size(292), size(56_938), size(34e12)
    ('292 bytes', '56.9 kB', '34.0 TB')
    """
    if amount < 1e3:
        return f"{amount:.0f} bytes"
    power = min(int(math.log10(amount) / 3), 5)
    return f"{number(amount / 1000**power)} {['x', 'kB', 'MB', 'GB', 'TB', 'PB'][power]}"


def count(amount: float) -> str:
    """A number of workers or deals.

    >>> count(965.3), count(4.29e9), count(math.inf)
    ('965', '4.3·10^9', 'none')
    """
    if math.isinf(amount):
        return "none"
    if amount < 1e7:
        return f"{amount:,.0f}"
    power = int(math.log10(amount))
    return f"{amount / 10**power:.1f}·10^{power}"


def percent(share: float) -> str:
    """A share in percent, with digits where it is small.

    >>> percent(0.987), percent(0.00012), percent(0.0)
    ('98.7 %', '0.012 %', '0.0 %')
    """
    return f"{100 * share:.1f} %" if share == 0 or share >= 0.01 else f"{100 * share:.2g} %"
