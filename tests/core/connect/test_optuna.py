"""The sampler in Optuna's own loop, and its objectives as problems. Needs Optuna."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

optuna = pytest.importorskip("optuna", reason="optuna, of the extra optuna, is not installed")

from optuna.distributions import (  # noqa: E402
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from ucbpe_core import GPUCBPE, InputError, simulate  # noqa: E402
from ucbpe_core.connect.optuna import GPUCBPESampler, _Space, problem_from_optuna  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.WARNING)
SPACE = {
    "x": FloatDistribution(-5.0, 10.0),
    "rate": FloatDistribution(1e-4, 1e-1, log=True),
    "depth": IntDistribution(1, 9, step=2),
    "width": IntDistribution(1, 1000, log=True),
    "share": FloatDistribution(0.0, 0.95, step=0.05),
}


def quadratic(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5, 5)
    rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
    kind = trial.suggest_categorical("kind", ["a", "b"])
    return (x - 2) ** 2 + (np.log10(rate) + 2.5) ** 2 + (kind == "a")


def point(trial: optuna.Trial) -> tuple[float, float]:
    return trial.suggest_float("x", 0, 1), trial.suggest_float("z", 0, 1)


def test_numbers_go_to_the_cube_and_back() -> None:
    """Exactly where they are steps, to rounding where not, and always inside."""
    space, rng = _Space(SPACE), np.random.default_rng(0)
    U = np.concatenate([rng.random((200, 5)), np.zeros((1, 5)), np.ones((1, 5))])
    for params in space.from_unit(U):
        for name, one in SPACE.items():
            assert one._contains(one.to_internal_repr(params[name])), (name, params[name])
        (again,) = space.from_unit(space.to_unit([params]))
        assert again == pytest.approx(params, rel=1e-12)
        assert all(again[name] == params[name] for name in ("depth", "width"))


def test_asked_four_at_a_time() -> None:
    """What is asked together lies apart; what was told is taken into account."""
    sampler = GPUCBPESampler(batch_size=4, n_startup_trials=6, seed=1)
    study = optuna.create_study(sampler=sampler)
    for _ in range(4):
        trials = [study.ask() for _ in range(4)]
        for trial in trials:
            study.tell(trial, quadratic(trial))
    later = np.array([[one.params["x"], np.log10(one.params["rate"])] for one in study.trials[8:]])
    for batch in later.reshape(-1, 4, 2):
        apart = np.linalg.norm(batch[:, None] - batch[None], axis=2) + np.eye(4)
        assert apart.min() > 1e-3
    first = study.best_value
    assert first < min(one.value for one in study.trials[:6])


def test_running_trials_are_not_asked_again() -> None:
    """A second batch while the first one runs: its points count as measured."""
    sampler = GPUCBPESampler(batch_size=2, n_startup_trials=5, seed=0)
    study = optuna.create_study(sampler=sampler, direction="maximize")

    for _ in range(5):
        trial = study.ask()
        x, z = point(trial)
        study.tell(trial, -((x - 0.5) ** 2) - (z - 0.5) ** 2)
    points = np.array([point(study.ask()) for _ in range(6)])  # none is told
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(6)
    assert apart.min() > 0.02


@pytest.mark.slow
def test_batches_of_four_beat_chance() -> None:
    """In one thread, so that a batch is chosen from the same trials each time."""

    def two(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", -5, 5)
        rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
        return float((x - 2) ** 2 + (np.log10(rate) + 2.5) ** 2)

    for seed in range(3):
        best = []
        for sampler in (GPUCBPESampler(4, seed=seed), optuna.samplers.RandomSampler(seed=seed)):
            study = optuna.create_study(sampler=sampler)
            for _ in range(10):
                for trial in [study.ask() for _ in range(4)]:
                    study.tell(trial, two(trial))
            best.append(study.best_value)
        assert best[0] < 0.05
        assert best[0] < best[1]


@pytest.mark.slow
def test_it_runs_in_threads() -> None:
    """No trial fails, and trials that run at the same time are of different points."""
    study = optuna.create_study(sampler=GPUCBPESampler(4, seed=2))
    study.optimize(quadratic, n_trials=40, n_jobs=4)
    assert [one.state for one in study.trials] == [optuna.trial.TrialState.COMPLETE] * 40
    for one, other in combinations(study.trials, 2):
        begun = max(one.datetime_start, other.datetime_start)
        if begun < min(one.datetime_complete, other.datetime_complete):
            assert (
                one.params["x"] != other.params["x"] or one.params["rate"] != other.params["rate"]
            )


def test_a_trial_that_has_just_begun_counts_as_running() -> None:
    """Its parameters are in the study only once it has asked for them."""
    sampler = GPUCBPESampler(batch_size=1, n_startup_trials=5, seed=0)
    study = optuna.create_study(sampler=sampler)

    for _ in range(5):
        trial = study.ask()
        x, z = point(trial)
        study.tell(trial, (x - 0.5) ** 2 + (z - 0.5) ** 2)
    begun = [study.ask().relative_params for _ in range(4)]  # given, and not in the study yet
    points = np.array([[one["x"], one["z"]] for one in begun])
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(4)
    assert apart.min() > 0.02


def test_what_it_cannot_do_is_refused() -> None:
    study = optuna.create_study(directions=["minimize"] * 2, sampler=GPUCBPESampler())
    with pytest.raises(InputError, match="a study of one objective; got 2"):
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 0.0), n_trials=2)
    with pytest.raises(InputError, match="batch_size"):
        GPUCBPESampler(0)
    with pytest.raises(InputError, match="n_startup_trials"):
        GPUCBPESampler(n_startup_trials=0)


def test_an_objective_as_a_problem() -> None:
    def objective(trial: optuna.Trial) -> float:
        rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
        return (np.log10(rate) + 2.5) ** 2 + trial.suggest_int("depth", 1, 5)

    space = {"rate": FloatDistribution(1e-4, 1e-1, log=True), "depth": IntDistribution(1, 5)}
    problem = problem_from_optuna(objective, space, size=31)
    assert problem.axes == ("log10 rate", "depth", "objective")
    np.testing.assert_allclose(problem.bounds, [[-4, -1], [1, 5]])
    assert (problem.name, problem.direction) == ("objective", "minimize")
    expected = (problem.candidates[:, 0] + 2.5) ** 2 + np.round(problem.candidates[:, 1])
    half = np.abs(problem.candidates[:, 1] % 1 - 0.5) < 1e-9  # rounded to either side
    np.testing.assert_allclose(problem.values[~half], expected[~half], atol=1e-9)
    assert simulate(problem, GPUCBPE(3), batches=2, initial=4).problem is problem
    with pytest.raises(InputError, match="distributions of numbers; got kind of Categorical"):
        problem_from_optuna(objective, {"kind": CategoricalDistribution(["a"])})
    with pytest.raises(InputError, match="at least one distribution"):
        problem_from_optuna(objective, {})
