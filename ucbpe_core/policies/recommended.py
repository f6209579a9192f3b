"""The rule for who wants the best result: expected improvement, then upper bounds."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from ucbpe_core.policies.base import Policy, sized
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.ei_pe import best_mean, pick_improvement
from ucbpe_core.policies.picking import before_each, pick_upper
from ucbpe_core.schedules import ConstantBeta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.schedules import BetaSchedule

# Why it is what `minimize`, the sampler for Optuna and *Your problem* take by default, in one line.
REASON = (
    "Expected improvement first, then upper bounds given the picks before: of the rules here, "
    "the one that came nearest to the optimum, measured beside other optimisers."
)


@dataclass(frozen=True)
class Recommended(Policy):
    """x0 = argmax over X of the expected improvement E[max(f - best, 0)]; then, for
    k = 1 .. K-1, xk = argmax over X of mean + std after x0 .. x(k-1).

    `best` and the improvement are those of `EIPE`. The bounds are those of `GreedyUCB` with beta =
    1, whatever schedule is passed in: as each pick lowers the std around it, the next ones move
    away by themselves, and as beta is small, they stay where f can still be better.

    Parameters
    ----------
    batch_size : int, K >= 1
        K = 1 is sequential expected improvement.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import Recommended
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), Recommended(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('ei', 'ucb', 'ucb')
    """

    name = "Recommended"
    rules = MappingProxyType(
        {
            "ei": "argmax over X of E[max(f − μ⁺, 0)], μ⁺ the best μ at a measured point",
            "ucb": "argmax over X of μ + σ, given the picks before",
        }
    )
    searched = True
    batch_size: int = 10

    def effective_schedule(self, schedule: BetaSchedule) -> BetaSchedule:
        """beta = 1."""
        return ConstantBeta(1.0)

    def beside(self, running: Sequence[str], size: int) -> Policy:
        """While the first pick is running, the others."""
        return _Bounds(size) if "ei" in running else sized(self, size)

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        start, chosen = context.posterior, list[Pick]()
        for k, posterior in enumerate(before_each(start, chosen, self.batch_size)):
            mask = context.eligible.mask(posterior)
            if self.role(k) == "ei":
                chosen.append(pick_improvement(posterior, best_mean(start), "ei", mask))
            else:
                chosen.append(pick_upper(posterior, context.beta, mask=mask))
        return tuple(chosen)


class _Bounds(Recommended):
    """The picks after the first one, while that is running."""

    def role(self, k: int) -> str:
        return "ucb"
