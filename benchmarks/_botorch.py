"""BoTorch's batches, by `qLogExpectedImprovement`, over boxes, categories and tables."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
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
from benchmarks._optimisers import Optimiser
from ucbpe_core.spaces import Category

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


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
    """The columns of categories, fixed at each combination of their values; none without any."""
    at, found = 0, list[list[dict[int, float]]]()
    for given in task.space.inputs:
        if isinstance(given, Category):
            eye = np.eye(given.width)
            found.append([{at + j: float(v) for j, v in enumerate(row)} for row in eye])
        at += given.width
    return [{k: v for one in chosen for k, v in one.items()} for chosen in product(*found) if found]


def nearest(task: Task, X: np.ndarray) -> np.ndarray:
    """The settings nearest to points (n, D)."""
    space = task.space
    low, high = space.box.T
    return space.points(space.unit(space.coordinates(np.clip(X, low, high))))


def remaining(table: np.ndarray, X: np.ndarray) -> np.ndarray:
    """The rows that are not among X (n, D)."""
    seen = {tuple(x) for x in X.tolist()}
    return np.array([row for row in table.tolist() if tuple(row) not in seen])
