"""What a run's posterior says of several points, against dense solves and plain formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ucbpe_app.run.events import Event, Kind
from ucbpe_app.run.frames import Frame
from ucbpe_app.run.joint import DRAWS, Joint
from ucbpe_app.run.replay import Replay
from ucbpe_core import GPUCBPE, RBF, GaussianProcess, problems, simulate
from ucbpe_core.policies import Policy, ThompsonSampling
from ucbpe_core.problems import Problem, from_table
from ucbpe_core.support import streams

LENGTH, VARIANCE, NOISE, MEAN = 0.4, 2.0, 0.05, 0.3


def table(d: int, size: int = 9, seed: int = 0) -> Problem:
    X = np.random.default_rng(seed).uniform(0, 1, (size, d))
    gp = GaussianProcess(RBF(lengthscale=LENGTH, variance=VARIANCE), NOISE, MEAN)
    problem = from_table(X, np.sin(5 * X).sum(axis=1), noise_variance=NOISE)
    return replace(problem, gp=gp)


def run(problem: Problem, policy: Policy | None = None) -> Replay:
    return Replay(simulate(problem, policy or GPUCBPE(3), batches=2, initial=3, seed=4))


def at(replay: Replay, kind: Kind, k: int = 0, t: int = 2) -> Frame:
    return replay.frame(replay.events.index(Event(t, kind, k)))


def k(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """The RBF kernel by its formula."""
    squares = ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    return VARIANCE * np.exp(-squares / (2 * LENGTH**2))


def dense(
    replay: Replay, frame: Frame, Z: np.ndarray, picks: tuple[int, ...] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance at points by one solve; the covariance counts picks as measured."""
    X = replay.scene.candidates
    counted = X[[*frame.observed, *picks]]
    C = k(counted, counted) + NOISE * np.eye(len(counted))
    n = len(frame.observed)
    weights = np.linalg.solve(C[:n, :n], frame.observed_y - MEAN)
    mean = MEAN + k(Z, counted[:n]) @ weights
    return mean, k(Z, Z) - k(Z, counted) @ np.linalg.solve(C, k(counted, Z))


def joint(replay: Replay) -> Joint:
    assert replay.scene.joint is not None
    return replay.scene.joint


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("prior", [False, True])
def test_draws_have_the_mean_and_covariance_of_a_dense_solve(d: int, prior: bool) -> None:
    replay = run(table(d))
    frame = at(replay, Kind.PICK, 2)
    found = joint(replay).draws(frame, prior=prior)
    assert found is not None
    mean, C = dense(replay, frame, found.points)
    if prior:
        mean, C = np.full(len(found.points), MEAN), k(found.points, found.points)
    count = DRAWS if d == 1 else 1
    assert found.values.shape == (count, 9)
    # The normal variables of the stream, through a factor of that covariance.
    z = streams.pictured_draws(4).standard_normal((count, 9))
    np.testing.assert_allclose(found.values, mean + z @ np.linalg.cholesky(C).T, atol=1e-6)


def test_all_draws_of_a_batch_are_one_and_independent_of_the_layer_of_another() -> None:
    replay = run(table(1))
    first, last = at(replay, Kind.POSTERIOR), at(replay, Kind.PICK, 2)
    assert joint(replay).draws(first) is joint(replay).draws(last)
    assert joint(replay).draws(first) is not joint(replay).draws(first, prior=True)


def test_a_finer_grid_has_the_draw_of_the_coarse_one_at_its_points() -> None:
    replay = run(problems.himmelblau())
    frame = at(replay, Kind.POSTERIOR)
    found = joint(replay).draws(frame)
    assert found is not None
    assert found.points.shape == (101 * 101, 2)
    posterior = replay.trace.posterior.at(len(frame.observed))
    side = np.linspace(-5, 5, 36)
    coarse = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    process = posterior.conditioned()
    exact = process.sample(coarse, streams.pictured_draws(4), size=1)[0]
    # Points of both grids: 35 and 100 steps have a fifth in common.
    fine = found.values[0].reshape(101, 101)[::20, ::20]
    np.testing.assert_allclose(
        fine, exact.reshape(36, 36)[::7, ::7], atol=1e-6 * np.abs(fine).max()
    )


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_thompsons_picks_are_the_best_points_of_the_draws_made_again(direction: str) -> None:
    problem = replace(table(1, size=40), direction=direction)
    replay = run(problem, ThompsonSampling(batch_size=4))
    for t in (1, 2):
        found, decision = (
            joint(replay).paths(at(replay, Kind.POSTERIOR, t=t)),
            replay.trace.decisions[t - 1],
        )
        assert found is not None
        sign = replay.scene.sign
        for f, index, score in zip(found.values, decision.indices, decision.scores, strict=True):
            best = int(np.nanargmax(sign * f))
            assert found.points[best] == problem.candidates[index]
            assert sign * f[best] == pytest.approx(score)
    assert joint(run(table(1))).paths(at(run(table(1)), Kind.POSTERIOR)) is None


def test_draws_of_many_candidates_wait_until_they_are_made() -> None:
    replay = run(problems.himmelblau(), ThompsonSampling(batch_size=2))
    frame, one = at(replay, Kind.PICK, 1, t=2), joint(replay)
    assert one.waits(frame)
    assert one.paths(frame) is None
    made = one.make_paths(frame)
    assert not one.waits(frame)
    assert made is not None
    assert one.paths(frame) is made
    best = np.nanargmax(replay.scene.sign * made.values, axis=1)
    assert best.tolist() == list(replay.trace.decisions[1].indices)
    assert not joint(run(problems.himmelblau())).waits(frame)


@pytest.mark.parametrize("kind", [Kind.POSTERIOR, Kind.REGION, Kind.PICK, Kind.OBSERVE])
def test_what_a_point_tells_is_k_by_its_formula_and_the_dense_covariance(kind: Kind) -> None:
    replay = run(table(2))
    frame, X = at(replay, kind, 2 if kind is Kind.PICK else 0), replay.scene.candidates
    picks = tuple(one.index for one in frame.picks[:2]) if kind is Kind.PICK else ()
    prior, now = joint(replay).covariances(frame, 5)
    np.testing.assert_allclose(prior, k(X[5:6], X)[0], atol=1e-12)
    _, C = dense(replay, frame, X, picks)
    np.testing.assert_allclose(now, C[5], atol=1e-10)
    assert np.sqrt(now[5]) == pytest.approx(frame.std_now[5])
    r_prior, r_now = joint(replay).correlations(frame, 5)
    np.testing.assert_allclose(r_prior, prior / VARIANCE, atol=1e-12)
    std = np.sqrt(C.diagonal())
    np.testing.assert_allclose(r_now, C[5] / std / std[5], atol=1e-8)


def test_slices_are_the_posterior_at_their_points() -> None:
    replay = run(table(4, size=30))
    frame = at(replay, Kind.PICK, 2)
    X = replay.scene.candidates
    for pointed in (None, 7):
        found = joint(replay).slices(frame, pointed)
        assert found.candidate == (pointed if pointed is not None else frame.mean.argmax())
        assert found.x.shape == found.mean.shape == found.std.shape == (4, 41)
        for i in range(4):
            Z = np.tile(X[found.candidate], (41, 1))
            Z[:, i] = np.linspace(X[:, i].min(), X[:, i].max(), 41)
            np.testing.assert_array_equal(found.x[i], Z[:, i])
            mean, C = dense(replay, frame, Z)
            np.testing.assert_allclose(found.mean[i], mean, atol=1e-9)
            np.testing.assert_allclose(found.std[i], np.sqrt(C.diagonal()), atol=1e-7)
