"""Arrays in a file: numbers in lists, masks as text, candidates on a grid as its axes."""

from __future__ import annotations

import base64
from dataclasses import dataclass, fields
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.policies.decision import Decision, Pick
from ucbpe_core.records.convert import REMEDY
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.region import RelevantRegion
    from ucbpe_core.validation import Booleans, Floats

_T = TypeVar("_T")


@dataclass(frozen=True)
class Mask:
    """Which candidates: bit j % 8 (least first) of byte j // 8, in Base64; and their number."""

    size: int
    mask: str

    @classmethod
    def pack(cls, mask: Booleans) -> Mask:
        packed = np.packbits(mask, bitorder="little").tobytes()
        return cls(int(mask.sum()), base64.b64encode(packed).decode("ascii"))

    def unpack(self, size: int, path: str) -> Booleans:
        """The mask over `size` candidates.

        Raises
        ------
        InputError
            For text that is not Base64 or of another length, bits beyond the last candidate, or a
            size that is not the mask's.
        """
        try:
            content = np.frombuffer(base64.b64decode(self.mask, validate=True), np.uint8)
        except ValueError as error:  # binascii's, or text that is not ASCII
            raise InputError(f"Base64 at {path}.mask", str(error), REMEDY) from None
        mask = np.unpackbits(content, bitorder="little")[:size].astype(bool)
        if len(content) != -(-size // 8) or Mask.pack(mask) != self:
            wanted = f"a bit for each of {size} candidates, {self.size} of them set, at {path}"
            raise InputError(wanted, f"{len(content)} bytes, {mask.sum()} set", REMEDY)
        return frozen_copy(mask, np.bool_)


@dataclass(frozen=True)
class Candidates:
    """Points (M, d): by the axes of a grid, whose last input moves fastest, or one row for each."""

    axes: tuple[tuple[float, ...], ...] = ()
    points: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def pack(cls, points: Floats, grid: Sequence[int] = ()) -> Candidates:
        """By axes if the points are exactly a grid of that shape."""
        if len(grid) == points.shape[1]:
            axes = tuple(
                tuple(np.moveaxis(column.reshape(grid), i, 0).reshape(grid[i], -1)[:, 0].tolist())
                for i, column in enumerate(points.T)
            )
            if _mesh(axes).tobytes() == np.ascontiguousarray(points).tobytes():
                return cls(axes=axes)
        return cls(points=tuple(map(tuple, points.tolist())))

    def unpack(self, size: int, path: str, grid: Sequence[int] = ()) -> Floats:
        """The points (size, d); axes have the lengths of the grid.

        Raises
        ------
        InputError
            For rows of different lengths, axes of other lengths or another number of points.
        """
        # A few long axes could make more points than memory holds: count before making them.
        lengths = [*map(len, self.axes)]
        found = prod(lengths) if lengths else len(self.points)
        if found != size or size == 0 or (self.axes and self.points):
            wanted = f"{size} points at {path}, one for each value"
            raise InputError(wanted, str(found), REMEDY)
        if self.axes:
            if lengths != [*grid]:
                raise InputError(f"axes of lengths {[*grid]} at {path}", str(lengths), REMEDY)
            return _mesh(self.axes)
        widths = sorted({len(row) for row in self.points})
        if len(widths) != 1:
            raise InputError(f"rows of one length at {path}.points", f"{widths}", REMEDY)
        return np.array(self.points)


def plain(array: Any) -> tuple[Any, ...]:
    """An array (n,) or (n, d) as tuples of Python numbers, None for NaN."""
    if array.ndim > 1:
        return tuple(map(plain, array))
    return tuple(None if one != one else one for one in array.tolist())


def score(written: float | None) -> float:
    """The score of a pick read from a file, where None stands for NaN."""
    return np.nan if written is None else written


def decision_of(
    batch: Any, t: int, n: int, gp: GaussianProcess, X: Floats, relevant: RelevantRegion
) -> Decision:
    """The decision of a recorded batch t, after n points: over X (M, d), under the prior `gp`."""
    return Decision.of(
        [Pick(pick.candidate, pick.role, pick.std, score(pick.score)) for pick in batch.picks],
        X[[pick.candidate for pick in batch.picks]],
        gp,
        t=t,
        n=n,
        betas=(batch.beta, batch.beta_next),
        relevant=relevant,
        signal=float(gp.kernel.diagonal(X).max()),
        exhausted=batch.exhausted,
    )


def record_of(kind: type[_T], source: Any, **given: Any) -> _T:
    """A record of that kind: the fields `given`, the others from the attributes of `source`."""
    for one in fields(cast("Any", kind)):
        if one.name not in given:
            value = getattr(source, one.name)
            given[one.name] = plain(value) if isinstance(value, np.ndarray) else value
    return kind(**given)


def _mesh(axes: Sequence[Sequence[float]]) -> Floats:
    return np.stack([part.ravel() for part in np.meshgrid(*axes, indexing="ij")], axis=1)
