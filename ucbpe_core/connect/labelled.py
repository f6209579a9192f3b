"""Problems as tables of pandas and arrays of xarray, both ways, with names and units."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.extras import optional
from ucbpe_core.problems import from_table
from ucbpe_core.records.run_labels import named
from ucbpe_core.validation import numeric

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import xarray as xr

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
    options : as of `problems.from_table`, and `direction`

    Raises
    ------
    InputError
        For a column that is missing or there twice, or that has text, dates, durations or complex
        numbers, and as `from_table`.

    Examples
    --------
    >>> import pandas as pd
    >>> from ucbpe_core.connect.labelled import problem_from_frame
    >>> frame = pd.DataFrame({"time (min)": [5, 10, 15], "yield (%)": [60.0, 71.5, 64.0]})
    >>> problem_from_frame(frame, "yield (%)", noise_variance=0.25).optimum
    71.5
    """
    if inputs is None:
        numbers = frame.select_dtypes("number").columns
        inputs = [name for name in numbers if name != output]
    missing = [name for name in (*inputs, output) if name not in frame.columns]
    if missing or not inputs:
        known = ", ".join(map(str, frame.columns))
        raise InputError(f"columns among {known}", ", ".join(missing) or "no inputs", "name them")
    axes = tuple(map(str, (*inputs, output)))
    *x, y = (_numbers(frame, name) for name in (*inputs, output))
    return _made(np.stack(x, axis=1), y, axes, **options)


def problem_from_xarray(array: xr.DataArray, **options: Any) -> Problem:
    """A problem whose candidates are the grid of an array's coordinates.

    Axes are named after the dimensions and the array, or their ``long_name`` if there is one, with
    the ``units`` of their `attrs`.

    Parameters
    ----------
    options : as of `problems.from_table`, and `direction`

    Raises
    ------
    InputError
        For a dimension without coordinates, for coordinates or values that are text, dates,
        durations or complex numbers, and as `from_table`.

    Examples
    --------
    >>> import xarray as xr
    >>> from ucbpe_core.connect.labelled import problem_from_xarray
    >>> values = [[11.0, 12.0, 13.0], [9.0, 10.0, 12.5]]
    >>> array = xr.DataArray(values, {"lat": [50, 60], "lon": [0, 5, 10]}, name="temperature")
    >>> problem = problem_from_xarray(array)
    >>> problem.axes, problem.grid
    (('lat', 'lon', 'temperature'), (2, 3))
    """
    bare = [str(name) for name in array.dims if name not in array.coords]
    if bare:
        remedy = "pass coords= to the array"
        raise InputError("coordinates for each dimension", f"none for {', '.join(bare)}", remedy)
    grids = [array.coords[name] for name in array.dims]
    lines = (numeric(one.to_numpy(), f"the coordinates {one.name}") for one in grids)
    mesh = np.meshgrid(*lines, indexing="ij")
    X = np.stack([one.ravel() for one in mesh], axis=1)
    axes = tuple(_axis(one, f"x{i + 1}") for i, one in enumerate(grids))
    values = numeric(array.to_numpy(), "the values of the array").ravel()
    made = _made(X, values, (*axes, _axis(array, "f")), **options)
    return replace(made, grid=array.shape)


def frame_of(problem: Problem) -> pd.DataFrame:
    """Candidates and true values of a problem, one row for each; `problem_from_frame` reads it.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> from ucbpe_core.connect.labelled import frame_of
    >>> frame = frame_of(problems.himmelblau())
    >>> frame.shape, list(frame.columns)
    ((10201, 3), ['x', 'y', 'f'])
    """
    columns = np.column_stack([problem.candidates, problem.values])
    frame = optional("pandas", "study").DataFrame(columns, columns=list(problem.axes))
    frame.attrs.update(name=problem.name, direction=problem.direction)
    return frame


def array_of(problem: Problem) -> xr.DataArray:
    """The true values of a problem on a grid, with its axes as dimensions.

    Raises
    ------
    InputError
        For a problem whose candidates are not a grid: use `frame_of`.

    Examples
    --------
    >>> from ucbpe_core import problems
    >>> from ucbpe_core.connect.labelled import array_of
    >>> array_of(problems.himmelblau()).sizes
    Frozen({'x': 101, 'y': 101})
    """
    if not problem.grid:
        raise InputError("candidates on a grid", "others", "use frame_of")
    xarray, *inputs = optional("xarray", "xarray"), *map(named, problem.axes[:-1])
    output = named(problem.axes[-1])
    cells = problem.candidates.reshape(*problem.grid, -1)
    coords = {}
    for i, axis in enumerate(inputs):
        line = tuple(slice(None) if i == j else 0 for j in range(len(problem.grid)))
        coords[axis["long_name"]] = (axis["long_name"], cells[(*line, i)], axis)
    values = problem.values.reshape(problem.grid)
    name = output["long_name"]
    return xarray.DataArray(values, coords, dims=list(coords), name=name, attrs=output)


def _numbers(frame: pd.DataFrame, name: Any) -> Floats:
    """A column of a table, (M,)."""
    column = frame[name]
    if column.ndim > 1:
        got = f"{column.shape[1]} of them"
        raise InputError(f"one column {name}", got, "rename the others")
    if column.isna().any():  # of any dtype: as nan, so that its row is named
        column = column.astype(object).mask(column.isna(), np.nan)
    return numeric(column, f"column {name}")


def _axis(array: xr.DataArray, usual: str) -> str:
    """The name of an axis, with its unit in brackets."""
    name = str(array.attrs.get("long_name", array.name or usual))
    unit = array.attrs.get("units")
    return f"{name} ({unit})" if unit else name


def _made(X: Any, values: Any, axes: tuple[str, ...], **options: Any) -> Problem:
    direction = options.pop("direction", "maximize")
    problem = replace(from_table(X, values, axes=axes, **options), direction=direction)
    unique = bool(np.count_nonzero(problem.values == problem.optimum) == 1)
    return replace(problem, unique=unique)
