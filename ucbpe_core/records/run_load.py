"""Reading the file of a `Trace`, and checking its posterior values at every pick.

The posterior is recomputed from the measurements in the file.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.posterior import Posterior
from ucbpe_core.problems.base import Problem
from ucbpe_core.records import text
from ucbpe_core.records.convert import REMEDY, from_plain
from ucbpe_core.records.packing import decision_of
from ucbpe_core.records.posterior_values import check_batch
from ucbpe_core.records.run import FORMAT, VERSIONS, ProblemRecord, RunRecord, version_of
from ucbpe_core.region import RelevantRegion
from ucbpe_core.validation import count, frozen_copy, indices, non_negative, values

if TYPE_CHECKING:
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.trace import Trace
    from ucbpe_core.validation import Floats

# Logarithms may differ between mathematical libraries, in the last bit.
_BETA_TOLERANCE = 1e-9


def load(path: PathOrFile, build: Callable[..., Trace]) -> Trace:
    """Implements `Trace.load`; `build` makes a trace of its fields, each iteration as a tuple."""
    with text.building(path):
        content = text.parse(path, "a saved trace", FORMAT, VERSIONS)
        record = from_plain(content, RunRecord)
        trace = build(**_fields(record))
        _check(trace, record)
    return trace


def _fields(record: RunRecord) -> dict[str, Any]:
    """The fields of the trace; `InputError` for what contradicts the rest of the file."""
    version = version_of(record.problem.direction, record.noise_variances, record.refits)
    _agree(record.version, version, "$.version")
    problem, size = _problem(record.problem), len(record.problem.values)
    refits = _refits(record)
    start = indices(record.initial.candidates, size, "$.initial.candidates")
    start_y = values(record.initial.y, "$.initial.y", len(start))
    if not record.batches:
        raise InputError("at least one batch at $.batches", "none", "save a run that has begun")
    priors = ((1, record.prior), *refits)
    iterations, n = [], len(start)
    for t in range(1, len(record.batches) + 1):
        prior = next(gp for first, gp in reversed(priors) if first <= t)
        iterations.append(_iteration(record, t, n, problem, prior))
        n += record.policy.batch_size
    chosen = np.concatenate([start, *(decision.indices for decision, _, _ in iterations)])
    y = frozen_copy(np.concatenate([start_y, *(measured for _, measured, _ in iterations)]))
    return {
        "problem": problem,
        "gp": record.prior,
        "policy": record.policy,
        "schedule": record.beta,
        "seed": count(record.seed, "$.seed", minimum=0),
        "initial": len(start),
        "y": y,
        "iterations": iterations,
        "posterior": Posterior.prior(priors[-1][1], problem.candidates).observe(
            chosen, y, record.noise_variances
        ),
        "refits": refits,
    }


def _problem(record: ProblemRecord) -> Problem:
    """The problem itself; `InputError` for content that no problem can have."""
    for length in record.grid:
        count(length, "a length at $.problem.grid")
    if not record.axes:  # `Problem` would choose names
        wanted = "a name for each input and the output at $.problem.axes"
        raise InputError(wanted, "none", REMEDY)
    size, given = len(record.values), dict(vars(record))
    given["candidates"] = record.candidates.unpack(size, "$.problem.candidates", record.grid)
    given["observed"] = indices(record.observed, size, "$.problem.observed")
    return Problem(gp=given.pop("suggested_prior"), **given)


def _refits(record: RunRecord) -> tuple[tuple[int, GaussianProcess], ...]:
    least, last = 2, len(record.batches)
    for i, one in enumerate(record.refits):
        if not least <= one.t <= last:
            wanted = f"a batch from {least} to {last} at $.refits[{i}].t"
            raise InputError(wanted, str(one.t), REMEDY)
        least = one.t + 1
    return tuple((one.t, one.prior) for one in record.refits)


def _iteration(
    record: RunRecord, t: int, n: int, problem: Problem, gp: GaussianProcess
) -> tuple[Decision, Floats, Floats]:
    """Decision, measurements and true values of batch t, after n observations."""
    batch, path, policy = record.batches[t - 1], f"$.batches[{t - 1}]", record.policy
    picks, size = batch.picks, len(problem.candidates)
    chosen = indices([pick.candidate for pick in picks], size, f"{path}.picks")
    for beta, name in ((batch.beta, "beta"), (batch.beta_next, "beta_next")):
        non_negative(beta, f"{path}.{name}")
    for got, expected, name in (
        (batch.t, t, "t"),
        (batch.n, n, "n"),
        (batch.sqrt_beta, float(np.sqrt(batch.beta)), "sqrt_beta"),
        (len(picks), policy.batch_size, "picks"),
        ([pick.value for pick in picks], problem.values[chosen].tolist(), "picks, as true values"),
    ):
        _agree(got, expected, f"{path}.{name}")
    for k, pick in enumerate(picks):
        if pick.role not in policy.rules:
            wanted = f"a role among {', '.join(policy.rules)} at {path}.picks[{k}].role"
            raise InputError(wanted, pick.role, REMEDY)
    relevant = RelevantRegion(
        batch.y_dot,
        batch.region.unpack(size, f"{path}.region"),
        batch.region_plus.unpack(size, f"{path}.region_plus"),
    )
    decision = decision_of(batch, gp, problem.candidates, relevant)
    y = frozen_copy([pick.y for pick in picks])
    return decision, y, frozen_copy(problem.values[chosen])


def _check(trace: Trace, record: RunRecord) -> None:
    """Refuse a file whose prior, schedule or digest disagrees with its picks."""
    _agree(record.digest, trace.digest, "$.digest")
    spread = float(np.ptp(trace.y))
    for iteration, batch in zip(trace.iterations, record.batches, strict=True):
        made, path = iteration.decision, f"$.batches[{iteration.decision.t - 1}]"
        posterior = trace.posterior_of(made.t)
        betas = trace.policy.betas(posterior.at(made.n), made.t, trace.schedule)
        for name, expected in zip(("beta", "beta_next"), betas, strict=True):
            got = getattr(made, name)
            if not abs(got - expected) <= _BETA_TOLERANCE * expected:
                _agree(got, expected, f"{path}.{name}")
        means = np.array([pick.mean for pick in batch.picks])
        if trace.problem.direction == "minimize":  # its masks are those of -f
            posterior, made, means = posterior.signed(-1), replace(made, y_dot=-made.y_dot), -means
        check_batch(posterior, made, means, spread, path)


def _agree(got: object, expected: object, path: str) -> None:
    """Refuse a value that the rest of the file contradicts."""
    if got != expected:
        wanted = f"{reprlib.repr(expected)} at {path}, as the rest of the file says"
        raise InputError(wanted, reprlib.repr(got), REMEDY)
