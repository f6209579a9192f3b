"""The Gaussian process prior."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import IllConditionedWarning, InputError
from ucbpe_core.kernels import Kernel, Matern
from ucbpe_core.kernels.scales import scaled_to
from ucbpe_core.linalg import NOISE_FLOOR, factor, solve_lower
from ucbpe_core.prediction import ConditionedProcess, draw
from ucbpe_core.validation import (
    count,
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

    from ucbpe_core.validation import Booleans, Floats, Noise


@dataclass(frozen=True)
class GaussianProcess:
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
        if not isinstance(self.kernel, Kernel):
            raise InputError("a Kernel", type(self.kernel).__name__, "pass e.g. RBF()")
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

        Its mean is that of y, its variance the sample variance of y, and each lengthscale a third
        of the extent of its column of X. The kernel's own values are replaced, and a scalar
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
        largest = float(np.abs(y).max())
        equal = np.ptp(y) <= 1e-12 * largest
        variance = largest**2 if equal else float(np.var(y, ddof=1))
        variance = variance if 0 < variance < np.inf else 1.0  # under- or overflow
        noise = variance / 100 if noise_variance is None else noise_variance
        kernel = Matern(nu=2.5) if kernel is None else kernel
        return cls(scaled_to(kernel, spread, variance), noise, float(y.mean()))

    def condition(
        self, X: ArrayLike, y: ArrayLike, noise_variance: Noise = None
    ) -> ConditionedProcess:
        """Condition on values y (n,) at points X (n, d), by one dense Cholesky factor.

        `noise_variance` is the known noise variance of each value, a number or (n,), in squared
        units of y; None stands for that of the process.

        Raises
        ------
        InputError
            For shapes that do not agree, NaN or infinities, or a negative noise variance.
        IllConditionedError
            When the covariance of the data is not positive definite.
        """
        X = points(X, "X")
        y = values(y, "y", len(X))
        known_noise = noise_variances(noise_variance, len(X))
        self.warn_if_raised(X, known_noise)
        L = factor(self.noisy_gram(X, known_noise))
        w = solve_lower(L, y - self.mean)
        prior = self.kernel.diagonal(X)
        ratio = float((prior / self.effective_noise(prior, known_noise)).max(initial=0.0))
        return ConditionedProcess(self, read_only(X), y, L, w, known_noise, ratio)

    def noisy_gram(self, X: Floats, known_noise: Sequence[float | None] = ()) -> Floats:
        """C = k(X, X) + D, shape (n, n), with the diagonal D of `effective_noise`."""
        C = self.kernel.gram(X)
        C[np.diag_indices_from(C)] += self.effective_noise(np.diag(C), known_noise)
        return C

    def noise_of(self, known_noise: Sequence[float | None]) -> Floats:
        """The noise variance of measurements (n,): the known one, or that of the process."""
        return np.array([self.noise_variance if one is None else one for one in known_noise])

    def effective_noise(
        self, prior: Floats, known_noise: Sequence[float | None] = (), signal: float = 0.0
    ) -> Floats:
        """The noise variance used in conditioning, at points of prior variance (n,), shape (n,).

        max(noise_variance, 1e-10 v), v the largest of these prior variances and of `signal`, with
        the noise variances `known_noise` (n,) where these are given and not None: with less,
        rounding errors would dominate the posterior (`linalg.NOISE_FLOOR`). The floor is equal for
        all points, as one in proportion to each prior variance would weight the data. If all prior
        variances are 0, f is known and data change nothing, whatever their noise; 1 is used if that
        is 0 too.

        Parameters
        ----------
        signal : the largest prior variance of all points that count, such as all candidates
        """
        least = NOISE_FLOOR * max(signal, float(prior.max(initial=0.0)))
        if all(one is None for one in known_noise):  # of every row that a batch appends
            return np.full(prior.shape, max(self.noise_variance, least) or 1.0)
        raised = np.maximum(self.noise_of(known_noise), least)
        return raised + (raised == 0.0)

    def knows(self, std: Floats, signal: float) -> Booleans:
        """Whether a std (n,) is no more than one noise-free measurement leaves.

        Only `effective_noise` is then left there, with the same `signal`, the largest prior
        variance of all points that count. Always false with noise.
        """
        noise = max(self.noise_variance, NOISE_FLOOR * signal) or 1.0
        if noise <= self.noise_variance:  # without a pass over the points
            return read_only(np.zeros(std.shape, dtype=bool))
        return read_only(std**2 <= 2 * noise)

    def warn_if_raised(self, X: Floats, known_noise: Sequence[float | None] = ()) -> None:
        """Warn if a noise variance above 0 has to be raised at points X (n, d)."""
        least = NOISE_FLOOR * float(self.kernel.diagonal(X).max(initial=0.0))
        noise = self.noise_of(known_noise) if known_noise else np.array(self.noise_variance)
        smallest = float(noise[noise > 0].min(initial=np.inf))
        if smallest < least < np.inf:
            warnings.warn(
                f"noise_variance {smallest:.3g} is below {NOISE_FLOOR:g} of the prior "
                f"variance, less than double precision resolves; {least:.3g} is used instead. "
                "Pass 0 for data without noise, or scale y",
                IllConditionedWarning,
                stacklevel=3,
            )

    def sample(
        self, X: ArrayLike, rng: int | np.random.Generator = 0, *, size: int | None = None
    ) -> Floats:
        """A draw of f at points X (n, d), shape (n,), or `size` draws (size, n).

        Needs one dense n x n factor, for any number of draws.
        """
        return draw(self.mean, self.kernel.gram(points(X, "X")), rng, size)
