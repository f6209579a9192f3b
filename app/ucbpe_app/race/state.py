"""One visitor's race: what is asked for, the race on screen and the place in it. No widgets."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import param

from ucbpe_app.links import decode
from ucbpe_app.race.link import START, RaceMoment, decode_race, restore_race
from ucbpe_app.race.race import MultiRunJob, Race, run_race
from ucbpe_app.race.setup import COMMON, OWN, Configuration, Setup, Unit, race_of
from ucbpe_app.run.changes import differences
from ucbpe_app.run.prior import suggested
from ucbpe_app.run.settings import Settings
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import PROBLEMS, Worker
from ucbpe_app.widgets.comparing import Measure
from ucbpe_core import UCBPEError


@dataclass(frozen=True)
class InvalidChange:
    """A change that was refused: the settings it was of, and of which configuration if of one."""

    names: tuple[str, ...]
    configuration: int | None
    error: UCBPEError


class RaceState(Worker):
    """State of the Race page.

    `race` and `index` always belong together and change in one update. `setup` is what is asked
    for: until its race is there, and if it cannot be made, the old one stays on screen. `common`
    and `own` are the settings that all share and those of configuration `chosen`, for controls:
    a change of theirs changes the setup, and the other way round.
    """

    # With a tuple as class mypy does not ask for None at each use: both are set by then.
    race = param.ClassSelector(
        class_=(Race,), default=None, doc="The race on screen, None at the very start."
    )
    index = param.Integer(0, bounds=(0, None), doc="The place on screen.")
    setup = param.ClassSelector(class_=(Setup,), default=None, doc="What is asked for.")
    chosen = param.Integer(0, bounds=(0, None), doc="The configuration being edited.")
    measure = param.Selector(default=Measure.BEST, objects=list(Measure), doc="Which regret.")
    invalid = param.ClassSelector(
        class_=InvalidChange, default=None, doc="The last refused change."
    )

    def __init__(self) -> None:
        super().__init__()
        self.common, self.own = Settings(), Settings()
        self._syncing = False
        self._place = (0, Unit.ITERATIONS)  # asked for: kept while a shorter race is on screen
        moment, _ = decode(START)
        self.setup = race_of(moment.settings)
        self._sync()
        self.common.param.watch(self._take_common, list(COMMON))
        self.own.param.watch(self._take_own, list(OWN))
        self.param.watch(self._sync, ["setup", "chosen"])

    @property
    def configuration(self) -> Configuration:
        """The one being edited."""
        configuration: Configuration = self.setup.configurations[self.chosen]
        return configuration

    @property
    def moment(self) -> RaceMoment:
        """The race and the place on screen."""
        race: Race = self.race
        return RaceMoment(race.setup, race.places[self.index], self.measure, digest=race.digest)

    def go(self, index: int) -> None:
        """Show another place of the same race; out of range means the nearest end."""
        index = min(max(index, 0), len(self.race.places) - 1)
        self._place = (self.race.places[index], self.race.setup.unit)
        self.index = index

    def ask(self, setup: Setup, chosen: int | None = None) -> None:
        """Ask for another race, and edit this configuration of it if it has so many."""
        chosen, last = self.chosen if chosen is None else chosen, len(setup.configurations) - 1
        self.param.update(setup=setup, chosen=min(chosen, last))

    async def choose_problem(self, problem: str) -> None:
        """Take a problem with the prior that it suggests in every configuration, once it is made.

        Another choice meanwhile overtakes this one. A problem that cannot be made is refused, and
        nothing else changes.
        """
        with self.latest(Job(), "problem") as job:
            if problem == self.setup.common["problem"]:
                return
            try:
                changes = await self.work(
                    suggested, problem, job=job, executor=PROBLEMS, key=("prior", problem)
                )
            except UCBPEError as error:
                self.invalid = InvalidChange(("problem",), None, error)
                return
            self.ask(self.setup.sharing(**changes))

    async def visit(self, query: str) -> tuple[RaceMoment, tuple[UCBPEError, ...]] | None:
        """Open the race of a link's query; return it with what is not as the link has it.

        None if another request has overtaken this one.
        """
        self.give_up("problem")
        errors: tuple[UCBPEError, ...]
        with self.latest(MultiRunJob()) as job:
            try:
                moment, errors = await self.work(
                    decode_race, query, job=job, executor=PROBLEMS, key=("race link", query)
                )
                moment, race, others = await self.work(
                    restore_race, moment, job, job=job, key=("race moment", moment)
                )
            except UCBPEError as error:
                moment, errors, others = decode_race(START)[0], (error,), ()
                moment, race, _ = await self.work(restore_race, moment, job, job=job)
            self._place = (moment.value, moment.setup.unit)
            self.measure = moment.measure
            self._install(race)
            self.param.update(setup=moment.setup, chosen=0)
            return moment, (*errors, *others)
        return None

    async def refresh(self) -> None:
        """Run the race that is asked for and show it; a later call overtakes this one."""
        setup = self.setup
        with self.latest(MultiRunJob()) as job:
            if self.race is not None and setup == self.race.setup:
                return  # it is on screen: what is on its way is not asked for any more
            try:
                race = await self.work(run_race, setup, job, job=job, key=("race", setup))
            except UCBPEError as error:
                self._report_invalid(setup, error)
                return
            self._install(race)

    def stop(self) -> None:
        """Give up the race that is being computed; the one on screen is the one asked for."""
        self.give_up()
        if self.race is not None:
            self.ask(self.race.setup)

    def _install(self, race: Race) -> None:
        index = race.closest(race.translated(*self._place))
        self.param.update(race=race, index=index, invalid=None)

    def _report_invalid(self, setup: Setup, error: UCBPEError) -> None:
        """Go back to the race on screen, and say which change was refused."""
        good = self.setup if self.race is None else self.race.setup
        self.ask(good)
        self.invalid = InvalidChange(*_changed(good, setup), error)

    def _sync(self, *_: param.parameterized.Event) -> None:
        """Bring the setup into `common` and `own`."""
        settings = asdict(self.configuration.settings)
        self._syncing = True
        try:
            # The largest K, so that T is refused at once where it would be too many picks.
            self.common.param.update(**{**settings, "batch_size": self.setup.largest})
            self.own.param.update(**settings)
        finally:
            self._syncing = False

    def _take_common(self, *events: param.parameterized.Event) -> None:
        if not self._syncing:
            self.ask(self.setup.sharing(**{event.name: event.new for event in events}))

    def _take_own(self, *events: param.parameterized.Event) -> None:
        if not self._syncing:
            changes = {event.name: event.new for event in events}
            self.ask(self.setup.changing(self.chosen, self.configuration.taking(**changes)))


def _changed(old: Setup, new: Setup) -> tuple[tuple[str, ...], int | None]:
    """Names of the settings that differ, and the place of the configuration if they are its own."""
    if len(old.configurations) != len(new.configurations) or old.unit != new.unit:
        return (), None
    pairs = zip(old.configurations, new.configurations, strict=True)
    for place, (before, after) in enumerate(pairs):
        names = differences(before.settings, after.settings)
        if names:
            common = tuple(name for name in names if name in COMMON)
            return common or names, None if common else place
    return (), None
