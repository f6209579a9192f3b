"""GP-UCB: the sequential upper confidence bound rule."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from ucbpe_core.errors import InputError
from ucbpe_core.policies.base import BatchContext, Policy, pick_upper
from ucbpe_core.policies.decision import Pick


@dataclass(frozen=True)
class GPUCB(Policy):
    """x_t = argmax over X of mean + sqrt(beta_t) std, one point at a time (K = 1).

    References
    ----------
    Srinivas, Krause, Kakade and Seeger, ICML 2010, Algorithm 1.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCB, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCB())
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().indices
    array([17])
    """

    name = "GP-UCB"
    rules = MappingProxyType({"ucb": "argmax over X of μ + √βₜ σ"})
    confined = True
    batch_size: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch_size != 1:
            raise InputError(
                "batch_size 1", str(self.batch_size), "use GreedyUCB or GPUCBPE for batches"
            )

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        return (pick_upper(context.posterior, context.beta),)
