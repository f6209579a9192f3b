"""Batches chosen one pick after the other, as if the earlier ones were known.

GP-BUCB takes the upper confidence bound K times, its band widened for results not yet known;
kriging believer, plain and randomized, and constant liar assume values.
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
from ucbpe_core.policies.expected_improvement import best_mean, most_improving
from ucbpe_core.policies.picking import (
    Bound,
    Exploration,
    LogImprovement,
    explore,
    log_expected_improvement,
    without_pending,
)
from ucbpe_core.policies.simple import GreedyUCB
from ucbpe_core.support import streams
from ucbpe_core.support.limits import checkpoint
from ucbpe_core.support.validation import count, non_negative, set_checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.process import ConditionedProcess
    from ucbpe_core.policies.picking import OverBox, Score
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.support.validation import Floats


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

    Mean and beta_t stay as at the start of the batch; only the std is updated, as it does not
    depend on the values. This is the source's idea, which other batch policies use as well. Within
    a batch the mean is out of date; the wider band makes up for it as long as the values of K - 1
    points give at most information C about f. Initialisation ensures this: while 1/2 (K-1) log(1 +
    max std^2 / noise_variance) exceeds C at batch start, the whole batch is K times argmax over X
    of the std after the earlier picks. The standard deviation never grows (unless outstanding picks
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

    def with_pending(self, pending: Sequence[str], size: int) -> Policy:
        """The pending picks count as earlier picks of the batch."""
        return _WithPending(size, self.C, self.initialization, len(pending))

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
class _WithPending(GPBUCB):
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

    def value(self, mean: float, std: float, told: Floats, rng: np.random.Generator) -> float:
        """The value assumed where a measurement has this mean and std, given the values y told."""
        return mean

    def begun(self, start: Posterior, rng: np.random.Generator) -> Posterior:
        """The posterior before the first pick, of what is assumed where a result is awaited."""
        return start

    def assuming(
        self, believed: Posterior, index: int, x: Floats, told: Floats, rng: np.random.Generator
    ) -> Posterior:
        """The posterior after the value assumed at candidate `index`, or, for -1, at a point x."""
        if index < 0:
            at = believed.conditioned().predict(x[None], noisy=True)
            y = self.value(float(at.mean[0]), float(at.std[0]), told, rng)
            return believed.observe_points(x[None], [y])
        std = math.sqrt(believed.std[index] ** 2 + believed.gp.noise_variance)
        y = self.value(float(believed.mean[index]), std, told, rng)
        return believed.observe([index], [y])

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        start, chosen = context.posterior, list[Pick]()
        rng, told = self._given(start, context.t)
        believed, counted = self.begun(start, rng), start
        (role,) = self.rules
        for _ in range(self.batch_size):
            checkpoint()
            mask = context.eligible.mask(counted)
            pick = most_improving(believed, role, mask)
            j = pick.index
            chosen.append(replace(pick, std=float(counted.std[j])))
            believed = self.assuming(believed, j, start.candidates[j], told, rng)
            counted = counted.hallucinate([j])
        return tuple(chosen)

    def score(self, role: str, batch: OverBox) -> Score:
        rng, told = self._given(batch.posterior, batch.t)
        believed = self.begun(batch.posterior, rng)
        for x in batch.places:
            believed = self.assuming(believed, -1, x, told, rng)
        return _Believed(best_mean(believed), believed.conditioned())

    def _given(self, start: Posterior, t: int) -> tuple[np.random.Generator, Floats]:
        """What values are assumed from: a stream, and the values told, or the prior mean."""
        told = start.y[~np.isnan(start.y)]
        known = told if len(told) else np.array([start.gp.mean])
        return streams.policy(getattr(self, "seed", None), t), known


@dataclass(frozen=True, eq=False)
class _Believed(LogImprovement):
    """`LogImprovement` over a box, of f given also the values that were assumed."""

    process: ConditionedProcess

    def values(self, X: Floats, mean: Floats, std: Floats) -> Floats:
        found = self.process.predict(X)
        return log_expected_improvement(found.mean, found.std, self.best)


@dataclass(frozen=True)
class RandomizedKrigingBeliever(KrigingBeliever):
    """For k = 0 .. K-1: xk = argmax over X of the expected improvement after a value was drawn for
    each pick whose result is awaited, of earlier batches or x0 .. x(k-1).

    Each is drawn from N(mean, std^2 + noise variance) given the measurements and the values drawn
    before, and then counts as measured: together they are a draw of the joint posterior of the
    measurements. So if the prior is right, and nothing is running, the picks of a batch are
    distributed as those of K steps of sequential expected improvement are, given the same data:
    they go where it might go, and do not all trust the mean. `best` is as in `KrigingBeliever`,
    which it equals where nothing is left to draw.

    The source's abstract states bounds on the Bayesian expected regret of randomized kriging
    believers; for which acquisition functions and with which constants was not read, so that none
    is claimed for this rule. Whether the source adds noise to what it draws was not read either.

    Parameters
    ----------
    batch_size : int, K >= 1
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    References
    ----------
    Sugiura, Takeuchi and Takeno, Randomized kriging believer for parallel Bayesian optimization
    with regret bounds, arXiv 2603.01470, 2026; only its abstract was read.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import RandomizedKrigingBeliever
    >>> policy = RandomizedKrigingBeliever(batch_size=2, seed=0)
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), policy)
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('randomised', 'randomised')
    """

    name = "Randomized kriging believer"
    rules = MappingProxyType(
        {"randomised": "argmax over X of E[max(f − μ⁺, 0)], a value drawn for each pick before"}
    )
    seed: int | None = None

    def value(self, mean: float, std: float, told: Floats, rng: np.random.Generator) -> float:
        return mean + std * float(rng.standard_normal())

    def begun(self, start: Posterior, rng: np.random.Generator) -> Posterior:
        believed = without_pending(start)
        indices, points = start.conditioned_indices, start.points
        for i in range(believed.n, start.n):
            believed = self.assuming(believed, indices[i], points[i], start.y, rng)
        return believed


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

    def value(self, mean: float, std: float, told: Floats, rng: np.random.Generator) -> float:
        if self.lie == "mean":
            return float(told.mean())
        return float(told.min() if self.lie == "min" else told.max())
