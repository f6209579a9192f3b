"""Points of a box that are not to be picked, whatever a score says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.gp import ConditionedProcess
    from ucbpe_core.space import Space
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
    space : what is set at a point
    centres, radii : points (e, d), and how near another one is the same, in every coordinate (e,)
    known : of the points (m, d), those where f is known already; None for none
    distinct : no two picks of a batch are the same, also where the prior has noise
    """

    space: Space
    centres: Floats
    radii: Floats
    known: Callable[[Floats], Booleans] | None = None
    distinct: bool = False

    @classmethod
    def nothing(cls, space: Space) -> Exclusion:
        """Leaves out no point."""
        return cls(space, np.empty((0, len(space.inputs))), np.empty(0))

    def with_pick(self, u: Floats) -> Exclusion:
        """The same, and without the pick u (d,) if picks are to be distinct."""
        if not self.distinct:
            return self
        centres = np.concatenate([self.centres, self.space.snap(u[None])])
        return self._replace(centres=centres, radii=np.append(self.radii, SAME))

    def holds(self, U: Floats) -> Booleans:
        """Which points U (m, d) can be picked, shape (m,)."""
        V, free = self.space.snap(U), np.ones(len(U), dtype=bool)
        for centre, radius in zip(self.centres, self.radii, strict=True):
            free &= (np.abs(V - centre) > radius).any(axis=1)
        if self.known is not None and free.any():
            free[free] = ~self.known(V[free])
        return free


def knows(process: ConditionedProcess, space: Space) -> Callable[[Floats], Booleans]:
    """Where f is known (`GaussianProcess.knows`), of points of the unit cube."""

    def known(U: Floats) -> Booleans:
        X = space.place(U)
        signal = float(process.gp.kernel.diagonal(X).max(initial=0.0))
        return process.gp.knows(process.predict(X).std, signal)

    return known
