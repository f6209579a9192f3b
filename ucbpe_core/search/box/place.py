"""A box as what is searched: the settings of a `Space`, each maximum found by a search of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.region import RelevantRegion
from ucbpe_core.policies.scores import Bound
from ucbpe_core.search.box.acquisition import APART, Acquisition, Exclusion
from ucbpe_core.search.box.decide import decide
from ucbpe_core.search.box.search import Cover
from ucbpe_core.search.place import Best, Place, column_of_picks
from ucbpe_core.spaces.space import nearest_picks
from ucbpe_core.support.validation import frozen_copy, sign_of
from ucbpe_core.support.validation import indices as checked_indices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.history.history import History
    from ucbpe_core.history.steps import Trial
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.search.place import Labels, Located
    from ucbpe_core.spaces.space import Space
    from ucbpe_core.support.validation import Floats


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
    def inputs(self) -> int:
        return len(self.space.inputs)

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
            last = history.open_picks
            picks = [*last, *(pick for pick in history.outstanding if pick not in last)]
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
        cover = self.cover(posterior, t)
        return self.labelled(
            decide(policy, posterior, cover, t, betas, indices, left_out, plan.repeats)
        )

    def exclusion(self, posterior: Posterior, history: History) -> Exclusion | None:
        """The settings that are not proposed again, given the posterior of all values told."""
        gone = history.gone
        radii = np.full(len(gone), max(self.tolerance, APART))
        return Exclusion(self.space, self.unit(self.points(gone)), radii) if gone else None

    def cover(self, posterior: Posterior, t: int) -> Cover:
        """The search of batch t."""
        U = self.space.unit(posterior.conditioned().X)
        inside = U[((U >= 0) & (U <= 1)).all(axis=1)]
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
