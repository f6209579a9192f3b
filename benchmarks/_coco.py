"""Functions of COCO's suite bbob as tasks: cubes [-5, 5]^d, each instance moved and turned anew.

Hansen et al., COCO: a platform for comparing continuous optimizers, 2021; `coco-experiment`.
"""

from __future__ import annotations

import numpy as np
from cocoex import BareProblem

from benchmarks._functions import Task
from ucbpe_core.spaces import Space

BBOB = tuple(range(1, 25))
INSTANCES = 15  # as many as COCO's experiments have


def instance_of(seed: int) -> int:
    """Seeds go through the instances in turn, so that no method can be lucky with one."""
    return 1 + seed % INSTANCES


def bbob(function: int, instance: int, dimension: int = 5) -> Task:
    """A function of the suite, of 24; `least` is the value at its optimum."""
    problem = BareProblem("bbob", function, dimension, instance)

    def f(X: np.ndarray) -> np.ndarray:
        return np.array([problem(x) for x in X])

    space = Space.of([(-5, 5)] * dimension)
    return Task(f"bbob f{function}", space, f, float(problem.best_value()))
