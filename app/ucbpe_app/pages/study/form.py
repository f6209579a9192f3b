"""The settings column of the Study page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.pages.form import SettingsForm
from ucbpe_app.pages.study.fields import PolicyBoxes
from ucbpe_app.pages.study.layout import column, words
from ucbpe_app.pages.study.plan import MOST_POINTS, MOST_REPLICATES, MOST_SECONDS, duration

if TYPE_CHECKING:
    import param

    from ucbpe_app.pages.study.session import StudySession

_ROWS = (("problem",), ("batch_size", "batches"), ("initial", "replicates"), ("seed", "scale"))
_LIMITS = (
    f"At most {MOST_REPLICATES} replicates, {MOST_POINTS} points in a run (initial points + T K) "
    f"and {duration(MOST_SECONDS)} of computing. The prior is the one that the problem suggests. "
    "Larger studies: ucbpe study, on the command line."
)


class StudyForm(pn.viewable.Viewer):
    """Every control of what is studied, bound to the session.

    `run` is the button that starts the study: the page says what that does.
    """

    def __init__(self, session: StudySession) -> None:
        super().__init__()
        self.session = session
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
        self._panel = column(self._settings, self._estimate, self.run, words(_LIMITS))
        session.param.watch(self._say_estimate, "progress")
        session.settings.param.watch(self._say_estimate, [*self.fields, "policies"])
        self._say_estimate()

    def __panel__(self) -> pn.Column:
        return self._panel

    def resync(self) -> None:
        """Show every setting as it is, without notices."""
        self._settings.resync()
        self.policies.resync()

    def _say_estimate(self, *_: param.parameterized.Event) -> None:
        spec, asked = self.session.settings.spec(), self.session.asked
        runs = spec.replicates * len(spec.policies)
        said = f"{runs} runs, about {duration(spec.seconds)} of computing on one core."
        if asked not in (None, spec):
            said += " Your last study had other settings."
        self._estimate.object = f"<p>{said}</p>"
