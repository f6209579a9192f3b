"""The regret of a run, as far as it is measured: of each batch, and cumulative."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.pictures.chart import Curve, Values, batches, labels_of, marks_of
from ucbpe_app.pictures.marks import GEOMETRY
from ucbpe_app.pictures.picture import Label, Picture, Plot, PlotKind, RunKind, axis_of, mark
from ucbpe_app.run.sentences.texts import at_least, number, say
from ucbpe_core.theory import trivial_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.pictures.picture import Mark, Request
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.support.validation import Floats

_MOST_PRESENTED = 6  # batches with a tick, which is larger there


def simple(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The best of each batch, and of all that was measured so far, initial points included."""
    if request.layers.secret:
        return _results(scene, frame, request)
    done = frame.done
    each, best = (number(curve[done - 1]) if done else "" for curve in curves_of(SIMPLE, scene))
    named = say("label.first_batch", regret=each) if done == 1 else say("label.each_batch")
    same = done == 1 and each == best  # both curves are but one point, or look so
    curves = [
        Curve("running", scene.running[:done], "" if same else say("label.so_far", regret=best)),
        Curve("regret", scene.simple[:done], named, dots=True),
    ]
    text = say("label.simple.said", each=each, best=best) if done else ""
    stop, more = _stopping(scene, frame, request)
    text, bounds = f"{text} {more}".strip(), (scene.certificates, scene.certified) if stop else ()
    return _picture(
        SIMPLE, scene, frame, request, [*stop, *curves], text, start=scene.start, others=bounds
    )


def _results(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The best result so far, which needs no f."""
    first, done = len(scene.results) - scene.batches, frame.done
    start = float(scene.results[0]) if first else None
    best = scene.results[first:][:done]
    named = say("label.result_so_far", result=number(float(best[-1]))) if done else ""
    curves = [Curve("running", best, named)]
    return _picture(SIMPLE, scene, frame, request, curves, named, start=start)


def cumulative(scene: Scene, frame: Frame, request: Request) -> Picture:
    """The sums over batches of their best and of all their picks, with bounds on the first."""
    done, sums = frame.done, curves_of(CUMULATIVE, scene)
    best, every = (number(curve[done - 1]) if done else "" for curve in sums)
    curves = [
        Curve("every", sums[1][:done], say("label.sum_every", regret=every), dots=True),
        Curve("regret", sums[0][:done], say("label.sum_best", regret=best), dots=True),
    ]
    text = say("label.sums.said", best=best, every=every) if done else ""
    return _picture(CUMULATIVE, scene, frame, request, curves, text, bounds=_bounds(scene, request))


def _kind(
    name: str, label: str, roles: tuple[str, ...], draw: Callable[[Scene, Frame, Request], Picture]
) -> RunKind:
    plot = PlotKind(
        name=label,
        roles=("now", "pinned", *roles, "regret", "regret_dots"),
        height=190,
        borders=(56, 12, 16, 24),
        y_ticks=3,
        rare=frozenset({"pinned"}),
    )
    # Nothing here is a candidate.
    return RunKind(
        name,
        MappingProxyType({name: plot}),
        draw=draw,
        position=lambda scene, frame: (np.full(len(scene.candidates), np.nan), None),
    )


SIMPLE = _kind(
    "simple", "Regret of each batch", ("lead", "start", "stop", "stop_true", "running"), simple
)
CUMULATIVE = _kind(
    "cumulative",
    "Cumulative regret",
    ("trivial", "printed", "proved", "every", "every_dots"),
    cumulative,
)


def curves_of(kind: RunKind, scene: Scene) -> tuple[Floats, Floats]:
    """The two curves of a kind over all batches of a run, shape (T,) each."""
    if kind is SIMPLE:
        return scene.simple, scene.running
    return scene.batch_cumulative, scene.full_cumulative


def _picture(
    kind: RunKind,
    scene: Scene,
    frame: Frame,
    request: Request,
    curves: Sequence[Curve],
    words: str,
    *,
    bounds: Sequence[Curve] = (),
    start: float | None = None,
    others: Sequence[Floats] = (),
) -> Picture:
    """Curves as far as they are measured, on axes that hold the whole run and the one behind.

    `others` are further values that the axis holds.
    """
    secret, behind = request.layers.secret and kind is SIMPLE, request.pinned_scene
    pinned = curves_of(kind, behind) if behind and not secret else ()
    own = [
        *([_reach(scene, start)] if secret else curves_of(kind, scene)),
        *pinned,
        *others,
        *([] if start is None else [np.array([start])]),
    ]
    values = Values.of(np.concatenate(own), log=request.layers.log and not secret)
    drawn = [*own, *(curve.y for curve in bounds)]
    top = max((float(y.max()) for y in drawn if y.size), default=0.0)
    bottom = float(min(y.min() for y in own if y.size)) if secret else 0.0
    upwards = values.axis(top, bottom)
    if secret and request.layers.log:  # named ticks, as those that come with the logarithms
        upwards = replace(upwards, ticks=tuple((at, number(at)) for at in (bottom, top)))
    first = "" if start is None else say("label.start")
    most = {"most": _MOST_PRESENTED} if request.size == "present" else {}
    plot = Plot(
        axis_of(request, kind.name, "x", batches(scene.batches, first, **most)),
        axis_of(request, kind.name, "y", upwards),
        (
            mark("now", left=[frame.event.t - 0.5], right=[frame.event.t + 0.5]),
            *_pinned(pinned, values),
            *_started(curves[-1].y[: min(frame.done, 1)], start, values),
            *marks_of([*bounds, *curves], values),
        ),
    )
    height = plot.y.low + GEOMETRY.now[kind.name] * (plot.y.high - plot.y.low)
    labels = [
        *labels_of([*curves, *bounds], values),
        Label(say("label.now"), "", frame.event.t, height, "inside"),
    ]
    if start is not None:
        height = float(values.place(np.array([start]))[0])
        name = "label.result_at_start" if secret else "label.best_at_start"
        text = number(start)
        if not frame.done:
            text = say(name, regret=text, result=text)
        labels.append(Label(text, "start", 0.0, height, "tip"))
    if pinned:
        labels += labels_of([Curve("pinned", pinned[0], request.pinned_label)], values)
    plots = MappingProxyType({kind.name: replace(plot, labels=tuple(labels))})
    text = f"{kind.plots[kind.name].name}. {words}".strip()
    return Picture(kind, plots, text, request.size)


def _reach(scene: Scene, start: float | None) -> Floats:
    """What the axis of results holds: from that at the start, which only better ones replace, to
    the end of the bands; without one, the bands.
    """
    low, high = scene.values
    if start is None:
        return np.array([low, high])
    return np.array([start, high] if scene.sign > 0 else [low, start])


def _stopping(scene: Scene, frame: Frame, request: Request) -> tuple[list[Curve], str]:
    """What could be gained at most by going on, up to this batch, and the truth; in words too."""
    t = frame.event.t
    if not request.layers.stop or not len(scene.certificates):
        return [], ""
    bound, true = scene.certificates[:t], scene.certified[:t]
    facts: dict[str, Any] = {
        "bound": at_least(float(bound[-1]), -1.0),
        "regret": number(float(true[-1])),
    }
    return [
        Curve("stop", bound, say("label.stop", **facts)),
        Curve("stop_true", true, say("label.stop_true", **facts)),
    ], say("label.stop.said", t=t, **facts)


def _bounds(scene: Scene, request: Request) -> list[Curve]:
    """Theorem 1 on the sum of the batches' best, if it is known and shown; and that of any choice,
    above which a bound says nothing. The highest comes first: the first label has the first place.
    """
    if request.bounds is None or not request.layers.bounds:
        return []
    bounds = (trivial_bound(scene.batches, float(np.ptp(scene.truth))), *request.bounds)
    curves = [
        Curve(role, bound, say(f"label.{role}", bound=number(bound[-1])))
        for role, bound in zip(("trivial", "printed", "proved"), bounds, strict=True)
    ]
    return sorted(curves, key=lambda curve: -curve.y[-1])


def _pinned(curves: Sequence[Floats], values: Values) -> list[Mark]:
    """Both curves of another run, whole, as one line that nan breaks."""
    if not curves:
        return []
    gap = np.full(1, np.nan)
    ts = [part for curve in curves for part in (np.arange(1.0, len(curve) + 1), gap)]
    ys = [part for curve in curves for part in (values.place(curve), gap)]
    return [mark("pinned", x=np.concatenate(ts), y=np.concatenate(ys))]


def _started(first: Floats, start: float | None, values: Values) -> list[Mark]:
    """The best initial point, which does not count, and the way to the first batch, if made."""
    if start is None:
        return []
    y = values.place(np.array([start, *first]))
    return [mark("lead", x=np.arange(float(len(y))), y=y), mark("start", x=[0.0], y=y[:1])]
