"""A batch as a policy sees it, by dense solves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tests.core.reference import Booleans, Floats, covariance, dense, dense_std, improvement
from ucbpe_core import GaussianProcess, Posterior
from ucbpe_core.policies import Decision


@dataclass(frozen=True)
class Batch:
    """What is known at the start of batch t: `told` candidates with values y, others pending.

    R+ and the regions of a policy's own are those of its decision, once they are compared.
    """

    gp: GaussianProcess
    candidates: Floats
    told: list[int]
    y: Floats
    beta: float
    beta_next: float
    pending: list[int] = field(default_factory=list)
    policy: Any = None
    t: int = 1
    decision: Decision | None = None

    @cached_property
    def mean(self) -> Floats:
        """Of the told values alone: a pending pick has no value yet."""
        return dense(self.gp, self.candidates[self.told], self.y, self.candidates)[0]

    def std(self, picks: list[int]) -> Floats:
        """Deviation after everything told, pending and picked so far in this batch."""
        members = [*self.told, *self.pending, *picks]
        return dense_std(self.gp, self.candidates[members], self.candidates)

    @cached_property
    def y_dot(self) -> float:
        return float((self.mean - math.sqrt(self.beta) * self.std([])).max())

    @property
    def region_margin(self) -> Floats:
        """At least 0 inside R, shape (M,)."""
        return self.mean + math.sqrt(self.beta) * self.std([]) - self.y_dot

    @property
    def region_plus_margin(self) -> Floats:
        """At least 0 inside R+, shape (M,)."""
        return self.mean + 2 * math.sqrt(self.beta_next) * self.std([]) - self.y_dot

    def upper(self, picks: list[int]) -> Floats:
        """Upper bound with the mean of batch start and the deviation after `picks`."""
        return self.mean + math.sqrt(self.beta) * self.std(picks)

    @property
    def inside(self) -> Booleans:
        assert self.decision is not None
        return self.decision.region_plus

    @property
    def known(self) -> list[int]:
        return [*self.told, *self.pending]

    @cached_property
    def start(self) -> Posterior:
        """The library's, for its draws."""
        prior = Posterior.prior(self.gp, self.candidates)
        return prior.observe(self.told, self.y).hallucinate(self.pending)

    @cached_property
    def prior(self) -> Floats:
        """Covariances of the candidates (M, M)."""
        return covariance(self.gp.kernel, self.candidates, self.candidates)

    @cached_property
    def slope(self) -> tuple[float, float]:
        """L by central differences of the mean, at least one prior std across; that std."""
        X, step = self.candidates, 1e-5
        unit, across = math.sqrt(np.diag(self.prior).mean()), np.linalg.norm(np.ptp(X, axis=0))
        means = [
            [dense(self.gp, X[self.told], self.y, Z)[0] for Z in (X + move, X - move)]
            for move in step * np.eye(X.shape[1])
        ]
        steepest = np.linalg.norm(np.subtract(*np.moveaxis(means, 1, 0)), axis=0).max()
        return max(float(steepest) / (2 * step), unit / across if across else 0.0), unit

    @property
    def stream(self) -> np.random.Generator:
        return np.random.default_rng([self.policy.seed, self.t])

    def improvement(self, known: list[int], picks: list[int]) -> Floats:
        """Expected, over the best mean at `known`, with the std after `picks`."""
        best = float(self.mean[known].max()) if known else self.gp.mean
        return improvement(self.mean, self.std(picks), best)
