"""What the posterior of a run says of several points together: draws of f, covariances, slices.

All of it is asked from the core when a picture shows it, and kept for the events shown last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.interpolate import RectBivariateSpline

from ucbpe_app.run.events import Kind
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.policies import ThompsonSampling
from ucbpe_core.support import streams
from ucbpe_core.support.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from ucbpe_app.run.frames import Frame
    from ucbpe_core import Posterior, Trace
    from ucbpe_core.support.validation import Floats, Integers

DRAWS = 8  # over one input; over two, one is enough to look at
# Points of a draw: over one input, and along each of two. On a finer grid there is a cubic spline
# between them: a factor of all candidates would take minutes.
_MOST_ALONG, _MOST_ACROSS = 400, 36
_SLICE = 41  # points along each input
_MOST_PATHS = 1_200  # candidates of Thompson's draws: with more, they take seconds to make
_KEPT = 24


class Draws(NamedTuple):
    """Draws of f.

    Attributes
    ----------
    points : where they are, shape (m, d); of a grid of two inputs, all candidates
    values : one draw in each row, shape (S, m)
    """

    points: Floats
    values: Floats


class Slices(NamedTuple):
    """Mean and std along each input through a candidate, at x (d, g): shape (d, g) each."""

    candidate: int
    x: Floats
    mean: Floats
    std: Floats


class Joint:
    """What is asked of the posterior of a run at its events."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._kept: dict[Hashable, Any] = {}
        self._sign = sign_of(trace.problem.direction)

    def draws(self, frame: Frame, *, prior: bool = False) -> Draws | None:
        """Draws of the prior, or of the posterior whose band is drawn at an event.

        They are seeded by the run, and have the same normal variables at all events. None where the
        covariance of so many points has no factor in double precision.
        """
        n = 0 if prior else len(frame.observed)
        return self._once(("draws", n), lambda: self._draw(n))

    def paths(self, frame: Frame) -> Draws | None:
        """The draws that the picks of a batch are the best points of, if its policy makes such.

        They are made again by the seed of the policy, and NaN where f is too low for a pick. None
        as long as they `wait`.
        """
        return None if self.waits(frame) else self.make_paths(frame)

    def waits(self, frame: Frame) -> bool:
        """Whether `make_paths` is to be called first, which for so many candidates takes long."""
        if self._sampler is None or len(self._trace.problem.candidates) <= _MOST_PATHS:
            return False
        return ("paths", frame.event.t) not in self._kept

    def make_paths(self, frame: Frame) -> Draws | None:
        """Make the draws of the batch of an event, which `paths` then has."""
        policy, t = self._sampler, frame.event.t
        return None if policy is None else self._once(("paths", t), lambda: self._paths(policy, t))

    @property
    def _sampler(self) -> ThompsonSampling | None:
        policy = self._trace.policy
        return (
            policy if isinstance(policy, ThompsonSampling) and not self._trace.hold_data else None
        )

    def covariances(self, frame: Frame, index: int) -> tuple[Floats, Floats]:
        """k(x, .) of a candidate with all others, and their covariance now, shape (M,) each.

        The picks that the present std counts are counted here.
        """
        posterior = self._now(frame)
        key = ("covariances", index, *posterior.conditioned_indices)
        return self._once(
            key, lambda: (posterior.at(0).covariance([index])[0], posterior.covariance([index])[0])
        )

    def correlations(self, frame: Frame, index: int) -> tuple[Floats, Floats]:
        """The same as correlations; 0 where f is known."""
        variances = self._trace.gp.kernel.diagonal(self._trace.problem.candidates)
        prior, now = self.covariances(frame, index)
        return _scaled(prior, np.sqrt(variances), index), _scaled(now, frame.std_now, index)

    def slices(self, frame: Frame, pointed: int | None = None) -> Slices:
        """Mean and std along each input through a candidate, or through the best mean."""
        index = int(np.argmax(self._sign * frame.mean)) if pointed is None else pointed
        n = len(frame.observed)
        return self._once(("slices", n, index), lambda: self._slices(n, index))

    def _once(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        if key in self._kept:
            return self._kept[key]
        if len(self._kept) >= _KEPT:
            self._kept.clear()
        return self._kept.setdefault(key, compute())

    def _now(self, frame: Frame) -> Posterior:
        """The posterior of the std at an event."""
        start = self._trace.posterior.at(len(frame.observed))
        if frame.event.kind is not Kind.PICK:
            return start
        return start.hallucinate([pick.index for pick in frame.picks if not pick.current])

    def _draw(self, n: int) -> Draws | None:
        X, grid = self._trace.problem.candidates, self._trace.problem.grid
        process = self._trace.posterior.at(n).conditioned()
        count = DRAWS if X.shape[1] == 1 else 1
        sides, points = None, X[_spread(len(X), _MOST_ACROSS**2)]
        if X.shape[1] == 1:
            order = np.argsort(X[:, 0], kind="stable")
            points = X[order[_spread(len(order), _MOST_ALONG)]]
        elif grid:
            sides = _sides(X, grid)
            points = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
        try:
            values = process.sample(points, streams.pictured_draws(self._trace.seed), size=count)
        except IllConditionedError:
            return None
        if sides is not None and len(points) < len(X):
            mean = self._trace.posterior.at(n).mean
            departures = values - process.predict(points).mean
            values = np.array([mean + _refined(row, sides, X, grid) for row in departures])
            points = X
        return Draws(points, values)

    def _paths(self, policy: ThompsonSampling, t: int) -> Draws:
        start = self._trace.before(t).signed(self._sign)
        indices, values = policy.draws(start, t)
        f = np.full((len(values), len(start.candidates)), np.nan)
        f[:, indices] = self._sign * values
        order = np.arange(f.shape[1])
        if start.candidates.shape[1] == 1:
            order = np.argsort(start.candidates[:, 0], kind="stable")
        return Draws(start.candidates[order], f[:, order])

    def _slices(self, n: int, index: int) -> Slices:
        X = self._trace.problem.candidates
        along = np.linspace(X.min(axis=0), X.max(axis=0), _SLICE, axis=1)
        points = np.tile(X[index], (*along.shape, 1))
        for i, x in enumerate(along):
            points[i, :, i] = x
        process = self._trace.posterior.at(n).conditioned()
        found = process.predict(points.reshape(-1, X.shape[1]))
        return Slices(index, along, found.mean.reshape(along.shape), found.std.reshape(along.shape))


def _sides(X: Floats, grid: Sequence[int]) -> list[Floats]:
    """Coordinates along each side of a grid, or of a coarser one over the same ends."""
    ends = zip(X.min(axis=0), X.max(axis=0), grid, strict=True)
    return [np.linspace(low, high, min(n, _MOST_ACROSS)) for low, high, n in ends]


def _refined(values: Floats, sides: list[Floats], X: Floats, grid: Sequence[int]) -> Floats:
    """Values of a coarse grid at the candidates X of a finer one, by a cubic spline."""
    table = values.reshape([len(side) for side in sides])
    x, y = sides
    spline = RectBivariateSpline(x, y, table, kx=min(3, len(x) - 1), ky=min(3, len(y) - 1))
    rows = grid[1]
    fine: Floats = spline(X[::rows, 0], X[:rows, 1]).ravel()
    return fine


def _scaled(covariance: Floats, std: Floats, index: int) -> Floats:
    product = std * std[index]
    return np.divide(covariance, product, out=np.zeros_like(product), where=product > 0)


def _spread(count: int, most: int) -> Integers:
    """Indices 0 .. count - 1, or of more than `most` that many, evenly spread, with both ends."""
    return np.unique(np.round(np.linspace(0, count - 1, min(count, most))).astype(np.intp))
