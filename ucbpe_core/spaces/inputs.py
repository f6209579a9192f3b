"""The kinds of inputs of a box: numbers, whole numbers and categories."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.support.validation import choice, count, positive, real, set_checked

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats

# Slack for the last step below `high`, which rounding may put just above it.
_ROUNDING = 1e-9
# Of a range: the least width, also 1 over the largest number, and as a share of that.
_LEAST, _RESOLVED = 1e-100, 1e-12
_DIGITS = 13  # after the first, of a value on a step
_MOST_DECIMALS = 22  # 10 to this power is a float without rounding
_REMEDY = 'pass e.g. Category(("THF", "DMF"))'


@dataclass(frozen=True)
class Real:
    """A number from `low` to `high`.

    Parameters
    ----------
    low, high : the least and the greatest value
    log : whether equal ratios, not equal differences, are equally far apart: the Gaussian process
        sees log10 of the value, and a lengthscale of 1 is a factor of 10
    step : distance of the values that can be set, counted from `low`; None for any value

    Raises
    ------
    InputError
        Unless low < high, step > 0 and, with `log`, low > 0; for a range too small relative to its
        numbers, to be divided in double precision.

    Examples
    --------
    >>> from ucbpe_core.spaces import Real
    >>> Real(1e-4, 1.0, log=True).axis, len(Real(20, 85, step=10).choices)
    ((-4.0, 0.0), 7)
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None
    width: ClassVar[int] = 1  # the number of its columns in a point

    def __post_init__(self) -> None:
        set_checked(self, low=real, high=real)
        choice(self.log, "log", False, True)
        if self.step is not None:
            set_checked(self, step=positive)
        if not self.low < self.high or (self.log and self.low <= 0):
            wanted = "0 < low < high" if self.log else "low < high"
            raise InputError(wanted, f"{self.low:g} and {self.high:g}", "pass e.g. Real(0.1, 1)")
        low, high = self.axis
        far, width = max(abs(low), abs(high)), high - low
        if width < max(_LEAST, _RESOLVED * far) or far > 1 / _LEAST:
            wanted = f"low and high within {1 / _LEAST:g}, and {_RESOLVED:g} of their size apart"
            got = f"{self.low!r} and {self.high!r}"
            raise InputError(wanted, got, "use another unit, or count from low")

    def titles(self, name: str) -> list[str]:
        """What its columns are called, given its name."""
        return [name]

    @property
    def axis(self) -> tuple[float, float]:
        """Low and high as the Gaussian process sees them."""
        ends = float(self.low), float(self.high)
        return (math.log10(ends[0]), math.log10(ends[1])) if self.log else ends

    @property
    def size(self) -> float:
        """The number of values that can be set; infinite for any number."""
        if self.step is None:
            return math.inf
        return 1 + int((self.high - self.low) / self.step * (1 + _ROUNDING))

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values that can be set, where these are finitely many."""
        return tuple(self._at(np.arange(int(self.size))).tolist()) if self.step else ()

    def _at(self, steps: Any) -> Floats:
        """The values after so many steps, without the last digits: 0.1 + 2 * 0.1 is 0.3."""
        step = cast("float", self.step)
        values = np.clip(self.low + step * steps, self.low, self.high)
        digits = _DIGITS - math.floor(math.log10(max(abs(self.low), abs(self.high))))
        if step * 10.0**digits < 1 or digits > _MOST_DECIMALS:
            return values
        return np.clip(np.round(values, digits), self.low, self.high)

    def columns(self, axis: Floats) -> Floats:
        """The columns (m, 1) of what is set at places (m,) on the axis."""
        values = 10.0**axis if self.log else axis
        if self.step is None:
            return np.clip(values, self.low, self.high)[:, None]
        steps = np.clip(np.round((values - self.low) / self.step), 0, self.size - 1)
        return self._at(steps)[:, None]

    def place(self, coordinates: Floats) -> Floats:
        """The places (m,) on the axis of its coordinates (m, 1)."""
        return coordinates[:, 0]

    def setting(self, columns: Floats) -> float:
        """The value in a setting, from its columns (1,) of a point."""
        return float(columns[0])

    def read(self, value: Any, name: str) -> list[float]:
        """Its columns of a point, from the value in a setting."""
        number = real(value, name)
        if self.log and number <= 0:
            raise InputError(f"{name} above 0, as it is logarithmic", f"{number:g}", "correct it")
        return [number]


@dataclass(frozen=True)
class Integer(Real):
    """A whole number from `low` to `high`, both included; parameters as for `Real`.

    Examples
    --------
    >>> from ucbpe_core.spaces import Integer
    >>> Integer(1, 5).choices
    (1, 2, 3, 4, 5)
    """

    low: int
    high: int
    log: bool = False
    step: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, low=_whole, high=_whole, step=_whole)

    def _at(self, steps: Any) -> Any:
        return self.low + self.step * steps

    def setting(self, columns: Floats) -> float:
        number = float(columns[0])
        return int(number) if number.is_integer() else number  # what was used can lie between


@dataclass(frozen=True)
class Category:
    """One of several values without an order, such as solvents.

    Each value has a coordinate, which is 1 if the value is chosen and 0 otherwise: two categories
    are sqrt(2) apart. The default lengthscale of these is 1.

    Parameters
    ----------
    values : at least two texts, numbers or truth values, each once

    Raises
    ------
    InputError
        For fewer than two, other types, or one twice.

    Examples
    --------
    >>> from ucbpe_core.spaces import Category
    >>> Category(("THF", "DMF")).read("DMF", "solvent")
    [0.0, 1.0]
    """

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        given: Any = self.values
        values = () if isinstance(given, str) or not np.iterable(given) else tuple(given)
        values = tuple(one.item() if isinstance(one, np.generic) else one for one in values)
        if not all(isinstance(one, str | bool | int | float) for one in values):
            raise InputError("categories of text or numbers", repr(given), _REMEDY)
        if not all(math.isfinite(one) for one in values if isinstance(one, float)):
            raise InputError("categories of finite numbers", repr(given), _REMEDY)
        if len(set(values)) < max(len(values), 2):
            raise InputError("at least two categories, each once", repr(given), _REMEDY)
        object.__setattr__(self, "values", values)

    def titles(self, name: str) -> list[str]:
        return [f"{name} = {value}" for value in self.values]

    @property
    def axis(self) -> tuple[float, float]:
        return 0.0, float(self.size)

    @property
    def size(self) -> int:
        return len(self.values)

    width = size

    @property
    def choices(self) -> tuple[Any, ...]:
        return self.values

    def columns(self, axis: Floats) -> Floats:
        chosen = np.minimum(np.floor(axis), self.size - 1)
        return (chosen[:, None] == np.arange(self.size)).astype(np.float64)

    def place(self, coordinates: Floats) -> Floats:
        return coordinates.argmax(axis=1) + 0.5

    def setting(self, columns: Floats) -> Any:
        return self.values[int(columns.argmax())]

    def read(self, value: Any, name: str) -> list[float]:
        if value not in self.values:
            wanted = f"{name} to be one of {', '.join(map(repr, self.values))}"
            remedy = "correct it, or begin with a category that has it"
            raise InputError(wanted, repr(value), remedy)
        return [float(own == value) for own in self.values]


@dataclass(frozen=True)
class SumConstraint:
    """The condition that inputs add up to `total`, or to at most that, such as shares of a mixture.

    A point of a search stands for the nearest setting that meets the condition, each input within
    its bounds: z - tau, clipped, with the one tau that gives the sum.

    Parameters
    ----------
    names : at least two inputs, `Real` without `log` and without a step
    total : what they add up to
    at_most : whether a smaller sum is allowed too

    Raises
    ------
    InputError
        For fewer than two names, or one twice.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core.spaces import SumConstraint
    >>> mixture = SumConstraint(("oil", "water", "sand"), total=1.0)
    >>> box = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 0.25]])
    >>> mixture.nearest(np.array([[0.5, 0.5, 0.9]]), box)
    array([[0.375, 0.375, 0.25 ]])
    """

    names: tuple[str, ...]
    total: float
    at_most: bool = False

    def __post_init__(self) -> None:
        set_checked(self, total=real)
        given: Any = self.names
        names = () if isinstance(given, str) else tuple(given)
        if len(set(names)) < max(len(names), 2):
            raise InputError("at least two inputs, each once", repr(given), "name the inputs")
        object.__setattr__(self, "names", names)

    def nearest(self, Z: Floats, box: Floats) -> Floats:
        """The points in the box (k, 2) nearest to points Z (m, k) of it that meet the condition.

        The sum of clip(Z - tau) falls with tau, and is linear between the values of tau at which a
        coordinate reaches one of its bounds.
        """
        low, high = box.T
        ends = np.sort(np.concatenate([Z - high, Z - low], axis=1), axis=1)
        sums = np.clip(Z[:, None] - ends[..., None], low, high).sum(axis=2)
        last = ends.shape[1] - 2
        at = np.clip((sums >= self.total).sum(axis=1) - 1, 0, last)[:, None]
        left, right = (np.take_along_axis(sums, at + i, axis=1) for i in (0, 1))
        begin, end = (np.take_along_axis(ends, at + i, axis=1) for i in (0, 1))
        fall = np.where(left > right, left - right, 1.0)
        tau = begin + (end - begin) * np.clip((left - self.total) / fall, 0, 1)
        return np.clip(Z - (np.maximum(tau, 0.0) if self.at_most else tau), low, high)


def _whole(value: Any, name: str) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return count(value, name, minimum=-(2**53), maximum=2**53)
