"""Functions to maximise, one line each in `PROBLEMS`.

`PROBLEMS` maps a name to a factory whose arguments all have defaults; that of a random problem
(`is_random`) takes a `seed`.
"""

from collections.abc import Callable
from inspect import signature

from ucbpe_core.problems.abalone import abalone
from ucbpe_core.problems.base import Problem, from_callable, from_table
from ucbpe_core.problems.simulated import mackey_glass, tsunami
from ucbpe_core.problems.synthetic import (
    figure1,
    gaussian_mixture,
    generated_gp,
    generated_gp_1d,
    himmelblau,
    multimodal,
    printed_figure1,
    thin_peak,
)
from ucbpe_core.support.plugins import Registry, register

PROBLEMS: Registry[Callable[..., Problem]] = Registry("problem", "ucbpe.problems")
register("figure1", figure1)
register("generated_gp_1d", generated_gp_1d)
register("multimodal", multimodal)
register("thin_peak", thin_peak)
register("generated_gp", generated_gp)
register("gaussian_mixture", gaussian_mixture)
register("himmelblau", himmelblau)
register("mackey_glass", mackey_glass)
register("tsunami", tsunami)
register("abalone", abalone)


def is_random(name: str) -> bool:
    """Whether the factory of that name in `PROBLEMS` takes a `seed`.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> [name for name in ("himmelblau", "generated_gp") if problems.is_random(name)]
    ['generated_gp']
    """
    return "seed" in signature(PROBLEMS.find(name)).parameters


__all__ = [
    "PROBLEMS",
    "Problem",
    "abalone",
    "figure1",
    "from_callable",
    "from_table",
    "gaussian_mixture",
    "generated_gp",
    "generated_gp_1d",
    "himmelblau",
    "is_random",
    "mackey_glass",
    "multimodal",
    "printed_figure1",
    "thin_peak",
    "tsunami",
]
