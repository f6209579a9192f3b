"""Arrays in a file: numbers in lists, masks as text, candidates on a grid as its axes."""

from __future__ import annotations

import base64
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.policies.decision import Decision, Pick
from ucbpe_core.records.convert import REMEDY
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
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
