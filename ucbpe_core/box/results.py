"""What is told: which picks it answers, and the belief given it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import IllConditionedError, UCBPEError

if TYPE_CHECKING:
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Floats


# Of the tolerance: a setting that was rounded by just that much is within it.
_ROUNDING = 1e-9


def nearest_picks(
    X: Floats, picks: dict[int, Floats], box: Floats, tolerance: float
) -> tuple[int, ...]:
    """Numbers of the `picks` that the settings X (k, d) answer: the nearest pair first.

    The distance of a setting and a pick is the largest difference of a coordinate as a share of
    its side of the box; pairs further apart than `tolerance` do not count, and each setting
    answers one pick at most. Ties go to the earlier setting, then to the earlier of `picks`.
    """
    if not picks or not len(X):
        return ()
    sides = box[:, 1] - box[:, 0]
    numbers, points = list(picks), np.array(list(picks.values()))
    apart = (np.abs(X[:, None] - points) / sides).max(axis=2)
    answered: dict[int, int] = {}  # number of the pick: setting
    for pair in np.argsort(apart, axis=None, kind="stable"):
        i, j = divmod(int(pair), len(numbers))
        if apart[i, j] > tolerance * (1 + _ROUNDING):
            break
        if numbers[j] not in answered and i not in answered.values():
            answered[numbers[j]] = i
    return tuple(answered)


def conditioned_on(belief: Posterior, X: Floats, y: Floats | None) -> Posterior:
    """The belief after values y (k,) at points X (k, d), or as if they had been observed at
    their mean.

    Raises
    ------
    IllConditionedError
        When the covariance of the points is numerically singular.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # seen just below
            after = belief.hallucinate_points(X) if y is None else belief.observe_points(X, y)
        process = after.conditioned()
        finite = bool(np.isfinite(process.L).all() and np.isfinite(process.w).all())
    except UCBPEError:
        raise
    except ValueError:  # SciPy's, of a factor that is not finite; its LinAlgError is one too
        finite = False
    if not finite:
        raise singular(belief.n + len(X))
    return after


def singular(n: int) -> IllConditionedError:
    """The error for n points whose covariance is numerically singular."""
    return IllConditionedError(
        "a positive definite covariance of the points",
        f"a numerically singular one of {n} points",
        "raise noise_variance, drop repeated points or shorten the lengthscale",
    )
