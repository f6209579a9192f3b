"""What was known before a trial of another tool, and its choice, as a scene and a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.problem.foreign.words import kept_words, sentence
from ucbpe_app.problem.frame import grid_of
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame, PickMark, Scene
from ucbpe_app.run.joint import Slices
from ucbpe_app.run.sentences import EventText
from ucbpe_app.run.sentences.reasons import THEIRS
from ucbpe_core.foreign.retrace import scored
from ucbpe_core.spaces.design import Design
from ucbpe_core.support.validation import frozen_copy, sign_of

if TYPE_CHECKING:
    from ucbpe_core.foreign import Retrace
    from ucbpe_core.foreign.retrace import Rule
    from ucbpe_core.support.validation import Floats

_ALONG = 41  # points along each input


class Shown(NamedTuple):
    """What is drawn of an event; `featured` is the map that their choice is best at."""

    scene: Scene
    frame: Frame
    featured: str


def shown(retraced: Retrace, i: int, *, chosen: bool) -> Shown | None:
    """Trial i before its choice was made, or with it; None where there was no model."""
    run, posterior = retraced.run, retraced.posterior(i)
    if posterior is None:
        return None
    found = scored(posterior, retraced.beta)
    sign, choice = sign_of(run.direction), retraced.choices[i]
    # Of one or two inputs the places alone: those of a map are a grid.
    size = retraced.places
    X, own = retraced.candidates[:size], run.points
    known = list(retraced.order[: choice.known])
    mean, std = sign * posterior.mean[:size], posterior.std[:size]
    half, root = np.sqrt(retraced.beta) * std, float(np.sqrt(retraced.beta))
    y = run.y[known]
    values = min(float((mean - half).min()), *y), max(float((mean + half).max()), *y)
    picks: list[PickMark] = []
    if chosen and choice.ranks:
        made: list[tuple[Rule, str, Floats]] = [
            ("upper", "ucb", posterior.std), ("exploration", "pe", found.after.std),
        ]  # fmt: skip
        picks = [
            PickMark(j := choice.picks[rule], k, role, float(stds[j]), X[j], current=False)
            for k, (rule, role, stds) in enumerate(made)
        ]
        at = _nearest(X, own[i])
        theirs = PickMark(at, 2, THEIRS, choice.std, own[i], current=True, name="theirs")
        picks.append(theirs)
    spoken = sentence(retraced, i) if chosen else kept_words(retraced, i)
    text = EventText(spoken.rstrip("."), "", spoken, ())
    frame = Frame(
        event=Event(i + 1, Kind.PICK if picks else Kind.POSTERIOR),
        mean=frozen_copy(mean), std=frozen_copy(std),
        lower=frozen_copy(mean - half), upper=frozen_copy(mean + half),
        std_now=frozen_copy(std), std_before=None,
        y_dot=sign * found.relevant.y_dot,
        region=frozen_copy(found.relevant.region[:size], bool),
        region_plus=frozen_copy(found.relevant.region_plus[:size], bool),
        picks=tuple(picks), subject=picks[-1] if picks else None,
        observed=frozen_copy([_nearest(X, own[j]) for j in known], np.intp),
        observed_y=frozen_copy(y), observed_x=frozen_copy(own[known]),
        beta=retraced.beta, sqrt_beta=root, beta_next=retraced.beta,
        values=values, largest_std=float(std.max()), done=i, tell=lambda *_: text,
    )  # fmt: skip
    best = {name: choice.ranks[rule] for rule, name in _RULES.items()} if choice.ranks else {}
    featured = min(best, key=lambda name: best[name], default="std")
    return Shown(_scene(retraced, frame, X), frame, featured)


_RULES: dict[Rule, str] = {"std": "std", "upper": "upper", "mean": "mean"}


def slices(retraced: Retrace, i: int) -> Slices | None:
    """Mean and std along each input through their choice; None with a category or no model."""
    run, posterior = retraced.run, retraced.posterior(i)
    here = run.points[i]
    if posterior is None or len(run.space.names) != len(here) or not run.complete[i]:
        return None
    along = np.linspace(run.space.box[:, 0], run.space.box[:, 1], _ALONG).T
    points = np.repeat(here[None], along.size, axis=0)
    points[np.arange(along.size), np.repeat(np.arange(len(along)), _ALONG)] = along.ravel()
    found, sign = posterior.conditioned().predict(points), sign_of(run.direction)
    shape = along.shape
    return Slices(retraced.at([i])[0], along, sign * found.mean.reshape(shape),
                  found.std.reshape(shape))  # fmt: skip


def _nearest(X: Floats, x: Floats) -> int:
    """The place that is nearest to a point, in the units of the places' extents."""
    extents = np.ptp(X, axis=0)
    return int((((X - x) / np.where(extents > 0, extents, 1.0)) ** 2).sum(axis=1).argmin())


def _scene(retraced: Retrace, frame: Frame, X: Floats) -> Scene:
    run, sign = retraced.run, sign_of(retraced.run.direction)
    low, high = float(frame.mean.min()), float(frame.mean.max())
    pad = 0.0 if high > low else frame.largest_std or 1.0
    return Scene(
        name=run.tool,
        candidates=X,
        truth=frame.mean,
        grid=grid_of(X),
        axes=(*Design(run.space.names, run.space.inputs).columns, run.output),
        batches=len(run.trials),
        batch_size=1,
        noise_variance=0.0,
        roles=("ucb", "pe", THEIRS),
        uses_region=True,
        optimum=high if sign > 0 else low,
        optimum_index=int(np.argmax(sign * frame.mean)),
        means=(low - pad, high + pad),
        values=frame.values,
        largest_std=frame.largest_std,
        sign=sign,
    )
