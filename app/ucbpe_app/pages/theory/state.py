"""The theory of a run: what the page shows of it, computed in the background, and the count.

Pure NumPy; costs about as much as the run.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import param

from ucbpe_app.pages.theory import sentences as words
from ucbpe_app.pages.theory.chain import Step, chain
from ucbpe_app.pages.theory.count import Count
from ucbpe_app.pages.theory.statements import Statement, statements_of
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import Worker
from ucbpe_core import UCBPEError, theory
from ucbpe_core.schedules import CompactBeta
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Trace
    from ucbpe_core.theory import RunDiagnostics
    from ucbpe_core.validation import Floats


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
    printed, proved : Theorem 1 as printed, and as its proof gives it
    trivial : what no run exceeds
    """

    own: Floats = field(repr=False)
    printed: Floats | None = field(repr=False)
    proved: Floats | None = field(repr=False)
    trivial: Floats = field(repr=False)


@dataclass(frozen=True, eq=False)
class RunTheory:
    """All that the page shows of one run.

    Attributes
    ----------
    batches, batch_size : T and K
    sqrt_beta, wide : sqrt(beta_t), and 2 sqrt(beta_(t+1)) of R+, shape (T,)
    allowed : probability of leaving the band by t that the union bound allows, shape (T,)
    delta : that of beta for a finite X; None where beta is another, or a part of it
    gain : None without noise
    batch, full : R_T^K and R_TK
    steps : from R_T^K to its proved bound, at T; none without noise
    schedule : name of the formula of beta_t
    about, promise, units : what is assumed, guaranteed, and how the bounds are scaled
    place, title, verdict : which run it is, and what its numbers say, in a few words and whole
    summary : which statements hold
    """

    batches: int
    batch_size: int
    sqrt_beta: Floats = field(repr=False)
    wide: Floats = field(repr=False)
    allowed: Floats = field(repr=False)
    delta: float | None
    gain: Gain | None = field(repr=False)
    batch: Bound = field(repr=False)
    full: Bound = field(repr=False)
    steps: tuple[Step, ...] = field(repr=False)
    statements: tuple[Statement, ...] = field(repr=False)
    schedule: str
    about: tuple[str, ...]
    promise: str
    units: str
    place: str
    title: str
    verdict: str
    summary: str


# A class opens the same run; the theory goes when the run leaves the cache of runs.
_KNOWN: WeakKeyDictionary[Replay, RunTheory] = WeakKeyDictionary()
_LOCK = Lock()


def gather(replay: Replay) -> RunTheory:
    """All that the Theory page shows of a run, kept as long as the run. Thread-safe."""
    with _LOCK:
        known = _KNOWN.get(replay)
    if known is None:
        known = _gather(replay)
        with _LOCK:
            _KNOWN[replay] = known
    return known


def _gather(replay: Replay) -> RunTheory:
    trace, course = replay.trace, theory.diagnose(replay.trace)
    gain = _gain(trace)
    batch, full = _bounds(trace, course, gain)
    statements = statements_of(replay, course)
    allowed = theory.union_bound(course.beta, len(trace.problem.candidates))
    schedule = words.schedule_name(trace.beta)
    steps = () if gain is None else chain(trace, course, gain)
    own, trivial = float(batch.own[-1]), float(batch.trivial[-1])
    T = len(course.beta)
    return RunTheory(
        batches=T,
        batch_size=course.batch_size,
        sqrt_beta=read_only(np.sqrt(course.beta)),
        wide=read_only(2 * np.sqrt(course.beta_next)),
        allowed=allowed,
        delta=words.promised_delta(trace),
        gain=gain,
        batch=batch,
        full=full,
        steps=steps,
        statements=statements,
        schedule=schedule,
        about=words.about(trace),
        promise=words.promise(trace),
        units=words.units(course),
        place=words.place(trace),
        title=words.title(own, steps[-1].value if steps else None, trivial),
        verdict=words.verdict(steps, own, trivial, T),
        summary=words.summary(statements),
    )


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
    K, spread = course.batch_size, float(np.ptp(trace.problem.values))
    T = len(course.beta)
    printed: list[Floats | None] = [None, None]
    proved: list[Floats | None] = [None, None]
    if gain is not None:
        variances = course.noise_variance, course.prior_variance
        compact = isinstance(trace.beta, CompactBeta)
        found = theory.RegretBounds(course.beta, gain.bound, K, *variances, compact=compact)
        printed = [found.theorem1_printed, found.full_regret_printed]
        proved = [found.theorem1_proved, found.full_regret_proved]
    own = (trace.batch_cumulative_regret, trace.full_cumulative_regret)
    trivial = (theory.trivial_bound(T, spread), theory.trivial_bound(T, spread, K))
    batch, full = (Bound(*curves) for curves in zip(own, printed, proved, trivial, strict=True))
    return batch, full


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
