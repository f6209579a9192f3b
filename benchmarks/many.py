"""Tens of thousands of observations: the approximate posterior, its error, and those of others.

Two tables. `many_errors`: the errors of mean and std on Abalone and a generated GP, beside the
bounds that the posterior states, against exact rows. `many`: processor time and peak memory until
mean and std at the candidates are there, and how far the mean is (root mean squares over the
candidates) from the exact one, beside the sparse processes of `_sparse_peers`, which have the same
prior and are given the inducing points of this package; Adam goes on until the mean is within a
tenth of a posterior std, or for `LIMIT`, at several rates. The exact mean is that of 1e-13 of
remainder, whose bound is part of the table. Each case runs in a process of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table
from ucbpe_core import RBF, GaussianProcess, Posterior, problems
from ucbpe_core.inducing import Inducing, prior
from ucbpe_core.region import relevant_region

if TYPE_CHECKING:
    from benchmarks import _sparse_peers

COUNTS, SIZES = (500, 2000, 4000), (100, 300, 1000)
M, LENGTHSCALE, NOISE = 20_000, 0.1, 0.01
MANY, CHOSEN, MORE = (10_000, 50_000), 300, 600  # with more, the bound is as small as the error
ASKED, LIMIT = 0.1, 10.0  # of a posterior std; s
RATES, BATCH = (0.5, 1.0), 1000  # of Adam
NOTE = (
    "Processor time of one thread, data and imports not counted, nor, but in the rows of this "
    "package, the choice of the inducing points, which are the same; the peak counts all. The "
    "error is that of the mean. All know the prior that the data were drawn from, so that only the "
    "approximation differs. With a Gaussian likelihood a natural gradient step of rate 1 over all "
    f"data is the optimum. Adam, with {BATCH:,} values a step and its rate falling to 0, goes on "
    f"until an error of {ASKED:g} or for {LIMIT:.0f} s."
)
BETA = 4.0


def errors() -> None:
    """The first table."""
    columns = ["problem", "n", "m", "remainder", "mean, error", "bound", "std, error", "its bound",
               "R+ / X", "exact"]  # fmt: skip
    table = Table("many_errors", "What inducing points leave, as shares of the prior std", columns)
    for problem in (problems.abalone(), problems.generated_gp(seed=0)):
        X, rng = problem.candidates, np.random.default_rng(0)
        std = float(np.sqrt(problem.gp.kernel.diagonal(X).max()))
        noise = np.sqrt(problem.noise_variance)
        for n in COUNTS:
            at = rng.integers(len(X), size=n)
            y = problem.values[at] + noise * rng.standard_normal(n)
            exact = Posterior.prior(problem.gp, X).observe(at, y)
            for m in SIZES:
                found = prior(problem.gp, X, Inducing(m)).observe(at, y)
                regions = [relevant_region(one, BETA, BETA) for one in (found, exact)]
                assert (regions[0].region_plus >= regions[1].region_plus).all()
                off, spread = abs(found.mean - exact.mean), abs(found.std - exact.std)
                assert (off <= found.mean_error + 1e-9 * std).all()
                assert (spread <= found.std_error + 1e-9 * std).all()
                parts = (off, found.mean_error, spread, found.std_error)
                table.add(
                    problem.name, n, int(found.name.split()[0]),
                    float((found.raw_variance - found.explained).max() / std**2),
                    *(float(np.max(part) / std) for part in parts),
                    *(float(one.region_plus.mean()) for one in regions),
                )  # fmt: skip
    table.keep()


def data(n: int) -> tuple[GaussianProcess, np.ndarray, np.ndarray, np.ndarray]:
    """Prior, candidates (M, 2), indices measured and values (n,): a draw of the prior."""
    rng = np.random.default_rng(0)
    X, gp = rng.random((M, 2)), GaussianProcess(RBF(LENGTHSCALE), NOISE)
    U = prior(gp, X, Inducing(2000)).basis.factor
    f, at = rng.standard_normal(len(U)) @ U, rng.integers(M, size=n)
    return gp, X, at, f[at] + np.sqrt(NOISE) * rng.standard_normal(n)


def ours(n: int, m: int) -> None:
    """Print the seconds, and keep the mean."""
    gp, X, at, y = data(n)
    start = time.process_time()
    found = prior(gp, X, Inducing(m)).observe(at, y)
    mean, std = found.mean, found.std
    chosen = time.process_time() - start
    bound = np.max(found.mean_error)
    seconds = time.process_time() - start
    reference = _reference(n)
    if m == 2000:
        np.savez(reference, mean=mean, std=std)
        print(bound)
        return
    kept = np.load(reference)
    print(chosen, seconds, bound / _rms(kept["std"]), _rms(mean - kept["mean"]) / _rms(kept["std"]))
    print(_peak())


def closed(n: int, m: int) -> None:
    """Print what GPyTorch's closed form takes."""
    from benchmarks import _sparse_peers

    _print(_sparse_peers.closed(_given(n, m), _error(n)))


def natural(n: int, m: int) -> None:
    """Print what a natural gradient step takes."""
    from benchmarks import _sparse_peers

    _print(_sparse_peers.natural(_given(n, m), _error(n)))


def adam(n: int, m: int, rate: float, batch: int, limit: float) -> None:
    """Print what Adam takes."""
    from benchmarks import _sparse_peers

    how = _sparse_peers.Adam(rate, batch)
    _print(_sparse_peers.adam(_given(n, m), _error(n), how, ASKED, limit))


def _given(n: int, m: int) -> _sparse_peers.Data:
    """The data, and the inducing points that this package chooses."""
    from benchmarks import _sparse_peers

    gp, X, at, y = data(n)
    Z = X[inducing_points(gp, X, m)]
    return _sparse_peers.Data(LENGTHSCALE, NOISE, X[at], y, X, Z)


def inducing_points(gp: GaussianProcess, X: np.ndarray, m: int) -> np.ndarray:
    """Indices of the candidates: row i of U is 0 at those before, and largest at its own."""
    U = prior(gp, X, Inducing(m)).basis.factor
    left = np.ones(len(X)) - np.cumsum(U**2, axis=0)
    found = np.argmax(np.vstack([np.ones(len(X)), left[:-1]]), axis=1)
    assert len(set(found.tolist())) == len(U)
    return found


def _print(reached: _sparse_peers.Reached) -> None:
    print(*reached)
    print(_peak())


def _error(n: int) -> Callable[[np.ndarray], float]:
    """Of a mean at the candidates, in posterior stds."""
    kept = np.load(_reference(n))
    return lambda mean: _rms(mean - kept["mean"]) / _rms(kept["std"])


def times() -> None:
    """The second table."""
    columns = ["n", "which", "m", "error, posterior stds", "its bound", "mean and std, s",
               "with the bound, s", "steps", "peak, GB"]  # fmt: skip
    table = Table("many", f"{M:,} candidates: time and memory for mean and std", columns, NOTE)
    figures: dict[str, float | str] = {}
    for n in MANY:
        figures[f"bound on the error of what the mean is compared with, n = {n:,}"] = _run(
            "ours", n, 2000
        )[0]
        for m in (CHOSEN, MORE):
            mean, seconds, bound, error, peak = _run("ours", n, m)
            table.add(n, "inducing points", m, error, bound, mean, seconds, "none", peak)
        for what, name in (
            ("closed", "GPyTorch, closed form"),
            ("natural", "BoTorch, natural gradient"),
        ):
            spent, error, steps, peak = _run(what, n, CHOSEN)
            table.add(n, name, CHOSEN, error, "none", spent, "none", int(steps), peak)
        for rate in RATES:
            spent, error, steps, peak = _run("adam", n, CHOSEN, rate, BATCH, LIMIT)
            name = f"BoTorch, Adam from {rate:g}"
            table.add(n, name, CHOSEN, error, "none", spent, "none", int(steps), peak)
        _reference(n).unlink()
    table.keep(**figures)


def _run(what: str, *given: float) -> list[float]:
    command = [sys.executable, __file__, what, *map(str, given)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(number) for number in done.stdout.split()]


def _reference(n: int) -> Path:
    return Path(tempfile.gettempdir()) / f"ucbpe_many_{n}.npz"


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


if __name__ == "__main__":
    if len(sys.argv) > 1:
        called = {"ours": ours, "closed": closed, "natural": natural, "adam": adam}[sys.argv[1]]
        called(*(float(one) if "." in one else int(one) for one in sys.argv[2:]))
    else:
        errors()
        times()
