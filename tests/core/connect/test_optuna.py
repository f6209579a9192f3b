"""The sampler in Optuna's own loop, and its objectives as problems. Needs Optuna."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

optuna = pytest.importorskip("optuna", reason="optuna, of the extra optuna, is not installed")

from optuna.distributions import (  # noqa: E402
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from ucbpe_core import GPUCBPE, InputError, simulate  # noqa: E402
from ucbpe_core.connect.optuna import (  # noqa: E402
    GPUCBPESampler,
    _finite,
    problem_from_optuna,
)
from ucbpe_core.connect.optuna_problem import space_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
    space, rng = space_of(SPACE), np.random.default_rng(0)
    U = np.concatenate([rng.random((200, 5)), np.zeros((1, 5)), np.ones((1, 5))])
    for params in space.settings(space.points(U)):
        for name, one in SPACE.items():
            assert one._contains(one.to_internal_repr(params[name])), (name, params[name])
        (again,) = space.settings(space.read([params]))
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


def failing(how: str, bound: float) -> Callable[[optuna.Trial], float]:
    """No value below `bound`, where the minimum would be."""

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        if x < bound:
            if how == "pruned":
                trial.report(x, 0)
                raise optuna.TrialPruned
            if how == "error":
                raise RuntimeError
            return float("nan")
        return x

    return objective


def test_trials_without_a_value_are_alike_and_not_repeated() -> None:
    """NaN, pruned, or an error: the search moves on to where there are values."""
    points = {}
    for how in ("nan", "pruned", "error"):
        study = optuna.create_study(sampler=GPUCBPESampler(2, n_startup_trials=4, seed=0))
        study.optimize(failing(how, 0.4), n_trials=14, catch=RuntimeError)
        points[how] = [one.params["x"] for one in study.trials]
        gone = sorted(x for x in points[how] if x < 0.4)
        assert len(gone) > 1
        assert np.diff(gone).min() > 0.9e-3
        assert sum(x >= 0.4 for x in points[how][8:]) >= 4
        assert study.best_value < 0.45
    assert points["nan"] == points["pruned"] == points["error"]


def test_in_finite_are_those_of_optunas_own_sampler() -> None:
    for y in ([1.0, np.inf, -2.0, -np.inf], [np.inf, np.inf], [0.5, 0.25], [-np.inf, 3.0]):
        values = np.array(y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = pytest.importorskip("optuna._gp.gp").warn_and_convert_inf(values)
        np.testing.assert_array_equal(_finite(values), theirs)
    for direction, worst in (("minimize", np.inf), ("maximize", -np.inf)):
        study = optuna.create_study(
            sampler=GPUCBPESampler(2, n_startup_trials=4, seed=0), direction=direction
        )
        for _ in range(8):
            trial = study.ask()
            x = trial.suggest_float("x", 0, 1)
            study.tell(trial, x if x > 0.6 else worst)
        assert [one.state.name for one in study.trials] == ["COMPLETE"] * 8


def test_by_default_no_two_begin_alike(tmp_path: Path) -> None:
    """Two workers of one study, and a study that is resumed."""
    url = f"sqlite:///{tmp_path}/s.db"
    optuna.create_study(storage=url, study_name="s")

    def run(n: int) -> None:
        study = optuna.load_study(storage=url, study_name="s", sampler=GPUCBPESampler(2))
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=n)

    run(3), run(3)
    study = optuna.load_study(storage=url, study_name="s")
    assert len({one.params["x"] for one in study.trials}) == 6
    assert GPUCBPESampler()._seed != GPUCBPESampler()._seed
    free, given = GPUCBPESampler(), GPUCBPESampler(seed=4)
    before = free._seed
    free.reseed_rng(), given.reseed_rng()
    assert given._seed == 4
    assert free._seed != before


def test_two_workers_do_not_give_the_same_points() -> None:
    """Each makes its own batch; what the other has begun meanwhile is left out of it."""
    study = optuna.create_study()
    samplers = [GPUCBPESampler(4, n_startup_trials=5, seed=seed) for seed in (0, 0)]
    points = []
    for k in range(5 + 8):
        study.sampler = samplers[k % 2] if k >= 5 else samplers[0]
        trial = study.ask()
        points.append(point(trial))
        if k < 5:
            study.tell(trial, points[-1][0] + points[-1][1] ** 2)
    apart = np.abs(np.array(points)[:, None] - points).max(axis=2) + np.eye(len(points))
    assert apart.min() > 0.9e-3


def test_steps_are_used_once() -> None:
    """Twelve points, then trials are random; under "allow" they can repeat before."""

    def objective(trial: optuna.Trial) -> float:
        return float((trial.suggest_int("n", 1, 4) - 4) ** 2 + trial.suggest_int("m", 1, 3))

    sampler = GPUCBPESampler(4, n_startup_trials=3, seed=0)
    study = optuna.create_study(sampler=sampler)
    for start in ((1, 1), (2, 3), (4, 2)):
        study.enqueue_trial(dict(zip("nm", start, strict=True)))
    study.optimize(objective, n_trials=14)
    pairs = [(one.params["n"], one.params["m"]) for one in study.trials]
    assert len(set(pairs[:12])) == 12
    with pytest.raises(InputError, match="repeats"):
        GPUCBPESampler(repeats="no")  # type: ignore[arg-type]


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
