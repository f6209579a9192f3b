"""Points of a box that are not to be picked, whatever an acquisition says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.box.acquisition import SuperlevelConstraint
    from ucbpe_core.gp import ConditionedProcess
    from ucbpe_core.validation import Booleans, Floats

# Two points this close, in every coordinate and as a share of the side, are numerically one.
SAME = 1e-6
# A withdrawn setting and one closer than this are the same setting, however exactly results are
# matched to picks.
APART = 1e-3


class Exclusion(NamedTuple):
    """Points of the unit cube that are left out of a search.

    Attributes
    ----------
    centres, radii : points (e, d), and how near another one is the same, in every coordinate (e,)
    snap : where a point U (m, d) would really be set, such as the nearest step; None: where it is
    known : of the points (m, d), those where f is known already; None for none
    exact : values have no noise: that of the process only keeps its fit stable
    """

    centres: Floats
    radii: Floats
    snap: Callable[[Floats], Floats] | None = None
    known: Callable[[Floats], Booleans] | None = None
    exact: bool = False

    def with_pick(self, u: Floats) -> Exclusion:
        """The same, and without the pick u (d,) where values are exact, or steps decide a point."""
        if self.snap is None and not self.exact:
            return self
        pick = u[None] if self.snap is None else self.snap(u[None])
        centres = np.concatenate([self.centres, pick])
        return self._replace(centres=centres, radii=np.append(self.radii, SAME))

    def holds(self, U: Floats) -> Booleans:
        """Which points U (m, d) can be picked, shape (m,)."""
        V = U if self.snap is None else self.snap(U)
        free = np.ones(len(U), dtype=bool)
        for centre, radius in zip(self.centres, self.radii, strict=True):
            free &= (np.abs(V - centre) > radius).any(axis=1)
        if self.known is not None and free.any():
            free[free] = ~self.known(V[free])
        return free


class Conditions(NamedTuple):
    """A constraint and an exclusion together."""

    constraint: SuperlevelConstraint | None
    exclusion: Exclusion

    def holds(self, U: Floats) -> Booleans:
        """Where both allow a pick, at points U (m, d), shape (m,)."""
        free = self.exclusion.holds(U)
        if self.constraint is not None and free.any():
            free[free] = self.constraint.holds(U[free])
        return free


def knows(process: ConditionedProcess, box: Floats) -> Callable[[Floats], Booleans]:
    """Where f is known (`GaussianProcess.knows`), of points of the unit cube of a box (d, 2)."""
    low, high = box.T

    def known(U: Floats) -> Booleans:
        X = low + (high - low) * U
        signal = float(process.gp.kernel.diagonal(X).max())
        return process.gp.knows(process.predict(X).std, signal)

    return known
