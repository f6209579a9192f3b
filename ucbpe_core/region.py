"""Confidence bands, the relevant region R and the extended relevant region R+.

A band is mean ± sqrt(beta_t) std: beta is under the square root, as in the paper. y_dot is the
largest value that f exceeds somewhere if it is in its band. R keeps the candidates whose upper
bound reaches it: where the maximum can be. R+ extends R, so that it should also hold the UCB pick
of the next batch. That is not proved (`theory.lemmas.first_in_region_plus`), and has held in every
run looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from ucbpe_core.validation import Booleans, Floats


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


@dataclass(frozen=True, eq=False)
class RelevantRegion(Frozen):
    """y_dot with the masks of R and R+, each of shape (M,)."""

    y_dot: float
    region: Booleans
    region_plus: Booleans


def relevant_region(posterior: MeanAndStd, beta: float, beta_next: float) -> RelevantRegion:
    """R and R+ at batch start, with beta = beta_t and beta_next = beta_(t+1).

    y_dot = max over X of mean - sqrt(beta_t) std;
    R     = {x : mean + sqrt(beta_t) std >= y_dot};
    R+    = {x : mean + 2 sqrt(beta_(t+1)) std >= y_dot}  (Contal et al. 2013, section 3).

    R is a subset of R+ whenever 2 sqrt(beta_next) >= sqrt(beta); the maximisers of the upper and
    of the lower bound lie in both. A bound mean + c std reaches y_dot if it is at most
    (1 + c) `tolerance` below (see `ties`): that of a `Posterior`, 0 for a copy that has none.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.region import relevant_region
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(5)).observe([2], [2.5])
    >>> relevant = relevant_region(posterior, beta=2.0, beta_next=2.2)
    >>> relevant.region, relevant.region_plus
    (array([False,  True,  True,  True, False]), array([ True,  True,  True,  True,  True]))
    """
    y_dot = float(lower(posterior, beta).max())
    tolerance = getattr(posterior, "tolerance", 0.0)

    def reaches(c: float) -> Booleans:
        bound = posterior.mean + c * posterior.std
        return read_only(bound >= y_dot - (1 + c) * tolerance)

    return RelevantRegion(y_dot, reaches(np.sqrt(beta)), reaches(2 * np.sqrt(beta_next)))
