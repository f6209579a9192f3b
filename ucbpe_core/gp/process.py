"""A Gaussian process: the prior, the process given data, and its predictions at any point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import IllConditionedWarning, warn
from ucbpe_core.gp.kernels import Kernel, Matern
from ucbpe_core.gp.kernels.scales import scaled_to
from ucbpe_core.gp.linalg import (
    NOISE_FLOOR,
    factor,
    jittered_cholesky,
    rounding,
    solve_lower,
    std_of,
    warn_if_rounded,
)
from ucbpe_core.support import limits, streams
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import (
    Keyworded,
    all_equal,
    count,
    instance,
    noise_variances,
    non_negative,
    points,
    read_only,
    real,
    set_checked,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.support.validation import Booleans, Floats, Noise

__all__ = ["ConditionedProcess", "GaussianProcess", "Prediction"]


@dataclass(frozen=True)
class GaussianProcess(Keyworded):
    """Prior f ~ GP(mean, kernel), seen through y = f(x) + e, e ~ N(0, noise_variance).

    Parameters
    ----------
    kernel : Kernel
    noise_variance : float, at least 0, in squared units of y. Data are conditioned on with
        `effective_noise`, which is larger where this is below 1e-10 of the largest prior variance:
        0 stands for "as little as double precision allows"
    mean : float, constant prior mean, in units of y

    Notes
    -----
    A point measured twice counts as two measurements with that noise, so that without noise the
    posterior mean there is the average of the two values, in `condition` and in `Posterior` alike.

    Warns
    -----
    IllConditionedWarning
        On conditioning, for a noise variance above 0 that has to be raised.

    Raises
    ------
    InputError
        For a kernel of another type, a negative noise variance or a mean that is not finite.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Matern
    >>> gp = GaussianProcess(Matern(nu=2.5, lengthscale=0.3), noise_variance=0.01)
    >>> prediction = gp.condition([0.2, 0.8], [1.0, -1.0]).predict([0.2, 0.4])
    >>> prediction.mean.round(3), prediction.std.round(3)
    (array([0.989, 0.431]), array([0.099, 0.641]))
    """

    kernel: Kernel
    noise_variance: float = 0.01
    mean: float = 0.0

    def __post_init__(self) -> None:
        instance(self.kernel, Kernel, "pass e.g. RBF()")
        set_checked(self, noise_variance=non_negative, mean=real)

    @classmethod
    def from_data(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        noise_variance: float | None = None,
        domain: ArrayLike | None = None,
    ) -> GaussianProcess:
        """A prior on the scale of values y (n,) at points X (n, d), before any fit.

        Its mean is the mean of y, its variance the sample variance of y, and each lengthscale a
        third of the extent of its column of X. The kernel's own values are replaced, and a scalar
        lengthscale becomes one for each column. Of a single value, or of values that are all equal
        (but for rounding), the only scale is their size: the standard deviation is then |y|, or 1
        for zeros. The extent of a constant column is 1.

        Parameters
        ----------
        kernel : default `Matern(nu=2.5)`
        noise_variance : default a hundredth of the variance of y
        domain : points (m, d) whose extents set the lengthscales; default X. With few points in X,
            pass the candidates

        Raises
        ------
        InputError
            For no points, shapes that do not agree, NaN or infinities.

        Examples
        --------
        >>> from ucbpe_core import GaussianProcess, Matern
        >>> gp = GaussianProcess.from_data([0, 3, 6], [10, 12, 14], kernel=Matern(nu=2.5))
        >>> gp.mean, round(gp.kernel.lengthscale, 3), round(gp.kernel.variance, 3)
        (12.0, 2.0, 4.0)
        """
        X = points(X, "X")
        y = values(y, "y", len(X))
        count(len(X), "the number of points in X")
        spread = X if domain is None else points(domain, "domain", X.shape[1])
        with np.errstate(over="ignore"):
            variance = float(np.abs(y).max() ** 2 if all_equal(y) else np.var(y, ddof=1))
        variance = variance if 0 < variance < np.inf else 1.0  # under- or overflow
        noise = variance / 100 if noise_variance is None else noise_variance
        kernel = Matern(nu=2.5) if kernel is None else kernel
        return cls(scaled_to(kernel, spread, variance), noise, float(y.mean()))

    def condition(
        self, X: ArrayLike, y: ArrayLike, noise_variance: Noise = None
    ) -> ConditionedProcess:
        """Condition on values y (n,) at points X (n, d), by one dense Cholesky factor.

        `noise_variance` is the known noise variance of each value, a number or (n,), in squared
        units of y; None stands for the noise variance of the process.

        Raises
        ------
        InputError
            For shapes that do not agree, NaN or infinities, or a negative noise variance.
        IllConditionedError
            When the covariance of the data is not positive definite.
        """
        X = points(X, "X")
        y = values(y, "y", len(X))
        fixed_noise = noise_variances(noise_variance, len(X))
        self.warn_if_raised(X, fixed_noise)
        L = factor(self.noisy_gram(X, fixed_noise))
        w, prior = solve_lower(L, y - self.mean), self.kernel.diagonal(X)
        noise = self.effective_noise(prior, fixed_noise)
        ratio, s = float((prior / noise).max(initial=0.0)), float(noise.min(initial=np.inf)) ** 0.5
        warn_if_rounded(rounding(w.tolist(), ratio, self.mean / s, self.kernel.rounding_units))
        return ConditionedProcess(self, X, y, L, w, fixed_noise)

    def noisy_gram(self, X: Floats, fixed_noise: Sequence[float | None] = ()) -> Floats:
        """C = k(X, X) + D, shape (n, n), with the diagonal D of `effective_noise`."""
        C = self.kernel.gram(X)
        C[np.diag_indices_from(C)] += self.effective_noise(np.diag(C), fixed_noise)
        return C

    def noise_of(self, fixed_noise: Sequence[float | None]) -> Floats:
        """The noise variance of measurements (n,): the known one, or that of the process."""
        return np.array([self.noise_variance if noise is None else noise for noise in fixed_noise])

    def effective_noise(
        self, prior: Floats, fixed_noise: Sequence[float | None] = (), signal: float = 0.0
    ) -> Floats:
        """The noise variance used in conditioning, at points of prior variance (n,), shape (n,).

        max(noise_variance, 1e-10 v), v the largest of these prior variances and of `signal`, with
        the noise variances `fixed_noise` (n,) where these are given and not None: with less,
        rounding errors would dominate the posterior (`linalg.NOISE_FLOOR`). The floor is equal for
        all points, as one in proportion to each prior variance would weight the data. If all prior
        variances are 0, f is known and data change nothing, whatever their noise; 1 is used if that
        is 0 too.

        Parameters
        ----------
        signal : the largest prior variance of all points that count, such as all candidates
        """
        least = NOISE_FLOOR * max(signal, float(prior.max(initial=0.0)))
        if all(noise is None for noise in fixed_noise):  # of every row that a batch appends
            return np.full(prior.shape, max(self.noise_variance, least) or 1.0)
        raised = np.maximum(self.noise_of(fixed_noise), least)
        return raised + (raised == 0.0)

    def resolves(self, signal: float) -> bool:
        """Whether the noise variance is used as it is where the largest prior variance is `signal`.

        If not, f is known after one measurement (`knows`).
        """
        return self.noise_variance > 0 and self.noise_variance >= NOISE_FLOOR * signal

    def knows(self, std: Floats, signal: float) -> Booleans:
        """Whether a std (n,) is no more than one noise-free measurement leaves.

        Only `effective_noise` is then left there, with the same `signal`, the largest prior
        variance of all points that count. Always false with noise.
        """
        if self.resolves(signal):  # without a pass over the points
            return read_only(np.zeros(std.shape, dtype=bool))
        return read_only(std**2 <= 2 * (NOISE_FLOOR * signal or 1.0))

    def warn_if_raised(self, X: Floats, fixed_noise: Sequence[float | None] = ()) -> None:
        """Warn if a noise variance above 0 has to be raised at points X (n, d)."""
        least = NOISE_FLOOR * float(self.kernel.diagonal(X).max(initial=0.0))
        noise = self.noise_of(fixed_noise) if fixed_noise else np.array(self.noise_variance)
        smallest = float(noise[noise > 0].min(initial=np.inf))
        if smallest < least < np.inf:
            warn(
                f"noise_variance {smallest:.3g} is below {NOISE_FLOOR:g} of the prior "
                f"variance, less than double precision resolves; {least:.3g} is used instead. "
                "Pass 0 for data without noise, or scale y",
                IllConditionedWarning,
            )

    def sample(
        self, X: ArrayLike, rng: int | np.random.Generator = 0, *, size: int | None = None
    ) -> Floats:
        """A draw of f at points X (n, d), shape (n,), or `size` draws (size, n).

        Needs one dense n x n factor, for any number of draws; `TooLargeError` if it does not fit.
        """
        X = points(X, "X")
        _check_factor(len(X))
        return _draw(self.mean, self.kernel.gram(X), rng, size)


@dataclass(frozen=True, eq=False)
class Prediction(Frozen):
    """Mean and standard deviation at m points, each of shape (m,), in units of y.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> prediction = GaussianProcess(RBF()).condition([0.0, 1.0], [0.2, 0.7]).predict([0.5, 9.0])
    >>> prediction.mean.round(3), prediction.std.round(3)
    (array([0.491, 0.   ]), array([0.191, 1.   ]))
    """

    mean: Floats
    std: Floats


@dataclass(frozen=True, eq=False)
class ConditionedProcess(Frozen):
    """A Gaussian process given n observations, kept as L and w = L^-1 (y - mean).

    Attributes
    ----------
    gp : the prior
    X, y : observed points, shape (n, d), and the values there, shape (n,); NaN if hallucinated
    L : lower Cholesky factor of C = k(X, X) + D, shape (n, n), D from `gp.effective_noise`
    w : whitened residuals, shape (n,)
    fixed_noise : the noise variance given for each value; None stands for the variance of `gp`

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> process = GaussianProcess(RBF()).condition([0.0, 1.0], [0.2, 0.7])
    >>> process.predict([0.5]).mean.round(3), process.sample([0.5, 2.0], size=100).shape
    (array([0.491]), (100, 2))
    """

    gp: GaussianProcess
    X: Floats
    y: Floats = field(repr=False)
    L: Floats = field(repr=False)
    w: Floats = field(repr=False)
    fixed_noise: tuple[float | None, ...] = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("X", "y", "L", "w"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def predict(self, Z: ArrayLike, *, noisy: bool = False) -> Prediction:
        """Posterior at points Z (m, d), paper eqs (1) and (2).

        With V = L^-1 k(X, Z): mean + V' w and k(z, z) - sum V^2. The standard deviation is for the
        latent f; with `noisy`, for a new measurement (noise_variance added).
        """
        Z = points(Z, "Z", self.X.shape[1])
        V = solve_lower(self.L, self.gp.kernel.evaluate(self.X, Z))
        mean = self.gp.mean + self.w @ V
        std = std_of(self.gp.kernel.diagonal(Z) - np.einsum("nm,nm->m", V, V))
        if noisy:
            std = np.sqrt(std**2 + self.gp.noise_variance)
        return Prediction(read_only(mean), read_only(std))

    def covariance(self, Z: ArrayLike) -> Floats:
        """Posterior covariance of the latent f at points Z (m, d), shape (m, m); not clipped."""
        Z = points(Z, "Z", self.X.shape[1])
        _check_factor(len(Z))
        V = solve_lower(self.L, self.gp.kernel.evaluate(self.X, Z))
        return self.gp.kernel.gram(Z) - V.T @ V

    def sample(
        self, Z: ArrayLike, rng: int | np.random.Generator = 0, *, size: int | None = None
    ) -> Floats:
        """A joint draw of the latent f at points Z (m, d), shape (m,), or `size` draws (size, m).

        As `GaussianProcess.sample`; for a few of many points draw at these alone.
        """
        return _draw(self.predict(Z).mean, self.covariance(Z), rng, size)


def _check_factor(m: int) -> None:
    size = 3 * m * m * np.dtype(float).itemsize
    limits.require(size, f"draws at {m} points", "draw at fewer points")


def _draw(
    mean: Floats | float, covariance: Floats, rng: int | np.random.Generator, size: int | None
) -> Floats:
    """A joint draw from N(mean, covariance (m, m)), shape (m,), or `size` draws (size, m)."""
    root, stream = jittered_cholesky(covariance), streams.function(rng)
    if size is None:
        return mean + root @ stream.standard_normal(len(root))
    return mean + stream.standard_normal((count(size, "size"), len(root))) @ root.T
