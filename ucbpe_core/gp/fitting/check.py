"""Whether a process fits its data, and whether a prior can be right for them.

Each value is predicted from all others. With K = k(X, X) + D and K^-1 from its Cholesky factor, the
prediction of y_i without y_i has mean y_i - [K^-1 (y - m)]_i / [K^-1]_ii and variance
1 / [K^-1]_ii: no refit (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, eqs
5.10 to 5.12).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy

from ucbpe_core.errors import (
    FewerPicksWarning,
    KnownValuesWarning,
    PriorWarning,
    RepeatsWarning,
    warn,
)
from ucbpe_core.gp.fitting.densities import log_marginal_likelihood
from ucbpe_core.gp.kernels.scales import leaves
from ucbpe_core.gp.kernels.stationary import Matern, Stationary
from ucbpe_core.gp.linalg import solve_lower
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_core.errors import UCBPEError
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


def contradicts(verdict: Verdict) -> bool:
    """Whether the values speak against the process, and are not merely too few or uninformed."""
    return verdict not in ("few", "good", "uninformed")


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


# Root mean square of the values told, in standard deviations of the prior: 1 is expected.
_FAR = 10.0
# How many times as much the values vary as the prior lets them, both as standard deviations.
_VARIES = 10.0
# Lengthscales from a point to the nearest other one, the median of all: from about 5 on, no point
# says anything about another. Before that many points are told, a batch is still exploring.
_APART = 30.0
# Lengthscales in the whole extent, of the input that has most of them.
_FLAT = 0.01
_ENOUGH = 200  # points that are looked at

_ALL_KNOWN = (
    "f is known at every candidate in R+, so all picks of this batch are known and a result tells "
    'nothing new: the search has ended there. Set repeats = "avoid" to go on over the other '
    "candidates, or give the prior a noise_variance"
)
_FEWER = (
    "The batch has {picks} picks and no more: no other setting with the same {names} can be picked."
)
_REPEATED = (
    "every pick of this batch has been measured before: by the model, another result there tells "
    "more than one elsewhere. If that seems wrong, look at check_model(process)"
)
_REMEDY = (
    "Take mean, variance and lengthscales from the data: GaussianProcess.from_data, or refit()"
)


@dataclass(frozen=True)
class Watch:
    """What `ask` has warned of, so that it does so once.

    Attributes
    ----------
    silent : whether it warns of nothing
    prior, values : whether it has warned of the prior in use, and how many values were told when
        that was looked at last
    known : whether it has warned that f is known
    """

    silent: bool = False
    prior: bool = False
    values: int = 0
    known: bool = False

    def is_due(self, n: int) -> bool:
        """Whether to look at the prior with n values told.

        That is so whenever there are twice as many values: in a few batches of a run.
        """
        return not (self.silent or self.prior) and n >= 2 * self.values

    def look(self, gp: GaussianProcess, X: Floats, y: Floats, domain: Floats) -> Watch:
        """Warn if the prior cannot be right for values y (n,) at points X (n, d).

        The points `domain` (m, d) have the extents of the candidates, or of the box.
        """
        reason = implausible(gp, X, y, domain)
        if reason is not None:
            warn(f"{reason}. {_REMEDY}", PriorWarning)
        return replace(self, prior=reason is not None, values=len(y))

    def without_fit(self, error: UCBPEError) -> Watch:
        """Warn that no prior could be fitted."""
        if not self.silent:
            warn(f"The prior in force stays: {error}", PriorWarning)
        return self

    def of_repeats(self) -> None:
        """Warn that a batch is nothing but repeats, each time."""
        if not self.silent:
            warn(_REPEATED, RepeatsWarning)

    def of_fewer(self, picks: int, shared: Sequence[str]) -> None:
        """Warn that a batch has fewer picks, as no other setting shares what they do, each time."""
        if not self.silent:
            warn(_FEWER.format(picks=picks, names=", ".join(shared)), FewerPicksWarning)

    def with_all_known(self) -> Watch:
        """Warn that f is known at all picks, and nothing is left to learn in R+."""
        if self.silent or self.known:
            return self
        warn(_ALL_KNOWN, KnownValuesWarning)
        return replace(self, known=True)

    def with_new_prior(self) -> Watch:
        """After another prior came into use."""
        return replace(self, prior=False, values=0)


def implausible(gp: GaussianProcess, X: Floats, y: Floats, domain: Floats) -> str | None:
    """What is wrong with the prior, in words; None if nothing is."""
    if len(y) == 0:
        return None
    chosen = np.linspace(0, len(y) - 1, min(len(y), _ENOUGH)).astype(int)
    X, y = X[chosen], y[chosen]
    with np.errstate(over="ignore"):  # a square that is no number is far from the mean, too
        return _values(gp, X, y) or _lengthscales(gp, np.unique(X, axis=0), domain)


def _values(gp: GaussianProcess, X: Floats, y: Floats) -> str | None:
    """Values far outside the prior, or that vary far more than it lets them."""
    C = gp.kernel.gram(X)
    total = np.diag(C) + gp.noise_variance
    off = float(np.sqrt(np.mean((y - gp.mean) ** 2 / np.maximum(total, np.finfo(float).tiny))))
    if off > _FAR:
        return (
            f"the values told, from {y.min():.4g} to {y.max():.4g}, lie {off:.3g} standard "
            f"deviations of the prior ({np.sqrt(total.mean()):.3g}) from its mean, {gp.mean:.4g}"
        )
    n = len(y)
    if n < 2 or not np.ptp(X, axis=0).any():
        return None
    # Under the prior, the sample variance is k(x, x) - k(x, z) + noise on average.
    expected = total.mean() - (C.sum() - np.trace(C)) / (n * (n - 1))
    varies, least = float(np.var(y, ddof=1)), float(total.mean()) * 1e-6
    if varies > _VARIES**2 * max(expected, least):
        return (
            f"the values told vary with a standard deviation of {np.sqrt(varies):.3g}, where the "
            f"prior expects {np.sqrt(max(expected, least)):.3g}: its lengthscale is too long, or "
            "its variance too small"
        )
    return None


def _lengthscales(gp: GaussianProcess, X: Floats, domain: Floats) -> str | None:
    """Lengthscales far outside the spacing of the points X (n, d), or the extent of the domain.

    A sum has the scale of any of its terms, so each must be far off.
    """
    every = leaves(gp.kernel)
    scales = [np.array(leaf.lengthscale) for leaf in every if isinstance(leaf, Stationary)]
    if len(scales) < len(every):
        return None
    extent = np.ptp(domain, axis=0)
    widest = max(float((extent / scale).max()) for scale in scales)
    if 0 < widest < _FLAT:
        return f"the lengthscale is {1 / widest:.3g} times the extent of the candidates"
    if len(X) < 3:
        return None
    apart = min(_spacing(X / scale) for scale in scales)
    if apart > _APART:
        return f"the points told are {apart:.3g} lengthscales apart, so that none says anything"
    return None


def _spacing(X: Floats) -> float:
    """Median distance of points (n, d) to the nearest other one, n at least 2."""
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(distances, np.inf)
    return float(np.median(distances.min(axis=1)))
