"""An experiment in progress: its record, the settings beside it, and what is saved of it."""

from __future__ import annotations

import asyncio
import copy
import io
import re
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any

import numpy as np
import param

from ucbpe_app.pages.numbers import typed
from ucbpe_app.pages.problem.frame import ExperimentFrame, picture
from ucbpe_app.pages.problem.opened import opened
from ucbpe_app.pages.problem.results import Results, read_results
from ucbpe_app.pages.problem.settings import PlanSettings
from ucbpe_app.pages.problem.sheets.limits import check_measurements
from ucbpe_app.run.notation import short
from ucbpe_app.tasks.worker import Worker
from ucbpe_core import UCBPEError
from ucbpe_core.errors import InputError
from ucbpe_core.experiment import Experiment
from ucbpe_core.records.history import head_text, history_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ucbpe_app.pages.problem.sheets.table import Choice
    from ucbpe_core.fitting import Fit


class Faults(Exception):  # noqa: N818 - it gathers errors, each with its place
    """Typed results that are no numbers: the error of each, by the key of its field."""

    def __init__(self, errors: Mapping[str, UCBPEError]) -> None:
        super().__init__(f"{len(errors)} results")
        self.errors = dict(errors)


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
    zone = param.ClassSelector(default=UTC, class_=(tzinfo,), doc="In which times are told.")

    def __init__(self) -> None:
        super().__init__()
        self.settings = PlanSettings()
        self._turn = asyncio.Lock()

    async def begin(self, choice: Choice, name: str, goal: str = "Maximise") -> tuple[str, ...]:
        """A new experiment on a table; values that it has are the first measurements."""

        def make() -> Experiment:
            check_measurements(0, choice.known)
            experiment = Experiment(choice.table, settings.plan(), name)
            if choice.y is not None and choice.known:
                members = np.flatnonzero(~np.isnan(choice.y))
                experiment.tell(members, choice.y[members])
            return experiment

        settings, y = self.settings, choice.y
        # Settings are those of the new table even if it is refused: none is in force without one.
        settings.measure(choice.table.candidates)
        settings.suggest([] if y is None else y[~np.isnan(y)].tolist())
        size = min(settings.batch_size, len(choice.table))
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
        self.settings.measure(self.current.table.candidates)
        return self.show_plan()

    def show_plan(self) -> tuple[str, ...]:
        """Show the plan in force in the settings; return what of it they cannot say."""
        remarks = self.settings.show(self._present().plan)
        self.shown += 1
        return remarks

    async def ask(self) -> None:
        """Propose the next batch."""

        def ask(experiment: Experiment) -> None:
            asked = len(experiment.history.measured) + len(experiment.pending)
            check_measurements(asked, experiment.policy.batch_size)
            experiment.ask()

        await self._step(ask)

    async def tell(self, texts: Mapping[str, str]) -> None:
        """Add results as they were typed, by the key of their candidate.

        Raises
        ------
        Faults
            If any is no number; then none is added.
        """
        candidates = [self.candidate_of(key) for key in texts]
        names = [f"the result of candidate {candidate}" for candidate in candidates]
        await self.tell_values(candidates, _typed(texts, names))

    async def tell_values(self, candidates: list[int], y: list[float]) -> None:
        """Add measurements."""

        def tell(experiment: Experiment) -> None:
            check_measurements(len(experiment.history.measured), len(y))
            experiment.tell(candidates, y)

        await self._step(tell)

    async def correct(self, texts: Mapping[str, str]) -> None:
        """Replace measurements, by the key of each; an empty text makes one void."""
        numbers = [self.number_of(key) for key in texts]
        filled = {key: text for key, text in texts.items() if text.strip()}
        names = [f"measurement {n}" for n, key in zip(numbers, texts, strict=True) if key in filled]
        known = dict(zip(filled, _typed(filled, names), strict=True))

        def correct(experiment: Experiment) -> None:
            for number, key in zip(numbers, texts, strict=True):
                experiment.correct(number, known.get(key))

        await self._step(correct)

    async def withdraw(self, key: str) -> None:
        """Withdraw an outstanding pick."""
        candidate = self.candidate_of(key)
        await self._step(lambda experiment: experiment.withdraw([candidate]))

    async def withdraw_rest(self) -> None:
        """Withdraw all outstanding picks."""
        await self._step(lambda experiment: experiment.withdraw(list(experiment.pending)))

    async def allow(self) -> None:
        """Allow proposals of all withdrawn rows again."""
        await self._step(Experiment.allow)

    async def plan(self) -> None:
        """Choose the next batches by the settings."""
        plan = self.settings.plan()
        await self._step(lambda experiment: experiment.replan(plan))
        self.show_plan()

    async def undo(self) -> None:
        """Take back the last step: the one on screen, not one that comes meanwhile."""
        step = self._present().undoable
        await self._turn_back(lambda experiment: experiment.undo(step))

    async def redo(self) -> None:
        """Bring back what was taken back last."""
        step = self._present().redoable
        await self._turn_back(lambda experiment: experiment.redo(step))

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

    async def read(self, text: str, decimal: str | None = None) -> Results:
        """What a file of results would add; None: find out what its decimal mark is."""
        results: Results = await self.work(read_results, text, self._present(), decimal)
        return results

    def csv(self) -> str:
        """Every measurement, for a spreadsheet."""
        text = io.StringIO()
        self._present().to_csv(text)
        return text.getvalue()

    def candidate_of(self, key: str) -> int:
        """The candidate of a field: c17 is that of row 17, p2.0.17 that of pick 0 of batch 2."""
        experiment = self._present()
        if row := re.fullmatch(r"c(\d{1,9})", key, re.ASCII):
            return int(row[1])
        for pick in experiment.history.outstanding:
            if key == f"p{pick.t}.{pick.k}.{pick.index}":
                return pick.index
        raise InputError(
            "an outstanding pick", short(repr(key)), "its result was recorded meanwhile"
        )

    @staticmethod
    def number_of(key: str) -> int:
        """The measurement of a field: m3.17 is that of number 3, at row 17."""
        measurement = re.fullmatch(r"m(\d{1,9})\.\d+", key, re.ASCII)
        if measurement is None:
            raise InputError("a measurement", short(repr(key)), "reload the page")
        return int(measurement[1])

    def _present(self) -> Experiment:
        if self.current is None:
            raise InputError("an experiment", "none", "begin one, or open a saved one")
        experiment: Experiment = self.current
        return experiment

    async def _turn_back(self, change: Callable[[Experiment], object]) -> None:
        before = self._present().plan
        await self._step(change)
        if self.current.plan != before:  # else settings that are being edited stay
            self.show_plan()

    async def _step(self, change: Callable[[Experiment], object]) -> None:
        """One step from the present experiment, after those that were asked for before."""

        def make() -> Experiment:
            experiment = copy.copy(self._present())
            change(experiment)
            return experiment

        await self._install(make)

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


def _typed(texts: Mapping[str, str], names: Iterable[str]) -> list[float]:
    """The numbers typed in fields, by key; `names` says what each is."""
    y, faults = list[float](), {}
    for (key, text), name in zip(texts.items(), names, strict=True):
        try:
            y.append(typed(text, name))
        except InputError as error:
            faults[key] = error
    if faults:
        raise Faults(faults)
    return y
