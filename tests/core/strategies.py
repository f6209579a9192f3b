"""Strategies: hypothesis picks sizes and kernels, a seeded generator fills in the numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from ucbpe_core import RBF, GaussianProcess, Kernel, Matern, Posterior
from ucbpe_core.gp.kernels import Polynomial

Floats = NDArray[np.float64]

seeds = st.integers(0, 2**32 - 1)
scales = st.floats(0.3, 3.0)
SMOOTHNESS = (0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.7)


@st.composite
def stationary_kernels(draw: st.DrawFn, dimension: int) -> Kernel:
    """RBF or Matérn, with one lengthscale or one per dimension."""
    several = st.tuples(*[scales] * dimension)
    lengthscale, variance = draw(st.one_of(scales, several)), draw(scales)
    nu = draw(st.sampled_from((None, *SMOOTHNESS)))
    return RBF(lengthscale, variance) if nu is None else Matern(lengthscale, variance, nu=nu)


@st.composite
def polynomial_kernels(draw: st.DrawFn) -> Kernel:
    """Polynomials of degree 1 to 3."""
    return Polynomial(draw(st.integers(1, 3)), draw(st.floats(0.2, 1.0)), draw(scales))


@st.composite
def kernels(draw: st.DrawFn, dimension: int) -> Kernel:
    """Any kernel, or the sum or product of two."""
    leaves = st.one_of(stationary_kernels(dimension), polynomial_kernels())
    how = draw(st.sampled_from(("leaf", "leaf", "sum", "product")))
    if how == "leaf":
        return draw(leaves)
    left, right = draw(leaves), draw(leaves)
    return left + right if how == "sum" else left * right


@dataclass(frozen=True)
class Instance:
    """A process, candidates (M, d), and values y (n,) observed at the candidates `members`."""

    gp: GaussianProcess
    candidates: Floats
    members: list[int]
    y: Floats
    rng: np.random.Generator

    @property
    def posterior(self) -> Posterior:
        return Posterior.prior(self.gp, self.candidates).observe(self.members, self.y)

    @property
    def X(self) -> Floats:
        return self.candidates[self.members]


def unit_points(rng: np.random.Generator, n: int, dimension: int) -> Floats:
    """Points (n, d) of the cube that fits in the unit ball: polynomials stay of order 1."""
    return rng.uniform(-1, 1, (n, dimension)) / np.sqrt(dimension)


@st.composite
def instances(
    draw: st.DrawFn, *, dimension: int = 6, size: int = 60, observations: int = 15
) -> Instance:
    """Beliefs of all sorts: repeated observations, now and then repeated candidates."""
    rng = np.random.default_rng(draw(seeds))
    d, M = draw(st.integers(1, dimension)), draw(st.integers(1, size))
    n = draw(st.integers(0, observations))
    kernel = draw(kernels(d))
    X = unit_points(rng, M, d)
    if draw(st.booleans()):
        X[M - M // 3 :] = X[: M // 3]
    # The noise is a share of the signal: what is tested is the algebra, not a singular matrix.
    level = float(kernel.diagonal(X).mean())
    noise = draw(st.sampled_from((0.001, 0.01, 0.1, 1.0))) * level
    gp = GaussianProcess(kernel, noise, draw(st.sampled_from((0.0, -0.7, 2.0))))
    few = max(1, M // draw(st.sampled_from((1, 4))))
    members = rng.integers(0, few, n).tolist()
    return Instance(gp, X, members, gp.mean + np.sqrt(level) * rng.standard_normal(n), rng)


def draw_data(gp: GaussianProcess, X: Floats, seed: int) -> Floats:
    """Noisy values (n,) of one draw of `gp` at X."""
    noise = np.random.default_rng([seed, 1]).standard_normal(len(X))
    return gp.sample(X, seed) + np.sqrt(gp.noise_variance) * noise
