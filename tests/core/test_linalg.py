"""The Cholesky factor with the least jitter that works."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from ucbpe_core.errors import IllConditionedError
from ucbpe_core.linalg import RELATIVE_JITTER, jittered_cholesky


def test_no_jitter_where_none_is_needed() -> None:
    """A positive definite matrix is factored as it is."""
    A = np.random.default_rng(0).normal(size=(6, 6))
    C = A @ A.T + np.eye(6)
    # To the bit, by the same LAPACK: NumPy's may round differently.
    np.testing.assert_array_equal(jittered_cholesky(C), scipy.linalg.cholesky(C, lower=True))


def test_jitter_is_small() -> None:
    """A singular matrix is factored after moving its diagonal by next to nothing."""
    C = 4.0 * np.ones((5, 5))
    L = jittered_cholesky(C)
    np.testing.assert_allclose(L @ L.T, C, atol=4.0 * RELATIVE_JITTER * 1.01)


def test_an_indefinite_matrix_is_refused() -> None:
    """No admissible jitter makes it one that can be factored; the error names the remedies."""
    with pytest.raises(IllConditionedError, match="raise noise_variance, drop repeated points"):
        jittered_cholesky(np.diag([1.0, -1.0]))
