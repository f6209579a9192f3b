"""Confidence bands mean ± sqrt(beta_t) std: beta is under the square root, as in the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats


class MeanAndStd(Protocol):
    """Anything with a mean and a standard deviation over M candidates, such as a `Posterior`."""

    @property
    def mean(self) -> Floats:
        """Posterior mean, shape (M,)."""

    @property
    def std(self) -> Floats:
        """Standard deviation of the latent f, shape (M,)."""


def upper(posterior: MeanAndStd, beta: float) -> Floats:
    """Upper confidence bound mean + sqrt(beta) std, shape (M,)."""
    return posterior.mean + np.sqrt(beta) * posterior.std


def lower(posterior: MeanAndStd, beta: float) -> Floats:
    """Lower confidence bound mean - sqrt(beta) std, shape (M,)."""
    return posterior.mean - np.sqrt(beta) * posterior.std
