"""What a policy may know when it chooses a batch, and which candidates it may have.

Two kinds of candidates can be ruled out: those withdrawn, which will never be measured, and, under
``repeats="avoid"``, those where f is known, where a measurement tells nothing. A policy then
chooses among the others alone, from the same posterior: R, R+ and y_dot stay those of all X.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.policies.decision import Pick
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Booleans, Floats, Integers, Repeats


@dataclass(frozen=True, eq=False)
class Eligible(Frozen):
    """Which of M candidates can be picked.

    Attributes
    ----------
    allowed : those that were not withdrawn, shape (M,); None for all. Where R+ has none of them,
        they take its place
    repeats : "avoid" leaves out candidates where f is known, given the picks before: without noise,
        those measured or picked, and numerically equal ones. Where R+ has no other, the policy goes
        on over X, and a batch has fewer than `batch_size` picks where X has no other. "allow" is
        the rule of the policy itself

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GaussianProcess, GPUCBPE, Matern, Posterior
    >>> from ucbpe_core.policies import Eligible
    >>> posterior = Posterior.prior(GaussianProcess(Matern(4.0)), range(21))
    >>> eligible = Eligible.without([0, 20], size=21)
    >>> GPUCBPE(batch_size=3).decide(posterior, 1, FiniteBeta(), eligible=eligible).indices
    array([ 1, 19, 10])
    """

    allowed: Booleans | None = None
    repeats: Repeats = "allow"

    @classmethod
    def without(
        cls, indices: Sequence[int] | Integers, size: int, repeats: Repeats = "allow"
    ) -> Eligible:
        """All of `size` candidates but those `indices` (k,)."""
        if len(indices) == 0:
            return cls(None, repeats)
        allowed = np.ones(size, dtype=bool)
        allowed[np.asarray(indices, dtype=np.intp)] = False  # a tuple would be one index
        return cls(read_only(allowed), repeats)

    def among(self, indices: Integers) -> Eligible:
        """The same over only the candidates `indices` (k,)."""
        return self if self.allowed is None else replace(self, allowed=self.allowed[indices])

    def mask(self, posterior: Posterior) -> Booleans | None:
        """Where a pick can be made, given the posterior after the picks before, shape (M,); None
        for everywhere.
        """
        return both(self.allowed, unknown(posterior) if self.repeats == "avoid" else None)


EVERYWHERE = Eligible()


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


def unknown(posterior: Posterior) -> Booleans | None:
    """Where f is not known, shape (M,); None for everywhere, as with noise."""
    known = _known(posterior, posterior.std)
    return ~known if known.any() else None


def _known(posterior: Posterior, std: Floats) -> Booleans:
    """Whether f is known (`gp.knows`) at candidates with that std, shape (k,)."""
    return posterior.gp.knows(std, posterior.state.rows.prior_variance)


def both(left: Booleans | None, right: Booleans | None) -> Booleans | None:
    """Where two conditions hold; None stands for everywhere."""
    if left is None or right is None:
        return left if right is None else right
    return left & right


def fresh(posterior: Posterior, picks: tuple[Pick, ...]) -> int:
    """How many picks come before the first where f is known; at least one, as it was free."""
    known = _known(posterior, np.array([pick.std for pick in picks]))
    return max(int(known.argmax()), 1) if known.any() else len(picks)
