"""Your problem, simulated: a rule over a table whose values are all known, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.problem import texts
from ucbpe_app.problem.layout import run
from ucbpe_app.problem.settings import PlanSettings
from ucbpe_app.problem.sheets.limits import check_simulation
from ucbpe_app.run.replay import Replay
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import Worker
from ucbpe_app.widgets.run_view import RunView
from ucbpe_app.widgets.strip import FieldStrip
from ucbpe_core import UCBPEError, simulate

if TYPE_CHECKING:
    from ucbpe_core.problems import Problem

FIELDS = ("policy", "batch_size", "batches", "initial", "seed")
_EMPTY = (
    "No simulation yet.",
    "Load a table with a value in every row and press Simulate this table there.",
)


class Simulation(Worker):
    """The run of a rule on a table, under the prior that its ranges and values suggest.

    A change of a setting makes another run; `replay` and `error` say what came of it.
    """

    replay = param.ClassSelector(class_=Replay, doc="None before there is one.")
    error = param.ClassSelector(class_=UCBPEError, doc="Why the settings have no run, if so.")

    def __init__(self) -> None:
        super().__init__()
        self.settings = PlanSettings()
        self._problem: Problem | None = None
        self.settings.param.watch(lambda *_: run(self.refresh), list(FIELDS))

    async def begin(self, problem: Problem) -> None:
        """Take another table, and a batch and a start that fit it."""
        rows, settings = len(problem.candidates), self.settings
        self._problem = None  # what is set does not make a run yet
        settings.accept(
            batch_size=min(settings.batch_size, rows), initial=min(settings.initial, rows)
        )
        self._problem = problem
        await self.refresh()

    async def refresh(self) -> None:
        """Make the run of the present settings; a later call overtakes this one."""
        problem = self._problem
        if problem is None:
            return
        with self.latest(Job()) as job:
            try:
                replay = await self.work(self._made, problem, job, job=job)
            except UCBPEError as error:
                self.error = error
            else:
                self.param.update(replay=replay, error=None)

    def _made(self, problem: Problem, job: Job) -> Replay:
        spec = self.settings.spec()
        policy = spec.build_policy()
        check_simulation(
            len(problem.candidates), spec.batches * policy.batch_size + spec.initial, spec.batches
        )
        trace = simulate(
            problem, policy, problem.gp, spec.build_schedule(), progress=job.progress,
            **spec.of("run"),
        )  # fmt: skip
        replay = Replay(trace)
        _ = replay.scene  # here, in the worker's thread
        return replay


class SimulationSection(pn.viewable.Viewer):
    """A simulation with its settings, its pictures, the regret and the timeline."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__()
        self.simulation, self.view = simulation, RunView()
        entries = {name: PlanSettings.entries[name] for name in FIELDS}
        self.strip = FieldStrip(simulation.settings, entries)
        self.fault, empty = texts.card(), texts.card(texts.paragraphs("", _EMPTY))
        view = self.view
        self._full = theme.within(
            "lab-screen",
            theme.within("lab-strip", self.strip, self.fault),
            view.pictures,
            view.reasons,
            theme.placed("lab-candidate", view.readout),
            theme.placed("lab-timeline", view.timeline),
        )
        self._full.styles = {"--above": "48px"}  # of the bar with the steps
        self._panel = pn.Column(
            theme.styled("lab-pictures", empty), sizing_mode="stretch_width", margin=0,
            styles={"height": "100%"},
        )  # fmt: skip
        simulation.param.watch(self._load, "replay")
        simulation.param.watch(self._say, "error")
        simulation.param.watch(lambda event: view.timeline.param.update(busy=event.new), "busy")

    def __panel__(self) -> pn.Column:
        return self._panel

    def open(self) -> None:
        """Have no pictures until the first run of another table is there."""
        with pn.io.hold():
            self._arrange(opening=True)
            self._panel.objects = [self._full]

    def _load(self, event: param.parameterized.Event) -> None:
        """Show a run at its end, where all picks and the whole regret are."""
        with pn.io.hold():
            self.view.load(event.new, len(event.new.events) - 1)
            self._arrange()

    def _say(self, event: param.parameterized.Event) -> None:
        with pn.io.hold():
            self.fault.object = texts.fault(event.new)
            self._arrange()

    def _arrange(self, *, opening: bool = False) -> None:
        states = {"opening": opening, **self.view.states}
        names = (f"lab-{name}" for name, on in states.items() if on)
        self._full.css_classes = ["lab-screen", "lab-untold", *names]
