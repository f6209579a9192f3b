"""Results of all visitors' studies: the same run is never computed twice.

A result depends on the problem, the policy, K, T, the initial points, beta, the seed and its
replicate. A study with more replicates or another policy beside runs only what is new, a class that
opens one link computes its study once, and a cancelled study continues where it was.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from ucbpe_core.study.config import fingerprint

if TYPE_CHECKING:
    from ucbpe_core.study import Result, Study

# A result of T = 200 holds about 5 kB, so a full memory stays near 50 MB.
_MOST_RESULTS = 10_000


class Known:
    """The most recent results of a process, shared by all its sessions; thread-safe."""

    def __init__(self, size: int = _MOST_RESULTS) -> None:
        self._size = size
        self._results: OrderedDict[tuple[str, int], Result] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, study: Study, result: Result) -> None:
        """Keep a result, unless it failed: what failed is tried again."""
        if result.error is not None:
            return
        key = (fingerprint(study, result.problem, result.policy), result.replicate)
        with self._lock:
            self._results[key] = result
            self._results.move_to_end(key)
            while len(self._results) > self._size:
                self._results.popitem(last=False)

    def of(self, study: Study) -> tuple[Result, ...]:
        """The known results of a study, in its order."""
        prints = {
            (problem.label, policy.label): fingerprint(study, problem.label, policy.label)
            for problem in study.problems
            for policy in study.policies
        }
        found = []
        with self._lock:
            for task in study.tasks():
                key = (prints[task.problem, task.policy], task.replicate)
                if key in self._results:
                    self._results.move_to_end(key)
                    found.append(self._results[key])
        return tuple(found)
