"""The minimum of a Python function over a box, with the interface of `scipy.optimize`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import OptimizeResult
from scipy.stats import qmc

from ucbpe_core import streams
from ucbpe_core.box.exclusion import SAME, Exclusion
from ucbpe_core.box.suggest import fitted, suggest
from ucbpe_core.errors import InputError, NothingLeftError
from ucbpe_core.evaluation import Call, mapping, values_at
from ucbpe_core.policies import GPUCBPE
from ucbpe_core.schedules import ConstantBeta
from ucbpe_core.space import Space
from ucbpe_core.validation import bounds as checked_bounds
from ucbpe_core.validation import count, frozen_copy, numeric, pairs, repeats_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.evaluation import Map
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Floats, Repeats

_SAMPLES, _STARTS = 2048, 10  # of the search of the box, as in `BoxBandit`


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
    workers: int | Map = map,
    callback: Callable[[OptimizeResult], object] | None = None,
) -> OptimizeResult:
    """The minimum of an expensive function over a box, K evaluations at a time, by GP-UCB-PE.

    `initial` points of a scrambled Sobol sequence come first. Before each batch the
    hyperparameters of the prior are fitted to all values, and K points are chosen for the least
    mean - sqrt(beta) std, and for the greatest std where the minimum may be.

    A value that is NaN or infinite is a failed evaluation: it is NaN in `y` of the result, and the
    search goes on, as if the worst finite value so far had been measured there. An exception in
    `fun` is passed on.

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
        `map`, called as workers(f, points), e.g. ``pool.map`` of an executor. For processes, `fun`
        has to be defined in a module, and a script needs ``if __name__ == "__main__":``
    callback : called after each batch with the result so far; StopIteration ends the search

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
        dimension or outside the bounds, workers that are neither, or a value that is not one real
        number.

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
    X = _first(box, initial, x0, count(seed, "seed", minimum=0))
    call = Call(fun, args if isinstance(args, tuple) else (args,))
    state = _State(box, gp, beta, noise, batch_size, seed, repeats_of(repeats))
    with mapping(workers, call) as evaluate:
        y = values_at(X, call, evaluate)
        result = state.result(X, y, 0)
        for t in range(1, batches + 1):
            try:
                chosen = state.ask(X, y, t)
            except NothingLeftError:
                result.update(message="fun is known everywhere, as far as the prior can tell")
                break
            X = np.concatenate([X, chosen])
            y = np.concatenate([y, values_at(chosen, call, evaluate)])
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
        repeats: Repeats,
    ) -> None:
        self.box, self.gp, self.noise, self.seed, self.repeats = box, gp, noise, seed, repeats
        self.beta, self.policy = ConstantBeta(4.0) if beta is None else beta, GPUCBPE(batch_size)

    def ask(self, X: Floats, y: Floats, t: int) -> Floats:
        """The points of batch t, shape (K, d)."""
        good = np.isfinite(y)
        if not good.any():  # nothing to fit to
            return _sobol(self.box, len(X), self.policy.batch_size, self.seed)
        space, y = Space.of(self.box), np.where(good, y, y[good].max())
        self.gp = fitted(space, X, y, self.seed, self.gp, exact=not self.noise)
        exclusion = None
        if not self.noise and self.repeats == "avoid":
            # Values are known there, whatever noise keeps the fit stable.
            radii = np.full(len(X), SAME)
            exclusion = Exclusion(space, space.unit(X), radii, distinct=True)
        return suggest(
            replace(self.gp, mean=0.0 - self.gp.mean),
            space,
            X,
            -y,
            self.policy,
            self.beta,
            1,
            stream=(streams.minimization_seed(self.seed, t), 1),
            samples=_SAMPLES,
            starts=_STARTS,
            exclusion=exclusion,
            repeats=self.repeats,
        )

    def result(self, X: Floats, y: Floats, t: int) -> OptimizeResult:
        good, height = np.isfinite(y), y
        if self.noise and self.gp is not None and good.any():
            height = self.gp.condition(X[good], y[good]).predict(X).mean
        best = int(np.argmin(np.where(good, height, np.inf)))
        message = f"{t} batches were evaluated"
        if not good.all():
            message += f"; {np.count_nonzero(~good)} of {len(y)} values were not finite"
        found = {
            "x": X[best].copy(),
            "fun": float(y[best]),
            "nfev": len(y),
            "nit": t,
            "success": bool(good.any()),
            "status": 0 if good.any() else 2,
            "message": message,
            "X": frozen_copy(X),
            "y": frozen_copy(y),
            "gp": self.gp,
        }
        result = OptimizeResult()
        result.update(found)
        return result


def _first(box: Floats, initial: int | None, x0: ArrayLike | None, seed: int) -> Floats:
    """The points evaluated before batch 1, shape (n, d), n at least 1."""
    d = len(box)
    given = np.empty((0, d)) if x0 is None else np.atleast_2d(numeric(x0, "x0"))
    if given.ndim != 2 or given.shape[1] != d:
        raise InputError(f"x0 of {d} coordinates", f"shape {given.shape}", "pass one point per row")
    outside = given[~((box[:, 0] <= given) & (given <= box[:, 1])).all(axis=1)]
    if len(outside):
        remedy = "leave the point out, or pass wider bounds"
        raise InputError("x0 within the bounds", str(outside[0].tolist()), remedy)
    number = 4 * d + 4 if initial is None else count(initial, "initial", minimum=0)
    if number + len(given) == 0:
        raise InputError("a point to begin with", "initial=0 and no x0", "leave initial out")
    return np.concatenate([given, _sobol(box, 0, number, seed)])


def _sobol(box: Floats, first: int, number: int, seed: int) -> Floats:
    """So many points of the box from the scrambled Sobol sequence of that seed."""
    sobol = qmc.Sobol(len(box), rng=streams.initial_points(seed))
    unit = sobol.random_base2(max(first + number - 1, 0).bit_length())
    return Space.of(box).points(unit[first : first + number])
