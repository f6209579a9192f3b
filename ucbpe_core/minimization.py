"""The minimum of a Python function over a box, with the interface of `scipy.optimize`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import OptimizeResult
from scipy.stats import qmc

from ucbpe_core import streams
from ucbpe_core.box import BoxBandit
from ucbpe_core.box.acquisition import SAME, Exclusion
from ucbpe_core.errors import InputError, NothingLeftError
from ucbpe_core.evaluation import Call, evaluating
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.policies import GPUCBPE
from ucbpe_core.schedules import ConstantBeta
from ucbpe_core.space import Space
from ucbpe_core.validation import bounds as checked_bounds
from ucbpe_core.validation import count, frozen_copy, numeric, pairs, repeats_of
from ucbpe_core.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from numpy.typing import ArrayLike

    from ucbpe_core.evaluation import Map
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Floats, Repeats

# Of the variance of y, where values have no noise: it keeps a fit stable.
_NEGLIGIBLE_NOISE = 1e-6


def minimize(
    fun: Callable[..., float],
    bounds: ArrayLike,
    args: object = (),
    *,
    batches: int = 20,
    batch_size: int = 4,
    initial: int | None = None,
    gp: GaussianProcess | None = None,
    beta: BetaSchedule | None = None,
    noise: bool = False,
    x0: ArrayLike | None = None,
    repeats: Repeats = "avoid",
    seed: int = 0,
    workers: int | Map | Executor = map,
    together: bool = True,
    callback: Callable[[OptimizeResult], object] | None = None,
) -> OptimizeResult:
    """The minimum of an expensive function over a box, K evaluations at a time, by GP-UCB-PE.

    `initial` points of a scrambled Sobol sequence come first. Before each batch the
    hyperparameters of the prior are fitted to all values, and a `BoxBandit` chooses K points: for
    the least mean - sqrt(beta) std, and for the greatest std where the minimum may be.

    A value that is NaN or infinite is a failed evaluation: it is NaN in `y` of the result, and the
    search goes on, as if the worst finite value so far had been measured there. While no value is
    finite, the sequence continues. An exception in `fun` is passed on.

    Parameters
    ----------
    fun : f(x, *args), x of shape (d,), a copy that it may change
    args : further arguments of `fun`; what is no tuple is a single one
    bounds : low and high of each coordinate, shape (d, 2), or a `scipy.optimize.Bounds`
    batches, batch_size : T and K
    initial : default 4 d + 4
    gp : the prior that the fit starts from; default Matérn 5/2 on the scale of the data
    beta : schedule of beta_t; default `ConstantBeta(4)`
    noise : whether `fun` is noisy; if not, the noise variance is fixed at 1e-6 of the variance of y
    x0 : points (n, d), or one (d,), within the bounds, that are evaluated first
    repeats : "avoid" leaves out points where f is known: without noise, those evaluated before, to
        a millionth of the sides. The search goes on elsewhere, and ends early where it is known
        everywhere. "allow" can evaluate a point again
    seed : of the initial points and of the searches
    workers : as in SciPy: the number of processes, -1 for one for each core; or a function like
        `map`, called as workers(f, points), e.g. ``pool.map`` of an executor; or an executor. For
        processes, `fun` has to be defined in a module, and a script needs
        ``if __name__ == "__main__":``
    together : whether the evaluations of a batch wait for each other. If not, K run at a time, and
        each result, in whatever order they come, is followed by a new point at once
        (`BoxBandit.fill`); workers are a number or an executor
    callback : called after each batch, or K results, with the result so far; StopIteration ends the
        search

    Returns
    -------
    OptimizeResult
        ``x`` (d,) and ``fun``: with noise, the evaluated point of least posterior mean and its
        value; without, that of the least value. ``nfev``, ``nit``, ``success``, ``message``;
        ``status``: 0, 1 if the callback ended the search, 2 if no value was finite;
        ``X`` (n, d) and ``y`` (n,), every evaluation in order, NaN where it failed; ``gp``, the
        prior that was fitted last.

    Raises
    ------
    InputError
        For bounds that are not (d, 2) with low < high and finite, counts below 1, x0 of another
        dimension or outside the bounds, workers that are none of these, or a value that is not one
        real number.

    Warns
    -----
    PriorWarning, KnownValuesWarning
        As `BoxBandit.ask`.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from ucbpe_core import minimize
    >>> def cost(x):
    ...     return (x[0] - 1) ** 2 + x[1] ** 2
    >>> with ThreadPoolExecutor(4) as pool:
    ...     result = minimize(cost, [(-5, 5), (0, 3)], batches=2, workers=pool.map)
    >>> result.nfev, bool(result.fun < 0.1)
    (20, True)
    """
    box = checked_bounds(pairs(bounds), "bounds")
    count(batches, "batches", minimum=0), count(batch_size, "batch_size")
    first = _first(box, initial, x0, count(seed, "seed", minimum=0))
    call = Call(fun, args if isinstance(args, tuple) else (args,))
    beta = ConstantBeta(4.0) if beta is None else beta
    state = _State(Space.of(box), gp, beta, noise, batch_size, repeats_of(repeats), seed)
    with evaluating(workers, call, together=together) as running:
        running.start(first)
        while running:
            state.add(*running.arrived())
        result, left, known = state.result(0), batches * batch_size, False
        while left or running:
            free = min(left, batch_size - len(running))
            try:
                if free:
                    running.start(state.ask(free, len(running)))
            except NothingLeftError:
                free, known = left, True
            left -= free
            if not running:
                break
            state.add(*running.arrived())
            if running and len(state.y) < len(first) + (result.nit + 1) * batch_size:
                continue
            result = state.result(result.nit + 1)
            try:
                if callback is not None:
                    callback(result)
            except StopIteration:
                result.update(message="the callback ended the search", status=1)
                return result
    if known:
        result.update(message="fun is known everywhere, as far as the prior can tell")
    return result


class _WithoutNoise(BoxBandit):
    """No point that was evaluated again: f is known there, whatever noise keeps a fit stable."""

    def _exclusion(self) -> Exclusion:
        U = self._unit(self.process.X)
        return Exclusion(self.space, U, np.full(len(U), SAME), distinct=True)


@dataclass
class _State:
    """A search: what is constant, all values so far, and the bandit, once one is finite."""

    space: Space
    gp: GaussianProcess | None
    beta: BetaSchedule
    noise: bool
    batch_size: int
    repeats: Repeats
    seed: int
    bandit: BoxBandit | None = None
    X: Floats = field(init=False)  # (n, d)
    y: Floats = field(default_factory=lambda: np.empty(0))
    told: int = 0  # of the values
    fitted_to: int = 0

    def __post_init__(self) -> None:
        self.X = np.empty((0, len(self.space.inputs)))

    def add(self, X: Floats, y: Floats) -> None:
        """Values that have arrived."""
        self.X, self.y = np.concatenate([self.X, X]), np.concatenate([self.y, y])

    def ask(self, n: int, running: int) -> Floats:
        """The next n points, shape (n, d), while others are running."""
        X, y, good = self.X, self.y, np.isfinite(self.y)
        if not good.any():  # nothing to fit to
            return _sobol(self.space, len(X) + running, n, self.seed)
        y = np.where(good, y, y[good].max())
        if self.bandit is None:
            gp = GaussianProcess.from_data(X, y, domain=self.space.domain)
            kind = BoxBandit if self.noise or self.repeats == "allow" else _WithoutNoise
            self.bandit = kind(
                self.space, self.fitted(self.gp or gp, X, y), GPUCBPE(self.batch_size), self.beta,
                direction="minimize", repeats=self.repeats, seed=self.seed,
            )  # fmt: skip
            self.fitted_to = len(y)
        self.bandit.tell(None, y[self.told :], points=X[self.told :])
        self.told = len(y)
        if not running or len(y) >= self.fitted_to + self.batch_size:
            if len(y) > self.fitted_to:
                self.bandit.refit(self.fitted)
            self.fitted_to = len(y)
        self.gp = self.bandit.gp
        return self.bandit.fill(n).points

    def fitted(self, gp: GaussianProcess, X: Floats, y: Floats) -> GaussianProcess:
        """The prior fitted to values y (n,) at points X (n, d)."""
        if not self.noise:
            gp = replace(gp, noise_variance=_NEGLIGIBLE_NOISE * (float(np.var(y)) or 1.0))
        if np.ptp(y) == 0:
            return gp
        fixed = () if self.noise else ("noise_variance",)
        return fit_hyperparameters(gp, X, y, self.seed, fixed=fixed, domain=self.space.domain).gp

    def result(self, t: int) -> OptimizeResult:
        """All evaluations, and the best after t batches."""
        X, y = self.X, self.y
        good, height = np.isfinite(y), y
        if self.noise and self.gp is not None and good.any():
            height = self.gp.condition(X[good], y[good]).predict(X).mean
        best = int(np.argmin(np.where(good, height, np.inf)))
        message = f"{t} batches were evaluated"
        if not good.all():
            message += f"; {np.count_nonzero(~good)} of {len(y)} values were not finite"
        found = OptimizeResult()
        found.update(x=X[best].copy(), fun=float(y[best]), X=frozen_copy(X), y=frozen_copy(y))
        found.update(success=bool(good.any()), status=0 if good.any() else 2, message=message)
        found.update(nfev=len(y), nit=t, gp=self.gp)
        return found


def _first(box: Floats, initial: int | None, x0: ArrayLike | None, seed: int) -> Floats:
    """The points evaluated before batch 1, shape (n, d), n at least 1."""
    d = len(box)
    given = np.empty((0, d))
    if x0 is not None:
        given = checked_points(np.atleast_2d(numeric(x0, "x0")), "x0", d)
    outside = given[~((box[:, 0] <= given) & (given <= box[:, 1])).all(axis=1)]
    if len(outside):
        remedy = "leave the point out, or pass wider bounds"
        raise InputError("x0 within the bounds", str(outside[0].tolist()), remedy)
    number = 4 * d + 4 if initial is None else count(initial, "initial", minimum=0)
    if number + len(given) == 0:
        raise InputError("a point to begin with", "initial=0 and no x0", "leave initial out")
    return np.concatenate([given, _sobol(Space.of(box), 0, number, seed)])


def _sobol(space: Space, first: int, number: int, seed: int) -> Floats:
    """So many points of the box from the scrambled Sobol sequence of that seed."""
    sobol = qmc.Sobol(len(space.inputs), rng=streams.initial_points(seed))
    unit = sobol.random_base2(max(first + number - 1, 0).bit_length())
    return space.points(unit[first : first + number])
