"""What was known before a trial of another tool, and its choice, as a scene and a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.problem.frame import band, scene_of, sliced
from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame, PickMark
from ucbpe_app.run.sentences import EventText
from ucbpe_app.run.sentences.reasons import THEIRS
from ucbpe_core.foreign.ranks import scored
from ucbpe_core.spaces.design import Design
from ucbpe_core.support.validation import frozen_copy, read_only, sign_of

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Scene
    from ucbpe_app.run.joint import Slices
    from ucbpe_core.foreign import Retrace
    from ucbpe_core.foreign.ranks import Rule
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.support.validation import Floats

_PICKED: tuple[tuple[Rule, str], ...] = (("upper", "ucb"), ("exploration", "pe"))
_MAPS: tuple[Rule, ...] = ("std", "upper", "mean")


class Shown(NamedTuple):
    """What is drawn of an event; `featured` is the map that their choice is best at.

    `slices` go through their choice; there are none with a category, of one or two inputs, or if
    the choice lacks a parameter.
    """

    scene: Scene
    frame: Frame
    featured: str
    slices: Slices | None


def shown(retraced: Retrace, i: int, said: str, *, chosen: bool) -> Shown | None:
    """Trial i before its choice was made, or with it, `said` in words; None without a model."""
    run, posterior = retraced.run, retraced.posterior(i)
    if posterior is None:
        return None
    found, sign = scored(posterior, retraced.beta), sign_of(run.direction)
    choice, own = retraced.choices[i], posterior.signed(sign)
    # Of one or two inputs the places alone: those of a map are a grid.
    X, size = retraced.candidates[: retraced.places], retraced.places
    known = list(retraced.order[: choice.known])
    drawn = band(
        read_only(own.mean[:size]), read_only(own.std[:size]), retraced.beta, run.y[known].tolist()
    )
    stds = posterior.std, found.after.std
    picks = _picks(retraced, i, stds, X) if chosen and choice.ranks else ()
    text = EventText(said.rstrip("."), "", said, ())
    frame = Frame(
        **drawn,
        event=Event(i + 1, Kind.PICK if picks else Kind.POSTERIOR),
        std_now=drawn["std"],
        std_before=None,
        y_dot=sign * found.relevant.y_dot,
        region=frozen_copy(found.relevant.region[:size], bool),
        region_plus=frozen_copy(found.relevant.region_plus[:size], bool),
        picks=picks,
        subject=picks[-1] if picks else None,
        observed=frozen_copy([_nearest(X, run.points[j]) for j in known], np.intp),
        observed_y=frozen_copy(run.y[known]),
        observed_x=frozen_copy(run.points[known]),
        beta_next=retraced.beta,
        done=i,
        tell=lambda *_: text,
    )
    axes = (*Design(run.space.names, run.space.inputs).columns, run.output)
    scene = scene_of(
        frame, X, sign, name=run.tool, axes=axes, batches=len(run.trials), batch_size=1,
        noise_variance=0.0, roles=("ucb", "pe", THEIRS), uses_region=True,
    )  # fmt: skip
    featured = min(_MAPS, key=lambda rule: choice.ranks.get(rule, 0))
    return Shown(scene, frame, featured, _slices(retraced, i, own))


def _picks(
    retraced: Retrace, i: int, stds: tuple[Floats, Floats], X: Floats
) -> tuple[PickMark, ...]:
    """The first two picks of GP-UCB-PE, with the std that each had, and their choice."""
    choice, theirs = retraced.choices[i], retraced.run.points[i]
    first = [
        PickMark(j := choice.picks[rule], k, role, float(std[j]), X[j], current=False)
        for k, ((rule, role), std) in enumerate(zip(_PICKED, stds, strict=True))
    ]
    at = _nearest(X, theirs)
    own = PickMark(at, 2, THEIRS, choice.std, theirs, current=True, name="theirs")
    return (*first, own)


def _slices(retraced: Retrace, i: int, posterior: Posterior) -> Slices | None:
    run, here = retraced.run, retraced.run.points[i]
    if not 2 < len(run.space.names) == len(here) or not run.complete[i]:
        return None
    return sliced(posterior.conditioned(), retraced.at([i])[0], here, run.space.box.T)


def _nearest(X: Floats, x: Floats) -> int:
    """The place that is nearest to a point, in the units of the places' extents."""
    extents = np.ptp(X, axis=0)
    return int((((X - x) / np.where(extents > 0, extents, 1.0)) ** 2).sum(axis=1).argmin())
