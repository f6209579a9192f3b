"""The rows V = L^-1 k(X_n, X) of a belief over candidates, shared by all its prefixes."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.validation import Floats, Integers

# Rows are kept in blocks: a new block never copies the old ones, at most 63 rows lie idle, and
# one block times a vector is still one well-shaped BLAS call.
_BLOCK = 64
# Blocks are padded with zeros to a multiple of this many columns. BLAS adds up the columns that
# are left over after its last whole group in another order, so that equal candidates would get
# deviations that differ in the last bit, and a tie would not go to the lowest index.
COLUMNS = 16


@dataclass(frozen=True)
class Key:
    """What a row conditions on: candidate `index`, or (index -1) the point `point` itself.

    `factor` is the row's own part of L up to the diagonal, kept for points outside the
    candidates only: for candidate j it can be read off as column j of the rows before.
    """

    index: int
    pivot: float
    point: bytes = b""
    factor: Floats | None = field(default=None, compare=False, repr=False)

    def matches(self, index: int, point: bytes) -> bool:
        return self.index == index and self.point == point


class Rows:
    """An append-only list of rows of length M. Beliefs hold it together with a count.

    Two beliefs that agree on their first n points share those rows. One that goes another way
    from n onwards gets a `branch`: whole blocks are shared, the last one is copied.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.keys: list[Key] = []
        self.lock = Lock()
        self._blocks: list[Floats] = []

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A lock guards one process' list; the copy in another process gets its own.
        vars(self).update(state, lock=Lock())

    def append(self, key: Key, row: Floats) -> None:
        position = len(self.keys) % _BLOCK
        if position == 0:
            self._blocks.append(self._new_block())
        self._blocks[-1][position, : self.width] = row
        self.keys.append(key)

    def branch(self, n: int) -> Rows:
        """Independent rows that begin with the first n of these."""
        other = Rows(self.width)
        other.keys = self.keys[:n]
        whole, rest = divmod(n, _BLOCK)
        other._blocks = self._blocks[:whole]
        if rest:
            last = self._new_block()
            last[:rest] = self._blocks[whole][:rest]
            other._blocks = [*other._blocks, last]
        return other

    def __getitem__(self, i: int) -> Floats:
        return self._blocks[i // _BLOCK][i % _BLOCK, : self.width]

    def column(self, j: int, n: int) -> Floats:
        """Entries of candidate j in the first n rows, shape (n,)."""
        parts = [block[:, j] for block in self._blocks_of(n)]
        return np.concatenate(parts) if parts else np.empty(0)

    def columns(self, members: Integers, n: int) -> Floats:
        """Entries of the candidates `members` (k,) in the first n rows, shape (n, k)."""
        V = np.empty((n, len(members)))
        for i, block in enumerate(self._blocks_of(n)):
            # Block by block in place: joining parts would touch twice the memory, for the first
            # time each, and that takes several times longer. "clip" is what avoids a buffer.
            out = V[i * _BLOCK : i * _BLOCK + len(block)]
            np.take(block, members, axis=1, out=out, mode="clip")
        return V

    def combine(self, weights: Floats) -> Floats:
        """weights @ V over the first len(weights) rows, shape (M,): one pass over the rows."""
        total = np.zeros(self._padded)
        start = 0
        for block in self._blocks_of(len(weights)):
            total += weights[start : start + len(block)] @ block
            start += len(block)
        return total[: self.width]

    def factor(self, n: int) -> Floats:
        """L of the first n points, shape (n, n)."""
        L = np.zeros((n, n))
        for i, key in enumerate(self.keys[:n]):
            L[i, :i] = key.factor if key.factor is not None else self.column(key.index, i)
            L[i, i] = key.pivot
        return L

    @property
    def _padded(self) -> int:
        return -(-self.width // COLUMNS) * COLUMNS

    def _new_block(self) -> Floats:
        block = np.empty((_BLOCK, self._padded))
        block[:, self.width :] = 0.0
        return block

    def _blocks_of(self, n: int) -> Iterator[Floats]:
        for start in range(0, n, _BLOCK):
            yield self._blocks[start // _BLOCK][: n - start]
