"""The runs of a race side by side: they are run, off the event loop, and shown at each place."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.links import Moment, encode
from ucbpe_app.pictures.looks import policy_looks
from ucbpe_app.race.setup import LETTERS, TICKS, Setup, Unit, labels
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Kind
from ucbpe_app.tasks.job import Job
from ucbpe_app.widgets.comparing import REGRETS, Measure

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core.support.validation import Floats, Integers


@dataclass(frozen=True, eq=False)
class RunState:
    """A run after its last completed batch.

    Attributes
    ----------
    done : batches completed
    frame : the observe event of batch `done`, or the first event of the run
    decision : the frame that shows the region in force in that batch; `frame` if there is none
    query : of the link to this moment on the Step page
    """

    done: int
    frame: Frame = field(repr=False)
    decision: Frame = field(repr=False)
    query: str = field(repr=False)


class RaceRun:
    """One run of a race, by its letter and its name."""

    def __init__(self, letter: str, label: str, settings: RunSpec, replay: Replay) -> None:
        self.letter, self.label, self.settings, self.replay = letter, label, settings, replay
        self.batches = len(replay.trace.decisions)
        table = replay.trace.timetable
        self.evaluations = np.cumsum([0, *(len(turn.results) for turn in table.turns)])
        self._arrivals = np.ceil(TICKS * table.arrivals).astype(np.intp)
        self.batch_size: int = replay.trace.policy.batch_size
        self._last: RunState | None = None

    def ends(self, unit: Unit) -> Integers:
        """Where in this unit each batch is completed, shape (T,)."""
        if unit is Unit.TIME:
            return self._arrivals
        return self.evaluations[1:] if unit is Unit.EVALUATIONS else np.arange(1, self.batches + 1)

    @property
    def scene(self) -> Scene:
        """What stays the same over the run."""
        return self.replay.scene

    def state(self, done: int) -> RunState:
        """The state after `done` batches; the same object while that stays the same."""
        if self._last is None or self._last.done != done:
            self._last = self._state(done)
        return self._last

    def _state(self, done: int) -> RunState:
        replay = self.replay
        batch = replay.batch(done)
        start = replay.batch_start(done)
        at = start + len(batch) - 1 if done else 0
        frame = replay.frame(at)
        regions = [start + i for i, event in enumerate(batch) if event.kind is Kind.REGION]
        decision = replay.frame(regions[0]) if done and regions else frame
        moment = Moment(self.settings, replay.events[at], digest=replay.trace.digest)
        return RunState(done, frame, decision, encode(moment))


class Race:
    """A race that has been run.

    Attributes
    ----------
    setup, runners : what was run, and the runs
    places : where one can stop, ascending: numbers of batches, or of evaluations or times, in
        `TICKS` of a mean duration, at which some run completes a batch; 0 is before the first
    looks : how each run is drawn
    """

    def __init__(
        self, setup: Setup, settings: tuple[RunSpec, ...], replays: tuple[Replay, ...]
    ) -> None:
        self.setup = setup
        names = labels(setup.configurations)
        self.runners = tuple(
            RaceRun(*parts) for parts in zip(LETTERS, names, settings, replays, strict=False)
        )
        stops = {0, *(end for runner in self.runners for end in runner.ends(setup.unit).tolist())}
        self.places: tuple[int, ...] = tuple(sorted(stops))
        self.looks = policy_looks([spec.policy for spec in settings])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the runs' digests in order, 64 hexadecimal digits."""
        digests = "".join(runner.replay.trace.digest for runner in self.runners)
        return sha256(digests.encode()).hexdigest()

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Indices of the places where the configuration of the largest K completes a batch.

        In time, those of the first results after each unit of it.
        """
        if self.setup.unit is Unit.TIME:
            whole = range(0, self.places[-1] + 1, TICKS)
            return tuple(bisect_left(self.places, place) for place in whole)
        completed = {0, *self._widest.ends(self.setup.unit).tolist()}
        return tuple(i for i, place in enumerate(self.places) if place in completed)

    @property
    def step(self) -> int:
        """About the shortest way from one place to the next: a batch of the least K."""
        ends = [runner.ends(self.setup.unit) for runner in self.runners]
        return min(max(int(stops[-1]) // len(stops), 1) for stops in ends)

    @property
    def _widest(self) -> RaceRun:
        """The run of the largest K."""
        return max(self.runners, key=lambda runner: runner.batch_size)

    def states(self, i: int) -> tuple[RunState, ...]:
        """The state of each run at place i."""
        return tuple(runner.state(self.done(runner, i)) for runner in self.runners)

    def done(self, runner: RaceRun, i: int) -> int:
        """Batches that a run has completed at place i."""
        return bisect_right(runner.ends(self.setup.unit).tolist(), self.places[i])

    def time(self, i: int) -> float:
        """How late it is at place i: for other units, when the last run is there."""
        if self.setup.unit is Unit.TIME:
            return self.places[i] / TICKS
        ends = [
            float(runner.replay.trace.timetable.arrivals[done - 1])
            for runner in self.runners
            if (done := self.done(runner, i))
        ]
        return max(ends, default=0.0)

    def closest(self, value: int) -> int:
        """Index of the place at `value` batches or evaluations, or of the last one before it."""
        return max(bisect_right(self.places, value) - 1, 0)

    def translated(self, value: int, unit: Unit) -> int:
        """A number of batches or evaluations, `unit`, as one of this race's unit.

        A batch counts as one of the largest K.
        """
        if unit is self.setup.unit or not value:
            return value
        done = bisect_right(self._widest.ends(unit).tolist(), value)
        ends = self._widest.ends(self.setup.unit)
        return int(ends[min(max(done, 1), len(ends)) - 1])

    def curve(self, runner: RaceRun, measure: Measure) -> tuple[Integers, Floats]:
        """Where each batch of a run is completed, and the regret after it, shape (T,) each."""
        regret = getattr(runner.replay.trace, REGRETS[measure].curve)
        return runner.ends(self.setup.unit), regret


class MultiRunJob(Job):
    """A job of several runs in sequence: `share` is that of all of them together."""

    def __init__(self) -> None:
        super().__init__()
        self._runs, self._finished = 1, 0

    def begin(self, runs: int) -> None:
        """Count from the first of so many runs."""
        self._runs, self._finished = runs, 0

    def finish(self) -> None:
        """Another run is done; leave if asked to stop."""
        self._finished += 1
        self.progress(0, 1)

    def progress(self, done: int, total: int) -> None:
        super().progress(self._finished * total + done, self._runs * total)


def run_race(setup: Setup, job: MultiRunJob | None = None) -> Race:
    """The runs of a race, in order. One thread is enough: other threads serve other visitors.

    Raises
    ------
    UCBPEError
        For settings that make no run, with the run's letter if it is not the first.
    Superseded
        If `job.stop()` was called meanwhile.
    """
    settings, job = setup.runs(), job or MultiRunJob()
    job.begin(len(settings))
    replays = []
    for spec in settings:
        replays.append(load(spec, job))
        job.finish()
    return Race(setup, settings, tuple(replays))
