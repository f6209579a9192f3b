"""Who evaluates what, from when to when: a row for each worker of each run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pictures.chart import batches
from ucbpe_app.pictures.picture import Axis, Kind, Label, Picture, Plot, PlotKind, mark
from ucbpe_app.run.sentences.reasons import look_of
from ucbpe_app.run.sentences.texts import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pictures.picture import Mark
    from ucbpe_core import Trace
    from ucbpe_core.history.workers import Timetable

WORKERS = Kind(
    "workers",
    MappingProxyType(
        {
            "workers": PlotKind(
                name="Workers",
                roles=("done_job", "done_explorer", "running_job", "guide"),
                height=132,
                borders=(56, 12, 8, 26),
                y_ticks=0,
                grid=False,
            )
        }
    ),
)
_HALF = 0.38  # the height of a bar, of 1 from worker to worker, is twice this
_GAP = 0.6  # between runs


@dataclass(frozen=True, eq=False)
class Job:
    """The workers of one run: its name, its timetable, and which picks explore, (N,)."""

    name: str
    timetable: Timetable
    explores: tuple[bool, ...]

    @classmethod
    def of(cls, name: str, trace: Trace) -> Job:
        """Those of a trace."""
        roles = [role for made in trace.decisions for role in made.roles]
        return cls(name, trace.timetable, tuple(look_of(role) == "pe" for role in roles))


def over_time(end: float, scale: float = 1.0) -> Axis:
    """The axis of time from 0, in mean durations; `scale` is how much one of them is on it."""
    ticks = batches(max(int(end), 1), "0").ticks
    return Axis(0.0, 1.02 * end * scale, tuple((at * scale, text) for at, text in ticks))


def workers(jobs: Sequence[Job], now: float, end: float) -> Picture:
    """A bar for each pick that is made by `now`: of running ones as far as they are.

    Parameters
    ----------
    jobs : of each run, from the top down
    now, end : the time on screen, and that at which the last run ends
    """
    counts = [int(job.timetable.worker.max()) + 1 for job in jobs]
    tops = list(accumulate(counts[:-1], lambda above, n: above + n + _GAP, initial=0.0))
    marks = [_bars(role, jobs, tops, now) for role in ("done_job", "done_explorer", "running_job")]
    depth = tops[-1] + counts[-1]
    marks.append(mark("guide", x=[now, now], y=[-depth, 0.0]))
    middles = [-(top + n / 2) for top, n in zip(tops, counts, strict=True)]
    named = [Label(job.name, "", end, at, "tip") for job, at in zip(jobs, middles, strict=True)]
    plot = Plot(over_time(end), Axis(-depth, 0.0, ()), tuple(marks), tuple(named))
    return Picture(WORKERS, MappingProxyType({WORKERS.name: plot}), _sentence(jobs, now))


def _bars(role: str, jobs: Sequence[Job], tops: Sequence[float], now: float) -> Mark:
    """The bars of a role: of picks that are done, those that explore apart, or that are running."""
    rows: list[tuple[float, float, float]] = []
    for job, top in zip(jobs, tops, strict=True):
        table = job.timetable
        done = table.end <= now
        explores = np.array(job.explores)
        chosen = {
            "done_job": done & ~explores,
            "done_explorer": done & explores,
            "running_job": ~done & (table.start < now),
        }[role]
        middle = -(top + 0.5 + table.worker[chosen])
        ends = np.minimum(table.end[chosen], now)
        rows += zip(table.start[chosen].tolist(), ends.tolist(), middle.tolist(), strict=True)
    left, right, middles = np.array(rows, dtype=float).reshape(-1, 3).T
    return mark(role, left=left, right=right, bottom=middles - _HALF, top=middles + _HALF)


def _sentence(jobs: Sequence[Job], now: float) -> str:
    """The same in words."""
    parts = []
    for job in jobs:
        table = job.timetable
        done = int((table.end <= now).sum())
        running = int(((table.start < now) & (table.end > now)).sum())
        idle = int(table.worker.max()) + 1 - running
        parts.append(f"{job.name}: {done} done, {running} running, {idle} workers free")
    return f"At time {number(now)}. {'; '.join(parts)}."
