"""Beliefs over a part of the candidates, and the rows of several points at once.

A row is v = (k(x, .) - L_x'V) / pivot: over some candidates it needs of the others no more than
the pivot and the point's own part of L, and each of its numbers comes from its own column. So a
belief can be cut to some candidates, go on alone, and hand what it found to one over others; and
several points need one pass over the rows instead of one each. All of it gives, bit for bit, the
numbers that one row after the other over all candidates gives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.validation import count, indices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.rows import Key, Rows
    from ucbpe_core.validation import Floats, Integers


class Parts(ABC):
    """What `Posterior` does with parts of its candidates."""

    gp: GaussianProcess
    candidates: Floats
    _rows: Rows
    _residuals: tuple[float, ...]

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of points conditioned on."""

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """Posterior mean, shape (M,)."""

    @property
    @abstractmethod
    def _unclipped_variance(self) -> Floats:
        """Posterior variance as it was summed, shape (M,)."""

    @abstractmethod
    def _made(
        self,
        candidates: Floats,
        rows: Rows,
        residuals: tuple[float, ...],
        mean: Floats,
        variance: Floats,
    ) -> Posterior:
        """A belief of these parts, under the same prior."""

    @abstractmethod
    def _extend_by_candidate(self, j: int, y: float | None, noise: float | None) -> Posterior:
        """The belief after one value at candidate j, hallucinated if None.

        `noise` is its known noise variance, or None for that of the process.
        """

    def restrict(self, members: ArrayLike) -> Posterior:
        """The same belief over the candidates `members` (k,) alone, with rows of its own.

        It stays conditioned on the same n points, and takes all of them for points outside its
        set.
        """
        chosen = indices(members, len(self.candidates))
        count(len(chosen), "the number of candidates")
        return self._made(
            self.candidates[chosen],
            self._rows.restricted(chosen, self._outside),
            self._residuals,
            self.mean[chosen],
            self._unclipped_variance[chosen],
        )

    def join(self, other: Posterior, order: Integers) -> Posterior:
        """One belief over the candidates of this one and then of the other, in that order (k,).

        Both are conditioned on the same n points, all of which then count as outside the set.
        """
        return self._made(
            np.concatenate([self.candidates, other.candidates])[order],
            self._rows.joined(other._rows, order, self._outside),
            self._residuals,
            np.concatenate([self.mean, other.mean])[order],
            np.concatenate([self._unclipped_variance, other._unclipped_variance])[order],
        )

    def condition_like(self, source: Posterior, members: Sequence[int] = ()) -> Posterior:
        """The belief after all points of `source`, a belief that began with the same n points.

        The source may be about other candidates: its factor L tells the rows over these.
        `members` says which candidates the new points are here; unless given, none.
        """
        rows, n = self._rows, self.n
        keys = source._outside[n:]
        if members:
            keys = [key._replace(candidate=j) for key, j in zip(keys, members, strict=True)]
        with rows.lock:
            known = rows.agreement(n, [key[:3] for key in keys])
            if len(rows.keys) > n + known:
                rows = rows.branch(n + known)
            self._append(rows, keys[known:])
        mean, variance = self.mean.copy(), self._unclipped_variance.copy()
        for i in range(n, source.n):
            if source._residuals[i]:
                mean += source._residuals[i] * rows[i]
            variance -= rows[i] ** 2
        return self._made(self.candidates, rows, source._residuals, mean, variance)

    def _with_rows_of(
        self,
        members: list[int],
        noise: Sequence[float | None],
        progress: Callable[[int, int], None] | None = None,
    ) -> Posterior:
        """The same belief, over rows that go on with those of `members` at that noise.

        What is missing of them is made at once: every row needs of the others no more than their
        values at `members`, which the belief over these few candidates tells.
        """
        rows, n = self._rows, self.n
        with rows.lock:
            known = rows.agreement(n, [(j, b"", s) for j, s in zip(members, noise, strict=True)])
            if len(members) - known < 2:
                return self._over(self._rows)
            if len(rows.keys) > n + known:
                rows = rows.branch(n + known)
            auxiliary = self.restrict(members)
            for i, s in enumerate(noise):
                auxiliary = auxiliary._extend_by_candidate(i, None, s)
            made = auxiliary._rows.keys[n + known :]
            keys = [key._replace(candidate=j) for j, key in zip(members[known:], made, strict=True)]
            self._append(rows, keys, progress)
        return self._over(rows)

    def _append(
        self,
        rows: Rows,
        keys: list[Key],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Append the rows of `keys`, over these candidates."""
        points = np.array([np.frombuffer(key.point) for key in keys])
        cross = self.gp.kernel.cross
        rows.append_all(keys, lambda i, j: cross(points[i], self.candidates[j]), progress)

    def _over(self, rows: Rows) -> Posterior:
        """The same belief over other rows, the first n of which are equal."""
        variance = self._unclipped_variance
        return self._made(self.candidates, rows, self._residuals, self.mean, variance)

    @cached_property
    def _outside(self) -> list[Key]:
        """The keys of the n rows, as those of points that are no candidates."""
        keys = self._rows.keys[: self.n]
        return [key if key.candidate < 0 else key._replace(candidate=-1) for key in keys]
