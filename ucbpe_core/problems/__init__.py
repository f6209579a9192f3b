"""What is maximised: one file per problem, one line per problem in `PROBLEMS`.

`PROBLEMS` maps a name to a factory whose arguments all have defaults; those of random problems,
named in `SEEDED`, take a `seed`.
"""

from collections.abc import Callable
from inspect import signature

from ucbpe_core.problems.abalone import abalone
from ucbpe_core.problems.base import Problem
from ucbpe_core.problems.custom import from_callable, from_table
from ucbpe_core.problems.figure1 import figure1
from ucbpe_core.problems.gaussian_mixture import gaussian_mixture
from ucbpe_core.problems.generated_gp import generated_gp, generated_gp_1d
from ucbpe_core.problems.himmelblau import himmelblau
from ucbpe_core.problems.mackey_glass import mackey_glass
from ucbpe_core.problems.multimodal import multimodal
from ucbpe_core.problems.thin_peak import thin_peak
from ucbpe_core.problems.tsunami import tsunami

PROBLEMS: dict[str, Callable[..., Problem]] = {
    "figure1": figure1,
    "generated_gp_1d": generated_gp_1d,
    "multimodal": multimodal,
    "thin_peak": thin_peak,
    "generated_gp": generated_gp,
    "gaussian_mixture": gaussian_mixture,
    "himmelblau": himmelblau,
    "mackey_glass": mackey_glass,
    "tsunami": tsunami,
    "abalone": abalone,
}
SEEDED = frozenset(
    name for name, factory in PROBLEMS.items() if "seed" in signature(factory).parameters
)

__all__ = [
    "PROBLEMS",
    "SEEDED",
    "Problem",
    "abalone",
    "figure1",
    "from_callable",
    "from_table",
    "gaussian_mixture",
    "generated_gp",
    "generated_gp_1d",
    "himmelblau",
    "mackey_glass",
    "multimodal",
    "thin_peak",
    "tsunami",
]
