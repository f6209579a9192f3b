"""Ties: scores that rounding could order either way count as equal, and the lowest index wins.

Two candidates can have the same score by symmetry, because they are equal, or because both are far
from every point. In floating point such scores differ in their last digits, by processor, number
of threads and library version. So every choice here is "the lowest index whose score is within a
tolerance of the best", and the masks of R and R+ use the same tolerance. A choice then depends on
rounding only if two unrelated scores happen to differ by the tolerance to within rounding, which
has a probability proportional to rounding.

The tolerances are those of a std, which does not depend on the values observed, and of a mean. The
others follow: that of mean + c std is the one of the mean plus c times the one of the std, and a
score that is another function of both is compared with what the best candidate would have, were its
mean and std lower by theirs.
"""

from __future__ import annotations

import math
from sys import float_info
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_core.support.validation import Booleans, Floats


class Tied(Protocol):
    """Anything with tolerances of its mean and std, such as a `Posterior`."""

    @property
    def tolerance(self) -> float:
        """Within which two means tie."""

    def std_tolerance(self, std: float | None = None) -> float:
        """Within which standard deviations of about `std` tie; None: of any size."""


# Share of the prior standard deviation. With noise variances of 1e-6 to 1 of the prior's, the std
# after up to 60 points moved by at most 2.4e-12 of it across BLAS kernels for five processors.
TIE = 1e-11
# The same of numbers that come from a root or an inverse of a covariance, which loses more digits:
# draws of f, and the gradient of the mean.
DERIVED = 1e-9


def of_std(prior_std: float, conditioning: float, n: float) -> float:
    """How far two standard deviations after n points may lie apart and still tie.

    prior_std (TIE + 2 n u sqrt(conditioning)), with u = 2^-52: a variance that rounding moves by
    n u prior_std^2 moves a std like the least pivot by n u prior_std sqrt(conditioning) / 2. Across
    five BLAS kernels the largest std of a run moved by at most 0.75 n u prior_std
    sqrt(conditioning) with noise variances of 1e-6 of the prior's and more; without noise by at
    most 0.69 of that in 99 % of the runs, 7.9 in one.

    Parameters
    ----------
    prior_std : largest prior standard deviation over the candidates
    conditioning : largest prior variance over squared pivot of the points (`rows.Key`), or over
        squared std if that is larger: at most about prior variance over noise variance, and far
        less where no point tells what another one does
    n : number of points, and `Kernel.rounding_units`
    """
    return prior_std * (TIE + 2 * n * float_info.epsilon * math.sqrt(conditioning))


def of_mean(
    prior_std: float, offset: float, conditioning: float, n: float, residuals: Sequence[float]
) -> float:
    """How far two means after n points may lie apart and still tie.

    prior_std TIE + n u (|offset| + 2 prior_std sqrt(conditioning) ||w||), in the terms of
    `linalg.rounding`. Across five BLAS kernels the means moved by at most 0.56 n u (|offset| +
    prior_std sqrt(conditioning) ||w||) with noise variances of 1e-6 and more, 3.2 without noise.

    Parameters
    ----------
    prior_std, conditioning, n : as in `of_std`
    offset : prior mean
    residuals : w = L^-1 (y - m)
    """
    by_points = 2 * prior_std * math.sqrt(conditioning) * math.hypot(*residuals)
    return prior_std * TIE + n * float_info.epsilon * (abs(offset) + by_points)


def of_bound(posterior: Tied, beta: float, std: float | None = None) -> float:
    """Within which scores mean + sqrt(beta) std of candidates with about that std tie."""
    return posterior.tolerance + math.sqrt(beta) * posterior.std_tolerance(std)


def first_best(
    score: Floats, tolerance: float | Callable[[float], float], mask: Booleans | None = None
) -> int:
    """Lowest index whose score is within `tolerance` of the largest; score and mask (M,).

    The tolerance may be a function of the largest score. Of scores that overflow to infinity, the
    first.
    """
    eligible = score if mask is None else np.where(mask, score, -np.inf)
    first = int(eligible.argmax())
    best = float(eligible[first])
    within = tolerance(best) if callable(tolerance) else tolerance
    least = best - within if math.isfinite(best) else best
    return int((eligible[: first + 1] >= least).argmax())
