"""What `optimise` minimises: test functions, a space of mixed inputs, and a table of candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import qmc

from ucbpe_core.spaces import Category, Integer, Space


@dataclass(frozen=True, eq=False)
class Task:
    """A function of points (n, D) of a space, its least value, and the table, if it is one.

    `noisy` is what a method is told.
    """

    name: str
    space: Space
    f: Callable[[np.ndarray], np.ndarray]
    least: float
    table: np.ndarray | None = None
    noisy: bool = False

    @property
    def initial(self) -> int:
        return 4 * len(self.space.inputs) + 4

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the values over the space."""
        U = qmc.Sobol(len(self.space.inputs), rng=0).random(2**12)
        X = self.space.points(U) if self.table is None else self.table
        return float(self.f(X).std())

    def sobol(self, number: int, seed: int, first: int = 0) -> np.ndarray:
        """So many points of the space from a scrambled Sobol sequence, or different rows."""
        if self.table is not None:
            order = np.random.default_rng([seed, 5]).permutation(len(self.table))
            return self.table[order[first : first + number]]
        sobol = qmc.Sobol(len(self.space.inputs), rng=np.random.default_rng([seed, 3]))
        count = 2 ** int(np.ceil(np.log2(first + number)))
        return self.space.points(sobol.random(count)[first : first + number])


def branin(X):
    x, y = X.T
    bend = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    return bend**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10


_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_A3 = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
_P3 = 1e-4 * np.array(
    [[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381.5, 5743, 8828]]
)
_A6 = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_P6 = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann(X):
    A, P = (_A3, _P3) if X.shape[1] == 3 else (_A6, _P6)
    return -np.exp(-(A * (X[:, None] - P) ** 2).sum(axis=2)) @ _WEIGHTS


def ackley(X):
    root = np.sqrt((X**2).mean(axis=1))
    waves = np.cos(2 * np.pi * X).mean(axis=1)
    return -20 * np.exp(-0.2 * root) - np.exp(waves) + 20 + np.e


def levy(X):
    w = 1 + (X - 1) / 4
    inner = (w[:, :-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:, :-1] + 1) ** 2)
    last = (w[:, -1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[:, -1]) ** 2)
    return np.sin(np.pi * w[:, 0]) ** 2 + inner.sum(axis=1) + last


_MIXED = Space.of(
    {"heat": (0, 1), "share": (0, 1), "parts": Integer(1, 8), "acid": Category(("a", "b", "c"))}
)
_CENTRES = np.array([[0.3, 0.7, 3.0], [0.75, 0.4, 6.0], [0.55, 0.15, 5.0]])
_DEPTHS, _RATIO = np.array([0.8, 1.0, 0.6]), 0.25


def mixed(X):
    """A valley for each category, narrow in the two numbers, with ripples."""
    kind = X[:, 3:].argmax(axis=1)
    apart = X[:, :3] - _CENTRES[kind]
    square = (apart[:, :2] ** 2).sum(axis=1) / _RATIO**2 + apart[:, 2] ** 2 / 9
    ripple = 0.05 * (1 - np.cos(12 * apart[:, :2]).mean(axis=1))
    return -_DEPTHS[kind] * np.exp(-0.5 * square) + ripple


def chemistry() -> Task:
    """A yield, with its sign changed, of 300 recipes: ligand and base by descriptors, heat, time.

    The descriptors of 10 ligands and 5 bases are drawn once; each of the 50 pairs is in the table
    with 6 settings of heat and time.
    """
    rng = np.random.default_rng(7)
    ligands, bases = rng.normal(size=(10, 2)), rng.normal(size=(5, 1))
    rows = [
        [*ligand, *base, *setting]
        for ligand in ligands
        for base in bases
        for setting in np.column_stack([rng.uniform(20, 120, 6), rng.uniform(1, 24, 6)])
    ]
    table = np.array(rows)

    def negative_yield(X):
        bulk, charge, strength, heat, time = X.T
        rate = np.exp(0.8 * charge - 0.5 * (bulk - 0.4) ** 2 + 0.04 * (heat - 70)) * time / 8
        decay = np.exp(-0.5 * ((heat - 85) / 30) ** 2 - 0.3 * (strength - 0.5) ** 2)
        return -100 * (1 - np.exp(-rate)) * decay

    box = np.column_stack([table.min(axis=0), table.max(axis=0)])
    least = float(negative_yield(table).min())
    return Task("Table of 300", Space.of(box), negative_yield, least, table)


def tasks() -> dict[str, Task]:
    """All of them, by name."""
    every = [
        Task("Branin", Space.of([(-5, 10), (0, 15)]), branin, 0.39788735772973816),
        Task("Hartmann-3", Space.of([(0, 1)] * 3), hartmann, -3.86278214782076),
        Task("Hartmann-6", Space.of([(0, 1)] * 6), hartmann, -3.32236801141551),
        Task("Ackley-4", Space.of([(-32.768, 32.768)] * 4), ackley, 0.0),
        Task("Levy-8", Space.of([(-10, 10)] * 8), levy, 0.0),
        Task("Mixed", _MIXED, mixed, -1.0),
        chemistry(),
    ]
    return {task.name: task for task in every}
