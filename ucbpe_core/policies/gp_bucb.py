"""Batches chosen one pick after the other, as if the earlier ones were known.

GP-BUCB takes the upper confidence bound K times, its band widened for results not yet known;
kriging believer and constant liar assume values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.expected_improvement import most_improving
from ucbpe_core.policies.picking import Bound, Exploration, explore
from ucbpe_core.policies.simple import GreedyUCB
from ucbpe_core.support.limits import checkpoint
from ucbpe_core.support.validation import count, non_negative, set_checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.policies.picking import OverBox, Score
    from ucbpe_core.policies.schedules import BetaSchedule


# exp(2 C) is then 1e130: beyond any use, and the product with a schedule is still a float.
_LARGEST_C = 150.0


def information_bound(posterior: Posterior, batch_size: int) -> float:
    """1/2 (K-1) log(1 + max over X of std^2 / noise_variance), in nats; 0 for K = 1.

    K - 1 noisy values never give more information about f: information is submodular, so each value
    adds at most what it would alone, which is most where the standard deviation is largest
    (Desautels et al. 2014). The bound never grows with data.

    Raises
    ------
    InputError
        For a batch size below 1, or noise variance 0 with K > 1, where it has no finite value.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies import information_bound
    >>> posterior = Posterior.prior(GaussianProcess(RBF(), noise_variance=0.01), [0.0, 1.0, 2.0])
    >>> round(information_bound(posterior, batch_size=3), 3)  # log(101)
    4.615
    """
    K = count(batch_size, "batch_size")
    if K == 1:
        return 0.0
    noise = posterior.gp.noise_variance
    if noise == 0:
        raise InputError(
            "a noise variance above 0",
            "0",
            "information is infinite without noise: pass e.g. noise_variance=1e-6, "
            "or GPBUCB(initialization=False)",
        )
    return float(0.5 * (K - 1) * np.log1p(posterior.raw_variance.max() / noise))


@dataclass(frozen=True)
class GPBUCB(Policy):
    """For k = 0 .. K-1: xk = argmax over X of mean + sqrt(beta_t) std after x0 .. x(k-1),
    with beta_t = exp(2 C) alpha_t, alpha_t the schedule in use, once initialisation is over.

    Mean and beta_t are those of batch start; only the std is updated, as it does not depend on the
    values. This is the source's idea, which other batch policies use as well. Within a batch the
    mean is out of date; the wider band makes up for it as long as the values of K - 1 points
    give at most information C about f. Initialisation ensures this: while 1/2 (K-1) log(1 + max
    std^2 / noise_variance) exceeds C at batch start, the whole batch is K times argmax over X of
    the std after the earlier picks. The standard deviation never grows (unless outstanding picks
    are withdrawn), so initialisation does not resume, and the policy needs no state. C = 0 without
    initialisation is `GreedyUCB`, to the last bit.

    The decision records the widened beta_t, and y_dot, R and R+ of that band. The schedule is
    evaluated at the batch number t, as for all policies; the source's alpha_t counts the points
    with known values.

    Parameters
    ----------
    batch_size : int, K >= 1
    C : float in [0, 150]
        Bound on the information, in nats, that the picks of a batch lack. The band is exp(C) times
        as wide: a larger C costs exploration in each batch, a smaller one a longer initialisation.
        Contal et al. (2013) run GP-BUCB without stating C, but print when initialisation ended:
        after 34 batches of 10 on a 2-D problem and 55 on an 8-D one. With C = 2, 20 initial points,
        1000 uniform candidates of the unit cube, RBF of variance 1 and noise variance 0.01 it ends
        after 32 to 34 batches in 2-D with lengthscale 0.1, and after 54 to 57 in 8-D with
        lengthscale 1: hence the default.
    initialization : bool
        If False, every batch follows the first rule, and the source's regret bound holds only as
        long as the condition on C does.

    Raises
    ------
    InputError
        From `decide`, for noise variance 0 with initialisation and K > 1.

    References
    ----------
    Desautels, Krause and Burdick, JMLR 15, 2014; first in ICML 2012.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import GPBUCB
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPBUCB(batch_size=3, C=2.0))
    >>> bandit.ask().roles  # the information of two points can still exceed C
    ('init', 'init', 'init')
    >>> bandit.tell(range(0, 21, 2), [0.5] * 11)
    >>> bandit.ask().roles
    ('ucb', 'ucb', 'ucb')
    """

    name = "GP-BUCB"
    rules = MappingProxyType(
        {
            "init": "argmax over X of σ, given the picks before (initialisation)",
            "ucb": "argmax over X of μ + √βₜ σ, σ given the picks before, βₜ = e²ᶜ αₜ",
        }
    )
    batch_size: int = 10
    C: float = 2.0
    initialization: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, C=non_negative)
        if self.C > _LARGEST_C:
            raise InputError(f"C of at most {_LARGEST_C:g}", f"{self.C:g}", "pass e.g. C=2.0")
        flag: object = self.initialization
        if not isinstance(flag, bool):
            got = type(flag).__name__
            raise InputError("initialization to be a bool", got, "pass True or False")

    def effective_schedule(self, schedule: BetaSchedule) -> BetaSchedule:
        """exp(2 C) times the schedule, by its scale."""
        scale = schedule.scale * float(np.exp(2 * self.C))
        try:
            return replace(schedule, scale=scale)  # type: ignore[type-var]
        except TypeError:
            raise InputError(
                "a schedule that is a dataclass with a field scale",
                type(schedule).__name__,
                "declare it so, so that GP-BUCB can scale it",
            ) from None

    def beside(self, running: Sequence[str], size: int) -> Policy:
        """The running picks count as earlier picks of the batch."""
        return _Beside(size, self.C, self.initialization, len(running))

    def initializing(self, posterior: Posterior) -> bool:
        """Whether a batch chosen from this posterior belongs to the initialisation."""
        return self.initialization and information_bound(posterior, self.batch_size) > self.C

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        posterior = context.posterior
        if self.initializing(posterior):
            everywhere = np.ones(len(posterior.candidates), dtype=bool)
            return explore(posterior, everywhere, self.batch_size, role="init")
        return GreedyUCB(self.batch_size).picks(context)

    def role(self, k: int, batch: OverBox) -> str:
        return "init" if self.initializing(batch.widest) else "ucb"

    def score(self, role: str, batch: OverBox) -> Score:
        return Exploration() if role == "init" else Bound(1.0, math.sqrt(batch.beta))


@dataclass(frozen=True)
class _Beside(GPBUCB):
    """Picks while others are running: all of them count as one batch in the bound."""

    running: int = 0

    def initializing(self, posterior: Posterior) -> bool:
        K, start = self.running + self.batch_size, posterior.at(posterior.n - self.running)
        return self.initialization and information_bound(start, K) > self.C


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
