"""The minimum of a Python function over a box, with the interface of `scipy.optimize`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import OptimizeResult

from ucbpe_core.errors import InputError, NothingLeftError
from ucbpe_core.gp.kernels import Matern
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.history.plan import Plan
from ucbpe_core.policies import Recommended
from ucbpe_core.policies.base import sized
from ucbpe_core.policies.schedules import ConstantBeta
from ucbpe_core.search.evaluation import Call, evaluating
from ucbpe_core.search.minimizer import Minimizer
from ucbpe_core.spaces.design import spread
from ucbpe_core.spaces.space import Space
from ucbpe_core.support.validation import (
    choice,
    count,
    keyworded,
    numeric,
    repeats_of,
    require_callable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.search.evaluation import Evaluations
    from ucbpe_core.spaces.inputs import SumConstraint
    from ucbpe_core.support.validation import Floats, Repeats

_ROUNDING = 1e-12  # of a logarithm of a bound
_FUNCTION = "pass e.g. def cost(x)"


@keyworded
def minimize(
    fun: Callable[..., float],
    bounds: Any,
    args: object = (),
    *,
    batches: int = 20,
    batch_size: int = 4,
    initial: int | None = None,
    policy: Policy | None = None,
    gp: GaussianProcess | None = None,
    beta: BetaSchedule | None = None,
    noise: bool = False,
    warp: bool | None = None,
    feasible: Callable[[Any], Any] | None = None,
    sums: Sequence[SumConstraint] = (),
    x0: Any = None,
    repeats: Repeats = "avoid",
    seed: int = 0,
    workers: int | Executor = 1,
    together: bool = True,
    callback: Callable[[OptimizeResult], object] | None = None,
) -> OptimizeResult:
    """The minimum of an expensive function over a box, K evaluations at a time.

    `initial` points of a scrambled Sobol sequence come first. Before each batch the values are
    warped (`gp.fitting.Warp`), so that a few great ones do not hide the valley, the hyperparameters
    of the prior are fitted to all of them, and a `BoxBandit` chooses K points with the `policy`: by
    default the first maximises the expected improvement, and the others that or, where the fit
    finds noise, an upper bound, given the points before (`policies.Recommended`).

    Inputs can be whole numbers, logarithmic or categories, and `feasible` can exclude settings.
    Most constraints are easier to state as a list of candidates: list what can be set, and use
    `Bandit`.

    A value that is NaN or infinite is a failed evaluation: it is NaN in `y` of the result, and the
    search continues as if the worst finite value so far had been measured there, as it does where
    a value is above 1e150 in size. Until there is one below, the Sobol sequence continues.

    No evaluation is lost. An error in `fun`, a worker that dies, a fit that fails: whatever ends
    the search once a value has been returned, the result has all values, including the evaluations
    that were running, and the reason. An error before that is raised, and Ctrl-C always is: the
    KeyboardInterrupt then has the `result` so far as an attribute.

    Parameters
    ----------
    fun : f(x, *args), x of shape (d,), a copy that it may change; a dict of names and values where
        `bounds` has names
    args : further arguments of `fun`; anything but a tuple is a single argument
    bounds : low and high of each coordinate, shape (d, 2), or a `scipy.optimize.Bounds`; or a dict
        of names and inputs, or a `spaces.Space`, as for `BoxBandit`
    batches, batch_size : T and K
    initial : default 2 d + 2; fewer where there are no more settings
    policy : with batches of `batch_size`, whatever its own is; default `policies.Recommended`.
        ``GPUCBPE()`` is the paper's rule
    gp : the prior that the fit starts from; default Matérn 5/2 on the scale of the data
    beta : schedule of beta_t, for policies that use one; default `ConstantBeta(4)`
    noise : whether `fun` is noisy. If not, the point with the least value is returned, and no point
        is evaluated twice. A noise variance is fitted all the same, for variation that is
        too rough for the kernel: a mean that has to pass through every value misses the trend
    warp : whether values are warped before each fit. Default: without noise, if neither `policy`
        nor `gp` is given. The reason is in docs/optimisers.md
    feasible, sums : what can be measured, as for `BoxBandit`
    x0 : points (n, d), or one (d,), or settings, within the bounds, that are evaluated first
    repeats : "avoid" leaves out points where f is known: without noise, those evaluated before, to
        a millionth of the sides. The search continues elsewhere, and ends early if f is known
        everywhere. "allow" can evaluate a point again
    seed : of the initial points and of the searches
    workers : the number of processes, -1 for one for each core, 1 for this process alone; or an
        executor of `concurrent.futures`. For processes, `fun` has to be defined in a module, and a
        script needs ``if __name__ == "__main__":``
    together : whether the evaluations of a batch wait for each other. If not, K run at a time, and
        each result, in whatever order results come, is followed at once by a new point
        (`BoxBandit.fill`)
    callback : called after each batch, or K results, with the result so far; StopIteration ends the
        search

    Returns
    -------
    OptimizeResult
        ``x`` (d,), or a setting, and ``fun``: with noise, the evaluated point of least posterior
        mean and its value; without, the point of least value. ``nfev``, ``nit``, ``success``,
        ``message``; ``status``: 0, 1 if the callback ended the search, 2 if no value was finite, 3
        if an error ended it, which is ``error``, else None; ``X`` (n, D), points of ``space``, and
        ``y`` (n,), every evaluation in order, NaN where it failed; ``gp``, the prior that was
        fitted last, to ``warp(y)``, and ``warp``, a `gp.fitting.Warp`. A quantile of f is
        ``warp.inverse`` of the same quantile given ``warp(y)``.

    Raises
    ------
    InputError
        For bounds that are not (d, 2) with low < high and finite, counts below 1, x0 of another
        dimension or outside the bounds, or an argument of the wrong type, before anything is
        evaluated; if the first value is not one real number.

    Warns
    -----
    PriorWarning, RepeatsWarning, KnownValuesWarning
        As `BoxBandit.ask`.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from ucbpe_core import minimize
    >>> def cost(x):
    ...     return (x[0] - 1) ** 2 + x[1] ** 2
    >>> with ThreadPoolExecutor(4) as pool:
    ...     result = minimize(cost, [(-5, 5), (0, 3)], batches=2, workers=pool)
    >>> result.nfev, bool(result.fun < 0.1)
    (14, True)
    """
    require_callable(fun, "fun", _FUNCTION)
    require_callable(fun if callback is None else callback, "callback", _FUNCTION)
    choice(noise, "noise", False, True), choice(together, "together", False, True)
    if warp is None:
        warp = not noise and policy is None and gp is None
    choice(warp, "warp", False, True)
    space = Space.of(bounds, feasible, sums)
    count(batches, "batches", minimum=0), count(batch_size, "batch_size")
    first = _first(space, initial, x0, count(seed, "seed", minimum=0))
    args = args if isinstance(args, tuple) else (args,)
    # Without `feasible`, which may be impossible to send to other processes.
    call = Call(fun, args, replace(space, feasible=None).settings if space.named else None)
    plan = _plan(space, gp, policy, beta)
    policy = sized(plan.policy, batch_size)
    state = Minimizer(space, gp, policy, plan.beta, noise, warp, repeats_of(repeats), seed)
    with evaluating(workers, call, together=together) as running:
        return _kept(state, running, lambda: _searched(state, running, first, batches, callback))


def _searched(
    state: Minimizer,
    running: Evaluations,
    first: Floats,
    batches: int,
    callback: Callable[[OptimizeResult], object] | None,
) -> OptimizeResult:
    """The search itself; an error ends it, in `fun` or elsewhere."""
    running.start(first)
    while running:
        state.add(running.arrived())
    K = state.policy.batch_size
    left, known = batches * K, False
    while left or running:
        free = min(left, K - len(running))
        try:
            if free:
                running.start(state.ask(free, len(running)))
        except NothingLeftError:
            free, known = left, True
        left -= free
        if not running:
            break
        state.add(running.arrived())
        if running and len(state.y) < len(first) + (state.t + 1) * K:
            continue
        state.t += 1
        try:
            if callback is not None:
                callback(state.result())
        except StopIteration:
            result = state.result()
            result.update(message="the callback ended the search", status=1)
            return result
    result = state.result()
    if known:
        result.update(message="fun is known everywhere, as far as the prior can tell")
    return result


def _kept(
    state: Minimizer, running: Evaluations, search: Callable[[], OptimizeResult]
) -> OptimizeResult:
    """The result of a search, or what it has evaluated when an error ends it.

    Who presses Ctrl-C wants the whole program to end: that is passed on, and has the result.
    """
    try:
        try:
            return search()
        except Exception as error:
            state.keep(running.ended(wait=True))
            if not len(state.y):
                raise
            return state.result(error)
    except BaseException as stop:
        state.keep(running.ended(wait=False))
        if len(state.y):
            vars(stop)["result"] = state.result()
            stop.add_note(f"minimize: `result` of this exception has {len(state.y)} evaluations")
        raise


def _plan(
    space: Space, gp: GaussianProcess | None, policy: Policy | None, beta: BetaSchedule | None
) -> Plan:
    """What was given, or the defaults, if they are of the right types and the prior of the space.

    Raises
    ------
    InputError
        For anything else, before anything is evaluated.
    """
    plan = Plan(
        GaussianProcess(Matern()) if gp is None else gp,
        Recommended() if policy is None else policy,
        ConstantBeta(4.0) if beta is None else beta,
    )
    plan.gp.kernel.gram(space.domain)
    return plan


def _first(space: Space, initial: int | None, x0: Any, seed: int) -> Floats:
    """The points evaluated before batch 1, shape (n, D), n at least 1."""
    given = np.empty((0, len(space.box)))
    if x0 is not None:
        given = space.read(x0 if space.named else np.atleast_2d(numeric(x0, "x0")), "x0")
    at, (low, high) = space.coordinates(given), space.box.T
    slack = _ROUNDING * (high - low)
    outside = given[~((low - slack <= at) & (at <= high + slack)).all(axis=1)]
    if len(outside):
        remedy = "leave the point out, or pass wider bounds"
        raise InputError("x0 within the bounds", str(outside[0].tolist()), remedy)
    default = 2 * len(space.inputs) + 2  # as `Search.first`
    number = default if initial is None else count(initial, "initial", minimum=0)
    if number + len(given) == 0:
        raise InputError("a point to begin with", "initial=0 and no x0", "leave initial out")
    return np.concatenate([given, spread(space, 0, number, seed)])
