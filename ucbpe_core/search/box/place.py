"""A box as what is searched: the settings of a `Space`, each maximum found by a search of it.

A batch has the rules of the policies, each argmax by search.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError, NothingLeftError
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.gp.region import RelevantRegion
from ucbpe_core.policies.base import Policy, sized
from ucbpe_core.policies.decision import Decision, Eligible, Pick
from ucbpe_core.policies.picking import Bound, Exploration
from ucbpe_core.search.box.acquisition import (
    APART,
    SAME,
    Acquisition,
    Exclusion,
    SuperlevelConstraint,
    knows,
)
from ucbpe_core.search.box.search import Cover
from ucbpe_core.search.place import Best, Place, column_of_picks
from ucbpe_core.spaces.space import nearest_picks
from ucbpe_core.support.limits import one_thread
from ucbpe_core.support.validation import frozen_copy, sign_of
from ucbpe_core.support.validation import indices as checked_indices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.process import ConditionedProcess
    from ucbpe_core.history.history import History
    from ucbpe_core.history.plan import Plan
    from ucbpe_core.history.steps import Trial
    from ucbpe_core.policies.picking import Score
    from ucbpe_core.search.box.search import Optimum
    from ucbpe_core.search.place import Labels, Located
    from ucbpe_core.spaces.space import Space
    from ucbpe_core.support.validation import Floats, Repeats


def decide(
    policy: Policy,
    posterior: Posterior,
    search: Cover,
    t: int,
    betas: tuple[float, float],
    indices: range,
    exclusion: Exclusion | None = None,
    repeats: Repeats = "allow",
    shared: Sequence[str] = (),
) -> Decision:
    """Batch t of a policy over the space of the search.

    Where a pick has a score (an upper bound, a standard deviation, expected improvement, a
    penalised bound), it is the maximum that the search finds, given the picks before. For GP-UCB-PE
    that is x0 = argmax of mean + sqrt(beta_t) std over the box; then the argmax of the std inside
    R+ = {x : mean + 2 sqrt(beta_(t+1)) std >= y_dot}, y_dot the maximum of mean - sqrt(beta_t) std
    over the box (Contal et al. 2013, section 3). Thompson sampling, simulation matching, random
    search and policies of other packages choose among the points of the search, as among
    candidates; random search among evenly spread ones.

    If the batch shares inputs, the first pick is made in the whole box, and the others where these
    inputs are as there; R+ is then what the search finds of it there, or everywhere there if that
    is nothing. A policy that chooses among points makes the whole batch there.

    `betas` are beta_t and beta_(t+1), `indices` the numbers of the picks. No point that is excluded
    is picked. Under ``repeats="avoid"`` the picks of a batch are `APART`, if there are more
    settings than picks, and none is where f is known: once it is at all of R+, as far as the search
    finds, picks inside it come from the whole box, and the batch is smaller where f is known there
    too.

    Raises
    ------
    NothingLeftError
        If the search finds no point that can be picked.
    """
    space = search.space
    if space.size < np.inf:
        policy.check_fits(int(space.size))
    if exclusion is None:
        exclusion = Exclusion(space, np.empty((0, len(space.inputs))), np.empty(0))
    batch = _Batch(policy, posterior, search, t, betas, exclusion, repeats, shared)
    if _has_scores(policy):
        batch.choose_by_search()
    else:
        batch.choose_among_points()
    U = np.array(batch.found)
    return Decision.of(
        [replace(pick, index=i) for pick, i in zip(batch.picks, indices, strict=False)],
        batch.space.points(U),
        posterior.gp,
        t=t,
        n=posterior.n,
        betas=betas,
        relevant=RelevantRegion(batch.lowest.value, *[frozen_copy([], np.bool_)] * 2),
        signal=posterior.state.rows.prior_variance,
        exhausted=batch.exhausted,
    )


def _has_scores(policy: Policy) -> bool:
    """Whether the class that defines its picks defines their scores, too, or one below does."""
    defined = map(vars, type(policy).__mro__)
    return "score" in next(own for own in defined if "picks" in own or "score" in own)


@dataclass
class _Batch:
    """A batch in the making: what is fixed during it, and the picks so far."""

    policy: Policy
    posterior: Posterior
    search: Cover
    t: int
    betas: tuple[float, float]
    exclusion: Exclusion
    repeats: Repeats
    shared: Sequence[str] = ()
    found: list[Floats] = field(default_factory=list)  # picks (d,) in the unit cube
    picks: list[Pick] = field(default_factory=list)
    inside: bool = True  # whether R+ has points left
    exhausted: bool = False
    region: Cover | None = None  # a search over R+, once it is needed

    def __post_init__(self) -> None:
        self.whole, self.known = self.search, self.exclusion
        self._keep_apart()

    def _keep_apart(self) -> None:
        """Say how far apart the picks to come are to be."""
        apart = self.known.apart
        if not apart:
            # A second result at the setting of another pick would tell the little that noise
            # leaves.
            spread = self.repeats == "avoid" and self.space.size > self.policy.batch_size
            apart = APART if spread else 0.0 if self.policy.repeats else SAME
        self.exclusion = self.known._replace(apart=apart, space=self.space)

    def share(self, u: Floats) -> None:
        """Go on where the inputs that the batch shares are as at a point u (d,)."""
        whole, space = self.whole, self.whole.space.pinned_at(u, self.shared)
        X = self.posterior.conditioned().X
        also = np.concatenate([u[None], inside_cube(space.unit(X))])
        _ = self.lowest  # of the whole box
        self.search = Cover.of(space, also, whole.samples, whole.starts, whole.seed)
        self.region = None
        self._keep_apart()

    def choose_by_search(self) -> None:
        """The picks, each the maximum of the score of its role given the ones before."""
        posterior = self.posterior
        for k in range(self.policy.batch_size):
            role = self.policy.role(k, self)
            score, process = self.policy.score(role, self), posterior.conditioned()
            found = self._next(score, process)
            if found is None:
                break
            std = found.value
            if not score.explores:
                widths = Acquisition(process, self.space, Exploration())
                std = float(widths.values(found.u[None])[0])
            if self.shared and k == 0:
                self.share(found.u)
            self.picks.append(Pick(k, role, std, score.of(found.value)))
            self.found.append(found.u)
            self.exclusion = self.exclusion.with_pick(found.u)
            posterior = posterior.hallucinate_points(self.space.place(found.u[None]))
        if not self.picks:
            remedy = "the search is complete: use best(), or allow() withdrawn picks"
            raise NothingLeftError("a point left to measure", "all known or withdrawn", remedy)

    def choose_among_points(self) -> None:
        """The picks of the policy with the points of the search as candidates."""
        self._choose_among_points()
        if self.shared:
            self.share(self.found[0])
            size = self.space.size
            if not self.policy.repeats and self.policy.batch_size > size:
                self.policy = sized(self.policy, int(size))
            self._choose_among_points()

    def _choose_among_points(self) -> None:
        U = self.search.U
        if self.policy.evenly and self.search.even:
            U = U[: self.search.even]
        allowed = self.exclusion.holds(U) if len(self.exclusion.centres) else None
        eligible = Eligible(allowed, self.repeats)
        made = self.policy.decide_between(self._over(U), self.t, *self.betas, eligible)
        self.found = list(U[made.indices])
        columns = made.indices.tolist(), made.roles, made.stds.tolist(), made.scores.tolist()
        self.picks = [Pick(*row) for row in zip(*columns, strict=True)]
        self.exhausted = made.exhausted

    def _next(self, score: Score, process: ConditionedProcess) -> Optimum | None:
        """The maximum of a score; None if no pick can be made."""
        known, exploring = partial(knows, process, self.space), score.explores
        given = self.posterior.conditioned() if score.at_start else process
        acquisition, avoiding = Acquisition(given, self.space, score), self.repeats == "avoid"
        if exploring and self.policy.uses_region and self.inside:
            found = self._inside_region(acquisition)
            if found is not None and not known(found.u[None])[0]:
                return found
            self.exhausted |= len(self.picks) <= 1
            if found is not None and not avoiding:
                return found
            self.inside = False  # go on over the whole box
        exclusion = self.exclusion
        if avoiding and not exploring:
            exclusion = exclusion._replace(unknown=lambda U: ~known(U))
        found = _maximum(self.search, acquisition, exclusion)
        # Where the greatest std is that of a known point, all are known.
        nothing = found is None or (avoiding and exploring and known(found.u[None])[0])
        return None if nothing else found

    @property
    def beta(self) -> float:
        return self.betas[0]

    @property
    def places(self) -> Floats:
        return self.space.place(np.reshape(self.found, (-1, self.search.U.shape[1])))

    @cached_property
    def sampled(self) -> Posterior:
        return self._over(self.search.U)

    @cached_property
    def widest(self) -> Posterior:
        return self._over(self.search.maximise(self._at_start(0.0, 1.0)).u[None])

    @cached_property
    def top(self) -> float:
        return self.search.maximise(self._at_start(1.0, 0.0)).value

    @property
    def space(self) -> Space:
        return self.search.space

    def _at_start(self, a: float, b: float) -> Acquisition:
        return Acquisition(self.posterior.conditioned(), self.space, Bound(a, b))

    @cached_property
    def lowest(self) -> Optimum:
        """The maximum of the lower bound over the whole box, which is y_dot."""
        return self.whole.maximise(self._at_start(1.0, -np.sqrt(self.betas[0])))

    def _inside_region(self, acquisition: Acquisition) -> Optimum | None:
        """The greatest value found in R+ at a point that is not excluded; None without any.

        The point of y_dot, if it is searched, and the first pick lie in R+, whatever else is found;
        the latter unless beta falls fast.
        """
        wide = self._at_start(1.0, 2 * np.sqrt(self.betas[1]))
        whole = replace(wide, space=self.whole.space)
        level = min(self.lowest.value, float(whole.values(self.lowest.u[None])[0]))
        constraint = SuperlevelConstraint(wide, level)
        if self.region is None:
            known = self.space.snap(np.array([self.lowest.u, *self.found[:1]]))
            self.region = self.search.inside(constraint, known[constraint.holds(known)])
        if not len(self.region.U):
            return None
        return _maximum(self.region, acquisition, self.exclusion, constraint)

    def _over(self, U: Floats) -> Posterior:
        """The posterior at batch start over points U (m, d) as candidates."""
        process = self.posterior.conditioned()
        told = ~np.isnan(process.y)
        n = int(np.count_nonzero(told))  # pending picks, hallucinated, come last
        prior = Posterior.prior(process.gp, self.space.place(U))
        fixed_noise = process.fixed_noise[:n]
        return prior.observe_points(process.X[:n], process.y[:n], fixed_noise).hallucinate_points(
            process.X[n:]
        )


def inside_cube(U: Floats) -> Floats:
    """Those of points (n, d) that are in the unit cube."""
    return U[((U >= 0) & (U <= 1)).all(axis=1)]


def _maximum(
    search: Cover,
    acquisition: Acquisition,
    exclusion: Exclusion,
    constraint: SuperlevelConstraint | None = None,
) -> Optimum | None:
    """The greatest value found at a point that is not excluded; None where nothing is left."""
    found = search.maximise(acquisition, constraint)
    if exclusion.holds(found.u[None])[0]:
        return found
    free = search.without(exclusion)
    return None if free is None else free.maximise(acquisition, constraint)


@dataclass(frozen=True, eq=False)
class Box(Place):
    """The settings of a space; the index of a pick is its number over the whole experiment.

    Attributes
    ----------
    space : what can be set
    seed, samples, starts : of the search
    tolerance : as in `BoxBandit`
    """

    space: Space
    seed: int
    samples: int
    starts: int
    tolerance: float

    @property
    def settable(self) -> tuple[str, ...]:
        return self.space.names

    def check(self, plan: Plan) -> None:
        super().check(plan)
        if plan.shared and plan.shared_by == "sum":
            wanted = 'shared_by "first", as a box has more groups than can be compared'
            raise InputError(wanted, '"sum"', "list candidates, and use Bandit")

    @property
    def size(self) -> float:
        return self.space.size

    @property
    def domain(self) -> Floats:
        return self.space.domain

    @property
    def extent(self) -> str:
        return f"{len(self.space.inputs)} inputs"

    @property
    def start(self) -> Floats:
        """The centre, which is never used: a posterior needs a candidate."""
        return self.space.box.mean(axis=1)[None]

    def name(self, trial: Trial) -> str:
        if not self.space.named:
            return f"{list(trial.point or ())}"
        return f"{self.space.settings(self.points([trial]))[0]}"

    def points(self, trials: Sequence[Trial]) -> Floats:
        shape = len(trials), len(self.space.box)
        return frozen_copy(np.reshape([trial.point for trial in trials], shape))

    def coordinates(self, points: Floats) -> Floats:
        return self.space.coordinates(points)

    def unit(self, points: Floats) -> Floats:
        """Points (k, d) in the unit cube."""
        return self.space.unit(self.space.coordinates(points))

    def indices(self, given: Any, history: History) -> tuple[int, ...]:
        return tuple(checked_indices(column_of_picks(given), _asked(history)).tolist())

    def located(self, indices: Any, points: Any, history: History) -> Located:
        if points is None and self._has_settings(indices):
            indices, points = None, indices
        if indices is None:
            if points is None:
                raise InputError("indices of picks, or points", "neither", "pass decision.indices")
            X = self.space.read(points)
            picks = list(history.outstanding)
            U, asked = self.unit(X), self.unit(self.points(picks))
            chosen = nearest_picks(U, [pick.index for pick in picks], asked, self.tolerance)
            return chosen, list(map(tuple, X.tolist()))
        answered = self.indices(indices, history)
        picks = [history.trials[number] for number in history.oldest(answered)]
        if points is None:
            return answered, [pick.point for pick in picks]
        X = self.space.read(points)
        if len(X) != len(answered):
            got = f"{len(X)} and {len(answered)}"
            raise InputError("as many points as indices", got, "one point per index")
        return answered, list(map(tuple, X.tolist()))

    def _has_settings(self, given: Any) -> bool:
        """Whether it is settings: a dict, several, or a frame with a column for each input."""
        if hasattr(given, "columns"):
            return set(self.space.names) <= set(given.columns)
        some = [given] if isinstance(given, Mapping) else given
        several = isinstance(some, list | tuple) and len(some) > 0
        return several and all(isinstance(one, Mapping) for one in some)

    def hallucinated(self, posterior: Posterior, trials: Sequence[Trial]) -> Posterior:
        return posterior.hallucinate_points(self.coordinates(self.points(trials)))

    def relevant(self, posterior: Posterior, betas: tuple[float, float]) -> RelevantRegion:
        nowhere = frozen_copy([], np.bool_)
        return RelevantRegion(0.0, nowhere, nowhere)

    def decide(self, policy: Policy, posterior: Posterior, history: History, t: int) -> Decision:
        left_out, plan = self.exclusion(posterior, history), history.plan
        posterior = self.hallucinated(posterior, history.outstanding)
        size, sides = int(min(self.samples, self.space.size)), np.ptp(self.space.box, axis=1)
        betas = policy.betas(posterior, t, plan.beta, size, sides)
        first = _asked(history)
        indices = range(first, first + policy.batch_size)
        with one_thread(posterior.n):
            cover = self.cover(posterior, t)
            options = left_out, plan.repeats, plan.shared
            made = decide(policy, posterior, cover, t, betas, indices, *options)
        return self.labelled(made)

    def exclusion(self, posterior: Posterior, history: History) -> Exclusion | None:
        """The settings that are not proposed again, given the posterior of all values told."""
        gone = history.gone
        radii = np.full(len(gone), max(self.tolerance, APART))
        return Exclusion(self.space, self.unit(self.points(gone)), radii) if gone else None

    def cover(self, posterior: Posterior, t: int) -> Cover:
        """The search of batch t."""
        inside = inside_cube(self.space.unit(posterior.conditioned().X))
        return Cover.of(self.space, inside, self.samples, self.starts, (self.seed, t))

    def labelled(self, decision: Decision) -> Decision:
        if not self.space.named:
            return decision
        settings = tuple(self.space.settings(decision.points))
        return replace(decision, names=self.space.columns, settings=settings)

    def best(self, posterior: Posterior, history: History) -> Best:
        process = posterior.conditioned()
        mean = Acquisition(process, self.space, Bound(1.0, 0.0))
        found = self.cover(posterior, history.t).maximise(mean)
        X = frozen_copy(self.space.points(found.u[None]))
        predicted = process.predict(self.space.coordinates(X))
        value = sign_of(history.plan.direction) * predicted.mean[0]
        return Best(-1, X[0], float(value), float(predicted.std[0]))

    @property
    def columns(self) -> tuple[Sequence[str] | None, Labels]:
        return self.space.columns if self.space.named else None, ()


def _asked(history: History) -> int:
    """How many picks were asked so far: the number of the next one."""
    return sum(batch.size for batch in history.batches)
