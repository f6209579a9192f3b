"""Your problem, measured: the laboratory proposes rows, the person records what they gave."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.components.drawer import DrawerButton
from ucbpe_app.components.tabs import title
from ucbpe_app.pages.menus import Menu
from ucbpe_app.pages.problem.certificate import CertificateView, certificate_of
from ucbpe_app.pages.problem.check import STDS
from ucbpe_app.pages.problem.layout import (
    PLAN,
    PlanForm,
    button,
    column,
    empty_page,
    styled,
)
from ucbpe_app.pages.problem.results_section import ResultsSection
from ucbpe_app.pages.problem.rows_section import SMALL, PosteriorFigures, RowsSection
from ucbpe_app.pages.problem.sentences import (
    counted,
    place,
    possible,
    status,
    step_words,
)
from ucbpe_app.pages.problem.settings import PLAN as NAMES
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pages.verdict import Verdict, layout, text
from ucbpe_app.pictures.experiment import CHECK, check
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.run.changes import WORDS, differences, value
from ucbpe_app.run.sentences import number
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    import param
    from panel.viewable import Viewable

    from ucbpe_app.pages.problem.experiment import ExperimentState

_EMPTY = (
    "No experiment yet.",
    "Load a table of candidates and press Run an experiment there, or open a saved one.",
)
_BLIND = (
    "No value is known, so the posterior is the prior: set its mean and its variance to what you "
    "expect of the values, e.g. 60 and 10² = 100. Or measure a few rows first, and fit."
)
_STAYS = "Rows that are proposed already stay; withdraw them to have others proposed."


class ExperimentSection(pn.viewable.Viewer):
    """An experiment with its settings, tables and figures; `tools` stand in the bar of the page."""

    def __init__(self, experiment: ExperimentState) -> None:
        super().__init__()
        self.experiment = experiment
        self.form = PlanForm(experiment.settings, PLAN, self._fit)
        self.rows = RowsSection(experiment, self.attempt)
        self.results = ResultsSection(experiment, self.attempt)
        self.notice, self.hint = texts.card(), texts.card()
        self.possible = text("possible")
        self.verdict = Verdict(self.possible)
        self.certificate = CertificateView()
        self.map, self.check = PosteriorFigures(SMALL), BokehPicture(CHECK)
        self.checked = text("checked")
        self.undo = button("Undo", lambda: self.attempt(experiment.undo()), plain=True)
        self.redo = button("Redo", lambda: self.attempt(experiment.redo()), plain=True)
        self.file = Menu("Add results", lambda: [self.results])
        self.tools = pn.Row(
            DrawerButton(), self.undo, self.redo, self.file.button, margin=0,
            css_classes=["lab-problem-tools"],
        )  # fmt: skip
        self.progress = pmui.LinearProgress(
            variant="indeterminate", visible=False, sizing_mode="stretch_width", margin=0
        )
        self._changed = texts.card()
        self._use = button("Use from the next batch", lambda: self.attempt(experiment.plan()))
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
        left = styled(
            "lab-problem-left", self.progress, self.notice, self.hint, self.rows.proposed,
            self.rows.others,
        )  # fmt: skip
        right = styled(
            "lab-problem-right",
            self.certificate,
            title("Where: best guess of the values; inside the line: still worth trying"),
            self.map,
            title("Does the model fit? Measured against predicted"),
            styled("lab-problem-check", self.check.panel, self.checked),
        )
        return layout(
            column(self._pending_plan, self.form),
            self.verdict,
            styled("lab-problem-body", left, right),
            over=self.file.panel,
        )

    def _forget(self) -> None:
        self.experiment.show_plan()

    async def _fit(self) -> str:
        before = self.experiment.settings.spec()
        fit = await self.experiment.fit()
        after = self.experiment.settings.spec()
        rows = [
            (WORDS[name], f"{value(before, name)} → {value(after, name)}")
            for name in differences(before, after)
        ]
        gain = f"{number(fit.given)} → {number(fit.log_marginal_likelihood)}"
        title = f"Fitted to {counted(len(self.experiment.current.history.data), 'measurement')}"
        return texts.facts(title, [*rows, ("log likelihood", gain)])

    def _show_plan(self, _: param.parameterized.Event) -> None:
        """The settings are those in force again."""
        with pn.io.hold():
            self.form.load(self.experiment.current.table.inputs)
            self._compare()

    def _draw(self, *_: param.parameterized.Event) -> None:
        if self.experiment.current is None:
            return
        with pn.io.hold():
            if self._panel.objects != [self._full]:
                self._panel.objects = [self._full]
            self.rows.load()
            self.map.load(self.experiment.picture)
            self._show()
            self._show_check()
            self.certificate.show(self.experiment.current)
            self._compare()

    def _show(self) -> None:
        """The strip, and what can be undone."""
        experiment, frame = self.experiment.current, self.experiment.picture.frame
        self.verdict.place(*place(experiment))
        self.verdict.say(status(experiment))
        more = certificate_of(experiment).regret
        open_, told = map(escape, possible(experiment, frame, more))
        self.possible.object = f'<p><b class="open">{open_}</b></p><p class="quiet">{told}</p>'
        self.hint.object = "" if experiment.history.data else texts.note(_BLIND)
        for one, name, change in (
            (self.undo, "Undo", experiment.undoable),
            (self.redo, "Redo", experiment.redoable),
        ):
            one.param.update(
                visible=change is not None, label=f"{name} {step_words(change)}".strip()
            )

    def _show_check(self) -> None:
        found = self.experiment.picture.check
        n = len(found.y)
        self.check.draw(check(found.roles, found.mean, STDS * found.std, found.y))
        head = f"<h2>{found.inside} of {n}</h2>" if n else ""
        axes = f'<p class="quiet">Up: measured. Across: predicted, ± {STDS:g} std.</p>'
        self.checked.object = f"{head}<p>{escape(found.words)}</p>{axes}"

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
