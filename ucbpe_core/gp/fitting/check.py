"""Whether a Gaussian process fits its data: each value predicted from all others.

With K = k(X, X) + D and K^-1 from its Cholesky factor, the prediction of y_i without y_i has mean
y_i - [K^-1 (y - m)]_i / [K^-1]_ii and variance 1 / [K^-1]_ii: no refit (Rasmussen and Williams,
Gaussian Processes for Machine Learning, 2006, eqs 5.10 to 5.12).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy

from ucbpe_core.gp.fitting.densities import log_marginal_likelihood
from ucbpe_core.gp.kernels.radial import Matern
from ucbpe_core.gp.kernels.scales import leaves
from ucbpe_core.gp.linalg import solve_lower
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.gp.process import ConditionedProcess, GaussianProcess
    from ucbpe_core.support.validation import Floats

Cause = Literal["", "mean", "scale", "noise", "lengthscale", "kernel"]
Verdict = Literal[
    "few", "outlier", "mean", "scale", "noisy", "lengthscale", "rough", "wide", "uninformed", "good"
]
_LEVEL = 0.01  # of each test
_LEAST = 5  # values, to say anything
_VERDICTS: dict[Cause, Verdict] = {
    "mean": "mean",
    "scale": "scale",
    "noise": "noisy",
    "lengthscale": "lengthscale",
    "kernel": "rough",
}
# Factors of a hyperparameter that are tried, as powers of 4: up to a thousandfold std.
_POWERS = np.arange(-10.0, 11.0)
_STRETCHES = (0.5, 1.0, 2.0, 4.0)  # of the lengthscale of a rough kernel


@dataclass(frozen=True, eq=False)
class LeaveOneOut(Frozen):
    """Values y (n,), and mean and std of a noisy value there given all the others, (n,) each.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.gp.fitting import leave_one_out
    >>> found = leave_one_out(GaussianProcess(RBF()).condition([0.0, 1.0], [0.2, 0.7]))
    >>> found.mean.round(3), found.std.round(3)
    (array([0.42, 0.12]), array([0.804, 0.804]))
    """

    y: Floats = field(repr=False)
    mean: Floats
    std: Floats

    def __post_init__(self) -> None:
        for name in ("y", "mean", "std"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @cached_property
    def residuals(self) -> Floats:
        """(y - mean) / std, shape (n,): of a process that fits about standard normal."""
        return read_only((self.y - self.mean) / self.std)

    @property
    def share(self) -> float:
        """The share of the variance that is predicted, R²: 0 is no better than a constant.

        The constant is the mean of the other values, as each value is left out there, too.
        """
        others = (self.y.sum() - self.y) / max(len(self.y) - 1, 1)
        total = float(((self.y - others) ** 2).sum())
        return 1 - float(((self.y - self.mean) ** 2).sum()) / total if total else 0.0


@dataclass(frozen=True)
class ModelCheck:
    """What leaving each value out says of a Gaussian process.

    Attributes
    ----------
    verdict : "good", or what is wrong: "few" values, an "outlier", a wrong "mean", "scale"
        (variance of the kernel) or "lengthscale", values that are too "rough" for the kernel,
        "noisy" ones that scatter more than it says, predictions that are too "wide", or
        "uninformed" ones, no better than the mean of the other values
    loo : the predictions
    members : numbers of the values that show it; of an outlier that one, of rough ones two
    factor : root mean square of the whitened residuals; 1 is expected
    cause : which part of the prior to change: the one that alone explains the values best
    remedy : the prior with that changed, or None

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.gp.fitting import check_model
    >>> x = np.linspace(0, 6, 15)
    >>> check_model(GaussianProcess(RBF(2.0), 0.01).condition(x, np.sin(x) + (x == x[7]))).verdict
    'outlier'
    >>> found = check_model(GaussianProcess(RBF(2.0), 0.01).condition(x, np.sin(x) + 80))
    >>> found.cause, round(found.remedy.mean)
    ('mean', 80)
    """

    verdict: Verdict
    loo: LeaveOneOut = field(repr=False)
    members: tuple[int, ...] = ()
    factor: float = 1.0
    cause: Cause = ""
    remedy: GaussianProcess | None = None


def leave_one_out(process: ConditionedProcess) -> LeaveOneOut:
    """Each value of a conditioned process predicted from all others, in closed form.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.gp.fitting import leave_one_out
    >>> process = GaussianProcess(RBF(), 0.01).condition([0.0, 1.0, 2.0], [0.2, 0.7, 0.3])
    >>> leave_one_out(process).residuals.round(2)
    array([-0.35,  0.72, -0.26])
    """
    inverse = solve_lower(process.L, np.eye(len(process.L)))
    precision = (inverse**2).sum(axis=0)
    weights = solve_lower(process.L, process.w, transposed=True)
    return LeaveOneOut(process.y, process.y - weights / precision, 1 / np.sqrt(precision))


def check_model(process: ConditionedProcess) -> ModelCheck:
    """Whether a process fits its values, and if not, what is wrong with it.

    Each test has a level of 1 %. An outlier is the value furthest from its prediction, if all
    others agree without it; else the cause is the one hyperparameter, or the kernel with corners
    and jumps, Matérn 1/2, that raises the marginal likelihood most when it alone is changed.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.gp.fitting import check_model
    >>> x = np.linspace(0, 6, 15)
    >>> found = check_model(GaussianProcess(RBF(1.5), 0.01).condition(x, np.where(x < 3, 0, 3)))
    >>> found.verdict, found.members
    ('rough', (6, 7))
    """
    loo, n = leave_one_out(process), len(process.y)
    if n < _LEAST:
        return ModelCheck("few", loo)
    factor = float(np.sqrt(np.mean(process.w**2)))
    worst = int(np.argmax(np.abs(loo.residuals)))
    if not _plausible(process, loo):
        if _plausible(rest := _without(process, worst), leave_one_out(rest)):
            return ModelCheck("outlier", loo, (worst,), factor)
        cause, remedy = _remedy(process)
        members = (worst, _neighbour(process, worst)) if cause == "kernel" else (worst,)
        return ModelCheck(_VERDICTS[cause], loo, members, factor, cause, remedy)
    if scipy.special.chdtr(n, factor**2 * n) < _LEVEL:
        return ModelCheck("wide", loo, (), factor, *_remedy(process))
    return ModelCheck("good" if loo.share > 0 else "uninformed", loo, (), factor)


def _plausible(process: ConditionedProcess, loo: LeaveOneOut) -> bool:
    """Whether neither the largest residual nor all values are further off than chance allows.

    If the process is right, the whitened residuals w (n,) are independent standard normals.
    """
    n, squares = len(loo.y), float(process.w @ process.w)
    limit = -scipy.special.ndtri(_LEVEL / (2 * n))
    largest = float(np.abs(loo.residuals).max())
    return bool(largest <= limit and scipy.special.chdtrc(n, squares) >= _LEVEL)


def _without(process: ConditionedProcess, i: int) -> ConditionedProcess:
    kept = np.delete(np.arange(len(process.y)), i)
    noise = [process.fixed_noise[j] for j in kept]
    return process.gp.condition(process.X[kept], process.y[kept], noise)


def _remedy(process: ConditionedProcess) -> tuple[Cause, GaussianProcess]:
    """Of all priors that differ in one thing, the one that explains the values best."""
    gp, one = process.gp, solve_lower(process.L, np.ones(len(process.y)))
    found: dict[Cause, GaussianProcess] = {
        # The generalised least squares mean.
        "mean": replace(gp, mean=gp.mean + float(one @ process.w / (one @ one))),
        "noise": _best(process, partial(_noisier, gp, _least_noise(process))),
    }
    scales: tuple[tuple[Cause, str], ...] = (("scale", "y^2"), ("lengthscale", "x"))
    for cause, unit in scales:
        if unit in gp.kernel.parameter_units:
            found[cause] = _best(process, partial(_scaled, gp, unit))
    if (rough := _rougher(process)) is not None:
        found["kernel"] = rough
    return max(found.items(), key=lambda pair: _evidence(pair[1], process))


def _best(
    process: ConditionedProcess, changed: Callable[[float], GaussianProcess]
) -> GaussianProcess:
    """The best of the priors that `changed` makes of a factor: of powers of 4, then between."""

    def cost(power: float) -> float:
        return -_evidence(changed(4.0**power), process)

    start = min(_POWERS.tolist(), key=cost)
    bounds = (start - 1.0, start + 1.0)
    between = scipy.optimize.minimize_scalar(
        cost, bounds=bounds, method="bounded", options={"xatol": 0.05}
    )
    return changed(4.0 ** float(between.x if between.fun < cost(start) else start))


def _noisier(gp: GaussianProcess, base: float, factor: float) -> GaussianProcess:
    return replace(gp, noise_variance=base * factor)


def _least_noise(process: ConditionedProcess) -> float:
    """Its noise variance, or a small one if it has none."""
    largest = float(process.gp.kernel.diagonal(process.X).max(initial=0.0))
    return process.gp.noise_variance or 1e-4 * largest


def _scaled(gp: GaussianProcess, unit: str, factor: float) -> GaussianProcess:
    """With all hyperparameters of that unit times `factor`."""
    pairs = zip(gp.kernel.parameters, gp.kernel.parameter_units, strict=True)
    scaled = [value * factor if own == unit else value for value, own in pairs]
    return replace(gp, kernel=gp.kernel.with_parameters(scaled))


def _evidence(gp: GaussianProcess, process: ConditionedProcess) -> float:
    noise = list(process.fixed_noise)
    return log_marginal_likelihood(gp, process.X, process.y, noise_variance=noise)


def _rougher(process: ConditionedProcess) -> GaussianProcess | None:
    """With the best kernel whose functions have corners and jumps: Matérn 1/2; None without one."""
    first = leaves(process.gp.kernel)[0]
    lengthscale = getattr(first, "lengthscale", None)
    if lengthscale is None:
        return None
    variance = float(process.gp.kernel.diagonal(process.X).max(initial=0.0))
    scales = [tuple(np.atleast_1d(lengthscale) * k) for k in _STRETCHES]
    kernels = [
        Matern(scale if len(scale) > 1 else scale[0], variance * k, nu=0.5)
        for scale in scales
        for k in (1.0, 4.0)
    ]
    priors = [replace(process.gp, kernel=kernel) for kernel in kernels]
    return max(priors, key=lambda gp: _evidence(gp, process))


def _neighbour(process: ConditionedProcess, worst: int) -> int:
    """The value that differs most from that of `worst`, for how correlated both should be."""
    close = process.gp.kernel.evaluate(process.X[[worst]], process.X)[0]
    return int(np.argmax(close * np.abs(process.y - process.y[worst])))
