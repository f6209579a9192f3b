"""The sampler in Optuna's own loop, objectives as problems, and the folder for OptunaHub."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import pickle
import re
import runpy
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

optuna = pytest.importorskip("optuna", reason="optuna, of the extra optuna, is not installed")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402

from ucbpe_core import GPUCBPE, InputError  # noqa: E402
from ucbpe_core.connect.optuna import GPUCBPESampler, problem_from_optuna  # noqa: E402
from ucbpe_core.policies.schedules import CompactBeta  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.WARNING)


def quadratic(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5, 5)
    rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
    kind = trial.suggest_categorical("kind", ["a", "b"])
    return float((x - 2) ** 2 + (np.log10(rate) + 2.5) ** 2 + (kind == "a"))


def begun(study: optuna.Study, told: int) -> tuple[float, float]:
    """A point of the plane that the study gives, told if it is one of so many first trials."""
    trial = study.ask()
    x, z = trial.suggest_float("x", 0, 1), trial.suggest_float("z", 0, 1)
    if trial.number < told:
        study.tell(trial, (x - 0.5) ** 2 + (z - 0.5) ** 2)
    return x, z


def least_distance(points: list[tuple[float, float]]) -> float:
    return min(float(np.linalg.norm(np.subtract(*pair))) for pair in combinations(points, 2))


def test_batches_of_four_lie_apart_and_beat_chance() -> None:
    """What was told is taken into account, also the noise that the category is to the fit."""
    study = optuna.create_study(sampler=GPUCBPESampler(batch_size=4, n_startup_trials=6, seed=1))
    for _ in range(4):
        for trial in [study.ask() for _ in range(4)]:
            study.tell(trial, quadratic(trial))
    later = [(one.params["x"], np.log10(one.params["rate"])) for one in study.trials[8:]]
    assert min(least_distance(later[:4]), least_distance(later[4:])) > 1e-3
    assert study.best_value < min(trial.value for trial in study.trials[:6])


@pytest.mark.slow
def test_it_runs_in_threads() -> None:
    """No trial fails, and trials that run at the same time are of different points."""
    study = optuna.create_study(sampler=GPUCBPESampler(4, seed=2))
    study.optimize(quadratic, n_trials=40, n_jobs=4)
    assert [trial.state for trial in study.trials] == [optuna.trial.TrialState.COMPLETE] * 40
    for early, late in combinations(study.trials, 2):
        if late.datetime_start < early.datetime_complete:
            points = [(trial.params["x"], trial.params["rate"]) for trial in (early, late)]
            assert points[0] != points[1]


def test_a_trial_that_has_just_begun_counts_as_running() -> None:
    """Its parameters are in the study only once it has asked for them."""
    sampler = GPUCBPESampler(batch_size=1, n_startup_trials=5, seed=0)
    study = optuna.create_study(sampler=sampler)
    for _ in range(5):
        begun(study, 5)
    given = [study.ask().relative_params for _ in range(4)]  # not in the study yet
    assert least_distance([(params["x"], params["z"]) for params in given]) > 0.02


def test_a_growing_beta_grows() -> None:
    """t counts batches, also those of trials that failed."""
    seen = list[int]()

    class Seen(CompactBeta):
        def unscaled(self, run: object) -> float:
            seen.append(run.t)  # type: ignore[attr-defined]
            return 4.0

    sampler = GPUCBPESampler(2, policy=GPUCBPE(), n_startup_trials=4, seed=0, beta=Seen())
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda t: t.suggest_float("x", 0, 1) / (t.number % 2 or np.nan), n_trials=12)
    assert seen == [5, 6, 6, 7]


@pytest.mark.slow
def test_trials_without_a_value_are_alike_and_not_repeated() -> None:
    """NaN, pruned, or an error: the search moves on to where there are values."""
    points = {}
    for how in (None, optuna.TrialPruned, RuntimeError):

        def objective(trial: optuna.Trial, how: type[Exception] | None = how) -> float:
            x = trial.suggest_float("x", 0, 1)
            if x < 0.4 and how is not None:
                raise how
            return x if x >= 0.4 else float("nan")

        study = optuna.create_study(sampler=GPUCBPESampler(2, n_startup_trials=4, seed=0))
        study.optimize(objective, n_trials=14, catch=RuntimeError)
        points[how] = [trial.params["x"] for trial in study.trials]
        gone = sorted(x for x in points[how] if x < 0.4)
        assert len(gone) > 1
        assert np.diff(gone).min() > 0.9e-3
        assert sum(x >= 0.4 for x in points[how][8:]) >= 3
        assert study.best_value < 0.41
    assert points[None] == points[optuna.TrialPruned] == points[RuntimeError]


def test_infinite_values_fail_no_trial() -> None:
    study = optuna.create_study(sampler=GPUCBPESampler(2, n_startup_trials=4, seed=0))
    study.optimize(lambda t: x if (x := t.suggest_float("x", 0, 1)) > 0.6 else np.inf, n_trials=8)
    assert {trial.state.name for trial in study.trials} == {"COMPLETE"}


def test_by_default_no_two_begin_alike() -> None:
    """Two workers of one study, and a study that is resumed."""
    study = optuna.create_study()
    for study.sampler in (GPUCBPESampler(2), GPUCBPESampler(2)):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    assert len({trial.params["x"] for trial in study.trials}) == 6


@pytest.mark.slow
def test_two_workers_do_not_give_the_same_points() -> None:
    """Each makes its own batch; what the other has begun meanwhile is left out of it."""
    study = optuna.create_study()
    samplers = [GPUCBPESampler(4, n_startup_trials=5, seed=0) for _ in range(2)]
    points = []
    for k in range(5 + 8):
        study.sampler = samplers[k % 2 if k >= 5 else 0]
        points.append(begun(study, 5))
    assert least_distance(points) > 0.9e-3


def test_steps_are_used_once() -> None:
    """Twelve points, then trials are random."""

    def objective(trial: optuna.Trial) -> float:
        return float((trial.suggest_int("n", 1, 4) - 4) ** 2 + trial.suggest_int("m", 1, 3))

    study = optuna.create_study(sampler=GPUCBPESampler(4, n_startup_trials=3, seed=0))
    for n, m in ((1, 1), (2, 3), (4, 2)):
        study.enqueue_trial({"n": n, "m": m})
    study.optimize(objective, n_trials=14)
    pairs = [(trial.params["n"], trial.params["m"]) for trial in study.trials]
    assert len(set(pairs[:12])) == 12


def test_categories_are_searched_and_what_is_not_feasible_is_not_given() -> None:
    """Choices of any type that Optuna has; the best of them is found and kept to."""
    choices = (None, True, 1, "b")

    def objective(trial: optuna.Trial) -> float:
        x, kind = trial.suggest_float("x", 0, 1), trial.suggest_categorical("kind", choices)
        return float(abs(x - 0.3) + 2 * (kind != "b"))

    def feasible(params: dict[str, object]) -> bool:
        return not (params["kind"] is None or params["x"] < 0.2)  # type: ignore[operator]

    sampler = GPUCBPESampler(4, n_startup_trials=8, seed=3, feasible=feasible)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=20)
    later = [trial.params for trial in study.trials[8:]]
    assert all(feasible(params) for params in later)
    assert sum(params["kind"] == "b" for params in later) >= 8
    assert study.best_params["kind"] == "b"
    assert study.best_value < 0.02


def test_what_it_cannot_do_is_refused() -> None:
    study = optuna.create_study(directions=["minimize"] * 2, sampler=GPUCBPESampler())
    with pytest.raises(InputError, match="a study of one objective; got 2"):
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 0.0), n_trials=2)
    for name, wrong in (("batch_size", 0), ("n_startup_trials", 0), ("repeats", "no")):
        with pytest.raises(InputError, match=name):
            GPUCBPESampler(**{name: wrong})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a Policy; got str"):
        GPUCBPESampler(policy="GP-UCB-PE")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", [lambda x: 0.3 if x < 0.5 else 0.1 + 0.2, lambda x: 1e300 if x < 0.5 else x]
)
def test_values_equal_but_for_rounding_and_huge_ones_do_not_stop_a_study(
    value: Callable[[float], float],
) -> None:
    study = optuna.create_study(sampler=GPUCBPESampler(batch_size=2, n_startup_trials=4, seed=0))
    study.optimize(lambda trial: value(trial.suggest_float("x", 0, 1)), n_trials=8)
    assert len({trial.params["x"] for trial in study.trials}) == 8


def test_an_objective_as_a_problem() -> None:
    def objective(trial: optuna.Trial) -> float:
        rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
        return (np.log10(rate) + 2.5) ** 2 + trial.suggest_int("depth", 1, 5)

    space = {"rate": FloatDistribution(1e-4, 1e-1, log=True), "depth": IntDistribution(1, 5)}
    problem = problem_from_optuna(objective, space, size=31)
    assert problem.axes == ("log10 rate", "depth", "objective")
    np.testing.assert_allclose(problem.bounds, [[-4, -1], [1, 5]])
    assert (problem.name, problem.direction, problem.unique) == ("objective", "minimize", False)
    expected = (problem.candidates[:, 0] + 2.5) ** 2 + np.round(problem.candidates[:, 1])
    half = np.abs(problem.candidates[:, 1] % 1 - 0.5) < 1e-9  # rounded to either side
    np.testing.assert_allclose(problem.values[~half], expected[~half], atol=1e-9)
    for wrong, got in ({"kind": CategoricalDistribution("ab")}, "kind of Cat"), ({}, "none"):
        with pytest.raises(InputError, match=f"got {got}"):
            problem_from_optuna(objective, wrong)


def test_a_study_with_its_sampler_is_pickled_and_copied() -> None:
    """As Optuna's FAQ keeps a study that is in memory; the copy goes on by itself."""

    def objective(trial: optuna.Trial) -> float:
        return (trial.suggest_float("x", 0, 1) - 0.3) ** 2

    study = optuna.create_study(sampler=GPUCBPESampler(batch_size=2, n_startup_trials=3, seed=0))
    study.optimize(objective, n_trials=6)
    for again in (pickle.loads(pickle.dumps(study)), copy.deepcopy(study)):
        again.optimize(objective, n_trials=2)
        assert len(again.trials) == 8
    study.optimize(objective, n_trials=2)
    assert [trial.params for trial in study.trials] == [trial.params for trial in again.trials]


ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "optunahub" / "package" / "samplers" / "ucbpe"


def load_module(package: str) -> ModuleType:
    """The package as `optunahub.load_module` imports it: by its path, under a name of its own."""
    folder = FOLDER.parents[1] / package
    spec = importlib.util.spec_from_file_location("loaded_package", folder / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_registry_finds_what_it_asks_for() -> None:
    """Files and front matter as in its template; a sampler has that tag."""
    assert {path.name for path in FOLDER.iterdir() if path.is_file()} == {
        "LICENSE", "README.md", "__init__.py", "example.py", "requirements.txt",
    }  # fmt: skip
    _, front, text = (FOLDER / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert set(fields) == {
        "author", "title", "description", "tags", "optuna_versions", "license",
    }  # fmt: skip
    assert fields["tags"].startswith("[sampler,")
    assert fields["license"] == "MIT License"
    assert (FOLDER / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")
    pinned = (ROOT / "tools" / "packaging" / "constraints.txt").read_text(encoding="utf-8")
    version = re.search(r"^optuna==(\S+)$", pinned, re.MULTILINE)
    assert version is not None
    assert version[1] in fields["optuna_versions"]
    for section in ("Abstract", "Class or Function Names", "Installation", "Example"):
        assert f"## {section}\n" in text
    names = inspect.signature(load_module("samplers/ucbpe").GPUCBPESampler).parameters
    assert [name for name in names if f"`{name}`" not in text] == []


def test_its_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    hub = SimpleNamespace(load_module=load_module)
    monkeypatch.setitem(sys.modules, "optunahub", hub)  # type: ignore[arg-type]
    runpy.run_path(str(FOLDER / "example.py"), run_name="__main__")
    value = float(capsys.readouterr().out.split()[0])
    assert value < 0.01
