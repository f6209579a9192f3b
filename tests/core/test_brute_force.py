"""Every pick against a dense solve in extended precision: none is short of the best by more than
rounding, however close the candidates are to each other.
"""

from __future__ import annotations

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, Bandit, GaussianProcess, Matern

Extended = np.ndarray

LEAST = 2e-11  # a share of the prior's std that may decide nothing: 1e-9 of it did once


def covariances(X: np.ndarray, lengthscale: float, nu: float) -> Extended:
    """Matérn 1/2, 3/2 or 5/2 of all pairs, variance 1, shape (M, M)."""
    wide = X.astype(np.longdouble)
    r = np.sqrt(((wide[:, None] - wide[None]) ** 2).sum(axis=2)) / np.longdouble(lengthscale)
    s = np.sqrt(np.longdouble(2 * nu)) * r
    factor = {0.5: 1 + 0 * s, 1.5: 1 + s, 2.5: 1 + s + s * s / 3}[nu]
    return np.asarray(factor * np.exp(-s))


def whitened(C: Extended, B: Extended) -> Extended:
    """L^-1 B with C = L L', column by column: NumPy's own solvers have no extended precision."""
    n = len(C)
    L, solved = np.zeros((n, n), np.longdouble), np.array(B, np.longdouble)
    for j in range(n):
        L[j, j] = np.sqrt(C[j, j] - (L[j, :j] ** 2).sum())
        L[j + 1 :, j] = (C[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j]) / L[j, j]
        solved[j] = (solved[j] - L[j, :j] @ solved[:j]) / L[j, j]
    return solved


@pytest.mark.parametrize("noise", [1e-4, 0.01, 1.0])
@pytest.mark.parametrize("seed", [1000, 1001, 1002, 1020])
def test_no_pick_is_short(seed: int, noise: float) -> None:
    """Half of the candidates are 1e-10 to 1e-8 from one of the others."""
    rng = np.random.default_rng(seed)
    d, nu, lengthscale = int(rng.integers(1, 4)), float(rng.choice([0.5, 1.5, 2.5])), 0.3
    X = rng.random((30, d))
    X = rng.permutation(np.concatenate([X, X + 10 ** rng.uniform(-10, -8, X.shape)]))
    f, K = np.sin(5 * X).sum(axis=1), covariances(X, lengthscale, nu)
    bandit = Bandit(X, GaussianProcess(Matern(lengthscale, nu=nu), noise), GPUCBPE(5))
    told = rng.integers(len(X), size=3).tolist()
    bandit.tell(told, f[told])

    def std_after(members: list[int]) -> Extended:
        C = K[np.ix_(members, members)] + noise * np.eye(len(members))
        return np.asarray(np.sqrt(1 - (whitened(C, K[members]) ** 2).sum(axis=0)))

    for _ in range(4):
        decision = bandit.ask()
        C = K[np.ix_(told, told)] + noise * np.eye(len(told))
        both = whitened(C, np.column_stack([K[told], f[told]]))
        upper = both[:, :-1].T @ both[:, -1] + decision.sqrt_beta * std_after(told)
        first, *others = decision.indices.tolist()
        assert upper.max() - upper[first] <= (1 + decision.sqrt_beta) * LEAST
        members = [*told, first]
        for j in others:
            std = np.where(decision.region_plus, std_after(members), 0)
            assert std.max() - std[j] <= LEAST
            members.append(j)
        bandit.tell(decision.indices, f[decision.indices])
        told += decision.indices.tolist()
