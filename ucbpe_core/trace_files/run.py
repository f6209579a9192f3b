"""Trace <-> document: a run as tables, lists, text and numbers, which is what JSON has."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.policies import POLICIES
from ucbpe_core.posterior import Posterior
from ucbpe_core.schedules import SCHEDULES
from ucbpe_core.tables import as_table, from_table, to_table
from ucbpe_core.trace import Trace
from ucbpe_core.trace_files import belief
from ucbpe_core.trace_files.batch import batch_table, read_batch
from ucbpe_core.trace_files.checks import (
    REMEDY,
    agree,
    fields,
    listing,
    members,
    numbers,
    text,
    whole,
)
from ucbpe_core.trace_files.problem import (
    prior_table,
    problem_table,
    read_prior,
    read_problem,
    read_refits,
    refits_table,
)
from ucbpe_core.validation import count, frozen_copy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.trace import Iteration

FORMAT = "ucbpe-trace"
# Version 2 is version 1 with refits; a run of one prior has none and is written as version 1.
VERSION, WITH_REFITS = 1, 2

_INITIAL = ("candidates", "y")
_RUN = (
    "format",
    "version",
    "digest",
    "problem",
    "prior",
    "policy",
    "beta",
    "seed",
    "initial",
    "batches",
)
# Logarithms may differ between mathematical libraries, in the last bit.
_BETA_TOLERANCE = 1e-9


def to_document(trace: Trace) -> dict[str, Any]:
    """All that determines a run, and all that happened in it.

    Raises
    ------
    InputError
        For a policy, kernel or schedule that this package does not name, or a belief that was
        not conditioned on the initial observations and then on batch after batch.
    """
    observed, start = trace.posterior.conditioned_indices, trace.initial
    picks = [j for iteration in trace.iterations for j in iteration.decision.indices.tolist()]
    if [*observed[start:]] != picks or -1 in observed:
        raise InputError(
            "a belief after initial observations and whole batches of candidates",
            "one conditioned on other points",
            "save what simulate returned",
        )
    return {
        "format": FORMAT,
        "version": WITH_REFITS if trace.refits else VERSION,
        "digest": trace.digest,
        "problem": problem_table(trace.problem),
        "prior": prior_table(trace.gp, "prior"),
        "policy": to_table(POLICIES, trace.policy, "policy"),
        "beta": to_table(SCHEDULES, trace.schedule, "beta"),
        "seed": count(trace.seed, "seed", minimum=0),
        "initial": {"candidates": list(observed[:start]), "y": trace.y[:start].tolist()},
        "batches": [batch_table(trace.posterior_of(t), one) for t, one in _numbered(trace)],
        **({"refits": refits_table(trace.refits)} if trace.refits else {}),
    }


def from_document(content: object) -> Trace:
    """The trace that `to_document` described.

    Raises
    ------
    InputError
        For another format or version; for fields that are missing, unknown, of a wrong type, not
        finite or out of range; and for fields that contradict each other.
    """
    more = ("refits",) if _version(content) == WITH_REFITS else ()
    run = fields(content, "the run", (*_RUN, *more))
    problem, gp = read_problem(run["problem"]), read_prior(run["prior"], "prior")
    policy = from_table(POLICIES, run["policy"], "policy", complete=True)
    initial = fields(run["initial"], "initial", _INITIAL)
    start = members(initial["candidates"], "initial.candidates", len(problem.candidates))
    start_y = numbers(initial["y"], "initial.y", len(start))
    batches = listing(run["batches"], "batches")
    if not batches:
        raise InputError("at least one of batches", "none", "save a run that has begun")
    refits = read_refits(run["refits"], len(batches)) if more else ()
    # Parameters beyond reason overflow; what comes of them does not pass the checks.
    with np.errstate(all="ignore"), _finite_prior():
        prior = Posterior.prior(refits[-1][1] if refits else gp, problem.candidates)
        iterations = tuple(
            read_batch(
                batch,
                t,
                len(start) + (t - 1) * policy.batch_size,
                problem,
                _prior_of(t, gp, refits),
                policy,
            )
            for t, batch in enumerate(batches, start=1)
        )
        chosen = np.concatenate([start, *(one.decision.indices for one in iterations)])
        y = frozen_copy(np.concatenate([start_y, *(one.y for one in iterations)]))
        trace = Trace(
            problem=problem,
            gp=gp,
            policy=policy,
            schedule=from_table(SCHEDULES, run["beta"], "beta", complete=True),
            seed=whole(run["seed"], "seed"),
            initial=len(start),
            y=y,
            iterations=iterations,
            posterior=prior.observe(chosen, y),
            refits=refits,
        )
        _check(trace, run)
    return trace


@contextlib.contextmanager
def _finite_prior() -> Iterator[None]:
    """Refuse a prior whose covariances overflow, or are none."""
    try:
        yield
    except OverflowError as error:  # of whole numbers, which have no infinity
        raise InputError("a prior within the range of numbers", str(error), REMEDY) from None
    except IllConditionedError as error:
        raise InputError(error.expected, error.got, REMEDY) from None


def _prior_of(
    t: int, gp: GaussianProcess, refits: tuple[tuple[int, GaussianProcess], ...]
) -> GaussianProcess:
    return next(prior for first, prior in reversed(((1, gp), *refits)) if first <= t)


def _numbered(trace: Trace) -> list[tuple[int, Iteration]]:
    return [(one.decision.t, one) for one in trace.iterations]


def _version(content: object) -> int:
    table = as_table(content, "the run")
    if table.get("format") != FORMAT:
        got = f"format {table.get('format')!r:.60}"
        raise InputError(f"a file of format {FORMAT}", got, "open one that to_json wrote")
    version = whole(table.get("version"), "version")
    if version not in (VERSION, WITH_REFITS):
        raise InputError(
            f"version {VERSION} or {WITH_REFITS} of the format",
            f"version {version}",
            "open it with the release of this package that wrote it",
        )
    return version


def _check(trace: Trace, run: dict[str, Any]) -> None:
    """Refuse a file whose prior, schedule or digest is not that of its picks."""
    agree(text(run["digest"], "digest"), trace.digest, "digest")
    spread = float(np.ptp(trace.y))
    for iteration, batch in zip(trace.iterations, run["batches"], strict=True):
        made = iteration.decision
        posterior = trace.posterior_of(made.t).at(made.n)
        betas = trace.policy.betas(posterior, made.t, trace.schedule)
        for name, expected in zip(("beta", "beta_next"), betas, strict=True):
            got = batch[name]
            if not abs(got - expected) <= _BETA_TOLERANCE * expected:
                agree(got, expected, f"batches[{made.t - 1}].{name}")
        belief.check(trace.posterior_of(made.t), made, batch["picks"], spread)
