"""Workers that evaluate f side by side: who measures what, from when to when.

Time is in units of the mean duration of an evaluation. A run in batches is the special case in
which all results of a batch arrive together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.support import streams
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import choice, count, frozen_copy, positive, set_checked, values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ucbpe_core.support.validation import Floats, Integers

__all__ = ["Timetable", "Workers"]

# Each draws `size` numbers of mean 1.
_DRAWN: Mapping[str, Callable[[np.random.Generator, float, int], Floats]] = MappingProxyType(
    {
        "constant": lambda rng, spread, size: np.ones(size),
        "exponential": lambda rng, spread, size: rng.exponential(size=size),
        "uniform": lambda rng, spread, size: 1 + min(spread, 1.0) * rng.uniform(-1, 1, size),
        "log-normal": lambda rng, spread, size: rng.lognormal(-(spread**2) / 2, spread, size),
    }
)
DURATIONS = tuple(_DRAWN)


@dataclass(frozen=True)
class Workers:
    """K workers, as many as a policy's batch has picks, and how long an evaluation takes.

    Durations are independent of each other and of what is measured, with mean 1. They are drawn
    from a stream of the run's seed, in the order in which picks are made, so that policies with
    equally many workers meet the same ones.

    Parameters
    ----------
    durations : "exponential", the default; "constant", always 1; "uniform" on 1 ± `spread`; or
        "log-normal", where `spread` is the standard deviation of the logarithm
    spread : positive; of a uniform duration at most 1 counts
    together : whether a batch waits for its slowest result, so that all of them arrive together
        and K picks are made at once. By default each result arrives by itself, and the worker that
        is free gets the next pick at once, chosen with the running ones as pending

    Examples
    --------
    >>> from ucbpe_core import problems, simulate
    >>> from ucbpe_core.policies import GreedyUCB
    >>> from ucbpe_core.history.workers import Workers
    >>> trace = simulate(problems.multimodal(), GreedyUCB(3), batches=2, workers=Workers())
    >>> [len(decision.indices) for decision in trace.decisions]
    [3, 1, 1, 1]
    >>> trace.timetable.worker, trace.timetable.end.round(1)
    (array([0, 1, 2, 0, 2, 1]), array([0.5, 1.6, 1.5, 3. , 1.9, 3.2]))
    """

    durations: str = "exponential"
    spread: float = 0.5
    together: bool = False

    def __post_init__(self) -> None:
        choice(self.durations, "durations", *DURATIONS)
        set_checked(self, spread=positive)
        choice(self.together, "together", True, False)

    def timetable(self, picks: int, workers: int, seed: int) -> Timetable:
        """Who is to make each of so many picks, and when."""
        drawn = _DRAWN[self.durations](streams.durations(seed), self.spread, picks)
        return Timetable.of(drawn, workers, together=self.together)


class Turn(NamedTuple):
    """One decision: how many picks it makes, and the results that arrive before the next one.

    Attributes
    ----------
    first, size : number of its first pick, from 0 in the order made, and how many there are
    told : results before it
    running : numbers of the picks without a result, ascending
    results : numbers of the picks whose results arrive next, in this order
    """

    first: int
    size: int
    told: int
    running: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Timetable(Frozen):
    """Who makes each of N picks, from when to when: it does not depend on what is picked.

    Attributes
    ----------
    worker : who makes each pick, from 0, in the order in which picks were made, shape (N,)
    start, end : when its evaluation starts, and when its result arrives, shape (N,)
    turns : the decisions; the results that are left at the last one arrive with it

    Examples
    --------
    >>> from ucbpe_core.history.workers import Timetable
    >>> table = Timetable.of([2.0, 1.0, 3.0, 1.0], workers=2)
    >>> table.worker, table.start, table.end
    (array([0, 1, 1, 0]), array([0., 0., 1., 2.]), array([2., 1., 4., 3.]))
    >>> [(turn.size, turn.results) for turn in table.turns]
    [(2, (1,)), (1, (0,)), (1, (3, 2))]
    """

    worker: Integers
    start: Floats
    end: Floats
    turns: tuple[Turn, ...] = field(repr=False)

    @classmethod
    def of(cls, durations: Floats, workers: int, *, together: bool = False) -> Timetable:
        """The timetable of these durations (N,), of pick after pick.

        The worker that has been free for longest gets the next pick; of several, the first.
        Results that arrive at the same time are told in the order of their picks. If `together`,
        no pick is made while another is running.
        """
        lengths = values(durations, "durations", np.size(durations)).tolist()
        running: list[int] = []
        free = [(0.0, worker) for worker in range(count(workers, "workers"))]
        rows, turns, told, now = list[tuple[int, float, float]](), [], 0, 0.0
        while len(rows) < len(lengths):
            before, first = tuple(running), len(rows)
            ready = [one for one in sorted(free) if one[0] <= now][: len(lengths) - first]
            for one in ready:
                free.remove(one)
                running.append(len(rows))
                rows.append((one[1], now, now + lengths[len(rows)]))
            wait = together or len(rows) == len(lengths)
            now = (max if wait else min)(rows[i][2] for i in running)
            done = [i for i in running if rows[i][2] <= now]
            if not together:
                done.sort(key=lambda i: (rows[i][2], i))
            free += [(rows[i][2], rows[i][0]) for i in done]
            turns.append(Turn(first, len(ready), told, before, tuple(done)))
            running = [i for i in running if i not in done]
            told += len(done)
        worker = frozen_copy([row[0] for row in rows], np.intp)
        start, end = (frozen_copy([row[i] for row in rows]) for i in (1, 2))
        return cls(worker, start, end, tuple(turns))

    @property
    def order(self) -> tuple[int, ...]:
        """The numbers of the picks in the order of their results."""
        return tuple(i for turn in self.turns for i in turn.results)

    @property
    def arrivals(self) -> Floats:
        """When the results of each turn are all in, shape (T,)."""
        ends = (max(self.end[list(turn.results)]) for turn in self.turns)
        return frozen_copy(list(accumulate(ends, max)))


BATCHES = Workers("constant", together=True)  # a batch per unit of time
