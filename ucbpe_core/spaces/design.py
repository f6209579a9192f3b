"""Tables of settings: what their rows stand for, and rows made of ranges.

A `Design` says which settings of inputs of any kind the candidates are. A grid has settings that
stand for all that a space has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import ceil, floor, inf, prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.spaces.inputs import Category, Integer, Real, SumConstraint
from ucbpe_core.spaces.space import Space
from ucbpe_core.support import streams
from ucbpe_core.support.validation import count, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_core.support.validation import Booleans, Floats


# How often a Sobol sequence is doubled to find feasible settings.
_TRIED = 8
# Into how many steps a range is divided, finest first: the first that gives few enough rows.
_PARTS = (200, 100, 50, 40, 30, 20, 15, 10, 8, 6, 5)
_SPREAD = 20  # steps of a range where even the coarsest of these gives too many rows
_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)  # steps that people set, times a power of ten
_FEWEST = 0.65  # of the steps that there may be, for a range in round steps
_FEW = 2  # steps at least of each range of a sum
_SLACK = 1e-9

_Block: TypeAlias = tuple[tuple[str, ...], float, Any]


def gridded(space: Space, most: int) -> Floats:
    """Coordinates (m, D) of settings that stand for all: at most `most`.

    The ranges are divided into steps, round ones where they fit: the finest of which all
    combinations are few enough. Inputs of a sum share what it leaves to them in steps of their
    own (a simplex lattice). Where even a few steps make too many combinations, it is the first
    points of a scrambled Sobol sequence.
    """
    for parts in _PARTS:
        blocks = _blocks(space, parts)
        if prod(size for _, size, _ in blocks) <= most:
            return space.coordinates(_combined(space, blocks))
    summed = {name for one in space.sums for name in one.names}
    pairs = zip(space.names, space.inputs, strict=True)
    kinds = [kind if name in summed else _rounded(kind) for name, kind in pairs]
    return space.coordinates(spread(replace(space, inputs=tuple(kinds)), 0, most, 0))


def _rounded(kind: Real | Integer | Category) -> Real | Integer | Category:
    if not isinstance(kind, Real) or kind.step or kind.log:
        return kind
    return replace(kind, step=(kind.high - kind.low) / _steps(kind.low, kind.high, _SPREAD))


def _blocks(space: Space, parts: int) -> list[_Block]:
    """Names of inputs that are set together, how many rows these have, and what makes them."""
    kinds = dict(zip(space.names, space.inputs, strict=True))
    summed = {name for one in space.sums for name in one.names}
    free = {name: _values(kind, parts) for name, kind in kinds.items() if name not in summed}
    blocks: list[_Block] = [((name,), len(values), values) for name, values in free.items()]
    for one in space.sums:
        share = _Shares(one, np.array([kinds[name].axis for name in one.names]), parts)
        blocks.append((one.names, share.size, share))
    return blocks


def _combined(space: Space, blocks: Sequence[_Block]) -> Floats:
    """All combinations of the rows of the blocks, as points; the last input moves fastest."""
    widths = [kind.width for kind in space.inputs]
    ends = dict(zip(space.names, np.cumsum(widths), strict=True))
    wide = dict(zip(space.names, widths, strict=True))
    ordered = sorted(blocks, key=lambda block: min(ends[name] for name in block[0]))
    places = np.indices([int(size) for _, size, _ in ordered]).reshape(len(ordered), -1)
    points = np.empty((places.shape[1], sum(widths)))
    for (names, _, made), place in zip(ordered, places, strict=True):
        values = made.rows() if isinstance(made, _Shares) else made
        columns = [j for name in names for j in range(ends[name] - wide[name], ends[name])]
        points[:, columns] = values[place]
    return points


class _Shares:
    """How inputs (k, 2) can share what a sum leaves above their least values, in equal steps."""

    def __init__(self, one: SumConstraint, box: Floats, parts: int) -> None:
        self._low, self._parts, self._exact = box[:, 0], parts, not one.at_most
        free = min(one.total, float(box[:, 1].sum())) - float(self._low.sum())
        self._step = free / parts
        wide = np.ptp(box, axis=1)
        self._most = [
            min(parts, floor(side / self._step + _SLACK)) if self._step > 0 else 0 for side in wide
        ]
        if self._step <= 0:
            self._parts = 0

    @property
    def size(self) -> float:
        """How many ways there are, counted without making them; infinite if steps are coarse."""
        if self._parts and min(self._most) < _FEW:
            return inf
        ways = reduce(np.convolve, [np.ones(most + 1) for most in self._most])
        found = ways[self._parts : self._parts + 1] if self._exact else ways[: self._parts + 1]
        return float(found.sum())

    def rows(self) -> Floats:
        """Their values, (size, k)."""
        counts = np.array(list(_ways(self._parts, self._most, exact=self._exact)))
        return np.array([[plain(x) for x in row] for row in self._low + self._step * counts])


def _ways(total: int, most: Sequence[int], *, exact: bool) -> Iterator[tuple[int, ...]]:
    """The numbers, each up to its own, that add up to `total`, or else to at most that."""
    if not most:
        yield ()
        return
    least = max(0, total - sum(most[1:])) if exact else 0
    for first in range(least, min(total, most[0]) + 1):
        for rest in _ways(total - first, most[1:], exact=exact):
            yield (first, *rest)


def _values(kind: Real | Integer | Category, parts: int) -> Floats:
    """Columns (n, width) of values of an input that stand for all, in at most so many steps."""
    if isinstance(kind, Category):
        return np.eye(kind.size)
    if kind.step and not kind.log:
        steps = int(kind.size) - 1
        taken = np.arange(0, steps + 1, ceil(steps / parts) or 1)
        return np.array([[plain(kind.low + kind.step * i)] for i in taken])
    low, high = kind.axis
    steps = parts if kind.log else _steps(low, high, parts)
    columns = kind.columns(np.linspace(low, high, steps + 1))
    return np.unique(columns if kind.log else [[plain(x)] for (x,) in columns], axis=0)


def _steps(low: float, high: float, parts: int) -> int:
    """Into how many steps to divide a range: at most `parts`, and round ones where they fit."""
    side = high - low
    power = 10.0 ** floor(np.log10(side / parts))
    for scale in _ROUND:
        steps = side / (scale * power)
        fits = abs(steps - round(steps)) <= _SLACK * steps
        if fits and parts * _FEWEST <= round(steps) <= parts:
            return round(steps)
    return parts


def plain(x: float) -> float:
    """Without the last digits, which rounding makes."""
    return float(f"{x:.12g}")


def spread(space: Space, first: int, number: int, seed: int) -> Floats:
    """So many points of the space (n, D) from the scrambled Sobol sequence of that seed.

    The feasible ones, each setting once; fewer where the sequence soon has no more.
    """
    from scipy.stats import qmc  # takes a while, and not every search needs it

    last, wanted = first + number, max(first + number - 1, 0).bit_length()
    whole = space.feasible is None and bool(space.free.all()) and not space.sums
    for power in range(wanted, wanted + (1 if whole else _TRIED)):
        sobol = qmc.Sobol(len(space.inputs), rng=streams.initial_points(seed))
        U = sobol.random_base2(power)
        X = space.points(U[space.holds(U)])
        if not whole:
            X = X[np.sort(np.unique(X, axis=0, return_index=True)[1])]
        if len(X) >= last or len(X) == space.size:
            break
    if number and not len(X):
        got, remedy = f"none of {len(U)} settings", "look at feasible, or give narrower bounds"
        raise InputError("a feasible setting", got, remedy)
    return X[first:last]


@dataclass(frozen=True)
class Design:
    """Which settings the rows of a table stand for.

    The candidates are coordinates of the settings, as the Gaussian process sees them
    (`Space`): log10 of a logarithmic input, and a column for each value of a category.

    Attributes
    ----------
    names : of the inputs
    kinds : what each can be
    sums : what some of them add up to
    most : the largest number of rows made of the ranges; 0 for a given list, whose ranges have no
        meaning

    Raises
    ------
    InputError
        As `Space`, and without a name for each input.

    Examples
    --------
    >>> from ucbpe_core.spaces import Category, Real
    >>> from ucbpe_core.search.experiment import Design, Table
    >>> design = Design(("dose", "acid"), (Real(1, 100, log=True), Category(("a", "b"))), most=12)
    >>> table = Table.of(design, output="yield")
    >>> table.inputs, len(table), table.settings([11])
    (('log10 dose', 'acid = a', 'acid = b'), 12, [{'dose': 100.0, 'acid': 'b'}])
    """

    names: tuple[str, ...]
    kinds: tuple[Real | Integer | Category, ...]
    sums: tuple[SumConstraint, ...] = ()
    most: int = 0

    def __post_init__(self) -> None:
        if not self.names or not len(self.names) == len(self.kinds) == len(set(self.names)):
            got = f"{list(self.names)} for {len(self.kinds)}"
            raise InputError("a name of its own for each input", got, "name every input once")
        texts(self.names, "names")
        count(self.most, "most", minimum=0)
        _ = self.space

    @cached_property
    def space(self) -> Space:
        """The settings that there are."""
        return Space(self.kinds, self.names, sums=self.sums)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the coordinates (D,)."""
        pairs = zip(self.names, self.kinds, strict=True)
        return tuple(
            f"log10 {title}" if _is_log(kind) else title
            for name, kind in pairs
            for title in kind.titles(name)
        )

    @cached_property
    def coded(self) -> Booleans:
        """Which coordinates are of a category, (D,)."""
        return self._each(lambda kind: isinstance(kind, Category))

    @cached_property
    def plain(self) -> Booleans:
        """Which coordinates are what a person sets, (D,): the others have a label that says it."""
        return self._each(lambda kind: not isinstance(kind, Category) and not _is_log(kind))

    def _each(self, holds: Any) -> Booleans:
        found: Booleans = np.repeat([holds(kind) for kind in self.kinds], self._widths)
        return found

    @property
    def _widths(self) -> list[int]:
        return [kind.width for kind in self.kinds]

    @property
    def columns_of(self) -> tuple[tuple[str, slice], ...]:
        """Each input with its coordinates."""
        return tuple((name, self.at(name)) for name in self.names)

    def at(self, name: str) -> slice:
        """The coordinates of an input; `InputError` for another name."""
        if name not in self.names:
            raise InputError(f"one of {', '.join(self.names)}", repr(name), "name an input")
        i = self.names.index(name)
        start = sum(self._widths[:i])
        return slice(start, start + self._widths[i])

    def settings(self, coordinates: Floats) -> list[dict[str, Any]]:
        """What is set at coordinates (m, D)."""
        points = np.array(coordinates)
        for j in np.flatnonzero(~self.plain & ~self.coded):  # logarithmic
            points[:, j] = [plain(10.0**x) for x in points[:, j]]
        return self.space.settings(points)

    def labels(self, coordinates: Floats) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Of each input whose coordinates are not its value, the value as text, (m,)."""
        settings = self.settings(coordinates)
        return tuple(
            (name, tuple(_text(kind, setting[name]) for setting in settings))
            for name, kind in zip(self.names, self.kinds, strict=True)
            if isinstance(kind, Category) or _is_log(kind)
        )

    def bounded(self, name: str, low: float, high: float) -> Design:
        """With other ends of one range.

        Raises
        ------
        InputError
            For an input that is no number, and a list that has no ranges.
        """
        self.at(name)
        kind = self.kinds[self.names.index(name)]
        if not self.most or not isinstance(kind, Real):
            got = f"{name}, " + ("a category" if self.most else "of a list of candidates")
            raise InputError("an input with a range", got, "add and remove rows instead")
        new = replace(kind, low=low, high=high)
        kinds = tuple(new if own is kind and at == name else own for at, own in self._pairs)
        return replace(self, kinds=kinds)

    @property
    def _pairs(self) -> list[tuple[str, Real | Integer | Category]]:
        return list(zip(self.names, self.kinds, strict=True))

    def rows(self) -> Floats:
        """Coordinates (m, D) of settings that stand for all, at most `most` (`gridded`)."""
        return gridded(self.space, max(self.most, 1))


def _is_log(kind: Real | Integer | Category) -> bool:
    return isinstance(kind, Real) and kind.log


def _text(kind: Real | Integer | Category, value: Any) -> str:
    """A value as text; of any number on a logarithmic axis, four digits."""
    if isinstance(kind, Category):
        return str(value)
    return f"{value:.12g}" if kind.step else f"{value:.4g}"
