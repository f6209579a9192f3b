"""A sampler for Optuna, and Optuna's objectives as problems."""

from __future__ import annotations

import secrets
from itertools import compress
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.errors import InputError, NothingLeftError
from ucbpe_core.gp.fitting import fit_to_optimise
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.policies import Recommended
from ucbpe_core.policies.base import sized
from ucbpe_core.policies.schedules import BetaSchedule, ConstantBeta
from ucbpe_core.problems import from_callable
from ucbpe_core.search.box.acquisition import APART, SAME, Exclusion
from ucbpe_core.search.box.place import decide
from ucbpe_core.search.box.search import Cover
from ucbpe_core.spaces.inputs import Category, Integer, Real
from ucbpe_core.spaces.space import Space
from ucbpe_core.support.optional import optional
from ucbpe_core.support.validation import LARGEST, count, repeats_of, sign_of

optional("optuna", "optuna")  # says what to install

from optuna.distributions import (  # noqa: E402
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler  # noqa: E402
from optuna.search_space import IntersectionSearchSpace  # noqa: E402
from optuna.trial import FixedTrial, FrozenTrial, TrialState  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from optuna.study import Study

    from ucbpe_core.policies.base import Policy
    from ucbpe_core.problems import Problem
    from ucbpe_core.support.validation import Floats, Repeats

__all__ = ["GPUCBPESampler", "problem_from_optuna"]

_SAMPLES, _STARTS = 1024, 6  # of the search of the cube, see `BoxBandit`


class GPUCBPESampler(BaseSampler):  # type: ignore[misc]
    """Trials chosen K at a time by a policy; running trials are hallucinated.

    The first `n_startup_trials` are random, as parameters are not known before a trial asks for
    them. Then, whenever a batch is used up, the prior is fitted to all completed trials, and the
    policy chooses the next K points with the running trials hallucinated. Numbers are searched on
    the scale of their distribution and rounded to its steps; parameters that not every trial has
    are random.

    Pruned and failed trials, including trials with the value NaN, have no value. For the next
    choice they count as the median value, so that the search moves on, and their parameters are not
    proposed again, to a thousandth of the scale; the fit leaves them out. An infinite value counts
    as the greatest or least finite one, or 0 if there is none, as in Optuna's `GPSampler`.

    Parameters
    ----------
    batch_size : K, the number of trials that run at the same time
    policy : with batches of `batch_size`, whatever its own is; default `policies.Recommended`.
        ``GPUCBPE()`` is the paper's rule: the first point at the best confidence bound, the others
        where f is least known inside R+
    n_startup_trials : trials are random until this many are completed
    beta : schedule of beta_t, for policies that use one; default `ConstantBeta(4)`
    feasible : whether the parameters of a trial, a dict, can be evaluated; the first, random trials
        are not asked about
    seed : of all random numbers; default a random one, so that two workers, and a study that is
        resumed, begin differently
    repeats : "avoid" gives no parameters of another trial again, nor where f is known; once the
        steps of all numbers are used up, trials are random. "allow" is the paper's rule
    independent_sampler : for parameters that are not searched; default Optuna's `RandomSampler`

    Raises
    ------
    InputError
        For counts below 1, and for a study of several objectives.

    Examples
    --------
    >>> import optuna
    >>> from ucbpe_core.connect.optuna import GPUCBPESampler
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> sampler = GPUCBPESampler(batch_size=4, n_startup_trials=5, seed=0)
    >>> study = optuna.create_study(direction="maximize", sampler=sampler)
    >>> study.optimize(lambda trial: -((trial.suggest_float("x", -5, 5) - 2) ** 2), n_trials=9)
    >>> study.best_value > -1.0
    True
    """

    def __init__(
        self,
        batch_size: int = 4,
        *,
        policy: Policy | None = None,
        n_startup_trials: int = 10,
        beta: BetaSchedule | None = None,
        feasible: Callable[[dict[str, Any]], bool] | None = None,
        seed: int | None = None,
        repeats: Repeats = "avoid",
        independent_sampler: BaseSampler | None = None,
    ) -> None:
        size = count(batch_size, "batch_size")
        self._policy = sized(Recommended() if policy is None else policy, size)
        self._feasible = feasible
        self._startup = count(n_startup_trials, "n_startup_trials")
        self._beta = ConstantBeta(4.0) if beta is None else beta
        self._fixed = seed is not None
        self._seed = secrets.randbits(32) if seed is None else count(seed, "seed", minimum=0)
        self._repeats = repeats_of(repeats)
        self._independent = independent_sampler or RandomSampler(seed=seed)
        self._intersection = IntersectionSearchSpace()
        self._distributions: dict[str, BaseDistribution] = {}
        self._queue = list[dict[str, Any]]()
        # By number of the trial: a trial that has just begun has no parameters in the study yet.
        self._given: dict[int, dict[str, Any]] = {}
        # The trial that the queue was made for, and the trials that got points of it.
        self._since, self._own = -1, set[int]()
        self._lock = Lock()  # trials of one study run in threads

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock: a study in memory is kept by pickling it, with its sampler."""
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """The parameters that all completed trials have."""
        with self._lock:
            space = self._intersection.calculate(study)
        return {name: one for name, one in space.items() if not one.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The next point of the batch, or nothing while trials are random."""
        if len(study.directions) > 1:
            got = f"{len(study.directions)}"
            raise InputError("a study of one objective", got, "use another sampler")
        if not search_space:
            return {}
        with self._lock:
            if search_space != self._distributions:
                self._distributions, self._queue = search_space, []
                self._space = space_of(search_space, self._feasible)
            trials = self._trials(study, trial.number)
            taken = _around(self._space, (trials.failed, APART), (trials.others, APART))
            free = taken.holds(self._unit(self._queue))
            self._queue = list(compress(self._queue, free))
            if not self._queue:
                self._queue = self._batch(trials, sign_of(study.direction.name.lower()))
                self._since, self._own = trial.number, set()
            if not self._queue:
                return {}
            self._own.add(trial.number)
            given = self._given[trial.number] = self._queue.pop(0)
            return given

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: Any
    ) -> Any:
        """A value of a parameter that is not searched."""
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def reseed_rng(self) -> None:
        """Draw another seed, unless it was given: draws then depend on it and the trials alone."""
        if not self._fixed:
            self._seed = secrets.randbits(32)
            self._independent.reseed_rng()

    def _trials(self, study: Study, number: int) -> _Trials:
        """The trials so far, without that of this number."""
        every = [trial for trial in study.get_trials(deepcopy=False) if trial.number != number]
        names = self._distributions.keys()

        def of(*states: TrialState) -> list[FrozenTrial]:
            return [trial for trial in every if trial.state in states]

        def unit(trials: list[FrozenTrial]) -> Floats:
            params = [self._given.get(trial.number, trial.params) for trial in trials]
            return self._unit([given for given in params if names <= given.keys()])

        running, done = of(TrialState.RUNNING), of(TrialState.COMPLETE)
        numbers = {trial.number for trial in running}
        self._given = {n: params for n, params in self._given.items() if n in numbers}
        done = [trial for trial in done if names <= trial.params.keys()]
        new = [trial for trial in running + done if trial.number > self._since]
        return _Trials(
            done=unit(done),
            y=np.array([trial.value for trial in done], dtype=float),
            running=unit(running),
            failed=unit(of(TrialState.FAIL, TrialState.PRUNED)),
            others=unit([trial for trial in new if trial.number not in self._own]),
        )

    def _unit(self, params: list[dict[str, Any]]) -> Floats:
        """Parameters of n trials as points (n, d) of the unit cube."""
        settings = [_translated(given, self._distributions, into=True) for given in params]
        return self._space.unit(self._space.coordinates(self._space.read(settings)))

    def _batch(self, trials: _Trials, sign: float) -> list[dict[str, Any]]:
        """The parameters of the next K trials; none until enough trials are completed."""
        if len(trials.y) < self._startup:
            return []
        space, policy, y = self._space, self._policy, sign * _finite(trials.y)
        X, failed, running = (space.place(U) for U in (trials.done, trials.failed, trials.running))
        gp = GaussianProcess.from_data(X, y, domain=space.domain)
        gp = fit_to_optimise(gp, X, y, self._seed, space.domain)
        posterior = Posterior.prior(gp, X[:1]).observe_points(X, y)
        posterior = posterior.observe_points(failed, np.full(len(failed), np.median(y)))
        posterior = posterior.hallucinate_points(running)
        t = 1 + (len(y) + len(failed)) // policy.batch_size
        search = Cover.of(space, trials.done, _SAMPLES, _STARTS, (self._seed, t))
        betas = policy.betas(posterior, t, self._beta, _SAMPLES, np.ptp(space.box, axis=1))
        excluded = [(trials.failed, APART)]
        if self._repeats == "avoid":
            excluded += [(trials.done, SAME), (trials.running, SAME)]
        exclusion = _around(space, *excluded, apart=0.0 if space.free.all() else SAME)
        picks = range(policy.batch_size)
        try:
            made = decide(policy, posterior, search, t, betas, picks, exclusion, self._repeats)
        except NothingLeftError:
            return []
        every = space.settings(made.points)
        return [_translated(setting, self._distributions, into=False) for setting in every]


class _Trials(NamedTuple):
    """Points of the unit cube (n, d): completed with values y, running, and those without value.

    `others` are of trials that other workers have begun since the queue was made.
    """

    done: Floats
    y: Floats
    running: Floats
    failed: Floats
    others: Floats


def _around(space: Space, *parts: tuple[Floats, float], apart: float = 0.0) -> Exclusion:
    """What is not to be given again: points (n, d) and the radius around them, of each part."""
    centres = np.concatenate([points for points, _ in parts])
    radii = np.concatenate([np.full(len(points), radius) for points, radius in parts])
    return Exclusion(space, centres, radii, apart)


def _finite(y: Floats) -> Floats:
    """y (n,) with infinities, and what is above 1e150 in size, as the greatest or least of the
    other values, or 0 where there is none.
    """
    finite = y[np.abs(y) <= LARGEST]
    least, most = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    return np.clip(y, least, most)


def _translated(
    params: Mapping[str, Any], distributions: Mapping[str, Any], *, into: bool
) -> dict[str, Any]:
    """Parameters as a setting of the space, where a category is its number, or the reverse."""
    return {
        name: params[name]
        if not isinstance(one, CategoricalDistribution)
        else int(one.to_internal_repr(params[name]))
        if into
        else one.to_external_repr(params[name])
        for name, one in distributions.items()
    }


def space_of(distributions: Mapping[str, Any], feasible: Callable[..., Any] | None = None) -> Space:
    """The space of parameters with these distributions; a category is the number of its choice.

    Examples
    --------
    >>> from optuna.distributions import FloatDistribution
    >>> from ucbpe_core.connect.optuna import space_of
    >>> space_of({"rate": FloatDistribution(0.01, 1.0, log=True)}).box.tolist()
    [[-2.0, 0.0]]
    """

    def read(one: Any) -> Real | Category:
        if isinstance(one, CategoricalDistribution):
            return Category(tuple(range(len(one.choices))))
        kind = Integer if isinstance(one, IntDistribution) else Real
        return kind(one.low, one.high, one.log, one.step)

    def allowed(setting: dict[str, Any]) -> Any:
        assert feasible is not None  # it is passed on only then
        return feasible(_translated(setting, distributions, into=False))

    inputs = tuple(read(one) for one in distributions.values())
    return Space(inputs, tuple(distributions), None if feasible is None else allowed)


def problem_from_optuna(
    objective: Callable[[Any], float],
    distributions: Mapping[str, BaseDistribution],
    **options: Any,
) -> Problem:
    """An objective of Optuna over a grid or a design of its numbers, as a problem.

    It is called once for each candidate with a `FixedTrial`. An input on a log scale is its base-10
    logarithm, and its name says so.

    Parameters
    ----------
    objective : takes a trial and returns the value
    distributions : of its numeric parameters, by name; it may have no others
    options : as for `problems.from_callable`: size, noise_variance, gp, name, axes, seed, and
        direction, which is "minimize" by default

    Raises
    ------
    InputError
        For a categorical distribution, no distributions, or a value that is not a number.

    Examples
    --------
    >>> from optuna.distributions import FloatDistribution, IntDistribution
    >>> from ucbpe_core.connect.optuna import problem_from_optuna
    >>> def objective(trial):
    ...     rate = trial.suggest_float("rate", 0.01, 1.0, log=True)
    ...     return trial.suggest_int("depth", 1, 8) + rate
    >>> space = {"rate": FloatDistribution(0.01, 1.0, log=True), "depth": IntDistribution(1, 8)}
    >>> problem = problem_from_optuna(objective, space, size=8)
    >>> problem.axes, round(problem.optimum, 3)
    (('log10 rate', 'depth', 'objective'), 1.01)
    """
    for name, distribution in distributions.items():
        if not isinstance(distribution, FloatDistribution | IntDistribution):
            got = f"{name} of {type(distribution).__name__}"
            raise InputError("distributions of numbers", got, "fix that parameter in the objective")
    if not distributions:
        raise InputError("at least one distribution", "none", "name the objective's numbers")
    space = space_of(distributions)

    def f(x: Floats) -> float:
        return float(objective(FixedTrial(space.settings(space.points(space.unit(x[None])))[0])))

    axes = tuple(
        f"log10 {name}" if distribution.log else name
        for name, distribution in distributions.items()
    )
    name = getattr(objective, "__name__", "objective")
    defaults = {"name": name, "axes": (*axes, "objective"), "direction": "minimize"}
    return from_callable(f, space.box, **{**defaults, **options})
