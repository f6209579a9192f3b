"""What the rows of a table stand for: settings of inputs of any kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.spaces import gridding
from ucbpe_core.spaces.gridding import plain
from ucbpe_core.spaces.inputs import Category, Integer, Real, SumConstraint
from ucbpe_core.spaces.space import Space
from ucbpe_core.support.validation import count, texts

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Booleans, Floats


@dataclass(frozen=True)
class Design:
    """Which settings the rows of a table stand for.

    The candidates are coordinates of the settings, as the Gaussian process sees them
    (`box.Space`): log10 of a logarithmic input, and a column for each value of a category.

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
        As `box.Space`, and without a name for each input.

    Examples
    --------
    >>> from ucbpe_core.search.box import Category, Real
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
        """Coordinates (m, D) of settings that stand for all, at most `most` (`gridding.rows`)."""
        return gridding.rows(self.space, max(self.most, 1))


def _is_log(kind: Real | Integer | Category) -> bool:
    return isinstance(kind, Real) and kind.log


def _text(kind: Real | Integer | Category, value: Any) -> str:
    """A value as text; of any number on a logarithmic axis, four digits."""
    if isinstance(kind, Category):
        return str(value)
    return f"{value:.12g}" if kind.step else f"{value:.4g}"
