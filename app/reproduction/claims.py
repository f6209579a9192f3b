"""What the paper claims of its experiments, as numbers with intervals.

Which policy is better is read off paired differences of the mean simple regret R_T^K / T and of
the best simple regret of the run. The rest are numbers of one replicate each, averaged: when
GP-BUCB's initialisation ends for which C, and how regret falls with the batch size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import streams
from ucbpe_core.errors import InputError
from ucbpe_core.policies.base import explore
from ucbpe_core.policies.gp_bucb import information_bound
from ucbpe_core.posterior import Posterior
from ucbpe_core.simulation import initial_observations
from ucbpe_core.study.cells import cells
from ucbpe_core.study.intervals import student_interval
from ucbpe_core.study.run import prior, problem_of
from ucbpe_core.study.summarise import Statistic
from ucbpe_core.validation import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ucbpe_core.study.cells import Cell, Replicate
    from ucbpe_core.study.plan import Study
    from ucbpe_core.study.summarise import Curve

# Curves at t = T from which policies are compared, and what to divide them by: R_T^K is shown as
# the mean over batches.
COMPARED = {"batch_cumulative_regret": True, "running_minimum": False}


@dataclass(frozen=True)
class Comparison:
    """A policy beside the reference at the end of a study, in units of f.

    Attributes
    ----------
    problem, policy, reference, quantity : labels; `quantity` is a key of `COMPARED`
    base : mean of the reference
    mean, low, high : paired difference policy - reference and its limits
    n : replicates
    """

    problem: str
    policy: str
    reference: str
    quantity: str
    base: float
    mean: float
    low: float
    high: float
    n: int

    @property
    def verdict(self) -> str:
        """Regret "lower" or "higher" than the reference, or "open" where 0 is in the interval."""
        if self.high < 0:
            return "lower"
        return "higher" if self.low > 0 else "open"


def comparisons(curves: Iterable[Curve], differences: Iterable[Curve]) -> tuple[Comparison, ...]:
    """The last point of each difference in `COMPARED`, beside the reference's own mean.

    Parameters
    ----------
    curves, differences : of one study, from `summarise.curves` and `summarise.differences`
    """
    means = {(one.problem, one.policy, one.quantity): one for one in curves}
    found = []
    for one in differences:
        if one.quantity not in COMPARED:
            continue
        share = 1 / len(one.t) if COMPARED[one.quantity] else 1.0
        base = means[one.problem, one.reference, one.quantity].mean[len(one.t) - 1]
        comparison = Comparison(
            problem=one.problem,
            policy=one.policy,
            reference=one.reference,
            quantity=one.quantity,
            base=share * float(base),
            mean=share * float(one.mean[-1]),
            low=share * float(one.low[-1]),
            high=share * float(one.high[-1]),
            n=one.n,
        )
        found.append(comparison)
    return tuple(found)


def initial_posterior(study: Study, problem: str, replicate: int) -> Posterior:
    """The posterior that every policy of this replicate starts from: prior and initial points."""
    function = problem_of(study, problem, replicate)
    seed = streams.study_seeds(study.seed, problem, replicate)["run"]
    start = Posterior.prior(prior(study, problem, replicate), function.candidates)
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
) -> tuple[Statistic, Statistic]:
    """Means over replicates of both ends of `initialization_range`."""
    ranges = [initialization_range(study, problem, batches, i) for i in range(replicates)]
    names = (f"least C that ends by {batches}", f"greatest C that lasts {batches}")
    first, second = (
        _statistic(problem, "GP-BUCB", name, ends, level)
        for name, ends in zip(names, zip(*ranges, strict=True), strict=True)
    )
    return first, second


def batch_size_exponents(
    results: Iterable[Replicate], sizes: Mapping[str, int], level: float = 0.95
) -> tuple[Statistic, ...]:
    """The slope of log R_T^K against log K by least squares, for each problem and quantity.

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
    found = cells(results)
    statistics = []
    for problem in dict.fromkeys(cell.problem for cell in found):
        members = [cell for cell in found if cell.problem == problem and cell.policy in sizes]
        log_K = np.log([sizes[cell.policy] for cell in members])
        slopes = np.polyfit(log_K, np.log(_cumulative(members)), 1)[0]
        statistics.append(_statistic(problem, "K", "exponent of R_T^K", slopes, level))
    return tuple(statistics)


def _cumulative(members: list[Cell]) -> np.ndarray:
    """R_T^K, shape (sizes, replicates)."""
    numbers = [tuple(cell.finished) for cell in members]
    if len(set(numbers)) != 1:
        raise InputError("each size in each replicate", "some missing", "finish the study first")
    regrets = np.array([[run.simple.sum() for run in cell.runs] for cell in members])
    if not (regrets > 0).all():
        raise InputError("regrets above 0", "a 0", "take a problem that is harder to solve")
    return regrets


def _statistic(
    problem: str, policy: str, name: str, samples: Iterable[float], level: float
) -> Statistic:
    interval = student_interval(list(samples), level)
    mean, low, high = float(interval.mean), float(interval.low), float(interval.high)
    return Statistic(problem, policy, name, mean, low, high, interval.n, 0, level)
