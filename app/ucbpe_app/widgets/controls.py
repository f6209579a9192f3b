"""The settings column of the Step and Theory pages: lessons, all settings, and sqrt(beta_t)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import panel as pn
import panel_material_ui as pmui

from ucbpe_app.html import escape
from ucbpe_app.lessons import LARGEST, offered
from ucbpe_app.pictures.chart import BETAS, betas
from ucbpe_app.render.bokeh import BokehPicture
from ucbpe_app.run.prior import betas_of, suggested
from ucbpe_app.run.screen import CONTROLS, GROUPS, controls_of
from ucbpe_app.run.settings import SETTINGS
from ucbpe_app.widgets.fields import COMPACT, ProblemChoice
from ucbpe_app.widgets.form import SettingsForm, caption, fit_button, words_of_fit
from ucbpe_app.widgets.lesson import LessonFile
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import param
    from panel.viewable import Viewable

    from ucbpe_app.lessons import Lesson
    from ucbpe_app.render.markup import Markup
    from ucbpe_app.widgets.session import Session


class Controls(pn.viewable.Viewer):
    """Every control, bound to a session; those of `strip` are laid out by the page.

    The others are in a drawer: they are not laid out before `open`, and most are made then.
    """

    def __init__(
        self,
        session: Session,
        lesson: Lesson,
        strip: SettingsForm,
        of_prior: Sequence[Viewable] = (),
        of_beta: Sequence[Viewable] = (),
    ) -> None:
        """Lay out all settings but those of `strip`.

        `of_prior` goes below the settings of the prior, `of_beta` below those of the schedule.
        """
        super().__init__()
        self.session = session
        lessons = {offer.title: offer for offer in offered()}
        self.preset = pmui.Select(label="Lesson", options=lessons, value=lesson, **COMPACT)
        self.on_reset: Callable[[], None] = lambda: None
        self.file = LessonFile(largest=LARGEST)
        self._of_prior, self._of_beta = of_prior, of_beta
        self._hidden = frozenset[str]()
        self.form = SettingsForm(
            session.settings,
            {name: entry for name, entry in SETTINGS.items() if name not in strip.fields},
            own={"problem": ProblemChoice(session.settings, "problem", session.choose)},
        )
        self.forms = (self.form, strip)
        self.fields = {name: field for form in self.forms for name, field in form.fields.items()}
        self.panel = pn.Column(sizing_mode="stretch_width", margin=0)
        session.settings.param.watch(self._recentre, "problem")
        session.param.watch(self._show_invalid, "invalid")

    @cached_property
    def reset(self) -> pmui.Button:
        """The button that calls `on_reset`."""
        button = pmui.Button(
            label="Reset settings", variant="text", size="small", margin=(0, 0, 0, -5), width=128,
            visible="reset" not in self._hidden,
        )  # fmt: skip
        button.on_click(lambda _: self.on_reset())
        return button

    @cached_property
    def fit(self) -> pmui.Button:
        """The button that fits the prior."""
        button = fit_button()
        button.visible = "fit" not in self._hidden
        button.on_click(self._fit)
        return button

    @cached_property
    def fit_notice(self) -> Markup:
        """What came of it."""
        return caption(visible=False, margin=(0, 0, 6, 0))

    def __panel__(self) -> pn.Column:
        return self.panel

    def open(self) -> None:
        """Lay out the controls, if they are not."""
        if not self.panel.objects:
            under = (*self._of_prior, self.fit, self.fit_notice)
            self.form.under = {"Belief": under, "Confidence": self._of_beta}
            beneath = pn.Row(
                self.reset, self.file, margin=0, styles={"flex-wrap": "wrap", "gap": "0 12px"}
            )
            self.panel.objects = [self.preset, beneath, self.form]

    def say_of_fit(self, text: str) -> None:
        """Show the outcome of a fit under its button; an empty text removes it."""
        if text or "fit_notice" in vars(self):
            self.fit_notice.object, self.fit_notice.visible = escape(text), bool(text)

    def resync(self) -> None:
        """Show every setting as it is, without notices."""
        for form in self.forms:
            form.resync()

    def hide(self, names: Iterable[str]) -> None:
        """Offer all controls but these, and those of these groups; the settings are kept."""
        hidden = self._hidden = controls_of(names)
        for name in {"preset", "reset", "fit"} & vars(self).keys():  # the others are not made yet
            getattr(self, name).visible = name not in hidden
        for part in self._of_prior:
            part.visible = "kernel" not in hidden
        self.file.offer(self.preset.visible)
        for form in self.forms:
            form.hide(hidden)
        self.panel.visible = not CONTROLS - GROUPS["Layers"] <= hidden

    def _recentre(self, event: param.parameterized.Event) -> None:
        """Centre the sliders on the suggested values of the problem now chosen."""
        for form in self.forms:
            form.centre(suggested(event.new))

    def _show_invalid(self, event: param.parameterized.Event) -> None:
        if event.new is not None:
            names, error = event.new
            self.fields[names[0]].show_error(error)

    async def _fit(self, _: param.parameterized.Event) -> None:
        session, self.fit.disabled = self.session, True
        try:
            self.say_of_fit(words_of_fit(await session.fit(), len(session.frame.observed)))
        except UCBPEError as error:
            self.say_of_fit(f"Not fitted. Expected {error.expected}; got {error.got}.")
        finally:
            self.fit.disabled = False


class BetaChart:
    """`panel` is to be laid out; the chart is made when it is opened."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.panel = pn.Column(sizing_mode="stretch_width", margin=0)
        self.chart: BokehPicture | None = None

    def open(self, *_: param.parameterized.Event) -> None:
        """Draw the chart, and again for each run and event."""
        if self.chart is None:
            self.chart = BokehPicture(BETAS)
            self.panel.objects = [self.chart.panel]
            self._session.param.watch(self._draw, ["replay", "index"])
            self._draw()

    def _draw(self, *_: param.parameterized.Event) -> None:
        session = self._session
        if self.chart is not None:
            given = betas_of(session.spec, session.replay.trace)
            self.chart.draw(betas(given, session.frame.event.t))
