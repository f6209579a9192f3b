"""What the engine in the browser is compared with: settings, and random runs of the core.

`CHANGES` are the settings of runs that are drawn, recomputed on a page, and played from the tables
of a file. Random case i is the same whatever else is made: 1-D and 2-D, grids whose symmetry makes
ties, candidates that occur twice, 8 batches of 1 to 10 picks.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ucbpe_app.engine.tables import engine_settings, plain, problem_tables
from ucbpe_app.problem.frame import grid_of
from ucbpe_core import (
    GPUCBPE,
    RBF,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    IllConditionedWarning,
    Matern,
    simulate,
)
from ucbpe_core.gp.kernels import Linear, Periodic, Polynomial, RationalQuadratic, Stationary
from ucbpe_core.gp.rows import Rows
from ucbpe_core.policies import (
    EIPE,
    GPBUCB,
    GPUCB,
    GreedyUCB,
    PureExploration,
    ThompsonSampling,
    VizierUCBPE,
)
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ucbpe_core import BetaSchedule, Kernel, Policy, Trace
    from ucbpe_core.support.validation import Floats

# By the link that is opened first: what is then changed.
CHANGES: dict[str, list[dict[str, Any]]] = {
    "preset=start&show=truth,plane": [
        {},
        {"policy": "GP-BUCB", "batch_size": 3},
        {"policy": "EI-PE", "kernel": "Matérn", "nu": 2.5, "lengthscale": 0.3},
        {"policy": "GP-UCB", "schedule": "Constant", "scale": 0.3},
        {"policy": "GreedyUCB", "schedule": "Compact cube", "noise_variance": 0.4},
        {"policy": "Pure exploration", "kernel": "Polynomial", "degree": 3},
        {"policy": "Vizier UCB-PE"},
        {"policy": "Thompson sampling", "batch_size": 3},
        {"batch_size": 10, "delta": 0.4, "variance": 40.0},
        {"batch_size": 1, "noise_variance": 0.0},
        {"second": "plus Periodic", "second_period": 0.7, "second_variance": 0.3},
        {"second": "times Linear", "schedule": "Compact cube"},
    ],
    "preset=start&show=noisy,log,stop,bounds": [
        {},
        {"kernel": "Matérn", "nu": 0.5, "scale": 0.05},
        {"schedule": "Compact cube", "policy": "GP-BUCB", "variance": 3.0},
    ],
    "preset=himmelblau": [
        {},
        {"policy": "GreedyUCB", "scale": 0.1},
        {"batch_size": 3, "stretch": 2.5},
        {"kernel": "Periodic", "stretch": 0.4, "second": "plus RBF"},
    ],
    "problem=gaussian-mixture&show=truth,plane,stop": [
        {},
        {"policy": "EI-PE", "noise_variance": 0.1},
        {"policy": "Vizier UCB-PE", "batch_size": 2},
    ],
}
NOISES = (0.0, 1e-6, 0.01, 1.0)
BATCHES = 8


def candidates(rng: np.random.Generator) -> Floats:
    """A grid on which symmetry makes ties, or points of which some are repeated; shape (M, d)."""
    kind, d = rng.integers(3), int(rng.integers(1, 3))
    if kind == 0:
        side = np.linspace(-0.5, 0.5, int(rng.integers(15, 90) if d == 1 else rng.integers(5, 14)))
        return np.stack(np.meshgrid(*[side] * d, indexing="ij"), axis=-1).reshape(-1, d)
    X = rng.random((int(rng.integers(30, 120)), d)) - 0.5
    return X if kind == 1 else np.concatenate([X, X[: rng.integers(1, 20)]])


def _kernel(rng: np.random.Generator, dimension: int, smoothness: tuple[float, ...]) -> Kernel:
    length = round(float(rng.uniform(0.1, 0.6)), 3) * float(np.sqrt(dimension))
    variance = float(rng.choice([1.0, 2.3, 40.0]))
    kinds: tuple[Kernel, ...] = (
        *(Matern(length, variance, nu=nu) for nu in (0.5, 1.5, 2.5)),
        RBF(length, variance),
        RBF(4 * length, variance),
        Polynomial(int(rng.integers(1, 5)), float(rng.choice([0.5, 1.0])), variance),
        RationalQuadratic(length, variance, alpha=float(rng.choice([0.3, 2.0]))),
        Periodic(float(rng.choice([0.7, 1.5])), 1.2 * length, variance),
        Linear(variance),
    )
    if smoothness:
        kinds = tuple(Matern(length, variance, nu=nu) for nu in smoothness)
    first, joined = kinds[rng.integers(len(kinds))], int(rng.integers(8))
    stretch = float(rng.choice([0.3, 1.0, 5.0]))
    name = "period" if isinstance(first, Periodic) else "lengthscale"
    if dimension == 2 and stretch != 1 and hasattr(first, name):
        root, one = float(np.sqrt(stretch)), getattr(first, name)
        first = replace(first, **{name: (one * (1 / root), one * root)})
    seconds = (
        RBF(0.7),
        Periodic(0.8, 1.1),
        Linear(),
        RBF(0.2, 0.5),
        Periodic(1.5, 0.4, 2.0),
        Linear(3.0),
    )
    if joined >= len(seconds):
        return first
    return first * seconds[joined] if joined < 3 else first + seconds[joined]


def _policy(rng: np.random.Generator, noise: float) -> Policy:
    K = int(rng.integers(1, 11))
    kinds: tuple[Policy, ...] = (
        *[GPUCBPE(K)] * 4,
        GreedyUCB(K),
        GPUCB(),
        GPBUCB(K, C=float(rng.choice([0.0, 2.0])), initialization=noise > 0),
        EIPE(K),
        PureExploration(K),
        VizierUCBPE(K),
        ThompsonSampling(K),
    )
    return kinds[rng.integers(len(kinds))]


def _schedule(rng: np.random.Generator) -> BetaSchedule:
    delta, scale = round(float(rng.uniform(0.01, 0.5)), 3), float(rng.choice([1.0, 0.2, 0.037]))
    schedules = (FiniteBeta(delta, scale), CompactBeta(delta, scale), ConstantBeta(4.0, scale))
    return schedules[rng.integers(3)]


def case(number: int, smoothness: tuple[float, ...] = ()) -> dict[str, Any]:
    """Case `number`: what the engine is given, and what the core made of it.

    With `smoothness`, the kernel is a Matérn of one of these nu.
    """
    rng = np.random.default_rng([20263, number])
    X = candidates(rng)
    slope, offset = rng.choice([0.0, 0.7]), float(rng.choice([0, 30]))
    f = np.round(np.cos(5 * X).sum(axis=1) + slope * X[:, 0] + offset, 6)
    noise = float(rng.choice(NOISES))
    mean = float(rng.choice([0.0, f.mean()]))
    gp = GaussianProcess(_kernel(rng, X.shape[1], smoothness), noise, mean)
    in_truth = float(rng.choice([0.0, noise]))
    direction = "minimize" if rng.random() < 0.2 else "maximize"
    problem = Problem("case", X, f, in_truth, gp, "none", unique=False, direction=direction)
    policy, schedule = _policy(rng, noise), _schedule(rng)
    initial, seed = int(rng.choice([0, 1, 4, 10])), int(rng.integers(10_000))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IllConditionedWarning)
        trace = simulate(problem, policy, gp, schedule, batches=BATCHES, initial=initial, seed=seed)
    own = {"most_picks": 10, "policy_seed": getattr(trace.policy, "seed", 0)}
    tables = problem_tables(problem, initial=initial, seed=seed, batches=BATCHES, **own)
    settings = engine_settings(gp, trace.policy, schedule, BATCHES)
    return {"case": number, **played(trace, plain({**tables, "grid": grid_of(X)}), settings)}


def played(trace: Trace, tables: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """What the engine is given, and what the core made of it: picks, masks of R and R+, digest."""
    masks = sha256()
    for decision in trace.decisions:
        masks.update(decision.region.tobytes() + decision.region_plus.tobytes())
    return {
        "problem": tables,
        "settings": settings,
        "picks": [decision.indices.tolist() for decision in trace.decisions],
        "masks": masks.hexdigest(),
        "digest": trace.digest,
    }


def decided(number: int, smoothness: tuple[float, ...] = ()) -> bool:
    """Whether the core comes to one run however its sums and its kernel's last bits are rounded.

    Where two scores differ by the tolerance of a tie to within rounding it does not, and no other
    program can be asked to agree with it: see "Ties" in docs/developers.md.
    """
    known, rng = case(number, smoothness), np.random.default_rng(0)

    def summed(order: Callable[[int], Iterable[int]]) -> Callable[[Rows, Floats], Floats]:
        return lambda rows, weights: sum(
            (weights[i] * rows[i] for i in order(len(weights))), np.zeros(rows.width)
        )

    def rounded(kind: type[Kernel]) -> Any:
        evaluate = kind.evaluate

        def other(own: Kernel, X: Floats, Z: Floats) -> Floats:
            units = 2.0**-52 * (1 + own.rounding_units)
            return evaluate(own, X, Z) * (1 + units * rng.integers(-1, 2, len(Z)))

        return other

    changes: tuple[tuple[type, str, Any], ...] = (
        (Rows, "combine", summed(range)),
        (Rows, "combine", summed(lambda n: range(n)[::-1])),
        *(
            (kind, "evaluate", rounded(kind))
            for kind in (Stationary, Polynomial, Linear, Periodic)
            for _ in range(32)
        ),
    )
    for kind, name, other in changes:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind, name, other)
            if case(number, smoothness) != known:
                return False
    return True
