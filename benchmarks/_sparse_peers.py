"""Sparse Gaussian processes of BoTorch and GPyTorch, with the prior and inducing points given.

All have the same best mean (Titsias, Variational learning of inducing variables in sparse Gaussian
processes, AISTATS 2009), that of `ucbpe_core.inducing` but for the jitter. They differ in how they
come to it: a closed form, natural gradients (for a Gaussian likelihood one step of rate 1 over all
data is the closed form), or Adam. As the prior is that of the data, y is not standardised.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import gpytorch
import numpy as np
import torch
from botorch.models import SingleTaskVariationalGP
from gpytorch.kernels import InducingPointKernel, RBFKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.means import ZeroMean
from gpytorch.mlls import VariationalELBO
from gpytorch.optim import NGD
from gpytorch.variational import CholeskyVariationalDistribution, NaturalVariationalDistribution

torch.set_default_dtype(torch.float64)
warnings.simplefilter("ignore")  # advice to standardise y
_JITTER = 1e-8  # of K(Z, Z): their default of 1e-6 (1e-4 in training) is itself an error
_CHUNK = 1000  # candidates predicted at once
_LOOKS = 20  # at the error, in the time allowed


@dataclass(frozen=True)
class Data:
    """Prior of an RBF kernel of variance 1; n values, the candidates and the inducing points."""

    lengthscale: float
    noise: float
    X: np.ndarray
    y: np.ndarray
    candidates: np.ndarray
    Z: np.ndarray


@dataclass(frozen=True)
class Adam:
    """Rate of the first step, falling to 0 with half a cosine, and values in each step."""

    rate: float
    batch: int


class Reached(NamedTuple):
    """After so many seconds of processor time, without those of looking; with mean and std."""

    seconds: float
    error: float
    steps: int


def closed(data: Data, error: Callable[[np.ndarray], float]) -> Reached:
    """GPyTorch's `InducingPointKernel` in an exact model, as its SGPR example has it."""
    likelihood, kernel = _prior(data)

    class Model(gpytorch.models.ExactGP):
        def __init__(self) -> None:
            super().__init__(torch.tensor(data.X), torch.tensor(data.y), likelihood)
            self.mean_module = ZeroMean()
            self.covar_module = InducingPointKernel(kernel, torch.tensor(data.Z), likelihood)

        def forward(self, x: torch.Tensor) -> gpytorch.distributions.MultivariateNormal:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    with gpytorch.settings.cholesky_jitter(double_value=_JITTER):
        start = time.process_time()
        mean = _predicted(Model().eval(), data.candidates)
        return Reached(time.process_time() - start, error(mean), 0)


def natural(data: Data, error: Callable[[np.ndarray], float]) -> Reached:
    """BoTorch's variational GP after one natural gradient step of rate 1 over all data."""
    with gpytorch.settings.variational_cholesky_jitter(double_value=_JITTER):
        start = time.process_time()
        model = _variational(data, NaturalVariationalDistribution(len(data.Z), mean_init_std=0.0))
        objective = VariationalELBO(model.likelihood, model.model, num_data=len(data.y))
        step = NGD(model.model.variational_parameters(), num_data=len(data.y), lr=1.0)
        model.train()
        _backward(model, objective, torch.tensor(data.X), torch.tensor(data.y))
        step.step()
        mean = _predicted(model.eval(), data.candidates)
        return Reached(time.process_time() - start, error(mean), 1)


def adam(
    data: Data, error: Callable[[np.ndarray], float], how: Adam, asked: float, limit: float
) -> Reached:
    """BoTorch's variational GP by Adam, until the error asked for or the limit in seconds."""
    with gpytorch.settings.variational_cholesky_jitter(double_value=_JITTER):
        torch.manual_seed(0)
        start, looking, steps = time.process_time(), 0.0, 0
        model = _variational(data, CholeskyVariationalDistribution(len(data.Z)))
        objective = VariationalELBO(model.likelihood, model.model, num_data=len(data.y))
        optimizer = torch.optim.Adam(model.model.variational_parameters(), lr=how.rate)
        X, y, looked, used = torch.tensor(data.X), torch.tensor(data.y), start, 0.0
        while True:
            for batch in torch.randperm(len(y)).split(how.batch):
                share = min(used / limit, 1.0)
                optimizer.param_groups[0]["lr"] = how.rate * (1 + np.cos(np.pi * share)) / 2
                optimizer.zero_grad()
                _backward(model.train(), objective, X[batch], y[batch])
                optimizer.step()
                steps += 1
                now = time.process_time()
                used = now - start - looking
                if used >= limit:
                    break
            if used >= limit or now - looked >= limit / _LOOKS:
                found = error(_predicted(model.eval(), data.candidates))
                looked = time.process_time()
                looking += looked - now
                if found <= asked or used >= limit:
                    return Reached(used + looked - now, found, steps)


def _prior(data: Data) -> tuple[GaussianLikelihood, RBFKernel]:
    likelihood, kernel = GaussianLikelihood(), RBFKernel()
    likelihood.noise, kernel.lengthscale = data.noise, data.lengthscale
    for part in (likelihood, kernel):
        part.requires_grad_(False)
    return likelihood, kernel


def _variational(
    data: Data, distribution: CholeskyVariationalDistribution | NaturalVariationalDistribution
) -> SingleTaskVariationalGP:
    likelihood, kernel = _prior(data)
    model = SingleTaskVariationalGP(
        torch.tensor(data.X[:1]), likelihood=likelihood, covar_module=kernel,
        mean_module=ZeroMean(), variational_distribution=distribution,
        inducing_points=torch.tensor(data.Z), learn_inducing_points=False,
    )  # fmt: skip
    model.model.variational_strategy.variational_params_initialized.fill_(1)  # at the prior
    return model


def _backward(
    model: SingleTaskVariationalGP, objective: VariationalELBO, X: torch.Tensor, y: torch.Tensor
) -> None:
    (-objective(model(X), y)).sum().backward()


def _predicted(model: torch.nn.Module, candidates: np.ndarray) -> np.ndarray:
    """Means at the candidates; the stds are worked out as well."""
    found = []
    with torch.no_grad(), gpytorch.settings.fast_pred_var():
        for part in torch.tensor(candidates).split(_CHUNK):
            there = model(part)
            there.variance.sqrt()
            found.append(there.mean.ravel())
    return torch.cat(found).numpy()
