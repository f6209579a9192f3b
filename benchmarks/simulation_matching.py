"""One batch of simulation matching against one batch of GP-UCB-PE on the same belief.

M = 2,500 candidates, 200 observations, K = 10, n = 20 trajectories; ask and tell together, in
turn, in one process. Times are processor time: with OPENBLAS_NUM_THREADS=1, as in studies, that
is what the clock would show on a machine with nothing else to do. The beliefs range from one
that leaves few candidates in question to one that knows next to nothing, where no candidate can
be left out of the simulation.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table
from ucbpe_core import GPUCBPE, RBF, FiniteBeta, GaussianProcess, Matern, Policy, Posterior
from ucbpe_core.policies import SimulationMatching

_M, _N, _K, _RUNS, _ROUNDS = 2_500, 200, 10, 20, 31
_BELIEFS = {
    "2-D, RBF, lengthscale 0.2": (2, GaussianProcess(RBF(0.2), 0.01)),
    "2-D, Matérn 5/2, lengthscale 0.2": (2, GaussianProcess(Matern(0.2, nu=2.5), 0.01)),
    "2-D, Matérn 5/2, noise variance 1": (2, GaussianProcess(Matern(0.2, nu=2.5), 1.0)),
    "2-D, Matérn 3, noise variance 1": (2, GaussianProcess(Matern(0.25, nu=3.0), 1.0)),
    "6-D, Matérn 5/2, lengthscale 0.5": (6, GaussianProcess(Matern(0.5, nu=2.5), 0.01)),
    "8-D, RBF, lengthscale 1": (8, GaussianProcess(RBF(1.0), 0.01)),
    "8-D, RBF, lengthscale 0.2": (8, GaussianProcess(RBF(0.2), 0.01)),
}


def main() -> None:
    """Print and keep the table."""
    table = Table(
        "simulation_matching",
        f"A batch of SM-UCB and of GP-UCB-PE: M = {_M:,}, n = {_N}, K = {_K}, {_RUNS} trajectories",
        ["a draw of the prior", "GP-UCB-PE, ms", "SM-UCB, ms", "ratio"],
        f"Ask and tell, processor time, medians of {_ROUNDS - 1} rounds. Asked: a ratio of at most "
        "5 where the posterior is not close to the prior.",
    )
    for label, (dimension, gp) in _BELIEFS.items():
        ours, theirs = _medians(dimension, gp)
        table.add(label, 1e3 * theirs, 1e3 * ours, ours / theirs)
    table.keep()


def _medians(dimension: int, gp: GaussianProcess) -> tuple[float, float]:
    """Seconds of one batch of simulation matching, and of GP-UCB-PE."""
    rng = np.random.default_rng(0)
    candidates = rng.random((_M, dimension))
    f = gp.sample(candidates, rng)
    members = rng.integers(_M, size=_N)
    y = f[members] + np.sqrt(gp.noise_variance) * rng.standard_normal(_N)
    belief = Posterior.prior(gp, candidates).observe(members[:-1], y[:-1])
    policies: tuple[Policy, ...] = (SimulationMatching(_K, _RUNS), GPUCBPE(_K))
    seconds: dict[str, list[float]] = {policy.name: [] for policy in policies}
    for j in rng.integers(_M, size=_ROUNDS):
        for policy in policies:
            # A last observation of its own makes each belief new: no row of a batch is reused.
            fresh = belief.observe([j], [f[j]])
            seconds[policy.name].append(_batch(policy, fresh))
    ours, theirs = (median(seconds[policy.name][1:]) for policy in policies)
    return ours, theirs


def _batch(policy: Policy, belief: Posterior) -> float:
    start = time.process_time()
    decision = policy.decide(belief, 19, FiniteBeta())
    belief.observe(decision.indices, np.zeros(_K))
    return time.process_time() - start


if __name__ == "__main__":
    main()
