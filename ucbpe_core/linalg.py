"""Cholesky with the least jitter that works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from ucbpe_core.errors import IllConditionedError

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats

# Jitter starts at this share of the mean diagonal and grows tenfold, `_TRIES` times at most:
# it ends at 1e-5, beyond which the matrix would no longer be the one the user asked for.
RELATIVE_JITTER = 1e-10
_TRIES = 6


def jittered_cholesky(matrix: Floats) -> Floats:
    """Lower L with L L' = matrix + jitter I, jitter 0 unless the plain factor fails.

    Raises
    ------
    IllConditionedError
        If the matrix, shape (n, n), is not positive definite even with the largest jitter.
    """
    if len(matrix) == 0:
        return matrix
    jitters = RELATIVE_JITTER * np.mean(np.diag(matrix)) * 10.0 ** np.arange(_TRIES)
    for jitter in [0.0, *jitters]:
        try:
            return np.asarray(cholesky(matrix + jitter * np.eye(len(matrix)), lower=True))
        except LinAlgError:
            continue
    raise IllConditionedError(
        "a positive definite covariance",
        f"one that fails with jitter {jitters[-1]:.1e} on its diagonal",
        "raise noise_variance, drop repeated points or shorten the lengthscale",
    )
