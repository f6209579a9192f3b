"""Ties: scores that rounding could order either way count as equal, and the lowest index wins.

Two candidates can have the same score by symmetry, because they are equal, or because both are far
from every point. In floating point such scores differ in their last digits, by processor, number
of threads and library version. So every choice here is "the lowest index whose score is within a
tolerance of the best", and the masks of R and R+ use the same tolerance. A choice then depends on
rounding only if two unrelated scores happen to differ by the tolerance to within rounding, which
has a probability proportional to rounding.

The tolerance is that of a score in units of y: of a std, which does not depend on the values
observed, and of a mean, the larger one. Others follow from it: mean + c std has 1 + c times that of
a mean, and a score that is another function of both is compared with what the best candidate would
have, were its mean and std lower by theirs.
"""

from __future__ import annotations

import math
from sys import float_info
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.validation import Booleans, Floats

# Share of the prior standard deviation. On symmetric data with noise variance 1e-6 to 1 of the
# prior's, equal standard deviations differ by at most 1.4e-12 of it, without noise by 2.5e-10.
TIE = 1e-9


def of_std(prior_std: float, noise_ratio: float, n: int) -> float:
    """How far two standard deviations after n points may lie apart and still tie.

    prior_std (TIE + 2 n u sqrt(noise_ratio)), with u = 2^-52: a variance that rounding moves by
    n u prior_std^2 moves a std like that of the noise by n u prior_std sqrt(noise_ratio) / 2.

    Parameters
    ----------
    prior_std : largest prior standard deviation over the candidates
    noise_ratio : largest prior variance over noise variance of the points
    """
    return prior_std * (TIE + 2 * n * float_info.epsilon * math.sqrt(noise_ratio))


def of_mean(
    prior_std: float, offset: float, noise_ratio: float, residuals: Sequence[float]
) -> float:
    """How far two means after n points may lie apart and still tie.

    prior_std TIE + n u (|offset| + 2 prior_std sqrt(noise_ratio) ||w||): `linalg.rounding` bounds
    the error by n u noise_ratio ||w|| std, and where symmetry makes means equal they differed by at
    most 1.3 times that bound for the std of the noise, n u prior_std sqrt(noise_ratio) ||w||.

    Parameters
    ----------
    prior_std, noise_ratio : as in `of_std`
    offset : prior mean
    residuals : w = L^-1 (y - m), n of them
    """
    by_noise = 2 * prior_std * math.sqrt(noise_ratio) * math.hypot(*residuals)
    return prior_std * TIE + len(residuals) * float_info.epsilon * (abs(offset) + by_noise)


def first_best(score: Floats, tolerance: float, mask: Booleans | None = None) -> int:
    """Lowest index whose score is within `tolerance` of the largest; score and mask (M,).

    Of scores that overflow to infinity, the first.
    """
    eligible = score if mask is None else np.where(mask, score, -np.inf)
    first = int(eligible.argmax())
    best = float(eligible[first])
    least = best - tolerance if math.isfinite(best) else best
    return int((eligible[: first + 1] >= least).argmax())
