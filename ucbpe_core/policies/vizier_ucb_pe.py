"""Vizier's UCB-PE: an upper bound, then exploration with a penalty outside its own region."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import streams
from ucbpe_core.errors import InputError
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Explored, Pick, both
from ucbpe_core.policies.picking import before_each
from ucbpe_core.policies.vizier_scores import Scores
from ucbpe_core.schedules import ConstantBeta
from ucbpe_core.validation import non_negative, read_only, set_checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.posterior import Posterior
    from ucbpe_core.schedules import BetaSchedule


@dataclass(frozen=True)
class VizierUCBPE(Policy):
    """Each pick is argmax over X of mu + 1.8 std ("ucb") or of std + 10 min(mu + 0.5 s - threshold,
    0) ("penalised"), std given the picks before, mu and s those without pending points.

    The threshold is mu at the point with the greatest mu + 1.8 s among those measured, pending, and
    picked before.

    The first pick of a batch follows new results and is "ucb" with probability 0.9; the others
    follow none and are "ucb" with probability 0.25. While nothing is measured, all are "penalised";
    if no point is pending either, the penalty is 0.

    Against Contal et al. (2013): the coefficients are constant, and that of the region is smaller;
    the threshold is a mean instead of a greatest lower bound; a region is preferred by a penalty,
    not a constraint; and the kinds of picks alternate at random. No regret bound is known. The
    region of each pick is `Decision.explored`; R and R+ are those of the band mu ± 1.8 std, and the
    policy does not use them. The schedule of the run is not used either.

    Parameters
    ----------
    batch_size : int, K >= 1
    coefficient, region_coefficient : of std in the upper bound, and of s in the region
    penalty : slope of the penalty outside the region
    pe_probability : of exploring at the first pick of a batch
    ucb_probability : of the upper bound at the others
    noisy : whether std and s are those of a measurement, sqrt(std^2 + noise_variance), as in the
        source, whose process predicts measurements; by default they are those of f
    trust_region : whether picks are within a distance of 0.2 + 0.3 n / (5 (d + 1)) of one of the n
        points measured or pending at batch start, as in the source; by default they are not. The
        distance is the largest along an input, in sides of the candidates' bounding box; where it
        exceeds 0.5 all candidates are near
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    Notes
    -----
    Numbers and rules are those of gp_ucb_pe.py in google-vizier 0.1.24: 1.8 in line 78, 0.5 in 82,
    10 in 87, 0.25 in 93, 0.1 in 98; the threshold in 169 to 208, both scores in 336 to 340 and 415
    to 457, which pick is which in 970 to 987. "std" and "s" include the noise there, as `predict`
    passes no noise variance of its own.

    Choices of this package: candidates are a list, and the maximum over it is exact, where the
    source searches a box; a first pick always counts as after new results, as a batch is only asked
    for once some came. Left out: a first point at the centre, warped values, a fitted prior, more
    than one metric, and the rules for a ratio of signal to noise below 0.1 (line 109), where
    pending points count as noise-free and the first pick explores with probability 0.7. The paper
    could not be read for this; the code could.

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
            "optional ucb": "argmax of μ + √βₜ σ, σ given the picks before, "
            "with noise or the trust region as set",
            "optional penalised": "argmax of σ + c min(μ + b s − threshold, 0), "
            "with noise or the trust region as set",
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
    noisy: bool = field(default=False, metadata={"label": "noise in σ"})
    trust_region: bool = field(default=False, metadata={"label": "trust region"})
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
            mask = both(scores.trusted, context.eligible.mask(posterior))
            if mask is not None and not mask.any():
                mask = context.eligible.mask(posterior)
            upper = drawn[k] >= self.pe_probability if k == 0 else drawn[k] < self.ucb_probability
            if upper and scores.measured.n:
                chosen.append(scores.upper(posterior, mask))
            else:
                threshold = scores.threshold([pick.index for pick in chosen])
                chosen.append(scores.penalised(posterior, threshold, mask))
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
            if not role.endswith("penalised") or threshold == -np.inf:
                found.append(None)
            elif last is not None and last.level == threshold:
                found.append(last)
            else:
                mask = scores.reach >= threshold - scores.tolerance
                mask = mask if scores.trusted is None else mask & scores.trusted
                noise = posterior.gp.noise_variance if self.noisy else 0.0
                found.append(
                    Explored(
                        threshold, self.region_coefficient, self.penalty, read_only(mask), noise
                    )
                )
        return tuple(found)
