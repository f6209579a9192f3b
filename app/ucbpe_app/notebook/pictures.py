"""Pictures that stay as they are: one event of a run, and the curves of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.files.products import FigureRequest, offered
from ucbpe_app.files.products import picture as drawn
from ucbpe_app.plots import Print
from ucbpe_app.plots.prints import style
from ucbpe_app.run.notation import event_of
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.study.figures import Key, study_figure
from ucbpe_app.study.records import curves_of, statistics_of
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ucbpe_core import Trace

_DPI = 200


def picture(
    trace: Trace, at: int | str = 0, view: str = "", *, layers: Layers | None = None
) -> Print:
    """One event of a run, and why this point, as the dashboard draws it for print.

    Parameters
    ----------
    at : the event, by its place from 0 or as links write it: "1.posterior", "3.pick.2", "3.region"
    view : "curve" (one input), "field" (two), "plane" or "regret"; unless given, the function
        where it can be drawn, else the decision plane
    layers : what to show, as `Layers(truth=False)`

    Raises
    ------
    InputError
        If the run has no such event, or no such view.
    """
    replay = Replay(trace)
    return event_picture(replay, index_of(replay, at), view, layers)


def event_picture(
    replay: Replay, index: int, view: str = "", layers: Layers | None = None
) -> Print:
    """The picture of the event at this place."""
    views = offered(replay)
    if view and view not in views:
        raise InputError(f"view to be one of {', '.join(views)}", view, "choose one that there is")
    request = FigureRequest(replay, index, layers or Layers(), reason=True)
    name = view or views[0]
    return Print(drawn(name, request, "png", _DPI), request.words(name))


def index_of(replay: Replay, at: int | str) -> int:
    """The place of an event among those of a run."""
    events = replay.events
    if isinstance(at, str):
        event = event_of(at)
        if event in events:
            return events.index(event)
    elif 0 <= at < len(events):
        return at
    last = len(events) - 1
    example = f"1.posterior or {events[-1].t}.observe"
    remedy = f"count from 0 to {last}, or write batch and kind, as in {example}"
    raise InputError("an event of this run", str(at), remedy)


def studied(
    curves: pd.DataFrame,
    policies: Sequence[str],
    words: str,
    *,
    statistics: pd.DataFrame | None = None,
    batch_size: int | None = None,
) -> Print:
    """The curves of a study, drawn for print: see `study.figures.study_figure`.

    Parameters
    ----------
    curves : rows of `summarise.curves` or `summarise.differences`
    policies : every label of the study, in order: they settle the pens
    words : text alternative of the picture
    statistics : of the study, for the mark at the end of an initialisation
    batch_size : K, if all runs have the same
    """
    numbers = () if statistics is None else statistics_of(statistics)
    with style():
        key = Key.of(policies, numbers, batch_size)
        return Print.of(study_figure(curves_of(curves), key), words)
