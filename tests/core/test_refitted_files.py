"""Runs whose prior was fitted again: saved, read back, and told apart from runs of one prior."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ucbpe_core import GPUCBPE, InputError, Posterior, RandomSearch, Trace, problems, simulate

from .runs import assert_equal_problems, document_of, read, small_run, text_of

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
    document = document_of(run)
    told = [pick["mean"] for batch in document["batches"] for pick in batch["picks"]]
    assert [float(row["mean"]) for row in rows] == told


def test_only_refits_need_the_second_version(run: Trace) -> None:
    """A run of one prior opens in the release before, too; nothing reads a third version."""
    assert (document_of(run)["version"], [*document_of(run)][-1]) == (2, "refits")
    plain = refitted(refit_every=None)
    assert document_of(plain)["version"] == 1
    assert '"refits"' not in text_of(plain)


def set_(table: Any, key: Any, value: Any) -> None:
    table[key] = value


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda d: set_(d, "version", 1), r"2 at \$\.version, as the rest of the file says; got 1"),
        (lambda d: d.pop("refits"), r"1 at \$\.version, as the rest of the file says; got 2"),
        (lambda d: set_(d, "refits", []), r"1 at \$\.version, as the rest of the file says; got 2"),
        (lambda d: set_(d, "refits", {}), "refits"),
        (
            lambda d: set_(d["refits"][0], "t", 1),
            r"a batch from 2 to 6 at \$\.refits\[0\].t; got 1",
        ),
        (
            lambda d: set_(d["refits"][1], "t", 3),
            r"a batch from 4 to 6 at \$\.refits\[1\].t; got 3",
        ),
        (
            lambda d: set_(d["refits"][1], "t", 7),
            r"a batch from 4 to 6 at \$\.refits\[1\].t; got 7",
        ),
        (lambda d: set_(d["refits"][0], "t", 2), "as the prior and the data say"),
        (lambda d: set_(d["refits"][0]["prior"], "mean", 9.0), "as the prior and the data say"),
        (lambda d: d["refits"][0].pop("prior"), r"a field at \$\.refits\[0\]\.prior; got none"),
        (lambda d: d["refits"].pop(), "as the prior and the data say"),
    ],
)
def test_what_contradicts_the_batches_is_refused(
    run: Trace, change: Callable[[Any], Any], what: str
) -> None:
    document = document_of(run)
    change(document)
    with pytest.raises(InputError, match=what):
        read(document)
