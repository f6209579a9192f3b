"""Optimisers that `optimise` compares: each is told what there is and asked for K more points."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future
from importlib import import_module
from importlib.util import find_spec
from queue import Queue
from threading import Thread
from typing import NamedTuple, Protocol

import numpy as np
import optuna

from benchmarks._functions import Task
from benchmarks._regrets import OURS
from ucbpe_core import GPUCBPE, Bandit, BoxBandit, ConstantBeta, GaussianProcess, minimize
from ucbpe_core.policies import (
    EIPE,
    QEI,
    GreedyUCB,
    Policy,
    RandomizedKrigingBeliever,
    Recommended,
    VizierUCBPE,
)
from ucbpe_core.policies.schedules import BetaSchedule
from ucbpe_core.spaces import Category, Integer

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)


class Optimiser(Protocol):
    """Asked for K points (K, D), given all points (n, D) and values (n,) so far."""

    def __call__(self, X: np.ndarray, y: np.ndarray, K: int) -> np.ndarray: ...


Maker = Callable[[Task, int, bool], Optimiser]  # for a task, a seed, and whether y is noisy


def sobol(task: Task, seed: int, noisy: bool) -> Optimiser:
    """The sequence that the starts are the beginning of."""
    return lambda X, y, K: task.sobol(K, seed, first=len(X))


def botorch_log_ei(task: Task, seed: int, noisy: bool) -> Optimiser:
    """BoTorch's, which takes seconds to import."""
    maker: Maker = import_module("benchmarks._botorch").botorch_log_ei
    return maker(task, seed, noisy)


def optuna_gp(task: Task, seed: int, noisy: bool) -> Optimiser:
    """Optuna's `GPSampler`, whose own random starts are those that it is given."""
    sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=1)
    return asked_of_optuna(task, sampler)


def optuna_tpe(task: Task, seed: int, noisy: bool) -> Optimiser:
    """Optuna's `TPESampler` with its defaults: the running trials count as bad ones."""
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=1, constant_liar=True)
    return asked_of_optuna(task, sampler)


def asked_of_optuna(task: Task, sampler: optuna.samplers.BaseSampler) -> Optimiser:
    """A sampler of Optuna's, K trials asked for before any is told."""
    space = task.space
    names = space.names
    whole, real = optuna.distributions.IntDistribution, optuna.distributions.FloatDistribution
    distributions: dict[str, optuna.distributions.BaseDistribution] = {}
    for name, given in zip(names, space.inputs, strict=True):
        if isinstance(given, Category):
            distributions[name] = optuna.distributions.CategoricalDistribution(given.values)
        else:
            kind = whole if isinstance(given, Integer) else real
            distributions[name] = kind(given.low, given.high, log=given.log)
    study = optuna.create_study(direction="minimize", sampler=sampler)
    asked: list[optuna.Trial] = []

    def ask(X, y, K):
        if asked:
            for trial, value in zip(asked, y[-len(asked) :], strict=True):
                study.tell(trial, value)
        else:
            for params, value in zip(space.settings(X), y, strict=True):
                study.add_trial(
                    optuna.create_trial(params=params, distributions=distributions, value=value)
                )
        asked[:] = [study.ask(distributions) for _ in range(K)]
        return space.read([trial.params for trial in asked])

    return ask


def bayesian_optimization(task: Task, seed: int, noisy: bool) -> Optimiser:
    """The package of that name: its default bound, with a constant liar for the rest of a batch."""
    module = import_module("bayes_opt")
    space, acquisition = task.space, module.acquisition
    bounds = dict(zip(space.names, space.box.tolist(), strict=True))
    liar = acquisition.ConstantLiar(acquisition.UpperConfidenceBound(kappa=2.576))
    optimizer = module.BayesianOptimization(
        None, bounds, acquisition_function=liar, random_state=seed, verbose=0,
        allow_duplicate_points=True,
    )  # fmt: skip
    told = 0

    def ask(X, y, K):
        nonlocal told
        for setting, value in zip(space.settings(X[told:]), y[told:], strict=True):
            optimizer.register(params=setting, target=-value)
        told = len(y)
        return space.read([optimizer.suggest() for _ in range(K)])

    return ask


class Waiting(Executor):
    """Hands out the points that it is given; the futures of their values wait."""

    def __init__(self) -> None:
        self.asked: Queue[tuple[np.ndarray, Future[float]]] = Queue()

    def submit(self, fn, x):
        future: Future[float] = Future()
        self.asked.put((np.array(x), future))
        return future


def minimized(policy: Callable[[int], Policy] | None = None) -> Maker:
    """`minimize`, with its defaults or a policy of a seed, in a thread that waits for values."""

    def make(task: Task, seed: int, noisy: bool) -> Optimiser:
        waiting = Waiting()

        def search(X, K):
            minimize(
                lambda x: 0.0, task.space, x0=X, initial=0, batches=1000, batch_size=K,
                noise=noisy, seed=seed, workers=waiting,
                policy=None if policy is None else policy(seed),
            )  # fmt: skip

        running: list[tuple[np.ndarray, Future[float]]] = []

        def ask(X, y, K):
            nonlocal running
            if not running:
                Thread(target=search, args=(X, K), daemon=True).start()
                running = [waiting.asked.get() for _ in X]  # the starts
            for (_, future), value in zip(running, y[len(y) - len(running) :], strict=True):
                future.set_result(float(value))
            running = [waiting.asked.get() for _ in range(K)]
            return np.array([x for x, _ in running])

        return ask

    return make


def own(
    policy: Callable[[int, int], Policy],
    beta: BetaSchedule | None = None,
    *,
    to_optimise: bool = False,
) -> Maker:
    """A policy of ours, of a batch size and a seed, the prior fitted before each batch.

    By `refit`, whose priors are for values with noise, or as an `Experiment` and `minimize` fit it.
    """

    def make(task: Task, seed: int, noisy: bool) -> Optimiser:
        bandit: BoxBandit | Bandit | None = None

        def ask(X, y, K):
            nonlocal bandit
            if bandit is None:
                at = X if task.table is not None else task.space.coordinates(X)
                domain = task.table if task.table is not None else task.space.domain
                gp = GaussianProcess.from_data(at, y, domain=domain)
                over = task.space if task.table is None else task.table
                kind = BoxBandit if task.table is None else Bandit
                how = {"direction": "minimize", "repeats": "allow" if noisy else "avoid"}
                how |= {"seed": seed} if task.table is None else {}
                how |= {"fit": "each batch"} if to_optimise else {}
                bandit = kind(over, gp, policy(K, seed), beta, **how)
                bandit.tell(None, y, points=X)
            else:
                picks = bandit.pending
                bandit.tell(picks, y[len(y) - len(picks) :])
            if not to_optimise:
                bandit.refit()
            return bandit.ask().points

        return ask

    return make


def recommended(task: Task, seed: int, noisy: bool) -> Optimiser:
    """`minimize`, or over a table a `Bandit` with its rule."""
    if task.table is None:
        return minimized()(task, seed, noisy)
    return own(lambda K, seed: Recommended(K))(task, seed, noisy)


class Method(NamedTuple):
    maker: Maker
    tables: bool = True  # whether it can choose among the rows of a table
    categories: bool = True

    def takes(self, task: Task) -> bool:
        """Whether it can solve the task."""
        mixed = any(isinstance(given, Category) for given in task.space.inputs)
        return (self.tables or task.table is None) and (self.categories or not mixed)


METHODS = {
    OURS: Method(recommended),
    "GP-UCB-PE, theory's beta": Method(own(lambda K, seed: GPUCBPE(K))),
    "GP-UCB-PE, beta = 4": Method(own(lambda K, seed: GPUCBPE(K), ConstantBeta(4.0))),
    "Vizier UCB-PE": Method(own(lambda K, seed: VizierUCBPE(K, seed=seed))),
    "GreedyUCB, beta = 4": Method(own(lambda K, seed: GreedyUCB(K), ConstantBeta(4.0))),
    "EI-PE, beta = 4": Method(own(lambda K, seed: EIPE(K), ConstantBeta(4.0))),
    "qEI": Method(own(lambda K, seed: QEI(K, seed=seed))),
    "Randomized believer": Method(own(lambda K, seed: RandomizedKrigingBeliever(K, seed=seed))),
    "BoTorch qLogEI": Method(botorch_log_ei),
    "Optuna GPSampler": Method(optuna_gp, tables=False),
    "Sobol": Method(sobol),
}
if find_spec("bayes_opt"):  # it is in no extra: pip install bayesian-optimization
    METHODS["bayesian-optimization"] = Method(bayesian_optimization, tables=False, categories=False)
