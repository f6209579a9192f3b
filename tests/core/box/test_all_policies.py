"""All policies over a box: as on a fine grid of it, and on whole numbers as on a list of these."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.core.reference import Floats, improvement, moments
from tests.core.runs import policy_of
from ucbpe_core import (
    GPUCBPE,
    Bandit,
    BoxBandit,
    ConstantBeta,
    GaussianProcess,
    InputError,
    Matern,
    Policy,
)
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.policies import GPBUCB, POLICIES, LocalPenalization, Pick, Recommended
from ucbpe_core.spaces import Category, Integer, Space

K, BETA = 4, ConstantBeta(4.0)
# The maximum that each pick is; GP-BUCB in both phases.
SEARCHED = {name: policy_of(name, K) for name, kind in POLICIES.items() if "score" in vars(kind)}
SEARCHED["GP-BUCB"] = GPBUCB(K, C=1.0, initialization=False)
SEARCHED["GP-BUCB, initialising"] = GPBUCB(K, C=0.0)
INVENTING = "Randomized kriging believer", "Constant liar"
NAMES = ("SM-UCB", "Thompson sampling", "Random search", "Vizier UCB-PE", INVENTING[0])
ALL = SEARCHED | {name: policy_of(name, K, seed=1) for name in NAMES}
ALL[INVENTING[1]] = policy_of(INVENTING[1], K)


def f(X: Floats) -> Floats:
    return np.sin(5 * X[:, 0]) + np.cos(4 * X).sum(axis=1)


def gp(d: int, noise: float = 0.01) -> GaussianProcess:
    return GaussianProcess(Matern((0.35, 0.5)[:d], nu=2.5), noise)


def box_of(d: int, policy: Policy, **options: float) -> BoxBandit:
    box = BoxBandit(
        [(0.0, 1.0)] * d,
        gp(d),
        policy,
        BETA,
        **{"samples": 256, "starts": 4, **options},
        fit="never",
    )
    X = np.random.default_rng(d).random((6, d))
    box.tell(None, f(X), points=X)
    return box


@pytest.mark.parametrize("d", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize("name", SEARCHED)
def test_a_batch_scores_as_on_a_fine_grid(name: str, d: int) -> None:
    policy = SEARCHED[name]
    box = box_of(d, policy)
    # A small improvement differs more from one point of a grid to the next than a bound does.
    fine = 181 if name in {"Recommended", "Kriging believer"} else 61
    side = np.linspace(0, 1, 1001 if d == 1 else fine)
    grid = Bandit(np.array(list(product(side, repeat=d))), gp(d), policy, BETA)
    grid._current = grid.posterior.observe_points(box.process.X, box.process.y)
    found, expected = box.ask(), grid.ask()
    assert found.roles == expected.roles
    assert found.beta == expected.beta
    assert expected.y_dot - 1e-9 <= found.y_dot <= expected.y_dot + 0.05
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0.01)
    np.testing.assert_allclose(found.stds, expected.stds, rtol=0.1)
    assert found.scores[0] >= expected.scores[0] - 1e-9
    if name == "GP-UCB-PE":  # no pick outside R+
        at = box.process.predict(found.points)
        assert (at.mean + 2 * np.sqrt(found.beta_next) * at.std >= found.y_dot - 1e-9).all()


@pytest.mark.parametrize("name", INVENTING)
def test_what_is_invented_is_of_the_picks_made(name: str) -> None:
    """Each pick has the greatest improvement on a fine grid, given values invented at the picks
    before, and drawn at one that is running; by dense solves, as small changes of a pick move it.
    """
    box, prior = box_of(2, ALL[name]), gp(2)
    running = box.ask(1).points
    told = box.process
    found, rng = box.fill(K), np.random.default_rng([1, 2])
    X, y = told.X, told.y
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 31)] * 2), axis=-1).reshape(-1, 2)
    for k, x in enumerate([*running, *found.points]):
        if k:
            mean, std = moments(prior, X, y, np.concatenate([X, x[None], grid]))
            score = improvement(mean, std, float(mean[: len(X)].max()))
            assert found.scores[k - 1] == pytest.approx(score[len(X)], rel=1e-4)
            assert score[len(X)] >= score[len(X) + 1 :].max() * (1 - 1e-6)
        (at,), (std,) = moments(prior, X, y, x[None])
        value = told.y.min()
        if name == INVENTING[0]:
            value = at + np.sqrt(std**2 + prior.noise_variance) * rng.standard_normal()
        elif k == 0:
            value = at  # what is running is at its mean
        X, y = np.concatenate([X, x[None]]), np.append(y, value)


@pytest.mark.parametrize("name", ALL)
def test_on_whole_numbers_it_picks_as_among_candidates(name: str) -> None:
    """All settings are candidates there; those drawn at random are so by the same numbers."""
    space = {"a": Integer(0, 11), "b": Integer(-3, 6)}
    prior = GaussianProcess(Matern((4.0, 3.0), nu=2.5), 0.01)
    rng = np.random.default_rng(5)
    X = np.array(list(product(range(12), range(-3, 7))), dtype=float)
    told = rng.choice(len(X), 7, replace=False)
    y = f(X[told] / 8)
    box = BoxBandit(space, prior, ALL[name], BETA, samples=256, starts=2, fit="never")
    box.tell(None, y, points=X[told])
    bandit = Bandit(X, prior, ALL[name], BETA)
    bandit.tell(told, y)
    found, expected = box.ask(), bandit.ask()
    np.testing.assert_array_equal(found.points, expected.points)
    assert found.roles == expected.roles
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-7)
    np.testing.assert_allclose(found.stds, expected.stds, rtol=1e-7)


@pytest.mark.parametrize(
    ("tolerance", "apart"), [pytest.param(0.0, 0.001, marks=pytest.mark.slow), (0.02, 0.02)]
)
@pytest.mark.parametrize("name", ALL)
def test_the_seed_and_t_decide_and_withdrawn_settings_are_left_out(
    name: str, tolerance: float, apart: float
) -> None:
    options = {"samples": 128, "starts": 1, "tolerance": tolerance}
    box, other = (box_of(2, ALL[name], **options) for _ in range(2))  # type: ignore[arg-type]
    first = box.ask()
    np.testing.assert_array_equal(first.points, other.ask().points)
    assert set(first.roles) <= set(ALL[name].rules)
    other.withdraw()
    again = other.ask()
    for point in first.points:
        assert (np.abs(again.points - point).max(axis=1) > apart).all()


def test_a_pick_beside_running_ones_is_the_maximum_over_the_box() -> None:
    """Not over the points of the search: as one of a batch is."""
    box = box_of(2, Recommended(K))
    box.fill(2)
    running, told = box.pending_points, box.process
    (found,) = box.fill().scores
    given = np.concatenate([told.X, running])
    narrower = box.gp.condition(given, np.zeros(len(given)))
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 201)] * 2), axis=-1).reshape(-1, 2)
    upper = told.predict(grid).mean + 2 * narrower.predict(grid).std
    assert found > upper.max() - 1e-6


def test_a_policy_of_another_package_chooses_among_the_points_of_the_search() -> None:
    """Also one that inherits from a policy whose picks are searched for."""

    class Lowest(GPUCBPE):
        def picks(self, context):
            j = int(context.posterior.mean.argmin())
            return (Pick(j, "ucb", float(context.posterior.std[j]), 0.0),) * self.batch_size

    box = box_of(2, Lowest(2))
    points = box.ask().points
    mean = box.process.predict(np.random.default_rng(0).random((500, 2))).mean
    assert box.process.predict(points).mean[0] < mean.min() + 0.05
    np.testing.assert_array_equal(points[0], points[1])


@pytest.mark.parametrize("name", [name for name in ALL if "GP-BUCB" not in name])
def test_once_every_setting_is_known_nothing_is_left(name: str) -> None:
    """Without noise, and with withdrawn and infeasible settings; no setting twice."""
    space = Space.of(
        {"n": Integer(1, 4), "acid": Category(["a", "b", "c"])},
        feasible=lambda setting: setting["n"] != 2 or setting["acid"] != "b",
    )
    prior = GaussianProcess(Matern((2.0, 1.0, 1.0, 1.0), nu=1.5), 0.0)
    box = BoxBandit(
        space, prior, ALL[name], BETA, repeats="avoid", samples=64, starts=1, fit="never"
    )
    everything = set(product(range(1, 5), "abc")) - {(2, "b")}
    asked = list[tuple[object, ...]]()
    while len(asked) < len(everything):
        decision = box.ask()
        asked += [tuple(found.values()) for found in space.settings(decision.points)]
        told = 1 if len(decision.indices) > 1 else 0  # the first pick is withdrawn, if not alone
        box.withdraw(decision.indices[:told])
        box.tell(decision.indices[told:], np.sin(decision.points[told:].sum(axis=1)))
    assert sorted(asked) == sorted(everything)
    with pytest.raises(NothingLeftError, match=r"use best\(\)"):
        box.ask()


def test_no_more_picks_than_settings_where_none_is_repeated() -> None:
    box = BoxBandit({"n": Integer(1, 3)}, gp(1), LocalPenalization(4), fit="never")
    with pytest.raises(InputError, match="batch_size of at most 3"):
        box.ask()
