"""A simulation on a custom problem: the settings, and the run that they make."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.pages.problem.frame import grid_of
from ucbpe_app.pages.problem.settings import GOALS, SHARE, PlanSettings
from ucbpe_app.run.events import Event, Kind, closest
from ucbpe_app.run.own import check_size, tied
from ucbpe_app.run.replay import Replay
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import Worker
from ucbpe_core import UCBPEError, fit_hyperparameters, simulate
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.problems import Problem, from_table

if TYPE_CHECKING:
    from ucbpe_app.pages.problem.sheets.table import Choice
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_core.experiment import Plan
    from ucbpe_core.fitting import Fit


def problem_of(choice: Choice, name: str) -> Problem:
    """A table whose values are all known, as a problem.

    Raises
    ------
    InputError
        For a table without a value column, or with values missing.
    """
    if choice.y is None or not choice.complete:
        got = f"{grouped(choice.known)} of {grouped(len(choice.table))}"
        remedy = "choose a complete value column, or run an experiment with what is measured"
        raise InputError("the value of every row, to simulate", got, remedy)
    table = choice.table
    problem = from_table(table.candidates, choice.y, name=name, axes=(*table.inputs, table.output))
    return replace(problem, grid=grid_of(table.candidates))


class SimulationSettings(PlanSettings):
    """The plan, and the noise that the simulation adds to what the table says."""

    added_noise = param.Number(
        0.0, bounds=(0, None), label="Noise added", doc="Variance added to every measurement."
    )


class Simulation(Worker):
    """A problem and a run on it. Until another run is there, the old one stays on screen.

    `loading` says that settings change because another problem is taken.
    """

    replay = param.ClassSelector(class_=(Replay,), doc="The run on screen, or None.")
    index = param.Integer(0, bounds=(0, None), doc="The event on screen.")
    error = param.ClassSelector(class_=UCBPEError, doc="Of the last settings refused.")

    def __init__(self) -> None:
        super().__init__()
        self.settings = SimulationSettings()
        self.problem: Problem | None = None
        self.loading = False
        self._wanted = Event(1, Kind.FIT)

    def load(self, problem: Problem) -> None:
        """Take another problem, with a prior that suits its values; `refresh` runs on it."""
        self.problem, self._wanted = problem, Event(1, Kind.FIT)
        settings, size = self.settings, len(problem.candidates)
        self.loading = True
        try:
            settings.measure(problem.candidates)
            settings.suggest(problem.values.tolist())
            settings.accept(
                batch_size=min(settings.batch_size, size), initial=min(settings.initial, size)
            )
        finally:
            self.loading = False

    def go(self, index: int) -> None:
        """Show another event of the run."""
        if self.replay is not None:
            self.index = min(max(index, 0), len(self.replay.events) - 1)
            self._wanted = self.replay.events[self.index]

    async def refresh(self) -> None:
        """Make the run of the present settings and show it; a later call overtakes this one."""
        if self.problem is None:
            return
        settings = self.settings
        with self.latest(Job()) as job:
            try:
                plan, spec = settings.plan(), settings.spec()
                problem = replace(
                    self.problem,
                    noise_variance=settings.added_noise,
                    direction=plan.direction,
                )
                replay = await self.work(_run, problem, plan, spec, job, job=job)
            except UCBPEError as error:
                self.error = error
                return
            index = closest(replay.events, self._wanted)
            self.param.update(replay=replay, index=index, error=None)

    def elsewhere(self) -> tuple[Problem, dict[str, Any]]:
        """The problem of the present settings as other pages have it, and the settings of a run.

        These have one lengthscale, in the units of the inputs: what those of the inputs are to each
        other, the prior that the problem suggests says.

        Raises
        ------
        InputError
            If there is no problem.
        """
        if self.problem is None:
            raise InputError("a problem", "none", "load a table, or draw a curve")
        settings, gp = self.settings, self.problem.gp
        scales = np.array(settings.lengthscales)
        usual: Any = gp.kernel
        kernel = replace(usual, lengthscale=tuple((SHARE / settings.lengthscale * scales).tolist()))
        problem = replace(
            self.problem,
            gp=replace(gp, kernel=kernel),
            noise_variance=settings.added_noise,
            direction=GOALS[settings.goal],
        )
        values = asdict(settings.spec())
        del values["problem"]
        middle, _ = tied(replace(gp, kernel=replace(usual, lengthscale=tuple(scales.tolist()))))
        lengthscale = vars(middle.kernel)["lengthscale"]
        return problem, values | {"lengthscale": lengthscale}

    async def fit(self) -> tuple[Fit, int]:
        """Fit the prior to the measurements on screen and take it; also tell their number.

        Raises
        ------
        UCBPEError
            If they do not determine one, or there is no run.
        """
        if self.replay is None:
            raise InputError("a run", "none", "load a table, or draw a curve")
        frame, trace = self.replay.frame(self.index), self.replay.trace
        X, y = trace.problem.candidates[frame.observed], frame.observed_y
        make = partial(fit_hyperparameters, domain=trace.problem.candidates)
        fit: Fit = await self.work(make, self.settings.gp(), X, y)
        self.settings.show_prior(fit.gp)
        return fit, len(y)


def _run(problem: Problem, plan: Plan, spec: RunSpec, job: Job) -> Replay:
    size, K = len(problem.candidates), plan.policy.batch_size
    if spec.initial > size:
        raise InputError(f"at most {size} initial points", str(spec.initial), "lower it")
    check_size(size, spec.batches * K + spec.initial, spec.batches)
    trace = simulate(
        problem,
        plan.policy,
        plan.gp,
        plan.beta,
        progress=job.progress,
        **spec.of("run"),
    )
    replay = Replay(trace)
    _ = replay.scene  # worked out here, and not by the first view that asks
    return replay
