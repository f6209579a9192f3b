"""The policies that a study compares."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.pages.study.layout import words
from ucbpe_app.run.choices import POLICIES
from ucbpe_app.run.notation import sentences
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    import param

    from ucbpe_app.pages.study.session import StudySession


class PolicyBoxes(pn.viewable.Viewer):
    """The policies to compare, as boxes to tick; one at least."""

    def __init__(self, session: StudySession) -> None:
        super().__init__()
        self._settings = session.settings
        self._boxes = pmui.CheckBoxGroup(
            label="Policies", options=list(POLICIES), value=list(self._settings.policies),
            size="small", margin=(6, 0),
            sx={"& .MuiFormControlLabel-root": {"minHeight": "28px"},
                "& .MuiTypography-root": {"fontSize": "0.875rem"},
                "& .MuiFormLabel-root": {"fontSize": "0.75rem"},
                "& .MuiCheckbox-root": {"padding": "2px 8px"}},
        )  # fmt: skip
        self._notice = words()
        self._panel = pn.Column(self._boxes, self._notice, sizing_mode="stretch_width", margin=0)
        self._boxes.param.watch(self._edit, "value")
        self._settings.param.watch(self._show, "policies")

    def __panel__(self) -> pn.Column:
        return self._panel

    def resync(self) -> None:
        """Show the policies as they are, without a notice."""
        self._show()
        self._notice.object = ""

    def _edit(self, event: param.parameterized.Event) -> None:
        if set(event.new) == set(self._settings.policies):
            return
        try:
            self._settings.accept(policies=tuple(event.new))
        except UCBPEError as error:
            self._notice.object = f'<p role="alert">{escape(sentences(error))}</p>'
            self._show()
        else:
            self._notice.object = ""

    def _show(self, *_: param.parameterized.Event) -> None:
        self._boxes.value = list(self._settings.policies)
