"""The minimum of a Python function over a box, with the interface of `scipy.optimize`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import OptimizeResult
from scipy.stats import qmc

from ucbpe_core import streams
from ucbpe_core.box import BoxBandit
from ucbpe_core.box.decide import to_box
from ucbpe_core.errors import InputError
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.policies import GPUCBPE
from ucbpe_core.schedules import ConstantBeta
from ucbpe_core.validation import bounds as checked_bounds
from ucbpe_core.validation import count, frozen_copy, real

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Floats


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
    seed: int = 0,
    workers: Callable[..., Iterable[float]] = map,
    callback: Callable[[OptimizeResult], object] | None = None,
) -> OptimizeResult:
    """The minimum of an expensive function over a box, K evaluations at a time, by GP-UCB-PE.

    `initial` points of a scrambled Sobol sequence come first. Before each batch the
    hyperparameters of the prior are fitted to all values, and `BoxBandit` chooses K points for
    the least mean - sqrt(beta) std, and for the greatest std where the minimum may be.

    Parameters
    ----------
    fun : f(x, *args), x of shape (d,); a value that is NaN or infinite raises
    args : further arguments of `fun`; what is no tuple is a single one
    bounds : low and high of each coordinate, shape (d, 2), or a `scipy.optimize.Bounds`
    batches, batch_size : T and K
    initial : default 4 d + 4
    gp : the prior that the fit starts from; default Matérn 5/2 on the scale of the data
    beta : schedule of beta_t; default `ConstantBeta(4)`
    noise : whether `fun` is noisy; if not, the noise variance is fixed at 1e-6 of the variance of y
    x0 : points (n, d), or one (d,), that are evaluated first
    seed : of the initial points and of the searches
    workers : as `map`: called as workers(f, points), e.g. ``pool.map`` of an executor
    callback : called after each batch with the result so far; StopIteration ends the search

    Returns
    -------
    OptimizeResult
        ``x`` (d,) and ``fun``: with noise, the evaluated point of least posterior mean and its
        value; without, that of the least value. ``nfev``, ``nit``, ``success``, ``status``,
        ``message``; ``X`` (n, d) and ``y`` (n,), every evaluation in order; ``gp``, the prior
        that was fitted last.

    Raises
    ------
    InputError
        For bounds that are not (d, 2) with low < high and finite, counts below 1, x0 of another
        dimension, or a value that is not a finite number.

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
    box = checked_bounds(_pairs(bounds), "bounds")
    count(batches, "batches", minimum=0), count(batch_size, "batch_size")
    X = _first(box, initial, x0, count(seed, "seed", minimum=0))
    call = _Call(fun, args if isinstance(args, tuple) else (args,))
    y, state = _evaluated(call, X, workers), _State(box, gp, beta, noise, batch_size, seed)
    result = state.result(X, y, 0)
    for t in range(1, batches + 1):
        chosen = state.ask(X, y, t)
        X = np.concatenate([X, chosen])
        y = np.concatenate([y, _evaluated(call, chosen, workers)])
        result = state.result(X, y, t)
        try:
            if callback is not None:
                callback(result)
        except StopIteration:
            result.update(message="the callback ended the search", status=1)
            break
    return result


class _State:
    """The constants of a search, and the prior fitted last."""

    def __init__(
        self,
        box: Floats,
        gp: GaussianProcess | None,
        beta: BetaSchedule | None,
        noise: bool,
        batch_size: int,
        seed: int,
    ) -> None:
        self.box, self.gp, self.noise, self.seed = box, gp, noise, seed
        self.beta, self.policy = ConstantBeta(4.0) if beta is None else beta, GPUCBPE(batch_size)

    def ask(self, X: Floats, y: Floats, t: int) -> Floats:
        """The points of batch t, shape (K, d)."""
        self.fit(X, y)
        assert self.gp is not None
        seed = streams.minimization_seed(self.seed, t)
        bandit = BoxBandit(
            self.box, self.gp, self.policy, self.beta, direction="minimize", seed=seed
        )
        bandit.tell(None, y, points=X)
        return bandit.ask().points

    def fit(self, X: Floats, y: Floats) -> None:
        """Fit the prior to all values so far."""
        gp = GaussianProcess.from_data(X, y, domain=self.box.T) if self.gp is None else self.gp
        if not self.noise:
            gp = replace(gp, noise_variance=1e-6 * (float(np.var(y)) or 1.0))
        if np.ptp(y) > 0:
            fixed = () if self.noise else ("noise_variance",)
            gp = fit_hyperparameters(gp, X, y, self.seed, fixed=fixed, domain=self.box.T).gp
        self.gp = gp

    def result(self, X: Floats, y: Floats, t: int) -> OptimizeResult:
        height = y
        if self.noise and self.gp is not None:
            height = self.gp.condition(X, y).predict(X).mean
        best = int(np.argmin(height)) if len(y) else 0
        found = {
            "x": X[best].copy(),
            "fun": float(y[best]),
            "nfev": len(y),
            "nit": t,
            "success": True,
            "status": 0,
            "message": f"{t} batches were evaluated",
            "X": frozen_copy(X),
            "y": frozen_copy(y),
            "gp": self.gp,
        }
        result = OptimizeResult()
        result.update(found)
        return result


def _pairs(bounds: ArrayLike) -> ArrayLike:
    """Bounds as pairs, those of a `scipy.optimize.Bounds` too."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        return np.stack(np.broadcast_arrays(bounds.lb, bounds.ub), axis=-1)
    return bounds


def _first(box: Floats, initial: int | None, x0: ArrayLike | None, seed: int) -> Floats:
    """The points evaluated before batch 1, shape (n, d), n at least 1."""
    d = len(box)
    given = np.empty((0, d)) if x0 is None else np.atleast_2d(np.asarray(x0, dtype=float))
    if given.ndim != 2 or given.shape[1] != d:
        raise InputError(f"x0 of {d} coordinates", f"shape {given.shape}", "pass one point per row")
    number = 4 * d + 4 if initial is None else count(initial, "initial", minimum=0)
    if number + len(given) == 0:
        raise InputError("a point to begin with", "initial=0 and no x0", "leave initial out")
    sobol = qmc.Sobol(d, rng=streams.initial_points(seed))
    unit = sobol.random_base2(max(number - 1, 0).bit_length())[:number]
    return np.concatenate([given, to_box(box, unit)])


def _evaluated(call: _Call, X: Floats, workers: Callable[..., Iterable[float]]) -> Floats:
    """The values (n,) at points X (n, d)."""
    found: Sequence[float] = list(workers(call, list(X)))
    return np.array([real(np.asarray(one).item(), "the value of fun") for one in found])


class _Call:
    """fun with its further arguments; a class, so that it can be sent to another process."""

    def __init__(self, fun: Callable[..., float], args: tuple[Any, ...]) -> None:
        self.fun, self.args = fun, args

    def __call__(self, x: Floats) -> float:
        return self.fun(x, *self.args)
