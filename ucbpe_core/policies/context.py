"""What a policy may know when it chooses a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_core.assignment import Frozen
from ucbpe_core.policies.eligible import EVERYWHERE, Eligible

if TYPE_CHECKING:
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Booleans


@dataclass(frozen=True, eq=False)
class BatchContext(Frozen):
    """All that a policy may know at the start of batch t. No problem, no true value.

    Attributes
    ----------
    posterior : at batch start, outstanding picks of earlier batches hallucinated
    t : iteration, from 1
    beta, beta_next : beta_t and beta_(t+1)
    y_dot, region, region_plus : the relevant region at batch start
    eligible : which candidates can be picked. A policy that draws or ranks candidates itself asks
        ``eligible.mask(posterior)``, given the posterior after the picks before

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import RandomSearch
    >>> class Reporting(RandomSearch):
    ...     def picks(self, context):
    ...         print(context.t, round(context.beta, 2), context.region_plus)
    ...         return super().picks(context)
    >>> posterior = Posterior.prior(GaussianProcess(RBF()), range(4)).observe([1], [9.0])
    >>> decision = Reporting(2, seed=0).decide(posterior, t=1, schedule=FiniteBeta(scale=0.2))
    1 1.67 [False  True False False]
    """

    posterior: Posterior
    t: int
    beta: float
    beta_next: float
    y_dot: float
    region: Booleans
    region_plus: Booleans
    eligible: Eligible = EVERYWHERE
