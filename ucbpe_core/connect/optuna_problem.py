"""Parameters of Optuna as inputs, and Optuna's objectives as problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.inputs import Integer, Real
from ucbpe_core.problems import from_callable
from ucbpe_core.space import Space

optional("optuna", "optuna")  # says what to install

from optuna.distributions import (  # noqa: E402
    BaseDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FixedTrial  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ucbpe_core.problems import Problem
    from ucbpe_core.validation import Floats


def space_of(distributions: Mapping[str, Any]) -> Space:
    """The space of numbers with these distributions.

    Examples
    --------
    >>> from optuna.distributions import FloatDistribution
    >>> from ucbpe_core.connect.optuna_problem import space_of
    >>> space_of({"rate": FloatDistribution(0.01, 1.0, log=True)}).box.tolist()
    [[-2.0, 0.0]]
    """
    inputs = tuple(
        (Integer if isinstance(distribution, IntDistribution) else Real)(
            distribution.low, distribution.high, distribution.log, distribution.step
        )
        for distribution in distributions.values()
    )
    return Space(inputs, tuple(distributions))


def problem_from_optuna(
    objective: Callable[[Any], float],
    distributions: Mapping[str, BaseDistribution],
    **options: Any,
) -> Problem:
    """An objective of Optuna over a grid or a design of its numbers, as a problem.

    It is called once for each candidate with a `FixedTrial`. An input on a log scale is its base-10
    logarithm, and its name says so.

    Parameters
    ----------
    objective : takes a trial and returns the value
    distributions : of its numeric parameters, by name; it may have no others
    options : as for `problems.from_callable`: size, noise_variance, gp, name, axes, seed, and
        direction, which is "minimize" by default

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
    space = space_of(distributions)

    def f(x: Floats) -> float:
        return float(objective(FixedTrial(space.settings(space.points(space.unit(x[None])))[0])))

    axes = tuple(
        f"log10 {name}" if distribution.log else name
        for name, distribution in distributions.items()
    )
    name = getattr(objective, "__name__", "objective")
    defaults = {"name": name, "axes": (*axes, "objective"), "direction": "minimize"}
    return from_callable(f, space.box, **{**defaults, **options})
