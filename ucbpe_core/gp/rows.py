"""The rows V = L^-1 k(X_n, X) of a posterior over candidates, shared by all its prefixes."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.errors import grouped
from ucbpe_core.support.frozen import lock_arrays
from ucbpe_core.support.limits import require
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ucbpe_core.support.validation import Floats, Integers

# Rows are kept in blocks: a new block never copies the old ones, at most 63 rows are unused, and
# one block times a vector is still one well-shaped BLAS call.
_BLOCK = 64
# Blocks are padded with zeros to a multiple of this many columns. BLAS adds up the columns that
# are left over after its last whole group in another order, so that equal candidates would get
# standard deviations that differ in the last bit, and a tie would not go to the lowest index.
COLUMNS = 16
# Several rows at once are made for this many columns at a time: a block of them, 1 MiB, stays in
# the cache while each new row takes its combination of it.
_STRIP = 2048


class Key(NamedTuple):
    """What a row conditions on: candidate `candidate`, or -1 for a point that is not one.

    `point` holds its coordinates; `noise` is the known noise variance of the measurement there, or
    None for that of the process; `factor` is the row's own part of L up to the diagonal, the
    entries of the point in the rows before, and `pivot` the diagonal. Of this point and those
    before, `noise_ratio` is the largest prior variance over noise variance, `conditioning` the
    largest prior variance over squared pivot, and `gain` the information that they give, in nats.
    """

    candidate: int
    point: bytes
    noise: float | None
    pivot: float
    factor: Floats
    noise_ratio: float
    conditioning: float
    gain: float

    def is_of(self, candidate: int, point: bytes, noise: float | None) -> bool:
        """Whether it conditions on that candidate, or point if it is -1, with that noise."""
        same_point = self.candidate == candidate and (candidate >= 0 or self.point == point)
        return same_point and self.noise == noise


NOTHING = Key(-1, b"", None, 1.0, np.empty(0), noise_ratio=0.0, conditioning=1.0, gain=0.0)


class Rows:
    """An append-only list of rows of length M. Posteriors hold it together with a count.

    Two posteriors that agree on their first n points share those rows. One that differs from n
    onwards gets a `branch`: whole blocks are shared, the last one is copied.
    """

    def __init__(self, width: int, prior_variance: float) -> None:
        self.width = width
        self.prior_variance = prior_variance
        self.keys: list[Key] = []
        self.lock = Lock()
        self._blocks: list[Floats] = []

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A lock guards the list in one process; the copy in another process gets its own.
        vars(self).update(state, lock=Lock())
        lock_arrays(self.keys)

    def append(self, key: Key, row: Floats) -> None:
        n = len(self.keys)
        self._reserve(n + 1)
        self._blocks[n // _BLOCK][n % _BLOCK, : self.width] = row
        self.keys.append(key)

    def continued(
        self, n: int, points: Sequence[tuple[int, bytes, float | None]]
    ) -> tuple[Rows, int]:
        """Rows that can be appended to after the first n and those of `points` that are there.

        Each of `points` is (candidate, coordinates, noise), as in a `Key`. Returns these rows, or a
        branch where others follow, and how many of `points` they already condition on.
        """
        there = self.keys[n : n + len(points)]
        shared = 0
        while shared < len(there) and there[shared].is_of(*points[shared]):
            shared += 1
        others_follow = shared < len(there)
        return (self.branch(n + shared) if others_follow else self), shared

    def append_all(
        self,
        keys: Sequence[Key],
        covariance: Callable[[slice, slice], Floats],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Append the rows of `keys`, reading the rows before them once per `_BLOCK` new ones.

        Row i is (covariance - factor_i @ V) / pivot_i, with the prior covariances of the points
        `rows` (of `keys`) with the candidates `columns` from covariance(rows, columns). Sums are
        taken over the same blocks in the same order as in `combine`: every number is the one
        that appending row by row gives. `progress` is called with the count of numbers made and
        their total; when it raises, no row has been appended.

        Raises
        ------
        TooLargeError
            If the rows do not fit in memory; none has been appended.
        """
        n, first = len(self.keys), 0
        self._reserve(n + len(keys))
        while first < len(keys):
            last = min(len(keys), first + _BLOCK - (n + first) % _BLOCK)
            for left in range(0, self.width, _STRIP):
                strip = slice(left, min(left + _STRIP, self._padded))
                prior = covariance(slice(first, last), slice(left, min(strip.stop, self.width)))
                self._fill(n + first, keys[first:last], strip, prior)
                if progress is not None:
                    done = first * self.width + (last - first) * min(strip.stop, self.width)
                    progress(done, len(keys) * self.width)
            first = last
        self.keys.extend(keys)

    def _reserve(self, n: int) -> None:
        """Blocks for n rows."""
        more = -(-n // _BLOCK) - len(self._blocks)
        if more > 0:
            what = f"{n} rows over {grouped(self.width)} candidates"
            remedy = "use fewer candidates, or free memory"
            require(more * _BLOCK * self._padded * 8, what, remedy)
            self._blocks += [self._new_block() for _ in range(more)]

    def _fill(self, n: int, keys: Sequence[Key], strip: slice, prior: Floats) -> None:
        """Rows n, n + 1, ... of one block, in one strip of the columns."""
        whole, position = divmod(n, _BLOCK)
        totals = np.zeros((len(keys), strip.stop - strip.start))
        for b, block in enumerate(self._blocks[:whole]):
            part, entries = block[:, strip], slice(b * _BLOCK, (b + 1) * _BLOCK)
            for total, key in zip(totals, keys, strict=True):
                total += key.factor[entries] @ part
        own = self._blocks[whole][:, strip]
        for i, (total, key) in enumerate(zip(totals, keys, strict=True), position):
            if i:
                total += key.factor[whole * _BLOCK :] @ own[:i]
            width = prior.shape[1]
            own[i, :width] = (prior[i - position] - total[:width]) / key.pivot

    def restricted(self, indices: Integers, keys: list[Key]) -> Rows:
        """Independent rows, the first len(keys) of these at the candidates `indices` (k,) alone."""
        other = Rows(len(indices), self.prior_variance)
        other.keys = list(keys)
        other._reserve(len(keys))
        padded = np.resize(indices, other._padded) if len(indices) else indices
        for block, part in zip(self._blocks_of(len(keys)), other._blocks, strict=True):
            # "clip" is what avoids a buffer; the indices are known to be good.
            np.take(block, padded, axis=1, out=part[: len(block)], mode="clip")
        return other

    def branch(self, n: int) -> Rows:
        """Independent rows that begin with the first n of these."""
        other = Rows(self.width, self.prior_variance)
        other.keys = self.keys[:n]
        whole, rest = divmod(n, _BLOCK)
        other._blocks = self._blocks[:whole]
        if rest:
            last = self._new_block()
            last[:rest] = self._blocks[whole][:rest]
            other._blocks = [*other._blocks, last]
        return other

    def __getitem__(self, i: int) -> Floats:
        """Row i, shape (M,), read-only."""
        return read_only(self._blocks[i // _BLOCK][i % _BLOCK, : self.width])

    def points(self, n: int, dimension: int) -> Floats:
        """The first n points, shape (n, d)."""
        X = [np.frombuffer(key.point) for key in self.keys[:n]]
        return np.array(X).reshape(n, dimension)

    def column(self, j: int, n: int) -> Floats:
        """Entries of candidate j in the first n rows, shape (n,)."""
        parts = [block[:, j] for block in self._blocks_of(n)]
        return np.concatenate(parts) if parts else np.empty(0)

    def columns(self, indices: Integers, n: int) -> Floats:
        """Entries of the candidates `indices` (k,) in the first n rows, shape (n, k)."""
        V = np.empty((n, len(indices)))
        for i, block in enumerate(self._blocks_of(n)):
            # Block by block in place: joining parts would touch twice the memory, for the first
            # time each, and that takes several times longer. "clip" is what avoids a buffer.
            out = V[i * _BLOCK : i * _BLOCK + len(block)]
            np.take(block, indices, axis=1, out=out, mode="clip")
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
            L[i, :i] = key.factor
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
