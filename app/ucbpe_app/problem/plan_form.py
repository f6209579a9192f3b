"""The form of an experiment's plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ucbpe_app.problem import texts
from ucbpe_app.problem.settings import FITS, PLAN
from ucbpe_app.run.sentences import number
from ucbpe_app.widgets.form import SettingsForm, fit_button
from ucbpe_core import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    import param

    from ucbpe_app.problem.settings import PlanSettings

# What a fit finds: not to be typed while the prior is fitted before each batch.
_FITTED = frozenset({
    "lengthscale", "period", "alpha", "offset", "variance", "stretch", "mean", "noise_variance"
})  # fmt: skip


class PlanForm(SettingsForm):
    """A field for each setting of a plan, and a button that fits the prior.

    `fit` takes a fitted prior into the settings, and returns a text on it.
    """

    settings: PlanSettings

    def __init__(self, settings: PlanSettings, fit: Callable[[], Awaitable[str]]) -> None:
        self.fit, self.found, self._find = fit_button(), texts.card(), fit
        self._scales = texts.card()
        self._scales.margin = (0, 0, 10, 0)
        self._inputs: tuple[str, ...] = ()
        under = {"Belief": (self.fit, self.found), "lengthscale": (self._scales,)}
        super().__init__(
            settings,
            {name: entry for name, entry in settings.entries.items() if name in PLAN},
            under=under,
        )
        settings.param.watch(self._show_scales, ["lengthscale", "fit"])
        settings.param.watch(self._offer, ["fit", "shared"])
        self._offer()
        self.fit.on_click(self._fit)

    def load(self, inputs: Sequence[str]) -> None:
        """Take the names of another table's inputs, and the settings as they are."""
        self._inputs = tuple(inputs)
        self.found.object = texts.fault(None)
        self.resync()
        self.centre({name: getattr(self.settings, name) for name in self.fields})
        self._offer()
        self._show_scales()

    def _show_scales(self, *_: param.parameterized.Event) -> None:
        """The lengthscale of each input, in its own units; of a fitted prior, its other numbers."""
        settings = self.settings
        if len(self._inputs) != len(settings.extent):
            return
        rows = zip(self._inputs, map(number, settings.lengthscales), strict=True)
        shown = texts.facts("Lengthscales", rows)
        if FITS[settings.fit] != "never":
            others = {
                "std of f": settings.variance**0.5,
                "noise std": settings.noise_variance**0.5,
                "mean": settings.mean,
            }
            shown += texts.facts("", ((name, number(value)) for name, value in others.items()))
        self._scales.object = shown

    def _offer(self, *_: param.parameterized.Event) -> None:
        """Offer the numbers of the prior, and the button, only where nobody fits them; and what a
        batch shares where there are inputs to choose from.
        """
        settings, never = self.settings, FITS[self.settings.fit] == "never"
        several = settings.param["shared"].objects[1:]
        unused = {"shared": not several, "shared_by": not settings.shared}
        self.hide({name for name, is_so in unused.items() if is_so} | (set() if never else _FITTED))
        self.fit.visible = never

    async def _fit(self, _: param.parameterized.Event) -> None:
        self.fit.disabled = True
        try:
            self.found.object = texts.paragraphs("", [await self._find()])
        except UCBPEError as error:
            self.found.object = texts.fault(error)
        finally:
            self.fit.disabled = False
