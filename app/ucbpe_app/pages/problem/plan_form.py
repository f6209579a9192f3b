"""The form of an experiment's plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.pages.form import Sections, SettingsForm, fit_button
from ucbpe_app.pages.problem.settings import KERNELS, is_scaled
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.run.screen import SECTIONS, SHOWN_FOR
from ucbpe_app.run.sentences import number
from ucbpe_app.run.settings import SETTINGS
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    import param

    from ucbpe_app.pages.problem.settings import PlanSettings

_OF_POLICY = tuple((name,) for name, setting in SETTINGS.items() if setting.part == "policy")
_SECTIONS: Sections = {
    "Policy": (("goal",), ("policy",), *_OF_POLICY),
    **{title: SECTIONS[title] for title in ("Belief", "Confidence")},
}
_SHOWN_FOR = {
    **SHOWN_FOR,
    "lengthscale": ("kernel", tuple(name for name, kernel in KERNELS.items() if is_scaled(kernel))),
}


class PlanForm(SettingsForm):
    """A field for each setting of a plan, and a button that fits the prior.

    `fit` takes a fitted prior into the settings, and returns what is to be said of it.
    """

    settings: PlanSettings

    def __init__(self, settings: PlanSettings, fit: Callable[[], Awaitable[str]]) -> None:
        self.fit, self.found, self._find = fit_button(), texts.card(), fit
        self._scales = texts.card()
        self._scales.margin = (0, 0, 10, 0)
        self._inputs: tuple[str, ...] = ()
        under = {"Belief": (self.fit, self.found), "lengthscale": (self._scales,)}
        super().__init__(settings, _SECTIONS, under=under, shown_for=_SHOWN_FOR)
        settings.param.watch(self._show_scales, "lengthscale")
        self.fit.on_click(self._fit)

    def load(self, inputs: Sequence[str]) -> None:
        """Take the names of another table's inputs, and the settings as they are."""
        self._inputs = tuple(inputs)
        self.found.object = texts.fault(None)
        self.resync()
        self.centre({name: getattr(self.settings, name) for name in self.fields})
        self._show_scales()

    def _show_scales(self, *_: param.parameterized.Event) -> None:
        """The lengthscale of each input, in its own units."""
        if len(self._inputs) == len(self.settings.extent):
            rows = zip(self._inputs, map(number, self.settings.lengthscales), strict=True)
            self._scales.object = texts.facts("", rows)

    async def _fit(self, _: param.parameterized.Event) -> None:
        self.fit.disabled = True
        try:
            self.found.object = texts.paragraphs("", [await self._find()])
        except UCBPEError as error:
            self.found.object = texts.fault(error)
        finally:
            self.fit.disabled = False
