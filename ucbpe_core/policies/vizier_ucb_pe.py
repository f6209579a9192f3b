"""Vizier's UCB-PE: an upper bound, then exploration with a penalty outside its own region."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp import region, ties
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Explored, Pick
from ucbpe_core.policies.picking import before_each, pick_largest, pick_upper, without_pending
from ucbpe_core.policies.schedules import ConstantBeta
from ucbpe_core.support import streams
from ucbpe_core.support.validation import non_negative, read_only, set_checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.support.validation import Booleans, Floats


@dataclass(frozen=True)
class VizierUCBPE(Policy):
    """Each pick is argmax over X of mu + 1.8 std ("ucb") or of std + 10 min(mu + 0.5 s - threshold,
    0) ("penalised"), std given the picks before, mu and s those without pending points.

    The threshold is mu at the point with the greatest mu + 1.8 s among those measured, pending, and
    picked before.

    The first pick of a batch follows new results and is "ucb" with probability 0.9; the others
    follow none and are "ucb" with probability 0.25. While nothing is measured, all are "penalised";
    if no point is pending either, the penalty is 0.

    Unlike in Contal et al. (2013), the coefficients are constant, and the region has a smaller one;
    the threshold is a mean instead of a greatest lower bound; a penalty, not a constraint, keeps
    picks in the region; and the kinds of picks alternate at random. No regret bound is known. The
    region of each pick is `Decision.explored`; R and R+ follow from the band mu ± 1.8 std; the
    policy uses neither them nor the schedule of the run.

    Parameters
    ----------
    batch_size : int, K >= 1
    coefficient, region_coefficient : of std in the upper bound, and of s in the region
    penalty : slope of the penalty outside the region
    pe_probability : of exploring at the first pick of a batch
    ucb_probability : of the upper bound at the others
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    Notes
    -----
    Numbers and rules come from gp_ucb_pe.py in google-vizier 0.1.24: 1.8 in line 78, 0.5 in 82,
    10 in 87, 0.25 in 93, 0.1 in 98; the threshold in 169 to 208, both scores in 336 to 340 and 415
    to 457, which pick is which in 970 to 987.

    Vizier's defaults differ in two ways. There std and s describe a measurement,
    sqrt(std^2 + noise_variance), because its process predicts measurements: here they describe f,
    as in the other rules of this package. There picks also stay near the points measured or
    pending, in a trust region (lines 704 to 722 of acquisitions.py): here all of X is searched.

    Choices of this package: candidates are a list, and the maximum over it is exact, where the
    source searches a box; a first pick always counts as after new results, as a batch is only asked
    for once some came. Left out: a first point at the centre, warped values, a fitted prior, more
    than one metric, and the rules for a ratio of signal to noise below a threshold (0.1 in line 109
    of that version, 0.7 in the sources of November 2026), where pending points count as noise-free
    and the first pick explores with probability 0.7. The paper could not be read for this; the code
    could.

    References
    ----------
    Song et al., The Vizier Gaussian process bandit algorithm, arXiv:2408.11527, 2024, by its public
    code.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import VizierUCBPE
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), VizierUCBPE(batch_size=3, seed=0))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> decision = bandit.ask()
    >>> decision.roles
    ('ucb', 'penalised', 'penalised')
    >>> round(decision.explored[1].level, 2), int(decision.explored[1].mask.sum())
    (0.26, 20)
    """

    name = "Vizier UCB-PE"
    rules = MappingProxyType(
        {
            "ucb": "argmax over X of μ + √βₜ σ, σ given the picks before",
            "penalised": "argmax over X of σ + c min(μ + b s − threshold, 0), "
            "σ given the picks before, s of measured points only",
        }
    )
    own_region = True
    batch_size: int = 10
    coefficient: float = field(default=1.8, metadata={"label": "UCB coefficient"})
    region_coefficient: float = field(default=0.5, metadata={"label": "region's coefficient b"})
    penalty: float = field(default=10.0, metadata={"label": "penalty c"})
    pe_probability: float = field(
        default=0.1, metadata={"label": "P(PE at the first pick)", "bounds": (0, 1)}
    )
    ucb_probability: float = field(
        default=0.25, metadata={"label": "P(UCB at another pick)", "bounds": (0, 1)}
    )
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        names = ("coefficient", "region_coefficient", "penalty", "pe_probability")
        set_checked(self, **dict.fromkeys((*names, "ucb_probability"), non_negative))
        for name in ("pe_probability", "ucb_probability"):
            if (p := getattr(self, name)) > 1:
                raise InputError(f"{name} of at most 1", f"{p:g}", "pass a probability")

    def effective_schedule(self, schedule: BetaSchedule) -> BetaSchedule:
        """The constant beta whose band is mean ± `coefficient` std."""
        return ConstantBeta(self.coefficient**2)

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        drawn = streams.policy(self.seed, context.t).random(self.batch_size)
        scores, chosen = Scores(self, context.posterior), list[Pick]()
        for k, posterior in enumerate(before_each(context.posterior, chosen, self.batch_size)):
            mask = context.eligible.mask(posterior)
            upper = drawn[k] >= self.pe_probability if k == 0 else drawn[k] < self.ucb_probability
            if upper and scores.measured.n:
                chosen.append(pick_upper(posterior, self.coefficient**2, "ucb", mask))
            else:
                threshold = scores.threshold([pick.index for pick in chosen])
                chosen.append(scores.pick_penalised(posterior, threshold, mask))
        return tuple(chosen)

    def explored(
        self,
        posterior: Posterior,
        t: int,
        beta: float,
        indices: Sequence[int],
        roles: Sequence[str],
    ) -> tuple[Explored | None, ...]:
        scores, found = Scores(self, posterior), list[Explored | None]()
        for k, role in enumerate(roles):
            threshold = scores.threshold(indices[:k])
            last = next((one for one in reversed(found) if one is not None), None)
            if role != "penalised" or threshold == -np.inf:
                found.append(None)
            elif last is not None and last.level == threshold:
                found.append(last)
            else:
                mask = read_only(scores.reach >= threshold - scores.tolerance)
                found.append(Explored(threshold, self.region_coefficient, self.penalty, mask))
        return tuple(found)


class Scores:
    """What the picks of one batch that explore maximise.

    Attributes
    ----------
    measured : the posterior at batch start without the points still pending
    """

    def __init__(self, policy: VizierUCBPE, start: Posterior) -> None:
        self.policy, self.start = policy, start
        self.measured = without_pending(start)

    @cached_property
    def reach(self) -> Floats:
        """mu + 0.5 s, shape (M,)."""
        return region.upper(self.measured, self.policy.region_coefficient**2)

    @property
    def tolerance(self) -> float:
        """Within which `reach` ties with a threshold."""
        return self.measured.tolerance + ties.of_bound(
            self.measured, self.policy.region_coefficient**2
        )

    def threshold(self, picked: Sequence[int]) -> float:
        """mu at the measured, pending or picked point of largest mu + 1.8 s; -inf without one."""
        mean, std = self._known
        mean = np.append(mean, self.measured.mean[list(picked)])
        std = np.append(std, self.measured.std[list(picked)])
        if not len(mean):
            return -np.inf
        upper = mean + self.policy.coefficient * std
        tolerance = ties.of_bound(self.measured, self.policy.coefficient**2)
        return float(mean[ties.first_best(upper, tolerance)])

    def penalised(self, posterior: Posterior, threshold: float) -> Floats:
        """std + 10 min(mu + 0.5 s - threshold, 0), shape (M,)."""
        return posterior.std + self.policy.penalty * np.minimum(self.reach - threshold, 0.0)

    def pick_penalised(self, posterior: Posterior, threshold: float, mask: Booleans | None) -> Pick:
        """argmax of `penalised` over X, or the mask."""
        score = self.penalised(posterior, threshold)
        best = int((score if mask is None else np.where(mask, score, -np.inf)).argmax())
        tolerance = posterior.std_tolerance(float(posterior.std[best]))
        if self.reach[best] < threshold:
            tolerance += self.policy.penalty * self.tolerance
        return pick_largest(score, posterior, "penalised", mask, tolerance)

    @cached_property
    def _known(self) -> tuple[Floats, Floats]:
        """mu and s at the points measured or pending, shapes (n,)."""
        indices = np.array(self.start.conditioned_indices, dtype=np.intp)
        mean, std = self.measured.mean[indices], self.measured.std[indices]
        if (indices < 0).any():
            outside = self.start.points[indices < 0]
            there = self.measured.conditioned().predict(outside)
            mean[indices < 0], std[indices < 0] = there.mean, there.std
        return mean, std
