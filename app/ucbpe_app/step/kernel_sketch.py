"""The kernel in small: k(r), and five draws each of the prior and of the posterior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.html import Html, joined
from ucbpe_app.render.markup import Markup

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import GaussianProcess
    from ucbpe_core.support.validation import Floats

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
DRAWS, POINTS = 5, 48
_REACH = 2.5  # prior standard deviations shown above and below the prior mean
_WIDTH, _HEIGHT = 56, 34  # of a picture, in px
_PICTURE = Html(
    '<figure><svg viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
    '<title>{label}</title><path d="M0 {zero:.1f}H{width}"/>{lines}</svg>'
    "<figcaption>{name}</figcaption></figure>"
)
_LINE = Html('<polyline points="{}"/>')
_LEAST_NOISE = 1e-8  # of the prior variance: to the eye none, and always well conditioned


@dataclass(frozen=True, eq=False)
class Sketch:
    """What is drawn, each row a curve over `POINTS` places.

    `profile` is k(r)/k(0) for a difference r of the first input from 0 to its width, shape (1,
    POINTS), and None for a kernel that depends on more than the difference. Draws are over the
    first input at the middle of the others, shape (DRAWS, POINTS), in prior standard deviations
    from the prior mean.
    """

    profile: Floats | None
    prior: Floats
    posterior: Floats


def sketch(gp: GaussianProcess, candidates: Floats, X: Floats, y: Floats) -> Sketch:
    """The sketch of a prior over candidates (M, d), given y (n,) measured at X (n, d)."""
    low, high = candidates.min(axis=0), candidates.max(axis=0)
    line = np.repeat((low + high)[None] / 2, POINTS, axis=0)
    line[:, 0] = np.linspace(low[0], high[0], POINTS)
    variance = float(gp.kernel.diagonal(line).max())
    gp = replace(gp, noise_variance=max(gp.noise_variance, _LEAST_NOISE * variance))
    posterior = gp.condition(X, y) if len(y) else gp
    profile = None
    if gp.kernel.stationary:
        away = line - line[0]
        profile = gp.kernel.evaluate(away[:1], away) / gp.kernel.diagonal(away[:1])
    # With one seed for every setting, draws differ by the kernel alone.
    draws = (process.sample(line, 0, size=DRAWS) for process in (gp, posterior))
    return Sketch(profile, *((values - gp.mean) / np.sqrt(variance) for values in draws))


class KernelSketch:
    """Three pictures in a row. `panel` is to be laid out."""

    def __init__(self) -> None:
        self.panel = Markup(css_classes=["lab-sketch"], stylesheets=[_CSS], margin=0)

    def update(self, replay: Replay, frame: Frame | None) -> None:
        """Draw the run's prior, and the posterior at the event on screen, if there is one."""
        if frame is not None:
            self.panel.object = _html_of(replay, frame)


def _html_of(replay: Replay, frame: Frame) -> Html:
    """The pictures for the measurements of a frame."""
    trace = replay.trace

    def pictures() -> Html:
        X = trace.problem.candidates[frame.observed]
        return html(sketch(trace.gp, trace.problem.candidates, X, frame.observed_y))

    return replay.derived(("kernel sketch", len(frame.observed)), pictures)


def html(drawn: Sketch) -> Html:
    """The pictures, with their names."""
    parts = [
        _picture("prior", "Five draws of the prior", drawn.prior, -_REACH, _REACH),
        _picture("posterior", "Five draws of the posterior", drawn.posterior, -_REACH, _REACH),
    ]
    if drawn.profile is not None:
        label = "Covariance by distance r, from 0 to the width of the domain"
        parts.insert(0, _picture("k(r)", label, drawn.profile, -0.3, 1.0))
    return joined(parts)


def _picture(name: str, label: str, curves: Floats, low: float, high: float) -> Html:
    x = np.linspace(0, _WIDTH, POINTS)
    lines = joined(_LINE.format(_points(x, curve, low, high)) for curve in curves)
    zero = _HEIGHT * high / (high - low)
    return _PICTURE.format(
        width=_WIDTH, height=_HEIGHT, label=label, zero=zero, lines=lines, name=name
    )


def _points(x: Floats, y: Floats, low: float, high: float) -> str:
    heights = _HEIGHT * (high - y) / (high - low)
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, heights, strict=True))
