"""Settings -> run: computed off the event loop, and cached across sessions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.link import DIGEST_DIGITS, Moment, refusal, usual
from ucbpe_app.replay import Replay
from ucbpe_app.turns import Turns
from ucbpe_app.weight import buffers
from ucbpe_core import UCBPEError, simulate, theory
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ucbpe_app.settings import RunSpec
    from ucbpe_core import Trace
    from ucbpe_core.validation import Floats

# A run of 120 picks on 10,201 candidates holds about 20 MB; one of 1,500 picks 160 MB.
_CACHED_RUNS, _CACHED_BYTES = 40, 1_000_000_000

# Two at a time: NumPy releases the interpreter lock in its passes over the rows.
EXECUTOR = Turns(slots=2)


class Superseded(Exception):  # noqa: N818 - it is news, not an error
    """Raised inside a run that nobody waits for any more."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Theorem 1 for R_T^K at T = 1, 2, ..: as printed and as proved, shape (T,) each."""

    printed: Floats
    proved: Floats


class Job:
    """One computation on its way: `share` done (0 to 1), and `stop` to give it up."""

    def __init__(self) -> None:
        self.share = 0.0
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()

    def progress(self, done: int, total: int) -> None:
        """For `simulate(progress=...)`: take note, and leave if told to stop."""
        self.share = done / total
        self.check()

    def check(self) -> None:
        """Leave if told to stop."""
        if self._stopped.is_set():
            raise Superseded


class RunCache:
    """The most recently used runs, shared by all sessions of a process; thread-safe.

    At most `size` runs that hold at most `limit` bytes together; memory that several of them
    share counts once. A run that is larger than that alone is not kept.
    """

    def __init__(self, size: int = _CACHED_RUNS, limit: int = _CACHED_BYTES) -> None:
        self._size, self._limit = size, limit
        self._runs: OrderedDict[RunSpec, Replay] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, spec: RunSpec) -> Replay | None:
        """The run of these settings, if it is there."""
        with self._lock:
            if spec in self._runs:
                self._runs.move_to_end(spec)
            return self._runs.get(spec)

    def put(self, spec: RunSpec, replay: Replay) -> None:
        """Keep a run, and drop those unused for longest when they are too many or too large."""
        with self._lock:
            self._runs[spec] = replay
            self._runs.move_to_end(spec)
            # All are weighed again: what was computed from a run since then may be kept with it.
            weights = {one: buffers(kept) for one, kept in self._runs.items()}
            while len(self._runs) > self._size or _sum(weights.values()) > self._limit:
                dropped, _ = self._runs.popitem(last=False)
                del weights[dropped]

    @property
    def nbytes(self) -> int:
        """What the runs hold, in bytes."""
        with self._lock:
            return _sum(buffers(replay) for replay in self._runs.values())


def _sum(weights: Iterable[dict[int, int]]) -> int:
    together: dict[int, int] = {}
    for one in weights:
        together |= one
    return sum(together.values())


CACHE = RunCache()


def load(spec: RunSpec, job: Job | None = None, cache: RunCache = CACHE) -> Replay:
    """The run of these settings, from the cache or computed now.

    Raises
    ------
    UCBPEError
        For settings that make no run.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    known = cache.get(spec)
    if known is not None:
        return known
    replay = Replay(_compute(spec, (job or Job()).progress))
    # The stage is worked out here, in the worker thread, and not by the first view that asks.
    _ = replay.scene
    cache.put(spec, replay)
    return replay


def restore(
    moment: Moment, job: Job | None = None, cache: RunCache = CACHE
) -> tuple[Moment, Replay, tuple[InputError, ...]]:
    """The run of a moment, the moment as it can be shown, and where that differs from its link.

    Where no run can be made, one setting is taken as usual, if that is enough.

    Raises
    ------
    UCBPEError
        If it is not enough.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    try:
        replay = load(moment.settings, job, cache)
    except UCBPEError as error:
        name, replay, settings = _without_the_culprit(moment, error, job, cache)
        said = refusal(name, getattr(moment.settings, name), error, settings)
        moment = replace(moment, settings=settings, digest="")
        return moment, replay, (said, *_differences(moment, replay))
    return moment, replay, _differences(moment, replay)


def _without_the_culprit(
    moment: Moment, error: UCBPEError, job: Job | None, cache: RunCache
) -> tuple[str, Replay, RunSpec]:
    """The setting at fault, and the run with the usual value of it.

    The last settings are tried first: those before them say what the run is about.
    """
    for name, value in reversed(asdict(usual(moment.settings.problem, moment.preset)).items()):
        settings = replace(moment.settings, **{name: value})
        if settings != moment.settings:
            try:
                return name, load(settings, job, cache), settings
            except UCBPEError:
                continue
    raise error


def _differences(moment: Moment, replay: Replay) -> tuple[InputError, ...]:
    """Where the run does not have the event of a link, or is not the run of its digest."""
    said, event, digest = list[InputError](), moment.event, replay.trace.digest
    if event not in replay.events:
        T, K = len(replay.trace.iterations), replay.trace.policy.batch_size
        expected = f"event to be one of this run, of {T} batches of {K}"
        got = f"{event.kind} {event.k or ''}".strip() + f" of batch {event.t}"
        said.append(InputError(expected, got, "the nearest event is shown"))
    if not digest.startswith(moment.digest):
        got, wanted = digest[:DIGEST_DIGITS], moment.digest[:DIGEST_DIGITS]
        remedy = (
            "the link was edited, or made with another version or on another kind of machine; "
            "what is shown is what its settings give here"
        )
        said.append(InputError(f"run {wanted}", f"run {got}", remedy))
    return tuple(said)


def bounds(replay: Replay) -> Bounds:
    """The bounds of Theorem 1 for this run. Costs as much as a run: call it off the event loop."""
    trace = replay.trace
    T, K = len(trace.iterations), trace.policy.batch_size
    gamma = theory.gamma_bound(trace.gp, trace.problem.candidates, T * K)[K - 1 :: K]
    beta = np.array([iteration.decision.beta for iteration in trace.iterations])
    largest = float(trace.gp.kernel.diagonal(trace.problem.candidates).max())
    printed, proved = (
        theorem(beta, gamma, K, trace.gp.noise_variance, largest)
        for theorem in (theory.theorem1_printed, theory.theorem1_proved)
    )
    return Bounds(printed, proved)


def _compute(spec: RunSpec, progress: Callable[[int, int], None]) -> Trace:
    return simulate(
        spec.build_problem(),
        spec.build_policy(),
        spec.build_gp(),
        spec.build_schedule(),
        batches=spec.batches,
        initial=spec.initial,
        seed=spec.seed,
        progress=progress,
    )
