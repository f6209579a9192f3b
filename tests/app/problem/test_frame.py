"""The picture of an experiment shows the belief that batches are decided on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.app.problem.tables import ask, begun, chosen, keys, record, truth
from tests.app.waiting import run
from ucbpe_app.problem.frame import WAITING, grid_of, picture
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, RBF, FiniteBeta, GaussianProcess, simulate
from ucbpe_core.problems import from_table
from ucbpe_core.search.experiment import Experiment, Plan


@pytest.mark.parametrize("inputs", [1, 2, 4])
def test_an_untouched_batch_is_shown_as_a_run_shows_it(inputs: int) -> None:
    """The same numbers as a simulated run's last pick, with that pick counted too."""
    choice = chosen(inputs, known=0)
    X = choice.candidates
    problem = from_table(X, truth(X), noise_variance=0.01)
    trace = simulate(problem, GPUCBPE(3), batches=2, initial=4, seed=3)
    start = trace.posterior.conditioned_indices[:4]
    experiment = Experiment(choice, Plan(trace.gp, trace.policy, trace.beta, fit="never"))
    experiment.tell(start, trace.y[:4])
    replay, done_picks = Replay(trace), 0
    for t in (1, 2):
        experiment.ask()
        frame = picture(experiment).frame
        last = replay.frame(replay.batch_start(t) + 4)  # fit, x0, R+, x1, x2
        assert (frame.event.t, frame.y_dot) == (t, pytest.approx(last.y_dot, rel=1e-12))
        for name in ("mean", "std", "lower", "upper"):
            np.testing.assert_allclose(getattr(frame, name), getattr(last, name), atol=1e-12)
        for name in ("region", "region_plus", "observed"):
            np.testing.assert_array_equal(getattr(frame, name), getattr(last, name))
        for mine, theirs in zip(frame.picks, last.picks, strict=True):
            assert (mine.index, mine.number, mine.role) == (
                theirs.index,
                theirs.number,
                theirs.role,
            )
            assert mine.std == pytest.approx(theirs.std, abs=1e-12)
        counted = experiment.posterior.hallucinate(list(experiment.pending))
        np.testing.assert_array_equal(frame.std_now, counted.std)
        made = trace.decisions[t - 1]
        indices, y = made.indices, trace.y[made.n : made.n + len(made.indices)]
        done_picks += len(indices)
        experiment.tell(indices, y)


@pytest.mark.parametrize("inputs", [1, 2, 4])
def test_what_is_minimised_is_shown_in_its_own_sign(inputs: int) -> None:
    """The picture of -f maximised, upside down: the same picks and regions."""
    choice = chosen(inputs, known=0)
    X = choice.candidates
    gp = GaussianProcess(RBF(0.4, 1.3), 0.01, mean=0.2)
    plan = Plan(gp, GPUCBPE(3), FiniteBeta(), "minimize", fit="never")
    other = Plan(replace(gp, mean=-0.2), GPUCBPE(3), FiniteBeta(), fit="never")
    start = [0, 5, 9]
    mine, theirs = Experiment(choice, plan), Experiment(choice, other)
    for search, sign in ((mine, 1), (theirs, -1)):
        search.tell(start, sign * truth(X)[start])
        search.ask()
    one, two = picture(mine), picture(theirs)
    frame, mirror = one.frame, two.frame
    for name, opposite in (("mean", "mean"), ("lower", "upper"), ("upper", "lower")):
        np.testing.assert_array_equal(getattr(frame, name), -getattr(mirror, opposite))
    for name in ("std", "std_now", "region", "region_plus"):
        np.testing.assert_array_equal(getattr(frame, name), getattr(mirror, name))
    assert frame.y_dot == -mirror.y_dot
    assert [pick.index for pick in frame.picks] == [pick.index for pick in mirror.picks]
    np.testing.assert_array_equal(frame.observed_y, truth(X)[start])
    assert (one.scene.sign, two.scene.sign) == (-1, 1)
    assert one.scene.optimum == frame.mean[one.scene.optimum_index] == -two.scene.optimum


@pytest.mark.parametrize("policy", ["GP-UCB-PE", "Recommended"])
def test_what_is_outstanding_counts_and_is_marked(policy: str) -> None:
    experiment = begun(policy=policy)
    run(ask(experiment))
    first, *_ = keys(experiment)
    run(record(experiment, {first: "0.5"}))
    experiment, frame = experiment.current, experiment.picture.frame
    pending = list(experiment.pending)
    assert [(pick.index, pick.role) for pick in frame.picks] == [(j, WAITING) for j in pending]
    counted = experiment.posterior.hallucinate(pending)
    np.testing.assert_array_equal(frame.std, counted.std)
    # What is shown is what the next batch is decided on.
    decision = experiment.ask()
    assert frame.y_dot == decision.y_dot
    np.testing.assert_array_equal(frame.region, decision.region)
    if policy == "Recommended":  # no pick is made by it
        assert frame.region_plus is None
    else:
        np.testing.assert_array_equal(frame.region_plus, decision.region_plus)
    assert frame.beta == decision.beta


@pytest.mark.parametrize("goal", ["Maximise", "Minimise"])
@pytest.mark.parametrize("policy", ["GP-UCB-PE", "Recommended", "Vizier UCB-PE"])
def test_rows_that_may_still_be_the_best(policy: str, goal: str) -> None:
    """Pair by pair, by the belief from the results alone, whatever the policy chooses by."""
    state = begun(policy=policy)
    state.settings.accept(goal=goal, scale=0.2)
    run(state.plan())
    run(ask(state))
    run(record(state, {keys(state)[0]: "0.5"}))
    experiment, shown = state.current, state.picture
    belief = experiment.posterior
    half = shown.known.sqrt_beta * belief.std
    better = belief.mean if goal == "Maximise" else -belief.mean
    beaten = [any(low > high for low in better - half) for high in better + half]
    np.testing.assert_array_equal(shown.known.region, ~np.array(beaten))
    assert 0 < sum(beaten) < len(beaten) - 1
    # It belongs to the certificate: outside, no row reaches what the best row is at least.
    assert shown.known.y_dot == pytest.approx(shown.certificate.bound, rel=1e-12)
    assert shown.known.region[shown.certificate.index]
    # Two picks wait: they narrow the band that the next batch is decided on, and prove nothing.
    assert (shown.frame.std <= shown.known.std).all()
    assert shown.frame.std.sum() < shown.known.std.sum()
    assert shown.scene.uses_region == (policy == "GP-UCB-PE")


def test_a_regular_grid_is_recognised() -> None:
    first, second = np.meshgrid([1.0, 2.0, 3.0], [10.0, 15.0], indexing="ij")
    grid = np.stack([first.ravel(), second.ravel()], axis=1)
    assert grid_of(grid) == (3, 2)
    assert grid_of(grid[::-1]) == ()
    assert grid_of(grid[:-1]) == ()
    assert grid_of(np.where(grid == 3.0, 4.0, grid)) == ()  # uneven steps
    assert grid_of(grid[:, :1]) == ()
    assert grid_of(np.column_stack([grid, grid[:, 0]])) == ()
