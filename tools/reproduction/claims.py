"""What the paper claims of its experiments, as numbers with intervals.

Policies are compared by `ucbpe_app.study.records`. The rest are numbers of one replicate
each, averaged: when GP-BUCB's initialisation ends for which C, and how regret falls with the batch
size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ucbpe_core.errors import InputError
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.policies import explore, information_bound
from ucbpe_core.search.simulation import initial_observations
from ucbpe_core.study.summarise import means
from ucbpe_core.study.task import prior_of_replicate, problem_of
from ucbpe_core.support import streams
from ucbpe_core.support.validation import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ucbpe_core.study.plan import Study
    from ucbpe_core.study.task import Result

_EXPONENT = "exponent of R_T^K"
FOUND = "share that measured the maximum"
PAIRED = "paired difference of R_TK / (T K)"


def initial_posterior(study: Study, problem: str, replicate: int) -> Posterior:
    """The posterior that every policy of this replicate starts from: prior and initial points."""
    function = problem_of(study, problem, replicate)
    seed = streams.study_seeds(study.seed, problem, replicate)["run"]
    start = Posterior.prior(prior_of_replicate(study, problem, replicate), function.candidates)
    return start.observe(*initial_observations(function, study.initial, seed))


def initialization_range(
    study: Study, problem: str, batches: int, replicate: int
) -> tuple[float, float]:
    """The C, [low, high), with which GP-BUCB's initialisation ends right after `batches` batches.

    1/2 (K-1) log(1 + max std^2 / noise_variance) at the start of the batch after, and at the
    start of the last one. Initialisation uses standard deviations only, so no value is needed.
    """
    count(batches, "batches")
    posterior = initial_posterior(study, problem, replicate)
    everywhere, K = np.ones(len(posterior.candidates), dtype=bool), study.batch_size
    before = after = information_bound(posterior, K)
    for _ in range(batches):
        picks = explore(posterior, everywhere, K)
        posterior = posterior.hallucinate([pick.index for pick in picks])
        before, after = after, information_bound(posterior, K)
    return after, before


def initialization_statistics(
    study: Study, problem: str, batches: int, replicates: int, level: float = 0.95
) -> pd.DataFrame:
    """Means over replicates of both ends of `initialization_range`."""
    names = [f"least C that ends by {batches}", f"greatest C that lasts {batches}"]
    ranges = [initialization_range(study, problem, batches, i) for i in range(replicates)]
    samples = pd.DataFrame(ranges, columns=names).assign(problem=problem, policy="GP-BUCB")
    return means(samples, "statistic", names, level)


def paired_regrets(results: Iterable[Result], reference: str, level: float = 0.95) -> pd.DataFrame:
    """Means of the paired differences policy - `reference` of the mean regret of all picks."""
    rows = [
        (run.problem, run.policy, run.replicate, run.total.mean() / run.batch_size)
        for run in results
        if run.error is None
    ]
    regrets = pd.DataFrame(rows, columns=["problem", "policy", "replicate", PAIRED])
    base = regrets[regrets["policy"] == reference].drop(columns="policy")
    others = regrets[regrets["policy"] != reference]
    paired = others.merge(base, on=["problem", "replicate"], suffixes=("", " of the reference"))
    paired[PAIRED] -= paired[f"{PAIRED} of the reference"]
    return means(paired, "statistic", [PAIRED], level)


def shares_found(results: Iterable[Result]) -> pd.DataFrame:
    """The share of replicates whose run measured the maximum; its limits mean little."""
    rows = [
        (run.problem, run.policy, float(run.simple.min() == 0))
        for run in results
        if run.error is None
    ]
    samples = pd.DataFrame(rows, columns=["problem", "policy", FOUND])
    return means(samples, "statistic", [FOUND])


def batch_size_exponents(
    results: Iterable[Result], sizes: Mapping[str, int], level: float = 0.95
) -> pd.DataFrame:
    """The slope of log R_T^K against log K by least squares, for each problem.

    One slope per replicate, over the policies of that replicate: Theorem 1 has R_T^K fall like
    K^(-1/2), up to logarithms, at fixed T.

    Parameters
    ----------
    sizes : K of each policy label; others are left out

    Raises
    ------
    InputError
        For a regret of 0, or a replicate that not all sizes finished.
    """
    rows = [
        (run.problem, run.replicate, sizes[run.policy], run.simple.sum())
        for run in results
        if run.policy in sizes and run.error is None
    ]
    regrets = pd.DataFrame(rows, columns=["problem", "replicate", "K", "regret"])
    table = regrets.pivot(index=["problem", "replicate"], columns="K", values="regret")
    if table.isna().any(axis=None):
        raise InputError("each size in each replicate", "some missing", "finish the study first")
    if not (table > 0).all(axis=None):
        raise InputError("regrets above 0", "a 0", "take a problem that is harder to solve")
    slopes = np.polyfit(np.log(table.columns.to_numpy(float)), np.log(table.to_numpy()).T, 1)[0]
    samples = table.index.to_frame(index=False).assign(policy="K", **{_EXPONENT: slopes})
    return means(samples, "statistic", [_EXPONENT], level)
