"""One visitor: the settings, the run they make, and the event on screen. No widgets."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING

import param

from ucbpe_app.links import decode, restore
from ucbpe_app.run.cache import Bounds, bounds, load
from ucbpe_app.run.changes import Choice, History, move
from ucbpe_app.run.events import closest
from ucbpe_app.run.prior import describe, suggested, tied
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.settings import RunSpec, Settings
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import PROBLEMS, Worker
from ucbpe_core import UCBPEError, fit_hyperparameters

if TYPE_CHECKING:
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.links import Moment
    from ucbpe_app.run.changes import Moved
    from ucbpe_app.run.events import Event
    from ucbpe_app.run.frames import Frame
    from ucbpe_core.gp.fitting import Fit

# A run that takes less is shown before the next is made: while a slider is dragged, every request
# would overtake the one before, and nothing would be shown until it rests.
_QUICK = 0.25  # s


class Session(Worker):
    """State of the Step page.

    `replay` and `index` always belong together and change in one update. A change of settings
    asks for a new run; until it is there, and if it cannot be made, the old one stays on screen.
    """

    # With a tuple as class mypy does not ask for None at each use: it is set by `__init__`.
    replay = param.ClassSelector(class_=(Replay,), default=None, doc="The run on screen.")
    index = param.Integer(0, bounds=(0, None), doc="The event on screen.")
    # Its measurements are kept: settings then change the posterior, the regions and the picks.
    data = param.ClassSelector(class_=RunSpec, allow_None=True, doc="Settings of their run.")
    # `Moved` by hand: only while they are kept.
    moved = param.Parameter((), doc="Which measurements of the run on screen were moved.")
    invalid = param.Tuple(
        default=None, length=2, doc="(names of settings, error) of the last refused change."
    )

    def __init__(self, lesson: Lesson) -> None:
        super().__init__()
        self.settings = Settings()
        self._bounds: tuple[Replay, Bounds] | None = None
        self.settings.accept(**asdict(lesson.spec()))
        self._good: RunSpec = self.settings.spec()
        self.history = History(Choice(self._good))
        self._chosen: Moved = ()  # of the run asked for
        # Settings of the run whose measurements are kept only because some are moved.
        self._base: RunSpec | None = None
        self._requests, self._made = 0, asyncio.Event()  # the last one's run is made, or given up
        self._made.set()
        self._wanted: Event = lesson.event
        self._install(load(self._good))

    @staticmethod
    def setting_names() -> tuple[str, ...]:
        """Names of the settings that determine a run."""
        return tuple(field.name for field in fields(RunSpec))

    @property
    def spec(self) -> RunSpec:
        """The settings of the run on screen."""
        return self._good

    @property
    def frame(self) -> Frame:
        """The frame on screen."""
        return self.replay.frame(self.index)

    def open(self, lesson: Lesson) -> None:
        """Take a lesson's settings; its event is shown when its run is there."""
        self.give_up("problem")
        self._wanted, self.data, self._chosen = lesson.event, None, ()
        before = self.settings.spec()
        self.settings.accept(**asdict(lesson.spec()))
        if self.settings.spec() == before:  # no change, so no other run will be requested
            self._install(load(before) if self.replay.trace.hold_data else self.replay)

    def go(self, index: int) -> None:
        """Show another event of the same run; out of range means the nearest end."""
        self.index = min(max(index, 0), len(self.replay.events) - 1)
        self._wanted = self.replay.events[self.index]

    @property
    def pending(self) -> bool:
        """Whether another run than that on screen is asked for."""
        return Choice(self.settings.spec(), self._chosen) != self.history.present

    def undo(self) -> bool:
        """Take what the run that was on screen before was made from; its event is kept.

        A change whose run is not there yet is undone first. False if there is nothing to undo.
        """
        return self._retake(self.history.present if self.pending else self.history.undo())

    def redo(self) -> bool:
        """Take back an `undo`; False if there is none."""
        return self._retake(self.history.redo())

    def hold_data(self, *, on: bool) -> None:
        """Keep the measurements of the run on screen, or measure again with the settings there.

        They are kept until a setting changes that they come from, such as the problem.
        """
        self.data, self._base = (self._good if on else None), None

    def move(self, number: int, y: float | None) -> None:
        """Have a measurement of the run on screen at another value, or None to leave it out.

        The measurements are kept meanwhile, as by `hold_data`; `refresh` makes the run.
        """
        if self.data is None:
            self._base = self._good
        self._chosen = move(self._chosen, self.replay.measured.trace, number, y)

    async def choose(self, problem: str) -> None:
        """Take a problem with the prior that it suggests, once it is made.

        Another choice meanwhile, of any problem or lesson, overtakes this one. A problem that
        cannot be made is refused, and nothing else changes.
        """
        with self.latest(Job(), "problem") as job:
            if problem == self.settings.problem:
                return
            try:
                changes = await self.work(
                    suggested, problem, job=job, executor=PROBLEMS, key=("prior", problem)
                )
                self.settings.accept(**changes)
            except UCBPEError as error:
                self.invalid = (("problem",), error)

    async def visit(
        self, query: str, *, undoable: bool = False
    ) -> tuple[Moment, tuple[UCBPEError, ...]] | None:
        """Open the moment of a link's query; return it with what is not as the link has it.

        None if another request has overtaken this one. The history starts from it, unless it is
        `undoable`: a change like any other.
        """
        self.give_up("problem")
        with self.latest(Job()) as job:
            moment, errors = await self.work(
                decode, query, job=job, executor=PROBLEMS, key=("link", query)
            )
            try:
                moment, replay, others = await self.work(
                    restore, moment, job, job=job, key=("moment", moment)
                )
            except UCBPEError as error:
                return moment, (*errors, error)
            self._wanted, self._good = moment.event, moment.settings
            self.settings.accept(**asdict(moment.settings))
            self._chosen = moment.moved
            self._base = moment.settings if moment.moved and moment.data is None else None
            if not undoable:
                self.history.begin(Choice(moment.settings, moment.moved))
            self._install(replay, moment.data or self._base, moment.moved)
            return moment, (*errors, *others)
        return None

    async def refresh(self, rest: float = 0.0) -> None:
        """Make the run of the present settings and show it; a later call overtakes this one.

        It gives one under way a quarter of a second more, so that quick ones are all shown. With
        `rest` it waits that many seconds first, whether there is a later one.
        """
        self._requests += 1
        request = self._requests
        if rest:
            await asyncio.sleep(rest)
        if request != self._requests:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._made.wait(), _QUICK)
        if request != self._requests:
            return  # there is a later one
        made = self._made = asyncio.Event()
        try:
            with self.latest(Job()) as job:
                await self._make(job)
        finally:
            made.set()

    async def _make(self, job: Job) -> None:
        spec = self.settings.spec()
        data = self.data or (self._base if self._chosen else None)
        if data and not spec.can_hold(data):
            data = None
        self._chosen = moved = self._chosen if data else ()
        if self._base and not moved and data == spec:
            data = self._base = None
        try:
            make = partial(load, data=data, moved=moved) if data else load
            replay = await self.work(make, spec, job, job=job, key=("run", spec, data, moved))
        except UCBPEError as error:
            self._report_invalid(spec, error)
            return
        self._good = spec
        self._install(replay, data, moved)

    async def fit(self) -> Fit:
        """Fit the prior to the measurements on screen and take it as the settings.

        Raises
        ------
        UCBPEError
            If they do not determine one (fewer than two different values).
        """
        frame, trace = self.frame, self.replay.trace
        X, y = trace.problem.candidates[frame.observed], frame.observed_y
        # The settings have one lengthscale: where inputs have their own, in units of these.
        gp, units = tied(trace.gp)
        make = partial(fit_hyperparameters, domain=trace.problem.candidates / units)
        fit: Fit = await self.work(make, gp, X / units, y)
        self.settings.accept(**describe(fit.gp))
        return fit

    async def bounds(self) -> Bounds:
        """The bounds of Theorem 1 for the run on screen, kept until it changes."""
        replay = self.replay
        if self._bounds is None or self._bounds[0] is not replay:
            self._bounds = (replay, await self.work(bounds, replay))
        return self._bounds[1]

    def _retake(self, choice: Choice | None) -> bool:
        if choice is None:
            return False
        self.give_up("problem")
        self._chosen = choice.moved
        if choice.moved and self.data is None:
            self._base = choice.spec
        self.settings.accept(**asdict(choice.spec))
        return True

    def _install(self, replay: Replay, data: RunSpec | None = None, moved: Moved = ()) -> None:
        self.history.record(Choice(self._good, moved))
        index = closest(replay.events, self._wanted)
        self.param.update(replay=replay, index=index, data=data, moved=moved, invalid=None)

    def _report_invalid(self, spec: RunSpec, error: UCBPEError) -> None:
        """Go back to the settings of the run on screen, and say which change was refused."""
        good = asdict(self._good)
        self._chosen = self.moved
        self.history.settle(Choice(self._good, self.moved))
        changed = tuple(name for name, value in asdict(spec).items() if value != good[name])
        self.settings.param.update(**good)
        self.invalid = (changed, error)
