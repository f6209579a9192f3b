"""Draws of a stationary Gaussian process on a regular grid, by circulant embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core.errors import IllConditionedError
from ucbpe_core.problems.base import regular_grid

if TYPE_CHECKING:
    from ucbpe_core.kernels.stationary import Stationary
    from ucbpe_core.validation import Floats

# Negative eigenvalues of this share of the largest are rounding; more would distort the covariance.
_TOLERANCE = 1e-12
# A longer period lets the covariance decay before it wraps around. It ends at this many numbers:
# they are 128 MB, and a few arrays of that size are needed.
_LARGEST_EMBEDDING = 4096**2


def stationary_draw(
    kernel: Stationary, bounds: Floats, resolution: int, rng: np.random.Generator
) -> Floats:
    """One draw of GP(0, kernel) on the grid of `regular_grid(bounds, resolution)`, shape (M,).

    The grid covariance is embedded in a periodic one, which the Fourier transform diagonalises:
    exact in distribution up to rounding, in O(P log P) instead of O(M^3). The period doubles
    until the embedding is positive semi-definite.

    Raises
    ------
    IllConditionedError
        If no period tried gives one (a lengthscale far beyond the domain).

    References
    ----------
    Wood and Chan, Journal of Computational and Graphical Statistics 3, 1994.
    """
    bounds = np.asarray(bounds, dtype=float)
    steps = (bounds[:, 1] - bounds[:, 0]) / (resolution - 1)
    period = scipy.fft.next_fast_len(4 * resolution)
    while period ** len(steps) <= _LARGEST_EMBEDDING:
        eigenvalues = _embedding_eigenvalues(kernel, steps, period)
        if eigenvalues.min() >= -_TOLERANCE * eigenvalues.max():
            noise = rng.standard_normal((2, *eigenvalues.shape))
            spectrum = np.sqrt(np.maximum(eigenvalues, 0) / eigenvalues.size)
            draw = np.asarray(scipy.fft.fftn(spectrum * (noise[0] + 1j * noise[1]))).real
            return np.ascontiguousarray(draw[(slice(resolution),) * len(steps)]).ravel()
        period = scipy.fft.next_fast_len(2 * period)
    raise IllConditionedError(
        "a covariance that decays within the period",
        f"lengthscale {kernel.lengthscale} on a domain of extent {np.ptp(bounds, axis=1)}",
        "shorten the lengthscale, or use GaussianProcess.sample",
    )


def _embedding_eigenvalues(kernel: Stationary, steps: Floats, period: int) -> Floats:
    """Eigenvalues of the periodic covariance, shape (period,) * d."""
    wrapped = np.minimum(np.arange(period), period - np.arange(period))
    lags, shape = regular_grid([(0, period - 1)] * len(steps), period)
    offsets = wrapped[lags.astype(np.intp)] * steps
    row = kernel.evaluate(offsets, np.zeros((1, len(steps))))[:, 0]
    return np.asarray(scipy.fft.fftn(row.reshape(shape))).real
