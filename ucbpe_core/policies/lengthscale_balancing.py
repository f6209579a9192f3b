"""Lengthscale balancing: several lengthscales take turns, and those that do badly are left out."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import partial
from math import exp, log, pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.kernels import Kernel, Matern
from ucbpe_core.kernels.parameters import short_name
from ucbpe_core.policies.gp_ucb_pe import GPUCBPE
from ucbpe_core.policies.picking import without_pending
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import count, fraction, non_negative, positive, set_checked

if TYPE_CHECKING:
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Floats


class _Played(NamedTuple):
    """What came of the first pick of a batch: its value, and sqrt(beta) std when it was picked."""

    y: float
    width: float


@dataclass(frozen=True)
class LengthscaleBalancing(GPUCBPE):
    """`GPUCBPE` under the lengthscale l / q^i that is next, of those not yet ruled out.

    l is that of the prior, taken to be the longest possible, and q = exp(1/d), or exp(1/(d + 2 nu))
    for a Matern kernel. There are `start` candidates at first, i = 0, 1, ..; before batch t the
    next shorter one joins them while it is above l / t^`growth`. Each batch is chosen under the
    candidate with the least R(n + 1), where n batches were chosen under it before and

        R(T) = C sqrt(T g) (sqrt(g) + B),  g = log(T)^(d+1) / theta^d,

    theta being the lengthscale in sides of the candidates' bounding box (the geometric mean of
    those of the inputs; of a sum or product, where all are scaled alike, the longest): R(1) = 0, so
    that each is tried once, the longest first. Once all were tried, a candidate is ruled out for
    good if

        mean y + mean of sqrt(beta) std + w < max over the candidates of mean y - w,

    the means over its own batches, w = sqrt(2 noise_variance log(m pi^2 t^2 / (6 delta)) / n) for m
    candidates: even the greatest f that it allowed for is below what another has shown. The longest
    lengthscale that can be right needs the fewest points, and one that is too long is found out.

    All candidates learn from all measurements. A decision has the band and the regions of the one
    that it was chosen under (`prior`).

    Parameters
    ----------
    batch_size : int, K >= 1
    start : candidates at first
    growth : exponent of t; 0 for no others
    C, B, delta : as above

    Notes
    -----
    Numbers and rules are those of the authors' public code, LB-GP-UCB: _hb_ucb.py, and run.py for
    C = 0.01, B = 1, delta = 0.01, start = 5, growth = 1/2. As there, R is that of an RBF kernel for
    all, a candidate is added at most once a batch, and the std counts once. Of the paper the
    abstract could be read; it states a regret within a factor log g(T) of that under the best
    lengthscale.

    Choices of this package: a kernel without a lengthscale is used as it is; batches (the source
    has K = 1, which is GP-UCB), of which the UCB pick alone is judged; beta is the schedule's; the
    noise is that of the prior, and l is given, where the source fits it first. Results are in whole
    batches.

    It is this rule and no wrapper of any other, for the test above needs a pick that maximises the
    upper bound: there mean + sqrt(beta) std is the greatest f that a lengthscale allows for. A pick
    by another criterion, such as expected improvement or a draw, lies below that maximum, so that
    the test would rule out a lengthscale which is right. R(T), too, is a bound on the regret of
    picks by the upper bound.

    References
    ----------
    Ziomek, Adachi and Osborne, Bayesian optimisation with unknown hyperparameters: regret bounds
    logarithmically closer to optimal, NeurIPS 2024, arXiv:2410.10384.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, RBF
    >>> from ucbpe_core.policies import LengthscaleBalancing
    >>> policy = LengthscaleBalancing(batch_size=2)
    >>> bandit = Bandit(range(21), GaussianProcess(RBF(40.0), 0.01), policy)
    >>> for _ in range(3):
    ...     bandit.tell(bandit.ask().indices, [0.2, 0.7])
    >>> round(policy.prior(bandit.posterior, 4, bandit.beta).kernel.lengthscale, 2)  # 40 / e^3
    1.99
    """

    name = "Lengthscale balancing"
    own_prior = True
    whole = True  # each batch is one turn
    searched = False
    start: int = field(default=5, metadata={"label": "lengthscales at first", "bounds": (1, 50)})
    growth: float = field(default=0.5, metadata={"label": "exponent of growth"})
    C: float = 0.01
    B: float = 1.0
    delta: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, start=partial(count, maximum=50), growth=non_negative, delta=fraction)
        set_checked(self, C=positive, B=non_negative)

    def prior(self, posterior: Posterior, t: int, schedule: BetaSchedule) -> GaussianProcess:
        """The prior of batch t: the given one with the lengthscale whose turn it is."""
        if not _relative(posterior.gp.kernel, np.ones(posterior.candidates.shape[1])):
            return posterior.gp
        chosen = self.turns(posterior, t, schedule)[-1]
        return _scaled(posterior.gp, _ratio(posterior) ** -chosen)

    def turns(self, posterior: Posterior, t: int, schedule: BetaSchedule) -> tuple[int, ...]:
        """The number i of the lengthscale of batches 1 .. t."""
        measured, ratio = without_pending(posterior), _ratio(posterior)
        theta, d = _longest(posterior), posterior.candidates.shape[1]
        widths = _Widths(self, measured, ratio, schedule)
        first, y = measured.n - self.batch_size * (t - 1), measured.y
        played: list[list[_Played]] = [[] for _ in range(self.start)]
        left, found = list(range(self.start)), list[int]()
        for s in range(1, t + 1):
            if s > 1 and len(played) * log(ratio) < self.growth * log(s):
                left.append(len(played))
                played.append([])
            costs = [self._cost(theta * ratio**-i, d, len(played[i]) + 1) for i in left]
            found.append(left[int(np.argmin(costs))])
            place = first + self.batch_size * (s - 1)
            if s < t and 0 <= place < measured.n:
                width = widths.at(found[-1], place, s)
                played[found[-1]].append(_Played(float(y[place]), width))
                left = self._kept(left, played, s, posterior.gp.noise_variance)
        return tuple(found)

    def _cost(self, theta: float, d: int, T: int) -> float:
        """R(T)."""
        g = log(T) ** (d + 1) / theta**d
        return self.C * sqrt(T * g) * (sqrt(g) + self.B)

    def _kept(
        self, left: list[int], played: list[list[_Played]], s: int, noise: float
    ) -> list[int]:
        """Those that are not ruled out after batch s."""
        if not all(played):
            return left
        spread = 2 * noise * log(len(left) * pi**2 * s**2 / (6 * self.delta))
        w = {i: sqrt(spread / len(played[i])) for i in left}
        means = {i: np.mean(played[i], axis=0) for i in left}
        shown = max(means[i][0] - w[i] for i in left)
        return [i for i in left if means[i].sum() + w[i] >= shown]


class _Widths:
    """sqrt(beta) std at a measured point, before it was measured, under any of the lengthscales."""

    def __init__(
        self, policy: Policy, measured: Posterior, ratio: float, schedule: BetaSchedule
    ) -> None:
        self._policy, self._measured, self._schedule = policy, measured, schedule
        self._ratio, self._under = ratio, dict[int, Posterior]()
        self._X, self._y = measured.points, measured.y

    def at(self, i: int, place: int, s: int) -> float:
        """Of measurement number `place`, under lengthscale i, in batch s."""
        if i not in self._under:
            gp = _scaled(self._measured.gp, self._ratio**-i)
            noise, every = list(self._measured.fixed_noise), range(len(self._X))
            self._under[i] = Posterior.prior(gp, self._X).observe(every, self._y, noise)
        start = self._under[i].at(place)
        size = len(self._measured.candidates)
        beta, _ = self._policy.betas(start, s, self._schedule, size)
        return float(np.sqrt(beta) * start.std[place])


def _scaled(gp: GaussianProcess, factor: float) -> GaussianProcess:
    """The prior with all its lengthscales times a factor."""
    kernel = gp.kernel
    factors = [
        factor if short_name(one) == "lengthscale" else 1.0 for one in kernel.parameter_names
    ]
    return replace(
        gp, kernel=kernel.with_parameters(np.multiply(kernel.parameters, factors).tolist())
    )


def _relative(kernel: Kernel, sides: Floats) -> list[float]:
    """The geometric mean of the lengthscales of each kernel in this one, in `sides` (d,)."""
    made: Any = kernel
    if hasattr(made, "dims"):
        sides = sides[list(made.dims)]
    parts = (getattr(made, one.name) for one in fields(made))
    found = [one for part in parts if isinstance(part, Kernel) for one in _relative(part, sides)]
    given = getattr(made, "lengthscale", None)
    if given is not None:
        found.append(float(np.exp(np.mean(np.log(np.asarray(given) / sides)))))
    return found


def _ratio(posterior: Posterior) -> float:
    """q, of one lengthscale to the next shorter one."""
    d, kernel = posterior.candidates.shape[1], posterior.gp.kernel
    return exp(1 / (d + 2 * kernel.nu)) if isinstance(kernel, Matern) else exp(1 / d)


def _longest(posterior: Posterior) -> float:
    """The longest lengthscale of the prior, in sides of the candidates' bounding box."""
    sides = np.ptp(posterior.candidates, axis=0)
    return max(_relative(posterior.gp.kernel, np.where(sides > 0, sides, 1.0)))
