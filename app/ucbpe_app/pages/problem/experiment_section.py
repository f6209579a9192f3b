"""Your problem, measured: the laboratory proposes rows, the person records what they gave."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app import theme
from ucbpe_app.pages.problem.layout import (
    PLAN,
    PlanForm,
    actions,
    button,
    column,
    empty_page,
    heading,
    live,
    styled,
    working,
)
from ucbpe_app.pages.problem.rows_section import ResultsSection, RowsSection
from ucbpe_app.pages.problem.sentences import (
    counted,
    entry_words,
    moment,
    prior_changes,
    status,
    step_words,
    withdrawn,
)
from ucbpe_app.pages.problem.settings import PLAN as NAMES
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pictures.plane import LARGE_PLANE, PLANE
from ucbpe_app.render.view import PictureView
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import number
from ucbpe_app.views import main_kind
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import param
    from panel.viewable import Viewable

    from ucbpe_app.pages.problem.experiment import ExperimentState
    from ucbpe_app.pages.problem.frame import ExperimentFrame
    from ucbpe_app.pictures.picture import RunKind
    from ucbpe_core.experiment import Experiment

_NO_TRUTH = Layers(truth=False)


class PosteriorFigures:
    """The posterior over the table: `main`, a curve, fields or the plane; `aside`, the plane."""

    def __init__(self) -> None:
        self._made: dict[RunKind, PictureView] = {}
        column = partial(pn.Column, sizing_mode="stretch_width", margin=0)
        self.main, self.aside = column(), column()

    def load(self, picture: ExperimentFrame) -> None:
        """Show where an experiment stands."""
        view = self._view(main_kind(picture.scene))
        beside = [] if view.kind is LARGE_PLANE else [self._plane]
        with pn.io.hold():
            for one in (view, *beside):
                one.load(picture.scene)
                one.update(picture.frame)
                one.show(_NO_TRUTH)
            # Only the pictures in use are in the page.
            if self.main.objects != [view.panel]:
                self.main.objects = [view.panel]
                self.aside.objects = [one.panel for one in beside]

    # Making a view takes a while, so that it waits until it is needed.

    @cached_property
    def _plane(self) -> PictureView:
        return PictureView(PLANE)

    def _view(self, kind: RunKind) -> PictureView:
        if kind not in self._made:
            self._made[kind] = PictureView(kind)
        return self._made[kind]


_EMPTY = (
    "No experiment yet.",
    "Load a table of candidates and press Run an experiment there, or open a saved one.",
)
_BLIND = (
    "No value is known, so the posterior is the prior: set its mean and its variance to what you "
    "expect of the values, e.g. 60 and 10² = 100. Or measure a few rows first, and fit."
)
_STAYS = "Rows that are proposed already stay; withdraw them to have others proposed."
_RECENT = 12  # entries of the journal on screen


class ExperimentSection(pn.viewable.Viewer):
    """An experiment with its settings, tables and figures."""

    def __init__(self, experiment: ExperimentState) -> None:
        super().__init__()
        self.experiment = experiment
        self.form = PlanForm(experiment.settings, PLAN, self._fit)
        self.rows = RowsSection(experiment, self.attempt)
        self.results = ResultsSection(experiment, self.attempt)
        self.figures = PosteriorFigures()
        self.notice, self.best, self.journal = texts.card(), texts.card(), texts.card()
        self.status, self.hint = live(), texts.card()

        def step(change: Callable[[], Awaitable[None]]) -> Callable[[], Any]:
            return lambda: self.attempt(change())

        self.propose = button("Propose a batch", step(experiment.ask), main=True, relabelled=True)
        self.allow = button("Allow withdrawn rows again", step(experiment.allow), visible=False)
        self.undo = button("Undo", step(experiment.undo), relabelled=True)
        self.redo = button("Redo", step(experiment.redo), relabelled=True)
        self.progress = pmui.LinearProgress(
            variant="indeterminate", visible=False, sizing_mode="stretch_width", margin=0
        )
        self._changed = texts.card()
        self._use = button("Use from the next batch", step(experiment.plan), main=True)
        self._discard = button("Discard", self._forget)
        self._pending_plan = column(self._changed, self._use, self._discard)
        self._pending_plan.styles = {"gap": "8px"}
        self._full = self._layout()
        self._panel = empty_page(_EMPTY)
        experiment.param.watch(self._draw, ["current", "zone"])
        experiment.param.watch(self._show_busy, "busy")
        experiment.param.watch(self._show_plan, "shown")
        experiment.settings.param.watch(self._compare, list(NAMES))

    def __panel__(self) -> Viewable:
        return self._panel

    async def attempt(self, step: Awaitable[Any]) -> bool:
        """Run a step of the experiment; if it fails, say why and change nothing."""
        try:
            await step
        except UCBPEError as error:
            self.notice.object = texts.fault(error)
            return False
        self.notice.object = ""
        return True

    def _layout(self) -> pn.Column:
        posterior = styled("lab-part", heading("Current posterior"), self.figures.main)
        return theme.columns(
            column(self._pending_plan, self.form),
            column(
                self.notice, self.hint, self.rows.proposed, self.allow, self.results, posterior,
                self.rows.others,
            ),
            working(self.progress, actions(self.status, self.undo, self.redo, self.propose)),
            column(
                theme.styled("lab-card", self.best), self.figures.aside,
                theme.styled("lab-card", self.journal),
            ),
        )  # fmt: skip

    def _forget(self) -> None:
        self.experiment.show_plan()

    async def _fit(self) -> str:
        before = self.experiment.current.plan.gp
        fit = await self.experiment.fit()
        names = self.experiment.current.table.inputs
        gain = f"{number(fit.given)} → {number(fit.log_marginal_likelihood)}"
        rows = [*prior_changes(before, fit.gp, names), ("log likelihood", gain)]
        title = f"Fitted to {counted(len(self.experiment.current.history.data), 'measurement')}"
        return texts.facts(title, rows)

    def _show_plan(self, _: param.parameterized.Event) -> None:
        """The settings are those in force again."""
        with pn.io.hold():
            self.form.load(self.experiment.current.table.inputs)
            self._compare()

    def _draw(self, *_: param.parameterized.Event) -> None:
        experiment = self.experiment.current
        if experiment is None:
            return
        with pn.io.hold():
            if self._panel.objects != [self._full]:
                self._panel.objects = [self._full]
            self.rows.load()
            self.figures.load(self.experiment.picture)
            self._show(experiment)
            self._compare()

    def _show(self, experiment: Experiment) -> None:
        """Status, buttons, the best row and the journal."""
        history = experiment.history
        self.status.object = texts.paragraphs("", [status(experiment)])
        self.hint.object = "" if history.data else texts.note(_BLIND)
        self.propose.param.update(
            label=f"Propose batch {history.next_t}", disabled=history.untouched
        )
        for one, name, change in (
            (self.undo, "Undo", experiment.undoable),
            (self.redo, "Redo", experiment.redoable),
        ):
            one.param.update(disabled=change is None, label=f"{name} {step_words(change)}".strip())
        self.allow.param.update(visible=bool(experiment.excluded), label=withdrawn(experiment))
        self.best.object = texts.facts("Best so far", self._best(experiment))
        where, journal = self.experiment.zone, experiment.journal
        entries = [
            (entry_words(one), moment(one.time, where), not one.counts)
            for one in reversed(journal[-_RECENT:])
        ]
        title = f"Journal, {counted(len(journal), 'entry', 'entries')}"
        self.journal.object = texts.journal(title, entries)

    def _best(self, experiment: Experiment) -> list[tuple[str, str]]:
        measured, best = experiment.history.best, experiment.best()
        extreme = "highest" if experiment.direction == "maximize" else "lowest"
        rows = []
        if measured is not None and measured.y is not None:
            rows += [
                (f"{extreme} {experiment.table.output}", number(measured.y)),
                ("candidate", self._name(experiment, measured.index)),
            ]
        return [
            *rows,
            (f"{extreme} mean μ ± σ", f"{number(best.value)} ± {number(best.std)}"),
            ("candidate", self._name(experiment, best.index)),
        ]

    def _name(self, experiment: Experiment, j: int) -> str:
        labels = [cells[j] for _, cells in experiment.table.labels[:1]]
        return ", ".join([str(j), *labels])

    def _compare(self, *_: param.parameterized.Event) -> None:
        """Say that settings are not in force yet, if that is so."""
        experiment = self.experiment
        if experiment.current is None:
            return
        differs = experiment.settings.differs
        lines = ["These settings are not applied yet."]
        if experiment.current.pending:
            lines.append(_STAYS)
        self._changed.object = texts.note(" ".join(lines)) if differs else ""
        self._pending_plan.visible = differs

    def _show_busy(self, event: param.parameterized.Event) -> None:
        self.progress.visible = event.new is not None
