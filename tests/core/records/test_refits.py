"""Runs whose prior was fitted again: saved, read back, and stepped through."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

from tests.core.runs import assert_equal_problems, document_of, read, small_run
from ucbpe_core import GPUCBPE, Posterior, Trace, problems, simulate
from ucbpe_core.policies import RandomSearch

pytestmark = pytest.mark.xdist_group("refitted")  # its fixtures are made once


def refitted(policy: Any = None, **more: Any) -> Trace:
    problem = problems.generated_gp(5, nu=2.5, noise_variance=0.1, lengthscale=0.3, resolution=9)
    usual = {"batches": 6, "initial": 5, "seed": 2, "refit_every": 2}
    return simulate(problem, policy or GPUCBPE(3), **{**usual, **more})


@pytest.fixture(scope="module")
def run() -> Trace:
    return refitted()


@pytest.mark.slow
@pytest.mark.parametrize("policy", [GPUCBPE(3), RandomSearch(2)], ids=repr)
@pytest.mark.parametrize("every", [1, 2, 5])
def test_a_refitted_run_comes_back(policy: Any, every: int) -> None:
    """Priors, decisions and measurements to the last bit; the belief to rounding."""
    run = refitted(policy, refit_every=every)
    again = read(document_of(run))
    assert_equal_problems(run.problem, again.problem)
    assert [t for t, _ in run.refits] == list(range(1 + every, 7, every))
    for name in ("gp", "refits", "policy", "schedule", "seed", "initial", "digest"):
        assert getattr(again, name) == getattr(run, name), name
    np.testing.assert_array_equal(again.y, run.y)
    for one, other in zip(run.iterations, again.iterations, strict=True):
        np.testing.assert_array_equal(one.decision.stds, other.decision.stds)
        np.testing.assert_array_equal(one.decision.region_plus, other.decision.region_plus)
    assert again.posterior.gp == run.refits[-1][1]
    np.testing.assert_allclose(again.posterior.mean, run.posterior.mean, atol=1e-9)
    np.testing.assert_allclose(again.posterior.std, run.posterior.std, atol=1e-9)
    assert document_of(again)["refits"] == document_of(run)["refits"]


def test_each_batch_has_the_belief_of_its_own_prior(run: Trace) -> None:
    """It decides again as it did, batch by batch, in memory and from the file."""
    indices = run.posterior.conditioned_indices
    for trace in (run, read(document_of(run))):
        for one in trace.iterations:
            made = one.decision
            start = trace.posterior_of(made.t).at(made.n)
            prior = [trace.gp, *(gp for t, gp in trace.refits if t <= made.t)][-1]
            fresh = Posterior.prior(prior, trace.problem.candidates)
            fresh = fresh.observe(indices[: made.n], trace.y[: made.n])
            np.testing.assert_allclose(start.mean, fresh.mean, atol=1e-9)
            anew = trace.policy.decide(start, made.t, trace.schedule)
            np.testing.assert_array_equal(anew.indices, made.indices)
            np.testing.assert_allclose(anew.stds, made.stds, atol=1e-9)
    plain = small_run()
    assert all(plain.posterior_of(t) is plain.posterior for t in (1, 2, 3))


def test_the_table_has_the_means_that_the_batches_had(run: Trace) -> None:
    """Under the prior of the batch, not under the last one."""
    stream = io.StringIO()
    run.to_csv(stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue())))[run.initial :]
    for row in rows:
        made = run.iterations[int(row["t"]) - 1].decision
        start, j = run.posterior_of(made.t).at(made.n), int(row["candidate"])
        assert float(row["mean"]) == pytest.approx(start.mean[j], abs=1e-9)
