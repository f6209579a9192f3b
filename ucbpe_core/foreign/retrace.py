"""Why each point of another tool's run: the model before it, and its rank under each rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.foreign.ranks import KINDS, kind_of, scored
from ucbpe_core.foreign.run import ForeignTrial, Run
from ucbpe_core.gp.fitting import check_model, fit_hyperparameters
from ucbpe_core.gp.kernels.base import Kernel
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.policies.picking import not_awaited
from ucbpe_core.spaces.design import gridded, spread
from ucbpe_core.spaces.space import Space
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.limits import checkpoint, one_thread
from ucbpe_core.support.validation import (
    all_equal,
    instance,
    keyworded,
    non_negative,
    numeric,
    points,
    read_only,
    sign_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike

    from ucbpe_core.foreign.ranks import Kind, Rule, Scored
    from ucbpe_core.gp.fitting import ModelCheck
    from ucbpe_core.support.validation import Direction, Floats

_MOST_FITTED = 200  # results: a fit to more takes seconds, and the last model has some 60 before it
LEAST = 4  # results: fewer say too little to fit a prior to
# Places: of one input, a line; of two, 41 x 41; of more, of a Sobol sequence.
_LINE, _GRID, _SOBOL = 201, 1681, 1024


class Choice(NamedTuple):
    """A point that another tool chose, under the model given the results known then.

    Attributes
    ----------
    known : how many results were known, the first of `Retrace.order`
    pending : places in `Run.trials` of those that were running
    gp : the prior, of -f if f is minimised; None before there is a model
    kind : "failed": no result; "repeated": its std was below 0.15 of the prior's; "exploited": it
        was among the first 10 of 100 by mean; "explored": among the first 33 by std; "neither"; the
        first that holds. "no model" before 4 results, or while all are equal
    mean, std : of the posterior there, in units of the result
    ranks : by rule, of 100: 1 + floor(100 s), with s the share of the places that are better
    picks : by rule, the number of the place that is best

    Examples
    --------
    >>> from ucbpe_core import retrace
    >>> retrace([0, 1, 2, 3, 2.5], [1.0, 2, 4, 3, 5]).choices[2].kind
    'no model'
    """

    known: int
    pending: tuple[int, ...]
    gp: GaussianProcess | None
    kind: Kind
    mean: float = np.nan
    std: float = np.nan
    ranks: Mapping[Rule, int] = {}
    picks: Mapping[Rule, int] = {}


@dataclass(frozen=True, eq=False)
class Retrace(Frozen):
    """Another tool's run, with the model before each choice. `retrace` makes it.

    Attributes
    ----------
    run : the run
    choices : one for each trial, in the order in which they began
    last : what a choice would have been made from after all results that are known
    order : places in `Run.trials` of those with a result, in the order in which it became known
    candidates : places and then the points of the run, coordinates (M, D), of which the first
        `places` are compared with theirs: of one or two inputs a grid; of more, 1,024 points of a
        Sobol sequence and the points of the run
    beta : of the bounds

    Examples
    --------
    >>> from ucbpe_core import retrace
    >>> retraced = retrace([0, 1, 2, 3, 2.5], [1.0, 2, 4, 3, 5])
    >>> retraced.counts["no model"], retraced.improved, retraced.posterior(4).n
    (4, 4, 4)
    """

    run: Run
    choices: tuple[Choice, ...]
    last: Choice
    order: tuple[int, ...]
    candidates: Floats = field(repr=False)
    places: int
    beta: float

    def posterior(self, i: int) -> Posterior | None:
        """Of f, or -f if that is minimised, over the candidates, before choice i was made.

        Of the number of trials: after all. None where there was no model.
        """
        choice = self.choices[i] if i < len(self.choices) else self.last
        if choice.gp is None:
            return None
        kept = self._latest.get(choice.gp)
        if kept is None:
            told = list(self.order[: max(one.known for one in self._under(choice.gp))])
            kept = Posterior.prior(choice.gp, self.candidates)
            kept = kept.observe(self.at(told), self._signed[told])
            self._latest.clear()
            self._latest[choice.gp] = kept
        own = kept.at(choice.known)
        return own.hallucinate(self.at(choice.pending)) if choice.pending else own

    def _under(self, gp: GaussianProcess) -> list[Choice]:
        """The choices for which the prior was this one."""
        return [one for one in (*self.choices, self.last) if one.gp == gp]

    @cached_property
    def _latest(self) -> dict[GaussianProcess, Posterior]:
        """The posterior given all results that were known under the prior asked for last: those
        before are its first rows.
        """
        return {}

    def scored(self, i: int) -> Scored | None:
        """What each rule maximised before choice i was made, of f or -f; None without a model."""
        posterior = self.posterior(i)
        return None if posterior is None else scored(posterior, self.beta)

    def at(self, trials: Any) -> list[int]:
        """Which of the candidates these trials are."""
        return [len(self.candidates) - len(self.run.trials) + i for i in trials]

    @property
    def _signed(self) -> Floats:
        return sign_of(self.run.direction) * self.run.y

    @property
    def counts(self) -> dict[Kind, int]:
        """How many choices are of each kind."""
        found = Counter(choice.kind for choice in self.choices)
        return {kind: found[kind] for kind in KINDS}

    @property
    def improvements(self) -> tuple[int, ...]:
        """Which trials improved on the best result of those that began before them."""
        y = np.where(np.isnan(self._signed), -np.inf, self._signed)
        before = np.maximum.accumulate(np.concatenate([[-np.inf], y[:-1]]))
        return tuple(np.flatnonzero(y > before).tolist())

    @property
    def improved(self) -> int | None:
        """The last of these; None without a result."""
        return max(self.improvements, default=None)

    @cached_property
    def check(self) -> ModelCheck | None:
        """Whether the last model fits all results; None without one."""
        posterior = self.posterior(len(self.choices))
        known = None if posterior is None else posterior.at(self.last.known)
        return None if known is None else check_model(known.conditioned())

    @cached_property
    def gain(self) -> float | None:
        """By how much f can be better than the best result, if it is in the last band; or None.

        The largest upper bound over the candidates less that result, at least 0.
        """
        found, best = self.scored(len(self.choices)), self.improved
        if found is None or best is None:
            return None
        return max(float(found.by["upper"].values.max()) - float(self._signed[best]), 0.0)


@keyworded
def retrace(
    X: ArrayLike | Run,
    y: ArrayLike | None = None,
    batches: ArrayLike | None = None,
    space: Any = None,
    prior: GaussianProcess | Kernel | None = None,
    *,
    direction: Direction = "maximize",
    beta: float = 4.0,
    refit: float = 0.1,
    progress: Callable[[int, int], None] | None = None,
) -> Retrace:
    """Step through a run whose points somebody else chose, with what was known at each.

    Before each trial, a prior is fitted to the results that were known when it began, by the
    defaults of `fit_hyperparameters` (of more than 200, to so many, evenly spaced), and conditioned
    on them; trials that were running are hallucinated. Theirs is ranked by what each rule
    maximises. No value is invented where they did not measure.

    Parameters
    ----------
    X : points (n, d) or settings in the order in which they were chosen; or a `Run`, which has all
        else up to the prior, and the direction
    y : results (n,); nan where there is none
    batches : the number of the batch of each (n,): its points were chosen before any of its results
        was known; default one by one
    space : as of `Space.of`; default numbers between the least and the greatest value
    prior : for the whole run, of f; or the kernel of those fitted, default `Matern(nu=2.5)`
    direction : which results are better
    beta : of the bounds mean ± sqrt(beta) std
    refit : by which share the number of results has to grow until the prior is fitted again. 0.1 is
        after each result up to the tenth, then ever more rarely: of many results one more changes
        it little, and a run of 2,000 has 60 fits. 0 is after each
    progress : called as progress(done, total); if it raises, the computation is cancelled

    Raises
    ------
    InputError
        For shapes that do not agree, and what `Run.of` refuses.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import retrace
    >>> x = np.array([0.0, 10, 5, 2, 8, 5.1, 6.5])
    >>> retraced = retrace(x, np.sin(x / 2), space=[(0, 10)])
    >>> [choice.kind for choice in retraced.choices][4:]
    ['explored', 'repeated', 'explored']
    """
    run = X if isinstance(X, Run) else _of_arrays(X, y, batches, space, direction)
    beta, refit = non_negative(beta, "beta"), non_negative(refit, "refit")
    kernel, prior = (prior, None) if isinstance(prior, Kernel) else (None, prior)
    if prior is not None:
        instance(prior, GaussianProcess, "pass GaussianProcess(Matern(0.2))")
        prior = replace(prior, mean=sign_of(run.direction) * prior.mean)
    places, few = _places(run.space), len(run.space.names) <= 2
    own = np.where(run.complete[:, None], run.points, places[0])  # any place: nobody looks there
    candidates = read_only(np.concatenate([places, own]))
    size = len(places) if few else len(candidates)
    walk = _Walk(run, candidates, prior, kernel, refit)
    choices = list[Choice]()
    with one_thread(len(run.trials)):
        for i in range(len(run.trials)):
            checkpoint()
            if progress is not None:
                progress(i, len(run.trials))
            choices.append(walk.choice(i, size, beta))
        walk.to(len(run.trials), last=True)
    last = Choice(len(walk.order), (), walk.gp, "no model")
    return Retrace(run, tuple(choices), last, tuple(walk.order), candidates, size, beta)


def _places(space: Space) -> Floats:
    """Settings that stand for all (M, D), in coordinates."""
    if len(space.names) <= 2:
        return gridded(space, _LINE if len(space.names) == 1 else _GRID)
    return space.coordinates(spread(space, 0, _SOBOL, 0))


def _of_arrays(X: Any, y: Any, batches: Any, space: Any, direction: Direction) -> Run:
    """The run of points or settings."""
    own = None if space is None else Space.of(space)
    if own is not None:
        settings = own.settings(own.read(points(X, "X") if _is_flat(X) else X, "X"))
    else:
        rows = points(X, "X").tolist()
        settings = [{f"x{i}": value for i, value in enumerate(row)} for row in rows]
    results = numeric(() if y is None else y, "y").ravel().tolist()
    labels = range(len(settings)) if batches is None else numeric(batches, "batches").tolist()
    if not len(settings) == len(results) == len(labels):
        got = f"{len(settings)} points, {len(results)} results and {len(labels)} batches"
        raise InputError("a result, and a batch if any, for each point", got, "one of each")
    kinds = None if own is None else dict(zip(own.names, own.inputs, strict=True))
    rows_of = enumerate(zip(settings, results, labels, strict=True))
    trials = [
        ForeignTrial(i, one, value, "done", batch=int(batch)) for i, (one, value, batch) in rows_of
    ]
    return Run.of(trials, direction, kinds)


def _is_flat(X: Any) -> bool:
    """Whether it is a row of numbers, of one input."""
    return np.ndim(X) == 1 and not any(hasattr(one, "keys") for one in X)


class _Walk:
    """The model as it was, from trial to trial: results become known, and the prior is fitted."""

    def __init__(
        self, run: Run, candidates: Floats, prior: GaussianProcess | None, kernel: Kernel | None,
        refit: float,
    ) -> None:  # fmt: skip
        self.run, self.candidates, self.given, self.refit = run, candidates, prior, refit
        self._kernel = kernel
        self.gp, self.order, self._fitted = prior, list[int](), 0
        self._y = sign_of(run.direction) * run.y
        self._first = len(candidates) - len(run.trials)
        self._posterior: Posterior | None = None

    def choice(self, i: int, places: int, beta: float) -> Choice:
        """Trial i under the model before it."""
        posterior = self.to(i)
        pending = tuple(j for j in self.run.pending(i) if self.run.complete[j])
        failed = self.run.trials[i].state in ("failed", "pruned")
        if posterior is None or not self.run.complete[i]:
            kind: Kind = "failed" if failed else "no model"
            return Choice(len(self.order), pending, None if posterior is None else self.gp, kind)
        if pending:
            posterior = posterior.hallucinate([self._first + j for j in pending])
        found, own = scored(posterior, beta), self._first + i
        ranks = {rule: score.rank(own, places) for rule, score in found.by.items()}
        std = float(posterior.std[own])
        prior_std = float(np.sqrt(posterior.gp.kernel.diagonal(self.candidates[own : own + 1])[0]))
        kind = "failed" if failed else kind_of(ranks, std / prior_std)
        mean = sign_of(self.run.direction) * float(posterior.mean[own])
        picks = found.picks(places, not_awaited(posterior))
        return Choice(len(self.order), pending, self.gp, kind, mean, std, ranks, picks)

    def to(self, i: int, *, last: bool = False) -> Posterior | None:
        """The posterior given what was known before trial i, without what was running."""
        told = set(self.order)
        new = [j for j in self.run.known(i) if j not in told]
        self.order += sorted(new, key=lambda j: (self.run.trials[j].end or 0.0, j))
        y = self._y[self.order]
        if len(y) < LEAST or all_equal(y):
            self.gp = self.given
            return None
        n = len(self.order)
        due = n > self._fitted and (last or n - self._fitted >= self.refit * self._fitted)
        if self._posterior is None or (self.given is None and due):
            self.gp = self.given or self._fit()
            self._fitted, new = n, self.order
            self._posterior = Posterior.prior(self.gp, self.candidates)
        if new:
            at = [self._first + j for j in new]
            self._posterior = self._posterior.observe(at, self._y[new])
        return self._posterior

    def _fit(self) -> GaussianProcess:
        """The prior fitted to the results known, or to so many of them, evenly spaced."""
        n = len(self.order)
        some = [self.order[i] for i in np.linspace(0, n - 1, min(n, _MOST_FITTED)).astype(int)]
        X, y, domain = self.run.points[some], self._y[some], self.run.space.domain
        gp = GaussianProcess.from_data(X, y, self._kernel, domain=domain)
        return fit_hyperparameters(gp, X, y, domain=domain).gp
