"""Tables of settings of scikit-learn's models with their errors, and how they were made.

`tables --make` evaluates what is not in `benchmarks/tables`: a quarter of an hour of one core for
all 16. A table is a CSV file with a row for each setting of a grid and its error.

The error of a setting is the mean, over random halves of the data, of the error of a model fitted
to one half on the other: the share of wrong classes, or 1 - R^2 for diabetes. The halves and the
seeds of the models are the same for all settings. Inputs are standardised; of the 1,797 digits
every third is used.
"""

from __future__ import annotations

import csv
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks._functions import Task
from ucbpe_core.spaces import Category, Integer, Space

FOLDER = Path(__file__).parent / "tables"
ERROR = "error"
HALVES = {"digits": 2, "wine": 4, "breast_cancer": 3, "diabetes": 3}  # how many, by data
WORST = 2.0  # of 1 - R^2: a model that diverges is as bad
Setting = dict[str, Any]


def powers(base: float, first: int, last: int) -> list[float]:
    """Powers of a base from `first` to `last`, evenly spaced by their logarithm."""
    return [float(f"{base**i:.3g}") for i in range(first, last + 1)]


HALF_DECADE = 10**0.5
DEPTHS = [2, 3, 4, 6, 8, 11, 16]  # by a root of 2
GRIDS: dict[str, dict[str, list[Any]]] = {
    "svm": {
        "C": powers(HALF_DECADE, -4, 8),
        "gamma": powers(HALF_DECADE, -10, 0),
        "kernel": ["rbf", "poly", "sigmoid"],
    },
    "forest": {
        "max_depth": DEPTHS,
        "max_features": [0.2, 0.4, 0.6, 0.8, 1.0],
        "min_samples_leaf": [1, 2, 4, 8, 16],
        "bootstrap": ["yes", "no"],
    },
    "boosting": {
        "learning_rate": powers(10**0.25, -7, 0),
        "n_estimators": [2, 4, 8, 16, 32],
        "max_depth": [1, 2, 3, 4],
        "subsample": [0.5, 0.75, 1.0],
    },
    "mlp": {
        "units": [4, 8, 16, 32, 64],
        "alpha": powers(10, -4, 0),
        "learning_rate_init": powers(HALF_DECADE, -7, -1),
        "activation": ["relu", "tanh"],
    },
}
# Of a support vector machine for numbers, where the width of the tube matters and the kernel less.
TUBE = {
    "C": powers(HALF_DECADE, -4, 6),
    "gamma": powers(HALF_DECADE, -8, 0),
    "epsilon": [0.02, 0.05, 0.125, 0.3, 0.75],
}
NAMES = tuple(f"{data}-{model}" for data, model in product(HALVES, GRIDS))


def grid(name: str) -> dict[str, list[Any]]:
    """The values of each setting of a table: evenly spaced, or nearly so by their logarithm."""
    return TUBE if name == "diabetes-svm" else GRIDS[name.split("-")[1]]


def settings(name: str) -> list[Setting]:
    """All rows of a table, in order."""
    values = grid(name)
    return [dict(zip(values, row, strict=True)) for row in product(*values.values())]


def model(name: str, setting: Setting) -> Any:
    """A model of scikit-learn with a setting, of a classifier or for numbers."""
    from sklearn import ensemble, neural_network, svm

    data, kind = name.split("-")
    classes = data != "diabetes"
    if kind == "svm":
        made = svm.SVC if classes else svm.SVR
        return made(**setting, max_iter=20_000)
    if kind == "forest":
        made = ensemble.RandomForestClassifier if classes else ensemble.RandomForestRegressor
        setting = {**setting, "bootstrap": setting["bootstrap"] == "yes"}
        return made(n_estimators=15, random_state=0, **setting)
    if kind == "boosting":
        boosting = ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor
        return boosting[not classes](random_state=0, max_features="sqrt", **setting)
    made = neural_network.MLPClassifier if classes else neural_network.MLPRegressor
    setting = dict(setting)
    units = (setting.pop("units"),)
    return made(hidden_layer_sizes=units, max_iter=20, batch_size=64, random_state=0, **setting)


class Half(NamedTuple):
    """Inputs (n, d), standardised, and outputs (n,) that are fitted to, and those left out."""

    X: np.ndarray
    y: np.ndarray
    X_out: np.ndarray
    y_out: np.ndarray


@cache
def halves(data: str) -> list[Half]:
    """Random halves of a data set, each class in both; numbers have variance 1."""
    from sklearn import datasets, model_selection

    X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    if data == "digits":
        X, y = X[::3], y[::3]
    if data == "diabetes":
        y, kind = (y - y.mean()) / y.std(), model_selection.ShuffleSplit
    else:
        kind = model_selection.StratifiedShuffleSplit
    found = []
    for one, other in kind(HALVES[data], train_size=0.5, random_state=0).split(X, y):
        scale = np.where(X[one].std(axis=0) > 0, X[one].std(axis=0), 1.0)
        Z = (X - X[one].mean(axis=0)) / scale
        found.append(Half(Z[one], y[one], Z[other], y[other]))
    return found


def wrong(predicted: np.ndarray, y: np.ndarray, data: str) -> float:
    """The share of wrong classes, or 1 - R^2."""
    if data != "diabetes":
        return float(np.mean(predicted != y))
    return min(float(np.mean((predicted - y) ** 2) / y.var()), WORST)


def error(name: str, setting: Setting) -> float:
    """The error of a setting, evaluated."""
    data = name.split("-")[0]
    parts = [
        wrong(model(name, setting).fit(half.X, half.y).predict(half.X_out), half.y_out, data)
        for half in halves(data)
    ]
    return float(np.mean(parts))


def make(name: str) -> None:
    """Evaluate all settings of a table and write its file."""
    rows = settings(name)
    errors = [error(name, setting) for setting in rows]
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*rows[0], ERROR])
        for setting, value in zip(rows, errors, strict=True):
            writer.writerow([*setting.values(), f"{value:.6g}"])


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of the file of a table."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def errors_of(name: str) -> np.ndarray:
    """The errors (M,) of all settings of a table."""
    return np.array([float(row[ERROR]) for row in rows_of(name)])


def task_of(name: str) -> Task:
    """A table as a task: points have the places of values in their lists, and categories columns.

    Values are errors less the least, as a share of their range.
    """
    inputs: dict[str, Category | Integer] = {}
    columns: dict[str, list[Any]] = {}
    rows = rows_of(name)
    for key, given in grid(name).items():
        columns[key] = [row[key] for row in rows]
        if isinstance(given[0], str):
            inputs[key] = Category(tuple(given))
        else:
            values = list(dict.fromkeys(columns[key]))
            columns[key] = [values.index(value) for value in columns[key]]
            inputs[key] = Integer(0, len(values) - 1)
    space = Space.of(inputs)
    settings = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    table = space.read(settings)
    errors = errors_of(name)
    shares = (errors - errors.min()) / np.ptp(errors)
    found = dict(zip(map(tuple, table.tolist()), shares.tolist(), strict=True))

    def f(X: np.ndarray) -> np.ndarray:
        return np.array([found[tuple(x)] for x in X.tolist()])

    return Task(name, space, f, 0.0, table)
