"""Your problem: a table to simulate a rule on, or to measure in an experiment.

The page connects: each step is a part of its own, which comes into the page when first used.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.problem import texts
from ucbpe_app.problem.experiment import ExperimentState
from ucbpe_app.problem.experiment_section import ExperimentSection
from ucbpe_app.problem.foreign.opening import OpenRun
from ucbpe_app.problem.foreign.section import RetraceSection
from ucbpe_app.problem.foreign.state import ForeignRun, as_table
from ucbpe_app.problem.frame import grid_of
from ucbpe_app.problem.layout import run, styled
from ucbpe_app.problem.sentences import counted, zone
from ucbpe_app.problem.settings import GOALS
from ucbpe_app.problem.sheets.data import TableData
from ucbpe_app.problem.simulation import Simulation, SimulationSection
from ucbpe_app.problem.table_section import TableSection
from ucbpe_app.problem.views import AutosaveBar, SavedExperiments, Steps
from ucbpe_app.widgets.bar_buttons import DrawerButton
from ucbpe_core import UCBPEError
from ucbpe_core.problems import from_table

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import param
    from panel.viewable import Viewable

    from ucbpe_app.widgets.address import Navigation

_TABLE, _SIMULATION, _EXPERIMENT = "table", "simulation", "experiment"
_FOREIGN = "foreign"
_STEPS = {
    _TABLE: "Table",
    _SIMULATION: "Simulation",
    _EXPERIMENT: "Experiment",
    _FOREIGN: "Run of another tool",
}
_PARTS = {_SIMULATION: "simulated", _EXPERIMENT: "measuring", _FOREIGN: "retraced"}
_REPLACE = (
    "The experiment on screen is neither in a file nor kept in this browser. Save it first, or do "
    "this again to discard it."
)


class ProblemPage(pn.viewable.Viewer):
    """The page Your problem. A link carries no data, so `query` opens nothing here.

    The address has the step of an experiment, which the browser keeps: a reload shows it, see
    views/saved.js. The links to the other pages open the run that they had before.
    """

    def __init__(self, query: str = "", navigation: Navigation | None = None) -> None:
        super().__init__()
        self.data, self.simulation = TableData(), Simulation()
        self.experiment, self.foreign = ExperimentState(), ForeignRun()
        self.autosave = AutosaveBar(self._export, self._take_zone)
        self.saved = SavedExperiments(lambda _, content: run(partial(self.open, content)))
        self.opening = OpenRun(self.foreign, self._show_run)
        self.table = TableSection(
            self.data, self.simulate, self.begin, self.open_file, self.saved, self.opening
        )
        self.steps = Steps(labels=_STEPS, active=_TABLE)
        self._frames = {_TABLE: styled("lab-problem-part", self.table)}
        self._content = styled("lab-problem-step", self._frames[_TABLE])
        self._bar = styled("lab-problem-bar", self.steps, self.autosave)
        self.panel = styled("lab-problem", self._bar, self._content)
        self._to_settings = DrawerButton(in_bar=True, visible=False)
        self._warned = False
        self.steps.param.watch(self._show, "active")
        self.experiment.param.watch(self._keep, "current")

    @cached_property  # making it takes a while: it waits until it is needed
    def measuring(self) -> ExperimentSection:
        """The step of the experiment."""
        return ExperimentSection(self.experiment)

    @cached_property
    def simulated(self) -> SimulationSection:
        """The step of the simulation."""
        return SimulationSection(self.simulation)

    @cached_property
    def retraced(self) -> RetraceSection:
        """The step of another tool's run."""
        return RetraceSection(self.foreign, self.go_on)

    def __panel__(self) -> Viewable:
        return self.panel

    @property
    def header(self) -> list[Viewable]:
        """The way to the settings of an experiment. What is here is too much for a link."""
        return [self._to_settings]

    async def simulate(self) -> None:
        """Run a rule on the table, with its goal and the noise that is added to its values."""
        draft = await self.data.settled()
        table = draft.table if draft is not None and draft.ready else None
        if table is None or not table.complete:
            return  # the table's step asks, or says why
        problem = from_table(
            table, noise_variance=self.table.noise.value, name=self.data.title,
            direction=GOALS[self.table.goal.value],
        )  # fmt: skip
        problem = replace(problem, grid=grid_of(table.candidates))
        self.simulated.open()
        self.steps.active = _SIMULATION
        await self.simulation.begin(problem)

    async def begin(self) -> None:
        """Begin an experiment on the table, unless the last input for it has an error."""
        draft = await self.data.settled()
        table = draft.table if draft is not None and draft.ready else None
        if table is None:
            return  # the table's step asks, or says why
        title, goal = self.data.title, self.table.goal.value
        await self._replace(lambda: self.experiment.begin(table, title, goal))

    def _show_run(self) -> None:
        """Have the step there that shows a run, before one is read."""
        _ = self.retraced
        self.steps.active = _FOREIGN

    async def go_on(self) -> None:
        """Begin an experiment with the trials of another tool's run as its data."""
        found = self.foreign.present
        table, rows = as_table(found)
        goal = next(word for word, which in GOALS.items() if which == found.run.direction)
        y = found.run.y[list(found.order)]

        async def begin() -> tuple[str, ...]:
            remarks = await self.experiment.begin(table, self.foreign.title, goal)
            await self.experiment.step(lambda experiment: experiment.tell(rows, y))
            return remarks

        if not await self._replace(begin):
            self.steps.active = _TABLE  # where it says why

    async def open_file(self, content: bytes) -> None:
        """Go on with an experiment from a file."""
        if await self.open(content):
            self.autosave.opened += 1  # what came from a file is in that file

    async def open(self, content: bytes) -> bool:
        """Go on with a saved experiment, e.g. one that the browser keeps; whether it could."""
        return await self._replace(lambda: self.experiment.open(content))

    async def _replace(self, step: Callable[[], Awaitable[tuple[str, ...]]]) -> bool:
        """Show the experiment that a step brings; if it brings none, say why, in the table's step.

        The experiment on screen stays then, and also if it would be lost, until a second request.
        """
        if self.experiment.current is not None and not (self.autosave.safe or self._warned):
            self._warned = True
            self.table.fault.object = texts.note(_REPLACE)
            return False
        self._warned = False
        part = self.measuring  # it watches the experiment
        try:
            remarks = await step()
        except UCBPEError as error:
            self.table.fault.object = texts.fault(error)
            return False
        with pn.io.hold():
            part.notice.object = texts.note(" ".join(remarks))
            self.table.fault.object = texts.fault(None)
            self.steps.active = _EXPERIMENT
        return True

    def _show(self, event: param.parameterized.Event) -> None:
        with pn.io.hold():
            self._frames[event.old].visible = False
            if event.new not in self._frames:  # a part is in the page from its first use on
                part = getattr(self, _PARTS[event.new])  # made when it is first asked for
                frame = styled("lab-problem-part", part)
                self._frames[event.new] = frame
                self._content.append(frame)
            self._frames[event.new].visible = True
            tools = [self.measuring.tools] if event.new == _EXPERIMENT else []
            self._to_settings.visible = event.new in (_EXPERIMENT, _FOREIGN)
            self._bar.objects = [self.steps, *tools, self.autosave]
            self.saved.count += 1

    def _keep(self, _: param.parameterized.Event) -> None:
        """Have the browser keep the experiment as it is now."""
        bench, experiment = self.experiment, self.experiment.current
        measured = counted(len(experiment.history.data), "measurement")
        waiting = counted(len(experiment.pending), "row") + " proposed"
        self.autosave.param.update(
            identity=experiment.id,
            title=experiment.name,
            head=bench.head,
            entries=len(experiment.journal),
            summary=f"{measured}, {waiting}",
            journal=bench.journal,
        )

    def _export(self) -> None:
        experiment = self.experiment.current
        if experiment is not None:
            name = f"{experiment.name}, {len(experiment.history.data)} measurements.csv"
            self.autosave.offer(name, self.experiment.csv())

    def _take_zone(self, name: str) -> None:
        self.experiment.zone = zone(name)
