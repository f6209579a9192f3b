"""Adding a point to a posterior: its row and its whitened residual."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.errors import IllConditionedWarning
from ucbpe_core.linalg import NOISE_FLOOR, not_positive_definite, out_of_range, solve_lower
from ucbpe_core.rows import Key, Rows
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Floats


class Data(NamedTuple):
    """Whitened residuals (y - mean) / pivot and their y; 0 and NaN for a hallucinated point."""

    residuals: tuple[float, ...] = ()
    y: tuple[float, ...] = ()

    def plus(self, residual: float, y: float) -> Data:
        return Data((*self.residuals, residual), (*self.y, y))

    def first(self, n: int) -> Data:
        return Data(self.residuals[:n], self.y[:n])


def observed(
    posterior: Posterior,
    indices: Sequence[int],
    X: Floats,
    y: Floats,
    noise: tuple[float | None, ...],
) -> Posterior:
    """The posterior after values y (k,) at points X (k, d), candidates `indices` unless -1."""
    given = [one for one in noise if one is not None]
    if given:  # `Posterior.prior` has warned of the noise variance of the process
        posterior.gp.warn_if_raised(X, given)
    for j, x, value, own in zip(indices, X, y, noise, strict=True):
        posterior = extended(posterior, j, x, own, float(value))
    if posterior.rounded > 1:
        warnings.warn(
            f"rounding may move the posterior mean by {posterior.rounded:.2g} standard deviations, "
            "and std is enlarged to cover that: the values are far from what the prior expects. "
            "Raise noise_variance, or fit the variance and the lengthscale",
            IllConditionedWarning,
            stacklevel=3,
        )
    return posterior


def extended(
    posterior: Posterior, j: int, x: Floats, noise: float | None = None, y: float | None = None
) -> Posterior:
    """The posterior after y, or else its own mean, at the point x (d,), candidate j unless -1.

    `noise` is the noise variance of the measurement, or None for that of the process.

    Raises
    ------
    IllConditionedError
        For a posterior variance at x further below 0 than rounding explains, or a mean or
        covariance that overflows.
    """
    if j < 0:
        posterior = _with_floor_for(posterior, x, noise)
    rows, n = posterior._rows, posterior.n
    # Posteriors that share rows may be extended from several threads.
    with rows.lock:
        if len(rows.keys) > n and not rows.keys[n].is_of(j, x.tobytes(), noise):
            rows = rows.branch(n)
        if len(rows.keys) == n:
            key = _key(posterior, j, x, noise)
            rows.append(key, posterior._covariance(x, key.factor) / key.pivot)
    key, row, residual = rows.keys[n], rows[n], 0.0
    if y is not None:
        known = posterior.mean[j] if j >= 0 else _mean(posterior, key.factor)
        residual = float(y - known) / key.pivot
    # A hallucination does not change the mean, so both posteriors share the array.
    mean = posterior.mean + residual * row if residual else posterior.mean
    if residual and not np.isfinite(mean).all():
        raise out_of_range(f"a mean that overflows after a value of {y:.3g}")
    variance = posterior._unclipped_variance - row**2
    data = posterior._data.plus(residual, np.nan if y is None else y)
    longer = posterior._derived(rows, data, mean, variance)
    if y is None and key.noise_ratio == posterior._noise_ratio:
        # The residuals and noise are the same; summing them again would cost more than the row.
        vars(longer)["rounded"] = posterior.rounded
    return longer


def _with_floor_for(posterior: Posterior, x: Floats, noise: float | None) -> Posterior:
    """The same posterior, with a noise floor that is also enough for the point x (d,).

    The floor is one for all points (`GaussianProcess.effective_noise`): where a point that is not a
    candidate has a larger prior variance than all of these, the earlier points are added again.
    """
    gp, largest = posterior.gp, float(posterior.gp.kernel.diagonal(x[None])[0])
    least = min(gp.noise_of([noise, *posterior.known_noise]))
    if largest <= posterior._rows.prior_variance or least >= NOISE_FLOOR * largest:
        return posterior
    rows = Rows(len(posterior.candidates), largest)
    again = type(posterior)(gp, posterior.candidates, rows, Data())
    for key, y in zip(posterior._rows.keys, posterior.y.tolist(), strict=False):
        value = None if math.isnan(y) else y
        again = extended(again, key.candidate, np.frombuffer(key.point), key.noise, value)
    return again


def _mean(posterior: Posterior, factor: Floats) -> float:
    return float(posterior.gp.mean + factor @ np.array(posterior._data.residuals))


def _key(posterior: Posterior, j: int, x: Floats, known_noise: float | None) -> Key:
    """The key of the row of one more point, with pivot sqrt(variance + effective noise)."""
    rows, n, kernel = posterior._rows, posterior.n, posterior.gp.kernel
    prior = kernel.diagonal(x[None])
    if j >= 0:
        factor, variance = rows.column(j, n), float(posterior._unclipped_variance[j])
    else:
        cross = kernel.evaluate(posterior.conditioned().X, x[None])[:, 0]
        factor = solve_lower(rows.factor(n), cross)
        variance = float(prior[0] - factor @ factor)
    # Written so that NaN is refused as well.
    if not -0.5 * NOISE_FLOOR * prior[0] <= variance < np.inf:
        raise not_positive_definite(f"a posterior variance of {variance:.3g} at {x.tolist()}")
    known = () if known_noise is None else (known_noise,)
    noise = float(posterior.gp.effective_noise(prior, known, rows.prior_variance)[0])
    pivot = math.sqrt(max(variance, 0.0) + noise)
    if not pivot < np.inf:
        raise out_of_range("a variance that overflows")
    ratio = max(posterior._noise_ratio, float(prior[0]) / noise)
    conditioning = max(posterior.conditioning, float(prior[0]) / pivot**2)
    gain = posterior.information_gain + max(math.log(pivot**2 / noise), 0.0) / 2
    return Key(j, x.tobytes(), known_noise, pivot, read_only(factor), ratio, conditioning, gain)
