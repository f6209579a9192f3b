"""The chart of workers: bars of a timetable, and who is busy."""

from __future__ import annotations

import numpy as np

from ucbpe_app.pictures.compared import Job, over_time, workers
from ucbpe_core.history.workers import Timetable

TABLE = Timetable.of(np.array([2.0, 1.0, 3.0, 1.0]), 2)  # ends at 2, 1, 4 and 3
JOB = Job("UCB", TABLE, (False, True, False, True))


def bars(role: str, now: float, jobs: tuple[Job, ...] = (JOB,)) -> list[tuple[float, ...]]:
    """Of a role: from, to, and the middle."""
    (plot,) = workers(jobs, now, 4.0).plots.values()
    (found,) = (one.columns for one in plot.marks if one.role == role)
    middle = (found["bottom"] + found["top"]) / 2
    rows = np.stack([found["left"], found["right"], middle], axis=1)
    return [tuple(row) for row in rows.round(9).tolist()]


def test_bars_are_the_picks_made_by_now() -> None:
    """At 2.5 the first pick of worker 0 is done, the second pick of worker 1 is running."""
    assert bars("done_job", 2.5) == [(0.0, 2.0, -0.5)]
    assert bars("done_explorer", 2.5) == [(0.0, 1.0, -1.5)]
    assert bars("running_job", 2.5) == [(1.0, 2.5, -1.5), (2.0, 2.5, -0.5)]
    assert bars("running_job", 4.0) == []
    assert len(bars("done_job", 4.0)) + len(bars("done_explorer", 4.0)) == 4
    assert all(bars(role, 0.0) == [] for role in ("done_job", "done_explorer", "running_job"))


def test_runs_are_below_each_other() -> None:
    other = Job("PE", Timetable.of(np.array([4.0]), 1), (True,))
    (plot,) = workers((JOB, other), 4.0, 4.0).plots.values()
    ((_, _, middle),) = [row for row in bars("done_explorer", 4.0, (JOB, other)) if row[1] == 4.0]
    assert middle < -2.0  # below both workers of the first
    names = {label.text: label.y for label in plot.labels}
    assert names["UCB"] == -1.0
    assert names["PE"] == middle
    assert plot.y.low < middle < plot.y.high


def test_the_same_in_words() -> None:
    said = workers((JOB,), 2.5, 4.0).text
    assert said == "At time 2.5. UCB: 2 done, 2 running, 0 workers free."
    assert "4 done, 0 running, 2 workers free" in workers((JOB,), 4.0, 4.0).text


def test_the_axis_of_time() -> None:
    (plot,) = workers((JOB,), 2.5, 14.2).plots.values()
    for axis, scale in ((plot.x, 1), (over_time(14.2, 1000.0), 1000)):
        assert axis.low == 0
        assert axis.high > 14.2 * scale
        assert all(at == scale * float(text) for at, text in axis.ticks)
        assert axis.ticks[-1][0] > axis.high / 2
