"""One batch over a box: the rules of the policies, each argmax by search."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.box.acquisition import (
    Acquisition,
    Improvement,
    PenalizedBound,
    SuperlevelConstraint,
)
from ucbpe_core.box.exclusion import Exclusion, knows
from ucbpe_core.errors import NothingLeftError
from ucbpe_core.policies import (
    EIPE,
    GPBUCB,
    GPUCB,
    GPUCBPE,
    GreedyUCB,
    LocalPenalization,
    PureExploration,
    RandomSearch,
)
from ucbpe_core.policies.context import Eligible
from ucbpe_core.policies.decision import Decision, Pick
from ucbpe_core.policies.ei_pe import best_mean
from ucbpe_core.policies.local_penalization import LEAST_STD, lipschitz_constant, prior_std
from ucbpe_core.posterior import Posterior
from ucbpe_core.region import RelevantRegion
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from ucbpe_core.box.acquisition import Score
    from ucbpe_core.box.search import Optimum, Search
    from ucbpe_core.gp import ConditionedProcess
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.validation import Floats, Repeats

# The roles of the first pick and of the others, where each pick has a score that is searched for.
_ROLES: dict[type, tuple[str, str]] = {
    GPUCBPE: ("ucb", "pe"),
    GPUCB: ("ucb", "ucb"),
    GreedyUCB: ("ucb", "ucb"),
    EIPE: ("ei", "pe"),
    LocalPenalization: ("ucb", "lp"),
    PureExploration: ("pe", "pe"),
}


def decide(
    policy: Policy,
    posterior: Posterior,
    search: Search,
    t: int,
    betas: tuple[float, float],
    indices: range,
    exclusion: Exclusion | None = None,
    repeats: Repeats = "allow",
) -> Decision:
    """Batch t of a policy over the space of the search.

    Where a pick has a score (an upper bound, a standard deviation, expected improvement, a
    penalised bound), it is the maximum that the search finds, given the picks before. For GP-UCB-PE
    that is x0 = argmax of mean + sqrt(beta_t) std over the box; then the argmax of the std inside
    R+ = {x : mean + 2 sqrt(beta_(t+1)) std >= y_dot}, y_dot the maximum of mean - sqrt(beta_t) std
    over the box (Contal et al. 2013, section 3). Thompson sampling, simulation matching, random
    search and policies of other packages choose among the points of the search, as among
    candidates; random search among those that are spread evenly.

    `betas` are beta_t and beta_(t+1), `indices` the numbers of the picks. No point that is excluded
    is picked. Under ``repeats="avoid"`` none is where f is known: once it is at all of R+, as far
    as the search finds, picks inside it come from the whole box, and the batch is smaller where f
    is known there too.

    Raises
    ------
    NothingLeftError
        If the search finds no point that can be picked.
    """
    if search.space.size < np.inf:
        policy.check_fits(int(search.space.size))
    process, space = posterior.conditioned(), search.space
    lowest = search.maximise(Acquisition(process, space, 1.0, -np.sqrt(betas[0])))
    if not policy.repeats:
        exclusion = (exclusion or Exclusion.nothing(space))._replace(distinct=True)
    batch = _Batch(policy, posterior, search, betas, lowest, exclusion, repeats == "avoid")
    batch.choose(t, repeats)
    coordinates = space.place(np.array(batch.found))
    decision = Decision.of(
        [replace(pick, index=i) for pick, i in zip(batch.picks, indices, strict=False)],
        coordinates,
        process.gp,
        t=t,
        n=len(process.X),
        betas=betas,
        relevant=RelevantRegion(lowest.value, *[frozen_copy([], np.bool_)] * 2),
        signal=posterior.state.rows.prior_variance,
        exhausted=batch.exhausted,
    )
    return replace(decision, points=frozen_copy(space.points(np.array(batch.found))))


@dataclass
class _Batch:
    """A batch in the making: what is fixed during it, and the picks so far."""

    policy: Policy
    start: Posterior
    search: Search
    betas: tuple[float, float]
    lowest: Optimum
    exclusion: Exclusion | None
    avoiding: bool
    found: list[Floats] = field(default_factory=list)  # picks (d,) in the unit cube
    picks: list[Pick] = field(default_factory=list)
    inside: bool = True  # whether R+ has points left
    exhausted: bool = False

    def choose(self, t: int, repeats: Repeats) -> None:
        """Make the picks of batch t."""
        first, others = _ROLES.get(type(self.policy), ("", ""))
        if type(self.policy) is GPBUCB:
            first = others = "init" if self._initializing(self.policy) else "ucb"
        if first:
            self._searched(first, others)
        else:
            self._sampled(t, repeats)

    def _searched(self, first: str, others: str) -> None:
        """The picks of these roles, each given the ones before."""
        posterior = self.start
        for k in range(self.policy.batch_size):
            process = posterior.conditioned()
            role = others if k else first
            found = self._next(role, process)
            if found is None:
                break
            std = value = found.value
            if role not in ("pe", "init"):
                std = float(self._score("pe", process).values(found.u[None])[0])
            if role in ("ei", "lp"):  # searched for on a logarithmic scale
                value = float(np.exp(value))
            self.picks.append(Pick(k, role, std, value))
            self.found.append(found.u)
            if self.exclusion is not None:
                self.exclusion = self.exclusion.with_pick(found.u)
            posterior = posterior.hallucinate_points(self.search.space.place(found.u[None]))
        if not self.picks:
            remedy = "the search is complete: use best(), or allow() withdrawn picks"
            raise NothingLeftError("a point left to measure", "all known or withdrawn", remedy)

    def _sampled(self, t: int, repeats: Repeats) -> None:
        """The picks of the policy among the points of the search."""
        U = self.search.U
        if isinstance(self.policy, RandomSearch) and self.search.even:
            U = U[: self.search.even]
        allowed = None if self.exclusion is None else self.exclusion.holds(U)
        eligible = Eligible(allowed, repeats)
        made = self.policy.decide_between(self._over(U), t, *self.betas, eligible)
        self.found = list(U[made.indices])
        columns = made.indices.tolist(), made.roles, made.stds.tolist(), made.scores.tolist()
        self.picks = [Pick(*one) for one in zip(*columns, strict=True)]
        self.exhausted = made.exhausted

    def _next(self, role: str, process: ConditionedProcess) -> Optimum | None:
        """The maximum of what a pick of that role maximises; None if none can be made."""
        score, known = self._score(role, process), knows(process, self.search.space)
        exclusion, exploring = self.exclusion, role in ("pe", "init")
        if exploring and self.policy.uses_region and self.inside:
            constraint, inside = self._region
            found = _maximum(inside, score, exclusion, constraint)
            if found is not None and not known(found.u[None])[0]:
                return found
            self.exhausted |= len(self.picks) == 1
            if found is not None and not self.avoiding:
                return found
            self.inside = False  # go on over the whole box
        if self.avoiding and not exploring:
            own = Exclusion.nothing(self.search.space) if exclusion is None else exclusion
            exclusion = own._replace(known=known)
        found = _maximum(self.search, score, exclusion)
        # Where the greatest std is that of a known point, all are known.
        nothing = found is None or (self.avoiding and exploring and known(found.u[None])[0])
        return None if nothing else found

    def _score(self, role: str, process: ConditionedProcess) -> Score:
        """What a pick of that role maximises, given the picks before."""
        space, root = self.search.space, float(np.sqrt(self.betas[0]))
        if role == "ei":
            return Improvement(process, space, best_mean(self.start))
        if role == "ucb":
            return Acquisition(process, space, 1.0, root)
        if role == "lp":
            return self._penalised(Acquisition(self.start.conditioned(), space, 1.0, root))
        return Acquisition(process, space, 0.0, 1.0)

    def _penalised(self, upper: Acquisition) -> PenalizedBound:
        unit, slope, top = self._of_mean
        centres = self.search.space.place(np.array(self.found))
        there = upper.process.predict(centres)
        stds = np.maximum(there.std, LEAST_STD * unit)
        return PenalizedBound(upper, unit, slope, top, centres, there.mean, stds)

    @cached_property
    def _of_mean(self) -> tuple[float, float, float]:
        """Prior standard deviation, greatest slope of the mean, and its maximum."""
        sampled, space = self._over(self.search.U), self.search.space
        top = self.search.maximise(Acquisition(self.start.conditioned(), space, 1.0, 0.0))
        return prior_std(sampled), lipschitz_constant(sampled), top.value

    @cached_property
    def _region(self) -> tuple[SuperlevelConstraint, Search]:
        """R+ as a constraint, and a search over it.

        y_dot and the first pick lie in it, whatever else the search finds; the latter unless beta
        falls fast.
        """
        wide = Acquisition(
            self.start.conditioned(), self.search.space, 1.0, 2 * np.sqrt(self.betas[1])
        )
        known = np.array([self.lowest.u, *self.found[:1]])
        heights = wide.values(known)
        constraint = SuperlevelConstraint(wide, min(self.lowest.value, float(heights[0])))
        return constraint, self.search.inside(constraint, known[heights >= constraint.level])

    def _initializing(self, policy: GPBUCB) -> bool:
        """Whether GP-BUCB still initialises, by the greatest std over the box."""
        std = self._score("init", self.start.conditioned())
        return policy.initializing(self._over(self.search.maximise(std).u[None]))

    def _over(self, U: Floats) -> Posterior:
        """The posterior at batch start over points U (m, d) as candidates."""
        process = self.start.conditioned()
        told = ~np.isnan(process.y)
        n = int(np.count_nonzero(told))  # pending picks, hallucinated, come last
        prior = Posterior.prior(process.gp, self.search.space.place(U))
        known = process.known_noise[:n]
        return prior.observe_points(process.X[:n], process.y[:n], known).hallucinate_points(
            process.X[n:]
        )


def _maximum(
    search: Search,
    score: Score,
    exclusion: Exclusion | None,
    constraint: SuperlevelConstraint | None = None,
) -> Optimum | None:
    """The greatest value found at a point that is not excluded; None where nothing is left."""
    found = search.maximise(score, constraint)
    if exclusion is None or exclusion.holds(found.u[None])[0]:
        return found
    free = search.without(exclusion)
    return None if free is None else free.maximise(score, constraint)
