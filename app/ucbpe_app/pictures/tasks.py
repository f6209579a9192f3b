"""What the browser needs for a task of a lesson: to have something drawn, or brought about.

A task is asked as a place is (`asked.py`): what is drawn before the event of its own, and what is
brought about before the one that follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.run.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ucbpe_app.lessons.questions import Task
    from ucbpe_app.pictures.picture import RunKind
    from ucbpe_app.run.replay import Replay


def task_marks(replay: Replay, tasks: Iterable[Task]) -> Iterator[tuple[int, Task]]:
    """The event before which each is asked, by its index; without those that a run lacks."""
    for task in tasks:
        if task.at in replay.events:
            index = replay.events.index(task.at) + (task.kind != "draw")
            fits = task.kind == "set" or replay.scene.dimension == 1
            if fits and 0 < index < len(replay.events):
                yield index, task


def task_key(task: Task) -> str:
    """Under which a browser keeps its answer."""
    return f"{task.kind} {task.at.text}"


def task_table(task: Task, kind: RunKind) -> dict[str, Any]:
    """What is asked whatever the run is, as JSON."""
    common = {
        "kind": task.kind,
        "event": task_key(task),
        "picture": kind.name,
        "text": task.text,
        "done": task.done,
    }
    if task.kind == "draw":
        return {**common, "of": task.of}
    named = SETTINGS[task.setting].in_text if task.setting else ""
    bounds = {name: getattr(task, name) for name in ("quantity", "below", "above", "margin")}
    return {**common, "near": task.near, "goal": bounds, "setting": named}


def task_ask(replay: Replay, index: int, task: Task, kind: RunKind) -> dict[str, Any]:
    """What is asked before event `index`."""
    drawn = _drawn_over(replay, index, task) if task.kind == "draw" else {}
    return {**task_table(task, kind), "index": index, **drawn}


def task_gap(replay: Replay, index: int, task: Task, kind: RunKind) -> dict[str, Any]:
    """What a curve is held against at event `index`; nothing for what is brought about.

    `curve`, shape (M,), is the mean, with `lower` and `upper` of its band, or the upper edge alone.
    """
    if task.kind != "draw":
        return {}
    frame, order = replay.frame(index), _order(replay)
    found = {**task_ask(replay, index, task, kind), "curve": frame.upper[order]}
    if task.of == "mean":
        band = {"lower": frame.lower[order], "upper": frame.upper[order]}
        found |= {"curve": frame.mean[order], **band}
    return found


def _drawn_over(replay: Replay, index: int, task: Task) -> dict[str, Any]:
    """What is known: `x`, ascending, the line `before` the event, and the results after it."""
    scene, order = replay.scene, _order(replay)
    before, frame = replay.frame(index - 1), replay.frame(index)
    line = before.mean if task.of == "mean" else before.upper
    x = scene.candidates[:, 0]
    return {
        "x": x[order],
        "name": scene.axes[0],
        "extents": scene.extents.tolist(),
        "results": {"x": x[frame.observed], "y": frame.observed_y},
        "before": line[order],
    }


def _order(replay: Replay) -> Any:
    return np.argsort(replay.scene.candidates[:, 0], kind="stable")
