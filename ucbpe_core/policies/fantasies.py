"""Batches from assumed values: kriging believer and constant liar."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.ei_pe import most_improving
from ucbpe_core.support.limits import checkpoint

if TYPE_CHECKING:
    from ucbpe_core.gp.posterior import Posterior

_LIES = ("min", "mean", "max")


@dataclass(frozen=True)
class KrigingBeliever(Policy):
    """For k = 0 .. K-1: xk = argmax over X of the expected improvement after x0 .. x(k-1) were
    "measured" at the values that their posterior means then had.

    This does not move the mean, and the std shrinks as in every policy that hallucinates. But the
    believed values count as known: the improvement is over the best of them too, so a batch can
    crowd where the mean is high. `best` is as in `EIPE`: the greatest mean at a point
    conditioned on, believed ones included. The score is the improvement.

    Parameters
    ----------
    batch_size : int, K >= 1

    References
    ----------
    Ginsbourger, Le Riche and Carraro, Kriging is well-suited to parallelize optimization, 2010: the
    definition in common use; their text was not read for this.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import KrigingBeliever
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), KrigingBeliever(batch_size=2))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('believer', 'believer')
    """

    name = "Kriging believer"
    rules = MappingProxyType(
        {"believer": "argmax over X of E[max(f − μ⁺, 0)], the picks before at their means"}
    )
    batch_size: int = 10

    def value(self, posterior: Posterior, start: Posterior, index: int) -> float:
        """The value that pick `index` is assumed to have measured."""
        return float(posterior.mean[index])

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        start, chosen = context.posterior, list[Pick]()
        believed, counted = start, start
        (role,) = self.rules
        for _ in range(self.batch_size):
            checkpoint()
            mask = context.eligible.mask(counted)
            pick = most_improving(believed, role, mask)
            chosen.append(replace(pick, std=float(counted.std[pick.index])))
            y = self.value(believed, start, pick.index)
            believed = believed.observe([pick.index], [y])
            counted = counted.hallucinate([pick.index])
        return tuple(chosen)


@dataclass(frozen=True)
class ConstantLiar(KrigingBeliever):
    """For k = 0 .. K-1: xk = argmax over X of the expected improvement after x0 .. x(k-1) were
    "measured" at one value, the lie: the least, mean or greatest value measured so far.

    Unlike a hallucinated std, a lie moves the mean around each pick: a low one pushes later
    picks away, a high one draws them near. Before any value is measured the lie is the prior mean.

    Parameters
    ----------
    batch_size : int, K >= 1
    lie : "min", "mean" or "max"
        Of the values measured, of -f where f is minimised: "min" is the pessimist's.

    References
    ----------
    Ginsbourger, Le Riche and Carraro, 2010: as for `KrigingBeliever`.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import ConstantLiar
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), ConstantLiar(batch_size=2))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('liar', 'liar')
    """

    name = "Constant liar"
    rules = MappingProxyType(
        {"liar": "argmax over X of E[max(f − μ⁺, 0)], the picks before at the lie"}
    )
    lie: str = field(default="min", metadata={"choices": _LIES})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lie not in _LIES:
            raise InputError(f"a lie among {', '.join(_LIES)}", repr(self.lie), "pass 'min'")

    def value(self, posterior: Posterior, start: Posterior, index: int) -> float:
        measured = start.y[~np.isnan(start.y)]
        if not len(measured):
            return start.gp.mean
        if self.lie == "mean":
            return float(measured.mean())
        return float(measured.min() if self.lie == "min" else measured.max())
