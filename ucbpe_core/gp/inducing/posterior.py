"""The approximate posterior, behind the face of the exact one."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp import ties
from ucbpe_core.gp.inducing.fit import Basis, Fit, Told
from ucbpe_core.gp.linalg import rounding, warn_if_rounded
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.support.validation import count, frozen_copy, noise_variances, read_only, values
from ucbpe_core.support.validation import indices as checked_indices

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.validation import Floats, Noise


class Hallucination(NamedTuple):
    """A candidate observed at its mean: its row and pivot, noise variance and remainder."""

    candidate: int
    row: Floats
    pivot: float
    noise: float
    remainder: float


class InducingPosterior(Posterior):
    """An approximate `Posterior`, of the candidates as data alone.

    `mean_error` and `std_error` bound how far mean and std are from the exact ones; the regions R
    and R+ count them (`region.relevant_region`), so that they hold the exact regions. Policies that
    need the rows of all points, such as `ThompsonSampling`, ask for the exact posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.gp.inducing import Inducing, prior
    >>> gp, X, y = GaussianProcess(RBF()), np.linspace(0, 9, 50), np.sin(np.arange(50))
    >>> found = prior(gp, X, Inducing(most=12)).observe(range(50), y)
    >>> exact = Posterior.prior(gp, X).observe(range(50), y)
    >>> bool((abs(found.mean - exact.mean) <= found.mean_error).all()), found.name
    (True, '12 inducing points')
    """

    has_rows = False
    _fit: Fit
    _told: Told
    _made: tuple[Hallucination, ...]  # after the values told

    def __init__(self, fit: Fit, told: Told, made: tuple[Hallucination, ...] = ()) -> None:
        self._fit, self._told, self._made = fit, told, made

    def __getattr__(self, name: str) -> NoReturn:
        if name == "state":
            wanted = "a posterior with the rows of all points, for this purpose"
            raise InputError(wanted, f"one of {self.name}", "use the exact posterior")
        raise AttributeError(f"an InducingPosterior has no {name!r}")

    @property
    def name(self) -> str:
        return f"{len(self._fit.basis.factor)} inducing points"

    @property
    def gp(self) -> GaussianProcess:
        return self._fit.gp

    @property
    def candidates(self) -> Floats:
        return self._fit.basis.candidates

    @property
    def n(self) -> int:
        return len(self._told.y) + len(self._made)

    @property
    def mean(self) -> Floats:
        return self._fit.mean

    @property
    def basis(self) -> Basis:
        """The inducing points and what they leave."""
        return self._fit.basis

    @property
    def prior_variance(self) -> float:
        return self.basis.signal

    @property
    def gain(self) -> float:
        """At least that of the exact posterior: log det(1 + S^-1/2 R_n S^-1/2) is at most its
        trace.
        """
        told = float(np.log(np.diag(self._fit.factor)).sum()) + self._fit.trace / 2
        pairs = [(one.pivot**2 / one.noise, one.remainder / one.noise) for one in self._made]
        return told + sum(math.log(ratio) + more for ratio, more in pairs) / 2

    @cached_property
    def raw_variance(self) -> Floats:
        return read_only(self.explained + self._fit.basis.remainder)

    @cached_property
    def mean_error(self) -> Floats:
        """Bound on |mean - exact mean|, shape (M,): that of the values told (module docstring)."""
        fit = self._fit
        return read_only(fit.bounds.scale * fit.distance(fit.variance, fit.bounds.eigenvalue))

    @cached_property
    def std_error(self) -> Floats:
        """Bound on |std - exact std|, shape (M,)."""
        fit, v = self._fit, self.explained
        more = sum(one.remainder / one.noise for one in self._made)
        delta = fit.distance(v, fit.bounds.eigenvalue + more)
        most = np.sqrt(np.minimum(v + delta**2, fit.basis.prior))
        return read_only(np.maximum(most - self.std, self.std - np.sqrt(v)))

    @cached_property
    def tolerance(self) -> float:
        fit, units = self._fit, self.gp.kernel.rounding_units
        prior_std = math.sqrt(self.prior_variance)
        rounded = self.n + units, [fit.whitened]
        return ties.of_mean(prior_std, self.gp.mean, fit.noise_ratio, *rounded)

    def std_tolerance(self, std: float | None = None) -> float:
        prior_std = math.sqrt(self.prior_variance)
        conditioning = max(self._fit.noise_ratio, (prior_std / std) ** 2 if std else 0.0)
        return ties.of_std(prior_std, conditioning, self.n + self.gp.kernel.rounding_units)

    @property
    def y(self) -> Floats:
        return frozen_copy([*self._told.y, *(np.nan for _ in self._made)])

    @property
    def points(self) -> Floats:
        return read_only(self.candidates[list(self.conditioned_indices)])

    @property
    def conditioned_indices(self) -> tuple[int, ...]:
        return (*self._told.indices, *(one.candidate for one in self._made))

    @property
    def fixed_noise(self) -> tuple[float | None, ...]:
        return (*self._told.noise, *(None for _ in self._made))

    def observe(
        self,
        indices: ArrayLike,
        y: ArrayLike,
        noise_variance: Noise = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Posterior:
        """As `Posterior.observe`; after a hallucination, `InputError`: observe first."""
        if self._made:
            got = f"{len(self._made)} hallucinated points"
            raise InputError("values before hallucinations", got, f"at({len(self._told.y)}) first")
        chosen = checked_indices(indices, len(self.candidates)).tolist()
        measured, noise = values(y, "y", len(chosen)), noise_variances(noise_variance, len(chosen))
        if not chosen:
            return self
        told = self._told.plus(Told(tuple(chosen), tuple(measured.tolist()), tuple(noise)))
        self.gp.warn_if_raised(self.candidates[chosen], noise)
        found = InducingPosterior(Fit(self.gp, self._fit.basis, told), told)
        fit, units = found._fit, self.gp.kernel.rounding_units
        offset = self.gp.mean * math.sqrt(fit.noise_ratio / (self.prior_variance or 1.0))
        warn_if_rounded(rounding([fit.whitened], fit.noise_ratio, offset, found.n + units))
        return found

    def hallucinate(self, indices: ArrayLike) -> Posterior:
        found = self
        for j in checked_indices(indices, len(self.candidates)).tolist():
            found = found._hallucinated(j)
        return found

    def _hallucinated(self, j: int) -> InducingPosterior:
        basis, row = self._fit.basis, self._fit.covariance(j)
        for one in self._made:
            row -= one.row[j] * one.row
        noise = float(self.gp.effective_noise(basis.prior[[j]], (), basis.signal)[0])
        pivot = math.sqrt(max(float(self.explained[j]), 0.0) + noise)
        made = Hallucination(j, read_only(row / pivot), pivot, noise, float(basis.remainder[j]))
        return InducingPosterior(self._fit, self._told, (*self._made, made))

    @cached_property
    def explained(self) -> Floats:
        """v, the variance without the remainder, shape (M,)."""
        squares = sum(one.row**2 for one in self._made)
        return read_only(np.maximum(self._fit.variance - squares, 0.0))

    def given(self, first: int, end: int) -> Posterior:
        own = InducingPosterior(Fit(self.gp, self.basis, Told()), Told())
        made = len(self._told.y)
        told = self._told.part(first, end)
        ahead = [one.candidate for one in self._made[max(first - made, 0) : max(end - made, 0)]]
        return own.observe(told.indices, told.y, list(told.noise)).hallucinate(ahead)

    def signed(self, sign: float) -> Posterior:
        if sign > 0:
            return self
        told = self._told._replace(y=tuple(-y for y in self._told.y))
        return InducingPosterior(self._fit.negated(), told, self._made)

    def at(self, n: int) -> Posterior:
        """The posterior after its first n points; of values told it is computed again."""
        if count(n, "n", minimum=0) > self.n:
            raise InputError(f"n of at most {self.n}", str(n), "at(n) only looks back")
        made = len(self._told.y)
        if n >= made:
            return InducingPosterior(self._fit, self._told, self._made[: n - made])
        told = self._told.part(0, n)
        return InducingPosterior(Fit(self.gp, self._fit.basis, told), told)

    def covariance(self, indices: ArrayLike) -> Floats:
        chosen, basis = checked_indices(indices, len(self.candidates)), self._fit.basis
        U, X = basis.factor, basis.candidates
        found = self.gp.kernel.evaluate(X[chosen], X) - U[:, chosen].T @ U
        found += np.reshape([self._fit.covariance(j) for j in chosen], found.shape)
        for one in self._made:
            found -= one.row[chosen][:, None] * one.row
        return read_only(found)

    def last_rows(self, k: int) -> Floats:
        return frozen_copy([one.row for one in self._made[len(self._made) - k :]])

    def restricted(self, indices: ArrayLike) -> Posterior:
        chosen = checked_indices(indices, len(self.candidates))
        told = self._told._replace(indices=(-1,) * len(self._told.y))
        made = tuple(one._replace(candidate=-1, row=one.row[chosen]) for one in self._made)
        return InducingPosterior(self._fit.restricted(chosen), told, made)
