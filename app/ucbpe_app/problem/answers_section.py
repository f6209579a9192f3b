"""Your problem: is the model any good, what matters, what will the next batch teach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn

from ucbpe_app.html import EMPTY, Html
from ucbpe_app.pictures.experiment import CHECK, TAUGHT, check, taught
from ucbpe_app.pictures.picture import Request
from ucbpe_app.pictures.slices import SLICES, slices_of
from ucbpe_app.problem import texts
from ucbpe_app.problem.answers import batch_words, inputs_words, inside, model_words, spreads
from ucbpe_app.problem.frame import STDS
from ucbpe_app.problem.layout import column, styled
from ucbpe_app.render.bokeh import OWN_HEIGHT, BokehPicture, filling
from ucbpe_app.widgets.layouts import text
from ucbpe_app.widgets.tabs import row, tabs, title, titled

if TYPE_CHECKING:
    import param
    from panel.viewable import Viewable

    from ucbpe_app.problem.experiment import ExperimentState

_TITLES = {
    "model": "Is the model any good?",
    "inputs": "What matters?",
    "next batch": "What will this batch teach?",
}


class AnswersSection(pn.viewable.Viewer):
    """One answer is on screen: its picture, and a sentence right of it or above."""

    def __init__(self, experiment: ExperimentState) -> None:
        super().__init__()
        self.experiment = experiment
        self.check, self.verdict = BokehPicture(CHECK), text("checked")
        self.slices, self.inputs = BokehPicture(SLICES), text("checked")
        self.taught, self.learned = BokehPicture(TAUGHT), text("checked")
        self.choice, self._title = tabs(list(_TITLES)), title()
        self._slices = column(self.slices.panel)
        self._parts = {
            "model": styled("lab-problem-check", self.check.panel, self.verdict),
            "inputs": column(self.inputs, self._slices),
            "next batch": styled("lab-problem-check", self.taught.panel, self.learned),
        }
        self._body = column(**filling(CHECK))
        self._panel = column(row(self._title, self.choice), self._body, **filling(CHECK))
        self.choice.param.watch(self.load, "value")

    def __panel__(self) -> Viewable:
        return self._panel

    def load(self, *_: param.parameterized.Event) -> None:
        """Show the answer that is chosen, of the experiment as it is."""
        if self.experiment.current is None:
            return
        chosen = self.choice.value
        with pn.io.hold():
            self._title.object = titled(_TITLES[chosen])
            if self._body.objects != [self._parts[chosen]]:
                self._body.objects = [self._parts[chosen]]
            {"model": self._model, "inputs": self._inputs, "next batch": self._batch}[chosen]()

    def _model(self) -> None:
        experiment, model_check = self.experiment.current, self.experiment.picture.check
        loo, data = model_check.loo, experiment.history.data
        roles = [trial.role for trial in data[len(data) - len(loo.y) :]]
        self.check.draw(check(roles, loo.mean, STDS * loo.std, loo.y))
        head, seen, remedy = model_words(experiment, model_check)
        n = len(loo.y)
        counts = f"{inside(model_check)} of {n} inside ± {STDS:g} std. " if n else ""
        axes = f"{counts}Up: measured. Across: predicted from all others."
        words = Html("<h2>{}</h2><p>{} <b>{}</b></p>").format(head, seen, remedy)
        self.verdict.object = words + texts.quiet(axes)

    def _inputs(self) -> None:
        shown = self.experiment.picture
        self.inputs.object = texts.paragraphs("", [inputs_words(self.experiment.current, shown)])
        rows = -(-len(shown.slices.x) // 2)
        self._slices.styles = {**OWN_HEIGHT, "--slices-height": f"{44 + 84 * rows}px"}
        self.slices.draw(slices_of(shown.scene, shown.frame, shown.slices, Request()))

    def _batch(self) -> None:
        shown = self.experiment.picture
        stds = spreads(shown)
        self.taught.panel.visible = stds is not None
        if stds is not None:
            self.taught.draw(taught(*stds))
        legend = EMPTY if stds is None else texts.quiet(
            "Up: std. Across: the rows that may still be the best, the least known first, each "
            "time. Grey: now. Blue: after the batch."
        )  # fmt: skip
        self.learned.object = texts.paragraphs("", [batch_words(shown)]) + legend
