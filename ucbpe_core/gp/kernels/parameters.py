"""The fields of a frozen dataclass as positive hyperparameters, by name and on the log scale."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.support.validation import positive, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ucbpe_core.support.validation import Floats

# Step of central differences: in a log parameter, or as a share of the extent of the points. The
# cube root of the rounding error balances it against the error of the difference, which is of
# second order in the step (see `Kernel`).
STEP = 6e-6
# What fields of these names are, unless their metadata says otherwise.
_UNITS = {"lengthscale": "x", "period": "x", "variance": "y^2"}


class _Field(NamedTuple):
    name: str
    unit: str
    fitted: bool
    several: bool  # may have a number for each input


@cache
def _fields_of(kind: Hashable) -> tuple[_Field, ...]:
    found = []
    for field in fields(kind):  # type: ignore[arg-type]
        declared = str(field.type)
        fitted = field.init and "float" in declared and field.metadata.get("fitted", True)
        unit = field.metadata.get("unit", _UNITS.get(field.name, ""))
        found.append(_Field(field.name, unit, fitted, "tuple" in declared))
    return tuple(found)


def has_length_each(kind: type[Any], name: str) -> bool:
    """Whether a field of a kind of kernel is a length, of which each input can have its own."""
    return any(field[:2] == (name, "x") and field.several for field in _fields_of(kind))  # type: ignore[arg-type]


def short_name(name: str) -> str:
    """What a hyperparameter is: "lengthscale" for "left.lengthscale[1]"."""
    return name.rsplit(".", 1)[-1].partition("[")[0]


@dataclass(frozen=True)
class Parametrised:
    """A frozen dataclass whose fields are p positive hyperparameters.

    A field declared as `float` is one; one declared as ``float | tuple[float, ...]`` is one or
    several; a field that is `Parametrised` itself contributes its own. Fields of other types, such
    as whole numbers, are no hyperparameters, and neither is one with the metadata
    ``{"fitted": False}``. The metadata ``unit`` says how a value changes with the units of the
    data: "x", "x^2", "y^2", or "" for a number without a unit. By default it is "x" for a
    `lengthscale` or `period`, "y^2" for a `variance`, and "" for all others.

    Names are those of the fields, along the path to them: "left.lengthscale[1]" is the second
    lengthscale of the field `left`. They are the keys of the tables in saved files, too.

    Raises
    ------
    InputError
        For a hyperparameter that is not positive and finite.

    Examples
    --------
    >>> from ucbpe_core import Matern, RBF
    >>> kernel = Matern((0.2, 3.0), nu=2.5) + RBF()
    >>> kernel.parameter_names[:3], kernel.parameter_units[:3]
    (('left.lengthscale[0]', 'left.lengthscale[1]', 'left.variance'), ('x', 'x', 'y^2'))
    >>> kernel.with_parameters([1, 2, 3, 4, 5]).left
    Matern(lengthscale=(1.0, 2.0), variance=3.0, nu=2.5)
    """

    def __post_init__(self) -> None:
        for name, _, fitted, several in self._fields():
            if fitted:
                check = _positive_each if several else positive
                object.__setattr__(self, name, check(getattr(self, name), name))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the p hyperparameters, in the order of `parameters`."""
        return tuple(name for name, _, _ in self._walk())

    @property
    def parameter_units(self) -> tuple[str, ...]:
        """The unit of each hyperparameter: "x", "x^2", "y^2" or ""."""
        return tuple(unit for _, unit, _ in self._walk())

    @property
    def parameters(self) -> tuple[float, ...]:
        """The p hyperparameters."""
        return tuple(value for _, _, value in self._walk())

    @property
    def log_parameters(self) -> Floats:
        """Natural logarithms of the hyperparameters, shape (p,)."""
        return np.log(np.array(self.parameters, dtype=float))

    def with_parameters(self, values: Iterable[float]) -> Self:
        """A copy with these p hyperparameters."""
        return self._filled(iter(values))

    def with_log_parameters(self, theta: Floats) -> Self:
        """A copy with hyperparameters exp(theta), theta of shape (p,)."""
        return self._filled(iter(np.exp(theta).tolist()))

    def with_each(self, dimension: int) -> Self:
        """A copy that has a length of its own for each of d inputs where a field can have that."""
        changed: dict[str, Any] = {}
        for name, unit, _, several in self._fields():
            value = getattr(self, name)
            if isinstance(value, Parametrised):
                changed[name] = value.with_each(dimension)
            elif several and unit == "x" and isinstance(value, float) and dimension > 1:
                changed[name] = (value,) * dimension
        return replace(self, **changed)

    def log_slopes(self, function: Callable[[Self], float], first: int = 0) -> Floats:
        """d function(self) / d log_parameters[i] for i >= first, by central differences."""
        theta = self.log_parameters
        steps = STEP * np.eye(len(theta))[first:]
        above, below = (
            np.array([function(self.with_log_parameters(theta + sign * by)) for by in steps])
            for sign in (1, -1)
        )
        return (above - below) / (2 * STEP)

    def _fields(self) -> tuple[_Field, ...]:
        return _fields_of(type(self))  # type: ignore[arg-type]  # a class can be hashed

    def _walk(self) -> Iterator[tuple[str, str, float]]:
        """Name, unit and value of each hyperparameter."""
        for name, unit, fitted, _ in self._fields():
            value = getattr(self, name)
            if isinstance(value, Parametrised):
                yield from ((f"{name}.{inner}", *rest) for inner, *rest in value._walk())  # type: ignore[misc]
            elif fitted and isinstance(value, tuple):
                yield from ((f"{name}[{i}]", unit, each) for i, each in enumerate(value))
            elif fitted:
                yield name, unit, value

    def _filled(self, values: Iterator[float]) -> Self:
        changed: dict[str, Any] = {}
        for name, _, fitted, _ in self._fields():
            value = getattr(self, name)
            if isinstance(value, Parametrised):
                changed[name] = value._filled(values)
            elif fitted and isinstance(value, tuple):
                changed[name] = tuple(next(values) for _ in value)
            elif fitted:
                changed[name] = next(values)
        return replace(self, **changed)


def _positive_each(value: Any, name: str) -> float | tuple[float, ...]:
    if shape_of(value, name) == ():
        return positive(value, name)
    several = tuple(positive(each, name) for each in np.ravel(value))
    if not several:
        raise InputError(f"at least one {name}", "none", "pass one per dimension")
    return several
