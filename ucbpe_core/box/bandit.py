"""Ask and tell over a box: choose real experiments where any setting in a range is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ucbpe_core.asktell import AskTell
from ucbpe_core.box.acquisition import Acquisition
from ucbpe_core.box.decide import decide
from ucbpe_core.box.exclusion import APART, Exclusion
from ucbpe_core.box.search import Search
from ucbpe_core.errors import InputError
from ucbpe_core.locking import exclusive
from ucbpe_core.schedules import CompactBeta
from ucbpe_core.space import Space, nearest_picks
from ucbpe_core.validation import count, frozen_copy, measurements, non_negative
from ucbpe_core.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.gp import ConditionedProcess, GaussianProcess
    from ucbpe_core.ledger import Ledger
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Direction, Floats, Noise, Repeats


class BoxBandit(AskTell):
    """A batch bandit over the box of `bounds`: `ask` for K points, `tell` the values measured.

    Works as `Bandit`; the index of a pick is its number, counted from 0 over the whole experiment.
    Results are conditioned on at the settings that were actually used.

    Each maximum over the box is found by a search (`box.search`): the local maxima among `samples`
    scrambled Sobol points, and among points around the measured and outstanding ones, are improved
    by random moves, and the `starts` best of them by gradient. It can miss a very narrow peak; the
    README says how often. The search in batch t depends only on `seed` and t, so the same results
    lead to the same picks. It works on the unit cube: changing the units of x, `bounds` and the
    lengthscales together changes the units of the picks and nothing else.

    Parameters
    ----------
    bounds : low and high of each coordinate, shape (d, 2), or `scipy.optimize.Bounds`; or a dict of
        names and (low, high), `Real`, `Integer` or `Category`; or a `box.Space`, which says what
        the points of mixed inputs are
    gp : the prior, with lengthscales in the units of `space.coordinates`: those of `bounds`, powers
        of ten for logarithmic inputs
    policy : where its picks have a score, this is maximised by search; else it chooses among the
        points of the search (`box.decide`)
    beta : schedule of beta_t; default `CompactBeta()`, whose r = 1 is the side of the unit cube.
        With `FiniteBeta` the candidates are the samples, and its confidence statement is about
        these
    feasible : whether a setting can be measured: called with a dict if inputs have names, else with
        a point (d,)
    direction, repeats : as for `Bandit`
    seed, samples, starts : of the search; samples is a power of two
    tolerance : largest distance, in each coordinate and as a share of that side of the box, at
        which a setting told without an index is matched to an outstanding pick; 0.005 matches
        settings rounded to a hundredth of the side. It is also what counts as the same setting as a
        withdrawn pick, which is not proposed again: a point at most this far from it, and at least
        all within a thousandth of the side

    Raises
    ------
    InputError
        For bounds that are not (d, 2) with low < high, counts out of range or a negative tolerance;
        from `ask`, where no feasible setting is found.

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
    >>> box.best().shape
    (2,)
    """

    _set_once = AskTell._set_once | {"space", "box"}

    def __init__(
        self,
        bounds: Any,
        gp: GaussianProcess,
        policy: Policy,
        beta: BetaSchedule | None = None,
        *,
        feasible: Callable[[Any], Any] | None = None,
        direction: Direction = "maximize",
        repeats: Repeats = "allow",
        seed: int = 0,
        samples: int = 2048,
        starts: int = 10,
        tolerance: float = 0.005,
    ) -> None:
        self.space = bounds if isinstance(bounds, Space) else Space.of(bounds, feasible)
        self.box = self.space.box
        # A posterior needs a candidate; the centre of the box is never used.
        beta = CompactBeta() if beta is None else beta
        super().__init__(self.box.mean(axis=1)[None], gp, policy, beta, direction, repeats)
        if count(samples, "samples") & (samples - 1):
            raise InputError("samples to be a power of two", str(samples), "pass e.g. 1024 or 2048")
        self._seed, self._samples = count(seed, "seed", minimum=0), samples
        self._starts = count(starts, "starts")
        self._tolerance = non_negative(tolerance, "tolerance")
        self._asked = np.empty((0, len(self.box)))  # every pick so far, by its index

    @classmethod
    def restore(
        cls,
        bounds: Any,
        process: ConditionedProcess,
        policy: Policy,
        beta: BetaSchedule,
        ledger: Ledger,
        asked: ArrayLike,
        decision: Decision | None = None,
        **options: Any,
    ) -> Self:
        """A bandit in the middle of an experiment.

        Parameters
        ----------
        bounds, policy, beta : as for a new one
        process : given all values told
        ledger : the outstanding picks
        asked : every pick so far, outstanding or not, in order, shape (N, d)
        decision : the open decision, which `ask` returns; None if part of that batch was told or
            withdrawn
        options : direction, repeats, seed, samples, starts and tolerance, as for a new one

        Raises
        ------
        InputError
            For an outstanding pick that was never asked, or a decision of another batch.
        """
        bandit = cls(bounds, process.gp, policy, beta, **options)
        told = bandit._sign * process.y
        bandit._current = bandit._maximised.observe_points(process.X, told, process.known_noise)
        bandit._asked = checked_points(asked, "asked", len(bandit.box))
        bandit._restore(ledger, decision)
        return bandit

    @classmethod
    def load(cls, path: PathOrFile, *, feasible: Callable[[Any], Any] | None = None) -> Self:
        """The bandit that `save` wrote, errors as `Bandit.load`; a file has no function, so that
        `feasible` has to be passed again.
        """
        from ucbpe_core.records import bandit

        return bandit.load_box(path, cls, feasible)

    @property
    def options(self) -> dict[str, Any]:
        """Seed, samples, starts and tolerance, as given."""
        return {
            "seed": self._seed,
            "samples": self._samples,
            "starts": self._starts,
            "tolerance": self._tolerance,
        }

    @property
    def asked(self) -> Floats:
        """Every pick so far, by its index, shape (N, d)."""
        return frozen_copy(self._asked)

    @property
    @exclusive
    def pending_points(self) -> Floats:
        return frozen_copy(self._asked[list(self.pending)])

    @exclusive
    def tell(
        self,
        indices: ArrayLike | None,
        y: ArrayLike,
        noise_variance: Noise = None,
        *,
        points: Any = None,
    ) -> None:
        """Add measurements y (k,) of the outstanding picks `indices` (k,), or at other points.

        With `indices`, `points` (k, D), or settings as dicts, are those actually used, at any
        distance from the picks and even outside the box; by default they are the picks themselves.

        With indices = None, settings are matched to outstanding picks within `tolerance`, nearest
        pairs first and each pick once. Distance is the largest difference of a coordinate as a
        share of its side; ties go to the earlier setting, and to the open batch before older picks.
        A setting without a match is an observation made outside the batches and does not advance t.

        Parameters
        ----------
        indices, points : see above
        y : values, (k,)
        noise_variance : known noise variance of each value, a number or (k,), in squared units of
            y; None stands for that of the prior

        Raises
        ------
        InputError
            For NaN, infinities, shapes that do not agree, a negative noise variance, or an index
            that is not outstanding or given twice; nothing is added.
        IllConditionedError
            When the covariance of the data is not positive definite; nothing is added.
        """
        if indices is None:
            X = self._checked(points)
            picks = [pick.index for pick in (*self.ledger.untold, *self.ledger.earlier)]
            U, asked = (self._unit(one) for one in (X, self._asked[picks]))
            answered = nearest_picks(U, picks, asked, self._tolerance)
        else:
            answered = self._outstanding(indices)
            asked = self._asked[list(answered)]
            X = asked if points is None else self._checked(points)
            if X.shape != asked.shape:
                got = f"{len(X)} and {len(answered)}"
                raise InputError("as many points as indices", got, "one point per index")
        measured = self._sign * measurements(y, len(X))
        coordinates = self.space.coordinates(X)
        self._current = self._maximised.observe_points(coordinates, measured, noise_variance)
        self._update(self._ledger.told(answered)[0])

    @exclusive
    def best(self) -> Floats:
        """The point with the best posterior mean, shape (D,): the one to use if the experiment ends
        now.
        """
        mean = Acquisition(self._maximised.conditioned(), self.space, 1.0, 0.0)
        found = self._search(self._maximised, self.t).maximise(mean).u[None]
        return frozen_copy(self.space.points(found))[0]

    def _decide(self, t: int) -> Decision:
        pending = self.space.coordinates(self.pending_points)
        posterior, first = self._maximised.hallucinate_points(pending), len(self._asked)
        size, sides = int(min(self._samples, self.space.size)), np.ptp(self.box, axis=1)
        betas = self.policy.betas(posterior, t, self.schedule, size, sides)
        search, indices = self._search(posterior, t), range(first, first + self.policy.batch_size)
        decision = decide(
            self.policy, posterior, search, t, betas, indices, self._exclusion(), self.repeats
        )
        self._asked = np.concatenate([self._asked, decision.points])
        return decision

    def _exclusion(self) -> Exclusion | None:
        """The settings that were withdrawn."""
        centres = self._unit(self._asked[list(self.withdrawn)])
        radii = np.full(len(centres), max(self._tolerance, APART))
        return Exclusion(self.space, centres, radii) if len(centres) else None

    @property
    def _domain(self) -> Floats:
        return self.space.domain

    @property
    def _size(self) -> int:
        return len(self._asked)

    def _search(self, posterior: Posterior, t: int) -> Search:
        U = self.space.unit(posterior.conditioned().X)
        inside = U[((U >= 0) & (U <= 1)).all(axis=1)]
        return Search.covering(self.space, inside, self._samples, self._starts, (self._seed, t))

    def _unit(self, points: Floats) -> Floats:
        return self.space.unit(self.space.coordinates(points))

    def _checked(self, points: Any) -> Floats:
        if points is None:
            raise InputError("indices of picks, or points", "neither", "pass decision.indices")
        return self.space.read(points)
