"""One batch <-> a table: the decision, the belief at its picks, and what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.policies import Decision
from ucbpe_core.trace import Iteration
from ucbpe_core.trace_files.belief import at_picks, scores
from ucbpe_core.trace_files.checks import (
    REMEDY,
    agree,
    fields,
    listing,
    members,
    number,
    numbers,
    text,
    whole,
)
from ucbpe_core.trace_files.packing import pack_mask, unpack_mask
from ucbpe_core.validation import frozen_copy, non_negative

if TYPE_CHECKING:
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.policies import Policy
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.problems import Problem

_REALS = ("beta", "sqrt_beta", "beta_next", "y_dot")
_BATCH = ("t", "n", *_REALS, "region", "region_plus", "picks")
_PICK = ("candidate", "role", "mean", "std", "score", "y", "value")


def batch_table(posterior: Posterior, iteration: Iteration) -> dict[str, Any]:
    """All of a batch, by the belief after the last batch of its prior."""
    made = iteration.decision
    mean, _ = at_picks(posterior, made)
    columns = (
        made.indices.tolist(),
        made.roles,
        mean.tolist(),
        made.stds.tolist(),
        scores(made),
        iteration.y.tolist(),
        iteration.values.tolist(),
    )
    return {
        "t": made.t,
        "n": made.n,
        "beta": float(made.beta),
        "sqrt_beta": made.sqrt_beta,
        "beta_next": float(made.beta_next),
        "y_dot": made.y_dot,
        "region": pack_mask(made.region),
        "region_plus": pack_mask(made.region_plus),
        "picks": [dict(zip(_PICK, pick, strict=True)) for pick in zip(*columns, strict=True)],
    }


def read_batch(
    value: object, t: int, n: int, problem: Problem, gp: GaussianProcess, policy: Policy
) -> Iteration:
    """Batch t, after n observations, that `batch_table` described; `InputError` for any other."""
    where, size = f"batches[{t - 1}]", len(problem.candidates)
    given = fields(value, where, _BATCH)
    agree(whole(given["t"], f"{where}.t"), t, f"{where}.t")
    agree(whole(given["n"], f"{where}.n"), n, f"{where}.n")
    beta, sqrt_beta, beta_next, y_dot = (number(given[name], f"{where}.{name}") for name in _REALS)
    for bound, name in ((beta, "beta"), (beta_next, "beta_next")):
        non_negative(bound, f"{where}.{name}")
    agree(sqrt_beta, float(np.sqrt(beta)), f"{where}.sqrt_beta")
    picks = _columns(given["picks"], f"{where}.picks", policy)
    indices = members(picks["candidate"], f"{where}.picks.candidate", size)
    agree(picks["value"], problem.values[indices].tolist(), f"{where}.picks.value")
    stds = frozen_copy(numbers(picks["std"], f"{where}.picks.std"))
    decision = Decision(
        t=t,
        indices=frozen_copy(indices, np.intp),
        points=frozen_copy(problem.candidates[indices]),
        roles=tuple(picks["role"]),
        stds=stds,
        scores=frozen_copy(_scores(picks["score"], f"{where}.picks.score")),
        beta=beta,
        beta_next=beta_next,
        y_dot=y_dot,
        region=unpack_mask(given["region"], f"{where}.region", size),
        region_plus=unpack_mask(given["region_plus"], f"{where}.region_plus", size),
        n=n,
        known=gp.knows(problem.candidates[indices], stds),
    )
    y = frozen_copy(numbers(picks["y"], f"{where}.picks.y"))
    return Iteration(decision, y, frozen_copy(problem.values[indices]))


def _columns(value: object, where: str, policy: Policy) -> dict[str, list[Any]]:
    """The fields of K picks, each as a list of K; roles are those of the policy."""
    rows = [fields(p, f"{where}[{k}]", _PICK) for k, p in enumerate(listing(value, where))]
    agree(len(rows), policy.batch_size, f"the number of {where}")
    for k, row in enumerate(rows):
        if text(row["role"], f"{where}[{k}].role") not in policy.rules:
            known = ", ".join(policy.rules)
            raise InputError(f"{where}[{k}].role among {known}", row["role"], REMEDY)
    return {name: [row[name] for row in rows] for name in _PICK}


def _scores(values: list[Any], where: str) -> list[float]:
    return [
        float("nan") if value is None else number(value, f"{where}[{k}]")
        for k, value in enumerate(values)
    ]
