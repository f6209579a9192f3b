"""What the picks of Vizier's UCB-PE maximise: its bound, its threshold and its penalty."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
import scipy

from ucbpe_core import ties
from ucbpe_core.policies.decision import Pick
from ucbpe_core.policies.picking import pick_largest, without_pending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Booleans, Floats

# Of the trust region: lines 704 to 722 of the source's acquisitions.py.
_LEAST_RADIUS, _LARGEST_RADIUS, _POINTS_PER_DEGREE = 0.2, 0.5, 5.0


class Numbers(Protocol):
    """The parameters of the policy that its scores need; `VizierUCBPE` says what they are."""

    @property
    def coefficient(self) -> float: ...

    @property
    def region_coefficient(self) -> float: ...

    @property
    def penalty(self) -> float: ...

    @property
    def noisy(self) -> bool: ...

    @property
    def trust_region(self) -> bool: ...


class Scores:
    """What the picks of one batch maximise.

    Attributes
    ----------
    measured : the posterior at batch start without the points still pending
    """

    def __init__(self, policy: Numbers, start: Posterior) -> None:
        self.policy, self.start = policy, start
        self.measured = without_pending(start)

    @cached_property
    def reach(self) -> Floats:
        """mu + 0.5 s, shape (M,)."""
        return self.measured.mean + self.policy.region_coefficient * self._std(self.measured.std)

    @property
    def tolerance(self) -> float:
        """Within which `reach` ties with a threshold."""
        return self.measured.tolerance + ties.of_bound(
            self.measured, self.policy.region_coefficient**2
        )

    @cached_property
    def trusted(self) -> Booleans | None:
        """The candidates near a point measured or pending, shape (M,); None for all."""
        start, (_, dimension) = self.start, self.start.candidates.shape
        radius = _LEAST_RADIUS + (_LARGEST_RADIUS - _LEAST_RADIUS) * start.n / (
            _POINTS_PER_DEGREE * (dimension + 1)
        )
        if not self.policy.trust_region or start.n == 0 or radius > _LARGEST_RADIUS:
            return None
        sides = np.ptp(start.candidates, axis=0)
        sides[sides == 0] = 1.0
        points = start.points / sides
        cdist = scipy.spatial.distance.cdist
        distance = cdist(start.candidates / sides, points, "chebyshev").min(axis=1)
        near = distance < radius
        return near if near.any() else distance == distance.min()

    def threshold(self, picked: Sequence[int]) -> float:
        """mu where mu + 1.8 s is largest, of points measured, pending and picked; -inf of none."""
        mean, std = self._known
        mean = np.append(mean, self.measured.mean[list(picked)])
        std = np.append(std, self.measured.std[list(picked)])
        if not len(mean):
            return -np.inf
        upper = mean + self.policy.coefficient * self._std(std)
        tolerance = ties.of_bound(self.measured, self.policy.coefficient**2)
        return float(mean[ties.first_best(upper, tolerance)])

    def upper(self, posterior: Posterior, mask: Booleans | None) -> Pick:
        """argmax of mu + 1.8 std."""
        score = self.upper_score(posterior)
        std = float(posterior.std[_largest(score, mask)])
        tolerance = ties.of_bound(posterior, self.policy.coefficient**2, std)
        return pick_largest(score, posterior, self._role("ucb"), mask, tolerance)

    def upper_score(self, posterior: Posterior) -> Floats:
        """mu + 1.8 std, shape (M,)."""
        return posterior.mean + self.policy.coefficient * self._std(posterior.std)

    def penalised(self, posterior: Posterior, threshold: float, mask: Booleans | None) -> Pick:
        """argmax of std + 10 min(mu + 0.5 s - threshold, 0)."""
        score = self.penalised_score(posterior, threshold)
        best = _largest(score, mask)
        tolerance = posterior.std_tolerance(float(posterior.std[best]))
        if self.reach[best] < threshold:
            tolerance += self.policy.penalty * self.tolerance
        return pick_largest(score, posterior, self._role("penalised"), mask, tolerance)

    def penalised_score(self, posterior: Posterior, threshold: float) -> Floats:
        """std + 10 min(mu + 0.5 s - threshold, 0), shape (M,)."""
        lack = np.minimum(self.reach - threshold, 0.0)
        return self._std(posterior.std) + self.policy.penalty * lack

    @cached_property
    def _known(self) -> tuple[Floats, Floats]:
        """mu and s of f at the points measured or pending, shapes (n,)."""
        indices = np.array(self.start.conditioned_indices, dtype=np.intp)
        mean, std = self.measured.mean[indices], self.measured.std[indices]
        if (indices < 0).any():
            outside = self.start.points[indices < 0]
            there = self.measured.conditioned().predict(outside)
            mean[indices < 0], std[indices < 0] = there.mean, there.std
        return mean, std

    def _role(self, name: str) -> str:
        """The role of a pick, another one where an option changes what it maximises."""
        plain = not self.policy.noisy and self.trusted is None
        return name if plain else f"optional {name}"

    def _std(self, std: Floats) -> Floats:
        """That of f, or of a measurement of it."""
        return np.sqrt(std**2 + self.start.gp.noise_variance) if self.policy.noisy else std


def _largest(score: Floats, mask: Booleans | None) -> int:
    """Where the score is largest inside the mask."""
    return int((score if mask is None else np.where(mask, score, -np.inf)).argmax())
