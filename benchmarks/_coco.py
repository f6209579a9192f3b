"""Functions of COCO's suites as tasks, each instance moved and turned anew.

Hansen et al., COCO: a platform for comparing continuous optimizers, 2021; `coco-experiment`. bbob
has functions 1 to 24 of numbers from -5 to 5; bbob-mixint the same of four whole numbers and one
other in five dimensions; bbob-noisy 101 to 130, with noise that grows with the distance to the
least value, at which there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from cocoex import BareProblem, Suite

from benchmarks._functions import Task
from ucbpe_core.spaces import Integer, Real, Space

SUITES = {
    "bbob": tuple(range(1, 25)),
    "bbob-noisy": tuple(range(101, 131)),
    "bbob-mixint": tuple(range(1, 25)),
}
INSTANCES = 15  # as many as COCO's experiments have


def instance_of(seed: int) -> int:
    """Seeds go through the instances in turn, so that no method can be lucky with one."""
    return 1 + seed % INSTANCES


def bbob(function: int, instance: int, dimension: int = 5) -> Task:
    """A function of the suite, of 24; `least` is the value at its optimum."""
    problem = BareProblem("bbob", function, dimension, instance)
    space = Space.of([(-5, 5)] * dimension)
    return Task(f"bbob f{function}", space, each(problem), float(problem.best_value()))


def task_of(suite: str, function: int, instance: int, dimension: int = 5) -> Task:
    """A function of a suite, by its number there."""
    if suite == "bbob":
        return bbob(function, instance, dimension)
    chosen = Suite(suite, f"instances: {instance}", f"dimensions: {dimension}")
    problem = chosen.get_problem(SUITES[suite].index(function))
    whole, low, high = (
        problem.number_of_integer_variables, problem.lower_bounds, problem.upper_bounds
    )  # fmt: skip
    inputs = [
        Integer(int(low[i]), int(high[i])) if i < whole else Real(float(low[i]), float(high[i]))
        for i in range(dimension)
    ]
    names = tuple(f"x{i + 1}" for i in range(dimension))
    least, space = float(problem(best_of(problem))), Space(tuple(inputs), names)
    # The suite is freed with its last reference, and its problems with it.
    f = each(problem, chosen)
    return Task(f"{suite} f{function}", space, f, least, noisy=not whole)


def each(problem: Any, *kept: Any) -> Callable[[np.ndarray], np.ndarray]:
    """The function of points (n, D); what is kept lives as long."""

    def f(X: np.ndarray, kept: tuple[Any, ...] = kept) -> np.ndarray:
        return np.array([float(problem(x)) for x in X])

    return f


def best_of(problem: Any) -> np.ndarray:
    """Where the least value is, (d,): COCO writes it into a file of the folder it runs in."""
    with TemporaryDirectory() as folder, chdir(folder):
        problem._best_parameter("print")
        return np.loadtxt(Path(folder) / "._bbob_problem_best_parameter.txt")
