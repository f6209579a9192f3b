"""The lines over the candidates of one input: each is said here, for every place that draws it.

A line names arrays that `arrays` has. The browser's engine computes arrays of the same names
(``live/curve.js``) and is told `LINES`, so that a new line of what there is takes a row here and a
style.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_app.pictures.along import counted, joined
from ucbpe_app.pictures.geometry import GEOMETRY
from ucbpe_app.pictures.picture import Label, mark
from ucbpe_app.run.events import Kind as Event
from ucbpe_app.run.sentences.texts import number, pick_label, say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_app.pictures.along import Candidates
    from ucbpe_app.pictures.picture import Mark
    from ucbpe_app.run.frames import Frame, PickMark, Scene
    from ucbpe_app.run.screen import Layers
    from ucbpe_core.support.validation import Floats


class Line(NamedTuple):
    """One line: there is none at an event that lacks one of its arrays.

    Attributes
    ----------
    role : of `styles.STYLES`; in the plot "function" the text ``label.<role>`` is its name
    curves : the arrays, as one line with gaps
    plot : where it is
    small : whether it is in the small pictures of a race, too
    """

    role: str
    curves: tuple[str, ...]
    plot: str = "function"
    small: bool = False


# From the bottom up.
LINES = (
    Line("noisy", ("noisy_lower", "noisy_upper")),
    Line("updated", ("updated_lower", "updated_upper")),
    Line("truth", ("truth",), small=True),
    Line("mean", ("mean",), small=True),
    Line("before", ("std_before",), "std"),
    Line("outside", ("std",), "std"),
    Line("std", ("std_inside",), "std"),
)


def roles(plot: str, *, small: bool = False) -> tuple[str, ...]:
    """The roles of the lines of a plot, or of those that are small, too."""
    return tuple(line.role for line in LINES if line.plot == plot and line.small >= small)


def arrays(scene: Scene, frame: Frame, layers: Layers) -> Mapping[str, Floats | None]:
    """What a line can be of, shape (M,) each, in the order of the candidates.

    ``updated``: mean ± sqrt(beta) std(k), once picks are counted in the std, where a pick can be
    made. ``noisy``: mean ± sqrt(beta) sqrt(std^2 + noise variance), where a measurement falls.
    """
    c, inside = frame.sqrt_beta, True if frame.inside is None else frame.inside
    std_inside = np.where(inside, frame.std_now, np.nan)
    updated = frame.std_before is not None and frame.event.kind is not Event.OBSERVE
    halves = {
        "updated": c * std_inside if updated else None,
        "noisy": c * np.sqrt(frame.std**2 + scene.noise_variance) if layers.noisy else None,
    }
    return {
        "mean": frame.mean,
        "lower": frame.lower,
        "upper": frame.upper,
        "truth": scene.truth if layers.truth else None,
        "std": frame.std_now,
        "std_inside": std_inside,
        "std_before": frame.std_before,
        **{
            f"{name}_{edge}": None if half is None else frame.mean + sign * half
            for name, half in halves.items()
            for edge, sign in (("lower", -1.0), ("upper", 1.0))
        },
    }


def lines(
    scene: Scene,
    frame: Frame,
    layers: Layers,
    along: Candidates,
    plot: str = "function",
    *,
    small: bool = False,
) -> list[Mark]:
    """The lines of a plot."""
    values, made = arrays(scene, frame, layers), []
    for line in LINES:
        curves = [curve[along.order] for name in line.curves if (curve := values[name]) is not None]
        if line.role in roles(plot, small=small) and len(curves) == len(line.curves):
            made.append(mark(line.role, **joined(along.x, *curves)))
    return made


def names(drawn: Sequence[Mark], frame: Frame, layers: Layers) -> list[Label]:
    """The names of lines, each where its line ends."""
    picks, multiplier = _named(counted(frame)), number(frame.sqrt_beta)
    labels = []
    for line in drawn:
        ends = line.columns["y"][np.isfinite(line.columns["y"])]
        text = say(f"label.{line.role}", plain=layers.plain, picks=picks, multiplier=multiplier)
        labels += [Label(text, line.role, y=float(end)) for end in ends[-1:]]
    return labels


def _named(picks: Sequence[PickMark]) -> str:
    """Their names, of three or more the first and the last."""
    some = [pick_label(pick.number) for pick in picks]
    return ", ".join(some) if len(some) <= GEOMETRY.most_listed else f"{some[0]} … {some[-1]}"
