"""Play random runs under several BLAS kernels and thread counts, and compare what they give.

    python -m tools.digests --runs 200
    python -m tools.digests --runs 10000 --path large --cores Haswell Nehalem --threads 1

The runs are small and of many kinds: 1, 2 and 6 inputs, grids full of ties, repeated candidates,
several kernels, noise variances, policies and batch sizes. A third of them fit the hyperparameters
in between. Run i is the same whatever else is played. With `--path large` R+ is explored by
`ucbpe_core.gp.lazy`, whatever the size. Each setting is a process of its own, with
OPENBLAS_CORETYPE and OPENBLAS_NUM_THREADS. Says that picks, masks and fits are equal, or which
differ, and then exits with 1. `--each FILE` keeps them, one line per run, and `--against FILE`
compares with those of another machine or version.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import warnings
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import GPUCBPE, RBF, Bandit, ConstantBeta, FiniteBeta, GaussianProcess, Matern
from ucbpe_core.gp import lazy
from ucbpe_core.gp.kernels import Polynomial
from ucbpe_core.policies import (
    EIPE,
    GPBUCB,
    GPUCB,
    GreedyUCB,
    LocalPenalization,
    PureExploration,
    SimulationMatching,
    ThompsonSampling,
)

if TYPE_CHECKING:
    from ucbpe_core import Kernel, Policy
    from ucbpe_core.support.validation import Floats

NOISES = (0.0, 1e-6, 0.01, 1.0)
CORES = ("Haswell", "SkylakeX", "Nehalem")
PARTS = ("picks", "masks", "fits")
ROOT = Path(__file__).resolve().parents[1]


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


def play(seed: int) -> tuple[bytes, bytes, bytes]:
    """The picks of run `seed`, its masks of R and R+, and the process that it ends with."""
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
        if seed % 3 == 2 and len(picks) == 2 and np.ptp(bandit.posterior.y) > 0:
            bandit.refit()
    picks.append(np.array([bandit.best().index]))
    played = np.concatenate(picks).astype("<i8").tobytes()
    return played, np.packbits(masks).tobytes(), repr(bandit.posterior.gp).encode()


def lines(first: int, runs: int, path: str) -> list[str]:
    """One line for each run: its number, and a digest of each of its parts."""
    lazy.LEAST = 1 if path == "large" else 10**9
    warnings.simplefilter("ignore")
    digests = [[sha256(part).hexdigest()[:12] for part in play(first + i)] for i in range(runs)]
    return [" ".join([str(first + i), *own]) for i, own in enumerate(digests)]


def played_in(core: str, threads: int, options: argparse.Namespace) -> list[str]:
    """The lines of the runs in a process with that BLAS kernel and that number of threads."""
    environment = {"OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": str(threads)}
    arguments = ["--first", str(options.first), "--runs", str(options.runs), "--path", options.path]
    done = subprocess.run(
        [sys.executable, "-m", "tools.digests", "--print", *arguments],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": str(threads), **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def differences(one: list[str], other: list[str]) -> list[str]:
    """What differs between two lists of lines, in words, by run."""
    if len(one) != len(other):
        return [f"{len(one)} runs against {len(other)}"]
    found = []
    for mine, theirs in zip(one, other, strict=True):
        number, *digests = zip(mine.split(), theirs.split(), strict=True)
        parts = [name for name, (a, b) in zip(PARTS, digests, strict=True) if a != b]
        if parts or number[0] != number[1]:
            found.append(f"run {number[0]}: {', '.join(parts) or 'another run'}")
    return found


def compared(options: argparse.Namespace) -> bool:
    """Whether all settings, and the file if one is given, have the same lines; says so."""
    settings = [f"{core} ({threads})" for core, threads in _settings(options)]
    every = [played_in(*setting, options) for setting in _settings(options)]
    if options.against:
        settings, every = [*settings, str(options.against)], [*every, _read(options.against)]
    if options.each:
        options.each.parent.mkdir(parents=True, exist_ok=True)
        options.each.write_text("".join(f"{line}\n" for line in every[0]))
    equal = True
    for setting, own in zip(settings[1:], every[1:], strict=True):
        differing = differences(every[0], own)
        print(f"{setting}: {'equal to' if not differing else 'differs from'} {settings[0]}")
        print("".join(f"  {one}\n" for one in differing), end="")
        equal = equal and not differing
    digest = sha256("\n".join(every[0]).encode()).hexdigest()[:16]
    print(f"{options.runs} runs {'equal' if equal else 'NOT equal'}: {settings[0]} has {digest}")
    return equal


def _settings(options: argparse.Namespace) -> list[tuple[str, int]]:
    return list(product(options.cores, options.threads))


def _read(path: Path) -> list[str]:
    return path.read_text().splitlines()


def main(arguments: list[str] | None = None) -> None:
    """Play the runs in every setting, and exit with 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--path", choices=("eager", "large"), default="eager")
    parser.add_argument("--cores", nargs="+", default=CORES, help="values of OPENBLAS_CORETYPE")
    parser.add_argument("--threads", nargs="+", type=int, default=(1, 2))
    parser.add_argument("--each", type=Path, help="file for the lines of the first setting")
    parser.add_argument("--against", type=Path, help="file of such lines to compare with")
    parser.add_argument("--print", action="store_true", help="print the lines of this process")
    options = parser.parse_args(arguments)
    if options.print:
        print("\n".join(lines(options.first, options.runs, options.path)))
    elif not compared(options):
        sys.exit(1)


if __name__ == "__main__":
    main()
