"""Optimisers that `optimise` compares: each is told what there is and asked for K more points."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future
from importlib import import_module
from importlib.util import find_spec
from queue import Queue
from threading import Thread
from typing import Any, NamedTuple, Protocol

import numpy as np
import optuna
import torch
from botorch.acquisition import qLogExpectedImprovement
from botorch.exceptions import BotorchWarning
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from botorch.optim import optimize_acqf, optimize_acqf_discrete, optimize_acqf_mixed
from gpytorch.mlls import ExactMarginalLogLikelihood
from linear_operator.utils.warnings import NumericalWarning

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

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
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
    """BoTorch as its tutorials have it: `SingleTaskGP`, qLogEI of a batch, 10 restarts of 512."""
    box = torch.tensor(task.space.box.T)

    def ask(X, y, K):
        torch.manual_seed(1000 * seed + len(X))
        warnings.simplefilter("ignore", BotorchWarning)
        warnings.simplefilter("ignore", NumericalWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        d = X.shape[1]
        values = -torch.tensor(y)[:, None]
        model = SingleTaskGP(
            torch.tensor(X), values, input_transform=Normalize(d, bounds=box),
            outcome_transform=Standardize(1),
        )  # fmt: skip
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        acquisition = qLogExpectedImprovement(model, best_f=values.max())
        if task.table is not None:
            left = torch.tensor(remaining(task.table, X))
            return optimize_acqf_discrete(acquisition, q=K, choices=left, unique=True)[0].numpy()
        how: dict[str, Any] = {"q": K, "num_restarts": 10, "raw_samples": 512}
        fixed = fixed_features(task)
        if fixed:
            found, _ = optimize_acqf_mixed(acquisition, box, fixed_features_list=fixed, **how)
        else:
            found, _ = optimize_acqf(acquisition, box, sequential=True, **how)
        return nearest(task, found.numpy())

    return ask


def fixed_features(task: Task) -> list[dict[int, float]]:
    """The columns of a category, fixed at each of its values."""
    at, found = 0, list[dict[int, float]]()
    for given in task.space.inputs:
        if isinstance(given, Category):
            eye = np.eye(given.width)
            found = [{at + j: float(v) for j, v in enumerate(row)} for row in eye]
        at += given.width
    return found


def nearest(task: Task, X: np.ndarray) -> np.ndarray:
    """The settings nearest to points (n, D)."""
    space = task.space
    low, high = space.box.T
    return space.points(space.unit(space.coordinates(np.clip(X, low, high))))


def remaining(table: np.ndarray, X: np.ndarray) -> np.ndarray:
    """The rows that are not among X (n, D)."""
    seen = {tuple(x) for x in X.tolist()}
    return np.array([row for row in table.tolist() if tuple(row) not in seen])


def optuna_gp(task: Task, seed: int, noisy: bool) -> Optimiser:
    """Optuna's `GPSampler`, K trials asked for before any is told."""
    space = task.space
    names = space.names
    distributions: dict[str, optuna.distributions.BaseDistribution] = {}
    for name, given in zip(names, space.inputs, strict=True):
        if isinstance(given, Category):
            distributions[name] = optuna.distributions.CategoricalDistribution(given.values)
        elif isinstance(given, Integer):
            distributions[name] = optuna.distributions.IntDistribution(given.low, given.high)
        else:
            distributions[name] = optuna.distributions.FloatDistribution(given.low, given.high)
    sampler = optuna.samplers.GPSampler(seed=seed, n_startup_trials=1)
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


def minimized(task: Task, seed: int, noisy: bool) -> Optimiser:
    """`minimize` with its defaults, in a thread that waits for the values of each batch."""
    waiting = Waiting()

    def search(X, K):
        minimize(
            lambda x: 0.0, task.space, x0=X, initial=0, batches=1000, batch_size=K,
            noise=noisy, seed=seed, workers=waiting,
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


def own(policy: Callable[[int, int], Policy], beta: BetaSchedule | None = None) -> Maker:
    """A policy of ours, of a batch size and a seed, the prior fitted before each batch."""

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
                bandit = kind(over, gp, policy(K, seed), beta, **how)
                bandit.tell(None, y, points=X)
            else:
                picks = bandit.pending
                bandit.tell(picks, y[len(y) - len(picks) :])
            bandit.refit()
            return bandit.ask().points

        return ask

    return make


def recommended(task: Task, seed: int, noisy: bool) -> Optimiser:
    """`minimize`, or over a table a `Bandit` with its rule."""
    if task.table is None:
        return minimized(task, seed, noisy)
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
