"""Batch bandits over a box: any setting of its inputs can be picked, without a candidate list.

`acquisition` has what is maximised, `search` how, and `decide` the picks of a batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from ucbpe_core.asktell import AskTell, Best, column_of_picks
from ucbpe_core.assignment import exclusive
from ucbpe_core.box.acquisition import APART, Acquisition, Exclusion
from ucbpe_core.box.decide import decide
from ucbpe_core.box.search import Search
from ucbpe_core.errors import InputError
from ucbpe_core.inputs import Category, Integer, Real, SumConstraint
from ucbpe_core.plan import Plan
from ucbpe_core.policies.scores import Bound
from ucbpe_core.region import RelevantRegion
from ucbpe_core.schedules import CompactBeta
from ucbpe_core.space import Space, nearest_picks
from ucbpe_core.validation import count, frozen_copy, non_negative
from ucbpe_core.validation import indices as checked_indices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.records.files import PathOrFile
    from ucbpe_core.records.schema import BoxRecord, Document
    from ucbpe_core.saving import Labels
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.steps import Point, Trial
    from ucbpe_core.validation import Direction, Fitting, Floats, Repeats

__all__ = ["BoxBandit", "Category", "Integer", "Real", "Space", "SumConstraint"]


class BoxBandit(AskTell):
    """A batch bandit over the box of `bounds`: `ask` for K points, `tell` the values measured.

    Works as `Bandit`; the index of a pick is its number, counted from 0 over the whole experiment.
    Results are conditioned on at the settings that were actually used, even outside the box.

    Settings that are told with indices = None are matched to outstanding picks within `tolerance`,
    nearest pairs first and each pick once. Distance is the largest difference of a coordinate as a
    fraction of its side; ties go to the earlier setting, and to the open batch before older picks.
    A setting without a match is an observation made outside the batches and does not advance t.

    Each maximum over the box is found by a search (`box.search`): the local maxima among `samples`
    scrambled Sobol points, and among points around the measured and outstanding ones, are improved
    by random moves, and the `starts` best of them by gradient. It can miss a very narrow peak. The
    search in batch t depends only on `seed` and t, so the same results lead to the same picks. It
    works on the unit cube: changing the units of x, `bounds` and the lengthscales together changes
    the units of the picks and nothing else, except for SM-UCB and local penalization, whose
    distances are those of coordinates.

    Parameters
    ----------
    bounds : low and high of each coordinate, shape (d, 2), or `scipy.optimize.Bounds`; or a dict of
        names and (low, high), `Real`, `Integer` or `Category`; or a `box.Space`, which says what
        the points of mixed inputs are
    gp : the prior, with lengthscales in the units of `space.coordinates`: those of `bounds`, powers
        of ten for logarithmic inputs
    policy : if its picks have a score, this is maximised by search; otherwise the policy chooses
        among the points of the search (`box.decide`)
    beta : schedule of beta_t; default `CompactBeta()`, whose r = 1 is the side of the unit cube.
        With `FiniteBeta` the candidates are the samples, and its confidence statement is about
        these
    feasible : whether a setting can be measured: called with a dict if inputs have names, else with
        a point (d,)
    sums : what some inputs add up to, or at most: `SumConstraint`. Most constraints are easier to
        state as a list of candidates: list what can be set, and use `Bandit`
    direction : as for `Bandit`
    repeats, fit : as in a `Plan`: "avoid" or "allow", and "each batch" or "never"
    seed, samples, starts : of the search; samples is a power of two
    tolerance : largest distance, in each coordinate and as a fraction of that side of the box, at
        which a setting told without an index is matched to an outstanding pick; 0.005 matches
        settings rounded to a hundredth of the side. Points at most this far from a withdrawn pick,
        and in any case those within a thousandth of the side, count as the same setting and are
        not proposed again

    Raises
    ------
    InputError
        For bounds that are not (d, 2) with low < high, counts out of range or a negative tolerance;
        from `ask`, if no feasible setting is found.

    Examples
    --------
    >>> from ucbpe_core import BoxBandit, GaussianProcess, GPUCBPE, Matern
    >>> gp = GaussianProcess(Matern(lengthscale=(3.0, 0.5)))
    >>> box = BoxBandit([(0, 10), (-1, 1)], gp, GPUCBPE(batch_size=2), samples=64)
    >>> box.tell(None, [0.2, 0.7], points=[[1, 0], [8, 0.5]])  # measured before the first batch
    >>> decision = box.ask()
    >>> decision.indices, decision.points.shape
    (array([0, 1]), (2, 2))
    >>> box.tell(decision.indices, [0.4, 0.3], points=decision.points.round(1))  # as actually set
    >>> box.best().point.shape
    (2,)
    """

    _kind = "box"

    def __init__(
        self,
        bounds: Any,
        gp: GaussianProcess,
        policy: Policy,
        beta: BetaSchedule | None = None,
        *,
        feasible: Callable[[Any], Any] | None = None,
        sums: Sequence[SumConstraint] = (),
        direction: Direction = "maximize",
        repeats: Repeats = "avoid",
        seed: int = 0,
        samples: int = 2048,
        starts: int = 10,
        tolerance: float = 0.005,
        fit: Fitting = "each batch",
    ) -> None:
        self.space = Space.of(bounds, feasible, sums)
        self.box = self.space.box
        beta = CompactBeta() if beta is None else beta
        plan = Plan(gp, policy, beta, direction, repeats, fit=fit)
        # A posterior needs a candidate; the centre of the box is never used.
        super().__init__(self.box.mean(axis=1)[None], plan)
        if count(samples, "samples") & (samples - 1):
            raise InputError("samples to be a power of two", str(samples), "pass e.g. 1024 or 2048")
        self._seed, self._samples = count(seed, "seed", minimum=0), samples
        self._starts = count(starts, "starts")
        self._tolerance = non_negative(tolerance, "tolerance")

    @exclusive
    def best(self) -> Best:
        posterior = self._current
        process = posterior.conditioned()
        mean = Acquisition(process, self.space, Bound(1.0, 0.0))
        found = self._search(posterior, self.t).maximise(mean)
        X = frozen_copy(self.space.points(found.u[None]))
        predicted = process.predict(self.space.coordinates(X))
        value, std = self._sign * predicted.mean[0], predicted.std[0]
        return Best(-1, X[0], float(value), float(std))

    def _decide(self, policy: Policy, t: int) -> Decision:
        posterior = self._hallucinated(self._current, self._history.outstanding)
        size, sides = int(min(self._samples, self.space.size)), np.ptp(self.box, axis=1)
        betas = policy.betas(posterior, t, self.beta, size, sides)
        search, first = self._search(posterior, t), self._picks
        indices = range(first, first + policy.batch_size)
        left_out = self._exclusion()
        decision = decide(policy, posterior, search, t, betas, indices, left_out, self.repeats)
        return self._labelled(decision)

    def _hallucinated(self, posterior: Posterior, trials: Sequence[Trial]) -> Posterior:
        return posterior.hallucinate_points(self._coordinates(self._points(trials)))

    def _relevant(self, posterior: Posterior, betas: tuple[float, float]) -> RelevantRegion:
        nowhere = frozen_copy([], np.bool_)
        return RelevantRegion(0.0, nowhere, nowhere)

    def _exclusion(self) -> Exclusion | None:
        """The settings that are not proposed again."""
        gone = self._history.gone
        radii = np.full(len(gone), max(self._tolerance, APART))
        return Exclusion(self.space, self._unit(self._points(gone)), radii) if gone else None

    @property
    def _picks(self) -> int:
        """How many picks were asked so far."""
        return sum(batch.size for batch in self._history.batches)

    def _indices(self, given: ArrayLike) -> tuple[int, ...]:
        return tuple(checked_indices(column_of_picks(given), self._picks).tolist())

    def _located(self, indices: Any, points: Any) -> tuple[Sequence[int], Sequence[Point | None]]:
        history = self._history
        if points is None and self._has_settings(indices):
            indices, points = None, indices
        if indices is None:
            if points is None:
                raise InputError("indices of picks, or points", "neither", "pass decision.indices")
            X = self.space.read(points)
            last = history.open_picks
            picks = [*last, *(pick for pick in history.outstanding if pick not in last)]
            U, asked = self._unit(X), self._unit(self._points(picks))
            chosen = nearest_picks(U, [pick.index for pick in picks], asked, self._tolerance)
            return chosen, list(map(tuple, X.tolist()))
        answered = self._indices(indices)
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

    def _labelled(self, decision: Decision) -> Decision:
        if not self.space.named:
            return decision
        settings = tuple(self.space.settings(decision.points))
        return replace(decision, names=self.space.columns, settings=settings)

    def _points(self, trials: Sequence[Trial]) -> Floats:
        return frozen_copy(
            np.reshape([trial.point for trial in trials], (len(trials), len(self.box)))
        )

    def _record(self) -> BoxRecord:
        from ucbpe_core.records.schema import BoxRecord

        space = self.space
        return BoxRecord(
            space.inputs, space.names, self._seed, self._samples, self._starts, self._tolerance,
            named=space.named, constrained=space.feasible is not None, sums=space.sums,
        )  # fmt: skip

    @classmethod
    def load(cls, path: PathOrFile, feasible: Callable[[Any], Any] | None = None) -> Self:
        """The bandit that `save` wrote; errors as `Bandit.load`.

        The file does not have the function `feasible`: pass it again.
        """
        from ucbpe_core.records import history

        return cls.resumed(replace(history.read(path), feasible=feasible))

    @classmethod
    def _begun(cls, document: Document) -> Self:
        box, plan = cast("BoxRecord", document.box), document.plan
        return cls(
            box.space(document.feasible), plan.gp, plan.policy, plan.beta,
            direction=plan.direction, repeats=plan.repeats, fit=plan.fit,
            seed=box.seed, samples=box.samples, starts=box.starts, tolerance=box.tolerance,
        )  # fmt: skip

    def _columns(self) -> tuple[Sequence[str] | None, Labels]:
        return self.space.columns if self.space.named else None, ()

    @property
    def _domain(self) -> Floats:
        return self.space.domain

    @property
    def _inputs(self) -> int:
        return len(self.space.inputs)

    @property
    def _settings(self) -> float:
        return self.space.size

    @property
    def _fit_seed(self) -> int:
        return self._seed

    @property
    def _extent(self) -> str:
        return f"{len(self.space.inputs)} inputs"

    def _name(self, trial: Trial) -> str:
        if not self.space.named:
            return f"{list(trial.point or ())}"
        return f"{self.space.settings(self._points([trial]))[0]}"

    def _coordinates(self, points: Floats) -> Floats:
        return self.space.coordinates(points)

    def _unit(self, points: Floats) -> Floats:
        return self.space.unit(self.space.coordinates(points))

    def _search(self, posterior: Posterior, t: int) -> Search:
        U = self.space.unit(posterior.conditioned().X)
        inside = U[((U >= 0) & (U <= 1)).all(axis=1)]
        return Search.covering(self.space, inside, self._samples, self._starts, (self._seed, t))
