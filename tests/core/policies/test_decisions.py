"""What holds of every policy: its record, its recorded batches, ties, and no pick that is short."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core import golden
from tests.core.reference import examples, posterior_covariance
from tests.core.strategies import Instance, instances
from ucbpe_core import (
    GPUCBPE,
    RBF,
    Bandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    InputError,
    Matern,
    Policy,
    Posterior,
)
from ucbpe_core.policies import (
    GPBUCB,
    POLICIES,
    ConstantLiar,
    GreedyUCB,
    PureExploration,
    SimulationMatching,
    VizierUCBPE,
)
from ucbpe_core.policies.picking import pick_largest, pick_upper

REPEATING = [GPUCBPE, GreedyUCB, PureExploration, SimulationMatching]


@examples(40)
@given(instances(dimension=3, size=25), st.sampled_from(REPEATING))
def test_repeated_candidates_tie_exactly(case: Instance, kind: type[Policy]) -> None:
    """Also after data: a copy of a candidate has its very deviation, and is never preferred."""
    M = len(case.candidates)
    distinct = np.unique(case.candidates, axis=0)
    copies = np.concatenate([distinct, distinct, distinct])
    belief = Posterior.prior(case.gp, copies).observe(case.members, case.y)
    first, *others = np.split(belief.std, 3)
    for other in others:
        assert np.array_equal(first, other)
    decision = kind(batch_size=min(4, M)).decide(belief, 2, FiniteBeta(scale=0.1))
    assert (decision.indices < len(distinct)).all()


# But for ten picks, and no seed.
DEFAULTS: dict[str, dict[str, object]] = {
    "GP-UCB": {"batch_size": 1},
    "GP-BUCB": {"C": 2.0, "initialization": True},
    "SM-UCB": {"trajectories": 20, "samples": 256},
    "Batched pure exploration": {"horizon": 1000},
    "Constant liar": {"lie": "min"},
    "qUCB": {"samples": 128},
    "qEI": {"samples": 128},
    "Vizier UCB-PE": {
        "coefficient": 1.8, "region_coefficient": 0.5, "penalty": 10.0, "pe_probability": 0.1,
        "ucb_probability": 0.25,
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", POLICIES.values())
def test_every_policy(kind: type[Policy]) -> None:
    """Registered by name, frozen, deterministic, with the defaults of its docstring."""
    assert POLICIES[kind.name] is kind
    belief = Posterior.prior(GaussianProcess(RBF(0.3)), np.linspace(0, 1, 20))
    policy = kind()
    usual = {"batch_size": 10, **({"seed": None} if hasattr(policy, "seed") else {})}
    assert vars(policy) == usual | DEFAULTS.get(kind.name, {})
    with pytest.raises(FrozenInstanceError):
        policy.batch_size = 2
    decision = policy.decide(belief, 1, FiniteBeta())
    assert len(decision.indices) == policy.batch_size
    assert set(decision.roles) <= set(kind.rules)
    np.testing.assert_array_equal(policy.decide(belief, 1, FiniteBeta()).indices, decision.indices)


@pytest.mark.parametrize(
    ("kind", "parameters", "what"),
    [
        *((SimulationMatching, {"trajectories": x}, "trajectories") for x in (-1, 1.5)),
        *((SimulationMatching, {"samples": x}, "samples") for x in (-1, 1.5)),
        *((SimulationMatching, {"seed": x}, "seed") for x in (-1, 1.5)),
        (VizierUCBPE, {"pe_probability": 1.5}, "pe_probability of at most 1"),
        (VizierUCBPE, {"ucb_probability": 1.5}, "ucb_probability of at most 1"),
        (ConstantLiar, {"lie": "median"}, "a lie among min, mean, max"),
        (GPBUCB, {"C": 150.1}, "C of at most 150"),  # beyond it exp(2 C) is no use
    ],
)
def test_bad_parameters_are_refused(kind: type[Policy], parameters: Any, what: str) -> None:
    with pytest.raises(InputError, match=what):
        kind(**parameters)


def test_the_greedy_maximiser_of_the_determinant_is_gp_ucb_pe() -> None:
    """Eq. (8): each pick has the greatest determinant with those before, of 40 candidates."""
    rng = np.random.default_rng(3)
    X = rng.random((40, 2))
    gp = GaussianProcess(Matern(0.4, nu=1.5), 0.05)
    start = Posterior.prior(gp, X).observe([3, 8, 20], [0.5, 2.0, -1.0])
    decision = GPUCBPE(6).decide(start, 1, ConstantBeta(0.5))
    assert 6 < decision.region_plus.sum() < 40
    x0, *others = decision.indices.tolist()
    Sigma = posterior_covariance(gp, X, [3, 8, 20, x0])
    inside = np.flatnonzero(decision.region_plus)
    for k, j in enumerate(others):
        sets = [[*others[:k], int(i)] for i in inside]
        ratios = [np.eye(k + 1) + Sigma[np.ix_(one, one)] / 0.05 for one in sets]
        values = [np.linalg.slogdet(ratio)[1] for ratio in ratios]
        assert inside[int(np.argmax(values))] == j


@pytest.mark.parametrize("setting", golden.SETTINGS)
@pytest.mark.parametrize("name", POLICIES)
def test_batches_are_those_recorded(name: str, setting: str) -> None:
    """With and without noise, among all candidates, those not withdrawn, and those not known."""
    expected = json.loads(golden.FILE.read_text())[f"{name}, {setting}"]
    for found, recorded in zip(golden.batches(name, setting), expected, strict=True):
        for key in ("stds", "scores", "bands"):
            mine, theirs = (np.array(each.pop(key), float) for each in (found, recorded))
            np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-9)
        assert found == recorded


def test_what_ties_at_the_upper_bound() -> None:
    """Bounds that differ by less than the tolerance of the mean and 2 of the std, for beta = 4."""
    known = SimpleNamespace(
        mean=np.array([0.0, 1.0]), tolerance=1e-4,
        std_tolerance=lambda std=None: 1e-3 if std is None or std == 0.5 else 0.0,
    )  # fmt: skip
    for lower, picked in ((2.0e-3, 0), (2.2e-3, 1)):
        known.std = np.array([1 - lower / 2, 0.5])
        assert pick_upper(known, beta=4.0).index == picked  # type: ignore[arg-type]
    known.std = np.array([0.5, 0.5 - 1e-4])
    chosen = pick_largest(known.std, known, "pe", tolerance=known.std_tolerance)  # type: ignore[arg-type]
    assert (chosen.index, chosen.score) == (0, 0.5)
    assert pick_largest(known.mean[::-1] * 9e-5, known, "m").index == 0  # type: ignore[arg-type]
    assert pick_largest(known.mean * 9e-5, known, "m").index == 0  # type: ignore[arg-type]
    assert pick_largest(known.mean * 2e-4, known, "m").index == 1  # type: ignore[arg-type]


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
