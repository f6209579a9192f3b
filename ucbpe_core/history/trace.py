"""A run as a value: the history of a search on a known problem, with its files and tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.metadata import entry_points
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.posterior import Posterior, passed
from ucbpe_core.gp.region import relevant_region
from ucbpe_core.history.steps import decided, observed
from ucbpe_core.history.workers import BATCHES
from ucbpe_core.policies.decision import Decision
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.optional import install
from ucbpe_core.support.validation import frozen_copy, read_only, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from ucbpe_core.files.text import PathOrFile
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.history.history import History
    from ucbpe_core.history.steps import Batch
    from ucbpe_core.history.workers import Timetable, Workers
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.support.validation import Floats


class Made(NamedTuple):
    """What the caller that ran a policy already has; otherwise it is derived from the history."""

    decisions: tuple[Decision, ...]
    posterior: Posterior


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """A finished run of `policy` on `problem`, in the direction of the problem.

    Values, measurements, `posterior` and y_dot are in the units of f in either direction; regrets
    are at least 0.

    Attributes
    ----------
    problem : the function, known at all candidates
    history : every measurement, in the order made, and every batch; times are left out
    seed : of the initial points and of the noise
    made : `decisions` and `posterior` where they are at hand, as after `simulate`; a trace that was
        loaded derives them from its history at first use
    workers : how many results arrive together, and how long evaluations take; by default a batch
        takes one unit of time, and its results arrive together
    hold_data : whether the measurements come from another run (see `replay_decisions`): `y`,
        `values` and the regrets then belong to the candidates in `history`, not to the picks
    decisions : the T decisions: a batch of K picks each, or, where results arrived one by one, as
        many picks as workers were free
    timetable : who made each pick, from when to when
    posterior : after the last batch; `posterior.at(n)` after n observations
    gp, policy, beta : the plan of batch 1
    initial : number of observations before batch 1
    y : every measurement in order, shape (initial + T K,)
    values : true f where each batch was measured, shape (T, K); not where results arrived one by
        one. Regrets at t then count the results that arrived after decision t
    refits : (t, prior) for each time that the prior was fitted again: it holds from batch t on.
        `posterior` has the last one, so that with refits `posterior.at(n)` is the posterior of the
        first n observations under this prior, not what the posterior was then.

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate, Trace
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=5, initial=4)
    >>> trace.simple_regret.round(2)
    array([0.44, 1.68, 0.01, 0.01, 0.  ])
    >>> trace
    Trace(GP-UCB-PE, 5 batches of 3 on Multimodal curve: least regret 0.00111)
    >>> trace.save("run.json")
    >>> Trace.load("run.json").digest == trace.digest
    True
    """

    problem: Problem
    history: History = field(repr=False)
    seed: int
    made: Made | None = field(default=None, repr=False)
    hold_data: bool = False
    workers: Workers = BATCHES

    __setstate__ = Frozen.__setstate__  # arrays of a copy are read-only, too

    def __repr__(self) -> str:
        T, K = len(self.history.batches), self.policy.batch_size
        made = f"{T} decisions one by one" if self.one_by_one else f"{T} batches of {K}"
        least = f": least regret {self.running_minimum[-1]:.3g}" if T else ""
        return f"Trace({self.policy.name}, {made} on {self.problem.name}{least})"

    @property
    def policy(self) -> Policy:
        """The policy, the same for all batches."""
        return self.history.plan.policy

    @property
    def initial(self) -> int:
        """Number of observations before batch 1."""
        return sum(trial.t == 0 for trial in self.history.trials)

    @cached_property
    def y(self) -> Floats:
        """Every measurement in order, shape (initial + T K,)."""
        return read_only(np.array([trial.y for trial in self.history.data], dtype=float))

    @cached_property
    def timetable(self) -> Timetable:
        """Who made each pick, from when to when."""
        picks, K = len(self.history.trials) - self.initial, self.policy.batch_size
        return self.workers.timetable(picks, K, self.seed)

    @property
    def one_by_one(self) -> bool:
        """Whether a decision was made while earlier picks were running."""
        return any(batch.size != self.policy.batch_size for batch in self.history.batches)

    @cached_property
    def values(self) -> Floats:
        """True f where each batch was measured, shape (T, K)."""
        self.require_batches("arrange its values by batch")
        return frozen_copy(self._values)

    def require_batches(self, purpose: str) -> None:
        """Raise InputError unless all results of a batch arrived together."""
        if self.one_by_one:
            remedy = "simulate it without workers"
            raise InputError(f"a run in batches, to {purpose}", "results one by one", remedy)

    def require_measured(self, purpose: str) -> None:
        """Raise InputError unless the measurements were made at the picks."""
        if self.hold_data:
            remedy = "use the run that was measured"
            raise InputError(
                f"a run measured at its own picks, to {purpose}",
                "measurements of another run",
                remedy,
            )

    @cached_property
    def simple_regret(self) -> Floats:
        """r_t^K, of the results that arrived after decision t alone, shape (T,)."""
        return read_only(np.array([regrets.min() for regrets in self._regrets]))

    @cached_property
    def running_minimum(self) -> Floats:
        """The least r_s^K for s <= t, shape (T,)."""
        return read_only(np.minimum.accumulate(self.simple_regret))

    @cached_property
    def initial_regret(self) -> float | None:
        """The least regret of an initial point; None without one."""
        first = [trial.index for trial in self.history.measured if trial.t == 0]
        return float(self.problem.regret(self.problem.values[first]).min()) if first else None

    @cached_property
    def best_so_far(self) -> Floats:
        """The least regret of all that was measured by t, initial points included, shape (T,)."""
        start = np.inf if self.initial_regret is None else self.initial_regret
        return read_only(np.minimum(self.running_minimum, start))

    @property
    def batch_cumulative_regret(self) -> Floats:
        """R_T^K, shape (T,)."""
        return np.cumsum(self.simple_regret)

    @property
    def full_cumulative_regret(self) -> Floats:
        """R_TK, shape (T,)."""
        return np.cumsum(self.total_regret)

    @property
    def total_regret(self) -> Floats:
        """The sum of the regrets of the results that arrived after each decision, shape (T,)."""
        return np.array([regrets.sum() for regrets in self._regrets])

    @property
    def _values(self) -> list[Floats]:
        """True f at the results that arrived after each decision, in order."""
        measured = [trial.index for trial in self.history.measured if trial.t > 0]
        ends = np.cumsum([len(turn.results) for turn in self.timetable.turns])
        return np.split(self.problem.values[measured], ends[:-1])

    @property
    def _regrets(self) -> list[Floats]:
        """The regret of each."""
        return [self.problem.regret(values) for values in self._values]

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """The T decisions."""
        return tuple(_decisions(self)) if self.made is None else self.made.decisions

    @cached_property
    def posterior(self) -> Posterior:
        """After the last batch."""
        if self.made is None:
            return self.posterior_of_plan(len(self.history.plans) - 1)
        return self.made.posterior

    @property
    def gp(self) -> GaussianProcess:
        """The prior of batch 1."""
        return self.history.plans[0].gp

    @property
    def beta(self) -> BetaSchedule:
        """The schedule of beta_t, the same for all batches."""
        return self.history.plan.beta

    @property
    def refits(self) -> tuple[tuple[int, GaussianProcess], ...]:
        """(t, prior) for each time that the prior was fitted again."""
        return tuple((plan.since + 1, plan.gp) for plan in self.history.plans[1:])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what was chosen and measured, 64 hexadecimal digits (of what, `_digest` says).

        Two runs have the same digest only if every pick, every measurement and every beta_t are the
        same to the last bit, initial observations included; the settings do not enter.
        """
        return _digest(self)

    def posterior_of(self, t: int) -> Posterior:
        """The posterior under the prior of batch t, after all batches that this prior chose.

        `posterior_of(t).at(decision.n)` is the posterior that batch t was chosen from, to rounding
        if the prior was fitted again; without refits `posterior_of(t)` is `posterior` itself.
        """
        return next(after for first, after in reversed(self._posteriors) if first <= t)

    @cached_property
    def _posteriors(self) -> tuple[tuple[int, Posterior], ...]:
        """For each prior, the batch from which it holds, and the posterior after its last one."""
        plans = self.history.plans
        earlier = [(plan.since + 1, self.posterior_of_plan(i)) for i, plan in enumerate(plans[:-1])]
        return (*earlier, (plans[-1].since + 1, self.posterior))

    def posterior_of_plan(self, i: int) -> Posterior:
        """The posterior under the prior of plan i, after all batches that this prior chose."""
        history = self.history
        ends = [history.batches[plan.since].n for plan in history.plans[1:]]
        start = history.plans[i].prior(self.problem.candidates)
        return observed(start, history.data[: [*ends, len(history.data)][i]])

    def measured_before(self, t: int) -> int:
        """Measurements told before decision t, initial ones included; for t = T + 1, all."""
        turns = self.timetable.turns
        if t > len(turns):
            return len(self.history.data)
        # Of another run's measurements some can be void.
        return self.decisions[t - 1].n if self.hold_data else self.initial + turns[t - 1].told

    @property
    def by_rows(self) -> bool:
        """Whether decision t was made from the first `n` rows of the posterior, which are in time.

        Not where earlier picks were running, measurements are another run's, or the posterior has
        no rows of points.
        """
        others = self.one_by_one or self.hold_data
        return not others and self.history.plan.inducing is None

    def before(self, t: int, k: int = 0) -> Posterior:
        """The posterior before pick k of decision t, the picks before it hallucinated.

        Those of earlier decisions that are running are, too; t = T + 1 is after the run.
        """
        batches = self.history.batches
        if t > len(batches):
            return self._start(t)
        if self.by_rows:
            return self.posterior_of(t).at(batches[t - 1].n + k)
        ahead = [] if self.hold_data else self.running(t)
        ahead += self.decisions[t - 1].indices[:k].tolist() if k else []
        start = self._start(t)
        return start.hallucinate(ahead) if ahead else start

    def _start(self, t: int) -> Posterior:
        """The posterior that decision t was made from, without picks that were running."""
        return self.posterior_of(t).at(self.measured_before(t))

    def starts(self) -> Iterator[Posterior]:
        """The posterior that each decision was made from, and the last one, T + 1 in all.

        In one pass over the rows. Running picks are hallucinated.
        """
        self.require_steppable("follow its posterior")
        T = len(self.history.batches)
        yield from _starts(self, self.posterior, 0, T)
        yield self.before(T + 1)

    def running(self, t: int) -> list[int]:
        """The candidates of the picks that were running at decision t."""
        picks, turn = self.history.trials[self.initial :], self.timetable.turns[t - 1]
        return [picks[i].index for i in turn.running]

    def require_steppable(self, purpose: str) -> None:
        """Raise InputError unless all batches have one prior, as stepping back requires."""
        if self.refits:
            times = f"one fitted again before batches {[t for t, _ in self.refits]}"
            remedy = "simulate it without refit_every"
            raise InputError(f"a run with one prior, to {purpose}", times, remedy)

    def save(self, path: PathOrFile, *, overwrite: bool = False) -> None:
        """Write a JSON file that `load` reads back; `docs/files.md` describes its fields.

        Parameters
        ----------
        path : the file, or a text file open for writing
        overwrite : whether to replace a file at the path that is not of this run

        Raises
        ------
        InputError
            For a policy, kernel or schedule of a class that is not registered, a path that cannot
            be written or has another file, or measurements of another run. An existing file is then
            left unchanged.
        """
        from ucbpe_core.files import trace as run

        self.require_measured("save it")
        run.save(self, path, overwrite=overwrite)

    @classmethod
    def load(cls, path: PathOrFile) -> Trace:
        """The trace that `save` wrote, equal to the last bit.

        The posterior is conditioned again when it is first asked for, and R and R+ follow from it:
        on the same machine that gives the same bits; on another the picks and measurements are the
        same, and the posterior differs by rounding. Nothing in the file is executed, and neither
        loading nor conditioning needs more memory than the run did.

        Parameters
        ----------
        path : the file, or a text file open for reading

        Raises
        ------
        InputError
            For a file that cannot be read, is not JSON, is truncated, has another version, was
            altered after it was saved, is not of a trace, or has content that no run can have.
        """
        from ucbpe_core.files import trace as run

        return cls(**run.load(path))

    def to_csv(self, path: PathOrFile) -> None:
        """Write one row for each measurement; `docs/files.md` describes the columns.

        It takes the parameters of `save`, and raises the same errors.
        """
        from ucbpe_core.files import sheets
        from ucbpe_core.files import trace as run

        self.require_measured("write a row for each measurement")
        sheets.write(path, self.history, run.columns(self))

    def to_frame(self) -> pd.DataFrame:
        """The rows and columns of `to_csv` as a pandas table; `attrs` describes the run.

        Raises
        ------
        InputError
            Without pandas, which the extra "study" installs, or for measurements of another run.

        Examples
        --------
        >>> from ucbpe_core import GPUCBPE, problems, simulate
        >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=5, initial=4)
        >>> frame = trace.to_frame()
        >>> len(frame), list(frame.columns[:4])
        (19, ['state', 'measurement', 'candidate', 'input 1: x'])
        """
        from ucbpe_core.files import sheets
        from ucbpe_core.files import trace as run

        self.require_measured("list its measurements")
        frame = sheets.frame(self.history, run.columns(self))
        frame.attrs.update(run.about(self))
        return frame

    def plot(self) -> Any:
        """r_t^K, the least of them so far, as a HoloViews overlay; the dashboard draws it.

        Raises
        ------
        InputError
            Without the dashboard, which the extra "app" installs.
        """
        for entry in entry_points(group="ucbpe.plots", name="trace"):
            return entry.load()(self)
        raise InputError("the dashboard, which draws, to be installed", "none", install("app"))

    def _repr_html_(self) -> str:
        """What a notebook shows: what was run, and how well it did."""
        from ucbpe_core.files import trace as run

        return run.html(self)


def _decisions(trace: Trace) -> Iterator[Decision]:
    """The decisions that the history records; no more than one posterior is kept."""
    history, sign = trace.history, sign_of(trace.problem.direction)
    since = [*(plan.since for plan in history.plans), len(history.batches)]
    for i, (first, end) in enumerate(pairwise(since)):
        after = trace.posterior if end == since[-1] else trace.posterior_of_plan(i)
        batches = history.batches[first:end]
        starts = _starts(trace, after, first, end)
        for batch, start in zip(batches, starts, strict=True):
            picks = history.trials[batch.n : batch.n + batch.size]
            points = trace.problem.candidates[[pick.index for pick in picks]]
            start = start.signed(sign)
            relevant = relevant_region(start, batch.beta, batch.beta_next)
            yield decided(batch, picks, points, relevant, history.plans[i].policy, start)


def _starts(trace: Trace, after: Posterior, first: int, end: int) -> Iterator[Posterior]:
    """The posterior that each decision from number `first` up to `end` was made from.

    `after` has their rows.
    """
    sizes = [trace.measured_before(t) for t in range(first + 1, end + 1)]
    for t, start in enumerate(passed(after, sizes), start=first + 1):
        running = trace.running(t)
        yield start.hallucinate(running) if running else start


def _digest(trace: Trace) -> str:
    """SHA-256 of what was chosen and measured, 64 hexadecimal digits.

    Two runs have the same digest only if every pick, every measurement and every beta_t are the
    same to the last bit, initial observations included; the settings do not enter. Hashed in
    this order, little-endian: the counts (initial, T, K), the candidate index of each
    observation (-1 for a point outside the set), shape (initial + T K,), as 64-bit integers;
    `y`, shape (initial + T K,), and beta_t, shape (T,), as 64-bit floats. If any measurement has
    its own noise variance, different from every prior's, one for each measurement follows, shape
    (initial + T K,), as 64-bit floats: -1 stands for the prior's. If the measurements come from
    another run, the indices of the picks, shape (T K,), follow those of the observations. If
    decisions were made while earlier picks were running, the number of picks of each and of its
    results, shape (2 T,), and the place of each pick among the measurements, shape (T K,), follow
    instead.
    """
    batches: Sequence[Batch | Decision] = trace.history.batches
    indices = [trial.index for trial in trace.history.data]
    if trace.one_by_one:
        indices += [n for turn in trace.timetable.turns for n in (turn.size, len(turn.results))]
        indices += [trial.place for trial in trace.history.trials if trial.t > 0]
    if trace.hold_data:
        batches = trace.decisions
        indices += [j for decision in trace.decisions for j in decision.indices]
    counts = (trace.initial, len(batches), trace.policy.batch_size)
    integers = np.array([*counts, *indices], dtype="<i8")
    betas = [batch.beta for batch in batches]
    floats = np.array([*trace.y, *betas, *_own_noise(trace)], dtype="<f8")
    return sha256(integers.tobytes() + floats.tobytes()).hexdigest()


def _own_noise(trace: Trace) -> list[float]:
    """The noise variance of each measurement, -1 for the prior's; empty if it is for all."""
    priors = {plan.gp.noise_variance for plan in trace.history.plans}
    given = [trial.noise_variance for trial in trace.history.data]
    own = [-1.0 if noise is None or {noise} == priors else noise for noise in given]
    return own if any(noise >= 0 for noise in own) else []
