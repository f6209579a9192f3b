"""Parameters of Optuna as coordinates, and Optuna's objectives as problems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.problems import from_callable
from ucbpe_core.validation import sign_of

optional("optuna", "optuna")  # says what to install

from optuna.distributions import (  # noqa: E402
    BaseDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FixedTrial  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ucbpe_core.problems import Problem
    from ucbpe_core.validation import Direction, Floats


@dataclass(frozen=True)
class Space:
    """Numbers with their distributions, as coordinates of the unit cube.

    Examples
    --------
    >>> from optuna.distributions import FloatDistribution
    >>> from ucbpe_core.connect.optuna_space import Space
    >>> Space({"rate": FloatDistribution(0.01, 1.0, log=True)}).to_unit([{"rate": 0.1}]).round(3)
    array([[0.5]])
    """

    distributions: Mapping[str, Any]

    def to_unit(self, params: Sequence[Mapping[str, float]]) -> Floats:
        """Parameters of n trials as points (n, d)."""
        rows = [
            [
                _to_unit(distribution, params[name])
                for name, distribution in self.distributions.items()
            ]
            for params in params
        ]
        return np.array(rows, dtype=float).reshape(len(rows), len(self.distributions))

    def snap(self, U: Floats) -> Floats:
        """Points (n, d) where the steps of their distributions put them."""
        columns = [
            _to_unit(distribution, _value(distribution, u)) if distribution.step is not None else u
            for distribution, u in zip(self.distributions.values(), U.T, strict=True)
        ]
        return np.stack(columns, axis=1)

    def from_unit(self, U: Floats) -> list[dict[str, Any]]:
        """Points (n, d) as the parameters of n trials."""
        return [
            {
                name: _from_unit(distribution, u)
                for (name, distribution), u in zip(self.distributions.items(), row, strict=True)
            }
            for row in U.tolist()
        ]


def problem_from_optuna(
    objective: Callable[[Any], float],
    distributions: Mapping[str, BaseDistribution],
    *,
    direction: Direction = "minimize",
    **options: Any,
) -> Problem:
    """An objective of Optuna over a grid or a design of its numbers, as a problem.

    It is called once for each candidate with a `FixedTrial`. An input on a log scale is its base-10
    logarithm, and its name says so.

    Parameters
    ----------
    objective : takes a trial and returns the value
    distributions : of its numeric parameters, by name; it may have no others
    direction : of the study
    options : as for `problems.from_callable`: size, noise_variance, gp, name, seed

    Raises
    ------
    InputError
        For a categorical distribution, no distributions, or a value that is not a number.

    Examples
    --------
    >>> from optuna.distributions import FloatDistribution, IntDistribution
    >>> from ucbpe_core.connect.optuna import problem_from_optuna
    >>> def objective(trial):
    ...     rate = trial.suggest_float("rate", 0.01, 1.0, log=True)
    ...     return trial.suggest_int("depth", 1, 8) + rate
    >>> space = {"rate": FloatDistribution(0.01, 1.0, log=True), "depth": IntDistribution(1, 8)}
    >>> problem = problem_from_optuna(objective, space, size=8)
    >>> problem.axes, round(problem.optimum, 3)
    (('log10 rate', 'depth', 'objective'), 1.01)
    """
    for name, distribution in distributions.items():
        if not isinstance(distribution, FloatDistribution | IntDistribution):
            got = f"{name} of {type(distribution).__name__}"
            raise InputError("distributions of numbers", got, "fix that parameter in the objective")
    if not distributions:
        raise InputError("at least one distribution", "none", "name the objective's numbers")
    space = Space(distributions)
    scales = [_ends(distribution) for distribution in distributions.values()]
    bounds = np.array([[low, high] for low, high in scales]) / [
        [np.log(10.0) if distribution.log else 1.0] for distribution in space.distributions.values()
    ]

    def f(x: Floats) -> float:
        unit = (x - bounds[:, 0]) / (bounds[:, 1] - bounds[:, 0])
        return float(objective(FixedTrial(space.from_unit(unit[None])[0])))

    axes = tuple(
        f"log10 {name}" if distribution.log else name
        for name, distribution in space.distributions.items()
    )
    defaults = {"name": getattr(objective, "__name__", "objective"), "axes": (*axes, "objective")}
    made = from_callable(f, bounds, **{**defaults, **options})
    best = sign_of(direction) * made.values
    unique = bool(np.count_nonzero(best == best.max()) == 1)
    return replace(made, direction=direction, unique=unique)


def _ends(distribution: Any) -> tuple[float, float]:
    """Low and high on the scale that is searched."""
    low, high = float(distribution.low), float(distribution.high)
    return (float(np.log(low)), float(np.log(high))) if distribution.log else (low, high)


def _to_unit(distribution: Any, value: Any) -> Any:
    low, high = _ends(distribution)
    return ((np.log(value) if distribution.log else value) - low) / (high - low)


def _value(distribution: Any, u: Any) -> Any:
    """The value on the scale of the distribution, rounded to its steps."""
    low, high = _ends(distribution)
    value = low + u * (high - low)
    value = np.exp(value) if distribution.log else value
    if distribution.step is not None:
        value = distribution.low + distribution.step * np.round(
            (value - distribution.low) / distribution.step
        )
    return np.clip(value, distribution.low, distribution.high)


def _from_unit(distribution: Any, u: float) -> float | int:
    value = _value(distribution, u)
    return int(value) if isinstance(distribution, IntDistribution) else float(value)
