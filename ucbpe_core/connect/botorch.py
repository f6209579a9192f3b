"""Test functions of BoTorch as problems, and problems as functions of tensors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.problems import from_callable

torch = optional("torch", "botorch")

if TYPE_CHECKING:
    from ucbpe_core.problems import Problem
    from ucbpe_core.validation import Floats


def problem_from_botorch(function: Any, *, size: int | None = None, **options: Any) -> Problem:
    """A test function of BoTorch as a problem, over its own bounds.

    The problem seeks the function's optimum: its minimum, or with ``negate=True`` its maximum.
    Noise that the function adds (`noise_std`) becomes that of the measurements; f itself has none.

    Parameters
    ----------
    function : a `SyntheticTestFunction` of one objective
    size, options : as for `problems.from_callable`

    Raises
    ------
    InputError
        For constraints or several objectives.

    Examples
    --------
    >>> from botorch.test_functions import Branin
    >>> from ucbpe_core.connect.botorch import problem_from_botorch
    >>> problem = problem_from_botorch(Branin(), size=31)
    >>> problem.candidates.shape, problem.direction
    ((961, 2), 'minimize')
    """
    if getattr(function, "num_objectives", 1) != 1 or hasattr(function, "num_constraints"):
        got = type(function).__name__
        raise InputError("one objective without constraints", got, "take another test function")
    noise = float(function.noise_std or 0.0) ** 2
    sign = -1.0 if function.negate else 1.0

    def f(x: Floats) -> float:
        return sign * function.evaluate_true(_tensor(x)[None]).item()

    name = type(function).__name__
    direction = "maximize" if function.negate else "minimize"
    given = {"noise_variance": noise, "name": name, **options, "direction": direction}
    made = from_callable(f, function.bounds.numpy().T.astype(float), size=size, **given)
    return replace(made, unique=False, citation=f"BoTorch's {name}")


def objective_for_botorch(problem: Problem) -> Any:
    """The true f of a problem as a function of a tensor (n, d) of its candidates, to one (n,).

    Raises
    ------
    InputError
        When the returned function is called at a point that is not a candidate.

    Examples
    --------
    >>> import torch
    >>> from ucbpe_core import problems
    >>> from ucbpe_core.connect.botorch import objective_for_botorch
    >>> problem = problems.himmelblau()
    >>> f = objective_for_botorch(problem)
    >>> f(torch.as_tensor(problem.candidates[:5].copy())).shape
    torch.Size([5])
    """
    place = {x.tobytes(): j for j, x in reversed(list(enumerate(problem.candidates)))}

    def f(X: Any) -> Any:
        rows = np.ascontiguousarray(X.detach().cpu().numpy(), dtype=float)
        flat = rows.reshape(-1, problem.dimension)
        found = [place.get(x.tobytes(), -1) for x in flat]
        if -1 in found:
            x = flat[found.index(-1)].tolist()
            raise InputError("candidates of the problem", str(x), "round to the nearest candidate")
        return _tensor(problem.values[found].reshape(rows.shape[:-1]))

    return f


def _tensor(array: Floats) -> Any:
    return torch.tensor(np.asarray(array), dtype=torch.double)
