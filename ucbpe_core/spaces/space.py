"""The inputs of a box together: settings, points, coordinates, and the cube that is searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.spaces.inputs import Category, Real, SumConstraint
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import bounds as checked_bounds
from ucbpe_core.support.validation import frozen_copy, instance, pairs, read_only, require_callable
from ucbpe_core.support.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_core.support.validation import Booleans, Floats

# Relative slack: a setting rounded by exactly the tolerance is within it.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Space(Frozen):
    """What can be set, in four forms.

    A *setting* is a dict of names and values. A *point* is the same as numbers (D,): the value of a
    number, and for a category one column for each of its values, 1 where it is chosen and else 0.
    *Coordinates* (D,) are what the Gaussian process sees, and lengthscales are in their units: as
    the point, with log10 of the value for a logarithmic input. The search moves in the unit cube
    (d,), one coordinate for each input; what a point of it stands for is snapped to what can be
    set, so that what is chosen is what is measured.

    Attributes
    ----------
    inputs : `Real`, `Integer` or `Category`, (d,)
    names : of the inputs; x0, x1, .. without any
    feasible : whether a setting can be measured; None: all can
    named : whether `feasible` is called with settings, or else with points (d,)
    sums : what some inputs add up to; each input is in at most one
    pinned : inputs that have one value, each by its number with its place on its axis (`pinned_at`)

    Raises
    ------
    InputError
        For a sum of inputs that are not numbers, with a step or logarithmic, or in another sum, and
        for a total that their bounds do not allow.

    References
    ----------
    Snapped inputs: Garrido-Merchan and Hernandez-Lobato, Neurocomputing 380, 2020.

    Examples
    --------
    >>> from ucbpe_core.spaces import Category, Integer, Space
    >>> space = Space.of({"heat": (20, 80), "parts": Integer(1, 4), "acid": Category(("a", "b"))})
    >>> points = space.read([{"heat": 45.5, "parts": 3, "acid": "b"}])
    >>> points, space.settings(points)
    (array([[45.5,  3. ,  0. ,  1. ]]), [{'heat': 45.5, 'parts': 3, 'acid': 'b'}])
    """

    inputs: tuple[Real | Category, ...]
    names: tuple[str, ...]
    feasible: Callable[[Any], Any] | None = None
    named: bool = True
    sums: tuple[SumConstraint, ...] = ()
    pinned: tuple[tuple[int, float], ...] = ()

    def __post_init__(self) -> None:
        if not self.inputs or len(self.inputs) != len(self.names):
            got = f"{len(self.inputs)} inputs and {len(self.names)} names"
            raise InputError("inputs with a name each", got, "use Space.of, with a dict of both")
        for one in self.sums:
            instance(one, SumConstraint, 'pass e.g. SumConstraint(("oil", "water"), 1.0)')
        taken = [name for one in self.sums for name in one.names]
        for name in taken:
            given = dict(zip(self.names, self.inputs, strict=True)).get(name)
            if not isinstance(given, Real) or given.log or given.step or taken.count(name) > 1:
                wanted = "sums of inputs that are any number, not logarithmic, and in one sum only"
                raise InputError(wanted, repr(name), "list candidates instead, and use Bandit")
        for one, at in zip(self.sums, self._summed, strict=True):
            low, high = self._axes[at].sum(axis=0)
            if not (low <= one.total and (one.at_most or one.total <= high)):
                wanted = f"a sum of {', '.join(one.names)} from {low:g} to {high:g}"
                raise InputError(wanted, f"{one.total:g}", "correct the total, or the bounds")

    @classmethod
    def of(cls, bounds: Any, feasible: Any = None, sums: Any = ()) -> Space:
        """The space of bounds (d, 2), of `scipy.optimize.Bounds`, or of a dict of names and inputs.

        In a dict, (low, high) is a `Real`. A space is returned as it is.

        Raises
        ------
        InputError
            For bounds that are not (d, 2) with low < high, what is no input, and `feasible` or
            `sums` together with a space, which has its own.
        """
        if not isinstance(sums, list | tuple):
            raise InputError("a list of SumConstraint in sums", f"{sums!r:.60}", "pass a list")
        if isinstance(bounds, Space):
            if feasible is not None or sums:
                wanted = "feasible and sums in the space alone"
                raise InputError(
                    wanted, "also given apart from it", "make it by Space.of(.., feasible, sums)"
                )
            return bounds
        if feasible is not None:
            require_callable(feasible, "feasible", "it takes a setting: True or False")
        if not isinstance(bounds, Mapping):
            box = checked_bounds(pairs(bounds), "bounds").tolist()
            names = tuple(f"x{i}" for i in range(len(box)))
            return cls(tuple(Real(*pair) for pair in box), names, feasible, False, tuple(sums))
        if not bounds or not all(isinstance(name, str) for name in bounds):
            remedy = 'pass e.g. {"heat": (20, 80), "solvent": Category(("THF", "DMF"))}'
            raise InputError("bounds with names of inputs", repr(bounds), remedy)
        inputs = tuple(
            given
            if isinstance(given, Real | Category)
            else Real(*checked_bounds([given], f"bounds of {name}")[0].tolist())
            for name, given in bounds.items()
        )
        return cls(inputs, tuple(bounds), feasible, sums=tuple(sums))

    def pinned_at(self, u: Floats, names: Sequence[str]) -> Space:
        """The same space, with the inputs `names` as at a point u (d,) of the unit cube alone."""
        low, high = self._axes.T
        at = [self.names.index(name) for name in names]
        axis = (low + (high - low) * self.snap(u[None])[0])[at]
        return replace(self, pinned=tuple(zip(at, axis.tolist(), strict=True)))

    @cached_property
    def box(self) -> Floats:
        """Low and high of each coordinate, (D, 2)."""
        parts = [
            [given.axis] if isinstance(given, Real) else [(0.0, 1.0)] * given.width
            for given in self.inputs
        ]
        return frozen_copy(np.concatenate(parts))

    @cached_property
    def domain(self) -> Floats:
        """Two points (2, D) whose extents set default lengthscales: the box, three times as wide
        for categories, which are then sqrt(2) lengthscales apart (`GaussianProcess.from_data`).
        """
        widths = [given.width for given in self.inputs]
        widen = np.repeat(np.greater(widths, 1), widths)
        return frozen_copy(self.box.T + np.array([[-1.0], [1.0]]) * widen)

    @cached_property
    def free(self) -> Floats:
        """0 for an input that has only some values, and else 1, (d,)."""
        return frozen_copy([float(values is None) for values in self._values])

    @property
    def columns(self) -> tuple[str, ...]:
        """What the numbers of a point are called, (D,): of a category, as in ``acid = b``."""
        return tuple(
            title
            for name, given in zip(self.names, self.inputs, strict=True)
            for title in given.titles(name)
        )

    @cached_property
    def size(self) -> float:
        """How many settings there are, feasible or not; infinite where a number is continuous."""
        return prod(np.inf if values is None else len(values) for values in self._values)

    def settings(self, points: Any) -> list[dict[str, Any]]:
        """Points (n, D) as settings."""
        X = checked_points(points, "points", len(self.box))
        columns = list(zip(self.names, self.inputs, self._columns, strict=True))
        return [{name: given.setting(x[at]) for name, given, at in columns} for x in X]

    def read(self, given: Any, name: str = "points") -> Floats:
        """Points (n, D), from these or from settings: a list of dicts, or a frame with these names.

        Raises
        ------
        InputError
            For a setting without one of the names, a value that the input cannot have, or columns
            of a category without a single 1.
        """
        if hasattr(given, "to_dict") and set(self.names) <= set(getattr(given, "columns", ())):
            given = given.to_dict("records")
        if isinstance(given, Mapping):
            given = [given]
        if isinstance(given, list | tuple) and all(isinstance(row, Mapping) for row in given):
            rows = [self._row(setting, f"{name}[{i}]") for i, setting in enumerate(given)]
            return np.reshape(np.array(rows, dtype=float), (-1, len(self.box)))
        X = checked_points(given, name, len(self.box))
        for x, setting in zip(X, self.settings(X), strict=True):
            if not np.allclose(self._row(setting, name), x, rtol=1e-9):
                wanted = f"one 1, and else 0, for each category of {name}"
                raise InputError(wanted, str(x), "pass settings, as dicts")
        return X

    def prior(self, settings: Any, y: Any, **options: Any) -> GaussianProcess:
        """`GaussianProcess.from_data` of values y (n,) at settings or points, with its options.

        A lengthscale is a third of the range of its input, and 1 for the values of a category.
        """
        X, y = self.coordinates(self.read(settings)), list(y)
        return GaussianProcess.from_data(X, y, domain=self.domain, **options)

    def coordinates(self, points: Floats) -> Floats:
        """What the Gaussian process sees of points (n, D)."""
        if self._logarithmic:
            points = np.array(points)
            points[:, self._logarithmic] = np.log10(points[:, self._logarithmic])
        return points

    def points(self, U: Floats) -> Floats:
        """The points (m, D) that are set at points U (m, d) of the unit cube."""
        low, high = self._axes.T
        axes = np.clip(low + (high - low) * U, low, high)
        reach = np.array(self._axes)
        for i, place in self.pinned:
            axes[:, i] = reach[i] = place
        for one, at in zip(self.sums, self._summed, strict=True):
            axes[:, at] = one.nearest(axes[:, at], reach[at])
        if not self.named:  # the same, and faster
            return axes
        parts = [given.columns(axis) for given, axis in zip(self.inputs, axes.T, strict=True)]
        return np.concatenate(parts, axis=1)

    def place(self, U: Floats) -> Floats:
        """The coordinates (m, D) of what is set at points U (m, d) of the unit cube."""
        return self.coordinates(self.points(U))

    def unit(self, coordinates: Floats) -> Floats:
        """The points (n, d) of the unit cube at coordinates (n, D)."""
        pairs = zip(self.inputs, self._columns, strict=True)
        axes = [given.place(coordinates[:, at]) for given, at in pairs]
        low, high = self._axes.T
        return read_only((np.stack(axes, axis=1) - low) / (high - low))

    def snap(self, U: Floats) -> Floats:
        """Points U (m, d) of the unit cube where they are set."""
        if self.sums:
            return self.unit(self.place(U))
        return np.where(self.free, U, self.unit(self.place(U))) if not self.free.all() else U

    def every(self) -> Floats:
        """All settings, as points (size, d) of the unit cube."""
        settings = [dict(zip(self.names, row, strict=True)) for row in product(*self._values)]  # type: ignore[arg-type]
        return self.unit(self.coordinates(self.read(settings)))

    def slope(self, gradient: Floats, u: Floats) -> Floats:
        """The gradient (d,) at a point u (d,) of the unit cube, of one in coordinates (D,).

        0 where inputs snap. Those of a sum that is met by moving them move together.
        """
        along = gradient[[at.start for at in self._columns]]
        low, high = self._axes.T
        for at in self._summed:
            there, here = (low + (high - low) * u)[at], self.place(u[None])[0][self._first(at)]
            if not np.allclose(there, here, rtol=0, atol=1e-12 * (high - low)[at].max()):
                inside = (low[at] < here) & (here < high[at])
                along[at] = inside * (
                    along[at] - along[at].mean(where=inside) if inside.any() else 0
                )
        return self.free * (high - low) * along

    def _first(self, inputs: list[int]) -> list[int]:
        """The first column of each of these inputs in a point."""
        return [self._columns[i].start for i in inputs]

    @cached_property
    def _summed(self) -> list[list[int]]:
        """The inputs of each sum."""
        return [[self.names.index(name) for name in one.names] for one in self.sums]

    def holds(self, U: Floats) -> Booleans:
        """Which points U (m, d) of the unit cube are feasible, (m,)."""
        if self.feasible is None:
            return np.ones(len(U), dtype=bool)
        points = self.points(U)
        given = self.settings(points) if self.named else points
        return np.array([_truth(self.feasible(setting)) for setting in given], dtype=bool)

    @cached_property
    def _axes(self) -> Floats:
        """Low and high of each input as the Gaussian process sees them, (d, 2)."""
        return frozen_copy([given.axis for given in self.inputs])

    @cached_property
    def _values(self) -> list[Sequence[Any] | None]:
        """The values that each input can have; None for any number."""
        found: list[Sequence[Any] | None] = [
            given.choices if given.size < np.inf else None for given in self.inputs
        ]
        for i, place in self.pinned:
            found[i] = [self.inputs[i].setting(self.inputs[i].columns(np.array([place]))[0])]
        return found

    @cached_property
    def _columns(self) -> tuple[slice, ...]:
        """The columns of each input in a point."""
        widths = [given.width for given in self.inputs]
        pairs = zip(accumulate(widths), widths, strict=True)
        return tuple(slice(end - width, end) for end, width in pairs)

    @cached_property
    def _logarithmic(self) -> list[int]:
        """The columns of logarithmic inputs."""
        pairs = zip(self.inputs, self._columns, strict=True)
        return [at.start for given, at in pairs if isinstance(given, Real) and given.log]

    def _row(self, setting: Mapping[str, Any], where: str) -> list[float]:
        """The point (D,) of a setting."""
        missing = [name for name in self.names if name not in setting]
        if missing:
            got = f"none of {', '.join(missing)}"
            raise InputError(f"{where} with {', '.join(self.names)}", got, "name every input")
        return [
            number
            for name, given in zip(self.names, self.inputs, strict=True)
            for number in given.read(setting[name], f"{name} of {where}")
        ]


def _truth(found: Any) -> bool:
    """What `feasible` returned, as one truth value."""
    try:
        return bool(found)
    except (TypeError, ValueError):  # an array, for one
        got = f"{found!r:.60}"
        raise InputError("feasible to return True or False", got, "use e.g. .all()") from None


def nearest_picks(U: Floats, indices: Sequence[int], picks: Floats, tolerance: float) -> list[int]:
    """Which of the `indices` (p,) of picks (p, d) each of the settings U (k, d) matches, on the
    unit cube; -1 for none.

    Nearest pairs come first, by the largest difference of a coordinate; each setting matches at
    most one pick, at most `tolerance` away. Ties go to the earlier setting, then to the earlier
    pick.
    """
    apart = np.abs(U[:, None] - picks).max(axis=2)
    found = [-1] * len(U)
    for pair in np.argsort(apart, axis=None, kind="stable"):
        i, j = divmod(int(pair), len(indices))
        if apart[i, j] > tolerance * (1 + _ROUNDING):
            break
        if found[i] < 0 and indices[j] not in found:
            found[i] = indices[j]
    return found
