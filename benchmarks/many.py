"""Tens of thousands of observations: the approximate posterior, its error, and BoTorch's.

Two tables. `many_errors`: the errors of mean and std on Abalone and a generated GP, beside the
bounds that the posterior states, against exact rows. `many`: processor time and peak memory until
the mean is within a tenth of a posterior std (root mean squares over the candidates) of the exact
one, beside BoTorch's variational GP, whose hyperparameters are fixed at those of the data and
whose inducing points are as many; it is trained by Adam until it is as close, or for `LIMIT`. The
exact mean is that of 1e-13 of remainder, whose bound is part of the table. Each case runs in a
process of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table
from ucbpe_core import RBF, GaussianProcess, Posterior, problems
from ucbpe_core.inducing import Inducing, prior
from ucbpe_core.region import relevant_region

COUNTS, SIZES = (500, 2000, 4000), (100, 300, 1000)
M, LENGTHSCALE, NOISE = 20_000, 0.1, 0.01
MANY, CHOSEN, MORE = (10_000, 50_000), 300, 600  # with more, the bound is as small as the error
ASKED = 0.1  # of a posterior std
LIMIT = 100.0  # s
# BoTorch chooses its inducing points among so many of the data: it takes their whole covariance.
FEW = 3000
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


def botorch(n: int, m: int) -> None:
    """Print the seconds until the error asked for, or those of the limit, and the error then."""
    import torch
    from botorch.models import SingleTaskVariationalGP
    from gpytorch.kernels import RBFKernel
    from gpytorch.likelihoods import GaussianLikelihood
    from gpytorch.means import ZeroMean
    from gpytorch.mlls import VariationalELBO

    warnings.simplefilter("ignore")  # it advises to standardise y
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    _, X, at, y = data(n)
    kept, candidates = np.load(_reference(n)), torch.tensor(X)
    inputs, values = torch.tensor(X[at]), torch.tensor(y)
    start, looking = time.process_time(), 0.0
    likelihood, kernel = GaussianLikelihood(), RBFKernel()
    likelihood.noise, kernel.lengthscale = NOISE, LENGTHSCALE
    for part in (likelihood, kernel):
        part.requires_grad_(False)
    model = SingleTaskVariationalGP(
        inputs[:FEW], values[:FEW, None], likelihood=likelihood, covar_module=kernel,
        mean_module=ZeroMean(), inducing_points=m, learn_inducing_points=False,
    )  # fmt: skip
    objective = VariationalELBO(likelihood, model.model, num_data=n)
    adam = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=0.05)
    error, looked = np.inf, start
    while error > ASKED and time.process_time() - start - looking < LIMIT:
        model.train()
        for batch in torch.randperm(n).split(1000):
            adam.zero_grad()
            (-objective(model(inputs[batch]), values[batch])).sum().backward()
            adam.step()
        before = time.process_time()
        if before - looked < LIMIT / 20:
            continue
        model.eval()
        with torch.no_grad():
            mean = torch.cat([model(part).mean.ravel() for part in candidates.split(1000)])
        error = _rms(mean.numpy() - kept["mean"]) / _rms(kept["std"])
        looked = time.process_time()
        looking += looked - before
    print(time.process_time() - start - looking, error)
    print(_peak())


def main() -> None:
    """Print and keep both tables."""
    errors()
    columns = ["n", "which", "m", "error, posterior stds", "its bound", "mean and std, s",
               "with the bound, s", "peak, GB"]  # fmt: skip
    table = Table(
        "many", f"{M:,} candidates: until the mean is within a tenth of a posterior std", columns,
        "Processor time of one thread, data and imports not counted; the peak counts both. "
        f"BoTorch is trained for {LIMIT:.0f} s at most.",
    )  # fmt: skip
    bounds = {}
    for n in MANY:
        bounds[f"bound on the error of what the mean is compared with, n = {n:,}"] = _run(
            "ours", n, 2000
        )[0]
        for m in (CHOSEN, MORE):
            mean, seconds, bound, error, peak = _run("ours", n, m)
            table.add(n, "inducing points", m, error, bound, mean, seconds, peak)
        trained, error, peak = _run("botorch", n, CHOSEN)
        table.add(n, "BoTorch, variational", CHOSEN, error, "none", trained, "none", peak)
        _reference(n).unlink()
    table.keep(**bounds)


def _run(what: str, n: int, m: int) -> list[float]:
    command = [sys.executable, __file__, what, str(n), str(m)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(number) for number in done.stdout.split()]


def _reference(n: int) -> Path:
    return Path(__file__).parent / f"many_{n}.npz"


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


if __name__ == "__main__":
    if len(sys.argv) > 1:
        {"ours": ours, "botorch": botorch}[sys.argv[1]](*map(int, sys.argv[2:]))
    else:
        main()
