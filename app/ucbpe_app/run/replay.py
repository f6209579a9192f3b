"""(Trace, event) -> Frame. Pure NumPy.

A `Replay` keeps the posterior at each batch start; inside a batch the std follows from the
rows that the run already has, or, on kept measurements, from the rows that its picks would have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, TypeVar, cast
from weakref import WeakValueDictionary

import numpy as np

from ucbpe_app.run.events import Event, Kind, events_of, explored_at, group_at, region_at
from ucbpe_app.run.frames import Frame, PickMark, Scene
from ucbpe_app.run.joint import Joint
from ucbpe_app.run.sentences import changed as changed_words
from ucbpe_app.run.sentences import describe_event, describe_stop
from ucbpe_core import theory
from ucbpe_core.gp.fitting import check_model
from ucbpe_core.gp.fitting.check import contradicts
from ucbpe_core.gp.kernels import Linear, Polynomial
from ucbpe_core.gp.linalg import std_of
from ucbpe_core.gp.region import certificate
from ucbpe_core.support.validation import read_only, sign_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from ucbpe_app.run.sentences import EventText
    from ucbpe_core import Trace
    from ucbpe_core.gp.region import Certificate
    from ucbpe_core.history.steps import Trial
    from ucbpe_core.support.validation import Floats

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class _Moments:
    """The posterior at a batch start over the candidates, its variance unclipped, and bands."""

    mean: Floats
    variance: Floats
    std: Floats
    lower: Floats
    upper: Floats


class Replay:
    """A trace made steppable: `frame(i)` for i = 0 .. len(events) - 1.

    `measured` is the run whose measurements the trace holds, itself unless they are another's.
    Raises InputError for a run whose prior was fitted again.
    """

    def __init__(self, trace: Trace, measured: Replay | None = None) -> None:
        trace.require_steppable("step through it")
        self.trace, self.measured = trace, measured or self
        self.events = events_of(trace)
        self._first = [i for i, event in enumerate(self.events) if event.kind is Kind.POSTERIOR]
        self._indices = np.array(trace.posterior.conditioned_indices, dtype=np.intp)
        self._posteriors = self._checkpoints()
        self._rows: dict[int, Floats] = {}  # by batch, of picks that were not measured
        self._ends = [trace.measured_before(t) for t in range(1, len(trace.decisions) + 2)]
        pairs = zip(self.measured.trace.history.measured, trace.history.measured, strict=True)
        self._changed = [(i, old, new) for i, (old, new) in enumerate(pairs) if old.y != new.y]
        self._values = [self._limits(t) for t in range(1, len(self._posteriors))]
        self._shown = WeakValueDictionary[int, Frame]()
        self._derived: dict[Hashable, object] = {}

    def frame(self, i: int) -> Frame:
        """The frame of event i; all visitors who are at it share one."""
        frame = self._shown.get(i)
        if frame is None:
            self._shown[i] = frame = self._frame(i)
        return frame

    def derived(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """What follows from the run, computed once for a class that steps through it.

        Two threads may both compute it; the first is kept.
        """
        if key not in self._derived:
            self._derived.setdefault(key, compute())
        return cast("Value", self._derived[key])

    @cached_property
    def scene(self) -> Scene:
        """What stays the same over this run."""
        trace, problem = self.trace, self.trace.problem
        means = np.array(
            [(posterior.mean.min(), posterior.mean.max()) for posterior in self._posteriors]
        )
        return Scene(
            name=problem.name,
            candidates=problem.candidates,
            truth=problem.values,
            grid=problem.grid,
            axes=problem.axes,
            batches=len(trace.decisions),
            batch_size=trace.policy.batch_size,
            noise_variance=trace.gp.noise_variance,
            roles=tuple(dict.fromkeys(role for batch in trace.decisions for role in batch.roles)),
            uses_region=trace.policy.uses_region and trace.policy.batch_size > 1,
            optimum=problem.optimum,
            optimum_index=problem.optimum_index,
            means=(
                float(min(problem.values.min(), means.min())),
                float(max(problem.values.max(), means.max())),
            ),
            values=(
                float(min(posterior.lower.min() for posterior in self._posteriors)),
                float(max(posterior.upper.max() for posterior in self._posteriors)),
            ),
            largest_std=float(self._posteriors[0].std.max()),
            simple=trace.simple_regret,
            running=trace.best_so_far,
            batch_cumulative=trace.batch_cumulative_regret,
            full_cumulative=trace.full_cumulative_regret,
            certificates=read_only(np.array([bound.regret for bound in self._certificates])),
            certified=problem.regret(problem.values[[bound.index for bound in self._certificates]]),
            start=trace.initial_regret,
            results=self._results(),
            sign=sign_of(problem.direction),
            own_region=bool(trace.decisions[0].explored),
            joint=Joint(trace),
        )

    @cached_property
    def contradicted(self) -> str:
        """What all results together say against a linear or polynomial kernel, if they do.

        Other kernels can be wrong in their settings, which are there to be tried. These exclude
        most functions altogether, and so their band is narrow and false.
        """
        kernel = self.trace.gp.kernel
        if not isinstance(kernel, Linear | Polynomial):
            return ""
        if not contradicts(check_model(self.trace.posterior.conditioned()).verdict):
            return ""
        degree = kernel.degree if isinstance(kernel, Polynomial) else 1
        return f"The results contradict this kernel: its functions are of degree {degree} at most."

    @cached_property
    def _certificates(self) -> tuple[Certificate, ...]:
        """What the band of each batch proves at its start."""
        starts, direction = self._posteriors, self.trace.problem.direction
        return tuple(
            certificate(start, decision.beta, direction)
            for start, decision in zip(starts, self.trace.decisions, strict=False)
        )

    def _results(self) -> Floats:
        """The best that was measured: at the start, if anything was, and after each batch."""
        sign = sign_of(self.trace.problem.direction)
        best = sign * np.maximum.accumulate(sign * self.trace.y)
        return read_only(best[[n - 1 for n in self._ends if n]])

    def batch_start(self, t: int) -> int:
        """Index of the first event of batch t, t clipped to the run."""
        t = min(max(t, 1), self.events[-1].t)
        return self._first[t - 1]

    def batch(self, t: int) -> tuple[Event, ...]:
        """The events of batch t, in order."""
        ends = [*self._first[1:], len(self.events)]
        return self.events[self.batch_start(t) : ends[min(max(t, 1), len(ends)) - 1]]

    def _frame(self, i: int) -> Frame:
        event = self.events[i]
        decision = self.trace.decisions[event.t - 1]
        observing = event.kind is Kind.OBSERVE
        posterior = self._posteriors[event.t] if observing else self._posteriors[event.t - 1]
        made = self._picks_made(event)
        hallucinated = max(made - 1, 0) if event.kind is Kind.PICK else 0
        std_now, std_before = self._stds(event.t, hallucinated)
        if observing:
            counted = 0 if self.trace.hold_data else made - 1
            std_now, std_before = posterior.std, self._stds(event.t, counted)[0]
        lower, upper = posterior.lower, posterior.upper
        if observing:  # the new posterior under this batch's beta; `posterior` has the next one's
            lower, upper = _band(posterior.mean, posterior.std, decision.sqrt_beta)
        visible, explored = self._region_visible(event), explored_at(decision, event)
        n = self._ends[event.t if observing else event.t - 1]
        changed = self._changes(event.t if observing else event.t - 1)
        # Where other picks were measured, those of this run are nowhere once the results are in.
        made = 0 if observing and self.trace.hold_data else made
        picks = self._marks(event, made)
        bound = None if observing else self._certificates[event.t - 1]
        return Frame(
            event=event,
            index=i,
            mean=posterior.mean,
            std=posterior.std,
            lower=lower,
            upper=upper,
            std_now=std_now,
            std_before=std_before,
            y_dot=decision.y_dot if visible else None,
            region=decision.region if visible else None,
            region_plus=decision.region_plus if visible else None,
            explored=explored,
            compared=(decision.y_dot, decision.region_plus) if explored else None,
            picks=picks,
            pending=self._pending(event.t, observing=observing),
            group=group_at(self.trace, decision),
            subject=self._subject(event, picks, n),
            observed=read_only(self._indices[:n]),
            observed_y=self.trace.y[:n],
            changed=tuple(old.index for old, _ in changed),
            changed_y=tuple(float(old.y or 0.0) for old, _ in changed),
            fresh=n - self._ends[event.t - 1],
            beta=decision.beta,
            sqrt_beta=decision.sqrt_beta,
            beta_next=decision.beta_next,
            values=self._values[event.t - 1],
            largest_std=self._largest_std(event.t),
            done=event.t if observing else event.t - 1,
            certificate=bound,
            stop=describe_stop(self.trace, bound) if bound else "",
            tell=cache(partial(self._tell, event, [new.y for _, new in changed])),
        )

    def _checkpoints(self) -> tuple[_Moments, ...]:
        """The T + 1 posteriors at each batch start and at the end, in one pass over the rows."""
        decisions = self.trace.decisions
        betas = [*(decision.sqrt_beta for decision in decisions), decisions[-1].sqrt_beta]
        return tuple(
            _Moments(mean, variance, std, *_band(mean, std, beta))
            for (mean, std, variance), beta in zip(
                theory.batch_moments(self.trace), betas, strict=True
            )
        )

    def _stds(self, t: int, hallucinated: int) -> tuple[Floats, Floats | None]:
        """std(k) with k = `hallucinated` picks of batch t, and std(k - 1) if there is one."""
        posterior = self._posteriors[t - 1]
        if hallucinated == 0:
            return posterior.std, None
        variance, before = posterior.variance.copy(), posterior.std
        for k in range(hallucinated):
            if k == hallucinated - 1:
                before = std_of(variance)
            variance -= self._row(t, k) ** 2
        return std_of(variance), before

    def _row(self, t: int, k: int) -> Floats:
        """The row that pick k of batch t adds: that of its measurement, if it has one."""
        trace, decision = self.trace, self.trace.decisions[t - 1]
        if trace.by_rows:
            return trace.posterior.state.rows[decision.n + k]
        if t not in self._rows:
            counted = trace.before(t, len(decision.indices) - 1)
            # Copies: the posterior has all rows before them once more.
            self._rows[t] = counted.last_rows(counted.n - decision.n)
        return self._rows[t][k]

    def _largest_std(self, t: int) -> float:
        """Of the candidates among which batch t chooses by it."""
        std = self._posteriors[t - 1].std
        if self.scene.uses_region:
            std = std[self.trace.decisions[t - 1].region_plus]
        return float(std.max())

    def _limits(self, t: int) -> tuple[float, float]:
        before, after, truth = *self._posteriors[t - 1 : t + 1], self.trace.problem.values
        decision = self.trace.decisions[t - 1]
        y = self.trace.y[: self._ends[t]]
        lower, upper = _band(after.mean, after.std, decision.sqrt_beta)
        return (
            float(min(array.min() for array in (before.lower, lower, truth, y))),
            float(max(array.max() for array in (before.upper, upper, truth, y))),
        )

    def _tell(
        self, event: Event, changed: list[float | None], plain: bool, secret: bool = False
    ) -> EventText:
        text = describe_event(self.trace, event, plain=plain, secret=secret)
        return replace(text, heading=text.heading + changed_words(changed, plain=plain))

    def _changes(self, batches: int) -> list[tuple[Trial, Trial]]:
        """What of the measurements up to the end of a batch was moved or left out: as it was made,
        and as it is.
        """
        made = self.measured.trace.measured_before(batches + 1)  # those left out included
        return [(old, new) for i, old, new in self._changed if i < made]

    def _picks_made(self, event: Event) -> int:
        if event.kind is Kind.PICK:
            return event.k + 1
        decision = self.trace.decisions[event.t - 1]
        if event.kind is Kind.REGION:
            return region_at(self.trace.policy, decision) or 0
        return len(decision.indices) if event.kind is Kind.OBSERVE else 0

    def _region_visible(self, event: Event) -> bool:
        policy = self.trace.policy
        at = region_at(policy, self.trace.decisions[event.t - 1])
        inside = event.kind is Kind.PICK and at is not None and event.k >= at
        return policy.uses_region and (event.kind is Kind.REGION or inside)

    def _marks(self, event: Event, made: int) -> tuple[PickMark, ...]:
        decision = self.trace.decisions[event.t - 1]
        if event.kind is Kind.OBSERVE and self.trace.one_by_one:
            return self._made(self.trace.timetable.turns[event.t - 1].results)
        return tuple(
            PickMark(
                index=int(decision.indices[k]),
                number=k,
                role=decision.roles[k],
                std=float(decision.stds[k]),
                x=self.trace.problem.candidates[decision.indices[k]],
                current=event.kind is Kind.PICK and k == event.k,
            )
            for k in range(made)
        )

    def _pending(self, t: int, *, observing: bool) -> tuple[PickMark, ...]:
        """The picks that are running when decision t is made, or after the results that follow."""
        turns = self.trace.timetable.turns if self.trace.one_by_one else ()
        at = t if observing else t - 1
        return self._made(turns[at].running) if at < len(turns) else ()

    def _made(self, numbers: tuple[int, ...]) -> tuple[PickMark, ...]:
        """The picks of these numbers, of whichever decision they are."""
        picks = self.trace.history.trials[self.trace.initial :]
        X = self.trace.problem.candidates
        return tuple(
            PickMark(pick.index, pick.k, pick.role, pick.std or 0.0, X[pick.index], current=False)
            for pick in (picks[i] for i in numbers)
        )

    def _subject(self, event: Event, picks: tuple[PickMark, ...], n: int) -> PickMark | None:
        """The pick that an event is about; of n measurements, that of the best new one.

        By what was measured and not by f, which may be secret.
        """
        if event.kind is not Kind.OBSERVE:
            return picks[-1] if picks else None
        new = slice(self._ends[event.t - 1], n)
        y, indices = sign_of(self.trace.problem.direction) * self.trace.y[new], self._indices[new]
        best = indices[np.argmax(y)] if len(y) else None  # all may be left out
        return next((pick for pick in picks if pick.index == best), None)


def _band(mean: Floats, std: Floats, sqrt_beta: float) -> tuple[Floats, Floats]:
    half = sqrt_beta * std
    return read_only(mean - half), read_only(mean + half)
