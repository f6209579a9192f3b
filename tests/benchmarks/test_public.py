"""Runs of the public benchmark: marks, batches, resuming, and one of its cells."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import _rows, public
from benchmarks._functions import Task
from ucbpe_core.spaces import Space

BOX = Space.of([(-5, 5)] * 2)


def sphere(least: float = 3.0) -> Task:
    return Task("sphere", BOX, lambda X: (X**2).sum(axis=1) + least, least)


def given(**changed: object) -> argparse.Namespace:
    asked = {
        "suite": "bbob",
        "first": 0,
        "seeds": 2,
        "methods": ["Sobol", "Optuna TPE"],
        "batches": [5, 10],
    }
    return argparse.Namespace(**{**asked, "functions": [1], "seconds": float("inf"), **changed})


@pytest.mark.parametrize(
    ("first", "K", "wanted"),
    [(24, 5, 25), (24, 10, 20), (24, 50, 50), (10, 5, 10), (12, 5, 10), (25, 10, 30), (1, 10, 10)],
)
def test_first_points_are_the_nearest_whole_batches(first: int, K: int, wanted: int) -> None:
    assert public.whole_batches(first, K) == wanted


@pytest.mark.parametrize("K", public.BATCHES)
def test_a_run_asks_for_whole_batches_and_keeps_the_best_at_the_marks(K: int) -> None:
    """A method whose point n is 1 / n from the least, but for each 25th, which is far away."""
    asked = []

    def maker(task: Task, seed: int, noisy: bool):
        def ask(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
            assert len(X) == len(y)
            assert (y == task.f(X)).all()
            asked.append((len(X), k))
            numbers = np.arange(len(X), len(X) + k) + 1
            far = np.where(numbers % 25 == 0, 4.0, 1 / numbers)
            return np.column_stack([far, np.zeros(k)])

        return ask

    run = public.played(sphere(), maker, 10, K, seed=0)
    first = public.whole_batches(10, K)
    assert asked == [(n, K) for n in range(first, 100, K)]
    later = [mark for mark in public.MARKS if mark > first]
    assert run.gaps[-len(later) :] == pytest.approx([1 / (n - 1) ** 2 for n in later])
    assert run.seconds >= 0


def test_seeds_are_the_outer_loop_and_what_is_kept_is_skipped(tmp_path: Path) -> None:
    store, ran = tmp_path / "rows.jsonl", []

    def run(*cell: object) -> dict[str, object]:
        ran.append(cell)
        return {"gaps": []}

    kept = {"suite": "bbob", "seed": 0, "method": "Sobol", "batch": 5, "function": 1}
    _rows.keep(store, kept)
    _rows.keep(store, {**kept, "suite": "bbob-mixint", "batch": 10})
    public.each(store, given(), run)
    public.each(store, given(), run)
    assert [seed for seed, *_ in ran] == [0] * 3 + [1] * 4
    assert ran[0] == (0, "Sobol", 10, 1)
    found = _rows.read(store)
    assert {**kept, "batch": 10, "gaps": []}.items() <= found[2].items()
    assert len(found) == 2 + len(ran)


def test_rows_are_lines_with_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    store = tmp_path / "new" / "rows.jsonl"
    _rows.keep(store, {"seed": 0})
    _rows.keep(store, {"seed": 1})
    assert _rows.read(store) == [{"seed": 0, "threads": 1}, {"seed": 1, "threads": 1}]


def test_a_cheap_cell_is_run_once_and_resumed(tmp_path: Path) -> None:
    pytest.importorskip("cocoex", reason="coco-experiment, of the extra bench, is not installed")
    store = tmp_path / "rows.jsonl"
    public.ran(store, given(seeds=1, methods=["Sobol"], batches=[50], functions=[1, 8]))
    rows = _rows.read(store)
    assert [row["function"] for row in rows] == [1, 8]
    assert all(row["gaps"] == sorted(row["gaps"], reverse=True) for row in rows)
    text = store.read_text(encoding="utf-8")
    public.ran(store, given(seeds=1, methods=["Sobol"], batches=[50], functions=[1, 8]))
    assert store.read_text(encoding="utf-8") == text
    public.ran(store, given(seeds=2, methods=["Sobol"], batches=[50], functions=[1], seconds=-1.0))
    assert store.read_text(encoding="utf-8") == text


def test_rows_that_are_in_the_record_have_what_a_run_has() -> None:
    store = public.ROOT / "benchmarks" / "results" / "public.jsonl"
    rows = [json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()]
    wanted = {
        "suite", "function", "instance", "batch", "method", "seed", "gaps", "seconds", "threads",
        "versions",
    }  # fmt: skip
    assert all(set(row) == wanted and len(row["gaps"]) == len(public.MARKS) for row in rows)
    names = ("suite", "function", "batch", "method", "seed")
    runs = [tuple(row[name] for name in names) for row in rows]
    assert len(set(runs)) == len(runs) > 0


def test_bbob_is_that_of_coco_with_its_least_value() -> None:
    """The sphere, f1: a square of the distance to the optimum, so that its value there is least."""
    pytest.importorskip("cocoex", reason="coco-experiment, of the extra bench, is not installed")
    from benchmarks._coco import bbob

    task = bbob(1, 3)
    X = task.sobol(8, 0)
    step = 0.5 * np.eye(5)
    # f(x + h e) - f(x) = 2 h (x - x*) + h^2 names the optimum.
    slopes = (task.f(X[0] + step) - task.f(X[:1]) - 0.25) / 1.0
    optimum = X[0] - slopes
    assert task.f(optimum[None])[0] == pytest.approx(task.least, abs=1e-9)


@pytest.mark.parametrize(("suite", "function"), [("bbob-mixint", 3), ("bbob-noisy", 101)])
def test_other_suites_have_their_least_value_at_the_optimum_of_coco(
    suite: str, function: int
) -> None:
    """No point is below it; whole numbers are whole; with noise, two values differ."""
    pytest.importorskip("cocoex", reason="coco-experiment, of the extra bench, is not installed")
    from benchmarks._coco import task_of

    task = task_of(suite, function, 2)
    X = task.sobol(64, 0)
    y, again = task.f(X), task.f(X)
    assert (y > task.least).all()
    assert (not np.array_equal(y, again)) is task.noisy is (suite == "bbob-noisy")
    assert bool((X[:, :4] == X[:, :4].round()).all()) is (suite == "bbob-mixint")
