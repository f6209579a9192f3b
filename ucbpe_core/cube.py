"""The affine map between a box and the unit cube."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.validation import bounds as checked_bounds
from ucbpe_core.validation import count, frozen_copy, points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Floats

__all__ = ["UnitCube"]


@dataclass(frozen=True, eq=False)
class UnitCube(Frozen):
    """Inputs on one scale: ``scale`` maps the box of `bounds` to [0, 1]^d, ``unscale`` back.

    One lengthscale can then serve inputs of different units.

    Parameters
    ----------
    bounds : low and high of each coordinate, shape (d, 2)

    Raises
    ------
    InputError
        For bounds that are not (d, 2) with low < high.

    Examples
    --------
    >>> from ucbpe_core.cube import UnitCube
    >>> cube = UnitCube.around([[20.0, 1.0], [80.0, 5.0]])
    >>> cube.scale([[50.0, 2.0]]), cube.unscale([[0.5, 0.25]])
    (array([[0.5 , 0.25]]), array([[50.,  2.]]))
    """

    bounds: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounds", frozen_copy(checked_bounds(self.bounds, "bounds")))

    @classmethod
    def around(cls, X: ArrayLike) -> UnitCube:
        """The smallest box around points X (n, d); a column of one value has side 1."""
        X = points(X, "X")
        count(len(X), "the number of points")
        low, high = X.min(axis=0), X.max(axis=0)
        return cls(np.stack([low, np.where(high > low, high, low + 1)], axis=1))

    def scale(self, X: ArrayLike) -> Floats:
        """Points X (n, d) in units of the box: 0 at its low and 1 at its high side."""
        low, high = self.bounds.T
        return (points(X, "X", len(low)) - low) / (high - low)

    def unscale(self, U: ArrayLike) -> Floats:
        """The points (n, d) that `scale` maps to U (n, d)."""
        low, high = self.bounds.T
        return low + points(U, "U", len(low)) * (high - low)
