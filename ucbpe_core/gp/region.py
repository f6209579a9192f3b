"""Confidence bands, what they prove of a candidate, and the relevant regions R and R+.

A band is mean ± sqrt(beta_t) std: beta is under the square root, as in the paper. y_dot is the
largest value that f exceeds somewhere if it is in its band. R keeps the candidates whose upper
bound reaches it: where the maximum can be. R+ extends R, so that it should also hold the UCB pick
of the next batch. That is not proved (`theory.lemmas.first_in_region_plus`), and has held in every
run looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import direction_of, read_only, sign_of

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Booleans, Direction, Floats


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
    (1 + c) `tolerance` below (see `ties`), which a `Posterior` has; for a copy without it, it is 0.
    For an approximate posterior, every bound is moved outwards by the largest errors of its mean
    and std: y_dot is then at most the exact one, and R and R+ contain the exact regions.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.gp.region import relevant_region
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(5)).observe([2], [2.5])
    >>> relevant = relevant_region(posterior, beta=2.0, beta_next=2.2)
    >>> relevant.region, relevant.region_plus
    (array([False,  True,  True,  True, False]), array([ True,  True,  True,  True,  True]))
    """
    y_dot = float((lower(posterior, beta) - _error(posterior, np.sqrt(beta))).max())
    tolerance = getattr(posterior, "tolerance", 0.0)

    def reaches(c: float) -> Booleans:
        bound = posterior.mean + c * posterior.std + _error(posterior, c)
        return read_only(bound >= y_dot - (1 + c) * tolerance)

    return RelevantRegion(y_dot, reaches(np.sqrt(beta)), reaches(2 * np.sqrt(beta_next)))


def _error(posterior: MeanAndStd, c: float) -> Floats | float:
    """How far mean + c std can be from that of the exact posterior; 0 for a copy of moments."""
    mean: Floats | float = getattr(posterior, "mean_error", 0.0)
    std: Floats | float = getattr(posterior, "std_error", 0.0)
    return mean + c * std


class Certificate(NamedTuple):
    """What a band proves of one candidate, if f lies inside it on X.

    Attributes
    ----------
    index : the candidate
    bound : what f is there at least, the lower bound; what it is at most if f is minimised
    extreme : what f is at most on X, the greatest upper bound; the least lower one if minimised
    regret : by how much the candidate misses the best value of f at most, in units of f
    """

    index: int  # type: ignore[assignment] # a tuple has a method of this name
    bound: float
    extreme: float
    regret: float

    def gain(self, y: float) -> float:
        """By how much f can be better than a value y anywhere on X, at most; at least 0."""
        sign = 1.0 if self.extreme >= self.bound else -1.0
        return max(sign * (self.extreme - y), 0.0)


def certificate(
    posterior: MeanAndStd, beta: float, direction: Direction = "maximize", index: int | None = None
) -> Certificate:
    """A bound on the regret of candidate `index`; default: of one with the least such bound.

    With l = mean - sqrt(beta) std and u = mean + sqrt(beta) std, the bound at x is max u - l(x),
    and min over x is at the greatest lower bound: max u - y_dot. Proof: if l <= f <= u on X, then
    max f <= max u and f(x) >= l(x), so max f - f(x) <= max u - l(x). For a minimum, by -f, whose
    band is [-u, -l]: f(x) - min f <= u(x) - min l. No smaller number holds for every f in the
    band, unless max u is reached at x alone: f can be u everywhere but at x, and l there.

    It says nothing if f leaves the band: how often that can happen is what a schedule states of
    beta_t (`FiniteBeta`), for a draw of the prior. From batch to batch it may rise, as beta_t
    grows and the mean moves. Among equal bounds the lowest index is chosen.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.gp.region import certificate
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(5)).observe([2, 0], [2.5, 1.0])
    >>> found = certificate(posterior, beta=2.0)
    >>> found.index, round(found.bound, 2), round(found.regret, 2)
    (2, 2.34, 0.36)
    """
    sign = sign_of(direction_of(direction))
    c = np.sqrt(beta)
    mean, half = sign * posterior.mean, c * posterior.std + _error(posterior, c)
    low, top = mean - half, float((mean + half).max())
    chosen = int(low.argmax()) if index is None else index
    least = float(low[chosen])
    return Certificate(chosen, sign * least, sign * top, top - least)
