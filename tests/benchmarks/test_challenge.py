"""The problems of the challenge, their scores, and the rows that are kept."""

from __future__ import annotations

import argparse
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import Lasso
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks import _rows, _scores, challenge
from benchmarks._bayesmark import CLASSIFIERS, LOGIT, REGRESSORS, Problem, task_of
from benchmarks._functions import Task
from ucbpe_core.spaces import Space

EVERY = [
    *(Problem(model, "wine", "acc") for model in CLASSIFIERS),
    *(Problem(model, "diabetes", "mse") for model in REGRESSORS),
]


@pytest.mark.parametrize("problem", EVERY, ids=lambda problem: problem.name)
def test_every_setting_of_a_space_is_one_of_its_model(problem: Problem) -> None:
    """The two corners, by scikit-learn's own check of arguments."""
    space = problem.space
    ends = np.array([np.zeros(len(space.inputs)), np.ones(len(space.inputs))])
    for setting in space.settings(space.points(ends)):
        model = problem.estimator(setting, 0)
        model = model[-1] if isinstance(model, Pipeline) else model
        model = model.estimator if isinstance(model, OneVsRestClassifier) else model
        given = {name.removeprefix(LOGIT) for name in setting} - {"normalize"}
        assert given <= set(model.get_params())
        model._validate_params()


def test_an_input_on_a_logit_scale_is_given_to_the_model_as_it_is() -> None:
    space = Problem("DT", "diabetes", "mse").space
    low, high = space.settings(space.points(np.array([[0.0] * 6, [1.0] * 6])))
    ends = [Problem("DT", "diabetes", "mse").estimator(one, 0).get_params() for one in (low, high)]
    assert [one["max_features"] for one in ends] == pytest.approx([0.01, 0.99])
    assert [one["min_samples_leaf"] for one in ends] == pytest.approx([0.01, 0.49])
    assert [one["max_depth"] for one in ends] == [1, 15]


def test_normalize_is_a_larger_alpha_on_columns_of_variance_one() -> None:
    """As scikit-learn said when it left the argument out: alpha sqrt(n) after StandardScaler."""
    X, y = load_diabetes(return_X_y=True)
    X = X * np.arange(1, 11)
    setting = {"alpha": 0.2, "fit_intercept": True, "normalize": True, "positive": False}
    problem = Problem("lasso", "diabetes", "mse")
    found = problem.estimator({**setting, "max_iter": 5000, "tol": 1e-8}, 0).fit(X, y).predict(X)
    scaled = StandardScaler().fit_transform(X)
    wanted = Lasso(alpha=0.2 * len(X) ** 0.5, max_iter=5000, tol=1e-8).fit(scaled, y)
    assert found == pytest.approx(wanted.predict(scaled), abs=1e-4)
    plain = problem.estimator({**setting, "fit_intercept": False, "max_iter": 9, "tol": 1e-3}, 0)
    assert isinstance(plain, Lasso)


def test_the_loss_is_that_of_five_folds_of_four_fifths() -> None:
    X, y = load_wine(return_X_y=True)
    X, _, y, _ = train_test_split(X, y, test_size=0.2, random_state=0)
    task = task_of(Problem("SVM", "wine", "acc"), 0)
    point = np.array([[30.0, 5e-4, 1e-3]])
    rates = []
    for train, held in StratifiedKFold(5).split(X, y):
        model = SVC(C=30.0, gamma=5e-4, tol=1e-3).fit(X[train], y[train])
        rates.append((model.predict(X[held]) == y[held]).mean())
    assert task.f(point)[0] == pytest.approx(-np.mean(rates))


def test_a_tree_is_drawn_anew_for_each_setting_and_the_same_for_each_seed() -> None:
    def losses(seed: int) -> np.ndarray:
        task = task_of(Problem("DT", "diabetes", "mae"), seed)
        return task.f(np.repeat(task.space.points(np.full((1, 6), 0.4)), 4, axis=0))

    assert len(set(losses(0))) > 1
    assert (losses(0) == losses(0)).all()


def test_means_of_a_random_search_are_over_all_that_can_be_drawn() -> None:
    """Of 0, .. 199, at most the median: the sum of P(least > k), by counting."""
    n, median = 200, 99.5
    scale = _scores.scale_of(np.random.default_rng(0).permutation(n).astype(float))
    assert (scale.least, scale.median) == (0.0, median)
    for m, mean in zip(_scores.MARKS, scale.means, strict=True):
        after = [comb(n - k - 1, m) / comb(n, m) for k in range(100)]
        assert mean == pytest.approx(sum(after[:99]) + 0.5 * after[99])


def rows_of(method: str, *last: float, problem: str = "p") -> list[dict[str, Any]]:
    """Runs that stay at 4 until the last batch."""
    return [
        {"problem": problem, "method": method, "seed": i, "best": [4.0] * 15 + [x], "seconds": 1.0}
        for i, x in enumerate(last)
    ]


SCALES = [{"problem": "p", "least": 1.0, "median": 3.0, "means": [2.0] * 16}]


def test_a_loss_is_between_the_least_known_and_the_median_of_random_settings() -> None:
    rows = rows_of("a", 2.0, 3.5, 9.0) + rows_of("b", 0.0, 3.0) + rows_of("a", 1.0, problem="new")
    found = _scores.losses_of(rows, [*SCALES, {**SCALES[0], "problem": "new"}])
    assert found.problems == ["p"]  # of the other only one has a run
    assert found.methods == ["b", "a"]  # 0 is the least that is known; the third seed has no pair
    assert found.of_runs[..., -1] == pytest.approx(np.array([[[0, 1]], [[2 / 3, 1]]]))
    assert (found.of_runs[..., 0] == 1).all()
    assert found.of_random == pytest.approx(np.full((1, 16), 2 / 3))


def test_scores_and_wins_are_printed_the_latter_from_20_seeds() -> None:
    better, worse = np.linspace(1, 1.5, 20), np.linspace(2, 2.5, 20)
    rows = rows_of("other", *better) + rows_of(challenge.OURS, *worse)
    text = _scores.written(rows, SCALES)
    assert "| other | 0.0 [0.0, 0.0] | 0.0 [0.0, 0.0] | 87.5 [83.9, 91.1] | 75.0 | 1 |" in text
    assert "| other | +50.0 [+50.0, +50.0] | 1 : 0 |" in text
    few = _scores.written([row for row in rows if row["seed"] < 19], SCALES)
    assert "No verdict" in few
    assert "1 : 0" not in few


def test_runs_are_kept_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box = Space.of([(-1, 1)] * 2)
    sphere = Task("sphere", box, lambda X: (X**2).sum(axis=1), 0.0)
    monkeypatch.setattr(challenge, "task_of", lambda problem, seed: sphere)
    store, problems = tmp_path / "rows.jsonl", list(challenge.PROBLEMS)[:2]
    given = {"first": 0, "seeds": 2, "problems": problems, "methods": ["Random"], "seconds": 60.0}
    challenge.ran(store, argparse.Namespace(**given))
    text, rows = store.read_text(encoding="utf-8"), _rows.read(store)
    assert [(row["seed"], row["problem"]) for row in rows] == [
        (s, p) for s in (0, 1) for p in problems
    ]
    assert all(row["best"] == sorted(row["best"], reverse=True) for row in rows)
    challenge.ran(store, argparse.Namespace(**given))
    assert store.read_text(encoding="utf-8") == text


def test_the_record_has_scales_of_its_problems_and_each_run_once() -> None:
    scales = _rows.read(_scores.RANDOM)
    assert {row["problem"] for row in scales} == set(challenge.PROBLEMS)
    assert all(row["least"] < row["means"][-1] < row["median"] for row in scales)
    rows = _rows.read(_scores.RESULTS / "challenge.jsonl")
    runs = [(row["problem"], row["method"], row["seed"]) for row in rows]
    assert len(set(runs)) == len(runs) > 0
    assert all(len(row["best"]) == _scores.BATCHES for row in rows)
