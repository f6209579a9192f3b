"""The theory of a run: its bounds, the proof of Theorem 1 on it, and the count of bands."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.run.sentences import number
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import Worker
from ucbpe_app.theory.count import Count
from ucbpe_core import UCBPEError, theory
from ucbpe_core.policies.schedules import CompactBeta
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Trace
    from ucbpe_core.support.validation import Floats
    from ucbpe_core.theory import Check, RunDiagnostics


_TITLES = {
    "band": "f stays in its band",
    "lemma1": "Lemma 1: regret of x⁰ ≤ 2√β std",
    "optimum_in_region": "the top is in R",
    "optimum_in_region_plus": "the top is in R⁺",
    "first_in_region_plus": "next x⁰ is in R⁺",
    "picks_in_region_plus": "next PE picks are in R⁺",
    "lemma2": "Lemma 2: next std at x⁰ ≤ each pick’s",
    "lemma2_summed": "Lemma 2 summed over the batch",
    "lemma3_printed": "Lemma 3 as printed",
    "lemma3": "Lemma 3 with the missing term",
    "lemma4": "Lemma 4: Σ std² ≤ C information",
    "exploring_regret": "regret of x¹, x², …: from two bands",
}


@dataclass(frozen=True)
class Failure:
    """A statement that does not hold on a run.

    Attributes
    ----------
    name : of the check, as in `theory.check_lemmas`
    batches : every t at which it does not hold
    numbers : both of its sides at the first of them, and their margin
    """

    name: str
    batches: tuple[int, ...]
    numbers: str

    @property
    def title(self) -> str:
        """The statement in a few words."""
        return _TITLES[self.name]


@dataclass(frozen=True)
class Verdicts:
    """Of the statements that say something about a run: their number, and the ones that fail."""

    checked: int
    failures: tuple[Failure, ...]


def verdicts(course: RunDiagnostics) -> Verdicts:
    """Check every statement at every batch."""
    checks = theory.check_lemmas(course)
    checked = sum(bool((check.holds | check.fails).any()) for check in checks)
    return Verdicts(checked, tuple(_failure(one, course) for one in checks if one.fails.any()))


def _failure(check: Check, course: RunDiagnostics) -> Failure:
    batches = np.flatnonzero(check.fails)
    first = int(batches[0])
    sides = (check.left, check.right, check.margin)
    left, right, margin = (number(float(side[first])) for side in sides)
    numbers = f"{left} > {right}, margin {margin}"
    if check.name == "band":
        outside = int(course.outside[first])
        numbers += f"; f is outside at {outside} candidate{'s' if outside > 1 else ''}"
    return Failure(check.name, tuple(int(t) for t in batches + 1), numbers)


_OWN_STEP = 1.05  # from here on the regret of x0 is a step of its own
_STEPS = {
    "regret": ("regret of this run", ""),
    "first": ("regret of x⁰", "the best of a batch may be another pick"),
    "band": ("the band", "x⁰ could be as low as its band allows"),
    "beta": ("β of the last batch", "the last band is the widest"),
    "lemma3": ("Lemma 3, corrected", "std at x⁰ against the mean of the batch"),
    "cauchy_schwarz": ("Cauchy–Schwarz", "sum of std against root of sum of squares"),
    "lemma4": ("Lemma 4", "squares of std against information"),
    "gamma": ("γ for the gain", "the most that any choice could learn"),
}


@dataclass(frozen=True, eq=False)
class Step:
    """A step of the proof: its name, why it costs something, and the bound after it, (T,)."""

    name: str
    reason: str
    values: Floats = field(repr=False)

    @property
    def value(self) -> float:
        """After the last batch."""
        return float(self.values[-1])


def chain(trace: Trace, course: RunDiagnostics, gain: Gain) -> tuple[Step, ...]:
    """The steps of `theory.proof_steps` that cost something after the last batch.

    The regret of x0 is one of them if it is 5 % above that of the batch; that of beta is none where
    beta is constant.
    """
    compact = isinstance(trace.beta, CompactBeta)
    costs = theory.proof_steps(course, gain.bound, compact=compact)
    steps = [Step(*_STEPS[cost.name], cost.value) for cost in costs]
    if steps[1].value <= _OWN_STEP * steps[0].value:
        del steps[1]
    kept = steps[:1]
    kept += [
        after for before, after in pairwise(steps) if not np.isclose(before.value, after.value)
    ]
    return tuple(kept)


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
    """The bounds on R_T^K and on R_TK, and the run's own sums."""
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
