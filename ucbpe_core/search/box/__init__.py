"""Batch bandits over a box: any setting of its inputs can be picked, without a candidate list.

`place` is the box as what is searched, with the picks of a batch; `acquisition` has what is
maximised, and `search` how.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from ucbpe_core.errors import InputError
from ucbpe_core.history.plan import Plan
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.search.box.place import Box
from ucbpe_core.search.search import Search
from ucbpe_core.spaces.inputs import SumConstraint
from ucbpe_core.spaces.space import Space
from ucbpe_core.support.validation import count, non_negative, shared_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_core.files.schema import BoxRecord, Document
    from ucbpe_core.files.text import PathOrFile
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.support.validation import Direction, Fitting, Floats, Repeats

__all__ = ["BoxBandit"]


class BoxBandit(Search):
    """A batch bandit over the box of `bounds`: `ask` for K points, `tell` the values measured.

    Works as `Bandit`; the index of a pick is its number, counted from 0 over the whole experiment.
    Results are conditioned on at the settings that were actually used, even outside the box.

    Settings that are told with indices = None are matched to outstanding picks within `tolerance`,
    nearest pairs first and each pick once. Distance is the largest difference of a coordinate as a
    fraction of its side; ties go to the earlier setting, and to the pick that has waited longest.
    A setting without a match is an observation made outside the batches and does not advance t.

    Each maximum over the box is found by a search (`box.search`): the local maxima among `samples`
    scrambled Sobol points, and among points around the measured and outstanding ones, are improved
    by random moves, and the `starts` best of them by gradient. It can miss a very narrow peak. The
    search in batch t depends only on `seed` and t, so the same results lead to the same picks. It
    works on the unit cube: changing the units of x, `bounds` and the lengthscales together changes
    the units of the picks and nothing else, except for SM-UCB and local penalization, which use
    distances between coordinates.

    Parameters
    ----------
    bounds : low and high of each coordinate, shape (d, 2), or `scipy.optimize.Bounds`; or a dict of
        names and (low, high), `Real`, `Integer` or `Category`; or a `spaces.Space`, which says what
        the points of mixed inputs are
    gp : the prior, with lengthscales in the units of `space.coordinates`: the units of `bounds`, or
        powers of ten for logarithmic inputs
    policy : if its picks have a score, this is maximised by search; otherwise the policy chooses
        among the points of the search (`box.place`)
    beta : schedule of beta_t; default `CompactBeta()`, whose r = 1 is the side of the unit cube.
        With `FiniteBeta` the candidates are the samples, and its confidence statement is about
        these
    feasible : whether a setting can be measured: called with a dict if inputs have names, else with
        a point (d,)
    sums : what some inputs add up to, or at most: `SumConstraint`. Most constraints are easier to
        state as a list of candidates: list what can be set, and use `Bandit`
    direction : as for `Bandit`
    repeats, fit : as in a `Plan`: "avoid" or "allow", and "each batch" or "never"
    shared : names of inputs that all picks of a batch have in common (`Plan`): x0, x1, .. without
        names
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
    _over: ClassVar[type[Box]] = Box
    _place: Box

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
        shared: Sequence[str] = (),
    ) -> None:
        space = Space.of(bounds, feasible, sums)
        beta = CompactBeta() if beta is None else beta
        plan = Plan(gp, policy, beta, direction, repeats, fit=fit, shared=shared_of(shared))
        if count(samples, "samples") & (samples - 1):
            raise InputError("samples to be a power of two", str(samples), "pass e.g. 1024 or 2048")
        options = count(seed, "seed", minimum=0), samples, count(starts, "starts")
        super().__init__(self._over(space, *options, non_negative(tolerance, "tolerance")), plan)

    @property
    def space(self) -> Space:
        """What can be set."""
        return self._place.space

    @property
    def box(self) -> Floats:
        """Low and high of each coordinate, (D, 2)."""
        return self.space.box

    def _record(self) -> BoxRecord:
        from ucbpe_core.files.schema import BoxRecord

        space, place = self.space, self._place
        return BoxRecord(
            space.inputs, space.names, place.seed, place.samples, place.starts, place.tolerance,
            named=space.named, constrained=space.feasible is not None, sums=space.sums,
        )  # fmt: skip

    @classmethod
    def load(cls, path: PathOrFile, feasible: Callable[[Any], Any] | None = None) -> Self:
        """The bandit that `save` wrote; errors as `Bandit.load`.

        The file does not have the function `feasible`: pass it again.
        """
        from ucbpe_core.files import history

        return cls.resumed(replace(history.read(path), feasible=feasible))

    @classmethod
    def _begun(cls, document: Document) -> Self:
        box, plan = cast("BoxRecord", document.box), document.plan
        return cls(
            box.space(document.feasible), plan.gp, plan.policy, plan.beta,
            direction=plan.direction, repeats=plan.repeats, fit=plan.fit,
            seed=box.seed, samples=box.samples, starts=box.starts, tolerance=box.tolerance,
        )  # fmt: skip
