"""Play random runs and print one digest of all picks, to compare machines, versions and paths.

    python -m tools.digests --runs 10000 --path eager --each build/eager.txt

The runs are small and of many kinds: 1, 2 and 6 inputs, grids full of ties, repeated candidates,
several kernels, noise variances, policies and batch sizes. Run i is the same whatever else is
played. With `--path large` every choice is made by `ucbpe_core.large`, whatever the size. Two
outputs of `--each` show by `diff` which runs differ. Settings of BLAS come from the environment:
OPENBLAS_CORETYPE (Haswell, SkylakeX, Sandybridge, Nehalem) and OPENBLAS_NUM_THREADS.
"""

from __future__ import annotations

import argparse
import warnings
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core import (
    EIPE,
    GPBUCB,
    GPUCB,
    GPUCBPE,
    RBF,
    Bandit,
    ConstantBeta,
    FiniteBeta,
    GaussianProcess,
    GreedyUCB,
    LocalPenalization,
    Matern,
    Polynomial,
    PureExploration,
    SimulationMatching,
    ThompsonSampling,
)
from ucbpe_core.large import lazy, screening

if TYPE_CHECKING:
    from ucbpe_core import Kernel, Policy
    from ucbpe_core.validation import Floats

NOISES = (0.0, 1e-6, 0.01, 1.0)


def candidates(rng: np.random.Generator) -> Floats:
    """A grid on which symmetry makes ties, or points of which some are repeated; shape (M, d)."""
    kind = rng.integers(6)
    if kind == 0:
        return np.linspace(-0.5, 0.5, int(rng.integers(15, 90)))[:, None]
    if kind in (1, 2):
        side = np.linspace(-0.5, 0.5, int(rng.integers(5, 14) if rng.random() < 0.95 else 25))
        return np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    if kind == 3:
        corners = np.stack(np.meshgrid(*[(-0.5, 0.5)] * 6), axis=-1)
        return corners.reshape(-1, 6)
    X = rng.random((int(rng.integers(30, 150)), 2 if kind == 4 else 6)) - 0.5
    return np.concatenate([X, X[: rng.integers(1, 20)]])


def kernel(rng: np.random.Generator, dimension: int) -> Kernel:
    """One of several, with a random lengthscale."""
    length = round(float(rng.uniform(0.1, 0.6)), 3) * float(np.sqrt(dimension))
    kinds = (
        lambda: Matern(length, nu=2.5),
        lambda: Matern(length, nu=1.5),
        lambda: Matern(length, nu=0.5),
        lambda: Matern(length, nu=0.8),
        lambda: RBF(length),
        lambda: RBF(tuple(length * (1 + 0.5 * (i % 2)) for i in range(dimension))),
        lambda: RBF(4 * length),
        lambda: Matern(length, nu=1.5) + Polynomial(2),
    )
    return kinds[rng.integers(len(kinds))]()


def policy(rng: np.random.Generator) -> Policy:
    """Any policy but random search, which has no ties; the paper's more often."""
    K = int(rng.integers(1, 7))
    kinds: tuple[Policy, ...] = (
        *[GPUCBPE(K)] * 4,
        GreedyUCB(K),
        GPUCB(),
        GPBUCB(K, C=float(rng.choice([0.0, 2.0])), initialization=K == 1),
        EIPE(K),
        PureExploration(K),
        LocalPenalization(K),
        ThompsonSampling(K, seed=1),
        SimulationMatching(K, trajectories=5, samples=32, seed=1),
    )
    return kinds[rng.integers(len(kinds))]


def function(rng: np.random.Generator, X: Floats) -> Floats:
    """A symmetric function or one with a slope, rounded: the same number everywhere, shape (M,)."""
    slope = rng.choice([0.0, 0.7])
    return np.round(np.cos(5 * X).sum(axis=1) + slope * X[:, 0] + float(rng.choice([0, 30])), 6)


def play(seed: int) -> tuple[bytes, bytes]:
    """The picks of run `seed`, and its masks of R and R+."""
    rng = np.random.default_rng([20260, seed])
    X = candidates(rng)
    noise, f = float(rng.choice(NOISES)), function(rng, X)
    gp = GaussianProcess(kernel(rng, X.shape[1]), noise, mean=float(rng.choice([0.0, f.mean()])))
    schedules = (FiniteBeta(), FiniteBeta(scale=0.2), ConstantBeta(1.0))
    bandit = Bandit(X, gp, policy(rng), schedules[rng.integers(3)])
    start = rng.integers(len(X), size=int(rng.choice([0, 1, 4, 10])))
    bandit.tell(start, f[start])
    picks, masks = [], []
    for _ in range(int(rng.integers(2, 6))):
        decision = bandit.ask()
        picks.append(decision.indices)
        masks += [decision.region, decision.region_plus]
        error = rng.standard_normal(len(decision.indices)) * rng.choice([0.0, np.sqrt(noise)])
        bandit.tell(decision.indices, f[decision.indices] + error.round(6))
    picks.append(np.array([bandit.best()]))
    return np.concatenate(picks).astype("<i8").tobytes(), np.packbits(masks).tobytes()


def main(arguments: list[str] | None = None) -> None:
    """Play the runs and print the digest of their picks and that of their masks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--path", choices=("eager", "large"), default="eager")
    parser.add_argument("--each", type=Path, help="file for one line per run")
    options = parser.parse_args(arguments)
    modules: tuple[Any, ...] = (lazy, screening)
    for module in modules:
        module.LEAST = 1 if options.path == "large" else 10**9
    warnings.simplefilter("ignore")
    picks, masks, lines = sha256(), sha256(), []
    for seed in range(options.first, options.first + options.runs):
        own = play(seed)
        picks.update(own[0])
        masks.update(own[1])
        lines.append(
            f"{seed} {sha256(own[0]).hexdigest()[:12]} {sha256(own[1]).hexdigest()[:12]}\n"
        )
    if options.each:
        options.each.parent.mkdir(parents=True, exist_ok=True)
        options.each.write_text("".join(lines))
    print(f"picks {picks.hexdigest()[:16]} masks {masks.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
