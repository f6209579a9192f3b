"""The settings column of the Study page: a shipped study, or the settings of a custom one."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.pages.fields import COMPACT
from ucbpe_app.pages.form import SettingsForm
from ucbpe_app.pages.study.fields import PolicyBoxes
from ucbpe_app.pages.study.layout import column, words
from ucbpe_app.pages.study.plan import MOST_POINTS, MOST_REPLICATES, MOST_SECONDS, duration
from ucbpe_app.pages.study.results import shipped
from ucbpe_app.reproduction import paper

if TYPE_CHECKING:
    import param

    from ucbpe_app.pages.study.session import StudySession

_PAPER, _OWN = "The paper's studies", "Your study"
_ROWS = (("problem",), ("batch_size", "batches"), ("initial", "replicates"), ("seed", "scale"))
_LIMITS = (
    f"At most {MOST_REPLICATES} replicates, {MOST_POINTS} points in a run (initial points + T K) "
    f"and {duration(MOST_SECONDS)} of computing. The prior is the one that the problem suggests. "
    "Larger studies: ucbpe study, on the command line."
)
_ABSENT = (
    "The results of the paper's studies are not part of this installation. They are in the "
    "project's folder app/ucbpe_app/reproduction/results."
)
_PLAIN_WORDS = {
    "& .MuiToggleButton-root": {"textTransform": "none", "whiteSpace": "nowrap"},
    "& .MuiFormLabel-root": {"fontSize": "0.75rem"},
}


class StudyForm(pn.viewable.Viewer):
    """Every control of what is studied, bound to the session.

    `run` is the button that starts the own study: the page says what that does.
    """

    def __init__(self, session: StudySession) -> None:
        super().__init__()
        self.session, self._studies = session, shipped()
        self.source = pmui.RadioButtonGroup(
            label="Source", options=[_PAPER, _OWN], value=_OWN, size="small",
            variant="outlined", sizing_mode="stretch_width", width=None, margin=(0, 0, 8, 0),
            sx=_PLAIN_WORDS,
        )  # fmt: skip
        titles = {study.name: name for name, study in self._studies.items()}
        self.study = pmui.Select(label="Study", options=titles, **COMPACT)
        self.problem = pmui.Select(label="Problem", options=[], **COMPACT)
        self._words = words()
        self.policies = PolicyBoxes(session)
        self._settings = SettingsForm(
            session.settings,
            {"": _ROWS},
            under={"problem": (self.policies,)},
            shown_for={},
            kept="",
        )
        self.fields = self._settings.fields
        self._estimate = words()
        self.run = pmui.Button(
            label="Run study", color="primary", variant="contained", margin=(8, 0),
            sizing_mode="stretch_width", width=None, height=44,
        )  # fmt: skip
        self._panel = self._layout()
        self._connect()
        self._follow()

    def __panel__(self) -> pn.Column:
        return self._panel

    def resync(self) -> None:
        """Show every setting as it is, without notices."""
        self._settings.resync()
        self.policies.resync()

    def _layout(self) -> pn.Column:
        self._paper = column(self.study, self.problem, self._words)
        self._own = column(self._settings, self._estimate, self.run, words(_LIMITS))
        return column(self.source, self._paper, self._own)

    def _connect(self) -> None:
        session = self.session
        self.source.param.watch(self._choose_source, "value")
        self.study.param.watch(lambda event: self._show(event.new, ""), "value")
        self.problem.param.watch(lambda event: self._show(self.study.value, event.new), "value")
        session.param.watch(self._follow, ["shown", "problem"])
        session.param.watch(self._say_estimate, "progress")
        session.settings.param.watch(self._say_estimate, [*self.fields, "policies"])

    def _choose_source(self, event: param.parameterized.Event) -> None:
        own = event.new == _OWN
        if own and self.session.shown:
            self.session.param.update(shown="", reference="")
        elif not own and self._studies:
            self._show(self.study.value, self.problem.value)
        self._show_source(own=own)

    def _show(self, study: str, problem: str) -> None:
        """Have the session show a shipped study, on its first problem unless one is named."""
        shown = self.session.shown
        if study == shown and problem in ("", self.session.problem):
            return
        labels = [plan.label for plan in self._studies[study].problems]
        found = problem if problem in labels else labels[0]
        changes = {} if study == shown else {"reference": ""}
        self.session.param.update(shown=study, problem=found, **changes)

    def _follow(self, *_: param.parameterized.Event) -> None:
        """Show what the session shows."""
        session = self.session
        if session.shown:
            labels = [plan.label for plan in self._studies[session.shown].problems]
            self.study.value = session.shown  # first: a problem is one of the study's
            self.problem.param.update(options=labels, value=session.problem)
            self._words.object = f"<p>{_asks(session.shown)}</p>"
        elif not self._studies:
            self._words.object = f"<p>{_ABSENT}</p>"
            self.study.visible = self.problem.visible = False
        self.source.value = _PAPER if session.shown else _OWN
        self._show_source(own=not session.shown)
        self._say_estimate()

    def _show_source(self, *, own: bool) -> None:
        self._paper.visible, self._own.visible = not own, own

    def _say_estimate(self, *_: param.parameterized.Event) -> None:
        spec, asked = self.session.settings.spec(), self.session.asked
        runs = spec.replicates * len(spec.policies)
        said = f"{runs} runs, about {duration(spec.seconds)} of computing on one core."
        if asked not in (None, spec):
            said += " Your last study had other settings."
        self._estimate.object = f"<p>{said}</p>"


def _asks(name: str) -> str:
    """What a shipped study is about: the first line of what its source says."""
    return escape((paper.STUDIES[name].__doc__ or "").partition("\n")[0])
