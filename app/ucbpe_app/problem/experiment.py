"""An experiment in progress: its record, the settings on screen, and what is saved of it."""

from __future__ import annotations

import asyncio
import copy
import io
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any

import param

from ucbpe_app.problem.frame import ExperimentFrame, picture
from ucbpe_app.problem.settings import PlanSettings
from ucbpe_app.problem.sheets import limits
from ucbpe_app.tasks.worker import Worker
from ucbpe_core.errors import InputError
from ucbpe_core.files.history import head_text, history_text, read
from ucbpe_core.search.experiment import Experiment
from ucbpe_core.tables.dialect import foreign

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.gp.fitting import Fit
    from ucbpe_core.tables.table import Table


_WANTED = "a saved experiment, a file that ends in .ucbpe.json"
_OTHERS = (
    "choose the file that Save has written; a table, as CSV or .xlsx, goes under "
    '"Choose a CSV or Excel file"'
)


class ExperimentState(Worker):
    """At most one experiment. Steps come one after the other; one that fails changes nothing.

    `current`, `picture`, `head` and `journal` belong together and change in one update: a step is
    taken by a copy, which takes the place of the experiment. Settings are not in force until `plan`
    puts them there.
    """

    current = param.ClassSelector(class_=(Experiment,), doc="None before there is one.")
    picture = param.ClassSelector(class_=(ExperimentFrame,), doc="What the views draw of it.")
    head = param.String("", doc="Its file up to the steps.")
    journal = param.String("", doc="The rest of its file.")
    shown = param.Integer(0, doc="Counts how often the settings were taken from the plan in force.")
    zone = param.ClassSelector(default=UTC, class_=(tzinfo,), doc="In which times are shown.")

    def __init__(self) -> None:
        super().__init__()
        self.settings = PlanSettings()
        self._turn = asyncio.Lock()

    async def begin(self, table: Table, name: str, goal: str = "Maximise") -> tuple[str, ...]:
        """A new experiment on a table; values that it has are the first measurements."""

        def make() -> Experiment:
            limits.check_measurements(len(y))
            experiment = Experiment(table, settings.plan(), name)
            if len(y):
                experiment.tell(known, y)
                experiment.fit_if_due()
            return experiment

        settings, (known, y) = self.settings, table.known
        # Settings are those of the new table even if it is refused: none is in force without one.
        settings.measure(table)
        settings.suggest(y.tolist())
        size = min(settings.batch_size, len(table))
        settings.accept(batch_size=size, goal=goal)
        await self._install(make)
        return self.show_plan()

    async def open(self, content: bytes) -> tuple[str, ...]:
        """Go on with a saved experiment; return what of its plan the settings cannot say.

        Raises
        ------
        UCBPEError
            For any other file; the experiment on screen stays.
        """
        await self._install(lambda: opened(content))
        self.settings.measure(self.current.table)
        return self.show_plan()

    def show_plan(self) -> tuple[str, ...]:
        """Show the plan in force in the settings; return what of it they cannot say."""
        remarks = self.settings.show(self._present().plan)
        self.shown += 1
        return remarks

    async def step(self, change: Callable[[Experiment], object], *, fit: bool = True) -> None:
        """Take one step from the present experiment, after the steps asked for earlier.

        Without outstanding picks, the fit that is due then follows, unless `fit` is false.
        """

        def make() -> Experiment:
            experiment = copy.copy(self._present())
            change(experiment)
            if fit and not experiment.pending:
                experiment.fit_if_due()
            history = experiment.history
            limits.check_measurements(len(history.measured) + len(history.pending))
            return experiment

        before = self._present().plan
        await self._install(make)
        # Settings that are being edited stay if only what has no setting changed.
        if replace(self.current.plan, cost=before.cost) != before:
            self.show_plan()

    async def plan(self) -> None:
        """Choose the next batches by the settings."""
        plan = self.settings.plan()
        await self.step(
            lambda experiment: experiment.replan(replace(plan, cost=experiment.plan.cost))
        )
        self.show_plan()

    async def price(self, cost: float | None) -> None:
        """Say what one measurement costs, in units of y."""
        await self.step(lambda experiment: experiment.replan(replace(experiment.plan, cost=cost)))

    async def undo(self) -> None:
        """Take back the last step: the one on screen, not one that comes meanwhile."""
        step = self._present().undoable
        await self.step(lambda experiment: experiment.undo(step), fit=False)

    async def redo(self) -> None:
        """Bring back what was taken back last."""
        step = self._present().redoable
        await self.step(lambda experiment: experiment.redo(step), fit=False)

    async def fit(self) -> Fit:
        """Fit the prior to the measurements and show it in the settings, not yet in force.

        Raises
        ------
        UCBPEError
            If they do not determine one.
        """
        fit: Fit = await self.work(self._present().fit)
        self.settings.show_prior(fit.gp)
        return fit

    def csv(self) -> str:
        """Every measurement, for a spreadsheet."""
        text = io.StringIO()
        self._present().to_csv(text)
        return text.getvalue()

    def _present(self) -> Experiment:
        if self.current is None:
            raise InputError("an experiment", "none", "begin one, or open a saved one")
        experiment: Experiment = self.current
        return experiment

    async def _install(self, make: Callable[[], Experiment]) -> None:
        def made() -> tuple[Experiment, ExperimentFrame, str, str]:
            experiment = make()
            # A table of 20,000 rows takes half a second to write: once is enough.
            document = experiment.document()
            same = self.current is not None and experiment.id == self.current.id
            head = self.head if same else head_text(document)
            return experiment, picture(experiment), head, history_text(document)

        async with self._turn:
            result: Any = await self.work(made)
            names = ("current", "picture", "head", "journal")
            self.param.update(**dict(zip(names, result, strict=True)))


def opened(content: bytes) -> Experiment:
    """The experiment in a file.

    Raises
    ------
    UCBPEError
        For any other file, and for an experiment that is damaged, too large, or of a later version.
    """
    if len(content) > limits.MOST_FILE_BYTES:
        wanted = f"at most {limits.MOST_FILE_BYTES // 1_000_000} MB"
        raise InputError(wanted, f"{len(content) / 1e6:.0f} MB", "open it in Python")
    text = content.decode("utf-8-sig", "replace")
    if not text.lstrip().startswith("{"):
        raise InputError(_WANTED, foreign(content) or "a table, or other text", _OTHERS)
    try:
        document = read(io.StringIO(text), limits.MOST_STEPS)
    except InputError as error:
        if error.expected.endswith(" to be JSON"):  # which tells where in the text, in jargon
            got = "one that is damaged or cut short"
            raise InputError(_WANTED, got, "open another copy") from None
        raise
    limits.check_file(document)
    return Experiment.resumed(document)
