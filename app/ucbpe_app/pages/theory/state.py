"""The theory of a run: what the page shows of it, computed in the background, and the count.

Pure NumPy; costs about as much as the run.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.pages.theory.count import Count
from ucbpe_app.pages.theory.proof import Step, Verdicts, chain, verdicts
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import Worker
from ucbpe_core import UCBPEError, theory
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Trace
    from ucbpe_core.support.validation import Floats
    from ucbpe_core.theory import RunDiagnostics


@dataclass(frozen=True, eq=False)
class Gain:
    """Information in nats, shape (T,): of the run, of a greedy choice, and a bound on gamma_tK."""

    run: Floats = field(repr=False)
    greedy: Floats = field(repr=False)
    bound: Floats = field(repr=False)


@dataclass(frozen=True, eq=False)
class Bound:
    """A cumulative regret and its bounds, shape (T,); None without noise, where they are infinite.

    Attributes
    ----------
    own : of the run
    trivial : what no run exceeds
    printed, proved : Theorem 1 as printed, and as its proof gives it
    """

    own: Floats = field(repr=False)
    trivial: Floats = field(repr=False)
    printed: Floats | None = field(repr=False)
    proved: Floats | None = field(repr=False)


@dataclass(frozen=True, eq=False)
class RunTheory:
    """What is proved of one run; `sentences` says it in words.

    Attributes
    ----------
    trace, course : the run, and its terms in the lemmas
    gain : None without noise
    batch, full : R_T^K and R_TK
    steps : from R_T^K to its proved bound, at T; none without noise
    verdicts : which statements of the proof do not hold
    """

    trace: Trace = field(repr=False)
    course: RunDiagnostics = field(repr=False)
    gain: Gain | None = field(repr=False)
    batch: Bound = field(repr=False)
    full: Bound = field(repr=False)
    steps: tuple[Step, ...] = field(repr=False)
    verdicts: Verdicts = field(repr=False)

    @property
    def batches(self) -> int:
        """T."""
        return len(self.course.beta)

    @property
    def sqrt_beta(self) -> Floats:
        """sqrt(beta_t), shape (T,)."""
        return np.sqrt(self.course.beta)

    @property
    def wide(self) -> Floats:
        """The 2 sqrt(beta_(t+1)) of R+, shape (T,)."""
        return 2 * np.sqrt(self.course.beta_next)

    @property
    def allowed(self) -> Floats:
        """Probability of leaving the band by t that the union bound allows, shape (T,)."""
        return theory.union_bound(self.course.beta, len(self.trace.problem.candidates))


def gather(replay: Replay) -> RunTheory:
    """All that the Theory page shows of a run, kept as long as the run. Thread-safe."""
    return replay.derived("theory", lambda: _gather(replay))


def _gather(replay: Replay) -> RunTheory:
    trace, course = replay.trace, theory.diagnose(replay.trace)
    gain = _gain(trace)
    steps = () if gain is None else chain(trace, course, gain)
    bounds = _bounds(trace, course, gain)
    return RunTheory(trace, course, gain, *bounds, steps, verdicts(course))


def _gain(trace: Trace) -> Gain | None:
    """None without noise, where a measurement gives infinite information."""
    if trace.gp.noise_variance == 0:
        return None
    T, K = len(trace.decisions), trace.policy.batch_size
    greedy = theory.greedy_information_gain(trace.gp, trace.problem.candidates, T * K)
    greedy = read_only(greedy[K - 1 :: K])
    bound = read_only(greedy / (1 - np.exp(-1)))
    return Gain(theory.gain_of_run(trace), greedy, bound)


def _bounds(trace: Trace, course: RunDiagnostics, gain: Gain | None) -> tuple[Bound, Bound]:
    """The bounds on R_T^K and on R_TK, beside the run's own."""
    T, K, spread = len(course.beta), course.batch_size, float(np.ptp(trace.problem.values))
    own = trace.batch_cumulative_regret, trace.full_cumulative_regret
    trivial = theory.trivial_bound(T, spread), theory.trivial_bound(T, spread, K)
    if gain is None:
        batch, full = (Bound(*regrets, None, None) for regrets in zip(own, trivial, strict=True))
        return batch, full
    variances = course.noise_variance, course.prior_variance
    compact = isinstance(trace.beta, CompactBeta)
    bounds = theory.RegretBounds(course.beta, gain.bound, K, *variances, compact=compact)
    return (
        Bound(own[0], trivial[0], bounds.theorem1_printed, bounds.theorem1_proved),
        Bound(own[1], trivial[1], bounds.full_regret_printed, bounds.full_regret_proved),
    )


class TheoryState(Worker):
    """The theory of the run that is followed; another run has its count to begin."""

    run_theory = param.ClassSelector(
        class_=(RunTheory,), default=None, doc="What is proved of the run, None before the first."
    )
    error = param.ClassSelector(class_=UCBPEError, default=None, doc="Why the run has no theory.")
    gathering = param.Boolean(False, doc="Whether the theory of another run is on its way.")

    def __init__(self) -> None:
        super().__init__()
        self.count = Count()
        self._followed: Replay | None = None
        self._coming: asyncio.Task[None] | None = None

    async def follow(self, replay: Replay) -> None:
        """Compute the theory of a run; a later run overtakes this one."""
        if replay is not self._followed or self._coming is None:
            self._followed = replay
            self.count.clear()
            self._coming = asyncio.create_task(self._gather(replay))
        # Others may wait for it, too: it goes on when one of them is gone.
        await asyncio.shield(self._coming)

    async def _gather(self, replay: Replay) -> None:
        changes: dict[str, Any] = {"error": None}
        with self.latest(Job()) as job:
            self.gathering = True
            try:
                changes["run_theory"] = await self.work(gather, replay, job=job)
            except UCBPEError as error:
                changes["error"] = error
            finally:
                if not job.stopped:
                    self.param.update(gathering=False, **changes)
