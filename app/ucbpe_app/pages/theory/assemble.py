"""(Replay) -> RunTheory. Pure NumPy; costs about as much as the run."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from ucbpe_app.pages.theory import sentences as words
from ucbpe_app.pages.theory.records import Bound, Gain, RunTheory
from ucbpe_app.pages.theory.statements import statements_of
from ucbpe_core import theory
from ucbpe_core.schedules import CompactBeta
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from ucbpe_app.run.replay import Replay
    from ucbpe_core import Trace
    from ucbpe_core.theory import RunDiagnostics
    from ucbpe_core.validation import Floats

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
    return RunTheory(
        batches=len(course.beta),
        batch_size=course.batch_size,
        sqrt_beta=read_only(np.sqrt(course.beta)),
        wide=read_only(2 * np.sqrt(course.beta_next)),
        allowed=allowed,
        delta=words.promised_delta(trace),
        gain=gain,
        batch=batch,
        full=full,
        statements=statements,
        schedule=schedule,
        about=words.about(trace),
        band=words.band(trace, course),
        information=words.information(trace, gain),
        units=words.units(course),
        summary=words.summary(trace, statements),
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
    batch, full = (
        Bound(*curves, words.comparison(*curves, each=K if full else 1))
        for full, curves in enumerate(zip(own, printed, proved, trivial, strict=True))
    )
    return batch, full
