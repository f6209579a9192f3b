"""GP-UCB-PE: one upper confidence bound pick, then pure exploration of R+."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.picking import Bound, Exploration, explore, pick_upper, then_explore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.policies.picking import OverBox, Score


@dataclass(frozen=True)
class GPUCBPE(Policy):
    """x0 = argmax over X of mean + sqrt(beta_t) std; then, for k = 1 .. K-1,
    xk = argmax over R+ of the std after hallucinating x0 .. x(k-1).

    R+ is fixed at batch start. The std does not depend on the values of y, so it can be updated
    before any of them is measured, an idea from GP-BUCB (Desautels, Krause and Burdick, ICML 2012).
    Ties go to the lowest index, and a candidate may be picked twice: with noise a repeat can reduce
    uncertainty most.

    Parameters
    ----------
    batch_size : int, K >= 1
        K = 1 is GP-UCB.

    References
    ----------
    Contal, Buffoni, Robicquet and Vayatis, ECML 2013, Algorithm 1 and section 3.2.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> decision = bandit.ask()
    >>> decision.indices, decision.roles
    (array([17,  0, 20]), ('ucb', 'pe', 'pe'))
    """

    name = "GP-UCB-PE"
    rules = MappingProxyType(
        {
            "ucb": "argmax over X of μ + √βₜ σ",
            "pe": "argmax over R⁺ of σ, given the picks before",
        }
    )
    uses_region = True
    batch_size: int = 10

    def with_pending(self, pending: Sequence[str], size: int) -> Policy:
        """The other picks of a batch while its UCB pick is running: pure exploration of R+.

        A choice of this package: K running picks always form a batch, one by the upper bound and
        K - 1 by pure exploration, whichever of them has just had its result.
        """
        if "ucb" not in pending:
            return super().with_pending(pending, size)
        return RegionExploration(size)

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        first = pick_upper(context.posterior, context.beta)
        return then_explore(first, context, self.batch_size)

    def score(self, role: str, batch: OverBox) -> Score:
        return Bound(1.0, math.sqrt(batch.beta)) if role == "ucb" else Exploration()


class RegionExploration(GPUCBPE):
    """The picks after the first, while the first is running: argmax over R+ of the std."""

    rules = MappingProxyType({"pe": GPUCBPE.rules["pe"]})

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        return explore(context.posterior, context.region_plus, self.batch_size)

    def score(self, role: str, batch: OverBox) -> Score:
        return Exploration()
