"""Gradients of what is searched for, and maxima that are hard to find."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reference import Floats, examples
from tests.core.strategies import Instance, instances, unit_points
from ucbpe_core import GPUCBPE, RBF, BoxBandit, ConstantBeta, GaussianProcess, Matern, Posterior
from ucbpe_core.policies import GPUCB, GreedyUCB, Policy, Recommended
from ucbpe_core.policies.picking import Bound, Exploration, LogImprovement, LogPenalised
from ucbpe_core.search.box.acquisition import Acquisition
from ucbpe_core.search.box.search import Cover, clouds, evolve, hit_and_run
from ucbpe_core.spaces import Integer, Real, Space


def hill(X: Floats, top: Floats, lengthscale: float) -> Floats:
    return np.exp(-((X - top) ** 2).sum(axis=1) / (2 * lengthscale**2))


def around(top: Floats, distance: float) -> Floats:
    """`top` moved along each axis, both ways."""
    step = distance * np.eye(len(top))
    return np.concatenate([top + step, top - step])


def test_a_component_of_the_region_without_a_sample_is_found() -> None:
    """R+ is two components of 1e-8 of the box; the second lies between measured points that are
    outside it. Before, all picks fell into the first, with a fifth of the deviation.
    """
    one, two, scale = np.full(4, 0.3), np.full(4, 0.7), 0.05
    known = [around(one, r * scale) for r in (0.2, 0.5, 1.0)]
    X = np.concatenate([*known, one[None], around(two, 0.5 * scale)])
    gp = GaussianProcess(RBF(scale), 1e-3)
    box = BoxBandit([(0, 1)] * 4, gp, GPUCBPE(4), ConstantBeta(0.01), fit="never")
    box.tell(None, hill(X, one, scale) + hill(X, two, scale), points=X)
    decision = box.ask()
    at_two = box.process.predict(two[None])
    assert at_two.mean[0] + 0.2 * at_two.std[0] >= decision.y_dot
    assert decision.stds[1] >= at_two.std[0] - 1e-9
    assert np.abs(decision.points[1] - two).max() < scale
    # The rest of the batch is as far apart as R+ is wide: 0.006 to 0.02 before.
    assert decision.stds[2:].min() > 0.025


def test_a_maximum_beside_a_higher_sample_is_found() -> None:
    """The best sample is a corner measured thrice; the maximum lies 0.06 beside it, between
    measured points that are lower. Before, no start within 0.077 of a better one was improved,
    and the upper bound of the pick was 1.04 instead of 1.12.
    """
    corner, top, scale = np.ones(3), np.array([0.94, 1.0, 1.0]), 0.02
    near = around(top, 0.6 * scale)
    near = near[(near <= 1).all(axis=1)]
    X = np.concatenate([np.repeat(corner[None], 3, axis=0), near])
    y = np.concatenate([np.ones(3), 1.15 * hill(near, top, scale)])
    box = BoxBandit(
        [(0, 1)] * 3, GaussianProcess(RBF(scale), 1e-3), GPUCB(), ConstantBeta(0.04), fit="never"
    )
    box.tell(None, y, points=X)
    decision = box.ask()
    at_top = box.process.predict(top[None])
    assert decision.scores[0] >= at_top.mean[0] + 0.2 * at_top.std[0]


@pytest.mark.parametrize("scale", [(1e-3, 1e-3, 1e-3), (1e3, 1e3, 1e3), (1e-3, 7.0, 1e4)])
def test_picks_do_not_depend_on_the_units_of_x(scale: tuple[float, ...]) -> None:
    """With the lengthscales scaled alike; the default beta is the same too."""
    picks = []
    for side, low in ((np.ones(3), np.zeros(3)), (np.array(scale), [0.1, -3, 2] * np.array(scale))):
        gp = GaussianProcess(Matern(tuple(side * [0.3, 0.5, 0.4]), nu=2.5), 1e-3)
        bounds = np.stack([low, low + side], axis=1)
        box = BoxBandit(bounds, gp, GPUCBPE(3), samples=256, starts=4, fit="never")
        U = np.random.default_rng(0).random((12, 3))
        box.tell(None, np.sin(6 * U).sum(axis=1), points=low + side * U)
        first = (box.ask().points - low) / side
        box.tell(box.pending, np.sin(6 * first).sum(axis=1))
        picks.append(np.concatenate([first, (box.ask().points - low) / side]))
    np.testing.assert_allclose(*picks, atol=1e-4)


def test_clouds_are_of_all_sizes() -> None:
    centre = np.array([0.5, 0.5])
    points = clouds(centre[None], 400, np.random.default_rng(0))
    assert ((points >= 0) & (points <= 1)).all()
    apart = np.abs(points - centre).max(axis=1)
    assert (np.histogram(apart, [0, 1e-3, 1e-2, 1e-1, 1])[0] > 40).all()
    assert clouds(np.empty((0, 2)), 400, np.random.default_rng(0)).shape == (0, 2)


def test_a_walk_goes_on_until_nearly_every_point_has_moved() -> None:
    """In a thin slab, which few draws along a line hit at first."""
    rng = np.random.default_rng(0)
    start = np.full((200, 3), 0.5)
    start[:, 1:] = rng.random((200, 2))
    found = hit_and_run(start, lambda U: np.abs(U[:, 0] - 0.5) < 0.05, rounds=1, rng=rng)
    assert len(found) >= 1.95 * len(start)
    assert (np.abs(found[:, 0] - 0.5) < 0.05).all()


UNIT, UNUSED = Space.of([(0.0, 1.0)]), GaussianProcess(RBF(0.3)).condition([[0.5]], [0.0])


@dataclass(frozen=True, eq=False)
class Cones(Acquisition):
    """The higher of cones of slope 1 with tops at u = 0.2 and 0.8, of heights (2,).

    `value_and_gradient` notes the point, and is that of `tilt` u: a search by gradient ends where
    it starts if that is 0, else at a face.
    """

    heights: tuple[float, float]
    tilt: float
    noted: list[float]

    def values(self, U: Floats) -> Floats:
        return np.max(self.heights - np.abs(U - [0.2, 0.8]), axis=1)

    def value_and_gradient(self, u: Floats) -> tuple[float, Floats]:
        self.noted.append(float(u[0]))
        return self.tilt * float(u[0]), np.array([self.tilt])


@pytest.mark.parametrize("lower", [0.1, -2.0])
def test_half_of_the_starts_are_for_other_hills(lower: float) -> None:
    """Five of ten are the best points. No start is on the way up to one of these, so the sixth and
    last is the top of the other hill, if there is one.
    """
    cones = Cones(UNUSED, UNIT, Exploration(), (0.11, lower), 0.0, [])
    found = Cover.of(UNIT, np.empty((0, 1)), 256, 10, (0, 0)).maximise(cones)
    assert found.u == pytest.approx(0.2, abs=1e-3)
    assert np.abs(np.array(cones.noted[:5]) - 0.2).max() < 0.01
    assert cones.noted[5:] == pytest.approx([0.8] if lower > 0 else [], abs=0.01)


def test_a_gradient_that_misleads_loses_nothing() -> None:
    """The best point is kept, with its value."""
    cones = Cones(UNUSED, UNIT, Exploration(), (1.0, 0.5), -1.0, [])
    found = Cover.of(UNIT, np.empty((0, 1)), 64, 3, (0, 0)).maximise(cones)
    assert found.u == pytest.approx(0.2, abs=1e-3)
    assert found.value == 1.0 - abs(found.u[0] - 0.2)


def test_where_all_is_minus_infinity_no_point_moves() -> None:
    """As a logarithm of 0 may be; a move could leave the region."""
    start, lowest = np.random.default_rng(0).random((5, 2)), np.full(5, -np.inf)
    points, values = evolve(
        start,
        lowest,
        lambda U: np.full(len(U), -np.inf),
        lambda U: np.zeros(len(U), dtype=bool),
        rounds=3,
        rng=np.random.default_rng(1),
    )
    np.testing.assert_array_equal(points, start)
    np.testing.assert_array_equal(values, lowest)


@examples(80)
@given(instances(dimension=3), st.sampled_from([(1.0, 0.0), (0.0, 1.0), (1.0, -3.0), (-0.5, 2.0)]))
def test_gradients_equal_finite_differences(case: Instance, mix: tuple[float, float]) -> None:
    d, step = case.candidates.shape[1], 1e-5
    box = np.stack([np.full(d, -0.5), np.linspace(0.7, 1.1, d)], axis=1)
    acquisition = Acquisition(case.posterior.conditioned(), Space.of(box), Bound(*mix))
    u = np.clip(unit_points(case.rng, 1, d)[0], 2 * step, 1 - 2 * step)
    value, gradient = acquisition.value_and_gradient(u)
    assert value == pytest.approx(acquisition.values(u[None])[0], rel=1e-9, abs=1e-9)
    moves = step * np.eye(d)
    expected = (acquisition.values(u + moves) - acquisition.values(u - moves)) / (2 * step)
    level = 1e-4 * (1 + np.abs(expected).max())
    np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=level)


def test_where_nothing_is_uncertain_the_slope_is_finite() -> None:
    """At a point measured without noise the deviation has a kink."""
    process = GaussianProcess(RBF(0.3), 0.0).condition([[0.2], [0.6]], [1.0, 2.0])
    box = Space.of([(0.0, 1.0)])
    value, gradient = Acquisition(process, box, Exploration()).value_and_gradient(np.array([0.2]))
    assert value < 1.1e-5  # the noise floor: 1e-10 of the prior variance
    assert np.isfinite(gradient).all()


def example() -> tuple[Posterior, Space]:
    space = Space.of({"a": (0.0, 2.0), "n": Integer(0, 3), "b": Real(0.1, 10, log=True)})
    gp = GaussianProcess(Matern((0.8, 2.0, 0.7), nu=2.5), 0.01)
    X = space.place(np.random.default_rng(0).random((6, 3)))
    return Posterior.prior(gp, X).observe(range(6), np.sin(X).sum(axis=1)), space


def acquisitions() -> list[Acquisition]:
    posterior, space = example()
    process, centres = posterior.conditioned(), space.place(np.full((2, 3), [[0.3], [0.8]]))
    at = process.predict(centres)
    mean = posterior.gp.mean
    penalised = LogPenalised(2.0, mean, 1.0, 1.5, 0.4, centres, at.mean, at.std)
    scores = Bound(1.0, 2.0), LogImprovement(0.3), penalised
    return [Acquisition(process, space, score) for score in scores]


@pytest.mark.parametrize("i", range(3))
def test_a_snapped_input_is_evaluated_where_it_is_set(i: int) -> None:
    """Its slope is 0, and the slopes of the others are those at the setting."""
    score, u, space = acquisitions()[i], np.array([0.45, 0.4, 0.6]), example()[1]
    moved = np.array([[0.45, 0.26, 0.6], [0.45, 1 / 3, 0.6]])
    assert len(set(score.values(np.concatenate([u[None], moved])).tolist())) == 1
    value, gradient = score.value_and_gradient(u)
    assert value == pytest.approx(score.values(space.snap(u[None]))[0], rel=1e-12)
    steps = 1e-4 * np.eye(3)
    expected = (score.values(u + steps) - score.values(u - steps)) / 2e-4
    assert gradient[1] == expected[1] == 0.0
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("policy", [Recommended(4), GreedyUCB(4), GPUCBPE(4)])
@pytest.mark.parametrize("noise", [1e-6, 1e-2])
def test_picks_of_a_batch_are_apart_unless_repeats_are_allowed(
    policy: Policy, noise: float
) -> None:
    """Three of four were the same point where noise is small: the argmax, but it tells nothing."""
    space = {"a": (0.0, 1.0), "b": Integer(0, 20)}
    box = BoxBandit(
        space, GaussianProcess(Matern(0.5), noise), policy, fit="never",
        feasible=lambda setting: abs(20 * setting["a"] - setting["b"]) < 1,
    )  # fmt: skip
    for _ in range(3):
        decision = box.ask()
        U = box.space.unit(box.space.coordinates(decision.points))
        between = np.abs(U[:, None] - U).max(axis=2)[~np.eye(4, dtype=bool)]
        assert between.min() >= 1e-3
        box.tell(decision.indices, -((decision.points[:, 0] - 0.45) ** 2))


def test_a_batch_of_more_picks_than_settings_has_all_of_them() -> None:
    space = {"a": Integer(0, 2)}
    box = BoxBandit(space, GaussianProcess(Matern(0.5), 0.1), Recommended(4), fit="never")
    assert {setting["a"] for setting in box.ask().settings} == {0, 1, 2}
