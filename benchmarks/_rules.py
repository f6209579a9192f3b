"""Ways to choose a batch from warped values, beside that of `minimize`: what `study` compares.

Each differs from `as_minimize` in one thing: the priors of the fit, the inputs that it sees, the
box that is searched, the effort of the search, or the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from ucbpe_core import ConstantBeta, GaussianProcess
from ucbpe_core.gp.fitting import (
    Gamma,
    Hyperprior,
    default_priors,
    fit_hyperparameters,
    fit_to_optimise,
    log_marginal_likelihood,
)
from ucbpe_core.policies import EIPE, Policy, RandomizedKrigingBeliever, Recommended
from ucbpe_core.policies.decision import Decision
from ucbpe_core.search.minimizer import SAMPLES, STARTS, WarpedSearch, WithoutRepeats
from ucbpe_core.spaces import Real, Space

_SPREAD = 0.75**0.5  # of the logarithms of the powers of warped inputs, about 0
_LIMITS = 0.1, 10.0  # of these powers
_STEPS = 15  # of the search for them
_EDGE = 1e-6  # of the unit cube: closer to a side a warped input has no slope
# TuRBO's: the first side of the region, the least and the greatest, as shares of those of the box.
_SIDE, _LEAST, _GREATEST = 0.8, 0.5**7, 1.6
_SUCCESSES, _BETTER = 3, 1e-3


@dataclass(frozen=True, eq=False)
class Data:
    """What a batch of K is chosen from: values y (n,) at points X (n, D), and z (n,), y warped.

    The first points are `first` of them; `samples` and `starts` are of the search of the box.
    """

    space: Space
    X: np.ndarray
    y: np.ndarray
    z: np.ndarray
    first: int
    K: int
    seed: int
    repeats: bool = False
    samples: int = SAMPLES
    starts: int = STARTS

    @property
    def prior(self) -> GaussianProcess:
        """Before the fit, on the scale of z."""
        return self.space.prior(self.X, self.z)

    @property
    def coordinates(self) -> np.ndarray:
        """What the Gaussian process sees of X."""
        return self.space.coordinates(self.X)

    def fitted(self) -> GaussianProcess:
        """As `minimize` fits it."""
        return fit_to_optimise(self.prior, self.coordinates, self.z, self.seed, self.space.domain)

    def decided(self, gp: GaussianProcess, policy: Policy, space: Space | None = None) -> Decision:
        """The batch of a policy with this prior, given z, in a space, by default all of it."""
        kind = WarpedSearch if self.repeats else WithoutRepeats
        bandit = kind(
            space or self.space, gp, policy, ConstantBeta(4.0), direction="minimize",
            fit="never", seed=self.seed, samples=self.samples, starts=self.starts, warped=False,
        )  # fmt: skip
        bandit.told(self.X, self.z)
        return bandit.fill(self.K)


Rule = Callable[[Data], np.ndarray]  # the next points (K, D)


def as_minimize(data: Data) -> np.ndarray:
    """By `Recommended`, from the fit of `minimize`."""
    return data.decided(data.fitted(), Recommended(data.K)).points


def believer(data: Data) -> np.ndarray:
    """By `RandomizedKrigingBeliever`."""
    policy = RandomizedKrigingBeliever(data.K, seed=data.seed)
    return data.decided(data.fitted(), policy).points


def with_more_starts(data: Data) -> np.ndarray:
    """With four times as many points and starts in the search of the box."""
    return as_minimize(replace(data, samples=4 * data.samples, starts=4 * data.starts))


def exploring(data: Data) -> np.ndarray:
    """Where the greatest expected improvement is below the standard deviation of the noise, the
    other picks have the greatest std in R+ (`EIPE`)."""
    gp = data.fitted()
    made = data.decided(gp, Recommended(data.K))
    if made.scores[0] >= gp.noise_variance**0.5:
        return made.points
    return data.decided(gp, EIPE(data.K)).points


def with_gammas(data: Data) -> np.ndarray:
    """With BoTorch's priors before 0.12: Gamma(3, 6) of a lengthscale, Gamma(2, 0.15) of the
    kernel's variance, on the scales of the box and of var(z); that of the noise as `minimize`."""
    gp, variance = data.prior, float(np.var(data.z))
    priors: dict[str, Hyperprior] = {"noise_variance": Gamma(1.1, variance / 30.0)}
    sides = iter(np.ptp(data.space.domain, axis=0))
    for name, unit in zip(gp.kernel.parameter_names, gp.kernel.parameter_units, strict=True):
        length = Gamma(3.0, float(next(sides)) / 6.0) if unit == "x" else None
        priors[name] = length or Gamma(2.0, variance / 0.15)
    return _with(data, priors)


def with_noise(data: Data) -> np.ndarray:
    """With BoTorch's prior of the noise, LogNormal(-4, 1), and the kernel's variance kept at
    var(z)."""
    priors = default_priors(data.prior, data.coordinates, data.z, data.space.domain)
    return _with(data, priors, fixed=("variance",))


def _with(data: Data, priors: Mapping[str, Hyperprior], fixed: tuple[str, ...] = ()) -> np.ndarray:
    fit = fit_hyperparameters(
        data.prior, data.coordinates, data.z, data.seed, starts=3, priors=priors, fixed=fixed,
        domain=data.space.domain,
    )  # fmt: skip
    return data.decided(fit.gp, Recommended(data.K)).points


def warped_inputs(U: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """1 - (1 - u^a)^b of points (n, d) in the unit cube, `powers` (2, d) of a and b: the
    distribution function of Kumaraswamy, as Snoek et al. 2014 warp inputs."""
    a, b = powers
    return 1 - (1 - np.clip(U, _EDGE, 1 - _EDGE) ** a) ** b


def unwarped_inputs(W: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """The points that `warped_inputs` leads to W (n, d)."""
    a, b = powers
    return (1 - (1 - W) ** (1 / b)) ** (1 / a)


def likeliest_powers(data: Data, U: np.ndarray, gp: GaussianProcess) -> np.ndarray:
    """Powers (2, d) of greatest posterior density, given the fit: LogNormal(0, 0.75^(1/2))."""
    d = U.shape[1]

    def loss(logs: np.ndarray) -> float:
        W = warped_inputs(U, np.exp(logs).reshape(2, d))
        return 0.5 * float((logs**2).sum()) / _SPREAD**2 - log_marginal_likelihood(gp, W, data.z)

    limits = [tuple(np.log(_LIMITS))] * (2 * d)
    found = minimize(loss, np.zeros(2 * d), bounds=limits, options={"maxiter": _STEPS})
    return np.exp(found.x).reshape(2, d)


def in_warped_inputs(data: Data) -> np.ndarray:
    """With each input, of numbers, warped (`warped_inputs`): fitted, warped, and fitted again."""
    space = data.space
    if not all(type(one) is Real and not one.log for one in space.inputs):
        raise ValueError("inputs are numbers on a linear scale here")
    U, cube = space.unit(data.coordinates), Space.of([(0, 1)] * len(space.inputs))
    powers = likeliest_powers(data, U, replace(data, space=cube, X=U).fitted())
    within = replace(data, space=cube, X=warped_inputs(U, powers))
    return space.points(unwarped_inputs(as_minimize(within), powers))


def side_of_region(y: np.ndarray, first: int, K: int, d: int) -> float:
    """Of TuRBO's trust region (Eriksson et al. 2019), as a share of the box, after batches of K.

    Twice as wide after 3 batches that improve in succession, half as wide after max(4, d) / K,
    rounded up, that do not; never less than 2^-7, at which TuRBO starts again.
    """
    side, better, worse = _SIDE, 0, 0
    for start in range(first, len(y), K):
        best = y[:start].min()
        improved = y[start : start + K].min() < best - _BETTER * abs(best)
        better, worse = (better + 1, 0) if improved else (0, worse + 1)
        if better == _SUCCESSES:
            side, better = min(2 * side, _GREATEST), 0
        elif worse == -(-max(4, d) // K):
            side, worse = max(side / 2, _LEAST), 0
    return side


def in_region(data: Data) -> np.ndarray:
    """In a trust region about the best point, its sides in proportion to the lengthscales."""
    gp, space = data.fitted(), data.space
    lengths = np.broadcast_to(np.asarray(gp.kernel.parameters[1:]), (len(space.inputs),))
    shares = lengths / np.ptp(space.box, axis=1)
    shares = shares / np.exp(np.log(shares).mean())
    side = side_of_region(data.y, data.first, data.K, len(space.inputs))
    centre = space.unit(data.coordinates)[data.y.argmin()]
    low = np.clip(centre - side * shares / 2, 0, 1 - _EDGE)
    high = np.clip(centre + side * shares / 2, low + _EDGE, 1)
    region = Space.of(space.points(np.array([low, high])).T)
    return data.decided(gp, Recommended(data.K), region).points
