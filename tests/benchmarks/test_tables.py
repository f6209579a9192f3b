"""Tables of settings: their files, the tasks over them, what methods choose, and the record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import _grids, _rows, public, tables
from ucbpe_core import Experiment
from ucbpe_core.search.experiment import Plan, Table

K = tables.K
WITHOUT_TORCH = [name for name, rival in tables.RIVALS.items() if "torch" not in rival.packages]


@pytest.mark.parametrize("name", _grids.NAMES)
def test_a_file_has_each_setting_of_its_grid_once(name: str) -> None:
    rows = _grids.rows_of(name)
    wanted = [{key: str(value) for key, value in one.items()} for one in _grids.settings(name)]
    assert [{key: row[key] for key in wanted[0]} for row in rows] == wanted
    assert 300 <= len(rows) <= 2000
    assert len({tuple(row.values()) for row in wanted}) == len(rows)


def test_all_files_are_small() -> None:
    assert sum(file.stat().st_size for file in _grids.FOLDER.iterdir()) < 1e6
    assert {file.stem for file in _grids.FOLDER.iterdir()} == set(_grids.NAMES)


@pytest.mark.parametrize("name", ["wine-svm", "wine-forest", "diabetes-svm", "diabetes-boosting"])
def test_a_row_evaluated_anew_has_its_error(name: str) -> None:
    """Another version of scikit-learn can round otherwise: a case of a class more or less."""
    errors, every = _grids.errors_of(name), _grids.settings(name)
    for i in (0, 3 * len(every) // 4):
        assert _grids.error(name, every[i]) == pytest.approx(errors[i], abs=0.01)


def test_the_error_of_a_classifier_is_its_share_of_wrong_cases() -> None:
    """A machine of no width takes all of wine for the commonest class: 71 of 178 are of it."""
    found = _grids.error("wine-svm", {"C": 0.01, "gamma": 1e-5, "kernel": "rbf"})
    assert found == pytest.approx(1 - 35 / 89, abs=0.012)  # 35 or 36 of 89 in each half


def test_the_error_for_numbers_is_one_for_their_mean() -> None:
    y = np.random.default_rng(0).normal(size=40)
    assert _grids.wrong(np.full(40, y.mean()), y, "diabetes") == pytest.approx(1)
    assert _grids.wrong(y, y, "diabetes") == 0
    assert _grids.wrong(1e6 * y, y, "diabetes") == _grids.WORST


@pytest.mark.parametrize("name", _grids.NAMES)
def test_a_task_is_the_table_in_shares_of_its_range(name: str) -> None:
    task, errors = _grids.task_of(name), _grids.errors_of(name)
    assert task.table is not None
    found = task.f(task.table)
    assert found.min() == task.least == 0
    assert found.max() == 1
    assert found * np.ptp(errors) + errors.min() == pytest.approx(errors)
    assert len(np.unique(task.table, axis=0)) == len(errors)


def test_places_are_those_in_the_lists() -> None:
    task, every = _grids.task_of("digits-forest"), _grids.settings("digits-forest")
    lists, settings = _grids.grid("digits-forest"), task.space.settings(task.table)
    for given, wanted in zip(settings, every, strict=True):
        for key, values in lists.items():
            at = given[key]
            assert (at if isinstance(at, str) else values[at]) == wanted[key]


@pytest.mark.parametrize("method", WITHOUT_TORCH)
def test_a_method_chooses_rows_and_ours_and_random_none_twice(method: str) -> None:
    task = _grids.task_of("wine-svm")
    X = task.sobol(10, 3)
    ask = tables.RIVALS[method].maker(task, 3, False)
    for _ in range(2):
        X = np.concatenate([X, ask(X, task.f(X), K)])  # f knows rows alone
    assert len(X) == 10 + 2 * K
    if method in ("Random", "GP-UCB-PE, beta = 4"):
        assert len(np.unique(X, axis=0)) == len(X)


def test_ours_chooses_as_an_experiment_over_the_same_list() -> None:
    """Told the same rows; two batches."""
    task = _grids.task_of("diabetes-svm")
    plan = Plan.recommended(task.table, K, "minimize")
    experiment = Experiment(Table(("C", "gamma", "epsilon"), task.table), plan)
    X, ask = task.sobol(10, 0), tables.RIVALS[tables.OURS].maker(task, 0, False)
    experiment.tell([int(np.flatnonzero((task.table == x).all(axis=1))[0]) for x in X], task.f(X))
    for _ in range(2):
        chosen, decision = ask(X, task.f(X), K), experiment.ask()
        assert chosen == pytest.approx(decision.points)
        experiment.tell(decision.indices, task.f(decision.points))
        X = np.concatenate([X, chosen])


def test_a_run_is_kept_and_not_run_again(tmp_path: Path) -> None:
    store = tmp_path / "rows.jsonl"
    options = ["--store", str(store), "--methods", "Random", "--functions", "wine-svm"]
    given = public.options("", "tables.jsonl", tables.RIVALS, tables.SHORT).parse_args(options)
    public.each(store, given, tables.run)
    public.each(store, given, tables.run)
    (row,) = _rows.read(store)
    assert row["gaps"] == sorted(row["gaps"], reverse=True)
    assert (row["function"], row["batch"], row["seed"]) == ("wine-svm", K, 0)


def row(method: str, seed: int, gaps: list[float], table: str = "wine-svm") -> dict[str, Any]:
    found = {"function": table, "batch": K, "method": method, "seed": seed, "gaps": gaps}
    return {**found, "seconds": 0.5}


def test_the_record_prints_losses_like_wins() -> None:
    rows = [row("Recommended", i, [0.5, 0.4, 0.3, 0.2]) for i in range(20)]
    rows += [row("Random", i, [0.5, 0.4, 0.1, 0.0]) for i in range(20)]
    text = tables.written(rows)
    assert "| Recommended | 0 : 0 | 0 : 1 |" in text
    assert "| Random | 1.5 (0%) | 1.5 (0%) | 1.0 (0%) | 1.0 (100%) |" in text
    assert "| wine-svm | **0** [0, 0] | 20 [20, 20] |" in text
    assert "No verdict" in tables.written(rows[:19] + rows[20:])
    others = [row("Optuna TPE", i, [0.5, 0.4, 0.2, 0.1]) for i in range(2)]
    both = tables.written(rows + others)
    assert text.rpartition("| seconds a batch")[0] in both
    assert "No verdict" in both.split("## 3 methods")[1]
    more = [*rows, row("Random", 0, [0.0] * 4, "digits-svm")]  # where the other was not run
    assert tables.written(more) == text


def test_rows_that_are_in_the_record_have_what_a_run_has() -> None:
    rows = _rows.read(tables.DOCUMENT.with_suffix(".jsonl"))
    wanted = {
        "suite", "function", "batch", "method", "seed", "gaps", "seconds", "threads", "versions",
    }  # fmt: skip
    assert all(set(row) == wanted and len(row["gaps"]) == len(tables.MARKS) for row in rows)
    assert {row["function"] for row in rows} <= set(_grids.NAMES)
    assert {row["method"] for row in rows} <= set(tables.RIVALS)
    runs = [(row["function"], row["method"], row["seed"]) for row in rows]
    assert len(set(runs)) == len(runs) > 0
