"""May one stop? What the band of an experiment bounds, against what its person still wants."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.components.tabs import row, title
from ucbpe_app.pages.problem.layout import column
from ucbpe_app.pages.problem.sentences import row_words
from ucbpe_app.pages.verdict import text
from ucbpe_app.pictures.experiment import BRACKET, bracket
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.run.sentences import number
from ucbpe_app.run.sentences.texts import at_least, percent
from ucbpe_core.region import certificate
from ucbpe_core.schedules import FiniteBeta
from ucbpe_core.validation import sign_of

if TYPE_CHECKING:
    from panel.viewable import Viewable

    from ucbpe_core.experiment import Experiment
    from ucbpe_core.region import Certificate


def certificate_of(experiment: Experiment) -> Certificate:
    """By the band of the batch that is open, or else of the next; only results narrow it."""
    plan, posterior = experiment.plan, experiment.posterior
    t = experiment.history.t
    beta, _ = plan.policy.betas(posterior.signed(sign_of(plan.direction)), t, plan.beta)
    return certificate(posterior, beta, plan.direction)


def probability(experiment: Experiment) -> float | None:
    """That f is in its band at all batch starts, for a draw of the prior; None if none is promised.

    `FiniteBeta` promises 1 - delta with scale 1 alone, for posteriors at batch starts: not while
    only some results of a batch are in.
    """
    schedule, history = experiment.plan.beta, experiment.history
    between = bool(history.open_picks) and not history.untouched
    if isinstance(schedule, FiniteBeta) and schedule.scale == 1 and not between:
        return 1 - schedule.delta
    return None


def may_stop(experiment: Experiment, found: Certificate, limit: float | None) -> tuple[str, str]:
    """The answer to somebody for whom a row is good enough that is at most `limit` off, and why."""
    highest = experiment.plan.direction == "maximize"
    where, extreme = ("below", "maximum") if highest else ("above", "minimum")
    more, chance = at_least(found.regret, -1.0), probability(experiment)
    told = f"{row_words(experiment.table, found.index)} is at most {more} {where} the {extreme}"
    if chance is None:
        reason = f"While f is inside its band, {told}. No probability is promised for that."
    else:
        reason = f"With {percent(chance)}, {told}, if the prior is right."
    if limit is None:
        return f"{more} can still be gained at most.", reason
    if found.regret <= limit:
        return "You may stop.", reason
    return f"Not yet: {more} can still be gained, more than {number(limit)}.", reason


class CertificateView(pn.viewable.Viewer):
    """The bracket from y. to the greatest upper bound, and what follows for the person's limit."""

    def __init__(self) -> None:
        super().__init__()
        self.limit = pmui.FloatInput(
            label="Stop below", value=None, start=0.0, size="small", width=120, margin=0
        )
        self.answer, self.bracket = text("possible"), BokehPicture(BRACKET)
        self._experiment: Experiment | None = None
        self._panel = column(row(title("May I stop?"), self.limit), self.answer, self.bracket.panel)
        self.limit.param.watch(self._say, "value")

    def __panel__(self) -> Viewable:
        return self._panel

    def show(self, experiment: Experiment) -> None:
        """Draw where an experiment stands."""
        self._experiment = experiment
        best = experiment.history.best
        self.bracket.draw(bracket(certificate_of(experiment), None if best is None else best.y))
        self._say()

    def _say(self, *_: Any) -> None:
        if self._experiment is None:
            return
        found = certificate_of(self._experiment)
        head, reason = map(escape, may_stop(self._experiment, found, self.limit.value))
        self.answer.object = f"<p><b>{head}</b> {reason}</p>"
