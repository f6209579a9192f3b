"""Confidence bands mean ± sqrt(beta_t) std: beta sits under the root, as in the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats


class Belief(Protocol):
    """Anything with a mean and a deviation over M candidates: a `Posterior`, or a copy of one."""

    @property
    def mean(self) -> Floats:
        """Posterior mean, shape (M,)."""

    @property
    def std(self) -> Floats:
        """Standard deviation of the latent f, shape (M,)."""


def upper(posterior: Belief, beta: float) -> Floats:
    """Upper confidence bound mean + sqrt(beta) std, shape (M,)."""
    return posterior.mean + np.sqrt(beta) * posterior.std


def lower(posterior: Belief, beta: float) -> Floats:
    """Lower confidence bound mean - sqrt(beta) std, shape (M,)."""
    return posterior.mean - np.sqrt(beta) * posterior.std
