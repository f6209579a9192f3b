"""A run as tidy CSV, one row for each measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.records import sheets, text
from ucbpe_core.records.packing import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.policies import Decision
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.run import Iteration, Run
    from ucbpe_core.validation import Floats

_PICK = ("t", "k", "role", "candidate")
_MEASURED = ("y", "true_value", "regret")
_POSTERIOR = ("mean", "std", "score", "in_region", "in_region_plus")
_BATCH = (
    "beta",
    "sqrt_beta",
    "beta_next",
    "y_dot",
    "region_size",
    "region_plus_size",
    "simple_regret",
    "running_minimum",
    "batch_cumulative_regret",
    "full_cumulative_regret",
)


def write(run: Run, path: PathOrFile) -> None:
    """Write one row for each measurement, in the order in which they were made.

    The first row names the columns. Numbers read back exactly; a cell is empty where nothing
    applies: from `mean` on for initial observations, and `score` for a policy without a criterion.

    ======================= =====================================================================
    t                       iteration from 1; 0 for what was measured before batch 1
    k                       number within the batch, or among the initial observations, from 0
    role                    why it was picked; "initial" before batch 1
    candidate               its index, from 0
    input i: name           input i = 1 .. d, with the name of its axis
    y                       the measurement
    true_value              f there
    regret                  r_t^(k) = f* - f, on the true f
    mean                    posterior mean at batch start
    std                     standard deviation of f just before the pick, earlier picks hallucinated
    score                   value of the criterion that the pick maximised
    in_region               1 if it is in R, else 0
    in_region_plus          1 if it is in R+, else 0
    beta, sqrt_beta         beta_t and its root
    beta_next               beta_(t+1)
    y_dot                   the greatest lower bound
    region_size             number of candidates in R
    region_plus_size        number of candidates in R+
    simple_regret           r_t^K
    running_minimum         the least r_s^K for s <= t
    batch_cumulative_regret R_t^K
    full_cumulative_regret  R_tK
    ======================= =====================================================================

    Raises
    ------
    InputError
        For a path that cannot be written. An existing file is then left unchanged.
    """
    text.write(sheets.dumps(rows(run)), path)


def rows(run: Run) -> Iterator[list[object]]:
    """The names of the columns, then a row for each measurement; None where there is nothing."""
    inputs = [f"input {i}: {name}" for i, name in enumerate(run.problem.axes[:-1], start=1)]
    yield [*_PICK, *inputs, *_MEASURED, *_POSTERIOR, *_BATCH]
    nothing = [None] * (len(_POSTERIOR) + len(_BATCH))
    start = run.posterior.conditioned_indices[: run.initial]
    for k, (j, y) in enumerate(zip(start, run.y.tolist(), strict=False)):
        yield [0, k, "initial", *_measured(run, j, y), *nothing]
    regrets = (
        run.simple_regret,
        run.running_minimum,
        run.batch_cumulative_regret,
        run.full_cumulative_regret,
    )
    for iteration, *curves in zip(
        run.iterations, *(regret.tolist() for regret in regrets), strict=True
    ):
        yield from _batch(run, iteration, curves)


def _batch(run: Run, iteration: Iteration, regrets: list[float]) -> Iterator[list[object]]:
    made = iteration.decision
    sizes = int(made.region.sum()), int(made.region_plus.sum())
    same = (float(made.beta), made.sqrt_beta, float(made.beta_next), made.y_dot, *sizes, *regrets)
    mean = _means(run.posterior_of(made.t), made)
    inside = [mask[made.indices].astype(int) for mask in (made.region, made.region_plus)]
    columns = (made.indices, iteration.y, mean, made.stds, made.scores, *inside)
    for k, (j, y, *rest) in enumerate(zip(*map(plain, columns), strict=True)):
        yield [made.t, k, made.roles[k], *_measured(run, j, y), *rest, *same]


def _means(posterior: Posterior, decision: Decision) -> Floats:
    """The mean at batch start at each pick, shape (K,), to the last bit.

    Added up row by row, as in `Posterior`, of which only the columns of the picks are needed.
    """
    state, n = posterior.state, decision.n
    V = state.rows.columns(decision.indices, n)
    start = np.full((1, V.shape[1]), posterior.gp.mean)
    terms = np.array(state.data.residuals[:n])[:, None] * V
    means: Floats = np.add.accumulate(np.concatenate([start, terms]))[-1]
    return means


def _measured(run: Run, j: int, y: float) -> list[object]:
    """From `candidate` to `regret`."""
    problem = run.problem
    value = float(problem.values[j])
    return [j, *problem.candidates[j].tolist(), y, value, float(problem.regret(value))]
