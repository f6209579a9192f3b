"""One batch of GP-UCB-PE by other means, from the same data and hyperparameters.

Each peer is handed the observations so far and chooses K candidates: x0 by the upper bound, the
others by the deviation inside R+, earlier picks hallucinated. They differ in how they come to
means and deviations; the rule around these is one function.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from botorch.models import SingleTaskGP
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.means import ZeroMean
from gpytorch.settings import fast_pred_var
from scipy.linalg import cho_solve, cholesky, solve_triangular
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern as SklearnMatern

from ucbpe_core import Matern

NU, LENGTHSCALE, NOISE = 2.5, 0.2, 0.01
# BoTorch's time is least for about so many points at once: more, and it works out covariances
# between them that nobody asked for; fewer, and the calls themselves cost most.
_CHUNK = 200


@dataclass(frozen=True)
class Bands:
    """beta_t and beta_(t+1)."""

    beta: float
    beta_next: float


class Peer(Protocol):
    """Means and deviations at all candidates, after points that can be added to."""

    name: str

    def start(self, X: np.ndarray, y: np.ndarray) -> None:
        """Forget everything; observe y (n,) at X (n, d)."""

    def add(self, x: np.ndarray, y: float) -> None:
        """Observe one more."""

    def predict(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation at the candidates, (M,) each."""


def choose(peer: Peer, candidates: np.ndarray, K: int, bands: Bands) -> list[int]:
    """The rule: Contal et al. 2013, Algorithm 1."""
    mean, std = peer.predict()
    y_dot = (mean - np.sqrt(bands.beta) * std).max()
    region = mean + 2 * np.sqrt(bands.beta_next) * std >= y_dot
    picks = [int(np.argmax(mean + np.sqrt(bands.beta) * std))]
    while len(picks) < K:
        peer.add(candidates[picks[-1]], mean[picks[-1]])
        _, std = peer.predict()
        picks.append(int(np.argmax(np.where(region, std, -np.inf))))
    return picks


class Refitted:
    """What is added is kept, and everything is worked out again from all of it."""

    def __init__(self, candidates: np.ndarray) -> None:
        self.candidates = candidates

    def start(self, X: np.ndarray, y: np.ndarray) -> None:
        self.X, self.y = X, y

    def add(self, x: np.ndarray, y: float) -> None:
        self.X, self.y = np.vstack([self.X, x]), np.append(self.y, y)


class ScikitLearn(Refitted):
    """`GaussianProcessRegressor`, fitted anew for each pick with its hyperparameters fixed."""

    name = "scikit-learn"

    def predict(self) -> tuple[np.ndarray, np.ndarray]:
        kernel = SklearnMatern(LENGTHSCALE, nu=NU)
        model = GaussianProcessRegressor(kernel, alpha=NOISE, optimizer=None)
        return model.fit(self.X, self.y).predict(self.candidates, return_std=True)


class Dense(Refitted):
    """NumPy and SciPy: one Cholesky factor and one triangular solve for each pick."""

    name = "dense solve"

    def predict(self) -> tuple[np.ndarray, np.ndarray]:
        kernel = Matern(LENGTHSCALE, nu=NU)
        C = kernel.gram(self.X)
        C[np.diag_indices_from(C)] += NOISE
        L = cholesky(C, lower=True)
        across = kernel.evaluate(self.X, self.candidates)
        V = solve_triangular(L, across, lower=True)
        mean = cho_solve((L, True), self.y) @ across
        return mean, np.sqrt(np.maximum(1.0 - np.einsum("nm,nm->m", V, V), 0.0))


class BoTorch:
    """`SingleTaskGP`, its hyperparameters fixed: variances in chunks, points by conditioning."""

    name = "BoTorch"

    def __init__(self, candidates: np.ndarray) -> None:
        self._candidates = torch.tensor(candidates)

    def start(self, X: np.ndarray, y: np.ndarray) -> None:
        likelihood = GaussianLikelihood()
        likelihood.noise = NOISE
        kernel = ScaleKernel(MaternKernel(nu=NU))
        kernel.outputscale, kernel.base_kernel.lengthscale = 1.0, LENGTHSCALE
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it advises to standardise y
            self._model = SingleTaskGP(
                torch.tensor(X),
                torch.tensor(y)[:, None],
                likelihood=likelihood,
                covar_module=kernel,
                mean_module=ZeroMean(),
                outcome_transform=None,
            )
        self._model.eval()

    def add(self, x: np.ndarray, y: float) -> None:
        with torch.no_grad(), fast_pred_var():
            self._model = self._model.condition_on_observations(
                torch.tensor(x)[None], torch.tensor([[y]])
            )

    def predict(self) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = [], []
        with torch.no_grad(), fast_pred_var(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for part in torch.split(self._candidates, _CHUNK):
                there = self._model(part)
                mean.append(there.mean.numpy().ravel())
                variance.append(there.variance.numpy().ravel())
        return np.concatenate(mean), np.sqrt(np.maximum(np.concatenate(variance), 0.0))
