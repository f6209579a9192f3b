"""Problems as tables of pandas, both ways, with names and units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.problems import from_table
from ucbpe_core.validation import numeric

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ucbpe_core.problems import Problem
    from ucbpe_core.validation import Floats


def problem_from_frame(
    frame: pd.DataFrame, output: str, inputs: Sequence[str] | None = None, **options: Any
) -> Problem:
    """A problem whose candidates are the rows of a table; columns are its axes.

    Parameters
    ----------
    output : the column of f
    inputs : the columns of x, in order; default: all other numeric columns
    options : as of `problems.from_table`

    Raises
    ------
    InputError
        For a column that is missing or there twice, or that has text, dates, durations or complex
        numbers, and as `from_table`.

    Examples
    --------
    >>> import pandas as pd
    >>> from ucbpe_core.connect.pandas import problem_from_frame
    >>> frame = pd.DataFrame({"time (min)": [5, 10, 15], "yield (%)": [60.0, 71.5, 64.0]})
    >>> problem_from_frame(frame, "yield (%)", noise_variance=0.25).optimum
    71.5
    """
    if not hasattr(frame, "select_dtypes"):
        remedy = "pass one, or arrays to from_table"
        raise InputError("a DataFrame of pandas", type(frame).__name__, remedy)
    if inputs is None:
        inputs = [name for name in frame.select_dtypes("number").columns if name != output]
    missing = [name for name in (*inputs, output) if name not in frame.columns]
    if missing or not inputs:
        columns = ", ".join(map(str, frame.columns))
        raise InputError(f"columns among {columns}", ", ".join(missing) or "no inputs", "name them")
    axes = tuple(map(str, (*inputs, output)))
    *x, y = (_numbers(frame, name) for name in (*inputs, output))
    return from_table(np.stack(x, axis=1), y, axes=axes, **options)


def frame_of(problem: Problem) -> pd.DataFrame:
    """Candidates and true values of a problem, one row for each; `problem_from_frame` reads it.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> from ucbpe_core.connect.pandas import frame_of
    >>> frame = frame_of(problems.himmelblau())
    >>> frame.shape, list(frame.columns)
    ((10201, 3), ['x', 'y', 'f'])
    """
    columns = np.column_stack([problem.candidates, problem.values])
    frame = optional("pandas", "study").DataFrame(columns, columns=list(problem.axes))
    frame.attrs.update(name=problem.name, direction=problem.direction)
    return frame


def _numbers(frame: pd.DataFrame, name: Any) -> Floats:
    """A column of a table, (M,)."""
    column = frame[name]
    if column.ndim > 1:
        got = f"{column.shape[1]} of them"
        raise InputError(f"one column {name}", got, "rename the others")
    if column.isna().any():  # of any dtype: as nan, so that its row is named
        column = column.astype(object).mask(column.isna(), np.nan)
    return numeric(column, f"column {name}")
