"""Whether a prior can be right: what is told, beside what it says of values and distances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import KnownValuesWarning, PriorWarning, RepeatsWarning, warn
from ucbpe_core.gp.kernels.scales import leaves
from ucbpe_core.gp.kernels.stationary import Stationary

if TYPE_CHECKING:
    from ucbpe_core.errors import UCBPEError
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.validation import Floats

# Root mean square of the values told, in standard deviations of the prior: 1 is expected.
_FAR = 10.0
# How many times as much the values vary as the prior lets them, both as standard deviations.
_VARIES = 10.0
# Lengthscales from a point to the nearest other one, the median of all: from about 5 on, no point
# says anything about another. Before that many points are told, a batch is still exploring.
_APART = 30.0
# Lengthscales in the whole extent, of the input that has most of them.
_FLAT = 0.01
_ENOUGH = 200  # points that are looked at

_ALL_KNOWN = (
    "f is known at every candidate in R+, so all picks of this batch are known and a result tells "
    'nothing new: the search has ended there. Set repeats = "avoid" to go on over the other '
    "candidates, or give the prior a noise_variance"
)
_REPEATED = (
    "every pick of this batch has been measured before: by the model, another result there tells "
    "more than one elsewhere. If that seems wrong, look at check_model(process)"
)
_REMEDY = (
    "Take mean, variance and lengthscales from the data: GaussianProcess.from_data, or refit()"
)


@dataclass(frozen=True)
class Watch:
    """What `ask` has warned of, so that it does so once.

    Attributes
    ----------
    silent : whether it warns of nothing
    prior, values : whether it has warned of the prior in use, and how many values were told when
        that was looked at last
    known : whether it has warned that f is known
    """

    silent: bool = False
    prior: bool = False
    values: int = 0
    known: bool = False

    def is_due(self, n: int) -> bool:
        """Whether to look at the prior with n values told.

        That is so whenever there are twice as many values: in a few batches of a run.
        """
        return not (self.silent or self.prior) and n >= 2 * self.values

    def look(self, gp: GaussianProcess, X: Floats, y: Floats, domain: Floats) -> Watch:
        """Warn if the prior cannot be right for values y (n,) at points X (n, d).

        The extents of the points `domain` (m, d) are those of the candidates, or of the box.
        """
        reason = implausible(gp, X, y, domain)
        if reason is not None:
            warn(f"{reason}. {_REMEDY}", PriorWarning)
        return replace(self, prior=reason is not None, values=len(y))

    def without_fit(self, error: UCBPEError) -> Watch:
        """Warn that no prior could be fitted."""
        if not self.silent:
            warn(f"The prior in force stays: {error}", PriorWarning)
        return self

    def of_repeats(self) -> None:
        """Warn that a batch is nothing but repeats, each time."""
        if not self.silent:
            warn(_REPEATED, RepeatsWarning)

    def with_all_known(self) -> Watch:
        """Warn that f is known at all picks, and nothing is left to learn in R+."""
        if self.silent or self.known:
            return self
        warn(_ALL_KNOWN, KnownValuesWarning)
        return replace(self, known=True)

    def with_new_prior(self) -> Watch:
        """After another prior came into use."""
        return replace(self, prior=False, values=0)


def implausible(gp: GaussianProcess, X: Floats, y: Floats, domain: Floats) -> str | None:
    """What is wrong with the prior, in words; None if nothing is."""
    if len(y) == 0:
        return None
    chosen = np.linspace(0, len(y) - 1, min(len(y), _ENOUGH)).astype(int)
    X, y = X[chosen], y[chosen]
    with np.errstate(over="ignore"):  # a square that is no number is far from the mean, too
        return _values(gp, X, y) or _lengthscales(gp, np.unique(X, axis=0), domain)


def _values(gp: GaussianProcess, X: Floats, y: Floats) -> str | None:
    """Values far outside the prior, or that vary far more than it lets them."""
    C = gp.kernel.gram(X)
    total = np.diag(C) + gp.noise_variance
    off = float(np.sqrt(np.mean((y - gp.mean) ** 2 / np.maximum(total, np.finfo(float).tiny))))
    if off > _FAR:
        return (
            f"the values told, from {y.min():.4g} to {y.max():.4g}, lie {off:.3g} standard "
            f"deviations of the prior ({np.sqrt(total.mean()):.3g}) from its mean, {gp.mean:.4g}"
        )
    n = len(y)
    if n < 2 or not np.ptp(X, axis=0).any():
        return None
    # Under the prior, the sample variance is k(x, x) - k(x, z) + noise on average.
    expected = total.mean() - (C.sum() - np.trace(C)) / (n * (n - 1))
    varies, least = float(np.var(y, ddof=1)), float(total.mean()) * 1e-6
    if varies > _VARIES**2 * max(expected, least):
        return (
            f"the values told vary with a standard deviation of {np.sqrt(varies):.3g}, where the "
            f"prior expects {np.sqrt(max(expected, least)):.3g}: its lengthscale is too long, or "
            "its variance too small"
        )
    return None


def _lengthscales(gp: GaussianProcess, X: Floats, domain: Floats) -> str | None:
    """Lengthscales far outside the spacing of the points X (n, d), or the extent of the domain.

    A sum has the scale of any of its terms, so each must be far off.
    """
    every = leaves(gp.kernel)
    scales = [np.array(leaf.lengthscale) for leaf in every if isinstance(leaf, Stationary)]
    if len(scales) < len(every):
        return None
    extent = np.ptp(domain, axis=0)
    widest = max(float((extent / scale).max()) for scale in scales)
    if 0 < widest < _FLAT:
        return f"the lengthscale is {1 / widest:.3g} times the extent of the candidates"
    if len(X) < 3:
        return None
    apart = min(_spacing(X / scale) for scale in scales)
    if apart > _APART:
        return f"the points told are {apart:.3g} lengthscales apart, so that none says anything"
    return None


def _spacing(X: Floats) -> float:
    """Median distance of points (n, d) to the nearest other one, n at least 2."""
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(distances, np.inf)
    return float(np.median(distances.min(axis=1)))
