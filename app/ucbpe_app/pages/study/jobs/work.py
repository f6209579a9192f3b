"""A rough estimate of the time of a run, to tell beforehand if a study takes seconds or hours.

The terms are the operations that each policy does; the constants were measured on one core of an
AMD EPYC of 2024, one BLAS thread. The means that the reproduction kept of its own runs agree to a
factor of four (a test).
"""

from __future__ import annotations

from functools import cache

from ucbpe_core.problems import PROBLEMS

# Number of candidates of each problem that is built in.
CANDIDATES = {
    "figure1": 105,
    "generated_gp_1d": 401,
    "multimodal": 481,
    "thin_peak": 401,
    "generated_gp": 10_000,
    "gaussian_mixture": 10_201,
    "himmelblau": 10_201,
    "mackey_glass": 1_385,
    "tsunami": 512,
    "abalone": 4_177,
}
# Problems whose suggested kernel is Matérn: a draw over M candidates takes M rows of its factor,
# one of an RBF a few hundred.
_ROUGH = frozenset({"figure1", "generated_gp_1d", "thin_peak", "generated_gp", "gaussian_mixture"})
_SMOOTH_ROWS = 250

_PER_BATCH, _PER_PICK = 4e-4, 1.5e-4
_PER_ENTRY = 6e-10  # of the rows, for each time one is read
_PER_SIMULATED = 2e-3  # SM-UCB, a pick
_PER_PENALTY, _PER_PENALTY_ENTRY = 1.2e-3, 6e-7  # local penalization, a pick
_PER_DRAWN_ENTRY = 1e-10  # Thompson sampling, of the product of two rows


def candidates_of(problem: str) -> int:
    """M; a problem of a plugin is made once, to count them."""
    return CANDIDATES.get(problem) or _counted(problem)


@cache
def _counted(problem: str) -> int:
    return len(PROBLEMS.find(problem)().candidates)


def seconds(policy: str, problem: str, batch_size: int, batches: int, initial: int) -> float:
    """Seconds of one core for one run of T = `batches` batches of K = `batch_size`.

    Rows of M candidates, read once for each later one: M n² / 2 for n points.
    """
    M, K = candidates_of(problem), 1 if policy == "GP-UCB" else batch_size
    picks = batches * K
    n = initial + picks
    common = batches * _PER_BATCH + picks * _PER_PICK + _PER_ENTRY * M * n**2 / 2
    if policy == "SM-UCB":
        return common + picks * _PER_SIMULATED
    if policy == "Local penalization":
        return common + picks * (_PER_PENALTY + _PER_PENALTY_ENTRY * M)
    if policy == "Thompson sampling":
        rows = M if problem in _ROUGH else min(M, _SMOOTH_ROWS)
        # A row of the factor is multiplied with those before it, and drops columns on its way.
        return common + batches * _PER_DRAWN_ENTRY * rows * (rows / 4 + n / 2) * M
    return common
