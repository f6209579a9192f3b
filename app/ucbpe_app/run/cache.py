"""Settings -> run: computed off the event loop, and cached across sessions, by their memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ucbpe_app.run.changes import with_moved
from ucbpe_app.run.replay import Replay
from ucbpe_app.tasks.job import Job
from ucbpe_core import theory
from ucbpe_core.policies.schedules import CompactBeta

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ucbpe_app.run.changes import Moved
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core.support.validation import Floats

# A run of 120 picks on 10,201 candidates holds about 20 MB; one of 1,500 picks 160 MB.
_CACHED_RUNS, _CACHED_BYTES = 40, 1_000_000_000
_EACH = 4  # runs, after which one of the others is weighed again
_SHARED = 16_384  # bytes, at least, of what runs share: candidates, rows


# Settings of a run, or those, the settings of the run whose measurements they are for, and which of
# these a person moved.
Key = Union["RunSpec", tuple["RunSpec", "RunSpec", "Moved"]]


@dataclass(frozen=True, eq=False)
class Bounds:
    """Theorem 1 for R_T^K at T = 1, 2, ..: as printed and as proved, shape (T,) each."""

    printed: Floats
    proved: Floats


class RunCache:
    """The most recently used runs, shared by all sessions of a process; thread-safe.

    At most `size` runs that hold at most `limit` bytes together; memory that several of them
    share counts once. A run that is larger than that alone is not kept.
    """

    def __init__(self, size: int = _CACHED_RUNS, limit: int = _CACHED_BYTES) -> None:
        self._size, self._limit = size, limit
        self._runs: OrderedDict[Key, Replay] = OrderedDict()
        self._weights: dict[Key, dict[int, int]] = {}
        self._puts = 0
        self._lock = threading.Lock()

    def get(self, key: Key) -> Replay | None:
        """The run of these settings, if it is there."""
        with self._lock:
            if key in self._runs:
                self._runs.move_to_end(key)
            return self._runs.get(key)

    def put(self, key: Key, replay: Replay) -> None:
        """Keep a run, and drop those unused for longest when they are too many or too large."""
        with self._lock:
            self._runs[key] = replay
            self._runs.move_to_end(key)
            self._weigh(key)
            while len(self._runs) > self._size or _sum(self._weights.values()) > self._limit:
                dropped, _ = self._runs.popitem(last=False)
                del self._weights[dropped]

    def _weigh(self, key: Key) -> None:
        """Weigh a new run, and one of the others in turn: what is made of a run is kept with it.

        Weighing forty takes longer than most runs, which are made as fast as a slider is dragged.
        """
        self._puts += 1
        some = [key]
        if self._puts % _EACH == 0:
            some.append(list(self._runs)[self._puts // _EACH % len(self._runs)])
        self._weights |= {weighed: _weight(self._runs[weighed]) for weighed in some}


def _weight(replay: Replay) -> dict[int, int]:
    """The memory that a run may share, by its owner, and all the rest under the run itself."""
    sizes = buffers(replay)
    shared = {owner: size for owner, size in sizes.items() if size >= _SHARED}
    return shared | {id(replay): sum(sizes.values()) - sum(shared.values())}


def _sum(weights: Iterable[dict[int, int]]) -> int:
    together: dict[int, int] = {}
    for weight in weights:
        together |= weight
    return sum(together.values())


CACHE = RunCache()


def load(
    spec: RunSpec,
    job: Job | None = None,
    cache: RunCache = CACHE,
    *,
    data: RunSpec | None = None,
    moved: Moved = (),
) -> Replay:
    """The run of these settings, from the cache or computed now.

    Of `data`, the settings of another run, the measurements are kept and only the decisions made
    anew, as `RunSpec.can_hold` allows. So they are, of the run's own, where some are `moved`.

    Raises
    ------
    UCBPEError
        For settings that make no run, or a moved measurement that it does not have.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    data = data or spec
    key = spec if data == spec and not moved else (spec, data, moved)
    cached = cache.get(key)
    if cached is not None:
        return cached
    progress = (job or Job()).progress
    if key == spec:
        replay = Replay(spec.simulate(progress=progress))
    else:
        measured = load(data, job, cache)
        trace = with_moved(measured.trace, moved)
        replay = Replay(spec.replay_decisions(trace, progress=progress), measured)
    # The scene is worked out here, in the worker thread, and not by the first view that asks.
    _ = replay.scene
    cache.put(key, replay)
    return replay


def bounds(replay: Replay) -> Bounds:
    """The bounds of Theorem 1 for this run. Costs as much as a run: call it off the event loop.

    Raises
    ------
    InputError
        For decisions on the measurements of another run, which have no regret of their own, and
        results that came one by one, which no theorem is about.
    """
    trace = replay.trace
    trace.require_measured("bound its regret")
    trace.require_batches("bound its regret")
    T, K = len(trace.decisions), trace.policy.batch_size
    gamma = theory.gamma_bound(trace.gp, trace.problem.candidates, T * K)[K - 1 :: K]
    beta = np.array([decision.beta for decision in trace.decisions])
    largest = float(trace.gp.kernel.diagonal(trace.problem.candidates).max())
    noise, compact = trace.gp.noise_variance, isinstance(trace.beta, CompactBeta)
    regret_bounds = theory.RegretBounds(beta, gamma, K, noise, largest, compact=compact)
    return Bounds(regret_bounds.theorem1_printed, regret_bounds.theorem1_proved)


_PLAIN = (int, float, complex, str, bool, type(None), type, range, np.generic)
_OBJECT = 56  # bytes: about what a Python object takes without what it refers to


def buffers(root: object) -> dict[int, int]:
    """The memory behind everything that `root` refers to: id of its owner -> bytes.

    Arrays that view another count as that one, whole, and once however often they are met; so
    runs that share blocks or candidates can be added up by joining what this returns.
    """
    sizes: dict[int, int] = {}
    waiting, seen = [root], set[int]()
    while waiting:
        item = waiting.pop()
        if isinstance(item, _PLAIN) or id(item) in seen or callable(item):
            continue
        seen.add(id(item))
        if isinstance(item, np.ndarray):
            while isinstance(item.base, np.ndarray):
                item = item.base
            sizes[id(item)] = item.nbytes
        elif isinstance(item, bytes | bytearray):
            sizes[id(item)] = len(item)
        else:
            sizes[id(item)] = _OBJECT
            waiting.extend(_inside(item))
    return sizes


def _inside(item: Any) -> Iterable[object]:
    """What an object refers to: its items and its attributes."""
    if isinstance(item, dict):
        entries: Mapping[object, object] = item
        return [*entries.keys(), *entries.values()]
    if isinstance(item, tuple | list | set | frozenset):
        return item
    slots = (getattr(item, name, None) for name in getattr(type(item), "__slots__", ()))
    return [*slots, *getattr(item, "__dict__", {}).values()]
