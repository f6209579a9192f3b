"""Your problem, measured: the laboratory proposes rows, the person records what they gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app import theme
from ucbpe_app.html import Html
from ucbpe_app.pictures.experiment import BRACKET, bracket
from ucbpe_app.pictures.small import SMALL_FIELD
from ucbpe_app.problem import texts
from ucbpe_app.problem.answers import model_words, prior_words, remedy, rule_words, where_words
from ucbpe_app.problem.answers_section import AnswersSection
from ucbpe_app.problem.edit_section import EditSection
from ucbpe_app.problem.frame import certifies
from ucbpe_app.problem.layout import Question, button, column, styled
from ucbpe_app.problem.plan_form import PlanForm
from ucbpe_app.problem.results_section import ResultsSection
from ucbpe_app.problem.rows_section import PosteriorFigures, RowsSection, small
from ucbpe_app.problem.sentences import (
    best_words,
    first_words,
    may_stop,
    standing,
    step_words,
    worth_words,
)
from ucbpe_app.problem.settings import PLAN
from ucbpe_app.render.bokeh import OWN_HEIGHT, BokehPicture, filling
from ucbpe_app.run.notation import sentences
from ucbpe_app.widgets.bar_buttons import DrawerButton
from ucbpe_app.widgets.fields import NOTICE
from ucbpe_app.widgets.form import words_of_fit
from ucbpe_app.widgets.layouts import Menu, Verdict, layout, text
from ucbpe_app.widgets.tabs import row, title, titled
from ucbpe_core import UCBPEError
from ucbpe_core.errors import InputError
from ucbpe_core.tables.numbers import typed

if TYPE_CHECKING:
    from collections.abc import Awaitable

    import param
    from panel.viewable import Viewable

    from ucbpe_app.problem.experiment import ExperimentState

_EMPTY = (
    "No experiment yet.",
    "Load a table of candidates and press Run an experiment there, or open a saved one.",
)
_BLIND = (
    "No value is known yet, so set the prior mean and variance to what you expect, for example 60 "
    "and 10² = 100. Or measure a few rows first, then fit the prior."
)
_POSSIBLE = Html('<p><b>May I stop?</b> <b class="open">{}</b></p>')
_STAYS = "Rows already proposed stay; withdraw them to get others."
# The label is for screen readers: the words left of the field say what it is.
_IN_WORDS = {
    "& .MuiInputLabel-root": {"position": "absolute", "clipPath": "inset(50%)"},
    "& legend": {"width": 0},
    "& .MuiInputBase-input": {"padding": "5px 10px", "fontSize": "0.875rem"},
    "& .MuiInputBase-root .MuiInputBase-input.MuiInputBase-input::placeholder": {
        "opacity": "0.7 !important"
    },
}


class ExperimentSection(pn.viewable.Viewer):
    """An experiment with its settings, tables and figures; `tools` are in the bar of the page."""

    def __init__(self, experiment: ExperimentState) -> None:
        super().__init__()
        self.experiment = experiment
        self.form = PlanForm(experiment.settings, self._fit)
        self.rows = RowsSection(experiment, self.attempt)
        self.results = ResultsSection(experiment, self.attempt)
        self.notice, self.hint = texts.card(), texts.card()
        self.possible, self.reason = text("possible"), text("possible")
        self.limit = pmui.TextInput(
            label="Stop below", placeholder="no limit", size="small", width=96, margin=0,
            sx={**NOTICE, **_IN_WORDS},
        )  # fmt: skip
        self.worth = text("possible")
        self.cost = pmui.TextInput(
            label="Cost of a measurement", placeholder="not known", size="small", width=104,
            margin=0, sx={**NOTICE, **_IN_WORDS},
        )  # fmt: skip
        self.remedy = Question(1)
        self.verdict = Verdict(self.possible)
        self.map = PosteriorFigures(small, **filling(SMALL_FIELD))
        self.bracket = BokehPicture(BRACKET)
        self.where = title()
        self.answers = AnswersSection(experiment)
        self.undo = button("Undo", lambda: self.attempt(experiment.undo()), plain=True)
        self.redo = button("Redo", lambda: self.attempt(experiment.redo()), plain=True)
        self.file = Menu("Add results", lambda: [self.results])
        self.table = Menu("Change table", lambda: [EditSection(experiment, self.attempt)])
        self.rule = texts.card()
        self.rule.margin = (8, 0)
        self.tools = pn.Row(
            DrawerButton(), self.undo, self.redo, self.file.button, self.table.button, margin=0,
            css_classes=["lab-problem-tools"], styles={"gap": "12px"},
        )  # fmt: skip
        self.progress = pmui.LinearProgress(
            variant="indeterminate", visible=False, sizing_mode="stretch_width", margin=0
        )
        self._changed = texts.card()
        use = button("Use from the next batch", lambda: self.attempt(experiment.plan()))
        discard = button("Discard", experiment.show_plan)
        self._pending_plan = column(self._changed, use, discard, styles={"gap": "8px"})
        self._full = self._layout()
        empty = texts.card(texts.paragraphs("", _EMPTY))
        self._panel = column(theme.styled("lab-pictures", empty), styles={"height": "100%"})
        experiment.param.watch(self._draw, ["current", "zone"])
        experiment.param.watch(self._show_busy, "busy")
        experiment.param.watch(self._show_plan, "shown")
        experiment.settings.param.watch(self._compare, list(PLAN))
        self.limit.param.watch(self._answer, "value")
        self.cost.param.watch(self._take_cost, "value")

    def __panel__(self) -> Viewable:
        return self._panel

    async def attempt(self, step: Awaitable[Any]) -> bool:
        """Run a step of the experiment; if it fails, say why and change nothing."""
        try:
            await step
        except UCBPEError as error:
            self.notice.object = texts.fault(error)
            return False
        self.notice.object = texts.fault(None)
        return True

    def _layout(self) -> pn.Column:
        cost = pn.Row(
            texts.card(texts.quiet("a measurement costs")), self.cost, margin=(4, 0, 8, 0),
            styles={"gap": "12px", "align-items": "center"},
        )  # fmt: skip
        self._price = column(self.worth, cost)
        left = theme.within(
            "lab-filled", self.progress, self.notice, self.hint, self.rows.proposed,
            self.rule, self.rows.others,
        )  # fmt: skip
        right = theme.within(
            "lab-filled",
            row(
                title("Where the best value can lie"),
                texts.card(texts.quiet("stop below")),
                self.limit,
            ),
            self.reason,
            self._price,
            self.remedy,
            column(self.bracket.panel, styles=OWN_HEIGHT),
            self.where,
            self.map,
            self.answers,
        )
        return layout(
            column(self._pending_plan, self.form),
            self.verdict,
            styled("lab-problem-body", left, right),
            over=column(self.file.panel, self.table.panel),
        )

    async def _fit(self) -> str:
        fit = await self.experiment.fit()
        return words_of_fit(fit, len(self.experiment.current.history.data))

    def _show_plan(self, _: param.parameterized.Event) -> None:
        """Show the settings in force."""
        with pn.io.hold():
            self.form.load(self.experiment.current.table.inputs)
            self._compare()

    def _draw(self, *_: param.parameterized.Event) -> None:
        experiment, shown = self.experiment.current, self.experiment.picture
        if experiment is None:
            return
        with pn.io.hold():
            if self._panel.objects != [self._full]:
                self._panel.objects = [self._full]
            self.rows.load()
            self.map.load(shown.scene, shown.known)
            self.where.object = titled(where_words(shown.scene, shown.known, shown.check.verdict))
            line, what, details = standing(experiment)
            self.verdict.place(line, what)
            self.verdict.say(details)
            fitted = experiment.plan.fit == "each batch"
            hint = "" if experiment.history.data else first_words(experiment) if fitted else _BLIND
            if shown.check.verdict == "few" and not hint:
                hint = prior_words(experiment)
            self.hint.object = texts.note(hint)
            best = experiment.history.best
            self.bracket.panel.visible = certifies(shown.check.verdict)
            self.bracket.draw(bracket(shown.certificate, None if best is None else best.y))
            self._offer_remedy()
            for control, name, change in (
                (self.undo, "Undo", experiment.undoable),
                (self.redo, "Redo", experiment.redoable),
            ):
                label = f"{name} {step_words(change)}".strip()
                control.param.update(visible=change is not None, label=label)
            self._answer()
            self._show_worth()
            self.answers.load()
            self.rule.object = texts.quiet(rule_words(experiment))
            self._compare()

    def _offer_remedy(self) -> None:
        """Say what is wrong with the model, and offer the step that mends it."""
        experiment, check = self.experiment.current, self.experiment.picture.check
        found = remedy(experiment, check)
        if found is None:
            self.remedy.ask("", {})
            return
        label, step = found
        _, seen, _ = model_words(experiment, check)

        def take() -> Awaitable[bool]:
            return self.attempt(self.experiment.step(step))

        self.remedy.ask(seen, {label: take})

    def _answer(self, *_: param.parameterized.Event) -> None:
        """Say whether the person may stop, given their limit."""
        experiment, shown = self.experiment.current, self.experiment.picture
        limit = _typed(self.limit, "the limit")
        if experiment is None:
            return
        answer = may_stop(experiment, shown.certificate, limit, shown.check.verdict)
        head, reason = answer
        best = texts.quiet(best_words(experiment, shown.known, shown.check.verdict))
        self.possible.object = _POSSIBLE.format(head) + best
        self.reason.object = texts.paragraphs("", [reason] if reason else [])

    async def _take_cost(self, *_: param.parameterized.Event) -> None:
        """Put the cost that was typed into the plan, unless it is there or cannot be read."""
        cost = _typed(self.cost, "the cost")
        experiment = self.experiment.current
        if experiment is None or self.cost.error_state or cost == experiment.plan.cost:
            return
        await self.attempt(self.experiment.price(cost))

    def _show_worth(self) -> None:
        """Say what the next batch is worth, and show the cost that is in the plan."""
        experiment, shown = self.experiment.current, self.experiment.picture
        words = worth_words(experiment, shown.worth)
        self.worth.object = texts.paragraphs("", [words])
        self._price.visible = bool(words)
        cost = experiment.plan.cost
        if _typed(self.cost, "the cost") != cost:
            self.cost.value = "" if cost is None else f"{cost!r}"

    def _compare(self, *_: param.parameterized.Event) -> None:
        """Name the settings that are not in force yet, if any."""
        experiment, changes = self.experiment.current, self.experiment.settings.changes
        if experiment is None:
            return
        message = f"Not applied yet: {', '.join(changes)}."
        stays = f" {_STAYS}" if experiment.pending else ""
        self._changed.object = texts.note(f"{message}{stays}" if changes else "")
        self._pending_plan.visible = bool(changes)

    def _show_busy(self, event: param.parameterized.Event) -> None:
        self.progress.visible = event.new is not None


def _typed(field: pmui.TextInput, what: str) -> float | None:
    """The number in a field, or None; where it has another text, it says what is wrong."""
    number, wrong = None, ""
    try:
        if field.value.strip():
            number = typed(field.value, what)
    except InputError as error:
        wrong = sentences(error)
    field.param.update(error_state=bool(wrong), helper_text=wrong)
    return number
