"""Several runs or policies in one chart: lines with a name at their end, or rows of workers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.pictures.chart import batches
from ucbpe_app.pictures.picture import Axis, Kind, Label, Picture, Plot, PlotKind, mark
from ucbpe_app.run.sentences.reasons import look_of
from ucbpe_app.run.sentences.texts import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_app.pictures.chart import Values
    from ucbpe_app.pictures.looks import PolicyLook
    from ucbpe_app.pictures.picture import Mark
    from ucbpe_core import Trace
    from ucbpe_core.history.workers import Timetable
    from ucbpe_core.support.validation import Floats


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
    """The bars of a role: of finished picks, exploring ones apart, or of running picks."""
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


COMPARED = Kind(
    "compared",
    MappingProxyType(
        {
            "compared": PlotKind(
                name="Regret",
                roles=("now", "whiskers", "lines", "marks"),
                height=360,
                borders=(56, 12, 12, 26),
            )
        }
    ),
)
_MOST_MARKS = 14  # on a line: more would hide it
_SIZE, _LAST = 7, 13  # px of a mark, and of that where the line ends
_FAINT, _FAINT_EDGE = 0.35, "59"  # of what fills a mark, and as the end of a colour


@dataclass(frozen=True, eq=False)
class Line:
    """One line and what is known of it.

    Attributes
    ----------
    name : what it is called
    look : that of its policy
    x, y : where it is known, shape (n,)
    steps : whether a value stays in force until the next one: it is drawn as steps
    until : how far the last value stays in force
    low, high : ends of the intervals of y, or none
    faint : further values, drawn as points and not joined, or none
    text : at its end
    strong : whether it stands out
    tips : texts for a pointer, one for each value
    rings : values of x at which the line has a ring
    """

    name: str
    look: PolicyLook
    x: Floats
    y: Floats
    steps: bool = False
    until: float | None = None
    low: Floats | None = None
    high: Floats | None = None
    faint: Floats | None = None
    text: str = ""
    strong: bool = False
    tips: tuple[str, ...] = ()
    rings: tuple[float, ...] = ()

    @property
    def path(self) -> tuple[Floats, Floats]:
        """The points to join."""
        if not self.steps or not len(self.x):
            return self.x, self.y
        end = self.x[-1] if self.until is None else self.until
        return np.append(np.repeat(self.x, 2)[1:], end), np.repeat(self.y, 2)

    def tip(self, value: float) -> str:
        """One of its values, for a pointer."""
        return f"{self.name}: {number(float(value))}"

    @property
    def marked(self) -> list[int]:
        """Some of its values, spread evenly, and the last of them."""
        n = len(self.x)
        every = ceil(n / _MOST_MARKS) or 1
        return [*range(every - 1, n - 1, every), *([n - 1] if n else [])]


def compared(
    lines: Sequence[Line],
    x: Axis,
    values: Values,
    y: Axis,
    text: str,
    *,
    now: tuple[float, float] | None = None,
) -> Picture:
    """A picture of lines, the first on top."""
    below = lines[::-1]
    drawn = [line.path for line in below]
    spans = [] if now is None else [now]
    marks = (
        mark("now", left=[start for start, _ in spans], right=[end for _, end in spans]),
        _whiskers(below, values, y.low),
        mark(
            "lines",
            xs=_ragged([across for across, _ in drawn]),
            ys=_ragged([values.place(upwards) for _, upwards in drawn]),
            color=[line.look.mark.color for line in below],
            dash=[line.look.mark.dash for line in below],
            width=[3.0 if line.strong else 2.0 for line in below],
        ),
        _marks(below, values),
    )
    plot = Plot(x, y, marks, tuple(_label(line, values) for line in lines if len(line.y)))
    return Picture(COMPARED, MappingProxyType({"compared": plot}), text)


def _label(line: Line, values: Values) -> Label:
    height = float(values.place(line.y[-1:])[0])
    end = line.x[-1] if line.until is None else line.until
    return Label(
        line.text, "lines", float(end), height, "tip", strong=line.strong, inks=line.look.inks
    )


def _whiskers(lines: Sequence[Line], values: Values, foot: float) -> Mark:
    """The intervals where there are marks; one that reaches 0 leaves an axis of decades."""
    x, bottom, top, color = list[float](), list[float](), list[float](), list[str]()
    for line in lines:
        if line.low is None or line.high is None or np.isnan(line.low).any():
            continue
        chosen = line.marked
        x += line.x[chosen].tolist()
        low = line.low[chosen]
        leaves = (low <= 0) & (values.decades is not None)
        bottom += np.where(leaves, foot - 1.0, values.place(low)).tolist()
        top += values.place(line.high[chosen]).tolist()
        color += [line.look.mark.color] * len(chosen)
    return mark("whiskers", x=x, bottom=bottom, top=top, color=color, alpha=[0.6] * len(x))


def _marks(lines: Sequence[Line], values: Values) -> Mark:
    """Marks on the lines, larger where these end; faint marks of further values, and rings."""
    rows: list[tuple[float, float, str, str, str, float, float, str]] = []
    for line in lines:
        look, mark_ = line.look, line.look.mark
        drawn, alpha = (mark_.marker, mark_.color, look.edge), float(look.filled)
        heights, chosen = values.place(line.y), line.marked
        faint = np.empty(0) if line.faint is None else line.faint
        pale = (mark_.marker, mark_.color, f"{mark_.color}{_FAINT_EDGE}")
        rows += [
            (float(x), y, *pale, _SIZE, _FAINT * alpha, line.tip(value))
            for x, y, value in zip(line.x, values.place(faint).tolist(), faint, strict=False)
        ]
        rows += [
            (
                float(line.x[i]), float(heights[i]), *drawn,
                _LAST if i == len(line.x) - 1 else _SIZE, alpha,
                line.tips[i] if line.tips else line.tip(line.y[i]),
            )
            for i in (chosen if line.faint is None else chosen[-1:])
        ]  # fmt: skip
        rows += [
            (x, float(np.interp(x, line.x, heights)), "circle", *drawn[1:], 16.0, 0.0, line.name)
            for x in line.rings
        ]
    names = ("x", "y", "marker", "fill", "line", "size", "alpha", "tip")
    columns: dict[str, Any] = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return mark("marks", **columns)


def _ragged(rows: Sequence[Floats]) -> np.ndarray:
    """A column whose entries are lines of any lengths."""
    column = np.empty(len(rows), dtype=object)
    column[:] = [tuple(row.tolist()) for row in rows] or None
    return column
