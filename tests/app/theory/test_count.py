"""Replicates: the same as running each by hand, counted in the background, and their shares."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from tests.app.theory.conftest import run_of, spec_of
from tests.app.waiting import run
from ucbpe_app.run.replay import Replay
from ucbpe_app.tasks.job import Job, Superseded
from ucbpe_app.theory import count as module
from ucbpe_app.theory.count import OWN, PRIOR, Count, own_label, replicates, share_of
from ucbpe_core import GPUCBPE, problems, simulate, theory

CHANGES = {"problem": "generated_gp_1d", "scale": 0.15, "batches": 3, "lengthscale": 0.1}


def test_replicates_are_runs_by_hand() -> None:
    """Of draws of the prior, and of the problem with other seeds; other noise in each."""
    trace, spec = run_of(**CHANGES).trace, spec_of(**CHANGES)
    found: dict[str, list[int]] = {PRIOR: [], OWN: []}
    for name, first in replicates(trace, spec, 6, Job()):
        found[name].append(first)
    draws = list(theory.prior_draws(trace.problem, trace.gp, 6, 0))
    for i in range(6):
        for name, problem in (
            (PRIOR, theory.redrawn(trace.problem, trace.gp, draws[i], i)),
            (OWN, problems.generated_gp_1d(i)),
        ):
            again = simulate(
                problem, GPUCBPE(4), trace.gp, trace.beta, batches=3, initial=3, seed=i
            )
            assert found[name][i] == theory.first_exit(again), (name, i)
    assert len(set(found[PRIOR])) > 1


def test_an_f_without_a_seed_is_run_with_other_noise() -> None:
    spec = spec_of(batches=2)
    trace = run_of(batches=2).trace
    found = [first for name, first in replicates(trace, spec, 3, Job()) if name == OWN]
    expected = [
        theory.first_exit(
            simulate(
                trace.problem, trace.policy, trace.gp, trace.beta, batches=2, initial=3, seed=i
            )
        )
        for i in range(3)
    ]
    assert found == expected
    assert own_label("multimodal") == "This f, other initial points and noise"
    assert own_label("generated_gp") == "This problem, f by other seeds"


def test_a_stop_is_heard_within_a_replicate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two batches: a slow policy would go on for long."""
    job, batches = Job(), []

    def rerun(trace, problem, seed, progress):
        for done in range(1, 4):
            batches.append(done)
            job.stop()
            progress(done, 3)

    monkeypatch.setattr(theory, "rerun", rerun)
    with pytest.raises(Superseded):
        next(replicates(run_of(batches=3).trace, spec_of(batches=3), 5, job))
    assert batches == [1]


def test_shares_by_batch() -> None:
    """Exits at 2, never, 1, 2 of 3 batches, with the limits of each count."""
    share = share_of([2, 0, 1, 2], 3)
    np.testing.assert_allclose(share.share, [0.25, 0.75, 0.75])
    assert (share.replicates, share.left) == (4, 3)
    for t, k in enumerate((1, 3, 3)):
        assert (share.low[t], share.high[t]) == tuple(binomtest(k, 4).proportion_ci(method="exact"))
    assert not share.low.flags.writeable
    none = share_of([], 3)
    assert np.isnan(none.share).all()


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replicate a piece, so that there is something to follow."""
    monkeypatch.setattr(module, "_PIECE", 0.0)


def test_a_count_is_the_replicates(start: Replay) -> None:
    count, seen = Count(), list[tuple[float | None, int]]()
    count.param.watch(
        lambda event: seen.append((count.share, event.new.prior.replicates if event.new else 0)),
        "tally",
    )
    run(count.start(start.trace, spec_of(), 5))
    expected = [first for name, first in replicates(start.trace, spec_of(), 5, Job())]
    assert count.tally.done
    assert count.tally.prior.left == sum(first > 0 for first in expected[::2])
    assert count.tally.own.left == sum(first > 0 for first in expected[1::2])
    assert not count.under_way
    assert count.seconds is None
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert len(seen) >= 9
    assert [one for _, one in seen][-1] == 5
